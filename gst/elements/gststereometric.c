/* gst-stereomatching: camera parameters of the consumers of disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereometric.h"

#include "base/gststereodebug.h"

static void
copy_disparity (StereoMetric * m, const GstStereoDisparity * disparity)
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

/* disparity is NULL if there is no metadata.  FALSE with an error posted. */
static gboolean
check_result (const GstStereoMetricMap * map,
    const GstStereoDisparity * disparity)
{
  GstStereoDepth depth;
  const gchar *result = NULL;

  if (disparity == NULL) {
    if (gst_stereo_tags_get_depth (map->tags, map->buffer, map->info, &depth))
      result = "depth";
  } else if (disparity->result != STEREO_RESULT_DISPARITY) {
    result = stereo_result_name (disparity->result);
  }
  if (result != NULL)
    GST_STEREO_FAIL (map->failure, STREAM, FORMAT,
        ("%s needs disparities, but these buffers have another result: %s. "
            "Link the matcher's pad src to this element.", map->product,
            result), (NULL));
  return result == NULL;
}

/* FALSE, with an error posted, if the codes were changed upstream and are not
 * described by properties. */
static gboolean
check_change (const StereoMetric * m, const GstStereoMetricMap * map)
{
  gchar *change = gst_stereo_tags_explain_change (map->tags, map->info);
  const gboolean ok = change == NULL || (map->codes_set
      && m->focal_length > 0 && m->baseline > 0);

  if (!ok)
    GST_STEREO_FAIL (map->failure, STREAM, FORMAT,
        ("%s, or set focal-length, baseline, disparity-scale, min-disparity "
            "and invalid-value for the maps as they are.", change), (NULL));
  g_free (change);
  return ok;
}

/* FALSE with an error posted. */
static gboolean
check_camera (const StereoMetric * m, GstStereoFailure * failure)
{
  const gboolean no_focal_length = !(m->focal_length > 0);
  const gboolean no_baseline = !(m->baseline > 0);

  if (!no_focal_length && !no_baseline)
    return TRUE;
  GST_STEREO_FAIL (failure, LIBRARY, SETTINGS,
      ("The buffers have no %s%s%s: set %s%s%s.",
          no_focal_length ? "focal length" : "",
          no_focal_length && no_baseline ? " and " : "",
          no_baseline ? "baseline" : "",
          no_focal_length ? "focal-length, in pixels" : "",
          no_focal_length && no_baseline ? ", and " : "",
          no_baseline ? "baseline, in metres" : ""), (NULL));
  return FALSE;
}

static void
post_filled (const GstStereoMetricMap * map)
{
  gchar *text;

  if (*map->filled_posted)
    return;
  *map->filled_posted = TRUE;
  text = g_strdup_printf ("%s has depths that were not measured: the matcher "
      "has filled invalid pixels from the background. Set fill=false on the "
      "matcher to leave them unknown.", map->product);
  /* twice, because gst-launch shows the second one */
  GST_ELEMENT_INFO (map->failure->element, STREAM, FORMAT, ("%s", text),
      ("%s", text));
  g_free (text);
}

gboolean
gst_stereo_metric_complete (StereoMetric * m, const GstStereoMetricMap * map,
    GstStereoDisparity * disparity)
{
  const gboolean known = gst_stereo_tags_get_disparity (map->tags, map->buffer,
      map->info, disparity);
  gchar *text;

  if (!known)
    *disparity = (GstStereoDisparity) { 0, };
  if (!check_result (map, known ? disparity : NULL)
      || (!known && !check_change (m, map)))
    return FALSE;
  if (known)
    copy_disparity (m, disparity);
  if (!check_camera (m, map->failure))
    return FALSE;
  if (disparity->filled)
    post_filled (map);
  if (!known && !map->codes_set) {
    text = gst_stereo_tags_describe_codes (m->disparity_scale,
        m->min_disparity, m->invalid_value);
    gst_stereo_tags_warn (map->tags, map->info, map->failure->element, text,
        GST_STEREO_TAGS_CODES);
    g_free (text);
  }
  return TRUE;
}

void
gst_stereo_metric_warn_empty (GstElement * element, const StereoMetric * m,
    gdouble range_min, gdouble range_max, const gchar * product)
{
  gchar *end = range_max > 0 ? g_strdup_printf ("to %g m", range_max)
      : g_strdup ("m on");

  GST_ELEMENT_WARNING (element, STREAM, FAILED,
      ("%s has no known depth: no pixel has a valid disparity and a depth from "
          "%g %s. A disparity of 1 pixel is a depth of %g m (focal-length %g "
          "pixels, baseline %g m). Check these two, calibration-unit of "
          "stereorectify, range-min, range-max and the map.", product,
          range_min, end, m->focal_length * m->baseline, m->focal_length,
          m->baseline), (NULL));
  g_free (end);
}
