/* gst-stereomatching: images of two live views, and their newest pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereostore.h"

#include "pair/gststereopair.h"

GstStereoImage *
gst_stereo_image_new (GstBuffer * buffer, GstClockTime time,
    GstClockTime duration)
{
  GstStereoImage *image = g_new0 (GstStereoImage, 1);

  image->buffer = buffer;
  image->time = time;
  image->duration = duration;
  return image;
}

void
gst_stereo_image_free (GstStereoImage * image)
{
  gst_buffer_unref (image->buffer);
  g_free (image);
}

void
gst_stereo_lost_free (GstStereoLost * lost)
{
  gst_stereo_image_free (lost->image);
  g_free (lost);
}

static void
lose (GstStereoImage * image, guint view, GstStereoLoss loss, GQueue * lost)
{
  GstStereoLost *item = g_new0 (GstStereoLost, 1);

  item->image = image;
  item->view = view;
  item->loss = loss;
  g_queue_push_tail (lost, item);
}

static void
lose_oldest (GstStereoStore * store, guint view, GQueue * lost)
{
  lose (g_queue_pop_head (&store->waiting[view]), view,
      GST_STEREO_LOST_UNPAIRED, lost);
}

static void
lose_pair (GstStereoStore * store, GstStereoLoss loss, GQueue * lost)
{
  for (guint i = 0; i < 2; i++) {
    if (store->pair[i] != NULL)
      lose (g_steal_pointer (&store->pair[i]), i, loss, lost);
  }
}

/* What the oldest images are to each other.  An image with a time and one
 * without are a pair here; whoever takes it sees the error again. */
static GstStereoPairing
compare (GstStereoStore * store, GstClockTime tolerance)
{
  GstStereoCandidate candidates[2] = { {0,}, };
  GstClockTime shown[2];

  for (guint i = 0; i < 2; i++) {
    GstStereoImage *image = g_queue_peek_head (&store->waiting[i]);

    candidates[i].time = image->time;
    candidates[i].duration = image->duration;
    shown[i] = image->duration;
  }
  return gst_stereo_pair (&candidates[0], &candidates[1],
      gst_stereo_tolerance (tolerance, shown[0], shown[1]));
}

void
gst_stereo_store_add (GstStereoStore * store, guint view,
    GstStereoImage * image, GstClockTime tolerance, GQueue * lost)
{
  g_queue_push_tail (&store->waiting[view], image);
  while (!g_queue_is_empty (&store->waiting[0])
      && !g_queue_is_empty (&store->waiting[1])) {
    switch (compare (store, tolerance)) {
      case GST_STEREO_PAIR_DROP_LEFT:
        lose_oldest (store, 0, lost);
        break;
      case GST_STEREO_PAIR_DROP_RIGHT:
        lose_oldest (store, 1, lost);
        break;
      default:
        lose_pair (store, GST_STEREO_LOST_SUPERSEDED, lost);
        for (guint i = 0; i < 2; i++)
          store->pair[i] = g_queue_pop_head (&store->waiting[i]);
        break;
    }
  }
  while (store->waiting[view].length > GST_STEREO_STORE_MAX)
    lose_oldest (store, view, lost);
}

gboolean
gst_stereo_store_take (GstStereoStore * store, GstStereoImage * pair[2])
{
  for (guint i = 0; i < 2; i++)
    pair[i] = g_steal_pointer (&store->pair[i]);
  return pair[0] != NULL;
}

void
gst_stereo_store_clear (GstStereoStore * store, guint view, GQueue * lost)
{
  lose_pair (store, GST_STEREO_LOST_CLEARED, lost);
  while (!g_queue_is_empty (&store->waiting[view]))
    lose (g_queue_pop_head (&store->waiting[view]), view,
        GST_STEREO_LOST_CLEARED, lost);
}
