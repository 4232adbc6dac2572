/* gst-stereomatching: cross-based regions with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * The grid is cut into strips of whole rows that threads take one by one, so
 * that a right winner belongs to one thread.  For one disparity after another
 * a thread sums up the rows of its strip, and those that regions reach above
 * and below it, by differences of prefix sums, adds the sums up downwards, and
 * takes the differences again; the winners stay in the strip.  It does so for
 * some columns after others, so that all of it fits the second level cache.
 * From left to right, so that a right winner still sees its candidates in
 * ascending order.
 *
 * With sampling the right view is taken apart into phases, one for each
 * remainder of a column by sampling_x: at disparity d all partners are in one
 * phase, side by side.
 *
 * Where the ends of an arm are lanes of two vectors, AVX-512 fetches them all
 * by one permutation.  It does so along rows, turns the sums by 90 degrees,
 * and does so along columns.  Everything else, and settings for which 16 bits
 * or two vectors are not enough, fetch one by one.
 */

#include "match/bfv-simd.h"

#include "match/bfv-pixel.h"
#include "cost/census-simd.h"
#include "core/cpu.h"
#include "simd/simd.h"

#define STAGES SIMD_NAME (stereo_bfv_stages_)

/* Bytes or elements behind a row that vectors may read or write. */
#define MARGIN 64

/* ------------------------------------------------------------------ crosses */

/* A copy of a view, with columns beyond both ends that no vector leaves. */
typedef struct
{
  uint8_t *plane[3];            /* of the first pixel */
  /* For every column, those beyond too: 255 outside the image, else 0. */
  uint8_t *outside;
  size_t stride;
} Padded;

#define CROSS_MARGIN stereo_round_up (STEREO_BFV_MAX_ARM + 2, SIMD_ALIGNMENT)

static void
place_padded (const StereoBfvConstants * k, StereoSubArena * arena,
    Padded * view)
{
  size_t rows = (size_t) k->height;

  view->stride = CROSS_MARGIN + stereo_round_up ((size_t) k->width,
      SIMD_ALIGNMENT) + CROSS_MARGIN;
  for (int c = 0; c < k->channels; c++) {
    view->plane[c] = stereo_take (arena, rows * view->stride, 1);
    if (view->plane[c] != NULL)
      view->plane[c] += CROSS_MARGIN;
  }
  view->outside = stereo_take (arena, view->stride, 1);
  if (view->outside != NULL)
    view->outside += CROSS_MARGIN;
}

/* Whether pixels at x of row p and at x + i of row q differ, as 255 or 0. */
ALWAYS_INLINE VecU8
differ (const uint8_t * const p[3], const uint8_t * const q[3], ptrdiff_t x,
    ptrdiff_t i, VecU8 threshold, bool color)
{
  VecU8 largest = simd_absdiff8 ((VecU8) simd_load16 (p[0] + x),
      (VecU8) simd_load16 (q[0] + x + i));

  for (int c = 1; c < (color ? 3 : 1); c++)
    largest = simd_max8 (largest, simd_absdiff8 ((VecU8) simd_load16 (p[c] + x),
            (VecU8) simd_load16 (q[c] + x + i)));
  return (VecU8) (largest > threshold);
}

/* Whether pixels at distance i of an arm stop it together with another one. */
ALWAYS_INLINE VecU8
stops (const StereoBfvConstants * k, const Padded * view, int x, int y, int dx,
    int dy, int i, VecU8 threshold, bool color)
{
  const uint8_t *p[3], *q[3];
  int yi = y + i * dy;

  if (yi < 0 || yi >= k->height)
    return ~(VecU8) { 0 };
  for (int c = 0; c < (color ? 3 : 1); c++) {
    p[c] = view->plane[c] + (size_t) y * view->stride;
    q[c] = view->plane[c] + (size_t) yi * view->stride;
  }
  if (dx == 0)
    return differ (p, q, x, 0, threshold, color);
  return differ (p, q, x, i * dx, threshold, color)
      | (VecU8) simd_load16 (view->outside + x + i * dx);
}

ALWAYS_INLINE void
arms_vector (const StereoBfvConstants * k, const Padded * view, int x, int y,
    int dx, int dy, bool color, uint8_t * arms)
{
  VecU8 threshold = (VecU8) { 0 } + (uint8_t) k->arm_threshold;
  VecU8 longer = ~(VecU8) { 0 }, arm = (VecU8) { 0 } + 1;
  VecU8 near = stops (k, view, x, y, dx, dy, 2, threshold, color);

  for (int i = 1; i < k->arm_length; i++) {
    VecU8 far = stops (k, view, x, y, dx, dy, i + 2, threshold, color);

    longer &= ~(near & far);
    if (!simd_any8 (longer))
      break;
    arm -= longer;
    near = far;
  }
  if (dx != 0)
    arm &= ~(VecU8) simd_load16 (view->outside + x + dx);
  else if (y + dy < 0 || y + dy >= k->height)
    arm = (VecU8) { 0 };
  simd_store16 (arms, (VecU16) arm);
}

/* The crosses of row y. */
ALWAYS_INLINE void
crosses_row_kind (const StereoBfvConstants * k, const Padded * view, int y,
    bool color, bool sampled, uint32_t * row)
{
  for (int x = 0; x < k->width; x += SIMD_BYTES) {
    uint8_t arms[4][SIMD_BYTES];
    int n = k->width - x < SIMD_BYTES ? k->width - x : SIMD_BYTES;

    arms_vector (k, view, x, y, -1, 0, color, arms[0]);
    arms_vector (k, view, x, y, 1, 0, color, arms[1]);
    arms_vector (k, view, x, y, 0, -1, color, arms[2]);
    arms_vector (k, view, x, y, 0, 1, color, arms[3]);
    if (n == SIMD_BYTES && !sampled) {
      for (int i = 0; i < SIMD_BYTES; i++)
        row[x + i] = stereo_bfv_pack_arms (arms[0][i], arms[1][i], arms[2][i],
            arms[3][i]);
      continue;
    }
    for (int i = 0; i < n; i++) {
      uint32_t word = stereo_bfv_pack_arms (arms[0][i], arms[1][i], arms[2][i],
          arms[3][i]);

      row[x + i] = sampled ? stereo_bfv_sample_arms (k, word) : word;
    }
  }
}

static void
crosses_row (const StereoBfvConstants * k, const Padded * view, int y,
    bool sampled, uint32_t * row)
{
  if (sampled && k->sampling_x == 1 && k->sampling_y == 1)
    sampled = false;
  if (k->channels == 3)
    crosses_row_kind (k, view, y, true, sampled, row);
  else
    crosses_row_kind (k, view, y, false, sampled, row);
}

static void
copy_padded (const StereoBfvConstants * k, const StereoView * view, int y,
    const Padded * padded)
{
  for (int c = 0; c < k->channels; c++)
    memcpy (padded->plane[c] + (size_t) y * padded->stride,
        view->plane[c] + (size_t) y * view->stride, (size_t) k->width);
  if (y == 0) {
    memset (padded->outside - CROSS_MARGIN, 0xff, padded->stride);
    memset (padded->outside, 0, (size_t) k->width);
  }
}

/* What the threads make crosses of. */
typedef struct
{
  const StereoBfvConstants *k;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  Padded padded[2];
} CrossesJob;

static void
padded_rows (const void *context, StereoSpan span)
{
  const CrossesJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    copy_padded (job->k, &job->views->left, y, &job->padded[0]);
    copy_padded (job->k, &job->views->right, y, &job->padded[1]);
  }
}

/* Rows of the left view, then those of the right one that are in the grid. */
static void
crosses_rows (const void *context, StereoSpan span)
{
  const CrossesJob *job = context;
  const StereoBfvConstants *k = job->k;
  size_t width = (size_t) k->width;

  for (int y = span.begin; y < span.end; y++) {
    int v = y - k->height;

    if (v < 0)
      crosses_row (k, &job->padded[0], y, false,
          job->m->left_arms + (size_t) y * width);
    else
      crosses_row (k, &job->padded[1], v * k->sampling_y, true,
          job->m->right_arms + (size_t) v * width);
  }
}

static StereoStatus
crosses_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m)
{
  StereoSubArena arena = { m->work->memory, 0 };
  CrossesJob job = {.k = k,.views = views,.m = m };

  place_padded (k, &arena, &job.padded[0]);
  place_padded (k, &arena, &job.padded[1]);
  stereo_cpu_for (queue, k->height, 0, padded_rows, &job);
  stereo_cpu_for (queue, k->height + k->grid_height, 8, crosses_rows, &job);
  return STEREO_OK;
}

