#!/usr/bin/env bash
# gst-stereomatching: benchmark of video in CUDA memory
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/bench/zero-copy.sh [FRAMES [FOLDER]]
#
# Makes H.264 files of the two views of stereotestsrc, 1920x1080, with x264enc,
# in FOLDER, or reuses them; decodes FRAMES pairs (default 6000) with nvh264dec and
# matches them with 128 disparities, in CUDA memory and through system memory. Prints
# for each pipeline the pairs per second, and the CPU load at that rate and at 500
# pairs per second, in percent of a core. The start and the first 300 pairs are not
# counted. Needs a GPU with a decoder, and GStreamer's nvcodec, x264 and this plugin.
set -euo pipefail
frames=${1:-6000}
folder=${2:-$(mktemp -d)}
short=60
uncounted=300
counts=("$frames" short long)
# shellcheck source=tests/bench/pipelines.sh
. "$(dirname "$0")/pipelines.sh"

for view in left right; do
  [ -s "$folder/$view.h264" ] && continue
  gst-launch-1.0 -q stereotestsrc view=$view num-disparities=128 num-buffers=$short \
    ! video/x-raw,width=1920,height=1080,framerate=60/1 ! videoconvert \
    ! video/x-raw,format=I420 ! x264enc speed-preset=ultrafast key-int-max=30 bitrate=12000 \
    ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=nal \
    ! filesink location="$folder/$view.h264"
done
# repeat VIEW FRAMES NAME: repeats the view's file
repeat() {
  : > "$folder/$1-$3.h264"
  for ((i = 0; i < $2 / short; i++)); do
    cat "$folder/$1.h264" >> "$folder/$1-$3.h264"
  done
}
for view in left right; do
  repeat $view $uncounted short
  repeat $view $((uncounted + frames)) long
done

# decode VIEW MEMORY: a decoded view in a queue; LENGTH is replaced by short or long
decode() {
  echo "filesrc location=$folder/$1-LENGTH.h264 ! h264parse ! nvh264dec ! $2 ! queue"
}

for memory in 'video/x-raw(memory:CUDAMemory)' video/x-raw; do
  left=$(decode left "$memory")
  right=$(decode right "$memory")
  what=${memory#video/x-raw}
  what=${what:-system memory}
  measure "${counts[@]}" "$what: decode" "$left ! fakesink sync=false $right ! fakesink sync=false"
  for matcher in stereovcbw stereobfv; do
    measure "${counts[@]}" "$what: decode, $matcher" "$left ! m.sink_left $right ! m.sink_right" \
      "$matcher name=m backend=cuda qos=false num-disparities=128 ! fakesink sync=false"
  done
  measure "${counts[@]}" "$what: decode, stereobfv, stereoview" \
    "$left ! tee name=l $right ! tee name=r" "l. ! queue ! m.sink_left r. ! queue ! m.sink_right" \
    "stereobfv name=m backend=cuda qos=false num-disparities=128 ! queue ! v.sink_disparity" \
    "l. ! queue ! v.sink_left r. ! queue ! v.sink_right" \
    "stereoview name=v backend=cuda qos=false position=0.5 ! fakesink sync=false"
done
