/* gst-stereomatching: additional source pads of a GstAggregator
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A result pad is a request pad beside `src`: of a matcher, for a result other
 * than the disparity; of stereoview, in a subclass, for another view.  It has
 * the segment, end of stream and flushes of `src`, and a buffer with the same
 * times for every buffer there.
 *
 * GstAggregator has one source pad, so a result pad is a plain one, and the
 * task of `src` pushes to it.  If one of them blocks, all do, as with a tee:
 * each branch behind them needs a queue.
 *
 * Fields under "task" belong to that task; the others are protected by the
 * element's object lock.
 */

#ifndef GST_STEREO_RESULT_PAD_H
#define GST_STEREO_RESULT_PAD_H

#include "base/gststereodevice.h"
#include "base/gststereotags.h"
#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_TYPE_STEREO_RESULT_PAD (gst_stereo_result_pad_get_type ())
#define GST_STEREO_RESULT_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_CAST ((o), GST_TYPE_STEREO_RESULT_PAD, \
      GstStereoResultPad))
#define GST_IS_STEREO_RESULT_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((o), GST_TYPE_STEREO_RESULT_PAD))

typedef struct _GstStereoResultPad GstStereoResultPad;

typedef struct
{
  GstPadClass parent_class;
} GstStereoResultPadClass;

GType gst_stereo_result_pad_get_type (void);

/* The QoS of a source pad. */
typedef struct
{
  GstClockTime earliest_time;   /* running time, or GST_CLOCK_TIME_NONE */
  gdouble proportion;
} GstStereoQos;

struct _GstStereoResultPad
{
  GstPad parent;
  StereoResult result;          /* constant; of a matcher's */
  const gchar *stream;          /* constant: the end of the stream's id, or NULL
                                 * for the name of the pad */
  GstStereoQos qos;
  gboolean released;            /* or being released */

  /* task */
  GstVideoInfo info;            /* once it has caps */
  GstBufferPool *pool;
  gconstpointer pool_device;    /* of the pool's memory */
  gboolean discont;             /* it lacks the last buffer of `src` */
  GstStereoPendingTags tags;
};

/* The name of its pad: "src_vertical"; NULL for the disparity, which uses
 * `src`. */
const gchar *gst_stereo_result_pad_name (StereoResult result);

/* The pad template of a result with a name. */
GstPadTemplate *gst_stereo_result_pad_template (StereoResult result);

/* The result of a template; FALSE if it has none. */
gboolean gst_stereo_result_of_template (GstPadTemplate * pad_template,
    StereoResult * result);

/* For a new start: it has sent nothing, and drops its pool. */
void gst_stereo_result_pad_reset (GstStereoResultPad * pad);

/* Gets a pool for these caps and info, see gst_stereo_pool_decide().  FALSE
 * with an error posted. */
gboolean gst_stereo_result_pad_allocate (GstStereoResultPad * pad,
    GstCaps * caps, const GstStereoDevice * device);

/* Whether a frame needs an output for the pad. */
gboolean gst_stereo_result_pad_is_wanted (GstStereoResultPad * pad);

/* Pushes stream-start, if it has not been pushed, and caps, unless NULL. */
void gst_stereo_result_pad_start (GstStereoResultPad * pad, GstPad * src,
    GstCaps * caps);

/* Takes the buffer and pushes it after the segment of src and the tags; drops
 * it if src has no segment. */
GstFlowReturn gst_stereo_result_pad_push (GstStereoResultPad * pad,
    GstPad * src, GstBuffer * buffer);

/* Pushes the EOS event of src, after the events that have to precede it. */
void gst_stereo_result_pad_end (GstStereoResultPad * pad, GstPad * src,
    GstEvent * eos);

/* Combines the flow of a pad with the combined flow of the pads before it, as
 * GstFlowCombiner does: errors and flushing take precedence, EOS and NOT_LINKED
 * apply only if all pads return them.  Start with GST_FLOW_CUSTOM_SUCCESS. */
GstFlowReturn gst_stereo_flow_combine (GstFlowReturn combined,
    GstFlowReturn flow);

G_END_DECLS

#endif /* GST_STEREO_RESULT_PAD_H */
