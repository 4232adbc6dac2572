/* gst-stereomatching: virtual views on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view-cpu.h"

#include "core/cpu.h"
#include "geometry/view-formula.h"
#include "simd/select.h"

#include <string.h>

/* The private rows of a worker: those of a group of two rows. */
typedef struct
{
  StereoViewRow left[2];
  StereoViewRow right[2];
  int32_t *z;
  int32_t *other;               /* what is projected from the right view */
  int32_t *spans;
  StereoViewColors eyes[2][2];  /* by eye and by row */
} Worker;

typedef struct
{
  const StereoViewFrame *frame;
  const StereoViewRows *rows;
} Job;

static size_t
row_elements (const StereoViewFrame * f)
{
  return stereo_round_up ((size_t) f->width, 16) + 2 * STEREO_VIEW_MARGIN;
}

/* Those that a row of colours has. */
static size_t
count_channels (const StereoViewFrame * f)
{
  return f->format.wide && f->format.yuv ? 3 : 1;
}

static size_t
count_rows (const StereoViewFrame * f)
{
  return 2 * 2 * (2 + 2 * count_channels (f)) + 3;
}

static size_t
work_bytes (const StereoDevice * device, const StereoViewFrame * f)
{
  return device->n_threads * count_rows (f) * row_elements (f)
      * sizeof (uint32_t);
}

static void *
next_row (uint32_t ** memory, size_t elements)
{
  uint32_t *row = *memory + STEREO_VIEW_MARGIN;

  *memory += elements;
  return row;
}

static StereoViewColors
next_colors (const StereoViewFrame * f, uint32_t ** memory)
{
  StereoViewColors colors = { {NULL} };

  for (size_t i = 0; i < count_channels (f); i++)
    colors.row[i] = next_row (memory, row_elements (f));
  return colors;
}

static void
hand_out (const StereoViewFrame * f, int worker, Worker * w)
{
  size_t n = row_elements (f);
  uint32_t *memory = (uint32_t *) f->work
      + (size_t) worker * count_rows (f) * n;

  for (int r = 0; r < 2; r++) {
    StereoViewRow *both[2] = { &w->left[r], &w->right[r] };

    for (int i = 0; i < 2; i++) {
      both[i]->colors = next_colors (f, &memory);
      both[i]->disparities = next_row (&memory, n);
      both[i]->marked = next_row (&memory, n);
      w->eyes[i][r] = next_colors (f, &memory);
    }
  }
  w->z = next_row (&memory, n);
  w->other = next_row (&memory, n);
  w->spans = next_row (&memory, n);
}

/* -------------------------------------------------------------------- views */

/* The mean of n numbers, rounded half up. */
STEREO_INLINE uint32_t
mean (uint32_t sum, int n)
{
  return (sum + (uint32_t) n / 2) / (uint32_t) n;
}

/* Step 8: the colour of a run of pixels from pixel from on, outwards. */
static void
hole_color (const StereoViewFrame * f, const int32_t * z,
    const StereoViewColors * colors, int from, int step, uint32_t color[3])
{
  const bool wide = f->format.wide;
  const uint32_t *seen = colors->row[0];
  int n = 0;

  memset (color, 0, 3 * sizeof (color[0]));
  for (int i = from; n < 4 && i >= 0 && i < f->width && seen[i] >> 24 != 0
      && stereo_view_joined (z[i], z[from], f->join); i += step, n++) {
    for (int c = 0; c < 3; c++) {
      if (!wide)
        color[c] += seen[i] >> 8 * c & 0xff;
      else if (colors->row[c] != NULL)
        color[c] += colors->row[c][i] & 0xffff;
    }
  }
  for (int c = 0; c < 3; c++)
    color[c] = n > 0 ? mean (color[c], n) : f->black[c];
}

/* The same for the run that begins at x; returns its end. */
static int
fill_hole (const StereoViewFrame * f, const int32_t * z,
    const StereoViewColors * colors, int x)
{
  const uint32_t *seen = colors->row[0];
  uint32_t color[3];
  int end = x;

  while (end < f->width && seen[end] >> 24 == 0)
    end++;
  if (x == 0 || (end < f->width && z[end] < z[x - 1]))
    hole_color (f, z, colors, end, 1, color);
  else
    hole_color (f, z, colors, x - 1, -1, color);
  if (!f->format.wide)
    color[0] |= color[1] << 8 | color[2] << 16;
  /* to the next run it is still a hole */
  for (int c = 0; c < 3 && colors->row[c] != NULL; c++) {
    for (int i = x; i < end; i++)
      colors->row[c][i] = color[c];
  }
  return end;
}

