/* gst-stereomatching: plain stages of the correlation over a pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid-cpu.h"

#include "core/cpu.h"
#include "match/pyramid/pyramid-formula.h"
#include "refine/output.h"
#include "simd/select.h"

#include <string.h>

/* Offset of a pixel; coordinates are clamped. */
static size_t
offset_of (const StereoPyramidLevel * level, int x, int y)
{
  return (size_t) stereo_clamp_int (y, 0, level->height - 1) * level->stride
      + (size_t) stereo_clamp_int (x, 0, level->width - 1);
}

/* Calls body for the rows of the level, in parallel. */
static StereoStatus
for_rows (const StereoPyramidArgs * a, StereoPoolBody body)
{
  stereo_cpu_for (a->queue, a->level->height, 0, body, a);
  return STEREO_OK;
}

/* ------------------------------------------------------------------- levels */

static void
pyramid_start_rows_plain (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  bool color = a->k->channels == 3;

  for (int y = span.begin; y < span.end; y++) {
    for (int side = 0; side < 2; side++) {
      const StereoView *view = side ? a->right : a->left;
      uint32_t *words = (side ? a->level->right : a->level->left)
          + offset_of (a->level, 0, y);

      for (int x = 0; x < a->level->width; x++) {
        size_t p = (size_t) y * view->stride + (size_t) x;

        words[x] = stereo_pyramid_word (view->plane[0][p],
            view->plane[color ? 1 : 0][p], view->plane[color ? 2 : 0][p]);
      }
    }
  }
}

static StereoStatus
start_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, pyramid_start_rows_plain);
}

static uint32_t
smaller_word (const StereoPyramidLevel * fine, const uint32_t * view, int px,
    int py)
{
  uint32_t r = 0, g = 0, b = 0;

  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) {
      uint32_t weight = stereo_pyramid_tap (i, (uint32_t) px & 63u)
          * stereo_pyramid_tap (j, (uint32_t) py & 63u);
      uint32_t word = view[offset_of (fine, (px >> 6) - 2 + i,
              (py >> 6) - 2 + j)];

      r += weight * stereo_pyramid_r (word);
      g += weight * stereo_pyramid_g (word);
      b += weight * stereo_pyramid_b (word);
    }
  }
  return stereo_pyramid_pack (stereo_pyramid_smaller (r),
      stereo_pyramid_smaller (g), stereo_pyramid_smaller (b));
}

static void
downsample_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *fine = a->source, *coarse = a->level;

  for (int y = span.begin; y < span.end; y++) {
    int py = stereo_pyramid_position (y, fine->downsample_y, fine->height);

    for (int x = 0; x < coarse->width; x++) {
      int px = stereo_pyramid_position (x, fine->downsample_x, fine->width);
      size_t p = offset_of (coarse, x, y);

      coarse->left[p] = smaller_word (fine, fine->left, px, py);
      coarse->right[p] = smaller_word (fine, fine->right, px, py);
    }
  }
}

static StereoStatus
downsample_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, downsample_rows);
}

StereoStatus
stereo_pyramid_clear_cpu (const StereoPyramidArgs * a)
{
  size_t n = a->level->stride * (size_t) a->level->height;

  for (size_t p = 0; p < n; p++) {
    a->to->dx[p] = a->k->start;
    if (a->k->vertical)
      a->to->dy[p] = 0.0f;
    a->to->confidence[p] = 0.0f;
  }
  return STEREO_OK;
}

static float
upsample_pixel (const StereoPyramidLevel * coarse, const float *plane, int px,
    int py)
{
  int x = px >> 6, y = py >> 6;

  return stereo_pyramid_lerp (plane[offset_of (coarse, x, y)],
      plane[offset_of (coarse, x + 1, y)], plane[offset_of (coarse, x, y + 1)],
      plane[offset_of (coarse, x + 1, y + 1)], (float) (px & 63)
      * (1.0f / 64.0f), (float) (py & 63) * (1.0f / 64.0f));
}

static void
upsample_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *coarse = a->source, *fine = a->level;
  const StereoPyramidField *from = a->from, *to = a->to;

  for (int y = span.begin; y < span.end; y++) {
    int py = stereo_pyramid_position (y, fine->upsample_y, coarse->height);

    for (int x = 0; x < fine->width; x++) {
      int px = stereo_pyramid_position (x, fine->upsample_x, coarse->width);
      size_t p = offset_of (fine, x, y);

      to->dx[p] = upsample_pixel (coarse, from->dx, px, py) * fine->scale_x;
      if (a->k->vertical)
        to->dy[p] = upsample_pixel (coarse, from->dy, px, py) * fine->scale_y;
      to->confidence[p] = upsample_pixel (coarse, from->confidence, px, py);
    }
  }
}

