/* gst-stereomatching: refinement of a match by a warp, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Each lane has every 32nd pixel of a patch.  Sums are integers, so their order
 * does not matter; all lanes then solve the same equations. */

#ifndef STEREO_ROWS_WARP_CUH
#define STEREO_ROWS_WARP_CUH

#include "geometry/rows-formula.h"

#include "core/launch.cuh"

#define WARP 32
#define ALL_LANES 0xffffffffu

/* Pixels of a patch per lane. */
#define LANE_PIXELS ((STEREO_PATCH_PIXELS + WARP - 1) / WARP)

namespace
{

template < typename Number > __device__ Number
sum_lanes (Number value)
{
#pragma unroll
  for (int o = WARP / 2; o > 0; o /= 2)
    value += __shfl_xor_sync (ALL_LANES, value, o);
  return value;
}

/* Pixels of the left patch of a lane, and central differences. */
struct LeftPixels
{
  int l[LANE_PIXELS], x[LANE_PIXELS], y[LANE_PIXELS];
};

__device__ void
read_left (const StereoRowsImage & image, int x, int y, LeftPixels * left)
{
  const int lane = threadIdx.x % WARP;

#pragma unroll
  for (int i = 0; i < LANE_PIXELS; i++) {
    const int k = lane + WARP * i;
    const uint8_t *p = image.pixels + (size_t) (y - STEREO_PATCH_RADIUS
        + k / STEREO_PATCH_SIZE) * image.stride + x - STEREO_PATCH_RADIUS
        + k % STEREO_PATCH_SIZE;
    const bool is = k < STEREO_PATCH_PIXELS;

    left->l[i] = is ? p[0] : 0;
    left->x[i] = is ? p[1] - p[-1] : 0;
    left->y[i] = is ? p[image.stride] - *(p - image.stride) : 0;
  }
}

__device__ StereoPatchSums
sum_left (const LeftPixels & left)
{
  StereoPatchSums s = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };

#pragma unroll
  for (int i = 0; i < LANE_PIXELS; i++) {
    const int l = left.l[i], x = left.x[i], y = left.y[i];

    s.l += l;
    s.x += x;
    s.y += y;
    s.xx += x * x;
    s.xy += x * y;
    s.yy += y * y;
    s.xl += x * l;
    s.yl += y * l;
    s.ll += l * l;
  }
  s.l = sum_lanes (s.l);
  s.x = sum_lanes (s.x);
  s.y = sum_lanes (s.y);
  s.xx = sum_lanes (s.xx);
  s.xy = sum_lanes (s.xy);
  s.yy = sum_lanes (s.yy);
  s.xl = sum_lanes (s.xl);
  s.yl = sum_lanes (s.yl);
  s.ll = sum_lanes (s.ll);
  return s;
}

__device__ StereoPatchRight
sum_right (const StereoRowsImage & image, const StereoPatchPlace & at,
    const LeftPixels & left)
{
  const int lane = threadIdx.x % WARP;
  StereoPatchRight s = { 0, 0, 0, 0, 0 };
  int32_t squares = 0;          /* six pixels of at most 4080^2 */

#pragma unroll
  for (int i = 0; i < LANE_PIXELS; i++) {
    const int k = lane + WARP * i;
    int v = 0;

    if (k < STEREO_PATCH_PIXELS)
      v = stereo_patch_pixel (&at, image.pixels + (size_t) (at.y
              + k / STEREO_PATCH_SIZE) * image.stride + at.x
          + k % STEREO_PATCH_SIZE, image.stride);
    s.r += v;
    s.xr += left.x[i] * v;
    s.yr += left.y[i] * v;
    s.lr += left.l[i] * v;
    squares += v * v;
  }
  s.r = sum_lanes (s.r);
  s.xr = sum_lanes (s.xr);
  s.yr = sum_lanes (s.yr);
  s.lr = sum_lanes (s.lr);
  s.rr = sum_lanes ((long long) squares);
  return s;
}