static int
find_none (const Job * job, const int32_t * row, int x)
{
  return job->rows->find (row, x, job->frame->width, UINT32_MAX,
      (uint32_t) STEREO_VIEW_NONE);
}

/* Step 1 for the invalid run that begins at x; returns its end. */
static int
fill_run (int32_t * row, int width, int x)
{
  int end = x;
  int32_t value = 0;

  while (end < width && row[end] == STEREO_VIEW_NONE)
    end++;
  if (x > 0 && end < width)
    value = row[x - 1] < row[end] ? row[x - 1] : row[end];
  else if (x > 0)
    value = row[x - 1];
  else if (end < width)
    value = row[end];
  while (x < end)
    row[x++] = value;
  return end;
}

static void
fill (const Job * job, int32_t * row)
{
  const int width = job->frame->width;
  int x = 0;

  while ((x = find_none (job, row, x)) < width)
    x = fill_run (row, width, x);
}

/* Step 2, for a whole row. */
static void
project (const Job * job, Worker * w, const StereoViewRow * row, int32_t q,
    int32_t offset, int32_t * projected)
{
  const StereoViewFrame *f = job->frame;

  job->rows->clear (projected, f->width);
  job->rows->project (f, row, 0, f->width, q, offset, w->spans, projected);
}

/* Whether rows y and y - 1 have the same disparities, from one row of a smaller
 * map. */
static bool
shares_map (const StereoViewFrame * f, int y)
{
  return y / f->factor == (y - 1) / f->factor;
}

static void
share_map (StereoViewRow * row, const StereoViewRow * other)
{
  const StereoViewColors colors = row->colors;

  *row = *other;
  row->colors = colors;
}

/* Row r of a group, row y of the image. */
static void
prepare_row (const Job * job, Worker * w, int y, int r)
{
  const StereoViewFrame *f = job->frame;
  const StereoViewRows *rows = job->rows;
  StereoViewRow *left = &w->left[r], *right = &w->right[r];
  const bool both = f->right.plane[0] != NULL;

  stereo_view_load_colors (rows, f, &f->left, y, &left->colors);
  if (both)
    stereo_view_load_colors (rows, f, &f->right, y, &right->colors);
  if (r > 0 && shares_map (f, y)) {
    share_map (left, &w->left[0]);
    share_map (right, &w->right[0]);
    return;
  }
  rows->read (f, y, left);
  fill (job, left->disparities);
  rows->mark (f, left);
  if (!both)
    return;
  project (job, w, left, STEREO_VIEW_ONE, 0, right->disparities);
  right->lowest = left->lowest;
  right->highest = left->highest;
  fill (job, right->disparities);
  rows->mark (f, right);
}

/* Completes a projected row.  Only those pixels of the right view are
 * projected that may cover pixels without a disparity. */
static void
complete (const Job * job, Worker * w, const StereoViewShot * shot,
    const StereoViewRow * right)
{
  const StereoViewFrame *f = job->frame;
  const int32_t q = shot->position - STEREO_VIEW_ONE;
  const int32_t a = stereo_view_shift (q, right->lowest);
  const int32_t b = stereo_view_shift (q, right->highest);
  const int least = ((a < b ? a : b) - shot->offset) >> 8;
  const int most = ((a < b ? b : a) - shot->offset + 255) >> 8;
  int projected = 0, x = 0;

  job->rows->clear (w->other, f->width);
  while ((x = find_none (job, w->z, x)) < f->width) {
    /* a pixel covers up to half way to its neighbours */
    const int begin = stereo_clamp_int (x + least - 1, projected, f->width);
    const int hole = x;

    while (x < f->width && w->z[x] == STEREO_VIEW_NONE)
      x++;
    projected = stereo_clamp_int (x + most + 1, begin, f->width);
    if (begin < projected)
      job->rows->project (f, right, begin, projected, q,
          shot->offset, w->spans, w->other);
    memcpy (w->z + hole, w->other + hole, sizeof (*w->z) * (size_t) (x - hole));
  }
}

/* Step 4, for row r. */
static void
project_row (const Job * job, Worker * w, const StereoViewShot * shot, int r)
{
  project (job, w, &w->left[r], shot->position, shot->offset, w->z);
  if (job->frame->right.plane[0] != NULL)
    complete (job, w, shot, &w->right[r]);
  fill (job, w->z);
}

