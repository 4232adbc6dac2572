/* gst-stereomatching: common part of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A thread processes 16 disparities of a pixel, the bytes of a uint4.  Sums
 * are computed for two of them at once, in the halves of a word: four bytes v0
 * v1 v2 v3 are split into `even` = v0, v2 and `odd` = v1, v3.  Sums fit 16
 * bits.
 *
 * One kernel does a whole pass, along rows and along columns.  Pixels s apart
 * in a column form a chain.  A thread follows a piece of a chain, computes the
 * sums along rows pixel by pixel and adds each to the sums along the column of
 * three pixels, so that a pass reads and writes each cost once.
 */

#ifndef STEREO_EXPSTEP_CUH
#define STEREO_EXPSTEP_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "cost/cost.cuh"
#include "match/expstep/expstep-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "core/queue-cuda.h"

#include <string.h>

namespace
{

const int expstep_threads = 128;

struct ExpstepArgs
{
  StereoExpstepConstants k;
  int step;
  /* Views: luma, and 0xXXBBGGRR with three channels. */
  const uint8_t *left_luma;
  const uint8_t *right_luma;
  const uint32_t *left_color;
  const uint32_t *right_color;
  const uint32_t *left_words;
  const uint32_t *right_words;
  size_t words_stride;          /* elements */
  const uint32_t *weights;      /* of this pass, see prepare_kernel () */
  size_t pitch;                 /* elements, of all planes and volumes */
  const uint4 *source;
  uint4 *target;
  uint32_t *best;
  /* With winners: the sums of the neighbours of the winner, the previous one
   * in the low half, and the sum of the previous disparity; seconds: as in
   * StereoExpstepWork. */
  uint32_t *neighbors;
  uint16_t *last_sum;
  uint32_t *seconds;
  StereoWinners winners;
  int first;                    /* the chunk */
  int count;
  int groups;                   /* of 16 disparities in it */
  int first_group;              /* of a launch */
  int piece;                    /* of a chain: pixels */
  /* With messages */
  uint32_t jumps[8];            /* 1 to 8 of them, in both halves of a word */
  int truncation;
  bool far;                     /* messages span more than 8 disparities */
  bool refine;
};

/* The index of a pixel in a plane. */
__device__ __forceinline__ uint32_t
pixel_at (const ExpstepArgs & a, int x, int y)
{
  return (uint32_t) stereo_plane_offset (x, y, a.pitch);
}

struct Weights
{
  uint32_t before, own, after;
};

__device__ __forceinline__ Weights
row_weights (uint32_t w)
{
  Weights result = { w & 255, 0, w >> 8 & 255 };

  result.own = 256 - result.before - result.after;
  return result;
}

__device__ __forceinline__ Weights
column_weights (uint32_t w)
{
  Weights result = { w >> 16 & 255, 0, w >> 24 };

  result.own = 256 - result.before - result.after;
  return result;
}

__device__ __forceinline__ uint32_t
even (uint32_t w)
{
  return w & 0x00ff00ffu;
}

__device__ __forceinline__ uint32_t
odd (uint32_t w)
{
  return __byte_perm (w, 0, 0x4341);
}

/* Two sums plus `start` in both halves, without shift. */
__device__ __forceinline__ uint32_t
weighted (const Weights & w, uint32_t c, uint32_t before, uint32_t after,
    uint32_t start)
{
  return w.own * c + w.before * before + w.after * after + start;
}

__device__ __forceinline__ void
sums (const Weights & w, uint32_t c, uint32_t before, uint32_t after,
    uint32_t start, uint32_t * even_sum, uint32_t * odd_sum)
{
  *odd_sum = weighted (w, odd (c), odd (before), odd (after), start);
  /* a word is even + 256 odd, and so is its sum, modulo 2^32 */
  *even_sum = weighted (w, c, before, after, 257 * start) - 256 * *odd_sum;
}

/* 16 values in halves of words. */
struct Values
{
  uint32_t even[4];
  uint32_t odd[4];
};

/* The values of two sums that began at 128. */
__device__ __forceinline__ uint32_t
high_bytes (uint32_t sum)
{
  return __byte_perm (sum, 0, 0x4341);
}

/* The values of four sums that began at 128, in bytes. */
__device__ __forceinline__ uint32_t
rounded (uint32_t even_sum, uint32_t odd_sum)
{
  return __byte_perm (even_sum, odd_sum, 0x7351);
}

__device__ __forceinline__ uint4
rounded (const Values & v)
{
  uint4 result;

#pragma unroll
  for (int i = 0; i < 4; i++)
    word (result, i) = rounded (v.even[i], v.odd[i]);
  return result;
}

/* A pixel with its neighbours along the row. */
struct Taps
{
  uint4 before, own, after;
  uint32_t weights;
};

/* Where a thread loads the taps of its chain, pixel by pixel.  A neighbour
 * outside the image is the pixel itself. */
struct Source
{
  const uint4 *volume;          /* of the group */
  int groups;                   /* of a pixel, adjacent in the volume */
  uint32_t pixel;
  int before, after;            /* elements from there */
};

__device__ __forceinline__ Source
make_source (const ExpstepArgs & a, const uint4 * volume, int groups, int x,
    int y)
{
  return Source { volume, groups, pixel_at (a, x, y),
      x >= a.step ? -a.step * groups : 0,
      x + a.step < a.k.width ? a.step * groups : 0 };
}

__device__ __forceinline__ void
load_taps (const ExpstepArgs & a, const Source & s, Taps * taps)
{
  const uint4 *own = s.volume + (size_t) s.pixel * (uint32_t) s.groups;

  taps->own = own[0];
  taps->before = own[s.before];
  taps->after = own[s.after];
  taps->weights = a.weights[s.pixel];
}

__device__ __forceinline__ void
load_next_taps (const ExpstepArgs & a, Source * s, Taps * taps)
{
  s->pixel += (uint32_t) a.step * (uint32_t) a.pitch;
  load_taps (a, *s, taps);
}

/* Sums along the row. */
__device__ __forceinline__ void
row_sums (const Taps & t, Values * result)
{
  Weights w = row_weights (t.weights);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t e, o;

    sums (w, word (t.own, i), word (t.before, i), word (t.after, i),
        0x00800080u, &e, &o);
    result->even[i] = high_bytes (e);
    result->odd[i] = high_bytes (o);
  }
}

