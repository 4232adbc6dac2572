/* gst-stereomatching: bfv's check and vote on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Votes are bytes of a word, for their number and its bits, with prefix sums
 * along the rows; then halves of words, with prefix sums along the columns.
 */

#include "match/bfv.cuh"
#include "refine/output.h"

namespace
{

struct RestoreArgs
{
  StereoBfvConstants k;
  const uint32_t *left_arms;
  const uint16_t *left;
  const uint16_t *right;
  uint16_t *reliable;
  uint16_t *voted;
  uint32_t *votes;              /* of a row, vote_words () each */
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
  StereoBfvWork work;
  stereo_bfv_make_work (k, memory->scratch, &work);
  const StereoBfvMemory m = stereo_bfv_complete_memory (k, memory, work);
  RestoreArgs a = { *k, m.left_arms, m.left, m.right, m.reliable, m.voted,
    work.votes
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

}                               // namespace

StereoStatus
stereo_bfv_check_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch_check (queue, restore_args (k, m));
  return STEREO_CUDA_LAUNCHED (stage, "bfv's check_kernel");
}

StereoStatus
stereo_bfv_vote_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  return vote_from (stage, queue, restore_args (k, m), false);
}

StereoStatus
stereo_bfv_border_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  return launch_border (stage, queue, restore_args (k, m), map, output);
}

StereoStatus
stereo_bfv_restore_cuda (StereoQueue * queue, const StereoBfvConstants * k,
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

