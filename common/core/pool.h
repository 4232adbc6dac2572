/* gst-stereomatching: the threads of the CPU devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * pool.h: loops shared out to threads.
 *
 * The process has one pool for all its CPU devices.  The thread that calls
 * stereo_pool_for() takes part in its loop and needs nobody else: a loop ends
 * however many threads help, so threads that could not be made, or that help
 * other loops, cost time and nothing else.  Sixteen matchers on two processors
 * therefore have sixteen callers and one helper, and not sixteen teams.
 *
 * Threads are made when a loop first has work for them, and sleep while there
 * is none.  They end with the last device.  A process that forks leaves them
 * behind; the child makes its own.
 *
 * Loops one after the other are how threads wait for each other: all of a loop
 * is done when stereo_pool_for() returns.  There is no other barrier, because
 * that would need threads that are sure to come.  Chunks are taken in ascending
 * order, though, so that a chunk may wait for earlier ones: threads have them
 * (progress.h).
 */

#ifndef STEREO_POOL_H
#define STEREO_POOL_H

#include "stereo.h"

/* Threads that work on a loop at most, the caller's included. */
#define STEREO_POOL_MAX 1024

/* A part of a loop: the iterations begin <= i < end.  Each thread in a loop has
 * a worker number of its own; the caller's is 0. */
typedef struct
{
  int begin;
  int end;
  int worker;
} StereoSpan;

typedef void (*StereoPoolBody) (const void *context, StereoSpan span);

/* A device that wants helpers comes and goes. */
void stereo_pool_enter (void);
void stereo_pool_leave (void);

/*
 * Calls body for chunks of 0 <= i < n, side by side on at most n_workers
 * threads, whose numbers are below n_workers.  Chunks begin in ascending order.
 * chunk: iterations at a time, or 0 for a few chunks to each worker, which is
 * right for loops whose iterations take equally long.
 *
 * Between stereo_pool_enter() and stereo_pool_leave(); body may have loops of
 * its own.  log, which may be NULL, gets one warning when threads could not be
 * made.
 */
void stereo_pool_for (unsigned n_workers, int n, int chunk,
    StereoPoolBody body, const void *context, StereoLogFunction log,
    void *log_data);

/* The processors that this process may use, at least 1. */
unsigned stereo_pool_processors (void);

#endif /* STEREO_POOL_H */
