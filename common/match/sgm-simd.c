/* gst-stereomatching: semi-global matching with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Vectors go along the disparities.  The sums of a whole image would be large,
 * so they exist for a band of rows only.  Sweeps down run twice: first over the
 * image, to leave their L at the lower end of every band, then band by band,
 * from the last one up, with all other sweeps.  Columns without diagonals, and
 * strips, are independent of each other; where there are diagonals, a row is.
 *
 * The right view is mirrored, so that the partners of a pixel lie in the order
 * of their disparities.
 */

#include "match/sgm-simd.h"

#include "core/cpu.h"
#include "cost/census-simd.h"
#include "match/sgm-pixel.h"
#include "refine/output.h"
#include "refine/winner-simd.h"

#define LANES (SIMD_BYTES / 2)

/* L where there is no disparity: more than any cost, also with a penalty, in 16
 * bits. */
#define NOWHERE 0xf000

/* Columns of the sweeps that a thread does at a time: whole strips. */
#define COLUMNS 64
/* Sums and costs of a band are to stay in a processor's cache.  It has so many
 * rows at least: with strips, so that two threads have one each. */
#define BAND_BYTES (4 << 20)
#define BAND_OF_PATHS 8
#define BAND_OF_STRIPS (2 * STEREO_SGM_STRIP)

/* Vertical and diagonal sweeps, of either direction. */
#define MAX_VERTICAL 3

/* Left winners of a row that are made words together. */
#define CALLED 16

/* Pixels from one that is brought near to the one that is worked on. */
#define AHEAD 2

/* A pixel's L stays in registers, or nearly, if it is so many vectors. */
#define FEW_VECTORS 8

/* Does what with n, the vectors of a pixel, which the usual numbers are a
 * constant of. */
#define WITH_VECTORS(t, n, what) \
  switch ((t)->n_vectors) { \
    case 1: { enum { n = 1 }; what; break; } \
    case 2: { enum { n = 2 }; what; break; } \
    case 4: { enum { n = 4 }; what; break; } \
    case 8: { enum { n = 8 }; what; break; } \
    default: { const int n = (t)->n_vectors; what; } \
  }

/* Pixels whose L a thread has besides: two columns of a strip, an average. */
#define N_SCRATCH (2 * STEREO_SGM_STRIP + 1)

typedef uint8_t HalfU8 __attribute__ ((vector_size (SIMD_BYTES / 2)));

/* What differs from k only by its form, and where the work memory is. */
typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  const StereoSgmWork *work;
  const StereoSgmResult *result;
  int n_padded;                 /* bytes of a pixel's costs */
  int n_vectors;                /* of 16-bit lanes */
  size_t line;                  /* elements of a line, n_padded to a pixel */
  size_t row;                   /* of sums and of costs */
  int band_rows;
  int n_vertical;               /* sweeps down, and as many up */
  size_t mirror_stride;
  int n_planes;                 /* of the mirrored view */
  VecU16 tail;                  /* lanes of the last vector that count */
  SimdTable64 likeness;
  VecU8 not_first;              /* pixels of strips but the first, the last */
  VecU8 not_last;
  int band;                     /* what the loops work on */
  int y0;
  int y1;
} Task;

static int
n_padded (const StereoSgmConstants * k)
{
  return (int) stereo_round_up ((size_t) k->n, 64);
}

/* A multiple of the least number, and so of strips. */
static int
band_rows (const StereoSgmConstants * k)
{
  int least = k->three ? BAND_OF_STRIPS : BAND_OF_PATHS;
  size_t pixel = (size_t) n_padded (k) * (sizeof (uint16_t) + 1);
  size_t wanted = (size_t) k->width * pixel * (size_t) least;

  return wanted == 0 || wanted > BAND_BYTES ? least
      : (int) (BAND_BYTES / wanted) * least;
}

static int
n_bands (const StereoSgmConstants * k)
{
  return (k->height + band_rows (k) - 1) / band_rows (k);
}

static size_t
line_elements (const StereoSgmConstants * k)
{
  return (size_t) k->width * (size_t) n_padded (k);
}

/* Elements from a row of sums, or of costs, to the next one.  Rows side by side
 * are not to fall on the same places of a cache, where many of them collide:
 * they do when this is a multiple of a page. */
static size_t
row_elements (const StereoSgmConstants * k)
{
  return line_elements (k) + 128;
}

static int
vertical_sweeps (const StereoSgmConstants * k)
{
  return k->n_sweeps == 8 ? 3 : 1;
}

/* Whether a pixel has predecessors aside, so that L of the row before is still
 * wanted when its own is there. */
static bool
looks_aside (const StereoSgmConstants * k)
{
  return k->three || k->n_sweeps == 8;
}

static int
lines_kept (const StereoSgmConstants * k)
{
  return looks_aside (k) ? 2 : 1;
}

/* Columns in front of the mirrored view and behind it. */
static int
mirror_front (const StereoSgmConstants * k)
{
  int d = k->min_disparity + k->first_index;

  return d < 0 ? -d : 0;
}

static size_t
mirror_stride (const StereoSgmConstants * k)
{
  int d = k->min_disparity + k->first_index;

  return stereo_round_up ((size_t) (mirror_front (k) + k->width
          + (d > 0 ? d : 0) + n_padded (k)) + SIMD_ALIGNMENT, 64);
}

static int
mirror_planes (const StereoSgmConstants * k)
{
  return k->cost == STEREO_COST_CENSUS ? 4
      : k->cost == STEREO_COST_RGB ? k->channels : 1;
}

/* For each row of a band and each neighbour g: differences to it.  With three
 * predecessors a sweep needs g of the one straight behind and the weights of
 * those beside it, and the places of their g hold these. */
enum
{
  NORTH, SOUTH, WEST, EAST,
  NORTH_WEST, NORTH_EAST, SOUTH_WEST, SOUTH_EAST,
  N_NEIGHBORS
};

