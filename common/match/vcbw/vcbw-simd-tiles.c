/* gst-stereomatching: tiles of variable center-biased windows, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Threads process tiles of the image.  For each disparity a thread computes D
 * and H of the rows of its tile, then V and C of all pixels.  The winners stay
 * in the tile; everything fits the second level cache.
 *
 * A right winner depends on as many columns as there are disparities.  For
 * winners of both views a thread processes a whole row of tiles from left to
 * right, and keeps its right winners.
 *
 * Two neighbouring taps are one multiply-add of byte pairs where the CPU has
 * it (SIMD_HAS_PAIRS).  Even and odd pixels are in separate lanes; a load
 * one byte further pairs the other neighbours, so no shuffle is needed.
 */

#include "match/vcbw/vcbw-simd.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "refine/winner-formula.h"

#define LANES (SIMD_BYTES / 2)

#if !SIMD_HAS_PAIRS
/* for code that is never executed */
#define simd_pairs(pixels, weights) ((pixels) * (weights))
#endif

#define TILE_WIDTH 128
#define MAX_TILE_HEIGHT 128
#define MIN_TILE_HEIGHT 16
/* Space for the taps at both ends of a row, and for one more vector. */
#define MARGIN 64
#define MAX_TAP_PAIRS (STEREO_VCBW_MAX_RADIUS / 2 + 1)
#define MAX_ROWS (MAX_TILE_HEIGHT + 2 * STEREO_VCBW_MAX_RADIUS + 1)

/* Current winners of the left view; for each vector of pixels one of the even
 * and one of the odd ones.  before, after: C of the neighbours of the winner;
 * previous: C of the previous disparity.  With uniqueness: second minimum, and
 * in others the lowest C but for the previous disparity. */
#define TILE_PIXELS (MAX_TILE_HEIGHT * TILE_WIDTH)
typedef struct
{
  uint16_t cost[TILE_PIXELS];
  uint16_t index[TILE_PIXELS];
  uint16_t before[TILE_PIXELS];
  uint16_t after[TILE_PIXELS];
  uint16_t previous[TILE_PIXELS];
  uint16_t second[TILE_PIXELS];
  uint16_t others[TILE_PIXELS];
} LeftBest;

/* Memory of a thread. */
typedef struct
{
  uint8_t cost[MARGIN + TILE_WIDTH + MARGIN + SIMD_ALIGNMENT];
  /* H of the previous and of the current row, to the left and right. */
  uint8_t left[2][TILE_WIDTH];
  uint8_t right[2][TILE_WIDTH];
  /* H of all rows.  With pairs, for each vector of pixels one vector of the
   * even and one of the odd ones: this row in the low byte, the previous row in
   * the high byte. */
  uint8_t left_rows[MAX_ROWS][2 * TILE_WIDTH];
  uint8_t right_rows[MAX_ROWS][2 * TILE_WIDTH];
  LeftBest best;
} __attribute__ ((aligned (SIMD_ALIGNMENT))) Scratch;

/* Current right winners of a row of tiles: for each row costs and indices of
 * the even columns, then of the odd ones, with margins at both ends. */
typedef struct
{
  uint16_t *data;               /* or NULL */
  size_t pitch;                 /* elements of each of the four, with margins */
} RightBest;

/* Weights of one direction in all lanes. */
typedef struct
{
  bool pairs;                   /* simd_pairs() is exact */
  /* Taps 2 i and 2 i + 1, the nearer one in the low or in the high byte. */
  VecU16 near_low[MAX_TAP_PAIRS];
  VecU16 near_high[MAX_TAP_PAIRS];
  VecU16 single[STEREO_VCBW_MAX_RADIUS + 1];
} Taps;

typedef struct
{
  Taps row;
  Taps column;
} Weights;

typedef struct
{
  int x;
  int y;
  int width;                    /* inside the image */
  int height;
} Tile;

