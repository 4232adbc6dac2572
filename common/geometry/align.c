/* gst-stereomatching: alignment of two views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "core/sized.h"
#include "geometry/align-private.h"
#include "geometry/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measurements before an alarm, and before the interval of pairs applies. */
#define ALARM_PAIRS 3
#define URGENT_PAIRS 3

/* Views are corrected from the first number of pixels on, and until rows are
 * less off than the second one. */
#define CORRECTED_ROWS 0.25
#define UNCORRECTED_ROWS 0.15
#define TRUSTED_DEVIATIONS 1.5

/* Changes of a correction, as the largest one of a row in pixels.  From the
 * first one on, the correction approaches what the filter asks for: by a part
 * at each pair, and entirely below the second one.  Above the third one, and at
 * the first pairs of the filter, it changes at once. */
#define MIN_CHANGE 0.15
#define LAST_CHANGE 0.05
#define SUDDEN_CHANGE 0.5
#define CHANGED_PART 0.3
#define EARLY_PAIRS 3

/* Time between pairs, in seconds. */
#define DEFAULT_INTERVAL 0.1
#define MAX_INTERVAL 3600.0

struct StereoAlignment
{
  double focal_length;          /* 0 = unknown */
  StereoAlignViews views;       /* width 0 = not yet known */
  unsigned n_pairs;             /* since the state was reset */
  double seconds;               /* of the last pair, or NAN */
  StereoAlignFilter filter;
  StereoAlignmentReport report;
  unsigned n_equal;             /* reports in a row with this status */
  StereoCorrection correction;
  bool approaching;             /* it has not reached its target yet */

  size_t n_fitted;              /* matches of the last pair; 0 = not fitted */

  /* of `capacity` matches */
  size_t capacity;
  StereoAlignPoint *points;
  double *rows;
  double *limits;
  double *scratch;
  double (*jacobian)[STEREO_ALIGN_N];

  /* for stereo_alignment_measure() */
  StereoRunner *runner;
  StereoPortSetup inputs[2];    /* width 0 = not configured */
  StereoRowMatch *measured;     /* the output */
  size_t n_measured;            /* matches of the last pair in it */
};

static const StereoSizedType report_type = {
  "StereoAlignmentReport", sizeof (StereoAlignmentReport),
  sizeof (StereoAlignmentReport)
};

const char *
stereo_alignment_status_name (StereoAlignmentStatus status)
{
  static const char *const names[STEREO_N_ALIGNMENTS] = {
    [STEREO_ALIGNMENT_UNKNOWN] = "unknown",
    [STEREO_ALIGNMENT_OK] = "ok",
    [STEREO_ALIGNMENT_OFF] = "off",
    [STEREO_ALIGNMENT_SWAPPED] = "swapped",
    [STEREO_ALIGNMENT_SAME_VIEW] = "same-view",
    [STEREO_ALIGNMENT_NOT_IN_STEP] = "not-in-step",
  };

  return (unsigned) status < STEREO_N_ALIGNMENTS ? names[status] : NULL;
}

/* ----------------------------------------------------------------- lifetime */

/* The report before the first pair. */
static void
clear_report (StereoAlignment * self)
{
  StereoAlignPair none = {.fitted = false };

  stereo_align_judge (&none, NULL, &self->report);
  strcpy (self->report.text, "No pair has been measured.");
  self->n_equal = 0;
}

StereoStatus
stereo_alignment_new (StereoAlignment ** alignment, StereoMessage * why)
{
  StereoAlignment *self;

  if (alignment == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "alignment is NULL");
  self = calloc (1, sizeof (*self));
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  stereo_alignment_reset (self);
  *alignment = self;
  return STEREO_OK;
}

static void
free_matches (StereoAlignment * self)
{
  free (self->points);
  free (self->rows);
  free (self->limits);
  free (self->scratch);
  free (self->jacobian);
  self->points = NULL;
  self->rows = self->limits = self->scratch = NULL;
  self->jacobian = NULL;
  self->capacity = 0;
  self->n_fitted = 0;
}

void
stereo_alignment_free (StereoAlignment ** alignment)
{
  StereoAlignment *self = alignment != NULL ? *alignment : NULL;

  if (self == NULL)
    return;
  *alignment = NULL;
  stereo_runner_free (&self->runner);
  free_matches (self);
  free (self->measured);
  free (self);
}

/* Sets parameters with the next serial. */
static void
set_correction (StereoAlignment * self, const double *values)
{
  self->correction.serial++;
  self->correction.width = self->views.width;
  self->correction.height = self->views.height;
  self->correction.focal_length = self->views.focal_length;
  memset (self->correction.values, 0, sizeof (self->correction.values));
  if (values != NULL)
    memcpy (self->correction.values, values,
        sizeof (self->correction.values));
  self->approaching = false;
}

