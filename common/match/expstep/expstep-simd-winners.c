/* gst-stereomatching: winners of exponential step sizes, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * With SIMD_HAS_PAIRS, rows of StereoExpstepWinners are in the order of pixels.
 * Otherwise they are in that of vectors: for each SIMD_BYTES pixels first the
 * even ones, then the odd ones.  Those of the right view have all even pixels,
 * then all odd ones, so that any disparity is a shift by whole elements.
 */

#include "match/expstep/expstep-simd.h"

#include "refine/output.h"
#include "refine/winner-formula.h"

/* Places of column x in rows of the left and of the right view. */
ALWAYS_INLINE int
left_place (int x)
{
  int in_vector = x % SIMD_BYTES;

  return SIMD_HAS_PAIRS ? x
      : x - in_vector + in_vector % 2 * LANES + in_vector / 2;
}

ALWAYS_INLINE int
right_place (const StereoExpstepWinners * w, int x)
{
  return SIMD_HAS_PAIRS ? x : (x & 1) * w->right_half + (x >> 1);
}

/* Distance of the first pixels of the two vectors of sums. */
#define SECOND (SIMD_HAS_PAIRS ? LANES : 1)

/* Current winners of LANES pixels of the left view. */
typedef struct
{
  VecU16 sum, index;
  VecU16 before, after;         /* sums of the neighbouring disparities */
  VecU16 last;                  /* sum of the previous disparity */
  VecU16 second, others;        /* planes of these names */
  VecU16 pending;               /* `after` is the sum of the next disparity */
} LaneWinners;

ALWAYS_INLINE VecU16
select16 (VecU16 mask, VecU16 a, VecU16 b)
{
  return (a & mask) | (b & ~mask);
}

/* Mask of the lanes from n on. */
ALWAYS_INLINE VecU16
beyond_lanes (int n)
{
  VecU16 number;

  for (unsigned i = 0; i < LANES; i++)
    number[i] = (uint16_t) i;
  return (VecU16) (number >= simd_set16 (n > 0 ? (unsigned) n : 0));
}

/* before: the last index processed */
ALWAYS_INLINE LaneWinners
load_winners (const StereoExpstepWinners * w, size_t at, bool fresh,
    bool neighbors, unsigned before)
{
  LaneWinners l = { .sum = simd_set16 (0xffff) };

  l.last = l.second = l.others = l.sum;

  if (fresh)
    return l;
  l.sum = simd_load16 (w->plane[STEREO_EXPSTEP_SUM] + at);
  l.index = simd_load16 (w->plane[STEREO_EXPSTEP_INDEX] + at);
  if (neighbors) {
    l.before = simd_load16 (w->plane[STEREO_EXPSTEP_BEFORE] + at);
    l.after = simd_load16 (w->plane[STEREO_EXPSTEP_AFTER] + at);
    l.last = simd_load16 (w->plane[STEREO_EXPSTEP_LAST] + at);
    if (w->plane[STEREO_EXPSTEP_SECOND] != NULL) {
      l.second = simd_load16 (w->plane[STEREO_EXPSTEP_SECOND] + at);
      l.others = simd_load16 (w->plane[STEREO_EXPSTEP_OTHERS] + at);
    }
    l.pending = (VecU16) (l.index == simd_set16 (before));
  }
  return l;
}

/* The same winners of the next row, which is processed next. */
ALWAYS_INLINE void
prefetch_winners (const StereoExpstepWinners * w, size_t at, bool neighbors)
{
  const int n = !neighbors ? STEREO_EXPSTEP_INDEX + 1
      : w->plane[STEREO_EXPSTEP_SECOND] != NULL ? STEREO_EXPSTEP_OTHERS + 1
      : STEREO_EXPSTEP_LAST + 1;

  for (int i = 0; i < n; i++)
    __builtin_prefetch (w->plane[i] + w->pitch + at, 1);
  if (w->right_sum != NULL) {
    __builtin_prefetch (w->right_sum + 2 * w->right_half + at, 1);
    __builtin_prefetch (w->right_index + 2 * w->right_half + at, 1);
  }
}

