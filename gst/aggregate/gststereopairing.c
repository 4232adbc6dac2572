/* gst-stereomatching: from two queues of images to a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomatcher-private.h"

#include "aggregate/gststereopair.h"
#include "aggregate/gststereounmatched.h"
#include "base/gststereocamerameta.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"
#include "base/gststereogap.h"

#include <math.h>

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT
#define N_VIEWS GST_STEREO_N_VIEWS

/* Running time within which one view must follow a caps change of the other. */
#define CAPS_CHANGE_PATIENCE GST_SECOND

/* Frame rates that differ by less count as equal, such as 30 and 30000/1001. */
#define RATE_TOLERANCE 0.01

/* Rectified views whose cameras differ by less have one calibration, whose
 * numbers were rounded: in pixels, and relative to the baseline. */
#define CAMERA_PIXELS 0.1
#define CAMERA_BASELINE 0.001

/* Successive unpaired images before a warning. */
#define UNPAIRED_WARNING 50

/* ---------------------------------------------------------- unpaired images */

void
gst_stereo_matcher_post_unpaired (GstStereoMatcher * self, gint view,
    GstBuffer * buffer, GstClockTime running_time, const gchar * reason)
{
  gst_stereo_aggregator_post_unpaired (&self->parent, view, buffer,
      running_time, reason);
  /* Without any possible partner, the cameras may still be synchronized. */
  if (gst_stereo_matcher_takes_newest (self)
      && !gst_stereo_matcher_newest_has_image (&self->parent, !view))
    return;
  if (g_atomic_int_add (&self->n_unpaired, 1) + 1 == UNPAIRED_WARNING)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%d images in a row had no partner in the other view. If one camera "
            "is late, set right-offset; if the cameras are not synchronised, "
            "set sync-tolerance to the maximum timestamp difference of a pair. "
            "Both are in nanoseconds.", UNPAIRED_WARNING),
        (NULL));
}

/* Removes a view's oldest buffer. */
static void
pop (GstStereoMatcher * self, gint view)
{
  if (gst_stereo_matcher_takes_newest (self))
    gst_stereo_matcher_newest_pop (self, view);
  else
    gst_aggregator_pad_drop_buffer (self->parent.sink[view]);
}

/* Removes a view's oldest buffer and reports it if it is an image. */
static void
drop (GstStereoMatcher * self, gint view, const GstStereoInput * input,
    const gchar * reason)
{
  GstStereoUnmatched unmatched = GST_STEREO_UNMATCHED_NONE;

  self->parent.discont = TRUE;
  if (!gst_stereo_is_gap (input->buffer)) {
    unmatched.pts[view] = GST_BUFFER_PTS (input->buffer);
    gst_stereo_matcher_inspect_image (self, input->buffer);
    /* The cameras may be synchronized while the sizes differ. */
    if (GST_CLOCK_TIME_IS_VALID (self->disagree_since))
      g_atomic_int_set (&self->n_unpaired, 0);
    gst_stereo_matcher_post_unpaired (self, view, input->buffer,
        gst_stereo_input_running_time (input), reason);
  }
  pop (self, view);
  gst_stereo_unmatched_push (&unmatched, GST_AGGREGATOR_SRC_PAD (self));
}

static void
post_size_error (GstStereoMatcher * self, const GstVideoInfo info[N_VIEWS])
{
  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("The views differ in size: sink_left has %dx%d, sink_right %dx%d. They "
          "must be equal: put videoscale and the caps video/x-raw,width=%d,"
          "height=%d before sink_right.", GST_VIDEO_INFO_WIDTH (&info[LEFT]),
          GST_VIDEO_INFO_HEIGHT (&info[LEFT]),
          GST_VIDEO_INFO_WIDTH (&info[RIGHT]),
          GST_VIDEO_INFO_HEIGHT (&info[RIGHT]),
          GST_VIDEO_INFO_WIDTH (&info[LEFT]),
          GST_VIDEO_INFO_HEIGHT (&info[LEFT])), (NULL));
}

/* Whether the views have the same size.  If not, drops an image or posts an
 * error. */
