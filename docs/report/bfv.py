# gst-stereomatching: the experiments of bfv
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors and times over sampling, sizes, parameters and votes."""

import os
import re
import shlex

import svgplot
from common import DOCS, IMAGES, REGIONS, datasets, json_of, load, load_all, number, save, size_of
from common import table, with_tables
from sweeps import ERROR, compare, sweep

PAGE = os.path.join(DOCS, "algorithms", "bfv.md")
NAME = "bfv"
SCENES = ("tsukuba", "venus", "teddy", "cones")
BITWISE, HISTOGRAM = "bfv", "bfv vote=histogram"
VOTES = {BITWISE: "bitwise", HISTOGRAM: "histogram"}
ERRORS = [" ".join(["bfv"] + words) for words in (
    [], ["vote=histogram"], ["sampling-x=2", "sampling-y=2"], ["sampling-x=2", "sampling-y=2", "vote=histogram"],
    ["sampling-x=3", "sampling-y=3"], ["sampling-x=3", "sampling-y=3", "vote=histogram"])]
SAMPLING = (1, 2, 3, 4, 6, 8)
PARAMETERS = {
    "arm-threshold": (5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 32, 40, 60),
    "arm-length": (4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48),
    "cost-threshold": (10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 160, 240),
    "lr-max-diff": (-1, 0, 1, 2, 3, 4, 6, 8),
}
DEFAULTS = {"arm-threshold": 20, "arm-length": 16, "cost-threshold": 60, "lr-max-diff": 0}
# Columns and rows per matched pixel.
FACTORS = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4),
               (6, 6), (8, 8))
SIZES = ((320, 240, 16), (384, 288, 16), (450, 375, 64), (640, 480, 64), (1280, 720, 128),
             (1920, 1080, 128))
TEDDY, LARGE = (450, 375, 64), SIZES[-1]
# Voting regions: label, properties, disparities. With a threshold of 255 regions are squares.
COUNTED = (
    ("regions", "", 64),
    ("regions, 2x2 sampling", "sampling-x=2 sampling-y=2", 64),
    ("regions, 3x3 sampling", "sampling-x=3 sampling-y=3", 64),
    ("9x9 pixels", "arm-threshold=255 arm-length=4", 256),
    ("17x17 pixels", "arm-threshold=255 arm-length=8", 256),
    ("33x33 pixels", "arm-threshold=255 arm-length=16", 256),
)
# Stages with the paper's milliseconds for 450x375x64 on a GeForce 8800 GTX.
STAGES = (
    ("crosses", ("crosses",), 5.0),
    ("aggregation, winners", ("aggregate",), 52.5),
    ("check, vote, border, median", ("check", "vote", "border", "restore", "median"), 3.1 + 1.3),
)
PAPERS_GPU = "GeForce 8800 GTX (paper)"
VOTE_STAGES = ("check", "vote", "border", "restore")


def measure_errors(program):
    save("experiments-bfv", {
            "errors": compare(program, ERRORS),
            "sampling": sweep(program, "bfv", [("sampling-x", SAMPLING),
                                               ("sampling-y", SAMPLING)]),
            "parameters": [dict(sweep(program, setup, [(parameter, values)]), setup=setup,
                                parameter=parameter)
                           for setup in (BITWISE, HISTOGRAM)
                           for parameter, values in PARAMETERS.items()]})


def bench(program, arguments):
    """The published figures of a run of stereo-bench, without local paths."""
    command = ["--format", "RGB", "--copy-mib", "0"] + arguments
    report = json_of(program, command)
    folder = datasets("middlebury-v2", "")
    results = [{"label": r["label"], "workload": [r["width"], r["height"], r["num-disparities"]],
                "backend": r["backend"],
                "device": {k: r["device"][k] for k in ("median-ms", "min-ms")},
                "host-ms": r["host"] and r["host"]["median-ms"],
                "frames-per-s": r["pipelined"] and r["pipelined"]["frames-per-s"],
                "bytes": r["device-bytes"] or r["host-bytes"],
                "stages": {s["stage"]: {k: s[k] for k in ("median-ms", "min-ms")}
                           for s in r["profiled"]["stages"]}}
               for r in report["results"]]
    return {"command": shlex.join(["stereo-bench", "--json"] + [
                "middlebury-v2/" + a[len(folder):] if a.startswith(folder) else a
                for a in command]),
            "devices": report["devices"], "results": results}


def sampled(x, y):
    return "bfv" if (x, y) == (1, 1) else "bfv sampling-x=%d sampling-y=%d" % (x, y)


def voting(properties, vote):
    return " ".join(["bfv"] + properties.split() + ["vote=" + vote])


def measure_times(program, machine, arguments):
    teddy = ["--images"] + [datasets("middlebury-v2", "teddy", view + ".png")
                            for view in ("left", "right")]
    sizes = sum((["--size", size_of(size)] for size in SIZES), [])
    counts = sorted({disparities for _, _, disparities in COUNTED})
    data = {
        "sizes": bench(program, [sampled(s, s) for s in (1, 2, 3)] + sizes + arguments),
        "sampling": [bench(program, [sampled(x, y) for x, y in FACTORS] + images + arguments)
                     for images in (teddy + ["--disparities", "64"], ["--size", size_of(LARGE)])],
        "votes": [bench(program, [voting(properties, vote)
                                  for _, properties, disparities in COUNTED
                                  if disparities == count for vote in VOTES.values()]
                        + teddy + ["--disparities", str(count)] + arguments)
                  for count in counts]}
    save("experiments-bfv-" + machine, data)


def machines():
    """(data, device) for each device of each machine."""
    return [(data, device) for data in load_all("experiments-bfv-*")
            for device in data["sizes"]["devices"]]


def timed(report, device, setup, workload=None):
    """The result of a setup on a device, or None."""
    return next((r for r in report["results"]
                 if r["backend"] == device["backend"] and r["label"] == setup
                 and workload in (None, tuple(r["workload"]))), None)


def which(device):
    """The fastest frame on a CPU, where other programs slow frames down; the median on CUDA."""
    return "min-ms" if device["backend"] == "cpu" else "median-ms"


def time_on(device, result):
    return result and result["device"][which(device)]


def stages_on(device, result, stages):
    return result and sum(result["stages"][s][which(device)] for s in stages
                          if s in result["stages"])


def rate(workload, ms):
    return ms and workload[0] * workload[1] * workload[2] / ms / 1e3


def published(setup, workload=None):
    """The paper's average of 12, or its rate for a workload."""
    for entry in load("published-speed" if workload else "published"):
        if entry["setup"] == setup and "scene" not in entry and workload in (
                None, tuple(entry.get("workload", ()))):
            return entry["mde-per-s" if workload else "value"]
    return None


