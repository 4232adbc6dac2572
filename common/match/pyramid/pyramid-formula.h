/* gst-stereomatching: arithmetic of pyramid matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The formulas of pyramid.h, on the host and in CUDA.  They are written without
 * fused multiply-adds; a value that is the same with them is called exact. */

#ifndef STEREO_PYRAMID_FORMULA_H
#define STEREO_PYRAMID_FORMULA_H

#include "image/pixel.h"
#include "refine/winner-formula.h"

#include <stdbool.h>
#include <string.h>

/* ------------------------------------------------------------------- words */

/* R in bits 0 to 9, G in bits 10 to 19, B in bits 20 to 28. */
#define STEREO_PYRAMID_G_SHIFT 10
#define STEREO_PYRAMID_B_SHIFT 20
#define STEREO_PYRAMID_FIELD 0x3ffu

STEREO_INLINE uint32_t
stereo_pyramid_pack (uint32_t r, uint32_t g, uint32_t b)
{
  return r | g << STEREO_PYRAMID_G_SHIFT | b << STEREO_PYRAMID_B_SHIFT;
}

/* The word of 8-bit R, G and B. */
STEREO_INLINE uint32_t
stereo_pyramid_word (uint32_t r, uint32_t g, uint32_t b)
{
  return stereo_pyramid_pack ((5 * r + 1) >> 1, (7 * g + 1) >> 1,
      (3 * b + 1) >> 1);
}

STEREO_INLINE uint32_t
stereo_pyramid_r (uint32_t word)
{
  return word & STEREO_PYRAMID_FIELD;
}

STEREO_INLINE uint32_t
stereo_pyramid_g (uint32_t word)
{
  return word >> STEREO_PYRAMID_G_SHIFT & STEREO_PYRAMID_FIELD;
}

STEREO_INLINE uint32_t
stereo_pyramid_b (uint32_t word)
{
  return word >> STEREO_PYRAMID_B_SHIFT;
}

/* The dot product of two pixels.  Exact, also as a sum of float products. */
STEREO_INLINE uint32_t
stereo_pyramid_product (uint32_t a, uint32_t b)
{
  return stereo_pyramid_r (a) * stereo_pyramid_r (b)
      + stereo_pyramid_g (a) * stereo_pyramid_g (b)
      + stereo_pyramid_b (a) * stereo_pyramid_b (b);
}

/* -------------------------------------------------------------- coordinates */

/* Positions are in 1/64 pixel. */
#define STEREO_PYRAMID_ONE 64

/* m / n in 2^-26, for stereo_pyramid_position(): the size of a pixel of an
 * image n pixels wide in pixels of the same image m pixels wide. */
STEREO_INLINE uint32_t
stereo_pyramid_ratio (int n, int m)
{
  return (uint32_t) ((((uint64_t) m << 26) + (uint64_t) n / 2) / (uint64_t) n);
}

/* The position of pixel i in the same image m pixels wide. */
STEREO_INLINE int
stereo_pyramid_position (int i, uint32_t ratio, int m)
{
  uint64_t middle = (uint64_t) (2 * i + 1) * ratio;

  return stereo_clamp_int ((int) ((middle + (1u << 20)) >> 21) - 32, 0,
      (m - 1) * STEREO_PYRAMID_ONE);
}

/* x + d as a position, clamped to 0 ... n - 1 pixels and rounded half to even.
 * d must not be NaN.  A float from 2^17 to 2^18 is a multiple of 1/64. */
STEREO_INLINE int
stereo_pyramid_target (int x, float d, int n)
{
  float at = (float) x + d, last = (float) (n - 1);
  uint32_t bits;

  at = at > 0.0f ? at : 0.0f;
  at = at < last ? at : last;
  at += 196608.0f;
#ifdef __CUDA_ARCH__
  bits = __float_as_uint (at);
#else
  memcpy (&bits, &at, sizeof (bits));
#endif
  return (int) (bits - 0x48400000u);
}

