/* gst-stereomatching: colours of synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A colour is a word of three channels and a visibility flag, of 8 or 16 bits
 * each.
 */

#ifndef STEREO_VIEW_COLOR_CUH
#define STEREO_VIEW_COLOR_CUH

#include "geometry/view-formula.h"

namespace
{

/* How a view is written to the frame. */
enum class Kind
{
  WORDS,                        /* directly, as aligned 32-bit words */
  DIRECT,                       /* directly, other 8-bit 4:4:4 formats */
  ROWS,                         /* by rows in work memory, 8 bits */
  WIDE                          /* the same, 16 bits */
};

template <bool Wide> struct ColorOf
{
  typedef uint32_t Word;
  static constexpr int bits = 8;
  static constexpr uint32_t seen = 0xff000000u;
};

template <> struct ColorOf<true>
{
  typedef uint64_t Word;
  static constexpr int bits = 16;
  static constexpr uint64_t seen = 0xffff000000000000u;
};

template <Kind K> using Color = ColorOf<K == Kind::WIDE>;
template <Kind K> using Word = typename Color<K>::Word;

template <Kind K>
__device__ __forceinline__ uint32_t
channel (Word<K> word, int i)
{
  return (uint32_t) (word >> Color<K>::bits * i)
      & ((1u << Color<K>::bits) - 1);
}

template <Kind K>
__device__ __forceinline__ Word<K>
color_of (uint32_t a, uint32_t b, uint32_t c)
{
  return (Word<K>) a | (Word<K>) b << Color<K>::bits
      | (Word<K>) c << 2 * Color<K>::bits;
}

template <Kind K>
__device__ __forceinline__ uint32_t
get_sample (const StereoViewFormat & k, const uint8_t * at)
{
  if (K == Kind::WIDE)
    return (at[0] | (uint32_t) at[1] << 8) >> k.padding;
  return at[0];
}

template <Kind K>
__device__ __forceinline__ void
put_sample (const StereoViewFormat & k, uint8_t * at, uint32_t value)
{
  if (K == Kind::WIDE) {
    value <<= k.padding;
    at[1] = (uint8_t) (value >> 8);
  }
  at[0] = (uint8_t) value;
}

/* Addresses of a row in plane 0 and in the chroma planes. */
struct ImageRow
{
  uint8_t *pixels;
  uint8_t *u;
  uint8_t *v;
};

__device__ __forceinline__ ImageRow
locate_row (const StereoViewFormat & k, const StereoOpImage & image, int x,
    int y)
{
  const size_t cx = (size_t) (x >> k.shift_x) * k.chroma_bytes;
  const size_t cy = (size_t) (y >> k.shift_y);
  ImageRow row;

  row.pixels = image.plane[0] + (size_t) y * image.stride[0]
      + (size_t) x * k.pixel_bytes;
  row.u = row.v = NULL;
  if (k.yuv) {
    row.u = image.plane[k.u_plane] + cy * image.stride[k.u_plane] + cx
        + k.u_offset;
    row.v = image.plane[k.v_plane] + cy * image.stride[k.v_plane] + cx
        + k.v_offset;
  }
  return row;
}

template <Kind K>
__device__ __forceinline__ Word<K>
load_color (const StereoViewFormat & k, const ImageRow & row, int x)
{
  if (K == Kind::WORDS)
    return ((const uint32_t *) row.pixels)[x] >> 8 * k.first & 0xffffffu;

  const uint8_t *at = row.pixels + x * k.pixel_bytes + k.first;

  if (k.yuv) {
    const int c = (x >> k.shift_x) * k.chroma_bytes;

    return color_of<K> (get_sample<K> (k, at), get_sample<K> (k, row.u + c),
        get_sample<K> (k, row.v + c));
  }
  if (k.channels == 1)
    return get_sample<K> (k, at);
  return color_of<K> (at[0], at[1], at[2]);
}

/* The same in memory order, for Sum. */
template <Kind K>
__device__ __forceinline__ Word<K>
load_raw (const StereoViewFormat & k, const ImageRow & row, int x)
{
  if (K == Kind::WORDS)
    return ((const uint32_t *) row.pixels)[x];
  return load_color<K> (k, row, x);
}

/* __byte_perm() selectors that move channels 0 and 2, or channel 1, of a
 * load_raw() word to the low bytes of the halves. */
struct RawBytes
{
  uint32_t even;
  uint32_t odd;
};

template <Kind K>
__device__ __forceinline__ RawBytes
raw_bytes (const StereoViewFormat & k)
{
  const bool behind = K == Kind::WORDS && k.first == 1;
  const RawBytes bytes = { behind ? 0x4341u : 0x4240u,
    behind ? 0x4442u : 0x4441u
  };

  return bytes;
}

/* Stores a pixel; subsampled chroma is stored by store_chroma(). */
template <Kind K>
__device__ __forceinline__ void
store_color (const StereoViewFormat & k, const ImageRow & row, int x,
    Word<K> word)
{
  if (K == Kind::WORDS) {
    ((uint32_t *) row.pixels)[x] = (uint32_t) word << 8 * k.first
        | (k.first ? 0xffu : 0xff000000u);
    return;
  }

  uint8_t *at = row.pixels + x * k.pixel_bytes;

  if (k.channels == 1) {
    put_sample<K> (k, at + k.first, channel<K> (word, 0));
    if (K == Kind::DIRECT && k.yuv) {
      row.u[x * k.chroma_bytes] = (uint8_t) channel<K> (word, 1);
      row.v[x * k.chroma_bytes] = (uint8_t) channel<K> (word, 2);
    }
    return;
  }
  for (int i = 0; i < 3; i++)
    at[k.first + i] = (uint8_t) channel<K> (word, i);
  if (k.pixel_bytes == 4)
    at[k.first ? 0 : 3] = 0xff;
}

/* The chroma of a block of up to 2 x 2 pixels at column x of words. */
template <Kind K>
__device__ __forceinline__ void
store_chroma (const StereoViewFormat & k, const ImageRow & row,
    const Word<K> * upper, const Word<K> * lower, int x, int width)
{
  const int c = (x >> k.shift_x) * k.chroma_bytes;
  const int other = min (x + (1 << k.shift_x) - 1, width - 1);
  uint32_t sum[2];

  /* replicate the last column or row at an odd border */
  for (int i = 0; i < 2; i++)
    sum[i] = channel<K> (upper[x], i + 1) + channel<K> (upper[other], i + 1)
        + channel<K> (lower[x], i + 1) + channel<K> (lower[other], i + 1);
  put_sample<K> (k, row.u + c, (sum[0] + 2) >> 2);
  put_sample<K> (k, row.v + c, (sum[1] + 2) >> 2);
}

/* 256 times the channels of an interpolated pixel. */
template <bool Wide> struct SumOf
{
  uint32_t even = 0;            /* bytes 0 and 2 of words, in its halves */
  uint32_t odd = 0;

  __device__ __forceinline__ void add (uint32_t word, uint32_t weight,
      const RawBytes & bytes)
  {
    even += __byte_perm (word, 0, bytes.even) * weight;
    odd += __byte_perm (word, 0, bytes.odd) * weight;
  }
  /* blends with the other view; the result is visible */
  __device__ __forceinline__ uint32_t blend (const SumOf & right,
      uint32_t weight) const
  {
    const uint32_t rest = 65536 - weight, half = 1u << 23;
    const uint32_t a = (even & 0xffff) * rest
        + ((right.even & 0xffff) * weight + half);
    const uint32_t b = odd * rest + (right.odd * weight + half);
    const uint32_t c = (even >> 16) * rest
        + ((right.even >> 16) * weight + half);

    /* their highest bytes */
    return __byte_perm (__byte_perm (a, b, 0x73), c, 0x710) | 0xff000000u;
  }
};

template <> struct SumOf<true>
{
  uint32_t sums[3] = { 0, 0, 0 };

  __device__ __forceinline__ void add (uint64_t word, uint32_t weight,
      const RawBytes &)
  {
    for (int i = 0; i < 3; i++)
      sums[i] += ((uint32_t) (word >> 16 * i) & 0xffff) * weight;
  }
  __device__ __forceinline__ uint64_t blend (const SumOf & right,
      uint32_t weight) const
  {
    uint64_t word = ColorOf<true>::seen;

    for (int i = 0; i < 3; i++)
      word |= (uint64_t) stereo_view_blend_wide (sums[i], right.sums[i],
          weight) << 16 * i;
    return word;
  }
};

template <Kind K> using Sum = SumOf<K == Kind::WIDE>;

}                               // namespace

#endif /* STEREO_VIEW_COLOR_CUH */
