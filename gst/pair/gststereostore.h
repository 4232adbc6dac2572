/* gst-stereomatching: images of two live views, and their newest pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_STORE_H
#define GST_STEREO_STORE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A view has no more images without a partner than this; the oldest go. */
#define GST_STEREO_STORE_MAX 32

typedef struct
{
  GstBuffer *buffer;
  GstClockTime time;            /* running time, or GST_CLOCK_TIME_NONE */
  GstClockTime duration;        /* in running time, or GST_CLOCK_TIME_NONE */
} GstStereoImage;

/* Of the newest pair, and of what may become a newer one; views are 0 and 1.
 * All zeros is an empty store. */
typedef struct
{
  GQueue waiting[2];            /* of GstStereoImage, oldest first */
  GstStereoImage *pair[2];      /* both or none */
} GstStereoStore;

typedef enum
{
  GST_STEREO_LOST_UNPAIRED,     /* nothing in the other view matches it */
  GST_STEREO_LOST_SUPERSEDED,   /* of a pair, and there is a newer one */
  GST_STEREO_LOST_CLEARED
} GstStereoLoss;

/* What the store has no more use for, to be told about later. */
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
 * Takes the newest image of a view.  The images are paired as those in queues
 * are, by gst_stereo_pair(); of all pairs that are complete the newest one
 * stays.  lost gets what goes, as GstStereoLost, oldest first.  tolerance is
 * as in gst_stereo_tolerance().
 */
void gst_stereo_store_add (GstStereoStore * store, guint view,
    GstStereoImage * image, GstClockTime tolerance, GQueue * lost);

/* Takes the newest pair out, if there is one. */
gboolean gst_stereo_store_take (GstStereoStore * store,
    GstStereoImage * pair[2]);

/* Forgets a view, and with it the pair. */
void gst_stereo_store_clear (GstStereoStore * store, guint view,
    GQueue * lost);

G_END_DECLS

#endif /* GST_STEREO_STORE_H */
