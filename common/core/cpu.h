/* gst-stereomatching: the CPU device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CPU_H
#define STEREO_CPU_H

#include "core/backend.h"
#include "core/pool.h"

/* Whether the processor has the instruction sets of STEREO_SIMD_AVX512 and the
 * dot products of bytes of AVX-512 VNNI. */
bool stereo_cpu_has_vnni (void);

/* Number of threads of the device of a CPU queue. */
static inline int
stereo_cpu_threads (const StereoQueue * queue)
{
  return (int) queue->device->n_threads;
}

/* stereo_pool_for() on the threads of the queue's device.  Worker numbers are
 * below stereo_cpu_threads(). */
static inline void
stereo_cpu_for (const StereoQueue * queue, int n, int chunk,
    StereoPoolBody body, const void *context)
{
  const StereoDevice *device = queue->device;

  stereo_pool_for (device->n_threads, n, chunk, body, context, device->log,
      device->log_data);
}

#endif /* STEREO_CPU_H */
