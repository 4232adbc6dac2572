#!/bin/sh
# gst-stereomatching: runs a command, but not in a sanitized build
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# GStreamer's own programs have no sanitizer in them, and could not load the
# plugin of such a build. 77 means that the test is skipped.
if [ -n "${STEREO_SANITIZER:-}" ]; then
  echo "a sanitized plugin can't be loaded by GStreamer's own programs"
  exit 77
fi
exec "$@"
