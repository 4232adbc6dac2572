/* gst-stereomatching: vector data costs of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* bp-simd.c includes this file for each precision, with macros that
 * bp-sweep-tmpl.h undefines.  HALF: data costs are rounded.  WINNER_SHIFT: as
 * stereo_bp_winner_cost(). */

#ifdef NAME

#define LANES ((int) (SIMD_BYTES / sizeof (((Vec *) NULL)[0][0])))

/* ------------------------------------------------------------------ fields */

/* Messages and data costs of a window of a level, or of some of its rows. */
typedef struct
{
  int level;
  int first;                    /* first pixel of a half */
  int count;                    /* pixels of a half of each row */
  int begin;                    /* begin <= i < end: valid results, as pixels
                                 * of a half of the level */
  int end;
  int slots;                    /* rows in memory: row y replaces row
                                 * y - slots */
  size_t pitch;                 /* of messages */
  size_t data_pitch;
  Message *messages;
  void *data;                   /* of pixel `first` */
} NAME (Field);

/* Window i of a level, in memory for all of its rows. */
ALWAYS_INLINE NAME (Field)
NAME (window) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int i)
{
  const int width = half_width (k->level[level].width, 0);
  const int border = window_border (k);
  const size_t pitch = window_pitch (k, &work->window, level);
  const int first = i * window_step (k, &work->window, level);
  const int end = first + (int) pitch;
  NAME (Field) field = {
    .level = level,.first = first,.count = (int) pitch,
    .begin = first == 0 ? 0 : first + border,
    .end = end >= width ? width : end - border,
    .slots = k->level[level].height,.pitch = pitch,
    .data_pitch = half_pitch (k->level[level].width),
    .data = work->data[level]
  };

  field.messages = (Message *) work->messages[level]
      + (size_t) i * window_messages (k, pitch, field.slots);
  if (level > 0)
    field.data = (Data *) field.data + first;
  return field;
}

/* Start of half `half` of row y: in data, and in messages. */
ALWAYS_INLINE size_t
NAME (data_offset) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half)
{
  return MARGIN + (2 * (size_t) (y % field->slots) + (size_t) half)
      * half_size (k, field->data_pitch);
}

ALWAYS_INLINE Message *
NAME (messages) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half, int direction)
{
  return field->messages + MARGIN + ((2 * (size_t) (y % field->slots)
          + (size_t) half) * 4 + (size_t) direction) * half_size (k,
      field->pitch);
}

/* ---------------------------------------------------------------- data cost */

/* Data costs for `count` differences of 16 bits. */
ALWAYS_INLINE void
NAME (scale_row) (const StereoBpConstants * k, const uint16_t * difference,
    int count, FineData * c)
{
  uint16_t limit = (uint16_t) k->difference_limit, gain = (uint16_t) k->gain;

  if (k->gain >= 65536) {
    for (int i = 0; i < count; i++)
      c[i] = (FineData) stereo_bp_data_cost (k, difference[i]);
    return;
  }
  for (int i = 0; i < count; i++) {
    uint16_t t = difference[i] < limit ? difference[i] : limit;
    uint16_t low = (uint16_t) (t * (unsigned) gain);
    uint16_t high = (uint16_t) ((t * (unsigned) gain) >> 16);

    c[i] = (FineData) (high + (low >> 15));
  }
}

/* Data costs of `count` pixels of a half of a row that have a partner at
 * disparity d.  difference is scratch memory of the thread. */
static void
NAME (cost_row) (const StereoBpConstants * k, const Rows * rows, int half,
    int d, int begin, int count, uint16_t * difference, FineData * c)
{
  int other = (half - d) & 1, shift = (half - d - other) / 2;

  if (stereo_cost_uses_words (k->cost)) {
    words_differences (rows, half, other, shift, begin, count, difference);
    NAME (scale_row) (k, difference, count, c);
  } else if (stereo_cost_is_luma (k->cost)) {
    const uint16_t *l = rows->luma[0][half] + begin;
    const uint16_t *r = rows->luma[1][other] + begin + shift;

    for (int i = 0; i < count; i++)
      difference[i] = (uint16_t) ((l[i] > r[i] ? l[i] : r[i])
          - (l[i] > r[i] ? r[i] : l[i]));
    NAME (scale_row) (k, difference, count, c);
  } else {
    color_differences (rows, half, other, shift, begin, count, difference);
    for (int i = 0; i < count; i++)
      c[i] = (FineData) stereo_bp_data_cost (k, 256u * difference[i]);
  }
}

