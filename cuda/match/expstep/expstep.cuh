/* gst-stereomatching: common part of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A thread processes 16 disparities of a pixel, the bytes of a uint4.  Sums
 * are computed for two of them at once, in the halves of a word: four bytes v0
 * v1 v2 v3 are split into `even` = v0, v2 and `odd` = v1, v3.  Sums fit 16
 * bits.
 *
 * One kernel does a whole pass, along rows and along columns.  Pixels s apart
 * in a column form a chain.  A thread follows a piece of a chain, computes the
 * sums along rows pixel by pixel and keeps the last three for the sum along
 * the column, so that a pass reads and writes each cost once.
 */

#ifndef STEREO_EXPSTEP_CUH
#define STEREO_EXPSTEP_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "cost/cost.cuh"
#include "match/expstep/expstep-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "core/queue-cuda.h"

#include <string.h>

namespace
{

const int expstep_threads = 128;

struct ExpstepArgs
{
  StereoExpstepConstants k;
  int step;
  /* Views: luma, and 0xXXBBGGRR with three channels. */
  const uint8_t *left_luma;
  const uint8_t *right_luma;
  const uint32_t *left_color;
  const uint32_t *right_color;
  const uint32_t *left_words;
  const uint32_t *right_words;
  size_t words_stride;          /* elements */
  const uint32_t *weights;      /* of this pass, see prepare_kernel () */
  size_t pitch;                 /* elements, of all planes and volumes */
  const uint4 *source;
  uint4 *target;
  uint32_t *best;
  /* With winners: the sums of the neighbours of the winner, the previous one
   * in the low half, and the sum of the previous disparity; seconds: as in
   * StereoExpstepWork. */
  uint32_t *neighbors;
  uint16_t *last_sum;
  uint32_t *seconds;
  StereoWinners winners;
  int first;                    /* the chunk */
  int count;
  int groups;                   /* of 16 disparities in it */
  int first_group;              /* of a launch */
  int piece;                    /* of a chain: pixels */
  /* With messages */
  uint32_t jumps[8];            /* 1 to 8 of them, in both halves of a word */
  int truncation;
  bool far;                     /* messages span more than 8 disparities */
  bool refine;
};

template < int CHANNELS, int METRIC > __device__ __forceinline__ uint32_t
raw_weight (const uint8_t * table, uint32_t p, uint32_t q)
{
  if (CHANNELS == 1)
    return table[__usad (p, q, 0)];
  if (METRIC == STEREO_COLOR_METRIC_MAX) {
    uint32_t d = __vabsdiffu4 (p, q);

    return table[__vimax3_s32 (d & 255, d >> 8 & 255, d >> 16 & 255)];
  }
  int r = (int) (p & 255) - (int) (q & 255);
  int g = (int) (p >> 8 & 255) - (int) (q >> 8 & 255);
  int b = (int) (p >> 16 & 255) - (int) (q >> 16 & 255);

  return table[stereo_expstep_difference (METRIC, r, g, b)];
}

/* Conversions of numbers below 2^23 through the mantissa of a float, faster
 * than the instructions.  The second one rounds to nearest. */
__device__ __forceinline__ float
to_float (uint32_t x)
{
  return __uint_as_float (x | 0x4b000000u) - 8388608.0f;
}

__device__ __forceinline__ uint32_t
to_integer (float x)
{
  return __float_as_uint (x + 8388608.0f) & 0x7fffffu;
}

/* Both weights of a pass in bytes 0 and 1.  The integer parts are exact:
 * quotients are multiples of 1 / (2 t) > 0.0006, and all errors, including the
 * offset of 0.0001, are smaller. */
__device__ __forceinline__ uint32_t
normalise (uint32_t u, uint32_t v)
{
  uint32_t t = 256 + u + v;
  float r = __fdividef (0.5f, to_float (t));

  return to_integer (to_float (512 * u + t) * r - 0.4999f)
      | to_integer (to_float (512 * v + t) * r - 0.4999f) << 8;
}

struct Weights
{
  uint32_t before, own, after;
};

__device__ __forceinline__ Weights
row_weights (uint32_t w)
{
  Weights result = { w & 255, 0, w >> 8 & 255 };

  result.own = 256 - result.before - result.after;
  return result;
}

__device__ __forceinline__ Weights
column_weights (uint32_t w)
{
  Weights result = { w >> 16 & 255, 0, w >> 24 };

  result.own = 256 - result.before - result.after;
  return result;
}

__device__ __forceinline__ uint32_t
even (uint32_t w)
{
  return w & 0x00ff00ffu;
}

__device__ __forceinline__ uint32_t
odd (uint32_t w)
{
  return __byte_perm (w, 0, 0x4341);
}

/* Two sums plus `start` in both halves, without shift. */
__device__ __forceinline__ uint32_t
weighted (const Weights & w, uint32_t c, uint32_t before, uint32_t after,
    uint32_t start)
{
  return w.own * c + w.before * before + w.after * after + start;
}

__device__ __forceinline__ void
sums (const Weights & w, uint32_t c, uint32_t before, uint32_t after,
    uint32_t start, uint32_t * even_sum, uint32_t * odd_sum)
{
  *even_sum = weighted (w, even (c), even (before), even (after), start);
  *odd_sum = weighted (w, odd (c), odd (before), odd (after), start);
}

/* 16 values in halves of words. */
struct Values
{
  uint32_t even[4];
  uint32_t odd[4];
};

/* Sums with 128 in them to values. */
__device__ __forceinline__ uint32_t
high_bytes (uint32_t sum)
{
  return __byte_perm (sum, 0, 0x4341);
}

/* Sums with 128 in them to bytes. */
__device__ __forceinline__ uint32_t
rounded (uint32_t even_sum, uint32_t odd_sum)
{
  return __byte_perm (even_sum, odd_sum, 0x7351);
}

/* A pixel with its neighbours along the row. */
struct Taps
{
  uint4 before, own, after;
  uint32_t weights;
};

/* Sums along the row. */
__device__ __forceinline__ void
row_sums (const Taps & t, Values * result)
{
  Weights w = row_weights (t.weights);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t e, o;

    sums (w, word (t.own, i), word (t.before, i), word (t.after, i),
        0x00800080u, &e, &o);
    result->even[i] = high_bytes (e);
    result->odd[i] = high_bytes (o);
  }
}

