/* gst-stereomatching: vector sweeps of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* bp-simd.c includes this file for each precision. */

#ifdef NAME

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
    NAME (decide_row_impl) (k, work, field, y, true);
  else
    NAME (decide_row_impl) (k, work, field, y, false);
}

/* ------------------------------------------------------------------- sweeps */

/* Steps of a sweep for each row.  Step 0 computes the initial messages if start
 * is set, and data costs if data is set; steps 1 to iterations are iterations
 * t, t + 1, ...; a last step computes the result if decide is set. */
typedef struct
{
  NAME (Field) field;
  bool start;
  bool data;
  int t;
  int iterations;
  bool decide;
} NAME (Sweep);

/* Context of a thread. */
typedef struct
{
  const StereoBpArgs *a;
  Vec *h;                       /* four messages of a vector */
  uint32_t *buffers;            /* for fine_data_row() */
  void *winners;                /* for winners_row() */
} NAME (Worker);

/* Step 0 of row y; that of rows begin to end - 1 is in order. */
static void
NAME (first_step) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int y, int begin, int end)
{
  const StereoBpConstants *k = worker->a->k;
  const StereoBpWork *work = worker->a->work;

  if (sweep->start && (y % 2 == 0 || y == begin))
    NAME (start_rows) (k, work, &sweep->field, y, y % 2 == 0 && y + 1 < end
        ? 2 : 1);
  if (sweep->data)
    NAME (fine_data_row) (k, work, &sweep->field, y, worker->buffers);
}

/* Another step of row y. */
static void
NAME (step) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int step, int y)
{
  const StereoBpConstants *k = worker->a->k;
  const StereoBpWork *work = worker->a->work;
  const NAME (Field) * field = &sweep->field;
  bool inner = y > 0 && y < k->level[field->level].height - 1;

  if (step <= sweep->iterations) {
    if (inner)
      NAME (iterate_row) (k, work, field, y, sweep->t + step - 1, worker->h);
  } else if (inner || !stereo_bp_has_inner (k)) {
    NAME (decide_row) (worker->a->frame, k, work, field, y, worker->winners);
  }
}

/* Steps of rows begin to end - 1 that need no other rows. */
static void
NAME (sweep_band) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int steps, int begin, int end)
{
  int height = worker->a->k->level[sweep->field.level].height;

  for (int front = begin; front < end + steps; front++) {
    if (front < end)
      NAME (first_step) (worker, sweep, front, begin, end);
    for (int s = 1; s < steps; s++) {
      int y = front - s;

      if (y >= (begin > 0 ? begin + s : 0)
          && y < (end < height ? end - s : height))
        NAME (step) (worker, sweep, s, y);
    }
  }
}

/* The remaining steps at the border of two bands. */
static void
NAME (sweep_border) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int steps, int border)
{
  for (int s = 1; s < steps; s++) {
    for (int y = border - s; y < border + s; y++)
      NAME (step) (worker, sweep, s, y);
  }
}

/* A sweep in bands of rows, of each window of a level. */
typedef struct
{
  const StereoBpArgs *a;
  NAME (Sweep) sweep;
  int steps;
  int bands;
  int windows;
} NAME (Bands);

ALWAYS_INLINE int
NAME (first_row) (const NAME (Bands) * b, int band)
{
  return band * b->a->k->level[b->a->level].height / b->bands;
}

ALWAYS_INLINE NAME (Worker)
NAME (worker) (const NAME (Bands) * b, int number)
{
  const StereoBpWork *work = b->a->work;
  uint8_t *winners = work->winners;

  if (winners != NULL)
    winners += (size_t) number * winners_bytes (b->a->k);
  return (NAME (Worker)) {
    b->a, (Vec *) work->sums + (size_t) number * 4 * n_disparities (b->a->k),
    NAME (row_buffers) (b->a, number), winners
  };
}

/* The sweep of window i of the level. */
ALWAYS_INLINE NAME (Sweep)
NAME (sweep_of) (const NAME (Bands) * b, int i)
{
  NAME (Sweep) sweep = b->sweep;

  sweep.field = NAME (window) (b->a->k, b->a->work, b->a->level, i);
  return sweep;
}

static void
NAME (sweep_bands) (const void *context, StereoSpan span)
{
  const NAME (Bands) *b = context;
  NAME (Worker) worker = NAME (worker) (b, span.worker);

  for (int i = span.begin; i < span.end; i++) {
    const NAME (Sweep) sweep = NAME (sweep_of) (b, i % b->windows);
    const int band = i / b->windows;

    NAME (sweep_band) (&worker, &sweep, b->steps, NAME (first_row) (b, band),
        NAME (first_row) (b, band + 1));
  }
}

