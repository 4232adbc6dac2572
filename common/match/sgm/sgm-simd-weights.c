/* gst-stereomatching: step inputs of semi-global matching with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-simd.h"

#include <string.h>

/* Pixels of a row from x on; 0 outside the row. */
ALWAYS_INLINE VecU8
load_pixels (const uint8_t * row, int x, int width)
{
  const int begin = x < 0 ? -x : 0;
  const int end = width - x < SIMD_BYTES ? width - x : SIMD_BYTES;
  uint8_t pixels[SIMD_BYTES] = { 0 };

  if (begin == 0 && end == SIMD_BYTES)
    return simd_load8 (row + x);
  if (begin < end)
    memcpy (pixels + begin, row + x + begin, (size_t) (end - begin));
  return simd_load8 (pixels);
}

/* g of the pixels from (x, y) on and a neighbour; undefined outside the
 * image. */
ALWAYS_INLINE VecU8
get_differences (const Task * t, int x, int y, int neighbor)
{
  const StereoView *left = &t->views->left;
  const int dx = neighbors[neighbor].dx, dy = neighbors[neighbor].dy;
  VecU8 most = { 0 };

  if (y + dy < 0 || y + dy >= t->k->height)
    return most;
  for (int c = 0; c < t->k->channels; c++) {
    const uint8_t *row = left->plane[c] + (size_t) y * left->stride;
    const uint8_t *other = left->plane[c] + (size_t) (y + dy) * left->stride;

    most = simd_max8 (most, simd_absdiff8 (load_pixels (row, x, t->k->width),
            load_pixels (other, x + dx, t->k->width)));
  }
  return most;
}

/* g of row y. */
static void
find_differences (const Task * t, int y, int neighbor, uint8_t * out)
{
  for (int x = 0; x < t->k->width; x += SIMD_BYTES)
    simd_store8 (out + x, get_differences (t, x, y, neighbor));
}

/* stereo_sgm_weights() of B and E, in place of their similarity.  Quotients of
 * such numbers round down correctly in floats. */
ALWAYS_INLINE void
divide_weights (const uint8_t * restrict a, uint8_t * restrict b,
    uint8_t * restrict e)
{
#pragma omp simd
  for (int i = 0; i < SIMD_BYTES; i++) {
    const float wb = (float) b[i], we = (float) e[i];
    const float all = (float) a[i] + wb + we;

    b[i] = (uint8_t) (int) ((128 * wb + all) / (2 * all));
    e[i] = (uint8_t) (int) ((128 * we + all) / (2 * all));
  }
}

/* Inputs of row y for the sweep from a straight neighbour with three
 * predecessors: g of A, and the weights of B and E. */
static void
find_weights (const Task * t, int y, int from,
    uint8_t * const out[MAX_VERTICAL])
{
  const bool across = from == NORTH || from == SOUTH;
  const int width = t->k->width, height = t->k->height;
  const SimdTable64 table = t->similarity;
  const VecU8 least = simd_set8 (1);

  for (int x = 0; x < width; x += SIMD_BYTES) {
    uint8_t u[MAX_VERTICAL][SIMD_BYTES];

    for (int i = 0; i < MAX_VERTICAL; i++) {
      const VecU8 g = get_differences (t, x, y, predecessors[from][i]);
      /* 1 for g >= 64 */
      VecU8 similarity = simd_max8 (simd_table64_get (&table, g), least);

      if (i == 0)
        simd_store8 (out[0] + x, g);
      else if (across)
        similarity &= i == 1 ? t->not_first : t->not_last;
      else if (i == 1 ? y % STEREO_SGM_STRIP == 0
          : y % STEREO_SGM_STRIP == STEREO_SGM_STRIP - 1 || y == height - 1)
        similarity = (VecU8) { 0 };
      simd_store8 (u[i], similarity);
    }
    if (across && width - 1 - x < SIMD_BYTES)
      u[2][width - 1 - x] = 0;
    divide_weights (u[0], u[1], u[2]);
    memcpy (out[1] + x, u[1], SIMD_BYTES);
    memcpy (out[2] + x, u[2], SIMD_BYTES);
  }
}

void
SGM (find_inputs) (const Band * b, bool down)
{
  const Task *t = b->task;
  const int n = t->k->three ? 4 : n_inputs (t->k);

  for (int i = 0; i < n; i++) {
    for (int j = 0; j < b->rows && (!down || neighbors[i].dy < 0); j++) {
      if (t->k->three) {
        uint8_t *const out[] = { weights_at (b, i, 0, j),
          weights_at (b, i, 1, j), weights_at (b, i, 2, j)
        };

        find_weights (t, b->y0 + j, i, out);
      } else {
        find_differences (t, b->y0 + j, i, input_at (b, i, j));
      }
    }
  }
}
