#!/usr/bin/env python3
# gst-stereomatching: tests of calibration
# SPDX-License-Identifier: LGPL-2.1-or-later
"""calibrate.py LIBRARY ROOT

Calibrations from rendered boards, of known cameras, and from the shared set of real pictures.
Exit status 77 (skipped) without NumPy, OpenCV or Pillow.
"""

import os
import unittest

import suite

from calibrations import BOARDS, SQUARE, calibrated, cv2, np, rendered
import stereomatching as sm
from stereomatching import calibrate


def true_rows(found, rig, angle):
    """Row differences of points in space, as the rig sees them, with a calibration's file.

    The inverse of a lens is a search among the samples of its rays.
    """
    chance = np.random.default_rng(3)
    apart = []
    for _ in range(60):
        direction = np.append(np.tan(angle) * chance.uniform(-1, 1, 2), 1)
        point = direction * chance.uniform(0.4, 2.0)
        pixels = []
        for view, lens in enumerate(rig.lenses):
            seen = point if view == 0 else rig.turn @ point + rig.moved
            pixels.append(project(lens, seen))
        apart.append(np.subtract(*(row(found, view, pixel) for view, pixel in enumerate(pixels))))
    return np.abs(apart)


def project(lens, point):
    """By the published formulas, term by term."""
    x, y = point[:2] / point[2]
    if lens.fisheye:
        radius = np.hypot(x, y)
        a = np.arctan(radius)
        scale = (a + sum(k * a ** (2 * i + 3) for i, k in enumerate(lens.k))) / radius
        return np.array([x, y]) * scale * lens.focal + lens.centre
    k1, k2, p1, p2, k3 = lens.k
    r = x * x + y * y
    c = 1 + k1 * r + k2 * r ** 2 + k3 * r ** 3
    return np.array([x * c + 2 * p1 * x * y + p2 * (r + 2 * x * x),
                     y * c + p1 * (r + 2 * y * y) + 2 * p2 * x * y]) * lens.focal + lens.centre


def row(found, view, pixel):
    """The row of a pixel after rectification by OpenCV."""
    lens, solution = found.solution.lenses[view], found.solution
    matrices = [np.array([[one[0], 0, one[2]], [0, one[1], one[3]], [0, 0, 1]])
                for one in solution.lenses]
    module = cv2.fisheye if found.model == "fisheye" else cv2
    coefficients = [one[4:] for one in solution.lenses]
    turns = cv2.stereoRectify(matrices[0], np.zeros(5), matrices[1], np.zeros(5), found.size,
                              solution.rotation, solution.translation)[:2]
    point = module.undistortPoints(np.array(pixel).reshape(1, 1, 2), matrices[view],
                                   coefficients[view], R=turns[view])
    return lens[1] * point[0, 0, 1]


class Accuracy(unittest.TestCase):
    def require_accurate(self, kind, rows=0.15, focal=0.01):
        found, rig = calibrated(kind), rendered(kind)[1]
        for view, lens in enumerate(rig.lenses):
            for got, true in zip(found.solution.lenses[view][:2], lens.focal):
                self.assertLess(abs(got / true - 1), focal)
            apart = np.abs(found.solution.lenses[view][2:4] - lens.centre)
            self.assertLess(apart.max(), 4)
        baseline, deviation = found.baseline
        error = abs(baseline - np.linalg.norm(rig.moved))
        self.assertLess(error, 0.01 * baseline)
        # the uncertainty is honest: neither far too small nor meaningless
        self.assertLess(error, 6 * deviation)
        self.assertLess(deviation, 0.01 * baseline)
        self.assertLess(np.abs(found.solution.rotation - rig.turn).max(), 0.004)
        self.assertLess(true_rows(found, rig, 0.7 if kind == "fisheye" else 0.35).mean(), rows)
        return found

    def test_chessboard(self):
        found = self.require_accurate("chessboard", rows=0.1, focal=0.004)
        self.assertNotEqual(found.model, "rational")
        self.assertLess(found.validation.mean, 0.1)

    def test_fisheye(self):
        """A lens of 160 degrees, which no polynomial on a plane describes."""
        found = self.require_accurate("fisheye", rows=0.25)
        self.assertEqual(found.model, "fisheye")
        self.assertNotIn("brown", found.tried)

    def test_charuco(self):
        self.require_accurate("charuco")

    def test_aprilgrid(self):
        self.require_accurate("aprilgrid")


