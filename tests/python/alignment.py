#!/usr/bin/env python3
# gst-stereomatching: tests of align(), Aligner and Correction
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures and corrects generated views.

    alignment.py LIBRARY ROOT

Exit status 77 (skipped) without NumPy. Rectifier also needs python3-gi and the plugin.
"""

import copy
import math
import os
import pickle
import sys
import tempfile
import unittest
import unittest.mock

import suite

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed for %s" % sys.executable)
    sys.exit(77)

os.environ["STEREOMATCHING_LIBRARY"] = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[2], "python"))
import stereomatching as sm  # noqa: E402

WIDTH, HEIGHT = 640, 400


def sampled(lattice, x, y, step):
    """A lattice of random numbers, smoothly interpolated."""
    u, v = np.floor(x / step).astype(int), np.floor(y / step).astype(int)
    a, b = x / step - u, y / step - v
    a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
    size = len(lattice)

    def node(i, j):
        return lattice[(v + j) % size, (u + i) % size]

    return (node(0, 0) * (1 - a) + node(1, 0) * a) * (1 - b) + (node(0, 1) * (1 - a)
                                                                + node(1, 1) * a) * b


def texture(x, y):
    random = np.random.RandomState(4)
    return sum(weight * sampled(random.rand(256, 256), x, y, step)
               for weight, step in ((90, 6.3), (70, 17.7), (60, 41.1)))


def view(disparity=0.0, roll=0.0, rows=0.0):
    """A slanted plane; the camera is turned clockwise by a roll in degrees."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    angle = math.radians(roll)
    u, v = x - (WIDTH - 1) / 2, y - (HEIGHT - 1) / 2 - rows
    u, v = u * math.cos(angle) + v * math.sin(angle), v * math.cos(angle) - u * math.sin(angle)
    u, v = u + (WIDTH - 1) / 2, v + (HEIGHT - 1) / 2
    return (20 + texture(u + disparity * (1 + v / HEIGHT), v)).astype(np.uint8)


LEFT = view()
RIGHT = view(20)
TURNED = view(20, roll=0.5, rows=2)


class Measurements(unittest.TestCase):
    def test_rows_that_match(self):
        found = sm.align(LEFT, RIGHT)
        self.assertEqual(found.status, "ok")
        self.assertTrue(found.correction.identity)
        self.assertGreater(found.fitting, 200)
        self.assertLess(found.rows_95, 0.3)
        self.assertLess(abs(found.sharpness - 1), 0.1)
        self.assertIn("Rows match", found.text)

    def test_a_turned_camera(self):
        found = sm.align(LEFT, TURNED)
        self.assertEqual(found.status, "off")
        self.assertLess(abs(found.roll - 0.5), 0.03)
        self.assertLess(abs(found.offset - 2), 0.3)
        self.assertIn("turned by 0.5", found.text)
        self.assertFalse(found.correction.identity)

    def test_other_verdicts(self):
        self.assertEqual(sm.align(RIGHT, LEFT).status, "swapped")
        self.assertEqual(sm.align(LEFT, LEFT).status, "same-view")
        unknown = sm.align(LEFT * 0, RIGHT * 0)
        self.assertEqual((unknown.status, unknown.matches), ("unknown", 0))
        self.assertTrue(math.isnan(unknown.rows_median))

    def test_arrays(self):
        found = sm.align(LEFT, TURNED)
        for convert in (lambda a: np.repeat(a[:, :, None], 3, 2), lambda a: a[:, :, None],
                        lambda a: a.astype(np.uint16) << 8, np.asfortranarray):
            self.assertEqual(sm.align(convert(LEFT), convert(TURNED)), found)

    def test_pairs_of_a_video(self):
        aligner = sm.Aligner(backend="cpu", threads=1)
        alarms = [aligner.measure(LEFT, TURNED, seconds=i / 10).alarm for i in range(4)]
        self.assertEqual(alarms, [False, False, True, True])
        self.assertEqual(aligner.correction, aligner.measure(LEFT, TURNED).correction)
        aligner.reset()
        self.assertTrue(aligner.correction.identity)

    def test_copies(self):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "cannot copy or pickle Aligner"):
                call(sm.Aligner())

    def test_invalid_arguments(self):
        for call in (lambda: sm.align(LEFT, RIGHT[:, 1:]), lambda: sm.align(LEFT, None),
                     lambda: sm.align(LEFT, RIGHT, focal_length=-1),
                     lambda: sm.align(LEFT, RIGHT, focal_length="long"),
                     lambda: sm.align(LEFT, RIGHT, backend="abacus"),
                     lambda: sm.Aligner().measure(LEFT, RIGHT, applied="roll"),
                     lambda: sm.Rectifier(correction="roll"),
                     lambda: sm.Correction.from_text("width=1"),
                     lambda: sm.Correction.from_text(None),
                     lambda: sm.Correction.from_text(b"width=1"),
                     lambda: str(sm.align(LEFT, RIGHT).correction._replace(roll="much")),
                     lambda: str(sm.align(LEFT, RIGHT).correction._replace(width=2.5)),
                     lambda: sm.align(LEFT, RIGHT).correction.save(1),
                     lambda: sm.align(LEFT, RIGHT).correction.save("a\0b"),
                     lambda: sm.align(LEFT, RIGHT).correction.source("middle", 0, 0),
                     lambda: sm.align(LEFT, RIGHT).correction._replace(roll=7).calibration(),
                     lambda: sm.align(LEFT, RIGHT).correction._replace(k1=np.nan).calibration(),
                     lambda: sm.align(LEFT, RIGHT).correction._replace(yaw=1).source("left", 0, 0),
                     lambda: sm.Aligner().correction.calibration()):
            self.assertRaises(sm.ArgumentError, call)
        with self.assertRaisesRegex(sm.ArgumentError, "^the focal length is nan: expected 0"):
            sm.align(LEFT, RIGHT, focal_length=np.nan)


