/* gst-stereomatching: semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One kernel computes the costs of all pixels, in bytes.  Another one runs all
 * sweeps over the image and saves L where they enter tiles only.  This makes
 * the tiles independent: a block repeats all sweeps of a tile, keeps their sums
 * on chip and finds the winners.  With three predecessors the tiles have the
 * width of strips.
 */

#include "match/sgm/sgm.cuh"
#include "refine/output.h"
#include "refine/winner-formula.h"

namespace
{

const int max_disparities = 1024;

/* For searches without a disparity that both views cover. */
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
  stereo_winner_store (&w.winners, x, y, STEREO_INVALID, 0, 0, 0, 0);
  if (w.winners.right != NULL)
    stereo_winner_store_right (&w.winners, x, y, STEREO_NO_WINNER);
}

/* ------------------------------------------------------------------- stages */

/* Disparities of a pixel in memory, padded. */
size_t
padded_n (const StereoSgmConstants & k)
{
#define PADDED(lanes, own) return (lanes) * (own)
  SGM_FOR_SHAPE (k.n, PADDED);
#undef PADDED
}

/* Elements of L of a sweep where it enters tiles. */
size_t
into_rows_elements (const StereoSgmConstants & k, int sweep)
{
  return sweep / 2 == SGM_ROWS ? 0
      : sgm_tiles (k.height) * (size_t) k.width * padded_n (k);
}

size_t
into_columns_elements (const StereoSgmConstants & k, int sweep)
{
  return sweep / 2 == SGM_COLUMNS ? 0
      : sgm_tiles (k.width) * (size_t) k.height * padded_n (k);
}

StereoStatus
sgm_plan_cuda (const StereoSgmConstants * k, unsigned, StereoSgmWork * work,
    StereoArena * arena, StereoMessage * why)
{
  const size_t pixels = (size_t) k->width * (size_t) k->height;
  size_t checkpoints = 0;

  if (k->n > max_disparities)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "this device can search %d disparities at most with this algorithm, "
        "and %d are wanted: the CPU can do that", max_disparities, k->n);
  for (int sweep = 0; sweep < k->n_sweeps; sweep++)
    checkpoints += into_rows_elements (*k, sweep)
        + into_columns_elements (*k, sweep);
  stereo_arena_add (arena, (void **) &work->steps, pixels * k->n_sweeps,
      sizeof (uint32_t));
  stereo_arena_set_mark (arena);
  stereo_arena_add (arena, (void **) &work->costs, pixels, padded_n (*k));
  stereo_arena_add (arena, (void **) &work->checkpoints, checkpoints,
      sizeof (uint16_t));
  if (k->n > sgm_max_shared_anywhere)
    stereo_arena_add (arena, (void **) &work->sums, sgm_blocks_without_shared
        * SGM_TILE * SGM_TILE, padded_n (*k) * sizeof (uint16_t));
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

SgmArgs
make_args (const StereoSgmConstants * k, const StereoSgmViews * views,
    const StereoSgmWork * work)
{
  uint16_t *checkpoints = work->checkpoints;
  SgmArgs a = { };

  a.k = *k;
  a.views = *views;
  a.costs = work->costs;
  a.words = (int) padded_n (*k) / 2;
  a.sums = (uint32_t *) work->sums;
  a.steps = work->steps;
  for (int sweep = 0; sweep < k->n_sweeps; sweep++) {
    a.into_rows[sweep] = (uint32_t *) checkpoints;
    checkpoints += into_rows_elements (*k, sweep);
    a.into_columns[sweep] = (uint32_t *) checkpoints;
    checkpoints += into_columns_elements (*k, sweep);
  }
  return a;
}

StereoStatus
sgm_prepare_cuda (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  StereoCudaStage stage (queue);

  if (!stage.entered () || k->n == 0)
    return stage.status ();
  stereo_sgm_find_steps_cuda (queue, make_args (k, views, work),
      winners_of (result));
  return STEREO_CUDA_LAUNCHED (stage, "sgm's find_steps");
}

struct LookAhead
{
  StereoQueue *queue;
  const SgmArgs *args;
};

StereoStatus
submit_look_ahead (void *data)
{
  const LookAhead *l = (const LookAhead *) data;

  stereo_sgm_look_ahead_cuda (l->queue, *l->args);
  return STEREO_OK;
}

/* Small images leave most of the device idle here. */
StereoStatus
look_ahead (StereoQueue * queue, const SgmArgs & a,
    StereoConcurrentTask * concurrent)
{
  LookAhead data = { queue, &a };
  const StereoTask task = { submit_look_ahead, &data };

  if (concurrent == NULL)
    return submit_look_ahead (&data);
  concurrent->submitted = true;
  return queue->klass->submit_both (queue, &task, &concurrent->task);
}

StereoStatus
sgm_match_cuda (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result, StereoConcurrentTask * concurrent)
{
  StereoCudaStage stage (queue);
  const SgmWinners w = winners_of (result);
  const int limit = stereo_cuda_shared_limit (queue->device);

  if (!stage.entered ())
    return stage.status ();
  if (k->n == 0) {
    const dim3 grid ((k->width + 255) / 256, k->height);

    find_nothing <<<grid, 256, 0, stage.stream ()>>> (*k, w);
    return STEREO_CUDA_LAUNCHED (stage, "sgm's find_nothing");
  }
  if (stereo_sgm_tile_bytes_cuda (*k) > (size_t) limit)
    return stereo_fail (&queue->message, STEREO_ERROR_UNSUPPORTED,
        "sgm needs blocks of %zu KiB of shared memory for %d disparities, and "
        "this device has %d: the CPU can do that",
        (stereo_sgm_tile_bytes_cuda (*k) + 1023) / 1024, k->n, limit / 1024);
  const SgmArgs a = make_args (k, views, work);

  stereo_sgm_find_costs_cuda (queue, a);
  const StereoStatus status = look_ahead (queue, a, concurrent);

  if (status != STEREO_OK)
    return status;
  stereo_sgm_match_tiles_cuda (queue, a, w);
  return STEREO_CUDA_LAUNCHED (stage, "sgm's kernels");
}

}                               // namespace

extern "C" const void *stereo_sgm_stages_cuda (void);

extern "C" const void *
stereo_sgm_stages_cuda (void)
{
  static const StereoSgmStages stages = {
    .plan = sgm_plan_cuda, .sweep = NULL, .finish = NULL,
    .prepare = sgm_prepare_cuda, .match = sgm_match_cuda
  };

  return &stages;
}
