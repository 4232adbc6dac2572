/* gst-stereomatching: variable center-biased windows on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One kernel processes a frame, without a cost volume in memory.
 *
 * A thread block owns a tile of the image, with its part of both views in
 * shared memory.  The weighted averages along rows and columns are products
 * with a banded matrix of weights (16 outputs from 16 inputs on each side),
 * which the integer matrix units compute exactly.  D is computed in the
 * registers that hold the operand of the first product.  The result, rounded
 * to bytes, is in the registers of the operand of the second product; the
 * second matrix has the same permutation of rows (row_of ()).
 *
 * For disparities of the left view alone, a warp of match_kernel () processes
 * 16 columns and every eighth (or fourth) disparity, and keeps its winners in
 * registers.  winners_kernel () handles all other cases.
 *
 * Windows with a radius above 16 need two blocks of inputs on each side
 * (halo).
 */

#include "core/ones.cuh"
#include "cost/difference.h"
#include "match/vcbw/vcbw-winners.cuh"
#include "refine/output.h"

struct StereoVcbwWork
{
  uint8_t *luma;                /* of both views, if needed */
};

STEREO_CHECK_WORK (StereoVcbwWork);

namespace
{

/* Bytes of static shared memory, rounded up. */
const int static_shared = 256;

/* Division of a tile between the warps of match_kernel (), in words. */
template < typename S > struct Split
{
  static const int warps_per_column = S::warps / S::column_blocks;
  static const int merge_size = S::warps * 16 * S::tile_height;
  static const int size = S::load_size > merge_size ? S::load_size
      : merge_size;
};

/* Updates the winners of 16 columns from x0 on with a disparity. */
template < typename S, bool Border > __device__ void
match_one (const Args & a, const Lane < S > & lane, const Matrices < S > & m,
    int x0, int d, uint32_t (&best)[S::row_blocks][2][4])
{
  const int halo = S::halo, n_words = 2 * halo + 1;
  const uint32_t index = (uint32_t) (d - a.k.min_disparity);
  Beyond < n_words > beyond;
  uint32_t to_left[S::blocks][2], to_right[S::blocks][2];

  if (Border)
    beyond.find (a.k, x0 - 16 * halo, d);
#pragma unroll
  for (int b = 0; b < S::blocks; b++) {
    uint32_t cost[2][n_words];

    find_costs < S, Border, n_words > (a, lane, 16 * b, beyond, cost[0]);
    find_costs < S, Border, n_words > (a, lane, 16 * b + 8, beyond, cost[1]);
    average_block < S, n_words > (a, m, cost, 0, to_left[b], to_right[b]);
    if (b < 2 * halo)
      continue;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      uint32_t (&winner)[4] = best[b - 2 * halo][half];
      int v[4][4];

      average_column < S > (m, to_left, to_right, b, half, v);
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        uint32_t c = combine (a, v, i);

        winner[i] = min (winner[i], c * a.high_half + index);
        winner[i + 1] = min (winner[i + 1], (c & 0xffff0000u) | index);
      }
    }
  }
}

/* Merges the winners of all warps and stores them. */
template < typename S > __device__ void
merge (const Args & a, int x0, int y0, bool empty, uint32_t * shared,
    const uint32_t (&best)[S::row_blocks][2][4])
{
  const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
  const int part = 16 * S::tile_height; /* pixels of a warp */
  uint32_t *own = shared + (int) threadIdx.x / 32 * part;

#pragma unroll
  for (int b = 0; b < S::row_blocks; b++) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int row = 16 * b + g + 8 * (i >> 1);
        int column = 8 * half + 2 * t + (i & 1);

        own[row * 16 + column] = best[b][half][i];
      }
    }
  }
  __syncthreads ();

