/* gst-stereomatching: synthesised views on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view-cpu.h"

#include "core/cpu.h"
#include "geometry/view-pixel.h"
#include "simd/select.h"

#include <string.h>

/* Rows that a worker has of its own: those of a group of two rows. */
typedef struct
{
  StereoViewRow left[2];
  StereoViewRow right[2];
  int32_t *z;
  int32_t *other;               /* what is projected from the right view */
  int32_t *places;
  uint32_t *words[2][2];        /* by row and by eye */
} Worker;

#define N_ROWS (2 * 2 * 3 + 3 + 2 * 2)

typedef struct
{
  const StereoViewFrame *frame;
  const StereoViewRows *rows;
} Job;

static size_t
row_elements (const StereoViewFrame * f)
{
  return ((size_t) f->width + 15) / 16 * 16 + 2 * STEREO_VIEW_MARGIN;
}

static size_t
work_bytes (const StereoDevice * device, const StereoViewFrame * f)
{
  return device->n_threads * N_ROWS * row_elements (f) * sizeof (uint32_t);
}

static void *
next_row (uint32_t ** memory, size_t elements)
{
  uint32_t *row = *memory + STEREO_VIEW_MARGIN;

  *memory += elements;
  return row;
}

static void
hand_out (const StereoViewFrame * f, int worker, Worker * w)
{
  size_t n = row_elements (f);
  uint32_t *memory = (uint32_t *) f->work + (size_t) worker * N_ROWS * n;

  for (int r = 0; r < 2; r++) {
    StereoViewRow *both[2] = { &w->left[r], &w->right[r] };

    for (int i = 0; i < 2; i++) {
      both[i]->colors = next_row (&memory, n);
      both[i]->disparities = next_row (&memory, n);
      both[i]->marked = next_row (&memory, n);
      w->words[r][i] = next_row (&memory, n);
    }
  }
  w->z = next_row (&memory, n);
  w->other = next_row (&memory, n);
  w->places = next_row (&memory, n);
}

/* ------------------------------------------------------------------ colours */

static void
load_packed (const uint8_t * restrict row, int bytes, int first, int width,
    uint32_t * restrict words)
{
  int x = 0;

  if (bytes == 4) {
    for (; x < width; x++) {
      memcpy (&words[x], row + 4 * x, 4);
      words[x] = words[x] >> 8 * first & 0xffffffu;
    }
    return;
  }
  /* of 3 bytes, the fourth one is the next pixel's */
  for (; x < width - 1; x++) {
    memcpy (&words[x], row + 3 * x, 4);
    words[x] &= 0xffffffu;
  }
  words[x] = row[3 * x] | (uint32_t) row[3 * x + 1] << 8
      | (uint32_t) row[3 * x + 2] << 16;
}

static void
load_planar (const uint8_t * restrict luma, int pixel_bytes,
    const uint8_t * restrict u, const uint8_t * restrict v, int bytes,
    int shift, int width, uint32_t * restrict words)
{
  if (shift == 0) {
    for (int x = 0; x < width; x++)
      words[x] = luma[x * pixel_bytes] | (uint32_t) u[x * bytes] << 8
          | (uint32_t) v[x * bytes] << 16;
    return;
  }
  for (int x = 0; x < width; x++)
    words[x] = luma[x * pixel_bytes] | (uint32_t) u[(x >> 1) * bytes] << 8
        | (uint32_t) v[(x >> 1) * bytes] << 16;
}

static void
load_colors (const StereoViewFrame * f, const StereoOpImage * image, int y,
    uint32_t * words)
{
  const StereoViewFormat *k = &f->format;
  const uint8_t *row = image->plane[0] + (size_t) y * image->stride[0];
  const size_t cy = (size_t) (y >> k->shift_y);

  if (k->yuv) {
    load_planar (row + k->first, k->pixel_bytes,
        image->plane[k->u_plane] + cy * image->stride[k->u_plane]
        + k->u_offset,
        image->plane[k->v_plane] + cy * image->stride[k->v_plane]
        + k->v_offset, k->chroma_bytes, k->shift_x, f->width, words);
  } else if (k->channels == 3) {
    load_packed (row, k->pixel_bytes, k->first, f->width, words);
  } else {
    for (int x = 0; x < f->width; x++)
      words[x] = row[x];
  }
}

static void
store_packed (uint8_t * restrict row, int bytes, int first, int width,
    const uint32_t * restrict words)
{
  int x = 0;

  if (bytes == 4) {
    const uint32_t filler = first ? 0xffu : 0xff000000u;

    for (; x < width; x++) {
      const uint32_t word = words[x] << 8 * first | filler;

      memcpy (row + 4 * x, &word, 4);
    }
    return;
  }
  for (; x < width - 1; x++)
    memcpy (row + 3 * x, &words[x], 4);
  memcpy (row + 3 * x, &words[x], 3);
}

