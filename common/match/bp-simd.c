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
 *
 * A sweep runs several iterations at once: iteration t follows one row behind
 * iteration t - 1, as it needs only rows y - 1 to y + 1 of that.  So a row is
 * loaded once, from the start of its messages to its result, and meanwhile
 * stays in the second level cache.  Each thread sweeps a band of rows, whose
 * ends get shorter with every iteration; what is missing between two bands
 * follows when both are done.
 *
 * Numbers have 16 bits where bp.h says that they fit, that is all of int8 and
 * half; half messages are kept as the integers that fp16 would hold.  With
 * float everything has 32 bits.
 */

#include "match/bp-simd.h"

#include "match/bp-cpu.h"
#include "match/bp-pixel.h"
#include "core/cpu.h"
#include "refine/output.h"
#include "simd/simd.h"

#define STAGES SIMD_NAME (stereo_bp_stages_)

/* Elements in front of and behind each volume that may be read, and have no
 * meaning. */
#define MARGIN 128
/* Iterations of a sweep. */
#define MAX_SWEEP 8

enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

/* Rows of a thread's own, in scratch[2]: two views in halves, and sums. */
#define N_ROW_BUFFERS 6

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
half_size (const StereoBpConstants * k, int level)
{
  return half_pitch (k->level[level].width) * n_disparities (k);
}

/* Where half `half` of row y starts in data[level], and messages[level]. */
ALWAYS_INLINE size_t
data_offset (const StereoBpConstants * k, int level, int y, int half)
{
  return MARGIN + (2 * (size_t) y + (size_t) half) * half_size (k, level);
}

ALWAYS_INLINE size_t
messages_offset (const StereoBpConstants * k, int level, int y, int half,
    int direction)
{
  return MARGIN + ((2 * (size_t) y + (size_t) half) * 4 + (size_t) direction)
      * half_size (k, level);
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

/* As many 8- or 16-bit elements as a vector has lanes of twice the size. */
typedef uint8_t HalfVecU8 __attribute__ ((vector_size (SIMD_BYTES / 2)));
typedef uint16_t HalfVecU16 __attribute__ ((vector_size (SIMD_BYTES / 2)));

ALWAYS_INLINE VecU16
load_u8 (const uint8_t * p)
{
  HalfVecU8 v;

  memcpy (&v, p, sizeof (v));
  return __builtin_convertvector (v, VecU16);
}

ALWAYS_INLINE void
store_u8 (uint8_t * p, VecU16 x, size_t bytes)
{
  HalfVecU8 v = __builtin_convertvector (x, HalfVecU8);

  memcpy (p, &v, bytes);
}

ALWAYS_INLINE VecU16
load_u16 (const uint16_t * p)
{
  return simd_load16 (p);
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
load_u16_wide (const uint16_t * p)
{
  HalfVecU16 v;

  memcpy (&v, p, sizeof (v));
  return __builtin_convertvector (v, VecU32);
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
  const StereoBpConstants *k;
  const StereoBpWork *work;
  int level;
  const StereoMap *map;
  const StereoOutput *output;
} Job;

/* The three precisions.  A stage is NAME (stage). */

#define NAME(x) x##_int8
#define Message uint8_t
#define FineData uint8_t
#define Data uint16_t
#define Vec VecU16
#define LOAD_MESSAGE load_u8
#define STORE_MESSAGE store_u8
#define LOAD_FINE_DATA load_u8
#define LOAD_DATA load_u16
#define MIN simd_min16
#define KEEP_BEST simd_keep_best16
#define HALF 0
#include "match/bp-simd-tmpl.h"

#define NAME(x) x##_half
#define Message uint16_t
#define FineData uint8_t
#define Data uint16_t
#define Vec VecU16
#define LOAD_MESSAGE load_u16
#define STORE_MESSAGE store_half
#define LOAD_FINE_DATA load_u8
#define LOAD_DATA load_u16
#define MIN simd_min16
#define KEEP_BEST simd_keep_best16
#define HALF 1
#include "match/bp-simd-tmpl.h"

#define NAME(x) x##_float
#define Message uint32_t
#define FineData uint16_t
#define Data uint32_t
#define Vec VecU32
#define LOAD_MESSAGE load_u32
#define STORE_MESSAGE store_u32
#define LOAD_FINE_DATA load_u16_wide
#define LOAD_DATA load_u32
#define MIN simd_min32
#define KEEP_BEST simd_keep_best32
#define HALF 0
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

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  size_t threads = search->n_threads;

  (void) why;
  stereo_bp_plan_views_cpu (k, work, arena);
  for (int l = 0; l < k->n_levels; l++) {
    size_t volume = 2 * (size_t) k->level[l].height * half_size (k, l);

    stereo_arena_add (arena, &work->data[l], volume + 2 * MARGIN,
        l == 0 ? bytes_of[k->precision].fine_data
        : bytes_of[k->precision].data);
    stereo_arena_add (arena, &work->messages[l], 4 * volume + 2 * MARGIN,
        bytes_of[k->precision].message);
  }
  /* the best disparity: [y][half][pitch] */
  stereo_arena_add (arena, &work->scratch[1], 2 * (size_t) k->height
      * half_pitch (k->width) + 2 * MARGIN, sizeof (uint16_t));
  stereo_arena_add (arena, &work->scratch[2], N_ROW_BUFFERS
      * (half_pitch (k->width) + MARGIN) * threads, sizeof (uint32_t));
  stereo_arena_add (arena, &work->scratch[3], 4 * n_disparities (k) * threads,
      SIMD_BYTES);
  return STEREO_OK;
}

static StereoStatus
pyramid_cpu (StereoQueue * queue, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      pyramid_int8 (queue, k, work);
      break;
    case STEREO_BP_PRECISION_HALF:
      pyramid_half (queue, k, work);
      break;
    default:
      pyramid_float (queue, k, work);
      break;
  }
  return STEREO_OK;
}

static StereoStatus
descend_cpu (StereoQueue * queue, const StereoBpConstants * k, int level,
    const StereoBpWork * work)
{
  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      propagate_int8 (queue, k, work, level);
      break;
    case STEREO_BP_PRECISION_HALF:
      propagate_half (queue, k, work, level);
      break;
    default:
      propagate_float (queue, k, work, level);
      break;
  }
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoBpConstants *k = job->k;
  const StereoBpWork *work = job->work;
  const StereoMap *map = job->map;
  const StereoOutput *output = job->output;
  bool empty = k->first_index == k->end_index, inner = stereo_bp_has_inner (k);
  size_t pitch = half_pitch (k->width);

  for (int y = span.begin; y < span.end; y++) {
    int from = inner ? stereo_clamp_int (y, 1, k->height - 2) : y;
    const uint16_t *best = (const uint16_t *) work->scratch[1] + MARGIN
        + 2 * (size_t) from * pitch;

    for (int x = 0; x < k->width; x++) {
      int near = inner ? stereo_clamp_int (x, 1, k->width - 2) : x;
      unsigned index = STEREO_INVALID;

      if (!empty)
        index = (unsigned) k->first_index
            + best[(size_t) (near & 1) * pitch + (size_t) (near / 2)];
      stereo_store_index (map, output, x, y, index);
    }
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoBpConstants * k,
    const StereoBpWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.k = k,.work = work,.map = map,.output = output };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

const StereoBpStages STAGES = {
  .plan = plan_cpu,
  .prepare = stereo_bp_prepare_cpu,
  .pyramid = pyramid_cpu,
  .descend = descend_cpu,
  .finish = finish_cpu,
};
