/* gst-stereomatching: refinement on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_REFINE_CPU_H
#define STEREO_REFINE_CPU_H

#include "cost/difference.h"
#include "refine/refine.h"
#include "refine/confidence-formula.h"
#include "refine/slope-formula.h"

/* Alignment of map rows in elements; as many may be read beyond the last
 * row. */
#define STEREO_REFINE_PADDING 64

/* Context of parallel loops. */
typedef struct
{
  const StereoRefineConstants *k;
  const StereoRefineWork *work;
  const StereoWinners *winners;
  const uint32_t *mirrored;
  const StereoView *left;
  const StereoMap *map;
  const StereoMap *final;
  const StereoOutput *output;
} StereoRefineJob;

static inline uint16_t *
stereo_map_row (const StereoMap * map, int y)
{
  return map->data + (size_t) y * map->stride;
}

/* Slopes along x (axis 0) or y (axis 1) of row y. */
static inline int16_t *
stereo_slope_row (const StereoRefineWork * work, int axis, int y)
{
  return work->slopes[axis] + (size_t) y * work->map.stride;
}

/* What the code at (u, v) changes by if carried along its plane to (x, y). */
static inline int
stereo_refine_carry (const StereoRefineWork * work, int u, int v, int x, int y,
    int limit)
{
  return stereo_slope_carry (stereo_slope_row (work, 0, v)[u],
      stereo_slope_row (work, 1, v)[u], u - x, v - y, limit);
}

/* Weight of the pixel at (u, v) for a centre of this colour. */
static inline uint32_t
stereo_refine_weight (const StereoRefineJob * job, uint32_t center, int u,
    int v)
{
  return job->k->weight[stereo_difference_max (center,
          stereo_view_pixel (job->left, job->k->channels, u, v))];
}

/* The confidence of pixel (x, y) whose rings have these shares. */
static inline uint8_t
stereo_refine_confidence (const StereoRefineJob * job, int x, int y,
    uint32_t near, uint32_t far)
{
  const uint32_t word = job->winners->left[(size_t) y
      * job->winners->left_stride + (size_t) x];

  return stereo_confidence (stereo_confidence_key (stereo_confidence_ratio (
              job->k->unit, stereo_map_row (&job->work->map, y)[x], word),
          near, far));
}

static inline void
stereo_refine_store_confidence (const StereoRefineJob * job, int x, int y,
    uint8_t confidence)
{
  if (job->work->confidence != NULL)
    job->work->confidence[(size_t) y * (size_t) job->k->width + (size_t) x] =
        confidence;
  if (job->output != NULL)
    stereo_store_raw (job->output, x, y,
        stereo_output_confidence (job->output, confidence));
}

/* Computes and stores the confidence of pixel (x, y). */
void stereo_refine_rate_cpu (const StereoRefineJob * job, int x, int y);

/* Words per row of StereoRefineWork.ends. */
static inline size_t
stereo_refine_row_words (const StereoRefineConstants * k)
{
  return ((size_t) k->width + 63) / 64;
}

/* Words of a worker of the vote: two sums of each index, with one before and
 * one behind, in up to STEREO_REFINE_PADDING / 2 lanes, and a row of 16-bit
 * limits with margins of as many. */
static inline size_t
stereo_refine_vote_words (const StereoRefineConstants * k)
{
  return ((size_t) k->num_disparities + 2) * STEREO_REFINE_PADDING
      + ((size_t) k->width + STEREO_REFINE_PADDING * 3) / STEREO_REFINE_PADDING
      * STEREO_REFINE_PADDING / 2;
}

/* Scalar stages. */
void stereo_refine_plan_cpu (const StereoRefineConstants * k,
    StereoRefineWork * work, StereoArena * arena);
StereoStatus stereo_refine_fill_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work);
StereoStatus stereo_refine_slopes_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoMap * map);
StereoStatus stereo_refine_vote_fill_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work);
StereoStatus stereo_refine_slanted_median_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output);
StereoStatus stereo_refine_confidence_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output);
StereoStatus stereo_refine_invalidate_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoOutput * output);

/* SIMD stages. */
extern const StereoRefineStages stereo_refine_stages_generic;
extern const StereoRefineStages stereo_refine_stages_avx2;
extern const StereoRefineStages stereo_refine_stages_avx512;

#endif /* STEREO_REFINE_CPU_H */
