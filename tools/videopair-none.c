/* gst-stereomatching: pairs of views from videos, without GStreamer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "videopair.h"

#include "imagefile.h"

#include <stddef.h>

bool
video_pairs_open (const char *left, const char *right, VideoLayout layout,
    VideoPairs ** pairs, StereoMessage * why)
{
  (void) right;
  (void) layout;
  (void) pairs;
  return image_fail (why, left, "is none of PNG, JPEG, PGM and PPM, and this "
      "program was built without GStreamer, which reads videos");
}

bool
video_pairs_next (VideoPairs * pairs, StereoImage views[2], double *seconds,
    bool * end, StereoMessage * why)
{
  (void) pairs;
  (void) views;
  (void) seconds;
  (void) why;
  *end = true;
  return true;
}

void
video_pairs_free (VideoPairs ** pairs)
{
  *pairs = NULL;
}