/* As refine_level() of the CPU. */
__device__ bool
refine_level (const StereoRowsFrame & f, int level, int x, int y,
    StereoRowMatch * m)
{
  const StereoRowsImage & left = f.pyramid[STEREO_LEFT][level];
  const StereoRowsImage & right = f.pyramid[STEREO_RIGHT][level];
  StereoPatchInverse inverse;
  LeftPixels pixels;
  bool done = false;

  if (!stereo_patch_inside (&left, x, y, STEREO_PATCH_RADIUS))
    return false;
  read_left (left, x, y, &pixels);
  const StereoPatchSums sums = sum_left (pixels);

  if (!stereo_patch_invert (&sums, &inverse))
    return false;
  for (int step = 0;; step++) {
    StereoPatchPlace place;
    int step_x = 0, step_y = 0;

    if (!stereo_patch_place (&right, x, y, m->dx, m->dy, &place))
      return false;
    const StereoPatchRight r = sum_right (right, place, pixels);

    if (done || step == STEREO_PATCH_STEPS) {
      stereo_patch_quality (&sums, &r, &inverse, &m->correlation,
          &m->variance);
      return true;
    }
    if (!stereo_patch_step (&sums, &r, &inverse, &step_x, &step_y))
      return false;
    m->dx += step_x;
    m->dy += step_y;
    done = step_x >= -1 && step_x <= 1 && step_y >= -1 && step_y <= 1;
  }
}

__device__ void
sum_photo (const StereoRowsImage & image, int x, int y, int view,
    StereoRowMatch * m)
{
  const int n = 2 * STEREO_PHOTO_RADIUS + 1;
  int sum = 0, squares = 0, first = 0, second = 0;

  for (int i = threadIdx.x % WARP; i < n * n; i += WARP) {
    const uint8_t *p = image.pixels + (size_t) (y - STEREO_PHOTO_RADIUS
        + i / n) * image.stride + x - STEREO_PHOTO_RADIUS + i % n;
    const int c = p[0], after = p[1], before = p[-1];
    const int below = p[image.stride], above = *(p - image.stride);
    const int across = after - 2 * c + before, along = below - 2 * c + above;

    sum += c;
    squares += c * c;
    first += (after - c) * (after - c) + (below - c) * (below - c);
    second += across * across + along * along;
  }
  m->sum[view] = sum_lanes (sum);
  m->squares[view] = sum_lanes (squares);
  m->first[view] = sum_lanes (first);
  m->second[view] = sum_lanes (second);
}

__device__ void
measure_photo (const StereoRowsFrame & f, StereoRowMatch * m)
{
  const StereoRowsImage & left = f.pyramid[STEREO_LEFT][0];
  const StereoRowsImage & right = f.pyramid[STEREO_RIGHT][0];
  const int x = stereo_match_pixel (m->x, m->dx);
  const int y = stereo_match_pixel (m->y, m->dy);

  if (!stereo_patch_inside (&left, m->x, m->y, STEREO_PHOTO_RADIUS)
      || !stereo_patch_inside (&right, x, y, STEREO_PHOTO_RADIUS))
    return;
  sum_photo (left, m->x, m->y, STEREO_LEFT, m);
  sum_photo (right, x, y, STEREO_RIGHT, m);
}

/* As refine_corner() of the CPU, with gaps. */
__device__ bool
refine_corner (const StereoRowsFrame & f, int cell, StereoRowMatch * m)
{
  const StereoCornerNearest nearest = f.nearest[STEREO_LEFT][cell];
  const StereoCorner & a = f.corners[STEREO_LEFT][cell];

  memset (m, 0, sizeof (*m));
  if (!stereo_corner_is_match (&nearest)
      || f.nearest[STEREO_RIGHT][nearest.other].other != cell)
    return false;
  const StereoCorner & b = f.corners[STEREO_RIGHT][nearest.other];
  const int start_x = (b.x - a.x) * 256, start_y = (b.y - a.y) * 256;

  m->x = stereo_corner_position (a.x, f.n_levels);
  m->y = stereo_corner_position (a.y, f.n_levels);
  m->dx = start_x;
  m->dy = start_y;
  m->hamming = nearest.distance;
  for (int level = f.n_levels; level >= 0; level--) {
    if (!refine_level (f, level, m->x >> level, m->y >> level, m))
      return false;
    if (level == f.n_levels
        && !stereo_patch_stays (m->dx - start_x, m->dy - start_y))
      return false;
    m->dx *= level > 0 ? 2 : 1;
    m->dy *= level > 0 ? 2 : 1;
  }
  if (m->correlation < STEREO_MIN_CORRELATION)
    return false;
  measure_photo (f, m);
  return true;
}

}                               // namespace

#endif /* STEREO_ROWS_WARP_CUH */
