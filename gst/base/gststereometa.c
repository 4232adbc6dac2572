/* gst-stereomatching: metadata of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereometa.h"

#include <gst/video/video.h>

#include <math.h>
#include <string.h>

const gchar *gst_stereo_meta_tags[] = {
  GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
  GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, NULL
};

const gchar *const gst_stereo_frame_meta_tags[] = {
  GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, NULL
};

const gchar *gst_stereo_picture_meta_tags[] = {
  GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
  GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
};

void
gst_stereo_meta_register_name (const gchar * name, const gchar ** tags,
    GstCustomMetaTransformFunction transform)
{
  static GMutex lock;

  g_mutex_lock (&lock);
  /* another version of the plugin may have registered it */
  if (gst_meta_get_info (name) == NULL)
    gst_meta_register_custom (name, tags, transform, NULL, NULL);
  g_mutex_unlock (&lock);
}

GstStructure *
gst_stereo_meta_new (GstBuffer * buffer, const gchar * name)
{
  return gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer,
          name));
}

const GstStructure *
gst_stereo_meta_find (GstBuffer * buffer, const gchar * name)
{
  GstCustomMeta *meta = gst_meta_get_info (name) == NULL ? NULL
      : gst_buffer_get_custom_meta (buffer, name);

  return meta == NULL ? NULL : gst_custom_meta_get_structure (meta);
}

void
gst_stereo_meta_register (void)
{
  gst_stereo_meta_register_name (GST_STEREO_DISPARITY_META,
      gst_stereo_meta_tags, NULL);
}

void
gst_stereo_meta_set_projection (GstStructure * s, StereoProjection projection)
{
  if (projection == STEREO_PROJECTION_CYLINDER)
    gst_structure_set (s, "projection", G_TYPE_STRING, "cylinder", NULL);
}

gboolean
gst_stereo_meta_get_projection (const GstStructure * s,
    StereoProjection * projection)
{
  const gchar *name = gst_structure_get_string (s, "projection");

  *projection = STEREO_PROJECTION_PLANE;
  if (!gst_structure_has_field (s, "projection")
      || g_strcmp0 (name, "plane") == 0)
    return TRUE;
  *projection = STEREO_PROJECTION_CYLINDER;
  return g_strcmp0 (name, "cylinder") == 0;
}

void
gst_stereo_meta_add (GstBuffer * buffer, const GstStereoDisparity * disparity)
{
  gst_stereo_meta_fill (gst_stereo_meta_new (buffer,
          GST_STEREO_DISPARITY_META), disparity);
}

void
gst_stereo_meta_fill (GstStructure * s, const GstStereoDisparity * disparity)
{
  gdouble scale = disparity->scale, offset = disparity->offset;

  if (disparity->result == STEREO_RESULT_DISPARITY) {
    scale = disparity->disparity_scale;
    offset = -(gdouble) disparity->min_disparity * scale;
    gst_structure_set (s,
        "disparity-scale", G_TYPE_DOUBLE, disparity->disparity_scale,
        "min-disparity", G_TYPE_INT, disparity->min_disparity,
        "num-disparities", G_TYPE_UINT, disparity->num_disparities,
        "filled", G_TYPE_BOOLEAN, disparity->filled, NULL);
  }
  if (disparity->invalid_value != GST_STEREO_META_NO_INVALID)
    gst_structure_set (s,
        "invalid-value", G_TYPE_UINT, disparity->invalid_value, NULL);
  gst_structure_set (s,
      "result", G_TYPE_STRING, stereo_result_name (disparity->result),
      "scale", G_TYPE_DOUBLE, scale,
      "offset", G_TYPE_DOUBLE, offset + 0.0,    /* no negative zero */
      "reference-view", G_TYPE_STRING, "left",
      "left-pts", G_TYPE_UINT64, disparity->left_pts,
      "right-pts", G_TYPE_UINT64, disparity->right_pts,
      "algorithm", G_TYPE_STRING, disparity->algorithm,
      "backend", G_TYPE_STRING, disparity->backend, NULL);
  if (disparity->weights != 0)
    gst_structure_set (s, "weights", G_TYPE_UINT, disparity->weights, NULL);
  if (disparity->focal_length > 0)
    gst_structure_set (s, "focal-length", G_TYPE_DOUBLE,
        disparity->focal_length, NULL);
  if (disparity->baseline > 0)
    gst_structure_set (s, "baseline", G_TYPE_DOUBLE, disparity->baseline,
        "doffs", G_TYPE_DOUBLE, disparity->doffs, NULL);
  if (disparity->has_center)
    gst_structure_set (s, "cx", G_TYPE_DOUBLE, disparity->cx,
        "cy", G_TYPE_DOUBLE, disparity->cy, NULL);
  gst_stereo_meta_set_projection (s, disparity->projection);
}

