/* gst-stereomatching: views from between the cameras
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view.h"

#include "core/image.h"
#include "geometry/view-pixel.h"

#include <math.h>
#include <string.h>

const StereoEnumValue stereo_view_layout_values[] = {
  [STEREO_VIEW_MONO] = {"mono", "One view"},
  [STEREO_VIEW_SIDE_BY_SIDE] = {"side-by-side", "The left eye's view beside "
        "the right one's, in full size"},
  [STEREO_VIEW_TOP_BOTTOM] = {"top-bottom", "The left eye's view above the "
        "right one's, in full size"},
  [STEREO_VIEW_ROW_INTERLEAVED] = {"row-interleaved", "Even rows are the left "
        "eye's"},
  [STEREO_VIEW_COLUMN_INTERLEAVED] = {"column-interleaved", "Even columns are "
        "the left eye's"},
  [STEREO_VIEW_CHECKERBOARD] = {"checkerboard", "Every other pixel is the left "
        "eye's"},
  [STEREO_VIEW_ANAGLYPH] = {"anaglyph", "Both eyes in one picture, for "
        "coloured glasses"},
  [STEREO_VIEW_QUILT] = {"quilt", "Tiles of columns x rows views, the leftmost "
        "one bottom left"},
};

const StereoEnumValue stereo_view_anaglyph_values[] = {
  [STEREO_VIEW_RED_CYAN] = {"red-cyan", "Red of the left eye, green and blue "
        "of the right one"},
  [STEREO_VIEW_GREEN_MAGENTA] = {"green-magenta", "Green of the left eye, red "
        "and blue of the right one"},
  [STEREO_VIEW_AMBER_BLUE] = {"amber-blue", "Red and green of the left eye, "
        "blue of the right one"},
  [STEREO_VIEW_HALF_COLOR] = {"half-color", "Luma of the left eye in red, "
        "green and blue of the right one"},
  [STEREO_VIEW_GREY] = {"grey", "Luma of the left eye in red, that of the "
        "right one in green and blue"},
};

const StereoEnumValue stereo_view_blending_values[] = {
  [STEREO_VIEW_DISTANCE] = {"distance", "Both views, the nearer one more"},
  [STEREO_VIEW_NEAREST] = {"nearest", "The nearer view wherever it sees the "
        "pixel"},
};

#define LARGEST_SHIFT 16384     /* pixels */

const StereoParamSpec stereo_view_params[] = {
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, position, "position",
      "Where the middle of what a frame holds is seen from: 0 = left view, "
      "1 = right view, beyond = outside of the two", 0.5, -2, 3),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, separation, "separation",
      "Distance of the outermost views of a frame, in distances of the two "
      "cameras", 1, -4, 4),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, convergence, "convergence",
      "Disparity of what is at the same place in all views of a frame, the "
      "plane of the screen, in pixels", 0, -LARGEST_SHIFT, LARGEST_SHIFT),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, join, "join",
      "Neighbours whose disparities differ by no more are one surface, in "
      "pixels", 2, 0.25, 64),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, blending, "blending",
      "Weights of the two views where both see a pixel", STEREO_VIEW_DISTANCE,
      stereo_view_blending_values),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, layout, "layout",
      "What a frame holds", STEREO_VIEW_MONO, stereo_view_layout_values),
  STEREO_PARAM_UINT_ROW (StereoViewParams, columns, "columns",
      "Tiles beside each other in a quilt", 8, 1, 16),
  STEREO_PARAM_UINT_ROW (StereoViewParams, rows, "rows",
      "Tiles above each other in a quilt", 6, 1, 16),
  STEREO_PARAM_ENUM_ROW (StereoViewParams, anaglyph, "anaglyph",
      "Channels of the eyes in an anaglyph", STEREO_VIEW_RED_CYAN,
      stereo_view_anaglyph_values),
  STEREO_PARAM_DOUBLE_ROW (StereoViewParams, scale, "disparity-scale",
      "Codes for one pixel of disparity", 16, 1.0 / 64, 65536),
  STEREO_PARAM_INT_ROW (StereoViewParams, minimum, "min-disparity",
      "Disparity of code 0, in pixels", 0, -LARGEST_SHIFT, LARGEST_SHIFT),
  STEREO_PARAM_INT_ROW (StereoViewParams, invalid_value, "invalid-value",
      "Code of pixels without a disparity (-1 = none)", 0, -1, 65535),
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

/* Tiles beside and above each other. */
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

/* What is the left eye's in an anaglyph. */
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
        "the layout of a frame can't change between frames: configure anew");
  set_params (v, params);
  return STEREO_OK;
}

/* -------------------------------------------------------------------- plan */

/* Whether samples have 16 bits; a pixel of packed YUV has two of 8. */
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
        "an anaglyph can't be %s: it has to be RGB",
        stereo_format_name (left->format));
  if (p->layout >= STEREO_VIEW_ROW_INTERLEAVED
      && p->layout <= STEREO_VIEW_CHECKERBOARD
      && (info->shift_x > 0 || info->shift_y > 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s can't be %s, whose chroma is that of several pixels: it has to be "
        "RGB, GRAY8 or Y444", layout, stereo_format_name (left->format));
  count_tiles (p, &columns, &rows);
  if ((columns > 1 && left->width % (1 << info->shift_x) != 0)
      || (rows > 1 && left->height % (1 << info->shift_y) != 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s of %dx%d can't be %s, whose chroma is that of several pixels: the "
        "size has to be even, or the format RGB, GRAY8 or Y444", layout,
        left->width, left->height, stereo_format_name (left->format));
  return STEREO_OK;
}

static StereoStatus
plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
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
        "%s can't make views", klass->backend);
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
run (void *state, const StereoOpFrame * frame)
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
#define VIEW_FORMATS ((1u << STEREO_N_FORMATS) - 1)

const StereoOp stereo_view_op = {
  .name = "view",
  .inputs = (const StereoPort[]) {
        {.name = "left",.formats = VIEW_FORMATS},
        {.name = "right",.formats = VIEW_FORMATS,.optional = true},
        {.name = "disparity",.formats = BIT (GRAY8) | BIT (GRAY16_LE)},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "frame",.formats = VIEW_FORMATS},
        {.name = NULL}
      },
  .state_size = sizeof (View),
  .plan = plan,
  .run = run,
};
