# gst-stereomatching: calibrations that tests share
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pairs of rendered boards, and their calibrations, which are computed once in each program.

Ends the program with the exit status 77 (skipped) without NumPy, OpenCV or Pillow.
"""

import functools
import sys

import batches

np, cv2, Image = batches.need("numpy", "cv2", "PIL.Image")
if not hasattr(cv2, "aruco"):
    print("skipped: OpenCV has no aruco module")
    sys.exit(77)
import boards  # noqa: E402
from stereomatching import calibrate  # noqa: E402

SQUARE = 0.02
PAIRS, FISHEYE_PAIRS = 9, 12


@functools.lru_cache(maxsize=None)
def rendered(kind):
    """(name, left, right) of each pair, and the rig that took them."""
    fisheye = kind == "fisheye"
    rig = boards.rig(fisheye=fisheye)
    value, centre = {
        "chessboard": lambda: boards.chessboard(9, 6, SQUARE),
        "fisheye": lambda: boards.chessboard(9, 6, SQUARE),
        "charuco": lambda: boards.charuco(cv2.aruco, 9, 6, 0.024, 0.018),
        "aprilgrid": lambda: boards.aprilgrid(cv2.aruco, 5, 4, 0.036, 0.3),
    }[kind]()
    chance = np.random.default_rng(1)
    return [("%02d" % number, *rig.pair(value, *pose, chance)) for number, pose in enumerate(
        boards.poses(FISHEYE_PAIRS if fisheye else PAIRS, centre, chance, fisheye))], rig


BOARDS = {"chessboard": calibrate.Board("chessboard", 9, 6, SQUARE),
          "fisheye": calibrate.Board("chessboard", 9, 6, SQUARE),
          "charuco": calibrate.Board("charuco", 9, 6, 0.024, 0.018),
          "aprilgrid": calibrate.Board("aprilgrid", 5, 4, 0.036)}


@functools.lru_cache(maxsize=None)
def calibrated(kind):
    return calibrate.calibrate(rendered(kind)[0], BOARDS[kind])
