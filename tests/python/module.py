#!/usr/bin/env python3
# gst-stereomatching: tests of the Python module
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in and out, against the command line programs and against formulas.

    module.py LIBRARY ROOT [STEREO_EVAL MATCH_IMAGES]

Exit status 77 (skipped) without NumPy.
"""

import contextlib
import copy
import dataclasses
import io
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import tracemalloc
import unittest
import warnings

import suite

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed for %s" % sys.executable)
    sys.exit(77)

LIBRARY, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
EVAL = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
MATCH_IMAGES = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None

SANITIZER = os.environ.get("STEREO_SANITIZER", "")
if "asan" in SANITIZER and "LD_PRELOAD" not in os.environ:
    # Python itself has no sanitizer in it, and leaks until it ends
    os.environ.update(LD_PRELOAD=SANITIZER, ASAN_OPTIONS="detect_leaks=0")
    os.execv(sys.executable, [sys.executable] + sys.argv)

os.environ["STEREOMATCHING_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.dirname(os.path.abspath(__file__))]
import scenes  # noqa: E402
import stereomatching as sm  # noqa: E402

CPU = {"backend": "cpu"}


def require_terms(case, error):
    """The arguments of Python, not the properties of elements and the formats of the library."""
    text = str(error).split("it takes")[0]
    case.assertNotRegex(text, r"[a-z]-[a-z]|GRAY|RGBX")


class SameAsPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    @unittest.skipUnless(EVAL, "there is no stereo-eval")
    def test_stereo_eval(self):
        for channels in (1, 3):
            left, right, _ = scenes.render(channels)
            scene = scenes.write_scene(self.path("scene%d" % channels), left, right)
            for algorithm in sm.algorithms():
                for extra in ({}, {"min_disparity": -3, "median": True}):
                    with self.subTest(channels=channels, algorithm=algorithm, extra=extra):
                        self.compare(scene, left, right, algorithm, extra)
            self.compare(scene, left, right, "sgm", {"check": "mutual"})

    def compare(self, scene, left, right, algorithm, extra):
        words = ["%s=%s" % (key.replace("_", "-"), str(value).lower())
                 for key, value in extra.items()]
        subprocess.run([EVAL, "--backend", "cpu", algorithm, *words, "--save", self.path("out"),
                        scene], check=True, stdout=subprocess.DEVNULL)
        expected = scenes.read_pfm(self.path("out", os.path.basename(scene) + ".pfm"))
        found = sm.match(left, right, algorithm=algorithm, num_disparities=scenes.DISPARITIES,
                         disparity_scale=256, invalid_value=65535, **extra, **CPU)
        disparity = found.disparity
        disparity[~found.valid] = np.inf
        self.assertEqual(disparity.tobytes(), expected.tobytes())

    @unittest.skipUnless(MATCH_IMAGES, "there is no match-images")
    def test_match_images(self):
        left, right, _ = scenes.render()
        scenes.write_ppm(self.path("left.ppm"), left)
        scenes.write_ppm(self.path("right.ppm"), right)
        subprocess.run([MATCH_IMAGES, "left.ppm", "right.ppm", "map.pgm", "num-disparities=24"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        found = sm.match(left, right, algorithm="vcbw", num_disparities=24, dtype=np.uint8)
        self.assertEqual(found.codes.tobytes(), scenes.read_pgm(self.path("map.pgm")).tobytes())
        self.assertAlmostEqual(found.scale, 255 / 23)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.left, self.right, self.truth = scenes.render()
        self.found = sm.match(self.left, self.right, num_disparities=24, **CPU)

    def same(self, left, right, **more):
        found = sm.match(left, right, num_disparities=24, **CPU, **more)
        self.assertEqual(found.codes.tobytes(), self.found.codes.tobytes())

    def test_right(self):
        """Most pixels of the left view that the right one sees."""
        good = np.abs(self.found.disparity - self.truth) <= 0.5
        self.assertGreater(good[:, scenes.SQUARE:].mean(), 0.9)

    def test_layouts(self):
        """Rows that lie apart, copies, other orders of channels."""
        wide = np.zeros((2 * scenes.HEIGHT, scenes.WIDTH + 9, 3), np.uint8)
        wide[::2, 5:5 + scenes.WIDTH] = self.left
        apart = wide[::2, 5:5 + scenes.WIDTH]
        self.same(apart, self.right)
        self.same(apart, np.asfortranarray(self.right))
        bgr = np.ascontiguousarray(self.left[:, :, ::-1])
        self.same(bgr[:, :, ::-1], self.right)
        self.same(bgr, np.ascontiguousarray(self.right[:, :, ::-1]), order="bgr")
        self.same(self.left[::-1][::-1], np.ascontiguousarray(self.right[:, ::-1])[:, ::-1])
        four = np.full(self.left.shape[:2] + (4,), 77, np.uint8)
        four[:, :, :3] = self.left
        self.same(four, self.right)
        self.same(memoryview(self.left), self.right)

    def test_sixteen_bits(self):
        left, right, _ = scenes.render(1)
        eight = sm.match(left, right, num_disparities=24, **CPU).codes
        for kind in ("<u2", ">u2"):
            wide = (left.astype(np.uint16) * 256 + 99).astype(kind)
            other = right[:, :, None].astype(np.uint16) << 8
            codes = sm.match(wide, other, num_disparities=24, **CPU).codes
            self.assertEqual(codes.tobytes(), eight.tobytes())
        self.same((self.left.astype(np.uint16) << 8) + 3, self.right.astype(np.uint16) << 8)

    def test_low_samples(self):
        """Samples of 8 to 12 bits in words of 16 leave little or nothing in the high byte."""
        left, right = (view.astype(np.uint16) << 8 for view in (self.left, self.right))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sm.match(left, right, **CPU)
            sm.match(left * 0, right * 0, **CPU)
            for low in (left >> 8, left >> 4):
                for pair, name in (((low, right), "left"), ((right, low), "right")):
                    with self.assertRaisesRegex(UserWarning, name + " is uint16 without"):
                        sm.match(*pair, **CPU)
        for call in (sm.match, sm.align):
            with self.assertWarns(UserWarning) as caught:
                call(low, right)
            self.assertEqual(caught.filename, __file__)

    def test_masks(self):
        mask = np.zeros(self.left.shape, bool)
        self.same(np.ma.MaskedArray(self.left, mask), self.right)
        mask[3, 4, 1] = True
        for pair, name in (((self.left, self.right), "left"), ((self.right, self.left), "right")):
            masked = np.ma.MaskedArray(pair[0], mask)
            arrays = (masked, pair[1]) if name == "left" else (pair[1], masked)
            for call in (lambda one, two: sm.match(one, two, **CPU),
                         lambda one, two: sm.view(one, self.found, two, **CPU)):
                with self.assertRaisesRegex(sm.ArgumentError, name + " has masked pixels"):
                    call(*arrays)

    def test_in_place(self):
        """Read-only memory of somebody else's, and no more of one's own than for the result."""
        self.left.flags.writeable = False
        self.same(self.left, np.frombuffer(self.right.tobytes(), np.uint8).reshape(
            self.right.shape))
        matcher = sm.Matcher("vcbw", num_disparities=2, refine="none", **CPU)
        three, four = (np.zeros((400, 800, n), np.uint8) for n in (3, 4))
        grey, deep = (np.zeros((400, 800), kind) for kind in (np.uint8, "<u2"))
        for view in (three, three[:, 1:-1], three[:, :, ::-1], four[::2], four[5:, 9:],
                     grey[:, 3:-4], deep[::3]):
            tracemalloc.start()
            matcher(view, view)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            result = 2 * view.shape[0] * view.shape[1]
            self.assertTrue(result <= peak < result + 20000, "%d for %d" % (peak, result))

    def test_refused(self):
        for left, right, says in (
                (self.left.astype(float), self.right, "left is of float64: it has to be uint8"),
                (self.left.astype(np.int8), self.right, "int8"),
                (self.left, self.right[:, :, :2], "right has the shape (60, 91, 2)"),
                (self.left[0, 0], self.right, "height x width"),
                (self.left[:0], self.right, "from 1 to 16384"),
                (self.left, self.right[:, 1:], "60 x 90"),
                (self.left, self.right.astype(np.uint16) << 8,
                 "left is of uint8, right of uint16: expected one dtype"),
                (self.left.astype(np.uint16) << 8, self.right, "left is of uint16, right of uint8"),
                ([[1, 2], [3]], self.right, "left is not an array")):
            with self.assertRaisesRegex(sm.ArgumentError, says.replace("(", r"\(").replace(
                    ")", r"\)")):
                sm.match(left, right, **CPU)
        with self.assertRaisesRegex(sm.ArgumentError, "one of rgb, bgr"):
            sm.match(self.left, self.right, order="grb")

    def test_one_pixel(self):
        self.assertEqual(sm.match(self.left[:1, :1], self.right[:1, :1]).codes.shape, (1, 1))


class Results(unittest.TestCase):
    def test_all(self):
        left, right, _ = scenes.render()
        found = sm.match(left, right, algorithm="pyramid", confidence=True, vertical=True,
                         num_disparities=24, vertical_search=True, **CPU)
        self.assertEqual(found.confidence.shape, left.shape[:2])
        self.assertTrue((found.confidence >= 0).all() and (found.confidence <= 1).all())
        self.assertLess(np.nanmedian(np.abs(found.vertical)), 0.5)

    def test_vertical(self):
        """Points are 3 rows higher in the right view, with codes of any type and scale."""
        left, right, _ = scenes.render()
        for kind in (np.uint16, np.uint8):
            for scale in (16, 64):
                found = sm.match(left[:-3], right[3:], algorithm="pyramid", vertical=True,
                                 vertical_search=True, num_disparities=24, dtype=kind,
                                 disparity_scale=scale, **CPU)
                self.assertAlmostEqual(np.nanmedian(found.vertical), 3, delta=0.25)
                self.assertEqual(found.vertical_scale, scale)

    def test_min_confidence(self):
        left, right, _ = scenes.render()
        settings = {"confidence": True, "num_disparities": 24, **CPU}
        whole = sm.match(left, right, **settings)
        certain = sm.match(left, right, min_confidence=0.5, **settings)
        kept = whole.confidence >= 0.5
        self.assertTrue(0 < kept.mean() < 1)
        np.testing.assert_array_equal(certain.valid, kept)
        np.testing.assert_array_equal(certain.codes[kept], whole.codes[kept])

    def test_there_are_none(self):
        left, right, _ = scenes.render()
        found = sm.match(left, right, **CPU)
        self.assertIsNone(found.confidence)
        self.assertIsNone(found.vertical)
        with self.assertRaisesRegex(sm.ArgumentError, "sgm has no vertical"):
            sm.match(left, right, vertical=True, **CPU)

    def test_validity(self):
        left, right, _ = scenes.render()
        found = sm.match(left, right, num_disparities=24, fill=False, **CPU)
        self.assertEqual((found.codes == 0).tolist(), (~found.valid).tolist())
        self.assertEqual(np.isnan(found.disparity).tolist(), (~found.valid).tolist())
        self.assertTrue(0 < found.valid.mean() < 1)
        self.assertTrue(sm.Map(found.codes, invalid=None).valid.all())


class Properties(unittest.TestCase):
    def test_tables(self):
        for name in list(sm.algorithms()) + ["view", "depth", "points"]:
            for key, row in sm.properties(name).items():
                self.assertTrue(key.isidentifier() and key == row.name)
                self.assertIsInstance(row.default, row.kind)
                self.assertTrue(row.description)
                if row.values:
                    self.assertIn(row.default, row.values)
                elif row.kind is not bool:
                    self.assertTrue(row.minimum <= row.default <= row.maximum)

    def test_values(self):
        matcher = sm.Matcher("sgm", num_disparities=np.int64(20), median=False, cost="luma", **CPU)
        values = matcher.properties
        self.assertEqual(sorted(values), sorted(sm.properties("sgm")))
        self.assertEqual((values["num_disparities"], values["median"], values["cost"]),
                         (20, False, "luma"))
        matcher.set(cost=0, num_disparities="30")
        self.assertEqual((matcher.properties["cost"], matcher.properties["num_disparities"]),
                         ("census", 30))

    def test_assignment(self):
        """Is refused: it would have no effect."""
        matcher = sm.Matcher("sgm", **CPU)
        with self.assertRaises(AttributeError):
            matcher.num_disparities = 16

    def test_presets(self):
        """Those of the elements set what their files say, and nothing else."""
        for algorithm in sm.algorithms():
            with open(os.path.join(ROOT, "gst", "presets", "GstStereo%s.prs" %
                                   algorithm.capitalize()), encoding="utf-8") as file:
                sections = file.read().split("\n[")[2:]
            names = [section.split("]")[0] for section in sections]
            self.assertEqual(list(sm.presets(algorithm)), names)
            self.assertTrue(names)
            for name, section in zip(names, sections):
                rows = dict(re.findall(r"(?m)^([a-z].*)=(.*)$", section))
                matcher = sm.Matcher(algorithm, preset=name, num_disparities=17, **CPU)
                expected = sm.Matcher(algorithm, num_disparities=17, **CPU)
                expected.set(**{key.replace("-", "_"): value for key, value in rows.items()})
                self.assertEqual(matcher.properties, expected.properties)
                self.assertIn("_meta/comment=%s\n" % sm.presets(algorithm)[name], section)
                if "(the default)" in sm.presets(algorithm)[name]:
                    default = sm.Matcher(algorithm, num_disparities=17, **CPU)
                    self.assertEqual(matcher.properties, default.properties)

    def test_weights(self):
        """The file that the table of the library is made from has its checksum, and
        the network of the census gives the maps of the census."""
        folder = os.path.join(ROOT, "tools", "train", "weights")
        with open(os.path.join(ROOT, "common", "cost", "learned-weights.c"),
                  encoding="utf-8") as file:
            name = re.search(r"tools/train/weights/([\w.-]+)\.\n", file.read()).group(1)
        built_in = sm.Matcher("sgm", cost="learned", **CPU)
        same = sm.Matcher("sgm", cost="learned", weights=os.path.join(folder, name), **CPU)
        self.assertNotEqual(built_in.weights_checksum, 0)
        self.assertEqual(built_in.weights_checksum, same.weights_checksum)
        census = pathlib.Path(folder, "census.txt")
        left, right, _ = scenes.render()
        for algorithm in set(sm.algorithms()) - {"pyramid"}:
            self.assertEqual(
                sm.match(left, right, algorithm=algorithm, cost="learned", weights=census,
                         num_disparities=20, **CPU),
                sm.match(left, right, algorithm=algorithm, cost="census", num_disparities=20,
                         **CPU))
        matcher = sm.Matcher("sgm", cost="census", weights=census, **CPU)
        self.assertEqual(matcher.weights_checksum, 0)
        matcher.set(cost="learned")
        self.assertEqual(pickle.loads(pickle.dumps(matcher)).weights_checksum,
                         matcher.weights_checksum)
        with tempfile.TemporaryDirectory() as temporary:
            bad = os.path.join(temporary, "bad.txt")
            with open(bad, "w", encoding="utf-8") as file:
                file.write(census.read_text(encoding="utf-8").replace("-64", "-640", 1))
            with self.assertRaisesRegex(sm.ArgumentError, "bad.txt: line 8: .*-127 to 127"):
                sm.Matcher("sgm", weights=bad, **CPU)
            for name in (5, [], "a\0b"):
                with self.assertRaisesRegex(sm.ArgumentError, "weights = .*the name of a file"):
                    sm.Matcher("sgm", weights=name, **CPU)
            with self.assertRaises(FileNotFoundError):
                sm.Matcher("sgm", weights=os.path.join(temporary, "missing.txt"), **CPU)
        with self.assertRaisesRegex(sm.ArgumentError, "pyramid has no parameter 'weights'"):
            sm.Matcher("pyramid", weights=census, **CPU)

    def test_check(self):
        """Of the matchers for which a second matching finds other right winners."""
        found = [name for name in sm.algorithms() if "check" in sm.properties(name)]
        self.assertEqual(sorted(found), ["bp", "esaw", "esmp", "sgm"])
        left, right, _ = scenes.render()
        options = dict(num_disparities=20, fill=False, **CPU)
        self.assertNotEqual(sm.match(left, right, check="mutual", **options),
                            sm.match(left, right, check="single", **options))

    def test_preset_and_properties(self):
        matcher = sm.Matcher("sgm", preset="classic", median=False, num_disparities=20, **CPU)
        values = matcher.properties
        self.assertEqual((values["paths"], values["median"], values["num_disparities"]),
                         (8, False, 20))
        matcher.load_preset("fast")
        values = matcher.properties
        self.assertEqual((values["paths"], values["median"], values["num_disparities"]),
                         (4, True, 20))
        left, right, _ = scenes.render()
        self.assertEqual(sm.match(left, right, preset="fast", num_disparities=20, **CPU),
                         matcher(left, right))
        for call in (lambda: sm.match(left, right, preset="slow"),
                     lambda: matcher.load_preset(None)):
            with self.assertRaisesRegex(sm.ArgumentError, "preset = .*one of fast, accurate, cla"):
                call()
        with self.assertRaisesRegex(sm.ArgumentError, "algorithm = 'sgbm'"):
            sm.presets("sgbm")

    def test_refused(self):
        for given, says in (
                ({"num_disparity": 3}, "no property 'num_disparity'; did you mean num_disparities"),
                ({"radius": 3}, "it has num_disparities, "),
                ({"num_disparities": 0}, "goes from 1 to 16384"),
                ({"num_disparities": 2.5}, "whole numbers"),
                ({"num_disparities": float("nan")}, "out of range"),
                ({"cost": "colour"}, "census, luma, rgb or learned"),
                ({"cost": None}, "a number, a bool or a str"),
                ({"algorithm": "sgbm"}, "one of bfv, bp, "),
                ({"backend": "gpu"}, "auto, cpu, cuda"),
                ({"simd": "mmx"}, "auto, none, "),
                ({"threads": -1}, "threads"),
                ({"threads": 1.5}, "threads = 1.5: expected a whole number from 0 to 1024"),
                ({"threads": "2"}, "threads = '2'"),
                ({"threads": 10 ** 5000}, "threads"),
                ({"cuda_device": 2 ** 32}, "cuda_device = 4294967296: expected"),
                ({"cuda_device": None}, "cuda_device = None"),
                ({"backend": []}, "auto, cpu, cuda"),
                ({"simd": []}, "auto, none, "),
                ({"algorithm": []}, "one of bfv, bp, "),
                ({"algorithm": "sgm\0"}, "one of bfv, bp, "),
                ({"algorithm": "\udc80"}, "one of bfv, bp, "),
                ({"cost": "luma\0"}, "without NUL"),
                ({"cost": "\udc80"}, "expected Unicode text"),
                ({"lr_max_diff": "x" * 63 + "\u00e9"}, "it takes a whole number"),
                ({"p1": 10 ** 400}, "p1 = 1000.*expected a number, a bool or a str"),
                ({"p1": 10 ** 5000}, "p1 = a very large int"),
                ({"p1": np.array([1, 2])}, "expected a number"),
                ({"num_disparities": 16384, "disparity_scale": 256},
                 "does not fit dtype uint16: .* disparity_scale can be at most 4"),
                ({"dtype": float}, "uint8 or uint16"),
                ({"dtype": None}, "uint8 or uint16"),
                ({"dtype": "no"}, "uint8 or uint16"),
                ({"dtype": np.uint8, "invalid_value": 256}, "invalid_value 256 does not fit dtype uint8")):
            left, right, _ = scenes.render()
            with self.subTest(says=says):
                with self.assertRaisesRegex(sm.ArgumentError, says) as caught:
                    sm.match(left, right, **{**CPU, **given})
                require_terms(self, caught.exception)
        for name in ("views", "view\0", None, []):
            with self.assertRaisesRegex(sm.ArgumentError, "one of bfv, .*, view, depth, points"):
                sm.properties(name)
        self.assertTrue(issubclass(sm.ArgumentError, ValueError))
        self.assertTrue(issubclass(sm.ArgumentError, sm.Error))

    def test_cuda(self):
        left, right, _ = scenes.render()
        if "cuda" in sm.backends():
            self.assertEqual(sm.match(left, right, backend="cuda").codes.tobytes(),
                             sm.match(left, right, backend="cpu").codes.tobytes())
        else:
            with self.assertRaisesRegex(sm.Error, "(?i)cuda"):
                sm.match(left, right, backend="cuda")


class Sequences(unittest.TestCase):
    def test_changes(self):
        """Sizes, formats, properties, and a pair that is refused, between others."""
        left, right, _ = scenes.render()
        matcher = sm.Matcher(num_disparities=24, **CPU)
        first = matcher(left, right).codes
        with self.assertRaises(sm.ArgumentError):
            matcher(left, right, dtype=np.uint8, order="x")
        self.assertEqual(matcher(left[:30], right[:30]).codes.shape, (30, scenes.WIDTH))
        matcher.set(num_disparities=8)
        self.assertLess(matcher(left, right, dtype=np.uint8).disparity.max(), 8)
        matcher.set(num_disparities=24)
        self.assertEqual(matcher(left, right).codes.tobytes(), first.tobytes())
        self.assertGreater(matcher.milliseconds, 0)
        self.assertEqual(matcher.backend, "cpu")
        self.assertTrue(matcher.device.startswith("CPU"))

    def test_settings_that_are_refused(self):
        """All of them are set, or none."""
        matcher = sm.Matcher(num_disparities=24, cost="luma", **CPU)
        before = matcher.properties
        for value in (-5, None, "x"):
            with self.assertRaises(sm.ArgumentError):
                matcher.set(num_disparities=8, cost="census", fill=False, p1=value)
            self.assertEqual(matcher.properties, before)
        matcher.set(num_disparities=8, cost="census")
        self.assertEqual((matcher.properties["num_disparities"], matcher.properties["cost"]),
                         (8, "census"))

    def test_results_stay(self):
        left, right, _ = scenes.render()
        matcher = sm.Matcher(num_disparities=24, **CPU)
        first = matcher(left, right).codes
        kept = first.copy()
        matcher(right, left)
        self.assertEqual(first.tobytes(), kept.tobytes())

    def test_threads(self):
        left, right, _ = scenes.render()
        matcher = sm.Matcher(num_disparities=24, **CPU)
        expected = matcher(left, right).codes.tobytes()
        found = []
        workers = [threading.Thread(target=lambda: found.extend(
            matcher(left, right).codes.tobytes() for _ in range(5))) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(found, [expected] * 20)

    def test_over_time(self):
        """A map depends on the pair before, until that is forgotten."""
        left, right, _ = scenes.render()
        blank = np.full_like(left, 90)
        matcher = sm.Matcher(num_disparities=24, temporal=2, **CPU)
        alone = matcher(blank, blank).codes.tobytes()
        matcher.reset()
        matcher(left, right)
        self.assertNotEqual(matcher(blank, blank).codes.tobytes(), alone)
        matcher.reset()
        self.assertEqual(matcher(blank, blank).codes.tobytes(), alone)
        matcher(left, right)
        matcher.set(temporal=1)
        self.assertEqual(matcher(blank, blank).codes.tobytes(), alone)

    def test_instructions(self):
        """All bytes are the same."""
        left, right, _ = scenes.render()
        expected = sm.match(left, right, **CPU).codes.tobytes()
        for simd, threads in (("none", 1), ("generic", 3)):
            self.assertEqual(sm.match(left, right, simd=simd, threads=threads,
                                      **CPU).codes.tobytes(), expected)


# A daemon thread repeats a call until the interpreter exits.
AT_EXIT = """
import sys, threading
import numpy as np
import stereomatching as sm

