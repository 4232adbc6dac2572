/* gst-stereomatching: the inside of the base class of the matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoBase is one object in several files:
 *
 *   gststereobase.c        the class: properties, start and stop, statistics
 *   gststereocaps.c        what the pads can be, and what they are
 *   gststereoevents.c      what the pads are told
 *   gststereoqos.c         pairs that would be too late
 *   gststereowatch.c       views that nothing comes from
 *   gststereoaggregate.c   from two queues to a pair
 *   gststereoend.c         what comes after the end
 *   gststereoquery.c       queries that a flush takes back
 *   gststereonewest.c      the newest pair of live views
 *   gststereomatching.c    from a pair to what was found, on the device
 *   gststereooutput.c      from there to buffers downstream
 *   gststereoresults.c     the pads for what there is besides disparities
 *
 * Threads.  The task of `src` calls aggregate() and, with it, everything that
 * touches the matcher.  Properties come from any thread and are protected by
 * the object lock, together with the other fields under "shared" below.
 */

#ifndef GST_STEREO_BASE_PRIVATE_H
#define GST_STEREO_BASE_PRIVATE_H

#include "base/gststereodevice.h"
#include "base/gststereofence.h"
#include "base/gststereoframe.h"
#include "base/gststereogate.h"
#include "base/gststereoparams.h"
#include "base/gststereotags.h"
#include "pair/gststereobase.h"
#include "pair/gststereoquery.h"
#include "pair/gststereoresult.h"
#include "pair/gststereostore.h"

G_BEGIN_DECLS

enum
{
  LEFT,
  RIGHT,
  N_VIEWS
};

/* "left" and "right". */
extern const gchar *const gst_stereo_view_names[N_VIEWS];

typedef struct
{
  guint64 paired;
  guint64 dropped[N_VIEWS];
  guint64 qos_dropped;
  guint64 superseded;
} GstStereoCounters;

typedef enum
{
  GST_STEREO_PAIRS_AUTO,
  GST_STEREO_PAIRS_EVERY,
  GST_STEREO_PAIRS_NEWEST
} GstStereoPairs;

GType gst_stereo_pairs_get_type (void);
#define GST_TYPE_STEREO_PAIRS (gst_stereo_pairs_get_type ())

/* What gststereonewest.c keeps. */
typedef struct
{
  gint mode;                    /* atomic; what `pairs` came to */
  GMutex lock;                  /* of what follows, but for chosen */
  GstStereoStore store;
  GstSegment segment[N_VIEWS];  /* of the images that come in now */
  GstClockTime frame[N_VIEWS];  /* how long one lasts, by the caps */
  gboolean at_end[N_VIEWS];
  gboolean knocked[N_VIEWS];    /* the task knows that there is something */
  gboolean lost;                /* there was more since the last pair, */
  gboolean lost_discont;        /* and that began anew */
  GstStereoImage *chosen[N_VIEWS];      /* the task's own */
} GstStereoNewest;

/* Whether a pad takes anything, in gststereoend.c.  The numbers are atomic. */
typedef struct
{
  GstPadChainFunction chain;    /* of the base class */
  gint state;
  gint inside;                  /* threads in what may block */
  gint came;                    /* images */
} GstStereoDoor;

typedef struct _GstStereoWatch GstStereoWatch;

