/* gst-stereomatching: base class of the elements with several inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoAggregator is the base class of matchers and of consumers of
 * disparity maps.  Its files are:
 *
 *   gststereoaggregator.c  the class: pads, caps, properties, states
 *   gststereoevents.c      events
 *   gststereoquery.c       serialized queries
 *   gststereoend.c         pad guards: input after the end of a stream
 *   gststereooutputs.c     source pads: memory, negotiation, pushing
 *   gststereoqos.c         frames that would be too late
 *   gststereowatch.c       inputs that are not linked or send nothing
 *
 * A class has the input pads of its templates.  Its process() synchronizes the
 * inputs by a policy, which is a pure function: gststereopair.h for pairs,
 * gststereomapsync.h for images and maps.
 *
 * Threads.  The task of `src` calls aggregate() and uses the device.
 * Properties may be set by any thread.
 */

#ifndef GST_STEREO_AGGREGATOR_H
#define GST_STEREO_AGGREGATOR_H

#include "aggregate/gststereoinput.h"
#include "aggregate/gststereoquery.h"
#include "aggregate/gststereoresultpad.h"
#include "base/gststereobufferwait.h"
#include "base/gststereorun.h"
#include "core/params.h"

G_BEGIN_DECLS

/* "sink_left", "sink_right" and "sink_disparity". */
extern const gchar *const gst_stereo_input_names[GST_STEREO_N_INPUTS];

/* Frames since the element started. */
typedef struct
{
  guint64 processed;
  guint64 dropped[GST_STEREO_N_INPUTS]; /* unpaired buffers */
  guint64 qos_dropped;
  guint64 superseded;
} GstStereoCounters;

/* Whether a pad refuses input, see gststereoend.c.  All fields are atomic. */
typedef struct
{
  gint state;
  gint n_blocked;               /* threads in a call that may block */
  gint n_images;                /* images and gaps since the start */
} GstStereoPadGuard;

typedef struct _GstStereoWatch GstStereoWatch;

typedef struct
{
  GstAggregator parent;

  /* Constant, or with locks of their own. */
  GstStereoFailure failure;
  GstStereoBufferWait buffer_wait;      /* for all source pads */
  GstStereoQueries queries;
  GstStereoWatch *watch;        /* of the thread that starts and stops */
  GstStereoPadGuard guard[GST_STEREO_N_INPUTS];
  GMutex segment_lock;          /* of events that use or reset a segment */
  GstPadChainFunction chain;    /* of GstAggregator */
  gint flushed;                 /* an input, since the last aggregate() */

  /* Under the object lock. */
  GstAggregatorPad *sink[GST_STEREO_N_INPUTS];  /* NULL: no such pad */
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  gboolean has_info[GST_STEREO_N_INPUTS];
  GstClockTime sync_tolerance;
  gboolean qos;
  GstStereoQos src_qos;
  GstStereoCounters counters;
  guint64 set;                  /* rows of the table that were set */
  const GstStereoInput *selected;       /* during samples-selected */
  GPtrArray *result_pads;       /* of GstStereoResultPad: source pads besides
                                 * `src`, until they are released */

  /* Of the streaming thread, except the settings of the device. */
  GstStereoDevice device;
  GstStereoRun run;
  GstVideoInfo out_info;        /* of `src` */
  gboolean discont;             /* the next output is one */
} GstStereoAggregator;

typedef struct
{
  GstAggregatorClass parent_class;

  gint leader;                  /* the input that determines segment and times
                                 * of the output */
  /* see gst_stereo_aggregator_install_properties() */
  const StereoParamSpec *table;
  gsize settings;

  /* Caps that the pad of an input can have, the preferred ones first. */
  GstCaps *(*get_sink_caps) (GstStereoAggregator * self, gint input);

  /* May be NULL.  Checks new caps of an input.  FALSE with an error posted. */
  gboolean (*set_caps) (GstStereoAggregator * self, gint input, GstCaps * caps,
      const GstVideoInfo * info);

  /* These may be NULL.  They receive buffers and events before the queue of a
   * pad, and return TRUE for those that must not enter it.  take_buffer() then
   * owns the buffer. */
  gboolean (*take_buffer) (GstStereoAggregator * self, gint input,
      GstBuffer * buffer, GstFlowReturn * flow);
  gboolean (*take_event) (GstStereoAggregator * self, gint input,
      GstEvent * event);
  /* A GAP event that came before a segment leaves the queue. */
  void (*skip_gap) (GstStereoAggregator * self, gint input);
  /* Whether an image of an input waits for a partner outside that queue.  Any
   * thread. */
  gboolean (*has_image) (GstStereoAggregator * self, gint input);
  /* Whether QOS events are neither used nor sent upstream. */
  gboolean (*ignores_qos) (GstStereoAggregator * self);

  /* Processes the queued inputs; GST_FLOW_EOS ends the stream. */
  GstFlowReturn (*process) (GstStereoAggregator * self);

  /* The caps of a result pad, and the error if downstream accepts none of
   * them. */
  GstCaps *(*get_result_caps) (GstStereoAggregator * self,
      GstStereoResultPad * pad);
  void (*post_downstream_error) (GstStereoAggregator * self,
      GstStereoResultPad * pad, const GstCaps * downstream);

  /* Adds metas to an output, after the times and flags of the leader. */
  void (*describe) (GstStereoAggregator * self, GstStereoRunFrame * frame,
      guint output);

  GstStructure *(*get_stats) (GstStereoAggregator * self);
} GstStereoAggregatorClass;

