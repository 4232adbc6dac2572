#!/usr/bin/env python3
# gst-stereomatching: tests of the program stereo-eval
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stereo-eval like a user and checks its output and files.

    stereo_eval.py PROGRAM ROOT

Most scenes and their expected results are generated here. Those of Middlebury come
from $STEREO_DATASETS; without them these tests are skipped.
"""

import configparser
import csv
import io
import json
import math
import os
import random
import re
import sys
import unittest

import pictures
import program
import suite
from program import run

ROOT = sys.argv[2]
DATASETS = os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets", "middlebury-v2")
HAVE_DATASETS = os.path.exists(os.path.join(DATASETS, "teddy", "scene.ini"))
V2 = ("tsukuba", "venus", "teddy", "cones")
REGIONS = ("nonocc", "all", "disc")

# From the documentation of the datasets: pixels in nonocc, all and disc; a constant
# disparity, and its bad pixels in percent.
SELF_CHECK = {
    "tsukuba": ((85438, 87696, 15790), 5, (34.82, 34.70, 62.44)),
    "venus": ((147513, 150282, 10540), 8, (86.60, 86.10, 75.28)),
    "teddy": ((147651, 165344, 40517), 20, (88.01, 89.14, 95.57)),
    "cones": ((143926, 163321, 47189), 20, (79.23, 80.68, 78.97)),
}
GT_SCALE = {"tsukuba": 16, "venus": 8, "teddy": 4, "cones": 4}

WIDTH, HEIGHT, SHIFT = 48, 24, 5


def evaluate(*arguments):
    """The parsed --json output of a run, which must succeed."""
    result = run("--json", *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "", result.stderr
    return json.loads(result.stdout)


def rounded(value):
    return "%.2f" % value


def views(seed=1, color=False):
    """A random left view, and a right view with a disparity of SHIFT."""
    source = random.Random(seed)

    def pixel():
        return tuple(source.randrange(256) for _ in range(3)) if color else source.randrange(256)

    wide = [[pixel() for _ in range(WIDTH + SHIFT)] for _ in range(HEIGHT)]
    # left (x) equals right (x - SHIFT)
    left = [row[:WIDTH] for row in wide]
    right = [row[SHIFT:] for row in wide]
    return left, right


def constant(value):
    return [[value] * WIDTH for _ in range(HEIGHT)]


def make_ini(folder, extra="", masks="derived", seed=1, scale=8):
    """A scene with constant ground truth; the left SHIFT columns are occluded."""
    os.makedirs(folder)
    left, right = views(seed)
    pictures.write_png(os.path.join(folder, "left.png"), left)
    pictures.write_png(os.path.join(folder, "right.png"), right)
    pictures.write_png(os.path.join(folder, "disp_left.png"), constant(SHIFT * scale))
    mask = [[0 if x < SHIFT else 255 for x in range(WIDTH)] for _ in range(HEIGHT)]
    pictures.write_png(os.path.join(folder, "nonocc.png"), mask)
    pictures.write_png(os.path.join(folder, "all.png"), constant(255))
    # 128: outside the region
    disc = [[255 if x > 40 else 128 for x in range(WIDTH)] for _ in range(HEIGHT)]
    pictures.write_png(os.path.join(folder, "disc.png"), disc)
    with open(os.path.join(folder, "scene.ini"), "w", encoding="utf-8") as file:
        file.write("[scene]\nname = made\nwidth = %d\nheight = %d\nndisp = 16\ngt_scale = %d\n"
                   "gt_invalid = 0\nmasks = %s\n%s" % (WIDTH, HEIGHT, scale, masks, extra))
    return folder


def expected_measures(rows, truth, counts):
    """The measures of a map, as stereo.h and the benchmarks define them."""
    errors = []
    outliers = 0
    for y, row in enumerate(truth):
        for x, true in enumerate(row):
            if not counts(x, y) or not math.isfinite(true):
                continue
            value = rows[y][x]
            error = abs(value - true) if math.isfinite(value) else None
            errors.append(error)
            outliers += error is None or (error > 3 and error > 0.05 * true)
    known = [e for e in errors if e is not None]
    result = {"pixels": len(errors), "d1": 100 * outliers / len(errors),
              "mean": sum(known) / len(known),
              "rms": math.sqrt(sum(e * e for e in known) / len(known)),
              "density": 100 * len(known) / len(errors)}
    for limit in (0.5, 1, 2, 4):
        result["bad-%g" % limit] = \
            100 * sum(e is None or e > limit for e in errors) / len(errors)
    return result


class Case(program.Case):
    def same(self, found, right):
        self.assertEqual(sorted(found), sorted(right))
        for name, value in right.items():
            self.assertAlmostEqual(found[name], value, places=5, msg=name)


@unittest.skipUnless(HAVE_DATASETS, "set STEREO_DATASETS")
class Middlebury(Case):
    def maps(self, make):
        """Writes make (name, truth) of each scene to a PFM file."""
        for name in V2:
            truth = pictures.read_png(os.path.join(DATASETS, name, "disp_left.png"))
            pictures.write_pfm(self.path(name + ".pfm"), make(name, truth))
        return self.path("{scene}.pfm")

    def test_constant_maps(self):
        pattern = self.maps(lambda name, truth: [[SELF_CHECK[name][1]] * len(truth[0])
                                                 for _ in truth])
        run_ = evaluate("--map", pattern)["runs"][0]
        self.assertEqual([s["scene"] for s in run_["scenes"]], list(V2))
        for scene in run_["scenes"]:
            pixels, _, bad = SELF_CHECK[scene["scene"]]
            for i, region in enumerate(REGIONS):
                found = scene["regions"][region]
                self.assertEqual(found["pixels"], pixels[i])
                self.assertEqual(rounded(found["bad-1"]), rounded(bad[i]))

    def test_truth(self):
        for offset in (0, 1):
            pattern = self.maps(lambda name, truth: [
                [v / GT_SCALE[name] + offset for v in row] for row in truth])
            run_ = evaluate("--map", pattern)["runs"][0]
            self.assertEqual(run_["average-of-12"], 0)
            for scene in run_["scenes"]:
                for region in REGIONS:
                    self.assertEqual(scene["regions"][region]["bad-1"], 0)
                    self.assertEqual(scene["regions"][region]["mean"], offset)

    def test_truth_and_a_little_more(self):
        pattern = self.maps(lambda name, truth: [
            [v / GT_SCALE[name] + 1.0625 for v in row] for row in truth])
        self.assertEqual(evaluate("--map", pattern)["runs"][0]["average-of-12"], 100)

    def test_scaled_maps(self):
        """The 8-bit ground truth as a map, read with its scale."""
        teddy = os.path.join(DATASETS, "teddy")
        run_ = evaluate("--map", os.path.join(teddy, "disp_left.png"), "--map-scale", 4, teddy)
        self.assertEqual(run_["runs"][0]["scenes"][0]["regions"]["all"]["bad-0.5"], 0)

    def test_vcbw_as_documented(self):
        """The preset `paper` gives the table in docs/algorithms/vcbw.md."""
        with open(os.path.join(ROOT, "docs", "algorithms", "vcbw.md"), encoding="utf-8") as file:
            text = file.read()
        file = configparser.ConfigParser(interpolation=None)
        file.read(os.path.join(ROOT, "gst", "presets", "GstStereoVcbw.prs"), encoding="utf-8")
        paper = ["=".join(item) for item in file["paper"].items() if not item[0].startswith("_")]
        run_ = evaluate("vcbw", *paper)["runs"][0]
        for scene in run_["scenes"]:
            row = re.search(r"^\| %s \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$" % scene["scene"],
                            text, re.MULTILINE | re.IGNORECASE)
            self.assertEqual([rounded(scene["regions"][r]["bad-1"]) for r in REGIONS],
                             list(row.groups()))
        average = re.search(r"average of 12\*\* \| \| \| \*\*([\d.]+)\*\*", text)
        self.assertEqual(rounded(run_["average-of-12"]), average.group(1))

    def test_all(self):
        listed = re.findall(r"^(\w+): ", run("--list").stdout, re.MULTILINE)
        runs = evaluate("--all")["runs"]
        self.assertEqual([r["algorithm"] for r in runs], listed)
        for entry in runs:
            self.assertLess(entry["average-of-12"], 35)
        text = run("--all").stdout
        self.assertIn("average of 12", text)

    def test_average_needs_all_four(self):
        run_ = evaluate("vcbw", os.path.join(DATASETS, "teddy"))["runs"][0]
        self.assertIsNone(run_["average-of-12"])
        self.assertGreater(run_["average"], 0)


class Scenes(Case):
    def test_ini(self):
        scene = make_ini(self.path("made"))
        found = evaluate("vcbw", scene)["runs"][0]["scenes"][0]
        self.assertEqual(found["scene"], "made")
        self.assertEqual(found["num-disparities"], 16)
        self.assertEqual(sorted(found["regions"]), sorted(REGIONS))
        self.assertEqual(found["regions"]["nonocc"]["pixels"], (WIDTH - SHIFT) * HEIGHT)
        self.assertEqual(found["regions"]["disc"]["pixels"], 7 * HEIGHT)
        # random dots with a constant disparity are easy to match
        self.assertLess(found["regions"]["nonocc"]["bad-1"], 1)
        self.assertGreater(found["time-ms"], 0)
        self.assertFalse(found["official-masks"])

    def test_many_disparities(self):
        """Above 256 disparities, 16-bit codes have fewer than 256 steps per pixel."""
        scene = make_ini(self.path("made"))
        for number in (255, 256, 257, 3000):
            found = evaluate("vcbw", "num-disparities=%d" % number, scene)["runs"][0]["scenes"][0]
            self.assertLess(found["regions"]["nonocc"]["bad-0.5"], 5)
        # codes count from the minimum
        found = evaluate("vcbw", "min-disparity=-8", scene)["runs"][0]["scenes"][0]
        self.assertLess(found["regions"]["nonocc"]["bad-0.5"], 5)
        self.assertEqual(found["num-disparities"], 16)

    def test_contradicting_properties(self):
        """Prints one warning for both scenes, and the result."""
        scenes = [make_ini(self.path(name)) for name in ("made", "other")]
        result = run("sgm", "p1=500", "p2=400", *scenes)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("p1 = 500 is above p2 = 400"), 1, result.stderr)
        self.assertEqual(run("sgm", "p1=400", "p2=400", scenes[0]).stderr, "")

    def test_measures(self):
        """All measures of a random map with holes, compared with expected_measures()."""
        source = random.Random(7)
        scene = make_ini(self.path("made"))
        truth = [[source.randrange(256) for _ in range(WIDTH)] for _ in range(HEIGHT)]
        pictures.write_png(os.path.join(scene, "disp_left.png"), truth)
        true = [[v / 8 if v else math.nan for v in row] for row in truth]
        rows = [[math.inf if source.random() < 0.1 else
                 v / 8 + source.choice((0, 0.25, -0.5, 0.75, 1, -1.5, 2, 3, -3.25, 5, 9))
                 for v in row] for row in truth]
        pictures.write_pfm(self.path("map.pfm"), rows, little=False)
        found = evaluate("--map", self.path("map.pfm"), scene)["runs"][0]["scenes"][0]
        self.same(found["regions"]["nonocc"], expected_measures(rows, true, lambda x, y: x >= SHIFT))
        self.same(found["regions"]["all"], expected_measures(rows, true, lambda x, y: True))
        self.same(found["regions"]["disc"], expected_measures(rows, true, lambda x, y: x > 40))
        holes = sum(math.isinf(v) for row in rows for v in row)
        self.assertAlmostEqual(found["density"], 100 - 100 * holes / (WIDTH * HEIGHT), places=5)
        self.assertIsNone(found["time-ms"])

    def test_without_masks_or_truth(self):
        scene = make_ini(self.path("made"), masks="none")
        for region in REGIONS:
            os.remove(os.path.join(scene, region + ".png"))
        found = evaluate("vcbw", scene)["runs"][0]["scenes"][0]
        self.assertEqual(list(found["regions"]), ["all"])
        ini = os.path.join(scene, "scene.ini")
        with open(ini, encoding="utf-8") as file:
            text = file.read().replace("gt_scale = 8", "gt_scale = none")
        with open(ini, "w", encoding="utf-8") as file:
            file.write(text)
        found = evaluate("vcbw", scene)["runs"][0]["scenes"][0]
        self.assertEqual(found["regions"], {})
        self.assertEqual(found["density"], 100)

    def test_width_or_height(self):
        """Of scene.ini: each one is checked by itself."""
        for key, size, other in (("width", WIDTH, "%dx%d" % (WIDTH + 1, HEIGHT)),
                                 ("height", HEIGHT, "%dx%d" % (WIDTH, HEIGHT + 1))):
            for more in 0, 1:
                scene = make_ini(self.path("%s%d" % (key, more)))
                with open(os.path.join(scene, "scene.ini"), "w", encoding="utf-8") as file:
                    file.write("[scene]\nndisp = 16\ngt_scale = 8\n%s = %d\n" % (key, size + more))
                if more:
                    self.fails("vcbw", scene, says="expected %s pixels, got %dx%d" % (
                        other, WIDTH, HEIGHT))
                else:
                    evaluate("vcbw", scene)

    def test_unknown_truth(self):
        """Unknown disparities of a scene.ini are 0, unless it says otherwise."""
        truth = [[0 if x < SHIFT else 8 * SHIFT for x in range(WIDTH)] for _ in range(HEIGHT)]
        for line, unknown in (("", SHIFT), ("gt_invalid = 0\n", SHIFT), ("gt_invalid = none\n", 0),
                              ("gt_invalid = %d\n" % (8 * SHIFT), WIDTH - SHIFT)):
            folder = self.path("unknown%d" % len(os.listdir(self.folder)))
            scene = make_ini(folder)
            for name in "nonocc", "all", "disc":
                os.remove(os.path.join(scene, name + ".png"))
            pictures.write_png(os.path.join(scene, "disp_left.png"), truth)
            with open(os.path.join(scene, "scene.ini"), "w", encoding="utf-8") as file:
                file.write("[scene]\nndisp = 16\ngt_scale = 8\n" + line)
            found = evaluate("vcbw", scene)["runs"][0]["scenes"][0]["regions"]
            self.assertEqual(found["all"]["pixels"], HEIGHT * (WIDTH - unknown))

    def test_empty_regions(self):
        """A region without pixels is not part of the average."""
        scene = make_ini(self.path("made"), masks="official")
        pictures.write_png(os.path.join(scene, "disc.png"),
                           [[128] * WIDTH for _ in range(HEIGHT)])
        for rank in ("bad-1", "mean"):
            found = evaluate("vcbw", scene, "--rank", rank, "--auc")["runs"][0]
            regions = found["scenes"][0]["regions"]
            self.assertEqual(regions["disc"]["pixels"], 0)
            self.assertIsNone(regions["disc"][rank])
            self.assertAlmostEqual(found["average"],
                                   (regions["nonocc"][rank] + regions["all"][rank]) / 2, places=5)
        printed = run("vcbw", scene, "--auc").stdout
        self.assertIn("average (bad-1): ", printed)
        self.assertNotIn("nan", printed)

    def test_deep_mask(self):
        """With 16 bits, no pixel is 255."""
        scene = make_ini(self.path("made"), masks="official")
        pictures.write_png(os.path.join(scene, "all.png"), constant(65535), depth=16)
        self.fails("vcbw", scene, says="all.png: has more than 8 bits; expected a mask with 255")

    def test_binary_mask(self):
        """With 1 where a pixel counts, no pixel is 255."""
        scene = make_ini(self.path("made"), masks="official")
        mask = [[x % 2 for x in range(WIDTH)] for _ in range(HEIGHT)]
        pictures.write_png(os.path.join(scene, "all.png"), mask)
        self.fails("vcbw", scene, says="all.png: has no values but 0 and 1; expected a mask with 255")

    def middlebury(self):
        folder = self.path("Piano")
        os.makedirs(folder)
        left, right = views(color=True)
        pictures.write_pnm(os.path.join(folder, "im0.ppm"), left)
        pictures.write_pnm(os.path.join(folder, "im1.ppm"), right, plain=True)
        truth = [[math.inf if y == 0 else SHIFT for _ in range(WIDTH)] for y in range(HEIGHT)]
        pictures.write_pfm(os.path.join(folder, "disp0GT.pfm"), truth)
        mask = [[0 if y == 0 else 128 if x < SHIFT else 255 for x in range(WIDTH)]
                for y in range(HEIGHT)]
        pictures.write_png(os.path.join(folder, "mask0nocc.png"), mask)
        with open(os.path.join(folder, "calib.txt"), "w", encoding="utf-8") as file:
            file.write("cam0=[3962 0 1146; 0 3962 975; 0 0 1]\ndoffs=107.9\nbaseline=237\n"
                       "width=%d\nheight=%d\nndisp=24\nvmin=2\nvmax=20\n" % (WIDTH, HEIGHT))
        return folder

    def test_middlebury(self):
        found = evaluate("vcbw", self.middlebury())["runs"][0]["scenes"][0]
        self.assertEqual(found["scene"], "Piano")
        self.assertEqual(found["num-disparities"], 24)
        self.assertEqual(sorted(found["regions"]), ["all", "nonocc"])
        self.assertEqual(found["regions"]["all"]["pixels"], WIDTH * (HEIGHT - 1))
        self.assertEqual(found["regions"]["nonocc"]["pixels"], (WIDTH - SHIFT) * (HEIGHT - 1))
        self.assertLess(found["regions"]["nonocc"]["bad-1"], 1)

    def kitti(self):
        folder = self.path("training")
        for name in ("image_2", "image_3", "disp_occ_0", "disp_noc_0"):
            os.makedirs(os.path.join(folder, name))
        for i in range(3):
            file = "%06d_10.png" % i
            left, right = views(seed=i)
            pictures.write_png(os.path.join(folder, "image_2", file), left)
            pictures.write_png(os.path.join(folder, "image_3", file), right)
            # second frames of KITTI, which are not used
            pictures.write_png(os.path.join(folder, "image_2", "%06d_11.png" % i), left)
            occ = [[256 * SHIFT if y > 2 else 0 for _ in range(WIDTH)] for y in range(HEIGHT)]
            noc = [[v if x >= SHIFT else 0 for x, v in enumerate(row)] for row in occ]
            pictures.write_png(os.path.join(folder, "disp_occ_0", file), occ, depth=16)
            pictures.write_png(os.path.join(folder, "disp_noc_0", file), noc, depth=16)
        return folder

    def test_kitti(self):
        scenes = evaluate("vcbw", self.kitti())["runs"][0]["scenes"]
        self.assertEqual([s["scene"] for s in scenes], ["%06d_10" % i for i in range(3)])
        for found in scenes:
            self.assertEqual(found["num-disparities"], 256)
            self.assertEqual(found["regions"]["all"]["pixels"], WIDTH * (HEIGHT - 3))
            self.assertEqual(found["regions"]["nonocc"]["pixels"],
                             (WIDTH - SHIFT) * (HEIGHT - 3))
        self.assertLess(scenes[0]["regions"]["nonocc"]["d1"], 20)

    def test_folder_of_scenes(self):
        os.makedirs(self.path("set", "not-a-scene"))
        for name in ("b", "a", "teddy", "tsukuba"):
            make_ini(self.path("set", name))
        names = [s["scene"] for s in evaluate("vcbw", self.path("set"))["runs"][0]["scenes"]]
        self.assertEqual(names, ["tsukuba", "teddy", "a", "b"])
        # scenes with equal names get different labels
        names = [s["scene"] for s in
                 evaluate("vcbw", self.path("set", "a"), self.path("set", "a"))["runs"][0]["scenes"]]
        self.assertEqual(names, ["a", "a-2"])

    def test_files(self):
        left, right = views()
        pictures.write_pnm(self.path("l.pgm"), left)
        pictures.write_pnm(self.path("r.pgm"), right, plain=True)
        pictures.write_png(self.path("t.png"), constant(SHIFT * 10))
        found = evaluate("vcbw", "num-disparities=16", "--left", self.path("l.pgm"), "--right",
                         self.path("r.pgm"), "--truth", self.path("t.png"), "--truth-scale", 10)
        scene = found["runs"][0]["scenes"][0]
        self.assertEqual(scene["scene"], "l")
        self.assertEqual(scene["num-disparities"], 16)
        self.assertEqual(scene["regions"]["all"]["pixels"], WIDTH * HEIGHT)
        # without ground truth there are still times
        found = evaluate("vcbw", "--left", self.path("l.pgm"), "--right", self.path("r.pgm"))
        self.assertEqual(found["runs"][0]["scenes"][0]["regions"], {})
        self.assertEqual(found["runs"][0]["scenes"][0]["num-disparities"], 64)
        # a map with ground truth needs no views
        pictures.write_pfm(self.path("m.pfm"), constant(SHIFT + 2))
        found = evaluate("--map", self.path("m.pfm"), "--truth", self.path("t.png"),
                         "--truth-scale", 10)
        self.assertEqual(found["runs"][0]["scenes"][0]["regions"]["all"]["mean"], 2)

    def test_high_byte_counts(self):
        """16-bit views are matched by their high bytes."""
        source = random.Random(3)
        left, right = views(seed=5)
        for name, rows in (("l", left), ("r", right)):
            pictures.write_png(self.path(name + "8.png"), rows)
            wide = [[v << 8 | source.randrange(256) for v in row] for row in rows]
            pictures.write_png(self.path(name + "16.png"), wide, depth=16)
            pictures.write_pnm(self.path(name + "16.pgm"), wide, maximum=65535)
        maps = []
        for ending in ("8.png", "16.png", "16.pgm"):
            evaluate("vcbw", "num-disparities=12", "--left", self.path("l" + ending), "--right",
                     self.path("r" + ending), "--save", self.path("out"))
            name = "l" + ending.split(".", maxsplit=1)[0]
            with open(self.path("out", name + ".pfm"), "rb") as file:
                maps.append(file.read())
        self.assertEqual(maps[0], maps[1])
        self.assertEqual(maps[0], maps[2])

    def test_empty_high_byte(self):
        """Samples of 12 bits that were not shifted left are reported."""
        for name, rows in zip("lr", views(seed=5)):
            for bits in 12, 16:
                shifted = [[v << bits - 8 for v in row] for row in rows]
                pictures.write_png(self.path("%s%d.png" % (name, bits)), shifted, depth=16)
                pictures.write_pnm(self.path("%s%d.pgm" % (name, bits)), shifted,
                                   maximum=2 ** bits - 1)

        def warnings(ending):
            files = [self.path(name + ending) for name in "lr"]
            result = run("vcbw", "num-disparities=12", "--left", files[0], "--right", files[1])
            self.assertEqual(result.returncode, 0)
            return result.stderr
        for ending in ("16.png", "16.pgm", "12.pgm"):
            self.assertEqual(warnings(ending), "")
        found = warnings("12.png").splitlines()
        self.assertEqual(len(found), 2)
        for name, line in zip("lr", found):
            self.assertRegex(line, "^warning: .*%s12.png: has 16 bits without a value above 4095, "
                             ".*: shift samples of 10 or 12 bits left$" % name)


def blocks(seed, color):
    """Views of 8x8 blocks, each of one colour: (left, right), of samples or of Y, Cb, Cr."""
    source = random.Random(seed)
    tiles = [[(source.randrange(90, 160), source.randrange(110, 150), source.randrange(110, 150))
              if color else source.randrange(256) for _ in range(WIDTH // 8 + 1)]
             for _ in range(HEIGHT // 8)]
    wide = [[tile for tile in tiles[y // 8] for _ in range(8)] for y in range(HEIGHT)]
    return [row[:WIDTH] for row in wide], [row[8:] for row in wide]


def rgb(pixel):
    """R, G, B of a JFIF pixel (Y, Cb, Cr)."""
    y, cb, cr = pixel[0], pixel[1] - 128, pixel[2] - 128
    return tuple(max(0, min(255, math.floor(v + 0.5))) for v in (
        y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb))


# The rows of a photograph that EXIF stores with each orientation
STORED = {
    1: lambda rows: rows,
    2: lambda rows: [row[::-1] for row in rows],
    3: lambda rows: [row[::-1] for row in rows[::-1]],
    4: lambda rows: rows[::-1],
    5: lambda rows: list(zip(*rows)),
    6: lambda rows: list(zip(*rows))[::-1],
    7: lambda rows: [row[::-1] for row in list(zip(*rows))[::-1]],
    8: lambda rows: list(zip(*rows[::-1])),
}


class Downloaded(Case):
    """Folders with the layout of the benchmarks' archives."""

    def setUp(self):
        super().setUp()
        self.left, self.right = views(color=True)
        # the mask has occluded and unknown pixels
        self.truth = constant(float(SHIFT))
        self.truth[3][10:20] = [math.inf] * 10
        self.mask = [[0 if v == math.inf else 128 if x < SHIFT else 255
                      for x, v in enumerate(row)] for row in self.truth]

    def put(self, write, rows, *parts, **more):
        path = self.path(*parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, rows, **more)

    def put_text(self, text, *parts):
        os.makedirs(os.path.dirname(self.path(*parts)), exist_ok=True)
        with open(self.path(*parts), "w", encoding="utf-8") as file:
            file.write(text)

    def regions(self, *arguments, properties=()):
        """The result of the only scene."""
        scenes = evaluate("vcbw", *properties, *arguments)["runs"][0]["scenes"]
        self.assertEqual(len(scenes), 1)
        self.assertIsNone(scenes[0]["error"])
        return scenes[0]

    def put_calibration(self, *parts):
        self.put_text("cam0=[3997.684 0 1176.728; 0 3997.684 1011.728; 0 0 1]\n"
                      "cam1=[3997.684 0 1307.839; 0 3997.684 1011.728; 0 0 1]\n"
                      "doffs=131.111\nbaseline=193.001\nwidth=%d\nheight=%d\nndisp=16\nisint=0\n"
                      "vmin=3\nvmax=12\ndyavg=0.918\ndymax=1.516\n" % (WIDTH, HEIGHT), *parts)

    def test_middlebury_2014(self):
        scene = "Adirondack-perfect"
        for name in ("im0.png", "im1.png", "im1E.png", "im1L.png"):
            self.put(pictures.write_png, self.left if name == "im0.png" else self.right, scene, name)
        for name in ("disp0.pfm", "disp1.pfm", "disp0-sd.pfm"):
            self.put(pictures.write_pfm, self.truth, scene, name)
        self.put(pictures.write_pnm, constant(3), scene, "disp0-n.pgm")
        self.put_calibration(scene, "calib.txt")
        found = self.regions(self.path(scene))
        self.assertEqual(found["scene"], scene)
        self.assertEqual(sorted(found["regions"]), ["all"])
        self.assertEqual(found["regions"]["all"]["pixels"], WIDTH * HEIGHT - 10)

    def test_middlebury_third_evaluation(self):
        for name, rows in (("im0", self.left), ("im1", self.right), ("mask0nocc", self.mask)):
            self.put(pictures.write_png, rows, "trainingQ", "Adirondack", name + ".png")
        self.put(pictures.write_pfm, self.truth, "trainingQ", "Adirondack", "disp0GT.pfm")
        self.put_calibration("trainingQ", "Adirondack", "calib.txt")
        found = self.regions(self.path("trainingQ"))["regions"]
        self.assertEqual(found["all"]["pixels"], WIDTH * HEIGHT - 10)
        self.assertEqual(found["nonocc"]["pixels"], HEIGHT * (WIDTH - SHIFT) - 10)
        self.assertEqual(found["nonocc"]["bad-1"], 0)

    def test_eth3d(self):
        """Two archives; the second one contains the ground truth."""
        scene = ("two_view_training", "delivery_area_1l")
        self.put(pictures.write_png, self.left, *scene, "im0.png")
        self.put(pictures.write_png, self.right, *scene, "im1.png")
        self.put_calibration(*scene, "calib.txt")
        self.put_text("# images\n", *scene, "images.txt")
        alone = self.regions(self.path(scene[0]))
        self.assertFalse(alone["regions"])
        self.put(pictures.write_pfm, self.truth, scene[0] + "_gt", scene[1], "disp0GT.pfm")
        self.put(pictures.write_png, self.mask, scene[0] + "_gt", scene[1], "mask0nocc.png")
        for folder in (self.path(scene[0]), self.path(*scene), self.path(*scene) + "/"):
            found = self.regions(folder)
            self.assertEqual(found["scene"], scene[1])
            self.assertEqual(found["regions"]["all"]["pixels"], WIDTH * HEIGHT - 10)
            self.assertEqual(found["regions"]["nonocc"]["bad-1"], 0)
        # both archives in one folder
        self.put(pictures.write_pfm, constant(1.0), *scene, "disp0GT.pfm")
        self.assertEqual(self.regions(self.path(*scene))["regions"]["all"]["pixels"],
                         WIDTH * HEIGHT)

    def test_kitti(self):
        """Both years; 16-bit maps with 0 = unknown; test scenes without ground truth."""
        codes = [[0 if v == math.inf else int(v * 256) for v in row] for row in self.truth]
        seen = [[0 if x < SHIFT else v for x, v in enumerate(row)] for row in codes]
        for left, right, occ, noc, root in (
                ("image_2", "image_3", "disp_occ_0", "disp_noc_0", "data_scene_flow"),
                ("colored_0", "colored_1", "disp_occ", "disp_noc", "data_stereo_flow")):
            for half in ("training", "testing"):
                for frame in ("000000_10.png", "000000_11.png"):
                    self.put(pictures.write_png, self.left, root, half, left, frame)
                    self.put(pictures.write_png, self.right, root, half, right, frame)
            self.put(pictures.write_png, codes, root, "training", occ, "000000_10.png", depth=16)
            self.put(pictures.write_png, seen, root, "training", noc, "000000_10.png", depth=16)
            found = self.regions(self.path(root, "training"), properties=["num-disparities=16"])
            self.assertEqual(found["scene"], "000000_10")
            found = found["regions"]
            self.assertEqual(found["all"]["pixels"], WIDTH * HEIGHT - 10)
            self.assertEqual(found["nonocc"]["pixels"], HEIGHT * (WIDTH - SHIFT) - 10)
            self.assertEqual(found["nonocc"]["bad-1"], 0)
            testing = self.regions(self.path(root, "testing"), properties=["num-disparities=16"])
            self.assertFalse(testing["regions"])

    def can_read_jpeg(self):
        self.put(pictures.write_jpeg, constant(5), "one.jpg")
        result = run("vcbw", "--left", self.path("one.jpg"), "--right", self.path("one.jpg"))
        if "without libjpeg" in result.stderr:
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
            self.skipTest("this build has no libjpeg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def saved(self, scene, *properties):
        evaluate("esaw", "cost=rgb", *properties, "--save", self.path("out"), scene)
        with open(self.path("out", os.path.basename(scene) + ".pfm"), "rb") as file:
            return file.read()

    def test_jpeg(self):
        """JPEG views give the maps of PNG files with the same pixels, in any layout."""
        self.can_read_jpeg()
        for color in (False, True):
            pair = blocks(3, color)
            exact = [[[rgb(p) for p in row] for row in view] if color else view for view in pair]
            for name, ending, write, two in (("png", "png", pictures.write_png, exact),
                                             ("jpg", "jpg", pictures.write_jpeg, pair),
                                             ("jpeg", "jpeg", pictures.write_jpeg, pair)):
                for number in (0, 1):
                    self.put(write, two[number], name, "im%d.%s" % (number, ending))
                self.put_calibration(name, "calib.txt")
                self.put(pictures.write_pfm, constant(8.0), name, "disp0.pfm")
            maps = [self.saved(self.path(name)) for name in ("png", "jpg", "jpeg")]
            self.assertEqual(maps[0], maps[1])
            self.assertEqual(maps[0], maps[2])
        for number, folder in enumerate(("image_2", "image_3")):
            self.put(pictures.write_jpeg, pair[number], "kitti", folder, "000003_10.jpg")
        self.put(pictures.write_png, [[2048] * WIDTH] * HEIGHT, "kitti", "disp_occ_0",
                 "000003_10.png", depth=16)
        found = self.regions(self.path("kitti"), properties=["num-disparities=16"])
        self.assertEqual((found["scene"], found["regions"]["all"]["pixels"]),
                         ("000003_10", WIDTH * HEIGHT))

    def saved_photographs(self, pair, exif):
        for number in (0, 1):
            self.put(pictures.write_jpeg, pair[number], "photographs", "im%d.jpg" % number, exif=exif)
        self.put_calibration("photographs", "calib.txt")
        self.put(pictures.write_pfm, constant(8.0), "photographs", "disp0.pfm")
        return self.saved(self.path("photographs"))

    def test_orientation(self):
        """Photographs are matched as viewers show them."""
        self.can_read_jpeg()
        for color in (False, True):
            pair = blocks(3, color)
            expected = self.saved_photographs(pair, None)
            for number, store in STORED.items():
                with self.subTest(color=color, orientation=number):
                    exif = pictures.exif_of(number, "<>"[number % 2])
                    self.assertEqual(self.saved_photographs([store(view) for view in pair], exif),
                                     expected)
        whole = pictures.exif_of(6)
        damaged = [whole[:size] for size in range(len(whole))]
        damaged += [pictures.exif_of(0), pictures.exif_of(9), whole[:10] + b"\xff" * 4 + whole[14:]]
        for exif in damaged:
            with self.subTest(exif=exif):
                self.assertEqual(self.saved_photographs(pair, exif), expected)

    def test_jpeg_map(self):
        """JPEG changes disparities, by pixels where they are discontinuous."""
        self.can_read_jpeg()
        scene = make_ini(self.path("made"))
        for scale in ((), ("--map-scale", 1)):
            self.fails("--map", self.path("one.jpg"), *scale, scene,
                       says="one.jpg: is a JPEG file, which does not keep values; expected a map")
        os.remove(os.path.join(scene, "disp_left.png"))
        self.put(pictures.write_jpeg, constant(40), "made", "disp_left.jpg")
        self.fails("vcbw", scene, says="disp_left.jpg: is a JPEG file")

    def test_damaged_jpeg(self):
        self.can_read_jpeg()
        self.put(pictures.write_jpeg, blocks(3, True)[0], "good.jpg")
        with open(self.path("good.jpg"), "rb") as file:
            data = file.read()
        size = data.index(b"\xff\xc0") + 5
        for name, bad, says in (
                ("half", data[:-20], "cut off or damaged: Premature end"), ("head", data[:30], "JPEG"),
                ("arithmetic", data.replace(b"\xff\xc0", b"\xff\xc9"), "arithmetic"),
                ("large", data[:size] + b"\x3f\xff\x3f\xff" + data[size + 4:], "cut off"),
                ("larger", data[:size] + b"\x40\x01\x40\x01" + data[size + 4:], "16385x16385"),
                ("table", data.replace(b"\xff\xdb", b"\xff\xfe"), "JPEG")):
            with open(self.path(name + ".jpg"), "wb") as file:
                file.write(bad)
            with self.subTest(name=name):
                self.fails("vcbw", "--left", self.path(name + ".jpg"), "--right",
                           self.path("good.jpg"), says=(name + ".jpg", says))
        self.put(pictures.write_jpeg, [[(8, 16, 24, 32)] * 8] * 8, "cmyk.jpg")
        self.fails("vcbw", "--left", self.path("cmyk.jpg"), "--right", self.path("good.jpg"),
                   says=("cmyk.jpg", "4 channels"))


class Output(Case):
    def test_csv_is_json(self):
        scene = make_ini(self.path("made, \"quoted\""))
        arguments = ("--compare", "vcbw", "vcbw windows=four radius=4", scene)
        tree = evaluate(*arguments)
        result = run("--csv", *arguments)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual(len(rows), 6)
        for i, row in enumerate(rows):
            entry = tree["runs"][i // 3]
            right = entry["scenes"][0]["regions"][row["region"]]
            self.assertEqual(row["label"], entry["label"])
            self.assertEqual(row["scene"], "made, \"quoted\"")
            self.assertEqual(row["error"], "")
            for name, value in right.items():
                self.assertAlmostEqual(float(row[name]), value, places=5)
            self.assertGreater(float(row["time-ms"]), 0)

    def test_table(self):
        """The table has the figures of the JSON output."""
        scene = make_ini(self.path("made"))
        entry = evaluate("vcbw", scene)["runs"][0]
        right = entry["scenes"][0]["regions"]
        lines = run("vcbw", scene).stdout.splitlines()
        self.assertEqual(lines[0], "vcbw")
        self.assertEqual(lines[-1], "average (bad-1): %.3f" % entry["average"])
        header = next(i for i, l in enumerate(lines) if l.startswith("scene"))
        names = lines[header].replace("time ms", "time").split()
        for i, region in enumerate(REGIONS):
            words = lines[header + 1 + i].split()
            if i > 0:
                words = ["made"] + words
            values = dict(zip(names, words))
            self.assertEqual(values["region"], region)
            self.assertEqual(int(values["pixels"]), right[region]["pixels"])
            for name in ("bad-0.5", "bad-1", "bad-2", "bad-4", "d1", "mean", "rms", "density"):
                self.assertEqual(values[name], rounded(right[region][name]))
            # columns are right-aligned
            self.assertEqual(lines[header].index("pixels") + 6,
                             lines[header + 1 + i].index(values["pixels"]) + len(values["pixels"]))

    def test_confidence(self):
        """An ideal confidence ranks all right pixels before the wrong ones, so that the share e
        of wrong ones gives the area e + (1 - e) ln (1 - e)."""
        scene = make_ini(self.path("made"))
        pictures.write_png(os.path.join(scene, "disp_left.png"),
                           [[8 * (SHIFT + 3 * (x < 10)) for x in range(WIDTH)]
                            for _ in range(HEIGHT)])
        regions = evaluate("--auc", "sgm lr-max-diff=-1", scene)["runs"][0]["scenes"][0]["regions"]
        total = [0, 0]
        for region in regions.values():
            bad = region["bad-1"] / 100
            ideal = bad + (1 - bad) * math.log(1 - bad)
            self.assertAlmostEqual(region["auc-ideal"], 100 * ideal, delta=0.5)
            self.assertLessEqual(region["auc-ideal"], region["auc"] + 1e-9)
            self.assertLess(region["auc"], 100)
            total[0] += region["auc"] / 3
            total[1] += region["auc-ideal"] / 3
        self.assertGreater(regions["all"]["auc"], regions["all"]["auc-ideal"])
        lines = run("--auc", "sgm lr-max-diff=-1", scene).stdout.splitlines()
        self.assertEqual(lines[-1], "average: %.3f, ideal %.3f" % tuple(total))
        self.assertEqual([line.split()[-2:] for line in lines[-4:-1]],
                         [[rounded(regions[r]["auc"]), rounded(regions[r]["auc-ideal"])]
                          for r in REGIONS])

    def test_compare(self):
        scene = make_ini(self.path("made"))
        tree = evaluate("radius=3", "--compare", "vcbw", "vcbw radius=4 median=true", scene)
        self.assertEqual([r["label"] for r in tree["runs"]],
                         ["vcbw radius=3", "vcbw radius=4 median=true"])
        self.assertEqual(tree["runs"][1]["properties"], {"radius": "4", "median": "true"})
        text = run("--compare", "vcbw", "vcbw median=true", "--", scene).stdout
        self.assertIn("A  vcbw\n", text)
        self.assertIn("B  vcbw median=true\n", text)
        self.assertIn("best: ", text)
        self.assertIn("pixels", run("--details", "--compare", "vcbw", "vcbw radius=2", "--",
                                    scene).stdout)
        # properties of all, wherever they are
        for arguments in (("--compare", "vcbw radius=2", "sgm", "cost=census", scene),
                          ("cost=census", "--compare", "vcbw radius=2", "sgm", "--", scene)):
            self.assertEqual([r["label"] for r in evaluate(*arguments)["runs"]],
                             ["vcbw cost=census radius=2", "sgm cost=census"])

    def test_sweep(self):
        scene = make_ini(self.path("made"))
        # 4 disparities do not include the correct one, 5
        tree = evaluate("vcbw", "--sweep", "num-disparities=2:8:2", scene)
        self.assertEqual([r["properties"]["num-disparities"] for r in tree["runs"]],
                         ["2", "4", "6", "8"])
        averages = [r["average"] for r in tree["runs"]]
        self.assertGreater(averages[0], 90)
        self.assertLess(averages[2], 20)
        best = min(tree["runs"], key=lambda r: r["average"])
        self.assertEqual(tree["best"], best["label"])
        text = run("vcbw", "--sweep", "num-disparities=2:8:2", scene).stdout
        self.assertIn("best: %s (bad-1 %.3f)" % (best["label"], best["average"]), text)
        tree = evaluate("vcbw", "--sweep", "radius=1:2", "--sweep", "windows=nine,four", scene)
        self.assertEqual(len(tree["runs"]), 4)

    def test_rank(self):
        """Any measure can rank the runs; for density, higher is better."""
        scene = make_ini(self.path("made"))
        sweep = ("vcbw", "--sweep", "radius=1:4", scene)
        for name in ("bad-0.5", "bad-2", "d1", "mean", "rms"):
            tree = evaluate("--rank", name, *sweep)
            regions = [[r[name] for s in e["scenes"] for r in s["regions"].values()]
                       for e in tree["runs"]]
            means = [sum(r) / len(r) for r in regions]
            for entry, mean in zip(tree["runs"], means):
                self.assertAlmostEqual(entry["average"], mean, places=5)
            self.assertEqual(tree["best"], tree["runs"][means.index(min(means))]["label"])
        tree = evaluate("--rank", "time", *sweep)
        times = [e["time-ms"] for e in tree["runs"]]
        self.assertEqual(tree["best"], tree["runs"][times.index(min(times))]["label"])

    def test_save(self):
        scene = make_ini(self.path("made"))
        # disparities of 5; then unknown, good, off by 2, off by 40 and a hole
        truth = constant(SHIFT * 8)
        truth[0][10] = 0
        everywhere = constant(255)
        everywhere[0][10] = 0
        pictures.write_png(os.path.join(scene, "disp_left.png"), truth)
        pictures.write_png(os.path.join(scene, "all.png"), everywhere)
        rows = constant(float(SHIFT))
        rows[0][12], rows[0][13], rows[0][14], rows[0][0] = 7.0, 45.5, math.inf, 9.0
        rows[0][15] = 0.0
        pictures.write_pfm(self.path("map.pfm"), rows)
        evaluate("--map", self.path("map.pfm"), "--save", self.path("out"), scene)
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["made-color.png", "made-error.png", "made.pfm", "made.png"])
        self.assertEqual(pictures.read_pfm(self.path("out", "made.pfm")), rows)
        codes = pictures.read_png(self.path("out", "made.png"))
        self.assertEqual(codes[0][12:16], [7 * 256, 45 * 256 + 128, 0, 1])
        self.assertEqual(codes[5][5], SHIFT * 256)
        picture = pictures.read_png(self.path("out", "made-error.png"))[0]
        self.assertEqual(picture[10], (0, 0, 0))
        self.assertEqual(len(set(picture[11])), 1)
        for x in (12, 13, 14):
            red, green, blue = picture[x]
            self.assertGreater(red, green + 20)
            self.assertGreater(red, blue + 20)
        self.assertGreater(picture[12][1], picture[13][1])
        self.assertEqual(picture[13], picture[14])
        self.assertGreater(picture[0][2], picture[0][0] + 20)
        color = pictures.read_png(self.path("out", "made-color.png"))[0]
        self.assertEqual(color[14], (0, 0, 0))
        self.assertNotEqual(color[12], color[13])

    def test_colours_begin_at_the_smallest_disparity(self):
        scene = make_ini(self.path("made"))
        found = []
        for least in (SHIFT, SHIFT - 7, 0):
            evaluate("sgm", "subpixel=false", "num-disparities=8", "min-disparity=%d" % least,
                     "--save", self.path("out"), scene)
            found.append(pictures.read_png(self.path("out", "made-color.png"))[12][30])
        # the far end of the colours, the near end, and between them
        self.assertEqual(found[:2], [(40, 20, 90), (130, 15, 20)])
        self.assertNotIn(found[2], found[:2])

    def test_invalid_values_of_floats(self):
        """Numbers are rounded as those of the file are."""
        scene = make_ini(self.path("made"))
        for text in ("-1", "0.1", "-9999.9", "3.4028235e38"):
            rows = constant(float(SHIFT))
            rows[3][20] = float(text) if text[0] != "3" else 3.4028234663852886e38
            pictures.write_pfm(self.path("map.pfm"), rows)
            regions = evaluate("--map", self.path("map.pfm"), "--map-invalid", text,
                               scene)["runs"][0]["scenes"][0]["regions"]
            self.assertAlmostEqual(regions["all"]["density"], 100 - 100 / (WIDTH * HEIGHT), 4)
            self.assertEqual(regions["all"]["mean"], 0)

    def test_saved_maps_are_what_was_measured(self):
        scene = make_ini(self.path("made"))
        first = evaluate("vcbw", "radius=2", "--save", self.path("out"), scene)
        for name in ("made.pfm", "made.png"):
            again = evaluate("--map", self.path("out", name), scene)
            self.assertEqual(again["runs"][0]["scenes"][0]["regions"]["all"]["bad-1"],
                             first["runs"][0]["scenes"][0]["regions"]["all"]["bad-1"])
        # 16 bits hold 0 to 255.99 pixels, and have no code for the others
        rows = constant(float(SHIFT))
        rows[0][20:24] = 255.5, 256.5, 440.0, -20.0
        pictures.write_pfm(self.path("map.pfm"), rows)
        evaluate("--map", self.path("map.pfm"), "--save", self.path("far"), scene)
        self.assertEqual(pictures.read_png(self.path("far", "made.png"))[0][20:24],
                         [65408, 0, 0, 0])
        self.assertEqual(pictures.read_pfm(self.path("far", "made.pfm")), rows)
        evaluate("--compare", "vcbw", "vcbw radius=2", "--save", self.path("two"), "--", scene)
        self.assertEqual(sorted(os.listdir(self.path("two"))), ["vcbw", "vcbw_radius=2"])
        self.assertIn("made.pfm", os.listdir(self.path("two", "vcbw")))

    def test_runs_whose_folders_have_equal_names(self):
        """Each run has a folder of its own, whatever its label is."""
        scene = make_ini(self.path("made"))
        # longer than the name of a folder
        many = ["sgm", *["%s=%s" % pair for pair in (
            ("predecessors", 1), ("min-disparity", 0), ("disparity-scale", 16), ("invalid-value", 0),
            ("median", "false"), ("subpixel", "false"), ("lr-max-diff", -1), ("speckle-size", 0),
            ("fill", "false"), ("refine", "none"), ("min-confidence", 0), ("check", "single"),
            ("cost", "census"), ("temporal", 0))]]
        self.assertGreater(len(" ".join(many)), 200)
        tree = evaluate(*many, "--sweep", "num-disparities=2,16", "--save", self.path("long"), scene)
        names = sorted(os.listdir(self.path("long")))
        self.assertEqual((len(names), names[1]), (2, names[0] + "-2"))
        for name, entry in zip(names, tree["runs"]):
            again = evaluate("--map", self.path("long", name, "made.pfm"), scene)
            self.assertEqual(again["runs"][0]["average"], entry["average"])
        evaluate("--compare", "vcbw", "sgm", "vcbw", "--save", self.path("same"), "--", scene)
        self.assertEqual(sorted(os.listdir(self.path("same"))), ["sgm", "vcbw", "vcbw-3"])

    def test_threads_and_backend_agree(self):
        scene = make_ini(self.path("made"))
        right = evaluate("vcbw", scene)["runs"][0]["scenes"][0]["regions"]
        for arguments in (("--threads", 1), ("--backend", "cpu"), ("--simd", "none")):
            found = evaluate("vcbw", scene, *arguments)
            self.assertEqual(found["runs"][0]["scenes"][0]["regions"], right)
        self.assertEqual(found["backend"], "cpu")

    def test_help_version_list(self):
        for option in ("--help", "-h", "--version", "--list"):
            result = run(option)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
            text = file.read()
        version = re.search(r"version: '([\d.]+)'", text).group(1)
        self.assertEqual(run("--version").stdout, "stereo-eval %s\n" % version)
        names = re.search(r"^algorithms = \[(.*?)\]", text, re.MULTILINE | re.DOTALL).group(1)
        listed = re.findall(r"^(\w+): ", run("--list").stdout, re.MULTILINE)
        self.assertEqual(listed, re.findall(r"\w+", names))
        text = run("--list").stdout
        self.assertRegex(text, r"(?m)^  windows +nine, four +nine ")
        self.assertRegex(text, r"(?m)^  radius +1 to 32 +16 ")
        usage = run("--help").stdout
        for option in ("--all", "--compare", "--sweep", "--map", "--save", "--json", "--csv",
                       "--keep-going", "--backend", "--threads", "--left", "--truth-scale"):
            self.assertIn(option, usage)

    def test_progress(self):
        """Shows a progress bar on terminals and removes it at the end."""
        for name in ("a", "b", "c"):
            make_ini(self.path("set", name))
        self.assertEqual(run("vcbw", self.path("set")).stderr, "")
        seen, _ = program.run_on_terminal("vcbw", self.path("set"))
        self.assertIn(b"2/3", seen)
        self.assertIn(b"#", seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen)

    def test_full_disk(self):
        self.can_not_be_written("vcbw", make_ini(self.path("made")))


class BadInput(Case):
    def test_arguments(self):
        scene = make_ini(self.path("made"))
        for arguments, says in (
                ((), "No algorithm given"),
                (("no-such",), "'no-such'"),
                (("vcbw", "--bogus"), "'--bogus'"),
                (("vcbw", "--threads"), "--threads needs"),
                (("vcbw", "--json=out=x"), "--json takes no value, got 'out=x'"),
                (("vcbw", "--threads", "x"), "0 to 1024"),
                (("vcbw", "--backend", "gpu", scene), "auto, cpu or cuda"),
                (("vcbw", "--simd", "mmx", scene), "'mmx'"),
                (("vcbw", "--rank", "beauty"), "'beauty'"),
                (("vcbw", "--json", "--csv"), "exclude"),
                (("--all", "--compare", "vcbw"), "exclude"),
                (("--compare",), "--compare needs"),
                (("--compare", "vcbw", "weights=my net.txt"), "vcbw: Cannot open my net.txt: "),
                (("--compare", "vcbw", "no-such radius=3"), "'no-such'"),
                (("vcbw", "--left", "x.png"), "each other"),
                (("vcbw", "--truth", "x.png"), "--truth needs"),
                (("vcbw", "--map-scale", "0"), "above 0"),
                (("vcbw", "--map-scale", "4"), "--map-scale and --map-invalid need --map"),
                (("vcbw", "--map-invalid", "none"), "--map-scale and --map-invalid need --map"),
                (("vcbw", "--truth-scale", "4"), "--truth-scale and --truth-invalid need --truth"),
                (("--map", "map.pfm", "--truth-invalid", "3"),
                 "--truth-scale and --truth-invalid need --truth"),
                (("vcbw", "--map-invalid", "x"), "or none"),
                (("vcbw", scene, "--save", ""), "--save: expected a folder, got ''"),
                (("vcbw", "height=3", scene), "'height'"),
                (("vcbw", "radius=0", scene), ("radius", "1 to 32")),
                (("vcbw", "radius=many", scene), ("radius", "many")),
                (("vcbw", "windows=six", scene), ("windows = 'six'", "nine or four")),
                (("vcbw", "vcbw", scene), "--compare"),
                (("--all", "vcbw", scene), "'vcbw': --all takes no algorithm"),
                (("--map", "x.pfm", "vcbw", scene), "'vcbw': --map takes no algorithm"),
                (("--compare", "vcbw", "--json", "sgm"), "'sgm': name all algorithms directly after"),
                (("vcbw", "num-disparities=0", scene), "num-disparities"),
                (("vcbw", "--sweep", "radius=3", scene, "--sweep", "radius=1:0", scene), "radius"),
                (("vcbw", "--sweep", "radius=30:34", scene), "1 to 32"),
                (("--map", "x.pfm", "radius=3", scene), "no properties"),
                (("--map", "x.pfm", "--auc", scene), "--auc: a map has no confidence"),
                (("--map", self.path("no.pfm"), scene), "no.pfm: cannot be opened"),
                (("vcbw", self.path("nowhere")), "nowhere: no such folder"),
                (("vcbw", self.folder, self.path("made", "left.png")), "is not a folder")):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, says=says)

    def test_no_datasets(self):
        env = dict(os.environ, STEREO_DATASETS=self.path("nowhere"))
        result = run("vcbw", env=env)
        self.assertEqual(result.returncode, 2)
        self.assertIn("STEREO_DATASETS", result.stderr)

    def test_images(self):
        for number, name in enumerate(("left", "right", "disp_left", "nonocc", "all", "disc")):
            scene = make_ini(self.path("made%d" % number))
            path = os.path.join(scene, name + ".png")
            with open(path, "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(data[:len(data) * 2 // 3])
            self.fails("vcbw", scene, says=(path, "cut off"))
            with open(path, "wb") as file:
                file.write(b"GIF89a")
            self.fails("vcbw", scene, says=(path, "none of PNG"))
            pictures.write_png(path, [[0] * (WIDTH + 1)] * HEIGHT)
            self.fails("vcbw", scene, says=(path, "49x24", "48x24"))
            os.remove(path)
            self.fails("vcbw", scene, says=(path, "cannot be opened"))

    def test_colour_where_none_belongs(self):
        scene = make_ini(self.path("made"))
        pictures.write_png(os.path.join(scene, "disp_left.png"), constant((1, 2, 3)))
        self.fails("vcbw", scene, says=("disp_left.png", "colour"))
        pictures.write_pfm(os.path.join(scene, "left.png"), constant(1.0))
        self.fails("vcbw", scene, says=("left.png", "PFM"))

    def test_byte_order_mark(self):
        """Of scene.ini, as some editors write it."""
        scene = make_ini(self.path("made"))
        ini = os.path.join(scene, "scene.ini")
        with open(ini, encoding="utf-8") as file:
            text = file.read()
        with open(ini, "w", encoding="utf-8-sig", newline="\r\n") as file:
            file.write(text)
        evaluate("vcbw", scene)

    def test_ini(self):
        good = "[scene]\nndisp = 16\ngt_scale = 8\n"
        for number, (text, says) in enumerate((
                ("", "[scene]"),
                ("ndisp = 16\n", "[scene]"),
                ("[scene]\n", "ndisp"),
                ("[scene]\nndisp = many\n", ("ndisp", "many")),
                ("[scene]\nndisp = 0\n", "ndisp = 0"),
                ("[scene]\nndisp = nan\n", "ndisp = nan"),
                ("[scene]\nndisp = 16\n", "gt_scale"),
                (good + "nonsense\n", "line 4"),
                (good + "x" * 5000, "line 4 is too long"),
                (good + "gt_invalid = x\n", "gt_invalid = x"),
                (good.replace("8", "-8"), "gt_scale = -8"),
                (good + "width = 99\n", "left.png"),
                ("\0\1\2\xff" * 50, "scene.ini"))):
            scene = make_ini(self.path("made%d" % number))
            with open(os.path.join(scene, "scene.ini"), "w", encoding="latin-1") as file:
                file.write(text)
            with self.subTest(text=text[:40]):
                self.fails("vcbw", scene, says=says)
        scene = make_ini(self.path("folder"))
        os.remove(os.path.join(scene, "scene.ini"))
        os.makedirs(os.path.join(scene, "scene.ini"))
        self.fails("vcbw", scene, says="scene.ini")

    def test_other_layouts(self):
        folder = self.path("piano")
        os.makedirs(folder)
        left, right = views()
        pictures.write_png(os.path.join(folder, "im0.png"), left)
        self.fails("vcbw", folder, says="im1.png: cannot be opened")
        pictures.write_png(os.path.join(folder, "im1.png"), right)
        with open(os.path.join(folder, "calib.txt"), "w", encoding="utf-8") as file:
            file.write("ndisp=lots\n")
        self.fails("vcbw", folder, says="calib.txt: ndisp = lots")
        folder = self.path("kitti")
        for name in ("image_2", "image_3", "disp_occ_0"):
            os.makedirs(os.path.join(folder, name))
        self.fails("vcbw", folder, says="image_2: has no *_10.png")
        pictures.write_png(os.path.join(folder, "image_2", "000000_10.png"), left)
        self.fails("vcbw", folder, says=os.path.join("image_3", "000000_10.png"))
        pictures.write_png(os.path.join(folder, "image_3", "000000_10.png"), right)
        self.fails("vcbw", folder, says=os.path.join("disp_occ_0", "000000_10.png"))

    def test_maps(self):
        scene = make_ini(self.path("made"))
        pictures.write_png(self.path("map.png"), constant(40))
        self.fails("--map", self.path("map.png"), scene, says=("map.png", "--map-scale"))
        pictures.write_png(self.path("map.png"), [[1]])
        self.fails("--map", self.path("map.png"), "--map-scale", 1, scene, says="1x1")
        make_ini(self.path("other"))
        self.fails("--map", self.path("map.png"), scene, self.path("other"), says="{scene}")
        self.fails("--map", "{scene}/x{scene}{scene}.pfm", scene, says="made/xmademade.pfm: ")

    def test_keep_going(self):
        for name in ("a", "b", "c"):
            make_ini(self.path("set", name))
        os.remove(self.path("set", "b", "right.png"))
        self.fails("vcbw", self.path("set"), says=os.path.join("b", "right.png"))
        result = run("vcbw", "--keep-going", "--json", self.path("set"))
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("right.png", result.stderr)
        tree = json.loads(result.stdout)
        scenes = tree["runs"][0]["scenes"]
        self.assertEqual([s["error"] is None for s in scenes], [True, False, True])
        self.assertIn("right.png", scenes[1]["error"])
        self.assertNotIn("regions", scenes[1])
        self.assertEqual(scenes[2]["regions"]["all"]["pixels"], WIDTH * HEIGHT)
        text = run("vcbw", "--keep-going", self.path("set")).stdout
        self.assertRegex(text, r"(?m)^b +failed$")
        rows = list(csv.DictReader(io.StringIO(
            run("vcbw", "--keep-going", "--csv", self.path("set")).stdout)))
        self.assertIn("right.png", [r for r in rows if r["scene"] == "b"][0]["error"])

    def test_save_creates_folders(self):
        result = run("vcbw", make_ini(self.path("made")), "--save", self.path("a", "b", "c"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.path.exists(self.path("a", "b", "c", "made.pfm")))

    def test_save_where_it_can_not_be(self):
        scene = make_ini(self.path("made"))
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        result = run("vcbw", scene, "--save", self.path("file", "out"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(self.path("file", "out"), result.stderr)


if __name__ == "__main__":
    suite.main()
