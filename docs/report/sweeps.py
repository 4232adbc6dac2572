# gst-stereomatching: parameter sweeps
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of stereo-eval over setups and property ranges of the preset `paper`, on Middlebury version 2."""

import shlex

from common import REGIONS, datasets, json_of, paper

ERROR = "bad pixels, %, average of 12"


def runs_of(program, arguments):
    return json_of(program, arguments)["runs"]


def mean(run, measure, regions=REGIONS):
    values = [scene["regions"][r][measure] for scene in run["scenes"] for r in regions]
    return sum(values) / len(values)


def numbers(properties):
    """The numeric properties."""
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
    arguments = paper(setup).split()
    for name, values in sweeps:
        arguments += ["--sweep", "%s=%s" % (name, ",".join("%g" % v for v in values))]
    return {"command": "stereo-eval --json %s middlebury-v2" % " ".join(arguments),
            "points": [point(run) for run in runs_of(program, arguments + [datasets("middlebury-v2")])]}


def compare(program, setups):
    """The errors of setups in each scene and region."""
    found = {}
    runs = runs_of(program, ["--compare"] + [paper(setup) for setup in setups]
                   + [datasets("middlebury-v2")])
    for setup, run in zip(setups, runs):
        found[setup] = {
            "average": round(run["average-of-12"], 4),
            "scenes": {scene["scene"]: {region: round(scene["regions"][region]["bad-1"], 2)
                                        for region in REGIONS} for scene in run["scenes"]}}
    return {"command": "stereo-eval --json --compare %s middlebury-v2" % shlex.join(setups),
            "setups": found}
