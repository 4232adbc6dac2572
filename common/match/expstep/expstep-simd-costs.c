/* gst-stereomatching: costs of exponential step sizes, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep/expstep-simd.h"

#include "cost/cost-simd.h"
#include "cost/partner.h"

ALWAYS_INLINE VecU16
cost_lanes (const StereoExpstepConstants * k, VecU16 difference)
{
  VecU16 limit = simd_set16 ((unsigned) k->limit);
  VecU16 cost = simd_min16 (difference, limit) * (uint16_t) k->gain + 128;

  if (k->excess != 0)
    cost += (VecU16) (difference > limit) & (uint16_t) k->excess;
  return cost;
}

/* XOR of the costs of cost_row() and C: messages begin with C. */
static uint8_t
cost_bias (const StereoExpstepConstants * k)
{
  return k->messages ? 0 : EXPSTEP_BIAS;
}

/* C of luma or RGB, columns first to last. */
static void
difference_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int y, int d, int first, int last,
    uint8_t * target)
{
  int c0 = k->cost_channels == 1 ? 0 : 1;
  size_t row = (size_t) y * work->pitch + STEREO_EXPSTEP_MARGIN;
  VecU16 bias = (VecU16) simd_set8 (cost_bias (k));

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    VecU16 even, odd;

    simd_difference_sums ((const uint8_t * const *) &work->left[c0],
        (ptrdiff_t) row + x, (const uint8_t * const *) &work->right[c0],
        (ptrdiff_t) row + x - d, k->cost_channels, &even, &odd);
    simd_store16 (target + x, (cost_lanes (k, even) >> 8
            | (cost_lanes (k, odd) & 0xff00)) ^ bias);
  }
}

static void
words_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y, int d, int first, int last, uint8_t * target)
{
  VecU8 limit = simd_set8 ((uint8_t) k->limit);
  VecU8 bias = simd_set8 (cost_bias (k));
  /* locals, because the store of costs might change what pointers lead to */
  const StereoWords left = work->words[0], right = work->words[1];

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    SimdWords l = simd_words_load (&left, x, y);
    SimdWords r = simd_words_load (&right, x - d, y);

    simd_store8 (target + x, simd_min8 (simd_words_cost (&l, &r), limit)
        ^ bias);
  }
}

static void
cost_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y, int d, uint8_t * target)
{
  int first = stereo_partner_first (d);
  int last = stereo_partner_last (k->width, d);

  if (k->uses_words)
    words_row (k, work, y, d, first, last, target);
  else
    difference_row (k, work, y, d, first, last, target);
  memset (target, target[first], (size_t) first);
  memset (target + last, target[last], (size_t) (k->width - last));
}

/* Replaces the costs of EXPSTEP_BLOCK columns from x on by messages. */
static void
cost_messages (const StereoExpstepConstants * k, const ExpstepTarget * target,
    int x, int count)
{
  ExpstepUpward up = expstep_start_messages (k, false);

  for (int i = 0; i < count; i++) {
    for (int v = 0; v < EXPSTEP_VECTORS; v++) {
      const VecU8 c = simd_load8 (target->row + x + v * SIMD_BYTES
          + (size_t) i * target->layout.pitch);

      simd_store8 (target->upward + i * EXPSTEP_BLOCK + v * SIMD_BYTES,
          expstep_message_upward (&up, v, c));
    }
  }
  expstep_finish_messages (k, false, &up, target, x, count);
}

void
expstep_costs_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk, int y,
    const ExpstepTarget * target)
{
  for (int i = 0; i < chunk->count; i++)
    cost_row (k, work, y, k->min_disparity + chunk->first + i,
        target->row + (size_t) i * target->layout.pitch);
  for (int x = 0; x < k->width && k->messages; x += EXPSTEP_BLOCK)
    cost_messages (k, target, x, chunk->count);
}
