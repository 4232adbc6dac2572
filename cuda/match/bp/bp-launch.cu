/* gst-stereomatching: launches of the steps of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One cooperative launch with a block per multiprocessor runs all steps; blocks
 * wait for each other after each step.  If they cannot be resident together,
 * each step is a launch.
 */

#include "match/bp/bp.cuh"

namespace
{

/* Maximum tiles of a warp for iterations to be one step. */
const int tiles_together = 8;

/* Computes rows of tiles, and how warps traverse them. */
void
find_tiles (int pixels_in_row, const BpShape & s, int n_warps, BpTiles * tiles)
{
  const int pixels = 32 / s.lanes;

  tiles->in_row = (pixels_in_row + pixels - 1) / pixels;
  tiles->inverse = 1.0f / (float) tiles->in_row;
  tiles->rows_on = n_warps / tiles->in_row;
  tiles->on = n_warps % tiles->in_row;
}

/* Whether the iterations of a level are one step.  For warps with many tiles a
 * barrier is cheaper than counting tiles. */
bool
is_together (const BpArgs & a, const BpLevel & level, int n_warps)
{
  return a.inner
      && level.inner.in_row * (level.height - 2) <= tiles_together * n_warps;
}

/* Computes how n_warps warps traverse all levels. */
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

/* Number of tiles of a step, the maximum number of busy warps. */
size_t
tiles_of (const BpArgs & a, const BpShape & s, int step)
{
  const int frame = a.inner ? 1 : 0;
  BpTiles tiles;
  int l;

  if (step < a.data_steps) {
    l = step + 1 < a.n_levels ? step + 1 : a.n_levels - 1;
    find_tiles (a.level[l].pitch, s, 0, &tiles);
    return (size_t) tiles.in_row * 2 * (size_t) a.level[l].height;
  }
  l = a.n_levels - 1 - (step - a.data_steps) / a.iterations;
  l = l > 0 ? l : 0;
  find_tiles ((a.level[l].width - 2 * frame + 1) / 2, s, 0, &tiles);
  return (size_t) tiles.in_row * (size_t) (a.level[l].height - 2 * frame);
}

/* Rows of level 0 that a block with winners processes together: all of its own,
 * if they are few and short. */
int
find_rows_at_once (const BpArgs & a, int blocks)
{
  const int own = (a.level[0].height + blocks - 1) / blocks;

  return own <= 4 && own * bp_row_words (a.level[0].width) <= 4096 ? own : 1;
}

/* Shared memory of a block: rows of right winners, and the beliefs of one tile
 * per warp. */
size_t
bp_shared_bytes (const BpShape & s, const BpArgs & a, int rows, size_t warps)
{
  if (!a.gives_winners)
    return 0;
  return ((size_t) rows * (size_t) bp_row_words (a.level[0].width)
      + warps * 32 * (size_t) s.words) * sizeof (uint32_t);
}

/* Launches the steps from a.first_step up to end.  Several steps need a
 * cooperative launch; returns false if that fails. */
bool
bp_launch (StereoQueue * queue, const BpShape & s, BpArgs & a, int end)
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
  const size_t shared = bp_shared_bytes (s, a, a.rows_at_once, warps);

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

BpShape
stereo_bp_find_shape_cuda (const StereoBpConstants * k)
{
  const int count = k->end_index - k->first_index;

  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      return stereo_bp_find_shape_int8_cuda (count);
    case STEREO_BP_PRECISION_HALF:
      return stereo_bp_find_shape_half_cuda (count);
    default:
      return stereo_bp_find_shape_float_cuda (count);
  }
}

size_t
stereo_bp_shared_bytes_cuda (const BpShape & s, const BpArgs & a)
{
  /* several rows are small */
  return bp_shared_bytes (s, a, 1, (size_t) s.threads / 32);
}

/* All steps in one launch if possible, otherwise one by one. */
void
stereo_bp_launch_steps_cuda (StereoQueue * queue, const BpShape & s,
    BpArgs & a)
{
  const int end = a.data_steps
      + (a.inner ? a.n_levels * a.iterations + 1 : 2);

  a.first_step = 0;
  if (bp_launch (queue, s, a, end))
    return;
  for (int step = 0; step < end; step++) {
    a.first_step = step;
    (void) bp_launch (queue, s, a, step + 1);
  }
}
