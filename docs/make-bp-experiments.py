#!/usr/bin/env python3
# gst-stereomatching: makes docs/bp-experiments.md
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes docs/bp-experiments.md and its plot from docs/data/experiments-bp.json.

    make-bp-experiments.py                      write page and plot
    make-bp-experiments.py --check              fail when they are not what would be written
    make-bp-experiments.py --measure PROGRAM    run bench-bp-layouts, write data, page and plot
    make-bp-experiments.py --read FILE ...      the same from what it has printed elsewhere

It runs twice, and of each time the shorter one counts, as anything else that uses the GPU or the host
meanwhile makes times longer. The scenes are in $STEREO_DATASETS or ../shared/datasets.
"""

import datetime
import json
import os
import subprocess
import sys

import svgplot

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data", "experiments-bp.json")
PEERS = os.path.join(HERE, "data", "peers.json")
PAGE = os.path.join(HERE, "bp-experiments.md")
IMAGE = os.path.join(HERE, "images", "bp-layouts.svg")

# Folder, name, disparities, and what the paper has (Tables I and VI): milliseconds of Felzenszwalb's
# program with one thread of a Core i7-7700K, and of its own on a Tesla V100, with transfers.
SCENES = (
    ("middlebury-v2/tsukuba", "Tsukuba", 16, 155, 1.8),
    ("middlebury-v2/venus", "Venus", 21, 318, 2.4),
    ("middlebury-2001/barn1", "Barn1", 32, 507, 3.3),
    ("middlebury-v2/cones", "Cones, quarter size", 64, 1077, 8.2),
    ("middlebury-2003-half/cones_half", "Cones, half size", 128, 9055, 131.1),
)
ARGUMENTS = ["%s=%d" % (scene[0], scene[2]) for scene in SCENES]
SECONDS = "0.02"
RUNS = 2

# Rows: (what, what it is in the data). The first ones follow each other.
FLOAT, HALF, INT8 = "float", "half", "int8"


def variant(precision, layout, aligned=False, constant=False):
    return {"precision": precision, "layout": layout, "aligned": aligned, "constant": constant}


STEPS = (
    ("(y, x, disparity), 32 bits", variant(FLOAT, "pixels")),
    ("(y, disparity, x)", variant(FLOAT, "rows")),
    ("the colours of the checkerboard apart", variant(FLOAT, "halves")),
    ("number of disparities a constant", variant(FLOAT, "halves", False, True)),
    ("16 bits", variant(HALF, "halves", False, True)),
    ("rows aligned", variant(HALF, "halves", True, True)),
    ("8 bits", variant(INT8, "halves", True, True)),
)
LIBRARY = (("this project, `float`", FLOAT), ("this project, `half`", HALF),
           ("this project, `int8`", INT8))
PAPER = STEPS[5][1]
# What the best with 16 bits is without one of its steps.
WITHOUT = (
    ("the layout: (y, x, disparity)", variant(HALF, "pixels", False, True)),
    ("the constant", variant(HALF, "halves", True)),
    ("16 bits: with 32", variant(FLOAT, "halves", True, True)),
    ("alignment", variant(HALF, "halves", False, True)),
)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def command(program, folder):
    return [program, "--seconds", SECONDS] + [os.path.join(folder, a) for a in ARGUMENTS]


def entries(report):
    return [v for scene in report["scenes"] for v in scene["variants"] + scene["library"]]


def save(reports):
    """The first one, with the shortest times of all."""
    for report in reports:
        wrong = sum(v["wrong-pixels"] != 0 for v in entries(report))
        if wrong:
            sys.exit("%d maps are not those of the CPU" % wrong)
        if len(report["scenes"]) != len(SCENES):
            sys.exit("%d scenes, not %d" % (len(report["scenes"]), len(SCENES)))
    for same in zip(*(entries(report) for report in reports)):
        for key in same[0]:
            if key.endswith("-ms") and same[0][key] is not None:
                same[0][key] = min(v[key] for v in same)
    with open(DATA, "w", encoding="utf-8") as file:
        json.dump({"date": datetime.date.today().isoformat(), "report": reports[0]}, file, indent=1)
        file.write("\n")


def measure(program):
    folder = os.environ.get("STEREO_DATASETS") or "../shared/datasets"
    save([json.loads(subprocess.run(command(program, folder), check=True, stdout=subprocess.PIPE,
                                    text=True).stdout) for _ in range(RUNS)])


def number(value):
    """About three digits."""
    if value is None:
        return "-"
    if value >= 100:
        return "%.0f" % value
    return "%.*f" % (1 if value >= 10 else 2 if value >= 1 else 3, value)


def factor(before, after):
    if before is None or after is None:
        return "-"
    return "%.*f" % (1 if before / after >= 10 else 2, before / after)


def table(rows):
    """Rows of (words, cells), under the scenes."""
    lines = ["| | " + " | ".join(scene[1] for scene in SCENES) + " |",
             "|---|" + "---:|" * len(SCENES)]
    lines += ["| %s | " % words + " | ".join(cells) + " |" for words, cells in rows]
    return "\n".join(lines) + "\n"


def find(scene, wanted):
    """A variant, or of the library a precision."""
    if isinstance(wanted, str):
        return next(v for v in scene["library"] if v["precision"] == wanted)
    return next(v for v in scene["variants"] if all(v[key] == wanted[key] for key in wanted))


def times(report, wanted, key):
    return [find(scene, wanted)[key] for scene in report["scenes"]]


def compared(rows):
    """Of rows of (words, times), each with how much faster it is than the one before."""
    out = []
    before = None
    for words, values in rows:
        out.append((words, [number(v) if before is None else "%s (x %s)" % (number(v), factor(b, v))
                            for v, b in zip(values, before or values)]))
        before = values
    return table(out)


def steps_table(report):
    rows = [("%d. %s" % (i + 1, words), times(report, wanted, "device-ms"))
            for i, (words, wanted) in enumerate(STEPS + LIBRARY)]
    return compared(rows)


def total_table(report):
    rows = [("%s over 1" % (i + 1), [factor(a, b) for a, b in zip(
        times(report, STEPS[0][1], "device-ms"), times(report, wanted, "device-ms"))])
        for i, (_, wanted) in enumerate(STEPS + LIBRARY) if i >= 5]
    return table(rows)


def without_table(report):
    best = times(report, PAPER, "device-ms")
    return table([(words, [factor(a, b) for a, b in zip(times(report, wanted, "device-ms"), best)])
                  for words, wanted in WITHOUT])


def arena_table(report):
    parts = []
    for row, wanted in ((1, STEPS[0][1]), (6, STEPS[5][1]), (7, STEPS[6][1])):
        parts += [("row %d: an allocation for each buffer" % row, "buffers-ms", wanted, None),
                  ("one arena for each frame", "arena-ms", wanted, "buffers-ms"),
                  ("the arena kept", "transfers-ms", wanted, "arena-ms")]
    for words, wanted in LIBRARY[2:]:
        parts += [("%s: a matcher for each frame" % words, "arena-ms", wanted, None),
                  ("the matcher kept", "transfers-ms", wanted, "arena-ms")]
    rows = []
    for words, key, wanted, before in parts:
        now = times(report, wanted, key)
        then = times(report, wanted, before) if before else now
        rows.append((words, ["%s (x %s)" % (number(a), factor(b, a)) if before else number(a)
                             for a, b in zip(now, then)]))
    return table(rows)


def graph_table(report):
    rows = []
    for row in (1, 6, 7):
        wanted = STEPS[row - 1][1]
        rows.append(("row %d" % row, ["%s (x %s)" % (number(g), factor(d, g)) for g, d in zip(
            times(report, wanted, "graph-ms"), times(report, wanted, "device-ms"))]))
    return table(rows)


def others_table(report):
    peers = load(PEERS)
    sizes = [[s["width"], s["height"], s["num-disparities"]] for s in report["scenes"]]
    rows = [("Felzenszwalb's program, one thread of a Core i7-7700K (paper, Table I)",
             [number(s[3]) for s in SCENES]),
            ("the paper, Tesla V100 (Table VI)", [number(s[4]) for s in SCENES])]
    for program in peers["programs"]:
        if program["program"].startswith("cudaBeliefProp"):
            known = {tuple(w): ms for w, ms in zip(peers["workloads"], program["ms"])}
            rows.append((program["program"].split(",", 1)[0].split(" (")[0] + ","
                         + program["program"].split(",")[2] + ", %s" % peers["device"],
                         [number(known.get(tuple(size))) for size in sizes]))
    rows += [("row %d" % row, [number(v) for v in times(report, STEPS[row - 1][1], "transfers-ms")])
             for row in (6, 7)]
    rows += [("**%s**" % words, ["**%s**" % number(v) for v in times(report, wanted,
                                                                     "transfers-ms")])
             for words, wanted in LIBRARY]
    return table(rows)


def memory_table(report):
    rows = [("row %d" % (i + 1), STEPS[i][1]) for i in (0, 5, 6)] + list(LIBRARY)
    return table([(words, [number(v / 2 ** 20) for v in times(report, wanted, "bytes")])
                  for words, wanted in rows])


TEXT = """<!-- Made by docs/make-bp-experiments.py; measure again to change a figure. -->
# What makes belief propagation fast on a GPU

