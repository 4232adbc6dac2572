/* gst-stereomatching: the element of a matching algorithm
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_MATCHER_ELEMENT_H
#define GST_STEREO_MATCHER_ELEMENT_H

#include "aggregate/gststereomatcher.h"
#include "elements/gststereoelements.h"

/*
 * Defines the type and the factory `stereo<algorithm>` of an algorithm in the
 * registry.  Presets are stored under the name of the type.
 */
#define GST_STEREO_DEFINE_MATCHER(Type, type, algorithm, method, description) \
typedef GstStereoMatcher Type; \
typedef GstStereoMatcherClass Type##Class; \
GType type##_get_type (void); \
G_DEFINE_TYPE (Type, type, GST_TYPE_STEREO_MATCHER); \
GST_ELEMENT_REGISTER_DEFINE (stereo##algorithm, "stereo" #algorithm, \
    GST_RANK_NONE, type##_get_type ()); \
\
static void \
type##_class_init (Type##Class * klass) \
{ \
  gst_stereo_matcher_class_set_algorithm (klass, #algorithm); \
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), \
      "Stereo matcher (" method ")", "Filter/Effect/Video", description, \
      "The gst-stereomatching authors"); \
} \
\
static void \
type##_init (Type * self) \
{ \
}

#endif /* GST_STEREO_MATCHER_ELEMENT_H */
