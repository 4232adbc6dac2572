/* gst-stereomatching: a program that was compiled with the recorded headers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Uses each kind of call and structure of stereo.h.  Guard bytes behind the
 * structures show whether a newer library accesses more than there is.
 */

#include "stereo-cuda.h"
#include "stereo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 48, HEIGHT = 16, SHIFT = 5, GUARD = 64 };

#define REQUIRE(condition) require (condition, #condition, __LINE__)

static void
require (bool good, const char *condition, int line)
{
  if (good)
    return;
  fprintf (stderr, "program.c:%d: failed: %s\n", line, condition);
  exit (1);
}

static StereoImage
make_image (StereoFormat format, size_t stride, void *pixels)
{
  return (StereoImage) {
  .format = format,.width = WIDTH,.height = HEIGHT,.plane = {pixels},.stride =
        {stride}};
}

static bool
is_intact (const uint8_t guard[GUARD])
{
  for (int i = 0; i < GUARD; i++) {
    if (guard[i] != 0xa5)
      return false;
  }
  return true;
}

static void
check_tables (const StereoAlgorithm * algorithm)
{
  const StereoParamSpec *spec;
  StereoParams *params = NULL;
  size_t n = 0;

  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  for (; (spec = stereo_algorithm_param (algorithm, n)) != NULL; n++) {
    double value;

    REQUIRE (spec->minimum <= spec->initial && spec->initial <= spec->maximum);
    REQUIRE (stereo_params_get (params, spec->name, &value));
    REQUIRE (value == stereo_algorithm_param_initial (algorithm, spec));
    for (int v = 0; spec->type == STEREO_PARAM_ENUM && v <= spec->maximum; v++)
      REQUIRE (spec->values[v].nick != NULL && spec->values[v].blurb != NULL);
  }
  REQUIRE (n > 5);
  for (int f = 0; f < STEREO_N_FORMATS; f++)
    REQUIRE (stereo_format_name ((StereoFormat) f) != NULL);
  REQUIRE (strcmp (stereo_format_name (STEREO_FORMAT_Y444_10LE), "Y444_10LE")
      == 0);
  REQUIRE (strcmp (stereo_format_name (STEREO_FORMAT_XYZ_F32), "XYZ_F32") == 0);
  REQUIRE (strcmp (stereo_colorimetry_name (STEREO_COLORIMETRY_BT2020_FULL),
          "BT2020_FULL") == 0);
  stereo_params_free (&params);
}

/* A texture and its copy, SHIFT pixels further left. */
static uint16_t *
match (const StereoAlgorithm * algorithm, StereoDevice * device)
{
  static uint8_t views[2][HEIGHT][WIDTH];
  static uint16_t codes[HEIGHT][WIDTH], confidence[HEIGHT][WIDTH];
  struct { StereoMatcherConfig config; uint8_t guard[GUARD]; } c = {
    STEREO_MATCHER_CONFIG_INIT, {0}
  };
  struct { StereoMatcherStats stats; uint8_t guard[GUARD]; } s = {
    STEREO_MATCHER_STATS_INIT, {0}
  };
  StereoImage left = make_image (STEREO_FORMAT_GRAY8, WIDTH, views[0]);
  StereoImage right = make_image (STEREO_FORMAT_GRAY8, WIDTH, views[1]);
  StereoImage map = make_image (STEREO_FORMAT_GRAY16_LE, 2 * WIDTH, codes);
  StereoImage sure = make_image (STEREO_FORMAT_GRAY16_LE, 2 * WIDTH,
      confidence);
  const StereoImage *results[STEREO_N_RESULTS] = { &map, NULL, &sure };
  StereoMatcher *matcher = NULL;
  StereoParams *params = NULL;
  StereoMessage why = { "" };
  uint64_t frame = 0;
  uint32_t random = 1;

  memset (c.guard, 0xa5, GUARD);
  memset (s.guard, 0xa5, GUARD);
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      random = random * 1664525 + 1013904223;
      views[0][y][x] = (uint8_t) (random >> 24);
      if (x >= SHIFT)
        views[1][y][x - SHIFT] = views[0][y][x];
    }
  }
  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  REQUIRE (stereo_params_set (params, "num-disparities", 16, &why)
      == STEREO_OK);
  REQUIRE (stereo_params_set_text (params, "subpixel", "false", &why)
      == STEREO_OK);
  REQUIRE (stereo_matcher_new (algorithm, device, &matcher) == STEREO_OK);
  c.config.width = WIDTH;
  c.config.height = HEIGHT;
  c.config.output = STEREO_FORMAT_GRAY16_LE;
  REQUIRE (stereo_matcher_configure (matcher, &c.config, params) == STEREO_OK);
  REQUIRE (stereo_matcher_process_results (matcher, &left, &right, results,
          STEREO_N_RESULTS, &frame) == STEREO_OK);
  REQUIRE (stereo_matcher_wait (matcher, frame) == STEREO_OK);
  REQUIRE (stereo_matcher_process (matcher, &left, &right, &map, NULL)
      == STEREO_OK);
  REQUIRE (stereo_matcher_sync (matcher) == STEREO_OK);
  REQUIRE (stereo_matcher_get_stats (matcher, &s.stats, &why) == STEREO_OK);
  REQUIRE (s.stats.frames == 2 && s.stats.allocations > 0);
  REQUIRE (is_intact (c.guard) && is_intact (s.guard));
  REQUIRE (confidence[HEIGHT / 2][WIDTH / 2] > 0);
  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
  return codes[0];
}

static void
make_points (StereoDevice * device, uint16_t * codes)
{
  static float points[HEIGHT][WIDTH][3];
  StereoImage map = make_image (STEREO_FORMAT_GRAY16_LE, 2 * WIDTH, codes);
  StereoImage cloud = make_image (STEREO_FORMAT_XYZ_F32, sizeof (points[0]),
      points);
  const StereoImage *inputs[] = { &map };
  StereoOperation *operation = NULL;
  StereoMessage why = { "" };
  int width = 0, height = 0;

  REQUIRE (stereo_operation_new ("points", device, &operation, &why)
      == STEREO_OK);
  REQUIRE (stereo_operation_set (operation, "focal-length", 100, &why)
      == STEREO_OK);
  REQUIRE (stereo_operation_set (operation, "baseline", 0.5, &why)
      == STEREO_OK);
  REQUIRE (stereo_operation_output_size (operation, WIDTH, HEIGHT, &width,
          &height, &why) == STEREO_OK);
  REQUIRE (width == WIDTH && height == HEIGHT);
  REQUIRE (stereo_operation_process (operation, inputs, 1, &cloud, &why)
      == STEREO_OK);
  REQUIRE (points[HEIGHT / 2][WIDTH / 2][2] == 100 * 0.5f / SHIFT);
  stereo_operation_free (&operation);
}

int
main (void)
{
  const StereoAlgorithm *algorithm = stereo_algorithm_find ("sgm");
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  uint16_t *codes;

  REQUIRE (algorithm != NULL);
  check_tables (algorithm);
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, &why)
      == STEREO_OK);
  REQUIRE (stereo_cuda_context (device) == NULL);
  codes = match (algorithm, device);
  REQUIRE (((uint8_t *) &codes[HEIGHT / 2 * WIDTH + WIDTH / 2])[0]
      == 16 * SHIFT);
  make_points (device, codes);
  stereo_device_unref (&device);
  printf ("stereo.h of the record, library %s\n", stereo_version ());
  return 0;
}
