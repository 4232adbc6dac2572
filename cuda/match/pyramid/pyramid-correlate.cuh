/* gst-stereomatching: correlation in a tile of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A tile of WIDTH x HEIGHT pixels.  Shared memory has three planes of both
 * views, the right one warped, and their products filtered along rows, P
 * neighbours per thread.  Sums along columns stay in registers.
 */

#ifndef STEREO_PYRAMID_CORRELATE_CUH
#define STEREO_PYRAMID_CORRELATE_CUH

#include "match/pyramid/pyramid-warp.cuh"

namespace
{

/* stereo_pyramid_inverse(). */
__device__ __forceinline__ float
inverse_of (float moment)
{
  return reciprocal (fmaxf (moment, 1.0f));
}

/* stereo_pyramid_five(), in five instructions. */
__device__ __forceinline__ float
five (float h0, float h1, float h2, float h3, float h4)
{
  const float f = h1 + h3;

  return __fmaf_rn (2.0f, __fmaf_rn (2.0f, h2, f), (h0 + h4) + f);
}

/* The product of a pixel with itself. */
__device__ __forceinline__ float
square_of (float r, float g, float b)
{
  return __fmaf_rn (b, b, __fmaf_rn (g, g, r * r));
}

/* a / b, correctly rounded, for b in the range of reciprocal() and a zero or at
 * least 2^-90: the compiler's code without its tests of both. */
__device__ __forceinline__ float
quotient (float a, float b)
{
  const float r = reciprocal (b);
  float q = a * r;

  q = __fmaf_rn (__fmaf_rn (-b, q, a), r, q);
  return __fmaf_rn (__fmaf_rn (-b, q, a), r, q);
}

/* stereo_pyramid_parabola() with quotient().  A correlation is zero or at least
 * 2^-56, differences are multiples of half its ulp, and divisors are at least
 * 2^-23. */
__device__ __forceinline__ float
parabola (float low, float middle, float high, float step, float *trust)
{
  const float slope = (high - low) * 0.5f;
  const float curve = (high + low) * 0.5f - middle;
  float way, top;

  if (!(curve < -STEREO_PYRAMID_FLAT)) {
    *trust = 0.4f;
    return 0.0f;
  }
  way = fminf (fmaxf (quotient (slope * -0.5f, curve), -step), step);
  top = (curve * way + slope) * way + middle;
  if (top > 1.0f) {
    way = way * quotient (1.0f - middle, top - middle);
    *trust = 1.0f;
  } else {
    *trust = 0.3f * top + 0.7f;
  }
  return way;
}

/* A pixel of the left view, from the border of two pixels of a tile at
 * (x0, y0) on. */
__device__ __forceinline__ Fields
pyramid_load_left (const Level & a, int x0, int y0, int x, int y)
{
  return fields (a.left[stereo_clamp_int (y0 - 2 + y, 0, a.height - 1)
          * a.stride + stereo_clamp_int (x0 - 2 + x, 0, a.width - 1)]);
}

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P >
struct Correlator
{
  typedef Warper < VERTICAL, WIDTH, HEIGHT, THREADS > W;
  static constexpr int V = VERTICAL ? 1 : 0;
  static constexpr int moves = VERTICAL ? 5 : 3;
  /* the left view, from (-2, -2) on */
  static constexpr int left_pitch = WIDTH + 4;
  static constexpr int left_height = HEIGHT + 4;
  static constexpr int left_plane = left_height * left_pitch;
  /* products filtered along rows, from (0, -2) on */
  static constexpr int row_plane = left_height * WIDTH;
  /* squares filtered along rows, from (-1, -2 - V) on */
  static constexpr int square_pitch = WIDTH + 4;
  /* inverse moments, from (-1, -V) on */
  static constexpr int inverse_width = WIDTH + 2;
  static constexpr int inverse_pitch = WIDTH + 4;
  static constexpr int inverse_height = HEIGHT + 2 * V;

  static constexpr int left_size = 3 * left_plane;
  static constexpr int row_size = moves * row_plane;
  static constexpr int square_size = W::height * square_pitch;
  static constexpr int inverse_size = inverse_height * inverse_pitch;
  static constexpr int bytes = 4 * (W::size + left_size + row_size
      + square_size + inverse_size);

  static constexpr int groups = WIDTH / P;      /* of P columns */
  /* rows of squares that a thread sums */
  static constexpr int strip = HEIGHT <= 24 ? 2 : 4;
  static constexpr int strips = (inverse_height + strip - 1) / strip;
  static constexpr int lines = THREADS / WIDTH;
  static constexpr int rows = (HEIGHT + lines - 1) / lines;

  static_assert (WIDTH % P == 0 && THREADS % WIDTH == 0, "threads");
  static_assert (inverse_height >= strip && HEIGHT >= rows, "height");

