#!/usr/bin/env bash
# gst-stereomatching: Python wheels for Linux, Windows and macOS
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/wheels.sh [MESON_OPTION ...]
#
# On Debian or Ubuntu, x86-64: writes to dist/
#   stereomatching-*            the Python module with the library, for Linux (glibc 2.28
#                               or newer) on x86-64 and 64-bit ARM, Windows and macOS
#   stereomatching_gstreamer-*  the plugin, for the GStreamer of Python's packages, which
#                               exist for Windows and macOS
# The library for Linux on x86-64 has the CUDA backend, if there is nvcc. MESON_OPTIONs
# are for this library: -Dcuda=disabled, or -Dcuda-arch=90 to build faster.
#
# Zig compiles for Linux and macOS, because Debian's compilers need the glibc of that
# Debian. Builds are kept in build-wheels/, and in the folders of windows.sh and
# macos.sh. Nothing is uploaded; tests/wheels.sh tests the wheels.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
work=$root/build-wheels
dist=$root/dist
tools=$work/tools
glibc=2.28
# of a file, in bytes
largest=40000000
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$root/meson.build")

# A Python with what it needs to build, check and change wheels: Debian's meson-python,
# which uses Debian's Meson, and programs that Debian lacks or has in older versions.
make_tools() {
  [ ! -x "$tools/bin/auditwheel" ] || return 0
  need_packages python3 python3-venv python3-pip python3-mesonpy
  say "installing auditwheel and wheel"
  quietly /usr/bin/python3 -m venv --system-site-packages "$tools"
  quietly "$tools/bin/pip" install auditwheel 'wheel>=0.40' || die "pip could not install auditwheel"
}

# build_here MESON_OPTION ...: the wheel for Linux on x86-64, in $work/plain
build_here() {
  local build=$work/linux-x86_64 cuda=disabled

  "$root/packaging/zig.sh" "x86_64-linux-gnu.$glibc" "$build-zig"
  [ -z "$(cuda_architectures)" ] || cuda=enabled
  say "building for Linux, x86-64"
  rm -rf "$work/plain"
  mkdir -p "$work/plain"
  cd "$root"
  PYTHONPATH=$root/packaging PATH=$tools/bin:$PATH quietly "$tools/bin/python" -B - "$work/plain" "$build" \
    --native-file="$build-zig/zig.ini" -Dexamples=disabled -Dc_link_args=-s -Dcuda=$cuda "$@" <<'PYTHON' ||
import sys
import wheel_backend

wheel_backend.build_wheel(sys.argv[1], {"builddir": sys.argv[2], "setup-args": sys.argv[3:]})
PYTHON
    die "the build failed"
  # meson-python 0.12 leaves it
  rm -f "$root/.mesonpy-native-file.ini"
}

build_arm64() {
  local build=$work/linux-aarch64

  need_packages qemu-user libc6-arm64-cross
  "$root/packaging/zig.sh" "aarch64-linux-gnu.$glibc" "$build-zig"
  if [ ! -f "$build/build.ninja" ]; then
    quietly meson setup "$build" "$root" --cross-file "$root/tests/aarch64.ini" \
      --cross-file "$build-zig/zig.ini" --buildtype=release -Dc_link_args=-s -Dpython=wheel \
      -Dcuda=disabled -Dgst=disabled -Dyaml=disabled -Dtools=disabled -Dexamples=disabled \
      -Dtests=disabled || die "meson setup failed"
  fi
  say "building for Linux, 64-bit ARM"
  quietly ninja -C "$build" python/_stereomatching.so || die "the build failed"
}

# pack FOLDER TAG TARGET: makes a wheel of a folder, with the licence
pack() {
  local file

  for file in "$1"/*.dist-info/WHEEL; do
    mkdir -p "${file%/*}/licenses"
    cp "$root/COPYING" "${file%/*}/licenses/"
    sed -i "s/^Tag: .*/Tag: $2/" "$file"
  done
  quietly "$tools/bin/wheel" pack --dest-dir "$3" "$1"
}

