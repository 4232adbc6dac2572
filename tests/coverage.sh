#!/usr/bin/env bash
# gst-stereomatching: lines that no test reaches
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/coverage.sh [BUILD [SUITE ...]]
#
# Builds in BUILD (default: build-coverage) with gcov's counters and runs the
# suites (default: unit, contract, kernels, check, tools and tune). Then it prints
# the share of lines reached in each folder, and writes a line for each file with
# the lines that were not to BUILD/missing.txt. Vector code is not counted: it is
# compiled once per instruction set, and a machine runs a part of it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
build=$(realpath -m "${1:-$root/build-coverage}")
shift $(($# > 0 ? 1 : 0))
[ $# -gt 0 ] || set -- unit contract kernels check tools tune

need_build
need_packages gcovr
[ -f "$build/build.ninja" ] || quietly meson setup "$build" "$root" -Dcuda=disabled \
  -Dtests=enabled -Dexamples=disabled -Dtools=enabled -Db_coverage=true
quietly ninja -C "$build"
find "$build" -name '*.gcda' -delete
suites=()
for suite in "$@"; do
  suites+=(--suite "$suite")
done
# Tests that fail still reach lines.
meson test -C "$build" --no-rebuild --timeout-multiplier 5 "${suites[@]}" ||
  say "some tests failed"
gcovr --root "$root" --filter "$root/(common|gst|tools)/" --exclude '.*-simd.*' \
  --json "$build/coverage.json" "$build"
python3 - "$build/coverage.json" "$build/missing.txt" <<'END'
import collections
import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
folders = collections.defaultdict(lambda: [0, 0])
with open(sys.argv[2], "w", encoding="utf-8") as missing:
    for source in sorted(report["files"], key=lambda f: f["file"]):
        counts = collections.Counter()
        for line in source["lines"]:
            if not line["gcovr/noncode"]:
                counts[line["line_number"]] += line["count"]
        unreached = sorted(n for n in counts if counts[n] == 0)
        folder = folders[os.path.dirname(source["file"])]
        folder[0] += len(counts) - len(unreached)
        folder[1] += len(counts)
        if unreached:
            missing.write("%s: %s\n" % (source["file"], " ".join(map(str, unreached))))
for name in sorted(folders):
    reached, lines = folders[name]
    print("%-28s %5d of %5d lines, %5.1f %%" % (name, reached, lines, 100 * reached / lines))
END
say "lines that no test reached: $build/missing.txt"
