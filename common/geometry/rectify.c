/* gst-stereomatching: rectification of images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/rectify.h"

#include "core/cpu.h"
#include "core/image.h"
#include "image/pixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of the operation. */
typedef struct
{
  const StereoRectifyStages *stages;
  StereoRectifyParams params;
  StereoPortSetup image;
  const StereoFormatInfo *format;
  StereoSource *sources;        /* on the device */
  StereoSource *chroma;         /* of subsampled planes */
} Rectify;

static bool
is_subsampled (const StereoFormatInfo * format)
{
  return format->shift_x > 0;
}

static int
half (int size)
{
  return (size + 1) / 2;
}

/* Whether rectification and correction, if any, are for an image. */
static bool
has_size_of (const StereoRectifyParams * p, const StereoPortSetup * image)
{
  return (p->rectification == NULL
      || (p->rectification->width == image->width
          && p->rectification->height == image->height))
      && (p->correction == NULL || (p->correction->width == image->width
          && p->correction->height == image->height));
}

static StereoStatus
rectify_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Rectify *r = state;
  const StereoDeviceClass *klass = setup->device->klass;
  const StereoPortSetup *in = &setup->inputs[0], *out = &setup->outputs[0];
  size_t width = (size_t) in->width, height = (size_t) in->height;

  r->stages = klass->stages (setup->device, "rectify");
  if (r->stages == NULL)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED, "%s cannot rectify",
        klass->backend);
  r->params = *(const StereoRectifyParams *) setup->params;
  if (in->format != out->format || in->width != out->width
      || in->height != out->height || !has_size_of (&r->params, in))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the image, the view and the rectification differ in format or size");
  r->image = *in;
  r->format = stereo_format_info (in->format);
  stereo_arena_add (arena, (void **) &r->sources, width * height,
      sizeof (StereoSource));
  stereo_arena_add (arena, (void **) &r->chroma, is_subsampled (r->format)
      ? (size_t) half (in->width) * (size_t) half (in->height) : 0,
      sizeof (StereoSource));
  return STEREO_OK;
}

/* ----------------------------------------------------------------- sources */

static int32_t
fixed_point (double x)
{
  double code = floor (256 * x + 0.5);

  return code > STEREO_FAR ? STEREO_FAR : code < -STEREO_FAR ? -STEREO_FAR
      : (int32_t) code;
}

static void
make_exact_sources (const StereoRectification * r, StereoSource * sources)
{
  for (int v = 0; v < r->height; v++) {
    for (int u = 0; u < r->width; u++) {
      double x, y;

      if (!stereo_rectification_source (r, u, v, &x, &y))
        x = y = -STEREO_FAR;
      *sources++ = (StereoSource) { fixed_point (x), fixed_point (y) };
    }
  }
}

static void
make_unchanged_sources (int width, int height, StereoSource * sources)
{
  for (int v = 0; v < height; v++) {
    for (int u = 0; u < width; u++)
      *sources++ = (StereoSource) { 256 * u, 256 * v };
  }
}

static bool
has_source (const StereoGridNode * node)
{
  return node->x != STEREO_GRID_NONE || node->y != STEREO_GRID_NONE;
}

/* The sources of row v in 1/256 pixel, interpolated between the four nodes
 * around each: the exact quotient, rounded half up.  It is linear between two
 * nodes of a row.  Beside a node without a source there are none.  columns:
 * stereo_grid_nodes (width). */
static void
make_corrected_row (const StereoGridNode * nodes, int columns, int width, int v,
    StereoSource * sources)
{
  const StereoGridNode *n = nodes + (size_t) (v / STEREO_GRID_STEP)
      * (size_t) columns, *m = n + columns;
  const int64_t below = v % STEREO_GRID_STEP, above = STEREO_GRID_STEP - below;

  for (int u = 0; u < width; u += STEREO_GRID_STEP, n++, m++) {
    const int end = width - u < STEREO_GRID_STEP ? width - u
        : STEREO_GRID_STEP;
    const bool seen = has_source (&n[0]) && has_source (&n[1])
        && (below == 0 || (has_source (&m[0]) && has_source (&m[1])));
    int64_t x = (n[0].x * above + m[0].x * below) * STEREO_GRID_STEP + 32768;
    int64_t y = (n[0].y * above + m[0].y * below) * STEREO_GRID_STEP + 32768;
    const int64_t dx = n[1].x * above + m[1].x * below
        - n[0].x * above - m[0].x * below;
    const int64_t dy = n[1].y * above + m[1].y * below
        - n[0].y * above - m[0].y * below;

    for (int i = 0; i < end; i++, x += dx, y += dy)
      *sources++ = seen
          ? (StereoSource) { (int32_t) (x >> 16), (int32_t) (y >> 16) }
      : (StereoSource) { -STEREO_FAR, -STEREO_FAR };
  }
}

