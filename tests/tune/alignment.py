# gst-stereomatching: tests of stereo-tune: alignment of the views
# SPDX-License-Identifier: LGPL-2.1-or-later
"""alignment.py PROGRAM"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import time
import unittest

import suite
from page import PATIENCE, Server, ServerCase, Viewer

QUICK = ("--demo", "--matcher", "stereovcbw")


def with_status(status, side="a"):
    """A test for statistics: whether the last measurement has this status."""
    return lambda m: m[side]["alignment"]["measured"] and m[side]["alignment"]["status"] == status


def hurry(page):
    """Little work for the matcher, which measures every pair."""
    page.set("matcher", "num-disparities", 16)
    page.set("matcher", "alignment-interval", 1)


class AlignmentCase(unittest.TestCase):
    def report(self, page, status, side="a"):
        """Waits for a status; returns the report."""
        return page.wait("stats", with_status(status, side))[side]["alignment"]

    def points(self, page, side="a"):
        """The differences of rows of the points that fit, and the number of all points."""
        page.send("matches", side=side)
        points = page.wait("matches", lambda m: m["side"] == side)["points"]
        return [abs(dy) for _, _, _, dy, fits in points if fits], len(points)

    def share(self, page, limit=0.5, side="a"):
        """The share of points within a limit, of those that fit."""
        rows, n = self.points(page, side)
        self.assertGreater(n, 50)
        self.assertGreater(len(rows), n / 2)
        return sum(row <= limit for row in rows) / len(rows)

    def wait_good(self, page):
        """Waits for views that need no correction: three pairs after a sudden change. Returns the report."""
        return page.wait("stats", lambda m: with_status("ok")(m) and not m["a"]["alignment"]["correction"]
                         and m["a"]["alignment"]["max_disparity"] > 16)["a"]["alignment"]

    def wait_share(self, page, least, most):
        """Waits until the share is within limits: reports are early, pictures late."""
        end = time.monotonic() + PATIENCE
        while not least <= self.share(page) <= most:
            self.assertLess(time.monotonic(), end)
            page.wait("stats")

    def line(self, page, side="a"):
        page.send("line", side=side)
        return page.wait("line")["text"]


class Demo(ServerCase, AlignmentCase):
    arguments = QUICK

    def setUp(self):
        self.page = Viewer(self.server).start(("left", "right"), width=128)
        self.addCleanup(self.page.close)
        hurry(self.page)

    def tearDown(self):
        self.page.send("pause", on=False)
        self.page.send("compare", on=False)
        self.page.set("matcher", "alignment", "measure")
        for name, value in (("roll", 0), ("swap", False), ("blur", 0), ("exposure-offset", 0)):
            self.page.set("scene", name, value)
        self.wait_good(self.page)

    def test_rows_that_match(self):
        found = self.wait_good(self.page)
        self.assertIn("Rows match", found["text"])
        self.assertEqual(found["serial"], 0)
        self.assertLess(found["rows_median"], 0.2)
        self.assertGreater(found["fitting"], 100)
        self.assertGreater(self.share(self.page), 0.9)
        self.assertNotIn("stereorectify", self.line(self.page))

    def test_correction(self):
        page = self.page
        page.set("scene", "roll", 1)
        found = self.report(page, "off")
        self.assertIn("degrees clockwise", found["text"])
        self.assertAlmostEqual(found["roll"], 1, delta=0.1)
        self.wait_share(page, 0, 0.5)
        self.assertFalse(page.hello["corrects"])
        page.set("matcher", "alignment", "correct")
        found = self.report(page, "ok")
        self.assertTrue(found["serial"] > 0 and found["correction"])
        self.wait_share(page, 0.9, 1)
        line = self.line(page)
        for view in ("left", "right"):
            self.assertIn("%s. ! queue ! videoconvert ! stereorectify ! m.sink_%s" % (view, view), line)
        self.assertIn("alignment=correct", line)
        # another matcher keeps it
        page.send("matcher", side="a", factory="stereobfv")
        page.wait("elements")
        found = self.report(page, "ok")
        self.assertTrue(found["correction"])
        page.send("matcher", side="a", factory="stereovcbw")
        page.wait("elements")
        page.set("matcher", "alignment", "measure")
        found = self.report(page, "off")
        self.assertEqual(found["serial"], 0)
        self.wait_share(page, 0, 0.5)
        self.assertNotIn("stereorectify", self.line(page))

    def test_a_paused_pair_is_corrected(self):
        page = self.page
        page.set("scene", "roll", 1)
        self.report(page, "off")
        page.wait("stats", lambda m: m["a"]["alignment"]["correction"])
        page.pause()
        before = self.share(page)
        self.assertLess(before, 0.5)
        page.set("matcher", "alignment", "correct")
        # the first repetition sends the correction, the second one has it
        self.wait_share(page, 0.9, 1)
        page.set("matcher", "alignment", "off")
        self.wait_share(page, 0, 0.5)
        self.assertAlmostEqual(self.share(page), before)

    def test_sides_differ(self):
        page = self.page
        page.set("scene", "roll", 1)
        self.report(page, "off")
        page.send("compare", on=True)
        page.wait("state", lambda m: m["compare"])
        page.set("matcher", "alignment", "correct", side="b")
        stats = page.wait("stats", with_status("ok", "b"))
        self.assertEqual(stats["a"]["alignment"]["status"], "off")
        self.assertNotIn("stereorectify", self.line(page, "a"))
        self.assertIn("stereorectify", self.line(page, "b"))

    def test_other_faults(self):
        page = self.page
        page.set("scene", "blur", 2)
        page.wait("stats", lambda m: m["a"]["alignment"].get("sharpness", 1) < 0.75)
        page.set("scene", "blur", 0)
        page.set("scene", "exposure-offset", 40)
        page.wait("stats", lambda m: m["a"]["alignment"].get("brightness", 0) > 20)
        page.set("scene", "exposure-offset", 0)
        page.set("scene", "swap", True)
        self.assertIn("swapped", self.report(page, "swapped")["text"])

    def test_settings(self):
        page = self.page
        page.set("scene", "roll", 1)
        self.report(page, "off")
        page.set("matcher", "alignment", "correct")
        self.report(page, "ok")
        page.send("save")
        settings = page.wait("settings")["text"]
        self.assertEqual(json.loads(settings)["a"]["matcher"]["properties"]["alignment"], "correct")
        page.send("reset", side="a", element="matcher")
        hurry(page)
        self.report(page, "off")
        page.send("load", text=settings)
        self.report(page, "ok")
        self.assertIn("stereorectify", self.line(page))

    def test_what_is_wrong_is_told(self):
        self.assertIn("no side b", self.page.error_of("matches", side="b"))
        self.assertIn('"a" or "b"', self.page.error_of("matches"))


class Sources(AlignmentCase):
    SIZE = "video/x-raw,width=320,height=240,format=%s ! identity name=%s"

    def pipeline(self, form, last="", **properties):
        """A server for a rendered scene, with the properties of the right view."""
        given = " ".join("%s=%s" % item for item in properties.items())
        views = ["stereotestsrc pattern=corridor num-disparities=24 view=%s %s ! video/x-raw,width=320,height=240,"
                 "format=RGB ! videoconvert ! video/x-raw,format=%s ! %s name=%s"
                 % (view, given, form, last or "identity", view) for view in ("left", "right")]
        return Server("--matcher", "stereovcbw", "--pipeline", " ".join(views))

    def test_formats_that_are_converted(self):
        for form in ("YUY2", "GRAY8"):
            with self.subTest(form), self.pipeline(form, roll=1) as server, Viewer(server).start(("left",)) as page:
                hurry(page)
                self.report(page, "off")
                self.wait_share(page, 0, 0.6)
                page.set("matcher", "alignment", "correct")
                self.report(page, "ok")
                self.wait_share(page, 0.9, 1)

    def test_a_source_that_takes_corrections(self):
        with self.pipeline("RGB", "stereorectify", roll=1) as server, Viewer(server).start(("left",)) as page:
            self.assertTrue(page.hello["corrects"])
            hurry(page)
            page.set("matcher", "alignment", "correct")
            self.report(page, "ok")
            self.assertEqual(self.line(page).count("stereorectify"), 2)

    def test_small_views_are_not_measured(self):
        pixels = bytes((7 * x * x + 13 * y * y + x * y) & 255 for y in range(48) for x in range(3 * 60))
        image = b"P6 60 48 255\n" + pixels
        with Server(*QUICK) as server, Viewer(server).start(("left",)) as page:
            self.assertEqual(server.upload(image, image)[0], 204)
            page.wait("hello", lambda m: m["source"] == "left.png, right.png")
            page.wait("stats", lambda m: m["still"] and not m["a"]["alignment"]["measured"])

    def run_line(self, folder, line):
        """Runs a launch line with its messages; returns the status of the alignment."""
        words = shlex.split(line.replace("autovideosink", "fakesink"))
        result = subprocess.run([words[0], "-m", *words[1:]], cwd=folder, capture_output=True, text=True,
                                timeout=PATIENCE, check=True)
        return re.findall(r"stereo-alignment, status=\(string\)([\w-]+)", result.stdout)

    def test_two_images(self):
        """A pair of images is corrected by a file: it ends before the matcher has measured it."""
        with Server(*QUICK) as server, Viewer(server).start(("left", "right"), width=64) as page:
            hurry(page)
            page.set("scene", "roll", 1)
            self.report(page, "off")
            page.pause()
            left, right = (server.request("/export/a/%s.png" % view)[2] for view in ("left", "right"))
            page.send("pause", on=False)
            page.set("matcher", "alignment", "correct")
            self.report(page, "ok")
            self.assertEqual(server.upload(left, right)[0], 204)
            page.wait("hello", lambda m: m["source"] == "left.png, right.png")
            page.wait("stats", lambda m: m["still"] and with_status("ok")(m) and m["a"]["alignment"]["serial"] > 0)
            self.wait_share(page, 0.9, 1)
            status, headers, calibration = server.request("/export/a/correction.yml")
            self.assertEqual((status, headers["Content-Disposition"]), (200, 'attachment; filename="a-correction.yml"'))
            line = self.line(page)
            self.assertIn("stereorectify view=left calibration=a-correction.yml", line)
            # aligned images have no correction
            self.assertEqual(server.upload(left, left)[0], 204)
            page.wait("stats", lambda m: with_status("same-view")(m) and not m["a"]["alignment"]["correction"])
            self.assertNotIn("stereorectify", self.line(page))
            status, _, why = server.request("/export/a/correction.yml")
            self.assertEqual(status, 404)
            self.assertIn(b"There is no correction", why)
        if os.environ.get("STEREO_SANITIZER"):
            return
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("left.png", left), ("right.png", right), ("a-correction.yml", calibration)):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
            self.assertEqual(self.run_line(folder, line)[-1], "ok")
            plain = re.sub(r"! stereorectify view=\w+ calibration=\S+ ", "", line)
            self.assertEqual(self.run_line(folder, plain)[-1], "off")


if __name__ == "__main__":
    suite.main()
