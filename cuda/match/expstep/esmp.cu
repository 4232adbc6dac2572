/* gst-stereomatching: exponential step size message propagation on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * See expstep.cuh.  Messages combine all disparities of a pixel.  They are
 * adjacent in the volume, 16 per thread, and the threads of a pixel are 1, 2,
 * 4, 8, 16 or 32 adjacent lanes of a warp; surplus lanes idle.
 *
 * The disparities of a thread are two runs of 8 in the low and high halves of
 * 8 words: disparities i and i + 8 are word i.  Both runs are processed at
 * once, up and down; then the end of each run is propagated to the next run.
 * A message extends only while it costs less than the truncation and the range
 * of costs, seldom over more than 8 disparities.  If it does, ends of runs are
 * propagated to all runs first.
 */

#include "match/expstep/expstep.cuh"
#include "match/expstep/expstep-winners.cuh"

namespace
{

const int max_groups = 32;
/* Above all costs, without overflow in additions. */
const uint32_t infinite = 0x7fff7fffu;

struct Place
{
  int x;
  int group;
  int valid;                    /* its disparities, 0 to 16 */
};

__device__ __forceinline__ Place
make_place (const ExpstepArgs & a, int x, int group)
{
  return Place { x, group, max (0, min (16, a.count - 16 * group)) };
}

__device__ __forceinline__ int
thread_of_row ()
{
  return (int) (blockIdx.x * blockDim.x + threadIdx.x);
}

/* Mask of the halves of word i without a disparity. */
__device__ __forceinline__ uint32_t
no_disparity (int valid, int i)
{
  return (i < valid ? 0u : 0x0000ffffu) | (i + 8 < valid ? 0u : 0xffff0000u);
}

/* Word i of both runs. */
__device__ __forceinline__ uint32_t &
run_word (Values & v, int i)
{
  return i % 2 == 0 ? v.even[i / 2] : v.odd[i / 2];
}

/* A word of the lane `away` lanes before (UP) or after. */
template < int LANES, bool UP > __device__ __forceinline__ uint32_t
from_lane (uint32_t w, int group, int away)
{
  const uint32_t v = UP ? __shfl_up_sync (0xffffffffu, w, away, LANES)
      : __shfl_down_sync (0xffffffffu, w, away, LANES);

  return (UP ? group >= away : group + away < LANES) ? v : infinite;
}

/* Messages that enter both runs; ends: the last messages of both runs. */
template < int LANES, bool UP > __device__ __forceinline__ uint32_t
enter_runs (const ExpstepArgs & a, uint32_t ends, int group)
{
  const uint32_t eight = a.jumps[7];
  uint32_t all = ends, others, carry;

  if (a.far) {
    uint32_t step = eight;

    /* the message that leaves the second run; UP: the high half */
    all = __viaddmin_u16x2 (__byte_perm (ends, 0, 0x1032), eight, ends);
#pragma unroll
    for (int away = 1; away < LANES; away *= 2) {
      /* 255 means infinity */
      step = __vminu2 (step + step, 0x00ff00ffu);
      all = __viaddmin_u16x2 (from_lane < LANES, UP > (all, group, away),
          step, all);
    }
  }
  others = from_lane < LANES, UP > (all, group, 1);
  carry = UP ? __byte_perm (others, ends, 0x5432)
      : __byte_perm (ends, others, 0x5432);
  if (a.far)
    carry = __viaddmin_u16x2 (__byte_perm (carry, infinite, UP ? 0x1054
            : 0x5432), eight, carry);
  return carry;
}

/* Messages from lower (UP) or from higher disparities. */
template < int LANES, bool UP > __device__ __forceinline__ void
propagate (const ExpstepArgs & a, Values & v, int group)
{
  uint32_t carry;

#pragma unroll
  for (int i = 1; i < 8; i++) {
    uint32_t & own = run_word (v, UP ? i : 7 - i);

    own = __viaddmin_u16x2 (run_word (v, UP ? i - 1 : 8 - i), a.jumps[0],
        own);
  }
  carry = enter_runs < LANES, UP > (a, run_word (v, UP ? 7 : 0), group);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t & own = run_word (v, UP ? i : 7 - i);

    own = __viaddmin_u16x2 (carry, a.jumps[i], own);
  }
}

