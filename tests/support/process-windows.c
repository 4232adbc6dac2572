/* gst-stereomatching: the process of a test, on Windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "process.h"

#include <stdint.h>
#include <windows.h>

#include <tlhelp32.h>

int
process_threads (void)
{
  HANDLE threads = CreateToolhelp32Snapshot (TH32CS_SNAPTHREAD, 0);
  THREADENTRY32 entry = {.dwSize = sizeof (entry) };
  int n = 0;

  if (threads == INVALID_HANDLE_VALUE)
    return -1;
  for (BOOL more = Thread32First (threads, &entry); more;
      more = Thread32Next (threads, &entry))
    n += entry.th32OwnerProcessID == GetCurrentProcessId ();
  CloseHandle (threads);
  return n;
}

/* FILETIME counts 100 ns. */
static double
seconds_of (FILETIME time)
{
  return 1e-7 * (double) ((uint64_t) time.dwHighDateTime << 32
      | time.dwLowDateTime);
}

double
process_cpu_seconds (void)
{
  FILETIME created, ended, kernel, user;

  GetProcessTimes (GetCurrentProcess (), &created, &ended, &kernel, &user);
  return seconds_of (kernel) + seconds_of (user);
}

void
process_sleep (double seconds)
{
  Sleep ((DWORD) (1e3 * seconds + 0.5));
}

int
process_processors (void)
{
  DWORD n = GetMaximumProcessorCount (ALL_PROCESSOR_GROUPS);

  return n < 1 ? 1 : (int) n;
}

/* winpthreads does. */
bool
process_locks_allocate (void)
{
  return true;
}

bool
process_can_fork (void)
{
  return false;
}

bool
process_fork (bool (*run) (void))
{
  (void) run;
  return false;
}
