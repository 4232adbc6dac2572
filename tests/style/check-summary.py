#!/usr/bin/env python3
# gst-stereomatching: tests of tests/summary.py
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-summary.py SUMMARY"""

import json
import subprocess
import sys
import tempfile

# (Meson's log of one program, the expected line, exit status)
CASES = (
    ([("OK", "", "")], "1 passed, 0 failed, 0 skipped", 0),
    ([("OK", "ok a\nskip b\n2 tests, 0 failed, 1 skipped\n", "")],
     "1 passed, 0 failed, 1 skipped", 0),
    ([("OK", "100%: Checks: 12, Failures: 0, Errors: 0\n", "")],
     "12 passed, 0 failed, 0 skipped", 0),
    ([("OK", "Running suite(s): stereo\n100%: Checks: 3, Failures: 0, Errors: 0\n", "warnings\n")],
     "3 passed, 0 failed, 0 skipped", 0),
    ([("FAIL", "83%: Checks: 12, Failures: 1, Errors: 1\nx.c:5:F:general:test\n", "")],
     "10 passed, 2 failed, 0 skipped", 1),
    ([("FAIL", "FAIL a\n5 tests, 2 failed, 1 skipped\n", "")],
     "2 passed, 2 failed, 1 skipped", 1),
    # a crash after the last line, a leak, a timeout
    ([("FAIL", "5 tests, 0 failed, 0 skipped\n", "ERROR: LeakSanitizer\n")],
     "4 passed, 1 failed, 0 skipped", 1),
    ([("FAIL", "", "Segmentation fault\n")], "0 passed, 1 failed, 0 skipped", 1),
    ([("TIMEOUT", "ok a\n", "")], "0 passed, 1 failed, 0 skipped", 1),
    ([("ERROR", "", "")], "0 passed, 1 failed, 0 skipped", 1),
    ([("SKIP", "", "")], "0 passed, 0 failed, 1 skipped", 1),
    ([("SKIP", "3 tests, 0 failed, 3 skipped\n", ""), ("OK", "", "")],
     "1 passed, 0 failed, 3 skipped", 0),
    ([("OK", "it mentions 9 tests, 9 failed, 9 skipped here\n", "")],
     "1 passed, 0 failed, 0 skipped", 0),
    ([], "0 passed, 0 failed, 0 skipped", 1),
)


def main():
    failed = 0
    for entries, line, status in CASES:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
            for result, out, err in entries:
                log.write(json.dumps({"name": "x", "result": result, "stdout": out,
                                      "stderr": err}) + "\n")
            log.flush()
            done = subprocess.run([sys.executable, sys.argv[1], log.name], capture_output=True,
                                  text=True, check=False)
        if done.stdout != line + "\n" or done.returncode != status:
            failed += 1
            print("%s: got %r, status %d, expected %r, %d" % (
                entries, done.stdout, done.returncode, line, status))
    print("%d tests, %d failed, 0 skipped" % (len(CASES), failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
