/* gst-stereomatching: false-colour disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/colorize.h"

#include "core/cpu.h"
#include "core/image.h"
#include "image/colormap.h"
#include "image/pixel.h"

#include <string.h>

#define N_CODES 65536

typedef struct
{
  const StereoColorizeStages *stages;
  StereoColorizeParams params;
  StereoPortSetup map;
  StereoPortSetup picture;
  uint32_t host[N_CODES];
  uint32_t *table;              /* copy on the device */
} Colorize;

static StereoStatus
colorize_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Colorize *c = state;
  const StereoDeviceClass *klass = setup->device->klass;

  c->stages = klass->stages (setup->device, "colorize");
  if (c->stages == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s cannot colorize disparity maps", klass->backend);
  c->params = *(const StereoColorizeParams *) setup->params;
  if (!(c->params.low != c->params.high))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the range of colours is empty at %g: set low and high to different "
        "values", c->params.low);
  c->map = setup->inputs[0];
  c->picture = setup->outputs[0];
  stereo_arena_add (arena, (void **) &c->table, N_CODES, sizeof (uint32_t));
  return STEREO_OK;
}

/* The bytes of a pixel in memory order. */
static uint32_t
pack (const StereoFormatInfo * info, bool alpha, uint32_t argb)
{
  uint8_t other = alpha ? (uint8_t) (argb >> 24) : 255;
  uint8_t bytes[4] = { other, other, other, other };
  uint32_t pixel;

  bytes[info->r] = (uint8_t) (argb >> 16);
  bytes[info->g] = (uint8_t) (argb >> 8);
  bytes[info->b] = (uint8_t) argb;
  memcpy (&pixel, bytes, sizeof (pixel));
  return pixel;
}

static StereoStatus
colorize_load (void *state, StereoDevice * device, StereoMessage * why)
{
  Colorize *c = state;
  const StereoColorizeParams *p = &c->params;
  const StereoFormatInfo *info = stereo_format_info (c->picture.format);
  int n = c->map.format == STEREO_FORMAT_GRAY8 ? 256 : N_CODES;

  for (int code = 0; code < n; code++) {
    double disparity = code / p->scale + p->minimum;
    double position = (disparity - p->low) / (p->high - p->low);

    c->host[code] = pack (info, p->alpha, 0xff000000u
        | stereo_colormap_get ((StereoColormap) p->colormap, position));
  }
  if (p->invalid_value >= 0 && p->invalid_value < n)
    c->host[p->invalid_value] = pack (info, p->alpha, p->invalid_color);
  return device->klass->copy (device, c->table, c->host,
      (size_t) n * sizeof (uint32_t), why);
}

static StereoStatus
colorize_run (void *state, const StereoOpFrame * frame)
{
  const Colorize *c = state;
  StereoColorizeFrame f = {
    .width = c->map.width,
    .height = c->map.height,
    .codes = frame->inputs[0].plane[0],
    .codes_stride = frame->inputs[0].stride[0],
    .code_bytes = stereo_format_info (c->map.format)->pixel_bytes,
    .pixels = frame->outputs[0].plane[0],
    .pixels_stride = frame->outputs[0].stride[0],
    .pixel_bytes = stereo_format_info (c->picture.format)->pixel_bytes,
    .table = c->table,
  };
  StereoStatus status = c->stages->color (frame->queue, &f);

  return status == STEREO_OK ? stereo_stage_end (frame->timestamps, "color")
      : status;
}

#define BIT(name) STEREO_FORMAT_BIT (STEREO_FORMAT_##name)

const StereoOp stereo_colorize_op = {
  .name = "colorize",
  .inputs = (const StereoPort[]) {
        {.name = "map",.formats = BIT (GRAY8) | BIT (GRAY16_LE)},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "picture",.formats = BIT (RGB) | BIT (BGR) | BIT (RGBX)
              | BIT (BGRX) | BIT (XRGB) | BIT (XBGR)},
        {.name = NULL}
      },
  .state_size = sizeof (Colorize),
  .plan = colorize_plan,
  .load = colorize_load,
  .run = colorize_run,
};

/* ---------------------------------------------------------------------- CPU */

/* Rows need no alignment. */
STEREO_INLINE unsigned
code_at (const uint8_t * row, int x, int code_bytes)
{
  return code_bytes == 1 ? row[x] : row[2 * x] | (unsigned) row[2 * x + 1] << 8;
}

STEREO_INLINE void
color_row (uint8_t * out, const uint8_t * in, int width,
    const uint32_t * table, int code_bytes, int pixel_bytes)
{
  int x = 0;

  /* the next pixel overwrites the fourth byte */
  for (; x < width - 1; x++)
    memcpy (out + pixel_bytes * x, &table[code_at (in, x, code_bytes)], 4);
  memcpy (out + pixel_bytes * x, &table[code_at (in, x, code_bytes)],
      (size_t) pixel_bytes);
}

static void
color_rows (const void *context, StereoSpan span)
{
  const StereoColorizeFrame *f = context;

  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *in = f->codes + (size_t) y * f->codes_stride;
    uint8_t *out = f->pixels + (size_t) y * f->pixels_stride;

    if (f->code_bytes == 1 && f->pixel_bytes == 3)
      color_row (out, in, f->width, f->table, 1, 3);
    else if (f->code_bytes == 1)
      color_row (out, in, f->width, f->table, 1, 4);
    else if (f->pixel_bytes == 3)
      color_row (out, in, f->width, f->table, 2, 3);
    else
      color_row (out, in, f->width, f->table, 2, 4);
  }
}

static StereoStatus
color_cpu (StereoQueue * queue, const StereoColorizeFrame * frame)
{
  stereo_cpu_for (queue, frame->height, 0, color_rows, frame);
  return STEREO_OK;
}

static const StereoColorizeStages stages_cpu = {
  .color = color_cpu,
};

const void *
stereo_colorize_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages_cpu;
}
