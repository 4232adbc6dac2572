/* gst-stereomatching: cross-based regions and bitwise fast voting on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Crosses: a block compares the pixels of a tile with those to their right and
 * below only.  Ballots make words of the results, a bit for each of 32 rows or
 * columns, and all arms of a pixel are found in these words, 32 at once.
 *
 * Matching: no volume and no slice in memory, where arms are up to 16 steps of
 * the grid and sums fit 16 bits (otherwise see SliceArgs).  With sampling_x = s
 * the columns of the right view fall into s classes; within one, disparities
 * are s apart, and matching is the same as without sampling.  A block owns a
 * tile of 64 columns by 96 rows in shared memory, with 16 more on all sides,
 * and goes through disparities, one a step:
 *
 *   1  Costs of two rows at once in the halves of a word, and their prefix
 *      sums along the row, by 8 threads with 12 columns each.  Both views'
 *      pixels are in registers; those of the right view move on by a register
 *      a step.
 *   2  H and N of a pixel are differences of two of these sums.  The right
 *      view's arms are in a ring, 16 new columns in 16 steps; an overlap is one
 *      minimum for two arms, and dp4a makes an address of a byte.
 *   3  Prefix sums along the columns, A and n as a word: A + 2^16 n.  Sums are
 *      modulo 2^32, differences exact.
 *   4  A and n as differences, and both winners.  With such words the sign of
 *      w m - b n, n and m being their counts, is that of A m - B n.  Left
 *      winners are in registers, right ones in a ring in shared memory, from
 *      where 64 columns leave in 64 steps.
 *
 * Steps 3 and 1 of the next disparity share a barrier, so there are two.  Tiles
 * times disparities are shared out evenly to one block for every
 * multiprocessor, or a tile to as many blocks as there are for it where this
 * is less work, for starting a tile takes as long as some disparities; what
 * several blocks know of a pixel is merged by atomic minima of keys (make_key)
 * that order fractions exactly.
 *
 * Votes: bytes of a word for their number and its bits, prefix sums along the
 * rows; then halves of words, prefix sums along the columns.
 *
 * H200, 1920x1080x128, RGB, ms: crosses 0.060, matching 0.813, the rest 0.047.
 * More threads with fewer registers are slower (144 rows of costs: matching
 * 1.04), and so is a loop that leaves out rows below the image.
 */

#include "match/bfv-pixel.h"
#include "image/output.h"
#include "core/queue-cuda.h"

#include <string.h>

namespace
{

/* ------------------------------------------------------ overlapping kernels */

/* Where the machine can do it (compute capability 9.0), a kernel's threads are
 * put in place while the one before it still works, and wait here until it has
 * finished. */
__device__ __forceinline__ void
wait_for_kernel_before ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;":::"memory");
#endif
}

/* Not for kernels that use scratch, for clear_kernel does not wait; but for the
 * last ones of a frame, which crosses wait for. */
__device__ __forceinline__ void
let_next_kernel_come ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
#endif
}

/* Launches a kernel that calls wait_for_kernel_before (). */
template < typename... Parameters, typename... Arguments > void
launch (StereoQueue * queue, void (*kernel) (Parameters...), dim3 grid,
    dim3 block, int shared, const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute;

  memset ((void *) &attribute, 0, sizeof (attribute));
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = (size_t) shared;
  config.stream = q->compute;
  config.attrs = &attribute;
  config.numAttrs = q->capability >= 90 ? 1 : 0;
  /* an error is found where launches are checked */
  (void) cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...);
}

dim3
blocks_of (int width, int height, int columns, int rows, int depth = 1)
{
  return dim3 ((unsigned) ((width + columns - 1) / columns),
      (unsigned) ((height + rows - 1) / rows), (unsigned) depth);
}

/* ------------------------------------------------------------------- pixels */

__device__ __forceinline__ int
clamp (int x, int lowest, int highest)
{
  return min (max (x, lowest), highest);
}

/* a / b for a >= 0 and a b that is 1 most of the time. */
__device__ __forceinline__ int
divide (int a, int b)
{
  return b == 1 ? a : (int) ((unsigned) a / (unsigned) b);
}

/* a / b rounded down, b > 0. */
__host__ __device__ __forceinline__ int
floor_div (int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* A pixel; luma three times, so that sums of three differences come out.
 * Offsets within a view fit 32 bits. */
template < int CHANNELS > __device__ __forceinline__ uint32_t
load_pixel (const StereoView & view, int x, int y)
{
  const uint32_t row = (uint32_t) y * (uint32_t) view.stride;

  if (CHANNELS == 1)
    return view.plane[0][row + (uint32_t) x] * 0x010101u;
  return *(const uint32_t *) (view.plane[0] + (row + 4 * (uint32_t) x))
      & 0xffffff;
}

__device__ __forceinline__ uint32_t
grid_arms_at (const StereoBfvConstants & k, const uint32_t * left_arms, int u,
    int v, bool direct = false)
{
  const bool inside = u >= 0 && v >= 0 && u < k.grid_width
      && v < k.grid_height;

  /* without a branch, so that many loads are under way at once */
  if (direct) {
    const uint32_t arms = left_arms[(size_t) clamp (v, 0, k.grid_height - 1)
        * (size_t) k.width + (size_t) clamp (u, 0, k.grid_width - 1)];

    return inside ? arms : 0;
  }
  if (!inside)
    return 0;
  return stereo_bfv_grid_arms (&k, left_arms[(size_t) (v * k.sampling_y)
          * (size_t) k.width + (size_t) (u * k.sampling_x)], u, v);
}

/* ------------------------------------------------------------------ crosses */

struct CrossesArgs
{
  StereoBfvConstants k;
  StereoView view[2];
  uint32_t *arms[2];
};

/* Tiles are for arms up to 16, which pixels at distance 2 to 17 end. */
const int cross_arm = 16;
const int cross_width = 64;
const int cross_before = 20;    /* pixels before the tile */
const int cross_behind = 17;
const int cross_units = (cross_before + cross_width + cross_behind + 3) / 4;
const int cross_pitch = 4 * cross_units + 1;
const int cross_threads = 448;
/* Blocks at a time; Turing has place for 1024 threads. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ == 750
const int cross_blocks = 2;
#else
const int cross_blocks = 3;
#endif
/* words between the comparisons of two rows or columns, and their arms */
const int compare_pitch = cross_arm + 4;
const int arms_pitch = 12;

/* The three channels of a pixel, 8 bits in 11 each.  Outside of the image is a
 * value above all others. */
const uint32_t outside = 512u << 22;

__device__ __forceinline__ uint32_t
spread (uint32_t pixel)
{
  return (pixel & 0xff) | (pixel & 0xff00) << 3 | (pixel & 0xff0000) << 6;
}

/* Whether q differs from a pixel p, or is outside.  low and high are made of
 * p: 512 + threshold - p and 512 + threshold + p for each channel, all bits
 * inverted.  With q subtracted and added, bit 9 of both stays clear where the
 * two are similar. */
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

template < int CHANNELS > __device__ __forceinline__ uint32_t
load_or_outside (const StereoBfvConstants & k, const StereoView & view, int x,
    int y)
{
  return x < 0 || y < 0 || x >= k.width || y >= k.height ? outside
      : spread (load_pixel < CHANNELS > (view, x, y));
}

/* An arm of any length, from memory. */
template < int CHANNELS > __device__ __forceinline__ uint32_t
long_arm (const StereoBfvConstants & k, const StereoView & view,
    const Limits & p, int x, int y, int dx, int dy)
{
  bool before = differ (p, load_or_outside < CHANNELS > (k, view, x + 2 * dx,
          y + 2 * dy));

  for (int i = 1; i < k.arm_length; i++) {
    bool next = differ (p, load_or_outside < CHANNELS > (k, view,
            x + (i + 2) * dx, y + (i + 2) * dy));

    if (before && next)
      return (uint32_t) i;
    before = next;
  }
  return (uint32_t) k.arm_length;
}

/* Not below a view, and only rows that matching reads. */
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

/* Of four pixels from x on, a multiple of 4. */
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

/* Four pixels of a row, x a multiple of 4. */
template < int CHANNELS > __device__ __forceinline__ uint4
load_four (const StereoBfvConstants & k, const StereoView & view, int x,
    int y)
{
  uint4 four;

  if (CHANNELS == 3 && y >= 0 && y < k.height && x >= 0 && x + 4 <= k.width
      && (view.stride % 16 | (size_t) view.plane[0] % 16) == 0) {
    four = *(const uint4 *) (view.plane[0] + ((uint32_t) y
            * (uint32_t) view.stride + 4 * (uint32_t) x));
    four.x = spread (four.x);
    four.y = spread (four.y);
    four.z = spread (four.z);
    four.w = spread (four.w);
  } else {
    four.x = load_or_outside < CHANNELS > (k, view, x, y);
    four.y = load_or_outside < CHANNELS > (k, view, x + 1, y);
    four.z = load_or_outside < CHANNELS > (k, view, x + 2, y);
    four.w = load_or_outside < CHANNELS > (k, view, x + 3, y);
  }
  return four;
}

/* Compares four pixels that follow each other by step words in shared memory
 * with the 16 from the second next one on, for 32 lanes at once: target gets a
 * word for each, with a bit set for lanes where they differ. */
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

/* Bits of 32 arms' lengths, bit b in length[b], from words for distances from
 * 2 on with a bit set where pixels differ; these are step words apart. */
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

/* Numbers in bytes, from five words with their bits: those of bits shift to
 * shift + 3. */
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

/* Lanes are rows for what is to the left and right, columns for what is above
 * and below. */
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
  /* where the pixels were */
  static const int row_arms = 0;
  static const int column_arms = row_groups * cross_width * arms_pitch;
};

