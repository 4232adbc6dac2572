/* gst-stereomatching: the cost of two words
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of words.h. */

#ifndef STEREO_WORDS_FORMULA_H
#define STEREO_WORDS_FORMULA_H

#include "cost/words.h"
#include "image/pixel.h"

/* The costs of a differing bit and of a level of the gradient. */
#define STEREO_WORDS_BIT_COST 8
#define STEREO_WORDS_LEVEL_COST 7
/* The difference of gradients is truncated at this. */
#define STEREO_WORDS_MAX_LEVELS 8
/* The largest C. */
#define STEREO_WORDS_MAX_COST 248

/* C of two words. */
STEREO_INLINE uint32_t
stereo_words_cost (uint32_t p, uint32_t q)
{
#ifdef __CUDA_ARCH__
  const uint32_t bits = __popc ((p ^ q) << 8);
  const uint32_t levels = __usad (p >> 24, q >> 24, 0);
#else
  const uint32_t bits = (uint32_t) __builtin_popcount ((p ^ q) << 8);
  const uint32_t levels = p >> 24 > q >> 24 ? (p >> 24) - (q >> 24)
      : (q >> 24) - (p >> 24);
#endif

  return STEREO_WORDS_BIT_COST * bits
      + STEREO_WORDS_LEVEL_COST * stereo_min_u32 (levels,
          STEREO_WORDS_MAX_LEVELS);
}

/* G, from the pixels to the left and to the right. */
STEREO_INLINE uint32_t
stereo_words_gradient (uint32_t left, uint32_t right)
{
  return (right - left + 256) >> 1;
}

/* The word of a pixel. */
STEREO_INLINE uint32_t
stereo_word_at (const StereoWords * words, int x, int y)
{
  const size_t row = (size_t) y * words->stride;

#ifdef __CUDA_ARCH__
  return ((const uint32_t *) (words->plane[0] + row))[x];
#else
  return words->plane[0][row + (size_t) x]
      | (uint32_t) words->plane[1][row + (size_t) x] << 8
      | (uint32_t) words->plane[2][row + (size_t) x] << 16
      | (uint32_t) words->plane[3][row + (size_t) x] << 24;
#endif
}

#endif /* STEREO_WORDS_FORMULA_H */