/* ----------------------------------------------------------------- matching */

/* Sizes that all strips have in common. */
typedef struct
{
  int reach_x;                  /* of arms, in steps */
  int reach_y;
  bool transposed;                  /* the way of AVX-512 */
  int phases;                   /* of the right view: sampling_x */
  int phase_width;              /* columns of the first one, the widest */
  /* Columns that disparities reach before and behind a phase. */
  int before;
  int behind;
  int tile_width;               /* columns of the grid done at a time */
  int strip_height;             /* rows of the grid */
  int n_strips;
  int rows;                     /* with those that regions reach, at most */
  /* Elements of rows: pixels and sums of the left view, pixels of a phase, and
   * arms of a phase. */
  size_t left_stride;
  size_t right_stride;
  size_t arms_stride;
} Layout;

/* What one thread works with. */
typedef struct
{
  uint8_t *left[4];             /* planes, sampled: rows x left_stride */
  uint8_t *right[4];            /* phases x rows x right_stride */
  uint8_t *luma;                /* one row of the image */
  uint8_t *cost;                /* one row */
  /* General way */
  uint16_t *cost16;
  uint32_t *left_arms;          /* rows x left_stride */
  uint32_t *right_arms;         /* phases x rows x arms_stride */
  uint32_t *arms;               /* overlap, strip_height x left_stride */
  uint32_t *other_arms;         /* overlap of any other row */
  uint32_t *prefix;             /* of one row */
  /* Sums and counts (pack ()), of 4 bytes, or of 8 if wide: of a row's rows
   * before (rows + 1 of them), of a row, and of winners. */
  void *above;
  void *sums;
  void *left_best;              /* strip_height x left_stride */
  void *last;                   /* the same: of the disparity before, */
  void *before;                 /* and of those beside the winners */
  void *after;
  void *right_best;             /* phases x strip_height x right_stride */
  uint32_t *left_index;
  uint32_t *right_index;
  /* Transposed way */
  uint16_t *left_row_arms;      /* to the left | to the right << 8 */
  uint16_t *right_row_arms;
  uint16_t *left_column_arms;   /* up | down << 8; columns of strip_height */
  uint16_t *right_column_arms;
  uint16_t *row_prefix;
  uint16_t *above_sum;          /* by disparity: blocks of 32 columns of a
                                 * tile, rows x 32 */
  uint16_t *above_count;
  uint16_t *transposed_sum;         /* 32 columns */
  uint16_t *transposed_count;
  uint16_t *left_state;         /* columns of blocks of 32 rows: StateParts */
  uint16_t *right_state;
} Strip;

/* One disparity. */
typedef struct
{
  int index;
  size_t number;                /* in its group */
  int d;
  int phase;
  int shift;                    /* column u matches column u - shift of it */
  int first;                    /* columns of the grid with a partner */
  int end;
} Shift;

/* What is kept of 32 winners; of the right view's, up to the index. */
enum
{
  STATE_SUM, STATE_COUNT, STATE_INDEX, RIGHT_STATE,
  STATE_LAST_SUM = RIGHT_STATE, STATE_LAST_COUNT,
  STATE_BEFORE_SUM, STATE_BEFORE_COUNT, STATE_AFTER_SUM, STATE_AFTER_COUNT,
  LEFT_STATE
};

#define TRANSPOSED_REACH 16
#define LANES 32
/* Disparities whose sums are made one after another before any of them is
 * matched, and then matched one after another: what they read of a row and what
 * they keep of winners is in a cache for all but the first. */
#define GROUP 4
/* Elements before and behind a transposed column. */
#define TRANSPOSED_FRONT 32
#define TRANSPOSED_BACK 64

/* Planes of bytes that costs are made of. */
static int
cost_planes (const StereoBfvConstants * k)
{
  return k->cost == STEREO_COST_CENSUS ? 4 : k->cost == STEREO_COST_RGB ? 3 : 1;
}

static int
divide_up (int n, int by)
{
  return n >= 0 ? (n + by - 1) / by : -(-n / by);
}

static void
make_layout (const StereoBfvConstants * k, unsigned n_threads, Layout * l)
{
  const int widest = 512;       /* columns */
  const size_t cache = 1300000; /* bytes of a tile that do well */
  int step, steps, per_strip, lowest, highest, tiles;

  memset (l, 0, sizeof (*l));
  l->reach_x = divide_up (k->arm_length, k->sampling_x);
  l->reach_y = divide_up (k->arm_length, k->sampling_y);
#if defined (__AVX512BW__)
  l->transposed = !k->wide && k->cost_threshold <= 255
      && l->reach_x <= TRANSPOSED_REACH && l->reach_y <= TRANSPOSED_REACH;
#endif
  l->phases = k->sampling_x;
  l->phase_width = k->grid_width;
  lowest = divide_up (k->min_disparity + k->first_index, k->sampling_x);
  highest = divide_up (k->min_disparity + k->end_index - 1, k->sampling_x);
  l->before = highest > 0 ? highest : 0;
  l->behind = lowest < 0 ? -lowest : 0;

  step = l->transposed ? LANES : 16;
  steps = divide_up (k->grid_height, step);
  tiles = divide_up (k->grid_width, widest);
  l->tile_width = divide_up (divide_up (k->grid_width, tiles), LANES)
      * LANES;
  per_strip = (int) (cache / (24 * (size_t) l->tile_width * (size_t) step));
  per_strip = stereo_clamp_int (per_strip, 1, 128 / step);
  per_strip = stereo_clamp_int (per_strip, 1, divide_up (steps,
          (int) n_threads));
  /* of equal height */
  l->n_strips = divide_up (steps, per_strip);
  l->strip_height = divide_up (steps, l->n_strips) * step;
  l->n_strips = divide_up (k->grid_height, l->strip_height);
  l->rows = l->strip_height + 2 * l->reach_y;

  l->left_stride = stereo_round_up ((size_t) k->grid_width, MARGIN) + MARGIN;
  l->right_stride = stereo_round_up ((size_t) l->phase_width, MARGIN) + MARGIN;
  l->arms_stride = stereo_round_up ((size_t) (l->before + l->phase_width
          + l->behind), MARGIN) + MARGIN;
}

/* Sums above the rows of a tile, of one disparity. */
ALWAYS_INLINE size_t
above_size (const Layout * l)
{
  return (size_t) l->tile_width * stereo_round_up ((size_t) l->rows, LANES);
}

static void
place_strip (const StereoBfvConstants * k, const Layout * l, StereoSubArena * c,
    Strip * s)
{
  size_t rows = (size_t) l->rows, height = (size_t) l->strip_height;
  size_t phases = (size_t) l->phases, sum = k->wide ? 8 : 4;
  size_t grid_width = (size_t) k->grid_width;
  size_t phase_width = (size_t) l->phase_width;

  memset (s, 0, sizeof (*s));
  for (int i = 0; i < cost_planes (k); i++) {
    s->left[i] = stereo_take (c, rows * l->left_stride, 1);
    s->right[i] = stereo_take (c, phases * rows * l->right_stride, 1);
  }
  s->luma = stereo_take (c, (size_t) k->width, 1);
  s->cost = stereo_take (c, MARGIN + l->left_stride + MARGIN, 1);
  if (l->transposed) {
    size_t transposed = TRANSPOSED_FRONT + stereo_round_up (rows, LANES)
        + TRANSPOSED_BACK;

    s->left_row_arms = stereo_take (c, rows * l->left_stride, 2);
    s->right_row_arms = stereo_take (c, phases * rows * l->arms_stride, 2);
    s->left_column_arms = stereo_take (c, grid_width * height, 2);
    s->right_column_arms = stereo_take (c, phases * phase_width * height, 2);
    s->row_prefix = stereo_take (c, MARGIN + l->left_stride + MARGIN, 2);
    s->above_sum = stereo_take (c, GROUP * above_size (l), 2);
    s->above_count = stereo_take (c, GROUP * above_size (l), 2);
    s->transposed_sum = stereo_take (c, LANES * transposed, 2);
    s->transposed_count = stereo_take (c, LANES * transposed, 2);
    s->left_state = stereo_take (c, grid_width * height * LEFT_STATE, 2);
    s->right_state = stereo_take (c, phases * phase_width * height
        * RIGHT_STATE, 2);
    return;
  }
  s->cost16 = stereo_take (c, l->left_stride, 2);
  s->left_arms = stereo_take (c, rows * l->left_stride, 4);
  s->right_arms = stereo_take (c, phases * rows * l->arms_stride, 4);
  s->arms = stereo_take (c, height * l->left_stride, 4);
  s->other_arms = stereo_take (c, l->left_stride, 4);
  s->prefix = stereo_take (c, l->left_stride + 1, 4);
  s->above = stereo_take (c, (rows + 1) * l->left_stride, sum);
  s->sums = stereo_take (c, l->left_stride, sum);
  s->left_best = stereo_take (c, height * l->left_stride, sum);
  s->last = stereo_take (c, height * l->left_stride, sum);
  s->before = stereo_take (c, height * l->left_stride, sum);
  s->after = stereo_take (c, height * l->left_stride, sum);
  s->right_best = stereo_take (c, phases * height * l->right_stride, sum);
  s->left_index = stereo_take (c, height * l->left_stride, 4);
  s->right_index = stereo_take (c, phases * height * l->right_stride, 4);
}

