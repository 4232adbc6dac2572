/* gst-stereomatching: point clouds from disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "cloud" computes a point in space, in metres, from each code of
 * a disparity map, and its colour from the view.  With the depth D of
 * geometry/metric.h
 *
 *   X = (column - cx) / focal-length * D
 *
 * and on a plane, where D is along the optical axis,
 *
 *   Y = (row - cy) / focal-length * D
 *   Z = D
 *
 * or on a cylinder around the baseline, where D is the distance from it,
 *
 *   Y = sin ((row - cy) / focal-length) * D
 *   Z = cos ((row - cy) / focal-length) * D
 *
 * D and the factors of columns and rows are tables of floats, which are
 * computed on the host in double precision and rounded once.  Only the
 * multiplications are left, so all backends give the same bytes.
 *
 * An organised cloud has a point for every pixel, NaN where D is unknown or out
 * of range:
 *
 *   XYZ_F32, or with colours XYZRGB_F32
 *
 * A packed cloud has only known points, from the start of each row; the rest of
 * the row is 0:
 *
 *   float x, y, z
 *   uint8_t r, g, b        with colours
 *
 * Numbers have the byte order of the host.
 */

#ifndef STEREO_CLOUD_H
#define STEREO_CLOUD_H

#include "core/operation.h"
#include "geometry/camera.h"
#include "geometry/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  STEREO_AXES_CAMERA = 0,       /* x right, y down, z forward */
  STEREO_AXES_GRAPHICS          /* x right, y up, z backward */
} StereoAxes;

/* Unknown cx or cy: the centre of the view. */
#define STEREO_CLOUD_MIDDLE -100000.0

typedef struct
{
  StereoMetric metric;
  double cx;                    /* pixels, or STEREO_CLOUD_MIDDLE */
  double cy;
  int axes;                     /* StereoAxes */
  int projection;               /* StereoProjection */
  double range_min;             /* metres */
  double range_max;             /* 0: none */
  unsigned step;

  /* not in the parameter table */
  bool packed;
  bool colors;
  StereoColorimetry colorimetry;        /* of the view */
} StereoCloudParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_cloud_params[];

/* The cloud of a map. */
typedef struct
{
  int columns;                  /* at most this many points per row */
  int rows;
  int point_bytes;
  StereoFormat format;          /* of an image of columns x rows, ... */
  int row_bytes;                /* ... and its rows without padding */
} StereoCloudSize;

StereoCloudSize stereo_cloud_size (const StereoCloudParams * params, int width,
    int height);

/*
 * Inputs: "map", GRAY8 or GRAY16_LE; "view", of the same size and any format,
 * only with colours.
 * Outputs: "points", as stereo_cloud_size() says; "counts", optional, U32 of
 * rows x 1: the number of points in each row of a packed cloud.
 * Parameters: StereoCloudParams, with a focal length and a baseline above 0.
 */
extern const StereoOp stereo_cloud_op;

/* The arguments of the stage. */
typedef struct
{
  int columns;
  int rows;
  int step;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;               /* 1, or 2, little endian */
  const uint8_t *channel[3];    /* R, G and B of pixel (0, 0), or NULL */
  size_t channel_stride;        /* bytes, from row to row */
  int channel_step;             /* from column to column */
  uint8_t *points;
  size_t points_stride;         /* bytes */
  int row_bytes;                /* without padding */
  int point_bytes;
  bool packed;
  uint8_t *counts;              /* 4 bytes a row, or NULL */
  const float *depth;           /* by code; NaN = unknown */
  const float *x_factor;        /* by column of points */
  const float *y_factor;        /* by row of points */
  const float *z_factor;        /* by row of points */
} StereoCloudFrame;

/* Stage table "cloud". */
typedef struct
{
  StereoStatus (*points) (StereoQueue * queue, const StereoCloudFrame * frame);
} StereoCloudStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CLOUD_H */
