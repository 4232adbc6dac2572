# gst-stereomatching: OpenCV's StereoSGBM, to be measured beside our algorithms
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Maps of OpenCV's semi-global block matching, as dense as ours, and how long they take.

Wants Python's OpenCV (python3-opencv on Debian), which brings numpy; without it nothing here is
measured.
"""

import time

MODES = {"OpenCV SGBM HH": "STEREO_SGBM_MODE_HH", "OpenCV SGBM 3WAY": "STEREO_SGBM_MODE_SGBM_3WAY"}
SETUP = {"blockSize": 3, "disp12MaxDiff": 1, "speckleWindowSize": 50, "speckleRange": 2}
RUNS = 5


def opencv():
    """The module, None if there is none."""
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def fill(codes):
    """Holes (below 0) take the lower one of the nearest values to the left and right in their row;
    rows without any take those of the row above, or below."""
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
    """The map of two images in pixels, and the least time of the runs in ms. The left border, where
    OpenCV finds nothing, is matched as if the images went on there."""
    cv2 = opencv()
    wanted = (disparities + 15) // 16 * 16
    # as OpenCV's own example has it
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