/* Interpolates the sources of a corrected view. */
static StereoStatus
make_corrected_sources (const Rectify * r, StereoSource * sources)
{
  const int width = r->image.width, height = r->image.height;
  const int columns = stereo_grid_nodes (width);
  StereoGridNode *nodes = malloc (sizeof (*nodes) * (size_t) columns
      * (size_t) stereo_grid_nodes (height));

  if (nodes == NULL)
    return STEREO_ERROR_MEMORY;
  stereo_correction_grid (r->params.correction, r->params.view,
      r->params.rectification, nodes);
  for (int v = 0; v < height; v++)
    make_corrected_row (nodes, columns, width, v, sources + (size_t) v
        * (size_t) width);
  free (nodes);
  return STEREO_OK;
}

static StereoStatus
make_sources (const Rectify * r, StereoSource * sources)
{
  if (r->params.correction != NULL)
    return make_corrected_sources (r, sources);
  if (r->params.rectification != NULL)
    make_exact_sources (r->params.rectification, sources);
  else
    make_unchanged_sources (r->image.width, r->image.height, sources);
  return STEREO_OK;
}

/* A chroma sample is in the centre of its four pixels, at (2 x + 0.5, 2 y +
 * 0.5).  The last column and row are repeated if the size is odd. */
static void
make_chroma_sources (const Rectify * r, const StereoSource * sources,
    StereoSource * chroma)
{
  int width = r->image.width, height = r->image.height;

  for (int v = 0; v < half (height); v++) {
    for (int u = 0; u < half (width); u++) {
      int64_t x = 4, y = 4;

      for (int i = 0; i < 4; i++) {
        int column = 2 * u + i % 2 < width ? 2 * u + i % 2 : width - 1;
        int row = 2 * v + i / 2 < height ? 2 * v + i / 2 : height - 1;
        const StereoSource *s = &sources[(size_t) row * (size_t) width
            + (size_t) column];

        x += s->x;
        y += s->y;
      }
      *chroma++ = (StereoSource) { (int32_t) (x >> 3) - 64,
            (int32_t) (y >> 3) - 64 };
    }
  }
}

static StereoStatus
rectify_load (void *state, StereoDevice * device, StereoMessage * why)
{
  const Rectify *r = state;
  size_t n = (size_t) r->image.width * (size_t) r->image.height;
  size_t n_chroma = (size_t) half (r->image.width)
      * (size_t) half (r->image.height);
  StereoSource *host = malloc ((n + n_chroma) * sizeof (*host));
  StereoStatus status;

  if (host == NULL || make_sources (r, host) != STEREO_OK) {
    free (host);
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  }
  status = device->klass->copy (device, r->sources, host, n * sizeof (*host),
      why);
  if (status == STEREO_OK && is_subsampled (r->format)) {
    make_chroma_sources (r, host, host + n);
    status = device->klass->copy (device, r->chroma, host + n,
        n_chroma * sizeof (*host), why);
  }
  free (host);
  return status;
}

/* ------------------------------------------------------------------- frames */

static StereoStatus
rectify_run (void *state, const StereoOpFrame * frame)
{
  const Rectify *r = state;
  StereoStatus status = STEREO_OK;

  for (int p = 0; p < r->format->n_planes && status == STEREO_OK; p++) {
    bool small = p > 0 && is_subsampled (r->format);
    StereoRemapPlane plane = {
      .width = small ? half (r->image.width) : r->image.width,
      .height = small ? half (r->image.height) : r->image.height,
      .sources = small ? r->chroma : r->sources,
      .in = frame->inputs[0].plane[p],
      .in_stride = frame->inputs[0].stride[p],
      .out = frame->outputs[0].plane[p],
      .out_stride = frame->outputs[0].stride[p],
      .sample_bytes = p == 0 ? r->format->pixel_bytes
          : r->format->chroma_bytes,
    };

    memcpy (plane.border, r->params.border + p, sizeof (plane.border)
        - (size_t) p);
    status = r->stages->remap (frame->queue, &plane);
  }
  return status == STEREO_OK ? stereo_stage_end (frame->timestamps, "remap")
      : status;
}

#define BIT(name) STEREO_FORMAT_BIT (STEREO_FORMAT_##name)
#define FORMATS (BIT (GRAY8) | BIT (RGB) | BIT (BGR) | BIT (RGBX) | BIT (BGRX) \
    | BIT (XRGB) | BIT (XBGR) | BIT (NV12) | BIT (I420) | BIT (Y444))

const StereoOp stereo_rectify_op = {
  .name = "rectify",
  .inputs = (const StereoPort[]) {
        {.name = "image",.formats = FORMATS},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        {.name = "view",.formats = FORMATS},
        {.name = NULL}
      },
  .state_size = sizeof (Rectify),
  .plan = rectify_plan,
  .load = rectify_load,
  .run = rectify_run,
};

/* ---------------------------------------------------------------------- CPU */

/* Bilinear interpolation of a byte: the formula of rectify.h with half of the
 * multiplications. */