/* The rows that a strip reads, first to end, and those it is for. */
typedef struct
{
  int first;
  int end;
  int top;
  int bottom;
} Rows;

/* Columns of the grid, of a tile. */
typedef struct
{
  int first;
  int end;
} Columns;

static Columns
tile_at (const StereoBfvConstants * k, const Layout * l, int first)
{
  Columns columns = { first, first + l->tile_width };

  if (columns.end > k->grid_width)
    columns.end = k->grid_width;
  return columns;
}

/* Columns of the right view that are in a phase. */
static int
phase_columns (const StereoBfvConstants * k, int phase)
{
  return phase < k->width ? (k->width - 1 - phase) / k->sampling_x + 1 : 0;
}

/* All that a row needs. */
typedef struct
{
  const StereoBfvConstants *k;
  const Layout *l;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  const StereoWinners *winners;
  const StereoMap *map;
  const StereoBfvVotes *votes;
} Job;

/* Row y of plane c of a view, by way of luma if it has to be made. */
static const uint8_t *
plane_row (const StereoBfvConstants * k, const StereoView * view,
    const StereoCensus * census, int c, int y, uint8_t * luma)
{
  size_t row = (size_t) y * view->stride;

  if (k->cost == STEREO_COST_CENSUS)
    return census->plane[c] + (size_t) y * census->stride;
  if (k->cost == STEREO_COST_RGB || k->channels == 1)
    return view->plane[c] + row;
  for (int x = 0; x < k->width; x++)
    luma[x] = (uint8_t) stereo_luma (view->plane[0][row + (size_t) x],
        view->plane[1][row + (size_t) x], view->plane[2][row + (size_t) x]);
  return luma;
}

/* Copies what the costs of the rows that a strip reads are made of. */
static void
load_pixels (const Job * job, const Rows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  const StereoBfvViews *views = job->views;
  int step = k->sampling_x;

  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first);
    int y = v * k->sampling_y;

    for (int c = 0; c < cost_planes (k); c++) {
      const uint8_t *from = plane_row (k, &views->left, &views->left_census, c,
          y, s->luma);
      uint8_t *to = s->left[c] + r * l->left_stride;

      if (step == 1)
        memcpy (to, from, (size_t) k->width);
      else
        for (int u = 0; u < k->grid_width; u++)
          to[u] = from[u * step];

      from = plane_row (k, &views->right, &views->right_census, c, y, s->luma);
      for (int p = 0; p < l->phases; p++) {
        int n = phase_columns (k, p);

        to = s->right[c] + ((size_t) p * (size_t) l->rows + r)
            * l->right_stride;
        if (step == 1)
          memcpy (to, from, (size_t) k->width);
        else
          for (int j = 0; j < n; j++)
            to[j] = from[j * step + p];
      }
    }
  }
}

/* Column x of the right view is column j of a phase. */
static uint32_t
right_arms_at (const StereoBfvConstants * k, const StereoBfvMemory * m,
    int phase, int j, int v)
{
  /* Beyond the ends of the image, its first and last column */
  int x = stereo_clamp_int (j * k->sampling_x + phase, 0, k->width - 1);

  return m->right_arms[(size_t) v * (size_t) k->width + (size_t) x];
}

static void
make_shift (const StereoBfvConstants * k, int index, Shift * s)
{
  s->index = index;
  s->number = (size_t) (index - k->first_index) % GROUP;
  s->d = k->min_disparity + index;
  s->shift = divide_up (s->d, k->sampling_x);
  s->phase = s->shift * k->sampling_x - s->d;
  s->first = s->shift > 0 ? s->shift : 0;
  s->end = stereo_partner_last (k->width, s->d) / k->sampling_x + 1;
  if (s->first > k->grid_width)
    s->first = k->grid_width;
  if (s->end < s->first)
    s->end = s->first;
}

/* ----------------------------------------------------------- matching costs */

/* Where the costs of a row come from: columns that have a partner, and the
 * bytes of both views. */
typedef struct
{
  int first;
  int end;
  size_t left;
  size_t right;                 /* of column first */
} CostRow;

static CostRow
find_cost_row (const Layout * l, const Shift * shift, const Rows * rows, int v,
    int from, int to)
{
  size_t r = (size_t) (v - rows->first);
  CostRow row;

  row.first = stereo_clamp_int (shift->first, from, to);
  row.end = stereo_clamp_int (shift->end, from, to);
  row.left = r * l->left_stride;
  row.right = ((size_t) shift->phase * (size_t) l->rows + r)
      * l->right_stride - (size_t) shift->shift;
  return row;
}

ALWAYS_INLINE SimdCensus
load_census (uint8_t * const plane[4], size_t at)
{
  SimdCensus v;

  for (int i = 0; i < 3; i++)
    v.bits[i] = (VecU8) simd_load16 (plane[i] + at);
  v.gradient = (VecU8) simd_load16 (plane[3] + at);
  return v;
}

/* e of words that are side by side. */
ALWAYS_INLINE VecU8
census_costs (const Strip * s, size_t left, size_t right)
{
  const SimdCensus p = load_census (s->left, left);
  const SimdCensus q = load_census (s->right, right);
  const VecU16 c = (VecU16) simd_census_cost (&p, &q);
  const VecU16 even = (c & 0xff) * STEREO_BFV_CENSUS_FACTOR + 128;
  const VecU16 odd = (c >> 8) * STEREO_BFV_CENSUS_FACTOR + 128;

  return (VecU8) (even >> 8 | (odd & 0xff00));
}

ALWAYS_INLINE VecU8
difference_costs (const Strip * s, size_t left, size_t right, VecU8 limit,
    bool color)
{
  VecU8 sum = { 0 };

  for (int c = 0; c < (color ? 3 : 1); c++) {
    VecU8 difference = simd_absdiff8 ((VecU8) simd_load16 (s->left[c] + left),
        (VecU8) simd_load16 (s->right[c] + right));

    sum = c == 0 ? difference : simd_add_saturated8 (sum, difference);
    if (!color)
      sum = simd_add_saturated8 (simd_add_saturated8 (sum, difference),
          difference);
  }
  return simd_min8 (sum, limit);
}

/* Costs of one row of bytes, at columns from to to - 1 and some behind; for a
 * cost_threshold that fits. */
ALWAYS_INLINE void
cost_row8 (const Job * job, const Shift * shift, const Rows * rows, int v,
    int from, int to, const Strip * s, StereoCost kind)
{
  const StereoBfvConstants *k = job->k;
  const VecU8 limit = (VecU8) { 0 } + (uint8_t) k->cost_threshold;
  const CostRow row = find_cost_row (job->l, shift, rows, v, from, to);
  uint8_t *cost = s->cost + MARGIN;

  for (int u = row.first; u < row.end; u += SIMD_BYTES) {
    const size_t left = row.left + (size_t) u, right = row.right + (size_t) u;
    const VecU8 e = kind == STEREO_COST_CENSUS ? census_costs (s, left, right)
        : difference_costs (s, left, right, limit, kind == STEREO_COST_RGB);

    simd_store16 (cost + u, (VecU16) e);
  }
  if (row.first > from)
    memset (cost + from, (int) stereo_bfv_cost_at (k, job->views, 0,
            v * k->sampling_y, shift->d), (size_t) (row.first - from));
  if (to > row.end)
    memset (cost + row.end, (int) stereo_bfv_cost_at (k, job->views,
            k->width - 1, v * k->sampling_y, shift->d),
        (size_t) (to - row.end));
}

