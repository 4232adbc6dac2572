/* gst-stereomatching: rectified views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "rectify": an image becomes a rectified view, of the same size
 * and format.
 *
 * Where each pixel comes from is a table of whole numbers, in 1/256 of a pixel,
 * which is made on the host and once for all frames.  All else is integers.  A
 * byte is interpolated among the four pixels around its source, of which those
 * outside of the image have the colour of the border:
 *
 * (((a (256 - fx) + b fx) (256 - fy)) + (c (256 - fx) + d fx) fy + 32768) >> 16
 *
 * Chroma of half the size is taken from where the four pixels that it belongs
 * to come from, on average.
 */

#ifndef STEREO_RECTIFY_H
#define STEREO_RECTIFY_H

#include "core/op.h"
#include "geometry/camera.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  const StereoRectification *rectification;     /* while it is configured */
  uint8_t border[4];            /* the bytes of a pixel, or Y, U and V */
} StereoRectifyParams;

/* Input "image" and output "view" of the same format: GRAY8, packed RGB, NV12,
 * I420 or Y444; parameters StereoRectifyParams. */
extern const StereoOp stereo_rectify_op;

/* The source of a pixel, 256 for each: limited to STEREO_FAR on either side. */
typedef struct
{
  int32_t x;
  int32_t y;
} StereoSource;

#define STEREO_FAR (1 << 30)

/* One plane, for the stage. */
typedef struct
{
  int width;                    /* samples, of in and out */
  int height;
  const StereoSource *sources;  /* of each sample, row by row */
  const uint8_t *in;
  size_t in_stride;             /* bytes */
  uint8_t *out;
  size_t out_stride;
  int sample_bytes;             /* 1 to 4, each interpolated by itself */
  uint8_t border[4];            /* of a sample */
} StereoRemapPlane;

/* Stage table "rectify". */
typedef struct
{
  StereoStatus (*remap) (StereoQueue * queue, const StereoRemapPlane * plane);
} StereoRectifyStages;

const void *stereo_rectify_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_RECTIFY_H */
