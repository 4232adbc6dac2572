#!/usr/bin/env python3
# gst-stereomatching: compares the ABI of the library with the recorded one
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check.py SOURCE LIBRARY
check.py --record SOURCE LIBRARY

Fails if a program that was compiled with the recorded headers may not work with
LIBRARY. --record replaces the record, tests/abi/, by LIBRARY and its headers.
Needs abidw and abidiff of libabigail, and debug information in LIBRARY; without
them the status is 77, skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HEADERS = ("common/stereo.h", "cuda/stereo-cuda.h")
# No format version and no paths: equal ABIs must have equal records.
ABIDW = ("abidw", "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path",
         "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-parameter-names",
         "--type-id-style", "hash")


def describe(headers, library):
    """The ABI of the library as XML, without its private types."""
    return subprocess.run([*ABIDW, "--headers-dir", headers, library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def without_counts(xml):
    """Removes STEREO_N_*: they count enumerators, and new ones may be added."""
    return re.sub(r"(enumerator name='STEREO_N_\w+' value=)'\d+'", r"\1'0'", xml)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def compare(record, xml, folder):
    """Prints the incompatible changes; returns the exit status."""
    with open(os.path.join(record, "libstereomatching.xml"), encoding="utf-8") as file:
        old = write(os.path.join(folder, "old.xml"), without_counts(file.read()))
    new = write(os.path.join(folder, "new.xml"), without_counts(xml))
    suppressions = os.path.join(record, "suppressions.ini")
    status = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", suppressions, old,
                             new], check=False).returncode
    if status != 0:
        print("The ABI changed. If programs have to be recompiled, raise abi_version in "
              "meson.build;\nthen record the ABI (CONTRIBUTING.md).")
    return 1 if status != 0 else 0


def main():
    arguments = sys.argv[1:]
    recording = arguments[:1] == ["--record"]
    source, library = arguments[recording:]
    record = os.path.join(source, "tests", "abi")
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: abidiff (abigail-tools) is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        for header in HEADERS:
            shutil.copy(os.path.join(source, header), folder)
        xml = describe(folder, library)
        if "StereoMatcherConfig" not in xml:
            print("skipped: the library has no debug information")
            return SKIPPED
        if not recording:
            return compare(record, xml, folder)
        write(os.path.join(record, "libstereomatching.xml"), xml)
        for header in HEADERS:
            shutil.copy(os.path.join(source, header), os.path.join(record, "include"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
