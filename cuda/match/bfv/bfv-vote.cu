/* gst-stereomatching: vote of bfv on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Votes are counted in the bytes of words, in total and for each bit, by
 * prefix sums along rows; then in halves of words, by prefix sums along
 * columns.
 */

#include "match/bfv/bfv.cuh"

namespace
{

struct VoteArgs
{
  StereoBfvConstants k;
  const uint32_t *left_arms;
  StereoWinners winners;
  StereoMap map;
  StereoBfvWork work;
};

__device__ __forceinline__ uint16_t *
vote_code (const VoteArgs & a, int x, int y)
{
  return a.map.data + ((size_t) y * a.map.stride + (size_t) x);
}

/* Projects a row of right winners to the left view. */
const int cover_threads = 256;

__global__ void __launch_bounds__ (cover_threads)
cover_kernel (const __grid_constant__ VoteArgs a)
{
  extern __shared__ uint32_t covered[];
  const StereoBfvConstants & k = a.k;
  const int y = (int) blockIdx.x, words = covered_words (&k);
  const uint32_t *right = a.winners.right + (size_t) y
      * a.winners.right_stride;
  uint32_t *target = a.work.covered + (size_t) y * (size_t) words;

  pdl_wait ();
  for (int i = (int) threadIdx.x; i < words; i += cover_threads)
    covered[i] = 0;
  __syncthreads ();
  for (int x = (int) threadIdx.x; x < k.width; x += cover_threads) {
    const uint32_t index = stereo_winner_index (right[x]);
    const int there = x + k.min_disparity + (int) index;

    if (index != STEREO_INVALID && there >= 0 && there < k.width)
      atomicOr (&covered[there / 32], 1u << (there & 31));
  }
  __syncthreads ();
  /* Gaps of one pixel count as covered. */
  for (int i = (int) threadIdx.x; i < words; i += cover_threads) {
    const uint32_t own = covered[i];
    const uint32_t left = own << 1 | (i > 0 ? covered[i - 1] >> 31 : 0);
    const uint32_t behind = own >> 1
        | (i + 1 < words ? covered[i + 1] << 31 : 0);

    target[i] = own | (left & behind);
  }
}

/* Whether a pixel has no code and is not occluded. */
__device__ __forceinline__ bool
wants_vote (const VoteArgs & a, int x, int y)
{
  if (*vote_code (a, x, y) != STEREO_INVALID)
    return false;
  return a.k.vote_all || a.winners.right == NULL
      || (a.work.covered[(size_t) y * (size_t) covered_words (&a.k)
          + (size_t) (x / 32)] >> (x & 31) & 1);
}

/* The index of a grid point, or STEREO_INVALID. */
__device__ __forceinline__ uint32_t
vote_of (const VoteArgs & a, int u, int v)
{
  const int x = u * a.k.sampling_x, y = v * a.k.sampling_y;

  return *vote_code (a, x, y) == STEREO_INVALID ? STEREO_INVALID
      : stereo_winner_index (a.winners.left[(size_t) y
          * a.winners.left_stride + (size_t) x]);
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
const int vote_rows = 4;        /* per block */

/* Counts the votes on horizontal arms in bytes: in total, then those with bit
 * 0, 1, ... set.  Stores the indices of voters. */
template < int WORDS >
__global__ void __launch_bounds__ (vote_threads)
vote_rows_kernel (const __grid_constant__ VoteArgs a)
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

  pdl_wait ();
#pragma unroll
  for (int r = 0; r < vote_rows; r++) {
    const int v = v0 + r;
    uint32_t index = STEREO_INVALID;

    arms[r] = own && v < k.grid_height ? a.left_arms[(size_t) v
        * (size_t) k.sampling_y * (size_t) k.width + (size_t) x] : 0;
    if (sample && v < k.grid_height)
      index = vote_of (a, u, v);
    if (own && sample && v < k.grid_height)
      a.work.index[(size_t) v * (size_t) k.grid_width + (size_t) u] =
          (uint16_t) index;
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
    ((Type *) a.work.votes)[(size_t) (v0 + r) * (size_t) k.width + (size_t) x] =
        result;
  }
}

/* The code elected by counts in halves of words; even: bytes 0 and 2 of the
 * counts of rows, odd: the others. */
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
  return stereo_bfv_clamp_index (&k, result) * (uint32_t) k.unit;
}

const int sum_width = 32;       /* tile */
const int sum_height = 64;
const int sum_arm = 16;         /* maximum arm length */
const int sum_pieces = 8;       /* of a column */
const int sum_piece = (sum_height + 2 * sum_arm) / sum_pieces;
const int sum_own = sum_height / sum_pieces;

template < int WORDS > constexpr int
sum_shared ()
{
  return 4 * sum_width * 2 * WORDS * (sum_height + 2 * sum_arm + 1
      + sum_pieces);
}

