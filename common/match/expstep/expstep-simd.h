/* gst-stereomatching: private to the vector stages of ESAW and ESMP
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set. */

#ifndef STEREO_EXPSTEP_SIMD_H
#define STEREO_EXPSTEP_SIMD_H

#include "match/expstep/expstep-cpu.h"
#include "match/expstep/expstep-simd-sums.h"

/* Columns processed together: a vector, or the vectors of a cache line. */
#define EXPSTEP_VECTORS \
  (SIMD_HAS_PAIRS ? STEREO_EXPSTEP_BLOCK / SIMD_BYTES : 1)
#define EXPSTEP_BLOCK (EXPSTEP_VECTORS * SIMD_BYTES)

/* ------------------------------------------------- expstep-simd-weights.c */

/* Memory of a thread for weights that are not stored. */
typedef struct
{
  uint8_t raw[2][STEREO_MAX_SIZE + SIMD_ALIGNMENT];
  uint8_t made[2][STEREO_MAX_SIZE + SIMD_ALIGNMENT];
} __attribute__ ((aligned (SIMD_ALIGNMENT))) ExpstepWeightMemory;

#define expstep_prepare_weights SIMD_NAME (stereo_expstep_prepare_weights_)
StereoStatus expstep_prepare_weights (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, const StereoExpstepWork * work);

#define expstep_make_weights SIMD_NAME (stereo_expstep_make_weights_)
ExpstepRowWeights expstep_make_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, bool columns,
    const StereoExpstepWork * work, int y, ExpstepWeightMemory * memory);

/* Stored weights of a row; side 0 = before, 1 = after. */
static inline uint8_t *
expstep_weights_at (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int index, bool columns, int side, int y)
{
  return work->weights + ((size_t) (4 * index + 2 * columns + side)
      * (size_t) k->height + (size_t) y) * work->pitch;
}

/* ------------------------------------------------------------------- rows */

/* Row of all disparities: disparity i of column x, a multiple of EXPSTEP_BLOCK,
 * is element x column + i pitch. */
typedef struct
{
  size_t column;
  size_t pitch;
} ExpstepLayout;

/* A row of results. */
typedef struct
{
  uint8_t *row;
  ExpstepLayout layout;
  uint8_t *upward;              /* with messages: EXPSTEP_BLOCK bytes for each
                                 * disparity, memory of the thread */
  bool stream;                  /* write past the caches */
} ExpstepTarget;

/* --------------------------------------------------- expstep-simd-costs.c */

/* C, or M, of all disparities of a chunk along a row, whose columns are
 * adjacent. */
#define expstep_costs_row SIMD_NAME (stereo_expstep_costs_row_)
void expstep_costs_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk, int y,
    const ExpstepTarget * target);

/* --------------------------------------------------------------- messages */

/* Forward pass of the messages of EXPSTEP_BLOCK columns, from the lowest
 * disparity up.  Truncation in the backward pass is sufficient. */
typedef struct
{
  VecU8 jump;
  VecU8 least[EXPSTEP_VECTORS]; /* minimum of C */
  VecU8 m[EXPSTEP_VECTORS];
} ExpstepUpward;

ALWAYS_INLINE ExpstepUpward
expstep_start_messages (const StereoExpstepConstants * k, bool fine)
{
  ExpstepUpward up;

  up.jump = simd_set8 ((uint8_t) k->jump[fine]);
  for (int v = 0; v < EXPSTEP_VECTORS; v++)
    up.least[v] = up.m[v] = simd_set8 (255);
  return up;
}

ALWAYS_INLINE VecU8
expstep_message_upward (ExpstepUpward * up, int v, VecU8 c)
{
  up->least[v] = simd_min8 (up->least[v], c);
  up->m[v] = simd_min8 (simd_add_saturated8 (up->m[v], up->jump), c);
  return up->m[v];
}

/* Backward pass on the results of expstep_message_upward() in target->upward,
 * for the columns from x on. */
ALWAYS_INLINE void
expstep_finish_messages (const StereoExpstepConstants * k, bool fine,
    const ExpstepUpward * up, const ExpstepTarget * target, int x, int count)
{
  const bool stream = target->stream;
  uint8_t *p = target->row + (size_t) x * target->layout.column
      + (size_t) count * target->layout.pitch;
  VecU8 highest[EXPSTEP_VECTORS], m[EXPSTEP_VECTORS];

  for (int v = 0; v < EXPSTEP_VECTORS; v++)
    m[v] = highest[v] = simd_add_saturated8 (up->least[v],
        simd_set8 ((uint8_t) k->truncation[fine]));
  for (int i = count - 1; i >= 0; i--) {
    p -= target->layout.pitch;
    for (int v = 0; v < EXPSTEP_VECTORS; v++) {
      m[v] = simd_min8 (simd_min8 (simd_add_saturated8 (m[v], up->jump),
              highest[v]), simd_load8 (target->upward + i * EXPSTEP_BLOCK
              + v * SIMD_BYTES));
      if (stream)
        simd_stream8 (p + v * SIMD_BYTES, m[v] ^ EXPSTEP_BIAS);
      else
        simd_store8 (p + v * SIMD_BYTES, m[v] ^ EXPSTEP_BIAS);
    }
  }
}

/* ------------------------------------------------------------ aggregation */

/* A row with its neighbours at a distance of one step, and their weights. */
typedef struct
{
  ExpstepRowWeights weights;
  const uint8_t *own;
  const uint8_t *before;
  const uint8_t *after;
  ExpstepLayout layout;
  int count;                    /* of disparities */
} ExpstepTaps;

