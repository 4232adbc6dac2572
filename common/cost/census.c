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

#include "cost/words-cpu.h"

#define BORDER STEREO_WORDS_BORDER

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
census_row (const StereoNetwork * network, int width,
    const uint8_t * const line[2 * BORDER + 1], uint8_t * const target[3])
{
  (void) network;
  for (int n = 0; n < 24; n++) {
    const int q = n < 12 ? n : n + 1;

    compare_row (width, line[q / 5] + q % 5 - BORDER, line[BORDER], n % 8,
        target[n / 8]);
  }
}

static StereoStatus
make_cpu (StereoQueue * queue, const StereoWordsSource * source,
    void *const memory[2])
{
  return stereo_words_make_cpu (queue, source, memory, census_row);
}

static const StereoWordsStages stages = {
  .bytes = stereo_words_bytes_cpu,
  .layout = stereo_words_layout_cpu,
  .make = make_cpu,
  .mirror = stereo_words_mirror_cpu,
};

const void *
stereo_census_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
