/* gst-stereomatching: hole filling from the row, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block fills a row.  Each warp has a part of it, words of 32 pixels.  The
 * nearest valid codes of a hole are found in words with a bit for each valid
 * pixel.  Rows without valid codes are copied afterwards.
 *
 * The holes of all rows are listed for the votes: an atomic addition reserves
 * consecutive places for those of a row.
 */

#include "refine/refine.cuh"

#include "refine/fill-formula.h"

namespace
{

const int threads = 256;
const int warps = threads / 32;

/* A row in shared memory. */
struct Row
{
  const uint32_t *valid;        /* a bit for each pixel */
  const uint16_t *codes;
  int words;
};

/* The valid pixels on one side of a pixel, from near to far. */
template < bool backwards > struct Walk
{
  int word;
  uint32_t bits;                /* of the word, those that are left */

  __device__ __forceinline__ Walk (const Row & row, int x):word (x / 32),
  bits (row.valid[x / 32] & (backwards ? (1u << x % 32) - 1
          : ~0u << x % 32))
  {
  }

  /* Returns the next one; -1 behind the last one. */
  __device__ __forceinline__ int next (const Row & row)
  {
    while (bits == 0) {
      word += backwards ? -1 : 1;
      if ((unsigned) word >= (unsigned) row.words)
        return -1;
      bits = row.valid[word];
    }
    const int bit = backwards ? 31 - __clz ((int) bits)
        : __ffs ((int) bits) - 1;

    bits &= ~(1u << bit);
    return 32 * word + bit;
  }
};

/* The median of the nearest codes, at most reach, on one side of hole x. */
template < bool backwards > __device__ __forceinline__ unsigned
nearest_median (const Row & row, int x, int reach)
{
  Walk < backwards > walk (row, x);
  unsigned code[STEREO_FILL_REACH] = { };
  int n = 0;

#pragma unroll
  for (int i = 0; i < STEREO_FILL_REACH; i++) {
    const int near = i < reach ? walk.next (row) : -1;

    if (near >= 0) {
      code[i] = row.codes[near];
      n = i + 1;
    }
  }
  return n == 0 ? STEREO_INVALID
      : stereo_fill_median (code[0], code[1], code[2], n);
}

/* The part of a warp. */
struct Part
{
  int begin, end;               /* words */

  __device__ __forceinline__ Part (int words):begin ((int) threadIdx.x / 32
      * words / warps), end (((int) threadIdx.x / 32 + 1) * words / warps)
  {
  }
};

/* Loads the part of a row.  Returns the number of its holes. */
__device__ int
load_part (const uint16_t * source, int width, const Part & part,
    uint32_t * valid, uint16_t * codes)
{
  int holes = 0;

  for (int word = part.begin; word < part.end; word++) {
    const int x = 32 * word + (int) threadIdx.x % 32;
    const unsigned code = x < width ? source[x] : STEREO_INVALID;
    const uint32_t bits = __ballot_sync (0xffffffff, code != STEREO_INVALID);

    codes[x] = (uint16_t) code;
    if (threadIdx.x % 32 == 0)
      valid[word] = bits;
    holes += min (width - 32 * word, 32) - __popc (bits);
  }
  return holes;
}

/* Stores the part of row y, filled.  holes: those of the part, or NULL. */
__device__ void
fill_part (const Row & row, int width, int y, int reach, const Part & part,
    uint16_t * target, uint32_t * holes)
{
  const uint32_t before = (1u << threadIdx.x % 32) - 1;

  for (int word = part.begin; word < part.end; word++) {
    const int x = 32 * word + (int) threadIdx.x % 32;
    const uint32_t bits = row.valid[word];
    unsigned code = row.codes[x];

    if (x < width && code == STEREO_INVALID) {
      /* STEREO_INVALID is above all codes */
      code = min (nearest_median < true > (row, x, reach),
          nearest_median < false > (row, x, reach));
      if (holes != NULL)
        holes[__popc (~bits & before)] = (uint32_t) (y << 16 | x);
    }
    if (x < width)
      target[x] = (uint16_t) code;
    if (holes != NULL)
      holes += 32 - __popc (bits);
  }
}

/* A row without valid codes is STEREO_INVALID all over. */
__global__ void
__launch_bounds__ (threads) fill_kernel (int width, int reach,
    const __grid_constant__ StereoRefineWork work)
{
  extern __shared__ uint32_t valid[];
  __shared__ int holes_of_warps[warps];
  __shared__ uint32_t place;
  const int y = (int) blockIdx.x, warp = (int) threadIdx.x / 32;
  const int words = (int) stereo_blocks (width, 32);
  uint16_t *codes = (uint16_t *) (valid + words);
  const Part part (words);
  int first = 0, n_holes = 0;

  pdl_start ();
  const int own = load_part (&map_at (work.map, 0, y), width, part, valid,
      codes);

  if (threadIdx.x % 32 == 0)
    holes_of_warps[warp] = own;
  __syncthreads ();
  for (int i = 0; i < warps; i++) {
    first += i < warp ? holes_of_warps[i] : 0;
    n_holes += holes_of_warps[i];
  }
  if (threadIdx.x == 0) {
    work.n_holes[y] = (uint32_t) n_holes;
    if (work.holes != NULL)
      place = atomicAdd (work.all_holes, (uint32_t) n_holes);
  }
  __syncthreads ();
  fill_part (Row { valid, codes, n_holes < width ? words : 0 }, width, y, reach,
      part, &map_at (work.filled, 0, y),
      work.holes == NULL ? NULL : work.holes + place + first);
}

/* The row that an empty row copies; y if all of them are empty. */
__device__ int
find_source (const uint32_t * n_holes, uint32_t width, int height, int y)
{
  const int lane = (int) threadIdx.x;

  for (int first = y - 1; first >= 0; first -= 32) {
    const uint32_t valid = __ballot_sync (0xffffffff, first - lane >= 0
        && n_holes[first - lane] < width);

    if (valid != 0)
      return first - (__ffs ((int) valid) - 1);
  }
  for (int first = y + 1; first < height; first += 32) {
    const uint32_t valid = __ballot_sync (0xffffffff, first + lane < height
        && n_holes[first + lane] < width);

    if (valid != 0)
      return first + (__ffs ((int) valid) - 1);
  }
  return y;
}

/* A warp for each row. */
__global__ void
copy_rows_kernel (int width, int height,
    const __grid_constant__ StereoRefineWork work)
{
  const int y = (int) (blockIdx.x * blockDim.y + threadIdx.y);

  pdl_start ();
  if (y >= height || work.n_holes[y] < (uint32_t) width)
    return;
  const uint16_t *source = &map_at (work.filled, 0, find_source (work.n_holes,
          (uint32_t) width, height, y));
  uint16_t *target = &map_at (work.filled, 0, y);

  for (int x = (int) threadIdx.x; x < width && source != target; x += 32)
    target[x] = source[x];
}

/* Shared memory of a row: the words, and their codes. */
size_t
row_bytes (int width)
{
  return stereo_blocks (width, 32) * (sizeof (uint32_t)
      + 32 * sizeof (uint16_t));
}

}                               // namespace

StereoStatus
stereo_cuda_fill (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch_overlapping (queue, (unsigned) k->height, threads,
      row_bytes (k->width), fill_kernel, k->width,
      stereo_refine_fill_reach (k), *work);
  launch_overlapping (queue, stereo_blocks (k->height, 8),
      stereo_pixel_block, 0, copy_rows_kernel, k->width, k->height, *work);
  return STEREO_CUDA_LAUNCHED (stage, "fill_kernel");
}