/* The minimum over all lanes of a pixel, in both halves. */
template < int LANES > __device__ __forceinline__ uint32_t
smallest (const Values & v)
{
  uint32_t m = v.even[0];

#pragma unroll
  for (int i = 0; i < 4; i++)
    m = __vimin3_u16x2 (m, v.even[i], v.odd[i]);
  m = __vminu2 (m, __byte_perm (m, 0, 0x1032));
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    m = __vminu2 (m, __shfl_xor_sync (0xffffffffu, m, lane));
  return m;
}

/* Replaces C by M; all lanes of the warp take part. */
template < int LANES > __device__ __forceinline__ void
messages (const ExpstepArgs & a, Values & v, const Place & p)
{
  if (p.valid < 16) {
#pragma unroll
    for (int i = 0; i < 8; i++)
      run_word (v, i) |= no_disparity (p.valid, i) & 0x00ff00ffu;
  }
  if ((a.truncation & 255) < 255) {
    uint32_t highest = smallest < LANES > (v) + (uint32_t) a.truncation;

#pragma unroll
    for (int i = 0; i < 4; i++) {
      v.even[i] = __vminu2 (v.even[i], highest);
      v.odd[i] = __vminu2 (v.odd[i], highest);
    }
  }
  propagate < LANES, true > (a, v, p.group);
  propagate < LANES, false > (a, v, p.group);
}

__device__ __forceinline__ uint4
packed (const Values & v)
{
  uint4 result;

#pragma unroll
  for (int i = 0; i < 4; i++)
    word (result, i) = v.even[i] + 256 * v.odd[i];
  return result;
}

/* The index of a group of disparities of a pixel: a product of 32 bits by
 * 32. */
__device__ __forceinline__ size_t
volume_at (const ExpstepArgs & a, uint32_t pixel, int group)
{
  return (size_t) pixel * (uint32_t) a.groups + (uint32_t) group;
}

/* Lanes differ in the messages only, which are little of the code. */
__device__ __forceinline__ void
messages_of (const ExpstepArgs & a, int lanes, Values & v, const Place & p)
{
  switch (lanes) {
    case 1:
      return messages < 1 > (a, v, p);
    case 2:
      return messages < 2 > (a, v, p);
    case 4:
      return messages < 4 > (a, v, p);
    case 8:
      return messages < 8 > (a, v, p);
    case 16:
      return messages < 16 > (a, v, p);
    default:
      return messages < 32 > (a, v, p);
  }
}

/* lanes: 1 << shift */
__global__ void __launch_bounds__ (expstep_threads)
cost_kernel (const __grid_constant__ ExpstepArgs a, int lanes, int shift)
{
  const Place p = make_place (a, thread_of_row () >> shift,
      thread_of_row () & (lanes - 1));
  const int x = min (p.x, a.k.width - 1), y = (int) blockIdx.y;
  const uint4 c = expstep_costs (a, x, y, p.group);
  Values v;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    const uint32_t w = __byte_perm (word (c, i / 2), word (c, i / 2 + 2),
        i % 2 == 0 ? 0x5410 : 0x7632);

    v.even[i] = even (w);
    v.odd[i] = odd (w);
  }
  messages_of (a, lanes, v, p);
  if (p.x < a.k.width && p.valid > 0)
    a.target[volume_at (a, pixel_at (a, x, y), p.group)] = packed (v);
}

/* Replaces sums by costs above the minimum of the pixel, in finer steps. */
template < int LANES > __device__ __forceinline__ void
refine (Values & c, const Place & p)
{
  if (p.valid < 16) {
#pragma unroll
    for (int i = 0; i < 8; i++)
      run_word (c, i) |= no_disparity (p.valid, i);
  }
  uint32_t least = smallest < LANES > (c);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    /* below 2^15 there is no carry; larger values are truncated below */
    uint32_t e = __vminu2 (__vsub2 (c.even[i], least), 0x7fff7fffu);
    uint32_t o = __vminu2 (__vsub2 (c.odd[i], least), 0x7fff7fffu);

    c.even[i] = __vminu2 ((e + 0x00400040u) >> 7 & 0x01ff01ffu, 0x00ff00ffu);
    c.odd[i] = __vminu2 ((o + 0x00400040u) >> 7 & 0x01ff01ffu, 0x00ff00ffu);
  }
}

/* Sums of runs in the order of expstep.cuh. */
__device__ __forceinline__ Values
in_order (const Values & runs)
{
  Values v;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int from = 2 * (i % 2), halves = i < 2 ? 0x5410 : 0x7632;

    v.even[i] = __byte_perm (runs.even[from], runs.even[from + 1], halves);
    v.odd[i] = __byte_perm (runs.odd[from], runs.odd[from + 1], halves);
  }
  return v;
}