/* Costs of one row, of 16 bits, at columns from to to - 1. */
static void
cost_row16 (const Job * job, const Shift * shift, const Rows * rows, int v,
    int from, int to, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const CostRow row = find_cost_row (job->l, shift, rows, v, from, to);
  uint16_t *cost = s->cost16, limit = (uint16_t) k->cost_threshold, low, high;
  const uint8_t *p[3], *q[3];

  if (k->cost == STEREO_COST_CENSUS) {
    cost_row8 (job, shift, rows, v, from, to, s, STEREO_COST_CENSUS);
    for (int u = from; u < to; u++)
      cost[u] = s->cost[MARGIN + u];
    return;
  }
  for (int c = 0; c < 3; c++) {
    int plane = k->cost == STEREO_COST_RGB ? c : 0;

    p[c] = s->left[plane] + row.left + row.first;
    q[c] = s->right[plane] + row.right + row.first;
  }
  for (int u = 0; u < row.end - row.first; u++) {
    int sum = 0;

    for (int c = 0; c < 3; c++) {
      int difference = p[c][u] - q[c][u];

      sum += difference < 0 ? -difference : difference;
    }
    cost[row.first + u] = (uint16_t) (sum < limit ? sum : limit);
  }
  low = (uint16_t) stereo_bfv_cost_at (k, job->views, 0, v * k->sampling_y,
      shift->d);
  high = (uint16_t) stereo_bfv_cost_at (k, job->views, k->width - 1,
      v * k->sampling_y, shift->d);
  for (int u = from; u < row.first; u++)
    cost[u] = low;
  for (int u = row.end; u < to; u++)
    cost[u] = high;
}

/* ------------------------------------------------------------------ winners */

/* The winners of row y of the left view, all of them none. */
static uint32_t *
clear_left (const Job * job, int y)
{
  uint32_t *row = job->winners->left + (size_t) y * job->winners->left_stride;

  memset (row, 0xff, (size_t) job->k->width * sizeof (*row));
  return row;
}

/* Rows without winners, after row v of the grid and before the next one. */
static void
clear_between (const Job * job, int v)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;

  for (int y = v * k->sampling_y + 1; y < (v + 1) * k->sampling_y
      && y < k->height; y++) {
    clear_left (job, y);
    if (w->right != NULL)
      memset (w->right + (size_t) y * w->right_stride, 0xff,
          (size_t) k->width * sizeof (*w->right));
  }
}

/* ---------------------------------------------------- matching, general way */

/* Sum and count side by side; a difference of two takes both at once. */
ALWAYS_INLINE uint64_t
pack (uint64_t sum, uint64_t count, bool wide)
{
  return sum | count << (wide ? 32 : 16);
}

ALWAYS_INLINE uint64_t
get_sum (const void *sums, size_t i, bool wide)
{
  return wide ? ((const uint64_t *) sums)[i] : ((const uint32_t *) sums)[i];
}

ALWAYS_INLINE void
put_sum (void *sums, size_t i, uint64_t sum, bool wide)
{
  if (wide)
    ((uint64_t *) sums)[i] = sum;
  else
    ((uint32_t *) sums)[i] = (uint32_t) sum;
}

static void
load_arms (const Job * job, const Rows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;

  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first);
    const uint32_t *from = job->m->left_arms
        + (size_t) (v * k->sampling_y) * (size_t) k->width;
    uint32_t *to = s->left_arms + r * l->left_stride;

    for (int u = 0; u < k->grid_width; u++)
      to[u] = stereo_bfv_grid_arms (k, from[u * k->sampling_x], u, v);
    for (int p = 0; p < l->phases; p++) {
      to = s->right_arms + ((size_t) p * (size_t) l->rows + r)
          * l->arms_stride + l->before;
      for (int j = -l->before; j < l->phase_width + l->behind; j++)
        to[j] = right_arms_at (k, job->m, p, j, v);
    }
  }
}

/* Adds one row to the sums above the next one. */
ALWAYS_INLINE void
add_row (const Job * job, const Shift * shift, const Rows * rows,
    const Columns * columns, int v, const Strip * s, bool wide)
{
  const Layout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  const uint32_t *a = s->left_arms + r * l->left_stride;
  const uint32_t *b = s->right_arms + ((size_t) shift->phase
      * (size_t) l->rows + r) * l->arms_stride + l->before - shift->shift;
  bool own = v >= rows->top && v < rows->bottom;
  uint32_t *restrict arms = own ? s->arms + (size_t) (v - rows->top)
      * l->left_stride : s->other_arms;
  const uint16_t *restrict cost = s->cost16;
  uint32_t *restrict prefix = s->prefix, sum = 0;
  void *above = s->above;
  size_t at = r * l->left_stride, below = at + l->left_stride;
  uint32_t begin = (uint32_t) columns->first, n = (uint32_t) columns->end;
  int from = columns->first - l->reach_x, to = columns->end + l->reach_x;

  if (from < 0)
    from = 0;
  if (to > job->k->grid_width)
    to = job->k->grid_width;
  cost_row16 (job, shift, rows, v, from, to, s);
  for (uint32_t u = begin; u < n; u += SIMD_BYTES / 4)
    simd_store16 (arms + u, (VecU16) simd_min8 ((VecU8) simd_load16 (a + u),
            (VecU8) simd_load16 (b + u)));
  prefix[from] = 0;
  for (int u = from; u < to; u++)
    prefix[u + 1] = sum += cost[u];
  for (uint32_t u = begin; u < n; u++) {
    uint32_t first = u - (arms[u] & 0xff);
    uint32_t end = u + 1 + (arms[u] >> 8 & 0xff);

    put_sum (above, below + u, get_sum (above, at + u, wide)
        + pack (prefix[end] - prefix[first], end - first, wide), wide);
  }
}

/* Sums over the regions of row v. */
ALWAYS_INLINE void
sum_columns (const Job * job, const Rows * rows, const Columns * columns, int v,
    const Strip * s, bool wide)
{
  size_t stride = job->l->left_stride, n = (size_t) columns->end;
  const uint32_t *restrict arms = s->arms + (size_t) (v - rows->top) * stride;
  const void *above = s->above;
  void *sums = s->sums;
  size_t r = (size_t) (v - rows->first);

  for (size_t u = (size_t) columns->first; u < n; u++) {
    size_t top = (r - (arms[u] >> 16 & 0xff)) * stride + u;
    size_t bottom = (r + 1 + (arms[u] >> 24)) * stride + u;

    put_sum (sums, u, get_sum (above, bottom, wide) - get_sum (above, top,
            wide), wide);
  }
}

ALWAYS_INLINE bool
is_less (uint64_t a, uint64_t b, bool wide)
{
  if (wide)
    return (a & 0xffffffff) * (b >> 32) < (b & 0xffffffff) * (a >> 32);
  return (uint32_t) (a & 0xffff) * (uint32_t) (b >> 16)
      < (uint32_t) (b & 0xffff) * (uint32_t) (a >> 16);
}

/* Winners of n places of the right view. */
ALWAYS_INLINE void
take_right (const void *restrict sums, size_t from, void *restrict best,
    uint32_t * restrict winner, size_t to, int n, int index, bool wide)
{
  for (size_t i = 0; i < (size_t) n; i++) {
    uint64_t a = get_sum (sums, from + i, wide);
    uint64_t b = get_sum (best, to + i, wide);
    bool less = is_less (a, b, wide);

    put_sum (best, to + i, less ? a : b, wide);
    winner[to + i] = less ? (uint32_t) index : winner[to + i];
  }
}

/* Winners of n places of the left view, and what is beside them. */
ALWAYS_INLINE void
take_left (const Strip * s, size_t from, size_t to, int n, int index,
    bool wide)
{
  const void *restrict sums = s->sums;
  void *restrict best = s->left_best, *restrict last = s->last;
  void *restrict before = s->before, *restrict after = s->after;
  uint32_t *restrict winner = s->left_index;

  for (size_t i = 0; i < (size_t) n; i++) {
    uint64_t a = get_sum (sums, from + i, wide);
    uint64_t b = get_sum (best, to + i, wide);
    uint64_t previous = get_sum (last, to + i, wide);
    uint64_t old = get_sum (before, to + i, wide);
    uint64_t next = get_sum (after, to + i, wide);
    uint32_t w = winner[to + i];
    bool less = is_less (a, b, wide);

    put_sum (after, to + i, w + 1 == (uint32_t) index ? a : next, wide);
    put_sum (before, to + i, less ? previous : old, wide);
    put_sum (last, to + i, a, wide);
    put_sum (best, to + i, less ? a : b, wide);
    winner[to + i] = less ? (uint32_t) index : w;
  }
}

