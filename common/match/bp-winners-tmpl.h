/* gst-stereomatching: winners of belief propagation, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Part of the file that includes it, once for each precision.
 *
 * The beliefs of a few vectors of a row's half are found first, for all
 * disparities, and are then offered to the pixels of the right view.  For one
 * half they come with rising disparities to each of those, so that the first
 * one of equal beliefs stays; what both halves have is put together at the end
 * of a row.
 */

#ifdef NAME

typedef __typeof__ (((Vec *) NULL)[0][0]) NAME (Cost);

/* Memory of a thread. */
typedef struct
{
  NAME (Cost) * beliefs;        /* [disparity][vector][lane] */
  NAME (Cost) * sides[2];       /* of columns 1 and width - 2, by disparity */
  /* For the half that beliefs come from, and the half of the right view. */
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

/* The beliefs of a vector, whose lanes from `count` on have none, to
 * w->beliefs + offset.  Returns the indices of the best. */
ALWAYS_INLINE Vec
NAME (find_beliefs) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half, int i, bool inner, int count,
    const NAME (RowWinners) * w, size_t offset)
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
    NAME (store_cost) (w->beliefs + v * GROUP * (size_t) LANES + offset,
        (sum >> WINNER_SHIFT) | none);
  }
  return index;
}

/* Stores the winners of `count` left pixels from column x on, every second one
 * of row y. */
static void
NAME (store_left) (const StereoWinners * winners, const StereoBpConstants * k,
    int x, int y, int count, const Vec * index, const NAME (Cost) * beliefs)
{
  const size_t next = GROUP * (size_t) LANES;
  const size_t last = n_disparities (k) - 1;

  for (int lane = 0; lane < count; lane++) {
    size_t v = (*index)[lane];
    const NAME (Cost) * at = beliefs + v * next + (size_t) lane;

    stereo_winner_store (winners, x + 2 * lane, y,
        (unsigned) k->first_index + (unsigned) v, v > 0 ? at[-(ptrdiff_t) next]
        : 0, at[0], v < last ? at[next] : 0);
  }
}

/* Offers the beliefs of the vectors from pixel i on to the right view. */
ALWAYS_INLINE void
NAME (offer) (const StereoBpConstants * k, int half, int i, int vectors,
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

/* The pixels of the right view, begin <= x < end, that are partners of a
 * field's. */
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

/* No winners of the right view yet, of pixels begin <= x < end. */
ALWAYS_INLINE void
NAME (clear_right) (int begin, int end, const NAME (RowWinners) * w)
{
  /* a disparity moves what competes by whole vectors */
  int first = begin / 2 - MARGIN, last = (end + 1) / 2 + MARGIN;

  for (int i = 0; i < 4; i++)
    memset (w->cost[i / 2][i % 2] + first, 0xff, (size_t) (last - first)
        * sizeof (NAME (Cost)));
}

/* Puts the winners of both halves together, and with what other fields had for
 * pixels begin <= x < end of row y. */
static void
NAME (store_right) (const StereoWinners * winners,
    const StereoBpConstants * k, const NAME (Field) * field, int y,
    bool inner, int begin, int end, const NAME (RowWinners) * w)
{
  uint32_t *row = winners->right + (size_t) y * winners->right_stride;
  unsigned first = (unsigned) k->first_index;

  for (int x = begin; x < end; x++) {
    uint32_t word = row[x];

    for (int half = 0; half < 2; half++) {
      NAME (Cost) cost = w->cost[half][x & 1][x / 2];

      if (cost != (NAME (Cost)) -1)
        word = stereo_min_u32 (word, stereo_winner_right_word (first
                + (unsigned) w->index[half][x & 1][x / 2], cost));
    }
    row[x] = word;
  }
  /* what the pixels of the frame have from those beside them */
  for (int v = 0; v < (int) n_disparities (k) && inner; v++) {
    int d = k->min_disparity + (int) first + v;

    for (int side = 0; side < 2; side++) {
      int x = (side == 0 ? 0 : k->width - 1) - d;

      if (x >= 0 && x < k->width && (side == 0 ? field->begin == 0
              : 2 * field->end >= k->width))
        row[x] = stereo_min_u32 (row[x], stereo_winner_right_word (first
                + (unsigned) v, w->sides[side][v]));
    }
  }
}

/* Keeps the beliefs of the columns next to the frame, if they are among those
 * of pixels i to last of a half. */
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

/* Winners of row y of both views, of the pixels that are right in a field.
 * inner: with messages; else all of them, without. */
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
        Vec index = NAME (find_beliefs) (k, field, y, half, at, inner, count,
            &w, (size_t) (at - i));

        NAME (store_left) (winners, k, 2 * at + half, y, count, &index,
            w.beliefs + (at - i));
      }
      if (winners->right == NULL)
        continue;
      NAME (offer) (k, half, i, vectors, &w);
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
