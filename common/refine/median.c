/* gst-stereomatching: 3x3 median and encoding on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/median.h"

#include "core/cpu.h"
#include "refine/output.h"

/* Columns that are filtered at a time. */
#define SPAN 512

/* Context of parallel loops. */
typedef struct
{
  int width;
  int height;
  const StereoMap *source;
  const StereoOutput *output;
} Job;

/* Filters columns first to end - 1 of row y. */
static void
median_row (const Job * job, int y, int first, int end, uint32_t invalid,
    uint16_t * median)
{
  const int last = job->width - 1;
  const int inner_end = end < last ? end : last;
  const size_t stride = job->source->stride;
  const uint16_t *row = job->source->data + (size_t) y * stride;
  const uint16_t *above = y > 0 ? row - stride : row;
  const uint16_t *below = y < job->height - 1 ? row + stride : row;

  if (first == 0)
    median[0] = stereo_median_at (above, row, below, 0, 0, last > 0 ? 1 : 0,
        invalid);
#pragma omp simd
  for (int x = first > 0 ? first : 1; x < inner_end; x++)
    median[x - first] = stereo_median_at (above, row, below, x - 1, x, x + 1,
        invalid);
  if (end > last && last > 0)
    median[last - first] =
        stereo_median_at (above, row, below, last - 1, last, last, invalid);
}

/* codes: the source has the codes of the output. */
STEREO_INLINE void
median_span (const Job * job, StereoSpan rows, bool codes)
{
  const uint32_t invalid = codes ? job->output->invalid : STEREO_INVALID;
  uint16_t median[SPAN];

  for (int y = rows.begin; y < rows.end; y++) {
    for (int first = 0; first < job->width; first += SPAN) {
      const int end = first + SPAN < job->width ? first + SPAN : job->width;

      median_row (job, y, first, end, invalid, median);
      for (int x = first; x < end; x++) {
        if (codes)
          stereo_store_raw (job->output, x, y, median[x - first]);
        else
          stereo_store_code (job->output, x, y, median[x - first]);
      }
    }
  }
}

static void
median_rows (const void *context, StereoSpan rows)
{
  median_span (context, rows, false);
}

static void
median_codes_rows (const void *context, StereoSpan rows)
{
  median_span (context, rows, true);
}

static StereoStatus
median_cpu (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  const Job job = { width, height, source, output };

  stereo_cpu_for (queue, height, 0, median_rows, &job);
  return STEREO_OK;
}

static StereoStatus
median_codes_cpu (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  const Job job = { width, height, source, output };

  stereo_cpu_for (queue, height, 0, median_codes_rows, &job);
  return STEREO_OK;
}

static const StereoMedianStages stages = {
  .median = median_cpu,
  .median_codes = median_codes_cpu,
};

const void *
stereo_median_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
