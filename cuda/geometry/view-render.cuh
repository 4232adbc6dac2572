/* gst-stereomatching: rendering a row of a synthesised view, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The steps of view.h for one row of one view.  Rows of disparities and bits
 * are private to a block.
 */

#ifndef STEREO_VIEW_RENDER_CUH
#define STEREO_VIEW_RENDER_CUH

#include "geometry/view.h"
#include "geometry/view-color.cuh"
#include "geometry/view-row.cuh"

namespace
{

__device__ __forceinline__ StereoViewShot
keep_shot (const StereoViewShot & shot)
{
  StereoViewShot kept;

  kept.position = (int32_t) keep_value ((uint32_t) shot.position);
  kept.offset = (int32_t) keep_value ((uint32_t) shot.offset);
  kept.weight[0][0] = kept.weight[1][1] = keep_value (shot.weight[1][1]);
  kept.weight[0][1] = keep_value (shot.weight[0][1]);
  kept.weight[1][0] = keep_value (shot.weight[1][0]);
  return kept;
}

/* ------------------------------------------------------------------ sources */

/* A row of a source view. */
struct Source
{
  const int32_t *marked;        /* E or B */
  ImageRow image;
  uint32_t end;                 /* of places, plus half a pixel; 0 = none */

  __device__ __forceinline__ Source (const StereoViewFrame & f,
      const StereoOpImage & view, const int32_t * row, int y)
  : marked (row),
    image (locate_row (f.format, view.plane[0] != NULL ? view : f.left, 0, y)),
    end (keep_value (view.plane[0] != NULL ? 256 * f.width + 1 : 0))
  {
  }
};

struct Sources
{
  Source left;
  Source right;
};

/* Values that are the same for all pixels of a row. */
struct Constants
{
  RawBytes bytes;
  uint32_t join;
  uint32_t range;               /* 2 join and flags */
  int32_t position;             /* of multiply_high(), for a shift less the */
  int64_t addend;               /* offset of the view */