typedef struct
{
  /* Constant, or with locks of their own. */
  GstAggregatorPad *sink[N_VIEWS];
  GstStereoFailure failure;
  GstStereoParams params;
  GstStereoGate gate;           /* of buffers for all source pads */
  GstStereoWatch *watch;        /* of whoever starts and stops */
  GstStereoDoor door[N_VIEWS];
  GstStereoNewest newest;
  GstStereoQueries queries;
  gint unpaired_in_a_row;       /* atomic */
  gint begins_anew;             /* atomic; what the next pair shows does not
                                 * follow the last one that was matched */

  /* Shared, under the object lock. */
  GstClockTime sync_tolerance;
  gboolean qos;
  GstStereoPairs pairs;
  gboolean profiling;
  GstVideoInfo info[N_VIEWS];
  gboolean has_info[N_VIEWS];
  GstStereoCounters counters;
  GstStereoQos qos_of_src;
  /* NULL where nobody asked for one; no references, the element has them.  A
   * pad keeps its place until its release is over. */
  GstStereoResultPad *results[STEREO_N_RESULTS];
  StereoMatcher *matcher;       /* written by the task, with the lock held */
  GstBuffer *current[N_VIEWS];  /* the pair that is being worked on */

  /* The task's own. */
  GstStereoDevice device;
  GstStereoFence *fence;
  guint64 last_frame;           /* of the matcher; 0: none yet */
  GstStereoHeld held;
  StereoParams *applied;        /* parameters of the matcher */
  guint applied_serial;
  StereoMatcherConfig config;
  GstVideoInfo out_info;
  gboolean configured;
  gboolean agreed;              /* both views had the same size at some time */
  guint caps_serial[N_VIEWS];   /* when the pad's caps came */
  guint next_caps_serial;
  gboolean warned_of_fields[N_VIEWS];
  gboolean warned_of_swap[N_VIEWS];
  GstStereoToldTags told;
  GstEvent *tags;               /* for src, or NULL */
  GstClockTime disagree_since;  /* running time */
  gboolean discont;
  GstSegment segment[N_VIEWS];  /* of the images that are looked at */
} GstStereoBasePrivate;

GstStereoBasePrivate *gst_stereo_base_get_private (GstStereoBase * self);
#define PRIV(self) gst_stereo_base_get_private (self)

/* The class above ours, for what isn't ours to answer. */
GstAggregatorClass *gst_stereo_base_get_parent_class (void);

/* Posts an error unless one was posted since the element started. */
#define STEREO_ERROR(self, domain, code, text, debug) \
    GST_STEREO_FAIL (&PRIV (self)->failure, domain, code, text, debug)

/* Which view comes in on the pad. */
gint gst_stereo_base_view_of (GstStereoBase * self, GstAggregatorPad * pad);

/* --------------------------------------------------------------------- caps */

gboolean gst_stereo_base_same_size (const GstVideoInfo * a,
    const GstVideoInfo * b);

/* In all that a result takes over from the left view. */
gboolean gst_stereo_base_same_shape (const GstVideoInfo * a,
    const GstVideoInfo * b);

/* The template of a source pad with the shape of a video. */
GstCaps *gst_stereo_base_caps_of_shape (GstPad * src,
    const GstVideoInfo * shape);

/* Whether the template of the pad has the caps. */
gboolean gst_stereo_base_accepts (GstPad * pad, GstCaps * caps);

/* Takes over the caps of a view; posts an error if they can't be. */
gboolean gst_stereo_base_take_caps (GstStereoBase * self, gint view,
    GstCaps * caps);

/* Posts an error that says what is wrong with caps that a pad does not take, or
 * that downstream can't take the result. */
void gst_stereo_base_complain_about_caps (GstStereoBase * self, gint view,
    const GstCaps * caps);
void gst_stereo_base_complain_about_downstream (GstStereoBase * self,
    StereoResult result, const GstVideoInfo * left, const GstCaps * downstream);

gboolean gst_stereo_base_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);
gboolean gst_stereo_base_negotiate (GstAggregator * aggregator);
GstFlowReturn gst_stereo_base_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result);

/* ------------------------------------------------------------------- events */

gboolean gst_stereo_base_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event);
gboolean gst_stereo_base_src_event (GstAggregator * aggregator,
    GstEvent * event);
gboolean gst_stereo_base_result_pad_event (GstPad * pad, GstObject * parent,
    GstEvent * event);

/* Adds the probes that see events before GstAggregator does. */
void gst_stereo_base_add_probes (GstStereoBase * self);

/* Looks out for views that nothing comes from, from start to stop. */
void gst_stereo_base_start_watching (GstStereoBase * self);
void gst_stereo_base_stop_watching (GstStereoBase * self);

