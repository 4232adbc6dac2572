/* gst-stereomatching: edges of level 0 of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/launch.cuh"
#include "match/bp/bp-edges.cuh"

#include <string.h>

namespace
{

struct EdgeArgs
{
  StereoView left;
  int channels;
  int precision;
  int width;
  int height;
  uint8_t *records;             /* of level 0 */
  uint32_t *guide;              /* of level 1, NULL: none */
  uint2 *table;                 /* jump and M by difference */
  uint32_t jump[256];
  uint32_t largest[256];
  unsigned *barrier;
  bool concurrent;              /* with the words of the cost */
};

__device__ __forceinline__ uint32_t
left_at (const EdgeArgs & a, int x, int y)
{
  return stereo_view_pixel (&a.left, a.channels, min (max (x, 0), a.width - 1),
      min (max (y, 0), a.height - 1));
}

/* Computes the records of level 0, four pixels per thread, and the left view of
 * level 1. */
__global__ void __launch_bounds__ (128)
edges_kernel (const __grid_constant__ EdgeArgs a)
{
  __shared__ uint2 table[256];
  const int x2 = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y2 = (int) blockIdx.y, width2 = (a.width + 1) / 2;
  uint32_t own[4];

  pdl_start_concurrent (a.concurrent);
  for (int i = (int) threadIdx.x; i < 256; i += (int) blockDim.x) {
    table[i] = make_uint2 (a.jump[i], a.largest[i]);
    if (blockIdx.x == 0 && blockIdx.y == 0)
      a.table[i] = table[i];
  }
  if (x2 == 0 && y2 == 0)
    *a.barrier = 0;
  __syncthreads ();
  if (x2 >= width2)
    return;
#pragma unroll
  for (int i = 0; i < 4; i++)
    own[i] = left_at (a, 2 * x2 + i % 2, 2 * y2 + i / 2);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int x = 2 * x2 + i % 2, y = 2 * y2 + i / 2;
    const uint32_t g[4] = {
      stereo_difference_max (own[i], i < 2 ? own[i + 2]
          : left_at (a, x, y + 1)),
      stereo_difference_max (own[i], i < 2 ? left_at (a, x, y - 1)
          : own[i - 2]),
      stereo_difference_max (own[i], i % 2 == 0 ? own[i + 1]
          : left_at (a, x + 1, y)),
      stereo_difference_max (own[i], i % 2 == 0 ? left_at (a, x - 1, y)
          : own[i - 1])
    };

    if (x < a.width && y < a.height)
      store_record (a.precision, table, g, a.records,
          stereo_plane_offset (x, y, a.width));
  }
  if (a.guide != NULL)
    a.guide[(size_t) y2 * width2 + x2] = stereo_bp_mean (own[0], own[1],
        own[2], own[3]);
  pdl_end_concurrent (a.concurrent);
}

/* Bytes of the record of a pixel. */
size_t
record_bytes (const StereoBpConstants * k)
{
  return k->precision == STEREO_BP_PRECISION_INT8 ? 8
      : k->precision == STEREO_BP_PRECISION_HALF ? 16 : 32;
}

/* The record of a pixel without edges. */
void
find_bounds (const StereoBpConstants * k, uint32_t bounds[8])
{
  for (int i = 0; i < 2; i++) {
    const uint32_t one = i == 0 ? k->jump[0] : k->max_message[0];

    if (k->precision == STEREO_BP_PRECISION_INT8)
      bounds[i] = one * 0x01010101u;
    else if (k->precision == STEREO_BP_PRECISION_HALF)
      bounds[2 * i] = bounds[2 * i + 1] = splat_u16 (one);
    else
      for (int j = 0; j < 4; j++)
        bounds[4 * i + j] = one;
  }
}

}                               // namespace

void
stereo_bp_plan_edges_cuda (const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena)
{
  for (int l = 0; l < k->n_levels; l++) {
    size_t pixels = (size_t) k->level[l].width * (size_t) k->level[l].height;

    stereo_arena_add (arena, &work->edges[l], pixels, record_bytes (k));
    if (l > 0)
      stereo_arena_add (arena, &work->guides[l], pixels, sizeof (uint32_t));
  }
  stereo_arena_add (arena, &work->table, 256, sizeof (uint2));
}

void
stereo_bp_find_edges_cuda (const StereoBpConstants * k,
    const StereoBpWork * work, BpArgs * a)
{
  for (int l = 0; l < k->n_levels; l++) {
    a->level[l].edges = (uint8_t *) work->edges[l];
    a->level[l].guide = (uint32_t *) work->guides[l];
  }
  find_bounds (k, a->bounds);
  a->table = (const uint2 *) work->table;
}

void
stereo_bp_prepare_edges_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work,
    const BpArgs & args)
{
  EdgeArgs a;

  memset ((void *) &a, 0, sizeof (a));
  a.left = frame->left;
  a.channels = k->channels;
  a.precision = k->precision;
  a.width = k->width;
  a.height = k->height;
  a.records = (uint8_t *) work->edges[0];
  a.guide = (uint32_t *) work->guides[1];
  a.table = (uint2 *) work->table;
  memcpy (a.jump, k->jump, sizeof (a.jump));
  memcpy (a.largest, k->max_message, sizeof (a.largest));
  a.barrier = args.barrier;
  a.concurrent = stereo_cost_uses_words (k->cost);

  dim3 grid ((unsigned) (k->width / 2 + 128) / 128,
      (unsigned) (k->height + 1) / 2);

  launch_overlapping (frame->queue, grid, 128, 0, edges_kernel, a);
}
