#!/usr/bin/env bash
# gst-stereomatching: cross-compiles for 64-bit ARM and tests in an emulator
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/aarch64.sh [TEST_OR_SUITE ...]
#
# On Debian: installs the cross compiler and qemu-user with apt, builds the library,
# the plugin and tests in build-aarch64/, without CUDA and the tools, and runs all
# tests, or those named as for `meson test`. Then compares map checksums with those of
# this machine, from the program in build/, which is built if necessary.
#
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
build=$root/build-aarch64
arm64=$root/build-aarch64-root

need_build
need_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user python3
"$root/tests/aarch64-root.sh" "$arm64"
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --cross-file "$root/tests/aarch64.ini" \
    --cross-file "$arm64/root.ini" --werror -Dcuda=disabled -Dtools=disabled -Dtune=disabled \
    -Dexamples=disabled -Dtests=enabled || die "meson setup failed"
fi
say "building"
quietly ninja -C "$build" || die "the build failed"

say "testing in the emulator"
status=0
[ $# -gt 0 ] || set -- --suite unit --suite contract --suite check --suite kernels
meson test -C "$build" --print-errorlogs --no-rebuild --timeout-multiplier 10 "$@" || status=$?

say "comparing maps with this machine"
[ -f "$root/build/build.ninja" ] || build_project -Dtests=enabled
quietly ninja -C "$root/build" tests/kernels/kernels-checksums || die "the build failed"
here=$root/build/tests/kernels/kernels-checksums
there=$build/tests/kernels/kernels-checksums
"$here" > "$build/checksums-here"
qemu-aarch64 -L "$arm64/root" "$there" > "$build/checksums-there"
if diff "$build/checksums-here" "$build/checksums-there"; then
  say "$(wc -l < "$build/checksums-here") maps are equal"
else
  say "maps differ (<: this machine, >: emulator)"
  status=1
fi
python3 "$root/tests/summary.py" "$build/meson-logs/testlog.json" || status=$?
exit $status
