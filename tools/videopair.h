/* gst-stereomatching: pairs of views from videos
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * videopair.h: pairs of grey views from two videos, or from one with both
 * views, decoded by GStreamer.  In builds without GStreamer opening fails.
 *
 * Functions that can fail return false and write the file and the reason to
 * why, which must not be NULL.
 */

#ifndef VIDEOPAIR_H
#define VIDEOPAIR_H

#include "stereo.h"

typedef enum
{
  VIDEO_SEPARATE = 0,           /* one view in a file */
  VIDEO_SIDE_BY_SIDE,           /* the left view in the left half */
  VIDEO_TOP_BOTTOM              /* the left view in the upper half */
} VideoLayout;

typedef struct VideoPairs VideoPairs;

/* right: NULL unless the layout is VIDEO_SEPARATE. */
STEREO_CHECKED bool video_pairs_open (const char *left, const char *right,
    VideoLayout layout, VideoPairs ** pairs, StereoMessage * why);

/*
 * The next pair, whose timestamps differ by at most half a frame of the faster
 * video; unpaired frames are skipped.  *end: there are no more, and views are
 * unset.
 *
 * views: GRAY8 of the same size, valid until the next call.
 * seconds: the time of the left view; NAN = unknown.
 */
STEREO_CHECKED bool video_pairs_next (VideoPairs * pairs,
    StereoImage views[2], double *seconds, bool * end, StereoMessage * why);

void video_pairs_free (VideoPairs ** pairs);

#endif /* VIDEOPAIR_H */
