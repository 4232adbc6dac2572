#!/usr/bin/env python3
# gst-stereomatching: tests of docs/report
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs it in a copy of docs/ with other data, and checks the generated pages and plots.

    report.py ROOT STEREO_EVAL STEREO_BENCH
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

import suite

ROOT = PROGRAM = BENCH = ""
PEER = "## Comparison with other programs on the same GPU"

# Prints output like stereo-bench: the first setup takes 8 ms, all others 2 ms. Profiled stages are
# fixed; voting takes 3 ms, with a histogram 20. Other statistics are ten times as large.
BFV_BENCH = """#!%s
import json, sys
words = sys.argv[1:]
value = lambda name: [b for a, b in zip(words, words[1:]) if a == name]
setups = [w for w in words if w.startswith("bfv")]
sizes = ([[int(n) for n in s.split("x")] for s in value("--size")]
         or [[450, 375, int(value("--disparities")[0])]])
def both(ms):
    return {"median-ms": 10 * ms, "min-ms": ms, "mean-ms": 10 * ms}
def result(i, setup, size):
    ms = 2 if i else 8
    vote = 20 if "histogram" in setup else 3
    return {"label": setup, "backend": "cpu", "width": size[0], "height": size[1],
            "num-disparities": size[2], "device": both(ms), "host": None, "pipelined": None,
            "device-bytes": 0, "host-bytes": 5,
            "profiled": dict(both(ms), stages=[dict(both(t), stage=s) for s, t in (
                ("crosses", 7), ("aggregate", 9), ("check", 1), ("vote", vote), ("border", 1),
                ("median", 0.5))])}
print(json.dumps({"devices": [{"backend": "cpu", "device": "Some CPU"}], "results": [
    result(i, w, s) for i, w in enumerate(setups) for s in sizes]}))
"""

# Prints output like stereo-bench: 8 ms divided by the number of threads, 5 of them for the
# correlation; with CUDA if "auto" finds it.
PYRAMID_BENCH = """#!%s
import json, sys
words = sys.argv[1:]
value = lambda name: [b for a, b in zip(words, words[1:]) if a == name]
threads, = [int(v) for v in value("--threads")]
def times(ms):
    return {"median-ms": ms, "min-ms": ms / 2, "mean-ms": 2 * ms}
def result(backend, size, ms):
    stages = [("convert", 0.5), ("pyramids", 1), ("correlation", 5), ("refinement", 1),
              ("rescale", 0.25), ("other", 0.25)]
    if backend == "cuda":
        stages += [("upload", 0.125), ("download", 0.25)]
    return {"backend": backend, "width": size[0], "height": size[1], "device-bytes": 0,
            "host-bytes": 5, "device": times(ms), "host": times(3) if backend == "cuda" else None,
            "profiled": dict(times(ms + 1), stages=[dict(times(t), stage=s) for s, t in stages])}
sizes = [[int(n) for n in s.split("x")] for s in value("--size")]
devices = [{"backend": "cpu", "device": "CPU, %%d" %% threads, "threads": threads}]
results = [result("cpu", s, 8 / threads) for s in sizes]
if value("--backend") == ["auto"]:
    devices += [{"backend": "cuda", "device": "Some GPU", "threads": None}]
    results += [result("cuda", s, 2) for s in sizes]
print(json.dumps({"devices": devices, "results": results}))
"""


def circles(svg):
    """Centres of all points of a plot."""
    return [(float(c.getAttribute("cx")), float(c.getAttribute("cy")))
            for c in xml.dom.minidom.parseString(svg).getElementsByTagName("circle")]


def words(svg):
    return [t.firstChild.data for t in xml.dom.minidom.parseString(svg)
            .getElementsByTagName("text") if t.firstChild is not None]


