#!/usr/bin/env bash
# gst-stereomatching: cross-compiles library, tools and plugin for macOS
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/macos.sh [arm64|x86_64 ...]
#
# On Debian or Ubuntu: installs Zig, a C compiler with macOS's headers, from PyPI,
# builds in build-macos-arm64/ and build-macos-x86_64/, without CUDA and JPEG, and
# checks formats, dependencies and exported functions of the files. There is no macOS
# to run them: nothing is tested. The plugin is for the GStreamer of the Python wheels
# gstreamer-libs.
#
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
libraries=$root/build-macos-libraries
oldest=11.0
passed=0
failed=0

# configure ARCHITECTURE: arm64 or x86_64
configure() {
  local build=$root/build-macos-$1 cpu=$1 triple

  [ "$cpu" != arm64 ] || cpu=aarch64
  triple=$cpu-macos.$oldest
  "$root/packaging/zig.sh" "$triple" "$build-zig"
  cat > "$build-zig/macos.ini" <<END
[host_machine]
system = 'darwin'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
END
  say "configuring in $build"
  quietly meson setup "$build" "$root" --cross-file "$build-zig/zig.ini" \
    --cross-file "$build-zig/macos.ini" --cross-file "$libraries/libraries.ini" --werror \
    -Dcuda=disabled -Dyaml=disabled -Djpeg=disabled -Dtune=disabled -Dexamples=disabled \
    -Dtools=enabled -Dtests=disabled || die "meson setup failed"
}

# check WHAT COMMAND ...: counts
check() {
  local what=$1

  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    say "failed: $what"
    failed=$((failed + 1))
  fi
}

# check_format FILE ARCHITECTURE KIND: of Mach-O
check_format() {
  local line

  line=$(file -b "$1")
  say "${1##*/}: $line"
  [[ $line == "Mach-O 64-bit $2 "*"$3"* ]]
}

# check_oldest FILE: the version of macOS that the file needs
check_oldest() {
  "$objdump" --macho --private-headers "$1" | grep -qE "^ *(minos|version) $oldest\$"
}

# exported FILE: functions, without their first underscore and without symbols of the linker
exported() {
  "$objdump" --macho --exports-trie "$1" | sed -n 's/^0x[0-9A-F]*  _\([a-z][^ ]*\).*/\1/p' |
    sort -u
}

# check_library FILE: exports the functions of the headers, and needs nothing but macOS
check_library() {
  local public

  public=$(grep -ohE '\bstereo_[a-z0-9_]+( \(|$)' "$root/common/stereo.h" "$root/cuda/stereo-cuda.h" |
    tr -d ' (' | sort -u)
  diff <(echo "$public") <(exported "$1") ||
    { say "exported functions differ (<: headers, >: library)"; return 1; }
  ! "$objdump" --macho --dylibs-used "$1" | grep -P '^\t' |
    grep -vE '/usr/lib/libSystem|@rpath/libstereomatching'
}

# check_plugin FILE: has the entry points of a plugin, and GStreamer's libraries. It also
# exports the functions of the library, which disturb nobody: a symbol of macOS names its
# library.
check_plugin() {
  local name functions

  functions=$(exported "$1")
  for name in gst_plugin_stereomatching_{get_desc,register}; do
    grep -qx "$name" <<< "$functions" || { say "the plugin lacks $name"; return 1; }
  done
  "$objdump" --macho --dylibs-used "$1" | grep -q '@rpath/libgstreamer-1.0.0.dylib'
}

need_build
need_packages python3 python3-pip file llvm
objdump=$(command -v llvm-objdump)
"$root/packaging/cross-libraries.sh" macos "$libraries"
[ $# -gt 0 ] || set -- arm64 x86_64
for architecture in "$@"; do
  build=$root/build-macos-$architecture
  [ -f "$build/build.ninja" ] || configure "$architecture"
  say "building for $architecture"
  quietly ninja -C "$build" || die "the build failed"
  for file in "$build"/tools/stereo-{eval,bench,view}; do
    check "format of $file" check_format "$file" "$architecture" executable
    check "oldest macOS of $file" check_oldest "$file"
  done
  library=$build/cuda/libstereomatching.1.dylib
  plugin=$build/gst/libgststereomatching.dylib
  check "format of $library" check_format "$library" "$architecture" 'shared library'
  check "oldest macOS of $library" check_oldest "$library"
  check "functions of $library" check_library "$library"
  check "format of $plugin" check_format "$plugin" "$architecture" 'shared library'
  check "functions of $plugin" check_plugin "$plugin"
done
printf '%d passed, %d failed, 0 skipped\n' $passed $failed
[ $failed = 0 ]
