/* gst-stereomatching: the cameras that agree with matches
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The most probable correction, given matches, many of them wrong, and either
 * the usual tolerances of cameras or a prediction: Gauss-Newton with
 * Tukey's weights, whose limit starts wide and narrows.  Without a prediction
 * it starts at the plane dy = a + b x + c y that most matches agree with,
 * from a fixed sequence of random triples.  Literature: Zilly et al. 2010,
 * Fusiello and Irsara 2011 (models), Fischler and Bolles 1981 (triples), Black
 * and Rangarajan 1996 (limits that narrow).
 */

#ifndef STEREO_ALIGN_FIT_H
#define STEREO_ALIGN_FIT_H

#include "geometry/align-matrix.h"
#include "geometry/align-model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fewer matches are not fitted. */
#define STEREO_ALIGN_MIN_MATCHES 12

/* Normal distribution of the parameters before a pair has been seen. */
typedef struct
{
  double mean[STEREO_ALIGN_N];
  StereoAlignMatrix information;        /* inverse of the covariance */
} StereoAlignPrior;

/* Matches, and work memory of as many numbers. */
typedef struct
{
  const StereoAlignPoint *points;
  size_t n;
  double *rows;                 /* of the corrected points, after the fit */
  double *limits;               /* a point fits below its limit, in pixels */
  double *scratch;
  double (*jacobian)[STEREO_ALIGN_N];
} StereoAlignMatches;

typedef struct
{
  double values[STEREO_ALIGN_N];
  StereoAlignMatrix data;       /* information of the matches alone */
  StereoAlignMatrix covariance; /* with the prior */
  double excess;                /* ratio of errors and their variances, at least
                                 * 1 */
  size_t n_fitting;
} StereoAlignFit;

/* The tolerances of cameras; focal_known: whether views->focal_length is. */
void stereo_align_prior_init (StereoAlignPrior * prior,
    const StereoAlignViews * views, bool focal_known);
void stereo_align_prior_sigma (const StereoAlignViews * views,
    bool focal_known, double sigma[STEREO_ALIGN_N]);

/* start: the parameters to begin with, NULL = from random triples.  False if
 * there are too few matches. */
bool stereo_align_fit (const StereoAlignViews * views,
    const StereoAlignMatches * matches, const StereoAlignPrior * prior,
    const double *start, StereoAlignFit * fit);

/* The element of n numbers with index k in ascending order; reorders them. */
double stereo_align_select (double *values, size_t n, size_t k);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALIGN_FIT_H */
