#!/usr/bin/env python3
# gst-stereomatching: checks that all files contain the same version
# SPDX-License-Identifier: LGPL-2.1-or-later
"""version.py ROOT [--set VERSION]

meson.build defines the version for programs, libraries and pkg-config. These files
repeat it and must agree: NEWS, debian/changelog, the newest release in the AppStream
metadata (with its date), and the Python package. --set writes a version into all of
them, and today's date into those with one.
"""

import email.utils
import os
import re
import sys
import time

VERSION = r"[0-9]+\.[0-9]+\.[0-9]+"
# The only group of each pattern is the version.
PLACES = {
    "meson.build": r"(?s)\Aproject\(.*?\n  version: '(%s)'," % VERSION,
    "NEWS": r"\Agst-stereomatching (%s)\b" % VERSION,
    "debian/changelog": r"\Agst-stereomatching \((%s)\)" % VERSION,
}
# Files that may be missing, or that may get the version from another file.
OPTIONAL = {
    "pyproject.toml": r"(?m)^version = ['\"](%s)['\"]" % VERSION,
    "python/pyproject.toml": r"(?m)^version = ['\"](%s)['\"]" % VERSION,
}
# The date of the release.
DATES = {
    "debian/changelog":
        (r"(?m)^ -- .*>  (.*)$",
         lambda now: email.utils.formatdate(now).replace("-0000", "+0000")),
    "packaging/stereomatching.metainfo.xml.in":
        (r'<release version="@version@" date="([0-9-]+)"/>',
         lambda now: time.strftime("%Y-%m-%d", time.gmtime(now))),
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def replace(path, pattern, text):
    """Replaces the group of the first match."""
    old = read(path)
    match = re.search(pattern, old)
    with open(path, "w", encoding="utf-8") as file:
        file.write(old[:match.start(1)] + text + old[match.end(1):])


def found(root):
    """{file: version or None}, without optional files that contain none."""
    result = {}
    for place, pattern in {**PLACES, **OPTIONAL}.items():
        path = os.path.join(root, place)
        match = re.search(pattern, read(path)) if os.path.exists(path) else None
        if match or place in PLACES:
            result[place] = match and match.group(1)
    return result


def main():
    root = sys.argv[1]
    if len(sys.argv) == 4 and sys.argv[2] == "--set" and re.fullmatch(VERSION, sys.argv[3]):
        for place in found(root):
            replace(os.path.join(root, place), {**PLACES, **OPTIONAL}[place], sys.argv[3])
        for place, (pattern, date) in DATES.items():
            replace(os.path.join(root, place), pattern, date(time.time()))
    elif len(sys.argv) != 2:
        sys.exit(__doc__)
    versions = found(root)
    for place, version in versions.items():
        print("%s: %s" % (place, version))
    for place, (pattern, _) in DATES.items():
        if not re.search(pattern, read(os.path.join(root, place))):
            sys.exit("%s has no date" % place)
    sys.exit(len(set(versions.values())) != 1 or None in versions.values())


if __name__ == "__main__":
    main()
