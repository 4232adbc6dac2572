/* gst-stereomatching: from winners to a disparity map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine.h"

extern "C" const void *stereo_refine_stages_cuda (void);

extern "C" const void *
stereo_refine_stages_cuda (void)
{
  return NULL;
}
