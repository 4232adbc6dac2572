/* gst-stereomatching: tests of results other than the disparity
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A matcher around an algorithm that computes nothing: its results are real
 * numbers chosen by the test.  So only the matcher's part is tested: encoding,
 * the median of codes, and output to the caller's images.
 */

#include "match/algorithm.h"
#include "refine/output.h"
#include "stereo-cuda.h"
#include "test.h"

#include <math.h>

#define MAX_WIDTH 40
#define MAX_HEIGHT 12
#define CANARY 0xa5

/* ------------------------------------------------------------- an algorithm */

/* NaN = no result. */
static float values[STEREO_N_RESULTS][MAX_HEIGHT][MAX_WIDTH];
static unsigned asked;          /* results of the last frame, a bit mask */
static bool fails;

static StereoStatus
plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  (void) search, (void) params, (void) stages, (void) plan_memory;
  (void) arena, (void) why;
  return STEREO_OK;
}

/* Encodes on the host, on any device. */
static void
write_result (const StereoMatchFrame * frame, int r)
{
  const StereoOutput *output = frame->results[r];
  uint16_t row[MAX_WIDTH];
  StereoOutput one_row = *output;

  one_row.data = row;
  for (int y = 0; y < frame->search->height; y++) {
    for (int x = 0; x < frame->search->width; x++) {
      float value = values[r][y][x];

      if (isnan (value))
        stereo_store_raw (&one_row, x, 0, (uint16_t) output->invalid);
      else
        stereo_store_value (&one_row, x, 0, value);
    }
    REQUIRE (stereo_device_copy (frame->queue->device, (char *) output->data
            + (size_t) y * output->stride, row,
            (size_t) frame->search->width * output->bytes, NULL) == STEREO_OK);
  }
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  (void) stages;
  CHECK (frame->output != NULL);
  CHECK (frame->output == frame->results[STEREO_RESULT_DISPARITY]);
  asked = 0;
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    if (frame->results[r] == NULL)
      continue;
    asked |= 1u << r;
    write_result (frame, r);
  }
  if (fails)
    return stereo_fail (&frame->queue->message, STEREO_ERROR_DEVICE,
        "it was asked to fail");
  return STEREO_OK;
}

static const StereoParamSpec specs[] = { STEREO_PARAM_END };

/* Backends have a stage table of this name, which is not used here. */
#define ALGORITHM(more) { \
  .name = "vcbw", \
  .title = "More results", \
  .reference = "none", \
  .subpixel = true, \
  .results = more, \
  .params = specs, \
  .params_size = 1, \
  .plan_size = 1, \
  .plan = plan, \
  .run = run, \
}

static const StereoAlgorithm both = ALGORITHM (1u << STEREO_RESULT_VERTICAL
    | 1u << STEREO_RESULT_CONFIDENCE);
static const StereoAlgorithm vertical_only =
ALGORITHM (1u << STEREO_RESULT_VERTICAL);

/* ------------------------------------------------------------------- a rig */

typedef struct
{
  StereoDevice *device;
  StereoMatcher *matcher;
  StereoParams *params;
  StereoMatcherConfig config;
  uint8_t views[2][MAX_WIDTH * MAX_HEIGHT];
  StereoImage left, right;
} Rig;

/* An image with a canary after each row, and its content. */
typedef struct
{
  StereoImage image;
  StereoDevice *device;
  void *memory;
  size_t size;
} Map;

static void
rig_init (Rig * rig, const StereoAlgorithm * algorithm, StereoDevice * device,
    int width, int height, StereoFormat format)
{
  memset (rig, 0, sizeof (*rig));
  rig->device = device;
  rig->config = (StereoMatcherConfig) {
  sizeof (StereoMatcherConfig), width, height, STEREO_FORMAT_GRAY8,
        STEREO_FORMAT_GRAY8, format};
  rig->left = (StereoImage) {
    STEREO_FORMAT_GRAY8, width, height, STEREO_MEMORY_HOST, {
  rig->views[0]}, {
  MAX_WIDTH}};
  rig->right = rig->left;
  rig->right.plane[0] = rig->views[1];
  REQUIRE (stereo_params_new (algorithm, &rig->params) == STEREO_OK);
  REQUIRE (stereo_matcher_new (algorithm, device, &rig->matcher) == STEREO_OK);
  /* frames that are profiled are not recorded: run() copies synchronously */
  stereo_matcher_set_profiling (rig->matcher, true);
}

