/* gst-stereomatching: the process of a test, on POSIX systems
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "process.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined (__has_feature)
#if __has_feature (thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

int
process_threads (void)
{
  DIR *folder = opendir ("/proc/self/task");
  int n = 0;

  if (folder == NULL)
    return -1;
  for (const struct dirent * e; (e = readdir (folder)) != NULL;)
    n += e->d_name[0] != '.';
  closedir (folder);
  return n;
}

double
process_cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void
process_sleep (double seconds)
{
  struct timespec t = {.tv_sec = (time_t) seconds };

  t.tv_nsec = (long) (1e9 * (seconds - (double) t.tv_sec));
  nanosleep (&t, NULL);
}

int
process_processors (void)
{
  long n = sysconf (_SC_NPROCESSORS_CONF);

  return n < 1 ? 1 : (int) n;
}

bool
process_locks_allocate (void)
{
  return false;
}

bool
process_can_fork (void)
{
#ifdef __SANITIZE_THREAD__
  /* The thread sanitizer allows no threads in a child. */
  return false;
#else
  return true;
#endif
}

bool
process_fork (bool (*run) (void))
{
  int status = -1;
  pid_t child = fork ();

  if (child == 0)
    _exit (run () ? 0 : 1);
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}
