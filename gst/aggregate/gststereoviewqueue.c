/* gst-stereomatching: images of two live views, and their newest pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoviewqueue.h"

#include "aggregate/gststereopair.h"

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
lose_oldest (GstStereoViewQueue * queue, guint view, GQueue * lost)
{
  lose (g_queue_pop_head (&queue->waiting[view]), view,
      GST_STEREO_LOST_UNPAIRED, lost);
}

static void
lose_pair (GstStereoViewQueue * queue, GstStereoLoss loss, GQueue * lost)
{
  for (guint i = 0; i < 2; i++) {
    if (queue->pair[i] != NULL)
      lose (g_steal_pointer (&queue->pair[i]), i, loss, lost);
  }
}

/* Pairs the oldest images.  An image with a time and one without are a pair
 * here; the task reports the error. */
static GstStereoPairing
compare (GstStereoViewQueue * queue, const GstStereoPairRule * rule)
{
  GstStereoHead heads[2] = { {0,}, };
  GstClockTime shown[2];

  for (guint i = 0; i < 2; i++) {
    GstStereoImage *image = g_queue_peek_head (&queue->waiting[i]);

    heads[i].time = image->time;
    heads[i].duration = image->duration;
    shown[i] = image->duration;
  }
  gst_stereo_offset_right (&heads[0], &heads[1],
      rule->right_offset);
  return gst_stereo_pair (&heads[0], &heads[1],
      gst_stereo_tolerance (rule->tolerance, shown[0], shown[1]));
}

void
gst_stereo_view_queue_add (GstStereoViewQueue * queue, guint view,
    GstStereoImage * image, const GstStereoPairRule * rule, GQueue * lost)
{
  g_queue_push_tail (&queue->waiting[view], image);
  while (!g_queue_is_empty (&queue->waiting[0])
      && !g_queue_is_empty (&queue->waiting[1])) {
    switch (compare (queue, rule)) {
      case GST_STEREO_PAIR_DROP_LEFT:
        lose_oldest (queue, 0, lost);
        break;
      case GST_STEREO_PAIR_DROP_RIGHT:
        lose_oldest (queue, 1, lost);
        break;
      default:
        lose_pair (queue, GST_STEREO_LOST_SUPERSEDED, lost);
        for (guint i = 0; i < 2; i++)
          queue->pair[i] = g_queue_pop_head (&queue->waiting[i]);
        break;
    }
  }
  while (queue->waiting[view].length > GST_STEREO_VIEW_QUEUE_MAX)
    lose_oldest (queue, view, lost);
}

gboolean
gst_stereo_view_queue_take (GstStereoViewQueue * queue,
    GstStereoImage * pair[2])
{
  for (guint i = 0; i < 2; i++)
    pair[i] = g_steal_pointer (&queue->pair[i]);
  return pair[0] != NULL;
}

void
gst_stereo_view_queue_clear (GstStereoViewQueue * queue, guint view,
    GQueue * lost)
{
  lose_pair (queue, GST_STEREO_LOST_CLEARED, lost);
  while (!g_queue_is_empty (&queue->waiting[view]))
    lose (g_queue_pop_head (&queue->waiting[view]), view,
        GST_STEREO_LOST_CLEARED, lost);
}