static StereoStatus
upsample_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, upsample_rows);
}

/* -------------------------------------------------------------- correlation */

/* The moment of 5 x 5 products under G. */
static float
moment_of (float product[5][5])
{
  float row[5];

  for (int j = 0; j < 5; j++)
    row[j] = stereo_pyramid_five (product[j][0], product[j][1],
        product[j][2], product[j][3], product[j][4]);
  return stereo_pyramid_five (row[0], row[1], row[2], row[3], row[4]);
}

static void
prepare_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *level = a->level;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      float product[5][5];

      for (int j = 0; j < 5; j++) {
        for (int i = 0; i < 5; i++) {
          uint32_t word = level->left[offset_of (level, x - 2 + i,
                  y - 2 + j)];

          product[j][i] = (float) stereo_pyramid_product (word, word);
        }
      }
      a->inverse[offset_of (level, x, y)] =
          stereo_pyramid_inverse (moment_of (product));
    }
  }
}

static StereoStatus
prepare_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, prepare_rows);
}

/* A tile of the left view and of the warped right one, with the border that
 * the moments of its pixels and of their neighbours need. */
#define TILE 32
#define BORDER 3
#define SIDE (TILE + 2 * BORDER)

typedef struct
{
  uint32_t left[SIDE][SIDE];
  uint32_t warped[SIDE][SIDE];
} Tile;

static void
warp_tile (const StereoPyramidArgs * a, int x0, int y0, Tile * tile)
{
  const StereoPyramidLevel *level = a->level;

  for (int j = 0; j < SIDE; j++) {
    for (int i = 0; i < SIDE; i++) {
      int x = stereo_clamp_int (x0 - BORDER + i, 0, level->width - 1);
      int y = stereo_clamp_int (y0 - BORDER + j, 0, level->height - 1);
      size_t p = offset_of (level, x, y);

      tile->left[j][i] = level->left[p];
      tile->warped[j][i] = stereo_pyramid_fetch (level->right, level->stride,
          level->width, level->height,
          stereo_pyramid_target (x, a->from->dx[p], level->width),
          stereo_pyramid_target (y, a->k->vertical ? a->from->dy[p] : 0.0f,
              level->height));
    }
  }
}

/* The correlation of pixel (i, j) of the tile with the warped one moved by
 * (mx, my). */
static float
correlation_at (const Tile * tile, int i, int j, int mx, int my, float il)
{
  float product[5][5], self[5][5];

  for (int v = 0; v < 5; v++) {
    for (int u = 0; u < 5; u++) {
      uint32_t l = tile->left[j - 2 + v][i - 2 + u];
      uint32_t w = tile->warped[j - 2 + v + my][i - 2 + u + mx];

      product[v][u] = (float) stereo_pyramid_product (l, w);
      self[v][u] = (float) stereo_pyramid_product (w, w);
    }
  }
  return stereo_pyramid_correlation (moment_of (product), il,
      stereo_pyramid_inverse (moment_of (self)));
}

/* Pixel p of the level, which is (i, j) of the tile. */
static void
correlate_pixel (const StereoPyramidArgs * a, const Tile * tile, int i, int j,
    size_t p)
{
  const StereoPyramidField *from = a->from, *to = a->to;
  float il = a->inverse[p], trust, trust_y;
  float own = correlation_at (tile, i, j, 0, 0, il);

  to->dx[p] = from->dx[p] + stereo_pyramid_parabola (correlation_at (tile, i,
          j, -1, 0, il), own, correlation_at (tile, i, j, 1, 0, il), a->step,
      &trust);
  if (a->k->vertical) {
    to->dy[p] = from->dy[p] + stereo_pyramid_parabola (correlation_at (tile, i,
            j, 0, -1, il), own, correlation_at (tile, i, j, 0, 1, il), a->step,
        &trust_y);
    trust = trust * trust_y;
  }
  to->confidence[p] = a->first ? trust
      : stereo_pyramid_confidence (from->confidence[p], trust);
}

