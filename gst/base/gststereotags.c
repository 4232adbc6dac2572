/* gst-stereomatching: tags that describe the maps of a stream
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereotags.h"

#include "base/gststereodebug.h"

#include <string.h>

/* --------------------------------------------------------------------- send */

static GstTagList *
make_tags (GstStructure * s, const GstVideoInfo * info)
{
  GstTagList *tags = gst_tag_list_new_empty ();
  gchar *text;

  gst_structure_remove_fields (s, "left-pts", "right-pts", "backend", NULL);
  gst_structure_set (s, "format", G_TYPE_STRING, GST_VIDEO_INFO_NAME (info),
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (info),
      "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (info), NULL);
  text = gst_structure_to_string (s);
  gst_tag_list_set_scope (tags, GST_TAG_SCOPE_STREAM);
  gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, GST_TAG_COMMENT, text, NULL);
  g_free (text);
  gst_structure_free (s);
  return tags;
}

/* Without the fields of a single frame.  Bytes between fields are undefined, so
 * that memcmp() would find differences in every frame. */
static gboolean
disparities_equal (const GstStereoDisparity * a, const GstStereoDisparity * b)
{
  return a->result == b->result && a->scale == b->scale
      && a->offset == b->offset && a->disparity_scale == b->disparity_scale
      && a->min_disparity == b->min_disparity
      && a->num_disparities == b->num_disparities
      && a->invalid_value == b->invalid_value && a->filled == b->filled
      && g_strcmp0 (a->algorithm, b->algorithm) == 0
      && a->weights == b->weights
      && a->focal_length == b->focal_length && a->baseline == b->baseline
      && a->doffs == b->doffs && a->projection == b->projection
      && a->has_center == b->has_center
      && a->cx == b->cx && a->cy == b->cy;
}

static gboolean
depths_equal (const GstStereoDepth * a, const GstStereoDepth * b)
{
  return a->scale == b->scale && a->range_min == b->range_min
      && a->range_max == b->range_max && a->projection == b->projection
      && a->focal_length == b->focal_length
      && a->baseline == b->baseline && a->has_center == b->has_center
      && a->cx == b->cx && a->cy == b->cy;
}

/* Notes the tags to send.  FALSE if they were the last ones sent. */
static gboolean
update_sent (GstStereoSentTags * sent, GstStereoSentTags * now,
    const GstVideoInfo * info)
{
  now->valid = TRUE;
  now->format = GST_VIDEO_INFO_FORMAT (info);
  now->width = GST_VIDEO_INFO_WIDTH (info);
  now->height = GST_VIDEO_INFO_HEIGHT (info);
  if (sent->valid && sent->format == now->format && sent->width == now->width
      && sent->height == now->height
      && disparities_equal (&sent->disparity, &now->disparity)
      && depths_equal (&sent->depth, &now->depth))
    return FALSE;
  *sent = *now;
  return TRUE;
}

GstTagList *
gst_stereo_tags_of_disparity (GstStereoSentTags * sent,
    const GstStereoDisparity * disparity, const GstVideoInfo * info)
{
  GstStereoSentTags now = {.disparity = *disparity };
  GstStructure *s;

  if (!update_sent (sent, &now, info))
    return NULL;
  s = gst_structure_new_empty (GST_STEREO_DISPARITY_META);
  gst_stereo_meta_fill (s, disparity);
  return make_tags (s, info);
}

GstTagList *
gst_stereo_tags_of_depth (GstStereoSentTags * sent,
    const GstStereoDepth * depth, const GstVideoInfo * info)
{
  GstStereoSentTags now = {.depth = *depth };
  GstStructure *s;

  if (!update_sent (sent, &now, info))
    return NULL;
  s = gst_structure_new_empty (GST_STEREO_DEPTH_META);
  gst_stereo_depth_meta_fill (s, depth);
  return make_tags (s, info);
}

void
gst_stereo_pending_tags_update (GstStereoPendingTags * self,
    const GstStereoDisparity * disparity, const GstVideoInfo * info)
{
  GstTagList *tags = gst_stereo_tags_of_disparity (&self->last, disparity,
      info);

  if (tags == NULL)
    return;
  gst_clear_event (&self->event);
  self->event = gst_event_new_tag (tags);
}

void
gst_stereo_pending_tags_send (GstStereoPendingTags * self, GstPad * pad)
{
  if (self->event != NULL)
    gst_pad_push_event (pad, g_steal_pointer (&self->event));
}

void
gst_stereo_pending_tags_clear (GstStereoPendingTags * self)
{
  gst_clear_event (&self->event);
  memset (self, 0, sizeof (*self));
}

/* ------------------------------------------------------------------ receive */

void
gst_stereo_tags_start_stream (GstStereoTags * self)
{
  g_clear_pointer (&self->disparity, gst_structure_free);
  g_clear_pointer (&self->depth, gst_structure_free);
}

void
gst_stereo_tags_clear (GstStereoTags * self)
{
  gst_stereo_tags_start_stream (self);
  self->warned = FALSE;
}