template < int CHANNELS, int HEIGHT >
__global__ void __launch_bounds__ (cross_threads, cross_blocks)
crosses_kernel (const __grid_constant__ CrossesArgs a)
{
  typedef CrossShape < HEIGHT > S;
  extern __shared__ __align__ (16) uint32_t shared[];
  const StereoBfvConstants & k = a.k;
  const int side = (int) blockIdx.z, thread = (int) threadIdx.x;
  const int lane = thread & 31, warp = thread / 32;
  const int x0 = (int) blockIdx.x * cross_width;
  const int y0 = (int) blockIdx.y * HEIGHT;

  wait_for_kernel_before ();
  let_next_kernel_come ();
  for (int i = thread; i < S::rows * cross_units; i += cross_threads) {
    const int r = i / cross_units, c = i % cross_units * 4;
    const uint4 four = load_four < CHANNELS > (k, a.view[side],
        x0 - cross_before + c, y0 - cross_before + r);
    uint32_t *target = shared + r * cross_pitch + c;

    target[0] = four.x;
    target[1] = four.y;
    target[2] = four.z;
    target[3] = four.w;
  }
  __syncthreads ();

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
  __syncthreads ();

  for (int i = thread; i < S::row_groups * cross_width + S::column_groups
      * HEIGHT; i += cross_threads) {
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
    /* the one before by i + 2 has it in its i-th word */
    arm_lengths (k, differs - 2 * compare_pitch, 1 - compare_pitch,
        length + 5);
    *(uint4 *) target = make_uint4 (length[0], length[1], length[2],
        length[3]);
    *(uint4 *) (target + 4) = make_uint4 (length[4], length[5], length[6],
        length[7]);
    *(uint4 *) (target + 8) = make_uint4 (length[8], length[9], 0, 0);
  }
  __syncthreads ();

  for (int i = thread; i < cross_width * HEIGHT / 16; i += cross_threads) {
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

template < int CHANNELS > __global__ void __launch_bounds__ (512)
long_crosses_kernel (const __grid_constant__ CrossesArgs a)
{
  const int side = (int) blockIdx.z;
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  wait_for_kernel_before ();
  let_next_kernel_come ();
  if (x >= a.k.width || y >= a.k.height
      || (side != 0 && y % a.k.sampling_y != 0))
    return;

  const StereoView & view = a.view[side];
  const Limits p = limits (a.k, spread (load_pixel < CHANNELS > (view, x,
              y)));

  store_cross (a, side, x, y, stereo_bfv_pack_arms (x > 0 ? long_arm
          < CHANNELS > (a.k, view, p, x, y, -1, 0) : 0,
          x < a.k.width - 1 ? long_arm < CHANNELS > (a.k, view, p, x, y, 1,
              0) : 0,
          y > 0 ? long_arm < CHANNELS > (a.k, view, p, x, y, 0, -1) : 0,
          y < a.k.height - 1 ? long_arm < CHANNELS > (a.k, view, p, x, y, 0,
              1) : 0));
}

template < int CHANNELS, int HEIGHT > StereoStatus
launch_crosses (StereoCudaStage & stage, StereoQueue * queue,
    const CrossesArgs & a)
{
  const int shared = 4 * CrossShape < HEIGHT >::size;
  cudaError_t error = cudaFuncSetAttribute (crosses_kernel < CHANNELS,
      HEIGHT >, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of bfv's crosses_kernel",
        &queue->message);
  launch (queue, crosses_kernel < CHANNELS, HEIGHT >, blocks_of (a.k.width,
          a.k.height, cross_width, HEIGHT, 2), cross_threads, shared, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's crosses_kernel");
}

template < int CHANNELS > StereoStatus
launch_best_crosses (StereoCudaStage & stage, StereoQueue * queue,
    const CrossesArgs & a)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int width = a.k.width, height = a.k.height;
  const dim3 high = blocks_of (width, height, cross_width, 64, 2);

  if (a.k.arm_length > cross_arm) {
    launch (queue, long_crosses_kernel < CHANNELS >, blocks_of (width,
            height, 64, 8, 2), dim3 (64, 8), 0, a);
    return STEREO_CUDA_LAUNCHED (stage, "bfv's long_crosses_kernel");
  }
  /* High tiles do less twice, others spread better over a small image. */
  return high.x * high.y * high.z > 4u * (unsigned) q->multiprocessors
      ? launch_crosses < CHANNELS, 64 > (stage, queue, a)
      : launch_crosses < CHANNELS, 32 > (stage, queue, a);
}

StereoStatus
crosses (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);
  CrossesArgs a = { *k, {*left, *right}, {m->left_arms, m->right_arms} };

  if (!stage.entered ())
    return stage.status ();
  return k->channels == 1 ? launch_best_crosses < 1 > (stage, queue, a)
      : launch_best_crosses < 3 > (stage, queue, a);
}

/* ------------------------------------------------------ matching: the tiles */

const int halo = 16;            /* arms up to which tiles are for */
const int lanes = 8;            /* for a row of costs */
const int parts = 2;            /* rows of costs of a thread */
const int tile_width = 64;
const int cost_width = tile_width + 2 * halo;
const int lane_width = cost_width / lanes;

struct MatchArgs
{
  StereoBfvConstants k;
  StereoView left;
  StereoView right;
  const uint32_t *left_arms;
  const uint32_t *right_arms;
  unsigned long long *left_best;        /* keys, see make_key () */
  unsigned long long *right_best;
  int tiles_x;
  bool aligned;                 /* the right view, for words of four pixels */
  int pieces;                   /* of a tile, one for each block; 0 if blocks
                                 * share out the work evenly */
  long long steps;              /* of all tiles */
};

/* Sizes and places in shared memory, in words.  ROWS of costs. */
template < int ROWS > struct Shape
{
  static const int rows = ROWS;
  static const int height = ROWS - 2 * halo;
  static const int threads = ROWS / parts * lanes;
  static const int segments = threads / tile_width;     /* of a column */
  static const int sum_rows = ROWS / segments;  /* of a thread */
  static const int own_rows = height / segments;
  static const int batch = own_rows % 6 == 0 ? 6 : 4;

  /* prefix sums of rows, 16 bits each, from the fourth word on; the one before
   * is 0; rows of the upper half of the tile are in low, others in high bits */
  static const int row_pitch = cost_width + 4;
  static const int row_sums = 0;
  /* prefix sums of columns, from the second row on; the first is 0 */
  static const int column_sums = row_sums + ROWS / parts * row_pitch;
  /* right arms of pairs of rows, two tiles wide: horizontal ones of all rows,
   * then vertical ones of the tile's own */
  static const int ring = 2 * tile_width;
  static const int ring_rows = (ROWS + height) / 2;
  /* columns of it that come at once, and words of a thread for these */
  static const int ring_step = 16;
  static const int ring_words = (ring_rows * ring_step + threads - 1)
      / threads;
  static const int row_arms = column_sums + (ROWS + 1) * tile_width;
  /* the right view's winners, a ring that is two tiles wide too, and their
   * steps in bytes */
  static const int best = row_arms + ring_rows * ring;
  /* sums of the segments of a column */
  static const int total_pitch = segments + 4;
  static const int totals = best + height * ring;
  static const int best_step = totals + tile_width * total_pitch;
  /* steps of the left view's winners, 16 bits each */
  static const int left_step = best_step + height * ring / 4;
  static const int size = left_step + height * tile_width / 2;
};

/* Any n times 0 is less than n times 1. */
const uint32_t no_winner = 1;

/* The order of A / n, then of the index, as numbers.  Two fractions that
 * differ do so by 1 / (n m) at least, which is above 2^-21. */
__device__ __forceinline__ unsigned long long
make_key (uint32_t sums, int index)
{
  const uint32_t n = sums >> 16, inverse = 0xffffffffu / n;
  uint32_t rest = sums & 0xffff, whole = __umulhi (rest, inverse), part;

  /* Both products are at most 1 below the quotients. */
  rest -= whole * n;
  if (rest >= n) {
    whole++;
    rest -= n;
  }
  rest <<= 21;
  part = __umulhi (rest, inverse);
  if (rest - part * n >= n)
    part++;
  return (unsigned long long) (whole << 21 | part) << 16 | (unsigned) index;
}

/* base + the byte of word times factor, for the bytes that have one. */
__device__ __forceinline__ int
add_bytes (uint32_t word, uint32_t factors, int base)
{
  int result;

  asm ("dp4a.u32.s32 %0, %1, %2, %3;":"=r" (result):"r" (word),
      "r" (factors), "r" (base));
  return result;
}

__device__ __forceinline__ uint32_t
load_word (const uint32_t * shared, int byte)
{
  return *(const uint32_t *) ((const char *) shared + byte);
}

__device__ __forceinline__ uint32_t
load_half (const uint32_t * shared, int byte)
{
  return *(const uint16_t *) ((const char *) shared + byte);
}

/* A part of a tile's work: disparities residue + S_x first and so on. */
struct Part
{
  int u0, v0;
  int residue;
  int first;
  int count;
};

__device__ __forceinline__ Part
find_part (const MatchArgs & a, int tile_height, long long position,
    long long end)
{
  const StereoBfvConstants & k = a.k;
  const int n = k.end_index - k.first_index, s = k.sampling_x;
  const int d0 = k.min_disparity + k.first_index;
  const int tile = (int) (position / n);
  int skip = (int) (position % n);
  Part p;

  p.u0 = tile % a.tiles_x * tile_width;
  p.v0 = tile / a.tiles_x * tile_height;
  for (p.residue = 0;; p.residue++) {
    int after = floor_div (d0 + n - 1 - p.residue, s) + 1;

    p.first = floor_div (d0 - p.residue + s - 1, s);
    p.count = after - p.first;
    if (skip < p.count)
      break;
    skip -= p.count;
  }
  p.first += skip;
  p.count = (int) min ((long long) (p.count - skip), end - position);
  return p;
}

/* Arms of two rows in the bytes of a word: left of the first and of the second
 * row, right of both.  The same for up and down, times 8. */
__device__ __forceinline__ uint32_t
row_pair (uint32_t first, uint32_t second)
{
  return __byte_perm (first, second, 0x5140);
}

__device__ __forceinline__ uint32_t
column_pair (uint32_t first, uint32_t second)
{
  return __byte_perm (first, second, 0x7362) << 3;
}

/* The arms of two rows of the right view, of which pair () makes what comes
 * into a row of the ring; for column j of the grid that starts at -residue. */
struct RightArms
{
  uint32_t first, second;
};

template < typename S > __device__ __forceinline__ RightArms
right_arms_at (const MatchArgs & a, const Part & p, int s_x, int j,
    int row)
{
  const int v = p.v0 + (row < S::rows / 2 ? 2 * row - halo
      : 2 * row - S::rows);
  const int x = clamp (j * s_x - p.residue, 0, a.k.width - 1);
  const int last = a.k.grid_height - 1;
  RightArms arms;

  /* Offsets within the arms fit 32 bits. */
  arms.first = a.right_arms[(uint32_t) clamp (v, 0, last)
      * (uint32_t) a.k.width + (uint32_t) x];
  arms.second = a.right_arms[(uint32_t) clamp (v + 1, 0, last)
      * (uint32_t) a.k.width + (uint32_t) x];
  return arms;
}

template < typename S > __device__ __forceinline__ uint32_t
pair (const RightArms & arms, int row)
{
  return row < S::rows / 2 ? row_pair (arms.first, arms.second)
      : column_pair (arms.first, arms.second);
}

/* Four pixels of the right view from column j of that grid on, with other bits
 * above them; aligned if j and the rows are. */
template < int CHANNELS > __device__ __forceinline__ void
right_pixels_at (const MatchArgs & a, const Part & p, int s_x, int j, int y,
    uint32_t (&pixel)[lane_width + 4], int at)
{
  const uint32_t row = (uint32_t) y * (uint32_t) a.right.stride;

  if (s_x == 1 && a.aligned && j >= 0 && j + 4 <= a.k.width) {
    if (CHANNELS == 1) {
      const uint32_t four = *(const uint32_t *) (a.right.plane[0] + (row
              + (uint32_t) j));

#pragma unroll
      for (int i = 0; i < 4; i++)
        pixel[at + i] = four >> 8 * i;
    } else {
      const uint4 four = *(const uint4 *) (a.right.plane[0] + (row
              + 4 * (uint32_t) j));

      pixel[at] = four.x;
      pixel[at + 1] = four.y;
      pixel[at + 2] = four.z;
      pixel[at + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const uint32_t x = (uint32_t) clamp ((j + i) * s_x - p.residue, 0,
          a.k.width - 1);

      pixel[at + i] = CHANNELS == 1 ? a.right.plane[0][row + x]
          : *(const uint32_t *) (a.right.plane[0] + (row + 4 * x));
    }
  }
}

/* Makes pixels of them; not where they are loaded, to wait for them later. */
template < int CHANNELS > __device__ __forceinline__ void
finish_pixels (uint32_t (&pixel)[lane_width + 4], int first, int n)
{
#pragma unroll
  for (int i = first; i < first + n; i++)
    pixel[i] = CHANNELS == 1 ? (pixel[i] & 0xff) * 0x010101u
        : pixel[i] & 0xffffff;
}

/* The sum of four absolute differences, and start. */
__device__ __forceinline__ uint32_t
add_differences (uint32_t p, uint32_t q, uint32_t start)
{
  uint32_t result;

  asm ("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;":"=r" (result):"r" (p),
      "r" (q), "r" (start));
  return result;
}

/* Prefix sums of a thread's costs, which are those of two rows. */
template < int SHIFT > __device__ __forceinline__ void
sum_costs (uint32_t limit, const uint32_t (&left)[parts][lane_width],
    const uint32_t (&right)[parts][lane_width + 4], uint32_t * target)
{
  const int lane = (int) threadIdx.x % lanes;
  uint32_t e[lane_width], sum = 0, all, run;

#pragma unroll
  for (int i = 0; i < lane_width; i++) {
    e[i] = __vminu2 (add_differences (left[0][i], right[0][i + 4 - SHIFT],
            add_differences (left[1][i], right[1][i + 4 - SHIFT], 0)
            << 16), limit);
    sum += e[i];
  }
  all = sum;
#pragma unroll
  for (int o = 1; o < lanes; o *= 2) {
    uint32_t before = __shfl_up_sync (0xffffffffu, all, o, lanes);

    if (lane >= o)
      all += before;
  }
  run = all - sum;
#pragma unroll
  for (int i = 0; i < lane_width; i += 4) {
    uint4 four;

    four.x = run + e[i];
    four.y = run + e[i] + e[i + 1];
    four.z = four.y + e[i + 2];
    four.w = four.y + e[i + 2] + e[i + 3];
    run = four.w;
    *(uint4 *) (target + i) = four;
  }
}

template < int CHANNELS, int SHIFT, typename S >
__device__ __forceinline__ void
sum_costs_at (const MatchArgs & a, const Part & p, int s_x, int step, int u,
    const int (&y)[parts], const uint32_t (&left)[parts][lane_width],
    const uint32_t (&right)[parts][lane_width + 4], uint32_t * target)
{
  const StereoBfvConstants & k = a.k;
  const uint32_t limit = (uint32_t) k.cost_threshold * 0x10001u;
  const int d = step * s_x + p.residue;
  /* Grid columns with a partner */
  const int first = step + (p.residue > 0);
  const int last = d < 0 ? floor_div (k.width - 1 + d, s_x)
      : k.grid_width - 1;

  if (first <= max (p.u0 - halo, 0)
      && last >= min (p.u0 + tile_width + halo, k.grid_width) - 1) {
    sum_costs < SHIFT > (limit, left, right, target);
  } else {
    uint32_t l[parts][lane_width], edge[parts];

#pragma unroll
    for (int part = 0; part < parts; part++)
      edge[part] = load_pixel < CHANNELS > (a.left, d > 0 ? d
          : k.width - 1 + d, y[part]);
#pragma unroll
    for (int i = 0; i < lane_width; i++) {
      const bool alone = u + i < first || u + i > last;

#pragma unroll
      for (int part = 0; part < parts; part++)
        l[part][i] = alone ? edge[part] : left[part][i];
    }
    sum_costs < SHIFT > (limit, l, right, target);
  }
}

/* Prefix sums of all rows for a step; afterwards right is that of the next one.
 * Four steps share the pixels of right. */
template < int CHANNELS, typename S > __device__ __forceinline__ void
sum_step (const MatchArgs & a, const Part & p, int s_x, int step, int u,
    const int (&y)[parts], const uint32_t (&left)[parts][lane_width],
    uint32_t (&right)[parts][lane_width + 4], uint32_t * target)
{
  switch (step & 3) {
    case 0:
#pragma unroll
      for (int part = 0; part < parts; part++)
        finish_pixels < CHANNELS > (right[part], 0, 4);
      sum_costs_at < CHANNELS, 0, S > (a, p, s_x, step, u, y, left, right,
          target);
      break;
    case 1:
      sum_costs_at < CHANNELS, 1, S > (a, p, s_x, step, u, y, left, right,
          target);
      break;
    case 2:
      sum_costs_at < CHANNELS, 2, S > (a, p, s_x, step, u, y, left, right,
          target);
      break;
    default:
      sum_costs_at < CHANNELS, 3, S > (a, p, s_x, step, u, y, left, right,
          target);
#pragma unroll
      for (int part = 0; part < parts; part++) {
#pragma unroll
        for (int j = lane_width + 3; j >= 4; j--)
          right[part][j] = right[part][j - 4];
        right_pixels_at < CHANNELS > (a, p, s_x, u - 5 - step, y[part],
            right[part], 0);
      }
      break;
  }
}

/* Merges n columns of the right view's winners from column j on, which were
 * there at most 255 steps ago, step being the i-th. */
template < typename S > __device__ __forceinline__ void
merge_right (const MatchArgs & a, const Part & p, uint32_t * shared, int j,
    int n, int step, int i)
{
  int thread = (int) threadIdx.x;

  /* Opaque, or addresses would be kept in registers. */
  asm volatile ("":"+r" (thread));
  for (int c = thread % tile_width; c < n; c += tile_width) {
    const int x = (j + c) * a.k.sampling_x - p.residue;
    const int slot = j + c & S::ring - 1;
    const bool there = x >= 0 && x < a.k.width;

#pragma unroll 2
    for (int r = thread / tile_width; r < S::height;
        r += S::segments) {
      uint32_t *best = shared + S::best + r * S::ring + slot;
      const uint32_t sums = *best;
      const int age = i - ((const uint8_t *) (shared + S::best_step))[r
          * S::ring + slot] & 255;

      *best = no_winner;
      if (sums != no_winner && there && p.v0 + r < a.k.grid_height)
        atomicMin (a.right_best + ((size_t) (p.v0 + r) * (size_t) a.k.width
                + (size_t) x), make_key (sums, (step - age)
                * a.k.sampling_x + p.residue - a.k.min_disparity));
    }
  }
}

template < int CHANNELS, bool DIRECT, typename S >
__device__ __forceinline__ void
match_part (const MatchArgs & a, const Part & p, uint32_t * shared)
{
  const StereoBfvConstants & k = a.k;
  const int s_x = DIRECT ? 1 : k.sampling_x, s_y = DIRECT ? 1 : k.sampling_y;
  const int thread = (int) threadIdx.x;
  /* Costs: rows, and 12 columns from u on. */
  const int u = p.u0 - halo + thread % lanes * lane_width;
  int y[parts];
  uint32_t *const cost_target = shared + S::row_sums
      + thread / lanes * S::row_pitch + 4 + thread % lanes * lane_width;
  /* Sums: a column, and a segment of it. */
  const int column = thread % tile_width, segment = thread / tile_width;
  const bool inside = p.u0 + column < k.grid_width;
  const int first_row = segment * S::sum_rows;
  const int row_base = 4 * (S::row_sums + first_row % (S::rows / parts)
      * S::row_pitch + column + halo + 4) + first_row / (S::rows / parts) * 2;
  const int column_base = 4 * (S::column_sums
      + (segment * S::own_rows + halo) * tile_width + column);
  uint8_t *const best_step = (uint8_t *) (shared + S::best_step);
  uint16_t *const left_step = (uint16_t *) (shared + S::left_step)
      + segment * S::own_rows * tile_width + column;

  uint32_t left[parts][lane_width], right[parts][lane_width + 4];
  uint32_t row_arms[S::sum_rows / 2], column_arms[S::own_rows / 2];
  uint32_t best[S::own_rows];

#pragma unroll
  for (int part = 0; part < parts; part++) {
    y[part] = clamp (p.v0 - halo + thread / lanes + part * S::rows / parts,
        0, k.grid_height - 1) * s_y;
#pragma unroll
    for (int i = 0; i < lane_width; i++)
      left[part][i] = load_pixel < CHANNELS > (a.left, clamp (u + i, 0,
              k.grid_width - 1) * s_x, y[part]);
#pragma unroll
    for (int i = 0; i < lane_width + 4; i += 4)
      right_pixels_at < CHANNELS > (a, p, s_x, u + i - 4 - (p.first & ~3),
          y[part], right[part], i);
    finish_pixels < CHANNELS > (right[part], 0, lane_width + 4);
  }
  for (int i = thread; i < S::ring_rows * tile_width; i += S::threads) {
    int j = p.u0 - p.first + i % tile_width;

    shared[S::row_arms + i / tile_width * S::ring
        + (j & S::ring - 1)] = pair < S > (right_arms_at < S > (a, p, s_x, j,
            i / tile_width), i / tile_width);
  }
#pragma unroll
  for (int q = 0; q < S::sum_rows; q += 2) {
    int v = p.v0 - halo + segment * S::sum_rows + q;

    row_arms[q / 2] = row_pair (grid_arms_at (k, a.left_arms, p.u0 + column,
            v, DIRECT), grid_arms_at (k, a.left_arms, p.u0 + column, v + 1,
            DIRECT));
  }
#pragma unroll
  for (int q = 0; q < S::own_rows; q += 2) {
    int v = p.v0 + segment * S::own_rows + q;

    column_arms[q / 2] = column_pair (grid_arms_at (k, a.left_arms,
            p.u0 + column, v, DIRECT), grid_arms_at (k, a.left_arms,
            p.u0 + column, v + 1, DIRECT));
  }
#pragma unroll
  for (int q = 0; q < S::own_rows; q++)
    best[q] = no_winner;
#pragma unroll
  for (int i = 0; i < S::height * S::ring; i += 4 * S::threads)
    *(uint4 *) (shared + S::best + i + 4 * thread) = make_uint4 (no_winner,
        no_winner, no_winner, no_winner);
  if (thread < S::rows / parts)
    shared[S::row_sums + thread * S::row_pitch + 3] = 0;
  if (thread < tile_width)
    shared[S::column_sums + thread] = 0;

  /* Of the first step; every step makes those of the next one. */
  sum_step < CHANNELS, S > (a, p, s_x, p.first, u, y, left, right,
      cost_target);
  __syncthreads ();

  /* i once more; read from memory it is not taken for the same in all
   * threads, which would cost a copy for every store. */
  uint32_t own_i = *(volatile uint32_t *) (shared + S::column_sums + column);

#pragma unroll 1
  for (int i = 0; i < p.count; i++) {
    const int step = p.first + i;

    /* H and N, and their sums along the segment; N without the pixels
     * themselves. */
    uint32_t sums[S::sum_rows], sum = 0, n = 0, before = 0;
    const int arms_slot = p.u0 + column - step & S::ring - 1;
    const uint32_t *arms = shared + S::row_arms
        + segment * (S::sum_rows / 2) * S::ring + arms_slot;
#pragma unroll
    for (int q = 0; q < S::sum_rows; q += 2) {
      const uint32_t l = row_arms[q / 2], r = arms[q / 2 * S::ring];
      /* 16 bits compare by their high byte. */
      const uint32_t first = __vminu2 (l & 0x00ff00ffu, r & 0x00ff00ffu);
      const uint32_t second = __vminu2 (l, r);
      const int at = 4 * q * S::row_pitch;

      sum += load_half (shared, add_bytes (first, 0x00040000u, row_base) + at)
          - load_half (shared, add_bytes (first, 0x000000fcu, row_base) + at
          - 4);
      n = (uint32_t) add_bytes (first, 0x00010001u, (int) n);
      sums[q] = sum + (n << 16);
      sum += load_half (shared, add_bytes (second, 0x04000000u, row_base)
          + at + 4 * S::row_pitch) - load_half (shared, add_bytes (second,
              0x0000fc00u, row_base) + at + 4 * S::row_pitch - 4);
      n = (uint32_t) add_bytes (second, 0x01000100u, (int) n);
      sums[q + 1] = sum + (n << 16);
    }
    shared[S::totals + column * S::total_pitch + segment] =
        sums[S::sum_rows - 1] + (S::sum_rows << 16);
    __syncthreads ();

    /* Prefix sums of the columns. */
#pragma unroll
    for (int s = 0; s < S::segments - 1; s += 4) {
      if (s >= segment)
        break;

      uint4 four = *(const uint4 *) (shared + S::totals
          + column * S::total_pitch + s);

      before += four.x;
      before += s + 1 < segment ? four.y : 0;
      before += s + 2 < segment ? four.z : 0;
      before += s + 3 < segment ? four.w : 0;
    }
#pragma unroll
    for (int q = 0; q < S::sum_rows; q++)
      shared[S::column_sums + (segment * S::sum_rows + q + 1) * tile_width
          + column] = before + sums[q] + ((q + 1) << 16);
    /* Columns of the right view that have left the tile. */
    if (i % tile_width == 0 && i > 0)
      merge_right < S > (a, p, shared, p.u0 - step + tile_width, tile_width,
          step, i);
    if (i + 1 < p.count)
      sum_step < CHANNELS, S > (a, p, s_x, step + 1, u, y, left, right,
          cost_target);
    /* Those that come in the next steps. */
    if (i % S::ring_step == 0) {
      RightArms next[S::ring_words];
      int own_thread = thread;

      /* Opaque, or addresses would be kept in registers. */
      asm volatile ("":"+r" (own_thread));
#pragma unroll
      for (int w = 0; w < S::ring_words; w++) {
        const int at = min (own_thread + w * S::threads,
            S::ring_rows * S::ring_step - 1);

        next[w] = right_arms_at < S > (a, p, s_x, p.u0 - step
            - S::ring_step + at % S::ring_step, at / S::ring_step);
      }
#pragma unroll
      for (int w = 0; w < S::ring_words; w++) {
        const int at = own_thread + w * S::threads, row = at / S::ring_step;

        if (row < S::ring_rows)
          shared[S::row_arms + row * S::ring + (p.u0 - step - S::ring_step
                  + at % S::ring_step & S::ring - 1)] =
              pair < S > (next[w], row);
      }
    }
    __syncthreads ();

    /* A and n, and the winners. */
    const int slot = arms_slot;
    uint32_t *right_best = shared + S::best
        + segment * S::own_rows * S::ring + slot;
    uint8_t *right_step = best_step + segment * S::own_rows * S::ring
        + slot;
    arms = shared + S::row_arms + (S::rows / 2 + segment * (S::own_rows / 2))
        * S::ring + arms_slot;
    /* Some rows at once: first all loads, then the stores. */
#pragma unroll
    for (int q0 = 0; q0 < S::own_rows; q0 += S::batch) {
      uint32_t here[S::batch], there[S::batch];

#pragma unroll
      for (int q = q0; q < q0 + S::batch; q += 2) {
        const uint32_t l = column_arms[q / 2], r =
            arms[q / 2 * S::ring];
        const uint32_t first = __vminu2 (l & 0x00ff00ffu, r & 0x00ff00ffu);
        const uint32_t second = __vminu2 (l, r);
        const int at = 4 * q * tile_width;

        here[q - q0] = load_word (shared, add_bytes (first, 0x00200000u,
                column_base) + at + 4 * tile_width) - load_word (shared,
            add_bytes (first, 0x000000e0u, column_base) + at);
        here[q + 1 - q0] = load_word (shared, add_bytes (second, 0x20000000u,
                column_base) + at + 8 * tile_width) - load_word (shared,
            add_bytes (second, 0x0000e000u, column_base) + at
            + 4 * tile_width);
        there[q - q0] = right_best[q * S::ring];
        there[q + 1 - q0] = right_best[(q + 1) * S::ring];
      }
#pragma unroll
      for (int q = q0; q < q0 + S::batch; q++) {
        const uint32_t w = here[q - q0], n = w >> 16, other = there[q - q0];

        /* (A + 2^16 n) m - (B + 2^16 m) n = A m - B n */
        if ((int32_t) (w * (best[q] >> 16) - best[q] * n) < 0) {
          best[q] = w;
          left_step[q * tile_width] = (uint16_t) own_i;
        }
        if (inside && (int32_t) (w * (other >> 16) - other * n) < 0) {
          right_best[q * S::ring] = w;
          right_step[q * S::ring] = (uint8_t) own_i;
        }
      }
    }
    own_i++;
  }
  __syncthreads ();

  /* What is left */
  const int last = p.first + p.count - 1;

  merge_right < S > (a, p, shared, p.u0 - last, tile_width + (p.count - 1)
      % tile_width, last, p.count - 1);
  /* Opaque, or addresses would be made before the loop, and kept. */
  int end_u = p.u0 + column, end_v = p.v0 + segment * S::own_rows;

  asm volatile ("":"+r" (end_u), "+r" (end_v));
#pragma unroll
  for (int q = 0; q < S::own_rows; q++) {
    int v = end_v + q;

    if (end_u < k.grid_width && v < k.grid_height)
      atomicMin (a.left_best + ((size_t) v * (size_t) k.grid_width
              + (size_t) end_u), make_key (best[q], (p.first
                  + left_step[q * tile_width]) * k.sampling_x + p.residue
              - k.min_disparity));
  }
  __syncthreads ();
}

/* Where a block's share begins. */
__device__ __forceinline__ long long
first_step (const MatchArgs & a, unsigned block)
{
  const int n = a.k.end_index - a.k.first_index;

  if (a.pieces != 0)
    return (long long) (block / a.pieces) * n
        + (int) (block % a.pieces) * n / a.pieces;
  return a.steps * block / gridDim.x;
}

template < int CHANNELS, bool DIRECT, typename S >
__global__ void __launch_bounds__ (S::threads, 1)
match_kernel (const __grid_constant__ MatchArgs a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  long long position = first_step (a, blockIdx.x);
  const long long end = first_step (a, blockIdx.x + 1);

  wait_for_kernel_before ();
  while (position < end) {
    const Part p = find_part (a, S::height, position, end);

    match_part < CHANNELS, DIRECT, S > (a, p, shared);
    position += p.count;
  }
}

const int key_threads = 256;
const int keys_at_once = 4;     /* of a thread */

/* No winners yet.  Works at the same time as the kernel before, but for a
 * kernel that uses scratch. */
__global__ void __launch_bounds__ (key_threads)
clear_kernel (size_t n, unsigned long long *best)
{
  const size_t first = (size_t) blockIdx.x * (key_threads * keys_at_once)
      + threadIdx.x;

#pragma unroll
  for (int i = 0; i < keys_at_once; i++) {
    if (first + i * key_threads < n)
      best[first + i * key_threads] = ~0ull;
  }
  wait_for_kernel_before ();
}

/* n_left keys to winners of the left view, the others to those of the right. */
__global__ void __launch_bounds__ (key_threads)
winners_kernel (size_t n_left, size_t n, const unsigned long long *best,
    uint16_t * left, uint16_t * right)
{
  const size_t first = (size_t) blockIdx.x * (key_threads * keys_at_once)
      + threadIdx.x;
  unsigned long long key[keys_at_once];

  wait_for_kernel_before ();
#pragma unroll
  for (int i = 0; i < keys_at_once; i++) {
    if (first + i * key_threads < n)
      key[i] = best[first + i * key_threads];
  }
#pragma unroll
  for (int i = 0; i < keys_at_once; i++) {
    const size_t at = first + i * key_threads;

    if (at < n_left)
      left[at] = (uint16_t) key[i];
    else if (at < n)
      right[at - n_left] = (uint16_t) key[i];
  }
}

/* ---------------------------------------- matching: whatever tiles can't do */

struct SliceArgs
{
  StereoBfvConstants k;
  StereoView left;
  StereoView right;
  const uint32_t *left_arms;
  const uint32_t *right_arms;
  uint32_t *row_sums;           /* prefix sums of e */
  uint2 *sums;                  /* H, N */
  uint2 *left_best;             /* A, n */
  uint2 *right_best;
  uint16_t *left_winner;
  uint16_t *right_winner;
  int index;
};

const int slice_threads = 256;

/* The sum over a block's threads up to this one; shared has 32 words. */
__device__ __forceinline__ uint32_t
prefix_sum (uint32_t value, uint32_t * shared)
{
  const int lane = (int) threadIdx.x & 31, warp = (int) threadIdx.x / 32;

#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    uint32_t before = __shfl_up_sync (0xffffffffu, value, o);

    if (lane >= o)
      value += before;
  }
  if (lane == 31)
    shared[warp] = value;
  __syncthreads ();
  for (int w = 0; w < warp; w++)
    value += shared[w];
  __syncthreads ();
  return value;
}

/* The overlapped arms of a grid point. */
__device__ __forceinline__ uint32_t
overlap_at (const SliceArgs & a, int u, int v)
{
  const StereoBfvConstants & k = a.k;
  const int d = k.min_disparity + a.index;
  const int partner = stereo_bfv_clamp (&k, u * k.sampling_x, d) - d;

  return stereo_bfv_overlap (grid_arms_at (k, a.left_arms, u, v),
      a.right_arms[(size_t) v * (size_t) k.width + (size_t) partner]);
}

template < int CHANNELS > __global__ void __launch_bounds__ (slice_threads)
cost_kernel (const __grid_constant__ SliceArgs a)
{
  __shared__ uint32_t shared[32], total;
  const StereoBfvConstants & k = a.k;
  const int v = (int) blockIdx.x, y = v * k.sampling_y;
  const int d = k.min_disparity + a.index;
  uint32_t before = 0;

  for (int u0 = 0; u0 < k.grid_width; u0 += slice_threads) {
    const int u = u0 + (int) threadIdx.x;
    uint32_t e = 0;

    if (u < k.grid_width) {
      int x = stereo_bfv_clamp (&k, u * k.sampling_x, d);

      e = min (__vsadu4 (load_pixel < CHANNELS > (a.left, x, y),
              load_pixel < CHANNELS > (a.right, x - d, y)),
          (uint32_t) k.cost_threshold);
    }
    e = before + prefix_sum (e, shared);
    if (u < k.grid_width)
      a.row_sums[(size_t) v * (size_t) k.grid_width + (size_t) u] = e;
    if (threadIdx.x == slice_threads - 1)
      total = e;
    __syncthreads ();
    before = total;
  }
}

__global__ void __launch_bounds__ (slice_threads)
row_kernel (const __grid_constant__ SliceArgs a)
{
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;
  const size_t row = (size_t) v * (size_t) a.k.grid_width;

  if (u >= a.k.grid_width)
    return;
  const uint32_t arms = overlap_at (a, u, v);
  const int first = u - (int) (arms & 0xff);
  const int last = u + (int) (arms >> 8 & 0xff);

  a.sums[row + (size_t) u] = make_uint2 (a.row_sums[row + (size_t) last]
      - (first > 0 ? a.row_sums[row + (size_t) first - 1] : 0),
      (uint32_t) (last - first + 1));
}

__device__ __forceinline__ void
compete (uint2 sums, int index, uint2 * best, uint16_t * winner)
{
  if (*winner == STEREO_INVALID || stereo_bfv_less_wide (sums.x, sums.y,
          best->x, best->y)) {
    *best = sums;
    *winner = (uint16_t) index;
  }
}

__global__ void __launch_bounds__ (slice_threads)
column_kernel (const __grid_constant__ SliceArgs a)
{
  const StereoBfvConstants & k = a.k;
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;
  const size_t here = (size_t) v * (size_t) k.grid_width + (size_t) u;
  const int partner = u * k.sampling_x - (k.min_disparity + a.index);
  uint2 sums = make_uint2 (0, 0);

  if (u >= k.grid_width)
    return;
  const uint32_t arms = overlap_at (a, u, v);

  for (int i = v - (int) (arms >> 16 & 0xff); i <= v + (int) (arms >> 24);
      i++) {
    uint2 row = a.sums[(size_t) i * (size_t) k.grid_width + (size_t) u];

    sums.x += row.x;
    sums.y += row.y;
  }
  compete (sums, a.index, &a.left_best[here], &a.left_winner[here]);
  if (partner >= 0 && partner < k.width) {
    size_t there = (size_t) v * (size_t) k.width + (size_t) partner;

    compete (sums, a.index, &a.right_best[there], &a.right_winner[there]);
  }
}

/* ---------------------------------------------------------- matching: stage */

size_t
grid_size (const StereoBfvConstants * k)
{
  return (size_t) k->grid_width * (size_t) k->grid_height;
}

size_t
right_size (const StereoBfvConstants * k)
{
  return (size_t) k->width * (size_t) k->grid_height;
}

bool
fits_tiles (const StereoBfvConstants * k)
{
  return !k->wide && k->cost_threshold * cost_width < 65536
      && (k->arm_length + k->sampling_x - 1) / k->sampling_x <= halo
      && (k->arm_length + k->sampling_y - 1) / k->sampling_y <= halo;
}

/* Words of the votes in a row: 1, 2 or 4. */
int
vote_words (const StereoBfvConstants * k)
{
  return k->bits < 4 ? 1 : k->bits < 8 ? 2 : 4;
}

size_t
scratch (const StereoBfvConstants * k, unsigned)
{
  size_t keys = (grid_size (k) + right_size (k))
      * sizeof (unsigned long long);
  size_t slices = grid_size (k) * (sizeof (uint32_t) + 2 * sizeof (uint2))
      + right_size (k) * sizeof (uint2);
  size_t votes = right_size (k) * (size_t) vote_words (k)
      * sizeof (uint32_t);
  size_t winners = (grid_size (k) + right_size (k)) * sizeof (uint16_t);
  size_t match = fits_tiles (k) ? keys : slices + winners;
  size_t restore = votes + (grid_size (k) + (size_t) k->width
      * (size_t) k->height) * sizeof (uint16_t);

  return match > restore ? match : restore;
}

/* Memory with places for maps that have none of their own: winners are where
 * the right view's arms were, others behind the votes. */
StereoBfvMemory
complete (const StereoBfvConstants * k, const StereoBfvMemory * memory)
{
  StereoBfvMemory m = *memory;

  if (m.left == NULL) {
    m.left = (uint16_t *) m.right_arms;
    m.right = m.left + grid_size (k);
    m.reliable = (uint16_t *) m.scratch + right_size (k)
        * (size_t) vote_words (k) * 2;
    m.voted = m.reliable + grid_size (k);
  }
  return m;
}

template < int CHANNELS > StereoStatus
match_slices (StereoCudaStage & stage, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  const dim3 grid ((unsigned) (k->grid_width + slice_threads - 1)
      / slice_threads, (unsigned) k->grid_height);
  SliceArgs a = { *k, *left, *right, m->left_arms, m->right_arms };

  a.sums = (uint2 *) m->scratch;
  a.left_best = a.sums + grid_size (k);
  a.right_best = a.left_best + grid_size (k);
  a.row_sums = (uint32_t *) (a.right_best + right_size (k));
  /* right_arms may be where winners go. */
  a.left_winner = (uint16_t *) (a.row_sums + grid_size (k));
  a.right_winner = a.left_winner + grid_size (k);
  (void) cudaMemsetAsync (a.left_winner, 0xff, (grid_size (k)
          + right_size (k)) * sizeof (uint16_t), stage.stream ());
  for (a.index = k->first_index; a.index < k->end_index; a.index++) {
    cost_kernel < CHANNELS > <<< (unsigned) k->grid_height, slice_threads, 0,
        stage.stream () >>> (a);
    row_kernel <<< grid, slice_threads, 0, stage.stream () >>> (a);
    column_kernel <<< grid, slice_threads, 0, stage.stream () >>> (a);
  }
  (void) cudaMemcpyAsync (m->left, a.left_winner, grid_size (k)
      * sizeof (uint16_t), cudaMemcpyDeviceToDevice, stage.stream ());
  (void) cudaMemcpyAsync (m->right, a.right_winner, right_size (k)
      * sizeof (uint16_t), cudaMemcpyDeviceToDevice, stage.stream ());
  return STEREO_CUDA_LAUNCHED (stage, "bfv's column_kernel");
}

/* Decides on shares, and how many there are. */
template < typename S > unsigned
share_out (const StereoBfvConstants * k, MatchArgs & a, int multiprocessors)
{
  const int part = 5;           /* steps that the start and end of one take */
  const int n = k->end_index - k->first_index;
  const int tiles_y = (k->grid_height + S::height - 1) / S::height;
  const int tiles = a.tiles_x * tiles_y;
  const long long steps = (long long) tiles * n;
  const int pieces = multiprocessors / tiles < n ? multiprocessors / tiles : n;
  const long long even = steps / multiprocessors + 1 + 2 * part;

  a.steps = steps;
  a.pieces = pieces > 0 && (n - 1) / pieces + 1 + part <= even ? pieces : 0;
  if (a.pieces != 0)
    return (unsigned) (tiles * a.pieces);
  return (unsigned) (steps < multiprocessors ? steps : multiprocessors);
}

template < int CHANNELS, bool DIRECT, typename S > StereoStatus
match_tiles (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, const StereoBfvMemory * m)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const size_t n_left = grid_size (k), n = n_left + right_size (k);
  MatchArgs a = { *k, *left, *right, m->left_arms, m->right_arms };
  cudaError_t error = cudaFuncSetAttribute (match_kernel < CHANNELS, DIRECT,
      S >, cudaFuncAttributeMaxDynamicSharedMemorySize, S::size * 4);
  unsigned blocks, key_blocks;

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of bfv's match_kernel",
        &queue->message);
  a.left_best = (unsigned long long *) m->scratch;
  a.right_best = a.left_best + n_left;
  a.aligned = (right->stride | (size_t) right->plane[0])
      % (CHANNELS == 1 ? 4 : 16) == 0;
  a.tiles_x = (k->grid_width + tile_width - 1) / tile_width;
  blocks = share_out < S > (k, a, q->multiprocessors);
  key_blocks = (unsigned) ((n + key_threads * keys_at_once - 1)
      / (key_threads * keys_at_once));
  launch (queue, clear_kernel, key_blocks, key_threads, 0, n, a.left_best);
  launch (queue, match_kernel < CHANNELS, DIRECT, S >, blocks, S::threads,
      S::size * 4, a);
  launch (queue, winners_kernel, key_blocks, key_threads, 0, n_left, n,
      a.left_best, m->left, m->right);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's match_kernel");
}

