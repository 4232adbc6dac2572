/* gst-stereomatching: resampling between pyramid levels on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The input of a level: words of both views, from pixels or from the next finer
 * level, and a field, constant or from the next coarser level. */

#include "match/pyramid/pyramid.cuh"

namespace
{

__global__ void
start_kernel (const StereoView left, const StereoView right, int channels,
    int width, int height, int stride, uint32_t * left_words,
    uint32_t * right_words)
{
  int x, y;

  pdl_launch_dependents ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const StereoView & view = i ? right : left;
    const uint8_t *row = view.plane[0] + (size_t) y * view.stride;
    uint32_t v = channels == 3 ? ((const uint32_t *) row)[x]
        : row[x] * 0x010101u;

    (i ? right_words : left_words)[y * stride + x] =
        stereo_pyramid_word (v & 255u, v >> 8 & 255u, v >> 16 & 255u);
  }
}

/* A block computes downsample_width x downsample_height pixels of the coarse
 * level; these need at most downsample_rows rows of the fine one. */
const int downsample_width = 32;
const int downsample_height = 16;
const int downsample_rows = 32;
const int downsample_threads = 256;

/* A word of the coarse level from filtered rows, the first one `from`, at a
 * fraction in 64ths of a pixel. */
__device__ __forceinline__ uint32_t
sum_rows (const uint32_t (&sums)[3][downsample_rows][downsample_width],
    int tx, int from, uint32_t fraction)
{
  uint32_t sum[3] = { 0, 0, 0 };

#pragma unroll
  for (int j = 0; j < 6; j++) {
    const uint32_t w = stereo_pyramid_tap (j, fraction);

#pragma unroll
    for (int c = 0; c < 3; c++)
      sum[c] += w * sums[c][from + j][tx];
  }
  return stereo_pyramid_pack (stereo_pyramid_smaller (sum[0]),
      stereo_pyramid_smaller (sum[1]), stereo_pyramid_smaller (sum[2]));
}

__global__ void __launch_bounds__ (downsample_threads)
downsample_kernel (const StereoPyramidLevel fine,
    const StereoPyramidLevel coarse)
{
  const int lines = downsample_threads / downsample_width;
  const int turns = downsample_rows / lines;
  __shared__ uint32_t sums[3][downsample_rows][downsample_width];
  const uint32_t *source = blockIdx.z ? fine.right : fine.left;
  uint32_t *target = blockIdx.z ? coarse.right : coarse.left;
  const int tx = (int) threadIdx.x % downsample_width;
  const int ty = (int) threadIdx.x / downsample_width;
  const int x = (int) blockIdx.x * downsample_width + tx;
  const int y0 = (int) blockIdx.y * downsample_height;
  const int y1 = min (y0 + downsample_height, coarse.height) - 1;
  const int first = (stereo_pyramid_position (y0, fine.downsample_y,
          fine.height) >> 6) - 2;
  const int last = (stereo_pyramid_position (y1, fine.downsample_y,
          fine.height) >> 6) + 3;
  const int px = stereo_pyramid_position (x, fine.downsample_x, fine.width);
  uint32_t weight[6], word[turns][6];
  int column[6];

  pdl_start ();
#pragma unroll
  for (int i = 0; i < 6; i++) {
    weight[i] = stereo_pyramid_tap (i, (uint32_t) px & 63u);
    column[i] = stereo_clamp_int ((px >> 6) - 2 + i, 0, fine.width - 1);
  }
  /* all loads first; threads without a row repeat the last one */
#pragma unroll
  for (int k = 0; k < turns; k++) {
    const uint32_t *row = source
        + (size_t) stereo_clamp_int (first + min (ty + k * lines,
            last - first), 0, fine.height - 1) * fine.stride;

#pragma unroll
    for (int i = 0; i < 6; i++)
      word[k][i] = row[column[i]];
  }
#pragma unroll
  for (int k = 0; k < turns; k++) {
    const int j = ty + k * lines;
    uint32_t r = 0, g = 0, b = 0;

#pragma unroll
    for (int i = 0; i < 6; i++) {
      r += weight[i] * stereo_pyramid_r (word[k][i]);
      g += weight[i] * stereo_pyramid_g (word[k][i]);
      b += weight[i] * stereo_pyramid_b (word[k][i]);
    }
    if (j <= last - first) {
      sums[0][j][tx] = r;
      sums[1][j][tx] = g;
      sums[2][j][tx] = b;
    }
  }
  __syncthreads ();
  if (x >= coarse.width)
    return;
  for (int y = y0 + ty; y <= y1; y += lines) {
    const int py = stereo_pyramid_position (y, fine.downsample_y, fine.height);
    const int from = (py >> 6) - 2 - first;

    target[(size_t) y * coarse.stride + x] = sum_rows (sums, tx, from,
        (uint32_t) py & 63u);
  }
}

