#!/usr/bin/env python3
# gst-stereomatching: allowed includes between layers
# SPDX-License-Identifier: LGPL-2.1-or-later
"""layering.py ROOT

common/ includes itself, the C library and POSIX; cuda/ includes itself,
common/ and CUDA; gst/ includes itself, both and GStreamer. Each of them has
layers, and a layer includes itself and lower layers. Quoted headers must exist
and be named with their layer.
"""

import os
import re
import sys

C = {"assert", "ctype", "errno", "float", "inttypes", "limits", "locale", "math", "stdarg",
     "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time"}
SYSTEM = C | {"pthread", "dlfcn", "fcntl", "sched", "signal", "unistd", "cpuid", "immintrin",
              "arm_neon"}

# top folder: (top folders it may include, pattern of other <headers>)
TOP_FOLDERS = {
    "common": (("common",), None),
    "cuda": (("cuda", "common"), r"cuda\w*\.h|cub/.*|cooperative_groups.*|mma\.h"),
    "gst": (("gst", "cuda", "common"), r"gst/.*|yaml\.h|glib\.h|glib-object\.h|gmodule\.h"),
}
# From the bottom up; "" is the top folder itself: its public headers, or files that use all
# layers.
LAYERS = {
    "common": ("", "core", "simd", "image", "cost", "refine", "geometry", "match"),
    "cuda": ("", "core", "image", "cost", "refine", "geometry", "match"),
    "gst": ("base", "filter", "aggregate", "elements", ""),
}
GENERATED = {"algorithm-list.h": "common"}


def files(root, top):
    """The C and CUDA files of a top folder, by their relative paths."""
    for folder, _, names in sorted(os.walk(os.path.join(root, top))):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cu", ".cuh")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(root, top))


def layer(top, path):
    """The number of a file's layer, or None. Subfolders belong to the layer of their folder."""
    folder = os.path.dirname(path).split("/")[0]
    return LAYERS[top].index(folder) if folder in LAYERS[top] else None


def find_violation(top, path, quoted, name, owner):
    seen, pattern = TOP_FOLDERS[top]
    if quoted:
        if name not in owner:
            return "header not found"
        if owner[name] not in seen:
            return "%s is above %s" % (owner[name], top)
        if owner[name] == top and layer(top, name) > layer(top, path):
            return "%s is above %s" % (os.path.dirname(name) or top,
                                       os.path.dirname(path) or top)
        return None
    if name.endswith(".h") and name[:-2] in SYSTEM:
        return None
    if name == "windows.h" and path.endswith("-windows.c"):
        return None
    if name.startswith("mach/") and path.endswith("-macos.c"):
        return None
    if name == "sys/auxv.h" and path.endswith("-posix.c"):
        return None
    if pattern and re.fullmatch(pattern, name):
        return None
    return "not allowed in %s" % top


def main():
    root = sys.argv[1]
    owner = dict(GENERATED)
    for top in TOP_FOLDERS:
        for path in files(root, top):
            if layer(top, path) is None:
                sys.exit("%s/%s is in no layer" % (top, path))
            if path.endswith((".h", ".cuh")):
                owner[path] = top
    seen = 0
    bad = 0
    for top in TOP_FOLDERS:
        for path in files(root, top):
            with open(os.path.join(root, top, path), encoding="utf-8") as file:
                lines = list(file)
            for number, line in enumerate(lines, 1):
                match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
                if not match:
                    continue
                seen += 1
                why = find_violation(top, path, match.group(1) == '"', match.group(2), owner)
                if why:
                    bad += 1
                    print("%s/%s:%d: %s: %s" % (top, path, number, match.group(2), why))
    print("%d includes" % seen)
    sys.exit(1 if bad or seen == 0 else 0)


if __name__ == "__main__":
    main()
