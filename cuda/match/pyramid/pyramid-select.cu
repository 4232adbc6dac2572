/* gst-stereomatching: selection of displacements in a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A block keeps the errors of a candidate in shared memory, for a tile and the
 * window around it; a thread compares the sums of four pixels in a column. */

#include "match/pyramid/pyramid.cuh"

namespace
{

const int radius = STEREO_PYRAMID_CENSUS_RADIUS;

/* ------------------------------------------------------------------- census */

__global__ void
census_kernel (const StereoPyramidLevel level, uint32_t * left,
    uint32_t * right)
{
  __shared__ int brightness[block_height + 2 * radius][block_width
      + 2 * radius];
  const uint32_t *view = blockIdx.z ? level.right : level.left;
  const int x0 = (int) blockIdx.x * block_width - radius;
  const int y0 = (int) blockIdx.y * block_height - radius;
  const int tx = (int) threadIdx.x, ty = (int) threadIdx.y;
  int x, y;

  pdl_wait ();
  for (int j = ty; j < block_height + 2 * radius; j += block_height) {
    const uint32_t *row = view + (size_t) stereo_clamp_int (y0 + j, 0,
        level.height - 1) * level.stride;

    for (int i = tx; i < block_width + 2 * radius; i += block_width)
      brightness[j][i] = stereo_pyramid_brightness (row[stereo_clamp_int (x0
                  + i, 0, level.width - 1)]);
  }
  __syncthreads ();
  if (!own_pixel (level.width, level.height, &x, &y))
    return;

  const int center = brightness[ty + radius][tx + radius];
  uint32_t bits = 0;

#pragma unroll
  for (int i = 0; i < 25; i++) {
    if (i != 12)
      bits = bits << 1 | (brightness[ty + i / 5][tx + i % 5] > center ? 1 : 0);
  }
  (blockIdx.z ? right : left)[(size_t) y * level.stride + x] = bits;
}

/* ---------------------------------------------------------------- selection */

const int tile_size = 32;
const int tile_rows = 8;        /* of threads */
const int own_rows = tile_size / tile_rows;
const int window = STEREO_PYRAMID_WINDOW;
const int side = tile_size + 2 * window;

struct Census
{
  const uint32_t *left;
  const uint32_t *right;
};

/* Offset of the pixel whose displacement a candidate of (x, y) has. */
__device__ __forceinline__ size_t
source_of (const StereoPyramidLevel & level, StereoPyramidCandidate c, int x,
    int y)
{
  return (size_t) stereo_clamp_int (y + c.y, 0, level.height - 1)
      * level.stride + stereo_clamp_int (x + c.x, 0, level.width - 1);
}

/* The errors of a candidate in the tile at (x0, y0), which has the window's
 * border. */
__device__ __forceinline__ void
compute_errors (const StereoPyramidLevel & level, const Census & census,
    const StereoPyramidField & from, StereoPyramidCandidate c, int x0, int y0,
    uint8_t (*error)[side])
{
  for (int j = (int) threadIdx.y; j < side; j += tile_rows) {
    const int y = stereo_clamp_int (y0 + j, 0, level.height - 1);

    for (int i = (int) threadIdx.x; i < side; i += tile_size) {
      const int x = stereo_clamp_int (x0 + i, 0, level.width - 1);
      const size_t q = source_of (level, c, x, y);

      error[j][i] = (uint8_t) stereo_pyramid_error (
          census.left[(size_t) y * level.stride + x], census.right,
          level.stride, level.width, level.height, x, y,
          from.dx[q] + (float) c.add, from.dy != NULL ? from.dy[q] : 0.0f);
    }
  }
}

/* The sums of the window around the thread's pixels. */
__device__ __forceinline__ void
sum_windows (const uint8_t (*error)[side], int sum[own_rows])
{
  int row[own_rows + 2 * window];

#pragma unroll
  for (int j = 0; j < own_rows + 2 * window; j++) {
    const uint8_t *e = error[(int) threadIdx.y * own_rows + j]
        + (int) threadIdx.x;

    row[j] = e[0] + e[1] + e[2] + e[3] + e[4];
  }
#pragma unroll
  for (int j = 0; j < own_rows; j++)
    sum[j] = row[j] + row[j + 1] + row[j + 2] + row[j + 3] + row[j + 4];
}

__device__ __forceinline__ void
store_selected (const StereoPyramidLevel & level, StereoPyramidCandidate c,
    int x, int y, const StereoPyramidField & from,
    const StereoPyramidField & to)
{
  const size_t q = source_of (level, c, x, y);
  const size_t p = (size_t) y * level.stride + x;

  to.dx[p] = from.dx[q] + (float) c.add;
  if (to.dy != NULL)
    to.dy[p] = from.dy[q];
  to.confidence[p] = from.confidence[q];
}

__global__ void __launch_bounds__ (tile_size * tile_rows)
select_kernel (const StereoPyramidLevel level, const Census census,
    const StereoPyramidField from, const StereoPyramidField to)
{
  /* two, so that one barrier per candidate is enough */
  __shared__ uint8_t error[2][side][side];
  const int x0 = (int) blockIdx.x * tile_size;
  const int y0 = (int) blockIdx.y * tile_size;
  const int x = x0 + (int) threadIdx.x;
  int lowest[own_rows], best[own_rows];

  pdl_wait ();
  for (int i = 0; i < STEREO_PYRAMID_CANDIDATES; i++) {
    int sum[own_rows];

    compute_errors (level, census, from, stereo_pyramid_candidate (i),
        x0 - window, y0 - window, error[i & 1]);
    __syncthreads ();
    sum_windows (error[i & 1], sum);
#pragma unroll
    for (int j = 0; j < own_rows; j++) {
      if (i == 0 || sum[j] < lowest[j]) {
        lowest[j] = sum[j];
        best[j] = i;
      }
    }
  }
#pragma unroll
  for (int j = 0; j < own_rows; j++) {
    const int y = y0 + (int) threadIdx.y * own_rows + j;

    if (x < level.width && y < level.height)
      store_selected (level, stereo_pyramid_candidate (best[j]), x, y, from,
          to);
  }
}

}                               // namespace

StereoStatus
stereo_pyramid_census_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  dim3 grid = pixel_grid (s->level);

  if (!stage.entered ())
    return stage.status ();
  grid.z = 2;
  launch_overlapping (s->queue, grid, pixel_block, 0, census_kernel,
      *s->level, s->census[0], s->census[1]);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's census_kernel");
}

StereoStatus
stereo_pyramid_select_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  const Census census = { s->census[0], s->census[1] };

  if (!stage.entered ())
    return stage.status ();
  launch_overlapping (s->queue, pyramid_grid (s->level->width,
          s->level->height, tile_size, tile_size),
      dim3 (tile_size, tile_rows), 0, select_kernel, *s->level, census,
      *s->from, *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's select_kernel");
}
