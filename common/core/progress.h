/* gst-stereomatching: iterations of a loop that wait for earlier ones
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An iteration of stereo_pool_for() may wait for earlier ones of the same loop:
 * they have been taken by threads that work on them.  Each tells how far it has
 * got by a number that only grows, 0 before the loop.  Waits are to be short
 * and rare: whoever waits looks for a while, then lets other threads of its
 * kind have the processor, and sleeps at last, which helps all others.
 */

#ifndef STEREO_PROGRESS_H
#define STEREO_PROGRESS_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

/* Looks in a row, a few nanoseconds each, and rows of them without sleep. */
#define STEREO_PROGRESS_LOOKS 1000
#define STEREO_PROGRESS_YIELDS 50

/* What has been written so far is there for those who wait for the number. */
static inline void
stereo_progress_reach (uint32_t * progress, uint32_t number)
{
  __atomic_store_n (progress, number, __ATOMIC_RELEASE);
}

static inline void
stereo_progress_wait (const uint32_t * progress, uint32_t number)
{
  const struct timespec nap = {.tv_nsec = 50 * 1000 };
  unsigned looks = 0, yields = 0;

  while (__atomic_load_n (progress, __ATOMIC_ACQUIRE) < number) {
    if (++looks % STEREO_PROGRESS_LOOKS != 0) {
#if defined (__x86_64__) || defined (__i386__)
      __builtin_ia32_pause ();
#endif
    } else if (++yields < STEREO_PROGRESS_YIELDS) {
      sched_yield ();
    } else {
      nanosleep (&nap, NULL);
    }
  }
}

#endif /* STEREO_PROGRESS_H */
