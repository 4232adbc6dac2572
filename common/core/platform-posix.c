/* gst-stereomatching: calls of Linux and other POSIX systems
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* sched_getaffinity() */

#include "core/platform.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#if defined (STEREO_DOTPROD) && defined (__linux__)
#include <sys/auxv.h>
#endif
#include <time.h>
#include <unistd.h>

uint64_t
stereo_clock_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

unsigned
stereo_processors (void)
{
  long n = 0;
#ifdef CPU_COUNT
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof (set), &set) == 0)
    n = CPU_COUNT (&set);
#endif
  if (n < 1)
    n = sysconf (_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned) n;
}

#ifdef STEREO_DOTPROD
bool
stereo_processor_has_dotprod (void)
{
#if defined (__ARM_FEATURE_DOTPROD) || defined (__APPLE__)
  /* all code needs it, or all processors have it */
  return true;
#elif defined (__linux__)
  /* HWCAP_ASIMDDP of the kernel's interface, which old headers lack */
  return (getauxval (AT_HWCAP) & 1u << 20) != 0;
#else
  return false;
#endif
}
#endif

int
stereo_thread_create (pthread_t * thread, size_t stack_bytes,
    void *(*run) (void *), void *data)
{
  pthread_attr_t attributes;
  sigset_t all, before;
  int error = pthread_attr_init (&attributes);

  if (error != 0)
    return error;
  pthread_attr_setstacksize (&attributes, stack_bytes);
  /* Signals are delivered to the application's threads. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  error = pthread_create (thread, &attributes, run, data);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
  return error;
}

void
stereo_at_fork (void (*before) (void), void (*after) (void),
    void (*after_in_child) (void))
{
  pthread_atfork (before, after, after_in_child);
}

bool
stereo_parse_double (const char *text, double *value)
{
  locale_t c = newlocale (LC_ALL_MASK, "C", (locale_t) 0), old;
  char *end;

  if (c == (locale_t) 0)
    return false;
  old = uselocale (c);
  errno = 0;
  *value = strtod (text, &end);
  uselocale (old);
  freelocale (c);
  return (errno == 0 || isfinite (*value)) && end != text && *end == '\0';
}
