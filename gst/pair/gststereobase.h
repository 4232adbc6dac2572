/* gst-stereomatching: base class of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_BASE_H
#define GST_STEREO_BASE_H

#include "stereo.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_TYPE_STEREO_BASE (gst_stereo_base_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstStereoBase, gst_stereo_base, GST, STEREO_BASE,
    GstAggregator)

struct _GstStereoBaseClass
{
  GstAggregatorClass parent_class;

  /* What gst_stereo_base_class_set_algorithm() was given. */
  const StereoAlgorithm *algorithm;
};

/* In a subclass's class_init: which algorithm it runs.  Installs a property for
 * each of the algorithm's parameters. */
void gst_stereo_base_class_set_algorithm (GstStereoBaseClass * klass,
    const gchar * name);

G_END_DECLS

#endif /* GST_STEREO_BASE_H */
