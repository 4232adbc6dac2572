/* gst-stereomatching: alignment of the views of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A map is only as good as the calibration, which nobody checks while a camera
 * drifts.  Therefore one pair in some is measured: the operation "rows" finds
 * points of both views, and the library estimates from them whether they are on
 * the same row (geometry/align.h).
 *
 * The CPU measures a pair after it has been matched.  A GPU measures it at the
 * same time, and the result is read when the matcher itself has waited for that
 * pair, so that nothing waits for it.  A failure never affects the matching.
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereocamerameta.h"
#include "base/gststereocorrection.h"
#include "base/gststereodebug.h"
#include "geometry/rows.h"

#include <math.h>
#include <string.h>

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT

#define MESSAGE_INTERVAL GST_SECOND

/* Smaller views have too few points, in pixels. */
#define MIN_SIZE 64

/* Measurements in a row that find views out of alignment, before a warning. */
#define PATIENCE 3

GType
gst_stereo_alignment_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_ALIGNMENT_OFF, "Not measured", "off"},
    {GST_STEREO_ALIGNMENT_MEASURE, "Measured", "measure"},
    {GST_STEREO_ALIGNMENT_CORRECT, "Measured and corrected by stereorectify",
        "correct"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoAlignmentMode", values));
  return type;
}

/* ------------------------------------------------------------------ reports */

static void
set_number (GstStructure * s, const gchar * name, gdouble value)
{
  /* a field is missing if there is no value */
  if (isfinite (value))
    gst_structure_set (s, name, G_TYPE_DOUBLE, value, NULL);
}

