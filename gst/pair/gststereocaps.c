/* gst-stereomatching: what the pads of a matcher can be, and what they are
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereocuda.h"
#include "base/gststereoformat.h"
#include "base/gststereolimit.h"

/* ------------------------------------------------------------------ compare */

gboolean
gst_stereo_base_same_size (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b)
      && GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b);
}

gboolean
gst_stereo_base_same_shape (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return gst_stereo_base_same_size (a, b)
      && GST_VIDEO_INFO_FPS_N (a) == GST_VIDEO_INFO_FPS_N (b)
      && GST_VIDEO_INFO_FPS_D (a) == GST_VIDEO_INFO_FPS_D (b)
      && GST_VIDEO_INFO_PAR_N (a) == GST_VIDEO_INFO_PAR_N (b)
      && GST_VIDEO_INFO_PAR_D (a) == GST_VIDEO_INFO_PAR_D (b);
}

/* ----------------------------------------------------------------- complain */

void
gst_stereo_base_complain_about_downstream (GstStereoBase * self,
    StereoResult result, const GstVideoInfo * left, const GstCaps * downstream)
{
  static const gchar *const what[STEREO_N_RESULTS] = {
    "a disparity map", "a map of vertical disparities", "a confidence map"
  };
  const gchar *formats = result == STEREO_RESULT_VERTICAL ? "GRAY16_LE"
      : "GRAY16_LE or GRAY8";

  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("What follows can't take %s of %dx%d at %d/%d frames a second in %s: it "
          "has the size and the rate of the left view (put videoconvert, "
          "videoscale or videorate behind the element).", what[result],
          GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
          GST_VIDEO_INFO_FPS_N (left), GST_VIDEO_INFO_FPS_D (left), formats),
      ("downstream takes %" GST_PTR_FORMAT, downstream));
}

void
gst_stereo_base_complain_about_caps (GstStereoBase * self, gint view,
    const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (s, "format");
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  gchar *problem;
  gint width = 0, height = 0;

  if (!gst_structure_has_name (s, "video/x-raw")) {
    problem = g_strdup_printf ("%s; it takes raw video, so put a decoder "
        "before it", gst_structure_get_name (s));
  } else if (!gst_caps_features_is_equal (features,
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
      && !gst_stereo_cuda_caps (caps)) {
    gchar *name = gst_caps_features_to_string (features);

    problem = g_strdup_printf ("video in %s; it takes video in system memory "
        "and in CUDA memory, so put an element that downloads it before it",
        name);
    g_free (name);
  } else if (!gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height)
      || width < 1 || width > STEREO_MAX_SIZE
      || height < 1 || height > STEREO_MAX_SIZE) {
    problem = g_strdup_printf ("images of %dx%d; it takes 1x1 to %dx%d", width,
        height, STEREO_MAX_SIZE, STEREO_MAX_SIZE);
  } else {
    problem = g_strdup_printf ("video in the format %s; put videoconvert "
        "before it", format ? format : "(none)");
  }
  STEREO_ERROR (self, STREAM, FORMAT,
      ("sink_%s can't take %s.", gst_stereo_view_names[view], problem),
      ("caps %" GST_PTR_FORMAT, caps));
  g_free (problem);
}

/* -------------------------------------------------------------------- views */

/* What is left of caps with the sizes and rates that follows a source pad. */
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

/* What a view may look like so that downstream can take the results: all of the
 * template, but sizes and rates that downstream accepts. */
static GstCaps *
acceptable_caps (GstStereoBase * self, GstPad * pad)
{
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n = gst_stereo_base_get_result_pads (self, pads);
  GstCaps *caps = limit_to_downstream (gst_pad_get_pad_template_caps (pad),
      GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < n; i++)
    caps = limit_to_downstream (caps, GST_PAD (pads[i]));
  gst_stereo_base_unref_result_pads (pads, n);
  if (gst_stereo_device_has_context (&PRIV (self)->device))
    caps = gst_stereo_cuda_prefer (caps);
  return caps;
}

/* Whatever can be accepted, but first what goes with the other view. */
static GstCaps *
sink_caps (GstStereoBase * self, GstAggregatorPad * pad, GstCaps * filter)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gint other = gst_stereo_base_view_of (self, pad) == LEFT ? RIGHT : LEFT;
  GstCaps *caps = acceptable_caps (self, GST_PAD (pad)), *preferred;
  GstVideoInfo info;
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = priv->has_info[other];
  if (known)
    info = priv->info[other];
  GST_OBJECT_UNLOCK (self);

  if (known) {
    preferred = gst_caps_copy (caps);
    gst_caps_set_simple (preferred,
        "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&info),
        "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (&info),
        "framerate", GST_TYPE_FRACTION, GST_VIDEO_INFO_FPS_N (&info),
        GST_VIDEO_INFO_FPS_D (&info), NULL);
    caps = gst_caps_merge (preferred, caps);
  }
  if (filter != NULL) {
    preferred = gst_caps_intersect_full (caps, filter,
        GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = preferred;
  }
  return caps;
}

gboolean
gst_stereo_base_accepts (GstPad * pad, GstCaps * caps)
{
  GstCaps *template = gst_pad_get_pad_template_caps (pad);
  gboolean ok = gst_caps_is_subset (caps, template);

  gst_caps_unref (template);
  return ok;
}

