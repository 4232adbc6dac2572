/* gst-stereomatching: source pads for more views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereoviewpad.h"

#include "base/gststereoparams.h"
#include "geometry/view.h"

#include <stdio.h>
#include <string.h>

G_DEFINE_TYPE (GstStereoViewPad, gst_stereo_view_pad,
    GST_TYPE_STEREO_RESULT_PAD);

enum
{
  PROP_0,
  PROP_POSITION
};

/* That of the element has the same name, range and default. */
static const StereoParamSpec *
position_spec (void)
{
  const StereoParamSpec *spec = stereo_view_params;

  while (strcmp (spec->name, "position") != 0)
    spec++;
  return spec;
}

gdouble
gst_stereo_view_pad_get_position (GstStereoViewPad * pad, GstClockTime time)
{
  gdouble position;

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (pad), time);
  GST_OBJECT_LOCK (pad);
  position = pad->position;
  GST_OBJECT_UNLOCK (pad);
  return position;
}

/* ------------------------------------------------------------------ a list */

/* The number that a name asks for, or the lowest that is free. */
static guint
choose_number (GPtrArray * pads, const gchar * name)
{
  guint number = 0, i = 0;

  if (name != NULL && sscanf (name, "view_%u", &number) == 1)
    return number;
  while (i < pads->len) {
    gchar *taken = g_strdup_printf ("view_%u", number);
    gboolean same = strcmp (taken, GST_PAD_NAME (pads->pdata[i])) == 0;

    g_free (taken);
    number += same;
    i = same ? 0 : i + 1;
  }
  return number;
}

/* With the object lock held. */
static gboolean
has_name (GPtrArray * pads, const gchar * name)
{
  for (guint i = 0; i < pads->len; i++) {
    if (strcmp (GST_PAD_NAME (pads->pdata[i]), name) == 0)
      return TRUE;
  }
  return FALSE;
}

GstPad *
gst_stereo_view_pads_request (GPtrArray * pads, GstElement * element,
    GstPadTemplate * template, const gchar * name,
    GstPadEventFunction event_function)
{
  GstPad *pad = NULL;
  gchar *own_name;

  GST_OBJECT_LOCK (element);
  own_name = g_strdup_printf ("view_%u", choose_number (pads, name));
  if (!has_name (pads, own_name)) {
    pad = g_object_new (GST_TYPE_STEREO_VIEW_PAD, "name", own_name,
        "direction", GST_PAD_SRC, "template", template, NULL);
    g_ptr_array_add (pads, gst_object_ref_sink (pad));
  }
  GST_OBJECT_UNLOCK (element);
  if (pad == NULL) {
    GST_WARNING_OBJECT (element, "there is a pad %s already", own_name);
  } else {
    gst_pad_set_event_function (pad, event_function);
    gst_pad_set_active (pad, TRUE);
    gst_element_add_pad (element, pad);
    gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad),
        own_name);
  }
  g_free (own_name);
  return pad;
}

void
gst_stereo_view_pads_release (GPtrArray * pads, GstElement * element,
    GstStereoGate * gate, GstStereoViewPad * view)
{
  GstPad *pad = GST_PAD (gst_object_ref (view));

  GST_OBJECT_LOCK (element);
  view->parent.released = TRUE;
  GST_OBJECT_UNLOCK (element);
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad),
      GST_PAD_NAME (pad));
  /* The streaming thread may be pushing there; it comes back with FLUSHING. */
  gst_pad_set_active (pad, FALSE);
  gst_stereo_gate_forget_pad (gate, pad);
  gst_element_remove_pad (element, pad);
  /* not before the element has no pad of this name */
  GST_OBJECT_LOCK (element);
  g_ptr_array_remove (pads, pad);
  GST_OBJECT_UNLOCK (element);
  gst_object_unref (pad);
}

GPtrArray *
gst_stereo_view_pads_get (GPtrArray * pads, GstElement * element)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (gst_object_unref);

  GST_OBJECT_LOCK (element);
  for (guint i = 0; i < pads->len; i++) {
    if (!GST_STEREO_RESULT_PAD (pads->pdata[i])->released)
      g_ptr_array_add (copy, gst_object_ref (pads->pdata[i]));
  }
  GST_OBJECT_UNLOCK (element);
  return copy;
}

void
gst_stereo_view_pads_follow (GPtrArray * pads, GstElement * element,
    GstPad * src, GstEvent * event)
{
  GPtrArray *all = gst_stereo_view_pads_get (pads, element);

  for (guint i = 0; i < all->len; i++) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      gst_stereo_result_pad_end (all->pdata[i], src, event);
    else
      gst_pad_push_event (all->pdata[i], gst_event_ref (event));
  }
  g_ptr_array_unref (all);
}

void
gst_stereo_view_pads_stop (GPtrArray * pads, GstElement * element)
{
  GPtrArray *all = gst_stereo_view_pads_get (pads, element);

  for (guint i = 0; i < all->len; i++)
    gst_pad_set_active (all->pdata[i], FALSE);
  g_ptr_array_unref (all);
}

void
gst_stereo_view_pads_stopped (GPtrArray * pads, GstElement * element)
{
  GPtrArray *all = gst_stereo_view_pads_get (pads, element);

  for (guint i = 0; i < all->len; i++) {
    gst_stereo_result_pad_drop_pool (all->pdata[i]);
    GST_STEREO_RESULT_PAD (all->pdata[i])->discont = TRUE;
  }
  g_ptr_array_unref (all);
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_view_pad_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GST_OBJECT_LOCK (object);
  GST_STEREO_VIEW_PAD (object)->position = g_value_get_double (value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_stereo_view_pad_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GST_OBJECT_LOCK (object);
  g_value_set_double (value, GST_STEREO_VIEW_PAD (object)->position);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_stereo_view_pad_class_init (GstStereoViewPadClass * klass)
{
  const StereoParamSpec *spec = position_spec ();
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_stereo_view_pad_set_property;
  object_class->get_property = gst_stereo_view_pad_get_property;

  /**
   * GstStereoViewPad:position:
   *
   * Where the view of this pad is seen from: 0 is the left view, 1 the right
   * one.
   */
  g_object_class_install_property (object_class, PROP_POSITION,
      g_param_spec_double ("position", "position",
          "Where this view is seen from: 0 = left view, 1 = right view, beyond "
          "= outside of the two", spec->minimum, spec->maximum, spec->initial,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE
          | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_stereo_view_pad_init (GstStereoViewPad * self)
{
  self->position = position_spec ()->initial;
}