/* ---------------------------------------------------------------------- QoS */

/* With the object lock held. */
void gst_stereo_base_reset_qos (GstStereoBase * self);

/* Notes what downstream of one source pad says about lateness.  FALSE when it
 * is of no interest, here or upstream. */
gboolean gst_stereo_base_take_qos (GstStereoBase * self, GstStereoQos * qos,
    GstEvent * event);

/* Whether downstream would throw the result away; says so if it would.  time is
 * the running time of the left buffer. */
gboolean gst_stereo_base_too_late (GstStereoBase * self, GstBuffer * left,
    GstClockTime time);

/* -------------------------------------------------------------- aggregation */

GstBuffer *gst_stereo_base_clip (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstBuffer * buffer);
GstBuffer *gst_stereo_base_clip_to (GstStereoBase * self,
    const GstSegment * segment, GstBuffer * buffer);

/* Counts an image that was dropped, and posts a message.  In any thread. */
void gst_stereo_base_tell_unpaired (GstStereoBase * self, gint view,
    GstBuffer * buffer, GstClockTime running_time, const gchar * reason);

GstFlowReturn gst_stereo_base_aggregate (GstAggregator * aggregator,
    gboolean timeout);

/* ------------------------------------------------------------- newest pairs */

/* Whether the element matches the newest pair, or every one. */
gboolean gst_stereo_base_takes_newest (GstStereoBase * self);

/* In place of what the base class does with an image. */
GstFlowReturn gst_stereo_base_newest_chain (GstStereoBase * self, gint view,
    GstBuffer * buffer);
/* Before the event goes into the queue; TRUE when it shall not. */
gboolean gst_stereo_base_newest_event (GstStereoBase * self, gint view,
    GstEvent * event);

/* In the task: references to the newest pair, which stays the same one until
 * both are taken; then, always, release(). */
void gst_stereo_base_newest_peek (GstStereoBase * self,
    GstBuffer * buffers[N_VIEWS]);
void gst_stereo_base_newest_pop (GstStereoBase * self, gint view);
void gst_stereo_base_newest_release (GstStereoBase * self);
/* Whether there will be no more pairs. */
gboolean gst_stereo_base_newest_is_over (GstStereoBase * self);

/* After a GAP event that had no effect. */
void gst_stereo_base_newest_unknock (GstStereoBase * self, gint view);

/* Whether it has one of that view that may be matched.  Any thread. */
gboolean gst_stereo_base_newest_has_image (GstStereoBase * self, gint view);

/* Whether one of the views is live. */
gboolean gst_stereo_base_is_live (GstStereoBase * self);
void gst_stereo_base_newest_end (GstStereoBase * self);

void gst_stereo_base_newest_init (GstStereoBase * self);
void gst_stereo_base_newest_finalize (GstStereoBase * self);
/* When the task has been flushed, and before the start and after the end. */
void gst_stereo_base_newest_flush (GstStereoBase * self);
void gst_stereo_base_newest_reset (GstStereoBase * self);

/* ---------------------------------------------------------------------- end */

/* Takes over from the base class what comes in on the pads. */
void gst_stereo_base_init_doors (GstStereoBase * self);
/* At the start. */
void gst_stereo_base_open_doors (GstStereoBase * self);

/* After the last pair, in the task: refuses all that comes in from now on, and
 * returns GST_FLOW_EOS when nobody is left inside, or else
 * GST_AGGREGATOR_FLOW_NEED_DATA; is to be called again then. */
GstFlowReturn gst_stereo_base_end (GstStereoBase * self);
gboolean gst_stereo_base_has_ended (GstStereoBase * self);

/* How many images have come in on a view, and whether its source waits.  In any
 * thread. */
gint gst_stereo_base_count_images (GstStereoBase * self, gint view);
gboolean gst_stereo_base_is_waited_in (GstStereoBase * self, gint view);

GstFlowReturn gst_stereo_base_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event);
gboolean gst_stereo_base_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

