/* gst-stereomatching: calls of Windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601     /* Windows 7, for groups of processors */

#include "core/platform.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <windows.h>

uint64_t
stereo_clock_ns (void)
{
  LARGE_INTEGER ticks, frequency;       /* per second, often 10^7 */
  uint64_t seconds, rest;

  QueryPerformanceCounter (&ticks);
  QueryPerformanceFrequency (&frequency);
  seconds = (uint64_t) (ticks.QuadPart / frequency.QuadPart);
  rest = (uint64_t) (ticks.QuadPart % frequency.QuadPart);
  return seconds * 1000000000u
      + rest * 1000000000u / (uint64_t) frequency.QuadPart;
}

/* Windows gives a mask for a process in one group of at most 64 processors, and
 * 0 for one in several groups. */
unsigned
stereo_processors (void)
{
  DWORD_PTR process, system;
  DWORD n = 0;

  if (GetProcessAffinityMask (GetCurrentProcess (), &process, &system))
    n = (DWORD) __builtin_popcountll (process);
  if (n < 1)
    n = GetActiveProcessorCount (ALL_PROCESSOR_GROUPS);
  return n < 1 ? 1 : (unsigned) n;
}

/* Windows delivers no signals to threads. */
int
stereo_thread_create (pthread_t * thread, size_t stack_bytes,
    void *(*run) (void *), void *data)
{
  pthread_attr_t attributes;
  int error = pthread_attr_init (&attributes);

  if (error != 0)
    return error;
  pthread_attr_setstacksize (&attributes, stack_bytes);
  error = pthread_create (thread, &attributes, run, data);
  pthread_attr_destroy (&attributes);
  return error;
}

void
stereo_at_fork (void (*before) (void), void (*after) (void),
    void (*after_in_child) (void))
{
  (void) before, (void) after, (void) after_in_child;
}

bool
stereo_parse_double (const char *text, double *value)
{
  _locale_t c = _create_locale (LC_ALL, "C");
  char *end;

  if (c == NULL)
    return false;
  errno = 0;
  *value = _strtod_l (text, &end, c);
  _free_locale (c);
  return (errno == 0 || isfinite (*value)) && end != text && *end == '\0';
}
