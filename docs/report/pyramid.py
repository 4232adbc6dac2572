# gst-stereomatching: the experiments of pyramid
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times of pyramid by stages and by number of threads, with stereo-bench."""

import os

import svgplot
from common import DOCS, IMAGES, json_of, load, number, paper, save, size_of, table, with_tables

PAGE = os.path.join(DOCS, "algorithms", "pyramid.md")
NAME = "pyramid"
DATA = "experiments-pyramid"

# Does not affect the time.
DISPARITIES = 64
SIZES = ((450, 375), (1280, 720), (1920, 1080), (4928, 3264))
HEADLINE = SIZES[-1]

# Rows of the paper's Table II: name, our stages (None: all others), and the paper's milliseconds for
# 4928x3264 on a GeForce GTX 770. Its correlation and polynomial are one stage here.
PARTS = (
    ("pyramids", ("pyramids",), 430),
    ("correlation and polynomial", ("correlation",), 2900 + 260),
    ("refinement", ("refinement",), 1040),
    ("rescale", ("rescale",), 190),
    ("other", None, 200),
)
COPIES = ("upload", "download")
PAPER = "GTX 770 (paper)"


def thread_counts(most):
    """Powers of two, and the maximum."""
    found = [1]
    while 2 * found[-1] < most:
        found.append(2 * found[-1])
    return sorted(set(found + [most]))


def median(times):
    return round(times["median-ms"], 4)


def bench(program, arguments):
    command = ["--copy-mib", "0", "--format", "RGB", "--frames", "1",
               "--seconds", "0.1"] + paper(NAME).split()
    for size in SIZES:
        command += ["--size", size_of(size + (DISPARITIES,))]
    command += arguments
    report = json_of(program, command)
    results = []
    for r in report["results"]:
        device = next(d for d in report["devices"] if d["backend"] == r["backend"])
        results.append({
            "backend": r["backend"], "device": device["device"], "threads": device["threads"],
            "size": [r["width"], r["height"]], "ms": median(r["device"]),
            "host-ms": r["host"] and median(r["host"]),
            "bytes": r["device-bytes"] or r["host-bytes"], "profiled-ms": median(r["profiled"]),
            "stages": {s["stage"]: median(s) for s in r["profiled"]["stages"]}})
    return {"command": " ".join(["stereo-bench", "--json"] + command), "results": results}


def measure(program):
    """All threads and CUDA if available, then fewer threads. Each run is saved immediately."""
    counts = thread_counts(len(os.sched_getaffinity(0)))
    runs = []
    for count in counts[-1:] + counts[:-1]:
        backend = "auto" if count == counts[-1] else "cpu"
        runs.append(bench(program, ["--backend", backend, "--threads", str(count)]))
        save(DATA, {"runs": runs})


def results_of(data, **wanted):
    return [r for run in data["runs"] for r in run["results"]
            if all(r[name] == value for name, value in wanted.items())]


def stages_of(result, names):
    """The milliseconds of the named stages; without names, of all stages in no other row, except copies."""
    if names is None:
        known = [n for _, stages, _ in PARTS for n in stages or ()] + list(COPIES)
        names = [n for n in result["stages"] if n not in known]
    return sum(result["stages"].get(n, 0) for n in names)


def columns(data):
    """The columns of the table: one thread, all threads, CUDA."""
    cpu = sorted(results_of(data, backend="cpu", size=list(HEADLINE)), key=lambda r: r["threads"])
    return cpu[:1] + cpu[1:][-1:] + results_of(data, backend="cuda", size=list(HEADLINE))


def parts_table(data):
    found = columns(data)
    paper = sum(part[2] for part in PARTS)

    def row(name, published, values):
        return [name] + [number(v) for v in [published] + values]

    def shares(name, published, values):
        """Times with their share of the frame."""
        wholes = [paper] + [r["profiled-ms"] for r in found]
        return [name] + ["%s (%.0f %%)" % (number(v), 100 * v / whole) if v else "-"
                         for v, whole in zip([published] + values, wholes)]

    rows = [shares(name, published, [stages_of(r, stages) for r in found])
            for name, stages, published in PARTS]
    rows += [shares("host copies", None, [stages_of(r, COPIES) for r in found]),
             row("total", paper, [r["profiled-ms"] for r in found]),
             row("normal frame, without copies", None, [r["ms"] for r in found]),
             row("normal frame, with copies", None, [r["host-ms"] for r in found])]
    return (table(["ms", PAPER] + [r["device"] for r in found], rows)
            + "\nProcessor: %s.\n" % data["processor"])


def threads_figure(data):
    time = svgplot.Plot("time over threads", "threads", "ms", x_log=True, y_log=True)
    gain = svgplot.Plot("speed over threads", "threads", "speed relative to one thread")
    most = 1
    for size in reversed(SIZES):
        points = [(r["threads"], r["ms"])
                  for r in results_of(data, backend="cpu", size=list(size))]
        single = dict(points)[1]
        most = max(most, *(n for n, _ in points))
        time.line("%dx%d" % size, points)
        gain.line("%dx%d" % size, [(n, single / ms) for n, ms in points])
    gain.line("ideal", [(1, 1), (most, most)])
    return svgplot.figure([time, gain], "Times of pyramid on a CPU, and speed relative to one "
                          "thread, over the number of threads")


def generate():
    data = load(DATA)
    return {os.path.join(IMAGES, "pyramid-threads.svg"): threads_figure(data),
            PAGE: with_tables(PAGE, {"parts": parts_table(data)})}