static StereoDevice *
cpu_new (unsigned n_threads)
{
  StereoDevice *device = NULL;

  REQUIRE (stereo_device_new_cpu (n_threads, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  return device;
}

static void
rig_set (Rig * rig, const char *name, double value)
{
  REQUIRE (stereo_params_set (rig->params, name, value, NULL) == STEREO_OK);
}

static void
rig_configure (Rig * rig)
{
  REQUIRE (stereo_matcher_configure (rig->matcher, &rig->config, rig->params)
      == STEREO_OK);
}

static StereoStatus
rig_process (Rig * rig, const Map * d, const Map * v, const Map * c)
{
  const StereoImage *results[STEREO_N_RESULTS] = {
    d ? &d->image : NULL, v ? &v->image : NULL, c ? &c->image : NULL
  };
  StereoStatus status = stereo_matcher_process_results (rig->matcher,
      &rig->left, &rig->right, results, STEREO_N_RESULTS, NULL);

  return status == STEREO_OK ? stereo_matcher_sync (rig->matcher) : status;
}

static void
rig_clear (Rig * rig)
{
  stereo_matcher_free (&rig->matcher);
  stereo_params_free (&rig->params);
}

static void
map_init (Map * map, const Rig * rig, StereoFormat format,
    StereoMemory memory)
{
  size_t bytes = format == STEREO_FORMAT_GRAY8 ? 1 : 2;
  size_t stride = (size_t) rig->config.width * bytes + 6;
  uint8_t canaries[4 * MAX_WIDTH * MAX_HEIGHT];

  map->device = rig->device;
  map->size = stride * (size_t) rig->config.height;
  REQUIRE (map->size <= sizeof (canaries));
  memset (canaries, CANARY, map->size);
  map->memory = NULL;
  if (memory == STEREO_MEMORY_HOST)
    map->memory = malloc (map->size);
  else if (memory == STEREO_MEMORY_PINNED)
    REQUIRE (stereo_device_alloc_pinned (rig->device, map->size, &map->memory,
            NULL) == STEREO_OK);
  else
    REQUIRE (stereo_device_alloc (rig->device, map->size, &map->memory, NULL)
        == STEREO_OK);
  REQUIRE (map->memory != NULL);
  if (memory == STEREO_MEMORY_DEVICE)
    REQUIRE (stereo_device_copy (rig->device, map->memory, canaries, map->size,
            NULL) == STEREO_OK);
  else
    memset (map->memory, CANARY, map->size);
  map->image = (StereoImage) {
    format, rig->config.width, rig->config.height, memory, {
  map->memory}, {
  stride}};
}

static void
map_clear (Map * map)
{
  if (map->image.memory == STEREO_MEMORY_HOST)
    free (map->memory);
  else if (map->image.memory == STEREO_MEMORY_PINNED)
    stereo_device_free_pinned (map->device, &map->memory);
  else
    stereo_device_free (map->device, &map->memory);
}

/* The bytes of a map, on the host. */
static const uint8_t *
map_bytes (const Map * map)
{
  static uint8_t bytes[4 * MAX_WIDTH * MAX_HEIGHT];

  if (map->image.memory == STEREO_MEMORY_DEVICE)
    REQUIRE (stereo_device_copy (map->device, bytes, map->memory, map->size,
            NULL) == STEREO_OK);
  else
    memcpy (bytes, map->memory, map->size);
  return bytes;
}

static bool
map_untouched (const Map * map)
{
  const uint8_t *bytes = map_bytes (map);

  for (size_t i = 0; i < map->size; i++) {
    if (bytes[i] != CANARY)
      return false;
  }
  return true;
}

/* Compares the codes with expected ones, and padding with the canary. */
static void
map_check (const Map * map, const char *what,
    unsigned expected[MAX_HEIGHT][MAX_WIDTH])
{
  const uint8_t *bytes = map_bytes (map);
  size_t pixel = map->image.format == STEREO_FORMAT_GRAY8 ? 1 : 2;

  for (int y = 0; y < map->image.height; y++) {
    const uint8_t *row = bytes + (size_t) y * map->image.stride[0];

    for (int x = 0; x < map->image.width; x++) {
      unsigned code = pixel == 1 ? row[x]
          : row[2 * x] | (unsigned) row[2 * x + 1] << 8;

      if (code != expected[y][x]) {
        fprintf (stderr, "%s, %dx%d, at (%d, %d): %u, expected %u\n", what,
            map->image.width, map->image.height, x, y, code, expected[y][x]);
        CHECK (!"equal to the oracle");
        return;
      }
    }
    for (size_t i = pixel * (size_t) map->image.width;
        i < map->image.stride[0]; i++)
      CHECK_INT (row[i], ==, CANARY);
  }
}

/* ------------------------------------------------------------------ oracles */

/* All values are multiples of 1/4 or 1/128, so single precision is exact. */
static unsigned
oracle_code (double value, double scale, double offset, double highest,
    double invalid)
{
  double code;

  if (isnan (value))
    return (unsigned) invalid;
  code = floor (value * scale + offset + 0.5);
  code = code < 0 ? 0 : code > highest ? highest : code;
  if (code == invalid)
    code = code < highest || code == 0 ? code + 1 : code - 1;
  return (unsigned) code;
}

static void
oracle_map (int result, double scale, double offset, double highest,
    double invalid, unsigned codes[MAX_HEIGHT][MAX_WIDTH])
{
  for (int y = 0; y < MAX_HEIGHT; y++) {
    for (int x = 0; x < MAX_WIDTH; x++)
      codes[y][x] = oracle_code (values[result][y][x], scale, offset, highest,
          invalid);
  }
}

static int
compare (const void *a, const void *b)
{
  unsigned x = *(const unsigned *) a, y = *(const unsigned *) b;

  return x < y ? -1 : x > y;
}

static void
oracle_median (unsigned codes[MAX_HEIGHT][MAX_WIDTH], int width, int height,
    unsigned invalid)
{
  static unsigned before[MAX_HEIGHT][MAX_WIDTH];

  memcpy (before, codes, sizeof (before));
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      unsigned v[9], n = 0;

      if (before[y][x] == invalid)
        continue;
      for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
          int u = x + dx < 0 ? 0 : x + dx >= width ? width - 1 : x + dx;
          int w = y + dy < 0 ? 0 : y + dy >= height ? height - 1 : y + dy;

          v[n++] = before[w][u] == invalid ? before[y][x] : before[w][u];
        }
      }
      qsort (v, 9, sizeof (v[0]), compare);
      codes[y][x] = v[4];
    }
  }
}

