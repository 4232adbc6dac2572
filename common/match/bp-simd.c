/* gst-stereomatching: belief propagation with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * Pixels of a row that are updated together have even or odd columns only.  So
 * each row is kept as two halves, of the even columns (0) and the odd ones (1),
 * and lanes are neighbours within a half: columns x, x + 2, x + 4, ...  The
 * scan along disparities is then a loop over vectors, without any shuffle.
 *
 *   data[level]      [y][half][disparity][pitch]
 *   messages[level]  [y][half][direction][disparity][pitch]
 *   edges[level]     [y][half][right, down][jump, M][pitch]
 *   halves           [y][view][plane][half][pitch]: what level 0 compares
 *
 * A sweep runs several iterations at once: iteration t follows one row behind
 * iteration t - 1, as it needs only rows y - 1 to y + 1 of that.  So a row is
 * loaded once, from the start of its messages to its result, and meanwhile
 * stays in a cache.  Each thread sweeps a band of rows, whose ends get shorter
 * with every iteration; what is missing between two bands follows when both
 * are done.
 *
 * Level 0 is most of the work, and nobody needs its messages afterwards.
 * Unless there are more iterations than a sweep has, it is done in windows:
 * some columns wide, and with room for those rows only that a sweep has under
 * way, so that messages and data costs of a window stay in the second level
 * cache of a thread and are never in memory as a whole.  What a window lacks
 * beside it makes its outermost columns wrong, one more with every iteration;
 * so windows overlap, and so do bands.
 *
 * Numbers have 16 bits where bp.h says that they fit, that is all of int8 and
 * half; half messages are kept as the integers that fp16 would hold.  With
 * float everything has 32 bits.
 */

#include "match/bp-simd.h"

#include "match/bp-cpu.h"
#include "match/bp-pixel.h"
#include "core/cpu.h"
#include "cost/census-simd.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/simd.h"

#include <stdlib.h>

#define STAGES SIMD_NAME (stereo_bp_stages_)

/* Elements in front of and behind each volume that may be read, and have no
 * meaning. */
#define MARGIN 128
/* Iterations of a sweep. */
#define MAX_SWEEP 8
/* Of a window: what its messages and data costs should take, elements of a half
 * row that it has at least, and rows of a band, whose neighbours are done
 * twice. */
#define WINDOW_BYTES (832u << 10)
#define MIN_WINDOW 64
#define MIN_WINDOW_BAND 32

enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

/* Rows of a thread's own: differences, or sums and the smallest ones. */
#define N_ROW_BUFFERS 4
/* Vectors of a row whose beliefs are kept until the right view has them, too:
 * so many that what was stored for one disparity is in the cache for the next
 * one. */
#define GROUP 4

/* ------------------------------------------------------------------- layout */

ALWAYS_INLINE size_t
half_pitch (int width)
{
  return ((size_t) width / 2 + 16) / 16 * 16;
}

ALWAYS_INLINE size_t
n_disparities (const StereoBpConstants * k)
{
  return (size_t) (k->end_index - k->first_index);
}

/* Elements of one half of a row: all disparities, one direction. */
ALWAYS_INLINE size_t
half_size (const StereoBpConstants * k, size_t pitch)
{
  return pitch * n_disparities (k);
}

/* Jump of the messages to and from the right (0) or down (1); M follows. */
ALWAYS_INLINE size_t
edges_offset (const StereoBpConstants * k, int level, int y, int half,
    int direction)
{
  return MARGIN + ((2 * (size_t) y + (size_t) half) * 2 + (size_t) direction)
      * 2 * half_pitch (k->level[level].width);
}

/* Pixels of a row's half. */
ALWAYS_INLINE int
half_width (int width, int half)
{
  return (width + 1 - half) / 2;
}

/* First and last pixel of a half that is not on the frame. */
ALWAYS_INLINE int
first_inner (int half)
{
  return half == 0 ? 1 : 0;
}

ALWAYS_INLINE int
last_inner (int width, int half)
{
  return (width - 2 - half) >> 1;
}

/* The half that iteration t updates in row y. */
ALWAYS_INLINE int
active_half (int y, int t)
{
  return (y + t + 1) & 1;
}

/* ------------------------------------------------------------------ vectors */

ALWAYS_INLINE void
store_u8 (uint8_t * p, VecU16 x, size_t bytes)
{
  typedef uint8_t HalfVecU8 __attribute__ ((vector_size (SIMD_BYTES / 2)));
  HalfVecU8 v = __builtin_convertvector (x, HalfVecU8);

  memcpy (p, &v, bytes);
}