/* One disparity over one tile. */
ALWAYS_INLINE void
match_tile (const Job * job, const Shift * shift, const Rows * rows,
    const Columns * columns, const Strip * s, bool wide)
{
  const Layout *l = job->l;
  int first = stereo_clamp_int (shift->first, columns->first, columns->end);
  int end = stereo_clamp_int (shift->end, columns->first, columns->end);

  for (int v = rows->first; v < rows->end; v++)
    add_row (job, shift, rows, columns, v, s, wide);
  for (int v = rows->top; v < rows->bottom; v++) {
    size_t r = (size_t) (v - rows->top);
    size_t right = ((size_t) shift->phase * (size_t) l->strip_height + r)
        * l->right_stride;

    sum_columns (job, rows, columns, v, s, wide);
    take_left (s, (size_t) columns->first, r * l->left_stride
        + (size_t) columns->first, columns->end - columns->first, shift->index,
        wide);
    if (first < end)
      take_right (s->sums, (size_t) first, s->right_best, s->right_index,
          right + (size_t) (first - shift->shift), end - first, shift->index,
          wide);
  }
}

ALWAYS_INLINE StereoBfvMean
get_mean (const void *sums, size_t i, bool wide)
{
  uint64_t sum = get_sum (sums, i, wide);

  if (wide)
    return (StereoBfvMean) { (uint32_t) sum, (uint32_t) (sum >> 32) };
  return (StereoBfvMean) { (uint32_t) sum & 0xffff, (uint32_t) sum >> 16 };
}

/* The winners of row v, which is row r of the strip. */
ALWAYS_INLINE void
store_row (const Job * job, int v, size_t r, const Strip * s, bool wide)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const Layout *l = job->l;
  int y = v * k->sampling_y;

  clear_left (job, y);
  clear_between (job, v);
  for (int u = 0; u < k->grid_width; u++) {
    size_t at = r * l->left_stride + (size_t) u;

    stereo_bfv_store_left (k, w, u * k->sampling_x, y, s->left_index[at],
        get_mean (s->before, at, wide), get_mean (s->left_best, at, wide),
        get_mean (s->after, at, wide));
  }
  for (int p = 0; p < l->phases && w->right != NULL; p++) {
    const uint32_t *from = s->right_index + ((size_t) p
        * (size_t) l->strip_height + r) * l->right_stride;
    int n = phase_columns (k, p);

    for (int j = 0; j < n; j++)
      stereo_winner_store_right (w, j * k->sampling_x + p, y,
          from[j] == STEREO_INVALID ? STEREO_NO_WINNER : from[j]);
  }
}

ALWAYS_INLINE void
match_rows_kind (const Job * job, const Rows * rows, const Strip * s, bool wide)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t left_size = (size_t) l->strip_height * l->left_stride;
  size_t right_size = (size_t) l->phases * (size_t) l->strip_height
      * l->right_stride;

  /* What any candidate beats: 1 / 0 */
  for (size_t i = 0; i < left_size; i++) {
    put_sum (s->left_best, i, 1, wide);
    s->left_index[i] = STEREO_INVALID;
  }
  for (size_t i = 0; i < right_size; i++) {
    put_sum (s->right_best, i, 1, wide);
    s->right_index[i] = STEREO_INVALID;
  }
  for (int u = 0; u < k->grid_width; u++)
    put_sum (s->above, (size_t) u, 0, wide);

  for (int u = 0; u < k->grid_width; u += l->tile_width) {
    Columns columns = tile_at (k, l, u);

    for (int index = k->first_index; index < k->end_index; index++) {
      Shift shift;

      make_shift (k, index, &shift);
      match_tile (job, &shift, rows, &columns, s, wide);
    }
  }

  for (int v = rows->top; v < rows->bottom; v++)
    store_row (job, v, (size_t) (v - rows->top), s, wide);
}

static void
match_rows_narrow (const Job * job, const Rows * rows, const Strip * s)
{
  match_rows_kind (job, rows, s, false);
}

static void
match_rows_wide (const Job * job, const Rows * rows, const Strip * s)
{
  match_rows_kind (job, rows, s, true);
}

/* ------------------------------------------------- matching, transposed way */

#if defined (__AVX512BW__)

static const uint16_t lane_numbers[LANES] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
};

/* Arms of the rows that a strip reads, and of the columns that it is for. */
static void
load_transposed_arms (const Job * job, const Rows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t height = (size_t) l->strip_height;

  /* Lanes below the last row read them, too. */
  memset (s->left_column_arms, 0, (size_t) k->grid_width * height * 2);
  memset (s->right_column_arms, 0, (size_t) l->phases
      * (size_t) l->phase_width * height * 2);
  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first);
    size_t own = (size_t) (v - rows->top);
    bool is_own = v >= rows->top && v < rows->bottom;
    const uint32_t *from = job->m->left_arms
        + (size_t) (v * k->sampling_y) * (size_t) k->width;
    uint16_t *to = s->left_row_arms + r * l->left_stride;

    for (int u = 0; u < k->grid_width; u++) {
      uint32_t arms = stereo_bfv_grid_arms (k, from[u * k->sampling_x], u, v);

      to[u] = (uint16_t) arms;
      if (is_own)
        s->left_column_arms[(size_t) u * height + own] =
            (uint16_t) (arms >> 16);
    }
    for (int p = 0; p < l->phases; p++) {
      to = s->right_row_arms + ((size_t) p * (size_t) l->rows + r)
          * l->arms_stride + l->before;
      for (int j = -l->before; j < l->phase_width + l->behind; j++) {
        uint32_t arms = right_arms_at (k, job->m, p, j, v);

        to[j] = (uint16_t) arms;
        if (is_own && j >= 0 && j < l->phase_width)
          s->right_column_arms[((size_t) p * (size_t) l->phase_width
                  + (size_t) j) * height + own] = (uint16_t) (arms >> 16);
      }
    }
  }
}

/* Sums of the first 1, 2, ..., 32 lanes. */
ALWAYS_INLINE __m512i
scan (__m512i v)
{
  /* the last lane of the quarter before, and of that two before */
  const __m512i quarter = _mm512_sub_epi16 (_mm512_or_si512 (_mm512_loadu_si512
          (lane_numbers), _mm512_set1_epi16 (7)), _mm512_set1_epi16 (8));
  const __m512i half = _mm512_sub_epi16 (quarter, _mm512_set1_epi16 (8));

  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 2));
  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 4));
  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 8));
  v = _mm512_add_epi16 (v, _mm512_maskz_permutexvar_epi16 (0xffffff00, quarter,
          v));
  return _mm512_add_epi16 (v, _mm512_maskz_permutexvar_epi16 (0xffff0000, half,
          v));
}

