/* gst-stereomatching: vector winner-take-all of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * bp-simd.c includes this file for each precision.
 *
 * The beliefs of some vectors of a half row are computed for all disparities
 * and then update the pixels of the right view.  Each half offers them in
 * ascending order of disparity, so that the first of equal beliefs wins; the
 * results of both halves are combined at the end of a row.
 */

#ifdef NAME

/* ------------------------------------------------------------------- result */

/* Input of the beliefs of level 0; inner: with messages. */
ALWAYS_INLINE NAME (Place)
NAME (belief_place) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half, int i, bool inner)
{
  NAME (Place) place = {.data = (const FineData *) field->data
        + NAME (data_offset) (k, field, y, half)
        + (size_t) (i - field->first) };

  return inner ? NAME (place) (k, field, y, half, i) : place;
}

/* Range of the pixels of a half with results in a field. */
ALWAYS_INLINE int
NAME (first_decided) (const NAME (Field) * field, int half, bool inner)
{
  int first = inner ? first_inner (half) : 0;

  return first > field->begin ? first : field->begin;
}

ALWAYS_INLINE int
NAME (last_decided) (const StereoBpConstants * k, const NAME (Field) * field,
    int half, bool inner)
{
  int last = inner ? last_inner (k->width, half)
      : half_width (k->width, half) - 1;

  return last < field->end ? last : field->end - 1;
}

/* Disparities of row y.  inner: with messages; else of all pixels, without. */
ALWAYS_INLINE void
NAME (decide_row_impl) (const StereoBpConstants * k,
    const StereoBpWork * work, const NAME (Field) * field, int y, bool inner)
{
  size_t n = n_disparities (k);

  for (int half = 0; half < 2; half++) {
    uint16_t *best_row = (uint16_t *) work->best + MARGIN
        + (2 * (size_t) y + (size_t) half) * half_pitch (k->width);
    int last = NAME (last_decided) (k, field, half, inner);

    for (int i = NAME (first_decided) (field, half, inner); i <= last;
        i += LANES) {
      Vec best = { 0 }, index = { 0 };
      NAME (Place) place = NAME (belief_place) (k, field, y, half, i, inner);

      best -= 1;
      for (size_t v = 0; v < n; v++) {
        Vec sum = NAME (load_data) (place.data, v * field->pitch, true);

        for (int j = 0; j < 4 && inner; j++)
          sum += LOAD_MESSAGE (place.in[j] + v * field->pitch);
        index = KEEP_BEST (sum, &best,
            (Vec) { 0 } + (__typeof__ (index[0])) v, index);
      }
      for (int lane = 0; lane < LANES && i + lane <= last; lane++)
        best_row[i + lane] = (uint16_t) index[lane];
    }
  }
}

typedef __typeof__ (((Vec *) NULL)[0][0]) NAME (Cost);

/* Scratch memory of a thread. */
typedef struct
{
  NAME (Cost) * beliefs;        /* [disparity][vector][lane] */
  NAME (Cost) * sides[2];       /* of columns 1 and width - 2, by disparity */
  /* by half of the left view and half of the right view */
  NAME (Cost) * cost[2][2];
  NAME (Cost) * index[2][2];
} NAME (RowWinners);

static NAME (RowWinners)
NAME (row_winners) (const StereoBpConstants * k, void *memory)
{
  size_t n = n_disparities (k), room = half_pitch (k->width) + 2 * MARGIN;
  NAME (RowWinners) w;
  NAME (Cost) * next = memory;

  w.beliefs = next;
  next += n * GROUP * (size_t) LANES;
  for (int i = 0; i < 2; i++, next += n)
    w.sides[i] = next;
  for (int i = 0; i < 4; i++, next += 2 * room) {
    w.cost[i / 2][i % 2] = next + MARGIN;
    w.index[i / 2][i % 2] = next + room + MARGIN;
  }
  return w;
}

ALWAYS_INLINE Vec
NAME (load_cost) (const NAME (Cost) * p)
{
  Vec v;

  memcpy (&v, p, sizeof (v));
  return v;
}

ALWAYS_INLINE void
NAME (store_cost) (NAME (Cost) * p, Vec v)
{
  memcpy (p, &v, sizeof (v));
}

/* Stores the beliefs of a vector of `count` valid lanes.  Returns the indices
 * of the best. */
ALWAYS_INLINE Vec
NAME (find_beliefs) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half, int i, bool inner, int count, NAME (Cost) * beliefs)
{
  size_t pitch = field->pitch, n = n_disparities (k);
  NAME (Place) place = NAME (belief_place) (k, field, y, half, i, inner);
  Vec best = { 0 }, index = { 0 }, none = { 0 };

  best -= 1;
  for (int lane = count; lane < LANES; lane++)
    none[lane] = (NAME (Cost)) -1;
  for (size_t v = 0; v < n; v++) {
    Vec sum = NAME (load_data) (place.data, v * pitch, true);

    for (int j = 0; j < 4 && inner; j++)
      sum += LOAD_MESSAGE (place.in[j] + v * pitch);
    index = KEEP_BEST (sum, &best, (Vec) { 0 } + (NAME (Cost)) v, index);
    NAME (store_cost) (beliefs + v * GROUP * (size_t) LANES,
        (sum >> WINNER_SHIFT) | none);
  }
  return index;
}

