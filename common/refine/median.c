/* gst-stereomatching: the 3x3 median, and encoding, on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/median.h"

#include "core/cpu.h"
#include "refine/output.h"

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

static const StereoMedianStages stages = {
  .median = median_cpu,
  .encode = encode_cpu,
  .median_codes = median_codes_cpu,
};

const void *
stereo_median_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
