/* gst-stereomatching: contract tests of frames in the same memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Buffers of a pool come back, with other contents: a queue may submit the work
 * of an earlier frame with the same buffers again.  Each map must be that of a
 * new matcher, whichever buffers and results the frames before it had.
 */

#include "cases.h"

#define N_PAIRS 3
#define N_BUFFERS 3             /* of each kind: 27 sets, or 54 */
#define N_FRAMES 60

typedef enum
{ LEFT, RIGHT, MAP, CONFIDENCE, N_KINDS } Kind;

/* Images in memory of the device. */
typedef struct
{
  StereoDevice *device;
  const char *algorithm;
  StereoParams *params;
  StereoMatcher *matcher;
  TestImage pairs[N_PAIRS][2];
  TestImage expected[N_PAIRS][2];       /* map and confidence */
  TestImage found;
  StereoImage buffers[N_KINDS][N_BUFFERS];
  bool has_confidence;
} Pool;

static StereoImage
device_image (StereoDevice * device, const TestImage * like)
{
  StereoImage image = like->image;

  image.memory = STEREO_MEMORY_DEVICE;
  image.plane[0] = NULL;
  REQUIRE (stereo_device_alloc (device, like->size, &image.plane[0],
          NULL) == STEREO_OK);
  return image;
}

/* Copies all rows, which have the same stride on both sides. */
static void
copy (const Pool * pool, void *target, const void *source,
    const TestImage * like)
{
  const size_t bytes = like->image.stride[0]
      * (size_t) (like->image.height - 1) + like->row_bytes;

  REQUIRE (stereo_device_copy (pool->device, target, source, bytes,
          NULL) == STEREO_OK);
}

static void
set_some_parameters (const Pool * pool, Random * random)
{
  const StereoParamSpec *spec;
  const StereoAlgorithm *a = stereo_algorithm_find (pool->algorithm);

  REQUIRE (stereo_params_set (pool->params, "num-disparities",
          random_range (random, 1, 70), NULL) == STEREO_OK);
  for (size_t i = 0; (spec = stereo_algorithm_param (a, i)); i++) {
    if ((spec->type == STEREO_PARAM_ENUM || spec->type == STEREO_PARAM_BOOL)
        && random_range (random, 0, 3) == 0)
      REQUIRE (stereo_params_set (pool->params, spec->name,
              random_range (random, 0, (int) spec->maximum),
              NULL) == STEREO_OK);
  }
}

static void
make_pairs (Pool * pool, int width, int height, Random * random)
{
  for (int i = 0; i < N_PAIRS; i++) {
    TestImage *results[STEREO_N_RESULTS] = { &pool->expected[i][0] };

    test_image_init (&pool->pairs[i][0], STEREO_FORMAT_RGB, width, height, 16);
    test_image_init (&pool->pairs[i][1], STEREO_FORMAT_RGB, width, height, 16);
    fill_pair (&pool->pairs[i][0], &pool->pairs[i][1],
        i ? FILL_SHIFTED : FILL_RANDOM, random);
    for (int r = 0; r < 2; r++)
      test_image_init (&pool->expected[i][r], STEREO_FORMAT_GRAY16_LE, width,
          height, 0);
    if (pool->has_confidence)
      results[STEREO_RESULT_CONFIDENCE] = &pool->expected[i][1];
    match_results (0, pool->params, pool->algorithm, &pool->pairs[i][0],
        &pool->pairs[i][1], results);
  }
  test_image_init (&pool->found, STEREO_FORMAT_GRAY16_LE, width, height, 0);
}

static void
make_matcher (Pool * pool)
{
  const StereoImage *view = &pool->pairs[0][0].image;
  const StereoMatcherConfig config = { sizeof (StereoMatcherConfig),
    view->width, view->height, view->format, view->format,
    STEREO_FORMAT_GRAY16_LE
  };

  for (int i = 0; i < N_BUFFERS; i++) {
    pool->buffers[LEFT][i] = device_image (pool->device, &pool->pairs[0][0]);
    pool->buffers[RIGHT][i] = device_image (pool->device, &pool->pairs[0][1]);
    pool->buffers[MAP][i] = device_image (pool->device, &pool->found);
    pool->buffers[CONFIDENCE][i] = device_image (pool->device, &pool->found);
  }
  REQUIRE (stereo_matcher_new (stereo_algorithm_find (pool->algorithm),
          pool->device, &pool->matcher) == STEREO_OK);
  REQUIRE (stereo_matcher_configure (pool->matcher, &config,
          pool->params) == STEREO_OK);
}

static void
check_result (Pool * pool, int pair, const char *what,
    const StereoImage * found, const TestImage * expected)
{
  copy (pool, pool->found.image.plane[0], found->plane[0], &pool->found);
  report_difference (pool->algorithm, pool->params, &pool->pairs[pair][0],
      &pool->pairs[pair][1], what, first_difference (&pool->found, expected));
}

static void
check_frame (Pool * pool, Random * random)
{
  const int i = random_range (random, 0, N_PAIRS - 1);
  const bool confidence = pool->has_confidence && random_range (random, 0, 1);
  const StereoImage *images[N_KINDS];
  const StereoImage *results[STEREO_N_RESULTS] = { NULL };

  for (int k = 0; k < N_KINDS; k++)
    images[k] = &pool->buffers[k][random_range (random, 0, N_BUFFERS - 1)];
  for (int v = 0; v < 2; v++)
    copy (pool, images[v]->plane[0], pool->pairs[i][v].image.plane[0],
        &pool->pairs[i][v]);
  results[STEREO_RESULT_DISPARITY] = images[MAP];
  if (confidence)
    results[STEREO_RESULT_CONFIDENCE] = images[CONFIDENCE];
  CHECK_INT (stereo_matcher_process_results (pool->matcher, images[LEFT],
          images[RIGHT], results, STEREO_N_RESULTS, NULL), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (pool->matcher), ==, STEREO_OK);
  check_result (pool, i, "map", images[MAP], &pool->expected[i][0]);
  if (confidence)
    check_result (pool, i, "confidence", images[CONFIDENCE],
        &pool->expected[i][1]);
}

static void
clear (Pool * pool)
{
  stereo_matcher_free (&pool->matcher);
  stereo_params_free (&pool->params);
  for (int k = 0; k < N_KINDS; k++) {
    for (int i = 0; i < N_BUFFERS; i++)
      stereo_device_free (pool->device, &pool->buffers[k][i].plane[0]);
  }
  for (int i = 0; i < N_PAIRS; i++) {
    for (int v = 0; v < 2; v++) {
      test_image_clear (&pool->pairs[i][v]);
      test_image_clear (&pool->expected[i][v]);
    }
  }
  test_image_clear (&pool->found);
}

TEST (test_buffers_come_back)
{
  const StereoAlgorithm *algorithm;
  Random random = { 1 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)) != NULL; a++) {
    for (int i = 0; i < 3; i++) {
      Pool pool = {
        .device = devices_get (devices_count () - 1),
        .algorithm = stereo_algorithm_name (algorithm),
        .has_confidence = stereo_algorithm_has_result (algorithm,
            STEREO_RESULT_CONFIDENCE),
      };

      pool.params = params_new (pool.algorithm, NULL);
      if (i > 0)
        set_some_parameters (&pool, &random);
      make_pairs (&pool, random_range (&random, 1, 160),
          random_range (&random, 1, 60), &random);
      make_matcher (&pool);
      for (int f = 0; f < N_FRAMES; f++)
        check_frame (&pool, &random);
      clear (&pool);
    }
  }
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, NULL);
}
