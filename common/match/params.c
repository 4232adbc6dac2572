/* gst-stereomatching: parameter sets of matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/algorithm.h"

#include "refine/temporal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const StereoParamSpec stereo_common_params[] = {
  STEREO_PARAM_UINT_ROW (StereoCommonParams, num_disparities,
      "num-disparities",
      "Number of disparities to search, in pixels", 64, 1,
      STEREO_MAX_DISPARITIES),
  STEREO_PARAM_INT_ROW (StereoCommonParams, min_disparity, "min-disparity",
      "Smallest disparity to search, in pixels", 0, -2048, 2048),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, disparity_scale,
      "disparity-scale",
      "Disparity codes per pixel in GRAY16_LE (16 = OpenCV, 256 = KITTI)", 16,
      1, 256),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, invalid_value, "invalid-value",
      "Code of invalid pixels; never used for valid ones", 0, 0,
      65535),
  STEREO_PARAM_BOOL_ROW (StereoCommonParams, median, "median",
      "Apply a 3x3 median filter", 0),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, temporal, "temporal",
      "Temporal filter: maximum frames to hold back a disparity jump (0 = off, "
      "4 recommended)", 0, 0, STEREO_MAX_TEMPORAL),
  STEREO_PARAM_END
};

/* Row index of the table, or NULL with the rows subtracted from index. */
static const StereoParamSpec *
find_row (const StereoParamSpec * table, size_t * index)
{
  for (; table->name != NULL; table++) {
    if ((*index)-- == 0)
      return table;
  }
  return NULL;
}

const StereoParamSpec *
stereo_algorithm_param (const StereoAlgorithm * algorithm, size_t index)
{
  const StereoParamSpec *spec;

  if (algorithm == NULL)
    return NULL;
  spec = find_row (stereo_common_params, &index);
  if (spec == NULL && algorithm->refines)
    spec = find_row (stereo_refine_params, &index);
  if (spec == NULL && algorithm->checks_mutually)
    spec = find_row (stereo_check_params, &index);
  return spec != NULL ? spec : find_row (algorithm->params, &index);
}

double
stereo_algorithm_param_initial (const StereoAlgorithm * algorithm,
    const StereoParamSpec * spec)
{
  const StereoParamDefault *d;

  if (algorithm == NULL || spec == NULL)
    return 0;
  d = algorithm->defaults;
  for (; d != NULL && d->name != NULL; d++) {
    if (strcmp (spec->name, d->name) == 0)
      return d->initial;
  }
  return spec->initial;
}

static bool
is_in (const StereoParamSpec * table, const StereoParamSpec * spec)
{
  for (; table->name != NULL; table++) {
    if (table == spec)
      return true;
  }
  return false;
}

static const StereoParamSpec *
find_param (const StereoParams * params, const char *name)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (params->algorithm, i));
      i++) {
    if (strcmp (spec->name, name) == 0)
      return spec;
  }
  return NULL;
}

/* Address of the parameter in this set. */
static void *
get_field (const StereoParams * params, const StereoParamSpec * spec)
{
  char *base = params->own;

  if (is_in (stereo_common_params, spec))
    base = (char *) &params->common;
  else if (is_in (stereo_refine_params, spec)
      || is_in (stereo_check_params, spec))
    base = (char *) &params->refine;
  return base + spec->offset;
}

StereoStatus
stereo_params_new (const StereoAlgorithm * algorithm, StereoParams ** params)
{
  StereoParams *set;
  const StereoParamSpec *spec;

  if (algorithm == NULL || params == NULL)
    return STEREO_ERROR_ARGUMENT;

  set = calloc (1, sizeof (*set));
  if (set == NULL)
    return STEREO_ERROR_MEMORY;
  set->own = calloc (1, algorithm->params_size);
  if (set->own == NULL) {
    free (set);
    return STEREO_ERROR_MEMORY;
  }

  set->algorithm = algorithm;
  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
    stereo_param_write (spec, get_field (set, spec),
        stereo_algorithm_param_initial (algorithm, spec));
  set->network = stereo_network;

  *params = set;
  return STEREO_OK;
}

void
stereo_params_free (StereoParams ** params)
{
  if (params == NULL || *params == NULL)
    return;
  free ((*params)->own);
  free (*params);
  *params = NULL;
}