/* Votes by prefix sums along columns, in tiles. */
template < int WORDS >
__global__ void __launch_bounds__ (sum_width * sum_pieces)
vote_sums_kernel (const __grid_constant__ VoteArgs a)
{
  typedef typename Vector < WORDS >::Type Type;
  extern __shared__ __align__ (16) uint32_t shared[];
  const StereoBfvConstants & k = a.k;
  const int column = (int) threadIdx.x, piece = (int) threadIdx.y;
  const int x = (int) blockIdx.x * sum_width + column;
  const int y0 = (int) blockIdx.y * sum_height;
  const int pitch = 2 * WORDS * sum_width;      /* of a row of sums */
  uint32_t *const totals = shared + (sum_height + 2 * sum_arm + 1) * pitch;
  uint32_t even[WORDS], odd[WORDS], arms[sum_own], wanted = 0;
  Type votes[sum_piece];

  pdl_wait ();
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
      votes[i] = ((const Type *) a.work.votes)[(size_t) v * (size_t) k.width
          + (size_t) x];
  }
#pragma unroll
  for (int i = 0; i < sum_own; i++) {
    const int y = y0 + piece * sum_own + i;

    arms[i] = 0;
    if (x < k.width && y < k.height && wants_vote (a, x, y)) {
      arms[i] = a.left_arms[(size_t) y * (size_t) k.width + (size_t) x];
      wanted |= 1u << i;
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

    if ((wanted >> i & 1) == 0)
      continue;
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      even[w] = to[2 * w * sum_width] - from[2 * w * sum_width];
      odd[w] = to[(2 * w + 1) * sum_width] - from[(2 * w + 1) * sum_width];
    }
    *vote_code (a, x, y0 + r) = (uint16_t) majority (k, even, odd);
  }
}

const int votes_at_once = 4;

template < int WORDS > __global__ void __launch_bounds__ (256)
vote_columns_kernel (const __grid_constant__ VoteArgs a)
{
  typedef typename Vector < WORDS >::Type Type;
  const StereoBfvConstants & k = a.k;
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  pdl_wait ();
  if (x >= k.width || y >= k.height || !wants_vote (a, x, y))
    return;
  {
    const uint32_t arms = a.left_arms[(size_t) y * (size_t) k.width
        + (size_t) x];
    const int first = divide (y - (int) (arms >> 16 & 0xff) + k.sampling_y - 1,
        k.sampling_y);
    const int last = divide (y + (int) (arms >> 24), k.sampling_y);
    const Type *votes = (const Type *) a.work.votes + (size_t) first
        * (size_t) k.width + (size_t) x;
    uint32_t even[WORDS], odd[WORDS];
    int v = first;

#pragma unroll
    for (int w = 0; w < WORDS; w++)
      even[w] = odd[w] = 0;
    /* as many rows at once as fit bytes */
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

    *vote_code (a, x, y) = (uint16_t) majority (k, even, odd);
  }
}

/* One warp per 32 pixels, one pixel at a time; a word of shared memory per
 * index. */