#define GST_TYPE_STEREO_AGGREGATOR (gst_stereo_aggregator_get_type ())
#define GST_STEREO_AGGREGATOR(o) (G_TYPE_CHECK_INSTANCE_CAST ((o), \
    GST_TYPE_STEREO_AGGREGATOR, GstStereoAggregator))
#define GST_STEREO_AGGREGATOR_CLASS(c) (G_TYPE_CHECK_CLASS_CAST ((c), \
    GST_TYPE_STEREO_AGGREGATOR, GstStereoAggregatorClass))
#define GST_STEREO_AGGREGATOR_GET_CLASS(o) (G_TYPE_INSTANCE_GET_CLASS ((o), \
    GST_TYPE_STEREO_AGGREGATOR, GstStereoAggregatorClass))

GType gst_stereo_aggregator_get_type (void);

/* GstAggregator's class. */
GstAggregatorClass *gst_stereo_aggregator_get_parent_class (void);

/* For init(): sets up the device and the processing of frames. */
void gst_stereo_aggregator_init_run (GstStereoAggregator * self,
    const GstStereoRunFuncs * funcs, GstStereoBackend backend);

/* The input that belongs to a pad. */
gint gst_stereo_aggregator_find_input (GstPad * pad);

/* A reference to the pad of an input, or NULL. */
GstAggregatorPad *gst_stereo_aggregator_get_pad (GstStereoAggregator * self,
    gint input);

/* The info of all inputs, zero for one without caps.  FALSE unless the first n
 * have caps. */
gboolean gst_stereo_aggregator_get_info (GstStereoAggregator * self,
    GstVideoInfo info[GST_STEREO_N_INPUTS], guint n);

/* Puts caps first whose fields, a list that ends with NULL, have the values of
 * another input: those of its video, or before that those that its source
 * offers.  Takes ownership of the caps. */
GstCaps *gst_stereo_aggregator_prefer_caps_of (GstStereoAggregator * self,
    gint input, GstCaps * caps, const gchar * const * fields);

/* Whether the template of a pad accepts the caps. */
gboolean gst_stereo_aggregator_accepts (GstPad * pad, GstCaps * caps);

/* The number of inputs with a live source. */
guint gst_stereo_aggregator_count_live (GstStereoAggregator * self);

/* Counts an unpaired buffer, which is dropped, and posts a message.  Any
 * thread. */
void gst_stereo_aggregator_post_unpaired (GstStereoAggregator * self,
    gint input, GstBuffer * buffer, GstClockTime running_time,
    const gchar * reason);

/* Emits samples-selected for the inputs of the next output.  Call it before the
 * properties are read, which handlers may set. */
void gst_stereo_aggregator_select (GstStereoAggregator * self,
    const GstStereoInput * inputs);

/* Whether all images among these inputs have caps.  Posts an error if not. */
gboolean gst_stereo_aggregator_check_caps (GstStereoAggregator * self,
    const GstStereoInput * inputs, guint n);

/* For the class: decides the pool of `src` for out_info. */
gboolean gst_stereo_aggregator_decide_allocation (GstAggregator * aggregator,
    GstQuery * query);

/* --------------------------------------------------------------- properties */

/* The ids from DEVICE on belong to the device, and those from TABLE on to a
 * table; a class without a table may use these for its own properties. */
enum
{
  GST_STEREO_AGGREGATOR_PROP_0,
  GST_STEREO_AGGREGATOR_PROP_SYNC_TOLERANCE,
  GST_STEREO_AGGREGATOR_PROP_QOS,
  GST_STEREO_AGGREGATOR_PROP_STATS,
  GST_STEREO_AGGREGATOR_PROP_DEVICE,
  GST_STEREO_AGGREGATOR_PROP_TABLE = GST_STEREO_AGGREGATOR_PROP_DEVICE
      + GST_STEREO_DEVICE_N_PROPS
};

/* For class_init(): installs the properties of the device, with a default, and
 * those of a table, if any, whose structure is at this offset of an instance.
 * owner: see gst_stereo_table_install_properties(). */
void gst_stereo_aggregator_install_properties (GstStereoAggregatorClass *
    klass, GstStereoBackend backend, const StereoParamSpec * table,
    const gchar * owner, gsize settings);

/* The same for `qos` and `stats`. */
void gst_stereo_aggregator_install_qos (GstStereoAggregatorClass * klass,
    const gchar * description);
void gst_stereo_aggregator_install_stats (GstStereoAggregatorClass * klass);

void gst_stereo_aggregator_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec);
void gst_stereo_aggregator_get_property (GObject * object, guint id,
    GValue * value, GParamSpec * pspec);