/* Keeps a comment with such fields. */
static gboolean
keep_comment (GstStereoTags * self, const gchar * comment)
{
  GstStructure *s, **place;

  if (g_str_has_prefix (comment, GST_STEREO_DISPARITY_META ","))
    place = &self->disparity;
  else if (g_str_has_prefix (comment, GST_STEREO_DEPTH_META ","))
    place = &self->depth;
  else
    return FALSE;
  s = gst_structure_from_string (comment, NULL);
  if (s == NULL)
    return FALSE;
  /* a stream has maps of one kind */
  gst_stereo_tags_start_stream (self);
  *place = s;
  return TRUE;
}

GstEvent *
gst_stereo_tags_take (GstStereoTags * self, GstEvent * event)
{
  GstTagList *tags, *others;
  GstEvent *result;
  gboolean any = FALSE;

  gst_event_parse_tag (event, &tags);
  others = gst_tag_list_copy (tags);
  gst_tag_list_remove_tag (others, GST_TAG_COMMENT);
  for (guint i = 0; i < gst_tag_list_get_tag_size (tags, GST_TAG_COMMENT);
      i++) {
    const gchar *comment;

    if (!gst_tag_list_peek_string_index (tags, GST_TAG_COMMENT, i, &comment))
      continue;
    if (keep_comment (self, comment))
      any = TRUE;
    else
      gst_tag_list_add (others, GST_TAG_MERGE_APPEND, GST_TAG_COMMENT, comment,
          NULL);
  }
  if (!any) {
    gst_tag_list_unref (others);
    return event;
  }
  result = gst_tag_list_is_empty (others) ? NULL : gst_event_new_tag
      (gst_tag_list_ref (others));
  if (result != NULL)
    gst_event_set_seqnum (result, gst_event_get_seqnum (event));
  gst_tag_list_unref (others);
  gst_event_unref (event);
  return result;
}

static gboolean
is_of (const GstStructure * s, const GstVideoInfo * info)
{
  gint width, height;

  return s != NULL && gst_structure_get_int (s, "width", &width)
      && gst_structure_get_int (s, "height", &height)
      && width == GST_VIDEO_INFO_WIDTH (info)
      && height == GST_VIDEO_INFO_HEIGHT (info)
      && g_strcmp0 (gst_structure_get_string (s, "format"),
      GST_VIDEO_INFO_NAME (info)) == 0;
}

gboolean
gst_stereo_tags_get_disparity (const GstStereoTags * self, GstBuffer * buffer,
    const GstVideoInfo * info, GstStereoDisparity * disparity)
{
  return gst_stereo_meta_get (buffer, disparity)
      || (is_of (self->disparity, info)
      && gst_stereo_meta_read (self->disparity, disparity));
}

gboolean
gst_stereo_tags_get_depth (const GstStereoTags * self, GstBuffer * buffer,
    const GstVideoInfo * info, GstStereoDepth * depth)
{
  return gst_stereo_depth_meta_get (buffer, depth) || (is_of (self->depth,
          info) && gst_stereo_depth_meta_read (self->depth, depth));
}

/* ---------------------------------------------------------------- messages */

gchar *
gst_stereo_tags_explain_change (const GstStereoTags * self,
    const GstVideoInfo * info)
{
  const GstStructure *s = self->disparity != NULL ? self->disparity
      : self->depth;
  const gchar *format;
  gint width, height;
  gboolean same_size;

  if (s == NULL || is_of (s, info)
      || (format = gst_structure_get_string (s, "format")) == NULL
      || !gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height))
    return NULL;
  same_size = width == GST_VIDEO_INFO_WIDTH (info)
      && height == GST_VIDEO_INFO_HEIGHT (info);
  return g_strdup_printf ("The maps were scaled, cropped or converted: their "
      "metadata describes %s of %dx%d, but they are %s of %dx%d. %s", format,
      width, height, GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), same_size ? "Remove the conversion"
      : "Scale the views, not the map");
}

gchar *
gst_stereo_tags_describe_codes (gdouble scale, gint minimum, gint invalid)
{
  gchar *code = invalid >= 0 ? g_strdup_printf ("code %d", invalid)
      : g_strdup ("no code");
  gchar *text = g_strdup_printf ("%g codes per pixel, from %d pixels on, and "
      "%s for invalid ones", scale, minimum, code);

  g_free (code);
  return text;
}

void
gst_stereo_tags_warn (GstStereoTags * self, const GstVideoInfo * info,
    GstElement * element, const gchar * assumed, const gchar * properties)
{
  gchar *change, *text;

  if (self->warned)
    return;
  self->warned = TRUE;
  change = gst_stereo_tags_explain_change (self, info);
  text = change != NULL
      ? g_strdup_printf ("%s, or set %s. Assuming %s.", change, properties,
      assumed)
      : g_strdup_printf ("The maps have no metadata: assuming %s. Set %s.",
      assumed, properties);
  /* twice, because gst-launch shows the second one */
  GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s", text), ("%s", text));
  g_free (text);
  g_free (change);
}
