/* gst-stereomatching: hierarchical belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp-simd.h"

#include "match/bp-cpu.h"
#include "match/bp-pixel.h"
#include "core/cpu.h"
#include "cost/census-pixel.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
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
      "Weight of the matching cost against smoothness", 0.046875, 0.0, 10.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_data_term, "max-data-term",
      "Difference at which the matching cost is cut off, in levels of 8 bits, "
      "or with cost=census in bits, of which there are 31 at most", 31.0, 0.0,
      255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_disc_term, "max-disc-term",
      "Largest cost of a change of disparity between neighbours; 0 = "
      "num-disparities / 7.5", 4.0, 0.0, 1000.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, disc_single_jump,
      "disc-single-jump",
      "Cost of a change of disparity by one between neighbours", 1.0, 0.0,
      100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, edge_scale, "edge-scale",
      "Difference of colour between neighbours at which a change of disparity "
      "costs half, in levels of 8 bits (0 = colour does not matter)", 10.0, 0.0,
      255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, smoothing, "smoothing",
      "Standard deviation of the Gaussian that smooths luma, with cost=luma, "
      "in pixels; below 0.1 it stays as it is", 0.0, 0.0, 10.0),
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

/* What is left of the price of a change of disparity at any edge. */
#define MIN_EDGE_WEIGHT 0.1

/* Sets what is compared and where that is cut off; returns how much of that is
 * one level, or bit. */
static double
choose_difference (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * k)
{
  double one = 256;

  k->cost = search->cost;
  if (k->cost == STEREO_COST_RGB && k->channels == 1)
    k->cost = STEREO_COST_LUMA;
  if (k->cost == STEREO_COST_RGB)
    one = 3 * 256;
  else if (k->cost == STEREO_COST_CENSUS)
    one = STEREO_CENSUS_BIT_COST;
  k->difference_limit = (uint32_t) floor (one * params->max_data_term + 0.5);
  if (k->cost == STEREO_COST_CENSUS)
    k->difference_limit = stereo_min_u32 (k->difference_limit,
        STEREO_CENSUS_MAX_COST);
  return one;
}

/* Jump and M by the difference of neighbours. */
static void
weigh_edges (double scale, uint32_t jump, uint32_t max_message,
    StereoBpConstants * k)
{
  k->edges = scale > 0;
  for (int g = 0; g < 256; g++) {
    double w = k->edges ? fmax (MIN_EDGE_WEIGHT, 1 / (1 + g / scale)) : 1;

    k->jump[g] = (uint32_t) floor (w * jump + 0.5);
    k->max_message[g] = (uint32_t) floor (w * max_message + 0.5);
    if (k->precision == STEREO_BP_PRECISION_HALF)
      k->max_message[g] = stereo_bp_round_half (k->max_message[g]);
    k->jump[g] = stereo_min_u32 (k->jump[g], k->max_message[g]);
  }
}

static void
choose_unit (const StereoSearch * search, const StereoBpParams * params,
    StereoBpConstants * k)
{
  double disc = params->max_disc_term > 0 ? params->max_disc_term
      : search->num_disparities / 7.5;
  double data, unit, jump;
  double one = choose_difference (search, params, k);
  uint32_t most = limits[params->precision].message;

  data = params->data_weight * k->difference_limit / one;

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

  weigh_edges (params->edge_scale, (uint32_t) jump, (uint32_t) fmin (most,
          floor (disc / unit + 0.5)), k);
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
  k->channels = search->channels;
  k->winners = search->winners;
  k->right_winners = search->right_winners;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->precision = params->precision;
  k->iterations = (int) params->iterations;
  k->max_data = limits[params->precision].max_data;
  choose_unit (search, params, k);
  make_taps (k->cost == STEREO_COST_LUMA ? params->smoothing : 0, k);

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
  StereoWork work;
} Plan;

