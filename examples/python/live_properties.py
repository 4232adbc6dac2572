#!/usr/bin/env python3
# gst-stereomatching: changing properties of a playing pipeline
# SPDX-License-Identifier: LGPL-2.1-or-later
"""live_properties.py [FRAMES_EACH]

Every property of a matcher may change between any two frames. Prints the density and
the run time of the maps for some settings.
"""

import re
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401  pylint: disable=unused-import

PIPELINE = """
  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
  stereosgm name=m num-disparities=64 fill=false ! video/x-raw,format=GRAY8 !
  appsink name=maps sync=false max-buffers=1
"""
SETTINGS = (
    {},
    {"lr-max-diff": -1},
    {"lr-max-diff": 1, "speckle-size": 400},
    {"cost": "luma"},
    {"num-disparities": 8},
    {"num-disparities": 64, "fill": True},
)


def pull(sink, pipeline):
    """The codes of the next map, flat; rows of GRAY8 may have padding."""
    sample = sink.try_pull_sample(10 * Gst.SECOND)
    if sample is None:
        message = pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
        sys.exit(message.parse_error().gerror.message if message else "received no map")
    buffer = sample.get_buffer()
    return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)


def main():
    Gst.init(None)
    each = sys.argv[1] if len(sys.argv) == 2 else "4"
    if len(sys.argv) > 2 or not re.fullmatch("[1-9][0-9]{0,5}", each):
        sys.exit("usage: live_properties.py [FRAMES_EACH]")
    pipeline = Gst.parse_launch(PIPELINE)
    matcher, sink = pipeline.get_by_name("m"), pipeline.get_by_name("maps")
    pipeline.set_state(Gst.State.PLAYING)
    for setting in SETTINGS:
        for name, value in setting.items():
            # converts text to the type of the property, as gst-launch-1.0 does
            Gst.util_set_object_arg(matcher, name, str(value).lower())
        # maps in flight, and in the queue of the sink
        for _ in range(3):
            pull(sink, pipeline)
        dense = np.mean([np.mean(pull(sink, pipeline) != 0) for _ in range(int(each))])
        stats = matcher.get_property("stats")
        print("%-40s %5.1f %% dense, %.1f ms" % (
            " ".join("%s=%s" % pair for pair in setting.items()) or "as it was", 100 * dense,
            stats.get_value("processing-time-last") / 1e6))
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
