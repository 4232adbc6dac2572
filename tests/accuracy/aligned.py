#!/usr/bin/env python3
# gst-stereomatching: maps of views that are disturbed, and corrected
# SPDX-License-Identifier: LGPL-2.1-or-later
"""aligned.py [--json [ALGORITHM ...]]: needs STEREO_DATASETS, and OpenCV and NumPy for Python; else
skipped.

The right views of Middlebury's pairs are disturbed as in alignment.py, and matched as they are and
after the correction that align() finds. Bad pixels are those visible in both views whose disparity
is off by more than one pixel. The true disparity of each pixel follows from the disturbance and the
correction, so a shift of all disparities does not count.

Without arguments, stereosgm on two pairs: corrected maps have to be as good as undisturbed ones.
With --json, the figures of docs/alignment.md for docs/report.
"""

import json
import os
import sys

import alignment
import cv2
import numpy as np
import stereomatching

SEED = 1
TRIALS = 1
THRESHOLD = 1.0
# Of the grid on which positions are computed, as in stereorectify, in pixels.
STEP = 16
# Points of percent that corrected maps may be worse.
TOLERANCE = 0.6


def read(path, flags=cv2.IMREAD_UNCHANGED):
    image = cv2.imread(path, flags)
    return image[..., 0] if flags == cv2.IMREAD_UNCHANGED and image.ndim == 3 else image


class Scene:
    """A pair in colour, its disparities, and the pixels that are visible in both views."""

    def __init__(self, root, name):
        self.name = name
        folder = os.path.join(root, name)
        with open(os.path.join(folder, "scene.ini"), encoding="utf-8") as file:
            values = dict(line.strip().split(" = ", 1) for line in file if " = " in line)
        self.left, self.right = (read(os.path.join(folder, view + ".png"), cv2.IMREAD_COLOR)
                                 for view in ("left", "right"))
        truth = read(os.path.join(folder, "disp_left.png"))
        self.truth = truth / float(values["gt_scale"])
        self.mask = (read(os.path.join(folder, "nonocc.png")) > 128) & (truth > 0)
        self.height, self.width = self.truth.shape


def sources(correction, view, size):
    """The positions in a view that the pixels of the corrected one show: width x height x 2."""
    width, height = size
    nodes = np.array([[correction.source(view, u, v) for u in range(0, width + STEP, STEP)]
                      for v in range(0, height + STEP, STEP)])
    x, y = np.meshgrid(np.arange(width) / STEP, np.arange(height) / STEP)
    return np.stack([cv2.remap(nodes[..., i], x.astype(np.float32), y.astype(np.float32),
                               cv2.INTER_LINEAR) for i in (0, 1)], axis=2)


def find_targets(correction, x, y):
    """The columns at which the corrected right view shows points of the right view."""
    u, v = x.copy(), y.copy()
    height, width = x.shape
    found = sources(correction, "right", (width, height)).astype(np.float32)
    for _ in range(8):
        at = cv2.remap(found, np.clip(u, 0, width - 1).astype(np.float32),
                       np.clip(v, 0, height - 1).astype(np.float32), cv2.INTER_LINEAR)
        # outside of the view, the shift of its border
        at[..., 0] += u - np.clip(u, 0, width - 1)
        at[..., 1] += v - np.clip(v, 0, height - 1)
        u, v = u + x - at[..., 0], v + y - at[..., 1]
    return u


def correct(scene, right, matrix, correction):
    """The corrected views, with the true disparities and the visible pixels of the left one."""
    size = scene.width, scene.height
    at = [sources(correction, view, size).astype(np.float32) for view in ("left", "right")]
    views = [cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
             for image, maps in zip((scene.left, right), at)]
    x, y = (at[0][..., i].astype(np.float64) for i in (0, 1))
    column, row = (np.clip(np.rint(value).astype(int), 0, most - 1)
                   for value, most in zip((x, y), size))
    inside = (x > -0.5) & (y > -0.5) & (x < size[0] - 0.5) & (y < size[1] - 0.5)
    u, v = alignment.moved(matrix, np.stack([(x - scene.truth[row, column]).ravel()])[0], y.ravel())
    targets = find_targets(correction, u.reshape(x.shape), v.reshape(x.shape))
    truth = np.arange(size[0])[None, :] - targets
    return views[0], views[1], truth, inside & scene.mask[row, column]


