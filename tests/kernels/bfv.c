/* gst-stereomatching: tests of bfv on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Tests every stage alone, with inputs from an oracle, then the matcher as a
 * whole.  The oracle implements docs/algorithms/bfv.md pixel by pixel; from the
 * library it uses only the structures of the stages.
 */

#include "match/bfv/bfv.h"
#include "cost/words.h"
#include "image/convert.h"
#include "cases.h"
#include "stagebench.h"

#include <math.h>

/* -------------------------------------------------------------------- cases */

/* The parameters that tables of cases list. */
typedef struct
{
  double tau, arm, cut, sx, sy, tolerance, vote, mark, median;
} Settings;

typedef struct
{
  int width, height;
  StereoFormat left, right;
  double n, min;
  Settings s;
  Fill fill;
  StereoCostKind cost;
  bool mismatches;              /* vote for mismatches only */
} Case;

static const Case usual = {
  30, 22, STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, 10, 0,
  {20, 16, 60, 1, 1, 0, 0, 0, 1}, FILL_SHIFTED, STEREO_COST_RGB, false
};

static StereoParams *
case_params (const Case * c)
{
  /* with scale 1 and an invalid value above all indices, codes are indices */
  return params_new ("bfv", "num-disparities", c->n, "min-disparity", c->min,
      "cost", (double) c->cost, "arm-threshold", c->s.tau, "arm-length",
      c->s.arm, "cost-threshold", c->s.cut, "sampling-x", c->s.sx,
      "sampling-y", c->s.sy, "lr-max-diff", c->s.tolerance, "vote",
      1 + c->s.vote, "vote-for", c->mismatches ? 0.0 : 1.0, "subpixel", 0.0,
      "speckle-size", 0.0, "fill", c->s.mark ? 0.0 : 1.0, "median",
      c->s.median, "refine", 0.0, "disparity-scale", 1.0, "invalid-value",
      65535.0, NULL);
}

/* ------------------------------------------------------------------- oracle */

enum
{ TO_LEFT, TO_RIGHT, UPWARDS, DOWNWARDS };

static const int step_x[] = { -1, 1, 0, 0 };
static const int step_y[] = { 0, 0, -1, 1 };

typedef struct
{
  Case c;
  const StereoParams *params;   /* for messages */
  const TestImage *left_image, *right_image;
  int width, height, columns, rows;     /* of the image; of the grid */
  int step_x, step_y;
  bool color;
  int *rgb[2];
  int *luma[2];
  int *arm[2];                  /* 4 per pixel, for each view */
  long long *sum, *count;       /* per disparity and grid point */
  /* indices, -1 = none */
  int *left, *right, *reliable, *voted, *filled, *final;
  int *own;                     /* column of the winner it was filled from */
} Oracle;

static int *
numbers (int n)
{
  int *p = malloc (sizeof (int) * (size_t) (n > 0 ? n : 1));

  REQUIRE (p != NULL);
  for (int i = 0; i < n; i++)
    p[i] = -1;
  return p;
}

static const int *
rgb_at (const Oracle * o, int view, int x, int y)
{
  return o->rgb[view] + 3 * (y * o->width + x);
}

/* Whether the i-th neighbour of p in this direction belongs to its region. */
static bool
belongs (const Oracle * o, int view, int x, int y, int way, int i)
{
  int qx = x + i * step_x[way], qy = y + i * step_y[way];

  if (qx < 0 || qy < 0 || qx >= o->width || qy >= o->height)
    return false;
  for (int c = 0; c < 3; c++)
    if (abs (rgb_at (o, view, x, y)[c] - rgb_at (o, view, qx,
                qy)[c]) > o->c.s.tau)
      return false;
  return true;
}

static int
oracle_arm (const Oracle * o, int view, int x, int y, int way)
{
  int qx = x + step_x[way], qy = y + step_y[way];

  if (qx < 0 || qy < 0 || qx >= o->width || qy >= o->height)
    return 0;
  for (int i = 1; i <= o->c.s.arm; i++)
    if (!belongs (o, view, x, y, way, i + 1)
        && !belongs (o, view, x, y, way, i + 2))
      return i;
  return (int) o->c.s.arm;
}

/* Column of the right view that is compared with column x. */
static int
partner_of (const Oracle * o, int x, int d)
{
  return limit_to (x, d > 0 ? d : 0, o->width - 1 + (d < 0 ? d : 0)) - d;
}

/* Luma; columns and rows outside the image repeat the border. */
static int
luma_at (const Oracle * o, int view, int x, int y)
{
  return o->luma[view][limit_to (y, 0, o->height - 1) * o->width
      + limit_to (x, 0, o->width - 1)];
}

/* Whether the n-th neighbour in the 5x5 window is darker than the centre. */
static int
darker (const Oracle * o, int view, int x, int y, int n)
{
  return luma_at (o, view, x + n % 5 - 2, y + n / 5 - 2)
      < luma_at (o, view, x, y);
}

/* Half the gradient, 0 to 255. */
static int
slope (const Oracle * o, int view, int x, int y)
{
  return (luma_at (o, view, x + 1, y) - luma_at (o, view, x - 1, y) + 256)
      / 2;
}

