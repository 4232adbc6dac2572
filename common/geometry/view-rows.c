/* gst-stereomatching: rows of virtual views, plain
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/view-cpu.h"

#include "geometry/view-formula.h"

static void
read_row (const StereoViewFrame * f, int y, StereoViewRow * row)
{
  const uint8_t *codes = f->codes + (size_t) (y / f->factor) * f->codes_stride;

  row->lowest = row->highest = 0;
  for (int x = 0; x < f->width; x++) {
    const int at = x / f->factor;
    const uint32_t code = f->code_bytes == 1 ? codes[at]
        : codes[2 * at] | (uint32_t) codes[2 * at + 1] << 8;
    int32_t e = STEREO_VIEW_NONE;

    if (code != f->invalid) {
      e = stereo_view_disparity (code, f->scale_high, f->scale_low, f->minimum,
          f->factor);
      row->lowest = e < row->lowest ? e : row->lowest;
      row->highest = e > row->highest ? e : row->highest;
    }
    row->disparities[x] = e;
  }
}

static int
find (const void *row, int x, int width, uint32_t mask, uint32_t bits)
{
  const uint32_t *words = row;

  while (x < width && (words[x] & mask) != bits)
    x++;
  return x;
}

static void
clear (int32_t * row, int width)
{
  for (int x = 0; x < width; x++)
    row[x] = STEREO_VIEW_NONE;
}

static int32_t
get_place (const int32_t * row, int x, int32_t q, int32_t offset)
{
  return 256 * x - stereo_view_shift (q, row[x]) + offset;
}

static void
project (const StereoViewFrame * f, const StereoViewRow * from, int begin,
    int end, int32_t q, int32_t offset, int32_t * spans, int32_t * z)
{
  const int32_t *row = from->disparities;
  const int width = f->width;

  (void) spans;
  for (int x = begin; x < end; x++) {
    const int32_t place = get_place (row, x, q, offset);
    int32_t lo = place - 128, hi = place + 128;
    int first, last;

    if (x > 0 && stereo_view_joined (row[x - 1], row[x], f->join))
      lo = (get_place (row, x - 1, q, offset) + place) >> 1;
    if (x < width - 1 && stereo_view_joined (row[x + 1], row[x], f->join))
      hi = (place + get_place (row, x + 1, q, offset)) >> 1;
    first = stereo_view_ceil (lo);
    last = stereo_view_ceil (hi) - 1;
    if (last >= width)
      last = width - 1;
    for (int v = first > 0 ? first : 0; v <= last; v++)
      z[v] = row[x] > z[v] ? row[x] : z[v];
  }
}

static void
mark (const StereoViewFrame * f, StereoViewRow * row)
{
  const int32_t *e = row->disparities;

  for (int x = 0; x < f->width; x++) {
    const bool edge = (x > 0 && e[x - 1] - e[x] > f->join)
        || (x < f->width - 1 && e[x + 1] - e[x] > f->join);

    row->marked[x] = e[x] * 2 + edge;
  }
}

/* The sample of a source view: 256 times the channels, and the quality. */
typedef struct
{
  uint32_t channel[3];
  int quality;
} Found;

static uint32_t
get_channel (const StereoViewFormat * k, const StereoViewColors * colors,
    int x, int c)
{
  if (!k->wide)
    return colors->row[0][x] >> 8 * c & 255;
  return colors->row[c] != NULL ? colors->row[c][x] : 0;
}

static Found
look (const StereoViewFrame * f, const StereoViewRow * row, int32_t place,
    int32_t z)
{
  const int width = f->width;
  const int x = place >> 8;
  const uint32_t part[2] = { 256 - (place & 255), place & 255 };
  uint32_t sum = 0, weight[2] = { 0, 0 };
  Found found = { {0, 0, 0}, 0 };

  if (place < -128 || place > 256 * (width - 1) + 128)
    return found;
  for (int i = 0; i < 2; i++) {
    if (x + i < 0 || x + i >= width || part[i] == 0
        || !stereo_view_joined (row->marked[x + i] >> 1, z, f->join))
      continue;
    weight[i] = part[i];
    sum += part[i];
    if (found.quality == 0)
      found.quality = 2;
    if (row->marked[x + i] & 1)
      found.quality = 1;
  }
  for (int i = 0; i < 2; i++) {
    /* a single visible pixel gets the full weight */
    const uint32_t w = weight[i] == sum ? (sum > 0 ? 256 : 0) : weight[i];

    for (int c = 0; c < 3 && w > 0; c++)
      found.channel[c] += w * get_channel (&f->format, &row->colors, x + i, c);
  }
  return found;
}

static void
put_color (const StereoViewFormat * k, const uint32_t color[3], bool seen,
    const StereoViewColors * colors, int v)
{
  const uint32_t flag = seen ? 0xff000000u : 0;

  colors->row[0][v] = flag | color[0];
  if (!k->wide)
    colors->row[0][v] |= color[1] << 8 | color[2] << 16;
  for (int c = 1; c < 3 && colors->row[c] != NULL; c++)
    colors->row[c][v] = color[c];
}

static bool
fetch (const StereoViewFrame * f, const StereoViewShot * shot,
    const StereoViewRow * left, const StereoViewRow * right, const int32_t * z,
    const StereoViewColors * colors)
{
  const int32_t p = shot->position;
  bool holes = false;

  for (int v = 0; v < f->width; v++) {
    const int32_t at = 256 * v - shot->offset;
    Found l = look (f, left, at + stereo_view_shift (p, z[v]), z[v]);
    Found r = { {0, 0, 0}, 0 };
    uint32_t weight, color[3];
    bool seen;

    if (right != NULL)
      r = look (f, right, at + stereo_view_shift (p - STEREO_VIEW_ONE, z[v]),
          z[v]);
    if (l.quality == 0 || r.quality == 0)
      weight = l.quality == 0 ? STEREO_VIEW_ONE : 0;
    else
      weight = shot->weight[l.quality - 1][r.quality - 1];
    for (int c = 0; c < 3; c++)
      color[c] = f->format.wide
          ? stereo_view_blend_wide (l.channel[c], r.channel[c], weight)
          : stereo_view_blend (l.channel[c], r.channel[c], weight);
    seen = l.quality > 0 || r.quality > 0;
    holes = holes || !seen;
    put_color (&f->format, color, seen, colors, v);
  }
  return holes;
}

const StereoViewRows stereo_view_rows = {
  .read = read_row,
  .find = find,
  .clear = clear,
  .project = project,
  .mark = mark,
  .fetch = fetch,
};