typedef struct TilesJob TilesJob;
struct TilesJob
{
  const StereoMatchFrame *frame;
  const StereoVcbwConstants *k;
  Weights weights;
  void (*match_tile) (const TilesJob *, const Tile *, int, Scratch *,
      RightBest);
  int columns;                  /* of tiles */
  int height;                   /* of a tile */
  bool winners;                 /* with C of their neighbours */
  bool right_winners;
  uint8_t *scratch;             /* worker_bytes for each worker */
  size_t worker_bytes;
};

static void
make_taps (const uint8_t * weight, Taps * taps)
{
  taps->pairs = SIMD_HAS_PAIRS;
  for (int i = 0; i < MAX_TAP_PAIRS; i++) {
    unsigned near = weight[2 * i], far = weight[2 * i + 1];

    taps->near_low[i] = simd_set16 (near | far << 8);
    taps->near_high[i] = simd_set16 (far | near << 8);
    /* 255 * (near + far) < 32768, and no weight is negative as a signed byte */
    if (near + far > 128 || near > 127 || far > 127)
      taps->pairs = false;
  }
  for (int i = 0; i <= STEREO_VCBW_MAX_RADIUS; i++)
    taps->single[i] = simd_set16 (weight[i]);
}

/* cost: of the tile's first column */
ALWAYS_INLINE void
average_row (const uint8_t * cost, const Taps * w, int radius, bool pairs,
    uint8_t * left, uint8_t * right)
{
  for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
    VecU16 left_even = simd_set16 (128), left_odd = left_even;
    VecU16 right_even = left_even, right_odd = left_even;

    for (int t = 0; t <= radius && pairs; t += 2) {
      VecU16 high = w->near_high[t / 2], low = w->near_low[t / 2];

      left_even += simd_pairs (simd_load16 (cost + x - t - 1), high);
      left_odd += simd_pairs (simd_load16 (cost + x - t), high);
      right_even += simd_pairs (simd_load16 (cost + x + t), low);
      right_odd += simd_pairs (simd_load16 (cost + x + t + 1), low);
    }
    for (int t = 0; t <= radius && !pairs; t++) {
      VecU16 l = simd_load16 (cost + x - t), r = simd_load16 (cost + x + t);

      left_even += (l & 0xff) * w->single[t];
      left_odd += (l >> 8) * w->single[t];
      right_even += (r & 0xff) * w->single[t];
      right_odd += (r >> 8) * w->single[t];
    }
    simd_store16 (left + x, left_even >> 8 | (left_odd & 0xff00));
    simd_store16 (right + x, right_even >> 8 | (right_odd & 0xff00));
  }
}

/* Interleaves a row of H with the previous row as in left_rows. */
ALWAYS_INLINE void
pair_rows (const uint8_t * row, const uint8_t * before, uint8_t * target)
{
  for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
    VecU16 low = simd_load16 (row + x), high = simd_load16 (before + x);

    simd_store16 (target + 2 * x, (low & 0xff) | high << 8);
    simd_store16 (target + 2 * x + SIMD_BYTES, low >> 8 | (high & 0xff00));
  }
}

/* V of one quadrant at SIMD_BYTES pixels. */
typedef struct
{
  VecU16 even;
  VecU16 odd;
} Quadrant;

ALWAYS_INLINE void
update_winner (VecU16 cost, VecU16 new_index, uint16_t * best, uint16_t * index)
{
  VecU16 kept = simd_load16 (best);

  simd_store16 (index, simd_keep_best16 (cost, &kept, new_index,
          simd_load16 (index)));
  simd_store16 (best, kept);
}

