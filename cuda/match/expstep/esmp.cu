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
    word (result, i) = v.even[i] | v.odd[i] << 8;
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

__device__ __forceinline__ void
esmp_load_taps (const ExpstepArgs & a, int x, int y, int group, Taps * taps)
{
  const uint32_t own = pixel_at (a, x, y);

  taps->own = a.source[volume_at (a, own, group)];
  taps->before = a.source[volume_at (a, pixel_before (a, own, x), group)];
  taps->after = a.source[volume_at (a, pixel_after (a, own, x), group)];
  taps->weights = a.weights[own];
}

/* Messages after the pass along the row. */
template < int LANES > __device__ __forceinline__ void
row_messages (const ExpstepArgs & a, const Taps & t, const Place & p,
    Values & result)
{
  row_sums (t, &result);
  messages < LANES > (a, result, p);
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

/* Elements of shared memory for the last sums of a block. */
const int tile_size = expstep_threads * (16 + tile_padding);

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

/* Updates the right winners with the sums of a tile; all threads of the block
 * take part. */
__device__ __forceinline__ void
esmp_update_right (const ExpstepArgs & a, const Tile & t, int y)
{
  const int thread = (int) (threadIdx.y * blockDim.x + threadIdx.x);
  const int n_threads = (int) (blockDim.x * blockDim.y);
  /* the partner of the first pixel at the last disparity */
  const int x0 = t.x0 - (a.k.min_disparity + t.first + t.n - 1);

  for (int r = thread; r < t.n_pixels + t.n - 1; r += n_threads) {
    const int begin = max (0, r - t.n + 1), end = min (t.n_pixels, r + 1);
    const int i = begin + t.n - 1 - r;
    const uint16_t *sum = t.sums + begin * t.pitch + i;
    uint32_t index = (uint32_t) (t.first + i), best = STEREO_NO_WINNER;

    if (x0 + r < 0 || x0 + r >= a.k.width)
      continue;
#pragma unroll 4
    for (int p = begin; p < end; p++) {
      best = min (best, ((uint32_t) *sum << 16) + index);
      sum += t.pitch + 1;
      index++;
    }
    atomicMin (&a.winners.right[stereo_plane_offset (x0 + r, y,
                a.winners.right_stride)], best);
  }
}

/* The second minimum of a pixel, whose winner is its disparity at, in all its
 * lanes. */
template < int LANES > __device__ __forceinline__ uint32_t
esmp_second (const Values & sums, const Place & p, int at)
{
  const int winner = at - 16 * p.group;
  uint32_t second = ~0u;

#pragma unroll
  for (int i = 0; i < 16; i++) {
    const uint32_t w = i % 2 == 0 ? sums.even[i / 4] : sums.odd[i / 4];
    const uint32_t sum = i % 4 < 2 ? w & 0xffff : w >> 16;

    if ((unsigned) (i - winner + 1) > 2 && i < p.valid)
      second = min (second, sum);
  }
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    second = min (second, __shfl_xor_sync (0xffffffffu, second, lane));
  return min (second, STEREO_WINNER_NO_SECOND);
}

template < int LANES > __device__ __forceinline__ void
esmp_find_winners (const ExpstepArgs & a, int y, const Place & p,
    const Values & sums, uint16_t * shared)
{
  const int pixels = expstep_threads / LANES;
  const int pixel = (int) threadIdx.x / LANES;
  uint32_t best = expstep_winner (sums.even, sums.odd, p.valid);
  uint32_t second = 0;
  Tile t;

  best = p.valid > 0 ? best + (uint32_t) (16 * p.group) : 0xffffffffu;
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    best = min (best, __shfl_xor_sync (0xffffffffu, best, lane));
  if (a.winners.uniqueness)
    second = esmp_second < LANES > (sums, p, (int) (best & 0xffff));
  best += (uint32_t) a.first;
  if (a.winners.left == NULL) {
    if (p.x < a.k.width && p.group == 0)
      a.best[pixel_at (a, p.x, y)] = best;
    return;
  }

  t.sums = shared;
  t.pitch = 16 * LANES + tile_padding;
  t.x0 = (int) blockIdx.x * pixels;
  t.n_pixels = min (pixels, a.k.width - t.x0);
  t.first = a.first;
  t.n = a.count;
  store_sums (shared + pixel * t.pitch + 16 * p.group, sums.even, sums.odd);
  __syncthreads ();
  if (a.winners.right != NULL)
    esmp_update_right (a, t, y);
  if (p.x < a.k.width && p.group == 0) {
    LeftWinner w = find_neighbors (t, pixel, best);

    w.second = second;
    expstep_store_left (a, p.x, y, w);
  }
}

/* The pass along the column.  Lanes without a pixel or disparities duplicate
 * others.  shared: for the last pass */
template < int LANES, bool LAST > __device__ __forceinline__ void
column_messages (const ExpstepArgs & a, const ExpstepArgs & columns,
    const Place & p, const Column & c, uint16_t * shared)
{
  Values v;

  column_sums (c, LAST || a.refine ? 0u : 0x00800080u, &v);
  if (LAST) {
    esmp_find_winners < LANES > (a, c.y, p, in_order (v), shared);
    return;
  }
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
    a.target[volume_at (a, pixel_at (a, c.x, c.y), p.group)] = packed (v);
}

/* a, columns: arguments with the smoothness for passes along rows, and along
 * columns */
template < int LANES, bool LAST >
__global__ void __launch_bounds__ (expstep_threads, 7)
iterate_kernel (const __grid_constant__ ExpstepArgs a,
    const __grid_constant__ ExpstepArgs columns)
{
  /* double-buffered: the next turn may begin while the previous one is
   * searched */
  __shared__ uint32_t shared[LAST ? tile_size : 1];
  const Place p = make_place (a, thread_of_row () / LANES,
      thread_of_row () % LANES);
  const int x = min (p.x, a.k.width - 1), s = a.step;
  const int group = min (p.group, a.groups - 1);
  int y, n_before, n;

  /* the same for the whole block */
  if (!find_piece (a, (int) blockIdx.y, &y, &n_before, &n))
    return;

  Values ring[3] = { };
  Taps taps;
  uint32_t weights;

  if (n_before > 0) {
    esmp_load_taps (a, x, y - s, group, &taps);
    row_messages < LANES > (a, taps, p, ring[0]);
  }
  esmp_load_taps (a, x, y, group, &taps);
  row_messages < LANES > (a, taps, p, ring[1]);
  weights = taps.weights;
  if (y + s < a.k.height)
    esmp_load_taps (a, x, y + s, group, &taps);

  for (int i = 0; i < n; i++) {
    uint32_t next = taps.weights;

    /* Without a pixel below, its weight is 0. */
    if (y + s < a.k.height)
      row_messages < LANES > (a, taps, p, ring[2]);
    /* loads overlap with the column */
    if (i + 1 < n && y + 2 * s < a.k.height)
      esmp_load_taps (a, x, y + 2 * s, group, &taps);
    column_messages < LANES, LAST > (a, columns, p, Column { x, y, weights,
          ring[0], ring[1], ring[2] }, (uint16_t *) shared
        + (i & 1) * tile_size);
    ring[0] = ring[1];
    ring[1] = ring[2];
    weights = next;
    y += s;
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
    iterate_kernel < LANES, true > <<< grid, expstep_threads, 0,
        stage.stream () >>> (p.rows, p.columns);
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
