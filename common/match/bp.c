/* gst-stereomatching: hierarchical belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp-simd.h"

#include "match/bp-cpu.h"
#include "match/bp-pixel.h"
#include "core/cpu.h"
#include "refine/output.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

static const StereoEnumValue precision_values[] = {
  {"int8", "Messages of 8 bits"},
  {"half", "Messages of 16 bits (fp16)"},
  {"float", "Messages of 32 bits (fp32)"},
};

static const StereoParamSpec specs[] = {
  STEREO_PARAM_UINT_ROW (StereoBpParams, iterations, "iterations",
      "Iterations on each level", 7, 1, 100),
  STEREO_PARAM_UINT_ROW (StereoBpParams, levels, "levels",
      "Levels of the image pyramid; those with a side below 3 pixels are left "
      "out", 5, 1, STEREO_BP_MAX_LEVELS),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, data_weight, "data-weight",
      "Weight of the matching cost against smoothness", 0.1, 0.0, 10.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_data_term, "max-data-term",
      "Difference at which the matching cost is cut off, in levels of 8 bits",
      15.0, 0.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_disc_term, "max-disc-term",
      "Largest cost of a change of disparity between neighbours; 0 = "
      "num-disparities / 7.5", 0.0, 0.0, 1000.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, disc_single_jump,
      "disc-single-jump",
      "Cost of a change of disparity by one between neighbours", 1.0, 0.0,
      100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, smoothing, "smoothing",
      "Standard deviation of the Gaussian that smooths both views, in pixels; "
      "below 0.1 they stay as they are", 0.0, 0.0, 10.0),
  STEREO_PARAM_ENUM_ROW (StereoBpParams, precision, "precision",
      "How fine messages are", STEREO_BP_PRECISION_INT8, precision_values),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

/* What each precision has room for; see bp.h. */
static const struct
{
  uint32_t message;
  uint32_t data_cost;           /* of level 0 */
  uint32_t max_data;
} limits[] = {
  [STEREO_BP_PRECISION_INT8] = {255, 254, 16383},
  [STEREO_BP_PRECISION_HALF] = {4088, 255, 16376},
  [STEREO_BP_PRECISION_FLOAT] = {1 << 20, 1 << 15, 1 << 22},
};

/* The cut-off data cost has this many units at least, even if messages have
 * then no room for the whole max-disc-term. */
#define MIN_DATA_UNITS 8

/* No number of units is infinite. */
#define MIN_UNIT 1e-300

static void
choose_unit (const StereoSearch * search, const StereoBpParams * params,
    StereoBpConstants * k)
{
  double disc = params->max_disc_term > 0 ? params->max_disc_term
      : search->num_disparities / 7.5;
  double data, unit, jump;
  uint32_t most = limits[params->precision].message;

  k->difference_limit = (uint32_t) floor (256 * params->max_data_term + 0.5);
  data = params->data_weight * k->difference_limit / 256;

  unit = fmax (disc / most, data / limits[params->precision].data_cost);
  if (data > 0)
    unit = fmin (unit, data / MIN_DATA_UNITS);
  unit = fmax (unit, MIN_UNIT);
  /* a whole number of units for the jump, where that is possible */
  jump = params->disc_single_jump / unit;
  if (jump > most) {
    jump = most;
  } else if (jump >= 1) {
    jump = floor (jump);
    unit = params->disc_single_jump / jump;
  } else if (jump > 0) {
    jump = 1;
  }

  k->max_message = (uint32_t) fmin (most, floor (disc / unit + 0.5));
  if (k->precision == STEREO_BP_PRECISION_HALF)
    k->max_message = stereo_bp_round_half (k->max_message);
  k->jump = stereo_min_u32 ((uint32_t) jump, k->max_message);
  if (k->difference_limit > 0)
    k->gain = (uint32_t) floor (data / unit / k->difference_limit * 65536
        + 0.5);
}

