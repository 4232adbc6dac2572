#!/usr/bin/env python3
# gst-stereomatching: makes the plots and tables of the pages of algorithms
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the plots in docs/images/ and tables in docs/algorithms/ from docs/data/experiments-*.json.

    make-experiments.py             draw the plots, write the tables
    make-experiments.py --check     fail when a plot or table is not what would be made
    make-experiments.py --measure PROGRAM [NAME ...]
        run stereo-eval, write the data of these algorithms (or of all), the plots and tables
    make-experiments.py --measure PROGRAM pyramid
        the same with stereo-bench, as pyramid's are times: of all numbers of threads, and on CUDA if
        there is a GPU
    make-experiments.py --times PROGRAM NAME MACHINE [ARGUMENT ...]
        run stereo-bench, write docs/data/experiments-NAME-MACHINE.json, the plots and tables; the
        arguments go to stereo-bench, such as --backend cuda

Tables are between two comments in the page, of which the first one names the table.

The scenes are those of Middlebury version 2, in $STEREO_DATASETS or ../shared/datasets. The slanted
plane is rendered by stereotestsrc: gst-launch-1.0 has to know the plugin.
"""

import datetime
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import experiments_pyramid
import svgplot

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
IMAGES = os.path.join(HERE, "images")
PAGES = os.path.join(HERE, "algorithms")
ERROR = "bad pixels, %, average of 12"
REGIONS = ("nonocc", "all", "disc")

# What esaw and esmp have in common: the iterations and bases, and the parameters with their values.
ITERATIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
BASES = (1.5, 1.8, 1.9, 2.1, 2.3, 2.6, 3)
SENSITIVITY = {
    "gamma-color": (4, 7, 10, 14, 17, 18, 20, 25, 32, 40, 60),
    "gamma-distance": (4, 8, 12, 18, 24, 29, 36, 48, 64, 100),
    "cost-threshold": (3, 5, 8, 10, 12, 15, 17, 20, 25, 35, 60),
}
MESSAGES = {
    "data-weight": (0.03, 0.05, 0.08, 0.1, 0.12, 0.15, 0.18, 0.22, 0.3, 0.45),
    "disc-truncation": (0, 0.01, 0.02, 0.03, 0.0375, 0.045, 0.06, 0.08, 0.12),
}
SETUPS = {"esaw": ("esaw", "esaw iterations=9 base=1.9"), "esmp": ("esmp",)}
PARAMETERS = {"esaw": SENSITIVITY, "esmp": dict(SENSITIVITY, **MESSAGES)}
DEFAULTS = {"esaw": {"gamma-color": 17, "gamma-distance": 36, "cost-threshold": 12},
            "esmp": {"gamma-color": 18, "gamma-distance": 29, "cost-threshold": 17,
                     "data-weight": 0.15, "disc-truncation": 0.0375}}
# Of each pass, for each pixel and disparity. A mean of three costs takes five: three products, two
# sums. A message takes six: the smallest cost (1), forwards (2), backwards (3).
OPERATIONS = {"esaw": 2 * 5, "esmp": 2 * (5 + 6)}

NAMES = tuple(SETUPS) + ("bfv",)        # with experiments
TIMED = ("bfv",)

# The slanted plane, in esmp's data.
NOISE = (0, 2, 4, 6, 8, 10, 12, 16)
SEEDS = (0, 1, 2)
SLANTED_SETUPS = ("esaw", "esaw iterations=9 base=1.9", "esmp")
SLANTED = "640x480, 64 disparities, seeds 0 to 2"

# What bfv's experiments are about.
SCENES = ("tsukuba", "venus", "teddy", "cones")
BITWISE, HISTOGRAM = "bfv", "bfv vote=histogram"
VOTES = {BITWISE: "bitwise", HISTOGRAM: "histogram"}
BFV_ERRORS = (BITWISE, HISTOGRAM, "bfv sampling-x=2 sampling-y=2", "bfv sampling-x=3 sampling-y=3")
BFV_SAMPLING = (1, 2, 3, 4, 6, 8)
BFV_PARAMETERS = {
    "arm-threshold": (5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 32, 40, 60),
    "arm-length": (4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48),
    "cost-threshold": (10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 160, 240),
    "lr-max-diff": (-1, 0, 1, 2, 3, 4, 6, 8),
}
BFV_DEFAULTS = {"arm-threshold": 20, "arm-length": 16, "cost-threshold": 60, "lr-max-diff": 0}
# Columns and rows for a sample.
BFV_FACTORS = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4),
               (6, 6), (8, 8))
BFV_SIZES = ((320, 240, 16), (384, 288, 16), (450, 375, 64), (640, 480, 64), (1280, 720, 128),
             (1920, 1080, 128))
TEDDY, LARGE = (450, 375, 64), BFV_SIZES[-1]
# Where votes are counted: what it is called, properties, disparities. With a threshold of 255 all
# pixels are similar and regions are squares.
BFV_VOTES = (
    ("regions", "", 64),
    ("regions, 2x2 sampling", "sampling-x=2 sampling-y=2", 64),
    ("regions, 3x3 sampling", "sampling-x=3 sampling-y=3", 64),
    ("9x9 pixels", "arm-threshold=255 arm-length=4", 256),
    ("17x17 pixels", "arm-threshold=255 arm-length=8", 256),
    ("33x33 pixels", "arm-threshold=255 arm-length=16", 256),
)
# Stages of the paper and their times for 450x375x64 on a GeForce 8800 GTX, in milliseconds.
BFV_STAGES = (
    ("crosses", ("crosses",), 5.0),
    ("aggregation, winners", ("aggregate",), 52.5),
    ("check, vote, border, median", ("check", "vote", "border", "restore", "median"), 3.1 + 1.3),
)
PAPERS_GPU = "GeForce 8800 GTX (paper)"
VOTE_STAGES = ("check", "vote", "border", "restore")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def data_file(name):
    return os.path.join(DATA, "experiments-%s.json" % name)


def evaluate(program, arguments):
    output = subprocess.run([program, "--json"] + arguments, check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return json.loads(output)["runs"]


def mean(run, measure, regions=REGIONS):
    values = [scene["regions"][r][measure] for scene in run["scenes"] for r in regions]
    return sum(values) / len(values)


def numbers(properties):
    """Those that are numbers."""
    found = {}
    for name, value in properties.items():
        try:
            found[name] = float(value)
        except ValueError:
            pass
    return found


def point(run):
    properties = numbers(run["properties"])
    return dict(properties, average=round(run["average-of-12"], 4),
                **{region: round(mean(run, "bad-1", (region,)), 3) for region in REGIONS})


def sweep(program, setup, sweeps):
    """The errors for all combinations of [(property, values)]."""
    arguments = setup.split()
    for name, values in sweeps:
        arguments += ["--sweep", "%s=%s" % (name, ",".join("%g" % v for v in values))]
    return {"command": "stereo-eval --json %s middlebury-v2" % " ".join(arguments),
            "points": [point(run) for run in evaluate(program, arguments + [scenes()])]}


def scenes():
    return os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets",
                        "middlebury-v2")


def render(folder, noise, seed):
    """left.png, right.png and truth.png, which has 256 levels for a pixel."""
    source = "stereotestsrc pattern=slanted num-disparities=64 num-buffers=1 seed=%d" % seed
    size = "width=640,height=480"
    for view in ("left", "right"):
        launch("%s view=%s noise=%g ! video/x-raw,format=RGB,%s ! pngenc ! filesink location=%s"
               % (source, view, noise, size, os.path.join(folder, view + ".png")))
    launch("%s view=disparity disparity-scale=256 ! video/x-raw,format=GRAY16_LE,%s ! videoconvert "
           "! video/x-raw,format=GRAY16_BE ! pngenc ! filesink location=%s" % (source, size, os.path.join(folder, "truth.png")))


def launch(line):
    subprocess.run(["gst-launch-1.0", "-q"] + line.split(), check=True)


def slanted(program):
    found = []
    for noise in NOISE:
        sums = {}
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                render(folder, noise, seed)
                files = {name: os.path.join(folder, name + ".png")
                         for name in ("left", "right", "truth")}
                for run in evaluate(program, [
                        "--left", files["left"], "--right", files["right"],
                        "--truth", files["truth"], "--truth-scale", "256", "--compare"]
                        + [setup + " num-disparities=64" for setup in SLANTED_SETUPS]):
                    setup = run["label"].replace(" num-disparities=64", "")
                    values = run["scenes"][0]["regions"]["all"]
                    sums.setdefault(setup, []).append((values["bad-1"], values["mean"]))
        for setup, values in sums.items():
            found.append({"noise": noise, "setup": setup,
                          "bad-1": round(sum(v[0] for v in values) / len(values), 3),
                          "mean": round(sum(v[1] for v in values) / len(values), 4)})
    return {"scene": "stereotestsrc pattern=slanted, " + SLANTED, "points": found}


def compare(program, setups):
    """The errors of setups in each scene and region."""
    found = {}
    for run in evaluate(program, ["--compare"] + list(setups) + [scenes()]):
        found[run["label"]] = {
            "average": round(run["average-of-12"], 4),
            "scenes": {scene["scene"]: {region: round(scene["regions"][region]["bad-1"], 2)
                                        for region in REGIONS} for scene in run["scenes"]}}
    return {"command": "stereo-eval --json --compare %s middlebury-v2" % shlex.join(setups),
            "setups": found}


def measure(program, name):
    data = {"date": datetime.date.today().isoformat()}
    data.update(measure_bfv(program) if name == "bfv" else measure_steps(program, name))
    write_json(data_file(name), data)


def measure_steps(program, name):
    data = {"passes": sweep(program, name, [("base", BASES), ("iterations", ITERATIONS)]),
            "parameters": [dict(sweep(program, setup, [(parameter, values)]), setup=setup,
                                parameter=parameter)
                           for setup in SETUPS[name]
                           for parameter, values in PARAMETERS[name].items()]}
    if name == "esmp":
        data["slanted"] = slanted(program)
    return data


def measure_bfv(program):
    votes = [voting(properties, vote) for _, properties, disparities in BFV_VOTES
             if disparities < 256 for vote in VOTES.values()]
    return {"errors": compare(program, dict.fromkeys(BFV_ERRORS + tuple(votes))),
            "sampling": sweep(program, "bfv", [("sampling-x", BFV_SAMPLING),
                                               ("sampling-y", BFV_SAMPLING)]),
            "parameters": [dict(sweep(program, setup, [(parameter, values)]), setup=setup,
                                parameter=parameter)
                           for setup in (BITWISE, HISTOGRAM)
                           for parameter, values in BFV_PARAMETERS.items()]}


def write_json(path, data):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return "unknown processor"


def bench(program, arguments):
    """What there is to say of a run of stereo-bench, and nothing of where its files lie."""
    command = ["--json", "--format", "RGB", "--copy-mib", "0"] + arguments
    report = json.loads(subprocess.run([program] + command, check=True, stdout=subprocess.PIPE,
                                       text=True).stdout)
    folder = os.path.join(scenes(), "")
    results = [{"label": r["label"], "workload": [r["width"], r["height"], r["num-disparities"]],
                "backend": r["backend"],
                "device": {k: r["device"][k] for k in ("median-ms", "min-ms")},
                "host-ms": r["host"] and r["host"]["median-ms"],
                "frames-per-s": r["pipelined"] and r["pipelined"]["frames-per-s"],
                "bytes": r["device-bytes"] or r["host-bytes"],
                "stages": {s["stage"]: {k: s[k] for k in ("median-ms", "min-ms")}
                           for s in r["profiled"]["stages"]}}
               for r in report["results"]]
    return {"command": shlex.join(["stereo-bench"] + [
                "middlebury-v2/" + a[len(folder):] if a.startswith(folder) else a
                for a in command]),
            "devices": report["devices"], "results": results}


def sampled(x, y):
    return "bfv" if (x, y) == (1, 1) else "bfv sampling-x=%d sampling-y=%d" % (x, y)


def voting(properties, vote):
    return " ".join(["bfv"] + properties.split() + ["vote=" + vote])


def times(program, name, machine, arguments):
    teddy = ["--images"] + [os.path.join(scenes(), "teddy", view + ".png")
                            for view in ("left", "right")]
    sizes = sum((["--size", size_of(size)] for size in BFV_SIZES), [])
    counts = sorted({disparities for _, _, disparities in BFV_VOTES})
    data = {
        "date": datetime.date.today().isoformat(), "processor": processor(),
        "sizes": bench(program, [sampled(s, s) for s in (1, 2, 3)] + sizes + arguments),
        "sampling": [bench(program, [sampled(x, y) for x, y in BFV_FACTORS] + images + arguments)
                     for images in (teddy + ["--disparities", "64"], ["--size", size_of(LARGE)])],
        "votes": [bench(program, [voting(properties, vote)
                                  for _, properties, disparities in BFV_VOTES
                                  if disparities == count for vote in VOTES.values()]
                        + teddy + ["--disparities", str(count)] + arguments)
                  for count in counts]}
    write_json(data_file("%s-%s" % (name, machine)), data)


def best_of(points):
    """For each number of iterations the point of the best base."""
    found = {}
    for p in points:
        old = found.get(p["iterations"])
        if old is None or p["average"] < old["average"]:
            found[p["iterations"]] = p
    return [found[t] for t in sorted(found)]


def passes_figure(name, data):
    points = data["passes"]["points"]
    iterations = svgplot.Plot("error over iterations", "iterations", ERROR, y_range=(6, 26))
    bases = svgplot.Plot("error over base", "base", ERROR, y_range=(6, 26))
    for base in sorted({p["base"] for p in points}):
        iterations.line("base %g" % base, [(p["iterations"], p["average"]) for p in points
                                           if p["base"] == base])
    for t in (3, 4, 5, 6, 7, 8, 9):
        bases.line("%d iterations" % t, [(p["base"], p["average"]) for p in points
                                         if p["iterations"] == t])
    return svgplot.figure([iterations, bases], "Errors of %s on Middlebury version 2 over the "
                          "number of iterations and the base of the steps" % name)


def parameters_figure(name, data):
    plots = []
    highest = max(7, *(p["average"] for entry in data["parameters"] for p in entry["points"]))
    for parameter in PARAMETERS[name]:
        logarithmic = parameter != "disc-truncation"
        plot = svgplot.Plot("error over " + parameter, parameter, ERROR, x_log=logarithmic,
                            y_range=(6, min(16, highest)))
        for entry in data["parameters"]:
            if entry["parameter"] == parameter:
                label = entry["setup"] if len(SETUPS[name]) > 1 else ""
                plot.line(label, [(p[parameter], p["average"]) for p in entry["points"]])
        plot.mark("default", DEFAULTS[name][parameter])
        plots.append(plot)
    return svgplot.figure(plots, "Errors of %s on Middlebury version 2 over its parameters" % name)


def operations_figure(found):
    plot = svgplot.Plot("error over operations", "operations for a pixel and disparity", ERROR,
                        x_range=(0, 220), y_range=(6, 20))
    for name, data in found.items():
        best = best_of(data["passes"]["points"])
        plot.line(name, [(OPERATIONS[name] * p["iterations"], p["average"]) for p in best])
    return svgplot.figure([plot], "Errors of %s on Middlebury version 2 over the operations for a "
                          "pixel and disparity" % " and ".join(found))


def slanted_figure(data):
    bad = svgplot.Plot("slanted plane, %s" % SLANTED, "noise, grey levels",
                       "bad pixels, %")
    off = svgplot.Plot("the same, mean error", "noise, grey levels", "mean error, pixels")
    for setup in SLANTED_SETUPS:
        points = [p for p in data["slanted"]["points"] if p["setup"] == setup]
        bad.line(setup, [(p["noise"], p["bad-1"]) for p in points])
        off.line(setup, [(p["noise"], p["mean"]) for p in points])
    return svgplot.figure([bad, off], "Errors of esaw and esmp on a slanted plane over the noise "
                          "of the cameras")


# bfv ---------------------------------------------------------------------------------------------


def machines(name):
    """What was timed: data and device, each device of each machine."""
    return [(data, device) for path in sorted(glob.glob(data_file(name + "-*")))
            for data in (load(path),) for device in data["sizes"]["devices"]]


def timed(report, device, setup, workload=None):
    """The result of a setup on a device, None if there is none."""
    return next((r for r in report["results"]
                 if r["backend"] == device["backend"] and r["label"] == setup
                 and workload in (None, tuple(r["workload"]))), None)


def which(device):
    """Of a CPU the fastest frame, as anything else that runs there slows the others."""
    return "min-ms" if device["backend"] == "cpu" else "median-ms"


def time_on(device, result):
    return result and result["device"][which(device)]


def stages_on(device, result, stages):
    return result and sum(result["stages"][s][which(device)] for s in stages
                          if s in result["stages"])


def size_of(workload):
    return "%dx%dx%d" % tuple(workload)


def rate(workload, ms):
    return ms and workload[0] * workload[1] * workload[2] / ms / 1e3


def number(value):
    """About three digits."""
    if value is None:
        return "-"
    if value >= 100:
        return "%.0f" % value
    return "%.*f" % (1 if value >= 10 else 2 if value >= 1 else 3, value)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def published(setup, workload=None):
    """What the paper has: the average of 12, or with a workload the rate."""
    for entry in load(os.path.join(DATA, "published-speed.json" if workload
                                   else "published.json")):
        if entry["setup"] == setup and "scene" not in entry and workload in (
                None, tuple(entry.get("workload", ()))):
            return entry["mde-per-s" if workload else "value"]
    return None


def errors_table(data):
    rows = []
    for setup in BFV_ERRORS:
        found = data["errors"]["setups"][setup]
        wanted = published(setup)
        rows.append(["`%s`" % setup]
                    + ["%.2f" % found["scenes"][s][r] for s in SCENES for r in REGIONS]
                    + ["**%.2f**" % found["average"], "-" if wanted is None else "%.2f" % wanted])
    return table([""] + [(s + " " + r if r == REGIONS[0] else r) for s in SCENES for r in REGIONS]
                 + ["average", "published"], rows)


def sampling_table(data):
    known = machines("bfv")
    errors = {(p["sampling-x"], p["sampling-y"]): p for p in data["sampling"]["points"]}
    rows = []
    for factor in BFV_FACTORS:
        row = ["%dx%d" % factor] + ["%.2f" % errors[factor][what]
                                    for what in ("average",) + REGIONS]
        for timings, device in known:
            for report in timings["sampling"]:
                ms, full = (time_on(device, timed(report, device, sampled(*f)))
                            for f in (factor, BFV_FACTORS[0]))
                row.append("%s (%.1f)" % (number(ms), full / ms))
        rows.append(row)
    header = ["sampling", "average"] + list(REGIONS)
    for _, device in known:
        name = device["device"].split(",")[0]
        header += [name + ", " + size_of(workload) for workload in (TEDDY, LARGE)]
    return table(header, rows)


def sizes_table():
    known = machines("bfv")
    rows = []
    for s in (1, 2, 3):
        for workload in BFV_SIZES:
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
    known = machines("bfv")
    rows = [[label, number(wanted)]
            + [number(stages_on(device, timed(data["sampling"][0], device, "bfv"), stages))
               for data, device in known] for label, stages, wanted in BFV_STAGES]
    return table(["", PAPERS_GPU] + [device["device"] for _, device in known], rows)


def votes_table():
    known = machines("bfv")
    rows = []
    for label, properties, disparities in BFV_VOTES:
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


def vote_errors_table(data):
    rows = []
    for label, properties, disparities in BFV_VOTES:
        if disparities < 256:
            row = [label]
            for vote in VOTES.values():
                found = data["errors"]["setups"][voting(properties, vote)]
                row.append("%.2f" % found["average"])
            rows.append(row)
    return table(["votes of"] + list(VOTES.values()), rows)


def tables(name, data):
    """{name of the table: its text}"""
    if name != "bfv":
        return {}
    return {"errors": errors_table(data), "sampling": sampling_table(data),
            "sizes": sizes_table(), "stages": stages_table(), "votes": votes_table(),
            "vote-errors": vote_errors_table(data)}


def sampling_figure(data):
    points = data["sampling"]["points"]
    error = svgplot.Plot("error over sampling", "rows for a sample (sampling-y)", ERROR,
                         y_range=(6, 36))
    for x in BFV_SAMPLING:
        error.line("sampling-x %d" % x, [(p["sampling-y"], p["average"]) for p in points
                                         if p["sampling-x"] == x])
    speed = svgplot.Plot("speed over sampling", "columns and rows for a sample",
                         "times as fast as 1x1")
    plots = []
    errors = {(p["sampling-x"], p["sampling-y"]): p["average"] for p in points}
    for timings, device in machines("bfv"):
        for report, workload in zip(timings["sampling"], (TEDDY, LARGE)):
            times_of = {factor: time_on(device, timed(report, device, sampled(*factor)))
                        for factor in BFV_FACTORS}
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


def bfv_parameters_figure(data):
    plots = []
    for parameter in BFV_PARAMETERS:
        plot = svgplot.Plot("error over " + parameter, parameter, ERROR,
                            x_log=parameter != "lr-max-diff", y_range=(7, 12))
        for entry in data["parameters"]:
            if entry["parameter"] == parameter:
                plot.line(VOTES[entry["setup"]], [(p[parameter], p["average"])
                                                  for p in entry["points"]])
        plot.mark("default", BFV_DEFAULTS[parameter])
        plots.append(plot)
    return svgplot.figure(plots, "Errors of bfv on Middlebury version 2 over its parameters")


# -------------------------------------------------------------------------------------------------


def figures():
    """{name of the file: its text}"""
    found = {name: load(data_file(name)) for name in SETUPS}
    result = {}
    for name, data in found.items():
        result[name + "-passes.svg"] = passes_figure(name, data)
        result[name + "-parameters.svg"] = parameters_figure(name, data)
    result["expstep-operations.svg"] = operations_figure(found)
    result["esmp-slanted.svg"] = slanted_figure(found["esmp"])
    bfv = load(data_file("bfv"))
    result["bfv-sampling.svg"] = sampling_figure(bfv)
    result["bfv-parameters.svg"] = bfv_parameters_figure(bfv)
    result.update(experiments_pyramid.figures())
    return result


def page(name):
    """The text of a page with its tables."""
    text = read(os.path.join(PAGES, name + ".md"))
    for key, made in tables(name, load(data_file(name))).items():
        begin, end = "<!-- Table %s, made by docs/make-experiments.py -->\n" % key, "<!-- end -->"
        place = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if len(place.findall(text)) != 1:
            sys.exit("%s.md has no place for the table %s, or several" % (name, key))
        text = place.sub(lambda _: begin + "\n" + made + "\n" + end, text)
    return text


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "--measure":
        for name in arguments[2:] or NAMES:
            if name == experiments_pyramid.NAME:
                experiments_pyramid.measure(arguments[1])
            elif name in NAMES:
                measure(arguments[1], name)
            else:
                sys.exit("%s has no experiments; %s have" % (name, ", ".join(
                    NAMES + (experiments_pyramid.NAME,))))
    elif len(arguments) >= 4 and arguments[0] == "--times":
        if arguments[2] not in TIMED:
            sys.exit("%s has no times; %s has" % (arguments[2], ", ".join(TIMED)))
        times(arguments[1], arguments[2], arguments[3], arguments[4:])
    elif arguments and arguments != ["--check"]:
        sys.exit(__doc__)
    stale = []
    made = {os.path.join(IMAGES, name): text for name, text in figures().items()}
    made.update((os.path.join(PAGES, name + ".md"), page(name)) for name in NAMES)
    made[experiments_pyramid.PAGE] = experiments_pyramid.page()
    for path, text in made.items():
        if read(path) == text:
            continue
        if arguments == ["--check"]:
            stale.append(os.path.relpath(path, HERE))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit("%s in docs/ not what docs/make-experiments.py makes of docs/data/; run it"
                 % ", ".join(stale))


if __name__ == "__main__":
    main()
