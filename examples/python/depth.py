#!/usr/bin/env python3
# gst-stereomatching: disparity and depth as NumPy arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""depth.py [LEFT RIGHT]

Prints the disparity and the depth of the nearest point of every frame. LEFT and
RIGHT describe the sources of both views, such as "v4l2src" or "filesrc
location=left.webm ! decodebin"; by default, a camera is rendered. The metadata of
a disparity map describes its codes (docs/disparity.md).
"""

import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstApp, GstVideo  # noqa: E402, F401  pylint: disable=unused-import

# Focal length in pixels and baseline in metres are those of your cameras.
PIPELINE = """
  %s ! m.sink_left  %s ! m.sink_right
  stereosgm name=m num-disparities=64 fill=false ! video/x-raw,format=GRAY16_LE ! tee name=t
  t. ! queue ! appsink name=map sync=false max-buffers=2
  t. ! queue ! disparitydepth focal-length=300 baseline=0.12 !
  appsink name=depth sync=false max-buffers=2
"""
CAMERA = ["stereotestsrc view=left num-buffers=5", "stereotestsrc view=right num-buffers=5"]


def codes_of(sample):
    """height x width, uint16. Rows of a buffer may have padding."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    meta = GstVideo.buffer_get_video_meta(buffer)
    offset, stride = (meta.offset[0], meta.stride[0]) if meta else (info.offset[0], info.stride[0])
    # the only copy; the result of map() depends on gst-python
    data = buffer.extract_dup(0, buffer.get_size())
    return np.ndarray((info.height, info.width), "<u2", data, offset, (stride, 2))


def disparities_of(sample):
    """height x width, float32, in pixels; NaN = invalid."""
    meta = sample.get_buffer().get_custom_meta("GstStereoDisparityMeta").get_structure()
    codes = codes_of(sample)
    disparity = ((codes - meta.get_value("offset")) / meta.get_value("scale")).astype(np.float32)
    if meta.has_field("invalid-value"):
        disparity[codes == meta.get_value("invalid-value")] = np.nan
    return disparity


def print_nearest(disparity, depth, time):
    known = np.nan_to_num(disparity, nan=-np.inf)
    row, column = np.unravel_index(known.argmax(), known.shape)
    if np.isnan(disparity[row, column]):
        print("%.3f s: no disparity is known" % time)
        return
    # a point that is too far away for a code has a disparity but no depth
    code = depth[row, column]
    print("%.3f s: %.2f pixels, %s at column %d, row %d" % (
        time, disparity[row, column], "%.3f m" % (code / 1000) if code else "depth unknown",
        column, row))


def main():
    Gst.init(None)
    if len(sys.argv) not in (1, 3):
        sys.exit("usage: depth.py [LEFT RIGHT]")
    try:
        pipeline = Gst.parse_launch(PIPELINE % tuple(sys.argv[1:] or CAMERA))
    except GLib.Error as error:
        sys.exit(error.message)
    maps, depths = pipeline.get_by_name("map"), pipeline.get_by_name("depth")
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    message = None
    while message is None:
        sample = depths.try_pull_sample(Gst.SECOND // 10)
        if sample:
            print_nearest(disparities_of(maps.pull_sample()), codes_of(sample),
                          sample.get_buffer().pts / Gst.SECOND)
        message = bus.pop_filtered(Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit("%s: %s" % (message.src.get_name(), message.parse_error().gerror.message))


if __name__ == "__main__":
    main()
