/* gst-stereomatching: synthesised views on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What is done with rows on the CPU, plain (view-rows.c) and with vectors
 * (view-simd.c), with their colours (view-colors.c), and by whom (view-cpu.c).
 *
 * A row has STEREO_VIEW_MARGIN elements before the first one and behind the
 * last one, which may be read and written.
 */

#ifndef STEREO_VIEW_CPU_H
#define STEREO_VIEW_CPU_H

#include "geometry/view.h"

/* A vector, and a pixel. */
#define STEREO_VIEW_MARGIN 32

/* A row of colours: words, the rest is NULL; of wide formats numbers of up to
 * 16 bits for each channel.  The fourth byte of row[0] is 255 where a row of a
 * view is seen and 0 where it isn't, or unused. */
typedef struct
{
  uint32_t *row[3];
} StereoViewColors;

/* What there is for a row of the left or of the right view. */
typedef struct
{
  StereoViewColors colors;      /* the fourth byte is 0 */
  int32_t *disparities;         /* E or B */
  int32_t *marked;              /* the same times 2, plus 1 for edge pixels */
} StereoViewRow;

typedef struct
{
  /* Step 0, of row y: of width disparities, or none. */
  void (*read) (const StereoViewFrame * frame, int y, int32_t * row);
  /* Step 1. */
  void (*fill) (int32_t * row, int width);
  /* Step 2.  places: a row for it to work in. */
  void (*project) (int32_t * row, int width, int32_t join, int32_t q,
      int32_t offset, int32_t * places, int32_t * projected);
  /* row where it has any, else other. */
  void (*complete) (int32_t * row, const int32_t * other, int width);
  /* Step 5: fills in marked. */
  void (*mark) (const StereoViewFrame * frame, StereoViewRow * row);
  /* Steps 6 and 7; whether there are pixels that aren't seen.  right may be
   * NULL. */
  bool (*fetch) (const StereoViewFrame * frame, const StereoViewShot * shot,
      const StereoViewRow * left, const StereoViewRow * right,
      const int32_t * z, const StereoViewColors * colors);
  /* Words of the first pixels of a row of YUV of 8 bits, of which two share
   * chroma; its samples are chroma_bytes apart.  Does what fills vectors, and
   * returns how many pixels that is, an even number.  NULL: none. */
  int (*load_pairs) (const uint8_t * luma, const uint8_t * u,
      const uint8_t * v, int chroma_bytes, int width, uint32_t * words);
  /* And the chroma of the first ones of two rows of words. */
  int (*store_pairs) (const uint32_t * upper, const uint32_t * lower,
      int width, uint8_t * u, uint8_t * v, int chroma_bytes);
} StereoViewRows;

extern const StereoViewRows stereo_view_rows;
extern const StereoViewRows stereo_view_rows_generic;
extern const StereoViewRows stereo_view_rows_avx2;
extern const StereoViewRows stereo_view_rows_avx512;

/* Step 1 for the run of none that begins at x; returns the end of the run. */
int stereo_view_fill_run (int32_t * row, int width, int x);

/* Row y of an image. */
void stereo_view_load_colors (const StereoViewRows * rows,
    const StereoViewFrame * frame, const StereoOpImage * image, int y,
    const StereoViewColors * colors);

/* Writes one or two rows to the frame, from row y and column x on. */
void stereo_view_store_colors (const StereoViewRows * rows,
    const StereoViewFrame * frame, const StereoViewColors colors[2],
    int n_rows, int x, int y);

#endif /* STEREO_VIEW_CPU_H */
