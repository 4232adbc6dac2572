/* gst-stereomatching: exponential step size adaptive weight on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * See expstep.cuh.  A volume is groups of 16 disparities, each of them an image
 * of uint4; neighbouring threads have neighbouring pixels of one group.
 */

#include "match/expstep.cuh"

namespace
{

/* A chunk's volume should not be larger, so that much of it stays in the
 * second level cache; and two of them have to fit the memory. */
const size_t chunk_bytes = (size_t) 70 << 20;

int
plan (const StereoProblem *, const StereoExpstepConstants * k, int n_passes,
    StereoExpstepWork * work, StereoArena * arena)
{
  size_t plane = expstep_plan_planes (k, n_passes, work, arena);
  size_t groups = chunk_bytes / (16 * plane);
  size_t all = ((size_t) (k->end_index - k->first_index) + 15) / 16;

  groups = groups < 1 ? 1 : groups > all ? all : groups;
  for (int i = 0; i < 2; i++)
    stereo_arena_add (arena, (void **) &work->volume[i], plane * groups, 16);
  return 16 * (int) groups;
}

/* Blocks that a multiprocessor should hold; before 8.0 it has 1024 threads. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 800
const int cost_blocks = 8;
#else
const int cost_blocks = 12;
#endif

__global__ void __launch_bounds__ (expstep_threads, cost_blocks)
cost_kernel (const __grid_constant__ ExpstepArgs a)
{
  int x = (int) (blockIdx.x * blockDim.x + threadIdx.x), y = (int) blockIdx.y;
  int group = (int) blockIdx.z;

  let_next_kernel_come ();
  wait_for_kernel_before ();
  if (x < a.k.width)
    a.target[((size_t) group * a.k.height + y) * a.pitch + x] =
        costs (a, x, y, group);
}

__device__ __forceinline__ void
load_taps (const ExpstepArgs & a, const uint4 * volume, int x, int y,
    Taps * taps)
{
  size_t at = (size_t) y * a.pitch + x;

  taps->own = volume[at];
  taps->before = volume[x >= a.step ? at - a.step : at];
  taps->after = volume[x + a.step < a.k.width ? at + a.step : at];
  taps->weights = a.weights[at];
}

/* Costs after the pass along the row. */
__device__ __forceinline__ void
row_costs (const Taps & t, Values * result)
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

/* The pass along the column for the pixel at (x, y). */
template < bool LAST > __device__ __forceinline__ void
column_costs (const ExpstepArgs & a, int x, int y, int group, size_t image,
    uint32_t weights, const Values & above, const Values & here,
    const Values & below)
{
  Weights w = column_weights (weights);
  uint32_t e[4], o[4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    const uint32_t start = LAST ? 0u : 0x00800080u;

    e[i] = weighted (w, here.even[i], above.even[i], below.even[i], start);
    o[i] = weighted (w, here.odd[i], above.odd[i], below.odd[i], start);
  }
  if (LAST) {
    uint32_t best = winner (e, o, a.count - 16 * group);

    atomicMin (&a.best[(size_t) y * a.pitch + x],
        best + (uint32_t) (a.first + 16 * group));
  } else {
    uint4 result;

#pragma unroll
    for (int i = 0; i < 4; i++)
      word (result, i) = rounded (e[i], o[i]);
    a.target[image + (size_t) y * a.pitch + x] = result;
  }
}

template < bool LAST >
__global__ void __launch_bounds__ (expstep_threads)
iterate_kernel (const __grid_constant__ ExpstepArgs a)
{
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int group = (int) blockIdx.z, s = a.step;
  const size_t image = (size_t) group * a.k.height * a.pitch;
  const uint4 *source = a.source + image;
  int y, n_before, n;

  let_next_kernel_come ();
  if (x >= a.k.width || !find_piece (a, (int) blockIdx.y, &y, &n_before, &n))
    return;
  wait_for_kernel_before ();

  Values ring[3] = { };
  Taps taps;
  uint32_t weights;

  if (n_before > 0) {
    load_taps (a, source, x, y - s, &taps);
    row_costs (taps, &ring[0]);
  }
  load_taps (a, source, x, y, &taps);
  row_costs (taps, &ring[1]);
  weights = taps.weights;
  if (y + s < a.k.height)
    load_taps (a, source, x, y + s, &taps);

  /* Three pixels a turn, so that nothing moves from register to register. */
  for (int i = 0; i < n; i += 3) {
#pragma unroll
    for (int j = 0; j < 3; j++) {
      uint32_t next = taps.weights;

      if (i + j >= n)
        break;
      /* Without a pixel below, whatever is there weighs nothing. */
      if (y + s < a.k.height)
        row_costs (taps, &ring[(j + 2) % 3]);
      /* on their way while the column is worked on */
      if (i + j + 1 < n && y + 2 * s < a.k.height)
        load_taps (a, source, x, y + 2 * s, &taps);
      column_costs < LAST > (a, x, y, group, image, weights, ring[j],
          ring[(j + 1) % 3], ring[(j + 2) % 3]);
      weights = next;
      y += s;
    }
  }
}

StereoStatus
cost (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);
  ExpstepArgs a;

  if (!stage.entered ())
    return stage.status ();
  expstep_args (k, work, chunk, &a);
  a.target = (uint4 *) work->volume[0];
  launch_overlapping (queue, rows_grid (k->width, k->height, a.groups),
      cost_kernel, a);
  return STEREO_CUDA_LAUNCHED (stage, "esaw's cost_kernel");
}

StereoStatus
iterate (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  StereoCudaStage stage (queue);
  ExpstepArgs a;
  int places;

  if (!stage.entered ())
    return stage.status ();
  expstep_args (k, work, chunk, &a);
  expstep_pass_args (pass, index, work, &a);
  a.source = (const uint4 *) work->volume[index % 2];
  a.target = (uint4 *) work->volume[1 - index % 2];
  places = expstep_cut_chains (8, &a);
  launch_overlapping (queue, rows_grid (k->width, places, a.groups),
      last ? iterate_kernel < true > : iterate_kernel < false >, a);
  return STEREO_CUDA_LAUNCHED (stage, "esaw's iterate_kernel");
}

}                               // namespace

extern "C" const void *stereo_esaw_stages_cuda (void);

extern "C" const void *
stereo_esaw_stages_cuda (void)
{
  static const StereoExpstepStages stages = {
    .plan = plan,
    .prepare = expstep_prepare,
    .cost = cost,
    .iterate = iterate,
    .finish = expstep_finish,
  };

  return &stages;
}
