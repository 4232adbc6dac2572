/* gst-stereomatching: negotiation of stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/split/gststereosplit-private.h"

#include "base/gststereoformat.h"
#include "base/gststereocapslimit.h"

/* ------------------------------------------------------------------- frames */

/* The widest films have a display aspect ratio of 2.4, and two views of 4:3 one
 * of 2.67. */
#define MIN_ASPECT_OF_TWO 2.5

static gboolean
is_wide_as_two (const GstVideoInfo * info)
{
  return (gdouble) GST_VIDEO_INFO_WIDTH (info) * GST_VIDEO_INFO_PAR_N (info)
      >= MIN_ASPECT_OF_TWO * GST_VIDEO_INFO_HEIGHT (info)
      * GST_VIDEO_INFO_PAR_D (info);
}

/* Matroska files say "mono" of video whose packing is unknown. */
static void
assume_side_by_side (GstStereoSplit * self, GstVideoMultiviewMode mode)
{
  const gchar *known = mode == GST_VIDEO_MULTIVIEW_MODE_NONE
      ? "have no multiview-mode"
      : "have multiview-mode=mono, but the frame is as wide as two views";

  self->cut.packing = GST_STEREO_PACKING_SIDE_BY_SIDE;
  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The caps on sink %s: assuming that the views are side by side. Set "
            "layout to the frame packing.", known), (NULL));
  self->warned = TRUE;
}

/* FALSE with an error posted. */
static gboolean
choose_packing (GstStereoSplit * self, GstStereoPacking layout)
{
  const GstVideoMultiviewMode mode =
      GST_VIDEO_INFO_MULTIVIEW_MODE (&self->cut.frame);

  self->cut.packing = layout != GST_STEREO_PACKING_AUTO ? layout
      : gst_stereo_packing_of_mode (mode);
  if (self->cut.packing != GST_STEREO_PACKING_AUTO)
    return TRUE;
  if (mode == GST_VIDEO_MULTIVIEW_MODE_NONE
      || (mode == GST_VIDEO_MULTIVIEW_MODE_MONO
          && is_wide_as_two (&self->cut.frame))) {
    assume_side_by_side (self, mode);
    return TRUE;
  }
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("Expected two views in a frame, got multiview-mode=%s in the caps on "
          "sink. Set layout if the caps are wrong.",
          gst_video_multiview_mode_to_caps_string (mode)), (NULL));
  return FALSE;
}

static gboolean
check_flags (GstStereoSplit * self)
{
  const GstVideoMultiviewFlags flipped = GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLOPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLOPPED;

  if ((GST_VIDEO_INFO_MULTIVIEW_FLAGS (&self->cut.frame) & flipped) == 0)
    return TRUE;
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("Cannot flip views: the multiview-flags of the caps on sink say that "
          "they are flipped or mirrored. Put videoflip after this element, and "
          "capssetter before it to remove multiview-flags."), (NULL));
  return FALSE;
}

/* -------------------------------------------------------------------- views */

/* Half the frames that alternate belong to a view. */
static void
halve_rate (GstStructure * s, const gchar * field)
{
  gint n, d;

  if (gst_structure_get_fraction (s, field, &n, &d)
      && gst_util_fraction_multiply (n, d, 1, 2, &n, &d))
    gst_structure_set (s, field, GST_TYPE_FRACTION, n, d, NULL);
}

/* The caps of a view: those of the frame with another size and multiview mode,
 * and another rate if frames alternate. */
static GstCaps *
make_view_caps (GstStereoSplit * self, const GstCaps * frames, gint view)
{
  GstCaps *caps = gst_caps_copy (frames);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  GstVideoMultiviewMode mode = view == GST_STEREO_LEFT
      ? GST_VIDEO_MULTIVIEW_MODE_LEFT : GST_VIDEO_MULTIVIEW_MODE_RIGHT;
  const GstVideoInfo *info = &self->cut.view;
  gint divisor = gst_util_greatest_common_divisor (info->par_n, info->par_d);

  gst_structure_remove_fields (s, "multiview-flags", "views", NULL);
  gst_structure_set (s, "width", G_TYPE_INT, info->width,
      "height", G_TYPE_INT, info->height,
      "pixel-aspect-ratio", GST_TYPE_FRACTION, info->par_n / divisor,
      info->par_d / divisor,
      "multiview-mode", G_TYPE_STRING,
      gst_video_multiview_mode_to_caps_string (mode), NULL);
  if (self->cut.packing == GST_STEREO_PACKING_FRAME_BY_FRAME) {
    halve_rate (s, "framerate");
    halve_rate (s, "max-framerate");
  }
  return caps;
}

/* Posts an error, unless downstream only flushes. */
static void
post_downstream_error (GstStereoSplit * self, gint view, GstCaps * caps)
{
  GstCaps *downstream = gst_pad_peer_query_caps (self->src[view], NULL);
  gchar *text = gst_caps_to_string (caps);

  if (!gst_caps_is_subset (caps, downstream))
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("Downstream of %s does not accept %s: put videoconvert, videoscale or "
            "videorate behind the element.", GST_PAD_NAME (self->src[view]),
            text),
        ("downstream accepts %" GST_PTR_FORMAT, downstream));
  g_free (text);
  gst_caps_unref (downstream);
}

