/* gst-stereomatching: belief propagation with vectors, of one precision
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Part of bp-simd.c, which includes it once for each precision, with the macros
 * that this file undefines at its end.  HALF: data costs are rounded.
 * WINNER_SHIFT: stereo_bp_winner_cost(). */

#ifdef NAME

#define LANES ((int) (SIMD_BYTES / sizeof (((Vec *) NULL)[0][0])))

/* ------------------------------------------------------------------ fields */

/* Where messages and data costs of a level are: of all of it, or of some of its
 * columns and rows. */
typedef struct
{
  int level;
  int first;                    /* pixel of a half that is its first one */
  int count;                    /* pixels of a half of each row */
  int begin;                    /* begin <= i < end: those which are right in */
  int end;                      /* the end, of a half of the level */
  int slots;                    /* row y is where row y - slots was */
  size_t pitch;
  Message *messages;
  void *data;
} NAME (Field);

/* All of a level. */
ALWAYS_INLINE NAME (Field)
NAME (whole_field) (const StereoBpConstants * k, const StereoBpWork * work,
    int level)
{
  int width = half_width (k->level[level].width, 0);

  return (NAME (Field)) {
    .level = level,.count = width,.end = width,
    .slots = k->level[level].height,
    .pitch = half_pitch (k->level[level].width),
    .messages = (Message *) work->messages[level],.data = work->data[level]
  };
}

