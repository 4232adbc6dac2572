#!/usr/bin/env python3
# gst-stereomatching: counts the results of Meson's tests
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints `N passed, N failed, N skipped` for a Meson testlog.json.

Programs that print a count (gst-check's "Checks: 12, Failures: 0, Errors: 0", or
"12 tests, 0 failed, 1 skipped") count with it, others as one test. The exit
status is 1 if anything failed or nothing ran.
"""

import json
import re
import sys

CHECK = re.compile(r"Checks: (\d+), Failures: (\d+), Errors: (\d+)")
TESTS = re.compile(r"^(\d+) tests, (\d+) failed, (\d+) skipped$", re.MULTILINE)


def count(result, output):
    """(passed, failed, skipped) of one program."""
    check = CHECK.findall(output)
    tests = TESTS.findall(output)
    if result == "SKIP":
        return 0, 0, int(tests[-1][0]) if tests else 1
    if check:
        total, failures, errors = map(int, check[-1])
        passed, failed, skipped = total - failures - errors, failures + errors, 0
    elif tests:
        total, failed, skipped = map(int, tests[-1])
        passed = total - failed - skipped
    else:
        passed, failed, skipped = 1, 0, 0
    if result not in ("OK", "EXPECTEDFAIL"):
        # crashed, timed out, or failed without a count
        if failed == 0:
            passed, failed = max(passed - 1, 0), 1
    return passed, failed, skipped


def main():
    totals = [0, 0, 0]
    with open(sys.argv[1], encoding="utf-8") as log:
        for line in log:
            entry = json.loads(line)
            output = (entry.get("stdout") or "") + (entry.get("stderr") or "")
            # lines of Windows programs end with CR LF
            for i, n in enumerate(count(entry["result"], output.replace("\r\n", "\n"))):
                totals[i] += n
    print("%d passed, %d failed, %d skipped" % tuple(totals))
    sys.exit(1 if totals[1] > 0 or totals[0] == 0 else 0)


if __name__ == "__main__":
    main()
