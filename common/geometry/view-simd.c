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

/* Vectors are read from one vector before a row to two vectors after it, and
 * written to one vector after it. */
_Static_assert (2 * LANES <= STEREO_VIEW_MARGIN, "margins are too narrow");

/* ---------------------------------------------------------------------- map */

/* stereo_view_disparity() */
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
  return e;
}

ALWAYS_INLINE void
read_codes_of (const StereoViewFrame * f, const uint8_t * codes, int bytes,
    StereoViewRow * to)
{
  const int factor = f->factor;
  const int n = (f->width + factor - 1) / factor;
  int32_t *row = to->disparities, few[LANES];
  VecI32 lowest = all (0), highest = all (0);

  for (int at = 0; at < n; at += LANES) {
    uint8_t last[2 * LANES] = { 0 };
    VecI32 code, e;
    Mask invalid;

    if (at + LANES <= n) {
      code = read_codes (codes + at * bytes, bytes);
    } else {
      memcpy (last, codes + at * bytes, (size_t) ((n - at) * bytes));
      code = read_codes (last, bytes);
    }
    invalid = equal (code, all ((int32_t) f->invalid));
    e = choose (invalid, all (0), get_disparities (f, code));
    lowest = smaller (lowest, e);
    highest = larger (highest, e);
    e = choose (invalid, all (STEREO_VIEW_NONE), e);
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
  to->lowest = to->highest = 0;
  for (int i = 0; i < LANES; i++) {
    to->lowest = lowest[i] < to->lowest ? lowest[i] : to->lowest;
    to->highest = highest[i] > to->highest ? highest[i] : to->highest;
  }
}

static void
read_row (const StereoViewFrame * f, int y, StereoViewRow * row)
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
clear (int32_t * row, int width)
{
  for (int x = 0; x < width; x += LANES)
    store (row + x, all (STEREO_VIEW_NONE));
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

typedef struct
{
  const int32_t *row;
  Factor factor;
  int32_t offset;
  VecI32 join;
} Projection;

/* Pixels and where they move to, in pixels. */
typedef struct
{
  VecI32 place;                 /* in 1/256 pixel */
  VecI32 own;                   /* the first pixel if there is no neighbour */
  VecI32 cut;                   /* the first pixel if the left neighbour is
                                 * joined, otherwise none */
} Moved;

ALWAYS_INLINE VecI32
get_places (const Projection * p, int x)
{
  return 256 * (x + count ()) + p->offset - shift (p->factor,
      load (p->row + x));
}

/* Moves pixels x to x + LANES - 1.  before: the places of those before them. */
ALWAYS_INLINE Moved
move (const Projection * p, int x, VecI32 before)
{
  const VecI32 place = get_places (p, x);
  const VecI32 middles = previous_lanes (before, place) + place;
  const Moved m = {
    .place = place,
    .own = (place + 127) >> 8,
    .cut = choose (joined (load (p->row + x - 1), load (p->row + x), p->join),
        (middles + 510) >> 9, all (STEREO_VIEW_NONE))
  };

  return m;
}

/* Finds what pixels begin to end - 1 cover: the first pixel, plus 65536 times
 * the number of pixels. */
ALWAYS_INLINE void
find_spans (const Projection * p, int begin, int end, int width,
    int32_t * spans)
{
  const VecI32 none = all (STEREO_VIEW_NONE), most = all (width);
  Moved here = move (p, begin, get_places (p, begin - LANES));

  for (int x = begin; x < end; x += LANES) {
    const Moved next = move (p, x + LANES, here.place);
    const VecI32 cut = next_lanes (here.cut, next.cut);
    const VecI32 from = larger (choose (equal (here.cut, none), here.own,
            here.cut), all (0));
    const VecI32 to = smaller (choose (equal (cut, none), here.own + 1, cut),
        most);

    /* pixels that cover nothing are moved to the margin */
    store (spans + x, choose (less (from, to), from + ((to - from) << 16),
            most));
    here = next;
  }
}

ALWAYS_INLINE void
raise_to (int32_t * at, int32_t value)
{
  *at = value > *at ? value : *at;
}

/* Projects LANES pixels.  Most cover one pixel or none. */
ALWAYS_INLINE void
cover (const int32_t * row, const int32_t * spans, int32_t * z)
{
  unsigned more = get_bits (less (all (0x1ffff), load (spans)));

  for (int i = 0; i < LANES; i++)
    raise_to (&z[spans[i] & 0xffff], row[i]);
  for (; more != 0; more &= more - 1) {
    const int i = __builtin_ctz (more);
    int32_t *at = z + (spans[i] & 0xffff);

    for (int n = 1; n < spans[i] >> 16; n++)
      raise_to (at + n, row[i]);
  }
}

/* Finds all spans first, so that mispredicted branches on them are resolved
 * early. */
static void
project (const StereoViewFrame * f, const StereoViewRow * from, int begin,
    int end, int32_t q, int32_t offset, int32_t * spans, int32_t * z)
{
  int32_t *row = from->disparities;
  const Projection p = { row, make_factor (q, from), offset, all (f->join) };

  row[-1] = row[f->width] = STEREO_VIEW_OUTSIDE;
  find_spans (&p, begin, end, f->width, spans);
  for (int x = f->width; x < end + LANES; x++)
    spans[x] = f->width;
  for (int x = begin; x < end; x += LANES) {
    const int32_t first = spans[x];
    int32_t *at = z + (first & 0xffff);

    if (first >> 16 == 1
        && same (load (spans + x), first + count ()))
      store (at, larger (load (at), load (row + x)));
    else
      cover (row + x, spans + x, z);
  }
}

const StereoViewRows SIMD_NAME (stereo_view_rows_) = {
  .read = read_row,
  .find = find,
  .clear = clear,
  .project = project,
  .mark = mark,
  .fetch = SIMD_NAME (stereo_view_fetch_),
#if defined (__AVX2__)
  .load_rgb24 = SIMD_NAME (stereo_view_load_rgb24_),
  .store_rgb24 = SIMD_NAME (stereo_view_store_rgb24_),
#endif
  .load_pairs = SIMD_NAME (stereo_view_load_pairs_),
  .store_pairs = SIMD_NAME (stereo_view_store_pairs_),
};
