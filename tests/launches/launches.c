/* gst-stereomatching: kernels launched on a chip, without a GPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   launches CAPABILITY SHARED_LIMIT MULTIPROCESSORS CASES
 *   launches CAPABILITY SHARED_LIMIT MULTIPROCESSORS MATCHER WIDTHxHEIGHT
 *
 * Runs every matcher and operation with that many sets of random parameters, or
 * one matcher with its defaults, on a simulated CUDA device.  Prints a line for
 * each kernel and number of threads per block: mangled name, threads, and the
 * most dynamic shared memory, in bytes; and a line for each set of parameters
 * that fails, or that a matcher refuses because the device has too little
 * shared memory.
 */

#include "core/runner.h"
#include "fake-runtime.h"
#include "geometry/cloud.h"
#include "geometry/depth.h"
#include "geometry/rectify.h"
#include "geometry/rows.h"
#include "geometry/view.h"
#include "harness.h"
#include "image/colorize.h"

static StereoDevice *device;

/* An image in simulated device memory.  Planes are empty: kernels that would
 * access them are not executed. */
static StereoImage
device_image (StereoFormat format, int width, int height)
{
  StereoImage image = { format, width, height, STEREO_MEMORY_DEVICE };

  for (int p = 0; p < 3; p++) {
    image.plane[p] = (void *) (UINT64_C (1) << (44 - p));
    image.stride[p] = 16 * STEREO_MAX_SIZE + 256;
  }
  return image;
}

static StereoFormat
random_format (Random * random)
{
  return (StereoFormat) random_range (random, 0, STEREO_N_FORMATS - 1);
}

/* Sizes of live video in half of the cases, otherwise any. */
static void
random_size (Random * random, int *width, int *height)
{
  static const int sizes[][2] = {
    {320, 240}, {640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}
  };
  const int *size = sizes[random_range (random, 0, 4)];

  *width = size[0];
  *height = size[1];
  if (random_range (random, 0, 1)) {
    *width = random_range (random, 1, random_range (random, 0, 3) ? 2000
        : STEREO_MAX_SIZE);
    *height = random_range (random, 1, 1200);
  }
}

/* ----------------------------------------------------------------- matchers */

/* The default in most cases, otherwise any value. */
static double
random_value (const StereoParamSpec * spec, double initial, Random * random)
{
  const double most = spec->maximum < 1000 ? spec->maximum : 1000;
  const bool many = strcmp (spec->name, "num-disparities") == 0
      || spec->type == STEREO_PARAM_ENUM || spec->type == STEREO_PARAM_BOOL;

  if (random_range (random, 0, many ? 1 : 3))
    return initial;
  if (strcmp (spec->name, "num-disparities") == 0
      && random_range (random, 0, 1))
    return random_range (random, 1, 64);
  if (spec->type == STEREO_PARAM_DOUBLE)
    return spec->minimum + (most - spec->minimum) * random_range (random, 0,
        16) / 16;
  if (spec->type == STEREO_PARAM_ENUM) {
    int n = 0;

    while (spec->values[n].nick != NULL)
      n++;
    return random_range (random, 0, n - 1);
  }
  return random_range (random, (int) spec->minimum, (int) most);
}

/* Prints a failure, with the parameters that are not the defaults.  Matchers
 * may refuse parameters, with a message. */
static void
report (const StereoAlgorithm * algorithm, const StereoParams * params,
    const StereoMatcherConfig * config, StereoStatus status, const char *error)
{
  const StereoParamSpec *spec;

  printf ("%s: %s, %dx%d, %s", status == STEREO_ERROR_UNSUPPORTED
      ? "refused" : "failed", stereo_algorithm_name (algorithm),
      config->width, config->height, stereo_format_name (config->left));
  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (param (params, spec->name) != stereo_algorithm_param_initial (algorithm,
            spec))
      printf (", %s=%g", spec->name, param (params, spec->name));
  }
  printf (": %s\n", error);
}

