/* gst-stereomatching: conversion of images to views, on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/convert.h"

#include "core/cpu.h"
#include "image/mirror.h"

void
stereo_conversion_read (StereoConversion * c, const StereoFormatInfo * info,
    uint8_t * const plane[3], const size_t stride[3], const StereoYuv * yuv)
{
  c->source = plane[0];
  c->source_stride = stride[0];
  c->pixel_bytes = info->pixel_bytes;
  c->r = info->r;
  c->g = info->g;
  c->b = info->b;
  c->sample_shift = info->sample_shift;
  if (yuv == NULL)
    return;
  c->u = plane[info->u_plane] + info->u_offset;
  c->v = plane[info->v_plane] + info->v_offset;
  c->u_stride = stride[info->u_plane];
  c->v_stride = stride[info->v_plane];
  c->chroma_bytes = info->chroma_bytes;
  c->shift_x = info->shift_x;
  c->shift_y = info->shift_y;
  c->yuv = *yuv;
}

StereoStatus
stereo_convert_run (const StereoConvertStages * stages,
    const StereoOpFrame * frame, const StereoConversion * conversions, int n)
{
  StereoStatus status;

  if (n == 0)
    return STEREO_OK;
  status = stages->convert (frame->queue, conversions, n);
  return status == STEREO_OK ? stereo_stage_end (frame->timestamps, "convert")
      : status;
}

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

/* Pixels per block of upsampled chroma. */
#define SPREAD 512

/* Upsamples n samples of Cb - 128 or Cr - 128 from an even column. */
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

/* Gathers n samples, `bytes` apart, as 8-bit values. */
static void
gather (const uint8_t * restrict samples, int bytes, int shift, int n,
    uint8_t * restrict gathered)
{
  if (shift == 0) {
    for (int i = 0; i < n; i++)
      gathered[i] = samples[i * bytes];
  } else {
    for (int i = 0; i < n; i++)
      gathered[i] = stereo_sample (samples + i * bytes, shift);
  }
}

/* spread_chroma() for any sample layout. */
static void
spread (const StereoConversion * c, const uint8_t * samples, int n,
    int16_t * chroma)
{
  uint8_t gathered[SPREAD];

  if (c->chroma_bytes <= 2 && c->sample_shift == 0) {
    spread_chroma (samples, c->chroma_bytes, c->shift_x, n, chroma);
    return;
  }
  gather (samples, c->chroma_bytes, c->sample_shift,
      (n + c->shift_x) >> c->shift_x, gathered);
  spread_chroma (gathered, 1, c->shift_x, n, chroma);
}

static void
convert_yuv_row (const StereoConversion * c, int y)
{
  const uint8_t *luma = c->source + (size_t) y * c->source_stride + c->r;
  const uint8_t *u = c->u + (size_t) (y >> c->shift_y) * c->u_stride;
  const uint8_t *v = c->v + (size_t) (y >> c->shift_y) * c->v_stride;
  size_t row = (size_t) y * c->target_stride;
  const StereoYuv k = c->yuv;

  for (int x = 0; x < c->width; x += SPREAD) {
    int n = c->width - x < SPREAD ? c->width - x : SPREAD;
    const uint8_t *l = luma + (size_t) x * c->pixel_bytes;
    uint8_t *restrict r = c->target[0] + row + x;
    uint8_t *restrict g = c->target[1] + row + x;
    uint8_t *restrict b = c->target[2] + row + x;
    size_t at = (size_t) (x >> c->shift_x) * c->chroma_bytes;
    int16_t us[SPREAD], vs[SPREAD];
    uint8_t ys[SPREAD];

    spread (c, u + at, n, us);
    spread (c, v + at, n, vs);
    if (c->pixel_bytes > 1) {
      gather (l, c->pixel_bytes, c->sample_shift, n, ys);
      l = ys;
    }
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

    if (c->channels == 1 && c->r == c->b) {
      gather (s + c->r, c->pixel_bytes, c->sample_shift, c->width,
          c->target[0] + row);
    } else if (c->channels == 1) {
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
convert_cpu (StereoQueue * queue, const StereoConversion * c, int n)
{
  for (int i = 0; i < n; i++)
    stereo_cpu_for (queue, c[i].height, 0, c[i].u != NULL ? convert_yuv_rows
        : convert_rgb_rows, &c[i]);
  return STEREO_OK;
}

static void
mirror_rows (const void *context, StereoSpan span)
{
  const StereoMirroredView *m = context;

  for (int y = span.begin; y < span.end; y++) {
    for (int i = 0; i < m->channels; i++)
      stereo_mirror_row (m->view.plane[i] + (size_t) y * m->view.stride,
          m->target[i] + (size_t) y * m->target_stride, m->width);
  }
}

static StereoStatus
mirror_cpu (StereoQueue * queue, const StereoMirroredView * view)
{
  stereo_cpu_for (queue, view->height, 0, mirror_rows, view);
  return STEREO_OK;
}

static const StereoConvertStages stages = {
  .view_row_bytes = view_row_bytes_cpu,
  .view_planes = view_planes_cpu,
  .convert = convert_cpu,
  .mirror = mirror_cpu,
};

const void *
stereo_convert_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