def errors_table(data):
    rows = []
    for setup in ERRORS:
        found = data["errors"]["setups"][setup]
        wanted = published(setup)
        rows.append([re.sub(r"sampling-x=(.) sampling-y=(.)", r"\1x\2", setup[len("bfv "):]) or "bitwise"]
                    + ["%.2f" % found["scenes"][s][r] for s in SCENES for r in REGIONS]
                    + ["**%.2f**" % found["average"], "-" if wanted is None else "%.2f" % wanted])
    return table([""] + [(s + " " + r if r == REGIONS[0] else r) for s in SCENES for r in REGIONS]
                 + ["average", "published"], rows)


def sampling_table(data):
    known = machines()
    errors = {(p["sampling-x"], p["sampling-y"]): p for p in data["sampling"]["points"]}
    rows = []
    for factor in FACTORS:
        row = ["%dx%d" % factor] + ["%.2f" % errors[factor][what]
                                    for what in ("average",) + REGIONS]
        for timings, device in known:
            for report in timings["sampling"]:
                ms, full = (time_on(device, timed(report, device, sampled(*f)))
                            for f in (factor, FACTORS[0]))
                row.append("%s (%.1f)" % (number(ms), full / ms))
        rows.append(row)
    header = ["sampling", "average"] + list(REGIONS)
    for _, device in known:
        name = device["device"].split(",")[0]
        header += [name + ", " + size_of(workload) for workload in (TEDDY, LARGE)]
    return table(header, rows)


