/* gst-stereomatching: refinement on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_REFINE_CPU_H
#define STEREO_REFINE_CPU_H

#include "refine/refine.h"

/* Alignment of map rows in elements; as many may be read beyond the last
 * row. */
#define STEREO_REFINE_PADDING 64

/* Context of parallel loops. */
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

/* Words per row of StereoRefineWork.ends. */
static inline size_t
stereo_refine_row_words (const StereoRefineConstants * k)
{
  return ((size_t) k->width + 63) / 64;
}

/* Scalar stages. */
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
StereoStatus stereo_refine_threshold_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoOutput * output);

/* SIMD stages. */
extern const StereoRefineStages stereo_refine_stages_generic;
extern const StereoRefineStages stereo_refine_stages_avx2;
extern const StereoRefineStages stereo_refine_stages_avx512;

#endif /* STEREO_REFINE_CPU_H */
