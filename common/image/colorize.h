/* gst-stereomatching: false-colour disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "colorize" looks up the colour of each disparity code:
 *
 *   disparity = code / scale + minimum
 *   position  = (disparity - low) / (high - low), in the colour map
 *
 * The lookup table is computed on the host once, in double precision.
 */

#ifndef STEREO_COLORIZE_H
#define STEREO_COLORIZE_H

#include "core/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  int colormap;                 /* StereoColormap */
  double scale;                 /* codes per pixel */
  double minimum;               /* disparity of code 0 */
  double low;                   /* disparity at the far end of the colour map */
  double high;                  /* at the near end; differs from low */
  int invalid_value;            /* code of invalid pixels, -1 = none */
  unsigned invalid_color;       /* 0xAARRGGBB */
  bool alpha;                   /* store alpha in the fourth byte of a pixel;
                                 * otherwise it is 255 */
} StereoColorizeParams;

/* Input "map", GRAY8 or GRAY16_LE; output "picture", packed RGB; parameters
 * StereoColorizeParams. */
extern const StereoOp stereo_colorize_op;

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
  const uint32_t *table;        /* pixels in memory order */
} StereoColorizeFrame;

/* Stage table "colorize". */
typedef struct
{
  StereoStatus (*color) (StereoQueue * queue,
      const StereoColorizeFrame * frame);
} StereoColorizeStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_COLORIZE_H */