/* Resets the state for views of this size. */
static void
set_views (StereoAlignment * self, int width, int height)
{
  self->views = (StereoAlignViews) { width, height,
    self->focal_length > 0 ? self->focal_length : STEREO_ALIGN_FOCAL * width
  };
  if (!stereo_correction_is_zero (&self->correction))
    set_correction (self, NULL);
  self->correction.width = width;
  self->correction.height = height;
  self->correction.focal_length = self->views.focal_length;
  stereo_align_filter_reset (&self->filter);
  self->n_pairs = 0;
  self->n_fitted = self->n_measured = 0;
  self->seconds = NAN;
  clear_report (self);
}

void
stereo_alignment_reset (StereoAlignment * self)
{
  if (self != NULL)
    set_views (self, self->views.width, self->views.height);
}

bool
stereo_alignment_accepts_focal_length (double focal_length, int width)
{
  return focal_length >= STEREO_ALIGN_MIN_FOCAL * width
      && focal_length <= STEREO_ALIGN_MAX_FOCAL * width;
}

StereoStatus
stereo_alignment_set_focal_length (StereoAlignment * self, double focal_length,
    StereoMessage * why)
{
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "alignment is NULL");
  if (!(focal_length >= 0) || !isfinite (focal_length))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the focal length is %g: expected 0 or more, in pixels", focal_length);
  if (focal_length == self->focal_length)
    return STEREO_OK;
  self->focal_length = focal_length;
  if (self->views.width > 0)
    set_views (self, self->views.width, self->views.height);
  return STEREO_OK;
}

/* Whether the focal length of the views is that of the caller.  Otherwise it is
 * that of a correction, or a guess. */
static bool
is_focal_known (const StereoAlignment * self)
{
  return self->focal_length > 0
      && self->views.focal_length == self->focal_length;
}

StereoStatus
stereo_alignment_set_correction (StereoAlignment * self,
    const StereoCorrection * correction, StereoMessage * why)
{
  StereoStatus status;

  if (self == NULL || correction == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "alignment or correction is NULL");
  status = stereo_correction_check (correction, why);
  if (status != STEREO_OK)
    return status;
  stereo_alignment_reset (self);
  self->views = (StereoAlignViews) {
  correction->width, correction->height, correction->focal_length};
  stereo_align_filter_set (&self->filter, &self->views,
      is_focal_known (self), correction->values);
  set_correction (self, correction->values);
  return STEREO_OK;
}

void
stereo_alignment_get_report (const StereoAlignment * self,
    StereoAlignmentReport * report)
{
  if (self != NULL && report != NULL)
    (void) stereo_sized_write (&report_type, report, &self->report, NULL);
}

void
stereo_alignment_get_correction (const StereoAlignment * self,
    StereoCorrection * correction)
{
  if (self != NULL && correction != NULL)
    *correction = self->correction;
}

bool
stereo_alignment_is_urgent (const StereoAlignment * self)
{
  return self->n_pairs < URGENT_PAIRS || self->filter.n_contradicting > 0;
}

size_t
stereo_alignment_get_points (const StereoAlignment * self,
    StereoAlignmentPoint * points, size_t n_points)
{
  if (self == NULL)
    return 0;
  for (size_t i = 0; points != NULL && i < n_points && i < self->n_measured;
      i++) {
    const StereoRowMatch *match = &self->measured[1 + i];

    points[i] = (StereoAlignmentPoint) {
      .x = match->x,
      .y = match->y,
      .dx = match->dx / 256.0,
      .dy = match->dy / 256.0,
      .fits = i < self->n_fitted && fabs (self->rows[i]) < self->limits[i],
    };
  }
  return self->n_measured;
}

/* ------------------------------------------------------------------ matches */

static StereoStatus
reserve_matches (StereoAlignment * self, size_t n, StereoMessage * why)
{
  if (n <= self->capacity)
    return STEREO_OK;
  free_matches (self);
  self->points = calloc (n, sizeof (*self->points));
  self->rows = calloc (n, sizeof (*self->rows));
  self->limits = calloc (n, sizeof (*self->limits));
  self->scratch = calloc (n, sizeof (*self->scratch));
  self->jacobian = calloc (n, sizeof (*self->jacobian));
  self->capacity = n;
  if (self->points != NULL && self->rows != NULL && self->limits != NULL
      && self->scratch != NULL && self->jacobian != NULL)
    return STEREO_OK;
  free_matches (self);
  return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
}