/* Bilinear interpolation of four fields, ax and ay 64ths of a pixel from the
 * first one, rounded half to even.  Exact in any type: 22 bits before
 * rounding. */
STEREO_INLINE uint32_t
stereo_pyramid_between (uint32_t p00, uint32_t p10, uint32_t p01,
    uint32_t p11, uint32_t ax, uint32_t ay)
{
  uint32_t above = p00 * (64u - ax) + p10 * ax;
  uint32_t below = p01 * (64u - ax) + p11 * ax;
  uint32_t sum = above * (64u - ay) + below * ay;

  return (sum + 2047u + (sum >> 12 & 1u)) >> 12;
}

/* The same for words. */
STEREO_INLINE uint32_t
stereo_pyramid_sample (uint32_t p00, uint32_t p10, uint32_t p01,
    uint32_t p11, uint32_t ax, uint32_t ay)
{
  return stereo_pyramid_pack (stereo_pyramid_between (stereo_pyramid_r (p00),
          stereo_pyramid_r (p10), stereo_pyramid_r (p01),
          stereo_pyramid_r (p11), ax, ay),
      stereo_pyramid_between (stereo_pyramid_g (p00), stereo_pyramid_g (p10),
          stereo_pyramid_g (p01), stereo_pyramid_g (p11), ax, ay),
      stereo_pyramid_between (stereo_pyramid_b (p00), stereo_pyramid_b (p10),
          stereo_pyramid_b (p01), stereo_pyramid_b (p11), ax, ay));
}

/* Samples a view at a position, which may be that of the last pixel.  stride:
 * words per row */
STEREO_INLINE uint32_t
stereo_pyramid_fetch (const uint32_t * view, size_t stride, int width,
    int height, int px, int py)
{
  int x = px >> 6, y = py >> 6;
  const uint32_t *row = view + (size_t) y * stride + x;
  size_t right = x + 1 < width ? 1 : 0, down = y + 1 < height ? stride : 0;

  return stereo_pyramid_sample (row[0], row[right], row[down],
      row[down + right], (uint32_t) px & 63u, (uint32_t) py & 63u);
}

/* Bilinear interpolation of four values of a plane; ax and ay are in pixels. */
STEREO_INLINE float
stereo_pyramid_lerp (float p00, float p10, float p01, float p11, float ax,
    float ay)
{
  float above = p00 + ax * (p10 - p00);
  float below = p01 + ax * (p11 - p01);

  return above + ay * (below - above);
}

/* ---------------------------------------------------------- the next level */

/* Tap i of the 6 taps of filter G, [1 3 4 3 1] shifted by a / 64 pixel.  Tap 0
 * is two pixels to the left of the integer position.  The sum of the taps is
 * 768. */
STEREO_INLINE uint32_t
stereo_pyramid_tap (int i, uint32_t a)
{
  uint32_t here = i == 5 ? 0u : i == 2 ? 4u : i == 1 || i == 3 ? 3u : 1u;
  uint32_t before = i == 0 ? 0u : i == 3 ? 4u : i == 2 || i == 4 ? 3u : 1u;

  return here * (64u - a) + before * a;
}

/* A field of the next level from the sum of 6 x 6 weighted fields, which is
 * below 2^31. */
STEREO_INLINE uint32_t
stereo_pyramid_smaller (uint32_t sum)
{
  return (sum + 294912u) / 589824u;
}

/* -------------------------------------------------------------- correlation */

/* The filter [1 3 4 3 1] on exact values.  Exact if the result is below 2^24:
 * a fused multiply-add by 2 makes no difference. */
STEREO_INLINE float
stereo_pyramid_five (float h0, float h1, float h2, float h3, float h4)
{
  float e = h0 + h4, f = h1 + h3;

  return (e + f) + 2.0f * (f + 2.0f * h2);
}

/* The factor il or ir of a moment. */
STEREO_INLINE float
stereo_pyramid_inverse (float moment)
{
  return 1.0f / (moment > 1.0f ? moment : 1.0f);
}

