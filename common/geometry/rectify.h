/* gst-stereomatching: rectification of images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "rectify" remaps an image to a rectified view of the same size
 * and format.
 *
 * The source of each pixel is a table in 1/256 pixel, which is computed once on
 * the host.  A correction is part of that table, through a grid of 16x16 pixels
 * (align.h), so that a new one costs little.  The rest is integer arithmetic.
 * Bytes are interpolated bilinearly between four pixels; those outside the
 * image have the border colour:
 *
 * (((a (256 - fx) + b fx) (256 - fy)) + (c (256 - fx) + d fx) fy + 32768) >> 16
 *
 * The source of a subsampled chroma sample is the mean of those of its pixels.
 */

#ifndef STEREO_RECTIFY_H
#define STEREO_RECTIFY_H

#include "core/operation.h"
#include "geometry/align.h"
#include "geometry/camera.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  /* Read by configure(); NULL = none. */
  const StereoRectification *rectification;
  const StereoCorrection *correction;   /* after the rectification */
  int view;                     /* that is corrected: STEREO_LEFT or
                                 * STEREO_RIGHT */
  uint8_t border[4];            /* the bytes of a pixel, or Y, U and V */
} StereoRectifyParams;

/* Input "image" and output "view" of the same format: GRAY8, packed RGB, NV12,
 * I420 or Y444; parameters StereoRectifyParams. */
extern const StereoOp stereo_rectify_op;

/* The source of a pixel, in 1/256 pixel, clamped to +- STEREO_FAR. */
typedef struct
{
  int32_t x;
  int32_t y;
} StereoSource;

#define STEREO_FAR (1 << 30)

/* The arguments of the stage: one plane. */
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

#ifdef __cplusplus
}
#endif

#endif /* STEREO_RECTIFY_H */
