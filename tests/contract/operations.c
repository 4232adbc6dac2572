/* gst-stereomatching: contract tests of the other operations
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Images of any size, format, alignment and content, with any parameters, for
 * every operation in a table and every device of the machine.  The expected
 * result is that of the plain CPU implementation, which tests/kernels/ compares
 * with oracles.  Every device rejects what the reference rejects, with the same
 * message.
 */

#include "core/runner.h"
#include "geometry/cloud.h"
#include "geometry/depth.h"
#include "geometry/view.h"
#include "harness.h"

#define MAX_PORTS STEREO_MAX_PORTS

/* Sizes around multiples of vectors, bit words and pixel groups, and the
 * smallest. */
static const int sides[] = { 1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 31, 32, 33,
  61, 63, 64, 65, 97, 127, 128, 131
};

#define N_SIDES (sizeof (sides) / sizeof (sides[0]))

typedef union
{
  StereoViewParams view;
  StereoDepthParams depth;
  StereoCloudParams cloud;
} Params;

typedef struct
{
  StereoPortSetup in[MAX_PORTS];
  StereoPortSetup out[MAX_PORTS];
  bool has_in[MAX_PORTS];       /* of optional inputs */
  Params params;
} Case;

typedef struct
{
  TestImage in[MAX_PORTS];
  TestImage out[MAX_PORTS];
  TestImage expected[MAX_PORTS];
} Images;

/* An operation and the generator of its cases, which gets the size and a valid
 * format of the first input. */
typedef struct
{
  const StereoOp *op;
  void (*draw) (Case * c, Random * random);
} Operation;

/* -------------------------------------------------------------------- cases */

static bool
accepts_format (const StereoPort * port, StereoFormat format)
{
  return port->formats & STEREO_FORMAT_BIT (format);
}

static StereoFormat
draw_format (const StereoPort * port, Random * random)
{
  StereoFormat format;

  do
    format = (StereoFormat) random_range (random, 0, STEREO_N_FORMATS - 1);
  while (!accepts_format (port, format));
  return format;
}

static StereoPortSetup
port_of (StereoFormat format, int width, int height)
{
  SCOPED_IMAGE image;
  StereoPortSetup setup = { format, width, height, 1 };

  test_image_init (&image, format, 1, 1, 0);
  setup.n_planes = image.n_planes;
  return setup;
}

static double
draw_number (Random * random, double lowest, double highest)
{
  return lowest + (highest - lowest) * random_range (random, 0, 1 << 20)
      / (1 << 20);
}

static void
draw_view (Case * c, Random * random)
{
  StereoViewParams *p = &c->params.view;
  const StereoPortSetup left = c->in[0];
  const int k = random_range (random, 0, 2) ? 1 : random_range (random, 2, 8);
  int width, height;

  p->position = draw_number (random, -2, 3);
  p->separation = draw_number (random, -4, 4);
  p->convergence = random_range (random, 0, 1) ? draw_number (random, -64, 64)
      : 0;
  p->join = draw_number (random, 0.25, 64);
  p->blending = random_range (random, 0, 1);
  p->layout = random_range (random, 0, STEREO_VIEW_N_LAYOUTS - 1);
  p->columns = (unsigned) random_range (random, 1, 4);
  p->rows = (unsigned) random_range (random, 1, 3);
  p->anaglyph = random_range (random, 0, STEREO_VIEW_GREY);
  p->scale = draw_number (random, 1, 256);
  p->minimum = random_range (random, -64, 64);
  p->invalid_value = random_range (random, -1, 255);
  p->full_range = random_range (random, 0, 1);
  stereo_view_frame_size (p, left.width, left.height, &width, &height);
  c->in[1] = left;
  c->has_in[1] = random_range (random, 0, 3) != 0;
  c->in[2] = port_of (draw_format (&stereo_view_op.inputs[2], random),
      (left.width + k - 1) / k, (left.height + k - 1) / k);
  c->out[0] = port_of (left.format, width, height);
}

static StereoMetric
draw_metric (Random * random)
{
  return (StereoMetric) {
    .focal_length = draw_number (random, 1, 4000),.baseline =
        draw_number (random, 0.001, 2),.doffs = draw_number (random, 0, 10),
        .disparity_scale = draw_number (random, 1, 256),.min_disparity =
        random_range (random, -20, 20),.invalid_value =
        random_range (random, -1, 255)};
}

static void
draw_depth (Case * c, Random * random)
{
  c->params.depth = (StereoDepthParams) {
    .metric = draw_metric (random),.depth_scale =
        draw_number (random, 1, 5000),.range_max =
        draw_number (random, 1, 1000)};
  c->out[0] = port_of (STEREO_FORMAT_GRAY16_LE, c->in[0].width,
      c->in[0].height);
}

/* Points are not packed: the bytes after the points of a row would be
 * undefined. */
