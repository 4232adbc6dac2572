# gst-stereomatching: the page of times
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/performance.md, from docs/data/performance-*.json, published-speed.json and peers.json.

A machine is one file; the page has a section for each device in each of them. All algorithms are
timed with default properties, and those of which papers have times as the papers had them.
"""

import os
import re
import shlex

from common import (DOCS, json_of, label_papers, load, load_all, number, output_of, paper, papers_label,
                    save, size_of, table)

PAGE = os.path.join(DOCS, "performance.md")
MAIN = ["--preset", "papers", "--size", "450x375x64", "--format", "GRAY8", "--format", "RGB"]
# The workload of the tables that have only one.
DETAIL = (1920, 1080, 128)


def bench(program, arguments):
    return {"command": shlex.join(["stereo-bench", "--json"] + arguments),
            "report": json_of(program, arguments)}


def measure(program, arguments):
    name, arguments = arguments[0], arguments[1:]
    names = re.findall(r"^(\w+): ", output_of(program, ["--list"]), re.MULTILINE)
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
    """What is known about each device: its data, its results by setup, format and workload."""
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
    """Of a CPU the fastest frame, as anything else that runs there slows the others."""
    return result["device"]["min-ms" if result["backend"] == "cpu" else "median-ms"]


def rate_of(result):
    width, height, disparities = workload(result)
    return width * height * disparities / time_of(result) / 1e3


def fraction_of(result):
    """Of the copying that the device could do meanwhile."""
    fraction = result["device"]["copy-fraction"]
    return fraction and fraction * result["device"]["median-ms"] / time_of(result)


def workload(result):
    return (result["width"], result["height"], result["num-disparities"])


def unique(items):
    return list(dict.fromkeys(items))


def merged(lists):
    """All items in an order that no list contradicts: a new one follows what it follows there."""
    result = []
    for items in lists:
        place = 0
        for item in items:
            if item not in result:
                result.insert(place, item)
            place = result.index(item) + 1
    return result


def grid(machine, value):
    """A row for each algorithm and format, a column for each workload."""
    results = machine["results"]
    columns = unique(key[2] for key in machine["main"])
    rows = []
    for label, form in unique(key[:2] for key in machine["main"]):
        row = [label + ", " + form]
        for column in columns:
            result = results.get((label, form, column))
            row.append(number(value(result)) if result else "-")
        rows.append(row)
    return table([""] + [size_of(c) for c in columns], rows)


def stages(machine):
    """Of one workload, where the time goes."""
    chosen = [machine["results"][k] for k in machine["main"] if k[2] == DETAIL]
    names = merged([s["stage"] for s in r["profiled"]["stages"]] for r in chosen)
    which = "min-ms" if machine["device"]["backend"] == "cpu" else "median-ms"
    rows = []
    for result in chosen:
        times = {s["stage"]: s[which] for s in result["profiled"]["stages"]}
        memory = result["device-bytes"] or result["host-bytes"]
        fraction = fraction_of(result)
        rows.append([result["label"] + ", " + result["format"]]
                    + [number(times.get(n)) for n in names]
                    + [number(memory / 2 ** 20),
                       "-" if fraction is None else number(100 * fraction)])
    return rows and table([""] + names + ["MiB", "copy %"], rows)


def section(machine):
    device = machine["device"]
    cuda = device["backend"] == "cuda"
    name = device["device"]
    text = ["## " + name, "",
            "Measured on %s, %s %s." % (machine["data"]["date"],
                                        "beside" if cuda else "on",
                                        machine["data"]["processor"])]
    if device["copy-bytes-per-s"] is not None:
        text[-1] += " It copies %.4g GB/s, read and written." % (
            device["copy-bytes-per-s"] / 1e9)
    text += ["", "Milliseconds a frame, %s:" % (
        "median, images and map on the device" if cuda else "the fastest one"),
             "", grid(machine, time_of),
             "Million disparity evaluations a second:", "",
             grid(machine, rate_of)]
    if cuda:
        text += ["Milliseconds from pinned memory to pinned memory, one frame at a time:", "",
                 grid(machine, lambda r: r["host"]["median-ms"]),
                 "Frames a second from pinned memory to pinned memory, frames overlapping:", "",
                 grid(machine, lambda r: r["pipelined"]["frames-per-s"])]
    detail = stages(machine)
    if detail:
        text += ["Where the time of %s goes, in milliseconds, the memory it takes, and what the "
                 "images" % size_of(DETAIL),
                 "need of the time, were they only copied:", "", detail]
    text += ["    " + machine["data"]["reports"][0]["command"], ""]
    return text


def short(machine):
    return machine["device"]["device"].replace("NVIDIA ", "")


def published(found):
    rows = []
    for entry in load("published-speed"):
        key = (papers_label(entry["setup"]), entry["format"], tuple(entry["workload"]))
        results = [m["results"].get(key) for m in found]
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
    if not rows:
        return []
    return ["## Beside published times", "",
            table(["", "unit"] + ["here, " + short(m) for m in found]
                  + ["published", "hardware", "by"], rows)]


def peers(found):
    data = load("peers")
    machine = next((m for m in found if data["device"] in m["device"]["device"]), None)
    if machine is None:
        return []
    columns = [tuple(w) for w in data["workloads"]]
    rows = []
    for label in unique(key[0] for key in machine["main"]):
        results = [machine["results"].get((label, "GRAY8", c)) for c in columns]
        rows.append(["**%s**" % label]
                    + ["**%s**" % number(time_of(r)) if r else "-"
                       for r in results])
    for entry in data["programs"]:
        rows.append([entry["program"]] + [number(v) for v in entry["ms"]])
    return ["## Beside other programs on the same GPU", "",
            "Milliseconds a frame, median, grey images, on the device unless it says otherwise. "
            "They are other", "methods with other errors, but for belief propagation.", "",
            table([""] + [size_of(c) for c in columns], rows),
            "What others say of theirs, on other hardware:", "",
            table(["", "hardware", "workload", "figure", "by"],
                  [[e["program"], e["hardware"], e["workload"], e["figure"], e["source"]]
                   for e in data["elsewhere"]])]


def page():
    found = machines()
    text = ["<!-- Made by docs/report; measure again to change a figure. -->",
            "# Performance", "",
            "How long the algorithms take, measured by [stereo-bench](tools/stereo-bench.md), whose "
            "manual says", "what each figure means: with default properties, and with those of "
            "the preset `paper`, where a row", "says so. The images are random and come from "
            "memory, not from a cache. A workload is width x", "height x disparities.", ""]
    for machine in found:
        text += section(machine)
    text += published(found) + peers(found)
    return "\n".join(text).rstrip("\n") + "\n"


def made():
    return {PAGE: page()}
