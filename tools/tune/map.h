/* gst-stereomatching: the disparities in a sample
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_MAP_H
#define TUNE_MAP_H

#include <gst/video/video.h>

/* A mapped frame of codes, and what its GstStereoDisparityMeta says. */
typedef struct
{
  GstVideoFrame frame;
  gint width;
  gint height;
  gdouble scale;                /* codes for a pixel of disparity */
  gdouble minimum;              /* of code 0, in pixels */
  gint64 invalid;               /* code, -1: every pixel has a disparity */
  gdouble focal_length;         /* pixels; these three: 0 when not known */
  gdouble baseline;             /* metres */
  gdouble doffs;                /* pixels */
} TuneMap;

/* FALSE when the sample is no map that says what it is; else it is for
 * tune_map_close(), and the sample outlives it. */
gboolean tune_map_open (TuneMap * map, GstSample * sample);
void tune_map_close (TuneMap * map);

/* The code of a pixel inside of the map. */
guint tune_map_code (const TuneMap * map, gint x, gint y);

/* Its disparity in pixels, NAN when it has none. */
gdouble tune_map_disparity (const TuneMap * map, gint x, gint y);

/* All of them, row by row; to has room. */
void tune_map_read (const TuneMap * map, gfloat * to);

/* The share of the pixels that have a disparity. */
gdouble tune_map_valid (const TuneMap * map);

/* The 8-bit or 16-bit code at a pixel of any grey sample, from 0 to 1; NAN when
 * it can't be read, or x or y are outside. */
gdouble tune_map_share (GstSample * sample, gint x, gint y);

#endif /* TUNE_MAP_H */
