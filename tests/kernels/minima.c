/* gst-stereomatching: checks the uniqueness of winners on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "minima.h"

#include "cases.h"
#include "match/chain.h"
#include "match/matcher.h"

#include <math.h>

Minima
find_minima (const long *costs, int n)
{
  Minima m = { -1, -1 };
  int best = 0;

  for (int i = 1; i < n; i++)
    best = costs[i] < costs[best] ? i : best;
  for (int i = 0; i < n; i++) {
    if (abs (i - best) > 1 && (m.second < 0 || costs[i] < m.second))
      m.second = costs[i];
  }
  if (n > 0)
    m.least = costs[best];
  return m;
}

/* The winners that a matcher refines, row by row without gaps. */
static void
download_winners (StereoMatcher * matcher, StereoDevice * device, int width,
    int height, uint32_t * words)
{
  const StereoChain *chain = stereo_runner_state (stereo_matcher_get_runner
      (matcher));

  for (int y = 0; y < height; y++)
    REQUIRE (stereo_device_copy (device, words + y * width,
            chain->winners.left + (size_t) y * chain->winners.left_stride,
            (size_t) width * sizeof (*words), NULL) == STEREO_OK);
}

/* The winners of a device; rated: with an image of confidences. */
static void
match_winners (size_t index, const char *algorithm,
    const StereoParams * params, const TestImage * left,
    const TestImage * right, bool rated, uint32_t * words)
{
  StereoDevice *device = devices_get (index);
  const int width = left->image.width, height = left->image.height;
  const StereoMatcherConfig config = {
    sizeof (StereoMatcherConfig), width, height, left->image.format,
    right->image.format, STEREO_FORMAT_GRAY16_LE, left->colorimetry,
    right->colorimetry
  };
  SCOPED (stereo_matcher_free) StereoMatcher *matcher = NULL;
  SCOPED_IMAGE map, confidence;
  const StereoImage *images[STEREO_N_RESULTS] = { NULL };

  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  test_image_init (&confidence, STEREO_FORMAT_GRAY8, width, height, 0);
  images[STEREO_RESULT_DISPARITY] = &map.image;
  if (rated)
    images[STEREO_RESULT_CONFIDENCE] = &confidence.image;
  REQUIRE (stereo_matcher_new (stereo_algorithm_find (algorithm), device,
          &matcher) == STEREO_OK);
  REQUIRE (stereo_matcher_configure (matcher, &config, params) == STEREO_OK);
  REQUIRE (stereo_matcher_process_results (matcher, &left->image,
          &right->image, images, STEREO_N_RESULTS, NULL) == STEREO_OK);
  REQUIRE (stereo_matcher_sync (matcher) == STEREO_OK);
  download_winners (matcher, device, width, height, words);
}

static unsigned
uniqueness_of (const Minima * m)
{
  const double second = m->second < 0 ? 65535 : (double) m->second;

  return m->least < 0 ? 255 : second > 0
      ? (unsigned) floor (254 * (second - (double) m->least) / second) : 0;
}

/* Describes the first difference; NULL if there is none. */
static const char *
compare_words (const uint32_t * words, const uint32_t * unrated,
    const Minima * expected, int n)
{
  static char text[100];

  for (int i = 0; i < n; i++) {
    const unsigned right = uniqueness_of (&expected[i]);
    const uint32_t same = expected[i].least < 0 ? words[i]
        : words[i] & 0xffffff;

    if (words[i] >> 24 == right && unrated[i] == same)
      continue;
    snprintf (text, sizeof (text), "winner %d: %08x, without confidence %08x, "
        "uniqueness of the oracle %u", i, (unsigned) words[i],
        (unsigned) unrated[i], right);
    return text;
  }
  return NULL;
}

void
check_minima (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const Minima * expected)
{
  const int n = left->image.width * left->image.height;
  SCOPED (free_scoped) uint32_t *words = malloc ((size_t) n * 4);
  SCOPED (free_scoped) uint32_t *unrated = malloc ((size_t) n * 4);
  SCOPED_PARAMS *own = params_new (algorithm, NULL);

  REQUIRE (words != NULL && unrated != NULL);
  REQUIRE (stereo_params_copy (own, params) == STEREO_OK);
  REQUIRE (stereo_params_set (own, "subpixel", 1, NULL) == STEREO_OK);
  REQUIRE (stereo_params_set (own, "disparity-scale", 1, NULL) == STEREO_OK);
  for (size_t d = 0; d < devices_count (); d++) {
    REQUIRE (stereo_params_set (own, "min-confidence", 0, NULL) == STEREO_OK);
    match_winners (d, algorithm, own, left, right, false, unrated);
    for (int threshold = 0; threshold < 2; threshold++) {
      REQUIRE (stereo_params_set (own, "min-confidence", threshold * 0.01,
              NULL) == STEREO_OK);
      match_winners (d, algorithm, own, left, right, threshold == 0, words);
      report_difference (algorithm, own, left, right,
          stereo_device_name (devices_get (d)), compare_words (words, unrated,
              expected, n));
    }
  }
}
