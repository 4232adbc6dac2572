/* gst-stereomatching: words of pixels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Costs of the kind STEREO_COST_WORDS compare 32-bit words, one per pixel:
 *
 *   b  bits 0 to 23, made by a stage table from the surroundings of the pixel
 *   G  bits 24 to 31: (I (x + 1, y) - I (x - 1, y) + 256) >> 1, the slope of
 *      luma I, for thin objects
 *
 * and two words have the cost
 *
 *   C = 8 popcount (b xor b') + 7 min (|G - G'|, 8), 0 to 248
 *
 * Columns without a partner: cost/partner.h.
 */

#ifndef STEREO_WORDS_H
#define STEREO_WORDS_H

#include "image/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The words of a view, in device memory, in a layout of the backend.  Margins
 * before and after each row are readable and have no meaning, so that loads may
 * be shifted.
 *
 * CPU: four planes, one for each byte of a word, lowest first: plane[0] to
 * plane[2] have b, plane[3] has G. Rows begin at multiples of 64 bytes, with
 * STEREO_WORDS_MARGIN bytes before and after them.
 *
 * CUDA: 32-bit words in plane[0], the others NULL.  Rows begin at multiples of
 * 256 bytes, with STEREO_WORDS_MARGIN words before and after them.
 */
typedef struct
{
  const uint8_t *plane[4];      /* each at column 0 of row 0 */
  size_t stride;                /* bytes, of all planes */
} StereoWords;

#define STEREO_WORDS_MARGIN 64

/* A network that makes bits: cost/learned.h. */
typedef struct StereoNetwork StereoNetwork;

/* What words are made of. */
typedef struct
{
  int width;
  int height;
  int channels;
  StereoView views[2];
  const StereoNetwork *network; /* in host memory; NULL if the cost has none */
} StereoWordsSource;

/* Stage table of a StereoCost. */
typedef struct
{
  /* Bytes of device memory for the words of a view, and their layout. */
  size_t (*bytes) (int width, int height);
  StereoWords (*layout) (int width, int height, void *memory);

  /* Makes the words of both views, in such memory. */
  StereoStatus (*make) (StereoQueue * queue, const StereoWordsSource * source,
      void *const memory[2]);

  /* Reverses the rows of the words of both views, in place: the words for
   * matching the mirrored pair.  They are not those of the mirrored views,
   * whose G may differ by one, and for which a network has other bits. */
  StereoStatus (*mirror) (StereoQueue * queue, int width, int height,
      void *const memory[2]);
} StereoWordsStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_WORDS_H */