/* ------------------------------------------------------------------- events */

void gst_stereo_aggregator_init_events (GstStereoAggregator * self);

/* For the start of an element: see gststereoevents.c. */
void gst_stereo_aggregator_init_segment (GstStereoAggregator * self);

gboolean gst_stereo_aggregator_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event);
gboolean gst_stereo_aggregator_src_event (GstAggregator * aggregator,
    GstEvent * event);
gboolean gst_stereo_aggregator_result_pad_event (GstPad * pad,
    GstObject * parent, GstEvent * event);

/* ---------------------------------------------------------------------- end */

/* Installs the guard of a pad. */
void gst_stereo_aggregator_guard_pad (GstStereoAggregator * self, gint input);
/* For the start of an element. */
void gst_stereo_aggregator_reset_pads (GstStereoAggregator * self);

/* After the last frame, in the task: refuses all further input.  Returns
 * GST_FLOW_EOS if no thread is blocked, otherwise
 * GST_AGGREGATOR_FLOW_NEED_DATA; then call it again. */
GstFlowReturn gst_stereo_aggregator_end (GstStereoAggregator * self);
gboolean gst_stereo_aggregator_has_ended (GstStereoAggregator * self);

/* The number of images and gaps received on a pad, and whether its source is
 * blocked.  Any thread. */
gint gst_stereo_aggregator_count_images (GstStereoAggregator * self,
    gint input);
gboolean gst_stereo_aggregator_is_blocked (GstStereoAggregator * self,
    gint input);

GstFlowReturn gst_stereo_aggregator_sink_event_pre_queue (GstAggregator *
    aggregator, GstAggregatorPad * pad, GstEvent * event);
gboolean gst_stereo_aggregator_sink_query_pre_queue (GstAggregator *
    aggregator, GstAggregatorPad * pad, GstQuery * query);

/* -------------------------------------------------------------------- watch */

/* Checks the inputs, from start to stop. */
void gst_stereo_aggregator_start_watching (GstStereoAggregator * self);
void gst_stereo_aggregator_stop_watching (GstStereoAggregator * self);

/* Posts an error if an input has ended and another one is not linked. */
void gst_stereo_aggregator_check_links (GstStereoAggregator * self,
    gint ended);

/* ------------------------------------------------------------------ outputs */

/* Adds an active result pad of this name to the element, and returns it; or
 * NULL if there is one of that name. */
GstPad *gst_stereo_aggregator_add_result_pad (GstStereoAggregator * self,
    GType type, GstPadTemplate * pad_template, const gchar * name);
void gst_stereo_aggregator_release_result_pad (GstStereoAggregator * self,
    GstStereoResultPad * pad);

/* References to all result pads that are not being released.  Pushing to such a
 * pad is allowed even after its release.  The caller unreferences the array. */
GPtrArray *gst_stereo_aggregator_get_result_pads (GstStereoAggregator * self);

/* Call these before and after the task of `src` stops, which may be blocked in
 * one of the pads. */
void gst_stereo_aggregator_stop_result_pads (GstStereoAggregator * self);
void gst_stereo_aggregator_reset_result_pads (GstStereoAggregator * self);

/* Forwards an event that ends or flushes `src`. */
void gst_stereo_aggregator_forward_to_result_pads (GstStereoAggregator * self,
    GstEvent * event);

/* Gets a buffer for each output that downstream wants; `src` is the first one.
 * Buffers of the others may be NULL.  The outputs must be closed even after a
 * failure. */
GstFlowReturn gst_stereo_aggregator_open_outputs (GstStereoAggregator * self,
    GstStereoRunFrame * frame);
void gst_stereo_aggregator_close_outputs (GstStereoRunFrame * frame);

/* Processes a frame, see gst_stereo_run_frame().  GST_AGGREGATOR_FLOW_NEED_DATA
 * if the frame must be dropped. */
GstFlowReturn gst_stereo_aggregator_process_frame (GstStereoAggregator * self,
    GstStereoRunFrame * frame);

/* The same for a frame with open outputs, and pushes them with the times of
 * leader. */
GstFlowReturn gst_stereo_aggregator_push_frame (GstStereoAggregator * self,
    GstStereoRunFrame * frame, GstBuffer * leader);

/* Copies times and flags of a buffer to an output, and updates the position.
 * An output of any corrupted input is corrupted. */
void gst_stereo_aggregator_stamp (GstStereoAggregator * self,
    GstBuffer * output, const GstStereoRunFrame * frame, GstBuffer * leader);

/* ---------------------------------------------------------------------- QoS */

void gst_stereo_aggregator_reset_qos (GstStereoAggregator * self);

/* Updates the QoS of a source pad by a QOS event. */
void gst_stereo_aggregator_update_qos (GstStereoAggregator * self,
    GstStereoQos * qos, GstEvent * event);

/* Whether downstream would drop the frame of this input.  Posts a message and
 * counts it if so. */
gboolean gst_stereo_aggregator_is_late (GstStereoAggregator * self,
    const GstStereoInput * input);

G_END_DECLS

#endif /* GST_STEREO_AGGREGATOR_H */
