/* gst-stereomatching: row measurement on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The stages, for rows.c, which compiles them as plain code, and rows-simd.c,
 * which compiles them for each instruction set.  Loops over 16 columns and over
 * rows are written so that compilers use vectors.
 */

#ifndef STEREO_ROWS_CPU_H
#define STEREO_ROWS_CPU_H

#include "core/cpu.h"
#include "geometry/rows-formula.h"

#include <string.h>

/* Vector tables, in rows-simd.c. */
extern const StereoRowsStages stereo_rows_stages_generic;
extern const StereoRowsStages stereo_rows_stages_avx2;
extern const StereoRowsStages stereo_rows_stages_avx512;

/* Columns of a strip in the loops over scores. */
#define ROWS_STRIP 256

/* Rows, cells and corners at a time. */
#define ROWS_CHUNK 32

/* Row pitch of a patch: 13 columns and 3 that do not count. */
#define PATCH_PITCH 16

typedef struct
{
  const StereoRowsFrame *f;
  int view;
  int level;
} RowsLoop;

static inline const StereoRowsImage *
last_level (const StereoRowsFrame * f, int view)
{
  return &f->pyramid[view][f->n_levels];
}

/* -------------------------------------------------------------------- halve */

#ifndef ROWS_HALVE
static inline void
halve_row (const uint8_t * restrict above, const uint8_t * restrict below,
    uint8_t * restrict out, int width)
{
  for (int x = 0; x < width; x++)
    out[x] = stereo_rows_mean (above[2 * x], above[2 * x + 1], below[2 * x],
        below[2 * x + 1]);
}
#endif

static void
halve_rows (const void *context, StereoSpan span)
{
  const RowsLoop *loop = context;
  const StereoRowsImage *in = &loop->f->pyramid[loop->view][loop->level - 1];
  const StereoRowsImage *out = in + 1;

  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *above = in->pixels + (size_t) (2 * y) * in->stride;

    halve_row (above, above + in->stride, out->pixels
        + (size_t) y * out->stride, out->width);
  }
}

static inline StereoStatus
halve_cpu (StereoQueue * queue, const StereoRowsFrame * f)
{
  for (int level = 1; level <= f->n_levels; level++) {
    for (int view = 0; view < 2; view++) {
      const RowsLoop loop = { f, view, level };

      stereo_cpu_for (queue, f->pyramid[view][level].height, ROWS_CHUNK,
          halve_rows, &loop);
    }
  }
  return STEREO_OK;
}

/* ------------------------------------------------------------------ corners */

/* Column sums of the products of central differences over the last five rows,
 * of columns x0 - 2 to x0 + ROWS_STRIP + 2. */
typedef struct
{
  int32_t xx[ROWS_STRIP + 4];
  int32_t yy[ROWS_STRIP + 4];
  int32_t xy[ROWS_STRIP + 4];
} TensorColumns;

/* Adds (sign = 1) or subtracts (-1) a row; p: its pixel at x0 - 2. */
static inline void
add_tensor_row (TensorColumns * c, const uint8_t * p, size_t stride, int n,
    int sign)
{
  const uint8_t *above = p - stride, *below = p + stride;

  for (int i = 0; i < n; i++) {
    const int32_t x = p[i + 1] - p[i - 1], y = below[i] - above[i];

    c->xx[i] += sign * x * x;
    c->yy[i] += sign * y * y;
    c->xy[i] += sign * x * y;
  }
}

static inline void
score_row (const TensorColumns * c, float *scores, int n)
{
  for (int i = 0; i < n; i++) {
    const int32_t a = c->xx[i] + c->xx[i + 1] + c->xx[i + 2] + c->xx[i + 3]
        + c->xx[i + 4];
    const int32_t b = c->yy[i] + c->yy[i + 1] + c->yy[i + 2] + c->yy[i + 3]
        + c->yy[i + 4];
    const int32_t d = c->xy[i] + c->xy[i + 1] + c->xy[i + 2] + c->xy[i + 3]
        + c->xy[i + 4];

    scores[i] = stereo_corner_score (a, b, d);
  }
}