> S. Grauer-Gray: "Optimizing global stereo matching on NVIDIA GPUs"

optimises [belief propagation](algorithms/bp.md) in four steps and says what each of them brings, on
five pairs (Tables II to VII). This page does the same on another GPU: {device}, on {date}.

`tests/bench/bp-layouts.cu` has the algorithm as the paper does it: data costs and messages of all
levels are kept, and one thread updates the four messages of a pixel. It has the arithmetic of this
project, so each of its maps is the library's byte for byte, which the program checks before it
reports a figure. The steps:

- **One arena.** All levels come out of one allocation, instead of one for each buffer when it is
  needed.
- **Coalesced layout.** A warp reads 32 neighbours of a row at a time. In (y, x, disparity), with
  all disparities of a pixel together, those are as many transactions; in (y, disparity, x) they are
  together. An iteration wants every second pixel only, so the two colours of the checkerboard are
  two volumes.
- **16 bits** instead of 32, and here 8 as well: half the traffic each. Sums are computed in 32 bits.
- **Aligned rows.** Rows begin at multiples of 32 pixels, so that no warp reads from one transaction
  more than it has to.

Beside these four, the number of disparities may be a **constant of the compiler**, which then keeps
a pixel's values in registers as far as there are enough. The last three rows are what
this project does instead ([how](algorithms/bp.md)): a pixel's disparities are spread over lanes,
four messages come from one load of their inputs, level 0 computes its data costs from the images,
and small steps share a launch.

