/* gst-stereomatching: correlation over an image pyramid, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An iteration of a large level is two kernels, each of which reads and writes
 * a field once:
 *
 *   correlate_kernel  A block has a tile.  It warps the right view, with a
 *       border of three pixels, into shared memory, filters all products along
 *       rows there, and sums them along columns in registers, where the
 *       parabolas follow.
 *   diffuse_kernel  A block has a tile with a border as wide as there are
 *       steps, in registers, and does all steps and the mean.  Neighbours come
 *       by shuffles along rows, and through shared memory where another warp
 *       has them.  Which of several tiles is the best depends on how many of
 *       them a level has for how many multiprocessors.
 *
 * On a small level launches and the way to memory and back take longer than
 * the arithmetic.  There, iterate_kernel does all iterations: a multiprocessor
 * has one tile for as long as it takes, border and all, so that fields go from
 * the correlation to the mean in registers, and blocks meet once in an
 * iteration, in a cluster when they are 16 at most, else as a grid that is
 * resident at once.
 *
 * What is exact (see pyramid.h) is computed in floats with fused operations,
 * all else as pyramid-pixel.h has it.  Divisions and reciprocals are correctly
 * rounded, without the cases that can't happen.
 */

#include "core/device.cuh"
#include "refine/output.h"
#include "match/pyramid-pixel.h"
#include "match/pyramid.h"
#include "core/queue-cuda.h"

#include <cooperative_groups.h>

#include <string.h>

namespace
{

/* --------------------------------------------------------------- arithmetic */

/* 1 / x, correctly rounded, for x between 2^-100 and 2^100: what the compiler
 * makes of 1.0f / x, less its look at the exponent. */
__device__ __forceinline__ float
reciprocal (float x)
{
  float r;

  asm ("rcp.approx.ftz.f32 %0, %1;":"=f" (r):"f" (x));
  return __fmaf_rn (r, __fmaf_rn (-x, r, 1.0f), r);
}

/* a / b, correctly rounded, for the same b, and for a that is zero or no
 * smaller than 2^-90: what the compiler makes of it, less its look at both. */
__device__ __forceinline__ float
quotient (float a, float b)
{
  const float r = reciprocal (b);
  float q = a * r;

  q = __fmaf_rn (__fmaf_rn (-b, q, a), r, q);
  return __fmaf_rn (__fmaf_rn (-b, q, a), r, q);
}

/* stereo_pyramid_five(), in five instructions. */
__device__ __forceinline__ float
five (float h0, float h1, float h2, float h3, float h4)
{
  const float f = h1 + h3;

  return __fmaf_rn (2.0f, __fmaf_rn (2.0f, h2, f), (h0 + h4) + f);
}

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

/* A position's part of a pixel, in pixels. */
__device__ __forceinline__ float
fraction (int position)
{
  return __uint_as_float ((uint32_t) (position & 63) | 0x48000000u)
      - 131072.0f;
}

/* ---------------------------------------------------------------- arguments */

/* A level, and what an iteration reads and writes. */
struct Level
{
  int width;
  int height;
  int stride;                   /* elements */
  int diffusion;
  const uint32_t *left;
  const uint32_t *right;
  float *inverse;
  StereoPyramidField before;
  StereoPyramidField between;
};

/* Fields change while the kernel of a cluster works, and other
 * multiprocessors change them: their values are in the second level cache. */
__device__ __forceinline__ float
load_field (const float *p)
{
  return __ldcg (p);
}

/* ----------------------------------------------------------------- warping */

/* Where a warped pixel comes from, and the four words there. */
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

/* stereo_pyramid_sample(), as floats: without rounding until the last step, as
 * all values are integers over 4096 of 22 bits. */
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

/* -------------------------------------------------------------- correlation */

/* stereo_pyramid_parabola(), with other divisions: a correlation is zero or at
 * least 2^-56, differences are multiples of what is half an ulp of it, and no
 * divisor is smaller than 2^-23. */
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

/*
 * One tile of WIDTH x HEIGHT pixels.  Both views, the right one warped, come
 * into shared memory as three planes; products filtered along rows go to
 * shared memory, too, P neighbours by one thread; sums along columns stay in
 * registers.
 */
template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P >
struct Correlator
{
  static constexpr int V = VERTICAL ? 1 : 0;
  static constexpr int moves = VERTICAL ? 5 : 3;
  /* the warped right view, from (-3, -2 - V) on */
  static constexpr int right_width = WIDTH + 6;
  static constexpr int right_pitch = WIDTH + 8;
  static constexpr int right_height = HEIGHT + 4 + 2 * V;
  static constexpr int right_plane = right_height * right_pitch;
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

  static constexpr int right_size = 3 * right_plane;
  static constexpr int left_size = 3 * left_plane;
  static constexpr int row_size = moves * row_plane;
  static constexpr int square_size = right_height * square_pitch;
  static constexpr int inverse_size = inverse_height * inverse_pitch;
  static constexpr int bytes = 4 * (right_size + left_size + row_size
      + square_size + inverse_size);

  static constexpr int groups = WIDTH / P;      /* of P columns */
  /* rows that a thread sums squares of */
  static constexpr int strip = HEIGHT <= 24 ? 2 : 4;
  static constexpr int strips = (inverse_height + strip - 1) / strip;
  static constexpr int lines = THREADS / WIDTH;
  static constexpr int rows = (HEIGHT + lines - 1) / lines;

  static_assert (WIDTH % P == 0 && THREADS % WIDTH == 0, "threads");
  static_assert (inverse_height >= strip && HEIGHT >= rows, "height");

  /* N floats, of which N is rounded up to a multiple of P, from an address
   * that is one of P. */
  template < int N > static __device__ __forceinline__ void
  load (const float *from, float *to)
  {
#pragma unroll
    for (int i = 0; i < N; i += P) {
      if (P == 4)
        *(float4 *) (to + i) = *(const float4 *) (from + i);
      else if (P == 2)
        *(float2 *) (to + i) = *(const float2 *) (from + i);
      else
        to[i] = from[i];
    }
  }

  /* Filters P + 4 along the row, and stores P. */
  static __device__ __forceinline__ void
  along (const float *p, float *to)
  {
    float h[4];

#pragma unroll
    for (int i = 0; i < P; i++)
      h[i] = five (p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4]);
    if (P == 4)
      *(float4 *) to = *(const float4 *) h;
    else if (P == 2)
      *(float2 *) to = *(const float2 *) h;
    else
      *to = h[0];
  }

  static __device__ __forceinline__ void
  fill_left (const Level & a, int x0, int y0, float *left)
  {
#pragma unroll
    for (int k = 0; k < (left_plane + THREADS - 1) / THREADS; k++) {
      const int i = (int) threadIdx.x + k * THREADS;
      const int x = i % left_pitch, y = i / left_pitch;
      const Fields f =
          fields (a.left[stereo_clamp_int (y0 - 2 + y, 0, a.height - 1)
              * a.stride + stereo_clamp_int (x0 - 2 + x, 0, a.width - 1)]);

      if (i < left_plane) {
#pragma unroll
        for (int c = 0; c < 3; c++)
          left[c * left_plane + i] = f.v[c];
      }
    }
  }

