/* gst-stereomatching: images of two live views, and their newest pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_VIEW_QUEUE_H
#define GST_STEREO_VIEW_QUEUE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Maximum number of images of a view that wait for a partner. */
#define GST_STEREO_VIEW_QUEUE_MAX 32

typedef struct
{
  GstBuffer *buffer;
  GstClockTime time;            /* running time, or GST_CLOCK_TIME_NONE */
  GstClockTime duration;        /* in running time, or GST_CLOCK_TIME_NONE */
} GstStereoImage;

/* The criteria for a pair. */
typedef struct
{
  GstClockTime tolerance;       /* see gst_stereo_tolerance() */
  GstClockTimeDiff right_offset;        /* see gst_stereo_offset_right() */
} GstStereoPairRule;

/* The newest pair, and images that may form a newer one.  Zeroed, it is
 * empty. */
typedef struct
{
  GQueue waiting[2];            /* of GstStereoImage, oldest first */
  GstStereoImage *pair[2];      /* both or none */
} GstStereoViewQueue;

typedef enum
{
  GST_STEREO_LOST_UNPAIRED,     /* it has no partner */
  GST_STEREO_LOST_SUPERSEDED,   /* its pair is not the newest one */
  GST_STEREO_LOST_CLEARED
} GstStereoLoss;

/* An image that the queue dropped, to be reported. */
typedef struct
{
  GstStereoImage *image;
  guint view;
  GstStereoLoss loss;
} GstStereoLost;

GstStereoImage *gst_stereo_image_new (GstBuffer * buffer, GstClockTime time,
    GstClockTime duration);
void gst_stereo_image_free (GstStereoImage * image);
void gst_stereo_lost_free (GstStereoLost * lost);

/*
 * Takes the next image of a view, which is 0 or 1.  Images are paired as those
 * of pad queues are, by gst_stereo_pair(); of all complete pairs the newest one
 * is kept.  lost gets those that are dropped, as GstStereoLost, oldest first.
 */
void gst_stereo_view_queue_add (GstStereoViewQueue * queue, guint view,
    GstStereoImage * image, const GstStereoPairRule * rule, GQueue * lost);

/* Removes the newest pair.  FALSE if there is none. */
gboolean gst_stereo_view_queue_take (GstStereoViewQueue * queue,
    GstStereoImage * pair[2]);

/* Drops the images of a view, and the pair. */
void gst_stereo_view_queue_clear (GstStereoViewQueue * queue, guint view,
    GQueue * lost);

G_END_DECLS

#endif /* GST_STEREO_VIEW_QUEUE_H */
