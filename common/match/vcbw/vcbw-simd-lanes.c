/* gst-stereomatching: variable windows with one disparity per lane
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A vector holds the costs of one pixel for SIMD_BYTES neighbouring disparities
 * in descending order, so that the partners of all lanes are adjacent in the
 * right view.  Averages then combine whole vectors without unaligned loads,
 * vectors in registers serve several averages, and C of a pixel gives its
 * winner at once.
 *
 * Threads process bands of rows, tile by tile from left to right.  For each
 * chunk of SIMD_BYTES disparities a thread goes down a tile in steps of STEP
 * rows: D of two rows, their H, which stay in a ring while V needs them, V,
 * C and the winners of both views.
 *
 * simd_pairs() takes two columns or rows at a time, an even one and the next
 * odd one; weights depend on the parity of the pixel.  16-bit values of all
 * lanes are in two vectors, in the order in which bytes interleave: lanes 0-7,
 * 16-23, ... in the first one, lanes 8-15, 24-31, ... in the second one.
 */

#include "match/vcbw/vcbw-simd.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "refine/winner-simd.h"

#if SIMD_HAS_PAIRS

#define LANES SIMD_BYTES
#define TILE_WIDTH 64
#define MAX_BAND_HEIGHT 144
#define MIN_BAND_HEIGHT 64
/* The maximum reach of H in columns and of V in rows, to each side. */
#define ROW_PAIRS 9
#define COLUMN_PAIRS 7
#define ROW_REACH (2 * (ROW_PAIRS - 1))
#define COLUMN_REACH (2 * (COLUMN_PAIRS - 1))
#define COST_PAIRS (TILE_WIDTH / 2 + ROW_REACH)
/* Rows and columns processed at a time, and steps in the ring. */
#define STEP 8
#define STEP_PAIRS (STEP / 2)
#define STEP_COLUMNS 8
#define RING ((STEP + 2 * COLUMN_REACH) / STEP)
/* Columns outside the right view at each end that lanes may represent. */
#define RIGHT_MARGIN (2 * TILE_WIDTH + LANES)

enum
{
  LEFT_SIDE, RIGHT_SIDE
};

/* H of both sides and both halves of the lanes; the bytes of a lane are this
 * row and the next one. */
typedef struct
{
  VecU16 side[2][2];
} Means;

/* Right winners of all lanes, in two halves. */
typedef struct
{
  VecU16 cost[2];
  VecU16 index[2];
} RightState;

/* Current winners of the left view, C of their neighbours, and C of the last
 * disparity of the previous chunk.  With uniqueness: second minimum, and in
 * others the lowest C but for that last disparity. */
#define BAND_PIXELS (MAX_BAND_HEIGHT * TILE_WIDTH)
typedef struct
{
  uint16_t cost[BAND_PIXELS];
  uint16_t index[BAND_PIXELS];
  uint16_t before[BAND_PIXELS];
  uint16_t after[BAND_PIXELS];
  uint16_t last[BAND_PIXELS];
  uint16_t second[BAND_PIXELS];
  uint16_t others[BAND_PIXELS];
} LeftBest;

/* Memory of a thread. */
typedef struct
{
  /* D of two rows: pairs of columns, both halves of the lanes. */
  VecU16 cost[2][COST_PAIRS][2];
  Means ring[RING][TILE_WIDTH][STEP_PAIRS];
  /* C */
  VecU16 window[STEP][STEP_COLUMNS][2];
  RightState right[STEP];
  LeftBest left;
} Scratch;

/* Current winners of the right view, for the rows of a band. */
typedef struct
{
  uint16_t *data;               /* or NULL */
  size_t pitch;                 /* of a row of costs; indices follow */
} RightBest;

/* Weights of pairs in all lanes by the parity of the pixel: for pairs from the
 * pixel on, and for pairs up to the pixel. */
typedef struct
{
  VecU16 forward[2][ROW_PAIRS];
  VecU16 backward[2][ROW_PAIRS];
} Taps;

