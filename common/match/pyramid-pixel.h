/* gst-stereomatching: pixels of a pyramid, the same on the host and in CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The arithmetic that pyramid.h describes.  No function needs a fused
 * multiply-add; where one gives the same result, the value is called exact. */

#ifndef STEREO_PYRAMID_PIXEL_H
#define STEREO_PYRAMID_PIXEL_H

#include "image/pixel.h"

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

/* The product of two pixels.  Exact, also as the sum of float products. */
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

/* The size of a pixel of n in pixels of m of another size of the same image,
 * in 2^-26: for stereo_pyramid_position(). */
STEREO_INLINE uint32_t
stereo_pyramid_ratio (int n, int m)
{
  return (uint32_t) ((((uint64_t) m << 26) + (uint64_t) n / 2) / (uint64_t) n);
}

/* Where pixel i is among the m pixels of another size of the same image. */
STEREO_INLINE int
stereo_pyramid_position (int i, uint32_t ratio, int m)
{
  uint64_t middle = (uint64_t) (2 * i + 1) * ratio;

  return stereo_clamp_int ((int) ((middle + (1u << 20)) >> 21) - 32, 0,
      (m - 1) * STEREO_PYRAMID_ONE);
}

/* x + d as a position, clamped to 0 ... n - 1 pixels; half to even.  d is no
 * NaN.  A float of 2^17 to 2^18 is a multiple of 1/64. */
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

/* Between four fields, at ax and ay 64ths from the first one; rounded, half to
 * even.  Exact in any type: 22 bits before it is rounded. */
STEREO_INLINE uint32_t
stereo_pyramid_between (uint32_t p00, uint32_t p10, uint32_t p01,
    uint32_t p11, uint32_t ax, uint32_t ay)
{
  uint32_t above = p00 * (64u - ax) + p10 * ax;
  uint32_t below = p01 * (64u - ax) + p11 * ax;
  uint32_t sum = above * (64u - ay) + below * ay;

  return (sum + 2047u + (sum >> 12 & 1u)) >> 12;
}

/* The same of words. */
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

/* A pixel of a view with stride words a row, at a position that may be up to
 * the last pixel. */
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

/* Between four values of a plane, the fractions in pixels. */
STEREO_INLINE float
stereo_pyramid_lerp (float p00, float p10, float p01, float p11, float ax,
    float ay)
{
  float above = p00 + ax * (p10 - p00);
  float below = p01 + ax * (p11 - p01);

  return above + ay * (below - above);
}

/* ---------------------------------------------------------- the next level */

/* Tap i of 6 of the filter G at a fraction of a 64ths pixel, which starts two
 * pixels to the left of the whole one: [1 3 4 3 1] moved by a / 64.  The six
 * add up to 768. */
STEREO_INLINE uint32_t
stereo_pyramid_tap (int i, uint32_t a)
{
  uint32_t here = i == 5 ? 0u : i == 2 ? 4u : i == 1 || i == 3 ? 3u : 1u;
  uint32_t before = i == 0 ? 0u : i == 3 ? 4u : i == 2 || i == 4 ? 3u : 1u;

  return here * (64u - a) + before * a;
}

/* A field of the next level from the sum under 6 x 6 taps (which is below
 * 2^31). */
STEREO_INLINE uint32_t
stereo_pyramid_smaller (uint32_t sum)
{
  return (sum + 294912u) / 589824u;
}

/* -------------------------------------------------------------- correlation */

/* [1 3 4 3 1] of exact values; exact if the result is below 2^24.  (With
 * fused multiply-adds by 2 it is the same.) */
STEREO_INLINE float
stereo_pyramid_five (float h0, float h1, float h2, float h3, float h4)
{
  float e = h0 + h4, f = h1 + h3;

  return (e + f) + 2.0f * (f + 2.0f * h2);
}

/* il and ir of a moment. */
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

/* A parabola flatter than this has no top: 2^-17. */
#define STEREO_PYRAMID_FLAT 7.62939453125e-6f

/* The way to the top of the parabola through low at -1, middle at 0 and high
 * at 1, step at most; and how much it is to be trusted, 0.4 to 1. */
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
    /* only as far as a correlation can get */
    if (top - middle > 1e-10f)
      way = way * ((1.0f - middle) / (top - middle));
    *trust = 1.0f;
  } else {
    *trust = 0.3f * top + 0.7f;
  }
  return way;
}

/* The confidence after an iteration that came to trust. */
STEREO_INLINE float
stereo_pyramid_confidence (float before, float trust)
{
  return 0.75f * before + 0.25f * trust;
}

/* The step of iteration m, 0 to iterations - 1, of a level: the largest for
 * most of the time, then ever smaller ones. */
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

/* Three in a row, or three such sums in a column. */
STEREO_INLINE float
stereo_pyramid_three (float before, float after, float own)
{
  return (before + after) + own;
}

#define STEREO_PYRAMID_NINTH (1.0f / 9.0f)

/* ------------------------------------------------------------------- check */

/* Whether x + d is in one of n pixels, its border included. */
STEREO_INLINE bool
stereo_pyramid_inside (int x, float d, int n)
{
  float at = (float) x + d;

  return at >= -0.5f && at < (float) n - 0.5f;
}

/* The pixel that x + d is in, if it is inside. */
STEREO_INLINE int
stereo_pyramid_nearest (int x, float d, int n)
{
  return (stereo_pyramid_target (x, d, n) + STEREO_PYRAMID_ONE / 2) >> 6;
}

/* Whether one view's displacement and the other one's there undo each other,
 * but for `most` pixels. */
STEREO_INLINE bool
stereo_pyramid_agrees (float there, float back, float most)
{
  float sum = there + back;

  return sum <= most && sum >= -most;
}

/* Which of the nearest valid pixels before and after a hole fills it: that with
 * the lower disparity, the one before on a tie.  -1 is none. */
STEREO_INLINE int
stereo_pyramid_filler (const float *dx, int before, int after)
{
  if (before < 0 || after < 0)
    return before < 0 ? after : before;
  return dx[before] >= dx[after] ? before : after;
}

#endif /* STEREO_PYRAMID_PIXEL_H */
