/* gst-stereomatching: hierarchical belief propagation on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A pixel's disparities are spread over lanes of a warp (1, 2, 4, ... 32 of
 * them), 16 neighbouring ones to a lane (int8, half; 8 for float; 2 or 4 times
 * as many where 32 lanes are not enough).  So the four messages of a pixel that
 * come in, their sum and the four that go out stay in registers, and each is
 * read and written once.  Pixels that share a warp are neighbours of one colour
 * in a row.
 *
 * Arithmetic.  With int8 and half, words hold two values of 16 bits: v (i) and
 * v (i + W) of a lane with W words.  min (a + b, c) of both is one instruction.
 * The minimum over v' runs along the words there and back; then the values at
 * the ends of halves and lanes are carried on, over as many lanes as a jump per
 * disparity stays below M (one or two, usually), and reach all words at once.
 * Numbers are integers in every precision, so no order changes a result: half
 * is kept as integers with 11 significant bits, float as whole words.
 *
 * Memory.  A level's messages are eight planes: one for each direction and
 * colour of the checkerboard, so that an iteration reads four planes and writes
 * the other four, in order.  A plane has rows of pixels, a pixel its
 * disparities, a multiple of 16 bytes.  Bytes are in the order in which words
 * come apart with one instruction each: v (2i), v (2i + 1), v (2i + W),
 * v (2i + 1 + W).  Data costs of levels above 0 are planes of one colour each;
 * those of level 0 are made anew from the views in each iteration.  The memory
 * of level 0 holds everything of the coarser levels but the messages of odd
 * ones; see Layout.
 *
 * A frame is a row of steps: data costs of levels 1, 2, ..., and all
 * iterations.  The first one of a level reads its messages from the coarser
 * level; those of the frame, which never change, it copies.  In the last one
 * pixels that are updated give out their result, and in one more step all
 * others do.  All steps are one launch of as many blocks as there are
 * multiprocessors, which wait for each other after each step.  Where blocks
 * can't wait (they have to be on the GPU together) each step is a launch.
 */

#include "match/bp-pixel.h"
#include "core/device.cuh"
#include "refine/output.h"
#include "core/queue-cuda.h"

#include <string.h>

namespace
{

/* Threads that a multiprocessor should hold, which are also the most that a
 * block has. */
const int most_threads = 768;

/* Of a view's row: columns before the first one, and behind the last one. */
const int view_margin = 32;
const int view_slack = 64;

/* The data cost of places behind the last disparity, on level 0. */
const uint32_t packed_padding = 0x7000;
const uint32_t single_padding = 1 << 24;
/* More than any h, and small enough to add M to; in both halves. */
const uint32_t infinite = 0xc0c0c0c0u;

enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

/* ---------------------------------------------------------------- arguments */

/* How warps go through the rows of a level, a tile of neighbouring pixels at a
 * time.  From one tile to its next a warp goes on by the number of warps. */
struct Tiles
{
  int in_row;
  float inverse;                /* 1 / in_row */
  int rows_on;                  /* n_warps / in_row */
  int on;                       /* n_warps % in_row */
};

struct Level
{
  int width;
  int height;
  int pitch;                    /* pixels of one colour in a row */
  uint4 *messages[8];           /* a plane for 2 direction + colour */
  uint8_t *data;                /* NULL for level 0 */
  unsigned row;                 /* parts of a row of such a plane */
  Tiles all;                    /* of one colour */
  Tiles inner;                  /* of those off the frame */
};

struct Args
{
  Level level[STEREO_BP_MAX_LEVELS];
  int n_levels;
  int iterations;
  int first_step;
  int end_step;
  bool inner;                   /* the image has pixels off the frame */

  int count;                    /* disparities */
  int groups;                   /* lanes of a pixel that have any */
  int message_parts;            /* of a pixel, for one direction */
  int first_index;
  int first_disparity;          /* min_disparity + first_index */

  /* Prepared views: bytes, if bytes is set, else 16 bits. */
  const uint8_t *left;
  const uint8_t *right;
  int view_pitch;               /* elements */
  bool bytes;
  uint32_t limit;               /* for bytes, see find_byte_costs() */
  uint32_t factor;
  uint32_t bias;
  uint32_t mask;
  int shift;
  uint32_t difference_limit;    /* as in StereoBpConstants */
  uint32_t gain;

  uint32_t max_data;
  uint32_t max_message;         /* in both halves of a word, if packed; */
  uint32_t distance[33];        /* as are min (jump k, M) */
  uint32_t lanes_away[5];       /* the same for a lane's values times 2^i */
  int rounds;                   /* messages reach 2^rounds lanes away */

  StereoMap map;
  StereoOutput output;
  bool encode;
  unsigned *barrier;            /* 0 at the start of a frame */
};

/* -------------------------------------------------------------- arithmetic */

/* How W words hold the values of a lane and how they are stored. */
template < int PRECISION, int W > struct Format
{
  static const int precision = PRECISION;
  static const bool packed = PRECISION != STEREO_BP_PRECISION_FLOAT;
  static const bool bytes = PRECISION == STEREO_BP_PRECISION_INT8;
  static const int words = W;
  static const int values = packed ? 2 * W : W;
  /* of a message and a data cost, which are kept in parts of 16 bytes */
  static const int message_parts = bytes ? W / 8 : W / 4;
  static const int data_parts = W / 4;
  /* the most of a block */
  static const int threads = W <= 8 ? most_threads : 256;
};

/* min (a + b, c) */
template < class F > __device__ __forceinline__ uint32_t
add_min (uint32_t a, uint32_t b, uint32_t c)
{
  return F::packed ? __viaddmin_u16x2 (a, b, c) : __viaddmin_u32 (a, b, c);
}

template < class F > __device__ __forceinline__ uint32_t
min2 (uint32_t a, uint32_t b)
{
  return F::packed ? __vminu2 (a, b) : min (a, b);
}

template < class F > __device__ __forceinline__ uint32_t
min3 (uint32_t a, uint32_t b, uint32_t c)
{
  return F::packed ? __vimin3_u16x2 (a, b, c) : __vimin3_u32 (a, b, c);
}

/* A word without its disparities behind the last one. */
template < class F > __device__ __forceinline__ uint32_t
with_padding (uint32_t w, int i, int valid, uint32_t padding)
{
  if (!F::packed)
    return i < valid ? w : padding;
  if (i >= valid)
    return padding * 0x10001u;
  return i + F::words < valid ? w : (w & 0xffffu) | padding << 16;
}

template < class F > __device__ __forceinline__ uint32_t
least_of (const uint32_t (&p)[F::words])
{
  uint32_t m = p[0];

#pragma unroll
  for (int i = 1; i + 1 < F::words; i += 2)
    m = min3 < F > (m, p[i], p[i + 1]);
  return min2 < F > (m, p[F::words - 1]);
}

template < class F, int LANES > __device__ __forceinline__ uint32_t
least_of_lanes (uint32_t m)
{
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    m = min2 < F > (m, __shfl_xor_sync (0xffffffffu, m, lane));
  return m;
}

/* The halves of two words, side by side. */
__device__ __forceinline__ uint32_t
low_halves (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x5410);
}