static const StereoSgmSweep neighbors[N_NEIGHBORS] = {
  [NORTH] = {0, -1},[SOUTH] = {0, 1},[WEST] = {-1, 0},[EAST] = {1, 0},
  [NORTH_WEST] = {-1, -1},[NORTH_EAST] = {1, -1},
  [SOUTH_WEST] = {-1, 1},[SOUTH_EAST] = {1, 1},
};

/* The predecessors of the sweeps from each of the first four neighbours: A, B
 * and E.  Those down and up without diagonals have only the first. */
static const int predecessors[4][MAX_VERTICAL] = {
  [NORTH] = {NORTH, NORTH_WEST, NORTH_EAST},
  [SOUTH] = {SOUTH, SOUTH_WEST, SOUTH_EAST},
  [WEST] = {WEST, NORTH_WEST, SOUTH_WEST},
  [EAST] = {EAST, NORTH_EAST, SOUTH_EAST},
};

/* What steps of a row depend on: bytes for each pixel, in rows. */
static int
n_kinds (const StereoSgmConstants * k)
{
  return k->three ? 4 * MAX_VERTICAL : k->n_sweeps == 8 ? N_NEIGHBORS : 4;
}

/* Bytes of such a row: vectors are written to its end. */
static size_t
kind_stride (const StereoSgmConstants * k)
{
  return stereo_round_up ((size_t) k->width, 64);
}

static StereoStatus
plan (const StereoSgmConstants * k, unsigned n_threads, StereoSgmWork * work,
    StereoArena * arena, StereoMessage * why)
{
  size_t padded = (size_t) n_padded (k);
  size_t rows = (size_t) band_rows (k), down = (size_t) vertical_sweeps (k);

  (void) why;
  stereo_arena_add (arena, (void **) &work->sums, rows,
      row_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->costs, rows, row_elements (k));
  /* of every sweep down and up */
  stereo_arena_add (arena, (void **) &work->lines,
      2 * down * (size_t) lines_kept (k),
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->checkpoints,
      (size_t) (n_bands (k) - 1) * down,
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->rows,
      (size_t) mirror_planes (k) * (size_t) k->height, mirror_stride (k));
  stereo_arena_add (arena, (void **) &work->differences,
      (size_t) n_kinds (k) * rows, kind_stride (k));
  stereo_arena_add (arena, (void **) &work->column_costs,
      (size_t) n_threads * COLUMNS, padded);
  stereo_arena_add (arena, (void **) &work->right, n_threads,
      padded * sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &work->scratch, n_threads,
      N_SCRATCH * padded * sizeof (uint16_t));
  return STEREO_OK;
}

/* -------------------------------------------------------------------- views */

static uint8_t *
mirrored (const Task * t, int plane, int y)
{
  return t->work->rows + ((size_t) plane * (size_t) t->k->height
      + (size_t) y) * t->mirror_stride + mirror_front (t->k);
}

/* Where a plane of the right view comes from; NULL: luma is made. */
static const uint8_t *
right_row (const Task * t, int plane, int y)
{
  const StereoSgmViews *v = t->views;

  if (t->k->cost == STEREO_COST_CENSUS)
    return v->right_census.plane[plane]
        + (size_t) y * v->right_census.stride;
  if (t->k->cost == STEREO_COST_RGB || t->k->channels == 1)
    return v->right.plane[plane] + (size_t) y * v->right.stride;
  return NULL;
}

static void
mirror_rows (const void *context, StereoSpan span)
{
  const Task *t = context;
  int last = t->k->width - 1;

  for (int y = span.begin; y < span.end; y++) {
    for (int p = 0; p < t->n_planes; p++) {
      const uint8_t *source = right_row (t, p, y);
      uint8_t *target = mirrored (t, p, y);

      for (int x = 0; x <= last; x++)
        target[x] = source ? source[last - x]
            : (uint8_t) stereo_view_luma (&t->views->right, t->k->channels,
            last - x, y);
    }
  }
}

/* Pixels of a row from x on, where there are any. */
ALWAYS_INLINE VecU8
load_pixels (const uint8_t * row, int x, int width)
{
  const int begin = x < 0 ? -x : 0;
  const int end = width - x < SIMD_BYTES ? width - x : SIMD_BYTES;
  uint8_t pixels[SIMD_BYTES] = { 0 };

  if (begin == 0 && end == SIMD_BYTES)
    return simd_load8 (row + x);
  if (begin < end)
    memcpy (pixels + begin, row + x + begin, (size_t) (end - begin));
  return simd_load8 (pixels);
}

/* g of pixels from (x, y) on and their neighbours, anything where there is
 * none. */
ALWAYS_INLINE VecU8
get_differences (const Task * t, int x, int y, int neighbor)
{
  const StereoView *left = &t->views->left;
  const int dx = neighbors[neighbor].dx, dy = neighbors[neighbor].dy;
  VecU8 most = { 0 };

  if (y + dy < 0 || y + dy >= t->k->height)
    return most;
  for (int c = 0; c < t->k->channels; c++) {
    const uint8_t *row = left->plane[c] + (size_t) y * left->stride;
    const uint8_t *other = left->plane[c] + (size_t) (y + dy) * left->stride;

    most = simd_max8 (most, simd_absdiff8 (load_pixels (row, x, t->k->width),
            load_pixels (other, x + dx, t->k->width)));
  }
  return most;
}

/* The same of columns x0 to x1 - 1, and up to a vector more. */
static void
find_differences (const Task * t, int y, int x0, int x1, int neighbor,
    uint8_t * out)
{
  for (int x = x0; x < x1; x += SIMD_BYTES)
    simd_store8 (out + (x - x0), get_differences (t, x, y, neighbor));
}

/* stereo_sgm_weights() of B and E, in place of their likeness; quotients of
 * such numbers are exact enough to be rounded down. */
