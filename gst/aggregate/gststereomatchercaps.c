/* gst-stereomatching: caps of the views and results of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereocapslimit.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT

gboolean
gst_stereo_matcher_same_size (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b)
      && GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b);
}

/* ------------------------------------------------------------------- errors */

static void
post_downstream_error (GstStereoMatcher * self, StereoResult result,
    const GstVideoInfo * left, const GstCaps * downstream)
{
  static const gchar *const what[STEREO_N_RESULTS] = {
    "a disparity map", "a map of vertical disparities", "a confidence map"
  };
  const gchar *formats = result == STEREO_RESULT_VERTICAL ? "GRAY16_LE"
      : "GRAY16_LE or GRAY8";

  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("Downstream does not accept %s of %dx%d at %d/%d frames per second in "
          "%s, the size and rate of the left view: put videoconvert, "
          "videoscale or videorate behind the element.", what[result],
          GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
          GST_VIDEO_INFO_FPS_N (left), GST_VIDEO_INFO_FPS_D (left), formats),
      ("downstream accepts %" GST_PTR_FORMAT, downstream));
}

void
gst_stereo_matcher_post_downstream_error (GstStereoAggregator * aggregator,
    GstStereoResultPad * pad, const GstCaps * downstream)
{
  post_downstream_error (GST_STEREO_MATCHER (aggregator), pad->result,
      &aggregator->out_info, downstream);
}

/* Posts the reason why a view does not accept the caps. */
static void
post_caps_error (GstStereoMatcher * self, gint view, const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (s, "format");
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  gchar *problem;
  gint width = 0, height = 0;

  if (!gst_structure_has_name (s, "video/x-raw")) {
    problem = g_strdup_printf ("%s; it accepts raw video, so put a decoder "
        "before it", gst_structure_get_name (s));
  } else if (!gst_caps_features_is_equal (features,
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
      && !gst_stereo_cuda_caps (caps)) {
    gchar *name = gst_caps_features_to_string (features);

    problem = g_strdup_printf ("video in %s; it accepts video in system "
        "memory and CUDA memory, so put an element that downloads it before it",
        name);
    g_free (name);
  } else if (!gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height)
      || width < 1 || width > STEREO_MAX_SIZE
      || height < 1 || height > STEREO_MAX_SIZE) {
    problem = g_strdup_printf ("images of %dx%d; it accepts 1x1 to %dx%d",
        width, height, STEREO_MAX_SIZE, STEREO_MAX_SIZE);
  } else if (!gst_structure_has_field (s, "framerate")) {
    problem = g_strdup ("video without a frame rate; set framerate in its "
        "caps, to 0/1 if it is unknown");
  } else {
    problem = g_strdup_printf ("video in the format %s; put videoconvert "
        "before it", format ? format : "(none)");
  }
  STEREO_ERROR (self, STREAM, FORMAT,
      ("%s does not accept %s.", gst_stereo_input_names[view], problem),
      ("caps %" GST_PTR_FORMAT, caps));
  g_free (problem);
}

/* -------------------------------------------------------------------- views */

/* Limits caps to the sizes and rates that the peer of a source pad accepts. */
static GstCaps *
limit_to_downstream (GstCaps * caps, GstPad * src)
{
  static const gchar *const fields[] = { "width", "height", "framerate",
    "pixel-aspect-ratio", NULL
  };
  GstCaps *filter = gst_pad_get_pad_template_caps (src);
  GstCaps *peer = gst_pad_peer_query_caps (src, filter);

  caps = gst_stereo_caps_limit (caps, peer, fields, TRUE);
  gst_caps_unref (peer);
  gst_caps_unref (filter);
  return caps;
}

/* The template, limited to what downstream accepts of all results; the size and
 * rate of the other view first. */
GstCaps *
gst_stereo_matcher_get_sink_caps (GstStereoAggregator * aggregator, gint input)
{
  static const gchar *const fields[] = { "width", "height", "framerate",
    "max-framerate", NULL
  };
  GPtrArray *pads = gst_stereo_aggregator_get_result_pads (aggregator);
  GstCaps *caps = limit_to_downstream (gst_pad_get_pad_template_caps
      (GST_PAD (aggregator->sink[input])), GST_AGGREGATOR_SRC_PAD (aggregator));

  for (guint i = 0; i < pads->len; i++)
    caps = limit_to_downstream (caps, pads->pdata[i]);
  g_ptr_array_unref (pads);
  if (gst_stereo_device_has_context (&aggregator->device))
    caps = gst_stereo_cuda_prefer (caps);
  return gst_stereo_aggregator_prefer_caps_of (aggregator, !input, caps,
      fields);
}

static GstPadProbeReturn
probe_caps (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!gst_stereo_aggregator_accepts (pad, caps))
      post_caps_error (GST_STEREO_MATCHER (user_data),
          gst_stereo_aggregator_find_input (pad), caps);
  }
  return GST_PAD_PROBE_OK;
}

void
gst_stereo_matcher_add_caps_probes (GstStereoMatcher * self)
{
  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++)
    gst_pad_add_probe (GST_PAD (self->parent.sink[i]),
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, probe_caps, self, NULL);
}

