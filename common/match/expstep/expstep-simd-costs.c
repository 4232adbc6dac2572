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

/* C of luma or RGB, columns first to last. */
static void
difference_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int y, int d, int first, int last,
    uint8_t * target)
{
  int c0 = k->cost_channels == 1 ? 0 : 1;
  size_t row = (size_t) y * work->pitch + STEREO_EXPSTEP_MARGIN;

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    VecU16 even, odd;

    simd_difference_sums ((const uint8_t * const *) &work->left[c0],
        (ptrdiff_t) row + x, (const uint8_t * const *) &work->right[c0],
        (ptrdiff_t) row + x - d, k->cost_channels, &even, &odd);
    simd_store16 (target + x, cost_lanes (k, even) >> 8
        | (cost_lanes (k, odd) & 0xff00));
  }
}

static void
words_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y, int d, int first, int last, uint8_t * target)
{
  VecU8 limit = (VecU8) { 0 } + (uint8_t) k->limit;

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    SimdWords l = simd_words_load (&work->words[0], x, y);
    SimdWords r = simd_words_load (&work->words[1], x - d, y);

    simd_store16 (target + x, (VecU16) simd_min8 (simd_words_cost (&l, &r),
            limit));
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

void
expstep_costs_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk, int y, uint8_t * target, size_t pitch)
{
  for (int i = 0; i < chunk->count; i++)
    cost_row (k, work, y, k->min_disparity + chunk->first + i,
        target + (size_t) i * pitch);
  for (int x = 0; x < k->width && k->messages; x += SIMD_BYTES) {
    ExpstepUpward up = expstep_start_messages (k, false);

    for (int i = 0; i < chunk->count; i++) {
      uint8_t *p = target + x + (size_t) i * pitch;

      simd_store8 (p, expstep_message_upward (&up, simd_load8 (p)));
    }
    expstep_finish_messages (k, false, &up, target + x, pitch, chunk->count);
  }
}
