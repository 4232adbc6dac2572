/* gst-stereomatching: source pads besides the one of GstAggregator
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A result pad is a request pad next to the `src` of a matcher, for what that
 * finds besides disparities; stereoview has a subclass for more views.  It has
 * what `src` has: the same segment, the same end of stream, the same flushes,
 * and a buffer with the same times for every buffer there.
 *
 * GstAggregator has one source pad, so a result pad is a plain one, and the
 * task of `src` pushes to it.  What blocks one of them blocks all, as with a
 * tee: each branch behind them needs a queue.
 *
 * Fields under "task" belong to that task; the others are protected by the
 * element's object lock.
 */

#ifndef GST_STEREO_RESULT_H
#define GST_STEREO_RESULT_H

#include "base/gststereodevice.h"
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

/* What a source pad was told by downstream. */
typedef struct
{
  GstClockTime earliest_time;   /* running time, or GST_CLOCK_TIME_NONE */
  gdouble proportion;
} GstStereoQos;

struct _GstStereoResultPad
{
  GstPad parent;
  StereoResult result;          /* constant; of a matcher's */
  const gchar *stream;          /* constant: how the stream's name ends; NULL:
                                 * as the pad's name */
  GstStereoQos qos;
  gboolean released;            /* or being released */

  /* task */
  GstVideoInfo info;            /* once it has caps */
  StereoFormat format;
  GstBufferPool *pool;
  gconstpointer pool_device;    /* what the pool was made for */
  gboolean discont;             /* some buffers of src had no partner here */
};

/* "src_vertical"; NULL for the disparity, whose pad is `src`. */
const gchar *gst_stereo_result_pad_name (StereoResult result);

/* The template of a result that has a name. */
GstPadTemplate *gst_stereo_result_pad_template (StereoResult result);

/* The result of a template; FALSE when it is of something else. */
gboolean gst_stereo_result_of_template (GstPadTemplate * pad_template,
    StereoResult * result);

/* Lets go of the pool, if there is one. */
void gst_stereo_result_pad_drop_pool (GstStereoResultPad * pad);

/* Takes a pool for what info and the caps say, see gst_stereo_pool_decide().
 * FALSE when there is none. */
gboolean gst_stereo_result_pad_allocate (GstStereoResultPad * pad,
    GstCaps * caps, const GstStereoDevice * device);

/* Whether a frame has to have what the pad is for. */
gboolean gst_stereo_result_pad_is_wanted (GstStereoResultPad * pad);

/* Pushes stream-start, unless that was done, and caps, unless NULL. */
void gst_stereo_result_pad_start (GstStereoResultPad * pad, GstPad * src,
    GstCaps * caps);

/* Pushes the buffer, after a segment like that of src, or drops it where that
 * has none.  Takes the buffer. */
GstFlowReturn gst_stereo_result_pad_push (GstStereoResultPad * pad,
    GstPad * src, GstBuffer * buffer);

/* Pushes EOS, which is src's, after what has to come before it. */
void gst_stereo_result_pad_end (GstStereoResultPad * pad, GstPad * src,
    GstEvent * eos);

/* Adds the result of one pad to the ones so far, as GstFlowCombiner does:
 * errors and flushing count at once, the end of a stream and a missing link
 * only when all agree.  The first one is GST_FLOW_CUSTOM_SUCCESS. */
GstFlowReturn gst_stereo_flow_combine (GstFlowReturn so_far,
    GstFlowReturn flow);

G_END_DECLS

#endif /* GST_STEREO_RESULT_H */
