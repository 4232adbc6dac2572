/* gst-stereomatching: diffusion in a tile of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * WARPS warps keep ROWS rows each of a tile 32 * WIDE pixels wide in registers,
 * WIDE neighbours per thread.  Neighbouring columns come from shuffles, rows of
 * other warps from shared memory.  Each step and the mean invalidate one more
 * pixel on all sides; `halo` covers them.
 */

#ifndef STEREO_PYRAMID_DIFFUSE_CUH
#define STEREO_PYRAMID_DIFFUSE_CUH

#include "match/pyramid/pyramid.cuh"

namespace
{

/* The first pixel of a tile, including the halo, and the size of the halo. */
struct DiffuseTile
{
  int x0;
  int y0;
  int halo_x;
  int halo_y;
};

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

  /* Rows of a warp that others read: the first and the last one. */
  static __device__ __forceinline__ float *
  slot (float *shared, int turn, int warp, int which, int field)
  {
    return shared + ((((turn & 1) * WARPS + warp) * kept
            + (ROWS > 1 ? which : 0)) * fields
        + field) * width + (threadIdx.x & 31) * WIDE;
  }

  /* Stores the rows of this warp. */
  static __device__ __forceinline__ void
  put (float *shared, int turn, const Row * rows)
  {
    const int warp = (int) threadIdx.x / 32;

#pragma unroll
    for (int which = 0; which < kept; which++) {
#pragma unroll
      for (int f = 0; f < fields; f++)
        copy < WIDE > (rows[which * (ROWS - 1)].v[f],
            slot (shared, turn, warp, which, f));
    }
  }

  static __device__ __forceinline__ void
  get (float *shared, int turn, int warp, int which, Row * row)
  {
#pragma unroll
    for (int f = 0; f < fields; f++)
      copy < WIDE > (slot (shared, turn, warp, which, f), row->v[f]);
  }

  /* Summands of a row: confidence, its square, and its products with dx and
   * dy. */
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

  /* Values of the columns before and after those of the thread. */
  template < bool BORDER > static __device__ __forceinline__ void
  neighbors (const float *v, int x, int image_width, float *before,
  float *after) {
    const int lane = (int) threadIdx.x & 31;

    if (WIDE == 1) {
      /* the border is free: the first pixel is its own neighbour */
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

  /* The warps with the adjacent rows above and below.  With one row per warp a
   * border row is its own neighbour. */
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
    Row above, below;
    Products up, here, next;

    put (shared, turn, rows);
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
          neighbors < BORDER > (here.v[f], x, a.width, before, after);
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

      neighbors < BORDER > (row.v[f], x, a.width, before, after);
#pragma unroll
      for (int i = 0; i < WIDE; i++)
        sum->v[f][i] = stereo_pyramid_three (before[i], after[i], row.v[f][i]);
    }
  }

  template < bool BORDER > static __device__ __forceinline__ void
  box (const Level & a, int x, int y, int turn, Row * rows, float *shared)
  {
    Row beyond, up, here, next;

    put (shared, turn, rows);
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

  /* n steps, and the mean if last is set. */
  template < bool BORDER > static __device__ __forceinline__ void
  diffuse (const Level & a, const DiffuseTile & tile, int n, bool last,
      const StereoPyramidField & from, const StereoPyramidField & to,
      float *shared)
  {
    const int warp = (int) threadIdx.x / 32;
    const int tx = ((int) threadIdx.x & 31) * WIDE, ty = warp * ROWS;
    const int x = tile.x0 + tx, y = tile.y0 + ty;
    Row rows[ROWS];

#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      const size_t line = stereo_plane_offset (0, BORDER
          ? stereo_clamp_int (y + j, 0, a.height - 1) : y + j, a.stride);

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
    store (a, tile, rows, to);
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
  store (const Level & a, const DiffuseTile & tile, const Row * rows,
      const StereoPyramidField & to)
  {
    const int tx = ((int) threadIdx.x & 31) * WIDE;
    const int ty = (int) threadIdx.x / 32 * ROWS;
    const int x = tile.x0 + tx, y = tile.y0 + ty;

    if (tx < tile.halo_x || tx >= width - tile.halo_x || x >= a.width)
      return;
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      if (ty + j < tile.halo_y || ty + j >= height - tile.halo_y
          || y + j >= a.height)
        continue;
#pragma unroll
      for (int f = 0; f < fields; f++) {
        float *p = plane (to, f) + stereo_plane_offset (x, y + j, a.stride);

        /* pixels beyond the width go to the padding */
        copy < WIDE > (rows[j].v[f], p);
      }
    }
  }

  static __device__ __forceinline__ void
  run (const Level & a, const DiffuseTile & tile, int n, bool last,
      const StereoPyramidField & from, const StereoPyramidField & to,
      float *shared)
  {
    if (tile.x0 <= 0 || tile.y0 <= 0 || tile.x0 + width >= a.width
        || tile.y0 + height >= a.height)
      diffuse < true > (a, tile, n, last, from, to, shared);
    else
      diffuse < false > (a, tile, n, last, from, to, shared);
  }
};

}                               // namespace

#endif /* STEREO_PYRAMID_DIFFUSE_CUH */