typedef struct
{
  const StereoMatchFrame *frame;
  const StereoVcbwConstants *k;
  Taps row;
  Taps column;
  VcbwPenalties penalties;
  VecU16 numbers[2];            /* of the lanes */
  int band_height;
  uint8_t *memory;
  size_t worker_bytes;
} LanesJob;

/* A chunk of disparities in a tile.  Lane i is disparity d - i. */
typedef struct
{
  int x;
  int width;
  int y;                        /* the band's */
  int height;
  int first;                    /* index of the last lane */
  int end;                      /* the index after the chunk */
  int d;
  VecU16 invalid[2];            /* all bits where a lane is no disparity */
} Chunk;

/* The element of a lane in both halves. */
ALWAYS_INLINE int
place_of (int lane)
{
  return (lane & 8) / 8 * (LANES / 2) + lane / 16 * 8 + (lane & 7);
}

/* Moves lane i + 1 to lane i, and the first element of next to the last one. */
ALWAYS_INLINE void
shift_lanes (VecU16 half[2], VecU16 next)
{
#if defined (__AVX512BW__)
  const __m512i a = (__m512i) half[0], b = (__m512i) half[1];

  half[0] = (VecU16) _mm512_alignr_epi8 (b, a, 2);
  half[1] = (VecU16) _mm512_alignr_epi8 (_mm512_alignr_epi64 ((__m512i) next,
          a, 2), b, 2);
#else
  const __m256i a = (__m256i) half[0], b = (__m256i) half[1];

  half[0] = (VecU16) _mm256_alignr_epi8 (b, a, 2);
  half[1] = (VecU16) _mm256_alignr_epi8 (_mm256_permute2x128_si256 (a,
          (__m256i) next, 0x21), b, 2);
#endif
}

/* The smallest cost, and the highest lane that has it. */
ALWAYS_INLINE int
least_lane (VecU16 low, VecU16 high, uint16_t * cost)
{
  const VecU16 least = simd_min16 (low, high);
#if defined (__AVX512BW__)
  const __m256i quarter = _mm256_min_epu16 (_mm512_castsi512_si256 ((__m512i)
          least), _mm512_extracti64x4_epi64 ((__m512i) least, 1));
#else
  const __m256i quarter = (__m256i) least;
#endif
  const __m128i found = _mm_minpos_epu16 (_mm_min_epu16 (_mm256_castsi256_si128
          (quarter), _mm256_extracti128_si256 (quarter, 1)));

  *cost = (uint16_t) _mm_cvtsi128_si32 (found);
  /* saturated differences in bytes are 0 only at the minimum */
#if defined (__AVX512BW__)
  const __m512i all = _mm512_broadcastw_epi16 (found);
  const __m512i more = _mm512_packs_epi16 (_mm512_sub_epi16 ((__m512i) low,
          all), _mm512_sub_epi16 ((__m512i) high, all));

  return 63 - __builtin_clzll (_mm512_testn_epi8_mask (more, more));
#else
  const __m256i all = _mm256_broadcastw_epi16 (found);
  const __m256i more = _mm256_packs_epi16 (_mm256_sub_epi16 ((__m256i) low,
          all), _mm256_sub_epi16 ((__m256i) high, all));

  return 31 - __builtin_clz ((unsigned) _mm256_movemask_epi8 (
          _mm256_cmpeq_epi8 (more, _mm256_setzero_si256 ())));
#endif
}

/* The smallest cost but for n lanes from `from` on, which may be -1.  numbers:
 * of the lanes */
ALWAYS_INLINE uint16_t
least_without (const VecU16 numbers[2], const VecU16 cost[2], int from, int n)
{
  const VecU16 none = simd_set16 (STEREO_WINNER_NO_SECOND);
  const VecU16 first = simd_set16 ((unsigned) from);
  const VecU16 count = simd_set16 ((unsigned) n);
  uint16_t least;

  (void) least_lane (simd_select16 (simd_mask_less16 (numbers[0] - first,
              count), none, cost[0]), simd_select16 (simd_mask_less16 (
              numbers[1] - first, count), none, cost[1]), &least);
  return least;
}