/* Weights of 2^16 altogether; what rounding leaves goes to the middle. */
static void
make_taps (double sigma, StereoBpConstants * k)
{
  double weight[STEREO_BP_MAX_TAPS], sum = 0;
  uint32_t rest = 65536;

  k->n_taps = sigma < 0.1 ? 1 : (int) ceil (4 * sigma) + 1;
  for (int i = 0; i < k->n_taps; i++) {
    weight[i] = i == 0 ? 1 : exp (-0.5 * (i / sigma) * (i / sigma));
    sum += i == 0 ? 1 : 2 * weight[i];
  }
  for (int i = k->n_taps - 1; i > 0; i--) {
    k->taps[i] = (uint32_t) floor (65536 * weight[i] / sum + 0.5);
    rest -= 2 * k->taps[i];
  }
  k->taps[0] = rest;
}

void
stereo_bp_constants (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * k)
{
  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->precision = params->precision;
  k->iterations = (int) params->iterations;
  k->max_data = limits[params->precision].max_data;
  choose_unit (search, params, k);
  make_taps (params->smoothing, k);

  k->level[0] = (StereoBpSize) { search->width, search->height };
  for (k->n_levels = 1; k->n_levels < (int) params->levels; k->n_levels++) {
    StereoBpSize finer = k->level[k->n_levels - 1];
    StereoBpSize size = { (finer.width + 1) / 2, (finer.height + 1) / 2 };

    if (size.width < 3 || size.height < 3)
      break;
    k->level[k->n_levels] = size;
  }
}

/* ----------------------------------------------------------------- schedule */

typedef struct
{
  StereoBpConstants constants;
  StereoBpWork work;
} Plan;

static StereoStatus
plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoBpParams *p = params;
  const StereoBpStages *s = stages;
  Plan *self = plan_memory;
  StereoStatus status;

  memset (self, 0, sizeof (*self));
  stereo_bp_constants (search, p, &self->constants);
  status = s->plan (search, &self->constants, &self->work, arena, why);
  if (status == STEREO_OK && self->constants.n_levels < (int) p->levels)
    return stereo_fail (why, STEREO_OK, "%dx%d pixels have room for %d levels "
        "of at least 3x3, not for %u", search->width, search->height,
        self->constants.n_levels, p->levels);
  return status;
}

static const char *const level_name[STEREO_BP_MAX_LEVELS] = {
  "level 0", "level 1", "level 2", "level 3", "level 4", "level 5",
  "level 6", "level 7", "level 8", "level 9"
};

/* Data costs of all levels above 0. */
static StereoStatus
run_pyramid (StereoQueue * q, const Plan * p, const StereoBpStages * s)
{
  const StereoBpConstants *k = &p->constants;
  StereoStatus status = STEREO_OK;

  if (s->pyramid != NULL)
    return s->pyramid (q, k, &p->work);
  for (int level = 1; level < k->n_levels && status == STEREO_OK; level++)
    status = s->data (q, k, level, &p->work);
  return status;
}

/* Messages of a level. */
static StereoStatus
run_level (StereoQueue * q, const Plan * p, const StereoBpStages * s,
    int level)
{
  const StereoBpConstants *k = &p->constants;
  StereoStatus status;

  if (s->descend != NULL)
    return s->descend (q, k, level, &p->work);
  status = s->start (q, k, level, &p->work);
  for (int t = 0; t < k->iterations && status == STEREO_OK; t++)
    status = s->iterate (q, k, level, t, &p->work);
  return status;
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoBpStages *s = stages;
  const Plan *p = frame->plan;
  const StereoBpConstants *k = &p->constants;
  StereoQueue *q = frame->queue;
  StereoStatus status;

  if (s->match != NULL)
    return s->match (q, k, &frame->left, &frame->right, &p->work, &frame->map,
        frame->output);
  if (k->first_index == k->end_index)
    return s->finish (q, k, &p->work, &frame->map, frame->output);

  status = s->prepare (q, k, &frame->left, &frame->right, &p->work);
  if (status == STEREO_OK)
    status = run_pyramid (q, p, s);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "data cost");
  for (int l = k->n_levels - 1; l >= 0 && status == STEREO_OK; l--) {
    status = run_level (q, p, s, l);
    if (status == STEREO_OK)
      status = stereo_stage_end (frame->timestamps, level_name[l]);
  }
  if (status == STEREO_OK)
    status = s->finish (q, k, &p->work, &frame->map, frame->output);
  return status;
}

