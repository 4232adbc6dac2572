#!/usr/bin/env python3
# gst-stereomatching: tests of the program stereo-check
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stereo-check like a user and checks its output and files.

    stereo_check.py PROGRAM
"""

import json
import math
import os
import random
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

    def test_wrong_arguments(self):
        pictures.write_png("small.png", [[(90, 90, 90)] * 64] * 48)
        self.fails("left.png", says=["Expected LEFT and RIGHT, got 1"])
        self.fails(says=["got 0 files"])
        self.fails("left.png", "small.png", says=["small.png", "320x200", "64x48"])
        self.fails("left.png", "missing.png", says=["missing.png"])
        self.fails("--focal-length", "0", "left.png", "right.png", says=["focal-length"])
        self.fails("--save", "missing/file.yml", "left.png", "lower.png", status=1,
                   says=["missing/file.yml"])


if __name__ == "__main__":
    suite.main()
