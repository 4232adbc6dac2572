/* gst-stereomatching: virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view.h"

#include "core/image.h"
#include "geometry/view-formula.h"

#include <math.h>
#include <string.h>

const StereoEnumValue stereo_view_layout_values[] = {
  [STEREO_VIEW_MONO] = {"mono", "One view"},
  [STEREO_VIEW_SIDE_BY_SIDE] = {"side-by-side",
      "Left and right view side by side, full size"},
  [STEREO_VIEW_TOP_BOTTOM] = {"top-bottom",
      "Left view above right view, full size"},
  [STEREO_VIEW_ROW_INTERLEAVED] = {"row-interleaved",
      "Left view in even rows"},
  [STEREO_VIEW_COLUMN_INTERLEAVED] = {"column-interleaved",
      "Left view in even columns"},
  [STEREO_VIEW_CHECKERBOARD] = {"checkerboard",
      "Left view in every other pixel"},
  [STEREO_VIEW_ANAGLYPH] = {"anaglyph", "Both views for coloured glasses"},
  [STEREO_VIEW_QUILT] = {"quilt",
      "columns x rows views, leftmost at the bottom left"},
};

const StereoEnumValue stereo_view_anaglyph_values[] = {
  [STEREO_VIEW_RED_CYAN] = {"red-cyan", "Left red, right green and blue"},
  [STEREO_VIEW_GREEN_MAGENTA] = {"green-magenta",
      "Left green, right red and blue"},
  [STEREO_VIEW_AMBER_BLUE] = {"amber-blue", "Left red and green, right blue"},
  [STEREO_VIEW_HALF_COLOR] = {"half-color",
      "Left luma in red, right green and blue"},
  [STEREO_VIEW_GREY] = {"grey",
      "Left luma in red, right luma in green and blue"},
};

const StereoEnumValue stereo_view_blending_values[] = {
  [STEREO_VIEW_DISTANCE] = {"distance", "Weighted by distance"},
  [STEREO_VIEW_NEAREST] = {"nearest", "Nearest view where it is visible"},
};

#define LARGEST_SHIFT 16384     /* pixels */

const StereoParamSpec stereo_view_params[] = {
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, position, "position",
      "Virtual camera position (0 = left, 1 = right; beyond for "
      "extrapolation)", 0.5, -2, 3),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, separation, "separation",
      "Distance between the outermost views, in baselines", 1, -4, 4),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, convergence, "convergence",
      "Disparity of the zero-parallax plane, in pixels", 0, -LARGEST_SHIFT,
      LARGEST_SHIFT),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, join, "join",
      "Maximum disparity difference between neighbours on one surface, in "
      "pixels", 2, 0.25, 64),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, blending, "blending",
      "Blending of the two source views: distance = weighted by distance, "
      "nearest = nearest view where it is visible", STEREO_VIEW_DISTANCE,
      stereo_view_blending_values),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, layout, "layout", "Output layout",
      STEREO_VIEW_MONO, stereo_view_layout_values),
  STEREO_PARAM_UINT_ROW (StereoViewParams, columns, "columns",
      "Quilt columns", 8, 1, 16),
  STEREO_PARAM_UINT_ROW (StereoViewParams, rows, "rows", "Quilt rows", 6, 1,
      16),
  STEREO_PARAM_UINT_ROW (StereoViewParams, tile_width, "tile-width",
      "Width of each view, which the inputs must have, in pixels (0 = any)", 0,
      0, STEREO_MAX_SIZE),
  STEREO_PARAM_UINT_ROW (StereoViewParams, tile_height, "tile-height",
      "Height of each view, which the inputs must have, in pixels (0 = any)", 0,
      0, STEREO_MAX_SIZE),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, anaglyph, "anaglyph",
      "Anaglyph colour scheme", STEREO_VIEW_RED_CYAN,
      stereo_view_anaglyph_values),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, scale, "disparity-scale",
      "Disparity codes per pixel, for buffers without metadata", 16, 1.0 / 64,
      65536),
  STEREO_PARAM_INT_ROW (StereoViewParams, minimum, "min-disparity",
      "Disparity of code 0, in pixels, for buffers without metadata", 0,
      -LARGEST_SHIFT, LARGEST_SHIFT),
  STEREO_PARAM_INT_ROW (StereoViewParams, invalid_value, "invalid-value",
      "Code of invalid pixels, for buffers without metadata (-1 = none)", 0,
      -1, 65535),
  STEREO_PARAM_END
};