/* The pass along a column, row by row. */
struct ColumnPass
{
  Values row;                   /* sums of the last row, */
  Values column;                /* and the part of its column sums with the row
                                 * above */
  uint32_t after;               /* weight of the row below */
};

/* The column sums of the last row.  below: sums of the row below, or any if
 * there is none */
__device__ __forceinline__ Values
finish_row (const ColumnPass & p, const Values & below)
{
  Values v;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    v.even[i] = p.column.even[i] + p.after * below.even[i];
    v.odd[i] = p.column.odd[i] + p.after * below.odd[i];
  }
  return v;
}

/* Begins the column sums of a row, from `start` on, without shift. */
__device__ __forceinline__ void
begin_row (ColumnPass * p, const Values & row, uint32_t weights,
    uint32_t start)
{
  const Weights w = column_weights (weights);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    p->column.even[i] = w.own * row.even[i] + w.before * p->row.even[i]
        + start;
    p->column.odd[i] = w.own * row.odd[i] + w.before * p->row.odd[i] + start;
  }
  p->row = row;
  p->after = w.after;
}

/* The piece of a chain of a thread. */
struct Piece
{
  int y;                        /* of its first pixel */
  int n;
  bool has_before;              /* a pixel of the chain before the first */
};

/* False if there is none. */
__device__ __forceinline__ bool
find_piece (const ExpstepArgs & a, int place, Piece * p)
{
  const int s = min (a.step, a.k.height);
  const int chain = place % s, begin = place / s * a.piece;
  const int length = (a.k.height - chain + s - 1) / s;

  p->y = chain + begin * s;
  p->n = min (a.piece, length - begin);
  p->has_before = begin > 0;
  return p->n > 0;
}

/* Costs of four differences in halves of words. */
__device__ __forceinline__ uint32_t
scaled (const StereoExpstepConstants & k, uint32_t even, uint32_t odd)
{
  uint32_t limit = splat_u16 (k.limit);
  uint32_t e = __vminu2 (even, limit) * (uint32_t) k.gain + 0x00800080u;
  uint32_t o = __vminu2 (odd, limit) * (uint32_t) k.gain + 0x00800080u;

  if (k.excess != 0) {
    uint32_t excess = splat_u16 (k.excess);

    e += __vcmpgtu2 (even, limit) & excess;
    o += __vcmpgtu2 (odd, limit) & excess;
  }
  return rounded (e, o);
}