def sizes_table():
    known = machines()
    rows = []
    for s in (1, 2, 3):
        for workload in SIZES:
            row = [size_of(workload) + ("" if s == 1 else ", %dx%d" % (s, s)),
                   number(published(sampled(s, s), workload))]
            for data, device in known:
                ms = time_on(device, timed(data["sizes"], device, sampled(s, s), workload))
                row += [number(ms), number(rate(workload, ms))]
            rows.append(row)
    header = ["", PAPERS_GPU + ", Mde/s"]
    for _, device in known:
        header += [device["device"] + ", ms", "Mde/s"]
    return table(header, rows)


def stages_table():
    known = machines()
    rows = [[label, number(wanted)]
            + [number(stages_on(device, timed(data["sampling"][0], device, "bfv"), stages))
               for data, device in known] for label, stages, wanted in STAGES]
    return table(["", PAPERS_GPU] + [device["device"] for _, device in known], rows)


def votes_table():
    known = machines()
    rows = []
    for label, properties, disparities in COUNTED:
        row = [label, str(disparities)]
        for data, device in known:
            found = [timed(report, device, voting(properties, vote), TEDDY[:2] + (disparities,))
                     for vote in VOTES.values() for report in data["votes"]]
            bitwise, histogram = (stages_on(device, r, VOTE_STAGES) for r in found if r)
            row += [number(bitwise), number(histogram), "%.1f" % (histogram / bitwise)]
        rows.append(row)
    header = ["votes of", "disparities"]
    for _, device in known:
        header += [device["device"] + ", bitwise", "histogram", "ratio"]
    return table(header, rows)


def sampling_figure(data):
    points = data["sampling"]["points"]
    error = svgplot.Plot("error over sampling", "rows per matched pixel (sampling-y)", ERROR,
                         y_range=(6, 36))
    for x in SAMPLING:
        error.line("sampling-x %d" % x, [(p["sampling-y"], p["average"]) for p in points
                                         if p["sampling-x"] == x])
    speed = svgplot.Plot("speed over sampling", "columns and rows per matched pixel",
                         "speed relative to 1x1")
    plots = []
    errors = {(p["sampling-x"], p["sampling-y"]): p["average"] for p in points}
    for timings, device in machines():
        for report, workload in zip(timings["sampling"], (TEDDY, LARGE)):
            times_of = {factor: time_on(device, timed(report, device, sampled(*factor)))
                        for factor in FACTORS}
            speed.line("%s, %s" % (device["device"], size_of(workload)),
                       [(x, times_of[1, 1] / ms) for (x, y), ms in times_of.items() if x == y])
        plot = svgplot.Plot("error over time, %s" % device["device"],
                            "time of %s, ms" % size_of(LARGE), ERROR, x_log=True,
                            y_range=(6, 16))
        plot.points([("%dx%d" % factor, ms, errors[factor]) for factor, ms in times_of.items()])
        plots.append(plot)
    plots = [error] + ([speed] if plots else []) + plots
    return svgplot.figure(plots, "Errors of bfv on Middlebury version 2 over the sampling, and "
                          "its times")


def parameters_figure(data):
    plots = []
    for parameter in PARAMETERS:
        plot = svgplot.Plot("error over " + parameter, parameter, ERROR,
                            x_log=parameter != "lr-max-diff", y_range=(7, 12))
        for entry in data["parameters"]:
            if entry["parameter"] == parameter:
                plot.line(VOTES[entry["setup"]], [(p[parameter], p["average"])
                                                  for p in entry["points"]])
        plot.mark("default", DEFAULTS[parameter])
        plots.append(plot)
    return svgplot.figure(plots, "Errors of bfv on Middlebury version 2 over its parameters")


def measure(program, arguments):
    """Errors with stereo-eval, or, with the name of a machine, times with stereo-bench."""
    if arguments:
        measure_times(program, arguments[0], arguments[1:])
    else:
        measure_errors(program)


def generate():
    data = load("experiments-bfv")
    tables = {"errors": errors_table(data), "sampling": sampling_table(data),
              "sizes": sizes_table(), "stages": stages_table(), "votes": votes_table()}
    return {os.path.join(IMAGES, "bfv-sampling.svg"): sampling_figure(data),
            os.path.join(IMAGES, "bfv-parameters.svg"): parameters_figure(data),
            PAGE: with_tables(PAGE, tables)}