/* Scores of the pixels that may be corners, and one around them. */
static void
score_rows (const void *context, StereoSpan span)
{
  const RowsLoop *loop = context;
  const StereoRowsImage *image = last_level (loop->f, loop->view);
  const int margin = STEREO_CORNER_BORDER - 1, r = STEREO_TENSOR_RADIUS;
  const int end = image->width - margin;
  const int y0 = span.begin + margin, y1 = span.end + margin;

  for (int x0 = margin; x0 < end; x0 += ROWS_STRIP) {
    const int n = end - x0 < ROWS_STRIP ? end - x0 : ROWS_STRIP;
    const uint8_t *p = image->pixels + x0 - r;
    TensorColumns columns = { {0}, {0}, {0} };

    for (int y = y0 - r; y < y0 + r; y++)
      add_tensor_row (&columns, p + (size_t) y * image->stride, image->stride,
          n + 2 * r, 1);
    for (int y = y0; y < y1; y++) {
      add_tensor_row (&columns, p + (size_t) (y + r) * image->stride,
          image->stride, n + 2 * r, 1);
      score_row (&columns, loop->f->scores[loop->view] + (size_t) y
          * (size_t) image->width + x0, n);
      add_tensor_row (&columns, p + (size_t) (y - r) * image->stride,
          image->stride, n + 2 * r, -1);
    }
  }
}

/* The first best score of a cell; x = -1 if there is none. */
static inline StereoCorner
find_best (const StereoRowsFrame * f, int view, int cell, float *best)
{
  const StereoRowsImage *image = last_level (f, view);
  const StereoRowsCells *cells = &f->cells[view];
  const int x0 = STEREO_CORNER_BORDER + cell % cells->columns * cells->size;
  const int y0 = STEREO_CORNER_BORDER + cell / cells->columns * cells->size;
  const int most_x = image->width - STEREO_CORNER_BORDER;
  const int most_y = image->height - STEREO_CORNER_BORDER;
  const int x1 = x0 + cells->size < most_x ? x0 + cells->size : most_x;
  const int y1 = y0 + cells->size < most_y ? y0 + cells->size : most_y;
  StereoCorner corner = {.x = -1 };

  *best = STEREO_MIN_SCORE;
  for (int y = y0; y < y1; y++) {
    const float *scores = f->scores[view] + (size_t) y
        * (size_t) image->width;

    for (int x = x0; x < x1; x++) {
      if (scores[x] > *best) {
        *best = scores[x];
        corner.x = x;
        corner.y = y;
      }
    }
  }
  return corner;
}

/* Whether no score around a corner is larger: the neighbouring cell may have
 * it. */
static inline bool
is_peak (const StereoRowsFrame * f, int view, const StereoCorner * corner,
    float best)
{
  const size_t width = (size_t) last_level (f, view)->width;
  const float *at = f->scores[view] + (size_t) (corner->y - 1) * width
      + corner->x - 1;

  for (int i = 0; i < 9; i++) {
    if (at[(size_t) (i / 3) * width + (size_t) (i % 3)] > best)
      return false;
  }
  return true;
}

static void
find_corners (const void *context, StereoSpan span)
{
  const RowsLoop *loop = context;

  for (int cell = span.begin; cell < span.end; cell++) {
    float best;
    StereoCorner corner = find_best (loop->f, loop->view, cell, &best);

    if (corner.x >= 0 && !is_peak (loop->f, loop->view, &corner, best))
      corner.x = -1;
    loop->f->corners[loop->view][cell] = corner;
  }
}

static inline StereoStatus
corners_cpu (StereoQueue * queue, const StereoRowsFrame * f)
{
  for (int view = 0; view < 2; view++) {
    const RowsLoop loop = { f, view, f->n_levels };
    const int n_cells = f->cells[view].columns * f->cells[view].rows;
    StereoCorner *corners = f->corners[view];
    int n = 0;

    if (n_cells > 0)
      stereo_cpu_for (queue, last_level (f, view)->height
          - 2 * (STEREO_CORNER_BORDER - 1), ROWS_CHUNK, score_rows, &loop);
    stereo_cpu_for (queue, n_cells, ROWS_CHUNK, find_corners, &loop);
    for (int i = 0; i < n_cells; i++) {
      if (corners[i].x >= 0)
        corners[n++] = corners[i];
    }
    f->n_corners[view] = n;
  }
  return STEREO_OK;
}