#pragma unroll
  for (int p = (int) threadIdx.x; p < S::column_blocks * part;
      p += S::threads) {
    int row = p / S::tile_width, column = p % S::tile_width;
    int x = x0 + column, y = y0 + row;
    const uint32_t *candidate = shared
        + column / 16 * Split < S >::warps_per_column * part
        + row * 16 + column % 16;
    uint32_t winner = candidate[0];

#pragma unroll
    for (int w = 1; w < Split < S >::warps_per_column; w++)
      winner = min (winner, candidate[w * part]);
    winner = empty ? STEREO_INVALID
        : winner & ((1u << STEREO_VCBW_INDEX_BITS) - 1);
    if (x >= a.k.width || y >= a.k.height)
      continue;
    if (a.encode)
      stereo_store_code (&a.output, x, y, winner);
    else
      a.map.data[(size_t) y * a.map.stride + (size_t) x] = (uint16_t) winner;
  }
}

template < typename S > __global__ void
__launch_bounds__ (S::threads, S::resident)
match_kernel (const __grid_constant__ Args a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  __shared__ uint8_t weight[2][weight_table];
  uint32_t *right = shared + S::left_size;
  uint8_t *edges = (uint8_t *) (right + S::right_size);
  const int x0 = (int) blockIdx.x * S::tile_width;
  const int y0 = (int) blockIdx.y * S::tile_height;
  const int per_column = Split < S >::warps_per_column;
  const int warp = (int) threadIdx.x / 32;
  const int column = warp / per_column * 16;
  const Range < S > range (a.k, x0);
  Matrices < S > m;
  uint32_t best[S::row_blocks][2][4];

  pdl_wait ();
  load_left < S > (a, x0, y0, shared);
  load_weights (a.k, weight);
  __syncthreads ();
  make_matrices < S > (weight, m);
#pragma unroll
  for (int b = 0; b < S::row_blocks; b++) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      best[b][0][i] = best[b][1][i] = 0xffffffffu;
  }

  /* Chunks start at multiples of their size, so that R is loaded aligned. */
  for (int base = range.first & ~(S::chunk - 1); base <= range.last;
      base += S::chunk) {
    load_chunk < S > (a, x0, y0, base, range, right, edges);
    __syncthreads ();
    for (int local = warp % per_column; local < S::chunk;
        local += per_column) {
      const int d = base + local, step = column / S::pixels_per_word;
      const Lane < S > lane (shared + step, right + step, edges, local);

      if (d < range.first || d > range.last)
        continue;
      if (Range < S >::beyond (a.k, x0 + column, 16, d))
        match_one < S, true > (a, lane, m, x0 + column, d, best);
      else
        match_one < S, false > (a, lane, m, x0 + column, d, best);
    }
    __syncthreads ();
  }
  merge < S > (a, x0, y0, range.first > range.last, shared, best);
}

/* Relative time of a multiprocessor for tiles of this shape. */
template < typename S > int
tile_time (const StereoVcbwConstants & k, int multiprocessors)
{
  /* of a block of H, and of a block of V and C */
  int cost = S::column_blocks * (70 * S::blocks + 90 * S::row_blocks);
  int tiles = (k.width + S::tile_width - 1) / S::tile_width
      * ((k.height + S::tile_height - 1) / S::tile_height);
  int at_once = multiprocessors * S::resident;

  return (tiles + at_once - 1) / at_once * cost * S::resident;
}

template < typename S > StereoStatus
launch (StereoCudaStage & stage, StereoQueue * queue, const Args & args,
    void (*kernel) (const Args), int words)
{
  const dim3 grid ((unsigned) (args.k.width + S::tile_width - 1)
      / S::tile_width, (unsigned) (args.k.height + S::tile_height - 1)
      / S::tile_height);
  cudaError_t error = cudaFuncSetAttribute (kernel,
      cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of vcbw's kernels",
        &queue->message);
  launch_overlapping (queue, grid, S::threads, (size_t) words * 4, kernel,
      args);
  return STEREO_CUDA_LAUNCHED (stage, "vcbw's kernels");
}

template < typename S > StereoStatus
launch_match (StereoCudaStage & stage, StereoQueue * queue, const Args & args)
{
  return launch < S > (stage, queue, args, match_kernel < S >,
      Split < S >::size);
}

