/* gst-stereomatching: kernels that begin while the one before ends
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_LAUNCH_CUH
#define STEREO_LAUNCH_CUH

#include "core/queue-cuda.h"

#include <string.h>

/* Launches a kernel that calls pdl_wait (). */
template < typename... Parameters, typename... Arguments >
static inline void
launch_overlapping (StereoQueue * queue, dim3 grid, dim3 block,
    size_t shared_bytes, void (*kernel) (Parameters...),
    const Arguments &... arguments)
{
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  cudaLaunchConfig_t config = { };
  cudaLaunchAttribute attribute;

  memset ((void *) &attribute, 0, sizeof (attribute));
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = q->compute;
  config.attrs = &attribute;
  config.numAttrs = q->capability >= 90 ? 1 : 0;
  /* an error is found where launches are checked */
  (void) cudaLaunchKernelEx (&config, kernel, Parameters (arguments)...);
}

#endif /* STEREO_LAUNCH_CUH */