ALWAYS_INLINE void
store_winners (const LaneWinners * l, bool neighbors,
    const StereoExpstepWinners * w, size_t at)
{
  simd_store16 (w->plane[STEREO_EXPSTEP_SUM] + at, l->sum);
  simd_store16 (w->plane[STEREO_EXPSTEP_INDEX] + at, l->index);
  if (neighbors) {
    simd_store16 (w->plane[STEREO_EXPSTEP_BEFORE] + at, l->before);
    simd_store16 (w->plane[STEREO_EXPSTEP_AFTER] + at, l->after);
    simd_store16 (w->plane[STEREO_EXPSTEP_LAST] + at, l->last);
    if (w->plane[STEREO_EXPSTEP_SECOND] != NULL) {
      simd_store16 (w->plane[STEREO_EXPSTEP_SECOND] + at, l->second);
      simd_store16 (w->plane[STEREO_EXPSTEP_OTHERS] + at, l->others);
    }
  }
}

ALWAYS_INLINE void
compete (LaneWinners * l, VecU16 sum, VecU16 index, bool neighbors,
    bool second)
{
  VecU16 less;

  if (!neighbors) {
    l->index = simd_keep_best16 (sum, &l->sum, index, l->index);
    return;
  }
  less = simd_less16 (sum, l->sum);
  if (second) {
    l->second = select16 (less, l->others, select16 (l->pending, l->second,
            simd_min16 (l->second, sum)));
    l->others = simd_min16 (l->others, l->last);
  }
  l->after = select16 (l->pending, sum, l->after);
  l->before = select16 (less, l->last, l->before);
  l->index = select16 (less, index, l->index);
  l->sum = simd_min16 (sum, l->sum);
  l->last = sum;
  l->pending = less;
}

/* The last sums of a row and their winners. */
typedef struct
{
  const ExpstepTaps *taps;
  const StereoExpstepChunk *chunk;
  bool fresh;
  const StereoExpstepWinners *w;
  uint16_t *sums;
  size_t sums_pitch;
} Update;

/* Pixels by which costs of a volume are prefetched: only some disparities of
 * each are read at a time. */
#define PREFETCH (4 * EXPSTEP_BLOCK)

/* Computes the last sums of SIMD_BYTES pixels and updates their winners. */
ALWAYS_INLINE void
update_left (const Update * u, size_t x, bool neighbors)
{
  const ExpstepTaps t = *u->taps;       /* in registers */
  const StereoExpstepWinners *w = u->w;
  ExpstepVectorWeights weights = expstep_load_weights (t.weights, (int) x);
  unsigned first = (unsigned) u->chunk->first;
  const bool second = w->plane[STEREO_EXPSTEP_SECOND] != NULL;
  LaneWinners l[2] = {
    load_winners (w, x, u->fresh, neighbors, first - 1),
    load_winners (w, x + LANES, u->fresh, neighbors, first - 1)
  };

  expstep_prefetch_weights (t.weights, (int) x);
  if (!u->fresh) {
    prefetch_winners (w, x, neighbors);
    prefetch_winners (w, x + LANES, neighbors);
  }
  for (int i = 0; i < t.count; i++) {
    const size_t at = (x - x % EXPSTEP_BLOCK) * t.layout.column
        + x % EXPSTEP_BLOCK + (size_t) i * t.layout.pitch;
    VecU16 index = simd_set16 (first + (unsigned) i), sum[2];

    if (t.layout.column > 1)
      expstep_prefetch_taps (&t, at + PREFETCH * t.layout.column);
    expstep_tap_sums (&t, &weights, at, sum);
    expstep_final_sums (sum);
    if (u->fresh && neighbors && i == 0
        && w->plane[STEREO_EXPSTEP_FIRST] != NULL) {
      simd_store16 (w->plane[STEREO_EXPSTEP_FIRST] + x, sum[0]);
      simd_store16 (w->plane[STEREO_EXPSTEP_FIRST] + x + LANES, sum[1]);
    }
    compete (&l[0], sum[0], index, neighbors, second);
    compete (&l[1], sum[1], index, neighbors, second);
    if (w->right_sum != NULL) {
      uint16_t *sums = u->sums + (size_t) i * u->sums_pitch + x;

      simd_store16 (sums, sum[0]);
      simd_store16 (sums + LANES, sum[1]);
    }
  }
  store_winners (&l[0], neighbors, w, x);
  store_winners (&l[1], neighbors, w, x + LANES);
}