/* The structure "stereo-alignment" of a pair with this timestamp. */
static GstStructure *
make_report (const StereoAlignmentReport * report, GstClockTime time)
{
  const struct
  {
    const gchar *name;
    gdouble value;
  } numbers[] = {
    {"rows-median", report->rows_median},
    {"rows-95", report->rows_95},
    {"rows-max", report->rows_max},
    {"rows-sigma", report->rows_sigma},
    {"offset", report->offset},
    {"offset-sigma", report->offset_sigma},
    {"roll", report->roll},
    {"roll-sigma", report->roll_sigma},
    {"zoom", report->zoom},
    {"zoom-sigma", report->zoom_sigma},
    {"keystone", report->keystone},
    {"keystone-sigma", report->keystone_sigma},
    {"disparity-sigma", report->disparity_sigma},
    {"contrast", report->contrast},
    {"brightness", report->brightness},
    {"sharpness", report->sharpness},
    {"min-disparity", report->min_disparity},
    {"max-disparity", report->max_disparity},
  };
  GstStructure *s = gst_structure_new ("stereo-alignment",
      "status", G_TYPE_STRING, stereo_alignment_status_name (report->status),
      "timestamp", G_TYPE_UINT64, time,
      "alarm", G_TYPE_BOOLEAN, report->alarm,
      "serial", G_TYPE_UINT, report->serial,
      "matches", G_TYPE_UINT, report->n_matches,
      "fitting", G_TYPE_UINT, report->n_fitting,
      "text", G_TYPE_STRING, report->text, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    set_number (s, numbers[i].name, numbers[i].value);
  return s;
}

/* With the object lock held. */
GstStructure *
gst_stereo_matcher_get_alignment_stats (GstStereoMatcher * matcher)
{
  const GstStereoAlignment *self = &matcher->alignment;

  return make_report (&self->report, self->time);
}

static void
post_message (GstStereoMatcher * matcher, const StereoAlignmentReport * report)
{
  GstStereoAlignment *self = &matcher->alignment;
  const GstClockTime last = self->last_message, now = self->measurement.pts;
  const gboolean due = GST_CLOCK_TIME_IS_VALID (last)
      && GST_CLOCK_TIME_IS_VALID (now)
      && (now > last ? now - last : last - now) >= MESSAGE_INTERVAL;

  if (self->posted && !due && report->status == self->last_status)
    return;
  self->posted = TRUE;
  self->last_message = now;
  self->last_status = report->status;
  gst_element_post_message (GST_ELEMENT (matcher),
      gst_message_new_element (GST_OBJECT (matcher),
          make_report (report, now)));
}

/* Whether the algorithm searches other rows, too. */
static gboolean
searches_rows (GstStereoMatcher * matcher)
{
  gdouble value = 0;

  return stereo_params_get (matcher->applied, "vertical-search", &value)
      && value != 0;
}

/* What to do about a status, to be appended to the report. */
static const gchar *
get_remedy (GstStereoMatcher * matcher, StereoAlignmentStatus status)
{
  GstStereoAlignmentMode mode;

  GST_OBJECT_LOCK (matcher);
  mode = matcher->alignment.mode;
  GST_OBJECT_UNLOCK (matcher);
  switch (status) {
    case STEREO_ALIGNMENT_OFF:
      if (mode != GST_STEREO_ALIGNMENT_CORRECT)
        return " Rectify with stereorectify, or set alignment=correct.";
      return matcher->alignment.untaken
          ? " No corrections are applied: put stereorectify before both sink "
          "pads."
          : " Corrections do not suffice: calibrate the cameras.";
    case STEREO_ALIGNMENT_SWAPPED:
      return " Swap the links of sink_left and sink_right, or change "
          "swap of stereosplit.";
    case STEREO_ALIGNMENT_SAME_VIEW:
      return " Link each camera to one of sink_left and sink_right.";
    default:
      return "";
  }
}

/* Warns once of views that are out of alignment, until they are aligned. */
static void
check_alarm (GstStereoMatcher * matcher, const StereoAlignmentReport * report)
{
  GstStereoAlignment *self = &matcher->alignment;

  if (report->status == STEREO_ALIGNMENT_OK) {
    self->n_misaligned = 0;
    self->warned = FALSE;
    return;
  }
  /* While a correction is in flight, the next pairs do not have it yet. */
  if (report->status == STEREO_ALIGNMENT_UNKNOWN
      || (report->status == STEREO_ALIGNMENT_OFF
          && (searches_rows (matcher)
              || gst_stereo_matcher_is_correcting (matcher)))) {
    self->n_misaligned = 0;
    return;
  }
  self->n_misaligned++;
  if (!report->alarm || self->n_misaligned < PATIENCE || self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (matcher, STREAM, FAILED, ("%s%s", report->text,
          get_remedy (matcher, report->status)), (NULL));
}

/* -------------------------------------------------------------- measurement */

/* Adds the matches of the measured pair to the state. */
static void
evaluate (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  const StereoRowsHeader *header = (const StereoRowsHeader *) self->matches;
  const StereoCorrection *applied = &self->measurement.applied;
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoMessage why = { "" };
  StereoStatus status;

  g_mutex_lock (&self->lock);
  status = stereo_alignment_add (self->state, self->inputs[LEFT].width,
      self->inputs[LEFT].height, (const StereoRowMatch *) (header + 1),
      (gsize) header->n_matches, applied->width > 0 ? applied : NULL,
      self->measurement.seconds, &why);
  if (status == STEREO_OK)
    stereo_alignment_get_report (self->state, &report);
  g_mutex_unlock (&self->lock);
  if (status != STEREO_OK) {
    GST_DEBUG_OBJECT (matcher, "the pair is not evaluated: %s", why.text);
    return;
  }
  GST_LOG_OBJECT (matcher, "%s: %s", stereo_alignment_status_name
      (report.status), report.text);
  GST_OBJECT_LOCK (matcher);
  self->report = report;
  self->time = self->measurement.pts;
  GST_OBJECT_UNLOCK (matcher);
  post_message (matcher, &report);
  check_alarm (matcher, &report);
}

static void
unpin (GstStereoMeasurement * measurement)
{
  for (guint i = 0; i < G_N_ELEMENTS (measurement->pinned); i++)
    gst_stereo_frame_unmap (&measurement->pinned[i]);
  measurement->frame = 0;
}

/* Measuring ends, matching continues. */
static void
give_up (GstStereoMatcher * matcher, const gchar * why)
{
  GstStereoAlignment *self = &matcher->alignment;

  GST_WARNING_OBJECT (matcher, "cannot measure the alignment: %s", why);
  self->failed = TRUE;
}

void
gst_stereo_matcher_finish_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoStatus status;

  if (self->measurement.frame == 0)
    return;
  status = stereo_runner_wait (self->runner, self->measurement.frame);
  unpin (&self->measurement);
  if (status == STEREO_OK)
    evaluate (matcher);
  else
    give_up (matcher, stereo_runner_message (self->runner)->text);
}

void
gst_stereo_matcher_close_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;

  stereo_runner_free (&self->runner);
  unpin (&self->measurement);
  g_clear_pointer (&self->matches, g_free);
  self->failed = FALSE;
}

