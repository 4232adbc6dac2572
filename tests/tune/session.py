# gst-stereomatching: tests of stereo-tune: views, sources and sides
# SPDX-License-Identifier: LGPL-2.1-or-later
"""session.py PROGRAM"""

import json
import locale
import math
import os
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

import suite
import textures
from page import PATIENCE, PROGRAM, Server, ServerCase, VIEWS, Viewer

QUICK = ("--demo", "--matcher", "stereovcbw")
MATCHERS = ["stereobfv", "stereobp", "stereoesaw", "stereoesmp", "stereopyramid", "stereosgm",
            "stereovcbw"]
WIDTH, HEIGHT, SHIFT = 96, 64, 5


def texture(shift):
    """A view; SHIFT pixels further left in the right one."""
    return textures.texture(WIDTH, HEIGHT, shift)


def read_png(data):
    """Width, height, and rows of bytes; not interlaced."""
    chunks, at = {}, 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    step = depth // 8 * {0: 1, 2: 3}[colour]
    data, rows, above = zlib.decompress(chunks[b"IDAT"]), [], bytes(width * step)
    for start in range(0, height * (width * step + 1), width * step + 1):
        row = bytearray(data[start + 1:start + 1 + width * step])
        for x, byte in enumerate(row):
            left = row[x - step] if x >= step else 0
            corner = above[x - step] if x >= step else 0
            near = min((left, above[x], corner), key=lambda v: abs(left + above[x] - corner - v))
            row[x] = (byte + (0, left, above[x], (left + above[x]) // 2, near)[data[start]]) & 255
        rows.append(row)
        above = row
    return width, height, rows


class Demo(ServerCase):
    def tearDown(self):
        with Viewer(self.server).start() as page:
            page.send("pause", on=False)
            page.send("compare", on=False)
            page.send("reset", side="a", element="matcher")

    def test_pictures_of_all_views(self):
        with Viewer(self.server).start(VIEWS, width=200) as page:
            for view in [v["id"] for v in page.hello["views"]]:
                page.frames(1, view)
            for pictures in page.pictures.values():
                picture = pictures[-1]
                self.assertEqual((picture["width"], picture["height"]), (480, 360))
                self.assertTrue(picture["data"].startswith(
                    b"RIFF" if picture["webp"] else b"\xff\xd8"))

    def test_matchers_are_exchanged_under_load(self):
        with Viewer(self.server).start(VIEWS) as page:
            page.set("matcher", "num-disparities", 16)
            for _ in range(2):
                for matcher in MATCHERS:
                    page.send("matcher", side="a", factory=matcher)
                    page.wait("elements", lambda m: m["elements"][0]["factory"] == matcher)
                    page.wait("stats", lambda m: m["a"]["stages"]
                              and m["a"]["stages"][0]["name"].split()[0] == matcher)
            page.set("matcher", "num-disparities", 32)
            for matcher in MATCHERS * 3:
                page.send("matcher", side="a", factory=matcher)
            page.frames(3)
            number = page.property(page.elements["a"]["matcher"], "num-disparities")
            self.assertEqual(number["value"], 32)
            page.send("reset", side="a", element="matcher")
            page.frames(2)

    def test_two_sides(self):
        with Viewer(self.server).start(("disparity",)) as page:
            page.set("matcher", "speckle-size", 33)
            page.send("compare", on=True)
            page.wait("state", lambda m: m["compare"])
            self.assertEqual(page.hello["sides"], ["a", "b"])
            other = page.property(page.elements["b"]["matcher"], "speckle-size")
            self.assertEqual(other["value"], 33)
            page.set("matcher", "cost", "luma", side="b")
            page.frames(4, side="b")
            frames = {side: {p["frame"] for p in page.pictures["disparity", side]}
                      for side in "ab"}
            self.assertTrue(frames["a"] & frames["b"])
            stats = page.wait("stats", lambda m: "valid" in m.get("b", {}))
            self.assertIn("valid", stats["a"])
            stages = {side: {stage["name"].split(" ", 1)[-1]: stage["ms"]
                             for stage in stats[side]["stages"]} for side in "ab"}
            self.assertGreater(stages["a"]["match"], 0)
            self.assertIn("learned", stages["a"])
            self.assertNotIn("learned", stages["b"])
            page.send("line", side="b")
            self.assertIn("cost=luma", page.wait("line")["text"])
            page.send("line", side="a")
            self.assertNotIn("cost=luma", page.wait("line")["text"])
            page.send("compare", on=False)
            page.wait("state", lambda m: not m["compare"])
            self.assertEqual(page.hello["sides"], ["a"])
            page.send("reset", side="a", element="matcher")
            page.frames(2)

    def test_a_side_that_fails(self):
        with Viewer(self.server).start(("disparity",)) as page:
            page.send("compare", on=True)
            page.wait("state", lambda m: m["compare"])
            page.frames(2, side="b")
            # this device does not exist, with or without a GPU
            page.set("matcher", "cuda-device-id", 60)
            page.set("matcher", "backend", "cuda")
            error = page.wait("state", lambda m: m["errors"])["errors"]
            self.assertEqual(list(error), ["a"])
            self.assertIn("stereovcbw: ", error["a"])
            with Viewer(self.server) as other:
                self.assertEqual(other.wait("state")["errors"], error)
            # the other side waits
            page.wait("stats")
            page.wait("stats", lambda m: m["a"]["fps"] == m["b"]["fps"] == 0)
            page.pictures.clear()
            page.set("matcher", "backend", "cpu")
            page.wait("state", lambda m: not m["errors"])
            page.frames(2, side="a")
            page.frames(2, side="b")

    def test_pause_and_step(self):
        # the minimum size, so that slow connections do not reduce it
        with Viewer(self.server).start(("left", "disparity"), width=16) as page:
            page.frames(2)
            frame = page.pause()
            while page.pictures["left", "a"][-1]["frame"] < frame:
                page.frames(1, "left")
            left = page.pictures["left", "a"][-1]["data"]
            # a new setting applies to the same pair
            page.set("matcher", "lr-max-diff", -1)
            while min(page.pictures[view, "a"][-1]["frame"]
                      for view in ("left", "disparity")) <= frame:
                page.next()
            self.assertTrue(page.pictures["left", "a"][-1]["data"] == left)
            with Viewer(self.server).start(("left",), width=16) as other:
                other.frames(1, "left")
                self.assertTrue(other.pictures["left", "a"][-1]["data"] == left)
            page.send("step")
            while page.pictures["left", "a"][-1]["data"] == left:
                page.frames(1, "left")
            page.send("pause", on=False)
            page.wait("state", lambda m: not m["paused"])
            page.send("reset", side="a", element="matcher")
            page.frames(3)

    def test_settings_are_saved_and_loaded(self):
        with Viewer(self.server).start() as page:
            page.set("matcher", "speckle-size", 44)
            page.set("color", "legend", True)
            page.send("save")
            text = page.wait("settings")["text"]
            settings = json.loads(text)
            self.assertEqual(settings["a"]["matcher"]["properties"], {"speckle-size": 44})
            page.send("matcher", side="a", factory="stereosgm")
            page.set("color", "legend", False)
            page.send("load", text=text)
            page.wait("state")
            self.assertEqual(page.elements["a"]["matcher"]["factory"], "stereovcbw")
            self.assertEqual(page.property(page.elements["a"]["matcher"], "speckle-size")["value"],
                             44)
            self.assertTrue(page.property(page.elements["a"]["color"], "legend")["value"])
            page.frames(2)
            settings["a"]["matcher"]["properties"] = {"speckle-size": 45, "speckles": 1}
            self.assertIn("speckles", page.error_of("load", text=json.dumps(settings)))
            self.assertIn("Expected settings", page.error_of("load", text="{}"))
            self.assertIn("JSON", page.error_of("load", text="no"))
            page.send("load", text='{"stereo-tune": 1, "a": {}}')
            page.wait("state")
            page.frames(2)

    def test_depth_where_it_is_known(self):
        with Viewer(self.server).start(VIEWS) as page:
            page.set("depth", "focal-length", 0)
            page.wait("hello", lambda m: "depth" not in [v["id"] for v in m["views"]])
            page.set("depth", "baseline", 7)
            # the values of the session, not of the element
            page.send("reset", side="a", element="depth")
            page.wait("hello", lambda m: "depth" in [v["id"] for v in m["views"]])
            for name, value in (("focal-length", 400), ("baseline", 0.1)):
                found = page.property(page.elements["a"]["depth"], name)
                self.assertEqual((found["value"], found["default"]), (value, value))
            page.send("want", views=["depth"], width=128)
            page.frames(2, "depth")
            page.send("probe", side="a", x=240, y=300)
            probe = page.wait("probe")
            self.assertAlmostEqual(probe["depth"], 400 * 0.1 / probe["disparity"], 5)
            self.assertEqual(probe["depth_unit"], "m")
            self.assertTrue(0 <= probe["confidence"] <= 1)
            page.send("probe", side="a", x=5000, y=0)
            self.assertIsNone(page.wait("probe")["disparity"])

    def test_depth_that_becomes_unknown(self):
        """A map in flight does not make the depth fail."""
        with Viewer(self.server).start(["left", "depth"], width=96) as page:
            page.frames(2, "depth")
            start = page.property(page.elements["a"]["depth"], "focal-length")["value"]
            for value in (0, start) * 6:
                page.set("depth", "focal-length", value)
                seen = 0
                while seen < 3:
                    message = page.next()
                    self.assertFalse(message["type"] == "state" and message["errors"], message)
                    seen += message["type"] == "picture" and message["view"] == "left"
            page.frames(1, "depth")

    def test_downloads(self):
        def load(name):
            status, headers, body = self.server.request("/export/" + name)
            self.assertEqual((status, headers["Content-Disposition"]),
                             (200, 'attachment; filename="%s"' % name.replace("/", "-")))
            return body

        with Viewer(self.server).start(VIEWS) as page:
            page.set("matcher", "fill", False)
            page.pause()
            for view in VIEWS:
                self.assertEqual(read_png(load("a/%s.png" % view))[:2], (480, 360))
            header, disparities = load("a/disparity.pfm").split(b"-1.0\n", 1)
            self.assertEqual(header, b"Pf\n480 360\n")
            depths = read_png(load("a/depth16.png"))[2]
            points = load("a/points.ply")
            known = 0
            for x, y in ((100, 50), (200, 200), (400, 100), (240, 300)):
                page.send("probe", side="a", x=x, y=y)
                probe = page.wait("probe")
                found, = struct.unpack_from("<f", disparities, 4 * (480 * (359 - y) + x))
                depth, = struct.unpack_from(">H", depths[y], 2 * x)
                self.assertAlmostEqual(found, probe["disparity"] or math.inf, 4)
                self.assertAlmostEqual(depth / 1000, probe["depth"] or 0, delta=0.00051)
                known += probe["disparity"] is not None
            self.assertGreater(known, 1)
            n = sum(map(math.isfinite, struct.unpack("<%df" % (480 * 360), disparities)))
            self.assertEqual(len(points), 320 + 15 * n)
            self.assertIn(b"element vertex %d\n" % n, points)

    def test_colours_have_a_legend(self):
        with Viewer(self.server).start() as page:
            for element in ("color", "depth-color"):
                legend = page.property(page.elements["a"][element], "legend")
                self.assertEqual((legend["value"], legend["default"]), (True, True))
            page.send("line", side="a")
            self.assertIn("disparitycolor legend=true", page.wait("line")["text"])

    def test_errors_where_the_truth_is_known(self):
        with Viewer(self.server).start(("wrong",)) as page:
            page.frames(1, "wrong")
            truth = page.wait("stats", lambda m: "truth" in m["a"])["a"]["truth"]
            self.assertTrue(0 <= truth["bad4"] <= truth["bad2"] <= truth["bad1"] < 30, truth)
            self.assertGreater(truth["pixels"], 100000)
            page.set("matcher", "num-disparities", 8)
            page.wait("stats", lambda m: m["a"].get("truth", {}).get("bad2", 0) > 30)
            page.send("reset", side="a", element="matcher")


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="stereo-tune-")
        for name, shift in (("left view.ppm", 0), ("right.ppm", SHIFT)):
            with open(os.path.join(cls.folder, name), "wb") as file:
                file.write(texture(shift))
        with open(os.path.join(cls.folder, "truth.pfm"), "wb") as file:
            file.write(b"Pf\n%d %d\n-1.0\n" % (WIDTH, HEIGHT)
                       + struct.pack("<f", SHIFT) * (WIDTH * HEIGHT))
        with open(os.path.join(cls.folder, "truth.pgm"), "wb") as file:
            file.write(b"P5 40 30 255\n" + bytes([4 * SHIFT]) * (40 * 30))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def launch(self, line, seconds=1):
        """Runs a line as a shell does, in the files' folder, without a window: to its end, or for
        some seconds after it has begun to play."""
        if os.environ.get("STEREO_SANITIZER"):
            return
        words = shlex.split(line.replace("autovideosink", "fakesink"))
        path = self.path("output")

        def output():
            with open(path, encoding="utf-8") as log:
                return log.read()

        with open(path, "wb") as log, subprocess.Popen(
                words, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT) as process:
            end = time.monotonic() + PATIENCE
            while process.poll() is None and "New clock" not in output() and time.monotonic() < end:
                time.sleep(0.1)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                process.wait(PATIENCE)
            self.assertEqual(process.returncode, 0, output())
            self.assertNotIn("ERROR", output())
            self.assertIn("Computing on", output())

    def video(self, name, view, seconds=1, offset=0, muxer="avimux"):
        """A moving scene as a file of Motion JPEG; offset: its first timestamp, in seconds."""
        subprocess.run(shlex.split(
            "gst-launch-1.0 -q stereotestsrc view=%s num-buffers=%d num-disparities=24 timestamp-offset=%d "
            "! video/x-raw,format=I420,width=160,height=120,framerate=30/1 ! jpegenc ! %s ! "
            "filesink location=%s" % (view, 30 * seconds, offset * 10 ** 9, muxer, self.path(name))),
            check=True)

    def test_images_with_truth(self):
        with Server("--matcher", "stereovcbw", "--truth", self.path("truth.pfm"),
                    self.path("left view.ppm"), self.path("right.ppm")) as server, \
                Viewer(server).start(VIEWS) as page:
            self.assertEqual(page.hello["source"], "left view.ppm, right.ppm")
            page.set("matcher", "num-disparities", 16)
            page.frames(3)
            truth = page.wait("stats", lambda m: "truth" in m["a"])["a"]["truth"]
            self.assertLess(truth["bad2"], 10)
            page.send("probe", side="a", x=WIDTH // 2, y=HEIGHT // 2)
            self.assertAlmostEqual(page.wait("probe")["disparity"], SHIFT, 1)
            page.send("line", side="a")
            line = page.wait("line")["text"]
            self.assertNotIn(self.folder, line)
            self.launch(line)

    def test_files_of_different_formats(self):
        """The virtual view needs equal ones."""
        grey = b"P5 %d %d 255\n" % (WIDTH, HEIGHT) + texture(SHIFT)[-3 * WIDTH * HEIGHT + 1::3]
        with open(self.path("grey.pgm"), "wb") as file:
            file.write(grey)
        for names in ("left view.ppm", "grey.pgm"), ("grey.pgm", "left view.ppm"):
            with Server(*map(self.path, names)) as server, Viewer(server).start(VIEWS) as page:
                page.frames(2, "view")
                page.send("line", side="a")
                self.launch(page.wait("line")["text"])
        with Server(*QUICK) as server, Viewer(server).start(VIEWS) as page:
            self.assertEqual(server.upload(texture(0), grey), (204, ""))
            page.wait("hello", lambda m: m["source"] == "left.png, right.png")
            page.frames(2, "view")

    def test_calibration(self):
        camera = "[100, 0, %g, 0, 100, %g, 0, 0, 1]" % ((WIDTH - 1) / 2, (HEIGHT - 1) / 2)
        calibration = self.path("stereo.yml")
        with open(calibration, "w", encoding="utf-8") as file:
            file.write("%%YAML:1.0\nM1: %s\nM2: %s\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                       "T: [-0.1, 0, 0]\n" % (camera, camera))
        with Server("--matcher", "stereovcbw", "--calibration", calibration,
                    self.path("left view.ppm"), self.path("right.ppm")) as server, \
                Viewer(server).start(["depth"]) as page:
            page.set("matcher", "num-disparities", 16)
            page.frames(3, "depth")
            page.send("probe", side="a", x=WIDTH // 2, y=HEIGHT // 2)
            probe = page.wait("probe")
            self.assertAlmostEqual(probe["disparity"], SHIFT, 1)
            self.assertAlmostEqual(probe["depth"], 100 * 0.1 / SHIFT, 1)
            page.send("line", side="a")
            line = page.wait("line")["text"]
            self.assertIn("stereorectify name=left view=left 'calibration=\"stereo.yml\"'", line)
            self.launch(line)

    def test_weights(self):
        """The network of the census in side A gives the map of the census in B, and a page can
        name no other file."""
        weights = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools",
                               "train", "weights", "census.txt")
        shutil.copy(weights, self.path("night.txt"))
        with Server("--matcher", "stereovcbw", "--weights", self.path("night.txt"),
                    self.path("left view.ppm"), self.path("right.ppm")) as server, \
                Viewer(server).start() as page:
            def maps():
                """Of both sides, after their settings have changed."""
                page.frames(4, side="b")
                page.frames(4)
                return [server.request("/export/%s/disparity.pfm" % side)[2] for side in "ab"]
            page.set("matcher", "num-disparities", 16)
            page.send("matcher", side="a", factory="stereosgm")
            page.set("matcher", "cost", "learned")
            page.send("compare", on=True)
            page.wait("state", lambda m: m["compare"])
            page.set("matcher", "cost", "census", side="b")
            left, right = maps()
            self.assertTrue(left.startswith(b"Pf"))
            self.assertEqual(left, right)
            self.assertNotIn("weights", json.dumps(page.elements))
            self.assertIn("no property", page.error_of(
                "set", side="a", element="matcher", property="weights", value="/etc/passwd"))
            page.send("line", side="a")
            line = page.wait("line")["text"]
            self.assertIn("'weights=\"night.txt\"'", line)
            page.send("matcher", side="a", factory="stereopyramid")
            page.frames(2)
            page.send("line", side="a")
            self.assertNotIn("night.txt", page.wait("line")["text"])
            self.launch(line)

    def test_images_of_a_page(self):
        left, right = texture(0), texture(SHIFT)
        with Server(*QUICK, "--token", "a-long-token") as server:
            cookie = "stereo-tune=a-long-token"
            self.assertEqual(server.upload(left, right)[0], 403)
            with Viewer(server, cookie=cookie).start(VIEWS) as page:
                page.frames(2)
                page.send("compare", on=True)
                page.wait("state", lambda m: m["compare"])
                self.assertEqual(server.upload(left, right, Cookie=cookie)[0], 204)
                page.wait("hello", lambda m: m["source"] == "left.png, right.png")
                self.assertNotIn("depth", [v["id"] for v in page.hello["views"]])
                self.assertFalse(page.hello["truth"])
                page.wait("state")
                self.assertNotIn("scene", page.elements["a"])
                for side in "ab":
                    page.set("matcher", "num-disparities", 16, side=side)
                    page.frames(3, side=side)
                    page.send("probe", side=side, x=WIDTH // 2, y=HEIGHT // 2)
                    self.assertAlmostEqual(page.wait("probe")["disparity"], SHIFT, 1)
                self.assertEqual(page.pictures["disparity", "a"][-1]["width"], WIDTH)
                # these images do not have the camera of the earlier scene
                for name in ("focal-length", "baseline"):
                    found = page.property(page.elements["a"]["depth"], name)
                    self.assertEqual((found["value"], found["default"]), (0, 0))
                self.assertNotIn("truth", page.wait("stats", lambda m: "valid" in m["a"])["a"])
                page.send("line", side="a")
                self.assertIn("left.png", page.wait("line")["text"])
                page.send("pause", on=True)
                page.wait("state", lambda m: m["paused"])
                self.assertEqual(server.upload(right, left, Cookie=cookie)[0], 204)
                self.assertEqual(server.upload(left[:-9], right, Cookie=cookie)[0], 400)
                page.wait("hello")
                page.frames(1)
                page.send("pause", on=False)
                page.frames(2)

    def test_images_without_the_truth_of_the_scene(self):
        """Also if statistics are sent between the images and their first map."""
        left, right = (textures.texture(480, 360, shift) for shift in (0, SHIFT))
        with Server("--demo", "--matcher", "stereobp") as server, Viewer(server).start() as page:
            page.set("matcher", "precision", "float")
            page.set("matcher", "iterations", 50)       # more than the half second between them
            page.wait("stats", lambda m: "truth" in m["a"])
            self.assertEqual(server.upload(left, right)[0], 204)
            page.wait("hello", lambda m: not m["truth"])
            page.frames(1)
            self.assertNotIn("truth", page.wait("stats")["a"])

    def test_images_that_are_refused(self):
        left = texture(0)
        with Server(*QUICK) as server, Viewer(server).start() as page:
            for images, says in (
                    ((), "left: is missing"), ((left,), "right: is missing"), ((b"", left), "left: is empty"),
                    ((left, b"P6 1000000 1000000 255\n"), "right: "), ((left, left[:-1]), "right: "),
                    ((left, b"/etc/passwd"), "right: is none of"),
                    ((left, b"P6 1 1 255\n123"), "right: expected 96x64 like the left image, got 1x1"),
                    ((b"P5 5000 4000 255\n" + bytes(5000 * 4000),), "16777216 pixels, got 5000x4000"),
                    ((b"Pf\n1 1\n-1\n1234", left), "left: ")):
                with self.subTest(says=says):
                    status, answer = server.upload(*images)
                    self.assertEqual(status, 400)
                    self.assertIn(says, answer)
            for headers in ({"Origin": None}, {"Origin": "http://evil.example"}):
                self.assertEqual(server.upload(left, left, **headers)[0], 403)
            self.assertEqual(server.upload(left, left, **{"Content-Type": "image/png"}),
                             (400, "Expected two images as multipart/form-data"))
            self.assertEqual(server.upload(bytes(64 << 20))[0], 413)
            self.assertEqual(server.upload(left, left, **{"Content-Length": None})[0], 413)
            origin = "http://localhost:%d" % server.port
            self.assertEqual(server.request("/scene", Origin=origin)[0], 405)
            self.assertEqual(server.request("/scene/x", "POST", Origin=origin, Content_Length="0")[0], 400)
            self.assertEqual(page.hello["source"], "a rendered scene, 480 x 360")
            page.frames(2)

    def test_videos_loop(self):
        if os.environ.get("STEREO_SANITIZER"):
            self.skipTest("gst-launch-1.0 makes the files")
        self.video("left.avi", "left")
        self.video("right.avi", "right")
        with Server("--matcher", "stereovcbw", self.path("left.avi"),
                    self.path("right.avi")) as server, Viewer(server).start() as page:
            page.set("matcher", "num-disparities", 24)
            last = page.frames(1)["frame"]
            while last < 100:
                last = page.frames(1)["frame"]
            page.send("line", side="a")
            self.launch(page.wait("line")["text"])

    def test_videos_whose_timestamps_begin_later(self):
        """They are paired by running time, as matchers do, also when repeated."""
        self.video("left.mkv", "left", muxer="matroskamux")
        self.video("right.mkv", "right", offset=5, muxer="matroskamux")
        with Server("--matcher", "stereovcbw", self.path("left.mkv"), self.path("right.mkv")) as server, \
                Viewer(server).start() as page:
            page.frames(40)

    def test_videos_have_no_truth(self):
        for view in "left", "right":
            self.video(view + ".avi", view)
        pixels = b"P5 160 120 255\n" + bytes([4 * SHIFT]) * (160 * 120)
        with open(self.path("first.pgm"), "wb") as file:
            file.write(pixels)
        with Server("--matcher", "stereovcbw", "--truth", self.path("first.pgm"), "--truth-scale", 4,
                    self.path("left.avi"), self.path("right.avi")) as server, \
                Viewer(server).start(VIEWS) as page:
            told = page.wait("state", lambda m: "source" in m["errors"])["errors"]["source"]
            self.assertIn("--truth requires two images", told)
            page.wait("stats", lambda m: "truth" not in m["a"])
            page.frames(2)
            self.assertIn(told, server.stop())

    def test_views_beside_each_other(self):
        if os.environ.get("STEREO_SANITIZER"):
            self.skipTest("gst-launch-1.0 makes the files")
        self.video("both.avi", "side-by-side")
        with Server("--matcher", "stereovcbw", "--sbs", self.path("both.avi")) as server, \
                Viewer(server).start() as page:
            page.frames(40)
            self.assertEqual(page.pictures["disparity", "a"][0]["width"], 80)
            page.send("line", side="a")
            self.launch(page.wait("line")["text"])

    def test_pipeline(self):
        size = "video/x-raw, format=(string)RGB, width=64, height=48"
        with Server("--matcher", "stereovcbw", "--pipeline",
                    'stereotestsrc is-live=true ! capsfilter caps="%s" ! identity name=left '
                    'stereotestsrc is-live=true view=right ! capsfilter caps="%s" ! '
                    'identity name=right'
                    % (size, size)) as server, Viewer(server).start() as page:
            self.assertFalse(page.hello["loops"])
            page.frames(10)
            page.send("line", side="a")
            self.launch(page.wait("line")["text"])

    def test_demo_line(self):
        with Server(*QUICK) as server, Viewer(server).start() as page:
            page.set("matcher", "speckle-size", 9)
            page.set("scene", "pattern", "sphere")
            page.set("matcher", "edge-penalty", 0.04)
            page.send("line", side="a")
            line = page.wait("line")["text"]
            self.assertIn("edge-penalty=0.04 ", line + " ")
            self.assertIn("speckle-size=9", line)
            self.assertIn("pattern=sphere", line)
            self.launch(line)

    def test_settings_of_a_file(self):
        path = self.path("settings.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"stereo-tune": 1, "a": {"matcher": {"factory": "stereobfv",
                                                           "properties": {"speckle-size": 3}}}},
                      file)
        with Server("--demo", "--settings", path) as server, Viewer(server).start() as page:
            self.assertEqual(page.elements["a"]["matcher"]["factory"], "stereobfv")
            self.assertEqual(page.property(page.elements["a"]["matcher"], "speckle-size")["value"],
                             3)

    def test_what_is_wrong_is_told(self):
        def wrong(*arguments):
            try:
                server = Server(*arguments)
            except RuntimeError as error:
                return str(error)
            self.fail("it runs with %s and says: %s" % (arguments, server.stop()))
        self.assertIn("LEFT and RIGHT", wrong())
        self.assertIn("unknown option", wrong("--what"))
        self.assertIn("is not a matcher", wrong("--demo", "--matcher", "fakesink"))
        self.assertIn("called left", wrong("--pipeline", "fakesrc ! identity name=right"))
        self.assertIn("put videoconvert before it", wrong(
            "--pipeline", "videotestsrc ! video/x-raw,format=AYUV64 ! queue name=left videotestsrc name=right"))
        self.assertIn("no element", wrong("--pipeline", "nothing ! fakesink"))
        self.assertIn("--truth", wrong("--demo", "--truth", "x.pfm"))
        self.assertIn("x.pfm", wrong("--truth", "x.pfm", "a", "b"))
        self.assertIn("IP address", wrong("--demo", "--address", "example"))
        self.assertIn("letters", wrong("--demo", "--token", "a b"))
        for option in "--focal-length", "--baseline":
            self.assertIn("at most 1e+09, got '2e9'", wrong("--demo", option, "2e9"))
        self.assertIn("x.json", wrong("--demo", "--settings", "x.json"))
        self.assertIn(self.folder, wrong("--demo", "--settings", self.folder))
        self.assertIn("Cannot open x.txt: ", wrong("--demo", "--weights", "x.txt"))
        self.assertIn("truth.pgm: line 1: ", wrong("--demo", "--weights", self.path("truth.pgm")))
        self.assertIn("65536 bytes", wrong("--demo", "--settings", "/dev/zero"))
        self.assertIn("exclude each other", wrong("--demo", "--sbs", "x"))
        self.assertIn("stereo-tune: Cannot use the calibration: " + os.path.abspath("x.yml"), wrong(
            "--calibration", "x.yml", self.path("right.ppm"), self.path("right.ppm")))
        for source in ("--demo",), ("--pipeline", "x"):
            self.assertIn("--calibration requires", wrong("--calibration", "x.yml", *source))

        bad = self.path("bad.png")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("not a picture " * 100)
        good = self.path("right.ppm")
        # an error of stereorectify, but none of a calibration
        self.assertIn("stereo-tune: %s: Cannot rectify" % good, wrong(
            "--pipeline", "filesrc location=%s ! pnmdec ! stereorectify name=left corrections=false "
            "videotestsrc ! identity name=right" % good))
        self.assertIn("none.png", wrong(self.path("none.png"), good))
        self.assertIn(bad + ": ", wrong(bad, good))
        self.assertIn(bad + ": ", wrong(good, bad))
        self.assertIn(bad + ": ", wrong("--sbs", bad))
        self.assertIn("none.png", wrong("--pipeline", "filesrc location=none.png ! pngdec ! identity name=left "
                                        "stereotestsrc ! identity name=right"))
        told = wrong("--truth", self.path("truth.pgm"), good, good)
        self.assertIn("(--truth-scale)", told)

    def test_names_that_are_not_ascii(self):
        name = self.path("gr\u00f6\u00dfe.png")
        before = locale.setlocale(locale.LC_CTYPE)
        try:
            locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
        except locale.Error:
            self.skipTest("no locale C.UTF-8")
        locale.setlocale(locale.LC_CTYPE, before)
        result = subprocess.run([PROGRAM, name, name], capture_output=True, encoding="utf-8",
                                env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=PATIENCE, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(name + ": ", result.stderr)

    def test_address_that_can_not_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAM, "--demo", "--port", "0"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("stereo-tune: Cannot write the output", result.stderr)

    def test_other_sizes(self):
        def errors(*arguments):
            with Server("--matcher", "stereovcbw", *arguments) as server:
                with Viewer(server) as page:
                    told = page.wait("state")["errors"]["source"]
                    page.send("save")
                    page.wait("settings")
                self.assertIn(told, server.stop())
                return told
        self.assertIn("got 96x64 left and 40x30 right", errors(self.path("right.ppm"), self.path("truth.pgm")))
        self.assertIn("96x64 like the views, got 40x30", errors(
            "--truth", self.path("truth.pgm"), "--truth-scale", 4, self.path("left view.ppm"),
            self.path("right.ppm")))


if __name__ == "__main__":
    suite.main()
