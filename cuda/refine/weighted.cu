/* gst-stereomatching: weighted medians, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block keeps a tile in shared memory: colours, and the codes of two rows in
 * the halves of words.  Windows are in registers, codes in the same halves and
 * weights in bytes.  For the 7x7 window of all pixels, a thread filters two
 * pixels; for the 15x15 window of a few, eight lanes share a pixel.
 *
 * The median is bracketed between the lowest and the highest code of the
 * window.  The search starts at the code of the pixel, which is usually near,
 * and its steps grow.  Each costs two instructions per two codes
 * (weight_up_to ()).
 */

#include "refine/refine.cuh"

#include "cost/difference.h"
#include "refine/output.h"

namespace
{

/* Pixels of the tile of a block, in both kernels. */
const int tile_width = 32;
const int tile_height = 16;
const int threads = 256;

struct WeightArgs
{
  StereoRefineConstants k;
  StereoView left;
  StereoMap map;                /* source */
  const uint8_t *rows;          /* see filled_row () */
  /* 2^8, 2^16 and 2^24, hidden from the compiler, which would use shifts: the
   * shift units are the bottleneck. */
  uint32_t place[3];
};

/* ------------------------------------------------------------------ weights */

/* The colour of a pixel.  `outside` differs so much from all colours that
 * pixels outside the image have no weight. */
template < int CHANNELS > struct Color
{
  typedef uint32_t Type;        /* 0x00BBGGRR */

  static constexpr uint32_t outside = 0xff000000u;

  static __device__ __forceinline__ uint32_t
  from (const StereoRefineConstants &, uint32_t pixel)
  {
    return pixel & 0xffffff;
  }

  /* log2 of the weight of a difference, negated. */
  static __device__ __forceinline__ float
  halvings (const StereoRefineConstants & k, uint32_t p, uint32_t q)
  {
    const uint32_t d = __vabsdiffu4 (p, q);
    const uint32_t most = max (d & 255, max (d >> 8 & 255, d >> 16));

    /* conversion to float through the mantissa */
    return (__uint_as_float (most | 0x4b000000u) - 8388608.0f) * k.halvings;
  }
};

template <> struct Color < 1 >
{
  typedef float Type;           /* luma, in halvings */

  static constexpr float outside = 1e9f;

  static __device__ __forceinline__ float
  from (const StereoRefineConstants & k, uint32_t pixel)
  {
    return (float) pixel * k.halvings;
  }

  static __device__ __forceinline__ float
  halvings (const StereoRefineConstants &, float p, float q)
  {
    return fabsf (p - q);
  }
};

/* A weight, 0 to 255, plus 0x4b000000 and the integer `more`.
 *
 * The rounding is exact: for all D from 0 to 255, 255 exp (-D / 10) is at least
 * 0.004 away from a rounding boundary, and the error here is below 0.001. */
__device__ __forceinline__ uint32_t
color_weight (float halvings, float more)
{
  float part;

  asm ("ex2.approx.ftz.f32 %0, %1;":"=f" (part):"f" (-halvings));
  return __float_as_uint (__fmaf_rn (255.0f, part, 8388608.0f + more));
}

const uint32_t no_weight = 0x4b000000u;

/* Packs four weights into bytes.  The last one includes 0xb5, which cancels the
 * 0x4b of the first one. */
const float last_more = 0xb5;

__device__ __forceinline__ uint32_t
pack_weights (const WeightArgs & a, const uint32_t (&weight)[4])
{
  return weight[0] + weight[1] * a.place[0] + weight[2] * a.place[1]
      + weight[3] * a.place[2];
}

/* ------------------------------------------------------------------ medians */

/* The codes of a window, inverted, two rows in the halves of each word; and the
 * weights of four codes in each word. */
template < int WORDS > struct Codes
{
  uint32_t word[WORDS];
};

template < int WORDS > struct Weights
{
  uint32_t word[WORDS / 2];
};

/* Sum over the lanes that share a window. */
template < int LANES > __device__ __forceinline__ unsigned
sum_of_lanes (unsigned sum)
{
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync (0xffffffff, sum, step);
  return sum;
}

/* Lanes that share a window must not diverge. */
template < int LANES > __device__ __forceinline__ bool
wanted_by_any (bool wanted)
{
  return LANES == 1 ? wanted : __any_sync (0xffffffff, wanted);
}

/* Adds the weights of the two codes whose half of `chosen` is 1 to sum. */
template < int WORDS > __device__ __forceinline__ unsigned
add_chosen (const Weights < WORDS > & w, int i, uint32_t chosen, unsigned sum)
{
  return i % 2 == 0 ? __dp2a_lo (chosen, w.word[i / 2], sum)
      : __dp2a_hi (chosen, w.word[i / 2], sum);
}

template < int WORDS, int LANES > __device__ __forceinline__ unsigned
whole_weight (const Weights < WORDS > & w)
{
  unsigned sum = 0;

#pragma unroll
  for (int i = 0; i < WORDS / 2; i++)
    sum = __dp4a (w.word[i], 0x01010101u, sum);
  return sum_of_lanes < LANES > (sum);
}

/* The weight of all codes up to middle; codes are below 2^15 - 2. */
template < int WORDS, int LANES > __device__ __forceinline__ unsigned
weight_up_to (const Codes < WORDS > & c, const Weights < WORDS > & w,
    unsigned middle)
{
  /* -1 - code + middle + 2 >= 1 for these codes */
  const uint32_t limit = (middle + 2) * 0x10001u;
  unsigned sum[2] = { 0, 0 };

#pragma unroll
  for (int i = 0; i < WORDS; i++)
    sum[i % 2] = add_chosen (w, i, __viaddmin_s16x2_relu (c.word[i], limit,
            0x10001u), sum[i % 2]);
  return sum_of_lanes < LANES > (sum[0] + sum[1]);
}

/* The range of a window's codes. */
struct Range
{
  unsigned low, high;
};

template < int WORDS, int LANES > __device__ __forceinline__ Range
range_of (const Codes < WORDS > & c)
{
  uint32_t least = c.word[0], most = c.word[0];

#pragma unroll
  for (int i = 1; i < WORDS; i++) {
    least = __vminu2 (least, c.word[i]);
    most = __vmaxu2 (most, c.word[i]);
  }
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2) {
    least = __vminu2 (least, __shfl_xor_sync (0xffffffff, least, step));
    most = __vmaxu2 (most, __shfl_xor_sync (0xffffffff, most, step));
  }
  return Range { 0xffff - max (most & 0xffff, most >> 16),
    0xffff - min (least & 0xffff, least >> 16)
  };
}

