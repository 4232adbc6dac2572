/* gst-stereomatching: data costs of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The data costs of level 0 are computed once, from the views, together with
 * those of level 1; those of each further level from the level below it.
 */

#ifndef STEREO_BP_COSTS_CUH
#define STEREO_BP_COSTS_CUH

#include "match/bp/bp-words.cuh"
#include "cost/words-formula.h"
#include "cost/partner.h"

namespace
{

/* The data cost beyond the last disparity, on level 0; not in memory. */
const uint32_t packed_padding = 0x7000;
const uint32_t single_padding = 1 << 24;

/* 4 WORDS bytes of a row from index `at` on. */
template < int WORDS > __device__ __forceinline__ void
load_bytes (const uint8_t * row, int at, uint32_t (&w)[WORDS])
{
  const uint32_t *words = (const uint32_t *) row + (at >> 2);
  const int shift = 8 * (at & 3);
  uint32_t next, here = __ldg (words);

#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    next = __ldg (words + i + 1);
    w[i] = __funnelshift_r (here, next, shift);
    here = next;
  }
}

/* Costs from views of bytes, for disparities of at least 0. */
template < class F > __device__ __forceinline__ void
byte_costs (const BpArgs & a, const Place & place, uint32_t (&p)[F::words])
{
  const int quads = F::words / 2;
  const int d0 = a.first_disparity + F::values * place.group;
  const int at = place.x - d0 - (F::values - 1);
  const uint8_t *left = a.left + (size_t) place.y * a.view_pitch;
  const uint8_t *right = a.right + (size_t) place.y * a.view_pitch;
  const uint32_t own = __ldg (left + place.x) * 0x01010101u;
  uint32_t w[quads], difference[quads];

  /* partners in reverse order, then words of v[2i], v[2i + 1], v[2i + W],
   * v[2i + W + 1] */
  load_bytes < quads > (right, max (at, -bp_view_margin), w);
#pragma unroll
  for (int i = 0; i < quads; i++)
    difference[i] = __vabsdiffu4 (own, __byte_perm (w[quads - 1 - i / 2],
            w[quads / 2 - 1 - i / 2], i % 2 == 0 ? 0x6723 : 0x4501));
  if (at < 0) {
    /* The first -at bytes are outside the row.  They repeat the costs of
     * columns d0 + i, whose partner is the first one. */
    const uint32_t first = __ldg (right) * 0x01010101u;

    load_bytes < quads > (left, min (d0, a.level[0].width), w);
#pragma unroll
    for (int i = 0; i < quads; i++) {
      uint32_t other = __vabsdiffu4 (first, __byte_perm (w[i / 2],
              w[quads / 2 + i / 2], i % 2 == 0 ? 0x5410 : 0x7632));
      uint32_t outside = 0;

#pragma unroll
      for (int j = 0; j < 4; j++) {
        int v = 2 * i + j % 2 + j / 2 * F::words;

        outside |= d0 + v > place.x ? 0xffu << 8 * j : 0u;
      }
      difference[i] = (difference[i] & ~outside) | (other & outside);
    }
  }
#pragma unroll
  for (int i = 0; i < F::words; i++) {
    uint32_t d = difference[i / 2];

    d = i % 2 == 0 ? d & 0x00ff00ffu : __byte_perm (d, 0, 0x4341);
    p[i] = (__vminu2 (d, a.limit) * a.factor + a.bias) >> a.shift & a.mask;
  }
}

__device__ __forceinline__ uint32_t
cost_of (const BpArgs & a, uint32_t difference)
{
  return (min (difference, a.difference_limit) * a.gain + 32768u) >> 16;
}

/* An element of a view of 16 bits or words. */
template < int COST > __device__ __forceinline__ uint32_t
view_word (const uint8_t * row, int x)
{
  return COST == STEREO_COST_LUMA ? __ldg ((const uint16_t *) row + x)
      : __ldg ((const uint32_t *) row + x);
}

/* The cost of two such elements. */
template < int COST > __device__ __forceinline__ uint32_t
word_cost (const BpArgs & a, uint32_t left, uint32_t right)
{
  switch (COST) {
    case STEREO_COST_WORDS:
      return cost_of (a, stereo_words_cost (left, right));
    case STEREO_COST_RGB:
      return cost_of (a, stereo_bp_color_difference (left, right));
    default:
      return cost_of (a, __usad (left, right, 0));
  }
}