STEREO_INLINE uint8_t
interpolate (int a, int b, int c, int d, int fx, int fy)
{
  int above = 256 * a + (b - a) * fx, below = 256 * c + (d - c) * fx;

  return (uint8_t) ((256 * above + (below - above) * fy + 32768) >> 16);
}

/* Four bytes in four lanes of 16 bits, in the order of memory. */
STEREO_INLINE uint64_t
load_lanes (const uint8_t * at)
{
  uint32_t bytes;
  uint64_t lanes;

  memcpy (&bytes, at, sizeof (bytes));
  lanes = bytes;
  lanes = (lanes | lanes << 16) & UINT64_C (0x0000ffff0000ffff);
  return (lanes | lanes << 8) & UINT64_C (0x00ff00ff00ff00ff);
}

/* The same for four bytes at a time.  The horizontal sums, at most 65280, fit a
 * lane of 16 bits; the vertical ones use two lanes. */
STEREO_INLINE void
interpolate_four (uint8_t * out, const uint8_t * at, size_t stride, int fx,
    int fy)
{
  const uint64_t low = UINT64_C (0x0000ffff0000ffff);
  const uint64_t half = UINT64_C (0x0000800000008000);
  const uint64_t byte = UINT64_C (0x000000ff000000ff);
  const uint64_t left = (uint64_t) (256 - fx), right = (uint64_t) fx;
  const uint64_t top = (uint64_t) (256 - fy), bottom = (uint64_t) fy;
  uint64_t above = load_lanes (at) * left + load_lanes (at + 4) * right;
  uint64_t below = load_lanes (at + stride) * left
      + load_lanes (at + stride + 4) * right;
  uint64_t even = (above & low) * top + (below & low) * bottom + half;
  uint64_t odd = (above >> 16 & low) * top + (below >> 16 & low) * bottom
      + half;
  uint64_t pairs = (even >> 16 & byte) | (odd >> 16 & byte) << 8;
  uint32_t bytes = (uint32_t) (pairs | pairs >> 16);

  memcpy (out, &bytes, sizeof (bytes));
}

/* A sample that is partly or wholly outside. */
static void
remap_border (const StereoRemapPlane * p, StereoSource s, uint8_t * out)
{
  const uint8_t *neighbors[4];

  for (int i = 0; i < 4; i++) {
    int x = (s.x >> 8) + i % 2, y = (s.y >> 8) + i / 2;

    neighbors[i] = x >= 0 && x < p->width && y >= 0 && y < p->height
        ? p->in + (size_t) y * p->in_stride + (size_t) x
        * (size_t) p->sample_bytes : p->border;
  }
  for (int i = 0; i < p->sample_bytes; i++)
    out[i] = interpolate (neighbors[0][i], neighbors[1][i], neighbors[2][i],
        neighbors[3][i], s.x & 255, s.y & 255);
}

/* Compiled for each size of a sample. */
__attribute__ ((always_inline))
STEREO_INLINE void
remap_row (const StereoRemapPlane * p, int y, int bytes)
{
  const StereoSource *sources = p->sources + (size_t) y * (size_t) p->width;
  uint8_t *out = p->out + (size_t) y * p->out_stride;

  for (int x = 0; x < p->width; x++, out += bytes) {
    StereoSource s = sources[x];
    const uint8_t *at;

    if ((unsigned) (s.x >> 8) >= (unsigned) p->width - 1
        || (unsigned) (s.y >> 8) >= (unsigned) p->height - 1) {
      remap_border (p, s, out);
      continue;
    }
    at = p->in + (size_t) (s.y >> 8) * p->in_stride + (size_t) (s.x >> 8)
        * (size_t) bytes;
    if (bytes == 4) {
      interpolate_four (out, at, p->in_stride, s.x & 255, s.y & 255);
      continue;
    }
    for (int i = 0; i < bytes; i++)
      out[i] = interpolate (at[i], at[i + bytes], at[p->in_stride
              + (size_t) i], at[p->in_stride + (size_t) (i + bytes)],
          s.x & 255, s.y & 255);
  }
}

static void
remap_rows (const void *context, StereoSpan span)
{
  const StereoRemapPlane *p = context;

  for (int y = span.begin; y < span.end; y++) {
    switch (p->sample_bytes) {
      case 1:
        remap_row (p, y, 1);
        break;
      case 2:
        remap_row (p, y, 2);
        break;
      case 3:
        remap_row (p, y, 3);
        break;
      default:
        remap_row (p, y, 4);
        break;
    }
  }
}

static StereoStatus
remap_cpu (StereoQueue * queue, const StereoRemapPlane * plane)
{
  stereo_cpu_for (queue, plane->height, 0, remap_rows, plane);
  return STEREO_OK;
}

static const StereoRectifyStages stages_cpu = {
  .remap = remap_cpu,
};

const void *
stereo_rectify_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages_cpu;
}
