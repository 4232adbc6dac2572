/* gst-stereomatching: disparities to points in space
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "cloud": a map of disparity codes becomes points, in metres,
 * and takes their colours from the view.  With Z of a code (geometry/metric.h)
 *
 *   X         = (column - cx) / focal-length * Z
 *   Y         = (row - cy) / focal-length * Z
 *
 * A pixel has no point where it has no Z, or one outside of the range.  Of
 * every step-th row every step-th pixel counts.
 *
 * Z, (column - cx) / focal-length and (row - cy) / focal-length are tables of
 * floats, made on the host in double precision and rounded once.  All that is
 * left is one multiplication for X and one for Y, so both back ends give the
 * same bytes.
 *
 * A row of points is a row of the output.  Organised, every pixel has a place:
 *
 *   float x, y, z          NaN where there is no point
 *   uint32 0x00RRGGBB      with colours
 *
 * Packed, only points have, and the rest of the row is 0:
 *
 *   float x, y, z
 *   uint8 r, g, b          with colours
 *
 * Numbers have the byte order of the host.
 */

#ifndef STEREO_CLOUD_H
#define STEREO_CLOUD_H

#include "core/op.h"
#include "geometry/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  STEREO_AXES_CAMERA = 0,       /* x right, y down, z forward */
  STEREO_AXES_GRAPHICS          /* x right, y up, z backward */
} StereoAxes;

/* A cx or cy that is not known: the middle of the view. */
#define STEREO_CLOUD_MIDDLE -100000.0

typedef struct
{
  StereoMetric metric;
  double cx;                    /* pixels, or STEREO_CLOUD_MIDDLE */
  double cy;
  int axes;                     /* StereoAxes */
  double range_min;             /* metres */
  double range_max;             /* 0: none */
  unsigned step;

  /* these have no row in the table */
  bool packed;
  bool colors;
  StereoColorimetry colorimetry;        /* of the view */
} StereoCloudParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_cloud_params[];

/* What becomes of a map of this size. */
typedef struct
{
  int columns;                  /* points of a row, at most */
  int rows;
  int point_bytes;
  int row_words;                /* of the output, each of 4 bytes */
} StereoCloudSize;

StereoCloudSize stereo_cloud_size (const StereoCloudParams * params, int width,
    int height);

/*
 * Inputs: "map", GRAY8 or GRAY16_LE; "view", optional, of the same size and any
 * format, as long as there are colours.
 * Outputs: "points", RGBX of row_words x rows; "counts", optional, RGBX of
 * rows x 1: how many points each row has, in 32 bits, when they are packed.
 * Parameters: StereoCloudParams, with a focal length and a baseline above 0.
 */
extern const StereoOp stereo_cloud_op;

/* One frame, for the stage. */
typedef struct
{
  int columns;
  int rows;
  int step;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;               /* 1, or 2 with the lower byte first */
  const uint8_t *channel[3];    /* R, G and B of pixel (0, 0), or NULL */
  size_t channel_stride;        /* bytes, from row to row */
  int channel_step;             /* from column to column */
  uint8_t *points;
  size_t points_stride;         /* bytes */
  int row_bytes;                /* without padding */
  int point_bytes;
  bool packed;
  uint8_t *counts;              /* 4 bytes a row, or NULL */
  bool backward;                /* the third coordinate is -Z */
  const float *z;               /* of a code; NaN: none */
  const float *x_factor;        /* of a column of points */
  const float *y_factor;        /* of a row of points */
} StereoCloudFrame;

/* Stage table "cloud". */
typedef struct
{
  StereoStatus (*points) (StereoQueue * queue, const StereoCloudFrame * frame);
} StereoCloudStages;

const void *stereo_cloud_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CLOUD_H */