def disturb(scene, matrix):
    """The same of a pair whose right view is disturbed."""
    rows, columns = np.mgrid[:scene.height, :scene.width].astype(float)
    right = cv2.warpPerspective(scene.right, matrix, (scene.width, scene.height),
                                flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    u, _ = alignment.moved(matrix, (columns - scene.truth).ravel(), rows.ravel())
    return scene.left, right, columns - u.reshape(columns.shape), scene.mask


def count_bad(algorithm, case):
    """Percent of the visible pixels that both views show."""
    left, right, truth, mask = case
    mask = mask & (np.arange(left.shape[1])[None, :] >= truth) \
        & (np.arange(left.shape[1])[None, :] - truth < left.shape[1])
    least = int(np.floor(truth[mask].min())) - 2
    number = -(-(int(np.ceil(truth[mask].max())) + 3 - least) // 16) * 16
    found = stereomatching.match(left, right, algorithm=algorithm, order="bgr", backend="cpu",
                                 min_disparity=least, num_disparities=number).disparity
    good = np.abs(found - truth) <= THRESHOLD
    return round(100 * (1 - float(good[mask].mean())), 3)


def make_cases(scene, kind, random):
    """A disturbed pair, and the same after the correction if there is one."""
    matrix = alignment.disturbance(kind, scene.width, scene.height, random)
    before = disturb(scene, matrix)
    found = alignment.align(*(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY) for view in before[:2]))
    return before, (before if found.correction.identity
                    else correct(scene, before[1], matrix, found.correction))


def measure_scene(scene, algorithms, kinds, trials=TRIALS):
    """{algorithm: {"undisturbed": bad pixels, kind: [before, after], ...}}, means of the trials."""
    still = disturb(scene, np.eye(3))
    found = {name: {"undisturbed": count_bad(name, still)} for name in algorithms}
    for kind in kinds:
        random = np.random.RandomState(SEED)
        cases = [make_cases(scene, kind, random) for _ in range(trials)]
        for name in algorithms:
            found[name][kind] = [round(float(np.mean([count_bad(name, case[i]) for case in cases])),
                                       3) for i in (0, 1)]
    return found


def mean_of(results, algorithm, *keys):
    """The mean over scenes of result[algorithm][keys...]."""
    values = []
    for scene in results:
        value = scene[algorithm]
        for key in keys:
            value = value[key]
        values.append(value)
    return float(np.mean(values))


def check(root):
    scenes = [Scene(root, "middlebury-v2/" + name) for name in ("teddy", "venus")]
    results = [measure_scene(scene, ["sgm"], ["small", "medium"]) for scene in scenes]
    undisturbed = mean_of(results, "sgm", "undisturbed")
    failed = 0
    for kind in ("small", "medium"):
        before, after = (mean_of(results, "sgm", kind, i) for i in (0, 1))
        good = after < undisturbed + TOLERANCE and before > undisturbed + 5
        failed += not good
        print("%s %s: %.2f %% bad pixels, corrected %.2f, undisturbed %.2f" % (
            "ok" if good else "FAIL", kind, before, after, undisturbed))
    print("2 tests, %d failed, 0 skipped" % failed)
    sys.exit(failed > 0)


def main():
    root = os.environ.get("STEREO_DATASETS")
    if not root:
        print("skipped: STEREO_DATASETS is not set")
        sys.exit(77)
    if sys.argv[1:2] != ["--json"]:
        check(root)
    algorithms = sys.argv[2:] or sorted(stereomatching.algorithms())
    names = sorted(name for name, *_ in alignment.scenes(root))
    results = {}
    for name in names:
        if not name.startswith(("middlebury-v2", "middlebury-2001")):
            continue
        results[name] = measure_scene(Scene(root, name), algorithms, alignment.KINDS)
        print(name, file=sys.stderr)
    print(json.dumps({"seed": SEED, "trials": TRIALS, "scenes": results}))


if __name__ == "__main__":
    main()
