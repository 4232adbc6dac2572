/* gst-stereomatching: the steps of bp in half precision on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp/bp-steps.cuh"

BpShape
stereo_bp_find_shape_half_cuda (int count)
{
  return find_shape_of < STEREO_BP_PRECISION_HALF > (count);
}