static const StereoBpWork *
work_of (const Plan * p)
{
  return (const StereoBpWork *) &p->work;
}

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
  status = s->plan (search, &self->constants, (StereoBpWork *) &self->work,
      arena, why);
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
run_pyramid (const StereoMatchFrame * frame, const Plan * p,
    const StereoBpStages * s)
{
  const StereoBpConstants *k = &p->constants;
  StereoStatus status = STEREO_OK;

  if (s->pyramid != NULL)
    return s->pyramid (frame, k, work_of (p));
  for (int level = 1; level < k->n_levels && status == STEREO_OK; level++)
    status = s->data (frame, k, level, work_of (p));
  return status;
}

/* Messages of a level. */
static StereoStatus
run_level (const StereoMatchFrame * frame, const Plan * p,
    const StereoBpStages * s, int level)
{
  const StereoBpConstants *k = &p->constants;
  StereoStatus status;

  if (s->descend != NULL)
    return s->descend (frame, k, level, work_of (p));
  status = s->start (frame, k, level, work_of (p));
  for (int t = 0; t < k->iterations && status == STEREO_OK; t++)
    status = s->iterate (frame, k, level, t, work_of (p));
  return status;
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoBpStages *s = stages;
  const Plan *p = frame->plan;
  const StereoBpConstants *k = &p->constants;
  StereoStatus status;

  if (s->match != NULL)
    return s->match (frame, k, work_of (p));
  if (k->first_index == k->end_index)
    return s->finish (frame, k, work_of (p));

  status = s->prepare (frame, k, work_of (p));
  if (status == STEREO_OK)
    status = run_pyramid (frame, p, s);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "data cost");
  for (int l = k->n_levels - 1; l >= 0 && status == STEREO_OK; l--) {
    status = run_level (frame, p, s, l);
    if (status == STEREO_OK)
      status = stereo_stage_end (frame->timestamps, level_name[l]);
  }
  if (status == STEREO_OK)
    status = s->finish (frame, k, work_of (p));
  return status;
}

/* For edges, and what compares it. */
static bool
wants_color (const void *params, const StereoRefineParams * refine)
{
  const StereoBpParams *p = params;

  return p->edge_scale > 0 || refine->cost == STEREO_COST_RGB;
}

static const StereoParamDefault defaults[] = {
  {"median", true},
  {NULL, 0}
};

const StereoAlgorithm stereo_bp_algorithm = {
  .name = "bp",
  .title = "Hierarchical belief propagation",
  .reference = "P. F. Felzenszwalb, D. P. Huttenlocher: Efficient belief "
      "propagation for early vision, CVPR 2004; S. Grauer-Gray: Optimizing "
      "global stereo matching on NVIDIA GPUs",
  .uses_color = true,
  .wants_color = wants_color,
  .refines = true,
  .defaults = defaults,
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

  for (int l = 1; l < k->n_levels && k->edges; l++)
    stereo_arena_add (arena, &work->guides[l], (size_t) k->level[l].width
        * (size_t) k->level[l].height, sizeof (uint32_t));
  if (k->cost != STEREO_COST_LUMA)
    return;
  stereo_arena_add (arena, &work->left, elements, sizeof (uint16_t));
  stereo_arena_add (arena, &work->right, elements, sizeof (uint16_t));
  if (k->n_taps > 1)
    stereo_arena_add (arena, &work->smoothed, elements, sizeof (uint16_t));
}

/* Luma, smoothed along the row if that is wanted, as 16 bits. */
STEREO_INLINE void
prepare_row (const StereoBpConstants * k, const StereoView * view,
    int channels, int y, uint16_t * target)
{
  int last = k->width - 1;

  for (int x = 0; x <= last; x++) {
    uint32_t sum = k->taps[0] * stereo_view_luma (view, channels, x, y) + 128;

    for (int i = 1; i < k->n_taps; i++)
      sum += k->taps[i] * (stereo_view_luma (view, channels,
              x - i > 0 ? x - i : 0, y) + stereo_view_luma (view, channels,
              x + i < last ? x + i : last, y));
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
  const StereoMatchFrame *frame;
  const StereoBpConstants *k;
  const StereoView *view;
  uint16_t *from;
  uint16_t *to;
  const StereoBpWork *work;
  int level;
  int t;
} Job;

static void
prepare_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++) {
    uint16_t *target = job->to + (size_t) y * pitch;

    if (job->k->channels == 1)
      prepare_row (job->k, job->view, 1, y, target);
    else
      prepare_row (job->k, job->view, 3, y, target);
  }
}

