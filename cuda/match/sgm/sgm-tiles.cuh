/* gst-stereomatching: kernels for tiles and winners of sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block processes a tile from the L with which all sweeps enter it, one
 * orientation after another.  One team of threads runs the forward sweep and
 * another one the backward sweep; a barrier after half of the tile keeps them
 * from adding to the same sum.  The block then finds the winners of both views.
 *
 * A file of its own for each mode instantiates the kernels, because they take
 * long to compile.
 */

#ifndef STEREO_SGM_TILES_CUH
#define STEREO_SGM_TILES_CUH

#include "match/sgm/sgm-sweep.cuh"
#include "refine/output.h"
#include "refine/winner-formula.h"

namespace
{

const int tile_pixels = SGM_TILE * SGM_TILE;

/* Maximum disparities whose sums may fit shared memory. */
const int max_shared = 256;

template < class S > struct Block
{
  static const int team = SGM_TILE * S::lanes;  /* threads */
  static const int threads = 2 * team;
  static const int sums = tile_pixels * S::words;
  /* limited by registers */
  static const int per_multiprocessor = threads > 512 ? 1 : 1024 / threads;
};

template < class S, SgmMode MODE, bool SHARED > struct Memory
{
  uint32_t best[tile_pixels];   /* of find_left() */
  __align__ (16) SgmShown < S, MODE ? SGM_TILE : 1 > shown[2];
  __align__ (16) uint32_t sums[SHARED ? Block < S >::sums : 4];
};

/* The first pixel of a tile. */
struct Corner
{
  int x;
  int y;
};

/* L of a sweep at the pixel before (x, y), where it enters through a row or a
 * column of tiles; NULL if one of the pixels is outside the image. */
__device__ __forceinline__ const uint32_t *
incoming (const SgmArgs & a, int words, int sweep, bool through_row, int x,
    int y)
{
  const StereoSgmConstants & k = a.k;
  const SgmDirection d = sgm_direction (sweep);
  const int bx = x - d.dx, by = y - d.dy;

  if (x >= k.width || y >= k.height || bx < 0 || bx >= k.width || by < 0
      || by >= k.height)
    return NULL;
  return through_row
      ? a.into_rows[sweep] + ((size_t) (y / SGM_TILE) * k.width + x) * words
      : a.into_columns[sweep] + ((size_t) (x / SGM_TILE) * k.height + y)
      * words;
}

/* Adds both sweeps of a way to the sums.  The way is a constant unless it is
 * DIAGONAL; the first one starts the sums. */
template < class S, SgmMode MODE, bool DIAGONAL, class MEMORY >
__device__ __forceinline__ void
sweep_tile (const SgmArgs & a, int way, Corner corner, uint32_t * sums,
    MEMORY & memory)
{
  const int team = threadIdx.x / Block < S >::team;
  const int sweep = 2 * way + team;
  const SgmDirection d = sgm_direction (sweep);
  const int begin = team == 0 ? 0 : SGM_TILE - 1;
  SgmSweeper < S, MODE, SGM_TILE > sweeper (a, team,
      (SgmShown < S, SGM_TILE > *) &memory.shown[team]);
  const int place = sweeper.place;
  const int column = way == SGM_ROWS ? begin : place;
  const int row = way == SGM_ROWS ? place : begin;
  const SgmSource < S, MODE > source (a, sweep, sweeper.lane);
  SgmTrack < DIAGONAL > track (a.k, sweep, corner.x + column, corner.y + row,
      corner.x, corner.x + SGM_TILE);
  const uint32_t *from = incoming (a, sgm_words < S, MODE > (a), sweep,
      way != SGM_ROWS,
      corner.x + column, corner.y + row);
  uint32_t wrapped[DIAGONAL ? S::pairs : 1] = { };
  /* step at which a diagonal continues at the other side */
  int turn = !DIAGONAL ? -1 : d.dx > 0 ? SGM_TILE - place : place + 1;
  uint32_t *target = sums + (row * SGM_TILE + column) * S::words
      + sweeper.lane * S::pairs;

  if (from != NULL)
    sweeper.take (from);
  if constexpr (DIAGONAL) {
    from = turn == SGM_TILE ? NULL : incoming (a, S::words, sweep, false,
        d.dx > 0 ? corner.x : corner.x + SGM_TILE - 1,
        corner.y + row + turn * d.dy);
    if (from != NULL)
      load_words (from + sweeper.lane * S::pairs, wrapped);
  }
  sweeper.show ();
  /* code for half of a tile, to be small */
#pragma unroll 1
  for (int half = 0; half < 2; half++) {
#pragma unroll 1
    for (int part = 0; part < SGM_TILE / 2 / S::segment; part++) {
      SgmSegment < S > segment;

      source.load (a.k, track, segment);
#pragma unroll
      for (int j = 0; j < S::segment; j++) {
        uint32_t sum[S::pairs] = { };

        if constexpr (DIAGONAL) {
          if (part * S::segment + j == turn) {
#pragma unroll
            for (int p = 0; p < S::pairs; p++)
              sweeper.l[p] = wrapped[p];
            target -= d.dx * SGM_TILE * S::words;
          }
        }
        sweeper.advance (segment, j);
        if (way > 0 || half > 0)
          load_words (target, sum);
#pragma unroll
        for (int p = 0; p < S::pairs; p++)
          sum[p] += sweeper.l[p] - sweeper.base;
        store_words (target, sum);
        target += (d.dy * SGM_TILE + d.dx) * S::words;
      }
    }
    turn -= SGM_TILE / 2;
    __syncthreads ();
  }
}

/* ------------------------------------------------------------------ winners */

/* Unused bits above a sum in 16 bits, at least. */
const int spare_bits = 3;

/* The second minimum of a pixel, whose winner is index at of n. */
template < class S > __device__ __forceinline__ uint32_t
second_sum (const uint32_t (&l)[S::pairs], int lane, int at, int n)
{
  uint32_t m = ~0u;

#pragma unroll
  for (int p = 0; p < S::pairs; p++) {
    const int low = lane * S::own + p, high = low + S::pairs;
    const bool without_low = (unsigned) (low - at + 1) <= 2 || low >= n;
    const bool without_high = (unsigned) (high - at + 1) <= 2 || high >= n;

    m = __vminu2 (m, l[p] | (without_low ? 0x0000ffffu : 0)
        | (without_high ? 0xffff0000u : 0));
  }
  return sgm_least_word < S::lanes > (min (m & 0xffff, m >> 16));
}

/* The best disparity of each left pixel below the second minimum, 0 if it is
 * not wanted, for sgm_store_left(). */
template < class S > __device__ __forceinline__ void
find_left (const SgmArgs & a, SgmWindow window, bool uniqueness,
    const uint32_t * sums, int thread, int threads, uint32_t * best)
{
  const int lane = thread % S::lanes;
  const int part = S::pairs < 1 << spare_bits ? S::pairs : 1 << spare_bits;
  const uint32_t index = a.k.first_index + window.begin + lane * S::own;

  for (int pixel = thread / S::lanes; pixel < tile_pixels;
      pixel += threads / S::lanes) {
    uint32_t l[S::pairs], least = STEREO_NO_WINNER;

    load_words (sums + pixel * S::words + lane * S::pairs, l);
#pragma unroll
    for (int first = 0; first < S::pairs; first += part) {
      uint32_t m = ~0u;

      /* both halves at once, each sum above its index */
#pragma unroll
      for (int p = 0; p < part; p++)
        m = __vminu2 (m, (l[first + p] << spare_bits) + splat_u16 (p));
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const uint32_t v = half == 0 ? m & 0xffff : m >> 16;

        least = min (least, stereo_winner_right_word (index + first
                + half * S::pairs + v % part, v >> spare_bits));
      }
    }
    least = sgm_least_word < S::lanes > (least) & 0xffff;
    if (uniqueness)
      least |= second_sum < S > (l, lane, (int) least - a.k.first_index
          - window.begin, window.n) << 16;
    if (lane == 0)
      best[pixel] = least;
  }
}

