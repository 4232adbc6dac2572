/* gst-stereomatching: matching of bfv on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Matching without a cost volume in memory, for arms up to 16 steps of the
 * grid and sums of 16 bits (otherwise see bfv-slices.cu).  With sampling_x = s
 * the columns of the right view form s classes; within a class disparities are
 * s apart and matching is the same as without sampling.  A block owns a tile
 * of 64 columns by 96 rows (32 if there is little to do) in shared memory, with
 * a margin of 16, and processes one disparity per step:
 *
 *   1  Costs of two rows in the halves of a word, and their prefix sums along
 *      the row, by 8 threads with 12 columns each.  The pixels of both views
 *      are in registers; those of the right view move by one register per
 *      step.
 *   2  H and N are differences of two of these sums.  Right arms are in a
 *      ring, which gets 16 new columns in 16 steps.  One minimum gives two
 *      overlapped arms, and dp4a turns a byte into an address.
 *   3  Prefix sums along columns of the words A + 2^16 n.  Sums are modulo
 *      2^32, differences exact.
 *   4  A and n as differences, and the winners of both views.  For words w and
 *      b with counts n and m, the sign of w m - b n is that of A m - B n.
 *      Left winners are in registers, with a bit for those of the previous
 *      disparity; right winners are in a ring in shared memory.
 *
 * Step 3 and step 1 of the next disparity share a barrier, so there are two.
 * Blocks, one per multiprocessor, have equal shares of the disparities of all
 * tiles, or a tile is divided between several blocks if that needs fewer
 * starts of tiles.  Winners of several blocks are merged by atomic minima of
 * keys (make_key) that order fractions exactly.
 *
 * Registers are the limit.  Slower alternatives: more threads with fewer
 * registers or fewer with more, skipping rows below the image, sums of the
 * previous disparity in registers, and costs computed by half of the warps
 * during step 4.
 */

#include "core/ones.cuh"
#include "match/bfv/bfv-tiles.cuh"

