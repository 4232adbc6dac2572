/* gst-stereomatching: weights and results of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/rounding.cuh"
#include "match/expstep/expstep.cuh"

#include <string.h>

namespace
{

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

/* Both weights of a pass in bytes 0 and 1.  Quotients are multiples of
 * 1 / (2 t), at least 1 / 1532. */
__device__ __forceinline__ uint32_t
normalize (uint32_t u, uint32_t v)
{
  uint32_t t = 256 + u + v;
  float r = __fdividef (0.5f, to_float (t));

  return round_down (to_float (512 * u + t) * r)
      | round_down (to_float (512 * v + t) * r) << 8;
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
  bool concurrent;              /* with the words of the cost */
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
  const size_t at = stereo_plane_offset (x, y, a.pitch);
  uint32_t l = 0, r = 0;

  if (a.best != NULL)
    a.best[at] = 0xffffffffu;
  if (a.right_winners != NULL && x < a.width)
    a.right_winners[stereo_plane_offset (x, y, a.right_stride)] =
        STEREO_NO_WINNER;
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
  return normalize (u[0], u[1]) | normalize (u[2], u[3]) << 16;
}

template < int CHANNELS, int METRIC, int SIZE > __global__ void
prepare_kernel (const __grid_constant__ PassTables < SIZE > tables,
    const __grid_constant__ PrepareArgs a)
{
  __shared__ uint32_t shared[SIZE / 4];
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y0 = (int) blockIdx.y * prepare_rows, pass = (int) blockIdx.z;
  const int end = min (y0 + prepare_rows, a.height);

  for (int i = (int) threadIdx.x; i < SIZE / 4; i += expstep_threads)
    shared[i] = ((const uint32_t *) tables.weight[pass])[i];
  __syncthreads ();
  pdl_start_concurrent (a.concurrent);
  if (a.first && pass == 0 && x < a.pitch) {
    for (int y = y0; y < end; y++)
      expstep_copy_pixel < CHANNELS > (a, x, y);
  }

  uint32_t *weights = a.weights + (size_t) pass * a.height * a.pitch;

#pragma unroll 2
  for (int y = y0; y < end && x < a.width; y++)
    weights[stereo_plane_offset (x, y, a.pitch)] = weights_at < CHANNELS,
        METRIC > (a, (const uint8_t *) shared, tables.step[pass], x, y);
  pdl_end_concurrent (a.concurrent);
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

template < int CHANNELS, int METRIC, int SIZE > void
launch_prepare (StereoQueue * queue, const StereoExpstepPass * passes,
    int n_passes, PrepareArgs a)
{
  for (int i = 0; i < n_passes;) {
    PassTables < SIZE > tables;

    a.first = i == 0;
    a.concurrent = a.concurrent && a.first;
    for (tables.n = 0; tables.n < tables.most && i < n_passes; i++) {
      tables.step[tables.n] = passes[i].step;
      memcpy (tables.weight[tables.n++], passes[i].weight, SIZE);
    }
    launch_overlapping (queue, rows_grid ((int) a.pitch,
            (a.height + prepare_rows - 1) / prepare_rows, tables.n),
        dim3 (expstep_threads), 0, prepare_kernel < CHANNELS, METRIC, SIZE >,
        tables, a);
    a.weights += (size_t) tables.n * (size_t) a.height * a.pitch;
  }
}

}                               // namespace

StereoStatus
stereo_expstep_prepare_cuda (const StereoMatchFrame * frame,
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
  a.concurrent = k->uses_words;

  if (!stage.entered ())
    return stage.status ();
  if (k->channels == 1)
    launch_prepare < 1, STEREO_COLOR_METRIC_MAX, 256 > (frame->queue,
        passes, n_passes, a);
  else if (k->metric == STEREO_COLOR_METRIC_MAX)
    launch_prepare < 3, STEREO_COLOR_METRIC_MAX, 256 > (frame->queue,
        passes, n_passes, a);
  else if (k->metric == STEREO_COLOR_METRIC_RMS)
    launch_prepare < 3, STEREO_COLOR_METRIC_RMS, 768 > (frame->queue,
        passes, n_passes, a);
  else
    launch_prepare < 3, STEREO_COLOR_METRIC_MEAN, 768 > (frame->queue,
        passes, n_passes, a);
  return STEREO_CUDA_LAUNCHED (stage, "the weights of exponential steps");
}

/* The last pass, if any, has stored the winners. */
StereoStatus
stereo_expstep_finish_cuda (const StereoMatchFrame * frame,
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