  /* Loads N floats, rounded up to a multiple of P, from an address aligned
   * to P. */
  template < int N > static __device__ __forceinline__ void
  load (const float *from, float *to)
  {
#pragma unroll
    for (int i = 0; i < N; i += P)
      copy < P > (from + i, to + i);
  }

  /* Filters P + 4 values along the row into P. */
  static __device__ __forceinline__ void
  along (const float *p, float *to)
  {
    float h[4];

#pragma unroll
    for (int i = 0; i < P; i++)
      h[i] = five (p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4]);
    copy < P > (h, to);
  }

  static __device__ __forceinline__ void
  fill_left (const Level & a, int x0, int y0, float *left)
  {
#pragma unroll
    for (int k = 0; k < (left_plane + THREADS - 1) / THREADS; k++) {
      const int i = (int) threadIdx.x + k * THREADS;
      const int x = i % left_pitch, y = i / left_pitch;
      const Fields f = pyramid_load_left (a, x0, y0, x, y);

      if (i < left_plane) {
#pragma unroll
        for (int c = 0; c < 3; c++)
          left[c * left_plane + i] = f.v[c];
      }
    }
  }

  /* P + 4 products of the left view with the right one at `shift`. */
  static __device__ __forceinline__ void
  multiply (const float l[3][P + 4], const float r[3][P + 8], int shift,
      float *p)
  {
#pragma unroll
    for (int j = 0; j < P + 4; j++)
      p[j] = __fmaf_rn (l[2][j], r[2][j + shift],
          __fmaf_rn (l[1][j], r[1][j + shift], l[0][j] * r[0][j + shift]));
  }

  static __device__ __forceinline__ void
  load_planes (const float *left, int at, float l[3][P + 4])
  {
#pragma unroll
    for (int c = 0; c < 3; c++)
      load < P + 4 > (left + c * left_plane + at, l[c]);
  }

  /* Filters along rows the products and squares of each row of the right
   * view. */
  static __device__ __forceinline__ void
  filter_rows (const float *right, const float *left, float *row,
      float *square)
  {
    for (int i = (int) threadIdx.x; i < W::height * (groups + 1);
        i += THREADS) {
      /* the last groups, beyond the last column, have squares only */
      const bool beyond = i >= W::height * groups;
      const int y = beyond ? i - W::height * groups : i / groups;
      const int x = beyond ? WIDTH : i % groups * P;
      float l[3][P + 4], r[3][P + 8], p[P + 4];

#pragma unroll
      for (int c = 0; c < 3; c++)
        load < P + 6 > (right + c * W::plane + y * W::pitch + x, r[c]);
#pragma unroll
      for (int j = 0; j < P + 4; j++)
        p[j] = square_of (r[0][j], r[1][j], r[2][j]);
      along (p, square + y * square_pitch + x);
      if (beyond)
        continue;
      if (y >= V && y < left_height + V) {
        const int at = (y - V) * left_pitch + x;

        load_planes (left, at, l);
#pragma unroll
        for (int m = 0; m < 3; m++) {
          multiply (l, r, m, p);
          along (p, row + m * row_plane + (y - V) * WIDTH + x);
        }
      }
      if (VERTICAL && y < left_height) {
        /* this row is one above the pixel */
        load_planes (left, y * left_pitch + x, l);
        multiply (l, r, 1, p);
        along (p, row + 3 * row_plane + y * WIDTH + x);
      }
      if (VERTICAL && y >= 2) {
        load_planes (left, (y - 2) * left_pitch + x, l);
        multiply (l, r, 1, p);
        along (p, row + 4 * row_plane + (y - 2) * WIDTH + x);
      }
    }
  }

  /* Filters N + 4 values along the column into N. */
  template < int N > static __device__ __forceinline__ void
  down (const float *from, int pitch, float *to)
  {
    float h[N + 4];

#pragma unroll
    for (int i = 0; i < N + 4; i++)
      h[i] = from[i * pitch];
#pragma unroll
    for (int i = 0; i < N; i++)
      to[i] = five (h[i], h[i + 1], h[i + 2], h[i + 3], h[i + 4]);
  }

  static __device__ __forceinline__ void
  invert_squares (const float *square, float *inverse)
  {
    for (int i = (int) threadIdx.x; i < strips * inverse_width;
        i += THREADS) {
      const int x = i % inverse_width, line = i / inverse_width * strip;
      /* the last strip overlaps the one before */
      const int y = min (line, inverse_height - strip);
      float v[strip];

      down < strip > (square + y * square_pitch + x, square_pitch, v);
#pragma unroll
      for (int j = 0; j < strip; j++) {
        if (y + j >= line)
          inverse[(y + j) * inverse_pitch + x] = inverse_of (v[j]);
      }
    }
  }

