/* gst-stereomatching: from disparity codes to metres
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What the codes of a map mean, and the two cameras:
 *
 *   disparity = code / disparity-scale + min-disparity + doffs
 *   Z         = focal-length * baseline / disparity      (metres)
 *
 * The operations that need it have a StereoMetric called metric in their
 * parameters, and its rows in their tables.
 */

#ifndef STEREO_METRIC_H
#define STEREO_METRIC_H

#include "core/algorithm.h"
#include "core/params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  double focal_length;          /* pixels */
  double baseline;              /* metres */
  double doffs;                 /* pixels */
  double disparity_scale;
  int min_disparity;
  int invalid_value;            /* or -1 */
} StereoMetric;

#define STEREO_METRIC_LARGEST 1e9

#define STEREO_METRIC_CAMERA_ROWS(T) \
  STEREO_PARAM_DOUBLE_ROW (T, metric.focal_length, "focal-length", \
      "Focal length, in pixels (0 = from the buffers)", 0, 0, \
      STEREO_METRIC_LARGEST), \
  STEREO_PARAM_DOUBLE_ROW (T, metric.baseline, "baseline", \
      "Distance of the two cameras, in metres (0 = from the buffers)", 0, 0, \
      STEREO_METRIC_LARGEST), \
  STEREO_PARAM_DOUBLE_ROW (T, metric.doffs, "doffs", \
      "Disparity of the principal points, in pixels, which is added to a " \
      "disparity for its depth (0 = from the buffers)", 0, \
      -STEREO_METRIC_LARGEST, STEREO_METRIC_LARGEST)

#define STEREO_METRIC_CODE_ROWS(T) \
  STEREO_PARAM_DOUBLE_ROW (T, metric.disparity_scale, "disparity-scale", \
      "Codes for one pixel of disparity in buffers that don't tell", 16, \
      1e-6, 65536), \
  STEREO_PARAM_INT_ROW (T, metric.min_disparity, "min-disparity", \
      "Disparity of code 0, in pixels, in buffers that don't tell", 0, \
      -16384, 16384), \
  STEREO_PARAM_INT_ROW (T, metric.invalid_value, "invalid-value", \
      "Code of pixels without a disparity in buffers that don't tell (-1 = " \
      "none)", 0, -1, 65535)

/* what: "a depth", for the message when the camera is not known. */
StereoStatus stereo_metric_check (const StereoMetric * metric,
    const char *what, StereoMessage * why);

/* Z of a code; 0 where there is none: the code is invalid, or the disparity is
 * not positive, or Z is outside the range. */
double stereo_metric_depth (const StereoMetric * metric, double range_min,
    double range_max, int code);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_METRIC_H */