  __device__ __forceinline__ Constants (const RawBytes & raw, int32_t join,
      const StereoViewShot & shot)
  : bytes { keep_value (raw.two), keep_value (raw.third) },
    join (keep_value (join)), range (keep_value (2 * join + FLAGS)),
    position (shot.position << POSITION_BITS),
    addend ((-(int64_t) shot.offset << 32) + (1ll << 31))
  {
  }
};

/* -------------------------------------------------------------------- fetch */

/* A sample of one source view: step 6. */
template <Kind K> struct Found
{
  Sum<K> sum;
  bool seen;
  uint32_t flags;               /* of the visible pixels */
};

template <Kind K>
__device__ __forceinline__ Found<K>
sample_view (const StereoViewFrame & f, const Source & from,
    const Constants & c, int32_t place, int32_t z)
{
  const uint32_t part = place & 255;
  const bool in = (uint32_t) (place + 128) < from.end;
  const int x = in ? place >> 8 : 0;
  const int32_t a = from.marked[x], b = from.marked[x + 1];
  const bool first = in & ((uint32_t) (a - z + c.join) <= c.range);
  const bool second = in & (part != 0)
      & ((uint32_t) (b - z + c.join) <= c.range);
  Word<K> color[2] = { 0, 0 };
  uint32_t weight;

  if (first)
    color[0] = load_raw<K> (f.format, from.image, x);
  if (second)
    color[1] = load_raw<K> (f.format, from.image, x + 1);
  /* a single visible pixel gets the full weight */
  weight = first ? part : 256;
  weight = second ? weight : 0;
  return Found<K> { Sum<K> (color[0], color[1], weight, c.bytes),
      first || second, keep_value ((first ? a : 0) | (second ? b : 0)) };
}

/* Steps 6 and 7 for pixel v with disparity z.  Returns whether it is
 * visible. */
template <Kind K>
__device__ __forceinline__ bool
fetch (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, const Constants & c, int32_t z, int v,
    Word<K> * word)
{
  const int32_t at = 256 * v + multiply_high (c.position, z, c.addend);
  const uint32_t alike = shot.weight[1][1], less = shot.weight[1][0];
  const uint32_t more = shot.weight[0][1];
  const Found<K> l = sample_view<K> (f, from.left, c, at, z);
  /* The right view is one baseline away: its samples shift by z. */
  const Found<K> r = sample_view<K> (f, from.right, c, at
      + (-z >> SCALE_BITS), z);
  uint32_t weight;

  weight = (l.flags & EDGE) != 0 ? more : less;
  weight = ((l.flags ^ r.flags) & EDGE) != 0 ? weight : alike;
  weight = r.seen ? weight : 0;
  weight = l.seen ? weight : STEREO_VIEW_ONE;
  *word = l.sum.blend (r.sum, weight);
  return l.seen | r.seen;
}

/* -------------------------------------------------------------------- views */

/* Destination of a row of a view. */
template <Kind K> struct Target
{
  ImageRow row;                 /* of the frame, if direct */
  Word<K> *words;               /* otherwise */
  uint32_t scale;               /* of colours in aligned words, */
  uint32_t padding;             /* and the byte that is no channel */

  static constexpr bool direct = K == Kind::WORDS || K == Kind::DIRECT;

  __device__ __forceinline__ Target (const StereoViewFormat & k,
      const ImageRow & row, Word<K> * words)
  : row (row), words (words), scale (keep_value (k.first ? 256 : 1)),
    padding (keep_value (k.first ? 0xff : 0xff000000u))
  {
  }
  __device__ __forceinline__ Word<K> get (const StereoViewFormat & k,
      int x) const
  {
    return direct ? load_color<K> (k, row, x) : words[x];
  }
  __device__ __forceinline__ void put (const StereoViewFormat & k, int x,
      Word<K> word) const
  {
    if (K == Kind::WORDS)
      ((uint32_t *) row.pixels)[x] = (uint32_t) word * scale | padding;
    else if (direct)
      store_color<K> (k, row, x, word);
    else
      words[x] = word;
  }
};

/* The rounded mean of n numbers, from 1 to 4. */
__device__ __forceinline__ uint32_t
divide_sum (uint32_t sum, uint32_t n)
{
  const uint32_t part = n == 2 ? 1u << 31 : n == 3 ? 0x55555556u : 1u << 30;

  sum += n / 2;
  return n == 1 ? sum : __umulhi (sum, part);
}

/* Step 8: the colour of a run of pixels, which no source view sees.  bits: mask
 * of the visible pixels */
template <Kind K>
__device__ Word<K>
hole_color (const StereoViewFrame & f, const uint32_t * bits,
    const int32_t * z, const Target<K> & target, int first, int last)
{
  const int left = find_before (bits, first);
  const int right = find_behind (bits, f.width, last);
  Word<K> words[4] = { 0, 0, 0, 0 };
  uint32_t mean[3];
  int from = left, step = -1, n = 0;
  bool more = true;

  if (left < 0 || (right < f.width
          && unprefer (z[right]) < unprefer (z[left]))) {
    from = right;
    step = 1;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int i = from + k * step;

    more = more && i >= 0 && i < f.width && has_bit (bits, i)
        && joined (unprefer (z[i]), unprefer (z[from]), f.join);
    if (more) {
      words[k] = target.get (f.format, i);
      n++;
    }
  }
  if (n == 0)
    return color_of<K> (f.black[0], f.black[1], f.black[2]);
  for (int c = 0; c < 3; c++) {
    mean[c] = divide_sum (channel<K> (words[0], c) + channel<K> (words[1], c)
        + channel<K> (words[2], c) + channel<K> (words[3], c), n);
  }
  return color_of<K> (mean[0], mean[1], mean[2]);
}

/* Loads the codes of GROUP pixels from x on; pixels beyond the row get an
 * arbitrary valid code. */
__device__ __forceinline__ void
load_codes (const StereoViewFrame & f, const uint8_t * row, int x,
    uint32_t (&codes)[GROUP])
{
  if (f.code_bytes == 2 && f.factor == 1 && (uintptr_t) row % 16 == 0
      && x + GROUP <= f.width) {
    const uint4 words = *(const uint4 *) ((const uint16_t *) row + x);

#pragma unroll
    for (int i = 0; i < GROUP; i++)
      codes[i] = (&words.x)[i / 2] >> i % 2 * 16 & 0xffff;
    return;
  }
  int at = x / f.factor, rest = x % f.factor;

#pragma unroll
  for (int i = 0; i < GROUP; i++) {
    codes[i] = ~f.invalid;
    if (x + i < f.width)
      codes[i] = f.code_bytes == 1 ? row[at]
          : row[2 * at] | (uint32_t) row[2 * at + 1] << 8;
    at += ++rest == f.factor;
    rest = rest == f.factor ? 0 : rest;
  }
}

/* Step 0 for row y.  Returns whether all pixels of this thread are valid. */
__device__ __forceinline__ bool
decode_row (const StereoViewFrame & f, uint32_t * bits, int y, int32_t * e)
{
  const int row_of_map = f.factor == 1 ? y : y / f.factor;
  const uint8_t *row = f.codes + (size_t) row_of_map * f.codes_stride;
  bool all = true;

  FOR_EACH_GROUP (x, f.width) {
    uint32_t codes[GROUP], set = 0;
    int32_t disparities[GROUP];

    load_codes (f, row, x, codes);
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
      const bool known = codes[i] != f.invalid;
      /* avoids a branch */
      const uint32_t disparity = keep_value ((uint32_t)
          stereo_view_disparity (codes[i], f.scale_high, f.scale_low,
              f.minimum, f.factor));

      disparities[i] = known ? (int32_t) disparity * SCALE : NONE;
      set |= known ? 1u << i : 0;
    }
    if (x + GROUP <= f.width) {
      *(int4 *) (e + x) = make_int4 (disparities[0], disparities[1],
          disparities[2], disparities[3]);
      *(int4 *) (e + x + 4) = make_int4 (disparities[4], disparities[5],
          disparities[6], disparities[7]);
    } else {
#pragma unroll
      for (int i = 0; i < GROUP; i++) {
        if (x + i < f.width)
          e[x + i] = disparities[i];
      }
    }
    write_group (bits, x, set);
    all &= set == ALL_OF_GROUP;
  }
  return all;
}

