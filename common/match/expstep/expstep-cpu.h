/* gst-stereomatching: memory of ESAW and ESMP on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_EXPSTEP_CPU_H
#define STEREO_EXPSTEP_CPU_H

#include "match/expstep/expstep.h"

/* expstep-simd.c, compiled once for each. */
extern const StereoExpstepStages stereo_expstep_stages_generic;
extern const StereoExpstepStages stereo_expstep_stages_avx2;
extern const StereoExpstepStages stereo_expstep_stages_avx512;

/* Undefined elements before and after planes and volumes, for vector loads. */
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

/* Whether costs are differences of plane c of StereoExpstepWork. */
static inline bool
stereo_expstep_uses_difference (const StereoExpstepConstants * k, int c)
{
  return !k->uses_words && (k->cost_channels == 1 ? c == 0 : c > 0);
}

/* Whether weights use plane c of StereoExpstepWork.left. */
static inline bool
stereo_expstep_uses_weights (const StereoExpstepConstants * k, int c)
{
  return k->channels == 1 ? c == 0 : c > 0;
}

/* Channel c of the left view, for colour differences. */
static inline const uint8_t *
stereo_expstep_left (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int c)
{
  return work->left[k->channels == 1 ? 0 : 1 + c] + STEREO_EXPSTEP_MARGIN;
}

/* Planes of 16 bits for the pixels of the left view. */
enum
{
  STEREO_EXPSTEP_SUM,           /* the lowest sum */
  STEREO_EXPSTEP_INDEX,         /* and its index */
  STEREO_EXPSTEP_BEFORE,        /* the sums of the neighbouring disparities */
  STEREO_EXPSTEP_AFTER,
  STEREO_EXPSTEP_LAST,          /* the sum of the previous disparity */
  STEREO_EXPSTEP_SECOND,        /* the second minimum, */
  STEREO_EXPSTEP_OTHERS,        /* and the lowest sum but for the previous
                                 * disparity; unless the frame has uniqueness,
                                 * both are NULL */
  STEREO_EXPSTEP_FIRST,         /* the sum of the first disparity */
  STEREO_EXPSTEP_PLANES
};

/* Winners of a row, in an order that the stages define; NULL if unused. */
typedef struct
{
  uint16_t *plane[STEREO_EXPSTEP_PLANES];
  size_t pitch;                 /* elements to the next row of a plane */
  /* Right view, in two halves right_half elements apart, each with a margin of
   * STEREO_EXPSTEP_MARGIN at both ends. */
  uint16_t *right_sum;
  uint16_t *right_index;
  int right_half;
} StereoExpstepWinners;

static inline bool
stereo_expstep_has_uniqueness (const StereoExpstepWork * work)
{
  return work->winners != NULL && work->winners->uniqueness;
}

static inline int
stereo_expstep_planes (const StereoExpstepConstants * k, int ranges)
{
  return !k->winners ? STEREO_EXPSTEP_INDEX + 1
      : ranges > 1 ? STEREO_EXPSTEP_PLANES : STEREO_EXPSTEP_PLANES - 1;
}

/* Winners of row y in a range. */
static inline StereoExpstepWinners
stereo_expstep_winners (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int range, int y)
{
  int n_planes = stereo_expstep_planes (k, work->ranges);
  size_t height = (size_t) k->height;
  size_t left = work->best_pitch[0], right = work->best_pitch[1];
  uint16_t *memory = (uint16_t *) work->best + (size_t) range * height
      * ((size_t) n_planes * left + 2 * right);
  StereoExpstepWinners w = { .pitch = left,.right_half = (int) (right / 2) };

  for (int i = 0; i < n_planes; i++) {
    w.plane[i] = memory + (size_t) y * left;
    memory += height * left;
  }
  if (!stereo_expstep_has_uniqueness (work))
    w.plane[STEREO_EXPSTEP_SECOND] = w.plane[STEREO_EXPSTEP_OTHERS] = NULL;
  if (k->right_winners) {
    w.right_sum = memory + (size_t) y * right + STEREO_EXPSTEP_MARGIN;
    w.right_index = w.right_sum + height * right;
  }
  return w;
}

/* A part of the work: a range of disparities in a band of rows. */
typedef struct
{
  int range;
  int first;                    /* indices: first <= i < end */
  int end;
  int first_row;
  int end_row;
} StereoExpstepPart;

/* The first index of a range; that of range `ranges` is the end. */
static inline int
stereo_expstep_range_first (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int range)
{
  return k->first_index + (int) ((int64_t) (k->end_index - k->first_index)
      * range / work->ranges);
}

static inline StereoExpstepPart
stereo_expstep_part (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int part)
{
  int range = part % work->ranges, band = part / work->ranges;
  StereoExpstepPart p = {
    range, stereo_expstep_range_first (k, work, range),
    stereo_expstep_range_first (k, work, range + 1),
    (int) ((int64_t) k->height * band / work->bands),
    (int) ((int64_t) k->height * (band + 1) / work->bands)
  };

  return p;
}

/* Rows in the ring of a pass. */
static inline int
stereo_expstep_ring_rows (const StereoExpstepConstants * k, int step)
{
  return step < k->height / 2 ? 2 * step + 1 : k->height;
}

/* Pitch of rings: an odd multiple of 64, so that the rows of a chunk occupy
 * different cache sets. */
static inline size_t
stereo_expstep_ring_pitch (const StereoExpstepConstants * k)
{
  return stereo_round_up ((size_t) k->width, 64) | 64;
}

static inline size_t
stereo_expstep_sums_pitch (const StereoExpstepConstants * k)
{
  return stereo_expstep_ring_pitch (k);
}

/* Disparities of a row whose sums are in memory at a time, with messages. */
#define STEREO_EXPSTEP_SUMS 8
/* Maximum number of columns that a sweep processes together. */
#define STEREO_EXPSTEP_BLOCK 64
/* Rows per part of a sweep, and how many parts threads may be apart, per
 * thread. */
#define STEREO_EXPSTEP_ROWS 2
#define STEREO_EXPSTEP_APART 2

static inline int
stereo_expstep_sweep_parts (const StereoExpstepConstants * k)
{
  return (k->height + STEREO_EXPSTEP_ROWS - 1) / STEREO_EXPSTEP_ROWS;
}

/* Rows that a pass reads above and below a row. */
static inline int
stereo_expstep_max_step (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass)
{
  return pass->step < k->height ? pass->step : k->height;
}

/* apart: the stages have match(). */
int stereo_expstep_plan_cpu (const StereoSearch * search,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, bool apart, StereoExpstepWork * work, StereoArena * arena);

/* Copies the views. */
StereoStatus stereo_expstep_prepare_cpu (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work);

/* For the vector stages, too; no winners if no disparity was searched. */
StereoStatus stereo_expstep_finish_cpu (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work);

#endif /* STEREO_EXPSTEP_CPU_H */