/* Adds row r to the sums above the next one. */
ALWAYS_INLINE void
add_row_transposed (const Job * job, const Shift * shift, const Rows * rows,
    const Columns * columns, int v, const Strip * s, StereoCost kind)
{
  const Layout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  size_t block = stereo_round_up ((size_t) l->rows, LANES) * LANES;
  const uint16_t *a = s->left_row_arms + r * l->left_stride;
  const uint16_t *b = s->right_row_arms + ((size_t) shift->phase
      * (size_t) l->rows + r) * l->arms_stride + l->before - shift->shift;
  const uint8_t *cost = s->cost + MARGIN;
  uint16_t *prefix = s->row_prefix + MARGIN;
  size_t above = shift->number * above_size (l) + r * LANES;
  const __m512i last = _mm512_set1_epi16 (31);
  const __m512i one = _mm512_set1_epi16 (1);
  const __m512i low = _mm512_set1_epi16 (0xff);
  const __m512i lane = _mm512_add_epi16 (_mm512_set1_epi16 (TRANSPOSED_REACH),
      _mm512_loadu_si512 (lane_numbers));
  __m512i carry = _mm512_setzero_si512 ();
  int begin = columns->first / LANES;
  int n = (columns->end - 1) / LANES + 1;
  int before = begin > 0 ? begin - 1 : 0;

  cost_row8 (job, shift, rows, v, before * LANES, (n + 1) * LANES, s,
      kind);
  for (int i = before; i <= n; i++) {
    __m512i sum = scan (_mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const void *)
                (cost + i * LANES))));

    sum = _mm512_add_epi16 (sum, carry);
    _mm512_storeu_si512 (prefix + i * LANES, sum);
    carry = _mm512_permutexvar_epi16 (last, sum);
  }
  for (int i = begin; i < n; i++) {
    const uint16_t *p = prefix + i * LANES - TRANSPOSED_REACH;
    __m512i arms = _mm512_min_epu8 (_mm512_loadu_si512 (a + i * LANES),
        _mm512_loadu_si512 (b + i * LANES));
    __m512i end = _mm512_add_epi16 (lane, _mm512_srli_epi16 (arms, 8));
    __m512i first = _mm512_sub_epi16 (lane, _mm512_and_si512 (arms, low));
    __m512i count = _mm512_add_epi16 (_mm512_sub_epi16 (end, first), one);
    __m512i sum = _mm512_sub_epi16 (_mm512_permutex2var_epi16
        (_mm512_loadu_si512 (p), end, _mm512_loadu_si512 (p + 32)),
        _mm512_permutex2var_epi16 (_mm512_loadu_si512 (p - 1), first,
            _mm512_loadu_si512 (p + 31)));
    uint16_t *to_sum = s->above_sum + above + (size_t) (i - begin) * block;
    uint16_t *to_count = s->above_count + above + (size_t) (i - begin) * block;

    if (r > 0) {
      sum = _mm512_add_epi16 (sum, _mm512_load_si512 (to_sum - LANES));
      count = _mm512_add_epi16 (count, _mm512_load_si512 (to_count
              - LANES));
    }
    _mm512_store_si512 (to_sum, sum);
    _mm512_store_si512 (to_count, count);
  }
}

/* Eight lanes of each of rows 0, 8, 16 and 24. */
ALWAYS_INLINE __m512i
load_quarters (const uint16_t * p)
{
  __m512i v = _mm512_castsi128_si512 (_mm_load_si128 ((const void *) p));

  v = _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 8 * LANES)), 1);
  v = _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 16 * LANES)), 2);
  return _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 24 * LANES)), 3);
}

