#!/usr/bin/env python3
# gst-stereomatching: stereo-eval compared with an independent evaluation
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Evaluates OpenCV's StereoSGBM with stereo-eval and with NumPy.

    opencv_sgbm.py PROGRAM

Its maps of the four Middlebury v2 scenes, which have fractions and holes, go to
stereo-eval as PFM files and as 16-bit PNG files. All measures have to be those
computed here. Exit status 77 (skipped) without OpenCV or the scenes.
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError:
    print("skipped: OpenCV is not installed for %s" % sys.executable)
    sys.exit(77)

SCENES = {"tsukuba": (16, 16), "venus": (20, 8), "teddy": (60, 4), "cones": (60, 4)}
REGIONS = ("nonocc", "all", "disc")


def grey(*parts):
    return cv2.imread(os.path.join(*parts), cv2.IMREAD_UNCHANGED)


def match(folder, disparities):
    """Disparities; infinite = invalid."""
    left = cv2.imread(os.path.join(folder, "left.png"))
    right = cv2.imread(os.path.join(folder, "right.png"))
    matcher = cv2.StereoSGBM_create(0, (disparities + 15) // 16 * 16, 5, P1=8 * 3 * 25,
                                    P2=32 * 3 * 25, disp12MaxDiff=1, uniquenessRatio=10,
                                    speckleWindowSize=100, speckleRange=2)
    fixed = matcher.compute(left, right)
    return np.where(fixed < 0, np.inf, fixed.astype(np.float32) / 16)


def expected_measures(disparity, truth, mask):
    inside = mask == 255
    true = truth[inside]
    value = disparity[inside].astype(np.float64)
    known = np.isfinite(value)
    error = np.abs(value - true)
    result = {"pixels": int(inside.sum())}
    for limit in (0.5, 1, 2, 4):
        result["bad-%g" % limit] = 100 - 100 * np.mean(error <= limit)
    result["d1"] = 100 * np.mean((error > 3) & (error / np.maximum(true, 1e-9) > 0.05))
    result["mean"] = error[known].mean()
    result["rms"] = np.sqrt((error[known] ** 2).mean())
    result["density"] = 100 * known.mean()
    return result


def main():
    program = sys.argv[1]
    datasets = os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets",
                            "middlebury-v2")
    if not os.path.exists(os.path.join(datasets, "teddy", "scene.ini")):
        print("skipped: %s does not exist; set STEREO_DATASETS" % datasets)
        sys.exit(77)
    right = {}
    failed = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (disparities, scale) in SCENES.items():
            scene = os.path.join(datasets, name)
            disparity = match(scene, disparities)
            truth = grey(scene, "disp_left.png").astype(np.float64) / scale
            right[name] = {r: expected_measures(disparity, truth, grey(scene, r + ".png"))
                           for r in REGIONS}
            cv2.imwrite(os.path.join(folder, name + ".pfm"), disparity.astype(np.float32))
            # a match at disparity 0 would become a hole, because 0 is invalid in KITTI's format
            codes = np.where(np.isinf(disparity), 0, np.maximum(disparity * 256, 1))
            cv2.imwrite(os.path.join(folder, name + ".png"), codes.astype(np.uint16))
        for ending in ("pfm", "png"):
            output = subprocess.run([program, "--json", "--map",
                                     os.path.join(folder, "{scene}." + ending), datasets],
                                    check=True, capture_output=True, text=True).stdout
            for scene in json.loads(output)["runs"][0]["scenes"]:
                for region in REGIONS:
                    # the PNG file differs only in the code of matches at disparity 0
                    margin = 1e-4 if ending == "pfm" else 5e-3
                    for measure, value in right[scene["scene"]][region].items():
                        found = scene["regions"][region][measure]
                        checked += 1
                        if abs(found - value) > margin:
                            failed += 1
                            print("%s %s %s %s: %r, expected %r" % (
                                ending, scene["scene"], region, measure, found, value))
                print("%s %-8s" % (ending, scene["scene"]),
                      *("%6.2f" % scene["regions"][r]["bad-1"] for r in REGIONS))
    print("%d measures compared, %d differ" % (checked, failed))
    sys.exit(1 if failed or checked != 2 * 4 * 3 * 9 else 0)


if __name__ == "__main__":
    main()
