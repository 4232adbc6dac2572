# gst-stereomatching: tests of stereo-tune: what is shown, and of what
# SPDX-License-Identifier: LGPL-2.1-or-later
"""session.py PROGRAM"""

import json
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

import suite
from page import Server, VIEWS, Viewer

QUICK = ("--demo", "--matcher", "stereovcbw")
MATCHERS = ["stereobfv", "stereobp", "stereoesaw", "stereoesmp", "stereopyramid", "stereosgm",
            "stereovcbw"]
WIDTH, HEIGHT, SHIFT = 96, 64, 5


def texture(shift):
    """A PPM image; SHIFT pixels further left in the right view."""
    pixels = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            n = ((x + shift) * 2654435761 ^ y * 40503 * 65537) & 0xffffffff
            pixels += struct.pack(">I", n * 2246822519 & 0xffffffff)[:3]
    return b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + bytes(pixels)


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

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
            self.assertIn("census", stages["a"])
            self.assertNotIn("census", stages["b"])
            page.send("line", side="b")
            self.assertIn("cost=luma", page.wait("line")["text"])
            page.send("line", side="a")
            self.assertNotIn("cost=luma", page.wait("line")["text"])
            page.send("compare", on=False)
            page.wait("state", lambda m: not m["compare"])
            self.assertEqual(page.hello["sides"], ["a"])
            page.send("reset", side="a", element="matcher")
            page.frames(2)

    def test_pause_and_step(self):
        # as small as pictures get, so that slow ones don't change in size
        with Viewer(self.server).start(("left", "disparity"), width=16) as page:
            page.frames(2)
            page.send("pause", on=True)
            page.wait("state", lambda m: m["paused"])
            time.sleep(1)
            page.send("probe", side="a", x=100, y=100)
            frame = page.wait("probe")["frame"]
            page.send("probe", side="a", x=100, y=100)
            self.assertEqual(page.wait("probe")["frame"], frame)
            while page.pictures["left", "a"][-1]["frame"] < frame:
                page.frames(1, "left")
            left = page.pictures["left", "a"][-1]["data"]
            # a new setting shows on the same pair
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
            self.assertIn("speckles", page.complaint("load", text=json.dumps(settings)))
            self.assertIn("no settings", page.complaint("load", text="{}"))
            self.assertIn("JSON", page.complaint("load", text="no"))
            page.send("load", text='{"stereo-tune": 1, "a": {}}')
            page.wait("state")
            page.frames(2)

    def test_depth_where_it_is_known(self):
        with Viewer(self.server).start(VIEWS) as page:
            page.send("reset", side="a", element="depth")
            page.wait("hello", lambda m: "depth" not in [v["id"] for v in m["views"]])
            page.set("depth", "focal-length", 400)
            page.set("depth", "baseline", 0.1)
            page.wait("hello", lambda m: "depth" in [v["id"] for v in m["views"]])
            page.send("want", views=["depth"], width=128)
            page.frames(2, "depth")
            page.send("probe", side="a", x=240, y=300)
            probe = page.wait("probe")
            self.assertAlmostEqual(probe["depth"], 400 * 0.1 / probe["disparity"], 5)
            self.assertEqual(probe["depth_unit"], "m")
            self.assertTrue(0 <= probe["confidence"] <= 1)
            page.send("probe", side="a", x=5000, y=0)
            self.assertIsNone(page.wait("probe")["disparity"])

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

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def launch(self, line, seconds=3):
        """Runs a line as a shell does, in the files' folder, without a window."""
        if os.environ.get("STEREO_SANITIZER"):
            return
        words = shlex.split(line.replace("autovideosink", "fakesink"))
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            try:
                output = process.communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                output = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 0, output)
            self.assertNotIn("ERROR", output)
            self.assertIn("Computing on", output)

    def video(self, name, view, seconds=1):
        """A moving scene as a file of Motion JPEG."""
        subprocess.run(shlex.split(
            "gst-launch-1.0 -q stereotestsrc view=%s num-buffers=%d num-disparities=24 ! "
            "video/x-raw,format=I420,width=160,height=120,framerate=30/1 ! jpegenc ! avimux ! "
            "filesink location=%s" % (view, 30 * seconds, self.path(name))), check=True)

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
            with self.assertRaises(RuntimeError) as caught:
                Server(*arguments).stop()
            return str(caught.exception)
        self.assertIn("LEFT and RIGHT", wrong())
        self.assertIn("unknown option", wrong("--what"))
        self.assertIn("is no matcher", wrong("--demo", "--matcher", "fakesink"))
        self.assertIn("called left", wrong("--pipeline", "fakesrc ! identity name=right"))
        self.assertIn("no element", wrong("--pipeline", "nothing ! fakesink"))
        self.assertIn("--truth", wrong("--demo", "--truth", "x.pfm"))
        self.assertIn("x.pfm", wrong("--truth", "x.pfm", "a", "b"))
        self.assertIn("IP address", wrong("--demo", "--address", "example"))
        self.assertIn("letters", wrong("--demo", "--token", "a b"))
        self.assertIn("x.json", wrong("--demo", "--settings", "x.json"))
        self.assertIn("don't go together", wrong("--demo", "--sbs", "x"))

    def test_a_file_that_is_not_there(self):
        with Server(self.path("none.png"), self.path("right.ppm")) as server:
            with Viewer(server) as page:
                told = page.wait("message", lambda m: m["level"] == "error")["text"]
                self.assertNotIn(self.folder, told)
                page.send("save")
                page.wait("settings")
            self.assertIn("none.png", server.stop())


if __name__ == "__main__":
    suite.main()