__global__ void __launch_bounds__ (32)
vote_histogram_kernel (const __grid_constant__ VoteArgs a)
{
  extern __shared__ uint32_t count[];
  const StereoBfvConstants & k = a.k;
  const int lane = (int) threadIdx.x, y = (int) blockIdx.y;
  const int x0 = (int) blockIdx.x * 32;
  const size_t row = (size_t) y * (size_t) k.width;

  pdl_wait ();
  const bool wanted = x0 + lane < k.width && wants_vote (a, x0 + lane, y);
  uint32_t todo = __ballot_sync (0xffffffffu, wanted);
  uint32_t result = STEREO_INVALID;

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

    /* one pass to count, one to reset the counts */
    for (int pass = 0; pass < 2; pass++) {
      for (int v = first; v <= last; v++) {
        const uint32_t h = a.left_arms[(size_t) (v * k.sampling_y)
            * (size_t) k.width + (size_t) x];
        const int u1 = (x + (int) (h >> 8 & 0xff)) / k.sampling_x;

        for (int u = (x - (int) (h & 0xff) + k.sampling_x - 1)
            / k.sampling_x + lane; u <= u1; u += 32) {
          uint32_t index = a.work.index[(size_t) v * (size_t) k.grid_width
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
      result = (0xffff - (most & 0xffff)) * (uint32_t) k.unit;
  }
  if (wanted)
    *vote_code (a, x0 + lane, y) = (uint16_t) result;
}

/* Stores the indices of voters. */
__global__ void __launch_bounds__ (256)
index_kernel (const __grid_constant__ VoteArgs a)
{
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;

  pdl_wait ();
  if (u < a.k.grid_width)
    a.work.index[(size_t) v * (size_t) a.k.grid_width + (size_t) u] =
        (uint16_t) vote_of (a, u, v);
}

/* The code at column x, or the lower one of the nearest codes on both sides,
 * or that of the winner. */
__device__ __forceinline__ uint32_t
filled (const VoteArgs & a, const uint16_t * row, int x, int y)
{
  const StereoBfvConstants & k = a.k;
  int from = x, to = x;

  while (from > 0 && row[from] == STEREO_INVALID)
    from--;
  while (to < k.width - 1 && row[to] == STEREO_INVALID)
    to++;

  const uint32_t code = min ((uint32_t) row[from], (uint32_t) row[to]);

  return code != STEREO_INVALID ? code : stereo_winner_code (k.unit,
      a.winners.left[(size_t) (y - y % k.sampling_y) * a.winners.left_stride
          + (size_t) (x - x % k.sampling_x)]) & 0xffff;
}

/* Fills the holes of a row and the columns left of its first voter. */
const int border_threads = 256;

__global__ void __launch_bounds__ (border_threads)
border_kernel (const __grid_constant__ VoteArgs a)
{
  extern __shared__ uint32_t shared[];
  __shared__ int first;
  const StereoBfvConstants & k = a.k;
  const int y = (int) blockIdx.x, thread = (int) threadIdx.x;
  const uint16_t *index = a.work.index + (size_t) divide (y, k.sampling_y)
      * (size_t) k.grid_width;
  uint16_t *const row = (uint16_t *) shared;

  pdl_wait ();
  if (thread == 0)
    first = k.width;
  for (int x = thread; x < k.width; x += border_threads)
    row[x] = *vote_code (a, x, y);
  __syncthreads ();
  for (int u = thread; u < k.grid_width; u += border_threads) {
    if (index[u] != STEREO_INVALID) {
      atomicMin (&first, u * k.sampling_x);
      break;
    }
  }
  __syncthreads ();

  const int border = first;

  for (int x = thread; x < k.width; x += border_threads) {
    if (row[x] == STEREO_INVALID || (x < border && border < k.width))
      *vote_code (a, x, y) = (uint16_t) filled (a, row,
          x < border && border < k.width ? border : x, y);
  }
}

/* Sums along columns: in tiles, or without shared memory for long arms. */
template < int WORDS > StereoStatus
launch_sums (StereoCudaStage & stage, StereoQueue * queue, const VoteArgs & a)
{
  const StereoBfvConstants & k = a.k;

  launch_overlapping (queue, blocks_of (k.width, k.grid_height,
          vote_threads - 2 * k.arm_length, vote_rows), vote_threads, 0,
      vote_rows_kernel < WORDS >, a);
  if (k.arm_length <= sum_arm && sum_shared < WORDS > ()
      <= stereo_cuda_shared_limit (queue->device)) {
    cudaError_t error = cudaFuncSetAttribute (vote_sums_kernel < WORDS >,
        cudaFuncAttributeMaxDynamicSharedMemorySize, sum_shared < WORDS > ());

    if (error != cudaSuccess)
      return STEREO_CUDA_CHECK (error,
          "shared memory of bfv's vote_sums_kernel", &queue->message);
    launch_overlapping (queue, blocks_of (k.width, k.height, sum_width,
            sum_height), dim3 (sum_width, sum_pieces),
        sum_shared < WORDS > (), vote_sums_kernel < WORDS >, a);
    return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_sums_kernel");
  }
  launch_overlapping (queue, blocks_of (k.width, k.height, 32, 8),
      dim3 (32, 8), 0, vote_columns_kernel < WORDS >, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_columns_kernel");
}

StereoStatus
launch_histogram (StereoCudaStage & stage, StereoQueue * queue,
    const VoteArgs & a)
{
  const StereoBfvConstants & k = a.k;
  const size_t bytes = (size_t) k.end_index * sizeof (uint32_t);
  cudaError_t error = cudaFuncSetAttribute (vote_histogram_kernel,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error,
        "shared memory of bfv's vote_histogram_kernel", &queue->message);
  launch_overlapping (queue, blocks_of (k.grid_width, k.grid_height, 256, 1),
      256, 0, index_kernel, a);
  launch_overlapping (queue, blocks_of (k.width, k.height, 32, 1), 32, bytes,
      vote_histogram_kernel, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's vote_histogram_kernel");
}

StereoStatus
launch_vote (StereoCudaStage & stage, StereoQueue * queue, const VoteArgs & a)
{
  if (a.k.vote == STEREO_BFV_VOTE_HISTOGRAM)
    return launch_histogram (stage, queue, a);
  switch (vote_words (&a.k)) {
    case 1:
      return launch_sums < 1 > (stage, queue, a);
    case 2:
      return launch_sums < 2 > (stage, queue, a);
    default:
      return launch_sums < 4 > (stage, queue, a);
  }
}

}                               // namespace

StereoStatus
stereo_bfv_vote_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoWinners * winners,
    const StereoMap * map)
{
  StereoCudaStage stage (queue);
  VoteArgs a = { *k, m->left_arms, *winners, *map, *m->work };
  StereoStatus status;

  if (!stage.entered ())
    return stage.status ();
  if (!k->vote_all && winners->right != NULL) {
    launch_overlapping (queue, dim3 ((unsigned) k->height), cover_threads,
        covered_words (k) * 4, cover_kernel, a);
    status = STEREO_CUDA_LAUNCHED (stage, "bfv's cover_kernel");
    if (status != STEREO_OK)
      return status;
  }
  status = launch_vote (stage, queue, a);
  if (status != STEREO_OK || !k->border)
    return status;
  launch_overlapping (queue, dim3 ((unsigned) k->height), border_threads,
      (k->width + 1) / 2 * 4, border_kernel, a);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's border_kernel");
}
