/* gst-stereomatching: what an element knows of the cameras
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereometric.h"

static void
take (StereoMetric * m, const GstStereoDisparity * disparity)
{
  m->disparity_scale = disparity->disparity_scale;
  m->min_disparity = disparity->min_disparity;
  m->invalid_value = (gint) disparity->invalid_value;
  if (m->focal_length == 0)
    m->focal_length = disparity->focal_length;
  if (m->baseline == 0)
    m->baseline = disparity->baseline;
  if (m->doffs == 0)
    m->doffs = disparity->doffs;
}

gboolean
gst_stereo_metric_complete (StereoMetric * m,
    const GstStereoDisparity * disparity, const gchar * product,
    GstStereoFailure * failure)
{
  gboolean no_focal_length, no_baseline;

  if (disparity != NULL && disparity->result != STEREO_RESULT_DISPARITY) {
    GST_STEREO_FAIL (failure, STREAM, FORMAT,
        ("%s is made of disparities, and these buffers have another result: "
            "%s. Link the matcher's pad src to this element.", product,
            stereo_result_name (disparity->result)), (NULL));
    return FALSE;
  }
  if (disparity != NULL)
    take (m, disparity);
  no_focal_length = !(m->focal_length > 0);
  no_baseline = !(m->baseline > 0);
  if (!no_focal_length && !no_baseline)
    return TRUE;
  GST_STEREO_FAIL (failure, LIBRARY, SETTINGS,
      ("The buffers don't tell the %s%s%s: set %s%s%s.",
          no_focal_length ? "focal length" : "",
          no_focal_length && no_baseline ? " and the " : "",
          no_baseline ? "baseline" : "",
          no_focal_length ? "focal-length, in pixels" : "",
          no_focal_length && no_baseline ? ", and " : "",
          no_baseline ? "baseline, in metres" : ""), (NULL));
  return FALSE;
}
