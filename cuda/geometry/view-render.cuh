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

/* ---------------------------------------------------------------- registers */

/* Hides the origin of a value from the compiler, which then keeps it in a
 * register instead of reloading or recomputing it for every pixel. */
__device__ __forceinline__ uint32_t
keep_value (uint32_t value)
{
  asm volatile ("":"+r" (value));
  return value;
}

/* The same for an address of shared memory. */
__device__ __forceinline__ int32_t *
keep_address (void *shared)
{
  return (int32_t *) __cvta_shared_to_generic (keep_value
      ((uint32_t) __cvta_generic_to_shared (shared)));
}

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

__device__ __forceinline__ RawBytes
keep_bytes (const RawBytes & bytes)
{
  return RawBytes { keep_value (bytes.even), keep_value (bytes.odd) };
}

/* -------------------------------------------------------------------- fetch */

/* A sample of one source view: step 6. */
template <Kind K> struct Found
{
  Sum<K> sum;
  bool seen = false;
  bool edge = false;
};

template <Kind K>
__device__ __forceinline__ Found<K>
sample_view (const StereoViewFrame & f, const ImageRow & image,
    const int32_t * row, const RawBytes & bytes, bool exists, int32_t place,
    int32_t z)
{
  const uint32_t part = place & 255;
  const bool in = exists
      & ((uint32_t) (place + 128) <= (uint32_t) (256 * f.width));
  const int x = in ? place >> 8 : 0;
  const int32_t a = row[x - 1], b = row[x], c = row[x + 1], d = row[x + 2];
  const bool first = in & joined (b, z, f.join);
  const bool second = in & (part != 0) & joined (c, z, f.join);
  Word<K> color[2] = { 0, 0 };
  Found<K> found;

  if (first)
    color[0] = load_raw<K> (f.format, image, x);
  if (second)
    color[1] = load_raw<K> (f.format, image, x + 1);
  /* a single visible pixel gets the full weight */
  found.sum.add (color[0], second ? 256 - part : 256, bytes);
  found.sum.add (color[1], first ? part : 256, bytes);
  found.seen = first | second;
  found.edge = (first & (max (a, c) - b > f.join))
      | (second & (max (b, d) - c > f.join));
  return found;
}

struct Sources
{
  ImageRow left;
  ImageRow right;
  const int32_t *e;
  const int32_t *b;
};

/* Steps 6 and 7 for pixel v with disparity z; 0 if it is not visible. */
template <Kind K>
__device__ __forceinline__ Word<K>
fetch (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, const RawBytes & bytes, int32_t z, int v)
{
  const int32_t at = 256 * v - shot.offset + shift (shot.position, z);
  const uint32_t alike = shot.weight[1][1], less = shot.weight[1][0];
  const uint32_t more = shot.weight[0][1];
  const Found<K> l = sample_view<K> (f, from.left, from.e, bytes, true, at, z);
  /* The right view is one baseline away: its samples shift by z. */
  const Found<K> r = sample_view<K> (f, from.right, from.b, bytes,
      f.right.plane[0] != NULL, at - z, z);
  uint32_t weight;

  weight = l.edge ? more : less;
  weight = l.edge == r.edge ? alike : weight;
  weight = r.seen ? weight : 0;
  weight = l.seen ? weight : STEREO_VIEW_ONE;
  return l.seen | r.seen ? l.sum.blend (r.sum, weight) : 0;
}

/* -------------------------------------------------------------------- views */

/* Destination of a row of a view. */
template <Kind K> struct Target
{
  ImageRow row;                 /* of the frame, if direct */
  Word<K> *words;               /* otherwise */

  static constexpr bool direct = K == Kind::WORDS || K == Kind::DIRECT;

  __device__ __forceinline__ Word<K> get (const StereoViewFormat & k,
      int x) const
  {
    return direct ? load_color<K> (k, row, x) : words[x];
  }
  __device__ __forceinline__ void put (const StereoViewFormat & k, int x,
      Word<K> word) const
  {
    if (direct)
      store_color<K> (k, row, x, word);
    else
      words[x] = word;
  }
};