  /* Pixels of the right view that a thread warps. */
  static constexpr int right_pixels = right_width * right_height;
  static constexpr int places = (right_pixels + THREADS - 1) / THREADS;

  struct Place
  {
    int x;
    int y;
    int to;                     /* in shared memory */
  };

  static __device__ __forceinline__ Place
  place (const Level & a, int x0, int y0, int k)
  {
    /* threads that have none repeat the last one */
    const int i = min ((int) threadIdx.x + k * THREADS, right_pixels - 1);
    const int x = i % right_width, y = i / right_width;
    Place p;

    p.x = stereo_clamp_int (x0 - 3 + x, 0, a.width - 1);
    p.y = stereo_clamp_int (y0 - 2 - V + y, 0, a.height - 1);
    p.to = y * right_pitch + x;
    return p;
  }

  /* Loads of all places come before what waits for the first. */
  static __device__ __forceinline__ void
  fill_right (const Level & a, const StereoPyramidField & from,
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

      if ((k + 1) * THREADS <= right_pixels
          || (int) threadIdx.x + k * THREADS < right_pixels) {
#pragma unroll
        for (int c = 0; c < 3; c++)
          right[c * right_plane + where[k].to] = f.v[c];
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
  load_left (const float *left, int at, float l[3][P + 4])
  {
#pragma unroll
    for (int c = 0; c < 3; c++)
      load < P + 4 > (left + c * left_plane + at, l[c]);
  }

  /* Products, and squares of the right view, filtered along rows: all that
   * one row of the right view has a part in. */
  static __device__ __forceinline__ void
  filter_rows (const float *right, const float *left, float *row,
      float *square)
  {
    for (int i = (int) threadIdx.x; i < right_height * (groups + 1);
        i += THREADS) {
      /* groups beyond the last column come last: there are just squares */
      const bool beyond = i >= right_height * groups;
      const int y = beyond ? i - right_height * groups : i / groups;
      const int x = beyond ? WIDTH : i % groups * P;
      float l[3][P + 4], r[3][P + 8], p[P + 4];

#pragma unroll
      for (int c = 0; c < 3; c++)
        load < P + 6 > (right + c * right_plane + y * right_pitch + x, r[c]);
#pragma unroll
      for (int j = 0; j < P + 4; j++)
        p[j] = __fmaf_rn (r[2][j], r[2][j],
            __fmaf_rn (r[1][j], r[1][j], r[0][j] * r[0][j]));
      along (p, square + y * square_pitch + x);
      if (beyond)
        continue;
      if (y >= V && y < left_height + V) {
        const int at = (y - V) * left_pitch + x;

        load_left (left, at, l);
#pragma unroll
        for (int m = 0; m < 3; m++) {
          multiply (l, r, m, p);
          along (p, row + m * row_plane + (y - V) * WIDTH + x);
        }
      }
      if (VERTICAL && y < left_height) {
        /* the pixel is moved up to this row */
        load_left (left, y * left_pitch + x, l);
        multiply (l, r, 1, p);
        along (p, row + 3 * row_plane + y * WIDTH + x);
      }
      if (VERTICAL && y >= 2) {
        load_left (left, (y - 2) * left_pitch + x, l);
        multiply (l, r, 1, p);
        along (p, row + 4 * row_plane + (y - 2) * WIDTH + x);
      }
    }
  }

  /* Filters N + 4 along the column. */
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
      /* the last strip shares rows with the one before */
      const int y = min (line, inverse_height - strip);
      float v[strip];

      down < strip > (square + y * square_pitch + x, square_pitch, v);
#pragma unroll
      for (int j = 0; j < strip; j++) {
        if (y + j >= line)
          inverse[(y + j) * inverse_pitch + x] =
              reciprocal (fmaxf (v[j], 1.0f));
      }
    }
  }

  /* What there is of a thread's pixels: `rows` of one column. */
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

  /* The row of a thread's first pixel.  The last threads share pixels with
   * those before them, and may have none of their own. */
  static __device__ __forceinline__ int
  own_row (int *line)
  {
    *line = (int) threadIdx.x / WIDTH * rows;
    return min (*line, HEIGHT - rows);
  }

  /* The same for a tile that is in shared memory. */
  static __device__ __forceinline__ void
  compute_inverse (const float *left, float *own)
  {
    const int ty = (int) threadIdx.x / WIDTH * rows;
    const float *p = left + ty * left_pitch + (int) threadIdx.x % WIDTH;
    float h[rows + 4];

#pragma unroll
    for (int j = 0; j < rows + 4; j++) {
      float s[5];

#pragma unroll
      for (int i = 0; i < 5; i++) {
        const int at = j * left_pitch + i;

        s[i] = __fmaf_rn (p[at + 2 * left_plane], p[at + 2 * left_plane],
            __fmaf_rn (p[at + left_plane], p[at + left_plane], p[at] * p[at]));
      }
      h[j] = five (s[0], s[1], s[2], s[3], s[4]);
    }
#pragma unroll
    for (int i = 0; i < rows; i++)
      own[i] = reciprocal (fmaxf (five (h[i], h[i + 1], h[i + 2], h[i + 3],
                  h[i + 4]), 1.0f));
  }

  /* From both views in shared memory to the squares' inverse and the products'
   * rows. */
  static __device__ __forceinline__ void
  filter (float *shared)
  {
    float *right = shared;
    float *left = right + right_size;
    float *row = left + left_size;
    float *square = row + row_size;
    float *inverse = square + square_size;

    filter_rows (right, left, row, square);
    __syncthreads ();
    invert_squares (square, inverse);
    __syncthreads ();
  }