static int
oracle_census (const Oracle * o, int xl, int xr, int y)
{
  int levels = abs (slope (o, 0, xl, y) - slope (o, 1, xr, y)), bits = 0;

  for (int n = 0; n < 25; n++)
    bits += darker (o, 0, xl, y, n) != darker (o, 1, xr, y, n);
  return (62 * (8 * bits + 7 * (levels < 8 ? levels : 8)) + 128) / 256;
}

static int
oracle_cost (const Oracle * o, int x, int y, int d)
{
  int xr = partner_of (o, x, d), sum = 0;

  if (o->c.cost == STEREO_COST_WORDS)
    return oracle_census (o, xr + d, xr, y);
  for (int c = 0; c < 3; c++)
    sum += o->c.cost == STEREO_COST_RGB ? abs (rgb_at (o, 0, xr + d, y)[c]
        - rgb_at (o, 1, xr, y)[c])
        : abs (luma_at (o, 0, xr + d, y) - luma_at (o, 1, xr, y));
  return sum < o->c.s.cut ? sum : (int) o->c.s.cut;
}

/* Length of the overlap of an arm in the left and in the right view. */
static int
oracle_overlap (const Oracle * o, int u, int v, int d, int way)
{
  int x = u * o->step_x, y = v * o->step_y;
  int a = o->arm[0][4 * (y * o->width + x) + way];
  int b = o->arm[1][4 * (y * o->width + partner_of (o, x, d)) + way];
  int step = way < UPWARDS ? o->step_x : o->step_y, steps;

  steps = ((a < b ? a : b) + step - 1) / step;
  while (u + steps * step_x[way] >= o->columns
      || v + steps * step_y[way] >= o->rows)
    steps--;
  return steps;
}

/* Sum and number of the costs in a region, by enumeration. */
static void
oracle_region (const Oracle * o, int u, int v, int d, long long *sum,
    long long *n)
{
  int top = v - oracle_overlap (o, u, v, d, UPWARDS);
  int bottom = v + oracle_overlap (o, u, v, d, DOWNWARDS);

  *sum = *n = 0;
  for (int q = top; q <= bottom; q++) {
    int from = u - oracle_overlap (o, u, q, d, TO_LEFT);
    int to = u + oracle_overlap (o, u, q, d, TO_RIGHT);

    for (int p = from; p <= to; p++) {
      *sum += oracle_cost (o, p * o->step_x, q * o->step_y, d);
      *n += 1;
    }
  }
}

static void
oracle_winners (Oracle * o)
{
  int n_left = o->columns * o->rows, n_right = o->width * o->rows;
  long long *best = calloc (2 * (size_t) (n_left + n_right),
      sizeof (long long));

  REQUIRE (best != NULL);
  for (int i = 0; i < o->c.n; i++) {
    int d = (int) o->c.min + i;

    if (abs (d) >= o->width)
      continue;
    for (int v = 0; v < o->rows; v++) {
      for (int u = 0; u < o->columns; u++) {
        int partner = u * o->step_x - d;
        int at[2] = { v * o->columns + u, v * o->width + partner };
        long long sum, n;

        oracle_region (o, u, v, d, &sum, &n);
        o->sum[i * n_left + at[0]] = sum;
        o->count[i * n_left + at[0]] = n;
        for (int view = 0; view < 2; view++) {
          int *winner = (view ? o->right : o->left) + at[view];
          long long *b = best + 2 * (view * n_left + at[view]);

          if (view == 1 && (partner < 0 || partner >= o->width))
            continue;
          if (*winner < 0 || sum * b[1] < b[0] * n) {
            *winner = i;
            b[0] = sum;
            b[1] = n;
          }
        }
      }
    }
  }
  free (best);
}

static void
oracle_check (Oracle * o)
{
  for (int v = 0; v < o->rows; v++) {
    for (int u = 0; u < o->columns; u++) {
      int index = o->left[v * o->columns + u];
      int partner = u * o->step_x - (int) o->c.min - index;
      bool ok = false;

      if (o->c.s.tolerance < 0)
        ok = true;
      else if (partner >= 0 && partner < o->width) {
        int other = o->right[v * o->width + partner];

        ok = other >= 0 && abs (other - index) <= o->c.s.tolerance;
      }
      o->reliable[v * o->columns + u] = ok ? index : -1;
    }
  }
}

/* The range of possible winners: the first index, and one past the last. */
static void
oracle_range (const Oracle * o, int *first, int *end)
{
  *first = *end = 0;
  for (int i = (int) o->c.n - 1; i >= 0; i--) {
    if (abs ((int) o->c.min + i) < o->width) {
      *first = i;
      *end = *end ? *end : i + 1;
    }
  }
}

