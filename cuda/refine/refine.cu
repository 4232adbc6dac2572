/* gst-stereomatching: from winners to a disparity map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Speckle filter: connected components by union-find.  The root of a component
 * is its first pixel in row-major order.
 *
 *   1  Each block labels a tile in shared memory: runs within a row by a
 *      ballot, then connections between rows.  Each pixel stores its root in
 *      the tile, each root the number of its pixels in the tile.  Pixels are
 *      undecided if that is too small.
 *   2  Connections across tile borders unite undecided roots by atomic minima.
 *      If one of both roots is decided, the other one gets a sufficient count.
 *   3  Each undecided root adds its count to that of the component's root, and
 *      points to it.
 *   4  Each undecided pixel reaches the size of its component in two steps.
 *
 * Blocks do not synchronize, and the result does not depend on their order.
 */

#include "refine/refine.cuh"

#include "refine/output.h"
#include "refine/winner-formula.h"

namespace
{

/* A row of a tile is a warp. */
const int tile_width = 32;
const int tile_height = 16;
const int tile_pixels = tile_width * tile_height;

/* The undecided pixels of a row of a tile, and the roots among them. */
struct Undecided
{
  uint32_t pixels, roots;
};

__device__ __forceinline__ Undecided *
undecided_row (const StereoRefineConstants & k, const StereoRefineWork & work,
    int y)
{
  const int columns = (int) stereo_blocks (k.width, tile_width);

  return (Undecided *) work.undecided + (size_t) y * columns;
}

dim3
refine_grid (const StereoRefineConstants * k)
{
  return stereo_pixel_grid (k->width, k->height);
}

/* ------------------------------------------------------- check and speckles */

__global__ void
confirm_kernel (const StereoRefineConstants k, const StereoWinners winners,
    const uint32_t * mirrored)
{
  int x, y;

  if (!stereo_own_pixel (k.width, k.height, &x, &y))
    return;
  const size_t row = (size_t) y * winners.left_stride;
  uint32_t *right = winners.right + (size_t) y * winners.right_stride + x;

  pdl_wait ();
  *right = stereo_winner_confirmed (winners.left + row,
      mirrored[row + (k.width - 1 - x)], *right, k.width,
      x + k.min_disparity, k.lr_max_diff);
}

StereoStatus
refine_confirm (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const uint32_t * mirrored)
{
  return run_kernel (queue, "confirm_kernel", true, refine_grid (k),
      stereo_pixel_block, 0, confirm_kernel, *k, *winners, mirrored);
}

__device__ bool
together (int unit, unsigned a, unsigned b)
{
  return a != STEREO_INVALID && b != STEREO_INVALID
      && (a > b ? a - b : b - a) <= (unsigned) unit;
}

/* The code of a winner, or STEREO_INVALID if it fails the check. */
__device__ unsigned
checked_code (const StereoRefineConstants & k, const StereoWinners & winners,
    int x, int y)
{
  const uint32_t word = winners.left[stereo_plane_offset (x, y,
          winners.left_stride)];
  const unsigned index = stereo_winner_index (word);

  if (index == STEREO_INVALID)
    return STEREO_INVALID;
  if (k.lr_max_diff >= 0) {
    const int partner = x - (int) index - k.min_disparity;

    if (partner < 0 || partner >= k.width)
      return STEREO_INVALID;
    const unsigned other = stereo_winner_index (winners.right
        [stereo_plane_offset (partner, y, winners.right_stride)]);

    if (other == STEREO_INVALID || abs ((int) other - (int) index)
        > k.lr_max_diff)
      return STEREO_INVALID;
  }
  return stereo_winner_code (k.unit, word);
}

/* Empties the list of holes, by one thread of the grid. */
__device__ void
clear_holes (const StereoRefineWork & work)
{
  if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
    *work.all_holes = 0;
}

__global__ void
check_kernel (const StereoRefineConstants k, const StereoWinners winners,
    const StereoRefineWork work)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  pdl_start ();
  clear_holes (work);
  if (x < k.width && y < k.height)
    map_at (work.map, x, y) = (uint16_t) checked_code (k, winners, x, y);
}

