/* gst-stereomatching: all iterations of small levels of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * On small levels launches and memory accesses take longer than the arithmetic.
 * iterate_kernel therefore runs all iterations: each multiprocessor keeps one
 * tile with its border, fields stay in registers from the correlation to the
 * mean, and blocks synchronise once per iteration: as one cluster of up to 16
 * blocks, or as a cooperative grid.  The number of iterations is even, so that
 * the result replaces the input.
 */

#include "match/pyramid/pyramid-correlate.cuh"
#include "match/pyramid/pyramid-diffuse.cuh"

#include <cooperative_groups.h>

namespace
{

/* Waits for all blocks of the only cluster or of the grid. */
__device__ __forceinline__ void
wait_for_blocks (bool cluster)
{
  if (cluster) {
#if __CUDA_ARCH__ >= 900
    asm volatile ("barrier.cluster.arrive.release.aligned;\n\t"
        "barrier.cluster.wait.acquire.aligned;":::"memory");
#endif
  } else {
    cooperative_groups::this_grid ().sync ();
  }
}

/* An iteration of a tile of 32 columns; P as in Correlator. */
template < bool VERTICAL, int WARPS, int ROWS, int P > struct Iterator
{
  typedef Correlator < VERTICAL, 32, WARPS * ROWS, 32 * WARPS, P > C;
  typedef Diffuser < VERTICAL, WARPS, ROWS, 1 > D;
  static constexpr int threads = 32 * WARPS;
  static constexpr int height = WARPS * ROWS;
  static constexpr int bytes = C::bytes + D::bytes;

  static_assert (C::rows == ROWS, "the same pixels in both");

  /* State of a thread over all iterations: il of its pixels, and the places of
   * the right pixels that it loads. */
  struct State
  {
    float own[ROWS];
    typename C::W::Place where[C::W::places];
  };

  /* il of the thread's pixels, from the left view in shared memory. */
  static __device__ __forceinline__ void
  compute_inverse (const float *left, float *own)
  {
    const int ty = (int) threadIdx.x / 32 * ROWS;
    const float *p = left + ty * C::left_pitch + (int) threadIdx.x % 32;
    float h[ROWS + 4];

#pragma unroll
    for (int j = 0; j < ROWS + 4; j++) {
      float s[5];

#pragma unroll
      for (int i = 0; i < 5; i++) {
        const float *q = p + j * C::left_pitch + i;

        s[i] = square_of (q[0], q[C::left_plane], q[2 * C::left_plane]);
      }
      h[j] = five (s[0], s[1], s[2], s[3], s[4]);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      own[i] = inverse_of (five (h[i], h[i + 1], h[i + 2], h[i + 3],
              h[i + 4]));
  }

  /* An iteration from one field to the other. */
  static __device__ __forceinline__ void
  run (const Level & a, const StereoPyramidField & from,
      const StereoPyramidField & to, float step, bool first,
      const DiffuseTile & tile, const State & state, float *shared)
  {
    const int x = tile.x0 + (int) threadIdx.x % 32;
    const int ty = (int) threadIdx.x / 32 * ROWS, y = tile.y0 + ty;
    float *exchange = shared + C::bytes / 4;
    typename C::Pixels pixels;
    typename D::Row rows[ROWS];

    C::load_pixels (a, from, x, y, &pixels);
    C::W::fill (a, from, state.where, shared);
    __syncthreads ();
    C::filter (shared);
    C::follow (shared, state.own, ty, step, first, &pixels);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      rows[i].v[0][0] = pixels.confidence[i];
      rows[i].v[1][0] = pixels.dx[i];
      if (VERTICAL)
        rows[i].v[VERTICAL ? 2 : 1][0] = pixels.dy[i];
    }
    /* borders of columns are free here */
    if (ROWS > 1 && (tile.y0 <= 0 || tile.y0 + height >= a.height))
      D::template steps < true > (a, x, y, a.diffusion, true, rows, exchange);
    else
      D::template steps < false > (a, x, y, a.diffusion, true, rows, exchange);
    D::store (a, tile, rows, to);
  }
};

template < bool VERTICAL, int WARPS, int ROWS, int P >
__global__ void __launch_bounds__ (32 * WARPS)
iterate_kernel (const __grid_constant__ Level a, int iterations,
    float max_step, bool first, bool cluster)
{
  typedef Iterator < VERTICAL, WARPS, ROWS, P > I;
  extern __shared__ float4 shared[];
  const int halo = a.diffusion + 1;
  const DiffuseTile tile = {
    (int) blockIdx.x * (32 - 2 * halo) - halo,
    (int) blockIdx.y * (I::height - 2 * halo) - halo, halo, halo
  };
  typename I::State state;

  I::C::W::find_places (a, tile.x0, tile.y0, state.where);
  pdl_wait ();
  I::C::fill_left (a, tile.x0, tile.y0, (float *) shared + I::C::W::size);
  __syncthreads ();
  I::compute_inverse ((const float *) shared + I::C::W::size, state.own);
#pragma unroll 1
  for (int m = 0; m < iterations; m++) {
    const float step = stereo_pyramid_step (m, iterations, max_step);

    I::run (a, m % 2 ? a.between : a.before, m % 2 ? a.before : a.between,
        step, first && m == 0, tile, state, (float *) shared);
    if (m + 1 < iterations)
      wait_for_blocks (cluster);
    if (m + 2 == iterations)
      pdl_launch_dependents ();
  }
}

/* ------------------------------------------------------------------- stages */

/* Launches a kernel whose blocks are a cluster or are all resident.  A GPU may
 * allow only 8 blocks in a cluster, and a GPU partition may be too small for
 * the blocks: returns false then, without an error. */
template < typename... Parameters, typename... Arguments > bool
launch_waiting (StereoQueue * queue, bool cluster, dim3 grid, int threads,
    int shared_bytes, void (*kernel) (Parameters...),
    const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute[2];

  memset ((void *) attribute, 0, sizeof (attribute));
  if (cluster) {
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    attribute[1].id = cudaLaunchAttributeClusterDimension;
    attribute[1].val.clusterDim.x = grid.x;
    attribute[1].val.clusterDim.y = grid.y;
    attribute[1].val.clusterDim.z = 1;
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  } else {
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
  }
  config.gridDim = grid;
  config.blockDim = dim3 ((unsigned) threads);
  config.dynamicSmemBytes = (size_t) shared_bytes;
  config.stream = q->compute;
  config.attrs = attribute;
  config.numAttrs = cluster ? 2 : 1;
  if (shared_bytes > 48 << 10)
    (void) cudaFuncSetAttribute (kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...)
      == cudaSuccess)
    return true;
  (void) cudaGetLastError ();
  return false;
}

