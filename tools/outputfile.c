/* gst-stereomatching: output files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "outputfile.h"
#include "cli.h"
#include "imagefile.h"
#include "platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
fail (const OutputFile * file, const char *reason, StereoMessage * why)
{
  return image_fail (why, file->path, "cannot be written: %s", reason);
}

/* Frees what belongs to the file and restores errno for a message.  A signal
 * that came in between ends the program here. */
static void
clear (OutputFile * file, int error)
{
  if (file->temporary != NULL)
    platform_restore_signals (&file->signals);
  free (file->target);
  free (file->temporary);
  errno = error;
}

/* Opens a temporary file beside the target, with the permissions that the
 * target will have. */
static FILE *
open_temporary (OutputFile * file)
{
  int folder = (int) (platform_file_part (file->target) - file->target);

  /* short, since the name of the target may be as long as a name can be */
  file->temporary = cli_format ("%.*s.stereo-XXXXXX", folder, file->target);
  platform_block_signals (&file->signals);
  return platform_open_temporary (file->temporary, file->target);
}

bool
output_file_open (OutputFile * file, const char *path, StereoMessage * why)
{
  struct stat status;
  bool exists = stat (path, &status) == 0;

  *file = (OutputFile) {
  .path = path};
  file->target = exists ? platform_real_path (path) : NULL;
  if (file->target == NULL)
    file->target = cli_format ("%s", path);

  if (exists && !S_ISREG (status.st_mode)) {
    file->stream = fopen (file->target, "wb");
  } else if (!exists || access (file->target, W_OK) == 0) {
    file->stream = open_temporary (file);
  }
  if (file->stream == NULL) {
    clear (file, errno);
    return fail (file, strerror (errno), why);
  }
  return true;
}

bool
output_file_close (OutputFile * file, bool good, const char *reason,
    StereoMessage * why)
{
  int error = errno;

  /* libpng's reason for a full disk is "Write Error" */
  if (ferror (file->stream)) {
    good = false;
    reason = NULL;
  }
  if ((fclose (file->stream) != 0 && good) || (good && file->temporary != NULL
          && !platform_replace (file->temporary, file->target))) {
    error = errno;
    good = false;
    reason = NULL;
  }
  if (!good && file->temporary != NULL)
    unlink (file->temporary);
  clear (file, error);
  return good || fail (file, reason != NULL ? reason : strerror (error), why);
}
