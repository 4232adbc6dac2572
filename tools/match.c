/* gst-stereomatching: matching a scene
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match.h"

#include <math.h>
#include <stdlib.h>

/* Limits of repeated runs: their number and their total time. */
#define MAX_RUNS 10
#define MAX_TOTAL_MS 100.0

/* Converts codes to disparities; false if params lack their scale. */
static bool
decode_map (const uint8_t * codes, const StereoParams * params, size_t n,
    float *map)
{
  double scale = 1, minimum = 0, invalid = 0;

  if (!stereo_params_get (params, "disparity-scale", &scale)
      || !stereo_params_get (params, "min-disparity", &minimum)
      || !stereo_params_get (params, "invalid-value", &invalid))
    return false;
  for (size_t i = 0; i < n; i++) {
    unsigned code = codes[2 * i] | (unsigned) codes[2 * i + 1] << 8;

    map[i] = code == invalid ? NAN : (float) (code / scale + minimum);
  }
  return true;
}

/* Sets the parameters that the setup leaves unset in params, a copy of its own:
 * the search range of the scene, the finest scale that fits 16 bits, and an
 * invalid value beyond all codes. */
static bool
match_fit_params (const CliSetup * setup, const Scene * scene,
    StereoParams * params, StereoMessage * why)
{
  if (cli_setup_property (setup, "num-disparities") == NULL
      && scene->disparities > 0
      && stereo_params_set (params, "num-disparities", scene->disparities,
          why) != STEREO_OK)
    return false;
  return cli_setup_choose_scale (setup, params, why)
      && (cli_setup_property (setup, "invalid-value") != NULL
      || stereo_params_set (params, "invalid-value", 65535, why) == STEREO_OK);
}

/* Matches repeatedly; *fastest is the time of the fastest run, in ms. */
static StereoStatus
match_time (StereoMatcher * matcher, const StereoImage * left,
    const StereoImage * right, const StereoImage * output, double *fastest)
{
  double total = 0;

  *fastest = INFINITY;
  for (int i = 0; i < MAX_RUNS && total < MAX_TOTAL_MS; i++) {
    StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
    StereoStatus status = stereo_matcher_process (matcher, left, right,
        output, NULL);
    double milliseconds;

    if (status == STEREO_OK)
      status = stereo_matcher_sync (matcher);
    if (status == STEREO_OK)
      status = stereo_matcher_get_stats (matcher, &stats, NULL);
    if (status != STEREO_OK)
      return status;
    milliseconds = (double) stats.last_ns / 1e6;
    total += milliseconds;
    *fastest = fmin (*fastest, milliseconds);
  }
  return STEREO_OK;
}

/* Runs once more for the confidence, which replaces GRAY16_LE in place. */
static StereoStatus
match_confidence (StereoMatcher * matcher, const StereoImage * left,
    const StereoImage * right, const StereoImage * output,
    uint16_t * confidence)
{
  const StereoImage *results[STEREO_N_RESULTS] = { NULL };
  const size_t n = (size_t) output->width * (size_t) output->height;
  StereoImage image = *output;
  StereoStatus status;

  image.plane[0] = confidence;
  results[STEREO_RESULT_DISPARITY] = output;
  results[STEREO_RESULT_CONFIDENCE] = &image;
  status = stereo_matcher_process_results (matcher, left, right, results,
      STEREO_N_RESULTS, NULL);
  if (status == STEREO_OK)
    status = stereo_matcher_sync (matcher);
  for (size_t i = 0; i < n && status == STEREO_OK; i++) {
    const uint8_t *bytes = (const uint8_t *) &confidence[i];

    confidence[i] = (uint16_t) (bytes[0] | bytes[1] << 8);
  }
  return status;
}

StereoStatus
match_scene (const CliSetup * setup, StereoDevice * device,
    const Scene * scene, float *map, uint16_t * confidence,
    MatchResult * result, StereoMessage * why)
{
  StereoMatcher *matcher = NULL;
  StereoParams *params = NULL;
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  const StereoImage left = image_wrap (&scene->left);
  const StereoImage right = image_wrap (&scene->right);
  StereoImage output = left;
  StereoStatus status;
  size_t n = (size_t) scene->width * (size_t) scene->height;
  uint8_t *codes = cli_resize (NULL, 2 * n);
  double fastest = 0, minimum = 0, disparities = 0;

  output.format = STEREO_FORMAT_GRAY16_LE;
  output.plane[0] = codes;
  output.stride[0] = 2 * (size_t) scene->width;
  config.width = scene->width;
  config.height = scene->height;
  config.left = left.format;
  config.right = right.format;
  config.output = output.format;

  cli_fail (why, "out of memory");
  status = stereo_params_new (setup->algorithm, &params);
  if (status == STEREO_OK)
    status = stereo_params_copy (params, setup->params);
  if (status == STEREO_OK && !match_fit_params (setup, scene, params, why))
    status = STEREO_ERROR_ARGUMENT;
  if (status == STEREO_OK)
    status = stereo_matcher_new (setup->algorithm, device, &matcher);
  if (status == STEREO_OK)
    status = stereo_matcher_configure (matcher, &config, params);
  if (status == STEREO_OK)
    status = match_time (matcher, &left, &right, &output, &fastest);
  if (status == STEREO_OK && confidence != NULL)
    status = match_confidence (matcher, &left, &right, &output, confidence);

  if (status != STEREO_OK && matcher != NULL)
    cli_fail (why, "%s", stereo_matcher_error (matcher));
  if (status == STEREO_OK && (!decode_map (codes, params, n, map)
          || !stereo_params_get (params, "min-disparity", &minimum)
          || !stereo_params_get (params, "num-disparities", &disparities))) {
    status = STEREO_ERROR_UNSUPPORTED;
    cli_fail (why, "the parameters lack the scale of the disparity codes");
  }
  if (status == STEREO_OK) {
    result->minimum = (int) minimum;
    result->disparities = (int) disparities;
    result->milliseconds = fastest;
  }
  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
  free (codes);
  return status;
}