ALWAYS_INLINE void
divide_weights (const uint8_t * restrict a, uint8_t * restrict b,
    uint8_t * restrict e)
{
#pragma omp simd
  for (int i = 0; i < SIMD_BYTES; i++) {
    const float wb = (float) b[i], we = (float) e[i];
    const float all = (float) a[i] + wb + we;

    b[i] = (uint8_t) (int) ((128 * wb + all) / (2 * all));
    e[i] = (uint8_t) (int) ((128 * we + all) / (2 * all));
  }
}

/* Of the sweep from a straight neighbour, with three predecessors: g of A, and
 * the weights of B and E, of columns x0 to x1 - 1 and up to a vector more.  x0
 * begins a strip. */
static void
find_weights (const Task * t, int y, int x0, int x1, int from,
    uint8_t * const out[MAX_VERTICAL])
{
  const bool across = from == NORTH || from == SOUTH;
  const int width = t->k->width, height = t->k->height;
  const SimdTable64 table = t->likeness;
  const VecU8 least = simd_set8 (1);

  for (int x = x0; x < x1; x += SIMD_BYTES) {
    uint8_t like[MAX_VERTICAL][SIMD_BYTES];

    for (int i = 0; i < MAX_VERTICAL; i++) {
      const VecU8 g = get_differences (t, x, y, predecessors[from][i]);
      /* it is 1 from 64 on, too */
      VecU8 likeness = simd_max8 (simd_table64_get (&table, g), least);

      if (i == 0)
        simd_store8 (out[0] + (x - x0), g);
      else if (across)
        likeness &= i == 1 ? t->not_first : t->not_last;
      else if (i == 1 ? y % STEREO_SGM_STRIP == 0
          : y % STEREO_SGM_STRIP == STEREO_SGM_STRIP - 1 || y == height - 1)
        likeness = (VecU8) { 0 };
      simd_store8 (like[i], likeness);
    }
    if (across && width - 1 - x < SIMD_BYTES)
      like[2][width - 1 - x] = 0;
    divide_weights (like[0], like[1], like[2]);
    memcpy (out[1] + (x - x0), like[1], SIMD_BYTES);
    memcpy (out[2] + (x - x0), like[2], SIMD_BYTES);
  }
}

/* -------------------------------------------------------------------- costs */

/* What a left pixel is compared with. */
typedef struct
{
  const uint8_t *right[4];      /* the partner at the first disparity */
  SimdCensus census;
  VecU8 left[3];
} Costs;

/* Of SIMD_BYTES disparities from i on. */
ALWAYS_INLINE VecU8
cost_of_census (const Costs * c, int i)
{
  SimdCensus right;

  for (int p = 0; p < 3; p++)
    right.bits[p] = simd_load8 (c->right[p] + i);
  right.gradient = simd_load8 (c->right[3] + i);
  return simd_census_cost (&c->census, &right);
}

/* Mean difference of three channels, of LANES disparities. */
ALWAYS_INLINE HalfU8
cost_of_rgb (const Costs * c, int i)
{
  VecU16 sum = simd_set16 (0), third;

  for (int p = 0; p < 3; p++) {
    VecU16 l = simd_set16 (c->left[p][0]), r = simd_widen8 (c->right[p] + i);
    VecU16 least = simd_min16 (l, r);

    sum += l + r - least - least;
  }
  /* a third rounded down, or one less */
  third = sum * 85 >> 8;
  third -= (VecU16) (sum - third * 3 >= simd_set16 (3));
  return __builtin_convertvector (third, HalfU8);
}

/* All costs of pixels x0 to x1 - 1 of row y, n_padded to each, as if every
 * disparity had a partner.  In a row the partners of the next pixel begin one
 * before. */
static void
find_census_costs (const Task * t, int x0, int x1, int y, uint8_t * out)
{
  const StereoSgmConstants *k = t->k;
  const int at = k->width - 1 - x0 + k->min_disparity + k->first_index;
  const int n = t->n_padded;
  Costs c;

  for (int p = 0; p < 4; p++)
    c.right[p] = mirrored (t, p, y) + at;
  for (int x = x0; x < x1; x++, out += n) {
    c.census = simd_census_set (&t->views->left_census, x, y);
    for (int i = 0; i < n; i += SIMD_BYTES)
      simd_store8 (out + i, cost_of_census (&c, i));
    for (int p = 0; p < 4; p++)
      c.right[p]--;
  }
}

static void
find_rgb_costs (const Task * t, int x0, int x1, int y, uint8_t * out)
{
  const StereoSgmConstants *k = t->k;
  const StereoView *left = &t->views->left;

  for (int x = x0; x < x1; x++, out += t->n_padded) {
    const int at = k->width - 1 - x + k->min_disparity + k->first_index;
    Costs c;

    for (int p = 0; p < 3; p++) {
      c.right[p] = mirrored (t, p, y) + at;
      c.left[p] = simd_set8 (left->plane[p][(size_t) y * left->stride
              + (size_t) x]);
    }
    for (int i = 0; i < t->n_padded; i += LANES) {
      HalfU8 costs = cost_of_rgb (&c, i);

      memcpy (out + i, &costs, sizeof (costs));
    }
  }
}

static void
find_luma_costs (const Task * t, int x0, int x1, int y, uint8_t * out)
{
  const StereoSgmConstants *k = t->k;

  for (int x = x0; x < x1; x++, out += t->n_padded) {
    const VecU8 left = simd_set8 ((uint8_t) stereo_view_luma (&t->views->left,
            k->channels, x, y));
    const uint8_t *right = mirrored (t, 0, y) + k->width - 1 - x
        + k->min_disparity + k->first_index;

    for (int i = 0; i < t->n_padded; i += SIMD_BYTES)
      simd_store8 (out + i, simd_absdiff8 (left, simd_load8 (right + i)));
  }
}

/* The costs of columns x0 to x1 - 1 of row y, n_padded to a pixel.  Columns
 * without a partner have the costs of the one where partners begin or end,
 * which is another one for each disparity. */
