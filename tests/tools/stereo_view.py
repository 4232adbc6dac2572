#!/usr/bin/env python3
# gst-stereomatching: tests of the program stereo-view
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stereo-view like a user and checks its output and files.

    stereo_view.py PROGRAM

Most images are generated here. The views of Middlebury come from $STEREO_DATASETS;
without them that test is skipped.
"""

import json
import math
import os
import random
import unittest
import zlib

import pictures
import program
import suite
from program import run

DATASETS = os.environ.get("STEREO_DATASETS") or "../shared/datasets"
CONES = os.path.join(DATASETS, "middlebury-v2", "cones")
WIDTH, HEIGHT, SHIFT = 40, 16, 6


def crc_of(rows):
    return "%08x" % zlib.crc32(bytes(s for row in rows for pixel in row for s in pixel))


class Case(program.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        chance = random.Random(1)
        wide = [[tuple(chance.randrange(256) for _ in range(3)) for _ in range(WIDTH + SHIFT)]
                for _ in range(HEIGHT)]
        # left (x) equals right (x - SHIFT)
        self.left = [row[:WIDTH] for row in wide]
        self.right = [row[SHIFT:] for row in wide]
        pictures.write_png("left.png", self.left)
        pictures.write_png("right.png", self.right)
        pictures.write_pfm("map.pfm", [[float(SHIFT)] * WIDTH for _ in range(HEIGHT)])

    def view(self, *arguments):
        result = run("--json", "left.png", "map.pfm", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)


class Views(Case):
    def test_the_ends_are_the_images(self):
        for position, path, rows in ((0, "left.png", self.left), (1, "right.png", self.right)):
            found = self.view("--right", "right.png", "--position", position, "--true", path,
                              "--save", "made.png")
            self.assertTrue(found["equal"])
            self.assertEqual(found["ssim"], 1)
            self.assertEqual(found["crc"], crc_of(rows))
            self.assertEqual(pictures.read_png("made.png"), rows)

    def test_the_middle_is_moved_by_half(self):
        self.view("--right", "right.png", "--save", "made.png")
        made = pictures.read_png("made.png")
        half = SHIFT // 2
        for y in range(HEIGHT):
            self.assertEqual(made[y][half:WIDTH - half], self.left[y][2 * half:])

    def test_figures(self):
        off = [[(r, g, b + 5 if b < 250 else b - 5) for r, g, b in row] for row in self.left]
        pictures.write_png("off.png", off)
        pictures.write_png("far.png", [[(r, g, b + 10 if b < 245 else b - 10) for r, g, b in row]
                                       for row in self.left])
        found = self.view("--position", 0, "--true", "off.png")
        # a third of the samples differs by 5
        self.assertAlmostEqual(found["psnr"], 20 * math.log10(51) + 10 * math.log10(3), 6)
        self.assertFalse(found["equal"])
        # nothing to compare with
        found = self.view("--save", "made.png")
        self.assertEqual([found[name] for name in ("equal", "psnr", "ssim")], [None] * 3)
        text = run("left.png", "map.pfm", "--position", 0, "--true", "off.png").stdout
        self.assertRegex(text, r"^position 0: PSNR 38.92 dB, SSIM 0\.\d{4}, CRC %s\n$"
                         % crc_of(self.left))
        # no window fits
        pictures.write_png("few.png", [row[:10] for row in self.left])
        pictures.write_pfm("few.pfm", [[0.0] * 10] * HEIGHT)
        few = ("few.png", "few.pfm", "--true", "few.png")
        self.assertIn(" dB, SSIM -, CRC ", run(*few).stdout)
        self.assertIsNone(json.loads(run("--json", *few).stdout)["ssim"])
        # the rendered view does not change; the reference changes by 0 and 5
        found = self.view("--position", 0, "--true", "left.png", "--before", "left.png",
                          "--true-before", "off.png")
        self.assertAlmostEqual(found["psnr_of_change"], 20 * math.log10(51)
                               + 10 * math.log10(3), 6)

    def test_maps(self):
        codes = [[256 * SHIFT] * WIDTH for _ in range(HEIGHT)]
        pictures.write_png("map16.png", codes, 16)
        pictures.write_png("map8.png", [[4 * SHIFT] * WIDTH for _ in range(HEIGHT)])
        # half the size in both directions, with half the disparity
        pictures.write_pfm("half.pfm", [[SHIFT / 2] * (WIDTH // 2) for _ in range(HEIGHT // 2)])
        crc = self.view("--right", "right.png", "--true", "left.png")["crc"]
        for arguments in (("map16.png",), ("map8.png", "--map-scale", 4), ("half.pfm",)):
            result = run("--json", "left.png", "--right", "right.png", "--true", "left.png",
                         *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["crc"], crc)

    def test_large_disparities(self):
        """Points that move out of the view make no difference, wherever they move to."""
        crcs = set()
        for far in (240, 300, 2000, -300, -16384):
            rows = [[float(SHIFT)] * WIDTH for _ in range(HEIGHT)]
            rows[3][17] = float(far)
            pictures.write_pfm("map.pfm", rows)
            crcs.add(self.view("--right", "right.png", "--true", "left.png")["crc"])
        self.assertEqual(len(crcs), 1)

    def test_instruction_sets_agree(self):
        crcs = {self.view("--true", "left.png", "--position", 0.3, "--simd", simd)["crc"]
                for simd in ("none", "generic", "auto")}
        self.assertEqual(len(crcs), 1)

    @unittest.skipUnless(os.path.exists(os.path.join(CONES, "scene.ini")), "no datasets")
    def test_cones(self):
        result = run(os.path.join(CONES, "left.png"), os.path.join(CONES, "disp_left.png"),
                     "--map-scale", 4, "--right", os.path.join(CONES, "right.png"), "--true",
                     os.path.join(DATASETS, "views", "cones_im4.png"))
        self.assertEqual(result.stdout,
                         "position 0.5: PSNR 27.93 dB, SSIM 0.9201, CRC ae0e1342\n")


class Mistakes(Case):
    def test_arguments(self):
        both = ("left.png", "map.pfm", "--save", "x.png")
        for says, *arguments in (
                ("Expected LEFT and MAP, got 1 file;", "left.png"),
                ("use --save or --true", "left.png", "map.pfm"),
                (("--position: ", "from -2 to 3"), *both, "--position", 4),
                (("--join: ", "'x'"), *both, "--join", "x"),
                ("--blending: expected distance or nearest, got 'x'", *both, "--blending", "x"),
                ("--map-scale: expected a number above 0, got '0'", *both, "--map-scale", 0),
                ("--map-invalid: expected a number or none, got 'x'", *both, "--map-invalid", "x"),
                ("require each other", *both, "--before", "left.png"),
                ("needs a value", "left.png", "map.pfm", "--save"),
                ("unknown option '--nonsense'", *both, "--nonsense"),
                ("unknown option '-json'", *both, "-json")):
            with self.subTest(says):
                self.fails(*arguments, says=says)

    def test_files(self):
        save = ("--save", "x.png")
        pictures.write_png("small.png", [[(1, 2, 3)] * 8] * 8)
        pictures.write_pfm("other.pfm", [[1.0] * 8] * 8)
        pictures.write_pfm("wide.pfm", [[0.0] * (WIDTH - 1) + [20000.0]] * HEIGHT)
        self.fails("missing.png", "map.pfm", *save, says="missing.png")
        # the end of a long path
        self.fails("left.png", "long/" * 100 + "missing.pfm", *save,
                   says=(": ...", "/long/missing.pfm: cannot be opened: "))
        self.fails("left.png", "map.pfm", *save, "--right", "small.png",
                   says="small.png: expected 40x16 pixels as in LEFT, got 8x8")
        for option in (("--true", "small.png"),
                       ("--true", "left.png", "--before", "left.png", "--true-before", "small.png")):
            self.fails("left.png", "map.pfm", *save, *option,
                       says="small.png: expected 40x16 pixels as in LEFT, got 8x8")
        self.fails("left.png", "other.pfm", *save,
                   says="other.pfm: the map is 8x8: for views of 40x16")
        self.fails("left.png", "wide.pfm", *save,
                   says="wide.pfm: expected disparities from -16384 to 16384 pixels, got 0 to "
                        "20000")
        self.fails("left.png", "map.pfm", "--save", "nowhere/x.png", says="nowhere", status=1)
        self.assertFalse(os.path.exists("x.png"))


if __name__ == "__main__":
    suite.main()