/* Whether simd_pairs() is exact for all pairs of weights. */
static bool
weights_pair (const uint8_t * weight, int radius)
{
  for (int i = 0; i <= radius; i++) {
    if (weight[i] > 127 || weight[i] + weight[i + 1] > 128)
      return false;
  }
  return true;
}

static void
make_taps (const uint8_t * weight, int pairs, Taps * taps)
{
  for (int i = 0; i < pairs; i++) {
    unsigned before = i > 0 ? weight[2 * i - 1] : 0;
    unsigned here = weight[2 * i], after = weight[2 * i + 1];
    int back = pairs - 1 - i;

    taps->forward[0][i] = simd_set16 ((uint16_t) (here | after << 8));
    taps->forward[1][i] = simd_set16 ((uint16_t) (before | here << 8));
    taps->backward[0][back] = simd_set16 ((uint16_t) (here | before << 8));
    taps->backward[1][back] = simd_set16 ((uint16_t) (after | here << 8));
  }
}

/* H of the columns of one parity, four at a time. */
ALWAYS_INLINE void
average_columns (const VecU16 row0[][2], const VecU16 row1[][2],
    const VecU16 * weights, int pairs, int side, int parity,
    Means target[][STEP_PAIRS])
{
  VecU16 w[ROW_PAIRS];

  for (int i = 0; i < ROW_PAIRS; i++)
    w[i] = weights[i];
  for (int p = 0; p < pairs; p += 4) {
    for (int half = 0; half < 2; half++) {
      VecU16 a0 = simd_set16 (128), a1 = a0, a2 = a0, a3 = a0;
      VecU16 b0 = a0, b1 = a0, b2 = a0, b3 = a0;

      for (int i = 0; i < ROW_PAIRS; i++) {
        a0 += simd_pairs (row0[p + i][half], w[i]);
        b0 += simd_pairs (row1[p + i][half], w[i]);
        a1 += simd_pairs (row0[p + i + 1][half], w[i]);
        b1 += simd_pairs (row1[p + i + 1][half], w[i]);
        a2 += simd_pairs (row0[p + i + 2][half], w[i]);
        b2 += simd_pairs (row1[p + i + 2][half], w[i]);
        a3 += simd_pairs (row0[p + i + 3][half], w[i]);
        b3 += simd_pairs (row1[p + i + 3][half], w[i]);
      }
      target[2 * p + parity][0].side[side][half] = a0 >> 8 | (b0 & 0xff00);
      target[2 * p + 2 + parity][0].side[side][half] = a1 >> 8 | (b1 & 0xff00);
      target[2 * p + 4 + parity][0].side[side][half] = a2 >> 8 | (b2 & 0xff00);
      target[2 * p + 6 + parity][0].side[side][half] = a3 >> 8 | (b3 & 0xff00);
    }
  }
}

static void
average_rows (const LanesJob * job, const Chunk * c, int y, Scratch * s,
    Means target[TILE_WIDTH][STEP_PAIRS])
{
  const int last = job->k->height - 1, pairs = (c->width + 1) / 2;

  for (int i = 0; i < STEP_PAIRS; i++) {
    Means (*to)[STEP_PAIRS] = (Means (*)[STEP_PAIRS]) &target[0][i];
    const VecU16 (*row0)[2] = (const VecU16 (*)[2]) s->cost[0];
    const VecU16 (*row1)[2] = (const VecU16 (*)[2]) s->cost[1];

    for (int j = 0; j < 2; j++)
      vcbw_lane_costs (job->frame, job->k, c->x - ROW_REACH, pairs + ROW_REACH,
          stereo_clamp_int (y + 2 * i + j, 0, last), c->d, s->cost[j]);
    for (int parity = 0; parity < 2; parity++) {
      average_columns (row0, row1, job->row.backward[parity], pairs, LEFT_SIDE,
          parity, to);
      average_columns (row0 + ROW_REACH / 2, row1 + ROW_REACH / 2,
          job->row.forward[parity], pairs, RIGHT_SIDE, parity, to);
    }
  }
}