  /* The thread's pixels after the iteration. */
  static __device__ __forceinline__ void
  follow (const float *shared, const float *own, int ty, float step,
      bool first, Pixels * pixels)
  {
    const int tx = (int) threadIdx.x % WIDTH;
    const float *row = shared + right_size + left_size + ty * WIDTH + tx;
    const float *ip = shared + right_size + left_size + row_size + square_size
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

  /* All of it, for a tile of the level. */
  static __device__ __forceinline__ void
  run (const Level & a, float step, bool first, int x0, int y0, float *shared)
  {
    const int x = x0 + (int) threadIdx.x % WIDTH;
    int line;
    const int ty = own_row (&line);
    Pixels pixels;
    float own[rows];

    {
      Place where[places];

#pragma unroll
      for (int k = 0; k < places; k++)
        where[k] = place (a, x0, y0, k);
      fill_left (a, x0, y0, shared + right_size);
      fill_right (a, a.before, where, shared);
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

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P,
    int BLOCKS >
__global__ void __launch_bounds__ (THREADS, BLOCKS)
correlate_kernel (const __grid_constant__ Level a, float step, bool first)
{
  extern __shared__ float4 shared[];

  pdl_wait ();
  pdl_launch_dependents ();
  Correlator < VERTICAL, WIDTH, HEIGHT, THREADS, P >::run (a, step, first,
      (int) blockIdx.x * WIDTH, (int) blockIdx.y * HEIGHT, (float *) shared);
}

/* ---------------------------------------------------------------- diffusion */

/*
 * WARPS warps have ROWS rows each of a tile 32 * WIDE pixels wide, in
 * registers: fields of WIDE neighbours in each thread.  Columns beyond come by
 * shuffles, rows of other warps through shared memory.  What is right gets
 * smaller by a pixel each step and one for the box mean, on all sides; `halo`
 * of them are not written.
 */
template < bool VERTICAL, int WARPS, int ROWS, int WIDE > struct Diffuser
{
  static constexpr int fields = VERTICAL ? 3 : 2;       /* confidence, dx, dy */
  static constexpr int width = 32 * WIDE;
  static constexpr int height = WARPS * ROWS;
  static constexpr int kept = ROWS > 1 ? 2 : 1;
  static constexpr int bytes = 2 * WARPS * kept * fields * width * 4;

  struct Row
  {
    float v[fields][WIDE];
  };

  /* Rows of all warps that others need: first and last, which may be one. */
  static __device__ __forceinline__ float *
  slot (float *shared, int turn, int warp, int which, int field)
  {
    return shared + ((((turn & 1) * WARPS + warp) * kept
            + (ROWS > 1 ? which : 0)) * fields
        + field) * width + (threadIdx.x & 31) * WIDE;
  }

  static __device__ __forceinline__ void
  put (float *shared, int turn, int warp, int which, const Row & row)
  {
#pragma unroll
    for (int f = 0; f < fields; f++) {
      float *p = slot (shared, turn, warp, which, f);

#pragma unroll
      for (int i = 0; i < WIDE; i++) {
        if (WIDE == 4 && i == 0)
          *(float4 *) p = *(const float4 *) row.v[f];
        else if (WIDE == 2 && i == 0)
          *(float2 *) p = *(const float2 *) row.v[f];
        else if (WIDE == 1)
          *p = row.v[f][0];
      }
    }
  }

  static __device__ __forceinline__ void
  get (float *shared, int turn, int warp, int which, Row * row)
  {
#pragma unroll
    for (int f = 0; f < fields; f++) {
      const float *p = slot (shared, turn, warp, which, f);

      if (WIDE == 4)
        *(float4 *) row->v[f] = *(const float4 *) p;
      else if (WIDE == 2)
        *(float2 *) row->v[f] = *(const float2 *) p;
      else
        row->v[f][0] = *p;
    }
  }

  /* Products of a row that are summed: confidence, its square, dx and dy
   * times it. */
  struct Products
  {
    float v[fields + 1][WIDE];
  };

  static __device__ __forceinline__ void
  multiply (const Row & row, Products * p)
  {
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
      const float c = row.v[0][i];

      p->v[0][i] = c;
      p->v[fields][i] = c * c;
#pragma unroll
      for (int f = 1; f < fields; f++)
        p->v[f][i] = c * row.v[f][i];
    }
  }

  /* Values of the columns before and after WIDE ones. */
  template < bool BORDER > static __device__ __forceinline__ void
  beside (const float *v, int x, int image_width, float *before, float *after)
  {
    const int lane = (int) threadIdx.x & 31;

    if (WIDE == 1) {
      /* the border costs nothing: the first pixel is its own neighbour */
      *before = __shfl_sync (~0u, *v, x == 0 ? lane : lane - 1);
      *after = __shfl_sync (~0u, *v, x == image_width - 1 ? lane : lane + 1);
      return;
    }

    const float from_left = __shfl_up_sync (~0u, v[WIDE - 1], 1);
    const float from_right = __shfl_down_sync (~0u, v[0], 1);

#pragma unroll
    for (int i = 0; i < WIDE; i++) {
      before[i] = i > 0 ? v[i - 1] : from_left;
      after[i] = i + 1 < WIDE ? v[i + 1] : from_right;
      if (BORDER) {
        if (i == 0)
          before[i] = x == 0 ? v[i] : before[i];
        after[i] = x + i == image_width - 1 ? v[i] : after[i];
      }
    }
  }

  /* The warps whose last and first row are next to this one's: if there is but
   * one, a row of the border is its own neighbour. */
  static __device__ __forceinline__ int
  warp_above (int y)
  {
    const int warp = (int) threadIdx.x / 32;

    return ROWS == 1 && y == 0 ? warp : max (warp - 1, 0);
  }

  static __device__ __forceinline__ int
  warp_below (const Level & a, int y)
  {
    const int warp = (int) threadIdx.x / 32;

    return ROWS == 1 && y == a.height - 1 ? warp : min (warp + 1, WARPS - 1);
  }

  template < bool BORDER > static __device__ __forceinline__ void
  step (const Level & a, int x, int y, int turn, Row * rows, float *shared)
  {
    const int warp = (int) threadIdx.x / 32;
    Row above, below;
    Products up, here, next;

    put (shared, turn, warp, 0, rows[0]);
    if (ROWS > 1)
      put (shared, turn, warp, 1, rows[ROWS - 1]);
    __syncthreads ();
    get (shared, turn, warp_above (y), 1, &above);
    get (shared, turn, warp_below (a, y), 0, &below);
    multiply (above, &up);
    multiply (rows[0], &here);
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      multiply (j + 1 < ROWS ? rows[j + 1 < ROWS ? j + 1 : 0] : below, &next);
      if (BORDER && ROWS > 1) {
        if (y + j == 0)
          up = here;
        if (y + j == a.height - 1)
          next = here;
      }
      float sum[fields + 1][WIDE];

#pragma unroll
      for (int f = 0; f <= fields; f++) {
        float before[WIDE], after[WIDE];

        if (f < fields) {
          beside < BORDER > (here.v[f], x, a.width, before, after);
          if (f == 0) {
#pragma unroll
            for (int i = 0; i < WIDE; i++) {
              sum[fields][i] = stereo_pyramid_cross (before[i] * before[i],
                  after[i] * after[i], up.v[fields][i], next.v[fields][i],
                  here.v[fields][i]);
            }
          }
#pragma unroll
          for (int i = 0; i < WIDE; i++)
            sum[f][i] = stereo_pyramid_cross (before[i], after[i], up.v[f][i],
                next.v[f][i], here.v[f][i]);
        }
      }
#pragma unroll
      for (int i = 0; i < WIDE; i++) {
        const float r = reciprocal (sum[0][i]);

        rows[j].v[0][i] = sum[fields][i] * r;
#pragma unroll
        for (int f = 1; f < fields; f++)
          rows[j].v[f][i] = sum[f][i] * r;
      }
      up = here;
      here = next;
    }
  }

  /* Sums of three along a row. */
  template < bool BORDER > static __device__ __forceinline__ void
  three (const Level & a, int x, const Row & row, Row * sum)
  {
#pragma unroll
    for (int f = 0; f < fields; f++) {
      float before[WIDE], after[WIDE];

      beside < BORDER > (row.v[f], x, a.width, before, after);
#pragma unroll
      for (int i = 0; i < WIDE; i++)
        sum->v[f][i] = stereo_pyramid_three (before[i], after[i], row.v[f][i]);
    }
  }

  template < bool BORDER > static __device__ __forceinline__ void
  box (const Level & a, int x, int y, int turn, Row * rows, float *shared)
  {
    const int warp = (int) threadIdx.x / 32;
    Row beyond, up, here, next;

    put (shared, turn, warp, 0, rows[0]);
    if (ROWS > 1)
      put (shared, turn, warp, 1, rows[ROWS - 1]);
    __syncthreads ();
    get (shared, turn, warp_above (y), 1, &beyond);
    three < BORDER > (a, x, beyond, &up);
    three < BORDER > (a, x, rows[0], &here);
    get (shared, turn, warp_below (a, y), 0, &beyond);
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      three < BORDER > (a, x, j + 1 < ROWS ? rows[j + 1 < ROWS ? j + 1 : 0]
          : beyond, &next);
      if (BORDER && ROWS > 1) {
        if (y + j == 0)
          up = here;
        if (y + j == a.height - 1)
          next = here;
      }
#pragma unroll
      for (int f = 0; f < fields; f++) {
#pragma unroll
        for (int i = 0; i < WIDE; i++)
          rows[j].v[f][i] = stereo_pyramid_three (up.v[f][i], next.v[f][i],
              here.v[f][i]) * STEREO_PYRAMID_NINTH;
      }
      up = here;
      here = next;
    }
  }

  static __device__ __forceinline__ float *
  plane (const StereoPyramidField & f, int i)
  {
    return i == 0 ? f.confidence : i == 1 ? f.dx : f.dy;
  }

  /* The tile whose first pixel, halo and all, is at x0 and y0. */
  template < bool BORDER > static __device__ __forceinline__ void
  work (const Level & a, int x0, int y0, int halo_x, int halo_y, int n,
      bool last, const StereoPyramidField & from,
      const StereoPyramidField & to, float *shared)
  {
    const int warp = (int) threadIdx.x / 32;
    const int tx = ((int) threadIdx.x & 31) * WIDE, ty = warp * ROWS;
    const int x = x0 + tx, y = y0 + ty;
    Row rows[ROWS];

#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      const size_t line = (size_t) (BORDER
          ? stereo_clamp_int (y + j, 0, a.height - 1) : y + j) * a.stride;

#pragma unroll
      for (int f = 0; f < fields; f++) {
        const float *p = plane (from, f) + line;

        if (BORDER) {
#pragma unroll
          for (int i = 0; i < WIDE; i++)
            rows[j].v[f][i] = load_field (p
                + stereo_clamp_int (x + i, 0, a.width - 1));
        } else if (WIDE == 4) {
          *(float4 *) rows[j].v[f] = __ldcg ((const float4 *) (p + x));
        } else if (WIDE == 2) {
          *(float2 *) rows[j].v[f] = __ldcg ((const float2 *) (p + x));
        } else {
          rows[j].v[f][0] = load_field (p + x);
        }
      }
    }
    steps < BORDER > (a, x, y, n, last, rows, shared);
    store (a, x0, y0, halo_x, halo_y, rows, to);
  }

  template < bool BORDER > static __device__ __forceinline__ void
  steps (const Level & a, int x, int y, int n, bool last, Row * rows,
      float *shared)
  {
#pragma unroll 1
    for (int s = 0; s < n; s++)
      step < BORDER > (a, x, y, s, rows, shared);
    if (last)
      box < BORDER > (a, x, y, n, rows, shared);
  }

  static __device__ __forceinline__ void
  store (const Level & a, int x0, int y0, int halo_x, int halo_y,
      const Row * rows, const StereoPyramidField & to)
  {
    const int tx = ((int) threadIdx.x & 31) * WIDE;
    const int ty = (int) threadIdx.x / 32 * ROWS, x = x0 + tx, y = y0 + ty;

    if (tx < halo_x || tx >= width - halo_x || x >= a.width)
      return;
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      if (ty + j < halo_y || ty + j >= height - halo_y || y + j >= a.height)
        continue;
#pragma unroll
      for (int f = 0; f < fields; f++) {
        float *p = plane (to, f) + (size_t) (y + j) * a.stride + x;

        /* what is beyond the width goes to padding */
        if (WIDE == 4)
          *(float4 *) p = *(const float4 *) rows[j].v[f];
        else if (WIDE == 2)
          *(float2 *) p = *(const float2 *) rows[j].v[f];
        else
          *p = rows[j].v[f][0];
      }
    }
  }

  static __device__ __forceinline__ void
  run (const Level & a, int x0, int y0, int halo_x, int halo_y, int n,
      bool last, const StereoPyramidField & from,
      const StereoPyramidField & to, float *shared)
  {
    if (x0 <= 0 || y0 <= 0 || x0 + width >= a.width
        || y0 + height >= a.height)
      work < true > (a, x0, y0, halo_x, halo_y, n, last, from, to, shared);
    else
      work < false > (a, x0, y0, halo_x, halo_y, n, last, from, to, shared);
  }
};

