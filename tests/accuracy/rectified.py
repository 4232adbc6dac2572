#!/usr/bin/env python3
# gst-stereomatching: stereorectify compared with OpenCV on real images
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rectified.py [--rows]: needs STEREO_DATASETS, and OpenCV and NumPy for Python; skipped without.

The chessboards of the shared calibration set, rectified by the element and with
OpenCV's maps of the same file: the images are equal but for a level in some
pixels, and corners of a board are on the same row of both views. (OpenCV's own
remap() rounds sources to 1/32 of a pixel before version 5, so the maps are
interpolated here.) With --rows only how far apart the rows are, before and
after, as JSON: the percentiles 0 to 100, in pixels.
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

WIDTH, HEIGHT, PAIRS, BOARD = 640, 480, 14, (9, 6)
MAX_DIFFERENT = 0.02            # of the pixels, by one level
MAX_ROWS_APART = 0.15           # pixels, on average


def frames(folder, view, element, output):
    """All images of a view, through an element."""
    subprocess.run(["gst-launch-1.0", "-q", "multifilesrc", "start-index=1",
                    "stop-index=%d" % PAIRS, "caps=image/jpeg,framerate=1/1",
                    "location=%s" % os.path.join(folder, view + "%02d.jpg"), "!", "jpegdec", "!",
                    "video/x-raw,format=GRAY8", "!", *element, "!", "filesink",
                    "location=%s" % output], check=True, stdout=subprocess.DEVNULL)
    return np.fromfile(output, dtype=np.uint8).reshape(PAIRS, HEIGHT, WIDTH)


def remap(image, x, y):
    """Bilinear, in floating point; black outside the image."""
    wide = np.pad(image, 1).astype(float)
    x = np.clip(x.astype(float) + 1, 0, WIDTH + 0.999)
    y = np.clip(y.astype(float) + 1, 0, HEIGHT + 0.999)
    column, row = x.astype(int), y.astype(int)
    x -= column
    y -= row
    above = wide[row, column] * (1 - x) + wide[row, column + 1] * x
    below = wide[row + 1, column] * (1 - x) + wide[row + 1, column + 1] * x
    return np.floor(above * (1 - y) + below * y + 0.5).astype(int)


def corners(image):
    found, points = cv2.findChessboardCorners(image, BOARD)
    if not found:
        return None
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.001)
    return cv2.cornerSubPix(image, points, (5, 5), (-1, -1), criteria).reshape(-1, 2)


def rows_apart(left, right):
    """Row difference of each corner found in both views of a pair."""
    rows = []
    for pair in zip(left, right):
        a, b = (corners(image) for image in pair)
        if a is not None and b is not None:
            rows.append(np.abs(a[:, 1] - b[:, 1]))
    return np.concatenate(rows) if rows else np.array([np.inf])


def percentiles(rows):
    return [round(float(value), 3) for value in np.percentile(rows, range(101))]


def main():
    folder = os.path.join(os.environ.get("STEREO_DATASETS", ""), "calibration")
    files = [os.path.join(folder, name + ".yml") for name in ("intrinsics", "extrinsics")]
    if not all(os.path.exists(name) for name in files):
        print("skipped: STEREO_DATASETS has no calibration set")
        sys.exit(77)
    values = {}
    for name in files:
        storage = cv2.FileStorage(name, cv2.FILE_STORAGE_READ)
        for key in ("M1", "D1", "M2", "D2", "R1", "R2", "P1", "P2"):
            if not storage.getNode(key).empty():
                values[key] = storage.getNode(key).mat()

    failed = 0
    raw, views = [], []
    with tempfile.TemporaryDirectory() as place:
        output = os.path.join(place, "frames")
        for view, n in (("left", "1"), ("right", "2")):
            images = frames(folder, view, ["identity"], output)
            raw.append(images)
            ours = frames(folder, view, ["stereorectify", "backend=cpu", "view=" + view,
                                         "calibration=" + ":".join(files)], output)
            views.append(ours)
            if "--rows" in sys.argv:
                continue
            maps = cv2.initUndistortRectifyMap(values["M" + n], values["D" + n], values["R" + n],
                                               values["P" + n], (WIDTH, HEIGHT), cv2.CV_32FC1)
            theirs = np.stack([remap(i, *maps) for i in images])
            apart = np.abs(ours.astype(int) - theirs)
            share = np.count_nonzero(apart) / apart.size
            good = apart.max() <= 1 and share <= MAX_DIFFERENT
            failed += not good
            print("%s %s: %.2f %% of the pixels differ, by %d at most" % (
                "ok" if good else "FAIL", view, 100 * share, apart.max()))

    if "--rows" in sys.argv:
        print(json.dumps({"pairs": PAIRS, "raw": percentiles(rows_apart(*raw)),
                          "rectified": percentiles(rows_apart(*views))}))
        return
    rows = rows_apart(*views)
    good = len(rows) > 10 * BOARD[0] * BOARD[1] and rows.mean() <= MAX_ROWS_APART
    failed += not good
    print("%s rows of %d corners: %.3f pixels apart on average, 95 %%: %.3f" % (
        "ok" if good else "FAIL", len(rows), rows.mean(), np.quantile(rows, 0.95)))
    print("3 tests, %d failed, 0 skipped" % failed)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