# module_wheel PLATFORM TARGET [LIBRARY NAME]: the wheel of this machine, with another library
module_wheel() {
  local folder=$work/unpacked

  rm -rf "$folder"
  quietly "$tools/bin/wheel" unpack --dest "$folder" "$work"/plain/*.whl
  folder=$folder/stereomatching-$version
  if [ $# -gt 2 ]; then
    rm "$folder/stereomatching/_stereomatching.so"
    cp "$3" "$folder/stereomatching/$4"
  fi
  pack "$folder" "py3-none-$1" "$2"
}

# plugin_wheel PLATFORM PLUGIN
plugin_wheel() {
  local folder=$work/unpacked
  local module=$folder/stereomatching_gstreamer info=$folder/stereomatching_gstreamer-$version.dist-info

  rm -rf "$folder"
  mkdir -p "$module"/{plugins,presets} "$info"
  cp "$root/packaging/gstreamer-wheel/__init__.py" "$module/"
  cp "$root/packaging/gstreamer-wheel/stereomatching_gstreamer.pth" "$folder/"
  cp "$2" "$module/plugins/"
  cp "$root"/gst/presets/*.prs "$module/presets/"
  sed "s/@version@/$version/" "$root/packaging/gstreamer-wheel/METADATA.in" > "$info/METADATA"
  printf 'Wheel-Version: 1.0\nGenerator: gst-stereomatching\nRoot-Is-Purelib: false\nTag: any\n' > "$info/WHEEL"
  pack "$folder" "py3-none-$1" "$dist"
}

# linux_wheel ARCHITECTURE [LIBRARY NAME]: named for this glibc, if auditwheel finds that the
# library needs no newer one, nor anything else. `auditwheel repair` names wheels of this
# machine's architecture only.
linux_wheel() {
  local found

  rm -rf "$work/linux"
  mkdir -p "$work/linux"
  module_wheel "linux_$1" "$work/linux" "${@:2}"
  # manylinux_2_17, for example
  found=$("$tools/bin/auditwheel" show "$work"/linux/*.whl | tr '\n' ' ' |
    sed -n "s/.*platform tag: \"manylinux_\([0-9]*\)_\([0-9]*\)_$1\".*/\1.\2/p")
  say "the library for $1 needs glibc ${found:-?}, and is for $glibc"
  if [ -z "$found" ] || [ "$(printf '%s\n' "$found" "$glibc" | sort -V | tail -n 1)" != "$glibc" ]; then
    die "auditwheel refused the wheel for $1"
  fi
  module_wheel "manylinux_${glibc/./_}_$1" "$dist" "${@:2}"
}

need_build
make_tools
rm -rf "$dist"
mkdir -p "$dist"
build_here "$@"
linux_wheel x86_64
build_arm64
linux_wheel aarch64 "$work/linux-aarch64/python/_stereomatching.so" _stereomatching.so

"$root/packaging/windows.sh" --build
for file in cuda/libstereomatching-1.dll gst/libgststereomatching.dll; do
  x86_64-w64-mingw32-strip -o "$work/${file##*/}" "$root/build-windows/$file"
done
module_wheel win_amd64 "$dist" "$work/libstereomatching-1.dll" _stereomatching.dll
plugin_wheel win_amd64 "$work/libgststereomatching.dll"

"$root/packaging/macos.sh" arm64
module_wheel macosx_11_0_arm64 "$dist" "$root/build-macos-arm64/cuda/libstereomatching.1.dylib" _stereomatching.so
plugin_wheel macosx_11_0_arm64 "$root/build-macos-arm64/gst/libgststereomatching.dylib"

for file in "$dist"/*.whl; do
  [ "$(stat -c %s "$file")" -le $largest ] || die "$file is larger than $largest bytes"
done
say "wheels"
(cd "$dist" && stat -c '%9s  dist/%n' -- *.whl)
cat <<END
To test them: tests/wheels.sh
To install one here: pip install dist/stereomatching-$version-py3-none-manylinux_${glibc/./_}_x86_64.whl
To publish them, give dist/*.whl to a package index, for example with twine: twine upload dist/*.whl
END