/* Number of votes for each index in the region of a pixel, by enumeration. */
static int
oracle_votes (const Oracle * o, int x, int y, int *votes)
{
  const int *arm = o->arm[0] + 4 * (y * o->width + x);
  int n = 0;

  memset (votes, 0, sizeof (int) * (size_t) o->c.n);
  for (int q = y - arm[UPWARDS]; q <= y + arm[DOWNWARDS]; q++) {
    const int *other = o->arm[0] + 4 * (q * o->width + x);

    for (int p = x - other[TO_LEFT]; p <= x + other[TO_RIGHT]; p++) {
      int vote = p % o->step_x || q % o->step_y ? -1
          : o->reliable[q / o->step_y * o->columns + p / o->step_x];

      if (vote >= 0) {
        votes[vote]++;
        n++;
      }
    }
  }
  return n;
}

/* The index with most votes; the lowest one in a tie. */
static int
oracle_mode (const Oracle * o, const int *votes)
{
  int mode = 0;

  for (int i = 1; i < o->c.n; i++)
    if (votes[i] > votes[mode])
      mode = i;
  return mode;
}

static int
oracle_bits (const Oracle * o, const int *votes, int n)
{
  int index = 0, first, end;

  for (int bit = 1; bit < o->c.n; bit *= 2) {
    int set = 0;

    for (int i = 0; i < o->c.n; i++)
      set += i & bit ? votes[i] : 0;
    if (set > n - set)
      index += bit;
  }
  oracle_range (o, &first, &end);
  return limit_to (index, first, end - 1);
}

/* Whether a pixel of the right view matches column x. */
static bool
covered (const Oracle * o, int x, int y)
{
  for (int xr = 0; xr < o->width; xr++) {
    int index = o->right[y / o->step_y * o->width + xr];

    if (index >= 0 && xr + (int) o->c.min + index == x)
      return true;
  }
  return false;
}

/* Whether a pixel without a reliable winner is voted for. */
static bool
wants_vote (const Oracle * o, int x, int y)
{
  if (!o->c.mismatches || o->step_x > 1 || o->step_y > 1
      || o->c.s.tolerance < 0)
    return true;
  return covered (o, x, y) || (x > 0 && x < o->width - 1
      && covered (o, x - 1, y) && covered (o, x + 1, y));
}

static void
oracle_vote (Oracle * o)
{
  SCOPED (free_scoped) int *votes = numbers ((int) o->c.n);

  for (int y = 0; y < o->height; y++) {
    for (int x = 0; x < o->width; x++) {
      int n = oracle_votes (o, x, y, votes), *result = o->voted
          + y * o->width + x;

      if (x % o->step_x == 0 && y % o->step_y == 0)
        *result = o->reliable[y / o->step_y * o->columns + x / o->step_x];
      if (*result < 0 && n > 0 && o->c.s.vote >= 0 && wants_vote (o, x, y))
        *result = o->c.s.vote ? oracle_mode (o, votes) : oracle_bits (o, votes,
            n);
    }
  }
}

/* The value between the nearest valid neighbours on both sides. */
static int
between (const int *row, int width, int x)
{
  int l = x, r = x;

  while (l >= 0 && row[l] < 0)
    l--;
  while (r < width && row[r] < 0)
    r++;
  if (l >= 0 && r < width)
    return row[l] < row[r] ? row[l] : row[r];
  return l >= 0 ? row[l] : r < width ? row[r] : -1;
}

/* Fills rows as in the paper, then empty rows as all matchers do. */
static void
oracle_fill (Oracle * o)
{
  bool empty = true;

  memcpy (o->filled, o->voted, sizeof (int) * (size_t) (o->width
          * o->height));
  if (o->c.s.mark)
    return;
  for (int y = 0; y < o->height; y++) {
    const int *voted = o->voted + y * o->width;
    int *filled = o->filled + y * o->width;
    int border = 0;

    for (int x = 0; x < o->width; x++) {
      filled[x] = between (voted, o->width, x);
      empty = empty && filled[x] < 0;
      if (filled[x] < 0 && !o->c.mismatches && o->c.s.vote >= 0) {
        filled[x] = o->left[y / o->step_y * o->columns + x / o->step_x];
        o->own[y * o->width + x] = x - x % o->step_x;
      }
    }
    while (border < o->columns && o->reliable[y / o->step_y * o->columns
            + border] < 0)
      border++;
    for (int x = 0; border < o->columns && x < border * o->step_x
        && !o->c.mismatches && o->c.s.vote >= 0; x++) {
      filled[x] = filled[border * o->step_x];
      o->own[y * o->width + x] = o->own[y * o->width + border * o->step_x];
    }
  }
  if (empty)
    return;
  /* rows without valid pixels get those of the row above, or below */
  for (int y = 1; y < o->height; y++)
    if (o->filled[y * o->width] < 0)
      memcpy (o->filled + y * o->width, o->filled + (y - 1) * o->width,
          sizeof (int) * (size_t) o->width);
  for (int y = o->height - 2; y >= 0; y--)
    if (o->filled[y * o->width] < 0)
      memcpy (o->filled + y * o->width, o->filled + (y + 1) * o->width,
          sizeof (int) * (size_t) o->width);
}

