/* gst-stereomatching: calls of the operating system
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * C11 and POSIX threads are the same everywhere (winpthreads on Windows).
 * platform-posix.c and platform-windows.c have the rest; memory.h has available
 * memory.
 */

#ifndef STEREO_CORE_PLATFORM_H
#define STEREO_CORE_PLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since an arbitrary point in time, never decreasing. */
uint64_t stereo_clock_ns (void);

/* Processors available to this process, at least 1. */
unsigned stereo_processors (void);

#ifdef STEREO_DOTPROD
/* Whether the processor, of 64-bit ARM, has the instruction SDOT, which adds
 * products of bytes. */
bool stereo_processor_has_dotprod (void);
#endif

/* pthread_create() with a stack size, of a thread that receives no signals. */
int stereo_thread_create (pthread_t * thread, size_t stack_bytes,
    void *(*run) (void *), void *data);

/* pthread_atfork(), where processes fork. */
void stereo_at_fork (void (*before) (void), void (*after) (void),
    void (*after_in_child) (void));

/* strtod() in the C locale; false unless the whole text is a number that is not
 * too large for a double.  Too small ones become denormal or 0. */
bool stereo_parse_double (const char *text, double *value);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CORE_PLATFORM_H */