__device__ __forceinline__ uint32_t
high_halves (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x7632);
}

/* What reaches a lane's values from the lanes before and behind it: forward is
 * the value of its last place as far as its own values go, backward that of
 * its first. */
template < class F, int LANES, int N > __device__ __forceinline__ void
carry (const Args & a, uint32_t (&forward)[N], uint32_t (&backward)[N])
{
  const int group = threadIdx.x % LANES;

#pragma unroll 1
  for (int i = 0; i < a.rounds; i++) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      uint32_t f = __shfl_up_sync (0xffffffffu, forward[j], 1 << i, LANES);
      uint32_t b = __shfl_down_sync (0xffffffffu, backward[j], 1 << i, LANES);

      forward[j] = add_min < F > (f, a.lanes_away[i], forward[j]);
      backward[j] = add_min < F > (b, a.lanes_away[i], backward[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    uint32_t f = __shfl_up_sync (0xffffffffu, forward[j], 1, LANES);
    uint32_t b = __shfl_down_sync (0xffffffffu, backward[j], 1, LANES);

    forward[j] = group > 0 ? f : infinite;
    backward[j] = group < LANES - 1 ? b : infinite;
  }
}

template < class F > __device__ __forceinline__ void
apply_carry (const Args & a, uint32_t (&p)[F::words], uint32_t before,
    uint32_t behind)
{
#pragma unroll
  for (int i = 0; i < F::words; i++)
    p[i] = add_min < F > (before, a.distance[i + 1],
        add_min < F > (behind, a.distance[F::words - i], p[i]));
}

template < class F > __device__ __forceinline__ void
spread_inside (const Args & a, uint32_t (&p)[F::words])
{
#pragma unroll
  for (int i = 1; i < F::words; i++)
    p[i] = add_min < F > (p[i - 1], a.distance[1], p[i]);
#pragma unroll
  for (int i = F::words - 2; i >= 0; i--)
    p[i] = add_min < F > (p[i + 1], a.distance[1], p[i]);
}

/* What else reaches two messages from other lanes and, if packed, from the
 * other half of their own words. */
template < class F, int LANES > __device__ __forceinline__ void
spread_across (const Args & a, uint32_t (&p)[F::words],
    uint32_t (&q)[F::words], uint32_t forward, uint32_t backward)
{
  const int last = F::words - 1;

  if (LANES == 1) {
    if (F::packed) {
      apply_carry < F > (a, p, __byte_perm (p[last], infinite, 0x1044),
          __byte_perm (p[0], infinite, 0x4432));
      apply_carry < F > (a, q, __byte_perm (q[last], infinite, 0x1044),
          __byte_perm (q[0], infinite, 0x4432));
    }
  } else {
    const uint32_t to_high = a.distance[F::words] & 0xffff0000u;
    const uint32_t to_low = a.distance[F::words] & 0xffffu;

    apply_carry < F > (a, p,
        add_min < F > (__byte_perm (forward, 0, 0x1010), to_high,
            __byte_perm (p[last], 0xffffffffu, 0x1044)),
        add_min < F > (__byte_perm (backward, 0, 0x1010), to_low,
            __byte_perm (p[0], 0xffffffffu, 0x4432)));
    apply_carry < F > (a, q,
        add_min < F > (__byte_perm (forward, 0, 0x3232), to_high,
            __byte_perm (q[last], 0xffffffffu, 0x1044)),
        add_min < F > (__byte_perm (backward, 0, 0x3232), to_low,
            __byte_perm (q[0], 0xffffffffu, 0x4432)));
  }
}

/* Four h to messages, in place.  Every lane of the warp has to take part. */
template < class F, int LANES > __device__ __forceinline__ void
make_messages (const Args & a, uint32_t (&p)[4][F::words])
{
  const int last = F::words - 1;
  uint32_t least[4];

#pragma unroll
  for (int j = 0; j < 4; j++)
    least[j] = least_of < F > (p[j]);
#pragma unroll
  for (int j = 0; j < 4; j++)
    spread_inside < F > (a, p[j]);
  if (F::packed) {
    /* of two messages in the halves of a word */
    const uint32_t across = a.distance[F::words];
    uint32_t both[2], forward[2] = { }, backward[2] = { };

#pragma unroll
    for (int j = 0; j < 2; j++) {
      const uint32_t *one = p[2 * j], *other = p[2 * j + 1];

      both[j] = __vminu2 (low_halves (least[2 * j], least[2 * j + 1]),
          high_halves (least[2 * j], least[2 * j + 1]));
      forward[j] = add_min < F > (low_halves (one[last], other[last]), across,
          high_halves (one[last], other[last]));
      backward[j] = add_min < F > (high_halves (one[0], other[0]), across,
          low_halves (one[0], other[0]));
    }
    if (LANES > 1)
      carry < F, LANES > (a, forward, backward);
#pragma unroll
    for (int j = 0; j < 2; j++)
      both[j] = __vneg2 (least_of_lanes < F, LANES > (both[j]));
#pragma unroll
    for (int j = 0; j < 2; j++)
      spread_across < F, LANES > (a, p[2 * j], p[2 * j + 1], forward[j],
          backward[j]);
#pragma unroll
    for (int j = 0; j < 4; j++)
      least[j] = __byte_perm (both[j / 2], 0, j % 2 == 0 ? 0x1010 : 0x3232);
  } else {
    if (LANES > 1) {
      uint32_t forward[4], backward[4];

#pragma unroll
      for (int j = 0; j < 4; j++) {
        forward[j] = p[j][last];
        backward[j] = p[j][0];
      }
      carry < F, LANES > (a, forward, backward);
#pragma unroll
      for (int j = 0; j < 4; j++)
        apply_carry < F > (a, p[j], forward[j], backward[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      least[j] = 0u - least_of_lanes < F, LANES > (least[j]);
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[j][i] = add_min < F > (p[j][i], least[j], a.max_message);
  }
}

/* ----------------------------------------------------------------- storage */

template < class F > __device__ __forceinline__ void
unpack (const uint4 (&parts)[F::message_parts], uint32_t (&p)[F::words])
{
#pragma unroll
  for (int i = 0; i < F::words; i++) {
    if (F::bytes) {
      uint32_t w = word (parts[i / 8], i / 2 % 4);

      p[i] = i % 2 == 0 ? w & 0x00ff00ffu : __byte_perm (w, 0, 0x4341);
    } else {
      p[i] = word (parts[i / 4], i % 4);
    }
  }
}

/* To 11 bits, ties to even; up to 4095. */
__device__ __forceinline__ uint32_t
round_halves (uint32_t w)
{
  uint32_t large = w >> 11 & 0x00010001u;

  return (w + (w >> 1 & large)) & ~large;
}

template < class F > __device__ __forceinline__ void
pack (const uint32_t (&p)[F::words], uint4 (&parts)[F::message_parts])
{
#pragma unroll
  for (int i = 0; i < F::words; i++) {
    if (F::precision == STEREO_BP_PRECISION_HALF)
      word (parts[i / 4], i % 4) = round_halves (p[i]);
    else if (!F::bytes)
      word (parts[i / 4], i % 4) = p[i];
    else if (i % 2 == 0)
      word (parts[i / 8], i / 2 % 4) = p[i] + 256 * p[i + 1];
  }
}

/* Where a lane works. */
struct Place
{
  int x;
  int y;
  int group;
  int valid;                    /* disparities it has, may be negative */
};

/* The messages of pixels with that x + y, in their plane. */
template < class F > __device__ __forceinline__ unsigned
message_offset (const Args & a, const Level & level, int x, int y, int group)
{
  return (unsigned) y * level.row
      + (unsigned) (x >> 1) * (unsigned) a.message_parts + (unsigned) group;
}

template < class F > __device__ __forceinline__ uint4 *
message_at (const Args & a, const Level & level, int direction, int x, int y,
    int group)
{
  return level.messages[2 * direction + ((x + y) & 1)]
      + message_offset < F > (a, level, x, y, group);
}

template < class F > __device__ __forceinline__ uint4 *
data_at (const Args & a, const Level & level, int x, int y, int group)
{
  int pixel = (((x + y) & 1) * level.height + y) * level.pitch + (x >> 1);

  return (uint4 *) level.data
      + (size_t) pixel * (size_t) (F::data_parts * a.groups) + group;
}

template < int PARTS > __device__ __forceinline__ void
load_parts (const Args & a, const uint4 * from, uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    parts[i] = __ldcg (from + i * a.groups);
}

template < int PARTS > __device__ __forceinline__ void
store_parts (const Args & a, uint4 * to, const uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    __stcg (to + i * a.groups, parts[i]);
}

template < int PARTS > __device__ __forceinline__ void
clear_parts (uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    parts[i] = make_uint4 (0, 0, 0, 0);
}

/* --------------------------------------------------------------- data costs */

/* N bytes of a row from a place on. */
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

/* Costs from views of bytes, where no disparity is negative. */
template < class F > __device__ __forceinline__ void
byte_costs (const Args & a, const Place & place, uint32_t (&p)[F::words])
{
  const int quads = F::words / 2;
  const int d0 = a.first_disparity + F::values * place.group;
  const int at = place.x - d0 - (F::values - 1);
  const uint8_t *left = a.left + (size_t) place.y * a.view_pitch;
  const uint8_t *right = a.right + (size_t) place.y * a.view_pitch;
  const uint32_t own = __ldg (left + place.x) * 0x01010101u;
  uint32_t w[quads], difference[quads];

  /* Partners, backwards; then words of v[2i], v[2i + 1], v[2i + W],
   * v[2i + W + 1]. */
  load_bytes < quads > (right, max (at, -view_margin), w);
#pragma unroll
  for (int i = 0; i < quads; i++)
    difference[i] = __vabsdiffu4 (own, __byte_perm (w[quads - 1 - i / 2],
            w[quads / 2 - 1 - i / 2], i % 2 == 0 ? 0x6723 : 0x4501));
  if (at < 0) {
    /* The first -at of these bytes are outside.  Those places repeat the costs
     * of columns d0 + i, whose partner is the first one. */
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
cost_of (const Args & a, uint32_t left, uint32_t right)
{
  uint32_t t = __usad (left, right, 0);

  return (min (t, a.difference_limit) * a.gain + 32768u) >> 16;
}

/* Costs from views of 16 bits. */
template < class F > __device__ __forceinline__ void
word_costs (const Args & a, const Place & place, uint32_t (&p)[F::words])
{
  const int width = a.level[0].width;
  const int d0 = a.first_disparity + F::values * place.group;
  const size_t row = (size_t) place.y * a.view_pitch;
  const uint16_t *left = (const uint16_t *) a.left + row;
  const uint16_t *right = (const uint16_t *) a.right + row;
  const bool partners = place.x - d0 < width
      && place.x - d0 >= F::values - 1;
  const uint32_t own = __ldg (left + place.x);

  right += place.x - d0;
#pragma unroll
  for (int i = 0; i < F::values; i++) {
    uint32_t c;

    if (partners) {
      c = cost_of (a, own, __ldg (right - i));
    } else {
      /* those behind the last one do as that one does */
      int d = min (d0 + i, a.first_disparity + a.count - 1);
      int x = stereo_bp_column (width, place.x, d);

      c = cost_of (a, __ldg (left + x), __ldg (right - (place.x - d0)
              + (x - d)));
    }
    if (F::packed && i >= F::words)
      p[i % F::words] |= c << 16;
    else
      p[i] = c;
  }
}

template < class F > __device__ __forceinline__ void
level_0_costs (const Args & a, const Place & place, uint32_t (&p)[F::words])
{
  if (F::packed && a.bytes)
    byte_costs < F > (a, place, p);
  else
    word_costs < F > (a, place, p);
  if (place.valid < F::values) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[i] = with_padding < F > (p[i], i, place.valid,
          F::packed ? packed_padding : single_padding);
  }
}

template < class F > __device__ __forceinline__ void
costs (const Args & a, int l, const Place & place, uint32_t (&p)[F::words])
{
  if (l == 0) {
    level_0_costs < F > (a, place, p);
  } else {
    const uint4 *from = data_at < F > (a, a.level[l], place.x, place.y,
        min (place.group, a.groups - 1));

#pragma unroll
    for (int i = 0; i < F::data_parts; i++) {
      uint4 part = __ldcg (from + i * a.groups);

#pragma unroll
      for (int j = 0; j < 4; j++)
        p[4 * i + j] = word (part, j);
    }
    /* the others have that in memory */
    if (place.valid <= 0) {
#pragma unroll
      for (int i = 0; i < F::words; i++)
        p[i] = F::packed ? a.max_data * 0x10001u : a.max_data;
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

/* Data costs of level l >= 1 at a place.  Sums of places behind the last
 * disparity may run over, into nothing but other such places. */
template < class F, int LANES > __device__ __forceinline__ void
sum_costs (const Args & a, int l, const Place & place, bool stores)
{
  const Level & below = a.level[l - 1];
  const uint32_t maximum = F::packed ? a.max_data * 0x10001u : a.max_data;
  uint32_t sum[F::words], least;
  uint4 parts[F::data_parts];

#pragma unroll
  for (int i = 0; i < F::words; i++)
    sum[i] = 0;
#pragma unroll 1
  for (int child = 0; child < 4; child++) {
    Place p = { 2 * place.x + child % 2, 2 * place.y + child / 2,
      place.group, place.valid };
    uint32_t c[F::words];

    if (p.x >= below.width || p.y >= below.height)
      continue;
    costs < F > (a, l - 1, p, c);
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
    store_parts (a, data_at < F > (a, a.level[l], place.x, place.y,
            place.group), parts);
}

/* ------------------------------------------------------------------ results */

/* The index of the smallest sum, in all lanes of a pixel. */
template < class F, int LANES > __device__ __forceinline__ int
winner (const uint32_t (&sum)[F::words], int group)
{
  if (F::packed) {
    uint32_t best = 0xffffffffu;

#pragma unroll
    for (int i = 0; i < F::words; i++)
      best = min (best, min (sum[i] << 16 | (uint32_t) i,
              (sum[i] & 0xffff0000u) | (uint32_t) (i + F::words)));
    best += (uint32_t) (F::values * group);
#pragma unroll
    for (int lane = 1; lane < LANES; lane *= 2)
      best = min (best, __shfl_xor_sync (0xffffffffu, best, lane));
    return (int) (best & 0xffffu);
  }

  uint32_t least = sum[0];
  int place = 0;

#pragma unroll
  for (int i = 1; i < F::words; i++) {
    place = sum[i] < least ? i : place;
    least = min (least, sum[i]);
  }
  place += F::values * group;
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2) {
    uint32_t other = __shfl_xor_sync (0xffffffffu, least, lane);
    int other_place = __shfl_xor_sync (0xffffffffu, place, lane);

    if (other < least || (other == least && other_place < place)) {
      least = other;
      place = other_place;
    }
  }
  return place;
}

/* Stores the result of a pixel, and of those of the frame next to it. */
__device__ __forceinline__ void
store_result (const Args & a, int x, int y, int index)
{
  const int w = a.level[0].width, h = a.level[0].height;
  int x0 = x, x1 = x, y0 = y, y1 = y;

  if (a.inner) {
    x0 = x == 1 ? 0 : x;
    x1 = x == w - 2 ? w - 1 : x;
    y0 = y == 1 ? 0 : y;
    y1 = y == h - 2 ? h - 1 : y;
  }
  for (int yy = y0; yy <= y1; yy++) {
    for (int xx = x0; xx <= x1; xx++)
      stereo_store_index (&a.map, a.encode ? &a.output : NULL, xx, yy,
          (unsigned) (a.first_index + index));
  }
}

/* -------------------------------------------------------------------- steps */

/*
 * A frame is a row of steps that need all of the one before: data costs of
 * levels 1, 2, ...; all iterations of all levels; the results of the pixels
 * that the last iteration didn't update.
 */

__device__ __forceinline__ int
start_of_iterations (const Args & a)
{
  return a.n_levels - 1;
}

/* A warp's first tile, and where it goes from there. */
struct Walk
{
  int row;
  int column;

  __device__ __forceinline__ Walk (const Tiles & tiles, int warp)
  {
    /* exact: there are less than 2^16 warps */
    row = (int) (((float) warp + 0.5f) * tiles.inverse);
    column = warp - row * tiles.in_row;
  }

  __device__ __forceinline__ void go_on (const Tiles & tiles)
  {
    row += tiles.rows_on;
    column += tiles.on;
    if (column >= tiles.in_row) {
      column -= tiles.in_row;
      row++;
    }
  }
};

template < class F, int LANES > __device__ __forceinline__ void
data_step (const Args & a, int l, int warp)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES;
  const Level & level = a.level[l];

#pragma unroll 1
  for (Walk at (level.all, warp); at.row < 2 * level.height;
      at.go_on (level.all)) {
    int y = at.row >> 1;
    int x = 2 * (at.column * pixels + lane / LANES) + ((y + at.row) & 1);
    bool exists = x < level.width;
    Place place = { exists ? x : 0, y, group, a.count - F::values * group };

    sum_costs < F, LANES > (a, l, place, exists && group < a.groups);
  }
}

/* All four messages of a pixel from its parent's. */
template < class F > __device__ __forceinline__ void
copy_pixel (const Args & a, int l, int x, int y, int group)
{
#pragma unroll 1
  for (int direction = 0; direction < 4; direction++) {
    uint4 parts[F::message_parts];

    if (l == a.n_levels - 1)
      clear_parts (parts);
    else
      load_parts (a, message_at < F > (a, a.level[l + 1], direction, x >> 1,
              y >> 1, group), parts);
    store_parts (a, message_at < F > (a, a.level[l], direction, x, y, group),
        parts);
  }
}

/* Pixels that are not updated but read: those of the frame, and if there is
 * only one iteration those whose turn never comes. */
template < class F, int LANES > __device__ __forceinline__ void
copy_tile (const Args & a, int l, int tile)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES;
  const int w = a.level[l].width, h = a.level[l].height;
  int i = tile * pixels + lane / LANES, x, y;

  if (a.iterations == 1 && l > 0) {
    x = i % w;
    y = i / w;
    if (stereo_bp_sends (StereoBpSize { w, h }, x, y, 0))
      return;
  } else if (i < 2 * w) {
    x = i >> 1;
    y = i % 2 == 0 ? 0 : h - 1;
  } else {
    x = i % 2 == 0 ? 0 : w - 1;
    y = 1 + ((i - 2 * w) >> 1);
    if (y >= h - 1)
      return;
  }
  if (y < h && group < a.groups)
    copy_pixel < F > (a, l, x, y, group);
}

template < class F, int LANES > __device__ __forceinline__ void
copy_step (const Args & a, int l, int warp, int n_warps)
{
  const int pixels = 32 / LANES;
  const int w = a.level[l].width, h = a.level[l].height;
  int n = a.iterations == 1 && l > 0 ? w * h : 2 * (w + h - 2);

  n = (n + pixels - 1) / pixels;
  /* first those warps that have the fewest tiles to update */
#pragma unroll 1
  for (int tile = n_warps - 1 - warp; tile < n; tile += n_warps)
    copy_tile < F, LANES > (a, l, tile);
}

/* Iteration t of level l, and results.  In iteration 0 messages come from the
 * level above; the one behind the last makes no messages. */
template < class F, int LANES > __device__ __forceinline__ void
iteration_step (const Args & a, int l, int t, int warp)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES, read_group = min (group, a.groups - 1);
  const Level & level = a.level[l];
  const int frame = a.inner ? 1 : 0;
  const int end_row = level.height - frame;
  const bool sends = a.inner && t < a.iterations;
  const bool gives_results = l == 0 && (!a.inner || t >= a.iterations - 1);
  const bool coarsest = l == a.n_levels - 1;
  /* all pixels to be updated have one colour, and those they read the other */
  const int color = (t + 1) & 1;
  uint4 *const *own = level.messages + color;
  uint4 *const *other = level.messages + (1 - color);
  const unsigned pixel = (unsigned) a.message_parts;

#pragma unroll 1
  for (Walk at (level.inner, warp); frame + at.row < end_row;
      at.go_on (level.inner)) {
    int y = frame + at.row;
    int right = (y + color) & 1;        /* all x of a row are even, or odd */
    int last_x = level.width - 1 - frame;
    int first_x = 2 * at.column * pixels + right + (frame > right ? 2 : 0);
    int x = first_x + 2 * (lane / LANES);
    unsigned offset;

    if (first_x > last_x)
      continue;
    last_x -= (last_x + right) & 1;

    /* lanes without a pixel do as the last one does */
    bool exists = x <= last_x;
    Place place = { min (x, last_x), y, group, a.count - F::values * group };
    uint4 parts[4][F::message_parts];
    uint32_t in[4][F::words], sum[F::words];

    offset = message_offset < F > (a, level, place.x, y, read_group);
    if (t > 0 && a.inner) {
      unsigned last = right ? 0 : pixel;

      load_parts (a, other[2 * UP] + (offset + level.row), parts[UP]);
      load_parts (a, other[2 * DOWN] + (offset - level.row), parts[DOWN]);
      load_parts (a, other[2 * LEFT] + (offset + pixel - last), parts[LEFT]);
      load_parts (a, other[2 * RIGHT] + (offset - last), parts[RIGHT]);
    } else {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        int sx = place.x + (j == LEFT) - (j == RIGHT);
        int sy = place.y + (j == UP) - (j == DOWN);

        if (coarsest)
          clear_parts (parts[j]);
        else
          load_parts (a, message_at < F > (a, a.level[l + 1], j, sx >> 1,
                  sy >> 1, read_group), parts[j]);
      }
    }
    costs < F > (a, l, place, sum);
#pragma unroll
    for (int j = 0; j < 4; j++)
      unpack < F > (parts[j], in[j]);
#pragma unroll
    for (int i = 0; i < F::words; i++)
      sum[i] += in[UP][i] + in[DOWN][i] + in[LEFT][i] + in[RIGHT][i];

    if (gives_results) {
      int index = winner < F, LANES > (sum, group);

      if (exists && group == 0)
        store_result (a, x, y, index);
    }
    if (!sends)
      continue;
    /* without the message that comes back from the addressee */
#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
      for (int i = 0; i < F::words; i++)
        in[j][i] = sum[i] - in[j][i];
    }
    make_messages < F, LANES > (a, in);
#pragma unroll
    for (int j = 0; j < 4; j++)
      pack < F > (in[j ^ 1], parts[j]);
    if (exists && group < a.groups) {
#pragma unroll
      for (int j = 0; j < 4; j++)
        store_parts (a, own[2 * j] + offset, parts[j]);
    }
  }
}

/* Waits until all blocks have come here for the nth time, n from 1. */
__device__ __forceinline__ void
wait_for_all (unsigned *barrier, unsigned n)
{
  __syncthreads ();
  if (threadIdx.x == 0) {
    unsigned arrived;

    asm volatile ("red.release.gpu.global.add.u32 [%0], 1;"::"l" (barrier)
        :"memory");
    do {
      asm volatile ("ld.acquire.gpu.global.u32 %0, [%1];":"=r" (arrived)
          :"l" (barrier):"memory");
    } while (arrived < n * gridDim.x);
  }
  __syncthreads ();
}

template < class F, int LANES >
__global__ void __launch_bounds__ (F::threads)
steps_kernel (const __grid_constant__ Args a)
{
  /* neighbouring tiles to different blocks, so that all have some */
  const int warp = (int) (threadIdx.x / 32 * gridDim.x + blockIdx.x);

#pragma unroll 1
  for (int step = a.first_step; step < a.end_step; step++) {
    if (step > a.first_step)
      wait_for_all (a.barrier, (unsigned) (step - a.first_step));
    if (step < start_of_iterations (a)) {
      data_step < F, LANES > (a, step + 1, warp);
    } else {
      int i = step - start_of_iterations (a);
      int l = max (a.n_levels - 1 - i / a.iterations, 0);
      int t = i - (a.n_levels - 1 - l) * a.iterations;

      iteration_step < F, LANES > (a, l, t, warp);
      if (t == 0 && a.inner)
        copy_step < F, LANES > (a, l, warp,
            (int) (gridDim.x * blockDim.x / 32));
    }
  }
}

/* -------------------------------------------------------------------- views */

struct PrepareArgs
{
  int width;
  int height;
  const uint8_t *source[2];
  size_t stride[2];
  uint8_t *target[2];           /* of the first column of the first row */
  uint16_t *rows[2];            /* smoothed along rows */
  int pitch;
  bool bytes;
  int n_taps;
  uint32_t taps[STEREO_BP_MAX_TAPS];
  unsigned *barrier;
};

/* Luma, smoothed along the row; or bytes as they are, with zeros around. */
__global__ void
prepare_kernel (const __grid_constant__ PrepareArgs a)
{
  const int column = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int x = column - view_margin, y = (int) blockIdx.y;
  const int side = (int) blockIdx.z, last = a.width - 1;
  const uint8_t *row = a.source[side] + (size_t) y * a.stride[side];
  const size_t at = (size_t) y * a.pitch;

  if (column == 0 && y == 0 && side == 0)
    *a.barrier = 0;
  if (column >= a.pitch)
    return;
  if (a.bytes) {
    (a.target[side] + at)[x] = x >= 0 && x <= last ? row[x] : 0;
  } else if (x >= 0 && x <= last) {
    uint32_t sum = a.taps[0] * row[x] + 128;

    for (int i = 1; i < a.n_taps; i++)
      sum += a.taps[i] * ((uint32_t) row[max (x - i, 0)]
          + row[min (x + i, last)]);
    (a.n_taps > 1 ? a.rows[side] : (uint16_t *) a.target[side])[at + x] =
        (uint16_t) (sum >> 8);
  }
}

__global__ void
smooth_kernel (const __grid_constant__ PrepareArgs a)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) blockIdx.y, side = (int) blockIdx.z;
  const int last = a.height - 1;
  const uint16_t *column = a.rows[side] + x;

  if (x < a.width) {
    uint32_t sum = a.taps[0] * column[(size_t) y * a.pitch] + 32768u;

    for (int i = 1; i < a.n_taps; i++)
      sum += a.taps[i] * ((uint32_t) column[(size_t) max (y - i, 0) * a.pitch]
          + column[(size_t) min (y + i, last) * a.pitch]);
    ((uint16_t *) a.target[side])[(size_t) y * a.pitch + x] =
        (uint16_t) (sum >> 16);
  }
}

__global__ void
nothing_kernel (const __grid_constant__ StereoMap map,
    const __grid_constant__ StereoOutput output, bool encode, int width)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);

  if (x < width)
    stereo_store_index (&map, encode ? &output : NULL, x, (int) blockIdx.y,
        STEREO_INVALID);
}