template < typename S > StereoStatus
launch_winners (StereoCudaStage & stage, StereoQueue * queue,
    const Args & args)
{
  return launch < S > (stage, queue, args, winners_kernel < S >,
      Shared < S >::size);
}

/* Large tiles repeat less work, small ones balance better in small images, and
 * tiny ones fit 64 KiB of shared memory. */
template < int COST, int HALO > StereoStatus
match_best (StereoCudaStage & stage, StereoQueue * queue, const Args & args)
{
  typedef Shape < COST, HALO, 4, HALO == 1 ? 2 : 1, 64, 8, 2 > Large;
  typedef Shape < COST, HALO, 3, 1, 64, 8, 2 > Small;
  typedef Shape < COST, HALO, 1, 1, 16, 8, 1 > Tiny;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  int limit = stereo_cuda_shared_limit (queue->device) - static_shared;

  if (Split < Small >::size * 4 > limit)
    return launch_match < Tiny > (stage, queue, args);
  if (Split < Large >::size * 4 > limit || tile_time < Small > (args.k,
          q->multiprocessors) < tile_time < Large > (args.k,
          q->multiprocessors))
    return launch_match < Small > (stage, queue, args);
  return launch_match < Large > (stage, queue, args);
}

/* The same for winners_kernel (), whose warps compute D once for all columns:
 * instructions of a warp per disparity. */
template < typename S > int
winners_time (const StereoVcbwConstants & k, int multiprocessors)
{
  const int cost = S::blocks * (60 * (S::column_blocks + 2 * S::halo)
      + 26 * S::column_blocks) + 110 * S::row_blocks * S::column_blocks;
  const int tiles = (k.width + S::tile_width - 1) / S::tile_width
      * ((k.height + S::tile_height - 1) / S::tile_height);

  return (tiles + multiprocessors - 1) / multiprocessors * cost;
}

/* The default settings have more tile shapes, for large GPUs. */
template < int COST, int HALO > StereoStatus
winners_best (StereoCudaStage & stage, StereoQueue * queue, const Args & args)
{
  typedef Shape < COST, HALO, 2, HALO == 1 ? 2 : 1, 16, 8, 1 > Medium;
  typedef Shape < COST, HALO, 1, 1, 8, 4, 1 > Tiny;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int limit = stereo_cuda_shared_limit (queue->device) - static_shared;

  if constexpr (COST == STEREO_COST_WORDS && HALO == 1) {
    typedef Shape < COST, HALO, 3, 4, 32, 16, 1 > Wide;
    typedef Shape < COST, HALO, 3, 3, 64, 16, 1 > Square;
    typedef Shape < COST, HALO, 3, 2, 64, 16, 1 > Narrow;

    if (Shared < Wide >::size * 4 <= limit) {
      const int wide = winners_time < Wide > (args.k, q->multiprocessors);
      const int square = winners_time < Square > (args.k, q->multiprocessors);
      const int narrow = winners_time < Narrow > (args.k, q->multiprocessors);

      return narrow < wide && narrow < square
          ? launch_winners < Narrow > (stage, queue, args)
          : square < wide ? launch_winners < Square > (stage, queue, args)
          : launch_winners < Wide > (stage, queue, args);
    }
  }
  if (Shared < Medium >::size * 4 <= limit)
    return launch_winners < Medium > (stage, queue, args);
  return launch_winners < Tiny > (stage, queue, args);
}

template < int COST > StereoStatus
launch_best (StereoCudaStage & stage, StereoQueue * queue, const Args & args,
    bool winners)
{
  const bool near = args.k.row_radius <= 16 && args.k.column_radius <= 16;

  if (winners)
    return near ? winners_best < COST, 1 > (stage, queue, args)
        : winners_best < COST, 2 > (stage, queue, args);
  return near ? match_best < COST, 1 > (stage, queue, args)
      : match_best < COST, 2 > (stage, queue, args);
}

