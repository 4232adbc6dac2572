/* gst-stereomatching: first passes of ESAW on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Steps of the first two passes are so short that a block can compute costs and
 * both passes at once, and writes only the result.  It moves down a strip of
 * columns, one row at a time, with a thread for each column and 16 disparities.
 * In the same turn i, threads
 *
 *   load the words of row i + 2,
 *   compute the costs of row i,
 *   from the costs of row i - 1 the first pass of row i - 2,
 *   from the first pass of row i - 3 the second pass of row i - 3 - step,
 *
 * and exchange words, costs and results of the first pass through shared
 * memory.  Blocks overlap by step + 1 columns and rows.
 */

#include "match/expstep/esaw.cuh"

#include <cuda_pipeline.h>

namespace
{

const int cascade_threads = 128;

/* Rows of the result per block. */
const int cascade_rows = 48;

/* Blocks per multiprocessor, at most. */
const int cascade_blocks = 7;

struct CascadeArgs
{
  ExpstepArgs first;            /* of the costs and the first pass */
  const uint32_t *weights;      /* of the second pass */
  int step;
};

/* Words of a row for 16 disparities.  right: backwards from that of the last
 * disparity of the first thread; first, last: of the first and of the last
 * column of the left view with a partner, for each disparity. */
struct CascadeWords
{
  uint32_t left[cascade_threads];
  uint32_t right[cascade_threads + 16];
  uint32_t first[16], last[16];
};

/* Rows are read while later ones are written. */
struct CascadeShared
{
  CascadeWords words[3];
  uint4 costs[2][cascade_threads];
  uint4 averages[2][cascade_threads];   /* of the first pass */
};

/* Sums along a row, of the second pass. */
struct CascadeSums
{
  uint4 even[cascade_threads];
  uint4 odd[cascade_threads];
};

/* A turn needs sums of the last 2 step + 1 rows. */
size_t
ring_bytes (int step)
{
  return (2 * (size_t) step + 1) * sizeof (CascadeSums);
}

/* The strip of a thread. */
struct CascadeColumn
{
  int x;                        /* inside the image */
  int first;                    /* column of thread 0, maybe outside */
  int disparity;                /* the first one */
  bool edge;                    /* any pixel of the block has no partner */
  bool warp_edge;               /* of the warp */
};

/* Whether any of n columns has no partner. */
__device__ __forceinline__ bool
is_edge (const ExpstepArgs & a, int first, int n, int disparity)
{
  return first - disparity < 15 || first + n - disparity > a.k.width;
}

__device__ __forceinline__ void
load_words (const ExpstepArgs & a, const CascadeColumn & c, int y,
    CascadeWords * words)
{
  const int thread = (int) threadIdx.x, last = a.k.width - 1;
  const uint32_t *left = a.left_words + (size_t) y * a.words_stride;
  const uint32_t *right = a.right_words + (size_t) y * a.words_stride;
  const int partner = c.first + thread - c.disparity - 15;

  __pipeline_memcpy_async (&words->left[thread], &left[c.x], 4);
  __pipeline_memcpy_async (&words->right[thread],
      &right[stereo_clamp_int (partner, 0, last)], 4);
  if (thread < 16) {
    const int d = c.disparity + thread;

    __pipeline_memcpy_async (&words->right[cascade_threads + thread],
        &right[stereo_clamp_int (partner + cascade_threads, 0, last)], 4);
    if (c.edge) {
      __pipeline_memcpy_async (&words->first[thread],
          &left[stereo_clamp_int (d, 0, last)], 4);
      __pipeline_memcpy_async (&words->last[thread],
          &left[stereo_clamp_int (last + d, 0, last)], 4);
    }
  }
}

/* Costs of the pixels of a row. */
__device__ __forceinline__ uint4
cascade_costs (const ExpstepArgs & a, const CascadeColumn & c,
    const CascadeWords & words)
{
  const int thread = (int) threadIdx.x;
  const uint32_t own = words.left[thread];
  uint4 result;

#pragma unroll
  for (int w = 0; w < 4; w++) {
    uint32_t left[4], right[4];

#pragma unroll
    for (int j = 0; j < 4; j++)
      right[j] = words.right[thread + 15 - 4 * w - j];
    if (c.warp_edge) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const int i = 4 * w + j, d = c.disparity + i;

        left[j] = c.x < d ? words.first[i]
            : c.x - d >= a.k.width ? words.last[i] : own;
      }
      word (result, w) = words_cost_bytes (left, right);
    } else {
      word (result, w) = words_cost_bytes (own, right);
    }
    if (a.k.limit < STEREO_WORDS_MAX_COST)
      word (result, w) = __vminu4 (word (result, w),
          (uint32_t) a.k.limit * 0x01010101u);
  }
  return result;
}