/* Where half `half` of row y begins: of data, and of messages. */
ALWAYS_INLINE size_t
NAME (data_offset) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half)
{
  return MARGIN + (2 * (size_t) (y % field->slots) + (size_t) half)
      * half_size (k, field->pitch);
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

/* The same of `count` pixels of a half of a row and one disparity, that have a
 * partner.  difference is for a thread's own use. */
static void
NAME (cost_row) (const StereoBpConstants * k, const Rows * rows, int half,
    int d, int begin, int count, uint16_t * difference, FineData * c)
{
  int other = (half - d) & 1, shift = (half - d - other) / 2;

  if (k->cost == STEREO_COST_CENSUS && sizeof (FineData) == 1
      && k->gain < 65536) {
    census_costs (k, rows, half, other, shift, begin, count, (uint8_t *) c);
  } else if (k->cost == STEREO_COST_CENSUS) {
    census_differences (rows, half, other, shift, begin, count, difference);
    NAME (scale_row) (k, difference, count, c);
  } else if (k->cost == STEREO_COST_LUMA) {
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

/* Row y of a field of level 0. */
static void
NAME (fine_data_row) (const StereoBpConstants * k, const StereoBpWork * work,
    const NAME (Field) * field, int y, uint32_t * buffers)
{
  Rows rows = find_rows (k, work, y);
  uint16_t *difference = (uint16_t *) buffers;

  for (int half = 0; half < 2; half++) {
    FineData *c = (FineData *) field->data + NAME (data_offset) (k, field, y,
        half);
    int from = field->first, to = half_width (k->width, half);

    if (to > from + field->count)
      to = from + field->count;
    for (int v = 0; v < (int) n_disparities (k); v++, c += field->pitch) {
      int d = k->min_disparity + k->first_index + v;
      int first = stereo_partner_first (d);
      int last = stereo_partner_last (k->width, d);
      int begin = stereo_clamp_int ((first + 1 - half) / 2, from, to);
      int end = stereo_clamp_int ((last + 2 - half) / 2, begin, to);

      NAME (cost_row) (k, &rows, half, d, begin, end - begin, difference,
          c + (begin - from));
      /* columns that have no partner */
      if (begin > from) {
        FineData left = NAME (column_cost) (k, &rows, first, d, difference);

        for (int i = from; i < begin; i++)
          c[i - from] = left;
      }
      if (end < to) {
        FineData right = NAME (column_cost) (k, &rows, last, d, difference);

        for (int i = end; i < to; i++)
          c[i - from] = right;
      }
    }
  }
}

/* Row y of a level above 0, from the finer one below it. */
ALWAYS_INLINE void
NAME (data_row_kind) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, const NAME (Field) * finer, int y, uint32_t * buffers, bool fine)
{
  const NAME (Field) field = NAME (whole_field) (k, work, level);
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
          + v * finer->pitch;
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
          /* units of 8, 4 and 2; the later ones leave it as it is then */
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
NAME (row_buffers) (const Job * job, int worker)
{
  return (uint32_t *) job->work->rows + (size_t) worker * N_ROW_BUFFERS
      * (half_pitch (job->k->width) + MARGIN);
}

/* Level 0 as a thread has it while level 1 is made: all of it, or two rows. */
ALWAYS_INLINE NAME (Field)
NAME (fine_field) (const StereoBpConstants * k, const StereoBpWork * work,
    int worker)
{
  NAME (Field) field = NAME (whole_field) (k, work, 0);

  if (has_windows (k)) {
    field.slots = 2;
    field.data = (FineData *) field.data + (size_t) worker * work->window.data;
  }
  return field;
}

/* Pairs of rows of level 0, and what level 1 has of them. */
static void
NAME (fine_rows) (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  uint32_t *buffers = NAME (row_buffers) (job, span.worker);
  NAME (Field) field = NAME (fine_field) (k, job->work, span.worker);

  for (int y = span.begin; y < span.end; y++) {
    NAME (fine_data_row) (k, job->work, &field, 2 * y, buffers);
    if (2 * y + 1 < k->height)
      NAME (fine_data_row) (k, job->work, &field, 2 * y + 1, buffers);
    if (k->n_levels > 1)
      NAME (data_row_kind) (k, job->work, 1, &field, y, buffers, true);
  }
}

static void
NAME (data_rows) (const void *context, StereoSpan span)
{
  const Job *job = context;
  uint32_t *buffers = NAME (row_buffers) (job, span.worker);
  NAME (Field) finer = NAME (whole_field) (job->k, job->work, job->level - 1);

  for (int y = span.begin; y < span.end; y++)
    NAME (data_row_kind) (job->k, job->work, job->level, &finer, y, buffers,
        false);
}

static void
NAME (pyramid) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work };

  if (k->n_levels > 1 || !has_windows (k))
    stereo_cpu_for (frame->queue, (k->height + 1) / 2, 0, NAME (fine_rows),
        &job);
  for (job.level = 2; job.level < k->n_levels; job.level++)
    stereo_cpu_for (frame->queue, k->level[job.level].height, 0,
        NAME (data_rows), &job);
}

/* -------------------------------------------------------------------- edges */

/* Jump and M of the messages between the pixels of row y, and between them and
 * those of the row below. */
static void
NAME (edge_rows) (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  int level = job->level, bottom = k->level[level].height - 1;
  int width = k->level[level].width;
  size_t pitch = half_pitch (width);

  for (int y = span.begin; y < span.end; y++) {
    int below = y < bottom ? y + 1 : y;
    uint32_t here = stereo_bp_guide (job->frame, k, job->work, level, 0, y);

    for (int x = 0; x < width; x++) {
      uint32_t right = stereo_bp_guide (job->frame, k, job->work, level,
          x + 1 < width ? x + 1 : x, y);
      uint32_t g[2] = { stereo_difference_max (here, right),
        stereo_difference_max (here, stereo_bp_guide (job->frame, k, job->work,
                level, x, below))
      };

      for (int j = 0; j < 2; j++) {
        Message *target = (Message *) job->work->edges[level]
            + edges_offset (k, level, y, x & 1, j) + (size_t) (x / 2);

        target[0] = (Message) k->jump[g[j]];
        target[pitch] = (Message) k->max_message[g[j]];
      }
      here = right;
    }
  }
}

static void
NAME (make_edges) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work };

  for (job.level = 0; job.level < k->n_levels; job.level++)
    stereo_cpu_for (frame->queue, k->level[job.level].height, 0,
        NAME (edge_rows), &job);
}

/* What the four messages of LANES pixels are limited by. */
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
  at[UP] = edges + edges_offset (k, level, y - 1, half, 1);
  at[DOWN] = edges + edges_offset (k, level, y, half, 1);
  at[LEFT] = edges + edges_offset (k, level, y, !half, 0) + half - 1;
  at[RIGHT] = edges + edges_offset (k, level, y, half, 0);
  for (int j = 0; j < 4; j++) {
    b.jump[j] = LOAD_MESSAGE (at[j]);
    b.limit[j] = LOAD_MESSAGE (at[j] + pitch);
  }
  return b;
}

/* ----------------------------------------------------------------- messages */

