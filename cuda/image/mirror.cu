/* gst-stereomatching: mirror images, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/mirror.cuh"

#include "core/device.cuh"
#include "core/launch.cuh"

namespace
{

/* Each thread exchanges two pixels of a row, so that images may be mirrored in
 * place. */
template < typename T > __global__ void
mirror_kernel (const __grid_constant__ StereoMirrorImages m)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  const int other = m.width - 1 - x;

  if (x > other || y >= m.height)
    return;
  const T *source = (const T *) ((blockIdx.z == 0 ? m.source[0] : m.source[1])
      + (size_t) y * m.source_stride);
  T *target = (T *) ((blockIdx.z == 0 ? m.target[0] : m.target[1])
      + (size_t) y * m.target_stride);

  pdl_wait ();
  const T a = source[x], b = source[other];

  target[x] = b;
  target[other] = a;
}

template < typename T > StereoStatus
mirror_images (StereoQueue * queue, const StereoMirrorImages & m)
{
  dim3 grid = stereo_pixel_grid ((m.width + 1) / 2, m.height);

  grid.z = (unsigned) m.n;
  return run_kernel (queue, "mirror_kernel", true, grid, stereo_pixel_block, 0,
      mirror_kernel < T >, m);
}

}                               // namespace

StereoStatus
stereo_cuda_mirror_bytes (StereoQueue * queue, const StereoMirrorImages & m)
{
  return mirror_images < uint8_t > (queue, m);
}

StereoStatus
stereo_cuda_mirror_words (StereoQueue * queue, const StereoMirrorImages & m)
{
  return mirror_images < uint32_t > (queue, m);
}
