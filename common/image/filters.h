/* gst-stereomatching: stages that all algorithms share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_FILTERS_H
#define STEREO_FILTERS_H

#include "core/algorithm.h"
#include "image/pixel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A conversion to a view, of packed pixels to luma or colour, or of YUV to
 * colour.  What describes the pixels is that of a StereoFormatInfo. */
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
  const uint8_t *u;             /* the first U and the first V, */
  const uint8_t *v;             /* or NULL: packed pixels */
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

/* All fields but the optional ones are filled in every table.  Stage table
 * "filters". */
typedef struct
{
  /* Bytes of a row of a view with so many channels, and how many planes. */
  size_t (*view_row_bytes) (int width, int channels);
  int (*view_planes) (int channels);

  StereoStatus (*convert) (StereoQueue * queue,
      const StereoConversion * conversion);

  /* 3x3 median.  Rows and columns beyond the image repeat its edge.  An
   * invalid pixel stays invalid; invalid neighbours count as the pixel itself.
   * source and target differ. */
  StereoStatus (*median) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoMap * target);

  /* Indices to codes. */
  StereoStatus (*encode) (StereoQueue * queue, int width, int height,
      const StereoMap * map, const StereoOutput * output);

  /* The same median of codes, of which output->invalid marks the pixels without
   * a value.  source holds what stereo_store_raw() makes of 2 bytes. */
  StereoStatus (*median_codes) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);

  /* Optional: median and encode in one. */
  StereoStatus (*median_encode) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);
} StereoFilterStages;

const void *stereo_filters_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_FILTERS_H */
