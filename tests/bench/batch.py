#!/usr/bin/env python3
# gst-stereomatching: pairs per second of stereo-batch, and of the usual ways without it
# SPDX-License-Identifier: LGPL-2.1-or-later
"""batch.py [OPTION ...]: prints a table of pairs per second; see --help.

Compares, on files that it makes and that are in the page cache,

    loop        a loop over stereomatching.match(), as users write it
    sgbm N      OpenCV's StereoSGBM (3WAY) in a multiprocessing pool of N processes
    threads N   stereo-batch in one process with N workers
    dask N      stereo-batch with --workers N on a local cluster
    gpu N       threads N with --device cuda
    gpu dask N  dask N with --device cuda

and the parts alone, with one thread: reading, matching, and writing. Pairs per second include the
start of processes, whose time is that of one pair per worker. Needs NumPy and Pillow; rows whose
modules or devices are missing are left out. $STEREOMATCHING_LIBRARY names the library, and python/
has to be in $PYTHONPATH if the module is not installed.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

import stereomatching as sm

RANGE = {"640x480": 64, "1920x1080": 128}


def scene(number, width, height):
    """A textured wall with squares in front of it; blurred, so that it compresses as photographs."""
    chance = np.random.default_rng(number)
    coarse = chance.integers(0, 256, (height // 8 + 2, (width + 200) // 8 + 2, 3), np.uint8)
    wall = np.asarray(Image.fromarray(coarse).resize((width + 200, height), Image.BICUBIC)).astype(int)
    wall = np.clip(wall + chance.integers(-6, 7, wall.shape), 0, 255).astype(np.uint8)
    left, right = wall[:, 100:100 + width].copy(), wall[:, 110:110 + width].copy()
    for _ in range(6):
        y, x = int(chance.integers(0, height * 3 // 4)), int(chance.integers(60, width * 3 // 4))
        shift = int(chance.integers(14, 50))
        patch = wall[y:y + height // 5, x:x + width // 6][::-1]
        left[y:y + len(patch), x:x + patch.shape[1]] = patch[:, :width - x]
        right[y:y + len(patch), x - shift:x - shift + patch.shape[1]] = patch
    return left, right


def make_files(folder, kind, size, count):
    """At most 50 different pairs; the others are links to them."""
    width, height = map(int, size.split("x"))
    suffix = {"png": ".png", "raw": ".npy"}[kind]
    for side in "left", "right":
        os.makedirs(os.path.join(folder, side))
    for number in range(count):
        paths = [os.path.join(folder, side, "%05d%s" % (number, suffix)) for side in ("left", "right")]
        if number >= 50:
            for path in paths:
                os.link(path.replace("%05d." % number, "%05d." % (number % 50)), path)
            continue
        for path, view in zip(paths, scene(number, width, height)):
            if kind == "raw":
                np.save(path, view)
            else:
                Image.fromarray(view).save(path, compress_level=6)


def read(path):
    return np.load(path) if path.endswith(".npy") else np.asarray(Image.open(path))


def files_of(folder):
    return [[os.path.join(folder, side, name) for side in ("left", "right")]
            for name in sorted(os.listdir(os.path.join(folder, "left")))]


def rate(count, function):
    begin = time.perf_counter()
    function()
    return count / (time.perf_counter() - begin)


def loop(pairs, algorithm, properties, out):
    for number, (left, right) in enumerate(pairs):
        found = sm.match(read(left), read(right), algorithm=algorithm, backend="cpu", **properties)
        Image.fromarray(found.codes).save(os.path.join(out, "%05d.png" % number))


def sgbm_one(job):
    import cv2  # pylint: disable=import-outside-toplevel
    cv2.setNumThreads(1)
    (left, right), path, disparities = job
    matcher = cv2.StereoSGBM_create(0, disparities, 3, P1=216, P2=864, disp12MaxDiff=1,
                                    speckleWindowSize=100, speckleRange=2, uniquenessRatio=10,
                                    mode=cv2.STEREO_SGBM_MODE_SGBM_3WAY)
    codes = matcher.compute(read(left), read(right))
    cv2.imwrite(path, np.maximum(codes, 0).astype(np.uint16))


def sgbm(pairs, workers, properties, out):
    jobs = [(pair, os.path.join(out, "%05d.png" % number), properties["num_disparities"])
            for number, pair in enumerate(pairs)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(sgbm_one, jobs, chunksize=8)


def batch(pairs, out, algorithm, properties, prepare, *more):
    """stereo-batch: seconds, start included, and those of each part in all workers."""
    words = ["%s=%s" % (name.replace("_", "-"), value) for name, value in properties.items()]
    code = "import sys; %s\nfrom stereomatching.batch._cli import main; sys.exit(main())" % prepare
    names = os.path.join(os.path.dirname(out), "pairs.csv")
    with open(names, "w", encoding="utf-8") as file:
        file.write("left,right\n" + "".join("%s,%s\n" % tuple(pair) for pair in pairs))
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, names, out, "--algorithm", algorithm, "--json", *words,
         *map(str, more)], stdout=subprocess.PIPE, text=True, check=True)
    return time.perf_counter() - begin, json.loads(done.stdout)["parts"]


# Without Dask, workers are threads
ONE_PROCESS = "sys.modules['distributed'] = None"


def parts_alone(pairs, algorithm, properties):
    """Pairs per second of each part alone, with one thread."""
    from stereomatching.batch import _images, _png  # pylint: disable=import-outside-toplevel
    some = pairs[:min(len(pairs), 20)]
    _images.read(some[0][0])  # imports what it needs
    views = []
    rates = {"read": rate(len(some), lambda: views.extend(
        (_images.read(left), _images.read(right)) for left, right in some))}
    matcher = sm.Matcher(algorithm, backend="cpu", threads=1, **properties)
    matcher(*views[0])
    maps = []
    rates["match"] = rate(len(some), lambda: maps.extend(matcher(*pair) for pair in views))
    if "cuda" in sm.backends():
        gpu = sm.Matcher(algorithm, backend="cuda", **properties)
        gpu(*views[0])
        rates["match on the GPU"] = rate(len(some), lambda: [gpu(*pair) for pair in views])
    rates["write"] = rate(len(some), lambda: [_png.encode(found.codes) for found in maps])
    return rates


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class Table:
    def __init__(self, title):
        print("\n%s\n\n| way | pairs per second | start, s | after it | part times, ms per pair |\n"
              "|---|---:|---:|---:|---|" % title)

    def add(self, way, value, start="", after="", parts=""):
        print("| %s | %.1f | %s | %s | %s |" % (way, value, start, after, parts), flush=True)

    def add_batch(self, way, count, run):
        """run (N) matches N pairs, and returns what batch () does."""
        first = min(int(way.split()[-1]), count - 1)
        start, _ = run(first)
        seconds, parts = run(count)
        self.add(way, count / seconds, "%.1f" % start,
                 "%.1f" % ((count - first) / max(seconds - start, 1e-9)),
                 ", ".join("%s %.1f" % (name, 1000 * one / count) for name, one in parts.items()))


def ways():
    """Of stereo-batch: the name of each, what to run before, and the device."""
    yield "threads", ONE_PROCESS, "cpu"
    if has("distributed"):
        yield "dask", "", "cpu"
    if "cuda" in sm.backends():
        yield "gpu", ONE_PROCESS, "cuda"
        if has("distributed"):
            yield "gpu dask", "", "cuda"


def measure(options, kind, size, count, algorithm, place):
    folder = os.path.join(place, "%s-%s" % (kind, size))
    if not os.path.exists(folder):
        make_files(folder, kind, size, count)
    pairs = files_of(folder)
    properties = dict({"num_disparities": RANGE.get(size, 64)}, **options.set)
    table = Table("%s, %d pairs of %s as %s, %s" % (
        algorithm, count, size, kind, ", ".join("%s=%s" % one for one in properties.items())))

    def fresh():
        out = os.path.join(place, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        return out
    for name, value in parts_alone(pairs, algorithm, properties).items():
        table.add("%s alone, one thread" % name, value)
    some = pairs[:max(count // options.fraction, 1)]
    table.add("loop", rate(len(some), lambda: loop(some, algorithm, properties, fresh())))
    for workers in options.workers:
        some = pairs[:max(count * min(workers, options.fraction) // options.fraction, 1)]
        if algorithm == "sgm" and has("cv2"):
            table.add("sgbm %d" % workers, rate(len(some), lambda s=some, n=workers: sgbm(
                s, n, properties, fresh())))
        for way, prepare, device in ways():
            if "dask" in way and workers == 1:
                continue
            table.add_batch(
                "%s %d" % (way, workers), len(some) if device == "cpu" else count,
                lambda n, p=prepare, w=workers, d=device: batch(
                    pairs[:n], fresh(), algorithm, properties, p, "--workers", w, "--device", d))


def setting(text):
    name, value = text.split("=", 1)
    return name.replace("-", "_"), int(value) if value.isdigit() else value


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="640x480:2000,1920x1080:200", help="SIZE:PAIRS,...")
    parser.add_argument("--kinds", default="png,raw")
    parser.add_argument("--algorithms", default="sgm,vcbw")
    parser.add_argument("--workers", default="1,2,4,8,16", type=lambda text: [
        int(word) for word in text.split(",")])
    parser.add_argument("--fraction", default=1, type=int,
                        help="N workers on the CPU match N / FRACTION of the pairs, the loop 1 / FRACTION")
    parser.add_argument("--set", default=[], action="append", type=setting, metavar="NAME=VALUE",
                        help="a property of the algorithm")
    parser.add_argument("--folder", help="for the files; the default is a temporary one")
    options = parser.parse_args()
    options.set = dict(options.set)
    print("%s; %d processors; NumPy %s" % (sm.Matcher(backend="cpu").device, len(
        os.sched_getaffinity(0)), np.__version__))
    if "cuda" in sm.backends():
        print(sm.Matcher(backend="cuda").device)
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        for one in options.sets.split(","):
            size, count = one.split(":")
            for kind in options.kinds.split(","):
                for algorithm in options.algorithms.split(","):
                    measure(options, kind, size, int(count), algorithm, place)


if __name__ == "__main__":
    main()
