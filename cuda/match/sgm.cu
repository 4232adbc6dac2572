/* gst-stereomatching: semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A warp has all disparities of a pixel: a lane has 2 PAIRS of them, in pairs
 * of 16 bits, as they lie in the sums. Costs are made anew from the views
 * wherever they are needed, which is less than reading them.
 *
 * Paths: a warp follows one path, with L in registers. The sweeps come one
 * after another; each reads the sums and writes them.
 *
 * Strips: a block follows one strip, a warp for each of its pixels, with L of
 * two lines in shared memory. All sweeps run side by side, so they add to the
 * sums without reading them.
 *
 * A third kernel finds the winners of both views, row by row.
 */

#include "core/device.cuh"
#include "core/queue-cuda.h"
#include "match/sgm-pixel.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"

namespace
{

const int lanes = 32;
const int path_warps = 4;       /* in a block */
const int winner_threads = 256;
const int max_disparities = 1024;

/* In both halves: more than any cost, also with a penalty. */
const uint32_t nowhere = 0xf0f0f0f0;

struct Args
{
  StereoSgmConstants k;
  StereoSgmViews views;
  uint32_t *sums;               /* pairs, n_pairs to a pixel */
  int n_pairs;
};

struct WinnerArgs
{
  Args a;
  StereoWinners winners;
  StereoMap map;
  StereoOutput output;
  bool refine;
  bool encode;
};

__device__ __forceinline__ uint32_t
both (uint32_t value)
{
  return value | value << 16;
}

/* C of index i at pixel (x, y). */
__device__ __forceinline__ uint32_t
cost_at (const Args & a, int x, int y, int i)
{
  const int d = a.k.min_disparity + a.k.first_index + i;
  const int xl = stereo_partner_column (a.k.width, x, d);

  if (a.k.cost == STEREO_COST_CENSUS)
    return stereo_census_cost (stereo_census_word (&a.views.left_census, xl,
            y), stereo_census_word (&a.views.right_census, xl - d, y));
  return stereo_sgm_difference_cost (a.k.cost, a.k.channels,
      stereo_view_pixel (&a.views.left, a.k.channels, xl, y),
      stereo_view_pixel (&a.views.right, a.k.channels, xl - d, y));
}

/* Those of a lane; anything where there is no disparity. */
template < int PAIRS > __device__ __forceinline__ void
load_costs (const Args & a, int x, int y, int lane, uint32_t c[PAIRS])
{
#pragma unroll
  for (int p = 0; p < PAIRS; p++) {
    const int i = 2 * (lane * PAIRS + p);

    c[p] = cost_at (a, x, y, min (i, a.k.n - 1))
        | cost_at (a, x, y, min (i + 1, a.k.n - 1)) << 16;
  }
}

/* Infinite where there is no disparity. */
template < int PAIRS > __device__ __forceinline__ void
cut_off (const Args & a, int lane, uint32_t v[PAIRS])
{
#pragma unroll
  for (int p = 0; p < PAIRS; p++) {
    const int i = 2 * (lane * PAIRS + p);

    if (i >= a.k.n)
      v[p] = nowhere;
    else if (i + 1 >= a.k.n)
      v[p] = (v[p] & 0xffff) | (nowhere & 0xffff0000);
  }
}

__device__ __forceinline__ uint32_t
least_of_warp (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (0xffffffff, v);
#else
  for (int i = lanes / 2; i > 0; i /= 2)
    v = min (v, __shfl_xor_sync (0xffffffff, v, i));
  return v;
#endif
}

template < int PAIRS > __device__ __forceinline__ uint32_t
least (const uint32_t v[PAIRS])
{
  uint32_t m = v[0];

#pragma unroll
  for (int p = 1; p < PAIRS; p++)
    m = __vminu2 (m, v[p]);
  return least_of_warp (min (m & 0xffff, m >> 16));
}

/* L after q, in place of c. */
template < int PAIRS > __device__ __forceinline__ void
step (const Args & a, int lane, const uint32_t q[PAIRS], uint32_t g,
    uint32_t c[PAIRS])
{
  const StereoSgmPenalty penalty = a.k.penalty[g];
  const uint32_t m = least < PAIRS > (q);
  const uint32_t p1 = both (penalty.p1), jump = both (m + penalty.p2);
  uint32_t before = __shfl_up_sync (0xffffffff, q[PAIRS - 1], 1);
  uint32_t after = __shfl_down_sync (0xffffffff, q[0], 1);

  before = lane == 0 ? nowhere : before;
  after = lane == lanes - 1 ? nowhere : after;
#pragma unroll
  for (int p = 0; p < PAIRS; p++) {
    const uint32_t lower = __byte_perm (p > 0 ? q[p - 1] : before, q[p],
        0x5432);
    const uint32_t upper = __byte_perm (q[p], p + 1 < PAIRS ? q[p + 1] : after,
        0x5432);
    uint32_t best = __vminu2 (q[p], jump);

    best = __vminu2 (best, __vminu2 (lower, upper) + p1);
    /* no half borrows or carries: best >= m, and the sum is small */
    c[p] = c[p] + best - both (m);
  }
}

__device__ __forceinline__ uint32_t
difference (const Args & a, int x, int y, int x2, int y2)
{
  return stereo_sgm_difference (a.k.channels,
      stereo_view_pixel (&a.views.left, a.k.channels, x, y),
      stereo_view_pixel (&a.views.left, a.k.channels, x2, y2));
}

template < int PAIRS > __device__ __forceinline__ uint32_t *
sums_of (const Args & a, int x, int y, int lane)
{
  return a.sums + ((size_t) y * a.k.width + x) * a.n_pairs + lane * PAIRS;
}

/* -------------------------------------------------------------------- paths */

/* Where path number `line` of a sweep begins: every path has a first pixel on
 * the upstream edge; diagonal ones wrap around at the sides, where they begin
 * anew, so that there are as many as there are columns. */
template < int PAIRS, bool FIRST > __global__ void
__launch_bounds__ (path_warps * lanes)
sweep_paths (const __grid_constant__ Args a, int sweep_dx, int sweep_dy)
{
  const int lane = threadIdx.x % lanes;
  const int line = blockIdx.x * path_warps + threadIdx.x / lanes;
  const bool horizontal = sweep_dy == 0;
  const int n_lines = horizontal ? a.k.height : a.k.width;
  const int length = horizontal ? a.k.width : a.k.height;
  uint32_t l[PAIRS];
  bool fresh = true;
  int x, y;

  if (line >= n_lines)
    return;
  x = horizontal ? (sweep_dx > 0 ? 0 : a.k.width - 1) : line;
  y = horizontal ? line : (sweep_dy > 0 ? 0 : a.k.height - 1);
  for (int i = 0; i < length; i++) {
    uint32_t c[PAIRS];
    uint32_t *sums = sums_of < PAIRS > (a, x, y, lane);

    load_costs < PAIRS > (a, x, y, lane, c);
    if (!fresh)
      step < PAIRS > (a, lane, l, difference (a, x, y, x - sweep_dx,
              y - sweep_dy), c);
    cut_off < PAIRS > (a, lane, c);
#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
      l[p] = c[p];
      sums[p] = FIRST ? c[p] : sums[p] + c[p];
    }
    x += sweep_dx;
    y += sweep_dy;
    fresh = !horizontal && (x < 0 || x >= a.k.width);
    if (fresh)
      x = x < 0 ? a.k.width - 1 : 0;
  }
}

