#!/usr/bin/env python3
# gst-stereomatching: who may include whom
# SPDX-License-Identifier: LGPL-2.1-or-later
"""layering.py ROOT

common/ includes itself, the C library, POSIX and OpenMP; cuda/ includes itself,
common/ and CUDA; gst/ includes itself, both and GStreamer. Every quoted header
exists in one of the folders, and is one that the including folder may see.
"""

import os
import re
import sys

C = {"assert", "ctype", "errno", "float", "inttypes", "limits", "locale", "math", "stdarg",
     "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time"}
SYSTEM = C | {"pthread", "dlfcn", "omp", "immintrin", "arm_neon"}

# folder: (folders whose headers it sees, pattern of other <headers>)
LAYERS = {
    "common": (("common",), None),
    "cuda": (("cuda", "common"), r"cuda\w*\.h|cub/.*|cooperative_groups.*|mma\.h"),
    "gst": (("gst", "cuda", "common"), r"gst/.*|glib\.h|glib-object\.h|gmodule\.h"),
}
GENERATED = {"algorithm-list.h": "common"}


def owners(root):
    """{header: the folder it is in}"""
    found = dict(GENERATED)
    for folder in LAYERS:
        for name in os.listdir(os.path.join(root, folder)):
            if name.endswith((".h", ".cuh")):
                if name in found:
                    sys.exit("there are two headers called %s" % name)
                found[name] = folder
    return found


def complaint(folder, quoted, name, owner):
    seen, pattern = LAYERS[folder]
    if quoted:
        if name not in owner:
            return "there is no such header"
        if owner[name] not in seen:
            return "%s is above %s" % (owner[name], folder)
        return None
    if name.endswith(".h") and name[:-2] in SYSTEM:
        return None
    if pattern and re.fullmatch(pattern, name):
        return None
    return "not for %s" % folder


def main():
    root = sys.argv[1]
    owner = owners(root)
    seen = 0
    bad = 0
    for folder in LAYERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if not name.endswith((".c", ".h", ".cu", ".cuh")):
                continue
            with open(os.path.join(root, folder, name), encoding="utf-8") as file:
                lines = list(file)
            for number, line in enumerate(lines, 1):
                match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
                if not match:
                    continue
                seen += 1
                why = complaint(folder, match.group(1) == '"', match.group(2), owner)
                if why:
                    bad += 1
                    print("%s/%s:%d: %s: %s" % (folder, name, number, match.group(2), why))
    print("%d includes" % seen)
    sys.exit(1 if bad or seen == 0 else 0)


if __name__ == "__main__":
    main()