/* ----------------------------------------------------------------- matching */

/* How the element opens and closes its device. */
extern const GstStereoDeviceUser gst_stereo_base_device_user;

/* Waits for everything that was started; tells whether all of it is there. */
StereoStatus gst_stereo_base_drain (GstStereoBase * self);

/* After the device has failed: whether the element is on the CPU now, with a
 * warning, to be configured.  FALSE with an error posted. */
gboolean gst_stereo_base_recover (GstStereoBase * self, StereoStatus status);

/* The configuration that the views and the negotiated output have now. */
gboolean gst_stereo_base_current_config (GstStereoBase * self,
    StereoMatcherConfig * config);

gboolean gst_stereo_base_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps);

/* Parameters for this frame; the matcher is configured anew if they changed. */
gboolean gst_stereo_base_apply_params (GstStereoBase * self, GstBuffer * left);

/* Looks whether something begins anew with the image. */
void gst_stereo_base_look_at_image (GstStereoBase * self, GstBuffer * buffer);

/* What one source pad gets of a frame. */
typedef struct
{
  StereoResult result;
  GstStereoResultPad *pad;      /* a reference; NULL for `src` */
  const GstVideoInfo *info;
  GstBuffer *buffer;
  GstStereoFrame target;
} GstStereoOutput;

/* Matches a pair into the buffers of n outputs. */
gboolean gst_stereo_base_match (GstStereoBase * self,
    GstBuffer * buffers[N_VIEWS], GstStereoOutput * outputs, guint n);

/* ------------------------------------------------------------------- output */

/* Buffers for all results that somebody waits for; `src` is the first one.
 * There may be some even if it fails. */
GstFlowReturn gst_stereo_base_open_outputs (GstStereoBase * self,
    GstStereoOutput outputs[STEREO_N_RESULTS], guint * n);
void gst_stereo_base_close_outputs (GstStereoOutput * outputs, guint n);

/* Posts an error: there is no pool. */
void gst_stereo_base_complain_about_pool (GstStereoBase * self);

/* Says on its buffer what was matched for the output. */
GstPadProbeReturn gst_stereo_base_send_tags (GstPad * pad,
    GstPadProbeInfo * probe, gpointer user_data);
void gst_stereo_base_describe_output (GstStereoBase * self,
    GstStereoOutput * output, GstBuffer * buffers[N_VIEWS]);

/* Pushes the buffers and returns what came back from all. */
GstFlowReturn gst_stereo_base_push_outputs (GstStereoBase * self,
    GstStereoOutput * outputs, guint n);

gboolean gst_stereo_base_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query);
gboolean gst_stereo_base_decide_allocation (GstAggregator * aggregator,
    GstQuery * query);

/* -------------------------------------------------------------- result pads */

/* The result pads there are now, as references, in pads[].  Pads that are
 * released meanwhile can be pushed to without harm. */
guint gst_stereo_base_get_result_pads (GstStereoBase * self,
    GstStereoResultPad * pads[STEREO_N_RESULTS]);
void gst_stereo_base_unref_result_pads (GstStereoResultPad *
    pads[STEREO_N_RESULTS], guint n);

/* Makes the pad ready for results of the shape that `src` has now. */
GstFlowReturn gst_stereo_base_negotiate_result (GstStereoBase * self,
    GstStereoResultPad * pad);

GstPad *gst_stereo_base_request_new_pad (GstElement * element,
    GstPadTemplate * pad_template, const gchar * name, const GstCaps * caps);
void gst_stereo_base_release_pad (GstElement * element, GstPad * pad);

/* Before the task of `src` is stopped, which may hang in one of these, and
 * after it was. */
guint gst_stereo_base_stop_result_pads (GstStereoBase * self,
    GstStereoResultPad * pads[STEREO_N_RESULTS]);
void gst_stereo_base_result_pads_stopped (GstStereoResultPad *
    pads[STEREO_N_RESULTS], guint n);

G_END_DECLS

#endif /* GST_STEREO_BASE_PRIVATE_H */
