/* gst-stereomatching: parts of the alignment of two views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * align.c            the interface, and the memory
 * align-correction.c corrections as text, and as a grid
 * align-field.c      rows over the image
 * align-filter.c     the correction over time
 * align-fit.c        the cameras that agree with the matches of a pair
 * align-matrix.c     symmetric matrices of the parameters
 * align-model.c      the cameras
 * align-opencv.c     corrections as calibration files
 * align-text.c       reports in sentences
 * align-verdict.c    the report of a pair
 */

#ifndef STEREO_ALIGN_PRIVATE_H
#define STEREO_ALIGN_PRIVATE_H

#include "geometry/align-fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The focal length of a camera without one, in widths of its images. */
#define STEREO_ALIGN_FOCAL 0.9

/* Plausible focal lengths, in widths of the images. */
#define STEREO_ALIGN_MIN_FOCAL 0.1
#define STEREO_ALIGN_MAX_FOCAL 100.0

/* A fitted pair knows its parameters this much worse than the fit says, because
 * errors of neighbouring matches are similar: factor of standard deviations,
 * measured on 40 pairs (docs/alignment.md). */
#define STEREO_ALIGN_INFLATION 2.0

/* -------------------------------------------------------------------- field */

#define STEREO_ALIGN_DISPARITIES 3
#define STEREO_ALIGN_FIELD (7 * 5 * STEREO_ALIGN_DISPARITIES)

/* Points of both views that are on the same row: a grid over the image, at 10,
 * 50 and 90 % of the disparities.  `applied` takes them back to uncorrected
 * views; NULL = they are uncorrected. */
typedef struct
{
  StereoAlignPoint points[STEREO_ALIGN_FIELD];
} StereoAlignField;

void stereo_align_field_init (StereoAlignField * field,
    const StereoAlignViews * views,
    const double disparities[STEREO_ALIGN_DISPARITIES],
    const StereoAlignModel * applied);

/* How far the right view is below the left one according to the parameters:
 * rows in pixels, and their derivatives, NULL if not needed. */
void stereo_align_field_rows (const StereoAlignField * field,
    const StereoAlignViews * views, const double values[STEREO_ALIGN_N],
    double rows[STEREO_ALIGN_FIELD],
    double (*jacobian)[STEREO_ALIGN_N]);

/* Standard deviations of the rows, for a covariance of the parameters. */
void stereo_align_field_sigma (double (*jacobian)[STEREO_ALIGN_N],
    const StereoAlignMatrix * covariance, double sigma[STEREO_ALIGN_FIELD]);

/* The absolute value that a part of the rows exceeds; reorders `rows` and makes
 * them positive. */
double stereo_align_field_quantile (double rows[STEREO_ALIGN_FIELD],
    double part);

/* ------------------------------------------------------------------ verdict */

/* A measured pair. */
typedef struct
{
  StereoAlignViews views;
  const StereoRowMatch *found;  /* of the measured views */
  StereoAlignMatches matches;   /* of the uncorrected views */
  const StereoCorrection *applied;      /* or NULL */
  StereoAlignModel applied_model;       /* if applied */
  bool fitted;
  StereoAlignFit fit;
} StereoAlignPair;

/* Fills all but `alarm` and `text`.  disparities: 10, 50 and 90 % of those
 * of the matches that fit. */
void stereo_align_judge (const StereoAlignPair * pair,
    double disparities[STEREO_ALIGN_DISPARITIES],
    StereoAlignmentReport * report);

/* Writes report->text. */
void stereo_align_describe (StereoAlignmentReport * report,
    const StereoAlignViews * views);

/* --------------------------------------------------------------- correction */

/* Whether all values are plausible. */
StereoStatus stereo_correction_check (const StereoCorrection * correction,
    StereoMessage * why);

/* Whether all values are 0, so that nothing changes. */
bool stereo_correction_is_zero (const StereoCorrection * correction);

/* Whether it is the correction before the first pair: it has no size, and
 * stands for no change. */
bool stereo_correction_is_unset (const StereoCorrection * correction);

/* Writes a number in the C locale; parsing it gives the same double. */
void stereo_correction_print (double value, char text[32]);

void stereo_correction_model (const StereoCorrection * correction,
    StereoAlignModel * model);

/* ------------------------------------------------------------------- filter */

typedef struct
{
  double values[STEREO_ALIGN_N];
  StereoAlignMatrix covariance;
  unsigned n;                   /* pairs since the start; 0 = unknown */
  unsigned n_contradicting;     /* in a row */
  double mismatch;              /* smoothed, in standard deviations */
} StereoAlignFilter;

void stereo_align_filter_reset (StereoAlignFilter * filter);

/* Starts with parameters from an earlier run. */
void stereo_align_filter_set (StereoAlignFilter * filter,
    const StereoAlignViews * views, bool focal_known,
    const double values[STEREO_ALIGN_N]);

/* Adds a pair, seconds after the previous one.  field: of uncorrected views. */
void stereo_align_filter_add (StereoAlignFilter * filter,
    const StereoAlignPair * pair, bool focal_known,
    const StereoAlignField * field, double seconds);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALIGN_PRIVATE_H */
