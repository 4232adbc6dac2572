/* gst-stereomatching: matching of bfv with permutations of vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Permutations fetch the prefix sums at the ends of the arms of a vector of
 * pixels: along rows, and after a transposition along columns.
 */

#include "match/bfv/bfv-simd-strip.h"

#include "match/bfv/bfv-simd-lanes.h"

#if BFV_HAS_LANES

#include "match/bfv/bfv-simd-costs.h"
#include "refine/winner-simd.h"

/* Disparities per group.  Sums are computed for a whole group, then winners,
 * so that all but the first disparity find rows and winners in a cache. */
#define GROUP 4
/* Elements before and after a transposed column. */
#define FRONT 32
#define BACK 64
/* Blocks of LANES columns that arms reach. */
#define REACH_BLOCKS ((BFV_REACH + LANES - 1) / LANES)

/* Vectors per LANES winners; the right view has the first three.  Words of
 * winners take the place of the first two at the end. */
enum
{
  STATE_SUM, STATE_COUNT, STATE_INDEX, RIGHT_STATE,
  STATE_WORDS = STATE_SUM,
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
  uint16_t *above_sum;          /* by disparity: blocks of LANES columns of a
                                 * tile, rows x LANES */
  uint16_t *above_count;
  uint16_t *transposed_sum;     /* LANES columns */
  uint16_t *transposed_count;
  uint16_t *left_state;         /* columns of blocks of LANES rows: parts, as
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

/* The overlap of two rows of arms. */
ALWAYS_INLINE VecU16
overlap_arms (const uint16_t * a, const uint16_t * b)
{
  return (VecU16) simd_min8 ((VecU8) simd_load16 (a), (VecU8) simd_load16 (b));
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
  uint16_t *to_sum = s->above_sum + above, *to_count = s->above_count + above;
  VecU16 carry = { 0 };
  int begin = columns->first / LANES;
  int n = (columns->end - 1) / LANES + 1;
  int before = begin > 0 ? begin - REACH_BLOCKS : 0;
  int after = n + REACH_BLOCKS;

  bfv_cost_row8 (job, disparity, rows, v, before * LANES, after * LANES,
      s->pixels, kind);
  for (int i = before; i < after; i++) {
    VecU16 sum = bfv_scan (simd_widen8 (cost + i * LANES));

    simd_store16 (prefix + i * LANES, sum + carry);
    carry += bfv_spread_last (sum);
  }
  for (int i = begin; i < n; i++, to_sum += block, to_count += block) {
    VecU16 arms = overlap_arms (a + i * LANES, b + i * LANES);
    VecU16 count = (arms & 0xff) + (arms >> 8) + 1;
    VecU16 sum = bfv_sum_between (prefix + i * LANES, bfv_find_ends (arms));

    if (r > 0) {
      sum += simd_load16 (to_sum - LANES);
      count += simd_load16 (to_count - LANES);
    }
    simd_store16 (to_sum, sum);
    simd_store16 (to_count, count);
  }
}

/* Transposes LANES x LANES elements; rows of `to` are stride elements apart. */
ALWAYS_INLINE void
transpose (const uint16_t * from, uint16_t * to, size_t stride)
{
  for (int g = 0; g < LANES / 8; g++) {
    VecU16 v[8];
    BfvPair t[4], u[4];

    for (int i = 0; i < 8; i++)
      v[i] = bfv_load_rows (from + 8 * g + i * LANES);
    for (int i = 0; i < 4; i++)
      t[i] = bfv_zip16 (v[2 * i], v[2 * i + 1]);
    /* columns 0 and 1, 2 and 3, ... of rows 0 to 3 (low) and 4 to 7 */
    for (int i = 0; i < 2; i++) {
      u[i] = bfv_zip32 (t[2 * i].low, t[2 * i + 1].low);
      u[2 + i] = bfv_zip32 (t[2 * i].high, t[2 * i + 1].high);
    }
    for (int i = 0; i < 4; i++) {
      const BfvPair *half = &u[i & 2];
      const BfvPair columns = i & 1 ? bfv_zip64 (half[0].high, half[1].high)
          : bfv_zip64 (half[0].low, half[1].low);
      uint16_t *column = to + (size_t) (8 * g + 2 * i) * stride;

      simd_store16 (column, columns.low);
      simd_store16 (column + stride, columns.high);
    }
  }
}

ALWAYS_INLINE VecU16
get_part (const uint16_t * state, int part)
{
  return simd_load16 (state + part * LANES);
}

ALWAYS_INLINE void
put_part (uint16_t * state, int part, SimdMask16 where, VecU16 v)
{
  simd_store16 (state + part * LANES, simd_select16 (where, v, get_part (state,
              part)));
}

/* Updates winners; returns the lanes where sum / count is less. */
ALWAYS_INLINE SimdMask16
compete (VecU16 sum, VecU16 count, VecU16 index, uint16_t * state)
{
  const VecU16 best = get_part (state, STATE_SUM);
  const VecU16 best_count = get_part (state, STATE_COUNT);
  /* High halves of products are below the count, so that they can be compared
   * as signed, after the borrow of a difference of products. */
  const SimdMask16 borrow = simd_mask_less16 (sum * best_count, best * count);
  const SimdMask16 less = simd_mask_greater_i16 ((VecI16) simd_add_where16
      (borrow, bfv_multiply_high (best, count), simd_set16 (1)),
      (VecI16) bfv_multiply_high (sum, best_count));

  put_part (state, STATE_SUM, less, sum);
  put_part (state, STATE_COUNT, less, count);
  put_part (state, STATE_INDEX, less, index);
  return less;
}

/* The same for the left view, with the neighbours of winners. */
ALWAYS_INLINE void
compete_left (VecU16 sum, VecU16 count, VecU16 index, uint16_t * state)
{
  const SimdMask16 won = simd_mask_equal16 (index - 1, get_part (state,
          STATE_INDEX));
  SimdMask16 less;

  put_part (state, STATE_AFTER_SUM, won, sum);
  put_part (state, STATE_AFTER_COUNT, won, count);
  less = compete (sum, count, index, state);
  put_part (state, STATE_BEFORE_SUM, less, get_part (state, STATE_LAST_SUM));
  put_part (state, STATE_BEFORE_COUNT, less, get_part (state,
          STATE_LAST_COUNT));
  simd_store16 (state + STATE_LAST_SUM * LANES, sum);
  simd_store16 (state + STATE_LAST_COUNT * LANES, count);
}

/* Winners of column u of the grid from transposed sums and counts. */
ALWAYS_INLINE void
match_column (const BfvJob * job, const BfvDisparity * disparity, int n_rows,
    int u, const uint16_t * sums, const uint16_t * counts, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;
  const VecU16 index = simd_set16 ((uint16_t) disparity->index);
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
    BfvEnds ends = bfv_find_ends (overlap_arms (a + r, b + r));
    VecU16 sum = bfv_sum_between (sums + r, ends);
    VecU16 count = bfv_sum_between (counts + r, ends);

    compete_left (sum, count, index, left + LEFT_STATE * r);
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
    simd_store16 (state + i + STATE_SUM * LANES, simd_set16 (1));
    simd_store16 (state + i + STATE_COUNT * LANES, simd_set16 (0));
    simd_store16 (state + i + STATE_INDEX * LANES, simd_set16 (0xfffe));
  }
}