/* stereo_bp_round_half() of messages: up to 4088. */
ALWAYS_INLINE VecU16
round_half (VecU16 x)
{
  VecU16 large = (VecU16) (x > 2047);

  return (x + (x >> 1 & 1 & large)) & ~(large & 1);
}

ALWAYS_INLINE void
store_half (uint16_t * p, VecU16 x, size_t bytes)
{
  VecU16 v = round_half (x);

  memcpy (p, &v, bytes);
}

ALWAYS_INLINE VecU32
load_u32 (const uint32_t * p)
{
  VecU32 v;

  memcpy (&v, p, sizeof (v));
  return v;
}

ALWAYS_INLINE void
store_u32 (uint32_t * p, VecU32 x, size_t bytes)
{
  memcpy (p, &x, bytes);
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoBpConstants *k;
  const StereoBpWork *work;
  int level;
} Job;

/* --------------------------------------------------------------- row halves */

/* A row of both views in halves, of what is compared: by side, half and, if
 * there are several, plane. */
typedef struct
{
  const uint16_t *luma[2][2];
  const uint8_t *planes[2][2][4];
} Rows;

/* Planes of a view that are compared, and bytes of their elements. */
ALWAYS_INLINE int
n_planes (const StereoBpConstants * k)
{
  return k->cost == STEREO_COST_CENSUS ? 4 : k->cost == STEREO_COST_RGB ? 3 : 1;
}

ALWAYS_INLINE size_t
plane_element (const StereoBpConstants * k)
{
  return k->cost == STEREO_COST_LUMA ? 2 : 1;
}

/* Half `half` of row y of a plane. */
ALWAYS_INLINE uint8_t *
half_of_plane (const StereoBpConstants * k, const StereoBpWork * work, int y,
    int side, int plane, int half)
{
  size_t row = (((size_t) y * 2 + (size_t) side) * (size_t) n_planes (k)
      + (size_t) plane) * 2 + (size_t) half;

  return (uint8_t *) work->halves + (MARGIN + row * half_pitch (k->width))
      * plane_element (k);
}

/* Row y in halves. */
static Rows
find_rows (const StereoBpConstants * k, const StereoBpWork * work, int y)
{
  Rows rows;

  for (int side = 0; side < 2; side++) {
    for (int half = 0; half < 2; half++) {
      rows.luma[side][half] = (const uint16_t *) half_of_plane (k, work, y,
          side, 0, half);
      for (int i = 0; i < n_planes (k); i++)
        rows.planes[side][half][i] = half_of_plane (k, work, y, side, i, half);
    }
  }
  return rows;
}

ALWAYS_INLINE void
split_bytes (const StereoBpConstants * k, const uint8_t * row, uint8_t * even,
    uint8_t * odd)
{
  for (int x = 0; x < half_width (k->width, 0); x++)
    even[x] = row[2 * x];
  for (int x = 0; x < half_width (k->width, 1); x++)
    odd[x] = row[2 * x + 1];
}

ALWAYS_INLINE void
split_words (const StereoBpConstants * k, const uint16_t * row,
    uint16_t * even, uint16_t * odd)
{
  for (int x = 0; x < half_width (k->width, 0); x++)
    even[x] = row[2 * x];
  for (int x = 0; x < half_width (k->width, 1); x++)
    odd[x] = row[2 * x + 1];
}

static void
split_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;

  for (int y = span.begin; y < span.end; y++) {
    for (int i = 0; i < 2 * n_planes (k); i++) {
      int side = i & 1, plane = i / 2;
      const StereoView *view = side == 0 ? &job->frame->left
          : &job->frame->right;
      const StereoCensus *census = side == 0 ? &job->frame->left_census
          : &job->frame->right_census;
      uint8_t *even = half_of_plane (k, job->work, y, side, plane, 0);
      uint8_t *odd = half_of_plane (k, job->work, y, side, plane, 1);

      if (k->cost == STEREO_COST_LUMA)
        split_words (k, stereo_bp_view (job->work, side)
            + (size_t) y * stereo_bp_view_pitch (k), (uint16_t *) even,
            (uint16_t *) odd);
      else if (k->cost == STEREO_COST_RGB)
        split_bytes (k, view->plane[plane] + (size_t) y * view->stride, even,
            odd);
      else
        split_bytes (k, census->plane[plane] + (size_t) y * census->stride,
            even, odd);
    }
  }
}