wide = np.random.default_rng(1).integers(0, 256, (200, 330), np.uint8)
left, right = wide[:, :320], wide[:, 10:]
matcher = sm.Matcher(num_disparities=64, backend="cpu")
found, camera = matcher(left, right), sm.Camera(90, 0.5)
aligner = sm.Aligner(backend="cpu")
calls = {"match": lambda: matcher(left, right),
         "milliseconds": lambda: matcher.milliseconds,
         "properties": lambda: matcher.properties,
         "new": lambda: sm.match(left, right, backend="cpu"),
         "copy": lambda: __import__("copy").copy(matcher),
         "align": lambda: aligner.measure(left, right),
         "correction": lambda: aligner.correction,
         "depth": lambda: sm.depth(found, camera, backend="cpu"),
         "points": lambda: sm.points(found, camera, backend="cpu"),
         "view": lambda: sm.view(left, found, right, backend="cpu")}
running = threading.Event()

def repeat():
    while True:
        calls[sys.argv[1]]()
        running.set()

threading.Thread(target=repeat, daemon=True).start()
running.wait()
"""

# Children that use the matcher, and exit, while a thread of their parent matches.
FORKED = """
import os, signal, sys, threading
import numpy as np
import stereomatching as sm

image = np.zeros((200, 320), np.uint8)
matcher = sm.Matcher(num_disparities=64, backend="cpu")
ended = threading.Event()

