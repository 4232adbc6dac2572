/* gst-stereomatching: vector matching costs of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-simd.h"

#include <string.h>

static uint8_t *
mirrored (const Task * t, int plane, int y)
{
  return t->work->rows + ((size_t) plane * (size_t) t->k->height
      + (size_t) y) * t->mirror_stride + sgm_mirror_front (t->k);
}

/* A row of a plane of the right view; NULL: luma is computed. */
static const uint8_t *
right_row (const Task * t, int plane, int y)
{
  const StereoSgmViews *v = t->views;

  if (stereo_cost_uses_words (t->k->cost))
    return v->right_words.plane[plane]
        + (size_t) y * v->right_words.stride;
  if (stereo_cost_is_color (t->k->cost) || t->k->channels == 1)
    return v->right.plane[plane] + (size_t) y * v->right.stride;
  return NULL;
}

static void
mirror_row (const uint8_t * restrict source, int n, uint8_t * restrict target)
{
  for (int x = 0; x < n; x++)
    target[x] = source[n - 1 - x];
}

static void
mirror_luma (const Task * t, int y, uint8_t * target)
{
  const int n = t->k->width;

  for (int x = 0; x < n; x++)
    target[x] = (uint8_t) stereo_view_luma (&t->views->right, t->k->channels,
        n - 1 - x, y);
}

void
SGM (mirror_rows) (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int y = span.begin; y < span.end; y++) {
    for (int p = 0; p < t->n_planes; p++) {
      const uint8_t *source = right_row (t, p, y);

      if (source != NULL)
        mirror_row (source, t->k->width, mirrored (t, p, y));
      else
        mirror_luma (t, y, mirrored (t, p, y));
    }
  }
}

/* A left pixel and its right partners. */
typedef struct
{
  const uint8_t *right[3];      /* partner at the first disparity */
  VecU8 left[3];
} Costs;

/* Mean difference of three channels, for LANES disparities. */
ALWAYS_INLINE HalfVecU8
cost_of_rgb (const Costs * c, int i)
{
  VecU16 sum = simd_set16 (0), third;

  for (int p = 0; p < 3; p++) {
    VecU16 l = simd_set16 (c->left[p][0]), r = simd_widen8 (c->right[p] + i);
    VecU16 least = simd_min16 (l, r);

    sum += l + r - least - least;
  }
  /* a third, rounded down, or one less */
  third = sum * 85 >> 8;
  third -= (VecU16) (sum - third * 3 >= simd_set16 (3));
  return simd_narrow16 (third);
}

/* Whole vectors of costs of the window.  They do not exceed n_padded. */
ALWAYS_INLINE int
n_costs (const Band * b, int vector)
{
  return (b->window.end - b->window.begin + vector - 1) / vector * vector;
}

/* The partner in the mirrored view of column x at the window's begin. */
ALWAYS_INLINE int
first_partner (const Band * b, int x)
{
  const StereoSgmConstants *k = b->task->k;

  return k->width - 1 - x + k->min_disparity + k->first_index
      + b->window.begin;
}

/* Costs of a range of row y, as if every disparity had a partner.  The partners
 * of the next pixel begin one element before. */
static void
find_word_costs (const Band * b, Range r, int y, uint8_t * out)
{
  const Task *t = b->task;
  const StereoWords *words = &t->views->left_words;
  const int n = n_costs (b, SIMD_BYTES);
  const size_t pitch = t->n_padded;
  const uint8_t *left[4], *right[4];
  ptrdiff_t first = first_partner (b, r.x0);

  for (int p = 0; p < 4; p++) {
    left[p] = words->plane[p] + (size_t) y * words->stride;
    right[p] = mirrored (t, p, y);
  }
  for (int x = r.x0; x < r.x1; x++, first--, out += pitch) {
    const SimdWords pixel = simd_words_set_at (left, x);

    for (int i = 0; i < n; i += SIMD_BYTES) {
      const SimdWords partners = simd_words_load_at (right, first + i);

      simd_store8 (out + i, simd_words_cost (&pixel, &partners));
    }
  }
}