/* ------------------------------------------------------------------- strips */

/* A strip's sweep: lines and the places in them. */
struct Strip
{
  bool columns;                 /* lines are columns */
  bool backward;
  int n_lines;
  int begin;                    /* the first place */
  int size;                     /* places */
};

/* All strips of all sweeps are numbered through. */
__device__ __forceinline__ Strip
find_strip (const Args & a, int index)
{
  const int across = (a.k.height + STEREO_SGM_STRIP - 1) / STEREO_SGM_STRIP;
  Strip s;

  s.columns = index < 2 * across;
  if (!s.columns)
    index -= 2 * across;
  s.backward = index % 2;
  s.begin = index / 2 * STEREO_SGM_STRIP;
  s.n_lines = s.columns ? a.k.width : a.k.height;
  s.size = min (STEREO_SGM_STRIP, (s.columns ? a.k.height : a.k.width)
      - s.begin);
  return s;
}

/* q of the pixel at a place after the line before, at `before`. */
template < int PAIRS > __device__ __forceinline__ void
average (const Args & a, const uint32_t * before, int place, int size,
    int lane, const uint32_t g[3], uint32_t q[PAIRS])
{
  const int step = lanes * PAIRS;
  const uint32_t *at = before + place * step + lane * PAIRS;
  const bool has_b = place > 0, has_e = place + 1 < size;
  const StereoSgmWeights w = stereo_sgm_weights (a.k.likeness[g[0]],
      has_b ? a.k.likeness[g[1]] : 0, has_e ? a.k.likeness[g[2]] : 0);

#pragma unroll
  for (int p = 0; p < PAIRS; p++) {
    /* products of both halves: each is below 65536 */
    uint32_t sum = w.a * at[p] + both (32);

    if (has_b)
      sum += w.b * at[p - step];
    if (has_e)
      sum += w.e * at[p + step];
    q[p] = sum >> 6 & both (0x3ff);
  }
  cut_off < PAIRS > (a, lane, q);
}

