/* gst-stereomatching: selection of displacements in a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block selects the displacements of a tile.  Its groups of warps compare
 * different candidates at the same time: a warp computes the errors of rows,
 * and then a thread sums the windows of 16 pixels.
 */

#include "match/pyramid/pyramid.cuh"

namespace
{

/* ------------------------------------------------------------------- census */

const int radius = STEREO_PYRAMID_CENSUS_RADIUS;
const int side = 2 * radius + 1;

/* Pixels of a block, whose threads have columns of census_rows pixels. */
const int census_size = 32;
const int census_rows = 4;
const int census_threads = census_size * census_size / census_rows;

/* A level and the first of its blocks. */
struct CensusLevel
{
  const uint32_t *view[2];
  uint32_t *census[2];
  int width, height, stride;
  int first, columns;           /* blocks */
};

struct CensusLevels
{
  int n;
  CensusLevel level[STEREO_PYRAMID_MAX_LEVELS];
};

/* The brightness of a block's pixels and of those around it. */
typedef int Brightness[census_size + 2 * radius][census_size + 2 * radius];

__device__ __forceinline__ void
load_brightness (const CensusLevel & a, const uint32_t * view, int x0, int y0,
    Brightness & brightness)
{
  const int pitch = census_size + 2 * radius;

  for (int i = (int) threadIdx.x; i < pitch * pitch; i += census_threads) {
    const uint32_t *row = view + (size_t) stereo_clamp_int (y0 + i / pitch
        - radius, 0, a.height - 1) * a.stride;

    brightness[i / pitch][i % pitch] =
        stereo_pyramid_brightness (row[stereo_clamp_int (x0 + i % pitch
                - radius, 0, a.width - 1)]);
  }
}

/* The census of the pixel in the centre of side rows. */
__device__ __forceinline__ uint32_t
find_census (const int (*rows)[side])
{
  uint32_t bits = 0;

#pragma unroll
  for (int i = 0; i < side * side; i++) {
    /* a negative difference sets the next bit */
    if (i != side * side / 2)
      bits = __funnelshift_l ((uint32_t) (rows[radius][radius]
              - rows[i / side][i % side]), bits, 1);
  }
  return bits;
}

__global__ void
__launch_bounds__ (census_threads)
census_kernel (const __grid_constant__ CensusLevels levels)
{
  __shared__ Brightness brightness;
  const int column = (int) threadIdx.x % census_size;
  const int first = (int) threadIdx.x / census_size * census_rows;
  int rows[census_rows + 2 * radius][side], i = 0;

  while (i + 1 < levels.n && (int) blockIdx.x >= levels.level[i + 1].first)
    i++;

  const CensusLevel & a = levels.level[i];
  const int tile = (int) blockIdx.x - a.first;
  const int x0 = tile % a.columns * census_size;
  const int y0 = tile / a.columns * census_size;
  uint32_t *census = a.census[blockIdx.y] + (size_t) (y0 + first) * a.stride
      + x0 + column;

  pdl_wait ();
  load_brightness (a, a.view[blockIdx.y], x0, y0, brightness);
  __syncthreads ();
  if (x0 + column >= a.width)
    return;
#pragma unroll
  for (int j = 0; j < census_rows + 2 * radius; j++) {
#pragma unroll
    for (int k = 0; k < side; k++)
      rows[j][k] = brightness[first + j][column + k];
  }
#pragma unroll
  for (int j = 0; j < census_rows; j++) {
    if (y0 + first + j < a.height)
      census[(size_t) j * a.stride] = find_census (rows + j);
  }
}

/* ---------------------------------------------------------------- selection */

const int window = STEREO_PYRAMID_WINDOW;
const int reach = STEREO_PYRAMID_REACH;
const int n_candidates = STEREO_PYRAMID_CANDIDATES;
const int candidate_bits = 5;   /* in a key, below the sum */

static_assert (n_candidates <= 1 << candidate_bits, "keys have all of them");

/* A warp computes the errors of a row of the tile and the window around it. */
const int row_size = 32;
const int tile_width = row_size - 2 * window;
const int field_width = row_size + 2 * reach;
const int error_words = 10;     /* of a row: without conflicts of banks */

/* The sums of the windows of 4 x 4 pixels belong to a thread. */
const int block = 4;
const int row_blocks = tile_width / block;

/* A tile, and its division between warps.
 *   ROWS    of the tile and the window around it
 *   GROUPS  of warps, each with a candidate of its own
 *   WARPS   of a group */
template < int ROWS, int GROUPS, int WARPS, int RESIDENT > struct Shape
{
  static const int rows = ROWS;
  static const int tile_height = ROWS - 2 * window;
  static const int field_height = ROWS + 2 * reach;
  static const int groups = GROUPS;
  static const int group_warps = WARPS;
  static const int group_size = 32 * WARPS;
  static const int threads = GROUPS * group_size;
  static const int resident = RESIDENT; /* blocks on a multiprocessor */
  static const int own_errors = ROWS / WARPS;
  static const int rounds = n_candidates / GROUPS;
  static const int blocks = tile_height / block * row_blocks;

  static_assert (n_candidates % GROUPS == 0, "each round has full groups");
  static_assert (tile_height % block == 0 && blocks <= group_size,
      "one thread per block of pixels");
};

/* The fewer tiles a level has, the more warps share one.  Small blocks wait
 * less at barriers, if they occupy all multiprocessors. */
typedef Shape < 32, 3, 2, 4 > ManyTiles;
typedef Shape < 32, 7, 2, 2 > FewTiles;
typedef Shape < 16, 21, 1, 1 > SmallTiles;

template < typename S > struct Shared
{
  typedef uint32_t Errors[S::rows][error_words];        /* four pixels a word */

  float dx[S::field_height][field_width];
  float dy[S::field_height][field_width];
  /* two for several rounds: one barrier per round is enough */
  Errors error[S::rounds > 1 ? 2 : 1][S::groups];
  uint16_t key[S::groups][S::tile_height][tile_width];
};

/* Position of the tile with its window. */
struct Tile
{
  int x, y;
  int width, height;            /* of the level */
};

/* Column and row of a field in shared memory that a candidate has for column x
 * and row y of the level.  inner: all of these are in the level. */
template < bool inner > __device__ __forceinline__ int
field_column (const Tile & t, StereoPyramidCandidate c, int x)
{
  return (inner ? x + c.x : stereo_clamp_int (x + c.x, 0, t.width - 1)) - t.x
      + reach;
}

template < bool inner > __device__ __forceinline__ int
field_row (const Tile & t, StereoPyramidCandidate c, int y)
{
  return (inner ? y + c.y : stereo_clamp_int (y + c.y, 0, t.height - 1)) - t.y
      + reach;
}

template < typename S > __device__ __forceinline__ bool
is_inner (const Tile & t)
{
  return t.x >= reach && t.y >= reach && t.x + row_size + reach <= t.width
      && t.y + S::rows + reach <= t.height;
}

/* The offset of the pixel of the level that is nearest to (x, y). */
__device__ __forceinline__ size_t
clamped_offset (const Tile & t, const StereoPyramidLevel & level, int x, int y)
{
  return stereo_plane_offset (stereo_clamp_int (x, 0, t.width - 1),
      stereo_clamp_int (y, 0, t.height - 1), level.stride);
}

template < typename S, bool vertical > __device__ __forceinline__ void
load_fields (const Tile & t, const StereoPyramidLevel & level,
    const StereoPyramidField & from, Shared < S > & shared)
{
  for (int i = (int) threadIdx.x; i < S::field_height * field_width;
      i += S::threads) {
    const int u = i % field_width, v = i / field_width;
    const size_t q = clamped_offset (t, level, t.x - reach + u,
        t.y - reach + v);

    shared.dx[v][u] = from.dx[q];
    if (vertical)
      shared.dy[v][u] = from.dy[q];
  }
}

/* The errors of a candidate.  left: the census of the thread's pixels. */
template < typename S, bool vertical, bool inner >
__device__ __forceinline__ void
compute_errors (const Tile & t, const StereoPyramidLevel & level,
    const Shared < S > & shared, StereoPyramidCandidate c,
    const uint32_t left[S::own_errors], typename Shared < S >::Errors & error)
{
  const uint32_t *right = level.census[1];
  const int lane = (int) threadIdx.x % 32;
  const int stride = (int) level.stride;
  const int first = (int) threadIdx.x / 32 % S::group_warps;
  const int x = inner ? t.x + lane : stereo_clamp_int (t.x + lane, 0,
      t.width - 1);
  const int u = field_column < inner > (t, c, x);
  /* The loads of a part come before its stores, which would delay them. */
  const int part = S::own_errors / (vertical ? 2 : 1);
  int e[part];

#pragma unroll
  for (int k = 0; k < S::own_errors; k++) {
    const int j = first + k * S::group_warps;
    const int y = inner ? t.y + j : stereo_clamp_int (t.y + j, 0,
        t.height - 1);
    const int v = field_row < inner > (t, c, y);
    const float dx = shared.dx[v][u] + (float) c.add;

    e[k % part] = vertical ? stereo_pyramid_error (left[k], right, stride,
        t.width, t.height, x, y, dx, shared.dy[v][u])
        : stereo_pyramid_row_error (left[k], right, y * stride, t.width, x,
        dx);
    if (k % part < part - 1)
      continue;
#pragma unroll
    for (int i = 0; i < part; i++)
      ((uint8_t *) error[j + (i - part + 1) * S::group_warps])[lane] =
          (uint8_t) e[i];
  }
}

/* Sums of the windows of four pixels in a row, as 16-bit halves: of pixels 0
 * and 2, and of 1 and 3.  a and b: the sums of the windows' columns, at most
 * 255, in two words of bytes. */
__device__ __forceinline__ void
sum_columns (uint32_t a, uint32_t b, uint32_t sum[2])
{
  const uint32_t low = 0x00ff00ff;
  const uint32_t c02 = a & low, c13 = a >> 8 & low;
  const uint32_t c46 = b & low, c57 = b >> 8 & low;
  const uint32_t c24 = __byte_perm (c02, c46, 0x5432);
  const uint32_t c35 = __byte_perm (c13, c57, 0x5432);
  const uint32_t inner = c13 + c24 + c35;

  sum[0] = c02 + inner + c46;
  sum[1] = inner + c46 + c57;
}

/* Compares the sums of candidate i with the lowest of the thread's pixels so
 * far.  at: the thread in its group.  A key is a sum followed by the candidate:
 * the first one wins. */
__device__ __forceinline__ void
compare_sums (const uint32_t (*error)[error_words], int at, int i,
    uint32_t key[block][2])
{
  const int u = at % row_blocks, v = at / row_blocks * block;
  uint32_t a[block + 2 * window], b[block + 2 * window];
  uint32_t a_sum = 0, b_sum = 0;

#pragma unroll
  for (int j = 0; j < block + 2 * window; j++) {
    uint32_t sum[2];

    a[j] = error[v + j][u];
    b[j] = error[v + j][u + 1];
    a_sum += a[j];
    b_sum += b[j];
    if (j < 2 * window)
      continue;
    sum_columns (a_sum, b_sum, sum);
    for (int h = 0; h < 2; h++)
      key[j - 2 * window][h] = __vminu2 (key[j - 2 * window][h],
          (sum[h] << candidate_bits) + (uint32_t) i * 0x00010001);
    a_sum -= a[j - 2 * window];
    b_sum -= b[j - 2 * window];
  }
}

__device__ __forceinline__ void
store_keys (const uint32_t key[block][2], int at, uint16_t (*to)[tile_width])
{
  const int u = at % row_blocks * block, v = at / row_blocks * block;

  for (int j = 0; j < block; j++) {
    for (int h = 0; h < 2; h++) {
      to[v + j][u + h] = (uint16_t) key[j][h];
      to[v + j][u + h + 2] = (uint16_t) (key[j][h] >> 16);
    }
  }
}

/* Stores the displacements of the tile's pixels, selected from all groups. */
template < typename S, bool vertical > __device__ __forceinline__ void
store_selected (const Tile & t, const StereoPyramidLevel & level,
    const Shared < S > & shared, const StereoPyramidField & from,
    const StereoPyramidField & to)
{
  for (int i = (int) threadIdx.x; i < S::tile_height * tile_width;
      i += S::threads) {
    const int x = t.x + window + i % tile_width;
    const int y = t.y + window + i / tile_width;
    unsigned key = 0xffff;

    if (x >= t.width || y >= t.height)
      continue;
    for (int g = 0; g < S::groups; g++)
      key = umin (key, shared.key[g][i / tile_width][i % tile_width]);

    const StereoPyramidCandidate c = stereo_pyramid_candidate ((int) key
        & ((1 << candidate_bits) - 1));
    const int u = field_column < false > (t, c, x);
    const int v = field_row < false > (t, c, y);
    const size_t p = stereo_plane_offset (x, y, level.stride);

    to.dx[p] = shared.dx[v][u] + (float) c.add;
    if (vertical)
      to.dy[p] = shared.dy[v][u];
    to.confidence[p] = from.confidence[stereo_plane_offset (u + t.x - reach,
            v + t.y - reach, level.stride)];
  }
}

template < typename S, bool vertical > __global__ void
__launch_bounds__ (S::threads, S::resident)
select_kernel (const StereoPyramidLevel level, const StereoPyramidField from,
    const StereoPyramidField to)
{
  __shared__ Shared < S > shared;
  const Tile t = { (int) blockIdx.x * tile_width - window,
    (int) blockIdx.y * S::tile_height - window, level.width, level.height
  };
  const int group = (int) threadIdx.x / S::group_size;
  const int at = (int) threadIdx.x % S::group_size;
  uint32_t left[S::own_errors], key[block][2];

  pdl_wait ();
  load_fields < S, vertical > (t, level, from, shared);
#pragma unroll
  for (int k = 0; k < S::own_errors; k++)
    left[k] = level.census[0][clamped_offset (t, level, t.x + at % 32,
            t.y + at / 32 + k * S::group_warps)];
  for (int j = 0; j < block; j++)
    key[j][0] = key[j][1] = 0xffffffff;
  __syncthreads ();
  for (int r = 0; r < S::rounds; r++) {
    const int i = r * S::groups + group;
    typename Shared < S >::Errors & error = shared.error[r & 1][group];

    if (is_inner < S > (t))
      compute_errors < S, vertical, true > (t, level, shared,
          stereo_pyramid_candidate (i), left, error);
    else
      compute_errors < S, vertical, false > (t, level, shared,
          stereo_pyramid_candidate (i), left, error);
    __syncthreads ();
    if (at < S::blocks)
      compare_sums (error, at, i, key);
  }
  if (at < S::blocks)
    store_keys (key, at, shared.key[group]);
  __syncthreads ();
  store_selected < S, vertical > (t, level, shared, from, to);
}

template < typename S > dim3
select_grid (const StereoPyramidLevel * level)
{
  return pyramid_grid (level->width, level->height, tile_width,
      S::tile_height);
}

template < typename S > void
launch_select (const StereoPyramidArgs * s)
{
  launch_overlapping (s->queue, select_grid < S > (s->level),
      dim3 (S::threads), 0, s->from->dy != NULL ? select_kernel < S, true >
      : select_kernel < S, false >, *s->level, *s->from, *s->to);
}

/* Whether the blocks of a level fill all multiprocessors. */
template < typename S > bool
fills (const StereoPyramidArgs * s)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) s->queue;
  const dim3 grid = select_grid < S > (s->level);

  return (int) (grid.x * grid.y) > S::resident * q->multiprocessors;
}

}                               // namespace

StereoStatus
stereo_pyramid_census_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  CensusLevels levels = { };
  int n_blocks = 0;

  if (!stage.entered ())
    return stage.status ();
  levels.n = s->k->n_levels;
  for (int i = 0; i < levels.n; i++) {
    const StereoPyramidLevel & level = s->level[i];
    const dim3 grid = pyramid_grid (level.width, level.height, census_size,
        census_size);

    levels.level[i] = CensusLevel { { level.left, level.right },
      { level.census[0], level.census[1] }, level.width, level.height,
      (int) level.stride, n_blocks, (int) grid.x
    };
    n_blocks += (int) (grid.x * grid.y);
  }
  launch_overlapping (s->queue, dim3 ((unsigned) n_blocks, 2),
      dim3 (census_threads), 0, census_kernel, levels);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's census_kernel");
}

StereoStatus
stereo_pyramid_select_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  if (fills < ManyTiles > (s))
    launch_select < ManyTiles > (s);
  else if (fills < SmallTiles > (s))
    launch_select < FewTiles > (s);
  else
    launch_select < SmallTiles > (s);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's select_kernel");
}
