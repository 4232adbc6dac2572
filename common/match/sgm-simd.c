/* gst-stereomatching: semi-global matching with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Vectors go along the disparities.  The sums of a whole image would be large,
 * so they exist for a band of rows only, or less.  Sweeps down run twice: first
 * over the image, to leave their L at the lower end of every band, then band by
 * band, from the last one up, with all other sweeps.
 *
 * A thread has a band at a time.  It goes over the band to the left, and then
 * from tile to tile to the right: all other sweeps of a tile follow each other
 * while its costs and sums are in the cache, and so do the winners.  L of the
 * sweep to the left is kept where it leaves a tile if the sums are not, and the
 * tile is swept again.  The sweeps up begin where those of the band below have
 * ended, which is a few tiles ahead.  Where diagonals look to the next column,
 * each row of a tile begins a column before that of the row swept before.
 *
 * The right view is mirrored, so that the partners of a pixel lie in the order
 * of their disparities.
 */

#include "match/sgm-simd.h"

#include <limits.h>

#include "core/cpu.h"
#include "core/progress.h"
#include "cost/census-simd.h"
#include "match/sgm-pixel.h"
#include "refine/output.h"
#include "refine/winner-simd.h"

#define LANES (SIMD_BYTES / 2)

/* L where there is no disparity: more than any cost, also with a penalty, in 16
 * bits. */
#define NOWHERE 0xf000

/* Rows of a band and columns of a tile: a strip.  A band of four paths has
 * fewer rows, so that those of several threads fit a cache. */
#define BAND STEREO_SGM_STRIP
#define BAND_OF_PATHS 8
#define TILE STEREO_SGM_STRIP

/* Columns before a tile that its diagonal sweeps look back to. */
#define ASIDE 2

/* Costs and sums of a band are kept if they take so many bytes at most, a
 * processor's cache; with four paths, whose rows fit one alone, if those of all
 * threads do.  Else the last two tiles are, and the sweep to the left runs
 * twice. */
#define KEPT_BYTES (3 << 19)
#define KEPT_OF_PATHS (64 << 20)

/* Vertical and diagonal sweeps, of either direction. */
#define MAX_VERTICAL 3

/* Left winners of a row that are made words together. */
#define CALLED TILE

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

/* Pixels whose L a thread has besides: two rows of a tile for each sweep, what
 * lies aside of it, two columns of the band to the right and to the left, an
 * average. */
#define N_LINES (2 * MAX_VERTICAL * (TILE + ASIDE))
#define N_ASIDE (2 * MAX_VERTICAL * BAND * ASIDE)
#define N_SCRATCH (N_LINES + N_ASIDE + 4 * BAND + 1)

typedef uint8_t HalfU8 __attribute__ ((vector_size (SIMD_BYTES / 2)));

/* What differs from k only by its form, and where the work memory is. */
typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  const StereoSgmWork *work;
  const StereoSgmResult *result;
  int n_threads;
  int n_padded;                 /* bytes of a pixel's costs */
  int n_vectors;                /* of 16-bit lanes */
  size_t line;                  /* elements of a line, n_padded to a pixel */
  size_t row;                   /* of sums and of costs */
  bool keeps;                   /* all sums of a band */
  bool by_rows;                 /* paths to the left and right: at once */
  int column_mask;              /* where those of a column are */
  int n_bands;
  int band_rows;
  int n_tiles;                  /* of a band */
  int skew;                     /* columns from a row's tiles to the next's */
  int n_vertical;               /* sweeps down, and as many up */
  size_t mirror_stride;
  int n_planes;                 /* of the mirrored view */
  VecU16 tail;                  /* lanes of the last vector that count */
  SimdTable64 likeness;
  VecU8 not_first;              /* pixels of strips but the first, the last */
  VecU8 not_last;
} Task;

static int
n_padded (const StereoSgmConstants * k)
{
  return (int) stereo_round_up ((size_t) k->n, 64);
}

