/* gst-stereomatching: variable center-biased windows on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One kernel processes a frame, without a cost volume in memory.
 *
 * A thread block owns a tile of the image, with its part of both views in
 * shared memory.  The weighted averages along rows and columns are products
 * with a banded matrix of weights (16 outputs from 16 inputs on each side),
 * which the integer matrix units compute exactly.  D is computed in the
 * registers that hold the operand of the first product.  The result, rounded
 * to bytes, is in the registers of the operand of the second product; the
 * second matrix has the same permutation of rows (row_of ()).
 *
 * For disparities of the left view alone, a warp of match_kernel () processes
 * 16 columns and every eighth (or fourth) disparity, and keeps its winners in
 * registers.  winners_kernel () handles all other cases.
 *
 * Windows with a radius above 16 need two blocks of inputs on each side
 * (halo).
 */

#include "core/ones.cuh"
#include "cost/cost.cuh"
#include "match/vcbw/vcbw.cuh"

struct StereoVcbwWork
{
  uint8_t *luma;                /* of both views, if needed */
};

STEREO_CHECK_WORK (StereoVcbwWork);

namespace
{

/* Luma of a view of three channels, for STEREO_COST_LUMA. */
__global__ void
luma_kernel (StereoView left, StereoView right, uint8_t * luma, int width,
    int height)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) blockIdx.y;
  const StereoView & view = blockIdx.z == 0 ? left : right;

  if (x < width) {
    const uint32_t p = stereo_view_pixel (&view, 3, x, y);

    luma[((size_t) blockIdx.z * height + y) * width + x] =
        stereo_luma ((uint8_t) p, (uint8_t) (p >> 8), (uint8_t) (p >> 16));
  }
}

StereoStatus
make_luma (StereoCudaStage & stage, const StereoMatchFrame * frame,
    uint8_t * luma, VcbwArgs * a)
{
  const int width = a->k.width, height = a->k.height;
  const dim3 grid ((unsigned) (width + 127) / 128, (unsigned) height, 2);

  luma_kernel <<< grid, 128, 0, stage.stream () >>> (frame->left,
      frame->right, luma, width, height);
  a->left = luma;
  a->right = luma + (size_t) width * (size_t) height;
  a->left_stride = a->right_stride = (size_t) width;
  return STEREO_CUDA_LAUNCHED (stage, "vcbw's luma_kernel");
}

StereoStatus
vcbw_plan (const StereoSearch *, const StereoVcbwConstants * k,
    StereoVcbwWork * work, StereoArena * arena, StereoMessage *)
{
  if (k->needs_luma)
    stereo_arena_add (arena, (void **) &work->luma, 2 * (size_t) k->width
        * (size_t) k->height, 1);
  return STEREO_OK;
}

void
find_args (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    VcbwArgs * a)
{
  const StereoView left = stereo_cost_view (k->cost, frame->left,
      frame->left_words);
  const StereoView right = stereo_cost_view (k->cost, frame->right,
      frame->right_words);

  a->k = *k;
  a->left = left.plane[0];
  a->right = right.plane[0];
  a->left_stride = left.stride;
  a->right_stride = right.stride;
  a->map = frame->map;
  a->encode = frame->output != NULL;
  if (frame->output != NULL)
    a->output = *frame->output;
  if (frame->winners != NULL)
    a->winners = *frame->winners;
  a->high_half = 0xffff0000u;
  a->edge = splat_u16 (k->edge);
  a->edge_room = splat_u16 ((0xffff - k->edge) / 2);
  a->corner = splat_u16 (k->corner);
  a->corner_room = splat_u16 ((0xffff - k->corner) / 4);
}

StereoStatus
vcbw_match (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  StereoCudaStage stage (frame->queue);
  const bool winners = frame->winners != NULL;
  StereoStatus status = STEREO_OK;
  VcbwArgs a = { };

  if (!stage.entered ())
    return stage.status ();
  find_args (frame, k, &a);
  if (k->needs_luma)
    status = make_luma (stage, frame, work->luma, &a);
  if (status != STEREO_OK)
    return status;
  /* rows are aligned to more than two words */
  if (winners && a.winners.right != NULL)
    set_ones (frame->queue, (unsigned long long *) a.winners.right,
        a.winners.right_stride / 2 * (size_t) k->height);
  if (k->cost == STEREO_COST_WORDS)
    return stereo_vcbw_launch_words_cuda (stage, frame->queue, a, winners);
  return k->channels == 1 || k->needs_luma
      ? stereo_vcbw_launch_luma_cuda (stage, frame->queue, a, winners)
      : stereo_vcbw_launch_rgb_cuda (stage, frame->queue, a, winners);
}

}                               // namespace

extern "C" const void *stereo_vcbw_stages_cuda (void);

extern "C" const void *
stereo_vcbw_stages_cuda (void)
{
  static const StereoVcbwStages stages = {
    .plan = vcbw_plan,
    .match = vcbw_match,
  };

  return &stages;
}
