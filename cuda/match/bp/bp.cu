/* gst-stereomatching: hierarchical belief propagation on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * bp-views.cu and bp-edges.cu prepare the views of a frame, bp-steps.cuh has
 * the steps, and bp-launch.cu launches them.  The memory of level 0 also holds
 * the coarser levels except the messages of odd ones; see Layout.
 */

#include "match/bp/bp.cuh"
#include "refine/output.h"
#include "refine/winner-formula.h"

#include <string.h>

namespace
{

/* Maximum disparities of the largest shape. */
const int max_count = 1024;

/* For searches without a disparity that both views cover. */
__global__ void
nothing_kernel (const __grid_constant__ StereoWinners winners,
    const __grid_constant__ StereoMap map,
    const __grid_constant__ StereoOutput output, bool encode, int width)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);

  if (x >= width)
    return;
  if (winners.left != NULL)
    stereo_winner_store (&winners, x, (int) blockIdx.y, STEREO_INVALID, 0, 0, 0,
        0);
  if (winners.left != NULL && winners.right != NULL)
    stereo_winner_store_right (&winners, x, (int) blockIdx.y,
        STEREO_NO_WINNER);
  if (winners.left == NULL)
    stereo_store_index (&map, encode ? &output : NULL, x, (int) blockIdx.y,
        STEREO_INVALID);
}

size_t
level_pixels (const StereoBpSize & size)
{
  return (size_t) ((size.width + 1) / 2) * 2 * (size_t) size.height;
}

/* Offsets of the levels in two areas.  The first iteration of a level reads the
 * messages of the next coarser level only, so levels alternate between the
 * areas.  The messages of level 0 overwrite the data costs of all others, which
 * are no longer needed. */
struct Layout
{
  size_t messages[STEREO_BP_MAX_LEVELS];        /* in area level % 2 */
  size_t data[STEREO_BP_MAX_LEVELS];    /* in area 0 */
  size_t size[2];
};

void
find_layout (const StereoBpConstants * k, const BpShape & s, Layout * layout)
{
  size_t data = 0;

  memset ((void *) layout, 0, sizeof (*layout));
  for (int l = 1; l < k->n_levels; l++) {
    layout->data[l] = data;
    data += level_pixels (k->level[l]) * (size_t) s.data_bytes;
    data = (data + 255) / 256 * 256;
  }
  layout->size[0] = data;
  for (int l = 0; l < k->n_levels; l++) {
    size_t start = l % 2 == 0 && l > 0 ? data : 0;
    size_t end = start + 4 * level_pixels (k->level[l])
        * (size_t) s.message_parts * sizeof (uint4);

    layout->messages[l] = start;
    if (layout->size[l % 2] < end)
      layout->size[l % 2] = end;
  }
}

StereoStatus
bp_plan_cuda (const StereoSearch *, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  const int count = k->end_index - k->first_index;
  Layout layout;

  if (count > max_count)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "belief propagation on CUDA takes %d disparities at most, not %d",
        max_count, count);
  if (count == 0)
    return STEREO_OK;
  find_layout (k, stereo_bp_find_shape_cuda (k), &layout);
  stereo_bp_plan_views_cuda (k, work, arena);
  if (k->edges)
    stereo_bp_plan_edges_cuda (k, work, arena);
  stereo_arena_add (arena, &work->barrier, 1, sizeof (unsigned));
  for (int l = 0; l < k->n_levels; l++)
    stereo_arena_add (arena, &work->done[l], (size_t) k->level[l].height
        * bp_done_pitch, sizeof (unsigned));
  stereo_arena_add (arena, &work->level_0, level_pixels (k->level[0])
      * (size_t) stereo_bp_find_shape_cuda (k).level_0_bytes, 1);
  stereo_arena_add (arena, &work->messages[0], layout.size[0], 1);
  if (layout.size[1] > 0)
    stereo_arena_add (arena, &work->messages[1], layout.size[1], 1);
  return STEREO_OK;
}

/* Maximum disparity change whose cost, jump times the change, is below M. */
int
find_reach (const StereoBpConstants * k)
{
  int reach = 0;

  for (int g = 0; g < 256; g++) {
    int here = k->max_message[g] == 0 ? 0 : k->jump[g] == 0 ? max_count
        : (int) ((k->max_message[g] - 1) / k->jump[g]);

    reach = reach > here ? reach : here;
  }
  return reach;
}

