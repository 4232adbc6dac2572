/* gst-stereomatching: belief propagation on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BP_CPU_H
#define STEREO_BP_CPU_H

#include "cost/difference.h"
#include "match/bp/bp.h"

/* Readable elements before and after a prepared view, which has rows of 16
 * bits. */
#define STEREO_BP_VIEW_MARGIN 128

/* Directions of messages. */
enum
{
  BP_UP,
  BP_DOWN,
  BP_LEFT,
  BP_RIGHT
};

/* Windows of level 0 in vector code, see bp-simd.c. */
typedef struct
{
  size_t pitch;                 /* pixels of a half of its rows */
  int slots;                    /* rows in memory */
  size_t messages;              /* elements per thread */
  size_t data;
} StereoBpWindow;

/* Buffers that an implementation does not use are NULL. */
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
  void *winners;                /* scratch memory of winners_row() */
};

STEREO_CHECK_WORK (StereoBpWork);

/* Elements from row to row. */
static inline size_t
stereo_bp_view_pitch (const StereoBpConstants * k)
{
  return stereo_round_up ((size_t) k->width, 32);
}

/* Row 0 of the left (0) or right (1) view. */
static inline uint16_t *
stereo_bp_view (const StereoBpWork * work, int side)
{
  return (uint16_t *) (side == 0 ? work->left : work->right)
      + STEREO_BP_VIEW_MARGIN;
}

/* Declares the views, the guides and the memory of smoothing. */
void stereo_bp_plan_views_cpu (const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena);

/* Computes luma, if it is compared, and the guides: words of R, G and B or
 * luma, in rows of the level's width. */
StereoStatus stereo_bp_prepare_cpu (const StereoBpArgs * a);

/* A pixel of the left view of a level. */
static inline uint32_t
stereo_bp_guide (const StereoBpArgs * a, int level, int x, int y)
{
  if (level == 0)
    return stereo_view_pixel (&a->frame->left, a->k->channels, x, y);
  return ((const uint32_t *) a->work->guides[level])[(size_t) y
      * (size_t) a->k->level[level].width + (size_t) x];
}

/* bp-simd.c, for each instruction set. */
extern const StereoBpStages stereo_bp_stages_generic;
extern const StereoBpStages stereo_bp_stages_avx2;
extern const StereoBpStages stereo_bp_stages_avx512;

#endif /* STEREO_BP_CPU_H */