/* Steps 0 to 3 and 5 for row y.  Uses `spare' and leaves it free.  Synchronizes
 * the block at the end. */
__device__ __forceinline__ void
prepare_row (const StereoViewFrame & f, uint32_t * bits, int y, int32_t * e,
    int32_t * b, int32_t * spare)
{
  const bool both = f.right.plane[0] != NULL;
  const Projection right (STEREO_VIEW_ONE, 0, 0);
  bool all;

  if (threadIdx.x < 2 * MARGIN) {
    const int x = threadIdx.x < MARGIN ? (int) threadIdx.x - MARGIN
        : f.width + (int) threadIdx.x - MARGIN;

    e[x] = b[x] = BEYOND;
    if (x < 0)
      spare[x] = BEYOND;
  }
  clear_row (spare, f.width + MARGIN);
  /* b has E before its marks */
  all = decode_row (f, bits, y, b);
  fill_row (bits, b, f.width, all);
#pragma unroll 1
  FOR_EACH_FOUR (x, f.width) {
    const Pixels pixels (b, x);

    mark_pixels (pixels, f.join, e + x);
    if (both)
      project_pixels (pixels, x, f.width, f.join, right, spare);
  }
  __syncthreads ();
  if (!both)
    return;
  complete_row (bits, spare, f.width);
#pragma unroll 1
  FOR_EACH_FOUR (x, f.width)
    mark_pixels (Pixels (spare, x), f.join, b + x);
  __syncthreads ();
}

/* Whether a view is at the place of a camera.  It then is that one's image: Z
 * is E or B, each pixel sees itself, and the other image has no weight. */
__device__ __forceinline__ bool
is_camera (const StereoViewFrame & f, const StereoViewShot & shot)
{
  return shot.offset == 0 && (shot.position == 0
      || (shot.position == STEREO_VIEW_ONE && f.right.plane[0] != NULL));
}

/* Row y of such a view.  Synchronizes the block at the end. */
template <Kind K>
__device__ __forceinline__ void
copy_row (const StereoViewFrame & f, const StereoViewShot & shot, int y,
    const Target<K> & target)
{
  const ImageRow row = locate_row (f.format, shot.position == 0 ? f.left
      : f.right, 0, y);

  for (int x = threadIdx.x; x < f.width; x += blockDim.x)
    target.put (f.format, x, load_color<K> (f.format, row, x));
  __syncthreads ();
}

/* Steps 4 to 8 for a row of a view.  Synchronizes the block at the end. */
template <Kind K>
__device__ __forceinline__ void
render_row (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, uint32_t * bits, int32_t * z,
    const Target<K> & target)
{
  const bool both = f.right.plane[0] != NULL;
  const Constants constants (raw_bytes<K> (f.format), f.join, shot);
  uint32_t seen = ALL_BITS;

  clear_row (z, f.width);
  __syncthreads ();
  project_row (from.left.marked, f.width, f.join, Projection (shot.position,
          shot.offset, (int32_t) keep_value (both ? PREFERRED : 0)), z);
  if (both)
    project_row (from.right.marked, f.width, f.join, Projection (shot.position
            - STEREO_VIEW_ONE, shot.offset, 0), z);
  __syncthreads ();
  complete_row (bits, z, f.width);
  FOR_EACH_PIXEL (v, f.width) {
    const int inside = min (v, f.width - 1);
    Word<K> word;
    const bool found = fetch<K> (f, shot, from, constants, unprefer (z[inside]),
        inside, &word);

    if (v < f.width)
      target.put (f.format, v, word);
    seen &= write_bits (bits, v, found | (v >= f.width));
  }
  if (!__syncthreads_or (seen != ALL_BITS))
    return;
  for_each_unset (bits, f.width, [&] (int first, int last) {
    const Word<K> word = hole_color<K> (f, bits, z, target, first, last);

#pragma unroll 1
    for (int v = first; v <= last; v++)
      target.put (f.format, v, word);
  });
  __syncthreads ();
}

}                               // namespace

#endif /* STEREO_VIEW_RENDER_CUH */
