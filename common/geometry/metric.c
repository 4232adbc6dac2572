/* gst-stereomatching: metric depth from disparity codes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/metric.h"

StereoStatus
stereo_metric_check (const StereoMetric * m, const char *what,
    double range_min, double range_max, StereoMessage * why)
{
  if (!(range_min <= range_max))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the range of depths is empty: range-max = %g metres has to be "
        "range-min = %g metres or more", range_max, range_min);
  if (m->focal_length > 0 && m->baseline > 0)
    return STEREO_OK;
  return stereo_fail (why, STEREO_ERROR_ARGUMENT,
      "%s needs a focal-length and a baseline above 0, not %g pixels and %g "
      "metres", what, m->focal_length, m->baseline);
}

double
stereo_metric_depth (const StereoMetric * m, double range_min,
    double range_max, int code)
{
  double disparity = code / m->disparity_scale + m->min_disparity + m->doffs;
  double z;

  if (code == m->invalid_value || !(disparity > 0))
    return 0;
  z = m->focal_length * m->baseline / disparity;
  return z >= range_min && z <= range_max ? z : 0;
}