def repeat():
    while not ended.is_set():
        matcher(image, image)

thread = threading.Thread(target=repeat)
thread.start()
for i in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        try:
            matcher(image, image)
        except sm.Error as error:
            assert "a thread of the parent process" in str(error), error
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
ended.set()
thread.join()
"""

# An import during a match can deadlock in a child of fork(): NumPy 2 imports its parts late.
IMPORTS = """
import sys
import numpy as np
import stereomatching as sm

def modules():
    return {name for name in sys.modules if name.startswith("numpy")}

image, before = np.zeros((40, 60), np.uint8), modules()
sm.Matcher(num_disparities=16, backend="cpu")(image, image)
assert modules() == before, modules() - before
"""

# Uses objects after they were freed: in __del__() of garbage, and at exit.
FREED = """
import atexit
atexit.register(lambda: require_errors())
import gc
import numpy as np
import stereomatching as sm

def require_error(call):
    try:
        call()
    except sm.Error as error:
        assert "it was freed" in str(error), error
    else:
        assert False

def require_errors():
    for call in (lambda: matcher(image, image), lambda: matcher.set(fill=False), matcher.reset,
                 lambda: matcher.properties, lambda: aligner.measure(image, image),
                 lambda: aligner.correction, aligner.reset):
        require_error(call)
    print("done")

