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
 *
 * Of a level with few tiles the iterations without results are one such step: a
 * tile waits for no more than the three rows of the iteration before that it
 * needs, which are counted.
 *
 * Edges.  A pixel of a level has a record of the jumps and largest messages of
 * the four that it sends.  Those of level 0 are made before the steps, with the
 * left view of level 1; those of another level, and the left view of the next
 * one, by the step that makes its data costs.
 *
 * Winners.  In steps with results a block works on a row at a time, or on some
 * short ones, if there are winners to give: so the smallest beliefs of each
 * right pixel of a row come together in shared memory.  The step for the first
 * half of the pixels stores what it has found, that for the second half takes
 * it up again.
 */

#include "match/bp-pixel.h"
#include "core/device.cuh"
#include "core/queue-cuda.h"
#include "cost/census-pixel.h"
#include "cost/partner.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"

#include <string.h>

struct StereoBpWork
{
  void *left;                   /* prepared views */
  void *right;
  void *rows[2];                /* smoothed along rows */
  void *barrier;                /* of all blocks */
  void *done[STEREO_BP_MAX_LEVELS];     /* rows of a level */
  void *table;                  /* of what edges are made */
  void *guides[STEREO_BP_MAX_LEVELS];   /* the left view of levels above 0 */
  void *edges[STEREO_BP_MAX_LEVELS];
  void *messages[2];            /* of even and odd levels; data costs follow */
};

STEREO_CHECK_WORK (StereoBpWork);

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

/* Words between two counters that many warps look at. */
const int done_pitch = 32;

/* Tiles of a warp up to which iterations are one step. */
const int tiles_together = 8;

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
  uint32_t *guide;              /* the left view, NULL on level 0 */
  uint8_t *edges;               /* records, NULL: all are a.bounds */
  uint4 *messages[8];           /* a plane for 2 direction + colour */
  uint8_t *data;                /* NULL for level 0 */
  unsigned row;                 /* parts of a row of such a plane */
  Tiles all;                    /* of one colour */
  Tiles inner;                  /* of those off the frame */
  /* Tiles that are done of each row, of all iterations so far, done_pitch words
   * apart; row 0, of the frame, has the warps that have copied theirs */
  unsigned *done;
  bool together;                /* iterations are one step */
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

  /* Views of luma: bytes, if bytes is set, else 16 bits; or words of a census
   * or of R, G and B. */
  StereoCost cost;
  const uint8_t *left;
  const uint8_t *right;
  int view_pitch;               /* elements */
  bool bytes;
  bool scaled;                  /* a census has the following, too */
  uint32_t limit;               /* for bytes, see find_byte_costs() */
  uint32_t factor;
  uint32_t bias;
  uint32_t mask;
  int shift;
  uint32_t difference_limit;    /* as in StereoBpConstants */
  uint32_t gain;

  uint32_t max_data;
  uint32_t bounds[8];           /* a record, without edges */
  const uint2 *table;           /* jump and M by difference */
  int rounds;                   /* messages reach 2^rounds lanes away */

  bool gives_winners;           /* instead of a map or codes */
  int rows_at_once;             /* of a block, where it gives them */
  StereoWinners winners;
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

/*
 * Jump and M of the four messages of a pixel, in the order in which they stand
 * in registers: down, up, right, left.  A record has
 *   int8     two words, the bytes of the jumps and of the M
 *   half     four, 16 bits each
 *   float    eight
 */
template < class F > struct Bounds
{
  static const int words = F::bytes ? 2 : F::packed ? 4 : 8;
  uint32_t w[words];

  /* Of message i, in both halves if packed. */
  __device__ __forceinline__ uint32_t of (int i, int first) const
  {
    if (F::bytes)
      return __byte_perm (w[first], 0, 0x4040 | i * 0x0101);
    if (F::packed)
      return __byte_perm (w[2 * first + i / 2], 0, i % 2 == 0 ? 0x1010
          : 0x3232);
    return w[4 * first + i];
  }

  __device__ __forceinline__ uint32_t jump (int i) const
  {
    return of (i, 0);
  }

  __device__ __forceinline__ uint32_t largest (int i) const
  {
    return of (i, 1);
  }

  /* Of messages 2 i and 2 i + 1, side by side. */
  __device__ __forceinline__ uint32_t both (int i, int first) const
  {
    if (F::bytes)
      return __byte_perm (w[first], 0, 0x4040 | (2 * i + 1) << 8 | 2 * i);
    return w[2 * first + i];
  }

  /* What a change by all words of a lane costs. */
  __device__ __forceinline__ uint32_t across (int i) const
  {
    return min2 < F > (jump (i) * F::words, largest (i));
  }
};

/* min (jump, M) of one message, or of two side by side, for as many disparities
 * as a lane has. */
template < class F > __device__ __forceinline__ uint32_t
lane_away (uint32_t jump, uint32_t largest)
{
  uint32_t away = min2 < F > (jump * (F::values < 16 ? F::values : 16),
      largest);

#pragma unroll
  for (int values = 16; values < F::values; values *= 2)
    away = min2 < F > (2 * away, largest);
  return away;
}

/* What reaches a lane's values from the lanes before and behind it: forward is
 * the value of its last place as far as its own values go, backward that of
 * its first. */
