/* gst-stereomatching: SIMD weighted medians of holes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Holes are scattered, so their windows are copied to vectors, 16 bytes per row
 * of a window.  The ranges of codes are computed for whole rows of pixels.
 * Holes are queued by the number of bits of their range until a group is full.
 * If all codes of a window are equal, the median is that code.
 */

#include "refine/weighted-simd.h"

#include "image/pixel.h"

#include <string.h>

#define LANES (SIMD_BYTES / 2)
#define RADIUS STEREO_REFINE_FILLED_RADIUS
#define WINDOW (2 * RADIUS + 1)
/* Columns loaded per row of a window. */
#define COLUMNS 16
/* Vectors, and holes, processed together. */
#define VECTORS 2
#define GROUP (VECTORS * SIMD_BYTES / COLUMNS)

/* ------------------------------------------------------------------- ranges */

#define CHUNK 256

/* The lowest and highest codes of the windows around columns. */
typedef struct
{
  uint16_t low[CHUNK + 2 * RADIUS + 2 * LANES];
  uint16_t high[CHUNK + 2 * RADIUS + 2 * LANES];
} Ranges;

/* Extends the ranges of n elements, and of up to LANES - 1 more, by those at a
 * distance. */
ALWAYS_INLINE void
widen_ranges (Ranges * r, int n, int distance)
{
  for (int i = 0; i < n; i += LANES) {
    simd_store16 (r->low + i, simd_min16 (simd_load16 (r->low + i),
            simd_load16 (r->low + i + distance)));
    simd_store16 (r->high + i, simd_max16 (simd_load16 (r->high + i),
            simd_load16 (r->high + i + distance)));
  }
}

/* The ranges of n columns from x on, of row y. */
static void
find_ranges (const StereoRefineJob * job, int x, int y, int n, Ranges * r)
{
  const StereoMap *map = job->map;
  const int y0 = y > RADIUS ? y - RADIUS : 0;
  const int y1 = y + RADIUS < job->k->height ? y + RADIUS
      : job->k->height - 1;
  const int x0 = x > RADIUS ? x - RADIUS : 0;
  const int x1 = x + n + RADIUS < job->k->width ? x + n + RADIUS
      : job->k->width;
  const int first = x0 - (x - RADIUS);

  for (int i = 0; i < first; i++) {
    r->low[i] = UINT16_MAX;
    r->high[i] = 0;
  }
  for (int i = 0; i < x1 - x0; i += LANES) {
    const uint16_t *codes = stereo_map_row (map, y0) + x0 + i;
    VecU16 low = simd_load16 (codes), high = low;

    for (int v = y0 + 1; v <= y1; v++) {
      const VecU16 code = simd_load16 (codes += map->stride);

      low = simd_min16 (low, code);
      high = simd_max16 (high, code);
    }
    simd_store16 (r->low + first + i, low);
    simd_store16 (r->high + first + i, high);
  }
  for (int i = first + x1 - x0; i < n + 2 * RADIUS; i++) {
    r->low[i] = UINT16_MAX;
    r->high[i] = 0;
  }
  /* over 2, 4, 8 and all 15 columns */
  widen_ranges (r, n + 13, 1);
  widen_ranges (r, n + 11, 2);
  widen_ranges (r, n + 7, 4);
  widen_ranges (r, n, 7);
}

/* ------------------------------------------------------------------- groups */

typedef struct
{
  int x;
  int y;
  uint16_t low;                 /* lowest code of the window */
} Hole;

/* Queue of holes with the same number of bits. */
typedef struct
{
  int n;
  Hole hole[GROUP];
} HoleQueue;

/* The windows of a group. */
typedef struct
{
  VecU8 row[WINDOW][VECTORS];
} Windows;

/* Row v of window i. */
ALWAYS_INLINE uint8_t *
window_row (Windows * w, int v, int i)
{
  return (uint8_t *) w->row[v] + i * COLUMNS;
}

typedef struct
{
  const StereoRefineJob *job;
  SimdTable64 table;
  int window;                   /* WINDOW, as a variable: unrolling the loop
                                 * would exceed the registers */
  HoleQueue queues[17];          /* by bits */
  Windows weights;
  Windows codes;
} State;

/* First columns and rows of the windows, inside the image. */
typedef struct
{
  int x[GROUP];
  int y[GROUP];
} Places;

static Places
find_places (const State * s, const Hole * hole)
{
  const StereoRefineConstants *k = s->job->k;
  Places p;

  for (int i = 0; i < GROUP; i++) {
    p.x[i] = stereo_clamp_int (hole[i].x - RADIUS, 0, k->width - COLUMNS);
    p.y[i] = stereo_clamp_int (hole[i].y - RADIUS, 0, k->height - WINDOW);
  }
  return p;
}

