#!/usr/bin/env python3
# gst-stereomatching: time of the algorithms compared with OpenCV's StereoSGBM
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   compare_sgbm.py STEREO_BENCH [LEFT RIGHT] [SETUP ...]
#
# On the CPU, with all processors, on one pair: by default Teddy of the Middlebury
# set, with 60 disparities. StereoSGBM runs in its full mode (MODE_HH) with 64
# disparities and blocks of 3x3. Both alternate, so that other load affects both; the
# medians are compared. Needs Python's OpenCV; without it or the pair the exit status
# is 77.

import json
import os
import statistics
import subprocess
import sys
import time

TURNS = 5


def sgbm_ms(cv2, left, right):
    matcher = cv2.StereoSGBM_create(0, 64, 3, P1=8 * 3 * 9, P2=32 * 3 * 9,
                                    mode=cv2.STEREO_SGBM_MODE_HH)
    times = []
    for _ in range(8):
        begun = time.perf_counter()
        matcher.compute(left, right)
        times.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(times[1:])


def main():
    bench, arguments = sys.argv[1], sys.argv[2:]
    folder = os.environ.get("STEREO_DATASETS", "../shared/datasets")
    pair = [os.path.join(folder, "middlebury-v2", "teddy", name + ".png")
            for name in ("left", "right")]
    if len(arguments) >= 2 and os.path.exists(arguments[0]):
        pair, arguments = arguments[:2], arguments[2:]
    try:
        import cv2
    except ImportError:
        print("skipped: Python has no OpenCV (cv2)")
        return 77
    images = [cv2.imread(path) for path in pair]
    if images[0] is None or images[1] is None:
        print("skipped: %s does not exist" % " or ".join(pair))
        return 77

    command = [bench, "--images"] + pair + [
        "--disparities", "60", "--format", "RGB", "--backend", "cpu", "--seconds", "0.3",
        "--copy-mib", "0", "--json"] + arguments
    peer, ours = [], {}
    for _ in range(TURNS):
        peer.append(sgbm_ms(cv2, *images))
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        for result in report["results"]:
            ours.setdefault(result["label"], []).append(result["device"]["median-ms"])
    print("%s, %d threads" % (report["devices"][0]["device"], report["devices"][0]["threads"]))
    print("%-32s %8.2f ms" % ("OpenCV %s StereoSGBM" % cv2.__version__, statistics.median(peer)))
    for label, times in ours.items():
        print("%-32s %8.2f ms, %.1f times as fast" % (
            label, statistics.median(times), statistics.median(peer) / statistics.median(times)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
