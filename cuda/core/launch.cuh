/* gst-stereomatching: kernel launches
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_LAUNCH_CUH
#define STEREO_LAUNCH_CUH

#include "core/queue-cuda.h"

#include <string.h>

/* Number of blocks of `part` elements that cover `size`. */
static __host__ __device__ __forceinline__ unsigned
stereo_blocks (int size, int part)
{
  return (unsigned) ((size + part - 1) / part);
}

/* One thread per pixel of an image; the size of a block. */
static const int stereo_block_columns = 32;
static const int stereo_block_rows = 8;
static const dim3 stereo_pixel_block (stereo_block_columns, stereo_block_rows);

static inline dim3
stereo_pixel_grid (int width, int height)
{
  return dim3 (stereo_blocks (width, stereo_block_columns),
      stereo_blocks (height, stereo_block_rows));
}

/* The pixel of this thread.  Returns whether it is inside the image. */
static __device__ __forceinline__ bool
stereo_own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

template < typename... Parameters, typename... Arguments >
static inline void
launch_kernel (StereoQueue * queue, bool overlapping, dim3 grid, dim3 block,
    size_t shared_bytes, void (*kernel) (Parameters...),
    const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute;

  memset ((void *) &attribute, 0, sizeof (attribute));
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = q->compute;
  config.attrs = &attribute;
  config.numAttrs = overlapping && q->capability >= 90 ? 1 : 0;
  /* The caller checks for launch errors. */
  (void) cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...);
}

/* Launches a kernel that calls pdl_wait (). */
template < typename Kernel, typename... Arguments >
static inline void
launch_overlapping (StereoQueue * queue, dim3 grid, dim3 block,
    size_t shared_bytes, Kernel kernel, const Arguments &... arguments)
{
  launch_kernel (queue, true, grid, block, shared_bytes, kernel, arguments...);
}

/* A stage of a single kernel called name.  If overlapping, the kernel calls
 * pdl_wait (). */
template < typename Kernel, typename... Arguments >
static inline StereoStatus
run_kernel (StereoQueue * queue, const char *name, bool overlapping, dim3 grid,
    dim3 block, size_t shared_bytes, Kernel kernel,
    const Arguments &... arguments)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch_kernel (queue, overlapping, grid, block, shared_bytes, kernel,
      arguments...);
  return STEREO_CUDA_LAUNCHED (stage, name);
}

#endif /* STEREO_LAUNCH_CUH */
