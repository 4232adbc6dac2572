/* gst-stereomatching: the debug category that elements share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereodebug.h"

GST_DEBUG_CATEGORY (gst_stereo_base_debug);

void
gst_stereo_debug_init (void)
{
  GST_DEBUG_CATEGORY_INIT (gst_stereo_base_debug, "stereobase", 0,
      "Base classes of the stereo elements");
}

void
gst_stereo_debug_from_library (StereoLogLevel level, const char *text,
    void *user_data)
{
  static const GstDebugLevel levels[] = {
    [STEREO_LOG_WARNING] = GST_LEVEL_WARNING,
    [STEREO_LOG_INFO] = GST_LEVEL_INFO,
    [STEREO_LOG_DEBUG] = GST_LEVEL_DEBUG,
  };

  GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, levels[level], NULL, "%s", text);
}