/* The same with C of the neighbours, and the second minimum. */
ALWAYS_INLINE void
update_winner_and_neighbors (VecU16 cost, VecU16 new_index, LeftBest * b,
    int at, bool uniqueness)
{
  VecU16 kept = simd_load16 (b->cost + at);
  VecU16 index = simd_load16 (b->index + at);
  VecU16 previous = simd_load16 (b->previous + at);
  SimdMask16 less = simd_mask_less16 (cost, kept);
  SimdMask16 was_last = simd_mask_equal16 (index + 1, new_index);

  if (uniqueness) {
    VecU16 others = simd_load16 (b->others + at);
    VecU16 second = simd_load16 (b->second + at);

    second = simd_select16 (was_last, second, simd_min16 (second, cost));
    simd_store16 (b->second + at, simd_select16 (less, others, second));
    simd_store16 (b->others + at, simd_min16 (others, previous));
  }
  simd_store16 (b->cost + at, simd_min16 (cost, kept));
  simd_store16 (b->index + at, simd_select16 (less, new_index, index));
  simd_store16 (b->before + at, simd_select16 (less, previous,
          simd_load16 (b->before + at)));
  simd_store16 (b->after + at, simd_select16 (was_last, cost,
          simd_load16 (b->after + at)));
  simd_store16 (b->previous + at, cost);
}

/* V downwards and upwards of one side.  rows: the row of the pixel */
ALWAYS_INLINE void
average_column (const uint8_t * rows, const Taps * w, int radius, bool pairs,
    Quadrant * down, Quadrant * up)
{
  const ptrdiff_t stride = 2 * TILE_WIDTH;

  down->even = down->odd = up->even = up->odd = (VecU16) { 0 };
  for (int t = 0; t <= radius && pairs; t += 2) {
    VecU16 high = w->near_high[t / 2], low = w->near_low[t / 2];
    const uint8_t *below = rows + (t + 1) * stride;
    const uint8_t *above = rows - t * stride;

    down->even += simd_pairs (simd_load16 (below), high);
    down->odd += simd_pairs (simd_load16 (below + SIMD_BYTES), high);
    up->even += simd_pairs (simd_load16 (above), low);
    up->odd += simd_pairs (simd_load16 (above + SIMD_BYTES), low);
  }
  for (int t = 0; t <= radius && !pairs; t++) {
    VecU16 below = simd_load16 (rows + t * stride);
    VecU16 above = simd_load16 (rows - t * stride);

    down->even += (below & 0xff) * w->single[t];
    down->odd += (below >> 8) * w->single[t];
    up->even += (above & 0xff) * w->single[t];
    up->odd += (above >> 8) * w->single[t];
  }
}

/* Costs of the even (0) or odd (1) columns of a row. */
ALWAYS_INLINE uint16_t *
right_costs (RightBest right, int row, int odd)
{
  return right.data + ((size_t) row * 4 + 2 * (size_t) odd) * right.pitch
      + LANES;
}

ALWAYS_INLINE uint16_t *
right_indices (RightBest right, int row, int odd)
{
  return right_costs (right, row, odd) + right.pitch;
}

static size_t
right_pitch (int width)
{
  return stereo_round_up ((size_t) width / 2 + 1 + 2 * LANES, LANES);
}

/* cost: C of the left columns x, x + 2, ... of a row; those from `end` on are
 * outside the tile. */
ALWAYS_INLINE void
update_right_winner (VecU16 cost, VecU16 new_index, int x, int end, int d,
    int width, RightBest right, int row)
{
  int from = x - d, odd = from & 1, place = (from - odd) / 2;

  if (from + 2 * (LANES - 1) < 0 || from >= width)
    return;
  if (x + 2 * (LANES - 1) >= end) {
    uint16_t lanes[LANES];

    simd_store16 (lanes, cost);
    for (int i = 0; i < LANES; i++) {
      if (x + 2 * i >= end)
        lanes[i] = 0xffff;
    }
    cost = simd_load16 (lanes);
  }
  update_winner (cost, new_index, right_costs (right, row, odd) + place,
      right_indices (right, row, odd) + place);
}