/* The sum of index i of a pixel. */
template < class S > __device__ __forceinline__ uint32_t
sum_at (const uint32_t * pixel, int i)
{
  const int own = i % S::own;

  return pixel[i / S::own * S::pairs + own % S::pairs]
      >> (own < S::pairs ? 0 : 16) & 0xffff;
}

template < class S > __device__ __forceinline__ void
sgm_store_left (const SgmArgs & a, const SgmWinners & w, Corner corner,
    SgmWindow window, const uint32_t * sums, const uint32_t * best)
{
  for (int i = threadIdx.x; i < tile_pixels; i += Block < S >::threads) {
    const int x = corner.x + i % SGM_TILE, y = corner.y + i / SGM_TILE;
    const uint32_t *pixel = sums + i * S::words;
    const unsigned index = best[i] & 0xffff;
    const int at = (int) index - a.k.first_index - window.begin;
    /* at an end of the range, the one neighbour counts twice */
    const int before = at > 0 ? at - 1 : min (at + 1, window.n - 1);
    const int after = at + 1 < window.n ? at + 1 : before;

    if (x >= a.k.width || y >= a.k.height)
      continue;
    if (w.refine)
      stereo_winner_store (&w.winners, x, y, index,
          sum_at < S > (pixel, before), sum_at < S > (pixel, at),
          sum_at < S > (pixel, after), best[i] >> 16);
    else
      stereo_store_index (&w.map, w.encode ? &w.output : NULL, x, y, index);
  }
}

