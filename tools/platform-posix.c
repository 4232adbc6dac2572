/* gst-stereomatching: files, folders and signals on POSIX systems
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
platform_is_separator (char c)
{
  return c == '/';
}

const char *
platform_file_part (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL ? slash + 1 : path;
}

char *
platform_real_path (const char *path)
{
  return realpath (path, NULL);
}

bool
platform_make_folder (const char *path)
{
  return mkdir (path, 0777) == 0 || errno == EEXIST;
}

FILE *
platform_open_temporary (char *name, const char *target)
{
  mode_t mask = umask (0);
  mode_t mode = 0666 & ~mask;
  struct stat status;
  FILE *stream = NULL;
  int fd, error;

  umask (mask);
  if (stat (target, &status) == 0)
    mode = status.st_mode & 0777;
  fd = mkstemp (name);
  if (fd < 0)
    return NULL;
  if (fchmod (fd, mode) == 0)
    stream = fdopen (fd, "wb");
  if (stream == NULL) {
    error = errno;
    close (fd);
    unlink (name);
    errno = error;
  }
  return stream;
}

bool
platform_replace (const char *file, const char *target)
{
  return rename (file, target) == 0;
}

size_t
platform_cache_bytes (void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
  long bytes = sysconf (_SC_LEVEL3_CACHE_SIZE);

  return bytes > 0 ? (size_t) bytes : 0;
#else
  return 0;
#endif
}

void
platform_block_signals (PlatformSignals * previous)
{
  sigset_t ending;

  sigemptyset (&ending);
  sigaddset (&ending, SIGHUP);
  sigaddset (&ending, SIGINT);
  sigaddset (&ending, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &ending, previous);
}

void
platform_restore_signals (const PlatformSignals * previous)
{
  pthread_sigmask (SIG_SETMASK, previous, NULL);
}

void
platform_ignore_file_size_signal (void)
{
  signal (SIGXFSZ, SIG_IGN);
}
