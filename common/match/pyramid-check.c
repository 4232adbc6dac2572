/* gst-stereomatching: the left-right check of a pyramid's fields
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid.h"

#include "core/cpu.h"
#include "match/pyramid-pixel.h"

typedef struct
{
  const StereoPyramidConstants *k;
  const StereoPyramidLevel *level;
  const StereoPyramidField *back;
  const StereoPyramidField *field;
} Job;

static void
check_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const StereoPyramidField *back = job->back;
  const StereoPyramidField *field = job->field;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      size_t p = (size_t) y * level->stride + (size_t) x;
      float dx = field->dx[p], dy = k->vertical ? field->dy[p] : 0.0f;
      bool valid = stereo_pyramid_inside (x, dx, level->width)
          && stereo_pyramid_inside (y, dy, level->height);

      if (valid) {
        size_t q = (size_t) stereo_pyramid_nearest (y, dy, level->height)
            * level->stride
            + (size_t) stereo_pyramid_nearest (x, dx, level->width);

        valid = stereo_pyramid_agrees (dx, back->dx[q], k->max_diff)
            && (!k->vertical
            || stereo_pyramid_agrees (dy, back->dy[q], k->max_diff));
      }
      if (!valid)
        field->confidence[p] = 0.0f;
    }
  }
}

StereoStatus
stereo_pyramid_check_cpu (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * back, const StereoPyramidField * field)
{
  Job job = {.k = k,.level = level,.back = back,.field = field };

  stereo_cpu_for (queue, level->height, 0, check_rows, &job);
  return STEREO_OK;
}

/* A run of invalid pixels between two valid ones, or -1 where the row ends. */
static void
fill_run (const StereoPyramidField * field, size_t row, int before, int begin,
    int end, int after)
{
  int from = stereo_pyramid_filler (field->dx + row, before, after);

  if (from < 0)
    return;
  for (int x = begin; x < end; x++) {
    field->dx[row + (size_t) x] = field->dx[row + (size_t) from];
    if (field->dy != NULL)
      field->dy[row + (size_t) x] = field->dy[row + (size_t) from];
  }
}

static void
fill_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  int width = job->level->width;

  for (int y = span.begin; y < span.end; y++) {
    size_t row = (size_t) y * job->level->stride;
    const float *confidence = job->field->confidence + row;

    for (int x = 0, begin; x < width; x++) {
      if (confidence[x] > 0.0f)
        continue;
      for (begin = x; x < width && !(confidence[x] > 0.0f); x++);
      fill_run (job->field, row, begin - 1, begin, x, x < width ? x : -1);
    }
  }
}

StereoStatus
stereo_pyramid_fill_cpu (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * field)
{
  Job job = {.k = k,.level = level,.field = field };

  stereo_cpu_for (queue, level->height, 0, fill_rows, &job);
  return STEREO_OK;
}