static int
compare_ints (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

static void
oracle_median (Oracle * o)
{
  for (int y = 0; y < o->height; y++) {
    for (int x = 0; x < o->width; x++) {
      int own = o->filled[y * o->width + x], around[9], n = 0;

      o->final[y * o->width + x] = own;
      if (!o->c.s.median || o->c.s.mark || own < 0)
        continue;
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
          int value = o->filled[limit_to (y + j, 0, o->height - 1) * o->width
              + limit_to (x + i, 0, o->width - 1)];

          around[n++] = value < 0 ? own : value;
        }
      }
      qsort (around, 9, sizeof (int), compare_ints);
      o->final[y * o->width + x] = around[4];
    }
  }
}

static void
oracle_init (Oracle * o, const Case * c, const StereoParams * params,
    const TestImage * left, const TestImage * right)
{
  int pixels = c->width * c->height, first, end;

  memset (o, 0, sizeof (*o));
  o->c = *c;
  o->params = params;
  o->left_image = left;
  o->right_image = right;
  o->width = c->width;
  o->height = c->height;
  o->step_x = (int) c->s.sx;
  o->step_y = (int) c->s.sy;
  o->columns = (o->width + o->step_x - 1) / o->step_x;
  o->rows = (o->height + o->step_y - 1) / o->step_y;
  o->color = format_has_color (c->left) && format_has_color (c->right);
  if (!o->color && o->c.cost == STEREO_COST_RGB)
    o->c.cost = STEREO_COST_LUMA;
  for (int view = 0; view < 2; view++) {
    const TestImage *image = view ? right : left;

    o->rgb[view] = numbers (3 * pixels);
    o->luma[view] = numbers (pixels);
    o->arm[view] = numbers (4 * pixels);
    for (int p = 0; p < pixels; p++) {
      int *rgb = o->rgb[view] + 3 * p;

      if (o->color)
        test_image_rgb (image, p % o->width, p / o->width, rgb);
      else
        rgb[0] = rgb[1] = rgb[2] = test_image_luma (image, false,
            p % o->width, p / o->width);
      o->luma[view][p] = (19589 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2]
          + 32768) / 65536;
    }
    for (int i = 0; i < 4 * pixels; i++)
      o->arm[view][i] = oracle_arm (o, view, i / 4 % o->width, i / 4
          / o->width, i % 4);
  }
  o->left = numbers (o->columns * o->rows);
  o->reliable = numbers (o->columns * o->rows);
  o->right = numbers (o->width * o->rows);
  o->sum = calloc ((size_t) (o->c.n * o->columns * o->rows), sizeof (*o->sum));
  o->count = calloc ((size_t) (o->c.n * o->columns * o->rows),
      sizeof (*o->count));
  REQUIRE (o->sum != NULL && o->count != NULL);
  o->voted = numbers (pixels);
  o->filled = numbers (pixels);
  o->own = numbers (pixels);
  o->final = numbers (pixels);
  oracle_range (o, &first, &end);
  if (first == end)
    return;
  oracle_winners (o);
  oracle_check (o);
  oracle_vote (o);
  oracle_fill (o);
  oracle_median (o);
}

static void
oracle_clear (Oracle * o)
{
  for (int view = 0; view < 2; view++) {
    free (o->rgb[view]);
    free (o->luma[view]);
    free (o->arm[view]);
  }
  free (o->sum);
  free (o->count);
  free (o->left);
  free (o->reliable);
  free (o->right);
  free (o->voted);
  free (o->filled);
  free (o->own);
  free (o->final);
}

/* ------------------------------------------------------------------- stages */

typedef struct
{
  StageBench s;
  const StereoBfvStages *stages;
  StereoBfvConstants k;
  StereoBfvMemory m;
  StereoWork own;               /* m.work */
  StereoBfvViews views;
  StereoWinners winners;
  StereoMap map;
  StageRows left_arms, right_arms, work, left, right, out, census[2];
} Bench;

/* Allocates the device memory of a buffer. */
static void *
buffer_init (const Bench * b, StageRows * buffer, size_t size)
{
  rows_init (buffer, size, size, 1, &b->s);
  return device_row (buffer, 0);
}

static uint16_t *
words16 (const StageRows * b)
{
  return (uint16_t *) (void *) host_row (b, 0);
}

static uint32_t *
words32 (const StageRows * b)
{
  return (uint32_t *) (void *) host_row (b, 0);
}

/* Both views in the format that the backend reads. */
static void
make_views (Bench * b, const Oracle * o, Random * random)
{
  const int channels = o->color ? 3 : 1, pixels = o->width * o->height;
  const size_t more = 64 * (size_t) random_range (random, 0, 2);
  SCOPED (free_scoped) uint8_t *levels = malloc ((size_t) (channels * pixels));

  REQUIRE (levels != NULL);
  for (int view = 0; view < 2; view++) {
    for (int i = 0; i < channels * pixels; i++)
      levels[i] = (uint8_t) o->rgb[view][3 * (i / channels) + i % channels];
    *(view ? &b->views.right : &b->views.left) = stagebench_view_any (&b->s,
        levels, o->width, o->height, channels, more, random);
  }
}

