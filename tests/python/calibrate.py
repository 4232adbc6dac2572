#!/usr/bin/env python3
# gst-stereomatching: tests of stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""calibrate.py LIBRARY ROOT

Calibrations from rendered boards, of known cameras, and from the shared set of real pictures.
Exit status 77 (skipped) without NumPy, OpenCV or Pillow.
"""

import functools
import json
import os
import re
import subprocess
import sys
import unittest

import batches
import suite

np, cv2, Image = batches.need("numpy", "cv2", "PIL.Image")
if not hasattr(cv2, "aruco"):
    print("skipped: OpenCV has no aruco module")
    sys.exit(77)
import boards  # noqa: E402
import stereomatching as sm  # noqa: E402
from stereomatching import calibrate  # noqa: E402

COMMAND = [sys.executable, "-m", "stereomatching.calibrate"]
SQUARE = 0.02
SIZE = ["--size", "9x6", "--square", str(SQUARE)]
PAIRS = 9


@functools.lru_cache(maxsize=None)
def rendered(kind, fisheye=False, count=PAIRS):
    """(name, left, right) of each pair, and the rig that took them."""
    rig = boards.rig(fisheye=fisheye)
    value, centre = {
        "chessboard": lambda: boards.chessboard(9, 6, SQUARE),
        "charuco": lambda: boards.charuco(cv2.aruco, 9, 6, 0.024, 0.018),
        "aprilgrid": lambda: boards.aprilgrid(cv2.aruco, 5, 4, 0.036, 0.3),
    }[kind]()
    chance = np.random.default_rng(1)
    return [("%02d" % number, *rig.pair(value, *pose, chance)) for number, pose in enumerate(
        boards.poses(count, centre, chance, fisheye))], rig


BOARDS = {"chessboard": calibrate.Board("chessboard", 9, 6, SQUARE),
          "charuco": calibrate.Board("charuco", 9, 6, 0.024, 0.018),
          "aprilgrid": calibrate.Board("aprilgrid", 5, 4, 0.036)}


@functools.lru_cache(maxsize=None)
def calibrated(kind, fisheye=False, count=PAIRS):
    return calibrate.calibrate(rendered(kind, fisheye, count)[0], BOARDS[kind])


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
    def require_accurate(self, kind, fisheye=False, rows=0.15, focal=0.01, count=PAIRS):
        found, rig = calibrated(kind, fisheye, count), rendered(kind, fisheye, count)[1]
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
        self.assertLess(true_rows(found, rig, 0.7 if fisheye else 0.35).mean(), rows)
        return found

    def test_chessboard(self):
        found = self.require_accurate("chessboard", rows=0.1, focal=0.004)
        self.assertNotEqual(found.model, "rational")
        self.assertLess(found.validation.mean, 0.1)

    def test_fisheye(self):
        """A lens of 160 degrees, which no polynomial on a plane describes."""
        found = self.require_accurate("chessboard", True, rows=0.25, count=12)
        self.assertEqual(found.model, "fisheye")
        self.assertNotIn("brown", found.tried)

    def test_charuco(self):
        self.require_accurate("charuco")

    def test_aprilgrid(self):
        self.require_accurate("aprilgrid")


class Shared(unittest.TestCase):
    """The real pairs of STEREO_DATASETS."""

    def test_as_good_as_the_files(self):
        folder = os.path.join(os.environ.get("STEREO_DATASETS", ""), "calibration")
        if not os.path.exists(os.path.join(folder, "left01.jpg")):
            self.skipTest("STEREO_DATASETS has no calibration set")
        from stereomatching.calibrate import _boards, _cameras, _evaluate, _inputs, _solve
        samples = list(_inputs.from_images(os.path.join(folder, "left%02d.jpg"),
                                           os.path.join(folder, "right%02d.jpg")))
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
        self.assertIn("1 outliers", found.report())

    def test_limit(self):
        """A limit that most pairs exceed is an error."""
        with self.assertRaisesRegex(sm.Error, r"contradict each other.*limit 0\.01 px"):
            calibrate.calibrate(self.pairs, BOARDS["chessboard"], max_error=0.01)

    def test_swapped(self):
        with self.assertRaisesRegex(sm.Error, "the views are swapped"):
            calibrate.calibrate([(name, right, left) for name, left, right in self.pairs],
                                BOARDS["chessboard"], model="brown")

    def test_above(self):
        with self.assertRaisesRegex(sm.Error, "one camera is above the other"):
            calibrate.calibrate([(name, np.rot90(left), np.rot90(right))
                                 for name, left, right in self.pairs], BOARDS["chessboard"],
                                model="brown")

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
        with self.assertRaisesRegex(sm.Error, "found no chessboard of 9x6 inner corners of 20 mm in "
                                              "any of the pictures; --size counts"):
            calibrate.calibrate([("blank", blank, blank)], BOARDS["chessboard"])

    def test_different_sizes(self):
        name, left, right = self.pairs[2]
        self.pairs[2] = (name, left, right[:-2])
        with self.assertRaisesRegex(sm.ArgumentError, "right view of 02 has 480x358 pixels, and the "
                                                      "first picture 480x360"):
            calibrate.calibrate(self.pairs, BOARDS["chessboard"])

    def test_board_arguments(self):
        for words, text in ((("square", 9, 6, 1), "expected chessboard, charuco or aprilgrid"),
                            (("chessboard", 2, 6, 1), "expected 3 to 100 each way"),
                            (("chessboard", 9, 6, 0), "expected 0.0001 to 100 metres"),
                            (("charuco", 9, 6, 0.02, 0.03), "expected less than a square")):
            with self.assertRaisesRegex(sm.ArgumentError, text):
                calibrate.Board(*words)


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
        for words, status, text in (
                (["left", "right", "out.yml"], 2, "--size: expected columns and rows"),
                (["--size", "9", "left", "right", "out.yml"], 2, "got '9'"),
                (["--size", "9x6", "left", "right", "out.yml"], 2, "--square: expected the size"),
                (SIZE + ["left"], 2, "expected LEFT RIGHT OUT, or SOURCE OUT, got 1 names"),
                (SIZE + ["left", "right", "none/out.yml"], 2, "cannot write none/out.yml"),
                (SIZE + ["left", "none", "out.yml"], 2, "none does not exist"),
                (SIZE + ["left.mp4", "right.mp4", "out.yml"], 2, "left.mp4 does not exist"),
                (SIZE + ["left", "out.yml"], 2, "expected LEFT and RIGHT, a list of pairs"),
                (SIZE + ["--interval", "0", "left", "right", "out.yml"], 2, "--interval"),
                (SIZE + ["left", "right", "out.yml"], 1, "at least 5 pairs, got 2 of 2"),
                (["--board", "charuco", *SIZE, "--dictionary", "9X9", "left", "right", "out.yml"],
                 2, "the dictionary '9X9': expected a name of OpenCV")):
            done = self.run_command(*words, status=status)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.path("out.yml")))

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
        done = self.run_command(*SIZE, "--quiet", "left", "right", "stereo.yml", status=1,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertIn("cannot write stereo-coverage.png: File too large", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", self.path("stereo.yml"))
        done = self.run_command(*SIZE, "--quiet", "left", "right", "stereo.yml", status=1)
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