/* ------------------------------------------------------------------- shapes */

typedef void (*StepsKernel) (const Args);

/* How the disparities of a pixel are spread. */
struct Shape
{
  StepsKernel kernel;
  int words;                    /* of a lane */
  int values;
  int lanes;
  int groups;                   /* lanes with values */
  int threads;                  /* of a block, at most */
  int message_parts;            /* of a pixel, in one direction */
  int data_bytes;
};

template < class F > Shape
shape_for (int count)
{
  static const StepsKernel kernels[6] = {
    steps_kernel < F, 1 >, steps_kernel < F, 2 >, steps_kernel < F, 4 >,
    steps_kernel < F, 8 >, steps_kernel < F, 16 >, steps_kernel < F, 32 >
  };
  Shape s;
  int i = 0;

  s.words = F::words;
  s.values = F::values;
  s.groups = (count + F::values - 1) / F::values;
  for (s.lanes = 1; s.lanes < s.groups; s.lanes *= 2)
    i++;
  s.kernel = kernels[i];
  s.threads = F::threads;
  s.message_parts = F::message_parts * s.groups;
  s.data_bytes = 16 * F::data_parts * s.groups;
  return s;
}

/* For more disparities than the smallest lanes have room for. */
template < class F > Shape
large_shape (int count)
{
  Shape s;

  s.words = F::words;
  s.values = F::values;
  s.lanes = 32;
  s.groups = (count + F::values - 1) / F::values;
  s.kernel = steps_kernel < F, 32 >;
  s.threads = F::threads;
  s.message_parts = F::message_parts * s.groups;
  s.data_bytes = 16 * F::data_parts * s.groups;
  return s;
}