template < int PAIRS > __global__ void
__launch_bounds__ (STEREO_SGM_STRIP * lanes)
sweep_strips (const __grid_constant__ Args a)
{
  extern __shared__ uint32_t shared[];
  const Strip s = find_strip (a, blockIdx.x);
  const int lane = threadIdx.x % lanes, place = threadIdx.x / lanes;
  const int line_pairs = STEREO_SGM_STRIP * lanes * PAIRS;

  for (int i = 0; i < s.n_lines; i++) {
    const int line = s.backward ? s.n_lines - 1 - i : i;
    const int x = s.columns ? line : s.begin + place;
    const int y = s.columns ? s.begin + place : line;
    uint32_t *now = shared + (i % 2) * line_pairs;

    if (place < s.size) {
      uint32_t c[PAIRS];
      uint32_t *sums = sums_of < PAIRS > (a, x, y, lane);

      load_costs < PAIRS > (a, x, y, lane, c);
      if (i > 0) {
        const int from = s.backward ? 1 : -1;
        const int px = s.columns ? x + from : x;
        const int py = s.columns ? y : y + from;
        const int bx = s.columns ? 0 : 1, by = s.columns ? 1 : 0;
        uint32_t g[3] = { difference (a, x, y, px, py), 0, 0 };
        uint32_t q[PAIRS];

        if (place > 0)
          g[1] = difference (a, x, y, px - bx, py - by);
        if (place + 1 < s.size)
          g[2] = difference (a, x, y, px + bx, py + by);
        average < PAIRS > (a, shared + (~i & 1) * line_pairs, place, s.size,
            lane, g, q);
        step < PAIRS > (a, lane, q, g[0], c);
      }
#pragma unroll
      for (int p = 0; p < PAIRS; p++) {
        const int index = 2 * (lane * PAIRS + p);

        /* nothing that would overflow where there is no disparity */
        c[p] = index >= a.k.n ? 0 : index + 1 >= a.k.n ? c[p] & 0xffff : c[p];
        now[place * lanes * PAIRS + lane * PAIRS + p] = c[p];
        atomicAdd (sums + p, c[p]);
      }
    }
    __syncthreads ();
  }
}

/* ------------------------------------------------------------------ winners */