/* Pixels of a block, of a warp, and the distance of right winners of adjacent
 * groups: an odd multiple of the pixels of a warp, so that its lanes address
 * different banks. */
template < int LANES > struct Shape
{
  static const int pixels = expstep_threads / LANES;
  static const int warp_pixels = 32 / LANES;
  static const int right_pitch = ((pixels + 14) / warp_pixels + 1 | 1)
      * warp_pixels;
};

template < int LANES >
__device__ __forceinline__ Tiles < Shape < LANES >::pixels >
esmp_tiles (const ExpstepArgs & a)
{
  extern __shared__ uint32_t shared[];

  return { LANES, Shape < LANES >::right_pitch,
      (int) blockIdx.x * Shape < LANES >::pixels, a.first, a.count,
      (uint16_t *) shared };
}

/* Stores the best sum of a left pixel with its index, nothing else. */
template < int LANES > __device__ __forceinline__ void
store_best (const ExpstepArgs & a, const Place & p, const Values & sums, int y)
{
  uint32_t best = expstep_winner (sums.even, sums.odd, p.valid);

  best = p.valid > 0 ? best + (uint32_t) (16 * p.group) : 0xffffffffu;
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    best = min (best, __shfl_xor_sync (0xffffffffu, best, lane));
  if (p.x < a.k.width && p.group == 0)
    a.best[pixel_at (a, p.x, y)] = best + (uint32_t) a.first;
}

/* Stores the messages of a pixel from its sums.  Lanes without a pixel or
 * disparities duplicate others. */
template < int LANES > __device__ __forceinline__ void
store_messages (const ExpstepArgs & a, const ExpstepArgs & columns,
    const Place & p, Values v, int y)
{
  if (a.refine) {
    refine < LANES > (v, p);
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      v.even[i] = high_bytes (v.even[i]);
      v.odd[i] = high_bytes (v.odd[i]);
    }
  }
  messages < LANES > (columns, v, p);
  if (p.x < a.k.width && p.valid > 0)
    a.target[volume_at (a, pixel_at (a, p.x, y), p.group)] = packed (v);
}

/* a, columns: arguments with the smoothness for passes along rows, and along
 * columns */
template < int LANES, bool LAST >
__global__ void __launch_bounds__ (expstep_threads, LAST ? 7 : 8)
iterate_kernel (const __grid_constant__ ExpstepArgs a,
    const __grid_constant__ ExpstepArgs columns)
{
  const Place p = make_place (a, thread_of_row () / LANES,
      thread_of_row () % LANES);
  const int x = min (p.x, a.k.width - 1), s = a.step;
  const int group = min (p.group, a.groups - 1);
  Piece piece;

  /* the same for the whole block */
  if (!find_piece (a, (int) blockIdx.y, &piece))
    return;

  const Tiles < Shape < LANES >::pixels > tiles = esmp_tiles < LANES > (a);
  const TilePlace place = tile_place (a, tiles, (int) threadIdx.x / LANES,
      p.group);
  const uint32_t start = LAST || a.refine ? 0 : 0x00800080u;
  const int before = piece.has_before ? 1 : 0;
  int y = piece.y - before * s, turn = 0;
  Source source = make_source (a, a.source + group, a.groups, x, y);
  ColumnPass pass = { };
  Taps taps;

  if (LAST)
    tile_clear (tiles);
  load_taps (a, source, &taps);
  for (int i = -before; i <= piece.n; i++, y += s) {
    const uint32_t weights = taps.weights;
    Values row, column;

    /* below the image, with a weight of 0, those of the last row again */
    row_sums (taps, &row);
    messages < LANES > (a, row, p);
    /* loads overlap with the column */
    if (i < piece.n && y + s < a.k.height)
      load_next_taps (a, &source, &taps);
    column = finish_row (pass, row);
    if (i > 0 && !LAST) {
      store_messages < LANES > (a, columns, p, column, y - s);
    } else if (i > 0 && a.winners.left == NULL) {
      store_best < LANES > (a, p, in_order (column), y - s);
    } else if (i > 0) {
      tile_add (tiles, place, turn++, in_order (column));
      if (turn == tile_turns || i == piece.n) {
        tile_search (a, tiles, y - turn * s, turn);
        turn = 0;
      }
    }
    begin_row (&pass, row, weights, start);
  }
}

