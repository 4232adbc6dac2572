/* gst-stereomatching: parameter tables
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/algorithm.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const StereoParamSpec stereo_common_params[] = {
  STEREO_PARAM_UINT_ROW (StereoCommonParams, num_disparities,
      "num-disparities",
      "Number of disparities to search, in pixels; any number, no multiple is "
      "required", 64, 1, STEREO_MAX_DISPARITIES),
  STEREO_PARAM_INT_ROW (StereoCommonParams, min_disparity, "min-disparity",
      "Smallest disparity to search, in pixels", 0, -2048, 2048),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, disparity_scale,
      "disparity-scale",
      "Codes for one pixel of disparity in GRAY16_LE output (16 as in OpenCV, "
      "256 as in KITTI)", 16, 1, 256),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, invalid_value, "invalid-value",
      "Code of pixels without a disparity; no other pixel gets it", 0, 0,
      65535),
  STEREO_PARAM_BOOL_ROW (StereoCommonParams, median, "median",
      "Filter the disparity map with a 3x3 median", 0),
  STEREO_PARAM_UINT_ROW (StereoCommonParams, temporal, "temporal",
      "Frames for which a disparity that jumps may be doubted, by a filter "
      "over time that makes video flicker less (4 is a good value, 0 = no "
      "filter)", 0, 0, STEREO_MAX_TEMPORAL),
  STEREO_PARAM_END
};

static const StereoEnumValue cost_values[] = {
  [STEREO_COST_CENSUS] = {"census", "Census of 5x5 pixels of luma, and its "
        "gradient: whatever the exposure of the two views"},
  [STEREO_COST_LUMA] = {"luma", "Absolute difference of luma"},
  [STEREO_COST_RGB] = {"rgb", "Absolute differences of R, G and B; of luma "
        "where a view is grey"},
};

static const StereoEnumValue refine_values[] = {
  [STEREO_REFINE_NONE] = {"none", "None"},
  [STEREO_REFINE_FILLED] = {"filled", "15x15, for pixels that were filled"},
  [STEREO_REFINE_ALL] = {"all", "The same, then 7x7 for all pixels instead of "
        "the 3x3 median"},
};

const StereoParamSpec stereo_refine_params[] = {
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, cost, "cost",
      "What the matching cost compares", STEREO_COST_CENSUS, cost_values),
  STEREO_PARAM_BOOL_ROW (StereoRefineParams, subpixel, "subpixel",
      "Find disparities to a sixteenth of a pixel, between whole ones", true),
  STEREO_PARAM_INT_ROW (StereoRefineParams, lr_max_diff, "lr-max-diff",
      "How far the matches of both views may disagree for a pixel to be valid, "
      "in disparities (-1 = not checked)", 1, -1, 64),
  STEREO_PARAM_UINT_ROW (StereoRefineParams, speckle_size, "speckle-size",
      "Regions of fewer pixels than this become invalid (0 = none do)", 50, 0,
      65535),
  STEREO_PARAM_BOOL_ROW (StereoRefineParams, fill, "fill",
      "Fill invalid pixels from the background beside them; else they get "
      "invalid-value, and no median is taken", true),
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, refine, "refine",
      "Which pixels get a median weighted by colour", STEREO_REFINE_NONE,
      refine_values),
  STEREO_PARAM_END
};

/* Row index of a table, or NULL; index then counts from its end. */
static const StereoParamSpec *
row (const StereoParamSpec * table, size_t * index)
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
  spec = row (stereo_common_params, &index);
  if (spec == NULL && algorithm->refines)
    spec = row (stereo_refine_params, &index);
  return spec != NULL ? spec : row (algorithm->params, &index);
}

double
stereo_algorithm_param_initial (const StereoAlgorithm * algorithm,
    const StereoParamSpec * spec)
{
  const StereoParamDefault *d = algorithm->defaults;

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
find (const StereoParams * params, const char *name)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (params->algorithm, i));
      i++) {
    if (strcmp (spec->name, name) == 0)
      return spec;
  }
  return NULL;
}

/* The address of the field in this set. */
static void *
field (const StereoParams * params, const StereoParamSpec * spec)
{
  char *base = params->own;

  if (is_in (stereo_common_params, spec))
    base = (char *) &params->common;
  else if (is_in (stereo_refine_params, spec))
    base = (char *) &params->refine;
  return base + spec->offset;
}

void
stereo_param_write (const StereoParamSpec * spec, void *at, double value)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      *(bool *) at = value != 0;
      break;
    case STEREO_PARAM_INT:
    case STEREO_PARAM_ENUM:
      *(int *) at = (int) value;
      break;
    case STEREO_PARAM_UINT:
      *(unsigned *) at = (unsigned) value;
      break;
    case STEREO_PARAM_DOUBLE:
      *(double *) at = value;
      break;
  }
}

