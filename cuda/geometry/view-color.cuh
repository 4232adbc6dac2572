/* gst-stereomatching: colours of synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A colour is a word of three channels of 8 or 16 bits each.
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
};

template <> struct ColorOf<true>
{
  typedef uint64_t Word;
  static constexpr int bits = 16;
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

/* __byte_perm() selectors that move channels 0 and 1, or channel 2, of two
 * load_raw() words to pairs of bytes. */
struct RawBytes
{
  uint32_t two;
  uint32_t third;
};

template <Kind K>
__device__ __forceinline__ RawBytes
raw_bytes (const StereoViewFormat & k)
{
  const uint32_t first = K == Kind::WORDS ? k.first : 0;

  return RawBytes { 0x5140 + 0x1111 * first, 0x62 + 0x11 * first };
}

/* Stores a pixel of another kind than WORDS; subsampled chroma is stored by
 * store_chroma(). */
template <Kind K>
__device__ __forceinline__ void
store_color (const StereoViewFormat & k, const ImageRow & row, int x,
    Word<K> word)
{
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

/* 256 times the channels of a pixel interpolated between two; b has a weight of
 * 0 to 256. */
template <bool Wide> struct SumOf
{
  uint32_t sums[3];

  __device__ __forceinline__ SumOf (uint32_t a, uint32_t b, uint32_t weight,
      const RawBytes & bytes)
  {
    const uint32_t weights = 65535 * weight + 256;      /* halves */
    const uint32_t two = __byte_perm (a, b, bytes.two);

    sums[0] = __dp2a_lo (weights, two, 0u);
    sums[1] = __dp2a_hi (weights, two, 0u);
    sums[2] = __dp2a_lo (weights, __byte_perm (a, b, bytes.third), 0u);
  }
  /* blends with the other view */
  __device__ __forceinline__ uint32_t blend (const SumOf & right,
      uint32_t weight) const
  {
    uint32_t high[3];           /* whose highest bytes are the channels */

    for (int i = 0; i < 3; i++)
      high[i] = sums[i] * (65536 - weight) + (right.sums[i] * weight
          + (1u << 23));
    return __byte_perm (__byte_perm (high[0], high[1], 0x73), high[2], 0x710);
  }
};

template <> struct SumOf<true>
{
  uint32_t sums[3];

  __device__ __forceinline__ SumOf (uint64_t a, uint64_t b, uint32_t weight,
      const RawBytes &)
  {
    for (int i = 0; i < 3; i++)
      sums[i] = ((uint32_t) (a >> 16 * i) & 0xffff) * (256 - weight)
          + ((uint32_t) (b >> 16 * i) & 0xffff) * weight;
  }
  __device__ __forceinline__ uint64_t blend (const SumOf & right,
      uint32_t weight) const
  {
    uint64_t word = 0;

    for (int i = 0; i < 3; i++)
      word |= (uint64_t) stereo_view_blend_wide (sums[i], right.sums[i],
          weight) << 16 * i;
    return word;
  }
};

template <Kind K> using Sum = SumOf<K == Kind::WIDE>;

}                               // namespace

#endif /* STEREO_VIEW_COLOR_CUH */
