#!/usr/bin/env python3
# gst-stereomatching: checks that the tools print what their manual shows
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the `$ COMMAND` lines of the console blocks in docs/tools/*.md.

    documented.py ROOT PROGRAM ...

They run in the folder of the datasets.
Their output must equal the text after the command, except run times and the name
of the device. Exit status 77 (skipped) without $STEREO_DATASETS.
"""

import glob
import os
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", re.MULTILINE)


def timeless(text):
    """The lines without run times and device names."""
    lines = []
    column = None
    figures = False
    for line in text.splitlines():
        if re.match(r"(CPU, |NVIDIA )", line):
            line = "DEVICE"
        elif re.match(r"(algorithm|stages, mean ms) +size ", line):
            figures = True
            line = " ".join(line.split())
        elif figures and line:
            line = re.sub(r" +[\d.]+(?= |$)", " FIGURE", line)
        elif line.startswith("time, ms"):
            line = "TIMES"
        elif line.endswith(" time ms"):
            column = len(line)
        elif not line:
            column = None
            figures = False
        elif len(line) == column:
            # ends before the lines of a scene's further regions
            line = re.sub(r" +[\d.]+$", " TIME", line)
        lines.append(line)
    return lines


def main():
    root = sys.argv[1]
    programs = {os.path.basename(p): os.path.abspath(p) for p in sys.argv[2:]}
    datasets = os.environ.get("STEREO_DATASETS") or "../shared/datasets"
    if not os.path.exists(os.path.join(datasets, "middlebury-v2", "teddy", "scene.ini")):
        print("skipped: %s does not exist; set STEREO_DATASETS" % datasets)
        sys.exit(77)
    os.environ["STEREO_DATASETS"] = datasets = os.path.abspath(datasets)
    seen = failed = 0
    for path in sorted(glob.glob(os.path.join(root, "docs", "tools", "*.md"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for command, wanted in BLOCK.findall(text):
            words = shlex.split(command)
            if words[0] not in programs:
                continue
            result = subprocess.run([programs[words[0]]] + words[1:], capture_output=True,
                                    text=True, check=False, cwd=datasets)
            seen += 1
            if result.returncode != 0 or timeless(result.stdout) != timeless(wanted):
                failed += 1
                print("%s: %s prints\n%s%s" % (path, command, result.stdout, result.stderr))
    print("%d tests, %d failed, 0 skipped" % (seen, failed))
    sys.exit(1 if failed or not seen else 0)


if __name__ == "__main__":
    main()