namespace
{

/* State of a thread in a part of a tile; everything but shared memory is in
 * registers. */
template < int KIND, bool DIRECT, typename S > struct Matcher
{
  static const int kind = KIND;

  const MatchArgs & a;
  const Part & p;
  uint32_t *const shared;
  const int thread;
  const int s_x, s_y;
  /* Costs: 12 columns of two rows, from column u on. */
  const int u;
  int y[parts];
  uint32_t *const cost_target;
  /* Sums: a column, and a segment of it. */
  const int column, segment;
  const bool inside;
  const int row_base, column_base;      /* in bytes */

  uint32_t left[parts][lane_width], right[parts][lane_width + 4];
  uint32_t row_arms[S::sum_rows / 2], column_arms[S::own_rows / 2];
  uint32_t best[S::own_rows];
  uint32_t own_i;               /* the number of the disparity */
  uint2 *const won;             /* in memory, see bfv.cuh */

  __device__ __forceinline__
  Matcher (const MatchArgs & args, const Part & part, uint32_t * memory);
  __device__ __forceinline__ void load_pixels ();
  template < int COLUMNS > __device__ __forceinline__ void load_right_arms (
      int first);
  __device__ __forceinline__ void load_left_arms ();
  __device__ __forceinline__ uint32_t row_arms_at (int q);
  __device__ __forceinline__ uint32_t column_arms_at (int q);
  __device__ __forceinline__ void clear ();
  __device__ __forceinline__ void start ();
  __device__ __forceinline__ void add_rows (int slot,
      uint32_t (&sums)[S::sum_rows]);
  __device__ __forceinline__ void add_columns (
      const uint32_t (&sums)[S::sum_rows]);
  __device__ __forceinline__ void update_winners (int slot);
  __device__ __forceinline__ void run ();
  __device__ __forceinline__ uint32_t quotient (uint32_t sums)
  {
    return stereo_bfv_quotient (&a.k, sums & 0xffff, sums >> 16);
  }
  __device__ __forceinline__ unsigned long long left_key (int i,
      uint32_t sums, uint32_t before, uint32_t after);
  __device__ __forceinline__ void store ();
};

#define MATCHER template < int KIND, bool DIRECT, typename S > \
    __device__ __forceinline__
#define OF_MATCHER Matcher < KIND, DIRECT, S >

MATCHER
OF_MATCHER::Matcher (const MatchArgs & args, const Part & part,
    uint32_t * memory)
: a (args), p (part), shared (memory), thread ((int) threadIdx.x),
  s_x (DIRECT ? 1 : args.k.sampling_x), s_y (DIRECT ? 1 : args.k.sampling_y),
  u (part.u0 - halo + thread % lanes * lane_width),
  cost_target (memory + S::row_sums + thread / lanes * S::row_pitch + 4
      + thread % lanes * lane_width),
  column (thread % tile_width), segment (thread / tile_width),
  inside (part.u0 + column < args.k.grid_width),
  row_base (4 * (S::row_sums + segment * S::sum_rows % (S::rows / parts)
          * S::row_pitch + column + halo + 4)
      + segment * S::sum_rows / (S::rows / parts) * 2),
  column_base (4 * (S::column_sums + (segment * S::own_rows + halo)
          * tile_width + column)),
  won (args.won + (size_t) blockIdx.x * S::height * tile_width
      + segment * S::own_rows * tile_width + column)
{
}

MATCHER void
OF_MATCHER::load_pixels ()
{
  const StereoBfvConstants & k = a.k;

#pragma unroll
  for (int part = 0; part < parts; part++) {
    y[part] = clamp (p.v0 - halo + thread / lanes + part * S::rows / parts,
        0, k.grid_height - 1) * s_y;
#pragma unroll
    for (int i = 0; i < lane_width; i++)
      left[part][i] = load_pixel < KIND > (a.left, clamp (u + i, 0,
              k.grid_width - 1) * s_x, y[part], a.luma);
#pragma unroll
    for (int i = 0; i < lane_width + 4; i += 4)
      right_pixels_at < KIND > (a, p, s_x, u + i - 4 - (p.first & ~3),
          y[part], right[part], i);
    finish_pixels < KIND > (right[part], 0, lane_width + 4, a.luma);
  }
}

/* Loads the right arms of columns from `first` on to the ring. */
template < int KIND, bool DIRECT, typename S > template < int COLUMNS >
    __device__ __forceinline__ void
OF_MATCHER::load_right_arms (int first)
{
  const int n = S::rows / 2 * COLUMNS / S::threads;
  const int rows = S::threads / COLUMNS;
  RightArms arms[n];
  int own_thread = thread;

  /* An opaque value keeps the compiler from storing addresses in registers. */
  asm volatile ("":"+r" (own_thread));
  const int j = first + own_thread % COLUMNS, row = own_thread / COLUMNS;

#pragma unroll
  for (int i = 0; i < n; i++)
    arms[i] = right_arms_at (a, p, s_x, j, row + i * rows);
#pragma unroll
  for (int i = 0; i < n; i++)
    store_right_arms < S > (shared, j, row + i * rows, arms[i]);
}

/* Left arms of rows q and q + 1 of a segment. */
MATCHER uint32_t
OF_MATCHER::row_arms_at (int q)
{
  const int v = p.v0 - halo + segment * S::sum_rows + q;

  return row_pair (grid_arms_at (a.k, a.left_arms, p.u0 + column, v, DIRECT),
      grid_arms_at (a.k, a.left_arms, p.u0 + column, v + 1, DIRECT));
}

MATCHER uint32_t
OF_MATCHER::column_arms_at (int q)
{
  const int v = p.v0 + segment * S::own_rows + q;

  return column_pair (grid_arms_at (a.k, a.left_arms, p.u0 + column, v,
          DIRECT), grid_arms_at (a.k, a.left_arms, p.u0 + column, v + 1,
          DIRECT));
}

/* Loads left arms to registers.  Those of a coarse grid are longer code: a loop
 * stores them to memory that the winners do not use yet. */
MATCHER void
OF_MATCHER::load_left_arms ()
{
  uint32_t *rows = shared + S::last + segment * S::own_rows * tile_width
      + column;
  uint32_t *columns = rows + S::after - S::last;

  static_assert (S::sum_rows / 2 <= S::own_rows, "rows of a thread");
#pragma unroll 1
  for (int q = 0; q < S::sum_rows && !DIRECT; q += 2)
    rows[q / 2 * tile_width] = row_arms_at (q);
#pragma unroll 1
  for (int q = 0; q < S::own_rows && !DIRECT; q += 2)
    columns[q / 2 * tile_width] = column_arms_at (q);
#pragma unroll
  for (int q = 0; q < S::sum_rows; q += 2)
    row_arms[q / 2] = DIRECT ? row_arms_at (q) : rows[q / 2 * tile_width];
#pragma unroll
  for (int q = 0; q < S::own_rows; q += 2)
    column_arms[q / 2] = DIRECT ? column_arms_at (q)
        : columns[q / 2 * tile_width];
}

MATCHER void
OF_MATCHER::clear ()
{
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
}

MATCHER void
OF_MATCHER::start ()
{
  load_pixels ();
  load_right_arms < tile_width > (p.u0 - p.first);
  load_left_arms ();
  clear ();
  __syncthreads ();

  /* Read from memory, so that the compiler does not consider the number
   * uniform, which would cost a copy for every store. */
  own_i = *(volatile uint32_t *) (shared + S::column_sums + column);
}

/* Computes H and N and their sums along the segment; N without the pixels
 * themselves. */
MATCHER void
OF_MATCHER::add_rows (int slot, uint32_t (&sums)[S::sum_rows])
{
  const uint32_t *arms = shared + S::row_arms + segment * (S::sum_rows / 2)
      * S::ring + slot;
  uint32_t sum = 0, n = 0;

#pragma unroll
  for (int q = 0; q < S::sum_rows; q += 2) {
    const uint32_t l = row_arms[q / 2], r = arms[q / 2 * S::ring];
    /* Halves are compared by their high bytes. */
    const uint32_t first = __vminu2 (l & 0x00ff00ffu, r & 0x00ff00ffu);
    const uint32_t second = __vminu2 (l, r);
    const int at = 4 * q * S::row_pitch;

    sum += shared_half (shared, add_bytes (first, 0x00040000u, row_base) + at)
        - shared_half (shared, add_bytes (first, 0x000000fcu, row_base) + at
        - 4);
    n = (uint32_t) add_bytes (first, 0x00010001u, (int) n);
    sums[q] = sum + (n << 16);
    sum += shared_half (shared, add_bytes (second, 0x04000000u, row_base)
        + at + 4 * S::row_pitch) - shared_half (shared, add_bytes (second,
            0x0000fc00u, row_base) + at + 4 * S::row_pitch - 4);
    n = (uint32_t) add_bytes (second, 0x01000100u, (int) n);
    sums[q + 1] = sum + (n << 16);
  }
  shared[S::totals + column * S::total_pitch + segment] =
      sums[S::sum_rows - 1] + (S::sum_rows << 16);
}

/* Computes prefix sums of the columns. */
MATCHER void
OF_MATCHER::add_columns (const uint32_t (&sums)[S::sum_rows])
{
  uint32_t before = 0;

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
}

/* Computes A and n and updates the winners. */
MATCHER void
OF_MATCHER::update_winners (int slot)
{
  uint32_t *right_best = shared + S::best + segment * S::own_rows * S::ring
      + slot;
  uint8_t *right_step = (uint8_t *) (shared + S::best_step)
      + segment * S::own_rows * S::ring + slot;
  const bool has_neighbors = DIRECT || a.k.sampling_x == 1;
  uint32_t *last = shared + S::last + segment * S::own_rows * tile_width
      + column;
  uint32_t *after = last + S::after - S::last;
  const uint32_t *arms = shared + S::row_arms + (S::rows / 2
      + segment * (S::own_rows / 2)) * S::ring + slot;

  /* Batches of rows: first all loads, then the stores. */
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

      here[q - q0] = shared_word (shared, add_bytes (first, 0x00200000u,
              column_base) + at + 4 * tile_width) - shared_word (shared,
          add_bytes (first, 0x000000e0u, column_base) + at);
      here[q + 1 - q0] = shared_word (shared, add_bytes (second, 0x20000000u,
              column_base) + at + 8 * tile_width) - shared_word (shared,
          add_bytes (second, 0x0000e000u, column_base) + at
          + 4 * tile_width);
      there[q - q0] = right_best[q * S::ring];
      there[q + 1 - q0] = right_best[(q + 1) * S::ring];
    }
#pragma unroll
    for (int q = q0; q < q0 + S::batch; q++) {
      const uint32_t w = here[q - q0], n = w >> 16, other = there[q - q0];

      if (has_neighbors && (best[q] & fresh))
        after[q * tile_width] = w;
      best[q] &= ~fresh;
      /* (A + 2^16 n) m - (B + 2^16 m) n = A m - B n */
      if ((int32_t) (w * (best[q] >> 16) - best[q] * n) < 0) {
        best[q] = w | fresh;
        won[q * tile_width] = make_uint2 (last[q * tile_width], own_i);
      }
      if (has_neighbors)
        last[q * tile_width] = w;
      if (inside && (int32_t) (w * (other >> 16) - other * n) < 0) {
        right_best[q * S::ring] = w;
        right_step[q * S::ring] = (uint8_t) own_i;
      }
    }
  }
}

