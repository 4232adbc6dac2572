/* gst-stereomatching: costs of variable center-biased windows, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/vcbw/vcbw-simd.h"

#include "cost/cost-simd.h"
#include "cost/partner.h"
#include "match/vcbw/vcbw-formula.h"

/* ---------------------------------------------------------- pixels in lanes */

/* Row y of both views; the pointers are NULL with words. */
typedef struct
{
  const StereoMatchFrame *frame;
  int y;
  const uint8_t *left[3];
  const uint8_t *right[3];
} CostRows;

ALWAYS_INLINE CostRows
rows_at (const StereoMatchFrame * frame, int y, StereoCostKind cost)
{
  CostRows r = { .frame = frame, .y = y };
  const int n = stereo_cost_uses_words (cost) ? 0 : stereo_cost_planes (cost);

  for (int c = 0; c < n; c++) {
    r.left[c] = frame->left.plane[c] + (size_t) y * frame->left.stride;
    r.right[c] = frame->right.plane[c] + (size_t) y * frame->right.stride;
  }
  return r;
}

ALWAYS_INLINE VecU16
scale_difference (VecU16 sum, const StereoVcbwConstants * k,
    StereoCostKind cost)
{
  if (stereo_cost_is_color (cost) && k->third)
    sum = sum / 3;
  return simd_min16 (sum, simd_set16 ((unsigned) k->limit))
      * (uint16_t) k->gain;
}

/* D of SIMD_BYTES pixels. */
ALWAYS_INLINE VecU16
cost_vector (const StereoVcbwConstants * k, const CostRows * rows, ptrdiff_t x,
    ptrdiff_t d, StereoCostKind cost)
{
  VecU16 even, odd;

  if (stereo_cost_uses_words (cost)) {
    const VecU8 limit = (VecU8) { 0 } + (uint8_t) k->limit;
    const SimdWords p = simd_words_load (&rows->frame->left_words, (int) x,
        rows->y);
    const SimdWords q = simd_words_load (&rows->frame->right_words,
        (int) (x - d), rows->y);

    /* no byte exceeds 255 */
    return (VecU16) simd_min8 (simd_words_cost (&p, &q), limit)
        * (uint16_t) k->gain;
  }
  simd_difference_sums (rows->left, x, rows->right, x - d,
      stereo_cost_planes (cost), &even, &odd);
  return scale_difference (even, k, cost)
      | scale_difference (odd, k, cost) << 8;
}

ALWAYS_INLINE uint8_t
cost_pixel (const StereoVcbwConstants * k, const CostRows * rows, ptrdiff_t x,
    ptrdiff_t d, StereoCostKind cost)
{
  uint32_t sum = 0;

  if (stereo_cost_uses_words (cost))
    return (uint8_t) stereo_vcbw_scaled (k, stereo_words_cost (
            stereo_word_at (&rows->frame->left_words, (int) x, rows->y),
            stereo_word_at (&rows->frame->right_words, (int) (x - d),
                rows->y)), false);
  for (int c = 0; c < stereo_cost_planes (cost); c++) {
    int difference = rows->left[c][x] - rows->right[c][x - d];

    sum += (uint32_t) (difference < 0 ? -difference : difference);
  }
  return (uint8_t) stereo_vcbw_scaled (k, sum, stereo_cost_is_color (cost));
}

ALWAYS_INLINE void
cost_row_impl (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int from, int to, int y, int d, uint8_t * row, StereoCostKind cost)
{
  const CostRows rows = rows_at (frame, y, cost);
  /* requested columns with a partner */
  int a = stereo_partner_column (k->width, from, d);
  int b = stereo_partner_column (k->width, to, d);
  int x = a;

  /* If none has one, a = b is the nearest column with a partner. */
  if (b < from || a > to) {
    memset (row, cost_pixel (k, &rows, a, d, cost), (size_t) (to - from + 1));
    return;
  }

  for (; x + SIMD_BYTES <= b + 1; x += SIMD_BYTES)
    simd_store16 (row + (x - from), cost_vector (k, &rows, x, d, cost));
  if (x <= b && b + 1 - a >= SIMD_BYTES) {
    x = b + 1 - SIMD_BYTES;
    simd_store16 (row + (x - from), cost_vector (k, &rows, x, d, cost));
    x = b + 1;
  }
  for (; x <= b; x++)
    row[x - from] = cost_pixel (k, &rows, x, d, cost);

  memset (row, row[a - from], (size_t) (a - from));
  memset (row + (b - from) + 1, row[b - from], (size_t) (to - b));
}

void
vcbw_cost_row (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int from, int to, int y, int d, uint8_t * row)
{
#define COST_ROW(cost) cost_row_impl (frame, k, from, to, y, d, row, cost)
  STEREO_FOR_COST (k->cost, COST_ROW);
#undef COST_ROW
}