static gboolean
check_sizes (GstStereoMatcher * self, const GstStereoInput inputs[N_VIEWS],
    GstFlowReturn * flow)
{
  const gint old = self->caps_serial[LEFT] < self->caps_serial[RIGHT] ? LEFT
      : RIGHT;
  const GstClockTime time = gst_stereo_input_running_time (&inputs[old]);
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  gboolean patient;

  (void) gst_stereo_aggregator_get_info (&self->parent, info, 0);
  if (gst_stereo_matcher_same_size (&info[LEFT], &info[RIGHT])) {
    self->agreed = TRUE;
    self->disagree_since = GST_CLOCK_TIME_NONE;
    return TRUE;
  }

  /* After a change on one pad, old images of the other pad have no partner. */
  if (!GST_CLOCK_TIME_IS_VALID (self->disagree_since))
    self->disagree_since = time;
  patient = self->agreed && (!GST_CLOCK_TIME_IS_VALID (time)
      || time < self->disagree_since + CAPS_CHANGE_PATIENCE);
  if (patient) {
    drop (self, old, &inputs[old], "the other view has changed its size");
    *flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  } else {
    post_size_error (self, info);
    *flow = GST_FLOW_ERROR;
  }
  return FALSE;
}

/* The view that has ended without an image while the other one has some, or
 * -1. */
static gint
find_empty_view (GstStereoMatcher * self)
{
  for (gint i = 0; i < N_VIEWS; i++) {
    if (gst_stereo_aggregator_count_images (&self->parent, i) == 0
        && gst_stereo_aggregator_count_images (&self->parent, !i) > 0)
      return i;
  }
  return -1;
}

/* Warns of an end without any pair, though there are images: the result is
 * empty. */
static void
check_pairs (GstStereoMatcher * self)
{
  const gint empty = find_empty_view (self);
  GstStereoCounters counters;

  GST_OBJECT_LOCK (self);
  counters = self->parent.counters;
  GST_OBJECT_UNLOCK (self);
  if (counters.processed + counters.qos_dropped + counters.superseded > 0
      || g_atomic_int_get (&self->n_unpaired) >= UNPAIRED_WARNING)
    return;
  if (empty >= 0)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%s has ended without an image, so there is no pair to match.",
            gst_stereo_input_names[empty]), (NULL));
  else if (counters.dropped[LEFT] + counters.dropped[RIGHT] > 0)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("The views have ended without a pair: no timestamps were within "
            "sync-tolerance of each other. If one camera is late, set "
            "right-offset. Both are in nanoseconds."), (NULL));
}

/* One view has ended and has nothing left. */
static GstFlowReturn
end_of_stream (GstStereoMatcher * self)
{
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstStereoInput input;

  if (gst_stereo_matcher_takes_newest (self))
    gst_stereo_matcher_newest_end (self);
  for (gint i = 0; i < N_VIEWS; i++) {
    gst_stereo_input_peek (&input, gst_stereo_aggregator_get_pad
        (&self->parent, i));
    if (input.buffer != NULL)
      drop (self, i, &input, "the other view has ended");
    gst_stereo_input_clear (&input);
  }
  gst_stereo_matcher_finish_diagnosis (self);
  gst_stereo_matcher_finish_alignment (self);
  (void) gst_stereo_run_drain (&self->parent.run);

  /* Perhaps the last ones were not matched because of their size. */
  if (gst_stereo_aggregator_get_info (&self->parent, info, N_VIEWS)
      && !gst_stereo_matcher_same_size (&info[LEFT], &info[RIGHT]))
    post_size_error (self, info);
  if (gst_stereo_failure_posted (&self->parent.failure))
    return GST_FLOW_ERROR;
  check_pairs (self);
  return GST_FLOW_EOS;
}

/* -------------------------------------------------------------------- pairs */

/* Warns once if the views have different frame rates, so that the images of a
 * pair are not of the same time. */
static void
check_rates (GstStereoMatcher * self)
{
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  const GstVideoInfo *left = &info[LEFT], *right = &info[RIGHT];
  gdouble rate[N_VIEWS];

  if (self->warned_of_rates)
    return;
  (void) gst_stereo_aggregator_get_info (&self->parent, info, 0);
  for (guint i = 0; i < N_VIEWS; i++) {
    if (gst_stereo_has_variable_rate (&info[i]))
      return;
    rate[i] = (gdouble) GST_VIDEO_INFO_FPS_N (&info[i])
        / GST_VIDEO_INFO_FPS_D (&info[i]);
  }
  if (fabs (rate[LEFT] - rate[RIGHT]) <= RATE_TOLERANCE * rate[LEFT])
    return;
  self->warned_of_rates = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The views differ in frame rate: sink_left has %d/%d frames per second, "
          "sink_right %d/%d. Images of a pair may be up to sync-tolerance "
          "apart, and others have no partner. Set both cameras to one frame "
          "rate, or sync-tolerance to the difference that is acceptable, in "
          "nanoseconds.", GST_VIDEO_INFO_FPS_N (left),
          GST_VIDEO_INFO_FPS_D (left), GST_VIDEO_INFO_FPS_N (right),
          GST_VIDEO_INFO_FPS_D (right)), (NULL));
}

