/* gst-stereomatching: matches between two views that need not be aligned
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/rows.h"

#include "core/image.h"
#include "geometry/rows-cpu.h"
#include "image/convert.h"
#include "simd/select.h"

/* The width of the last level, and the smallest height, in pixels. */
#define LAST_WIDTH 480
#define LAST_HEIGHT 64

/* Cells of the left view, and their smallest sizes, in pixels. */
#define N_CELLS 1000
#define MIN_CELL_LEFT 8
#define MIN_CELL_RIGHT 6

#define N_PATTERN (256 * 4)

/* The state of the operation. */
typedef struct
{
  const StereoRowsStages *stages;
  const StereoConvertStages *converting;
  const StereoFormatInfo *format[2];
  uint8_t *converted[2];        /* luma, if the view has none */
  size_t converted_stride;
  int8_t *pattern;              /* on the device */
  StereoRowsFrame frame;        /* all but level 0 and the output */
} Rows;

/* --------------------------------------------------------------------- plan */

/* round (log2 (width / 480)), as 2^L > width / (480 sqrt (2)) in integers. */
static int
choose_levels (int width, int height)
{
  int n = 0;

  while (n < STEREO_ROWS_MAX_LEVELS && height >> (n + 1) >= LAST_HEIGHT
      && (int64_t) width * width > ((int64_t) 2 * LAST_WIDTH * LAST_WIDTH)
      << (2 * n))
    n++;
  return n;
}

static int
count_cells (int size, int pixels)
{
  const int inner = pixels - 2 * STEREO_CORNER_BORDER;

  return inner > 0 ? (inner + size - 1) / size : 0;
}

/* Cells of at least this size, as many as there is room for. */
static StereoRowsCells
choose_cells (const StereoRowsImage * last, int size, int most)
{
  StereoRowsCells cells = { size, 0, 0 };

  for (;; cells.size++) {
    cells.columns = count_cells (cells.size, last->width);
    cells.rows = count_cells (cells.size, last->height);
    if (cells.columns * cells.rows <= most)
      return cells;
  }
}

/* The side of a square, rounded, such that N_CELLS squares cover the level. */
static int
choose_cell_size (const StereoRowsImage * last)
{
  int size = 1;

  while ((int64_t) (2 * size + 1) * (2 * size + 1) * N_CELLS
      <= (int64_t) 4 * last->width * last->height)
    size++;
  return size > MIN_CELL_LEFT ? size : MIN_CELL_LEFT;
}

static void
plan_pyramid (StereoRowsFrame * f, int view, size_t alignment,
    StereoArena * arena)
{
  for (int i = 1; i <= f->n_levels; i++) {
    const StereoRowsImage *above = &f->pyramid[view][i - 1];
    StereoRowsImage *level = &f->pyramid[view][i];

    level->width = above->width / 2;
    level->height = above->height / 2;
    level->stride = stereo_round_up ((size_t) level->width, alignment);
    stereo_arena_add (arena, (void **) &level->pixels, level->stride,
        (size_t) level->height);
  }
}

static void
plan_view (StereoRowsFrame * f, int view, StereoArena * arena)
{
  const StereoRowsImage *last = &f->pyramid[view][f->n_levels];
  const int left_size = choose_cell_size (last);
  const int right_size = left_size * 2 / 3;
  size_t n_cells;

  f->cells[view] = view == STEREO_LEFT
      ? choose_cells (last, left_size, STEREO_MAX_LEFT_CORNERS)
      : choose_cells (last, right_size > MIN_CELL_RIGHT ? right_size
      : MIN_CELL_RIGHT, STEREO_MAX_RIGHT_CORNERS);
  n_cells = (size_t) f->cells[view].columns * (size_t) f->cells[view].rows;
  stereo_arena_add (arena, (void **) &f->scores[view], (size_t) last->width
      * (size_t) last->height, sizeof (float));
  stereo_arena_add (arena, (void **) &f->corners[view], n_cells,
      sizeof (StereoCorner));
  stereo_arena_add (arena, (void **) &f->nearest[view], n_cells,
      sizeof (StereoCornerNearest));
  if (view == STEREO_LEFT)
    stereo_arena_add (arena, (void **) &f->refined, n_cells,
        sizeof (StereoRowMatch));
}

/* Luma of a view whose format has no plane of it. */
static void
plan_luma (Rows * r, int view, const StereoPortSetup * in, StereoArena * arena)
{
  r->format[view] = stereo_format_info (in->format);
  r->converted[view] = NULL;
  if (!stereo_format_is_luma (r->format[view]))
    stereo_arena_add (arena, (void **) &r->converted[view],
        r->converted_stride, (size_t) in->height);
}

