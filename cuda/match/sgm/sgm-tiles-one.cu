/* gst-stereomatching: tiles of sgm with one predecessor on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-tiles.cuh"

void
stereo_sgm_match_tiles_one_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w)
{
  match_all_tiles < SGM_ONE > (queue, a, w);
}
