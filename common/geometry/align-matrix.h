/* gst-stereomatching: symmetric matrices of the parameters of a correction
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_ALIGN_MATRIX_H
#define STEREO_ALIGN_MATRIX_H

#include "geometry/align-model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  double at[STEREO_ALIGN_N][STEREO_ALIGN_N];
} StereoAlignMatrix;

/* m^-1, or false if m is not positive definite. */
bool stereo_align_invert (const StereoAlignMatrix * m,
    StereoAlignMatrix * inverse);

/* m v */
void stereo_align_multiply (const StereoAlignMatrix * m,
    const double v[STEREO_ALIGN_N], double product[STEREO_ALIGN_N]);

/* v' m v */
double stereo_align_variance (const StereoAlignMatrix * m,
    const double v[STEREO_ALIGN_N]);

/* a = a + factor b */
void stereo_align_add (StereoAlignMatrix * a, double factor,
    const StereoAlignMatrix * b);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALIGN_MATRIX_H */
