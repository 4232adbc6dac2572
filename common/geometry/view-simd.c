/* gst-stereomatching: rows of synthesised views, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * What neighbours of a row are projected to, and what neighbours of a view are
 * fetched from, is mostly next to each other too: a vector of them is then
 * loaded or stored at once.  Where it is not, lanes go one by one.
 */

#include "geometry/view-cpu.h"

#include "geometry/view-pixel.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 4)

/* Vectors are read from half of one before a row, written from a whole one
 * there, and both up to nearly two behind it. */
_Static_assert (2 * LANES <= STEREO_VIEW_MARGIN, "margins are too narrow");

typedef int32_t VecI32 __attribute__ ((vector_size (SIMD_BYTES)));
typedef uint16_t Half16 __attribute__ ((vector_size (SIMD_BYTES / 2)));
typedef uint8_t Quarter8 __attribute__ ((vector_size (SIMD_BYTES / 4)));

ALWAYS_INLINE VecI32
load (const void *at)
{
  VecI32 v;

  memcpy (&v, at, sizeof (v));
  return v;
}

ALWAYS_INLINE void
store (void *at, VecI32 v)
{
  memcpy (at, &v, sizeof (v));
}

ALWAYS_INLINE VecI32
all (int32_t value)
{
  return (VecI32) { 0 } + value;
}

ALWAYS_INLINE VecI32
count (void)
{
#if SIMD_BYTES == 64
  return (VecI32) { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif SIMD_BYTES == 32
  return (VecI32) { 0, 1, 2, 3, 4, 5, 6, 7 };
#else
  return (VecI32) { 0, 1, 2, 3 };
#endif
}

ALWAYS_INLINE VecI32
choose (VecI32 mask, VecI32 a, VecI32 b)
{
  return (a & mask) | (b & ~mask);
}

ALWAYS_INLINE VecI32
larger (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_max_epi32 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI32) _mm256_max_epi32 ((__m256i) a, (__m256i) b);
#else
  return choose (a > b, a, b);
#endif
}

ALWAYS_INLINE VecI32
smaller (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_min_epi32 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI32) _mm256_min_epi32 ((__m256i) a, (__m256i) b);
#else
  return choose (a < b, a, b);
#endif
}

ALWAYS_INLINE bool
any (VecI32 mask)
{
  return simd_any8 ((VecU8) mask);
}

/* -join <= a - b <= join, as a mask. */
ALWAYS_INLINE VecI32
joined (VecI32 a, VecI32 b, VecI32 join)
{
  return (VecI32) ((VecU32) (a - b + join) <= (VecU32) (join + join));
}

/* A factor of stereo_view_shift(), for products of 32 bits: q is high 65536 +
 * low, and a disparity a 256 + b. */
typedef struct
{
  VecI32 high;
  VecI32 low;
} Factor;

ALWAYS_INLINE Factor
make_factor (int32_t q)
{
  const Factor f = { all (q >> 16), all (q & 0xffff) };

  return f;
}

ALWAYS_INLINE VecI32
shift (Factor f, VecI32 e)
{
  const VecI32 below = (VecI32) ((VecU32) (f.low * (e & 255) + 32768) >> 8);

  return f.high * e + ((f.low * (e >> 8) + below) >> 8);
}

/* ---------------------------------------------------------------------- map */

ALWAYS_INLINE VecI32
read_codes (const uint8_t * at, int bytes)
{
  if (bytes == 1) {
    Quarter8 codes;

    memcpy (&codes, at, sizeof (codes));
    return __builtin_convertvector (codes, VecI32);
  } else {
    Half16 codes;

    memcpy (&codes, at, sizeof (codes));
    return __builtin_convertvector (codes, VecI32);
  }
}

/* stereo_view_disparity(), or none. */
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
  return choose (code == (int32_t) f->invalid, all (STEREO_VIEW_NONE), e);
}

