/* gst-stereomatching: correction of the views of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * With alignment=correct, each new correction is sent upstream from both sink
 * pads (base/gststereocorrection.h).  Buffers say which correction they have,
 * and a pair is measured only if both have the same one.
 *
 * If nobody takes an event, or if the buffers of many pairs do not show it, the
 * correction is withdrawn: one corrected view of two is worse than none.
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereocorrection.h"
#include "base/gststereodebug.h"

#include <string.h>

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT

/* Pairs without a correction that was sent before it is sent again, and then
 * withdrawn: more than queues hold by default. */
#define TAKER_PATIENCE 250

/* Pairs in a row whose event is refused before the correction is withdrawn.  A
 * flush refuses one. */
#define MAX_REFUSALS 3

/* ------------------------------------------------------------------ sending */

static gboolean
send (GstStereoMatcher * matcher, gint view, const StereoCorrection * c)
{
  const GstStereoCorrectionRequest request = {
    .is_right = view == RIGHT,
    .correction = *c,
  };
  GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (&matcher->parent,
      view);
  gboolean taken = gst_pad_push_event (GST_PAD (pad),
      gst_stereo_correction_event_new (&request));

  gst_object_unref (pad);
  return taken;
}

/* The correction that was sent has no effect on this view. */
static void
withdraw (GstStereoMatcher * matcher, gint view)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoCorrection none = self->sent;

  self->untaken = TRUE;
  self->n_refused = 0;
  memset (none.values, 0, sizeof (none.values));
  for (gint i = 0; i < GST_STEREO_N_VIEWS; i++)
    (void) send (matcher, i, &none);
  self->sent = none;
  if (self->warned_of_taker)
    return;
  self->warned_of_taker = TRUE;
  GST_ELEMENT_WARNING (matcher, LIBRARY, SETTINGS,
      ("Cannot correct the views: no element before %s takes corrections. Put "
          "stereorectify before both sink pads, without other elements in "
          "between that scale or crop.", gst_stereo_input_names[view]),
      (NULL));
}

static void
send_both (GstStereoMatcher * matcher, const StereoCorrection * c)
{
  GstStereoAlignment *self = &matcher->alignment;
  gint refused = -1;

  self->sent = *c;
  self->lost = FALSE;
  GST_INFO_OBJECT (matcher, "correction %u", c->serial);
  for (gint i = GST_STEREO_N_VIEWS - 1; i >= 0; i--) {
    if (!send (matcher, i, c))
      refused = i;
  }
  self->n_refused = refused < 0 ? 0 : self->n_refused + 1;
  if (self->n_refused >= MAX_REFUSALS)
    withdraw (matcher, refused);
}

/* A correction belongs to a size. */
static gboolean
has_size_of_views (GstStereoMatcher * matcher, const StereoCorrection * c)
{
  return c->width == matcher->config.width
      && c->height == matcher->config.height;
}

/* The correction that the state asks for. */
static gboolean
get_correction (GstStereoMatcher * matcher, StereoCorrection * c)
{
  GstStereoAlignment *self = &matcher->alignment;

  if (self->state == NULL)
    return FALSE;
  g_mutex_lock (&self->lock);
  stereo_alignment_get_correction (self->state, c);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

void
gst_stereo_matcher_update_correction (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  GstStereoAlignmentMode mode;
  StereoCorrection c;
  gboolean reset;
  guint serial;

  GST_OBJECT_LOCK (matcher);
  mode = self->mode;
  reset = self->reset_pending;
  if (reset || self->retry_pending)
    self->untaken = FALSE;
  self->reset_pending = self->retry_pending = FALSE;
  GST_OBJECT_UNLOCK (matcher);
  if ((mode != GST_STEREO_ALIGNMENT_CORRECT && !reset) || self->untaken
      || !get_correction (matcher, &c))
    return;
  if (gst_stereo_correction_is_identity (&c)) {
    /* nothing to send unless another one is in effect */
    if (gst_stereo_correction_is_identity (&self->sent)
        && self->n_refused == 0)
      return;
    serial = MAX (c.serial, 1);
    c = self->sent;
    memset (c.values, 0, sizeof (c.values));
    c.serial = serial;
  } else if (mode != GST_STEREO_ALIGNMENT_CORRECT
      || (gst_stereo_correction_equal (&c, &self->sent)
          && self->n_refused == 0 && !self->lost)
      || !has_size_of_views (matcher, &c)) {
    return;
  }
  send_both (matcher, &c);
}

/* ---------------------------------------------------------------- receiving */

/* The correction of a buffer, all 0 without one.  FALSE if it is malformed. */
static gboolean
read_correction (GstBuffer * buffer, StereoCorrection * c, guint * serial)
{
  *serial = 0;
  if (!gst_stereo_correction_of_buffer (buffer, c)) {
    memset (c, 0, sizeof (*c));
    return TRUE;
  }
  *serial = c->serial;
  if (c->width == 0)
    return FALSE;
  if (gst_stereo_correction_is_identity (c))
    memset (c, 0, sizeof (*c));
  return TRUE;
}

void
gst_stereo_matcher_inspect_corrections (GstStereoMatcher * matcher,
    const GstStereoInput inputs[GST_STEREO_N_VIEWS])
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoCorrection c[GST_STEREO_N_VIEWS];
  guint serial[GST_STEREO_N_VIEWS];
  const gboolean fits = has_size_of_views (matcher, &self->sent);
  gboolean arrived = TRUE;
  gint overdue = -1;

  self->is_mixed = FALSE;
  for (gint i = GST_STEREO_N_VIEWS - 1; i >= 0; i--) {
    if (!read_correction (inputs[i].buffer, &c[i], &serial[i]))
      self->is_mixed = TRUE;
    /* With queues, corrections arrive long after newer ones are sent. */
    if (serial[i] == self->sent.serial || serial[i] != self->last_serial[i])
      self->n_waiting[i] = 0;
    else if (++self->n_waiting[i] >= TAKER_PATIENCE)
      overdue = i;
    /* stereorectify forgets a correction when it stops */
    self->lost |= serial[i] != self->sent.serial
        && self->last_serial[i] == self->sent.serial;
    arrived &= serial[i] == self->sent.serial;
    self->last_serial[i] = serial[i];
  }
  self->is_mixed |= !gst_stereo_correction_equal (&c[LEFT], &c[RIGHT]);
  self->applied = c[LEFT];
  /* and when the size changes, also one that no pair has got yet */
  self->lost |= !fits;

  if (self->untaken || arrived || !fits
      || gst_stereo_correction_is_identity (&self->sent)) {
    memset (self->n_waiting, 0, sizeof (self->n_waiting));
    self->sent_again &= !arrived;
    self->lost &= !arrived;
    return;
  }
  if (overdue < 0)
    return;
  memset (self->n_waiting, 0, sizeof (self->n_waiting));
  if (self->sent_again)
    withdraw (matcher, overdue);
  else
    send_both (matcher, &self->sent);
  self->sent_again = !self->sent_again;
}

