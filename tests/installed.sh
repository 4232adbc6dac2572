#!/usr/bin/env bash
# gst-stereomatching: tests an installation from other programs
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/installed.sh BUILD [MESON_OPTION ...]
#
# Builds a release in the folder BUILD with shared, static and both kinds of
# libraries, installs each there, and compiles and runs programs with the flags of
# pkg-config: examples/match-images.c with the library, tests/static/plugin.c with
# the static plugin, also with CMake and Meson (tests/installed/). Options that cannot
# work must be refused. The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
[ $# -gt 0 ] || die "usage: $0 BUILD [MESON_OPTION ...]"
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
# compile PROGRAM SOURCE PKG_CONFIG_ARGUMENT ...
compile() {
  local program=$1 source=$2 flags

  shift 2
  flags=$(pkg-config --cflags --libs "$@") || return
  # shellcheck disable=SC2086
  ${CC:-cc} -Wall -o "$program" "$source" $flags
}

# The program contains all of its libraries.
compile_static() {
  CC="${CC:-cc} -static" compile "$@"
}

# A uniform pair, whose disparities are all equal
match_images() {
  printf 'P6 8 8 255\n%192s' '' > "$build/view.ppm"
  LD_LIBRARY_PATH=$libraries "$1" "$build/view.ppm" "$build/view.ppm" "$build/map.pgm" &&
    [ -s "$build/map.pgm" ]
}

# needs PROGRAM LIBRARY: whether the program is linked with it
needs() {
  grep -q "$2" <<< "$(LD_LIBRARY_PATH=$libraries ldd "$1")"
}

lacks() {
  ! needs "$@"
}

# Runs a program without any plugin file
register() {
  GST_PLUGIN_SYSTEM_PATH_1_0='' GST_PLUGIN_PATH_1_0='' GST_REGISTRY_DISABLE=yes \
    LD_LIBRARY_PATH=$libraries "$1"
}

build_with_cmake() {
  rm -rf "$build/cmake"
  cmake -S "$root/tests/installed" -B "$build/cmake" && cmake --build "$build/cmake"
}

build_with_meson() {
  rm -rf "$build/meson"
  meson setup "$build/meson" "$root/tests/installed" && ninja -C "$build/meson"
}

# embed TEXT PROGRAM COMMAND ...: tests the program with the static plugin that COMMAND builds
embed() {
  local text=$1 program=$2

  shift 2
  check "$text: program with static plugin compiles" "$@"
  check "$text: program with static plugin runs" register "$program"
  check "$text: program does not link libstereomatching" lacks "$program" stereomatching
}

# refuses TEXT OPTION ...: whether these options of Meson are refused with the text
refuses() {
  local text=$1

  shift
  rm -rf "$build/refused"
  ! meson setup "$build/refused" "$root" "$@" > "$build/refused.log" 2>&1 &&
    grep -q -- "$text" "$build/refused.log"
}

# The tools have the same completion.
completes_python() {
  rm -rf "$build/python"
  meson setup "$build/python" "$root" -Dtools=disabled -Dtests=disabled -Dgst=disabled \
    -Dcuda=disabled -Dpython=enabled &&
    meson introspect --install-plan "$build/python" | grep -q completions/stereo-batch
}

# use KIND: tests an installation of this default_library
use() {
  local kind=$1

  check "$kind: match-images compiles" compile "$build/match-images" \
    "$root/examples/match-images.c" stereomatching
  check "$kind: match-images runs" match_images "$build/match-images"
  if [ "$kind" = static ]; then
    check "$kind: linked statically" lacks "$build/match-images" libstereomatching
    check "$kind: no plugin file" [ ! -e "$libraries/gstreamer-1.0/libgststereomatching.so" ]
  else
    check "$kind: linked dynamically" needs "$build/match-images" libstereomatching
    check "$kind: plugin file" env GST_REGISTRY="$build/registry.bin" \
      GST_PLUGIN_PATH_1_0="$libraries/gstreamer-1.0" gst-inspect-1.0 stereomatching
  fi
  if [ "$kind" = shared ]; then
    check "$kind: no static library" [ ! -e "$libraries/libstereomatching.a" ]
  else
    check "$kind: match-images compiles with -static" compile_static "$build/match-images-static" \
      "$root/examples/match-images.c" --static stereomatching
    check "$kind: match-images runs without libraries" match_images "$build/match-images-static"
    embed "$kind" "$build/static-plugin" compile "$build/static-plugin" \
      "$root/tests/static/plugin.c" gststereomatching
    embed "$kind, CMake" "$build/cmake/static-plugin" build_with_cmake
    embed "$kind, Meson" "$build/meson/static-plugin" build_with_meson
  fi
}

need_build
need_packages cmake
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --buildtype=release --prefix="$build/installed" \
    --libdir=lib "$@" || die "meson setup failed"
fi
check "-Dunity=on is refused" refuses 'configure with -Dunity=off' -Dunity=on
check "tests with -Dlayout=flat are refused" refuses 'configure with -Dlayout=mirror' \
  -Dlayout=flat -Dtests=enabled
for option in gst tools; do
  check "-Dtune=enabled -D$option=disabled is refused" refuses "needs .*-D$option=enabled" \
    -Dtune=enabled "-D$option=disabled"
done
check "-Dtools=disabled -Dpython=enabled installs completion" completes_python
libraries=$build/installed/lib
export PKG_CONFIG_PATH=$libraries/pkgconfig:$libraries/gstreamer-1.0/pkgconfig
for kind in shared both static; do
  say "default_library=$kind"
  rm -rf "$build/installed"
  quietly meson configure "$build" -Ddefault_library=$kind
  quietly ninja -C "$build" || die "the build failed"
  quietly meson install -C "$build" --no-rebuild || die "the installation failed"
  use $kind
done
report
