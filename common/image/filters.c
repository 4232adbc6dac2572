/* gst-stereomatching: stages that all algorithms share, on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/filters.h"

#include "core/cpu.h"
#include "image/output.h"

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

/* What the threads of a loop work on. */
typedef struct
{
  int width;
  int height;
  const StereoMap *source;
  const StereoMap *target;
  const StereoOutput *output;
} Job;

/* The median at column x of three rows, whose neighbours are at columns l and
 * r. */
STEREO_INLINE uint16_t
median_at (const uint16_t * above, const uint16_t * row,
    const uint16_t * below, int l, int x, int r, uint32_t invalid)
{
  uint32_t center = row[x];
  uint32_t v[9] = { above[l], above[x], above[r], row[l], center, row[r],
    below[l], below[x], below[r]
  };

  if (center == invalid)
    return (uint16_t) invalid;
  for (int i = 0; i < 9; i++)
    v[i] = v[i] == invalid ? center : v[i];
  return (uint16_t) stereo_median9 (v);
}

/* One row of the median, to elements of 1 or 2 bytes. */
STEREO_INLINE void
median_row (const StereoMap * source, int width, int height, int y,
    uint32_t invalid, void *target, int bytes)
{
  const uint16_t *row = source->data + (size_t) y * source->stride;
  const uint16_t *above = y > 0 ? row - source->stride : row;
  const uint16_t *below = y < height - 1 ? row + source->stride : row;
  uint8_t *out8 = target;
  uint16_t *out16 = target;
  int last = width - 1;

#define MEDIAN_STORE_(l, x, r) \
  do { \
    uint16_t median_ = median_at (above, row, below, l, x, r, invalid); \
    if (bytes == 1) \
      out8[x] = (uint8_t) median_; \
    else \
      out16[x] = median_; \
  } while (0)

  MEDIAN_STORE_ (0, 0, last > 0 ? 1 : 0);
#pragma omp simd
  for (int x = 1; x < last; x++)
    MEDIAN_STORE_ (x - 1, x, x + 1);
  if (last > 0)
    MEDIAN_STORE_ (last - 1, last, last);
#undef MEDIAN_STORE_
}

static void
median_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  int width = job->width;
  int height = job->height;
  const StereoMap *source = job->source;
  const StereoMap *target = job->target;

  for (int y = span.begin; y < span.end; y++)
    median_row (source, width, height, y, STEREO_INVALID,
        target->data + (size_t) y * target->stride, 2);
}

static StereoStatus
median_cpu (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoMap * target)
{
  Job job = {.width = width,.height = height,.source = source,
    .target = target
  };

  stereo_cpu_for (queue, height, 0, median_rows, &job);
  return STEREO_OK;
}

static void
median_codes_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  int width = job->width;
  int height = job->height;
  const StereoMap *source = job->source;
  const StereoOutput *output = job->output;

  for (int y = span.begin; y < span.end; y++) {
    void *out = (uint8_t *) output->data + (size_t) y * output->stride;

    if (output->bytes == 1)
      median_row (source, width, height, y, output->invalid, out, 1);
    else
      median_row (source, width, height, y, output->invalid, out, 2);
  }
}

static StereoStatus
median_codes_cpu (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  Job job = {.width = width,.height = height,.source = source,
    .output = output
  };

  stereo_cpu_for (queue, height, 0, median_codes_rows, &job);
  return STEREO_OK;
}

static void
encode_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  int width = job->width;
  const StereoMap *map = job->source;
  const StereoOutput *output = job->output;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *in = map->data + (size_t) y * map->stride;

    for (int x = 0; x < width; x++)
      stereo_store_code (output, x, y, in[x]);
  }
}

static StereoStatus
encode_cpu (StereoQueue * queue, int width, int height, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.width = width,.source = map,.output = output };

  stereo_cpu_for (queue, height, 0, encode_rows, &job);
  return STEREO_OK;
}

static const StereoFilterStages filters = {
  .view_row_bytes = view_row_bytes_cpu,
  .view_planes = view_planes_cpu,
  .convert = convert_cpu,
  .median = median_cpu,
  .encode = encode_cpu,
  .median_codes = median_codes_cpu,
};

const void *
stereo_filters_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &filters;
}