class Shared(unittest.TestCase):
    """The real pairs of STEREO_DATASETS."""

    def setUp(self):
        self.folder = os.path.join(os.environ.get("STEREO_DATASETS", ""), "calibration")
        if not os.path.exists(os.path.join(self.folder, "left01.jpg")):
            self.skipTest("STEREO_DATASETS has no calibration set")

    def test_wrong_size(self):
        """OpenCV finds 7x6 corners, but not 8x6, in the first picture of a board of 9x6."""
        views = [cv2.imread(os.path.join(self.folder, "%s01.jpg" % side), cv2.IMREAD_GRAYSCALE)
                 for side in ("left", "right")]
        for columns, rows in ((8, 6), (9, 5), (10, 7)):
            with self.assertRaisesRegex(sm.Error, "has 9x6 inner corners: use --size 9x6"):
                calibrate.calibrate([("01", *views)], calibrate.Board("chessboard", columns, rows, 1))

    def test_as_good_as_the_files(self):
        folder = self.folder
        from stereomatching.calibrate import _boards, _cameras, _evaluate, _inputs, _solve
        samples = list(_inputs.from_images(os.path.join(folder, "left%02d.jpg"),
                                           os.path.join(folder, "right%02d.jpg"), self.fail))
        board = calibrate.Board("chessboard", 9, 6, 1.0)
        found = calibrate.calibrate([(one.name, *one.pictures) for one in samples], board)
        self.assertEqual(len(found.pairs), 14)
        self.assertEqual(found.model, "brown")

        detector = _boards.Detector(board)
        views = detector.observations([detector.in_both(*map(detector.detect, one.pictures))
                                       for one in samples])
        values = {}
        for name in ("intrinsics.yml", "extrinsics.yml"):
            storage = cv2.FileStorage(os.path.join(folder, name), cv2.FILE_STORAGE_READ)
            for key in ("M1", "D1", "M2", "D2", "R", "T"):
                if not storage.getNode(key).empty():
                    values[key] = storage.getNode(key).mat()
        lenses = tuple(np.r_[m[0, 0], m[1, 1], m[0, 2], m[1, 2], d.ravel()] for m, d in (
            (values["M1"], values["D1"]), (values["M2"], values["D2"])))
        theirs = _solve.Solution(_cameras.MODELS["brown"], lenses, np.r_[
            cv2.Rodrigues(values["R"])[0].ravel(), values["T"].ravel()], None)
        # their corners were not left out
        apart = np.abs(np.concatenate(_evaluate.rows(theirs, views)))
        self.assertLessEqual(found.validation.mean, apart.mean())
        self.assertLessEqual(found.validation.most, np.quantile(apart, 0.95))
        self.assertLess(abs(found.baseline[0] / np.linalg.norm(values["T"]) - 1), 0.01)


