#!/usr/bin/env bash
# gst-stereomatching: whether what is installed can be used by others
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/installed.sh BUILD [MESON_OPTION ...]
#
# Builds a release in the folder BUILD as shared, as static and as both kinds of
# libraries, installs each there, and compiles and runs programs against that,
# with no more than pkg-config says: examples/match-images.c with the library,
# tests/static/plugin.c with the plugin in it. The last line is
# `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
[ $# -gt 0 ] || die "say which folder to build in"
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

# A pair of one grey colour: its disparities are all the same.
match_images() {
  printf 'P6 8 8 255\n%192s' '' > "$build/view.ppm"
  LD_LIBRARY_PATH=$libraries "$1" "$build/view.ppm" "$build/view.ppm" "$build/map.pgm" &&
    [ -s "$build/map.pgm" ]
}

# needs PROGRAM LIBRARY: the loader is asked for it
needs() {
  grep -q "$2" <<< "$(LD_LIBRARY_PATH=$libraries ldd "$1")"
}

lacks() {
  ! needs "$@"
}

# Without any plugin file.
register() {
  GST_PLUGIN_SYSTEM_PATH_1_0='' GST_PLUGIN_PATH_1_0='' GST_REGISTRY_DISABLE=yes \
    LD_LIBRARY_PATH=$libraries "$1"
}

# use KIND: what an installation of this default_library is good for
use() {
  local kind=$1

  check "$kind: match-images compiles" compile "$build/match-images" \
    "$root/examples/match-images.c" stereomatching
  check "$kind: match-images runs" match_images "$build/match-images"
  if [ "$kind" = static ]; then
    check "$kind: the library is in it" lacks "$build/match-images" libstereomatching
    check "$kind: no plugin file" [ ! -e "$libraries/gstreamer-1.0/libgststereomatching.so" ]
  else
    check "$kind: the library is beside it" needs "$build/match-images" libstereomatching
    check "$kind: a plugin file" env GST_REGISTRY="$build/registry.bin" \
      GST_PLUGIN_PATH_1_0="$libraries/gstreamer-1.0" gst-inspect-1.0 stereomatching
  fi
  if [ "$kind" = shared ]; then
    check "$kind: no archives" [ ! -e "$libraries/libstereomatching.a" ]
  else
    check "$kind: a program with the plugin in it compiles" compile "$build/static-plugin" \
      "$root/tests/static/plugin.c" gststereomatching
    check "$kind: and runs" register "$build/static-plugin"
    check "$kind: without the files" lacks "$build/static-plugin" stereomatching
  fi
}

need_build
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --buildtype=release --prefix="$build/installed" \
    --libdir=lib "$@" || die "meson setup failed"
fi
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
