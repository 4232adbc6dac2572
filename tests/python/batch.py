#!/usr/bin/env python3
# gst-stereomatching: tests of stereomatching.batch in one process
# SPDX-License-Identifier: LGPL-2.1-or-later
"""batch.py LIBRARY ROOT

Inputs, results, the manifest, and runs that end early. Exit status 77 (skipped) without NumPy
or Pillow.
"""

import hashlib
import importlib.util
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import time
import unittest
import unittest.mock
import zlib
from dataclasses import replace

import batches
import suite

np, Image, ImageOps = batches.need("numpy", "PIL.Image", "PIL.ImageOps")
import stereomatching as sm  # noqa: E402
from stereomatching import batch  # noqa: E402

SMALL = "num-disparities=16"
CAMERA = ["camera.focal_length=100", "camera.baseline=0.1"]
ALL = "disparity,confidence,depth,color,points,view"


def disparities(number):
    return 2 + number % 9


class Inputs(batches.Case):
    """Which pairs are found."""

    def touch(self, *names):
        for name in names:
            path = self.path(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass

    def found(self, left, right=None):
        """name: (left, right), relative to the folder."""
        pairs = batch.find_pairs(self.path(left), self.path(right) if right else None)
        return {pair.name: tuple(os.path.relpath(path, self.folder) if path else None
                                 for path in (pair.left, pair.right)) for pair in pairs}

    def test_folders(self):
        self.touch("l/a.png", "l/deep/b.tif", "l/only.jpg", "r/a.JPEG", "r/deep/b.png", "r/x.txt")
        self.assertEqual(self.found("l", "r"), {
            "a": ("l/a.png", "r/a.JPEG"), "deep/b": ("l/deep/b.tif", "r/deep/b.png"),
            "only": ("l/only.jpg", None)})

    def test_folders_by_number(self):
        self.touch("l/left_007.png", "l/left_008.png", "r/right_008.png")
        self.assertEqual(self.found("l", "r"), {"007": ("l/left_007.png", None),
                                                "008": ("l/left_008.png", "r/right_008.png")})
        # whatever their leading zeros
        self.touch("a/left_0.png", "a/left_9.png", "a/left_10.png", "b/right_000.png",
                   "b/right_010.png", "b/right_011.png")
        self.assertEqual(self.found("a", "b"), {
            "0": ("a/left_0.png", "b/right_000.png"), "9": ("a/left_9.png", None),
            "10": ("a/left_10.png", "b/right_010.png"), "011": (None, "b/right_011.png")})

    def test_globs(self):
        self.touch("s1/left1.png", "s1/right1.png", "s2/left1.png", "s2/right1.png", "s2/right2.png")
        self.assertEqual(self.found("s*/left?.png", "s*/right?.png"), {
            "1-1": ("s1/left1.png", "s1/right1.png"), "2-1": ("s2/left1.png", "s2/right1.png"),
            "2-2": (None, "s2/right2.png")})
        self.assertEqual(self.found("**/left*.png", "**/right*.png")["s1/1"],
                         ("s1/left1.png", "s1/right1.png"))

    def test_patterns(self):
        self.touch("v/left01.jpg", "v/left02.jpg", "v/right01.jpg", "v/right02.jpg", "v/left1.jpg")
        self.assertEqual(self.found("v/left%02d.jpg", "v/right%02d.jpg"), {
            "01": ("v/left01.jpg", "v/right01.jpg"), "02": ("v/left02.jpg", "v/right02.jpg")})
        # the numbers count, not their leading zeros
        self.touch("w/left1.jpg", "w/left100.jpg", "w/right01.jpg", "w/right100.jpg",
                   "x/left1-02.jpg", "x/right01-2.jpg")
        self.assertEqual(self.found("w/left%d.jpg", "w/right%02d.jpg"), {
            "1": ("w/left1.jpg", "w/right01.jpg"), "100": ("w/left100.jpg", "w/right100.jpg")})
        self.assertEqual(self.found("x/left%d-%02d.jpg", "x/right%02d-%d.jpg"), {
            "1-02": ("x/left1-02.jpg", "x/right01-2.jpg")})

    def test_lists(self):
        with open(self.path("pairs.csv"), "w", encoding="utf-8") as file:
            file.write("name,right,left\nfirst,r/1.png,l/1.png\n,r/2.png,l/2.png\n")
        self.assertEqual(self.found("pairs.csv"), {"first": ("l/1.png", "r/1.png"),
                                                   "l/2": ("l/2.png", "r/2.png")})
        with open(self.path("pairs.csv"), "w", encoding="utf-8") as file:
            file.write("../a.png,b.png\n")
        self.assertEqual(self.found("pairs.csv"), {"a": ("../a.png", "b.png")})
        with open(self.path("pairs.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"left": "a.png", "right": "b.png", "name": "x/y"}\n\n')
        self.assertEqual(self.found("pairs.jsonl"), {"x/y": ("a.png", "b.png")})

    def write_list(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text)

    def test_text_of_lists(self):
        """A byte order mark, blanks after commas, and names of files in another encoding."""
        expected = {"a": ("a.png", "b.png")}
        for text in (b"left, right\r\na.png, b.png\r\n", b"\xef\xbb\xbfleft,right\na.png,b.png\n"):
            self.write_list("pairs.csv", text)
            self.assertEqual(self.found("pairs.csv"), expected)
        self.write_list("pairs.jsonl", b'\xef\xbb\xbf{"left": "a.png", "right": "b.png", "name": null}\r\n')
        self.assertEqual(self.found("pairs.jsonl"), expected)
        self.write_list("pairs.csv", b"a.png,\xe4.png\n")
        self.assertEqual(self.found("pairs.csv"), {"a": ("a.png", os.fsdecode(b"\xe4.png"))})

    def test_bad_lists(self):
        for text, says in (("a.png,b.png,../c\n", "leads out of"), ("a.png\n", "row 1 has no"),
                           ("a.png,b.png,c\n4.png,5.png,c\n", "two pairs have the name 'c'"),
                           ("", "there are no pairs")):
            with open(self.path("pairs.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaisesRegex(sm.ArgumentError, says):
                self.found("pairs.csv")
        for line, says in ((b'{"left": 5, "right": "b.png"}', "row 1: left = 5: expected a text"),
                           (b'{"left": "a.png", "right": ["b.png"]}', "row 1: right = .*a text"),
                           (b'{"left": "a", "right": "b", "name": 5}', "row 1: name = 5: expected"),
                           (b'{"left": "a", "right": "b", "name": "c\\ud800"}',
                            r"the name 'c.ud800' cannot be that of a file"),
                           (b"[1]", "row 1 has no left"), (b"{", "pairs.jsonl:1: "),
                           (b"[" * 10 ** 5, "pairs.jsonl:1: ")):
            self.write_list("pairs.jsonl", line)
            with self.assertRaisesRegex(sm.ArgumentError, says):
                self.found("pairs.jsonl")
        os.mkdir(self.path("folder.csv"))
        for name, says in (("none.csv", "No such file"), ("none.jsonl", "No such file"),
                           ("folder.csv", "cannot read .*folder.csv")):
            with self.assertRaisesRegex(sm.ArgumentError, says):
                self.found(name)

    def test_refused(self):
        self.touch("l/a.png", "r/b.png", "two/a.png", "two/a.jpg", "empty/x.txt")
        for left, right, says in (("l", "r", "no name or number in common"),
                                  ("l", "none", "none does not exist"),
                                  ("l", "/dev/null", "/dev/null is not a regular file: expected a"),
                                  ("l", "r/../l", "left and right are both .*/l: expected one"),
                                  ("l/a.png", "l/a.png", "left and right are both"),
                                  ("l", "empty", "there are no images"),
                                  ("two", "r", "have the same name, 'a'"),
                                  ("empty/x.txt", None, r"expected two sources, .*\.mp4, "),
                                  ("l/a.png", None, "expected two sources")):
            with self.assertRaisesRegex(sm.ArgumentError, says):
                self.found(left, right)

    def test_names_of_sources(self):
        """Texts, bytes and paths are names; an empty one is not the current folder."""
        self.touch("l/a.png", "r/a.png")
        sources = [self.path(side) for side in "lr"]
        pairs = batch.find_pairs(*sources)
        for kind in os.fsencode, pathlib.Path:
            self.assertEqual(batch.find_pairs(*map(kind, sources)), pairs)
        for given in None, 5, "", [sources[0]], "a\0b":
            for name, call in (("left", lambda one: batch.find_pairs(one)),
                               ("right", lambda one: batch.find_pairs(sources[0], one)),
                               ("folder", lambda one: batch.run(pairs, one, batch.Settings()))):
                if (name, given) != ("right", None):
                    with self.assertRaisesRegex(sm.ArgumentError, "%s = .*: expected the name" % name):
                        call(given)

    def test_kitti(self):
        self.touch("k/image_2/000000_10.png", "k/image_3/000000_10.png", "k/image_0/0.png")
        os.makedirs(self.path("k", "calib_cam_to_cam"))
        with open(self.path("k", "calib_cam_to_cam", "000000.txt"), "w", encoding="utf-8") as file:
            file.write("calib_time: x\nS_rect_02: 1.242000e+03 3.750000e+02\n"
                       "P_rect_02: 700 0 600 40 0 700 170 0 0 0 1 0\n"
                       "P_rect_03: 700 0 601 -338 0 700 170 0 0 0 1 0\n")
        pair, = batch.find_pairs(self.path("k"))
        self.assertEqual(pair.name, "000000_10")
        self.assertEqual(pair.camera, sm.Camera(700, 378 / 700, 600, 170, 1))
        self.assertEqual(pair.camera_size, (1242, 375))
        zeros = " 0" * 10
        for text, says in (("P2: 700 0 x\n", "numbers, got '700 0 x'"),
                           ("P2: 700 0 nan\n", "numbers, got '700 0 nan'"),
                           ("P2: 0 0%s\nP3: 0 0%s\n" % (zeros, zeros), "a focal length above 0, got 0")):
            with open(self.path("k", "calib.txt"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaisesRegex(sm.ArgumentError, "calib.txt: expected " + says):
                batch.find_pairs(self.path("k"))

    def test_middlebury(self):
        self.touch("m/Adirondack/im0.png", "m/Adirondack/im1.png", "m/cones/im2.png",
                   "m/cones/im6.png", "m/Art/view1.png", "m/Art/view5.png")
        with open(self.path("m", "Adirondack", "calib.txt"), "w", encoding="utf-8") as file:
            file.write("cam0=[4161.221 0 1445.577; 0 4161.221 984.686; 0 0 1]\n"
                       "cam1=[4161.221 0 1654.636; 0 4161.221 984.686; 0 0 1]\n"
                       "doffs=209.059\nbaseline=176.252\nwidth=2880\nheight=1980\nndisp=290\n")
        pairs = {pair.name: pair for pair in batch.find_pairs(self.path("m"))}
        self.assertEqual(sorted(pairs), ["Adirondack", "Art", "cones"])
        camera = pairs["Adirondack"].camera
        self.assertEqual((camera.focal_length, camera.cx, camera.cy, camera.doffs),
                         (4161.221, 1445.577, 984.686, 209.059))
        self.assertAlmostEqual(camera.baseline, 0.176252)
        self.assertEqual(pairs["Adirondack"].camera_size, (2880, 1980))
        self.assertEqual(pairs["Adirondack"].disparities, 290)
        self.assertIsNone(pairs["cones"].camera)
        self.assertEqual(batch.find_pairs(self.path("m", "Art"))[0].name, "Art")
        for line, says in (("cam0=[-1 0 0; 0 0 0; 0 0 1]", "a focal length above 0, got -1"),
                           ("baseline=far", "numbers, got 'far"), ("baseline=inf", "numbers, got 'inf")):
            with open(self.path("m", "Adirondack", "calib.txt"), "a", encoding="utf-8") as file:
                file.write(line + "\n")
            with self.assertRaisesRegex(sm.ArgumentError, "calib.txt: expected " + says):
                batch.find_pairs(self.path("m"))

    def test_euroc(self):
        for camera in "cam0", "cam1":
            self.touch("e/mav0/%s/data/1403.png" % camera, "e/mav0/%s/sensor.yaml" % camera)
        pair, = batch.find_pairs(self.path("e"))
        self.assertEqual(pair.name, "1403")
        self.assertEqual([path[-16:] for path in pair.calibration],
                         ["cam0/sensor.yaml", "cam1/sensor.yaml"])


class Formats(batches.Case):
    """Files give the maps of the arrays that are in them."""

    def setUp(self):
        super().setUp()
        self.left, self.right = batches.pair_of(3)

    def require_map(self, suffix, save, views=None):
        paths = [self.path(side + suffix) for side in ("left", "right")]
        views = views or (self.left, self.right)
        for path, view in zip(paths, views):
            save(path, view)
        matched, = batch.match_pairs([paths], num_disparities=16)
        self.assertEqual(matched.error, None)
        self.assertEqual(matched.map, sm.match(*views, num_disparities=16, backend="cpu"))
        self.assertEqual(np.median(matched.map.disparity), disparities(3))

    def save(self, path, view):
        Image.fromarray(view).save(path)

    def test_8_bits(self):
        for suffix in ".png", ".tif", ".ppm", ".bmp":
            self.require_map(suffix, self.save)
        self.require_map(".png", self.save, (self.left[:, :, 1], self.right[:, :, 1]))
        self.require_map(".npy", np.save)

    def test_16_bits(self):
        grey = [view[:, :, 0].astype(np.uint16) * 257 for view in (self.left, self.right)]
        for suffix in ".png", ".tif":
            self.require_map(suffix, self.save, grey)
        self.require_map(".npy", np.save, grey)

    def test_pfm(self):
        grey = [view[:, :, 0].astype(np.uint16) * 257 for view in (self.left, self.right)]

        def save(path, view):
            with open(path, "wb") as file:
                file.write(b"Pf\n%d %d\n1.0\n" % view.shape[::-1])
                file.write((view[::-1] / 65535).astype(">f4").tobytes())
        self.require_map(".pfm", save, grey)

        def save_on_one_line(path, view):
            with open(path, "wb") as file:
                file.write(b"Pf %d %d -1e2\r\n" % view.shape[::-1])
                file.write((view[::-1] / 65535).astype("<f4").tobytes())
        self.require_map(".pfm", save_on_one_line, grey)

    def test_bad_pfm(self):
        self.write_pairs(1)
        for header, says in ((b"Pf\n2 1\n0\n", "header: expected 'Pf WIDTH HEIGHT SCALE'"),
                             (b"Pf\n2 1\nnan\n", "header"), (b"Pf\n-2 -1\n1\n", "header"),
                             (b"Pf\n", "header"), (b"", "header"),
                             (b"Pf\n2 2\n1\n", "is cut off: expected 16 bytes of pixels, got 8")):
            with open(self.path("left.pfm"), "wb") as file:
                file.write(header + bytes(8))
            self.batch("left.pfm", "set/right/0000.png", "out", status=3)
            self.assertRegex(self.manifest()[0]["error"], "cannot read .*left.pfm: .*" + says)

    def test_floats(self):
        grey = [view[:, :, 0].astype(np.uint16) * 257 for view in (self.left, self.right)]

        def save(path, view):
            np.save(path, view / 65535)
        self.require_map(".npy", save, grey)
        # a few values may be above 1, as in images with highlights
        bright = [np.where(view > 40000, 65535, view) for view in grey]

        def save_bright(path, view):
            np.save(path, np.where(view > 40000, 3.5, view / 65535))
        self.require_map(".npy", save_bright, bright)
        # 16 levels, which half precision tells apart
        coarse = [view // 4096 * 4369 for view in grey]

        def save_half(path, view):
            np.save(path, (view / 65535).astype(np.float16))
        self.require_map(".npy", save_half, coarse)

    def test_compressed_tiff(self):
        """No descriptor is closed twice: another thread may have opened a file with it."""
        close = os.close

        def fail(number):
            try:
                close(number)
            except OSError as error:
                failures.append(error)
                raise
        failures = []
        with unittest.mock.patch("os.close", fail):
            self.require_map(".tif", lambda path, view: Image.fromarray(view).save(
                path, compression="tiff_lzw"))
        self.assertEqual(failures, [])

    def test_floats_of_another_range(self):
        """Of 8 bits, or normalised to a mean of 0."""
        for suffix, save in ((".npy", np.save), (".tif", self.save)):
            paths = [self.path(side + suffix) for side in ("left", "right")]
            for least, most, says in ((0, 255, r"\S+ to 25\d"), (-1, 1, r"-(1|0\.9\d+) to \S+")):
                for path, view in zip(paths, (self.left, self.right)):
                    save(path, np.float32(least + view[:, :, 0] / 255 * (most - least)))
                matched, = batch.match_pairs([paths], num_disparities=16)
                self.assertIsInstance(matched.error, batch.Unreadable)
                self.assertRegex(str(matched.error), "left%s: has values from %s: expected "
                                 "floating-point values from 0 to 1" % (suffix, says))
        # a few may be negative
        np.save(self.path("few.npy"), np.where(self.left[:, :, 0] < 20, -0.1,
                                               self.left[:, :, 0] / 255))
        matched, = batch.match_pairs([[self.path("few.npy")] * 2], num_disparities=16)
        self.assertIsNone(matched.error)

    def test_jpeg(self):
        def save(path, view):
            Image.fromarray(view).save(path, quality=95)
        for side, view in zip("ab", (self.left, self.right)):
            save(self.path(side + ".jpg"), view)
        views = [np.asarray(Image.open(self.path(side + ".jpg"))) for side in "ab"]
        matched, = batch.match_pairs([(self.path("a.jpg"), self.path("b.jpg"))])
        self.assertEqual(matched.map, sm.match(*views, backend="cpu"))

    def test_orientation(self):
        """Photographs are matched as viewers show them."""
        for kind, orientation in [("jpeg", n) for n in range(10)] + [("webp", 6), ("tiff", 8)]:
            exif = Image.Exif()
            exif[0x0112] = orientation
            # Pillow applies it to TIFF files by itself
            self.require_turned(kind, exif.tobytes(), np.asarray if kind == "tiff"
                                else ImageOps.exif_transpose)
        self.require_turned("jpeg", b"Exif\0\0damaged", np.asarray)

    def require_turned(self, kind, exif, turn):
        """The map of files is that of their turned pixels."""
        paths = [self.path(side) for side in "ab"]
        views = []
        for path, view in zip(paths, (self.left, self.right)):
            Image.fromarray(view).save(path, kind, exif=exif)
            with Image.open(path) as image:
                views.append(np.asarray(turn(image)))
        with self.subTest(kind=kind, exif=exif):
            matched, = batch.match_pairs([paths], num_disparities=16)
            self.assertEqual(matched.map, sm.match(*views, num_disparities=16, backend="cpu"))


class Results(batches.Case):
    """What is stored, against the functions of the module and other readers."""

    def setUp(self):
        super().setUp()
        self.write_pairs(3)
        self.camera = sm.Camera(100, 0.1)

    def expected(self, number):
        left, right = batches.pair_of(number)
        return left, right, sm.match(left, right, num_disparities=16, fill=False, confidence=True)

    def image(self, *parts):
        return np.asarray(Image.open(self.path("out", *parts))).astype(int)

    def test_all(self):
        self.batch("set/left", "set/right", "out", SMALL, "fill=false", "view.position=0.3",
                   "points.step=2.0", *CAMERA, "--outputs", ALL)
        for number in range(3):
            name = "%04d" % number
            left, right, found = self.expected(number)
            depth = sm.depth(found, self.camera)
            for output, expected in (("disparity", found.codes), ("depth", depth),
                                     ("confidence", found.confidence_codes),
                                     ("view", sm.view(left, found, right, position=0.3))):
                np.testing.assert_array_equal(self.image(output, name + ".png"), expected)
            self.assertEqual(np.median(found.disparity[found.valid]), disparities(number))
            self.require_ply(name, sm.points(found, self.camera, step=2), left[::2, ::2])
        self.require_manifest()

    def require_ply(self, name, points, colors):
        with open(self.path("out", "points", name + ".ply"), "rb") as file:
            header, data = file.read().split(b"end_header\n", 1)
        known = ~np.isnan(points[:, :, 0])
        self.assertIn(b"element vertex %d\n" % known.sum(), header)
        vertices = [struct.unpack_from("<fffBBB", data, at) for at in range(0, len(data), 15)]
        expected = [tuple(map(float, point)) + tuple(map(int, color))
                    for point, color in zip(points[known], colors[known])]
        self.assertEqual(vertices, expected)
        self.assertTrue(expected)

    def require_manifest(self):
        records = self.manifest()
        self.assertEqual([record["name"] for record in records], ["0000", "0001", "0002"])
        for record in records:
            self.assertEqual((record["status"], record["backend"], record["version"]),
                             ("done", "cpu", sm.version()))
            self.assertEqual(record["bytes"], [os.path.getsize(record[side])
                                               for side in ("left", "right")])
            self.assertEqual(record["parameters"]["properties"],
                             {"num_disparities": "16", "fill": "false"})
            found = self.expected(int(record["name"]))[2]
            self.assertAlmostEqual(record["density"], found.valid.mean(), places=6)
            self.assertEqual(set(record["seconds"]), {"read", "match", "write"})
            self.assertEqual(sorted(record["results"]), sorted(ALL.split(",")))
            for result in record["results"].values():
                with open(self.path("out", result["file"]), "rb") as file:
                    data = file.read()
                self.assertEqual(result["bytes"], len(data))
                self.assertEqual(result["sha256"], hashlib.sha256(data).hexdigest())

    def test_formats_of_maps(self):
        for kind in "pfm", "npy":
            self.batch("set/left", "set/right", "out", SMALL, "fill=false", "--format", kind,
                       "--outputs", "disparity,confidence")
            found = self.expected(1)[2]
            path = self.path("out", "disparity", "0001." + kind)
            if kind == "npy":
                np.testing.assert_array_equal(np.load(path), found.disparity)
                np.testing.assert_array_equal(np.load(path.replace("disparity", "confidence")),
                                              found.confidence)
                continue
            with open(path, "rb") as file:
                self.assertEqual([file.readline() for _ in range(3)],
                                 [b"Pf\n", b"90 60\n", b"-1.0\n"])
                values = np.frombuffer(file.read(), "<f4").reshape(60, 90)[::-1]
            np.testing.assert_array_equal(np.where(np.isinf(values), np.nan, values),
                                          found.disparity)

    def test_color(self):
        """The picture of disparitycolor."""
        if not shutil.which("gst-launch-1.0") or batches.SANITIZER:
            self.skipTest("there is no gst-launch-1.0 for this build")
        for number in 16, 1:
            out = "out%d" % number
            self.batch("set/left", "set/right", out, "num-disparities=%d" % number, "fill=false",
                       "--outputs", "color")
            done = subprocess.run(
                ["gst-launch-1.0", "-q", *(
                    "filesrc location=set/left/0001.png ! pngdec ! m.sink_left "
                    "filesrc location=set/right/0001.png ! pngdec ! m.sink_right stereosgm name=m "
                    "backend=cpu num-disparities=%d fill=false ! disparitycolor ! "
                    "video/x-raw,format=RGB ! filesink location=picture.raw" % number).split()],
                cwd=self.folder, capture_output=True, text=True, timeout=batches.TIMEOUT,
                check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("picture.raw"), "rb") as file:
                rows = np.frombuffer(file.read(), np.uint8).reshape(60, -1)
            with Image.open(self.path(out, "color", "0001.png")) as image:
                np.testing.assert_array_equal(image, rows[:, :270].reshape(60, 90, 3))

    def test_workers_and_tasks(self):
        self.batch("set/left", "set/right", "out", SMALL, "--pairs-per-task", 1)
        self.batch("set/left", "set/right", "other", SMALL, "--threads", 2)
        self.require_same("out", "other")

    def test_size_of_tasks(self):
        """Few pairs are shared by all workers."""
        sizes = []

        class Recorder(batch.Threads):
            def run(self, function, tasks, *arguments):
                tasks = list(tasks)
                sizes.append(sorted({len(task) for task in tasks}))
                return super().run(function, tasks, *arguments)

        self.write_pairs(40, height=8, width=24)
        pairs = batch.find_pairs(self.path("set/left"), self.path("set/right"))
        settings = batch.Settings(properties={"num_disparities": 16})
        for number, (workers, most) in enumerate(((1, 16), (2, 16), (2, 3), (16, 16))):
            summary = batch.run(pairs, self.path("out%d" % number), settings,
                                executor=Recorder(workers), pairs_per_task=most)
            self.assertEqual((summary.done, summary.stop), (40, None))
        self.assertEqual(sizes, [[10], [5], [1, 3], [1]])

    def test_presets_and_algorithms(self):
        self.batch("set/left", "set/right", "out", SMALL, "--algorithm", "vcbw", "--preset", "paper")
        left, right, _ = self.expected(2)
        np.testing.assert_array_equal(
            self.image("disparity", "0002.png"),
            sm.match(left, right, algorithm="vcbw", preset="paper", num_disparities=16).codes)

    def test_filled_depth(self):
        """Depths of filled pixels were not measured."""
        for words, filled in (((), True), (("fill=false",), False), (("min-confidence=0.5",), False)):
            done = self.batch("set/left", "set/right", "out", SMALL, *words, *CAMERA, "--outputs",
                              "depth")
            self.assertEqual("depths that were not measured" in done.stderr, filled, words)
        done = self.batch("set/left", "set/right", "map", SMALL, *CAMERA)
        self.assertNotIn("measured", done.stderr)

    def test_dataset_camera(self):
        os.rename(self.path("set", "left", "0001.png"), self.path("set", "im0.png"))
        os.rename(self.path("set", "right", "0001.png"), self.path("set", "im1.png"))
        shutil.rmtree(self.path("set", "left"))
        with open(self.path("set", "calib.txt"), "w", encoding="utf-8") as file:
            file.write("cam0=[100 0 45; 0 100 30; 0 0 1]\nbaseline=100\nwidth=90\nheight=60\n"
                       "ndisp=16\n")
        done = self.batch("set", "out", SMALL, "fill=false", "--outputs", "depth")
        self.assertNotIn("searches", done.stderr)
        np.testing.assert_array_equal(self.image("depth", "set.png"),
                                      sm.depth(self.expected(1)[2], self.camera))

        done = self.batch("set", "less", "num-disparities=10", "min-disparity=3")
        self.assertIn("The dataset has 16 disparities, and the matcher searches 10 from 3 on: "
                      "set num-disparities=13", done.stderr)

    def test_range_without_a_dataset(self):
        """Only datasets have a number of disparities."""
        done = self.batch("set/left", "set/right", "out", "num-disparities=16", "min-disparity=-20")
        self.assertNotIn("dataset", done.stderr)

    def test_dataset_camera_of_another_size(self):
        """A camera is only for images of its size, as scaled ones are not."""
        found = batch.find_pairs(self.path("set/left"), self.path("set/right"))[1]
        pair = replace(found, camera=sm.Camera(200, 0.1), camera_size=(180, 120))
        settings = batch.Settings(properties={"num_disparities": 16, "fill": False},
                                  outputs=("depth",))
        self.assertEqual(batch.run([pair], self.path("out"), settings).failed, ["0001"])
        self.assertIn("is for images of 180x120 pixels, got 90x60", self.manifest()[0]["error"])
        batch.run([pair], self.path("out"), replace(settings, camera=self.camera))
        np.testing.assert_array_equal(self.image("depth", "0001.png"),
                                      sm.depth(self.expected(1)[2], self.camera))
        batch.run([pair], self.path("out"), replace(settings, outputs=("disparity",)))
        with Image.open(self.path("out", "disparity", "0001.png")) as image:
            self.assertNotIn("focal-length", image.text["Comment"])


class Euroc(batches.Case):
    SENSOR = """%%YAML:1.0
sensor_type: camera
T_BS:
  cols: 4
  rows: 4
  data: [0, -1, 0, %g, 1, 0, 0, %g, 0, 0, 1, 0.01, 0, 0, 0, 1]
resolution: [90, 60]
camera_model: pinhole
intrinsics: [100, 100, 44.5, 29.5]
distortion_model: radial-tangential
distortion_coefficients: [0, 0, 0, 0]
"""

    KALIBR = """cam0:
  camera_model: pinhole
  intrinsics: [%d, %d, 44.5, 29.5]
  distortion_model: radtan
  distortion_coeffs: [0, 0, 0, 0]
  resolution: [90, 60]
cam1:
  camera_model: pinhole
  intrinsics: [100, 100, 44.5, 29.5]
  distortion_model: radtan
  distortion_coeffs: [0, 0, 0, 0]
  resolution: [90, 60]
  T_cn_cnm1:
  - [1, 0, 0, -0.1]
  - [0, 1, 0, 0]
  - [0, 0, 1, 0]
  - [0, 0, 0, 1]
"""

    def write(self, change=str, convert=np.asarray):
        """Cameras that are 0.11 m apart on the body's y axis, which is the images' x axis."""
        batches.need("yaml")
        for camera, side, position in (("cam0", "left", -0.06), ("cam1", "right", 0.05)):
            os.makedirs(self.path("mav0", camera, "data"), exist_ok=True)
            with open(self.path("mav0", camera, "sensor.yaml"), "w", encoding="utf-8") as file:
                file.write(change(self.SENSOR % (-0.02, position)))
            view = dict(zip(("left", "right"), batches.pair_of(4)))[side]
            Image.fromarray(convert(view)).save(self.path("mav0", camera, "data", "1403.png"))

    def need_stereorectify(self):
        if importlib.util.find_spec("gi") is None or batches.SANITIZER or not os.environ.get(
                "GST_PLUGIN_PATH_1_0"):
            self.skipTest("there is no stereorectify for Python")

    def require_error(self, says, change):
        self.write(change)
        self.batch(".", "out", SMALL, status=3)
        record = self.manifest()[-1]
        self.assertRegex(record["error"], says)

    def test_rectified(self):
        self.need_stereorectify()
        self.write()
        self.batch(".", "out", SMALL, "fill=false", "--outputs", "depth,disparity")
        depth = np.asarray(Image.open(self.path("out", "depth", "1403.png")))
        # focal length * baseline / disparity, in millimetres
        self.assertAlmostEqual(np.median(depth[depth > 0]), 100 * 110 / disparities(4), delta=20)

    def test_resumed(self):
        """A run continues with equal calibrations only, whatever the names of their files."""
        self.need_stereorectify()
        self.write()
        sensor = self.path("mav0", "cam0", "sensor.yaml")

        def resumed(*words):
            return json.loads(self.batch(*words, "out", SMALL, "--json").stdout)["resumed"]

        def checksum_of(path):
            with open(path, "rb") as file:
                return zlib.crc32(file.read())
        self.assertEqual([resumed("."), resumed(".")], [0, 1])
        self.assertEqual(self.manifest()[0]["calibration"][0], checksum_of(sensor))
        self.write(lambda text: text.replace("[100, 100,", "[101, 101,"))
        self.assertEqual([resumed("."), resumed(".")], [0, 1])
        self.assertEqual(self.manifest()[0]["calibration"][0], checksum_of(sensor))

        self.write_pairs(1)
        words = ["set/left", "set/right", "--calibration"]
        for name, focal_length in (("a.yaml", 100), ("b.yaml", 100), ("c.yaml", 101)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(self.KALIBR % (focal_length, focal_length))
        self.assertEqual([resumed(*words, name) for name in ("a.yaml", "b.yaml", "c.yaml")],
                         [0, 1, 0])
        self.assertEqual(self.manifest()[0]["parameters"]["calibration"],
                         [checksum_of(self.path("c.yaml"))])

    def test_changed(self):
        """A file that changes while workers read it."""
        self.write()
        path = self.path("mav0", "cam0", "sensor.yaml")
        settings = batch.Settings(calibration=(path,)).checked()
        settings.require_unchanged([path])
        self.write(lambda text: text.replace("[100, 100,", "[101, 101,"))
        with self.assertRaisesRegex(sm.ArgumentError, "sensor.yaml has changed since the run began"):
            settings.require_unchanged([path])

    def test_16_bits(self):
        self.need_stereorectify()
        for kind in (np.uint8, np.uint16):
            self.write(convert=lambda view, kind=kind: view[:, :, 0].astype(kind) * kind(
                np.iinfo(kind).max // 255))
            self.batch(".", np.dtype(kind).name, SMALL, "--outputs", "depth,view")
        for output in ("depth", "view"):
            maps = [self.path(name, output, "1403.png") for name in ("uint8", "uint16")]
            np.testing.assert_array_equal(*map(np.asarray, map(Image.open, maps)))
        self.write(convert=lambda view: view[:, :, 0].astype(np.uint16) * 16)
        done = self.batch(".", "low", SMALL)
        for side in ("left", "right"):
            self.assertRegex(done.stderr, "(?m)^Warning: %s is uint16 without a value above 4095"
                             % side)

    def test_invalid(self):
        for old, new in (("T_BS", "T_BC"), ("0, 0, 0, 1]", "1]"), ("[0, -1, 0", "[0, 0, 0"),
                         ("intrinsics", "focal"), ("[90, 60]", "wide")):
            with self.subTest(old):
                self.require_error("cam0/sensor.yaml: expected the numbers of T_BS",
                                   lambda text, old=old, new=new: text.replace(old, new))
        self.require_error("cam0/sensor.yaml: expected the numbers of T_BS", lambda text: "")

    def test_another_distortion_model(self):
        self.need_stereorectify()
        self.require_error("expected the distortion model .*, got fov",
                           lambda text: text.replace("radial-tangential", "fov"))


class Usage(batches.Case):
    def test_invalid(self):
        self.write_pairs(1)
        for words, says in (
                (["set/left"], "expected LEFT RIGHT OUT, or SOURCE OUT, got 1 name;"),
                (["set/left", "set/right", "out", "--outputs", "depths"], "'depths': expected one of"),
                (["set/left", "set/right", "out", "num-disparity=3"], "did you mean num_disparities"),
                (["set/left", "set/right", "out", "preset=fast"], "sgm has no property 'preset'"),
                (["set/left", "set/right", "out", "simd=none"], "sgm has no property 'simd'"),
                (["set/left", "set/right", "out", "views.position=0"],
                 "the word before the dot = 'views': expected one of camera, view, depth, points"),
                (["set/left", "set/right", "out", "view.pos=3"], "view has no property 'pos'"),
                (["set/left", "set/right", "out", "view.position=x"], "position = 'x'"),
                (["set/left", "set/right", "out", "temporal=4"], "temporal = 4: pairs of images"),
                (["set/left", "set/right", "out", "num-disparities=999", "disparity-scale=99"],
                 "num_disparities 999 times disparity_scale 99 does not fit"),
                (["set/left", "set/right", "out", "points.step=0"], "step = 0 is"),
                # which the map and the camera determine
                (["set/left", "set/right", "out", "view.disparity-scale=8"],
                 "view has no property 'disparity_scale'"),
                (["set/left", "set/right", "out", "depth.focal-length=9", "depth.baseline=3"],
                 "depth has no property 'focal_length'"),
                (["set/left", "set/right", "out", "points.cx=9"], "points has no property 'cx'"),
                (["set/left", "set/right", "out", "camera.baseline=3"], "camera.focal_length and"),
                (["set/left", "set/right", "out", "camera.baseline=3", "camera.focal_length=nan"],
                 "focal_length = nan"),
                (["set/left", "set/right", "out", "camera.baseline=3", "camera.focal_length=0"],
                 "above 0"),
                (["set/left", "set/right", "out", "camera.baseline=3", "camera.focal_length=9",
                  "camera.projection=sphere"], "expected one of plane, cylinder"),
                (["set/left", "set/right", "out", "--outputs", "depth"], "need a camera"),
                (["set/left", "set/right", "out", "--device", "gpu"], "cuda or cuda:N"),
                (["set/left", "set/right", "out", "--calibration", "no.yml"],
                 "no.yml: No such file"),
                (["set/left", "set/right", "out", "--calibration", "set"], "set: Is a directory"),
                (["set/left", "set/right", "out", "weights=no.txt"], "no.txt: No such file"),
                (["set/left", "set/right", "out", "weights=set/left/0000.png"],
                 "0000.png: line 1: "),
                (["set/left", "set/right", "out", "weights=no.txt", "--algorithm", "pyramid"],
                 "no.txt"),
                (["set/left", "none", "out"], "none does not exist"),
                (["set/left", "set/right", "out", "--workers", "x"],
                 "stereo-batch: --workers: expected a whole number, got 'x'"),
                (["set/left", "set/right", "out", "--segment", "x"], "--segment: expected a number"),
                (["set/left", "set/right", "out", "--format", "gif"],
                 "stereo-batch: --format: expected one of png, pfm, npy, got 'gif'"),
                # without OUT
                (["set/left", "set/right"], "set/left is not a dataset of KITTI, Middlebury or EuRoC"),
                (["set/left", "set/right", "out", "--segment", "inf"],
                 "--segment: expected a finite number above 0"),
                (["set/left", "set/right", "out", "--strange"], "unrecognized arguments")):
            done = self.batch(*words, status=2)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.path("out")))

    def test_cylinder(self):
        """camera.projection is a word, unlike the other fields."""
        self.write_pairs(1)
        words = ("set/left", "set/right", "--outputs", "points", "camera.focal_length=90",
                 "camera.baseline=0.1", "fill=false")
        for out in "plane", "cylinder":
            self.batch(*words[:2], out, *words[2:], "camera.projection=%s" % out)
            self.assertEqual(self.manifest(out)[0]["parameters"]["camera"]["projection"], out)
        self.assertNotEqual(self.contents("plane"), self.contents("cylinder"))

    def test_information(self):
        usage = self.batch("--help").stdout
        self.assertIn("stereo-batch [OPTION ...] LEFT RIGHT OUT", usage)
        self.assertEqual(self.batch("-h").stdout, usage)
        self.assertEqual(self.batch("--version").stdout, "stereo-batch %s\n" % sm.version())
        rows = [row.split("\t") for row in self.batch("--options").stdout.splitlines()]
        self.assertEqual({len(row) for row in rows}, {4})
        choices = {row[0]: row[2].split() for row in rows}
        self.assertEqual(sorted(choices["--algorithm"]), sorted(sm.algorithms()))

    def test_without_pillow(self):
        self.write_pairs(1)
        code = ("import sys; sys.modules['PIL'] = sys.modules['cv2'] = None; sys.argv[1:] = ['set/left', 'set/right', 'out'];"
                "from stereomatching.batch._cli import main; sys.exit(main())")
        done = subprocess.run([batches.COMMAND[0], "-c", code], cwd=self.folder, text=True,
                              capture_output=True, timeout=batches.TIMEOUT, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("pip install pillow", done.stderr)


class Failures(batches.Case):
    """Inputs that cannot be used, and runs that end early."""

    def spoil(self):
        """Three pairs of eight that cannot be matched, and one without a partner."""
        with open(self.path("set", "left", "0001.png"), "r+b") as file:
            file.truncate(300)
        with open(self.path("set", "right", "0003.png"), "wb"):
            pass
        Image.fromarray(batches.pair_of(5, height=30)[0]).save(self.path("set", "left", "0005.png"))
        os.unlink(self.path("set", "right", "0006.png"))

    def test_impossible_names(self):
        """Of files in a list; the other pairs are matched."""
        self.write_pairs(1)
        with open(self.path("pairs.jsonl"), "w", encoding="utf-8") as file:
            for name in ("0000", "a\ud800", "a\0"):
                json.dump({side: "set/%s/%s.png" % (side, name) for side in ("left", "right")}
                          | {"name": ascii(name)}, file)
                file.write("\n")
        done = self.batch("pairs.jsonl", "out", SMALL, status=3)
        self.assertIn("2 failed, see manifest.jsonl", done.stderr)
        self.assertEqual([record["bytes"] for record in self.manifest()[1:]], [[None, None]] * 2)

    def test_corrupt(self):
        self.write_pairs(8)
        self.batch("set/left", "set/right", "clean", SMALL)
        self.spoil()
        done = self.batch("set/left", "set/right", "out", SMALL, status=3)
        self.assertIn("3 failed, see manifest.jsonl: 0001, 0003, 0005", done.stderr)
        self.assertIn("1 unpaired: 0006", done.stderr)
        records = self.manifest()
        self.assertEqual([record["name"] for record in records], ["%04d" % n for n in range(8)])
        failed = {record["name"]: record["error"] for record in records
                  if record["status"] == "failed"}
        self.assertRegex(failed.pop("0001"), "cannot read .*left/0001.png: .*trunc")
        self.assertRegex(failed.pop("0003"), "cannot read .*right/0003.png: cannot identify")
        self.assertRegex(failed.pop("0005"), "they have to be equal")
        self.assertEqual(failed, {})
        self.assertEqual([r["name"] for r in records if r["status"] == "unpaired"], ["0006"])
        clean = self.contents("clean")
        self.assertEqual(self.contents(), {"disparity/%04d.png" % n: clean["disparity/%04d.png" % n]
                                           for n in (0, 2, 4, 7)})

    def test_pipe(self):
        """As an image of a folder; no thread waits for its writer."""
        self.write_pairs(2)
        os.unlink(self.path("set", "right", "0001.png"))
        os.mkfifo(self.path("set", "right", "0001.png"))
        self.batch("set/left", "set/right", "out", SMALL, status=3)
        done, failed = self.manifest()
        self.assertEqual(done["status"], "done")
        self.assertRegex(failed["error"], "cannot read .*right/0001.png: is not a regular file")

    def test_strict(self):
        self.write_pairs(8)
        self.spoil()
        done = self.batch("set/left", "set/right", "out", SMALL, "--strict", "--workers", 1, status=1)
        self.assertRegex(done.stderr, r"Stopped: 000\d: .*Run the same command to continue")
        self.assertLess(len(self.contents()), 4)

    def started(self, *words):
        """A run that has some results, but not all until release()."""
        process = subprocess.Popen(batches.COMMAND + list(words), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.holding("right/0040.png"))
        end = time.monotonic() + batches.TIMEOUT
        while time.monotonic() < end and process.poll() is None:
            try:
                with open(self.path("out", "manifest.jsonl"), "rb") as file:
                    if file.read().count(b"\n") > 2:
                        return process
            except OSError:
                pass
            time.sleep(0.005)
        process.kill()
        self.fail("the run ended with %s" % (process.communicate(),))

    def test_killed(self):
        """Twice, by kill -9; nothing is half-made, lost or doubled."""
        self.write_pairs(60)
        words = ["set/left", "set/right", "out", SMALL, *CAMERA, "--outputs", ALL,
                 "--pairs-per-task", "1", "--workers", "1"]
        self.batch(*[word.replace("out", "whole") if word == "out" else word for word in words])
        for _ in range(2):
            process = self.started(*words)
            process.kill()
            process.communicate()
            for name, data in self.contents().items():
                if not name.endswith(".part"):
                    self.assertEqual(data, self.contents("whole")[name])
        # as if the last line had not been written completely
        with open(self.path("out", "manifest.jsonl"), "ab") as file:
            file.write(b'{"name": "0059", "status": "do')
        summary = json.loads(self.batch(*words, "--json").stdout)
        self.assertGreaterEqual(summary["resumed"], 3)
        self.assertEqual(summary["done"], 60)
        self.require_same("out", "whole")

    def test_terminated(self):
        self.write_pairs(60)
        words = ["set/left", "set/right", "out", SMALL, "--pairs-per-task", "1", "--workers", "1",
                 "--outputs", "disparity,view,color"]
        process = self.started(*words)
        process.send_signal(signal.SIGTERM)
        self.release()
        _, error = process.communicate(timeout=batches.TIMEOUT)
        if process.returncode != 0:
            self.assertEqual((process.returncode, error),
                             (130, b"Interrupted. Run the same command to continue.\n"))
        self.assertFalse([name for name in self.contents() if name.endswith(".part")])

    def test_resumed(self):
        """Only what is missing, changed or damaged is computed again."""
        self.write_pairs(5)
        words = ["set/left", "set/right", "out", SMALL, "--json"]

        def resumed(*more):
            return json.loads(self.batch(*words, *more).stdout)["resumed"]
        self.assertEqual([resumed(), resumed()], [0, 5])
        os.unlink(self.path("out", "disparity", "0002.png"))
        self.assertEqual(resumed(), 4)
        with open(self.path("set", "left", "0003.png"), "ab") as file:
            file.write(b"more")
        self.assertEqual(resumed(), 4)
        with open(self.path("out", "disparity", "0001.png"), "r+b") as file:
            file.seek(60)
            file.write(b"damaged")
        self.assertEqual([resumed(), resumed("--verify"), resumed("--verify")], [5, 4, 5])
        self.assertEqual(resumed("speckle-size=3"), 0)
        self.assertEqual(resumed("speckle-size=3", "--no-resume"), 0)
        self.assertEqual(len(self.manifest()), 5)

    def test_weights(self):
        """A run continues with equal networks only, whatever the names of their files."""
        census = os.path.join(batches.ROOT, "tools", "train", "weights", "census.txt")
        self.write_pairs(3)
        shutil.copy(census, self.path("a.txt"))
        shutil.copy(census, self.path("b.txt"))
        words = ["set/left", "set/right", "out", SMALL, "cost=learned", "--json"]

        def resumed(*more):
            return json.loads(self.batch(*words, *more).stdout)["resumed"]

        def checksum():
            return {record["parameters"]["weights"] for record in self.manifest()}
        self.assertEqual([resumed("weights=a.txt"), resumed("weights=b.txt")], [0, 3])
        matcher = sm.Matcher(cost="learned", weights=census)
        self.assertEqual(checksum(), {matcher.weights_checksum})
        for number in range(3):
            with Image.open(self.path("out", "disparity", "%04d.png" % number)) as image:
                self.assertIn("weights=(uint)%d" % matcher.weights_checksum, image.text["Comment"])
                np.testing.assert_array_equal(np.asarray(image), sm.match(
                    *batches.pair_of(number), num_disparities=16, cost="census").codes)
        self.assertEqual(resumed(), 0)
        self.assertEqual(checksum(), {sm.Matcher(cost="learned").weights_checksum})
        self.assertEqual([resumed("cost=census"), checksum()], [0, {0}])
        found = list(batch.match_pairs(batch.find_pairs(self.path("set", "left"), self.path(
            "set", "right")), num_disparities=16, cost="learned", weights=self.path("a.txt")))
        for matched in found:
            left, right = batches.pair_of(int(matched.pair.name))
            self.assertEqual(matched.map, sm.match(left, right, num_disparities=16, cost="census"))
        self.assertEqual(len(found), 3)

    def test_other_weights(self):
        """A file that changes while workers read it."""
        path = self.path("weights.txt")
        weights = os.path.join(batches.ROOT, "tools", "train", "weights")
        shutil.copy(os.path.join(weights, "census.txt"), path)
        settings = batch.Settings(properties={"cost": "learned"}, weights=path).checked()
        self.assertEqual(settings.new_matcher().weights_checksum, settings.network)
        shutil.copy(os.path.join(weights, "anchored.txt"), path)
        with self.assertRaisesRegex(sm.ArgumentError, "weights.txt has another network"):
            settings.new_matcher()

    def test_in_use(self):
        self.write_pairs(60)
        process = self.started("set/left", "set/right", "out", SMALL, "--pairs-per-task", "1",
                               "--workers", "1", "--outputs", "disparity,view,color")
        done = batches.command("set/left", "set/right", "out", SMALL, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("in use: another run writes", done.stderr)
        self.release()
        process.communicate(timeout=batches.TIMEOUT)

    def require_continued(self, *words):
        """After a run that a full disk stopped."""
        self.assertFalse([name for name in self.contents() if name.endswith(".part")])
        self.assertTrue(self.contents())
        self.batch("set/left", "set/right", "out", SMALL, *words)
        self.batch("set/left", "set/right", "whole", SMALL, *words)
        self.require_same("out", "whole")

    def test_file_limit(self):
        """A large result cannot be written; the small ones before it are kept."""
        self.write_pairs(9)
        for side, view in zip(("left", "right"), batches.pair_of(9, 200, 300)):
            Image.fromarray(view).save(self.path("set", side, "0009.png"))
        done = self.batch("set/left", "set/right", "out", SMALL, "--format", "npy", "--workers", "1",
                          status=1, preexec_fn=lambda: resource.setrlimit(
                              resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertRegex(done.stderr, "Stopped: cannot write .*0009.npy: File too large")
        self.require_continued("--format", "npy")

    def test_full_output(self):
        """The results are there all the same."""
        for option in ("--help", "--version", "--options"):
            batches.require_output_error(self, batches.COMMAND, option)
        self.write_pairs(2)
        words = ["set/left", "set/right", "out", SMALL]
        for more in ([], ["--json"]):
            batches.require_output_error(self, batches.COMMAND, *words, *more, cwd=self.folder)
        self.assertEqual(json.loads(self.batch(*words, "--json").stdout)["resumed"], 2)

    def test_full_manifest(self):
        self.write_pairs(12)
        self.batch("set/left", "set/right", "out", SMALL, "--workers", "1", status=1,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)))
        self.assertTrue(all(record["status"] == "done" for record in self.manifest()))
        self.require_continued()

    def test_full_disk(self):
        self.write_pairs(12)
        os.makedirs(self.path("out"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", self.path("out")],
                                 capture_output=True, check=False)
        if mounted.returncode:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", self.path("out")], check=False)
        words = ["set/left", "set/right", "out", SMALL, "--format", "npy"]
        done = self.batch(*words, status=1)
        self.assertIn("No space left on device", done.stderr)
        self.assertFalse([name for name in self.contents() if name.endswith(".part")])
        some = len(self.contents())
        subprocess.run(["mount", "-o", "remount,size=8m", self.path("out")], check=True)
        summary = json.loads(self.batch(*words, "--json").stdout)
        self.assertEqual((summary["done"], summary["resumed"] <= some), (12, True))
        self.batch(*[word.replace("out", "whole") for word in words])
        self.require_same("out", "whole")


class Library(batches.Case):
    def test_generator(self):
        """Pairs are taken as they are needed."""
        taken = []

        def pairs():
            for number in range(200):
                taken.append(number)
                yield batches.pair_of(number)
        maps = batch.match_pairs(pairs(), executor=batch.Threads(2), num_disparities=16)
        for number, matched in enumerate(maps):
            self.assertEqual(matched.map, sm.match(*batches.pair_of(int(matched.pair.name)),
                                                   num_disparities=16, backend="cpu"))
            if number == 10:
                break
        maps.close()
        self.assertLess(len(taken), 60)

    def test_failures(self):
        left, right = batches.pair_of(1)
        matched = list(batch.match_pairs([(left, right[:7]), (left, right), ("none.png", "none.png")],
                                         num_disparities=16))
        self.assertEqual([one.map is None for one in matched], [True, False, True])
        self.assertIsInstance(matched[0].error, sm.ArgumentError)
        self.assertIsInstance(matched[2].error, batch.Unreadable)
        with self.assertRaisesRegex(sm.ArgumentError, "did you mean"):
            list(batch.match_pairs([(left, right)], num_disparity=16))
        for call in (lambda: list(batch.match_pairs([(left, right)], pairs_per_task=0)),
                     lambda: list(batch.match_pairs([(left, right)], weights=1)),
                     lambda: batch.run([], self.path("out"), batch.Settings(), pairs_per_task=0),
                     lambda: batch.Threads(0)):
            self.assertRaises(sm.ArgumentError, call)
        for name, value in (("device", None), ("device", 5), ("device", ("cpu",)), ("executor", 5),
                            ("executor", 0), ("executor", "threads")):
            with self.assertRaisesRegex(sm.ArgumentError, "%s = .*: expected" % name):
                list(batch.match_pairs([(left, right)], **{name: value}))
        with self.assertRaisesRegex(sm.ArgumentError, "settings = None: expected Settings"):
            batch.run([], self.path("out"), None)
        for client in None, 5, "tcp://localhost:8786", batch.Threads(1):
            for call in batch.Cluster, lambda one: batch.submit_pairs(one, [(left, right)]):
                with self.assertRaisesRegex(sm.ArgumentError, "client = .*: expected a Client"):
                    call(client)
        for pair in (None, 3, (left,), (left, right, right), (left, None), (left, right.tolist())):
            with self.assertRaisesRegex(sm.ArgumentError, r"pairs\[1\]: .*two paths or arrays"):
                list(batch.match_pairs([(left, right), pair], num_disparities=16))
        paths = [self.path(name).encode() for name in ("left.png", "right.png")]
        for path, view in zip(paths, (left, right)):
            Image.fromarray(view).save(os.fsdecode(path))
        matched, = batch.match_pairs([paths], num_disparities=16)
        self.assertIsNone(matched.error)

    def test_settings(self):
        """A text stands for a tuple of one; other types are named."""
        settings = batch.Settings(outputs="disparity", devices="cpu").checked()
        self.assertEqual((settings.outputs, settings.devices), (("disparity",), ("cpu",)))
        for name, value in (("outputs", 5), ("outputs", (None,)), ("devices", None),
                            ("devices", (None,)), ("calibration", None), ("calibration", (5,)),
                            ("properties", None), ("properties", [1]), ("operations", "view"),
                            ("operations", {"view": None})):
            with self.assertRaisesRegex(sm.ArgumentError, "%s.* = .*: expected a " % name):
                batch.Settings(**{name: value}).checked()
        for name, value, says in (("alpha", "x", "a number"), ("alpha", 5, "-1 to 1"),
                                  ("alpha", float("nan"), "-1 to 1"),
                                  ("calibration_unit", "1", "a number"),
                                  ("calibration_unit", 0, r"1e-09 to 1e\+09"),
                                  ("calibration_unit", -1, r"1e-09 to 1e\+09")):
            with self.assertRaisesRegex(sm.ArgumentError, "%s = .*: expected %s" % (name, says)):
                batch.Settings(**{name: value}).checked()
        for name, says in (("outputs", "outputs = 'map': expected one of disparity"),
                           ("devices", "device 'gpu': expected auto")):
            with self.assertRaisesRegex(sm.ArgumentError, says):
                batch.Settings(**{name: says.split("'")[1]}).checked()

    def test_temporal(self):
        """Maps do not depend on the order of the pairs."""
        self.write_pairs(1)
        pairs = batch.find_pairs(self.path("set", "left"), self.path("set", "right"))
        settings = batch.Settings(properties={"temporal": 4})
        for call in (lambda: batch.run(pairs, self.path("out"), settings),
                     lambda: list(batch.match_pairs(pairs, temporal=4)),
                     lambda: batch.submit_pairs(None, pairs, temporal=4)):
            with self.assertRaisesRegex(sm.ArgumentError, "temporal = 4: pairs .* in any order"):
                call()
        self.assertFalse(os.path.exists(self.path("out")))

    def test_numbers_of_numpy(self):
        """They are equal to Python's, also in the manifest."""
        self.write_pairs(1)
        pairs = batch.find_pairs(self.path("set", "left"), self.path("set", "right"))
        for resumed, kind, flag in ((0, int, bool), (1, np.int64, np.bool_)):
            settings = batch.Settings(
                properties={"num_disparities": kind(16), "fill": flag(False)},
                operations={"view": {"position": np.float32(0.25) if resumed else 0.25}},
                calibration_unit=np.float32(1) if resumed else 1.0)
            self.assertEqual(batch.run(pairs, self.path("out"), settings).resumed, resumed)

    def test_items_of_run(self):
        """Results of two pairs never have the same files."""
        self.write_pairs(2)
        left, right = self.path("set", "left"), self.path("set", "right")
        pairs = batch.find_pairs(left, right)
        one = pairs[0]
        for items, says in ((pairs + pairs, "two pairs have the name '%s'" % one.name),
                            ([batch.Pair("../x", one.left, one.right)], "leads out of"),
                            ([one, (one.left, one.right)], r"pairs\[1\]: expected a Pair .*tuple of \(str, str\)")):
            with self.assertRaisesRegex(sm.ArgumentError, says):
                batch.run(items, self.path("out"), batch.Settings())
        self.assertFalse(os.path.exists(self.path("out")))
        others = [batch.Pair("other/" + pair.name, pair.left, pair.right) for pair in pairs]
        self.assertEqual(batch.run(pairs + others, self.path("out"), batch.Settings()).done, 4)

    def test_pairs(self):
        """Any iterable of pairs, whose fields have their types."""
        self.write_pairs(2)
        left, right = self.path("set", "left", "0000.png"), self.path("set", "right", "0000.png")
        calls = (lambda pairs: batch.run(pairs, self.path("out"), batch.Settings()),
                 lambda pairs: list(batch.match_pairs(pairs)),
                 lambda pairs: batch.submit_pairs(unittest.mock.Mock(), pairs))
        for call in calls:
            for pairs in None, 5:
                with self.assertRaisesRegex(sm.ArgumentError, "pairs = .*: expected a list or a gen"):
                    call(pairs)
            for name, values in (("name", (5, left, right)), ("left", ("a", 5, right)),
                                 ("right", ("a", left, pathlib.Path(right))),
                                 ("camera", ("a", left, right, 5)),
                                 ("calibration", ("a", left, right, None, 5)),
                                 ("calibration", ("a", left, right, None, "stereo.yml")),
                                 ("camera_size", ("a", left, right, None, (), 90)),
                                 ("disparities", ("a", left, right, None, (), None, "x"))):
                with self.assertRaisesRegex(sm.ArgumentError, r"pairs\[0\].%s = .*: expec" % name):
                    call([batch.Pair(*values)])
        with self.assertRaisesRegex(sm.ArgumentError, r"pairs\[0\].left = array.*: expected the"):
            calls[0]([batch.Pair("a", *batches.pair_of(1))])
        self.assertFalse(os.path.exists(self.path("out")))
        one = batch.Pair("a", left, right)
        self.assertEqual(calls[0](pair for pair in [one]).done, 1)
        self.assertEqual([matched.pair for matched in calls[1](iter([one]))], [one])

    def test_memory(self):
        """The memory of a worker over 5000 pairs."""
        self.write_pairs(2, height=64, width=96)
        with open(self.path("pairs.csv"), "w", encoding="utf-8") as file:
            for number in range(5000):
                file.write("set/left/%04d.png,set/right/%04d.png,%05d\n" % (
                    number % 2, number % 2, number))
        process = subprocess.Popen(batches.COMMAND + ["pairs.csv", "out", SMALL, "--workers", "1"],
                                   cwd=self.folder, stdout=subprocess.PIPE)
        pages = {}
        while process.poll() is None:
            try:
                with open("/proc/%d/statm" % process.pid, encoding="ascii") as file:
                    resident = int(file.read().split()[1])
                pages[os.path.getsize(self.path("out", "manifest.jsonl"))] = resident
            except (OSError, IndexError):
                pass
            time.sleep(0.02)
        self.assertEqual(process.wait(), 0, process.stdout.read())
        process.stdout.close()
        self.assertEqual(len(self.manifest()), 5000)
        size = max(pages)
        early = max(at for when, at in pages.items() if size * 0.05 < when < size * 0.3)
        late = max(at for when, at in pages.items() if when > size * 0.8)
        # the maps and views of 3500 pairs have 230 MB
        grown = (late - early) * resource.getpagesize()
        self.assertLess(grown, 12e6 if not batches.SANITIZER else 300e6)


class Page(batches.Case):
    """The examples of docs/batch.md, on small pairs."""

    CALIBRATION = """%YAML:1.0
M1: !!opencv-matrix
   {rows: 3, cols: 3, dt: d, data: [100, 0, 45, 0, 100, 30, 0, 0, 1]}
D1: !!opencv-matrix
   {rows: 1, cols: 5, dt: d, data: [0, 0, 0, 0, 0]}
M2: !!opencv-matrix
   {rows: 3, cols: 3, dt: d, data: [100, 0, 45, 0, 100, 30, 0, 0, 1]}
D2: !!opencv-matrix
   {rows: 1, cols: 5, dt: d, data: [0, 0, 0, 0, 0]}
R: !!opencv-matrix
   {rows: 3, cols: 3, dt: d, data: [1, 0, 0, 0, 1, 0, 0, 0, 1]}
T: !!opencv-matrix
   {rows: 3, cols: 1, dt: d, data: [-0.1, 0, 0]}
image_size: [90, 60]
"""

    def setUp(self):
        super().setUp()
        self.write_pairs(3, ".")
        with open(self.path("pairs.csv"), "w", encoding="utf-8") as file:
            file.write("left,right\nleft/0000.png,right/0000.png\n")
        with open(self.path("stereo.yml"), "w", encoding="utf-8") as file:
            file.write(self.CALIBRATION)

    def blocks(self, kind):
        """(need or None, text) of the blocks that can be run."""
        with open(os.path.join(batches.ROOT, "docs", "batch.md"), encoding="utf-8") as file:
            found = re.findall(r"(?:^<!-- ([^\n]*) -->\n)?^```%s\n(.*?)^```" % kind, file.read(),
                               re.MULTILINE | re.DOTALL)
        return [(note, text) for note, text in found if not note.startswith("not run")]

    def test_commands(self):
        count = 0
        for _, text in self.blocks("sh"):
            for line in text.replace("\\\n", " ").splitlines():
                words = shlex.split(line)
                if words[0] != "stereo-batch":
                    continue
                if "--calibration" in words and (importlib.util.find_spec("gi") is None
                                                 or batches.SANITIZER
                                                 or not os.environ.get("GST_PLUGIN_PATH_1_0")):
                    continue
                self.batch(*words[1:])
                self.assertTrue(self.contents())
                count += 1
        self.assertGreaterEqual(count, 4)

    def test_library(self):
        names, count = {"print": lambda *values: None}, 0
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        for note, text in self.blocks("python"):
            if note.startswith("needs: ") and importlib.util.find_spec(note[7:]) is None:
                continue
            exec(compile(text, "docs/batch.md", "exec"), names)  # pylint: disable=exec-used
            count += 1
        self.assertGreaterEqual(count, 2)
        self.assertEqual(names["summary"].done, 3)


if __name__ == "__main__":
    suite.main()
