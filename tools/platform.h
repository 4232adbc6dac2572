/* gst-stereomatching: files, folders and signals of the operating system
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef _WIN32
typedef int PlatformSignals;    /* there are none */
#else
#include <signal.h>
typedef sigset_t PlatformSignals;
#endif

/* Whether c separates folders in a path. */
bool platform_is_separator (char c);

/* The last part of a path, after its last separator. */
const char *platform_file_part (const char *path);

/* The path without links, "." and ".."; for free(), or NULL with errno. */
char *platform_real_path (const char *path);

/* Creates a folder if it does not exist; false with errno. */
bool platform_make_folder (const char *path);

/* Creates a file and opens it for bytes.  name ends with XXXXXX, which is
 * replaced.  The file gets the permissions of target, or those of a new file if
 * there is no target.  NULL with errno on failure. */
FILE *platform_open_temporary (char *name, const char *target);

/* Renames a file and replaces another; false with errno. */
bool platform_replace (const char *file, const char *target);

/* Signals that end the program wait until the thread restores the previous
 * ones.  Threads of the library block all signals. */
void platform_block_signals (PlatformSignals * previous);
void platform_restore_signals (const PlatformSignals * previous);

/* Writes beyond the limit of file sizes fail instead of ending the program. */
void platform_ignore_file_size_signal (void);

/* Bytes of the last-level cache, or 0 if unknown. */
size_t platform_cache_bytes (void);

#endif /* PLATFORM_H */