template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS >
__global__ void __launch_bounds__ (32 * WARPS, BLOCKS)
diffuse_kernel (const __grid_constant__ Level a, int halo_x, int halo_y,
    int n, bool last, const __grid_constant__ StereoPyramidField from,
    const __grid_constant__ StereoPyramidField to)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  extern __shared__ float4 shared[];

  pdl_wait ();
  pdl_launch_dependents ();
  D::run (a, (int) blockIdx.x * (D::width - 2 * halo_x) - halo_x,
      (int) blockIdx.y * (D::height - 2 * halo_y) - halo_y, halo_x, halo_y, n,
      last, from, to, (float *) shared);
}

/* ------------------------------------------- all iterations of small levels */

/* Waits for all blocks: of the only cluster, or of the grid. */
template < bool CLUSTER > __device__ __forceinline__ void
wait_for_blocks ()
{
  if (CLUSTER) {
#if __CUDA_ARCH__ >= 900
    asm volatile ("barrier.cluster.arrive.release.aligned;\n\t"
        "barrier.cluster.wait.acquire.aligned;":::"memory");
#endif
  } else {
    cooperative_groups::this_grid ().sync ();
  }
}

/*
 * All iterations of a level whose tiles have a block each, for as long as it
 * takes.  A tile's pixels, halo and all, stay in registers from the
 * correlation to the mean, so that blocks wait for each other just once in an
 * iteration; an even number of iterations brings the result to where the input
 * was.
 */
template < bool VERTICAL, int WARPS, int ROWS, int P > struct Iterator
{
  typedef Correlator < VERTICAL, 32, WARPS * ROWS, 32 * WARPS, P > C;
  typedef Diffuser < VERTICAL, WARPS, ROWS, 1 > D;
  static constexpr int threads = 32 * WARPS;
  static constexpr int height = WARPS * ROWS;
  static constexpr int bytes = C::bytes + D::bytes;

  static_assert (C::rows == ROWS, "the same pixels in both");

  static dim3 grid (int width, int rows, int halo)
  {
    return dim3 ((unsigned) ((width + 31 - 2 * halo) / (32 - 2 * halo)),
        (unsigned) ((rows + height - 2 * halo - 1) / (height - 2 * halo)));
  }

  static __device__ __forceinline__ void
  run (const Level & a, const StereoPyramidField & from,
      const StereoPyramidField & to, float step, bool first, int x0, int y0,
      const float *own, const typename C::Place * where, float *shared)
  {
    const int x = x0 + (int) threadIdx.x % 32;
    const int ty = (int) threadIdx.x / 32 * ROWS, y = y0 + ty;
    const int halo = a.diffusion + 1;
    float *exchange = shared + C::bytes / 4;
    typename C::Pixels pixels;
    typename D::Row rows[ROWS];

    C::load_pixels (a, from, x, y, &pixels);
    C::fill_right (a, from, where, shared);
    __syncthreads ();
    C::filter (shared);
    C::follow (shared, own, ty, step, first, &pixels);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      rows[i].v[0][0] = pixels.confidence[i];
      rows[i].v[1][0] = pixels.dx[i];
      if (VERTICAL)
        rows[i].v[VERTICAL ? 2 : 1][0] = pixels.dy[i];
    }
    /* borders of columns cost nothing here */
    if (ROWS > 1 && (y0 <= 0 || y0 + height >= a.height))
      D::template steps < true > (a, x, y, a.diffusion, true, rows, exchange);
    else
      D::template steps < false > (a, x, y, a.diffusion, true, rows, exchange);
    D::store (a, x0, y0, halo, halo, rows, to);
  }
};