/*
 * The best disparities of right pixels among their partners in 8 or 16 columns
 * of this tile.  The disparity of a right pixel decreases with x: candidates,
 * two per word, move from register to register, and the one of the lowest
 * disparity is complete.  A candidate is a sum above the bits of its column.
 */
template < class S > struct RightFinder
{
  const SgmArgs & a;
  const SgmWinners & w;
  const int lane, y, bits;
  const SgmWindow window;
  uint32_t candidates[S::pairs];

  /* Offers the candidate of index i at left column x or behind it. */
  __device__ __forceinline__ void
  offer (int x, int i, uint32_t candidate) const
  {
    const StereoSgmConstants & k = a.k;
    const int index = k.first_index + window.begin + i;
    const int right = x - k.min_disparity - index;
    const uint32_t behind = candidate & ((1 << bits) - 1);

    if (candidate != 0xffff && y < k.height && right >= 0 && right < k.width)
      atomicMin (&w.winners.right[(size_t) y * w.winners.right_stride + right],
          stereo_winner_right_word (index + behind,
              candidate >> bits));
  }

  /* Updates the candidates by the sums of the column `behind` the first one. */
  __device__ __forceinline__ void
  compete (const uint32_t * sums, int behind)
  {
    uint32_t l[S::pairs];
    uint32_t next = __shfl_down_sync (SGM_ALL, candidates[0], 1, S::lanes);

    next = __byte_perm (candidates[0], lane == S::lanes - 1 ? ~0u : next,
        0x5432);
    load_words (sums, l);
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      l[p] = l[p] * (1 << bits) + splat_u16 (behind);
    if (window.n < S::n) {
#pragma unroll
      for (int p = 0; p < S::pairs; p++) {
        const int i = lane * S::own + p;

        l[p] |= (i < window.n ? 0 : 0xffffu)
            | (i + S::pairs < window.n ? 0 : 0xffff0000u);
      }
    }
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      candidates[p] = __vminu2 (p + 1 < S::pairs ? candidates[p + 1] : next,
          l[p]);
  }

  /* Processes columns x + n - 1 to x; sums are those of column x. */
  __device__ __forceinline__ void
  find (int x, int n, const uint32_t * sums)
  {
    const int kept = (SGM_TILE + S::lanes - 1) / S::lanes;
    uint32_t leaving[kept] = { };

#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      candidates[p] = ~0u;
    for (int j = n - 1; j >= 0; j--) {
      compete (sums + j * S::words + lane * S::pairs, j);
      const uint32_t done = __shfl_sync (SGM_ALL, candidates[0], 0, S::lanes);

      /* lanes collect complete candidates, to offer them together */
#pragma unroll
      for (int r = 0; r < kept; r++)
        leaving[r] = j == r * S::lanes + lane ? done & 0xffff : leaving[r];
    }
#pragma unroll
    for (int r = 0; r < kept; r++) {
      const int j = r * S::lanes + lane;

      /* the column bits count from this column */
      if (j < n && leaving[r] != 0xffff)
        offer (x + j, 0, leaving[r] - j);
    }
#pragma unroll
    for (int p = 0; p < S::pairs; p++) {
      if (lane > 0 || p > 0)
        offer (x, lane * S::own + p, candidates[p] & 0xffff);
      offer (x, lane * S::own + p + S::pairs, candidates[p] >> 16);
    }
  }
};

