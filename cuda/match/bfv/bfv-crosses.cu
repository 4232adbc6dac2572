/* gst-stereomatching: crosses of bfv on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block compares the pixels of a tile only with those to the right and
 * below. Ballots collect the results in words, one bit for each of 32 rows or
 * columns; arms of 32 pixels are computed from these words at once.
 */

#include "match/bfv/bfv.cuh"

namespace
{

struct CrossesArgs
{
  StereoBfvConstants k;
  StereoView view[2];
  uint32_t *arms[2];
};

/* Tiles support arms up to 16, which depend on distances 2 to 17. */
const int cross_arm = 16;
const int cross_width = 64;
const int cross_before = 20;    /* pixels before the tile */
const int cross_behind = 17;
const int cross_units = (cross_before + cross_width + cross_behind + 3) / 4;
const int cross_pitch = 4 * cross_units + 1;
const int cross_threads = 448;
/* Blocks per multiprocessor; Turing has 1024 threads. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ == 750
const int cross_blocks = 2;
#else
const int cross_blocks = 3;
#endif
/* pitch of comparisons and of arms, in words */
const int compare_pitch = cross_arm + 4;
const int arms_pitch = 12;

/* The channels of a pixel, 8 bits in fields of 11; outside the image, a value
 * above all others. */
const uint32_t outside = 512u << 22;

__device__ __forceinline__ uint32_t
spread (uint32_t pixel)
{
  return (pixel & 0xff) | (pixel & 0xff00) << 3 | (pixel & 0xff0000) << 6;
}

/* Limits of pixels similar to p: 512 + threshold - p and 512 + threshold + p
 * for each channel, inverted.  After subtraction and addition of q, bit 9 of
 * both is clear for similar channels. */
struct Limits
{
  uint32_t low, high;
};

__device__ __forceinline__ Limits
limits (const StereoBfvConstants & k, uint32_t p)
{
  const uint32_t all = (512u + (uint32_t) k.arm_threshold) * 0x00400801u;
  Limits l = { ~(all - p), ~(all + p) };

  return l;
}

__device__ __forceinline__ bool
differ (const Limits & p, uint32_t q)
{
  return ((p.low - q) | (p.high + q)) & 512u * 0x00400801u;
}

template < int KIND > __device__ __forceinline__ uint32_t
load_or_outside (const StereoBfvConstants & k, const StereoView & view, int x,
    int y)
{
  return x < 0 || y < 0 || x >= k.width || y >= k.height ? outside
      : spread (load_pixel < KIND > (view, x, y));
}

/* Computes an arm of any length from global memory. */
template < int KIND > __device__ __forceinline__ uint32_t
long_arm (const StereoBfvConstants & k, const StereoView & view,
    const Limits & p, int x, int y, int dx, int dy)
{
  bool before = differ (p, load_or_outside < KIND > (k, view, x + 2 * dx,
          y + 2 * dy));

  for (int i = 1; i < k.arm_length; i++) {
    bool next = differ (p, load_or_outside < KIND > (k, view,
            x + (i + 2) * dx, y + (i + 2) * dy));

    if (before && next)
      return (uint32_t) i;
    before = next;
  }
  return (uint32_t) k.arm_length;
}

/* Stores a cross, unless its row is outside the view or off the grid. */
__device__ __forceinline__ void
store_cross (const CrossesArgs & a, int side, int x, int y, uint32_t arms)
{
  if (y >= a.k.height || (side != 0 && y % a.k.sampling_y != 0))
    return;
  if (side == 0 || (a.k.sampling_x == 1 && a.k.sampling_y == 1))
    a.arms[side][(size_t) y * (size_t) a.k.width + (size_t) x] = arms;
  else
    a.arms[1][(size_t) (y / a.k.sampling_y) * (size_t) a.k.width
        + (size_t) x] = stereo_bfv_sample_arms (&a.k, arms);
}

/* Stores four crosses; x: a multiple of 4 */
__device__ __forceinline__ void
store_crosses (const CrossesArgs & a, int side, int x, int y,
    const uint32_t (&arms)[4])
{
  if (a.k.width % 4 == 0 && (side == 0 || (a.k.sampling_x == 1
              && a.k.sampling_y == 1))) {
    if (x < a.k.width && y < a.k.height)
      *(uint4 *) (a.arms[side] + (size_t) y * (size_t) a.k.width
          + (size_t) x) = make_uint4 (arms[0], arms[1], arms[2], arms[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (x + i < a.k.width)
      store_cross (a, side, x + i, y, arms[i]);
  }
}

/* Loads four pixels; x: a multiple of 4 */
template < int KIND > __device__ __forceinline__ uint4
load_four (const StereoBfvConstants & k, const StereoView & view, int x,
    int y)
{
  uint4 four;

  if (KIND == RGB && y >= 0 && y < k.height && x >= 0 && x + 4 <= k.width
      && (view.stride % 16 | (size_t) view.plane[0] % 16) == 0) {
    four = *(const uint4 *) (view.plane[0] + ((uint32_t) y
            * (uint32_t) view.stride + 4 * (uint32_t) x));
    four.x = spread (four.x);
    four.y = spread (four.y);
    four.z = spread (four.z);
    four.w = spread (four.w);
  } else {
    four.x = load_or_outside < KIND > (k, view, x, y);
    four.y = load_or_outside < KIND > (k, view, x + 1, y);
    four.z = load_or_outside < KIND > (k, view, x + 2, y);
    four.w = load_or_outside < KIND > (k, view, x + 3, y);
  }
  return four;
}

/* Compares each of four pixels, step words apart in shared memory, with the 16
 * pixels at distances 2 to 17, for 32 lanes at once.  Bits of the words in
 * target are set for lanes where they differ. */
__device__ __forceinline__ void
compare (const StereoBfvConstants & k, const uint32_t * source, int step,
    uint32_t * target)
{
  uint32_t pixel[4 + cross_arm + 1];

#pragma unroll
  for (int j = 0; j < 4 + cross_arm + 1; j++)
    pixel[j] = source[j * step];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const Limits own = limits (k, pixel[j]);

#pragma unroll
    for (int i = 0; i < cross_arm; i += 4) {
      uint4 four;

      four.x = __ballot_sync (0xffffffffu, differ (own, pixel[j + i + 2]));
      four.y = __ballot_sync (0xffffffffu, differ (own, pixel[j + i + 3]));
      four.z = __ballot_sync (0xffffffffu, differ (own, pixel[j + i + 4]));
      four.w = __ballot_sync (0xffffffffu, differ (own, pixel[j + i + 5]));
      if ((threadIdx.x & 31) == 0)
        *(uint4 *) (target + j * compare_pitch + i) = four;
    }
  }
}

/* Computes the lengths of 32 arms, bit b in length[b].  differs: the words for
 * distances from 2 on, step words apart */
__device__ __forceinline__ void
arm_lengths (const StereoBfvConstants & k, const uint32_t * differs, int step,
    uint32_t * length)
{
  uint32_t longer = 0xffffffffu, before = differs[0];

#pragma unroll
  for (int b = 0; b < 5; b++)
    length[b] = 0;
#pragma unroll
  for (int i = 1; i < cross_arm; i++) {
    const uint32_t next = differs[i * step], end = longer & before & next;

    if (i >= k.arm_length)
      break;
    longer &= ~end;
    before = next;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      if (i >> b & 1)
        length[b] |= end;
    }
  }
#pragma unroll
  for (int b = 0; b < 5; b++) {
    if (k.arm_length >> b & 1)
      length[b] |= longer;
  }
}

/* Gathers bits shift to shift + 3 of five words into four numbers in bytes. */
__device__ __forceinline__ uint32_t
gather (const uint32_t * bits, int shift)
{
  uint32_t bytes = 0;

#pragma unroll
  for (int b = 0; b < 5; b++)
    bytes |= (bits[b] >> shift & 15) * (0x00204081u << b) & 0x01010101u << b;
  return bytes;
}

__device__ __forceinline__ void
load_arms (const uint32_t * source, uint32_t (&arms)[arms_pitch])
{
#pragma unroll
  for (int i = 0; i < arms_pitch; i += 4) {
    const uint4 four = *(const uint4 *) (source + i);

    arms[i] = four.x;
    arms[i + 1] = four.y;
    arms[i + 2] = four.z;
    arms[i + 3] = four.w;
  }
}

/* Lanes are rows for horizontal arms, columns for vertical arms. */
template < int HEIGHT > struct CrossShape
{
  static const int rows = HEIGHT + cross_before + cross_behind;
  static const int row_groups = HEIGHT / 32;
  static const int column_groups = cross_width / 32;
  static const int row_units = (cross_before + cross_width) / 4;
  static const int column_units = (cross_before + HEIGHT) / 4;
  static const int by_rows = (rows * cross_pitch + 3) / 4 * 4;
  static const int by_columns = by_rows + row_groups * 4 * row_units
      * compare_pitch;
  static const int size = by_columns + column_groups * 4 * column_units
      * compare_pitch;
  /* overwrite the pixels */
  static const int row_arms = 0;
  static const int column_arms = row_groups * cross_width * arms_pitch;
};

/* Loads the pixels of a tile and of its margins. */
template < int KIND, typename S > __device__ __forceinline__ void
load_tile (const CrossesArgs & a, int x0, int y0, uint32_t * shared)
{
  const int side = (int) blockIdx.z;

  for (int i = (int) threadIdx.x; i < S::rows * cross_units;
      i += cross_threads) {
    const int r = i / cross_units, c = i % cross_units * 4;
    const uint4 four = load_four < KIND > (a.k, a.view[side],
        x0 - cross_before + c, y0 - cross_before + r);
    uint32_t *target = shared + r * cross_pitch + c;

    target[0] = four.x;
    target[1] = four.y;
    target[2] = four.z;
    target[3] = four.w;
  }
}

/* Compares the pixels of a tile along rows and columns. */
template < typename S > __device__ __forceinline__ void
compare_tile (const StereoBfvConstants & k, uint32_t * shared)
{
  const int lane = (int) threadIdx.x & 31, warp = (int) threadIdx.x / 32;

  for (int i = warp; i < S::row_groups * S::row_units
      + S::column_groups * S::column_units; i += cross_threads / 32) {
    if (i < S::row_groups * S::row_units) {
      const int group = i / S::row_units, c = i % S::row_units * 4;

      compare (k, shared + (cross_before + group * 32 + lane) * cross_pitch
          + c, 1, shared + S::by_rows + (group * 4 * S::row_units + c)
          * compare_pitch);
    } else {
      const int rest = i - S::row_groups * S::row_units;
      const int group = rest / S::column_units;
      const int r = rest % S::column_units * 4;

      compare (k, shared + r * cross_pitch + cross_before + group * 32 + lane,
          cross_pitch, shared + S::by_columns + (group * 4 * S::column_units
              + r) * compare_pitch);
    }
  }
}

/* Computes all arms; they overwrite the pixels. */
template < int HEIGHT > __device__ __forceinline__ void
measure_arms (const StereoBfvConstants & k, uint32_t * shared)
{
  typedef CrossShape < HEIGHT > S;

  for (int i = (int) threadIdx.x; i < S::row_groups * cross_width
      + S::column_groups * HEIGHT; i += cross_threads) {
    const bool columns = i >= S::row_groups * cross_width;
    const int at = columns ? i - S::row_groups * cross_width : i;
    const int n = columns ? HEIGHT : cross_width;
    const uint32_t *differs = shared + (columns ? S::by_columns : S::by_rows)
        + (at / n * (n + cross_before) + at % n + cross_before)
        * compare_pitch;
    uint32_t *target = shared + (columns ? S::column_arms : S::row_arms)
        + at * arms_pitch;
    uint32_t length[10];

    arm_lengths (k, differs, 1, length);
    /* the comparison of the pixel i + 2 before is its i-th word */
    arm_lengths (k, differs - 2 * compare_pitch, 1 - compare_pitch,
        length + 5);
    *(uint4 *) target = make_uint4 (length[0], length[1], length[2],
        length[3]);
    *(uint4 *) (target + 4) = make_uint4 (length[4], length[5], length[6],
        length[7]);
    *(uint4 *) (target + 8) = make_uint4 (length[8], length[9], 0, 0);
  }
}

/* Packs the arms of a tile into crosses, 4x4 at a time, and stores them. */
template < int HEIGHT > __device__ __forceinline__ void
store_tile (const CrossesArgs & a, int x0, int y0, const uint32_t * shared)
{
  typedef CrossShape < HEIGHT > S;
  const StereoBfvConstants & k = a.k;
  const int side = (int) blockIdx.z;

  for (int i = (int) threadIdx.x; i < cross_width * HEIGHT / 16;
      i += cross_threads) {
    const int c = i % (cross_width / 4) * 4, r = i / (cross_width / 4) * 4;
    const int x = x0 + c, y = y0 + r;
    uint32_t left[4], right[4];

#pragma unroll
    for (int j = 0; j < 4; j++) {
      uint32_t arms[arms_pitch];

      load_arms (shared + S::row_arms + (r / 32 * cross_width + c + j)
          * arms_pitch, arms);
      right[j] = x + j < k.width - 1 ? gather (arms, r % 32) : 0;
      left[j] = x + j > 0 ? gather (arms + 5, r % 32) : 0;
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      uint32_t arms[arms_pitch], up, down;
      uint32_t cross[4];

      load_arms (shared + S::column_arms + (c / 32 * HEIGHT + r + j)
          * arms_pitch, arms);
      down = y + j < k.height - 1 ? gather (arms, c % 32) : 0;
      up = y + j > 0 ? gather (arms + 5, c % 32) : 0;
#pragma unroll
      for (int q = 0; q < 4; q++)
        cross[q] = __byte_perm (__byte_perm (left[q], right[q], j | (j + 4)
                << 4), __byte_perm (up, down, q | (q + 4) << 4), 0x5410);
      store_crosses (a, side, x, y + j, cross);
    }
  }
}

template < int KIND, int HEIGHT >
__global__ void __launch_bounds__ (cross_threads, cross_blocks)
crosses_kernel (const __grid_constant__ CrossesArgs a)
{
  typedef CrossShape < HEIGHT > S;
  extern __shared__ __align__ (16) uint32_t shared[];
  const int x0 = (int) blockIdx.x * cross_width;
  const int y0 = (int) blockIdx.y * HEIGHT;

  pdl_start ();
  load_tile < KIND, S > (a, x0, y0, shared);
  __syncthreads ();
  compare_tile < S > (a.k, shared);
  __syncthreads ();
  measure_arms < HEIGHT > (a.k, shared);
  __syncthreads ();
  store_tile < HEIGHT > (a, x0, y0, shared);
}

template < int KIND > __global__ void __launch_bounds__ (512)
long_crosses_kernel (const __grid_constant__ CrossesArgs a)
{
  const int side = (int) blockIdx.z;
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  pdl_start ();
  if (x >= a.k.width || y >= a.k.height
      || (side != 0 && y % a.k.sampling_y != 0))
    return;

  const StereoView & view = a.view[side];
  const Limits p = limits (a.k, spread (load_pixel < KIND > (view, x,
              y)));

  store_cross (a, side, x, y, stereo_bfv_pack_arms (x > 0 ? long_arm
          < KIND > (a.k, view, p, x, y, -1, 0) : 0,
          x < a.k.width - 1 ? long_arm < KIND > (a.k, view, p, x, y, 1,
              0) : 0,
          y > 0 ? long_arm < KIND > (a.k, view, p, x, y, 0, -1) : 0,
          y < a.k.height - 1 ? long_arm < KIND > (a.k, view, p, x, y, 0,
              1) : 0));
}

template < int KIND, int HEIGHT > StereoStatus
launch_crosses (StereoCudaStage & stage, StereoQueue * queue,
    const CrossesArgs & a)
{
  const int shared = 4 * CrossShape < HEIGHT >::size;
  cudaError_t error = cudaFuncSetAttribute (crosses_kernel < KIND,
      HEIGHT >, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of bfv's crosses_kernel",
        &queue->message);
  launch_overlapping (queue, blocks_of (a.k.width, a.k.height, cross_width,
          HEIGHT, 2), cross_threads, shared, crosses_kernel < KIND, HEIGHT >,
      a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's crosses_kernel");
}

template < int KIND > StereoStatus
launch_best_crosses (StereoCudaStage & stage, StereoQueue * queue,
    const CrossesArgs & a)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int width = a.k.width, height = a.k.height;
  const dim3 high = blocks_of (width, height, cross_width, 64, 2);

  if (a.k.arm_length > cross_arm) {
    launch_overlapping (queue, blocks_of (width, height, 64, 8, 2),
        dim3 (64, 8), 0, long_crosses_kernel < KIND >, a);
    return STEREO_CUDA_LAUNCHED (stage, "bfv's long_crosses_kernel");
  }
  /* Tall tiles repeat less work, others balance better in small images. */
  return high.x * high.y * high.z > 4u * (unsigned) q->multiprocessors
      && 4 * CrossShape < 64 >::size <= stereo_cuda_shared_limit (queue->device)
      ? launch_crosses < KIND, 64 > (stage, queue, a)
      : launch_crosses < KIND, 32 > (stage, queue, a);
}

}                               // namespace

StereoStatus
stereo_bfv_crosses_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);
  CrossesArgs a = { *k, {views->left, views->right},
    {m->left_arms, m->right_arms}
  };

  if (!stage.entered ())
    return stage.status ();
  return k->channels == 1 ? launch_best_crosses < BYTES > (stage, queue, a)
      : launch_best_crosses < RGB > (stage, queue, a);
}