/* The costs of two pairs of words, in both halves. */
__device__ __forceinline__ uint32_t
words_costs (const BpArgs & a, const uint32_t (&l)[2], const uint32_t (&r)[2])
{
  const uint32_t bits = __popc ((l[0] ^ r[0]) & 0xffffff)
      + (__popc ((l[1] ^ r[1]) & 0xffffff) << 16);
  const uint32_t p = __byte_perm (l[0], l[1], 0x7733) & 0x00ff00ff;
  const uint32_t q = __byte_perm (r[0], r[1], 0x7733) & 0x00ff00ff;
  const uint32_t levels = __vminu2 (__vmaxu2 (p, q) - __vminu2 (p, q),
      splat_u16 (STEREO_WORDS_MAX_LEVELS));

  return (__vminu2 (STEREO_WORDS_BIT_COST * bits
          + STEREO_WORDS_LEVEL_COST * levels, a.limit) * a.factor + a.bias)
      >> a.shift & a.mask;
}

/* One word of costs, of two pairs of elements if packed.  SCALED: a.scaled. */
template < class F, int COST, bool SCALED > __device__ __forceinline__ uint32_t
pair_cost (const BpArgs & a, const uint32_t (&l)[2], const uint32_t (&r)[2])
{
  if (SCALED)
    return words_costs (a, l, r);
  if (!F::packed)
    return word_cost < COST > (a, l[0], r[0]);
  return word_cost < COST > (a, l[0], r[0])
      | word_cost < COST > (a, l[1], r[1]) << 16;
}

/* Costs from views of 16 bits or of words, where all disparities of a lane have
 * a partner. */
template < class F, int COST, bool SCALED > __device__ __forceinline__ void
inside_costs (const BpArgs & a, const Place & place, int d0,
    uint32_t (&p)[F::words])
{
  const int size = COST == STEREO_COST_LUMA ? 2 : 4;
  const size_t row = (size_t) place.y * a.view_pitch * size;
  const uint8_t *first = a.right + row + (place.x - d0) * size;
  const uint32_t own = view_word < COST > (a.left + row, place.x);
  const uint32_t l[2] = { own, own };

#pragma unroll
  for (int i = 0; i < F::words; i++) {
    const uint32_t r[2] = { view_word < COST > (first, -i),
      F::packed ? view_word < COST > (first, -i - F::words) : 0
    };

    p[i] = pair_cost < F, COST, SCALED > (a, l, r);
  }
}

/* The same, where some have none. */
template < class F, int COST, bool SCALED > __device__ __forceinline__ void
border_costs (const BpArgs & a, const Place & place, int d0,
    uint32_t (&p)[F::words])
{
  const size_t row = (size_t) place.y * a.view_pitch
      * (COST == STEREO_COST_LUMA ? 2 : 4);

#pragma unroll
  for (int i = 0; i < F::words; i++) {
    uint32_t l[2], r[2];

#pragma unroll
    for (int j = 0; j < (F::packed ? 2 : 1); j++) {
      /* disparities beyond the last one repeat it */
      const int d = min (d0 + i + j * F::words,
          a.first_disparity + a.count - 1);
      const int x = stereo_partner_column (a.level[0].width, place.x, d);

      l[j] = view_word < COST > (a.left + row, x);
      r[j] = view_word < COST > (a.right + row, x - d);
    }
    p[i] = pair_cost < F, COST, SCALED > (a, l, r);
  }
}

template < class F, int COST, bool SCALED > __device__ __forceinline__ void
word_costs (const BpArgs & a, const Place & place, bool inside, int d0,
    uint32_t (&p)[F::words])
{
  if (inside)
    inside_costs < F, COST, SCALED > (a, place, d0, p);
  else
    border_costs < F, COST, SCALED > (a, place, d0, p);
}

/* Data costs of level 0. */
template < class F > __device__ __forceinline__ void
view_costs (const BpArgs & a, const Place & place, uint32_t (&p)[F::words])
{
  const int d0 = a.first_disparity + F::values * place.group;

  if (F::packed && a.bytes) {
    byte_costs < F > (a, place, p);
    return;
  }
  const bool inside = place.x - d0 < a.level[0].width
      && place.x - d0 >= F::values - 1;

  if (F::packed && a.scaled)
    word_costs < F, STEREO_COST_WORDS, F::packed > (a, place, inside, d0, p);
  else if (a.cost == STEREO_COST_WORDS)
    word_costs < F, STEREO_COST_WORDS, false > (a, place, inside, d0, p);
  else if (a.cost == STEREO_COST_RGB)
    word_costs < F, STEREO_COST_RGB, false > (a, place, inside, d0, p);
  else
    word_costs < F, STEREO_COST_LUMA, false > (a, place, inside, d0, p);
}