double
stereo_param_read (const StereoParamSpec * spec, const void *at)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      return *(const bool *) at;
    case STEREO_PARAM_INT:
    case STEREO_PARAM_ENUM:
      return *(const int *) at;
    case STEREO_PARAM_UINT:
      return *(const unsigned *) at;
    case STEREO_PARAM_DOUBLE:
      break;
  }
  return *(const double *) at;
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
    stereo_param_write (spec, field (set, spec),
        stereo_algorithm_param_initial (algorithm, spec));

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
  memcpy (target->own, source->own, source->algorithm->params_size);
  return STEREO_OK;
}

static StereoStatus
unknown (const StereoParams * params, const char *name, StereoMessage * why)
{
  return stereo_fail (why, STEREO_ERROR_ARGUMENT,
      "%s has no parameter '%s'", params->algorithm->name, name);
}

StereoStatus
stereo_param_check (const StereoParamSpec * spec, double value,
    StereoMessage * why)
{
  /* not in this form would let NaN pass */
  if (!(value >= spec->minimum && value <= spec->maximum))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s = %.10g is out of range: it goes from %.10g to %.10g", spec->name,
        value, spec->minimum, spec->maximum);
  if (spec->type != STEREO_PARAM_DOUBLE && value != floor (value))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s = %.10g: it takes whole numbers from %.10g to %.10g", spec->name,
        value, spec->minimum, spec->maximum);
  return STEREO_OK;
}

StereoStatus
stereo_params_set (StereoParams * params, const char *name, double value,
    StereoMessage * why)
{
  const StereoParamSpec *spec;
  StereoStatus status;

  if (params == NULL || name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "no parameter is named");

  spec = find (params, name);
  if (spec == NULL)
    return unknown (params, name, why);
  status = stereo_param_check (spec, value, why);
  if (status == STEREO_OK)
    stereo_param_write (spec, field (params, spec), value);
  return status;
}

/* strtod() for a decimal point whatever the locale says. */
static bool
parse_number (const char *text, double *value)
{
  locale_t c = newlocale (LC_ALL_MASK, "C", (locale_t) 0), old;
  char *end;

  if (c == (locale_t) 0)
    return false;
  old = uselocale (c);
  errno = 0;
  *value = strtod (text, &end);
  uselocale (old);
  freelocale (c);
  return errno == 0 && end != text && *end == '\0';
}

/* What a text can be, for messages. */
static void
describe_values (const StereoParamSpec * spec, char *text, size_t size)
{
  size_t used = 0;

  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      snprintf (text, size, "true or false");
      break;
    case STEREO_PARAM_ENUM:
      text[0] = '\0';
      for (int i = 0; i <= (int) spec->maximum && used < size; i++)
        used += (size_t) snprintf (text + used, size - used, "%s%s",
            i == 0 ? "" : i < (int) spec->maximum ? ", " : " or ",
            spec->values[i].nick);
      break;
    case STEREO_PARAM_INT:
    case STEREO_PARAM_UINT:
    case STEREO_PARAM_DOUBLE:
      snprintf (text, size, "a%s number from %.10g to %.10g",
          spec->type == STEREO_PARAM_DOUBLE ? "" : " whole", spec->minimum,
          spec->maximum);
      break;
  }
}

StereoStatus
stereo_param_parse (const StereoParamSpec * spec, const char *text,
    double *value, StereoMessage * why)
{
  double number;
  StereoStatus status;
  char wanted[256];

  if (text == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s is given no value",
        spec->name);
  if (spec->type == STEREO_PARAM_ENUM) {
    for (int i = 0; i <= (int) spec->maximum; i++) {
      if (strcmp (spec->values[i].nick, text) == 0) {
        *value = i;
        return STEREO_OK;
      }
    }
  }
  if (spec->type == STEREO_PARAM_BOOL
      && (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)) {
    *value = text[0] == 't';
    return STEREO_OK;
  }

  if (!parse_number (text, &number)) {
    describe_values (spec, wanted, sizeof (wanted));
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s = '%.64s': it takes %s", spec->name, text, wanted);
  }
  status = stereo_param_check (spec, number, why);
  if (status == STEREO_OK)
    *value = number;
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

  spec = find (params, name);
  if (spec == NULL)
    return text != NULL ? unknown (params, name, why) : stereo_fail (why,
        STEREO_ERROR_ARGUMENT, "%s is given no value", name);
  status = stereo_param_parse (spec, text, &value, why);
  if (status == STEREO_OK)
    stereo_param_write (spec, field (params, spec), value);
  return status;
}

bool
stereo_params_get (const StereoParams * params, const char *name,
    double *value)
{
  const StereoParamSpec *spec;

  if (params == NULL || name == NULL || value == NULL)
    return false;
  spec = find (params, name);
  if (spec == NULL)
    return false;
  *value = stereo_param_read (spec, field (params, spec));
  return true;
}