static void
find_row_costs (const Task * t, int x0, int x1, int y, uint8_t * out)
{
  const StereoSgmConstants *k = t->k;
  int d0 = k->min_disparity + k->first_index;

  if (k->cost == STEREO_COST_CENSUS)
    find_census_costs (t, x0, x1, y, out);
  else if (t->n_planes == 3)
    find_rgb_costs (t, x0, x1, y, out);
  else
    find_luma_costs (t, x0, x1, y, out);
  if (x0 >= stereo_partner_first (d0 + k->n - 1)
      && x1 - 1 <= stereo_partner_last (k->width, d0))
    return;
  for (int i = 0; i < k->n; i++) {
    int first = stereo_partner_first (d0 + i);
    int end = stereo_partner_last (k->width, d0 + i) + 1;

    if (x0 < first) {
      uint8_t cost = (uint8_t) stereo_sgm_cost (k, t->views, first, y, d0 + i);

      for (int x = x0; x < x1 && x < first; x++)
        out[(size_t) (x - x0) * (size_t) t->n_padded + (size_t) i] = cost;
    }
    if (x1 > end) {
      uint8_t cost =
          (uint8_t) stereo_sgm_cost (k, t->views, end - 1, y, d0 + i);

      for (int x = x1 - 1; x >= x0 && x >= end; x--)
        out[(size_t) (x - x0) * (size_t) t->n_padded + (size_t) i] = cost;
    }
  }
}

/* -------------------------------------------------------------------- steps */

/* What becomes of a pixel's L besides. */
typedef enum
{
  NO_SUMS,
  FIRST_OF_SUMS,
  MORE_OF_SUMS
} Sums;

/* The least lane, in all lanes. */
ALWAYS_INLINE VecU16
least_lane (VecU16 v)
{
#if defined (__AVX2__)
  __m128i low;
#if defined (__AVX512BW__)
  __m256i half = _mm256_min_epu16 (_mm512_castsi512_si256 ((__m512i) v),
      _mm512_extracti64x4_epi64 ((__m512i) v, 1));
#else
  __m256i half = (__m256i) v;
#endif

  low = _mm_minpos_epu16 (_mm_min_epu16 (_mm256_castsi256_si128 (half),
          _mm256_extracti128_si256 (half, 1)));
#if defined (__AVX512BW__)
  return (VecU16) _mm512_broadcastw_epi16 (low);
#else
  return (VecU16) _mm256_broadcastw_epi16 (low);
#endif
#else
  uint16_t lanes[LANES], least;

  memcpy (lanes, &v, sizeof (v));
  least = lanes[0];
  for (int i = 1; i < LANES; i++)
    least = lanes[i] < least ? lanes[i] : least;
  return simd_set16 (least);
#endif
}

/* Infinite where there is no disparity; of the last vector. */
ALWAYS_INLINE VecU16
only_tail (const Task * t, VecU16 v)
{
  return (v & t->tail) | (~t->tail & NOWHERE);
}

ALWAYS_INLINE void
add_to_sums (uint16_t * sums, VecU16 l, Sums what)
{
  if (what == MORE_OF_SUMS)
    l += simd_load16 (sums);
  if (what != NO_SUMS)
    simd_store16 (sums, l);
}

/* L of a pixel without a predecessor.  Returns the smallest one. */
ALWAYS_INLINE VecU16
begin (const Task * t, int n, const uint8_t * costs, uint16_t * l,
    uint16_t * sums, Sums what)
{
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++) {
    VecU16 c = simd_widen8 (costs + i * LANES);

    if (i == n - 1)
      c = only_tail (t, c);
    simd_store16 (l + i * LANES, c);
    least = simd_min16 (least, c);
    add_to_sums (sums + i * LANES, c, what);
  }
  return least_lane (least);
}

/* L of a pixel after q, whose smallest is m in all lanes; may take its place.
 * Returns the smallest one.  Neighbours come out of registers, for a load would
 * have to wait until two stores have got to memory. */
ALWAYS_INLINE VecU16
step (const Task * t, int n, const uint16_t * q, VecU16 m, StereoSgmPenalty p,
    const uint8_t * costs, uint16_t * l, uint16_t * sums, Sums what)
{
  const VecU16 p1 = simd_set16 (p.p1), jump = m + simd_set16 (p.p2);
  const VecU16 nowhere = simd_set16 (NOWHERE);
  VecU16 least = simd_set16 (UINT16_MAX), last = nowhere;
  VecU16 here = simd_load16 (q);

  for (int i = 0; i < n; i++) {
    VecU16 next = i + 1 < n ? simd_load16 (q + (i + 1) * LANES) : nowhere;
    VecU16 best = simd_min16 (here, jump);

    best = simd_min16 (best, simd_min16 (simd_before16 (last, here),
            simd_behind16 (here, next)) + p1);
    best += simd_widen8 (costs + i * LANES) - m;
    if (i == n - 1)
      best = only_tail (t, best);
    simd_store16 (l + i * LANES, best);
    least = simd_min16 (least, best);
    add_to_sums (sums + i * LANES, best, what);
    last = here;
    here = next;
  }
  return least_lane (least);
}

/* q of three predecessors; returns m. */
ALWAYS_INLINE VecU16
average (const Task * t, int n, const uint16_t * a, const uint16_t * b,
    const uint16_t * e, StereoSgmWeights w, uint16_t * q)
{
  VecU16 wa = simd_set16 (w.a), wb = simd_set16 (w.b), we = simd_set16 (w.e);
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++) {
    VecU16 v = (simd_load16 (a + i * LANES) * wa
        + simd_load16 (b + i * LANES) * wb
        + simd_load16 (e + i * LANES) * we + 32) >> 6;

    if (i == n - 1)
      v = only_tail (t, v);
    simd_store16 (q + i * LANES, v);
    least = simd_min16 (least, v);
  }
  return least_lane (least);
}

