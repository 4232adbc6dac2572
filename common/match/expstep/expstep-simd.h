/* gst-stereomatching: private to the vector stages of ESAW and ESMP
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.  Even and odd pixels are in separate
 * 16-bit lanes, so that no shuffle is needed.
 */

#ifndef STEREO_EXPSTEP_SIMD_H
#define STEREO_EXPSTEP_SIMD_H

#include "match/expstep/expstep-cpu.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)

/* ------------------------------------------------- expstep-simd-weights.c */

/* Weights of the neighbours before and after the pixels of a row, 0 to 170; 0
 * without a neighbour and from the width to the pitch. */
typedef struct
{
  const uint8_t *before;
  const uint8_t *after;
} ExpstepRowWeights;

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

/* --------------------------------------------------- expstep-simd-costs.c */

/* C, or M, of all disparities of a chunk along a row. */
#define expstep_costs_row SIMD_NAME (stereo_expstep_costs_row_)
void expstep_costs_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk, int y,
    uint8_t * target, size_t pitch);

/* --------------------------------------------------------------- messages */

/* Forward pass of the messages of SIMD_BYTES columns, from the lowest
 * disparity up.  Truncation in the backward pass is sufficient. */
typedef struct
{
  VecU8 jump;
  VecU8 least;                  /* minimum of C */
  VecU8 m;
} ExpstepUpward;

ALWAYS_INLINE ExpstepUpward
expstep_start_messages (const StereoExpstepConstants * k, bool fine)
{
  VecU8 most = simd_set8 (255);

  return (ExpstepUpward) { simd_set8 ((uint8_t) k->jump[fine]), most, most };
}

ALWAYS_INLINE VecU8
expstep_message_upward (ExpstepUpward * up, VecU8 c)
{
  up->least = simd_min8 (up->least, c);
  up->m = simd_min8 (simd_add_saturated8 (up->m, up->jump), c);
  return up->m;
}

/* Backward pass, in place, on the results of expstep_message_upward(). */
ALWAYS_INLINE void
expstep_finish_messages (const StereoExpstepConstants * k, bool fine,
    const ExpstepUpward * up, uint8_t * c, size_t pitch, int count)
{
  VecU8 highest = simd_add_saturated8 (up->least,
      simd_set8 ((uint8_t) k->truncation[fine]));
  VecU8 m = highest;

  for (int i = count - 1; i >= 0; i--) {
    uint8_t *p = c + (size_t) i * pitch;

    m = simd_min8 (simd_min8 (simd_add_saturated8 (m, up->jump), highest),
        simd_load8 (p));
    simd_store8 (p, m);
  }
}

/* ------------------------------------------------------------ aggregation */

/* Weights of SIMD_BYTES pixels. */
typedef struct
{
  VecU16 before[2];             /* even, odd */
  VecU16 after[2];
} ExpstepVectorWeights;

ALWAYS_INLINE ExpstepVectorWeights
expstep_load_weights (ExpstepRowWeights weights, int x)
{
  VecU16 b = simd_load16 (weights.before + x);
  VecU16 a = simd_load16 (weights.after + x);

  return (ExpstepVectorWeights) { {b & 0xff, b >> 8}, {a & 0xff, a >> 8} };
}

/* Sums of even and odd pixels: 256 C plus the weighted differences of the
 * neighbours, modulo 65536. */
ALWAYS_INLINE void
expstep_sums (const ExpstepVectorWeights * w, VecU16 c, VecU16 before,
    VecU16 after, VecU16 * even, VecU16 * odd)
{
  VecU16 ce = c & 0xff, co = c >> 8;

  *even = (c << 8) + w->before[0] * ((before & 0xff) - ce)
      + w->after[0] * ((after & 0xff) - ce);
  *odd = (c & 0xff00) + w->before[1] * ((before >> 8) - co)
      + w->after[1] * ((after >> 8) - co);
}

/* Row of all disparities: disparity i of column x, a multiple of SIMD_BYTES,
 * is element x column + i pitch. */
typedef struct
{
  size_t column;
  size_t pitch;
} ExpstepLayout;

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
    size_t at, VecU16 * even, VecU16 * odd)
{
  expstep_sums (w, simd_load16 (t->own + at), simd_load16 (t->before + at),
      simd_load16 (t->after + at), even, odd);
}

/* Result of an aggregation. */
typedef enum
{
  KIND_COSTS,
  KIND_MESSAGES,
  KIND_FINE_MESSAGES,           /* after the first finer pass */
  KIND_REFINED                  /* messages of costs in finer steps */
} ExpstepKind;

/* Aggregates SIMD_BYTES pixels of all disparities. */
ALWAYS_INLINE void
expstep_aggregate (const StereoExpstepConstants * k, const ExpstepTaps * t,
    const ExpstepVectorWeights * w, uint8_t * target, size_t target_pitch,
    ExpstepKind kind)
{
  bool fine = kind != KIND_MESSAGES;
  ExpstepUpward up = expstep_start_messages (k, fine);
  VecU16 least_even = simd_set16 (0xffff), least_odd = least_even;

  for (int i = 0; i < t->count && kind == KIND_REFINED; i++) {
    VecU16 even, odd;

    expstep_tap_sums (t, w, (size_t) i * t->layout.pitch, &even, &odd);
    least_even = simd_min16 (least_even, even);
    least_odd = simd_min16 (least_odd, odd);
  }
  for (int i = 0; i < t->count; i++) {
    VecU16 even, odd, result;

    expstep_tap_sums (t, w, (size_t) i * t->layout.pitch, &even, &odd);
    if (kind == KIND_REFINED)
      result = simd_min16 ((even - least_even + 64) >> 7, simd_set16 (255))
          | simd_min16 ((odd - least_odd + 64) >> 7, simd_set16 (255)) << 8;
    else
      result = (even + 128) >> 8 | ((odd + 128) & 0xff00);
    if (kind != KIND_COSTS)
      result = (VecU16) expstep_message_upward (&up, (VecU8) result);
    simd_store16 (target + (size_t) i * target_pitch, result);
  }
  if (kind != KIND_COSTS)
    expstep_finish_messages (k, fine, &up, target, target_pitch, t->count);
}

/* Aggregates a row; kind should be a constant.  step: the distance of
 * neighbours along the row, 0 for columns. */
ALWAYS_INLINE void
expstep_aggregate_row (const StereoExpstepConstants * k,
    const ExpstepTaps * row,
    int step, uint8_t * target, ExpstepLayout to, ExpstepKind kind)
{
  const ExpstepTaps taps = *row;        /* in registers */

  for (int x = 0; x < k->width; x += SIMD_BYTES) {
    ExpstepVectorWeights w = expstep_load_weights (taps.weights, x);
    size_t at = (size_t) x * taps.layout.column;
    ExpstepTaps t = taps;

    /* A vector without neighbours reads other pixels; their weights are 0. */
    t.before = (x + SIMD_BYTES > step ? taps.before : taps.own) + at;
    t.after = (x + step < k->width ? taps.after : taps.own) + at;
    t.own = taps.own + at;
    expstep_aggregate (k, &t, &w, target + (size_t) x * to.column, to.pitch,
        kind);
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
