/* gst-stereomatching: input views of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Luma is copied to padded bytes, or to 16 bits and optionally smoothed.
 * Words and R, G and B are read in place.
 */

#include "cost/cost.cuh"
#include "match/bp/bp.cuh"

#include <string.h>

namespace
{

/* Columns after the last one in the row of a view. */
const int view_slack = 64;

struct PrepareArgs
{
  int width;
  int height;
  const uint8_t *source[2];
  size_t stride[2];
  uint8_t *target[2];           /* of the first column of the first row */
  uint16_t *rows[2];            /* smoothed along rows */
  int channels;                 /* of source */
  int pitch;
  bool bytes;
  int n_taps;
  uint32_t taps[STEREO_BP_MAX_TAPS];
  unsigned *barrier;
};

/* Luma of a pixel of a view. */
__device__ __forceinline__ uint32_t
bp_luma (const uint8_t * row, int channels, int x)
{
  uint32_t p;

  if (channels == 1)
    return row[x];
  p = ((const uint32_t *) row)[x];
  return stereo_luma ((uint8_t) p, (uint8_t) (p >> 8), (uint8_t) (p >> 16));
}

/* Luma, smoothed along the row, or as bytes padded by zeros. */
__global__ void
prepare_kernel (const __grid_constant__ PrepareArgs a)
{
  const int column = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int x = column - bp_view_margin, y = (int) blockIdx.y;
  const int side = (int) blockIdx.z, last = a.width - 1;
  const uint8_t *row = a.source[side] + (size_t) y * a.stride[side];
  const size_t at = (size_t) y * a.pitch;

  if (column == 0 && y == 0 && side == 0)
    *a.barrier = 0;
  if (column >= a.pitch)
    return;
  if (a.bytes) {
    (a.target[side] + at)[x] = x >= 0 && x <= last
        ? (uint8_t) bp_luma (row, a.channels, x) : 0;
  } else if (x >= 0 && x <= last) {
    uint32_t sum = a.taps[0] * bp_luma (row, a.channels, x) + 128;

    for (int i = 1; i < a.n_taps; i++)
      sum += a.taps[i] * (bp_luma (row, a.channels, max (x - i, 0))
          + bp_luma (row, a.channels, min (x + i, last)));
    (a.n_taps > 1 ? a.rows[side] : (uint16_t *) a.target[side])[at + x] =
        (uint16_t) (sum >> 8);
  }
}

__global__ void
smooth_kernel (const __grid_constant__ PrepareArgs a)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) blockIdx.y, side = (int) blockIdx.z;
  const int last = a.height - 1;
  const uint16_t *column = a.rows[side] + x;

  if (x < a.width) {
    uint32_t sum = a.taps[0] * column[(size_t) y * a.pitch] + 32768u;

    for (int i = 1; i < a.n_taps; i++)
      sum += a.taps[i] * ((uint32_t) column[(size_t) max (y - i, 0) * a.pitch]
          + column[(size_t) min (y + i, last) * a.pitch]);
    ((uint16_t *) a.target[side])[(size_t) y * a.pitch + x] =
        (uint16_t) (sum >> 16);
  }
}

/* Expresses the data cost of a difference of bytes or words as
 * (min (difference, limit) factor + bias) >> shift with 16 bits. */
struct ByteCosts
{
  uint32_t limit;
  uint32_t factor;
  uint32_t bias;
  int shift;
};

/* Returns false if no such numbers exist. */
bool
find_byte_costs (const StereoBpConstants * k, ByteCosts * result)
{
  const uint32_t one = stereo_cost_uses_words (k->cost) ? 1 : 256;
  const uint32_t limit = (k->difference_limit + one - 1) / one;
  uint32_t cost[256];

  for (uint32_t i = 0; i <= limit; i++)
    cost[i] = stereo_bp_data_cost (k, one * i);
  for (int shift = 15; shift >= 0; shift--) {
    uint32_t whole = 1u << shift;
    uint32_t nearest = limit > 0 ? (cost[limit] * whole + limit / 2) / limit
        : 0;

    for (uint32_t f = nearest > 8 ? nearest - 8 : 0; f <= nearest + 8; f++) {
      /* cost[i] whole <= i f + bias < (cost[i] + 1) whole for all i */
      int64_t lowest = 0, highest = (int64_t) 65535 - (int64_t) limit * f;

      for (uint32_t i = 0; i <= limit && lowest <= highest; i++) {
        int64_t need = (int64_t) cost[i] * whole - (int64_t) i * f;

        lowest = lowest > need ? lowest : need;
        highest = highest < need + whole - 1 ? highest : need + whole - 1;
      }
      if (lowest <= highest) {
        *result = ByteCosts { limit, f, (uint32_t) lowest, shift };
        return true;
      }
    }
  }
  return false;
}