class Plots(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, os.path.join(ROOT, "docs", "report"))
        sys.dont_write_bytecode = True
        import svgplot
        self.svgplot = svgplot

    def test_points_lie_where_their_values_are(self):
        plot = self.svgplot.Plot("title", "x", "y", x_range=(0, 10), y_range=(0, 4))
        plot.line("a & b", [(0, 0), (10, 4), (5, 2)])
        svg = self.svgplot.figure([plot], "it < this")
        (x0, y0), (x1, y1), (x2, y2) = circles(svg)
        self.assertAlmostEqual(x1, (x0 + x2) / 2, delta=0.02)
        self.assertAlmostEqual(y1, (y0 + y2) / 2, delta=0.02)
        self.assertLess(x0, x2)
        self.assertLess(y2, y0)         # y points up
        for wanted in ("title", "x", "y", "a & b", "10", "4"):
            self.assertIn(wanted, words(svg))

    def test_logarithmic(self):
        plot = self.svgplot.Plot("", "x", "y", x_log=True)
        plot.line("", [(1, 1), (10, 2), (100, 3)])
        (x0, _), (x1, _), (x2, _) = circles(self.svgplot.figure([plot], "d"))
        self.assertAlmostEqual(x1 - x0, x2 - x1, delta=0.02)

    def test_outside_is_left_out(self):
        plot = self.svgplot.Plot("", "x", "y", y_range=(0, 1))
        plot.line("", [(0, 0.5), (1, 2), (2, 0.5)])
        plot.points([("far", 1, 3), ("near", 1, 0.25)])
        svg = self.svgplot.figure([plot], "d")
        self.assertEqual(len(circles(svg)), 3)
        self.assertIn("near", words(svg))
        self.assertNotIn("far", words(svg))

    def test_one_value(self):
        plot = self.svgplot.Plot("", "x", "y")
        plot.line("", [(3, 5)])
        self.assertEqual(len(circles(self.svgplot.figure([plot], "d"))), 1)

    def test_names_keep_apart(self):
        plot = self.svgplot.Plot("", "x", "y", x_range=(0, 10), y_range=(0, 10))
        plot.points([("name %d" % i, 5, 5) for i in range(5)])
        svg = self.svgplot.figure([plot], "d")
        spots = re.findall(r'<text x="(\S+)" y="(\S+)"[^>]*>name', svg)
        self.assertEqual(len(spots), 5)
        self.assertEqual(len(set(spots)), 5)


