/* gst-stereomatching: semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The costs of all pixels are made once, in bytes. One way through the image is
 * swept after another (rows, columns, diagonals), both directions of it at a
 * time, so that sums are read and written once for each; the last one keeps
 * them to itself and finds the winners. With three predecessors paths come in
 * strips.
 */

#include "match/sgm-sweep.cuh"
#include "refine/output.h"
#include "refine/winner-pixel.h"

namespace
{

const int max_disparities = 1024;

/* Without a disparity that both views have. */
__global__ void
find_nothing (const __grid_constant__ StereoSgmConstants k,
    const __grid_constant__ SgmWinners w)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

  if (x >= k.width)
    return;
  if (!w.refine) {
    stereo_store_index (&w.map, w.encode ? &w.output : NULL, x, y,
        STEREO_INVALID);
    return;
  }
  stereo_winner_store (&w.winners, x, y, STEREO_INVALID, 0, 0, 0);
  if (w.winners.right != NULL)
    stereo_winner_store_right (&w.winners, x, y, STEREO_NO_WINNER);
}

/* ------------------------------------------------------------------- stages */

/* Disparities of a pixel in memory, and pixels of a segment. */
template < int LANES, int OWN > void
shape_of (int *n, int *segment)
{
  *n = SgmShape < LANES, OWN >::n;
  *segment = SgmShape < LANES, OWN >::segment;
}

/* Shared memory of the last sweep, which needs most. */
template < class S, bool THREE > size_t
shared_of ()
{
  return sizeof (SgmSharedMemory < S, THREE >)
      + sizeof (uint32_t) * SgmBlock < S, THREE >::paths * S::segment;
}

int
ways_of (const StereoSgmConstants & k)
{
  return k.n_sweeps / 2;
}

/* Elements of L that a sweep leaves. */
size_t
checkpoint_elements (const StereoSgmConstants & k, int way)
{
  int n, segment;

#define SHAPE(lanes, own, three) shape_of < lanes, own > (&n, &segment)
  SGM_FOR_SHAPE (k, SHAPE);
#undef SHAPE
  return (size_t) ((sgm_length (k, way) + segment - 1) / segment)
      * sgm_paths (k, way) * n;
}

StereoStatus
plan (const StereoSgmConstants * k, unsigned, StereoSgmWork * work,
    StereoArena * arena, StereoMessage * why)
{
  const size_t pixels = (size_t) k->width * (size_t) k->height;
  size_t checkpoints = 0;
  int n, segment;

  if (k->n > max_disparities)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "this device can search %d disparities at most with this algorithm, "
        "and %d are wanted: the CPU can do that", max_disparities, k->n);
#define SHAPE(lanes, own, three) shape_of < lanes, own > (&n, &segment)
  SGM_FOR_SHAPE (*k, SHAPE);
#undef SHAPE
  for (int way = 0; way < ways_of (*k); way++)
    checkpoints += checkpoint_elements (*k, way);
  stereo_arena_add (arena, (void **) &work->costs, pixels, (size_t) n);
  stereo_arena_add (arena, (void **) &work->sums, pixels,
      (size_t) n * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->checkpoints, checkpoints,
      sizeof (uint16_t));
  return STEREO_OK;
}

SgmWinners
winners_of (const StereoSgmResult * result)
{
  SgmWinners w = { };

  w.refine = result->winners != NULL;
  w.encode = result->output != NULL;
  w.map = result->map;
  if (w.refine)
    w.winners = *result->winners;
  if (w.encode)
    w.output = *result->output;
  return w;
}

StereoStatus
match (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  StereoCudaStage stage (queue);
  const SgmWinners w = winners_of (result);
  const int limit = stereo_cuda_shared_limit (queue->device);
  size_t shared = 0;
  uint16_t *checkpoints = work->checkpoints;
  SgmArgs a = { };

  if (!stage.entered ())
    return stage.status ();
  if (k->n == 0) {
    const dim3 grid ((k->width + 255) / 256, k->height);

    find_nothing <<<grid, 256, 0, stage.stream ()>>> (*k, w);
    return STEREO_CUDA_LAUNCHED (stage, "sgm's find_nothing");
  }
#define SHAPE(lanes, own, three) \
  shared = shared_of < SgmShape < lanes, own >, three > ()
  SGM_FOR_SHAPE (*k, SHAPE);
#undef SHAPE
  if (shared > (size_t) limit)
    return stereo_fail (&queue->message, STEREO_ERROR_UNSUPPORTED,
        "sgm needs blocks of %zu KiB of shared memory for %d disparities, and "
        "this device has %d: the CPU can do that", (shared + 1023) / 1024,
        k->n, limit / 1024);
  a.k = *k;
  a.views = *views;
  a.costs = work->costs;
  a.sums = (uint32_t *) work->sums;
  for (int way = 0; way < ways_of (*k); way++) {
    a.checkpoints[way] = (uint32_t *) checkpoints;
    checkpoints += checkpoint_elements (*k, way);
  }
  stereo_sgm_find_costs_cuda (a, stage.stream ());
  stereo_sgm_look_ahead_cuda (a, ways_of (*k), stage.stream ());
  for (int way = SGM_COLUMNS; way < ways_of (*k); way++)
    stereo_sgm_sweep_cuda (a, way, way == SGM_COLUMNS, stage.stream ());
  stereo_sgm_sweep_last_cuda (a, w, stage.stream ());
  return STEREO_CUDA_LAUNCHED (stage, "sgm's kernels");
}

}                               // namespace

extern "C" const void *stereo_sgm_stages_cuda (void);

extern "C" const void *
stereo_sgm_stages_cuda (void)
{
  static const StereoSgmStages stages = {
    .plan = plan, .sweep = NULL, .finish = NULL, .match = match
  };

  return &stages;
}
