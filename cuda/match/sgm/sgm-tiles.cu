/* gst-stereomatching: tiles and winners of sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-tiles.cuh"

size_t
stereo_sgm_tile_bytes_cuda (const StereoSgmConstants & k)
{
#define BYTES(lanes, own) \
  return k.three ? sizeof (Memory < SgmShape < lanes, own >, SGM_THREE, \
          false >) : sizeof (Memory < SgmShape < lanes, own >, SGM_ONE, false >)
  SGM_FOR_SHAPE (k.n, BYTES);
#undef BYTES
}

void
stereo_sgm_match_tiles_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w)
{
  if (a.k.ranges)
    stereo_sgm_match_tiles_ranges_cuda (queue, a, w);
  else if (a.k.three)
    stereo_sgm_match_tiles_three_cuda (queue, a, w);
  else
    stereo_sgm_match_tiles_one_cuda (queue, a, w);
}