__global__ void
clear_kernel (int width, int height, int stride, float start,
    const StereoPyramidField field)
{
  int x, y;

  pdl_start ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;
  field.dx[y * stride + x] = start;
  if (field.dy != NULL)
    field.dy[y * stride + x] = 0.0f;
  field.confidence[y * stride + x] = 0.0f;
}

__device__ __forceinline__ float
upsample_plane (const float *plane, int at, int right, int down, float ax,
    float ay)
{
  return stereo_pyramid_lerp (plane[at], plane[at + right], plane[at + down],
      plane[at + down + right], ax, ay);
}

__global__ void
upsample_kernel (const StereoPyramidLevel coarse, const StereoPyramidLevel fine,
    const StereoPyramidField from, const StereoPyramidField to)
{
  int x, y;

  pdl_start ();
  if (!stereo_own_pixel (fine.width, fine.height, &x, &y))
    return;

  const int px = stereo_pyramid_position (x, fine.upsample_x, coarse.width);
  const int py = stereo_pyramid_position (y, fine.upsample_y, coarse.height);
  const int source = (py >> 6) * (int) coarse.stride + (px >> 6);
  const int target = y * (int) fine.stride + x;
  const int right = (px >> 6) + 1 < coarse.width ? 1 : 0;
  const int down = (py >> 6) + 1 < coarse.height ? (int) coarse.stride : 0;
  const float ax = fraction (px), ay = fraction (py);

  to.dx[target] = upsample_plane (from.dx, source, right, down, ax, ay)
      * fine.scale_x;
  if (to.dy != NULL)
    to.dy[target] = upsample_plane (from.dy, source, right, down, ax, ay)
        * fine.scale_y;
  to.confidence[target] = upsample_plane (from.confidence, source, right, down,
      ax, ay);
}

}                               // namespace

StereoStatus
stereo_pyramid_start_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  start_kernel <<< stereo_pixel_grid (s->level->width, s->level->height),
      stereo_pixel_block, 0, stage.stream () >>>
      (*s->left, *s->right, s->k->channels, s->level->width, s->level->height,
      (int) s->level->stride, s->level->left, s->level->right);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's start_kernel");
}

StereoStatus
stereo_pyramid_downsample_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  dim3 grid = pyramid_grid (s->level->width, s->level->height, downsample_width,
      downsample_height);

  if (!stage.entered ())
    return stage.status ();
  grid.z = 2;
  launch_tiles (s->queue, grid, downsample_threads, 0, downsample_kernel,
      *s->source, *s->level);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's downsample_kernel");
}

StereoStatus
stereo_pyramid_clear_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_pixels (s->queue, s->level, clear_kernel, s->level->width,
      s->level->height, (int) s->level->stride, s->k->start, *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's clear_kernel");
}

StereoStatus
stereo_pyramid_upsample_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_pixels (s->queue, s->level, upsample_kernel, *s->source, *s->level,
      *s->from, *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's upsample_kernel");
}