class Copy(unittest.TestCase):
    """Tests with a copy of docs/, which they may change."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="report-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.docs = os.path.join(self.folder, "docs")
        shutil.copytree(os.path.join(ROOT, "docs"), self.docs)
        shutil.copytree(os.path.join(ROOT, "gst", "presets"),
                        os.path.join(self.folder, "gst", "presets"))

    def run_script(self, name, *arguments):
        return subprocess.run([sys.executable, os.path.join(self.docs, "report"), name] + list(arguments),
                              capture_output=True, text=True, check=False)

    def change(self, name, what):
        path = os.path.join(self.docs, "data", name)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        what(data)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)


class Experiments(Copy):
    def test_other_data(self):
        def worse(data):
            data["passes"]["points"][-1]["average"] = 25

        self.assertEqual(self.run_script("experiments", "--check").returncode, 0)
        self.change("experiments-esaw.json", worse)
        result = self.run_script("experiments", "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("esaw-passes.svg", result.stderr)
        self.assertNotIn("esmp-passes.svg", result.stderr)
        self.assertEqual(self.run_script("experiments").returncode, 0)
        self.assertEqual(self.run_script("experiments", "--check").returncode, 0)

    def test_no_plot(self):
        os.remove(os.path.join(self.docs, "images", "esmp-slanted.svg"))
        self.assertIn("esmp-slanted.svg",
                      self.run_script("experiments", "--check").stderr)

    def test_wrong_arguments(self):
        result = self.run_script("experiments", "--measure", PROGRAM, "vcbw")
        self.assertEqual(result.returncode, 1)
        self.assertIn("vcbw", result.stderr)
        self.assertEqual(self.run_script("experiments", "--draw").returncode, 1)

    def page(self):
        path = os.path.join(self.docs, "algorithms", "bfv.md")
        with open(path, encoding="utf-8") as file:
            return path, file.read()

    def row(self, table, start):
        """The cells of a row of a table of the page."""
        text = self.page()[1].split("<!-- Table %s," % table)[1].split("<!-- end -->")[0]
        line, = [l for l in text.splitlines() if l.startswith("| %s |" % start)]
        return [cell.strip() for cell in line.strip("|").split("|")[1:]]

    def test_other_errors(self):
        def worse(data):
            data["errors"]["setups"]["bfv"]["scenes"]["venus"]["disc"] = 43.21

        self.change("experiments-bfv.json", worse)
        result = self.run_script("experiments", "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("bfv.md", result.stderr)
        self.assertEqual(self.run_script("experiments").returncode, 0)
        self.assertEqual(self.row("errors", "bitwise")[5], "43.21")
        self.assertEqual(self.run_script("experiments", "--check").returncode, 0)

    def test_changed_table(self):
        path, text = self.page()
        for old, new, status in (("| **", "| **1", 1), ("<!-- end -->", "", 1)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            result = self.run_script("experiments", "--check")
            self.assertEqual(result.returncode, status)
            self.assertIn("bfv.md", result.stderr)

    def test_times(self):
        """Tables have device times of the fastest frame, next to those of the paper."""
        program = os.path.join(self.folder, "stereo-bench")
        with open(program, "w", encoding="utf-8") as file:
            file.write(BFV_BENCH % sys.executable)
        os.chmod(program, 0o755)
        for path in glob.glob(os.path.join(self.docs, "data", "experiments-bfv-*.json")):
            os.remove(path)
        self.assertEqual(self.run_script("experiments").returncode, 0)
        self.assertEqual(self.row("stages", "crosses"), ["5.00"])

        result = self.run_script("experiments", "--measure", program, "bfv", "test",
                                 "--seconds", "0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.row("sizes", "450x375x64"), ["162", "8.00", "1350"])
        self.assertEqual(self.row("sizes", "450x375x64, 3x3"), ["648", "2.00", "5400"])
        self.assertEqual(self.row("sampling", "1x1")[4:], ["8.00 (1.0)", "8.00 (1.0)"])
        self.assertEqual(self.row("sampling", "2x3")[4:], ["2.00 (4.0)", "2.00 (4.0)"])
        self.assertEqual(self.row("stages", "crosses"), ["5.00", "7.00"])
        self.assertEqual(self.row("stages", "check, vote, border, median"), ["4.40", "5.50"])
        self.assertEqual(self.row("votes", "33x33 pixels"), ["256", "5.00", "22.0", "4.4"])
        path = os.path.join(self.docs, "data", "experiments-bfv-test.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(" middlebury-v2/teddy/left.png ", text)
        self.assertIn("--seconds 0", text)
        self.assertEqual(self.run_script("experiments", "--check").returncode, 0)

    def parts(self):
        """The rows of the table of pyramid's parts, with its header."""
        with open(os.path.join(self.docs, "algorithms", "pyramid.md"), encoding="utf-8") as file:
            text = file.read().split("<!-- Table parts,")[1].split("<!-- end -->")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in text.splitlines() if line.startswith("| ")]
        return {row[0]: row[1:] for row in rows}

    def test_times_of_pyramid(self):
        """Measured times appear in the table and the plot."""
        program = os.path.join(self.folder, "stereo-bench")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PYRAMID_BENCH % sys.executable)
        os.chmod(program, 0o755)
        result = self.run_script("experiments", "--measure", program, "pyramid")
        self.assertEqual(result.returncode, 0, result.stderr)
        parts = self.parts()
        self.assertEqual(parts["ms"][-1], "Some GPU")
        self.assertEqual(parts["ms"][1], "CPU, 1")
        self.assertEqual(parts["correlation and polynomial"][-1], "5.00 (167 %)")
        self.assertEqual(parts["correlation and polynomial"][0], "3160 (63 %)")
        # the rest, without copies
        self.assertEqual(parts["other"][1], "0.750 (8 %)")
        self.assertEqual(parts["host copies"][1:], ["-"] * (
            len(parts["ms"]) - 2) + ["0.375 (12 %)"])
        self.assertEqual(parts["total"][1], "9.00")
        self.assertEqual(parts["normal frame, without copies"][1], "8.00")
        self.assertEqual(parts["normal frame, with copies"][-1], "3.00")
        with open(os.path.join(self.docs, "data", "experiments-pyramid.json"),
                  encoding="utf-8") as file:
            data = json.load(file)
        counts = {r["threads"] for run in data["runs"] for r in run["results"]
                  if r["backend"] == "cpu"}
        self.assertEqual((min(counts), max(counts)), (1, len(os.sched_getaffinity(0))))
        self.assertEqual(self.run_script("experiments", "--check").returncode, 0)

    def test_other_times_of_pyramid(self):
        def slower(data):
            for run in data["runs"]:
                for result in run["results"]:
                    result["stages"]["pyramids"] *= 3

        self.change("experiments-pyramid.json", slower)
        result = self.run_script("experiments", "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("pyramid.md", result.stderr)
        self.assertNotIn(".svg", result.stderr)


class Accuracy(Copy):
    def test_gpu_in_the_plot_of_times(self):
        """Each machine gets a plot of the times of the setups with known errors.

        Times of former defaults are left out.
        """
        def result(label, form, ms, disparities=64):
            return {"backend": "cuda", "label": label, "width": 450, "height": 375,
                    "num-disparities": disparities, "format": form, "error": None,
                    "device": {"median-ms": ms}}

        for device, date in ("Some GPU", "2999-01-01"), ("Old GPU", "2026-01-01"):
            path = os.path.join(self.docs, "data", "performance-%s.json" % date)
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"date": date, "reports": [{"report": {
                    "devices": [{"backend": "cuda", "device": device}],
                    "results": [result("vcbw", "GRAY8", 1), result("vcbw", "RGB", 2),
                                result("esaw", "GRAY8", 3, 60), result("other", "RGB", 4),
                                result("esmp", "RGB", 5, 128)]}}]}, file)
        plot = os.path.join(self.docs, "images", "accuracy-time.svg")
        with open(plot, encoding="utf-8") as file:
            before = file.read()
        self.assertEqual(self.run_script("accuracy", "--check").returncode, 1)
        self.assertEqual(self.run_script("accuracy").returncode, 0)
        with open(plot, encoding="utf-8") as file:
            after = file.read()
        self.assertEqual(sum("Some GPU" in w for w in words(after)),
                         1 + sum("Some GPU" in w for w in words(before)))
        self.assertEqual(len(circles(after)), len(circles(before)) + 2)
        self.assertEqual(self.run_script("accuracy", "--check").returncode, 0)

    def test_changed_preset(self):
        """Presets that differ from the measured ones are reported."""
        scenes = os.path.join(os.environ.get("STEREO_DATASETS", ""), "middlebury-v2", "teddy")
        if not os.path.exists(scenes):
            self.skipTest("%s does not exist" % scenes)
        path = os.path.join(self.folder, "gst", "presets", "GstStereoEsmp.prs")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("base=2.3", "base=2.4"))
        result = self.run_script("accuracy", "--verify", PROGRAM)
        self.assertEqual(result.returncode, 1)
        self.assertIn("presets", result.stdout)


