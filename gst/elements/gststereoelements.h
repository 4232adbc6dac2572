/* gst-stereomatching: elements of the plugin
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_ELEMENTS_H
#define GST_STEREO_ELEMENTS_H

#include "base/gststereocompat.h"

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (disparitycloud)
GST_ELEMENT_REGISTER_DECLARE (disparitycolor)
GST_ELEMENT_REGISTER_DECLARE (disparitydepth)

/* stereo<algorithm>, for each algorithm */
#define ALGORITHM(name) GST_ELEMENT_REGISTER_DECLARE (stereo##name)
#include "algorithm-list.h"
#undef ALGORITHM
GST_ELEMENT_REGISTER_DECLARE (stereorectify)
GST_ELEMENT_REGISTER_DECLARE (stereosplit)
GST_ELEMENT_REGISTER_DECLARE (stereotestsrc)
GST_ELEMENT_REGISTER_DECLARE (stereoview)

G_END_DECLS

#endif /* GST_STEREO_ELEMENTS_H */