template < class F, int LANES, int N > __device__ __forceinline__ void
carry (const Args & a, const Bounds < F > &bounds, uint32_t (&forward)[N],
    uint32_t (&backward)[N])
{
  const int group = threadIdx.x % LANES;
  uint32_t away[N], largest[N];

#pragma unroll
  for (int j = 0; j < N; j++) {
    largest[j] = F::packed ? bounds.both (j, 1) : bounds.largest (j);
    away[j] = lane_away < F > (F::packed ? bounds.both (j, 0)
        : bounds.jump (j), largest[j]);
  }
#pragma unroll 1
  for (int i = 0; i < a.rounds; i++) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      uint32_t f = __shfl_up_sync (0xffffffffu, forward[j], 1 << i, LANES);
      uint32_t b = __shfl_down_sync (0xffffffffu, backward[j], 1 << i, LANES);

      forward[j] = add_min < F > (f, away[j], forward[j]);
      backward[j] = add_min < F > (b, away[j], backward[j]);
      away[j] = min2 < F > (2 * away[j], largest[j]);
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

/* What comes from before the first word and from behind the last one. */
template < class F > __device__ __forceinline__ void
apply_carry (uint32_t jump, uint32_t (&p)[F::words], uint32_t before,
    uint32_t behind)
{
  p[0] = add_min < F > (before, jump, p[0]);
#pragma unroll
  for (int i = 1; i < F::words; i++)
    p[i] = add_min < F > (p[i - 1], jump, p[i]);
  p[F::words - 1] = add_min < F > (behind, jump, p[F::words - 1]);
#pragma unroll
  for (int i = F::words - 2; i >= 0; i--)
    p[i] = add_min < F > (p[i + 1], jump, p[i]);
}

template < class F > __device__ __forceinline__ void
spread_inside (uint32_t jump, uint32_t (&p)[F::words])
{
#pragma unroll
  for (int i = 1; i < F::words; i++)
    p[i] = add_min < F > (p[i - 1], jump, p[i]);
#pragma unroll
  for (int i = F::words - 2; i >= 0; i--)
    p[i] = add_min < F > (p[i + 1], jump, p[i]);
}

/* What else reaches a message, whose values are packed, from other lanes and
 * from the other half of its own words.  halves: where its own is in forward
 * and backward. */
template < class F, int LANES > __device__ __forceinline__ void
spread_across (uint32_t jump, uint32_t across, uint32_t (&p)[F::words],
    uint32_t forward, uint32_t backward, unsigned halves)
{
  const int last = F::words - 1;

  if (LANES == 1)
    apply_carry < F > (jump, p, __byte_perm (p[last], infinite, 0x1044),
        __byte_perm (p[0], infinite, 0x4432));
  else
    apply_carry < F > (jump, p,
        add_min < F > (__byte_perm (forward, 0, halves), across & 0xffff0000u,
            __byte_perm (p[last], 0xffffffffu, 0x1044)),
        add_min < F > (__byte_perm (backward, 0, halves), across & 0xffffu,
            __byte_perm (p[0], 0xffffffffu, 0x4432)));
}

/* Four h to messages, in place.  Every lane of the warp has to take part. */
template < class F, int LANES > __device__ __forceinline__ void
make_messages (const Args & a, const Bounds < F > &bounds,
    uint32_t (&p)[4][F::words])
{
  const int last = F::words - 1;
  uint32_t least[4];

#pragma unroll
  for (int j = 0; j < 4; j++)
    least[j] = least_of < F > (p[j]);
#pragma unroll
  for (int j = 0; j < 4; j++)
    spread_inside < F > (bounds.jump (j), p[j]);
  if (F::packed) {
    /* of two messages in the halves of a word */
    uint32_t both[2], forward[2] = { }, backward[2] = { };

#pragma unroll
    for (int j = 0; j < 2; j++) {
      const uint32_t *one = p[2 * j], *other = p[2 * j + 1];
      const uint32_t across = low_halves (bounds.across (2 * j),
          bounds.across (2 * j + 1));

      both[j] = __vminu2 (low_halves (least[2 * j], least[2 * j + 1]),
          high_halves (least[2 * j], least[2 * j + 1]));
      forward[j] = add_min < F > (low_halves (one[last], other[last]), across,
          high_halves (one[last], other[last]));
      backward[j] = add_min < F > (high_halves (one[0], other[0]), across,
          low_halves (one[0], other[0]));
    }
    if (LANES > 1)
      carry < F, LANES > (a, bounds, forward, backward);
#pragma unroll
    for (int j = 0; j < 2; j++)
      both[j] = __vneg2 (least_of_lanes < F, LANES > (both[j]));
#pragma unroll
    for (int j = 0; j < 4; j++)
      spread_across < F, LANES > (bounds.jump (j), bounds.across (j), p[j],
          forward[j / 2], backward[j / 2], j % 2 == 0 ? 0x1010 : 0x3232);
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
      carry < F, LANES > (a, bounds, forward, backward);
#pragma unroll
      for (int j = 0; j < 4; j++)
        apply_carry < F > (bounds.jump (j), p[j], forward[j], backward[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      least[j] = 0u - least_of_lanes < F, LANES > (least[j]);
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[j][i] = add_min < F > (p[j][i], least[j], bounds.largest (j));
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
cost_of (const Args & a, uint32_t difference)
{
  return (min (difference, a.difference_limit) * a.gain + 32768u) >> 16;
}

/* A place of a view that is no bytes. */
template < int COST > __device__ __forceinline__ uint32_t
view_word (const uint8_t * row, int x)
{
  return COST == STEREO_COST_LUMA ? __ldg ((const uint16_t *) row + x)
      : __ldg ((const uint32_t *) row + x);
}

/* The cost of two such places. */
template < int COST > __device__ __forceinline__ uint32_t
word_cost (const Args & a, uint32_t left, uint32_t right)
{
  switch (COST) {
    case STEREO_COST_CENSUS:
      return cost_of (a, stereo_census_cost (left, right));
    case STEREO_COST_RGB:
      return cost_of (a, stereo_bp_color_difference (left, right));
    default:
      return cost_of (a, __usad (left, right, 0));
  }
}

/* The costs of two pairs of census words, side by side. */
__device__ __forceinline__ uint32_t
census_costs (const Args & a, const uint32_t (&l)[2], const uint32_t (&r)[2])
{
  const uint32_t bits = __popc ((l[0] ^ r[0]) & 0xffffff)
      + (__popc ((l[1] ^ r[1]) & 0xffffff) << 16);
  const uint32_t p = __byte_perm (l[0], l[1], 0x7733) & 0x00ff00ff;
  const uint32_t q = __byte_perm (r[0], r[1], 0x7733) & 0x00ff00ff;
  const uint32_t levels = __vminu2 (__vmaxu2 (p, q) - __vminu2 (p, q),
      STEREO_CENSUS_MAX_LEVELS * 0x10001u);

  return (__vminu2 (STEREO_CENSUS_BIT_COST * bits
          + STEREO_CENSUS_LEVEL_COST * levels, a.limit) * a.factor + a.bias)
      >> a.shift & a.mask;
}

/* One word of costs, of two pairs of places if packed.  SCALED: a.scaled. */
template < class F, int COST, bool SCALED > __device__ __forceinline__ uint32_t
pair_cost (const Args & a, const uint32_t (&l)[2], const uint32_t (&r)[2])
{
  if (SCALED)
    return census_costs (a, l, r);
  if (!F::packed)
    return word_cost < COST > (a, l[0], r[0]);
  return word_cost < COST > (a, l[0], r[0])
      | word_cost < COST > (a, l[1], r[1]) << 16;
}

/* Costs from views of 16 bits or of words. */
template < class F, int COST, bool SCALED > __device__ __forceinline__ void
word_costs (const Args & a, const Place & place, uint32_t (&p)[F::words])
{
  const int size = COST == STEREO_COST_LUMA ? 2 : 4;
  const int width = a.level[0].width;
  const int d0 = a.first_disparity + F::values * place.group;
  const size_t row = (size_t) place.y * a.view_pitch * size;
  const uint8_t *left = a.left + row, *right = a.right + row;

  if (place.x - d0 < width && place.x - d0 >= F::values - 1) {
    const uint8_t *first = right + (place.x - d0) * size;
    const uint32_t own = view_word < COST > (left, place.x);
    const uint32_t l[2] = { own, own };

#pragma unroll
    for (int i = 0; i < F::words; i++) {
      const uint32_t r[2] = { view_word < COST > (first, -i),
        F::packed ? view_word < COST > (first, -i - F::words) : 0
      };

      p[i] = pair_cost < F, COST, SCALED > (a, l, r);
    }
    return;
  }
  /* some have no partner */
#pragma unroll
  for (int i = 0; i < F::words; i++) {
    uint32_t l[2], r[2];

#pragma unroll
    for (int j = 0; j < (F::packed ? 2 : 1); j++) {
      /* those behind the last one do as that one does */
      const int d = min (d0 + i + j * F::words,
          a.first_disparity + a.count - 1);
      const int x = stereo_partner_column (width, place.x, d);

      l[j] = view_word < COST > (left, x);
      r[j] = view_word < COST > (right, x - d);
    }
    p[i] = pair_cost < F, COST, SCALED > (a, l, r);
  }
}

template < class F > __device__ __forceinline__ void
level_0_costs (const Args & a, const Place & place, uint32_t (&p)[F::words])
{
  if (F::packed && a.bytes)
    byte_costs < F > (a, place, p);
  else if (F::packed && a.scaled)
    word_costs < F, STEREO_COST_CENSUS, F::packed > (a, place, p);
  else if (a.cost == STEREO_COST_CENSUS)
    word_costs < F, STEREO_COST_CENSUS, false > (a, place, p);
  else if (a.cost == STEREO_COST_RGB)
    word_costs < F, STEREO_COST_RGB, false > (a, place, p);
  else
    word_costs < F, STEREO_COST_LUMA, false > (a, place, p);
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

/* The pixels that have the result of (x, y): itself, and those of the frame
 * next to it. */
struct Sharers
{
  int x0, x1, y0, y1;

  __device__ __forceinline__ Sharers (const Args & a, int x, int y)
  {
    const int w = a.level[0].width, h = a.level[0].height;

    x0 = a.inner && x == 1 ? 0 : x;
    x1 = a.inner && x == w - 2 ? w - 1 : x;
    y0 = a.inner && y == 1 ? 0 : y;
    y1 = a.inner && y == h - 2 ? h - 1 : y;
  }
};

__device__ __forceinline__ void
store_result (const Args & a, int x, int y, int index)
{
  const Sharers to (a, x, y);

  for (int yy = to.y0; yy <= to.y1; yy++) {
    for (int xx = to.x0; xx <= to.x1; xx++)
      stereo_store_index (&a.map, a.encode ? &a.output : NULL, xx, yy,
          (unsigned) (a.first_index + index));
  }
}

/* ------------------------------------------------------------------ winners */

/* Words of shared memory for the winners of a right row.  Places are permuted
 * within 32, so that lanes 16 disparities apart meet different banks. */
__host__ __device__ __forceinline__ int
row_words (int width)
{
  return (width + 31) / 32 * 32;
}

__device__ __forceinline__ int
row_place (int x)
{
  return x ^ (x >> 5 & 3) << 3;
}

/* The i-th of the rows that a block works on at a time. */
__device__ __forceinline__ uint32_t *
right_row (const Args & a, int i)
{
  extern __shared__ uint32_t shared_words[];

  return shared_words + i * row_words (a.level[0].width);
}

/* The beliefs of a warp, F::words times 32. */
template < class F > __device__ __forceinline__ uint32_t *
warp_beliefs (const Args & a)
{
  return right_row (a, a.rows_at_once) + threadIdx.x / 32 * 32 * F::words;
}

/* Value v of the pixel that the warp's lane `first` begins. */
template < class F > __device__ __forceinline__ uint32_t
belief_at (const uint32_t * beliefs, int first, int v)
{
  const int lane = first + v / F::values, i = v % F::values;
  const uint32_t w = beliefs[i % F::words * 32 + lane];

  if (F::packed)
    return i < F::words ? w & 0xffffu : w >> 16;
  return stereo_bp_winner_cost (F::precision, w);
}

/* Stores the winner of a left pixel, in its first lane; all lanes of the warp
 * take part. */
template < class F, int LANES > __device__ __forceinline__ void
store_winner (const Args & a, const uint32_t (&sum)[F::words],
    const Place & place, bool exists, int index)
{
  const int lane = threadIdx.x % 32;
  uint32_t *beliefs = warp_beliefs < F > (a);

#pragma unroll
  for (int i = 0; i < F::words; i++)
    beliefs[32 * i + lane] = sum[i];
  __syncwarp ();
  if (exists && place.group == 0) {
    const Sharers to (a, place.x, place.y);
    const uint32_t word = stereo_winner_word (&a.winners,
        (unsigned) (a.first_index + index),
        index > 0 ? belief_at < F > (beliefs, lane, index - 1) : 0,
        belief_at < F > (beliefs, lane, index),
        index < a.count - 1 ? belief_at < F > (beliefs, lane, index + 1) : 0);

    for (int y = to.y0; y <= to.y1; y++) {
      for (int x = to.x0; x <= to.x1; x++)
        a.winners.left[(size_t) y * a.winners.left_stride + (size_t) x] = word;
    }
  }
  __syncwarp ();
}

/* Offers the beliefs of a place to a right row, as if they were those of column
 * x of the left one. */
template < class F > __device__ __forceinline__ void
offer (const Args & a, const uint32_t (&sum)[F::words], const Place & place,
    int x, uint32_t * right)
{
  const int first = F::values * place.group;
  const int xr = x - a.first_disparity - first;
  const unsigned width = (unsigned) a.level[0].width;
  const uint32_t index = (uint32_t) (a.first_index + first);

#pragma unroll
  for (int v = 0; v < F::values; v++) {
    const uint32_t w = sum[v % F::words];
    const uint32_t high = !F::packed ? w >> 7 << 16
        : v < F::words ? w << 16 : w & 0xffff0000u;

    if (v < place.valid && (unsigned) (xr - v) < width)
      atomicMin (right + row_place (xr - v), high + index
          + (uint32_t) v);
  }
}

__device__ __forceinline__ void
clear_right_rows (const Args & a)
{
  const int n = a.winners.right == NULL ? 0
      : a.rows_at_once * row_words (a.level[0].width);

  for (int i = (int) threadIdx.x; i < n; i += (int) blockDim.x)
    right_row (a, 0)[i] = STEREO_NO_WINNER;
  __syncthreads ();
}

/* Stores the winners of the right rows of a block, from the first one on, and
 * clears them.  again: there are some in memory. */
__device__ __forceinline__ void
store_right_rows (const Args & a, int first, bool again)
{
  const int frame = a.inner ? 1 : 0;
  const int rows = a.level[0].height - 2 * frame;
  const int width = a.winners.right != NULL ? a.level[0].width : 0;

  __syncthreads ();
#pragma unroll 1
  for (int i = 0; i < a.rows_at_once; i++) {
    const int y = frame + first + i * (int) gridDim.x;
    const Sharers to (a, 0, y);

    if (y >= frame + rows)
      break;
    for (int x = (int) threadIdx.x; x < width; x += (int) blockDim.x) {
      uint32_t *at = a.winners.right + (size_t) y * a.winners.right_stride + x;
      uint32_t *best = right_row (a, i) + row_place (x), word = *best;

      *best = STEREO_NO_WINNER;
      if (again)
        word = min (word, __ldcg (at));
      for (int yy = to.y0; yy <= to.y1; yy++)
        __stcg (a.winners.right + (size_t) yy * a.winners.right_stride + x,
            word);
    }
  }
  __syncthreads ();
}

/* -------------------------------------------------------------------- edges */

/* The record of a pixel with these differences to its neighbours below, above,
 * to the right and to the left. */
__device__ __forceinline__ void
store_record (int precision, const uint2 * table, const uint32_t (&g)[4],
    uint8_t * records, size_t pixel)
{
  uint2 t[4];

#pragma unroll
  for (int j = 0; j < 4; j++)
    t[j] = table[g[j]];
  if (precision == STEREO_BP_PRECISION_INT8) {
    ((uint2 *) records)[pixel] = make_uint2 (t[0].x | t[1].x << 8
        | t[2].x << 16 | t[3].x << 24, t[0].y | t[1].y << 8 | t[2].y << 16
        | t[3].y << 24);
  } else if (precision == STEREO_BP_PRECISION_HALF) {
    ((uint4 *) records)[pixel] = make_uint4 (t[0].x | t[1].x << 16,
        t[2].x | t[3].x << 16, t[0].y | t[1].y << 16, t[2].y | t[3].y << 16);
  } else {
    ((uint4 *) records)[2 * pixel] = make_uint4 (t[0].x, t[1].x, t[2].x,
        t[3].x);
    ((uint4 *) records)[2 * pixel + 1] = make_uint4 (t[0].y, t[1].y, t[2].y,
        t[3].y);
  }
}

template < class F > __device__ __forceinline__ Bounds < F >
load_bounds (const Args & a, const Level & level, int x, int y)
{
  const size_t pixel = (size_t) y * level.width + x;
  Bounds < F > b;

  if (level.edges == NULL) {
#pragma unroll
    for (int i = 0; i < b.words; i++)
      b.w[i] = a.bounds[i];
  } else if (F::bytes) {
    const uint2 record = __ldcg ((const uint2 *) level.edges + pixel);

    b.w[0] = record.x;
    b.w[1] = record.y;
  } else {
#pragma unroll
    for (int i = 0; i < b.words / 4; i++) {
      const uint4 part = __ldcg ((const uint4 *) level.edges
          + pixel * (b.words / 4) + i);

#pragma unroll
      for (int j = 0; j < 4; j++)
        b.w[4 * i + j] = word (part, j);
    }
  }
  return b;
}

__device__ __forceinline__ uint32_t
guide_at (const Level & level, int x, int y)
{
  return __ldcg (level.guide + (size_t) min (y, level.height - 1)
      * level.width + min (x, level.width - 1));
}

/* The records of level l, and the left view of the one above. */
template < class F > __device__ __forceinline__ void
edge_step (const Args & a, int l)
{
  const Level & level = a.level[l];
  const Level & next = a.level[l + 1 < a.n_levels ? l + 1 : l];
  const int thread = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = (int) (gridDim.x * blockDim.x);

#pragma unroll 1
  for (int i = thread; i < level.width * level.height; i += threads) {
    const int y = i / level.width, x = i - y * level.width;
    const uint32_t own = guide_at (level, x, y);
    const uint32_t g[4] = {
      stereo_difference_max (own, guide_at (level, x, y + 1)),
      stereo_difference_max (own, guide_at (level, x, max (y - 1, 0))),
      stereo_difference_max (own, guide_at (level, x + 1, y)),
      stereo_difference_max (own, guide_at (level, max (x - 1, 0), y))
    };

    store_record (F::precision, a.table, g, level.edges, (size_t) i);
  }
  if (l + 1 == a.n_levels)
    return;
#pragma unroll 1
  for (int i = thread; i < next.width * next.height; i += threads) {
    const int y = i / next.width, x = i - y * next.width;

    next.guide[i] = stereo_bp_mean (guide_at (level, 2 * x, 2 * y),
        guide_at (level, 2 * x + 1, 2 * y), guide_at (level, 2 * x,
            2 * y + 1), guide_at (level, 2 * x + 1, 2 * y + 1));
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

/* Iteration t of level l, and RESULTS, for a tile of row y.  In iteration 0
 * messages come from the level above; the one behind the last makes none.
 * place_of_row: among those that a block works on at a time. */
template < class F, int LANES, bool RESULTS >
__device__ __forceinline__ void
iterate_tile (const Args & a, int l, int t, int y, int column,
    int place_of_row)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES, read_group = min (group, a.groups - 1);
  const Level & level = a.level[l];
  const int frame = a.inner ? 1 : 0;
  const bool sends = a.inner && t < a.iterations;
  const bool coarsest = l == a.n_levels - 1;
  /* all pixels to be updated have one colour, and those they read the other */
  const int color = (t + 1) & 1;
  uint4 *const *own = level.messages + color;
  uint4 *const *other = level.messages + (1 - color);
  const unsigned pixel = (unsigned) a.message_parts;
  int right = (y + color) & 1;  /* all x of a row are even, or odd */
  int last_x = level.width - 1 - frame;
  int first_x = 2 * column * pixels + right + (frame > right ? 2 : 0);
  int x = first_x + 2 * (lane / LANES);

  if (first_x > last_x)
    return;
  last_x -= (last_x + right) & 1;

  /* lanes without a pixel do as the last one does */
  bool exists = x <= last_x;
  Place place = { min (x, last_x), y, group, a.count - F::values * group };
  uint4 parts[4][F::message_parts];
  uint32_t in[4][F::words], sum[F::words];
  unsigned offset = message_offset < F > (a, level, place.x, y, read_group);
  const Bounds < F > bounds = load_bounds < F > (a, level, place.x, y);

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

  if (RESULTS) {
    int index = winner < F, LANES > (sum, group);

    if (!a.gives_winners) {
      if (exists && group == 0)
        store_result (a, x, y, index);
    } else {
      store_winner < F, LANES > (a, sum, place, exists, index);
      if (exists && a.winners.right != NULL) {
        const Sharers to (a, x, y);

        for (int xx = to.x0; xx <= to.x1; xx++)
          offer < F > (a, sum, place, xx, right_row (a, place_of_row));
      }
    }
  }
  if (!sends)
    return;
  /* without the message that comes back from the addressee */
#pragma unroll
  for (int j = 0; j < 4; j++) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      in[j][i] = sum[i] - in[j][i];
  }
  make_messages < F, LANES > (a, bounds, in);
#pragma unroll
  for (int j = 0; j < 4; j++)
    pack < F > (in[j ^ 1], parts[j]);
  if (exists && group < a.groups) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      store_parts (a, own[2 * j] + offset, parts[j]);
  }
}

/* Says that this warp has done one more of what a word counts. */
__device__ __forceinline__ void
count_done (unsigned *word)
{
  __syncwarp ();
  if (threadIdx.x % 32 == 0)
    asm volatile ("red.release.gpu.global.add.u32 [%0], 1;"::"l" (word)
        :"memory");
}

/* Waits until what iteration t reads in row y is there: three rows of the one
 * before, and the frame. */
__device__ __forceinline__ void
wait_for_rows (const Level & level, int t, int y)
{
  const int lane = threadIdx.x % 32;
  const int row = lane < 3 ? min (max (y + lane - 1, 1), level.height - 2) : 0;
  const unsigned needed = row > 0 ? (unsigned) (t * level.inner.in_row)
      : gridDim.x * (blockDim.x / 32);
  unsigned n = needed;

  do {
    if (lane < 4)
      asm volatile ("ld.acquire.gpu.global.u32 %0, [%1];":"=r" (n)
          :"l" (level.done + row * done_pitch):"memory");
  } while (__any_sync (0xffffffffu, n < needed));
  __syncwarp ();
}

/* Iterations t0 to t0 + n - 1 of level l, without results.  Of several, a warp
 * goes on with the next one at once. */
template < class F, int LANES > __device__ __forceinline__ void
iteration_step (const Args & a, int l, int t0, int n, int warp)
{
  const Level & level = a.level[l];
  const int frame = a.inner ? 1 : 0, rows = level.height - 2 * frame;
  Walk at (level.inner, warp);
  int t = t0;

  if (at.row >= rows)
    return;
#pragma unroll 1
  while (true) {
    if (t > t0)
      wait_for_rows (level, t, frame + at.row);
    iterate_tile < F, LANES, false > (a, l, t, frame + at.row, at.column, 0);
    if (n > 1)
      count_done (level.done + (frame + at.row) * done_pitch);
    at.go_on (level.inner);
    if (at.row < rows)
      continue;
    at.row -= rows;
    if (++t == t0 + n)
      return;
  }
}

/* The same with results, for which t is one of the last two.  With winners to
 * give, a block takes some rows at a time. */
template < class F, int LANES > __device__ __forceinline__ void
result_step (const Args & a, int t, int warp)
{
  const Level & level = a.level[0];
  const int frame = a.inner ? 1 : 0, rows = level.height - 2 * frame;
  const int at_once = a.gives_winners ? a.rows_at_once : rows;
  const int first_warp = a.gives_winners ? (int) (threadIdx.x / 32) : warp;
  int first = a.gives_winners ? (int) blockIdx.x : 0;
  Walk at (level.inner, first_warp);

  if (a.gives_winners)
    clear_right_rows (a);
#pragma unroll 1
  while (true) {
    if (at.row >= at_once) {
      if (!a.gives_winners)
        return;
      store_right_rows (a, first, t == (a.inner ? a.iterations : 1));
      first += at_once * (int) gridDim.x;
      at = Walk (level.inner, first_warp);
    }
    if (first >= rows)
      return;

    const int row = a.gives_winners ? first + at.row * (int) gridDim.x
        : at.row;

    if (row < rows)
      iterate_tile < F, LANES, true > (a, 0, t, frame + row, at.column,
          at.row);
    if (!a.gives_winners) {
      at.go_on (level.inner);
      continue;
    }
    for (at.column += (int) (blockDim.x / 32);
        at.column >= level.inner.in_row; at.column -= level.inner.in_row)
      at.row++;
  }
}

/* No rows are done yet. */
__device__ __forceinline__ void
clear_done (const Args & a)
{
  const int thread = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = (int) (gridDim.x * blockDim.x);

#pragma unroll 1
  for (int l = 0; l < a.n_levels; l++) {
#pragma unroll 1
    for (int y = thread; y < a.level[l].height; y += threads)
      a.level[l].done[y * done_pitch] = 0;
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

  unsigned waits = 0;

#pragma unroll 1
  for (int step = a.first_step; step < a.end_step; step++) {
    if (step > a.first_step)
      wait_for_all (a.barrier, ++waits);
    if (step < start_of_iterations (a)) {
      if (step == 0)
        clear_done (a);
      data_step < F, LANES > (a, step + 1, warp);
      if (a.level[0].edges != NULL)
        edge_step < F > (a, step + 1);
    } else {
      int i = step - start_of_iterations (a);
      int l = max (a.n_levels - 1 - i / a.iterations, 0);
      int t = i - (a.n_levels - 1 - l) * a.iterations;
      int n = max (l > 0 ? a.iterations : a.iterations - 1, 1);

      if (t > 0 || !a.level[l].together || step + n > a.end_step)
        n = 1;
      if (t == 0 && a.inner) {
        copy_step < F, LANES > (a, l, warp,
            (int) (gridDim.x * blockDim.x / 32));
        if (n > 1)
          count_done (a.level[l].done);
      }
      if (l == 0 && (!a.inner || t >= a.iterations - 1))
        result_step < F, LANES > (a, t, warp);
      else
        iteration_step < F, LANES > (a, l, t, n, warp);
      step += n - 1;
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
  int channels;                 /* of source */
  int pitch;
  bool bytes;
  int n_taps;
  uint32_t taps[STEREO_BP_MAX_TAPS];
  unsigned *barrier;
};

/* Luma of a pixel of a view. */
__device__ __forceinline__ uint32_t
luma_at (const uint8_t * row, int channels, int x)
{
  uint32_t p;

  if (channels == 1)
    return row[x];
  p = ((const uint32_t *) row)[x];
  return stereo_luma ((uint8_t) p, (uint8_t) (p >> 8), (uint8_t) (p >> 16));
}

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
    (a.target[side] + at)[x] = x >= 0 && x <= last
        ? (uint8_t) luma_at (row, a.channels, x) : 0;
  } else if (x >= 0 && x <= last) {
    uint32_t sum = a.taps[0] * luma_at (row, a.channels, x) + 128;

    for (int i = 1; i < a.n_taps; i++)
      sum += a.taps[i] * (luma_at (row, a.channels, max (x - i, 0))
          + luma_at (row, a.channels, min (x + i, last)));
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

struct EdgeArgs
{
  StereoView left;
  int channels;
  int precision;
  int width;
  int height;
  uint8_t *records;             /* of level 0 */
  uint32_t *guide;              /* of level 1, NULL if there is none */
  uint2 *table;                 /* jump and M by difference */
  uint32_t jump[256];
  uint32_t largest[256];
  unsigned *barrier;
};

__device__ __forceinline__ uint32_t
left_at (const EdgeArgs & a, int x, int y)
{
  return stereo_view_pixel (&a.left, a.channels, min (max (x, 0), a.width - 1),
      min (max (y, 0), a.height - 1));
}

/* The records of level 0, four pixels in a thread, and the left view of
 * level 1. */
__global__ void __launch_bounds__ (128)
edges_kernel (const __grid_constant__ EdgeArgs a)
{
  __shared__ uint2 table[256];
  const int x2 = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y2 = (int) blockIdx.y, width2 = (a.width + 1) / 2;
  uint32_t own[4];

  for (int i = (int) threadIdx.x; i < 256; i += (int) blockDim.x) {
    table[i] = make_uint2 (a.jump[i], a.largest[i]);
    if (blockIdx.x == 0 && blockIdx.y == 0)
      a.table[i] = table[i];
  }
  if (x2 == 0 && y2 == 0)
    *a.barrier = 0;
  __syncthreads ();
  if (x2 >= width2)
    return;
#pragma unroll
  for (int i = 0; i < 4; i++)
    own[i] = left_at (a, 2 * x2 + i % 2, 2 * y2 + i / 2);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int x = 2 * x2 + i % 2, y = 2 * y2 + i / 2;
    const uint32_t g[4] = {
      stereo_difference_max (own[i], i < 2 ? own[i + 2]
          : left_at (a, x, y + 1)),
      stereo_difference_max (own[i], i < 2 ? left_at (a, x, y - 1)
          : own[i - 2]),
      stereo_difference_max (own[i], i % 2 == 0 ? own[i + 1]
          : left_at (a, x + 1, y)),
      stereo_difference_max (own[i], i % 2 == 0 ? left_at (a, x - 1, y)
          : own[i - 1])
    };

    if (x < a.width && y < a.height)
      store_record (a.precision, table, g, a.records,
          (size_t) y * a.width + x);
  }
  if (a.guide != NULL)
    a.guide[(size_t) y2 * width2 + x2] = stereo_bp_mean (own[0], own[1],
        own[2], own[3]);
}

__global__ void
nothing_kernel (const __grid_constant__ StereoWinners winners,
    const __grid_constant__ StereoMap map,
    const __grid_constant__ StereoOutput output, bool encode, int width)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);

  if (x >= width)
    return;
  if (winners.left != NULL)
    stereo_winner_store (&winners, x, (int) blockIdx.y, STEREO_INVALID, 0, 0,
        0);
  if (winners.left != NULL && winners.right != NULL)
    stereo_winner_store_right (&winners, x, (int) blockIdx.y,
        STEREO_NO_WINNER);
  if (winners.left == NULL)
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

/* The data cost of a difference of bytes, or of census words, as
 * (min (difference, limit) factor + bias) >> shift with 16 bits. */
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
  const uint32_t one = k->cost == STEREO_COST_CENSUS ? 1 : 256;
  const uint32_t limit = (k->difference_limit + one - 1) / one;
  uint32_t cost[256];

  for (uint32_t i = 0; i <= limit; i++)
    cost[i] = stereo_bp_data_cost (k, one * i);
  for (int shift = 15; shift >= 0; shift--) {
    uint32_t whole = 1u << shift;
    uint32_t nearest = limit > 0 ? (cost[limit] * whole + limit / 2) / limit
        : 0;

    for (uint32_t f = nearest > 8 ? nearest - 8 : 0; f <= nearest + 8; f++) {
      /* cost[i] whole <= i f + bias < (cost[i] + 1) whole for all i */
      int64_t lowest = 0, highest = (int64_t) 65535 - (int64_t) limit * f;

      for (uint32_t i = 0; i <= limit && lowest <= highest; i++) {
        int64_t need = (int64_t) cost[i] * whole - (int64_t) i * f;

        lowest = lowest > need ? lowest : need;
        highest = highest < need + whole - 1 ? highest : need + whole - 1;
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

  return k->cost == STEREO_COST_LUMA && k->n_taps == 1
      && k->precision != STEREO_BP_PRECISION_FLOAT
      && k->min_disparity + k->first_index >= 0 && find_byte_costs (k, &costs);
}

int
view_pitch (const StereoBpConstants * k)
{
  return (k->width + view_margin + view_slack + 31) / 32 * 32;
}

/* Bytes of the record of a pixel. */
size_t
record_bytes (const StereoBpConstants * k)
{
  return k->precision == STEREO_BP_PRECISION_INT8 ? 8
      : k->precision == STEREO_BP_PRECISION_HALF ? 16 : 32;
}

void
plan_edges (const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena)
{
  for (int l = 0; l < k->n_levels; l++) {
    size_t pixels = (size_t) k->level[l].width * (size_t) k->level[l].height;

    stereo_arena_add (arena, &work->edges[l], pixels, record_bytes (k));
    if (l > 0)
      stereo_arena_add (arena, &work->guides[l], pixels, sizeof (uint32_t));
  }
  stereo_arena_add (arena, &work->table, 256, sizeof (uint2));
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
  if (k->cost == STEREO_COST_LUMA) {
    stereo_arena_add (arena, &work->left, view, view_bytes);
    stereo_arena_add (arena, &work->right, view, view_bytes);
  }
  if (k->edges)
    plan_edges (k, work, arena);
  if (k->n_taps > 1) {
    stereo_arena_add (arena, &work->rows[0], view, view_bytes);
    stereo_arena_add (arena, &work->rows[1], view, view_bytes);
  }
  stereo_arena_add (arena, &work->barrier, 1, sizeof (unsigned));
  for (int l = 0; l < k->n_levels; l++)
    stereo_arena_add (arena, &work->done[l], (size_t) k->level[l].height
        * done_pitch, sizeof (unsigned));
  stereo_arena_add (arena, &work->messages[0], layout.size[0], 1);
  if (layout.size[1] > 0)
    stereo_arena_add (arena, &work->messages[1], layout.size[1], 1);
  return STEREO_OK;
}

/* ------------------------------------------------------------------ a frame */

/* Disparities that a jump still costs less than M, one by one. */
int
find_reach (const StereoBpConstants * k)
{
  int reach = 0;

  for (int g = 0; g < 256; g++) {
    int here = k->max_message[g] == 0 ? 0 : k->jump[g] == 0 ? max_count
        : (int) ((k->max_message[g] - 1) / k->jump[g]);

    reach = reach > here ? reach : here;
  }
  return reach;
}

/* A record of pixels whose neighbours are like them. */
void
find_bounds (const StereoBpConstants * k, uint32_t bounds[8])
{
  for (int i = 0; i < 2; i++) {
    const uint32_t one = i == 0 ? k->jump[0] : k->max_message[0];

    if (k->precision == STEREO_BP_PRECISION_INT8)
      bounds[i] = one * 0x01010101u;
    else if (k->precision == STEREO_BP_PRECISION_HALF)
      bounds[2 * i] = bounds[2 * i + 1] = one * 0x10001u;
    else
      for (int j = 0; j < 4; j++)
        bounds[4 * i + j] = one;
  }
}

/* Where data costs of level 0 come from. */
void
find_views (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work, Args * a)
{
  ByteCosts costs;

  a->cost = k->cost;
  a->bytes = has_byte_views (k);
  if (k->cost == STEREO_COST_LUMA) {
    a->view_pitch = view_pitch (k);
    a->left = (const uint8_t *) work->left + (a->bytes ? view_margin : 0);
    a->right = (const uint8_t *) work->right + (a->bytes ? view_margin : 0);
  } else if (k->cost == STEREO_COST_CENSUS) {
    a->view_pitch = (int) (frame->left_census.stride / sizeof (uint32_t));
    a->left = frame->left_census.plane[0];
    a->right = frame->right_census.plane[0];
    a->scaled = k->precision != STEREO_BP_PRECISION_FLOAT
        && find_byte_costs (k, &costs);
  } else {
    a->view_pitch = (int) (frame->left.stride / sizeof (uint32_t));
    a->left = frame->left.plane[0];
    a->right = frame->right.plane[0];
  }
  if (a->bytes || a->scaled) {
    (void) find_byte_costs (k, &costs);
    a->limit = costs.limit * 0x10001u;
    a->factor = costs.factor;
    a->bias = costs.bias * 0x10001u;
    a->mask = (0xffffu >> costs.shift) * 0x10001u;
    a->shift = costs.shift;
  }
  a->difference_limit = k->difference_limit;
  a->gain = k->gain;
}

void
find_args (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const Shape & s, const StereoBpWork * work, Args * a)
{
  const int reach = find_reach (k);
  int lanes;
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
    level->edges = (uint8_t *) work->edges[l];
    level->guide = (uint32_t *) work->guides[l];
    level->done = (unsigned *) work->done[l];
  }
  a->n_levels = k->n_levels;
  a->iterations = k->iterations;
  a->inner = stereo_bp_has_inner (k);
  a->count = k->end_index - k->first_index;
  a->groups = s.groups;
  a->message_parts = s.message_parts;
  a->first_index = k->first_index;
  a->first_disparity = k->min_disparity + k->first_index;
  find_views (frame, k, work, a);
  a->max_data = k->max_data;
  find_bounds (k, a->bounds);
  a->table = (const uint2 *) work->table;
  /* as many as have their nearest value within reach */
  lanes = reach < 1 ? 0 : (reach - 1) / s.values + 1;
  lanes = lanes < s.lanes - 1 ? lanes : s.lanes - 1;
  while (1 << a->rounds < lanes)
    a->rounds++;
  a->barrier = (unsigned *) work->barrier;
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

/* Whether the iterations of a level are one step: warps that have many tiles
 * lose less by waiting for each other once than by counting them. */
bool
is_together (const Args & a, const Level & level, int n_warps)
{
  /* the first data costs clear what is counted */
  return a.inner && a.n_levels > 1
      && level.inner.in_row * (level.height - 2) <= tiles_together * n_warps;
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

/* Rows of level 0 that a block works on at a time, where it gives winners: all
 * of its own, if they are few and short. */
int
find_rows_at_once (const Args & a, int blocks)
{
  const int own = (a.level[0].height + blocks - 1) / blocks;

  return own <= 4 && own * row_words (a.level[0].width) <= 4096 ? own : 1;
}

/* Shared memory of a block with so many warps: a row of right winners, and the
 * beliefs of a tile. */
size_t
shared_bytes (const Shape & s, const Args & a, size_t warps)
{
  if (!a.gives_winners)
    return 0;
  return ((size_t) a.rows_at_once * (size_t) row_words (a.level[0].width)
      + warps * 32 * (size_t) s.words) * sizeof (uint32_t);
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
    if (a.inner && level->inner.rows_on >= level->height - 2) {
      level->inner.rows_on = level->height - 2;
      level->inner.on = 0;
    }
    level->together = is_together (a, *level, (int) (blocks * warps));
  }
  a.end_step = end;
  a.rows_at_once = find_rows_at_once (a, (int) blocks);

  dim3 grid ((unsigned) blocks), block (32 * (unsigned) warps);
  const size_t shared = shared_bytes (s, a, warps);

  if (shared > 48 * 1024)
    (void) cudaFuncSetAttribute ((const void *) s.kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared);
  if (end == a.first_step + 1) {
    s.kernel <<< grid, block, shared, q->compute >>> (a);
    return true;
  }
  if (stereo_cuda_cooperative (queue->device)
      && cudaOccupancyMaxActiveBlocksPerMultiprocessor (&resident, s.kernel,
          (int) block.x, shared) == cudaSuccess && resident > 0
      && cudaLaunchCooperativeKernel ((const void *) s.kernel, grid, block,
          arguments, shared, q->compute) == cudaSuccess)
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
prepare_luma (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const Args & args, const StereoBpWork * work)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) frame->queue;
  PrepareArgs a;

  memset ((void *) &a, 0, sizeof (a));
  a.width = k->width;
  a.height = k->height;
  a.source[0] = frame->left.plane[0];
  a.source[1] = frame->right.plane[0];
  a.stride[0] = frame->left.stride;
  a.stride[1] = frame->right.stride;
  a.channels = k->channels;
  a.target[0] = (uint8_t *) args.left;
  a.target[1] = (uint8_t *) args.right;
  a.rows[0] = (uint16_t *) work->rows[0];
  a.rows[1] = (uint16_t *) work->rows[1];
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

void
prepare_edges (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const Args & args, const StereoBpWork * work)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) frame->queue;
  EdgeArgs a;

  memset ((void *) &a, 0, sizeof (a));
  a.left = frame->left;
  a.channels = k->channels;
  a.precision = k->precision;
  a.width = k->width;
  a.height = k->height;
  a.records = (uint8_t *) work->edges[0];
  a.guide = (uint32_t *) work->guides[1];
  a.table = (uint2 *) work->table;
  memcpy (a.jump, k->jump, sizeof (a.jump));
  memcpy (a.largest, k->max_message, sizeof (a.largest));
  a.barrier = args.barrier;

  dim3 grid ((unsigned) (k->width / 2 + 128) / 128,
      (unsigned) (k->height + 1) / 2);

  edges_kernel <<< grid, 128, 0, q->compute >>> (a);
}

/* The views of a frame, in which one kernel at least sets the barrier. */
void
prepare (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const Args & args, const StereoBpWork * work)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) frame->queue;

  if (k->cost == STEREO_COST_LUMA)
    prepare_luma (frame, k, args, work);
  if (k->edges)
    prepare_edges (frame, k, args, work);
  if (k->cost != STEREO_COST_LUMA && !k->edges)
    (void) cudaMemsetAsync (args.barrier, 0, sizeof (unsigned), q->compute);
}

StereoStatus
match (const StereoMatchFrame * frame, const StereoBpConstants * k,
    const StereoBpWork * work)
{
  StereoCudaStage stage (frame->queue);
  Args a;

  if (!stage.entered ())
    return stage.status ();
  memset ((void *) &a, 0, sizeof (a));
  if (k->first_index < k->end_index)
    find_args (frame, k, find_shape (k), work, &a);
  a.gives_winners = frame->winners != NULL;
  if (frame->winners != NULL)
    a.winners = *frame->winners;
  a.map = frame->map;
  a.encode = frame->output != NULL;
  if (frame->output != NULL)
    a.output = *frame->output;
  if (k->first_index == k->end_index) {
    dim3 grid ((unsigned) (k->width + 127) / 128, (unsigned) k->height);

    nothing_kernel <<< grid, 128, 0, stage.stream () >>> (a.winners, a.map,
        a.output, a.encode, k->width);
    return STEREO_CUDA_LAUNCHED (stage, "bp's nothing_kernel");
  }
  prepare (frame, k, a, work);
  launch_steps (frame->queue, find_shape (k), a);
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
