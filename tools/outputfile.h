/* gst-stereomatching: output files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * outputfile.h: files that replace earlier ones only when they are complete.
 *
 * A regular file, and one that does not exist yet, is written to a temporary
 * file in the same folder, which is renamed at the end.  Permissions and the
 * targets of symbolic links are kept.  Pipes and devices are written directly
 * and never deleted.  Signals that end the program wait until the temporary
 * file is gone.
 *
 * Functions that fail return false and write the path and the reason to why.
 */

#ifndef OUTPUTFILE_H
#define OUTPUTFILE_H

#include "platform.h"
#include "stereo.h"

#include <stdio.h>

typedef struct
{
  const char *path;             /* as in messages; not owned */
  char *target;                 /* path without symbolic links */
  char *temporary;              /* NULL if target is written directly */
  FILE *stream;
  PlatformSignals signals;      /* blocked before */
} OutputFile;

/* Opens path; path must outlive file, which needs no initialisation. */
STEREO_CHECKED bool output_file_open (OutputFile * file, const char *path,
    StereoMessage * why);

/* Closes the file.  If good, and if all has been written, it replaces an
 * earlier file; otherwise it fails, and an earlier file stays as it was.
 * reason: why good is false, NULL = errno. */
STEREO_CHECKED bool output_file_close (OutputFile * file, bool good,
    const char *reason, StereoMessage * why);

#endif /* OUTPUTFILE_H */