template < int CHANNELS, bool DIRECT > StereoStatus
match_any (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, const StereoBfvMemory * m)
{
  const int limit = stereo_cuda_shared_limit (queue->device);

  typedef Shape < 128 > Large;
  typedef Shape < 64 > Small;

  if (fits_tiles (k) && Large::size * 4 <= limit)
    return match_tiles < CHANNELS, DIRECT, Large > (stage, queue, k, left,
        right, m);
  if (fits_tiles (k) && Small::size * 4 <= limit)
    return match_tiles < CHANNELS, DIRECT, Small > (stage, queue, k, left,
        right, m);
  return match_slices < CHANNELS > (stage, k, left, right, m);
}

StereoStatus
match (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * memory)
{
  StereoCudaStage stage (queue);
  const StereoBfvMemory places = complete (k, memory), *m = &places;

  if (!stage.entered ())
    return stage.status ();
  if (k->sampling_x == 1 && k->sampling_y == 1)
    return k->channels == 1 ? match_any < 1, true > (stage, queue, k, left,
        right, m) : match_any < 3, true > (stage, queue, k, left, right, m);
  return k->channels == 1 ? match_any < 1, false > (stage, queue, k, left,
      right, m) : match_any < 3, false > (stage, queue, k, left, right, m);
}

/* ------------------------------------------------------------------ restore */

