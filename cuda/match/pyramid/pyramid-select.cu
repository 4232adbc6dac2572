/* gst-stereomatching: selection of displacements in a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A block selects the displacements of a tile.  Its groups of two warps compare
 * different candidates at the same time: a warp computes the errors of rows,
 * and then a thread sums the windows of 16 pixels. */

#include "match/pyramid/pyramid.cuh"

namespace
{

const int radius = STEREO_PYRAMID_CENSUS_RADIUS;

/* ------------------------------------------------------------------- census */

__global__ void
census_kernel (const StereoPyramidLevel level)
{
  __shared__ int brightness[block_height + 2 * radius][block_width
      + 2 * radius];
  const uint32_t *view = blockIdx.z ? level.right : level.left;
  const int x0 = (int) blockIdx.x * block_width - radius;
  const int y0 = (int) blockIdx.y * block_height - radius;
  const int tx = (int) threadIdx.x, ty = (int) threadIdx.y;
  int x, y;

  pdl_wait ();
  for (int j = ty; j < block_height + 2 * radius; j += block_height) {
    const uint32_t *row = view + (size_t) stereo_clamp_int (y0 + j, 0,
        level.height - 1) * level.stride;

    for (int i = tx; i < block_width + 2 * radius; i += block_width)
      brightness[j][i] = stereo_pyramid_brightness (row[stereo_clamp_int (x0
                  + i, 0, level.width - 1)]);
  }
  __syncthreads ();
  if (!own_pixel (level.width, level.height, &x, &y))
    return;

  const int center = brightness[ty + radius][tx + radius];
  uint32_t bits = 0;

#pragma unroll
  for (int i = 0; i < 25; i++) {
    if (i != 12)
      bits = bits << 1 | (brightness[ty + i / 5][tx + i % 5] > center ? 1 : 0);
  }
  level.census[blockIdx.z][(size_t) y * level.stride + x] = bits;
}

/* ---------------------------------------------------------------- selection */

const int window = STEREO_PYRAMID_WINDOW;
const int reach = STEREO_PYRAMID_REACH;
const int n_candidates = STEREO_PYRAMID_CANDIDATES;
const int candidate_bits = 5;   /* in a key, below the sum */

/* A warp computes the errors of a row. */
const int side = 32;            /* of the tile and the window around it */
const int tile = side - 2 * window;
const int field_side = side + 2 * reach;

const int groups = 7;
const int group_warps = 2;
const int group_size = 32 * group_warps;
const int own_errors = side / group_warps;
const int rounds = n_candidates / groups;

/* The sums of the windows of 4 x 4 pixels belong to a thread. */
const int block = 4;
const int blocks = tile / block;        /* in a row of the tile */
const int error_words = 10;     /* of a row: without conflicts of banks */

static_assert (n_candidates <= 1 << candidate_bits, "keys have all of them");
static_assert (n_candidates % groups == 0, "each round has full groups");
static_assert (tile % block == 0 && blocks * blocks <= group_size,
    "one thread per block of pixels");

typedef uint32_t Errors[side][error_words];     /* four pixels a word */

struct Shared
{
  float dx[field_side][field_side];
  float dy[field_side][field_side];
  Errors error[2][groups];      /* two: one barrier per round is enough */
  uint16_t key[groups][tile][tile];
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

__device__ __forceinline__ bool
is_inner (const Tile & t)
{
  return t.x >= reach && t.y >= reach && t.x + side + reach <= t.width
      && t.y + side + reach <= t.height;
}

template < bool vertical > __device__ __forceinline__ void
load_fields (const Tile & t, const StereoPyramidLevel & level,
    const StereoPyramidField & from, Shared & shared)
{
  for (int i = (int) threadIdx.x; i < field_side * field_side;
      i += groups * group_size) {
    const int u = i % field_side, v = i / field_side;
    const size_t q = (size_t) stereo_clamp_int (t.y - reach + v, 0,
        t.height - 1) * level.stride
        + stereo_clamp_int (t.x - reach + u, 0, t.width - 1);

    shared.dx[v][u] = from.dx[q];
    if (vertical)
      shared.dy[v][u] = from.dy[q];
  }
}

/* The errors of a candidate.  left: the census of the thread's pixels. */
template < bool vertical, bool inner > __device__ __forceinline__ void
compute_errors (const Tile & t, const StereoPyramidLevel & level,
    const Shared & shared, StereoPyramidCandidate c,
    const uint32_t left[own_errors], Errors & error)
{
  const uint32_t *right = level.census[1];
  const int lane = (int) threadIdx.x % 32;
  const int stride = (int) level.stride;
  const int first = (int) threadIdx.x / 32 % group_warps;
  const int x = inner ? t.x + lane : stereo_clamp_int (t.x + lane, 0,
      t.width - 1);
  const int u = field_column < inner > (t, c, x);

#pragma unroll
  for (int k = 0; k < own_errors; k++) {
    const int j = first + k * group_warps;
    const int y = inner ? t.y + j : stereo_clamp_int (t.y + j, 0,
        t.height - 1);
    const int v = field_row < inner > (t, c, y);
    const float dx = shared.dx[v][u] + (float) c.add;
    const int e = vertical ? stereo_pyramid_error (left[k], right, stride,
        t.width, t.height, x, y, dx, shared.dy[v][u])
        : stereo_pyramid_row_error (left[k], right, y * stride, t.width, x,
        dx);

    ((uint8_t *) error[j])[lane] = (uint8_t) e;
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

/* Compares the sums of a candidate, i, with the lowest of the thread's pixels
 * so far.  A key is a sum followed by the candidate: the first one wins. */
__device__ __forceinline__ void
compare_sums (const Errors & error, int i, uint32_t key[block][2])
{
  const int at = (int) threadIdx.x % group_size;
  const int u = at % blocks, v = at / blocks * block;
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
store_keys (const uint32_t key[block][2], uint16_t (*to)[tile])
{
  const int at = (int) threadIdx.x % group_size;
  const int u = at % blocks * block, v = at / blocks * block;

  for (int j = 0; j < block; j++) {
    for (int h = 0; h < 2; h++) {
      to[v + j][u + h] = (uint16_t) key[j][h];
      to[v + j][u + h + 2] = (uint16_t) (key[j][h] >> 16);
    }
  }
}

/* Stores the displacements of the tile's pixels, selected from all groups. */
template < bool vertical > __device__ __forceinline__ void
store_selected (const Tile & t, const StereoPyramidLevel & level,
    const Shared & shared, const StereoPyramidField & from,
    const StereoPyramidField & to)
{
  for (int i = (int) threadIdx.x; i < tile * tile;
      i += groups * group_size) {
    const int x = t.x + window + i % tile, y = t.y + window + i / tile;
    unsigned key = 0xffff;

    if (x >= t.width || y >= t.height)
      continue;
    for (int g = 0; g < groups; g++)
      key = umin (key, shared.key[g][i / tile][i % tile]);

    const StereoPyramidCandidate c = stereo_pyramid_candidate ((int) key
        & ((1 << candidate_bits) - 1));
    const int u = field_column < false > (t, c, x);
    const int v = field_row < false > (t, c, y);
    const size_t p = (size_t) y * level.stride + x;

    to.dx[p] = shared.dx[v][u] + (float) c.add;
    if (vertical)
      to.dy[p] = shared.dy[v][u];
    to.confidence[p] = from.confidence[(size_t) (v + t.y - reach)
        * level.stride + (u + t.x - reach)];
  }
}

template < bool vertical > __global__ void
__launch_bounds__ (groups * group_size, 2)
select_kernel (const StereoPyramidLevel level, const StereoPyramidField from,
    const StereoPyramidField to)
{
  __shared__ Shared shared;
  const Tile t = { (int) blockIdx.x * tile - window,
    (int) blockIdx.y * tile - window, level.width, level.height
  };
  const int group = (int) threadIdx.x / group_size;
  const int first = (int) threadIdx.x / 32 % group_warps;
  const bool sums = (int) threadIdx.x % group_size < blocks * blocks;
  uint32_t left[own_errors], key[block][2];

  pdl_wait ();
  load_fields < vertical > (t, level, from, shared);
#pragma unroll
  for (int k = 0; k < own_errors; k++)
    left[k] = level.census[0][(size_t) stereo_clamp_int (t.y + first
            + k * group_warps, 0, t.height - 1) * level.stride
        + stereo_clamp_int (t.x + (int) threadIdx.x % 32, 0, t.width - 1)];
  for (int j = 0; j < block; j++)
    key[j][0] = key[j][1] = 0xffffffff;
  __syncthreads ();
  for (int r = 0; r < rounds; r++) {
    const int i = r * groups + group;
    Errors & error = shared.error[r & 1][group];

    if (is_inner (t))
      compute_errors < vertical, true > (t, level, shared,
          stereo_pyramid_candidate (i), left, error);
    else
      compute_errors < vertical, false > (t, level, shared,
          stereo_pyramid_candidate (i), left, error);
    __syncthreads ();
    if (sums)
      compare_sums (error, i, key);
  }
  if (sums)
    store_keys (key, shared.key[group]);
  __syncthreads ();
  store_selected < vertical > (t, level, shared, from, to);
}

}                               // namespace

StereoStatus
stereo_pyramid_census_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  dim3 grid = pixel_grid (s->level);

  if (!stage.entered ())
    return stage.status ();
  grid.z = 2;
  launch_overlapping (s->queue, grid, pixel_block, 0, census_kernel,
      *s->level);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's census_kernel");
}

StereoStatus
stereo_pyramid_select_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_overlapping (s->queue, pyramid_grid (s->level->width,
          s->level->height, tile, tile), dim3 (groups * group_size), 0,
      s->from->dy != NULL ? select_kernel < true > : select_kernel < false >,
      *s->level, *s->from, *s->to);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's select_kernel");
}
