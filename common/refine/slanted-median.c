/* gst-stereomatching: weighted median along the slopes of a map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"

#include <limits.h>

/* The codes of a window, carried to its centre. */
typedef struct
{
  int n;
  uint32_t whole;               /* sum of the weights */
  int lowest, highest;          /* codes */
  int code[STEREO_SLANTED_SAMPLES];
  uint8_t weight[STEREO_SLANTED_SAMPLES];
} Window;

static void
add_sample (Window * w, int code, uint32_t weight)
{
  w->lowest = code < w->lowest ? code : w->lowest;
  w->highest = code > w->highest ? code : w->highest;
  w->code[w->n] = code;
  w->weight[w->n++] = (uint8_t) weight;
  w->whole += weight;
}

static void
collect (const StereoRefineJob * job, int x, int y, Window * w)
{
  const StereoRefineConstants *k = job->k;
  const int radius = STEREO_SLANTED_RADIUS;
  const int limit = STEREO_SLANTED_LIMIT * k->unit;
  const uint32_t center = stereo_view_pixel (job->left, k->channels, x, y);

  w->n = 0;
  w->whole = 0;
  w->lowest = INT_MAX;
  w->highest = -1;
  for (int v = y - radius; v <= y + radius; v++) {
    const int last = x - stereo_slanted_first (y - v);

    for (int u = x + stereo_slanted_first (v - y); u <= last; u += 2) {
      unsigned code;

      if (u < 0 || u >= k->width || v < 0 || v >= k->height)
        continue;
      code = stereo_map_row (&job->work->filled, v)[u];
      if (code != STEREO_INVALID)
        add_sample (w, stereo_clamp_int ((int) code + stereo_refine_carry (
                    job->work, u, v, x, y, limit), 0,
                k->unit * (k->num_disparities - 1)),
            stereo_refine_weight (job, center, u, v));
    }
  }
}

/* The median, by bisection.  own: the code of the centre */
static uint16_t
find_median (const Window * w, uint16_t own)
{
  int low = w->lowest, high = w->highest;

  if (w->whole == 0)
    return own;
  while (low < high) {
    const int middle = (low + high) / 2;
    uint32_t sum = 0;

    for (int i = 0; i < w->n; i++)
      sum += w->code[i] <= middle ? w->weight[i] : 0;
    if (2 * sum >= w->whole)
      high = middle;
    else
      low = middle + 1;
  }
  return (uint16_t) low;
}

static void
slanted_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < job->k->width; x++) {
      Window window;
      uint16_t code;

      collect (job, x, y, &window);
      code = find_median (&window, stereo_map_row (&job->work->filled, y)[x]);
      if (job->final != NULL)
        stereo_map_row (job->final, y)[x] = code;
      stereo_store_raw (job->output, x, y,
          stereo_output_from_map (job->output, code));
    }
  }
}

StereoStatus
stereo_refine_slanted_median_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.left = left,
    .final = final,.output = output
  };

  stereo_cpu_for (queue, k->height, 0, slanted_rows, &job);
  return STEREO_OK;
}