/* A map without this field is a disparity map. */
static gboolean
get_result (const GstStructure * s, StereoResult * result)
{
  const gchar *name = gst_structure_get_string (s, "result");

  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (name == NULL
        || strcmp (name, stereo_result_name ((StereoResult) i)) == 0) {
      *result = (StereoResult) i;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
gst_stereo_meta_get (GstBuffer * buffer, GstStereoDisparity * disparity)
{
  const GstStructure *s = gst_stereo_meta_find (buffer,
      GST_STEREO_DISPARITY_META);

  return s != NULL && gst_stereo_meta_read (s, disparity);
}

gboolean
gst_stereo_meta_read (const GstStructure * s, GstStereoDisparity * disparity)
{
  GstStereoDisparity d = { 0, };
  gboolean has_invalid;

  d.left_pts = d.right_pts = GST_CLOCK_TIME_NONE;
  if (!get_result (s, &d.result)
      || !gst_stereo_meta_get_projection (s, &d.projection))
    return FALSE;
  has_invalid = gst_structure_get_uint (s, "invalid-value", &d.invalid_value);
  if (!has_invalid)
    d.invalid_value = GST_STEREO_META_NO_INVALID;
  if (d.result == STEREO_RESULT_DISPARITY) {
    if (!gst_structure_get_double (s, "disparity-scale", &d.disparity_scale)
        || !gst_structure_get_int (s, "min-disparity", &d.min_disparity)
        || !gst_structure_get_uint (s, "num-disparities", &d.num_disparities)
        || !has_invalid || d.num_disparities == 0)
      return FALSE;
    d.scale = d.disparity_scale;
    d.offset = -(gdouble) d.min_disparity * d.scale + 0.0;
  } else if (!gst_structure_get_double (s, "scale", &d.scale)
      || !gst_structure_get_double (s, "offset", &d.offset)
      || !isfinite (d.offset)) {
    return FALSE;
  }
  if (!(d.scale > 0))
    return FALSE;
  gst_structure_get_boolean (s, "filled", &d.filled);
  gst_structure_get_uint64 (s, "left-pts", &d.left_pts);
  gst_structure_get_uint64 (s, "right-pts", &d.right_pts);
  d.algorithm = gst_structure_get_string (s, "algorithm");
  gst_structure_get_uint (s, "weights", &d.weights);
  d.backend = gst_structure_get_string (s, "backend");
  gst_structure_get_double (s, "focal-length", &d.focal_length);
  gst_structure_get_double (s, "baseline", &d.baseline);
  gst_structure_get_double (s, "doffs", &d.doffs);
  d.has_center = gst_structure_get_double (s, "cx", &d.cx)
      && gst_structure_get_double (s, "cy", &d.cy);
  *disparity = d;
  return TRUE;
}

gboolean
gst_stereo_meta_is_about (const GstMeta * meta, const gchar * const * about)
{
  const GType api = meta->info->api;
  const gchar *const *tags = gst_meta_api_type_get_tags (api);

  /* parents have a tag since 1.20 only */
  if (api == GST_VIDEO_META_API_TYPE || api == GST_VIDEO_CROP_META_API_TYPE
      || api == GST_PARENT_BUFFER_META_API_TYPE)
    return FALSE;
  for (; tags != NULL && *tags != NULL; tags++) {
    if (!g_strv_contains (about, *tags))
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_stereo_meta_survives (const GstMeta * meta)
{
  return gst_stereo_meta_is_about (meta, gst_stereo_picture_meta_tags)
      && g_strcmp0 (g_type_name (meta->info->type), GST_STEREO_DISPARITY_META)
      != 0;
}

void
gst_stereo_meta_copy (GstMeta * meta, GstBuffer * from, GstBuffer * to)
{
  GstMetaTransformCopy whole = { FALSE, 0, (gsize) - 1 };

  if (meta->info->transform_func != NULL)
    meta->info->transform_func (to, meta, from, _gst_meta_transform_copy,
        &whole);
}

typedef struct
{
  GstBuffer *to;
  const gchar *const *about;
} Copying;

static gboolean
copy_meta (GstBuffer * from, GstMeta ** meta, gpointer user_data)
{
  const Copying *copying = user_data;

  if (gst_stereo_meta_is_about (*meta, copying->about))
    gst_stereo_meta_copy (*meta, from, copying->to);
  return TRUE;
}

void
gst_stereo_meta_copy_about (GstBuffer * from, GstBuffer * to,
    const gchar * const * about)
{
  Copying copying = { to, about };

  gst_buffer_foreach_meta (from, copy_meta, &copying);
}