/* The state of the operation. */
typedef struct
{
  const StereoViewStages *stages;
  StereoPortSetup view;         /* left and right */
  StereoViewFrame frame;        /* all but the images */
  StereoViewShot shots[STEREO_VIEW_MAX];
} View;

/* -------------------------------------------------------------- parameters */

/* Columns and rows of tiles in a frame. */
static void
count_tiles (const StereoViewParams * p, int *columns, int *rows)
{
  const bool quilt = p->layout == STEREO_VIEW_QUILT;

  *columns = quilt ? (int) p->columns
      : p->layout == STEREO_VIEW_SIDE_BY_SIDE ? 2 : 1;
  *rows = quilt ? (int) p->rows : p->layout == STEREO_VIEW_TOP_BOTTOM ? 2 : 1;
}

int
stereo_view_count (const StereoViewParams * p)
{
  int columns, rows;

  count_tiles (p, &columns, &rows);
  if (p->layout == STEREO_VIEW_MONO || p->layout == STEREO_VIEW_QUILT)
    return columns * rows;
  return 2;
}

void
stereo_view_frame_size (const StereoViewParams * p, int width, int height,
    int *frame_width, int *frame_height)
{
  int columns, rows;

  count_tiles (p, &columns, &rows);
  *frame_width = columns * width;
  *frame_height = rows * height;
}

bool
stereo_view_fits_tile (const StereoViewParams * p, int width, int height)
{
  return (p->tile_width == 0 || (int) p->tile_width == width)
      && (p->tile_height == 0 || (int) p->tile_height == height);
}

int
stereo_view_map_factor (int width, int height, int map_width, int map_height)
{
  for (int k = 1; k <= 8; k++) {
    if ((width + k - 1) / k == map_width && (height + k - 1) / k == map_height)
      return k;
  }
  return 0;
}

static int32_t
fixed (double value, double unit)
{
  return (int32_t) floor (unit * value + 0.5);
}

static void
set_shot (const StereoViewParams * p, int i, int n, StereoViewShot * shot)
{
  const double part = n > 1 ? (double) i / (n - 1) - 0.5 : 0;
  const int32_t middle = fixed (p->position, STEREO_VIEW_ONE);
  const int32_t at = fixed (p->position + p->separation * part,
      STEREO_VIEW_ONE);
  uint32_t wr = (uint32_t) stereo_clamp_int (at, 0, STEREO_VIEW_ONE);

  if (p->blending == STEREO_VIEW_NEAREST)
    wr = at > STEREO_VIEW_ONE / 2 ? STEREO_VIEW_ONE : 0;
  shot->position = at;
  shot->offset = stereo_view_shift (at - middle, fixed (p->convergence, 256));
  for (int l = 0; l < 2; l++) {
    for (int r = 0; r < 2; r++)
      shot->weight[l][r] = stereo_view_weight (wr, l + 1, r + 1);
  }
}

/* The channels of the left eye in an anaglyph. */
static void
set_eyes (const StereoViewParams * p, StereoViewFrame * f)
{
  const uint32_t r = 0xffu << f->format.r, g = 0xffu << f->format.g;
  const uint32_t masks[] = {
    [STEREO_VIEW_RED_CYAN] = r,
    [STEREO_VIEW_GREEN_MAGENTA] = g,
    [STEREO_VIEW_AMBER_BLUE] = r | g,
    [STEREO_VIEW_HALF_COLOR] = r,
    [STEREO_VIEW_GREY] = r,
  };

  f->eye_mask = masks[p->anaglyph];
  f->luma[0] = p->anaglyph == STEREO_VIEW_HALF_COLOR
      || p->anaglyph == STEREO_VIEW_GREY;
  f->luma[1] = p->anaglyph == STEREO_VIEW_GREY;
}