static void
correlate_tiles (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *level = a->level;
  int columns = (level->width + TILE - 1) / TILE;

  for (int t = span.begin; t < span.end; t++) {
    int x0 = t % columns * TILE, y0 = t / columns * TILE;
    Tile tile;

    warp_tile (a, x0, y0, &tile);
    for (int y = y0; y < y0 + TILE && y < level->height; y++) {
      for (int x = x0; x < x0 + TILE && x < level->width; x++)
        correlate_pixel (a, &tile, x - x0 + BORDER, y - y0 + BORDER,
            offset_of (level, x, y));
    }
  }
}

static StereoStatus
correlate_cpu (const StereoPyramidArgs * a)
{
  int columns = (a->level->width + TILE - 1) / TILE;
  int rows = (a->level->height + TILE - 1) / TILE;

  stereo_cpu_for (a->queue, columns * rows, 0, correlate_tiles, a);
  return STEREO_OK;
}

/* ---------------------------------------------------------------- diffusion */

/* stereo_pyramid_cross() of a plane's products with the confidence. */
static float
weighted_cross (const StereoPyramidLevel * level, const float *confidence,
    const float *plane, int x, int y)
{
  size_t left = offset_of (level, x - 1, y);
  size_t right = offset_of (level, x + 1, y);
  size_t up = offset_of (level, x, y - 1), down = offset_of (level, x, y + 1);
  size_t own = offset_of (level, x, y);

  return stereo_pyramid_cross (confidence[left] * plane[left],
      confidence[right] * plane[right], confidence[up] * plane[up],
      confidence[down] * plane[down], confidence[own] * plane[own]);
}

static void
diffuse_step_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *level = a->level;
  const StereoPyramidField *from = a->from, *to = a->to;
  const float *c = from->confidence;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      size_t p = offset_of (level, x, y);
      float r = 1.0f / stereo_pyramid_cross (c[offset_of (level, x - 1, y)],
          c[offset_of (level, x + 1, y)], c[offset_of (level, x, y - 1)],
          c[offset_of (level, x, y + 1)], c[p]);

      to->dx[p] = weighted_cross (level, c, from->dx, x, y) * r;
      if (a->k->vertical)
        to->dy[p] = weighted_cross (level, c, from->dy, x, y) * r;
      to->confidence[p] = weighted_cross (level, c, c, x, y) * r;
    }
  }
}

static float
mean_at (const StereoPyramidLevel * level, const float *plane, int x, int y)
{
  float row[3];

  for (int j = 0; j < 3; j++)
    row[j] = stereo_pyramid_three (plane[offset_of (level, x - 1, y - 1 + j)],
        plane[offset_of (level, x + 1, y - 1 + j)],
        plane[offset_of (level, x, y - 1 + j)]);
  return stereo_pyramid_three (row[0], row[2], row[1]) * STEREO_PYRAMID_NINTH;
}

static void
mean_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < a->level->width; x++) {
      size_t p = offset_of (a->level, x, y);

      a->to->dx[p] = mean_at (a->level, a->from->dx, x, y);
      if (a->k->vertical)
        a->to->dy[p] = mean_at (a->level, a->from->dy, x, y);
      a->to->confidence[p] = mean_at (a->level, a->from->confidence, x, y);
    }
  }
}

static void
copy_field (const StereoPyramidArgs * a, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  size_t bytes = a->level->stride * (size_t) a->level->height * sizeof (float);

  memcpy (to->dx, from->dx, bytes);
  if (a->k->vertical)
    memcpy (to->dy, from->dy, bytes);
  memcpy (to->confidence, from->confidence, bytes);
}

static StereoStatus
diffuse_cpu (const StereoPyramidArgs * a)
{
  for (int i = 0; i < a->level->diffusion; i++) {
    for_rows (a, diffuse_step_rows);
    copy_field (a, a->to, a->from);
  }
  return for_rows (a, mean_rows);
}

/* --------------------------------------------------- consistency and output */

static bool
is_consistent (const StereoPyramidArgs * a, int x, int y)
{
  const StereoPyramidLevel *level = a->level;
  size_t p = (size_t) y * level->stride + (size_t) x, q;
  float dx = a->to->dx[p], dy = a->k->vertical ? a->to->dy[p] : 0.0f;

  if (!stereo_pyramid_inside (x, dx, level->width)
      || !stereo_pyramid_inside (y, dy, level->height))
    return false;
  q = (size_t) stereo_pyramid_nearest (y, dy, level->height) * level->stride
      + (size_t) stereo_pyramid_nearest (x, dx, level->width);
  return stereo_pyramid_agrees (dx, a->from->dx[q], a->k->max_diff)
      && (!a->k->vertical
      || stereo_pyramid_agrees (dy, a->from->dy[q], a->k->max_diff));
}