/* Quarter pixels within and outside the range, and holes. */
static void
fill_values (unsigned seed, int min, int n, bool holes)
{
  for (int y = 0; y < MAX_HEIGHT; y++) {
    for (int x = 0; x < MAX_WIDTH; x++) {
      seed = seed * 1664525 + 1013904223;
      values[0][y][x] = (float) min - 1
          + 0.25f * (float) ((seed >> 8) % (unsigned) (4 * n + 8));
      if (holes && seed >> 29 == 0)
        values[0][y][x] = NAN;
      values[1][y][x] = 0.25f * (float) ((int) (seed >> 20) % 400 - 200);
      values[2][y][x] = (float) ((seed >> 12) % 129) / 128;
    }
  }
  values[1][0][0] = 0;
  values[1][0][1] = -1e9f;
  values[1][0][2] = 1e9f;
  values[2][0][0] = -0.5f;
  values[2][0][1] = 1.5f;
  values[2][0][2] = 1;
  values[2][0][3] = 0;
}

/* -------------------------------------------------------------------- tests */

TEST (test_names)
{
  CHECK_STRING (stereo_result_name (STEREO_RESULT_DISPARITY), "disparity");
  CHECK_STRING (stereo_result_name (STEREO_RESULT_VERTICAL), "vertical");
  CHECK_STRING (stereo_result_name (STEREO_RESULT_CONFIDENCE), "confidence");
  CHECK (stereo_result_name (STEREO_N_RESULTS) == NULL);
  CHECK (stereo_result_name ((StereoResult) - 1) == NULL);

  CHECK (!stereo_algorithm_has_result (NULL, STEREO_RESULT_DISPARITY));
  CHECK (stereo_algorithm_has_result (&vertical_only,
          STEREO_RESULT_DISPARITY));
  CHECK (stereo_algorithm_has_result (&vertical_only, STEREO_RESULT_VERTICAL));
  CHECK (!stereo_algorithm_has_result (&vertical_only,
          STEREO_RESULT_CONFIDENCE));
  CHECK (stereo_algorithm_has_result (&both, STEREO_RESULT_CONFIDENCE));
  CHECK (!stereo_algorithm_has_result (&both, STEREO_N_RESULTS));
  CHECK (!stereo_algorithm_has_result (&both, (StereoResult) - 1));
  CHECK (!stereo_algorithm_has_result (stereo_algorithm_find ("esaw"),
          STEREO_RESULT_VERTICAL));
}