/* Makes those beyond the last disparity so large that they do not matter. */
template < class F > __device__ __forceinline__ void
pad_level_0 (const Place & place, uint32_t (&p)[F::words])
{
  if (place.valid < F::values) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[i] = with_padding < F > (p[i], i, place.valid,
          F::packed ? packed_padding : single_padding);
  }
}

template < class F > __device__ __forceinline__ void
store_level_0 (const BpArgs & a, const Place & place,
    const uint32_t (&p)[F::words])
{
  uint4 parts[F::level_0_parts];

  pack_halves < F > (p, parts);
  store_parts (a, data_at (a, a.level[0], F::level_0_parts, place.x, place.y,
          place.group), parts);
}

template < class F > __device__ __forceinline__ void
load_level_0 (const BpArgs & a, const Place & place, uint32_t (&p)[F::words])
{
  uint4 parts[F::level_0_parts];

  load_parts (a, data_at (a, a.level[0], F::level_0_parts, place.x, place.y,
          min (place.group, a.groups - 1)), parts);
  unpack_halves < F > (parts, p);
  pad_level_0 < F > (place, p);
}

template < class F > __device__ __forceinline__ void
load_costs (const BpArgs & a, int l, const Place & place,
    uint32_t (&p)[F::words])
{
  if (l == 0) {
    load_level_0 < F > (a, place, p);
  } else {
    uint4 parts[F::data_parts];

    load_parts (a, data_at (a, a.level[l], F::data_parts, place.x, place.y,
            min (place.group, a.groups - 1)), parts);
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[i] = word (parts[i / 4], i % 4);
    /* other levels have it in memory */
    if (place.valid <= 0) {
#pragma unroll
      for (int i = 0; i < F::words; i++)
        p[i] = F::packed ? splat_u16 (a.max_data) : a.max_data;
    }
  }
}

template < class F > __device__ __forceinline__ uint32_t
kept_data (uint32_t w)
{
  if (F::precision != STEREO_BP_PRECISION_HALF)
    return w;
  return stereo_bp_round_half (w & 0xffffu)
      | stereo_bp_round_half (w >> 16) << 16;
}

/* Data costs of level l at a place.  Sums beyond the last disparity may
 * overflow, but only into other invalid sums. */
template < class F, int LANES > __device__ __forceinline__ void
make_costs (const BpArgs & a, int l, const Place & place, bool stores)
{
  const BpLevel & below = a.level[max (l - 1, 0)];
  const uint32_t maximum = F::packed ? splat_u16 (a.max_data) : a.max_data;
  uint32_t sum[F::words], least;
  uint4 parts[F::data_parts];

#pragma unroll
  for (int i = 0; i < F::words; i++)
    sum[i] = 0;
#pragma unroll 1
  for (int child = 0; child < 4; child++) {
    Place p = place;
    uint32_t c[F::words];

    if (l > 0) {
      p.x = 2 * place.x + child % 2;
      p.y = 2 * place.y + child / 2;
    }
    if (p.x >= below.width || p.y >= below.height)
      continue;
    if (l > 1) {
      load_costs < F > (a, l - 1, p, c);
    } else {
      view_costs < F > (a, p, c);
      if (stores)
        store_level_0 < F > (a, p, c);
      pad_level_0 < F > (p, c);
    }
    if (l == 0)
      return;
#pragma unroll
    for (int i = 0; i < F::words; i++)
      sum[i] += c[i];
  }
  if (place.valid < F::values) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      sum[i] = with_padding < F > (sum[i], i, place.valid,
          F::packed ? 0xffffu : 0x7fffffffu);
  }
  least = least_of < F > (sum);
  if (F::packed)
    least = __vminu2 (least, __byte_perm (least, 0, 0x1032));
  least = least_of_lanes < F, LANES > (least);
#pragma unroll
  for (int i = 0; i < F::words; i++)
    word (parts[i / 4], i % 4) = with_padding < F > (kept_data < F >
        (min2 < F > (sum[i] - least, maximum)), i, place.valid, a.max_data);
  if (stores)
    store_parts (a, data_at (a, a.level[l], F::data_parts, place.x, place.y,
            place.group), parts);
}

}                               // namespace

#endif /* STEREO_BP_COSTS_CUH */