/* The mean of a channel over a block of pixels, of which n exist. */
STEREO_INLINE uint8_t
mean (uint32_t sum, int n)
{
  return (uint8_t) ((sum + (uint32_t) n / 2) / (uint32_t) n);
}

/* The chroma of one or of two rows of words. */
static void
store_chroma (const StereoViewFrame * f, uint32_t * const words[2], int n_rows,
    uint8_t * u, uint8_t * v)
{
  const int bytes = f->format.chroma_bytes, step = 1 << f->format.shift_x;
  const uint32_t *upper = words[0], *lower = words[n_rows - 1];
  int x = 0;

  /* rows that exist once count twice, which leaves the mean as it is */
  for (; x + step <= f->width; x += step, u += bytes, v += bytes) {
    uint32_t a = (upper[x] >> 8 & 0xff) + (lower[x] >> 8 & 0xff);
    uint32_t b = (upper[x] >> 16 & 0xff) + (lower[x] >> 16 & 0xff);

    if (step == 2) {
      a += (upper[x + 1] >> 8 & 0xff) + (lower[x + 1] >> 8 & 0xff);
      b += (upper[x + 1] >> 16 & 0xff) + (lower[x + 1] >> 16 & 0xff);
    }
    *u = mean (a, 2 * step);
    *v = mean (b, 2 * step);
  }
  if (x < f->width) {
    *u = mean ((upper[x] >> 8 & 0xff) + (lower[x] >> 8 & 0xff), 2);
    *v = mean ((upper[x] >> 16 & 0xff) + (lower[x] >> 16 & 0xff), 2);
  }
}

/* Writes n_rows rows of words to the frame, from row y and column x on. */
static void
store_colors (const StereoViewFrame * f, uint32_t * const words[2], int n_rows,
    int x, int y)
{
  const StereoViewFormat *k = &f->format;
  const StereoOpImage *o = &f->frame;
  const size_t cy = (size_t) (y >> k->shift_y);
  const size_t cx = (size_t) (x >> k->shift_x) * k->chroma_bytes;

  for (int r = 0; r < n_rows; r++) {
    uint8_t *row = o->plane[0] + (size_t) (y + r) * o->stride[0]
        + (size_t) x * k->pixel_bytes;

    if (k->channels == 3) {
      store_packed (row, k->pixel_bytes, k->first, f->width, words[r]);
    } else {
      for (int i = 0; i < f->width; i++)
        row[k->first + i * k->pixel_bytes] = (uint8_t) words[r][i];
      /* packed YUV has whole groups of two */
      if (k->pixel_bytes == 2 && f->width % 2 != 0)
        row[k->first + 2 * f->width] = (uint8_t) words[r][f->width - 1];
    }
  }
  if (k->yuv)
    store_chroma (f, words, n_rows,
        o->plane[k->u_plane] + cy * o->stride[k->u_plane] + cx + k->u_offset,
        o->plane[k->v_plane] + cy * o->stride[k->v_plane] + cx + k->v_offset);
}

/* -------------------------------------------------------------------- views */

/* Step 8 for the run that begins at x; returns its end. */
static int
fill_hole (const StereoViewFrame * f, const int32_t * z, uint32_t * words,
    int x)
{
  int end = x, from, step = -1, n = 0;
  uint32_t sum[3] = { 0, 0, 0 }, word = f->black;

  while (end < f->width && words[end] >> 24 == 0)
    end++;
  from = x - 1;
  if (x == 0 || (end < f->width && z[end] < z[x - 1])) {
    from = end;
    step = 1;
  }
  for (int i = from; n < 4 && i >= 0 && i < f->width && words[i] >> 24 != 0
      && stereo_view_joined (z[i], z[from], f->join); i += step, n++) {
    for (int c = 0; c < 3; c++)
      sum[c] += words[i] >> 8 * c & 0xff;
  }
  if (n > 0)
    word = mean (sum[0], n) | (uint32_t) mean (sum[1], n) << 8
        | (uint32_t) mean (sum[2], n) << 16;
  /* to the next run it is still a hole */
  while (x < end)
    words[x++] = word;
  return end;
}

static void
prepare_row (const Job * job, Worker * w, int y, int r)
{
  const StereoViewFrame *f = job->frame;
  const StereoViewRows *rows = job->rows;
  StereoViewRow *left = &w->left[r], *right = &w->right[r];

  rows->read (f, y, left->disparities);
  rows->fill (left->disparities, f->width);
  rows->mark (f, left);
  load_colors (f, &f->left, y, left->colors);
  if (f->right.plane[0] == NULL)
    return;
  rows->project (left->disparities, f->width, f->join, STEREO_VIEW_ONE, 0,
      w->places, right->disparities);
  rows->fill (right->disparities, f->width);
  rows->mark (f, right);
  load_colors (f, &f->right, y, right->colors);
}

