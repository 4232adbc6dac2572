/* gst-stereomatching: source pads for more views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/view/gststereoviewpad.h"

#include "geometry/view.h"

#include <string.h>

G_DEFINE_TYPE (GstStereoViewPad, gst_stereo_view_pad,
    GST_TYPE_STEREO_RESULT_PAD);

enum
{
  PROP_0,
  PROP_POSITION
};

/* The property of the element has the same name, range and default. */
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
   * Virtual camera position of this view: 0 is the left view, 1 the right
   * one.
   */
  g_object_class_install_property (object_class, PROP_POSITION,
      g_param_spec_double ("position", "position",
          "Virtual camera position (0 = left, 1 = right; beyond for "
          "extrapolation)", spec->minimum, spec->maximum, spec->initial,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE
          | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_stereo_view_pad_init (GstStereoViewPad * self)
{
  self->position = position_spec ()->initial;
}