template < bool VERTICAL, int WARPS, int ROWS, int P, bool CLUSTER >
__global__ void __launch_bounds__ (32 * WARPS)
iterate_kernel (const __grid_constant__ Level a, int iterations,
    float max_step, bool first)
{
  typedef Iterator < VERTICAL, WARPS, ROWS, P > I;
  extern __shared__ float4 shared[];
  const int halo = a.diffusion + 1;
  const int x0 = (int) blockIdx.x * (32 - 2 * halo) - halo;
  const int y0 = (int) blockIdx.y * (I::height - 2 * halo) - halo;
  float own[ROWS];
  typename I::C::Place where[I::C::places];

#pragma unroll
  for (int k = 0; k < I::C::places; k++)
    where[k] = I::C::place (a, x0, y0, k);
  pdl_wait ();
  I::C::fill_left (a, x0, y0, (float *) shared + I::C::right_size);
  __syncthreads ();
  I::C::compute_inverse ((const float *) shared + I::C::right_size, own);
#pragma unroll 1
  for (int m = 0; m < iterations; m++) {
    const float step = stereo_pyramid_step (m, iterations, max_step);

    I::run (a, m % 2 ? a.between : a.before, m % 2 ? a.before : a.between,
        step, first && m == 0, x0, y0, own, where, (float *) shared);
    if (m + 1 < iterations)
      wait_for_blocks < CLUSTER > ();
    if (m + 2 == iterations)
      pdl_launch_dependents ();
  }
}

/* ----------------------------------------------------------------- the rest */

const int block_width = 32;
const int block_height = 8;

__device__ __forceinline__ bool
own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

__global__ void
start_kernel (const StereoView left, const StereoView right, int channels,
    int width, int height, int stride, uint32_t * left_words,
    uint32_t * right_words)
{
  int x, y;

  pdl_launch_dependents ();
  if (!own_pixel (width, height, &x, &y))
    return;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const StereoView & view = i ? right : left;
    const uint8_t *row = view.plane[0] + (size_t) y * view.stride;
    uint32_t v = channels == 3 ? ((const uint32_t *) row)[x]
        : row[x] * 0x010101u;

    (i ? right_words : left_words)[y * stride + x] =
        stereo_pyramid_word (v & 255u, v >> 8 & 255u, v >> 16 & 255u);
  }
}

/* A block makes downsample_width x downsample_height pixels of the next level;
 * as the sizes of levels are to each other, these need no more than
 * downsample_rows. */
const int downsample_width = 32;
const int downsample_height = 16;
const int downsample_rows = 32;
const int downsample_threads = 256;

__global__ void __launch_bounds__ (downsample_threads)
downsample_kernel (const StereoPyramidLevel fine,
    const StereoPyramidLevel coarse)
{
  const int lines = downsample_threads / downsample_width;
  const int turns = downsample_rows / lines;
  __shared__ uint32_t sums[3][downsample_rows][downsample_width];
  const uint32_t *source = blockIdx.z ? fine.right : fine.left;
  uint32_t *target = blockIdx.z ? coarse.right : coarse.left;
  const int tx = (int) threadIdx.x % downsample_width;
  const int ty = (int) threadIdx.x / downsample_width;
  const int x = (int) blockIdx.x * downsample_width + tx;
  const int y0 = (int) blockIdx.y * downsample_height;
  const int y1 = min (y0 + downsample_height, coarse.height) - 1;
  const int first = (stereo_pyramid_position (y0, fine.downsample_y,
          fine.height) >> 6) - 2;
  const int last = (stereo_pyramid_position (y1, fine.downsample_y,
          fine.height) >> 6) + 3;
  const int px = stereo_pyramid_position (x, fine.downsample_x, fine.width);
  uint32_t weight[6], word[turns][6];
  int column[6];

  pdl_wait ();
  pdl_launch_dependents ();
#pragma unroll
  for (int i = 0; i < 6; i++) {
    weight[i] = stereo_pyramid_tap (i, (uint32_t) px & 63u);
    column[i] = stereo_clamp_int ((px >> 6) - 2 + i, 0, fine.width - 1);
  }
  /* all loads first; threads without a row repeat the last one */
#pragma unroll
  for (int k = 0; k < turns; k++) {
    const uint32_t *row = source
        + (size_t) stereo_clamp_int (first + min (ty + k * lines,
            last - first), 0, fine.height - 1) * fine.stride;

#pragma unroll
    for (int i = 0; i < 6; i++)
      word[k][i] = row[column[i]];
  }
#pragma unroll
  for (int k = 0; k < turns; k++) {
    const int j = ty + k * lines;
    uint32_t r = 0, g = 0, b = 0;

#pragma unroll
    for (int i = 0; i < 6; i++) {
      r += weight[i] * stereo_pyramid_r (word[k][i]);
      g += weight[i] * stereo_pyramid_g (word[k][i]);
      b += weight[i] * stereo_pyramid_b (word[k][i]);
    }
    if (j <= last - first) {
      sums[0][j][tx] = r;
      sums[1][j][tx] = g;
      sums[2][j][tx] = b;
    }
  }
  __syncthreads ();
  if (x >= coarse.width)
    return;
  for (int y = y0 + ty; y <= y1; y += lines) {
    const int py = stereo_pyramid_position (y, fine.downsample_y, fine.height);
    const int from = (py >> 6) - 2 - first;
    uint32_t sum[3] = { 0, 0, 0 };

#pragma unroll
    for (int j = 0; j < 6; j++) {
      const uint32_t w = stereo_pyramid_tap (j, (uint32_t) py & 63u);

#pragma unroll
      for (int c = 0; c < 3; c++)
        sum[c] += w * sums[c][from + j][tx];
    }
    target[(size_t) y * coarse.stride + x] =
        stereo_pyramid_pack (stereo_pyramid_smaller (sum[0]),
        stereo_pyramid_smaller (sum[1]), stereo_pyramid_smaller (sum[2]));
  }
}

__global__ void
clear_kernel (int width, int height, int stride, float start,
    const StereoPyramidField field)
{
  int x, y;

  pdl_wait ();
  pdl_launch_dependents ();
  if (!own_pixel (width, height, &x, &y))
    return;
  field.dx[y * stride + x] = start;
  if (field.dy != NULL)
    field.dy[y * stride + x] = 0.0f;
  field.confidence[y * stride + x] = 0.0f;
}

const int prepare_width = 32;
const int prepare_height = 32;
const int prepare_threads = 256;

