#!/usr/bin/env bash
# gst-stereomatching: demonstration on any machine
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   examples/demo.sh                                  a rendered scene
#   examples/demo.sh LEFT RIGHT [NUM_DISPARITIES]     two images, or two videos
#
# Installs missing packages (apt on Debian and Ubuntu), builds in build/ and
# computes disparity video. Writes its files to out/, or to $DEMO_OUT. Uses a GPU
# if there is one; otherwise the CPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"

case ${1:-} in
  -h|--help)
    sed -n '5,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0 ;;
esac
case $# in
  0) ;;
  2|3) for file in "$1" "$2"; do [ -f "$file" ] || die "file '$file' does not exist"; done ;;
  *) die "usage: examples/demo.sh [LEFT RIGHT [NUM_DISPARITIES]]" ;;
esac
disparities=${3:-64}
[[ $disparities =~ ^[1-9][0-9]*$ ]] || die "expected a number above 0 for NUM_DISPARITIES, got '$disparities'"

# The matcher with the fewest errors on scenes that it was not tuned on
# (docs/choosing.md).
best=sgm
matchers=(sgm esmp esaw bfv bp vcbw pyramid)

out=${DEMO_OUT:-$root/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)

need_build
need_packages gstreamer1.0-libav
[ $# = 0 ] || need_packages gstreamer1.0-plugins-bad
build_project
export GST_PLUGIN_PATH="$root/build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"

# Ends the background process with this script.
pid=
trap '[ -z "$pid" ] || kill $pid 2> /dev/null || true' EXIT

# launch WORD ...: prints a pipeline in shell syntax and runs it.
launch() {
  local word line=''
  for word in "$@"; do
    case $word in
      *[[:space:]\(\)\;\&\*\'\"\$\\]*) line+=" ${word@Q}" ;;
      '!') line+=' !' ;;
      *) line+=" $word" ;;
    esac
  done
  say "running this (with GST_PLUGIN_PATH=$root/build/gst)"
  printf 'gst-launch-1.0 -e%s\n' "$line"
  gst-launch-1.0 -e "$@" > "$out/demo.log" 2>&1 &
  pid=$!
  # After a very early error, gst-launch-1.0 may not exit.
  while kill -0 $pid 2> /dev/null; do
    ! grep -qs '^ERROR' "$out/demo.log" || { sleep 2; kill $pid 2> /dev/null || true; }
    sleep 0.2
  done
  wait $pid || { cat "$out/demo.log" >&2; die "the pipeline failed"; }
  pid=
  grep -h 'Computing on' "$out/demo.log" | sort -u || true
  # such as views that are swapped or not rectified
  sed -n 's/^WARNING: from element [^ ]*: /warning: /p' "$out/demo.log" >&2
  rm -f "$out/demo.log"
}

# ------------------------------------------------------------- rendered scenes

# Three seconds of one scene: left view, ground truth and result.
render_video() {
  local size=video/x-raw,width=480,height=360,framerate=30/1
  launch \
    stereotestsrc pattern=corridor view=left num-buffers=90 ! "$size,format=RGB" ! \
      tee name=left  left. ! queue ! m.sink_left \
    stereotestsrc pattern=corridor view=right num-buffers=90 ! "$size,format=RGB" ! m.sink_right \
    "stereo$best" name=m num-disparities=64 ! tee name=result \
    result. ! queue ! filesink location="$out/result.gray16" \
    result. ! queue ! disparitycolor legend=true ! videoconvert ! c.sink_2 \
    stereotestsrc pattern=corridor view=disparity num-buffers=90 ! "$size,format=GRAY16_LE" ! tee name=truth \
    truth. ! queue ! filesink location="$out/truth.gray16" \
    truth. ! queue ! disparitycolor ! videoconvert ! c.sink_1 \
    left. ! queue ! videoconvert ! c.sink_0 \
    compositor name=c background=black sink_1::xpos=480 sink_2::xpos=960 ! \
      videoconvert ! vp8enc deadline=1 cpu-used=8 target-bitrate=6000000 ! webmmux ! \
      filesink location="$out/demo.webm"
  say "against the ground truth"
  "$root/build/examples/compare-disparity" 480 360 "$out/result.gray16" "$out/truth.gray16"
  rm -f "$out/result.gray16" "$out/truth.gray16"
}