static int
band_rows (const StereoSgmConstants * k)
{
  return k->three || k->n_sweeps == 8 ? BAND : BAND_OF_PATHS;
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

/* Whether all sums and costs of a band are kept. */
static bool
keeps_band (const StereoSgmConstants * k, size_t n_threads)
{
  const size_t bytes = line_elements (k) * (size_t) band_rows (k)
      * (sizeof (uint16_t) + 1);

  return bytes <= KEPT_BYTES || (!k->three && k->n_sweeps == 4
      && bytes * n_threads <= KEPT_OF_PATHS);
}

/* Elements from a row of sums, or of costs, to the next one.  Rows side by side
 * are not to fall on the same places of a cache, where many of them collide:
 * they do when this is a multiple of a page. */
static size_t
row_elements (const StereoSgmConstants * k, size_t n_threads)
{
  return (keeps_band (k, n_threads) ? line_elements (k)
      : 2 * TILE * (size_t) n_padded (k)) + 128;
}

static int
vertical_sweeps (const StereoSgmConstants * k)
{
  return k->n_sweeps == 8 ? 3 : 1;
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
  const size_t padded = (size_t) n_padded (k), bands = (size_t) n_bands (k);
  const size_t workers = n_threads, row = row_elements (k, n_threads);
  const size_t down = (size_t) vertical_sweeps (k);

  (void) why;
  stereo_arena_add (arena, (void **) &work->sums, workers * BAND,
      row * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->costs, workers * BAND, row);
  stereo_arena_add (arena, (void **) &work->marks, workers * BAND,
      ((size_t) k->width / TILE + 1) * padded * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->lines, down,
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->checkpoints, (bands - 1) * down,
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->rows,
      (size_t) mirror_planes (k) * (size_t) k->height, mirror_stride (k));
  stereo_arena_add (arena, (void **) &work->differences,
      workers * (size_t) n_kinds (k) * BAND, kind_stride (k));
  stereo_arena_add (arena, (void **) &work->column_costs, workers * TILE,
      padded);
  stereo_arena_add (arena, (void **) &work->right, workers * BAND,
      padded * sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &work->scratch, workers * N_SCRATCH,
      padded * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->progress, bands,
      sizeof (uint32_t));
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

/* -------------------------------------------------------------------- tiles */

/* A band, and the thread that works on it. */
typedef struct
{
  const Task *task;
  int worker;
  int index;                    /* from the top */
  int y0;
  int rows;
  uint16_t least[2][BAND];      /* m of paths to the left, right */
} Band;

static uint16_t *
sums_at (const Band * b, int x, int j)
{
  const Task *t = b->task;

  return t->work->sums + (size_t) (b->worker * BAND + j) * t->row
      + (size_t) (x & t->column_mask) * (size_t) t->n_padded;
}

static uint8_t *
costs_at (const Band * b, int x, int j)
{
  const Task *t = b->task;

  return t->work->costs + (size_t) (b->worker * BAND + j) * t->row
      + (size_t) (x & t->column_mask) * (size_t) t->n_padded;
}

/* What steps of row j of the band depend on: of a neighbour, or with three
 * predecessors of the sweep from it. */
static uint8_t *
kind_at (const Band * b, int kind, int j)
{
  const Task *t = b->task;

  return t->work->differences + (size_t) ((b->worker * n_kinds (t->k) + kind)
      * BAND + j) * kind_stride (t->k);
}

static uint8_t *
weights_at (const Band * b, int from, int predecessor, int j)
{
  return kind_at (b, MAX_VERTICAL * from + predecessor, j);
}

/* What steps of the band's rows depend on: of the sweeps down, or of all. */
static void
find_kinds (const Band * b, bool down)
{
  const Task *t = b->task;
  const int n = t->k->three ? 4 : n_kinds (t->k);

  for (int i = 0; i < n; i++) {
    for (int j = 0; j < b->rows && (!down || neighbors[i].dy < 0); j++) {
      if (t->k->three) {
        uint8_t *const out[] = { weights_at (b, i, 0, j),
          weights_at (b, i, 1, j), weights_at (b, i, 2, j)
        };

        find_weights (t, b->y0 + j, 0, t->k->width, i, out);
      } else {
        find_differences (t, b->y0 + j, 0, t->k->width, i, kind_at (b, i, j));
      }
    }
  }
}

static uint16_t *
scratch_at (const Band * b, int index)
{
  const Task *t = b->task;

  return t->work->scratch + ((size_t) b->worker * N_SCRATCH + (size_t) index)
      * (size_t) t->n_padded;
}

/* L of the row of a tile that is worked on and of the one before, from two
 * columns before the tile on. */
static uint16_t *
line_at (const Band * b, int sweep, int j)
{
  return scratch_at (b, (2 * sweep + (j & 1)) * (TILE + ASIDE));
}

/* L of the last columns of row j in the tile before. */
static uint16_t *
aside_at (const Band * b, bool up, int sweep, int j)
{
  return scratch_at (b, N_LINES + ((up * MAX_VERTICAL + sweep) * BAND + j)
      * ASIDE);
}

/* L of the sweep to the right or to the left: two columns take turns, but the
 * one to the left is kept where it leaves a tile. */
static uint16_t *
strip_at (const Band * b, bool right, int x, int j)
{
  const Task *t = b->task;

  if (right || x % TILE != 0)
    return scratch_at (b, N_LINES + N_ASIDE + (2 * right + (x & 1)) * BAND + j);
  return t->work->marks + (size_t) ((x / TILE * t->n_threads
          + b->worker) * BAND + j) * (size_t) t->n_padded;
}

static uint16_t *
average_at (const Band * b)
{
  return scratch_at (b, N_SCRATCH - 1);
}

/* Columns x0 to x1 - 1 of a row. */
typedef struct
{
  int x0;
  int x1;
} Range;

static Range
clip (const Task * t, int x0, int x1)
{
  return (Range) { x0 < 0 ? 0 : x0, x1 < t->k->width ? x1 : t->k->width };
}

/* Columns of row j in a tile: those of sweeps down, or up. */
static Range
tile_range (const Task * t, int tile, int j, bool up)
{
  int x = tile * TILE - t->skew * (up ? BAND - 1 - j : j);

  return clip (t, x, x + TILE);
}

static size_t
pixels (const Task * t, int n)
{
  return (size_t) n * (size_t) t->n_padded;
}

/* -------------------------------------------------------- horizontal sweeps */

/* m of a pixel's L. */
ALWAYS_INLINE VecU16
least_of (int n, const uint16_t * l)
{
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++)
    least = simd_min16 (least, simd_load16 (l + i * LANES));
  return least_lane (least);
}

/* A column of the band in the sweep to the right or to the left. */
ALWAYS_INLINE void
sweep_column (Band * b, int n, bool three, int x, bool right, Sums what)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int from = right ? WEST : EAST, before = right ? x - 1 : x + 1;
  const size_t stride = kind_stride (k);
  const bool first = before < 0 || before >= k->width;
  const bool least_kept = right || before % TILE != 0;
  const uint8_t *costs = costs_at (b, x, 0);
  const uint8_t *kinds = kind_at (b, three ? MAX_VERTICAL * from : from, 0) + x;
  const uint16_t *a = first ? NULL : strip_at (b, right, before, 0);
  uint16_t *sums = sums_at (b, x, 0), *l = strip_at (b, right, x, 0);

  for (int j = 0; j < b->rows; j++) {
    VecU16 least;

    if (first) {
      least = begin (t, n, costs, l, sums, what);
      b->least[right][j] = least[0];
    } else if (three) {
      const uint8_t wb = kinds[BAND * stride], we = kinds[2 * BAND * stride];

      step_three (t, n, a, wb ? a - t->n_padded : a, we ? a + t->n_padded : a,
          k->penalty[kinds[0]], make_weights (wb, we), costs, average_at (b),
          l, sums, what);
    } else {
      least = least_kept ? simd_set16 (b->least[right][j]) : least_of (n, a);
      least = step (t, n, a, least, k->penalty[kinds[0]], costs, l, sums,
          what);
      b->least[right][j] = least[0];
    }
    costs += t->row;
    sums += t->row;
    kinds += stride;
    l += t->n_padded;
    a = first ? NULL : a + t->n_padded;
  }
}