/* ----------------------------------------------------------------- describe */

/* The neighbourhood, smoothed with (1 2 1) in both directions, at most 4080. */
static inline void
smooth_corner (const StereoRowsImage * image, const StereoCorner * c,
    uint16_t out[STEREO_DESCRIPTOR_SIZE][STEREO_DESCRIPTOR_SIZE])
{
  const int r = STEREO_DESCRIPTOR_RADIUS, n = STEREO_DESCRIPTOR_SIZE;

  for (int y = 0; y < n; y++) {
    const uint8_t *p = image->pixels + (size_t) (c->y - r + y) * image->stride
        + c->x - r;
    const uint8_t *above = p - image->stride, *below = p + image->stride;
    uint16_t sums[STEREO_DESCRIPTOR_SIZE + 2];

    for (int x = 0; x < n + 2; x++)
      sums[x] = (uint16_t) (above[x - 1] + 2 * p[x - 1] + below[x - 1]);
    for (int x = 0; x < n; x++)
      out[y][x] = (uint16_t) (sums[x] + 2 * sums[x + 1] + sums[x + 2]);
  }
}

static void
describe_corners (const void *context, StereoSpan span)
{
  const RowsLoop *loop = context;
  const int r = STEREO_DESCRIPTOR_RADIUS;

  for (int i = span.begin; i < span.end; i++) {
    StereoCorner *c = &loop->f->corners[loop->view][i];
    uint16_t smooth[STEREO_DESCRIPTOR_SIZE][STEREO_DESCRIPTOR_SIZE];

    smooth_corner (last_level (loop->f, loop->view), c, smooth);
    for (int word = 0; word < 4; word++) {
      const int8_t *at = loop->f->pattern + 256 * word;
      uint64_t bits = 0;

      for (int b = 0; b < 64; b++, at += 4)
        bits |= (uint64_t) (smooth[r + at[1]][r + at[0]]
            < smooth[r + at[3]][r + at[2]]) << b;
      c->descriptor[word] = bits;
    }
  }
}

static inline StereoStatus
describe_cpu (StereoQueue * queue, const StereoRowsFrame * f)
{
  for (int view = 0; view < 2; view++) {
    const RowsLoop loop = { f, view, f->n_levels };

    stereo_cpu_for (queue, f->n_corners[view], ROWS_CHUNK, describe_corners,
        &loop);
  }
  return STEREO_OK;
}

/* -------------------------------------------------------------------- match */

#if defined (__POPCNT__) || defined (__aarch64__)
#define count_bits __builtin_popcountll
#else
static inline int
count_bits (uint64_t v)
{
  const uint64_t ones = UINT64_C (0x0101010101010101);

  v -= v >> 1 & 0x55 * ones;
  v = (v & 0x33 * ones) + (v >> 2 & 0x33 * ones);
  v = (v + (v >> 4)) & 0x0f * ones;
  return (int) (v * ones >> 56);
}
#endif

static inline int
corner_distance (const StereoCorner * a, const StereoCorner * b)
{
  int n = 0;

  for (int i = 0; i < 4; i++)
    n += count_bits (a->descriptor[i] ^ b->descriptor[i]);
  return n;
}

/* Whether corners are more than 2 pixels apart in a direction. */
static inline bool
is_apart (const StereoCorner * a, const StereoCorner * b)
{
  const int x = a->x - b->x, y = a->y - b->y;

  return x > 2 || x < -2 || y > 2 || y < -2;
}

/* The indices of the corners that may be near enough in y.  Corners are in the
 * order of rows of cells, so an earlier one is less than a cell below a later
 * one. */
