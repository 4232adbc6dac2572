/* gst-stereomatching: cross-based regions and bitwise fast voting
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bfv.h"

#include "match/bfv-pixel.h"
#include "match/bfv-simd.h"
#include "core/cpu.h"
#include "refine/output.h"
#include "simd/select.h"

#include <string.h>

static const StereoEnumValue vote_values[] = {
  {"bitwise", "Majority of every bit of the votes"},
  {"histogram", "Most frequent vote"},
};

static const StereoParamSpec specs[] = {
  STEREO_PARAM_UINT_ROW (StereoBfvParams, arm_threshold, "arm-threshold",
      "Difference of colour up to which pixels belong together, in levels of 8 "
      "bits", 20, 0, 255),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, arm_length, "arm-length",
      "Reach of support regions, in pixels", 16, 1, STEREO_BFV_MAX_ARM),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, cost_threshold, "cost-threshold",
      "Sum of three colour differences at which the matching cost is cut off, "
      "in levels of 8 bits", 60, 1, 765),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, sampling_x, "sampling-x",
      "Match every so many columns only, and restore the others", 1, 1,
      STEREO_BFV_MAX_SAMPLING),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, sampling_y, "sampling-y",
      "Match every so many rows only, and restore the others", 1, 1,
      STEREO_BFV_MAX_SAMPLING),
  STEREO_PARAM_INT_ROW (StereoBfvParams, lr_max_diff, "lr-max-diff",
      "How far the matches of both views may disagree to be reliable, in "
      "disparities (-1 = not checked)", 0, -1, 64),
  STEREO_PARAM_ENUM_ROW (StereoBfvParams, vote, "vote",
      "How the reliable matches around decide for other pixels",
      STEREO_BFV_VOTE_BITWISE, vote_values),
  STEREO_PARAM_BOOL_ROW (StereoBfvParams, mark_unreliable, "mark-unreliable",
      "Leave pixels without a reliable match around invalid", false),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

void
stereo_bfv_constants (const StereoProblem * problem,
    const StereoBfvParams * params, StereoBfvConstants * k)
{
  int arm_x, arm_y;

  memset (k, 0, sizeof (*k));
  k->width = problem->width;
  k->height = problem->height;
  k->channels = problem->channels;
  k->min_disparity = problem->min_disparity;
  k->first_index = problem->first_index;
  k->end_index = problem->end_index;
  while (k->end_index > 1 << k->bits)
    k->bits++;
  k->arm_threshold = (int) params->arm_threshold;
  k->arm_length = (int) params->arm_length;
  k->cost_threshold = (int) params->cost_threshold;
  k->sampling_x = (int) params->sampling_x;
  k->sampling_y = (int) params->sampling_y;
  k->grid_width = (k->width - 1) / k->sampling_x + 1;
  k->grid_height = (k->height - 1) / k->sampling_y + 1;
  k->lr_max_diff = params->lr_max_diff;
  k->vote = params->vote;
  k->mark_unreliable = params->mark_unreliable;

  arm_x = (int) stereo_bfv_sampled_arm (params->arm_length,
      params->sampling_x);
  arm_y = (int) stereo_bfv_sampled_arm (params->arm_length,
      params->sampling_y);
  k->wide = (2 * arm_x + 1) * (2 * arm_y + 1) * k->cost_threshold > 65535;
}

/* ---------------------------------------------------------------- schedule */

typedef struct
{
  StereoBfvConstants constants;
  StereoBfvMemory memory;
} Plan;

static StereoStatus
plan (const StereoProblem * problem, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoBfvStages *s = stages;
  Plan *p = plan_memory;
  StereoBfvMemory *m = &p->memory;
  size_t width = (size_t) problem->width, height = (size_t) problem->height;
  size_t grid_width, grid_height;

  (void) why;
  stereo_bfv_constants (problem, params, &p->constants);
  memset (m, 0, sizeof (*m));
  grid_width = (size_t) p->constants.grid_width;
  grid_height = (size_t) p->constants.grid_height;

  stereo_arena_add (arena, (void **) &m->left_arms, width * height,
      sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &m->right_arms, width * grid_height,
      sizeof (uint32_t));
  if (!s->places_maps) {
    stereo_arena_add (arena, (void **) &m->left, grid_width * grid_height,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &m->right, width * grid_height,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &m->reliable, grid_width * grid_height,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &m->voted, width * height,
        sizeof (uint16_t));
  }
  if (s->scratch != NULL)
    stereo_arena_add (arena, &m->scratch, s->scratch (&p->constants,
            problem->n_threads), 1);
  return STEREO_OK;
}

