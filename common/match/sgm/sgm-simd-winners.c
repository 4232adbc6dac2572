/* gst-stereomatching: vector winner-take-all of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-simd.h"

#include "refine/output.h"
#include "refine/winner-simd.h"

#include <string.h>

/* Pixels whose winners are converted together. */
#define GROUP TILE

/* Index of the first of the lowest sums.  Branchless, as its position cannot be
 * predicted. */
ALWAYS_INLINE int
find_winner (const Task * t, int n, const uint16_t * sums)
{
  const VecU16 none = ~t->tail;
  VecU16 least = simd_load16 (sums + (n - 1) * LANES) | none;
  int index = 0;

  for (int i = 0; i < n - 1; i++)
    least = simd_min16 (least, simd_load16 (sums + i * LANES));
  least = least_lane (least);
#if defined (__AVX2__)
  /* a word has the bits of two vectors */
  for (int i = (n - 1) / 2 * 2; i >= 0; i -= 2) {
    uint64_t bits = 0;

    for (int j = i; j < i + 2 && j < n; j++) {
      VecU16 sum = simd_load16 (sums + j * LANES);

      if (j == n - 1)
        sum |= none;
#if defined (__AVX512BW__)
      bits |= (uint64_t) simd_mask_equal16 (sum, least) << (32 * (j - i));
#else
      bits |= (uint64_t) (uint32_t) _mm256_movemask_epi8 ((__m256i) (VecU16)
          (sum == least)) << (32 * (j - i));
#endif
    }
    if (bits != 0)
      index = i * LANES + __builtin_ctzll (bits) * 2 * LANES / 64;
  }
#else
  for (int i = n - 1; i >= 0; i--) {
    VecU16 sum = simd_load16 (sums + i * LANES);
    uint32_t bits;

    if (i == n - 1)
      sum |= none;
    bits = simd_mask_bits16 (simd_mask_equal16 (sum, least));
    if (bits != 0)
      index = i * LANES + __builtin_ctz (bits);
  }
#endif
  return index;
}

/* Updates the right winners of the partners of the previous pixel, one per
 * disparity, to those of this pixel.  Returns the winner that no further pixel
 * can change. */
ALWAYS_INLINE uint32_t
update_right (const Task * t, const uint16_t * sums, uint32_t * right)
{
  const uint32_t done = right[t->k->n - 1];
  VecU32 last = simd_set32 (STEREO_NO_WINNER), index = { 0 };

  for (int i = 0; i < LANES / 2; i++)
    index[i] = (uint32_t) (t->k->first_index + i);
  for (int i = 0; i < t->k->n; i += LANES / 2) {
    VecU32 here = simd_load32 (right + i);

    simd_store32 (right + i, simd_min32 (simd_before32 (last, here),
            simd_widen16 (sums + i) << 16 | index));
    last = here;
    index += LANES / 2;
  }
  return done;
}

/* Left winners of neighbouring pixels: index, and the sums before, at and after
 * it. */
typedef struct
{
  uint16_t part[4][GROUP];
} LeftWinners;

ALWAYS_INLINE void
collect_left (const Task * t, int n, int i, const uint16_t * s,
    LeftWinners * found)
{
  const int best = find_winner (t, n, s);

  found->part[0][i] = (uint16_t) (t->k->first_index + best);
  found->part[1][i] = s[best > 0 ? best - 1 : best];
  found->part[2][i] = s[best];
  found->part[3][i] = s[best + 1 < t->k->n ? best + 1 : best];
}

/* Stores the winners of n pixels from x on. */
static void
store_left (const Task * t, int x, int y, int n, const LeftWinners * found)
{
  const StereoSgmResult *result = t->result;
  uint32_t words[GROUP];

  if (result->winners == NULL) {
    for (int i = 0; i < n; i++)
      stereo_store_index (&result->map, result->output, x + i, y,
          found->part[0][i]);
    return;
  }
  for (int i = 0; i < GROUP; i += SIMD_LANES32)
    simd_store_i32 (words + i, simd_winner_words (result->winners,
            (VecI32) simd_widen16 (found->part[0] + i),
            (VecI32) simd_widen16 (found->part[1] + i),
            (VecI32) simd_widen16 (found->part[2] + i),
            (VecI32) simd_widen16 (found->part[3] + i)));
  memcpy (result->winners->left + (size_t) y * result->winners->left_stride
      + x, words, (size_t) n * sizeof (words[0]));
}

static void
store_right (const Task * t, int x, int y, uint32_t word)
{
  if (x >= 0 && x < t->k->width)
    stereo_winner_store_right (t->result->winners, x, y, word);
}

bool
SGM (wants_right) (const Task * t)
{
  return t->result->winners != NULL && t->result->winners->right != NULL;
}

static uint32_t *
right_at (const Band * b, int j)
{
  return b->task->work->right + pixels (b->task, b->worker * BAND + j);
}

ALWAYS_INLINE void
find_winners_impl (const Band * b, int n, Range r, int j)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int past = k->min_disparity + k->first_index + k->n;
  const int y = b->y0 + j;
  LeftWinners found = { 0 };

  for (int x = r.x0; x < r.x1; x++)
    collect_left (t, n, x - r.x0, sums_at (b, x, j), &found);
  store_left (t, r.x0, y, r.x1 - r.x0, &found);
  if (!SGM (wants_right) (t))
    return;
  for (int x = r.x0; x < r.x1; x++)
    store_right (t, x - past, y, update_right (t, sums_at (b, x, j),
            right_at (b, j)));
}

void
SGM (find_winners) (const Band * b, Range r, int j)
{
  WITH_VECTORS (b->task, n, find_winners_impl (b, n, r, j));
}

void
SGM (clear_right) (const Band * b, int j)
{
  memset (right_at (b, j), 0xff, pixels (b->task, 1) * sizeof (uint32_t));
}

void
SGM (store_remaining_right) (const Band * b, int j)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int d0 = k->min_disparity + k->first_index, y = b->y0 + j;

  for (int i = 0; i < k->n; i++)
    store_right (t, k->width - 1 - d0 - i, y, right_at (b, j)[i]);
  for (int x = 0; x < -d0 - k->n; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
  for (int x = k->width - d0; x < k->width; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
}