static void
smooth_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++)
    smooth_columns (job->k, job->from, y, job->to + (size_t) y * pitch);
}

static void
guide_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  int level = job->level, below = level - 1;
  int right = k->level[below].width - 1, bottom = k->level[below].height - 1;

  for (int y = span.begin; y < span.end; y++) {
    int y1 = 2 * y < bottom ? 2 * y + 1 : bottom;

    for (int x = 0; x < k->level[level].width; x++) {
      int x1 = 2 * x < right ? 2 * x + 1 : right;

      ((uint32_t *) job->work->guides[level])[(size_t) y
          * (size_t) k->level[level].width + (size_t) x] = stereo_bp_mean (
          stereo_bp_guide (job->frame, k, job->work, below, 2 * x, 2 * y),
          stereo_bp_guide (job->frame, k, job->work, below, x1, 2 * y),
          stereo_bp_guide (job->frame, k, job->work, below, 2 * x, y1),
          stereo_bp_guide (job->frame, k, job->work, below, x1, y1));
    }
  }
}

StereoStatus
stereo_bp_prepare_cpu (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work)
{
  Job guide = {.frame = frame,.k = k,.work = work };

  for (int side = 0; side < 2 && k->cost == STEREO_COST_LUMA; side++) {
    const StereoView *view = side == 0 ? &frame->left : &frame->right;
    uint16_t *plane = stereo_bp_view (work, side);
    uint16_t *rows = k->n_taps > 1
        ? (uint16_t *) work->smoothed + STEREO_BP_VIEW_MARGIN : plane;

    Job prepare = {.k = k,.view = view,.to = rows };
    Job smooth = {.k = k,.from = rows,.to = plane };

    stereo_cpu_for (frame->queue, k->height, 0, prepare_rows, &prepare);
    if (k->n_taps > 1)
      stereo_cpu_for (frame->queue, k->height, 0, smooth_rows, &smooth);
  }
  for (guide.level = 1; guide.level < k->n_levels && k->edges; guide.level++)
    stereo_cpu_for (frame->queue, k->level[guide.level].height, 0, guide_rows,
        &guide);
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
  stereo_arena_add (arena, &work->sums, 4 * disparities (k)
      * search->n_threads, sizeof (uint32_t));
  return STEREO_OK;
}

/* What two pixels of row y differ by. */
static uint32_t
difference_at (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int xl, int xr, int y)
{
  size_t row = (size_t) y * stereo_bp_view_pitch (k);

  if (k->cost == STEREO_COST_CENSUS)
    return stereo_census_cost (stereo_census_word (&frame->left_census, xl, y),
        stereo_census_word (&frame->right_census, xr, y));
  if (k->cost == STEREO_COST_RGB)
    return stereo_bp_color_difference (stereo_view_pixel (&frame->left,
            k->channels, xl, y), stereo_view_pixel (&frame->right,
            k->channels, xr, y));
  return stereo_difference (stereo_bp_view (work, 0)[row + (size_t) xl],
      stereo_bp_view (work, 1)[row + (size_t) xr]);
}

static uint32_t
data_at (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int level, int x, int y, int i)
{
  if (level == 0) {
    int d = k->min_disparity + k->first_index + i;
    int xl = stereo_partner_column (k->width, x, d);

    return stereo_bp_data_cost (k, difference_at (frame, k, work, xl, xl - d,
            y));
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
            target[i] += data_at (job->frame, k, work, level - 1, xc, yc, i);
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
data_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    int level, const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.level = level,.work = work };

  stereo_cpu_for (frame->queue, k->level[level].height, 0, data_rows, &job);
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
start_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    int level, const StereoBpWork * work)
{
  Job job = {.k = k,.level = level,.work = work };

  stereo_cpu_for (frame->queue, k->level[level].height, 0, start_rows, &job);
  return STEREO_OK;
}