/* A label that other threads may change concurrently. */
__device__ uint32_t
current (uint32_t * label)
{
  return __isShared (label) ? atomicMax (label, 0)
      : *(volatile uint32_t *) label;
}

__device__ uint32_t
find_root (uint32_t * labels, uint32_t i)
{
  for (uint32_t up; (up = current (&labels[i])) != i;)
    i = up;
  return i;
}

/* Unites two trees.  A root is the lowest label of its tree, so the higher of
 * two roots is attached to the lower one; repeats if another thread changed it
 * first. */
__device__ void
unite (uint32_t * labels, uint32_t a, uint32_t b)
{
  for (;;) {
    a = find_root (labels, a);
    b = find_root (labels, b);
    if (a == b)
      return;
    if (a < b) {
      const uint32_t swap = a;

      a = b;
      b = swap;
    }
    const uint32_t before = atomicMin (&labels[a], b);

    if (before == a)
      return;
    a = before;
  }
}

__global__ void
__launch_bounds__ (tile_pixels) label_kernel (const StereoRefineConstants k,
    const StereoWinners winners, const StereoRefineWork work)
{
  __shared__ uint16_t codes[tile_height][tile_width];
  __shared__ uint32_t labels[tile_pixels];
  __shared__ uint32_t counts[tile_pixels];
  const int column = (int) threadIdx.x, row = (int) threadIdx.y;
  const uint32_t own = (uint32_t) (row * tile_width + column);
  const int left = (int) blockIdx.x * tile_width;
  const int top = (int) blockIdx.y * tile_height;
  const bool inside = left + column < k.width && top + row < k.height;

  pdl_start ();
  clear_holes (work);
  const unsigned code = inside
      ? checked_code (k, winners, left + column, top + row) : STEREO_INVALID;
  const unsigned before = __shfl_up_sync (0xffffffff, code, 1);
  const bool goes_on = column > 0 && together (k.unit, code, before);
  const uint32_t starts = ~__ballot_sync (0xffffffff, goes_on);
  const int start = 31 - __clz ((int) (starts & (uint32_t) ((2ull << column)
              - 1)));

  codes[row][column] = (uint16_t) code;
  labels[own] = (uint32_t) (row * tile_width + start);
  counts[own] = 0;
  __syncthreads ();

  if (row > 0 && together (k.unit, code, codes[row - 1][column])) {
    /* the pixels to the left already connect both runs */
    const bool known = goes_on
        && together (k.unit, codes[row - 1][column], codes[row - 1][column - 1])
        && together (k.unit, before, codes[row - 1][column - 1]);

    if (!known)
      unite (labels, own, own - tile_width);
  }
  __syncthreads ();

  uint32_t root = own;

  while (labels[root] != root)
    root = labels[root];
  if (column == start && code != STEREO_INVALID) {
    const uint32_t later = starts & ~(uint32_t) ((2ull << column) - 1);

    atomicAdd (&counts[root], (later == 0 ? 32 : __ffs ((int) later) - 1)
        - (uint32_t) column);
  }
  __syncthreads ();

  const bool small = code != STEREO_INVALID
      && counts[root] < (uint32_t) k.speckle_size;
  const Undecided undecided = { __ballot_sync (0xffffffff, small),
    __ballot_sync (0xffffffff, small && root == own)
  };

  if (!inside)
    return;
  const size_t pixel = stereo_plane_offset (left + column, top + row, k.width);

  if (column == 0)
    undecided_row (k, work, top + row)[blockIdx.x] = undecided;
  map_at (work.map, left + column, top + row) = (uint16_t) code;
  work.labels[pixel] = (top + root / tile_width) * k.width + left
      + root % tile_width;
  if (root == own)
    work.sizes[pixel] = counts[own];
}

