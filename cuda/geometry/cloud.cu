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

/* Packed: one block per row, several pixels per thread. */
#define WARP 32
#define WARPS 8
#define PIXELS 4
#define CHUNK (WARP * WARPS * PIXELS)

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

/* Stores an unaligned word. */
__device__ void
put_word (uint8_t * out, uint32_t word)
{
  for (int i = 0; i < 4; i++)
    out[i] = (uint8_t) (word >> 8 * i);
}

/* Stores an unaligned point of an organised cloud. */
template < bool COLORS > __device__ void
put_point (uint8_t * out, const Point & p, uint32_t color)
{
  put_word (out, __float_as_uint (p.x));
  put_word (out + 4, __float_as_uint (p.y));
  put_word (out + 8, __float_as_uint (p.z));
  if (COLORS)
    put_word (out + 12, color);
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
    put_point < COLORS > (out, p, color);
  }
}

/* Stores bytes begin to end of a row with all threads of the block: words, and
 * bytes where a word is not whole.  get (i): the word from byte i on */
template < typename Get > __device__ __forceinline__ void
put_range (uint8_t * row, int begin, int end, const Get & get)
{
  const int misalignment = (int) ((uintptr_t) (row + begin) % 4);

  for (int i = begin - misalignment + 4 * (int) threadIdx.x; i < end;
      i += 4 * WARP * WARPS) {
    if (i >= begin && i + 4 <= end) {
      *(uint32_t *) (row + i) = get (i);
      continue;
    }
    for (int k = max (i, begin); k < min (i + 4, end); k++)
      row[k] = (uint8_t) get (k);
  }
}

/* Four bytes, from byte i on, of consecutive points of BYTES bytes, each in a
 * vector.  May read the vector behind the last point. */
template < int BYTES > __device__ __forceinline__ uint32_t
stream_word (const uint4 * points, int i)
{
  const int point = i / BYTES, at = i % BYTES / 4;
  const int bits = min (8 * (BYTES - 4 * at), 32);
  const uint32_t *words = (const uint32_t *) (points + point);
  const uint64_t pair = words[at]
      | (uint64_t) words[at == (BYTES - 1) / 4 ? 4 : at + 1] << bits;

  return (uint32_t) (pair >> 8 * (i % BYTES % 4));
}

/* Compacts part of a row in shared memory.  Returns the number of points. */
template < bool COLORS > __device__ __forceinline__ int
compact (const StereoCloudFrame & f, int first, uint4 * points)
{
  __shared__ int of_warp[WARPS];
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  Point p[PIXELS];
  unsigned known[PIXELS];
  int n = 0, before = 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const int x = first + (warp * PIXELS + i) * WARP + lane;

    p[i].known = false;
    if (x < f.columns)
      p[i] = point_at < COLORS > (f, x, blockIdx.x);
    known[i] = __ballot_sync (0xffffffffu, p[i].known);
    n += __popc (known[i]);
  }
  /* the points before are stored */
  __syncthreads ();
  if (lane == 0)
    of_warp[warp] = n;
  __syncthreads ();
  n = 0;
  for (int i = 0; i < WARPS; i++) {
    before += i < warp ? of_warp[i] : 0;
    n += of_warp[i];
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (p[i].known)
      points[before + __popc (known[i] & ((1u << lane) - 1))] =
          make_uint4 (__float_as_uint (p[i].x), __float_as_uint (p[i].y),
          __float_as_uint (p[i].z), p[i].r | p[i].g << 8 | p[i].b << 16);
    before += __popc (known[i]);
  }
  __syncthreads ();
  return n;
}

template < bool COLORS > __global__ void
__launch_bounds__ (WARP * WARPS)
packed_kernel (const __grid_constant__ StereoCloudFrame f)
{
  const int bytes = COLORS ? 15 : 12;
  __shared__ uint4 shared[CHUNK + 1];
  uint4 *points = shared;
  uint8_t *row = f.points + (size_t) blockIdx.x * f.points_stride;
  int n = 0;

  for (int first = 0; first < f.columns; first += CHUNK) {
    const int more = compact < COLORS > (f, first, points);

    put_range (row + (size_t) n * bytes, 0, more * bytes,
        [points] (int i) { return stream_word < bytes > (points, i); });
    n += more;
  }
  put_range (row, n * bytes, f.row_bytes, [] (int) { return 0u; });
  if (threadIdx.x == 0 && f.counts != NULL)
    put_word (f.counts + 4 * (size_t) blockIdx.x, (uint32_t) n);
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