static inline StereoSpan
find_span (const StereoCorner * corners, int n, int cell, int first_y,
    int last_y)
{
  const int step = 32;
  StereoSpan span = { 0, 0 };

  while (span.begin + step < n
      && corners[span.begin + step].y + cell < first_y)
    span.begin += step;
  span.end = span.begin;
  while (span.end < n && corners[span.end].y - cell <= last_y)
    span.end += step;
  span.end = span.end < n ? span.end : n;
  return span;
}

/* distances: room for a span. */
static inline StereoCornerNearest
find_nearest (const StereoRowsImage * last, const StereoCorner * self,
    const StereoCorner * corners, StereoSpan span, int16_t * distances)
{
  StereoCornerNearest best = { -1, STEREO_NO_HAMMING, STEREO_NO_HAMMING };

  for (int i = span.begin; i < span.end; i++) {
    int distance = STEREO_NO_HAMMING;

    if (stereo_corners_near (last, corners[i].x - self->x,
            corners[i].y - self->y))
      distance = corner_distance (self, &corners[i]);
    distances[i - span.begin] = (int16_t) distance;
    if (distance < best.distance) {
      best.distance = distance;
      best.other = i;
    }
  }
  for (int i = span.begin; i < span.end && best.other >= 0; i++) {
    if (distances[i - span.begin] < best.second
        && is_apart (&corners[i], &corners[best.other]))
      best.second = distances[i - span.begin];
  }
  return best;
}

static void
match_corners (const void *context, StereoSpan span)
{
  const RowsLoop *loop = context;
  const StereoRowsFrame *f = loop->f;
  const StereoRowsImage *last = last_level (f, 0);
  const int other = !loop->view, reach = last->height / 6;
  const StereoCorner *others = f->corners[other];
  int16_t distances[STEREO_MAX_RIGHT_CORNERS];

  for (int i = span.begin; i < span.end; i++) {
    const StereoCorner *self = &f->corners[loop->view][i];
    const StereoSpan near = find_span (others, f->n_corners[other],
        f->cells[other].size, self->y - reach, self->y + reach);

    f->nearest[loop->view][i] = find_nearest (last, self, others, near,
        distances);
  }
}

static inline StereoStatus
match_cpu (StereoQueue * queue, const StereoRowsFrame * f)
{
  for (int view = 0; view < 2; view++) {
    const RowsLoop loop = { f, view, f->n_levels };

    stereo_cpu_for (queue, f->n_corners[view], ROWS_CHUNK, match_corners,
        &loop);
  }
  return STEREO_OK;
}

/* ------------------------------------------------------------------- refine */

/* The left patch and its central differences; columns from 13 on are 0. */
typedef struct
{
  int16_t l[STEREO_PATCH_SIZE][PATCH_PITCH];
  int16_t x[STEREO_PATCH_SIZE][PATCH_PITCH];
  int16_t y[STEREO_PATCH_SIZE][PATCH_PITCH];
} LeftPatch;

static inline void
read_left (const StereoRowsImage * image, int x, int y, LeftPatch * patch)
{
  const int r = STEREO_PATCH_RADIUS;
  const uint8_t *p = image->pixels + (size_t) (y - r) * image->stride + x - r;

  memset (patch, 0, sizeof (*patch));
  for (int i = 0; i < STEREO_PATCH_SIZE; i++, p += image->stride) {
    const uint8_t *above = p - image->stride, *below = p + image->stride;

    for (int j = 0; j < STEREO_PATCH_SIZE; j++) {
      patch->l[i][j] = p[j];
      patch->x[i][j] = (int16_t) (p[j + 1] - p[j - 1]);
      patch->y[i][j] = (int16_t) (below[j] - above[j]);
    }
  }
}

static inline StereoPatchSums
sum_left (const LeftPatch * patch)
{
  StereoPatchSums s = { 0 };

  for (int i = 0; i < STEREO_PATCH_SIZE; i++) {
    for (int j = 0; j < PATCH_PITCH; j++) {
      const int32_t l = patch->l[i][j], x = patch->x[i][j];
      const int32_t y = patch->y[i][j];

      s.l += l;
      s.x += x;
      s.y += y;
      s.xx += x * x;
      s.xy += x * y;
      s.yy += y * y;
      s.xl += x * l;
      s.yl += y * l;
      s.ll += l * l;
    }
  }
  return s;
}

