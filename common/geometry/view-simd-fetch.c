/* gst-stereomatching: colours of virtual views, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Adjacent pixels of a view are mostly fetched from adjacent pixels: these are
 * loaded as vectors, others are gathered.
 */

#include "geometry/view-simd.h"

/* How far apart the indices of a vector are. */
typedef enum
{
  TOGETHER,                     /* consecutive */
  NEAR,                         /* all within two adjacent vectors */
  APART
} Spread;

/* Lanes before the first index in the two vectors. */
#define NEAR_BEFORE (LANES / 2 - 1)

ALWAYS_INLINE Spread
get_spread (VecI32 at)
{
  const VecI32 from = at - at[0];

  if (same (from, count ()))
    return TOGETHER;
#if defined (__AVX2__)
  if (!any (beyond (from + NEAR_BEFORE, all (2 * LANES - 2))))
    return NEAR;
#endif
  return APART;
}

/* Words at the indices at + 0 and at + 1. */
ALWAYS_INLINE void
gather_pairs (const void *row, VecI32 at, Spread spread, VecI32 pair[2])
{
  const int32_t *words = row;

  if (spread == TOGETHER) {
    pair[0] = load (words + at[0]);
    pair[1] = load (words + at[0] + 1);
    return;
  }
#if defined (__AVX2__)
  if (spread == NEAR) {
    const int32_t *from = words + at[0] - NEAR_BEFORE;
    const VecI32 low = load (from), high = load (from + LANES);
    const VecI32 index = at - at[0] + NEAR_BEFORE;

    pair[0] = simd_pick32 (low, high, index);
    pair[1] = simd_pick32 (low, high, index + 1);
    return;
  }
#endif
#if defined (__AVX512BW__)
  pair[0] = (VecI32) _mm512_i32gather_epi32 ((__m512i) at, words, 4);
  pair[1] = (VecI32) _mm512_i32gather_epi32 ((__m512i) at, words + 1, 4);
#elif defined (__AVX2__)
  pair[0] = (VecI32) _mm256_i32gather_epi32 (words, (__m256i) at, 4);
  pair[1] = (VecI32) _mm256_i32gather_epi32 (words + 1, (__m256i) at, 4);
#else
  int32_t first[LANES], second[LANES];

  for (int i = 0; i < LANES; i++) {
    first[i] = words[at[i]];
    second[i] = words[at[i] + 1];
  }
  pair[0] = load (first);
  pair[1] = load (second);
#endif
}

/* Samples of a view for a vector of pixels: the index of the left one of two
 * neighbours, their weights, and masks. */
typedef struct
{
  VecI32 at;
  Spread spread;
  VecI32 weight[2];             /* of words in both halves */
  Mask seen;
  Mask edge;
} Samples;

ALWAYS_INLINE Samples
sample (const StereoViewRow * row, int width, VecI32 join, VecI32 place,
    VecI32 z, bool wide)
{
  const int32_t halves = wide ? 1 : 0x10001;
  const VecI32 part = (place & 255) * halves, one = all (256 * halves);
  const Mask in = within (place + 128, all (256 * width));
  const VecI32 at = smaller (larger (place >> 8, all (-1)), all (width - 1));
  /* marked disparities that are joined are within 4 join + 1 from here */
  const VecI32 least = 2 * (z - join), range = 4 * join + 1;
  VecI32 marked[2];
  Mask counts[2];
  Samples l;

  l.at = at;
  l.spread = get_spread (at);
  gather_pairs (row->marked, at, l.spread, marked);
  counts[0] = in & within (marked[0] - least, range);
  counts[1] = in & within (marked[1] - least, range)
      & less (all (0), part);
  /* a single valid neighbour has the full weight */
  l.weight[0] = keep (counts[0], one - keep (counts[1], part));
  l.weight[1] = keep (counts[1], one - keep (counts[0], one - part));
  l.seen = counts[0] | counts[1];
  l.edge = less (all (0),
      (keep (counts[0], marked[0]) | keep (counts[1], marked[1])) & 1);
  return l;
}

/* The weight of the right view. */
ALWAYS_INLINE VecU32
weigh (const StereoViewShot * shot, const Samples * l, const Samples * r)
{
  const VecI32 both = choose (l->edge,
      choose (r->edge, all ((int32_t) shot->weight[0][0]),
          all ((int32_t) shot->weight[0][1])),
      choose (r->edge, all ((int32_t) shot->weight[1][0]),
          all ((int32_t) shot->weight[1][1])));

  return (VecU32) choose (l->seen, keep (r->seen, both),
      all (STEREO_VIEW_ONE));
}

/* 256 times the channels: bytes 0 and 2 of words in the halves of sum[0], and
 * byte 1 in sum[1]. */
