/* gst-stereomatching: camera parameters of the consumers of disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_METRIC_H
#define GST_STEREO_METRIC_H

#include "base/gststereofailure.h"
#include "base/gststereotags.h"
#include "geometry/metric.h"

G_BEGIN_DECLS

/* A map and its consumer. */
typedef struct
{
  GstStereoTags *tags;
  GstBuffer *buffer;
  const GstVideoInfo *info;
  gboolean codes_set;           /* see gst_stereo_table_codes_set() */
  gboolean *filled_posted;      /* the message about filled maps */
  const gchar *product;         /* for messages: "A depth map" */
  GstStereoFailure *failure;
} GstStereoMetricMap;

/* Completes the properties by the metadata of the map, if any; otherwise
 * num_disparities of the result is 0.  Posts one message if it was filled.
 * FALSE, with an error posted, if the map has no disparities, was changed
 * upstream, or if the cameras are unknown. */
gboolean gst_stereo_metric_complete (StereoMetric * metric,
    const GstStereoMetricMap * map, GstStereoDisparity * disparity);

/* Posts a warning about a result without a known depth. */
void gst_stereo_metric_warn_empty (GstElement * element,
    const StereoMetric * metric, gdouble range_min, gdouble range_max,
    const gchar * product);

G_END_DECLS

#endif /* GST_STEREO_METRIC_H */