static void
copy_windows (const State * s, const uint8_t * plane, const Places * places,
    Windows * target)
{
  const size_t stride = s->job->left->stride;

  for (int i = 0; i < GROUP; i++) {
    const uint8_t *p = plane + (size_t) places->y[i] * stride + places->x[i];

    for (int v = 0; v < WINDOW; v++, p += stride)
      memcpy (window_row (target, v, i), p, COLUMNS);
  }
}

/* Sets all bits of the columns of the window. */
static void
mask_columns (const Hole * hole, const Places * places,
    uint8_t mask[GROUP][COLUMNS])
{
  for (int i = 0; i < GROUP; i++) {
    const int first = hole[i].x - RADIUS - places->x[i];

    for (int j = 0; j < COLUMNS; j++)
      mask[i][j] = j >= first && j < first + WINDOW ? UINT8_MAX : 0;
  }
}

/* Clears the weights of rows outside the window. */
static void
clear_rows (State * s, const Hole * hole, const Places * places)
{
  for (int i = 0; i < GROUP; i++) {
    const int first = hole[i].y - RADIUS - places->y[i];

    for (int v = 0; v < WINDOW && first != 0; v++) {
      if (v < first || v >= first + WINDOW)
        memset (window_row (&s->weights, v, i), 0, COLUMNS);
    }
  }
}

static void
find_weights (State * s, const Hole * hole, const Places * places)
{
  const StereoView *left = s->job->left;
  const int channels = s->job->k->channels;
  uint8_t mask[GROUP][COLUMNS], centers[GROUP][COLUMNS];
  Windows copy;

  mask_columns (hole, places, mask);
  for (int c = 0; c < channels; c++) {
    copy_windows (s, left->plane[c], places, &copy);
    for (int i = 0; i < GROUP; i++)
      memset (centers[i], left->plane[c][(size_t) hole[i].y * left->stride
              + (size_t) hole[i].x], COLUMNS);
    for (int v = 0; v < WINDOW; v++) {
      for (int j = 0; j < VECTORS; j++) {
        const int i = j * GROUP / VECTORS;
        VecU8 most = simd_absdiff8 (copy.row[v][j], simd_load8 (centers[i]));

        if (c > 0)
          most = simd_max8 (most, s->weights.row[v][j]);
        if (c == channels - 1)
          most = simd_table64_get (&s->table, most) & simd_load8 (mask[i]);
        s->weights.row[v][j] = most;
      }
    }
  }
  clear_rows (s, hole, places);
}

/* (code - base) >> shift of a row of a window, clamped to 0 to 255, XORed with
 * SIMD_ORDER8. */
ALWAYS_INLINE void
narrow_codes (const uint16_t * code, uint16_t base, int shift,
    uint8_t * target)
{
#if defined (__AVX2__)
  __m256i v = _mm256_loadu_si256 ((const void *) code);
  __m128i bytes;

  v = _mm256_subs_epu16 (v, _mm256_set1_epi16 ((int16_t) base));
  v = _mm256_srl_epi16 (v, _mm_cvtsi32_si128 (shift));
#if defined (__AVX512BW__)
  bytes = _mm256_cvtusepi16_epi8 (v);
#else
  v = _mm256_min_epu16 (v, _mm256_set1_epi16 (255));
  bytes = _mm_packus_epi16 (_mm256_castsi256_si128 (v),
      _mm256_extracti128_si256 (v, 1));
#endif
  _mm_storeu_si128 ((void *) target,
      _mm_xor_si128 (bytes, _mm_set1_epi8 ((char) SIMD_ORDER8)));
#else
  for (int j = 0; j < COLUMNS; j++) {
    const unsigned above = code[j] > base ? (code[j] - base) >> shift : 0;

    target[j] = (uint8_t) ((above < 255 ? above : 255) ^ SIMD_ORDER8);
  }
#endif
}

static void
find_codes (State * s, const Places * places, const uint16_t * base,
    int shift)
{
  const StereoMap map = *s->job->map;

  for (int i = 0; i < GROUP; i++) {
    const uint16_t *p = stereo_map_row (&map, places->y[i]) + places->x[i];

    for (int v = 0; v < WINDOW; v++, p += map.stride)
      narrow_codes (p, base[i], shift, window_row (&s->codes, v, i));
  }
}