__device__ __forceinline__ uint4
load_16 (const uint8_t * row, int at)
{
  const uint32_t *words = (const uint32_t *) row + (at >> 2);
  const int shift = 8 * (at & 3);
  uint32_t w[5];
  uint4 result;

#pragma unroll
  for (int i = 0; i < 5; i++)
    w[i] = i < 4 || shift != 0 ? words[i] : 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    word (result, i) = __funnelshift_r (w[i], w[i + 1], shift);
  return result;
}

/* 16 costs of a pixel from luma or RGB; undefined after the end of the
 * chunk. */
__device__ __forceinline__ uint4
difference_costs (const ExpstepArgs & a, int x, int y, int group)
{
  const StereoExpstepConstants & k = a.k;
  const size_t row = (size_t) y * a.pitch;
  const int d0 = k.min_disparity + a.first + 16 * group;
  uint4 result;

  if (k.cost_channels == 1 && (x - d0 >= 15 ? x - d0 < k.width
          : x < d0 && d0 + 15 < k.width)) {
    /* Either all have a partner and need 16 bytes of the right view in reverse
     * order, or none has one and they repeat the costs of columns d0, d0 + 1,
     * ..., whose partner is the first column. */
    const bool partners = x - d0 >= 15;
    const uint32_t one = partners ? a.left_luma[row + x] : a.right_luma[row];
    const uint4 sixteen = partners ? load_16 (a.right_luma + row, x - d0 - 15)
        : load_16 (a.left_luma + row, d0);

#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t four = partners ? __byte_perm (word (sixteen, 3 - i), 0, 0x0123)
          : word (sixteen, i);
      uint32_t difference = __vabsdiffu4 (one * 0x01010101u, four);

      word (result, i) = scaled (k, even (difference), odd (difference));
    }
    return result;
  }

#pragma unroll
  for (int w = 0; w < 4; w++) {
    uint32_t difference[4];

#pragma unroll
    for (int j = 0; j < 4; j++) {
      int i = min (16 * group + 4 * w + j, a.count - 1);
      int d = k.min_disparity + a.first + i;
      int xl = stereo_partner_column (k.width, x, d);

      if (k.cost_channels == 1)
        difference[j] = __usad (a.left_luma[row + xl],
            a.right_luma[row + xl - d], 0);
      else
        difference[j] = __vsadu4 (a.left_color[row + xl],
            a.right_color[row + xl - d]);
    }
    word (result, w) = scaled (k, difference[0] | difference[2] << 16,
        difference[1] | difference[3] << 16);
  }
  return result;
}

/* The same from words. */
__device__ __forceinline__ uint4
words_costs (const ExpstepArgs & a, int x, int y, int group)
{
  const StereoExpstepConstants & k = a.k;
  const uint32_t *left = a.left_words + (size_t) y * a.words_stride;
  const uint32_t *right = a.right_words + (size_t) y * a.words_stride;
  const int d0 = k.min_disparity + a.first + 16 * group;
  uint32_t r[4];
  uint4 result;

  if (x - d0 >= 15 && x - d0 < k.width) {
    right += x - d0;
#pragma unroll
    for (int w = 0; w < 4; w++) {
#pragma unroll
      for (int j = 0; j < 4; j++)
        r[j] = right[-4 * w - j];
      word (result, w) = words_cost_bytes (left[x], r);
    }
  } else {
#pragma unroll
    for (int w = 0; w < 4; w++) {
      uint32_t l[4];

#pragma unroll
      for (int j = 0; j < 4; j++) {
        const int d = d0 + min (4 * w + j, a.count - 1 - 16 * group);
        const int xl = stereo_partner_column (k.width, x, d);

        l[j] = left[xl];
        r[j] = right[xl - d];
      }
      word (result, w) = words_cost_bytes (l, r);
    }
  }
  if (k.limit < STEREO_WORDS_MAX_COST) {
#pragma unroll
    for (int w = 0; w < 4; w++)
      word (result, w) = __vminu4 (word (result, w),
          (uint32_t) k.limit * 0x01010101u);
  }
  return result;
}

__device__ __forceinline__ uint4
expstep_costs (const ExpstepArgs & a, int x, int y, int group)
{
  return a.k.uses_words ? words_costs (a, x, y, group)
      : difference_costs (a, x, y, group);
}