/* The band's sweep to the right or to the left over some columns. */
ALWAYS_INLINE void
sweep_columns (Band * b, int n, Range r, bool right, Sums what)
{
  for (int i = 0; i < r.x1 - r.x0; i++) {
    const int x = right ? r.x0 + i : r.x1 - 1 - i;

    if (b->task->k->three)
      sweep_column (b, n, true, x, right, what);
    else
      sweep_column (b, n, false, x, right, what);
  }
}

/* The paths of a row to the right and to the left, one of which would wait for
 * itself.  The second one at a pixel adds to the sums of the first. */
ALWAYS_INLINE void
sweep_paths (const Band * b, int n, int j)
{
  const Task *t = b->task;
  const int width = t->k->width;
  VecU16 m[2];

  for (int i = 0; i < width; i++) {
    for (int right = 1; right >= 0; right--) {
      const int x = right ? i : width - 1 - i;
      const uint8_t *costs = costs_at (b, x, j);
      uint16_t *sums = sums_at (b, x, j), *l = strip_at (b, right, 1, j);
      const uint8_t g = kind_at (b, right ? WEST : EAST, j)[x];

      if (i == 0)
        m[right] = begin (t, n, costs, l, sums,
            !right && width == 1 ? MORE_OF_SUMS : FIRST_OF_SUMS);
      else if (2 * i + !right < width)
        m[right] = step (t, n, l, m[right], t->k->penalty[g], costs, l, sums,
            FIRST_OF_SUMS);
      else
        m[right] = step (t, n, l, m[right], t->k->penalty[g], costs, l, sums,
            MORE_OF_SUMS);
    }
  }
}