struct RestoreArgs
{
  StereoBfvConstants k;
  const uint32_t *left_arms;
  const uint16_t *left;
  const uint16_t *right;
  uint16_t *reliable;
  uint16_t *voted;
  void *votes;                  /* of a row, vote_words () each */
  StereoMap map;
  StereoOutput output;
  bool encode;
};

/* The winner at a grid point if it is reliable. */
__device__ __forceinline__ uint32_t
check_at (const RestoreArgs & a, int u, int v)
{
  const uint32_t index = a.left[(size_t) v * (size_t) a.k.grid_width
      + (size_t) u];

  return stereo_bfv_reliable (&a.k, u * a.k.sampling_x, (int) index,
      a.right + (size_t) v * (size_t) a.k.width) ? index : STEREO_INVALID;
}

__global__ void
check_kernel (const __grid_constant__ RestoreArgs a)
{
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;

  wait_for_kernel_before ();
  let_next_kernel_come ();
  if (u < a.k.grid_width)
    a.reliable[(size_t) v * (size_t) a.k.grid_width + (size_t) u] =
        (uint16_t) check_at (a, u, v);
}

template < int WORDS > struct Vector;
template <> struct Vector <1 >
{
  typedef uint32_t Type;
};
template <> struct Vector <2 >
{
  typedef uint2 Type;
};
template <> struct Vector <4 >
{
  typedef uint4 Type;
};

