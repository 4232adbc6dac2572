#!/usr/bin/env python3
# gst-stereomatching: disparity maps as NumPy arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""map_to_numpy.py [FRAMES]

Matches rendered views and prints what the nearest point of each map is. What the
codes mean is in the meta of the buffer: docs/disparity.md.
"""

import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402, F401  pylint: disable=unused-import

PIPELINE = """
  stereotestsrc view=left num-buffers=%(frames)d ! m.sink_left
  stereotestsrc view=right num-buffers=%(frames)d ! m.sink_right
  stereosgm name=m num-disparities=64 ! video/x-raw,format=GRAY16_LE ! appsink name=maps sync=false
"""


def codes_of(sample):
    """height x width, uint16. Rows of a buffer may lie apart."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    meta = GstVideo.buffer_get_video_meta(buffer)
    offset, stride = (meta.offset[0], meta.stride[0]) if meta else (info.offset[0], info.stride[0])
    # the one copy; what map() gives depends on whether gst-python is there
    data = buffer.extract_dup(0, buffer.get_size())
    return np.ndarray((info.height, info.width), "<u2", data, offset, (stride, 2))


def disparities_of(sample):
    """height x width, float32, in pixels; NaN where there is none."""
    meta = sample.get_buffer().get_custom_meta("GstStereoDisparityMeta").get_structure()
    codes = codes_of(sample)
    disparity = ((codes - meta.get_value("offset")) / meta.get_value("scale")).astype(np.float32)
    if meta.has_field("invalid-value"):
        disparity[codes == meta.get_value("invalid-value")] = np.nan
    return disparity


def main():
    Gst.init(None)
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    pipeline = Gst.parse_launch(PIPELINE % {"frames": frames})
    sink = pipeline.get_by_name("maps")
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        sample = sink.try_pull_sample(10 * Gst.SECOND)
        if sample is None:
            break
        disparity = disparities_of(sample)
        row, column = np.unravel_index(np.nanargmax(disparity), disparity.shape)
        print("%.3f s: %.2f pixels at column %d, row %d; %.1f %% of the map have a disparity" % (
            sample.get_buffer().pts / Gst.SECOND, disparity[row, column], column, row,
            100 * np.isfinite(disparity).mean()))
    message = pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message:
        sys.exit(message.parse_error().gerror.message)


if __name__ == "__main__":
    main()
