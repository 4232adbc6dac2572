#!/usr/bin/env python3
# gst-stereomatching: allowed includes between layers
# SPDX-License-Identifier: LGPL-2.1-or-later
"""layering.py ROOT

common/ includes itself, the C library and POSIX; cuda/ includes itself,
common/ and CUDA; gst/ includes itself, both and GStreamer. Each is a house of
floors, and a floor includes itself and what is below it. A quoted header is
named with its floor, and exists.
"""

import os
import re
import sys

C = {"assert", "ctype", "errno", "float", "inttypes", "limits", "locale", "math", "stdarg",
     "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time"}
SYSTEM = C | {"pthread", "dlfcn", "fcntl", "sched", "signal", "unistd", "immintrin", "arm_neon"}

# house: (houses whose headers it sees, pattern of other <headers>)
HOUSES = {
    "common": (("common",), None),
    "cuda": (("cuda", "common"), r"cuda\w*\.h|cub/.*|cooperative_groups.*|mma\.h"),
    "gst": (("gst", "cuda", "common"), r"gst/.*|yaml\.h|glib\.h|glib-object\.h|gmodule\.h"),
}
# From the ground up; "" is what lies in the house's own folder: its public
# headers, or what uses all floors.
FLOORS = {
    "common": ("", "core", "simd", "image", "cost", "refine", "geometry", "match"),
    "cuda": ("", "core", "image", "cost", "refine", "geometry", "match"),
    "gst": ("base", "filter", "aggregate", "elements", ""),
}
GENERATED = {"algorithm-list.h": "common"}


def files(root, house):
    """The C and CUDA files of a house, by their paths in it."""
    for folder, _, names in sorted(os.walk(os.path.join(root, house))):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cu", ".cuh")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(root, house))


def floor(house, path):
    """The number of its floor, or None. A folder inside a floor belongs to it."""
    folder = os.path.dirname(path).split("/")[0]
    return FLOORS[house].index(folder) if folder in FLOORS[house] else None


def find_violation(house, path, quoted, name, owner):
    seen, pattern = HOUSES[house]
    if quoted:
        if name not in owner:
            return "there is no such header"
        if owner[name] not in seen:
            return "%s is above %s" % (owner[name], house)
        if owner[name] == house and floor(house, name) > floor(house, path):
            return "%s is above %s" % (os.path.dirname(name) or house,
                                       os.path.dirname(path) or house)
        return None
    if name.endswith(".h") and name[:-2] in SYSTEM:
        return None
    if pattern and re.fullmatch(pattern, name):
        return None
    return "not for %s" % house


def main():
    root = sys.argv[1]
    owner = dict(GENERATED)
    for house in HOUSES:
        for path in files(root, house):
            if floor(house, path) is None:
                sys.exit("%s/%s is on no floor" % (house, path))
            if path.endswith((".h", ".cuh")):
                owner[path] = house
    seen = 0
    bad = 0
    for house in HOUSES:
        for path in files(root, house):
            with open(os.path.join(root, house, path), encoding="utf-8") as file:
                lines = list(file)
            for number, line in enumerate(lines, 1):
                match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
                if not match:
                    continue
                seen += 1
                why = find_violation(house, path, match.group(1) == '"', match.group(2), owner)
                if why:
                    bad += 1
                    print("%s/%s:%d: %s: %s" % (house, path, number, match.group(2), why))
    print("%d includes" % seen)
    sys.exit(1 if bad or seen == 0 else 0)


if __name__ == "__main__":
    main()