/* The right patch with its right and lower neighbours: pixels are read 17 at a
 * time, so a patch at the end of the image is copied. */
typedef struct
{
  const uint8_t *pixels;
  size_t stride;
  uint8_t copy[(STEREO_PATCH_SIZE + 1) * 2 * PATCH_PITCH];
} RightPatch;

static inline void
read_right (const StereoRowsImage * image, const StereoPatchPlace * at,
    RightPatch * patch)
{
  patch->pixels = image->pixels + (size_t) at->y * image->stride + at->x;
  patch->stride = image->stride;
  if (at->x + PATCH_PITCH + 1 <= image->width)
    return;
  memset (patch->copy, 0, sizeof (patch->copy));
  for (int i = 0; i <= STEREO_PATCH_SIZE; i++)
    memcpy (patch->copy + 2 * PATCH_PITCH * i, patch->pixels
        + (size_t) i * image->stride, STEREO_PATCH_SIZE + 1);
  patch->pixels = patch->copy;
  patch->stride = 2 * PATCH_PITCH;
}

static inline StereoPatchRight
sum_right (const LeftPatch * left, const StereoRowsImage * image,
    const StereoPatchPlace * at)
{
  static const int32_t mask[PATCH_PITCH] = { -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1
  };
  StereoPatchRight s = { 0, 0, 0, 0, 0 };
  RightPatch right;

  read_right (image, at, &right);
  for (int i = 0; i < STEREO_PATCH_SIZE; i++) {
    const uint8_t *p = right.pixels + (size_t) i * right.stride;
    int32_t squares = 0;

    for (int j = 0; j < PATCH_PITCH; j++) {
      const int32_t v = stereo_patch_pixel (at, p + j, right.stride) & mask[j];

      s.r += v;
      s.xr += left->x[i][j] * v;
      s.yr += left->y[i][j] * v;
      s.lr += left->l[i][j] * v;
      squares += v * v;
    }
    s.rr += squares;
  }
  return s;
}

/* Refines m->dx and m->dy, in 1/256 pixel of this level, around the left pixel
 * (x, y).  False if the match is lost. */
static bool
refine_level (const StereoRowsFrame * f, int level, int x, int y,
    StereoRowMatch * m)
{
  const StereoRowsImage *left = &f->pyramid[STEREO_LEFT][level];
  const StereoRowsImage *right = &f->pyramid[STEREO_RIGHT][level];
  LeftPatch patch;
  StereoPatchSums sums;
  StereoPatchInverse inverse;
  bool done = false;

  if (!stereo_patch_inside (left, x, y, STEREO_PATCH_RADIUS))
    return false;
  read_left (left, x, y, &patch);
  sums = sum_left (&patch);
  if (!stereo_patch_invert (&sums, &inverse))
    return false;
  for (int step = 0;; step++) {
    StereoPatchPlace place;
    StereoPatchRight r;
    int step_x = 0, step_y = 0;

    if (!stereo_patch_place (right, x, y, m->dx, m->dy, &place))
      return false;
    r = sum_right (&patch, right, &place);
    if (done || step == STEREO_PATCH_STEPS) {
      stereo_patch_quality (&sums, &r, &inverse, &m->correlation,
          &m->variance);
      return true;
    }
    if (!stereo_patch_step (&sums, &r, &inverse, &step_x, &step_y))
      return false;
    m->dx += step_x;
    m->dy += step_y;
    done = step_x >= -1 && step_x <= 1 && step_y >= -1 && step_y <= 1;
  }
}

/* Sums around the pixel (x, y) of a view. */
static inline void
sum_photo (const StereoRowsImage * image, int x, int y, int view,
    StereoRowMatch * m)
{
  const int r = STEREO_PHOTO_RADIUS;

  for (int i = -r; i <= r; i++) {
    const uint8_t *p = image->pixels + (size_t) (y + i) * image->stride + x;
    const uint8_t *above = p - image->stride, *below = p + image->stride;

    for (int j = -r; j <= r; j++) {
      const int32_t c = p[j];
      const int32_t right = p[j + 1] - c, down = below[j] - c;
      const int32_t across = p[j + 1] - 2 * c + p[j - 1];
      const int32_t along = below[j] - 2 * c + above[j];

      m->sum[view] += c;
      m->squares[view] += c * c;
      m->first[view] += right * right + down * down;
      m->second[view] += across * across + along * along;
    }
  }
}

