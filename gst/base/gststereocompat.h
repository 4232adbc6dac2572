/* gst-stereomatching: functions of GStreamer 1.20 for 1.18
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Functions and macros of GStreamer 1.20 under their names, for 1.18.  Metadata
 * has the same names, tags and fields, but applications need this file to read
 * it, because 1.18 has no custom metadata.
 */

#ifndef GST_STEREO_COMPAT_H
#define GST_STEREO_COMPAT_H

#include <gst/gst.h>
#include <gst/video/video.h>

#if !GST_CHECK_VERSION (1, 20, 0)

/* ----------------------------------------------------------------- elements */

#define GST_ELEMENT_REGISTER_DECLARE(name) \
  gboolean gst_element_register_##name (GstPlugin * plugin);

#define GST_ELEMENT_REGISTER_DEFINE(name, factory, rank, type) \
  gboolean \
  gst_element_register_##name (GstPlugin * plugin) \
  { \
    return gst_element_register (plugin, factory, rank, type); \
  }

#define GST_ELEMENT_REGISTER(name, plugin) \
  gst_element_register_##name (plugin)

#define gst_element_request_pad_simple gst_element_get_request_pad

/* -------------------------------------------------------------------- video */

/* does not change the information, as its type says since 1.20 */
#define gst_video_frame_map(frame, info, buffer, flags) \
  gst_video_frame_map (frame, (GstVideoInfo *) (info), buffer, flags)

/* ---------------------------------------------------------- custom metadata */

/* The same in every module of a process, which find it by name. */
typedef struct
{
  GstMeta meta;
  GstStructure *structure;
} GstCustomMeta;

static inline GstStructure *
gst_custom_meta_get_structure (GstCustomMeta * meta)
{
  return meta->structure;
}

static inline GstCustomMeta *
gst_buffer_get_custom_meta (GstBuffer * buffer, const gchar * name)
{
  const GstMetaInfo *info = gst_meta_get_info (name);

  g_return_val_if_fail (info != NULL, NULL);
  return (GstCustomMeta *) gst_buffer_get_meta (buffer, info->api);
}

/* The structure of the new metadata is empty, and writable if the buffer is. */
static inline GstCustomMeta *
gst_buffer_add_custom_meta (GstBuffer * buffer, const gchar * name)
{
  const GstMetaInfo *info = gst_meta_get_info (name);
  GstCustomMeta *custom;

  g_return_val_if_fail (info != NULL, NULL);
  custom = (GstCustomMeta *) gst_buffer_add_meta (buffer, info, NULL);
  custom->structure = gst_structure_new_empty (name);
  gst_structure_set_parent_refcount (custom->structure,
      &GST_MINI_OBJECT_REFCOUNT (buffer));
  return custom;
}

static inline gboolean
gst_stereo_compat_init_meta (GstMeta * meta, G_GNUC_UNUSED gpointer params,
    G_GNUC_UNUSED GstBuffer * buffer)
{
  ((GstCustomMeta *) meta)->structure = NULL;
  return TRUE;
}

static inline void
gst_stereo_compat_free_meta (GstMeta * meta, G_GNUC_UNUSED GstBuffer * buffer)
{
  GstStructure *structure = ((GstCustomMeta *) meta)->structure;

  if (structure == NULL)
    return;
  gst_structure_set_parent_refcount (structure, NULL);
  gst_structure_free (structure);
}

static inline gboolean
gst_stereo_compat_add_field (GQuark field, const GValue * value,
    gpointer structure)
{
  gst_structure_id_set_value (structure, field, value);
  return TRUE;
}

typedef gboolean (*GstCustomMetaTransformFunction) (GstBuffer * to,
    GstCustomMeta * meta, GstBuffer * from, GQuark type, gpointer data,
    gpointer user_data);

/* Of an API, its transform function. */
#define GST_STEREO_COMPAT_TRANSFORM \
    g_quark_from_static_string ("gst-stereo-compat-transform")

/* Copies of whole buffers have the metadata, copies of regions do not. */
static inline gboolean
gst_stereo_compat_transform_meta (GstBuffer * to, GstMeta * meta,
    GstBuffer * from, GQuark type, gpointer data)
{
  const GstStructure *source = ((GstCustomMeta *) meta)->structure;
  GstCustomMetaTransformFunction transform = (GstCustomMetaTransformFunction)
      g_type_get_qdata (meta->info->api, GST_STEREO_COMPAT_TRANSFORM);

  if (transform != NULL)
    return transform (to, (GstCustomMeta *) meta, from, type, data, NULL);
  if (!GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  if (!((GstMetaTransformCopy *) data)->region)
    gst_structure_foreach (source, gst_stereo_compat_add_field,
        gst_buffer_add_custom_meta (to,
            gst_structure_get_name (source))->structure);
  return TRUE;
}

/* The last two arguments are NULL. */
static inline const GstMetaInfo *
gst_meta_register_custom (const gchar * name, const gchar ** tags,
    GstCustomMetaTransformFunction transform,
    G_GNUC_UNUSED gpointer user_data,
    G_GNUC_UNUSED GDestroyNotify destroy_data)
{
  gchar *api_name = g_strdup_printf ("%s-api", name);
  const GType api = gst_meta_api_type_register (api_name, tags);

  g_free (api_name);
  g_type_set_qdata (api, GST_STEREO_COMPAT_TRANSFORM, (gpointer) transform);
  return gst_meta_register (api, name, sizeof (GstCustomMeta),
      gst_stereo_compat_init_meta, gst_stereo_compat_free_meta,
      gst_stereo_compat_transform_meta);
}

#endif /* GStreamer below 1.20 */

#endif /* GST_STEREO_COMPAT_H */