/* The medians of State.codes. */
static void
search (State * s, const VecU64 * half, int bits, uint8_t * medians)
{
  VecU8 found[VECTORS];
  uint8_t bytes[GROUP][COLUMNS];

  weighted_search (s->codes.row[0], s->weights.row[0], s->window, VECTORS,
      half, bits, true, found);
  memcpy (bytes, found, sizeof (bytes));
  for (int i = 0; i < GROUP; i++)
    medians[i] = bytes[i][0] ^ SIMD_ORDER8;
}

/* The medians of a group; bits is that of the largest range. */
static void
weigh_group (State * s, const Hole * hole, int bits)
{
  const StereoMap *target = &s->job->work->weighted;
  const Places places = find_places (s, hole);
  VecU64 half[VECTORS] = { {0}, {0} };
  uint16_t base[GROUP];
  uint8_t medians[GROUP];

  find_weights (s, hole, &places);
  for (int v = 0; v < WINDOW; v++) {
    for (int j = 0; j < VECTORS; j++)
      half[j] += simd_sum8 (s->weights.row[v][j]);
  }
  for (int j = 0; j < VECTORS; j++)
    half[j] = simd_add_pairs64 (half[j]) >> 1;
  for (int i = 0; i < GROUP; i++)
    base[i] = hole[i].low;
  for (int left = bits; left > 0;) {
    const int now = left < 8 ? left : 8;

    left -= now;
    find_codes (s, &places, base, left);
    search (s, half, now, medians);
    for (int i = 0; i < GROUP; i++)
      base[i] = (uint16_t) (base[i] + (medians[i] << left));
  }
  for (int i = 0; i < GROUP; i++)
    stereo_map_row (target, hole[i].y)[hole[i].x] = base[i];
}

/* ---------------------------------------------------------------- all holes */

static void
add_hole (State * s, Hole hole, int bits)
{
  HoleQueue *w = &s->queues[bits];

  w->hole[w->n++] = hole;
  if (w->n == GROUP) {
    weigh_group (s, w->hole, bits);
    w->n = 0;
  }
}

/* Processes the remaining holes, in groups of mixed ranges. */
static void
finish_holes (State * s)
{
  HoleQueue rest = { 0 };
  int most = 0;

  for (int bits = 1; bits <= 16; bits++) {
    for (int i = 0; i < s->queues[bits].n; i++) {
      rest.hole[rest.n++] = s->queues[bits].hole[i];
      most = bits;
      if (rest.n == GROUP) {
        weigh_group (s, rest.hole, most);
        rest.n = 0;
      }
    }
  }
  if (rest.n == 0)
    return;
  for (int i = rest.n; i < GROUP; i++)
    rest.hole[i] = rest.hole[0];
  weigh_group (s, rest.hole, most);
}

static void
weigh_chunk (State * s, int x, int y, int n)
{
  const StereoRefineJob *job = s->job;
  const uint16_t *map = stereo_map_row (&job->work->map, y) + x;
  uint16_t *target = stereo_map_row (&job->work->weighted, y) + x;
  uint64_t holes[CHUNK / 64] = { 0 }, any = 0;
  Ranges r;

  for (int i = 0; i < n; i += LANES)
    holes[i / 64] |= (uint64_t) simd_mask_bits16 (simd_mask_equal16
        (simd_load16 (map + i), simd_set16 (STEREO_INVALID))) << (i % 64);
  if (n % 64 != 0)
    holes[n / 64] &= ~0ull >> (64 - n % 64);
  for (int i = 0; i < CHUNK / 64; i++)
    any |= holes[i];
  if (any == 0)
    return;
  find_ranges (job, x, y, n, &r);
  for (int w = 0; w < CHUNK / 64; w++) {
    for (uint64_t mask = holes[w]; mask != 0; mask &= mask - 1) {
      const int i = 64 * w + __builtin_ctzll (mask);
      const int bits = weighted_bits (r.low[i], r.high[i]);

      if (bits == 0)
        target[i] = r.low[i];
      else
        add_hole (s, (Hole) { x + i, y, r.low[i] }, bits);
    }
  }
}

void
SIMD_NAME (stereo_weigh_holes_) (const StereoRefineJob * job, StereoSpan rows)
{
  const int width = job->k->width;
  State s = {.job = job,.table = simd_table64 (job->k->weight),
    .window = WINDOW
  };

  for (int y = rows.begin; y < rows.end; y++) {
    for (int x = 0; x < width; x += CHUNK)
      weigh_chunk (&s, x, y, width - x < CHUNK ? width - x : CHUNK);
  }
  finish_holes (&s);
}