/* Without a candidate, cost and index give STEREO_NO_WINNER. */
static void
store_right (const TilesJob * job, RightBest right, int y, int rows)
{
  const StereoWinners *w = job->frame->winners;

  for (int row = 0; row < rows; row++) {
    uint32_t *words = w->right + (size_t) (y + row) * w->right_stride;

    for (int odd = 0; odd < 2; odd++) {
      const uint16_t *cost = right_costs (right, row, odd);
      const uint16_t *index = right_indices (right, row, odd);

      for (int i = 0; 2 * i + odd < job->k->width; i++)
        words[2 * i + odd] = stereo_winner_right_word (index[i], cost[i]);
    }
  }
}

/* H of the rows of a tile, and of column_radius more rows on each side. */
ALWAYS_INLINE void
average_rows (const TilesJob * job, const Tile * tile, int d, Scratch * s,
    int row_radius, int column_radius, bool pairs)
{
  const StereoVcbwConstants *k = job->k;
  const Taps *taps = &job->weights.row;
  int last = k->height - 1, n_rows = tile->height + 2 * column_radius;
  int current = 0, previous_y = -1;

  for (int j = 0; j < n_rows; j++) {
    int y = stereo_clamp_int (tile->y - column_radius + j, 0, last);
    int before = j > 0 ? current : 0;

    /* Outside the image the last row is repeated. */
    if (y != previous_y) {
      if (j > 0)
        current = !current;
      vcbw_cost_row (job->frame, k, tile->x - k->row_radius,
          tile->x + TILE_WIDTH + k->row_radius - 1, y, d,
          s->cost + MARGIN - row_radius);
      average_row (s->cost + MARGIN, taps, row_radius, pairs, s->left[current],
          s->right[current]);
      previous_y = y;
    }
    if (pairs) {
      pair_rows (s->left[current], s->left[before], s->left_rows[j]);
      pair_rows (s->right[current], s->right[before], s->right_rows[j]);
    } else {
      memcpy (s->left_rows[j], s->left[current], TILE_WIDTH);
      memcpy (s->right_rows[j], s->right[current], TILE_WIDTH);
    }
  }
  if (pairs) {
    /* the pair below the last row, whose other weight is 0 */
    pair_rows (s->left[current], s->left[current], s->left_rows[n_rows]);
    pair_rows (s->right[current], s->right[current], s->right_rows[n_rows]);
  }
}

static bool
has_uniqueness (const TilesJob * job)
{
  return job->frame->winners != NULL && job->frame->winners->uniqueness;
}

/* Constants that let the compiler unroll loops. */
typedef struct
{
  int row_radius;
  int column_radius;
  bool pairs;
  bool winners;
} TileVariant;

ALWAYS_INLINE void
match_tile_impl (const TilesJob * job, const Tile * tile, int index,
    Scratch * s, RightBest right, TileVariant v)
{
  const VecU16 new_index = simd_set16 ((unsigned) index);
  const Taps *taps = &job->weights.column;
  LeftBest *b = &s->best;
  VcbwPenalties penalties;
  int d = job->k->min_disparity + index, end = tile->x + tile->width;
  const bool uniqueness = has_uniqueness (job);

  vcbw_make_penalties (job->k, &penalties);
  average_rows (job, tile, d, s, v.row_radius, v.column_radius, v.pairs);

  for (int j = 0; j < tile->height; j++) {
    const uint8_t *l = s->left_rows[j + v.column_radius];
    const uint8_t *r = s->right_rows[j + v.column_radius];

    for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
      int at = j * TILE_WIDTH + x;
      Quadrant q[4];            /* left down, left up, right down, right up */
      VecU16 even, odd;

      average_column (l + (v.pairs ? 2 * x : x), taps, v.column_radius,
          v.pairs, &q[0], &q[1]);
      average_column (r + (v.pairs ? 2 * x : x), taps, v.column_radius,
          v.pairs, &q[2], &q[3]);
      even = vcbw_combine (&penalties, q[0].even, q[1].even, q[2].even,
          q[3].even);
      odd = vcbw_combine (&penalties, q[0].odd, q[1].odd, q[2].odd, q[3].odd);
      if (v.winners) {
        update_winner_and_neighbors (even, new_index, b, at, uniqueness);
        update_winner_and_neighbors (odd, new_index, b, at + LANES,
            uniqueness);
      } else {
        update_winner (even, new_index, b->cost + at, b->index + at);
        update_winner (odd, new_index, b->cost + at + LANES,
            b->index + at + LANES);
      }
      if (v.winners && right.data != NULL) {
        update_right_winner (even, new_index, tile->x + x, end, d,
            job->k->width, right, j);
        update_right_winner (odd, new_index, tile->x + x + 1, end, d,
            job->k->width, right, j);
      }
    }
  }
}