static gboolean
have_one_calibration (const GstStereoCamera cameras[N_VIEWS])
{
  const GstStereoCamera *left = &cameras[LEFT], *right = &cameras[RIGHT];

  return left->projection == right->projection
      && fabs (left->focal_length - right->focal_length) <= CAMERA_PIXELS
      && fabs (left->cy - right->cy) <= CAMERA_PIXELS
      && fabs (left->doffs - right->doffs) <= CAMERA_PIXELS
      && fabs (left->baseline - right->baseline)
      <= CAMERA_BASELINE * left->baseline;
}

/* Why views do not belong together by the metadata of stereorectify, or NULL.
 * Owned by the caller. */
static gchar *
explain_cameras (const GstStereoInput inputs[N_VIEWS])
{
  static const gchar *const names[N_VIEWS] = { "left", "right" };
  GstStereoCamera cameras[N_VIEWS];
  const GstStereoCamera *left = &cameras[LEFT], *right = &cameras[RIGHT];
  gboolean rectified[N_VIEWS];

  for (gint i = 0; i < N_VIEWS; i++)
    rectified[i] = gst_stereo_camera_meta_get (inputs[i].buffer, &cameras[i]);
  for (gint i = 0; i < N_VIEWS; i++) {
    if (rectified[i] && !rectified[!i])
      return g_strdup_printf ("The images on %s were rectified, those on %s "
          "were not: put stereorectify before both.",
          gst_stereo_input_names[i], gst_stereo_input_names[!i]);
    if (rectified[i] && cameras[i].is_right != (i == RIGHT))
      return g_strdup_printf ("The images on %s were rectified as those of the "
          "%s camera: set view=%s in their stereorectify, or link it to %s.",
          gst_stereo_input_names[i], names[!i], names[i],
          gst_stereo_input_names[!i]);
  }
  if (!rectified[LEFT] || have_one_calibration (cameras))
    return NULL;
  return g_strdup_printf ("The views were rectified differently: sink_left has "
      "a focal length of %g pixels and a baseline of %g m, sink_right of %g "
      "and %g. Set calibration, alpha, projection and field-of-view to the "
      "same values in both stereorectify.", left->focal_length,
      left->baseline, right->focal_length, right->baseline);
}

static void
check_cameras (GstStereoMatcher * self, const GstStereoInput inputs[N_VIEWS])
{
  gchar *text = self->warned_of_cameras ? NULL : explain_cameras (inputs);

  if (text == NULL)
    return;
  self->warned_of_cameras = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s", text), (NULL));
  g_free (text);
}

static void
note_difference (GstStereoMatcher * self, const GstStereoInput inputs[N_VIEWS])
{
  GST_OBJECT_LOCK (self);
  gst_stereo_differences_add (&self->differences,
      gst_stereo_input_running_time (&inputs[LEFT]),
      gst_stereo_input_running_time (&inputs[RIGHT]),
      inputs[RIGHT].segment.rate);
  GST_OBJECT_UNLOCK (self);
}

