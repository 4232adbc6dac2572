/* gst-stereomatching: base class of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_MATCHER_H
#define GST_STEREO_MATCHER_H

#include "aggregate/gststereoaggregator.h"
#include "aggregate/gststereoalignment.h"
#include "aggregate/gststereopair.h"
#include "aggregate/gststereounmatched.h"
#include "aggregate/gststereoviewqueue.h"
#include "base/gststereoparams.h"
#include "base/gststereotags.h"

G_BEGIN_DECLS

typedef enum
{
  GST_STEREO_PAIRS_AUTO,
  GST_STEREO_PAIRS_EVERY,
  GST_STEREO_PAIRS_NEWEST
} GstStereoPairs;

/* The newest pair of live views, see gststereonewest.c. */
typedef struct
{
  gint mode;                    /* atomic; decided by `pairs` */

  GMutex lock;                  /* of all up to chosen */
  GstStereoViewQueue queue;
  GstSegment segment[GST_STEREO_N_VIEWS];       /* of the next image */
  GstClockTime frame[GST_STEREO_N_VIEWS];       /* its duration, by the caps */
  /* The last change of caps or segment, which the task has yet to handle. */
  GstEvent *change[GST_STEREO_N_VIEWS];
  gboolean at_end[GST_STEREO_N_VIEWS];
  gboolean wakeup_pending[GST_STEREO_N_VIEWS];  /* for the task */
  gboolean lost;                /* images were dropped since the last pair */
  gboolean discont_pending;     /* one of them was a discontinuity */
  GstStereoUnmatched unmatched; /* the newest of them */

  /* Of the task: a pair, until both are taken, and the segments. */
  GstStereoImage *chosen[GST_STEREO_N_VIEWS];
  GstSegment chosen_segment[GST_STEREO_N_VIEWS];
  GstStereoUnmatched pending;   /* to be sent after the map of the pair */
} GstStereoNewest;

/* Whether the views match, see gststereodiagnosis.c. */
typedef struct
{
  GstClockTime last;            /* timestamp of the last examined pair */
  guint n_few;                  /* pairs in a row with few reliable pixels */
  gboolean warned;
  guint8 *memory;               /* of the confidence, or NULL */
  gsize size;
  gint first;                   /* disparities of the pair: the lowest, and */
  gint n;                       /* how many */

  /* A pair on the GPU, whose confidence is examined later. */
  guint64 frame;                /* its number in the runner, or 0 */
  StereoImage image;
} GstStereoDiagnosis;

/* See gststereomatcher-private.h. */
typedef struct
{
  GstStereoAggregator parent;

  /* With locks of their own. */
  GstStereoParams params;
  GstStereoNewest newest;
  gint n_unpaired;              /* atomic: in a row */
  gint reset_pending;           /* atomic: the next pair does not continue the
                                 * last one that was matched */

  /* Under the object lock. */
  GstStereoPairs pairs;
  gboolean profiling;
  gchar *weights;               /* file name, or NULL */
  GstClockTimeDiff right_offset;
  GstClockTime frame_duration;  /* of the left view, or 0 */
  GstStereoDifferences differences;     /* without right_offset, since its
                                         * last change */

  /* Of the task. */
  StereoMatcher *matcher;
  StereoParams *applied;        /* parameters of the matcher */
  guint applied_serial;
  StereoMatcherConfig config;
  gboolean configured;          /* config is that of the caps */
  gboolean agreed;              /* both views have had the same size once */
  GstClockTime disagree_since;  /* running time */
  guint caps_serial[GST_STEREO_N_VIEWS];        /* of the last caps */
  guint next_caps_serial;
  gboolean warned_of_fields[GST_STEREO_N_VIEWS];
  gboolean warned_of_views[GST_STEREO_N_VIEWS];
  gboolean warned_of_rates;
  gboolean warned_of_cameras;
  GstStereoDiagnosis diagnosis;
  GstStereoAlignment alignment; /* its fields say whose they are */
  GstStereoPendingTags tags;    /* of src */
} GstStereoMatcher;

typedef struct
{
  GstStereoAggregatorClass parent_class;

  const StereoAlgorithm *algorithm;
} GstStereoMatcherClass;

#define GST_TYPE_STEREO_MATCHER (gst_stereo_matcher_get_type ())
#define GST_STEREO_MATCHER(o) (G_TYPE_CHECK_INSTANCE_CAST ((o), \
    GST_TYPE_STEREO_MATCHER, GstStereoMatcher))
#define GST_STEREO_MATCHER_GET_CLASS(o) (G_TYPE_INSTANCE_GET_CLASS ((o), \
    GST_TYPE_STEREO_MATCHER, GstStereoMatcherClass))

GType gst_stereo_matcher_get_type (void);

/* For the class_init() of a subclass: sets the algorithm and installs a
 * property for each of its parameters. */
void gst_stereo_matcher_class_set_algorithm (GstStereoMatcherClass * klass,
    const gchar * name);

G_END_DECLS

#endif /* GST_STEREO_MATCHER_H */
