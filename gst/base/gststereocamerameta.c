/* gst-stereomatching: metadata of rectified views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocamerameta.h"

#include "base/gststereometa.h"

#include <gst/video/gstvideometa.h>
#include <math.h>

/* The scale of a view from one size to another.  Returns FALSE if they have
 * other proportions, except for rounding. */
static gboolean
get_scale (const GstVideoMetaTransform * sizes, gdouble * x, gdouble * y)
{
  const GstVideoInfo *in = sizes->in_info, *out = sizes->out_info;

  *x = (gdouble) GST_VIDEO_INFO_WIDTH (out) / GST_VIDEO_INFO_WIDTH (in);
  *y = (gdouble) GST_VIDEO_INFO_HEIGHT (out) / GST_VIDEO_INFO_HEIGHT (in);
  return fabs (*x * GST_VIDEO_INFO_HEIGHT (in) - GST_VIDEO_INFO_HEIGHT (out))
      < 1 && GST_VIDEO_INFO_PAR_N (in) == GST_VIDEO_INFO_PAR_N (out)
      && GST_VIDEO_INFO_PAR_D (in) == GST_VIDEO_INFO_PAR_D (out);
}

/* A pixel has its position in its middle. */
static void
scale_field (GstStructure * s, const gchar * field, gdouble scale,
    gdouble middle)
{
  gdouble value;

  if (gst_structure_get_double (s, field, &value))
    gst_structure_set (s, field, G_TYPE_DOUBLE, (value + middle) * scale
        - middle, NULL);
}

/* A correction is left as the matcher has sent it. */
static void
scale_camera (GstStructure * s, gdouble x, gdouble y)
{
  scale_field (s, "focal-length", x, 0);
  scale_field (s, "cx", x, 0.5);
  scale_field (s, "cy", y, 0.5);
  scale_field (s, "doffs", x, 0);
}

/* Copies the meta to a buffer with the whole view, at any scale. */
static gboolean
transform_meta (GstBuffer * to, GstCustomMeta * meta,
    G_GNUC_UNUSED GstBuffer * from, GQuark type, gpointer data,
    G_GNUC_UNUSED gpointer user_data)
{
  const gboolean scaled = GST_VIDEO_META_TRANSFORM_IS_SCALE (type);
  const GstStructure *s = gst_custom_meta_get_structure (meta);
  gdouble x = 1, y = 1;
  GstStructure *copy;

  if (scaled ? !get_scale (data, &x, &y) : !GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  copy = gst_stereo_meta_new (to, GST_STEREO_CAMERA_META);
  for (guint i = 0; i < (guint) gst_structure_n_fields (s); i++) {
    const gchar *field = gst_structure_nth_field_name (s, i);

    gst_structure_set_value (copy, field, gst_structure_get_value (s, field));
  }
  if (x != 1 || y != 1)
    scale_camera (copy, x, y);
  return TRUE;
}

void
gst_stereo_camera_meta_register (void)
{
  gst_stereo_meta_register_name (GST_STEREO_CAMERA_META,
      gst_stereo_picture_meta_tags, transform_meta);
}

void
gst_stereo_camera_meta_add (GstBuffer * buffer, const GstStereoCamera * camera)
{
  GstStructure *s = gst_stereo_meta_new (buffer, GST_STEREO_CAMERA_META);

  gst_structure_set (s,
      "view", G_TYPE_STRING, camera->is_right ? "right" : "left",
      "focal-length", G_TYPE_DOUBLE, camera->focal_length,
      "cx", G_TYPE_DOUBLE, camera->cx, "cy", G_TYPE_DOUBLE, camera->cy, NULL);
  if (camera->baseline > 0)
    gst_structure_set (s, "baseline", G_TYPE_DOUBLE, camera->baseline,
        "doffs", G_TYPE_DOUBLE, camera->doffs, NULL);
  gst_stereo_meta_set_projection (s, camera->projection);
}

gboolean
gst_stereo_camera_meta_get (GstBuffer * buffer, GstStereoCamera * camera)
{
  GstStereoCamera c = { 0, };
  const GstStructure *s = gst_stereo_meta_find (buffer,
      GST_STEREO_CAMERA_META);

  if (s == NULL
      || !gst_structure_get_double (s, "focal-length", &c.focal_length)
      || !gst_structure_get_double (s, "cx", &c.cx)
      || !gst_structure_get_double (s, "cy", &c.cy)
      || !gst_stereo_meta_get_projection (s, &c.projection)
      || !(c.focal_length > 0 && isfinite (c.focal_length)))
    return FALSE;
  c.is_right = g_strcmp0 (gst_structure_get_string (s, "view"), "right") == 0;
  gst_structure_get_double (s, "baseline", &c.baseline);
  gst_structure_get_double (s, "doffs", &c.doffs);
  *camera = c;
  return TRUE;
}
