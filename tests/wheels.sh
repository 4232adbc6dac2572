#!/usr/bin/env bash
# gst-stereomatching: tests Python wheels where they will be installed
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/wheels.sh [TEST ...]
#
# Installs the wheels of packaging/wheels.sh, in dist/, and compares checksums of maps
# with those of the library in build/, which is built if necessary. The tests:
#   here         a virtual environment, with the commands
#   bullseye     the same in a chroot of Debian 11, which has glibc 2.31 (as root)
#   arm64        Debian's Python for 64-bit ARM, in an emulator
#   windows      Python for Windows, in wine, with the tests of the module
#   gstreamer    the plugin with the GStreamer of the wheels for Windows, in wine
#   macos        contents of the wheels; there is no macOS to run them
#
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
work=$root/build-wheels/tests
expected=$work/expected
checksums=$root/tests/wheels/checksums.py
windows=$root/build-windows-python
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
# of Python here and in wine, nothing but what a test installs
unset PYTHONPATH STEREOMATCHING_LIBRARY
export PYTHONDONTWRITEBYTECODE=1

# wheel_of PROJECT PLATFORM
wheel_of() {
  local file

  for file in "$root"/dist/"$1"-*-py3-none-"$2".whl; do
    [ -f "$file" ] || die "there is no $file: run packaging/wheels.sh"
    echo "$file"
  done
}

# compare NAME: the checksums in $work/NAME with those of this machine
compare() {
  diff "$expected" "$work/$1" || { say "maps differ (<: build/, >: wheel)"; return 1; }
  say "$(wc -l < "$expected") checksums are equal"
}

# The library of this machine's compiler, and the module of the source tree.
make_expected() {
  local library

  # with the version of the ABI
  library=cuda/libstereomatching.so.$(sed -n "s/^abi_version = '\(.*\)'/\1/p" "$root/meson.build")
  [ -f "$root/build/build.ninja" ] || quietly meson setup "$root/build" "$root" -Dcuda=disabled -Dtests=enabled
  quietly ninja -C "$root/build" "$library" gst/libgststereomatching.so || die "the build failed"
  PYTHONPATH=$root/python STEREOMATCHING_LIBRARY=$root/build/$library \
    /usr/bin/python3 "$checksums" > "$expected"
}

# Run by this script, too, in the chroot.
here() {
  local venv=$work/venv command

  need_packages python3 python3-venv python3-numpy
  rm -rf "$venv"
  /usr/bin/python3 -m venv --system-site-packages "$venv" || return
  quietly "$venv/bin/python" -m pip install --no-index --no-deps "$(wheel_of stereomatching manylinux_2_28_x86_64)" ||
    return
  # -I: not from this folder
  "$venv/bin/python" -I "$checksums" "$venv"/lib/python3.*/site-packages/stereomatching > "$work/here" || return
  for command in stereo-batch stereo-calibrate; do
    quietly "$venv/bin/$command" --version || return
  done
  compare here
}

bullseye() {
  # builds are not copied to the chroot
  "$root/tests/in-debian.sh" bullseye bash -c \
    'mkdir -p build-wheels/tests && echo "$0" > build-wheels/tests/expected && tests/wheels.sh here' \
    "$(cat "$expected")"
}

arm64() {
  local target=$work/arm64 python

  need_packages python3-pip qemu-user
  "$root/tests/aarch64-root.sh" "$work/arm64-root" python3-minimal libpython3-stdlib \
    libstdc++6
  rm -rf "$target"
  # pip installs no wheel of another platform than this
  python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  quietly python3 -m pip install --only-binary=:all: --python-version "$python" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 \
    --target "$target" "$(wheel_of stereomatching manylinux_2_28_aarch64)" || return
  for python in "$work"/arm64-root/root/usr/bin/python3.*[0-9]; do
    PYTHONPATH=$target qemu-aarch64 -L "$work/arm64-root/root" "$python" "$checksums" "$target/stereomatching" \
      > "$work/arm64-checksums" || return
  done
  compare arm64-checksums
}

# in_wine COMMAND ...: with pipes as standard streams, see packaging/windows-python.sh, and
# without CR
in_wine() {
  : | wine "$@" 2>&1 | tr -d '\r'
}