static StereoStatus
rows_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Rows *r = state;
  const StereoDeviceClass *klass = setup->device->klass;
  const StereoPortSetup *left = &setup->inputs[0];
  const StereoPortSetup *right = &setup->inputs[1];
  StereoRowsFrame *f = &r->frame;

  r->stages = klass->stages (setup->device, "rows");
  r->converting = klass->stages (setup->device, "convert");
  if (r->stages == NULL || r->converting == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s cannot measure rows", klass->backend);
  if (left->width != right->width || left->height != right->height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the left view is %dx%d, but the right one is %dx%d", left->width,
        left->height, right->width, right->height);
  if (setup->outputs[0].width != STEREO_ROWS_WORDS
      || setup->outputs[0].height != STEREO_ROWS_HEIGHT)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected an output of %dx%d, got %dx%d", STEREO_ROWS_WORDS,
        STEREO_ROWS_HEIGHT, setup->outputs[0].width,
        setup->outputs[0].height);
  f->n_levels = choose_levels (left->width, left->height);
  r->converted_stride = stereo_round_up (r->converting->view_row_bytes (
          left->width, 1), klass->row_alignment);
  for (int view = 0; view < 2; view++) {
    f->pyramid[view][0].width = left->width;
    f->pyramid[view][0].height = left->height;
    plan_luma (r, view, &setup->inputs[view], arena);
    plan_pyramid (f, view, klass->row_alignment, arena);
    plan_view (f, view, arena);
  }
  stereo_arena_add (arena, (void **) &f->n_corners, 2, sizeof (int32_t));
  stereo_arena_add (arena, (void **) &r->pattern, N_PATTERN, 1);
  return STEREO_OK;
}

/* Coordinates from -10 to 10: sums of two numbers from -5 to 5, of the
 * generator of Numerical Recipes (Press et al.). */
static StereoStatus
rows_load (void *state, StereoDevice * device, StereoMessage * why)
{
  Rows *r = state;
  int8_t pattern[N_PATTERN];
  uint32_t seed = 12345;

  for (int i = 0; i < N_PATTERN; i++) {
    int sum = 0;

    for (int j = 0; j < 2; j++) {
      seed = seed * 1664525u + 1013904223u;
      sum += (int) ((seed >> 16) % 11) - 5;
    }
    pattern[i] = (int8_t) sum;
  }
  r->frame.pattern = r->pattern;
  return device->klass->copy (device, r->pattern, pattern, sizeof (pattern),
      why);
}

/* ---------------------------------------------------------------------- run */

/* Converts views that are not luma. */
static StereoStatus
convert_views (const Rows * r, const StereoOpFrame * frame, StereoRowsFrame * f)
{
  StereoConversion conversions[2];
  int n = 0;

  for (int view = 0; view < 2; view++) {
    const StereoOpImage *in = &frame->inputs[view];
    StereoRowsImage *luma = &f->pyramid[view][0];

    luma->pixels = in->plane[0];
    luma->stride = in->stride[0];
    if (r->converted[view] == NULL)
      continue;
    luma->pixels = r->converted[view];
    luma->stride = r->converted_stride;
    conversions[n] = (StereoConversion) {
      .width = luma->width,
      .height = luma->height,
      .channels = 1,
      .target = {r->converted[view]},
      .target_stride = r->converted_stride,
    };
    stereo_conversion_read (&conversions[n++], r->format[view], in->plane,
        in->stride, NULL);
  }
  return stereo_convert_run (r->converting, frame, conversions, n);
}

static StereoStatus
rows_run (void *state, const StereoOpFrame * frame)
{
  const Rows *r = state;
  StereoRowsFrame f = r->frame;
  const struct
  {
    const char *name;
      StereoStatus (*run) (StereoQueue * queue, const StereoRowsFrame * frame);
  } stages[] = {
    {"halve", r->stages->halve},
    {"corners", r->stages->corners},
    {"describe", r->stages->describe},
    {"match", r->stages->match},
    {"refine", r->stages->refine},
  };
  StereoStatus status = convert_views (r, frame, &f);

  f.out = frame->outputs[0].plane[0];
  f.out_stride = frame->outputs[0].stride[0];
  for (size_t i = 0; i < sizeof (stages) / sizeof (stages[0]); i++) {
    if (status == STEREO_OK)
      status = stages[i].run (frame->queue, &f);
    if (status == STEREO_OK)
      status = stereo_stage_end (frame->timestamps, stages[i].name);
  }
  return status;
}

const StereoOp stereo_rows_op = {
  .name = "rows",
  .inputs = (const StereoPort[]) {
        {.name = "left",.formats = STEREO_VIEW_FORMATS},
        {.name = "right",.formats = STEREO_VIEW_FORMATS},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "matches",.formats = STEREO_FORMAT_BIT (STEREO_FORMAT_U32)},
        {.name = NULL}
      },
  .state_size = sizeof (Rows),
  .plan = rows_plan,
  .load = rows_load,
  .run = rows_run,
};

/* ---------------------------------------------------------------------- CPU */

static const StereoRowsStages stages_cpu = ROWS_STAGES;

const void *
stereo_rows_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_rows_stages_);
}