static void
measure_photo (const StereoRowsFrame * f, StereoRowMatch * m)
{
  const StereoRowsImage *left = &f->pyramid[STEREO_LEFT][0];
  const StereoRowsImage *right = &f->pyramid[STEREO_RIGHT][0];
  const int x = stereo_match_pixel (m->x, m->dx);
  const int y = stereo_match_pixel (m->y, m->dy);

  if (!stereo_patch_inside (left, m->x, m->y, STEREO_PHOTO_RADIUS)
      || !stereo_patch_inside (right, x, y, STEREO_PHOTO_RADIUS))
    return;
  sum_photo (left, m->x, m->y, STEREO_LEFT, m);
  sum_photo (right, x, y, STEREO_RIGHT, m);
}

/* False if left corner i has no match. */
static bool
refine_corner (const StereoRowsFrame * f, int i, StereoRowMatch * m)
{
  const StereoCornerNearest *n = &f->nearest[STEREO_LEFT][i];
  const StereoCorner *a = &f->corners[STEREO_LEFT][i], *b;
  int start_x, start_y;

  if (!stereo_corner_is_match (n) || f->nearest[STEREO_RIGHT][n->other].other
      != i)
    return false;
  b = &f->corners[STEREO_RIGHT][n->other];
  start_x = (b->x - a->x) * 256;
  start_y = (b->y - a->y) * 256;
  *m = (StereoRowMatch) {
    .x = stereo_corner_position (a->x, f->n_levels),
    .y = stereo_corner_position (a->y, f->n_levels),
    .dx = start_x,
    .dy = start_y,
    .hamming = n->distance,
  };
  for (int level = f->n_levels; level >= 0; level--) {
    if (!refine_level (f, level, m->x >> level, m->y >> level, m))
      return false;
    if (level == f->n_levels
        && !stereo_patch_stays (m->dx - start_x, m->dy - start_y))
      return false;
    m->dx *= level > 0 ? 2 : 1;
    m->dy *= level > 0 ? 2 : 1;
  }
  if (m->correlation < STEREO_MIN_CORRELATION)
    return false;
  measure_photo (f, m);
  return true;
}

static void
refine_corners (const void *context, StereoSpan span)
{
  const StereoRowsFrame *f = context;

  for (int i = span.begin; i < span.end; i++) {
    if (!refine_corner (f, i, &f->refined[i]))
      f->refined[i].hamming = -1;
  }
}

static inline StereoStatus
refine_cpu (StereoQueue * queue, const StereoRowsFrame * f)
{
  StereoRowsHeader header = {
    .n_corners = {f->n_corners[STEREO_LEFT], f->n_corners[STEREO_RIGHT]},
    .n_levels = f->n_levels,
  };

  stereo_cpu_for (queue, f->n_corners[STEREO_LEFT], ROWS_CHUNK / 4,
      refine_corners, f);
  for (int i = 0; i < f->n_corners[STEREO_LEFT]; i++) {
    if (f->refined[i].hamming >= 0)
      memcpy (f->out + (size_t) ++header.n_matches * f->out_stride,
          &f->refined[i], sizeof (f->refined[i]));
  }
  memcpy (f->out, &header, sizeof (header));
  for (int y = 1 + header.n_matches; y < STEREO_ROWS_HEIGHT; y++)
    memset (f->out + (size_t) y * f->out_stride, 0, sizeof (header));
  return STEREO_OK;
}

#define ROWS_STAGES { \
    .halve = halve_cpu, \
    .corners = corners_cpu, \
    .describe = describe_cpu, \
    .match = match_cpu, \
    .refine = refine_cpu, \
  }

#endif /* STEREO_ROWS_CPU_H */
