/* gst-stereomatching: point clouds from disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/cloud.h"

#include "core/cpu.h"
#include "core/image.h"
#include "image/colorimetry.h"
#include "image/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define N_CODES 65536

static const StereoEnumValue axes_values[] = {
  [STEREO_AXES_CAMERA] = {"camera",
      "x right, y down, z forward (OpenCV, ROS)"},
  [STEREO_AXES_GRAPHICS] = {"graphics",
      "x right, y up, z backward (OpenGL)"},
};

static const StereoEnumValue projection_values[] = {
  [STEREO_PROJECTION_PLANE] = {"plane", "Plane"},
  [STEREO_PROJECTION_CYLINDER] = {"cylinder", "Cylinder around the baseline"},
};

#define CENTER_ROW(field, text) \
  STEREO_PARAM_DOUBLE_ROW (StereoCloudParams, field, #field, text ", in " \
      "pixels (-100000 = from metadata, otherwise the image centre)", \
      STEREO_CLOUD_MIDDLE, STEREO_CLOUD_MIDDLE, -STEREO_CLOUD_MIDDLE)

const StereoParamSpec stereo_cloud_params[] = {
  STEREO_METRIC_CAMERA_ROWS (StereoCloudParams),
  CENTER_ROW (cx, "Principal point x"),
  CENTER_ROW (cy, "Principal point y"),
  STEREO_PARAM_ENUM_ROW (StereoCloudParams, axes, "axes",
      "Coordinate system: camera = x right, y down, z forward (OpenCV, ROS); "
      "graphics = x right, y up, z backward (OpenGL)", STEREO_AXES_CAMERA,
      axes_values),
  STEREO_PARAM_ENUM_ROW (StereoCloudParams, projection, "projection",
      "Surface of the rectified views (cylinder also if metadata say so)",
      STEREO_PROJECTION_PLANE, projection_values),
  STEREO_METRIC_RANGE_ROWS (StereoCloudParams, 0, " (0 = unlimited)"),
  STEREO_PARAM_UINT_ROW (StereoCloudParams, step, "step",
      "Use every Nth row and column", 1, 1, STEREO_MAX_SIZE),
  STEREO_METRIC_CODE_ROWS (StereoCloudParams),
  STEREO_PARAM_END
};

/* The state of the operation. */
typedef struct
{
  const StereoCloudStages *stages;
  const StereoConvertStages *converting;
  StereoCloudParams params;
  StereoCloudSize size;
  StereoPortSetup map;
  float host[N_CODES];
  /* on the device */
  float *depth;
  float *x_factor;
  float *y_factor;
  float *z_factor;
  uint8_t *converted;           /* R, G and B of a YUV view */
  size_t converted_stride;
} Cloud;

StereoCloudSize
stereo_cloud_size (const StereoCloudParams * params, int width, int height)
{
  const int step = (int) params->step;
  StereoCloudSize size = {
    .columns = (width + step - 1) / step,
    .rows = (height + step - 1) / step,
    .point_bytes = !params->colors ? 12 : params->packed ? 15 : 16,
    .format = params->colors ? STEREO_FORMAT_XYZRGB_F32
        : STEREO_FORMAT_XYZ_F32,
  };

  /* A packed point is written with one byte too many. */
  size.row_bytes = size.columns * (params->colors ? 16 : 12);
  return size;
}

static double
get_range_max (const StereoCloudParams * p)
{
  return p->range_max > 0 ? p->range_max : DBL_MAX;
}

static void
cloud_plan_view (Cloud * c, const StereoOpSetup * setup, StereoArena * arena)
{
  size_t alignment = setup->device->klass->row_alignment;

  c->converted = NULL;
  c->converted_stride = stereo_round_up (c->converting->view_row_bytes (
          c->map.width, 3), alignment);
  if (c->params.colors
      && stereo_format_is_yuv (stereo_format_info (setup->inputs[1].format)))
    stereo_arena_add (arena, (void **) &c->converted,
        c->converted_stride * (size_t) c->map.height,
        (size_t) c->converting->view_planes (3));
}

static StereoStatus
cloud_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Cloud *c = state;
  const StereoDeviceClass *klass = setup->device->klass;

  c->stages = klass->stages (setup->device, "cloud");
  c->converting = klass->stages (setup->device, "convert");
  if (c->stages == NULL || c->converting == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s cannot compute point clouds", klass->backend);
  c->params = *(const StereoCloudParams *) setup->params;
  c->map = setup->inputs[0];
  c->size = stereo_cloud_size (&c->params, c->map.width, c->map.height);
  if (setup->outputs[0].format != c->size.format)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "points image cannot be %s: it is %s",
        stereo_format_name (setup->outputs[0].format),
        stereo_format_name (c->size.format));
  stereo_arena_add (arena, (void **) &c->depth, N_CODES, sizeof (float));
  stereo_arena_add (arena, (void **) &c->x_factor, (size_t) c->size.columns,
      sizeof (float));
  stereo_arena_add (arena, (void **) &c->y_factor, (size_t) c->size.rows,
      sizeof (float));
  stereo_arena_add (arena, (void **) &c->z_factor, (size_t) c->size.rows,
      sizeof (float));
  cloud_plan_view (c, setup, arena);
  return stereo_metric_check (&c->params.metric, "a cloud",
      c->params.range_min, get_range_max (&c->params), why);
}