All pairs are grey, with 7 iterations on each of 5 levels and the other defaults of `stereobp`; the
numbers of disparities are {disparities}. Times are medians, those of the
better one of two runs of the program.

## Step by step

Milliseconds on the device, with images, map and all memory there, and how much faster than the row
above:

{steps}
![Disparity evaluations a second, step by step](images/bp-layouts.svg)

Altogether:

{total}
Of the four the coalesced layout brings most. The rest is about where a thread keeps its values: four
inputs, the data cost and a sum for each disparity. As long as the compiler does not know how many
these are, they are in local memory, whose traffic is most of what rows 2 and 3 take. As a constant
the number lets it use registers, which do for 32 disparities; with 64 and 128 it spills again (nvcc
13.0 for sm_90 and row 6: 255 registers of a thread, and 992 and 3024 bytes of local memory). So
halving the volumes brings little in rows 5 and 7 where there is most to halve, and aligned rows cost
more than they bring, on a GPU whose caches read 32 bytes at a time.

Row 8 has the 32 bits of rows 1 to 4, but a pixel's values are in the registers of several lanes. From
there on it is the bytes that count: on the largest pair rows 9 and 10 come near to halving the time
with them; on the smallest there are launches and latencies left.

## Each step by itself

How much longer row 6 takes without one of its steps:

{without}
## One arena

Milliseconds from pinned memory to pinned memory, with what is allocated and freed for a frame. The
buffers of a level are freed once the next one has its first messages. The library allocates when it
is configured, and then never again:

{arena}
## One graph

Milliseconds on the device when the launches of a frame are recorded in a CUDA graph, and how
much faster than without:

{graph}
## Beside others

Milliseconds from host to host, with memory that is kept. cudaBeliefProp is the paper's author's
program of today, as it was measured for [Performance](performance.md); 450x375x64 was Teddy there.

{others}
## Memory

MiB on the device:

{memory}
## Measure again

    docs/make-bp-experiments.py --measure build/tests/bench/bench-bp-layouts

after `ninja -C build tests/bench/bench-bp-layouts`. It needs the scenes in `$STEREO_DATASETS`, and
runs

    {command}
"""


def page(data):
    report = data["report"]
    counts = [str(s[2]) for s in SCENES]
    return TEXT.format(
        device=report["device"], date=data["date"],
        disparities=", ".join(counts[:-1]) + " and " + counts[-1],
        steps=steps_table(report), total=total_table(report), without=without_table(report),
        arena=arena_table(report), graph=graph_table(report), others=others_table(report),
        memory=memory_table(report),
        command=" \\\n      ".join([" ".join(command("bench-bp-layouts", "")[:3])]
                                   + command("", "")[3:]))


def figure(data):
    plot = svgplot.Plot("speed, %s" % data["report"]["device"], "row of the table",
                        "million disparity evaluations/s", y_log=True,
                        x_range=(1, len(STEPS + LIBRARY)))
    for (_, name, _, _, _), scene in zip(SCENES, data["report"]["scenes"]):
        work = scene["width"] * scene["height"] * scene["num-disparities"] / 1e3
        plot.line(name, [(i + 1, work / find(scene, wanted)["device-ms"])
                         for i, (_, wanted) in enumerate(STEPS + LIBRARY)])
    return svgplot.figure([plot], "Disparity evaluations a second of belief propagation on a GPU "
                          "after each step of optimisation")


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "--measure":
        measure(arguments[1])
    elif len(arguments) >= 2 and arguments[0] == "--read":
        save([load(path) for path in arguments[1:]])
    elif arguments and arguments != ["--check"]:
        sys.exit(__doc__)
    data = load(DATA)
    for path, text in ((PAGE, page(data)), (IMAGE, figure(data))):
        if arguments != ["--check"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        if old != text:
            sys.exit("%s is not what docs/make-bp-experiments.py makes of docs/data/; run it"
                     % os.path.relpath(path, os.path.dirname(HERE)))


if __name__ == "__main__":
    main()