/* The encoding function shared by run() and kernels. */
TEST (test_encoding)
{
  StereoOutput o = {.scale = 4,.offset = 10,.lowest = 0,.highest = 100,
    .invalid = STEREO_NO_INVALID,.bytes = 2
  };

  CHECK_INT (stereo_output_encode (&o, 0), ==, 10);
  CHECK_INT (stereo_output_encode (&o, 0.125f), ==, 11);
  CHECK_INT (stereo_output_encode (&o, 0.1249f), ==, 10);
  CHECK_INT (stereo_output_encode (&o, -2.5f), ==, 0);
  CHECK_INT (stereo_output_encode (&o, -2.6f), ==, 0);
  CHECK_INT (stereo_output_encode (&o, 22.5f), ==, 100);
  CHECK_INT (stereo_output_encode (&o, 23), ==, 100);
  CHECK_INT (stereo_output_encode (&o, INFINITY), ==, 100);
  CHECK_INT (stereo_output_encode (&o, -INFINITY), ==, 0);
  CHECK_INT (stereo_output_encode (&o, NAN), ==, 0);
  o.lowest = 5;
  CHECK_INT (stereo_output_encode (&o, -100), ==, 5);
  CHECK_INT (stereo_output_encode (&o, NAN), ==, 5);
  CHECK_INT (stereo_output_encode (&o, -1), ==, 6);

  o.invalid = 10;
  CHECK_INT (stereo_output_encode (&o, 0), ==, 11);
  CHECK_INT (stereo_output_encode (&o, -0.25f), ==, 9);
  o.invalid = 100;
  CHECK_INT (stereo_output_encode (&o, 1000), ==, 99);
  o.lowest = 0;
  o.invalid = 0;
  CHECK_INT (stereo_output_encode (&o, -1000), ==, 1);
  /* a range of one code */
  o.highest = 0;
  CHECK_INT (stereo_output_encode (&o, 3), ==, 1);
  o.invalid = 1;
  CHECK_INT (stereo_output_encode (&o, 3), ==, 0);

  o.lowest = 0;
  o.highest = 65535;
  o.scale = 65535;
  o.offset = 0;
  o.invalid = STEREO_NO_INVALID;
  for (unsigned i = 0; i <= 65535; i++)
    CHECK_INT (stereo_output_encode (&o, (float) i / 65535), ==, i);
}

