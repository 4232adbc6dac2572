/* gst-stereomatching: matcher, one algorithm on one device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/matcher.h"

#include "core/sized.h"
#include "image/colorimetry.h"
#include "match/chain.h"
#include "match/half.h"

#include <stdlib.h>

struct StereoMatcher
{
  StereoRunner *runner;
  StereoChain *chain;           /* owned by the runner */
};

StereoStatus
stereo_matcher_new (const StereoAlgorithm * algorithm, StereoDevice * device,
    StereoMatcher ** matcher)
{
  StereoMatcher *m;
  StereoStatus status;

  if (algorithm == NULL || device == NULL || matcher == NULL)
    return STEREO_ERROR_ARGUMENT;
  m = calloc (1, sizeof (*m));
  if (m == NULL)
    return STEREO_ERROR_MEMORY;
  status = stereo_runner_new (&stereo_chain_op, device, &m->runner, NULL);
  if (status != STEREO_OK) {
    free (m);
    return status;
  }

  m->chain = stereo_runner_state (m->runner);
  m->chain->algorithm = algorithm;
  m->chain->plan = calloc (1, algorithm->plan_size);
  if (!stereo_chain_find_stages (m->chain, device))
    status = STEREO_ERROR_UNSUPPORTED;
  else if (m->chain->plan == NULL)
    status = STEREO_ERROR_MEMORY;
  else
    status = stereo_half_new (m->chain);
  if (status != STEREO_OK)
    stereo_matcher_free (&m);
  else
    *matcher = m;
  return status;
}

void
stereo_matcher_free (StereoMatcher ** matcher)
{
  if (matcher == NULL || *matcher == NULL)
    return;
  stereo_runner_free (&(*matcher)->runner);
  free (*matcher);
  *matcher = NULL;
}

StereoRunner *
stereo_matcher_get_runner (StereoMatcher * matcher)
{
  return matcher->runner;
}

void
stereo_matcher_set_frames (StereoMatcher * matcher, unsigned n_frames)
{
  if (matcher != NULL)
    stereo_runner_set_frames (matcher->runner, n_frames);
}

void
stereo_matcher_reset (StereoMatcher * matcher)
{
  if (matcher != NULL)
    stereo_temporal_reset (&matcher->chain->temporal);
}

const char *
stereo_matcher_error (const StereoMatcher * matcher)
{
  return matcher ? stereo_runner_message (matcher->runner)->text
      : "there is no matcher";
}

StereoStatus
stereo_matcher_get_stats (StereoMatcher * matcher, StereoMatcherStats * stats,
    StereoMessage * why)
{
  static const StereoSizedType type = { "StereoMatcherStats",
    STEREO_SIZED_END (StereoMatcherStats, allocations),
    sizeof (StereoMatcherStats)
  };
  StereoMatcherStats found;

  if (matcher == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "there is no matcher");
  stereo_runner_get_stats (matcher->runner, &found);
  return stereo_sized_write (&type, stats, &found, why);
}

void
stereo_matcher_set_profiling (StereoMatcher * matcher, bool profiling)
{
  if (matcher != NULL)
    stereo_runner_set_profiling (matcher->runner, profiling);
}

bool
stereo_matcher_get_stage (StereoMatcher * matcher, size_t index,
    const char **name, uint64_t * ns)
{
  return matcher != NULL
      && stereo_runner_get_stage (matcher->runner, index, name, ns);
}

/* ---------------------------------------------------------------- configure */

/* A field that is added to padding does not change the size.  Name the last
 * field here. */
_Static_assert (STEREO_SIZED_END (StereoMatcherConfig, right_colorimetry)
    == sizeof (StereoMatcherConfig), "StereoMatcherConfig has no padding");

static StereoStatus
read_config (const StereoMatcherConfig * given, StereoMatcherConfig * config,
    StereoMessage * why)
{
  static const StereoSizedType type = { "StereoMatcherConfig",
    STEREO_SIZED_END (StereoMatcherConfig, right_colorimetry),
    sizeof (StereoMatcherConfig)
  };

  return stereo_sized_read (&type, config, given, why);
}

static StereoStatus
check_config (const StereoMatcherConfig * g, StereoMessage * why)
{
  if (g->width < 1 || g->height < 1 || g->width > STEREO_MAX_SIZE
      || g->height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "images of %dx%d: width and height go from 1 to %d", g->width,
        g->height, STEREO_MAX_SIZE);
  if (stereo_format_info (g->left) == NULL
      || stereo_format_info (g->right) == NULL) {
    bool left = stereo_format_info (g->left) == NULL;

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the format of the %s view, %d, is no StereoFormat",
        left ? "left" : "right", (int) (left ? g->left : g->right));
  }
  for (int i = 0; i < 2; i++) {
    StereoColorimetry colorimetry = i == 0 ? g->left_colorimetry
        : g->right_colorimetry;

    if (stereo_format_is_yuv (stereo_format_info (i == 0 ? g->left
                : g->right)) && stereo_colorimetry_yuv (colorimetry) == NULL)
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "the colorimetry of the %s view, %d, is no StereoColorimetry",
          i == 0 ? "left" : "right", (int) colorimetry);
  }
  if (g->output != STEREO_FORMAT_GRAY16_LE
      && g->output != STEREO_FORMAT_GRAY8) {
    const char *name = stereo_format_name (g->output);

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the output cannot be %s: it must be GRAY16_LE or GRAY8",
        name ? name : "of an unknown format");
  }
  return STEREO_OK;
}

