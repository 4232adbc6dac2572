#!/usr/bin/env python3
# gst-stereomatching: tests of the program stereo-bench
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stereo-bench like a user and checks its output.

    stereo_bench.py PROGRAM

Times are not checked, only that the figures agree with each other.
"""

import csv
import io
import json
import math
import re

import pictures
import program
import suite
from program import run

# Short runs with little memory, sufficient for consistent figures.
QUICK = ("--seconds", "0.02", "--rotate-mib", "1", "--copy-mib", "4", "--backend", "cpu")
TIMES = ("runs", "median-ms", "min-ms", "p95-ms", "mean-ms")
PAPERS = [(384, 288, 16), (450, 375, 60), (900, 750, 128), (1280, 720, 128), (1920, 1080, 128),
          (1920, 1080, 256)]


def bench(*arguments):
    """The parsed --json output of a quick run, which must succeed."""
    result = run("--json", *QUICK, *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "", result.stderr
    return json.loads(result.stdout)


def algorithms():
    return re.findall(r"^(\w+): .", run("--list").stdout, re.MULTILINE)


class Case(program.Case):
    def consistent(self, times):
        self.assertGreaterEqual(times["runs"], 5)
        self.assertGreater(times["min-ms"], 0)
        self.assertLessEqual(times["min-ms"], times["median-ms"])
        self.assertLessEqual(times["median-ms"], times["p95-ms"])
        self.assertLessEqual(times["min-ms"], times["mean-ms"])


class Figures(Case):
    def test_few_frames(self):
        tree = bench("vcbw", "--size", "70x50x20", "--seconds", "0.000001", "--frames", "2")
        result, = tree["results"]
        self.assertEqual(result["device"]["runs"], 2)
        self.assertEqual(result["profiled"]["runs"], 2)
        self.assertGreater(len(result["profiled"]["stages"]), 0)

    def test_json(self):
        tree = bench("vcbw", "--size", "70x50x20", "median=true", "--format", "RGB",
                     "--threads", "2", "--simd", "generic")
        self.assertEqual(list(tree), ["program", "version", "images", "devices", "results"])
        self.assertEqual(tree["program"], "stereo-bench")
        self.assertEqual(tree["version"], run("--version").stdout.split()[1])
        self.assertIsNone(tree["images"])
        device, = tree["devices"]
        self.assertEqual(list(device), ["backend", "device", "threads", "simd",
                                        "copy-bytes-per-s"])
        self.assertEqual((device["backend"], device["threads"], device["simd"]),
                         ("cpu", 2, "generic"))
        self.assertIn("2 threads", device["device"])
        self.assertGreater(device["copy-bytes-per-s"], 0)

        result, = tree["results"]
        self.assertEqual(list(result), [
            "backend", "label", "algorithm", "properties", "width", "height", "num-disparities",
            "format", "error", "device-bytes", "host-bytes", "traffic-bytes", "device", "host",
            "pipelined", "profiled"])
        self.assertEqual(result["label"], "vcbw median=true")
        self.assertEqual(result["algorithm"], "vcbw")
        self.assertEqual((result["width"], result["height"], result["num-disparities"],
                          result["format"]), (70, 50, 20, "RGB"))
        self.assertEqual(result["properties"]["num-disparities"], 20)
        self.assertIs(result["properties"]["median"], True)
        self.assertEqual(result["properties"]["windows"], "nine")
        self.assertIsNone(result["error"])
        self.assertEqual(result["device-bytes"], 0)
        # at least three channels of two views
        self.assertGreater(result["host-bytes"], 70 * 50 * 6)
        self.assertEqual(result["traffic-bytes"], 70 * 50 * (3 + 3 + 2))
        self.assertIsNone(result["host"])
        self.assertIsNone(result["pipelined"])

        times = result["device"]
        self.assertEqual(list(times), list(TIMES) + ["mde-per-s", "copy-fraction"])
        self.consistent(times)
        self.assertAlmostEqual(times["mde-per-s"] * times["median-ms"] * 1e3 / (70 * 50 * 20), 1,
                               places=6)
        self.assertAlmostEqual(
            times["copy-fraction"] * device["copy-bytes-per-s"] * times["median-ms"] * 1e-3
            / result["traffic-bytes"], 1, places=6)

    def test_backend_both(self):
        """It needs a GPU, which not every machine has."""
        result = run("--json", "vcbw", "--size", "70x50x20", *QUICK[:-1], "both")
        if result.returncode != 0:
            self.assertIn("--backend both: ", result.stderr)
        else:
            self.assertEqual([device["backend"] for device in json.loads(result.stdout)["devices"]],
                             ["cpu", "cuda"])

    def test_stages_add_up(self):
        tree = bench("--size", "70x50x20", "median=true", "--format", "RGB", "--format", "GRAY8")
        for result in tree["results"]:
            profiled = result["profiled"]
            self.assertEqual(list(profiled), list(TIMES) + ["stages"])
            self.consistent(profiled)
            names = [s["stage"] for s in profiled["stages"]]
            # algorithms may add stages before "match" and before refinement
            self.assertIn("match", names)
            self.assertIn(names[-1], ("median", "refine"))
            self.assertEqual(len(set(names)), len(names))
            if result["algorithm"] == "vcbw":
                self.assertEqual("convert" in names, result["format"] == "RGB")
            for stage in profiled["stages"]:
                self.assertEqual(list(stage), ["stage", "median-ms", "min-ms", "mean-ms"])
                self.assertLessEqual(stage["min-ms"], stage["median-ms"])
                self.assertLessEqual(stage["mean-ms"], profiled["mean-ms"])
            self.assertAlmostEqual(sum(s["mean-ms"] for s in profiled["stages"])
                                   / profiled["mean-ms"], 1, places=5)

    def test_all_algorithms(self):
        names = algorithms()
        self.assertIn("vcbw", names)
        tree = bench("--size", "48x32x8")
        self.assertEqual([r["algorithm"] for r in tree["results"]], names)

    def test_all_formats(self):
        result = run("--format", "?")
        formats = re.findall(r"[A-Z][A-Z0-9_]+", result.stderr.split("one of")[1])
        self.assertIn("YV12", formats)
        arguments = sum((["--format", f] for f in formats), [])
        tree = bench("vcbw", "--size", "33x17x8", *arguments)
        self.assertEqual([r["format"] for r in tree["results"]], formats)

    def test_combinations(self):
        tree = bench("vcbw", "--algorithm", "vcbw windows=four radius=3", "radius=5",
                     "--size", "40x30", "--size", "30x40x7", "--disparities", "4",
                     "--disparities", "9")
        self.assertEqual(
            [(r["properties"]["windows"], r["properties"]["radius"], r["width"], r["height"],
              r["num-disparities"]) for r in tree["results"]],
            [(w, d, *size) for w, d in (("nine", 5), ("four", 3))
             for size in ((40, 30, 4), (40, 30, 9), (30, 40, 7))])

    def test_defaults(self):
        tree = bench("vcbw", "radius=1")
        result, = tree["results"]
        self.assertEqual((result["width"], result["height"], result["num-disparities"],
                          result["format"]), (1280, 720, 64, "GRAY8"))

    def test_extremes(self):
        tree = bench("vcbw", "--size", "1x1x1", "--size", "2x3x16384", "--size", "300x1x3000")
        scales = [r["properties"]["disparity-scale"] for r in tree["results"]]
        # the largest scales for which 16383 and 2999 fit 16 bits
        self.assertEqual(scales, [256, 4, 16])
        for result in tree["results"]:
            self.consistent(result["device"])
            codes = (result["num-disparities"] - 1) * result["properties"]["disparity-scale"]
            self.assertLess(codes, 65536)

    def test_no_copying(self):
        tree = bench("vcbw", "--size", "40x30x4", "--copy-mib", "0")
        self.assertIsNone(tree["devices"][0]["copy-bytes-per-s"])
        self.assertIsNone(tree["results"][0]["device"]["copy-fraction"])

    def test_images(self):
        left, right = self.path("left.png"), self.path("right.png")
        pictures.write_png(left, [[(x * 5 + y) % 256 for x in range(50)] for y in range(20)])
        pictures.write_png(right, [[(x * 5 + y + 10) % 256 for x in range(50)]
                                   for y in range(20)])
        tree = bench("vcbw", "--images", left, right, "--disparities", "8", "--format", "BGR")
        self.assertEqual(tree["images"], [left, right])
        result, = tree["results"]
        self.assertEqual((result["width"], result["height"], result["num-disparities"]),
                         (50, 20, 8))


class Output(Case):
    def test_table(self):
        result = run(*QUICK, "vcbw", "vcbw windows=four median=true", "--size", "40x30x4",
                     "--size", "60x30x4", "--format", "GRAY8", "--format", "RGB")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        first, second = result.stdout.split("\nstages, ")
        self.assertRegex(first, r"^CPU, .*; copies \d+\.\d GB/s\n\n")
        lines = first.splitlines()[2:]
        self.assertEqual(len({len(line) for line in lines}), 1, first)
        self.assertEqual(len(lines), 9)
        for word in ("algorithm", "size", "median ms", "min", "p95", "Mde/s", "copy %", "MiB"):
            self.assertIn(word, lines[0])
        lines = ("stages, " + second).splitlines()
        self.assertEqual(len({len(line) for line in lines}), 1, second)
        self.assertEqual(lines[0].split()[-5:],
                         ["convert", "learned", "match", "refine", "together"])
        # the views are luma: no conversion stage
        self.assertEqual(lines[1].split()[-5], "-")

    def test_csv(self):
        result = run(*QUICK, "--csv", "vcbw", "--size", "40x30x4", "--size", "41x30x4")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([r["width"] for r in rows], ["40", "41"])
        for row in rows:
            self.assertEqual(None in row, False)
            self.assertEqual((row["backend"], row["label"], row["error"]), ("cpu", "vcbw", ""))
            self.assertLessEqual(float(row["min-ms"]), float(row["median-ms"]))
            self.assertEqual(row["host-median-ms"], "")
            self.assertTrue(math.isfinite(float(row["mde-per-s"])))

    def test_lists(self):
        result = run("--list-sizes")
        self.assertEqual(result.returncode, 0)
        found = re.findall(r"^papers +(\d+)x(\d+)x(\d+) +\S", result.stdout, re.MULTILINE)
        self.assertEqual([tuple(map(int, f)) for f in found], PAPERS)
        self.assertIn("video", result.stdout)
        self.assertEqual(run("--list").returncode, 0)

    def test_help(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(run("-h").stdout, result.stdout)
        self.assertLess(max(map(len, result.stdout.splitlines())), 80)
        for option in re.findall(r"--[a-z-]+", result.stdout):
            self.assertNotIn("unknown option", run(option).stderr if option in (
                "--list", "--list-sizes", "--help", "--version") else "")

    def test_progress(self):
        """Shows a progress bar on terminals only and removes it at the end."""
        shown, table = program.run_on_terminal(*QUICK, "vcbw", "--size", "40x30x4")
        self.assertIn(b"0/1", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)
        self.assertNotIn(b"\r", table)


class Wrong(Case):
    def test_arguments(self):
        for arguments, says in (
                (["nope"], ("nope", "--list")),
                (["--algorithm", "nope radius=1"], ("nope", "--list")),
                (["vcbw", "sigma=1"], ("vcbw", "sigma")),
                (["sigma=1"], "sigma"),
                (["vcbw", "weights=my net.txt"], "vcbw: Cannot open my net.txt: "),
                (["vcbw", "edge-penalty=99"], ("edge-penalty", "99", "from 0 to 1")),
                (["vcbw", "windows=five"], ("windows", "five")),
                (["vcbw", "num-disparities=4"], ("num-disparities", "--disparities")),
                (["--size", "10"], ("--size", "10", "WIDTHxHEIGHT")),
                (["--size", "10y20"], "10y20"),
                (["--size", "10x20x"], "10x20x"),
                (["--size", "10x20x0"], "10x20x0"),
                (["--size", "10x20x3x4"], "10x20x3x4"),
                (["--size", "x20"], "x20"),
                (["--size", "-4x20"], "-4x20"),
                (["--size", "0x20"], ("0x20", "from 1 to 16384")),
                (["--size", "16385x20"], ("16385x20", "from 1 to 16384")),
                (["--size", "999999999999x20"], "999999999999x20"),
                (["--size", "20x20x16385"], ("16385", "from 1 to 16384")),
                (["--disparities", "0"], ("--disparities", "from 1 to 16384")),
                (["--disparities", "many"], "many"),
                (["--disparities", "1.5"], "1.5"),
                (["--preset", "best"], ("best", "papers")),
                (["--format", "RGB16"], ("RGB16", "GRAY8")),
                (["--backend", "opencl"], ("opencl", "cuda")),
                (["--threads", "1025"], ("1025", "1024")),
                (["--simd", "mmx"], ("mmx", "avx2")),
                (["--seconds", "0"], "--seconds"),
                (["--seconds", "nan"], "nan"),
                (["--frames", "0"], ("--frames", "1 to")),
                (["--rotate-mib", "-1"], "--rotate-mib"),
                (["--copy-mib", "1e9"], "1e9"),
                (["--json", "--csv"], ("--json", "--csv")),
                (["--wrong"], ("--wrong", "--help")),
                (["--seconds"], ("--seconds", "value")),
                (["--images", "left.png"], "--images"),
                (["--images", "left.png", "--json"], "--images"),
                (["--images", "a.png", "b.png", "--size", "3x3"], "--size")):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, says=says)

    def test_codes_that_do_not_fit(self):
        self.fails(*QUICK, "vcbw", "disparity-scale=256", "--size", "40x30x300",
                   says=("disparity-scale", "40x30x300"))

    def test_files(self):
        good = self.path("good.png")
        pictures.write_png(good, [[1, 2, 3], [4, 5, 6]])
        other = self.path("other.png")
        pictures.write_png(other, [[1, 2], [4, 5]])
        text = self.path("text.png")
        with open(text, "w", encoding="utf-8") as file:
            file.write("no image")
        self.fails("--images", self.path("none.png"), good, says="none.png")
        self.fails("--images", good, self.path("none.png"), says="none.png")
        self.fails("--images", good, text, says="text.png")
        self.fails("--images", good, self.folder, says=self.folder)
        self.fails("--images", good, other, says=("other.png", "2x2", "good.png", "3x2"))

    def test_keep_going(self):
        arguments = ("vcbw", "disparity-scale=256", "--size", "40x30x300", "--size", "40x30x8")
        result = run(*QUICK, "--json", "--keep-going", *arguments)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1)
        first, second = json.loads(result.stdout)["results"]
        self.assertIn("disparity-scale", first["error"])
        self.assertNotIn("device", first)
        self.assertIsNone(second["error"])
        self.consistent(second["device"])
        self.assertIn("failed", run(*QUICK, "--keep-going", *arguments).stdout)
        rows = list(csv.DictReader(io.StringIO(
            run(*QUICK, "--keep-going", "--csv", *arguments).stdout)))
        self.assertIn("disparity-scale", rows[0]["error"])
        self.assertEqual(rows[1]["error"], "")

    def test_output_that_can_not_be_written(self):
        self.can_not_be_written(*QUICK, "vcbw", "--size", "40x30x4")


if __name__ == "__main__":
    suite.main()
