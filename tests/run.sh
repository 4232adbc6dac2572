#!/usr/bin/env bash
# gst-stereomatching: builds the project and runs all tests
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/run.sh [--suite SUITE | --no-suite SUITE]... [MESON_OPTION ...]
#
# On a fresh Debian or Ubuntu machine: installs dependencies with apt, builds in
# build/ and runs all tests, or those of the given suites (unit, kernels, check,
# docs, ...), in any case without those of suites after --no-suite. Options go to
# Meson, in addition to those of an existing build/. The last line is
# `N passed, N failed, N skipped`, counting the tests in each program; the exit
# status is 0 if none failed.
#
# Tests on real images need $STEREO_DATASETS, by default ../shared/datasets, and
# are skipped without it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"

suites=()
while [[ "${1:-}" = --suite || "${1:-}" = --no-suite ]]; do
  suites+=("$1" "${2:?$1 needs a name}")
  shift 2
done

need_tests
build_project -Dtests=enabled -Dexamples=enabled -Dtools=enabled "$@"

say "testing"
status=0
meson test -C "$root/build" --print-errorlogs --no-rebuild "${suites[@]}" || status=$?
python3 "$root/tests/summary.py" "$root/build/meson-logs/testlog.json" || status=$?
exit $status
