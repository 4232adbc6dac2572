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
[ -f "$build/build.ninja" ] || quietly meson setup "$build" "$root" -Dcuda=disabled \
  -Dtests=enabled -Dexamples=disabled -Dtools=enabled -Db_coverage=true
quietly ninja -C "$build"
find "$build" -name '*.gcda' -delete
suites=()
for suite in "$@"; do
  suites+=(--suite "$suite")
done
# Tests that fail still reach lines.
CK_TIMEOUT_MULTIPLIER=5 meson test -C "$build" --no-rebuild --timeout-multiplier 5 "${suites[@]}" ||
  say "some tests failed"
python3 - "$root" "$build" "$build/missing.txt" <<'END'
import collections
import json
import os
import subprocess
import sys

root, build, missing = sys.argv[1:]


def count_lines(notes, counts):
    """Adds how often each line ran, by its path below the root."""
    output = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for report in filter(None, output.decode().split("\n")):
        for source in json.loads(report)["files"]:
            path = os.path.relpath(os.path.join(build, source["file"]), root)
            if path.split(os.sep)[0] in ("common", "gst", "tools") and "-simd" not in path:
                for line in source["lines"]:
                    counts[path][line["line_number"]] += line["count"]


files = [os.path.relpath(os.path.join(folder, name), build)
         for folder, _, names in os.walk(build) for name in names
         if name.endswith(".gcno") and "-simd" not in os.path.join(folder, name)]
lines = collections.defaultdict(collections.Counter)
for first in range(0, len(files), 40):
    count_lines(files[first:first + 40], lines)
folders = collections.defaultdict(lambda: [0, 0])
with open(missing, "w", encoding="utf-8") as file:
    for path in sorted(lines):
        unreached = sorted(n for n, count in lines[path].items() if count == 0)
        folders[os.path.dirname(path)][0] += len(lines[path]) - len(unreached)
        folders[os.path.dirname(path)][1] += len(lines[path])
        if unreached:
            file.write("%s: %s\n" % (path, " ".join(map(str, unreached))))
for name in sorted(folders):
    reached, total = folders[name]
    print("%-28s %5d of %5d lines, %5.1f %%" % (name, reached, total, 100 * reached / total))
END
say "lines that no test reached: $build/missing.txt"