MATCHER void
OF_MATCHER::run ()
{
  /* Every step computes the sums of the next one, and step -1 nothing else. */
#pragma unroll 1
  for (int i = -1; i < p.count; i++) {
    const int step = p.first + i, slot = p.u0 + column - step & S::ring - 1;

    if (i >= 0) {
      uint32_t sums[S::sum_rows];

      add_rows (slot, sums);
      __syncthreads ();
      add_columns (sums);
      /* columns of the right view that have left the tile */
      if (i % tile_width == 0 && i > 0)
        merge_right < S, 2 > (a, p, shared, p.u0 - step + tile_width,
            tile_width, step, i);
    }
    if (i + 1 < p.count)
      sum_step (*this, step + 1);
    if (i >= 0 && i % S::ring_step == 0)
      load_right_arms < S::ring_step > (p.u0 - step - S::ring_step);
    __syncthreads ();
    if (i >= 0) {
      update_winners (slot);
      own_i++;
    }
  }
  __syncthreads ();
}

/* Merges the remaining winners with those of other blocks. */
MATCHER void
OF_MATCHER::store ()
{
  const StereoBfvConstants & k = a.k;
  const int last = p.first + p.count - 1;
  uint2 own_won[S::own_rows];

  /* loads that overlap the merging */
#pragma unroll
  for (int q = 0; q < S::own_rows; q++)
    own_won[q] = won[q * tile_width];
  merge_right < S, 4 > (a, p, shared, p.u0 - last, tile_width
      + (p.count - 1) % tile_width, last, p.count - 1);
  /* Opaque values keep the compiler from computing addresses before the
   * loop. */
  int end_u = p.u0 + column, end_v = p.v0 + segment * S::own_rows;

  asm volatile ("":"+r" (end_u), "+r" (end_v));
  /* through memory, because a loop is small, but cannot index registers */
  uint32_t *own = shared + segment * S::own_rows * tile_width + column;

#pragma unroll
  for (int q = 0; q < S::own_rows; q++) {
    own[S::last + q * tile_width] = best[q] & ~fresh;
    own[S::row_sums + q * tile_width] = own_won[q].y;
    own[S::column_sums + q * tile_width] = own_won[q].x;
  }
#pragma unroll 1
  for (int q = 0; q < S::own_rows; q++, own += tile_width) {
    const int v = end_v + q, i = (int) own[S::row_sums];

    if (end_u < k.grid_width && v < k.grid_height
        && !(p.lead && i == 0) && !(p.tail && i == p.count - 1))
      atomicMin (a.left_best + ((size_t) v * (size_t) k.grid_width
              + (size_t) end_u), left_key (i, own[S::last],
              own[S::column_sums], own[S::after]));
  }
  __syncthreads ();
}