static StereoStatus
run (const StereoFrame * frame, const void *stages)
{
  const StereoBfvStages *s = stages;
  const Plan *p = frame->plan;
  const StereoBfvConstants *k = &p->constants;
  const StereoBfvMemory *m = &p->memory;
  StereoQueue *q = frame->queue;
  StereoStatus status;

  if (k->first_index == k->end_index)
    return s->border (q, k, m, &frame->map, frame->output);

  if ((status = s->crosses (q, k, &frame->left, &frame->right, m))
      || (status = stereo_mark (frame->marks, "crosses"))
      || (status = s->match (q, k, &frame->left, &frame->right, m))
      || (status = stereo_mark (frame->marks, "aggregate")))
    return status;

  if (s->restore != NULL)
    return (status = s->restore (q, k, m, &frame->map, frame->output)) ?
        status : stereo_mark (frame->marks, "restore");
  if ((status = s->check (q, k, m))
      || (status = stereo_mark (frame->marks, "check"))
      || (status = s->vote (q, k, m))
      || (status = stereo_mark (frame->marks, "vote"))
      || (status = s->border (q, k, m, &frame->map, frame->output)))
    return status;
  return stereo_mark (frame->marks, "border");
}

static const StereoParamDefault defaults[] = {
  {"median", true},
  {NULL, 0}
};

const StereoAlgorithm stereo_bfv_algorithm = {
  .name = "bfv",
  .title = "Cross-based regions with bitwise fast voting",
  .reference = "K. Zhang, J. Lu, Q. Yang, G. Lafruit, R. Lauwereins, L. Van "
      "Gool: Real-time and accurate stereo: a scalable approach with bitwise "
      "fast voting on CUDA, IEEE TCSVT 21 (7), 2011",
  .uses_color = true,
  .defaults = defaults,
  .params = specs,
  .params_size = sizeof (StereoBfvParams),
  .plan_size = sizeof (Plan),
  .plan = plan,
  .run = run,
};

/* ------------------------------------------------- stages, plain reference */

static uint32_t
pixel_at (const StereoBfvConstants * k, const StereoView * view, int x, int y)
{
  uint32_t pixel = 0;

  for (int c = 0; c < k->channels; c++)
    pixel |= (uint32_t) view->plane[c][(size_t) y * view->stride + (size_t) x]
        << 8 * c;
  return pixel;
}

/* Whether the pixel at distance i from (x, y) is outside or not similar. */
static bool
stops (const StereoBfvConstants * k, const StereoView * view, int x, int y,
    int dx, int dy, int i)
{
  int xi = x + i * dx, yi = y + i * dy;

  return xi < 0 || xi >= k->width || yi < 0 || yi >= k->height
      || !stereo_bfv_similar (k, pixel_at (k, view, x, y), pixel_at (k, view,
          xi, yi));
}

static uint32_t
arm_at (const StereoBfvConstants * k, const StereoView * view, int x, int y,
    int dx, int dy)
{
  int i = 1;

  if (x + dx < 0 || x + dx >= k->width || y + dy < 0 || y + dy >= k->height)
    return 0;
  while (i < k->arm_length && !(stops (k, view, x, y, dx, dy, i + 1)
          && stops (k, view, x, y, dx, dy, i + 2)))
    i++;
  return (uint32_t) i;
}

static uint32_t
cross_at (const StereoBfvConstants * k, const StereoView * view, int x, int y)
{
  return stereo_bfv_pack_arms (arm_at (k, view, x, y, -1, 0), arm_at (k, view,
          x, y, 1, 0), arm_at (k, view, x, y, 0, -1), arm_at (k, view, x, y, 0,
          1));
}

/* Sums of one disparity, and the winners so far. */
typedef struct
{
  uint32_t *cost;               /* the grid */
  uint32_t *arms;
  uint32_t *row_sum;            /* H */
  uint32_t *row_count;          /* N */
  uint32_t *left_sum;           /* A and n of the winners */
  uint32_t *left_count;
  uint32_t *right_sum;          /* width x grid_height */
  uint32_t *right_count;
} Slices;

