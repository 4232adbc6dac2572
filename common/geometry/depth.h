/* gst-stereomatching: disparities to depths
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "depth": a map of disparity codes becomes one of distances
 * along the optical axis.
 *
 *   disparity = code / disparity-scale + min-disparity + doffs
 *   z         = focal-length * baseline / disparity      (metres)
 *   depth     = floor (z * depth-scale + 0.5)
 *
 * The depth is 0, unknown, where the code is invalid, the disparity is not
 * positive, z is outside the range, or the depth does not fit 16 bits.  One
 * that is too small to be told from that is 1.
 *
 * The table of all codes is made on the host, in double precision, and once for
 * all frames.
 */

#ifndef STEREO_DEPTH_H
#define STEREO_DEPTH_H

#include "core/op.h"
#include "geometry/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  StereoMetric metric;
  double depth_scale;           /* codes for a metre */
  double range_min;             /* metres */
  double range_max;
} StereoDepthParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_depth_params[];

/* Input "map", GRAY8 or GRAY16_LE; output "depth", GRAY16_LE of the same size;
 * parameters StereoDepthParams, with a focal length and a baseline above 0. */
extern const StereoOp stereo_depth_op;

/* One frame, for the stage. */
typedef struct
{
  int width;
  int height;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;               /* 1, or 2 with the lower byte first */
  uint8_t *depths;              /* 2 bytes, the lower one first */
  size_t depths_stride;         /* bytes */
  const uint16_t *table;        /* the same, for each code */
} StereoDepthFrame;

/* Stage table "depth". */
typedef struct
{
  StereoStatus (*look_up) (StereoQueue * queue,
      const StereoDepthFrame * frame);
} StereoDepthStages;

const void *stereo_depth_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_DEPTH_H */