static void
check_frame (Rig * rig, int min, int n, unsigned scale, unsigned invalid,
    bool median, StereoFormat confidence, const StereoMemory memory[3])
{
  int width = rig->config.width, height = rig->config.height;
  bool gray8 = rig->config.output == STEREO_FORMAT_GRAY8;
  static unsigned codes[STEREO_N_RESULTS][MAX_HEIGHT][MAX_WIDTH];
  double to_code = gray8 ? n > 1 ? 255.0 / (n - 1) : 0 : scale;
  Map maps[STEREO_N_RESULTS];

  map_init (&maps[0], rig, rig->config.output, memory[0]);
  map_init (&maps[1], rig, STEREO_FORMAT_GRAY16_LE, memory[1]);
  map_init (&maps[2], rig, confidence, memory[2]);
  CHECK_INT (rig_process (rig, &maps[0], &maps[1], &maps[2]), ==, STEREO_OK);
  CHECK_STRING (stereo_matcher_error (rig->matcher), "");
  CHECK_INT (asked, ==, 7);

  oracle_map (0, to_code, -min * to_code, (n - 1) * to_code, invalid,
      codes[0]);
  if (median)
    oracle_median (codes[0], width, height, invalid);
  oracle_map (1, scale, 32768, 65535, invalid, codes[1]);
  oracle_map (2, confidence == STEREO_FORMAT_GRAY8 ? 255 : 65535, 0,
      confidence == STEREO_FORMAT_GRAY8 ? 255 : 65535, -1, codes[2]);
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    map_check (&maps[r], stereo_result_name ((StereoResult) r), codes[r]);
    map_clear (&maps[r]);
  }
}

static void
check_device (StereoDevice * device)
{
  static const int sizes[][2] = {
    {1, 1}, {1, 5}, {7, 1}, {2, 2}, {33, 9}, {MAX_WIDTH, MAX_HEIGHT}
  };
  static const struct
  {
    int min, n;
    unsigned scale, invalid;
  } cases[] = {
    {0, 64, 16, 0}, {-9, 20, 1, 0}, {5, 33, 256, 65535}, {0, 1, 16, 0},
    {0, 1, 16, 7}, {-3, 16, 8, 40}, {0, 256, 3, 255}, {0, 18, 16, 272}
  };
  unsigned seed = 1;

  for (size_t s = 0; s < sizeof (sizes) / sizeof (sizes[0]); s++) {
    for (size_t c = 0; c < sizeof (cases) / sizeof (cases[0]); c++) {
      for (int k = 0; k < 8; k++) {
        bool gray8 = k & 1, median = k & 2;
        StereoMemory memory[3];
        Rig rig;

        /* factors 255 / (n - 1) that are exact: 255 and 1 */
        if (gray8 && (cases[c].invalid > 255 || (cases[c].n != 256
                    && cases[c].n != 1 && cases[c].n != 16)))
          continue;
        for (unsigned i = 0; i < 3; i++)
          memory[i] = (StereoMemory) ((seed + i * (seed / 3)) % 3);
        rig_init (&rig, &both, device, sizes[s][0], sizes[s][1],
            gray8 ? STEREO_FORMAT_GRAY8 : STEREO_FORMAT_GRAY16_LE);
        rig_set (&rig, "num-disparities", cases[c].n);
        rig_set (&rig, "min-disparity", cases[c].min);
        rig_set (&rig, "disparity-scale", cases[c].scale);
        rig_set (&rig, "invalid-value", cases[c].invalid);
        rig_set (&rig, "median", median);
        rig_configure (&rig);
        for (int i = 0; i < 3; i++) {
          fill_values (seed++, cases[c].min, cases[c].n, k & 4);
          check_frame (&rig, cases[c].min, cases[c].n, cases[c].scale,
              cases[c].invalid, median, i == 1 ? STEREO_FORMAT_GRAY16_LE
              : STEREO_FORMAT_GRAY8, memory);
        }
        rig_clear (&rig);
      }
    }
  }
}

