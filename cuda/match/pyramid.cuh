/* gst-stereomatching: what the kernels of a pyramid share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What is exact (see pyramid.h) is computed in floats with fused operations,
 * all else as pyramid-pixel.h has it.  Divisions and reciprocals are correctly
 * rounded, without the cases that can't happen.
 */

#ifndef STEREO_PYRAMID_CUH
#define STEREO_PYRAMID_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "match/pyramid-pixel.h"
#include "match/pyramid.h"

#include <string.h>

namespace
{

/* --------------------------------------------------------------- arithmetic */

/* 1 / x, correctly rounded, for x between 2^-100 and 2^100: what the compiler
 * makes of 1.0f / x, less its look at the exponent. */
__device__ __forceinline__ float
reciprocal (float x)
{
  float r;

  asm ("rcp.approx.ftz.f32 %0, %1;":"=f" (r):"f" (x));
  return __fmaf_rn (r, __fmaf_rn (-x, r, 1.0f), r);
}

/* A position's part of a pixel, in pixels. */
__device__ __forceinline__ float
fraction (int position)
{
  return __uint_as_float ((uint32_t) (position & 63) | 0x48000000u)
      - 131072.0f;
}

/* ------------------------------------------------------------------- memory */

/* A level, and what an iteration reads and writes. */
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

/* Without the fields. */
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

/* Fields change while the kernel of a cluster works, and other
 * multiprocessors change them: their values are in the second level cache. */
__device__ __forceinline__ float
load_field (const float *p)
{
  return __ldcg (p);
}

/* N floats, 1, 2 or 4 of them, aligned to their size. */
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
grid_for (int width, int height, int tile_width, int tile_height)
{
  return dim3 ((unsigned) ((width + tile_width - 1) / tile_width),
      (unsigned) ((height + tile_height - 1) / tile_height));
}

/* Launches a kernel with blocks that may have more shared memory than they get
 * unasked. */
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

/* Kernels with a thread for each pixel of a level. */
const int block_width = 32;
const int block_height = 8;

__device__ __forceinline__ bool
own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

inline dim3
pixel_grid (const StereoPyramidLevel * level)
{
  return grid_for (level->width, level->height, block_width, block_height);
}

const dim3 pixel_block (block_width, block_height);

template < typename... Parameters, typename... Arguments > void
launch_pixels (StereoQueue * queue, const StereoPyramidLevel * level,
    void (*kernel) (Parameters...), const Arguments &... arguments)
{
  launch_overlapping (queue, pixel_grid (level), pixel_block, 0, kernel,
      arguments...);
}

}                               // namespace

/* ------------------------------------------------------------------ stages */

/* pyramid-levels.cu */
StereoStatus stereo_pyramid_start_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoView * left,
    const StereoView * right, const StereoPyramidLevel * level);
StereoStatus stereo_pyramid_downsample_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * fine,
    const StereoPyramidLevel * coarse);
StereoStatus stereo_pyramid_clear_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * field);
StereoStatus stereo_pyramid_upsample_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * coarse,
    const StereoPyramidLevel * fine, const StereoPyramidField * from,
    const StereoPyramidField * to);

/* pyramid-correlate.cu */
StereoStatus stereo_pyramid_prepare_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    float *inverse);
StereoStatus stereo_pyramid_correlate_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const float *inverse, float step, bool first,
    const StereoPyramidField * from, const StereoPyramidField * to);

/* pyramid-diffuse.cu */
StereoStatus stereo_pyramid_diffuse_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * from, const StereoPyramidField * to);

/* pyramid-iterate.cu */
StereoStatus stereo_pyramid_iterate_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    float *inverse, bool first, const StereoPyramidField * field,
    const StereoPyramidField * other);

/* pyramid-finish.cu */
StereoStatus stereo_pyramid_check_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * back, const StereoPyramidField * field);
StereoStatus stereo_pyramid_fill_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * field);
StereoStatus stereo_pyramid_finish_cuda (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * field, const StereoOutput * const *results);

#endif /* STEREO_PYRAMID_CUH */