/* A pixel of a line after the line before, of which b and e may be anything
 * where they have no weight; scratch is for many vectors. */
ALWAYS_INLINE void
step_three (const Task * t, int n, const uint16_t * a, const uint16_t * b,
    const uint16_t * e, StereoSgmPenalty p, StereoSgmWeights w,
    const uint8_t * costs, uint16_t * scratch, uint16_t * l, uint16_t * sums,
    Sums what)
{
  uint16_t few[FEW_VECTORS * LANES];
  uint16_t *q = n <= FEW_VECTORS ? few : scratch;
  VecU16 m = average (t, n, a, b, e, w, q);

  step (t, n, q, m, p, costs, l, sums, what);
}

ALWAYS_INLINE StereoSgmWeights
make_weights (uint8_t b, uint8_t e)
{
  const StereoSgmWeights w = { 64u - b - e, b, e };

  return w;
}

/* -------------------------------------------------------- horizontal sweeps */

static uint16_t *
sums_at (const Task * t, int x, int y)
{
  return t->work->sums + (size_t) (y - t->y0) * t->row
      + (size_t) x * (size_t) t->n_padded;
}

static uint8_t *
costs_at (const Task * t, int x, int y)
{
  return t->work->costs + (size_t) (y - t->y0) * t->row
      + (size_t) x * (size_t) t->n_padded;
}

/* What steps of a row of the band depend on: of a neighbour, or with three
 * predecessors of the sweep from it. */
static uint8_t *
kind_at (const Task * t, int kind, int y)
{
  return t->work->differences + ((size_t) (kind * t->band_rows)
      + (size_t) (y - t->y0)) * kind_stride (t->k);
}

static uint8_t *
weights_at (const Task * t, int from, int predecessor, int y)
{
  return kind_at (t, MAX_VERTICAL * from + predecessor, y);
}

static uint16_t *
scratch_at (const Task * t, int worker, int index)
{
  return t->work->scratch + ((size_t) worker * N_SCRATCH + (size_t) index)
      * (size_t) t->n_padded;
}

/* L at a place of a strip: two columns take turns. */
static uint16_t *
strip_at (const Task * t, int worker, int column, int row)
{
  return scratch_at (t, worker, (column & 1) * STEREO_SGM_STRIP + row);
}

static uint16_t *
average_at (const Task * t, int worker)
{
  return scratch_at (t, worker, N_SCRATCH - 1);
}

/* The paths of a row to the right and to the left, one of which would wait for
 * itself.  The second one at a pixel adds to the sums of the first. */
ALWAYS_INLINE void
sweep_paths (const Task * t, int n, int worker, int y)
{
  const StereoSgmConstants *k = t->k;
  VecU16 m[2];

  for (int i = 0; i < k->width; i++) {
    for (int left = 0; left < 2; left++) {
      int x = left ? k->width - 1 - i : i;
      const uint8_t *costs = costs_at (t, x, y);
      uint16_t *sums = sums_at (t, x, y);
      uint16_t *l = scratch_at (t, worker, left);
      const uint8_t *g = kind_at (t, left ? EAST : WEST, y) + x;

      if (i == 0)
        m[left] = begin (t, n, costs, l, sums,
            left && k->width == 1 ? MORE_OF_SUMS : FIRST_OF_SUMS);
      else if (2 * i + left < k->width)
        m[left] = step (t, n, l, m[left], k->penalty[*g], costs, l, sums,
            FIRST_OF_SUMS);
      else
        m[left] = step (t, n, l, m[left], k->penalty[*g], costs, l, sums,
            MORE_OF_SUMS);
    }
  }
}

/* Has a pixel brought near: there are more rows side by side than a processor
 * follows by itself. */
ALWAYS_INLINE void
fetch (const Task * t, const uint8_t * costs, const uint16_t * sums)
{
  for (int i = 0; i < t->n_padded; i += 64) {
    __builtin_prefetch (costs + i);
    __builtin_prefetch (sums + i, 1);
    __builtin_prefetch (sums + i + 32, 1);
  }
}

/* A strip of so many rows from y on. */
ALWAYS_INLINE void
sweep_strip (const Task * t, int n, int worker, int y, int rows, bool right)
{
  const StereoSgmConstants *k = t->k;
  int dx = right ? 1 : -1, start = right ? 0 : k->width - 1;
  Sums what = right ? FIRST_OF_SUMS : MORE_OF_SUMS;
  int from = right ? WEST : EAST;

  for (int step_ = 0; step_ < k->width; step_++) {
    int x = start + dx * step_, before = step_ - 1;

    for (int j = 0; j < rows; j++) {
      const uint8_t *costs = costs_at (t, x, y + j);
      uint16_t *sums = sums_at (t, x, y + j);
      uint16_t *l = strip_at (t, worker, step_, j);
      const uint16_t *a = strip_at (t, worker, before, j);
      uint8_t b = weights_at (t, from, 1, y + j)[x];
      uint8_t e = weights_at (t, from, 2, y + j)[x];

      if (step_ + AHEAD < k->width)
        fetch (t, costs_at (t, x + AHEAD * dx, y + j),
            sums_at (t, x + AHEAD * dx, y + j));
      if (step_ == 0)
        begin (t, n, costs, l, sums, what);
      else
        step_three (t, n, a, b ? a - t->n_padded : a, e ? a + t->n_padded : a,
            k->penalty[weights_at (t, from, 0, y + j)[x]], make_weights (b, e),
            costs, average_at (t, worker), l, sums, what);
    }
  }
}

/* Rows in a task of do_rows(). */
static int
rows_abreast (const StereoSgmConstants * k)
{
  return k->three ? STEREO_SGM_STRIP : 1;
}

