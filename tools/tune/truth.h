/* gst-stereomatching: what the disparities should be
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_TRUTH_H
#define TUNE_TRUTH_H

#include "map.h"
#include "measure.h"

/* Pixels of the left view, NAN where nothing is known; owns the disparities. */
typedef struct
{
  gint width;
  gint height;
  gfloat *disparities;          /* NULL: there is no truth */
} TuneTruth;

/* From a file; scale 0 is that of its format.  FALSE and why, for g_free(). */
gboolean tune_truth_read (TuneTruth * truth, const gchar * path, gdouble scale,
    gchar ** why);

/* From a map that a scene was rendered with. */
gboolean tune_truth_from_sample (TuneTruth * truth, GstSample * sample);
void tune_truth_clear (TuneTruth * truth);

/* The errors of a map; FALSE when it has another size. */
gboolean tune_truth_measure (const TuneTruth * truth, GstSample * map,
    Measure * measure);

/* A picture of which pixels are wrong: by more than one pixel yellow, more than
 * two orange, more than four red, and purple without a disparity; right ones
 * are grey, black is where the truth is unknown.  NULL when the map has another
 * size. */
GstSample *tune_truth_picture (const TuneTruth * truth, GstSample * map);

#endif /* TUNE_TRUTH_H */
