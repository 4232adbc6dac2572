/* gst-stereomatching: memory of ESAW and ESMP on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_EXPSTEP_CPU_H
#define STEREO_EXPSTEP_CPU_H

#include "match/expstep.h"

/* Elements in front of and behind every plane and volume that may be read, and
 * have no meaning. */
#define STEREO_EXPSTEP_MARGIN 64

/* Row y of disparity chunk->first + i.  A volume is rows of the image, each of
 * chunk->count rows of one disparity. */
static inline uint8_t *
stereo_expstep_row (const StereoExpstepWork * work, int volume,
    const StereoExpstepChunk * chunk, int y, int i)
{
  return work->volume[volume] + STEREO_EXPSTEP_MARGIN
      + ((size_t) y * (size_t) chunk->count + (size_t) i) * work->pitch;
}

/* Whether costs compare plane c of StereoExpstepWork.left and right. */
static inline bool
stereo_expstep_compares (const StereoExpstepConstants * k, int c)
{
  return k->cost_channels == 1 ? c == 0 : c > 0;
}

/* Channel c of the left view, for differences of colour. */
static inline const uint8_t *
stereo_expstep_left (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int c)
{
  return work->left[k->channels == 1 ? 0 : 1 + c] + STEREO_EXPSTEP_MARGIN;
}

/* Work memory of a thread of its own: volumes and winners. */
static inline StereoExpstepWork
stereo_expstep_part (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int part)
{
  size_t plane = work->pitch * (size_t) k->height;
  StereoExpstepWork own = *work;

  own.best += (size_t) part * plane;
  for (int i = 0; i < 2; i++)
    own.volume[i] += (size_t) part * (plane * (size_t) work->part_chunk
        + 2 * STEREO_EXPSTEP_MARGIN);
  return own;
}

/* apart: there is a match(). */
int stereo_expstep_plan_cpu (const StereoProblem * problem,
    const StereoExpstepConstants * k, int n_passes, bool apart,
    StereoExpstepWork * work, StereoArena * arena);

/* Copies the views, without weights. */
StereoStatus stereo_expstep_prepare_cpu (StereoQueue * queue,
    const StereoExpstepConstants * k, const StereoView * left,
    const StereoView * right, const StereoExpstepWork * work);

#endif /* STEREO_EXPSTEP_CPU_H */
