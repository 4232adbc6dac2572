/* gst-stereomatching: aligned memory, and checks of available memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/memory.h"

#include "core/backend.h"

#include <stdlib.h>

/* aligned_alloc() is missing on Windows.  The address of malloc()'s block is
 * stored before the aligned memory. */
void *
stereo_aligned_alloc (size_t alignment, size_t bytes)
{
  const size_t more = alignment + sizeof (void *);
  void *block = bytes <= SIZE_MAX - more ? malloc (bytes + more) : NULL;
  uintptr_t at;

  if (block == NULL)
    return NULL;
  at = ((uintptr_t) block + more) & ~(uintptr_t) (alignment - 1);
  ((void **) at)[-1] = block;
  return (void *) at;
}

void
stereo_aligned_free (void *memory)
{
  if (memory != NULL)
    free (((void **) memory)[-1]);
}

StereoStatus
stereo_memory_check (size_t bytes, StereoMessage * why)
{
  const double mib = 1024 * 1024;
  uint64_t available;

  if (bytes < STEREO_MEMORY_LEAST)
    return STEREO_OK;
  available = stereo_memory_available ();
  if (bytes <= available)
    return STEREO_OK;
  return stereo_fail (why, STEREO_ERROR_MEMORY,
      "out of memory: %.1f MiB are needed, %.1f MiB are available",
      (double) bytes / mib, (double) available / mib);
}