const int vote_threads = 512;
const int vote_rows = 4;        /* of a block */

/* The votes on a horizontal arm in bytes: how many there are, then how many of
 * them have bit 0, 1, ... set.  With CHECK, makes the map of what is reliable
 * too. */
template < int WORDS, bool CHECK >
__global__ void __launch_bounds__ (vote_threads)
vote_rows_kernel (const __grid_constant__ RestoreArgs a)
{
  typedef typename Vector < WORDS >::Type Type;
  __shared__ uint32_t sums[vote_rows][WORDS][vote_threads + 1];
  __shared__ uint32_t totals[vote_rows][WORDS][vote_threads / 32];
  const StereoBfvConstants & k = a.k;
  const int thread = (int) threadIdx.x, lane = thread & 31;
  const int warp = thread / 32, reach = k.arm_length;
  const int n = vote_threads - 2 * reach;
  const int x = (int) blockIdx.x * n - reach + thread;
  const int u = divide (max (x, 0), k.sampling_x);
  const int v0 = (int) blockIdx.y * vote_rows;
  const bool sample = x < k.width && u * k.sampling_x == x;
  const bool own = thread >= reach && thread < vote_threads - reach
      && x < k.width;
  uint32_t word[vote_rows][WORDS], code[vote_rows], arms[vote_rows];

  wait_for_kernel_before ();
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
    const int v = v0 + r;
    const size_t at = (size_t) v * (size_t) k.grid_width + (size_t) u;
    uint32_t index = STEREO_INVALID;

    arms[r] = own && v < k.grid_height ? a.left_arms[(size_t) v
        * (size_t) k.sampling_y * (size_t) k.width + (size_t) x] : 0;
    if (sample && v < k.grid_height)
      index = CHECK ? check_at (a, u, v) : a.reliable[at];
    if (CHECK && own && sample && v < k.grid_height)
      a.reliable[at] = (uint16_t) index;
    code[r] = index == STEREO_INVALID ? 0 : index << 1 | 1;
  }
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      word[r][w] = ((code[r] >> 4 * w & 15) * 0x00204081u) & 0x01010101u;
  }
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
#pragma unroll
    for (int r = 0; r < vote_rows; r++) {
#pragma unroll
      for (int w = 0; w < WORDS; w++) {
        uint32_t before = __shfl_up_sync (0xffffffffu, word[r][w], o);

        if (lane >= o)
          word[r][w] += before;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      if (lane == 31)
        totals[r][w][warp] = word[r][w];
    }
  }
  __syncthreads ();
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      uint32_t before = lane < warp ? totals[r][w][lane] : 0;

