/* gst-stereomatching: private declarations of GstStereoMatcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoMatcher adds to GstStereoAggregator:
 *
 *   gststereomatcher.c      the class: properties, start and stop, statistics
 *   gststereomatchercaps.c  caps of the views and of the results
 *   gststereopairing.c      from two queues to a pair
 *   gststereonewest.c       the newest pair of live views
 *   gststereomatcherrun.c   from a pair to results with metadata
 *   gststereodiagnosis.c    views that do not match
 *   gststereoalignment.c    views whose rows differ: measurement
 *   gststereocorrector.c    the same: correction
 */

#ifndef GST_STEREO_MATCHER_PRIVATE_H
#define GST_STEREO_MATCHER_PRIVATE_H

#include "aggregate/gststereomatcher.h"

G_BEGIN_DECLS

GType gst_stereo_pairs_get_type (void);
#define GST_TYPE_STEREO_PAIRS (gst_stereo_pairs_get_type ())
GType gst_stereo_alignment_mode_get_type (void);
#define GST_TYPE_STEREO_ALIGNMENT_MODE (gst_stereo_alignment_mode_get_type ())

/* Posts an error unless one was posted since the element started. */
#define STEREO_ERROR(self, domain, code, text, debug) \
    GST_STEREO_FAIL (&(self)->parent.failure, domain, code, text, debug)

/* --------------------------------------------------------------------- caps */

gboolean gst_stereo_matcher_same_size (const GstVideoInfo * a,
    const GstVideoInfo * b);

GstCaps *gst_stereo_matcher_get_sink_caps (GstStereoAggregator * aggregator,
    gint input);
gboolean gst_stereo_matcher_set_caps (GstStereoAggregator * aggregator,
    gint input, GstCaps * caps, const GstVideoInfo * info);

/* Reports the longest wait for the other view as latency.  Any thread. */
void gst_stereo_matcher_update_latency (GstStereoMatcher * self);

/* Adds the probes that see caps before GstPad refuses them without a reason. */
void gst_stereo_matcher_add_caps_probes (GstStereoMatcher * self);

GstCaps *gst_stereo_matcher_get_result_caps (GstStereoAggregator * aggregator,
    GstStereoResultPad * pad);
void gst_stereo_matcher_post_downstream_error (GstStereoAggregator *
    aggregator, GstStereoResultPad * pad, const GstCaps * downstream);
gboolean gst_stereo_matcher_negotiate (GstAggregator * aggregator);
GstFlowReturn gst_stereo_matcher_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result);

/* ------------------------------------------------------------------ pairing */

/* Counts an unpaired image and posts a message, and a warning after many in a
 * row.  Any thread. */
void gst_stereo_matcher_post_unpaired (GstStereoMatcher * self, gint view,
    GstBuffer * buffer, GstClockTime running_time, const gchar * reason);

GstFlowReturn gst_stereo_matcher_process (GstStereoAggregator * aggregator);

/* ------------------------------------------------------------- newest pairs */

/* Whether the element matches the newest pair, or every one. */
gboolean gst_stereo_matcher_takes_newest (GstStereoMatcher * self);

/* For the class, of the same names there. */
gboolean gst_stereo_matcher_newest_take_buffer (GstStereoAggregator *
    aggregator, gint input, GstBuffer * buffer, GstFlowReturn * flow);
gboolean gst_stereo_matcher_newest_take_event (GstStereoAggregator *
    aggregator, gint input, GstEvent * event);
void gst_stereo_matcher_newest_skip_gap (GstStereoAggregator * aggregator,
    gint input);
gboolean gst_stereo_matcher_newest_ignores_qos (GstStereoAggregator *
    aggregator);

/* In the task, before it handles an event. */
void gst_stereo_matcher_newest_handle_event (GstStereoMatcher * self,
    gint view, GstEvent * event);

/* In the task: peek() fills in the newest pair, which stays the same until both
 * images are popped.  Every peek() must be followed by release(). */
void gst_stereo_matcher_newest_peek (GstStereoMatcher * self,
    GstStereoInput inputs[GST_STEREO_N_VIEWS]);
void gst_stereo_matcher_newest_pop (GstStereoMatcher * self, gint view);
void gst_stereo_matcher_newest_release (GstStereoMatcher * self);
/* Whether no more pairs will come. */
gboolean gst_stereo_matcher_newest_is_over (GstStereoMatcher * self);

/* Whether an image of that view may still be matched.  Any thread. */
gboolean gst_stereo_matcher_newest_has_image (GstStereoAggregator *
    aggregator, gint view);