/* The data cost of column x. */
static FineData
NAME (column_cost) (const StereoBpConstants * k, const Rows * rows, int x,
    int d, uint16_t * difference)
{
  FineData c;

  NAME (cost_row) (k, rows, x & 1, d, x / 2, 1, difference, &c);
  return c;
}

/* Data costs of columns from <= x < to of a half of a row, for n disparities
 * from d on, `pitch` apart.  difference is scratch memory of the thread. */
static void
NAME (cost_columns) (const StereoBpConstants * k, const Rows * rows, int half,
    int from, int to, int d, int n, uint16_t * difference, size_t pitch,
    FineData * c)
{
  for (int v = 0; v < n; v++, d++, c += pitch) {
    int first = stereo_partner_first (d);
    int last = stereo_partner_last (k->width, d);
    int begin = stereo_clamp_int ((first + 1 - half) / 2, from, to);
    int end = stereo_clamp_int ((last + 2 - half) / 2, begin, to);

    NAME (cost_row) (k, rows, half, d, begin, end - begin, difference,
        c + (begin - from));
    /* columns that have no partner */
    if (begin > from) {
      FineData left = NAME (column_cost) (k, rows, first, d, difference);

      for (int i = from; i < begin; i++)
        c[i - from] = left;
    }
    if (end < to) {
      FineData right = NAME (column_cost) (k, rows, last, d, difference);

      for (int i = end; i < to; i++)
        c[i - from] = right;
    }
  }
}

/* The same for a vector of columns from `from` on, with words_costs() where all
 * of them have partners. */
static void
NAME (cost_vector) (const StereoBpConstants * k, const Rows * rows, int half,
    int from, uint16_t * difference, size_t pitch, FineData * c)
{
  int to = from + SIMD_BYTES, d = k->min_disparity + k->first_index;
  int n = (int) n_disparities (k), last = 2 * (to - 1) + half;
  int begin = stereo_clamp_int (last - k->width + 1 - d, 0, n);
  int end = stereo_clamp_int (2 * from + half + 1 - d, begin, n);

  NAME (cost_columns) (k, rows, half, from, to, d, begin, difference, pitch, c);
  words_costs (k, rows, half, from, d + begin, end - begin, pitch,
      (uint8_t *) (c + (size_t) begin * pitch));
  NAME (cost_columns) (k, rows, half, from, to, d + end, n - end, difference,
      pitch, c + (size_t) end * pitch);
}

/* Data costs of row y of a field of level 0. */
static void
NAME (fine_data_row) (const StereoBpConstants * k, const StereoBpWork * work,
    const NAME (Field) * field, int y, uint32_t * buffers)
{
  const bool words = stereo_cost_uses_words (k->cost) && sizeof (FineData) == 1
      && k->gain < 65536;
  Rows rows = find_rows (k, work, y);
  uint16_t *difference = (uint16_t *) buffers;

  for (int half = 0; half < 2; half++) {
    FineData *c = (FineData *) field->data + NAME (data_offset) (k, field, y,
        half);
    int from = field->first, to = half_width (k->width, half);

    if (to > from + field->count)
      to = from + field->count;
    if (!words || to - from < SIMD_BYTES) {
      NAME (cost_columns) (k, &rows, half, from, to, k->min_disparity
          + k->first_index, (int) n_disparities (k), difference,
          field->data_pitch, c);
      continue;
    }
    for (int i = from; i < to; i += SIMD_BYTES) {
      /* the last vector overlaps the one before */
      int at = i < to - SIMD_BYTES ? i : to - SIMD_BYTES;

      NAME (cost_vector) (k, &rows, half, at, difference, field->data_pitch,
          c + (at - from));
    }
  }
}

