/* gst-stereomatching: crosses of bfv with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A vector holds the arms of neighbouring pixels in one direction, which grow
 * together until all have stopped.
 */

#include "match/bfv/bfv-simd.h"

#include "match/bfv/bfv-formula.h"
#include "core/cpu.h"
#include "simd/simd.h"

/* A copy of a view with margins for vector loads. */
typedef struct
{
  uint8_t *plane[3];            /* first pixel */
  /* By column, including the margins: 255 outside the image, else 0. */
  uint8_t *outside;
  size_t stride;
} Padded;

#define MARGIN stereo_round_up (STEREO_BFV_MAX_ARM + 2, SIMD_ALIGNMENT)

static void
allocate_padded (const StereoBfvConstants * k, StereoSubArena * arena,
    Padded * view)
{
  size_t rows = (size_t) k->height;

  view->stride = MARGIN + stereo_round_up ((size_t) k->width,
      SIMD_ALIGNMENT) + MARGIN;
  for (int c = 0; c < k->channels; c++) {
    view->plane[c] = stereo_take (arena, rows * view->stride, 1);
    if (view->plane[c] != NULL)
      view->plane[c] += MARGIN;
  }
  view->outside = stereo_take (arena, view->stride, 1);
  if (view->outside != NULL)
    view->outside += MARGIN;
}

/* Whether pixels at x of row p and at x + i of row q differ, as 255 or 0. */
ALWAYS_INLINE VecU8
differ (const uint8_t * const p[3], const uint8_t * const q[3], ptrdiff_t x,
    ptrdiff_t i, VecU8 threshold, bool color)
{
  VecU8 largest = simd_absdiff8 ((VecU8) simd_load16 (p[0] + x),
      (VecU8) simd_load16 (q[0] + x + i));

  for (int c = 1; c < (color ? 3 : 1); c++)
    largest = simd_max8 (largest, simd_absdiff8 ((VecU8) simd_load16 (p[c] + x),
            (VecU8) simd_load16 (q[c] + x + i)));
  return (VecU8) (largest > threshold);
}

/* Whether the pixels at distance i are outside or dissimilar. */
ALWAYS_INLINE VecU8
stops (const StereoBfvConstants * k, const Padded * view, int x, int y, int dx,
    int dy, int i, bool color)
{
  const VecU8 threshold = (VecU8) { 0 } + (uint8_t) k->arm_threshold;
  const uint8_t *p[3], *q[3];
  int yi = y + i * dy;

  if (yi < 0 || yi >= k->height)
    return ~(VecU8) { 0 };
  for (int c = 0; c < (color ? 3 : 1); c++) {
    p[c] = view->plane[c] + (size_t) y * view->stride;
    q[c] = view->plane[c] + (size_t) yi * view->stride;
  }
  if (dx == 0)
    return differ (p, q, x, 0, threshold, color);
  return differ (p, q, x, i * dx, threshold, color)
      | (VecU8) simd_load16 (view->outside + x + i * dx);
}

ALWAYS_INLINE void
arms_vector (const StereoBfvConstants * k, const Padded * view, int x, int y,
    int dx, int dy, bool color, uint8_t * arms)
{
  VecU8 longer = ~(VecU8) { 0 }, arm = (VecU8) { 0 } + 1;
  VecU8 near = stops (k, view, x, y, dx, dy, 2, color);

  for (int i = 1; i < k->arm_length; i++) {
    VecU8 far = stops (k, view, x, y, dx, dy, i + 2, color);

    longer &= ~(near & far);
    if (!simd_any8 (longer))
      break;
    arm -= longer;
    near = far;
  }
  if (dx != 0)
    arm &= ~(VecU8) simd_load16 (view->outside + x + dx);
  else if (y + dy < 0 || y + dy >= k->height)
    arm = (VecU8) { 0 };
  simd_store16 (arms, (VecU16) arm);
}