/* The census words of both views; tests/kernels/census.c tests that stage. */
static void
make_census (Bench * b, const Oracle * o)
{
  const StereoWordsStages *census = b->s.device->klass->stages (b->s.device,
      "census");
  const StereoWordsSource source = {
    .width = o->width,.height = o->height,.channels = o->color ? 3 : 1,
    .views = {b->views.left, b->views.right}
  };
  size_t bytes = census->bytes (o->width, o->height);
  void *memory[2];

  for (int view = 0; view < 2; view++) {
    memory[view] = buffer_init (b, &b->census[view], bytes);
    rows_up (&b->census[view], &b->s);
  }
  CHECK_INT (census->make (b->s.queue, &source, memory), ==, STEREO_OK);
  b->views.left_words = census->layout (o->width, o->height, memory[0]);
  b->views.right_words = census->layout (o->width, o->height, memory[1]);
}

/* Creates the buffers of all stages; unit: codes per disparity. */
static void
bench_open (Bench * b, size_t index, const Oracle * o, int unit,
    Random * random)
{
  StereoSearch search = {.width = o->width,.height = o->height,
    .channels = o->color ? 3 : 1,.num_disparities = (int) o->c.n,
    .min_disparity = (int) o->c.min,.n_threads = 1,.cost = o->c.cost,
    .unit = unit,.winners = true,.right_winners = o->c.s.tolerance >= 0,
    .fill = !o->c.s.mark
  };
  StereoBfvParams params = {.arm_threshold = (unsigned) o->c.s.tau,
    .arm_length = (unsigned) o->c.s.arm,.cost_threshold = (unsigned) o->c.s.cut,
    .sampling_x = (unsigned) o->c.s.sx,.sampling_y = (unsigned) o->c.s.sy,
    .vote = 1 + (int) o->c.s.vote,.vote_for = o->c.mismatches ? 0 : 1
  };
  size_t pixels = (size_t) (o->width * o->height);
  StereoArena arena;

  memset (b, 0, sizeof (*b));
  b->s = stagebench_open (index);
  if (strcmp (stereo_device_backend (b->s.device), "cpu") == 0)
    search.n_threads = b->s.device->n_threads;
  b->stages = b->s.device->klass->stages (b->s.device, "bfv");
  REQUIRE (b->stages != NULL);
  oracle_range (o, &search.first_index, &search.end_index);
  stereo_bfv_constants (&search, &params, &b->k);

  b->m.left_arms = buffer_init (b, &b->left_arms, pixels * 4);
  b->m.right_arms = buffer_init (b, &b->right_arms,
      (size_t) (o->width * o->rows) * 4);
  b->m.work = (StereoBfvWork *) &b->own;
  stereo_arena_reset (&arena);
  REQUIRE (b->stages->plan (&search, &b->k, (StereoBfvWork *) &b->own, &arena,
          NULL) == STEREO_OK);
  stereo_arena_bind (&arena, buffer_init (b, &b->work, arena.size));
  b->winners.left = buffer_init (b, &b->left, pixels * 4);
  b->winners.right = buffer_init (b, &b->right, pixels * 4);
  b->winners.left_stride = b->winners.right_stride = (size_t) o->width;
  b->winners.unit = unit;
  b->winners.first_index = search.first_index;
  b->winners.last_index = search.end_index - 1;
  b->winners.uniqueness = true;
  if (!search.right_winners)
    b->winners.right = NULL;
  b->map.data = buffer_init (b, &b->out, pixels * 2);
  b->map.stride = (size_t) o->width;
  make_views (b, o, random);
  if (o->c.cost == STEREO_COST_WORDS)
    make_census (b, o);
}

static void
bench_finish (const Bench * b)
{
  (void) stagebench_finish (&b->s);
  rows_down (&b->work, &b->s, false);
}

static void
bench_close (Bench * b)
{
  bench_finish (b);
  stagebench_free (&b->s, b->views.left.plane[0]);
  stagebench_free (&b->s, b->views.right.plane[0]);
  rows_clear (&b->left_arms, &b->s);
  rows_clear (&b->right_arms, &b->s);
  rows_clear (&b->work, &b->s);
  rows_clear (&b->left, &b->s);
  rows_clear (&b->right, &b->s);
  rows_clear (&b->out, &b->s);
  for (int i = 0; i < 2; i++) {
    if (b->census[i].device != NULL)
      rows_clear (&b->census[i], &b->s);
  }
  stagebench_close (&b->s);
}

/* The mean cost of a grid point that subpixel refinement uses. */
static int
oracle_mean (const Oracle * o, int at, int index, int limit)
{
  long long i = (long long) index * o->columns * o->rows + at;
  int scale = 1;

  while (2 * scale * limit <= 65535)
    scale *= 2;
  return (int) (o->sum[i] * scale / o->count[i]);
}