/* Data costs of row y of a level above 0 from the finer level. */
ALWAYS_INLINE void
NAME (data_row_impl) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, const NAME (Field) * finer, int y, uint32_t * buffers, bool fine)
{
  const NAME (Field) field = NAME (window) (k, work, level, 0);
  int width = k->level[level].width, below = k->level[level - 1].width;
  size_t pitch = half_pitch (width), n = n_disparities (k);
  int rows = 2 * y + 1 < k->level[level - 1].height ? 2 : 1;
  size_t room = pitch + MARGIN;
  Data *sums = (Data *) buffers, *least = sums + 2 * room;
  Data *target = (Data *) field.data + NAME (data_offset) (k, &field, y, 0);

  for (size_t i = 0; i < 2 * pitch; i++)
    least[i] = (Data) - 1;

  for (size_t v = 0; v < n; v++) {
    for (int x = 0; x < width; x++)
      sums[x] = 0;
    for (int part = 0; part < 2 * rows; part++) {
      size_t from = NAME (data_offset) (k, finer, 2 * y + part / 2, part % 2)
          + v * finer->data_pitch;
      int count = half_width (below, part % 2);

      if (fine) {
        const FineData *source = (const FineData *) finer->data + from;

        for (int x = 0; x < count; x++)
          sums[x] = (Data) (sums[x] + source[x]);
      } else {
        const Data *source = (const Data *) finer->data + from;

        for (int x = 0; x < count; x++)
          sums[x] = (Data) (sums[x] + source[x]);
      }
    }
    for (int half = 0; half < 2; half++) {
      Data *c = target + ((size_t) half * n + v) * pitch;
      Data *smallest = least + (size_t) half * pitch;

      for (size_t i = 0; i < (size_t) half_width (width, half); i++) {
        Data sum = sums[2 * i + (size_t) half];

        c[i] = sum;
        smallest[i] = sum < smallest[i] ? sum : smallest[i];
      }
    }
  }

  for (int half = 0; half < 2; half++) {
    const Data *smallest = least + (size_t) half * pitch;

    for (size_t v = 0; v < n; v++) {
      Data *c = target + ((size_t) half * n + v) * pitch;

      for (size_t i = 0; i < (size_t) half_width (width, half); i++) {
        Data sum = (Data) (c[i] - smallest[i]);

        sum = sum < k->max_data ? sum : (Data) k->max_data;
        if (HALF) {
          /* units of 8, 4 and 2; at most one of them rounds */
          for (int bit = 2; bit >= 0; bit--) {
            Data large = sum >= 2048u << bit ? (Data) - 1 : 0;
            Data odd = (Data) (sum >> (bit + 1) & 1 & large);

            sum = (Data) ((sum + (((1u << bit) - 1) & large) + odd)
                & ~(((2u << bit) - 1) & large));
          }
        }
        c[i] = sum;
      }
    }
  }
}

ALWAYS_INLINE uint32_t *
NAME (row_buffers) (const StereoBpArgs * a, int worker)
{
  return (uint32_t *) a->work->rows + (size_t) worker * N_ROW_BUFFERS
      * (half_pitch (a->k->width) + MARGIN);
}

/* Level 0 in the memory of a thread that computes level 1: all of it, or two
 * rows. */
ALWAYS_INLINE NAME (Field)
NAME (fine_field) (const StereoBpConstants * k, const StereoBpWork * work,
    int worker)
{
  NAME (Field) field = NAME (window) (k, work, 0, 0);

  field.count = half_width (k->width, 0);
  if (has_windows (k)) {
    field.slots = 2;
    field.data = (FineData *) field.data + (size_t) worker * work->window.data;
  }
  return field;
}

