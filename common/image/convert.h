/* gst-stereomatching: conversion of images to views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CONVERT_H
#define STEREO_CONVERT_H

#include "core/image.h"
#include "core/operation.h"
#include "image/pixel.h"
#include "image/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A conversion to a luma or colour view.  Layout fields are those of
 * StereoFormatInfo. */
typedef struct
{
  int width;
  int height;
  const uint8_t *source;        /* plane 0 */
  size_t source_stride;         /* bytes */
  uint8_t pixel_bytes;
  uint8_t r;
  uint8_t g;
  uint8_t b;
  uint8_t sample_shift;
  const uint8_t *u;             /* first samples; NULL unless converting */
  const uint8_t *v;             /* YUV to colour */
  size_t u_stride;              /* bytes */
  size_t v_stride;
  uint8_t chroma_bytes;
  uint8_t shift_x;
  uint8_t shift_y;
  StereoYuv yuv;
  int channels;                 /* of the target: 1 = luma, 3 = colour */
  uint8_t *target[3];           /* planes as in StereoView */
  size_t target_stride;         /* bytes */
} StereoConversion;

/* Sets the source image.  yuv: the matrix to convert YUV to colour, otherwise
 * NULL */
void stereo_conversion_read (StereoConversion * conversion,
    const StereoFormatInfo * info, uint8_t * const plane[3],
    const size_t stride[3], const StereoYuv * yuv);

/* A view and its mirror image, in memory of its own. */
typedef struct
{
  int width;
  int height;
  int channels;
  StereoView view;
  uint8_t *target[3];           /* planes as in StereoView */
  size_t target_stride;         /* bytes */
} StereoMirroredView;

/* Stage table "convert". */
typedef struct
{
  /* Bytes of a row of a view, and number of its planes. */
  size_t (*view_row_bytes) (int width, int channels);
  int (*view_planes) (int channels);

  /* Converts one image, or two of the same size. */
  StereoStatus (*convert) (StereoQueue * queue,
      const StereoConversion * conversions, int n);

  /* Reverses the rows of a view. */
  StereoStatus (*mirror) (StereoQueue * queue,
      const StereoMirroredView * view);
} StereoConvertStages;

/* The stage of an operation that converts n images, 0 to 2; two have the same
 * size. */
StereoStatus stereo_convert_run (const StereoConvertStages * stages,
    const StereoOpFrame * frame, const StereoConversion * conversions, int n);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CONVERT_H */
