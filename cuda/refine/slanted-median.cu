/* gst-stereomatching: weighted median along the slopes of a map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block keeps a tile in shared memory: colours, slopes, and the codes of two
 * samples of a window in the halves of words.  A thread has the window of a
 * pixel in registers, carried codes in the same halves and weights in bytes.
 *
 * The median is bracketed between the lowest and the highest code of the
 * window.  The search starts at the code of the pixel, which is usually near,
 * and its steps grow.  Each costs two instructions per two codes
 * (weight_above ()).
 */

#include "refine/refine.cuh"
#include "refine/weight.cuh"

namespace
{

/* Pixels of the tile of a block, which has fewer rows in small images. */
const int tile_width = 32;
const int max_tile_height = 16;
const int min_tile_height = 8;
const int threads = 256;

/* Blocks in a multiprocessor, as many as registers suffice for. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 900
const int resident_blocks = 3;
#else
const int resident_blocks = 4;
#endif

const int radius = STEREO_SLANTED_RADIUS;

/*
 * A word has the samples at columns a and a + 2 of a row of the window.  First
 * come the odd rows, each of six samples, then two words of the centre's row
 * and one of each row two away.
 */
const int row_words = 3;
const int odd_words = row_words * (radius + 1);
const int words = odd_words + 4;
const int weight_words = words / 2;

static_assert (radius == 5 && 2 * words == STEREO_SLANTED_SAMPLES
    && words % 2 == 0);

struct SlantedArgs
{
  StereoRefineConstants k;
  StereoView left;
  StereoRefineWork work;
  StereoMap final;              /* data is NULL if it is not wanted */
  StereoOutput output;
  int limit;                    /* of the change of a code */
  int highest;                  /* code */
  int tile_height;
};

/* ------------------------------------------------------------------ weights */

/* The colour of a pixel.  `outside` differs so much from all colours that
 * pixels outside the image have no weight. */
template < int CHANNELS > struct Color
{
  static constexpr uint32_t outside = 0xff000000u;

  /* 0x00BBGGRR */
  static __device__ __forceinline__ uint32_t
  from (const StereoRefineConstants &, uint32_t pixel)
  {
    return pixel & 0xffffff;
  }

  /* log2 of the weight of a difference, negated. */
  static __device__ __forceinline__ float
  halvings (const StereoRefineConstants & k, uint32_t p, uint32_t q)
  {
    return color_halvings < CHANNELS > (k, p, q);
  }
};

template <> struct Color < 1 >
{
  static constexpr uint32_t outside = 0x4e6e6b28u;      /* 1e9f */

  /* luma, in halvings, the bits of a float */
  static __device__ __forceinline__ uint32_t
  from (const StereoRefineConstants & k, uint32_t pixel)
  {
    return __float_as_uint ((float) pixel * k.halvings);
  }

  static __device__ __forceinline__ float
  halvings (const StereoRefineConstants &, uint32_t p, uint32_t q)
  {
    return fabsf (__uint_as_float (p) - __uint_as_float (q));
  }
};

/* Packs four weights into bytes.  The last one includes 0xb5, which cancels the
 * 0x4b of the first one. */
const int last_more = 0xb5;

__device__ __forceinline__ uint32_t
pack_weights (const uint32_t (&weight)[4])
{
  return multiply_add (weight[3], 1 << 24, multiply_add (weight[2], 1 << 16,
          multiply_add (weight[1], 1 << 8, weight[0])));
}

/* -------------------------------------------------------------------- tiles */

/* Of a pixel. */
struct Sample
{
  uint32_t slopes;
  uint32_t color;
};

struct __align__ (8) Tile
{
  static const int width = tile_width + 2 * radius;
  static const int height = max_tile_height + 2 * radius;

  Sample samples[height][width];
  /* those of columns x and x + 2, less the limit */
  uint32_t codes[height][width];

