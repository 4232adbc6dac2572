/* gst-stereomatching: corrections as text, and as a grid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/backend.h"
#include "core/platform.h"
#include "geometry/align-private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As text, and the largest absolute value; that of the offset is relative to
 * the width. */
static const struct
{
  const char *name;
  double most;
} params[STEREO_N_CORRECTIONS] = {
  [STEREO_CORRECTION_PITCH] = {"pitch", 0.5},
  [STEREO_CORRECTION_YAW] = {"yaw", 0.5},
  [STEREO_CORRECTION_ROLL] = {"roll", 0.5},
  [STEREO_CORRECTION_ZOOM] = {"zoom", 0.5},
  [STEREO_CORRECTION_COMMON_ROLL] = {"common-roll", 0.5},
  [STEREO_CORRECTION_COMMON_YAW] = {"common-yaw", 0.5},
  [STEREO_CORRECTION_FOCAL] = {"focal", 0.5},
  [STEREO_CORRECTION_OFFSET] = {"offset", 0.1},
  [STEREO_CORRECTION_K1] = {"k1", 1},
  [STEREO_CORRECTION_COMMON_K1] = {"common-k1", 1},
};

/* --------------------------------------------------------------------- text */

void
stereo_correction_print (double value, char text[32])
{
  snprintf (text, 32, "%.17g", value);
  for (char *at = text; *at != '\0'; at++) {
    /* the decimal point of another locale may have several bytes */
    if (strchr ("0123456789+-einfa", *at) == NULL) {
      *at = '.';
      while (at[1] != '\0' && strchr ("0123456789+-einfa", at[1]) == NULL)
        memmove (at + 1, at + 2, strlen (at + 1));
    }
  }
}

void
stereo_correction_format (const StereoCorrection * c,
    char text[STEREO_CORRECTION_TEXT_SIZE])
{
  char number[32];
  int n;

  if (text == NULL)
    return;
  text[0] = '\0';
  if (c == NULL || stereo_correction_is_unset (c))
    return;
  stereo_correction_print (c->focal_length, number);
  n = snprintf (text, STEREO_CORRECTION_TEXT_SIZE,
      "width=%d:height=%d:focal-length=%s", c->width, c->height, number);
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++) {
    stereo_correction_print (c->values[i], number);
    n += snprintf (text + n, (size_t) (STEREO_CORRECTION_TEXT_SIZE - n),
        ":%s=%s", params[i].name, number);
  }
}

/* The address of a value, NULL for an unknown name. */
static double *
find_value (StereoCorrection * c, double size[3], const char *name)
{
  static const char *const sizes[] = { "width", "height", "focal-length" };

  for (int i = 0; i < 3; i++) {
    if (strcmp (name, sizes[i]) == 0)
      return &size[i];
  }
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++) {
    if (strcmp (name, params[i].name) == 0)
      return &c->values[i];
  }
  return NULL;
}

/* Reads "name=value" up to the next colon or the end. */
static StereoStatus
parse_item (const char *item, size_t length, StereoCorrection * c,
    double size[3], StereoMessage * why)
{
  const char *equals = memchr (item, '=', length);
  char name[32] = "", number[64] = "";
  double *value;

  if (equals == NULL || (size_t) (equals - item) >= sizeof (name)
      || length - (size_t) (equals - item) > sizeof (number))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected name=value in a correction, got '%.*s'",
        length > 64 ? 64 : (int) length, item);
  memcpy (name, item, (size_t) (equals - item));
  memcpy (number, equals + 1, length - (size_t) (equals + 1 - item));
  value = find_value (c, size, name);
  if (value == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a correction has no value '%s'", name);
  if (!stereo_parse_double (number, value) || !isfinite (*value))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected a number for %s, got '%s'", name, number);
  return STEREO_OK;
}

static bool
is_size (double value)
{
  return value >= 1 && value <= STEREO_MAX_SIZE && floor (value) == value;
}