/* Each thread handles one pixel right of a vertical tile border, or below a
 * horizontal one; vertical borders come first. */
__global__ void
join_kernel (const StereoRefineConstants k, const StereoRefineWork work)
{
  const int columns = (k.width - 1) / tile_width;
  const int rows = (k.height - 1) / tile_height;
  int i = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const bool to_left = i < columns * k.height;
  int x, y;

  if (to_left) {
    x = (i % columns + 1) * tile_width;
    y = i / columns;
  } else {
    i -= columns * k.height;
    if (i >= rows * k.width)
      return;
    x = i % k.width;
    y = (i / k.width + 1) * tile_height;
  }
  pdl_start ();
  const uint16_t *row = &map_at (work.map, x, y);
  const uint16_t *other = to_left ? row - 1 : row - work.map.stride;
  const int pixel = y * k.width + x;

  if (!together (k.unit, *row, *other))
    return;
  if (!to_left && x % tile_width > 0 && together (k.unit, *row, row[-1])
      && together (k.unit, *other, other[-1])
      && together (k.unit, row[-1], other[-1]))
    return;
  if (to_left && y % tile_height > 0) {
    const uint16_t *row_above = row - work.map.stride;
    const uint16_t *other_above = other - work.map.stride;

    if (together (k.unit, *row, *row_above)
        && together (k.unit, *other, *other_above)
        && together (k.unit, *row_above, *other_above))
      return;
  }
  const uint32_t root = current (&work.labels[pixel]);
  const uint32_t other_root = current (&work.labels[to_left ? pixel - 1
          : pixel - k.width]);

  const uint32_t enough = (uint32_t) k.speckle_size;
  const bool large = work.sizes[root] >= enough;

  if (large != (work.sizes[other_root] >= enough))
    atomicMax (&work.sizes[large ? other_root : root], enough);
  else if (!large)
    unite (work.labels, root, other_root);
}

/* Each thread handles the roots in a row of a tile. */
__global__ void
count_kernel (const StereoRefineConstants k, const StereoRefineWork work)
{
  int column, y;

  if (!stereo_own_pixel ((int) stereo_blocks (k.width, tile_width), k.height,
          &column, &y))
    return;
  pdl_start ();
  for (uint32_t roots = undecided_row (k, work, y)[column].roots; roots != 0;
      roots &= roots - 1) {
    const uint32_t i = (uint32_t) (y * k.width + column * tile_width
        + __ffs ((int) roots) - 1);
    const uint32_t root = find_root (work.labels, i), size = work.sizes[i];

    if (root == i)
      continue;
    /* the sum of sufficient counts might overflow */
    if (size < (uint32_t) k.speckle_size)
      atomicAdd (&work.sizes[root], size);
    else
      atomicMax (&work.sizes[root], size);
    *(volatile uint32_t *) &work.labels[i] = root;
  }
}

/* Each thread handles pixels_at_once neighbouring pixels. */
const int pixels_at_once = 4;

__global__ void
speckle_kernel (const StereoRefineConstants k, const StereoRefineWork work)
{
  int x, y;

  if (!stereo_own_pixel ((int) stereo_blocks (k.width, pixels_at_once),
          k.height, &x, &y))
    return;
  x *= pixels_at_once;
  pdl_start ();
  const uint32_t undecided = undecided_row (k, work, y)[x / tile_width].pixels
      >> x % tile_width;

#pragma unroll
  for (int i = 0; i < pixels_at_once; i++) {
    if ((undecided >> i & 1) == 0)
      continue;
    const uint32_t root = work.labels[work.labels[y * k.width + x + i]];

    if (work.sizes[root] < (uint32_t) k.speckle_size)
      map_at (work.map, x + i, y) = STEREO_INVALID;
  }
}

