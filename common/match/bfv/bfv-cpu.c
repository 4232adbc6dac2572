/* gst-stereomatching: cross-based regions, plain stages of the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The reference of the vector stages, and of those of CUDA. */

#include "match/bfv/bfv.h"

#include "core/cpu.h"
#include "match/bfv/bfv-formula.h"
#include "match/bfv/bfv-simd.h"
#include "simd/select.h"

#include <string.h>

/* Sums of one disparity and the current winners. */
typedef struct
{
  uint32_t *cost;               /* the grid */
  uint32_t *arms;
  StereoBfvMean *row;           /* H and N */
  StereoBfvMean *last;          /* A and n of the previous disparity */
  StereoBfvMean *before;        /* of the neighbours of the winner */
  StereoBfvMean *after;
  StereoBfvMean *left;          /* of the winner */
  uint32_t *left_index;
  StereoBfvMean *right;         /* width x grid_height */
  uint32_t *right_index;
} BfvSlices;

typedef struct
{
  const StereoBfvConstants *k;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  const StereoWinners *winners;
  const StereoMap *map;
  int index;
  const BfvSlices *slices;
  const StereoBfvVotes *votes;
} BfvPlainJob;

/* Whether the pixel at distance i from (x, y) is outside or dissimilar. */
static bool
stops (const StereoBfvConstants * k, const StereoView * view, int x, int y,
    int dx, int dy, int i)
{
  int xi = x + i * dx, yi = y + i * dy;

  return xi < 0 || xi >= k->width || yi < 0 || yi >= k->height
      || !stereo_bfv_similar (k, stereo_view_pixel (view, k->channels, x, y),
      stereo_view_pixel (view, k->channels, xi, yi));
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

/* Rows of the left view, then the grid rows of the right view. */
static void
crosses_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;
  const StereoBfvConstants *k = job->k;
  const size_t width = (size_t) k->width;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0, v = y - k->height; x < k->width; x++) {
      if (v < 0)
        job->m->left_arms[(size_t) y * width + (size_t) x] =
            cross_at (k, &job->views->left, x, y);
      else
        job->m->right_arms[(size_t) v * width + (size_t) x] =
            stereo_bfv_sample_arms (k, cross_at (k, &job->views->right, x,
                v * k->sampling_y));
    }
  }
}

static StereoStatus
bfv_plain_crosses (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m)
{
  BfvPlainJob job = {.k = k,.views = views,.m = m };

  stereo_cpu_for (queue, k->height + k->grid_height, 0, crosses_rows, &job);
  return STEREO_OK;
}

static size_t
allocate_slices (const StereoBfvConstants * k, void *memory, BfvSlices * s)
{
  size_t grid = (size_t) k->grid_width * (size_t) k->grid_height;
  size_t right = (size_t) k->width * (size_t) k->grid_height;
  StereoArena arena;

  stereo_arena_reset (&arena);
  stereo_arena_add (&arena, (void **) &s->cost, grid, sizeof (uint32_t));
  stereo_arena_add (&arena, (void **) &s->arms, grid, sizeof (uint32_t));
  stereo_arena_add (&arena, (void **) &s->row, grid, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->last, grid, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->before, grid, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->after, grid, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->left, grid, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->left_index, grid,
      sizeof (uint32_t));
  stereo_arena_add (&arena, (void **) &s->right, right, sizeof (StereoBfvMean));
  stereo_arena_add (&arena, (void **) &s->right_index, right,
      sizeof (uint32_t));
  if (memory != NULL)
    stereo_arena_bind (&arena, memory);
  return arena.size;
}

/* Cost and overlap at row v. */
static void
cost_row (const BfvPlainJob * job, int v)
{
  const StereoBfvConstants *k = job->k;
  const BfvSlices *s = job->slices;
  int y = v * k->sampling_y, d = k->min_disparity + job->index;
  size_t width = (size_t) k->width;
  size_t row = (size_t) v * (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    int x = u * k->sampling_x, partner = stereo_partner_column (k->width, x,
        d) - d;

    s->cost[row + (size_t) u] = stereo_bfv_cost_at (k, job->views, x, y,
        d);
    s->arms[row + (size_t) u] = stereo_bfv_overlap (stereo_bfv_grid_arms (k,
            job->m->left_arms[(size_t) y * width + (size_t) x], u, v),
        job->m->right_arms[(size_t) v * width + (size_t) partner]);
  }
}