/* Lane by lane each of them twice. */
ALWAYS_INLINE void
repeat (VecI32 e, VecI32 twice[2])
{
#if SIMD_BYTES == 64
  twice[0] = __builtin_shufflevector (e, e, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
      6, 6, 7, 7);
  twice[1] = __builtin_shufflevector (e, e, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
      13, 13, 14, 14, 15, 15);
#elif SIMD_BYTES == 32
  twice[0] = __builtin_shufflevector (e, e, 0, 0, 1, 1, 2, 2, 3, 3);
  twice[1] = __builtin_shufflevector (e, e, 4, 4, 5, 5, 6, 6, 7, 7);
#else
  twice[0] = __builtin_shufflevector (e, e, 0, 0, 1, 1);
  twice[1] = __builtin_shufflevector (e, e, 2, 2, 3, 3);
#endif
}

/* The sums of neighbours of two vectors. */
ALWAYS_INLINE VecI32
add_pairs (VecI32 a, VecI32 b)
{
#if SIMD_BYTES == 64
  return __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
      22, 24, 26, 28, 30) + __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11,
      13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif SIMD_BYTES == 32
  return __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14)
      + __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  return __builtin_shufflevector (a, b, 0, 2, 4, 6)
      + __builtin_shufflevector (a, b, 1, 3, 5, 7);
#endif
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

static void
fill (int32_t * row, int width)
{
  const VecI32 none = all (STEREO_VIEW_NONE);
  int x = 0;

  while (x < width) {
    if (x + LANES <= width && !any (load (row + x) == none))
      x += LANES;
    else if (row[x] == STEREO_VIEW_NONE)
      x = stereo_view_fill_run (row, width, x);
    else
      x++;
  }
}

static void
complete (int32_t * row, const int32_t * other, int width)
{
  const VecI32 none = all (STEREO_VIEW_NONE);

  for (int x = 0; x < width; x += LANES) {
    const VecI32 e = load (row + x);

    store (row + x, choose (e == none, load (other + x), e));
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

    store (row->marked + x, here * 2 - (VecI32) (most - here > join));
  }
  row->marked[-1] = row->marked[f->width] = 2 * STEREO_VIEW_OUTSIDE;
}

/* --------------------------------------------------------------- projection */

/* One bit for each lane of a mask. */
ALWAYS_INLINE unsigned
get_bits (VecI32 mask)
{
#if defined (__AVX512BW__)
  return _mm512_test_epi32_mask ((__m512i) mask, (__m512i) mask);
#elif defined (__AVX2__)
  return (unsigned) _mm256_movemask_ps ((__m256) mask);
#else
  unsigned bits = 0;

  for (int i = 0; i < LANES; i++)
    bits |= (mask[i] & 1u) << i;
  return bits;
#endif
}

/* What the first n lanes cover.  Mostly that is a pixel each, and lanes that
 * are moved alike have different ones, so that these go at once. */
ALWAYS_INLINE void
cover (VecI32 e, VecI32 begins, VecI32 ends, int n, int32_t * z)
{
  const VecI32 place = begins - count (), length = ends - begins;
  const VecI32 counts = count () < n;
  const VecI32 single = counts & (length == 1);
  unsigned ones = get_bits (single), more = get_bits (counts & (length > 1));
  int32_t places[LANES], values[LANES], lengths[LANES];

  store (places, place);
  while (ones != 0) {
    const int first = places[__builtin_ctz (ones)];
    const VecI32 same = single & (place == first);

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
        && !any ((begin ^ (first + count ())) | (end ^ (begin + 1))))
      store (z + first, larger (load (z + first), e));
    else
      cover (e, begin, end, width - x < LANES ? width - x : LANES, z);
  }
}

/* -------------------------------------------------------------------- fetch */

/* How indices of a vector lie to each other. */
typedef enum
{
  TOGETHER,                     /* each is the next one */
  NEAR,                         /* all within two vectors */
  APART
} Spread;

/* Lanes before that of the first index in the two vectors. */
#define NEAR_BEFORE (LANES / 2 - 1)

ALWAYS_INLINE Spread
get_spread (VecI32 at)
{
  const VecU32 from = (VecU32) (at - at[0]);

  if (!any ((VecI32) from ^ count ()))
    return TOGETHER;
#if defined (__AVX2__)
  if (!any ((VecI32) (from + NEAR_BEFORE > 2 * LANES - 2)))
    return NEAR;
#endif
  return APART;
}