StereoStatus
refine_check (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  StereoCudaStage stage (queue);
  const int borders = (k->width - 1) / tile_width * k->height
      + (k->height - 1) / tile_height * k->width;

  if (!stage.entered ())
    return stage.status ();
  if (k->speckle_size <= 1) {
    launch_overlapping (queue, refine_grid (k), stereo_pixel_block, 0,
        check_kernel, *k, *winners, *work);
    return STEREO_CUDA_LAUNCHED (stage, "check_kernel");
  }
  launch_overlapping (queue, dim3 (stereo_blocks (k->width, tile_width),
          stereo_blocks (k->height, tile_height)), dim3 (tile_width,
          tile_height), 0,
      label_kernel, *k, *winners, *work);
  if (borders > 0)
    launch_overlapping (queue, stereo_blocks (borders, 256), 256, 0,
        join_kernel, *k, *work);
  launch_overlapping (queue, stereo_pixel_grid ((int) stereo_blocks (k->width,
              tile_width), k->height), stereo_pixel_block, 0, count_kernel, *k,
      *work);
  launch_overlapping (queue, stereo_pixel_grid ((int) stereo_blocks (k->width,
              pixels_at_once), k->height), stereo_pixel_block, 0,
      speckle_kernel, *k, *work);
  return STEREO_CUDA_LAUNCHED (stage, "speckle_kernel");
}

/* ------------------------------------------------------ median and encoding */

/* Where the final codes of a map go. */
struct FinishArgs
{
  int width, height;
  StereoMap map;
  StereoMap final;              /* data is NULL if it is not wanted */
  StereoOutput output;
};

__device__ void
finish_store (const FinishArgs & a, int x, int y, unsigned code)
{
  refine_store (a.final, a.output, x, y, code);
}

__global__ void
encode_kernel (const __grid_constant__ FinishArgs a)
{
  int x, y;

  pdl_start ();
  if (stereo_own_pixel (a.width, a.height, &x, &y))
    finish_store (a, x, y, map_at (a.map, x, y));
}

/* Three sorted numbers, in both halves of words. */
struct Sorted
{
  uint32_t low, middle, high;
};

__device__ Sorted
sorted (uint32_t a, uint32_t b, uint32_t c)
{
  Sorted s = { __vimin3_u16x2 (a, b, c), 0, __vimax3_u16x2 (a, b, c) };

  s.middle = a ^ b ^ c ^ s.low ^ s.high;
  return s;
}

/* 3x3 median, two pixels per thread. */
__global__ void
median_kernel (const __grid_constant__ FinishArgs a)
{
  const int x = 2 * (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  uint32_t v[3][3];

  if (x >= a.width || y >= a.height)
    return;
  pdl_start ();
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const uint16_t *row = &map_at (a.map, 0, stereo_clamp_int (y + i - 1, 0,
            a.height - 1));
    const uint32_t before = row[max (x - 1, 0)];
    const uint32_t behind = row[min (x + 2, a.width - 1)];
    const uint32_t own = x + 1 < a.width ? *(const uint32_t *) (row + x)
        : splat_u16 (row[x]);

    v[0][i] = __byte_perm (before, own, 0x5410);
    v[1][i] = own;
    v[2][i] = __byte_perm (own, behind, 0x5432);
  }

  /* either all codes are valid or none is */
  const Sorted left = sorted (v[0][0], v[0][1], v[0][2]);
  const Sorted center = sorted (v[1][0], v[1][1], v[1][2]);
  const Sorted right = sorted (v[2][0], v[2][1], v[2][2]);
  const uint32_t medians = sorted (__vimax3_u16x2 (left.low, center.low,
          right.low), sorted (left.middle, center.middle, right.middle).middle,
      __vimin3_u16x2 (left.high, center.high, right.high)).middle;

  finish_store (a, x, y, medians & 0xffff);
  if (x + 1 < a.width)
    finish_store (a, x + 1, y, medians >> 16);
}