/* Pair i of the ring, from the oldest one. */
ALWAYS_INLINE const Means *
means_at (const Means * const means[RING], int i)
{
  return means[i / STEP_PAIRS] + i % STEP_PAIRS;
}

/* C of the rows of one parity in pairs j and j + 1 of a step.  means: the
 * column in each part of the ring, the oldest one first. */
ALWAYS_INLINE void
window_rows (const Means * const means[RING], const VecU16 * down,
    const VecU16 * up, const VcbwPenalties * p, int j, int half, VecU16 cost[2])
{
  VecU16 a0 = { 0 }, a1 = a0, a2 = a0, a3 = a0;
  VecU16 b0 = a0, b1 = a0, b2 = a0, b3 = a0;

  /* the places in the ring are then constants */
#pragma GCC unroll 16
  for (int i = 0; i < COLUMN_PAIRS; i++) {
    const Means *above = means_at (means, j + i);
    const Means *below = means_at (means, j + i + COLUMN_PAIRS - 1);
    const Means *next_above = means_at (means, j + i + 1);
    const Means *next_below = means_at (means, j + i + COLUMN_PAIRS);

    a0 += simd_pairs (below->side[LEFT_SIDE][half], down[i]);
    a1 += simd_pairs (above->side[LEFT_SIDE][half], up[i]);
    a2 += simd_pairs (below->side[RIGHT_SIDE][half], down[i]);
    a3 += simd_pairs (above->side[RIGHT_SIDE][half], up[i]);
    b0 += simd_pairs (next_below->side[LEFT_SIDE][half], down[i]);
    b1 += simd_pairs (next_above->side[LEFT_SIDE][half], up[i]);
    b2 += simd_pairs (next_below->side[RIGHT_SIDE][half], down[i]);
    b3 += simd_pairs (next_above->side[RIGHT_SIDE][half], up[i]);
  }
  cost[0] = vcbw_combine (p, a0, a1, a2, a3);
  cost[1] = vcbw_combine (p, b0, b1, b2, b3);
}

/* C of the rows of one parity, in columns x to x + STEP_COLUMNS - 1. */
ALWAYS_INLINE void
windows_of (const LanesJob * job, const Chunk * c, int x, int oldest,
    int parity, Scratch * s)
{
  const VcbwPenalties p = job->penalties;
  VecU16 down[COLUMN_PAIRS], up[COLUMN_PAIRS];

  for (int i = 0; i < COLUMN_PAIRS; i++) {
    down[i] = job->column.forward[parity][i];
    up[i] = job->column.backward[parity][i];
  }
  for (int i = 0; i < STEP_COLUMNS; i++) {
    const Means *means[RING];

    for (int j = 0; j < RING; j++)
      means[j] = s->ring[(oldest + j) % RING][x + i];
    for (int half = 0; half < 2; half++) {
      VecU16 cost[2];

      window_rows (means, down, up, &p, 0, half, cost);
      s->window[parity][i][half] = cost[0] | c->invalid[half];
      s->window[parity + 2][i][half] = cost[1] | c->invalid[half];
      window_rows (means, down, up, &p, 2, half, cost);
      s->window[parity + 4][i][half] = cost[0] | c->invalid[half];
      s->window[parity + 6][i][half] = cost[1] | c->invalid[half];
    }
  }
}

/* Updates the second minimum of a pixel; called before the update of its
 * winner.  lane, least: the winner of the chunk.  Branchless where the outcome
 * cannot be predicted. */