/* C of pixels of a half of the left row, from number `left` on, and of one of
 * the right row, from number `right` on. */
ALWAYS_INLINE VecU8
census_at (const Rows * rows, int half, int other, int left, int right)
{
  SimdCensus p, q;

  for (int j = 0; j < 3; j++) {
    memcpy (&p.bits[j], rows->planes[0][half][j] + left, SIMD_BYTES);
    memcpy (&q.bits[j], rows->planes[1][other][j] + right, SIMD_BYTES);
  }
  memcpy (&p.gradient, rows->planes[0][half][3] + left, SIMD_BYTES);
  memcpy (&q.gradient, rows->planes[1][other][3] + right, SIMD_BYTES);
  return simd_census_cost (&p, &q);
}

/* The same of pixels from number `begin` on; up to a vector more than `count`.
 */
static void
census_differences (const Rows * rows, int half, int other, int shift,
    int begin, int count, uint16_t * difference)
{
  for (int i = begin; i < begin + count; i += SIMD_BYTES) {
    VecU8 c = census_at (rows, half, other, i, i + shift);
    uint8_t bytes[SIMD_BYTES];

    memcpy (bytes, &c, sizeof (bytes));
    simd_store16 (difference + i - begin, simd_widen8 (bytes));
    simd_store16 (difference + i - begin + SIMD_BYTES / 2, simd_widen8 (bytes
            + SIMD_BYTES / 2));
  }
}

/* (t gain + 2^15) >> 16, for t and both bytes of the gain below 2^8. */
ALWAYS_INLINE VecU16
scale_words (VecU16 t, uint16_t gain)
{
  return (t * (uint16_t) (gain >> 8) + (t * (uint16_t) (gain & 255) >> 8)
      + 128) >> 8;
}

/* Data costs of exactly `count` pixels, in bytes, for a gain of 16 bits. */
static void
census_costs (const StereoBpConstants * k, const Rows * rows, int half,
    int other, int shift, int begin, int count, uint8_t * c)
{
  uint16_t gain = (uint16_t) k->gain;
  VecU8 limit = (VecU8) { 0 } + (uint8_t) k->difference_limit;

  for (int i = 0; i < count; i += SIMD_BYTES) {
    /* the last vector overlaps the one before */
    int from = count - i < SIMD_BYTES && count >= SIMD_BYTES
        ? count - SIMD_BYTES : i;
    int at = begin + from;
    VecU16 t = (VecU16) simd_min8 (census_at (rows, half, other, at,
            at + shift), limit);
    VecU16 costs = scale_words (t & 255, gain)
        | scale_words (t >> 8, gain) << 8;

    if (count >= SIMD_BYTES)
      memcpy (c + from, &costs, SIMD_BYTES);
    else
      memcpy (c, &costs, (size_t) count);
  }
}

/* The sums of three channels' differences. */
static void
color_differences (const Rows * rows, int half, int other, int shift,
    int begin, int count, uint16_t * difference)
{
  for (int i = 0; i < count; i++) {
    int sum = 0;

    for (int j = 0; j < 3; j++)
      sum += abs (rows->planes[0][half][j][begin + i]
          - rows->planes[1][other][j][begin + i + shift]);
    difference[i] = (uint16_t) sum;
  }
}

/* Bytes that winners_row() has for each thread: beliefs of a group of vectors
 * and of the columns next to the frame, and for each half that beliefs come
 * from and each half of the right view the smallest ones and their indices. */
ALWAYS_INLINE size_t
winners_bytes (const StereoBpConstants * k)
{
  size_t n = n_disparities (k);

  return (n * GROUP * SIMD_BYTES + (2 * n + 8 * (half_pitch (k->width)
          + 2 * MARGIN)) * sizeof (uint32_t) + SIMD_BYTES - 1) / SIMD_BYTES
      * SIMD_BYTES;
}

/* ------------------------------------------------------------------ windows */

/* Whether level 0 is done in windows. */
ALWAYS_INLINE bool
has_windows (const StereoBpConstants * k)
{
  return k->iterations <= MAX_SWEEP;
}

/* Pixels of a half beside those that a window is for, an even number: one
 * column more than iterations.  At least 2, so the last window has the last two
 * pixels of the image. */
ALWAYS_INLINE int
window_border (const StereoBpConstants * k)
{
  return (k->iterations + 4) / 4 * 2;
}