/* The pixel at (x, y), and the sums along the rows of it and of its neighbours
 * in the column. */
struct Column
{
  int x, y;
  uint32_t weights;
  const Values &above, &here, &below;
};

/* Sums along the column plus `start`, without shift. */
__device__ __forceinline__ void
column_sums (const Column & c, uint32_t start, Values * result)
{
  Weights w = column_weights (c.weights);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    result->even[i] = weighted (w, c.here.even[i], c.above.even[i],
        c.below.even[i], start);
    result->odd[i] = weighted (w, c.here.odd[i], c.above.odd[i],
        c.below.odd[i], start);
  }
}

/* Finds the piece of a chain of a thread; false if there is none. */
__device__ __forceinline__ bool
find_piece (const ExpstepArgs & a, int place, int *y0, int *n_before, int *n)
{
  int s = min (a.step, a.k.height);
  int chain = place % s, i0 = place / s * a.piece;
  int length = (a.k.height - chain + s - 1) / s;

  *y0 = chain + i0 * s;
  *n_before = i0;
  *n = min (a.piece, length - i0);
  return *n > 0;
}

/* Costs of four differences in halves of words. */
__device__ __forceinline__ uint32_t
scaled (const StereoExpstepConstants & k, uint32_t even, uint32_t odd)
{
  uint32_t limit = (uint32_t) k.limit * 0x10001u;
  uint32_t e = __vminu2 (even, limit) * (uint32_t) k.gain + 0x00800080u;
  uint32_t o = __vminu2 (odd, limit) * (uint32_t) k.gain + 0x00800080u;

  if (k.excess != 0) {
    uint32_t excess = (uint32_t) k.excess * 0x10001u;

    e += __vcmpgtu2 (even, limit) & excess;
    o += __vcmpgtu2 (odd, limit) & excess;
  }
  return rounded (e, o);
}

