/* gst-stereomatching: point clouds, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/cloud.h"

#include "core/launch.cuh"

/* Organised: one thread per pixel. */
#define BLOCK_X 64
#define BLOCK_Y 4

/* Packed: one block per row. */
#define WARP 32
#define WARPS 8

namespace
{

struct Point
{
  float x, y, z;
  uint32_t r, g, b;
  bool known;
};

template < bool COLORS > __device__ Point
point_at (const StereoCloudFrame & f, int column, int row)
{
  const size_t x = (size_t) column * f.step, y = (size_t) row * f.step;
  const uint8_t *code = f.codes + y * f.codes_stride + x * f.code_bytes;
  const float depth = __ldg (f.depth + (f.code_bytes == 1 ? code[0]
          : (uintptr_t) code % 2 == 0 ? *(const uint16_t *) code
          : code[0] | (unsigned) code[1] << 8));
  Point p = { 0, 0, 0, 0, 0, 0, depth == depth };

  p.x = __ldg (f.x_factor + column) * depth;
  p.y = __ldg (f.y_factor + row) * depth;
  p.z = __ldg (f.z_factor + row) * depth;
  if (!p.known)                 /* the same NaN as on the host */
    p.x = p.y = p.z = __uint_as_float (0x7fc00000);
  if (COLORS) {
    const size_t at = y * f.channel_stride + x * f.channel_step;

    p.r = f.channel[0][at];
    p.g = f.channel[1][at];
    p.b = f.channel[2][at];
  }
  return p;
}

__device__ void
put_bytes (uint8_t * out, uint32_t word, int n)
{
  for (int i = 0; i < n; i++)
    out[i] = (uint8_t) (word >> 8 * i);
}

/* Stores an unaligned point of 12, 15 or 16 bytes. */
template < bool COLORS > __device__ void
put_point (uint8_t * out, const Point & p, uint32_t color, int bytes)
{
  put_bytes (out, __float_as_uint (p.x), 4);
  put_bytes (out + 4, __float_as_uint (p.y), 4);
  put_bytes (out + 8, __float_as_uint (p.z), 4);
  if (COLORS)
    put_bytes (out + 12, color, bytes - 12);
}

/* alignment: of rows of points, in bytes */
template < bool COLORS > __global__ void
organised_kernel (const StereoCloudFrame f, int alignment)
{
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;

  if (x >= f.columns || y >= f.rows)
    return;
  const Point p = point_at < COLORS > (f, x, y);
  const uint32_t color = p.r << 16 | p.g << 8 | p.b;
  uint8_t *out = f.points + (size_t) y * f.points_stride
      + (size_t) x * f.point_bytes;

  if (COLORS && alignment == 16) {
    *(float4 *) out = make_float4 (p.x, p.y, p.z, __uint_as_float (color));
  } else if (!COLORS && alignment >= 4) {
    ((float *) out)[0] = p.x;
    ((float *) out)[1] = p.y;
    ((float *) out)[2] = p.z;
  } else {
    put_point < COLORS > (out, p, color, f.point_bytes);
  }
}

/* A block compacts a row by counting the valid points before each pixel. */
template < bool COLORS > __global__ void
packed_kernel (const StereoCloudFrame f)
{
  __shared__ int of_warp[WARPS];
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const int row = blockIdx.x;
  uint8_t *out = f.points + (size_t) row * f.points_stride;
  int n = 0;

  for (int first = 0; first < f.columns; first += WARP * WARPS) {
    const int x = first + threadIdx.x;
    Point p = { 0, 0, 0, 0, 0, 0, false };

    if (x < f.columns)
      p = point_at < COLORS > (f, x, row);
    const unsigned known = __ballot_sync (0xffffffffu, p.known);
    int before = n + __popc (known & ((1u << lane) - 1));

    if (lane == 0)
      of_warp[warp] = __popc (known);
    __syncthreads ();
    for (int i = 0; i < WARPS; i++) {
      before += i < warp ? of_warp[i] : 0;
      n += of_warp[i];
    }
    if (p.known)
      put_point < COLORS > (out + (size_t) before * f.point_bytes, p,
          p.r | p.g << 8 | p.b << 16, f.point_bytes);
    __syncthreads ();
  }
  for (int i = n * f.point_bytes + threadIdx.x; i < f.row_bytes;
      i += WARP * WARPS)
    out[i] = 0;
  if (threadIdx.x == 0 && f.counts != NULL)
    put_bytes (f.counts + 4 * (size_t) row, n, 4);
}

StereoStatus
cloud_points (StereoQueue * queue, const StereoCloudFrame * frame)
{
  const StereoCloudFrame & f = *frame;
  const bool colors = f.channel[0] != NULL;
  const uintptr_t begins = (uintptr_t) f.points | f.points_stride;
  const int alignment = begins % 16 == 0 ? 16 : begins % 4 == 0 ? 4 : 1;

  if (f.packed)
    return run_kernel (queue, "packed_kernel", false, (unsigned) f.rows,
        WARP * WARPS, 0, colors ? packed_kernel < true >
        : packed_kernel < false >, f);
  return run_kernel (queue, "organised_kernel", false,
      dim3 (stereo_blocks (f.columns, BLOCK_X),
          stereo_blocks (f.rows, BLOCK_Y)), dim3 (BLOCK_X, BLOCK_Y), 0,
      colors ? organised_kernel < true > : organised_kernel < false >, f,
      alignment);
}

}                               // namespace

extern "C" const void *stereo_cloud_stages_cuda (void);

extern "C" const void *
stereo_cloud_stages_cuda (void)
{
  static const StereoCloudStages stages = {
    .points = cloud_points,
  };

  return &stages;
}
