#!/bin/sh
# gst-stereomatching: plugin scanner that can load a sanitized plugin
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The scanner is not sanitized, so the sanitizer must be preloaded. Reports are off
# because they would concern other plugins.
ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_bugs=0 LD_PRELOAD=$STEREO_SANITIZER \
  exec "$STEREO_PLUGIN_SCANNER" "$@"