void gst_stereo_matcher_newest_end (GstStereoMatcher * self);

void gst_stereo_matcher_newest_init (GstStereoMatcher * self);
void gst_stereo_matcher_newest_finalize (GstStereoMatcher * self);
/* Call it when the task has been flushed, before the start and after the
 * end. */
void gst_stereo_matcher_newest_flush (GstStereoMatcher * self);
void gst_stereo_matcher_newest_reset (GstStereoMatcher * self);

/* ------------------------------------------------------------------- frames */

extern const GstStereoRunFuncs gst_stereo_matcher_run_funcs;

/* The configuration for the views and the negotiated output. */
gboolean gst_stereo_matcher_current_config (GstStereoMatcher * self,
    StereoMatcherConfig * config);

gboolean gst_stereo_matcher_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps);

/* Checks whether an image is a discontinuity. */
void gst_stereo_matcher_inspect_image (GstStereoMatcher * self,
    GstBuffer * buffer);

/* Matches a pair and pushes the results. */
GstFlowReturn gst_stereo_matcher_match (GstStereoMatcher * self,
    GstStereoInput inputs[GST_STEREO_N_VIEWS]);

/* Whether this pair is examined, with its confidence, which may be computed
 * into this image; then, after success, continue(), which warns of views that
 * do not match, or postpones that to finish(). */
gboolean gst_stereo_matcher_start_diagnosis (GstStereoMatcher * self,
    GstClockTime time, StereoImage * confidence);
void gst_stereo_matcher_continue_diagnosis (GstStereoMatcher * self,
    const StereoImage * confidence, guint64 frame);
/* Waits for the pair that was postponed, if any. */
void gst_stereo_matcher_finish_diagnosis (GstStereoMatcher * self);
/* Forgets that pair, whose runner is closed. */
void gst_stereo_matcher_drop_diagnosis (GstStereoMatcher * self);
/* For start and stop. */
void gst_stereo_matcher_reset_diagnosis (GstStereoMatcher * self);

/* ---------------------------------------------------------------- alignment */

void gst_stereo_matcher_init_alignment (GstStereoMatcher * self);
void gst_stereo_matcher_finalize_alignment (GstStereoMatcher * self);
/* For the start: forgets messages and what was sent, but not the state. */
void gst_stereo_matcher_reset_alignment (GstStereoMatcher * self);
void gst_stereo_matcher_reset_corrector (GstStereoMatcher * self);

/* Reads the metadata of a pair, before it is matched. */
void gst_stereo_matcher_inspect_pair (GstStereoMatcher * self,
    const GstStereoInput inputs[GST_STEREO_N_VIEWS]);
void gst_stereo_matcher_inspect_corrections (GstStereoMatcher * self,
    const GstStereoInput inputs[GST_STEREO_N_VIEWS]);
/* Measures the mapped pair, if it is due, after its matching has started. */
void gst_stereo_matcher_measure (GstStereoMatcher * self,
    const GstStereoRunFrame * frame);
/* Waits for a measurement on the GPU, if any. */
void gst_stereo_matcher_finish_alignment (GstStereoMatcher * self);
/* Releases everything on the device. */
void gst_stereo_matcher_close_alignment (GstStereoMatcher * self);

/* Sends a correction upstream if there is a new one. */
void gst_stereo_matcher_update_correction (GstStereoMatcher * self);
/* Whether the last measured pair does not have the newest correction yet. */
gboolean gst_stereo_matcher_is_correcting (GstStereoMatcher * self);

/* The last report, as a structure "stereo-alignment".  With the object lock
 * held, any thread. */
GstStructure *gst_stereo_matcher_get_alignment_stats (GstStereoMatcher *
    self);

/* Any thread. */
void gst_stereo_matcher_forget_alignment (GstStereoMatcher * self);
void gst_stereo_matcher_set_correction (GstStereoMatcher * self,
    const gchar * text);
gchar *gst_stereo_matcher_dup_correction (GstStereoMatcher * self);

/* ----------------------------------------------------------------- metadata */

/* Adds metadata to a result. */
void gst_stereo_matcher_describe (GstStereoAggregator * aggregator,
    GstStereoRunFrame * frame, guint output);

/* A pad probe that sends the tags of `src` before a buffer. */
GstPadProbeReturn gst_stereo_matcher_send_tags (GstPad * pad,
    GstPadProbeInfo * probe, gpointer user_data);

G_END_DECLS

#endif /* GST_STEREO_MATCHER_PRIVATE_H */