/* The depth of a code, or NaN. */
static float
depth_of (const StereoCloudParams * p, int code)
{
  const float z = (float) stereo_metric_depth (&p->metric, p->range_min,
      get_range_max (p), code);

  return z > 0 && isfinite (z) ? z : NAN;
}

/* The pixels of column or row i of points, from the centre of a view of `size`
 * columns or rows, in focal lengths. */
static double
offset_of (const StereoCloudParams * p, double center, int size, int i)
{
  if (!(center > STEREO_CLOUD_MIDDLE))
    center = (size - 1) / 2.0;
  return (i * (double) p->step - center) / p->metric.focal_length;
}

/* The factor of X, Y or Z (coordinate 0 to 2) at column or row i of points. */
static double
factor_of (const Cloud * c, int coordinate, int i)
{
  const StereoCloudParams *p = &c->params;
  const double sign = p->axes == STEREO_AXES_GRAPHICS ? -1 : 1;
  const bool flat = p->projection == STEREO_PROJECTION_PLANE;
  double row;

  if (coordinate == 0)
    return offset_of (p, p->cx, c->map.width, i);
  row = offset_of (p, p->cy, c->map.height, i);
  if (coordinate == 1)
    return sign * (flat ? row : sin (row));
  return sign * (flat ? 1 : cos (row));
}

static StereoStatus
cloud_load (void *state, StereoDevice * device, StereoMessage * why)
{
  Cloud *c = state;
  const struct
  {
    float *target;
    int n;
  } factors[3] = {
    {c->x_factor, c->size.columns}, {c->y_factor, c->size.rows},
    {c->z_factor, c->size.rows}
  };
  int n = c->map.format == STEREO_FORMAT_GRAY8 ? 256 : N_CODES;

  /* The tables share the host memory. */
  for (int k = 0; k < 3; k++) {
    StereoStatus status;

    for (int i = 0; i < factors[k].n; i++)
      c->host[i] = (float) factor_of (c, k, i);
    status = device->klass->copy (device, factors[k].target, c->host,
        (size_t) factors[k].n * sizeof (float), why);
    if (status != STEREO_OK)
      return status;
  }
  for (int code = 0; code < n; code++)
    c->host[code] = depth_of (&c->params, code);
  return device->klass->copy (device, c->depth, c->host,
      (size_t) n * sizeof (float), why);
}

/* ---------------------------------------------------------------------- run */

/* Converts Y, U and V to R, G and B. */
static StereoStatus
cloud_convert_view (const Cloud * c, const StereoOpFrame * frame,
    StereoCloudFrame * f)
{
  const StereoOpImage *view = &frame->inputs[1];
  const StereoFormatInfo *info = stereo_format_info (view->format);
  const int n_planes = c->converting->view_planes (3);
  const size_t plane_bytes = c->converted_stride * (size_t) c->map.height;
  StereoConversion conversion = {
    .width = c->map.width,
    .height = c->map.height,
    .channels = 3,
    .target_stride = c->converted_stride,
  };

  stereo_conversion_read (&conversion, info, view->plane, view->stride,
      stereo_colorimetry_yuv (c->params.colorimetry));
  for (int i = 0; i < n_planes; i++)
    conversion.target[i] = c->converted + (size_t) i * plane_bytes;
  /* a plane for each, or words with R in their first byte */
  for (int i = 0; i < 3; i++)
    f->channel[i] = n_planes == 3 ? conversion.target[i] : c->converted + i;
  f->channel_step = n_planes == 3 ? 1 : 4;
  f->channel_stride = c->converted_stride;
  return stereo_convert_run (c->converting, frame, &conversion, 1);
}

/* Where the colours are. */
static StereoStatus
locate_colors (const Cloud * c, const StereoOpFrame * frame,
    StereoCloudFrame * f)
{
  const StereoOpImage *view = &frame->inputs[1];
  const StereoFormatInfo *info = stereo_format_info (view->format);

  if (!c->params.colors)
    return STEREO_OK;
  if (stereo_format_is_yuv (info))
    return cloud_convert_view (c, frame, f);
  f->channel[0] = view->plane[0] + info->r;
  f->channel[1] = view->plane[0] + info->g;
  f->channel[2] = view->plane[0] + info->b;
  f->channel_step = info->pixel_bytes;
  f->channel_stride = view->stride[0];
  return STEREO_OK;
}