/* The difference of a pixel and the one that it sends a message to. */
static uint32_t
edge_at (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int level, int direction, int x, int y)
{
  int x1 = x + (direction == RIGHT) - (direction == LEFT);
  int y1 = y + (direction == DOWN) - (direction == UP);

  if (!k->edges)
    return 0;
  return stereo_difference_max (stereo_bp_guide (frame, k, work, level, x, y),
      stereo_bp_guide (frame, k, work, level, x1, y1));
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
        uint32_t c = data_at (job->frame, k, work, level, x, y, i);
        uint32_t up = in[UP][i], down = in[DOWN][i];
        uint32_t left = in[LEFT][i], right = in[RIGHT][i];

        h[UP][i] = up + left + right + c;
        h[DOWN][i] = down + left + right + c;
        h[LEFT][i] = up + down + left + c;
        h[RIGHT][i] = up + down + right + c;
      }
      for (int j = 0; j < 4; j++) {
        uint32_t g = edge_at (job->frame, k, work, level, j, x, y);

        stereo_bp_message (k->jump[g], k->max_message[g], h[j], n);
        for (int i = 0; i < n; i++)
          h[j][i] = stereo_bp_kept (k, h[j][i]);
      }
    }
  }
}

static StereoStatus
iterate_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    int level, int t, const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work,.level = level,.t = t };

  stereo_cpu_for (frame->queue, k->level[level].height - 2, 0, iterate_rows,
      &job);
  return STEREO_OK;
}

static uint32_t
belief_at (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int x, int y, int i)
{
  if (!stereo_bp_has_inner (k))
    return data_at (frame, k, work, 0, x, y, i);
  x = stereo_clamp_int (x, 1, k->width - 2);
  y = stereo_clamp_int (y, 1, k->height - 2);
  return data_at (frame, k, work, 0, x, y, i)
      + messages_at (k, work, 0, UP, x, y + 1)[i]
      + messages_at (k, work, 0, DOWN, x, y - 1)[i]
      + messages_at (k, work, 0, LEFT, x + 1, y)[i]
      + messages_at (k, work, 0, RIGHT, x - 1, y)[i];
}

/* The winner of a left pixel. */
static void
finish_left (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int x, int y)
{
  int n = (int) disparities (k), best = 0;
  uint32_t least = UINT32_MAX, beside[2] = { 0, 0 };
  unsigned index;

  for (int i = 0; i < n; i++) {
    uint32_t belief = belief_at (frame, k, work, x, y, i);

    if (belief < least) {
      least = belief;
      best = i;
    }
  }
  index = n > 0 ? (unsigned) (k->first_index + best) : STEREO_INVALID;
  if (frame->winners == NULL) {
    stereo_store_index (&frame->map, frame->output, x, y, index);
    return;
  }
  for (int i = 0; i < 2; i++) {
    int at = best + 2 * i - 1;

    if (at >= 0 && at < n)
      beside[i] = stereo_bp_winner_cost (k->precision, belief_at (frame, k,
              work, x, y, at));
  }
  stereo_winner_store (frame->winners, x, y, index, beside[0],
      stereo_bp_winner_cost (k->precision, least), beside[1]);
}

/* The winner of a right pixel, of the same beliefs. */
static void
finish_right (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int x, int y)
{
  uint32_t best = STEREO_NO_WINNER;

  for (int i = 0; i < (int) disparities (k); i++) {
    int xl = x + k->min_disparity + k->first_index + i;

    if (xl >= 0 && xl < k->width)
      best = stereo_min_u32 (best, stereo_winner_right_word (
              (unsigned) (k->first_index + i),
              stereo_bp_winner_cost (k->precision, belief_at (frame, k, work,
                      xl, y, i))));
  }
  stereo_winner_store_right (frame->winners, x, y, best);
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoWinners *winners = job->frame->winners;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < job->k->width; x++) {
      finish_left (job->frame, job->k, job->work, x, y);
      if (winners != NULL && winners->right != NULL)
        finish_right (job->frame, job->k, job->work, x, y);
    }
  }
}

static StereoStatus
finish_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work };

  stereo_cpu_for (frame->queue, k->height, 0, finish_rows, &job);
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
