#!/usr/bin/env python3
# gst-stereomatching: runs the example scripts in Python
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts.py FOLDER

Checks their output for valid and invalid arguments. Exit status 77 (skipped) without
NumPy or GStreamer for Python.
"""

import os
import re
import subprocess
import sys
import unittest

import suite

FOLDER = sys.argv[1]

try:
    import gi
    import numpy  # noqa: F401  pylint: disable=unused-import
    gi.require_version("GstApp", "1.0")
    gi.require_version("GstVideo", "1.0")
except (ImportError, ValueError) as error:
    print("skipped: %s: %s" % (sys.executable, error))
    sys.exit(77)


def run(name, *arguments, **env):
    return subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name + ".py"), *arguments],
                          capture_output=True, text=True, timeout=120, check=False,
                          env=dict(os.environ, **env))


class Scripts(unittest.TestCase):
    def lines(self, name, *arguments):
        done = run(name, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip().split("\n")

    def test_depth(self):
        lines = self.lines("depth")
        self.assertEqual(len(lines), 5)
        for number, line in enumerate(lines):
            match = re.fullmatch(r"(\d\.\d{3}) s: (\d+\.\d\d) pixels, (\d\.\d{3}) m at column (\d+), "
                                 r"row (\d+)", line)
            self.assertTrue(match, line)
            time, disparity, depth = map(float, match.groups()[:3])
            self.assertAlmostEqual(time, number / 30, places=2)
            self.assertGreater(disparity, 20)
            # focal length in pixels * baseline in metres
            self.assertAlmostEqual(depth, 300 * 0.12 / disparity, places=2)

    def test_depth_sources(self):
        size = " num-buffers=1 ! video/x-raw,width=101,height=77"
        self.assertEqual(len(self.lines("depth", "stereotestsrc" + size,
                                        "stereotestsrc view=right" + size)), 1)

    def test_depth_unknown(self):
        """Of a disparity of 1/16 pixel, which is too far away, and of a map without disparities."""
        size = " num-buffers=1 ! video/x-raw,width=%d,height=%d"
        self.assertEqual(self.lines("depth", "videotestsrc pattern=black" + size % (64, 48),
                                    "videotestsrc pattern=white" + size % (64, 48)),
                         ["0.000 s: 0.06 pixels, depth unknown at column 0, row 0"])
        self.assertEqual(self.lines("depth", "stereotestsrc" + size % (2, 2),
                                    "videotestsrc" + size % (2, 2)),
                         ["0.000 s: no disparity is known"])

    def test_live_properties(self):
        lines = self.lines("live_properties", "1")
        dense = {}
        for line in lines:
            match = re.fullmatch(r"(.*?) +(\d+\.\d) % dense, (\d+\.\d) ms", line)
            self.assertTrue(match, line)
            dense[match.group(1)] = float(match.group(2))
        self.assertEqual(len(dense), 6)
        # maps without a check are denser, and filled maps are full
        self.assertGreater(dense["lr-max-diff=-1"], dense["as it was"] + 5)
        self.assertEqual(dense["num-disparities=64 fill=True"], 100)

    def test_points(self):
        lines = self.lines("points")
        self.assertRegex(lines[0], r"^320 x 240 pixels, \d{5} points$")
        for line, name in zip(lines[1:4], ("right", "down", "ahead")):
            match = re.fullmatch(name + r" +from (-?\d+\.\d\d) to (-?\d+\.\d\d) m", line)
            self.assertTrue(match, line)
            self.assertLess(float(match.group(1)), float(match.group(2)))
        # 300 pixels * 0.12 m / 63 pixels
        self.assertGreater(float(re.search(r"from (\S+)", lines[3]).group(1)), 0.57)
        self.assertRegex(lines[4], r"^the nearest is #[0-9a-f]{6}$")

    def test_compare(self):
        lines = self.lines("compare", "stereosgm", "stereosgm num-disparities=4", "stereovcbw")
        self.assertEqual(lines[0].split(), ["bad-1", "bad-2", "mean,", "px", "time,", "ms"])
        bad = [float(re.search(r"(\d+\.\d\d)%", line).group(1)) for line in lines[1:]]
        self.assertEqual(len(bad), 3)
        self.assertLess(max(bad[0], bad[2]), 20)
        self.assertGreater(bad[1], 30)

    def test_wrong(self):
        done = run("compare", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn('no element "nothing"', done.stderr)
        done = run("depth", "stereotestsrc")
        self.assertEqual((done.returncode, done.stderr), (1, "usage: depth.py [LEFT RIGHT]\n"))
        for arguments in (("x",), ("0",), ("-1",), ("",), ("1", "2")):
            done = run("live_properties", *arguments)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "usage: live_properties.py [FRAMES_EACH]\n"))
        for name, arguments in (("points", ""), ("compare", " [SPEC ...]")):
            done = run(name, "--help")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "usage: %s.py%s\n" % (name, arguments)))
        done = run("depth", *["filesrc location=missing ! pngdec"] * 2)
        self.assertEqual((done.returncode, done.stderr), (1, "filesrc0: Resource not found.\n"))

    def test_without_plugin(self):
        for name in ("depth", "live_properties", "points", "compare"):
            done = run(name, GST_PLUGIN_PATH_1_0=FOLDER, GST_REGISTRY=os.devnull)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("no element", done.stderr)


if __name__ == "__main__":
    suite.main()
