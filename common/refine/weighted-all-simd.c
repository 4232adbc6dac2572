/* gst-stereomatching: SIMD weighted medians of all pixels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Processes adjacent pixels of two rows together.  One vector has a row of all
 * windows: it is loaded once, and each 64-bit lane selects the bytes of its
 * window.  Codes and weights stay in registers.
 */

#include "refine/weighted-simd.h"

#include "image/pixel.h"

#include <string.h>

#define RADIUS STEREO_REFINE_ALL_RADIUS
#define WINDOW (2 * RADIUS + 1)
/* Rows of pixels processed together, and rows of their windows. */
#define PAIR 2
#define ROWS (WINDOW + PAIR - 1)
/* Pixels of a row processed together. */
#define GROUP (SIMD_BYTES / 8)
/* Columns loaded per row, which include all windows. */
#define COLUMNS 16

typedef uint8_t Row8 __attribute__ ((vector_size (COLUMNS)));

/* Addresses of the windows: row v is at v times the strides. */
typedef struct
{
  const uint16_t *codes;
  size_t codes_stride;
  const uint8_t *left[3];
  size_t left_stride;
  const uint8_t *mask;          /* 0 outside the image; stride 3 COLUMNS */
} Source;

/* Lane i gets bytes i to i + 7; the last one is outside the window. */
ALWAYS_INLINE VecU8
slide (Row8 row)
{
#if defined (__AVX512BW__)
  const __m512i places = _mm512_add_epi8 (_mm512_set1_epi64 (
          0x0706050403020100), _mm512_set_epi64 (0x0707070707070707,
          0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
          0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0));

  return (VecU8) _mm512_shuffle_epi8 (_mm512_broadcast_i32x4 ((__m128i) row),
      places);
#elif defined (__AVX2__)
  return (VecU8) _mm256_shuffle_epi8 (_mm256_broadcastsi128_si256 (
          (__m128i) row), _mm256_setr_epi8 (0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4,
          5, 6, 7, 8, 2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 5, 6, 7, 8, 9, 10));
#else
  const VecU64 q = (VecU64) row;

  return (VecU8) (VecU64) { q[0], q[0] >> 8 | q[1] << 56 };
#endif
}

/* All bytes of lane i are byte i + RADIUS. */
ALWAYS_INLINE VecU8
spread_centers (Row8 row)
{
#if defined (__AVX512BW__)
  return (VecU8) _mm512_shuffle_epi8 (_mm512_broadcast_i32x4 ((__m128i) row),
      _mm512_set_epi64 (0x0a0a0a0a0a0a0a0a, 0x0909090909090909,
          0x0808080808080808, 0x0707070707070707, 0x0606060606060606,
          0x0505050505050505, 0x0404040404040404, 0x0303030303030303));
#elif defined (__AVX2__)
  return (VecU8) _mm256_shuffle_epi8 (_mm256_broadcastsi128_si256 (
          (__m128i) row), _mm256_set_epi64x (0x0606060606060606,
          0x0505050505050505, 0x0404040404040404, 0x0303030303030303));
#else
  const uint64_t q = ((VecU64) row)[0], everywhere = 0x0101010101010101;

  return (VecU8) (VecU64) { (q >> 24 & 255) * everywhere,
    (q >> 32 & 255) * everywhere
  };
#endif
}

ALWAYS_INLINE Row8
load_row (const uint8_t * p)
{
  Row8 row;

  memcpy (&row, p, sizeof (row));
  return row;
}

/* The weights of all windows. */
ALWAYS_INLINE void
find_weights (const Source * s, int channels, const SimdTable64 * table,
    bool border, VecU8 weights[WINDOW][PAIR])
{
  const VecU8 last = (VecU8) ((VecU64) { 0 } + 0x00ffffffffffffff);
  VecU8 center[3][PAIR];

  for (int c = 0; c < channels; c++) {
    for (int j = 0; j < PAIR; j++)
      center[c][j] = spread_centers (load_row (s->left[c]
              + (size_t) (RADIUS + j) * s->left_stride));
  }
  for (int v = 0; v < ROWS; v++) {
    VecU8 row[3];

    for (int c = 0; c < channels; c++)
      row[c] = slide (load_row (s->left[c] + (size_t) v * s->left_stride));
    for (int j = 0; j < PAIR; j++) {
      VecU8 most = { 0 };

      if (v < j || v >= j + WINDOW)
        continue;
      for (int c = 0; c < channels; c++)
        most = simd_max8 (most, simd_absdiff8 (row[c], center[c][j]));
      most = simd_table64_get (table, most) & last;
      if (border)
        most &= slide (load_row (s->mask + v * 3 * COLUMNS));
      weights[v - j][j] = most;
    }
  }
}

/* -------------------------------------------------------------------- codes */

