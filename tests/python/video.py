#!/usr/bin/env python3
# gst-stereomatching: tests of open_video()
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records maps, and reads them again with the Python module.

    video.py LIBRARY ROOT

Exit status 77 (skipped) without NumPy, PyAV, gst-launch-1.0 or avenc_ffv1.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import suite


def skip(lacks):
    print("skipped: %s is not installed for %s" % (lacks, sys.executable))
    sys.exit(77)


try:
    import av  # noqa: F401  pylint: disable=unused-import
    import numpy as np
except ImportError as missing:
    skip(missing.name)
if not shutil.which("gst-launch-1.0"):
    skip("gst-launch-1.0")
if subprocess.run(["gst-inspect-1.0", "--exists", "avenc_ffv1"], check=False).returncode:
    skip("avenc_ffv1")

LIBRARY, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
os.environ["STEREOMATCHING_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "python"))
import stereomatching as sm  # noqa: E402

WIDTH, HEIGHT, FRAMES = 162, 121, 4
SIZE = "video/x-raw,width=%d,height=%d" % (WIDTH, HEIGHT)
VIEWS = "".join("stereotestsrc view=%s num-buffers=%d ! %s ! m.sink_%s " % (view, FRAMES, SIZE, view)
                for view in ("left", "right"))
SINK = "avenc_ffv1 ! matroskamux ! filesink location=maps.mkv"
RECORD = "tee name=t ! queue ! filesink location=maps.raw  t. ! queue ! " + SINK


class Recordings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "maps.mkv")

    def record(self, pipeline):
        subprocess.run(["gst-launch-1.0", "-q", "-e", *pipeline.split()], cwd=self.folder,
                       check=True, timeout=120)

    def raw(self, kind):
        """The codes of all frames; rows of raw video have a multiple of 4 bytes."""
        row = (WIDTH * np.dtype(kind).itemsize + 3) // 4 * 4
        with open(os.path.join(self.folder, "maps.raw"), "rb") as file:
            data = np.frombuffer(file.read(), np.uint8).reshape(FRAMES, HEIGHT, row)
        return np.ascontiguousarray(data[:, :, :WIDTH * np.dtype(kind).itemsize]).view(kind)

    def read(self, kind, expected, invalid=None):
        """All frames; `expected` computes the values of codes in double."""
        codes = self.raw(kind)
        with sm.open_video(self.path) as video:
            self.assertEqual((video.width, video.height), (WIDTH, HEIGHT))
            frames = list(video)
        self.assertEqual(len(frames), FRAMES)
        for number, (frame, one) in enumerate(zip(frames, codes)):
            self.assertAlmostEqual(frame.time, number / 30, places=2)
            self.assertEqual((frame.codes.dtype, frame.codes.tolist()), (kind, one.tolist()))
            values = expected(one.astype(np.float64)).astype(np.float32)
            values[one == invalid] = np.nan
            self.assertEqual(frame.values.dtype, np.float32)
            np.testing.assert_array_equal(frame.values, values)
            self.assertGreater(len(np.unique(one)), 5)
        return video, frames

    def test_disparity(self):
        self.record(VIEWS + "stereosgm name=m disparity-scale=256 min-disparity=-3 fill=false "
                    "num-disparities=70 ! " + RECORD)
        video, frames = self.read(np.uint16, lambda codes: codes / 256 - 3, 0)
        self.assertEqual((video.kind, video.camera), ("disparity", None))
        self.assertEqual(video.tag["num_disparities"], 70)
        self.assertIs(video.tag["filled"], False)
        found = frames[0].map
        self.assertEqual((found.scale, found.minimum, found.invalid), (256, -3, 0))
        np.testing.assert_array_equal(found.disparity, frames[0].values)

    def test_bytes(self):
        self.record(VIEWS + "stereosgm name=m num-disparities=52 ! video/x-raw,format=GRAY8 ! "
                    + RECORD)
        _, frames = self.read(np.uint8, lambda codes: codes / 5, 0)
        np.testing.assert_array_equal(frames[0].map.disparity, frames[0].values)

    def test_depth(self):
        self.record("stereotestsrc view=disparity num-buffers=%d ! %s ! disparitydepth "
                    "focal-length=90 baseline=0.5 doffs=1 depth-scale=100 ! %s" % (
                        FRAMES, SIZE, RECORD))
        video, frames = self.read(np.uint16, lambda codes: codes / 100, 0)
        self.assertEqual(video.kind, "depth")
        self.assertEqual((video.camera.focal_length, video.camera.baseline), (90, 0.5))
        with self.assertRaisesRegex(sm.ArgumentError, "a recording of depth has no disparities"):
            frames[0].map  # pylint: disable=pointless-statement

    def test_results(self):
        """Pads beside that of the disparities."""
        for pad, kind, expected, invalid in (
                ("vertical", np.uint16, lambda codes: (codes - 32768) / 64, 9),
                ("confidence", np.uint16, lambda codes: codes / 65535, None),
                ("confidence", np.uint8, lambda codes: codes / 255, None)):
            self.record(VIEWS + "stereopyramid name=m vertical-search=true fill=false "
                        "disparity-scale=64 invalid-value=9 m.src_%s ! video/x-raw,format=GRAY%s ! "
                        "%s" % (pad, "8" if kind == np.uint8 else "16_LE", RECORD))
            video, frames = self.read(kind, expected, invalid)
            self.assertEqual(video.kind, pad)
            self.assertEqual(np.isnan(frames[0].values).any(), invalid is not None)
            with self.assertRaisesRegex(sm.ArgumentError, "a recording of %s has no disp" % pad):
                frames[0].map  # pylint: disable=pointless-statement

    def test_closed(self):
        self.record("stereotestsrc view=disparity num-buffers=2 ! " + SINK)
        video = sm.open_video(self.path.encode())
        next(video)
        video.close()
        self.assertEqual(list(video), [])
        with sm.open_video(self.path) as video:
            first = next(video)
            kept = first.codes.copy()
            self.assertEqual(len(list(video)), 1)
        self.assertEqual(first.codes.tolist(), kept.tolist())

    def interrupt(self):
        with open(self.path, "r+b") as file:
            file.truncate(os.path.getsize(self.path) * 3 // 4)

    def test_interrupted(self):
        """The tag is at the end of the file, unless it is streamable."""
        for muxer in "matroskamux", "matroskamux streamable=true":
            self.record("stereotestsrc view=disparity num-buffers=4 ! " +
                        SINK.replace("matroskamux", muxer))
            self.interrupt()
            if "true" in muxer:
                with sm.open_video(self.path) as video:
                    self.assertGreater(len(list(video)), 0)
            else:
                self.require_refused(sm.ArgumentError, "no tag .*: expected a recording .* that "
                                     "was not interrupted .*streamable=true")

    def replace(self, before, after):
        """Changes bytes of the file."""
        with open(self.path, "r+b") as file:
            data = file.read()
            self.assertIn(before, data)
            file.seek(0)
            file.write(data.replace(before, after))

    def test_text_that_is_not_utf8(self):
        self.record("stereotestsrc view=disparity num-buffers=2 ! " + SINK)
        self.replace(b"GStreamer", b"GStre\xe4mer")
        with sm.open_video(self.path) as video:
            self.assertEqual(len(list(video)), 2)

    def require_refused(self, kind, says, path=None):
        with self.assertRaisesRegex(kind, says):
            sm.open_video(self.path if path is None else path)

    def test_refused(self):
        self.record("videotestsrc num-buffers=2 ! video/x-raw,format=GRAY16_LE ! " + SINK)
        self.require_refused(sm.ArgumentError, "maps.mkv has no tag that describes its codes")
        self.record("audiotestsrc num-buffers=2 ! wavenc ! filesink location=maps.mkv")
        self.require_refused(sm.ArgumentError, "maps.mkv has no video")
        self.record("stereotestsrc view=disparity num-buffers=2 ! video/x-raw,width=320,height=240 ! "
                    "videoscale ! %s ! %s" % (SIZE.replace("162", "80"), SINK))
        self.require_refused(sm.ArgumentError, "is GRAY16_LE of 80x121, but its tag is for "
                             "GRAY16_LE of 320x240: record maps without")
        self.record("stereotestsrc view=disparity num-buffers=2 ! " + SINK)
        self.replace(b"V_FFV1", b"V_NONE")
        self.require_refused(sm.Error, "cannot read .*maps.mkv: its video is damaged, or FFmpeg")
        with open(self.path, "wb") as file:
            file.write(b"no video")
        self.require_refused(sm.Error, "cannot read .*maps.mkv: Invalid data")
        self.require_refused(FileNotFoundError, "none.mkv", os.path.join(self.folder, "none.mkv"))
        self.require_refused(sm.ArgumentError, "path = 3.5: expected the name", 3.5)
        self.require_refused(sm.ArgumentError, "without NUL", "maps\0.mkv")

    def test_without_pyav(self):
        code = ("import sys; sys.modules['av'] = None; import stereomatching as sm\n"
                "try: sm.open_video('maps.mkv')\nexcept sm.Error as error: print(error)")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")),
                              check=True)
        self.assertIn("open_video() needs PyAV: pip install av", done.stdout)

    def test_page(self):
        """The block of docs/python.md that needs a recording."""
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^<!-- not run: [^\n]*video\.py[^\n]* -->\n```python\n(.*?)^```",
                                file.read(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 2)
        self.record("stereotestsrc view=disparity num-buffers=2 ! " + SINK)
        found = []
        for block in blocks:
            names = {"print": lambda *values: found.append(values)}
            exec(compile(block.replace("recorded.mkv", self.path), "docs/python.md",  # pylint: disable=exec-used
                         "exec"), names)
        self.assertEqual(len(found), 4)
        self.assertEqual(found[:2], found[2:])


if __name__ == "__main__":
    suite.main()