/* Supports codes from 2^15 - 2 on: halves the range until it is smaller, makes
 * codes relative to its lowest one, and returns that one. */
template < int WORDS, int LANES > __device__ __forceinline__ unsigned
narrow (Codes < WORDS > & c, const Weights < WORDS > & w, unsigned whole,
    Range & r)
{
  while (wanted_by_any < LANES > (r.high - r.low > 0x7ffd)) {
    const unsigned middle = (r.low + r.high) / 2;
    unsigned above = 0;

#pragma unroll
    for (int i = 0; i < WORDS; i++)
      above = add_chosen (w, i, __vsetltu2 (c.word[i], (0xffff - middle)
              * 0x10001u), above);
    above = sum_of_lanes < LANES > (above);
    if (2 * (whole - above) >= whole)
      r.high = middle;
    else
      r.low = middle + 1;
  }
#pragma unroll
  for (int i = 0; i < WORDS; i++)
    c.word[i] = __vmaxu2 (__vminu2 (c.word[i], (0xffff - r.low) * 0x10001u),
        (0xffff - r.high) * 0x10001u) + r.low * 0x10001u;
  return r.low;
}

/* The weighted median.  own: the code of the pixel */
template < int WORDS, int LANES > __device__ __forceinline__ unsigned
weighted_median (Codes < WORDS > c, const Weights < WORDS > & w, Range r,
    unsigned own)
{
  const unsigned whole = whole_weight < WORDS, LANES > (w);
  unsigned base = 0;

  if (wanted_by_any < LANES > (r.high > 0x7ffd))
    base = narrow < WORDS, LANES > (c, w, whole, r);

  int low = (int) (r.low - base), high = (int) (r.high - base);
  int middle = min (max ((int) (own - base), low), high), step = 0;
  const int far = 1 << 20;
  bool before = false;

  while (wanted_by_any < LANES > (low < high)) {
    const bool reached = 2 * weight_up_to < WORDS, LANES > (c, w,
        (unsigned) middle) >= whole;

    low = reached ? low : middle + 1;
    high = reached ? middle : high;
    /* 3, 12, ... as long as the direction stays the same, then bisection */
    step = step == 0 || reached == before ? min (4 * step + 3, far) : far;
    before = reached;
    middle = reached ? max ((low + high) / 2, high + 2 - step)
        : min ((low + high) / 2, low - 3 + step);
  }
  return (unsigned) low + base;
}

/* -------------------------------------------------------------------- tiles */

