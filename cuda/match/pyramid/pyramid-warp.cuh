/* gst-stereomatching: the warped right view of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The warped right view of a tile of WIDTH x HEIGHT pixels: three planes in
 * shared memory with a border of two pixels for the filter, and of one more in
 * the directions of the moved correlations.
 */

#ifndef STEREO_PYRAMID_WARP_CUH
#define STEREO_PYRAMID_WARP_CUH

#include "match/pyramid/pyramid.cuh"

namespace
{

/* A pixel's fields as floats. */
struct Fields
{
  float v[3];
};

/* 2^23 plus the field, G times 1024. */
__device__ __forceinline__ Fields
biased (uint32_t word)
{
  Fields f;

  f.v[0] = __uint_as_float ((word & STEREO_PYRAMID_FIELD) | 0x4b000000u);
  f.v[1] = __uint_as_float ((word & STEREO_PYRAMID_FIELD
          << STEREO_PYRAMID_G_SHIFT) | 0x4b000000u);
  f.v[2] = __uint_as_float ((word >> STEREO_PYRAMID_B_SHIFT) | 0x4b000000u);
  return f;
}

__device__ __forceinline__ Fields
fields (uint32_t word)
{
  Fields f = biased (word);

#pragma unroll
  for (int i = 0; i < 3; i++)
    f.v[i] -= 8388608.0f;
  f.v[1] *= 1.0f / 1024;
  return f;
}

/* The source position of a warped pixel, and the four words there. */
struct Source
{
  int px;
  int py;
  uint32_t word[4];
};

template < bool VERTICAL > __device__ __forceinline__ void
load_source (const Level & a, int x, int y, float dx, float dy, Source * s)
{
  s->px = stereo_pyramid_target (x, dx, a.width);
  s->py = VERTICAL ? stereo_pyramid_target (y, dy, a.height)
      : y * STEREO_PYRAMID_ONE;

  const uint32_t *row = a.right + (s->py >> 6) * a.stride + (s->px >> 6);
  const int right = (s->px >> 6) + 1 < a.width ? 1 : 0;

  s->word[0] = row[0];
  s->word[1] = row[right];
  if (VERTICAL) {
    row += (s->py >> 6) + 1 < a.height ? a.stride : 0;
    s->word[2] = row[0];
    s->word[3] = row[right];
  }
}

/* stereo_pyramid_sample() in floats.  All values are integers of 22 bits over
 * 4096, so only the last step rounds. */
template < bool VERTICAL > __device__ __forceinline__ Fields
sample (const Source & source)
{
  const float ax = fraction (source.px);
  const Fields p = biased (source.word[0]), q = biased (source.word[1]);
  Fields result;

  if (VERTICAL) {
    const float ay = fraction (source.py);
    const Fields r = biased (source.word[2]), s = biased (source.word[3]);

#pragma unroll
    for (int i = 0; i < 3; i++) {
      const float d = q.v[i] - p.v[i];
      const float above = __fmaf_rn (ax, d, p.v[i] - 8388608.0f);
      const float step = __fmaf_rn (ax, (s.v[i] - r.v[i]) - d,
          r.v[i] - p.v[i]);

      result.v[i] = __fmaf_rn (ay, step, above);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 3; i++)
      result.v[i] = __fmaf_rn (ax, q.v[i] - p.v[i], p.v[i] - 8388608.0f);
  }
  /* half to even */
  result.v[0] = (result.v[0] + 8388608.0f) - 8388608.0f;
  result.v[1] = ((result.v[1] + 8589934592.0f) - 8589934592.0f)
      * (1.0f / 1024);
  result.v[2] = (result.v[2] + 8388608.0f) - 8388608.0f;
  return result;
}

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS > struct Warper
{
  /* the plane begins at (-3, -above) */
  static constexpr int above = VERTICAL ? 3 : 2;
  static constexpr int width = WIDTH + 6;
  static constexpr int pitch = WIDTH + 8;
  static constexpr int height = HEIGHT + 2 * above;
  static constexpr int plane = height * pitch;
  static constexpr int size = 3 * plane;

  /* Pixels of a thread. */
  static constexpr int pixels = width * height;
  static constexpr int places = (pixels + THREADS - 1) / THREADS;

  struct Place
  {
    int x;
    int y;
    int to;                     /* in shared memory */
  };

  static __device__ __forceinline__ void
  find_places (const Level & a, int x0, int y0, Place * where)
  {
#pragma unroll
    for (int k = 0; k < places; k++) {
      /* surplus threads repeat the last pixel */
      const int i = min ((int) threadIdx.x + k * THREADS, pixels - 1);
      const int x = i % width, y = i / width;

      where[k].x = stereo_clamp_int (x0 - 3 + x, 0, a.width - 1);
      where[k].y = stereo_clamp_int (y0 - above + y, 0, a.height - 1);
      where[k].to = y * pitch + x;
    }
  }

  /* All loads precede the first use, to overlap their latencies. */
  static __device__ __forceinline__ void
  fill (const Level & a, const StereoPyramidField & from,
      const Place * where, float *right)
  {
    float dx[places], dy[places];
    Source source[places];

#pragma unroll
    for (int k = 0; k < places; k++) {
      const int at = where[k].y * a.stride + where[k].x;

      dx[k] = load_field (from.dx + at);
      dy[k] = VERTICAL ? load_field (from.dy + at) : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < places; k++)
      load_source < VERTICAL > (a, where[k].x, where[k].y, dx[k], dy[k],
          &source[k]);
#pragma unroll
    for (int k = 0; k < places; k++) {
      const Fields f = sample < VERTICAL > (source[k]);

      if ((k + 1) * THREADS <= pixels
          || (int) threadIdx.x + k * THREADS < pixels) {
#pragma unroll
        for (int c = 0; c < 3; c++)
          right[c * plane + where[k].to] = f.v[c];
      }
    }
  }
};

}                               // namespace

#endif /* STEREO_PYRAMID_WARP_CUH */
