/* gst-stereomatching: images to time matchers with
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef BENCH_IMAGES_H
#define BENCH_IMAGES_H

#include "bench.h"

bool bench_is_cpu (const StereoDevice * device);

/* The images of a case: sets of a left view, a right view and a map, in one
 * block of memory. */
typedef struct
{
  StereoDevice *device;
  size_t n;                     /* sets */
  size_t set_bytes;
  StereoImage view, map;        /* plane[] are NULL */
  size_t view_bytes;
  uint8_t *pinned;
  uint8_t *memory;              /* of the device, the same; or NULL */
} BenchPool;

/* Makes the images of a case, in pinned memory and, unless the device is the
 * CPU, in its memory.  The pool is to be cleared also if this fails. */
STEREO_CHECKED StereoStatus bench_pool_make (BenchPool * pool,
    StereoDevice * device, const BenchCase * c, const BenchSettings * settings,
    StereoMessage * why);
void bench_pool_clear (BenchPool * pool);

/* The images of set i, modulo the number of sets. */
void bench_pool_get (const BenchPool * pool, bool on_device, size_t i,
    StereoImage * left, StereoImage * right, StereoImage * map);

#endif /* BENCH_IMAGES_H */
