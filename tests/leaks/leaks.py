#!/usr/bin/env python3
# gst-stereomatching: looks for leaks in pipelines
# SPDX-License-Identifier: LGPL-2.1-or-later
"""leaks.py PIPELINE_PROGRAM ELEMENT ...

Runs short pipelines of every matcher with GStreamer's leaks tracer and fails for
each object that is alive when GStreamer ends. The program that runs them also
leaks on purpose, to check that leaks are reported.
"""

import os
import re
import subprocess
import sys

GRAY = "video/x-raw,format=GRAY8,width=48,height=32,framerate=30/1"
RGB = "video/x-raw,format=RGB,width=33,height=17,framerate=30/1"

# name: (pipeline with the element for %s, whether it ends without an error)
PIPELINES = {
    "grey": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc num-buffers=4 ! {gray} "
             "! m.sink_right %s name=m num-disparities=8 ! fakesink", True),
    "rgb-to-gray8": ("videotestsrc num-buffers=4 ! {rgb} ! m.sink_left videotestsrc num-buffers=4 "
                     "! {rgb} ! m.sink_right %s name=m num-disparities=8 median=true "
                     "! video/x-raw,format=GRAY8 ! fakesink", True),
    "one-ends-first": ("videotestsrc num-buffers=7 ! {gray} ! queue ! m.sink_left videotestsrc "
                       "num-buffers=2 ! {gray} ! queue ! m.sink_right %s name=m num-disparities=8 "
                       "! fakesink", True),
    "unpaired": ("videotestsrc num-buffers=7 ! {gray} ! m.sink_left videotestsrc num-buffers=7 "
                 "timestamp-offset=1000000000 ! {gray} ! m.sink_right %s name=m num-disparities=8 "
                 "! fakesink", True),
    "sizes-differ": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc num-buffers=4 "
                     "! {rgb} ! m.sink_right %s name=m num-disparities=8 ! fakesink", False),
    "sink-refuses": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc num-buffers=4 "
                     "! {gray} ! m.sink_right %s name=m num-disparities=8 "
                     "! fakesink num-buffers=1", True),
}

# The same for elements with several results.
RESULTS = {
    "all-results": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc num-buffers=4 "
                    "! {gray} ! m.sink_right %s name=m m.src ! queue ! fakesink m.src_vertical "
                    "! queue ! fakesink m.src_confidence ! queue ! fakesink", True),
    "one-result": ("videotestsrc num-buffers=4 ! {rgb} ! m.sink_left videotestsrc num-buffers=4 "
                   "! {rgb} ! m.sink_right %s name=m m.src_confidence ! video/x-raw,format=GRAY16_LE "
                   "! fakesink", True),
    "result-refused": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc num-buffers=4 "
                       "! {gray} ! m.sink_right %s name=m m.src ! queue ! fakesink m.src_vertical "
                       "! capsfilter caps=video/x-raw,width=11 ! fakesink", False),
    "result-ends-first": ("videotestsrc num-buffers=4 ! {gray} ! m.sink_left videotestsrc "
                          "num-buffers=4 ! {gray} ! m.sink_right %s name=m m.src ! queue ! fakesink "
                          "m.src_vertical ! queue ! fakesink num-buffers=1", True),
}


def traced(words):
    """Returns (exit status, output, [type and name of each live object])."""
    environment = dict(os.environ, GST_TRACERS="leaks", GST_DEBUG="GST_TRACER:7",
                       GST_DEBUG_NO_COLOR="1")
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60,
                            check=False)
    alive = re.findall(r"object-alive, type-name=\(string\)([^,%]+), address=[^,]*, "
                       r"description=\(string\)([^,;]*)", result.stderr)
    said = "\n".join(line for line in result.stderr.split("\n") if "GST_TRACER" not in line)
    if "object-alive.class" not in result.stderr:
        sys.exit("the leaks tracer is not active:\n" + said)
    return result.returncode, said, alive


def has_results(element):
    result = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=True)
    return "src_vertical" in result.stdout


def main():
    _, _, alive = traced([sys.argv[1]])
    if not any("forgotten" in name for _, name in alive):
        sys.exit("a leaked element was not reported: %s" % alive)

    failed = 0
    count = 0
    for element in sys.argv[2:]:
        pipelines = dict(PIPELINES)
        if has_results(element):
            pipelines.update(RESULTS)
        for name, (pipeline, good) in pipelines.items():
            line = pipeline.format(gray=GRAY, rgb=RGB) % element
            status, said, alive = traced([sys.argv[1], line])
            count += 1
            right = (status == 0) == good
            print("%s %s %s" % ("ok" if right and not alive else "FAIL", element, name))
            for kind, what in alive:
                print("  alive: %s %s" % (kind, what))
            if not right:
                print("  exit status %d of %s" % (status, line), said, sep="\n")
            failed += bool(alive) or not right
    print("%d tests, %d failed, 0 skipped" % (count, failed))
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
