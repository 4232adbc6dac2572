/* gst-stereomatching: launches of vcbw on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The best tiles for a view and a device.  A file of its own for each cost
 * instantiates the kernels, because they take long to compile.
 */

#ifndef STEREO_VCBW_LAUNCH_CUH
#define STEREO_VCBW_LAUNCH_CUH

#include "core/launch.cuh"
#include "match/vcbw/vcbw-match.cuh"
#include "match/vcbw/vcbw-winners.cuh"

namespace
{

/* Bytes of static shared memory, rounded up, and of dynamic shared memory that
 * every GPU has. */
const int static_shared = 256;
const int least_shared = 64 * 1024 - static_shared;

/* Relative time of a multiprocessor for tiles of this shape. */
template < typename S > int
tile_time (const StereoVcbwConstants & k, int multiprocessors)
{
  /* of a block of H, and of a block of V and C */
  int cost = S::column_blocks * (70 * S::blocks + 90 * S::row_blocks);
  int tiles = (k.width + S::tile_width - 1) / S::tile_width
      * ((k.height + S::tile_height - 1) / S::tile_height);
  int at_once = multiprocessors * S::resident;

  return (tiles + at_once - 1) / at_once * cost * S::resident;
}

template < typename S > StereoStatus
launch (StereoCudaStage & stage, StereoQueue * queue, const VcbwArgs & args,
    void (*kernel) (const VcbwArgs), int words)
{
  const dim3 grid ((unsigned) (args.k.width + S::tile_width - 1)
      / S::tile_width, (unsigned) (args.k.height + S::tile_height - 1)
      / S::tile_height);
  cudaError_t error = cudaFuncSetAttribute (kernel,
      cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of vcbw's kernels",
        &queue->message);
  launch_overlapping (queue, grid, S::threads, (size_t) words * 4, kernel,
      args);
  return STEREO_CUDA_LAUNCHED (stage, "vcbw's kernels");
}

template < typename S > StereoStatus
launch_match (StereoCudaStage & stage, StereoQueue * queue,
    const VcbwArgs & args)
{
  return launch < S > (stage, queue, args, match_kernel < S >,
      Split < S >::size);
}

template < typename S > StereoStatus
launch_winners (StereoCudaStage & stage, StereoQueue * queue,
    const VcbwArgs & args)
{
  return launch < S > (stage, queue, args, winners_kernel < S >,
      Shared < S >::size);
}

/* Large tiles repeat less work, small ones balance better in small images, and
 * tiny ones fit 64 KiB of shared memory, where small ones do not. */
template < int COST, int HALO > StereoStatus
match_best (StereoCudaStage & stage, StereoQueue * queue, const VcbwArgs & args)
{
  typedef Shape < COST, HALO, 4, HALO == 1 ? 2 : 1, 64, 8, 2 > Large;
  typedef Shape < COST, HALO, 3, 1, 64, 8, 2 > Small;
  typedef Shape < COST, HALO, 1, 1, 16, 8, 1 > Tiny;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  int limit = stereo_cuda_shared_limit (queue->device) - static_shared;

  if constexpr (Split < Small >::size * 4 > least_shared) {
    if (Split < Small >::size * 4 > limit)
      return launch_match < Tiny > (stage, queue, args);
  }
  if (Split < Large >::size * 4 > limit || tile_time < Small > (args.k,
          q->multiprocessors) < tile_time < Large > (args.k,
          q->multiprocessors))
    return launch_match < Small > (stage, queue, args);
  return launch_match < Large > (stage, queue, args);
}

/* The same for winners_kernel (), whose warps compute D once for all columns:
 * instructions of a warp per disparity. */
template < typename S > int
winners_time (const StereoVcbwConstants & k, int multiprocessors)
{
  const int cost = S::blocks * (60 * (S::column_blocks + 2 * S::halo)
      + 26 * S::column_blocks) + 110 * S::row_blocks * S::column_blocks;
  const int tiles = (k.width + S::tile_width - 1) / S::tile_width
      * ((k.height + S::tile_height - 1) / S::tile_height);

  return (tiles + multiprocessors - 1) / multiprocessors * cost;
}

/* The default settings have more tile shapes, for large GPUs. */
template < int COST, int HALO > StereoStatus
winners_best (StereoCudaStage & stage, StereoQueue * queue,
    const VcbwArgs & args)
{
  typedef Shape < COST, HALO, 2, HALO == 1 ? 2 : 1, 16, 8, 1 > Medium;
  typedef Shape < COST, HALO, 1, 1, 8, 4, 1 > Tiny;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  const int limit = stereo_cuda_shared_limit (queue->device) - static_shared;

  if constexpr (COST == STEREO_COST_WORDS && HALO == 1) {
    typedef Shape < COST, HALO, 3, 4, 32, 16, 1 > Wide;
    typedef Shape < COST, HALO, 3, 3, 64, 16, 1 > Square;
    typedef Shape < COST, HALO, 3, 2, 64, 16, 1 > Narrow;
    typedef Shape < COST, HALO, 2, 2, 16, 16, 1 > Short;

    if (Shared < Wide >::size * 4 <= limit) {
      const int wide = winners_time < Wide > (args.k, q->multiprocessors);
      const int square = winners_time < Square > (args.k, q->multiprocessors);
      const int narrow = winners_time < Narrow > (args.k, q->multiprocessors);

      const int least = min (wide, min (square, narrow));

      /* for the disparities of a single chunk */
      if (args.k.end_index - args.k.first_index <= Short::chunk
          && winners_time < Short > (args.k, q->multiprocessors) < least)
        return launch_winners < Short > (stage, queue, args);
      return wide == least ? launch_winners < Wide > (stage, queue, args)
          : square == least ? launch_winners < Square > (stage, queue, args)
          : launch_winners < Narrow > (stage, queue, args);
    }
  }
  if constexpr (Shared < Medium >::size * 4 > least_shared) {
    if (Shared < Medium >::size * 4 > limit)
      return launch_winners < Tiny > (stage, queue, args);
  }
  return launch_winners < Medium > (stage, queue, args);
}

template < int COST > StereoStatus
launch_best (StereoCudaStage & stage, StereoQueue * queue,
    const VcbwArgs & args, bool winners)
{
  const bool near = args.k.row_radius <= 16 && args.k.column_radius <= 16;

  if (winners)
    return near ? winners_best < COST, 1 > (stage, queue, args)
        : winners_best < COST, 2 > (stage, queue, args);
  return near ? match_best < COST, 1 > (stage, queue, args)
      : match_best < COST, 2 > (stage, queue, args);
}

}                               // namespace

#endif /* STEREO_VCBW_LAUNCH_CUH */
