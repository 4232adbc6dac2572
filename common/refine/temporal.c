/* gst-stereomatching: temporal filter of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/temporal-cpu.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "refine/temporal-formula.h"
#include "simd/select.h"

#include <string.h>

/* Row alignment of maps and views in elements; as many may be read beyond the
 * last row. */
#define PADDING 64

/* ----------------------------------------------------------------- schedule */

void
stereo_temporal_plan (const StereoSearch * search, int unit, unsigned frames,
    StereoTemporalPlan * plan, StereoArena * arena)
{
  StereoTemporalFrame *f = &plan->frame;
  StereoMap *maps[] = { &f->map, &f->past, &f->next };
  uint8_t **bytes[] = { &f->past_view, &f->next_view, &f->age };
  const size_t stride = stereo_round_up ((size_t) search->width, PADDING);
  const size_t size = stride * (size_t) search->height + PADDING;

  memset (plan, 0, sizeof (*plan));
  f->width = search->width;
  f->height = search->height;
  f->unit = unit;
  f->inverse = ((UINT64_C (1) << 32) + (uint64_t) unit - 1) / (uint64_t) unit;
  f->min_disparity = search->min_disparity;
  f->frames = (int) frames;
  f->stride = stride;
  for (int i = 0; i < 3; i++) {
    maps[i]->stride = stride;
    stereo_arena_add (arena, (void **) &maps[i]->data, size,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) bytes[i], size, 1);
  }
  stereo_temporal_reset (plan);
}

void
stereo_temporal_reset (StereoTemporalPlan * plan)
{
  plan->frame.first = true;
}

StereoStatus
stereo_temporal_run (StereoQueue * queue, const StereoTemporalStages * stages,
    StereoTemporalPlan * plan, int channels, const StereoView * left,
    const StereoView * right, const StereoOutput * output)
{
  StereoTemporalFrame *f = &plan->frame;
  const StereoMap past = f->past;
  uint8_t *const past_view = f->past_view;
  StereoStatus status;

  f->left = stages->view (left, channels);
  f->right = stages->view (right, channels);
  status = stages->filter (queue, f, output);
  f->past = f->next;
  f->next = past;
  f->past_view = f->next_view;
  f->next_view = past_view;
  f->first = false;
  return status;
}

/* ------------------------------------------------------------ scalar stages */

StereoTemporalView
stereo_temporal_view_cpu (const StereoView * view, int channels)
{
  return (StereoTemporalView) {
    .data = view->plane[channels == 3 ? 1 : 0],
    .stride = view->stride,
    .step = 1,
  };
}

/* Returns the filtered code and updates the age. */
static unsigned
next_code (const StereoTemporalFrame * f, int x, int y, unsigned before,
    unsigned now, uint8_t * age)
{
  const size_t at = (size_t) y * f->stride + (size_t) x;
  const int distance = stereo_temporal_distance (before, now);
  const int passed = *age;

  *age = 0;
  if (before == STEREO_INVALID)
    return now;
  if (now != STEREO_INVALID && distance <= STEREO_TEMPORAL_JUMP * f->unit)
    return distance <= f->unit && stereo_temporal_distance (f->past_view[at],
        f->next_view[at]) <= STEREO_TEMPORAL_LEVELS
        ? stereo_temporal_mean (before, now) : now;
  if (passed == f->frames || (now != STEREO_INVALID
          && !stereo_temporal_is_plausible (f, x, y, before, now)))
    return now;
  *age = (uint8_t) (passed + 1);
  return before;
}

static void
filter_rows (const void *context, StereoSpan span)
{
  const StereoTemporalJob *job = context;
  const StereoTemporalFrame *f = job->frame;

  for (int y = span.begin; y < span.end; y++) {
    const size_t row = (size_t) y * f->stride;
    const uint16_t *map = f->map.data + (size_t) y * f->map.stride;
    const uint16_t *past = f->past.data + (size_t) y * f->past.stride;
    uint16_t *next = f->next.data + (size_t) y * f->next.stride;

    memcpy (f->next_view + row, f->left.data + (size_t) y * f->left.stride,
        (size_t) f->width);
    if (f->first)
      memset (f->age + row, 0, (size_t) f->width);
    for (int x = 0; x < f->width; x++) {
      next[x] = (uint16_t) next_code (f, x, y, f->first ? STEREO_INVALID
          : past[x], map[x], &f->age[row + (size_t) x]);
      stereo_store_raw (job->output, x, y, stereo_output_from_map (job->output,
              map[x] == STEREO_INVALID ? STEREO_INVALID : next[x]));
    }
  }
}

static StereoStatus
filter_cpu (StereoQueue * queue, const StereoTemporalFrame * frame,
    const StereoOutput * output)
{
  const StereoTemporalJob job = {.frame = frame,.output = output };

  stereo_cpu_for (queue, frame->height, 0, filter_rows, &job);
  return STEREO_OK;
}

static const StereoTemporalStages stages_cpu = {
  .view = stereo_temporal_view_cpu,
  .filter = filter_cpu,
};

const void *
stereo_temporal_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_temporal_stages_);
}
