/* gst-stereomatching: common device functions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_DEVICE_CUH
#define STEREO_DEVICE_CUH

#include <stdint.h>

/* Programmatic dependent launch (compute capability 9.0): the blocks of a
 * kernel may start before the previous kernel has finished.  This waits
 * for it. */
static __device__ __forceinline__ void
pdl_wait ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;":::"memory");
#endif
}

/* Allows the next kernel to start. */
static __device__ __forceinline__ void
pdl_launch_dependents ()
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
#endif
}

/* Word i of a vector. */
static __device__ __forceinline__ const uint32_t &
word (const uint4 & v, int i)
{
  return (&v.x)[i];
}

static __device__ __forceinline__ uint32_t &
word (uint4 & v, int i)
{
  return (&v.x)[i];
}

#endif /* STEREO_DEVICE_CUH */
