/* gst-stereomatching: SIMD confidence of a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * The rings of a group of adjacent pixels are summed together, one pixel per
 * lane.  Pixels whose rings have samples beyond the left or the right edge are
 * left to the plain code.
 */

#include "core/cpu.h"
#include "refine/carry-simd.h"
#include "refine/refine-cpu.h"
#include "refine/stages-simd.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
#define MARGIN STEREO_CONFIDENCE_RADIUS (1)
/* Samples of a row of a ring. */
#define SAMPLES 9

/* Differences of codes are compared modulo 2^16. */
#define MAX_CODE 0xff00

typedef struct
{
  const StereoRefineJob *job;
  SimdTable64 weights;
  VecI16 limit;                 /* of the change of a code */
  VecU16 tolerance;             /* of the difference to the final code */
} Tables;

/* Adjacent pixels. */
typedef struct
{
  int x, y;                     /* of the first lane */
  VecU16 code;                  /* final */
  VecU8 left[3];                /* in the low bytes of 16-bit lanes */
} Group;

/* Sums of weights, at most 81 x 255. */
typedef struct
{
  VecU16 supporting, whole;
} Shares;

/* The row of a sample: its difference to the centre, and all ones if it
 * supports the final code. */
typedef struct
{
  VecU16 difference[SAMPLES + 1];
  VecU16 supports[SAMPLES + 1];
} Row;

ALWAYS_INLINE void
load_colors (const StereoView * left, int channels, int x, int y,
    VecU8 color[3])
{
  for (int c = 0; c < channels; c++)
    color[c] = (VecU8) simd_widen8 (left->plane[c] + (size_t) y * left->stride
        + (size_t) x);
}

/* Samples at (a, b) 2^scale pixels from the group. */
ALWAYS_INLINE void
compare_sample (const Tables * t, const Group * g, int channels, int scale,
    int a, int b, Row * row, int i)
{
  const StereoRefineWork *work = t->job->work;
  const int x = g->x + a * (1 << scale), y = g->y + b * (1 << scale);
  const VecU16 code = simd_load16 (stereo_map_row (&work->map, y) + x);
  const VecI16 change = simd_slope_carry (t->limit,
      simd_load_i16 (stereo_slope_row (work, 0, y) + x),
      simd_load_i16 (stereo_slope_row (work, 1, y) + x), a, b, scale);
  /* 0 to twice the tolerance */
  const VecU16 offset = code - g->code + (VecU16) change + t->tolerance;
  const VecU16 none = simd_set16 (0), ones = simd_set16 (UINT16_MAX);
  VecU8 color[3], most = { 0 };

  load_colors (t->job->left, channels, x, y, color);
  for (int c = 0; c < channels; c++)
    most = simd_max8 (most, simd_absdiff8 (color[c], g->left[c]));
  row->difference[i] = (VecU16) most;
  row->supports[i] = simd_select16 (simd_mask_equal16 (simd_min16 (offset,
              2 * t->tolerance), offset), simd_select16 (simd_mask_equal16
          (code, simd_set16 (STEREO_INVALID)), none, ones), none);
}

ALWAYS_INLINE void
add_row (const Tables * t, const Row * row, Shares * shares)
{
  for (int i = 0; i < SAMPLES + 1; i += 2) {
    const VecU16 weights = (VecU16) simd_table64_get (&t->weights,
        (VecU8) (row->difference[i] | row->difference[i + 1] << 8));
    const VecU16 first = weights & 0xff, second = weights >> 8;

    shares->whole += first + second;
    shares->supporting += (first & row->supports[i])
        + (second & row->supports[i + 1]);
  }
}

ALWAYS_INLINE void
add_ring (const Tables * t, const Group * g, int channels, int ring,
    Shares * shares)
{
  const int step = STEREO_CONFIDENCE_STEP (ring);
  const int reach = STEREO_CONFIDENCE_RADIUS (ring) / step;
  const int scale = __builtin_ctz ((unsigned) step);
  /* The last one of an even number has no weight. */
  Row row = {.difference[SAMPLES] = simd_set16 (255)};

  for (int b = -reach; b <= reach; b++) {
    if (g->y + b * step < 0 || g->y + b * step >= t->job->k->height)
      continue;
    for (int a = -reach; a <= reach; a++)
      compare_sample (t, g, channels, scale, a, b, &row, a + reach);
    add_row (t, &row, shares);
  }
}

_Static_assert (2 * STEREO_CONFIDENCE_RADIUS (0) / STEREO_CONFIDENCE_STEP (0)
    + 1 == SAMPLES && 2 * STEREO_CONFIDENCE_RADIUS (1)
    / STEREO_CONFIDENCE_STEP (1) + 1 == SAMPLES, "rows have other lengths");

ALWAYS_INLINE void
rate_group_impl (const Tables * t, int channels, int x, int y)
{
  const StereoRefineJob *job = t->job;
  const uint16_t *final = stereo_map_row (&job->work->final, y) + x;
  Group group = {.x = x,.y = y,.code = simd_load16 (final) };
  uint16_t supporting[2][LANES], whole[2][LANES];

  load_colors (job->left, channels, x, y, group.left);
  for (int ring = 0; ring < 2; ring++) {
    Shares shares = { {0}, {0} };

    add_ring (t, &group, channels, ring, &shares);
    simd_store16 (supporting[ring], shares.supporting);
    simd_store16 (whole[ring], shares.whole);
  }
  for (int i = 0; i < LANES; i++)
    stereo_refine_store_confidence (job, x + i, y, final[i] == STEREO_INVALID
        ? 0 : stereo_refine_confidence (job, x + i, y,
            stereo_confidence_share (supporting[0][i], whole[0][i]),
            stereo_confidence_share (supporting[1][i], whole[1][i])));
}

static void
rate_group (const Tables * t, int x, int y)
{
  if (t->job->k->channels == 1)
    rate_group_impl (t, 1, x, y);
  else
    rate_group_impl (t, 3, x, y);
}

static void
confidence_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const int tolerance = stereo_vote_tolerance (k->unit);
  const bool exact = k->unit * (k->num_disparities - 1) <= MAX_CODE;
  const Tables tables = {.job = job,
    .weights = simd_table64 (k->weight),
    .limit = simd_set_i16 ((int16_t) stereo_vote_limit (k->unit)),
    .tolerance = simd_set16 ((uint16_t) tolerance),
  };

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width;) {
      if (exact && x >= MARGIN && x + LANES + MARGIN <= k->width) {
        rate_group (&tables, x, y);
        x += LANES;
      } else {
        stereo_refine_rate_cpu (job, x++, y);
      }
    }
  }
}

StereoStatus
SIMD_NAME (stereo_confidence_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .left = left,.output = output
  };

  stereo_cpu_for (queue, k->height, 0, confidence_rows, &job);
  return STEREO_OK;
}
