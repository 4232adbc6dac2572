/* gst-stereomatching: tiles of sgm with ranges of disparities on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-tiles.cuh"

namespace
{

/* Each kernel processes the tiles of its shape. */
template < class S > void
launch_ranges (StereoQueue * queue, const SgmArgs & a, const SgmWinners & w)
{
  if constexpr (S::own == 8) {
    if constexpr (S::lanes > 16)
      launch_sgm_tiles < SgmShape < 16, 8 >, SGM_RANGES > (queue, a, w);
    if constexpr (S::lanes > 8)
      launch_sgm_tiles < SgmShape < 8, 8 >, SGM_RANGES > (queue, a, w);
    if constexpr (S::lanes > 4)
      launch_sgm_tiles < SgmShape < 4, 8 >, SGM_RANGES > (queue, a, w);
  }
  launch_sgm_tiles < S, SGM_RANGES > (queue, a, w);
}

}                               // namespace

void
stereo_sgm_match_tiles_ranges_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w)
{
#define LAUNCH(lanes, own) \
  launch_ranges < SgmShape < lanes, own > > (queue, a, w)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}
