#!/bin/sh
# gst-stereomatching: GStreamer's plugin scanner, able to load a sanitized plugin
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The scanner is a program without the sanitizer, which has to be the first
# library in it. What other plugins do there is not ours to judge.
ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_bugs=0 LD_PRELOAD=$STEREO_SANITIZER \
  exec "$STEREO_PLUGIN_SCANNER" "$@"