/* The key of the winner of number i, followed by fraction and uniqueness. */
MATCHER unsigned long long
OF_MATCHER::left_key (int i, uint32_t sums, uint32_t before, uint32_t after)
{
  const StereoBfvConstants & k = a.k;
  const int index = (p.first + i) * s_x + p.residue - k.min_disparity;
  const unsigned long long key = make_key (sums, index);
  const uint32_t own = (uint32_t) (key >> 32) >> (key_bits - k.shift);
  uint32_t lower = STEREO_BFV_NO_COST, higher = STEREO_BFV_NO_COST;

  if (s_x == 1) {
    lower = i == 0 ? 0 : quotient (before);
    higher = i == p.count - 1 ? 0 : quotient (after);
  }
  return key | stereo_winner_word (&a.winners, (unsigned) index, lower, own,
      higher, stereo_winner_neighbor (&a.winners, (unsigned) index, lower,
          own, higher)) >> 16;
}

/* The first step of a block. */
__device__ __forceinline__ unsigned
first_step (const MatchArgs & a, unsigned block)
{
  const unsigned n = (unsigned) (a.k.end_index - a.k.first_index);

  if (a.pieces != 0)
    return block / a.pieces * n + block % a.pieces * n / a.pieces;
  return block * a.share + min (block, a.longer);
}