StereoStatus
stereo_params_copy (StereoParams * target, const StereoParams * source)
{
  if (target == NULL || source == NULL
      || target->algorithm != source->algorithm)
    return STEREO_ERROR_ARGUMENT;

  target->common = source->common;
  target->refine = source->refine;
  target->network = source->network;
  memcpy (target->own, source->own, source->algorithm->params_size);
  return STEREO_OK;
}

static StereoStatus
fail_unknown (const StereoParams * params, const char *name,
    StereoMessage * why)
{
  return stereo_fail (why, STEREO_ERROR_ARGUMENT,
      "%s has no parameter '%s'", params->algorithm->name, name);
}

StereoStatus
stereo_params_set (StereoParams * params, const char *name, double value,
    StereoMessage * why)
{
  const StereoParamSpec *spec;
  StereoStatus status;

  if (params == NULL || name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "no parameter is named");

  spec = find_param (params, name);
  if (spec == NULL)
    return fail_unknown (params, name, why);
  status = stereo_param_check (spec, value, why);
  if (status == STEREO_OK)
    stereo_param_write (spec, get_field (params, spec), value);
  return status;
}

/* ------------------------------------------------------------------ weights */

/* Far more than a network needs. */
#define MAX_WEIGHTS_BYTES (1 << 20)

StereoStatus
stereo_params_set_weights (StereoParams * params, const char *text,
    size_t length, StereoMessage * why)
{
  if (params == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the parameters are missing");
  if (!params->algorithm->refines)
    return fail_unknown (params, "weights", why);
  if (text != NULL)
    return stereo_network_parse (text, length, &params->network, why);
  params->network = stereo_network;
  return STEREO_OK;
}

uint32_t
stereo_params_get_weights (const StereoParams * params)
{
  return params != NULL && params->algorithm->refines
      && params->refine.cost == STEREO_COST_LEARNED
      ? params->network.checksum : 0;
}

/* Reads a file with a network; an empty name stands for the library's. */
static StereoStatus
read_weights (StereoParams * params, const char *path, StereoMessage * why)
{
  StereoMessage reason = { "" };
  StereoStatus status;
  size_t length;
  FILE *file;
  char *text;

  if (path[0] == '\0')
    return stereo_params_set_weights (params, NULL, 0, why);
  file = fopen (path, "rb");
  if (file == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "Cannot open %.300s: %s",
        path, strerror (errno));
  text = malloc (MAX_WEIGHTS_BYTES);
  length = text != NULL ? fread (text, 1, MAX_WEIGHTS_BYTES, file) : 0;
  if (text == NULL)
    status = stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  else if (ferror (file))
    status = stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "Cannot read %.300s: %s", path, strerror (errno));
  else if (length == MAX_WEIGHTS_BYTES)
    status = stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%.300s is too large for a file with weights", path);
  else if ((status = stereo_params_set_weights (params, text, length, &reason)))
    status = stereo_fail (why, status, "%.200s: %.300s", path, reason.text);
  free (text);
  fclose (file);
  return status;
}

StereoStatus
stereo_params_set_text (StereoParams * params, const char *name,
    const char *text, StereoMessage * why)
{
  const StereoParamSpec *spec;
  StereoStatus status;
  double value;

  if (params == NULL || name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "no parameter is named");
  if (params->algorithm->refines && text != NULL
      && strcmp (name, "weights") == 0)
    return read_weights (params, text, why);

  spec = find_param (params, name);
  if (spec == NULL)
    return text != NULL ? fail_unknown (params, name, why) : stereo_fail (why,
        STEREO_ERROR_ARGUMENT, "%s is given no value", name);
  status = stereo_param_parse (spec, text, &value, why);
  if (status == STEREO_OK)
    stereo_param_write (spec, get_field (params, spec), value);
  return status;
}

bool
stereo_params_get (const StereoParams * params, const char *name,
    double *value)
{
  const StereoParamSpec *spec;

  if (params == NULL || name == NULL || value == NULL)
    return false;
  spec = find_param (params, name);
  if (spec == NULL)
    return false;
  *value = stereo_param_read (spec, get_field (params, spec));
  return true;
}
