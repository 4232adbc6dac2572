/* gst-stereomatching: contract tests of frames in a row
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * No frame depends on what an earlier one, or another program, left in memory,
 * and with the temporal filter each depends on those before it, on every device
 * in the same way.
 */

#include "matchercase.h"

/* New matchers process their first frame in uninitialized memory, the next ones
 * in memory that contains the last frame.  Several matchers, as the order of
 * threads and kernels varies, unless there is only the plain implementation. */
TEST (test_frames)
{
  const int n_matchers = devices_count () > 1 ? 4 : 1;
  Random random = { 4 };

  FOR_EACH_ALGORITHM (algorithm) {
    Case c;
    Images images;
    StereoDevice *last = devices_get (devices_count () - 1);

    draw_case (algorithm, &random, &c);
    c.width = 372;
    c.height = 146;
    c.left = c.right = STEREO_FORMAT_BGRX;
    c.fill = FILL_SHIFTED;
    make_images (&c, &images, &random);
    match (0, c.params, c.name, &images.left, &images.right,
        &images.expected);
    for (int i = 0; i < n_matchers; i++) {
      StereoMatcher *matcher = matcher_new (&c, &images, last);

      for (int frame = 0; frame < 4; frame++) {
        for (int y = 0; y < c.height; y++)
          memset (test_image_row (&images.map, y), 0x33,
              images.map.row_bytes);
        check_frame (matcher, last, &c, &images);
      }
      stereo_matcher_free (&matcher);
    }
    clear_case (&c, &images);
  }
}

/* The pair of each frame.  The matcher is reset before frame RESET. */
static const int shown[] = { 0, 0, 1, 0, 1, 1, 0, 0, 1 };

#define N_SHOWN (sizeof (shown) / sizeof (shown[0]))
#define RESET 6

/* Processes all frames on a device, which may have several in flight. */
static void
match_series (StereoDevice * device, const Case * c, const Images pairs[2],
    TestImage maps[N_SHOWN])
{
  SCOPED (stereo_matcher_free) StereoMatcher *matcher
      = matcher_new (c, &pairs[0], device);

  for (size_t i = 0; i < N_SHOWN; i++) {
    const Images *pair = &pairs[shown[i]];

    test_image_init (&maps[i], c->output, c->width, c->height, 2);
    if (i == RESET)
      stereo_matcher_reset (matcher);
    CHECK_INT (stereo_matcher_process (matcher, &pair->left.image,
            &pair->right.image, &maps[i].image, NULL), ==, STEREO_OK);
  }
  CHECK_INT (stereo_matcher_sync (matcher), ==, STEREO_OK);
  for (size_t i = 0; i < N_SHOWN; i++)
    CHECK (test_image_intact (&maps[i]));
}

static void
free_series (TestImage maps[N_SHOWN])
{
  for (size_t i = 0; i < N_SHOWN; i++)
    test_image_clear (&maps[i]);
}

/* The first frame is not filtered, and a reset restarts the series. */
static void
check_series (const Case * c, const Images pairs[2], TestImage maps[N_SHOWN])
{
  const bool fractions = strcmp (c->name, "pyramid") == 0;
  SCOPED_IMAGE alone;

  test_image_init (&alone, c->output, c->width, c->height, 0);
  set_parameter ((Case *) c, "temporal", 0);
  match (0, c->params, c->name, &pairs[0].left, &pairs[0].right, &alone);
  /* not in GRAY8: its 255 levels are computed from finer codes */
  if (!fractions || c->output == STEREO_FORMAT_GRAY16_LE)
    report_case (c, &pairs[0], "the first frame", first_difference (&maps[0],
            &alone));
  report_case (c, &pairs[0], "the frame after a reset",
      first_difference (&maps[RESET], &maps[0]));
  report_case (c, &pairs[0], "the frame after that",
      first_difference (&maps[RESET + 1], &maps[1]));
}

/* With the temporal filter, all devices give the same bytes in every frame of a
 * series. */
TEST (test_series)
{
  Random random = { 8 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 4; i++) {
      TestImage expected[N_SHOWN], maps[N_SHOWN];
      Images pairs[2];
      Case c;

      draw_case (algorithm, &random, &c);
      c.width = random_range (&random, i % 4 == 0 ? 1 : 50, 150);
      c.height = random_range (&random, i % 4 == 0 ? 1 : 20, 60);
      c.fill = FILL_SHIFTED;
      set_parameter (&c, "temporal",
          random_range (&random, 1, i % 2 ? 16 : 3));
      if (i % 2)
        draw_parameters (&c, &random);
      for (int k = 0; k < 2; k++)
        make_images (&c, &pairs[k], &random);
      pairs[1].left.colorimetry = pairs[0].left.colorimetry;
      pairs[1].right.colorimetry = pairs[0].right.colorimetry;
      for (size_t d = 0; d < devices_count (); d++) {
        match_series (devices_get (d), &c, pairs, d == 0 ? expected : maps);
        for (size_t k = 0; k < N_SHOWN && d > 0; k++)
          report_case (&c, &pairs[shown[k]],
              stereo_device_name (devices_get (d)),
              first_difference (&maps[k], &expected[k]));
        if (d > 0)
          free_series (maps);
      }
      check_series (&c, pairs, expected);
      free_series (expected);
      test_image_clear (&pairs[1].left);
      test_image_clear (&pairs[1].right);
      test_image_clear (&pairs[1].map);
      test_image_clear (&pairs[1].expected);
      clear_case (&c, &pairs[0]);
    }
  }
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, NULL);
}