TEST (test_codes)
{
  for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
    StereoDevice *device = cpu_new (n_threads);

    check_device (device);
    stereo_device_unref (&device);
  }
}

TEST (test_codes_cuda)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;

  if (stereo_cuda_count (NULL) == 0)
    SKIP ("no CUDA device");
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  check_device (device);
}

/* Only requested results are computed; the request may change in each frame. */
static void
check_subsets (StereoDevice * device)
{
  Map maps[STEREO_N_RESULTS];
  SCOPED (rig_clear) Rig rig;

  fill_values (1, 0, 64, false);
  rig_init (&rig, &both, device, 20, 10, STEREO_FORMAT_GRAY16_LE);
  rig_configure (&rig);
  for (unsigned mask = 0; mask < 12; mask++) {
    bool v = mask & 1, c = mask & 2;

    for (int r = 0; r < STEREO_N_RESULTS; r++)
      map_init (&maps[r], &rig, STEREO_FORMAT_GRAY16_LE, STEREO_MEMORY_HOST);
    CHECK_INT (rig_process (&rig, &maps[0], v ? &maps[1] : NULL,
            c ? &maps[2] : NULL), ==, STEREO_OK);
    CHECK_INT (asked, ==, 1 | (v ? 2 : 0) | (c ? 4 : 0));
    CHECK (!map_untouched (&maps[0]));
    CHECK_INT (map_untouched (&maps[1]), ==, !v);
    CHECK_INT (map_untouched (&maps[2]), ==, !c);
    for (int r = 0; r < STEREO_N_RESULTS; r++)
      map_clear (&maps[r]);
  }

  /* stereo_matcher_process(), with the map only */
  map_init (&maps[0], &rig, STEREO_FORMAT_GRAY16_LE, STEREO_MEMORY_HOST);
  CHECK_INT (stereo_matcher_process (rig.matcher, &rig.left, &rig.right,
          &maps[0].image, NULL), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (rig.matcher), ==, STEREO_OK);
  CHECK_INT (asked, ==, 1);
  CHECK (!map_untouched (&maps[0]));
  map_clear (&maps[0]);
}

TEST (test_subsets)
{
  StereoDevice *device = cpu_new (1);

  check_subsets (device);
  stereo_device_unref (&device);
  if (stereo_cuda_count (NULL) == 0)
    return;
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  check_subsets (device);
  stereo_device_unref (&device);
}

static void
expect_argument_error (Rig * rig, const Map * d, const Map * v, const Map * c,
    const char *word)
{
  asked = 0;
  CHECK_INT (rig_process (rig, d, v, c), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_matcher_error (rig->matcher), word);
  CHECK_INT (asked, ==, 0);
}

