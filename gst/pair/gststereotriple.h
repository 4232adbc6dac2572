/* gst-stereomatching: which images go with which map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_TRIPLE_H
#define GST_STEREO_TRIPLE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is known of the oldest buffer of a pad. */
typedef struct
{
  gboolean there;               /* FALSE for a right view that nobody gives */
  gboolean gap;                 /* a statement that there is none */
  GstClockTime pts;
  GstClockTime time;            /* running time; each may be */
  GstClockTime duration;        /* GST_CLOCK_TIME_NONE */
} GstStereoHead;

/* The map also says which images it was made of. */
typedef struct
{
  GstStereoHead head;
  gboolean knows;               /* the timestamps of its images: */
  GstClockTime left_pts;        /* those are GST_CLOCK_TIME_NONE where images */
  GstClockTime right_pts;       /* have none */
} GstStereoMapHead;

typedef enum
{
  GST_STEREO_TRIPLE_TAKE,       /* they belong together */
  GST_STEREO_TRIPLE_DROP_LEFT,  /* no map of it will come any more */
  GST_STEREO_TRIPLE_DROP_RIGHT,
  GST_STEREO_TRIPLE_DROP_MAP,   /* an image of it will never come any more */
  GST_STEREO_TRIPLE_NO_TIME     /* an error: only one of two has a time */
} GstStereoTriple;

/*
 * Decides about the oldest buffers of all pads.
 *
 * A map that knows its images goes with those of exactly these timestamps;
 * what is older than they are has no map.  One that does not goes by running
 * times: with a left image that is no further than tolerance from it, and with
 * a right one that is no further from that.  Without any times it is the order
 * of arrival.  A gap instead of a map uses up the images that begin in it.
 *
 * backwards: time runs down, and what is older has a larger timestamp.
 */
GstStereoTriple gst_stereo_triple (const GstStereoMapHead * map,
    const GstStereoHead * left, const GstStereoHead * right,
    GstClockTime tolerance, gboolean backwards);

G_END_DECLS

#endif /* GST_STEREO_TRIPLE_H */
