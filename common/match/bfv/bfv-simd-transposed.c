/* gst-stereomatching: matching of bfv with AVX-512
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One permutation of two vectors fetches the prefix sums at the ends of 32
 * arms: along rows, and after a transposition along columns.
 */

#include "match/bfv/bfv-simd-strip.h"

#if defined (__AVX512BW__)

#include "match/bfv/bfv-simd-costs.h"

#define LANES BFV_LANES
/* The longest arms, in steps. */
#define REACH 16
/* Disparities per group.  Sums are computed for a whole group, then winners,
 * so that all but the first disparity find rows and winners in a cache. */
#define GROUP 4
/* Elements before and after a transposed column. */
#define FRONT 32
#define BACK 64

/* Vectors per 32 winners; the right view has the first three. */
enum
{
  STATE_SUM, STATE_COUNT, STATE_INDEX, RIGHT_STATE,
  STATE_LAST_SUM = RIGHT_STATE, STATE_LAST_COUNT,
  STATE_BEFORE_SUM, STATE_BEFORE_COUNT, STATE_AFTER_SUM, STATE_AFTER_COUNT,
  LEFT_STATE
};

typedef struct
{
  const BfvPixels *pixels;
  uint16_t *left_row_arms;      /* to the left | to the right << 8 */
  uint16_t *right_row_arms;
  uint16_t *left_column_arms;   /* up | down << 8; columns of strip_height */
  uint16_t *right_column_arms;
  uint16_t *prefix;             /* of one row, from element BFV_MARGIN on */
  uint16_t *above_sum;          /* by disparity: blocks of 32 columns of a
                                 * tile, rows x 32 */
  uint16_t *above_count;
  uint16_t *transposed_sum;     /* 32 columns */
  uint16_t *transposed_count;
  uint16_t *left_state;         /* columns of blocks of 32 rows: parts, as
                                 * above */
  uint16_t *right_state;
} Strip;

/* Elements of a block of sums, of all blocks of a tile, of a column. */
ALWAYS_INLINE size_t
block_size (const BfvLayout * l)
{
  return stereo_round_up ((size_t) l->rows, LANES) * LANES;
}

ALWAYS_INLINE size_t
above_size (const BfvLayout * l)
{
  return (size_t) l->tile_width / LANES * block_size (l);
}

ALWAYS_INLINE size_t
column_size (const BfvLayout * l)
{
  return FRONT + stereo_round_up ((size_t) l->rows, LANES) + BACK;
}

static void
allocate_strip (const StereoBfvConstants * k, const BfvLayout * l,
    StereoSubArena * c, Strip * s)
{
  size_t rows = (size_t) l->rows, height = (size_t) l->strip_height;
  size_t left = (size_t) k->grid_width;
  size_t right = (size_t) l->phases * (size_t) l->phase_width;

  s->left_row_arms = stereo_take (c, rows * l->left_stride, 2);
  s->right_row_arms = stereo_take (c, (size_t) l->phases * rows
      * l->arms_stride, 2);
  s->left_column_arms = stereo_take (c, left * height, 2);
  s->right_column_arms = stereo_take (c, right * height, 2);
  s->prefix = stereo_take (c, BFV_MARGIN + l->left_stride + BFV_MARGIN, 2);
  s->above_sum = stereo_take (c, GROUP * above_size (l), 2);
  s->above_count = stereo_take (c, GROUP * above_size (l), 2);
  s->transposed_sum = stereo_take (c, LANES * column_size (l), 2);
  s->transposed_count = stereo_take (c, LANES * column_size (l), 2);
  s->left_state = stereo_take (c, left * height * LEFT_STATE, 2);
  s->right_state = stereo_take (c, right * height * RIGHT_STATE, 2);
}

static void
load_arms (const BfvJob * job, const BfvRows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;

  /* Lanes below the last row read them. */
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
      for (int j = -l->before; j < l->phase_width + l->after; j++) {
        uint32_t arms = bfv_right_arms_at (k, job->m, p, j, v);

        to[j] = (uint16_t) arms;
        if (is_own && j >= 0 && j < l->phase_width)
          s->right_column_arms[((size_t) p * (size_t) l->phase_width
                  + (size_t) j) * height + own] = (uint16_t) (arms >> 16);
      }
    }
  }
}

static const uint16_t lane_numbers[LANES] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
};

/* Ends of arms, as lanes of two vectors that begin REACH elements earlier. */
typedef struct
{
  __m512i first;
  __m512i last;
} Ends;

/* Ends of the overlap of two rows of arms. */
ALWAYS_INLINE Ends
find_ends (const uint16_t * a, const uint16_t * b)
{
  const __m512i lane = _mm512_add_epi16 (_mm512_set1_epi16 (REACH),
      _mm512_loadu_si512 (lane_numbers));
  const __m512i arms = _mm512_min_epu8 (_mm512_loadu_si512 (a),
      _mm512_loadu_si512 (b));

  return (Ends) {
    _mm512_sub_epi16 (lane, _mm512_and_si512 (arms, _mm512_set1_epi16 (0xff))),
    _mm512_add_epi16 (lane, _mm512_srli_epi16 (arms, 8))};
}

