/* gst-stereomatching: reports in sentences
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A view is said to be unsharp or of another exposure outside of these. */
#define MIN_SHARPNESS 0.75
#define MAX_SHARPNESS 1.33
#define MIN_CONTRAST 0.67
#define MAX_CONTRAST 1.5
#define MAX_BRIGHTNESS 25.0     /* grey levels */

/* Smallest row of a cause that is named, in pixels and standard deviations. */
#define NAMED_ROWS 0.25
#define NAMED_DEVIATIONS 3.0

typedef struct
{
  char text[32];
} Number;

/* Without a sign, independent of the locale. */
static Number
print_number (double value, int decimals)
{
  int64_t unit = 1, whole;
  Number number;

  for (int i = 0; i < decimals; i++)
    unit *= 10;
  whole = (int64_t) (fmin (fabs (value), 1e9) * (double) unit + 0.5);
  if (decimals == 0)
    snprintf (number.text, sizeof (number.text), "%lld", (long long) whole);
  else
    snprintf (number.text, sizeof (number.text), "%lld.%0*lld",
        (long long) (whole / unit), decimals, (long long) (whole % unit));
  return number;
}

static void append (StereoAlignmentReport * r, const char *format, ...)
STEREO_PRINTF (2, 3);

static void
append (StereoAlignmentReport * r, const char *format, ...)
{
  const size_t length = strlen (r->text);
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (r->text + length, sizeof (r->text) - length, format, arguments);
  va_end (arguments);
}

/* ------------------------------------------------------------------- causes */

/* Whether a value explains the rows; rows: pixels that a unit of it causes. */
static bool
is_cause (double value, double sigma, double rows)
{
  return fabs (value) * rows > NAMED_ROWS
      && fabs (value) > NAMED_DEVIATIONS * sigma;
}

/* "A", ", B", ", C": n counts the causes. */
static const char *
join_causes (unsigned *n)
{
  return (*n)++ == 0 ? ": the right view is " : ", ";
}

static void
append_causes (StereoAlignmentReport * r, const StereoAlignViews * views)
{
  const double radian = 57.29577951308232;
  const double width = views->width, height = views->height;
  unsigned n = 0;

  if (is_cause (r->offset, r->offset_sigma, 1))
    append (r, "%s%s pixels %s", join_causes (&n),
        print_number (r->offset, 1).text, r->offset > 0 ? "lower" : "higher");
  if (is_cause (r->roll, r->roll_sigma, width / 2 / radian))
    append (r, "%sturned by %s degrees %s", join_causes (&n),
        print_number (r->roll, 2).text,
        r->roll > 0 ? "clockwise" : "counterclockwise");
  if (is_cause (r->zoom, r->zoom_sigma, height / 2))
    append (r, "%s%s %% %s", join_causes (&n),
        print_number (100 * r->zoom, 1).text,
        r->zoom > 0 ? "larger" : "smaller");
  if (is_cause (r->keystone, r->keystone_sigma, width / 2 * height / 2
          / views->focal_length / radian))
    append (r, "%sswung by about %s degrees to the %s", join_causes (&n),
        print_number (r->keystone, 1).text,
        r->keystone > 0 ? "right" : "left");
}

/* ---------------------------------------------------------------- sentences */

static void
append_unknown (StereoAlignmentReport * r)
{
  append (r, "Cannot tell whether rows match: ");
  if (r->n_matches == 1)
    append (r, "only 1 point of the views matches.");
  else if (r->n_matches < 20)
    append (r, "only %u points of the views match.", r->n_matches);
  else if (!(r->rows_sigma > 1) || r->n_fitting < 20)
    append (r, "only %u of %u matching points %s two cameras.", r->n_fitting,
        r->n_matches, r->n_fitting == 1 ? "fits" : "fit");
  else
    append (r, "the %u points that match are accurate to %s pixels only.",
        r->n_fitting, print_number (r->rows_sigma, 1).text);
}

static void
append_status (StereoAlignmentReport * r, const StereoAlignViews * views)
{
  switch (r->status) {
    case STEREO_ALIGNMENT_OK:
      append (r, "Rows match within %s pixels.",
          print_number (fmax (r->rows_95, 0.1), 1).text);
      break;
    case STEREO_ALIGNMENT_OFF:
      append (r, "Rows are off by %s pixels",
          print_number (r->rows_median, 1).text);
      if (r->rows_max > 1.5 * r->rows_median)
        append (r, ", at most %s", print_number (r->rows_max, 1).text);
      append_causes (r, views);
      append (r, ".");
      break;
    case STEREO_ALIGNMENT_SWAPPED:
      append (r, "The views are swapped: disparities are negative.");
      break;
    case STEREO_ALIGNMENT_SAME_VIEW:
      append (r, "Both views are the same image.");
      break;
    case STEREO_ALIGNMENT_NOT_IN_STEP:
      append (r, "%u points match, but not as views of the same moment: "
          "check that the cameras are synchronized.", r->n_matches);
      break;
    default:
      append_unknown (r);
      break;
  }
}

static void
append_photo (StereoAlignmentReport * r)
{
  if (r->sharpness < MIN_SHARPNESS || r->sharpness > MAX_SHARPNESS)
    append (r, " The %s view is less sharp: check its focus.",
        r->sharpness < 1 ? "right" : "left");
  if (r->contrast < MIN_CONTRAST || r->contrast > MAX_CONTRAST
      || fabs (r->brightness) > MAX_BRIGHTNESS)
    append (r, " Exposure differs: the right view has %s times the contrast "
        "and is %s grey levels %s.", print_number (r->contrast, 2).text,
        print_number (r->brightness, 0).text,
        r->brightness < 0 ? "darker" : "brighter");
}

void
stereo_align_describe (StereoAlignmentReport * r,
    const StereoAlignViews * views)
{
  r->text[0] = '\0';
  append_status (r, views);
  if (r->status != STEREO_ALIGNMENT_UNKNOWN)
    append_photo (r);
}