/* Codes of a row. */
#if defined (__AVX2__)
typedef __m256i Codes;

ALWAYS_INLINE Codes
load_codes (const Source * s, int v)
{
  return _mm256_loadu_si256 ((const void *) (s->codes
          + (size_t) v * s->codes_stride));
}

/* The lowest and the highest code. */
ALWAYS_INLINE void
find_range (const Codes codes[ROWS], unsigned *low, unsigned *high)
{
  __m256i a = codes[0], b = codes[0];
  __m128i p, q;

  for (int v = 1; v < ROWS; v++) {
    a = _mm256_min_epu16 (a, codes[v]);
    b = _mm256_max_epu16 (b, codes[v]);
  }
  p = _mm_min_epu16 (_mm256_castsi256_si128 (a),
      _mm256_extracti128_si256 (a, 1));
  q = _mm_max_epu16 (_mm256_castsi256_si128 (b),
      _mm256_extracti128_si256 (b, 1));
  *low = (unsigned) _mm_cvtsi128_si32 (_mm_minpos_epu16 (p)) & 0xffff;
  q = _mm_minpos_epu16 (_mm_xor_si128 (q, _mm_set1_epi16 (-1)));
  *high = ~(unsigned) _mm_cvtsi128_si32 (q) & 0xffff;
}

/* ((code - base) >> shift) & 255. */
ALWAYS_INLINE Row8
narrow_codes (Codes codes, unsigned base, int shift)
{
  __m256i v = _mm256_sub_epi16 (codes, _mm256_set1_epi16 ((int16_t) base));

  v = _mm256_srl_epi16 (v, _mm_cvtsi32_si128 (shift));
#if defined (__AVX512BW__)
  return (Row8) _mm256_cvtepi16_epi8 (v);
#else
  v = _mm256_and_si256 (v, _mm256_set1_epi16 (255));
  return (Row8) _mm_packus_epi16 (_mm256_castsi256_si128 (v),
      _mm256_extracti128_si256 (v, 1));
#endif
}
#else
typedef uint16_t Codes __attribute__ ((vector_size (2 * COLUMNS)));

ALWAYS_INLINE Codes
load_codes (const Source * s, int v)
{
  Codes codes;

  memcpy (&codes, s->codes + (size_t) v * s->codes_stride, sizeof (codes));
  return codes;
}

ALWAYS_INLINE void
find_range (const Codes codes[ROWS], unsigned *low, unsigned *high)
{
  Codes a = codes[0], b = codes[0];

  for (int v = 1; v < ROWS; v++) {
    const Codes less = (Codes) (codes[v] < a), more = (Codes) (codes[v] > b);

    a = (codes[v] & less) | (a & ~less);
    b = (codes[v] & more) | (b & ~more);
  }
  *low = a[0];
  *high = b[0];
  for (int i = 1; i < COLUMNS; i++) {
    *low = a[i] < *low ? a[i] : *low;
    *high = b[i] > *high ? b[i] : *high;
  }
}

ALWAYS_INLINE Row8
narrow_codes (Codes codes, unsigned base, int shift)
{
  return __builtin_convertvector ((codes - (uint16_t) base) >> shift, Row8);
}
#endif

/* ------------------------------------------------------------------ medians */

/* Distributes the codes of rows to the windows. */
ALWAYS_INLINE void
pair_codes (const VecU8 rows[ROWS], VecU8 codes[WINDOW][PAIR])
{
  for (int v = 0; v < WINDOW; v++) {
    for (int j = 0; j < PAIR; j++)
      codes[v][j] = rows[v + j];
  }
}

/* The lower bits of codes whose upper bits equal the medians; other codes are
 * moved to the ends of the range. */
ALWAYS_INLINE VecU8
keep_equal (VecU8 upper, VecU8 lower, VecU8 medians)
{
  const VecU8 equal = (VecU8) (upper == medians);
  const VecU8 above = simd_where_greater8 (simd_set8 (UINT8_MAX), upper,
      medians);

  return ((lower & equal) | above) ^ SIMD_ORDER8;
}