# One image with one frame of each scene in a row.
render_sheet() {
  local size=video/x-raw,width=320,height=240 words=() pads=() y=0 n=0 pattern
  # the words have no blanks
  # shellcheck disable=SC2206
  for pattern in planes slanted sphere corridor thin; do
    words+=(stereotestsrc pattern=$pattern view=left num-buffers=1 ! "$size,format=RGB" !
      tee name=$pattern  $pattern. ! queue ! m$n.sink_left
      stereotestsrc pattern=$pattern view=right num-buffers=1 ! "$size,format=RGB" ! m$n.sink_right
      $pattern. ! queue ! videoconvert ! c.sink_$((3 * n))
      stereotestsrc pattern=$pattern view=disparity num-buffers=1 ! "$size,format=GRAY16_LE" !
      disparitycolor ! videoconvert ! c.sink_$((3 * n + 1))
      stereo$best name=m$n num-disparities=64 ! disparitycolor ! videoconvert ! c.sink_$((3 * n + 2)))
    pads+=(sink_$((3 * n))::ypos=$y sink_$((3 * n + 1))::xpos=320 sink_$((3 * n + 1))::ypos=$y
      sink_$((3 * n + 2))::xpos=640 sink_$((3 * n + 2))::ypos=$y)
    y=$((y + 240)) n=$((n + 1))
  done
  launch "${words[@]}" compositor name=c background=black "${pads[@]}" ! videoconvert ! \
    video/x-raw,format=RGB ! pngenc snapshot=true ! filesink location="$out/contact-sheet.png"
}

# One frame of one scene and the map of each matcher, four in a row.
render_matchers() {
  local size=video/x-raw,width=480,height=360,format=RGB words=() pads=() n=1 matcher
  words=(stereotestsrc pattern=corridor view=left num-buffers=1 ! "$size" ! tee name=left
    stereotestsrc pattern=corridor view=right num-buffers=1 ! "$size" ! tee name=right
    left. ! queue ! videoconvert ! c.sink_0)
  # the words have no blanks
  # shellcheck disable=SC2206
  for matcher in "${matchers[@]}"; do
    words+=(left. ! queue ! m$n.sink_left  right. ! queue ! m$n.sink_right
      stereo$matcher name=m$n num-disparities=64 ! disparitycolor ! videoconvert !
      c.sink_$n)
    pads+=(sink_$n::xpos=$((n % 4 * 480)) sink_$n::ypos=$((n / 4 * 360)))
    n=$((n + 1))
  done
  launch "${words[@]}" compositor name=c background=black "${pads[@]}" ! videoconvert ! \
    video/x-raw,format=RGB ! pngenc snapshot=true ! filesink location="$out/matchers.png"
}

# Four seconds of a virtual camera that swings between half a baseline left of the left camera and
# half a baseline right of the right one: examples/swing.c, because gst-launch-1.0 cannot change
# properties over time.
render_swing() {
  say "running $root/build/examples/swing: a virtual camera between and beyond the two cameras"
  (cd "$out" && "$root/build/examples/swing" 2> demo.log) || { cat "$out/demo.log" >&2; die "the view failed"; }
  rm -f "$out/demo.log"
}