static void
set_black (const StereoViewParams * p, StereoViewFrame * f)
{
  const int more = f->format.wide ? 2 : 0;      /* bits: 10 and not 8 */

  memset (f->black, 0, sizeof (f->black));
  if (!f->format.yuv)
    return;
  f->black[0] = (uint16_t) (p->full_range ? 0 : 16 << more);
  f->black[1] = f->black[2] = (uint16_t) (128 << more);
}

static void
set_params (View * v, const StereoViewParams * p)
{
  StereoViewFrame *f = &v->frame;
  const uint32_t scale = (uint32_t) floor (16777216 / p->scale + 0.5);

  f->scale_high = scale >> 16;
  f->scale_low = scale & 0xffffu;
  f->minimum = 256 * p->minimum;
  f->invalid = p->invalid_value >= 0 ? (uint32_t) p->invalid_value : 0x10000u;
  f->join = fixed (p->join, 256);
  set_black (p, f);
  set_eyes (p, f);
  for (int i = 0; i < f->n_views; i++)
    set_shot (p, i, f->n_views, &v->shots[i]);
}

StereoStatus
stereo_view_set_params (StereoRunner * runner, const StereoViewParams * params)
{
  View *v = stereo_runner_state (runner);
  int columns, rows;

  count_tiles (params, &columns, &rows);
  if (params->layout != v->frame.layout || columns != v->frame.columns
      || stereo_view_count (params) != v->frame.n_views)
    return stereo_fail (stereo_runner_message (runner), STEREO_ERROR_ARGUMENT,
        "the layout cannot change between frames: configure the runner again");
  set_params (v, params);
  return STEREO_OK;
}

/* -------------------------------------------------------------------- plan */

/* Whether samples have 16 bits.  Packed YUV has two samples of 8 bits. */
static bool
is_wide (const StereoFormatInfo * info)
{
  return info->pixel_bytes == 2 && (info->n_planes > 1
      || !stereo_format_is_yuv (info));
}

static void
describe_format (const StereoFormatInfo * info, StereoViewFormat * f)
{
  const bool rgb = !stereo_format_is_yuv (info) && info->r != info->b;

  memset (f, 0, sizeof (*f));
  f->yuv = stereo_format_is_yuv (info);
  f->pixel_bytes = info->pixel_bytes;
  f->channels = rgb ? 3 : 1;
  f->first = info->r;
  if (rgb) {
    /* XRGB and XBGR begin with the byte that is none of the three */
    f->first = info->pixel_bytes == 4 && info->r != 0 && info->b != 0;
    f->r = (uint8_t) (8 * (info->r - f->first));
    f->g = (uint8_t) (8 * (info->g - f->first));
    f->b = (uint8_t) (8 * (info->b - f->first));
  }
  f->u_plane = info->u_plane;
  f->u_offset = info->u_offset;
  f->v_plane = info->v_plane;
  f->v_offset = info->v_offset;
  f->chroma_bytes = info->chroma_bytes;
  f->shift_x = info->shift_x;
  f->shift_y = info->shift_y;
  f->wide = is_wide (info);
  if (f->wide && f->yuv && info->sample_shift == 0)
    f->padding = 6;
  if (f->wide) {
    /* whole samples, and not the byte that is their luma of 8 bits */
    f->first = 0;
    f->u_offset &= (uint8_t) ~ 1;
    f->v_offset &= (uint8_t) ~ 1;
  }
}