class Corrupted(unittest.TestCase):
    """Pairs that are wrong."""

    def setUp(self):
        self.pairs = list(rendered("chessboard")[0])
        self.good = calibrated("chessboard")

    def test_not_synchronised(self):
        """The right view of another moment: the pair is removed, and named."""
        name, left, right = self.pairs[4]
        self.pairs[4] = (name, left, np.roll(right, 5, axis=0))
        found = calibrate.calibrate(self.pairs, BOARDS["chessboard"])
        self.assertEqual([pair.name for pair in found.outliers], [name])
        self.assertGreater(found.outliers[0].both, 1)
        self.assertLess(abs(found.baseline[0] - self.good.baseline[0]), 0.001)
        self.assertIn(" used, 1 outlier and 0 single corners removed", found.report())

    def test_limit(self):
        """A limit that most pairs exceed is an error."""
        with self.assertRaisesRegex(sm.Error, r"contradict each other.*limit 0\.01 px"):
            calibrate.calibrate(self.pairs, BOARDS["chessboard"], max_error=0.01)

    def test_swapped(self):
        with self.assertRaisesRegex(sm.Error, "the views are swapped"):
            calibrate.calibrate([(name, right, left) for name, left, right in self.pairs],
                                BOARDS["chessboard"], model="brown")

    def test_same_place(self):
        """The same pictures twice, as they are and shifted."""
        for shift in (0, 3):
            with self.assertRaisesRegex(sm.Error, "both views are from the same place"):
                calibrate.calibrate([(name, left, np.roll(left, shift, axis=0))
                                     for name, left, _ in self.pairs], BOARDS["chessboard"],
                                    model="brown")

    def test_above(self):
        with self.assertRaisesRegex(sm.Error, "one camera is above the other"):
            calibrate.calibrate([(name, np.rot90(left), np.rot90(right))
                                 for name, left, right in self.pairs], BOARDS["chessboard"],
                                model="brown")

    def test_millimetres(self):
        self.assertNotIn("baseline", " ".join(self.good.warnings))
        found = calibrate.calibrate(self.pairs, calibrate.Board("chessboard", 9, 6, 1000 * SQUARE),
                                    model="brown")
        self.assertRegex(" ".join(found.warnings), "The baseline is .* m. Check that the size of a "
                                                   "square is in metres")

    def test_few(self):
        blank = np.full_like(self.pairs[0][1], 90)
        pairs = self.pairs[:4] + [("blank", blank, self.pairs[5][2])]
        with self.assertRaisesRegex(sm.Error, "at least 5 pairs, got 4 of 5; not found in the left "
                                              "view of blank$"):
            calibrate.calibrate(pairs, BOARDS["chessboard"])

    def test_wrong_size(self):
        """Larger than the board, and smaller: OpenCV also finds parts of boards."""
        for columns, rows in ((10, 7), (8, 6)):
            with self.assertRaisesRegex(sm.Error, "has 9x6 inner corners: use --size 9x6"):
                calibrate.calibrate(self.pairs[:2], calibrate.Board(
                    "chessboard", columns, rows, SQUARE))

    def test_no_board(self):
        blank = np.full_like(self.pairs[0][1], 90)
        for picture in (blank, blank[:, :, None], np.dstack([blank] * 4)):
            with self.assertRaisesRegex(sm.Error, "found no chessboard of 9x6 inner corners of 20 mm "
                                                  "in any of the pictures; --size counts"):
                calibrate.calibrate([("blank", picture, picture)], BOARDS["chessboard"])

    def test_different_sizes(self):
        name, left, right = self.pairs[2]
        self.pairs[2] = (name, left, right[:-2])
        with self.assertRaisesRegex(sm.ArgumentError, "right view of 02 has 480x358 pixels, and the "
                                                      "first picture 480x360"):
            calibrate.calibrate(self.pairs, BOARDS["chessboard"])

    def test_arguments(self):
        name, left, right = self.pairs[0]
        board = BOARDS["chessboard"]
        for pairs, of, options, text in (
                ([(left, right)], board, {}, r"pairs\[0\]: expected a name and two views"),
                ([(name, left, "right.png")], board, {}, r"pairs\[0\] has a view that is 'right.png'"),
                (self.pairs, board, {"model": "pinhole"}, "model = 'pinhole': expected one of auto"),
                ([(name, left.ravel(), right)], board, {}, r"pairs\[0\] has a view of the shape \(17"),
                ([(name, left, right[:0])], board, {}, r"of the shape \(0, .*: expected height x"),
                ([(name, np.dstack([left] * 2), right)], board, {}, "or that x 1, 3 or 4 channels"),
                (self.pairs, board, {"max_error": "1px"}, "max_error = '1px': expected a number"),
                (self.pairs, board, {"max_error": float("nan")}, "max_error = nan: expected 0 to"),
                (self.pairs, board, {"max_error": -1}, "max_error = -1: expected 0 to"),
                (None, board, {}, "pairs = None: expected a list or a generator of pairs"),
                (self.pairs, (9, 6), {}, r"board = \(9, 6\): expected a Board")):
            with self.assertRaisesRegex(sm.ArgumentError, text):
                calibrate.calibrate(pairs, of, **options)
        with self.assertRaisesRegex(sm.ArgumentError, "path = None: expected the name of a file"):
            calibrated("chessboard").save(None)

    def test_board_arguments(self):
        for words, text in ((("square", 9, 6, 1), "expected chessboard, charuco or aprilgrid"),
                            (("chessboard", 2, 6, 1), "columns = 2: expected a whole number from 3 to 100"),
                            (("chessboard", 9, 6.5, 1), "rows = 6.5: expected a whole number"),
                            (("aprilgrid", 9, None, 1), "rows = None: expected a whole number from 1"),
                            (("chessboard", 9, 6, "20 mm"), "square = '20 mm': expected a number"),
                            (("charuco", 9, 6, 1, None), "marker = None: expected a number"),
                            (("chessboard", 9, 6, 0), "expected 0.0001 to 100 metres"),
                            (("charuco", 9, 6, 0.02, 0.03), "expected less than a square")):
            with self.assertRaisesRegex(sm.ArgumentError, text):
                calibrate.Board(*words)


if __name__ == "__main__":
    suite.main()
