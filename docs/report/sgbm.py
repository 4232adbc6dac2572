# gst-stereomatching: OpenCV's StereoSGBM for comparison
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dense maps of OpenCV's semi-global block matching, and their times.

Needs OpenCV for Python (python3-opencv on Debian).
"""

import time

MODES = {"OpenCV SGBM HH": "STEREO_SGBM_MODE_HH", "OpenCV SGBM 3WAY": "STEREO_SGBM_MODE_SGBM_3WAY"}
SETUP = {"blockSize": 3, "disp12MaxDiff": 1, "speckleWindowSize": 50, "speckleRange": 2}
RUNS = 5


def opencv():
    """The module, or None."""
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def fill(codes):
    """Fills holes (below 0) with the lower of the nearest values to the left and right; rows without any
    take the row above, or below."""
    import numpy
    width = codes.shape[1]
    columns = numpy.arange(width)
    valid = codes >= 0
    left = numpy.maximum.accumulate(numpy.where(valid, columns, -1), axis=1)
    right = numpy.minimum.accumulate(numpy.where(valid, columns, width)[:, ::-1], axis=1)[:, ::-1]
    most = numpy.iinfo(codes.dtype).max
    padded = numpy.pad(codes, ((0, 0), (1, 1)), constant_values=most)
    filled = numpy.minimum(numpy.take_along_axis(padded, left + 1, 1),
                           numpy.take_along_axis(padded, right + 1, 1))
    rows = valid.any(axis=1)
    if not rows.any():
        return numpy.zeros_like(codes)
    at = numpy.maximum.accumulate(numpy.where(rows, numpy.arange(len(rows)), -1))
    return filled[numpy.where(at < 0, numpy.argmax(rows), at)]


def match(left, right, disparities, mode, runs=RUNS):
    """The map of two images in pixels, and the lowest time in ms. The left border, which OpenCV leaves
    unmatched, is matched with a replicated border."""
    cv2 = opencv()
    wanted = (disparities + 15) // 16 * 16
    # the values of OpenCV's example
    channels = 1 if left.ndim == 2 else left.shape[2]
    penalties = {"P1": 8 * channels * 9, "P2": 32 * channels * 9}
    matcher = cv2.StereoSGBM_create(0, wanted, mode=getattr(cv2, MODES[mode]), **SETUP,
                                    **penalties)
    views = [cv2.copyMakeBorder(view, 0, 0, wanted, 0, cv2.BORDER_REPLICATE)
             for view in (left, right)]
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        matcher.compute(left, right)
        times.append(1e3 * (time.perf_counter() - begun))
    codes = cv2.medianBlur(fill(matcher.compute(*views)[:, wanted:]), 3)
    return codes.astype("float32") / 16, min(times, default=None)


def write_pfm(path, disparities):
    with open(path, "wb") as file:
        file.write(b"Pf\n%d %d\n-1\n" % disparities.shape[::-1])
        file.write(disparities[::-1].astype("<f4").tobytes())
