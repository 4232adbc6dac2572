/* gst-stereomatching: medians weighted by colour, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Codes and weights of a window are in registers: of a warp where few pixels
 * want a large one, of a thread where all want a small one.  The median is
 * found by halving the range of the window's codes, which is short nearly
 * everywhere.
 */

#include "refine/refine.cuh"

#include "cost/difference.h"
#include "refine/output.h"

namespace
{

/* Pixels of the tile of a block, in both kernels. */
const int tile_width = 32;
const int tile_height = 8;
const int threads = tile_width * tile_height;

dim3
grid_for (const StereoRefineConstants * k)
{
  return dim3 ((unsigned) ((k->width + tile_width - 1) / tile_width),
      (unsigned) ((k->height + tile_height - 1) / tile_height));
}

/* ------------------------------------------------- 15x15, what was filled */

const int filled_side = 2 * STEREO_REFINE_FILLED_RADIUS + 1;
const int filled_area = filled_side * filled_side;
const int filled_each = (filled_area + 31) / 32;

/* The weighted median around (x, y), by a warp. */
__device__ unsigned
filled_median (const StereoRefineConstants & k, const StereoView & left,
    const StereoMap & map, const uint8_t * rows, const uint8_t * weight_of,
    int x, int y)
{
  const uint32_t center = stereo_view_pixel (&left, k.channels, x, y);
  unsigned code[filled_each], weight[filled_each];
  unsigned whole = 0, low = STEREO_INVALID, high = 0;

#pragma unroll
  for (int i = 0; i < filled_each; i++) {
    const int at = (int) threadIdx.x % 32 + 32 * i;
    const int u = x + at % filled_side - STEREO_REFINE_FILLED_RADIUS;
    const int v = y + at / filled_side - STEREO_REFINE_FILLED_RADIUS;

    code[i] = STEREO_INVALID;
    weight[i] = 0;
    if (at < filled_area && u >= 0 && u < k.width && v >= 0 && v < k.height)
      code[i] = map_row (map, filled_row (rows, k.height, v))[u];
    if (code[i] != STEREO_INVALID) {
      weight[i] = weight_of[stereo_difference_max (center,
              stereo_view_pixel (&left, k.channels, u, v))];
      low = min (low, code[i]);
      high = max (high, code[i]);
    }
    whole += weight[i];
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    whole += __shfl_xor_sync (0xffffffff, whole, step);
    low = min (low, __shfl_xor_sync (0xffffffff, low, step));
    high = max (high, __shfl_xor_sync (0xffffffff, high, step));
  }
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    unsigned sum = 0;

#pragma unroll
    for (int i = 0; i < filled_each; i++)
      sum += code[i] <= middle ? weight[i] : 0;
#if __CUDA_ARCH__ >= 800
    sum = __reduce_add_sync (0xffffffff, sum);
#else
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync (0xffffffff, sum, step);
#endif
    if (2 * sum >= whole)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The pixels of a tile that were filled are shared out to its warps. */
__global__ void
__launch_bounds__ (threads) weigh_kernel (const StereoRefineConstants k,
    const StereoView left, const StereoRefineWork work)
{
  __shared__ uint8_t weight_of[256];
  __shared__ uint16_t wanted[threads];
  __shared__ int n_wanted;
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * tile_height;
  const int own = (int) threadIdx.x;
  const int x = x0 + own % tile_width, y = y0 + own / tile_width;

  if (own == 0)
    n_wanted = 0;
  weight_of[own] = k.weight[own];
  __syncthreads ();
  if (x < k.width && y < k.height) {
    if (map_row (work.map, y)[x] == STEREO_INVALID)
      wanted[atomicAdd (&n_wanted, 1)] = (uint16_t) own;
    else
      work.weighted.data[(size_t) y * work.weighted.stride + x] =
          map_row (work.filled, y)[x];
  }
  __syncthreads ();
  for (int i = own / 32; i < n_wanted; i += threads / 32) {
    const int u = x0 + wanted[i] % tile_width, v = y0 + wanted[i] / tile_width;
    const unsigned median = filled_median (k, left, work.filled, work.rows,
        weight_of, u, v);

    if (own % 32 == 0)
      work.weighted.data[(size_t) v * work.weighted.stride + u] =
          (uint16_t) median;
  }
}

/* --------------------------------------------------------- 7x7, all pixels */

const int radius = STEREO_REFINE_ALL_RADIUS;
const int side = 2 * radius + 1;

__global__ void
__launch_bounds__ (threads) finish_weighted_kernel (
    const StereoRefineConstants k, const StereoView left, const StereoMap map,
    const uint8_t * rows, const StereoOutput output)
{
  __shared__ uint8_t weight_of[256];
  __shared__ uint32_t pixels[tile_height + 2 * radius][tile_width + 2 * radius];
  __shared__ uint16_t codes[tile_height + 2 * radius][tile_width + 2 * radius];
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * tile_height;
  const int own = (int) threadIdx.x;
  const int column = own % tile_width, row = own / tile_width;

  weight_of[own] = k.weight[own];
  for (int i = own; i < (tile_width + 2 * radius) * (tile_height + 2 * radius);
      i += threads) {
    const int u = x0 + i % (tile_width + 2 * radius) - radius;
    const int v = y0 + i / (tile_width + 2 * radius) - radius;
    const bool inside = u >= 0 && u < k.width && v >= 0 && v < k.height;

    pixels[0][i] = inside ? stereo_view_pixel (&left, k.channels, u, v) : 0;
    codes[0][i] = inside ? map_row (map, filled_row (rows, k.height, v))[u]
        : (uint16_t) STEREO_INVALID;
  }
  __syncthreads ();
  if (x0 + column >= k.width || y0 + row >= k.height)
    return;

  const uint32_t center = pixels[row + radius][column + radius];
  unsigned code[side * side], weight[side * side];
  unsigned whole = 0, low = STEREO_INVALID, high = 0;

#pragma unroll
  for (int i = 0; i < side * side; i++) {
    const int v = row + i / side, u = column + i % side;

    code[i] = codes[v][u];
    weight[i] = code[i] == STEREO_INVALID ? 0
        : weight_of[stereo_difference_max (center, pixels[v][u])];
    whole += weight[i];
    low = min (low, code[i]);
    high = max (high, code[i] == STEREO_INVALID ? 0 : code[i]);
  }
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    unsigned sum = 0;

#pragma unroll
    for (int i = 0; i < side * side; i++)
      sum += code[i] <= middle ? weight[i] : 0;
    if (2 * sum >= whole)
      high = middle;
    else
      low = middle + 1;
  }
  stereo_store_raw (&output, x0 + column, y0 + row,
      stereo_output_from_map (&output, low));
}

}                               // namespace

StereoStatus
stereo_cuda_weigh (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  weigh_kernel <<< grid_for (k), threads, 0, stage.stream () >>> (*k, *left,
      *work);
  return STEREO_CUDA_LAUNCHED (stage, "weigh_kernel");
}

StereoStatus
stereo_cuda_finish_weighted (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  finish_weighted_kernel <<< grid_for (k), threads, 0, stage.stream () >>> (*k,
      *left, *map, rows_of (k, work, map), *output);
  return STEREO_CUDA_LAUNCHED (stage, "finish_weighted_kernel");
}
