/* gst-stereomatching: refinement on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_REFINE_CPU_H
#define STEREO_REFINE_CPU_H

#include "refine/refine.h"

/* Rows of a map begin at multiples of this many elements, and so many may be
 * read behind the last one. */
#define STEREO_REFINE_PADDING 64

/* What the threads of a loop work on. */
typedef struct
{
  const StereoRefineConstants *k;
  const StereoRefineWork *work;
  const StereoWinners *winners;
  const StereoView *left;
  const StereoMap *map;
  const StereoOutput *output;
} StereoRefineJob;

static inline uint16_t *
stereo_map_row (const StereoMap * map, int y)
{
  return map->data + (size_t) y * map->stride;
}

/* The words of a row in StereoRefineWork.ends. */
static inline size_t
stereo_refine_row_words (const StereoRefineConstants * k)
{
  return ((size_t) k->width + 63) / 64;
}

/* Stages of the plain reference. */
void stereo_refine_plan_cpu (const StereoRefineConstants * k,
    StereoRefineWork * work, StereoArena * arena);
StereoStatus stereo_refine_confidence_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoWinners * winners,
    const StereoRefineWork * work, const StereoOutput * output);
StereoStatus stereo_refine_fill_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work);
StereoStatus stereo_refine_weigh_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work);

/* Vectors. */
extern const StereoRefineStages stereo_refine_stages_generic;
extern const StereoRefineStages stereo_refine_stages_avx2;
extern const StereoRefineStages stereo_refine_stages_avx512;

#endif /* STEREO_REFINE_CPU_H */
