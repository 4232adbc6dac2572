/* gst-stereomatching: the thread pool of the CPU devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One pool of threads serves all CPU devices of the process.  The thread that
 * calls stereo_pool_for() works on its loop itself and needs no helper, so a
 * loop completes however many threads are available.  Sixteen matchers on two
 * processors use sixteen callers and one helper, not sixteen teams.
 *
 * Threads are created when a loop first needs them, sleep while idle, and end
 * with the last device.  After fork() the child creates its own.
 *
 * The return of stereo_pool_for() is the only barrier: any other one would
 * depend on helpers that may not exist.  Chunks are taken in ascending order,
 * so a chunk may wait for earlier ones (progress.h).
 */

#ifndef STEREO_POOL_H
#define STEREO_POOL_H

#include "stereo.h"

/* Maximum number of threads of a loop, including the caller. */
#define STEREO_POOL_MAX 1024

/* Iterations begin <= i < end.  worker identifies the thread within the
 * loop; the caller is 0. */
typedef struct
{
  int begin;
  int end;
  int worker;
} StereoSpan;

typedef void (*StereoPoolBody) (const void *context, StereoSpan span);

/* Called when a CPU device is created, and when it is freed. */
void stereo_pool_enter (void);
void stereo_pool_leave (void);

/*
 * Calls body in parallel for chunks of 0 <= i < n, in ascending order, on at
 * most n_workers threads.  chunk is the maximum number of iterations per call,
 * or 0 for a quarter of an equal share.  The last chunks are smaller: none is
 * larger than an equal share of the iterations that are left, so that threads
 * of different speed finish together.
 *
 * Only between stereo_pool_enter() and stereo_pool_leave().  body may run
 * nested loops.  log may be NULL; it gets one warning if threads cannot be
 * created.
 */
void stereo_pool_for (unsigned n_workers, int n, int chunk,
    StereoPoolBody body, const void *context, StereoLogFunction log,
    void *log_data);

#endif /* STEREO_POOL_H */
