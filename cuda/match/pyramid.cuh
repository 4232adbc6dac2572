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
#include "core/queue-cuda.h"
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

/* stereo_pyramid_five(), in five instructions. */
__device__ __forceinline__ float
five (float h0, float h1, float h2, float h3, float h4)
{
  const float f = h1 + h3;

  return __fmaf_rn (2.0f, __fmaf_rn (2.0f, h2, f), (h0 + h4) + f);
}

/* A pixel's fields as floats. */
struct Fields
{
  float v[3];
};

/* 2^23 plus the field, G times 1024. */
__device__ __forceinline__ Fields
biased (uint32_t word)
{
  Fields f;

  f.v[0] = __uint_as_float ((word & STEREO_PYRAMID_FIELD) | 0x4b000000u);
  f.v[1] = __uint_as_float ((word & STEREO_PYRAMID_FIELD
          << STEREO_PYRAMID_G_SHIFT) | 0x4b000000u);
  f.v[2] = __uint_as_float ((word >> STEREO_PYRAMID_B_SHIFT) | 0x4b000000u);
  return f;
}

__device__ __forceinline__ Fields
fields (uint32_t word)
{
  Fields f = biased (word);

#pragma unroll
  for (int i = 0; i < 3; i++)
    f.v[i] -= 8388608.0f;
  f.v[1] *= 1.0f / 1024;
  return f;
}

/* A position's part of a pixel, in pixels. */
__device__ __forceinline__ float
fraction (int position)
{
  return __uint_as_float ((uint32_t) (position & 63) | 0x48000000u)
      - 131072.0f;
}

/* ---------------------------------------------------------------- arguments */

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

/* Fields change while the kernel of a cluster works, and other
 * multiprocessors change them: their values are in the second level cache. */
__device__ __forceinline__ float
load_field (const float *p)
{
  return __ldcg (p);
}

/* ------------------------------------------------------------------ pixels */

const int block_width = 32;
const int block_height = 8;

__device__ __forceinline__ bool
own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

/* ---------------------------------------------------------------- launches */

inline dim3
grid_for (int width, int height, int tile_width, int tile_height)
{
  return dim3 ((unsigned) ((width + tile_width - 1) / tile_width),
      (unsigned) ((height + tile_height - 1) / tile_height));
}

inline dim3
pixel_grid (const StereoPyramidLevel * level)
{
  return grid_for (level->width, level->height, block_width, block_height);
}

const dim3 pixel_block (block_width, block_height);

enum Blocks
{
  BLOCKS_ALONE,
  BLOCKS_CLUSTER,               /* all in one */
  BLOCKS_TOGETHER               /* all at the same time */
};

/* Launches a kernel that calls pdl_wait ().  Without a look at the result, an
 * error is found where launches are checked. */
template < typename... Parameters, typename... Arguments > cudaError_t
launch (StereoQueue * queue, dim3 grid, dim3 block, int shared_bytes,
    Blocks blocks, void (*kernel) (Parameters...),
    const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute[2];
  unsigned n = 0;

  memset ((void *) attribute, 0, sizeof (attribute));
  if (blocks == BLOCKS_TOGETHER) {
    attribute[n].id = cudaLaunchAttributeCooperative;
    attribute[n++].val.cooperative = 1;
  } else if (q->capability >= 90) {
    attribute[n].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[n++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (blocks == BLOCKS_CLUSTER) {
    attribute[n].id = cudaLaunchAttributeClusterDimension;
    attribute[n].val.clusterDim.x = grid.x;
    attribute[n].val.clusterDim.y = grid.y;
    attribute[n++].val.clusterDim.z = 1;
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = (size_t) shared_bytes;
  config.stream = q->compute;
  config.attrs = attribute;
  config.numAttrs = n;
  if (shared_bytes > 48 << 10)
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  return cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...);
}

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