template < class S > __device__ __forceinline__ void
find_right (const SgmArgs & a, const SgmWinners & w, Corner corner,
    SgmWindow window, const uint32_t * sums, int thread)
{
  const int place = thread / S::lanes;
  const int columns = min (SGM_TILE, a.k.width - corner.x);
  /* sums of four L fit 12 bits */
  RightFinder < S > finder = { a, w, thread % S::lanes, corner.y + place,
    a.k.n_sweeps == 4 ? spare_bits + 1 : spare_bits, window, { }
  };

  for (int j = 0; j < columns; j += 1 << finder.bits)
    finder.find (corner.x + j, min (1 << finder.bits, columns - j),
        sums + (place * SGM_TILE + j) * S::words);
}

/* -------------------------------------------------------------------- tiles */

/* The winners of a tile, unless its range has another shape. */
template < class S, SgmMode MODE, class MEMORY > __device__ __forceinline__ void
match_tile (const SgmArgs & a, const SgmWinners & w, Corner corner,
    uint32_t * sums, MEMORY & memory)
{
  typedef Block < S > B;
  const bool right = w.refine && w.winners.right != NULL;
  const bool uniqueness = w.refine && w.winners.uniqueness;
  const int team = threadIdx.x / B::team, thread = threadIdx.x % B::team;
  SgmWindow window = { 0, a.k.n };

  if constexpr (MODE == SGM_RANGES) {
    window = sgm_window (a, corner.x, corner.y);
    if (!sgm_fits < S > (window.n))
      return;
  }
  sweep_tile < S, MODE, false > (a, SGM_ROWS, corner, sums, memory);
  sweep_tile < S, MODE, false > (a, SGM_COLUMNS, corner, sums, memory);
  if constexpr (MODE == SGM_ONE) {
#pragma unroll 1
    for (int way = SGM_DOWN_RIGHT; 2 * way < a.k.n_sweeps; way++)
      sweep_tile < S, MODE, true > (a, way, corner, sums, memory);
  }
  if (right && team == 0)
    find_right < S > (a, w, corner, window, sums, thread);
  else
    find_left < S > (a, window, uniqueness, sums,
        right ? thread : (int) threadIdx.x, right ? B::team : B::threads,
        memory.best);
  __syncthreads ();
  sgm_store_left < S > (a, w, corner, window, sums, memory.best);
}

/* Tiles of a block along each side: with ranges, large blocks have those of a
 * range, because starting a block takes long and most have nothing to do. */
template < class S, SgmMode MODE > constexpr int block_tiles = MODE
    == SGM_RANGES && S::lanes >= 16 ? STEREO_RANGE_TILE / SGM_TILE : 1;

/* A block for each tile, or for a few.  Without shared memory for the sums
 * there are fewer blocks, in a row, which take turns.  concurrent: the previous
 * kernel has other tiles */