class Corrections(unittest.TestCase):
    def setUp(self):
        self.correction = sm.align(LEFT, TURNED).correction

    def test_text(self):
        self.assertEqual(sm.Correction.from_text(str(self.correction)), self.correction)
        self.assertIn("roll=", str(self.correction))

    def test_points_of_both_views_get_the_same_row(self):
        angle = math.radians(0.5)
        for x, y in ((100, 50), (500, 60), (320, 200), (90, 350)):
            left = self.correction.source("left", x, y)
            right = self.correction.source("right", x, y)
            # the turned view shows the left point at this place, but for its disparity
            u, v = (left[0] - 20 * (1 + left[1] / HEIGHT) - (WIDTH - 1) / 2,
                    left[1] - (HEIGHT - 1) / 2)
            row = u * math.sin(angle) + v * math.cos(angle) + (HEIGHT - 1) / 2 + 2
            slope = math.sin(angle) * (right[0] - (u * math.cos(angle) - v * math.sin(angle)
                                                   + (WIDTH - 1) / 2))
            self.assertLess(abs(right[1] - row - slope), 0.3)

    def test_views_used_again(self):
        aligner = sm.Aligner()
        aligner.measure(LEFT, TURNED)
        found = aligner.measure(LEFT, TURNED, applied=aligner.correction)
        # these views do not have the correction that they are said to have
        self.assertEqual(found.status, "off")

    def test_rectifier(self):
        self.assertRaises(sm.ArgumentError, sm.Rectifier)
        try:
            rectifier = sm.Rectifier(correction=self.correction, backend="cpu")
        except sm.Error as error:
            self.skipTest(str(error))
        rectified = rectifier(LEFT, TURNED)
        self.assertIsNone(rectified.camera)
        found = sm.align(rectified.left, rectified.right)
        self.assertEqual(found.status, "ok")
        self.assertLess(found.rows_95, 0.3)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "correction.yml")
            self.correction.save(os.fsencode(path))
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), self.correction.calibration())
            self.assertIn("image_width: 640", self.correction.calibration())
            try:
                rectified = sm.Rectifier(path, backend="cpu")(LEFT, TURNED)
            except sm.Error as error:
                self.skipTest(str(error))
            other = sm.Rectifier(correction=self.correction, backend="cpu")(LEFT, TURNED)
            self.assertTrue(np.array_equal(rectified.right, other.right))

    def test_file_of_two_threads(self):
        """One saves while the other one is about to rename its file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "correction.yml")
            replace = os.replace

            def save_again(*names):
                mock.stop()
                self.correction._replace(roll=0).save(path)
                replace(*names)

            mock = unittest.mock.patch("os.replace", save_again)
            mock.start()
            self.correction.save(path)
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), self.correction.calibration())
            self.assertEqual(os.listdir(folder), ["correction.yml"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_file_that_cannot_be_written(self):
        import resource  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "correction.yml")
            with open(path, "w", encoding="ascii") as file:
                file.write("earlier")
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
            try:
                self.assertRaisesRegex(OSError, "too large", self.correction.save, path)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), "earlier")
            missing = os.path.join(folder, "missing", "correction.yml")
            with self.assertRaises(FileNotFoundError) as caught:
                self.correction.save(missing)
            self.assertEqual(str(caught.exception),
                             "[Errno 2] No such file or directory: %r" % missing)
            device = os.path.join(folder, "device.yml")
            os.symlink("/dev/full", device)
            self.assertRaisesRegex(OSError, "No space", self.correction.save, device)
            self.assertEqual(os.readlink(device), "/dev/full")
            self.assertFalse(os.path.isfile(device))
            self.assertEqual(sorted(os.listdir(folder)), ["correction.yml", "device.yml"])
            os.unlink(device)
            os.symlink(path, device)
            self.correction.save(device)
            self.assertTrue(os.path.islink(device))
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), self.correction.calibration())


if __name__ == "__main__":
    suite.main()
