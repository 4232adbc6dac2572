# gst-stereomatching: the table of bad pixels of the alignment page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/alignment.md, from docs/data/alignment.json, the output of
tests/accuracy/aligned.py --json.
"""

import json
import os
import sys

from common import DOCS, load, output_of, save, table, with_tables

PAGE = os.path.join(DOCS, "alignment.md")
KINDS = ("tiny", "small", "medium", "large")


def measure(program, arguments):
    """arguments: the algorithms, by default all."""
    save("alignment", json.loads(output_of(sys.executable, [program, "--json"] + arguments)))


def mean_of(values):
    return sum(values) / len(values)


def generate():
    scenes = load("alignment")["scenes"].values()
    rows = []
    for name in sorted(next(iter(scenes))):
        row = ["`stereo%s`" % name, "%.1f" % mean_of([scene[name]["undisturbed"] for scene in scenes])]
        for kind in KINDS:
            row.append("%.1f → %.1f" % tuple(mean_of([scene[name][kind][i] for scene in scenes])
                                             for i in (0, 1)))
        rows.append(row)
    made = table(["bad pixels, %", "undisturbed"] + list(KINDS), rows)
    return {PAGE: with_tables(PAGE, {"alignment": made})}
