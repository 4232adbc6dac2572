/* gst-stereomatching: files and folders on Windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "platform.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

bool
platform_is_separator (char c)
{
  return c == '/' || c == '\\';
}

/* C:file is in the current folder of drive C. */
const char *
platform_file_part (const char *path)
{
  const char *part = path;

  for (const char *c = path; *c != '\0'; c++) {
    if (platform_is_separator (*c) || *c == ':')
      part = c + 1;
  }
  return part;
}

char *
platform_real_path (const char *path)
{
  return _fullpath (NULL, path, 0);
}

/* A drive, such as C:, exists. */
bool
platform_make_folder (const char *path)
{
  size_t length = strlen (path);

  return (length > 0 && path[length - 1] == ':') || _mkdir (path) == 0
      || errno == EEXIST;
}

/* New files inherit permissions from their folder. */
FILE *
platform_open_temporary (char *name, const char *target)
{
  int fd;
  FILE *stream;

  (void) target;
  if (_mktemp (name) == NULL)
    return NULL;
  fd = _open (name, _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY, 0600);
  stream = fd >= 0 ? _fdopen (fd, "wb") : NULL;
  if (fd >= 0 && stream == NULL) {
    int error = errno;

    _close (fd);
    _unlink (name);
    errno = error;
  }
  return stream;
}

bool
platform_replace (const char *file, const char *target)
{
  if (MoveFileExA (file, target, MOVEFILE_REPLACE_EXISTING))
    return true;
  errno = GetLastError () == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
  return false;
}

size_t
platform_cache_bytes (void)
{
  SYSTEM_LOGICAL_PROCESSOR_INFORMATION *all;
  DWORD bytes = 0;
  size_t largest = 0;

  GetLogicalProcessorInformation (NULL, &bytes);
  all = malloc (bytes > 0 ? bytes : 1);
  if (all != NULL && GetLogicalProcessorInformation (all, &bytes)) {
    for (DWORD i = 0; i < bytes / sizeof (*all); i++) {
      if (all[i].Relationship == RelationCache && all[i].Cache.Level >= 3
          && all[i].Cache.Size > largest)
        largest = all[i].Cache.Size;
    }
  }
  free (all);
  return largest;
}

void
platform_block_signals (PlatformSignals * previous)
{
  *previous = 0;
}

void
platform_restore_signals (const PlatformSignals * previous)
{
  (void) previous;
}

void
platform_ignore_file_size_signal (void)
{
}