/* Whether views are bytes instead of 16 bits. */
bool
has_byte_views (const StereoBpConstants * k)
{
  ByteCosts costs;

  return stereo_cost_is_luma (k->cost) && k->n_taps == 1
      && k->precision != STEREO_BP_PRECISION_FLOAT
      && k->min_disparity + k->first_index >= 0 && find_byte_costs (k, &costs);
}

int
view_pitch (const StereoBpConstants * k)
{
  return (k->width + bp_view_margin + view_slack + 31) / 32 * 32;
}

}                               // namespace

void
stereo_bp_plan_views_cuda (const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena)
{
  const size_t view = (size_t) view_pitch (k) * (size_t) k->height;
  const size_t view_bytes = has_byte_views (k) ? 1 : 2;

  if (stereo_cost_is_luma (k->cost)) {
    stereo_arena_add (arena, &work->left, view, view_bytes);
    stereo_arena_add (arena, &work->right, view, view_bytes);
  }
  if (k->n_taps > 1) {
    stereo_arena_add (arena, &work->rows[0], view, view_bytes);
    stereo_arena_add (arena, &work->rows[1], view, view_bytes);
  }
}

void
stereo_bp_find_views_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, BpArgs * a)
{
  ByteCosts costs;

  a->cost = k->cost;
  a->bytes = has_byte_views (k);
  if (stereo_cost_is_luma (k->cost)) {
    a->view_pitch = view_pitch (k);
    a->left = (const uint8_t *) work->left + (a->bytes ? bp_view_margin : 0);
    a->right = (const uint8_t *) work->right + (a->bytes ? bp_view_margin : 0);
  } else {
    const StereoView left = stereo_cost_view (k->cost, frame->left,
        frame->left_words);

    a->view_pitch = (int) (left.stride / sizeof (uint32_t));
    a->left = left.plane[0];
    a->right = stereo_cost_view (k->cost, frame->right,
        frame->right_words).plane[0];
    a->scaled = stereo_cost_uses_words (k->cost)
        && k->precision != STEREO_BP_PRECISION_FLOAT
        && find_byte_costs (k, &costs);
  }
  if (a->bytes || a->scaled) {
    (void) find_byte_costs (k, &costs);
    a->limit = splat_u16 (costs.limit);
    a->factor = costs.factor;
    a->bias = splat_u16 (costs.bias);
    a->mask = splat_u16 (0xffff >> costs.shift);
    a->shift = costs.shift;
  }
  a->difference_limit = k->difference_limit;
  a->gain = k->gain;
}

void
stereo_bp_prepare_views_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work,
    const BpArgs & args)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) frame->queue;
  PrepareArgs a;

  memset ((void *) &a, 0, sizeof (a));
  a.width = k->width;
  a.height = k->height;
  a.source[0] = frame->left.plane[0];
  a.source[1] = frame->right.plane[0];
  a.stride[0] = frame->left.stride;
  a.stride[1] = frame->right.stride;
  a.channels = k->channels;
  a.target[0] = (uint8_t *) args.left;
  a.target[1] = (uint8_t *) args.right;
  a.rows[0] = (uint16_t *) work->rows[0];
  a.rows[1] = (uint16_t *) work->rows[1];
  a.pitch = args.view_pitch;
  a.bytes = args.bytes;
  a.n_taps = k->n_taps;
  memcpy (a.taps, k->taps, sizeof (a.taps));
  a.barrier = args.barrier;

  dim3 grid ((unsigned) (a.pitch + 127) / 128, (unsigned) a.height, 2);

  prepare_kernel <<< grid, 128, 0, q->compute >>> (a);
  if (a.n_taps > 1)
    smooth_kernel <<< grid, 128, 0, q->compute >>> (a);
}