/* Pairs of rows of level 0, and the row of level 1 from them. */
static void
NAME (fine_rows) (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;
  uint32_t *buffers = NAME (row_buffers) (a, span.worker);
  NAME (Field) field = NAME (fine_field) (k, a->work, span.worker);

  for (int y = span.begin; y < span.end; y++) {
    NAME (fine_data_row) (k, a->work, &field, 2 * y, buffers);
    if (2 * y + 1 < k->height)
      NAME (fine_data_row) (k, a->work, &field, 2 * y + 1, buffers);
    if (k->n_levels > 1)
      NAME (data_row_impl) (k, a->work, 1, &field, y, buffers, true);
  }
}

static void
NAME (data_rows) (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  uint32_t *buffers = NAME (row_buffers) (a, span.worker);
  NAME (Field) finer = NAME (window) (a->k, a->work, a->level - 1, 0);

  for (int y = span.begin; y < span.end; y++)
    NAME (data_row_impl) (a->k, a->work, a->level, &finer, y, buffers, false);
}

static void
NAME (pyramid) (const StereoBpArgs * a)
{
  const StereoBpConstants *k = a->k;
  StereoBpArgs level = *a;

  if (k->n_levels > 1 || !has_windows (k))
    stereo_cpu_for (a->frame->queue, (k->height + 1) / 2, 0, NAME (fine_rows),
        a);
  for (level.level = 2; level.level < k->n_levels; level.level++)
    stereo_cpu_for (a->frame->queue, k->level[level.level].height, 0,
        NAME (data_rows), &level);
}

/* -------------------------------------------------------------------- edges */

/* Jump and M of the messages between the pixels of row y, and between them and
 * those of the row below. */
static void
NAME (edge_rows) (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;
  int width = k->level[a->level].width;
  size_t pitch = half_pitch (width);

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < width; x += BLOCK) {
      int count = width - x < BLOCK ? width - x : BLOCK;
      Differences g;

      guide_differences (a, x, y, count, &g);
      for (int j = 0; j < 2; j++) {
        for (int half = 0; half < 2; half++) {
          Message *target = (Message *) a->work->edges[a->level]
              + edges_offset (k, a->level, y, half, j) + (size_t) (x / 2);

          for (int i = 0; i < half_width (count, half); i++) {
            target[i] = (Message) k->jump[g.to[j][2 * i + half]];
            target[pitch + (size_t) i] =
                (Message) k->max_message[g.to[j][2 * i + half]];
          }
        }
      }
    }
  }
}

static void
NAME (make_edges) (const StereoBpArgs * a)
{
  StereoBpArgs level = *a;

  for (level.level = 0; level.level < a->k->n_levels; level.level++)
    stereo_cpu_for (a->frame->queue, a->k->level[level.level].height, 0,
        NAME (edge_rows), &level);
}

/* Jump and M of the four messages of LANES pixels. */
typedef struct
{
  Vec jump[4];
  Vec limit[4];
} NAME (Bounds);

ALWAYS_INLINE NAME (Bounds)
NAME (bounds) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int y, int half, int i)
{
  const Message *edges = (const Message *) work->edges[level] + i;
  size_t pitch = half_pitch (k->level[level].width);
  const Message *at[4];
  NAME (Bounds) b;

  if (!k->edges) {
    for (int j = 0; j < 4; j++) {
      b.jump[j] = (Vec) { 0 } + (__typeof__ (b.jump[0][0])) k->jump[0];
      b.limit[j] = (Vec) { 0 } + (__typeof__ (b.jump[0][0])) k->max_message[0];
    }
    return b;
  }
  at[BP_UP] = edges + edges_offset (k, level, y - 1, half, 1);
  at[BP_DOWN] = edges + edges_offset (k, level, y, half, 1);
  at[BP_LEFT] = edges + edges_offset (k, level, y, !half, 0) + half - 1;
  at[BP_RIGHT] = edges + edges_offset (k, level, y, half, 0);
  for (int j = 0; j < 4; j++) {
    b.jump[j] = LOAD_MESSAGE (at[j]);
    b.limit[j] = LOAD_MESSAGE (at[j] + pitch);
  }
  return b;
}

#endif /* NAME */
