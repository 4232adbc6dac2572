/* gst-stereomatching: a slanted surface, with messages and without
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Matches a slanted plane, rendered with noise, by ESAW and ESMP with the
 * paper's cost, the difference of luma.  Noise requires averaging over large
 * windows, where disparities differ; the messages of ESMP model that change.
 * ESMP must have at most half as many bad pixels as ESAW, with the paper's fast
 * and accurate settings of ESAW.
 */

#include "pipeline.h"
#include "test.h"

#define SCENE "pattern=slanted num-disparities=64 num-buffers=1"
#define SIZE "width=640,height=480"
/* The method of the paper alone, as the presets of that name have it. */
#define PAPER "cost=luma subpixel=false lr-max-diff=-1 speckle-size=0 " \
    "refine=none"
#define ESAW "stereoesaw " PAPER " gamma-color=17 gamma-distance=36 " \
    "cost-threshold=12"
#define ESMP "stereoesmp " PAPER " gamma-color=18 gamma-distance=29 " \
    "cost-threshold=17 data-weight=0.15 disc-truncation=0.0375"
#define NOISE 8                 /* standard deviation in grey levels */

static Plane
load_truth (int seed)
{
  char *description = g_strdup_printf ("stereotestsrc " SCENE " seed=%d "
      "view=disparity disparity-scale=256 ! "
      "video/x-raw,format=GRAY16_LE," SIZE " ! appsink name=sink", seed);
  Plane plane = plane_from_pipeline (description, 2);

  g_free (description);
  return plane;
}

/* Percent of the pixels that both views see whose disparity is off by more than
 * one. */
static double
bad_pixels (const char *element, int seed)
{
  char *description = g_strdup_printf ("%s name=m num-disparities=64 "
      "backend=cpu disparity-scale=256 invalid-value=65535 ! "
      "video/x-raw,format=GRAY16_LE ! appsink name=sink "
      "stereotestsrc " SCENE " seed=%d noise=%d view=left ! "
      "video/x-raw,format=RGB," SIZE " ! m.sink_left "
      "stereotestsrc " SCENE " seed=%d noise=%d view=right ! "
      "video/x-raw,format=RGB," SIZE " ! m.sink_right", element, seed, NOISE,
      seed, NOISE);
  Plane map = plane_from_pipeline (description, 2);
  Plane truth = load_truth (seed);
  int n = 0, bad = 0;

  CHECK_INT (map.width, ==, truth.width);
  CHECK_INT (map.height, ==, truth.height);
  for (int p = 0; p < truth.width * truth.height; p++) {
    int found = map.data[2 * p] | map.data[2 * p + 1] << 8;
    int right = truth.data[2 * p] | truth.data[2 * p + 1] << 8;

    if (right == 0)
      continue;
    n++;
    bad += abs (found - right) > 256;
  }
  /* almost all of it is seen by both cameras */
  CHECK_INT (n, >, truth.width * truth.height * 9 / 10);
  free (map.data);
  free (truth.data);
  g_free (description);
  return 100.0 * bad / n;
}

TEST (test_messages_halve_the_errors)
{
  for (int seed = 0; seed < 3; seed++) {
    double five = bad_pixels (ESAW " iterations=5 base=2.6", seed);
    double nine = bad_pixels (ESAW " iterations=9 base=1.9", seed);
    double messages = bad_pixels (ESMP, seed);

    printf ("seed %d: ESAW %.2f %%, with nine iterations %.2f %%, ESMP "
        "%.2f %%\n", seed, five, nine, messages);
    CHECK_DOUBLE (messages, <=, five / 2);
    CHECK_DOUBLE (messages, <=, nine / 2);
    /* not because everything is wrong */
    CHECK_DOUBLE (five, <, 15);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  return test_run (argc, argv);
}