static void
match_once (const StereoAlgorithm * algorithm, const StereoParams * params,
    const StereoMatcherConfig * config, bool all_results)
{
  StereoMatcher *matcher = NULL;
  const StereoImage left = device_image (config->left, config->width,
      config->height);
  const StereoImage right = device_image (config->right, config->width,
      config->height);
  const StereoImage map = device_image (config->output, config->width,
      config->height);
  const StereoImage more = device_image (STEREO_FORMAT_GRAY16_LE,
      config->width, config->height);
  const StereoImage *results[STEREO_N_RESULTS] = { &map };

  for (int r = 1; r < STEREO_N_RESULTS; r++) {
    if (all_results && stereo_algorithm_has_result (algorithm,
            (StereoResult) r))
      results[r] = &more;
  }
  REQUIRE (stereo_matcher_new (algorithm, device, &matcher) == STEREO_OK);
  /* some values exclude each other */
  if (stereo_matcher_configure (matcher, config, params) == STEREO_OK) {
    StereoStatus status = STEREO_OK;

    for (int i = 0; i < 2 && status == STEREO_OK; i++)
      status = stereo_matcher_process_results (matcher, &left, &right, results,
          STEREO_N_RESULTS, NULL);
    if (status == STEREO_OK)
      status = stereo_matcher_sync (matcher);
    if (status != STEREO_OK)
      report (algorithm, params, config, status,
          stereo_matcher_error (matcher));
  }
  stereo_matcher_free (&matcher);
}

static void
match_randomly (const StereoAlgorithm * algorithm, Random * random)
{
  SCOPED_PARAMS *params = NULL;
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  const StereoParamSpec *spec;

  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
    (void) !stereo_params_set (params, spec->name, random_value (spec,
            stereo_algorithm_param_initial (algorithm, spec), random), NULL);
  random_size (random, &config.width, &config.height);
  config.left = random_format (random);
  config.right = random_range (random, 0, 1) ? config.left
      : random_format (random);
  config.output = random_range (random, 0, 1) ? STEREO_FORMAT_GRAY8
      : STEREO_FORMAT_GRAY16_LE;
  match_once (algorithm, params, &config, random_range (random, 0, 1));
}

/* --------------------------------------------------------------- operations */

typedef struct
{
  StereoImage in[STEREO_MAX_PORTS];
  StereoImage out[STEREO_MAX_PORTS];
  int n_in, n_out;
} Frame;

/* Invalid combinations of formats and parameters are rejected. */
static void
run_once (const StereoOp * op, const Frame * frame, const void *params)
{
  StereoRunner *runner = NULL;
  StereoPortSetup in[STEREO_MAX_PORTS] = { 0 }, out[STEREO_MAX_PORTS] = { 0 };
  const StereoImage *inputs[STEREO_MAX_PORTS] = { NULL };
  const StereoImage *outputs[STEREO_MAX_PORTS] = { NULL };

  for (int i = 0; i < frame->n_in; i++) {
    in[i] = stereo_port_setup_of (&frame->in[i]);
    inputs[i] = &frame->in[i];
  }
  for (int i = 0; i < frame->n_out; i++) {
    out[i] = (StereoPortSetup) { frame->out[i].format, frame->out[i].width,
          frame->out[i].height, 1 };
    if (frame->out[i].format < STEREO_N_FORMATS)
      out[i] = stereo_port_setup_of (&frame->out[i]);
    outputs[i] = &frame->out[i];
  }
  REQUIRE (stereo_runner_new (op, device, &runner, NULL) == STEREO_OK);
  if (stereo_runner_configure (runner, in, out, params) == STEREO_OK) {
    CHECK (stereo_runner_process (runner, inputs, outputs, NULL) == STEREO_OK);
    CHECK (stereo_runner_sync (runner) == STEREO_OK);
  }
  stereo_runner_free (&runner);
}

static void
run_view (Random * random, int width, int height)
{
  StereoViewParams params = { 0 };
  Frame frame = { .n_in = 3, .n_out = 1 };
  const StereoFormat format = random_format (random);
  const int k = random_range (random, 1, 3);
  int out_width, out_height;

  params.position = 0.5;
  params.separation = 1;
  params.join = 1;
  params.blending = random_range (random, 0, 1);
  params.layout = random_range (random, 0, STEREO_VIEW_N_LAYOUTS - 1);
  params.columns = params.rows = 2;
  params.anaglyph = random_range (random, 0, STEREO_VIEW_GREY);
  params.scale = 16;
  params.invalid_value = -1;
  stereo_view_frame_size (&params, width, height, &out_width, &out_height);
  frame.in[0] = frame.in[1] = device_image (format, width, height);
  frame.in[2] = device_image (random_range (random, 0, 1)
      ? STEREO_FORMAT_GRAY8 : STEREO_FORMAT_GRAY16_LE, (width + k - 1) / k,
      (height + k - 1) / k);
  frame.out[0] = device_image (format, out_width, out_height);
  run_once (&stereo_view_op, &frame, &params);
}