/* Sums between the ends; p: prefix sums. */
ALWAYS_INLINE __m512i
sum_between (const uint16_t * p, Ends ends)
{
  return _mm512_sub_epi16 (_mm512_permutex2var_epi16
      (_mm512_loadu_si512 (p), ends.last, _mm512_loadu_si512 (p + 32)),
      _mm512_permutex2var_epi16 (_mm512_loadu_si512 (p - 1), ends.first,
          _mm512_loadu_si512 (p + 31)));
}

/* Inclusive prefix sum of 32 lanes. */
ALWAYS_INLINE __m512i
scan (__m512i v)
{
  /* the last lane of the previous quarter, and of the one before it */
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

ALWAYS_INLINE size_t
above_at (const BfvJob * job, const BfvDisparity * disparity)
{
  return (size_t) (disparity->index - job->k->first_index) % GROUP
      * above_size (job->l);
}

/* Computes the sums above row v + 1 from those above row v. */
ALWAYS_INLINE void
add_row (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows,
    const BfvColumns * columns, int v, const Strip * s, StereoCostKind kind)
{
  const BfvLayout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  size_t block = block_size (l);
  const uint16_t *a = s->left_row_arms + r * l->left_stride;
  const uint16_t *b = s->right_row_arms + ((size_t) disparity->phase
      * (size_t) l->rows + r) * l->arms_stride + l->before - disparity->offset;
  const uint8_t *cost = s->pixels->cost + BFV_MARGIN;
  uint16_t *prefix = s->prefix + BFV_MARGIN;
  size_t above = above_at (job, disparity) + r * LANES;
  const __m512i last = _mm512_set1_epi16 (31);
  const __m512i one = _mm512_set1_epi16 (1);
  __m512i carry = _mm512_setzero_si512 ();
  int begin = columns->first / LANES;
  int n = (columns->end - 1) / LANES + 1;
  int before = begin > 0 ? begin - 1 : 0;

  bfv_cost_row8 (job, disparity, rows, v, before * LANES, (n + 1) * LANES,
      s->pixels, kind);
  for (int i = before; i <= n; i++) {
    __m512i sum = scan (_mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const void *)
                (cost + i * LANES))));

    sum = _mm512_add_epi16 (sum, carry);
    _mm512_storeu_si512 (prefix + i * LANES, sum);
    carry = _mm512_permutexvar_epi16 (last, sum);
  }
  for (int i = begin; i < n; i++) {
    Ends ends = find_ends (a + i * LANES, b + i * LANES);
    __m512i count = _mm512_add_epi16 (_mm512_sub_epi16 (ends.last, ends.first),
        one);
    __m512i sum = sum_between (prefix + i * LANES - REACH, ends);
    uint16_t *to_sum = s->above_sum + above + (size_t) (i - begin) * block;
    uint16_t *to_count = s->above_count + above + (size_t) (i - begin) * block;

    if (r > 0) {
      sum = _mm512_add_epi16 (sum, _mm512_load_si512 (to_sum - LANES));
      count = _mm512_add_epi16 (count, _mm512_load_si512 (to_count - LANES));
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

/* Transposes 32x32 elements; rows of `to` are stride elements apart. */
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

/* Updates winners; returns the lanes where sum / count is less. */
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

/* The same for the left view, with the neighbours of winners.  previous:
 * index - 1. */
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

/* Winners of column u of the grid from transposed sums and counts. */
ALWAYS_INLINE void
match_column (const BfvJob * job, const BfvDisparity * disparity, int n_rows,
    int u, const uint16_t * sums, const uint16_t * counts, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;
  const __m512i index = _mm512_set1_epi16 ((short) disparity->index);
  const __m512i previous = _mm512_set1_epi16 ((short) (disparity->index - 1));
  bool has_partner = u >= disparity->first && u < disparity->end;
  /* without a partner the arms of the first or last column */
  int x = stereo_clamp_int ((u - disparity->offset) * k->sampling_x
      + disparity->phase, 0, k->width - 1);
  size_t partner = (size_t) (x % k->sampling_x) * (size_t) l->phase_width
      + (size_t) (x / k->sampling_x);
  const uint16_t *a = s->left_column_arms + (size_t) u * height;
  const uint16_t *b = s->right_column_arms + partner * height;
  uint16_t *left = s->left_state + (size_t) u * height * LEFT_STATE;
  uint16_t *right = s->right_state + partner * height * RIGHT_STATE;

  for (int r = 0; r < n_rows; r += LANES) {
    Ends ends = find_ends (a + r, b + r);
    __m512i sum = sum_between (sums + r - REACH, ends);
    __m512i count = sum_between (counts + r - REACH, ends);

    compete_left (sum, count, index, previous, left + LEFT_STATE * r);
    if (has_partner)
      compete (sum, count, index, right + RIGHT_STATE * r);
  }
}

ALWAYS_INLINE void
match_columns (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows, const BfvColumns * columns, int u0, const Strip * s)
{
  const BfvLayout *l = job->l;
  size_t transposed = column_size (l);
  size_t offset = above_at (job, disparity)
      + (size_t) (u0 - columns->first) / LANES * block_size (l);
  int before = rows->top - rows->first, n = columns->end - u0;

  for (int r = 0; r < rows->end - rows->first; r += LANES) {
    transpose (s->above_sum + offset + (size_t) r * LANES,
        s->transposed_sum + FRONT + r, transposed);
    transpose (s->above_count + offset + (size_t) r * LANES,
        s->transposed_count + FRONT + r, transposed);
  }
  for (int i = 0; i < n && i < LANES; i++) {
    size_t column = (size_t) i * transposed + FRONT + (size_t) before;

    match_column (job, disparity, rows->bottom - rows->top, u0 + i,
        s->transposed_sum + column, s->transposed_count + column, s);
  }
}

/* Initial states: every candidate is less than 1 / 0; the index has no
 * successor. */
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

static void
store_row (const BfvJob * job, int v, size_t r, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;
  int y = v * k->sampling_y;

  bfv_clear_rows (job, v);
  for (int u = 0; u < k->grid_width; u++) {
    const uint16_t *state = s->left_state + (size_t) u * height * LEFT_STATE;

    stereo_bfv_store_left (k, w, u * k->sampling_x, y, state_at (state, r,
            LEFT_STATE, STATE_INDEX), mean_at (state, r, STATE_BEFORE_SUM),
        mean_at (state, r, STATE_SUM), mean_at (state, r, STATE_AFTER_SUM));
  }
  for (int p = 0; p < l->phases && w->right != NULL; p++) {
    int n = bfv_n_phase_columns (k, p);

    for (int j = 0; j < n; j++) {
      unsigned index = state_at (s->right_state + ((size_t) p
              * (size_t) l->phase_width + (size_t) j) * height * RIGHT_STATE,
          r, RIGHT_STATE, STATE_INDEX);

      stereo_winner_store_right (w, j * k->sampling_x + p, y,
          index >= STEREO_MAX_DISPARITIES ? STEREO_NO_WINNER : index);
    }
  }
}

static void
match_group (const BfvJob * job, int index, const BfvRows * rows,
    const BfvColumns * columns, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  int n = k->end_index - index < GROUP ? k->end_index - index : GROUP;
  BfvDisparity group[GROUP];

  for (int j = 0; j < n; j++)
    bfv_set_disparity (k, index + j, &group[j]);
  for (int v = rows->first; v < rows->end; v++) {
    for (int j = 0; j < n; j++) {
#define ADD_ROW(cost) add_row (job, &group[j], rows, columns, v, s, cost)
      STEREO_FOR_COST (k->cost, ADD_ROW);
#undef ADD_ROW
    }
  }
  for (int i = columns->first; i < columns->end; i += LANES) {
    for (int j = 0; j < n; j++)
      match_columns (job, &group[j], rows, columns, i, s);
  }
}

static void
transposed_match (const BfvJob * job, const BfvRows * rows,
    const BfvPixels * pixels, StereoSubArena memory)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;
  size_t transposed = column_size (l);
  Strip strip = {.pixels = pixels }, *s = &strip;

  allocate_strip (k, l, &memory, s);
  load_arms (job, rows, s);
  clear_states (s->left_state, (size_t) k->grid_width * height, LEFT_STATE);
  clear_states (s->right_state, (size_t) l->phases * (size_t) l->phase_width
      * height, RIGHT_STATE);
  memset (s->transposed_sum, 0, LANES * transposed * 2);
  memset (s->transposed_count, 0, LANES * transposed * 2);
  memset (s->prefix, 0, BFV_MARGIN * 2);

  for (int u = 0; u < k->grid_width; u += l->tile_width) {
    BfvColumns columns = bfv_tile_at (k, l, u);

    for (int index = k->first_index; index < k->end_index; index += GROUP)
      match_group (job, index, rows, &columns, s);
  }

  for (int v = rows->top; v < rows->bottom; v++)
    store_row (job, v, (size_t) (v - rows->top), s);
}

static size_t
transposed_bytes (const StereoBfvConstants * k, const BfvLayout * l)
{
  StereoSubArena arena = { NULL, 0 };
  Strip strip;

  allocate_strip (k, l, &arena, &strip);
  return arena.size;
}

static bool
transposed_supports (const StereoBfvConstants * k, const BfvLayout * l)
{
  return !k->wide && k->cost_threshold <= 255 && l->reach_x <= REACH
      && l->reach_y <= REACH;
}

const BfvMatcher SIMD_NAME (stereo_bfv_transposed_) = {
  .row_multiple = LANES,
  .supports = transposed_supports,
  .bytes = transposed_bytes,
  .match = transposed_match,
};

#else

static bool
transposed_supports (const StereoBfvConstants * k, const BfvLayout * l)
{
  (void) k;
  (void) l;
  return false;
}

const BfvMatcher SIMD_NAME (stereo_bfv_transposed_) = {.supports
    = transposed_supports };

#endif
