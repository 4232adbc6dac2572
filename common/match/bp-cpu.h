/* gst-stereomatching: belief propagation on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BP_CPU_H
#define STEREO_BP_CPU_H

#include "cost/difference.h"
#include "match/bp.h"

/* Prepared views are rows of 16 bits.  Elements in front of and behind a view
 * that may be read, and have no meaning. */
#define STEREO_BP_VIEW_MARGIN 128

/* How the vectors' level 0 is cut; all 0 if it is not.  See bp-simd.c. */
typedef struct
{
  size_t pitch;                 /* pixels of a half of its rows */
  int slots;                    /* rows that there is room for */
  size_t messages;              /* elements that each thread has of either */
  size_t data;
} StereoBpWindow;

/* What one of the two has no use for is NULL. */
struct StereoBpWork
{
  void *left;                   /* prepared views */
  void *right;
  void *smoothed;               /* a view, along rows only */
  void *guides[STEREO_BP_MAX_LEVELS];   /* the left view of levels above 0 */
  void *edges[STEREO_BP_MAX_LEVELS];    /* jump and M of messages */
  void *data[STEREO_BP_MAX_LEVELS];
  void *messages[STEREO_BP_MAX_LEVELS];
  StereoBpWindow window;
  void *halves;                 /* vectors: even and odd columns of views */
  void *best;                   /* vectors: the best disparity of each pixel */
  void *rows;                   /* vectors: rows of each thread */
  void *sums;                   /* four h of each thread */
  void *winners;                /* between beliefs and winners */
};

STEREO_CHECK_WORK (StereoBpWork);

/* Elements from row to row. */
static inline size_t
stereo_bp_view_pitch (const StereoBpConstants * k)
{
  return ((size_t) k->width + 31) / 32 * 32;
}

/* Row 0 of the left (0) or right (1) view. */
static inline uint16_t *
stereo_bp_view (const StereoBpWork * work, int side)
{
  return (uint16_t *) (side == 0 ? work->left : work->right)
      + STEREO_BP_VIEW_MARGIN;
}

/* Declares the views, guides and what smoothing needs. */
void stereo_bp_plan_views_cpu (const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena);

/* Luma, if that is compared; and the guides: R, G and B or luma in words, rows
 * of the level's width. */
StereoStatus stereo_bp_prepare_cpu (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work);

/* A pixel of the left view of a level. */
static inline uint32_t
stereo_bp_guide (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int level, int x, int y)
{
  if (level == 0)
    return stereo_view_pixel (&frame->left, k->channels, x, y);
  return ((const uint32_t *) work->guides[level])[(size_t) y
      * (size_t) k->level[level].width + (size_t) x];
}

#endif /* STEREO_BP_CPU_H */
