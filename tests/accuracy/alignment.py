#!/usr/bin/env python3
# gst-stereomatching: alignment measured and corrected on real images
# SPDX-License-Identifier: LGPL-2.1-or-later
"""alignment.py [--table]: needs STEREO_DATASETS, and OpenCV and NumPy for Python; else skipped.

The right views of Middlebury's pairs are disturbed: turned, moved and enlarged by random amounts
of a fixed seed. Rows of the pixels with ground truth have to match after the correction. The pairs
have small row errors of their own: those that the same pair has when its right view is only moved
by three whole pixels. With --table only the figures of docs/alignment.md.
"""

import glob
import os
import sys

try:
    import cv2
    import numpy as np
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "python"))
# pylint: disable=wrong-import-position
import stereomatching  # noqa: E402

# Up to: rotation about each axis in degrees, rows in 1/1000 of the width, size.
KINDS = {"tiny": (0.05, 0.3, 0.0005), "small": (0.3, 2, 0.003), "medium": (1, 8, 0.01),
         "large": (3, 20, 0.02)}
TRIALS = 3
# Of the width; the library assumes 0.9.
FOCAL = 1.1
# Pixels of ground truth per pair.
POINTS = 60


def scenes(root):
    """Name, left view, right view and disparities of each pair."""
    for path in sorted(glob.glob(os.path.join(root, "**", "disp_left.png"), recursive=True)):
        folder = os.path.dirname(path)
        with open(os.path.join(folder, "scene.ini"), encoding="utf-8") as file:
            scale = [float(line.split("=")[1]) for line in file if line.startswith("gt_scale")]
        views = [cv2.imread(os.path.join(folder, name + ".png"), cv2.IMREAD_GRAYSCALE)
                 for name in ("left", "right")]
        truth = cv2.imread(path, cv2.IMREAD_UNCHANGED)
        truth = truth[..., 0] if truth.ndim == 3 else truth
        yield os.path.relpath(folder, root), views[0], views[1], truth / scale[0]


def truth_points(truth):
    """Left x, y, and right x of some pixels with ground truth."""
    y, x = np.nonzero(truth > 0)
    chosen = np.random.RandomState(5).permutation(len(x))[:POINTS]
    x, y = x[chosen].astype(float), y[chosen].astype(float)
    return x, y, x - truth[y.astype(int), x.astype(int)]


def corrected_rows(correction, view, x, y):
    """The rows of points in the corrected view: the inverse of source(), iterated."""
    rows = []
    for at in zip(x, y):
        u, v = at
        for _ in range(10):
            found = correction.source(view, u, v)
            u, v = u + at[0] - found[0], v + at[1] - found[1]
        rows.append(v)
    return np.array(rows)


def moved(matrix, x, y):
    point = matrix @ np.stack([x, y, np.ones_like(x)])
    return point[0] / point[2], point[1] / point[2]


def disturbance(kind, width, height, random):
    """A homography of the right view."""
    degrees, rows, size = KINDS[kind]
    turn = cv2.Rodrigues(np.radians(random.uniform(-degrees, degrees, 3)).reshape(3, 1))[0]
    offset = random.uniform(-1, 1) * rows * width / 1000
    zoom = 1 + random.uniform(-1, 1) * size
    camera = np.array([[FOCAL * width, 0, (width - 1) / 2], [0, FOCAL * width, (height - 1) / 2],
                       [0, 0, 1]])
    turned = camera @ turn @ np.diag([zoom, zoom, 1]) @ np.linalg.inv(camera)
    return np.array([[1, 0, 0], [0, 1, offset], [0, 0, 1]]) @ turned


def warp(image, matrix):
    return cv2.warpPerspective(image, matrix, image.shape[::-1], flags=cv2.INTER_CUBIC,
                               borderMode=cv2.BORDER_REFLECT)


def align(left, right):
    return stereomatching.align(left, right, backend="cpu", threads=1)


def row_errors(correction, matrix, points):
    """Rows after the correction, of points inside the disturbed view."""
    x, y, xr = points
    u, v = moved(matrix, xr, y)
    return corrected_rows(correction, "right", u, v) - corrected_rows(correction, "left", x, y)


def measure(kind, pairs, change=lambda right: right):
    """Before and after of each trusted correction: median and 95 %; and counts of status."""
    random, before, after, status = np.random.RandomState(1), [], [], {}
    for _, left, right, truth in pairs:
        height, width = left.shape
        points = truth_points(truth)
        down = np.array([[1.0, 0, 0], [0, 1, 3], [0, 0, 1]])
        own = row_errors(align(left, warp(right, down)).correction, down, points)
        for _ in range(TRIALS):
            matrix = disturbance(kind, width, height, random)
            found = align(left, change(warp(right, matrix)))
            status[found.status] = status.get(found.status, 0) + 1
            u, v = moved(matrix, points[2], points[1])
            inside = (u > 1) & (v > 1) & (u < width - 2) & (v < height - 2)
            if found.status == "unknown" or not inside.any():
                continue
            rows = np.abs(v - points[1])[inside]
            left_over = np.abs(row_errors(found.correction, matrix, points) - own)[inside]
            before.append((np.median(rows), np.quantile(rows, 0.95)))
            after.append((np.median(left_over), np.quantile(left_over, 0.95)))
    return np.array(before), np.array(after), status


FAILED = []
COUNT = [0]


