/* gst-stereomatching: exponential step size adaptive weight on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * See expstep.cuh.  A volume consists of groups of 16 disparities, each an
 * image of uint4; adjacent threads process adjacent pixels of a group.
 */

#include "match/expstep/esaw.cuh"
#include "match/expstep/expstep-winners.cuh"

namespace
{

/* Maximum size of each of the two volumes of a chunk: 128 disparities of
 * 1920x1080.  All chunks but the first merge their winners with those before.
 */
const size_t chunk_bytes = (size_t) 256 << 20;

/* Pixels of a row per block that finds winners, and its maximum number of
 * groups of 16 disparities; each pixel and group has a thread. */
const int winner_pixels = 32;
const size_t winner_groups = 8;

/* Such blocks per multiprocessor, at least: as many as without the second
 * minimum, whose registers would allow two. */
const int winner_blocks = 3;

int
esaw_plan (const StereoSearch *, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, StereoExpstepWork * work,
    StereoArena * arena)
{
  size_t plane = expstep_plan_planes (k, n_passes, work, arena);
  size_t groups = chunk_bytes / (16 * plane);
  size_t all = ((size_t) (k->end_index - k->first_index) + 15) / 16;

  work->cascade_step = esaw_cascade_step (k, passes, n_passes);
  work->cascade = work->cascade_step > 0 ? 2 : 0;
  groups = groups < 1 ? 1 : groups > all ? all : groups;
  for (int i = 0; i < 2; i++)
    stereo_arena_add (arena, (void **) &work->volume[i], plane * groups, 16);
  if (k->winners && all > (groups < winner_groups ? groups : winner_groups)) {
    stereo_arena_add (arena, (void **) &work->neighbors, plane,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->last_sum, plane,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &work->seconds, plane,
        sizeof (uint32_t));
  }
  return 16 * (int) groups;
}

/* Blocks per multiprocessor; before 8.0 it has 1024 threads. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 800
const int cost_blocks = 8;
#else
const int cost_blocks = 12;
#endif

__global__ void __launch_bounds__ (expstep_threads, cost_blocks)
cost_kernel (const __grid_constant__ ExpstepArgs a)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x), y = (int) blockIdx.y;
  int group = (int) blockIdx.z;

  pdl_launch_dependents ();
  pdl_wait ();
  if (x < a.k.width)
    (a.target + volume_at (a, group))[pixel_at (a, x, y)] =
        expstep_costs (a, x, y, group);
}

__device__ __forceinline__ void
esaw_load_taps (const ExpstepArgs & a, const uint4 * volume, int x, int y,
    Taps * taps)
{
  const uint32_t own = pixel_at (a, x, y);

  taps->own = volume[own];
  taps->before = volume[pixel_before (a, own, x)];
  taps->after = volume[pixel_after (a, own, x)];
  taps->weights = a.weights[own];
}

/* Result of the sums along columns. */
enum Output
{
  OUTPUT_COSTS,                 /* the next costs */
  OUTPUT_BEST,                  /* winners of the left view only */
  OUTPUT_WINNERS
};

/* Shared memory of a block that finds winners, double-buffered: the next turn
 * may begin while the previous one is searched. */
__device__ __forceinline__ uint16_t *
shared_sums (int turn)
{
  extern __shared__ uint32_t shared[];

  return (uint16_t *) shared + (turn & 1) * winner_pixels
      * (16 * (int) blockDim.y + tile_padding);
}

__device__ __forceinline__ uint32_t *
shared_best (int turn)
{
  return (uint32_t *) (shared_sums (0) + 2 * winner_pixels
      * (16 * (int) blockDim.y + tile_padding))
      + (turn & 1) * winner_pixels * (int) blockDim.y;
}

/* Right winners, from the partner of the first pixel at the last disparity
 * on. */
__device__ __forceinline__ uint32_t *
shared_right (int turn)
{
  return shared_best (0) + 2 * winner_pixels * (int) blockDim.y
      + (turn & 1) * (winner_pixels + 16 * (int) blockDim.y);
}

size_t
esaw_shared_bytes (int groups)
{
  return 2 * winner_pixels * ((size_t) (16 * groups + tile_padding)
      * sizeof (uint16_t) + (size_t) groups * sizeof (uint32_t))
      + 2 * (winner_pixels + 16 * (size_t) groups) * sizeof (uint32_t);
}

__device__ __forceinline__ void
esaw_clear_right ()
{
  uint32_t *right = shared_right (0);
  const int n = 2 * (winner_pixels + 16 * (int) blockDim.y);

  for (int i = (int) (threadIdx.y * winner_pixels + threadIdx.x); i < n;
      i += winner_pixels * (int) blockDim.y)
    right[i] = STEREO_NO_WINNER;
  __syncthreads ();
}

/* Returns the best of the first `valid` sums of a thread, from index on, and
 * optionally updates the right winners from `right` on backwards. */
template < bool ALL > __device__ __forceinline__ uint32_t
esaw_compete (const uint32_t even_sums[4], const uint32_t odd_sums[4],
    uint32_t index, int valid, bool update_right, uint32_t * right)
{
  uint32_t words[16], best = STEREO_NO_WINNER;

#pragma unroll
  for (int i = 0; i < 16; i++) {
    const uint32_t pair = i % 2 == 0 ? even_sums[i / 4] : odd_sums[i / 4];

    words[i] = (i % 4 < 2 ? pair << 16 : pair & 0xffff0000u)
        + (index + (uint32_t) i);
    if (ALL || i < valid)
      best = min (best, words[i]);
  }
  if (update_right) {
#pragma unroll
    for (int i = 0; i < 16; i++) {
      if (ALL || i < valid)
        atomicMin (right - i, words[i]);
    }
  }
  return best;
}

/* Merges the right winners of a turn, from column x0 on, into global memory
 * and resets them. */
__device__ __forceinline__ void
esaw_flush_right (const ExpstepArgs & a, int turn, int x0, int y)
{
  uint32_t *right = shared_right (turn);
  const int n = winner_pixels + 16 * (int) blockDim.y - 1;

  for (int i = (int) (threadIdx.y * winner_pixels + threadIdx.x); i < n;
      i += winner_pixels * (int) blockDim.y) {
    const uint32_t best = right[i];

    right[i] = STEREO_NO_WINNER;
    if (best != STEREO_NO_WINNER && x0 + i >= 0 && x0 + i < a.k.width)
      atomicMin (&a.winners.right[stereo_plane_offset (x0 + i, y,
                  a.winners.right_stride)], best);
  }
}

/* The winner of a pixel.  bests: of its groups of 16 disparities. */
__device__ __forceinline__ uint32_t
esaw_best (const uint32_t * bests)
{
  uint32_t best = bests[0];

  for (int i = 1; i < (int) blockDim.y; i++)
    best = min (best, bests[i * winner_pixels]);
  return best;
}

/* The lowest sum of a pixel further than one disparity from an index, which may
 * be outside the tile.  sums, bests: of the pixel */
__device__ __forceinline__ uint32_t
esaw_second (const Tile & t, const uint16_t * sums, const uint32_t * bests,
    int index)
{
  uint32_t second = STEREO_WINNER_NO_SECOND;

#pragma unroll 1
  for (int i = 0; i < (int) blockDim.y; i++) {
    const uint32_t best = bests[i * winner_pixels];
    const int last = min (16 * i + 16, t.n);

    /* the best of most groups is far enough */
    if ((unsigned) ((int) (best & 0xffff) - index + 1) > 2) {
      second = min (second, best >> 16);
      continue;
    }
#pragma unroll 1
    for (int j = 16 * i; j < last; j++) {
      if ((unsigned) (t.first + j - index + 1) > 2)
        second = min (second, (uint32_t) sums[j]);
    }
  }
  return second;
}

/* The second minimum of the winner among all disparities so far.  best: the
 * winner of the tile; winner: of all */
__device__ __forceinline__ uint32_t
esaw_update_second (const ExpstepArgs & a, const Tile & t,
    const uint16_t * sums, const uint32_t * bests, uint32_t at, uint32_t best,
    uint32_t winner)
{
  const int last = t.first + t.n - 1;
  uint32_t second = esaw_second (t, sums, bests, (int) (winner & 0xffff));
  uint32_t others = best >> 16;

  if ((int) (best & 0xffff) == last)
    others = min (esaw_second (t, sums, bests, last), t.n > 1
        ? (uint32_t) sums[t.n - 2] : STEREO_WINNER_NO_SECOND);
  if (t.first > a.k.first_index) {
    const uint32_t old_best = a.best[at] >> 16, old = a.seconds[at];

    /* of the winner of the previous tiles, or of all their disparities but
     * the neighbour of the first one of this tile */
    second = min (second, winner != best ? old & 0xffff
        : (int) (best & 0xffff) == t.first ? old >> 16 : old_best);
    others = min (others, old_best);
  }
  if (last + 1 < a.k.end_index)
    a.seconds[at] = second | others << 16;
  return second;
}

/* Merges the winner in a tile with that of previous disparities. */
__device__ __forceinline__ void
esaw_update_left (const ExpstepArgs & a, const Tile & t,
    const uint32_t * bests, int pixel, int y)
{
  const int x = t.x0 + pixel;
  const uint32_t at = pixel_at (a, x, y);
  const uint16_t *sums = t.sums + pixel * t.pitch;
  const uint32_t best = esaw_best (bests);
  LeftWinner w = find_neighbors (t, pixel, best);

  if (t.first > a.k.first_index) {
    LeftWinner old = { a.best[at], a.neighbors[at] & 0xffff,
        a.neighbors[at] >> 16, 0 };

    if ((int) (old.best & 0xffff) == t.first - 1)
      old.after = sums[0];
    if ((int) (best & 0xffff) == t.first)
      w.before = a.last_sum[at];
    if (old.best < best)
      w = old;
  }
  if (a.winners.uniqueness)
    w.second = esaw_update_second (a, t, sums, bests, at, best, w.best);
  if (t.first + t.n == a.k.end_index) {
    expstep_store_left (a, x, y, w);
  } else {
    a.best[at] = w.best;
    a.neighbors[at] = w.before | w.after << 16;
    a.last_sum[at] = sums[t.n - 1];
  }
}

/* Finds the winners of a block; all threads take part. */
__device__ __forceinline__ void
esaw_find_winners (const ExpstepArgs & a, int y, int group, int turn,
    const uint32_t even_sums[4], const uint32_t odd_sums[4])
{
  const int lane = (int) threadIdx.x, n_groups = (int) blockDim.y;
  const int valid = a.count - 16 * group;
  const uint32_t index = (uint32_t) (a.first + 16 * group);
  uint16_t *sums = shared_sums (turn);
  uint32_t *bests = shared_best (turn);
  uint32_t *right = shared_right (turn) + lane
      + 16 * (n_groups - (int) threadIdx.y) - 1;
  Tile t;

  t.sums = sums;
  t.pitch = 16 * n_groups + tile_padding;
  t.x0 = (int) blockIdx.x * winner_pixels;
  t.n_pixels = min (winner_pixels, a.k.width - t.x0);
  t.first = a.first + 16 * a.first_group;
  t.n = min (16 * n_groups, a.count - 16 * a.first_group);

  store_sums (sums + lane * t.pitch + 16 * (int) threadIdx.y, even_sums,
      odd_sums);
  const bool update_right = a.winners.right != NULL && lane < t.n_pixels;

  bests[threadIdx.y * winner_pixels + lane] = valid >= 16
      ? esaw_compete < true > (even_sums, odd_sums, index, valid, update_right,
      right)
      : esaw_compete < false > (even_sums, odd_sums, index, valid, update_right,
      right);
  __syncthreads ();
  if (a.winners.right != NULL)
    esaw_flush_right (a, turn, t.x0 - (a.k.min_disparity + t.first
            + 16 * n_groups - 1), y);
  if (threadIdx.y == 0 && lane < t.n_pixels)
    esaw_update_left (a, t, bests + lane, lane, y);
}

/* The pass along the column. */
template < Output OUTPUT > __device__ __forceinline__ void
column_costs (const ExpstepArgs & a, const Column & c, int group, int turn)
{
  Values v;

  column_sums (c, OUTPUT == OUTPUT_COSTS ? 0x00800080u : 0u, &v);
  if (OUTPUT == OUTPUT_WINNERS) {
    esaw_find_winners (a, c.y, group, turn, v.even, v.odd);
  } else if (OUTPUT == OUTPUT_BEST) {
    uint32_t best = expstep_winner (v.even, v.odd, a.count - 16 * group);

    atomicMin (&a.best[pixel_at (a, c.x, c.y)],
        best + (uint32_t) (a.first + 16 * group));
  } else {
    (a.target + volume_at (a, group))[pixel_at (a, c.x, c.y)] = rounded (v);
  }
}

template < Output OUTPUT >
__global__ void __launch_bounds__ (OUTPUT == OUTPUT_WINNERS
    ? winner_pixels * (int) winner_groups : expstep_threads,
    OUTPUT == OUTPUT_WINNERS ? winner_blocks : 0)
iterate_kernel (const __grid_constant__ ExpstepArgs a)
{
  const int column = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  /* In blocks that find winners, threads without a pixel duplicate the last
   * one. */
  const int x = OUTPUT == OUTPUT_WINNERS ? min (column, a.k.width - 1)
      : column;
  const int s = a.step, group = a.first_group
      + (int) (blockIdx.z * blockDim.y + threadIdx.y);
  const uint4 *source = a.source + volume_at (a, group);
  int y, n_before, n;

  pdl_launch_dependents ();
  if (x >= a.k.width || !find_piece (a, (int) blockIdx.y, &y, &n_before, &n))
    return;
  pdl_wait ();
  if (OUTPUT == OUTPUT_WINNERS)
    esaw_clear_right ();

  Values ring[3] = { };
  Taps taps;
  uint32_t weights;

  if (n_before > 0) {
    esaw_load_taps (a, source, x, y - s, &taps);
    row_sums (taps, &ring[0]);
  }
  esaw_load_taps (a, source, x, y, &taps);
  row_sums (taps, &ring[1]);
  weights = taps.weights;
  if (y + s < a.k.height)
    esaw_load_taps (a, source, x, y + s, &taps);

  /* Three pixels per iteration avoid moves between registers. */
  for (int i = 0; i < n; i += 3) {
#pragma unroll
    for (int j = 0; j < 3; j++) {
      uint32_t next = taps.weights;

      if (i + j >= n)
        break;
      /* Without a pixel below, its weight is 0. */
      if (y + s < a.k.height)
        row_sums (taps, &ring[(j + 2) % 3]);
      /* loads overlap with the column */
      if (i + j + 1 < n && y + 2 * s < a.k.height)
        esaw_load_taps (a, source, x, y + 2 * s, &taps);
      column_costs < OUTPUT > (a, Column { x, y, weights, ring[j],
            ring[(j + 1) % 3], ring[(j + 2) % 3] }, group, i + j);
      weights = next;
      y += s;
    }
  }
}

/* Last pass with winners, in launches of as many groups as a block
 * supports. */
void
esaw_launch_winners (StereoQueue * queue, ExpstepArgs & a, int places)
{
  const int most = (int) winner_groups;

  for (a.first_group = 0; a.first_group < a.groups; a.first_group += most) {
    const int groups = a.groups - a.first_group < most
        ? a.groups - a.first_group : most;
    const dim3 grid ((unsigned) (a.k.width + winner_pixels - 1)
        / winner_pixels, (unsigned) places);

    launch_overlapping (queue, grid, dim3 (winner_pixels, (unsigned) groups),
        esaw_shared_bytes (groups), iterate_kernel < OUTPUT_WINNERS >, a);
  }
}

void
esaw_launch_pass (StereoQueue * queue, const StereoExpstepConstants * k,
    int step, int index, bool last, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk)
{
  ExpstepArgs a;
  int places;

  expstep_pass_args (k, step, index, work, chunk, &a);
  const size_t pixels = expstep_pixels (a);

  places = expstep_cut_chains (pixels < (size_t) 1 << 18 ? 2
      : pixels < (size_t) 1 << 21 ? 4 : 8, &a);
  if (last && work->winners != NULL)
    esaw_launch_winners (queue, a, places);
  else
    launch_overlapping (queue, rows_grid (k->width, places, a.groups),
        dim3 (expstep_threads), 0, last ? iterate_kernel < OUTPUT_BEST >
        : iterate_kernel < OUTPUT_COSTS >, a);
}

StereoStatus
esaw_cost (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);
  const int steps[2] = { 1, work->cascade_step };
  ExpstepArgs a;

