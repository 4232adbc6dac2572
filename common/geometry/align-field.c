/* gst-stereomatching: rows over the image
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-private.h"

#include <math.h>

#define COLUMNS 7
#define ROWS 5

void
stereo_align_field_init (StereoAlignField * field,
    const StereoAlignViews * views,
    const double disparities[STEREO_ALIGN_DISPARITIES],
    const StereoAlignModel * applied)
{
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++) {
    StereoAlignPoint *p = &field->points[i];
    const int column = i % COLUMNS, row = i / COLUMNS % ROWS;

    p->xl = (views->width - 1) * (double) column / (COLUMNS - 1);
    p->yl = p->yr = (views->height - 1) * (double) row / (ROWS - 1);
    p->xr = p->xl - disparities[i / (COLUMNS * ROWS)];
    p->variance = 0;
    if (applied != NULL) {
      stereo_align_source (applied, STEREO_LEFT, p->xl, p->yl, &p->xl, &p->yl);
      stereo_align_source (applied, STEREO_RIGHT, p->xr, p->yr, &p->xr,
          &p->yr);
    }
  }
}

void
stereo_align_field_rows (const StereoAlignField * field,
    const StereoAlignViews * views, const double values[STEREO_ALIGN_N],
    double rows[STEREO_ALIGN_FIELD], double (*jacobian)[STEREO_ALIGN_N])
{
  StereoAlignModel model;

  stereo_align_model_init (&model, views, values);
  /* what the correction adds is missing */
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++)
    rows[i] = -stereo_align_row (&model, &field->points[i],
        jacobian != NULL ? jacobian[i] : NULL);
}

void
stereo_align_field_sigma (double (*jacobian)[STEREO_ALIGN_N],
    const StereoAlignMatrix * covariance, double sigma[STEREO_ALIGN_FIELD])
{
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++)
    sigma[i] = sqrt (stereo_align_variance (covariance, jacobian[i]));
}

double
stereo_align_field_quantile (double rows[STEREO_ALIGN_FIELD], double part)
{
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++)
    rows[i] = fabs (rows[i]);
  return stereo_align_select (rows, STEREO_ALIGN_FIELD,
      (size_t) ((1 - part) * (STEREO_ALIGN_FIELD - 1) + 0.5));
}
