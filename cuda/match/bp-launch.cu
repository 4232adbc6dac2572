/* gst-stereomatching: launches of the steps of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * All steps are one launch of as many blocks as there are multiprocessors,
 * which wait for each other after each step.  Where blocks can't wait (they
 * have to be on the GPU together) each step is a launch.
 */

#include "match/bp.cuh"

namespace
{

/* Tiles of a warp up to which iterations are one step. */
const int tiles_together = 8;

/* Rows of tiles, and how warps walk through them. */
void
find_tiles (int pixels_in_row, const BpShape & s, int n_warps, BpTiles * tiles)
{
  const int pixels = 32 / s.lanes;

  tiles->in_row = (pixels_in_row + pixels - 1) / pixels;
  tiles->inverse = 1.0f / (float) tiles->in_row;
  tiles->rows_on = n_warps / tiles->in_row;
  tiles->on = n_warps % tiles->in_row;
}

/* Whether the iterations of a level are one step: warps that have many tiles
 * lose less by waiting for each other once than by counting them. */
bool
is_together (const BpArgs & a, const BpLevel & level, int n_warps)
{
  /* the first data costs clear what is counted */
  return a.inner && a.n_levels > 1
      && level.inner.in_row * (level.height - 2) <= tiles_together * n_warps;
}

/* How so many warps walk through all levels. */
void
find_walks (const BpShape & s, int n_warps, BpArgs & a)
{
  for (int l = 0; l < a.n_levels; l++) {
    BpLevel *level = &a.level[l];

    find_tiles (level->pitch, s, n_warps, &level->all);
    find_tiles ((level->width - (a.inner ? 2 : 0) + 1) / 2, s, n_warps,
        &level->inner);
    if (a.inner && level->inner.rows_on >= level->height - 2) {
      level->inner.rows_on = level->height - 2;
      level->inner.on = 0;
    }
    level->together = is_together (a, *level, n_warps);
  }
}

/* Tiles of a step: warps that it can keep busy. */
size_t
tiles_of (const BpArgs & a, const BpShape & s, int step)
{
  const int frame = a.inner ? 1 : 0;
  BpTiles tiles;
  int l;

  if (step < a.n_levels - 1) {
    l = step + 1;
    find_tiles (a.level[l].pitch, s, 0, &tiles);
    return (size_t) tiles.in_row * 2 * (size_t) a.level[l].height;
  }
  l = a.n_levels - 1 - (step - (a.n_levels - 1)) / a.iterations;
  l = l > 0 ? l : 0;
  find_tiles ((a.level[l].width - 2 * frame + 1) / 2, s, 0, &tiles);
  return (size_t) tiles.in_row * (size_t) (a.level[l].height - 2 * frame);
}

/* Rows of level 0 that a block works on at a time, where it gives winners: all
 * of its own, if they are few and short. */
int
find_rows_at_once (const BpArgs & a, int blocks)
{
  const int own = (a.level[0].height + blocks - 1) / blocks;

  return own <= 4 && own * bp_row_words (a.level[0].width) <= 4096 ? own : 1;
}

/* Shared memory of a block with so many warps: a row of right winners, and the
 * beliefs of a tile. */
size_t
shared_bytes (const BpShape & s, const BpArgs & a, size_t warps)
{
  if (!a.gives_winners)
    return 0;
  return ((size_t) a.rows_at_once * (size_t) bp_row_words (a.level[0].width)
      + warps * 32 * (size_t) s.words) * sizeof (uint32_t);
}

/* Steps a.first_step up to end.  Several need threads that wait for each other,
 * so all have to fit the GPU at once.  false: that can't be done. */
bool
launch (StereoQueue * queue, const BpShape & s, BpArgs & a, int end)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const size_t multiprocessors = (size_t) q->multiprocessors;
  const size_t most_warps = (size_t) s.threads / 32;
  size_t tiles = 1, blocks, warps;
  void *arguments[1] = { &a };
  int resident = 0;

  for (int i = a.first_step; i < end; i++) {
    size_t n = tiles_of (a, s, i);

    tiles = tiles > n ? tiles : n;
  }
  blocks = tiles < multiprocessors ? tiles : multiprocessors;
  warps = (tiles + blocks - 1) / blocks;
  warps = warps < most_warps ? warps : most_warps;
  find_walks (s, (int) (blocks * warps), a);
  a.end_step = end;
  a.rows_at_once = find_rows_at_once (a, (int) blocks);

  dim3 grid ((unsigned) blocks), block (32 * (unsigned) warps);
  const size_t shared = shared_bytes (s, a, warps);

  if (shared > 48 * 1024)
    (void) cudaFuncSetAttribute ((const void *) s.kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared);
  if (end == a.first_step + 1) {
    s.kernel <<< grid, block, shared, q->compute >>> (a);
    return true;
  }
  if (stereo_cuda_cooperative (queue->device)
      && cudaOccupancyMaxActiveBlocksPerMultiprocessor (&resident, s.kernel,
          (int) block.x, shared) == cudaSuccess && resident > 0
      && cudaLaunchCooperativeKernel ((const void *) s.kernel, grid, block,
          arguments, shared, q->compute) == cudaSuccess)
    return true;
  (void) cudaGetLastError ();
  return false;
}

}                               // namespace

/* All steps at once, or if that can't be one by one. */
void
stereo_bp_launch_steps_cuda (StereoQueue * queue, const BpShape & s,
    BpArgs & a)
{
  const int end = a.inner ? a.n_levels - 1 + a.n_levels * a.iterations + 1
      : 2;

  a.first_step = 0;
  if (launch (queue, s, a, end))
    return;
  for (int step = 0; step < end; step++) {
    a.first_step = step;
    (void) launch (queue, s, a, step + 1);
  }
}