const int max_count = 1024;

template < int PRECISION > Shape
find_shape_of (int count)
{
  typedef Format < PRECISION, 8 > Usual;

  if (count <= 32 * Usual::values)
    return shape_for < Usual > (count);
  if (Usual::packed || count <= 64 * Usual::values)
    return large_shape < Format < PRECISION, 16 > > (count);
  return large_shape < Format < STEREO_BP_PRECISION_FLOAT, 32 > > (count);
}

Shape
find_shape (const StereoBpConstants * k)
{
  const int count = k->end_index - k->first_index;

  switch (k->precision) {
    case STEREO_BP_PRECISION_INT8:
      return find_shape_of < STEREO_BP_PRECISION_INT8 > (count);
    case STEREO_BP_PRECISION_HALF:
      return find_shape_of < STEREO_BP_PRECISION_HALF > (count);
    default:
      return find_shape_of < STEREO_BP_PRECISION_FLOAT > (count);
  }
}

size_t
level_pixels (const StereoBpSize & size)
{
  return (size_t) ((size.width + 1) / 2) * 2 * (size_t) size.height;
}

/* Where levels are, from the start of two areas.  A level's first iteration
 * reads the messages of the next coarser level, and nothing else that came
 * before is needed: so levels take turns, and level 0, which has no data costs
 * in memory, overwrites those of all others. */
