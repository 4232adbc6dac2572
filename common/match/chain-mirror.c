/* gst-stereomatching: matching of the mirrored pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/chain.h"

#include <string.h>

void
stereo_chain_plan_mirrored_winners (StereoChain * m, StereoArena * arena)
{
  StereoWinners *w = &m->mirror.winners;

  if (!stereo_refine_is_mutual (&m->refine))
    return;
  *w = m->winners;
  w->left = w->right = NULL;
  stereo_arena_add (arena, (void **) &w->left, w->left_stride
      * (size_t) m->search.height, sizeof (uint32_t));
}

void
stereo_chain_plan_mirrored_views (const StereoChain * m, size_t alignment,
    StereoMirroredView views[2], StereoArena * arena)
{
  const StereoSearch *p = &m->search;

  for (int i = 0; i < 2 && stereo_refine_is_mutual (&m->refine); i++) {
    StereoMirroredView *v = &views[i];

    v->width = p->width;
    v->height = p->height;
    v->channels = p->channels;
    v->target_stride = stereo_round_up (m->converting->view_row_bytes (
            p->width, p->channels), alignment);
    stereo_arena_add (arena, (void **) &v->target[0], v->target_stride
        * (size_t) p->height, (size_t) m->converting->view_planes (
            p->channels));
  }
}

/* Mirrors a view of the pair to a view of the mirrored pair, in the memory of
 * target. */
static StereoStatus
mirror_view (const StereoChain * m, StereoQueue * queue,
    const StereoView * view, const StereoMirroredView * target,
    StereoView * mirrored)
{
  StereoMirroredView v = *target;
  const size_t bytes = v.target_stride * (size_t) v.height;

  v.view = *view;
  mirrored->stride = v.target_stride;
  for (int i = 0; i < 3; i++) {
    v.target[i] = i < m->converting->view_planes (v.channels)
        ? v.target[0] + (size_t) i * bytes : NULL;
    mirrored->plane[i] = v.target[i];
  }
  return m->converting->mirror (queue, &v);
}

StereoStatus
stereo_chain_mirror_views (const StereoChain * m,
    const StereoMatchFrame * frame, const StereoMirroredView views[2],
    StereoMatchFrame * mirrored)
{
  StereoStatus status = mirror_view (m, frame->queue, &frame->right,
      &views[0], &mirrored->left);

  return status != STEREO_OK ? status : mirror_view (m, frame->queue,
      &frame->left, &views[1], &mirrored->right);
}

/* Reverses the words of the frame, if it has any. */
static StereoStatus
mirror_words (const StereoChain * m, StereoQueue * queue)
{
  const StereoSearch *p = &m->search;

  return !stereo_cost_uses_words (p->cost) ? STEREO_OK
      : m->words[m->refine.cost]->mirror (queue, p->width, p->height,
      m->words_memory);
}

StereoStatus
stereo_chain_match_mirrored (const StereoChain * m,
    const StereoMatchFrame * frame)
{
  StereoMatchFrame mirrored = *frame;
  StereoStatus status;

  mirrored.left_words = frame->right_words;
  mirrored.right_words = frame->left_words;
  mirrored.ranges = m->mirrored_ranges;
  mirrored.winners = &m->mirror.winners;
  mirrored.timestamps = NULL;
  if ((status = stereo_chain_mirror_views (m, frame, m->mirror.views,
              &mirrored))
      || (status = mirror_words (m, frame->queue))
      || (status = stereo_chain_prepare (m, &mirrored))
      || (status = m->algorithm->run (&mirrored, m->stages))
      || (status = mirror_words (m, frame->queue)))
    return status;
  return stereo_stage_end (frame->timestamps, "mirrored");
}