  /* Loads from (x0, y0) on; codes and slopes outside the image repeat its
   * border. */
  template < int CHANNELS > __device__ void
  load (const SlantedArgs & a, int x0, int y0)
  {
    /* a thread has every sixth row of a column; surplus threads have none */
    const int column = (int) threadIdx.x % width, step = threads / width;
    const int x = x0 + column, u = stereo_clamp_int (x, 0, a.k.width - 1);
    const int u2 = stereo_clamp_int (x + 2, 0, a.k.width - 1);

    for (int row = (int) threadIdx.x / width; row < a.tile_height + 2 * radius
        && threadIdx.x < step * width; row += step) {
      const int y = y0 + row, v = stereo_clamp_int (y, 0, a.k.height - 1);

      codes[row][column] = ((map_at (a.work.filled, u, v)
              - (uint32_t) a.limit) & 0xffff)
          | (map_at (a.work.filled, u2, v) - (uint32_t) a.limit) << 16;
      samples[row][column] = Sample { slopes_at (a.work, u, v),
        u == x && v == y ? Color < CHANNELS >::from (a.k,
            stereo_view_pixel (&a.left, CHANNELS, u, v))
            : Color < CHANNELS >::outside
      };
    }
  }
};

/* ------------------------------------------------------------------ windows */

struct Window
{
  uint32_t codes[words];
  uint32_t weights[weight_words];       /* of the codes of two words */
};

/* Column of the first sample of word i, relative to the pixel, and its row. */
__device__ __forceinline__ constexpr int
word_column (int i)
{
  const int near = i - odd_words;

  return near < 0 ? i % row_words * 4 - radius
      : near < 2 ? 4 * near - 3 : 2 * near - 6;
}

__device__ __forceinline__ constexpr int
word_row (int i)
{
  const int near = i - odd_words;

  return near < 0 ? i / row_words * 2 - radius
      : near < 2 ? 0 : 10 - 4 * near;
}

/* The codes of a word, carried to the pixel.  first and second are slopes. */
__device__ __forceinline__ uint32_t
carry_codes (const SlantedArgs & a, int i, uint32_t codes, uint32_t first,
    uint32_t second)
{
  const int dx = word_column (i), dy = word_row (i);
  const uint32_t offsets = slope_offset (dx, dy)
      | slope_offset (dx + 2, dy) << 16;
  /* divided by 256 */
  const uint32_t changes = __byte_perm (
      (uint32_t) __dp2a_lo ((int) first, (int) offsets, 128),
      (uint32_t) __dp2a_hi ((int) second, (int) offsets, 128), 0x6521);

  /* changes, limited and from 0 on; then the codes */
  return __viaddmin_s16x2_relu (__viaddmin_s16x2_relu (changes,
          splat_u16 (a.limit), splat_u16 (2 * a.limit)), codes,
      splat_u16 (a.highest));
}

/* The window of the pixel at this place of the tile. */
template < int CHANNELS > __device__ __forceinline__ void
find_window (const SlantedArgs & a, const Tile & tile, int column, int row,
    Window & w)
{
  const uint32_t center = tile.samples[row + radius][column + radius].color;
  uint32_t weight[4];

#pragma unroll
  for (int i = 0; i < words; i++) {
    const int x = column + radius + word_column (i);
    const int y = row + radius + word_row (i);
    const int more = i % 2 != 0 ? last_more : 0;
    const Sample first = tile.samples[y][x], second = tile.samples[y][x + 2];

    w.codes[i] = carry_codes (a, i, tile.codes[y][x], first.slopes,
        second.slopes);
    weight[i % 2 * 2] = color_weight (Color < CHANNELS >::halvings (a.k,
            center, first.color), weight_origin);
    weight[i % 2 * 2 + 1] = color_weight (Color < CHANNELS >::halvings (a.k,
            center, second.color), weight_origin + (float) more);
    if (i % 2 != 0)
      w.weights[i / 2] = pack_weights (weight);
  }
}

/* ------------------------------------------------------------------ medians */

__device__ __forceinline__ unsigned
whole_weight (const Window & w)
{
  unsigned sum = 0;

#pragma unroll
  for (int i = 0; i < weight_words; i++)
    sum = __dp4a (w.weights[i], 0x01010101u, sum);
  return sum;
}

/* The weight of all codes above middle. */
__device__ __forceinline__ unsigned
weight_above (const Window & w, int middle)
{
  const uint32_t negative = splat_u16 ((uint16_t) -middle);
  unsigned sum[2] = { 0, 0 };

#pragma unroll
  for (int i = 0; i < words; i++) {
    /* in each half 1 for a code above middle, otherwise 0 */
    const uint32_t chosen = __viaddmin_s16x2_relu (w.codes[i], negative,
        0x10001u);

    sum[i % 2] = i % 2 == 0 ? __dp2a_lo (chosen, w.weights[i / 2], sum[0])
        : __dp2a_hi (chosen, w.weights[i / 2], sum[1]);
  }
  return sum[0] + sum[1];
}

/* The range of a window's codes and of the code of its centre. */
__device__ __forceinline__ void
find_range (const Window & w, int own, int *low, int *high)
{
  uint32_t least = splat_u16 (own), most = least;

#pragma unroll
  for (int i = 0; i < words; i++) {
    least = __vminu2 (least, w.codes[i]);
    most = __vmaxu2 (most, w.codes[i]);
  }
  *low = (int) min (least & 0xffff, least >> 16);
  *high = (int) max (most & 0xffff, most >> 16);
}

/* The weighted median, or own, the code of the pixel, without weights. */
__device__ __forceinline__ int
weighted_median (const Window & w, int own)
{
  const unsigned whole = whole_weight (w);
  const int far = 1 << 20;
  int low, high, step = 0;
  bool before = false;

  find_range (w, own, &low, &high);
  if (whole == 0)
    low = high = own;
  int middle = own;

  while (low < high) {
    const bool reached = 2 * weight_above (w, middle) <= whole;

    low = reached ? low : middle + 1;
    high = reached ? middle : high;
    /* 2, 8, ... as long as the direction stays the same, then bisection */
    step = step == 0 ? 2 : reached == before ? min (4 * step, far) : far;
    before = reached;
    middle = reached ? max ((low + high) / 2, high - step)
        : min ((low + high) / 2, low + step - 1);
  }
  return low;
}

template < int CHANNELS > __global__ void
__launch_bounds__ (threads, resident_blocks)
slanted_kernel (const __grid_constant__ SlantedArgs a)
{
  __shared__ Tile tile;
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * a.tile_height;
  const int column = (int) threadIdx.x % tile_width;

  pdl_start ();
  tile.load < CHANNELS > (a, x0 - radius, y0 - radius);
  __syncthreads ();
  if (x0 + column >= a.k.width)
    return;
#pragma unroll 1
  for (int row = (int) threadIdx.x / tile_width; row < a.tile_height
      && y0 + row < a.k.height; row += threads / tile_width) {
    const unsigned own = (tile.codes[row + radius][column + radius]
        + (unsigned) a.limit) & 0xffff;
    Window window;
    unsigned code = STEREO_INVALID;

    /* either all codes are valid or none is */
    if (own != STEREO_INVALID) {
      find_window < CHANNELS > (a, tile, column, row, window);
      code = (unsigned) weighted_median (window, (int) own);
    }
    refine_store (a.final, a.output, x0 + column, y0 + row, code);
  }
}

/* ---------------------------------------------------------------- any range */

/* The weight of all samples of the window of (x, y), and of those with a code
 * up to middle. */
template < int CHANNELS > __device__ void
weigh_samples (const SlantedArgs & a, int x, int y, int middle, unsigned *whole,
    unsigned *lower)
{
  const uint32_t center = stereo_view_pixel (&a.left, CHANNELS, x, y);

  *whole = *lower = 0;
#pragma unroll 1
  for (int v = max (y - radius, 0); v <= min (y + radius, a.k.height - 1);
      v++) {
    const int last = x - stereo_slanted_first (y - v);

#pragma unroll 1
    for (int u = x + stereo_slanted_first (v - y); u <= last; u += 2) {
      if (u < 0 || u >= a.k.width)
        continue;
      const uint32_t weight = pixel_weight < CHANNELS > (a.k, center,
          stereo_view_pixel (&a.left, CHANNELS, u, v));
      const int code = (int) map_at (a.work.filled, u, v) - a.limit
          + slope_carry_plus (slopes_at (a.work, u, v),
          slope_offset (u - x, v - y), a.limit);

      *whole += weight;
      *lower += stereo_clamp_int (code, 0, a.highest) <= middle ? weight : 0;
    }
  }
}

/* For codes that need more than 15 bits: evaluates the window again in each
 * step of the bisection. */
template < int CHANNELS > __global__ void
__launch_bounds__ (threads)
slanted_wide_kernel (const __grid_constant__ SlantedArgs a)
{
  int x, y, low = 0, high = a.highest;

  pdl_start ();
  if (!stereo_own_pixel (a.k.width, a.k.height, &x, &y))
    return;
  const int own = map_at (a.work.filled, x, y);

  if (own == STEREO_INVALID)
    low = high = own;
  while (low < high) {
    const int middle = (low + high) / 2;
    unsigned whole, lower;

    weigh_samples < CHANNELS > (a, x, y, middle, &whole, &lower);
    if (whole == 0)
      low = high = own;
    else if (2 * lower >= whole)
      high = middle;
    else
      low = middle + 1;
  }
  refine_store (a.final, a.output, x, y, (unsigned) low);
}

}                               // namespace

StereoStatus
stereo_cuda_slanted_median (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int limit = STEREO_SLANTED_LIMIT * k->unit;
  const int highest = k->unit * (k->num_disparities - 1);
  SlantedArgs args = { *k, *left, *work, map_or_none (final), *output,
    limit, highest, max_tile_height
  };
  dim3 grid (stereo_blocks (k->width, tile_width),
      stereo_blocks (k->height, max_tile_height));

  if (highest + limit > INT16_MAX)
    return run_kernel (queue, "slanted_wide_kernel", true,
        stereo_pixel_grid (k->width, k->height), stereo_pixel_block, 0,
        k->channels == 1 ? slanted_wide_kernel < 1 >
        : slanted_wide_kernel < 3 >, args);
  if (grid.x * grid.y < 2u * (unsigned) q->multiprocessors) {
    args.tile_height = min_tile_height;
    grid.y = stereo_blocks (k->height, min_tile_height);
  }
  return run_kernel (queue, "slanted_kernel", true, grid, threads, 0,
      k->channels == 1 ? slanted_kernel < 1 > : slanted_kernel < 3 >, args);
}