/* Sums of SIMD_BYTES pixels at an offset. */
ALWAYS_INLINE void
expstep_tap_sums (const ExpstepTaps * t, const ExpstepVectorWeights * w,
    size_t at, VecU16 sums[2])
{
  expstep_sums (w, simd_load8 (t->own + at), simd_load8 (t->before + at),
      simd_load8 (t->after + at), sums);
}

/* Bytes by which costs of a volume are prefetched: those of other rows are in
 * other pages, and hardware stops at the end of a page. */
#define EXPSTEP_PREFETCH 2048

ALWAYS_INLINE void
expstep_prefetch_taps (const ExpstepTaps * t, size_t at)
{
  __builtin_prefetch (t->own + at);
  __builtin_prefetch (t->before + at);
  __builtin_prefetch (t->after + at);
}

/* Result of an aggregation. */
typedef enum
{
  KIND_COSTS,
  KIND_MESSAGES,
  KIND_FINE_MESSAGES,           /* after the first finer pass */
  KIND_REFINED                  /* messages of costs in finer steps */
} ExpstepKind;

/* Aggregates all disparities of EXPSTEP_BLOCK pixels from x on; w:
 * EXPSTEP_VECTORS. */
ALWAYS_INLINE void
expstep_aggregate (const StereoExpstepConstants * k, const ExpstepTaps * t,
    const ExpstepVectorWeights * w, const ExpstepTarget * target, int x,
    ExpstepKind kind)
{
  const bool fine = kind != KIND_MESSAGES, messages = kind != KIND_COSTS;
  const bool prefetch = messages && t->layout.column > 1;
  const size_t pitch = messages ? EXPSTEP_BLOCK : target->layout.pitch;
  uint8_t *results = messages ? target->upward
      : target->row + (size_t) x * target->layout.column;
  ExpstepUpward up = expstep_start_messages (k, fine);
  VecU16 sums[2], least[EXPSTEP_VECTORS][2];

  for (int v = 0; v < EXPSTEP_VECTORS; v++)
    least[v][0] = least[v][1] = simd_set16 (EXPSTEP_LARGEST_SUM);
  for (int i = 0; i < t->count && kind == KIND_REFINED; i++) {
    for (int v = 0; v < EXPSTEP_VECTORS; v++) {
      expstep_tap_sums (t, &w[v], (size_t) i * t->layout.pitch
          + v * SIMD_BYTES, sums);
      least[v][0] = expstep_min_sum (least[v][0], sums[0]);
      least[v][1] = expstep_min_sum (least[v][1], sums[1]);
    }
  }
  for (int i = 0; i < t->count; i++) {
    const size_t at = (size_t) i * t->layout.pitch;

    if (prefetch)
      expstep_prefetch_taps (t, at + EXPSTEP_PREFETCH);
    for (int v = 0; v < EXPSTEP_VECTORS; v++) {
      VecU8 result;

      expstep_tap_sums (t, &w[v], at + v * SIMD_BYTES, sums);
      if (kind == KIND_COSTS)
        result = expstep_mean (sums);
      else
        result = expstep_message_upward (&up, v, kind == KIND_REFINED
            ? expstep_excess (sums, least[v])
            : expstep_mean (sums) ^ EXPSTEP_BIAS);
      simd_store8 (results + (size_t) i * pitch + v * SIMD_BYTES, result);
    }
  }
  if (messages)
    expstep_finish_messages (k, fine, &up, target, x, t->count);
}

/* Aggregates a row; kind should be a constant.  step: the distance of
 * neighbours along the row, 0 for columns. */
ALWAYS_INLINE void
expstep_aggregate_row (const StereoExpstepConstants * k,
    const ExpstepTaps * row, int step, const ExpstepTarget * to,
    ExpstepKind kind)
{
  const ExpstepTaps taps = *row;        /* in registers */
  const ExpstepTarget target = *to;

  for (int x = 0; x < k->width; x += EXPSTEP_BLOCK) {
    ExpstepVectorWeights w[EXPSTEP_VECTORS];
    size_t at = (size_t) x * taps.layout.column;
    ExpstepTaps t = taps;

    for (int v = 0; v < EXPSTEP_VECTORS; v++)
      w[v] = expstep_load_weights (taps.weights, x + v * SIMD_BYTES);
    expstep_prefetch_weights (taps.weights, x);
    /* A block without neighbours reads other pixels; their weights are 0. */
    t.before = (x + EXPSTEP_BLOCK > step ? taps.before : taps.own) + at;
    t.after = (x + step < k->width ? taps.after : taps.own) + at;
    t.own = taps.own + at;
    expstep_aggregate (k, &t, w, &target, x, kind);
  }
}

/* ------------------------------------------------- expstep-simd-winners.c */

/* Last pass along columns: updates the winners of both views in a row.  fresh:
 * there are none yet; sums: memory of a thread */
#define expstep_update_winners SIMD_NAME (stereo_expstep_update_winners_)
void expstep_update_winners (const StereoExpstepConstants * k,
    const ExpstepTaps * taps, const StereoExpstepChunk * chunk, bool fresh,
    const StereoExpstepWinners * winners, uint16_t * sums);

/* Merges the winners of all ranges and stores them. */
#define expstep_finish_row SIMD_NAME (stereo_expstep_finish_row_)
void expstep_finish_row (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work, int y);

/* -------------------------------------- expstep-simd-cascade.c, -sweeps.c */

/* All passes over a part of the work, without messages. */
#define expstep_run_cascade SIMD_NAME (stereo_expstep_run_cascade_)
void expstep_run_cascade (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work, int part, int worker);

/* All passes, with messages. */
#define expstep_run_sweeps SIMD_NAME (stereo_expstep_run_sweeps_)
void expstep_run_sweeps (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work);

#endif /* STEREO_EXPSTEP_SIMD_H */
