/* gst-stereomatching: the inside of stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoSplit is one object in several files:
 *
 *   gststereosplit.c        the class: pads, events, queries, properties
 *   gststereosplitcaps.c    from the caps of frames to those of views
 *   gststereosplitframe.c   from frames to pairs of buffers downstream
 *   gststereosplitcut.c     how a view is cut out of a frame
 */

#ifndef GST_STEREO_SPLIT_PRIVATE_H
#define GST_STEREO_SPLIT_PRIVATE_H

#include "base/gststereofailure.h"
#include "elements/gststereosplitcut.h"

#include <gst/base/gstflowcombiner.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_stereo_split_debug);
#define GST_CAT_DEFAULT gst_stereo_split_debug

enum
{
  LEFT,
  RIGHT,
  N_VIEWS
};

#define GST_TYPE_STEREO_SPLIT (gst_stereo_split_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoSplit, gst_stereo_split, GST, STEREO_SPLIT,
    GstElement)

struct _GstStereoSplit
{
  GstElement parent;

  GstPad *sink;
  GstPad *src[N_VIEWS];
  GstStereoFailure failure;

  /* Under the object lock. */
  GstStereoPacking layout;
  gboolean swap;
  gboolean half_aspect;
  GstClockTime latency;         /* the wait for the second view */
  guint32 seek_seqnum;

  /* The streaming thread's own. */
  GstFlowCombiner *combiner;
  gboolean negotiated;          /* for these: */
  GstStereoSplitCut cut;
  gboolean right_first;
  GstBufferPool *pool[N_VIEWS]; /* NULL where nothing is copied */
  gboolean warned;
  gboolean second;              /* frame by frame: what comes next */
  GstClockTime pts;             /* of the first view */
  GstClockTime dts;
  GstClockTime duration;
};

/* Prepares for frames with these caps; FALSE with an error posted, or when
 * downstream has one. */
gboolean gst_stereo_split_take_caps (GstStereoSplit * self, GstCaps * caps);

/* The caps of frames that can be split for those downstream. */
GstCaps *gst_stereo_split_sink_caps (GstStereoSplit * self, GstCaps * filter);

/* A pool where a view with these caps has to be copied: by its packing, or
 * because downstream does not know rows that are elsewhere than GStreamer has
 * them.  A view that is the whole frame is passed on as it is.  FALSE with an
 * error posted. */
gboolean gst_stereo_split_prepare_pool (GstStereoSplit * self, gint view,
    GstCaps * caps);

void gst_stereo_split_drop_pools (GstStereoSplit * self);

/* The chain function of the sink pad. */
GstFlowReturn gst_stereo_split_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);

G_END_DECLS

#endif /* GST_STEREO_SPLIT_PRIVATE_H */