TEST (test_errors)
{
  const StereoImage *none[STEREO_N_RESULTS] = { NULL };
  SCOPED (stereo_device_unref) StereoDevice *device = cpu_new (1);
  Map d, v, c, gray8, rgb, *const maps[] = { &d, &v, &c, &rgb };
  StereoMatcherConfig config;
  Rig rig;

  fill_values (1, 0, 64, false);
  rig_init (&rig, &both, device, 20, 10, STEREO_FORMAT_GRAY16_LE);
  for (size_t i = 0; i < 4; i++)
    map_init (maps[i], &rig, STEREO_FORMAT_GRAY16_LE, STEREO_MEMORY_HOST);
  map_init (&gray8, &rig, STEREO_FORMAT_GRAY8, STEREO_MEMORY_HOST);
  rgb.image.format = STEREO_FORMAT_RGB;

  CHECK_INT (stereo_matcher_process_results (NULL, &rig.left, &rig.right, none,
          STEREO_N_RESULTS, NULL), ==, STEREO_ERROR_ARGUMENT);
  expect_argument_error (&rig, &d, &v, &c, "not configured");
  rig_configure (&rig);
  CHECK_INT (stereo_matcher_process_results (rig.matcher, &rig.left, &rig.right,
          NULL, 0, NULL), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "list of results");

  expect_argument_error (&rig, NULL, &v, &c, "output image is missing");
  expect_argument_error (&rig, &gray8, &v, &c, "output image is GRAY8");
  expect_argument_error (&rig, &d, &gray8, &c,
      "vertical image cannot be GRAY8");
  expect_argument_error (&rig, &d, &rgb, &c, "vertical image cannot be RGB");
  expect_argument_error (&rig, &d, &v, &rgb, "GRAY16_LE or GRAY8");
  v.image.width--;
  expect_argument_error (&rig, &d, &v, &c, "vertical image is 19x10");
  v.image.width++;
  c.image.height++;
  expect_argument_error (&rig, &d, &v, &c, "confidence image is 20x11");
  c.image.height--;
  c.image.stride[0]--;
  expect_argument_error (&rig, &d, &v, &c, "odd addresses");
  c.image.stride[0] = 38;
  expect_argument_error (&rig, &d, &v, &c, "stride of 38");
  c.image.stride[0] = 46;
  v.image.plane[0] = NULL;
  expect_argument_error (&rig, &d, &v, &c, "vertical image has no data");
  v.image.plane[0] = v.memory;
  c.image.memory = (StereoMemory) 9;
  expect_argument_error (&rig, &d, &v, &c, "unknown kind of memory");
  c.image.memory = STEREO_MEMORY_HOST;
  v.image.format = (StereoFormat) 99;
  expect_argument_error (&rig, &d, &v, &c, "unknown format");
  v.image.format = STEREO_FORMAT_GRAY16_LE;
  CHECK (map_untouched (&d) && map_untouched (&v) && map_untouched (&c));

  /* the matcher works after a failure of the algorithm */
  fails = true;
  CHECK_INT (rig_process (&rig, &d, &v, &c), ==, STEREO_ERROR_DEVICE);
  CHECK_STRING (stereo_matcher_error (rig.matcher), "it was asked to fail");
  fails = false;
  CHECK_INT (rig_process (&rig, &d, &v, &c), ==, STEREO_OK);
  config = rig.config;
  rig_clear (&rig);

  /* results that an algorithm does not have */
  rig_init (&rig, &vertical_only, device, config.width, config.height,
      STEREO_FORMAT_GRAY16_LE);
  rig_configure (&rig);
  expect_argument_error (&rig, &d, &v, &c, "no result called confidence");
  CHECK_INT (rig_process (&rig, &d, &v, NULL), ==, STEREO_OK);
  rig_clear (&rig);
  rig_init (&rig, stereo_algorithm_find ("esaw"), device, config.width,
      config.height, STEREO_FORMAT_GRAY16_LE);
  rig_configure (&rig);
  expect_argument_error (&rig, &d, &v, NULL, "esaw has no result called");
  CHECK_INT (rig_process (&rig, &d, NULL, NULL), ==, STEREO_OK);
  rig_clear (&rig);

  for (size_t i = 0; i < 4; i++)
    map_clear (maps[i]);
  map_clear (&gray8);
}

/* A subpixel algorithm needs a map of indices for the median only. */
TEST (test_memory)
{
  StereoMatcherStats without = STEREO_MATCHER_STATS_INIT, with = without;
  SCOPED (stereo_device_unref) StereoDevice *device = cpu_new (1);
  SCOPED (rig_clear) Rig rig;

  rig_init (&rig, &both, device, 4096, 16, STEREO_FORMAT_GRAY16_LE);
  rig_configure (&rig);
  CHECK (stereo_matcher_get_stats (rig.matcher, &without, NULL) == STEREO_OK);
  rig_set (&rig, "median", 1);
  rig_configure (&rig);
  CHECK (stereo_matcher_get_stats (rig.matcher, &with, NULL) == STEREO_OK);
  CHECK_INT (with.host_bytes - without.host_bytes, >=, 2 * 4096 * 16);
  CHECK_INT (without.host_bytes, <, 2 * 4096 * 16);
}

TEST_MAIN ()