__global__ void __launch_bounds__ (prepare_threads)
prepare_kernel (const __grid_constant__ Level a)
{
  __shared__ float square[prepare_height + 4][prepare_width + 4];
  __shared__ float row[prepare_height + 4][prepare_width];
  const int x0 = (int) blockIdx.x * prepare_width;
  const int y0 = (int) blockIdx.y * prepare_height;

  pdl_wait ();
  pdl_launch_dependents ();
  for (int i = (int) threadIdx.x; i < (prepare_width + 4)
      * (prepare_height + 4); i += prepare_threads) {
    const int x = i % (prepare_width + 4), y = i / (prepare_width + 4);
    const Fields f =
        fields (a.left[stereo_clamp_int (y0 - 2 + y, 0, a.height - 1)
            * a.stride + stereo_clamp_int (x0 - 2 + x, 0, a.width - 1)]);

    square[y][x] = __fmaf_rn (f.v[2], f.v[2], __fmaf_rn (f.v[1], f.v[1],
            f.v[0] * f.v[0]));
  }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < prepare_width * (prepare_height + 4);
      i += prepare_threads) {
    const int x = i % prepare_width, y = i / prepare_width;

    row[y][x] = five (square[y][x], square[y][x + 1], square[y][x + 2],
        square[y][x + 3], square[y][x + 4]);
  }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < prepare_width * prepare_height;
      i += prepare_threads) {
    const int x = i % prepare_width, y = i / prepare_width;

    if (x0 + x < a.width && y0 + y < a.height)
      a.inverse[(y0 + y) * a.stride + x0 + x] =
          reciprocal (fmaxf (five (row[y][x], row[y + 1][x], row[y + 2][x],
                  row[y + 3][x], row[y + 4][x]), 1.0f));
  }
}

__device__ __forceinline__ float
upsample_plane (const float *plane, int at, int right, int down, float ax,
    float ay)
{
  return stereo_pyramid_lerp (plane[at], plane[at + right], plane[at + down],
      plane[at + down + right], ax, ay);
}

__global__ void
upsample_kernel (const StereoPyramidLevel coarse, const StereoPyramidLevel fine,
    const StereoPyramidField from, const StereoPyramidField to)
{
  int x, y;

  pdl_wait ();
  pdl_launch_dependents ();
  if (!own_pixel (fine.width, fine.height, &x, &y))
    return;

  const int px = stereo_pyramid_position (x, fine.upsample_x, coarse.width);
  const int py = stereo_pyramid_position (y, fine.upsample_y, coarse.height);
  const int source = (py >> 6) * (int) coarse.stride + (px >> 6);
  const int target = y * (int) fine.stride + x;
  const int right = (px >> 6) + 1 < coarse.width ? 1 : 0;
  const int down = (py >> 6) + 1 < coarse.height ? (int) coarse.stride : 0;
  const float ax = fraction (px), ay = fraction (py);

  to.dx[target] = upsample_plane (from.dx, source, right, down, ax, ay)
      * fine.scale_x;
  if (to.dy != NULL)
    to.dy[target] = upsample_plane (from.dy, source, right, down, ax, ay)
        * fine.scale_y;
  to.confidence[target] = upsample_plane (from.confidence, source, right, down,
      ax, ay);
}

__global__ void
check_kernel (int width, int height, int stride, float max_diff,
    const StereoPyramidField back, const StereoPyramidField field)
{
  int x, y;

  pdl_wait ();
  if (!own_pixel (width, height, &x, &y))
    return;

  const int at = y * stride + x;
  const bool vertical = field.dy != NULL;
  const float dx = field.dx[at], dy = vertical ? field.dy[at] : 0.0f;
  bool valid = stereo_pyramid_inside (x, dx, width)
      && stereo_pyramid_inside (y, dy, height);

  if (valid) {
    const int there = stereo_pyramid_nearest (y, dy, height) * stride
        + stereo_pyramid_nearest (x, dx, width);

    valid = stereo_pyramid_agrees (dx, back.dx[there], max_diff)
        && (!vertical || stereo_pyramid_agrees (dy, back.dy[there], max_diff));
  }
  if (!valid)
    field.confidence[at] = 0.0f;
}

/* The first pixel from x on that has a confidence, -1 if there is none. */
__device__ int
next_valid (const float *confidence, int x, int width)
{
  for (; x < width; x += 32) {
    const int own = x + (int) threadIdx.x;
    const unsigned valid = __ballot_sync (~0u, own < width
        && confidence[own] > 0.0f);

    if (valid != 0)
      return x + __ffs ((int) valid) - 1;
  }
  return -1;
}

const int fill_rows = 4;

/* A warp fills a row, from pixels that no warp changes. */
__global__ void __launch_bounds__ (32 * fill_rows)
fill_kernel (int width, int height, int stride,
    const StereoPyramidField field)
{
  const int y = (int) (blockIdx.x * fill_rows + threadIdx.y);
  const int lane = (int) threadIdx.x;

  pdl_wait ();
  if (y >= height)
    return;

  const size_t row = (size_t) y * stride;
  const float *confidence = field.confidence + row;
  float *dx = field.dx + row;
  float *dy = field.dy != NULL ? field.dy + row : NULL;
  int before = -1, beyond = 0;

  for (int begin = 0; begin < width; begin += 32) {
    const int x = begin + lane;
    const unsigned valid = __ballot_sync (~0u, x < width
        && confidence[x] > 0.0f);
    const unsigned lower = valid & ((1u << lane) - 1);
    const unsigned upper = valid & ~((2u << lane) - 1);

    /* one look ahead serves all columns up to what it finds */
    if (beyond >= 0 && beyond < begin + 32)
      beyond = next_valid (confidence, begin + 32, width);
    if (x < width && (valid >> lane & 1) == 0) {
      const int from = stereo_pyramid_filler (dx,
          lower != 0 ? begin + 31 - __clz ((int) lower) : before,
          upper != 0 ? begin + __ffs ((int) upper) - 1 : beyond);

      if (from >= 0) {
        dx[x] = dx[from];
        if (dy != NULL)
          dy[x] = dy[from];
      }
    }
    if (valid != 0)
      before = begin + 31 - __clz ((int) valid);
  }
}

struct Outputs
{
  StereoOutput output[STEREO_N_RESULTS];
  bool wanted[STEREO_N_RESULTS];
};

__device__ __forceinline__ void
store (const StereoOutput & output, int x, int y, bool valid, float value)
{
  if (valid)
    stereo_store_value (&output, x, y, value);
  else
    stereo_store_raw (&output, x, y, (uint16_t) output.invalid);
}

__global__ void
finish_kernel (int width, int height, int stride,
    const StereoPyramidField field, bool fill, const Outputs out)
{
  int x, y;

  pdl_wait ();
  if (!own_pixel (width, height, &x, &y))
    return;

  const int at = y * stride + x;
  const bool valid = fill || field.confidence[at] > 0.0f;

  if (out.wanted[STEREO_RESULT_DISPARITY])
    store (out.output[STEREO_RESULT_DISPARITY], x, y, valid, -field.dx[at]);
  if (out.wanted[STEREO_RESULT_VERTICAL])
    store (out.output[STEREO_RESULT_VERTICAL], x, y, valid,
        field.dy != NULL ? -field.dy[at] : 0.0f);
  if (out.wanted[STEREO_RESULT_CONFIDENCE])
    stereo_store_value (&out.output[STEREO_RESULT_CONFIDENCE], x, y,
        field.confidence[at]);
}