typedef Message NAME (Block) __attribute__ ((vector_size (16
            * sizeof (Message))));

/* First messages of row y of one direction and half, from those of the coarser
 * level.  Those of pixels that iteration 0 replaces before anyone reads them
 * are left out. */
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
    /* a row has room for whole blocks */
    for (int i = 0; i < count; i += 16) {
      NAME (Block) e, o;

      memcpy (&e, even + i / 2, sizeof (e));
      memcpy (&o, odd + i / 2, sizeof (o));
      e = __builtin_shufflevector (e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
          21, 6, 22, 7, 23);
      memcpy (target + i, &e, sizeof (e));
    }
  }
}

/* First messages of row y. */
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

/* What the pixels of a vector read, at disparity 0, and what they write. */
typedef struct
{
  const Message *in[4];
  const void *data;
  Message *out[4];
} NAME (Place);

/* Pixels from i on of a half of row y. */
ALWAYS_INLINE NAME (Place)
NAME (place) (const StereoBpConstants * k, const NAME (Field) * field, int y,
    int half, int i)
{
  ptrdiff_t at = i - field->first;
  size_t data = NAME (data_offset) (k, field, y, half) + (size_t) at;
  NAME (Place) place;

  place.in[UP] = NAME (messages) (k, field, y + 1, half, UP) + at;
  place.in[DOWN] = NAME (messages) (k, field, y - 1, half, DOWN) + at;
  place.in[LEFT] = NAME (messages) (k, field, y, !half, LEFT) + at + half;
  place.in[RIGHT] = NAME (messages) (k, field, y, !half, RIGHT) + at
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

/* Messages of LANES pixels, of which `bytes` are stored. */
ALWAYS_INLINE void
NAME (send) (const NAME (Bounds) * bounds, const NAME (Place) * place,
    size_t pitch, size_t n, Vec * h, size_t bytes, bool fine)
{
  const Vec zero = { 0 };
  /* above all h, and there is room for a jump */
  const Vec infinite = zero + ((__typeof__ (zero[0])) -1 >> 1) + 1;
  const NAME (Bounds) b = *bounds;
  Vec least[4], scan[4];

  for (int j = 0; j < 4; j++)
    least[j] = scan[j] = infinite;
  for (size_t v = 0; v < n; v++) {
    Vec up = LOAD_MESSAGE (place->in[UP] + v * pitch);
    Vec down = LOAD_MESSAGE (place->in[DOWN] + v * pitch);
    Vec left = LOAD_MESSAGE (place->in[LEFT] + v * pitch);
    Vec right = LOAD_MESSAGE (place->in[RIGHT] + v * pitch);
    Vec vertical = up + down + NAME (load_data) (place->data, v * pitch, fine);
    Vec sum = vertical + left + right;
    Vec sums[4] = { sum - down, sum - up, vertical + left, vertical + right };

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
NAME (iterate_row_kind) (const StereoBpConstants * k,
    const StereoBpWork * work, const NAME (Field) * field, int y, int t,
    Vec * h, bool fine)
{
  int width = k->level[field->level].width, half = active_half (y, t);
  size_t n = n_disparities (k);
  int first = stereo_clamp_int (first_inner (half), field->first, width);
  int last = stereo_clamp_int (last_inner (width, half), -1,
      field->first + field->count - 1);

  for (int i = first; i <= last; i += LANES) {
    /* the last vector overlaps the one before: the results are the same */
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
    NAME (iterate_row_kind) (k, work, field, y, t, h, true);
  else
    NAME (iterate_row_kind) (k, work, field, y, t, h, false);
}

/* ------------------------------------------------------------------- result */

/* What the beliefs of level 0 are made of; inner: with messages. */
ALWAYS_INLINE NAME (Place)
NAME (belief_place) (const StereoBpConstants * k, const NAME (Field) * field,
    int y, int half, int i, bool inner)
{
  NAME (Place) place = {.data = (const FineData *) field->data
        + NAME (data_offset) (k, field, y, half)
        + (size_t) (i - field->first) };

  return inner ? NAME (place) (k, field, y, half, i) : place;
}

/* The pixels of a half that winners of a field are found for. */
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

/* Disparities of row y.  inner: with messages; else all pixels, without. */
ALWAYS_INLINE void
NAME (decide_row_kind) (const StereoBpConstants * k,
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

#include "match/bp-winners-tmpl.h"

static void
NAME (decide_row) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, const NAME (Field) * field, int y, void *memory)
{
  bool inner = stereo_bp_has_inner (k);

  if (frame->winners != NULL && inner)
    NAME (winners_row) (frame, k, field, y, true, memory);
  else if (frame->winners != NULL)
    NAME (winners_row) (frame, k, field, y, false, memory);
  else if (inner)
    NAME (decide_row_kind) (k, work, field, y, true);
  else
    NAME (decide_row_kind) (k, work, field, y, false);
}

/* ------------------------------------------------------------------- sweeps */

/* What a sweep does with every row, step by step: step 0 is its first messages,
 * if start is set, and data costs, if there are none yet; steps 1 to iterations
 * are iterations t, t + 1, ..., and one more step, if decide is set, is the
 * result. */
typedef struct
{
  NAME (Field) field;
  bool start;
  bool data;
  int t;
  int iterations;
  bool decide;
} NAME (Sweep);

/* What a thread works with. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoBpConstants *k;
  const StereoBpWork *work;
  Vec *h;                       /* four messages of a vector */
  uint32_t *buffers;            /* for fine_data_row() */
  void *winners;                /* for winners_row() */
} NAME (Worker);

static void
NAME (step) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int step, int y)
{
  const StereoBpConstants *k = worker->k;
  const StereoBpWork *work = worker->work;
  const NAME (Field) * field = &sweep->field;
  bool inner = y > 0 && y < k->level[field->level].height - 1;

  if (step == 0) {
    if (sweep->start)
      NAME (start_row) (k, work, field, y);
    if (sweep->data)
      NAME (fine_data_row) (k, work, field, y, worker->buffers);
  } else if (step <= sweep->iterations) {
    if (inner)
      NAME (iterate_row) (k, work, field, y, sweep->t + step - 1, worker->h);
  } else if (inner || !stereo_bp_has_inner (k)) {
    NAME (decide_row) (worker->frame, k, work, field, y, worker->winners);
  }
}

/* Steps of rows begin to end - 1 as far as they need no others. */
static void
NAME (sweep_band) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int steps, int begin, int end)
{
  int height = worker->k->level[sweep->field.level].height;

  for (int front = begin; front < end + steps; front++) {
    for (int s = 0; s < steps; s++) {
      int y = front - s;

      if (y >= (begin > 0 ? begin + s : 0)
          && y < (end < height ? end - s : height))
        NAME (step) (worker, sweep, s, y);
    }
  }
}

/* The rest, where one band ends and the next one begins. */
static void
NAME (sweep_border) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int steps, int border)
{
  for (int s = 1; s < steps; s++) {
    for (int y = border - s; y < border + s; y++)
      NAME (step) (worker, sweep, s, y);
  }
}

