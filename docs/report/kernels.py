# gst-stereomatching: the table of CUDA kernels
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/kernels.md, from docs/data/kernels.json, the output of
tests/launches/occupancy.py.
"""

import json
import os
import sys

from common import DOCS, load, output_of, save, table, with_tables

PAGE = os.path.join(DOCS, "kernels.md")


def measure(program, arguments):
    """program: tests/launches/occupancy.py; arguments: its own."""
    save("kernels", json.loads(output_of(sys.executable, [program] + arguments)))


def capability_name(capability):
    return "%s.%s" % (capability[:-1], capability[-1])


def cell(values):
    """Registers, shared memory and occupancy of a launch; an asterisk marks spills."""
    if values is None:
        return "-"
    _, registers, static, dynamic, spills, percent = values
    shared = (static + dynamic) / 1024
    text = "0" if not shared else "%.0f" % shared if shared >= 10 else "%.1f" % shared
    return "%d%s, %s, %d%%" % (registers, "*" if spills else "", text, percent)


def rows_of(data):
    """Kernels that several matchers launch alike are in one row, after the others."""
    users = {}
    for matcher, kernels in data["matchers"].items():
        for name, by_chip in kernels.items():
            users.setdefault((name, json.dumps(by_chip, sort_keys=True)), []).append(matcher)
    order = sorted(users, key=lambda key: (len(users[key]) > 1, users[key][0] if len(users[key]) == 1
                                           else "", key[0]))
    for name, by_chip in order:
        matchers = users[name, by_chip]
        found = json.loads(by_chip)
        threads = sorted({values[0] for values in found.values()})
        yield ([matchers[0] if len(matchers) == 1 else "%d matchers" % len(matchers),
                "`%s`" % name.split()[-1], " or ".join(str(n) for n in threads)]
               + [cell(found.get(capability)) for capability in data["chips"]])


def generate():
    data = load("kernels")
    header = ["matcher", "kernel", "threads"] + ["%s, %s" % (capability_name(capability), name)
                                                 for capability, name in data["chips"].items()]
    return {PAGE: with_tables(PAGE, {"kernels": table(header, list(rows_of(data)))})}