/* Columns of 32 rows by 32 columns, stored with a stride. */
ALWAYS_INLINE void
transpose (const uint16_t * from, uint16_t * to, size_t stride)
{
  for (int g = 0; g < 4; g++) {
    __m512i v[8], t[8], u[8];

    for (int i = 0; i < 8; i++)
      v[i] = load_quarters (from + 8 * g + i * LANES);
    for (int i = 0; i < 4; i++) {
      t[2 * i] = _mm512_unpacklo_epi16 (v[2 * i], v[2 * i + 1]);
      t[2 * i + 1] = _mm512_unpackhi_epi16 (v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
      u[4 * i] = _mm512_unpacklo_epi32 (t[4 * i], t[4 * i + 2]);
      u[4 * i + 1] = _mm512_unpackhi_epi32 (t[4 * i], t[4 * i + 2]);
      u[4 * i + 2] = _mm512_unpacklo_epi32 (t[4 * i + 1], t[4 * i + 3]);
      u[4 * i + 3] = _mm512_unpackhi_epi32 (t[4 * i + 1], t[4 * i + 3]);
    }
    for (int i = 0; i < 4; i++) {
      uint16_t *column = to + (size_t) (8 * g + 2 * i) * stride;

      _mm512_storeu_si512 (column, _mm512_unpacklo_epi64 (u[i], u[i + 4]));
      _mm512_storeu_si512 (column + stride, _mm512_unpackhi_epi64 (u[i],
              u[i + 4]));
    }
  }
}

/* Takes index where sum / count is below that of the winner, and says where. */
ALWAYS_INLINE __mmask32
compete (__m512i sum, __m512i count, __m512i index, uint16_t * state)
{
  __m512i best = _mm512_load_si512 (state + STATE_SUM * LANES);
  __m512i best_count = _mm512_load_si512 (state + STATE_COUNT * LANES);
  __m512i high = _mm512_mulhi_epu16 (sum, best_count);
  __m512i best_high = _mm512_mulhi_epu16 (best, count);
  __mmask32 less = _mm512_cmplt_epu16_mask (high, best_high);

  less |= _mm512_mask_cmplt_epu16_mask (_mm512_cmpeq_epi16_mask (high,
          best_high), _mm512_mullo_epi16 (sum, best_count),
      _mm512_mullo_epi16 (best, count));
  _mm512_store_si512 (state + STATE_SUM * LANES,
      _mm512_mask_mov_epi16 (best, less, sum));
  _mm512_store_si512 (state + STATE_COUNT * LANES,
      _mm512_mask_mov_epi16 (best_count, less, count));
  _mm512_mask_storeu_epi16 (state + STATE_INDEX * LANES, less, index);
  return less;
}

/* The same for the left view, with what is beside the winner; previous is the
 * index before. */
ALWAYS_INLINE void
compete_left (__m512i sum, __m512i count, __m512i index, __m512i previous,
    uint16_t * state)
{
  __mmask32 won = _mm512_cmpeq_epi16_mask (previous,
      _mm512_load_si512 (state + STATE_INDEX * LANES));
  __mmask32 less;

  _mm512_mask_storeu_epi16 (state + STATE_AFTER_SUM * LANES, won, sum);
  _mm512_mask_storeu_epi16 (state + STATE_AFTER_COUNT * LANES, won,
      count);
  less = compete (sum, count, index, state);
  _mm512_mask_storeu_epi16 (state + STATE_BEFORE_SUM * LANES, less,
      _mm512_load_si512 (state + STATE_LAST_SUM * LANES));
  _mm512_mask_storeu_epi16 (state + STATE_BEFORE_COUNT * LANES, less,
      _mm512_load_si512 (state + STATE_LAST_COUNT * LANES));
  _mm512_store_si512 (state + STATE_LAST_SUM * LANES, sum);
  _mm512_store_si512 (state + STATE_LAST_COUNT * LANES, count);
}

/* Winners of LANES columns of the grid, from column u0 on. */
ALWAYS_INLINE void
match_columns (const Job * job, const Shift * shift, const Rows * rows,
    const Columns * columns, int u0, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t block = stereo_round_up ((size_t) l->rows, LANES) * LANES;
  size_t transposed = TRANSPOSED_FRONT
      + stereo_round_up ((size_t) l->rows, LANES) + TRANSPOSED_BACK;
  size_t height = (size_t) l->strip_height;
  size_t offset = shift->number * above_size (l)
      + (size_t) (u0 - columns->first) / LANES * block;
  const __m512i low = _mm512_set1_epi16 (0xff);
  const __m512i index = _mm512_set1_epi16 ((short) shift->index);
  const __m512i previous = _mm512_set1_epi16 ((short) (shift->index - 1));
  const __m512i lane = _mm512_add_epi16 (_mm512_set1_epi16 (TRANSPOSED_REACH),
      _mm512_loadu_si512 (lane_numbers));
  int n = k->grid_width - u0 < LANES ? k->grid_width - u0 : LANES;

  for (int r = 0; r < rows->end - rows->first; r += LANES) {
    transpose (s->above_sum + offset + (size_t) r * LANES,
        s->transposed_sum + TRANSPOSED_FRONT + r, transposed);
    transpose (s->above_count + offset + (size_t) r * LANES,
        s->transposed_count + TRANSPOSED_FRONT + r, transposed);
  }
  for (int i = 0; i < n; i++) {
    int u = u0 + i, j = u - shift->shift;
    bool has_partner = u >= shift->first && u < shift->end;
    /* Else the arms of the first or last column */
    int x = stereo_clamp_int (j * k->sampling_x + shift->phase, 0,
        k->width - 1);
    size_t partner = (size_t) (x % k->sampling_x) * (size_t) l->phase_width
        + (size_t) (x / k->sampling_x);
    const uint16_t *a = s->left_column_arms + (size_t) u * height;
    const uint16_t *b = s->right_column_arms + partner * height;
    const uint16_t *sums = s->transposed_sum + (size_t) i * transposed
        + TRANSPOSED_FRONT + (rows->top - rows->first) - TRANSPOSED_REACH;
    const uint16_t *counts = s->transposed_count + (size_t) i * transposed
        + TRANSPOSED_FRONT + (rows->top - rows->first) - TRANSPOSED_REACH;
    uint16_t *left = s->left_state + (size_t) u * height * LEFT_STATE;
    uint16_t *right = s->right_state + partner * height * RIGHT_STATE;

    for (int r = 0; r < rows->bottom - rows->top; r += LANES) {
      __m512i arms = _mm512_min_epu8 (_mm512_load_si512 (a + r),
          _mm512_load_si512 (b + r));
      __m512i end = _mm512_add_epi16 (lane, _mm512_srli_epi16 (arms, 8));
      __m512i first = _mm512_sub_epi16 (lane, _mm512_and_si512 (arms, low));
      const uint16_t *p = sums + r, *q = counts + r;
      __m512i sum = _mm512_sub_epi16 (_mm512_permutex2var_epi16
          (_mm512_loadu_si512 (p), end, _mm512_loadu_si512 (p + 32)),
          _mm512_permutex2var_epi16 (_mm512_loadu_si512 (p - 1), first,
              _mm512_loadu_si512 (p + 31)));
      __m512i count = _mm512_sub_epi16 (_mm512_permutex2var_epi16
          (_mm512_loadu_si512 (q), end, _mm512_loadu_si512 (q + 32)),
          _mm512_permutex2var_epi16 (_mm512_loadu_si512 (q - 1), first,
              _mm512_loadu_si512 (q + 31)));

      compete_left (sum, count, index, previous, left + LEFT_STATE * r);
      if (has_partner)
        compete (sum, count, index, right + RIGHT_STATE * r);
    }
  }
}

/* Columns of states before the first disparity: any candidate is better than
 * 1 / 0, and no index is before one. */
static void
clear_states (uint16_t * state, size_t n, size_t parts)
{
  for (size_t i = 0; i < n * parts; i += parts * LANES) {
    _mm512_store_si512 (state + i + STATE_SUM * LANES,
        _mm512_set1_epi16 (1));
    _mm512_store_si512 (state + i + STATE_COUNT * LANES,
        _mm512_setzero_si512 ());
    _mm512_store_si512 (state + i + STATE_INDEX * LANES,
        _mm512_set1_epi16 (-2));
  }
}

/* Row r of a column of states. */
ALWAYS_INLINE unsigned
state_at (const uint16_t * state, size_t r, size_t parts, size_t part)
{
  return state[(r / LANES * parts + part) * LANES + r % LANES];
}

ALWAYS_INLINE StereoBfvMean
mean_at (const uint16_t * state, size_t r, size_t part)
{
  return (StereoBfvMean) { state_at (state, r, LEFT_STATE, part),
    state_at (state, r, LEFT_STATE, part + 1)};
}

/* The winners of row v, which is row r of the strip. */
static void
store_transposed_row (const Job * job, int v, size_t r, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const Layout *l = job->l;
  size_t height = (size_t) l->strip_height;
  int y = v * k->sampling_y;

  clear_left (job, y);
  clear_between (job, v);
  for (int u = 0; u < k->grid_width; u++) {
    const uint16_t *state = s->left_state + (size_t) u * height * LEFT_STATE;

    stereo_bfv_store_left (k, w, u * k->sampling_x, y, state_at (state, r,
            LEFT_STATE, STATE_INDEX), mean_at (state, r, STATE_BEFORE_SUM),
        mean_at (state, r, STATE_SUM), mean_at (state, r, STATE_AFTER_SUM));
  }
  for (int p = 0; p < l->phases && w->right != NULL; p++) {
    int n = phase_columns (k, p);

    for (int j = 0; j < n; j++) {
      unsigned index = state_at (s->right_state + ((size_t) p
              * (size_t) l->phase_width + (size_t) j) * height * RIGHT_STATE,
          r, RIGHT_STATE, STATE_INDEX);

      stereo_winner_store_right (w, j * k->sampling_x + p, y,
          index >= STEREO_MAX_DISPARITIES ? STEREO_NO_WINNER : index);
    }
  }
}

/* The group of disparities from index on. */
static void
match_group (const Job * job, int index, const Rows * rows,
    const Columns * columns, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  int n = k->end_index - index < GROUP ? k->end_index - index : GROUP;
  Shift shifts[GROUP];

  for (int j = 0; j < n; j++)
    make_shift (k, index + j, &shifts[j]);
  for (int v = rows->first; v < rows->end; v++) {
    for (int j = 0; j < n; j++) {
      if (k->cost == STEREO_COST_CENSUS)
        add_row_transposed (job, &shifts[j], rows, columns, v, s,
            STEREO_COST_CENSUS);
      else if (k->cost == STEREO_COST_RGB)
        add_row_transposed (job, &shifts[j], rows, columns, v, s,
            STEREO_COST_RGB);
      else
        add_row_transposed (job, &shifts[j], rows, columns, v, s,
            STEREO_COST_LUMA);
    }
  }
  for (int i = columns->first; i < columns->end; i += LANES) {
    for (int j = 0; j < n; j++)
      match_columns (job, &shifts[j], rows, columns, i, s);
  }
}

static void
match_rows_transposed (const Job * job, const Rows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t height = (size_t) l->strip_height;
  size_t transposed = TRANSPOSED_FRONT
      + stereo_round_up ((size_t) l->rows, LANES) + TRANSPOSED_BACK;

  load_transposed_arms (job, rows, s);
  clear_states (s->left_state, (size_t) k->grid_width * height, LEFT_STATE);
  clear_states (s->right_state, (size_t) l->phases * (size_t) l->phase_width
      * height, RIGHT_STATE);
  memset (s->transposed_sum, 0, LANES * transposed * 2);
  memset (s->transposed_count, 0, LANES * transposed * 2);
  memset (s->row_prefix, 0, MARGIN * 2);

  for (int u = 0; u < k->grid_width; u += l->tile_width) {
    Columns columns = tile_at (k, l, u);

    for (int index = k->first_index; index < k->end_index; index += GROUP)
      match_group (job, index, rows, &columns, s);
  }

  for (int v = rows->top; v < rows->bottom; v++)
    store_transposed_row (job, v, (size_t) (v - rows->top), s);
}

#endif

static void
match_strips (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  StereoSubArena arena = { job->m->work->memory, 0 };
  Strip s;

  for (int i = 0; i <= span.worker; i++)
    place_strip (k, l, &arena, &s);
  for (int i = span.begin; i < span.end; i++) {
    Rows rows;

    rows.top = i * l->strip_height;
    rows.bottom = stereo_clamp_int (rows.top + l->strip_height, 0,
        k->grid_height);
    rows.first = stereo_clamp_int (rows.top - l->reach_y, 0, k->grid_height);
    rows.end = stereo_clamp_int (rows.bottom + l->reach_y, 0, k->grid_height);
    load_pixels (job, &rows, &s);
#if defined (__AVX512BW__)
    if (l->transposed) {
      match_rows_transposed (job, &rows, &s);
      continue;
    }
#endif
    load_arms (job, &rows, &s);
    if (k->wide)
      match_rows_wide (job, &rows, &s);
    else
      match_rows_narrow (job, &rows, &s);
  }
}

static StereoStatus
match_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m,
    const StereoWinners * winners)
{
  Layout l;
  Job job = {.k = k,.l = &l,.views = views,.m = m,.winners = winners };

  if (k->first_index == k->end_index)
    return stereo_bfv_match_cpu (queue, k, views, m, winners);
  make_layout (k, (unsigned) stereo_cpu_threads (queue), &l);
  stereo_cpu_for (queue, l.n_strips, 1, match_strips, &job);
  return STEREO_OK;
}

/* ------------------------------------------------------------------- voting */

/*
 * The number of votes and of those with each bit set, side by side in the
 * bytes of a word (of two for more than 7 bits).  Sums over one row are at most
 * 2 STEREO_BFV_MAX_ARM + 1 and stay in their bytes; downwards, even and odd
 * bytes are added up in 16 bits each.
 */
#define VOTE_BITS 7
#define MAX_VOTE_WORDS 2
#define EVEN_BYTES UINT64_C (0x00ff00ff00ff00ff)

static int
vote_words (const StereoBfvConstants * k)
{
  return k->bits > VOTE_BITS ? 2 : 1;
}

/* Byte 0 of word 0 counts votes. */
static uint64_t
spread_vote (uint32_t index, int word)
{
  uint64_t bits = index >> word * VOTE_BITS & ((1u << VOTE_BITS) - 1);

  /* Bit i to bit 8 i + 8 */
  bits = (bits * UINT64_C (0x0000040810204081) & UINT64_C (0x0001010101010101))
      << 8;
  return word == 0 ? bits | 1 : bits;
}