/* Takes the matches of a pair back to uncorrected views. */
static void
set_points (StereoAlignment * self, const StereoAlignPair * pair, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const StereoRowMatch *m = &pair->found[i];
    StereoAlignPoint *p = &self->points[i];

    p->xl = m->x;
    p->yl = m->y;
    p->xr = m->x + m->dx / 256.0;
    p->yr = m->y + m->dy / 256.0;
    p->variance = m->variance / 65536.0;
    if (pair->applied != NULL) {
      stereo_align_source (&pair->applied_model, STEREO_LEFT, p->xl, p->yl,
          &p->xl, &p->yl);
      stereo_align_source (&pair->applied_model, STEREO_RIGHT, p->xr, p->yr,
          &p->xr, &p->yr);
    }
  }
}

/* Moves the correction to values; largest: the largest change of a row that
 * this makes. */
static void
approach_correction (StereoAlignment * self,
    const double values[STEREO_ALIGN_N], double largest)
{
  const double *now = self->correction.values;
  double next[STEREO_ALIGN_N];

  if (!(largest > MIN_CHANGE) && !self->approaching)
    return;
  if (largest < LAST_CHANGE || largest > SUDDEN_CHANGE
      || self->filter.n <= EARLY_PAIRS) {
    set_correction (self, values);
    return;
  }
  for (int i = 0; i < STEREO_ALIGN_N; i++)
    next[i] = now[i] + CHANGED_PART * (values[i] - now[i]);
  set_correction (self, next);
  self->approaching = true;
}

/* The correction that the filter asks for, if it is worth it. */
static void
update_correction (StereoAlignment * self, const StereoAlignField * field)
{
  static const double none[STEREO_ALIGN_N] = { 0 };
  double rows[STEREO_ALIGN_FIELD], before[STEREO_ALIGN_FIELD];
  double wanted_rows[STEREO_ALIGN_FIELD], sigma[STEREO_ALIGN_FIELD];
  double jacobian[STEREO_ALIGN_FIELD][STEREO_ALIGN_N];
  const double least = stereo_correction_is_zero (&self->correction)
      ? CORRECTED_ROWS : UNCORRECTED_ROWS;
  const double *wanted = self->filter.values;
  double off;

  stereo_align_field_rows (field, &self->views, wanted, rows, jacobian);
  stereo_align_field_sigma (jacobian, &self->filter.covariance, sigma);
  off = stereo_align_field_quantile (rows, 0.05);
  if (!(off > least && off > TRUSTED_DEVIATIONS
          * stereo_align_field_quantile (sigma, 0.05))) {
    wanted = none;
    self->approaching = !stereo_correction_is_zero (&self->correction);
  }
  stereo_align_field_rows (field, &self->views, wanted, wanted_rows, NULL);
  stereo_align_field_rows (field, &self->views, self->correction.values,
      before, NULL);
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++)
    rows[i] = wanted_rows[i] - before[i];
  approach_correction (self, wanted, stereo_align_field_quantile (rows, 0));
}

static double
get_interval (const StereoAlignment * self, double seconds)
{
  const double interval = seconds - self->seconds;

  return interval >= 0 ? fmin (interval, MAX_INTERVAL) : DEFAULT_INTERVAL;
}

static void
update_report (StereoAlignment * self, StereoAlignmentReport * report)
{
  self->n_equal = report->status == self->report.status ? self->n_equal + 1
      : 1;
  report->alarm = self->n_equal >= ALARM_PAIRS
      && report->status != STEREO_ALIGNMENT_OK
      && report->status != STEREO_ALIGNMENT_UNKNOWN;
  stereo_align_describe (report, &self->views);
  self->report = *report;
}

/* Measures the pair, whose matches are set. */
static void
add_pair (StereoAlignment * self, StereoAlignPair * pair, double seconds)
{
  const bool focal_known = is_focal_known (self);
  double disparities[STEREO_ALIGN_DISPARITIES] = { 0 };
  StereoAlignmentReport report;
  StereoAlignPrior prior;
  StereoAlignField field;

  stereo_align_prior_init (&prior, &self->views, focal_known);
  pair->fitted = stereo_align_fit (&pair->views, &pair->matches, &prior, NULL,
      &pair->fit);
  self->n_fitted = pair->fitted ? pair->matches.n : 0;
  stereo_align_judge (pair, disparities, &report);
  if (report.status == STEREO_ALIGNMENT_OK
      || report.status == STEREO_ALIGNMENT_OFF) {
    stereo_align_field_init (&field, &self->views, disparities, NULL);
    stereo_align_filter_add (&self->filter, pair, focal_known, &field,
        get_interval (self, seconds));
    update_correction (self, &field);
  }
  update_report (self, &report);
  self->seconds = seconds;
  self->n_pairs++;
}