__device__ __forceinline__ Values
load_row (const CascadeSums & s)
{
  const uint4 even = s.even[threadIdx.x], odd = s.odd[threadIdx.x];
  Values v;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    v.even[i] = word (even, i);
    v.odd[i] = word (odd, i);
  }
  return v;
}

__device__ __forceinline__ void
store_row (CascadeSums * s, const Values & v)
{
  s->even[threadIdx.x] = make_uint4 (v.even[0], v.even[1], v.even[2],
      v.even[3]);
  s->odd[threadIdx.x] = make_uint4 (v.odd[0], v.odd[1], v.odd[2], v.odd[3]);
}

/* Sums along a row in shared memory.  Those of the first and the last pixels of
 * a block, whose neighbors are outside, are not used. */
__device__ __forceinline__ Values
shared_row_sums (const uint4 * row, int step, uint32_t weights)
{
  const int own = (int) threadIdx.x;
  Taps taps;
  Values v;

  taps.own = row[own];
  taps.before = row[max (own - step, 0)];
  taps.after = row[min (own + step, cascade_threads - 1)];
  taps.weights = weights;
  row_sums (taps, &v);
  return v;
}

/* Costs from the sums along three rows, `step` apart. */
__device__ __forceinline__ uint4
column_costs (uint32_t weights, const Values & above, const Values & here,
    const Values & below)
{
  const Weights w = column_weights (weights);
  Values v;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    v.even[i] = weighted (w, here.even[i], above.even[i], below.even[i],
        0x00800080u);
    v.odd[i] = weighted (w, here.odd[i], above.odd[i], below.odd[i],
        0x00800080u);
  }
  return rounded (v);
}

/* Weights that a thread needs in a turn. */
struct CascadeWeights
{
  uint32_t first, second;       /* of the rows of both passes */
  uint32_t result;              /* of the row of the result */
};

__device__ __forceinline__ CascadeWeights
load_weights (const CascadeArgs & c, int x, int turn)
{
  const int last = c.first.k.height - 1;
  CascadeWeights w;

  w.first = c.first.weights[pixel_at (c.first, x,
          stereo_clamp_int (turn - 1, 0, last))];
  w.second = c.weights[pixel_at (c.first, x,
          stereo_clamp_int (turn - 3, 0, last))];
  w.result = c.weights[pixel_at (c.first, x,
          stereo_clamp_int (turn - 3 - c.step, 0, last))];
  return w;
}

__device__ __forceinline__ CascadeColumn
own_column (const ExpstepArgs & a, int halo)
{
  const int thread = (int) threadIdx.x;
  CascadeColumn c;

  c.first = (int) blockIdx.x * (cascade_threads - 2 * halo) - halo;
  c.x = stereo_clamp_int (c.first + thread, 0, a.k.width - 1);
  c.disparity = a.k.min_disparity + a.first + 16 * (int) blockIdx.z;
  c.edge = is_edge (a, c.first, cascade_threads, c.disparity);
  c.warp_edge = is_edge (a, c.first + thread / 32 * 32, 32, c.disparity);
  return c;
}