STEREO_INLINE float
stereo_pyramid_correlation (float moment, float il, float ir)
{
  float c = ((moment * moment) * ir) * il;

  return c < 1.0f ? c : 1.0f;
}

/* Parabolas of smaller curvature have no usable vertex: 2^-17. */
#define STEREO_PYRAMID_FLAT 7.62939453125e-6f

/* The vertex of the parabola through low at -1, middle at 0 and high at 1,
 * limited to +-step.  trust: its reliability, 0.4 to 1. */
STEREO_INLINE float
stereo_pyramid_parabola (float low, float middle, float high, float step,
    float *trust)
{
  float slope = (high - low) * 0.5f;
  float curve = (high + low) * 0.5f - middle;
  float way, top;

  if (!(curve < -STEREO_PYRAMID_FLAT)) {
    *trust = 0.4f;
    return 0.0f;
  }
  way = (slope * -0.5f) / curve;
  way = way < step ? way : step;
  way = way > -step ? way : -step;
  top = (curve * way + slope) * way + middle;
  if (top > 1.0f) {
    /* a correlation is at most 1 */
    if (top - middle > 1e-10f)
      way = way * ((1.0f - middle) / (top - middle));
    *trust = 1.0f;
  } else {
    *trust = 0.3f * top + 0.7f;
  }
  return way;
}

/* Updates the confidence with the reliability of an iteration. */
STEREO_INLINE float
stereo_pyramid_confidence (float before, float trust)
{
  return 0.75f * before + 0.25f * trust;
}

/* The maximum step of iteration m, 0 to iterations - 1, of a level: max_step
 * for most iterations, then decreasing. */
STEREO_INLINE float
stereo_pyramid_step (int m, int iterations, float max_step)
{
  int half = iterations / 2, left = half - m / 2;
  float part;

  if (m < 2 || left >= 7 || iterations <= 2 || half < 2)
    return max_step;
  part = (float) (left - 1) * 0.9f / (float) (half - 1) + 0.1f;
  return max_step * (part > 0.01f ? part : 0.01f);
}

/* ---------------------------------------------------------------- diffusion */

/* The sum of a pixel and its four neighbours. */
STEREO_INLINE float
stereo_pyramid_cross (float left, float right, float up, float down, float own)
{
  return ((left + right) + (up + down)) + own;
}

/* The sum of three values in a row, or of three such sums in a column. */
STEREO_INLINE float
stereo_pyramid_three (float before, float after, float own)
{
  return (before + after) + own;
}

#define STEREO_PYRAMID_NINTH (1.0f / 9.0f)

/* ------------------------------------------------------------------- check */

/* Whether x + d lies in one of n pixels, borders included. */
STEREO_INLINE bool
stereo_pyramid_inside (int x, float d, int n)
{
  float at = (float) x + d;

  return at >= -0.5f && at < (float) n - 0.5f;
}

/* The pixel that contains x + d, which must be inside. */
STEREO_INLINE int
stereo_pyramid_nearest (int x, float d, int n)
{
  return (stereo_pyramid_target (x, d, n) + STEREO_PYRAMID_ONE / 2) >> 6;
}

/* Left-right consistency: whether the displacements of both views cancel out to
 * within `most` pixels. */
STEREO_INLINE bool
stereo_pyramid_agrees (float there, float back, float most)
{
  float sum = there + back;

  return sum <= most && sum >= -most;
}

/* Selects the nearest valid pixel before or after a hole to fill it from: that
 * of lower disparity, the one before on a tie.  -1 = none. */
STEREO_INLINE int
stereo_pyramid_filler (const float *dx, int before, int after)
{
  if (before < 0 || after < 0)
    return before < 0 ? after : before;
  return dx[before] >= dx[after] ? before : after;
}

/* --------------------------------------------------------------- selection */

#define STEREO_PYRAMID_CENSUS_RADIUS 2
#define STEREO_PYRAMID_CENSUS_BITS 24

/* Radius of the window of a candidate's errors. */
#define STEREO_PYRAMID_WINDOW 2

