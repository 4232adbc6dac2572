#!/usr/bin/env bash
# gst-stereomatching: what is gained by video that stays on the GPU
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/bench/zero-copy.sh [FRAMES [FOLDER]]
#
# Makes H.264 files of the two views of stereotestsrc, 1920x1080, with x264enc,
# in FOLDER, where they are found again the next time; decodes FRAMES pairs
# (default 6000) with nvh264dec, and matches them with 128 disparities: in CUDA
# memory, and through system memory. For each pipeline one line: pairs a second,
# processor time in percent of a core, also at 500 pairs a second. Needs a GPU
# with a decoder, and GStreamer's nvcodec, x264 and this plugin.
set -euo pipefail
frames=${1:-6000}
folder=${2:-$(mktemp -d)}
short=60
TIMEFORMAT='%R %U %S'

for view in left right; do
  [ -s "$folder/$view.h264" ] && continue
  gst-launch-1.0 -q stereotestsrc view=$view num-disparities=128 num-buffers=$short \
    ! video/x-raw,width=1920,height=1080,framerate=60/1 ! videoconvert \
    ! video/x-raw,format=I420 ! x264enc speed-preset=ultrafast key-int-max=30 bitrate=12000 \
    ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=nal \
    ! filesink location="$folder/$view.h264"
done
for view in left right; do
  : > "$folder/$view-long.h264"
  for ((i = 0; i < frames / short; i++)); do
    cat "$folder/$view.h264" >> "$folder/$view-long.h264"
  done
done

# decode VIEW MEMORY: a decoded view, in a queue
decode() {
  echo "filesrc location=$folder/$1-long.h264 ! h264parse ! nvh264dec ! $2 ! queue"
}

# measure NAME PIPELINE ...
measure() {
  local name=$1 log times seconds

  shift
  log=$(mktemp)
  # shellcheck disable=SC2048,SC2086
  times=$({ time gst-launch-1.0 $* > "$log" 2>&1; } 2>&1) || { tail -n 5 "$log"; return; }
  seconds=$(sed -n 's/^Execution ended after 0:\([0-9]*\):\([0-9.]*\)$/\1 \2/p' "$log" |
    awk '{ print $1 * 60 + $2 }')
  awk -v name="$name" -v n="$frames" -v t="$times" -v s="$seconds" 'BEGIN {
    split (t, u, " ")
    printf "%-44s %7.1f pairs/s %6.1f %% of a core, %6.1f %% at 500/s\n", name, n / s,
      100 * (u[2] + u[3]) / s, 100 * (u[2] + u[3]) / n * 500 }'
  rm -f "$log"
}

for memory in 'video/x-raw(memory:CUDAMemory)' video/x-raw; do
  left=$(decode left "$memory")
  right=$(decode right "$memory")
  what=${memory#video/x-raw}
  what=${what:-system memory}
  measure "$what: decode" "$left ! fakesink sync=false $right ! fakesink sync=false"
  for matcher in stereovcbw stereobfv; do
    measure "$what: decode, $matcher" "$left ! m.sink_left $right ! m.sink_right" \
      "$matcher name=m backend=cuda qos=false num-disparities=128 ! fakesink sync=false"
  done
  measure "$what: decode, stereobfv, stereoview" "$left ! tee name=l $right ! tee name=r" \
    "l. ! queue ! m.sink_left r. ! queue ! m.sink_right" \
    "stereobfv name=m backend=cuda qos=false num-disparities=128 ! queue ! v.sink_disparity" \
    "l. ! queue ! v.sink_left r. ! queue ! v.sink_right" \
    "stereoview name=v backend=cuda qos=false position=0.5 ! fakesink sync=false"
done