/* For elements of so many bytes. */
static StereoBpWindow
find_window (const StereoBpConstants * k, size_t message, size_t fine_data)
{
  size_t n = n_disparities (k), pitch = half_pitch (k->width), fitting, one;
  StereoBpWindow w = { .slots = k->iterations + 3 };

  /* of one column of pixels */
  one = 2 * n * (4 * message + fine_data) * (size_t) w.slots;
  fitting = one > 0 ? WINDOW_BYTES / one / MIN_WINDOW * MIN_WINDOW : pitch;
  if (fitting < MIN_WINDOW)
    fitting = MIN_WINDOW;
  w.pitch = fitting < pitch ? fitting : pitch;
  w.messages = 8 * (size_t) w.slots * half_size (k, w.pitch) + 2 * MARGIN;
  w.data = 2 * (size_t) w.slots * half_size (k, w.pitch) + 2 * MARGIN;
  /* or two rows as they are, for level 1 */
  if (w.data < 4 * half_size (k, pitch) + 2 * MARGIN)
    w.data = 4 * half_size (k, pitch) + 2 * MARGIN;
  return w;
}

/* The three precisions.  A stage is NAME (stage). */

#define NAME(x) x##_int8
#define Message uint8_t
#define FineData uint8_t
#define Data uint16_t
#define Vec VecU16
#define LOAD_MESSAGE simd_widen8
#define STORE_MESSAGE store_u8
#define LOAD_FINE_DATA simd_widen8
#define LOAD_DATA simd_load16
#define MIN simd_min16
#define KEEP_BEST simd_keep_best16
#define HALF 0
#define WINNER_SHIFT 0
#include "match/bp-simd-tmpl.h"

#define NAME(x) x##_half
#define Message uint16_t
#define FineData uint8_t
#define Data uint16_t
#define Vec VecU16
#define LOAD_MESSAGE simd_load16
#define STORE_MESSAGE store_half
#define LOAD_FINE_DATA simd_widen8
#define LOAD_DATA simd_load16
#define MIN simd_min16
#define KEEP_BEST simd_keep_best16
#define HALF 1
#define WINNER_SHIFT 0
#include "match/bp-simd-tmpl.h"

#define NAME(x) x##_float
#define Message uint32_t
#define FineData uint16_t
#define Data uint32_t
#define Vec VecU32
#define LOAD_MESSAGE load_u32
#define STORE_MESSAGE store_u32
#define LOAD_FINE_DATA simd_widen16
#define LOAD_DATA load_u32
#define MIN simd_min32
#define KEEP_BEST simd_keep_best32
#define HALF 0
#define WINNER_SHIFT 7
#include "match/bp-simd-tmpl.h"

/* ------------------------------------------------------------------- stages */

static const struct
{
  size_t message;
  size_t fine_data;
  size_t data;
} bytes_of[] = {
  [STEREO_BP_PRECISION_INT8] = {1, 1, 2},
  [STEREO_BP_PRECISION_HALF] = {2, 1, 2},
  [STEREO_BP_PRECISION_FLOAT] = {4, 2, 4},
};

/* Memory of the messages and data costs of all levels; with windows, level 0 is
 * each thread's own. */
static void
plan_fields (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena)
{
  size_t threads = search->n_threads, message = bytes_of[k->precision].message;
  size_t fine = bytes_of[k->precision].fine_data;

  for (int l = 0; l < k->n_levels; l++) {
    size_t volume = 2 * (size_t) k->level[l].height
        * half_size (k, half_pitch (k->level[l].width));

    if (l > 0 || !has_windows (k)) {
      stereo_arena_add (arena, &work->data[l], volume + 2 * MARGIN,
          l == 0 ? fine : bytes_of[k->precision].data);
      stereo_arena_add (arena, &work->messages[l], 4 * volume + 2 * MARGIN,
          message);
    }
    if (k->edges)
      stereo_arena_add (arena, &work->edges[l],
          edges_offset (k, l, k->level[l].height, 0, 0) + MARGIN, message);
  }
  if (!has_windows (k))
    return;
  work->window = find_window (k, message, fine);
  stereo_arena_add (arena, &work->messages[0], work->window.messages
      * message, threads);
  stereo_arena_add (arena, &work->data[0], work->window.data * fine, threads);
}

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  size_t threads = search->n_threads;

  (void) why;
  stereo_bp_plan_views_cpu (k, work, arena);
  plan_fields (search, k, work, arena);
  stereo_arena_add (arena, &work->halves, 4 * (size_t) n_planes (k)
      * (size_t) k->height * half_pitch (k->width) + 2 * MARGIN,
      plane_element (k));
  /* the best disparity: [y][half][pitch] */
  stereo_arena_add (arena, &work->best, 2 * (size_t) k->height
      * half_pitch (k->width) + 2 * MARGIN, sizeof (uint16_t));
  stereo_arena_add (arena, &work->rows, N_ROW_BUFFERS
      * (half_pitch (k->width) + MARGIN) * threads, sizeof (uint32_t));
  stereo_arena_add (arena, &work->sums, 4 * n_disparities (k) * threads,
      SIMD_BYTES);
  if (k->winners)
    stereo_arena_add (arena, &work->winners, winners_bytes (k) * threads, 1);
  return STEREO_OK;
}

