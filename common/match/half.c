/* gst-stereomatching: the half-size match of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/half.h"

#include <stdlib.h>
#include <string.h>

StereoStatus
stereo_half_new (StereoChain * m)
{
  if (m->algorithm->wants_ranges == NULL)
    return STEREO_OK;
  m->half = calloc (1, sizeof (*m->half));
  if (m->half == NULL)
    return STEREO_ERROR_MEMORY;
  *m->half = *m;
  m->half->half = NULL;
  m->half->plan = calloc (1, m->algorithm->plan_size);
  return m->half->plan != NULL ? STEREO_OK : STEREO_ERROR_MEMORY;
}

void
stereo_half_free (StereoChain ** half)
{
  if (*half == NULL)
    return;
  free ((*half)->plan);
  free (*half);
  *half = NULL;
}

static int
halve_disparity (int d)
{
  return (d - (d < 0)) / 2;     /* rounded down */
}

void
stereo_half_configure (StereoChain * m, const void *own)
{
  const StereoSearch *p = &m->search;
  StereoChain *half = m->half;

  if (!p->ranges)
    return;
  half->config = m->config;
  half->config.width = stereo_range_half (p->width);
  half->config.height = stereo_range_half (p->height);
  half->common = m->common;
  half->common.min_disparity = halve_disparity (p->min_disparity);
  half->common.num_disparities = (unsigned) (halve_disparity (p->min_disparity
          + p->num_disparities - 1) - half->common.min_disparity + 1);
  half->common.median = true;
  half->refine = (StereoRefineParams) {
    .cost = m->refine.cost,
    .lr_max_diff = 1,
    .speckle_size = 50,
    .fill = true,
    .refine = STEREO_REFINE_NONE,
  };
  half->network = m->network;
  stereo_chain_make_search (half, own, p->n_threads);

  m->range = (StereoRangeConstants) {
    .width = p->width,
    .height = p->height,
    .channels = p->channels,
    .n = p->end_index - p->first_index,
    .first = 2 * half->common.min_disparity - p->min_disparity
        - p->first_index,
  };
}

static void
add_ranges (const StereoSearch * p, StereoRanges * ranges,
    StereoArena * arena)
{
  ranges->columns = stereo_range_tiles (p->width);
  stereo_arena_add (arena, (void **) &ranges->tiles,
      (size_t) ranges->columns * (size_t) stereo_range_tiles (p->height),
      sizeof (*ranges->tiles));
}

void
stereo_half_plan_ranges (StereoChain * m, StereoArena * arena)
{
  const StereoSearch *p = &m->search;

  m->ranges = m->mirrored_ranges = (StereoRanges) { NULL, 0 };
  if (!p->ranges)
    return;
  add_ranges (p, &m->ranges, arena);
  if (stereo_refine_is_mutual (&m->refine))
    add_ranges (p, &m->mirrored_ranges, arena);
}

StereoStatus
stereo_half_plan (StereoChain * m, const void *own, size_t alignment,
    StereoArena * arena, StereoMessage * why)
{
  const StereoSearch *p = &m->search;
  StereoChain *half = m->half;

  if (!p->ranges)
    return STEREO_OK;
  stereo_arena_go_to (arena, arena->mark);
  stereo_chain_plan_mirrored_views (m, alignment, m->half_mirrored, arena);
  for (int i = 0; i < 2; i++) {
    StereoHalfView *view = &m->half_views[i];

    memset (view, 0, sizeof (*view));
    view->stride = stereo_round_up (m->converting->view_row_bytes (
            half->search.width, p->channels), alignment);
    for (int c = 0; c < m->converting->view_planes (p->channels); c++)
      stereo_arena_add (arena, (void **) &view->plane[c],
          (size_t) half->search.height, view->stride);
  }
  half->map.stride = stereo_round_up ((size_t) half->search.width,
      alignment / 2);
  stereo_arena_add (arena, (void **) &half->map.data,
      half->map.stride * (size_t) half->search.height, sizeof (uint16_t));
  return stereo_chain_plan_matching (half, own, alignment, arena, why);
}

/* The indices of the half-size map, as an output. */
static StereoOutput
half_output (const StereoChain * half)
{
  return (StereoOutput) {
    .data = half->map.data,
    .stride = half->map.stride * sizeof (uint16_t),
    .bytes = sizeof (uint16_t),
    .invalid = STEREO_INVALID,
    .scale = 1,
    .highest = (uint16_t) (half->search.num_disparities - 1),
    .gain = 1,
    .divisor = 1,
  };
}

static StereoStatus
halve_views (const StereoChain * m, const StereoMatchFrame * frame,
    StereoMatchFrame * half)
{
  StereoStatus status = m->ranging->halve (frame->queue, &m->range,
      &frame->left, &m->half_views[0]);

  if (status == STEREO_OK)
    status = m->ranging->halve (frame->queue, &m->range, &frame->right,
        &m->half_views[1]);
  for (int i = 0; i < 2; i++) {
    StereoView *view = i == 0 ? &half->left : &half->right;

    for (int c = 0; c < 3; c++)
      view->plane[c] = m->half_views[i].plane[c];
    view->stride = m->half_views[i].stride;
  }
  return status;
}

/* Matches the views of a frame at half size. */
static StereoStatus
find_ranges (const StereoChain * m, const StereoMatchFrame * frame,
    const StereoRanges * ranges)
{
  const StereoChain *half = m->half;
  StereoMatchFrame work = {.search = &half->search,.plan = half->plan,
    .queue = frame->queue,.map = half->map,.concurrent = frame->concurrent
  };
  const StereoOutput output = half_output (half);
  StereoStatus status = halve_views (m, frame, &work);

  if (status == STEREO_OK)
    status = stereo_chain_match_views (half, &work, &output);
  return status != STEREO_OK ? status
      : m->ranging->find (frame->queue, &m->range, &half->map, ranges);
}

StereoStatus
stereo_half_run (const StereoChain * m, StereoMatchFrame * frame)
{
  StereoMatchFrame mirrored = {.queue = frame->queue };
  StereoStatus status;

  frame->ranges = m->ranges;
  if (!m->search.ranges)
    return STEREO_OK;
  status = find_ranges (m, frame, &m->ranges);
  if (status == STEREO_OK && stereo_refine_is_mutual (&m->refine)) {
    status = stereo_chain_mirror_views (m, frame, m->half_mirrored, &mirrored);
    if (status == STEREO_OK)
      status = find_ranges (m, &mirrored, &m->mirrored_ranges);
  }
  return status != STEREO_OK ? status
      : stereo_stage_end (frame->timestamps, "half size");
}