/* ---------------------------------------------------------- vertical sweeps */

/* L of row y of the sweeps up: of the uppermost row that is done, in each
 * column. */
static uint16_t *
upper_at (const Task * t, int sweep, int x)
{
  return t->work->lines + (size_t) sweep * t->line + pixels (t, x);
}

/* L of a band's last row in the sweeps down. */
static uint16_t *
checkpoint_at (const Task * t, int band, int sweep, int x)
{
  return t->work->checkpoints + (size_t) (band * t->n_vertical + sweep)
      * t->line + pixels (t, x);
}

/* Columns of a row in a sweep down or up: what is read and written from x0 on;
 * before is NULL if there is none. */
typedef struct
{
  Range range;
  const uint8_t *costs;
  uint16_t *sums;
  const uint16_t *before;
  uint16_t *l;
  const uint8_t *kinds[MAX_VERTICAL];
} Row;

ALWAYS_INLINE void
sweep_row (const Band * b, int n, bool three, const Row * r, int dx, Sums what)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const ptrdiff_t pixel = t->n_padded;
  const uint8_t *costs = r->costs;
  uint16_t *sums = r->sums, *l = r->l;
  const uint16_t *before = r->before;

  for (int x = r->range.x0; x < r->range.x1; x++) {
    const int i = x - r->range.x0;

    if (before == NULL || x + dx < 0 || x + dx >= k->width) {
      begin (t, n, costs, l, sums, what);
    } else if (three) {
      const uint8_t wb = r->kinds[1][i], we = r->kinds[2][i];

      step_three (t, n, before, wb ? before - pixel : before,
          we ? before + pixel : before, k->penalty[r->kinds[0][i]],
          make_weights (wb, we), costs, average_at (b), l, sums, what);
    } else {
      const uint16_t *q = before + dx * pixel;

      step (t, n, q, least_of (n, q), k->penalty[r->kinds[0][i]], costs, l,
          sums, what);
    }
    costs += pixel;
    sums = what == NO_SUMS ? NULL : sums + pixel;
    l += pixel;
    before = before == NULL ? NULL : before + pixel;
  }
}

/* The same with constants for the usual numbers of vectors; sums may be NULL.
 */
static void
sweep_any_row (const Band * b, const Row * r, int dx)
{
  const Task *t = b->task;

  if (r->sums == NULL && t->k->three) {
    WITH_VECTORS (t, n, sweep_row (b, n, true, r, dx, NO_SUMS));
  } else if (r->sums == NULL) {
    WITH_VECTORS (t, n, sweep_row (b, n, false, r, dx, NO_SUMS));
  } else if (t->k->three) {
    WITH_VECTORS (t, n, sweep_row (b, n, true, r, dx, MORE_OF_SUMS));
  } else {
    WITH_VECTORS (t, n, sweep_row (b, n, false, r, dx, MORE_OF_SUMS));
  }
}

