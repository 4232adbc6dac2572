/* gst-stereomatching: codes to colours
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "colorize": a map of codes becomes a picture, each code the
 * pixel that a table has for it.
 *
 *   disparity = code / scale + minimum
 *   position  = (disparity - low) / (high - low), of a colour map
 *
 * The table is made on the host, in double precision, and once for all frames.
 */

#ifndef STEREO_COLORIZE_H
#define STEREO_COLORIZE_H

#include "core/op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  int colormap;                 /* StereoColormap */
  double scale;
  double minimum;
  double low;                   /* differs from high */
  double high;
  int invalid_value;
  unsigned invalid_color;
  bool alpha;
} StereoColorizeParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_colorize_params[];

/* Input "map", GRAY8 or GRAY16_LE; output "picture", packed RGB; parameters
 * StereoColorizeParams. */
extern const StereoOp stereo_colorize_op;

/* One frame, for the stage. */
typedef struct
{
  int width;
  int height;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;               /* 1, or 2 with the lower byte first */
  uint8_t *pixels;
  size_t pixels_stride;         /* bytes */
  int pixel_bytes;              /* 3 or 4 */
  const uint32_t *table;        /* bytes of a pixel in the order of memory */
} StereoColorizeFrame;

/* Stage table "colorize". */
typedef struct
{
  StereoStatus (*color) (StereoQueue * queue,
      const StereoColorizeFrame * frame);
} StereoColorizeStages;

const void *stereo_colorize_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_COLORIZE_H */