/* Stores the winners of `count` left pixels from (x, y) on, every second
 * column. */
static void
NAME (store_left) (const StereoWinners * winners, const StereoBpConstants * k,
    int x, int y, int count, const Vec * index, const NAME (Cost) * beliefs)
{
  const size_t next = GROUP * (size_t) LANES;
  const size_t last = n_disparities (k) - 1;
  uint32_t *row = winners->left + (size_t) y * winners->left_stride;
  uint16_t number[LANES], before[LANES], cost[LANES], after[LANES];
  uint16_t second[LANES];
  uint32_t words[LANES];

  for (int i = 0; i < LANES; i++) {
    size_t v = (*index)[i];
    const NAME (Cost) * at = beliefs + v * next + (size_t) i;

    number[i] = (uint16_t) ((unsigned) k->first_index + (unsigned) v);
    before[i] = (uint16_t) (v > 0 ? at[-(ptrdiff_t) next] : 0);
    cost[i] = (uint16_t) at[0];
    after[i] = (uint16_t) (v < last ? at[next] : 0);
    second[i] = (uint16_t) stereo_winner_neighbor (winners, number[i],
        before[i], cost[i], after[i]);
  }
  simd_winner_row (winners, &(SimdWinnerFields) {
        number, before, cost, after, second}, LANES, words);
  for (int i = 0; i < count; i++)
    row[x + 2 * i] = words[i];
}

/* Updates the right view by the beliefs of the vectors from pixel i on. */
ALWAYS_INLINE void
NAME (update_right) (const StereoBpConstants * k, int half, int i, int vectors,
    const NAME (RowWinners) * w)
{
  for (int v = 0; v < (int) n_disparities (k); v++) {
    const NAME (Cost) * beliefs = w->beliefs
        + (size_t) v * GROUP * (size_t) LANES;
    int d = k->min_disparity + k->first_index + v;
    int other = (half - d) & 1, shift = (half - d - other) / 2;
    int begin = (stereo_partner_first (d) + 1 - half) / 2;
    int end = (stereo_partner_last (k->width, d) + 2 - half) / 2;
    NAME (Cost) * cost = w->cost[half][other] + shift;
    NAME (Cost) * index = w->index[half][other] + shift;

    for (int g = 0; g < vectors; g++) {
      int at = i + g * LANES;
      Vec best, now;

      if (at + LANES <= begin || at >= end)
        continue;
      best = NAME (load_cost) (cost + at);
      now = KEEP_BEST (NAME (load_cost) (beliefs + g * LANES), &best,
          (Vec) { 0 } + (NAME (Cost)) v, NAME (load_cost) (index + at));
      NAME (store_cost) (cost + at, best);
      NAME (store_cost) (index + at, now);
    }
  }
}

/* The pixels of the right view, begin <= x < end, with partners in a field. */
ALWAYS_INLINE void
NAME (find_partners) (const StereoBpConstants * k, const NAME (Field) * field,
    int *begin, int *end)
{
  int lowest = k->min_disparity + k->first_index;
  int highest = lowest + (int) n_disparities (k) - 1;

  *begin = field->begin == 0 ? 0 : stereo_clamp_int (2 * field->begin
      - highest, 0, k->width);
  *end = 2 * field->end >= k->width ? k->width
      : stereo_clamp_int (2 * field->end - lowest, *begin, k->width);
}

/* Clears the winners of right pixels begin <= x < end. */
ALWAYS_INLINE void
NAME (clear_right) (int begin, int end, const NAME (RowWinners) * w)
{
  /* updates store whole vectors */
  int first = begin / 2 - MARGIN, last = (end + 1) / 2 + MARGIN;

  for (int i = 0; i < 4; i++)
    memset (w->cost[i / 2][i % 2] + first, 0xff, (size_t) (last - first)
        * sizeof (NAME (Cost)));
}

/* Words of n pixels of half `other` of the right view from pixel i on: the
 * better winners of both halves of the left view. */
ALWAYS_INLINE void
NAME (right_words) (const NAME (RowWinners) * w, unsigned first, int other,
    int i, int n, uint32_t * restrict words)
{
  memset (words, 0xff, (size_t) n * sizeof (*words));
  for (int half = 0; half < 2; half++) {
    const NAME (Cost) * restrict cost = w->cost[half][other] + i;
    const NAME (Cost) * restrict index = w->index[half][other] + i;

#pragma omp simd
    for (int j = 0; j < n; j++) {
      uint32_t none = cost[j] == (NAME (Cost)) -1 ? STEREO_NO_WINNER : 0;

      words[j] = stereo_min_u32 (words[j], none
          | stereo_winner_right_word (first + (unsigned) index[j], cost[j]));
    }
  }
}