#pragma unroll
      for (int o = vote_threads / 64; o > 0; o /= 2)
        before += __shfl_xor_sync (0xffffffffu, before, o);
      sums[r][w][thread + 1] = word[r][w]
          + __shfl_sync (0xffffffffu, before, 0);
      if (thread == 0)
        sums[r][w][0] = 0;
    }
  }
  __syncthreads ();
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
    const int from = thread - (int) (arms[r] & 0xff);
    const int to = thread + (int) (arms[r] >> 8 & 0xff) + 1;
    Type result;

    if (!own || v0 + r >= k.grid_height)
      break;
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      ((uint32_t *) & result)[w] = sums[r][w][to] - sums[r][w][from];
    ((Type *) a.votes)[(size_t) (v0 + r) * (size_t) k.width + (size_t) x] =
        result;
  }
}

/* The reliable winner of a pixel; STEREO_INVALID if it has none. */
__device__ __forceinline__ uint32_t
own_vote (const RestoreArgs & a, int x, int y)
{
  const StereoBfvConstants & k = a.k;
  const int u = divide (x, k.sampling_x), v = divide (y, k.sampling_y);

  return u * k.sampling_x == x && v * k.sampling_y == y
      ? a.reliable[(size_t) v * (size_t) k.grid_width + (size_t) u]
      : STEREO_INVALID;
}

/* The result of votes that are in halves of words: bytes 0 and 2 of those in
 * a row in even, others in odd. */