static StereoStatus
cloud_run (void *state, const StereoOpFrame * frame)
{
  const Cloud *c = state;
  StereoCloudFrame f = {
    .columns = c->size.columns,
    .rows = c->size.rows,
    .step = (int) c->params.step,
    .codes = frame->inputs[0].plane[0],
    .codes_stride = frame->inputs[0].stride[0],
    .code_bytes = stereo_format_info (c->map.format)->pixel_bytes,
    .points = frame->outputs[0].plane[0],
    .points_stride = frame->outputs[0].stride[0],
    .row_bytes = c->size.row_bytes,
    .point_bytes = c->size.point_bytes,
    .packed = c->params.packed,
    .counts = frame->outputs[1].plane[0],
    .depth = c->depth,
    .x_factor = c->x_factor,
    .y_factor = c->y_factor,
    .z_factor = c->z_factor,
  };
  StereoStatus status = locate_colors (c, frame, &f);

  if (status == STEREO_OK)
    status = c->stages->points (frame->queue, &f);
  return status == STEREO_OK ? stereo_stage_end (frame->timestamps, "points")
      : status;
}

#define BIT(name) STEREO_FORMAT_BIT (STEREO_FORMAT_##name)

const StereoOp stereo_cloud_op = {
  .name = "cloud",
  .inputs = (const StereoPort[]) {
        {.name = "map",.formats = BIT (GRAY8) | BIT (GRAY16_LE)},
        {.name = "view",.formats = STEREO_VIEW_FORMATS,.optional = true},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "points",.formats = BIT (XYZ_F32) | BIT (XYZRGB_F32)},
        {.name = "counts",.formats = BIT (U32),.optional = true},
        {.name = NULL}
      },
  .state_size = sizeof (Cloud),
  .plan = cloud_plan,
  .load = cloud_load,
  .run = cloud_run,
};

/* ---------------------------------------------------------------------- CPU */

/* R, G and B as the last four bytes of a point. */
static inline uint32_t
color_word (uint32_t r, uint32_t g, uint32_t b, bool packed)
{
  if (!packed)
    return r << 16 | g << 8 | b;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return r | g << 8 | b << 16;
#else
  return r << 24 | g << 16 | b << 8;
#endif
}

/* Writes the points of a row and returns their number.  The last three
 * arguments are constants, for which the loop is compiled. */
static inline __attribute__((always_inline)) int
make_points (const StereoCloudFrame * f, int row, uint8_t * out, int code_bytes,
    bool colors, bool packed)
{
  const size_t y = (size_t) row * (size_t) f->step;
  const size_t code_step = (size_t) f->step * (size_t) code_bytes;
  const size_t channel_step = (size_t) f->step * (size_t) f->channel_step;
  const uint8_t *code = f->codes + y * f->codes_stride;
  const size_t skip = y * f->channel_stride;
  const uint8_t *r = colors ? f->channel[0] + skip : NULL;
  const uint8_t *g = colors ? f->channel[1] + skip : NULL;
  const uint8_t *b = colors ? f->channel[2] + skip : NULL;
  const float y_factor = f->y_factor[row], z_factor = f->z_factor[row];
  const int bytes = colors ? (packed ? 15 : 16) : 12;
  int n = 0;

  for (int x = 0; x < f->columns; x++, code += code_step) {
    const float depth = f->depth[code_bytes == 1 ? code[0]
        : code[0] | (unsigned) code[1] << 8];
    const bool known = depth == depth;  /* or NaN */
    const float point[3] = { known ? f->x_factor[x] * depth : NAN,
      known ? y_factor * depth : NAN, known ? z_factor * depth : NAN
    };

    memcpy (out, point, sizeof (point));
    if (colors) {
      const size_t at = (size_t) x * channel_step;
      const uint32_t color = color_word (r[at], g[at], b[at], packed);

      memcpy (out + sizeof (point), &color, sizeof (color));
    }
    out += packed && !known ? 0 : bytes;
    n += known;
  }
  return n;
}

static int
make_row (const StereoCloudFrame * f, int row, uint8_t * out)
{
  const bool colors = f->channel[0] != NULL;

  switch (4 * (f->code_bytes == 2) + 2 * colors + f->packed) {
    case 0:
      return make_points (f, row, out, 1, false, false);
    case 1:
      return make_points (f, row, out, 1, false, true);
    case 2:
      return make_points (f, row, out, 1, true, false);
    case 3:
      return make_points (f, row, out, 1, true, true);
    case 4:
      return make_points (f, row, out, 2, false, false);
    case 5:
      return make_points (f, row, out, 2, false, true);
    case 6:
      return make_points (f, row, out, 2, true, false);
    default:
      return make_points (f, row, out, 2, true, true);
  }
}

static void
make_rows (const void *context, StereoSpan span)
{
  const StereoCloudFrame *f = context;

  for (int row = span.begin; row < span.end; row++) {
    uint8_t *out = f->points + (size_t) row * f->points_stride;
    const int n = make_row (f, row, out);
    const size_t used = (size_t) n * (size_t) f->point_bytes;

    if (f->packed)
      memset (out + used, 0, (size_t) f->row_bytes - used);
    if (f->counts != NULL)
      memcpy (f->counts + 4 * (size_t) row, &n, 4);
  }
}

static StereoStatus
points_cpu (StereoQueue * queue, const StereoCloudFrame * frame)
{
  stereo_cpu_for (queue, frame->rows, 0, make_rows, frame);
  return STEREO_OK;
}

static const StereoCloudStages stages_cpu = {
  .points = points_cpu,
};

const void *
stereo_cloud_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages_cpu;
}