#define MATCH_TILE(name, ...) \
static void \
name (const TilesJob * job, const Tile * tile, int index, Scratch * s, \
    RightBest right) \
{ \
  match_tile_impl (job, tile, index, s, right, (TileVariant) { __VA_ARGS__ }); \
}

/* the radii of the defaults, and of the paper's parameters */
MATCH_TILE (match_tile_default, 16, 12, SIMD_HAS_PAIRS, true)
MATCH_TILE (match_tile_paper, 16, 15, SIMD_HAS_PAIRS, false)
MATCH_TILE (match_tile_winners, job->k->row_radius, job->k->column_radius,
    SIMD_HAS_PAIRS, true)
MATCH_TILE (match_tile_pairs, job->k->row_radius, job->k->column_radius,
    SIMD_HAS_PAIRS, false)
MATCH_TILE (match_tile_single_winners, job->k->row_radius,
    job->k->column_radius, false, true)
MATCH_TILE (match_tile_single, job->k->row_radius, job->k->column_radius,
    false, false)

static void
choose_match_tile (TilesJob * job)
{
  int row = job->k->row_radius, column = job->k->column_radius;

  if (!job->weights.row.pairs || !job->weights.column.pairs)
    job->match_tile = job->winners ? match_tile_single_winners
        : match_tile_single;
  else if (job->winners)
    job->match_tile = row == 16 && column == 12 ? match_tile_default
        : match_tile_winners;
  else
    job->match_tile = row == 16 && column == 15 ? match_tile_paper
        : match_tile_pairs;
}

/* The element of a pixel in a row of LeftBest. */
ALWAYS_INLINE int
place_of (int x)
{
  int in_vector = x % SIMD_BYTES;

  return x - in_vector + in_vector % 2 * LANES + in_vector / 2;
}

static void
store_tile (const TilesJob * job, const Tile * tile, const LeftBest * best)
{
  const StereoMatchFrame *frame = job->frame;
  const StereoWinners *w = frame->winners;
  bool empty = job->k->first_index == job->k->end_index;

  for (int j = 0; j < tile->height; j++) {
    int y = tile->y + j, row = j * TILE_WIDTH;

    if (w != NULL) {
      uint32_t *words = w->left + (size_t) y * w->left_stride
          + (size_t) tile->x;

      for (int x = 0; x < tile->width; x++) {
        int at = row + place_of (x);

        words[x] = empty ? STEREO_NO_WINNER : stereo_winner_word (w,
            best->index[at], best->before[at], best->cost[at],
            best->after[at], w->uniqueness ? best->second[at] : 0);
      }
      continue;
    }
    for (int x = 0; x < tile->width; x++)
      stereo_store_index (&frame->map, frame->output, tile->x + x, y,
          empty ? STEREO_INVALID : best->index[row + place_of (x)]);
  }
}

/* Tall tiles repeat less work, low ones keep all threads busy. */
static int
choose_tile_height (const StereoVcbwConstants * k, int threads, int columns)
{
  int height = MAX_TILE_HEIGHT;

  while (height > MIN_TILE_HEIGHT
      && columns * ((k->height + height - 1) / height) < 3 * threads)
    height /= 2;
  return height;
}

