#!/usr/bin/env python3
# gst-stereomatching: checks that docs/api.md names what the library adds
# SPDX-License-Identifier: LGPL-2.1-or-later
"""library.py ROOT

docs/api.md must name every structure that a public header defines, and every
function that the headers have got since those of the recorded ABI.
"""

import os
import re
import sys

HEADERS = {"stereo.h": "common", "stereo-cuda.h": "cuda"}
STRUCTURE = re.compile(r"^\} (Stereo\w+);$", re.MULTILINE)
ENUMERATION = re.compile(r"^typedef enum\n\{[^}]*\} (Stereo\w+);$", re.MULTILINE)
FUNCTION = re.compile(r"\b(stereo_\w+)\s+\(")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def read(root, *path):
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def main():
    root = sys.argv[1]
    headers = "".join(read(root, folder, name) for name, folder in HEADERS.items())
    recorded = "".join(read(root, "tests", "abi", "include", name) for name in HEADERS)
    structures = set(STRUCTURE.findall(headers)) - set(ENUMERATION.findall(headers))
    functions = set(FUNCTION.findall(headers))
    wanted = structures | functions - set(FUNCTION.findall(recorded))
    page = read(root, "docs", "api.md")
    missing = [name for name in sorted(wanted) if not re.search(r"\b%s\b" % name, page)]
    print("%d structures, %d functions" % (len(structures), len(functions)))
    print("\n".join("docs/api.md lacks `%s`" % name for name in missing))
    sys.exit(1 if missing or not structures or not functions else 0)


if __name__ == "__main__":
    main()