/* The word of a winner of the left view, computed in floating point. */
static uint32_t
oracle_word (const Oracle * o, int x, int y, int unit)
{
  int at = y / o->step_y * o->columns + x / o->step_x, index, first, end;
  int limit = o->c.cost == STEREO_COST_WORDS ? 60 : (int) o->c.s.cut;
  double a = 65535, b = 65535, c, better, fraction = 0;

  oracle_range (o, &first, &end);
  if (x % o->step_x || y % o->step_y || first == end)
    return 0xffffffff;
  index = o->left[at];
  c = oracle_mean (o, at, index, limit);
  if (o->step_x == 1 && index > first)
    a = oracle_mean (o, at, index - 1, limit);
  if (o->step_x == 1 && index < end - 1)
    b = oracle_mean (o, at, index + 1, limit);
  if (unit > 1 && index > first && index < end - 1 && fmax (a, b) > c)
    fraction = floor (unit * (a - b) / (2 * (fmax (a, b) - c)) + 0.5);
  if (index == first)
    a = index == end - 1 ? c : b;
  if (index == end - 1)
    b = a;
  better = a < b ? a : b;
  return (uint32_t) index | ((uint32_t) (int) fraction & 255) << 16
      | (uint32_t) (better > 0 ? floor (254 * (better - c) / better) : 0)
      << 24;
}

/* The word of a winner of the right view; its cost is arbitrary. */
static uint32_t
oracle_right_word (const Oracle * o, int x, int y)
{
  int index = y % o->step_y ? -1 : o->right[y / o->step_y * o->width + x];

  return index < 0 ? 0xffffffff : (uint32_t) index;
}

/* Prints where a stage differs from the oracle, and fails. */
static void
wrong_in (const Oracle * o, const Bench * b, const char *text)
{
  report_difference ("bfv", o->params, o->left_image, o->right_image,
      stereo_device_name (b->s.device), text);
}

/* Compares the winners of a stage with the oracle. */
static void
expect_winners (const Bench * b, const Oracle * o, int view, int unit)
{
  const StageRows *buffer = view ? &b->right : &b->left;

  rows_down (buffer, &b->s, false);
  for (int i = 0; i < o->width * o->height; i++) {
    int x = i % o->width, y = i / o->width;
    uint32_t word = words32 (buffer)[i], expected = view
        ? oracle_right_word (o, x, y) : oracle_word (o, x, y, unit);
    char text[100];

    if (word == expected || (view && expected != 0xffffffff
            && (word & 0xffff) == expected))
      continue;
    snprintf (text, sizeof (text), "winners of view %d, (%d, %d): %08x, "
        "expected %08x", view, x, y, (unsigned) word, (unsigned) expected);
    wrong_in (o, b, text);
    return;
  }
}

/* Uploads the oracle's winners and the map of the reliable ones. */
static void
upload_winners (const Bench * b, const Oracle * o, int unit)
{
  for (int i = 0; i < o->width * o->height; i++) {
    int x = i % o->width, y = i / o->width, index = -1;

    if (x % o->step_x == 0 && y % o->step_y == 0)
      index = o->reliable[y / o->step_y * o->columns + x / o->step_x];
    words32 (&b->left)[i] = oracle_word (o, x, y, unit);
    words32 (&b->right)[i] = oracle_right_word (o, x, y);
    words16 (&b->out)[i] = index < 0 ? STEREO_INVALID
        : (uint16_t) (index * unit);
    /* the test may have other winners */
    if (index >= 0)
      words32 (&b->left)[i] = (words32 (&b->left)[i] & 0xffff0000)
          | (uint32_t) index;
  }
  rows_up (&b->left, &b->s);
  rows_up (&b->right, &b->s);
  rows_up (&b->out, &b->s);
}

/* The code of a pixel after the vote: of an index, or of a winner with its
 * fraction. */
static int
oracle_code (const Oracle * o, const int *indices, int i, int unit)
{
  int y = i / o->width, fraction;

  if (indices[i] < 0)
    return STEREO_INVALID;
  if (indices != o->filled || o->own[i] < 0)
    return indices[i] * unit;
  fraction = (int) (oracle_word (o, o->own[i], y - y % o->step_y, unit)
      >> 16 & 255);
  return indices[i] * unit + (fraction < 128 ? fraction : fraction - 256);
}

/* Compares the map of a stage with the oracle's indices. */
static void
expect_map (const Bench * b, const Oracle * o, const int *indices, int unit)
{
  rows_down (&b->out, &b->s, false);
  for (int i = 0; i < o->width * o->height; i++) {
    int value = words16 (&b->out)[i];
    int expected = oracle_code (o, indices, i, unit);
    char text[100];

    if (value == expected)
      continue;
    snprintf (text, sizeof (text), "vote, (%d, %d): %d, expected %d of %d",
        i % o->width, i / o->width, value, expected, unit);
    wrong_in (o, b, text);
    return;
  }
}

/* An arm in the format of the stages, in steps for the right view. */
static uint32_t
oracle_cross (const Oracle * o, int view, int x, int y)
{
  uint32_t cross = 0;

  for (int way = 0; way < 4; way++) {
    int arm = o->arm[view][4 * (y * o->width + x) + way];
    int step = view == 0 ? 1 : way < UPWARDS ? o->step_x : o->step_y;

    cross |= (uint32_t) ((arm + step - 1) / step) << 8 * way;
  }
  return cross;
}