ALWAYS_INLINE void
update_second (const LanesJob * job, const Chunk * c, const VecU16 cost[2],
    int at, int lane, uint16_t least, LeftBest * left)
{
  const bool first = c->first == job->k->first_index;
  const unsigned old = first ? STEREO_WINNER_NO_SECOND : left->cost[at];
  const unsigned old_others = first ? STEREO_WINNER_NO_SECOND
      : left->others[at];
  const bool wins = least < old, is_next = left->index[at] + 1 == c->first;
  /* the winner and its neighbours in the chunk */
  const int from = wins ? lane - 1 : LANES - 1, n = wins ? 3 : is_next;
  /* of the chunks before it */
  const unsigned before = !wins ? left->second[at]
      : lane == LANES - 1 ? old_others : old;
  const unsigned others = lane > 0 ? least
      : least_without (job->numbers, cost, 0, 1);

  left->second[at] = (uint16_t) stereo_min_u32 (before, least_without (
          job->numbers, cost, from, n));
  left->others[at] = (uint16_t) stereo_min_u32 (old, others);
}

ALWAYS_INLINE void
update_left (const LanesJob * job, const Chunk * c, const VecU16 cost[2],
    int at, bool uniqueness, LeftBest * left)
{
  const uint16_t *costs = (const uint16_t *) cost;
  uint16_t least;
  int lane = least_lane (cost[0], cost[1], &least);
  bool first = c->first == job->k->first_index;

  if (uniqueness)
    update_second (job, c, cost, at, lane, least, left);
  if (!first && left->index[at] + 1 == c->first)
    left->after[at] = costs[place_of (LANES - 1)];
  if (first || least < left->cost[at]) {
    left->before[at] = lane < LANES - 1 ? costs[place_of (lane + 1)]
        : first ? 0 : left->last[at];
    /* that of lane 0 is in the next chunk */
    left->after[at] = lane > 0 ? costs[place_of (lane - 1)] : 0;
    left->cost[at] = least;
    left->index[at] = (uint16_t) (c->first + LANES - 1 - lane);
  }
  left->last[at] = costs[0];
}

ALWAYS_INLINE uint16_t *
right_costs (RightBest right, int row)
{
  return right.data + (size_t) row * 2 * right.pitch + RIGHT_MARGIN;
}

/* Moves right winners between a row and lanes. */
ALWAYS_INLINE void
load_right (const uint16_t * row, VecU16 half[2])
{
  for (int i = 0; i < LANES; i += 8)
    memcpy ((uint16_t *) half + place_of (i), row + i, 16);
}

ALWAYS_INLINE void
store_right (uint16_t * row, const VecU16 half[2])
{
  for (int i = 0; i < LANES; i += 8)
    memcpy (row + i, (const uint16_t *) half + place_of (i), 16);
}

/* Updates right winners with n columns of a row from x on.  costs: the row of
 * the right view. */
ALWAYS_INLINE void
update_right (const Chunk * c, const VecU16 cost[][2], const VecU16 index[2],
    int x, int n, RightState * state, uint16_t * costs, size_t pitch)
{
  RightState s = *state;

  for (int i = 0; i < n; i++) {
    uint16_t *at = costs + (x + i - c->d);

    for (int half = 0; half < 2; half++) {
      VecU16 v = cost[i][half];
      SimdMask16 less = simd_mask_less16 (v, s.cost[half]);

      s.cost[half] = simd_min16 (v, s.cost[half]);
      s.index[half] = simd_select16 (less, index[half], s.index[half]);
    }
    at[0] = s.cost[0][0];
    at[pitch] = s.index[0][0];
    shift_lanes (s.cost, simd_load16 (at + LANES));
    shift_lanes (s.index, simd_load16 (at + pitch + LANES));
  }
  *state = s;
}

/* Loads the right winners of the lanes at column x, or stores them. */
static void
move_right (const Chunk * c, RightBest right, int y, int rows, int x, bool load,
    RightState * state)
{
  for (int row = 0; row < rows; row++) {
    uint16_t *at = right_costs (right, y - c->y + row) + (x - c->d);

    if (load) {
      load_right (at, state[row].cost);
      load_right (at + right.pitch, state[row].index);
    } else {
      store_right (at, state[row].cost);
      store_right (at + right.pitch, state[row].index);
    }
  }
}

/* Whether any pixel of the tile has a partner in the chunk. */
static bool
has_partners (const Chunk * c, int width)
{
  return c->x + c->width - 1 - c->d + LANES > 0 && c->x - c->d < width;
}

