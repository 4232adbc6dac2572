#!/usr/bin/env python3
# gst-stereomatching: makes the plots of the pages of algorithms
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the plots in docs/images/ from docs/data/experiments-*.json.

    make-experiments.py                            draw the plots
    make-experiments.py --check                    fail when a plot is not what would be drawn
    make-experiments.py --measure PROGRAM [NAME ...]
        run stereo-eval, write the data of these algorithms (or of all) and the plots
    make-experiments.py --measure PROGRAM pyramid
        the same with stereo-bench, as pyramid's are times: of all numbers of threads, and on CUDA if
        there is a GPU

The scenes are those of Middlebury version 2, in $STEREO_DATASETS or ../shared/datasets. The slanted
plane is rendered by stereotestsrc: gst-launch-1.0 has to know the plugin.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile

import experiments_pyramid
import svgplot

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
IMAGES = os.path.join(HERE, "images")
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

# The slanted plane, in esmp's data.
NOISE = (0, 2, 4, 6, 8, 10, 12, 16)
SEEDS = (0, 1, 2)
SLANTED_SETUPS = ("esaw", "esaw iterations=9 base=1.9", "esmp")
SLANTED = "640x480, 64 disparities, seeds 0 to 2"


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


def point(run):
    properties = {name: float(value) for name, value in run["properties"].items()}
    return dict(properties, average=round(run["average-of-12"], 3),
                **{region: round(mean(run, "bad-1", (region,)), 3) for region in REGIONS})


def sweep(program, setup, sweeps):
    """The errors for all combinations of [(property, values)]."""
    arguments = setup.split()
    for name, values in sweeps:
        arguments += ["--sweep", "%s=%s" % (name, ",".join("%g" % v for v in values))]
    scenes = os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets",
                          "middlebury-v2")
    return {"command": "stereo-eval --json %s middlebury-v2" % " ".join(arguments),
            "points": [point(run) for run in evaluate(program, arguments + [scenes])]}


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


def measure(program, name):
    data = {"date": datetime.date.today().isoformat(),
            "passes": sweep(program, name, [("base", BASES), ("iterations", ITERATIONS)]),
            "parameters": [dict(sweep(program, setup, [(parameter, values)]), setup=setup,
                                parameter=parameter)
                           for setup in SETUPS[name]
                           for parameter, values in PARAMETERS[name].items()]}
    if name == "esmp":
        data["slanted"] = slanted(program)
    with open(data_file(name), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


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


def figures():
    """{name of the file: its text}"""
    found = {name: load(data_file(name)) for name in SETUPS}
    result = {}
    for name, data in found.items():
        result[name + "-passes.svg"] = passes_figure(name, data)
        result[name + "-parameters.svg"] = parameters_figure(name, data)
    result["expstep-operations.svg"] = operations_figure(found)
    result["esmp-slanted.svg"] = slanted_figure(found["esmp"])
    result.update(experiments_pyramid.figures())
    return result


def pages():
    """{path of a page with tables: its text}"""
    return {experiments_pyramid.PAGE: experiments_pyramid.page()}


def main():
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "--measure":
        for name in arguments[2:] or SETUPS:
            if name == experiments_pyramid.NAME:
                experiments_pyramid.measure(arguments[1])
            elif name in SETUPS:
                measure(arguments[1], name)
            else:
                sys.exit("%s has no experiments; %s have" % (name, ", ".join(
                    list(SETUPS) + [experiments_pyramid.NAME])))
    elif arguments and arguments != ["--check"]:
        sys.exit(__doc__)
    stale = []
    made = {os.path.join(IMAGES, name): text for name, text in figures().items()}
    made.update(pages())
    for path, text in made.items():
        if arguments == ["--check"]:
            old = ""
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    old = file.read()
            if old != text:
                stale.append(os.path.relpath(path, HERE))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit("%s in docs/ not what docs/make-experiments.py makes of docs/data/; run it"
                 % ", ".join(stale))


if __name__ == "__main__":
    main()
