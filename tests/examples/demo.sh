#!/usr/bin/env bash
# gst-stereomatching: the demonstration with two videos
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/examples/demo.sh PROJECT BUILD
#
# Runs examples/demo.sh with the plugin of a build, and installs nothing. Skipped without encoders.
set -euo pipefail
project=$1 build=$2
[ -z "${STEREO_SANITIZER:-}" ] || { echo "skipped: gst-launch-1.0 is not sanitized"; exit 77; }
for element in jpegenc matroskamux decodebin vp8enc webmmux; do
  gst-inspect-1.0 --exists $element || { echo "skipped: no $element"; exit 77; }
done
# shellcheck source=examples/setup.sh
. "$project/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$project/tests/support/checks.sh"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/examples"
cp "$project/examples/demo.sh" "$root/examples"
{ cat "$project/examples/setup.sh"
  printf '%s() { :; }\n' need_build need_packages build_project; } > "$root/examples/setup.sh"
ln -s "$build" "$root/build"

# render VIEW: a video of six seconds
render() {
  gst-launch-1.0 -q stereotestsrc view="$1" num-buffers=6 ! \
    video/x-raw,format=I420,width=320,height=240,framerate=1/1 ! jpegenc ! matroskamux ! \
    filesink location="$root/$1 view.mkv"
}

# demo LEFT RIGHT: its standard error is in $root/errors
demo() {
  "$root/examples/demo.sh" "$root/$1 view.mkv" "$root/$2 view.mkv" 32 > /dev/null 2> "$root/errors"
}

render left
render right
check "a pair of videos" demo left right
check "without a warning" test ! -s "$root/errors"
check "has a map" test -s "$root/out/disparity.webm"
check "swapped views" demo right left
check "have a warning" grep '^warning: The views are swapped' "$root/errors"
report