/* What steps of row y depend on. */
static void
find_kinds (const Task * t, int y)
{
  for (int i = 0; i < (t->k->three ? 4 : n_kinds (t->k)); i++) {
    if (t->k->three) {
      uint8_t *const out[] = { weights_at (t, i, 0, y),
        weights_at (t, i, 1, y), weights_at (t, i, 2, y)
      };

      find_weights (t, y, 0, t->k->width, i, out);
    } else {
      find_differences (t, y, 0, t->k->width, i, kind_at (t, i, y));
    }
  }
}

/* Rows of the band, in strips if there are any: costs, differences, sweeps to
 * the right and to the left. */
static void
do_rows (const void *context, StereoSpan span)
{
  const Task *t = context;
  int size = rows_abreast (t->k);

  for (int i = span.begin; i < span.end; i++) {
    int y = t->y0 + i * size;
    int rows = t->y1 - y < size ? t->y1 - y : size;

    for (int j = 0; j < rows; j++) {
      find_row_costs (t, 0, t->k->width, y + j, costs_at (t, 0, y + j));
      find_kinds (t, y + j);
    }
    if (t->k->three) {
      for (int right = 1; right >= 0; right--)
        WITH_VECTORS (t, n, sweep_strip (t, n, span.worker, y, rows, right));
    } else {
      WITH_VECTORS (t, n, sweep_paths (t, n, span.worker, y));
    }
  }
}

/* ---------------------------------------------------------- vertical sweeps */

/* L of a sweep at row y: two rows take turns where both are wanted. */
static uint16_t *
line_at (const Task * t, bool up, int sweep, int y, int x)
{
  int kept = lines_kept (t->k);
  int index = ((up ? t->n_vertical : 0) + sweep) * kept + y % kept;

  return t->work->lines + (size_t) index * t->line
      + (size_t) x * (size_t) t->n_padded;
}

static uint16_t *
checkpoint_at (const Task * t, int band, int sweep, int x)
{
  return t->work->checkpoints + (size_t) (band * t->n_vertical + sweep)
      * t->line + (size_t) x * (size_t) t->n_padded;
}

/* L of the row before in a sweep; above a band the sweep down left it at the
 * checkpoint. */
static uint16_t *
line_before (const Task * t, bool up, int sweep, int y, int x)
{
  if (!up && y == t->y0 && t->band > 0)
    return checkpoint_at (t, t->band - 1, sweep, x);
  return line_at (t, up, sweep, up ? y + 1 : y - 1, x);
}

/* A row of a sweep down or up: columns x0 to x1 - 1, their costs, sums (NULL:
 * none are wanted) and what steps depend on. */
typedef struct
{
  int y;
  int x0;
  int x1;
  const uint8_t *costs;
  uint16_t *sums;
  const uint8_t *kinds[MAX_VERTICAL];
} Row;

ALWAYS_INLINE void
sweep_row (const Task * t, int n, const Row * r, bool up, int sweep,
    uint16_t * scratch, Sums what)
{
  const StereoSgmConstants *k = t->k;
  bool first = r->y == (up ? k->height - 1 : 0);
  int dx = neighbors[predecessors[up ? SOUTH : NORTH][sweep]].dx;

  for (int x = r->x0; x < r->x1; x++) {
    size_t at = (size_t) (x - r->x0);
    const uint8_t *costs = r->costs + at * (size_t) t->n_padded;
    uint16_t *sums = what == NO_SUMS ? NULL
        : r->sums + at * (size_t) t->n_padded;
    uint16_t *l = line_at (t, up, sweep, r->y, x);

    if (first || x + dx < 0 || x + dx >= k->width) {
      begin (t, n, costs, l, sums, what);
    } else if (k->three) {
      const uint16_t *a = line_before (t, up, 0, r->y, x);
      uint8_t b = r->kinds[1][at], e = r->kinds[2][at];

      step_three (t, n, a, b ? a - t->n_padded : a, e ? a + t->n_padded : a,
          k->penalty[r->kinds[0][at]], make_weights (b, e), costs, scratch, l,
          sums, what);
    } else {
      const uint16_t *before = line_before (t, up, sweep, r->y, x + dx);
      VecU16 least = simd_set16 (UINT16_MAX);

      for (int i = 0; i < n; i++)
        least = simd_min16 (least, simd_load16 (before + i * LANES));
      step (t, n, before, least_lane (least), k->penalty[r->kinds[sweep][at]],
          costs, l, sums, what);
    }
  }
}

static int
columns_end (const Task * t, int x0)
{
  return x0 + COLUMNS < t->k->width ? x0 + COLUMNS : t->k->width;
}

/* The sweeps down over row y of the image, without sums. */
static void
look_down (const Task * t, int worker, int x0, int y)
{
  uint8_t kinds[MAX_VERTICAL][COLUMNS];
  uint8_t *costs = t->work->column_costs
      + (size_t) worker * COLUMNS * (size_t) t->n_padded;
  uint8_t *const out[] = { kinds[0], kinds[1], kinds[2] };
  Row r = { y, x0, columns_end (t, x0), costs, NULL,
    {kinds[0], kinds[1], kinds[2]}
  };

  find_row_costs (t, x0, r.x1, y, costs);
  if (t->k->three)
    find_weights (t, y, x0, r.x1, NORTH, out);
  for (int i = 0; i < t->n_vertical && !t->k->three; i++)
    find_differences (t, y, x0, r.x1, predecessors[NORTH][i], out[i]);
  for (int i = 0; i < t->n_vertical; i++)
    WITH_VECTORS (t, n, sweep_row (t, n, &r, false, i,
            average_at (t, worker), NO_SUMS));
  if ((y + 1) % t->band_rows != 0)
    return;
  for (int i = 0; i < t->n_vertical; i++)
    memcpy (checkpoint_at (t, y / t->band_rows, i, x0),
        line_at (t, false, i, y, x0),
        (size_t) ((r.x1 - x0) * t->n_padded) * sizeof (uint16_t));
}

