#!/usr/bin/env python3
# gst-stereomatching: files of disparitycloud read by Open3D
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clouds.py: needs Open3D for Python; otherwise skipped.

Open3D reads the files of disparitycloud in all formats, with equal points and colours.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import open3d
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

SIZE = "video/x-raw,width=96,height=64"


def cloud(path, caps):
    """The points and colours that Open3D finds in a file of these caps."""
    subprocess.run(["gst-launch-1.0", "-q", "stereotestsrc", "view=disparity", "num-buffers=1", "!",
                    SIZE, "!", "c.sink_disparity", "stereotestsrc", "view=left", "num-buffers=1",
                    "!", SIZE + ",format=RGB", "!", "c.sink_left", "disparitycloud", "name=c",
                    "focal-length=100", "baseline=0.1", "!", caps, "!", "filesink",
                    "location=" + path], check=True, stdout=subprocess.DEVNULL)
    found = open3d.io.read_point_cloud(path)
    points, colors = np.asarray(found.points), np.asarray(found.colors)
    known = np.isfinite(points).all(axis=1)
    return points[known], colors[known]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        clouds = [cloud(os.path.join(folder, name), caps) for name, caps in (
            ("cloud.ply", "application/x-ply"),
            ("text.ply", "application/x-ply,encoding=ascii"),
            ("cloud.pcd", "application/x-pcd"))]
    for name, (points, colors) in zip(("PLY", "PLY as text", "PCD"), clouds):
        good = len(points) > 96 * 64 / 2 and colors.shape == points.shape
        good = good and np.array_equal(points.astype(np.float32),
                                       clouds[0][0].astype(np.float32))
        good = good and np.allclose(colors, clouds[0][1], atol=1 / 512) and colors.max() > 0.5
        failed += not good
        print("%s %s: %d points" % ("ok" if good else "FAIL", name, len(points)))
    print("3 tests, %d failed, 0 skipped" % failed)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