StereoStatus
refine_finish (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoMap * final, const StereoOutput * output)
{
  const FinishArgs args = { k->width, k->height, *map, map_or_none (final),
    *output
  };

  (void) work;
  if (stereo_refine_has_median (k))
    return run_kernel (queue, "median_kernel", true,
        dim3 (stereo_blocks (k->width, 64), stereo_blocks (k->height, 8)),
        stereo_pixel_block, 0, median_kernel, args);
  return run_kernel (queue, "encode_kernel", true, refine_grid (k),
      stereo_pixel_block, 0, encode_kernel, args);
}

/* -------------------------------------------------------------- invalidate */

__global__ void
invalidate_kernel (const StereoRefineConstants k, const StereoMap map,
    const uint8_t * confidence, const StereoOutput output)
{
  int x, y;

  if (!stereo_own_pixel (k.width, k.height, &x, &y))
    return;
  pdl_wait ();
  if ((!k.fill && map_at (map, x, y) == STEREO_INVALID)
      || (k.min_confidence > 0
          && confidence[(size_t) y * k.width + x] < k.min_confidence))
    stereo_store_raw (&output, x, y, (uint16_t) output.invalid);
}

StereoStatus
refine_invalidate (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoOutput * output)
{
  return run_kernel (queue, "invalidate_kernel", true, refine_grid (k),
      stereo_pixel_block, 0, invalidate_kernel, *k, work->map,
      work->confidence, *output);
}

/* -------------------------------------------------------------------- plan */

void
refine_add_map (const StereoRefineConstants * k, StereoMap * map,
    StereoArena * arena)
{
  map->stride = ((size_t) k->width + 63) / 64 * 64;
  stereo_arena_add (arena, (void **) &map->data,
      map->stride * (size_t) k->height, sizeof (uint16_t));
}

void
refine_plan (const StereoRefineConstants * k, StereoRefineWork * work,
    StereoArena * arena)
{
  const size_t pixels = (size_t) k->width * (size_t) k->height;
  size_t begin, end;

  refine_add_map (k, &work->map, arena);
  refine_add_map (k, &work->final, arena);
  if (k->min_confidence > 0)
    stereo_arena_add (arena, (void **) &work->confidence, pixels, 1);
  stereo_arena_add (arena, (void **) &work->all_holes, 1, sizeof (uint32_t));

  begin = arena->next;
  if (k->speckle_size > 1) {
    stereo_arena_add (arena, (void **) &work->labels, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->sizes, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->undecided,
        (size_t) stereo_blocks (k->width, tile_width) * (size_t) k->height,
        sizeof (Undecided));
  }
  /* Slopes and later buffers share the memory of the speckle filter. */
  end = arena->next;
  stereo_arena_go_to (arena, begin);
  stereo_arena_add (arena, (void **) &work->slopes[0],
      work->map.stride * (size_t) k->height, 2 * sizeof (int16_t));
  if (k->fill) {
    refine_add_map (k, &work->filled, arena);
    stereo_arena_add (arena, (void **) &work->n_holes, (size_t) k->height,
        sizeof (uint32_t));
  }
  if (k->fill && k->refine != STEREO_REFINE_NONE)
    stereo_arena_add (arena, (void **) &work->holes, pixels,
        sizeof (uint32_t));
  stereo_arena_go_beyond (arena, end);
}

}                               // namespace

extern "C" const void *
stereo_refine_stages_cuda (void)
{
  static const StereoRefineStages stages = {
    .plan = refine_plan,
    .confirm = refine_confirm,
    .check = refine_check,
    .fill = stereo_cuda_fill,
    .slopes = stereo_cuda_slopes,
    .vote_fill = stereo_cuda_vote_fill,
    .finish = refine_finish,
    .slanted_median = stereo_cuda_slanted_median,
    .confidence = stereo_cuda_confidence,
    .invalidate = refine_invalidate,
  };

  return &stages;
}
