/* gst-stereomatching: common code of the pyramid kernels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Exact values (see pyramid.h) are computed in floats with fused operations,
 * all others as in pyramid-formula.h.  Divisions and reciprocals are correctly
 * rounded for the operands that occur.
 */

#ifndef STEREO_PYRAMID_CUH
#define STEREO_PYRAMID_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "match/pyramid/pyramid-formula.h"
#include "match/pyramid/pyramid.h"

#include <string.h>

namespace
{

/* --------------------------------------------------------------- arithmetic */

/* 1 / x, correctly rounded, for x between 2^-100 and 2^100: the compiler's code
 * for 1.0f / x without its test of the exponent. */
__device__ __forceinline__ float
reciprocal (float x)
{
  float r;

  asm ("rcp.approx.ftz.f32 %0, %1;":"=f" (r):"f" (x));
  return __fmaf_rn (r, __fmaf_rn (-x, r, 1.0f), r);
}

/* The fraction of a position, in pixels. */
__device__ __forceinline__ float
fraction (int position)
{
  return __uint_as_float ((uint32_t) (position & 63) | 0x48000000u)
      - 131072.0f;
}

/* ------------------------------------------------------------------- memory */

/* A level and the fields of an iteration. */
struct Level
{
  int width;
  int height;
  int stride;                   /* elements */
  int diffusion;
  const uint32_t *left;
  const uint32_t *right;
  float *inverse;
  StereoPyramidField before;
  StereoPyramidField between;
};

/* Level without its fields. */
inline Level
level_args (const StereoPyramidLevel * level, float *inverse)
{
  Level a;

  memset ((void *) &a, 0, sizeof (a));
  a.width = level->width;
  a.height = level->height;
  a.stride = (int) level->stride;
  a.diffusion = level->diffusion;
  a.left = level->left;
  a.right = level->right;
  a.inverse = inverse;
  return a;
}

/* Other multiprocessors change fields while the kernel of a cluster runs, so
 * loads bypass the first-level cache. */
__device__ __forceinline__ float
load_field (const float *p)
{
  return __ldcg (p);
}

/* Copies N = 1, 2 or 4 floats, aligned to their size. */
template < int N > __device__ __forceinline__ void
copy (const float *from, float *to)
{
  if (N == 4)
    *(float4 *) to = *(const float4 *) from;
  else if (N == 2)
    *(float2 *) to = *(const float2 *) from;
  else
    *to = *from;
}

/* ---------------------------------------------------------------- launches */

/* Tiles that cover an image. */
inline dim3
pyramid_grid (int width, int height, int tile_width, int tile_height)
{
  return dim3 (stereo_blocks (width, tile_width),
      stereo_blocks (height, tile_height));
}

/* Launches a kernel whose blocks may need more than 48 KiB of shared memory. */
template < typename... Parameters, typename... Arguments > void
launch_tiles (StereoQueue * queue, dim3 grid, int threads, int shared_bytes,
    void (*kernel) (Parameters...), const Arguments &... arguments)
{
  if (shared_bytes > 48 << 10)
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  launch_overlapping (queue, grid, dim3 ((unsigned) threads),
      (size_t) shared_bytes, kernel, arguments...);
}

/* A kernel with one thread per pixel of a level. */
template < typename... Parameters, typename... Arguments > void
launch_pixels (StereoQueue * queue, const StereoPyramidLevel * level,
    void (*kernel) (Parameters...), const Arguments &... arguments)
{
  launch_overlapping (queue, stereo_pixel_grid (level->width, level->height),
      stereo_pixel_block, 0, kernel, arguments...);
}

}                               // namespace

/* ------------------------------------------------------------------ stages */

/* pyramid-levels.cu */
StereoStatus stereo_pyramid_start_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_downsample_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_clear_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_upsample_cuda (const StereoPyramidArgs * s);
/* pyramid-correlate.cu */
StereoStatus stereo_pyramid_prepare_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_correlate_cuda (const StereoPyramidArgs * s);
/* pyramid-diffuse.cu */
StereoStatus stereo_pyramid_diffuse_cuda (const StereoPyramidArgs * s);
/* pyramid-iterate.cu */
StereoStatus stereo_pyramid_iterate_cuda (const StereoPyramidArgs * s);
/* pyramid-select.cu */
StereoStatus stereo_pyramid_census_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_select_cuda (const StereoPyramidArgs * s);
/* pyramid-finish.cu */
StereoStatus stereo_pyramid_check_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_fill_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_winners_cuda (const StereoPyramidArgs * s);
StereoStatus stereo_pyramid_finish_cuda (const StereoPyramidArgs * s);

#endif /* STEREO_PYRAMID_CUH */