/* A pair is first in both queues. */
static GstFlowReturn
take_pair (GstStereoMatcher * self, GstStereoInput inputs[N_VIEWS])
{
  StereoMatcherConfig config = { 0, };
  GstStereoUnmatched late;
  GstFlowReturn flow;

  if (!check_sizes (self, inputs, &flow))
    return flow;
  check_rates (self);
  check_cameras (self, inputs);
  if (!self->configured || !gst_stereo_matcher_current_config (self, &config)
      || memcmp (&config, &self->config, sizeof (config)) != 0) {
    /* The first negotiation took place before both views had caps. */
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }

  note_difference (self, inputs);
  for (gint i = 0; i < N_VIEWS; i++) {
    gst_stereo_matcher_inspect_image (self, inputs[i].buffer);
    late.pts[i] = GST_BUFFER_PTS (inputs[i].buffer);
    pop (self, i);
  }
  if (!gst_stereo_aggregator_is_late (&self->parent, &inputs[LEFT]))
    return gst_stereo_matcher_match (self, inputs);
  gst_stereo_unmatched_push (&late, GST_AGGREGATOR_SRC_PAD (self));
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

/* The oldest buffer of a view for the pairing policy. */
static GstStereoHead
get_head (const GstStereoInput * input, const GstStereoInput * other)
{
  GstStereoHead head = gst_stereo_input_head (input);
  const GstClockTime image = gst_stereo_scale_time (&input->segment,
      GST_BUFFER_DURATION (other->buffer));

  /* Backwards, the timestamp of a gap belongs to the last image in it. */
  if (head.gap && input->segment.rate < 0
      && GST_CLOCK_TIME_IS_VALID (head.time)
      && GST_CLOCK_TIME_IS_VALID (head.duration)
      && GST_CLOCK_TIME_IS_VALID (image) && head.duration > image)
    head.time -= MIN (head.time, head.duration - image);
  return head;
}

static GstStereoPairing
decide (GstStereoMatcher * self, const GstStereoInput inputs[N_VIEWS])
{
  GstStereoHead left = get_head (&inputs[LEFT], &inputs[RIGHT]);
  GstStereoHead right = get_head (&inputs[RIGHT], &inputs[LEFT]);
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstClockTimeDiff offset;
  GstClockTime tolerance;
  GstStereoPairing pairing;

  (void) gst_stereo_aggregator_get_info (&self->parent, info, 0);
  GST_OBJECT_LOCK (self);
  tolerance = self->parent.sync_tolerance;
  offset = self->right_offset;
  GST_OBJECT_UNLOCK (self);
  tolerance = gst_stereo_tolerance (gst_stereo_scale_time
      (&inputs[RIGHT].segment, tolerance),
      gst_stereo_input_shown_for (&inputs[LEFT], &info[LEFT]),
      gst_stereo_input_shown_for (&inputs[RIGHT], &info[RIGHT]));
  gst_stereo_offset_right (&left, &right,
      gst_stereo_scale_offset (&inputs[RIGHT].segment, offset));
  pairing = gst_stereo_pair (&left, &right, tolerance);
  GST_LOG_OBJECT (self, "left %" GST_TIME_FORMAT "%s, right %" GST_TIME_FORMAT
      "%s, tolerance %" GST_TIME_FORMAT ": %s", GST_TIME_ARGS (left.time),
      left.gap ? " (gap)" : "", GST_TIME_ARGS (right.time),
      right.gap ? " (gap)" : "", GST_TIME_ARGS (tolerance),
      gst_stereo_pairing_name (pairing));
  return pairing;
}

static GstFlowReturn
process_inputs (GstStereoMatcher * self, GstStereoInput inputs[N_VIEWS])
{
  gint missing = LEFT;

  switch (decide (self, inputs)) {
    case GST_STEREO_PAIR_TAKE:
      return take_pair (self, inputs);
    case GST_STEREO_PAIR_DROP_LEFT:
      drop (self, LEFT, &inputs[LEFT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_RIGHT:
      drop (self, RIGHT, &inputs[RIGHT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_BOTH:
      drop (self, LEFT, &inputs[LEFT], "no image");
      drop (self, RIGHT, &inputs[RIGHT], "no image");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_NO_TIME_RIGHT:
      missing = RIGHT;
      /* fallthrough */
    case GST_STEREO_PAIR_NO_TIME_LEFT:
    default:
      STEREO_ERROR (self, STREAM, FORMAT,
          ("Cannot pair the views: images on %s have timestamps, those on %s "
              "have none. Both need them, or neither.",
              gst_stereo_input_names[!missing],
              gst_stereo_input_names[missing]), (NULL));
      return GST_FLOW_ERROR;
  }
}

/* Whether a view has ended and has no image left to match. */
static gboolean
is_over (GstStereoMatcher * self, const GstStereoInput inputs[N_VIEWS])
{
  gboolean over = FALSE;

  if (gst_stereo_matcher_takes_newest (self))
    return gst_stereo_matcher_newest_is_over (self);
  for (guint i = 0; i < N_VIEWS; i++)
    over |= inputs[i].buffer == NULL
        && gst_aggregator_pad_is_eos (inputs[i].pad);
  return over;
}

GstFlowReturn
gst_stereo_matcher_process (GstStereoAggregator * aggregator)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  const gboolean newest = gst_stereo_matcher_takes_newest (self);
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  GstStereoInput inputs[N_VIEWS] = { {0,}, };

  if (newest)
    gst_stereo_matcher_newest_peek (self, inputs);
  for (gint i = 0; i < N_VIEWS && !newest; i++)
    gst_stereo_input_peek (&inputs[i], gst_stereo_aggregator_get_pad
        (aggregator, i));
  if (!gst_stereo_aggregator_check_caps (aggregator, inputs, N_VIEWS))
    flow = GST_FLOW_ERROR;
  else if (inputs[LEFT].buffer != NULL && inputs[RIGHT].buffer != NULL)
    flow = process_inputs (self, inputs);
  else if (is_over (self, inputs))
    flow = end_of_stream (self);
  if (newest)
    gst_stereo_matcher_newest_release (self);
  for (guint i = 0; i < N_VIEWS; i++)
    gst_stereo_input_clear (&inputs[i]);
  return flow;
}
