#!/usr/bin/env python3
# gst-stereomatching: mutation of conditions
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes one condition at a time and reports the changes that no test notices.

    mutants.py BUILD [FILE[:FIRST-LAST]...]

BUILD is a build folder with tests, compiled from this tree. Without files, all of
those below are mutated; lines limit a file to a part. A comparison gets or loses its
equality or is reversed, && and ||, == and !=, TRUE and FALSE, MIN and MAX are
exchanged, and a negation is removed. The tests of the file run after each change; a
test that fails, hangs or crashes kills the mutant, and so does the compiler.

Files are changed in place and restored at the end, also after Ctrl-C. Prints a line
for each survivor, FILE:LINE: OLD -> NEW, and exits with 1 if there are any.
docs/reliability.md explains those that remain.
"""

import os
import re
import signal
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The tests of each file, by Meson's names; the quickest first.  A mutant of a header compiles the
# library again.
TESTS = {
    "common/core/arena.c": ["unit-arena"],
    "common/refine/confidence.c": ["kernels-refine"],
    "common/refine/fill-formula.h": ["kernels-refine"],
    "common/refine/median.c": ["kernels-filters"],
    "common/refine/output.h": ["kernels-temporal", "kernels-filters", "kernels-refine"],
    "common/refine/refine-cpu.h": ["kernels-refine"],
    "common/refine/refine.c": ["kernels-refine"],
    "common/refine/refine.h": ["kernels-refine"],
    "common/refine/slanted-median.c": ["kernels-refine"],
    "common/refine/slope-formula.h": ["kernels-refine"],
    "common/refine/slopes.c": ["kernels-refine"],
    "common/refine/temporal-formula.h": ["kernels-temporal"],
    "common/refine/temporal.c": ["kernels-temporal"],
    "common/refine/vote-fill.c": ["kernels-refine"],
    "gst/aggregate/gststereomapsync.c": ["unit-mapsync"],
    "gst/aggregate/gststereonewest.c": ["check-stereo-temporal", "check-stereo-live",
                                        "check-stereo-pairing", "check-stereo-flush"],
    "gst/aggregate/gststereopair.c": ["unit-pair"],
    "gst/base/gststereocapslimit.c": ["check-stereo-caps", "check-stereosplit", "check-stereorectify"],
}
# Where a test is, and what it loads.
FOLDERS = {"unit": "tests/unit/", "kernels": "tests/kernels/", "check": "tests/check/"}
PLUGIN = "gst/libgststereomatching.so"

MUTATIONS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",),
    "TRUE": ("FALSE",), "FALSE": ("TRUE",), "true": ("false",), "false": ("true",),
    "MIN": ("MAX",), "MAX": ("MIN",), "!": ("",),
}
# Comments, strings and directives are skipped; shifts, arrows and compound
# assignments are tokens of their own.
TOKEN = re.compile(r"""/\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^\#(?:\\\n|.)*?$
                       | \w+ | ->|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[<>!]""", re.X | re.S | re.M)


def mutants(text, first, last):
    """Yields (line, old, new, text)."""
    for token in TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if first <= line <= last:
            for new in MUTATIONS.get(token.group(), ()):
                yield line, token.group(), new, text[:token.start()] + new + text[token.end():]


def call(*command, limit):
    """True if the command succeeds in time; its children end with it.  The first failed case of a
    program is enough."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            if any(line.startswith(b"FAIL") for line in process.stdout):
                return False
            return process.wait() == 0
        finally:
            timer.cancel()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def passes(build, target):
    """Whether a test passes.  Programs that need no environment run without Meson."""
    name = os.path.basename(target)
    if name.startswith("kernels"):
        return call(os.path.join(build, target), limit=300)
    return call("meson", "test", "-C", build, "--no-rebuild", name, limit=300)


def survives(build, tests):
    targets = [FOLDERS[name.split("-")[0]] + name for name in tests]
    plugin = [PLUGIN] if any(name.startswith("check") for name in tests) else []
    return (call("ninja", "-C", build, *targets, *plugin, limit=600)
            and all(passes(build, target) for target in targets))


def mutate_file(build, path, first, last):
    """Returns the number of mutants and of survivors."""
    tests = TESTS[path]
    full = os.path.join(ROOT, path)
    with open(full, encoding="utf-8") as file:
        original = file.read()
    if not survives(build, tests):
        sys.exit("%s: the tests fail without a change" % path)
    n = alive = 0
    try:
        for line, old, new, text in mutants(original, first, last):
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
            n += 1
            if survives(build, tests):
                alive += 1
                print("%s:%d: %s -> %s" % (path, line, old, new or "nothing"), flush=True)
    finally:
        with open(full, "w", encoding="utf-8") as file:
            file.write(original)
    return n, alive


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    survivors = 0
    for argument in sys.argv[2:] or TESTS:
        path, _, lines = argument.partition(":")
        first, _, last = lines.partition("-")
        n, alive = mutate_file(build, path, int(first or 1), int(last or sys.maxsize))
        print("%s: %d mutants, %d survive" % (argument, n, alive), flush=True)
        survivors += alive
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    main()
