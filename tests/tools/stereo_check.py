#!/usr/bin/env python3
# gst-stereomatching: tests of the program stereo-check
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stereo-check like a user and checks its output and files.

    stereo_check.py PROGRAM [videos]

videos: the program reads them.
"""

import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import unittest

import pictures
import program
import suite
from program import run

WIDTH, HEIGHT = 320, 200


def lattice(chance):
    return [[chance.random() for _ in range(128)] for _ in range(128)]


class Texture:
    """Random numbers, smoothly interpolated."""

    def __init__(self):
        chance = random.Random(2)
        self.octaves = [(weight, step, lattice(chance))
                        for weight, step in ((100, 6.3), (100, 17.7))]

    def at(self, x, y):
        sum_ = 20.0
        for weight, step, nodes in self.octaves:
            u, v = math.floor(x / step), math.floor(y / step)
            a, b = x / step - u, y / step - v
            a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
            row, below = nodes[v % 128], nodes[(v + 1) % 128]
            sum_ += weight * ((row[u % 128] * (1 - a) + row[(u + 1) % 128] * a) * (1 - b)
                              + (below[u % 128] * (1 - a) + below[(u + 1) % 128] * a) * b)
        return int(sum_)


TEXTURE = Texture()


def view(disparity, rows=0.0):
    return [[(TEXTURE.at(x + disparity * (1 + y / HEIGHT), y - rows),) * 3 for x in range(WIDTH)]
            for y in range(HEIGHT)]


LEFT, RIGHT, LOWER = view(0), view(12), view(12, 3.5)


class Case(program.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        pictures.write_png("left.png", LEFT)
        pictures.write_png("right.png", RIGHT)
        pictures.write_png("lower.png", LOWER)

    def check(self, *arguments):
        result = run("--json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)


class Pages(Case):
    def test_rows_that_match(self):
        found = self.check("left.png", "right.png")
        self.assertEqual(found["status"], "ok")
        self.assertIsNone(found["correction"])
        self.assertLess(found["rows_95"], 0.4)
        self.assertGreater(found["min_disparity"], 11)
        self.assertLess(found["max_disparity"], 25)

    def test_a_lower_view(self):
        found = self.check("left.png", "lower.png")
        self.assertEqual(found["status"], "off")
        self.assertLess(abs(found["offset"] - 3.5), 0.2)
        self.assertIn("pixels lower", found["text"])
        self.assertIn("width=320:height=200:", found["correction"])

    def test_the_page(self):
        result = run("left.png", "lower.png")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("Status       off\n", "Rows are off by 3.5 pixels", "pixels lower (+- ",
                     "Focus        right view 1.0", "num-disparities=32 or more", "To do  "):
            self.assertIn(part, result.stdout)

    def test_negative_disparities(self):
        """Of cameras that converge: from -10 at the top to 12 at the bottom."""
        pictures.write_png("converging.png", [[(TEXTURE.at(x + 22 * y / HEIGHT - 10, y),) * 3
                                               for x in range(WIDTH)] for y in range(HEIGHT)])
        result = run("left.png", "converging.png")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("pixels: min-disparity=-16 num-disparities=32 or more\n", result.stdout)
        self.assertNotIn("min-disparity", run("left.png", "right.png").stdout)

    def test_a_slightly_darker_view(self):
        darker = [[tuple(value - (x % 4 == 0) for value in pixel) for x, pixel in enumerate(row)]
                  for row in RIGHT]
        pictures.write_png("darker.png", darker)
        self.assertLess(self.check("left.png", "darker.png")["brightness"], 0)
        self.assertIn(", +0 grey levels\n", run("left.png", "darker.png").stdout)

    def test_far_points_are_at_zero(self):
        """Not at -0.0: the upper half is."""
        pictures.write_png("far.png", [[(TEXTURE.at(x + (20 if 2 * y > HEIGHT else -0.02), y),) * 3
                                        for x in range(WIDTH)] for y in range(HEIGHT)])
        self.assertLess(self.check("left.png", "far.png")["min_disparity"], 0)
        self.assertRegex(run("left.png", "far.png").stdout, r"\nDisparity +0\.0 to 20\.\d pixels: ")

    def test_other_verdicts(self):
        self.assertEqual(self.check("right.png", "left.png")["status"], "swapped")
        self.assertEqual(self.check("left.png", "left.png")["status"], "same-view")
        pictures.write_png("grey.png", [[(90, 90, 90)] * 64] * 48)
        grey = self.check("grey.png", "grey.png")
        self.assertEqual((grey["status"], grey["rows_median"]), ("unknown", None))
        self.assertIn("Exchange the views.", run("right.png", "left.png").stdout)

    def test_several_pairs(self):
        found = self.check(*["left.png", "lower.png"] * 3)
        self.assertEqual(found["status"], "off")

    def test_all_instruction_sets_agree(self):
        found = self.check("left.png", "lower.png")
        for simd in ("none", "generic"):
            self.assertEqual(self.check("--simd", simd, "left.png", "lower.png"), found)


class Files(Case):
    def test_saved_correction(self):
        self.check("--save", "correction.yml", "left.png", "lower.png")
        with open("correction.yml", encoding="ascii") as file:
            text = file.read()
        for name in ("M1", "D1", "R1", "P1", "M2", "D2", "R2", "P2"):
            self.assertIn("\n%s: !!opencv-matrix\n" % name, text)
        self.assertIn("image_width: 320\nimage_height: 200\n", text)

    def test_nothing_to_save(self):
        result = run("--save", "correction.yml", "left.png", "right.png")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no correction to write", result.stderr)
        self.assertFalse(os.path.exists("correction.yml"))

    def test_nothing_to_save_for_rows_that_match(self):
        """Also if rows are not exact, or one pair of several is off."""
        pictures.write_png("nearly.png", view(12, 0.35))
        for pairs in (["left.png", "nearly.png"],
                      ["left.png", "lower.png"] + ["left.png", "right.png"] * 2):
            self.assertIsNone(self.check(*pairs)["correction"])
            result = run("--save", "correction.yml", *pairs)
            self.assertEqual(result.returncode, 1)
            self.assertIn("To do        Nothing.", result.stdout)
            self.assertIn("no correction to write: rows match", result.stderr)
            self.assertFalse(os.path.exists("correction.yml"))

    def test_wrong_arguments(self):
        pictures.write_png("small.png", [[(90, 90, 90)] * 64] * 48)
        self.fails("left.png", says=["Expected LEFT and RIGHT, got 1 file;"])
        self.fails("missing.mkv", says=["missing.mkv: cannot be opened"])
        with open("empty.mkv", "wb"):
            pass
        self.fails("empty.mkv", says=["empty.mkv: is empty"])
        self.fails(says=["got 0 files"])
        for layout in "side-by-side", "top-bottom":
            for files in ["left.png"], ["left.png", "right.png"]:
                self.fails("--layout", layout, *files,
                           says=["--layout %s: expected a video, got the image left.png" % layout])
        self.fails("--layout", "top-bottom", "missing.mkv", says=["missing.mkv: cannot be opened"])
        self.check("--layout", "separate", "left.png", "right.png")
        self.fails("left.png", "small.png", says=["small.png", "320x200", "64x48"])
        self.fails("left.png", "right.png", "small.png", "small.png", says=[
            "small.png: expected 320x200 pixels as in the first pair, got 64x48"])
        self.fails("left.png", "missing.png", says=["missing.png"])
        self.fails("--focal-length", "0", "left.png", "right.png", says=["focal-length"])
        self.fails("--save", "missing/file.yml", "left.png", "lower.png", status=1,
                   says=["missing/file.yml"])


def write_video(path, view, *, count=12, size=(320, 200), pause=0, properties=""):
    """A rendered scene as a file of Motion JPEG, whose first frame lasts `pause` frames longer."""
    sources = ["stereotestsrc view=%s num-buffers=%d timestamp-offset=%d pattern=corridor "
               "num-disparities=24 %s ! video/x-raw,format=I420,width=%d,height=%d,framerate=10/1 ! "
               "joined." % ((view, frames, offset * 10 ** 8, properties) + size)
               for frames, offset in ((1, 0), (count - 1, pause))]
    subprocess.run(shlex.split(
        "gst-launch-1.0 -q %s concat name=joined ! jpegenc quality=95 ! matroskamux ! "
        "filesink location=%s" % (" ".join(sources), path)), check=True)


@unittest.skipIf("videos" not in sys.argv[2:], "built without videos")
@unittest.skipIf(os.environ.get("STEREO_SANITIZER"), "gst-launch-1.0 makes the files")
class Videos(Case):
    def test_two_videos(self):
        write_video("left.mkv", "left")
        write_video("right.mkv", "right", properties="roll=0.6 rows=2")
        found = self.check("left.mkv", "right.mkv", "--interval", 1)
        self.assertEqual((found["status"], found["pairs"]["off"]), ("off", 12))
        self.assertLess(abs(found["roll"] - 0.6), 0.1)
        self.assertIn("width=320:height=200:", found["correction"])
        # the first three, and numbers 5 and 10
        self.assertEqual(self.check("left.mkv", "right.mkv", "--interval", 5)["pairs"]["off"], 5)
        few = self.check("left.mkv", "right.mkv", "--max-pairs", 2)
        self.assertEqual(few["pairs"]["off"], 2)
        self.assertNotEqual(few["correction"], found["correction"])
        result = run("left.mkv", "right.mkv", "--save", "correction.yml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\nPairs        4 measured: 4 off\n", result.stdout)
        self.assertTrue(os.path.exists("correction.yml"))

    def test_videos_of_both_views(self):
        for layout, size in (("side-by-side", (640, 200)), ("top-bottom", (320, 400))):
            write_video("both.mkv", layout, size=size, properties="rows=3", count=3)
            write_video("good.mkv", layout, size=size, count=3)
            found = self.check("both.mkv", "--layout", layout)
            self.assertEqual((found["status"], found["pairs"]["off"]), ("off", 3), layout)
            self.assertLess(abs(found["offset"] - 3), 0.3)
            found = self.check("both.mkv", "good.mkv", "good.mkv", "--layout", layout)
            self.assertEqual((found["pairs"]["off"], found["pairs"]["ok"]), (3, 6))
            self.assertEqual(found["status"], "ok")
        write_video("both.mkv", "side-by-side", size=(640, 200), count=3)
        self.assertEqual(self.check("both.mkv")["status"], "ok")

    def test_pairs_by_time(self):
        write_video("left.mkv", "left", count=8)
        write_video("right.mkv", "right", count=7, pause=3)
        found = self.check("left.mkv", "right.mkv", "--interval", 1)
        # the first frame, and four of the last six
        self.assertEqual(sum(found["pairs"].values()), 5)

    def test_pairs_of_different_rates(self):
        """Frames of the faster video that are in the middle between two others have no partner."""
        for name, odd, rate in (("slow", "right", 5), ("fast", "lower", 10)):
            for number, source in enumerate(("right", odd)):
                shutil.copyfile(source + ".png", "%s%d.png" % (name, number))
            subprocess.run(shlex.split(
                "gst-launch-1.0 -q multifilesrc location=%s%%d.png stop-index=1 loop=true "
                "num-buffers=%d caps=image/png,framerate=%d/1 ! pngdec ! videoconvert ! jpegenc "
                "quality=95 ! matroskamux ! filesink location=%s.mkv" % (
                    name, 2 * rate, rate, name)), check=True)
        for names in (("slow.mkv", "fast.mkv"), ("fast.mkv", "slow.mkv")):
            found = self.check(*names, "--interval", 1)
            self.assertEqual(found["pairs"]["same-view"], sum(found["pairs"].values()), names)
            self.assertEqual(found["pairs"]["same-view"], 10)

    def test_videos_that_cannot_be_read(self):
        write_video("left.mkv", "left", count=2)
        write_video("small.mkv", "right", count=2, size=(160, 120))
        with open("text.txt", "w", encoding="ascii") as file:
            file.write("not a video\n" * 100)
        self.fails("left.mkv", "small.mkv", says=["small.mkv", "320x200", "160x120"])
        self.fails("text.txt", says=["text.txt: cannot be decoded: "])
        self.fails("left.mkv", "text.txt", says=["text.txt: cannot be decoded: "])
        self.fails("left.mkv", "missing.mkv", says=["missing.mkv"])
        self.fails("left.mkv", "left.mkv", "left.mkv", says=["got 3 files"])
        # before the end of the first frame
        with open("left.mkv", "rb") as file, open("cut.mkv", "wb") as cut:
            cut.write(file.read(3000))
        self.fails("left.mkv", "cut.mkv",
                   says=["left.mkv, cut.mkv: have no frames with equal timestamps"])
        self.fails("cut.mkv", says=["cut.mkv: has no frames"])
        subprocess.run(shlex.split("gst-launch-1.0 -q audiotestsrc num-buffers=5 ! wavenc ! "
                                   "filesink location=sound.wav"), check=True)
        self.fails("sound.wav", says=["sound.wav: has no video that GStreamer can decode"])


@unittest.skipIf("videos" in sys.argv[2:], "built with videos")
class NoVideos(Case):
    def test_the_error(self):
        with open("video.mkv", "wb") as file:
            file.write(b"\x1aE\xdf\xa3" * 20)
        for arguments in (["video.mkv"], ["video.mkv", "video.mkv"]):
            self.fails(*arguments, says=["video.mkv", "built without GStreamer"])


if __name__ == "__main__":
    suite.main()
