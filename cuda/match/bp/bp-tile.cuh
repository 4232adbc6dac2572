/* gst-stereomatching: a tile of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A tile has the neighbouring pixels of one checkerboard colour that share a
 * warp.
 */

#ifndef STEREO_BP_TILE_CUH
#define STEREO_BP_TILE_CUH

#include "match/bp/bp-costs.cuh"
#include "match/bp/bp-message.cuh"
#include "match/bp/bp-winners.cuh"

namespace
{

enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

/* Copies all four messages of a pixel from its parent. */
template < class F > __device__ __forceinline__ void
copy_pixel (const BpArgs & a, int l, int x, int y, int group)
{
#pragma unroll 1
  for (int direction = 0; direction < 4; direction++) {
    uint4 parts[F::message_parts];

    if (l == a.n_levels - 1)
      clear_parts (parts);
    else
      load_parts (a, message_at (a, a.level[l + 1], direction, x >> 1,
              y >> 1, group), parts);
    store_parts (a, message_at (a, a.level[l], direction, x, y, group),
        parts);
  }
}

/* Copies pixels that are read but never updated: those of the frame, and with
 * one iteration those of the other colour. */
template < class F, int LANES > __device__ __forceinline__ void
copy_tile (const BpArgs & a, int l, int tile)
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
copy_step (const BpArgs & a, int l, int warp, int n_warps)
{
  const int pixels = 32 / LANES;
  const int w = a.level[l].width, h = a.level[l].height;
  int n = a.iterations == 1 && l > 0 ? w * h : 2 * (w + h - 2);

  n = (n + pixels - 1) / pixels;
  /* warps with the fewest tiles to update come first */
#pragma unroll 1
  for (int tile = n_warps - 1 - warp; tile < n; tile += n_warps)
    copy_tile < F, LANES > (a, l, tile);
}

/* Messages to a pixel in the first iteration of level l. */
template < class F > __device__ __forceinline__ void
load_first_messages (const BpArgs & a, int l, const Place & place,
    int read_group, bool coarsest, uint4 (&parts)[4][F::message_parts])
{
#pragma unroll
  for (int j = 0; j < 4; j++) {
    int x = place.x + (j == LEFT) - (j == RIGHT);
    int y = place.y + (j == UP) - (j == DOWN);

    if (coarsest)
      clear_parts (parts[j]);
    else
      load_parts (a, message_at (a, a.level[l + 1], j, x >> 1, y >> 1,
              read_group), parts[j]);
  }
}

/* Iteration t of level l for a tile of row y, with results if RESULTS.
 * Iteration 0 reads messages of the coarser level; the one after the last has
 * results only.  place_of_row: index among the rows of the block. */
template < class F, int LANES, bool RESULTS >
__device__ __forceinline__ void
iterate_tile (const BpArgs & a, int l, int t, int y, int column,
    int place_of_row)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES, read_group = min (group, a.groups - 1);
  const BpLevel & level = a.level[l];
  const int frame = a.inner ? 1 : 0;
  const bool sends = a.inner && t < a.iterations;
  const bool coarsest = l == a.n_levels - 1;
  /* updated pixels have one colour, and their inputs the other */
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

  /* lanes without a pixel repeat the last one */
  bool exists = x <= last_x;
  Place place = { min (x, last_x), y, group, a.count - F::values * group };
  uint4 parts[4][F::message_parts];
  uint32_t in[4][F::words], sum[F::words];
  unsigned offset = message_offset (a, level, place.x, y, read_group);
  const Bounds < F > bounds = load_bounds < F > (a, level, place.x, y);

  if (t > 0 && a.inner) {
    unsigned last = right ? 0 : pixel;

    load_parts (a, other[2 * UP] + (offset + level.row), parts[UP]);
    load_parts (a, other[2 * DOWN] + (offset - level.row), parts[DOWN]);
    load_parts (a, other[2 * LEFT] + (offset + pixel - last), parts[LEFT]);
    load_parts (a, other[2 * RIGHT] + (offset - last), parts[RIGHT]);
  } else {
    load_first_messages < F > (a, l, place, read_group, coarsest, parts);
  }
  load_costs < F > (a, l, place, sum);
#pragma unroll
  for (int j = 0; j < 4; j++)
    unpack < F > (parts[j], in[j]);
#pragma unroll
  for (int i = 0; i < F::words; i++)
    sum[i] += in[UP][i] + in[DOWN][i] + in[LEFT][i] + in[RIGHT][i];

  if (RESULTS)
    give_result < F, LANES > (a, sum, place, x, exists, place_of_row);
  if (!sends)
    return;
  /* excludes the message from the receiver */
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

}                               // namespace

#endif /* STEREO_BP_TILE_CUH */
