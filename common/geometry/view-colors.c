/* gst-stereomatching: colours of virtual views on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view-cpu.h"

#include "image/pixel.h"

#include <string.h>

/* Prefetches row y from pixel x on into the second-level cache.  Inline, as GCC
 * 12 removes calls of functions that only prefetch. */
static inline __attribute__ ((always_inline)) void
prefetch_row (const StereoViewFrame * f, const StereoOpImage * image, int x,
    int y)
{
  const uint8_t *row = image->plane[0] + (size_t) y * image->stride[0]
      + (size_t) x * f->format.pixel_bytes;

  for (int i = 0; i < f->width * f->format.pixel_bytes; i += 64)
    __builtin_prefetch (row + i, 0, 2);
}

/* ------------------------------------------------------------------ reading */

static void
load_packed (const StereoViewRows * rows, const uint8_t * restrict row,
    int bytes, int first, int width, uint32_t * restrict words)
{
  int x = 0;

  if (bytes == 4) {
    memcpy (words, row + first, 4 * (size_t) width - (size_t) first);
    return;
  }
  if (rows->load_rgb24 != NULL)
    x = rows->load_rgb24 (row, width, words);
  for (; x < width - 1; x++)
    memcpy (&words[x], row + 3 * x, 4);
  memcpy (&words[width - 1], row + 3 * (width - 1), 3);
}

static void
load_planar (const uint8_t * restrict luma, int pixel_bytes,
    const uint8_t * restrict u, const uint8_t * restrict v, int bytes,
    int shift, int width, uint32_t * restrict words)
{
  if (shift == 0) {
    for (int x = 0; x < width; x++)
      words[x] = luma[x * pixel_bytes] | (uint32_t) u[x * bytes] << 8
          | (uint32_t) v[x * bytes] << 16;
    return;
  }
  for (int x = 0; x < width; x++)
    words[x] = luma[x * pixel_bytes] | (uint32_t) u[(x >> 1) * bytes] << 8
        | (uint32_t) v[(x >> 1) * bytes] << 16;
}

STEREO_INLINE uint32_t
get_sample (const uint8_t * at)
{
  return at[0] | (uint32_t) at[1] << 8;
}

/* Loads samples, each of one pixel, or of two and `bytes` apart. */
static void
load_samples (const uint8_t * restrict row, int bytes, int shift, int padding,
    int width, uint32_t * restrict samples)
{
  if (shift == 0) {
#pragma omp simd
    for (int x = 0; x < width; x++)
      samples[x] = get_sample (row + 2 * x) >> padding;
    return;
  }
  for (int x = 0; x < width; x += 2, row += bytes)
    samples[x] = samples[x + 1] = get_sample (row) >> padding;
}

/* Whether pairs of pixels share chroma, and all samples are bytes. */
static bool
has_pairs (const StereoViewFormat * k)
{
  return k->yuv && !k->wide && k->shift_x == 1 && k->pixel_bytes == 1;
}

void
stereo_view_load_colors (const StereoViewRows * rows,
    const StereoViewFrame * f, const StereoOpImage * image, int y,
    const StereoViewColors * colors)
{
  const StereoViewFormat *k = &f->format;
  const uint8_t *row = image->plane[0] + (size_t) y * image->stride[0]
      + (k->channels == 1 ? k->first : 0);
  const size_t cy = (size_t) (y >> k->shift_y);
  const uint8_t *u = NULL, *v = NULL;
  int done = 0;

  if (y + 1 < f->height)
    prefetch_row (f, image, 0, y + 1);
  if (k->yuv) {
    u = image->plane[k->u_plane] + cy * image->stride[k->u_plane]
        + k->u_offset;
    v = image->plane[k->v_plane] + cy * image->stride[k->v_plane]
        + k->v_offset;
  }
  if (k->wide) {
    load_samples (row, 2, 0, k->padding, f->width, colors->row[0]);
    if (k->yuv) {
      load_samples (u, k->chroma_bytes, k->shift_x, k->padding, f->width,
          colors->row[1]);
      load_samples (v, k->chroma_bytes, k->shift_x, k->padding, f->width,
          colors->row[2]);
    }
  } else if (k->yuv) {
    if (has_pairs (k) && rows->load_pairs != NULL)
      done = rows->load_pairs (row, u, v, k->chroma_bytes, f->width,
          colors->row[0]);
    u += done / 2 * k->chroma_bytes;
    v += done / 2 * k->chroma_bytes;
    load_planar (row + done, k->pixel_bytes, u, v, k->chroma_bytes, k->shift_x,
        f->width - done, colors->row[0] + done);
  } else if (k->channels == 3) {
    load_packed (rows, row, k->pixel_bytes, k->first, f->width, colors->row[0]);
  } else {
    for (int x = 0; x < f->width; x++)
      colors->row[0][x] = row[x];
  }
}

