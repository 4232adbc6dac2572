/* gst-stereomatching: belief propagation with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An iteration updates the pixels of a row with even or odd columns only.  Each
 * row is therefore stored as two halves, the even columns (0) and the odd ones
 * (1), and lanes are neighbours within a half: columns x, x + 2, x + 4, ...
 * The scan along disparities is then a loop over vectors, without shuffles.
 *
 *   data[level]      [y][half][disparity][pitch]
 *   messages[level]  [window][y][half][direction][disparity][pitch]
 *   edges[level]     [y][half][right, down][jump, M][pitch]
 *   halves           [y][view][plane][half][pitch]: input of level 0
 *
 * A sweep runs several iterations: iteration t needs rows y - 1 to y + 1 of
 * iteration t - 1 and follows it one row behind.  A row thus stays in a cache
 * from its first messages to its result.  Each thread sweeps a band of rows,
 * which shrinks at both ends with every iteration; the rows between two bands
 * follow when both are complete.
 *
 * Unless there are more iterations than a sweep has, levels are processed in
 * windows of some columns, so that the rows of a sweep stay in the second-level
 * cache of a thread, and the messages from which a finer level starts are close
 * together.  Every iteration invalidates one more column at the border of a
 * window, so windows overlap.  Level 0 takes most of the time, and its messages
 * are not needed afterwards: a window of it has memory only for the current
 * rows of the sweep, and bands overlap, too.
 *
 * Numbers have 16 bits where bp.h allows it, that is for int8 and half; half
 * messages are the integers that fp16 represents.  float has 32 bits.
 */

#include "match/bp/bp-cpu.h"

#include "core/cpu.h"
#include "cost/cost-simd.h"
#include "cost/partner.h"
#include "match/bp/bp-formula.h"
#include "refine/output.h"
#include "refine/winner-simd.h"
#include "simd/simd.h"

#include <stdlib.h>

/* Readable elements before and after each volume. */
#define MARGIN 128
/* Maximum iterations of a sweep. */
#define MAX_SWEEP 8
/* Bytes of the messages and data costs of a window, minimum elements of its
 * half rows, and minimum rows of its bands. */
#define WINDOW_BYTES (832u << 10)
#define MIN_WINDOW 64
#define MIN_WINDOW_BAND 32

/* Disparities by which messages of the coarser level are prefetched. */
#define PREFETCH 32

/* Rows of scratch memory of a thread: differences, or sums and minima. */
#define N_ROW_BUFFERS 4
/* Vectors whose beliefs are kept for the right view; few enough for the
 * cache. */
#define GROUP 4
/* Pixels whose differences, or pairs whose winners, are computed at a time. */
#define BLOCK 64

/* ------------------------------------------------------------------- layout */

ALWAYS_INLINE size_t
half_pitch (int width)
{
  return stereo_round_up ((size_t) width / 2 + 1, 16);
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

/* Offset of the jump of messages to and from the right (0) or down (1); M
 * follows. */
ALWAYS_INLINE size_t
edges_offset (const StereoBpConstants * k, int level, int y, int half,
    int direction)
{
  return MARGIN + ((2 * (size_t) y + (size_t) half) * 2 + (size_t) direction)
      * 2 * half_pitch (k->level[level].width);
}

/* Pixels of a half of a row. */
ALWAYS_INLINE int
half_width (int width, int half)
{
  return (width + 1 - half) / 2;
}

/* First and last pixel of a half off the frame. */
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
  const HalfVecU8 v = simd_narrow16 (x);

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

/* --------------------------------------------------------------- row halves */

/* A row of both views in halves: by side, half and, if there are several,
 * plane. */
typedef struct
{
  const uint16_t *luma[2][2];
  const uint8_t *planes[2][2][4];
} Rows;

/* Bytes of an element of the compared planes. */
ALWAYS_INLINE size_t
plane_element (const StereoBpConstants * k)
{
  return stereo_cost_is_luma (k->cost) ? 2 : 1;
}

/* Half `half` of row y of a plane. */
ALWAYS_INLINE uint8_t *
half_of_plane (const StereoBpConstants * k, const StereoBpWork * work, int y,
    int side, int plane, int half)
{
  size_t n_planes = (size_t) stereo_cost_planes (k->cost);
  size_t row = (((size_t) y * 2 + (size_t) side) * n_planes + (size_t) plane)
      * 2 + (size_t) half;

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
      for (int i = 0; i < stereo_cost_planes (k->cost); i++)
        rows.planes[side][half][i] = half_of_plane (k, work, y, side, i, half);
    }
  }
  return rows;
}