/* The bands of rows that a sweep is done in. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoBpConstants *k;
  const StereoBpWork *work;
  NAME (Sweep) sweep;
  int steps;
  int bands;
} NAME (Bands);

ALWAYS_INLINE int
NAME (first_row) (const NAME (Bands) * b, int band)
{
  return band * b->k->level[b->sweep.field.level].height / b->bands;
}

ALWAYS_INLINE NAME (Worker)
NAME (worker) (const NAME (Bands) * b, int number)
{
  Job job = {.k = b->k,.work = b->work };
  uint8_t *winners = b->work->winners;

  if (winners != NULL)
    winners += (size_t) number * winners_bytes (b->k);
  return (NAME (Worker)) {
    b->frame, b->k, b->work,
    (Vec *) b->work->sums + (size_t) number * 4 * n_disparities (b->k),
    NAME (row_buffers) (&job, number), winners
  };
}

static void
NAME (sweep_bands) (const void *context, StereoSpan span)
{
  const NAME (Bands) *b = context;
  NAME (Worker) worker = NAME (worker) (b, span.worker);

  for (int i = span.begin; i < span.end; i++)
    NAME (sweep_band) (&worker, &b->sweep, b->steps, NAME (first_row) (b, i),
        NAME (first_row) (b, i + 1));
}

static void
NAME (sweep_borders) (const void *context, StereoSpan span)
{
  const NAME (Bands) *b = context;
  NAME (Worker) worker = NAME (worker) (b, span.worker);

  for (int i = span.begin; i < span.end; i++)
    NAME (sweep_border) (&worker, &b->sweep, b->steps,
        NAME (first_row) (b, i + 1));
}

/* All iterations of a level whose messages are kept. */
static void
NAME (propagate) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int level)
{
  StereoQueue *queue = frame->queue;
  int height = k->level[level].height;
  NAME (Bands) b = {.frame = frame,.k = k,.work = work };
  int most;

  b.bands = stereo_clamp_int (height / 8, 1, stereo_cpu_threads (queue));
  /* A band has at least twice as many rows as a sweep has steps. */
  most = b.bands == 1 ? MAX_SWEEP
      : stereo_clamp_int (height / b.bands / 2 - 2, 1, MAX_SWEEP);
  for (int t = 0; t < k->iterations; t += most) {
    bool last = k->iterations - t <= most;

    b.sweep = (NAME (Sweep)) {
      .field = NAME (whole_field) (k, work, level),.start = t == 0,.t = t,
      .iterations = last ? k->iterations - t : most,
      .decide = last && level == 0
    };
    b.steps = 1 + b.sweep.iterations + b.sweep.decide;
    stereo_cpu_for (queue, b.bands, 1, NAME (sweep_bands), &b);
    stereo_cpu_for (queue, b.bands - 1, 1, NAME (sweep_borders), &b);
  }
}