/* Row r of a view, after project_row(). */
static void
render_row (const Job * job, Worker * w, const StereoViewShot * shot, int r,
    const StereoViewColors * colors)
{
  const StereoViewFrame *f = job->frame;
  const StereoViewRows *rows = job->rows;
  const bool both = f->right.plane[0] != NULL;
  int x = 0;

  if (!rows->fetch (f, shot, &w->left[r], both ? &w->right[r] : NULL, w->z,
          colors))
    return;
  while ((x = rows->find (colors->row[0], x, f->width, 0xff000000u, 0))
      < f->width)
    x = fill_hole (f, w->z, colors, x);
}

/* Takes every other pixel from another row, from pixel x on. */
static void
interleave (const StereoViewFrame * f, const StereoViewColors * to,
    const StereoViewColors * from, int x)
{
  for (int c = 0; c < 3 && to->row[c] != NULL; c++) {
    for (int i = x; i < f->width; i += 2)
      to->row[c][i] = from->row[c][i];
  }
}

static void
make_grey (const StereoViewFrame * f, uint32_t * row)
{
  const StereoViewFormat *k = &f->format;

  for (int x = 0; x < f->width; x++)
    row[x] = stereo_view_grey (row[x], k->r, k->g, k->b);
}

/* Replaces the left row, and may change the right one. */
static void
make_anaglyph (const StereoViewFrame * f, uint32_t * restrict left,
    uint32_t * restrict right)
{
  const uint32_t mask = f->eye_mask;

  if (f->luma[0])
    make_grey (f, left);
  if (f->luma[1])
    make_grey (f, right);
#pragma omp simd
  for (int x = 0; x < f->width; x++)
    left[x] = (left[x] & mask) | (right[x] & ~mask);
}

/* Combines both eyes in one picture, which replaces the left one. */
static void
combine (const StereoViewFrame * f, StereoViewColors * left,
    const StereoViewColors * right, int y)
{
  switch (f->layout) {
    case STEREO_VIEW_ROW_INTERLEAVED:
      if (y % 2 != 0)
        *left = *right;
      break;
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      interleave (f, left, right, 1);
      break;
    case STEREO_VIEW_CHECKERBOARD:
      interleave (f, left, right, 1 - y % 2);
      break;
    default:
      make_anaglyph (f, left->row[0], right->row[0]);
      break;
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

  for (int r = 0; r < n; r++)
    prepare_row (job, w, y + r, r);
  for (int view = 0; view < f->n_views; view++) {
    const bool tiled = stereo_view_is_tiled (f->layout);
    StereoViewColors rows[2];
    int tile_x = 0, tile_y = 0;

    for (int r = 0; r < n; r++) {
      const StereoViewShot *shot = &f->shots[view];

      if (f->layout == STEREO_VIEW_ROW_INTERLEAVED) {
        if ((y + r) % 2 != view)
          continue;
        project_row (job, w, shot, r);
      } else if (r == 0 || !shares_map (f, y + r)) {
        project_row (job, w, shot, r);
      }
      render_row (job, w, shot, r, &w->eyes[tiled ? 0 : view][r]);
    }
    if (!tiled && view == 0)
      continue;
    memcpy (rows, w->eyes[0], sizeof (rows));
    for (int r = 0; r < n && !tiled; r++)
      combine (f, &rows[r], &w->eyes[1][r], y + r);
    if (tiled)
      locate_tile (f, view, &tile_x, &tile_y);
    if (f->format.shift_y == 1) {
      stereo_view_store_colors (job->rows, f, rows, n, tile_x, tile_y + y);
      continue;
    }
    for (int r = 0; r < n; r++)
      stereo_view_store_colors (job->rows, f, &rows[r], 1, tile_x,
          tile_y + y + r);
  }
}

/* Rows of a group: two where they share chroma, or disparities. */
static int
group_rows (const StereoViewFrame * f)
{
  return f->format.shift_y == 1 || f->factor > 1 ? 2 : 1;
}

static void
render_groups (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoViewFrame *f = job->frame;
  const int step = group_rows (f);
  Worker w;

  for (int i = span.begin; i < span.end; i++) {
    const int y = i * step;

    /* rows of the group before may have been shared */
    hand_out (f, span.worker, &w);
    render_group (job, &w, y, y + step > f->height ? f->height - y : step);
  }
}

static StereoStatus
render (StereoQueue * queue, const StereoViewFrame * f,
    const StereoViewRows * rows)
{
  const Job job = { f, rows };
  const int step = group_rows (f);

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
