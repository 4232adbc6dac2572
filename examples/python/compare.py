#!/usr/bin/env python3
# gst-stereomatching: comparison of matchers
# SPDX-License-Identifier: LGPL-2.1-or-later
"""compare.py [SPEC ...]

Runs matchers on rendered views with ground truth and prints their errors. A SPEC
is an element with properties, such as "stereobp levels=3".
"""

import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401  pylint: disable=unused-import

from depth import disparities_of  # noqa: E402

SPECS = ("stereosgm", "stereovcbw", "stereobp", "stereobfv", "stereoesaw", "stereoesmp",
         "stereosgm cost=luma refine=all")
CAPS = "video/x-raw,format=GRAY16_LE ! appsink name=maps sync=false"
TRUTH = "stereotestsrc view=disparity num-buffers=1 ! " + CAPS
MATCHER = """
  stereotestsrc view=left num-buffers=1 ! m.sink_left
  stereotestsrc view=right num-buffers=1 ! m.sink_right  %s name=m num-disparities=64 %s ! """ + CAPS


def run(line):
    """The disparities of the first map, and the time in ms."""
    try:
        pipeline = Gst.parse_launch(line)
    except gi.repository.GLib.Error as error:
        sys.exit(error.message)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("maps").try_pull_sample(20 * Gst.SECOND)
    message = pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
    if sample is None:
        sys.exit(message.parse_error().gerror.message if message else "received no map")
    matcher = pipeline.get_by_name("m")
    took = matcher.get_property("stats").get_value("processing-time-last") / 1e6 if matcher else 0
    pipeline.set_state(Gst.State.NULL)
    return disparities_of(sample), took


def main():
    Gst.init(None)
    if any(spec.startswith("-") for spec in sys.argv[1:]):
        sys.exit("usage: compare.py [SPEC ...]")
    truth, _ = run(TRUTH)
    print("%-36s %7s %7s %9s %9s" % ("", "bad-1", "bad-2", "mean, px", "time, ms"))
    for spec in sys.argv[1:] or SPECS:
        element, _, given = spec.partition(" ")
        found, took = run(MATCHER % (element, given))
        error = np.abs(found - truth)[np.isfinite(truth)]
        # invalid pixels are bad
        print("%-36s %6.2f%% %6.2f%% %9.3f %9.1f" % (
            spec, 100 * np.mean(~(error <= 1)), 100 * np.mean(~(error <= 2)), np.nanmean(error),
            took))


if __name__ == "__main__":
    main()
