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

/* Such blocks per multiprocessor, at least. */
const int winner_blocks = 4;

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

/* Result of the sums along columns. */
enum Output
{
  OUTPUT_COSTS,                 /* the next costs */
  OUTPUT_BEST,                  /* winners of the left view only */
  OUTPUT_WINNERS
};

/* Plus 16, a multiple of 32: tile_take_right() reads the words of adjacent
 * right pixels from different banks, whatever their groups. */
const int right_pitch = winner_pixels + 16;

__device__ __forceinline__ Tiles < winner_pixels >
esaw_tiles (const ExpstepArgs & a)
{
  extern __shared__ uint32_t shared[];
  const int groups = (int) blockDim.y;

  return { groups, right_pitch, (int) blockIdx.x * winner_pixels,
      a.first + 16 * a.first_group, min (16 * groups,
          a.count - 16 * a.first_group), (uint16_t *) shared };
}

/* Stores the costs of a pixel, or updates its winner. */
template < Output OUTPUT > __device__ __forceinline__ void
store_costs (const ExpstepArgs & a, const Values & v, int x, int y, int group)
{
  const uint32_t at = pixel_at (a, x, y);

  if (OUTPUT == OUTPUT_BEST) {
    uint32_t best = expstep_winner (v.even, v.odd, a.count - 16 * group);

    atomicMin (&a.best[at], best + (uint32_t) (a.first + 16 * group));
  } else {
    (a.target + volume_at (a, group))[at] = rounded (v);
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
  Piece piece;

  pdl_launch_dependents ();
  if (x >= a.k.width || !find_piece (a, (int) blockIdx.y, &piece))
    return;
  pdl_wait ();

  const Tiles < winner_pixels > tiles = esaw_tiles (a);
  const TilePlace place = tile_place (a, tiles, (int) threadIdx.x,
      (int) threadIdx.y);
  const uint32_t start = OUTPUT == OUTPUT_COSTS ? 0x00800080u : 0;
  int y = piece.has_before ? piece.y - s : piece.y, turn = 0;
  Source source = make_source (a, a.source + volume_at (a, group), 1, x, y);
  ColumnPass pass = { };
  Values row;
  Taps taps;

  if (OUTPUT == OUTPUT_WINNERS)
    tile_clear (tiles);
  load_taps (a, source, &taps);
  if (piece.has_before) {
    row_sums (taps, &pass.row);
    load_next_taps (a, &source, &taps);
    y += s;
  }
  row_sums (taps, &row);
  begin_row (&pass, row, taps.weights, start);
  if (y + s < a.k.height)
    load_next_taps (a, &source, &taps);

  for (int i = 0; i < piece.n; i++, y += s) {
    const uint32_t weights = taps.weights;

    /* below the image, with a weight of 0, those of the last row again */
    row_sums (taps, &row);
    /* loads overlap with the column */
    if (i + 1 < piece.n && y + 2 * s < a.k.height)
      load_next_taps (a, &source, &taps);
    if (OUTPUT == OUTPUT_WINNERS) {
      tile_add (tiles, place, turn++, finish_row (pass, row));
      if (turn == tile_turns || i + 1 == piece.n) {
        tile_search (a, tiles, y - (turn - 1) * s, turn);
        turn = 0;
      }
    } else {
      store_costs < OUTPUT > (a, finish_row (pass, row), x, y, group);
    }
    begin_row (&pass, row, weights, start);
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
        tile_bytes < winner_pixels > (groups, right_pitch),
        iterate_kernel < OUTPUT_WINNERS >, a);
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
