/* gst-stereomatching: the steps of bp in 8-bit integers on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp/bp-steps.cuh"

BpShape
stereo_bp_find_shape_int8_cuda (int count)
{
  return find_shape_of < STEREO_BP_PRECISION_INT8 > (count);
}
