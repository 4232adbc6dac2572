#!/usr/bin/env python3
# gst-stereomatching: checksums of maps, by the Python module
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints checksums of maps of every algorithm; of depth, points and a view; of a batch.

    checksums.py [MODULE_FOLDER]

With MODULE_FOLDER, the module must lie there. The images do not depend on the version
of Python and NumPy.
"""

import contextlib
import hashlib
import io
import json
import os
import random
import runpy
import sys
import tempfile

import numpy as np
import stereomatching as sm

WIDTH, HEIGHT, SHIFT, DISPARITIES = 93, 61, 6, 16


def views():
    """Random pixels, a part of which is nearer."""
    chance = random.Random(1)
    wide = np.frombuffer(chance.getrandbits(24 * HEIGHT * (WIDTH + SHIFT)).to_bytes(
        3 * HEIGHT * (WIDTH + SHIFT), "little"), np.uint8).reshape(HEIGHT, WIDTH + SHIFT, 3)
    left, right = wide[:, :WIDTH].copy(), wide[:, SHIFT:].copy()
    left[20:40, 40:70] = wide[:20, 30:60]
    right[20:40, 30:60] = wide[:20, 30:60]
    return left, right


def report(name, array):
    array = np.ascontiguousarray(array)
    print("%s %s %s" % (name, array.shape, hashlib.sha256(array.tobytes()).hexdigest()))


def run_batch(*words):
    """stereo-batch in this process, because an emulator may not be able to start another one."""
    sys.argv = ["stereo-batch", *words]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            runpy.run_module("stereomatching.batch", run_name="__main__")
    except SystemExit as end:
        if end.code:
            sys.exit("stereo-batch failed:\n" + printed.getvalue())


def report_batch(left, right):
    """A batch that is continued, and a name that is written in two ways on Windows."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, view in (("left", left), ("right", right)):
            os.makedirs(os.path.join(name, "deep"))
            np.save(os.path.join(name, "deep", "first.npy"), view)
        words = ("left", "right", "out", "num-disparities=16", "--format", "npy", "--outputs",
                 "disparity,points", "camera.focal_length=90", "camera.baseline=0.5", "--device", "cpu")
        run_batch(*words)
        for name, view in (("left", right), ("right", left)):
            np.save(os.path.join(name, "deep", "second.npy"), view[:, ::-1])
        run_batch(*words)
        with open(os.path.join("out", "manifest.jsonl"), encoding="utf-8") as file:
            for record in map(json.loads, file):
                for result in record["results"].values():
                    print(record["name"], result["file"], result["bytes"], result["sha256"])
        os.chdir(os.pardir)


def main():
    folder = os.path.dirname(os.path.abspath(sm.__file__))
    if sys.argv[1:] and os.path.normcase(folder) != os.path.normcase(os.path.abspath(sys.argv[1])):
        sys.exit("the module is in %s" % folder)
    left, right = views()
    for algorithm in sm.algorithms():
        found = sm.match(left, right, algorithm=algorithm, num_disparities=DISPARITIES, backend="cpu")
        report(algorithm, found.codes)
    camera = sm.Camera(focal_length=90, baseline=0.5)
    found = sm.match(left, right, num_disparities=DISPARITIES, backend="cpu", fill=False)
    report("depth", sm.depth(found, camera))
    report("points", sm.points(found, camera))
    report("view", sm.view(left, found, right, position=0.5))
    report_batch(left, right)


if __name__ == "__main__":
    main()