/* The minimum of 16 sums with its number, sum << 16 | number. */
__device__ __forceinline__ uint32_t
expstep_winner (const uint32_t even_sums[4], const uint32_t odd_sums[4],
    int valid)
{
  uint32_t best = 0xffffffffu;

#pragma unroll
  for (int w = 0; w < 4; w++) {
    uint32_t four[4] = {
      even_sums[w] << 16, odd_sums[w] << 16,
      even_sums[w] & 0xffff0000u, odd_sums[w] & 0xffff0000u
    };

#pragma unroll
    for (int j = 0; j < 4; j++) {
      if (4 * w + j < valid)
        best = min (best, four[j] | (uint32_t) (4 * w + j));
    }
  }
  return best;
}

dim3
rows_grid (int width, int height, int groups)
{
  return dim3 ((unsigned) (width + expstep_threads - 1) / expstep_threads,
      (unsigned) height, (unsigned) groups);
}

/* Declares the memory that both need, except volumes; returns the elements of
 * a plane. */
size_t
expstep_plan_planes (const StereoExpstepConstants * k, int n_passes,
    StereoExpstepWork * work, StereoArena * arena)
{
  size_t plane;

  work->pitch = ((size_t) k->width + 31) / 32 * 32;
  plane = work->pitch * (size_t) k->height;
  if (!k->uses_words) {
    const int of = k->cost_channels == 3 ? 1 : 0;

    stereo_arena_add (arena, (void **) &work->left[of], plane,
        k->cost_channels == 3 ? 4 : 1);
    stereo_arena_add (arena, (void **) &work->right[of], plane,
        k->cost_channels == 3 ? 4 : 1);
  }
  stereo_arena_add (arena, (void **) &work->weights,
      plane * (size_t) n_passes, sizeof (uint32_t));
  stereo_arena_add (arena, &work->best, plane, sizeof (uint32_t));
  return plane;
}

/* Arguments of the first costs, in volume 0. */
void
expstep_args (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk,
    ExpstepArgs * a)
{
  memset ((void *) a, 0, sizeof (*a));
  a->k = *k;
  a->left_luma = work->left[0];
  a->right_luma = work->right[0];
  a->left_color = (const uint32_t *) work->left[1];
  a->right_color = (const uint32_t *) work->right[1];
  a->left_words = (const uint32_t *) work->words[0].plane[0];
  a->right_words = (const uint32_t *) work->words[1].plane[0];
  a->words_stride = work->words[0].stride / sizeof (uint32_t);
  a->pitch = work->pitch;
  a->target = (uint4 *) work->volume[0];
  a->best = (uint32_t *) work->best;
  a->neighbors = work->neighbors;
  a->last_sum = work->last_sum;
  a->seconds = work->seconds;
  if (work->winners != NULL)
    a->winners = *work->winners;
  a->first = chunk->first;
  a->count = chunk->count;
  a->groups = (chunk->count + 15) / 16;
}

/* The same for pass `index`, which reads one volume and writes the other. */
void
expstep_pass_args (const StereoExpstepConstants * k, int step, int index,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk,
    ExpstepArgs * a)
{
  expstep_args (k, work, chunk, a);
  a->source = (const uint4 *) work->volume[index % 2];
  a->target = (uint4 *) work->volume[1 - index % 2];
  a->step = step;
  a->weights = (const uint32_t *) work->weights
      + (size_t) index * (size_t) a->k.height * work->pitch;
}

/* Pixels of a pass, of 16 disparities each. */
size_t
expstep_pixels (const ExpstepArgs & a)
{
  return (size_t) a.k.width * (size_t) a.k.height * (size_t) a.groups;
}

/* Divides chains into pieces of about `piece` pixels and returns their number.
 * Long pieces repeat fewer sums along rows, short ones occupy more threads. */
int
expstep_cut_chains (int piece, ExpstepArgs * a)
{
  int s = a->step < a->k.height ? a->step : a->k.height;
  int length = (a->k.height + s - 1) / s;
  int pieces;

  pieces = (length + piece - 1) / piece;
  a->piece = (length + pieces - 1) / pieces;
  return s * pieces;
}

}                               // namespace

/* expstep-prepare.cu: stages of both algorithms. */
StereoStatus stereo_expstep_prepare_cuda (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, const StereoExpstepWork * work);
StereoStatus stereo_expstep_finish_cuda (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work);

#endif /* STEREO_EXPSTEP_CUH */