/* LANES right pixels from x on, which are adjacent in the row. */
ALWAYS_INLINE void
update_right_lanes (const StereoExpstepWinners * w, int x, VecU16 sum,
    VecU16 index)
{
  int place = right_place (w, x);
  VecU16 best = simd_load16 (w->right_sum + place);
  VecU16 best_index = simd_keep_best16 (sum, &best, index,
      simd_load16 (w->right_index + place));

  simd_store16 (w->right_sum + place, best);
  simd_store16 (w->right_index + place, best_index);
}

/* Updates the right winners of a row with all sums of disparity d.  Elements
 * outside the right view are never read. */
static void
update_right (const StereoExpstepConstants * k,
    const StereoExpstepWinners * w, const uint16_t * sums, int d,
    unsigned index)
{
  int first = d > 0 ? d : 0, end = k->width + (d < 0 ? d : 0);
  int whole = k->width - k->width % SIMD_BYTES;
  VecU16 number = simd_set16 (index);

  for (int x = first - first % SIMD_BYTES; x < end; x += SIMD_BYTES) {
    VecU16 sum[2] = { simd_load16 (sums + x), simd_load16 (sums + x + LANES) };

    for (int v = 0; v < 2; v++) {
      if (x == whole)
        /* lanes without a left pixel */
        sum[v] |= beyond_lanes (SIMD_HAS_PAIRS ? k->width - whole - v * LANES
            : (k->width - whole + 1 - v) / 2);
      update_right_lanes (w, x + v * SECOND - d, sum[v], number);
    }
  }
}

void
expstep_update_winners (const StereoExpstepConstants * k,
    const ExpstepTaps * taps, const StereoExpstepChunk * chunk, bool fresh,
    const StereoExpstepWinners * w, uint16_t * sums)
{
  const Update u = { taps, chunk, fresh, w, sums,
    stereo_expstep_sums_pitch (k)
  };

  for (int x = 0; x < k->width; x += SIMD_BYTES) {
    if (k->winners)
      update_left (&u, (size_t) x, true);
    else
      update_left (&u, (size_t) x, false);
  }
  if (w->right_sum == NULL)
    return;
  if (fresh)
    memset (w->right_sum - STEREO_EXPSTEP_MARGIN, 0xff,
        2 * (size_t) w->right_half * sizeof (uint16_t));
  for (int i = 0; i < chunk->count; i++)
    update_right (k, w, sums + (size_t) i * u.sums_pitch,
        k->min_disparity + chunk->first + i, (unsigned) (chunk->first + i));
}

/* Replaces lanes of `mine` whose index is `at` by sums of another range. */
ALWAYS_INLINE VecU16
from_neighbors (VecU16 index, int at, VecU16 mine, const uint16_t * neighbors)
{
  return select16 ((VecU16) (index == simd_set16 ((unsigned) at)),
      simd_load16 (neighbors), mine);
}

/* Updates the second minimum of the winners of all previous ranges, now, with a
 * range from first on, mine, which has the lowest sum in the lanes less. */
ALWAYS_INLINE void
merge_second (LaneWinners * now, const LaneWinners * mine, VecU16 less,
    unsigned first)
{
  const VecU16 at_first = (VecU16) (mine->index == simd_set16 (first));
  const VecU16 at_last = (VecU16) (now->index == simd_set16 (first - 1));
  /* of the range without its first disparity */
  const VecU16 behind = select16 (at_first, simd_min16 (mine->second,
          mine->after), mine->sum);

  now->second = select16 (less, simd_min16 (mine->second, select16 (at_first,
              now->others, now->sum)), simd_min16 (now->second, select16 (
              at_last, behind, mine->sum)));
  now->others = simd_min16 (now->sum, mine->others);
}