template < int KIND, bool DIRECT, typename S >
__global__ void __launch_bounds__ (S::threads, 1)
match_kernel (const __grid_constant__ MatchArgs a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  unsigned position = first_step (a, blockIdx.x);
  const unsigned end = first_step (a, blockIdx.x + 1);

  pdl_wait ();
  while (position < end) {
    Part p = find_part (a, S::height, position, end);

    position += p.count;
    p.first -= p.lead;
    p.count += p.lead + p.tail;

    Matcher < KIND, DIRECT, S > matcher (a, p, shared);

    matcher.start ();
    matcher.run ();
    matcher.store ();
  }
}

const int key_threads = 256;

/* Converts the keys of a pixel in both views to winners. */
__global__ void __launch_bounds__ (key_threads)
winners_kernel (const __grid_constant__ StereoBfvConstants k,
    const unsigned long long *keys, const StereoWinners w)
{
  const int x = (int) (blockIdx.x * key_threads + threadIdx.x);
  const int y = (int) blockIdx.y;
  const int u = divide (x, k.sampling_x), v = divide (y, k.sampling_y);
  const bool row = v * k.sampling_y == y && keys != NULL;
  uint32_t left = STEREO_NO_WINNER;
  unsigned long long right = ~0ull;

  pdl_wait ();
  if (x >= k.width)
    return;
  if (row && u * k.sampling_x == x) {
    const unsigned long long key = keys[(size_t) v * (size_t) k.grid_width
        + (size_t) u];

    /* index, fraction and uniqueness */
    left = __byte_perm ((uint32_t) key, 0, 0x1032);
  }
  w.left[(size_t) y * w.left_stride + (size_t) x] = left;
  if (w.right == NULL)
    return;
  if (row)
    right = keys[grid_size (&k) + (size_t) v * (size_t) k.width + (size_t) x];
  w.right[(size_t) y * w.right_stride + (size_t) x] = right == ~0ull
      ? STEREO_NO_WINNER : (uint32_t) right >> 16;
}

StereoStatus
store_winners (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvWork * work,
    const StereoWinners * winners)
{
  launch_overlapping (queue, dim3 ((unsigned) (k->width + key_threads - 1)
          / key_threads, (unsigned) k->height), key_threads, 0,
      winners_kernel, *k, work == NULL ? NULL : work->keys, *winners);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's winners_kernel");
}

/* Time to start and end a part of a large tile, in steps. */
const int part_time = 6;

template < typename S > int
count_tiles (const StereoBfvConstants * k)
{
  return (int) (stereo_blocks (k->grid_width, tile_width)
      * stereo_blocks (k->grid_height, S::height));
}

/* Divides the work between blocks and returns their number. */
template < typename S > unsigned
divide_work (const StereoBfvConstants * k, MatchArgs & a, int multiprocessors)
{
  const int n = k->end_index - k->first_index;
  const int tiles = count_tiles < S > (k);
  /* at most 2^31 */
  const unsigned steps = (unsigned) tiles * (unsigned) n;
  const unsigned blocks = min (steps, (unsigned) multiprocessors);
  const int pieces = min (multiprocessors / tiles, n);

  a.share = steps / blocks;
  a.longer = steps % blocks;
  a.pieces = pieces > 0 && (unsigned) ((n - 1) / pieces) <= steps
      / (unsigned) multiprocessors + part_time ? (unsigned) pieces : 0;
  return a.pieces != 0 ? (unsigned) tiles * a.pieces : blocks;
}

/* One block per multiprocessor, at most this many. */
const int max_blocks = 160;

