#!/usr/bin/env bash
# gst-stereomatching: counts the instructions of a frame on 64-bit ARM
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/aarch64-instructions.sh [WIDTH HEIGHT [NAME=VALUE ...]]
#
# Matches GRAY8 images in the emulator, by default of 640x480 pixels, with every
# algorithm on one thread, and prints the millions of instructions of one frame: of
# plain code and of vectors. NAME=VALUE are parameters, after num-disparities=64. Uses
# the library in build-aarch64/, which it builds if necessary, and Debian 12's QEMU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
build=$root/build-aarch64-library
width=${1:-640} height=${2:-480}
[ $# -lt 2 ] || shift 2

# count ALGORITHM FRAMES SIMD [NAME=VALUE ...]: the instructions of the program
count() {
  local algorithm=$1 frames=$2 simd=$3

  shift 3
  qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$build/count-instructions.so" -d plugin \
    "$build/tests/kernels/kernels-frames" "$algorithm" "$width" "$height" "$frames" "$simd" \
    num-disparities=64 "$@" 2>&1 | sed -n 's/ instructions$//p'
}

# count_frame ALGORITHM SIMD [NAME=VALUE ...]: millions, without the start of the program
count_frame() {
  local algorithm=$1 simd=$2 one two

  shift 2
  one=$(count "$algorithm" 1 "$simd" "$@")
  two=$(count "$algorithm" 2 "$simd" "$@")
  echo $(((two - one + 500000) / 1000000))
}

need_build
need_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
if [ ! -f "$build/build.ninja" ]; then
  quietly meson setup "$build" "$root" --cross-file "$root/tests/aarch64.ini" -Dgst=disabled \
    -Dcuda=disabled -Dtools=disabled -Dexamples=disabled -Dtests=enabled || die "meson setup failed"
fi
quietly ninja -C "$build" tests/kernels/kernels-frames || die "the build failed"
quietly gcc -O2 -shared -fPIC "$root/tests/support/count-instructions.c" \
  -o "$build/count-instructions.so"

printf '%-10s %8s %8s\n' algorithm plain vectors
for algorithm in bfv bp esaw esmp pyramid sgm vcbw; do
  printf '%-10s %8d %8d\n' "$algorithm" "$(count_frame "$algorithm" none "$@")" \
    "$(count_frame "$algorithm" generic "$@")"
done
