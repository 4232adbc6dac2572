/* gst-stereomatching: how much memory there is
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Linux gives out more memory than it has, and ends a process that then uses
 * it.  So what a matcher wants is compared with what there is before it asks:
 *
 * - of the machine: MemAvailable in /proc/meminfo, which is what is free and
 *   what can be freed without swapping;
 * - of the process's control group and each one above it: the limit less what
 *   is used, but for the file cache, which makes room (cgroup v2: memory.max,
 *   memory.current; v1: memory.limit_in_bytes, memory.usage_in_bytes; both:
 *   memory.stat).
 *
 * The least of these counts.  Swap does not: every frame reads and writes all
 * of a matcher's memory.  Nor does what others ask for meanwhile.  Where none
 * of these files can be read, there is no limit.
 */

#ifndef STEREO_CORE_MEMORY_H
#define STEREO_CORE_MEMORY_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Less than this is never refused: what is used changes as much by itself. */
#define STEREO_MEMORY_LEAST ((size_t) 64 << 20)

/* Bytes that may still be used; UINT64_MAX when nothing says so. */
uint64_t stereo_memory_available (void);

/* STEREO_ERROR_MEMORY, with both numbers in why, when bytes are not there. */
STEREO_CHECKED StereoStatus stereo_memory_check (size_t bytes,
    StereoMessage * why);

/* For tests: the files are looked for in this folder instead of "/"; NULL is
 * as it was.  Not while other threads are here; the string stays. */
void stereo_memory_pretend (const char *root);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CORE_MEMORY_H */