/* Equal numbers of equally tall bands for all threads. */
static int
choose_band_height (const StereoVcbwConstants * k, int threads)
{
  int bands = (k->height + MAX_TILE_HEIGHT - 1) / MAX_TILE_HEIGHT;
  int height;

  bands = (bands + threads - 1) / threads * threads;
  height = (k->height + bands - 1) / bands;
  return height > MIN_TILE_HEIGHT ? height : MIN_TILE_HEIGHT;
}

static void
match_one_tile (const TilesJob * job, int column, int row, Scratch * s,
    RightBest right)
{
  const StereoVcbwConstants *k = job->k;
  Tile tile = { column * TILE_WIDTH, row * job->height, TILE_WIDTH,
    job->height
  };
  size_t bytes;

  if (tile.x + tile.width > k->width)
    tile.width = k->width - tile.x;
  if (tile.y + tile.height > k->height)
    tile.height = k->height - tile.y;
  bytes = sizeof (uint16_t) * TILE_WIDTH * (size_t) tile.height;
  memset (s->best.cost, 0xff, bytes);
  if (has_uniqueness (job)) {
    memset (s->best.previous, 0xff, bytes);
    memset (s->best.second, 0xff, bytes);
    memset (s->best.others, 0xff, bytes);
  }
  for (int index = k->first_index; index < k->end_index; index++)
    job->match_tile (job, &tile, index, s, right);
  store_tile (job, &tile, &s->best);
}

static void
match_tiles (const void *context, StereoSpan span)
{
  const TilesJob *job = context;
  Scratch *s = (Scratch *) (job->scratch
      + (size_t) span.worker * job->worker_bytes);

  for (int i = span.begin; i < span.end; i++)
    match_one_tile (job, i % job->columns, i / job->columns, s,
        (RightBest) { NULL, 0 });
}

static void
match_bands (const void *context, StereoSpan span)
{
  const TilesJob *job = context;
  uint8_t *memory = job->scratch + (size_t) span.worker * job->worker_bytes;
  RightBest right = { (uint16_t *) (memory + sizeof (Scratch)),
    right_pitch (job->k->width)
  };

  for (int i = span.begin; i < span.end; i++) {
    int y = i * job->height, rows = job->k->height - y;

    rows = rows < job->height ? rows : job->height;
    memset (right.data, 0xff,
        4 * sizeof (uint16_t) * right.pitch * (size_t) rows);
    for (int column = 0; column < job->columns; column++)
      match_one_tile (job, column, i, (Scratch *) memory, right);
    store_right (job, right, y, rows);
  }
}

static size_t
tiles_worker_bytes (const StereoSearch * search, const StereoVcbwConstants * k)
{
  size_t right = 4 * sizeof (uint16_t) * right_pitch (k->width)
      * MAX_TILE_HEIGHT;

  return sizeof (Scratch) + (search->right_winners ? right : 0);
}

static void
tiles_match (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    uint8_t * memory)
{
  const StereoWinners *w = frame->winners;
  int threads = stereo_cpu_threads (frame->queue), rows;
  TilesJob job = {.frame = frame,.k = k,.scratch = memory,.winners
      = w != NULL };

  job.right_winners = w != NULL && w->right != NULL;
  job.worker_bytes = tiles_worker_bytes (frame->search, k);
  job.columns = (k->width + TILE_WIDTH - 1) / TILE_WIDTH;
  job.height = job.right_winners ? choose_band_height (k, threads)
      : choose_tile_height (k, threads, job.columns);
  rows = (k->height + job.height - 1) / job.height;
  make_taps (k->row_weight, &job.weights.row);
  make_taps (k->column_weight, &job.weights.column);
  choose_match_tile (&job);

  if (job.right_winners)
    stereo_cpu_for (frame->queue, rows, 1, match_bands, &job);
  else
    stereo_cpu_for (frame->queue, job.columns * rows, 1, match_tiles, &job);
}

const VcbwMatcher SIMD_NAME (stereo_vcbw_tiles_) = {
  .worker_bytes = tiles_worker_bytes,
  .match = tiles_match,
};
