/* gst-stereomatching: vector messages of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* bp-simd.c includes this file for each precision. */

#ifdef NAME

/* ----------------------------------------------------------------- messages */

typedef Message NAME (Block) __attribute__ ((vector_size (16
            * sizeof (Message))));

/* The row of a window of the coarser level that rows of a field start from, at
 * disparity 0 and the first pixel of the field. */
typedef struct
{
  const Message *half[2];       /* even and odd columns */
  size_t pitch;
} NAME (Coarse);

/* Messages of pixels begin <= i < end, in blocks of 8, in n targets. */
ALWAYS_INLINE void
NAME (start_pixels) (const StereoBpConstants * k,
    const NAME (Field) * field, NAME (Coarse) coarse, int begin, int end,
    Message * const *targets, int n)
{
  for (size_t v = 0; v < n_disparities (k); v++) {
    const Message *even = coarse.half[0] + v * coarse.pitch;
    const Message *odd = coarse.half[1] + v * coarse.pitch;

    __builtin_prefetch (even + PREFETCH * coarse.pitch + begin / 2);
    __builtin_prefetch (odd + PREFETCH * coarse.pitch + begin / 2);
    for (int i = begin; i < end; i += 16) {
      NAME (Block) e, o;

      memcpy (&e, even + i / 2, sizeof (e));
      memcpy (&o, odd + i / 2, sizeof (o));
      e = SIMD_SHUFFLE (e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
          21, 6, 22, 7, 23);
      for (int j = 0; j < n; j++) {
        Message *target = targets[j] + v * field->pitch + i;

        if (end - i > 8)
          memcpy (target, &e, sizeof (e));
        else
          memcpy (target, &e, sizeof (e) / 2);
      }
    }
  }
}

/* The message of pixel i in a target. */
static void
NAME (start_pixel) (const StereoBpConstants * k, const NAME (Field) * field,
    NAME (Coarse) coarse, int i, Message * target)
{
  for (size_t v = 0; v < n_disparities (k); v++)
    target[v * field->pitch + (size_t) i] = coarse.half[i % 2][v * coarse.pitch
        + (size_t) (i / 2)];
}

/* Initial messages of `rows` rows from y on, for one direction, from a window
 * of the coarser level: of pixels begin <= i < end of the field, or only of
 * those on the frame if iteration 0 replaces the others unread. */
static void
NAME (start_part) (const StereoBpConstants * k, const NAME (Field) * field,
    const NAME (Field) * coarser, int y, int rows, int direction, int begin,
    int end)
{
  const StereoBpSize size = k->level[field->level];
  const ptrdiff_t offset = field->first / 2 - coarser->first;
  const NAME (Coarse) coarse = {
    {NAME (messages) (k, coarser, y / 2, 0, direction) + offset,
     NAME (messages) (k, coarser, y / 2, 1, direction) + offset},
    coarser->pitch
  };
  Message *targets[4];
  int n = 0;

  for (int i = 0; i < 2 * rows; i++) {
    const int row = y + i / 2, half = i % 2;
    const int last = half_width (size.width, half) - 1 - field->first;
    Message *target = NAME (messages) (k, field, row, half, direction);

    if (row == 0 || row == size.height - 1 || half != active_half (row, 0)) {
      targets[n++] = target;
      continue;
    }
    if (field->first + begin == 0)
      NAME (start_pixel) (k, field, coarse, 0, target);
    if (begin <= last && last < end)
      NAME (start_pixel) (k, field, coarse, last, target);
  }
  /* unrolled for inner rows */
  if (n == 2)
    NAME (start_pixels) (k, field, coarse, begin, end, targets, 2);
  else
    NAME (start_pixels) (k, field, coarse, begin, end, targets, n);
}

/* Initial messages of `rows` rows from y on: of one, or of an even row and the
 * next one, which start from the same row of the coarser level. */
static void
NAME (start_rows) (const StereoBpConstants * k, const StereoBpWork * work,
    const NAME (Field) * field, int y, int rows)
{
  const int level = field->level + 1, first = field->first / 2;
  const int width = half_width (k->level[field->level].width, 0);
  const int count = width - field->first < field->count
      ? width - field->first : field->count;
  int i, end = 0;

  if (level == k->n_levels) {
    for (int j = 0; j < rows; j++)
      memset (NAME (messages) (k, field, y + j, 0, 0), 0,
          window_messages (k, field->pitch, 1) * sizeof (Message));
    return;
  }
  for (i = window_at (k, &work->window, level, first); end < count; i++) {
    const NAME (Field) coarser = NAME (window) (k, work, level, i);
    const int begin = end;

    end = stereo_clamp_int (2 * (coarser.end - first), 0, count);
    for (int direction = 0; direction < 4; direction++)
      NAME (start_part) (k, field, &coarser, y, rows, direction, begin, end);
  }
}

/* Input and output of the pixels of a vector, at disparity 0. */
typedef struct
{
  const Message *in[4];
  const void *data;
  Message *out[4];
} NAME (Place);

