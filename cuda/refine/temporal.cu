/* gst-stereomatching: a filter for disparity maps over time, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/temporal.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "core/queue-cuda.h"
#include "refine/output.h"
#include "refine/temporal-pixel.h"

namespace
{

const dim3 block (32, 8);

/* Whether the code before, of a pixel that jumps, is believed. */
__device__ bool
is_believed (const StereoTemporalFrame & f, int x, int y, unsigned before,
    unsigned now)
{
  const int cost = stereo_temporal_sum (&f, f.left, x, f.right,
      stereo_temporal_partner (&f, x, before), y);
  const int other = stereo_temporal_sum (&f, f.left, x, f.right,
      stereo_temporal_partner (&f, x, now), y);
  bool believed;

  if (!stereo_temporal_is_open (cost, other, &believed))
    return believed;
  return stereo_temporal_sum (&f, f.left, x, stereo_temporal_past_view (&f), x,
      y) <= STEREO_TEMPORAL_SUM || !stereo_temporal_was_near (&f, x, y, now);
}

/* A pixel that no frame came before is taken as it is. */
template < bool first >
__global__ void
filter_kernel (const __grid_constant__ StereoTemporalFrame f,
    const __grid_constant__ StereoOutput output)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  const size_t at = (size_t) y * f.stride + x;
  unsigned age = 0;

  pdl_wait ();
  if (x >= f.width || y >= f.height)
    return;

  const unsigned now = f.map.data[(size_t) y * f.map.stride + x];
  const unsigned view = f.left.data[(size_t) y * f.left.stride
      + (size_t) x * f.left.step];
  unsigned next = now;

  if (!first) {
    const unsigned before = f.past.data[(size_t) y * f.past.stride + x];
    const unsigned once = f.past_view[at], passed = f.age[at];
    const int distance = stereo_temporal_distance (before, now);

    if (before == STEREO_INVALID) {
      next = now;
    } else if (now != STEREO_INVALID
        && distance <= STEREO_TEMPORAL_JUMP * f.unit) {
      if (distance <= f.unit
          && stereo_temporal_distance (view, once) <= STEREO_TEMPORAL_LEVELS)
        next = stereo_temporal_mean (before, now);
    } else if (passed < (unsigned) f.frames && (now == STEREO_INVALID
            || is_believed (f, x, y, before, now))) {
      next = before;
      age = passed + 1;
    }
  }
  f.next.data[(size_t) y * f.next.stride + x] = (uint16_t) next;
  f.next_view[at] = (uint8_t) view;
  f.age[at] = (uint8_t) age;
  stereo_store_raw (&output, x, y, stereo_output_from_map (&output,
          now == STEREO_INVALID ? STEREO_INVALID : next));
}

/* ------------------------------------------------------------------- stages */

/* Green is the second byte of a word. */
StereoTemporalView
compared (const StereoView * view, int channels)
{
  StereoTemporalView bytes = { view->plane[0], view->stride, 1 };

  if (channels == 3) {
    bytes.data++;
    bytes.step = 4;
  }
  return bytes;
}

StereoStatus
filter (StereoQueue * queue, const StereoTemporalFrame * frame,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);
  const dim3 grid ((unsigned) (frame->width + 31) / 32,
      (unsigned) (frame->height + 7) / 8);

  if (!stage.entered ())
    return stage.status ();
  if (frame->first)
    launch_overlapping (queue, grid, block, 0, filter_kernel < true >, *frame,
        *output);
  else
    launch_overlapping (queue, grid, block, 0, filter_kernel < false >, *frame,
        *output);
  return STEREO_CUDA_LAUNCHED (stage, "filter_kernel");
}

}                               // namespace

extern "C" const void *stereo_temporal_stages_cuda (void);

extern "C" const void *
stereo_temporal_stages_cuda (void)
{
  static const StereoTemporalStages stages = {
    .view = compared,
    .filter = filter,
  };

  return &stages;
}