/* H and N at row v. */
static void
sum_row (const StereoBfvConstants * k, int v, const BfvSlices * s)
{
  size_t row = (size_t) v * (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    uint32_t arms = s->arms[row + (size_t) u], sum = 0;
    int first = u - (int) (arms & 0xff), last = u + (int) (arms >> 8 & 0xff);

    for (int i = first; i <= last; i++)
      sum += s->cost[row + (size_t) i];
    s->row[row + (size_t) u].a = sum;
    s->row[row + (size_t) u].n = (uint32_t) (last - first + 1);
  }
}

static void
bfv_plain_sum_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;

  for (int v = span.begin; v < span.end; v++) {
    cost_row (job, v);
    sum_row (job->k, v, job->slices);
  }
}

/* Replaces the winner of a pixel if index is better or the first one. */
static bool
compete (StereoBfvMean mean, int index, StereoBfvMean * best, uint32_t * winner)
{
  if (*winner != STEREO_INVALID && !stereo_bfv_less (mean.a, mean.n,
          best->a, best->n))
    return false;
  *best = mean;
  *winner = (uint32_t) index;
  return true;
}

/* Updates the winners of row v with a disparity. */
static void
bfv_plain_match_row (const BfvPlainJob * job, int v)
{
  const StereoBfvConstants *k = job->k;
  const BfvSlices *s = job->slices;
  size_t width = (size_t) k->width, grid_width = (size_t) k->grid_width;

  for (int u = 0; u < k->grid_width; u++) {
    size_t here = (size_t) v * grid_width + (size_t) u;
    int up = (int) (s->arms[here] >> 16 & 0xff);
    int down = (int) (s->arms[here] >> 24);
    int partner = u * k->sampling_x - (k->min_disparity + job->index);
    StereoBfvMean mean = { 0, 0 };

    for (int i = v - up; i <= v + down; i++) {
      mean.a += s->row[(size_t) i * grid_width + (size_t) u].a;
      mean.n += s->row[(size_t) i * grid_width + (size_t) u].n;
    }
    if (s->left_index[here] + 1 == (uint32_t) job->index)
      s->after[here] = mean;
    if (compete (mean, job->index, &s->left[here], &s->left_index[here]))
      s->before[here] = s->last[here];
    s->last[here] = mean;
    if (partner >= 0 && partner < k->width) {
      size_t there = (size_t) v * width + (size_t) partner;

      compete (mean, job->index, &s->right[there], &s->right_index[there]);
    }
  }
}

static void
bfv_plain_match_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;

  for (int v = span.begin; v < span.end; v++)
    bfv_plain_match_row (job, v);
}

static void
bfv_plain_store_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const BfvSlices *s = job->slices;

  for (int y = span.begin; y < span.end; y++) {
    uint32_t *left = w->left + (size_t) y * w->left_stride;
    int v = y / k->sampling_y;
    bool sampled = y % k->sampling_y == 0 && k->first_index < k->end_index;

    for (int x = 0; x < k->width; x++)
      left[x] = STEREO_NO_WINNER;
    for (int u = 0; u < k->grid_width && sampled; u++) {
      size_t here = (size_t) v * (size_t) k->grid_width + (size_t) u;

      stereo_bfv_store_left (k, w, u * k->sampling_x, y, s->left_index[here],
          s->before[here], s->left[here], s->after[here]);
    }
    for (int x = 0; x < k->width && w->right != NULL; x++) {
      uint32_t index = sampled ? s->right_index[(size_t) v
          * (size_t) k->width + (size_t) x] : STEREO_INVALID;

      stereo_winner_store_right (w, x, y, index == STEREO_INVALID
          ? STEREO_NO_WINNER : index);
    }
  }
}

StereoStatus
stereo_bfv_match_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m,
    const StereoWinners * winners)
{
  BfvSlices s;
  BfvPlainJob job = {.k = k,.views = views,.m = m,.winners = winners,
    .slices = &s
  };

  allocate_slices (k, m->work->memory, &s);
  for (size_t i = 0; i < (size_t) k->grid_width * (size_t) k->grid_height; i++)
    s.left_index[i] = STEREO_INVALID;
  for (size_t i = 0; i < (size_t) k->width * (size_t) k->grid_height; i++)
    s.right_index[i] = STEREO_INVALID;
  for (job.index = k->first_index; job.index < k->end_index; job.index++) {
    stereo_cpu_for (queue, k->grid_height, 0, bfv_plain_sum_rows, &job);
    stereo_cpu_for (queue, k->grid_height, 0, bfv_plain_match_rows, &job);
  }
  stereo_cpu_for (queue, k->height, 0, bfv_plain_store_rows, &job);
  return STEREO_OK;
}