static void
run_cloud (Random * random, const StereoImage * map, StereoMetric metric)
{
  StereoCloudParams params = { .metric = metric, .cx = STEREO_CLOUD_MIDDLE,
    .cy = STEREO_CLOUD_MIDDLE, .step = 1
  };
  Frame frame = { .n_in = 2, .n_out = 2, .in[0] = *map };
  StereoCloudSize size;

  params.packed = random_range (random, 0, 1);
  params.colors = random_range (random, 0, 1);
  size = stereo_cloud_size (&params, map->width, map->height);
  frame.in[1] = device_image (random_format (random), map->width, map->height);
  frame.out[0] = device_image (size.format, size.columns, size.rows);
  frame.out[1] = device_image (STEREO_FORMAT_U32, size.rows, 1);
  run_once (&stereo_cloud_op, &frame, &params);
}

static void
run_on_map (Random * random, int width, int height)
{
  const StereoMetric metric = { .focal_length = 1000, .baseline = 0.1,
    .disparity_scale = 16, .invalid_value = -1
  };
  const StereoDepthParams depth = { .metric = metric, .depth_scale = 1000 };
  const StereoColorizeParams colors = { .scale = 16, .high = 64,
    .invalid_value = -1
  };
  const StereoFormat pictures[] = { STEREO_FORMAT_RGB, STEREO_FORMAT_BGRX };
  Frame frame = { .n_in = 1, .n_out = 1 };

  frame.in[0] = device_image (random_range (random, 0, 1)
      ? STEREO_FORMAT_GRAY8 : STEREO_FORMAT_GRAY16_LE, width, height);
  frame.out[0] = device_image (STEREO_FORMAT_GRAY16_LE, width, height);
  run_once (&stereo_depth_op, &frame, &depth);
  frame.out[0] = device_image (pictures[random_range (random, 0, 1)], width,
      height);
  run_once (&stereo_colorize_op, &frame, &colors);
  run_cloud (random, &frame.in[0], metric);
}

static void
run_on_views (Random * random, int width, int height)
{
  const StereoRectifyParams rectify = { .view = 0 };
  Frame frame = { .n_in = 2, .n_out = 1 };

  frame.in[0] = frame.in[1] = device_image (random_format (random), width,
      height);
  frame.out[0] = device_image (STEREO_FORMAT_U32, STEREO_ROWS_WORDS,
      STEREO_ROWS_HEIGHT);
  run_once (&stereo_rows_op, &frame, NULL);
  frame.n_in = 1;
  frame.out[0] = frame.in[0];
  /* the remapping table is computed on the host */
  if (width * height < 100000)
    run_once (&stereo_rectify_op, &frame, &rectify);
}

/* --------------------------------------------------------------------- main */

static void
run_cases (int n_cases)
{
  Random random = { 1 };
  const StereoAlgorithm *algorithm;

  for (int i = 0; i < n_cases; i++) {
    int width, height;

    for (size_t a = 0; (algorithm = stereo_algorithm_get (a)) != NULL; a++)
      match_randomly (algorithm, &random);
    random_size (&random, &width, &height);
    run_view (&random, width, height);
    run_on_map (&random, width, height);
    run_on_views (&random, width, height);
  }
}

static void
run_defaults (const char *name, const char *size)
{
  const StereoAlgorithm *algorithm = stereo_algorithm_find (name);
  SCOPED_PARAMS *params = NULL;
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;

  REQUIRE (algorithm != NULL);
  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  REQUIRE (sscanf (size, "%dx%d", &config.width, &config.height) == 2);
  config.output = STEREO_FORMAT_GRAY16_LE;
  match_once (algorithm, params, &config, false);
}

/* With code for GPUs of compute capability 8.0. */
static void
run_older_code (FakeChip chip)
{
  chip.code = 80;
  fake_chip_set (&chip);
  REQUIRE (stereo_device_new_cuda (0, &device, NULL) == STEREO_OK);
  run_defaults ("vcbw", "320x240");
  run_defaults ("pyramid", "320x240");
  stereo_device_unref (&device);
}

int
main (int argc, char **argv)
{
  FakeChip chip;
  const FakeLaunch *launch;

  REQUIRE (argc == 5 || argc == 6);
  chip.capability = chip.code = atoi (argv[1]);
  chip.shared_limit = atoi (argv[2]);
  chip.multiprocessors = atoi (argv[3]);
  fake_chip_set (&chip);
  REQUIRE (stereo_device_new_cuda (0, &device, NULL) == STEREO_OK);
  if (argc == 6)
    run_defaults (argv[4], argv[5]);
  else
    run_cases (atoi (argv[4]));
  stereo_device_unref (&device);
  if (argc == 5 && chip.capability >= 90)
    run_older_code (chip);
  for (size_t i = 0; (launch = fake_launch_get (i)) != NULL; i++)
    printf ("%s %u %zu\n", launch->kernel, launch->threads,
        launch->shared_bytes);
  return test_failures > 0;
}