/* Luma of a view of three channels, for STEREO_COST_LUMA. */
__global__ void
luma_kernel (StereoView left, StereoView right, uint8_t * luma, int width,
    int height)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) blockIdx.y;
  const StereoView & view = blockIdx.z == 0 ? left : right;

  if (x < width) {
    const uint32_t p = stereo_view_pixel (&view, 3, x, y);

    luma[((size_t) blockIdx.z * height + y) * width + x] =
        stereo_luma ((uint8_t) p, (uint8_t) (p >> 8), (uint8_t) (p >> 16));
  }
}

StereoStatus
make_luma (StereoCudaStage & stage, const StereoMatchFrame * frame,
    uint8_t * luma, Args * a)
{
  const int width = a->k.width, height = a->k.height;
  const dim3 grid ((unsigned) (width + 127) / 128, (unsigned) height, 2);

  luma_kernel <<< grid, 128, 0, stage.stream () >>> (frame->left,
      frame->right, luma, width, height);
  a->left = luma;
  a->right = luma + (size_t) width * (size_t) height;
  a->left_stride = a->right_stride = (size_t) width;
  return STEREO_CUDA_LAUNCHED (stage, "vcbw's luma_kernel");
}

StereoStatus
vcbw_plan (const StereoSearch *, const StereoVcbwConstants * k,
    StereoVcbwWork * work, StereoArena * arena, StereoMessage *)
{
  if (k->needs_luma)
    stereo_arena_add (arena, (void **) &work->luma, 2 * (size_t) k->width
        * (size_t) k->height, 1);
  return STEREO_OK;
}

void
find_args (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    Args * a)
{
  const bool uses_words = k->cost == STEREO_COST_WORDS;

  a->k = *k;
  a->left = uses_words ? frame->left_words.plane[0] : frame->left.plane[0];
  a->right = uses_words ? frame->right_words.plane[0] : frame->right.plane[0];
  a->left_stride = uses_words ? frame->left_words.stride : frame->left.stride;
  a->right_stride = uses_words ? frame->right_words.stride
      : frame->right.stride;
  a->map = frame->map;
  a->encode = frame->output != NULL;
  if (frame->output != NULL)
    a->output = *frame->output;
  if (frame->winners != NULL)
    a->winners = *frame->winners;
  a->high_half = 65536;
  a->high_mask = 0xffff0000u;
  a->two = 2;
  a->four = 4;
  a->edge = (uint32_t) k->edge * 0x10001;
  a->edge_room = (0xffffu - (uint32_t) k->edge) / 2 * 0x10001;
  a->corner = (uint32_t) k->corner * 0x10001;
  a->corner_room = (0xffffu - (uint32_t) k->corner) / 4 * 0x10001;
}

StereoStatus
vcbw_match (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  StereoCudaStage stage (frame->queue);
  const bool winners = frame->winners != NULL;
  StereoStatus status = STEREO_OK;
  Args a = { };

  if (!stage.entered ())
    return stage.status ();
  find_args (frame, k, &a);
  if (k->needs_luma)
    status = make_luma (stage, frame, work->luma, &a);
  if (status != STEREO_OK)
    return status;
  /* rows are aligned to more than two words */
  if (winners && a.winners.right != NULL)
    set_ones (frame->queue, (unsigned long long *) a.winners.right,
        a.winners.right_stride / 2 * (size_t) k->height);
  if (k->cost == STEREO_COST_WORDS)
    return launch_best < STEREO_COST_WORDS > (stage, frame->queue, a,
        winners);
  return k->channels == 1 || k->needs_luma
      ? launch_best < STEREO_COST_LUMA > (stage, frame->queue, a, winners)
      : launch_best < STEREO_COST_RGB > (stage, frame->queue, a, winners);
}

}                               // namespace

extern "C" const void *stereo_vcbw_stages_cuda (void);

extern "C" const void *
stereo_vcbw_stages_cuda (void)
{
  static const StereoVcbwStages stages = {
    .plan = vcbw_plan,
    .match = vcbw_match,
  };

  return &stages;
}
