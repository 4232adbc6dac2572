/* gst-stereomatching: parameter tables
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A parameter exists once, as a row of a table:
 *
 *   static const StereoParamSpec specs[] = {
 *     STEREO_PARAM_UINT_ROW (StereoVcbwParams, radius, "radius",
 *         "Radius of the window, in pixels", 16, 1, 32),
 *     ...
 *     STEREO_PARAM_END
 *   };
 *
 * Defaults, checks, GObject properties, command-line options and the generated
 * documentation come from it.
 */

#ifndef STEREO_PARAMS_H
#define STEREO_PARAMS_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_PARAM_ROW_(T, f, n, b, t, i, lo, hi, v) \
  { .name = n, .field = #f, .blurb = b, .type = t, .offset = offsetof (T, f), \
    .initial = i, .minimum = lo, .maximum = hi, .values = v }

#define STEREO_PARAM_BOOL_ROW(T, f, n, b, i) \
  STEREO_PARAM_ROW_ (T, f, n, b, STEREO_PARAM_BOOL, i, 0, 1, NULL)
#define STEREO_PARAM_INT_ROW(T, f, n, b, i, lo, hi) \
  STEREO_PARAM_ROW_ (T, f, n, b, STEREO_PARAM_INT, i, lo, hi, NULL)
#define STEREO_PARAM_UINT_ROW(T, f, n, b, i, lo, hi) \
  STEREO_PARAM_ROW_ (T, f, n, b, STEREO_PARAM_UINT, i, lo, hi, NULL)
#define STEREO_PARAM_DOUBLE_ROW(T, f, n, b, i, lo, hi) \
  STEREO_PARAM_ROW_ (T, f, n, b, STEREO_PARAM_DOUBLE, i, lo, hi, NULL)
#define STEREO_PARAM_ENUM_ROW(T, f, n, b, i, v) \
  STEREO_PARAM_ROW_ (T, f, n, b, STEREO_PARAM_ENUM, i, 0, \
      sizeof (v) / sizeof ((v)[0]) - 1, v)
#define STEREO_PARAM_END { .name = NULL }

/* The C types of the fields: bool, int, unsigned, double, int. */

/* Writes and reads a parameter at an address. */
void stereo_param_write (const StereoParamSpec * spec, void *at, double value);
double stereo_param_read (const StereoParamSpec * spec, const void *at);

/* Check and parse a value as stereo_params_set() and stereo_params_set_text()
 * do.  why may be NULL. */
STEREO_CHECKED StereoStatus stereo_param_check (const StereoParamSpec * spec,
    double value, StereoMessage * why);
STEREO_CHECKED StereoStatus stereo_param_parse (const StereoParamSpec * spec,
    const char *text, double *value, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_PARAMS_H */