static StereoStatus
check_codes (const StereoMatcherConfig * g, const StereoCommonParams * p,
    StereoMessage * why)
{
  if (g->output == STEREO_FORMAT_GRAY8) {
    if (p->invalid_value > 255)
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "invalid-value %u does not fit GRAY8 output: at most 255",
          p->invalid_value);
  } else if ((uint64_t) (p->num_disparities - 1) * p->disparity_scale > 65535) {
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "num-disparities %u times disparity-scale %u does not fit GRAY16_LE "
        "output: with so many disparities the scale can be at most %u",
        p->num_disparities, p->disparity_scale,
        65535 / (p->num_disparities - 1));
  }
  return STEREO_OK;
}

static StereoStatus
check_setup (const StereoMatcher * m, const StereoMatcherConfig * config,
    const StereoParams * params, StereoMessage * why)
{
  StereoStatus status;

  if (params == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the parameters are missing");
  if (params->algorithm != m->chain->algorithm)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the parameters are those of %s, not of %s", params->algorithm->name,
        m->chain->algorithm->name);
  status = check_config (config, why);
  return status == STEREO_OK ? check_codes (config, &params->common, why)
      : status;
}

/* Whether an encoded map may have invalid pixels, which no median of codes
 * supports. */
static bool
may_have_holes (const StereoParams * params)
{
  double least;

  return stereo_params_get (params, "min-confidence", &least) && least > 0;
}

static void
configure_chain (StereoChain * chain, const StereoMatcherConfig * config,
    const StereoParams * params, unsigned n_threads)
{
  chain->config = *config;
  chain->common = params->common;
  chain->refine = params->refine;
  chain->network = params->network;
  if (chain->algorithm->limit_refine != NULL)
    chain->algorithm->limit_refine (params->own, &chain->refine);
  if (chain->algorithm->get_refine != NULL)
    chain->algorithm->get_refine (params->own, &chain->refine);
  stereo_chain_make_search (chain, params->own, n_threads);
  if (chain->algorithm->subpixel && !chain->search.winners
      && may_have_holes (params))
    chain->common.median = false;
  stereo_half_configure (chain, params->own);
}

static void
set_ports (const StereoChain * chain, StereoPortSetup inputs[2],
    StereoPortSetup outputs[STEREO_N_RESULTS])
{
  const StereoMatcherConfig *config = &chain->config;

  for (int i = 0; i < 2; i++) {
    StereoFormat format = i == 0 ? config->left : config->right;

    inputs[i] = (StereoPortSetup) { format, config->width, config->height,
          stereo_format_planes (stereo_format_info (format),
              chain->search.channels == 3) };
  }
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    bool has = stereo_algorithm_has_result (chain->algorithm,
        (StereoResult) r);

    outputs[r] = (StereoPortSetup) { r == STEREO_RESULT_DISPARITY
          ? config->output : STEREO_FORMAT_GRAY16_LE, config->width,
          config->height, has ? 1 : 0 };
  }
}

StereoStatus
stereo_matcher_configure (StereoMatcher * m, const StereoMatcherConfig * given,
    const StereoParams * params)
{
  StereoPortSetup inputs[2], outputs[STEREO_N_RESULTS];
  StereoMatcherConfig config;
  StereoMessage *why;
  StereoStatus status;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  why = stereo_runner_message (m->runner);
  why->text[0] = '\0';
  status = read_config (given, &config, why);
  if (status == STEREO_OK)
    status = check_setup (m, &config, params, why);
  if (status == STEREO_OK)
    status = stereo_runner_sync (m->runner);
  if (status != STEREO_OK) {
    stereo_runner_unconfigure (m->runner);
    return status;
  }

  configure_chain (m->chain, &config, params,
      stereo_runner_device (m->runner)->n_threads);
  set_ports (m->chain, inputs, outputs);
  return stereo_runner_configure (m->runner, inputs, outputs, params);
}

/* ------------------------------------------------------------------- frames */

StereoStatus
stereo_matcher_process_results (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right, const StereoImage * const *results,
    size_t n_results, uint64_t * frame)
{
  const StereoImage *inputs[2] = { left, right };
  const StereoImage *outputs[STEREO_N_RESULTS] = { NULL };
  StereoMessage *why;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  why = stereo_runner_message (m->runner);
  why->text[0] = '\0';
  if (results == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the list of results is missing");
  for (size_t r = 0; r < n_results; r++) {
    if (results[r] == NULL)
      continue;
    if (r >= STEREO_N_RESULTS)
      return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
          "version %s of the library has no result %zu: update the library",
          stereo_version (), r);
    if (!stereo_algorithm_has_result (m->chain->algorithm, (StereoResult) r))
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "%s has no result called %s", m->chain->algorithm->name,
          stereo_result_name ((StereoResult) r));
    outputs[r] = results[r];
  }
  return stereo_runner_process (m->runner, inputs, outputs, frame);
}

StereoStatus
stereo_matcher_process (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right, const StereoImage * output, uint64_t * frame)
{
  return stereo_matcher_process_results (m, left, right, &output, 1, frame);
}

StereoStatus
stereo_matcher_wait (StereoMatcher * m, uint64_t frame)
{
  return m == NULL ? STEREO_ERROR_ARGUMENT : stereo_runner_wait (m->runner,
      frame);
}

StereoStatus
stereo_matcher_sync (StereoMatcher * m)
{
  return m == NULL ? STEREO_ERROR_ARGUMENT : stereo_runner_sync (m->runner);
}
