/* gst-stereomatching: available host memory on Windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define WIN32_LEAN_AND_MEAN

#include "core/memory.h"

#include <windows.h>

uint64_t
stereo_memory_available (void)
{
  MEMORYSTATUSEX status = {.dwLength = sizeof (status) };
  uint64_t least;

  if (!GlobalMemoryStatusEx (&status))
    return UINT64_MAX;
  least = status.ullAvailPhys;
  if (status.ullAvailPageFile < least)
    least = status.ullAvailPageFile;
  if (status.ullAvailVirtual < least)
    least = status.ullAvailVirtual;
  return least;
}

/* Windows has no such files. */
void
stereo_memory_pretend (const char *root)
{
  (void) root;
}