template < bool VERTICAL, int WARPS, int ROWS, int P > bool
try_iterate (StereoQueue * queue, const Level & a, int iterations,
    float max_step, bool first)
{
  typedef Iterator < VERTICAL, WARPS, ROWS, P > I;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int halo = a.diffusion + 1;

  if (2 * halo >= 32 || 2 * halo >= I::height
      || I::bytes > stereo_cuda_shared_limit (queue->device))
    return false;

  const dim3 grid = pyramid_grid (a.width, a.height, 32 - 2 * halo,
      I::height - 2 * halo);
  const unsigned blocks = grid.x * grid.y;

  for (int cluster = blocks <= 16 && q->capability >= 90; cluster >= 0;
      cluster--) {
    if ((cluster || (stereo_cuda_cooperative (queue->device)
                && (int) blocks <= q->multiprocessors))
        && launch_waiting (queue, cluster, grid, I::threads, I::bytes,
            iterate_kernel < VERTICAL, WARPS, ROWS, P >, a, iterations,
            max_step, first, cluster))
      return true;
  }
  return false;
}

/* Launches all iterations if the level is small enough; otherwise false. */
template < bool VERTICAL > bool
iterate_small (StereoQueue * queue, const Level & a, int iterations,
    float max_step, bool first)
{
  return iterations % 2 == 0 && a.diffusion <= 6
      && (try_iterate < VERTICAL, 16, 1, 2 > (queue, a, iterations, max_step,
          first) || try_iterate < VERTICAL, 12, 2, 4 > (queue, a, iterations,
          max_step, first) || try_iterate < VERTICAL, 16, 2, 4 > (queue, a,
          iterations, max_step, first));
}

}                               // namespace

StereoStatus
stereo_pyramid_iterate_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  const int n = s->level->iterations;
  Level a = level_args (s->level, s->inverse);
  StereoPyramidArgs step = *s, back = *s;
  StereoStatus status;

  if (!stage.entered ())
    return stage.status ();
  a.before = *s->from;
  a.between = *s->to;
  if (s->k->vertical ? iterate_small < true > (s->queue, a, n, s->k->max_step,
          s->first) : iterate_small < false > (s->queue, a, n, s->k->max_step,
          s->first))
    return STEREO_CUDA_LAUNCHED (stage, "pyramid's iterate_kernel");

  back.from = s->to;
  back.to = s->from;
  status = stereo_pyramid_prepare_cuda (s);
  for (int m = 0; m < n && status == STEREO_OK; m++, step.first = false) {
    step.step = stereo_pyramid_step (m, n, s->k->max_step);
    status = stereo_pyramid_correlate_cuda (&step);
    if (status == STEREO_OK)
      status = stereo_pyramid_diffuse_cuda (&back);
  }
  return status;
}