const StereoAlgorithm stereo_bp_algorithm = {
  .name = "bp",
  .title = "Hierarchical belief propagation",
  .reference = "P. F. Felzenszwalb, D. P. Huttenlocher: Efficient belief "
      "propagation for early vision, CVPR 2004; S. Grauer-Gray: Optimizing "
      "global stereo matching on NVIDIA GPUs",
  .uses_color = false,
  .params = specs,
  .params_size = sizeof (StereoBpParams),
  .plan_size = sizeof (Plan),
  .plan = plan,
  .run = run,
};

/* ------------------------------------------------------------ views, on CPU */

void
stereo_bp_plan_views_cpu (const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena)
{
  size_t elements = stereo_bp_view_pitch (k) * (size_t) k->height
      + 2 * STEREO_BP_VIEW_MARGIN;

  stereo_arena_add (arena, &work->left, elements, sizeof (uint16_t));
  stereo_arena_add (arena, &work->right, elements, sizeof (uint16_t));
  if (k->n_taps > 1)
    stereo_arena_add (arena, &work->scratch[0], elements, sizeof (uint16_t));
}

/* Luma, smoothed along the row if that is wanted, as 16 bits. */
static void
prepare_row (const StereoBpConstants * k, const uint8_t * source,
    uint16_t * target)
{
  int last = k->width - 1;

  for (int x = 0; x <= last; x++) {
    uint32_t sum = k->taps[0] * source[x] + 128;

    for (int i = 1; i < k->n_taps; i++)
      sum += k->taps[i] * ((uint32_t) source[x - i > 0 ? x - i : 0]
          + source[x + i < last ? x + i : last]);
    target[x] = (uint16_t) (sum >> 8);
  }
}

static void
smooth_columns (const StereoBpConstants * k, const uint16_t * source, int y,
    uint16_t * target)
{
  size_t pitch = stereo_bp_view_pitch (k);
  int last = k->height - 1;

  for (int x = 0; x < k->width; x++) {
    uint32_t sum = k->taps[0] * source[(size_t) y * pitch + (size_t) x] + 32768;

    for (int i = 1; i < k->n_taps; i++) {
      size_t above = (size_t) (y - i > 0 ? y - i : 0) * pitch + (size_t) x;
      size_t below = (size_t) (y + i < last ? y + i : last) * pitch
          + (size_t) x;

      sum += k->taps[i] * ((uint32_t) source[above] + source[below]);
    }
    target[x] = (uint16_t) (sum >> 16);
  }
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoBpConstants *k;
  const StereoView *view;
  uint16_t *from;
  uint16_t *to;
  const StereoBpWork *work;
  int level;
  int t;
  const StereoMap *map;
  const StereoOutput *output;
} Job;

static void
prepare_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++)
    prepare_row (job->k, job->view->plane[0] + (size_t) y * job->view->stride,
        job->to + (size_t) y * pitch);
}

static void
smooth_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++)
    smooth_columns (job->k, job->from, y, job->to + (size_t) y * pitch);
}

StereoStatus
stereo_bp_prepare_cpu (StereoQueue * queue, const StereoBpConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBpWork * work)
{
  for (int side = 0; side < 2; side++) {
    const StereoView *view = side == 0 ? left : right;
    uint16_t *plane = stereo_bp_view (work, side);
    uint16_t *rows = k->n_taps > 1
        ? (uint16_t *) work->scratch[0] + STEREO_BP_VIEW_MARGIN : plane;

    Job prepare = {.k = k,.view = view,.to = rows };
    Job smooth = {.k = k,.from = rows,.to = plane };

    stereo_cpu_for (queue, k->height, 0, prepare_rows, &prepare);
    if (k->n_taps > 1)
      stereo_cpu_for (queue, k->height, 0, smooth_rows, &smooth);
  }
  return STEREO_OK;
}

