/* gst-stereomatching: alignment of the views of a side
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "alignment.h"

#include "elements.h"
#include "message.h"
#include "stereo.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- a matcher */

gboolean
tune_alignment_corrects (GstElement * matcher)
{
  g_autoptr (JsonNode) mode = tune_property_get (matcher,
      tune_properties_find (matcher, TUNE_ALIGNMENT));

  return g_strcmp0 (tune_json_string (mode), "correct") == 0;
}

gchar *
tune_alignment_correction (GstElement * matcher)
{
  gchar *text = NULL;

  g_object_get (matcher, "correction", &text, NULL);
  return text != NULL ? text : g_strdup ("");
}

gchar *
tune_alignment_file (GstElement * matcher)
{
  g_autofree gchar *text = tune_alignment_correction (matcher);
  StereoCorrection correction;
  gchar *file;

  if (text[0] == '\0'
      || stereo_correction_parse (text, &correction, NULL) != STEREO_OK)
    return NULL;
  file = g_malloc (STEREO_CORRECTION_FILE_SIZE);
  stereo_correction_format_opencv (&correction, file);
  return file;
}

gboolean
tune_alignment_is_applied (GstElement * matcher, GstSample * view)
{
  g_autofree gchar *wanted = tune_alignment_correction (matcher);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (gst_sample_get_buffer
      (view), "GstStereoCameraMeta");
  const gchar *found = meta != NULL ? gst_structure_get_string
      (gst_custom_meta_get_structure (meta), "correction") : NULL;

  return strcmp (found != NULL ? found : "", wanted) == 0;
}

/* Adds a field that pages show; others would only make messages longer. */
static gboolean
add_field (GQuark id, const GValue * value, gpointer data)
{
  static const gchar *const shown[] = { "status", "text", "serial", "matches",
    "fitting", "rows-median", "rows-95", "rows-sigma", "roll",
    "disparity-sigma", "contrast", "brightness", "sharpness",
    "min-disparity", "max-disparity", NULL
  };
  g_autofree gchar *name = g_strdelimit (g_strdup (g_quark_to_string (id)),
      "-", '_');

  if (!g_strv_contains (shown, g_quark_to_string (id)))
    return TRUE;
  if (G_VALUE_HOLDS_STRING (value))
    json_object_set_string_member (data, name, g_value_get_string (value));
  else if (G_VALUE_HOLDS_DOUBLE (value))
    json_object_set_double_member (data, name, g_value_get_double (value));
  else if (G_VALUE_HOLDS_UINT (value))
    json_object_set_int_member (data, name, g_value_get_uint (value));
  return TRUE;
}

JsonObject *
tune_alignment_report (GstElement * matcher)
{
  JsonObject *object = json_object_new ();
  g_autofree gchar *correction = tune_alignment_correction (matcher);
  g_autoptr (GstStructure) stats = NULL, report = NULL;
  guint64 time = GST_CLOCK_TIME_NONE;

  g_object_get (matcher, "stats", &stats, NULL);
  if (gst_structure_get (stats, TUNE_ALIGNMENT, GST_TYPE_STRUCTURE, &report,
          NULL)) {
    gst_structure_foreach (report, add_field, object);
    gst_structure_get_uint64 (report, "timestamp", &time);
  }
  json_object_set_boolean_member (object, "measured",
      GST_CLOCK_TIME_IS_VALID (time));
  json_object_set_boolean_member (object, "correction",
      correction[0] != '\0');
  return object;
}

/* ------------------------------------------------------------------- points */

struct TuneAligner
{
  StereoDevice *device;
  StereoAlignment *alignment;
};

TuneAligner *
tune_aligner_new (void)
{
  TuneAligner *aligner = g_new0 (TuneAligner, 1);

  /* some milliseconds: threads of its own are not worth it */
  if (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &aligner->device, NULL)
      != STEREO_OK
      || stereo_alignment_new (&aligner->alignment, NULL) != STEREO_OK)
    tune_aligner_free (&aligner);
  return aligner;
}

void
tune_aligner_free (TuneAligner ** aligner)
{
  if (*aligner == NULL)
    return;
  stereo_alignment_free (&(*aligner)->alignment);
  stereo_device_unref (&(*aligner)->device);
  g_clear_pointer (aligner, g_free);
}

/* The library names formats as GStreamer does, with X for alpha. */
static gboolean
find_format (const GstVideoInfo * info, StereoFormat * format)
{
  g_autofree gchar *name = g_strdup (GST_VIDEO_INFO_NAME (info));

  if (GST_VIDEO_INFO_HAS_ALPHA (info))
    g_strdelimit (name, "A", 'X');
  for (guint i = 0; i < STEREO_N_FORMATS; i++) {
    *format = i;
    if (g_ascii_strcasecmp (stereo_format_name (i), name) == 0)
      return TRUE;
  }
  return FALSE;
}

/* FALSE or a frame for gst_video_frame_unmap(). */
static gboolean
map_view (GstSample * sample, GstVideoFrame * frame, StereoImage * image)
{
  StereoFormat format;
  GstVideoInfo info;

  if (sample == NULL
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !find_format (&info, &format)
      || !gst_video_frame_map (frame, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ))
    return FALSE;
  *image = (StereoImage) {
    .format = format,
    .width = GST_VIDEO_FRAME_WIDTH (frame),
    .height = GST_VIDEO_FRAME_HEIGHT (frame),
  };
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (frame); i++) {
    image->plane[i] = GST_VIDEO_FRAME_PLANE_DATA (frame, i);
    image->stride[i] = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
  }
  return TRUE;
}

static JsonArray *
make_point (const StereoAlignmentPoint * point)
{
  const gdouble numbers[] = { point->x, point->y, point->dx, point->dy };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_array_add_double_element (array, round (numbers[i] * 100) / 100);
  json_array_add_int_element (array, point->fits);
  return array;
}

/* Adds the points of the last pair. */
static void
add_points (JsonArray * array, const StereoAlignment * alignment)
{
  const gsize n = stereo_alignment_get_points (alignment, NULL, 0);
  g_autofree StereoAlignmentPoint *points = g_new (StereoAlignmentPoint, n);

  stereo_alignment_get_points (alignment, points, n);
  for (gsize i = 0; i < n; i++)
    json_array_add_array_element (array, make_point (&points[i]));
}

JsonArray *
tune_aligner_match (TuneAligner * aligner, const TunePair * pair)
{
  JsonArray *points = json_array_new ();
  GstVideoFrame frames[2];
  StereoImage left, right;

  if (aligner == NULL || !map_view (pair->left, &frames[0], &left))
    return points;
  if (map_view (pair->right, &frames[1], &right)) {
    stereo_alignment_reset (aligner->alignment);
    if (stereo_alignment_measure (aligner->alignment, aligner->device, &left,
            &right, NULL, NAN, NULL) == STEREO_OK)
      add_points (points, aligner->alignment);
    gst_video_frame_unmap (&frames[1]);
  }
  gst_video_frame_unmap (&frames[0]);
  return points;
}