/* Row r of a view. */
static void
render_row (const Job * job, Worker * w, const StereoViewShot * shot, int r,
    uint32_t * words)
{
  const StereoViewFrame *f = job->frame;
  const StereoViewRows *rows = job->rows;
  const bool both = f->right.plane[0] != NULL;

  rows->project (w->left[r].disparities, f->width, f->join, shot->position,
      shot->offset, w->places, w->z);
  if (both) {
    rows->project (w->right[r].disparities, f->width, f->join,
        shot->position - STEREO_VIEW_ONE, shot->offset, w->places, w->other);
    rows->complete (w->z, w->other, f->width);
  }
  rows->fill (w->z, f->width);
  if (rows->fetch (f, shot, &w->left[r], both ? &w->right[r] : NULL, w->z,
          words)) {
    for (int x = 0; x < f->width; x++) {
      if (words[x] >> 24 == 0)
        x = fill_hole (f, w->z, words, x);
    }
  }
}

/* Two eyes in one picture, in the place of the left one. */
static void
combine (const StereoViewFrame * f, uint32_t * left, const uint32_t * right,
    int y)
{
  const StereoViewFormat *k = &f->format;

  for (int x = 0; x < f->width; x++) {
    switch (f->layout) {
      case STEREO_VIEW_ROW_INTERLEAVED:
        left[x] = y % 2 != 0 ? right[x] : left[x];
        break;
      case STEREO_VIEW_COLUMN_INTERLEAVED:
        left[x] = x % 2 != 0 ? right[x] : left[x];
        break;
      case STEREO_VIEW_CHECKERBOARD:
        left[x] = (x + y) % 2 != 0 ? right[x] : left[x];
        break;
      default:{
        uint32_t l = f->luma[0] ? stereo_view_grey (left[x], k->r, k->g, k->b)
            : left[x];
        uint32_t r = f->luma[1] ? stereo_view_grey (right[x], k->r, k->g, k->b)
            : right[x];

        left[x] = (l & f->eye_mask) | (r & ~f->eye_mask);
        break;
      }
    }
  }
}

/* Where a view's tile begins. */
static void
locate_tile (const StereoViewFrame * f, int view, int *x, int *y)
{
  int row = view / f->columns;

  if (f->layout == STEREO_VIEW_QUILT)
    row = (f->n_views - 1) / f->columns - row;
  *x = view % f->columns * f->width;
  *y = row * f->height;
}

/* Rows y to y + n - 1 of all views. */
static void
render_group (const Job * job, Worker * w, int y, int n)
{
  const StereoViewFrame *f = job->frame;
  uint32_t *words[2] = { w->words[0][0], w->words[1][0] };

  for (int r = 0; r < n; r++)
    prepare_row (job, w, y + r, r);
  for (int view = 0; view < f->n_views; view++) {
    const bool tiled = stereo_view_is_tiled (f->layout);
    int tile_x = 0, tile_y = 0;

    for (int r = 0; r < n; r++) {
      if (f->layout != STEREO_VIEW_ROW_INTERLEAVED || (y + r) % 2 == view)
        render_row (job, w, &f->shots[view], r, w->words[r][tiled ? 0 : view]);
    }
    if (!tiled && view == 0)
      continue;
    for (int r = 0; r < n && !tiled; r++)
      combine (f, w->words[r][0], w->words[r][1], y + r);
    if (tiled)
      locate_tile (f, view, &tile_x, &tile_y);
    store_colors (f, words, n, tile_x, tile_y + y);
  }
}

static void
render_groups (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoViewFrame *f = job->frame;
  const int step = 1 << f->format.shift_y;
  Worker w;

  hand_out (f, span.worker, &w);
  for (int i = span.begin; i < span.end; i++) {
    const int y = i * step;

    render_group (job, &w, y, y + step > f->height ? f->height - y : step);
  }
}

static StereoStatus
render (StereoQueue * queue, const StereoViewFrame * f,
    const StereoViewRows * rows)
{
  const Job job = { f, rows };
  const int step = 1 << f->format.shift_y;

  stereo_cpu_for (queue, (f->height + step - 1) / step, 0, render_groups,
      &job);
  return STEREO_OK;
}

/* A stage table for each table of rows. */
#define STAGES(name, rows) \
  static StereoStatus \
  render_##name (StereoQueue * queue, const StereoViewFrame * frame) \
  { \
    return render (queue, frame, &rows); \
  } \
  static const StereoViewStages stages_##name = { \
    .work_bytes = work_bytes, \
    .render = render_##name, \
  }

STAGES (plain, stereo_view_rows);
STAGES (generic, stereo_view_rows_generic);
#ifdef STEREO_X86
STAGES (avx2, stereo_view_rows_avx2);
STAGES (avx512, stereo_view_rows_avx512);
#endif

const void *
stereo_view_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_plain, stages_);
}