/* V, C and winners of STEP rows from y on, clipped to the band. */
static void
match_step (const LanesJob * job, const Chunk * c, int y, int oldest,
    Scratch * s, RightBest right)
{
  const int rows = c->y + c->height - y < STEP ? c->y + c->height - y : STEP;
  const bool take = right.data != NULL && has_partners (c, job->k->width);
  const bool uniqueness = job->frame->winners != NULL
      && job->frame->winners->uniqueness;
  VecU16 index[2];

  for (int i = 0; i < LANES; i++)
    ((uint16_t *) index)[place_of (i)] = (uint16_t) (c->first + LANES - 1 - i);
  if (take)
    move_right (c, right, y, rows, c->x, true, s->right);
  for (int x = 0; x < c->width; x += STEP_COLUMNS) {
    int n = c->width - x < STEP_COLUMNS ? c->width - x : STEP_COLUMNS;

    windows_of (job, c, x, oldest, 0, s);
    windows_of (job, c, x, oldest, 1, s);
    for (int row = 0; row < rows; row++) {
      int at = (y - c->y + row) * TILE_WIDTH + x;

      for (int i = 0; i < n; i++)
        update_left (job, c, s->window[row][i], at + i, uniqueness, &s->left);
      if (take)
        update_right (c, (const VecU16 (*)[2]) s->window[row], index, c->x + x,
            n, &s->right[row], right_costs (right, y - c->y + row),
            right.pitch);
    }
  }
  if (take)
    move_right (c, right, y, rows, c->x + c->width, false, s->right);
}

static void
match_chunk (const LanesJob * job, const Chunk * c, Scratch * s,
    RightBest right)
{
  const int y = c->y - COLUMN_REACH;
  int part = 0;

  for (; part < RING - 1; part++)
    average_rows (job, c, y + part * STEP, s, s->ring[part]);
  for (int row = 0; row < c->height; row += STEP, part++) {
    average_rows (job, c, y + part * STEP, s, s->ring[part % RING]);
    match_step (job, c, c->y + row, (part + 1) % RING, s, right);
  }
}

static void
store_tile (const LanesJob * job, const Chunk * c, const LeftBest * left)
{
  const StereoMatchFrame *frame = job->frame;
  const StereoWinners *w = frame->winners;

  for (int row = 0; row < c->height; row++) {
    int at = row * TILE_WIDTH, y = c->y + row;
    uint32_t words[TILE_WIDTH];

    if (w == NULL) {
      for (int x = 0; x < c->width; x++)
        stereo_store_index (&frame->map, frame->output, c->x + x, y,
            left->index[at + x]);
      continue;
    }
    simd_winner_row (w, &(SimdWinnerFields) {
        left->index + at, left->before + at, left->cost + at,
        left->after + at, left->second + at}, c->width, words);
    memcpy (w->left + (size_t) y * w->left_stride + (size_t) c->x, words,
        (size_t) c->width * sizeof (words[0]));
  }
}

static void
match_tile (const LanesJob * job, Chunk * c, Scratch * s, RightBest right)
{
  const StereoVcbwConstants *k = job->k;

  for (c->first = k->first_index; c->first < k->end_index;
      c->first = c->end) {
    c->end = c->first + LANES;
    c->d = k->min_disparity + c->first + LANES - 1;
    for (int i = 0; i < LANES; i++)
      ((uint16_t *) c->invalid)[place_of (i)] =
          c->first + LANES - 1 - i < k->end_index ? 0 : 0xffff;
    match_chunk (job, c, s, right);
  }
  store_tile (job, c, &s->left);
}

static void
store_right_rows (const LanesJob * job, RightBest right, int y, int rows)
{
  const StereoWinners *w = job->frame->winners;

  for (int row = 0; row < rows; row++) {
    uint32_t *words = w->right + (size_t) (y + row) * w->right_stride;
    const uint16_t *cost = right_costs (right, row);

    for (int x = 0; x < job->k->width; x++)
      words[x] = stereo_winner_right_word (cost[right.pitch + (size_t) x],
          cost[x]);
  }
}

