/* gst-stereomatching: metric depth maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "depth" computes the distance along the optical axis from each
 * code of a disparity map.  With Z from geometry/metric.h
 *
 *   depth = max (1, floor (Z * depth-scale + 0.5))
 *
 * The depth is 0 if Z is unknown or out of range, or if it does not fit 16
 * bits.  The depths of all codes are a table, which is computed once on the
 * host in double precision.
 */

#ifndef STEREO_DEPTH_H
#define STEREO_DEPTH_H

#include "core/operation.h"
#include "geometry/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  StereoMetric metric;
  double depth_scale;           /* depth codes per metre */
  double range_min;             /* metres */
  double range_max;
} StereoDepthParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_depth_params[];

/* Input "map", GRAY8 or GRAY16_LE; output "depth", GRAY16_LE of the same size;
 * parameters StereoDepthParams, with a focal length and a baseline above 0. */
extern const StereoOp stereo_depth_op;

/* The arguments of the stage. */
typedef struct
{
  int width;
  int height;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;               /* 1, or 2, little endian */
  uint8_t *depths;              /* 2 bytes, little endian */
  size_t depths_stride;         /* bytes */
  const uint16_t *table;        /* little endian, by code */
} StereoDepthFrame;

/* Stage table "depth". */
typedef struct
{
  StereoStatus (*look_up) (StereoQueue * queue,
      const StereoDepthFrame * frame);
} StereoDepthStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_DEPTH_H */
