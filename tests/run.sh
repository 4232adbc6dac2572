#!/usr/bin/env bash
# gst-stereomatching: builds the project and runs all tests
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/run.sh [--suite SUITE]... [MESON_OPTION ...]
#
# On a fresh Debian or Ubuntu machine: installs dependencies with apt, builds in
# build/ and runs all tests, or those of the given suites (unit, kernels, check,
# docs, ...). Options go to Meson, in addition to those of an existing build/. The
# last line is `N passed, N failed, N skipped`, counting the tests in each program;
# the exit status is 0 if none failed.
#
# Tests on real images need $STEREO_DATASETS, by default ../shared/datasets, and
# are skipped without it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"

suites=()
while [ "${1:-}" = --suite ]; do
  suites+=(--suite "${2:?--suite needs a name}")
  shift 2
done

need_build
# Ubuntu has only a snap, which cannot access the test's files.
browser=()
grep -qs '^ID=debian$' /etc/os-release && browser=(chromium)
need_packages "${browser[@]}" abigail-tools gstreamer1.0-plugins-bad gstreamer1.0-libav python3 \
  codespell python3-numpy python3-websocket python3-gi gir1.2-gst-plugins-base-1.0 python3-venv python3-av python3-mesonpy patchelf \
  python3-pil python3-distributed python3-tqdm python3-yaml
build_project -Dtests=enabled -Dexamples=enabled -Dtools=enabled "$@"

say "testing"
status=0
meson test -C "$root/build" --print-errorlogs --no-rebuild "${suites[@]}" || status=$?
python3 "$root/tests/summary.py" "$root/build/meson-logs/testlog.json" || status=$?
exit $status
