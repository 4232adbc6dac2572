/* gst-stereomatching: the pads for what a matcher finds besides disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

guint
gst_stereo_base_get_result_pads (GstStereoBase * self,
    GstStereoResultPad * pads[STEREO_N_RESULTS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  guint n = 0;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (priv->results[i] != NULL && !priv->results[i]->released)
      pads[n++] = gst_object_ref (priv->results[i]);
  }
  GST_OBJECT_UNLOCK (self);
  return n;
}

void
gst_stereo_base_unref_result_pads (GstStereoResultPad * pads[STEREO_N_RESULTS],
    guint n)
{
  for (guint i = 0; i < n; i++)
    gst_object_unref (pads[i]);
}

/* A pool for a pad that has caps. */
static GstFlowReturn
allocate_for_result (GstStereoBase * self, GstStereoResultPad * pad,
    GstCaps * caps)
{
  const GstStereoDevice *device = &PRIV (self)->device;

  if (gst_stereo_result_pad_allocate (pad, caps, device))
    return GST_FLOW_OK;
  gst_stereo_base_complain_about_pool (self);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_stereo_base_negotiate_result (GstStereoBase * self,
    GstStereoResultPad * pad)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gboolean asked = gst_pad_check_reconfigure (GST_PAD (pad)), same;
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  GstCaps *wanted, *downstream, *caps;
  GstFlowReturn flow = GST_FLOW_OK;

  same = current != NULL && pad->pool != NULL
      && gst_stereo_base_same_shape (&pad->info, &priv->out_info);
  if (same && !asked && pad->pool_device == priv->device.device) {
    gst_caps_unref (current);
    return GST_FLOW_OK;
  }

  wanted = gst_stereo_base_caps_of_shape (GST_PAD (pad), &priv->out_info);
  downstream = gst_pad_peer_query_caps (GST_PAD (pad), wanted);
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  gst_caps_unref (wanted);
  gst_caps_unref (downstream);
  if (gst_caps_is_empty (caps)) {
    downstream = gst_pad_peer_query_caps (GST_PAD (pad), NULL);
    gst_stereo_base_complain_about_downstream (self, pad->result,
        &priv->out_info, downstream);
    gst_caps_unref (downstream);
    flow = GST_FLOW_NOT_NEGOTIATED;
  } else {
    caps = gst_caps_fixate (caps);
    if (!gst_video_info_from_caps (&pad->info, caps)
        || !gst_stereo_format (GST_VIDEO_INFO_FORMAT (&pad->info),
            &pad->format))
      flow = GST_FLOW_NOT_NEGOTIATED;
  }
  if (flow == GST_FLOW_OK) {
    gst_stereo_result_pad_start (pad, GST_AGGREGATOR_SRC_PAD (self),
        current != NULL && gst_caps_is_equal (current, caps) ? NULL : caps);
    flow = allocate_for_result (self, pad, caps);
  }
  if (flow != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_PAD (pad));
  gst_caps_unref (caps);
  gst_clear_caps (&current);
  return flow;
}

/* Lets go of the pad's place, for the next one of its kind. */
static void
forget_result_pad (GstStereoBase * self, GstStereoResultPad * pad)
{
  GstStereoBasePrivate *priv = PRIV (self);

  GST_OBJECT_LOCK (self);
  if (priv->results[pad->result] == pad)
    priv->results[pad->result] = NULL;
  GST_OBJECT_UNLOCK (self);
}

GstPad *
gst_stereo_base_request_new_pad (GstElement * element,
    GstPadTemplate * pad_template, const gchar * name, const GstCaps * caps)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *pad;
  StereoResult result;
  gboolean taken;

  if (!gst_stereo_result_of_template (pad_template, &result))
    return GST_ELEMENT_CLASS (gst_stereo_base_get_parent_class ())->
        request_new_pad (element, pad_template, name, caps);

  pad = g_object_new (GST_TYPE_STEREO_RESULT_PAD,
      "name", gst_stereo_result_pad_name (result), "direction", GST_PAD_SRC,
      "template", pad_template, NULL);
  gst_object_ref_sink (pad);
  pad->result = result;
  pad->stream = stereo_result_name (result);
  gst_pad_set_event_function (GST_PAD (pad), gst_stereo_base_result_pad_event);

  GST_OBJECT_LOCK (self);
  taken = priv->results[result] != NULL;
  if (!taken)
    priv->results[result] = pad;
  GST_OBJECT_UNLOCK (self);
  if (taken) {
    GST_WARNING_OBJECT (self, "there is a pad %s already",
        gst_stereo_result_pad_name (result));
    gst_object_unref (pad);
    return NULL;
  }
  gst_pad_set_active (GST_PAD (pad), TRUE);
  if (!gst_element_add_pad (element, GST_PAD (pad))) {
    forget_result_pad (self, pad);
    gst_object_unref (pad);
    return NULL;
  }
  gst_object_unref (pad);
  return GST_PAD (pad);
}

void
gst_stereo_base_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *result_pad;

  if (!GST_IS_STEREO_RESULT_PAD (pad)) {
    GST_ELEMENT_CLASS (gst_stereo_base_get_parent_class ())->
        release_pad (element, pad);
    return;
  }

  result_pad = gst_object_ref (GST_STEREO_RESULT_PAD (pad));
  GST_OBJECT_LOCK (self);
  result_pad->released = TRUE;
  GST_OBJECT_UNLOCK (self);
  /* The task may be pushing there; it comes back with FLUSHING. */
  gst_pad_set_active (pad, FALSE);
  gst_stereo_gate_forget_pad (&priv->gate, pad);
  gst_element_remove_pad (element, pad);
  /* not before the element has no pad of this name */
  forget_result_pad (self, result_pad);
  gst_object_unref (result_pad);
}

guint
gst_stereo_base_stop_result_pads (GstStereoBase * self,
    GstStereoResultPad * pads[STEREO_N_RESULTS])
{
  guint n = gst_stereo_base_get_result_pads (self, pads);

  for (guint i = 0; i < n; i++)
    gst_pad_set_active (GST_PAD (pads[i]), FALSE);
  return n;
}

void
gst_stereo_base_result_pads_stopped (GstStereoResultPad *
    pads[STEREO_N_RESULTS], guint n)
{
  for (guint i = 0; i < n; i++) {
    gst_stereo_result_pad_drop_pool (pads[i]);
    pads[i]->discont = TRUE;
  }
  gst_stereo_base_unref_result_pads (pads, n);
}