/* ------------------------------------------------- stages, plain reference */

/* Data costs: data[level][pixel][disparity], from level 1.  Messages:
 * messages[level][direction][pixel][disparity]. */
enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

static size_t
level_pixels (const StereoBpConstants * k, int level)
{
  return (size_t) k->level[level].width * (size_t) k->level[level].height;
}

static size_t
disparities (const StereoBpConstants * k)
{
  return (size_t) (k->end_index - k->first_index);
}

static StereoStatus
plan_plain (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_bp_plan_views_cpu (k, work, arena);
  for (int l = 0; l < k->n_levels; l++) {
    size_t volume = level_pixels (k, l) * disparities (k);

    if (l > 0)
      stereo_arena_add (arena, &work->data[l], volume, sizeof (uint32_t));
    stereo_arena_add (arena, &work->messages[l], 4 * volume,
        sizeof (uint32_t));
  }
  /* four h of a thread */
  stereo_arena_add (arena, &work->scratch[1], 4 * disparities (k)
      * search->n_threads, sizeof (uint32_t));
  return STEREO_OK;
}

static uint32_t
data_at (const StereoBpConstants * k, const StereoBpWork * work, int level,
    int x, int y, int i)
{
  if (level == 0) {
    int d = k->min_disparity + k->first_index + i;
    int xl = stereo_bp_column (k->width, x, d);
    size_t row = (size_t) y * stereo_bp_view_pitch (k);

    return stereo_bp_data_cost (k,
        stereo_bp_view (work, 0)[row + (size_t) xl],
        stereo_bp_view (work, 1)[row + (size_t) (xl - d)]);
  }
  return ((const uint32_t *) work->data[level])[((size_t) y
          * (size_t) k->level[level].width + (size_t) x) * disparities (k)
      + (size_t) i];
}

/* The messages that pixel (x, y) sends. */
static uint32_t *
messages_at (const StereoBpConstants * k, const StereoBpWork * work,
    int level, int direction, int x, int y)
{
  return (uint32_t *) work->messages[level]
      + ((size_t) direction * level_pixels (k, level)
      + (size_t) y * (size_t) k->level[level].width + (size_t) x)
      * disparities (k);
}

static void
data_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  int level = job->level;
  const StereoBpWork *work = job->work;
  StereoBpSize size = k->level[level], below = k->level[level - 1];
  int n = (int) disparities (k);

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < size.width; x++) {
      uint32_t *target = (uint32_t *) work->data[level] + ((size_t) y
          * (size_t) size.width + (size_t) x) * disparities (k);
      uint32_t least = UINT32_MAX;

      for (int i = 0; i < n; i++) {
        target[i] = 0;
        for (int child = 0; child < 4; child++) {
          int xc = 2 * x + child % 2, yc = 2 * y + child / 2;

          if (xc < below.width && yc < below.height)
            target[i] += data_at (k, work, level - 1, xc, yc, i);
        }
        least = stereo_min_u32 (least, target[i]);
      }
      for (int i = 0; i < n; i++)
        target[i] = stereo_bp_kept (k, stereo_min_u32 (target[i] - least,
                k->max_data));
    }
  }
}

static StereoStatus
data_cpu (StereoQueue * queue, const StereoBpConstants * k, int level,
    const StereoBpWork * work)
{
  Job job = {.k = k,.level = level,.work = work };

  stereo_cpu_for (queue, k->level[level].height, 0, data_rows, &job);
  return STEREO_OK;
}

static void
start_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  int level = job->level;
  const StereoBpWork *work = job->work;
  StereoBpSize size = k->level[level];
  size_t bytes = disparities (k) * sizeof (uint32_t);

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < size.width; x++) {
      for (int i = 0; i < 4; i++) {
        uint32_t *target = messages_at (k, work, level, i, x, y);

        if (level == k->n_levels - 1)
          memset (target, 0, bytes);
        else
          memcpy (target, messages_at (k, work, level + 1, i, x / 2, y / 2),
              bytes);
      }
    }
  }
}