ALWAYS_INLINE void
split_bytes (const StereoBpConstants * k, const uint8_t * restrict row,
    uint8_t * restrict even, uint8_t * restrict odd)
{
  for (int x = 0; x < half_width (k->width, 0); x++)
    even[x] = row[2 * x];
  for (int x = 0; x < half_width (k->width, 1); x++)
    odd[x] = row[2 * x + 1];
}

ALWAYS_INLINE void
split_words (const StereoBpConstants * k, const uint16_t * restrict row,
    uint16_t * restrict even, uint16_t * restrict odd)
{
  for (int x = 0; x < half_width (k->width, 0); x++)
    even[x] = row[2 * x];
  for (int x = 0; x < half_width (k->width, 1); x++)
    odd[x] = row[2 * x + 1];
}

static void
split_rows (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;

  for (int y = span.begin; y < span.end; y++) {
    for (int i = 0; i < 2 * stereo_cost_planes (k->cost); i++) {
      int side = i & 1, plane = i / 2;
      const StereoView *view = side == 0 ? &a->frame->left
          : &a->frame->right;
      const StereoWords *words = side == 0 ? &a->frame->left_words
          : &a->frame->right_words;
      uint8_t *even = half_of_plane (k, a->work, y, side, plane, 0);
      uint8_t *odd = half_of_plane (k, a->work, y, side, plane, 1);

      if (stereo_cost_is_luma (k->cost))
        split_words (k, stereo_bp_view (a->work, side)
            + (size_t) y * stereo_bp_view_pitch (k), (uint16_t *) even,
            (uint16_t *) odd);
      else if (stereo_cost_is_color (k->cost))
        split_bytes (k, view->plane[plane] + (size_t) y * view->stride, even,
            odd);
      else
        split_bytes (k, words->plane[plane] + (size_t) y * words->stride,
            even, odd);
    }
  }
}

/* Costs of words of a vector of pixels: of a half of the left row from `left`
 * on, and of one of the right row from `right` on. */
ALWAYS_INLINE VecU8
words_cost_at (const Rows * rows, int half, int other, int left, int right)
{
  return simd_words_cost_at (rows->planes[0][half], left,
      rows->planes[1][other], right);
}

