#!/usr/bin/env python3
# gst-stereomatching: point clouds as NumPy arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""points.py

Matches rendered views, converts the map to a point cloud with disparitycloud, and
prints its extent. Caps select the format: here a PCD file with one point per pixel,
NaN where invalid.
"""

import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401  pylint: disable=unused-import

PIPELINE = """
  stereotestsrc view=left num-buffers=1 ! tee name=left
  left. ! queue ! m.sink_left  stereotestsrc view=right num-buffers=1 ! m.sink_right
  stereosgm name=m num-disparities=64 fill=false ! p.sink_disparity  left. ! queue ! p.sink_left
  disparitycloud name=p focal-length=300 baseline=0.12 ! application/x-pcd !
  appsink name=points sync=false
"""
COLORED = np.dtype([("xyz", "<f4", 3), ("rgb", "<u4")])


def points_of(data):
    """height x width: xyz in metres, rgb as 0xRRGGBB."""
    head, points = data.split(b"DATA binary\n", 1)
    fields = dict(line.split(" ", 1) for line in head.decode().splitlines() if " " in line)
    if fields["FIELDS"] != "x y z rgb":
        sys.exit("expected points with x, y, z and rgb, got the fields " + fields["FIELDS"])
    return np.frombuffer(points, COLORED).reshape(int(fields["HEIGHT"]), int(fields["WIDTH"]))


def main():
    Gst.init(None)
    if len(sys.argv) > 1:
        sys.exit("usage: points.py")
    pipeline = Gst.parse_launch(PIPELINE)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("points").try_pull_sample(10 * Gst.SECOND)
    message = pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
    if sample is None:
        sys.exit(message.parse_error().gerror.message if message else "received no points")
    buffer = sample.get_buffer()
    points = points_of(buffer.extract_dup(0, buffer.get_size()))
    pipeline.set_state(Gst.State.NULL)

    known = np.isfinite(points["xyz"]).all(axis=2)
    print("%d x %d pixels, %d points" % (points.shape[1], points.shape[0], known.sum()))
    for axis, name in enumerate(("right", "down", "ahead")):
        values = points["xyz"][known][:, axis]
        print("%-5s from %.2f to %.2f m" % (name, values.min(), values.max()))
    nearest = points[known][np.argmin(points["xyz"][known][:, 2])]
    print("the nearest is #%06x" % nearest["rgb"])


if __name__ == "__main__":
    main()