ALWAYS_INLINE void
crosses_row_impl (const StereoBfvConstants * k, const Padded * view, int y,
    bool color, bool sampled, uint32_t * row)
{
  for (int x = 0; x < k->width; x += SIMD_BYTES) {
    uint8_t arms[4][SIMD_BYTES];
    int n = k->width - x < SIMD_BYTES ? k->width - x : SIMD_BYTES;

    arms_vector (k, view, x, y, -1, 0, color, arms[0]);
    arms_vector (k, view, x, y, 1, 0, color, arms[1]);
    arms_vector (k, view, x, y, 0, -1, color, arms[2]);
    arms_vector (k, view, x, y, 0, 1, color, arms[3]);
    if (n == SIMD_BYTES && !sampled) {
      for (int i = 0; i < SIMD_BYTES; i++)
        row[x + i] = stereo_bfv_pack_arms (arms[0][i], arms[1][i], arms[2][i],
            arms[3][i]);
      continue;
    }
    for (int i = 0; i < n; i++) {
      uint32_t word = stereo_bfv_pack_arms (arms[0][i], arms[1][i], arms[2][i],
          arms[3][i]);

      row[x + i] = sampled ? stereo_bfv_sample_arms (k, word) : word;
    }
  }
}

static void
crosses_row (const StereoBfvConstants * k, const Padded * view, int y,
    bool sampled, uint32_t * row)
{
  if (sampled && k->sampling_x == 1 && k->sampling_y == 1)
    sampled = false;
  if (k->channels == 3)
    crosses_row_impl (k, view, y, true, sampled, row);
  else
    crosses_row_impl (k, view, y, false, sampled, row);
}

static void
copy_padded (const StereoBfvConstants * k, const StereoView * view, int y,
    const Padded * padded)
{
  for (int c = 0; c < k->channels; c++)
    memcpy (padded->plane[c] + (size_t) y * padded->stride,
        view->plane[c] + (size_t) y * view->stride, (size_t) k->width);
  if (y == 0) {
    memset (padded->outside - MARGIN, 0xff, padded->stride);
    memset (padded->outside, 0, (size_t) k->width);
  }
}

typedef struct
{
  const StereoBfvConstants *k;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  Padded padded[2];
} CrossesJob;

static void
padded_rows (const void *context, StereoSpan span)
{
  const CrossesJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    copy_padded (job->k, &job->views->left, y, &job->padded[0]);
    copy_padded (job->k, &job->views->right, y, &job->padded[1]);
  }
}

/* Rows of the left view, then the grid rows of the right view. */
static void
crosses_rows (const void *context, StereoSpan span)
{
  const CrossesJob *job = context;
  const StereoBfvConstants *k = job->k;
  size_t width = (size_t) k->width;

  for (int y = span.begin; y < span.end; y++) {
    int v = y - k->height;

    if (v < 0)
      crosses_row (k, &job->padded[0], y, false,
          job->m->left_arms + (size_t) y * width);
    else
      crosses_row (k, &job->padded[1], v * k->sampling_y, true,
          job->m->right_arms + (size_t) v * width);
  }
}

size_t
SIMD_NAME (stereo_bfv_crosses_bytes_) (const StereoBfvConstants * k)
{
  StereoSubArena arena = { NULL, 0 };
  Padded padded;

  allocate_padded (k, &arena, &padded);
  return 2 * arena.size;
}

StereoStatus
SIMD_NAME (stereo_bfv_crosses_) (StereoQueue * queue,
    const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m)
{
  StereoSubArena arena = { m->work->memory, 0 };
  CrossesJob job = {.k = k,.views = views,.m = m };

  allocate_padded (k, &arena, &job.padded[0]);
  allocate_padded (k, &arena, &job.padded[1]);
  stereo_cpu_for (queue, k->height, 0, padded_rows, &job);
  stereo_cpu_for (queue, k->height + k->grid_height, 8, crosses_rows, &job);
  return STEREO_OK;
}
