/* gst-stereomatching: correlation over an image pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block processes a tile.  It warps the right view, with a border of three
 * pixels, into shared memory, filters all products along rows there, sums them
 * along columns in registers and evaluates the parabolas.
 */

#include "match/pyramid/pyramid-correlate.cuh"

namespace
{

const int prepare_width = 32;
const int prepare_height = 32;
const int prepare_threads = 256;

__global__ void __launch_bounds__ (prepare_threads)
prepare_kernel (const __grid_constant__ Level a)
{
  __shared__ float square[prepare_height + 4][prepare_width + 4];
  __shared__ float row[prepare_height + 4][prepare_width];
  const int x0 = (int) blockIdx.x * prepare_width;
  const int y0 = (int) blockIdx.y * prepare_height;

  pdl_start ();
  for (int i = (int) threadIdx.x; i < (prepare_width + 4)
      * (prepare_height + 4); i += prepare_threads) {
    const int x = i % (prepare_width + 4), y = i / (prepare_width + 4);
    const Fields f = pyramid_load_left (a, x0, y0, x, y);

    square[y][x] = square_of (f.v[0], f.v[1], f.v[2]);
  }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < prepare_width * (prepare_height + 4);
      i += prepare_threads) {
    const int x = i % prepare_width, y = i / prepare_width;

    row[y][x] = five (square[y][x], square[y][x + 1], square[y][x + 2],
        square[y][x + 3], square[y][x + 4]);
  }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < prepare_width * prepare_height;
      i += prepare_threads) {
    const int x = i % prepare_width, y = i / prepare_width;

    if (x0 + x < a.width && y0 + y < a.height)
      a.inverse[(y0 + y) * a.stride + x0 + x] =
          inverse_of (five (row[y][x], row[y + 1][x], row[y + 2][x],
              row[y + 3][x], row[y + 4][x]));
  }
}

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P,
    int BLOCKS >
__global__ void __launch_bounds__ (THREADS, BLOCKS)
correlate_kernel (const __grid_constant__ Level a, float step, bool first)
{
  extern __shared__ float4 shared[];

  pdl_start ();
  Correlator < VERTICAL, WIDTH, HEIGHT, THREADS, P >::run (a, step, first,
      (int) blockIdx.x * WIDTH, (int) blockIdx.y * HEIGHT, (float *) shared);
}

/* ------------------------------------------------------------------- stages */

template < bool VERTICAL, int WIDTH, int HEIGHT, int THREADS, int P,
    int BLOCKS > void
launch_correlate (StereoQueue * queue, const Level & a, float step, bool first)
{
  launch_tiles (queue, pyramid_grid (a.width, a.height, WIDTH, HEIGHT), THREADS,
      Correlator < VERTICAL, WIDTH, HEIGHT, THREADS, P >::bytes,
      correlate_kernel < VERTICAL, WIDTH, HEIGHT, THREADS, P, BLOCKS >, a,
      step, first);
}

template < bool VERTICAL > void
choose_correlate (StereoQueue * queue, const Level & a, float step,
    bool first)
{
  const dim3 grid = pyramid_grid (a.width, a.height, 32, 30);
  const int tiles = (int) (grid.x * grid.y)
      / ((const StereoCudaQueue *) queue)->multiprocessors;

  /* large tiles have relatively smaller borders, small ones balance better */
  if (tiles >= 7)
    launch_correlate < VERTICAL, 32, 30, 288, 4, 3 > (queue, a, step, first);
  else if (tiles >= 1)
    launch_correlate < VERTICAL, 32, 16, 256, 4, 4 > (queue, a, step, first);
  else
    launch_correlate < VERTICAL, 16, 16, 256, 2, 3 > (queue, a, step, first);
}

}                               // namespace

StereoStatus
stereo_pyramid_prepare_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);

  if (!stage.entered ())
    return stage.status ();
  launch_tiles (s->queue, pyramid_grid (s->level->width, s->level->height,
          prepare_width, prepare_height), prepare_threads, 0, prepare_kernel,
      level_args (s->level, s->inverse));
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's prepare_kernel");
}

StereoStatus
stereo_pyramid_correlate_cuda (const StereoPyramidArgs * s)
{
  StereoCudaStage stage (s->queue);
  Level a = level_args (s->level, s->inverse);

  if (!stage.entered ())
    return stage.status ();
  a.before = *s->from;
  a.between = *s->to;
  if (s->k->vertical)
    choose_correlate < true > (s->queue, a, s->step, s->first);
  else
    choose_correlate < false > (s->queue, a, s->step, s->first);
  return STEREO_CUDA_LAUNCHED (stage, "pyramid's correlate_kernel");
}
