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

/* ---------------------------------------------------------------- data cost */

/* Data costs of pixels begin to end - 1 for differences of 16 bits. */
ALWAYS_INLINE void
NAME (scale_row) (const StereoBpConstants * k, const uint16_t * difference,
    int begin, int end, FineData * c)
{
  uint16_t limit = (uint16_t) k->difference_limit, gain = (uint16_t) k->gain;

  if (k->gain >= 65536) {
    for (int i = begin; i < end; i++)
      c[i] = (FineData) stereo_bp_data_cost (k, difference[i]);
    return;
  }
  for (int i = begin; i < end; i++) {
    uint16_t t = difference[i] < limit ? difference[i] : limit;
    uint16_t low = (uint16_t) (t * (unsigned) gain);
    uint16_t high = (uint16_t) ((t * (unsigned) gain) >> 16);

    c[i] = (FineData) (high + (low >> 15));
  }
}

/* The same of a half of row y and one disparity: columns that have a partner.
 * rows are those of split_rows(), difference is for a thread's own use. */
static void
NAME (cost_row) (const StereoBpConstants * k, const Rows * rows, int half,
    int d, uint16_t * difference, FineData * c)
{
  int first = stereo_partner_first (d);
  int last = stereo_partner_last (k->width, d);
  int other = (half - d) & 1, shift = (half - d - other) / 2;
  int begin = (first + 1 - half) / 2, end = (last + 2 - half) / 2;

  if (k->cost == STEREO_COST_CENSUS) {
    census_differences (rows, half, other, shift, begin, end, difference);
    NAME (scale_row) (k, difference, begin, end, c);
  } else if (k->cost == STEREO_COST_LUMA) {
    const uint16_t *l = rows->luma[0][half];
    const uint16_t *r = rows->luma[1][other] + shift;

    for (int i = begin; i < end; i++)
      difference[i] = (uint16_t) ((l[i] > r[i] ? l[i] : r[i])
          - (l[i] > r[i] ? r[i] : l[i]));
    NAME (scale_row) (k, difference, begin, end, c);
  } else {
    color_differences (rows, half, other, shift, begin, end, difference);
    for (int i = begin; i < end; i++)
      c[i] = (FineData) stereo_bp_data_cost (k, 256u * difference[i]);
  }
}

/* Row y of level 0. */
static void
NAME (fine_data_row) (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, int y,
    uint32_t * buffers)
{
  size_t pitch = half_pitch (k->width), n = n_disparities (k);
  FineData *halves[2];
  Rows rows;
  uint16_t *difference = split_rows (frame, k, work, y, buffers, &rows);

  for (int half = 0; half < 2; half++)
    halves[half] = (FineData *) work->data[0] + data_offset (k, 0, y, half);

  for (size_t v = 0; v < n; v++) {
    int d = k->min_disparity + k->first_index + (int) v;
    int first = stereo_partner_first (d);
    int last = stereo_partner_last (k->width, d);

    for (int half = 0; half < 2; half++)
      NAME (cost_row) (k, &rows, half, d, difference,
          halves[half] + v * pitch);

    /* columns that have none */
    for (int half = 0; half < 2; half++) {
      int begin = (first + 1 - half) / 2, end = (last + 2 - half) / 2;
      FineData *c = halves[half] + v * pitch;
      FineData left = halves[first & 1][v * pitch + (size_t) (first / 2)];
      FineData right = halves[last & 1][v * pitch + (size_t) (last / 2)];

      for (int i = 0; i < begin; i++)
        c[i] = left;
      for (int i = end; i < half_width (k->width, half); i++)
        c[i] = right;
    }
  }
}