/* Uploads the support crosses, or with `check` compares them with the
 * oracle. */
static void
crosses (const Bench * b, const Oracle * o, int view, bool check)
{
  const StageRows *buffer = view ? &b->right_arms : &b->left_arms;
  int rows = view ? o->rows : o->height, step = view ? o->step_y : 1;

  if (check)
    rows_down (buffer, &b->s, false);
  for (int i = 0; i < o->width * rows; i++) {
    int x = i % o->width, y = i / o->width * step;
    uint32_t cross = oracle_cross (o, view, x, y), *word = words32 (buffer) + i;
    char text[100];

    if (!check) {
      *word = cross;
    } else if (*word != cross) {
      snprintf (text, sizeof (text), "crosses of view %d, (%d, %d): %08x, "
          "expected %08x", view, x, y, (unsigned) *word, (unsigned) cross);
      wrong_in (o, b, text);
      return;
    }
  }
  if (!check)
    rows_up (buffer, &b->s);
}

/* Tests each stage with inputs from the oracle. */
static void
check_stages (const Oracle * o, size_t device, Random * random)
{
  int unit = random_range (random, 0, 1) ? 16 : 1;
  Bench b;

  bench_open (&b, device, o, unit, random);
  rows_up (&b.work, &b.s);
  rows_up (&b.left, &b.s);
  rows_up (&b.right, &b.s);
  if (b.k.first_index < b.k.end_index) {
    rows_up (&b.left_arms, &b.s);
    rows_up (&b.right_arms, &b.s);
    CHECK_INT (b.stages->crosses (b.s.queue, &b.k, &b.views, &b.m), ==,
        STEREO_OK);
    bench_finish (&b);
    crosses (&b, o, 0, true);
    crosses (&b, o, 1, true);
    crosses (&b, o, 0, false);
    crosses (&b, o, 1, false);
  }
  CHECK_INT (b.stages->match (b.s.queue, &b.k, &b.views, &b.m, &b.winners), ==,
      STEREO_OK);
  bench_finish (&b);
  expect_winners (&b, o, 0, unit);
  if (b.winners.right != NULL)
    expect_winners (&b, o, 1, unit);

  if (b.k.first_index < b.k.end_index && o->c.s.vote >= 0) {
    upload_winners (&b, o, unit);
    CHECK_INT (b.stages->vote (b.s.queue, &b.k, &b.m, &b.winners, &b.map), ==,
        STEREO_OK);
    bench_finish (&b);
    expect_map (&b, o, o->c.mismatches ? o->voted : o->filled, unit);
  }
  bench_close (&b);
}

/* ------------------------------------------------------------------ matcher */

/* Compares all devices with the oracle, stage by stage and as a whole. */
static void
check_one (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;
  SCOPED_PARAMS *params = case_params (c);
  Oracle o;

  CASE_IMAGES (c, &left, &right, random);
  oracle_init (&o, c, params, &left, &right);
  for (size_t i = 0; i < devices_count (); i++) {
    Random same = *random;      /* independent of the number of devices */

    check_stages (&o, i, &same);
  }
  random_next (random);
  check_codes ("bfv", params, &left, &right, o.final);
  oracle_clear (&o);
}

/* With the steps of the paper, then with ours. */
static void
check_case (const Case * c, Random * random)
{
  Case ours = *c;

  check_one (c, random);
  ours.cost = c->cost == STEREO_COST_RGB && random_range (random, 0, 3) == 0
      ? STEREO_COST_LUMA : STEREO_COST_WORDS;
  ours.mismatches = random_range (random, 0, 4) > 0;
  if (random_range (random, 0, 7) == 0)
    ours.s.vote = -1;
  if (random_range (random, 0, 2) > 0)
    ours.s.tolerance = 1;
  check_one (&ours, random);
}

/* -------------------------------------------------------------------- tests */

static const Views views = {
  30, 22, STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, 10, 0, FILL_SHIFTED
};

/* Full resolution, then other sampling factors. */
static void
check_views (const Views * v, int i, Random * random)
{
  Case c = usual;

  CASE_SET_VIEWS (&c, v);
  check_case (&c, random);
  c.s.sx = 1 + (double) (i % 8);
  c.s.sy = 1 + (double) (i * 3 % 8);
  check_case (&c, random);
  c.left = c.right = STEREO_FORMAT_GRAY8;
  c.s.tau = 90;
  c.s.vote = i % 2;
  check_case (&c, random);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_sizes, each_size, views, check_views)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_views)