  if (!stage.entered ())
    return stage.status ();
  if (work->cascade > 0 && esaw_launch_cascade (queue, k, work, chunk))
    return STEREO_CUDA_LAUNCHED (stage, "esaw's cascade_kernel");
  expstep_args (k, work, chunk, &a);
  launch_overlapping (queue, rows_grid (k->width, k->height, a.groups),
      dim3 (expstep_threads), 0, cost_kernel, a);
  for (int i = 0; i < work->cascade; i++)
    esaw_launch_pass (queue, k, steps[i], i, false, work, chunk);
  return STEREO_CUDA_LAUNCHED (stage, "esaw's cost_kernel");
}

StereoStatus
esaw_iterate (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  esaw_launch_pass (queue, k, pass->step, index, last, work, chunk);
  return STEREO_CUDA_LAUNCHED (stage, "esaw's iterate_kernel");
}

}                               // namespace

extern "C" const void *stereo_esaw_stages_cuda (void);

extern "C" const void *
stereo_esaw_stages_cuda (void)
{
  static const StereoExpstepStages stages = {
    .plan = esaw_plan,
    .prepare = stereo_expstep_prepare_cuda,
    .cost = esaw_cost,
    .iterate = esaw_iterate,
    .finish = stereo_expstep_finish_cuda,
  };

  return &stages;
}
