/* gst-stereomatching: parameter tables
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/params.h"

#include "core/backend.h"
#include "core/platform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
stereo_param_check (const StereoParamSpec * spec, double value,
    StereoMessage * why)
{
  /* Written so that NaN fails. */
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

/* Describes the valid values, for messages. */
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

  if (!stereo_parse_double (text, &number)) {
    describe_values (spec, wanted, sizeof (wanted));
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s = '%.64s': it takes %s", spec->name, text, wanted);
  }
  status = stereo_param_check (spec, number, why);
  if (status == STEREO_OK)
    *value = number;
  return status;
}