class Garbage(sm.Matcher):
    def __del__(self):
        require_error(self.reset)
        print("done")

image = np.zeros((20, 30), np.uint8)
matcher, aligner = sm.Matcher(backend="cpu"), sm.Aligner(backend="cpu")
garbage = Garbage(backend="cpu")
garbage.cycle = garbage
del garbage
gc.collect()
"""


class Lifetimes(unittest.TestCase):
    def run_program(self, *words):
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", *words], capture_output=True, text=True,
            check=False, env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")), timeout=240)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words[1:])
        return result.stdout

    def test_exit(self):
        """No call is still in the library when its objects are freed at exit."""
        for call in ("match", "milliseconds", "properties", "new", "copy", "align", "correction",
                     "depth", "points", "view"):
            with self.subTest(call=call):
                self.run_program(AT_EXIT, call)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork()")
    def test_child(self):
        """It does not wait for threads of its parent, in calls and at exit."""
        self.run_program(FORKED)

    def test_imports(self):
        self.run_program(IMPORTS)

    def test_freed(self):
        """An error, and no wait for a lock that is never released."""
        self.assertEqual(self.run_program(FREED), "done\n" * 2)

    def test_copies(self):
        """A copy has handles of its own, the same settings, and the same results."""
        left, right, _ = scenes.render()
        matcher = sm.Matcher("bp", num_disparities=24, smoothing=0.7, threads=2, **CPU)
        expected = matcher(left, right).codes.tobytes()
        for duplicate in (copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
            other = duplicate(matcher)
            self.assertEqual((other.algorithm, other.device, other.properties),
                             (matcher.algorithm, matcher.device, matcher.properties))
            other.set(num_disparities=8)
            self.assertEqual(matcher.properties["num_disparities"], 24)
            other = duplicate(duplicate(matcher))
            self.assertEqual(other(left, right).codes.tobytes(), expected)


class Geometry(unittest.TestCase):
    camera = sm.Camera(focal_length=90, baseline=0.5)

    def setUp(self):
        self.left, self.right, self.truth = scenes.render()
        self.map = sm.Map.from_disparity(self.truth)

    def test_from_disparity(self):
        holes = self.truth - 7.25
        holes[0, 0], holes[1, 1] = np.nan, np.inf
        found = sm.Map.from_disparity(holes)
        self.assertEqual((found.minimum, found.scale), (-4, 256))
        self.assertFalse(found.valid[0, 0] or found.valid[1, 1])
        self.assertEqual(np.nanmax(np.abs(found.disparity - np.where(
            np.isfinite(holes), holes, np.nan))), 0)
        self.assertEqual(sm.Map.from_disparity(self.truth * 100).scale, 64)
        self.assertFalse(sm.Map.from_disparity(np.full((2, 2), np.nan)).valid.any())
        with self.assertRaisesRegex(sm.ArgumentError, "scale of 256"):
            sm.Map.from_disparity([[0, 1000]], scale=256)
        with self.assertRaisesRegex(sm.ArgumentError, "scale of inf"):
            sm.Map.from_disparity([[5, 5]], scale=float("inf"))
        with self.assertRaisesRegex(sm.ArgumentError, "height x width"):
            sm.Map.from_disparity([1, 2])

    def test_codes_as_disparities(self):
        """16 bits are codes, with several per pixel; other arrays are in pixels."""
        for kind in np.int16, np.uint16:
            codes = (self.truth * 16).astype(kind)
            for call in (lambda: sm.depth(codes, self.camera, **CPU),
                         lambda: sm.points(codes, self.camera, **CPU),
                         lambda: sm.view(self.left, codes, **CPU),
                         lambda: sm.Map.from_disparity(codes)):
                with self.assertWarnsRegex(UserWarning, "has the type %s: expected a Map, or "
                                           "pixels" % np.dtype(kind)) as caught:
                    call()
                self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for kind in np.uint8, np.int32, np.float32:
                sm.depth(self.truth.astype(kind), self.camera, **CPU)

    def test_no_known_depth(self):
        """Of a baseline in millimetres, for example."""
        far = sm.Camera(self.camera.focal_length, 1e6)
        for call, what in ((lambda camera, **p: sm.depth(self.map, camera, **CPU, **p), "depth map"),
                           (lambda camera, **p: sm.points(self.map, camera, range_max=100, **CPU, **p),
                            "point cloud")):
            with self.assertWarnsRegex(UserWarning, what + " has no known depth: a disparity of 1 pixel "
                                       "is a depth of .* metres .*baseline 1e.06 metres") as caught:
                call(far)
            self.assertEqual(caught.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                call(self.camera)

    def test_depth(self):
        metres = 90 * 0.5 / self.truth
        self.assertEqual(sm.depth(self.map, self.camera, **CPU).tolist(),
                         np.floor(metres * 1000 + 0.5).astype(int).tolist())
        self.assertEqual(sm.depth(self.truth, self.camera, depth_scale=10, range_max=5,
                                  **CPU).tolist(),
                         np.where(metres > 5, 0, np.floor(metres * 10 + 0.5)).tolist())
        moved = sm.Camera(focal_length=np.float32(90), baseline=0.5, doffs=np.int64(5))
        self.assertEqual(repr(moved), repr(sm.Camera(90.0, 0.5, None, None, 5.0)))
        self.assertEqual(sm.depth(self.map, moved, **CPU)[0, 0], 5000)
        eight = sm.Map((self.truth * 5).astype(np.uint8), scale=5)
        self.assertEqual(sm.depth(eight, self.camera, **CPU).tolist(),
                         np.floor(metres * 1000 + 0.5).astype(int).tolist())

    def test_points(self):
        self.truth[3, 4] = np.nan
        found = sm.points(self.truth, sm.Camera(90, 0.5, cx=40, cy=20), **CPU)
        self.assertEqual(found.dtype, np.float32)
        rows, columns = np.mgrid[:scenes.HEIGHT, :scenes.WIDTH]
        z = 45 / self.truth
        expected = np.stack([(columns - 40) / 90 * z, (rows - 20) / 90 * z, z], axis=2)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        self.assertTrue(np.isnan(found[3, 4]).all())
        on_cylinder = sm.points(self.truth, sm.Camera(90, 0.5, cx=40, cy=20, projection="cylinder"),
                                **CPU)
        angle = (rows - 20) / 90
        expected = np.stack([(columns - 40) / 90 * z, np.sin(angle) * z, np.cos(angle) * z], axis=2)
        np.testing.assert_allclose(on_cylinder, expected, rtol=1e-6, atol=1e-9)
        middle = sm.points(self.map, self.camera, step=7, **CPU)
        self.assertEqual(middle.shape, (9, 13, 3))
        self.assertAlmostEqual(middle[0, 0, 0], -45 / 90 * 45 / 4, places=5)

    def test_views(self):
        ends = {0: self.left, 1: self.right}
        for position, expected in ends.items():
            made = sm.view(self.left, self.map, self.right, position=position, **CPU)
            self.assertEqual((made.shape, made.dtype), (expected.shape, np.uint8))
            self.assertGreater((made == expected).mean(), 0.8)
        one = sm.view(self.left, self.truth, position=0, **CPU)
        self.assertEqual(one.tobytes(), self.left.tobytes())
        half = sm.view(self.left, self.map, self.right, position=0.5, **CPU)
        self.assertEqual(half[:10, 5:80].tobytes(), self.left[:10, 7:82].tobytes())

    def test_layouts_of_views(self):
        made = sm.view(self.left, self.map, self.right, **CPU)
        swapped = sm.view(self.left[:, :, ::-1], self.map, self.right[:, :, ::-1], **CPU)
        self.assertEqual(swapped[:, :, ::-1].tobytes(), made.tobytes())
        bgr = sm.view(self.left[:, :, ::-1].copy(), self.map, self.right[:, :, ::-1].copy(),
                      order="bgr", **CPU)
        self.assertEqual(bgr[:, :, ::-1].tobytes(), made.tobytes())
        for left, right in ((self.left, self.right[:, :, ::-1].copy()[:, :, ::-1]),
                            (self.left[:, :, ::-1].copy()[:, :, ::-1], self.right)):
            mixed = sm.view(left, self.map, right, **CPU)
            self.assertEqual(mixed.tobytes(), made.tobytes())
        four = np.dstack([self.left, self.left[:, :, 0]])
        self.assertEqual(sm.view(four, self.map, position=0, **CPU)[:, :, :3].tobytes(),
                         self.left.tobytes())
        grey = sm.view(self.left[:, :, 1].copy(), self.map, position=0, **CPU)
        self.assertEqual(grey.tobytes(), self.left[:, :, 1].tobytes())
        quilt = sm.view(self.left, self.map, layout="quilt", columns=3, rows=2, separation=0,
                        position=0, **CPU)
        self.assertEqual(quilt.tobytes(), np.tile(self.left, (2, 3, 1)).tobytes())
        small = sm.Map(self.map.codes[::2, ::2], self.map.scale / 2, self.map.minimum, 65535)
        self.assertEqual(sm.view(self.left, small, position=0, **CPU).shape, self.left.shape)

    def test_refused(self):
        for call, says in (
                (lambda: sm.depth(self.map, sm.Camera(0, 1), **CPU), "above 0"),
                (lambda: sm.depth(self.map, sm.Camera(-1, 1), **CPU), "focal_length = -1"),
                (lambda: sm.points(self.map, sm.Camera(1, 1, projection="sphere"), **CPU),
                 "camera.projection = 'sphere': expected one of plane, cylinder"),
                (lambda: sm.depth(self.map, self.camera, baseline=1), "no property 'baseline'"),
                (lambda: sm.points(self.map, self.camera, stop=2), "did you mean step"),
                (lambda: sm.points(sm.Map(self.left), self.camera), "a map is height x width"),
                (lambda: sm.depth(self.map, None), r"camera = None: expected a Camera"),
                (lambda: sm.points(self.map, (90, 0.5)), r"camera = \(90, 0.5\): expected a Cam"),
                (lambda: sm.depth(self.map, sm.Camera(None, 1)), "focal_length = None"),
                (lambda: sm.Camera("x", 1), "camera.focal_length = 'x': expected a number"),
                (lambda: sm.Camera("700", "0.1"), "camera.focal_length = '700': expected a number"),
                (lambda: sm.Camera(1, (1,)), r"camera.baseline = \(1,\): expected a number"),
                (lambda: sm.Camera(1, 1, "x"), "camera.cx = 'x': expected a number"),
                (lambda: sm.Camera(1, 1, doffs=None), "camera.doffs = None: expected a number"),
                (lambda: sm.Camera(1, 1, projection=None), "camera.projection = None: expected one"),
                (lambda: sm.depth(self.map, self.camera, range_min=5, range_max=1),
                 "range_max = 1 metres"),
                (lambda: sm.view(self.left, self.map, self.right[:, :, 0]), "the shape"),
                (lambda: sm.view(self.left, self.map, np.dstack([self.right] * 2)[:, :, :4]),
                 "right has the shape"),
                (lambda: sm.view(self.left[:, :, 0], self.map,
                                 self.right[:, :, 0].astype(np.uint16)), "expected one dtype"),
                (lambda: sm.view(self.left[:, :, 0], self.map, layout="anaglyph"),
                 "needs a left view with 3 or 4 channels"),
                (lambda: sm.view(self.left, self.map, position=4, **CPU), "-2 to 3"),
                (lambda: sm.view(self.left, self.map, self.right[:, 1:], **CPU), "equal"),
                (lambda: sm.view(self.left, self.truth[:9], **CPU), r"disparity has 9 x 91 pixels, left 60 x 91"),
                (lambda: sm.view(self.left.astype(np.uint16)[:, :, 0], self.map), "uint8"),
                (lambda: sm.view(self.left.astype(np.uint16), self.map), "uint16: views are uint8"),
                (lambda: sm.view(self.left, self.map, layout="round"), "mono")):
            with self.assertRaisesRegex(sm.ArgumentError, says) as caught:
                call()
            require_terms(self, caught.exception)

    def test_types_of_fields(self):
        codes = np.zeros((4, 6), np.uint16)
        for name, value, says in (
                ("codes", [[1, 2]], r"Map.codes = \[\[1, 2\]\]: expected an array"),
                ("codes", None, "Map.codes = None: expected an array"),
                ("confidence_codes", [[1]], "Map.confidence_codes = .*: expected an array"),
                ("vertical_codes", "x", "Map.vertical_codes = 'x': expected an array"),
                ("scale", None, "Map.scale = None: expected a number"),
                ("minimum", "a", "Map.minimum = 'a': expected a number"),
                ("minimum", 10 ** 400, "Map.minimum = 10.*: expected a number"),
                ("invalid", "x", "Map.invalid = 'x': expected a number"),
                ("vertical_scale", "x", "Map.vertical_scale = 'x': expected a number")):
            with self.subTest(name), self.assertRaisesRegex(sm.ArgumentError, "^%s$" % says):
                sm.Map(**{"codes": codes, name: value})

    def test_refused_maps(self):
        shape = self.truth.shape
        codes = np.zeros(shape, np.uint16)
        for disparity, says in (
                (None, "height x width"), ("x", "not an array of numbers"),
                ([[1, 2], [3]], "not an array of numbers"),
                (np.ones(shape, complex), "not an array of numbers"),
                (np.full(shape, 1e300), r"begins at 1e\+300 pixels"),
                (sm.Map(codes, scale=0), "Map.scale = 0 is out of range"),
                (sm.Map(codes, minimum=1.5), "Map.minimum = 1.5"),
                (sm.Map(codes, invalid=-3), "Map.invalid = -3"),
                (sm.Map(codes.astype(float)), "codes is of float64"),
                (sm.Map(np.ma.masked_equal(codes, 0)), "codes has masked pixels")):
            for call in (lambda d: sm.depth(d, self.camera, **CPU),
                         lambda d: sm.points(d, self.camera, **CPU),
                         lambda d: sm.view(self.left, d, **CPU)):
                with self.assertRaisesRegex(sm.ArgumentError, says) as caught:
                    call(disparity)
                require_terms(self, caught.exception)
        for scale in ("x", None, 10 ** 400):
            if scale is not None:
                with self.assertRaisesRegex(sm.ArgumentError, "scale = .*expected a number"):
                    sm.Map.from_disparity(self.truth, scale=scale)

    def test_masks(self):
        """Masked disparities are invalid."""
        mask = np.zeros(self.truth.shape, bool)
        mask[5:9, 7:30] = True
        for kind in (np.float64, np.float32, np.int64):
            masked = np.ma.MaskedArray(self.truth.astype(kind), mask)
            self.assertEqual(sm.Map.from_disparity(masked).valid.tolist(), (~mask).tolist())
            self.assertEqual((sm.depth(masked, self.camera, **CPU) == 0).tolist(), mask.tolist())
        self.assertTrue(np.isfinite(self.truth).all())

    def test_equality(self):
        same = sm.Map.from_disparity(self.truth)
        self.assertTrue(self.map == same and not self.map != same)
        self.assertEqual(len({self.map, same}), 1)
        for field, value in (("scale", 8), ("minimum", 1), ("invalid", None),
                             ("codes", same.codes + 1), ("codes", same.codes[1:]),
                             ("codes", (same.codes >> 8).astype(np.uint8)),
                             ("confidence_codes", same.codes), ("vertical_codes", same.codes),
                             ("vertical_scale", 16)):
            self.assertNotEqual(self.map, dataclasses.replace(same, **{field: value}))
        self.assertNotEqual(self.map, self.map.codes.tolist())
        one, other = (dataclasses.replace(same, confidence_codes=same.codes.copy())
                      for _ in range(2))
        self.assertEqual((one, hash(one)), (other, hash(other)))


class Documented(unittest.TestCase):
    def test_page(self):
        """The blocks of docs/python.md, one after the other; what they print is what it says."""
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^(?!<!-- not run)[^\n]*\n```python\n(.*?)^```", file.read(),
                                re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 3)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
        self.assertTrue(printed.getvalue().startswith("10.0\n"), printed.getvalue())
        self.assertIn("did you mean num_disparities", printed.getvalue())


if __name__ == "__main__":
    suite.main()
