/* gst-stereomatching: files and folders of the operating system
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* Bytes of the last-level cache, or 0 if unknown. */
size_t platform_cache_bytes (void);

#endif /* PLATFORM_H */
