#!/usr/bin/env python3
# gst-stereomatching: tests of docs/make-performance.py
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs docs/make-performance.py in a copy of docs/ with other data.

    performance_page.py ROOT PROGRAM
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = PROGRAM = ""
PEER = "libSGM"


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
    return {"date": "2026-01-02", "processor": "Some Processor", "reports": [
        {"command": "stereo-bench --json", "report": {"devices": [device], "results": r}}
        for r in reports]}


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="performance-page-")
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(os.path.join(ROOT, "docs", "make-performance.py"), self.folder)
        shutil.copytree(os.path.join(ROOT, "docs", "data"), os.path.join(self.folder, "data"))
        for path in glob.glob(os.path.join(self.folder, "data", "performance-*.json")):
            os.remove(path)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(self.folder, "make-performance.py")]
                              + list(arguments), capture_output=True, text=True, check=False)

    def make(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "performance.md"), encoding="utf-8") as file:
            return file.read()

    def save(self, name, data):
        path = os.path.join(self.folder, "data", "performance-%s.json" % name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def row(self, page, start):
        """The cells of the only row that starts so."""
        line, = [l for l in page.splitlines() if l.startswith("| %s |" % start)]
        return [cell.strip() for cell in line.strip("|").split("|")[1:]]

    def test_no_data(self):
        page = self.make()
        self.assertIn("# Performance", page)
        self.assertNotIn("## ", page)

    def test_edited(self):
        self.make()
        self.assertEqual(self.run_script("--check").returncode, 0)
        with open(os.path.join(self.folder, "performance.md"), "a", encoding="utf-8") as file:
            file.write("By hand.\n")
        done = self.run_script("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("make-performance.py", done.stderr)

    def test_cpu(self):
        self.save("one", machine(
            "cpu", "CPU, 4 threads, none",
            [result("cpu", "vcbw", "RGB", (1920, 1080, 128), 400)],
            [result("cpu", "vcbw", "RGB", (512, 512, 96), 84)]))
        page = self.make()
        self.assertIn("## CPU, 4 threads, none", page)
        self.assertIn("2026-01-02, on Some Processor", page)
        self.assertIn("stereo-bench --json", page)
        self.assertNotIn(PEER, page)
        self.assertNotIn("pinned", page)
        # the fastest frame: 200 ms of 1920 * 1080 * 128 / 1e6 = 265.4 million; 0.25 of 400 ms
        rows = [l for l in page.splitlines() if l.startswith("| vcbw, RGB |")]
        self.assertEqual(rows, ["| vcbw, RGB | 200 |", "| vcbw, RGB | 1327 |",
                                "| vcbw, RGB | 50.0 | 100 | 5.00 | 50.0 |"])
        self.assertEqual(self.row(page, "vcbw, 512x512x96")[:3], ["ms", "42.0", "41.6"])

    def test_cuda(self):
        size = (1920, 1080, 256)
        self.save("a", machine("cuda", "NVIDIA H200", [
            result("cuda", "vcbw", "GRAY8", size, 3), result("cuda", "other", "RGB", size, 5)],
            [result("cuda", "vcbw", "RGB", (512, 512, 96), 2)]))
        self.save("b", machine("cpu", "CPU, 4 threads, none", [
            result("cpu", "vcbw", "GRAY8", size, 30)]))
        page = self.make()
        self.assertLess(page.index("## NVIDIA H200"), page.index("## CPU, 4"))
        rows = [l for l in page.splitlines() if l.startswith("| vcbw, GRAY8 |")]
        self.assertEqual(rows[:4], ["| vcbw, GRAY8 | 3.00 |", "| vcbw, GRAY8 | 176947 |",
                                    "| vcbw, GRAY8 | 30.0 |", "| vcbw, GRAY8 | 777 |"])
        # with transfers as the paper has it; the CPU was not timed
        self.assertEqual(self.row(page, "vcbw, 512x512x96")[:4], ["ms", "20.0", "-", "41.6"])
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
        """What the program really prints makes a page."""
        wrapper = os.path.join(self.folder, "program")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec %s --seconds 0.01 --rotate-mib 1 --copy-mib 1 \"$@\"\n"
                       % PROGRAM)
        os.chmod(wrapper, 0o755)
        script = os.path.join(self.folder, "make-performance.py")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        # small ones, as it is not the times that count
        small = text.replace('"--preset", "papers", "--size", "450x375x64"', '"--size", "40x30x8"')
        self.assertNotEqual(small, text)
        with open(script, "w", encoding="utf-8") as file:
            file.write(small)
        with open(os.path.join(self.folder, "data", "published-speed.json"), "w",
                  encoding="utf-8") as file:
            json.dump([{"setup": "vcbw", "format": "RGB", "workload": [50, 40, 9], "ms": 1,
                        "hardware": "Abacus", "source": "Somebody"},
                       {"setup": "none", "format": "RGB", "workload": [5000, 4000, 99], "ms": 1,
                        "hardware": "Abacus", "source": "Nobody"}], file)
        done = self.run_script("--measure", wrapper, "here", "--backend", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_script("--check").returncode, 0)
        page = self.make()
        self.assertIn("40x30x8", page)
        self.assertEqual(self.row(page, "vcbw, 50x40x9")[2:], ["1.00", "Abacus", "Somebody"])
        self.assertNotIn("Nobody", page)


def main():
    global ROOT, PROGRAM  # pylint: disable=global-statement
    ROOT, PROGRAM = sys.argv[1], os.path.abspath(sys.argv[2])
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    outcome = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    failed = len({str(test) for test, _ in outcome.failures + outcome.errors})
    print("%d tests, %d failed, %d skipped" % (outcome.testsRun, failed, len(outcome.skipped)))
    sys.exit(1 if failed or not outcome.testsRun else 0)


if __name__ == "__main__":
    main()
