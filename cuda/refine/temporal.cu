/* gst-stereomatching: a filter for disparity maps over time, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/temporal.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "refine/output.h"
#include "refine/temporal-formula.h"

namespace
{

/* Without a previous frame, the code is kept. */
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
            || stereo_temporal_is_plausible (&f, x, y, before, now))) {
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
temporal_view (const StereoView * view, int channels)
{
  StereoTemporalView bytes = { view->plane[0], view->stride, 1 };

  if (channels == 3) {
    bytes.data++;
    bytes.step = 4;
  }
  return bytes;
}

StereoStatus
temporal_filter (StereoQueue * queue, const StereoTemporalFrame * frame,
    const StereoOutput * output)
{
  return run_kernel (queue, "filter_kernel", true,
      stereo_pixel_grid (frame->width, frame->height), stereo_pixel_block, 0,
      frame->first ? filter_kernel < true > : filter_kernel < false >, *frame,
      *output);
}

}                               // namespace

extern "C" const void *
stereo_temporal_stages_cuda (void)
{
  static const StereoTemporalStages stages = {
    .view = temporal_view,
    .filter = temporal_filter,
  };

  return &stages;
}