/* Brightness of a word, below 2^14. */
STEREO_INLINE int
stereo_pyramid_brightness (uint32_t word)
{
  return (int) (3 * stereo_pyramid_r (word) + 4 * stereo_pyramid_g (word)
      + 2 * stereo_pyramid_b (word));
}

#define STEREO_PYRAMID_CANDIDATES 21

/* Maximum of |x| and |y|. */
#define STEREO_PYRAMID_REACH 6

/* The displacement of the pixel at (x, y) from here, with dx changed by add. */
typedef struct
{
  int8_t x, y, add;
} StereoPyramidCandidate;

STEREO_INLINE StereoPyramidCandidate
stereo_pyramid_candidate (int i)
{
  static const StereoPyramidCandidate table[STEREO_PYRAMID_CANDIDATES] = {
    {0, 0, 0},
    {3, 0, 0}, {-3, 0, 0}, {0, 3, 0}, {0, -3, 0},
    {3, 3, 0}, {-3, -3, 0}, {3, -3, 0}, {-3, 3, 0},
    {6, 0, 0}, {-6, 0, 0}, {0, 6, 0}, {0, -6, 0},
    {6, 6, 0}, {-6, -6, 0}, {6, -6, 0}, {-6, 6, 0},
    {0, 0, 1}, {0, 0, -1}, {0, 0, 2}, {0, 0, -2}
  };

  return table[i];
}

STEREO_INLINE int
stereo_pyramid_count_bits (uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return __popc (bits);
#else
  return __builtin_popcount (bits);
#endif
}

/* The error of displacement dx at column x of a row, whose census is left.
 * right: census of the right view; row: offset of its row there */
STEREO_INLINE int
stereo_pyramid_row_error (uint32_t left, const uint32_t * right, int row,
    int width, int x, float dx)
{
  return stereo_pyramid_inside (x, dx, width) ? stereo_pyramid_count_bits (left
      ^ right[row + stereo_pyramid_nearest (x, dx, width)])
      : STEREO_PYRAMID_CENSUS_BITS;
}

/* The error of displacement (dx, dy) at pixel (x, y). */
STEREO_INLINE int
stereo_pyramid_error (uint32_t left, const uint32_t * right, int stride,
    int width, int height, int x, int y, float dx, float dy)
{
  return stereo_pyramid_inside (y, dy, height)
      ? stereo_pyramid_row_error (left, right,
      stereo_pyramid_nearest (y, dy, height) * stride, width, x, dx)
      : STEREO_PYRAMID_CENSUS_BITS;
}

/* ----------------------------------------------------------------- winners */

/* The code of displacement dx, 0 to highest.  dx must not be NaN. */
STEREO_INLINE int
stereo_pyramid_code (float dx, int unit, int min_disparity, int highest)
{
  float v = (-dx - (float) min_disparity) * (float) unit + 0.5f;

  v = v > 0.0f ? v : 0.0f;
  return v < (float) highest ? (int) v : highest;
}

STEREO_INLINE uint32_t
stereo_pyramid_uniqueness (float confidence)
{
  return confidence < 1.0f ? (uint32_t) (int) (254.0f * confidence) : 254u;
}

/* The word of a left winner. */
STEREO_INLINE uint32_t
stereo_pyramid_winner (int code, int unit, float confidence)
{
  const int index = (code + unit / 2) / unit;

  if (!(confidence > 0.0f))
    return STEREO_NO_WINNER;
  return (uint32_t) index | ((uint32_t) (code - index * unit) & 255) << 16
      | stereo_pyramid_uniqueness (confidence) << 24;
}

/* The word of a right winner; dx is that of the right view. */
STEREO_INLINE uint32_t
stereo_pyramid_right_winner (float dx, int min_disparity, int highest)
{
  return stereo_winner_right_word ((unsigned) stereo_pyramid_code (-dx, 1,
          min_disparity, highest), 0);
}

#endif /* STEREO_PYRAMID_FORMULA_H */
