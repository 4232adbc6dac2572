/* gst-stereomatching: the policy that finds the images of a map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_MAP_SYNC_H
#define GST_STEREO_MAP_SYNC_H

#include "aggregate/gststereopair.h"

G_BEGIN_DECLS

/* The oldest map, which may name its images, or unmatched images: a gap that
 * names them. */
typedef struct
{
  GstStereoHead head;
  gboolean knows;               /* it has the timestamps of its images, */
  GstClockTime left_pts;        /* GST_CLOCK_TIME_NONE for images without, or
                                 * if none is unmatched */
  GstClockTime right_pts;
} GstStereoMapHead;

typedef enum
{
  GST_STEREO_MAP_SYNC_TAKE,       /* they belong together */
  GST_STEREO_MAP_SYNC_DROP_LEFT,  /* it will not receive a map */
  GST_STEREO_MAP_SYNC_DROP_RIGHT,
  GST_STEREO_MAP_SYNC_DROP_MAP,   /* it will not receive an image */
  GST_STEREO_MAP_SYNC_NO_TIME     /* an error: only one of two has a time */
} GstStereoMapSync;

/*
 * Decides about the oldest buffers of all pads.
 *
 * A map that names its images belongs to those of exactly these timestamps;
 * older images have no map.  When video starts again, timestamps do not tell
 * which one is older: if the bases of the segments of an image and a map have
 * not advanced by the same time since the last map, running times do.
 *
 * Other maps are matched by running times, with a left image within tolerance,
 * and a right one within tolerance of that.  Without times, the order of
 * arrival decides.  The images that start in a gap of the maps are dropped, and
 * so are unmatched ones and those before them.
 *
 * backwards: the rate is negative, so older buffers have larger timestamps.
 */
GstStereoMapSync gst_stereo_map_sync (const GstStereoMapHead * map,
    const GstStereoHead * left, const GstStereoHead * right,
    GstClockTime tolerance, gboolean backwards);

G_END_DECLS

#endif /* GST_STEREO_MAP_SYNC_H */
