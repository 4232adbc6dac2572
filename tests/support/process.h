/* gst-stereomatching: the process of a test
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>

/* Threads of this process, or -1 if unknown. */
int process_threads (void);

/* Processor time of all threads so far. */
double process_cpu_seconds (void);

void process_sleep (double seconds);

/* Processors of the machine, at least 1. */
int process_processors (void);

/* Whether threads allocate memory when they wait for each other. */
bool process_locks_allocate (void);

/* Whether a child can create threads. */
bool process_can_fork (void);

/* Calls run() in a child; true if it returned true. */
bool process_fork (bool (*run) (void));

#endif /* PROCESS_H */
