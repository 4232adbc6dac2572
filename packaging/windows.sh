#!/usr/bin/env bash
# gst-stereomatching: cross-compiles the library for Windows and tests it with wine
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/windows.sh [TEST_OR_SUITE ...]
#
# On Debian or Ubuntu: installs MinGW-w64 and wine with apt, builds the library and
# its tests in build-windows/, without GStreamer, CUDA and the tools, and runs all
# tests, or those named as for `meson test`. Then compares map checksums with those
# of this machine, from the program in build/, which is built if necessary, and checks
# the machine code. build-windows/cuda/libstereomatching-1.dll is the library,
# libstereomatching.dll.a its import library.
#
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
build=$root/build-windows
tool=x86_64-w64-mingw32

# The home of Windows programs, with nothing of the user's. Without messages, and
# without .NET and HTML.
export WINEPREFIX=$build/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='

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

need_build
need_packages gcc-mingw-w64-x86-64-posix wine wine64 python3
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --cross-file "$root/packaging/windows.ini" --werror \
    -Dcuda=disabled -Dgst=disabled -Dtools=disabled -Dexamples=disabled -Dtests=enabled ||
    die "meson setup failed"
fi
say "building"
quietly ninja -C "$build" || die "the build failed"

say "testing with wine"
mkdir -p "$WINEPREFIX"
quietly wine wineboot --init || die "wine failed"
trap 'wineserver -k || true' EXIT
status=0
[ $# -gt 0 ] || set -- --suite unit --suite contract --suite kernels
meson test -C "$build" --print-errorlogs --no-rebuild --timeout-multiplier 5 "$@" || status=$?

compare_maps || status=1
check_alignment || status=1
check_library || status=1
python3 "$root/tests/summary.py" "$build/meson-logs/testlog.json" || status=$?
exit $status
