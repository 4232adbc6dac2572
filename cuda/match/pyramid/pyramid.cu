/* gst-stereomatching: correlation over an image pyramid, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * On large levels an iteration has two kernels, which read and write a field
 * once: pyramid-correlate.cu and pyramid-diffuse.cu.  On small levels one
 * kernel runs all iterations: pyramid-iterate.cu.  The selection is separate:
 * pyramid-select.cu.
 */

#include "match/pyramid/pyramid.cuh"

extern "C" const void *stereo_pyramid_stages_cuda (void);

extern "C" const void *
stereo_pyramid_stages_cuda (void)
{
  static const StereoPyramidStages stages = {
    .start = stereo_pyramid_start_cuda,
    .downsample = stereo_pyramid_downsample_cuda,
    .clear = stereo_pyramid_clear_cuda,
    .prepare = stereo_pyramid_prepare_cuda,
    .correlate = stereo_pyramid_correlate_cuda,
    .diffuse = stereo_pyramid_diffuse_cuda,
    .census = stereo_pyramid_census_cuda,
    .select = stereo_pyramid_select_cuda,
    .upsample = stereo_pyramid_upsample_cuda,
    .check = stereo_pyramid_check_cuda,
    .fill = stereo_pyramid_fill_cuda,
    .winners = stereo_pyramid_winners_cuda,
    .finish = stereo_pyramid_finish_cuda,
    .iterate = stereo_pyramid_iterate_cuda,
    .concurrent = true,
  };

  return &stages;
}