__device__ __forceinline__ void
store_left (const WinnerArgs & w, int x, int y, const uint16_t * sums, int i)
{
  const unsigned index = (unsigned) (w.a.k.first_index + i);

  if (w.refine)
    stereo_winner_store (&w.winners, x, y, index, sums[max (i - 1, 0)],
        sums[i], sums[min (i + 1, w.a.k.n - 1)]);
  else
    stereo_store_index (&w.map, w.encode ? &w.output : NULL, x, y, index);
}

/* A block for each row. */
template < int PAIRS > __global__ void
__launch_bounds__ (winner_threads)
find_winners (const __grid_constant__ WinnerArgs w)
{
  extern __shared__ uint32_t shared[];
  const StereoSgmConstants & k = w.a.k;
  const int lane = threadIdx.x % lanes, y = blockIdx.x;
  const bool right = w.refine && w.winners.right != NULL;

  for (int x = threadIdx.x; right && x < k.width; x += winner_threads)
    shared[x] = STEREO_NO_WINNER;
  __syncthreads ();
  for (int x = threadIdx.x / lanes; x < k.width; x += winner_threads / lanes) {
    const uint32_t *sums = sums_of < PAIRS > (w.a, x, y, lane);
    uint32_t best = STEREO_NO_WINNER;

#pragma unroll
    for (int p = 0; p < PAIRS; p++) {
      const uint32_t pair = sums[p];

#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int i = 2 * (lane * PAIRS + p) + h;
        const uint32_t sum = pair >> 16 * h & 0xffff;
        const int xr = x - k.min_disparity - k.first_index - i;

        if (i >= k.n)
          continue;
        best = min (best, sum << 16 | (uint32_t) i);
        if (right && xr >= 0 && xr < k.width)
          atomicMin (shared + xr, stereo_winner_right_word (
                  (unsigned) (k.first_index + i), sum));
      }
    }
    best = least_of_warp (best);
    if (lane == 0)
      store_left (w, x, y, (const uint16_t *) sums, (int) (best & 0xffff));
  }
  __syncthreads ();
  for (int x = threadIdx.x; right && x < k.width; x += winner_threads)
    stereo_winner_store_right (&w.winners, x, y, shared[x]);
}

/* Without a disparity that both views have. */
__global__ void
find_nothing (const __grid_constant__ WinnerArgs w)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

  if (x >= w.a.k.width)
    return;
  if (!w.refine) {
    stereo_store_index (&w.map, w.encode ? &w.output : NULL, x, y,
        STEREO_INVALID);
    return;
  }
  stereo_winner_store (&w.winners, x, y, STEREO_INVALID, 0, 0, 0);
  if (w.winners.right != NULL)
    stereo_winner_store_right (&w.winners, x, y, STEREO_NO_WINNER);
}

/* ------------------------------------------------------------------- stages */

/* Pairs of a lane: a power of two. */
int
pairs_of (int n)
{
  int pairs = 1;

  while (2 * pairs * lanes < n)
    pairs *= 2;
  return pairs;
}

/* Calls function < PAIRS > (arguments). */
#define FOR_PAIRS(pairs, function, ...) \
  switch (pairs) { \
    case 1: function < 1 > (__VA_ARGS__); break; \
    case 2: function < 2 > (__VA_ARGS__); break; \
    case 4: function < 4 > (__VA_ARGS__); break; \
    case 8: function < 8 > (__VA_ARGS__); break; \
    default: function < 16 > (__VA_ARGS__); \
  }

StereoStatus
plan (const StereoSgmConstants * k, unsigned, StereoSgmWork * work,
    StereoArena * arena, StereoMessage * why)
{
  if (k->n > max_disparities)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "this device can search %d disparities at most with this algorithm, "
        "and %d are wanted: the CPU can do that", max_disparities, k->n);
  stereo_arena_add (arena, (void **) &work->sums,
      (size_t) k->width * (size_t) k->height,
      (size_t) (2 * lanes * pairs_of (k->n)) * sizeof (uint16_t));
  return STEREO_OK;
}