template < class S, SgmMode MODE, bool SHARED > __global__ void
__launch_bounds__ (Block < S >::threads, Block < S >::per_multiprocessor)
match_tiles (const __grid_constant__ SgmArgs a,
    const __grid_constant__ SgmWinners w, bool concurrent)
{
  extern __shared__ uint4 shared[];
  Memory < S, MODE, SHARED > & memory = *(Memory < S, MODE, SHARED > *) shared;

  pdl_start_concurrent (concurrent);
  if constexpr (SHARED) {
    const int n = block_tiles < S, MODE >;

#pragma unroll 1
    for (int i = 0; i < n * n; i++) {
      const Corner corner = { ((int) blockIdx.x * n + i % n) * SGM_TILE,
        ((int) blockIdx.y * n + i / n) * SGM_TILE
      };

      if (n > 1)
        __syncthreads ();
      if (corner.x < a.k.width && corner.y < a.k.height)
        match_tile < S, MODE > (a, w, corner, memory.sums, memory);
    }
  } else {
    const int columns = sgm_tiles (a.k.width), rows = sgm_tiles (a.k.height);

    for (int tile = blockIdx.x; tile < columns * rows; tile += gridDim.x) {
      const Corner corner = { tile % columns * SGM_TILE,
        tile / columns * SGM_TILE
      };

      match_tile < S, MODE > (a, w, corner,
          a.sums + (size_t) blockIdx.x * Block < S >::sums, memory);
      __syncthreads ();
    }
  }
  /* one block that waits keeps the kernel from ending first */
  pdl_end_concurrent (concurrent && blockIdx.x + blockIdx.y == 0);
}

template < class S, SgmMode MODE > void
launch_sgm_tiles (StereoQueue * queue, const SgmArgs & a, const SgmWinners & w,
    bool concurrent)
{
  const int columns = sgm_tiles (a.k.width), rows = sgm_tiles (a.k.height);

  if constexpr (S::n <= max_shared) {
    typedef Memory < S, MODE, true > M;

    if (S::n <= sgm_max_shared_anywhere
        || sizeof (M) <= (size_t) stereo_cuda_shared_limit (queue->device)) {
      const int n = block_tiles < S, MODE >;

      sgm_launch (queue, dim3 (stereo_blocks (columns, n),
              stereo_blocks (rows, n)), Block < S >::threads, sizeof (M),
          match_tiles < S, MODE, true >, a, w, concurrent);
      return;
    }
  }
  /* kernels without shared memory use the same sums */
  if constexpr (S::n > sgm_max_shared_anywhere)
    sgm_launch (queue, min (columns * rows, sgm_blocks_without_shared),
        Block < S >::threads, sizeof (Memory < S, MODE, false >),
        match_tiles < S, MODE, false >, a, w, false);
}

/* With ranges, each kernel processes the tiles of its shape; those of the
 * largest ranges, which take longest, come first. */
template < class S, SgmMode MODE > void
launch_shapes (StereoQueue * queue, const SgmArgs & a, const SgmWinners & w)
{
  launch_sgm_tiles < S, MODE > (queue, a, w, false);
  if constexpr (MODE == SGM_RANGES && S::own == 8) {
    if constexpr (S::lanes > 16)
      launch_sgm_tiles < SgmShape < 16, 8 >, MODE > (queue, a, w, true);
    if constexpr (S::lanes > 8)
      launch_sgm_tiles < SgmShape < 8, 8 >, MODE > (queue, a, w, true);
    if constexpr (S::lanes > 4)
      launch_sgm_tiles < SgmShape < 4, 8 >, MODE > (queue, a, w, true);
  }
}

template < SgmMode MODE > void
match_all_tiles (StereoQueue * queue, const SgmArgs & a, const SgmWinners & w)
{
#define LAUNCH(lanes, own) \
  launch_shapes < SgmShape < lanes, own >, MODE > (queue, a, w)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}

}                               // namespace

#endif /* STEREO_SGM_TILES_CUH */
