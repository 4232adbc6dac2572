/* gst-stereomatching: a library with a simulated GPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * For tests in Python, which load it in place of libstereomatching.
 */

#include "fake-cuda.h"
#include "stereo.h"

STEREO_API void stereo_fake_cuda_lose (void);

/* The GPU fails from now on. */
void
stereo_fake_cuda_lose (void)
{
  fake_cuda_lose ();
}