def check(name, good, text):
    COUNT[0] += 1
    if not good:
        FAILED.append(name)
    print("%s %s: %s" % ("ok" if good else "FAIL", name, text))


def table_row(kind, before, after, status):
    return "%s: %.2f, %.2f -> %.3f, %.3f; 90 %% of pairs below %.2f, worst %.2f; %s" % (
        kind, *np.median(before, 0), *np.median(after, 0), np.quantile(after[:, 1], 0.9),
        after[:, 1].max(), ", ".join("%s %d" % item for item in sorted(status.items())))


def check_corrections(pairs):
    for kind in ("small", "medium"):
        before, after, status = measure(kind, pairs)
        check(kind + "-disturbances", np.median(after[:, 1]) < 0.1 and after[:, 1].max() < 1
              and len(after) > 0.9 * TRIALS * len(pairs), table_row(kind, before, after, status))


def check_verdicts(pairs):
    """What is not a pair of views of a scene, or not in order, is called so."""
    random = np.random.RandomState(2)
    left = pairs[-1][1]
    noise = [random.randint(0, 256, left.shape).astype(np.uint8) for _ in range(2)]
    ramp = np.tile(np.linspace(0, 255, left.shape[1]).astype(np.uint8), (left.shape[0], 1))
    stripes = np.where(np.arange(left.shape[1]) // 8 % 2, 200, 50).astype(np.uint8)
    stripes = np.tile(stripes, (left.shape[0], 1))
    other = cv2.resize(pairs[0][2], left.shape[::-1])
    for name, one, two in (("grey", left * 0 + 90, left * 0 + 90), ("noise", *noise),
                           ("ramp", ramp, ramp), ("stripes", stripes, stripes),
                           ("horizontal-stripes", stripes.T.copy(), stripes.T.copy()),
                           ("other-scene", left, other),
                           ("upside-down", left, pairs[-1][2][::-1].copy()),
                           ("mirrored", left, pairs[-1][2][:, ::-1].copy())):
        found = align(one, two)
        check(name, found.status == "unknown" and found.correction.identity, found.status)
    check("same-view", align(left, left).status == "same-view", align(left, left).text)
    swapped = [align(right, one).status for _, one, right, _ in pairs]
    check("swapped", swapped.count("swapped") >= 0.9 * len(swapped), " ".join(swapped))
    normal = [align(one, right).status for _, one, right, _ in pairs]
    check("not-swapped", "swapped" not in normal, " ".join(normal))


def check_photo(pairs):
    """Blur, contrast and brightness of the right view."""
    for name, _, right, _ in pairs[-4:]:
        left = [pair[1] for pair in pairs if pair[0] == name][0]
        blurred = align(left, cv2.GaussianBlur(right, (0, 0), 1.5))
        darker = align(left, (right // 2 + 10).astype(np.uint8))
        check("blur-" + name, not blurred.sharpness > 0.75, "%.2f" % blurred.sharpness)
        check("contrast-" + name, abs(darker.contrast - 0.5) < 0.07
              and darker.brightness < -15, "%.2f" % darker.contrast)


def video_frames(root, name):
    """Grey frames of the KITTI sequence."""
    video = cv2.VideoCapture(os.path.join(root, "video", "kitti_sequence", name + ".mp4"))
    while True:
        good, frame = video.read()
        if not good:
            return
        yield cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)


def correct_video(root):
    """Rows of the correction of each pair, at some points of the image: pairs x points."""
    aligner = stereomatching.Aligner(backend="cpu", threads=1)
    rows = []
    for i, (left, right) in enumerate(zip(*(video_frames(root, name)
                                            for name in ("left", "right")))):
        aligner.measure(left, right, seconds=0.1 * i)
        found = aligner.correction
        rows.append([found.source("right", x - disparity, y)[1] - found.source("left", x, y)[1]
                     for x in np.linspace(60, left.shape[1] - 1, 9)
                     for y in np.linspace(0, left.shape[0] - 1, 5) for disparity in (4, 15, 40)])
    return np.array(rows)


def video_text(changes):
    return "%d corrections, rows change by %.4f (root mean square) and at most %.3f per pair" % (
        np.any(changes != 0, axis=1).sum(), np.sqrt((changes ** 2).mean()),
        np.abs(changes).max())


def check_video(root):
    """Cameras that do not move: the correction of the first pairs changes little."""
    changes = np.diff(correct_video(root), axis=0)[3:]
    check("still-cameras", len(changes) > 40 and np.sqrt((changes ** 2).mean()) < 0.02
          and np.abs(changes).max() < 0.1, video_text(changes))


def main():
    root = os.environ.get("STEREO_DATASETS")
    if not root:
        print("skipped: STEREO_DATASETS is not set")
        sys.exit(77)
    pairs = list(scenes(root))
    if sys.argv[1:] == ["--table"]:
        for kind in KINDS:
            print(table_row(kind, *measure(kind, pairs)))
        for name, change in (("darker", lambda right: right // 2),
                             ("blurred", lambda right: cv2.GaussianBlur(right, (0, 0), 1.5))):
            print(table_row("small, " + name, *measure("small", pairs, change)))
        print("still cameras: " + video_text(np.diff(correct_video(root), axis=0)[3:]))
        return
    check_corrections(pairs)
    check_verdicts(pairs)
    check_photo(pairs)
    check_video(root)
    print("%d tests, %d failed, 0 skipped" % (COUNT[0], len(FAILED)))
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