/* Columns of a tile and its border, and pairs of rows. */
template < int CHANNELS, int WIDTH, int PAIRS > struct Tile
{
  typedef typename Color < CHANNELS >::Type Pixel;

  Pixel color[2 * PAIRS][WIDTH];
  uint32_t codes[PAIRS][WIDTH]; /* inverted */

  /* Loads from (x0, y0) on; codes outside the image repeat its border. */
  __device__ void load (const WeightArgs & a, int x0, int y0)
  {
    for (int i = (int) threadIdx.x; i < PAIRS * WIDTH; i += threads) {
      const int x = x0 + i % WIDTH, u = stereo_clamp_int (x, 0,
          a.k.width - 1);
      uint32_t code[2];

#pragma unroll
      for (int j = 0; j < 2; j++) {
        const int y = y0 + i / WIDTH * 2 + j;
        const int v = stereo_clamp_int (y, 0, a.k.height - 1);

        code[j] = map_row (a.map, filled_row (a.rows, a.k.height, v))[u];
        color[i / WIDTH * 2 + j][i % WIDTH] = u == x && v == y
            ? Color < CHANNELS >::from (a.k, stereo_view_pixel (&a.left,
                CHANNELS, u, v)) : Color < CHANNELS >::outside;
      }
      codes[0][i] = ~(code[0] | code[1] << 16);
    }
  }
};

/* ---------------------------------------------------- 15x15, filled pixels */

const int filled_radius = STEREO_REFINE_FILLED_RADIUS;
const int filled_lanes = 8;
const int filled_pairs = filled_radius + 1;     /* of rows of a window */
const int filled_words = 2 * filled_pairs;      /* of two columns, in a lane */

/* One more row above and one more column at the right make whole pairs. */
template < int CHANNELS > struct FilledTile : Tile < CHANNELS, tile_width
    + 2 * filled_radius + 2, tile_height / 2 + filled_pairs >
{
};

/* The median of a pixel of the tile.  Each of eight lanes has two columns of
 * the window.  Its pairs of rows include a surplus row, the first or the last
 * one, which has no weight. */
template < int CHANNELS > __device__ __forceinline__ unsigned
filled_median (const WeightArgs & a, const FilledTile < CHANNELS > & tile,
    int column, int row, unsigned own)
{
  typedef typename Color < CHANNELS >::Type Pixel;
  const int lane = (int) threadIdx.x % filled_lanes;
  const int first = (row + 1) / 2, u = column + 2 * lane;
  const Pixel center = tile.color[row + filled_radius + 1][column
      + filled_radius];
  Codes < filled_words > codes;
  Weights < filled_words > weights;

#pragma unroll
  for (int i = 0; i < filled_words; i += 2) {
    uint32_t weight[4];

#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int v = i + j % 2, c = u + j / 2;

      weight[j] = color_weight (Color < CHANNELS >::halvings (a.k, center,
              tile.color[2 * first + v][c]), j == 3 ? last_more : 0);
      if ((v == 0 && row % 2 == 0) || (v == 2 * filled_radius + 1
              && row % 2 != 0) || (j >= 2 && lane == filled_lanes - 1))
        weight[j] = no_weight + (j == 3 ? (uint32_t) last_more : 0);
    }
    codes.word[i] = tile.codes[first + i / 2][u];
    codes.word[i + 1] = tile.codes[first + i / 2][u + 1];
    weights.word[i / 2] = pack_weights (a, weight);
  }
  return weighted_median < filled_words, filled_lanes > (codes, weights,
      range_of < filled_words, filled_lanes > (codes), own);
}

/* Distributes the filled pixels of a tile to groups of lanes. */
template < int CHANNELS > __global__ void
__launch_bounds__ (threads, 3)
weigh_kernel (const __grid_constant__ WeightArgs a, const StereoMap holes,
    const StereoMap target)
{
  __shared__ FilledTile < CHANNELS > tile;
  __shared__ uint16_t wanted[tile_width * tile_height];
  __shared__ int n_wanted;
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * tile_height;
  const int group = (int) threadIdx.x / filled_lanes;

  if (threadIdx.x == 0)
    n_wanted = 0;
  __syncthreads ();
  pdl_wait ();
#pragma unroll
  for (int i = (int) threadIdx.x; i < tile_width * tile_height; i += threads) {
    const int x = x0 + i % tile_width, y = y0 + i / tile_width;

    if (x >= a.k.width || y >= a.k.height)
      continue;
    const unsigned code = map_row (holes, y)[x];

    if (code == STEREO_INVALID)
      wanted[atomicAdd (&n_wanted, 1)] = (uint16_t) i;
    else
      target.data[(size_t) y * target.stride + x] = (uint16_t) code;
  }
  __syncthreads ();
  if (n_wanted == 0)
    return;
  tile.load (a, x0 - filled_radius, y0 - filled_radius - 1);
  __syncthreads ();
  /* all lanes of a warp take part; surplus ones repeat the last pixel */
  for (int first = group & ~3; first < n_wanted; first += threads
      / filled_lanes) {
    const int at = wanted[min (first + group % 4, n_wanted - 1)];
    const int column = at % tile_width, row = at / tile_width;
    const uint32_t pair = tile.codes[(row + filled_radius + 1) / 2][column
        + filled_radius];
    const unsigned own = ~(row % 2 == 0 ? pair : pair >> 16) & 0xffff;
    const unsigned median = filled_median < CHANNELS > (a, tile, column, row,
        own);

    if (threadIdx.x % filled_lanes == 0)
      target.data[(size_t) (y0 + row) * target.stride + x0 + column] =
          (uint16_t) median;
  }
}