static gboolean
push_caps (GstStereoSplit * self, const GstCaps * frames)
{
  gboolean ok = TRUE;

  for (gint v = 0; v < GST_STEREO_N_VIEWS && ok; v++) {
    GstCaps *caps = make_view_caps (self, frames, v);

    /* GstPad does not report refused caps.  One view may stay unlinked. */
    ok = !gst_pad_is_linked (self->src[v])
        || gst_pad_peer_query_accept_caps (self->src[v], caps);
    if (ok)
      gst_pad_push_event (self->src[v], gst_event_new_caps (caps));
    else
      post_downstream_error (self, v, caps);
    gst_pad_check_reconfigure (self->src[v]);
    ok = ok && gst_stereo_split_prepare_pool (self, v, caps);
    gst_caps_unref (caps);
  }
  return ok;
}

/* -------------------------------------------------------------- negotiation */

/* Whether the latency changed. */
static gboolean
update_latency (GstStereoSplit * self)
{
  GstClockTime latency = 0;
  gboolean changed;

  if (self->cut.packing == GST_STEREO_PACKING_FRAME_BY_FRAME
      && GST_VIDEO_INFO_FPS_N (&self->cut.frame) > 0)
    latency = gst_stereo_frame_duration (&self->cut.frame);
  GST_OBJECT_LOCK (self);
  changed = self->latency != latency;
  self->latency = latency;
  GST_OBJECT_UNLOCK (self);
  return changed;
}

gboolean
gst_stereo_split_set_caps (GstStereoSplit * self, GstCaps * caps)
{
  const GstVideoInfo *info = &self->cut.frame;
  StereoMessage why;
  GstStereoPacking layout;
  gboolean swap, half_aspect;
  GstVideoMultiviewFlags flags;

  self->negotiated = FALSE;
  self->incomplete = FALSE;
  GST_OBJECT_LOCK (self);
  layout = self->layout;
  swap = self->swap;
  half_aspect = self->half_aspect;
  GST_OBJECT_UNLOCK (self);

  if (!gst_video_info_from_caps (&self->cut.frame, caps))
    return FALSE;
  flags = GST_VIDEO_INFO_MULTIVIEW_FLAGS (info);
  if (!check_flags (self) || !choose_packing (self, layout))
    return FALSE;
  if (!gst_stereo_packing_check (self->cut.packing, info, &why)) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("Cannot split video of %dx%d in %s on sink into two views: %s.",
            GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
            GST_VIDEO_INFO_NAME (info), why.text), (NULL));
    return FALSE;
  }
  self->right_first = swap
      != ((flags & GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST) != 0);
  gst_stereo_split_cut_set_view (&self->cut, half_aspect
      || (flags & GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT) != 0);
  self->negotiated = push_caps (self, caps);
  if (self->negotiated && update_latency (self))
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_latency (GST_OBJECT_CAST (self)));
  return self->negotiated;
}

/* The template, limited to these fields of what downstream accepts. */
static GstCaps *
limit_to_downstream (GstStereoSplit * self, const gchar * const *fields)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (self->sink);

  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    GstCaps *peer;

    if (!gst_pad_is_linked (self->src[v]))
      continue;
    peer = gst_pad_peer_query_caps (self->src[v], NULL);
    caps = gst_stereo_caps_limit (caps, peer, fields, FALSE);
    gst_caps_unref (peer);
  }
  return caps;
}

/* Whether all of these caps say that frames alternate. */
static gboolean
say_alternating (const GstCaps * caps)
{
  const gchar *wanted = gst_video_multiview_mode_to_caps_string
      (GST_VIDEO_MULTIVIEW_MODE_FRAME_BY_FRAME);
  gboolean all = caps != NULL && !gst_caps_is_any (caps);

  for (guint i = 0; all && i < gst_caps_get_size (caps); i++)
    all = g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (caps,
                i), "multiview-mode"), wanted) == 0;
  return all;
}

/* Sizes differ between frames and views, and rates if frames alternate. */
GstCaps *
gst_stereo_split_get_sink_caps (GstStereoSplit * self, GstCaps * filter)
{
  static const gchar *const formats[] = { "format", NULL };
  static const gchar *const rates[] = { "format", "framerate", NULL };
  GstStereoPacking layout;
  gboolean alternating;

  GST_OBJECT_LOCK (self);
  layout = self->layout;
  GST_OBJECT_UNLOCK (self);
  alternating = layout == GST_STEREO_PACKING_FRAME_BY_FRAME
      || (layout == GST_STEREO_PACKING_AUTO && say_alternating (filter));
  return gst_stereo_caps_filter (limit_to_downstream (self, alternating
          ? formats : rates), filter);
}