/* The sweeps down or up over row y of the band. */
static void
sweep_band_row (const Task * t, int worker, int x0, int y, bool up)
{
  Row r = { y, x0, columns_end (t, x0), costs_at (t, x0, y),
    sums_at (t, x0, y), {NULL, NULL, NULL}
  };

  for (int i = 0; i < MAX_VERTICAL && t->k->three; i++)
    r.kinds[i] = weights_at (t, up ? SOUTH : NORTH, i, y) + x0;
  for (int i = 0; i < t->n_vertical && !t->k->three; i++)
    r.kinds[i] = kind_at (t, predecessors[up ? SOUTH : NORTH][i], y) + x0;
  for (int i = 0; i < t->n_vertical; i++)
    WITH_VECTORS (t, n, sweep_row (t, n, &r, up, i,
            average_at (t, worker), MORE_OF_SUMS));
}

/* Columns that are independent of others: all rows at once. */
static void
look_down_columns (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int i = span.begin; i < span.end; i++) {
    for (int y = t->y0; y < t->y1; y++)
      look_down (t, span.worker, i * COLUMNS, y);
  }
}

static void
sweep_band_columns (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int i = span.begin; i < span.end; i++) {
    for (int y = t->y0; y < t->y1; y++)
      sweep_band_row (t, span.worker, i * COLUMNS, y, false);
    for (int y = t->y1 - 1; y >= t->y0; y--)
      sweep_band_row (t, span.worker, i * COLUMNS, y, true);
  }
}

/* With diagonals, one row after another. */
typedef struct
{
  const Task *task;
  int y;
  bool up;
} RowTask;

static void
look_down_row (const void *context, StereoSpan span)
{
  const RowTask *r = context;

  for (int i = span.begin; i < span.end; i++)
    look_down (r->task, span.worker, i * COLUMNS, r->y);
}

static void
sweep_band_row_columns (const void *context, StereoSpan span)
{
  const RowTask *r = context;

  for (int i = span.begin; i < span.end; i++)
    sweep_band_row (r->task, span.worker, i * COLUMNS, r->y, r->up);
}

static int
n_columns (const Task * t)
{
  return (t->k->width + COLUMNS - 1) / COLUMNS;
}

/* Leaves L of the sweeps down at the end of every band but the last. */
static void
look_down_all (StereoQueue * queue, Task * t)
{
  t->y0 = 0;
  t->y1 = (n_bands (t->k) - 1) * t->band_rows;
  t->band = 0;
  if (t->n_vertical == 1) {
    stereo_cpu_for (queue, n_columns (t), 1, look_down_columns, t);
    return;
  }
  for (int y = t->y0; y < t->y1; y++) {
    RowTask r = { t, y, false };

    stereo_cpu_for (queue, n_columns (t), 0, look_down_row, &r);
  }
}

static void
sweep_band (StereoQueue * queue, const Task * t)
{
  if (t->n_vertical == 1) {
    stereo_cpu_for (queue, n_columns (t), 1, sweep_band_columns, t);
    return;
  }
  for (int i = 0; i < 2 * (t->y1 - t->y0); i++) {
    bool up = i >= t->y1 - t->y0;
    RowTask r = { t, up ? 2 * t->y1 - t->y0 - 1 - i : t->y0 + i, up };

    stereo_cpu_for (queue, n_columns (t), 0, sweep_band_row_columns, &r);
  }
}

/* ------------------------------------------------------------------ winners */

/* The first of the lowest sums, of which those of no disparity are not low.
 * Without branches: where it is found cannot be predicted. */
ALWAYS_INLINE int
find_winner (const Task * t, int n, const uint16_t * sums)
{
  const VecU16 none = ~t->tail;
  VecU16 least = simd_load16 (sums + (n - 1) * LANES) | none;
  int index = 0;

  for (int i = 0; i < n - 1; i++)
    least = simd_min16 (least, simd_load16 (sums + i * LANES));
  least = least_lane (least);
#if defined (__AVX2__)
  /* the bits of two vectors in a word */
  for (int i = (n - 1) / 2 * 2; i >= 0; i -= 2) {
    uint64_t bits = 0;

    for (int j = i; j < i + 2 && j < n; j++) {
      VecU16 sum = simd_load16 (sums + j * LANES);

      if (j == n - 1)
        sum |= none;
#if defined (__AVX512BW__)
      bits |= (uint64_t) simd_mask_equal16 (sum, least) << (32 * (j - i));
#else
      bits |= (uint64_t) (uint32_t) _mm256_movemask_epi8 ((__m256i) (VecU16)
          (sum == least)) << (32 * (j - i));
#endif
    }
    if (bits != 0)
      index = i * LANES + __builtin_ctzll (bits) * 2 * LANES / 64;
  }
#else
  for (int i = n - 1; i >= 0; i--) {
    VecU16 sum = simd_load16 (sums + i * LANES), same;

    if (i == n - 1)
      sum |= none;
    same = (VecU16) (sum == least);
    for (int j = LANES - 1; j >= 0; j--)
      index = same[j] ? i * LANES + j : index;
  }
#endif
  return index;
}

/*
 * Right winners, of the pixels that are partners of the one before, one for
 * each disparity: becomes those of this pixel's partners.  Returns what is left
 * over, of the last disparity.
 */
ALWAYS_INLINE uint32_t
keep_right (const Task * t, const uint16_t * sums, uint32_t * right)
{
  const uint32_t done = right[t->k->n - 1];
  VecU32 last = simd_set32 (STEREO_NO_WINNER), index = { 0 };

  for (int i = 0; i < LANES / 2; i++)
    index[i] = (uint32_t) (t->k->first_index + i);
  for (int i = 0; i < t->k->n; i += LANES / 2) {
    VecU32 here = simd_load32 (right + i);

    simd_store32 (right + i, simd_min32 (simd_before32 (last, here),
            simd_widen16 (sums + i) << 16 | index));
    last = here;
    index += LANES / 2;
  }
  return done;
}