struct Layout
{
  size_t messages[STEREO_BP_MAX_LEVELS];        /* in area level % 2 */
  size_t data[STEREO_BP_MAX_LEVELS];    /* in area 0 */
  size_t size[2];
};

void
find_layout (const StereoBpConstants * k, const Shape & s, Layout * layout)
{
  size_t data = 0;

  memset ((void *) layout, 0, sizeof (*layout));
  for (int l = 1; l < k->n_levels; l++) {
    layout->data[l] = data;
    data += level_pixels (k->level[l]) * (size_t) s.data_bytes;
    data = (data + 255) / 256 * 256;
  }
  layout->size[0] = data;
  for (int l = 0; l < k->n_levels; l++) {
    size_t start = l % 2 == 0 && l > 0 ? data : 0;
    size_t end = start + 4 * level_pixels (k->level[l])
        * (size_t) s.message_parts * sizeof (uint4);

    layout->messages[l] = start;
    if (layout->size[l % 2] < end)
      layout->size[l % 2] = end;
  }
}

/* The data cost of a difference of bytes as (min (difference, limit) factor
 * + bias) >> shift with 16 bits. */
struct ByteCosts
{
  uint32_t limit;
  uint32_t factor;
  uint32_t bias;
  int shift;
};

/* false: there are no such numbers. */
bool
find_byte_costs (const StereoBpConstants * k, ByteCosts * result)
{
  const uint32_t limit = (k->difference_limit + 255) / 256;
  uint32_t cost[256];

  for (uint32_t i = 0; i <= limit; i++)
    cost[i] = stereo_bp_data_cost (k, 256 * i, 0);
  for (int shift = 15; shift >= 0; shift--) {
    uint32_t one = 1u << shift;
    uint32_t nearest = limit > 0 ? (cost[limit] * one + limit / 2) / limit : 0;

    for (uint32_t f = nearest > 8 ? nearest - 8 : 0; f <= nearest + 8; f++) {
      /* cost[i] one <= i f + bias < (cost[i] + 1) one for all i */
      int64_t lowest = 0, highest = (int64_t) 65535 - (int64_t) limit * f;

      for (uint32_t i = 0; i <= limit && lowest <= highest; i++) {
        int64_t need = (int64_t) cost[i] * one - (int64_t) i * f;

        lowest = lowest > need ? lowest : need;
        highest = highest < need + one - 1 ? highest : need + one - 1;
      }
      if (lowest <= highest) {
        *result = ByteCosts { limit, f, (uint32_t) lowest, shift };
        return true;
      }
    }
  }
  return false;
}