/* --------------------------------------------------------- 7x7, all pixels */

const int radius = STEREO_REFINE_ALL_RADIUS;
const int side = 2 * radius + 1;
const int pairs = radius + 1;   /* of rows, for the windows of two pixels */
const int words = pairs * side;

/* The weights of the window of the first or second pixel. */
template < int CHANNELS, typename TILE > __device__ __forceinline__ void
find_weights (const WeightArgs & a, const TILE & tile, int column, int row,
    int second, Weights < words > & weights)
{
  const typename Color < CHANNELS >::Type center =
      tile.color[row + radius + second][column + radius];

#pragma unroll
  for (int i = 0; i < words; i += 2) {
    uint32_t weight[4];

#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int v = (i + j / 2) / side * 2 + j % 2, u = (i + j / 2) % side;

      weight[j] = v < second || v >= side + second
          ? no_weight + (j == 3 ? (uint32_t) last_more : 0)
          : color_weight (Color < CHANNELS >::halvings (a.k, center,
              tile.color[row + v][column + u]), j == 3 ? last_more : 0);
    }
    weights.word[i / 2] = pack_weights (a, weight);
  }
}

template < int CHANNELS > __global__ void
__launch_bounds__ (threads, 3)
finish_weighted_kernel (const __grid_constant__ WeightArgs a,
    const __grid_constant__ StereoOutput output)
{
  typedef Tile < CHANNELS, tile_width + 2 * radius, tile_height / 2 + radius >
      Part;
  __shared__ Part tile;
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * tile_height;
  const int column = (int) threadIdx.x % tile_width;
  const int row = (int) threadIdx.x / tile_width * 2;
  Codes < words > codes;
  Weights < words > weights;

  pdl_wait ();
  tile.load (a, x0 - radius, y0 - radius);
  __syncthreads ();
  if (x0 + column >= a.k.width || y0 + row >= a.k.height)
    return;
#pragma unroll
  for (int i = 0; i < words; i++)
    codes.word[i] = tile.codes[row / 2 + i / side][column + i % side];
  const Range range = range_of < words, 1 > (codes);

#pragma unroll
  for (int second = 0; second < 2; second++) {
    /* the code of the pixel, in row 3 or 4 of the pairs */
    const uint32_t pair = codes.word[(radius + second) / 2 * side + radius];
    const unsigned own = ~((radius + second) % 2 == 0 ? pair : pair >> 16)
        & 0xffff;

    if (y0 + row + second >= a.k.height)
      return;
    find_weights < CHANNELS > (a, tile, column, row, second, weights);
    stereo_store_raw (&output, x0 + column, y0 + row + second,
        stereo_output_from_map (&output, weighted_median < words, 1 > (codes,
                weights, range, own)));
  }
}

dim3
weighted_grid (const StereoRefineConstants * k)
{
  return dim3 (stereo_blocks (k->width, tile_width),
      stereo_blocks (k->height, tile_height));
}

WeightArgs
weight_args (const StereoRefineConstants * k, const StereoView * left,
    const StereoMap * map, const uint8_t * rows)
{
  return WeightArgs { *k, *left, *map, rows, {1u << 8, 1u << 16, 1u << 24} };
}

}                               // namespace

StereoStatus
stereo_cuda_weigh (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work)
{
  return run_kernel (queue, "weigh_kernel", true, weighted_grid (k), threads, 0,
      k->channels == 1 ? weigh_kernel < 1 > : weigh_kernel < 3 >,
      weight_args (k, left, &work->filled, work->rows), work->map,
      work->weighted);
}

StereoStatus
stereo_cuda_finish_weighted (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  return run_kernel (queue, "finish_weighted_kernel", true, weighted_grid (k),
      threads, 0, k->channels == 1 ? finish_weighted_kernel < 1 >
      : finish_weighted_kernel < 3 >, weight_args (k, left, map,
          rows_of (k, work, map)), *output);
}
