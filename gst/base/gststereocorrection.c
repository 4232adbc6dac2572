/* gst-stereomatching: corrections of views, on their way upstream and back
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocorrection.h"

#include "base/gststereocamerameta.h"
#include "base/gststereofailure.h"
#include "base/gststereometa.h"

#include <string.h>

#define META_SERIAL "correction-serial"
#define META_CORRECTION "correction"

/* ------------------------------------------------------------------- events */

GstEvent *
gst_stereo_correction_event_new (const GstStereoCorrectionRequest * request)
{
  gchar text[STEREO_CORRECTION_TEXT_SIZE];

  stereo_correction_format (&request->correction, text);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new (GST_STEREO_CORRECTION_EVENT,
          "serial", G_TYPE_UINT, request->correction.serial,
          "view", G_TYPE_STRING, request->is_right ? "right" : "left",
          "correction", G_TYPE_STRING, text, NULL));
}

gboolean
gst_stereo_correction_event_check (GstEvent * event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
      && gst_event_has_name (event, GST_STEREO_CORRECTION_EVENT);
}

gboolean
gst_stereo_correction_event_parse (GstEvent * event,
    GstStereoCorrectionRequest * request, StereoMessage * why)
{
  const GstStructure *s = gst_event_get_structure (event);
  const gchar *view = gst_structure_get_string (s, "view");
  const gchar *text = gst_structure_get_string (s, "correction");
  StereoCorrection correction;
  StereoMessage reason;
  guint serial = 0;

  if (!gst_structure_get_uint (s, "serial", &serial) || serial == 0)
    return GST_STEREO_REFUSE (why, "has no serial above 0");
  if (g_strcmp0 (view, "left") != 0 && g_strcmp0 (view, "right") != 0)
    return GST_STEREO_REFUSE (why, "names neither the left nor the right view");
  if (text == NULL)
    return GST_STEREO_REFUSE (why, "has no correction");
  if (stereo_correction_parse (text, &correction, &reason) != STEREO_OK)
    return GST_STEREO_REFUSE (why, "has an invalid correction: %s",
        reason.text);
  correction.serial = serial;
  request->is_right = strcmp (view, "right") == 0;
  request->correction = correction;
  return TRUE;
}

/* -------------------------------------------------------------- corrections */

gboolean
gst_stereo_correction_is_identity (const StereoCorrection * correction)
{
  for (guint i = 0; i < STEREO_N_CORRECTIONS; i++) {
    /* a focal length alone moves nothing */
    if (i != STEREO_CORRECTION_FOCAL && correction->values[i] != 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_stereo_correction_equal (const StereoCorrection * a,
    const StereoCorrection * b)
{
  if (a->width != b->width || a->height != b->height
      || a->focal_length != b->focal_length)
    return FALSE;
  for (guint i = 0; i < STEREO_N_CORRECTIONS; i++) {
    if (a->values[i] != b->values[i])
      return FALSE;
  }
  return TRUE;
}

/* ------------------------------------------------------------------ buffers */

void
gst_stereo_correction_add_to_buffer (GstBuffer * buffer,
    const StereoCorrection * correction)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_STEREO_CAMERA_META);
  GstStructure *s = meta != NULL ? gst_custom_meta_get_structure (meta)
      : gst_stereo_meta_new (buffer, GST_STEREO_CAMERA_META);
  gchar text[STEREO_CORRECTION_TEXT_SIZE];

  stereo_correction_format (correction, text);
  gst_structure_set (s, META_SERIAL, G_TYPE_UINT, correction->serial,
      META_CORRECTION, G_TYPE_STRING, text, NULL);
}

gboolean
gst_stereo_correction_of_buffer (GstBuffer * buffer,
    StereoCorrection * correction)
{
  const GstStructure *s = gst_stereo_meta_find (buffer,
      GST_STEREO_CAMERA_META);
  StereoMessage why;
  const gchar *text;
  guint serial = 0;

  if (s == NULL || !gst_structure_has_field (s, META_CORRECTION))
    return FALSE;
  text = gst_structure_get_string (s, META_CORRECTION);
  if (text == NULL || !gst_structure_get_uint (s, META_SERIAL, &serial)
      || stereo_correction_parse (text, correction, &why) != STEREO_OK)
    memset (correction, 0, sizeof (*correction));
  correction->serial = serial;
  return TRUE;
}