# The pipeline of README for a side-by-side camera with a calibration: depth, and one point cloud per
# frame. Focal length and baseline are chosen so that the corridor has a realistic size.
render_depth() {
  local size=video/x-raw,width=960,height=360,framerate=30/1 camera
  camera='[400, 0, 239.5, 0, 400, 179.5, 0, 0, 1]'
  printf '%%%s\nM1: %s\nM2: %s\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.1, 0, 0]\n' \
    YAML:1.0 "$camera" "$camera" > "$out/stereo.yml"
  launch \
    stereotestsrc pattern=corridor view=side-by-side num-buffers=10 ! "$size,format=I420" ! \
    vp8enc deadline=1 cpu-used=8 target-bitrate=20000000 ! webmmux ! \
    filesink location="$out/side-by-side.webm"
  rm -f "$out"/points-*.ply
  launch \
    filesrc location="$out/side-by-side.webm" ! decodebin ! videoconvert ! \
    stereosplit name=s layout=side-by-side \
    s.src_left ! queue ! stereorectify calibration="$out/stereo.yml" ! tee name=l ! queue ! m.sink_left \
    s.src_right ! queue ! stereorectify calibration="$out/stereo.yml" ! m.sink_right \
    "stereo$best" name=m num-disparities=64 disparity-scale=256 fill=false ! tee name=d \
    d. ! queue ! disparitydepth ! avenc_ffv1 ! matroskamux ! filesink location="$out/depth.mkv" \
    d. ! queue ! c.sink_disparity  l. ! queue ! c.sink_left \
    disparitycloud name=c axes=graphics step=2 ! multifilesink location="$out/points-%05d.ply"
  launch \
    filesrc location="$out/depth.mkv" ! matroskademux ! avdec_ffv1 ! \
    disparitycolor legend=true ! videoconvert ! pngenc snapshot=true ! \
    filesink location="$out/depth.png"
}

# ------------------------------------------------------------- files of the user

is_image() {
  case ${1,,} in
    *.png|*.jpg|*.jpeg|*.bmp|*.pgm|*.ppm|*.pnm|*.tif|*.tiff|*.webp) return 0 ;;
    *) return 1 ;;
  esac
}

# The disparity map of the left image, in colour and as 16-bit codes. PNG is
# big-endian.
match_images() {
  launch \
    filesrc location="$1" ! decodebin ! videoconvert ! m.sink_left \
    filesrc location="$2" ! decodebin ! videoconvert ! m.sink_right \
    "stereo$best" name=m num-disparities="$disparities" ! tee name=result \
    result. ! queue ! videoconvert ! video/x-raw,format=GRAY16_BE ! pngenc snapshot=true ! \
      filesink location="$out/disparity-16bit.png" \
    result. ! queue ! disparitycolor legend=true ! videoconvert ! pngenc snapshot=true ! \
      filesink location="$out/disparity.png"
}

match_videos() {
  launch \
    filesrc location="$1" ! decodebin ! videoconvert ! queue ! m.sink_left \
    filesrc location="$2" ! decodebin ! videoconvert ! queue ! m.sink_right \
    "stereo$best" name=m num-disparities="$disparities" ! \
      disparitycolor legend=true ! videoconvert ! vp8enc deadline=1 cpu-used=8 \
      target-bitrate=6000000 ! webmmux ! filesink location="$out/disparity.webm"
}

if [ $# = 0 ]; then
  render_video
  render_sheet
  render_matchers
  render_swing
  render_depth
  say "done:" \
    "demo.webm: left view, ground truth and result;" \
    "contact-sheet.png: one scene per row;" \
    "matchers.png: left view, stereosgm, stereoesmp, stereoesaw (above), stereobfv, stereobp," \
    "stereovcbw, stereopyramid (below);" \
    "swing.webm: a virtual camera between and beyond the two;" \
    "depth.mkv, depth.png, points-00000.ply: depth and point clouds from side-by-side.webm and stereo.yml"
  ls -l "$out/demo.webm" "$out/contact-sheet.png" "$out/matchers.png" "$out/swing.webm" \
    "$out/side-by-side.webm" "$out/stereo.yml" "$out/depth.mkv" "$out/depth.png" "$out/points-00000.ply"
elif is_image "$1"; then
  match_images "$1" "$2"
  say "done: the disparity map in colour, and as 16-bit codes with 16 codes per pixel of disparity"
  ls -l "$out/disparity.png" "$out/disparity-16bit.png"
else
  match_videos "$1" "$2"
  say "done: the disparity map in colour"
  ls -l "$out/disparity.webm"
fi

# Runs from the build folder.
tune=$root/build/tools/tune/stereo-tune
inputs=' --demo'
[ $# = 0 ] || printf -v inputs ' %q' "$1" "$2"
[ ! -x "$tune" ] || say "to tune the parameters live in a browser:" \
  "GST_PLUGIN_PATH=$root/build/gst $tune$inputs"