/* Combines the winners of both halves, and those of other fields, for pixels
 * begin <= x < end of row y. */
static void
NAME (store_right) (const StereoWinners * winners,
    const StereoBpConstants * k, const NAME (Field) * field, int y,
    bool inner, int begin, int end, const NAME (RowWinners) * w)
{
  uint32_t *row = winners->right + (size_t) y * winners->right_stride;
  unsigned first = (unsigned) k->first_index;

  /* a pixel before `begin` has no partners in the field */
  for (int i = begin / 2; i < (end + 1) / 2; i += BLOCK) {
    uint32_t words[2][BLOCK];
    int n = (end + 1) / 2 - i < BLOCK ? (end + 1) / 2 - i : BLOCK;
    int pairs = end / 2 - i < n ? end / 2 - i : n;
    uint32_t *pixels = row + 2 * i;

    for (int other = 0; other < 2; other++)
      NAME (right_words) (w, first, other, i, n, words[other]);
#pragma omp simd
    for (int j = 0; j < pairs; j++) {
      pixels[2 * j] = stereo_min_u32 (pixels[2 * j], words[0][j]);
      pixels[2 * j + 1] = stereo_min_u32 (pixels[2 * j + 1], words[1][j]);
    }
    if (pairs < n)
      pixels[2 * pairs] = stereo_min_u32 (pixels[2 * pairs], words[0][pairs]);
  }
  /* beliefs of the frame, from adjacent pixels */
  for (int side = 0; side < 2 && inner; side++) {
    if (side == 0 ? field->begin > 0 : 2 * field->end < k->width)
      continue;
    for (int v = 0; v < (int) n_disparities (k); v++) {
      int x = (side == 0 ? 0 : k->width - 1) - k->min_disparity
          - (int) first - v;

      if (x >= 0 && x < k->width)
        row[x] = stereo_min_u32 (row[x], stereo_winner_right_word (first
                + (unsigned) v, w->sides[side][v]));
    }
  }
}

/* Saves the beliefs of the columns next to the frame, if they are among pixels
 * i to last of a half. */
static void
NAME (keep_sides) (const StereoBpConstants * k, int half, int i, int last,
    const NAME (RowWinners) * w)
{
  for (int side = 0; side < 2; side++) {
    int x = side == 0 ? 1 : k->width - 2, at = x / 2;

    if ((x & 1) != half || at < i || at > last)
      continue;
    for (size_t v = 0; v < n_disparities (k); v++)
      w->sides[side][v] = w->beliefs[v * GROUP * (size_t) LANES
          + (size_t) (at - i)];
  }
}

/* Winners of row y of both views, for the valid pixels of a field.  inner: with
 * messages; else of all pixels, without. */
ALWAYS_INLINE void
NAME (winners_row) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const NAME (Field) * field, int y, bool inner, void *memory)
{
  const StereoWinners *winners = frame->winners;
  const NAME (RowWinners) w = NAME (row_winners) (k, memory);
  uint32_t *row = winners->left + (size_t) y * winners->left_stride;
  const int group = GROUP * LANES;
  int begin = 0, end = 0;

  if (winners->right != NULL) {
    NAME (find_partners) (k, field, &begin, &end);
    NAME (clear_right) (begin, end, &w);
    if (field->begin == 0)
      memset (winners->right + (size_t) y * winners->right_stride, 0xff,
          (size_t) k->width * sizeof (uint32_t));
  }
  for (int half = 0; half < 2; half++) {
    int last = NAME (last_decided) (k, field, half, inner);

    for (int i = NAME (first_decided) (field, half, inner); i <= last;
        i += group) {
      int vectors = 0;

      for (int at = i; at <= last && at < i + group; at += LANES, vectors++) {
        int count = last - at + 1 < LANES ? last - at + 1 : LANES;
        NAME (Cost) * beliefs = w.beliefs + (at - i);
        Vec index = NAME (find_beliefs) (k, field, y, half, at, inner, count,
            beliefs);

        NAME (store_left) (winners, k, 2 * at + half, y, count, &index,
            beliefs);
      }
      if (winners->right == NULL)
        continue;
      NAME (update_right) (k, half, i, vectors, &w);
      NAME (keep_sides) (k, half, i, last < i + group ? last : i + group - 1,
          &w);
    }
  }
  if (inner && field->begin == 0)
    row[0] = row[1];
  if (inner && 2 * field->end >= k->width)
    row[k->width - 1] = row[k->width - 2];
  if (winners->right != NULL)
    NAME (store_right) (winners, k, field, y, inner, begin, end, &w);
}

#endif /* NAME */