static StereoStatus
start_cpu (StereoQueue * queue, const StereoBpConstants * k, int level,
    const StereoBpWork * work)
{
  Job job = {.k = k,.level = level,.work = work };

  stereo_cpu_for (queue, k->level[level].height, 0, start_rows, &job);
  return STEREO_OK;
}

static void
iterate_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  const StereoBpWork *work = job->work;
  int level = job->level;
  StereoBpSize size = k->level[level];
  int n = (int) disparities (k);

  for (int y = 1 + span.begin; y < 1 + span.end; y++) {
    for (int x = 1; x < size.width - 1; x++) {
      uint32_t *in[4], *h[4];

      if (!stereo_bp_sends (size, x, y, job->t))
        continue;
      in[UP] = messages_at (k, work, level, UP, x, y + 1);
      in[DOWN] = messages_at (k, work, level, DOWN, x, y - 1);
      in[LEFT] = messages_at (k, work, level, LEFT, x + 1, y);
      in[RIGHT] = messages_at (k, work, level, RIGHT, x - 1, y);
      for (int j = 0; j < 4; j++)
        h[j] = messages_at (k, work, level, j, x, y);
      for (int i = 0; i < n; i++) {
        uint32_t c = data_at (k, work, level, x, y, i);
        uint32_t up = in[UP][i], down = in[DOWN][i];
        uint32_t left = in[LEFT][i], right = in[RIGHT][i];

        h[UP][i] = up + left + right + c;
        h[DOWN][i] = down + left + right + c;
        h[LEFT][i] = up + down + left + c;
        h[RIGHT][i] = up + down + right + c;
      }
      for (int j = 0; j < 4; j++) {
        stereo_bp_message (k, h[j], n);
        for (int i = 0; i < n; i++)
          h[j][i] = stereo_bp_kept (k, h[j][i]);
      }
    }
  }
}

static StereoStatus
iterate_cpu (StereoQueue * queue, const StereoBpConstants * k, int level,
    int t, const StereoBpWork * work)
{
  Job job = {.k = k,.work = work,.level = level,.t = t };

  stereo_cpu_for (queue, k->level[level].height - 2, 0, iterate_rows, &job);
  return STEREO_OK;
}

static unsigned
best_at (const StereoBpConstants * k, const StereoBpWork * work, int x, int y)
{
  bool inner = stereo_bp_has_inner (k);
  int n = (int) disparities (k), best = 0;
  uint32_t least = UINT32_MAX;

  if (inner) {
    x = stereo_clamp_int (x, 1, k->width - 2);
    y = stereo_clamp_int (y, 1, k->height - 2);
  }
  for (int i = 0; i < n; i++) {
    uint32_t sum = data_at (k, work, 0, x, y, i);

    if (inner)
      sum += messages_at (k, work, 0, UP, x, y + 1)[i]
          + messages_at (k, work, 0, DOWN, x, y - 1)[i]
          + messages_at (k, work, 0, LEFT, x + 1, y)[i]
          + messages_at (k, work, 0, RIGHT, x - 1, y)[i];
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return (unsigned) (k->first_index + best);
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  const StereoBpWork *work = job->work;
  const StereoMap *map = job->map;
  const StereoOutput *output = job->output;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width; x++)
      stereo_store_index (map, output, x, y,
          empty ? STEREO_INVALID : best_at (k, work, x, y));
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoBpConstants * k,
    const StereoBpWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.k = k,.work = work,.map = map,.output = output };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static const StereoBpStages stages_cpu = {
  .plan = plan_plain,
  .prepare = stereo_bp_prepare_cpu,
  .data = data_cpu,
  .start = start_cpu,
  .iterate = iterate_cpu,
  .finish = finish_cpu,
};

const void *stereo_bp_stages_cpu (StereoSimd simd);

const void *
stereo_bp_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_bp_stages_);
}