template < int KIND, bool DIRECT, typename S > StereoStatus
match_tiles (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoBfvWork & work,
    const StereoWinners * winners)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  MatchArgs a = { *k, stereo_cost_view (k->cost, views->left,
        views->left_words), stereo_cost_view (k->cost, views->right,
        views->right_words), m->left_arms, m->right_arms };
  cudaError_t error = cudaFuncSetAttribute (match_kernel < KIND, DIRECT,
      S >, cudaFuncAttributeMaxDynamicSharedMemorySize, S::size * 4);
  unsigned blocks;

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of bfv's match_kernel",
        &queue->message);
  a.left_best = work.keys;
  a.right_best = winners->right != NULL ? work.keys + grid_size (k) : NULL;
  a.won = work.won;
  a.winners = *winners;
  a.luma = KIND == RGB && !stereo_cost_is_color (k->cost);
  a.aligned = (a.right.stride | (size_t) a.right.plane[0])
      % (KIND == BYTES ? 4 : 16) == 0;
  a.tiles_x = (int) stereo_blocks (k->grid_width, tile_width);
  blocks = divide_work < S > (k, a, q->multiprocessors < max_blocks
      ? q->multiprocessors : max_blocks);
  set_ones (queue, work.keys, grid_size (k) + right_size (k));
  launch_overlapping (queue, blocks, S::threads, S::size * 4,
      match_kernel < KIND, DIRECT, S >, a);
  return store_winners (stage, queue, k, &work, winners);
}

template < int KIND, typename S > StereoStatus
match_shape (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoBfvWork & work,
    const StereoWinners * winners)
{
  return k->sampling_x == 1 && k->sampling_y == 1
      ? match_tiles < KIND, true, S > (stage, queue, k, views, m, work,
      winners) : match_tiles < KIND, false, S > (stage, queue, k, views, m,
      work, winners);
}

typedef Shape < 128 > Large;
typedef Shape < 64 > Small;

/* Small tiles where large ones would take longer to start than their steps. */
template < int KIND > StereoStatus
match_kind (StereoCudaStage & stage, StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoBfvWork & work,
    const StereoWinners * winners)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int limit = stereo_cuda_shared_limit (queue->device);
  const bool few = (k->end_index - k->first_index) * count_tiles < Large > (k)
      < part_time * q->multiprocessors;

  if (Small::size * 4 > limit)
    return stereo_fail (&queue->message, STEREO_ERROR_UNSUPPORTED,
        "bfv needs blocks of %d KiB of shared memory, and this device has %d: "
        "the CPU can do that", Small::size * 4 >> 10, limit >> 10);
  return few || Large::size * 4 > limit
      ? match_shape < KIND, Small > (stage, queue, k, views, m, work, winners)
      : match_shape < KIND, Large > (stage, queue, k, views, m, work, winners);
}

}                               // namespace

bool
stereo_bfv_fits_tiles (const StereoBfvConstants * k)
{
  return !k->wide && k->cost_threshold * cost_width < 65536
      && (k->arm_length + k->sampling_x - 1) / k->sampling_x <= halo
      && (k->arm_length + k->sampling_y - 1) / k->sampling_y <= halo;
}

size_t
stereo_bfv_won_size (const StereoBfvConstants * k)
{
  const size_t steps = (size_t) count_tiles < Small > (k)
      * (size_t) (k->end_index - k->first_index);
  const size_t blocks = steps < max_blocks ? steps : max_blocks;

  return blocks * Large::height * tile_width;
}

StereoStatus
stereo_bfv_match_cuda (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m,
    const StereoWinners * winners)
{
  StereoCudaStage stage (queue);
  const StereoBfvWork & work = *m->work;

  if (!stage.entered ())
    return stage.status ();
  if (k->first_index == k->end_index)
    return store_winners (stage, queue, k, NULL, winners);
  if (!stereo_bfv_fits_tiles (k))
    return stereo_bfv_match_slices (stage, k, views, m, work, winners);
  if (stereo_cost_uses_words (k->cost))
    return match_kind < COST_WORDS > (stage, queue, k, views, m, work, winners);
  return k->channels == 3
      ? match_kind < RGB > (stage, queue, k, views, m, work, winners)
      : match_kind < BYTES > (stage, queue, k, views, m, work, winners);
}