__global__ void __launch_bounds__ (cascade_threads, cascade_blocks)
cascade_kernel (const __grid_constant__ CascadeArgs c)
{
  __shared__ CascadeShared shared;
  extern __shared__ uint4 dynamic[];
  CascadeSums *const ring = (CascadeSums *) dynamic;
  const ExpstepArgs &a = c.first;
  const int thread = (int) threadIdx.x;
  const int step = c.step, halo = step + 1, height = a.k.height;
  const int y0 = (int) blockIdx.y * cascade_rows;
  const int y1 = min (y0 + cascade_rows, height);
  const int first = max (y0 - halo, 0), last = min (y1 + halo, height) - 1;
  uint4 *const target = a.target + volume_at (a, (int) blockIdx.z);
  const CascadeColumn column = own_column (a, halo);
  const bool stores = thread >= halo && thread < cascade_threads - halo
      && column.first + thread < a.k.width;
  ColumnPass pass = { };
  int slot = 0, words = 0;

  pdl_launch_dependents ();
  pdl_wait ();

  CascadeWeights next = load_weights (c, column.x, first);

  for (int i = 0; i < 2; i++) {
    load_words (a, column, min (first + i, last), &shared.words[i]);
    __pipeline_commit ();
  }
  __pipeline_wait_prior (1);
  __syncthreads ();

#pragma unroll 1
  for (int i = first; i < y1 + halo + 2; i++) {
    const CascadeWeights weights = next;
    const int y = i - 1, z = i - 3;

    next = load_weights (c, column.x, i + 1);
    load_words (a, column, min (i + 2, last),
        &shared.words[words == 0 ? 2 : words - 1]);
    __pipeline_commit ();
    if (i <= last)
      shared.costs[i & 1][thread] = cascade_costs (a, column,
          shared.words[words]);
    words = words == 2 ? 0 : words + 1;

    if (y >= first) {
      const Values row = shared_row_sums (shared.costs[y & 1], 1,
          weights.first);

      shared.averages[i & 1][thread] = rounded (finish_row (pass, row));
      begin_row (&pass, row, weights.first, 0x00800080u);
    }

    if (z >= first) {
      const int above = slot == 2 * step ? 0 : slot + 1;
      const int here = slot < step ? slot + step + 1 : slot - step;
      Values row = { };

      if (z < height) {
        row = shared_row_sums (shared.averages[(i - 1) & 1], step,
            weights.second);
        store_row (&ring[slot], row);
      }
      if (z - step >= y0) {
        const uint4 costs = column_costs (weights.result,
            load_row (ring[above]), load_row (ring[here]), row);

        if (stores)
          target[pixel_at (a, column.x, z - step)] = costs;
      }
      slot = above;
    }
    __pipeline_wait_prior (1);
    __syncthreads ();
  }
}

/* Blocks that are resident at a time. */
size_t
resident_blocks (const StereoCudaQueue * queue, int step)
{
  const int blocks = stereo_cuda_blocks_in_shared (queue->queue.device,
      (int) (sizeof (CascadeShared) + ring_bytes (step)));

  return (size_t) queue->multiprocessors
      * (size_t) (blocks < cascade_blocks ? blocks : cascade_blocks);
}

}                               // namespace

int
esaw_cascade_step (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes)
{
  const int longest = 4;

  return k->uses_words && n_passes > 2 && passes[1].step <= longest
      ? passes[1].step : 0;
}

bool
esaw_launch_cascade (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  const int columns = cascade_threads - 2 * (work->cascade_step + 1);
  CascadeArgs c;

  expstep_args (k, work, chunk, &c.first);
  c.first.weights = (const uint32_t *) work->weights;
  c.weights = c.first.weights + (size_t) k->height * work->pitch;
  c.step = work->cascade_step;

  const dim3 grid (stereo_blocks (k->width, columns),
      stereo_blocks (k->height, cascade_rows), (unsigned) c.first.groups);
  const size_t blocks = (size_t) grid.x * grid.y * grid.z;

  /* in few blocks, separate kernels are faster */
  if (4 * blocks < 7 * resident_blocks ((const StereoCudaQueue *) queue,
          c.step))
    return false;
  launch_overlapping (queue, grid, dim3 (cascade_threads),
      ring_bytes (c.step), cascade_kernel, c);
  return true;
}