static void
draw_cloud (Case * c, Random * random)
{
  StereoCloudParams *p = &c->params.cloud;
  StereoCloudSize size;

  *p = (StereoCloudParams) {
    .metric = draw_metric (random),.cx = STEREO_CLOUD_MIDDLE,.cy =
        draw_number (random, 0, 100),.axes = random_range (random, 0, 1),
        .step = (unsigned) random_range (random, 1, 3),.colors =
        random_range (random, 0, 1),.colorimetry =
        (StereoColorimetry) random_range (random, 0,
        STEREO_N_COLORIMETRIES - 1)};
  size = stereo_cloud_size (p, c->in[0].width, c->in[0].height);
  c->in[1] = port_of (draw_format (&stereo_cloud_op.inputs[1], random),
      c->in[0].width, c->in[0].height);
  c->has_in[1] = p->colors;
  c->out[0] = port_of (size.format, size.columns, size.rows);
  c->out[1] = port_of (STEREO_FORMAT_U32, size.rows, 1);
}

static const Operation operations[] = {
  {&stereo_view_op, draw_view},
  {&stereo_depth_op, draw_depth},
  {&stereo_cloud_op, draw_cloud},
};

#define FOR_EACH_OPERATION(o) \
  for (const Operation *o = operations; \
      o < operations + sizeof (operations) / sizeof (operations[0]); o++)

static void
draw_case (const Operation * o, Random * random, Case * c)
{
  memset (c, 0, sizeof (*c));
  c->in[0] = port_of (draw_format (&o->op->inputs[0], random),
      sides[random_next (random) % N_SIDES],
      sides[random_next (random) % (N_SIDES / 2)]);
  o->draw (c, random);
}

static bool
wants_in (const Operation * o, const Case * c, int i)
{
  return !o->op->inputs[i].optional || c->has_in[i];
}

static bool
wants_out (const Operation * o, int i)
{
  return !o->op->outputs[i].optional;
}

/* ------------------------------------------------------------------- images */

/* Random bytes, in rows of any alignment. */
static void
make_input (const StereoPortSetup * setup, TestImage * image, Random * random)
{
  test_image_init (image, setup->format, setup->width, setup->height,
      (size_t) random_range (random, 0, 9));
  for (int p = 0; p < image->n_planes; p++) {
    for (int y = 0; y < plane_rows (image, p); y++) {
      for (size_t i = 0; i < plane_row_bytes (image, p); i++)
        plane_row (image, p, y)[i] = (uint8_t) random_next (random);
    }
  }
}

/* GRAY16_LE and points need aligned rows: 2 and 4 bytes. */
static void
make_output (const StereoPortSetup * setup, TestImage * image, Random * random)
{
  test_image_init (image, setup->format, setup->width, setup->height,
      (size_t) random_range (random, 0, 3) * 4);
}

static void
make_images (const Operation * o, const Case * c, Images * images,
    Random * random)
{
  memset (images, 0, sizeof (*images));
  for (int i = 0; o->op->inputs[i].name != NULL; i++) {
    if (wants_in (o, c, i))
      make_input (&c->in[i], &images->in[i], random);
  }
  for (int i = 0; o->op->outputs[i].name != NULL; i++) {
    if (wants_out (o, i)) {
      make_output (&c->out[i], &images->out[i], random);
      make_output (&c->out[i], &images->expected[i], random);
    }
  }
}

static void
clear_images (Images * images)
{
  for (int i = 0; i < MAX_PORTS; i++) {
    test_image_clear (&images->in[i]);
    test_image_clear (&images->out[i]);
    test_image_clear (&images->expected[i]);
  }
}

static void
fill_output (TestImage * image)
{
  for (int p = 0; p < image->n_planes; p++) {
    for (int y = 0; y < plane_rows (image, p); y++)
      memset (plane_row (image, p, y), 0x77, plane_row_bytes (image, p));
  }
}

static void
describe (const Operation * o, const Case * c, char *text, size_t size)
{
  snprintf (text, size, "%s of %s, %dx%d, second input %s%s, first output %s "
      "of %dx%d", o->op->name, stereo_format_name (c->in[0].format),
      c->in[0].width, c->in[0].height, stereo_format_name (c->in[1].format),
      c->has_in[1] ? "" : " (missing)",
      stereo_format_name (c->out[0].format), c->out[0].width,
      c->out[0].height);
}

/* Compares every byte of every plane. */
static void
compare (const Operation * o, const Case * c, const char *where,
    const TestImage * a, const TestImage * b)
{
  char text[400];

  CHECK (test_image_intact (a));
  for (int p = 0; p < a->n_planes; p++) {
    for (int y = 0; y < plane_rows (a, p); y++) {
      const uint8_t *found = plane_row (a, p, y);
      const uint8_t *expected = plane_row (b, p, y);

      for (size_t i = 0; i < plane_row_bytes (a, p); i++) {
        if (found[i] == expected[i])
          continue;
        describe (o, c, text, sizeof (text));
        fprintf (stderr, "%s, %s: byte %zu of row %d of plane %d is %d, "
            "expected %d\n", where, text, i, y, p, found[i], expected[i]);
        CHECK (found[i] == expected[i]);
        return;
      }
    }
  }
}

/* ------------------------------------------------------------------ running */