/* Lane by lane an element of two vectors, index 0 to 2 LANES - 1. */
#if defined (__AVX512BW__)
ALWAYS_INLINE VecI32
pick (VecI32 low, VecI32 high, VecI32 index)
{
  return (VecI32) _mm512_permutex2var_epi32 ((__m512i) low, (__m512i) index,
      (__m512i) high);
}
#elif defined (__AVX2__)
ALWAYS_INLINE VecI32
pick (VecI32 low, VecI32 high, VecI32 index)
{
  return choose (index < LANES,
      (VecI32) _mm256_permutevar8x32_epi32 ((__m256i) low, (__m256i) index),
      (VecI32) _mm256_permutevar8x32_epi32 ((__m256i) high, (__m256i) index));
}
#endif

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

    pair[0] = pick (low, high, index);
    pair[1] = pick (low, high, index + 1);
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

/* Where a view is to be looked at for a vector of pixels, and what counts
 * there: weights of the two pixels beside a place, and masks. */
typedef struct
{
  VecI32 at;
  Spread spread;
  VecI32 weight[2];
  VecI32 seen;
  VecI32 edge;                  /* 1 or 0, where it is seen */
} Look;

ALWAYS_INLINE Look
look (const StereoViewRow * row, int width, VecI32 join, VecI32 place,
    VecI32 z)
{
  const VecI32 part = place & 255;
  const VecI32 in = (place >= -128) & (place <= 256 * (width - 1) + 128);
  const VecI32 at = smaller (larger (place >> 8, all (-1)), all (width - 1));
  VecI32 marked[2], counts[2];
  Look l;

  l.at = at;
  l.spread = get_spread (at);
  gather_pairs (row->marked, at, l.spread, marked);
  counts[0] = in & joined (marked[0] >> 1, z, join);
  counts[1] = in & joined (marked[1] >> 1, z, join) & (part != 0);
  /* one alone has all the weight */
  l.weight[0] = counts[0] & (256 - (part & counts[1]));
  l.weight[1] = counts[1] & (256 - ((256 - part) & counts[0]));
  l.seen = counts[0] | counts[1];
  l.edge = ((marked[0] & counts[0]) | (marked[1] & counts[1])) & 1;
  return l;
}

/* The weight of the right view. */
ALWAYS_INLINE VecU32
weigh (const StereoViewShot * shot, const Look * l, const Look * r)
{
  const VecI32 both = choose (-l->edge,
      choose (-r->edge, all ((int32_t) shot->weight[0][0]),
          all ((int32_t) shot->weight[0][1])),
      choose (-r->edge, all ((int32_t) shot->weight[1][0]),
          all ((int32_t) shot->weight[1][1])));

  return (VecU32) choose (l->seen, both & r->seen, all (STEREO_VIEW_ONE));
}

/* 256 times the channels: bytes 0 and 2 of words in the halves of sum[0], and
 * byte 1 in sum[1]. */
ALWAYS_INLINE void
add_words (const uint32_t * row, const Look * l, VecU16 sum[2])
{
  VecI32 color[2];
  VecU16 w[2];

  gather_pairs (row, l->at, l->spread, color);
  for (int i = 0; i < 2; i++)
    w[i] = (VecU16) (l->weight[i] | l->weight[i] << 16);
  for (int i = 0; i < 2; i++) {
    const VecU16 low = (VecU16) (color[0] >> 8 * i & 0xff00ff);
    const VecU16 high = (VecU16) (color[1] >> 8 * i & 0xff00ff);

    sum[i] = low * w[0] + high * w[1];
  }
}

/* One channel of both, in the low or high halves, as 0 to 255. */
ALWAYS_INLINE VecU32
blend (VecU32 left, VecU32 right, VecU32 weight)
{
  return ((left << 16) + (right - left) * weight + (1u << 23)) >> 24;
}

