/* gst-stereomatching: the GStreamer plugin
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereoelements.h"
#include "base/gststereocamerameta.h"
#include "base/gststereodepthmeta.h"
#include "base/gststereometa.h"

/* Registers all elements; they look for a GPU when they start. */
static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean ok = TRUE;

  gst_stereo_meta_register ();
  gst_stereo_camera_meta_register ();
  gst_stereo_depth_meta_register ();
  ok &= GST_ELEMENT_REGISTER (disparitycloud, plugin);
  ok &= GST_ELEMENT_REGISTER (disparitycolor, plugin);
  ok &= GST_ELEMENT_REGISTER (disparitydepth, plugin);
#define ALGORITHM(name) ok &= GST_ELEMENT_REGISTER (stereo##name, plugin);
#include "algorithm-list.h"
#undef ALGORITHM
  ok &= GST_ELEMENT_REGISTER (stereorectify, plugin);
  ok &= GST_ELEMENT_REGISTER (stereosplit, plugin);
  ok &= GST_ELEMENT_REGISTER (stereoview, plugin);
  ok &= GST_ELEMENT_REGISTER (stereotestsrc, plugin);
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, stereomatching,
    "Stereo matching: disparity video from two views", plugin_init,
    STEREO_VERSION, "LGPL", GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