gboolean
gst_stereo_base_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = sink_caps (self, pad, caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      /* A size that differs from the other view's is refused with a reason
       * once both are there; until then it may be a change of both. */
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query,
          gst_stereo_base_accepts (GST_PAD (pad), caps));
      return TRUE;
    case GST_QUERY_CONTEXT:
      if (gst_stereo_device_query (&PRIV (self)->device, query))
        return TRUE;
      /* fallthrough */
    default:
      return gst_stereo_base_get_parent_class ()->sink_query
          (aggregator, pad, query);
  }
}

/* Matching takes all rows of an image for one instant. */
static void
warn_of_fields (GstStereoBase * self, gint view, const GstVideoInfo * info)
{
  GstStereoBasePrivate *priv = PRIV (self);

  if (!GST_VIDEO_INFO_IS_INTERLACED (info) || priv->warned_of_fields[view])
    return;
  priv->warned_of_fields[view] = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The video on sink_%s is interlaced (interlace-mode=%s), so every other "
          "row is of another time; put deinterlace before it.",
          gst_stereo_view_names[view],
          gst_video_interlace_mode_to_string (GST_VIDEO_INFO_INTERLACE_MODE
              (info))), (NULL));
}

/* Who splits frames says which view is which. */
static void
warn_of_swapped_views (GstStereoBase * self, gint view,
    const GstVideoInfo * info)
{
  static const GstVideoMultiviewMode other[] = {
    GST_VIDEO_MULTIVIEW_MODE_RIGHT, GST_VIDEO_MULTIVIEW_MODE_LEFT
  };
  GstStereoBasePrivate *priv = PRIV (self);

  if (GST_VIDEO_INFO_MULTIVIEW_MODE (info) != other[view]
      || priv->warned_of_swap[view])
    return;
  priv->warned_of_swap[view] = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The video on sink_%s says multiview-mode=%s: link it to sink_%s, or "
          "nothing will match.", gst_stereo_view_names[view],
          gst_stereo_view_names[!view], gst_stereo_view_names[!view]), (NULL));
}

gboolean
gst_stereo_base_take_caps (GstStereoBase * self, gint view, GstCaps * caps)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime duration = 0;
  GstVideoInfo info;
  StereoFormat format;

  if (!gst_video_info_from_caps (&info, caps)
      || !gst_stereo_format (GST_VIDEO_INFO_FORMAT (&info), &format)) {
    gst_stereo_base_complain_about_caps (self, view, caps);
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  priv->info[view] = info;
  priv->has_info[view] = TRUE;
  GST_OBJECT_UNLOCK (self);
  warn_of_fields (self, view, &info);
  warn_of_swapped_views (self, view, &info);
  priv->caps_serial[view] = ++priv->next_caps_serial;
  gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));

  /* The wait for the other view. */
  if (view == LEFT) {
    if (GST_VIDEO_INFO_FPS_N (&info) > 0)
      duration = gst_stereo_frame_duration (&info);
    gst_aggregator_set_latency (GST_AGGREGATOR (self), duration, duration);
  }
  return TRUE;
}

/* ------------------------------------------------------------------ results */

/* The base class gives up without a word when downstream takes nothing that the
 * pad has. */
gboolean
gst_stereo_base_negotiate (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstCaps *template, *possible, *downstream;
  GstVideoInfo left;
  gboolean known;

  if (gst_stereo_base_get_parent_class ()->negotiate (aggregator))
    return TRUE;

  GST_OBJECT_LOCK (self);
  known = priv->has_info[LEFT];
  left = priv->info[LEFT];
  GST_OBJECT_UNLOCK (self);
  template = gst_pad_get_pad_template_caps (aggregator->srcpad);
  possible = gst_pad_peer_query_caps (aggregator->srcpad, template);
  if (known && gst_caps_is_empty (possible)) {
    downstream = gst_pad_peer_query_caps (aggregator->srcpad, NULL);
    gst_stereo_base_complain_about_downstream (self, STEREO_RESULT_DISPARITY,
        &left, downstream);
    gst_caps_unref (downstream);
  }
  gst_caps_unref (possible);
  gst_caps_unref (template);
  return FALSE;
}

GstCaps *
gst_stereo_base_caps_of_shape (GstPad * src, const GstVideoInfo * shape)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (src);

  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps,
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (shape),
      "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (shape),
      "framerate", GST_TYPE_FRACTION, GST_VIDEO_INFO_FPS_N (shape),
      GST_VIDEO_INFO_FPS_D (shape),
      "pixel-aspect-ratio", GST_TYPE_FRACTION, GST_VIDEO_INFO_PAR_N (shape),
      GST_VIDEO_INFO_PAR_D (shape), NULL);
  return caps;
}

/* Fixed caps for the output, of the left view's shape. */
GstFlowReturn
gst_stereo_base_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo left, right;
  gboolean ready;
  GstCaps *wanted, *caps;

  GST_OBJECT_LOCK (self);
  ready = priv->has_info[LEFT] && priv->has_info[RIGHT];
  left = priv->info[LEFT];
  right = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  /* aggregate() asks again when it has a pair of equal size. */
  if (!ready || !gst_stereo_base_same_size (&left, &right))
    return GST_AGGREGATOR_FLOW_NEED_DATA;

  wanted = gst_stereo_base_caps_of_shape (aggregator->srcpad, &left);
  /* GRAY16_LE first, unless downstream has a preference of its own. */
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  if (gst_caps_is_empty (caps)) {
    gst_stereo_base_complain_about_downstream (self, STEREO_RESULT_DISPARITY,
        &left, downstream);
    gst_caps_unref (caps);
    gst_caps_unref (wanted);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  gst_caps_unref (wanted);
  *result = gst_caps_fixate (caps);
  return GST_FLOW_OK;
}