/* Matching assumes that all rows were exposed at the same time. */
static void
warn_of_fields (GstStereoMatcher * self, gint view, const GstVideoInfo * info)
{
  if (!GST_VIDEO_INFO_IS_INTERLACED (info) || self->warned_of_fields[view])
    return;
  self->warned_of_fields[view] = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The video on %s is interlaced (interlace-mode=%s), so every other row "
          "was taken at another time: put deinterlace before it.",
          gst_stereo_input_names[view],
          gst_video_interlace_mode_to_string (GST_VIDEO_INFO_INTERLACE_MODE
              (info))), (NULL));
}

/* The multiview mode names another view than the pad, or both. */
static void
warn_of_other_views (GstStereoMatcher * self, gint view,
    const GstVideoInfo * info)
{
  static const GstVideoMultiviewMode other[] = {
    GST_VIDEO_MULTIVIEW_MODE_RIGHT, GST_VIDEO_MULTIVIEW_MODE_LEFT
  };
  const GstVideoMultiviewMode mode = GST_VIDEO_INFO_MULTIVIEW_MODE (info);
  const gchar *name = gst_video_multiview_mode_to_caps_string (mode);

  if ((mode != other[view] && mode <= GST_VIDEO_MULTIVIEW_MODE_RIGHT)
      || self->warned_of_views[view])
    return;
  self->warned_of_views[view] = TRUE;
  if (mode == other[view])
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The video on %s has multiview-mode=%s: link it to %s, or nothing "
            "will match.", gst_stereo_input_names[view], name,
            gst_stereo_input_names[!view]), (NULL));
  else
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The video on %s has multiview-mode=%s, so it contains both views: "
            "put stereosplit before it.", gst_stereo_input_names[view], name),
        (NULL));
}

/* With a negative offset, a left image waits for its later partner. */
void
gst_stereo_matcher_update_latency (GstStereoMatcher * self)
{
  GstClockTime wait;

  GST_OBJECT_LOCK (self);
  wait = self->frame_duration;
  if (self->right_offset < 0)
    wait += (GstClockTime) -self->right_offset;
  GST_OBJECT_UNLOCK (self);
  gst_aggregator_set_latency (GST_AGGREGATOR (self), wait, wait);
}

gboolean
gst_stereo_matcher_set_caps (GstStereoAggregator * aggregator, gint input,
    GstCaps * caps, const GstVideoInfo * info)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  StereoFormat format;

  if (!gst_stereo_format (GST_VIDEO_INFO_FORMAT (info), &format)) {
    post_caps_error (self, input, caps);
    return FALSE;
  }
  warn_of_fields (self, input, info);
  warn_of_other_views (self, input, info);
  self->caps_serial[input] = ++self->next_caps_serial;
  gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));

  if (input == LEFT) {
    GST_OBJECT_LOCK (self);
    self->frame_duration = GST_VIDEO_INFO_FPS_N (info) > 0
        ? gst_stereo_frame_duration (info) : 0;
    GST_OBJECT_UNLOCK (self);
    gst_stereo_matcher_update_latency (self);
  }
  return TRUE;
}

/* ------------------------------------------------------------------ results */

/* GstAggregator gives up without a message if downstream accepts none of the
 * pad's caps. */
gboolean
gst_stereo_matcher_negotiate (GstAggregator * aggregator)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstCaps *template, *possible, *downstream;

  if (gst_stereo_aggregator_get_parent_class ()->negotiate (aggregator))
    return TRUE;

  template = gst_pad_get_pad_template_caps (aggregator->srcpad);
  possible = gst_pad_peer_query_caps (aggregator->srcpad, template);
  if (gst_stereo_aggregator_get_info (&self->parent, info, 1)
      && gst_caps_is_empty (possible)) {
    downstream = gst_pad_peer_query_caps (aggregator->srcpad, NULL);
    post_downstream_error (self, STEREO_RESULT_DISPARITY, &info[LEFT],
        downstream);
    gst_caps_unref (downstream);
  }
  gst_caps_unref (possible);
  gst_caps_unref (template);
  return FALSE;
}

/* The template of a source pad, with the shape of a video. */
static GstCaps *
make_src_caps (GstPad * src, const GstVideoInfo * shape)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (src);

  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps,
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (shape),
      "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (shape),
      "pixel-aspect-ratio", GST_TYPE_FRACTION, GST_VIDEO_INFO_PAR_N (shape),
      GST_VIDEO_INFO_PAR_D (shape), NULL);
  gst_stereo_caps_set_framerate (caps, shape);
  return caps;
}

GstCaps *
gst_stereo_matcher_get_result_caps (GstStereoAggregator * aggregator,
    GstStereoResultPad * pad)
{
  return make_src_caps (GST_PAD (pad), &aggregator->out_info);
}

/* Fixed caps for the output, of the left view's shape. */
GstFlowReturn
gst_stereo_matcher_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstCaps *wanted, *caps;

  /* aggregate() negotiates again when a pair has equal sizes. */
  if (!gst_stereo_aggregator_get_info (&self->parent, info, GST_STEREO_N_VIEWS)
      || !gst_stereo_matcher_same_size (&info[LEFT], &info[RIGHT]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;

  wanted = make_src_caps (aggregator->srcpad, &info[LEFT]);
  /* GRAY16_LE first, unless downstream prefers another format. */
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  gst_caps_unref (wanted);
  if (gst_caps_is_empty (caps)) {
    post_downstream_error (self, STEREO_RESULT_DISPARITY, &info[LEFT],
        downstream);
    gst_caps_unref (caps);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  *result = gst_caps_fixate (caps);
  return GST_FLOW_OK;
}