/* What the threads of a loop work on. */
typedef struct
{
  const StereoBfvConstants *k;
  const StereoView *left;
  const StereoView *right;
  const StereoBfvMemory *m;
  int index;
  const Slices *slices;
  const StereoMap *map;
  const StereoOutput *output;
} Job;

static void
left_crosses (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBfvConstants *k = job->k;

  for (int y = span.begin; y < span.end; y++) {
    uint32_t *row = job->m->left_arms + (size_t) y * (size_t) k->width;

    for (int x = 0; x < k->width; x++)
      row[x] = cross_at (k, job->left, x, y);
  }
}

static void
right_crosses (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBfvConstants *k = job->k;

  for (int v = span.begin; v < span.end; v++) {
    uint32_t *row = job->m->right_arms + (size_t) v * (size_t) k->width;

    for (int x = 0; x < k->width; x++)
      row[x] = stereo_bfv_sample_arms (k, cross_at (k, job->right, x,
              v * k->sampling_y));
  }
}

StereoStatus
stereo_bfv_crosses_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  Job job = {.k = k,.left = left,.right = right,.m = m };

  stereo_cpu_for (queue, k->height, 0, left_crosses, &job);
  stereo_cpu_for (queue, k->grid_height, 0, right_crosses, &job);
  return STEREO_OK;
}

#define N_GRID_SLICES 6
#define N_SLICES 8

size_t
stereo_bfv_scratch_cpu (const StereoBfvConstants * k, unsigned n_threads)
{
  size_t rows = (size_t) k->grid_height;

  (void) n_threads;
  return sizeof (uint32_t) * rows * (N_GRID_SLICES * (size_t) k->grid_width
      + (N_SLICES - N_GRID_SLICES) * (size_t) k->width);
}

static void
make_slices (const StereoBfvConstants * k, void *scratch, Slices * s)
{
  size_t grid = (size_t) k->grid_width * (size_t) k->grid_height;
  uint32_t *memory = scratch;

  s->cost = memory;
  s->arms = s->cost + grid;
  s->row_sum = s->arms + grid;
  s->row_count = s->row_sum + grid;
  s->left_sum = s->row_count + grid;
  s->left_count = s->left_sum + grid;
  s->right_sum = s->left_count + grid;
  s->right_count = s->right_sum + (size_t) k->width * (size_t) k->grid_height;
}

/* Cost and overlap at row v. */
static void
cost_row (const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, const StereoBfvMemory * m, int d, int v,
    const Slices * s)
{
  int y = v * k->sampling_y;
  size_t width = (size_t) k->width;
  size_t row = (size_t) v * (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    int x = u * k->sampling_x, partner = stereo_bfv_clamp (k, x, d) - d;

    s->cost[row + (size_t) u] = stereo_bfv_cost (k, pixel_at (k, left,
            partner + d, y), pixel_at (k, right, partner, y));
    s->arms[row + (size_t) u] = stereo_bfv_overlap (stereo_bfv_grid_arms (k,
            m->left_arms[(size_t) y * width + (size_t) x], u, v),
        m->right_arms[(size_t) v * width + (size_t) partner]);
  }
}

/* H and N at row v. */
static void
sum_row (const StereoBfvConstants * k, int v, const Slices * s)
{
  size_t row = (size_t) v * (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    uint32_t arms = s->arms[row + (size_t) u], sum = 0;
    int first = u - (int) (arms & 0xff), last = u + (int) (arms >> 8 & 0xff);

    for (int i = first; i <= last; i++)
      sum += s->cost[row + (size_t) i];
    s->row_sum[row + (size_t) u] = sum;
    s->row_count[row + (size_t) u] = (uint32_t) (last - first + 1);
  }
}

/* Takes index for the winner of a pixel if it is better than the one before,
 * or the first. */
static void
compete (uint32_t sum, uint32_t count, int index, uint32_t * best_sum,
    uint32_t * best_count, uint16_t * winner)
{
  if (*winner == STEREO_INVALID || stereo_bfv_less_wide (sum, count, *best_sum,
          *best_count)) {
    *best_sum = sum;
    *best_count = count;
    *winner = (uint16_t) index;
  }
}

