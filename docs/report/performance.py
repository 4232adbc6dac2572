# gst-stereomatching: the performance page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/performance.md, from docs/data/performance-*.json, published-speed.json and peers.json.

Each machine has one file; the page has a section for each of its devices. Algorithms are timed with
default properties, and with the papers' settings if the papers have times.
"""

import os
import shlex

from common import (DOCS, algorithms, fill, json_of, label_papers, load, load_all,
                    number, paper, papers_label, save, size_of, table)

PAGE = os.path.join(DOCS, "performance.md")
MAIN = ["--preset", "papers", "--size", "450x375x64", "--format", "GRAY8", "--format", "RGB"]
# The workload of the stage tables.
DETAIL = (1920, 1080, 128)
# Profiled frames that take this many times the fastest frame of a CPU were disturbed by other programs.
DISTURBED = 1.2


def bench(program, arguments):
    return {"command": shlex.join(["stereo-bench", "--json"] + arguments),
            "report": json_of(program, arguments)}


def measure(program, arguments):
    name, arguments = arguments[0], arguments[1:]
    names = algorithms(program)
    reports = [bench(program, MAIN + arguments)]
    asked = {}
    for entry in load("published-speed"):
        if entry["setup"].split()[0] in names:
            sizes = asked.setdefault((paper(entry["setup"]), entry["format"]), [])
            size = size_of(entry["workload"])
            if size not in sizes:
                sizes.append(size)
    for (setup, form), sizes in asked.items():
        words = [setup, "--format", form] + sum((["--size", size] for size in sizes), [])
        reports.append(bench(program, words + arguments))
    for entry in reports:
        label_papers(entry["report"]["results"], [e["setup"] for e in load("published-speed")])
    save("performance-" + name, {"reports": reports})


def machines():
    """Each device with its data, and its results by setup, format and workload."""
    found = []
    for data in load_all("performance-*"):
        for device in data["reports"][0]["report"]["devices"]:
            results = {}
            main = []
            for i, entry in enumerate(data["reports"]):
                for result in entry["report"]["results"]:
                    if result["backend"] != device["backend"] or result["error"] is not None:
                        continue
                    key = (result["label"], result["format"], workload(result))
                    results.setdefault(key, result)
                    if i == 0:
                        main.append(key)
            found.append({"data": data, "device": device, "results": results, "main": main})
    return found


def time_of(result):
    """The fastest frame on a CPU, where other programs slow frames down; the median on CUDA."""
    return result["device"]["min-ms" if result["backend"] == "cpu" else "median-ms"]


def rate_of(result):
    width, height, disparities = workload(result)
    return width * height * disparities / time_of(result) / 1e3


def fraction_of(result):
    """The time for copying the images, as a fraction of the frame."""
    fraction = result["device"]["copy-fraction"]
    return fraction and fraction * result["device"]["median-ms"] / time_of(result)


def workload(result):
    return (result["width"], result["height"], result["num-disparities"])


def unique(items):
    return list(dict.fromkeys(items))


def merged(lists):
    """All items in an order consistent with every list."""
    result = []
    for items in lists:
        place = 0
        for item in items:
            if item not in result:
                result.insert(place, item)
            place = result.index(item) + 1
    return result


def grid(machine, *values):
    """A row per algorithm and format, a column per workload; a cell is "value (value)"."""
    results = machine["results"]
    columns = unique(key[2] for key in machine["main"])
    rows = []
    for label, form in unique(key[:2] for key in machine["main"]):
        found = [results.get((label, form, column)) for column in columns]
        rows.append([label + ", " + form]
                    + [" ".join(shape % number(value(r)) for shape, value in zip(("%s", "(%s)"), values))
                       if r else "-" for r in found])
    return table([""] + [size_of(c) for c in columns], rows)


def disturbed(result):
    return (result["backend"] == "cpu"
            and result["profiled"]["mean-ms"] > DISTURBED * result["device"]["min-ms"])


def stages(machine):
    """Means over the profiled frames, which are the only figures of stages that add up to a frame."""
    chosen = [machine["results"][k] for k in machine["main"] if k[2] == DETAIL]
    names = merged([s["stage"] for s in r["profiled"]["stages"]] for r in chosen)
    rows = []
    for result in chosen:
        times = {s["stage"]: s["mean-ms"] for s in result["profiled"]["stages"]}
        memory = result["device-bytes"] or result["host-bytes"]
        fraction = fraction_of(result)
        rows.append([result["label"] + ", " + result["format"] + (" (disturbed)" if disturbed(result) else "")]
                    + [number(times.get(n)) for n in names]
                    + [number(sum(times.values())), number(memory / 2 ** 20),
                       "-" if fraction is None else number(100 * fraction)])
    return table([""] + names + ["frame", "MiB", "copy %"], rows)


SECTION = """## {name}

Measured on {date} at commit {commit}, {where} {processor}.{copies}

Milliseconds per frame ({what}), and million disparity evaluations per second in parentheses:

{times}
"""

CUDA = """Milliseconds from pinned memory to pinned memory, one frame at a time, and frames per second with
overlapping frames in parentheses:

{host}
"""

STAGES = """Stages of {size} in milliseconds, the memory, and the time for copying the images in percent of the
fastest frame. Stages are means over frames that were profiled one by one, after those of the table
above{transfers}, and add up to the column "frame".{disturbed}

{stages}
"""


def section(machine):
    device = machine["device"]
    cuda = device["backend"] == "cuda"
    copies = device["copy-bytes-per-s"]
    text = SECTION.format(
        name=device["device"], date=machine["data"]["date"],
        commit=machine["data"]["commit"], where="host CPU" if cuda else "on",
        processor=machine["data"]["processor"],
        copies="" if copies is None else " Memory bandwidth: %.4g GB/s, read plus written."
        % (copies / 1e9), what="median, images and map on the device" if cuda else "fastest frame",
        times=grid(machine, time_of, rate_of))
    if cuda:
        text += CUDA.format(host=grid(machine, lambda r: r["host"]["median-ms"],
                                      lambda r: r["pipelined"]["frames-per-s"]))
    results = [machine["results"][k] for k in machine["main"] if k[2] == DETAIL]
    if results:
        text += STAGES.format(
            size=size_of(DETAIL), stages=stages(machine),
            transfers=", with uploads and downloads, and one launch per stage" if cuda else "",
            disturbed=" In rows marked *disturbed* another program ran meanwhile: only their proportions count."
            if any(map(disturbed, results)) else "")
    return text + "    " + machine["data"]["reports"][0]["command"] + "\n\n"


def short(machine):
    return machine["device"]["device"].replace("NVIDIA ", "")


def published_key(entry):
    return papers_label(entry["setup"]), entry["format"], tuple(entry["workload"])


def published(found):
    entries = load("published-speed")
    found = [m for m in found if any(published_key(e) in m["results"] for e in entries)]
    rows = []
    for entry in entries:
        results = [m["results"].get(published_key(entry)) for m in found]
        if not any(results):
            continue
        in_ms = "ms" in entry
        transfers = entry.get("transfers", False)
        ours = [r and ((r["host"]["median-ms"] if transfers and r["host"] else time_of(r))
                       if in_ms else rate_of(r)) for r in results]
        source = "; ".join([entry["source"]] + (["with transfers"] if transfers else [])
                           + ([entry["note"]] if "note" in entry else []))
        rows.append(["%s, %s" % (papers_label(entry["setup"]), entry.get("shown") or size_of(entry["workload"])),
                     "ms" if in_ms else "Mde/s"] + [number(o) for o in ours]
                    + [number(entry["ms" if in_ms else "mde-per-s"]), entry["hardware"], source])
    return "" if not rows else "## Comparison with published times\n\n%s\n" % table(
        ["", "unit"] + ["here, " + short(m) for m in found] + ["published", "hardware", "by"], rows)


PEERS = """## Comparison with other programs on the same GPU

Median milliseconds per frame of grey images on one NVIDIA {device}, device only unless stated
otherwise. Except for belief propagation, they are different methods with different errors.

{times}
Published figures of other programs, on other hardware:

{elsewhere}"""


def peers(found):
    data = load("peers")
    machine = next((m for m in found if data["device"] in m["device"]["device"]), None)
    if machine is None:
        return ""
    columns = [tuple(w) for w in data["workloads"]]
    rows = []
    for label in unique(key[0] for key in machine["main"]):
        results = [machine["results"].get((label, "GRAY8", c)) for c in columns]
        rows.append(["**%s**" % label] + ["**%s**" % number(time_of(r)) if r else "-" for r in results])
    rows += [[entry["program"]] + [number(v) for v in entry["ms"]] for entry in data["programs"]]
    return PEERS.format(
        device=data["device"],
        times=table([""] + [size_of(c) for c in columns], rows),
        elsewhere=table(["", "hardware", "workload", "figure", "by"],
                        [[e["program"], e["hardware"], e["workload"], e["figure"], e["source"]]
                         for e in data["elsewhere"]]))


PAGE_HEAD = """<!-- Generated by docs/report from measured data. -->
# Performance

Run times of the algorithms with default properties and, where stated, with the preset `paper`,
measured by [stereo-bench](tools/stereo-bench.md#figures), which defines the figures. Images are not
in a cache. A workload is width x height x disparities. The views are drawn; real ones take longer if
more of their pixels are invalid and refined: Tsukuba, 384x288 with 16 disparities, takes 0.061 ms with
`stereovcbw` and 0.103 ms with `stereosgm` on an H200 (`stereo-bench --images`). [Kernels](kernels.md)
has the registers, shared memory and occupancy of the CUDA backend.

[Refinement](refinement.md#run-time) and [learned cost](learned.md#time) have the times of these parts,
[threads and instruction sets](threads.md) those of other CPUs, and [other GPUs](gpus.md) those to expect of GPUs
that were not measured.

"""


def generate():
    found = machines()
    return {PAGE: fill(PAGE_HEAD + "".join(map(section, found)) + published(found) + peers(found))}