make_windows() {
  need_packages wine wine64 python3
  "$root/packaging/windows-python.sh" "$windows"
  mkdir -p "$WINEPREFIX"
  trap 'wineserver -k || true' EXIT
  wineserver -p > /dev/null 2>&1 < /dev/null
  quietly wine wineboot --init || die "wine failed"
}

windows() {
  local command name

  make_windows
  in_wine "$windows/python.exe" -m pip install --quiet --no-index --no-deps --force-reinstall \
    --no-warn-script-location "Z:$(wheel_of stereomatching win_amd64)" || return
  in_wine "$windows/python.exe" "Z:$checksums" "Z:$windows/Lib/site-packages/stereomatching" \
    > "$work/windows" || { cat "$work/windows"; return 1; }
  compare windows || return
  for command in stereo-batch stereo-calibrate; do
    in_wine "$windows/Scripts/$command.exe" --version || return
  done
  name=$windows/Lib/site-packages/stereomatching/_stereomatching.dll
  PYTHONPATH="Z:$root/tests/support" in_wine "$windows/python.exe" "Z:$root/tests/python/module.py" "Z:$name" "Z:$root"
}

# In the environment of the packages gstreamer-libs and gstreamer-cli, which import
# gstreamer-plugins. Its plugins are not needed, and take half a minute to register.
gstreamer() {
  local version=1.28.8 site=$windows/Lib/site-packages
  local line=(stereotestsrc view=left num-buffers=3 pattern=corridor
    ! 'video/x-raw,width=160,height=120' ! m.sink_left
    stereotestsrc view=right num-buffers=3 pattern=corridor
    ! 'video/x-raw,width=160,height=120' ! m.sink_right
    stereosgm name=m @preset=fast num-disparities=32 backend=cpu ! filesink)

  make_windows
  if [ ! -d "$site/gstreamer_cli" ]; then
    quietly python3 -m pip install --only-binary=:all: --platform win_amd64 --no-deps --target "$site" \
      "gstreamer-libs==$version" "gstreamer-cli==$version" || die "pip could not install GStreamer"
    mkdir "$site/gstreamer_plugins"
    echo 'environment = {}' > "$site/gstreamer_plugins/__init__.py"
  fi
  in_wine "$windows/python.exe" -m pip install --quiet --no-index --no-deps --force-reinstall \
    --no-warn-script-location "Z:$(wheel_of stereomatching_gstreamer win_amd64)" || return
  rm -f "$work"/pipeline-{here,there}
  GST_PLUGIN_PATH_1_0=$root/build/gst GST_PRESET_PATH=$root/gst/presets GST_REGISTRY_1_0=$work/registry \
    quietly gst-launch-1.0 "${line[@]}" location="$work/pipeline-here" || return
  quietly in_wine "$windows/python.exe" -c \
    'import sys; from gstreamer_cli import entrypoints; sys.exit(entrypoints.gst_launch_1_0_exe())' \
    "${line[@]}" location="Z:$work/pipeline-there" || return
  [ "$(wc -c < "$work/pipeline-here")" = $((3 * 160 * 120 * 2)) ] || return
  cmp "$work"/pipeline-{here,there} && say "maps of a pipeline are equal"
}

macos() {
  local folder=$work/macos name kind

  need_packages file
  rm -rf "$folder"
  for name in stereomatching stereomatching_gstreamer; do
    python3 -m zipfile -e "$(wheel_of $name macosx_11_0_arm64)" "$folder" || return
  done
  for name in stereomatching/_stereomatching.so stereomatching_gstreamer/plugins/libgststereomatching.dylib; do
    kind=$(file -b "$folder/$name")
    say "$name: $kind"
    [[ $kind == 'Mach-O 64-bit arm64 '*'shared library'* ]] || return
  done
}

passed=0
failed=0
[ $# -gt 0 ] || set -- here bullseye arm64 windows gstreamer macos
mkdir -p "$work"
[ -f "$expected" ] || make_expected
for name in "$@"; do
  say "test: $name"
  if (set -euo pipefail; "$name"); then
    passed=$((passed + 1))
  else
    say "failed: $name"
    failed=$((failed + 1))
  fi
done
printf '%d passed, %d failed, 0 skipped\n' $passed $failed
[ $failed = 0 ]
