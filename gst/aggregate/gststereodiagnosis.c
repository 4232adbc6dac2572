/* gst-stereomatching: views that do not match
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Views that are swapped, not rectified or out of range give a map of noise,
 * which hole filling hides.  Therefore the confidence is computed for one pair
 * in each second of the video.  A low share of reliable pixels in several
 * successive pairs causes one warning.
 *
 * That costs little: a GPU transfers another image with the map.  It
 * is examined when the next pair is due, when it has long been complete, so
 * that nothing waits for it.
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereodebug.h"

#define INTERVAL GST_SECOND

/* Successive pairs before the warning. */
#define PATIENCE 5

/* The confidence of a reliable disparity, in steps of 1/255: the probability
 * 0.71.  In a map of noise, most filled pixels and chance matches are below it.
 * Without refinement the confidence is no probability, but low or 0 where the
 * views are inconsistent. */
#define RELIABLE 182
#define CONSISTENT 1

/* Share of such pixels; docs/messages.md lists typical values. */
#define FEW 0.4

static gboolean
is_due (GstStereoDiagnosis * self, GstClockTime time)
{
  const GstClockTime last = self->last;

  if (self->warned || !GST_CLOCK_TIME_IS_VALID (time)
      || (GST_CLOCK_TIME_IS_VALID (last)
          && (time > last ? time - last : last - time) < INTERVAL))
    return FALSE;
  self->last = time;
  return TRUE;
}

gboolean
gst_stereo_matcher_start_diagnosis (GstStereoMatcher * matcher,
    GstClockTime time, StereoImage * confidence)
{
  GstStereoDiagnosis *self = &matcher->diagnosis;
  const gsize width = (gsize) matcher->config.width;
  const gsize height = (gsize) matcher->config.height;

  if (!stereo_algorithm_has_result (GST_STEREO_MATCHER_GET_CLASS
          (matcher)->algorithm, STEREO_RESULT_CONFIDENCE)
      || !is_due (self, time))
    return FALSE;
  /* The previous pair may still use the memory. */
  gst_stereo_matcher_finish_diagnosis (matcher);
  if (self->warned)
    return FALSE;
  if (self->size != width * height) {
    g_free (self->memory);
    self->memory = g_try_malloc (width * height);
    self->size = self->memory != NULL ? width * height : 0;
  }
  *confidence = (StereoImage) {
    .format = STEREO_FORMAT_GRAY8,
    .width = matcher->config.width,
    .height = matcher->config.height,
    .memory = STEREO_MEMORY_HOST,
    .plane = {self->memory},
    .stride = {width},
  };
  return self->memory != NULL;
}

/* The disparities that are searched. */
static void
get_range (GstStereoMatcher * matcher, gint * first, gint * n)
{
  gdouble value = 0;
  gboolean ok;

  ok = stereo_params_get (matcher->applied, "min-disparity", &value);
  *first = (gint) value;
  ok &= stereo_params_get (matcher->applied, "num-disparities", &value);
  *n = (gint) value;
  g_assert (ok);
}

static guint8
get_least (GstStereoMatcher * matcher)
{
  gdouble refine;

  return stereo_params_get (matcher->applied, "refine", &refine) ? RELIABLE
      : CONSISTENT;
}

/* The share of pixels from this confidence on, without the columns at the left
 * whose partners may be outside the right view. */
static gdouble
get_share (const StereoImage * confidence, guint8 least, gint left)
{
  const gint bytes = confidence->format == STEREO_FORMAT_GRAY8 ? 1 : 2;
  const gint x0 = CLAMP (left, 0, confidence->width / 2);
  guint64 n = 0;

  for (gint y = 0; y < confidence->height; y++) {
    const guint8 *row = (const guint8 *) confidence->plane[0]
        + (gsize) y * confidence->stride[0];

    for (gint x = x0; x < confidence->width; x++)
      /* 16-bit samples are little-endian */
      n += row[x * bytes + bytes - 1] >= least;
  }
  return (gdouble) n / confidence->height / (confidence->width - x0);
}

static void
evaluate (GstStereoMatcher * matcher, const StereoImage * confidence)
{
  GstStereoDiagnosis *self = &matcher->diagnosis;
  const gint first = self->first, n = self->n;
  const gdouble share = get_share (confidence, get_least (matcher),
      first + n);

  GST_LOG_OBJECT (matcher, "%.0f %% of the disparities are reliable",
      100 * share);
  self->n_few = share < FEW ? self->n_few + 1 : 0;
  if (self->n_few < PATIENCE)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (matcher, STREAM, FAILED,
      ("Only %.0f %% of the disparities are reliable, and few "
          "in the seconds before. Likely reasons, in this order: the views are "
          "swapped; they are not rectified; disparities are not between %d and "
          "%d (min-disparity, num-disparities); there is no texture, or too "
          "much noise; exposures differ.", 100 * share, first, first + n - 1),
      (NULL));
}

void
gst_stereo_matcher_continue_diagnosis (GstStereoMatcher * matcher,
    const StereoImage * confidence, guint64 frame)
{
  GstStereoDiagnosis *self = &matcher->diagnosis;

  get_range (matcher, &self->first, &self->n);
  if (matcher->parent.device.is_cuda) {
    self->frame = frame;
    self->image = *confidence;
  } else {
    evaluate (matcher, confidence);
  }
}

void
gst_stereo_matcher_finish_diagnosis (GstStereoMatcher * matcher)
{
  GstStereoDiagnosis *self = &matcher->diagnosis;

  if (self->frame == 0)
    return;
  if (stereo_runner_wait (matcher->parent.run.runner[0], self->frame)
      == STEREO_OK)
    evaluate (matcher, &self->image);
  self->frame = 0;
}

void
gst_stereo_matcher_drop_diagnosis (GstStereoMatcher * matcher)
{
  matcher->diagnosis.frame = 0;
}

void
gst_stereo_matcher_reset_diagnosis (GstStereoMatcher * matcher)
{
  g_free (matcher->diagnosis.memory);
  matcher->diagnosis = (GstStereoDiagnosis) {
    .last = GST_CLOCK_TIME_NONE
  };
}
