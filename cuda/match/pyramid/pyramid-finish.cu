/* gst-stereomatching: consistency check and output of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Level 0: left-right consistency check, winners, hole filling and codes. */

#include "match/pyramid/pyramid.cuh"
#include "refine/output.h"

namespace
{

__global__ void
check_kernel (int width, int height, int stride, float max_diff,
    const StereoPyramidField back, const StereoPyramidField field)
{
  int x, y;

  pdl_wait ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;

  const int at = y * stride + x;
  const bool vertical = field.dy != NULL;
  const float dx = field.dx[at], dy = vertical ? field.dy[at] : 0.0f;
  bool valid = stereo_pyramid_inside (x, dx, width)
      && stereo_pyramid_inside (y, dy, height);

  if (valid) {
    const int there = stereo_pyramid_nearest (y, dy, height) * stride
        + stereo_pyramid_nearest (x, dx, width);

    valid = stereo_pyramid_agrees (dx, back.dx[there], max_diff)
        && (!vertical || stereo_pyramid_agrees (dy, back.dy[there], max_diff));
  }
  if (!valid)
    field.confidence[at] = 0.0f;
}

/* The first valid pixel from x on, or -1. */
__device__ int
next_valid (const float *confidence, int x, int width)
{
  for (; x < width; x += 32) {
    const int own = x + (int) threadIdx.x;
    const unsigned valid = __ballot_sync (~0u, own < width
        && confidence[own] > 0.0f);

    if (valid != 0)
      return x + __ffs ((int) valid) - 1;
  }
  return -1;
}

const int fill_rows = 4;

/* A warp fills a row.  It reads valid pixels only, which no warp changes. */
__global__ void __launch_bounds__ (32 * fill_rows)
fill_kernel (int width, int height, int stride,
    const StereoPyramidField field)
{
  const int y = (int) (blockIdx.x * fill_rows + threadIdx.y);
  const int lane = (int) threadIdx.x;

  pdl_wait ();
  if (y >= height)
    return;

  const size_t row = (size_t) y * stride;
  const float *confidence = field.confidence + row;
  float *dx = field.dx + row;
  float *dy = field.dy != NULL ? field.dy + row : NULL;
  int before = -1, beyond = 0;

  for (int begin = 0; begin < width; begin += 32) {
    const int x = begin + lane;
    const unsigned valid = __ballot_sync (~0u, x < width
        && confidence[x] > 0.0f);
    const unsigned lower = valid & ((1u << lane) - 1);
    const unsigned upper = valid & ~((2u << lane) - 1);

    /* one search serves all columns up to the pixel that it finds */
    if (beyond >= 0 && beyond < begin + 32)
      beyond = next_valid (confidence, begin + 32, width);
    if (x < width && (valid >> lane & 1) == 0) {
      const int from = stereo_pyramid_filler (dx,
          lower != 0 ? begin + 31 - __clz ((int) lower) : before,
          upper != 0 ? begin + __ffs ((int) upper) - 1 : beyond);

      if (from >= 0) {
        dx[x] = dx[from];
        if (dy != NULL)
          dy[x] = dy[from];
      }
    }
    if (valid != 0)
      before = begin + 31 - __clz ((int) valid);
  }
}

__global__ void
winners_kernel (int width, int height, int stride,
    const StereoPyramidConstants k, const StereoPyramidField field,
    const StereoPyramidField back, const StereoWinners winners)
{
  int x, y;

  pdl_wait ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;

  const int at = y * stride + x;
  const int last = k.num_disparities - 1;

  winners.left[(size_t) y * winners.left_stride + x] = stereo_pyramid_winner (
      stereo_pyramid_code (field.dx[at], k.unit, k.min_disparity,
          k.unit * last), k.unit, field.confidence[at]);
  if (winners.right != NULL)
    stereo_winner_store_right (&winners, x, y, stereo_pyramid_right_winner (
            back.dx[at], k.min_disparity, last));
}

struct Outputs
{
  StereoOutput output[STEREO_N_RESULTS];
  bool wanted[STEREO_N_RESULTS];
};

__device__ __forceinline__ void
store_or_invalidate (const StereoOutput & output, int x, int y, bool valid,
    float value)
{
  if (valid)
    stereo_store_value (&output, x, y, value);
  else
    stereo_store_raw (&output, x, y, (uint16_t) output.invalid);
}

__global__ void
finish_kernel (int width, int height, int stride,
    const StereoPyramidField field, float min_confidence, const Outputs out)
{
  int x, y;

  pdl_wait ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;

  const int at = y * stride + x;
  const bool valid = field.confidence[at] >= min_confidence;

  if (out.wanted[STEREO_RESULT_DISPARITY])
    store_or_invalidate (out.output[STEREO_RESULT_DISPARITY], x, y, valid,
        -field.dx[at]);
  if (out.wanted[STEREO_RESULT_VERTICAL])
    store_or_invalidate (out.output[STEREO_RESULT_VERTICAL], x, y, valid,
        field.dy != NULL ? -field.dy[at] : 0.0f);
  if (out.wanted[STEREO_RESULT_CONFIDENCE])
    stereo_store_value (&out.output[STEREO_RESULT_CONFIDENCE], x, y,
        field.confidence[at]);
}

}                               // namespace

StereoStatus
stereo_pyramid_check_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_pixels (s->queue, s->level, check_kernel, s->level->width,
      s->level->height, (int) s->level->stride, s->k->max_diff, *s->from,
      *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's check_kernel");
}

StereoStatus
stereo_pyramid_fill_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_overlapping (s->queue, stereo_blocks (s->level->height, fill_rows),
      dim3 (32, fill_rows), 0, fill_kernel, s->level->width,
      s->level->height, (int) s->level->stride, *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's fill_kernel");
}

StereoStatus
stereo_pyramid_winners_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_pixels (s->queue, s->level, winners_kernel, s->level->width,
      s->level->height, (int) s->level->stride, *s->k, *s->from, *s->back,
      *s->winners);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's winners_kernel");
}

StereoStatus
stereo_pyramid_finish_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  Outputs out;

  memset ((void *) &out, 0, sizeof (out));
  for (int i = 0; i < STEREO_N_RESULTS; i++) {
    out.wanted[i] = s->results[i] != NULL;
    if (out.wanted[i])
      out.output[i] = *s->results[i];
  }
  if (!stage.entered ())
    return stage.status ();
  launch_pixels (s->queue, s->level, finish_kernel, s->level->width,
      s->level->height, (int) s->level->stride, *s->from,
      s->k->min_confidence, out);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's finish_kernel");
}