static void
find_rgb_costs (const Band * b, Range r, int y, uint8_t * out)
{
  const Task *t = b->task;
  const StereoView *left = &t->views->left;
  const int n = n_costs (b, LANES);

  for (int x = r.x0; x < r.x1; x++, out += t->n_padded) {
    const int at = first_partner (b, x);
    Costs c;

    for (int p = 0; p < 3; p++) {
      c.right[p] = mirrored (t, p, y) + at;
      c.left[p] = simd_set8 (left->plane[p][(size_t) y * left->stride
              + (size_t) x]);
    }
    for (int i = 0; i < n; i += LANES) {
      HalfVecU8 costs = cost_of_rgb (&c, i);

      memcpy (out + i, &costs, sizeof (costs));
    }
  }
}

static void
find_luma_costs (const Band * b, Range r, int y, uint8_t * out)
{
  const Task *t = b->task;
  const int n = n_costs (b, SIMD_BYTES);

  for (int x = r.x0; x < r.x1; x++, out += t->n_padded) {
    const VecU8 left = simd_set8 ((uint8_t) stereo_view_luma (&t->views->left,
            t->k->channels, x, y));
    const uint8_t *right = mirrored (t, 0, y) + first_partner (b, x);

    for (int i = 0; i < n; i += SIMD_BYTES)
      simd_store8 (out + i, simd_absdiff8 (left, simd_load8 (right + i)));
  }
}

/* Columns left of the first one with a partner at disparity d0 + i have its
 * cost, which column x0 gets first. */
static void
repeat_first (const Task * t, Range r, int y, int d0, int n, uint8_t * out)
{
  for (int i = stereo_clamp_int (r.x0 + 1 - d0, 0, n); i < n; i++)
    out[i] = (uint8_t) stereo_sgm_cost (t->k, t->views,
        stereo_partner_first (d0 + i), y, d0 + i);
  for (int x = r.x0 + 1; x < r.x1; x++) {
    const int i = stereo_clamp_int (x + 1 - d0, 0, n);

    memcpy (out + (size_t) (x - r.x0) * (size_t) t->n_padded + i, out + i,
        (size_t) (n - i));
  }
}

/* Likewise columns right of the last one. */
static void
repeat_last (const Task * t, Range r, int y, int d0, int n, uint8_t * out)
{
  const int width = t->k->width;
  uint8_t *last = out + (size_t) (r.x1 - 1 - r.x0) * (size_t) t->n_padded;

  for (int i = stereo_clamp_int (r.x1 - width - d0, 0, n) - 1; i >= 0; i--)
    last[i] = (uint8_t) stereo_sgm_cost (t->k, t->views,
        stereo_partner_last (width, d0 + i), y, d0 + i);
  for (int x = r.x0; x < r.x1 - 1; x++)
    memcpy (out + (size_t) (x - r.x0) * (size_t) t->n_padded, last,
        (size_t) stereo_clamp_int (x + 1 - width - d0, 0, n));
}

void
SGM (find_costs) (const Band * b, Range r, int j, uint8_t * out)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const int y = b->y0 + j;
  const int d0 = k->min_disparity + k->first_index + b->window.begin;
  const int n = b->window.end - b->window.begin;

  if (stereo_cost_uses_words (k->cost))
    find_word_costs (b, r, y, out);
  else if (t->n_planes == 3)
    find_rgb_costs (b, r, y, out);
  else
    find_luma_costs (b, r, y, out);
  if (r.x0 < stereo_partner_first (d0 + n - 1))
    repeat_first (t, r, y, d0, n, out);
  if (r.x1 - 1 > stereo_partner_last (k->width, d0))
    repeat_last (t, r, y, d0, n, out);
}
