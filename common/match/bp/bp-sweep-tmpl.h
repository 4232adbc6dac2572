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

static void
NAME (step) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int step, int y)
{
  const StereoBpConstants *k = worker->a->k;
  const StereoBpWork *work = worker->a->work;
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
    for (int s = 0; s < steps; s++) {
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

/* A sweep in bands of rows. */
typedef struct
{
  const StereoBpArgs *a;
  NAME (Sweep) sweep;
  int steps;
  int bands;
} NAME (Bands);

ALWAYS_INLINE int
NAME (first_row) (const NAME (Bands) * b, int band)
{
  return band * b->a->k->level[b->sweep.field.level].height / b->bands;
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

/* All iterations of a level without windows. */
static void
NAME (propagate) (const StereoBpArgs * a)
{
  const StereoBpConstants *k = a->k;
  StereoQueue *queue = a->frame->queue;
  int height = k->level[a->level].height;
  NAME (Bands) b = {.a = a };
  int most;

  b.bands = stereo_clamp_int (height / 8, 1, stereo_cpu_threads (queue));
  /* a band has at least two rows per step of a sweep */
  most = b.bands == 1 ? MAX_SWEEP
      : stereo_clamp_int (height / b.bands / 2 - 2, 1, MAX_SWEEP);
  for (int t = 0; t < k->iterations; t += most) {
    bool last = k->iterations - t <= most;

    b.sweep = (NAME (Sweep)) {
      .field = NAME (whole_field) (k, a->work, a->level),.start = t == 0,.t = t,
      .iterations = last ? k->iterations - t : most,
      .decide = last && a->level == 0
    };
    b.steps = 1 + b.sweep.iterations + b.sweep.decide;
    stereo_cpu_for (queue, b.bands, 1, NAME (sweep_bands), &b);
    stereo_cpu_for (queue, b.bands - 1, 1, NAME (sweep_borders), &b);
  }
}

/* ------------------------------------------------------------------ windows */

/* The window of level 0 from pixel `first` of a half on. */
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

/* Results of rows begin to end - 1 in a window.  Each step processes the rows
 * that the next step needs. */
static void
NAME (sweep_window) (const NAME (Worker) * worker, const NAME (Sweep) * sweep,
    int begin, int end)
{
  int height = worker->a->k->height, last = sweep->iterations + 1;

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
  const StereoBpConstants *k = b->a->k;
  NAME (Worker) worker = NAME (worker) (b, span.worker);
  NAME (Sweep) sweep = {.start = true,.data = true,
    .iterations = k->iterations,.decide = true
  };

  for (int i = span.begin; i < span.end; i++) {
    int first = 0;

    do {
      sweep.field = NAME (window) (k, b->a->work, span.worker, first);
      NAME (sweep_window) (&worker, &sweep, NAME (first_row) (b, i),
          NAME (first_row) (b, i + 1));
      first = sweep.field.end - window_border (k);
    } while (sweep.field.end < half_width (k->width, 0));
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