ALWAYS_INLINE void
add_words (const uint32_t * row, const Samples * l, VecU16 sum[2])
{
  VecI32 color[2];

  gather_pairs (row, l->at, l->spread, color);
  for (int i = 0; i < 2; i++) {
    const int32_t mask = i == 0 ? 0xff00ff : 0xff;
    const VecU16 low = (VecU16) (color[0] >> 8 * i & mask);
    const VecU16 high = (VecU16) (color[1] >> 8 * i & mask);

    sum[i] = low * (VecU16) l->weight[0] + high * (VecU16) l->weight[1];
  }
}

/* One channel of both, in the low or high halves, as 0 to 255. */
ALWAYS_INLINE VecU32
blend (VecU32 left, VecU32 right, VecU32 weight)
{
  return ((left << 16) + (right - left) * weight + (1u << 23)) >> 24;
}

/* Words of a vector of pixels.  r may be NULL. */
ALWAYS_INLINE VecU32
blend_words (const StereoViewRow * left, const StereoViewRow * right,
    const StereoViewShot * shot, const Samples * l, const Samples * r)
{
  VecU16 lsum[2], rsum[2];
  VecU32 weight, le, re;

  add_words (left->colors.row[0], l, lsum);
  if (r == NULL)
    return ((VecU32) (lsum[0] + 128) >> 8 & 0xff00ff)
        | ((VecU32) (lsum[1] + 128) & 0xff00);
  add_words (right->colors.row[0], r, rsum);
  weight = weigh (shot, l, r);
  le = (VecU32) lsum[0];
  re = (VecU32) rsum[0];
  return blend (le & 0xffff, re & 0xffff, weight)
      | blend ((VecU32) lsum[1], (VecU32) rsum[1], weight) << 8
      | blend (le >> 16, re >> 16, weight) << 16;
}

/* 256 times a channel of 16 bits. */
ALWAYS_INLINE VecU32
add_channel (const uint32_t * row, const Samples * l)
{
  VecI32 color[2];

  gather_pairs (row, l->at, l->spread, color);
  return (VecU32) (color[0] * l->weight[0] + color[1] * l->weight[1]);
}

/* stereo_view_blend_wide() */
ALWAYS_INLINE VecU32
blend_wide (VecU32 left, VecU32 right, VecU32 weight)
{
  const VecI32 further = (VecI32) (right - left);
  const VecU32 rest = ((VecU32) further & 255) * weight >> 8;

  return ((left << 8) + (VecU32) (further >> 8) * weight + rest
      + (1u << 15)) >> 16;
}

ALWAYS_INLINE VecU32
blend_channel (const uint32_t * left, const uint32_t * right,
    const StereoViewShot * shot, const Samples * l, const Samples * r)
{
  const VecU32 sum = add_channel (left, l);

  if (r == NULL)
    return (sum + 128) >> 8;
  return blend_wide (sum, add_channel (right, r), weigh (shot, l, r));
}

ALWAYS_INLINE bool
fetch_row (const StereoViewFrame * f, const StereoViewShot * shot,
    const StereoViewRow * left, const StereoViewRow * right, const int32_t * z,
    const StereoViewColors * colors, bool wide)
{
  const Factor factor = make_factor (shot->position, left);
  const VecI32 join = all (f->join);
  unsigned hidden = 0;

  for (int x = 0; x < f->width; x += LANES) {
    const VecI32 disparity = load (z + x);
    const VecI32 at = 256 * (x + count ()) - shot->offset
        + shift (factor, disparity);
    const Samples l = sample (left, f->width, join, at, disparity, wide);
    const Samples *also = NULL;
    Mask seen = l.seen;
    VecI32 flags;
    Samples r;

    if (right != NULL) {
      /* the right view is one baseline, thus one disparity, further */
      r = sample (right, f->width, join, at - disparity, disparity,
          wide);
      seen |= r.seen;
      also = &r;
    }
    flags = keep (seen, all ((int32_t) 0xff000000u));
    hidden |= ~get_bits (x + LANES <= f->width ? seen
        : seen | within (all (f->width), x + count ()));
    if (!wide) {
      store (colors->row[0] + x, flags
          | (VecI32) blend_words (left, right, shot, &l, also));
      continue;
    }
    for (int c = 0; c < (f->format.yuv ? 3 : 1); c++) {
      const uint32_t *other = right != NULL ? right->colors.row[c] : NULL;
      const VecU32 sum = blend_channel (left->colors.row[c], other, shot, &l,
          also);

      store (colors->row[c] + x, c == 0 ? flags | (VecI32) sum
          : (VecI32) sum);
    }
  }
  return (hidden & ((1u << LANES) - 1)) != 0;
}

bool
SIMD_NAME (stereo_view_fetch_) (const StereoViewFrame * f,
    const StereoViewShot * shot, const StereoViewRow * left,
    const StereoViewRow * right, const int32_t * z,
    const StereoViewColors * colors)
{
  if (f->format.wide)
    return fetch_row (f, shot, left, right, z, colors, true);
  if (right == NULL)
    return fetch_row (f, shot, left, NULL, z, colors, false);
  return fetch_row (f, shot, left, right, z, colors, false);
}