/* The place of the pixels from i on of a half of row y. */
ALWAYS_INLINE NAME (Place)
NAME (place) (const StereoBpConstants * k, const NAME (Field) * field, int y,
    int half, int i)
{
  ptrdiff_t at = i - field->first;
  size_t data = NAME (data_offset) (k, field, y, half) + (size_t) at;
  NAME (Place) place;

  place.in[BP_UP] = NAME (messages) (k, field, y + 1, half, BP_UP) + at;
  place.in[BP_DOWN] = NAME (messages) (k, field, y - 1, half, BP_DOWN) + at;
  place.in[BP_LEFT] = NAME (messages) (k, field, y, !half, BP_LEFT) + at + half;
  place.in[BP_RIGHT] = NAME (messages) (k, field, y, !half, BP_RIGHT) + at
      + (half - 1);
  if (field->level == 0)
    place.data = (const FineData *) field->data + data;
  else
    place.data = (const Data *) field->data + data;
  for (int j = 0; j < 4; j++)
    place.out[j] = NAME (messages) (k, field, y, half, j) + at;
  return place;
}

ALWAYS_INLINE Vec
NAME (load_data) (const void *data, size_t offset, bool fine)
{
  return fine ? LOAD_FINE_DATA ((const FineData *) data + offset)
      : LOAD_DATA ((const Data *) data + offset);
}

/* Computes the messages of LANES pixels of a field and stores `bytes` of
 * them. */
ALWAYS_INLINE void
NAME (send) (const NAME (Bounds) * bounds, const NAME (Place) * place,
    const NAME (Field) * field, size_t n, Vec * h, size_t bytes, bool fine)
{
  const size_t pitch = field->pitch;
  const size_t data_pitch = fine ? pitch : field->data_pitch;
  const Vec zero = { 0 };
  /* infinite h; a jump can be added */
  const Vec infinite = zero + ((__typeof__ (zero[0])) -1 >> 1) + 1;
  const NAME (Bounds) b = *bounds;
  Vec least[4], scan[4];

  for (int j = 0; j < 4; j++)
    least[j] = scan[j] = infinite;
  for (size_t v = 0; v < n; v++) {
    Vec up = LOAD_MESSAGE (place->in[BP_UP] + v * pitch);
    Vec down = LOAD_MESSAGE (place->in[BP_DOWN] + v * pitch);
    Vec left = LOAD_MESSAGE (place->in[BP_LEFT] + v * pitch);
    Vec right = LOAD_MESSAGE (place->in[BP_RIGHT] + v * pitch);
    Vec vertical = up + down + NAME (load_data) (place->data, v * data_pitch,
        fine);
    Vec sum = vertical + left + right;
    Vec sums[4] = { sum - down, sum - up, vertical + left, vertical + right };

    /* data costs of the next vector of the row: hardware does not recognize
     * in time that they are a pitch apart */
    if (!fine)
      __builtin_prefetch ((const Data *) place->data + v * data_pitch + LANES);
    for (int j = 0; j < 4; j++) {
      least[j] = MIN (least[j], sums[j]);
      scan[j] = MIN (sums[j], scan[j] + b.jump[j]);
      h[4 * v + (size_t) j] = scan[j];
    }
  }

  for (int j = 0; j < 4; j++)
    scan[j] = b.limit[j];
  for (size_t v = n; v-- > 0;) {
    for (int j = 0; j < 4; j++) {
      scan[j] = MIN (MIN (h[4 * v + (size_t) j] - least[j],
              scan[j] + b.jump[j]), b.limit[j]);
      STORE_MESSAGE (place->out[j] + v * pitch, scan[j], bytes);
    }
  }
}

ALWAYS_INLINE void
NAME (iterate_row_impl) (const StereoBpConstants * k,
    const StereoBpWork * work, const NAME (Field) * field, int y, int t,
    Vec * h, bool fine)
{
  int width = k->level[field->level].width, half = active_half (y, t);
  size_t n = n_disparities (k);
  int first = stereo_clamp_int (first_inner (half), field->first, width);
  int last = stereo_clamp_int (last_inner (width, half), -1,
      field->first + field->count - 1);

  for (int i = first; i <= last; i += LANES) {
    /* the last vector overlaps the one before, with the same results */
    int from = i + LANES - 1 > last && last - first >= LANES - 1
        ? last - LANES + 1 : i;
    NAME (Place) place = NAME (place) (k, field, y, half, from);
    NAME (Bounds) bounds = NAME (bounds) (k, work, field->level, y, half,
        from);

    if (last - from >= LANES - 1)
      NAME (send) (&bounds, &place, field, n, h, LANES * sizeof (Message),
          fine);
    else
      NAME (send) (&bounds, &place, field, n, h,
          (size_t) (last - from + 1) * sizeof (Message), fine);
  }
}

static void
NAME (iterate_row) (const StereoBpConstants * k, const StereoBpWork * work,
    const NAME (Field) * field, int y, int t, Vec * h)
{
  if (field->level == 0)
    NAME (iterate_row_impl) (k, work, field, y, t, h, true);
  else
    NAME (iterate_row_impl) (k, work, field, y, t, h, false);
}

#endif /* NAME */