/* ------------------------------------------------------------------- stages */

dim3
grid_for (int width, int height, int tile_width, int tile_height)
{
  return dim3 ((unsigned) ((width + tile_width - 1) / tile_width),
      (unsigned) ((height + tile_height - 1) / tile_height));
}

dim3
pixel_grid (const StereoPyramidLevel * level)
{
  return grid_for (level->width, level->height, block_width, block_height);
}

const dim3 pixel_block (block_width, block_height);

enum Blocks
{
  BLOCKS_ALONE,
  BLOCKS_CLUSTER,               /* all in one */
  BLOCKS_TOGETHER               /* all at the same time */
};

/* Launches a kernel that calls pdl_wait ().  Without a look at the result, an
 * error is found where launches are checked. */
template < typename... Parameters, typename... Arguments > cudaError_t
launch (StereoQueue * queue, dim3 grid, dim3 block, int shared_bytes,
    Blocks blocks, void (*kernel) (Parameters...),
    const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute[2];
  unsigned n = 0;

  memset ((void *) attribute, 0, sizeof (attribute));
  if (blocks == BLOCKS_TOGETHER) {
    attribute[n].id = cudaLaunchAttributeCooperative;
    attribute[n++].val.cooperative = 1;
  } else if (q->capability >= 90) {
    attribute[n].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[n++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (blocks == BLOCKS_CLUSTER) {
    attribute[n].id = cudaLaunchAttributeClusterDimension;
    attribute[n].val.clusterDim.x = grid.x;
    attribute[n].val.clusterDim.y = grid.y;
    attribute[n++].val.clusterDim.z = 1;
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = (size_t) shared_bytes;
  config.stream = q->compute;
  config.attrs = attribute;
  config.numAttrs = n;
  if (shared_bytes > 48 << 10)
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  return cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...);
}

Level
level_args (const StereoPyramidLevel * level, float *inverse)
{
  Level a;

  memset ((void *) &a, 0, sizeof (a));
  a.width = level->width;
  a.height = level->height;
  a.stride = (int) level->stride;
  a.diffusion = level->diffusion;
  a.left = level->left;
  a.right = level->right;
  a.inverse = inverse;
  return a;
}

StereoStatus
start (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoPyramidLevel * level)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  start_kernel <<< pixel_grid (level), pixel_block, 0, stage.stream () >>>
      (*left, *right, k->channels, level->width, level->height,
      (int) level->stride, level->left, level->right);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's start_kernel");
}

StereoStatus
downsample (StereoQueue * queue, const StereoPyramidConstants *,
    const StereoPyramidLevel * fine, const StereoPyramidLevel * coarse)
{
  StereoCudaStage stage (queue);
  dim3 grid = grid_for (coarse->width, coarse->height, downsample_width,
      downsample_height);

  if (!stage.entered ())
    return stage.status ();
  grid.z = 2;
  launch (queue, grid, dim3 (downsample_threads), 0, BLOCKS_ALONE,
      downsample_kernel, *fine, *coarse);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's downsample_kernel");
}

StereoStatus
clear (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch (queue, pixel_grid (level), pixel_block, 0, BLOCKS_ALONE, clear_kernel,
      level->width, level->height, (int) level->stride, k->start, *field);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's clear_kernel");
}

StereoStatus
prepare (StereoQueue * queue, const StereoPyramidConstants *,
    const StereoPyramidLevel * level, float *inverse)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch (queue, grid_for (level->width, level->height, prepare_width,
          prepare_height), dim3 (prepare_threads), 0, BLOCKS_ALONE,
      prepare_kernel, level_args (level, inverse));
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's prepare_kernel");
}

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P,
    int BLOCKS > void
launch_correlate (StereoQueue * queue, const Level & a, float step, bool first)
{
  launch (queue, grid_for (a.width, a.height, WIDTH, HEIGHT), dim3 (THREADS),
      Correlator < VERTICAL, WIDTH, HEIGHT, THREADS, P >::bytes,
      BLOCKS_ALONE,
      correlate_kernel < VERTICAL, WIDTH, HEIGHT, THREADS, P, BLOCKS >, a,
      step, first);
}

template < bool VERTICAL > void
choose_correlate (StereoQueue * queue, const Level & a, float step,
    bool first)
{
  const dim3 grid = grid_for (a.width, a.height, 32, 30);
  const int tiles = (int) (grid.x * grid.y)
      / ((const StereoCudaQueue *) queue)->multiprocessors;

  /* large tiles have less of a border, small ones are spread better */
  if (tiles >= 7)
    launch_correlate < VERTICAL, 32, 30, 288, 4, 3 > (queue, a, step, first);
  else if (tiles >= 1)
    launch_correlate < VERTICAL, 32, 16, 256, 4, 4 > (queue, a, step, first);
  else
    launch_correlate < VERTICAL, 16, 16, 256, 2, 3 > (queue, a, step, first);
}

StereoStatus
correlate (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const float *inverse, float step,
    bool first, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  StereoCudaStage stage (queue);
  Level a = level_args (level, (float *) inverse);

  if (!stage.entered ())
    return stage.status ();
  a.before = *from;
  a.between = *to;
  if (k->vertical)
    choose_correlate < true > (queue, a, step, first);
  else
    choose_correlate < false > (queue, a, step, first);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's correlate_kernel");
}

int
round_up (int value, int multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS > void
launch_diffuse (StereoQueue * queue, const Level & a, int n, bool last,
    const StereoPyramidField & from, const StereoPyramidField & to)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  const int halo_y = n + (last ? 1 : 0), halo_x = round_up (halo_y, WIDE);

  launch (queue, grid_for (a.width, a.height, D::width - 2 * halo_x,
          D::height - 2 * halo_y), dim3 (32 * WARPS), D::bytes, BLOCKS_ALONE,
      diffuse_kernel < VERTICAL, WARPS, ROWS, WIDE, BLOCKS >, a, halo_x,
      halo_y, n, last, from, to);
}

/* Steps that one kernel does. */
const int most_steps = 10;

/* Time that a diffusion with such tiles takes, in a unit of its own.  The
 * tallest take a third longer than they should. */
template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS > int
diffuse_cost (StereoQueue * queue, const Level & a, int halo)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  const int halo_x = round_up (halo, WIDE);
  const int slots = ((const StereoCudaQueue *) queue)->multiprocessors * BLOCKS;

  if (D::bytes > stereo_cuda_shared_limit (queue->device)
      || D::width <= 2 * halo_x || D::height <= 2 * halo)
    return 1 << 30;

  const dim3 grid = grid_for (a.width, a.height, D::width - 2 * halo_x,
      D::height - 2 * halo);

  return ((int) (grid.x * grid.y) + slots - 1) / slots * BLOCKS * D::width
      * (ROWS > 8 ? D::height * 4 / 3 : D::height);
}