__device__ __forceinline__ uint4
load_16 (const uint8_t * row, int at)
{
  const uint32_t *words = (const uint32_t *) row + (at >> 2);
  const int shift = 8 * (at & 3);
  uint32_t w[5];
  uint4 result;

#pragma unroll
  for (int i = 0; i < 5; i++)
    w[i] = i < 4 || shift != 0 ? words[i] : 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    word (result, i) = __funnelshift_r (w[i], w[i + 1], shift);
  return result;
}

/* 16 costs of a pixel from luma or RGB; undefined after the end of the
 * chunk. */
__device__ __forceinline__ uint4
difference_costs (const ExpstepArgs & a, int x, int y, int group)
{
  const StereoExpstepConstants & k = a.k;
  const size_t row = (size_t) y * a.pitch;
  const int d0 = k.min_disparity + a.first + 16 * group;
  uint4 result;

  if (k.cost_channels == 1 && (x - d0 >= 15 ? x - d0 < k.width
          : x < d0 && d0 + 15 < k.width)) {
    /* Either all have a partner and need 16 bytes of the right view in reverse
     * order, or none has one and they repeat the costs of columns d0, d0 + 1,
     * ..., whose partner is the first column. */
    const bool partners = x - d0 >= 15;
    const uint32_t one = partners ? a.left_luma[row + x] : a.right_luma[row];
    const uint4 sixteen = partners ? load_16 (a.right_luma + row, x - d0 - 15)
        : load_16 (a.left_luma + row, d0);

#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t four = partners ? __byte_perm (word (sixteen, 3 - i), 0, 0x0123)
          : word (sixteen, i);
      uint32_t difference = __vabsdiffu4 (one * 0x01010101u, four);

      word (result, i) = scaled (k, even (difference), odd (difference));
    }
    return result;
  }

#pragma unroll
  for (int w = 0; w < 4; w++) {
    uint32_t difference[4];

#pragma unroll
    for (int j = 0; j < 4; j++) {
      int i = min (16 * group + 4 * w + j, a.count - 1);
      int d = k.min_disparity + a.first + i;
      int xl = stereo_partner_column (k.width, x, d);

      if (k.cost_channels == 1)
        difference[j] = __usad (a.left_luma[row + xl],
            a.right_luma[row + xl - d], 0);
      else
        difference[j] = __vsadu4 (a.left_color[row + xl],
            a.right_color[row + xl - d]);
    }
    word (result, w) = scaled (k, difference[0] | difference[2] << 16,
        difference[1] | difference[3] << 16);
  }
  return result;
}

/* The same from words. */
__device__ __forceinline__ uint4
words_costs (const ExpstepArgs & a, int x, int y, int group)
{
  const StereoExpstepConstants & k = a.k;
  const uint32_t *left = a.left_words + (size_t) y * a.words_stride;
  const uint32_t *right = a.right_words + (size_t) y * a.words_stride;
  const int d0 = k.min_disparity + a.first + 16 * group;
  uint32_t l[4], r[4];
  uint4 result;

  if (x - d0 >= 15 && x - d0 < k.width) {
    right += x - d0;
#pragma unroll
    for (int w = 0; w < 4; w++) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        l[j] = left[x];
        r[j] = right[-4 * w - j];
      }
      word (result, w) = words_cost_bytes (l, r);
    }
  } else {
#pragma unroll
    for (int w = 0; w < 4; w++) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const int d = d0 + min (4 * w + j, a.count - 1 - 16 * group);
        const int xl = stereo_partner_column (k.width, x, d);

        l[j] = left[xl];
        r[j] = right[xl - d];
      }
      word (result, w) = words_cost_bytes (l, r);
    }
  }
  if (k.limit < STEREO_WORDS_MAX_COST) {
#pragma unroll
    for (int w = 0; w < 4; w++)
      word (result, w) = __vminu4 (word (result, w),
          (uint32_t) k.limit * 0x01010101u);
  }
  return result;
}

__device__ __forceinline__ uint4
expstep_costs (const ExpstepArgs & a, int x, int y, int group)
{
  return a.k.uses_words ? words_costs (a, x, y, group)
      : difference_costs (a, x, y, group);
}