gboolean
gst_stereo_matcher_is_correcting (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  const StereoCorrection *applied = &self->measurement.applied;
  GstStereoAlignmentMode mode;
  StereoCorrection c;

  GST_OBJECT_LOCK (matcher);
  mode = self->mode;
  GST_OBJECT_UNLOCK (matcher);
  if (mode != GST_STEREO_ALIGNMENT_CORRECT || self->untaken
      || !get_correction (matcher, &c))
    return FALSE;
  return gst_stereo_correction_is_identity (&c)
      ? !gst_stereo_correction_is_identity (applied)
      : !gst_stereo_correction_equal (&c, applied);
}

void
gst_stereo_matcher_reset_corrector (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;

  memset (&self->sent, 0, sizeof (self->sent));
  memset (&self->applied, 0, sizeof (self->applied));
  memset (self->n_waiting, 0, sizeof (self->n_waiting));
  memset (self->last_serial, 0, sizeof (self->last_serial));
  self->n_refused = 0;
  self->lost = FALSE;
  self->sent_again = FALSE;
  self->untaken = FALSE;
  self->warned_of_taker = FALSE;
}

/* -------------------------------------------------------------- properties */

void
gst_stereo_matcher_forget_alignment (GstStereoMatcher * matcher)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;

  if (self->state == NULL)
    return;
  g_mutex_lock (&self->lock);
  stereo_alignment_reset (self->state);
  stereo_alignment_get_report (self->state, &report);
  g_mutex_unlock (&self->lock);
  GST_OBJECT_LOCK (matcher);
  self->report = report;
  self->time = GST_CLOCK_TIME_NONE;
  self->reset_pending = TRUE;
  GST_OBJECT_UNLOCK (matcher);
}

void
gst_stereo_matcher_set_correction (GstStereoMatcher * matcher,
    const gchar * text)
{
  GstStereoAlignment *self = &matcher->alignment;
  StereoCorrection c;
  StereoMessage why;
  StereoStatus status;

  if (text == NULL || text[0] == '\0') {
    gst_stereo_matcher_forget_alignment (matcher);
    return;
  }
  if (self->state == NULL)
    return;
  status = stereo_correction_parse (text, &c, &why);
  if (status == STEREO_OK) {
    g_mutex_lock (&self->lock);
    status = stereo_alignment_set_correction (self->state, &c, &why);
    g_mutex_unlock (&self->lock);
  }
  if (status != STEREO_OK)
    g_warning ("%s: cannot use the correction \"%s\": %s",
        GST_OBJECT_NAME (matcher), text, why.text);
}

gchar *
gst_stereo_matcher_dup_correction (GstStereoMatcher * matcher)
{
  gchar text[STEREO_CORRECTION_TEXT_SIZE];
  StereoCorrection c;

  if (!get_correction (matcher, &c) || c.width == 0
      || gst_stereo_correction_is_identity (&c))
    return g_strdup ("");
  stereo_correction_format (&c, text);
  return g_strdup (text);
}
