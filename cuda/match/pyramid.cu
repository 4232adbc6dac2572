/* gst-stereomatching: correlation over an image pyramid, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An iteration of a large level is two kernels, each of which reads and writes
 * a field once: that of pyramid-correlate.cu and that of pyramid-diffuse.cu.
 * On a small level pyramid-iterate.cu does all iterations in one.  What is
 * before, between and after levels is in pyramid-levels.cu and
 * pyramid-finish.cu.
 */

#include "match/pyramid.cuh"

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
    .upsample = stereo_pyramid_upsample_cuda,
    .check = stereo_pyramid_check_cuda,
    .fill = stereo_pyramid_fill_cuda,
    .finish = stereo_pyramid_finish_cuda,
    .iterate = stereo_pyramid_iterate_cuda,
  };

  return &stages;
}
