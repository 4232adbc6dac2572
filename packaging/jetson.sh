#!/usr/bin/env bash
# gst-stereomatching: cross-compiles with CUDA for Jetson
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/jetson.sh [ARCHITECTURES]
#
# On Debian with CUDA 13 or newer: builds the library and the plugin with CUDA for
# 64-bit ARM in build-jetson/, for the compute capabilities given as for -Dcuda-arch,
# by default those of Orin and Thor. The CUDA runtime comes from NVIDIA's Python wheel
# for ARM, GStreamer from this Debian release. Checks the format and the exported
# functions of both files, and matches two images in an emulator, which has no GPU.
#
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
architectures=${1:-87,110}
build=$root/build-jetson
arm64=$root/build-aarch64-root
runtime=$root/build-jetson-cuda

# get_runtime: include/ and lib/ of the CUDA runtime for ARM, of nvcc's release
get_runtime() {
  local nvcc release

  [ ! -f "$runtime/cuda.ini" ] || return 0
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
  [ -n "$release" ] || die "nvcc is missing: install CUDA"
  [ "${release%.*}" -ge 13 ] || die "expected CUDA 13 or newer, got $release"
  say "getting the CUDA $release runtime for 64-bit ARM"
  mkdir -p "$runtime"
  quietly python3 -m pip download --no-deps --only-binary=:all: --dest "$runtime" \
    --platform manylinux2014_aarch64 "nvidia-cuda-runtime==$release.*" ||
    die "pip could not download nvidia-cuda-runtime $release"
  python3 -m zipfile -e "$runtime"/*.whl "$runtime"
  rm "$runtime"/*.whl
  cat > "$runtime/cuda.ini" <<END
[properties]
cuda_target = '$(echo "$runtime"/nvidia/cu*)'
cuda_host_compiler = 'aarch64-linux-gnu-g++'
END
}

# exports FILE FUNCTION
exports() {
  aarch64-linux-gnu-nm -D --defined-only "$1" | grep -q " T $2\$"
}

# is_arm64 FILE
is_arm64() {
  aarch64-linux-gnu-readelf -h "$1" | grep -q 'Machine: *AArch64'
}

# has_kernels FILE
has_kernels() {
  aarch64-linux-gnu-readelf -SW "$1" | grep -q ' \.nv_fatbin '
}

# matches: a program with the library runs where there is no driver
matches() {
  aarch64-linux-gnu-gcc --sysroot="$arm64/root" -I"$root/common" -I"$root/cuda" \
    -o "$build/match-images" "$root/examples/match-images.c" "$library" &&
    printf 'P6 8 8 255\n%192s' '' > "$build/view.ppm" &&
    qemu-aarch64 -L "$arm64/root" -E LD_LIBRARY_PATH="$build/cuda" "$build/match-images" \
      "$build/view.ppm" "$build/view.ppm" "$build/map.pgm" &&
    [ -s "$build/map.pgm" ]
}

need_build
need_packages gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user \
  python3 python3-pip
"$root/tests/aarch64-root.sh" "$arm64"
get_runtime
if [ ! -f "$build/build.ninja" ]; then
  say "configuring in $build"
  quietly meson setup "$build" "$root" --cross-file "$root/tests/aarch64.ini" \
    --cross-file "$arm64/root.ini" --cross-file "$runtime/cuda.ini" --werror -Dcuda=enabled \
    "-Dcuda-arch=$architectures" -Dtools=disabled -Dtune=disabled -Dexamples=disabled \
    -Dtests=disabled || die "meson setup failed"
fi
say "building"
quietly ninja -C "$build" || die "the build failed"

library=$build/cuda/libstereomatching.so
plugin=$build/gst/libgststereomatching.so
check "the library is for 64-bit ARM" is_arm64 "$library"
check "the plugin is for 64-bit ARM" is_arm64 "$plugin"
check "the library has kernels" has_kernels "$library"
check "the plugin has kernels" has_kernels "$plugin"
check "the library has the CUDA backend" exports "$library" stereo_device_new_cuda
check "the plugin has its entry point" exports "$plugin" gst_plugin_stereomatching_register
check "the library matches without a GPU" matches
say "the library is $library"
say "the plugin is $plugin"
report