/* The minimum of 16 sums with its number, sum << 16 | number. */
__device__ __forceinline__ uint32_t
expstep_winner (const uint32_t even_sums[4], const uint32_t odd_sums[4],
    int valid)
{
  uint32_t best = 0xffffffffu;

#pragma unroll
  for (int w = 0; w < 4; w++) {
    uint32_t four[4] = {
      even_sums[w] << 16, odd_sums[w] << 16,
      even_sums[w] & 0xffff0000u, odd_sums[w] & 0xffff0000u
    };

#pragma unroll
    for (int j = 0; j < 4; j++) {
      if (4 * w + j < valid)
        best = min (best, four[j] | (uint32_t) (4 * w + j));
    }
  }
  return best;
}

/* Weight tables of passes, as many as kernel arguments can hold. */
template < int SIZE > struct PassTables
{
  static const int most = 3072 / SIZE;

  int n;
  int step[most];
  uint8_t weight[most][SIZE];
};

struct PrepareArgs
{
  StereoView left;
  StereoView right;
  int width;
  int height;
  size_t pitch;
  /* Written by the first launch, or NULL. */
  uint8_t *left_luma;
  uint8_t *right_luma;
  uint32_t *left_color;
  uint32_t *right_color;
  uint32_t *best;
  uint32_t *right_winners;
  size_t right_stride;
  uint32_t *weights;            /* of the first of these passes */
  bool first;
};

/* Offsets within a view fit 32 bits. */
template < int CHANNELS > __device__ __forceinline__ uint32_t
view_color (const StereoView & view, int x, int y)
{
  uint32_t row = (uint32_t) y * (uint32_t) view.stride;

  if (CHANNELS == 1)
    return view.plane[0][row + (uint32_t) x];
  return *(const uint32_t *) (view.plane[0] + (row + 4 * (uint32_t) x))
      & 0xffffff;
}

/* Copies a pixel to planes with zeros up to the pitch, and clears winners. */
template < int CHANNELS > __device__ __forceinline__ void
expstep_copy_pixel (const PrepareArgs & a, int x, int y)
{
  size_t at = (size_t) y * a.pitch + (size_t) x;
  uint32_t l = 0, r = 0;

  if (a.best != NULL)
    a.best[at] = 0xffffffffu;
  if (a.right_winners != NULL && x < a.width)
    a.right_winners[(size_t) y * a.right_stride + x] = STEREO_NO_WINNER;
  if (a.left_luma == NULL && a.left_color == NULL)
    return;
  if (x < a.width) {
    l = view_color < CHANNELS > (a.left, x, y);
    r = view_color < CHANNELS > (a.right, x, y);
  }
  if (a.left_color != NULL) {
    a.left_color[at] = l;
    a.right_color[at] = r;
    return;
  }
  if (CHANNELS == 3) {
    l = stereo_luma ((uint8_t) l, (uint8_t) (l >> 8), (uint8_t) (l >> 16));
    r = stereo_luma ((uint8_t) r, (uint8_t) (r >> 8), (uint8_t) (r >> 16));
  }
  a.left_luma[at] = (uint8_t) l;
  a.right_luma[at] = (uint8_t) r;
}

/* Rows of a block; with few, loading tables would dominate. */
const int prepare_rows = 8;

/* Weights of a pixel for a pass: bytes 0 and 1 for the neighbours before and
 * after it in the row, bytes 2 and 3 for those in the column. */
template < int CHANNELS, int METRIC > __device__ __forceinline__ uint32_t
weights_at (const PrepareArgs & a, const uint8_t * table, int s, int x, int y)
{
  const uint32_t own = view_color < CHANNELS > (a.left, x, y);
  uint32_t u[4];

#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int qx = x + (j == 0 ? -s : j == 1 ? s : 0);
    const int qy = y + (j == 2 ? -s : j == 3 ? s : 0);
    const bool inside = qx >= 0 && qy >= 0 && qx < a.width && qy < a.height;
    /* without a branch, so that all loads are in flight */
    const uint32_t weight = raw_weight < CHANNELS, METRIC > (table, own,
        view_color < CHANNELS > (a.left, inside ? qx : x, inside ? qy : y));

    u[j] = inside ? weight : 0;
  }
  return normalise (u[0], u[1]) | normalise (u[2], u[3]) << 16;
}

