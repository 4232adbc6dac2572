#!/usr/bin/env python3
# gst-stereomatching: runs the commands of the documentation
# SPDX-License-Identifier: LGPL-2.1-or-later
"""commands.py ROOT TOOLS

Runs every command of README.md and docs/ that blocks.py finds, except
gst-launch-1.0, which launch_lines.py runs, stereo-calibrate, and stereo-batch, which tests/python/batch.py
runs. TOOLS is the folder of the tools.

Commands run as printed, in a folder with small images, maps and scenes of the
names they use, with three exceptions: `cuda` becomes `auto`, stereo-bench times
one small size, and for a minimum of time. A command that cannot be run must be
marked; these are counted, with the reasons.
"""

import collections
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import blocks
import textures

TIMEOUT = 120
WIDTH, HEIGHT, SHIFT, SCALE = 48, 32, 4, 4
SCENES = {"middlebury-v2": ("cones", "teddy"), "middlebury-2001": ("venus",),
          "middlebury-2003-half": ("cones",)}
TOOLS = ("stereo-eval", "stereo-bench", "stereo-check", "stereo-view")


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def view(shift):
    return textures.texture(WIDTH, HEIGHT, shift)


def grey(level):
    """A PGM image of one level."""
    return b"P5 %d %d 255\n" % (WIDTH, HEIGHT) + bytes([level]) * (WIDTH * HEIGHT)


def pfm():
    """The disparity map of the texture."""
    return b"Pf\n%d %d\n-1.0\n" % (WIDTH, HEIGHT) + struct.pack("<f", SHIFT) * (WIDTH * HEIGHT)


def make_files(folder):
    """Writes all files that the commands read."""
    both = {"left.png": view(0), "right.png": view(SHIFT)}
    for name, data in both.items():
        write(os.path.join(folder, name), data)
    write(os.path.join(folder, "out.png"), grey(SHIFT * SCALE))
    write(os.path.join(folder, "truth.pfm"), pfm())
    write(os.path.join(folder, "views", "cones_im4.png"), view(SHIFT // 2))
    for kind, scenes in SCENES.items():
        for scene in scenes:
            place = os.path.join(folder, kind, scene)
            for name, data in both.items():
                write(os.path.join(place, name), data)
            write(os.path.join(place, "disp_left.png"), grey(SHIFT * SCALE))
            for mask in ("all", "nonocc", "disc"):
                write(os.path.join(place, mask + ".png"), grey(255))
            write(os.path.join(place, "scene.ini"),
                  b"[scene]\nname = %s\nwidth = %d\nheight = %d\nndisp = 16\ngt_scale = %d\n"
                  b"gt_invalid = 0\nmasks = own\n" % (scene.encode(), WIDTH, HEIGHT, SCALE))
            write(os.path.join(folder, "maps", scene + ".pfm"), pfm())


def small(words):
    """The arguments of stereo-bench for one small size."""
    kept = []
    skip = False
    sized = "--images" in words or "--help" in words or "--list-sizes" in words
    for word in words:
        if skip or word in ("--size", "--preset", "--seconds"):
            skip = not skip
            continue
        kept.append(word)
    return kept + ([] if sized else ["--size", "%dx%dx16" % (WIDTH, HEIGHT)]) + [
        "--seconds", "0.001", "--frames", "1", "--copy-mib", "1"]


def to_run(line, tools):
    """The arguments of a command, or None for an unknown command."""
    words = [os.path.expandvars(word) for word in shlex.split(line, comments=True)]
    name = os.path.basename(words[0])
    if name == "gst-inspect-1.0":
        return words
    if name not in TOOLS:
        return None
    words = ["auto" if word == "cuda" else word for word in words]
    return [os.path.join(tools, name)] + (small if name == "stereo-bench" else list)(words[1:])


def problem_of(line, tools, folder, promise):
    words = to_run(line, tools)
    if words is None:
        return "cannot run %s; mark it with <!-- not run: REASON -->" % line.split()[0]
    try:
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT,
                                check=False)
    except subprocess.TimeoutExpired:
        return "timeout after %d s" % TIMEOUT
    if result.returncode == 0 and (result.stdout or "--save" in words):
        return blocks.broken(promise, result.stdout + result.stderr)
    return "exit status %d\n%s%s" % (result.returncode, result.stdout, result.stderr)


def main():
    root, tools = sys.argv[1:]
    count = 0
    failed = 0
    not_run = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder)
        os.environ["STEREO_DATASETS"] = folder
        for place, line, reason, promise in blocks.commands(root):
            if re.match(r"(gst-launch-1\.0|stereo-batch|stereo-calibrate) ", line):
                continue
            if reason:
                not_run[reason] += 1
                continue
            wrong = problem_of(line, os.path.abspath(tools), folder, promise)
            count += 1
            print("%s %s" % ("FAIL" if wrong else "ok  ", place))
            if wrong:
                failed += 1
                print(line, wrong, sep="\n")
    for reason, number in not_run.most_common():
        print("skip %d commands: %s" % (number, reason))
    skipped = sum(not_run.values())
    print("%d tests, %d failed, %d skipped" % (count + skipped, failed, skipped))
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