/* Row y of a level above 0, from that below it. */
ALWAYS_INLINE void
NAME (data_row_kind) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int y, uint32_t * buffers, bool fine)
{
  int width = k->level[level].width, below = k->level[level - 1].width;
  size_t pitch = half_pitch (width), n = n_disparities (k);
  size_t pitch_below = half_pitch (below);
  int rows = 2 * y + 1 < k->level[level - 1].height ? 2 : 1;
  size_t room = pitch + MARGIN;
  Data *sums = (Data *) buffers, *least = sums + 2 * room;
  Data *target = (Data *) work->data[level] + data_offset (k, level, y, 0);

  for (size_t i = 0; i < 2 * pitch; i++)
    least[i] = (Data) - 1;

  for (size_t v = 0; v < n; v++) {
    for (int x = 0; x < width; x++)
      sums[x] = 0;
    for (int part = 0; part < 2 * rows; part++) {
      size_t from = data_offset (k, level - 1, 2 * y + part / 2, part % 2)
          + v * pitch_below;
      int count = half_width (below, part % 2);

      if (fine) {
        const FineData *source = (const FineData *) work->data[0] + from;

        for (int x = 0; x < count; x++)
          sums[x] = (Data) (sums[x] + source[x]);
      } else {
        const Data *source = (const Data *) work->data[level - 1] + from;

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

/* Pairs of rows of level 0, and what level 1 has of them. */
static void
NAME (fine_rows) (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  uint32_t *buffers = NAME (row_buffers) (job, span.worker);

  for (int y = span.begin; y < span.end; y++) {
    NAME (fine_data_row) (job->frame, k, job->work, 2 * y, buffers);
    if (2 * y + 1 < k->height)
      NAME (fine_data_row) (job->frame, k, job->work, 2 * y + 1, buffers);
    if (k->n_levels > 1)
      NAME (data_row_kind) (k, job->work, 1, y, buffers, true);
  }
}

static void
NAME (data_rows) (const void *context, StereoSpan span)
{
  const Job *job = context;
  uint32_t *buffers = NAME (row_buffers) (job, span.worker);

  for (int y = span.begin; y < span.end; y++)
    NAME (data_row_kind) (job->k, job->work, job->level, y, buffers, false);
}

static void
NAME (pyramid) (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work };

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

/* First messages of row y.  Those of pixels that iteration 0 replaces before
 * anyone reads them are left out. */
static void
NAME (start_row) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int y)
{
  int width = k->level[level].width, height = k->level[level].height;
  size_t pitch = half_pitch (width), n = n_disparities (k);
  bool coarsest = level == k->n_levels - 1;
  bool inner = y > 0 && y < height - 1;
  size_t pitch_above = coarsest ? 0
      : half_pitch (k->level[level + 1].width);

  for (int half = 0; half < 2; half++) {
    int count = half_width (width, half);

    for (int direction = 0; direction < 4; direction++) {
      Message *target = (Message *) work->messages[level]
          + messages_offset (k, level, y, half, direction);
      const Message *parents[2];

      if (coarsest) {
        memset (target, 0, n * pitch * sizeof (Message));
        continue;
      }
      for (int i = 0; i < 2; i++)
        parents[i] = (const Message *) work->messages[level + 1]
            + messages_offset (k, level + 1, y / 2, i, direction);

      if (inner && half == active_half (y, 0)) {
        int last = count - 1;

        for (size_t v = 0; v < n; v++) {
          target[v * pitch] = parents[0][v * pitch_above];
          target[v * pitch + (size_t) last] =
              parents[last % 2][v * pitch_above + (size_t) (last / 2)];
        }
        continue;
      }
      for (size_t v = 0; v < n; v++) {
        const Message *even = parents[0] + v * pitch_above;
        const Message *odd = parents[1] + v * pitch_above;
        Message *row = target + v * pitch;

        /* a row has room for one pixel more */
        for (int i = 0; i < (count + 1) / 2; i++) {
          row[2 * i] = even[i];
          row[2 * i + 1] = odd[i];
        }
      }
    }
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
NAME (place) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int y, int half, int i, bool fine)
{
  Message *messages = (Message *) work->messages[level] + i;
  NAME (Place) place;
  size_t data = data_offset (k, level, y, half) + (size_t) i;

  place.in[UP] = messages + messages_offset (k, level, y + 1, half, UP);
  place.in[DOWN] = messages + messages_offset (k, level, y - 1, half, DOWN);
  place.in[LEFT] = messages + half
      + messages_offset (k, level, y, !half, LEFT);
  place.in[RIGHT] = messages + half - 1
      + messages_offset (k, level, y, !half, RIGHT);
  if (fine)
    place.data = (const FineData *) work->data[level] + data;
  else
    place.data = (const Data *) work->data[level] + data;
  for (int j = 0; j < 4; j++)
    place.out[j] = messages + messages_offset (k, level, y, half, j);
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
    const StereoBpWork * work, int level, int y, int t, Vec * h, bool fine)
{
  int width = k->level[level].width, half = active_half (y, t);
  size_t pitch = half_pitch (width), n = n_disparities (k);
  int first = first_inner (half), last = last_inner (width, half);

  for (int i = first; i <= last; i += LANES) {
    /* the last vector overlaps the one before: the results are the same */
    int from = i + LANES - 1 > last && last - first >= LANES - 1
        ? last - LANES + 1 : i;
    NAME (Place) place = NAME (place) (k, work, level, y, half, from, fine);
    NAME (Bounds) bounds = NAME (bounds) (k, work, level, y, half, from);

    if (last - from >= LANES - 1)
      NAME (send) (&bounds, &place, pitch, n, h, LANES * sizeof (Message),
          fine);
    else
      NAME (send) (&bounds, &place, pitch, n, h,
          (size_t) (last - from + 1) * sizeof (Message), fine);
  }
}

static void
NAME (iterate_row) (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int y, int t, Vec * h)
{
  if (level == 0)
    NAME (iterate_row_kind) (k, work, level, y, t, h, true);
  else
    NAME (iterate_row_kind) (k, work, level, y, t, h, false);
}

/* ------------------------------------------------------------------- result */

/* Disparities of row y.  inner: with messages; else all pixels, without. */
ALWAYS_INLINE void
NAME (decide_row_kind) (const StereoBpConstants * k,
    const StereoBpWork * work, int y, bool inner)
{
  size_t pitch = half_pitch (k->width), n = n_disparities (k);

  for (int half = 0; half < 2; half++) {
    uint16_t *best_row = (uint16_t *) work->best + MARGIN
        + (2 * (size_t) y + (size_t) half) * pitch;
    int first = inner ? first_inner (half) : 0;
    int last = inner ? last_inner (k->width, half)
        : half_width (k->width, half) - 1;

    for (int i = first; i <= last; i += LANES) {
      Vec best = { 0 }, index = { 0 };
      NAME (Place) place = { .data = (const FineData *) work->data[0]
            + data_offset (k, 0, y, half) + (size_t) i };

      if (inner)
        place = NAME (place) (k, work, 0, y, half, i, true);
      best -= 1;
      for (size_t v = 0; v < n; v++) {
        Vec sum = NAME (load_data) (place.data, v * pitch, true);

        for (int j = 0; j < 4 && inner; j++)
          sum += LOAD_MESSAGE (place.in[j] + v * pitch);
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
    const StereoBpWork * work, int y, void *memory)
{
  bool inner = stereo_bp_has_inner (k);

  if (frame->winners != NULL && inner)
    NAME (winners_row) (frame, k, work, y, true, memory);
  else if (frame->winners != NULL)
    NAME (winners_row) (frame, k, work, y, false, memory);
  else if (inner)
    NAME (decide_row_kind) (k, work, y, true);
  else
    NAME (decide_row_kind) (k, work, y, false);
}

/* ------------------------------------------------------------------- sweeps */

/* What a sweep does with every row, step by step: step 0 is its first messages,
 * if start is set, steps 1 to iterations are iterations t, t + 1, ..., and one
 * more step, if decide is set, is the result. */
typedef struct
{
  int level;
  bool start;
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
  void *winners;                /* for winners_row() */
} NAME (Worker);

static void
NAME (step) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int step, int y)
{
  const StereoBpConstants *k = worker->k;
  const StereoBpWork *work = worker->work;
  bool inner = y > 0 && y < k->level[sweep->level].height - 1;

  if (step == 0) {
    if (sweep->start)
      NAME (start_row) (k, work, sweep->level, y);
  } else if (step <= sweep->iterations) {
    if (inner)
      NAME (iterate_row) (k, work, sweep->level, y, sweep->t + step - 1,
          worker->h);
  } else if (inner || !stereo_bp_has_inner (k)) {
    NAME (decide_row) (worker->frame, k, work, y, worker->winners);
  }
}

/* Steps of rows begin to end - 1 as far as they need no others. */
static void
NAME (sweep_band) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int steps, int begin, int end)
{
  int height = worker->k->level[sweep->level].height;

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
  return band * b->k->level[b->sweep.level].height / b->bands;
}

ALWAYS_INLINE NAME (Worker)
NAME (worker) (const NAME (Bands) * b, int number)
{
  return (NAME (Worker)) { b->frame, b->k, b->work,
    (Vec *) b->work->sums + (size_t) number * 4 * n_disparities (b->k),
    b->k->winners ? (uint8_t *) b->work->winners
        + (size_t) number * winners_bytes (b->k) : NULL
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

/* All iterations of a level. */
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

    b.sweep = (NAME (Sweep)) { level, t == 0, t, last ? k->iterations - t
          : most, last && level == 0 };
    b.steps = 1 + b.sweep.iterations + b.sweep.decide;
    stereo_cpu_for (queue, b.bands, 1, NAME (sweep_bands), &b);
    stereo_cpu_for (queue, b.bands - 1, 1, NAME (sweep_borders), &b);
  }
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