static void
match_row (const StereoBfvConstants * k, const StereoBfvMemory * m, int index,
    int v, const Slices * s)
{
  size_t width = (size_t) k->width, grid_width = (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    size_t here = (size_t) v * grid_width + (size_t) u;
    int up = (int) (s->arms[here] >> 16 & 0xff);
    int down = (int) (s->arms[here] >> 24);
    int partner = u * k->sampling_x - (k->min_disparity + index);
    uint32_t sum = 0, count = 0;

    for (int i = v - up; i <= v + down; i++) {
      sum += s->row_sum[(size_t) i * grid_width + (size_t) u];
      count += s->row_count[(size_t) i * grid_width + (size_t) u];
    }
    compete (sum, count, index, &s->left_sum[here], &s->left_count[here],
        &m->left[here]);
    if (partner >= 0 && partner < k->width) {
      size_t there = (size_t) v * width + (size_t) partner;

      compete (sum, count, index, &s->right_sum[there],
          &s->right_count[there], &m->right[there]);
    }
  }
}

static void
sum_rows (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int v = span.begin; v < span.end; v++) {
    cost_row (job->k, job->left, job->right, job->m, job->k->min_disparity
        + job->index, v, job->slices);
    sum_row (job->k, v, job->slices);
  }
}

static void
match_rows (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int v = span.begin; v < span.end; v++)
    match_row (job->k, job->m, job->index, v, job->slices);
}

StereoStatus
stereo_bfv_match_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  Slices s;
  Job job = {.k = k,.left = left,.right = right,.m = m,.slices = &s };

  make_slices (k, m->scratch, &s);
  memset (m->left, 0xff, sizeof (uint16_t) * (size_t) k->grid_width
      * (size_t) k->grid_height);
  memset (m->right, 0xff, sizeof (uint16_t) * (size_t) k->width
      * (size_t) k->grid_height);
  for (job.index = k->first_index; job.index < k->end_index; job.index++) {
    stereo_cpu_for (queue, k->grid_height, 0, sum_rows, &job);
    stereo_cpu_for (queue, k->grid_height, 0, match_rows, &job);
  }
  return STEREO_OK;
}

static void
check_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBfvConstants *k = job->k;
  const StereoBfvMemory *m = job->m;

  for (int v = span.begin; v < span.end; v++) {
    const uint16_t *right = m->right + (size_t) v * (size_t) k->width;
    size_t row = (size_t) v * (size_t) k->grid_width;

    for (int u = 0; u < k->grid_width; u++) {
      uint16_t index = m->left[row + (size_t) u];

      m->reliable[row + (size_t) u] = stereo_bfv_reliable (k,
          u * k->sampling_x, index, right) ? index : STEREO_INVALID;
    }
  }
}

StereoStatus
stereo_bfv_check_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  Job job = {.k = k,.m = m };

  stereo_cpu_for (queue, k->grid_height, 0, check_rows, &job);
  return STEREO_OK;
}

/* The votes for a pixel, sorted by bits or by indices. */
typedef struct
{
  uint32_t n;
  uint32_t set[16];             /* with so many bits set */
  uint16_t *count;              /* of every index, between pixels 0 */
  uint16_t mode;
} Votes;

static void
count_vote (const StereoBfvConstants * k, uint32_t index, Votes * votes)
{
  votes->n++;
  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM) {
    uint32_t most = votes->n == 1 ? 0 : votes->count[votes->mode];
    uint32_t count = ++votes->count[index];

    if (count > most || (count == most && index < votes->mode))
      votes->mode = (uint16_t) index;
    return;
  }
  for (int bit = 0; bit < k->bits; bit++)
    votes->set[bit] += index >> bit & 1;
}

/* Calls count_vote() for all votes in U (x, y), or forgets them in the
 * histogram. */
static void
visit_votes (const StereoBfvConstants * k, const StereoBfvMemory * m, int x,
    int y, Votes * votes, bool forget)
{
  size_t width = (size_t) k->width;
  uint32_t arms = m->left_arms[(size_t) y * width + (size_t) x];

  for (int yi = y - (int) (arms >> 16 & 0xff); yi <= y + (int) (arms >> 24);
      yi++) {
    const uint16_t *row;
    int first, last;

    if (yi % k->sampling_y != 0)
      continue;
    row = m->reliable + (size_t) (yi / k->sampling_y) * (size_t) k->grid_width;
    first = x - (int) (m->left_arms[(size_t) yi * width + (size_t) x] & 0xff);
    last = x + (int) (m->left_arms[(size_t) yi * width + (size_t) x] >> 8
        & 0xff);
    first += k->sampling_x - 1;
    for (int u = first / k->sampling_x; u <= last / k->sampling_x; u++) {
      if (row[u] == STEREO_INVALID)
        continue;
      if (forget)
        votes->count[row[u]] = 0;
      else
        count_vote (k, row[u], votes);
    }
  }
}