template < int WORDS > __device__ __forceinline__ uint32_t
majority (const StereoBfvConstants & k, const uint32_t (&even)[WORDS],
    const uint32_t (&odd)[WORDS])
{
  const uint32_t n = even[0] & 0xffff;
  uint32_t result = 0;

  if (n == 0)
    return STEREO_INVALID;
#pragma unroll
  for (int bit = 0; bit < 4 * WORDS - 1; bit++) {
    const int plane = bit + 1;
    uint32_t pair = plane % 2 == 0 ? even[plane / 4] : odd[plane / 4];

    result |= (uint32_t) stereo_bfv_majority (plane % 4 < 2 ? pair & 0xffff
        : pair >> 16, n) << bit;
  }
  return stereo_bfv_clamp_index (&k, result);
}

const int sum_width = 32;       /* tile */
const int sum_height = 64;
const int sum_arm = 16;         /* up to which it is for */
const int sum_pieces = 8;       /* of a column */
const int sum_piece = (sum_height + 2 * sum_arm) / sum_pieces;
const int sum_own = sum_height / sum_pieces;

template < int WORDS > constexpr int
sum_shared ()
{
  return 4 * sum_width * 2 * WORDS * (sum_height + 2 * sum_arm + 1
      + sum_pieces);
}

/* Votes of all pixels by prefix sums of the columns. */
template < int WORDS >
__global__ void __launch_bounds__ (sum_width * sum_pieces)
vote_sums_kernel (const __grid_constant__ RestoreArgs a)
{
  typedef typename Vector < WORDS >::Type Type;
  extern __shared__ __align__ (16) uint32_t shared[];
  const StereoBfvConstants & k = a.k;
  const int column = (int) threadIdx.x, piece = (int) threadIdx.y;
  const int x = (int) blockIdx.x * sum_width + column;
  const int y0 = (int) blockIdx.y * sum_height;
  const int pitch = 2 * WORDS * sum_width;      /* of a row of sums */
  uint32_t *const totals = shared + (sum_height + 2 * sum_arm + 1) * pitch;
  uint32_t even[WORDS], odd[WORDS], arms[sum_own], own[sum_own];
  Type votes[sum_piece];

  wait_for_kernel_before ();
#pragma unroll
  for (int w = 0; w < WORDS; w++)
    even[w] = odd[w] = 0;
#pragma unroll
  for (int i = 0; i < sum_piece; i++) {
    const int y = y0 - sum_arm + piece * sum_piece + i;
    const int v = divide (max (y, 0), k.sampling_y);

#pragma unroll
    for (int w = 0; w < WORDS; w++)
      ((uint32_t *) &votes[i])[w] = 0;
    if (x < k.width && y < k.height && v * k.sampling_y == y)
      votes[i] = ((const Type *) a.votes)[(size_t) v * (size_t) k.width
          + (size_t) x];
  }
#pragma unroll
  for (int i = 0; i < sum_own; i++) {
    const int y = y0 + piece * sum_own + i;

    arms[i] = own[i] = 0;
    if (x < k.width && y < k.height) {
      arms[i] = a.left_arms[(size_t) y * (size_t) k.width + (size_t) x];
      own[i] = own_vote (a, x, y);
    }
  }
#pragma unroll
  for (int i = 0; i < sum_piece; i++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      even[w] += ((const uint32_t *) &votes[i])[w] & 0x00ff00ffu;
      odd[w] += ((const uint32_t *) &votes[i])[w] >> 8 & 0x00ff00ffu;
    }
  }
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    totals[piece * pitch + 2 * w * sum_width + column] = even[w];
    totals[piece * pitch + (2 * w + 1) * sum_width + column] = odd[w];
    even[w] = odd[w] = 0;
  }
  __syncthreads ();

  for (int i = 0; i < piece; i++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      even[w] += totals[i * pitch + 2 * w * sum_width + column];
      odd[w] += totals[i * pitch + (2 * w + 1) * sum_width + column];
    }
  }
  if (piece == 0) {
#pragma unroll
    for (int w = 0; w < 2 * WORDS; w++)
      shared[w * sum_width + column] = 0;
  }
#pragma unroll
  for (int i = 0; i < sum_piece; i++) {
    uint32_t *sums = shared + (piece * sum_piece + i + 1) * pitch + column;

#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      even[w] += ((const uint32_t *) &votes[i])[w] & 0x00ff00ffu;
      odd[w] += ((const uint32_t *) &votes[i])[w] >> 8 & 0x00ff00ffu;
      sums[2 * w * sum_width] = even[w];
      sums[(2 * w + 1) * sum_width] = odd[w];
    }
  }
  __syncthreads ();

#pragma unroll
  for (int i = 0; i < sum_own; i++) {
    const int r = piece * sum_own + i;
    const uint32_t *from = shared + (r + sum_arm - (int) (arms[i] >> 16
            & 0xff)) * pitch + column;
    const uint32_t *to = shared + (r + sum_arm + 1 + (int) (arms[i] >> 24))
        * pitch + column;

    if (x >= k.width || y0 + r >= k.height)
      break;
    if (own[i] == STEREO_INVALID) {
#pragma unroll
      for (int w = 0; w < WORDS; w++) {
        even[w] = to[2 * w * sum_width] - from[2 * w * sum_width];
        odd[w] = to[(2 * w + 1) * sum_width] - from[(2 * w + 1) * sum_width];
      }
      own[i] = majority (k, even, odd);
    }
    a.voted[(size_t) (y0 + r) * (size_t) k.width + (size_t) x] =
        (uint16_t) own[i];
  }
}

const int votes_at_once = 4;

template < int WORDS > __global__ void __launch_bounds__ (256)
vote_columns_kernel (const __grid_constant__ RestoreArgs a)
{
  typedef typename Vector < WORDS >::Type Type;
  const StereoBfvConstants & k = a.k;
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  wait_for_kernel_before ();
  if (x >= k.width || y >= k.height)
    return;
  const size_t at = (size_t) y * (size_t) k.width + (size_t) x;
  uint32_t result = own_vote (a, x, y);

  if (result == STEREO_INVALID) {
    const uint32_t arms = a.left_arms[at];
    const int first = divide (y - (int) (arms >> 16 & 0xff) + k.sampling_y - 1,
        k.sampling_y);
    const int last = divide (y + (int) (arms >> 24), k.sampling_y);
    const Type *votes = (const Type *) a.votes + (size_t) first
        * (size_t) k.width + (size_t) x;
    uint32_t even[WORDS], odd[WORDS];
    int v = first;

#pragma unroll
    for (int w = 0; w < WORDS; w++)
      even[w] = odd[w] = 0;
    /* As many rows at once as do not overflow bytes. */
    if (k.arm_length <= (255 / votes_at_once - 1) / 2) {
      for (; v + votes_at_once <= last + 1; v += votes_at_once) {
        uint32_t sum[WORDS];

#pragma unroll
        for (int w = 0; w < WORDS; w++)
          sum[w] = 0;
#pragma unroll
        for (int i = 0; i < votes_at_once; i++) {
          const Type four = votes[i * k.width];

#pragma unroll
          for (int w = 0; w < WORDS; w++)
            sum[w] += ((const uint32_t *) &four)[w];
        }
        votes += votes_at_once * k.width;
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
          even[w] += sum[w] & 0x00ff00ffu;
          odd[w] += sum[w] >> 8 & 0x00ff00ffu;
        }
      }
    }
    for (; v <= last; v++) {
      const Type four = *votes;

      votes += k.width;
#pragma unroll
      for (int w = 0; w < WORDS; w++) {
        even[w] += ((const uint32_t *) &four)[w] & 0x00ff00ffu;
        odd[w] += ((const uint32_t *) &four)[w] >> 8 & 0x00ff00ffu;
      }
    }

    result = majority (k, even, odd);
  }
  a.voted[at] = (uint16_t) result;
}

/* One warp for 32 pixels, one after the other; a word of shared memory for
 * every index. */
__global__ void __launch_bounds__ (32)
vote_histogram_kernel (const __grid_constant__ RestoreArgs a)
{
  extern __shared__ uint32_t count[];
  const StereoBfvConstants & k = a.k;
  const int lane = (int) threadIdx.x, y = (int) blockIdx.y;
  const int x0 = (int) blockIdx.x * 32;
  const size_t row = (size_t) y * (size_t) k.width;

  wait_for_kernel_before ();
  uint32_t result = x0 + lane < k.width ? own_vote (a, x0 + lane, y) : 0;
  uint32_t todo = __ballot_sync (0xffffffffu, result == STEREO_INVALID);

  for (int i = lane; i < k.end_index; i += 32)
    count[i] = 0;
  __syncwarp ();
  for (; todo != 0; todo &= todo - 1) {
    const int pixel = __ffs ((int) todo) - 1, x = x0 + pixel;
    const uint32_t arms = a.left_arms[row + (size_t) x];
    const int first = divide (y - (int) (arms >> 16 & 0xff) + k.sampling_y - 1,
        k.sampling_y);
    const int last = divide (y + (int) (arms >> 24), k.sampling_y);
    uint32_t most = 0;          /* votes << 16 | 0xffff - index */

    /* Once to count, once to forget. */
    for (int pass = 0; pass < 2; pass++) {
      for (int v = first; v <= last; v++) {
        const uint32_t h = a.left_arms[(size_t) (v * k.sampling_y)
            * (size_t) k.width + (size_t) x];
        const int u1 = (x + (int) (h >> 8 & 0xff)) / k.sampling_x;

        for (int u = (x - (int) (h & 0xff) + k.sampling_x - 1)
            / k.sampling_x + lane; u <= u1; u += 32) {
          uint32_t index = a.reliable[(size_t) v * (size_t) k.grid_width
              + (size_t) u];

          if (index == STEREO_INVALID)
            continue;
          if (pass == 0)
            most = max (most, (atomicAdd (&count[index], 1) + 1) << 16
                | (0xffff - index));
          else
            count[index] = 0;
        }
      }
      __syncwarp ();
    }
#pragma unroll
    for (int o = 16; o > 0; o /= 2)
      most = max (most, __shfl_xor_sync (0xffffffffu, most, o));
    if (lane == pixel && most != 0)
      result = 0xffff - (most & 0xffff);
  }
  if (x0 + lane < k.width)
    a.voted[row + (size_t) (x0 + lane)] = (uint16_t) result;
}

