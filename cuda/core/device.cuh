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

/* Waits for the previous kernel, then allows the next one to start: its blocks
 * wait where this kernel leaves room for them. */
static __device__ __forceinline__ void
pdl_start ()
{
  pdl_wait ();
  pdl_launch_dependents ();
}

/* For a kernel that uses nothing of the previous one, and may run at the same
 * time: all blocks call pdl_start_concurrent () first, and at least one
 * pdl_end_concurrent () last, so that later kernels wait for both.  concurrent:
 * whether it may.  The previous kernel must not call pdl_launch_dependents ()
 * before pdl_wait (), unless it is such a kernel, too.  The last kernel that
 * waited at its beginning, and those since, may still run; all kernels before
 * have finished. */
static __device__ __forceinline__ void
pdl_start_concurrent (bool concurrent)
{
  if (!concurrent)
    pdl_wait ();
  pdl_launch_dependents ();
}

static __device__ __forceinline__ void
pdl_end_concurrent (bool concurrent)
{
  if (concurrent)
    pdl_wait ();
}

/* Hides from the compiler where a pointer comes from. */
template < typename T > static __device__ __forceinline__ const T *
opaque (const T * pointer)
{
  asm volatile ("":"+l" (pointer));
  return pointer;
}

/* The same for a pointer to global memory. */
template < typename T > static __device__ __forceinline__ const T *
opaque_global (const T * pointer)
{
  pointer = opaque (pointer);
  __builtin_assume (__isGlobal (pointer));
  return pointer;
}

/* The same for a pointer to shared memory. */
template < typename T > static __device__ __forceinline__ T *
opaque_shared (T * pointer)
{
  uint32_t address = (uint32_t) __cvta_generic_to_shared (pointer);

  asm volatile ("":"+r" (address));
  return (T *) __cvta_shared_to_generic (address);
}

/* n, below 65536, in both halves of a word. */
static __host__ __device__ __forceinline__ uint32_t
splat_u16 (uint32_t n)
{
  return n * 0x10001u;
}

/* a * b + c by one multiplication, also if b is a power of two: the compiler
 * would shift, and the units that do so are the bottleneck of many kernels
 * while the multipliers are idle. */
static __device__ __forceinline__ uint32_t
multiply_add (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t result;

  asm ("mad.lo.u32 %0, %1, %2, %3;":"=r" (result):"r" (a), "r" (b), "r" (c));
  return result;
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
