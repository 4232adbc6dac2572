/* gst-stereomatching: matrices of 3x3 and rotations
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/matrix3.h"

#include <math.h>

void
stereo_matrix3_multiply (const double a[9], const double b[9],
    double product[9])
{
  for (int i = 0; i < 9; i++)
    product[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[i % 3 + 3]
        + a[i / 3 * 3 + 2] * b[i % 3 + 6];
}

void
stereo_matrix3_transpose (const double a[9], double transposed[9])
{
  for (int i = 0; i < 9; i++)
    transposed[i] = a[i % 3 * 3 + i / 3];
}

void
stereo_matrix3_apply (const double a[9], const double v[3], double product[3])
{
  for (int i = 0; i < 3; i++)
    product[i] = a[3 * i] * v[0] + a[3 * i + 1] * v[1] + a[3 * i + 2] * v[2];
}

double
stereo_vector3_norm (const double v[3])
{
  return sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

bool
stereo_matrix3_invert (const double a[9], double inverse[9])
{
  double determinant = 0;

  for (int i = 0; i < 9; i++) {
    int r = i % 3, c = i / 3;   /* of the cofactor */
    int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;

    inverse[i] = a[3 * r1 + c1] * a[3 * r2 + c2]
        - a[3 * r1 + c2] * a[3 * r2 + c1];
  }
  for (int i = 0; i < 3; i++)
    determinant += a[i] * inverse[3 * i];
  if (!(fabs (determinant) > 1e-12))
    return false;
  for (int i = 0; i < 9; i++)
    inverse[i] /= determinant;
  return true;
}

void
stereo_rotation_from_vector (const double v[3], double rotation[9])
{
  double angle = stereo_vector3_norm (v), c = cos (angle), s = sin (angle);
  double x = 0, y = 0, z = 0;

  if (angle > 0) {
    x = v[0] / angle;
    y = v[1] / angle;
    z = v[2] / angle;
  }
  rotation[0] = c + x * x * (1 - c);
  rotation[1] = x * y * (1 - c) - z * s;
  rotation[2] = x * z * (1 - c) + y * s;
  rotation[3] = x * y * (1 - c) + z * s;
  rotation[4] = c + y * y * (1 - c);
  rotation[5] = y * z * (1 - c) - x * s;
  rotation[6] = x * z * (1 - c) - y * s;
  rotation[7] = y * z * (1 - c) + x * s;
  rotation[8] = c + z * z * (1 - c);
}

void
stereo_rotation_to_vector (const double rotation[9], double v[3])
{
  double s, scale;

  v[0] = (rotation[7] - rotation[5]) / 2;
  v[1] = (rotation[2] - rotation[6]) / 2;
  v[2] = (rotation[3] - rotation[1]) / 2;
  s = stereo_vector3_norm (v);
  scale = s > 0 ? atan2 (s, (rotation[0] + rotation[4] + rotation[8] - 1) / 2)
      / s : 1;
  for (int i = 0; i < 3; i++)
    v[i] *= scale;
}

bool
stereo_is_rotation (const double a[9])
{
  double transposed[9], product[9];

  stereo_matrix3_transpose (a, transposed);
  stereo_matrix3_multiply (a, transposed, product);
  for (int i = 0; i < 9; i++) {
    if (!(fabs (product[i] - (i % 4 == 0)) < 1e-3))
      return false;
  }
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8]
      - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]) > 0;
}
