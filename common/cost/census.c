/* gst-stereomatching: census words on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * b compares the surroundings of a pixel with it, so that it does not depend on
 * exposure, gain or vignetting (R. Zabih, J. Woodfill: "Non-parametric local
 * transforms for computing visual correspondence", ECCV 1994).  I is luma, that
 * of stereo_luma() for a view of three channels.  Columns and rows outside the
 * image repeat its border.  b has a bit for each of the 24 neighbours q in the
 * 5x5 window around p, in raster order: 1 if I (q) < I (p).
 */

#include "cost/words.h"

#include "core/cpu.h"
#include "cost/words-formula.h"

#include <string.h>

/* Memory layout: four planes of bytes, then one of luma with a repeated border.
 * Rows have the same stride and a margin at the end; margins precede the words
 * and luma. */

#define BORDER 2

static size_t
row_stride (int width)
{
  return ((size_t) width + 63) / 64 * 64 + STEREO_WORDS_MARGIN;
}

static size_t
bytes_cpu (int width, int height)
{
  return 5 * row_stride (width) * (size_t) height + 2 * STEREO_WORDS_MARGIN;
}

static uint8_t *
plane (int width, int height, void *memory, int index)
{
  return (uint8_t *) memory + (index < 4 ? 1 : 2) * STEREO_WORDS_MARGIN
      + (size_t) index * row_stride (width) * (size_t) height;
}

static StereoWords
layout_cpu (int width, int height, void *memory)
{
  StereoWords census = { .stride = row_stride (width) };

  for (int i = 0; i < 4; i++)
    census.plane[i] = plane (width, height, memory, i);
  return census;
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

/* Sets bit k, lowest first: neighbor < pixel.  A loop over one neighbour is
 * vectorized by compilers. */
static void
compare_row (int width, const uint8_t * neighbor, const uint8_t * pixel,
    int k, uint8_t * restrict bits)
{
  const uint8_t bit = (uint8_t) (1 << k), kept = (uint8_t) (bit - 1);

#pragma omp simd
  for (int x = 0; x < width; x++)
    bits[x] = (uint8_t) ((bits[x] & kept) | (neighbor[x] < pixel[x] ? bit
            : 0));
}

static void
gradient_row (int width, const uint8_t * pixel, uint8_t * restrict gradient)
{
#pragma omp simd
  for (int x = 0; x < width; x++)
    gradient[x] = (uint8_t) stereo_words_gradient (pixel[x - 1],
        pixel[x + 1]);
}

/* Computes the words of a row and clears its margins. */
static void
words_row (int width, int height, void *memory, int y)
{
  const size_t stride = row_stride (width);
  const size_t row = (size_t) y * stride;
  const uint8_t *luma = plane (width, height, memory, 4);
  const uint8_t *line[2 * BORDER + 1];
  uint8_t *target[4];

  for (int i = -BORDER; i <= BORDER; i++)
    line[i + BORDER] = luma
        + (size_t) stereo_clamp_int (y + i, 0, height - 1) * stride;
  for (int i = 0; i < 4; i++) {
    target[i] = plane (width, height, memory, i) + row;
    memset (target[i] + width, 0, stride - (size_t) width);
    if (y == 0)
      memset (target[i] - STEREO_WORDS_MARGIN, 0, STEREO_WORDS_MARGIN);
  }

  for (int n = 0; n < 24; n++) {
    const int q = n < 12 ? n : n + 1;

    compare_row (width, line[q / 5] + q % 5 - BORDER, line[BORDER], n % 8,
        target[n / 8]);
  }
  gradient_row (width, line[BORDER], target[3]);
}

/* Context of parallel loops. */
typedef struct
{
  int width;
  int height;
  int channels;
  const StereoView *views;
  void *const *memory;
} Job;

static void
luma_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const size_t stride = row_stride (job->width);

  for (int i = span.begin; i < span.end; i++) {
    const int side = i / job->height, y = i % job->height;

    luma_row (&job->views[side], job->channels, job->width, y,
        plane (job->width, job->height, job->memory[side], 4)
        + (size_t) y * stride);
  }
}

static void
words_rows (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int i = span.begin; i < span.end; i++)
    words_row (job->width, job->height, job->memory[i / job->height],
        i % job->height);
}

static StereoStatus
make_cpu (StereoQueue * queue, int width, int height, int channels,
    const StereoView views[2], void *const memory[2])
{
  const Job job = { width, height, channels, views, memory };

  stereo_cpu_for (queue, 2 * height, 0, luma_rows, &job);
  stereo_cpu_for (queue, 2 * height, 0, words_rows, &job);
  return STEREO_OK;
}

static const StereoWordsStages stages = {
  .bytes = bytes_cpu,
  .layout = layout_cpu,
  .make = make_cpu,
};

const void *
stereo_census_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