/* Words of a vector of pixels; r may be NULL. */
ALWAYS_INLINE VecU32
blend_words (const StereoViewRow * left, const StereoViewRow * right,
    const StereoViewShot * shot, const Look * l, const Look * r)
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
add_channel (const uint32_t * row, const Look * l)
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
    const StereoViewShot * shot, const Look * l, const Look * r)
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
  const Factor factor = make_factor (shot->position);
  const VecI32 join = all (f->join);
  VecI32 unseen = all (0);

  for (int x = 0; x < f->width; x += LANES) {
    const VecI32 disparity = load (z + x);
    const VecI32 at = 256 * (x + count ()) - shot->offset
        + shift (factor, disparity);
    const Look l = look (left, f->width, join, at, disparity);
    const Look *also = NULL;
    VecI32 seen = l.seen, flags;
    Look r;

    if (right != NULL) {
      /* a whole baseline further is a whole disparity less */
      r = look (right, f->width, join, at - disparity, disparity);
      seen |= r.seen;
      also = &r;
    }
    flags = seen & (int32_t) 0xff000000u;
    if (x + LANES <= f->width)
      unseen |= ~seen;
    else
      unseen |= ~seen & (VecI32) (x + count () < f->width);
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
  return any (unseen);
}

static bool
fetch (const StereoViewFrame * f, const StereoViewShot * shot,
    const StereoViewRow * left, const StereoViewRow * right, const int32_t * z,
    const StereoViewColors * colors)
{
  if (f->format.wide)
    return fetch_row (f, shot, left, right, z, colors, true);
  if (right == NULL)
    return fetch_row (f, shot, left, NULL, z, colors, false);
  return fetch_row (f, shot, left, right, z, colors, false);
}

/* ------------------------------------------------------------------ colours */

static int
load_pairs (const uint8_t * luma, const uint8_t * u, const uint8_t * v,
    int chroma_bytes, int width, uint32_t * words)
{
  /* one after the other, in one plane or in two */
  const uint8_t *first = u < v ? u : v;
  int x = 0;

  for (; x + 2 * LANES <= width; x += 2 * LANES) {
    VecI32 chroma, twice[2];

    if (chroma_bytes == 1) {
      chroma = read_codes (u + x / 2, 1) | read_codes (v + x / 2, 1) << 8;
    } else {
      chroma = read_codes (first + x, 2);
      if (first == v)
        chroma = chroma >> 8 | (chroma & 0xff) << 8;
    }
    repeat (chroma << 8, twice);
    store (words + x, read_codes (luma + x, 1) | twice[0]);
    store (words + x + LANES, read_codes (luma + x + LANES, 1) | twice[1]);
  }
  return x;
}

/* The sums of two rows: U in the low half, V in the high one. */
ALWAYS_INLINE VecI32
add_chroma (const uint32_t * upper, const uint32_t * lower)
{
  const VecI32 a = load (upper), b = load (lower);

  return (a >> 8 & 0xff) + (b >> 8 & 0xff) + (a & 0xff0000) + (b & 0xff0000);
}

static int
store_pairs (const uint32_t * upper, const uint32_t * lower, int width,
    uint8_t * u, uint8_t * v, int chroma_bytes)
{
  uint8_t *first = u < v ? u : v;
  int x = 0;

  for (; x + 2 * LANES <= width; x += 2 * LANES) {
    const VecI32 sum = add_pairs (add_chroma (upper + x, lower + x),
        add_chroma (upper + x + LANES, lower + x + LANES));
    const VecI32 mean = (sum + 0x20002) >> 2 & 0xff00ff;

    if (chroma_bytes == 1) {
      const Quarter8 us = __builtin_convertvector (mean, Quarter8);
      const Quarter8 vs = __builtin_convertvector (mean >> 16, Quarter8);

      memcpy (u + x / 2, &us, sizeof (us));
      memcpy (v + x / 2, &vs, sizeof (vs));
    } else {
      const VecI32 pair = first == u ? mean | mean >> 8
          : mean >> 16 | (mean & 0xff) << 8;
      const Half16 both = __builtin_convertvector (pair, Half16);

      memcpy (first + x, &both, sizeof (both));
    }
  }
  return x;
}

const StereoViewRows SIMD_NAME (stereo_view_rows_) = {
  .read = read_row,
  .fill = fill,
  .project = project,
  .complete = complete,
  .mark = mark,
  .fetch = fetch,
  .load_pairs = load_pairs,
  .store_pairs = store_pairs,
};
