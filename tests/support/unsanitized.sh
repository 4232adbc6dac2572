#!/bin/sh
# gst-stereomatching: runs a command unless the build is sanitized
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs of GStreamer are not sanitized and cannot load a sanitized plugin.
# Exit status 77 skips the test.
if [ -n "${STEREO_SANITIZER:-}" ]; then
  echo "GStreamer's own programs cannot load a sanitized plugin"
  exit 77
fi
exec "$@"
