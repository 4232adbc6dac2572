# gst-stereomatching: the experiments of esaw and esmp
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors over iterations, bases and parameters, and on a slanted plane.

stereotestsrc renders the plane: gst-launch-1.0 must find the plugin.
"""

import os
import subprocess
import tempfile

import svgplot
from common import IMAGES, load, save
from sweeps import ERROR, runs_of, sweep

# Swept by both: iterations, bases, and parameters with their values.
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
# The paper's cost, and no refinement except the median.
PAPER = "cost=luma subpixel=false lr-max-diff=-1 speckle-size=0 refine=none base=%g "
PAPERS = {"esaw": PAPER % 2.6, "esmp": PAPER % 1.8}
# Operations per pass, pixel and disparity. A mean of three costs: three products, two sums.
# A message: smallest cost (1), forwards (2), backwards (3).
OPERATIONS = {"esaw": 2 * 5, "esmp": 2 * (5 + 6)}

# The slanted plane, in esmp's data.
NOISE = (0, 2, 4, 6, 8, 10, 12, 16)
SEEDS = (0, 1, 2)
SLANTED_SETUPS = ("esaw", "esaw iterations=9 base=1.9", "esmp")
SLANTED = "640x480, 64 disparities, seeds 0 to 2"


def paper(setup):
    """The setup with the paper's values; its own properties come last."""
    name, _, own = setup.partition(" ")
    values = "".join("%s=%g " % value for value in DEFAULTS[name].items())
    return ("%s %s%s%s" % (name, PAPERS[name], values, own)).strip()


def render(folder, noise, seed):
    """Writes left.png, right.png and truth.png (256 levels per pixel)."""
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
    labels = {paper(setup): setup for setup in SLANTED_SETUPS}
    for noise in NOISE:
        sums = {}
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                render(folder, noise, seed)
                files = {name: os.path.join(folder, name + ".png")
                         for name in ("left", "right", "truth")}
                for run in runs_of(program, [
                        "--left", files["left"], "--right", files["right"],
                        "--truth", files["truth"], "--truth-scale", "256", "--compare"]
                        + [paper(setup) + " num-disparities=64" for setup in SLANTED_SETUPS]):
                    setup = labels[run["label"].replace(" num-disparities=64", "")]
                    values = run["scenes"][0]["regions"]["all"]
                    sums.setdefault(setup, []).append((values["bad-1"], values["mean"]))
        for setup, values in sums.items():
            found.append({"noise": noise, "setup": setup,
                          "bad-1": round(sum(v[0] for v in values) / len(values), 3),
                          "mean": round(sum(v[1] for v in values) / len(values), 4)})
    return {"scene": "stereotestsrc pattern=slanted, " + SLANTED, "points": found}


def measure(program, name):
    data = {"passes": sweep(program, paper(name), [("base", BASES), ("iterations", ITERATIONS)]),
            "parameters": [dict(sweep(program, paper(setup), [(parameter, values)]), setup=setup,
                                parameter=parameter)
                           for setup in SETUPS[name]
                           for parameter, values in PARAMETERS[name].items()]}
    if name == "esmp":
        data["slanted"] = slanted(program)
    save("experiments-" + name, data)


def best_of(points):
    """The point of the best base for each number of iterations."""
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
    plot = svgplot.Plot("error over operations", "operations per pixel and disparity", ERROR,
                        x_range=(0, 220), y_range=(6, 20))
    for name, data in found.items():
        best = best_of(data["passes"]["points"])
        plot.line(name, [(OPERATIONS[name] * p["iterations"], p["average"]) for p in best])
    return svgplot.figure([plot], "Errors of %s on Middlebury version 2 over the operations per "
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


def generate():
    found = {name: load("experiments-" + name) for name in SETUPS}
    result = {}
    for name, data in found.items():
        result[name + "-passes.svg"] = passes_figure(name, data)
        result[name + "-parameters.svg"] = parameters_figure(name, data)
    result["expstep-operations.svg"] = operations_figure(found)
    result["esmp-slanted.svg"] = slanted_figure(found["esmp"])
    return {os.path.join(IMAGES, name): text for name, text in result.items()}