/* Merges the left winners of a row of all ranges into the first range. */
static void
merge_left (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y)
{
  StereoExpstepWinners best = stereo_expstep_winners (k, work, 0, y);
  StereoExpstepWinners last = best;

  for (int r = 0; r < work->ranges; r++) {
    StereoExpstepWinners w = stereo_expstep_winners (k, work, r, y);
    StereoExpstepWinners next = r + 1 < work->ranges
        ? stereo_expstep_winners (k, work, r + 1, y) : w;
    int first = stereo_expstep_range_first (k, work, r);
    int end = stereo_expstep_range_first (k, work, r + 1);

    for (size_t x = 0; x < work->best_pitch[0]; x += LANES) {
      LaneWinners mine = load_winners (&w, x, false, k->winners, 0);
      LaneWinners now = load_winners (&best, x, false, k->winners, 0);
      VecU16 less = r == 0 ? simd_set16 (0xffff)
          : simd_less16 (mine.sum, now.sum);

      if (k->winners && r > 0)
        mine.before = from_neighbors (mine.index, first, mine.before,
            last.plane[STEREO_EXPSTEP_LAST] + x);
      if (k->winners && r + 1 < work->ranges)
        mine.after = from_neighbors (mine.index, end - 1, mine.after,
            next.plane[STEREO_EXPSTEP_FIRST] + x);
      if (best.plane[STEREO_EXPSTEP_SECOND] != NULL && r > 0)
        merge_second (&now, &mine, less, (unsigned) first);
      now.sum = simd_min16 (mine.sum, now.sum);
      now.index = select16 (less, mine.index, now.index);
      now.before = select16 (less, mine.before, now.before);
      now.after = select16 (less, mine.after, now.after);
      store_winners (&now, k->winners, &best, x);
    }
    last = w;
  }
}

/* The same for the right view. */
static void
merge_right (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y)
{
  StereoExpstepWinners best = stereo_expstep_winners (k, work, 0, y);

  for (int r = 1; r < work->ranges; r++) {
    StereoExpstepWinners w = stereo_expstep_winners (k, work, r, y);

    for (int i = -STEREO_EXPSTEP_MARGIN;
        i < 2 * w.right_half - STEREO_EXPSTEP_MARGIN; i += LANES) {
      VecU16 sum = simd_load16 (best.right_sum + i);
      VecU16 index = simd_keep_best16 (simd_load16 (w.right_sum + i), &sum,
          simd_load16 (w.right_index + i), simd_load16 (best.right_index + i));

      simd_store16 (best.right_sum + i, sum);
      simd_store16 (best.right_index + i, index);
    }
  }
}

static void
store_left (const StereoMatchFrame * frame, const StereoExpstepWinners * w,
    int x, int y)
{
  int place = left_place (x);
  unsigned index = w->plane[STEREO_EXPSTEP_INDEX][place];

  if (frame->winners != NULL)
    stereo_winner_store (frame->winners, x, y, index,
        w->plane[STEREO_EXPSTEP_BEFORE][place],
        w->plane[STEREO_EXPSTEP_SUM][place],
        w->plane[STEREO_EXPSTEP_AFTER][place],
        frame->winners->uniqueness ? w->plane[STEREO_EXPSTEP_SECOND][place]
        : 0);
  else
    stereo_store_index (&frame->map, frame->output, x, y, index);
}

static void
store_right (const StereoMatchFrame * frame, const StereoExpstepWinners * w,
    int x, int y)
{
  int place = right_place (w, x);
  unsigned sum = w->right_sum[place];

  stereo_winner_store_right (frame->winners, x, y, sum == 0xffff
      ? STEREO_NO_WINNER
      : stereo_winner_right_word (w->right_index[place], sum));
}

void
expstep_finish_row (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work, int y)
{
  StereoExpstepWinners w;

  if (work->ranges > 1) {
    merge_left (k, work, y);
    if (k->right_winners)
      merge_right (k, work, y);
  }
  w = stereo_expstep_winners (k, work, 0, y);
  for (int x = 0; x < k->width; x++)
    store_left (frame, &w, x, y);
  for (int x = 0; x < k->width && frame->winners != NULL
      && frame->winners->right != NULL; x++)
    store_right (frame, &w, x, y);
}
