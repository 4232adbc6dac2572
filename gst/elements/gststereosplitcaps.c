/* gst-stereomatching: from the caps of frames to those of views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereosplit-private.h"

#include "base/gststereoformat.h"
#include "base/gststereolimit.h"

/* ------------------------------------------------------------------- frames */

/* FALSE with an error. */
static gboolean
choose_packing (GstStereoSplit * self, GstStereoPacking layout)
{
  const GstVideoMultiviewMode mode =
      GST_VIDEO_INFO_MULTIVIEW_MODE (&self->cut.frame);

  self->cut.packing = layout != GST_STEREO_PACKING_AUTO ? layout
      : gst_stereo_packing_of_mode (mode);
  if (self->cut.packing != GST_STEREO_PACKING_AUTO)
    return TRUE;
  if (mode == GST_VIDEO_MULTIVIEW_MODE_NONE) {
    self->cut.packing = GST_STEREO_PACKING_SIDE_BY_SIDE;
    if (!self->warned)
      GST_ELEMENT_WARNING (self, STREAM, FORMAT,
          ("The video doesn't say how its two views are packed: taking them "
              "to be side by side. Set layout to say so, or what else it is."),
          (NULL));
    self->warned = TRUE;
    return TRUE;
  }
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("The video says multiview-mode=%s, which is not two views in a frame; "
          "set layout if it is wrong there.",
          gst_video_multiview_mode_to_caps_string (mode)), (NULL));
  return FALSE;
}

static gboolean
check_flags (GstStereoSplit * self)
{
  const GstVideoMultiviewFlags turned = GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLOPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLOPPED;

  if ((GST_VIDEO_INFO_MULTIVIEW_FLAGS (&self->cut.frame) & turned) == 0)
    return TRUE;
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("The video says that its views are flipped or mirrored, which can't be "
          "undone here: put videoflip behind the element, and capssetter "
          "before it, to take multiview-flags out of the caps."), (NULL));
  return FALSE;
}

/* -------------------------------------------------------------------- views */

/* The caps of a view: those of frames, but for its shape and its view. */
static GstCaps *
view_caps (GstStereoSplit * self, const GstCaps * frames, gint view)
{
  GstCaps *caps = gst_caps_copy (frames);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  GstVideoMultiviewMode mode = view == LEFT ? GST_VIDEO_MULTIVIEW_MODE_LEFT
      : GST_VIDEO_MULTIVIEW_MODE_RIGHT;
  const GstVideoInfo *info = &self->cut.view;
  gint divisor = gst_util_greatest_common_divisor (info->par_n, info->par_d);

  gst_structure_remove_fields (s, "multiview-flags", "views", NULL);
  gst_structure_set (s, "width", G_TYPE_INT, info->width,
      "height", G_TYPE_INT, info->height,
      "pixel-aspect-ratio", GST_TYPE_FRACTION, info->par_n / divisor,
      info->par_d / divisor,
      "multiview-mode", G_TYPE_STRING,
      gst_video_multiview_mode_to_caps_string (mode), NULL);
  return caps;
}

static gboolean
push_caps (GstStereoSplit * self, const GstCaps * frames)
{
  gboolean ok = TRUE;

  for (gint v = 0; v < N_VIEWS && ok; v++) {
    GstCaps *caps = view_caps (self, frames, v);

    /* GstPad does not say that caps were refused, and forgets it where a stream
     * begins or is flushed.  A view that nobody wants may stay unlinked. */
    ok = !gst_pad_is_linked (self->src[v])
        || gst_pad_peer_query_accept_caps (self->src[v], caps);
    if (ok)
      gst_pad_push_event (self->src[v], gst_event_new_caps (caps));
    gst_pad_check_reconfigure (self->src[v]);
    ok = ok && gst_stereo_split_prepare_pool (self, v, caps);
    gst_caps_unref (caps);
  }
  return ok;
}

/* -------------------------------------------------------------- negotiation */

/* Whether it is another one now. */
static gboolean
set_latency (GstStereoSplit * self)
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
gst_stereo_split_take_caps (GstStereoSplit * self, GstCaps * caps)
{
  const GstVideoInfo *info = &self->cut.frame;
  StereoMessage why;
  GstStereoPacking layout;
  gboolean swap, half_aspect;
  GstVideoMultiviewFlags flags;

  self->negotiated = FALSE;
  self->second = FALSE;
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
        ("This video of %dx%d in %s can't be split into two views: %s.",
            GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
            GST_VIDEO_INFO_NAME (info), why.text), (NULL));
    return FALSE;
  }
  self->right_first = swap
      != ((flags & GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST) != 0);
  gst_stereo_split_cut_shape (&self->cut, half_aspect
      || (flags & GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT) != 0);
  self->negotiated = push_caps (self, caps);
  if (self->negotiated && set_latency (self))
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_latency (GST_OBJECT_CAST (self)));
  return self->negotiated;
}

/* Formats and rates that what follows takes; sizes are another matter. */
static GstCaps *
limit_to_downstream (GstCaps * caps, GstPad * src)
{
  static const gchar *const fields[] = { "format", "framerate", NULL };
  GstCaps *peer = gst_pad_peer_query_caps (src, NULL);

  caps = gst_stereo_caps_limit (caps, peer, fields, FALSE);
  gst_caps_unref (peer);
  return caps;
}

GstCaps *
gst_stereo_split_sink_caps (GstStereoSplit * self, GstCaps * filter)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (self->sink);

  for (gint v = 0; v < N_VIEWS; v++) {
    if (gst_pad_is_linked (self->src[v]))
      caps = limit_to_downstream (caps, self->src[v]);
  }
  return gst_stereo_caps_filter (caps, filter);
}