/* Opens the runner and configures it for the images of a pair. */
static gboolean
configure (GstStereoMatcher * matcher, const StereoImage * const views[])
{
  GstStereoAlignment *self = &matcher->alignment;
  const StereoPortSetup inputs[] = { stereo_port_setup_of (views[LEFT]),
    stereo_port_setup_of (views[RIGHT])
  };
  const StereoImage matches = stereo_rows_output (NULL);
  const StereoPortSetup output = stereo_port_setup_of (&matches);
  StereoMessage why = { "" };

  if (self->matches == NULL)
    self->matches = g_try_malloc (sizeof (guint32) * STEREO_ROWS_WORDS
        * STEREO_ROWS_HEIGHT);
  if (self->matches == NULL || self->state == NULL) {
    give_up (matcher, "out of memory");
    return FALSE;
  }
  if (self->runner != NULL
      && memcmp (inputs, self->inputs, sizeof (inputs)) == 0)
    return TRUE;
  if (self->runner == NULL && stereo_runner_new (&stereo_rows_op,
          matcher->parent.device.device, &self->runner, &why) != STEREO_OK) {
    give_up (matcher, why.text);
    return FALSE;
  }
  stereo_runner_set_frames (self->runner, 1);
  if (stereo_runner_configure (self->runner, inputs, &output, NULL)
      != STEREO_OK) {
    give_up (matcher, stereo_runner_message (self->runner)->text);
    return FALSE;
  }
  memcpy (self->inputs, inputs, sizeof (inputs));
  return TRUE;
}

/* Keeps the images that the device reads until the measurement is complete.
 * The runner has the message of a failure. */
static gboolean
pin (GstStereoMatcher * matcher, const GstStereoRunFrame * frame)
{
  GstStereoMeasurement *measurement = &matcher->alignment.measurement;
  StereoMessage *why = stereo_runner_message (matcher->alignment.runner);

  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++) {
    const GstStereoRunImage *input = &frame->inputs[i];

    if (input->mapped.image.memory != STEREO_MEMORY_HOST
        && !gst_stereo_frame_map (&measurement->pinned[i], input->info,
            input->buffer, GST_MAP_READ, matcher->parent.device.device, why))
      return FALSE;
  }
  return TRUE;
}

static void
start_measurement (GstStereoMatcher * matcher, const GstStereoRunFrame * frame)
{
  GstStereoAlignment *self = &matcher->alignment;
  const StereoImage *const views[] = { &frame->inputs[LEFT].mapped.image,
    &frame->inputs[RIGHT].mapped.image
  };
  const StereoImage output = stereo_rows_output (self->matches);
  const StereoImage *const outputs[] = { &output };
  guint64 number = 0;

  if (!pin (matcher, frame)
      || stereo_runner_process (self->runner, views, outputs, &number)
      != STEREO_OK) {
    unpin (&self->measurement);
    give_up (matcher, stereo_runner_message (self->runner)->text);
    return;
  }
  self->measurement.frame = number;
  self->measurement.age = 0;
  self->measurement.applied = self->applied;
  self->measurement.pts = self->pts;
  self->measurement.seconds = self->seconds;
  if (!matcher->parent.device.is_cuda)
    gst_stereo_matcher_finish_alignment (matcher);
}

/* ------------------------------------------------------------------- pairs */

/* Whether the next pair is measured. */
static gboolean
is_due (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  GstStereoAlignmentMode mode;
  gboolean urgent;
  guint interval;

  GST_OBJECT_LOCK (matcher);
  mode = self->mode;
  interval = self->interval;
  GST_OBJECT_UNLOCK (matcher);
  if (mode == GST_STEREO_ALIGNMENT_OFF || self->failed
      || self->state == NULL || matcher->config.width < MIN_SIZE
      || matcher->config.height < MIN_SIZE)
    return FALSE;
  g_mutex_lock (&self->lock);
  urgent = stereo_alignment_is_urgent (self->state);
  g_mutex_unlock (&self->lock);
  self->until_due = MIN (self->until_due, interval - 1);
  if (urgent || self->until_due == 0)
    return TRUE;
  self->until_due--;
  return FALSE;
}

static void
set_until_due (GstStereoMatcher * matcher)
{
  GST_OBJECT_LOCK (matcher);
  matcher->alignment.until_due = matcher->alignment.interval - 1;
  GST_OBJECT_UNLOCK (matcher);
}

/* Resets the state, but not a correction that was made with this focal length:
 * that of an earlier run. */