template < int CHANNELS, int METRIC, int SIZE > __global__ void
prepare_kernel (const __grid_constant__ PassTables < SIZE > tables,
    const __grid_constant__ PrepareArgs a)
{
  __shared__ uint32_t shared[SIZE / 4];
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y0 = (int) blockIdx.y * prepare_rows, pass = (int) blockIdx.z;
  const int end = min (y0 + prepare_rows, a.height);

  pdl_launch_dependents ();
  for (int i = (int) threadIdx.x; i < SIZE / 4; i += expstep_threads)
    shared[i] = ((const uint32_t *) tables.weight[pass])[i];
  __syncthreads ();
  if (a.first && pass == 0 && x < a.pitch) {
    for (int y = y0; y < end; y++)
      expstep_copy_pixel < CHANNELS > (a, x, y);
  }
  if (x >= a.width)
    return;
#pragma unroll 2
  for (int y = y0; y < end; y++)
    a.weights[((size_t) pass * a.height + y) * a.pitch + x] =
        weights_at < CHANNELS, METRIC > (a, (const uint8_t *) shared,
        tables.step[pass], x, y);
}

__global__ void
expstep_finish_kernel (int width, bool empty, size_t pitch,
    const uint32_t * best, const StereoMap map, const StereoOutput output,
    bool encode)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x), y = (int) blockIdx.y;

  pdl_wait ();
  if (x < width)
    stereo_store_index (&map, encode ? &output : NULL, x, y, empty
        ? STEREO_INVALID : best[(size_t) y * pitch + x] & 0xffff);
}

__global__ void
expstep_no_winners_kernel (int width, const StereoWinners winners)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x), y = (int) blockIdx.y;

  pdl_wait ();
  if (x < width)
    stereo_winner_store (&winners, x, y, STEREO_INVALID, 0, 0, 0, 0);
}

dim3
rows_grid (int width, int height, int groups)
{
  return dim3 ((unsigned) (width + expstep_threads - 1) / expstep_threads,
      (unsigned) height, (unsigned) groups);
}

template < int CHANNELS, int METRIC, int SIZE > void
launch_prepare (StereoCudaStage & stage, const StereoExpstepPass * passes,
    int n_passes, PrepareArgs a)
{
  for (int i = 0; i < n_passes;) {
    PassTables < SIZE > tables;

    a.first = i == 0;
    for (tables.n = 0; tables.n < tables.most && i < n_passes; i++) {
      tables.step[tables.n] = passes[i].step;
      memcpy (tables.weight[tables.n++], passes[i].weight, SIZE);
    }
    prepare_kernel < CHANNELS, METRIC, SIZE >
        <<< rows_grid ((int) a.pitch, (a.height + prepare_rows - 1)
        / prepare_rows, tables.n), expstep_threads, 0,
        stage.stream () >>> (tables, a);
    a.weights += (size_t) tables.n * (size_t) a.height * a.pitch;
  }
}

StereoStatus
expstep_prepare (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, const StereoExpstepWork * work)
{
  StereoCudaStage stage (frame->queue);
  const StereoWinners *winners = work->winners;
  PrepareArgs a = { };

  a.left = frame->left;
  a.right = frame->right;
  a.width = k->width;
  a.height = k->height;
  a.pitch = work->pitch;
  a.left_luma = work->left[0];
  a.right_luma = work->right[0];
  a.left_color = (uint32_t *) work->left[1];
  a.right_color = (uint32_t *) work->right[1];
  if (winners == NULL) {
    a.best = (uint32_t *) work->best;
  } else if (winners->right != NULL) {
    a.right_winners = winners->right;
    a.right_stride = winners->right_stride;
  }
  a.weights = (uint32_t *) work->weights;

  if (!stage.entered ())
    return stage.status ();
  if (k->channels == 1)
    launch_prepare < 1, STEREO_COLOR_METRIC_MAX, 256 > (stage, passes,
        n_passes, a);
  else if (k->metric == STEREO_COLOR_METRIC_MAX)
    launch_prepare < 3, STEREO_COLOR_METRIC_MAX, 256 > (stage, passes,
        n_passes, a);
  else if (k->metric == STEREO_COLOR_METRIC_RMS)
    launch_prepare < 3, STEREO_COLOR_METRIC_RMS, 768 > (stage, passes,
        n_passes, a);
  else
    launch_prepare < 3, STEREO_COLOR_METRIC_MEAN, 768 > (stage, passes,
        n_passes, a);
  return STEREO_CUDA_LAUNCHED (stage, "the weights of exponential steps");
}