def result(backend, label, form, size, ms):
    """One result as stereo-bench prints it."""
    width, height, disparities = size
    times = {"runs": 9, "median-ms": ms, "min-ms": ms / 2, "p95-ms": 2 * ms, "mean-ms": ms}
    cuda = backend == "cuda"
    return {
        "backend": backend, "label": label, "algorithm": label.split()[0], "properties": {},
        "width": width, "height": height, "num-disparities": disparities, "format": form,
        "error": None, "device-bytes": 3 << 20 if cuda else 0, "host-bytes": 5 << 20,
        "traffic-bytes": 1000,
        "device": dict(times, **{"mde-per-s": width * height * disparities / ms / 1e3,
                                 "copy-fraction": 0.25}),
        "host": dict(times, **{"median-ms": 10 * ms}) if cuda else None,
        "pipelined": dict(times, **{"frames-per-s": 777}) if cuda else None,
        "profiled": dict(times, stages=[
            {"stage": "convert", "median-ms": ms / 4, "min-ms": ms / 8, "mean-ms": ms / 4},
            {"stage": "match", "median-ms": ms / 2, "min-ms": ms / 4, "mean-ms": ms / 2}])}


def machine(backend, name, *reports):
    device = {"backend": backend, "device": name, "threads": None, "simd": None,
              "copy-bytes-per-s": 4e12}
    return {"date": "2026-01-02", "commit": "0123abc", "processor": "Some Processor", "reports": [
        {"command": "stereo-bench --json", "report": {"devices": [device], "results": r}}
        for r in reports]}