/* Step 8: the colour of pixel x, which no source view sees.  bits: mask of
 * the visible pixels */
template <Kind K>
__device__ Word<K>
hole_color (const StereoViewFrame & f, const uint32_t * bits,
    const int32_t * z, const Target<K> & target, int x)
{
  const int left = find_before (bits, x);
  const int right = find_behind (bits, f.width, x);
  uint32_t sum[3] = { 0, 0, 0 };
  int from = left, step = -1, n = 0;

  if (left < 0 || (right < f.width
          && unprefer (z[right]) < unprefer (z[left]))) {
    from = right;
    step = 1;
  }
  for (int i = from; n < 4 && i >= 0 && i < f.width && has_bit (bits, i)
      && joined (unprefer (z[i]), unprefer (z[from]), f.join);
      i += step, n++) {
    const Word<K> word = target.get (f.format, i);

    for (int c = 0; c < 3; c++)
      sum[c] += channel<K> (word, c);
  }
  if (n == 0)
    return color_of<K> (f.black[0], f.black[1], f.black[2]);
  for (int c = 0; c < 3; c++)
    sum[c] = (sum[c] + n / 2) / n;
  return color_of<K> (sum[0], sum[1], sum[2]);
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

/* Steps 0 to 3 for row y. */
__device__ __forceinline__ void
prepare_row (const StereoViewFrame & f, uint32_t * bits, int y, int32_t * e,
    int32_t * b)
{
  const uint8_t *row = f.codes + (size_t) (y / f.factor) * f.codes_stride;
  bool all = true;

  clear_row (b, f.width);
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

      disparities[i] = known ? (int32_t) disparity : STEREO_VIEW_NONE;
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
  if (threadIdx.x < 2 * MARGIN) {
    const int x = threadIdx.x < MARGIN ? (int) threadIdx.x - MARGIN
        : f.width + (int) threadIdx.x - MARGIN;

    e[x] = b[x] = BEYOND;
  }
  fill_row (bits, e, f.width, all);
  if (f.right.plane[0] == NULL)
    return;
  project_row<true> (e, f.width, f.join, STEREO_VIEW_ONE, 0, 0, b);
  __syncthreads ();
  complete_row (bits, b, f.width);
}

/* Steps 4 to 8 for a row of a view.  Synchronizes the block at the end. */
template <Kind K>
__device__ __forceinline__ void
render_row (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, uint32_t * bits, int32_t * z,
    const Target<K> & target)
{
  const bool both = f.right.plane[0] != NULL;
  const RawBytes bytes = keep_bytes (raw_bytes<K> (f.format));
  uint32_t seen = ALL_BITS;

  /* with the element after the row, for cover () */
  clear_row (z, f.width + 1);
  __syncthreads ();
  project_row<false> (from.e, f.width, f.join, shot.position, shot.offset,
      both ? PREFERRED : 0, z);
  if (both)
    project_row<false> (from.b, f.width, f.join,
        shot.position - STEREO_VIEW_ONE, shot.offset, 0, z);
  __syncthreads ();
  complete_row (bits, z, f.width);
  FOR_EACH_PIXEL (v, f.width) {
    Word<K> word = 1;

    if (v < f.width) {
      word = fetch<K> (f, shot, from, bytes, unprefer (z[v]), v);
      target.put (f.format, v, word);
    }
    seen &= write_bits (bits, v, word != 0);
  }
  if (!__syncthreads_or (seen != ALL_BITS))
    return;
  for_each_unset (bits, f.width, [&] (int v) {
    target.put (f.format, v, hole_color<K> (f, bits, z, target, v));
  });
  __syncthreads ();
}

}                               // namespace

#endif /* STEREO_VIEW_RENDER_CUH */