template < int PAIRS > void
launch_paths (const Args & a, cudaStream_t stream)
{
  for (int i = 0; i < a.k.n_sweeps; i++) {
    const StereoSgmSweep s = stereo_sgm_sweeps[i];
    const int n_lines = s.dy == 0 ? a.k.height : a.k.width;
    const int blocks = (n_lines + path_warps - 1) / path_warps;

    if (i == 0)
      sweep_paths < PAIRS, true > <<<blocks, path_warps * lanes, 0,
          stream>>> (a, s.dx, s.dy);
    else
      sweep_paths < PAIRS, false > <<<blocks, path_warps * lanes, 0,
          stream>>> (a, s.dx, s.dy);
  }
}

template < int PAIRS > void
launch_strips (const Args & a, cudaStream_t stream)
{
  const int across = (a.k.height + STEREO_SGM_STRIP - 1) / STEREO_SGM_STRIP;
  const int down = (a.k.width + STEREO_SGM_STRIP - 1) / STEREO_SGM_STRIP;
  const size_t bytes = 2 * STEREO_SGM_STRIP * lanes * PAIRS
      * sizeof (uint32_t);

  if (cudaMemsetAsync (a.sums, 0, (size_t) a.k.width * a.k.height * a.n_pairs
          * sizeof (uint32_t), stream) != cudaSuccess
      || cudaFuncSetAttribute (sweep_strips < PAIRS >,
          cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes)
      != cudaSuccess)
    return;
  sweep_strips < PAIRS > <<<2 * (across + down), STEREO_SGM_STRIP * lanes,
      bytes, stream>>> (a);
}

template < int PAIRS > void
launch_winners (const WinnerArgs & w, cudaStream_t stream)
{
  const size_t bytes = w.refine && w.winners.right != NULL
      ? (size_t) w.a.k.width * sizeof (uint32_t) : 0;

  if (cudaFuncSetAttribute (find_winners < PAIRS >,
          cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes)
      != cudaSuccess)
    return;
  find_winners < PAIRS > <<<w.a.k.height, winner_threads, bytes,
      stream>>> (w);
}

StereoStatus
match (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  StereoCudaStage stage (queue);
  const int pairs = pairs_of (k->n);
  WinnerArgs w = {};
  StereoStatus status;

  if (!stage.entered ())
    return stage.status ();
  w.a.k = *k;
  w.a.views = *views;
  w.a.sums = (uint32_t *) work->sums;
  w.a.n_pairs = pairs * lanes;
  w.refine = result->winners != NULL;
  w.encode = result->output != NULL;
  w.map = result->map;
  if (w.refine)
    w.winners = *result->winners;
  if (w.encode)
    w.output = *result->output;
  if (k->n == 0) {
    const dim3 grid ((k->width + 255) / 256, k->height);

    find_nothing <<<grid, 256, 0, stage.stream ()>>> (w);
    return STEREO_CUDA_LAUNCHED (stage, "sgm's find_nothing");
  }
  if (k->three) {
    FOR_PAIRS (pairs, launch_strips, w.a, stage.stream ());
  } else {
    FOR_PAIRS (pairs, launch_paths, w.a, stage.stream ());
  }
  status = STEREO_CUDA_LAUNCHED (stage, "sgm's sweeps");
  if (status != STEREO_OK)
    return status;
  FOR_PAIRS (pairs, launch_winners, w, stage.stream ());
  return STEREO_CUDA_LAUNCHED (stage, "sgm's find_winners");
}

}                               // namespace

extern "C" const void *stereo_sgm_stages_cuda (void);

extern "C" const void *
stereo_sgm_stages_cuda (void)
{
  static const StereoSgmStages stages = {
    .plan = plan, .sweep = NULL, .finish = NULL, .match = match
  };

  return &stages;
}