/* The medians of GROUP pixels of PAIR rows. */
ALWAYS_INLINE void
weigh_group (const Source * s, int channels, const SimdTable64 * table,
    bool border, uint16_t * const medians[PAIR])
{
  Codes raw[ROWS];
  VecU8 rows[ROWS], codes[WINDOW][PAIR], weights[WINDOW][PAIR], found[PAIR];
  VecU64 half[PAIR] = { {0}, {0} }, result[PAIR];
  unsigned low, high;
  int bits, left;

  for (int v = 0; v < ROWS; v++)
    raw[v] = load_codes (s, v);
  find_range (raw, &low, &high);
  bits = weighted_bits (low, high);
  if (bits == 0) {
    for (int i = 0; i < PAIR * GROUP; i++)
      medians[i / GROUP][i % GROUP] = (uint16_t) low;
    return;
  }
  find_weights (s, channels, table, border, weights);
  for (int j = 0; j < PAIR; j++) {
    for (int v = 0; v < WINDOW; v++)
      half[j] += simd_sum8 (weights[v][j]);
    half[j] >>= 1;
  }
  left = bits > 8 ? bits - 8 : 0;
  for (int v = 0; v < ROWS; v++)
    rows[v] = slide (narrow_codes (raw[v], low, left)) ^ SIMD_ORDER8;
  pair_codes (rows, codes);
  weighted_search (codes[0], weights[0], WINDOW, PAIR, half, bits - left,
      false, found);
  for (int j = 0; j < PAIR; j++)
    result[j] = (VecU64) (found[j] ^ SIMD_ORDER8) & 255;
  if (left > 0) {
    const VecU8 lower = simd_set8 ((uint8_t) ((1 << left) - 1));

    for (int v = 0; v < WINDOW; v++) {
      for (int j = 0; j < PAIR; j++)
        codes[v][j] = keep_equal (codes[v][j],
            slide (narrow_codes (raw[v + j], low, 0)) & lower, found[j]);
    }
    weighted_search (codes[0], weights[0], WINDOW, PAIR, half, left, false,
        found);
    for (int j = 0; j < PAIR; j++)
      result[j] = (result[j] << left)
          + ((VecU64) (found[j] ^ SIMD_ORDER8) & 255);
  }
  for (int j = 0; j < PAIR; j++) {
    for (int i = 0; i < GROUP; i++)
      medians[j][i] = (uint16_t) (low + result[j][i]);
  }
}

/* weigh_group() at the image border, from copies of the rows.  Codes outside
 * are those of the same or the nearest row. */
static void
weigh_border (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, uint16_t * const medians[PAIR])
{
  const StereoRefineConstants *k = job->k;
  const int n = k->width < COLUMNS ? k->width : COLUMNS;
  const int x0 = stereo_clamp_int (x - RADIUS, 0, k->width - n);
  const int first = COLUMNS + x0 - (x - RADIUS);
  uint16_t codes[ROWS][3 * COLUMNS];
  uint8_t left[3][ROWS][3 * COLUMNS], mask[ROWS][3 * COLUMNS] = { 0 };
  Source s = {.codes = codes[0] + COLUMNS,.codes_stride = 3 * COLUMNS,
    .left_stride = 3 * COLUMNS,.mask = mask[0] + COLUMNS
  };

  for (int c = 0; c < k->channels; c++) {
    memset (left[c], 0, sizeof (left[c]));
    s.left[c] = left[c][0] + COLUMNS;
  }
  for (int v = 0; v < ROWS; v++) {
    const int row = stereo_clamp_int (y - RADIUS + v, 0, k->height - 1);
    const uint16_t *from = stereo_map_row (job->map, row) + x0;

    for (int i = 0; i < 3 * COLUMNS; i++)
      codes[v][i] = from[0];
    memcpy (codes[v] + first, from, sizeof (uint16_t) * (size_t) n);
    for (int c = 0; c < k->channels; c++)
      memcpy (left[c][v] + first, job->left->plane[c] + (size_t) row
          * job->left->stride + (size_t) x0, (size_t) n);
    if (row == y - RADIUS + v)
      memset (mask[v] + first, UINT8_MAX, (size_t) n);
  }
  weigh_group (&s, k->channels, table, true, medians);
}

static void
weigh_inside (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, uint16_t * const medians[PAIR])
{
  Source s = {.codes = stereo_map_row (job->map, y - RADIUS) + x - RADIUS,
    .codes_stride = job->map->stride,.left_stride = job->left->stride
  };

  for (int c = 0; c < job->k->channels; c++)
    s.left[c] = job->left->plane[c] + (size_t) (y - RADIUS)
        * job->left->stride + (size_t) (x - RADIUS);
  if (job->k->channels == 1)
    weigh_group (&s, 1, table, false, medians);
  else
    weigh_group (&s, 3, table, false, medians);
}

void
SIMD_NAME (stereo_weigh_all_) (const StereoRefineJob * job, int x, int y,
    int n, uint16_t * const medians[2])
{
  const StereoRefineConstants *k = job->k;
  const SimdTable64 table = simd_table64 (k->weight);
  const bool row_inside = y >= RADIUS && y - RADIUS + ROWS <= k->height;

  for (int i = 0; i < n; i += GROUP) {
    uint16_t *const target[PAIR] = { medians[0] + i, medians[1] + i };

    if (row_inside && x + i >= RADIUS && x + i - RADIUS + COLUMNS <= k->width)
      weigh_inside (job, &table, x + i, y, target);
    else
      weigh_border (job, &table, x + i, y, target);
  }
}
