# gst-stereomatching: the temporal filter's table of the page on choosing a matcher
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table `steady` of docs/choosing.md, from docs/data/steady.json: the effect of temporal=4.

The Python module of this tree matches scenes rendered by stereotestsrc.
"""

import os
import re
import subprocess
import sys

import choosing
from common import DOCS, load, patterns, save, table, with_tables

WIDTH, HEIGHT, FRAMES, DISPARITIES, SCALE = 640, 480, 30, 64, 16
# Frame interval and noise in grey levels; in `fast` everything moves three times as fast.
KINDS = {"clean": (1, 0), "noisy": (1, 6), "fast": (3, 0)}
TEMPORAL = 4


def render(program, pattern, view, kind):
    """All frames of a view, or of the true disparities."""
    import numpy
    step, noise = KINDS[kind]
    truth = view == "disparity"
    caps = "video/x-raw,format=%s,width=%d,height=%d" % (
        "GRAY16_LE" if truth else "GRAY8", WIDTH, HEIGHT)
    data = subprocess.run(
        [program, "-q", "stereotestsrc", "pattern=" + pattern, "view=" + view, "seed=1",
         "noise=%d" % (0 if truth else noise), "num-disparities=%d" % DISPARITIES,
         "disparity-scale=%d" % SCALE, "num-buffers=%d" % (step * FRAMES), "!", caps, "!", "fdsink"],
        check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(data, "<u2" if truth else "u1").reshape(-1, HEIGHT, WIDTH)[::step]


def maps(name, pairs, disparities, temporal):
    """Disparity maps of a sequence."""
    import stereomatching
    matcher = stereomatching.Matcher(name, backend="cpu", num_disparities=disparities,
                                     temporal=temporal)
    return [matcher(left, right).disparity for left, right in pairs]


def bad(found, truth):
    """Percentage of pixels with an error above one."""
    import numpy
    known = truth > 0
    wrong = [~(numpy.abs(d - t / SCALE) <= 1)[k] for d, t, k in zip(found, truth, known)]
    return 100 * float(numpy.mean(numpy.concatenate(wrong)))


def measure(program, wanted):
    """All matchers, or the named ones."""
    sys.path.insert(0, os.path.join(DOCS, "..", "python"))
    import stereomatching
    try:
        found = load("steady")["matchers"]
    except FileNotFoundError:
        found = {}
    video, disparities = choosing.frames()
    scenes = {(pattern, kind): [render(program, pattern, view, kind)
                                for view in ("left", "right", "disparity")]
              for pattern in patterns() for kind in KINDS}
    for name in wanted or stereomatching.algorithms():
        result = {"change": round(choosing.change(maps(name, video, disparities, TEMPORAL)), 4)}
        for (pattern, kind), (left, right, truth) in scenes.items():
            result.setdefault(kind, {})[pattern] = [
                round(bad(maps(name, zip(left, right), DISPARITIES, temporal), truth), 4)
                for temporal in (0, TEMPORAL)]
        found[name] = result
        save("steady", {"matchers": found})


def difference(before, after):
    """A signed difference; zero has no sign."""
    return re.sub(r"^[+-](?=0\.00$)", "", "%+.2f" % (after - before))


def steady_table(found, flicker):
    """Flicker without the filter is that of the table above it."""
    rows = []
    scenes = list(next(iter(found.values()))["clean"])
    for name, result in sorted(found.items(), key=lambda item: flicker[item[0]]):
        more = [" ".join(difference(*result[kind][pattern]) for kind in ("clean", "noisy"))
                for pattern in scenes]
        rows.append([name] + ["%.1f" % value for value in (flicker[name], result["change"])] + more)
    return table(["", "change, %", "with `temporal=%d`" % TEMPORAL] + scenes, rows)


def fast_text(found):
    """The largest increase of errors, and the number of cases without one."""
    cases = [(after - before, pattern, name) for name, result in found.items()
             for pattern, (before, after) in result["fast"].items()]
    most, pattern, name = max(cases)
    return ("At three times the speed, errors increase by at most %.2f percentage points (%s, %s), and "
            "do not\nincrease in %d of %d cases.\n"
            % (most, pattern, name, sum(case[0] <= 0 for case in cases), len(cases)))


def tables():
    found = load("steady")["matchers"]
    flicker = load("choosing")["flicker"]
    return {"steady": steady_table(found, flicker) + "\n" + fast_text(found)}


def generate():
    return {choosing.PAGE: with_tables(choosing.PAGE, tables())}
