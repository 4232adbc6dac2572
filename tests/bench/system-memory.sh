#!/usr/bin/env bash
# gst-stereomatching: benchmark of video in system memory
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/bench/system-memory.sh [FRAMES [BACKEND [WIDTH HEIGHT]]]
#
# Repeats a pair of stereotestsrc, 1920x1080, in system memory, FRAMES times (default
# 6000), matches it with 128 disparities and renders a view. Prints for each pipeline
# the pairs per second, and the CPU load at that rate and at 500 pairs per second, in
# percent of a core. The start and the first 300 pairs are not counted.
set -euo pipefail
frames=${1:-6000}
backend=${2:-cuda}
width=${3:-1920}
height=${4:-1080}
uncounted=300
counts=("$frames" "$uncounted" $((uncounted + frames)))
# shellcheck source=tests/bench/pipelines.sh
. "$(dirname "$0")/pipelines.sh"

# still VIEW FORMAT: a view, repeated; LENGTH is replaced by the number of frames
still() {
  echo "stereotestsrc view=$1 num-disparities=128 num-buffers=1" \
    "! video/x-raw,format=$2,width=$width,height=$height ! imagefreeze num-buffers=LENGTH"
}

queue='queue max-size-buffers=4 max-size-bytes=0'
common="name=m backend=$backend qos=false num-disparities=128"
for matcher in stereovcbw stereobfv stereosgm "stereosgm predecessors=1 paths=4"; do
  measure "${counts[@]}" "GRAY8: $matcher" \
    "$(still left GRAY8) ! $queue ! m.sink_left $(still right GRAY8) ! $queue ! m.sink_right" \
    "$matcher $common ! $queue ! fakesink sync=false"
  measure "${counts[@]}" "RGBx: $matcher, stereoview" \
    "$(still left RGBx) ! tee name=l $(still right RGBx) ! tee name=r" \
    "l. ! $queue ! m.sink_left r. ! $queue ! m.sink_right $matcher $common ! $queue" \
    "! v.sink_disparity l. ! $queue ! v.sink_left r. ! $queue ! v.sink_right" \
    "stereoview name=v backend=$backend qos=false position=0.5 ! $queue ! fakesink sync=false"
done