static StereoStatus
prepare_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  StereoStatus status = stereo_bp_prepare_cpu (frame, k, work);
  Job job = {.frame = frame,.k = k,.work = work };

  if (status == STEREO_OK)
    stereo_cpu_for (frame->queue, k->height, 0, split_rows, &job);
  if (status != STEREO_OK || !k->edges)
    return status;
  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      make_edges_int8 (frame, k, work);
      break;
    case STEREO_BP_PRECISION_HALF:
      make_edges_half (frame, k, work);
      break;
    default:
      make_edges_float (frame, k, work);
      break;
  }
  return status;
}

static StereoStatus
pyramid_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      pyramid_int8 (frame, k, work);
      break;
    case STEREO_BP_PRECISION_HALF:
      pyramid_half (frame, k, work);
      break;
    default:
      pyramid_float (frame, k, work);
      break;
  }
  return STEREO_OK;
}

static StereoStatus
descend_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    int level, const StereoBpWork * work)
{
  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      descend_int8 (frame, k, work, level);
      break;
    case STEREO_BP_PRECISION_HALF:
      descend_half (frame, k, work, level);
      break;
    default:
      descend_float (frame, k, work, level);
      break;
  }
  return STEREO_OK;
}

/* Row y of a map or of codes. */
static void
finish_row (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, int y)
{
  bool empty = k->first_index == k->end_index, inner = stereo_bp_has_inner (k);
  size_t pitch = half_pitch (k->width);
  int from = inner ? stereo_clamp_int (y, 1, k->height - 2) : y;
  const uint16_t *best = (const uint16_t *) work->best + MARGIN
      + 2 * (size_t) from * pitch;

  for (int x = 0; x < k->width; x++) {
    int near = inner ? stereo_clamp_int (x, 1, k->width - 2) : x;
    unsigned index = STEREO_INVALID;

    if (!empty)
      index = (unsigned) k->first_index
          + best[(size_t) (near & 1) * pitch + (size_t) (near / 2)];
    stereo_store_index (&frame->map, frame->output, x, y, index);
  }
}

/* Row y of winners, unless winners_row() has left it: a row of the frame, or
 * of an image without disparities. */
static void
finish_winners (const StereoWinners * w, const StereoBpConstants * k, int y)
{
  int from = stereo_clamp_int (y, 1, k->height - 2);
  size_t bytes = (size_t) k->width * sizeof (uint32_t);

  if (k->first_index == k->end_index) {
    memset (w->left + (size_t) y * w->left_stride, 0xff, bytes);
    if (w->right != NULL)
      memset (w->right + (size_t) y * w->right_stride, 0xff, bytes);
  } else if (stereo_bp_has_inner (k) && from != y) {
    memcpy (w->left + (size_t) y * w->left_stride,
        w->left + (size_t) from * w->left_stride, bytes);
    if (w->right != NULL)
      memcpy (w->right + (size_t) y * w->right_stride,
          w->right + (size_t) from * w->right_stride, bytes);
  }
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int y = span.begin; y < span.end; y++) {
    if (job->frame->winners != NULL)
      finish_winners (job->frame->winners, job->k, y);
    else
      finish_row (job->frame, job->k, job->work, y);
  }
}

static StereoStatus
finish_cpu (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  Job job = {.frame = frame,.k = k,.work = work };

  stereo_cpu_for (frame->queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

const StereoBpStages STAGES = {
  .plan = plan_cpu,
  .prepare = prepare_cpu,
  .pyramid = pyramid_cpu,
  .descend = descend_cpu,
  .finish = finish_cpu,
};
