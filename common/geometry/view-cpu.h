/* gst-stereomatching: virtual views on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The steps of a row, scalar (view-rows.c) and with vectors (view-simd*.c), the
 * conversion of its colours (view-colors.c), and the loop over rows
 * (view-cpu.c).
 *
 * Rows have STEREO_VIEW_MARGIN accessible elements before the first and after
 * the last one.
 */

#ifndef STEREO_VIEW_CPU_H
#define STEREO_VIEW_CPU_H

#include "geometry/view.h"

/* Two of the largest vectors. */
#define STEREO_VIEW_MARGIN 32

/* A row of colours: words in row[0], or one row per channel for wide formats.
 * The fourth byte of row[0] is 255 for visible and 0 for hidden pixels of a new
 * view, otherwise unused. */
typedef struct
{
  uint32_t *row[3];
} StereoViewColors;

/* A row of a source view. */
typedef struct
{
  StereoViewColors colors;
  int32_t *disparities;         /* E or B */
  int32_t *marked;              /* the same times 2, plus 1 for edge pixels */
  int32_t lowest;               /* bounds of all disparities and 0 */
  int32_t highest;
} StereoViewRow;

typedef struct
{
  /* Step 0: decodes row y.  Writes row->disparities and the bounds. */
  void (*read) (const StereoViewFrame * frame, int y, StereoViewRow * row);
  /* The first element from x on with these bits under the mask, or width. */
  int (*find) (const void *row, int x, int width, uint32_t mask,
      uint32_t bits);
  /* Sets a row to none. */
  void (*clear) (int32_t * row, int width);
  /* Step 2, for pixels begin to end - 1 at least.  spans: a scratch row. */
  void (*project) (const StereoViewFrame * frame, const StereoViewRow * row,
      int begin, int end, int32_t q, int32_t offset, int32_t * spans,
      int32_t * projected);
  /* Step 5: writes row->marked. */
  void (*mark) (const StereoViewFrame * frame, StereoViewRow * row);
  /* Steps 6 and 7.  Returns whether there are hidden pixels.  right may be
   * NULL. */
  bool (*fetch) (const StereoViewFrame * frame, const StereoViewShot * shot,
      const StereoViewRow * left, const StereoViewRow * right,
      const int32_t * z, const StereoViewColors * colors);
  /* Optional: convert the first pixels of a row of 3 bytes a pixel to words,
   * and back.  Return their number. */
  int (*load_rgb24) (const uint8_t * bytes, int width, uint32_t * words);
  int (*store_rgb24) (const uint32_t * words, int width, uint8_t * bytes);
  /* Optional: converts the first pixels of a row of 8-bit YUV to words.  Two
   * pixels share chroma samples, which are chroma_bytes apart.  Returns the
   * number of pixels, which is even: as many as fill whole vectors. */
  int (*load_pairs) (const uint8_t * luma, const uint8_t * u,
      const uint8_t * v, int chroma_bytes, int width, uint32_t * words);
  /* The same for the chroma of two rows of words. */
  int (*store_pairs) (const uint32_t * upper, const uint32_t * lower,
      int width, uint8_t * u, uint8_t * v, int chroma_bytes);
} StereoViewRows;

extern const StereoViewRows stereo_view_rows;
extern const StereoViewRows stereo_view_rows_generic;
extern const StereoViewRows stereo_view_rows_avx2;
extern const StereoViewRows stereo_view_rows_avx512;

/* Reads row y of an image. */
void stereo_view_load_colors (const StereoViewRows * rows,
    const StereoViewFrame * frame, const StereoOpImage * image, int y,
    const StereoViewColors * colors);

/* Writes one or two rows to the frame at row y and column x. */
void stereo_view_store_colors (const StereoViewRows * rows,
    const StereoViewFrame * frame, const StereoViewColors * colors, int n_rows,
    int x, int y);

#endif /* STEREO_VIEW_CPU_H */
