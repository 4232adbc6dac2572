#!/usr/bin/env python3
# gst-stereomatching: tests of stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""calibrate_command.py LIBRARY ROOT

The command, its inputs, errors and files, with rendered boards. Exit status 77 (skipped) without
NumPy, OpenCV or Pillow.
"""

import json
import os
import re
import subprocess
import sys
import unittest

import batches
import suite

from calibrations import Image, SQUARE, calibrated, cv2, np, rendered
import stereomatching as sm

COMMAND = [sys.executable, "-m", "stereomatching.calibrate"]
SIZE = ["--size", "9x6", "--square", str(SQUARE)]


class Command(batches.Case):
    def write(self, pairs):
        for name, *views in pairs:
            for side, view in zip(("left", "right"), views):
                os.makedirs(self.path(side), exist_ok=True)
                Image.fromarray(view).save(self.path(side, name + ".png"))

    def run_command(self, *words, status=0, **options):
        done = subprocess.run(COMMAND + list(words), capture_output=True, text=True, check=False,
                              timeout=batches.TIMEOUT, cwd=self.folder, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_folders(self):
        self.write(rendered("chessboard")[0])
        done = self.run_command(*SIZE, "left", "right", "stereo.yml")
        self.assertRegex(done.stdout, r"baseline +0\.0[78]\d+ \+- 0\.0\d+ m")
        self.assertRegex(done.stderr, r"00: pair 1, coverage \d+ % and \d+ %")
        picture = np.asarray(Image.open(self.path("stereo-coverage.png")))
        self.assertEqual(picture.shape[1:], (972, 3))
        storage = cv2.FileStorage(self.path("stereo.yml"), cv2.FILE_STORAGE_READ)
        good = calibrated("chessboard").solution
        self.assertEqual(storage.getNode("image_width").real(), 480)
        self.assertLess(abs(storage.getNode("M1").mat()[0, 0] - good.lenses[0][0]), 0.01)
        self.assertLess(np.abs(storage.getNode("T").mat().ravel() - good.translation).max(), 1e-5)
        self.require_rectifies(calibrated("chessboard"))

    def test_warnings(self):
        """Of Pillow, for example, without a place in the code."""
        for side in "left", "right":
            # a directory that announces two tags and ends
            Image.new("L", (64, 48)).save(self.path(side + ".jpg"),
                                          exif=b"Exif\0\0MM\0*\0\0\0\10\0\2")
        done = self.run_command(*SIZE, "left.jpg", "right.jpg", "stereo.yml", status=1)
        self.assertIn("Warning: Corrupt EXIF data", done.stderr)
        self.assertNotIn("UserWarning", done.stderr)

    def require_rectifies(self, found):
        """stereorectify reads the file, and knows the baseline."""
        try:
            rectifier = sm.Rectifier(self.path("stereo.yml"), backend="cpu")
        except sm.Error as error:
            if "GStreamer" in str(error):
                return
            raise
        _, left, right = rendered("chessboard")[0][0]
        rectified = rectifier(left, right)
        self.assertLess(abs(rectified.camera.baseline - found.baseline[0]), 1e-5)

    def test_json(self):
        self.write(rendered("chessboard")[0])
        done = self.run_command(*SIZE, "--json", "--quiet", "--model", "brown", "left/*.png",
                                "right/*.png", "stereo.yml")
        self.assertNotIn("coverage", done.stderr)
        values = json.loads(done.stdout)
        self.assertEqual((values["model"], values["width"], len(values["pairs"])),
                         ("brown", 480, len(calibrated("chessboard").pairs)))
        self.assertEqual(list(values["rows_by_model"]), ["brown"])

    def test_video(self):
        """One video with both views; each pose is a second long, and the third one moves."""
        try:
            import av  # noqa: F401
        except ImportError:
            self.skipTest("no PyAV")
        from stereomatching.batch import _videos
        recorder = _videos.Recorder(self.path("both.mkv"), 10, (360, 960), "gray", None)
        time = 0
        for number, (_, left, right) in enumerate(rendered("chessboard")[0]):
            for frame in range(10):
                view = np.hstack([left, right])
                if number == 2:
                    view = np.roll(view, 8 * frame, axis=0)
                recorder.add(view, time)
                time += 100
        recorder.close()
        done = self.run_command(*SIZE, "--model", "brown", "--interval", "0.4", "both.mkv",
                                "stereo.yml")
        self.assertIn("%d used" % (len(calibrated("chessboard").pairs) - 1), done.stdout)
        self.assertNotRegex(done.stderr, r"(?m)^2\.\d\d s")

    def test_video_without_pairs(self):
        """Boards that move, or that one view has, are not called missing."""
        try:
            import av  # noqa: F401
        except ImportError:
            self.skipTest("no PyAV")
        from stereomatching.batch import _videos
        for name, seen, text in (
                ("moving.mkv", 2, "got 0; it moves by more than 3 pixels to the next frame in 2 more"),
                ("one.mkv", 1, "got 0; only one view has it in 2 more")):
            recorder = _videos.Recorder(self.path(name), 10, (360, 960), "gray", None)
            for number, (_, *views) in enumerate(rendered("chessboard")[0][:2]):
                for frame in range(2):
                    views[seen:] = [np.zeros_like(view) for view in views[seen:]]
                    recorder.add(np.roll(np.hstack(views), 8 * frame, axis=0),
                                 1000 * number + 100 * frame)
            recorder.close()
            done = self.run_command(*SIZE, "--interval", "0.2", name, "stereo.yml", status=1)
            self.assertIn(text, done.stderr)

    def test_live(self):
        """The same frames from a pipeline, until enough pairs are found."""
        try:
            import gi
            gi.require_version("GstApp", "1.0")
        except (ImportError, ValueError):
            self.skipTest("no GStreamer's Python bindings")
        self.write([("%02d" % number, *views) for number, (_, *views) in enumerate(
            pair for pair in rendered("chessboard")[0] for _ in range(4))])
        source = ("multifilesrc location=%s/%%02d.png caps=image/png,framerate=4/1 ! pngdec ! "
                  "identity sync=true")
        done = self.run_command(*SIZE, "--live", "--model", "brown", "--pairs", "6",
                                source % "left", source % "right", "stereo.yml")
        self.assertIn("6 used", done.stdout)

    def test_live_rates(self):
        """A picture of the faster view in the middle between two of the other one has no partner."""
        try:
            import gi
            gi.require_version("GstApp", "1.0")
        except (ImportError, ValueError):
            self.skipTest("no GStreamer's Python bindings")
        from stereomatching.calibrate import _live
        for number in range(3):
            Image.fromarray(np.full((16, 16), 100 * number, np.uint8)).save(
                self.path("%d.png" % number))
        source = ("multifilesrc location=%s/%%d.png stop-index=%d caps=image/png,framerate=%d/1 ! "
                  "pngdec")
        slow, fast = (source % ((self.folder,) + rest) for rest in ((1, 2), (2, 4)))
        for left, right, levels in ((slow, fast, [100, 200]), (fast, slow, [200, 100])):
            samples = list(_live.Live(left, right, "side-by-side").samples())
            self.assertEqual([int(view[0, 0]) for view in samples[0].following], levels)

    def test_live_errors(self):
        try:
            import gi
            gi.require_version("GstApp", "1.0")
        except (ImportError, ValueError):
            self.skipTest("no GStreamer's Python bindings")
        done = self.run_command(*SIZE, "--live", "nosuchelement", "stereo.yml", status=2)
        self.assertIn("cannot use the pipeline", done.stderr)
        done = self.run_command(*SIZE, "--live", "filesrc location=none ! decodebin", "stereo.yml",
                                status=1)
        self.assertIn("the pipeline failed", done.stderr)

    def test_errors(self):
        self.write(rendered("chessboard")[0][:2])
        os.mkfifo(self.path("pipe.mp4"))
        for words, status, text in (
                (["left", "right", "out.yml"], 2, "--size: expected columns and rows"),
                (["--size", "9", "left", "right", "out.yml"], 2, "got '9'"),
                (["--size", "9x6", "left", "right", "out.yml"], 2, "--square: expected the size"),
                (SIZE + ["left"], 2, "expected LEFT RIGHT OUT, or SOURCE OUT, got 1 name;"),
                (SIZE + ["left", "right", "none/out.yml"], 2, "cannot write none/out.yml"),
                (SIZE + ["left", "none", "out.yml"], 2, "none does not exist"),
                (SIZE + ["left.mp4", "right.mp4", "out.yml"], 2, "left.mp4 does not exist"),
                (SIZE + ["pipe.mp4", "right.mp4", "out.yml"], 2, "pipe.mp4 is not a regular file"),
                (SIZE + ["left", "out.yml"], 2, "expected LEFT and RIGHT, a list of pairs"),
                (SIZE + ["--interval", "0", "left", "right", "out.yml"], 2, "--interval"),
                (SIZE + ["--interval", "inf", "left", "right", "out.yml"], 2, "--interval"),
                (SIZE + ["--pairs", "0", "left.mkv", "right.mkv", "out.yml"], 2,
                 "--pairs: expected 5 or more, got 0"),
                (SIZE + ["left", "right", "out.yml"], 1, "at least 5 pairs, got 2 of 2"),
                (["--board", "charuco", *SIZE, "--dictionary", "9X9", "left", "right", "out.yml"],
                 2, "the dictionary '9X9': expected a name of OpenCV")):
            done = self.run_command(*words, status=status)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.path("out.yml")))

    def test_unpaired_pictures(self):
        self.write(rendered("chessboard")[0][:3])
        os.remove(self.path("right", "01.png"))
        os.remove(self.path("left", "02.png"))
        done = self.run_command(*SIZE, "left", "right", "out.yml", status=1)
        self.assertIn("\n01: no picture of the right view\n", done.stderr)
        self.assertIn("\n02: no picture of the left view\n", done.stderr)

    def test_broken_picture(self):
        self.write(rendered("chessboard")[0][:2])
        with open(self.path("left", "01.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\nbroken")
        done = self.run_command(*SIZE, "left", "right", "out.yml", status=2)
        self.assertRegex(done.stderr, r"cannot read .*01\.png")

    def test_full_output(self):
        """The file is there all the same."""
        for option in ("--help", "--version", "--options"):
            batches.require_output_error(self, COMMAND, option)
        self.write(rendered("chessboard")[0])
        batches.require_output_error(self, COMMAND, *SIZE, "--quiet", "--model", "brown", "left",
                                     "right", "stereo.yml", cwd=self.folder)
        self.assertTrue(os.path.isfile(self.path("stereo.yml")))

    @unittest.skipIf(os.name == "nt", "the system has no limits of files")
    def test_files_that_cannot_be_written(self):
        """No part of a file stays, and devices are not replaced."""
        import resource  # pylint: disable=import-outside-toplevel
        self.write(rendered("chessboard")[0])
        before = sorted(os.listdir(self.folder))
        done = self.run_command(*SIZE, "--quiet", "--model", "brown", "left", "right",
                                "stereo.yml", status=1,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertIn("cannot write stereo-coverage.png: File too large", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", self.path("stereo.yml"))
        done = self.run_command(*SIZE, "--quiet", "--model", "brown", "left", "right",
                                "stereo.yml", status=1)
        self.assertIn("cannot write stereo.yml: No space left on device", done.stderr)
        self.assertEqual(os.readlink(self.path("stereo.yml")), "/dev/full")
        self.assertFalse(os.path.isfile("/dev/full"))

    def test_help(self):
        done = self.run_command("--help")
        for option in re.findall(r"^(--[a-z-]+)", self.run_command("--options").stdout, re.MULTILINE):
            self.assertIn(option, done.stdout)
        self.assertIn(sm.version(), self.run_command("--version").stdout)


if __name__ == "__main__":
    suite.main()