/* The same from `begin` on, up to a vector more than `count`. */
static void
words_differences (const Rows * rows, int half, int other, int shift,
    int begin, int count, uint16_t * difference)
{
  for (int i = begin; i < begin + count; i += SIMD_BYTES) {
    VecU8 c = words_cost_at (rows, half, other, i, i + shift);
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

/* Data costs, in bytes, of SIMD_BYTES pixels of a half from pixel i on, for a
 * gain of 16 bits: at n disparities from d on, `pitch` apart.  All pixels have
 * partners. */
static void
words_costs (const StereoBpConstants * k, const Rows * rows, int half, int i,
    int d, int n, size_t pitch, uint8_t * c)
{
  const uint16_t gain = (uint16_t) k->gain;
  const VecU8 limit = simd_set8 ((uint8_t) k->difference_limit);
  const SimdWords left = simd_words_load_at (rows->planes[0][half], i);

  for (int v = 0; v < n; v++, d++, c += pitch) {
    int other = (half - d) & 1, shift = (half - d - other) / 2;
    const SimdWords right = simd_words_load_at (rows->planes[1][other],
        i + shift);
    VecU16 t = (VecU16) simd_min8 (simd_words_cost (&left, &right), limit);

    simd_store8 (c, (VecU8) (scale_words (t & 255, gain)
            | scale_words (t >> 8, gain) << 8));
  }
}

/* Sums of the differences of three channels. */
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

/* Largest differences of the channels of pixels: to the right, and down. */
typedef struct
{
  uint8_t to[2][BLOCK];
} Differences;

/* Copies pixels x to x + n - 1 of row y of the left view of a level. */
static void
copy_guide (const StereoBpArgs * a, int x, int y, int n, uint32_t * pixels)
{
  const StereoView *view = &a->frame->left;
  size_t width = (size_t) a->k->level[a->level].width;

  if (a->level > 0) {
    memcpy (pixels, (const uint32_t *) a->work->guides[a->level]
        + (size_t) y * width + (size_t) x, (size_t) n * sizeof (*pixels));
    return;
  }
  memset (pixels, 0, (size_t) n * sizeof (*pixels));
  for (int c = 0; c < a->k->channels; c++) {
    const uint8_t *row = view->plane[c] + (size_t) y * view->stride
        + (size_t) x;

#pragma omp simd
    for (int i = 0; i < n; i++)
      pixels[i] |= (uint32_t) row[i] << 8 * c;
  }
}

/* Differences of `count` pixels from (x, y) on; 0 at the frame. */
static void
guide_differences (const StereoBpArgs * a, int x, int y, int count,
    Differences * g)
{
  StereoBpSize size = a->k->level[a->level];
  int right = x + count < size.width ? 1 : 0;
  uint32_t here[BLOCK + 1], below[BLOCK];

  copy_guide (a, x, y, count + right, here);
  if (!right)
    here[count] = here[count - 1];
  copy_guide (a, x, y < size.height - 1 ? y + 1 : y, count, below);
#pragma omp simd
  for (int i = 0; i < count; i++) {
    g->to[0][i] = (uint8_t) stereo_difference_max (here[i], here[i + 1]);
    g->to[1][i] = (uint8_t) stereo_difference_max (here[i], below[i]);
  }
}

/* Bytes of winners_row() per thread: beliefs of a group of vectors and of the
 * columns next to the frame, and the smallest ones with their indices for each
 * half of the left and of the right view. */
ALWAYS_INLINE size_t
winners_bytes (const StereoBpConstants * k)
{
  size_t n = n_disparities (k);

  return (n * GROUP * SIMD_BYTES + (2 * n + 8 * (half_pitch (k->width)
          + 2 * MARGIN)) * sizeof (uint32_t) + SIMD_BYTES - 1) / SIMD_BYTES
      * SIMD_BYTES;
}

/* ------------------------------------------------------------------ windows */

/* Whether levels are processed in windows. */
ALWAYS_INLINE bool
has_windows (const StereoBpConstants * k)
{
  return k->iterations <= MAX_SWEEP;
}

/* Overlap of windows in pixels of a half: at least one column more than
 * iterations.  It is a multiple of 4, so that blocks of 8 pixels need messages
 * of one window of the coarser level, and the last window has the last two
 * pixels of the image. */
ALWAYS_INLINE int
window_border (const StereoBpConstants * k)
{
  return (k->iterations + 8) / 8 * 4;
}

/* Pixels of a half of the rows of the windows of a level. */
ALWAYS_INLINE size_t
window_pitch (const StereoBpConstants * k, const StereoBpWindow * w, int level)
{
  size_t pitch = half_pitch (k->level[level].width);

  return has_windows (k) && w->pitch < pitch ? w->pitch : pitch;
}

/* Pixels of a half from a window of a level to the next one. */
ALWAYS_INLINE int
window_step (const StereoBpConstants * k, const StereoBpWindow * w, int level)
{
  return (int) window_pitch (k, w, level) - 2 * window_border (k);
}

ALWAYS_INLINE int
n_windows (const StereoBpConstants * k, const StereoBpWindow * w, int level)
{
  int pitch = (int) window_pitch (k, w, level);
  int width = half_width (k->level[level].width, 0);
  int step = window_step (k, w, level);

  return width > pitch ? 1 + (width - pitch + step - 1) / step : 1;
}

/* The window of a level with valid results for pixel i of a half. */
ALWAYS_INLINE int
window_at (const StereoBpConstants * k, const StereoBpWindow * w, int level,
    int i)
{
  int n = n_windows (k, w, level);

  return n == 1 ? 0 : stereo_clamp_int ((i - window_border (k))
      / window_step (k, w, level), 0, n - 1);
}

/* Elements of the messages of a window with a number of rows. */
ALWAYS_INLINE size_t
window_messages (const StereoBpConstants * k, size_t pitch, int rows)
{
  return 8 * (size_t) rows * half_size (k, pitch);
}

/* The windows of level 0 for elements of the given bytes. */
static StereoBpWindow
find_window (const StereoBpConstants * k, size_t message, size_t fine_data)
{
  size_t n = n_disparities (k), pitch = half_pitch (k->width), fitting, one;
  StereoBpWindow w = { .slots = k->iterations + 4 };

  /* bytes of one column of pixels */
  one = 2 * n * (4 * message + fine_data) * (size_t) w.slots;
  fitting = one > 0 ? WINDOW_BYTES / one / MIN_WINDOW * MIN_WINDOW : pitch;
  if (fitting < MIN_WINDOW)
    fitting = MIN_WINDOW;
  w.pitch = fitting < pitch ? fitting : pitch;
  w.messages = window_messages (k, w.pitch, w.slots) + 2 * MARGIN;
  w.data = 2 * (size_t) w.slots * half_size (k, w.pitch) + 2 * MARGIN;
  /* room for two whole rows, for level 1 */
  if (w.data < 4 * half_size (k, pitch) + 2 * MARGIN)
    w.data = 4 * half_size (k, pitch) + 2 * MARGIN;
  return w;
}

/* The three precisions: NAME adds the suffix of functions and types. */

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
#include "match/bp/bp-data-tmpl.h"
#include "match/bp/bp-messages-tmpl.h"
#include "match/bp/bp-winners-tmpl.h"
#include "match/bp/bp-sweep-tmpl.h"

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
#include "match/bp/bp-data-tmpl.h"
#include "match/bp/bp-messages-tmpl.h"
#include "match/bp/bp-winners-tmpl.h"
#include "match/bp/bp-sweep-tmpl.h"

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
#include "match/bp/bp-data-tmpl.h"
#include "match/bp/bp-messages-tmpl.h"
#include "match/bp/bp-winners-tmpl.h"
#include "match/bp/bp-sweep-tmpl.h"

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
 * per thread. */
static void
plan_fields (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena)
{
  size_t threads = search->n_threads, message = bytes_of[k->precision].message;
  size_t fine = bytes_of[k->precision].fine_data;

  work->window = find_window (k, message, fine);
  for (int l = 0; l < k->n_levels; l++) {
    const StereoBpSize size = k->level[l];

    if (l > 0 || !has_windows (k)) {
      stereo_arena_add (arena, &work->data[l], 2 * (size_t) size.height
          * half_size (k, half_pitch (size.width)) + 2 * MARGIN,
          l == 0 ? fine : bytes_of[k->precision].data);
      stereo_arena_add (arena, &work->messages[l], (size_t) n_windows (k,
              &work->window, l) * window_messages (k, window_pitch (k,
                  &work->window, l), size.height) + 2 * MARGIN, message);
    }
    if (k->edges)
      stereo_arena_add (arena, &work->edges[l],
          edges_offset (k, l, k->level[l].height, 0, 0) + MARGIN, message);
  }
  if (!has_windows (k))
    return;
  stereo_arena_add (arena, &work->messages[0], work->window.messages
      * message, threads);
  stereo_arena_add (arena, &work->data[0], work->window.data * fine, threads);
}

static StereoStatus
bp_plan_simd (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  size_t threads = search->n_threads;
  size_t n_planes = (size_t) stereo_cost_planes (k->cost);

  (void) why;
  stereo_bp_plan_views_cpu (k, work, arena);
  plan_fields (search, k, work, arena);
  stereo_arena_add (arena, &work->halves, 4 * n_planes * (size_t) k->height
      * half_pitch (k->width) + 2 * MARGIN, plane_element (k));
  /* the best disparities: [y][half][pitch] */
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

/* Functions of a precision. */
static const struct
{
  void (*make_edges) (const StereoBpArgs * a);
  void (*pyramid) (const StereoBpArgs * a);
  void (*descend) (const StereoBpArgs * a);
} functions_of[] = {
  [STEREO_BP_PRECISION_INT8] = {make_edges_int8, pyramid_int8, descend_int8},
  [STEREO_BP_PRECISION_HALF] = {make_edges_half, pyramid_half, descend_half},
  [STEREO_BP_PRECISION_FLOAT] =
      {make_edges_float, pyramid_float, descend_float},
};

static StereoStatus
prepare_simd (const StereoBpArgs * a)
{
  StereoStatus status = stereo_bp_prepare_cpu (a);

  if (status == STEREO_OK)
    stereo_cpu_for (a->frame->queue, a->k->height, 0, split_rows, a);
  if (status == STEREO_OK && a->k->edges)
    functions_of[a->k->precision].make_edges (a);
  return status;
}

static StereoStatus
pyramid_simd (const StereoBpArgs * a)
{
  functions_of[a->k->precision].pyramid (a);
  return STEREO_OK;
}

static StereoStatus
descend_simd (const StereoBpArgs * a)
{
  functions_of[a->k->precision].descend (a);
  return STEREO_OK;
}

/* Stores row y of a map or of codes. */
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

/* Stores winners of row y that winners_row() omits: on the frame, or of an
 * empty search. */
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
bp_finish_rows_simd (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;

  for (int y = span.begin; y < span.end; y++) {
    if (a->frame->winners != NULL)
      finish_winners (a->frame->winners, a->k, y);
    else
      finish_row (a->frame, a->k, a->work, y);
  }
}

static StereoStatus
finish_simd (const StereoBpArgs * a)
{
  stereo_cpu_for (a->frame->queue, a->k->height, 0, bp_finish_rows_simd, a);
  return STEREO_OK;
}

const StereoBpStages SIMD_NAME (stereo_bp_stages_) = {
  .plan = bp_plan_simd,
  .prepare = prepare_simd,
  .pyramid = pyramid_simd,
  .descend = descend_simd,
  .finish = finish_simd,
};
