/* gst-stereomatching: aligned and available host memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Linux overcommits memory and kills processes that use more than is available.
 * Large allocations are therefore checked against the minimum of
 *
 * - MemAvailable of /proc/meminfo: free and reclaimable memory;
 * - the remaining memory of the process's control group and its ancestors:
 *   limit minus usage, without the file cache (cgroup v2: memory.max,
 *   memory.current; v1: memory.limit_in_bytes, memory.usage_in_bytes; both:
 *   memory.stat).
 *
 * Swap is not counted, because every frame accesses all memory of a matcher.
 * Without any of these files there is no limit.
 *
 * Windows does not overcommit, but swaps: its limits are the available physical
 * memory, commit charge and address space of GlobalMemoryStatusEx().  On macOS
 * the limit is the memory of free and inactive pages.
 */

#ifndef STEREO_CORE_MEMORY_H
#define STEREO_CORE_MEMORY_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smaller requests always succeed: usage fluctuates by as much. */
#define STEREO_MEMORY_LEAST ((size_t) 64 << 20)

/* Available bytes, or UINT64_MAX if unknown. */
uint64_t stereo_memory_available (void);

/* STEREO_ERROR_MEMORY if fewer bytes are available. */
STEREO_CHECKED StereoStatus stereo_memory_check (size_t bytes,
    StereoMessage * why);

/* alignment: a power of two, at least that of a pointer.  NULL if there is not
 * enough memory. */
void *stereo_aligned_alloc (size_t alignment, size_t bytes);
void stereo_aligned_free (void *memory);

/* For tests on Linux: reads the files below root instead of "/" (NULL =
 * default).  Not thread-safe; the string is not copied. */
void stereo_memory_pretend (const char *root);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CORE_MEMORY_H */