/* The last pass, if any, has stored the winners. */
StereoStatus
expstep_finish (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work)
{
  StereoCudaStage stage (frame->queue);
  const bool empty = k->first_index == k->end_index;
  const dim3 grid = rows_grid (k->width, k->height, 1);
  StereoOutput none = { };

  if (!stage.entered ())
    return stage.status ();
  if (frame->winners != NULL && !empty)
    return STEREO_OK;
  if (frame->winners != NULL)
    launch_overlapping (frame->queue, grid, dim3 (expstep_threads), 0,
        expstep_no_winners_kernel, k->width, *frame->winners);
  else
    launch_overlapping (frame->queue, grid, dim3 (expstep_threads), 0,
        expstep_finish_kernel, k->width, empty, work->pitch,
        (const uint32_t *) work->best, frame->map,
        frame->output != NULL ? *frame->output : none, frame->output != NULL);
  return STEREO_CUDA_LAUNCHED (stage, "the output of exponential steps");
}

/* Declares all memory except volumes; returns the elements of a plane. */
size_t
expstep_plan_planes (const StereoExpstepConstants * k, int n_passes,
    StereoExpstepWork * work, StereoArena * arena)
{
  size_t plane;

  work->pitch = ((size_t) k->width + 31) / 32 * 32;
  plane = work->pitch * (size_t) k->height;
  if (!k->uses_words) {
    const int of = k->cost_channels == 3 ? 1 : 0;

    stereo_arena_add (arena, (void **) &work->left[of], plane,
        k->cost_channels == 3 ? 4 : 1);
    stereo_arena_add (arena, (void **) &work->right[of], plane,
        k->cost_channels == 3 ? 4 : 1);
  }
  stereo_arena_add (arena, (void **) &work->weights,
      plane * (size_t) n_passes, sizeof (uint32_t));
  stereo_arena_add (arena, &work->best, plane, sizeof (uint32_t));
  return plane;
}

/* Arguments of the first costs, in volume 0. */
void
expstep_args (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk,
    ExpstepArgs * a)
{
  memset ((void *) a, 0, sizeof (*a));
  a->k = *k;
  a->left_luma = work->left[0];
  a->right_luma = work->right[0];
  a->left_color = (const uint32_t *) work->left[1];
  a->right_color = (const uint32_t *) work->right[1];
  a->left_words = (const uint32_t *) work->words[0].plane[0];
  a->right_words = (const uint32_t *) work->words[1].plane[0];
  a->words_stride = work->words[0].stride / sizeof (uint32_t);
  a->pitch = work->pitch;
  a->target = (uint4 *) work->volume[0];
  a->best = (uint32_t *) work->best;
  a->neighbors = work->neighbors;
  a->last_sum = work->last_sum;
  a->seconds = work->seconds;
  if (work->winners != NULL)
    a->winners = *work->winners;
  a->first = chunk->first;
  a->count = chunk->count;
  a->groups = (chunk->count + 15) / 16;
}

/* The same for pass `index`, which reads one volume and writes the other. */
void
expstep_pass_args (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk,
    ExpstepArgs * a)
{
  expstep_args (k, work, chunk, a);
  a->source = (const uint4 *) work->volume[index % 2];
  a->target = (uint4 *) work->volume[1 - index % 2];
  a->step = pass->step;
  a->weights = (const uint32_t *) work->weights
      + (size_t) index * (size_t) a->k.height * work->pitch;
}

/* Divides chains into pieces of about `piece` pixels and returns their number.
 * Long pieces repeat fewer sums along rows, short ones occupy more threads. */
int
expstep_cut_chains (int piece, ExpstepArgs * a)
{
  int s = a->step < a->k.height ? a->step : a->k.height;
  int length = (a->k.height + s - 1) / s;
  int pieces;

  pieces = (length + piece - 1) / piece;
  a->piece = (length + pieces - 1) / pieces;
  return s * pieces;
}

}                               // namespace

#endif /* STEREO_EXPSTEP_CUH */