StereoStatus
stereo_alignment_add (StereoAlignment * self, int width, int height,
    const StereoRowMatch * matches, size_t n_matches,
    const StereoCorrection * applied, double seconds, StereoMessage * why)
{
  StereoAlignPair pair = {.found = matches };
  StereoStatus status;

  if (self == NULL || (matches == NULL && n_matches > 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "alignment or matches is NULL");
  if (width < 1 || height < 1 || width > STEREO_MAX_SIZE
      || height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "views of %dx%d: width and height go from 1 to %d", width, height,
        STEREO_MAX_SIZE);
  if (self->focal_length > 0
      && !stereo_alignment_accepts_focal_length (self->focal_length, width))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the focal length is %g pixels: expected %g to %g for views of a width "
        "of %d", self->focal_length, STEREO_ALIGN_MIN_FOCAL * width,
        STEREO_ALIGN_MAX_FOCAL * width, width);
  if (applied != NULL && stereo_correction_is_unset (applied))
    applied = NULL;
  if (applied != NULL && (applied->width != width
          || applied->height != height))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a correction of %dx%d for views of %dx%d", applied->width,
        applied->height, width, height);
  if ((applied != NULL && (status = stereo_correction_check (applied, why)))
      || (status = reserve_matches (self, n_matches, why)))
    return status;
  if (width != self->views.width || height != self->views.height)
    set_views (self, width, height);
  pair.applied = applied;
  if (applied != NULL)
    stereo_correction_model (applied, &pair.applied_model);
  set_points (self, &pair, n_matches);
  pair.views = self->views;
  pair.matches = (StereoAlignMatches) {
    .points = self->points,
    .n = n_matches,
    .rows = self->rows,
    .limits = self->limits,
    .scratch = self->scratch,
    .jacobian = self->jacobian,
  };
  add_pair (self, &pair, seconds);
  return STEREO_OK;
}

/* ------------------------------------------------------------------ measure */

/* The runner of this device. */
static StereoStatus
open_runner (StereoAlignment * self, StereoDevice * device,
    StereoMessage * why)
{
  if (self->measured == NULL)
    self->measured = calloc (STEREO_ROWS_HEIGHT, sizeof (*self->measured));
  if (self->measured == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  if (self->runner != NULL && stereo_runner_device (self->runner) == device)
    return STEREO_OK;
  stereo_runner_free (&self->runner);
  self->inputs[0].width = 0;
  return stereo_runner_new (&stereo_rows_op, device, &self->runner, why);
}

static StereoStatus
run_rows (StereoAlignment * self, const StereoImage * left,
    const StereoImage * right)
{
  const StereoPortSetup inputs[2] = { stereo_port_setup_of (left),
    stereo_port_setup_of (right)
  };
  const StereoImage out = stereo_rows_output (self->measured);
  const StereoPortSetup output = stereo_port_setup_of (&out);
  const StereoImage *const in[2] = { left, right };
  const StereoImage *const outs[1] = { &out };
  StereoStatus status = STEREO_OK;

  if (!stereo_port_setup_equal (&inputs[0], &self->inputs[0])
      || !stereo_port_setup_equal (&inputs[1], &self->inputs[1])) {
    self->inputs[0].width = 0;
    status = stereo_runner_configure (self->runner, inputs, &output, NULL);
    if (status == STEREO_OK)
      memcpy (self->inputs, inputs, sizeof (inputs));
  }
  if (status == STEREO_OK)
    status = stereo_runner_process (self->runner, in, outs, NULL);
  return status == STEREO_OK ? stereo_runner_sync (self->runner) : status;
}

StereoStatus
stereo_alignment_measure (StereoAlignment * self, StereoDevice * device,
    const StereoImage * left, const StereoImage * right,
    const StereoCorrection * applied, double seconds, StereoMessage * why)
{
  StereoRowsHeader header;
  StereoStatus status;

  if (self == NULL || device == NULL || left == NULL || right == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "alignment, device or a view is NULL");
  if (stereo_format_name (left->format) == NULL
      || stereo_format_name (right->format) == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a view has an unknown format");
  self->n_measured = 0;
  status = open_runner (self, device, why);
  if (status != STEREO_OK)
    return status;
  status = run_rows (self, left, right);
  if (status != STEREO_OK) {
    if (why != NULL)
      *why = *stereo_runner_message (self->runner);
    return status;
  }
  memcpy (&header, self->measured, sizeof (header));
  status = stereo_alignment_add (self, left->width, left->height,
      self->measured + 1, (size_t) header.n_matches, applied, seconds, why);
  if (status == STEREO_OK)
    self->n_measured = (size_t) header.n_matches;
  return status;
}
