/* gst-stereomatching: making views of images, on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/convert.h"

#include "core/cpu.h"

static size_t
view_row_bytes_cpu (int width, int channels)
{
  (void) channels;
  return (size_t) width;
}

static int
view_planes_cpu (int channels)
{
  return channels;
}

/* Pixels of a row that chroma is spread for at a time. */
#define SPREAD 512

/* The chroma of n pixels from an even column on: Cb or Cr, less 128. */
static void
spread_chroma (const uint8_t * restrict samples, int bytes, int shift, int n,
    int16_t * restrict chroma)
{
  if (shift == 0) {
#pragma omp simd
    for (int i = 0; i < n; i++)
      chroma[i] = (int16_t) (samples[i] - 128);
  } else if (bytes == 1) {
#pragma omp simd
    for (int i = 0; i < (n + 1) / 2; i++)
      chroma[2 * i] = chroma[2 * i + 1] = (int16_t) (samples[i] - 128);
  } else {
#pragma omp simd
    for (int i = 0; i < (n + 1) / 2; i++)
      chroma[2 * i] = chroma[2 * i + 1] = (int16_t) (samples[2 * i] - 128);
  }
}

static void
convert_yuv_row (const StereoConversion * c, int y)
{
  const uint8_t *luma = c->source + (size_t) y * c->source_stride;
  const uint8_t *u = c->u + (size_t) (y >> c->shift_y) * c->u_stride;
  const uint8_t *v = c->v + (size_t) (y >> c->shift_y) * c->v_stride;
  size_t row = (size_t) y * c->target_stride;
  const StereoYuv k = c->yuv;

  for (int x = 0; x < c->width; x += SPREAD) {
    int n = c->width - x < SPREAD ? c->width - x : SPREAD;
    const uint8_t *restrict l = luma + x;
    uint8_t *restrict r = c->target[0] + row + x;
    uint8_t *restrict g = c->target[1] + row + x;
    uint8_t *restrict b = c->target[2] + row + x;
    size_t at = (size_t) (x >> c->shift_x) * c->chroma_bytes;
    int16_t us[SPREAD], vs[SPREAD];

    spread_chroma (u + at, c->chroma_bytes, c->shift_x, n, us);
    spread_chroma (v + at, c->chroma_bytes, c->shift_x, n, vs);
#pragma omp simd
    for (int i = 0; i < n; i++) {
      r[i] = stereo_yuv_red (&k, l[i], vs[i]);
      g[i] = stereo_yuv_green (&k, l[i], us[i], vs[i]);
      b[i] = stereo_yuv_blue (&k, l[i], us[i]);
    }
  }
}

static void
convert_yuv_rows (const void *context, StereoSpan span)
{
  for (int y = span.begin; y < span.end; y++)
    convert_yuv_row (context, y);
}

static void
convert_rgb_rows (const void *context, StereoSpan span)
{
  const StereoConversion *c = context;

  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *s = c->source + (size_t) y * c->source_stride;
    size_t row = (size_t) y * c->target_stride;

    if (c->channels == 1) {
      uint8_t *luma = c->target[0] + row;

      for (int x = 0; x < c->width; x++, s += c->pixel_bytes)
        luma[x] = stereo_luma (s[c->r], s[c->g], s[c->b]);
    } else {
      uint8_t *r = c->target[0] + row;
      uint8_t *g = c->target[1] + row;
      uint8_t *b = c->target[2] + row;

      for (int x = 0; x < c->width; x++, s += c->pixel_bytes) {
        r[x] = s[c->r];
        g[x] = s[c->g];
        b[x] = s[c->b];
      }
    }
  }
}

static StereoStatus
convert_cpu (StereoQueue * queue, const StereoConversion * c)
{
  stereo_cpu_for (queue, c->height, 0, c->u != NULL ? convert_yuv_rows
      : convert_rgb_rows, c);
  return STEREO_OK;
}

static const StereoConvertStages stages = {
  .view_row_bytes = view_row_bytes_cpu,
  .view_planes = view_planes_cpu,
  .convert = convert_cpu,
};

const void *
stereo_convert_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