/* What one thread votes with: running sums along a row of the grid, and those
 * of even and odd bytes above the rows of a strip. */
typedef struct
{
  uint64_t *prefix;
  uint64_t *above;
} Ballot;

#define VOTE_ROWS 64            /* of the image, in a strip */

static int
vote_rows (const StereoBfvConstants * k)
{
  return (VOTE_ROWS + 2 * k->arm_length) / k->sampling_y + 3;
}

static void
place_ballot (const StereoBfvConstants * k, StereoSubArena * c,
    Ballot * ballot)
{
  size_t words = (size_t) vote_words (k);

  ballot->prefix = stereo_take (c,
      ((size_t) k->grid_width + 1) * words,
      sizeof (uint64_t));
  ballot->above = stereo_take (c,
      (size_t) vote_rows (k) * (size_t) k->width * words
      * 2, sizeof (uint64_t));
}

/* Adds the votes on the horizontal arms of all pixels of row v of the grid to
 * those above it. */
ALWAYS_INLINE void
count_row (const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoBfvVotes * votes, int v, int words,
    uint64_t * restrict prefix, const uint64_t * restrict above,
    uint64_t * restrict below)
{
  int width = k->width, step = k->sampling_x;
  const uint32_t *arms = m->left_arms + (size_t) (v * k->sampling_y)
      * (size_t) width;
  const uint16_t *row = votes->index + (size_t) v * (size_t) k->grid_width;
  uint64_t total[MAX_VOTE_WORDS] = { 0 };

  for (int u = 0; u <= k->grid_width; u++) {
    for (int w = 0; w < words; w++)
      prefix[u * words + w] = total[w];
    if (u < k->grid_width && row[u] != STEREO_INVALID) {
      for (int w = 0; w < words; w++)
        total[w] += spread_vote (row[u], w);
    }
  }
  for (int x = 0; x < width; x++) {
    int first = x - (int) (arms[x] & 0xff);
    int end = x + (int) (arms[x] >> 8 & 0xff) + 1;

    if (step > 1) {
      first = (int) ((unsigned) (first + step - 1) / (unsigned) step);
      end = (int) ((unsigned) (end + step - 1) / (unsigned) step);
    }
    for (int w = 0; w < words; w++) {
      int i = 2 * (x * words + w);
      uint64_t sum = prefix[end * words + w] - prefix[first * words + w];

      below[i] = above[i] + (sum & EVEN_BYTES);
      below[i + 1] = above[i + 1] + (sum >> 8 & EVEN_BYTES);
    }
  }
}

/* The code that the votes between two rows are for. */
ALWAYS_INLINE uint16_t
count_column (const StereoBfvConstants * k, int words, const uint64_t * above,
    const uint64_t * below)
{
  uint32_t n = (below[0] - above[0]) & 0xffff, index = 0;

  if (n == 0)
    return STEREO_INVALID;
  for (int w = 0; w < words; w++) {
    uint64_t even = below[2 * w] - above[2 * w];
    uint64_t odd = below[2 * w + 1] - above[2 * w + 1];
    uint32_t half = n / 2, bits = 0;

    for (int i = 0; i < 4; i++) {
      bits |= (uint32_t) ((odd >> 16 * i & 0xffff) > half) << 2 * i;
      if (i < 3)
        bits |= (uint32_t) ((even >> 16 * (i + 1) & 0xffff) > half)
            << (2 * i + 1);
    }
    index |= bits << w * VOTE_BITS;
  }
  return (uint16_t) (stereo_bfv_clamp_index (k, index) * (uint32_t) k->unit);
}

/* The rows of the image from top to bottom - 1. */
ALWAYS_INLINE void
vote_strip_kind (const Job * job, int top, int bottom, int words,
    const Ballot * ballot)
{
  const StereoBfvConstants *k = job->k;
  const StereoBfvMemory *m = job->m;
  const StereoBfvVotes *votes = job->votes;
  size_t width = (size_t) k->width;
  size_t stride = width * (size_t) words * 2;
  int step = k->sampling_y;
  /* Rows of the grid */
  int first = top > k->arm_length ? (top - k->arm_length) / step : 0;
  int end = (bottom - 1 + k->arm_length) / step + 1;

  if (end > k->grid_height)
    end = k->grid_height;
  memset (ballot->above, 0, stride * sizeof (uint64_t));
  for (int v = first; v < end; v++) {
    uint64_t *above = ballot->above + (size_t) (v - first) * stride;

    count_row (k, m, votes, v, words, ballot->prefix, above, above + stride);
  }

  for (int y = top; y < bottom; y++) {
    const uint32_t *arms = m->left_arms + (size_t) y * width;
    const uint8_t *mismatch = votes->mismatch + (size_t) y * width;
    uint16_t *row = job->map->data + (size_t) y * job->map->stride;

    for (int x = 0; x < k->width; x++) {
      unsigned from = (unsigned) y - (arms[x] >> 16 & 0xff);
      unsigned to = (unsigned) y + (arms[x] >> 24) + 1;
      const uint64_t *place = ballot->above + (size_t) x * (size_t) words * 2;

      if (row[x] != STEREO_INVALID || !mismatch[x])
        continue;
      if (step > 1) {
        from = (from + (unsigned) step - 1) / (unsigned) step;
        to = (to + (unsigned) step - 1) / (unsigned) step;
      }
      row[x] = count_column (k, words, place + (from - (unsigned) first)
          * stride, place + (to - (unsigned) first) * stride);
    }
  }
}

static void
vote_strips (const void *context, StereoSpan span)
{
  const Job *job = context;
  StereoSubArena arena = { job->m->work->memory,
    stereo_bfv_make_votes (job->k, NULL, NULL)
  };
  Ballot ballot = { NULL, NULL };

  for (int i = 0; i <= span.worker; i++)
    place_ballot (job->k, &arena, &ballot);
  for (int i = span.begin; i < span.end; i++) {
    int bottom = stereo_clamp_int ((i + 1) * VOTE_ROWS, 0, job->k->height);

    if (vote_words (job->k) == 1)
      vote_strip_kind (job, i * VOTE_ROWS, bottom, 1, &ballot);
    else
      vote_strip_kind (job, i * VOTE_ROWS, bottom, 2, &ballot);
  }
}

static StereoStatus
vote_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoBfvMemory * m, const StereoWinners * winners,
    const StereoMap * map)
{
  StereoBfvVotes votes;
  Job job = {.k = k,.m = m,.winners = winners,.map = map,.votes = &votes };

  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM)
    return stereo_bfv_vote_cpu (queue, k, m, winners, map);
  stereo_bfv_make_votes (k, m->work->memory, &votes);
  stereo_bfv_call_cpu (queue, k, winners, map, &votes);
  stereo_cpu_for (queue, divide_up (k->height, VOTE_ROWS), 1, vote_strips,
      &job);
  stereo_bfv_border_cpu (queue, k, winners, &votes, map);
  return STEREO_OK;
}

static size_t
work_bytes (const StereoBfvConstants * k, unsigned n_threads)
{
  StereoSubArena crosses = { NULL, 0 }, match = { NULL, 0 };
  StereoSubArena vote = { NULL, stereo_bfv_make_votes (k, NULL, NULL) };
  size_t size = stereo_bfv_work_bytes (k);
  Padded padded;
  Strip strip;
  Layout layout;
  Ballot ballot;

  /* The plain stage says that there was nothing to match. */
  if (k->first_index == k->end_index)
    return size;
  place_padded (k, &crosses, &padded);
  place_padded (k, &crosses, &padded);
  make_layout (k, n_threads, &layout);
  for (unsigned i = 0; i < n_threads; i++)
    place_strip (k, &layout, &match, &strip);
  for (unsigned i = 0; i < n_threads; i++)
    place_ballot (k, &vote, &ballot);
  if (match.size < crosses.size)
    match.size = crosses.size;
  return match.size > vote.size ? match.size : vote.size;
}

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoBfvConstants * k,
    StereoBfvWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_arena_add (arena, &work->memory, 1, work_bytes (k,
          search->n_threads));
  return STEREO_OK;
}

const StereoBfvStages STAGES = {
  .plan = plan_cpu,
  .crosses = crosses_cpu,
  .match = match_cpu,
  .vote = vote_cpu,
};