static uint16_t
vote_at (const StereoBfvConstants * k, const StereoBfvMemory * m, int x, int y,
    uint16_t * count)
{
  Votes votes = {.n = 0,.count = count };
  uint32_t index = 0;

  if (x % k->sampling_x == 0 && y % k->sampling_y == 0) {
    uint16_t own = m->reliable[(size_t) (y / k->sampling_y)
        * (size_t) k->grid_width + (size_t) (x / k->sampling_x)];

    if (own != STEREO_INVALID)
      return own;
  }
  visit_votes (k, m, x, y, &votes, false);
  if (votes.n == 0)
    return STEREO_INVALID;
  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM) {
    visit_votes (k, m, x, y, &votes, true);
    return votes.mode;
  }
  for (int bit = 0; bit < k->bits; bit++)
    index |= (uint32_t) stereo_bfv_majority (votes.set[bit], votes.n) << bit;
  return (uint16_t) stereo_bfv_clamp_index (k, index);
}

static void
vote_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  uint16_t count[STEREO_MAX_DISPARITIES];

  memset (count, 0, sizeof (count));
  for (int y = span.begin; y < span.end; y++) {
    uint16_t *row = job->m->voted + (size_t) y * (size_t) job->k->width;

    for (int x = 0; x < job->k->width; x++)
      row[x] = vote_at (job->k, job->m, x, y, count);
  }
}

StereoStatus
stereo_bfv_vote_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m)
{
  Job job = {.k = k,.m = m };

  stereo_cpu_for (queue, k->height, 8, vote_rows, &job);
  return STEREO_OK;
}

/* The first reliable column of row y, width if there is none. */
static int
first_reliable (const StereoBfvConstants * k, const StereoBfvMemory * m, int y)
{
  const uint16_t *row = m->reliable + (size_t) (y / k->sampling_y)
      * (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    if (row[u] != STEREO_INVALID)
      return u * k->sampling_x;
  }
  return k->width;
}

/* Replaces what has no value in a row of voted. */
static void
fill_row (const StereoBfvConstants * k, const StereoBfvMemory * m, int y)
{
  uint16_t *row = m->voted + (size_t) y * (size_t) k->width;
  int border = first_reliable (k, m, y);
  int x = 0;

  while (x < k->width) {
    int end = x;
    uint16_t before, after, value;

    while (end < k->width && row[end] == STEREO_INVALID)
      end++;
    /* STEREO_INVALID is above any index. */
    before = x > 0 ? row[x - 1] : STEREO_INVALID;
    after = end < k->width ? row[end] : STEREO_INVALID;
    value = before < after ? before : after;
    for (; x < end; x++)
      row[x] = value != STEREO_INVALID ? value
          : m->left[(size_t) (y / k->sampling_y) * (size_t) k->grid_width
          + (size_t) (x / k->sampling_x)];
    x++;
  }
  if (border < k->width) {
    for (x = 0; x < border; x++)
      row[x] = row[border];
  }
}

static void
border_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBfvConstants *k = job->k;
  const StereoBfvMemory *m = job->m;
  const StereoMap *map = job->map;
  const StereoOutput *output = job->output;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *row = m->voted + (size_t) y * (size_t) k->width;

    if (!empty && !k->mark_unreliable)
      fill_row (k, m, y);
    for (int x = 0; x < k->width; x++)
      stereo_store_index (map, output, x, y, empty ? STEREO_INVALID : row[x]);
  }
}

StereoStatus
stereo_bfv_border_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.k = k,.m = m,.map = map,.output = output };

  stereo_cpu_for (queue, k->height, 0, border_rows, &job);
  return STEREO_OK;
}

static const StereoBfvStages stages_cpu = {
  .scratch = stereo_bfv_scratch_cpu,
  .crosses = stereo_bfv_crosses_cpu,
  .match = stereo_bfv_match_cpu,
  .check = stereo_bfv_check_cpu,
  .vote = stereo_bfv_vote_cpu,
  .border = stereo_bfv_border_cpu,
};

const void *stereo_bfv_stages_cpu (StereoSimd simd);

const void *
stereo_bfv_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_bfv_stages_);
}