static void
set_focal_length (GstStereoMatcher * matcher, gdouble focal_length)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoCorrection correction;
  StereoMessage why;
  StereoStatus status;

  g_mutex_lock (&self->lock);
  stereo_alignment_get_correction (self->state, &correction);
  status = stereo_alignment_set_focal_length (self->state, focal_length, &why);
  if (status == STEREO_OK && correction.focal_length == focal_length
      && !gst_stereo_correction_is_identity (&correction))
    status = stereo_alignment_set_correction (self->state, &correction, &why);
  g_mutex_unlock (&self->lock);
  if (status != STEREO_OK)
    GST_DEBUG_OBJECT (matcher, "the focal length is not used: %s", why.text);
}

/* Warns once of a property that is no focal length of these views. */
static void
warn_of_focal_length (GstStereoMatcher * matcher, gdouble f, gint width)
{
  GstStereoAlignment *self = &matcher->alignment;

  if (f == self->refused_focal_length)
    return;
  self->refused_focal_length = f;
  GST_ELEMENT_WARNING (matcher, LIBRARY, SETTINGS, ("Cannot use "
          "alignment-focal-length=%g for views of a width of %d: set it to the "
          "focal length in pixels, or to 0.", f, width), (NULL));
}

/* Uses the focal length of the property or of the camera. */
static void
update_focal_length (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  const gint width = self->inputs[LEFT].width;
  gdouble f;

  GST_OBJECT_LOCK (matcher);
  f = self->focal_length;
  GST_OBJECT_UNLOCK (matcher);
  if (f != 0 && !stereo_alignment_accepts_focal_length (f, width)) {
    warn_of_focal_length (matcher, f, width);
    f = 0;
  }
  if (f == 0 && stereo_alignment_accepts_focal_length
      (self->camera_focal_length, width))
    f = self->camera_focal_length;
  if (f == self->used_focal_length)
    return;
  self->used_focal_length = f;
  set_focal_length (matcher, f);
}

/* Reads the metadata and times of a pair. */
void
gst_stereo_matcher_inspect_pair (GstStereoMatcher * matcher,
    const GstStereoInput inputs[GST_STEREO_N_VIEWS])
{
  GstStereoAlignment *self = &matcher->alignment;
  GstClockTime time = gst_stereo_input_running_time (&inputs[LEFT]);
  GstStereoCamera camera;

  self->pts = GST_BUFFER_PTS (inputs[LEFT].buffer);
  self->seconds = GST_CLOCK_TIME_IS_VALID (time)
      && (!GST_CLOCK_TIME_IS_VALID (self->last_running_time)
      || time > self->last_running_time) ? (gdouble) time / GST_SECOND : NAN;
  self->last_running_time = time;
  self->camera_focal_length =
      gst_stereo_camera_meta_get (inputs[LEFT].buffer, &camera)
      ? camera.focal_length : 0;
  gst_stereo_matcher_inspect_corrections (matcher, inputs);
}

void
gst_stereo_matcher_measure (GstStereoMatcher * matcher,
    const GstStereoRunFrame * frame)
{
  GstStereoAlignment *self = &matcher->alignment;
  const StereoImage *const views[] = { &frame->inputs[LEFT].mapped.image,
    &frame->inputs[RIGHT].mapped.image
  };

  if (self->measurement.frame != 0
      && ++self->measurement.age < matcher->parent.device.n_frames)
    return;
  gst_stereo_matcher_finish_alignment (matcher);
  if (!is_due (matcher) || self->is_mixed || !configure (matcher, views))
    return;
  update_focal_length (matcher);
  set_until_due (matcher);
  start_measurement (matcher, frame);
}

/* -------------------------------------------------------------------- state */

void
gst_stereo_matcher_init_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoMessage why;

  g_mutex_init (&self->lock);
  if (stereo_alignment_new (&self->state, &why) != STEREO_OK)
    GST_WARNING_OBJECT (matcher, "no memory for the alignment");
  self->report = (StereoAlignmentReport) STEREO_ALIGNMENT_REPORT_INIT;
  if (self->state != NULL)
    stereo_alignment_get_report (self->state, &self->report);
  self->time = GST_CLOCK_TIME_NONE;
}

void
gst_stereo_matcher_finalize_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;

  stereo_alignment_free (&self->state);
  g_mutex_clear (&self->lock);
}

void
gst_stereo_matcher_reset_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;

  self->until_due = 0;
  self->last_running_time = GST_CLOCK_TIME_NONE;
  self->posted = FALSE;
  self->n_misaligned = 0;
  self->warned = FALSE;
  self->refused_focal_length = 0;
  gst_stereo_matcher_reset_corrector (matcher);
}