/* ------------------------------------------------------------------ writing */

static void
store_packed (const StereoViewRows * rows, uint8_t * restrict row, int bytes,
    int first, int width, const uint32_t * restrict words)
{
  int x = 0;

  if (bytes == 4) {
    const uint32_t filler = first ? 0xffu : 0xff000000u;

#pragma omp simd
    for (int i = 0; i < width; i++) {
      const uint32_t word = words[i] << 8 * first | filler;

      memcpy (row + 4 * i, &word, 4);
    }
    return;
  }
  if (rows->store_rgb24 != NULL)
    x = rows->store_rgb24 (words, width, row);
  for (; x < width - 1; x++)
    memcpy (row + 3 * x, &words[x], 4);
  memcpy (row + 3 * (width - 1), &words[width - 1], 3);
}

STEREO_INLINE void
put_sample (const StereoViewFormat * k, uint8_t * at, uint32_t value)
{
  if (k->wide) {
    value <<= k->padding;
    at[1] = (uint8_t) (value >> 8);
  }
  at[0] = (uint8_t) value;
}

static void
store_luma (const StereoViewFormat * k, uint8_t * restrict row, int width,
    const uint32_t * restrict words)
{
  if (k->wide) {
    const int padding = k->padding;

#pragma omp simd
    for (int x = 0; x < width; x++) {
      const uint32_t value = words[x] << padding;

      row[2 * x] = (uint8_t) value;
      row[2 * x + 1] = (uint8_t) (value >> 8);
    }
    return;
  }
  for (int x = 0; x < width; x++)
    row[x * k->pixel_bytes] = (uint8_t) words[x];
  /* packed YUV has whole groups of two */
  if (k->pixel_bytes == 2 && width % 2 != 0)
    row[2 * width] = (uint8_t) words[width - 1];
}

/* Stores a chroma channel, words >> shift & mask, of one or two rows, averaged
 * over the pixels that share a sample. */
static void
store_means (const StereoViewFormat * k, const uint32_t * upper,
    const uint32_t * lower, int shift, uint32_t mask, int width,
    uint8_t * samples)
{
  const int step = 1 << k->shift_x;

  for (int x = 0; x < width; x += step, samples += k->chroma_bytes) {
    /* replicate the last column or row at an odd border */
    const int other = x + step - 1 < width ? x + step - 1 : x;
    const uint32_t sum = (upper[x] >> shift & mask)
        + (lower[x] >> shift & mask) + (upper[other] >> shift & mask)
        + (lower[other] >> shift & mask);

    put_sample (k, samples, (sum + 2) >> 2);
  }
}

void
stereo_view_store_colors (const StereoViewRows * rows,
    const StereoViewFrame * f, const StereoViewColors * colors, int n_rows,
    int x, int y)
{
  const StereoViewFormat *k = &f->format;
  const StereoOpImage *o = &f->frame;
  const StereoViewColors *last = &colors[n_rows - 1];
  const size_t cy = (size_t) (y >> k->shift_y);
  const size_t cx = (size_t) (x >> k->shift_x) * k->chroma_bytes;
  uint8_t *u, *v;
  int done = 0;

  if ((y + n_rows) % f->height != 0)    /* of a tile */
    prefetch_row (f, o, x, y + n_rows);
  for (int r = 0; r < n_rows; r++) {
    uint8_t *row = o->plane[0] + (size_t) (y + r) * o->stride[0]
        + (size_t) x * k->pixel_bytes;

    if (k->channels == 3)
      store_packed (rows, row, k->pixel_bytes, k->first, f->width,
          colors[r].row[0]);
    else
      store_luma (k, row + k->first, f->width, colors[r].row[0]);
  }
  if (!k->yuv)
    return;
  u = o->plane[k->u_plane] + cy * o->stride[k->u_plane] + cx + k->u_offset;
  v = o->plane[k->v_plane] + cy * o->stride[k->v_plane] + cx + k->v_offset;
  if (k->wide) {
    store_means (k, colors->row[1], last->row[1], 0, 0xffff, f->width, u);
    store_means (k, colors->row[2], last->row[2], 0, 0xffff, f->width, v);
  } else {
    if (has_pairs (k) && rows->store_pairs != NULL)
      done = rows->store_pairs (colors->row[0], last->row[0], f->width, u, v,
          k->chroma_bytes);
    u += done / 2 * k->chroma_bytes;
    v += done / 2 * k->chroma_bytes;
    store_means (k, colors->row[0] + done, last->row[0] + done, 8, 0xff,
        f->width - done, u);
    store_means (k, colors->row[0] + done, last->row[0] + done, 16, 0xff,
        f->width - done, v);
  }
}