size_t
stereo_bfv_allocate_votes (const StereoBfvConstants * k, void *memory,
    StereoBfvVotes * votes)
{
  StereoBfvVotes none, *v = votes != NULL ? votes : &none;
  StereoArena arena;

  stereo_arena_reset (&arena);
  stereo_arena_add (&arena, (void **) &v->index,
      (size_t) k->grid_width * (size_t) k->grid_height, sizeof (uint16_t));
  stereo_arena_add (&arena, (void **) &v->mismatch,
      (size_t) k->width * (size_t) k->height, 1);
  if (memory != NULL)
    stereo_arena_bind (&arena, memory);
  return arena.size;
}

/* Finds voters and mismatches of row y by projecting the right winners to the
 * left view. */
static void
collect_row (const BfvPlainJob * job, int y)
{
  const StereoBfvConstants *k = job->k;
  const StereoBfvVotes *votes = job->votes;
  const StereoWinners *w = job->winners;
  const uint16_t *codes = job->map->data + (size_t) y * job->map->stride;
  const uint32_t *left = w->left + (size_t) y * w->left_stride;
  const uint32_t *right = w->right + (size_t) y * w->right_stride;
  uint8_t *row = votes->mismatch + (size_t) y * (size_t) k->width;
  bool all = k->vote_all || w->right == NULL;

  for (int u = 0; u < k->grid_width && y % k->sampling_y == 0; u++)
    votes->index[(size_t) (y / k->sampling_y) * (size_t) k->grid_width
        + (size_t) u] = codes[u * k->sampling_x] == STEREO_INVALID
        ? STEREO_INVALID
        : (uint16_t) stereo_winner_index (left[u * k->sampling_x]);

  memset (row, all, (size_t) k->width);
  for (int x = 0; x < k->width && !all; x++) {
    int index = (int) stereo_winner_index (right[x]);
    int covered = x + k->min_disparity + index;

    if (index != STEREO_INVALID && covered >= 0 && covered < k->width)
      row[covered] = 1;
  }
  /* 2: between two covered pixels */
  for (int x = 1; x < k->width - 1; x++) {
    if (row[x] == 0 && row[x - 1] == 1 && row[x + 1] == 1)
      row[x] = 2;
  }
}

static void
collect_votes (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;

  for (int y = span.begin; y < span.end; y++)
    collect_row (job, y);
}

void
stereo_bfv_collect_votes (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoMap * map,
    const StereoBfvVotes * votes)
{
  BfvPlainJob job = {.k = k,.winners = winners,.map = map,.votes = votes };

  stereo_cpu_for (queue, k->height, 0, collect_votes, &job);
}

/* Votes for a pixel, by bit or by index. */
typedef struct
{
  uint32_t n;
  uint32_t set[16];             /* by bit */
  uint16_t *count;              /* by index; all 0 between pixels */
  uint16_t mode;
} BfvVoteCount;

static void
count_vote (const StereoBfvConstants * k, uint32_t index, BfvVoteCount * c)
{
  c->n++;
  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM) {
    uint32_t most = c->n == 1 ? 0 : c->count[c->mode];
    uint32_t count = ++c->count[index];

    if (count > most || (count == most && index < c->mode))
      c->mode = (uint16_t) index;
    return;
  }
  for (int bit = 0; bit < k->bits; bit++)
    c->set[bit] += index >> bit & 1;
}

/* Counts all votes in U (x, y), or resets their counts. */
static void
visit_votes (const BfvPlainJob * job, int x, int y, BfvVoteCount * c,
    bool reset)
{
  const StereoBfvConstants *k = job->k;
  const StereoBfvVotes *votes = job->votes;
  const uint32_t *left_arms = job->m->left_arms + x;
  size_t width = (size_t) k->width;
  uint32_t arms = left_arms[(size_t) y * width];

  for (int yi = y - (int) (arms >> 16 & 0xff); yi <= y + (int) (arms >> 24);
      yi++) {
    uint32_t across = left_arms[(size_t) yi * width];
    int first = x - (int) (across & 0xff) + k->sampling_x - 1;
    int last = x + (int) (across >> 8 & 0xff);
    const uint16_t *row = votes->index + (size_t) (yi / k->sampling_y)
        * (size_t) k->grid_width;

    if (yi % k->sampling_y != 0)
      continue;
    for (int u = first / k->sampling_x; u <= last / k->sampling_x; u++) {
      if (row[u] == STEREO_INVALID)
        continue;
      if (reset)
        c->count[row[u]] = 0;
      else
        count_vote (k, row[u], c);
    }
  }
}

static uint16_t
vote_at (const BfvPlainJob * job, int x, int y, uint16_t * count)
{
  const StereoBfvConstants *k = job->k;
  BfvVoteCount c = {.n = 0,.count = count };
  uint32_t index = 0;

  visit_votes (job, x, y, &c, false);
  if (c.n == 0)
    return STEREO_INVALID;
  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM) {
    visit_votes (job, x, y, &c, true);
    index = c.mode;
  } else {
    for (int bit = 0; bit < k->bits; bit++)
      index |= (uint32_t) stereo_bfv_majority (c.set[bit], c.n) << bit;
    index = stereo_bfv_clamp_index (k, index);
  }
  return (uint16_t) (index * (uint32_t) k->unit);
}

