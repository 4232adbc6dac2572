/* gst-stereomatching: what an element knows of the cameras
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_METRIC_H
#define GST_STEREO_METRIC_H

#include "base/gststereofailure.h"
#include "base/gststereometa.h"
#include "geometry/metric.h"

G_BEGIN_DECLS

/* Completes what the properties say by what the map does, or does not where
 * disparity is NULL.  product: "A depth", what is to be made.  FALSE, with an
 * error, when the map has no disparities, or nobody knows the cameras. */
gboolean gst_stereo_metric_complete (StereoMetric * metric,
    const GstStereoDisparity * disparity, const gchar * product,
    GstStereoFailure * failure);

G_END_DECLS

#endif /* GST_STEREO_METRIC_H */