void
bp_args (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const BpShape & s, const StereoBpWork * work, BpArgs * a)
{
  const int reach = find_reach (k);
  int lanes;
  Layout layout;

  memset ((void *) a, 0, sizeof (*a));
  find_layout (k, s, &layout);
  for (int l = 0; l < k->n_levels; l++) {
    BpLevel *level = &a->level[l];

    level->width = k->level[l].width;
    level->height = k->level[l].height;
    level->pitch = (level->width + 1) / 2;
    level->row = (unsigned) (level->pitch * s.message_parts);
    for (int i = 0; i < 8; i++)
      level->messages[i] = (uint4 *) ((uint8_t *) work->messages[l % 2]
          + layout.messages[l])
          + (size_t) i * (size_t) level->height * level->row;
    level->data = l > 0 ? (uint8_t *) work->messages[0] + layout.data[l]
        : (uint8_t *) work->level_0;
    level->done = (unsigned *) work->done[l];
  }
  a->n_levels = k->n_levels;
  a->data_steps = k->n_levels > 1 ? k->n_levels - 1 : 1;
  a->iterations = k->iterations;
  a->inner = stereo_bp_has_inner (k);
  a->count = k->end_index - k->first_index;
  a->groups = s.groups;
  a->message_parts = s.message_parts;
  a->first_index = k->first_index;
  a->first_disparity = k->min_disparity + k->first_index;
  stereo_bp_find_views_cuda (frame, k, work, a);
  stereo_bp_find_edges_cuda (k, work, a);
  a->max_data = k->max_data;
  /* lanes whose nearest value is within reach */
  lanes = reach < 1 ? 0 : (reach - 1) / s.values + 1;
  lanes = lanes < s.lanes - 1 ? lanes : s.lanes - 1;
  while (1 << a->rounds < lanes)
    a->rounds++;
  a->barrier = (unsigned *) work->barrier;
}

/* Prepares the views of a frame, and clears the barrier. */
StereoStatus
prepare_frame (StereoCudaStage & stage, const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, const BpArgs & a)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) frame->queue;

  if (stereo_cost_is_luma (k->cost))
    stereo_bp_prepare_views_cuda (frame, k, work, a);
  if (k->edges)
    stereo_bp_prepare_edges_cuda (frame, k, work, a);
  if (!stereo_cost_is_luma (k->cost) && !k->edges)
    (void) cudaMemsetAsync (a.barrier, 0, sizeof (unsigned), q->compute);
  return STEREO_CUDA_LAUNCHED (stage, "bp's preparation");
}

StereoStatus
launch_steps (StereoCudaStage & stage, StereoQueue * queue, const BpShape & s,
    BpArgs & a)
{
  const size_t shared = stereo_bp_shared_bytes_cuda (s, a);
  const int limit = stereo_cuda_shared_limit (queue->device);

  if (shared > (size_t) limit)
    return stereo_fail (&queue->message, STEREO_ERROR_UNSUPPORTED,
        "bp needs blocks of %zu KiB of shared memory for a width of %d, and "
        "this device has %d: the CPU can do that", (shared + 1023) / 1024,
        a.level[0].width, limit / 1024);
  stereo_bp_launch_steps_cuda (queue, s, a);
  return STEREO_CUDA_LAUNCHED (stage, "bp's steps_kernel");
}

StereoStatus
bp_match_cuda (const StereoBpArgs * args)
{
  const StereoMatchFrame *frame = args->frame;
  const StereoBpConstants *k = args->k;
  const StereoBpWork *work = args->work;
  StereoCudaStage stage (frame->queue);
  BpArgs a;

  if (!stage.entered ())
    return stage.status ();
  memset ((void *) &a, 0, sizeof (a));
  if (k->first_index < k->end_index)
    bp_args (frame, k, stereo_bp_find_shape_cuda (k), work, &a);
  a.gives_winners = frame->winners != NULL;
  if (frame->winners != NULL)
    a.winners = *frame->winners;
  a.map = frame->map;
  a.encode = frame->output != NULL;
  if (frame->output != NULL)
    a.output = *frame->output;
  if (k->first_index == k->end_index) {
    dim3 grid ((unsigned) (k->width + 127) / 128, (unsigned) k->height);

    nothing_kernel <<< grid, 128, 0, stage.stream () >>> (a.winners, a.map,
        a.output, a.encode, k->width);
    return STEREO_CUDA_LAUNCHED (stage, "bp's nothing_kernel");
  }
  const StereoStatus status = prepare_frame (stage, frame, k, work, a);

  return status != STEREO_OK ? status : launch_steps (stage, frame->queue,
      stereo_bp_find_shape_cuda (k), a);
}

}                               // namespace

extern "C" const void *stereo_bp_stages_cuda (void);

extern "C" const void *
stereo_bp_stages_cuda (void)
{
  static const StereoBpStages stages = {
    .plan = bp_plan_cuda,
    .match = bp_match_cuda,
  };

  return &stages;
}
