/* gst-stereomatching: metric depth maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/depth.h"

#include "core/cpu.h"
#include "core/image.h"

#include <math.h>
#include <string.h>

#define N_CODES 65536

const StereoParamSpec stereo_depth_params[] = {
  STEREO_METRIC_CAMERA_ROWS (StereoDepthParams),
  STEREO_PARAM_DOUBLE_ROW (StereoDepthParams, depth_scale, "depth-scale",
      "Depth codes per metre (1000 = millimetres, 256 = KITTI)", 1000,
      1e-6, STEREO_METRIC_LARGEST),
  STEREO_METRIC_RANGE_ROWS (StereoDepthParams, 65.535, ""),
  STEREO_METRIC_CODE_ROWS (StereoDepthParams),
  STEREO_PARAM_END
};

/* The state of the operation. */
typedef struct
{
  const StereoDepthStages *stages;
  StereoDepthParams params;
  StereoPortSetup map;
  uint16_t host[N_CODES];
  uint16_t *table;              /* the same on the device */
} Depth;

static StereoStatus
depth_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Depth *d = state;
  const StereoDeviceClass *klass = setup->device->klass;

  d->stages = klass->stages (setup->device, "depth");
  if (d->stages == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s cannot compute depth", klass->backend);
  d->params = *(const StereoDepthParams *) setup->params;
  d->map = setup->inputs[0];
  stereo_arena_add (arena, (void **) &d->table, N_CODES, sizeof (uint16_t));
  return stereo_metric_check (&d->params.metric, "a depth",
      d->params.range_min, d->params.range_max, why);
}

static unsigned
depth_of (const StereoDepthParams * p, int code)
{
  double z = stereo_metric_depth (&p->metric, p->range_min, p->range_max,
      code);
  double depth = floor (z * p->depth_scale + 0.5);

  if (z == 0)
    return 0;
  return depth > 65535 ? 0 : depth < 1 ? 1 : (unsigned) depth;
}

static StereoStatus
depth_load (void *state, StereoDevice * device, StereoMessage * why)
{
  Depth *d = state;
  int n = d->map.format == STEREO_FORMAT_GRAY8 ? 256 : N_CODES;

  for (int code = 0; code < n; code++) {
    unsigned depth = depth_of (&d->params, code);
    const uint8_t bytes[2] = { (uint8_t) depth, (uint8_t) (depth >> 8) };

    memcpy (&d->host[code], bytes, sizeof (bytes));
  }
  return device->klass->copy (device, d->table, d->host,
      (size_t) n * sizeof (uint16_t), why);
}

static StereoStatus
depth_run (void *state, const StereoOpFrame * frame)
{
  const Depth *d = state;
  StereoDepthFrame f = {
    .width = d->map.width,
    .height = d->map.height,
    .codes = frame->inputs[0].plane[0],
    .codes_stride = frame->inputs[0].stride[0],
    .code_bytes = stereo_format_info (d->map.format)->pixel_bytes,
    .depths = frame->outputs[0].plane[0],
    .depths_stride = frame->outputs[0].stride[0],
    .table = d->table,
  };
  StereoStatus status = d->stages->look_up (frame->queue, &f);

  return status == STEREO_OK ? stereo_stage_end (frame->timestamps,
      "depth") : status;
}

#define BIT(name) STEREO_FORMAT_BIT (STEREO_FORMAT_##name)

const StereoOp stereo_depth_op = {
  .name = "depth",
  .inputs = (const StereoPort[]) {
        {.name = "map",.formats = BIT (GRAY8) | BIT (GRAY16_LE)},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "depth",.formats = BIT (GRAY16_LE)},
        {.name = NULL}
      },
  .state_size = sizeof (Depth),
  .plan = depth_plan,
  .load = depth_load,
  .run = depth_run,
};

/* ---------------------------------------------------------------------- CPU */

/* Scalar: table look-ups dominate, and a gather is no faster.  Rows may begin
 * at any address. */
static void
look_up_bytes (uint8_t * out, const uint8_t * in, int width,
    const uint16_t * table)
{
  for (int x = 0; x < width; x++)
    memcpy (out + 2 * x, &table[in[x]], 2);
}

/* Takes four codes at a time on a little-endian host. */
static void
look_up_words (uint8_t * out, const uint8_t * in, int width,
    const uint16_t * table)
{
  int x = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; x + 4 <= width; x += 4) {
    uint64_t codes, depths;

    memcpy (&codes, in + 2 * x, sizeof (codes));
    depths = table[codes & 65535] | (uint64_t) table[codes >> 16 & 65535] << 16
        | (uint64_t) table[codes >> 32 & 65535] << 32
        | (uint64_t) table[codes >> 48] << 48;
    memcpy (out + 2 * x, &depths, sizeof (depths));
  }
#endif
  for (; x < width; x++)
    memcpy (out + 2 * x, &table[in[2 * x] | (unsigned) in[2 * x + 1] << 8], 2);
}

static void
look_up_rows (const void *context, StereoSpan span)
{
  const StereoDepthFrame *f = context;

  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *in = f->codes + (size_t) y * f->codes_stride;
    uint8_t *out = f->depths + (size_t) y * f->depths_stride;

    if (f->code_bytes == 1)
      look_up_bytes (out, in, f->width, f->table);
    else
      look_up_words (out, in, f->width, f->table);
  }
}

static StereoStatus
look_up_cpu (StereoQueue * queue, const StereoDepthFrame * frame)
{
  stereo_cpu_for (queue, frame->height, 0, look_up_rows, frame);
  return STEREO_OK;
}

static const StereoDepthStages stages_cpu = {
  .look_up = look_up_cpu,
};

const void *
stereo_depth_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages_cpu;
}
