# gst-stereomatching: limits the length of functions
# SPDX-License-Identifier: LGPL-2.1-or-later
"""functions.py ROOT

Lists functions in C and CUDA with more than 100 lines, from brace to brace. Exceptions are tables:
functions in which at least half of the lines are inside initialisers, `= { ... };`.
"""

import os
import re
import sys

LIMIT = 100
FOLDERS = ("common", "cuda", "gst", "tools", "tests", "examples")
SUFFIXES = (".c", ".h", ".cpp", ".cu", ".cuh")


def functions(lines):
    """(first line, last line) of each body; members of C++ structs are indented by two."""
    start = None
    for number, line in enumerate(lines, 1):
        opening = re.match(r"( {0,2})\{$", line)
        if start is None and opening:
            head = next((h for h in reversed(lines[:number - 1]) if h.strip()), "")
            if re.search(r"\)( const)?$", head) or head.endswith("\\"):
                start, end = number, opening.group(1) + "}"
        elif start is not None and line == end:
            yield start, number
            start = None


def table_lines(body):
    """The lines within initialisers."""
    inside, found = False, 0
    for line in body:
        if re.search(r"= \{$", line):
            inside = True
        elif inside and re.match(r" +\};$", line):
            inside = False
        elif inside:
            found += 1
    return found


def main(root):
    status = 0
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(n for n in names if n.endswith(SUFFIXES)):
                file = os.path.join(path, name)
                with open(file, encoding="utf-8") as text:
                    lines = text.read().split("\n")
                for first, last in functions(lines):
                    body = lines[first:last - 1]
                    if len(body) > LIMIT and 2 * table_lines(body) < len(body):
                        print("%s:%d: a function of %d lines" % (file, first, len(body)))
                        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