int
esmp_plan (const StereoSearch *, const StereoExpstepConstants * k,
    const StereoExpstepPass *, int n_passes, StereoExpstepWork * work,
    StereoArena * arena)
{
  size_t plane = expstep_plan_planes (k, n_passes, work, arena);
  size_t groups = ((size_t) (k->end_index - k->first_index) + 15) / 16;

  if (groups > max_groups)
    return -16 * max_groups;
  for (int i = 0; i < 2; i++)
    stereo_arena_add (arena, (void **) &work->volume[i], plane * groups, 16);
  return 16 * (int) groups;
}

/* Sets the smoothness before or after costs get finer. */
void
set_smoothness (const StereoExpstepConstants * k, bool fine, ExpstepArgs * a)
{
  int jump = k->jump[fine], truncation = k->truncation[fine];

  for (int i = 0; i < 8; i++)
    a->jumps[i] = splat_u16 ((i + 1) * jump);
  a->truncation = splat_u16 (truncation);
  /* A message over n disparities costs n jumps, less than the truncation. */
  a->far = a->count > 8 && 9 * jump < truncation;
}

int
lanes_for (int groups)
{
  int lanes = 1;

  while (lanes < groups)
    lanes *= 2;
  return lanes;
}

StereoStatus
esmp_cost (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);
  ExpstepArgs a;

  if (!stage.entered ())
    return stage.status ();
  expstep_args (k, work, chunk, &a);
  set_smoothness (k, false, &a);

  const int lanes = lanes_for (a.groups);

  cost_kernel <<< rows_grid (a.k.width * lanes, a.k.height, 1),
      expstep_threads, 0, stage.stream () >>> (a, lanes, __builtin_ctz (lanes));
  return STEREO_CUDA_LAUNCHED (stage, "esmp's cost_kernel");
}

struct Pass
{
  ExpstepArgs rows;
  ExpstepArgs columns;
  int places;
  bool last;
};

template < int LANES > void
launch_pass (StereoCudaStage & stage, const Pass & p)
{
  const dim3 grid = rows_grid (p.rows.k.width * LANES, p.places, 1);

  if (p.last)
    iterate_kernel < LANES, true > <<< grid, expstep_threads,
        tile_bytes < Shape < LANES >::pixels > (LANES,
            Shape < LANES >::right_pitch), stage.stream () >>> (p.rows,
            p.columns);
  else
    iterate_kernel < LANES, false > <<< grid, expstep_threads, 0,
        stage.stream () >>> (p.rows, p.columns);
}

void
launch_lanes (StereoCudaStage & stage, int lanes, const Pass & p)
{
  switch (lanes) {
    case 1:
      return launch_pass < 1 > (stage, p);
    case 2:
      return launch_pass < 2 > (stage, p);
    case 4:
      return launch_pass < 4 > (stage, p);
    case 8:
      return launch_pass < 8 > (stage, p);
    case 16:
      return launch_pass < 16 > (stage, p);
    default:
      return launch_pass < 32 > (stage, p);
  }
}

StereoStatus
esmp_iterate (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);
  Pass p;
  ExpstepArgs & a = p.rows;

  if (!stage.entered ())
    return stage.status ();
  expstep_pass_args (k, pass->step, index, work, chunk, &a);
  a.refine = index == STEREO_EXPSTEP_FINE_PASS - 1 && !last;
  set_smoothness (k, index >= STEREO_EXPSTEP_FINE_PASS, &a);
  const size_t pixels = expstep_pixels (a);

  /* messages are expensive: with enough work, long pieces repeat few of
   * them */
  p.places = expstep_cut_chains (pixels < (size_t) 1 << 18 ? 4
      : pixels < (size_t) 1 << 22 ? 8 : 32, &a);
  p.last = last;
  p.columns = a;
  set_smoothness (k, index >= STEREO_EXPSTEP_FINE_PASS - 1, &p.columns);
  launch_lanes (stage, lanes_for (a.groups), p);
  return STEREO_CUDA_LAUNCHED (stage, "esmp's iterate_kernel");
}

}                               // namespace

extern "C" const void *stereo_esmp_stages_cuda (void);

extern "C" const void *
stereo_esmp_stages_cuda (void)
{
  static const StereoExpstepStages stages = {
    .plan = esmp_plan,
    .prepare = stereo_expstep_prepare_cuda,
    .cost = esmp_cost,
    .iterate = esmp_iterate,
    .finish = stereo_expstep_finish_cuda,
  };

  return &stages;
}
