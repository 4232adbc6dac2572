/* gst-stereomatching: base class of elements that take maps and their images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An element with the pads sink_left, sink_right and sink_disparity, if its
 * class has templates for them.  The base class finds the images of a map, see
 * gststereomapsync.h, and calls process_map() with them.  It drops unpaired
 * maps and images; for a map it posts a message.
 */

#ifndef GST_DISPARITY_CONSUMER_H
#define GST_DISPARITY_CONSUMER_H

#include "aggregate/gststereoaggregator.h"
#include "base/gststereotags.h"

G_BEGIN_DECLS

typedef struct
{
  GstStereoAggregator parent;

  /* Of the streaming thread. */
  GstStereoTags tags;           /* of the maps */
  guint64 base[GST_STEREO_N_INPUTS];    /* of the segments of the last map and
                                         * its images */
} GstDisparityConsumer;

typedef struct
{
  GstStereoAggregatorClass parent_class;

  /* Processes a map and its images, which are first in the queues; an input
   * without a pad has no buffer.  time is the leader's stream time, or
   * GST_CLOCK_TIME_NONE; controlled properties have their values at that time.
   * Calls pop(), unless it returns in order to be called again. */
  GstFlowReturn (*process_map) (GstDisparityConsumer * self,
      GstStereoInput * inputs, GstClockTime time);
} GstDisparityConsumerClass;

#define GST_TYPE_DISPARITY_CONSUMER (gst_disparity_consumer_get_type ())
#define GST_DISPARITY_CONSUMER(o) \
  (G_TYPE_CHECK_INSTANCE_CAST ((o), GST_TYPE_DISPARITY_CONSUMER, \
      GstDisparityConsumer))
#define GST_DISPARITY_CONSUMER_CLASS(c) \
  (G_TYPE_CHECK_CLASS_CAST ((c), GST_TYPE_DISPARITY_CONSUMER, \
      GstDisparityConsumerClass))

GType gst_disparity_consumer_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstDisparityConsumer, gst_object_unref)

/* Removes the buffers of the inputs from the queues and fills in the inputs of
 * a frame.  infos must outlive the frame. */
void gst_disparity_consumer_pop (GstDisparityConsumer * self,
    GstStereoInput * inputs, const GstVideoInfo info[GST_STEREO_N_INPUTS],
    GstStereoRunFrame * frame);

G_END_DECLS

#endif /* GST_DISPARITY_CONSUMER_H */
