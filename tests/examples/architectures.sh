#!/usr/bin/env bash
# gst-stereomatching: CUDA architectures that examples/setup.sh builds for
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/examples/architectures.sh PROJECT
#
# nvcc, nvidia-smi, meson and ninja are scripts that print what each case needs.
set -euo pipefail
project=$1
. "$project/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$project/tests/support/checks.sh"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin" "$root/build"
PATH=$root/bin:$PATH

# fake NAME STATUS: a program that prints this script's input
fake() {
  { printf '#!/bin/sh\ncat << END\n'; cat; printf 'END\nexit %d\n' "$2"; } > "$root/bin/$1"
  chmod +x "$root/bin/$1"
}

# expect ARCHITECTURES
expect() {
  local got

  got=$(cuda_architectures)
  [ "$got" = "$1" ] || { echo "expected '$1', got '$got'"; return 1; }
}

# configured OPTIONS -- [MESON_OPTION ...]: what build_project passes to meson setup
configured() {
  local expected=$1 got

  shift 2
  rm -f "$root/build/build.ninja"
  build_project "$@" > /dev/null
  got=$(cat "$root/options")
  [ "$got" = "$expected" ] || { echo "expected '$expected', got '$got'"; return 1; }
}

printf 'compute_%s\n' 75 80 90 100 120 | fake nvcc 0
echo 'NVIDIA-SMI has failed' | fake nvidia-smi 9
check "no GPU: the oldest architecture, with PTX for others" expect 75
printf '#!/bin/sh\necho "$*" > "%s/options"\n' "$root" > "$root/bin/meson"
chmod +x "$root/bin/meson"
fake ninja 0 < /dev/null
setup="setup $root/build $root"
check "a new build is for one architecture" configured "$setup -Dcuda-arch=75" --
check "an explicit option is kept" configured "$setup -Dcuda-arch=75,90" -- -Dcuda-arch=75,90
check "no architectures without CUDA" configured "$setup -Dcuda=disabled" -- -Dcuda=disabled
touch "$root/build/build.ninja"
rm "$root/options"
check "an existing build is kept" build_project
check "and not configured" test ! -e "$root/options"

echo 9.0 | fake nvidia-smi 0
check "one GPU" expect 90
printf '12.0\n9.0\n9.0\n' | fake nvidia-smi 0
check "several GPUs" expect 90,120
echo 10.3 | fake nvidia-smi 0
check "a GPU that nvcc does not know" expect 75
echo 6.1 | fake nvidia-smi 0
check "a GPU that is not supported" expect 75
printf 'compute_%s\n' 50 61 86 90 | fake nvcc 0
check "nothing below 7.5" expect 86
fake nvcc 1 < /dev/null
check "an nvcc that fails" expect ''
report
