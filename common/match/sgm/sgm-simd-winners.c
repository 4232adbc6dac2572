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
find_winner (const Window * w, int n, const uint16_t * sums)
{
  const VecU16 none = ~w->tail;
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

/* The second minimum of n vectors of sums, for the winner best. */
ALWAYS_INLINE uint16_t
find_second (const Window * w, int n, const uint16_t * sums, int best)
{
  VecU16 second = simd_set16 (STEREO_WINNER_NO_SECOND), distance;

  for (unsigned i = 0; i < LANES; i++)
    distance[i] = (uint16_t) i;
  distance -= simd_set16 ((unsigned) (best - 1));
  for (int i = 0; i < n; i++) {
    VecU16 sum = simd_load16 (sums + i * LANES);

    if (i == n - 1)
      sum |= ~w->tail;
    second = simd_min16 (second, simd_select16 (simd_mask_less16 (distance,
                simd_set16 (3)), second, sum));
    distance += simd_set16 (LANES);
  }
  return least_lane (second)[0];
}

/* Updates the right winners of the partners of the previous pixel, one for each
 * disparity of the window, to those of this pixel.  first is that of the first
 * disparity.  Returns that beyond the last one. */
ALWAYS_INLINE uint32_t
update_right (const Band * b, const uint16_t * sums, uint32_t first,
    uint32_t * right)
{
  const Window *w = &b->window;
  const int n = w->end - w->begin;
  const uint32_t past = right[n - 1];
  VecU32 last = simd_set32 (first);
  VecU32 index = (VecU32) simd_count_i32 ()
      + (uint32_t) (b->task->k->first_index + w->begin);

  for (int i = 0; i < n; i += LANES / 2) {
    VecU32 here = simd_load32 (right + i);

    simd_store32 (right + i, simd_min32 (simd_before32 (last, here),
            simd_widen16 (sums + i) << 16 | index));
    last = here;
    index += LANES / 2;
  }
  return past;
}

/* Left winners of neighbouring pixels: index, the sums before, at and after
 * it, and the second minimum if the uniqueness is wanted. */
typedef struct
{
  uint16_t part[5][GROUP];
} LeftWinners;

ALWAYS_INLINE void
collect_left (const Band * b, int n, int i, const uint16_t * s,
    bool uniqueness, LeftWinners * found)
{
  const Window *w = &b->window;
  const int best = find_winner (w, n, s), end = w->end - w->begin;
  /* at an end of the range, the one neighbour counts twice */
  const int before = best > 0 ? best - 1 : best + 1 < end ? best + 1 : best;
  const int after = best + 1 < end ? best + 1 : before;

  found->part[0][i] = (uint16_t) (b->task->k->first_index + w->begin + best);
  found->part[1][i] = s[before];
  found->part[2][i] = s[best];
  found->part[3][i] = s[after];
  if (uniqueness)
    found->part[4][i] = find_second (w, n, s, best);
}

/* Stores the winners of n pixels from x on. */
static void
store_left (const Task * t, int x, int y, int n, const LeftWinners * found)
{
  const StereoSgmResult *result = t->result;
  const StereoWinners *winners = result->winners;
  uint32_t words[GROUP];

  if (winners == NULL) {
    for (int i = 0; i < n; i++)
      stereo_store_index (&result->map, result->output, x + i, y,
          found->part[0][i]);
    return;
  }
  simd_winner_row (winners, &(SimdWinnerFields) {
      found->part[0], found->part[1], found->part[2], found->part[3],
      found->part[4]}, n, words);
  memcpy (winners->left + (size_t) y * winners->left_stride + x, words,
      (size_t) n * sizeof (words[0]));
}

bool
SGM (wants_right) (const Task * t)
{
  return t->result->winners != NULL && t->result->winners->right != NULL;
}

/*
 * The right winners of a row, mirrored, so that the partners of a left pixel
 * are in the order of their disparities: those of column x begin at width - x.
 * While a window is in use, its own winners are in a copy behind them, which
 * belongs to the last processed column and moves with it.
 */
static size_t
mirrored_elements (const StereoSgmConstants * k)
{
  return stereo_round_up ((size_t) (k->width + k->n + 1), 64);
}

size_t
SGM (right_elements) (const StereoSgmConstants * k)
{
  return mirrored_elements (k) + stereo_round_up ((size_t) k->n, 64);
}

static uint32_t *
right_at (const Band * b, int j)
{
  const StereoSgmConstants *k = b->task->k;

  return b->task->work->right + (size_t) (b->worker * BAND + j)
      * SGM (right_elements) (k);
}

static uint32_t *
window_at (const Band * b, int j)
{
  return right_at (b, j) + mirrored_elements (b->task->k);
}

/* Copies the winners of a range back, after column x. */
static void
leave_range (const Band * b, int j, int x, uint32_t range)
{
  const int begin = stereo_range_begin (range);

  memcpy (right_at (b, j) + b->task->k->width - x + begin, window_at (b, j),
      (size_t) (stereo_range_end (range) - begin) * sizeof (uint32_t));
}

/* Changes the window before column x, if the previous tile had another one. */
static void
change_range (const Band * b, int j, int x)
{
  const Task *t = b->task;
  const Window *w = &b->window;
  const uint32_t range = range_word (t, b->index, x / TILE);
  const uint32_t last = range_word (t, b->index, (x - 1) / TILE);

  if (x == 0 || range == last)
    return;
  leave_range (b, j, x - 1, last);
  memcpy (window_at (b, j), right_at (b, j) + t->k->width - (x - 1) + w->begin,
      (size_t) (w->end - w->begin) * sizeof (uint32_t));
}

/* Updates the right winners by the sums of a range of columns. */
ALWAYS_INLINE void
find_right (const Band * b, Range r, int j)
{
  const Window *w = &b->window;
  uint32_t *mirrored = right_at (b, j), *window = window_at (b, j);

  change_range (b, j, r.x0);
  for (int x = r.x0; x < r.x1; x++) {
    uint32_t *own = mirrored + b->task->k->width - x;

    own[w->end] = update_right (b, sums_at (b, x, j), own[w->begin], window);
  }
}

ALWAYS_INLINE void
find_winners_impl (const Band * b, int n, Range r, int j)
{
  const Task *t = b->task;
  const StereoWinners *winners = t->result->winners;
  const bool uniqueness = winners != NULL && winners->uniqueness;
  const int y = b->y0 + j;
  LeftWinners found = { 0 };

  for (int x = r.x0; x < r.x1; x++)
    collect_left (b, n, x - r.x0, sums_at (b, x, j), uniqueness, &found);
  store_left (t, r.x0, y, r.x1 - r.x0, &found);
  if (SGM (wants_right) (t) && r.x0 < r.x1)
    find_right (b, r, j);
}

void
SGM (find_winners) (const Band * b, Range r, int j)
{
  WITH_VECTORS (b, n, find_winners_impl (b, n, r, j));
}

void
SGM (clear_right) (const Band * b, int j)
{
  memset (right_at (b, j), 0xff, SGM (right_elements) (b->task->k)
      * sizeof (uint32_t));
}

void
SGM (store_right) (const Band * b, int j)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int d0 = k->min_disparity + k->first_index, y = b->y0 + j;
  const int last = k->width - 1;
  const uint32_t *mirrored = right_at (b, j);

  leave_range (b, j, last, range_word (t, b->index, last / TILE));
  for (int x = 0; x <= last; x++) {
    const int at = k->width - d0 - x;

    stereo_winner_store_right (t->result->winners, x, y,
        at >= 1 && at < k->width + k->n ? mirrored[at] : STEREO_NO_WINNER);
  }
}
