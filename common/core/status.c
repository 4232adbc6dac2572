/* gst-stereomatching: status codes and messages
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/backend.h"

#include <stdarg.h>
#include <stdio.h>

const char *
stereo_status_name (StereoStatus status)
{
  static const char *const names[] = {
    [STEREO_OK] = "ok",
    [STEREO_ERROR_ARGUMENT] = "invalid argument",
    [STEREO_ERROR_UNSUPPORTED] = "not supported",
    [STEREO_ERROR_MEMORY] = "out of memory",
    [STEREO_ERROR_NO_DEVICE] = "no device",
    [STEREO_ERROR_DEVICE] = "device error",
  };

  if ((unsigned) status >= sizeof (names) / sizeof (names[0]))
    return "unknown status";
  return names[status];
}

const char *
stereo_version (void)
{
  return STEREO_VERSION;
}

StereoStatus
stereo_fail (StereoMessage * why, StereoStatus status, const char *format, ...)
{
  va_list args;

  if (why != NULL) {
    va_start (args, format);
    vsnprintf (why->text, sizeof (why->text), format, args);
    va_end (args);
  }
  return status;
}

void
stereo_log (const StereoDevice * device, StereoLogLevel level,
    const char *format, ...)
{
  char text[512];
  va_list args;

  if (device->log == NULL)
    return;
  va_start (args, format);
  vsnprintf (text, sizeof (text), format, args);
  va_end (args);
  device->log (level, text, device->log_data);
}