/* L of row j of a tile in a sweep, at a column of it or aside. */
static uint16_t *
tile_line (const Band * b, int tile, int j, bool up, int sweep, int x)
{
  const Task *t = b->task;
  const int shift = t->skew * (up ? BAND - 1 - j : j);

  return line_at (b, sweep, j) + pixels (t, x - tile * TILE + shift + ASIDE);
}

/* L before row j of the tile, at the column x of that. */
static const uint16_t *
line_before (const Band * b, int tile, int j, bool up, int sweep, int x)
{
  const Task *t = b->task;

  if (up)
    return j + 1 < b->rows ? tile_line (b, tile, j + 1, up, sweep, x)
        : b->index + 1 < t->n_bands ? upper_at (t, sweep, x) : NULL;
  return j > 0 ? tile_line (b, tile, j - 1, up, sweep, x)
      : b->index > 0 ? checkpoint_at (t, b->index - 1, sweep, x) : NULL;
}

/* Has what the next row looks for aside in front of a row, and keeps what the
 * next tile will look for. */
static void
keep_aside (const Band * b, int j, bool up, int sweep)
{
  uint16_t *line = line_at (b, sweep, j), *aside = aside_at (b, up, sweep, j);
  const size_t bytes = pixels (b->task, ASIDE) * sizeof (*line);

  memcpy (line, aside, bytes);
  memcpy (aside, line + pixels (b->task, TILE), bytes);
}

/* Columns of row j of a tile in a sweep down or up, which lie side by side in
 * memory; costs are theirs, without sums, or NULL: those of the band. */
static void
sweep_part (const Band * b, int tile, int j, bool up, int sweep, Range range,
    const uint8_t * costs)
{
  const Task *t = b->task;
  const int x = range.x0, from = up ? SOUTH : NORTH;
  const int predecessor = predecessors[from][sweep];
  Row r = {
    .range = range,
    .costs = costs != NULL ? costs : costs_at (b, x, j),
    .sums = costs != NULL ? NULL : sums_at (b, x, j),
    .before = line_before (b, tile, j, up, sweep, x),
    .l = up && j == 0 ? upper_at (t, sweep, x)
        : costs != NULL && j == t->band_rows - 1
        ? checkpoint_at (t, b->index, sweep, x)
        : tile_line (b, tile, j, up, sweep, x),
  };

  for (int p = 0; p < MAX_VERTICAL && t->k->three; p++)
    r.kinds[p] = weights_at (b, from, p, j) + x;
  if (!t->k->three)
    r.kinds[0] = kind_at (b, predecessor, j) + x;
  sweep_any_row (b, &r, neighbors[predecessor].dx);
}

