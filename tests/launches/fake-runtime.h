/* gst-stereomatching: simulated CUDA runtime that records launches
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A program with fake-runtime.c uses it instead of CUDA's runtime.  There is
 * one device with the given limits.  Kernels are not executed: each launch is
 * only recorded, unless it needs more dynamic shared memory than the kernel has
 * asked for, which is an error as on a GPU.  Device memory has addresses but no
 * contents; copies from it give zeros.
 */

#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <stddef.h>

typedef struct
{
  int capability;               /* 87: compute capability 8.7 */
  int code;                     /* that kernels were compiled for */
  int shared_limit;             /* shared memory of a block, in bytes */
  int multiprocessors;
} FakeChip;

/* The most demanding launch of a kernel with this number of threads. */
typedef struct
{
  const char *kernel;           /* mangled name */
  unsigned threads;             /* of a block */
  size_t shared_bytes;          /* dynamic */
} FakeLaunch;

/* The device that is opened next. */
void fake_chip_set (const FakeChip * chip);

/* NULL past the last one. */
const FakeLaunch *fake_launch_get (size_t index);

#endif /* FAKE_RUNTIME_H */
