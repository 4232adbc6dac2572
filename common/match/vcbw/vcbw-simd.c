/* gst-stereomatching: variable center-biased windows with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set, with STEREO_SIMD_NAME its name. */

#include "match/vcbw/vcbw-simd.h"

#include "core/cpu.h"
#include "image/pixel.h"

struct StereoVcbwWork
{
  uint8_t *scratch;             /* worker_bytes() for each thread */
  uint8_t *luma;                /* of both views, if needed */
};

STEREO_CHECK_WORK (StereoVcbwWork);

/* Conversion of both views to luma, the left one first. */
typedef struct
{
  const StereoView *views[2];
  uint8_t *luma;
  int width;
  int height;
} Luma;

static void
luma_rows (const void *context, StereoSpan span)
{
  const Luma *l = context;

  for (int i = span.begin; i < span.end; i++) {
    const StereoView *view = l->views[i / l->height];
    size_t from = (size_t) (i % l->height) * view->stride;
    uint8_t *target = l->luma + (size_t) i * (size_t) l->width;

    for (int x = 0; x < l->width; x++)
      target[x] = stereo_luma (view->plane[0][from + (size_t) x],
          view->plane[1][from + (size_t) x],
          view->plane[2][from + (size_t) x]);
  }
}

/* The frame with views converted to luma. */
static StereoMatchFrame
with_luma (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    uint8_t * memory)
{
  StereoMatchFrame result = *frame;
  Luma l = { { &frame->left, &frame->right }, memory, k->width, k->height };

  stereo_cpu_for (frame->queue, 2 * k->height, 0, luma_rows, &l);
  result.left.plane[0] = memory;
  result.right.plane[0] = memory + (size_t) k->width * (size_t) k->height;
  result.left.stride = result.right.stride = (size_t) k->width;
  return result;
}

static const VcbwMatcher *
choose_matcher (const StereoVcbwConstants * k)
{
  return SIMD_NAME (stereo_vcbw_lanes_).supports (k)
      ? &SIMD_NAME (stereo_vcbw_lanes_) : &SIMD_NAME (stereo_vcbw_tiles_);
}

static StereoStatus
vcbw_match_simd (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  StereoMatchFrame luma;

  if (k->needs_luma) {
    luma = with_luma (frame, k, work->luma);
    frame = &luma;
  }
  choose_matcher (k)->match (frame, k, work->scratch);
  return STEREO_OK;
}

static StereoStatus
vcbw_plan_simd (const StereoSearch * search, const StereoVcbwConstants * k,
    StereoVcbwWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_arena_add (arena, (void **) &work->scratch, search->n_threads,
      choose_matcher (k)->worker_bytes (search, k));
  if (k->needs_luma)
    stereo_arena_add (arena, (void **) &work->luma, 2 * (size_t) k->width
        * (size_t) k->height, 1);
  return STEREO_OK;
}

const StereoVcbwStages SIMD_NAME (stereo_vcbw_stages_) = {
  .plan = vcbw_plan_simd,
  .match = vcbw_match_simd,
};
