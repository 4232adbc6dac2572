/* gst-stereomatching: rows of virtual views, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Adjacent pixels mostly project to adjacent pixels, and are then stored as one
 * vector; otherwise lanes are processed one by one.
 */

#include "geometry/view-simd.h"

/* Vectors are read from half a vector before a row and written from one vector
 * before it; both may end almost two vectors after it. */
_Static_assert (2 * LANES <= STEREO_VIEW_MARGIN, "margins are too narrow");

/* ---------------------------------------------------------------------- map */

/* stereo_view_disparity(), or STEREO_VIEW_NONE for the invalid code. */
ALWAYS_INLINE VecI32
get_disparities (const StereoViewFrame * f, VecI32 code)
{
  const VecI32 lowest = all (STEREO_VIEW_LOWEST);
  const VecI32 highest = all (STEREO_VIEW_HIGHEST);
  VecI32 e = (VecI32) ((VecU32) code * f->scale_high
      + (((VecU32) code * f->scale_low + 32768u) >> 16)) + f->minimum;

  e = smaller (larger (e, lowest), highest);
  if (f->factor > 1)
    e = smaller (larger (e * f->factor, lowest), highest);
  return choose (equal (code, all ((int32_t) f->invalid)),
      all (STEREO_VIEW_NONE), e);
}

ALWAYS_INLINE void
read_codes_of (const StereoViewFrame * f, const uint8_t * codes, int bytes,
    int32_t * row)
{
  const int factor = f->factor;
  const int n = (f->width + factor - 1) / factor;
  int at = 0;

  for (; at < n; at += LANES) {
    int32_t few[LANES];
    VecI32 e;

    if (at + LANES <= n) {
      e = get_disparities (f, read_codes (codes + at * bytes, bytes));
    } else {
      uint8_t last[2 * LANES] = { 0 };

      memcpy (last, codes + at * bytes, (size_t) ((n - at) * bytes));
      e = get_disparities (f, read_codes (last, bytes));
    }
    if (factor == 1) {
      store (row + at, e);
    } else if (factor == 2) {
      VecI32 twice[2];

      repeat (e, twice);
      store (row + 2 * at, twice[0]);
      store (row + 2 * at + LANES, twice[1]);
    } else {
      store (few, e);
      for (int i = 0, x = at * factor; i < LANES && x < f->width; i++) {
        for (int j = 0; j < factor && x < f->width; j++)
          row[x++] = few[i];
      }
    }
  }
}

static void
read_row (const StereoViewFrame * f, int y, int32_t * row)
{
  const uint8_t *codes = f->codes + (size_t) (y / f->factor) * f->codes_stride;

  if (f->code_bytes == 1)
    read_codes_of (f, codes, 1, row);
  else
    read_codes_of (f, codes, 2, row);
}

static int
find (const void *row, int x, int width, uint32_t mask, uint32_t bits)
{
  const int32_t *words = row;

  for (; x < width; x += LANES) {
    const Mask found = equal (load (words + x) & (int32_t) mask,
        all ((int32_t) bits));

    if (any (found)) {
      x += __builtin_ctz (get_bits (found));
      return x < width ? x : width;
    }
  }
  return width;
}

static void
complete (int32_t * row, const int32_t * other, int width)
{
  const VecI32 none = all (STEREO_VIEW_NONE);

  for (int x = 0; x < width; x += LANES) {
    const VecI32 e = load (row + x);

    store (row + x, choose (equal (e, none), load (other + x), e));
  }
}

static void
mark (const StereoViewFrame * f, StereoViewRow * row)
{
  const VecI32 join = all (f->join);
  int32_t *e = row->disparities;

  e[-1] = e[f->width] = STEREO_VIEW_NONE / 2;
  for (int x = 0; x < f->width; x += LANES) {
    const VecI32 here = load (e + x);
    const VecI32 most = larger (load (e + x - 1), load (e + x + 1));

    store (row->marked + x, here * 2
        + keep (less (join, most - here), all (1)));
  }
  row->marked[-1] = row->marked[f->width] = 2 * STEREO_VIEW_OUTSIDE;
}

/* --------------------------------------------------------------- projection */

/* Projects the first n lanes to pixels begins to ends - 1.  Mostly each lane
 * covers one pixel.  Lanes with the same offset cover different pixels, so that
 * they are stored together. */
ALWAYS_INLINE void
cover (VecI32 e, VecI32 begins, VecI32 ends, int n, int32_t * z)
{
  const VecI32 place = begins - count (), length = ends - begins;
  const Mask counts = less (count (), all (n));
  const Mask single = counts & equal (length, all (1));
  unsigned ones = get_bits (single);
  unsigned more = get_bits (counts & less (all (1), length));
  int32_t places[LANES], values[LANES], lengths[LANES];

  store (places, place);
  while (ones != 0) {
    const int first = places[__builtin_ctz (ones)];
    const Mask same = single & equal (place, all (first));

    store (z + first, larger (load (z + first),
            choose (same, e, all (STEREO_VIEW_NONE))));
    ones &= ~get_bits (same);
  }
  if (more == 0)
    return;
  store (values, e);
  store (lengths, length);
  for (; more != 0; more &= more - 1) {
    const int i = __builtin_ctz (more);

    for (int v = places[i] + i; v < places[i] + i + lengths[i]; v++)
      z[v] = values[i] > z[v] ? values[i] : z[v];
  }
}

static void
project (int32_t * row, int width, int32_t join, int32_t q, int32_t offset,
    int32_t * places, int32_t * z)
{
  const Factor factor = make_factor (q);
  const VecI32 joins = all (join), zero = all (0), most = all (width);

  row[-1] = row[width] = STEREO_VIEW_OUTSIDE;
  for (int x = -LANES; x < width + LANES; x += LANES) {
    store (places + x, 256 * (x + count ()) - shift (factor, load (row + x))
        + offset);
    store (z + x, all (STEREO_VIEW_NONE));
  }
  for (int x = 0; x < width; x += LANES) {
    const VecI32 e = load (row + x), place = load (places + x);
    const VecI32 lo = choose (joined (load (row + x - 1), e, joins),
        (load (places + x - 1) + place) >> 1, place - 128);
    const VecI32 hi = choose (joined (load (row + x + 1), e, joins),
        (load (places + x + 1) + place) >> 1, place + 128);
    const VecI32 begin = larger ((lo + 255) >> 8, zero);
    const VecI32 end = smaller ((hi + 255) >> 8, most);
    const int first = begin[0];

    if (x + LANES <= width
        && !any (differ (begin, first + count ()) | differ (end, begin + 1)))
      store (z + first, larger (load (z + first), e));
    else
      cover (e, begin, end, width - x < LANES ? width - x : LANES, z);
  }
}

const StereoViewRows SIMD_NAME (stereo_view_rows_) = {
  .read = read_row,
  .find = find,
  .project = project,
  .complete = complete,
  .mark = mark,
  .fetch = SIMD_NAME (stereo_view_fetch_),
  .load_pairs = SIMD_NAME (stereo_view_load_pairs_),
  .store_pairs = SIMD_NAME (stereo_view_store_pairs_),
};
