/* gst-stereomatching: disparity maps and their errors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_MAP_H
#define TUNE_MAP_H

#include "measure.h"

#include <gst/video/video.h>

/* A mapped frame of codes with its GstStereoDisparityMeta. */
typedef struct
{
  GstVideoFrame frame;
  gint width;
  gint height;
  gdouble scale;                /* codes per pixel of disparity */
  gdouble minimum;              /* disparity of code 0, in pixels */
  gint64 invalid;               /* code of invalid pixels; -1 = none */
  gdouble focal_length;         /* pixels; 0 = unknown, as the next two */
  gdouble baseline;             /* metres */
  gdouble doffs;                /* pixels */
} TuneMap;

/* FALSE if the sample is not a disparity map; else the map is for
 * tune_map_close() and borrows the sample. */
gboolean tune_map_open (TuneMap * map, GstSample * sample);
void tune_map_close (TuneMap * map);

/* The disparity at a pixel of the map, in pixels; NAN if invalid. */
gdouble tune_map_disparity (const TuneMap * map, gint x, gint y);

/* All disparities, row by row. */
void tune_map_read (const TuneMap * map, gfloat * to);

/* The fraction of valid pixels. */
gdouble tune_map_valid (const TuneMap * map);

/* The code at a pixel of a GRAY8 or GRAY16_LE sample, from 0 to 1; NAN outside
 * of the sample. */
gdouble tune_map_fraction (GstSample * sample, gint x, gint y);

/* Disparities of the left view in pixels, NAN if unknown; owns them. */
typedef struct
{
  gint width;
  gint height;
  gfloat *disparities;          /* NULL: there is no ground truth */
} TuneTruth;

/* From a file; scale: as for image_read_map().  FALSE and why, for g_free(). */
gboolean tune_truth_read (TuneTruth * truth, const gchar * path, gdouble scale,
    gchar ** why);

/* From the disparity map of a rendered scene. */
gboolean tune_truth_from_sample (TuneTruth * truth, GstSample * sample);
void tune_truth_clear (TuneTruth * truth);

/* The errors of a map; FALSE if it has another size. */
gboolean tune_truth_measure (const TuneTruth * truth, GstSample * map,
    Measure * measure);

/* An image of the errors: yellow, orange and red for more than one, two and
 * four pixels, purple for invalid pixels, grey for correct ones, black for
 * unknown ones.  NULL if the map has another size. */
GstSample *tune_truth_picture (const TuneTruth * truth, GstSample * map);

#endif /* TUNE_MAP_H */
