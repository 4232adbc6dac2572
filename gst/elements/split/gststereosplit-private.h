/* gst-stereomatching: private parts of stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoSplit is one object in several files:
 *
 *   gststereosplit.c        the class: pads, events, queries, properties
 *   gststereosplitcaps.c    negotiation: caps of frames and of views
 *   gststereosplitframe.c   pools, and pushing the views of a frame
 *   gststereosplitcut.c     cutting a view out of a frame
 */

#ifndef GST_STEREO_SPLIT_PRIVATE_H
#define GST_STEREO_SPLIT_PRIVATE_H

#include "base/gststereofailure.h"
#include "base/gststereoformat.h"
#include "elements/split/gststereosplitcut.h"

#include <gst/base/gstflowcombiner.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_stereo_split_debug);
#define GST_CAT_DEFAULT gst_stereo_split_debug

#define GST_TYPE_STEREO_SPLIT (gst_stereo_split_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoSplit, gst_stereo_split, GST, STEREO_SPLIT,
    GstElement)

struct _GstStereoSplit
{
  GstElement parent;

  GstPad *sink;
  GstPad *src[GST_STEREO_N_VIEWS];
  GstStereoFailure failure;

  /* Under the object lock. */
  GstStereoPacking layout;
  gboolean swap;
  gboolean half_aspect;
  GstClockTime latency;         /* until the second view */
  guint32 seek_seqnum;          /* of the last seek since start */

  /* Streaming thread only. */
  GstFlowCombiner *combiner;
  gboolean negotiated;          /* the fields below are set */
  GstStereoSplitCut cut;
  gboolean right_first;
  GstBufferPool *pool[GST_STEREO_N_VIEWS];      /* NULL = views share memory */
  gboolean warned;
  gboolean incomplete;          /* frame by frame: half of a pair has come */
  gboolean backwards;           /* of the segment */
  GstClockTime pts;             /* of the view that came first */
  GstClockTime dts;
  GstClockTime duration;
  gboolean discont;
};

/* Prepares for frames with these caps.  FALSE when downstream refuses its caps,
 * or with an error posted. */
gboolean gst_stereo_split_set_caps (GstStereoSplit * self, GstCaps * caps);

/* Caps of frames whose views downstream accepts. */
GstCaps *gst_stereo_split_get_sink_caps (GstStereoSplit * self,
    GstCaps * filter);

/* Whether frames may have a GstVideoMeta.  Those that alternate are passed
 * on. */
gboolean gst_stereo_split_takes_video_meta (GstStereoSplit * self);

/* Makes a pool for a view that has to be copied, because of its packing or
 * because downstream does not support GstVideoMeta.  FALSE with an error
 * posted. */
gboolean gst_stereo_split_prepare_pool (GstStereoSplit * self, gint view,
    GstCaps * caps);

void gst_stereo_split_clear_pools (GstStereoSplit * self);

/* The chain function of the sink pad. */
GstFlowReturn gst_stereo_split_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);

G_END_DECLS

#endif /* GST_STEREO_SPLIT_PRIVATE_H */
