/* gst-stereomatching: waiting for earlier iterations of a parallel loop
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An iteration of stereo_pool_for() may wait for earlier ones of the same loop,
 * which are already running.  Each publishes its progress as a number that only
 * increases, 0 before the loop.  Waits should be short and rare: a waiting
 * thread spins, then yields, then sleeps.
 */

#ifndef STEREO_PROGRESS_H
#define STEREO_PROGRESS_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

/* Tells the processor that the thread spins. */
static inline void
stereo_relax (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("yield");
#endif
}

/* Spins before a yield, and yields before a sleep. */
#define STEREO_PROGRESS_SPINS 1000
#define STEREO_PROGRESS_YIELDS 50

/* Publishes all writes so far to threads that wait for the number. */
static inline void
stereo_progress_reach (uint32_t * progress, uint32_t number)
{
  __atomic_store_n (progress, number, __ATOMIC_RELEASE);
}

static inline void
stereo_progress_wait (const uint32_t * progress, uint32_t number)
{
  const struct timespec nap = {.tv_nsec = 50 * 1000 };
  unsigned spins = 0, yields = 0;

  while (__atomic_load_n (progress, __ATOMIC_ACQUIRE) < number) {
    if (++spins % STEREO_PROGRESS_SPINS != 0) {
      stereo_relax ();
    } else if (++yields < STEREO_PROGRESS_YIELDS) {
      sched_yield ();
    } else {
      nanosleep (&nap, NULL);
    }
  }
}

#endif /* STEREO_PROGRESS_H */