/* Whether views are kept as bytes, not as 16 bits. */
bool
has_byte_views (const StereoBpConstants * k)
{
  ByteCosts costs;

  return k->n_taps == 1 && k->precision != STEREO_BP_PRECISION_FLOAT
      && k->min_disparity + k->first_index >= 0 && find_byte_costs (k, &costs);
}

int
view_pitch (const StereoBpConstants * k)
{
  return (k->width + view_margin + view_slack + 31) / 32 * 32;
}

StereoStatus
plan (const StereoSearch *, const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena, StereoMessage * why)
{
  const size_t view = (size_t) view_pitch (k) * (size_t) k->height;
  const size_t view_bytes = has_byte_views (k) ? 1 : 2;
  const int count = k->end_index - k->first_index;
  Layout layout;

  if (count > max_count)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "belief propagation on CUDA takes %d disparities at most, not %d",
        max_count, count);
  if (count == 0)
    return STEREO_OK;
  find_layout (k, find_shape (k), &layout);
  stereo_arena_add (arena, &work->left, view, view_bytes);
  stereo_arena_add (arena, &work->right, view, view_bytes);
  if (k->n_taps > 1) {
    stereo_arena_add (arena, &work->scratch[0], view, view_bytes);
    stereo_arena_add (arena, &work->scratch[1], view, view_bytes);
  }
  stereo_arena_add (arena, &work->scratch[2], 1, sizeof (unsigned));
  stereo_arena_add (arena, &work->messages[0], layout.size[0], 1);
  if (layout.size[1] > 0)
    stereo_arena_add (arena, &work->messages[1], layout.size[1], 1);
  return STEREO_OK;
}