static void
check_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;

  for (int y = span.begin; y < span.end; y++) {
    float *confidence = a->to->confidence + (size_t) y * a->level->stride;

    for (int x = 0; x < a->level->width; x++) {
      if (!is_consistent (a, x, y))
        confidence[x] = 0.0f;
    }
  }
}

StereoStatus
stereo_pyramid_check_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, check_rows);
}

/* Fills begin <= x < end between the valid pixels before and after, -1 where
 * the row ends. */
static void
fill_hole (const StereoPyramidField * field, size_t row, int begin, int end,
    int after)
{
  int from = stereo_pyramid_filler (field->dx + row, begin - 1, after);

  for (int x = begin; from >= 0 && x < end; x++) {
    field->dx[row + (size_t) x] = field->dx[row + (size_t) from];
    if (field->dy != NULL)
      field->dy[row + (size_t) x] = field->dy[row + (size_t) from];
  }
}

static void
fill_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  int width = a->level->width;

  for (int y = span.begin; y < span.end; y++) {
    size_t row = (size_t) y * a->level->stride;
    const float *confidence = a->to->confidence + row;

    for (int x = 0, begin; x < width; x++) {
      if (confidence[x] > 0.0f)
        continue;
      for (begin = x; x < width && !(confidence[x] > 0.0f); x++);
      fill_hole (a->to, row, begin, x, x < width ? x : -1);
    }
  }
}

StereoStatus
stereo_pyramid_fill_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, fill_rows);
}

static void
winner_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidConstants *k = a->k;
  const StereoWinners *w = a->winners;
  const int width = a->level->width;
  const int highest = k->unit * (k->num_disparities - 1);

  for (int y = span.begin; y < span.end; y++) {
    const size_t row = (size_t) y * a->level->stride;
    const float *dx = a->from->dx + row, *c = a->from->confidence + row;
    uint32_t *left = w->left + (size_t) y * w->left_stride;

    for (int x = 0; x < width; x++)
      left[x] = stereo_pyramid_winner (stereo_pyramid_code (dx[x], k->unit,
              k->min_disparity, highest), k->unit, c[x]);
    for (int x = 0; w->right != NULL && x < width; x++)
      w->right[(size_t) y * w->right_stride + (size_t) x] =
          stereo_pyramid_right_winner (a->back->dx[row + (size_t) x],
          k->min_disparity, k->num_disparities - 1);
  }
}

StereoStatus
stereo_pyramid_winners_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, winner_rows);
}

static void
store_displacement (const StereoOutput * output, int x, int y, bool valid,
    float value)
{
  if (output == NULL)
    return;
  if (valid)
    stereo_store_value (output, x, y, value);
  else
    stereo_store_raw (output, x, y, (uint16_t) output->invalid);
}

static void
pyramid_finish_rows_plain (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidField *field = a->from;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < a->level->width; x++) {
      size_t p = offset_of (a->level, x, y);
      bool valid = field->confidence[p] >= a->k->min_confidence;

      store_displacement (a->results[STEREO_RESULT_DISPARITY], x, y, valid,
          -field->dx[p]);
      store_displacement (a->results[STEREO_RESULT_VERTICAL], x, y, valid,
          a->k->vertical ? -field->dy[p] : 0.0f);
      store_displacement (a->results[STEREO_RESULT_CONFIDENCE], x, y, true,
          field->confidence[p]);
    }
  }
}

static StereoStatus
finish_cpu (const StereoPyramidArgs * a)
{
  return for_rows (a, pyramid_finish_rows_plain);
}

static const StereoPyramidStages stages_plain = {
  .start = start_cpu,
  .downsample = downsample_cpu,
  .clear = stereo_pyramid_clear_cpu,
  .prepare = prepare_cpu,
  .correlate = correlate_cpu,
  .diffuse = diffuse_cpu,
  .upsample = upsample_cpu,
  .census = stereo_pyramid_census_cpu,
  .select = stereo_pyramid_select_cpu,
  .check = stereo_pyramid_check_cpu,
  .fill = stereo_pyramid_fill_cpu,
  .winners = stereo_pyramid_winners_cpu,
  .finish = finish_cpu,
};

const void *stereo_pyramid_stages_cpu (StereoSimd simd);

const void *
stereo_pyramid_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_plain, stereo_pyramid_stages_);
}
