/* gst-stereomatching: the CPU device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CPU_H
#define STEREO_CPU_H

#include "core/algorithm.h"

/* Threads of the device that a CPU queue belongs to. */
static inline int
stereo_cpu_threads (const StereoQueue * queue)
{
  return (int) queue->device->n_threads;
}

#endif /* STEREO_CPU_H */
