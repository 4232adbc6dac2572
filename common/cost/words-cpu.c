/* gst-stereomatching: words of pixels on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/words-cpu.h"

#include "core/cpu.h"
#include "cost/words-formula.h"
#include "image/mirror.h"

#include <string.h>

/* Memory layout: four planes of bytes, then one of luma with a repeated border.
 * Rows have the same stride and a margin at the end; margins precede the words
 * and luma. */

#define BORDER STEREO_WORDS_BORDER

static size_t
row_stride (int width)
{
  return stereo_round_up ((size_t) width, 64) + STEREO_WORDS_MARGIN;
}

size_t
stereo_words_bytes_cpu (int width, int height)
{
  return 5 * row_stride (width) * (size_t) height + 2 * STEREO_WORDS_MARGIN;
}

static uint8_t *
plane (int width, int height, void *memory, int index)
{
  return (uint8_t *) memory + (index < 4 ? 1 : 2) * STEREO_WORDS_MARGIN
      + (size_t) index * row_stride (width) * (size_t) height;
}

StereoWords
stereo_words_layout_cpu (int width, int height, void *memory)
{
  StereoWords words = { .stride = row_stride (width) };

  for (int i = 0; i < 4; i++)
    words.plane[i] = plane (width, height, memory, i);
  return words;
}

static void
luma_row (const StereoView * view, int channels, int width, int y,
    uint8_t * luma)
{
  const size_t from = (size_t) y * view->stride;

  if (channels == 1) {
    memcpy (luma, view->plane[0] + from, (size_t) width);
  } else {
    const uint8_t *r = view->plane[0] + from;
    const uint8_t *g = view->plane[1] + from;
    const uint8_t *b = view->plane[2] + from;

#pragma omp simd
    for (int x = 0; x < width; x++)
      luma[x] = stereo_luma (r[x], g[x], b[x]);
  }
  for (int i = 1; i <= BORDER; i++) {
    luma[-i] = luma[0];
    luma[width - 1 + i] = luma[width - 1];
  }
}

static void
gradient_row (int width, const uint8_t * pixel, uint8_t * restrict gradient)
{
#pragma omp simd
  for (int x = 0; x < width; x++)
    gradient[x] = (uint8_t) stereo_words_gradient (pixel[x - 1],
        pixel[x + 1]);
}

/* Context of parallel loops. */
typedef struct
{
  const StereoWordsSource *source;
  StereoWordsRow make_row;
  void *const *memory;
} Job;

/* Computes the words of a row and clears its margins. */
static void
words_row (const Job *job, void *memory, int y)
{
  const int width = job->source->width, height = job->source->height;
  const size_t stride = row_stride (width);
  const size_t row = (size_t) y * stride;
  const uint8_t *luma = plane (width, height, memory, 4);
  const uint8_t *line[2 * BORDER + 1];
  uint8_t *target[4];

  for (int i = -BORDER; i <= BORDER; i++)
    line[i + BORDER] = luma
        + (size_t) stereo_clamp_int (y + i, 0, height - 1) * stride;
  for (int i = 0; i < 4; i++)
    target[i] = plane (width, height, memory, i) + row;

  job->make_row (job->source->network, width, line, target);
  gradient_row (width, line[BORDER], target[3]);
  for (int i = 0; i < 4; i++) {
    memset (target[i] + width, 0, stride - (size_t) width);
    if (y == 0)
      memset (target[i] - STEREO_WORDS_MARGIN, 0, STEREO_WORDS_MARGIN);
  }
}

static void
luma_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoWordsSource *s = job->source;
  const size_t stride = row_stride (s->width);

  for (int i = span.begin; i < span.end; i++) {
    const int side = i / s->height, y = i % s->height;

    luma_row (&s->views[side], s->channels, s->width, y,
        plane (s->width, s->height, job->memory[side], 4)
        + (size_t) y * stride);
  }
}

static void
words_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const int height = job->source->height;

  for (int i = span.begin; i < span.end; i++)
    words_row (job, job->memory[i / height], i % height);
}

StereoStatus
stereo_words_make_cpu (StereoQueue * queue, const StereoWordsSource * source,
    void *const memory[2], StereoWordsRow make_row)
{
  const Job job = { source, make_row, memory };

  stereo_cpu_for (queue, 2 * source->height, 0, luma_rows, &job);
  stereo_cpu_for (queue, 2 * source->height, 0, words_rows, &job);
  return STEREO_OK;
}

typedef struct
{
  int width;
  int height;
  void *const *memory;
} MirrorJob;

static void
mirror_rows (const void *context, StereoSpan span)
{
  const MirrorJob *job = context;
  const size_t stride = row_stride (job->width);

  for (int i = span.begin; i < span.end; i++) {
    for (int byte = 0; byte < 4; byte++) {
      uint8_t *row = plane (job->width, job->height,
          job->memory[i / job->height], byte)
          + (size_t) (i % job->height) * stride;

      stereo_mirror_row (row, row, job->width);
    }
  }
}

StereoStatus
stereo_words_mirror_cpu (StereoQueue * queue, int width, int height,
    void *const memory[2])
{
  const MirrorJob job = { width, height, memory };

  stereo_cpu_for (queue, 2 * height, 0, mirror_rows, &job);
  return STEREO_OK;
}