/* Left winners of pixels side by side, before they become words: their index,
 * and the sums before, at and behind it. */
typedef struct
{
  uint16_t part[4][CALLED];
} Called;

ALWAYS_INLINE void
call_left (const Task * t, int n, int x, const uint16_t * s, Called * called)
{
  const int best = find_winner (t, n, s), i = x % CALLED;

  called->part[0][i] = (uint16_t) (t->k->first_index + best);
  called->part[1][i] = s[best > 0 ? best - 1 : best];
  called->part[2][i] = s[best];
  called->part[3][i] = s[best + 1 < t->k->n ? best + 1 : best];
}

/* Stores those up to x, which is the last of them. */
static void
store_left (const Task * t, int x, int y, const Called * called)
{
  const StereoSgmResult *result = t->result;
  const int x0 = x / CALLED * CALLED;
  uint32_t words[CALLED];

  if (result->winners == NULL) {
    for (int i = 0; i <= x - x0; i++)
      stereo_store_index (&result->map, result->output, x0 + i, y,
          called->part[0][i]);
    return;
  }
  for (int i = 0; i < CALLED; i += SIMD_LANES32)
    simd_store_i32 (words + i, simd_winner_words (result->winners,
            (VecI32) simd_widen16 (called->part[0] + i),
            (VecI32) simd_widen16 (called->part[1] + i),
            (VecI32) simd_widen16 (called->part[2] + i),
            (VecI32) simd_widen16 (called->part[3] + i)));
  memcpy (result->winners->left + (size_t) y * result->winners->left_stride
      + x0, words, (size_t) (x - x0 + 1) * sizeof (words[0]));
}

static void
store_right (const Task * t, int x, int y, uint32_t word)
{
  if (x >= 0 && x < t->k->width)
    stereo_winner_store_right (t->result->winners, x, y, word);
}

/* A row's winners of both views. */
ALWAYS_INLINE void
find_both_winners (const Task * t, int n, int y, uint32_t * right)
{
  const StereoSgmConstants *k = t->k;
  int d0 = k->min_disparity + k->first_index;
  Called called = { 0 };

  memset (right, 0xff, (size_t) t->n_padded * sizeof (*right));
  for (int x = 0; x < k->width; x++) {
    const uint16_t *s = sums_at (t, x, y);

    call_left (t, n, x, s, &called);
    if (x % CALLED == CALLED - 1 || x == k->width - 1)
      store_left (t, x, y, &called);
    store_right (t, x - d0 - k->n, y, keep_right (t, s, right));
  }
  for (int i = 0; i < k->n; i++)
    store_right (t, k->width - 1 - d0 - i, y, right[i]);
  for (int x = 0; x < -d0 - k->n; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
  for (int x = k->width - d0; x < k->width; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
}

ALWAYS_INLINE void
find_left_winners (const Task * t, int n, int y)
{
  Called called = { 0 };

  for (int x = 0; x < t->k->width; x++) {
    call_left (t, n, x, sums_at (t, x, y), &called);
    if (x % CALLED == CALLED - 1 || x == t->k->width - 1)
      store_left (t, x, y, &called);
  }
}

static void
find_winners (const void *context, StereoSpan span)
{
  const Task *t = context;
  const StereoWinners *winners = t->result->winners;
  uint32_t *right = t->work->right
      + (size_t) span.worker * (size_t) t->n_padded;

  for (int y = t->y0 + span.begin; y < t->y0 + span.end; y++) {
    if (winners != NULL && winners->right != NULL) {
      WITH_VECTORS (t, n, find_both_winners (t, n, y, right));
    } else {
      WITH_VECTORS (t, n, find_left_winners (t, n, y));
    }
  }
}

/* -------------------------------------------------------------------- match */

static VecU16
make_tail (int n)
{
  VecU16 tail;

  for (int i = 0; i < LANES; i++)
    tail[i] = i < n ? UINT16_MAX : 0;
  return tail;
}

/* Of bytes: those that are not at place i of a strip. */
static VecU8
make_strip_mask (int place)
{
  VecU8 mask;

  for (int i = 0; i < SIMD_BYTES; i++)
    mask[i] = i % STEREO_SGM_STRIP == place ? 0 : UINT8_MAX;
  return mask;
}

static StereoStatus
match (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  Task t = {
    .k = k, .views = views, .work = work, .result = result,
    .n_padded = n_padded (k), .n_vectors = (k->n + LANES - 1) / LANES,
    .line = line_elements (k), .row = row_elements (k),
    .band_rows = band_rows (k),
    .n_vertical = vertical_sweeps (k), .n_planes = mirror_planes (k),
    .mirror_stride = mirror_stride (k),
  };
  int abreast = rows_abreast (k);

  if (k->n == 0)
    return stereo_sgm_finish (queue, k, work, result);
  t.tail = make_tail (k->n - (t.n_vectors - 1) * LANES);
  t.likeness = simd_table64 (k->likeness);
  t.not_first = make_strip_mask (0);
  t.not_last = make_strip_mask (STEREO_SGM_STRIP - 1);
  stereo_cpu_for (queue, k->height, 0, mirror_rows, &t);
  look_down_all (queue, &t);
  for (t.band = n_bands (k) - 1; t.band >= 0; t.band--) {
    t.y0 = t.band * t.band_rows;
    t.y1 = t.y0 + t.band_rows < k->height ? t.y0 + t.band_rows : k->height;
    stereo_cpu_for (queue, (t.y1 - t.y0 + abreast - 1) / abreast, 1, do_rows,
        &t);
    sweep_band (queue, &t);
    stereo_cpu_for (queue, t.y1 - t.y0, 0, find_winners, &t);
  }
  return STEREO_OK;
}

const StereoSgmStages SIMD_NAME (stereo_sgm_stages_) = {
  .plan = plan,
  .match = match,
};
