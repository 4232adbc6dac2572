/* gst-stereomatching: matrices of 3x3 and rotations
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Matrices are stored row by row.  Results are never one of the arguments.
 */

#ifndef STEREO_MATRIX3_H
#define STEREO_MATRIX3_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

double stereo_vector3_norm (const double v[3]);

void stereo_matrix3_multiply (const double a[9], const double b[9],
    double product[9]);
void stereo_matrix3_transpose (const double a[9], double transposed[9]);

/* The product of a matrix and a vector. */
void stereo_matrix3_apply (const double a[9], const double v[3],
    double product[3]);

/* false if the determinant is at most 1e-12. */
bool stereo_matrix3_invert (const double a[9], double inverse[9]);

/* The rotation about a vector by its length in radians (Rodrigues), and the
 * vector of a rotation by less than 180 degrees. */
void stereo_rotation_from_vector (const double v[3], double rotation[9]);
void stereo_rotation_to_vector (const double rotation[9], double v[3]);

/* Whether a matrix is orthonormal, to 0.001, and does not mirror. */
bool stereo_is_rotation (const double a[9]);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_MATRIX3_H */