/* ------------------------------------------------------------------ windows */

/* The window of level 0 whose first pixel of a half is number `first`. */
ALWAYS_INLINE NAME (Field)
NAME (window) (const StereoBpConstants * k, const StereoBpWork * work,
    int worker, int first)
{
  const StereoBpWindow *w = &work->window;
  int width = half_width (k->width, 0), border = window_border (k);
  int end = first + (int) w->pitch;

  return (NAME (Field)) {
    .first = first,.count = (int) w->pitch,
    .begin = first == 0 ? 0 : first + border,
    .end = end >= width ? width : end - border,
    .slots = w->slots,.pitch = w->pitch,
    .messages = (Message *) work->messages[0] + (size_t) worker * w->messages,
    .data = (FineData *) work->data[0] + (size_t) worker * w->data
  };
}

/* Winners of rows begin to end - 1 in a window: each step does those rows that
 * the next one needs. */
static void
NAME (sweep_window) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int begin, int end)
{
  int height = worker->k->height, last = sweep->iterations + 1;

  for (int front = begin - last; front < end + last; front++) {
    for (int s = 0; s <= last; s++) {
      int y = front - s, more = last - s;

      if (y >= 0 && y < height && y >= begin - more && y < end + more)
        NAME (step) (worker, sweep, s, y);
    }
  }
}

static void
NAME (sweep_windows) (const void *context, StereoSpan span)
{
  const NAME (Bands) *b = context;
  const StereoBpConstants *k = b->k;
  NAME (Worker) worker = NAME (worker) (b, span.worker);
  NAME (Sweep) sweep = {.start = true,.data = true,
    .iterations = k->iterations,.decide = true
  };

  for (int i = span.begin; i < span.end; i++) {
    int first = 0;

    do {
      sweep.field = NAME (window) (k, b->work, span.worker, first);
      NAME (sweep_window) (&worker, &sweep, NAME (first_row) (b, i),
          NAME (first_row) (b, i + 1));
      first = sweep.field.end - window_border (k);
    } while (sweep.field.end < half_width (k->width, 0));
  }
}

/* First messages of a level, and all iterations. */
static void
NAME (descend) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int level)
{
  NAME (Bands) b = {.frame = frame,.k = k,.work = work };

  if (level > 0 || !has_windows (k)) {
    NAME (propagate) (frame, k, work, level);
    return;
  }
  b.bands = stereo_clamp_int (k->height / MIN_WINDOW_BAND, 1,
      stereo_cpu_threads (frame->queue));
  stereo_cpu_for (frame->queue, b.bands, 1, NAME (sweep_windows), &b);
}

#undef NAME
#undef Message
#undef FineData
#undef Data
#undef Vec
#undef LOAD_MESSAGE
#undef STORE_MESSAGE
#undef LOAD_FINE_DATA
#undef LOAD_DATA
#undef MIN
#undef KEEP_BEST
#undef HALF
#undef WINNER_SHIFT
#undef LANES

#endif /* NAME */