static StereoRunner *
new_runner (const Operation * o, StereoDevice * device)
{
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (o->op, device, &runner, NULL) == STEREO_OK);
  return runner;
}

static StereoStatus
process (StereoRunner * runner, const Operation * o, const Case * c,
    const Images * images, const TestImage outputs[MAX_PORTS])
{
  const StereoImage *in[MAX_PORTS] = { NULL }, *out[MAX_PORTS] = { NULL };

  for (int i = 0; o->op->inputs[i].name != NULL; i++)
    in[i] = wants_in (o, c, i) ? &images->in[i].image : NULL;
  for (int i = 0; o->op->outputs[i].name != NULL; i++)
    out[i] = wants_out (o, i) ? &outputs[i].image : NULL;
  return stereo_runner_process (runner, in, out, NULL);
}

/* Computes the expected outputs with the reference.  Returns false, and its
 * message, if the reference rejects the case. */
static bool
expect (const Operation * o, const Case * c, Images * images,
    StereoMessage * message)
{
  StereoRunner *runner = new_runner (o, devices_get (0));
  StereoStatus status = stereo_runner_configure (runner, c->in, c->out,
      &c->params);

  *message = *stereo_runner_message (runner);
  if (status == STEREO_OK) {
    CHECK_INT (process (runner, o, c, images, images->expected), ==,
        STEREO_OK);
    CHECK_INT (stereo_runner_sync (runner), ==, STEREO_OK);
  }
  stereo_runner_free (&runner);
  return status == STEREO_OK;
}

/* Processes the case n times with a runner and compares the outputs. */
static void
check_runner (StereoRunner * runner, const Operation * o, const Case * c,
    Images * images, bool accepted, const StereoMessage * message, int n)
{
  const char *where = stereo_device_name (stereo_runner_device (runner));
  StereoStatus status = stereo_runner_configure (runner, c->in, c->out,
      &c->params);

  if (!accepted) {
    CHECK_INT (status, ==, STEREO_ERROR_ARGUMENT);
    CHECK_STRING (stereo_runner_message (runner)->text, message->text);
    return;
  }
  CHECK_INT (status, ==, STEREO_OK);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < MAX_PORTS; i++)
      fill_output (&images->out[i]);
    CHECK_INT (process (runner, o, c, images, images->out), ==, STEREO_OK);
    CHECK_INT (stereo_runner_sync (runner), ==, STEREO_OK);
    for (int i = 0; i < MAX_PORTS; i++)
      compare (o, c, where, &images->out[i], &images->expected[i]);
  }
}

/* -------------------------------------------------------------------- tests */

/* Runs one random case on n runners of an operation.  Returns whether the
 * reference accepts it. */
static bool
try_case (const Operation * o, Random * random, StereoRunner * const *runners,
    size_t n, int times)
{
  StereoMessage message;
  Images images;
  Case c;
  bool accepted;

  draw_case (o, random, &c);
  make_images (o, &c, &images, random);
  accepted = expect (o, &c, &images, &message);
  for (size_t i = 0; i < n; i++)
    check_runner (runners[i], o, &c, &images, accepted, &message, times);
  clear_images (&images);
  return accepted;
}

/* Random cases on all devices; the runners are reconfigured for each. */
TEST (test_devices)
{
  Random random = { 1 };

  FOR_EACH_OPERATION (o) {
    StereoRunner *runners[16] = { NULL };
    int accepted = 0;

    for (size_t d = 0; d < devices_count (); d++)
      runners[d] = new_runner (o, devices_get (d));
    for (int i = 0; i < 300; i++)
      accepted += try_case (o, &random, runners, devices_count (),
          i % 16 ? 1 : 3);
    CHECK_INT (accepted, >, 100);
    for (size_t d = 0; d < devices_count (); d++)
      stereo_runner_free (&runners[d]);
  }
}

/* More threads than rows, and bands of any height. */
TEST (test_threads)
{
  static const unsigned threads[] = { 4, 5, 7, 16, 33 };
  Random random = { 7 };

  for (size_t t = 0; t < sizeof (threads) / sizeof (threads[0]); t++) {
    StereoDevice *device = NULL;

    REQUIRE (stereo_device_new_cpu (threads[t], STEREO_SIMD_AUTO, &device,
            NULL) == STEREO_OK);
    FOR_EACH_OPERATION (o) {
      StereoRunner *runner = new_runner (o, device);

      for (int i = 0; i < 25; i++)
        try_case (o, &random, &runner, 1, 1);
      stereo_runner_free (&runner);
    }
    stereo_device_unref (&device);
  }
}

/* A random case of a random operation. */
static size_t
run_random (Random * random)
{
  const Operation *o = &operations[random_next (random)
      % (sizeof (operations) / sizeof (operations[0]))];
  StereoRunner *runners[16] = { NULL };

  for (size_t d = 0; d < devices_count (); d++)
    runners[d] = new_runner (o, devices_get (d));
  try_case (o, random, runners, devices_count (), 1);
  for (size_t d = 0; d < devices_count (); d++)
    stereo_runner_free (&runners[d]);
  return devices_count () - 1;
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, run_random);
}