TEST (test_parameters)
{
  static const Settings sets[] = {
    {0, 16, 60, 1, 1, 0, 0, 0, 1}, {255, 16, 60, 1, 1, 0, 0, 0, 1},
    {255, 1, 60, 1, 1, 0, 0, 0, 0}, {255, 15, 1, 1, 1, 0, 1, 0, 1},
    /* sums up to the 16-bit limit, and above */
    {255, 16, 60, 1, 1, -1, 0, 0, 0}, {255, 16, 61, 1, 1, -1, 0, 0, 0},
    {255, 17, 53, 1, 1, 0, 0, 0, 1}, {255, 17, 54, 1, 1, 0, 0, 0, 1},
    {255, 4, 765, 1, 1, 0, 0, 0, 1}, {255, 64, 765, 1, 1, 0, 0, 0, 1},
    {60, 64, 765, 2, 2, 0, 1, 0, 1}, {255, 64, 40, 4, 4, 0, 0, 0, 1},
    {255, 32, 255, 8, 8, 0, 0, 0, 1}, {255, 33, 256, 8, 8, 0, 0, 0, 1},
    {40, 16, 60, 1, 1, -1, 0, 0, 1}, {40, 16, 60, 1, 1, 1, 1, 0, 1},
    {40, 16, 60, 3, 1, 64, 0, 0, 1}, {10, 4, 60, 1, 1, 0, 0, 1, 0},
    {10, 4, 60, 4, 4, 0, 0, 1, 1}, {10, 4, 60, 4, 4, 0, 1, 1, 0},
    {20, 16, 60, 8, 1, 0, 0, 0, 1}, {20, 16, 60, 1, 8, 0, 0, 0, 1}
  };
  Random random = { 4 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    static const Fill fills[] = {
      FILL_SHIFTED, FILL_RANDOM, FILL_BLACK_AND_WHITE
    };
    Case c = usual;

    c.width = 40;
    c.height = 36;
    c.n = 5;
    c.s = sets[i];
    for (size_t f = 0; f < 3; f++) {
      c.fill = fills[f];
      c.left = c.right = f ? STEREO_FORMAT_GRAY8 : STEREO_FORMAT_BGR;
      check_case (&c, &random);
    }
  }
}

/* CUDA has larger tiles if there is much to do. */
TEST (test_many_disparities)
{
  Random random = { 12 };

  for (int step = 1; step <= 2; step++) {
    Case c = usual;

    c.width = 70 * step;
    c.height = 100;
    c.n = 260;
    c.min = -30 * step;
    c.s.arm = 5;
    c.s.sx = step;
    check_case (&c, &random);
  }
}

/* Rows without votes keep their own matches, with fractions. */
TEST (test_no_votes)
{
  Random random = { 9 };

  for (int round = 0; round < 24; round++) {
    Case c = usual;

    c.left = c.right = STEREO_FORMAT_GRAY8;
    c.fill = FILL_RANDOM;
    c.width = 12;
    c.n = 9;
    c.s.arm = 2;
    c.s.sx = 1 + round % 2;
    c.s.sy = 8;
    c.s.vote = round / 2 % 2;
    check_case (&c, &random);
  }
}

/* If one index has more than half of the votes, both kinds of vote select
 * it. */
TEST (test_majority)
{
  Random random = { 6 };

  for (int round = 0; round < 6; round++) {
    Case c = usual;
    SCOPED_IMAGE left, right;
    SCOPED_PARAMS *params;
    Oracle o;
    int *votes, agreed = 0;

    c.n = round % 2 ? 300 : 40;
    c.min = -150;
    c.width = 160;
    c.s.sx = 1 + round % 3;
    c.s.tau = 60;
    c.s.mark = 1;
    CASE_IMAGES (&c, &left, &right, &random);
    params = case_params (&c);
    oracle_init (&o, &c, params, &left, &right);
    votes = numbers ((int) c.n);
    /* votes with a majority for one index */
    for (int i = 0; i < o.columns * o.rows; i++) {
      int kind = random_range (&random, 0, 9);

      o.reliable[i] = kind < 3 ? -1 : kind < 8 ? i % o.columns / 20 * 7
          % (int) c.n : random_range (&random, 0, (int) c.n - 1);
    }
    for (size_t d = 0; d < devices_count (); d++) {
      uint16_t *result[2];
      Bench b[2];

      for (int kind = 0; kind < 2; kind++) {
        o.c.s.vote = kind;
        bench_open (&b[kind], d, &o, 1, &random);
        rows_up (&b[kind].work, &b[kind].s);
        crosses (&b[kind], &o, 0, false);
        upload_winners (&b[kind], &o, 1);
        CHECK_INT (b[kind].stages->vote (b[kind].s.queue, &b[kind].k,
                &b[kind].m, &b[kind].winners, &b[kind].map), ==, STEREO_OK);
        bench_finish (&b[kind]);
        rows_down (&b[kind].out, &b[kind].s, false);
        result[kind] = words16 (&b[kind].out);
      }
      for (int p = 0; p < o.width * o.height; p++) {
        int n = oracle_votes (&o, p % o.width, p / o.width, votes);
        int mode = oracle_mode (&o, votes);

        if (2 * votes[mode] <= n)
          continue;
        CHECK_INT (result[0][p], ==, result[1][p]);
        if (p % o.width % o.step_x) {
          CHECK_INT (result[1][p], ==, mode);
          agreed++;
        }
      }
      bench_close (&b[0]);
      bench_close (&b[1]);
    }
    if (c.s.sx > 1)
      CHECK_INT (agreed, >, 1000);
    free (votes);
    oracle_clear (&o);
  }
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
