/* gst-stereomatching: contract tests of further results
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Results other than the map, for every algorithm that has them, and the
 * threshold of the confidence.
 */

#include "matchercase.h"

/* Results other than the map are the same on all devices, and the map is the
 * same whether they are requested or not. */
TEST (test_results)
{
  static const StereoResult extra[] = { STEREO_RESULT_VERTICAL,
    STEREO_RESULT_CONFIDENCE
  };
  Random random = { 5 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 16; i++) {
      Case c;
      Images images;
      TestImage found[STEREO_N_RESULTS], first[STEREO_N_RESULTS];
      TestImage *results[STEREO_N_RESULTS] = { &images.map };

      draw_case (algorithm, &random, &c);
      if (i >= 12) {
        c.width = random_range (&random, 100, i == 12 ? 500 : 150);
        c.height = random_range (&random, 50, i == 12 ? 200 : 100);
        draw_parameters (&c, &random);
      }
      make_images (&c, &images, &random);
      match (0, c.params, c.name, &images.left, &images.right,
          &images.expected);
      for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
        test_image_init (&found[extra[r]], STEREO_FORMAT_GRAY16_LE, c.width,
            c.height, 6);
        test_image_init (&first[extra[r]], STEREO_FORMAT_GRAY16_LE, c.width,
            c.height, 6);
        if (stereo_algorithm_has_result (algorithm, extra[r]))
          results[extra[r]] = &found[extra[r]];
      }
      for (size_t d = 0; d < devices_count (); d++) {
        const char *device = stereo_device_name (devices_get (d));

        match_results (d, c.params, c.name, &images.left, &images.right,
            results);
        report_case (&c, &images, device,
            first_difference (&images.map, &images.expected));
        for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
          TestImage *now = &found[extra[r]], *then = &first[extra[r]];

          CHECK (test_image_intact (now));
          if (d > 0)
            report_case (&c, &images, device, first_difference (now, then));
          else
            memcpy (then->memory, now->memory, now->size);
        }
      }
      for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
        test_image_clear (&found[extra[r]]);
        test_image_clear (&first[extra[r]]);
      }
      clear_case (&c, &images);
    }
  }
}

/* Computes the expected map: the map without a threshold, invalid where the
 * confidence is at most code. */
static void
expect_threshold (const Case * c, Images * images, unsigned code)
{
  const unsigned invalid = (unsigned) param (c->params, "invalid-value");
  TestImage confidence;
  TestImage *results[STEREO_N_RESULTS] = { &images->expected };

  test_image_init (&confidence, STEREO_FORMAT_GRAY16_LE, c->width, c->height,
      0);
  results[STEREO_RESULT_CONFIDENCE] = &confidence;
  match_results (0, c->params, c->name, &images->left, &images->right,
      results);
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      if ((unsigned) code_at (&confidence, x, y) <= code)
        put_code (&images->expected, x, y, invalid);
    }
  }
  test_image_clear (&confidence);
}

/* min-confidence invalidates the pixels of lower confidence and changes no
 * others, whether the confidence is requested or not. */
TEST (test_min_confidence)
{
  Random random = { 9 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 24 && stereo_algorithm_has_result (algorithm,
            STEREO_RESULT_CONFIDENCE); i++) {
      const unsigned code = (unsigned) random_range (&random, 0, 65534);
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      if (i % 2)
        draw_parameters (&c, &random);
      /* pyramid applies no median to maps with holes */
      if (strcmp (c.name, "pyramid") == 0)
        set_parameter (&c, "median", 0);
      set_parameter (&c, "min-confidence", 0);
      make_images (&c, &images, &random);
      expect_threshold (&c, &images, code);
      set_parameter (&c, "min-confidence", (code + 0.5) / 65535);
      for (size_t d = 0; d < devices_count (); d++) {
        match (d, c.params, c.name, &images.left, &images.right, &images.map);
        report_case (&c, &images, stereo_device_name (devices_get (d)),
            first_difference (&images.map, &images.expected));
      }
      clear_case (&c, &images);
    }
  }
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, NULL);
}
