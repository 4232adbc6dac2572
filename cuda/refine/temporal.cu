/* gst-stereomatching: a filter for disparity maps over time, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/temporal.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "refine/output.h"
#include "refine/temporal-formula.h"

namespace
{

/* ------------------------------------------------------------------ windows */

/* 3x3 bytes of a view around a pixel; outside the view its border. */
struct Window
{
  uint32_t row[3];

  __device__ __forceinline__ Window (const StereoTemporalFrame & f,
      const StereoTemporalView & view, int x, int y)
  {
    unsigned column[3];

#pragma unroll
    for (int i = 0; i < 3; i++)
      column[i] = (unsigned) (stereo_clamp_int (x + i - 1, 0, f.width - 1)
          * view.step);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      const uint8_t *from = view.data + view.stride
          * (unsigned) stereo_clamp_int (y + i - 1, 0, f.height - 1);

      row[i] = from[column[0]] | (uint32_t) from[column[1]] << 8
          | (uint32_t) from[column[2]] << 16;
    }
  }
};

/* stereo_temporal_sum () */
__device__ __forceinline__ int
window_sum (const Window & a, const Window & b)
{
  return (int) (__vsadu4 (a.row[0], b.row[0]) + __vsadu4 (a.row[1], b.row[1])
      + __vsadu4 (a.row[2], b.row[2]));
}

/* ------------------------------------------------------------------- pixels */

/* A pixel: its codes before and now, and for how many frames the former has
 * replaced the latter. */
struct Pixel
{
  int x, y;
  unsigned at;                  /* in maps and past views */
  unsigned before, now, passed;

  __device__ __forceinline__ Pixel (const StereoTemporalFrame & f, int x, int y)
  :x (x), y (y), at ((unsigned) y * (unsigned) f.stride + (unsigned) x),
  before (f.past.data[at]), now (f.map.data[at]), passed (f.age[at])
  {
  }

  __device__ __forceinline__ void store (const StereoTemporalFrame & f,
      const StereoOutput & output, unsigned next, unsigned age) const
  {
    f.next.data[at] = (uint16_t) next;
    f.age[at] = (uint8_t) age;
    stereo_store_raw (&output, x, y, stereo_output_from_map (&output,
            now == STEREO_INVALID ? STEREO_INVALID : next));
  }

  /* Keeps the previous code or not. */
  __device__ __forceinline__ void decide (const StereoTemporalFrame & f,
      const StereoOutput & output, bool keep) const
  {
    store (f, output, keep ? before : now, keep ? passed + 1 : 0);
  }

  __device__ __forceinline__ bool is_replaceable (const StereoTemporalFrame & f)
      const
  {
    return before != STEREO_INVALID && passed < (unsigned) f.frames;
  }

  /* Whether the code changes so much that the views decide. */
  __device__ __forceinline__ bool jumps (const StereoTemporalFrame & f) const
  {
    return is_replaceable (f) && now != STEREO_INVALID
        && stereo_temporal_distance (before, now)
        > STEREO_TEMPORAL_JUMP * f.unit;
  }

  /* Filters a pixel that does not jump.  change: of the view */
  __device__ __forceinline__ void filter (const StereoTemporalFrame & f,
      const StereoOutput & output, int change) const
  {
    if (before != STEREO_INVALID && now != STEREO_INVALID
        && stereo_temporal_distance (before, now) <= f.unit
        && change <= STEREO_TEMPORAL_LEVELS)
      store (f, output, stereo_temporal_mean (before, now), 0);
    else
      decide (f, output, is_replaceable (f) && now == STEREO_INVALID);
  }

  /* stereo_temporal_is_plausible () */
  __device__ __forceinline__ bool is_plausible (const StereoTemporalFrame & f)
      const
  {
    const Window own (f, f.left, x, y);
    const int cost = window_sum (own, Window (f, f.right,
            stereo_temporal_partner (&f, x, before), y));
    const int other = window_sum (own, Window (f, f.right,
            stereo_temporal_partner (&f, x, now), y));
    bool plausible;

    if (!stereo_temporal_is_open (cost, other, &plausible))
      return plausible;
    return window_sum (own, Window (f, stereo_temporal_past_view (&f), x, y))
        <= STEREO_TEMPORAL_SUM || !stereo_temporal_was_near (&f, x, y, now);
  }
};

/* The byte of the left view. */
__device__ __forceinline__ unsigned
view_at (const StereoTemporalFrame & f, int x, int y)
{
  return f.left.data[f.left.stride * (unsigned) y + (unsigned) (x
          * f.left.step)];
}

/* ------------------------------------------------------------------ kernels */

const int threads = stereo_block_columns * stereo_block_rows;

/* The few pixels that jump are listed and decided later, by consecutive
 * threads. */
__global__ void
__launch_bounds__ (threads)
filter_kernel (const __grid_constant__ StereoTemporalFrame f,
    const __grid_constant__ StereoOutput output)
{
  __shared__ ushort2 jumps[threads];
  __shared__ int n;
  const int thread = (int) (threadIdx.y * blockDim.x + threadIdx.x);
  int x, y;

  if (thread == 0)
    n = 0;
  __syncthreads ();
  pdl_wait ();
  if (stereo_own_pixel (f.width, f.height, &x, &y)) {
    const unsigned view = view_at (f, x, y);
    const Pixel p (f, x, y);
    const int change = stereo_temporal_distance (view, f.past_view[p.at]);

    f.next_view[p.at] = (uint8_t) view;
    if (p.jumps (f))
      jumps[atomicAdd (&n, 1)] = make_ushort2 ((unsigned short) x,
          (unsigned short) y);
    else
      p.filter (f, output, change);
  }
  __syncthreads ();
  if (thread < n) {
    const Pixel p (f, jumps[thread].x, jumps[thread].y);

    p.decide (f, output, p.is_plausible (f));
  }
}

/* The codes of a frame without a previous one are kept. */
__global__ void
first_kernel (const __grid_constant__ StereoTemporalFrame f,
    const __grid_constant__ StereoOutput output)
{
  int x, y;

  pdl_wait ();
  if (!stereo_own_pixel (f.width, f.height, &x, &y))
    return;
  const unsigned at = (unsigned) y * (unsigned) f.stride + (unsigned) x;
  const unsigned now = f.map.data[at];

  f.next.data[at] = (uint16_t) now;
  f.next_view[at] = (uint8_t) view_at (f, x, y);
  f.age[at] = 0;
  stereo_store_code (&output, x, y, now);
}

/* ------------------------------------------------------------------- stages */

/* Green is the second byte of a word. */
StereoTemporalView
temporal_view (const StereoView * view, int channels)
{
  StereoTemporalView bytes = { view->plane[0], view->stride, 1 };

  if (channels == 3) {
    bytes.data++;
    bytes.step = 4;
  }
  return bytes;
}

StereoStatus
temporal_filter (StereoQueue * queue, const StereoTemporalFrame * frame,
    const StereoOutput * output)
{
  return run_kernel (queue, frame->first ? "first_kernel" : "filter_kernel",
      true, stereo_pixel_grid (frame->width, frame->height),
      stereo_pixel_block, 0, frame->first ? first_kernel : filter_kernel,
      *frame, *output);
}

}                               // namespace

extern "C" const void *
stereo_temporal_stages_cuda (void)
{
  static const StereoTemporalStages stages = {
    .view = temporal_view,
    .filter = temporal_filter,
  };

  return &stages;
}