/* ------------------------------------------------------------------ a frame */

void
find_args (const StereoBpConstants * k, const Shape & s,
    const StereoBpWork * work, Args * a)
{
  const bool packed = k->precision != STEREO_BP_PRECISION_FLOAT;
  const uint32_t both = packed ? 0x10001u : 1u;
  /* disparities that a jump still costs less than M, one by one */
  int reach = k->max_message == 0 ? 0 : k->jump == 0 ? max_count
      : (int) ((k->max_message - 1) / k->jump);
  int lanes;
  ByteCosts costs;
  Layout layout;

  memset ((void *) a, 0, sizeof (*a));
  find_layout (k, s, &layout);
  for (int l = 0; l < k->n_levels; l++) {
    Level *level = &a->level[l];

    level->width = k->level[l].width;
    level->height = k->level[l].height;
    level->pitch = (level->width + 1) / 2;
    level->row = (unsigned) (level->pitch * s.message_parts);
    for (int i = 0; i < 8; i++)
      level->messages[i] = (uint4 *) ((uint8_t *) work->messages[l % 2]
          + layout.messages[l])
          + (size_t) i * (size_t) level->height * level->row;
    level->data = l > 0 ? (uint8_t *) work->messages[0] + layout.data[l]
        : NULL;
  }
  a->n_levels = k->n_levels;
  a->iterations = k->iterations;
  a->inner = stereo_bp_has_inner (k);
  a->count = k->end_index - k->first_index;
  a->groups = s.groups;
  a->message_parts = s.message_parts;
  a->first_index = k->first_index;
  a->first_disparity = k->min_disparity + k->first_index;
  a->view_pitch = view_pitch (k);
  a->bytes = has_byte_views (k);
  a->left = (const uint8_t *) work->left + (a->bytes ? view_margin : 0);
  a->right = (const uint8_t *) work->right + (a->bytes ? view_margin : 0);
  if (a->bytes) {
    (void) find_byte_costs (k, &costs);
    a->limit = costs.limit * 0x10001u;
    a->factor = costs.factor;
    a->bias = costs.bias * 0x10001u;
    a->mask = (0xffffu >> costs.shift) * 0x10001u;
    a->shift = costs.shift;
  }
  a->difference_limit = k->difference_limit;
  a->gain = k->gain;
  a->max_data = k->max_data;
  a->max_message = k->max_message * both;
  for (int i = 0; i <= 32; i++)
    a->distance[i] = both * (uint32_t) stereo_min_u32 (k->max_message,
        k->jump * (uint32_t) i);
  for (int i = 0; i < 5; i++)
    a->lanes_away[i] = both * (uint32_t) stereo_min_u32 (k->max_message,
        stereo_min_u32 (k->jump, 1 << 20) * (uint32_t) (s.values << i));
  /* as many as have their nearest value within reach */
  lanes = reach < 1 ? 0 : (reach - 1) / s.values + 1;
  lanes = lanes < s.lanes - 1 ? lanes : s.lanes - 1;
  while (1 << a->rounds < lanes)
    a->rounds++;
  a->barrier = (unsigned *) work->scratch[2];
}