/* The nearest value of a row of voted before the 32 columns from x0 on, or
 * behind them; STEREO_INVALID if there is none.  All threads of a warp. */
__device__ __forceinline__ uint32_t
find_value (const RestoreArgs & a, const uint16_t * row, int x0, bool before)
{
  const int lane = (int) threadIdx.x & 31;

  for (int x = before ? x0 - 32 : x0 + 32; before ? x > -32 : x < a.k.width;
      x += before ? -32 : 32) {
    uint32_t value = x + lane >= 0 && x + lane < a.k.width ? row[x + lane]
        : STEREO_INVALID;
    uint32_t valid = __ballot_sync (0xffffffffu, value != STEREO_INVALID);

    if (valid != 0)
      return __shfl_sync (0xffffffffu, value, before ? 31 - __clz ((int)
              valid) : __ffs ((int) valid) - 1);
  }
  return STEREO_INVALID;
}

/* Values of the 32 columns from x0 on, where there is none the lower one of the
 * nearest. */
__device__ __forceinline__ uint32_t
filled (const RestoreArgs & a, const uint16_t * row, int x0, int y)
{
  const StereoBfvConstants & k = a.k;
  const int lane = (int) threadIdx.x & 31, x = x0 + lane;
  uint32_t value = x < k.width ? row[x] : STEREO_INVALID;
  const uint32_t valid = __ballot_sync (0xffffffffu,
      value != STEREO_INVALID);
  const uint32_t wanted = __ballot_sync (0xffffffffu, x < k.width);

  if (valid == wanted)
    return value;

  const uint32_t below = valid & (1u << lane) - 1;
  const uint32_t above = valid & ~((2u << lane) - 1);
  const int from = below != 0 ? 31 - __clz ((int) below) : lane;
  const int to = above != 0 ? __ffs ((int) above) - 1 : lane;
  uint32_t before = __shfl_sync (0xffffffffu, value, from);
  uint32_t after = __shfl_sync (0xffffffffu, value, to);

  if ((valid & 1) == 0) {
    uint32_t found = find_value (a, row, x0, true);

    before = below == 0 ? found : before;
  }
  if ((valid & 1u << (31 - __clz ((int) wanted))) == 0) {
    uint32_t found = find_value (a, row, x0, false);

    after = above == 0 ? found : after;
  }
  if (value == STEREO_INVALID)
    value = min (before, after);
  if (value == STEREO_INVALID && x < k.width)
    value = a.left[(size_t) (y / k.sampling_y) * (size_t) k.grid_width
        + (size_t) (x / k.sampling_x)];
  return value;
}

/* Whether grid columns from u to u + 31 are reliable, as bits. */
__device__ __forceinline__ uint32_t
reliable_bits (const RestoreArgs & a, int u, int v)
{
  const int at = u + ((int) threadIdx.x & 31);

  return __ballot_sync (0xffffffffu, at >= 0 && at < a.k.grid_width
      && a.reliable[(size_t) v * (size_t) a.k.grid_width + (size_t) at]
      != STEREO_INVALID);
}

/* The first reliable column of row v of the grid, in pixels, as far as it
 * matters behind grid column u: 0 if it is before. */
__device__ __forceinline__ int
find_border (const RestoreArgs & a, int u, int v)
{
  for (int i = u - 32; i > -32; i -= 32) {
    if (reliable_bits (a, i, v) != 0)
      return 0;
  }
  for (int i = u; i < a.k.grid_width; i += 32) {
    uint32_t bits = reliable_bits (a, i, v);

    if (bits != 0)
      return (i + __ffs ((int) bits) - 1) * a.k.sampling_x;
  }
  return a.k.width;
}

const int border_groups = 4;    /* of 32 columns, of a warp */

__global__ void __launch_bounds__ (256)
border_kernel (const __grid_constant__ RestoreArgs a)
{
  const StereoBfvConstants & k = a.k;
  const int lane = (int) threadIdx.x & 31;
  const int x0 = (int) blockIdx.x * (32 * border_groups);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  const int u = divide (x0 + k.sampling_x - 1, k.sampling_x);
  const int v = divide (y, k.sampling_y);
  const uint16_t *row = a.voted + (size_t) y * (size_t) k.width;
  uint32_t value[border_groups];
  bool complete = true;

  wait_for_kernel_before ();
  let_next_kernel_come ();
  if (y >= k.height)
    return;
#pragma unroll
  for (int g = 0; g < border_groups; g++) {
    const int x = x0 + 32 * g + lane;

    value[g] = STEREO_INVALID;
    if (x < k.width && k.first_index != k.end_index) {
      value[g] = row[x];
      complete = complete && value[g] != STEREO_INVALID;
    }
  }
  /* Most have all values, and a reliable one not far before. */
  if (k.first_index != k.end_index && !k.mark_unreliable
      && (!__all_sync (0xffffffffu, complete)
          || reliable_bits (a, u - 32, v) == 0)) {
    const int border = find_border (a, u, v);
    uint32_t edge = 0;

    if (border > x0 && border < k.width)
      edge = __shfl_sync (0xffffffffu, filled (a, row, border & ~31, y),
          border & 31);
#pragma unroll
    for (int g = 0; g < border_groups; g++) {
      const int first = x0 + 32 * g;

      if (__any_sync (0xffffffffu, value[g] == STEREO_INVALID)
          && first < k.width)
        value[g] = filled (a, row, first, y);
      if (first + lane < border && border < k.width)
        value[g] = edge;
    }
  }
#pragma unroll
  for (int g = 0; g < border_groups; g++) {
    const int x = x0 + 32 * g + lane;

    if (x < k.width)
      stereo_store_index (&a.map, a.encode ? &a.output : NULL, x, y,
          value[g]);
  }
}

RestoreArgs
restore_args (const StereoBfvConstants * k, const StereoBfvMemory * memory)
{
  const StereoBfvMemory m = complete (k, memory);
  RestoreArgs a = { *k, m.left_arms, m.left, m.right, m.reliable, m.voted,
    m.scratch
  };

  return a;
}

template < int WORDS > StereoStatus
launch_vote (StereoCudaStage & stage, StereoQueue * queue,
    const RestoreArgs & a, bool check)
{
  const StereoBfvConstants & k = a.k;
  const dim3 rows = blocks_of (k.width, k.grid_height, vote_threads
      - 2 * k.arm_length, vote_rows);

  if (check)
    launch (queue, vote_rows_kernel < WORDS, true >, rows, vote_threads, 0,
        a);
  else
    launch (queue, vote_rows_kernel < WORDS, false >, rows, vote_threads, 0,
        a);
  if (k.arm_length <= sum_arm && sum_shared < WORDS > ()
      <= stereo_cuda_shared_limit (queue->device)) {
    cudaError_t error = cudaFuncSetAttribute (vote_sums_kernel < WORDS >,
        cudaFuncAttributeMaxDynamicSharedMemorySize, sum_shared < WORDS > ());

    if (error != cudaSuccess)
      return STEREO_CUDA_CHECK (error,
          "shared memory of bfv's vote_sums_kernel", &queue->message);
    launch (queue, vote_sums_kernel < WORDS >, blocks_of (k.width, k.height,
            sum_width, sum_height), dim3 (sum_width, sum_pieces),
        sum_shared < WORDS > (), a);
    return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_sums_kernel");
  }
  launch (queue, vote_columns_kernel < WORDS >, blocks_of (k.width, k.height,
          32, 8), dim3 (32, 8), 0, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_columns_kernel");
}

void
launch_check (StereoQueue * queue, const RestoreArgs & a)
{
  launch (queue, check_kernel, blocks_of (a.k.grid_width, a.k.grid_height,
          256, 1), 256, 0, a);
}

/* With check, from the winners on. */
StereoStatus
vote_from (StereoCudaStage & stage, StereoQueue * queue,
    const RestoreArgs & a, bool check)
{
  const StereoBfvConstants & k = a.k;

  if (k.vote == STEREO_BFV_VOTE_HISTOGRAM) {
    const size_t bytes = (size_t) k.end_index * sizeof (uint32_t);
    cudaError_t error = cudaFuncSetAttribute (vote_histogram_kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes);

    if (error != cudaSuccess)
      return STEREO_CUDA_CHECK (error,
          "shared memory of bfv's vote_histogram_kernel", &queue->message);
    if (check)
      launch_check (queue, a);
    launch (queue, vote_histogram_kernel, blocks_of (k.width, k.height, 32,
            1), 32, (int) bytes, a);
    return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_histogram_kernel");
  }
  switch (vote_words (&k)) {
    case 1:
      return launch_vote < 1 > (stage, queue, a, check);
    case 2:
      return launch_vote < 2 > (stage, queue, a, check);
    default:
      return launch_vote < 4 > (stage, queue, a, check);
  }
}

StereoStatus
check (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch_check (queue, restore_args (k, m));
  return STEREO_CUDA_LAUNCHED (stage, "bfv's check_kernel");
}

StereoStatus
vote (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  return vote_from (stage, queue, restore_args (k, m), false);
}

StereoStatus
launch_border (StereoCudaStage & stage, StereoQueue * queue, RestoreArgs a,
    const StereoMap * map, const StereoOutput * output)
{
  a.map = *map;
  a.encode = output != NULL;
  if (output != NULL)
    a.output = *output;
  launch (queue, border_kernel, blocks_of (a.k.width, a.k.height,
          32 * border_groups, 8), dim3 (32, 8), 0, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's border_kernel");
}

StereoStatus
border (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  return launch_border (stage, queue, restore_args (k, m), map, output);
}

StereoStatus
restore (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);
  StereoStatus status;

  if (!stage.entered ())
    return stage.status ();
  status = vote_from (stage, queue, restore_args (k, m), true);
  return status != STEREO_OK ? status
      : launch_border (stage, queue, restore_args (k, m), map, output);
}

}                               // namespace

extern "C" const void *stereo_bfv_stages_cuda (void);

extern "C" const void *
stereo_bfv_stages_cuda (void)
{
  static const StereoBfvStages stages = {
    true, scratch, crosses, match, check, vote, border, restore
  };

  return &stages;
}