static void
match_bands (const void *context, StereoSpan span)
{
  const LanesJob *job = context;
  const StereoVcbwConstants *k = job->k;
  uint8_t *memory = job->memory + (size_t) span.worker * job->worker_bytes;
  RightBest right = { NULL, stereo_round_up ((size_t) k->width
        + 2 * RIGHT_MARGIN, LANES) };

  if (job->frame->winners != NULL && job->frame->winners->right != NULL)
    right.data = (uint16_t *) (memory + sizeof (Scratch));
  for (int i = span.begin; i < span.end; i++) {
    Chunk c = {.y = i * job->band_height,.height = job->band_height };

    if (c.y + c.height > k->height)
      c.height = k->height - c.y;
    if (right.data != NULL)
      memset (right.data, 0xff,
          2 * sizeof (uint16_t) * right.pitch * (size_t) c.height);
    for (c.x = 0; c.x < k->width; c.x += TILE_WIDTH) {
      c.width = k->width - c.x < TILE_WIDTH ? k->width - c.x : TILE_WIDTH;
      match_tile (job, &c, (Scratch *) memory, right);
    }
    if (right.data != NULL)
      store_right_rows (job, right, c.y, c.height);
  }
}

/* Equally tall bands, at least two for each thread, so that a fast one can take
 * more.  Those of MIN_BAND_HEIGHT rows repeat too much to be divided. */
static int
choose_band_height (const StereoVcbwConstants * k, int threads)
{
  int bands = (k->height + MAX_BAND_HEIGHT - 1) / MAX_BAND_HEIGHT;
  int height;

  bands = (bands + threads - 1) / threads * threads;
  if (bands == threads && k->height >= 2 * bands * MIN_BAND_HEIGHT)
    bands *= 2;
  height = (k->height + bands - 1) / bands;
  return (height + STEP - 1) / STEP * STEP;
}

/* With more than a third of the lanes idle, tiles are faster. */
static bool
lanes_supports (const StereoVcbwConstants * k)
{
  int n = k->end_index - k->first_index;

  return n > 0 && stereo_cost_uses_words (k->cost)
      && k->row_radius <= ROW_REACH && k->column_radius <= COLUMN_REACH
      && weights_pair (k->row_weight, k->row_radius)
      && weights_pair (k->column_weight, k->column_radius)
      && 3 * n >= 2 * ((n + LANES - 1) / LANES * LANES);
}

static size_t
lanes_worker_bytes (const StereoSearch * search, const StereoVcbwConstants * k)
{
  size_t pitch = stereo_round_up ((size_t) k->width + 2 * RIGHT_MARGIN, LANES);

  return sizeof (Scratch) + (search->right_winners
      ? 2 * sizeof (uint16_t) * pitch * MAX_BAND_HEIGHT : 0);
}

static void
lanes_match (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    uint8_t * memory)
{
  LanesJob job = {.frame = frame,.k = k,.memory = memory };

  make_taps (k->row_weight, ROW_PAIRS, &job.row);
  make_taps (k->column_weight, COLUMN_PAIRS, &job.column);
  vcbw_make_penalties (k, &job.penalties);
  for (int i = 0; i < LANES; i++)
    ((uint16_t *) job.numbers)[place_of (i)] = (uint16_t) i;
  job.band_height = choose_band_height (k, stereo_cpu_threads (frame->queue));
  job.worker_bytes = lanes_worker_bytes (frame->search, k);
  stereo_cpu_for (frame->queue, (k->height + job.band_height - 1)
      / job.band_height, 1, match_bands, &job);
}

const VcbwMatcher SIMD_NAME (stereo_vcbw_lanes_) = {
  lanes_supports, lanes_worker_bytes, lanes_match
};

#else

static bool
lanes_supports (const StereoVcbwConstants * k)
{
  (void) k;
  return false;
}

const VcbwMatcher SIMD_NAME (stereo_vcbw_lanes_) = {.supports
    = lanes_supports };

#endif