/* Rows of tiles, and how warps walk through them. */
void
find_tiles (int pixels_in_row, const Shape & s, int n_warps, Tiles * tiles)
{
  const int pixels = 32 / s.lanes;

  tiles->in_row = (pixels_in_row + pixels - 1) / pixels;
  tiles->inverse = 1.0f / (float) tiles->in_row;
  tiles->rows_on = n_warps / tiles->in_row;
  tiles->on = n_warps % tiles->in_row;
}

/* Tiles of a step: warps that it can keep busy. */
size_t
tiles_of (const Args & a, const Shape & s, int step)
{
  const int frame = a.inner ? 1 : 0;
  Tiles tiles;
  int l;

  if (step < a.n_levels - 1) {
    l = step + 1;
    find_tiles (a.level[l].pitch, s, 0, &tiles);
    return (size_t) tiles.in_row * 2 * (size_t) a.level[l].height;
  }
  l = a.n_levels - 1 - (step - (a.n_levels - 1)) / a.iterations;
  l = l > 0 ? l : 0;
  find_tiles ((a.level[l].width - 2 * frame + 1) / 2, s, 0, &tiles);
  return (size_t) tiles.in_row * (size_t) (a.level[l].height - 2 * frame);
}

/* Steps a.first_step up to end.  Several need threads that wait for each other,
 * so all have to fit the GPU at once.  false: that can't be done. */
bool
launch (StereoQueue * queue, const Shape & s, Args & a, int end)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const size_t multiprocessors = (size_t) q->multiprocessors;
  const size_t most_warps = (size_t) s.threads / 32;
  size_t tiles = 1, blocks, warps;
  void *arguments[1] = { &a };
  int resident = 0;

  for (int i = a.first_step; i < end; i++) {
    size_t n = tiles_of (a, s, i);

    tiles = tiles > n ? tiles : n;
  }
  blocks = tiles < multiprocessors ? tiles : multiprocessors;
  warps = (tiles + blocks - 1) / blocks;
  warps = warps < most_warps ? warps : most_warps;
  for (int l = 0; l < a.n_levels; l++) {
    Level *level = &a.level[l];

    find_tiles (level->pitch, s, (int) (blocks * warps), &level->all);
    find_tiles ((level->width - (a.inner ? 2 : 0) + 1) / 2, s,
        (int) (blocks * warps), &level->inner);
  }
  a.end_step = end;

  dim3 grid ((unsigned) blocks), block (32 * (unsigned) warps);

  if (end == a.first_step + 1) {
    s.kernel <<< grid, block, 0, q->compute >>> (a);
    return true;
  }
  if (stereo_cuda_cooperative (queue->device)
      && cudaOccupancyMaxActiveBlocksPerMultiprocessor (&resident, s.kernel,
          (int) block.x, 0) == cudaSuccess && resident > 0
      && cudaLaunchCooperativeKernel ((const void *) s.kernel, grid, block,
          arguments, 0, q->compute) == cudaSuccess)
    return true;
  (void) cudaGetLastError ();
  return false;
}

/* All steps at once, or if that can't be one by one. */
void
launch_steps (StereoQueue * queue, const Shape & s, Args & a)
{
  const int end = a.inner ? a.n_levels - 1 + a.n_levels * a.iterations + 1
      : 2;

  a.first_step = 0;
  if (launch (queue, s, a, end))
    return;
  for (int step = 0; step < end; step++) {
    a.first_step = step;
    (void) launch (queue, s, a, step + 1);
  }
}

void
prepare (StereoQueue * queue, const StereoBpConstants * k, const Args & args,
    const StereoView * left, const StereoView * right,
    const StereoBpWork * work)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  PrepareArgs a;

  memset ((void *) &a, 0, sizeof (a));
  a.width = k->width;
  a.height = k->height;
  a.source[0] = left->plane[0];
  a.source[1] = right->plane[0];
  a.stride[0] = left->stride;
  a.stride[1] = right->stride;
  a.target[0] = (uint8_t *) args.left;
  a.target[1] = (uint8_t *) args.right;
  a.rows[0] = (uint16_t *) work->scratch[0];
  a.rows[1] = (uint16_t *) work->scratch[1];
  a.pitch = args.view_pitch;
  a.bytes = args.bytes;
  a.n_taps = k->n_taps;
  memcpy (a.taps, k->taps, sizeof (a.taps));
  a.barrier = args.barrier;

  dim3 grid ((unsigned) (a.pitch + 127) / 128, (unsigned) a.height, 2);

  prepare_kernel <<< grid, 128, 0, q->compute >>> (a);
  if (a.n_taps > 1)
    smooth_kernel <<< grid, 128, 0, q->compute >>> (a);
}

StereoStatus
match (StereoQueue * queue, const StereoBpConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoBpWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);
  StereoOutput none;
  Args a;

  if (!stage.entered ())
    return stage.status ();
  memset ((void *) &none, 0, sizeof (none));
  if (k->first_index == k->end_index) {
    dim3 grid ((unsigned) (k->width + 127) / 128, (unsigned) k->height);

    nothing_kernel <<< grid, 128, 0, stage.stream () >>> (*map,
        output != NULL ? *output : none, output != NULL, k->width);
    return STEREO_CUDA_LAUNCHED (stage, "bp's nothing_kernel");
  }

  const Shape s = find_shape (k);

  find_args (k, s, work, &a);
  a.map = *map;
  a.output = output != NULL ? *output : none;
  a.encode = output != NULL;
  prepare (queue, k, a, left, right, work);
  launch_steps (queue, s, a);
  return STEREO_CUDA_LAUNCHED (stage, "bp's steps_kernel");
}

}                               // namespace

extern "C" const void *stereo_bp_stages_cuda (void);

extern "C" const void *
stereo_bp_stages_cuda (void)
{
  static const StereoBpStages stages = {
    .plan = plan,
    .match = match,
  };

  return &stages;
}
