/* gst-stereomatching: metric depth from disparity codes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The encoding of a disparity map, and the geometry of the two cameras:
 *
 *   disparity = code / disparity-scale + min-disparity + doffs
 *   Z         = focal-length * baseline / disparity      (metres)
 *
 * Operations that need it have a StereoMetric `metric` in their parameters,
 * together with range_min and range_max, and these rows in their tables.
 */

#ifndef STEREO_METRIC_H
#define STEREO_METRIC_H

#include "core/backend.h"
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
      "Focal length, in pixels (0 = from buffer metadata)", 0, 0, \
      STEREO_METRIC_LARGEST), \
  STEREO_PARAM_DOUBLE_ROW (T, metric.baseline, "baseline", \
      "Camera baseline, in metres (0 = from buffer metadata)", 0, 0, \
      STEREO_METRIC_LARGEST), \
  STEREO_PARAM_DOUBLE_ROW (T, metric.doffs, "doffs", \
      "Difference of the principal points, in pixels (0 = from metadata)", \
      0, -STEREO_METRIC_LARGEST, STEREO_METRIC_LARGEST)

#define STEREO_METRIC_RANGE_ROWS(T, initial, special) \
  STEREO_PARAM_DOUBLE_ROW (T, range_min, "range-min", \
      "Minimum depth, in metres", 0, 0, STEREO_METRIC_LARGEST), \
  STEREO_PARAM_DOUBLE_ROW (T, range_max, "range-max", \
      "Maximum depth, in metres" special, initial, 0, \
      STEREO_METRIC_LARGEST)

#define STEREO_METRIC_CODE_ROWS(T) \
  STEREO_PARAM_DOUBLE_ROW (T, metric.disparity_scale, "disparity-scale", \
      "Disparity codes per pixel, for buffers without metadata", 16, \
      1e-6, 65536), \
  STEREO_PARAM_INT_ROW (T, metric.min_disparity, "min-disparity", \
      "Disparity of code 0, in pixels, for buffers without metadata", 0, \
      -16384, 16384), \
  STEREO_PARAM_INT_ROW (T, metric.invalid_value, "invalid-value", \
      "Code of invalid pixels, for buffers without metadata (-1 = none)", 0, \
      -1, 65535)

/* The range is from range_min to range_max metres.  `what` begins the message
 * about an unknown camera: "a depth". */
StereoStatus stereo_metric_check (const StereoMetric * metric,
    const char *what, double range_min, double range_max, StereoMessage * why);

/* Z of a code, in metres; 0 = unknown: the code is invalid, the disparity is
 * not positive, or Z is out of range. */
double stereo_metric_depth (const StereoMetric * metric, double range_min,
    double range_max, int code);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_METRIC_H */