static void
bfv_plain_vote_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;
  const StereoBfvVotes *votes = job->votes;
  uint16_t count[STEREO_MAX_DISPARITIES];

  memset (count, 0, sizeof (count));
  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *mismatch = votes->mismatch
        + (size_t) y * (size_t) job->k->width;
    uint16_t *row = job->map->data + (size_t) y * job->map->stride;

    for (int x = 0; x < job->k->width; x++) {
      if (row[x] == STEREO_INVALID && mismatch[x])
        row[x] = vote_at (job, x, y, count);
    }
  }
}

/* The column of the first voter in a row, or width. */
static int
first_voter (const StereoBfvConstants * k, const uint16_t * votes)
{
  for (int u = 0; u < k->grid_width; u++) {
    if (votes[u] != STEREO_INVALID)
      return u * k->sampling_x;
  }
  return k->width;
}

/* Fills holes in a row and the columns left of the first voter. */
static void
fill_row (const StereoBfvConstants * k, const StereoWinners * w, int y,
    const uint16_t * votes, uint16_t * row)
{
  const uint32_t *left = w->left + (size_t) (y - y % k->sampling_y)
      * w->left_stride;
  int border = first_voter (k, votes);
  int x = 0;

  while (x < k->width) {
    int end = x;
    uint16_t before, after, value;

    while (end < k->width && row[end] == STEREO_INVALID)
      end++;
    /* STEREO_INVALID is above any code. */
    before = x > 0 ? row[x - 1] : STEREO_INVALID;
    after = end < k->width ? row[end] : STEREO_INVALID;
    value = before < after ? before : after;
    for (; x < end; x++)
      row[x] = value != STEREO_INVALID ? value
          : (uint16_t) stereo_winner_code (k->unit,
          left[x - x % k->sampling_x]);
    x++;
  }
  if (border < k->width) {
    for (x = 0; x < border; x++)
      row[x] = row[border];
  }
}

static void
bfv_plain_border_rows (const void *context, StereoSpan span)
{
  const BfvPlainJob *job = context;
  const StereoBfvConstants *k = job->k;
  const uint16_t *votes = job->votes->index;

  for (int y = span.begin; y < span.end; y++)
    fill_row (k, job->winners, y, votes + (size_t) (y / k->sampling_y)
        * (size_t) k->grid_width, job->map->data
        + (size_t) y * job->map->stride);
}

void
stereo_bfv_fill_border (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoBfvVotes * votes,
    const StereoMap * map)
{
  BfvPlainJob job = {.k = k,.winners = winners,.map = map,.votes = votes };

  if (k->border)
    stereo_cpu_for (queue, k->height, 0, bfv_plain_border_rows, &job);
}

StereoStatus
stereo_bfv_vote_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoWinners * winners,
    const StereoMap * map)
{
  StereoBfvVotes votes;
  BfvPlainJob job = {.k = k,.m = m,.winners = winners,.map = map,
    .votes = &votes
  };

  stereo_bfv_allocate_votes (k, m->work->memory, &votes);
  stereo_bfv_collect_votes (queue, k, winners, map, &votes);
  stereo_cpu_for (queue, k->height, 8, bfv_plain_vote_rows, &job);
  stereo_bfv_fill_border (queue, k, winners, &votes, map);
  return STEREO_OK;
}

size_t
stereo_bfv_work_bytes (const StereoBfvConstants * k)
{
  BfvSlices slices;
  StereoBfvVotes votes;
  size_t match = allocate_slices (k, NULL, &slices);
  size_t vote = stereo_bfv_allocate_votes (k, NULL, &votes);

  return match > vote ? match : vote;
}

static StereoStatus
bfv_plain_plan (const StereoSearch * search, const StereoBfvConstants * k,
    StereoBfvWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) search, (void) why;
  stereo_arena_add (arena, &work->memory, 1, stereo_bfv_work_bytes (k));
  return STEREO_OK;
}

static const StereoBfvStages bfv_plain_stages = {
  .plan = bfv_plain_plan,
  .crosses = bfv_plain_crosses,
  .match = stereo_bfv_match_cpu,
  .vote = stereo_bfv_vote_cpu,
};

const void *stereo_bfv_stages_cpu (StereoSimd simd);

const void *
stereo_bfv_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, bfv_plain_stages, stereo_bfv_stages_);
}