static void
NAME (sweep_borders) (const void *context, StereoSpan span)
{
  const NAME (Bands) *b = context;
  NAME (Worker) worker = NAME (worker) (b, span.worker);

  for (int i = span.begin; i < span.end; i++) {
    const NAME (Sweep) sweep = NAME (sweep_of) (b, i % b->windows);

    NAME (sweep_border) (&worker, &sweep, b->steps,
        NAME (first_row) (b, i / b->windows + 1));
  }
}

/* All iterations of a level in memory. */
static void
NAME (propagate) (const StereoBpArgs * a)
{
  const StereoBpConstants *k = a->k;
  StereoQueue *queue = a->frame->queue;
  int height = k->level[a->level].height;
  int threads = stereo_cpu_threads (queue), most;
  NAME (Bands) b = {.a = a };

  b.windows = n_windows (k, &a->work->window, a->level);
  /* enough for all threads, together with the windows */
  b.bands = stereo_clamp_int ((4 * threads + b.windows - 1) / b.windows, 1,
      stereo_clamp_int (height / 8, 1, threads));
  /* a band has at least two rows per step of a sweep */
  most = b.bands == 1 ? MAX_SWEEP
      : stereo_clamp_int (height / b.bands / 2 - 2, 1, MAX_SWEEP);
  for (int t = 0; t < k->iterations; t += most) {
    bool last = k->iterations - t <= most;

    b.sweep = (NAME (Sweep)) {
      .start = t == 0,.t = t,
      .iterations = last ? k->iterations - t : most,
      .decide = last && a->level == 0
    };
    b.steps = 1 + b.sweep.iterations + b.sweep.decide;
    stereo_cpu_for (queue, b.bands * b.windows, 1, NAME (sweep_bands), &b);
    stereo_cpu_for (queue, (b.bands - 1) * b.windows, 1, NAME (sweep_borders),
        &b);
  }
}

/* ------------------------------------------------------------- current rows */

/* Window i of level 0, in memory of a thread for its current rows. */
ALWAYS_INLINE NAME (Field)
NAME (current_rows) (const StereoBpConstants * k, const StereoBpWork * work,
    int worker, int i)
{
  const StereoBpWindow *w = &work->window;
  NAME (Field) field = NAME (window) (k, work, 0, i);

  field.slots = w->slots;
  field.data_pitch = w->pitch;
  field.messages = (Message *) work->messages[0] + (size_t) worker
      * w->messages;
  field.data = (FineData *) work->data[0] + (size_t) worker * w->data;
  return field;
}

/* Results of rows begin to end - 1 in a window.  Each step processes the rows
 * that the next step needs. */
static void
NAME (sweep_window) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int begin, int end)
{
  int height = worker->a->k->height, last = sweep->iterations + 1;
  int first_begin = begin > last ? begin - last : 0;
  int first_end = end + last < height ? end + last : height;

  for (int front = first_begin; front < end + last; front++) {
    if (front < first_end)
      NAME (first_step) (worker, sweep, front, first_begin, first_end);
    for (int s = 1; s <= last; s++) {
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
  const StereoBpConstants *k = b->a->k;
  NAME (Worker) worker = NAME (worker) (b, span.worker);
  NAME (Sweep) sweep = {.start = true,.data = true,
    .iterations = k->iterations,.decide = true
  };

  for (int i = span.begin; i < span.end; i++) {
    for (int j = 0; j < b->windows; j++) {
      sweep.field = NAME (current_rows) (k, b->a->work, span.worker, j);
      NAME (sweep_window) (&worker, &sweep, NAME (first_row) (b, i),
          NAME (first_row) (b, i + 1));
    }
  }
}

/* Initial messages and all iterations of a level. */
static void
NAME (descend) (const StereoBpArgs * a)
{
  NAME (Bands) b = {.a = a };

  if (a->level > 0 || !has_windows (a->k)) {
    NAME (propagate) (a);
    return;
  }
  b.windows = n_windows (a->k, &a->work->window, 0);
  b.bands = stereo_clamp_int (a->k->height / MIN_WINDOW_BAND, 1,
      stereo_cpu_threads (a->frame->queue));
  stereo_cpu_for (a->frame->queue, b.bands, 1, NAME (sweep_windows), &b);
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