/* stereo_bfv_quotient() of SIMD_LANES32 sums; 0 with no count. */
ALWAYS_INLINE VecI32
quotients (const StereoBfvConstants * k, const uint16_t * sum)
{
  const uint16_t *count = sum + LANES;
  const VecI32 a = (VecI32) simd_widen16 (sum) << k->shift;
  const VecI32 n = (VecI32) simd_widen16 (count);
  const VecI32 divisor = n - (n == 0);
  /* Quotients are below 2^16: this is off by at most 1. */
  const VecI32 q = __builtin_convertvector (simd_to_f32 (a)
      / simd_to_f32 (divisor), VecI32);
  const VecI32 rest = a - q * divisor;

  return q + (rest < 0) - (rest >= divisor);
}

/* As stereo_bfv_store_left(), words of SIMD_LANES32 states. */
ALWAYS_INLINE VecI32
words_of (const StereoBfvConstants * k, const StereoWinners * w,
    const uint16_t * state)
{
  const VecI32 index = (VecI32) simd_widen16 (state + STATE_INDEX * LANES);
  const VecI32 none = (VecI32) { 0 } + (int32_t) STEREO_BFV_NO_COST;
  const VecI32 alone = (VecI32) { 0 } - (k->sampling_x != 1);
  const VecI32 first = index == k->first_index;
  const VecI32 last = index == k->end_index - 1;
  const VecI32 c = quotients (k, state + STATE_SUM * LANES);
  const VecI32 a = simd_winner_select (alone | first, none,
      quotients (k, state + STATE_BEFORE_SUM * LANES));
  const VecI32 b = simd_winner_select (alone | last, none,
      quotients (k, state + STATE_AFTER_SUM * LANES));
  const VecI32 before = simd_winner_select (first,
      simd_winner_select (last, c, b), a);
  const VecI32 after = simd_winner_select (last,
      simd_winner_select (first, c, a), b);

  return simd_winner_words (w, index, a, c, b,
      simd_winner_select (before < after, before, after));
}

static void
make_words (const BfvJob * job, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const size_t n = (size_t) k->grid_width * (size_t) job->l->strip_height;

  for (size_t i = 0; i < n; i += LANES) {
    uint16_t *state = s->left_state + i * LEFT_STATE;
    int32_t words[LANES];

    for (int j = 0; j < LANES; j += SIMD_LANES32)
      simd_store_i32 (words + j, words_of (k, job->winners, state + j));
    memcpy (state + STATE_WORDS * LANES, words, sizeof (words));
  }
}

/* A part of the states of a column around row r. */
ALWAYS_INLINE const uint16_t *
part_at (const uint16_t * state, size_t r, size_t parts, size_t part)
{
  return state + (r / LANES * parts + part) * LANES;
}

/* The word of row r of a column of left states. */
ALWAYS_INLINE uint32_t
word_at (const uint16_t * state, size_t r)
{
  uint32_t word;

  memcpy (&word, part_at (state, r, LEFT_STATE, STATE_WORDS) + r % LANES * 2,
      sizeof (word));
  return word;
}

static void
store_row (const BfvJob * job, int v, size_t r, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const BfvLayout *l = job->l;
  size_t height = (size_t) l->strip_height;
  int y = v * k->sampling_y;
  uint32_t *left = w->left + (size_t) y * w->left_stride;

  bfv_clear_rows (job, v);
  for (int u = 0; u < k->grid_width; u++)
    left[u * k->sampling_x] = word_at (s->left_state + (size_t) u * height
        * LEFT_STATE, r);
  for (int p = 0; p < l->phases && w->right != NULL; p++) {
    int n = bfv_n_phase_columns (k, p);

    for (int j = 0; j < n; j++) {
      const uint16_t *state = s->right_state + ((size_t) p
          * (size_t) l->phase_width + (size_t) j) * height * RIGHT_STATE;
      unsigned index = part_at (state, r, RIGHT_STATE, STATE_INDEX)[r % LANES];

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

  make_words (job, s);
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
  return !k->wide && k->cost_threshold <= 255 && l->reach_x <= BFV_REACH
      && l->reach_y <= BFV_REACH;
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