#if SIMD_HAS_PAIRS
/* ----------------------------------------------------- disparities in lanes */

#define LANES SIMD_BYTES

ALWAYS_INLINE VecU16
interleave_low (VecU8 a, VecU8 b)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_unpacklo_epi8 ((__m512i) a, (__m512i) b);
#else
  return (VecU16) _mm256_unpacklo_epi8 ((__m256i) a, (__m256i) b);
#endif
}

ALWAYS_INLINE VecU16
interleave_high (VecU8 a, VecU8 b)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_unpackhi_epi8 ((__m512i) a, (__m512i) b);
#else
  return (VecU16) _mm256_unpackhi_epi8 ((__m256i) a, (__m256i) b);
#endif
}

/* D of the lanes whose partner is left of the image, or right of it. */
typedef struct
{
  uint8_t before[LANES];
  uint8_t after[LANES];
} LaneEnds;

static void
make_lane_ends (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int d0, int y, LaneEnds * ends)
{
  const StereoWords *l = &frame->left_words;
  const StereoWords *r = &frame->right_words;
  const int last = k->width - 1;

  for (int i = 0; i < LANES; i++) {
    int d = d0 - i;

    ends->before[i] = d < 0 || d > last ? 0
        : (uint8_t) stereo_vcbw_scaled (k, stereo_words_cost (
                stereo_word_at (l, d, y), stereo_word_at (r, 0, y)),
        false);
    ends->after[i] = d > 0 || d < -last ? 0
        : (uint8_t) stereo_vcbw_scaled (k, stereo_words_cost (
                stereo_word_at (l, last + d, y),
                stereo_word_at (r, last, y)), false);
  }
}

/* The planes of row y of both views, in registers. */
typedef struct
{
  const uint8_t *left[4];
  const uint8_t *right[4];
  int d;                        /* of lane 0 */
  int limit;
  int gain;
} LaneRow;

ALWAYS_INLINE LaneRow
find_lane_row (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int y, int d)
{
  const StereoWords *l = &frame->left_words, *r = &frame->right_words;
  LaneRow row = {.d = d,.limit = k->limit,.gain = k->gain };

  for (int i = 0; i < 4; i++) {
    row.left[i] = l->plane[i] + (size_t) y * l->stride;
    row.right[i] = r->plane[i] + (size_t) y * r->stride;
  }
  return row;
}

ALWAYS_INLINE VecU8
lane_cost (const LaneRow * row, int x)
{
  const SimdWords p = simd_words_set_at (row->left, x);
  const SimdWords q = simd_words_load_at (row->right, x - row->d);
  VecU8 cost = simd_words_cost (&p, &q);

  if (row->limit == STEREO_WORDS_MAX_COST)
    return cost;
  /* no byte exceeds 255 */
  return (VecU8) ((VecU16) simd_min8 (cost, simd_set8 ((uint8_t) row->limit))
      * (uint16_t) row->gain);
}

/* The same for any column x, which may have no partner. */
ALWAYS_INLINE VecU8
lane_cost_clamped (const LaneRow * row, int width, int x,
    const LaneEnds * ends)
{
  VecU8 cost = { 0 }, lane, mask;
  int from;

  for (int i = 0; i < LANES; i++)
    lane[i] = (uint8_t) i;
  x = stereo_clamp_int (x, 0, width - 1);
  from = x - row->d;
  if (from > -LANES && from < width)
    cost = lane_cost (row, x);
  mask = (VecU8) (lane < simd_set8 ((uint8_t) stereo_clamp_int (-from, 0,
              LANES)));
  cost = (simd_load8 (ends->before) & mask) | (cost & ~mask);
  mask = (VecU8) (lane < simd_set8 ((uint8_t) stereo_clamp_int (width - from,
              0, LANES)));
  return (cost & mask) | (simd_load8 (ends->after) & ~mask);
}

void
vcbw_lane_costs (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int from, int pairs, int y, int d, VecU16 row[][2])
{
  const int to = from + 2 * pairs - 1;
  const bool inside = from >= 0 && from >= d && to < k->width
      && to - d + LANES <= k->width;
  const LaneRow lanes = find_lane_row (frame, k, y, d);
  LaneEnds ends;

  if (!inside)
    make_lane_ends (frame, k, d, y, &ends);
  for (int i = 0; i < pairs; i++) {
    int x = from + 2 * i;
    VecU8 a = inside ? lane_cost (&lanes, x)
        : lane_cost_clamped (&lanes, k->width, x, &ends);
    VecU8 b = inside ? lane_cost (&lanes, x + 1)
        : lane_cost_clamped (&lanes, k->width, x + 1, &ends);

    row[i][0] = interleave_low (a, b);
    row[i][1] = interleave_high (a, b);
  }
}

#endif
