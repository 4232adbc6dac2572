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
 * takes the differences again; the winners stay in the strip.  All of it fits
 * the second level cache.
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

#include "bfv-simd.h"

#include "bfv-pixel.h"
#include "cpu.h"
#include "simd.h"

#include <omp.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_ (a, b)
#define STAGES JOIN (stereo_bfv_stages_, STEREO_SIMD_NAME)
#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* Bytes or elements behind a row that vectors may read or write. */
#define MARGIN 64

static size_t
round_up (size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* A piece of scratch memory; with NULL just counts. */
typedef struct
{
  uint8_t *memory;
  size_t size;
} Carver;

static void *
carve (Carver * c, size_t count, size_t element_size)
{
  size_t offset = c->size;

  c->size += round_up (count * element_size, SIMD_ALIGNMENT);
  return c->memory != NULL ? c->memory + offset : NULL;
}

/* ------------------------------------------------------------------ crosses */

/* A copy of a view, with columns beyond both ends that no vector leaves. */
typedef struct
{
  uint8_t *plane[3];            /* of the first pixel */
  /* For every column, those beyond too: 255 outside the image, else 0. */
  uint8_t *outside;
  size_t stride;
} Padded;

#define CROSS_MARGIN round_up (STEREO_BFV_MAX_ARM + 2, SIMD_ALIGNMENT)

static void
carve_padded (const StereoBfvConstants * k, Carver * carver, Padded * view)
{
  size_t rows = (size_t) k->height;

  view->stride = CROSS_MARGIN + round_up ((size_t) k->width, SIMD_ALIGNMENT)
      + CROSS_MARGIN;
  for (int c = 0; c < k->channels; c++) {
    view->plane[c] = carve (carver, rows * view->stride, 1);
    if (view->plane[c] != NULL)
      view->plane[c] += CROSS_MARGIN;
  }
  view->outside = carve (carver, view->stride, 1);
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

static StereoStatus
crosses_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  Carver carver = { m->scratch, 0 };
  Padded padded[2];

  carve_padded (k, &carver, &padded[0]);
  carve_padded (k, &carver, &padded[1]);
#pragma omp parallel num_threads(stereo_cpu_threads (queue))
  {
#pragma omp for
    for (int y = 0; y < k->height; y++) {
      copy_padded (k, left, y, &padded[0]);
      copy_padded (k, right, y, &padded[1]);
    }
#pragma omp for schedule(dynamic, 8) nowait
    for (int y = 0; y < k->height; y++)
      crosses_row (k, &padded[0], y, false,
          m->left_arms + (size_t) y * (size_t) k->width);
#pragma omp for schedule(dynamic, 8)
    for (int v = 0; v < k->grid_height; v++)
      crosses_row (k, &padded[1], v * k->sampling_y, true,
          m->right_arms + (size_t) v * (size_t) k->width);
  }
  return STEREO_OK;
}

/* ----------------------------------------------------------------- matching */

/* Sizes that all strips have in common. */
typedef struct
{
  int reach_x;                  /* of arms, in steps */
  int reach_y;
  bool turned;                  /* the way of AVX-512 */
  int phases;                   /* of the right view: sampling_x */
  int phase_width;              /* columns of the first one, the widest */
  /* Columns that disparities reach before and behind a phase. */
  int before;
  int behind;
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
  uint8_t *left[3];             /* sampled: rows x left_stride */
  uint8_t *right[3];            /* phases x rows x right_stride */
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
  void *right_best;             /* phases x strip_height x right_stride */
  uint32_t *left_index;
  uint32_t *right_index;
  /* Turned way */
  uint16_t *left_row_arms;      /* to the left | to the right << 8 */
  uint16_t *right_row_arms;
  uint16_t *left_column_arms;   /* up | down << 8; columns of strip_height */
  uint16_t *right_column_arms;
  uint16_t *row_prefix;
  uint16_t *above_sum;          /* blocks of 32 columns, rows x 32 */
  uint16_t *above_count;
  uint16_t *turned_sum;         /* 32 columns */
  uint16_t *turned_count;
  uint16_t *left_state;         /* columns of blocks of 32 rows: sums, counts,
                                 * indices */
  uint16_t *right_state;
} Strip;

/* One disparity. */
typedef struct
{
  int index;
  int d;
  int phase;
  int shift;                    /* column u matches column u - shift of it */
  int first;                    /* columns of the grid with a partner */
  int end;
} Shift;

#define TURN_REACH 16
#define TURN_LANES 32
/* Elements before and behind a turned column. */
#define TURN_FRONT 32
#define TURN_BACK 64

static int
divide_up (int n, int by)
{
  return n >= 0 ? (n + by - 1) / by : -(-n / by);
}

static void
make_layout (const StereoBfvConstants * k, unsigned n_threads, Layout * l)
{
  const size_t cache = 1300000; /* bytes of a strip that do well */
  int step, steps, per_strip, lowest, highest;

  memset (l, 0, sizeof (*l));
  l->reach_x = divide_up (k->arm_length, k->sampling_x);
  l->reach_y = divide_up (k->arm_length, k->sampling_y);
#if 0 && defined (__AVX512BW__)
  l->turned = !k->wide && k->cost_threshold <= 255 && l->reach_x <= TURN_REACH
      && l->reach_y <= TURN_REACH;
#endif
  l->phases = k->sampling_x;
  l->phase_width = k->grid_width;
  lowest = divide_up (k->min_disparity + k->first_index, k->sampling_x);
  highest = divide_up (k->min_disparity + k->end_index - 1, k->sampling_x);
  l->before = highest > 0 ? highest : 0;
  l->behind = lowest < 0 ? -lowest : 0;

  step = l->turned ? TURN_LANES : 16;
  steps = divide_up (k->grid_height, step);
  per_strip = (int) (cache / (24 * (size_t) (k->width + k->grid_width) / 2
          * (size_t) step));
  per_strip = stereo_clamp_int (per_strip, 1, 128 / step);
  per_strip = stereo_clamp_int (per_strip, 1, divide_up (steps,
          (int) n_threads));
  /* of equal height */
  l->n_strips = divide_up (steps, per_strip);
  l->strip_height = divide_up (steps, l->n_strips) * step;
  l->n_strips = divide_up (k->grid_height, l->strip_height);
  l->rows = l->strip_height + 2 * l->reach_y;

  l->left_stride = round_up ((size_t) k->grid_width, MARGIN) + MARGIN;
  l->right_stride = round_up ((size_t) l->phase_width, MARGIN) + MARGIN;
  l->arms_stride = round_up ((size_t) (l->before + l->phase_width + l->behind),
      MARGIN) + MARGIN;
}

static void
carve_strip (const StereoBfvConstants * k, const Layout * l, Carver * c,
    Strip * s)
{
  size_t rows = (size_t) l->rows, height = (size_t) l->strip_height;
  size_t phases = (size_t) l->phases, sum = k->wide ? 8 : 4;
  size_t grid_width = (size_t) k->grid_width;
  size_t phase_width = (size_t) l->phase_width;

  memset (s, 0, sizeof (*s));
  for (int i = 0; i < k->channels; i++) {
    s->left[i] = carve (c, rows * l->left_stride, 1);
    s->right[i] = carve (c, phases * rows * l->right_stride, 1);
  }
  if (l->turned) {
    size_t turned = TURN_FRONT + round_up (rows, TURN_LANES) + TURN_BACK;

    s->cost = carve (c, MARGIN + l->left_stride + MARGIN, 1);
    s->left_row_arms = carve (c, rows * l->left_stride, 2);
    s->right_row_arms = carve (c, phases * rows * l->arms_stride, 2);
    s->left_column_arms = carve (c, grid_width * height, 2);
    s->right_column_arms = carve (c, phases * phase_width * height, 2);
    s->row_prefix = carve (c, MARGIN + l->left_stride + MARGIN, 2);
    s->above_sum = carve (c, l->left_stride * (round_up (rows, TURN_LANES)),
        2);
    s->above_count = carve (c, l->left_stride * (round_up (rows, TURN_LANES)),
        2);
    s->turned_sum = carve (c, TURN_LANES * turned, 2);
    s->turned_count = carve (c, TURN_LANES * turned, 2);
    s->left_state = carve (c, grid_width * height * 3, 2);
    s->right_state = carve (c, phases * phase_width * height * 3, 2);
    return;
  }
  s->cost16 = carve (c, l->left_stride, 2);
  s->left_arms = carve (c, rows * l->left_stride, 4);
  s->right_arms = carve (c, phases * rows * l->arms_stride, 4);
  s->arms = carve (c, height * l->left_stride, 4);
  s->other_arms = carve (c, l->left_stride, 4);
  s->prefix = carve (c, l->left_stride + 1, 4);
  s->above = carve (c, (rows + 1) * l->left_stride, sum);
  s->sums = carve (c, l->left_stride, sum);
  s->left_best = carve (c, height * l->left_stride, sum);
  s->right_best = carve (c, phases * height * l->right_stride, sum);
  s->left_index = carve (c, height * l->left_stride, 4);
  s->right_index = carve (c, phases * height * l->right_stride, 4);
}

/* The rows that a strip reads, first to end, and those it is for. */
typedef struct
{
  int first;
  int end;
  int top;
  int bottom;
} Rows;

/* Columns of the right view that are in a phase. */
static int
phase_columns (const StereoBfvConstants * k, int phase)
{
  return phase < k->width ? (k->width - 1 - phase) / k->sampling_x + 1 : 0;
}

/* Copies pixels of the rows that a strip reads. */
static void
load_pixels (const StereoBfvConstants * k, const Layout * l,
    const StereoView * left, const StereoView * right, const Rows * rows,
    const Strip * s)
{
  int step = k->sampling_x;

  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first), y = (size_t) (v * k->sampling_y);

    for (int c = 0; c < k->channels; c++) {
      const uint8_t *from = left->plane[c] + y * left->stride;
      uint8_t *to = s->left[c] + r * l->left_stride;

      if (step == 1)
        memcpy (to, from, (size_t) k->width);
      else
        for (int u = 0; u < k->grid_width; u++)
          to[u] = from[u * step];

      from = right->plane[c] + y * right->stride;
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
make_shift (const StereoBfvConstants * k, const Layout * l, int index,
    Shift * s)
{
  int last;

  (void) l;
  s->index = index;
  s->d = k->min_disparity + index;
  s->shift = divide_up (s->d, k->sampling_x);
  s->phase = s->shift * k->sampling_x - s->d;
  s->first = s->shift > 0 ? s->shift : 0;
  last = s->d < 0 ? k->width - 1 + s->d : k->width - 1;
  s->end = last / k->sampling_x + 1;
  if (s->first > k->grid_width)
    s->first = k->grid_width;
  if (s->end < s->first)
    s->end = s->first;
}

/* Cost of the column that stands in for column u. */
static uint32_t
cost_at (const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, int x, int d, int v)
{
  size_t y = (size_t) (v * k->sampling_y);
  uint32_t p = 0, q = 0;

  x = stereo_bfv_clamp (k, x, d);
  for (int c = 0; c < k->channels; c++) {
    p |= (uint32_t) left->plane[c][y * left->stride + (size_t) x] << 8 * c;
    q |= (uint32_t) right->plane[c][y * right->stride + (size_t) (x - d)]
        << 8 * c;
  }
  return stereo_bfv_cost (k, p, q);
}

/* Where the two views are: all that a row needs. */
typedef struct
{
  const StereoBfvConstants *k;
  const Layout *l;
  const StereoView *left;
  const StereoView *right;
  const StereoBfvMemory *m;
} Job;

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

/* Costs of one row. */
static void
cost_row16 (const Job * job, const Shift * shift, const Rows * rows, int v,
    const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  size_t left = r * l->left_stride;
  size_t right = ((size_t) shift->phase * (size_t) l->rows + r)
      * l->right_stride;
  int first = shift->first, end = shift->end;
  uint16_t *cost = s->cost16, limit = (uint16_t) k->cost_threshold, low, high;
  const uint8_t *p[3], *q[3];

  for (int c = 0; c < 3; c++) {
    p[c] = s->left[k->channels == 3 ? c : 0] + left + first;
    q[c] = s->right[k->channels == 3 ? c : 0] + right + first - shift->shift;
  }
  for (int u = 0; u < end - first; u++) {
    int sum = 0;

    for (int c = 0; c < 3; c++) {
      int difference = p[c][u] - q[c][u];

      sum += difference < 0 ? -difference : difference;
    }
    cost[first + u] = (uint16_t) (sum < limit ? sum : limit);
  }
  low = (uint16_t) cost_at (k, job->left, job->right, 0, shift->d, v);
  high = (uint16_t) cost_at (k, job->left, job->right, k->width - 1, shift->d,
      v);
  for (int u = 0; u < first; u++)
    cost[u] = low;
  for (int u = end; u < k->grid_width; u++)
    cost[u] = high;
}

/* Adds one row to the sums above the next one. */
ALWAYS_INLINE void
add_row (const Job * job, const Shift * shift, const Rows * rows, int v,
    const Strip * s, bool wide)
{
  const StereoBfvConstants *k = job->k;
  const Layout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  const uint8_t *a = (const uint8_t *) (s->left_arms + r * l->left_stride);
  const uint8_t *b = (const uint8_t *) (s->right_arms
      + ((size_t) shift->phase * (size_t) l->rows + r) * l->arms_stride
      + l->before - shift->shift);
  bool own = v >= rows->top && v < rows->bottom;
  uint32_t *arms = own ? s->arms + (size_t) (v - rows->top) * l->left_stride
      : s->other_arms;
  uint8_t *overlap = (uint8_t *) arms;
  const uint16_t *cost = s->cost16;
  uint32_t *prefix = s->prefix, sum = 0;
  size_t above = r * l->left_stride, below = above + l->left_stride;

  for (int i = 0; i < 4 * k->grid_width; i++)
    overlap[i] = a[i] < b[i] ? a[i] : b[i];
  prefix[0] = 0;
  for (int u = 0; u < k->grid_width; u++)
    prefix[u + 1] = sum += cost[u];
  for (int u = 0; u < k->grid_width; u++) {
    uint32_t first = (uint32_t) u - (arms[u] & 0xff);
    uint32_t end = (uint32_t) u + 1 + (arms[u] >> 8 & 0xff);

    put_sum (s->above, below + (size_t) u, get_sum (s->above,
            above + (size_t) u, wide) + pack (prefix[end] - prefix[first],
            end - first, wide), wide);
  }
}

/* Sums over the regions of row v. */
ALWAYS_INLINE void
sum_columns (const Job * job, const Rows * rows, int v, const Strip * s,
    bool wide)
{
  size_t stride = job->l->left_stride;
  const uint32_t *arms = s->arms + (size_t) (v - rows->top) * stride;
  size_t r = (size_t) (v - rows->first);

  for (size_t u = 0; u < (size_t) job->k->grid_width; u++) {
    size_t top = (r - (arms[u] >> 16 & 0xff)) * stride + u;
    size_t bottom = (r + 1 + (arms[u] >> 24)) * stride + u;

    put_sum (s->sums, u, get_sum (s->above, bottom, wide) - get_sum (s->above,
            top, wide), wide);
  }
}

/* Winners of n places of one view. */
ALWAYS_INLINE void
take_winners (const void *sums, size_t from, void *best, uint32_t * winner,
    size_t to, int n, int index, bool wide)
{
  for (size_t i = 0; i < (size_t) n; i++) {
    uint64_t a = get_sum (sums, from + i, wide);
    uint64_t b = get_sum (best, to + i, wide);
    bool less;

    if (wide)
      less = (a & 0xffffffff) * (b >> 32) < (b & 0xffffffff) * (a >> 32);
    else
      less = (uint32_t) (a & 0xffff) * (uint32_t) (b >> 16)
          < (uint32_t) (b & 0xffff) * (uint32_t) (a >> 16);
    put_sum (best, to + i, less ? a : b, wide);
    winner[to + i] = less ? (uint32_t) index : winner[to + i];
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

  for (int index = k->first_index; index < k->end_index; index++) {
    Shift shift;

    make_shift (k, l, index, &shift);
    for (int v = rows->first; v < rows->end; v++) {
      cost_row16 (job, &shift, rows, v, s);
      add_row (job, &shift, rows, v, s, wide);
    }
    for (int v = rows->top; v < rows->bottom; v++) {
      size_t r = (size_t) (v - rows->top);

      sum_columns (job, rows, v, s, wide);
      take_winners (s->sums, 0, s->left_best, s->left_index,
          r * l->left_stride, k->grid_width, index, wide);
      take_winners (s->sums, (size_t) shift.first, s->right_best,
          s->right_index, ((size_t) shift.phase * (size_t) l->strip_height + r)
          * l->right_stride + (size_t) (shift.first - shift.shift),
          shift.end - shift.first, index, wide);
    }
  }

  for (int v = rows->top; v < rows->bottom; v++) {
    size_t r = (size_t) (v - rows->top);
    uint16_t *to = job->m->left + (size_t) v * (size_t) k->grid_width;

    for (int u = 0; u < k->grid_width; u++)
      to[u] = (uint16_t) s->left_index[r * l->left_stride + (size_t) u];
    to = job->m->right + (size_t) v * (size_t) k->width;
    for (int p = 0; p < l->phases; p++) {
      const uint32_t *from = s->right_index + ((size_t) p
          * (size_t) l->strip_height + r) * l->right_stride;
      int n = phase_columns (k, p);

      for (int j = 0; j < n; j++)
        to[j * k->sampling_x + p] = (uint16_t) from[j];
    }
  }
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

#include "bfv-turned.inc"

static StereoStatus
match_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBfvMemory * m)
{
  int threads = stereo_cpu_threads (queue);
  Layout l;
  Job job = { k, &l, left, right, m };

  make_layout (k, (unsigned) threads, &l);
#pragma omp parallel num_threads(threads)
  {
    Carver carver = { m->scratch, 0 };
    Strip s;

    for (int i = 0; i <= omp_get_thread_num (); i++)
      carve_strip (k, &l, &carver, &s);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < l.n_strips; i++) {
      Rows rows;

      rows.top = i * l.strip_height;
      rows.bottom = stereo_clamp_int (rows.top + l.strip_height, 0,
          k->grid_height);
      rows.first = stereo_clamp_int (rows.top - l.reach_y, 0, k->grid_height);
      rows.end = stereo_clamp_int (rows.bottom + l.reach_y, 0,
          k->grid_height);
      load_pixels (k, &l, left, right, &rows, &s);
      if (l.turned) {
        match_rows_turned (&job, &rows, &s);
        continue;
      }
      load_arms (&job, &rows, &s);
      if (k->wide)
        match_rows_wide (&job, &rows, &s);
      else
        match_rows_narrow (&job, &rows, &s);
    }
  }
  return STEREO_OK;
}

static size_t
scratch_cpu (const StereoBfvConstants * k, unsigned n_threads)
{
  Carver crosses = { NULL, 0 }, match = { NULL, 0 };
  Padded padded;
  Strip strip;
  Layout layout;

  carve_padded (k, &crosses, &padded);
  carve_padded (k, &crosses, &padded);
  make_layout (k, n_threads, &layout);
  for (unsigned i = 0; i < n_threads; i++)
    carve_strip (k, &layout, &match, &strip);
  return crosses.size > match.size ? crosses.size : match.size;
}

const StereoBfvStages STAGES = {
  .scratch = scratch_cpu,
  .crosses = crosses_cpu,
  .match = match_cpu,
  .check = stereo_bfv_check_cpu,
  .vote = stereo_bfv_vote_cpu,
  .border = stereo_bfv_border_cpu,
};