/* Row j of a tile in the sweeps down or up; costs as for sweep_part(). */
static void
sweep_tile_row (const Band * b, int tile, int j, bool up,
    const uint8_t * costs)
{
  const Task *t = b->task;
  const Range range = tile_range (t, tile, j, up);

  for (int i = 0; i < t->n_vertical; i++) {
    int x1;

    for (int x = range.x0; x < range.x1; x = x1) {
      /* sums of a band that are not kept have room for two tiles */
      x1 = costs != NULL ? range.x1 : (x / (2 * TILE) + 1) * 2 * TILE;
      x1 = x1 < range.x1 ? x1 : range.x1;
      sweep_part (b, tile, j, up, i, (Range) { x, x1 }, costs);
    }
    if (t->skew > 0 && !(up && j == 0))
      keep_aside (b, j, up, i);
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
call_left (const Task * t, int n, int i, const uint16_t * s, Called * called)
{
  const int best = find_winner (t, n, s);

  called->part[0][i] = (uint16_t) (t->k->first_index + best);
  called->part[1][i] = s[best > 0 ? best - 1 : best];
  called->part[2][i] = s[best];
  called->part[3][i] = s[best + 1 < t->k->n ? best + 1 : best];
}

/* Stores those of n pixels from x on. */
static void
store_left (const Task * t, int x, int y, int n, const Called * called)
{
  const StereoSgmResult *result = t->result;
  uint32_t words[CALLED];

  if (result->winners == NULL) {
    for (int i = 0; i < n; i++)
      stereo_store_index (&result->map, result->output, x + i, y,
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
      + x, words, (size_t) n * sizeof (words[0]));
}

static void
store_right (const Task * t, int x, int y, uint32_t word)
{
  if (x >= 0 && x < t->k->width)
    stereo_winner_store_right (t->result->winners, x, y, word);
}

static bool
wants_right (const Task * t)
{
  return t->result->winners != NULL && t->result->winners->right != NULL;
}

static uint32_t *
right_at (const Band * b, int j)
{
  return b->task->work->right + pixels (b->task, b->worker * BAND + j);
}

/* Winners of columns of row j, of both views. */
ALWAYS_INLINE void
find_winners (const Band * b, int n, Range r, int j)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int past = k->min_disparity + k->first_index + k->n;
  const int y = b->y0 + j;
  Called called = { 0 };

  for (int x = r.x0; x < r.x1; x++)
    call_left (t, n, x - r.x0, sums_at (b, x, j), &called);
  store_left (t, r.x0, y, r.x1 - r.x0, &called);
  if (!wants_right (t))
    return;
  for (int x = r.x0; x < r.x1; x++)
    store_right (t, x - past, y, keep_right (t, sums_at (b, x, j),
            right_at (b, j)));
}

/* Right winners of a row that begins, and of one that ends. */
static void
begin_right (const Band * b, int j)
{
  memset (right_at (b, j), 0xff, pixels (b->task, 1) * sizeof (uint32_t));
}

static void
end_right (const Band * b, int j)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int d0 = k->min_disparity + k->first_index, y = b->y0 + j;

  for (int i = 0; i < k->n; i++)
    store_right (t, k->width - 1 - d0 - i, y, right_at (b, j)[i]);
  for (int x = 0; x < -d0 - k->n; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
  for (int x = k->width - d0; x < k->width; x++)
    store_right (t, x, y, STEREO_NO_WINNER);
}

/* -------------------------------------------------------------------- bands */

static Band
get_band (const Task * t, int index, int worker)
{
  const int y0 = index * t->band_rows, height = t->k->height;

  return (Band) {
    .task = t, .worker = worker, .index = index, .y0 = y0,
    .rows = y0 + t->band_rows < height ? t->band_rows : height - y0,
  };
}

/* Waits until another band's tiles have got so far that this one's can be done,
 * which look at the column behind. */
static void
wait_for (const Task * t, int band, int tile)
{
  const int wanted = tile + 1 + t->skew;

  stereo_progress_wait (&t->work->progress[band],
      (uint32_t) (wanted < t->n_tiles ? wanted : t->n_tiles));
}

/* The sweeps down without sums, which leave L of the bands' last rows. */
static void
look_down (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int i = span.begin; i < span.end; i++) {
    const Band b = get_band (t, i, span.worker);

    find_kinds (&b, true);
    for (int tile = 0; tile < t->n_tiles; tile++) {
      if (i > 0)
        wait_for (t, i - 1, tile);
      for (int j = 0; j < t->band_rows; j++) {
        const Range r = tile_range (t, tile, j, false);
        uint8_t *costs = t->work->column_costs + pixels (t, span.worker * TILE);

        if (r.x0 < r.x1)
          find_row_costs (t, r.x0, r.x1, b.y0 + j, costs);
        sweep_tile_row (&b, tile, j, false, costs);
      }
      stereo_progress_reach (&t->work->progress[i], (uint32_t) tile + 1);
    }
  }
}

/* The sweep to the left over the columns of a tile, and their costs. */
static void
sweep_left (Band * b, Range r, bool sums)
{
  const Task *t = b->task;

  for (int j = 0; j < b->rows && r.x0 < r.x1; j++)
    find_row_costs (t, r.x0, r.x1, b->y0 + j, costs_at (b, r.x0, j));
  if (sums) {
    WITH_VECTORS (t, n, sweep_columns (b, n, r, false, FIRST_OF_SUMS));
  } else {
    WITH_VECTORS (t, n, sweep_columns (b, n, r, false, NO_SUMS));
  }
}

/* Costs of the band, and the paths to the left and to the right. */
static void
sweep_rows (const Band * b)
{
  const Task *t = b->task;

  for (int j = 0; j < b->rows; j++) {
    find_row_costs (t, 0, t->k->width, b->y0 + j, costs_at (b, 0, j));
    WITH_VECTORS (t, n, sweep_paths (b, n, j));
  }
}

/* All sweeps of a tile, of which the one to the left has come by, and its
 * winners. */
static void
do_tile (Band * b, int tile)
{
  const Task *t = b->task;
  const int end = (tile + 1) * TILE - t->skew * (BAND - 1);
  const Range across = clip (t, tile * TILE, (tile + 1) * TILE);
  const Range done = clip (t, end - TILE, end);

  if (!t->keeps)
    sweep_left (b, across, true);
  if (!t->by_rows)
    WITH_VECTORS (t, n, sweep_columns (b, n, across, true, MORE_OF_SUMS));
  for (int j = 0; j < b->rows; j++)
    sweep_tile_row (b, tile, j, false, NULL);
  if (b->index + 1 < t->n_bands)
    wait_for (t, b->index + 1, tile);
  for (int j = b->rows - 1; j >= 0; j--)
    sweep_tile_row (b, tile, j, true, NULL);
  for (int j = 0; j < b->rows && done.x0 < done.x1; j++)
    WITH_VECTORS (t, n, find_winners (b, n, done, j));
}

/* A band's sweeps and winners; from the last band up. */
static void
do_bands (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int i = span.begin; i < span.end; i++) {
    Band b = get_band (t, t->n_bands - 1 - i, span.worker);

    find_kinds (&b, false);
    if (t->by_rows) {
      sweep_rows (&b);
    } else {
      for (int x = (t->k->width - 1) / TILE * TILE; x >= 0; x -= TILE)
        sweep_left (&b, clip (t, x, x + TILE), t->keeps);
    }
    for (int j = 0; j < b.rows && wants_right (t); j++)
      begin_right (&b, j);
    for (int tile = 0; tile < t->n_tiles; tile++) {
      do_tile (&b, tile);
      stereo_progress_reach (&t->work->progress[b.index], (uint32_t) tile + 1);
    }
    for (int j = 0; j < b.rows && wants_right (t); j++)
      end_right (&b, j);
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

static void
for_bands (const StereoQueue * queue, int n, StereoPoolBody body,
    const Task * t)
{
  memset (t->work->progress, 0, (size_t) t->n_bands
      * sizeof (*t->work->progress));
  stereo_cpu_for (queue, n, 1, body, t);
}

static StereoStatus
match (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  const int n_threads = stereo_cpu_threads (queue);
  const bool keeps = keeps_band (k, (size_t) n_threads);
  const int skew = k->n_sweeps == 8;
  Task t = {
    .k = k, .views = views, .work = work, .result = result,
    .n_threads = n_threads, .keeps = keeps, .by_rows = keeps && !k->three,
    .column_mask = keeps ? INT_MAX : 2 * TILE - 1,
    .n_padded = n_padded (k), .n_vectors = (k->n + LANES - 1) / LANES,
    .line = line_elements (k), .row = row_elements (k, (size_t) n_threads),
    .n_bands = n_bands (k), .band_rows = band_rows (k), .skew = skew,
    .n_tiles = (k->width + skew * (BAND - 1) + TILE - 1) / TILE,
    .n_vertical = vertical_sweeps (k), .n_planes = mirror_planes (k),
    .mirror_stride = mirror_stride (k),
  };

  if (k->n == 0)
    return stereo_sgm_finish (queue, k, work, result);
  t.tail = make_tail (k->n - (t.n_vectors - 1) * LANES);
  t.likeness = simd_table64 (k->likeness);
  t.not_first = make_strip_mask (0);
  t.not_last = make_strip_mask (STEREO_SGM_STRIP - 1);
  stereo_cpu_for (queue, k->height, 0, mirror_rows, &t);
  for_bands (queue, t.n_bands - 1, look_down, &t);
  for_bands (queue, t.n_bands, do_bands, &t);
  return STEREO_OK;
}

const StereoSgmStages SIMD_NAME (stereo_sgm_stages_) = {
  .plan = plan,
  .match = match,
};