StereoStatus
stereo_correction_parse (const char *text, StereoCorrection * correction,
    StereoMessage * why)
{
  StereoCorrection c = { 0 };
  double size[3] = { 0 };
  StereoStatus status;

  if (text == NULL || correction == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "text or correction is NULL");
  for (const char *at = text;; at++) {
    const size_t length = strcspn (at, ":");

    status = parse_item (at, length, &c, size, why);
    if (status != STEREO_OK)
      return status;
    at += length;
    if (*at == '\0')
      break;
  }
  if (!is_size (size[0]) || !is_size (size[1]))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a correction needs width and height, from 1 to %d", STEREO_MAX_SIZE);
  c.width = (int) size[0];
  c.height = (int) size[1];
  c.focal_length = size[2] != 0 ? size[2] : STEREO_ALIGN_FOCAL * size[0];
  status = stereo_correction_check (&c, why);
  if (status == STEREO_OK)
    *correction = c;
  return status;
}

StereoStatus
stereo_correction_check (const StereoCorrection * c, StereoMessage * why)
{
  if (c->width < 1 || c->height < 1 || c->width > STEREO_MAX_SIZE
      || c->height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a correction of views of %dx%d: width and height go from 1 to %d",
        c->width, c->height, STEREO_MAX_SIZE);
  if (!stereo_alignment_accepts_focal_length (c->focal_length, c->width))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a correction with a focal length of %g pixels for a width of %d: "
        "expected %g to %g widths", c->focal_length, c->width,
        STEREO_ALIGN_MIN_FOCAL, STEREO_ALIGN_MAX_FOCAL);
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++) {
    const double most = params[i].most * (i == STEREO_CORRECTION_OFFSET
        ? c->width : 1);

    if (!(fabs (c->values[i]) <= most))
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "a correction with %s=%g: expected -%g to %g", params[i].name,
          c->values[i], most, most);
  }
  return STEREO_OK;
}

bool
stereo_correction_is_zero (const StereoCorrection * c)
{
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++) {
    if (c->values[i] != 0)
      return false;
  }
  return true;
}

bool
stereo_correction_is_unset (const StereoCorrection * c)
{
  return c->width == 0 && c->height == 0 && stereo_correction_is_zero (c);
}

/* --------------------------------------------------------------------- grid */

void
stereo_correction_model (const StereoCorrection * c, StereoAlignModel * model)
{
  const StereoAlignViews views = { c->width, c->height, c->focal_length };

  stereo_align_model_init (model, &views, c->values);
}

void
stereo_correction_source (const StereoCorrection * correction, bool right,
    double u, double v, double *x, double *y)
{
  StereoAlignModel model;

  if (correction == NULL || x == NULL || y == NULL)
    return;
  if (stereo_correction_is_zero (correction)) {
    *x = u;
    *y = v;
    return;
  }
  if (stereo_correction_check (correction, NULL) != STEREO_OK) {
    *x = *y = NAN;
    return;
  }
  stereo_correction_model (correction, &model);
  stereo_align_source (&model, right ? STEREO_RIGHT : STEREO_LEFT, u, v, x, y);
}

/* Rounds half up; values outside of 32 bits, and NAN, become the nearest. */
static int32_t
make_node (double position)
{
  const double code = floor (position * STEREO_GRID_UNIT + 0.5);

  return code >= INT32_MAX ? INT32_MAX : code > INT32_MIN ? (int32_t) code
      : INT32_MIN;
}

void
stereo_correction_grid (const StereoCorrection * correction, int view,
    const StereoRectification * rectification, StereoGridNode * nodes)
{
  const int columns = stereo_grid_nodes (correction->width);
  const int rows = stereo_grid_nodes (correction->height);
  StereoAlignModel model;

  stereo_correction_model (correction, &model);
  for (int i = 0; i < columns * rows; i++) {
    double x, y;
    bool seen = true;

    stereo_align_source (&model, view, STEREO_GRID_STEP * (i % columns),
        STEREO_GRID_STEP * (i / columns), &x, &y);
    if (rectification != NULL)
      seen = stereo_rectification_source (rectification, x, y, &x, &y);
    nodes[i] = seen ? (StereoGridNode) { make_node (x), make_node (y) }
    : (StereoGridNode) { STEREO_GRID_NONE, STEREO_GRID_NONE };
  }
}
