/* gst-stereomatching: diffusion of a pyramid's fields on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block keeps a tile in registers, with a border of one pixel per step, and
 * computes all steps and the mean.  Neighbours in a row come from shuffles, and
 * those of other warps from shared memory.  The best tile size depends on the
 * number of tiles per multiprocessor.
 */

#include "match/pyramid/pyramid-diffuse.cuh"

namespace
{

template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS >
__global__ void __launch_bounds__ (32 * WARPS, BLOCKS)
diffuse_kernel (const __grid_constant__ Level a, int halo_x, int halo_y,
    int n, bool last, const __grid_constant__ StereoPyramidField from,
    const __grid_constant__ StereoPyramidField to)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  extern __shared__ float4 shared[];

  pdl_start ();

  const DiffuseTile tile = {
    (int) blockIdx.x * (D::width - 2 * halo_x) - halo_x,
    (int) blockIdx.y * (D::height - 2 * halo_y) - halo_y, halo_x, halo_y
  };

  D::run (a, tile, n, last, from, to, (float *) shared);
}

/* ------------------------------------------------------------------- stages */

int
round_up (int value, int multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS > void
launch_diffuse (StereoQueue * queue, const Level & a, int n, bool last,
    const StereoPyramidField & from, const StereoPyramidField & to)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  const int halo_y = n + (last ? 1 : 0), halo_x = round_up (halo_y, WIDE);

  launch_tiles (queue, pyramid_grid (a.width, a.height, D::width - 2 * halo_x,
          D::height - 2 * halo_y), 32 * WARPS, D::bytes,
      diffuse_kernel < VERTICAL, WARPS, ROWS, WIDE, BLOCKS >, a, halo_x,
      halo_y, n, last, from, to);
}

/* Steps of one kernel. */
const int max_steps = 10;

/* Estimated time of a diffusion with such tiles, in an arbitrary unit.  The
 * tallest tiles take a third longer than their size suggests. */
template < bool VERTICAL, int WARPS, int ROWS, int WIDE, int BLOCKS > int
diffuse_cost (StereoQueue * queue, const Level & a, int halo)
{
  typedef Diffuser < VERTICAL, WARPS, ROWS, WIDE > D;
  const int halo_x = round_up (halo, WIDE);
  const int slots = ((const StereoCudaQueue *) queue)->multiprocessors * BLOCKS;

  if (D::bytes > stereo_cuda_shared_limit (queue->device)
      || D::width <= 2 * halo_x || D::height <= 2 * halo)
    return 1 << 30;

  const dim3 grid = pyramid_grid (a.width, a.height, D::width - 2 * halo_x,
      D::height - 2 * halo);

  return ((int) (grid.x * grid.y) + slots - 1) / slots * BLOCKS * D::width
      * (ROWS > 8 ? D::height * 4 / 3 : D::height);
}

template < bool VERTICAL > void
choose_diffuse (StereoQueue * queue, const Level & a, int n, bool last,
    const StereoPyramidField & from, const StereoPyramidField & to)
{
  const int halo = n + (last ? 1 : 0);
  const int cost[5] = {
    diffuse_cost < VERTICAL, 16, 2, 2, 2 > (queue, a, halo),
    diffuse_cost < VERTICAL, 16, 4, 2, 1 > (queue, a, halo),
    diffuse_cost < VERTICAL, 8, 4, 4, 2 > (queue, a, halo),
    diffuse_cost < VERTICAL, 12, 8, 4, 1 > (queue, a, halo),
    diffuse_cost < VERTICAL, 12, 9, 4, 1 > (queue, a, halo)
  };
  int best = 0;

  for (int i = 1; i < 5; i++) {
    if (cost[i] < cost[best])
      best = i;
  }
  switch (best) {
    case 0:
      launch_diffuse < VERTICAL, 16, 2, 2, 2 > (queue, a, n, last, from, to);
      break;
    case 1:
      launch_diffuse < VERTICAL, 16, 4, 2, 1 > (queue, a, n, last, from, to);
      break;
    case 2:
      launch_diffuse < VERTICAL, 8, 4, 4, 2 > (queue, a, n, last, from, to);
      break;
    case 3:
      launch_diffuse < VERTICAL, 12, 8, 4, 1 > (queue, a, n, last, from, to);
      break;
    default:
      launch_diffuse < VERTICAL, 12, 9, 4, 1 > (queue, a, n, last, from, to);
      break;
  }
}

}                               // namespace

StereoStatus
stereo_pyramid_diffuse_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  const Level a = level_args (s->level, NULL);
  /* the number is odd, so that the last kernel writes to s->to */
  const int kernels = (s->level->diffusion + max_steps - 1) / max_steps
      / 2 * 2 + 1;
  int left = s->level->diffusion;

  if (!stage.entered ())
    return stage.status ();
  for (int i = 0; i < kernels; i++) {
    const int n = left / (kernels - i);
    const StereoPyramidField & source = i % 2 ? *s->to : *s->from;
    const StereoPyramidField & target = i % 2 ? *s->from : *s->to;

    if (s->k->vertical)
      choose_diffuse < true > (s->queue, a, n, i == kernels - 1, source,
          target);
    else
      choose_diffuse < false > (s->queue, a, n, i == kernels - 1, source,
          target);
    left -= n;
  }
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's diffuse_kernel");
}