template < bool VERTICAL > void
choose_diffuse (StereoQueue * queue, const Level & a, int n, bool last,
    const StereoPyramidField & from, const StereoPyramidField & to)
{
  const int halo = n + (last ? 1 : 0);
  const int cost[5] = {
    diffuse_cost < VERTICAL, 16, 2, 2, 2 > (queue, a, halo),
    diffuse_cost < VERTICAL, 16, 4, 2, 1 > (queue, a, halo),
    diffuse_cost < VERTICAL, 8, 4, 4, 2 > (queue, a, halo),
    diffuse_cost < VERTICAL, 12, 8, 4, 1 > (queue, a, halo),
    diffuse_cost < VERTICAL, 12, 9, 4, 1 > (queue, a, halo)
  };
  int best = 0;

  for (int i = 1; i < 5; i++) {
    if (cost[i] < cost[best])
      best = i;
  }
  switch (best) {
    case 0:
      launch_diffuse < VERTICAL, 16, 2, 2, 2 > (queue, a, n, last, from, to);
      break;
    case 1:
      launch_diffuse < VERTICAL, 16, 4, 2, 1 > (queue, a, n, last, from, to);
      break;
    case 2:
      launch_diffuse < VERTICAL, 8, 4, 4, 2 > (queue, a, n, last, from, to);
      break;
    case 3:
      launch_diffuse < VERTICAL, 12, 8, 4, 1 > (queue, a, n, last, from, to);
      break;
    default:
      launch_diffuse < VERTICAL, 12, 9, 4, 1 > (queue, a, n, last, from, to);
      break;
  }
}

StereoStatus
diffuse (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  StereoCudaStage stage (queue);
  const Level a = level_args (level, NULL);
  /* an odd number of kernels: the last one writes to `to` */
  const int kernels = (level->diffusion + most_steps - 1) / most_steps
      / 2 * 2 + 1;
  int left = level->diffusion;

  if (!stage.entered ())
    return stage.status ();
  for (int i = 0; i < kernels; i++) {
    const int n = left / (kernels - i);
    const StereoPyramidField & source = i % 2 ? *to : *from;
    const StereoPyramidField & target = i % 2 ? *from : *to;

    if (k->vertical)
      choose_diffuse < true > (queue, a, n, i == kernels - 1, source, target);
    else
      choose_diffuse < false > (queue, a, n, i == kernels - 1, source,
          target);
    left -= n;
  }
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's diffuse_kernel");
}

StereoStatus
upsample (StereoQueue * queue, const StereoPyramidConstants *,
    const StereoPyramidLevel * coarse, const StereoPyramidLevel * fine,
    const StereoPyramidField * from, const StereoPyramidField * to)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch (queue, pixel_grid (fine), pixel_block, 0, BLOCKS_ALONE,
      upsample_kernel, *coarse, *fine, *from, *to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's upsample_kernel");
}

StereoStatus
check (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * back,
    const StereoPyramidField * field)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch (queue, pixel_grid (level), pixel_block, 0, BLOCKS_ALONE,
      check_kernel, level->width, level->height, (int) level->stride,
      k->max_diff, *back, *field);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's check_kernel");
}

StereoStatus
fill (StereoQueue * queue, const StereoPyramidConstants *,
    const StereoPyramidLevel * level, const StereoPyramidField * field)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch (queue, grid_for (1, level->height, 1, fill_rows).y,
      dim3 (32, fill_rows), 0, BLOCKS_ALONE, fill_kernel, level->width,
      level->height, (int) level->stride, *field);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's fill_kernel");
}

StereoStatus
finish (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field,
    const StereoOutput * const *results)
{
  StereoCudaStage stage (queue);
  Outputs out;

  memset ((void *) &out, 0, sizeof (out));
  for (int i = 0; i < STEREO_N_RESULTS; i++) {
    out.wanted[i] = results[i] != NULL;
    if (out.wanted[i])
      out.output[i] = *results[i];
  }
  if (!stage.entered ())
    return stage.status ();
  launch (queue, pixel_grid (level), pixel_block, 0, BLOCKS_ALONE,
      finish_kernel, level->width, level->height, (int) level->stride, *field,
      k->fill, out);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's finish_kernel");
}

template < bool VERTICAL, int WARPS, int ROWS, int P > bool
try_iterate (StereoQueue * queue, const Level & a, int iterations,
    float max_step, bool first)
{
  typedef Iterator < VERTICAL, WARPS, ROWS, P > I;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int halo = a.diffusion + 1;

  if (2 * halo >= 32 || 2 * halo >= I::height
      || I::bytes > stereo_cuda_shared_limit (queue->device))
    return false;

  const dim3 grid = I::grid (a.width, a.height, halo);
  const unsigned blocks = grid.x * grid.y;

  if (blocks <= 16 && q->capability >= 90
      && launch (queue, grid, dim3 (I::threads), I::bytes, BLOCKS_CLUSTER,
          iterate_kernel < VERTICAL, WARPS, ROWS, P, true >, a, iterations,
          max_step, first) == cudaSuccess)
    return true;
  if ((int) blocks <= q->multiprocessors
      && launch (queue, grid, dim3 (I::threads), I::bytes, BLOCKS_TOGETHER,
          iterate_kernel < VERTICAL, WARPS, ROWS, P, false >, a, iterations,
          max_step, first) == cudaSuccess)
    return true;
  /* a part of a GPU may have no place for so many blocks at once */
  (void) cudaGetLastError ();
  return false;
}

/* Whether the level is so small that its iterations are on their way. */
template < bool VERTICAL > bool
iterate_small (StereoQueue * queue, const Level & a, int iterations,
    float max_step, bool first)
{
  return iterations % 2 == 0 && a.diffusion <= 6
      && (try_iterate < VERTICAL, 16, 1, 2 > (queue, a, iterations, max_step,
          first) || try_iterate < VERTICAL, 12, 2, 4 > (queue, a, iterations,
          max_step, first) || try_iterate < VERTICAL, 16, 2, 4 > (queue, a,
          iterations, max_step, first));
}

StereoStatus
iterate (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, float *inverse, bool first,
    const StereoPyramidField * field, const StereoPyramidField * other)
{
  StereoCudaStage stage (queue);
  Level a = level_args (level, inverse);
  StereoStatus status;

  if (!stage.entered ())
    return stage.status ();
  a.before = *field;
  a.between = *other;
  if (k->vertical ? iterate_small < true > (queue, a, level->iterations,
          k->max_step, first) : iterate_small < false > (queue, a,
          level->iterations, k->max_step, first))
    return STEREO_CUDA_LAUNCHED (stage, "pyramid's iterate_kernel");
  status = prepare (queue, k, level, inverse);
  for (int m = 0; m < level->iterations && status == STEREO_OK; m++) {
    status = correlate (queue, k, level, inverse,
        stereo_pyramid_step (m, level->iterations, k->max_step),
        first && m == 0, field, other);
    if (status == STEREO_OK)
      status = diffuse (queue, k, level, other, field);
  }
  return status;
}

}                               // namespace

extern "C" const void *stereo_pyramid_stages_cuda (void);

extern "C" const void *
stereo_pyramid_stages_cuda (void)
{
  static const StereoPyramidStages stages = {
    .start = start,
    .downsample = downsample,
    .clear = clear,
    .prepare = prepare,
    .correlate = correlate,
    .diffuse = diffuse,
    .upsample = upsample,
    .check = check,
    .fill = fill,
    .finish = finish,
    .iterate = iterate,
  };

  return &stages;
}
