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

/* Initial messages of row y for one direction and half, from the coarser level,
 * except those that iteration 0 replaces unread. */
ALWAYS_INLINE void
NAME (start_half) (const StereoBpConstants * k, const NAME (Field) * field,
    const NAME (Field) * coarser, int y, int half, int direction)
{
  StereoBpSize size = k->level[field->level];
  bool inner = y > 0 && y < size.height - 1;
  Message *target = NAME (messages) (k, field, y, half, direction);
  const Message *even = NAME (messages) (k, coarser, y / 2, 0, direction)
      + field->first / 2;
  const Message *odd = NAME (messages) (k, coarser, y / 2, 1, direction)
      + field->first / 2;
  /* the last pixel of the level, and pixels that the field has */
  int last = half_width (size.width, half) - 1 - field->first;
  int count = last + 1 < field->count ? last + 1 : field->count;

  for (size_t v = 0; v < n_disparities (k); v++, target += field->pitch,
      even += coarser->pitch, odd += coarser->pitch) {
    if (inner && half == active_half (y, 0)) {
      if (field->first == 0)
        target[0] = even[0];
      if (last < field->count)
        target[last] = last % 2 == 0 ? even[last / 2] : odd[last / 2];
      continue;
    }
    /* rows have room for whole blocks */
    for (int i = 0; i < count; i += 16) {
      NAME (Block) e, o;

      __builtin_prefetch (even + PREFETCH * coarser->pitch + i / 2);
      __builtin_prefetch (odd + PREFETCH * coarser->pitch + i / 2);
      memcpy (&e, even + i / 2, sizeof (e));
      memcpy (&o, odd + i / 2, sizeof (o));
      e = SIMD_SHUFFLE (e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
          21, 6, 22, 7, 23);
      memcpy (target + i, &e, sizeof (e));
    }
  }
}

/* Initial messages of row y. */
static void
NAME (start_row) (const StereoBpConstants * k, const StereoBpWork * work,
    const NAME (Field) * field, int y)
{
  bool coarsest = field->level == k->n_levels - 1;
  NAME (Field) coarser;

  if (coarsest) {
    memset (NAME (messages) (k, field, y, 0, 0), 0,
        8 * half_size (k, field->pitch) * sizeof (Message));
    return;
  }
  coarser = NAME (whole_field) (k, work, field->level + 1);
  for (int half = 0; half < 2; half++) {
    for (int direction = 0; direction < 4; direction++)
      NAME (start_half) (k, field, &coarser, y, half, direction);
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

/* Computes the messages of LANES pixels and stores `bytes` of them. */
ALWAYS_INLINE void
NAME (send) (const NAME (Bounds) * bounds, const NAME (Place) * place,
    size_t pitch, size_t n, Vec * h, size_t bytes, bool fine)
{
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
    Vec vertical = up + down + NAME (load_data) (place->data, v * pitch, fine);
    Vec sum = vertical + left + right;
    Vec sums[4] = { sum - down, sum - up, vertical + left, vertical + right };

    /* data costs of the next vector of the row, see PREFETCH */
    if (!fine)
      __builtin_prefetch ((const Data *) place->data + v * pitch + LANES);
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
      NAME (send) (&bounds, &place, field->pitch, n, h,
          LANES * sizeof (Message), fine);
    else
      NAME (send) (&bounds, &place, field->pitch, n, h,
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