  /* The pixels of a thread: `rows` of one column. */
  struct Pixels
  {
    float dx[rows];
    float dy[rows];
    float confidence[rows];
  };

  static __device__ __forceinline__ void
  load_pixels (const Level & a, const StereoPyramidField & from, int x, int y,
      Pixels * pixels)
  {
    const int column = stereo_clamp_int (x, 0, a.width - 1);

#pragma unroll
    for (int i = 0; i < rows; i++) {
      const int at = stereo_clamp_int (y + i, 0, a.height - 1) * a.stride
          + column;

      pixels->dx[i] = load_field (from.dx + at);
      if (VERTICAL)
        pixels->dy[i] = load_field (from.dy + at);
      pixels->confidence[i] = load_field (from.confidence + at);
    }
  }

  static __device__ __forceinline__ void
  load_inverse (const Level & a, int x, int y, float *own)
  {
    const int column = stereo_clamp_int (x, 0, a.width - 1);

#pragma unroll
    for (int i = 0; i < rows; i++)
      own[i] = a.inverse[stereo_clamp_int (y + i, 0, a.height - 1) * a.stride
          + column];
  }

  /* The row of a thread's first pixel.  The last threads overlap those before
   * them, and may have no pixels of their own. */
  static __device__ __forceinline__ int
  own_row (int *line)
  {
    *line = (int) threadIdx.x / WIDTH * rows;
    return min (*line, HEIGHT - rows);
  }

  /* Computes filtered products and inverse moments from both views in shared
   * memory. */
  static __device__ __forceinline__ void
  filter (float *shared)
  {
    float *right = shared;
    float *left = right + W::size;
    float *row = left + left_size;
    float *square = row + row_size;
    float *inverse = square + square_size;

    filter_rows (right, left, row, square);
    __syncthreads ();
    invert_squares (square, inverse);
    __syncthreads ();
  }

  /* Moves the pixels of the thread to the tops of their parabolas. */
  static __device__ __forceinline__ void
  follow (const float *shared, const float *own, int ty, float step,
      bool first, Pixels * pixels)
  {
    const int tx = (int) threadIdx.x % WIDTH;
    const float *row = shared + W::size + left_size + ty * WIDTH + tx;
    const float *ip = shared + W::size + left_size + row_size + square_size
        + (ty + V) * inverse_pitch + tx + 1;
    float c[moves][rows];

#pragma unroll
    for (int m = 0; m < moves; m++) {
      const int move = m < 3 ? m - 1 : m == 3 ? -inverse_pitch : inverse_pitch;

      down < rows > (row + m * row_plane, WIDTH, c[m]);
#pragma unroll
      for (int i = 0; i < rows; i++)
        c[m][i] = stereo_pyramid_correlation (c[m][i], own[i],
            ip[i * inverse_pitch + move]);
    }
#pragma unroll
    for (int i = 0; i < rows; i++) {
      float trust, trust_y;

      pixels->dx[i] += parabola (c[0][i], c[1][i], c[2][i], step, &trust);
      if (VERTICAL) {
        pixels->dy[i] += parabola (c[3][i], c[1][i], c[4][i], step, &trust_y);
        trust = trust * trust_y;
      }
      pixels->confidence[i] = first ? trust
          : stereo_pyramid_confidence (pixels->confidence[i], trust);
    }
  }

  /* An iteration of a tile of the level. */
  static __device__ __forceinline__ void
  run (const Level & a, float step, bool first, int x0, int y0, float *shared)
  {
    const int x = x0 + (int) threadIdx.x % WIDTH;
    int line;
    const int ty = own_row (&line);
    Pixels pixels;
    float own[rows];

    {
      typename W::Place where[W::places];

      W::find_places (a, x0, y0, where);
      fill_left (a, x0, y0, shared + W::size);
      W::fill (a, a.before, where, shared);
    }
    __syncthreads ();
    filter (shared);
    if (line >= HEIGHT || x >= a.width)
      return;
    load_inverse (a, x, y0 + ty, own);
    load_pixels (a, a.before, x, y0 + ty, &pixels);
    follow (shared, own, ty, step, first, &pixels);
#pragma unroll
    for (int i = 0; i < rows; i++) {
      const int y = y0 + ty + i, at = y * a.stride + x;

      if (ty + i < line || y >= a.height)
        continue;
      a.between.dx[at] = pixels.dx[i];
      if (VERTICAL)
        a.between.dy[at] = pixels.dy[i];
      a.between.confidence[at] = pixels.confidence[i];
    }
  }
};

}                               // namespace

#endif /* STEREO_PYRAMID_CORRELATE_CUH */
