#!/usr/bin/env bash
# gst-stereomatching: cross-compiles for Windows, and tests with wine
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/windows.sh [TEST_OR_SUITE ...]
#   packaging/windows.sh --build
#
# On Debian or Ubuntu: installs MinGW-w64 and wine with apt, builds the library, the
# tools, the plugin and tests in build-windows/, without CUDA, JPEG and YAML, and runs
# all tests, or those named as for `meson test`. Then compares maps with those of this
# machine, from programs in build/, which is built if necessary, checks the machine
# code, and runs a pipeline. build-windows/cuda/libstereomatching-1.dll is the library,
# with the import library libstereomatching.dll.a; the plugin is for the GStreamer of the
# Python wheels, which lies in build-windows-libraries; the tools in build-windows/tools
# also need the DLLs in its folder bin.
#
# The last line is `N passed, N failed, N skipped`. --build builds only the library and
# the plugin.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
build=$root/build-windows
libraries=$root/build-windows-libraries
tool=x86_64-w64-mingw32

# The home of Windows programs, with nothing of the user's. Without messages, and
# without .NET and HTML.
export WINEPREFIX=$build/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
# where it finds DLLs
export WINEPATH="$build/cuda;$libraries/bin"

# Vectors of 32 and 64 bytes that GCC spills to a stack that is aligned to 16.
check_alignment() {
  local file name n=0

  for name in avx2 avx512; do
    for file in "$build/common/libstereo-simd-$name.a.p"/*.obj; do
      n=$((n + 1))
      # vmovdqa, vmovdqa32, vmovaps, ...
      ! "$tool-objdump" -d --no-show-raw-insn "$file" |
        grep -m 3 -E 'vmov(dqa[0-9]*|ap[sd]) .*%[yz]mm.*\(%r[sb]p|vmov(dqa[0-9]*|ap[sd]) .*\(%r[sb]p.*%[yz]mm' ||
        { say "aligned access to the stack in $file"; return 1; }
    done
  done
  [ $n -gt 0 ] || { say "there are no vector files"; return 1; }
  say "$n vector files access the stack unaligned"
}

# The library needs nothing but Windows, and exports its public functions.
check_library() {
  local dll=$build/cuda/libstereomatching-1.dll table public exported

  table=$("$tool-objdump" -p "$dll") || return
  grep 'DLL Name:' <<< "$table"
  ! grep 'DLL Name:' <<< "$table" | grep -qviE 'KERNEL32|msvcrt|ucrt|api-ms-win' ||
    { say "the library needs DLLs of the compiler"; return 1; }
  # the name of a function is followed by a blank, in comments by none
  public=$(grep -ohE '\bstereo_[a-z0-9_]+( \(|$)' "$root/common/stereo.h" "$root/cuda/stereo-cuda.h" |
    tr -d ' (' | sort -u)
  exported=$(sed -n 's/^\t\[ *[0-9]*\] \([A-Za-z0-9_]*\)$/\1/p' <<< "$table" | sort -u)
  diff <(echo "$public") <(echo "$exported") ||
    { say "exported functions differ (<: headers, >: library)"; return 1; }
  say "$(wc -l <<< "$exported") functions are exported"
}

# Maps of this machine and of Windows, for all instruction sets of the processor.
compare_maps() {
  local program=tests/kernels/kernels-checksums

  [ -f "$root/build/build.ninja" ] || build_project -Dtests=enabled
  quietly ninja -C "$root/build" "$program" || die "the build failed"
  "$root/build/$program" > "$build/checksums-here"
  # lines end with CR LF
  wine "$build/$program.exe" | tr -d '\r' > "$build/checksums-there"
  diff "$build/checksums-here" "$build/checksums-there" ||
    { say "maps differ (<: this machine, >: Windows)"; return 1; }
  say "$(wc -l < "$build/checksums-here") maps are equal"
}

# Files of stereo-eval, which reads and writes PNG.
compare_tools() {
  local folder=$build/tools-compared program=tools/stereo-eval

  quietly ninja -C "$root/build" "$program" || die "the build failed"
  rm -rf "$folder"
  mkdir -p "$folder"
  PYTHONPATH=$root/tests/tools:$root/tests/support python3 - "$folder" <<'PYTHON'
import random, sys
import pictures

width, height, shift = 96, 64, 5
left = [[random.randrange(256) for _ in range(width)] for _ in range(height)]
right = [[row[min(x + shift, width - 1)] for x in range(width)] for row in left]
pictures.write_png(sys.argv[1] + "/left.png", left)
pictures.write_png(sys.argv[1] + "/right.png", right)
PYTHON
  set -- sgm num-disparities=16 --left "$folder/left.png" --right "$folder/right.png"
  quietly "$root/build/$program" "$@" --save "$folder/here/maps" || return
  # wine calls / Z:
  quietly wine "$build/$program.exe" "$@" --save "Z:$folder/there/maps" || return
  [ -s "$folder/here/maps/left.pfm" ] && diff -r "$folder/here" "$folder/there" || return
  say "files of stereo-eval are equal"
}

# The plugin is complete, and needs no more than GStreamer.
check_plugin() {
  local dll=$build/gst/libgststereomatching.dll table

  table=$("$tool-objdump" -p "$dll") || return
  ! grep 'DLL Name:' <<< "$table" | grep -viE 'KERNEL32|msvcrt|ucrt|api-ms-win|glib-2.0-0|gmodule-2.0-0|gobject-2.0-0|gst(reamer|base|video)-1.0-0' ||
    { say "the plugin needs other DLLs"; return 1; }
  grep -q '] gst_plugin_stereomatching_get_desc$' <<< "$table" ||
    { say "the plugin has no entry point"; return 1; }
}

# A pipeline with GStreamer's own program. Its third map has the bytes of this machine.
compare_pipeline() {
  local line=(stereotestsrc view=left num-buffers=3 pattern=corridor
    ! 'video/x-raw,width=160,height=120' ! m.sink_left
    stereotestsrc view=right num-buffers=3 pattern=corridor
    ! 'video/x-raw,width=160,height=120' ! m.sink_right
    stereosgm name=m num-disparities=32 backend=cpu ! tee name=t
    t. ! queue ! disparitycolor ! fakesink
    t. ! queue ! filesink)

  rm -f "$build"/pipeline-{here,there}
  quietly ninja -C "$root/build" gst/libgststereomatching.so || die "the build failed"
  GST_PLUGIN_PATH_1_0=$root/build/gst GST_REGISTRY_1_0=$build/registry-here \
    quietly gst-launch-1.0 "${line[@]}" location="$build/pipeline-here" || return
  GST_PLUGIN_SYSTEM_PATH_1_0='' GST_REGISTRY_1_0=$build/registry-there \
    GST_PLUGIN_PATH_1_0="$build/gst;$libraries/lib/gstreamer-1.0" \
    quietly wine "$libraries/bin/gst-launch-1.0.exe" "${line[@]}" location="$build/pipeline-there" ||
    return
  [ "$(wc -c < "$build/pipeline-here")" = $((3 * 160 * 120 * 2)) ] &&
    cmp "$build"/pipeline-{here,there} || return
  say "maps of a pipeline are equal"
}

need_build
need_packages gcc-mingw-w64-x86-64-posix wine wine64 python3
"$root/packaging/cross-libraries.sh" windows "$libraries"
# Meson runs programs, too
mkdir -p "$WINEPREFIX"
trap 'wineserver -k || true' EXIT
# before the tests, whose output it would keep open
wineserver -p > /dev/null 2>&1 < /dev/null
quietly wine wineboot --init || die "wine failed"
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --cross-file "$root/packaging/windows.ini" \
    --cross-file "$libraries/libraries.ini" --werror -Dcuda=disabled -Dgst=enabled \
    -Dyaml=disabled -Dtools=enabled -Dtune=disabled -Djpeg=disabled -Dexamples=disabled \
    -Dtests=enabled ||
    die "meson setup failed"
fi
say "building"
if [ "$*" = --build ]; then
  quietly ninja -C "$build" cuda/libstereomatching-1.dll gst/libgststereomatching.dll ||
    die "the build failed"
  exit
fi
quietly ninja -C "$build" || die "the build failed"

say "testing with wine"
status=0
[ $# -gt 0 ] || set -- --suite unit --suite contract --suite tools --suite check --suite kernels
meson test -C "$build" --print-errorlogs --no-rebuild --timeout-multiplier 5 "$@" || status=$?

compare_maps || status=1
compare_tools || status=1
check_alignment || status=1
check_library || status=1
check_plugin || status=1
compare_pipeline || status=1
python3 "$root/tests/summary.py" "$build/meson-logs/testlog.json" || status=$?
exit $status