static StereoStatus
check_setup (const StereoOpSetup * setup, const StereoViewParams * p,
    const StereoFormatInfo * info, StereoMessage * why)
{
  const StereoPortSetup *left = &setup->inputs[0], *right = &setup->inputs[1];
  const StereoPortSetup *map = &setup->inputs[2], *frame = &setup->outputs[0];
  const char *layout = stereo_view_layout_values[p->layout].nick;
  int columns, rows, width, height;

  if (right->format != left->format || frame->format != left->format)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "left view, right view and frame are %s, %s and %s: they have to have "
        "one format", stereo_format_name (left->format),
        stereo_format_name (right->format), stereo_format_name (frame->format));
  if (right->width != left->width || right->height != left->height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the right view is %dx%d, but the left one %dx%d: their sizes have to "
        "be equal", right->width, right->height, left->width, left->height);
  if (!stereo_view_fits_tile (p, left->width, left->height))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the views are %dx%d: with tile-width = %u and tile-height = %u they "
        "have to have that size (0 = any)", left->width, left->height,
        p->tile_width, p->tile_height);
  if (stereo_view_map_factor (left->width, left->height, map->width,
          map->height) == 0)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the map is %dx%d: for views of %dx%d it has to have their size, or "
        "that divided by 2, 3, ... or 8 and rounded up", map->width,
        map->height, left->width, left->height);
  stereo_view_frame_size (p, left->width, left->height, &width, &height);
  if (frame->width != width || frame->height != height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the frame is %dx%d, but %s of %dx%d is %dx%d", frame->width,
        frame->height, layout, left->width, left->height, width, height);
  if (p->layout == STEREO_VIEW_ANAGLYPH && (info->r == info->b
          || stereo_format_is_yuv (info)))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "an anaglyph cannot be %s: it has to be RGB",
        stereo_format_name (left->format));
  if (p->layout >= STEREO_VIEW_ROW_INTERLEAVED
      && p->layout <= STEREO_VIEW_CHECKERBOARD
      && (info->shift_x > 0 || info->shift_y > 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s cannot be %s, which shares chroma between pixels: it has to be "
        "RGB, GRAY8 or Y444", layout, stereo_format_name (left->format));
  count_tiles (p, &columns, &rows);
  if ((columns > 1 && left->width % (1 << info->shift_x) != 0)
      || (rows > 1 && left->height % (1 << info->shift_y) != 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s of %dx%d cannot be %s, which shares chroma between pixels: the "
        "size has to be even, or the format RGB, GRAY8 or Y444", layout,
        left->width, left->height, stereo_format_name (left->format));
  return STEREO_OK;
}

static StereoStatus
view_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  View *v = state;
  StereoViewFrame *f = &v->frame;
  const StereoDeviceClass *klass = setup->device->klass;
  const StereoViewParams *p = setup->params;
  const StereoPortSetup *map = &setup->inputs[2];
  const StereoFormatInfo *info = stereo_format_info (setup->inputs[0].format);
  StereoStatus status = check_setup (setup, p, info, why);
  int rows;

  if (status != STEREO_OK)
    return status;
  v->stages = klass->stages (setup->device, "view");
  if (v->stages == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s cannot render views", klass->backend);
  memset (f, 0, sizeof (*f));
  f->width = setup->inputs[0].width;
  f->height = setup->inputs[0].height;
  describe_format (info, &f->format);
  f->code_bytes = stereo_format_info (map->format)->pixel_bytes;
  f->factor = stereo_view_map_factor (f->width, f->height, map->width,
      map->height);
  f->layout = p->layout;
  count_tiles (p, &f->columns, &rows);
  f->n_views = stereo_view_count (p);
  f->shots = v->shots;
  set_params (v, p);
  stereo_arena_add (arena, &f->work, 1,
      v->stages->work_bytes (setup->device, f));
  return STEREO_OK;
}

static StereoStatus
view_run (void *state, const StereoOpFrame * frame)
{
  View *v = state;
  StereoViewFrame f = v->frame;
  StereoStatus status;

  f.left = frame->inputs[0];
  f.right = frame->inputs[1];
  f.codes = frame->inputs[2].plane[0];
  f.codes_stride = frame->inputs[2].stride[0];
  f.frame = frame->outputs[0];
  status = v->stages->render (frame->queue, &f);
  return status == STEREO_OK ? stereo_stage_end (frame->timestamps, "view")
      : status;
}

#define BIT(name) STEREO_FORMAT_BIT (STEREO_FORMAT_##name)

const StereoOp stereo_view_op = {
  .name = "view",
  .inputs = (const StereoPort[]) {
        {.name = "left",.formats = STEREO_VIEW_FORMATS},
        {.name = "right",.formats = STEREO_VIEW_FORMATS,.optional = true},
        {.name = "disparity",.formats = BIT (GRAY8) | BIT (GRAY16_LE)},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "frame",.formats = STEREO_VIEW_FORMATS},
        {.name = NULL}
      },
  .state_size = sizeof (View),
  .plan = view_plan,
  .run = view_run,
};