class Performance(Copy):
    def setUp(self):
        super().setUp()
        for path in glob.glob(os.path.join(self.docs, "data", "performance-*.json")):
            os.remove(path)

    def make(self):
        done = self.run_script("performance")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.docs, "performance.md"), encoding="utf-8") as file:
            return file.read()

    def save(self, name, data):
        path = os.path.join(self.docs, "data", "performance-%s.json" % name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def row(self, page, start):
        """The cells of the only row that starts with these words."""
        line, = [l for l in page.splitlines() if l.startswith("| %s |" % start)]
        return [cell.strip() for cell in line.strip("|").split("|")[1:]]

    def test_no_data(self):
        page = self.make()
        self.assertIn("# Performance", page)
        self.assertNotIn("## ", page)

    def test_edited(self):
        self.make()
        self.assertEqual(self.run_script("performance", "--check").returncode, 0)
        with open(os.path.join(self.docs, "performance.md"), "a", encoding="utf-8") as file:
            file.write("By hand.\n")
        done = self.run_script("performance", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/report", done.stderr)

    def test_cpu(self):
        self.save("one", machine(
            "cpu", "CPU, 4 threads, none",
            [result("cpu", "vcbw", "RGB", (1920, 1080, 128), 400)],
            [result("cpu", "vcbw, paper", "RGB", (512, 512, 96), 84)]))
        page = self.make()
        self.assertIn("## CPU, 4 threads, none", page)
        self.assertIn("2026-01-02 at commit 0123abc, on Some Processor", page)
        self.assertIn("stereo-bench --json", page)
        self.assertNotIn(PEER, page)
        self.assertNotIn("pinned", page)
        # fastest frame: 200 ms for 1920 * 1080 * 128 / 1e6 = 265.4 million
        rows = [l for l in page.splitlines() if l.startswith("| vcbw, RGB")]
        # the profiled frame took twice as long as the fastest one; its stages add up to it
        self.assertEqual(rows, ["| vcbw, RGB | 200 (1327) |",
                                "| vcbw, RGB (disturbed) | 100 | 200 | 300 | 5.00 | 50.0 |"])
        self.assertEqual(self.row(page, "vcbw, paper, 512x512x96")[:3], ["ms", "42.0", "41.6"])

    def test_cuda(self):
        size = (1920, 1080, 256)
        self.save("a", machine("cuda", "NVIDIA H200", [
            result("cuda", "vcbw", "GRAY8", size, 3), result("cuda", "other", "RGB", size, 5)],
            [result("cuda", "vcbw, paper", "RGB", (512, 512, 96), 2)]))
        self.save("b", machine("cpu", "CPU, 4 threads, none", [
            result("cpu", "vcbw", "GRAY8", size, 30)],
            [result("cpu", "bp, paper", "GRAY8", (384, 288, 16), 30)]))
        self.save("c", machine("cpu", "CPU, 2 threads, none", [
            result("cpu", "vcbw", "GRAY8", size, 60)]))
        page = self.make()
        self.assertLess(page.index("## NVIDIA H200"), page.index("## CPU, 4"))
        rows = [l for l in page.splitlines() if l.startswith("| vcbw, GRAY8 |")]
        self.assertEqual(rows[:2], ["| vcbw, GRAY8 | 3.00 (176947) |",
                                    "| vcbw, GRAY8 | 30.0 (777) |"])
        # with transfers, like the paper; one CPU has another result, the other one has none
        self.assertEqual(self.row(page, "vcbw, paper, 512x512x96")[:4], ["ms", "20.0", "-", "41.6"])
        self.assertIn(PEER, page)
        self.assertEqual(self.row(page, "**vcbw**"), ["-"] * 5 + ["**3.00**"])

    def test_other_gpu(self):
        self.save("a", machine("cuda", "NVIDIA L4", [
            result("cuda", "vcbw", "GRAY8", (1920, 1080, 256), 3)]))
        self.assertNotIn(PEER, self.make())

    def test_failed_results(self):
        bad = result("cpu", "vcbw", "GRAY8", (1920, 1080, 256), 3)
        bad["error"] = "out of memory"
        self.save("a", machine("cpu", "CPU, 4 threads, none", [
            bad, result("cpu", "vcbw", "GRAY8", (450, 375, 60), 3)]))
        page = self.make()
        self.assertIn("450x375x60", page)
        self.assertNotIn("1920x1080x256", page)

    def test_measure(self):
        """Generates a page from the real program's output."""
        wrapper = os.path.join(self.folder, "program")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec %s --seconds 0.01 --rotate-mib 1 --copy-mib 1 \"$@\"\n"
                       % BENCH)
        os.chmod(wrapper, 0o755)
        script = os.path.join(self.docs, "report", "performance.py")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        # small sizes, because times are not checked
        small = text.replace('"--preset", "papers", "--size", "450x375x64"', '"--size", "40x30x8"')
        self.assertNotEqual(small, text)
        with open(script, "w", encoding="utf-8") as file:
            file.write(small)
        with open(os.path.join(self.docs, "data", "published-speed.json"), "w",
                  encoding="utf-8") as file:
            json.dump([{"setup": "vcbw", "format": "RGB", "workload": [50, 40, 9], "ms": 1,
                        "hardware": "Abacus", "source": "Somebody"},
                       {"setup": "none", "format": "RGB", "workload": [5000, 4000, 99], "ms": 1,
                        "hardware": "Abacus", "source": "Nobody"}], file)
        done = self.run_script("performance", "--measure", wrapper, "here", "--backend", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_script("performance", "--check").returncode, 0)
        page = self.make()
        self.assertIn("40x30x8", page)
        self.assertEqual(self.row(page, "vcbw, paper, 50x40x9")[2:], ["1.00", "Abacus", "Somebody"])
        self.assertNotIn("Nobody", page)


def main():
    global ROOT, PROGRAM, BENCH  # pylint: disable=global-statement
    ROOT = sys.argv[1]
    PROGRAM, BENCH = (os.path.abspath(path) for path in sys.argv[2:4])
    suite.main()


if __name__ == "__main__":
    main()
