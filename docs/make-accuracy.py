#!/usr/bin/env python3
# gst-stereomatching: makes docs/accuracy.md
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes docs/accuracy.md from docs/data/accuracy.json and docs/data/published.json.

    make-accuracy.py                      write the page
    make-accuracy.py --check              fail when the page is not what would be written
    make-accuracy.py --measure PROGRAM    run stereo-eval, write the data and the page
    make-accuracy.py --verify PROGRAM     fail when stereo-eval finds other errors than the data

Measuring and verifying need the scenes, in $STEREO_DATASETS or ../shared/datasets; verifying exits
with 77 (skipped) without them.
"""

import datetime
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data", "accuracy.json")
PUBLISHED = os.path.join(HERE, "data", "published.json")
PAGE = os.path.join(HERE, "accuracy.md")
V2 = ("tsukuba", "venus", "teddy", "cones")
REGIONS = ("nonocc", "all", "disc")
MEASURES = ("bad-0.5", "bad-1", "bad-2", "bad-4", "d1", "mean", "rms", "density")

# Folder of the data sets, title.
SETS = (("middlebury-v2", "Middlebury version 2"),
        ("middlebury-2001", "Middlebury 2001"),
        ("middlebury-2003-half", "Middlebury 2003, half size"))


def datasets():
    return os.environ.get("STEREO_DATASETS") or "../shared/datasets"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def evaluate(program, arguments):
    output = subprocess.run([program, "--json"] + arguments, check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return json.loads(output)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return "unknown processor"


def registered(program):
    output = subprocess.run([program, "--list"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return re.findall(r"^(\w+): ", output, re.MULTILINE)


def measure(program):
    """Every algorithm on every set, and the setups that papers have figures of."""
    names = registered(program)
    setups = []
    for entry in load(PUBLISHED):
        if entry["setup"].split()[0] in names and entry["setup"] not in setups:
            setups.append(entry["setup"])
    reports = []
    for folder, title in SETS:
        path = os.path.join(datasets(), folder)
        reports.append({"title": title, "command": "stereo-eval --json --all " + folder,
                        "report": evaluate(program, ["--all", path])})
    command = ["--compare"] + setups
    path = os.path.join(datasets(), "middlebury-v2")
    reports.append({"title": "published", "report": evaluate(program, command + ["--", path]),
                    "command": "stereo-eval --json --compare %s -- middlebury-v2"
                    % " ".join('"%s"' % s for s in setups)})
    data = {"date": datetime.date.today().isoformat(), "processor": processor(),
            "reports": reports}
    os.makedirs(os.path.dirname(DATA), exist_ok=True)
    with open(DATA, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


def arguments_of(command, folder_of):
    """What was given to stereo-eval after --json, with the folder's path."""
    words = re.findall(r'"([^"]*)"|(\S+)', command)
    words = [quoted or plain for quoted, plain in words][2:]
    return words[:-1] + [folder_of(words[-1])]


def verify(program):
    if not os.path.exists(os.path.join(datasets(), "middlebury-v2", "teddy", "scene.ini")):
        print("skipped: there is no %s; set STEREO_DATASETS" % datasets())
        return 77
    differ = compared = 0
    for entry in load(DATA)["reports"]:
        found = evaluate(program, arguments_of(entry["command"],
                                               lambda name: os.path.join(datasets(), name)))
        fresh = {run["label"]: run for run in found["runs"]}
        for run in entry["report"]["runs"]:
            if run["label"] not in fresh:
                print("%s: there is no %s any more" % (entry["title"], run["label"]))
                differ += 1
                continue
            for old, new in zip(run["scenes"], fresh[run["label"]]["scenes"]):
                for region, values in old["regions"].items():
                    for name in MEASURES:
                        compared += 1
                        if abs(values[name] - new["regions"][region][name]) > 0.005:
                            differ += 1
                            print("%s %s %s %s: %g, not %g" % (
                                run["label"], old["scene"], region, name,
                                new["regions"][region][name], values[name]))
    print("%d figures compared, %d differ" % (compared, differ))
    if differ:
        print("measure again: docs/make-accuracy.py --measure PROGRAM")
    return 1 if differ or not compared else 0


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |",
             "|" + "|".join("---" if i == 0 else "---:" for i in range(len(header))) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def triple(scene):
    return " / ".join("%.2f" % scene["regions"][r]["bad-1"] for r in REGIONS)


def scenes_table(report, average):
    scenes = [s["scene"] for s in report["runs"][0]["scenes"]]
    rows = []
    for run in sorted(report["runs"], key=lambda r: r["average"]):
        rows.append([run["label"]] + [triple(s) for s in run["scenes"]]
                    + ["**%.2f**" % run["average"], "%.1f" % run["time-ms"]])
    return table([""] + [s.replace("_", " ").capitalize() for s in scenes]
                 + [average, "time, ms"], rows)


def mean(run, name):
    values = [r[name] for s in run["scenes"] for r in s["regions"].values()]
    return sum(values) / len(values)


def measures_table(report):
    rows = [[run["label"]] + ["%.2f" % mean(run, name) for name in MEASURES]
            for run in sorted(report["runs"], key=lambda r: r["average"])]
    return table([""] + list(MEASURES), rows)


def published_table(report):
    runs = {run["label"]: run for run in report["runs"]}
    rows = []
    for entry in load(PUBLISHED):
        run = runs.get(entry["setup"])
        if run is None:
            continue
        if "scene" in entry:
            scene = next(s for s in run["scenes"] if s["scene"] == entry["scene"])
            ours = scene["regions"][entry["region"]]["bad-1"]
            what = "%s, %s" % (entry["scene"].capitalize(), entry["region"])
        else:
            ours = run["average-of-12"]
            what = "average of 12"
        source = entry["source"] + ("; " + entry["note"] if entry["note"] else "")
        rows.append([entry["setup"], what, "%.2f" % ours, "%.2f" % entry["value"], source])
    return table(["", "percent of bad pixels", "here", "published", "by"], rows)


def page():
    data = load(DATA)
    reports = {entry["title"]: entry for entry in data["reports"]}
    main = reports[SETS[0][1]]
    text = ["<!-- Made by docs/make-accuracy.py; measure again to change a figure. -->",
            "# Accuracy", "",
            "How wrong the algorithms are on scenes with ground truth, with default properties, "
            "measured by", "[stereo-eval](tools/stereo-eval.md).", "",
            "Measured on %s, on %s (%s)." % (data["date"], data["processor"],
                                             main["report"]["device"]), "",
            "## Middlebury version 2", "",
            "Percent of pixels off by more than one (nonocc / all / disc), with the official masks, "
            "and the", "benchmark's figure of merit, the average of these twelve.", "",
            scenes_table(main["report"], "average of 12"),
            "Other measures, each the mean over the twelve: `mean` and `rms` are errors in pixels, "
            "the rest is", "percent.", "",
            measures_table(main["report"]),
            "    " + main["command"], "",
            "## Beside the papers", "",
            published_table(reports["published"]["report"]),
            "Version 1 of the benchmark had other masks, so its figures are near these, not equal.",
            "", "    " + reports["published"]["command"], "",
            "## Other scenes", "",
            "As above, with masks that were derived from the ground truth: good for comparing "
            "algorithms with", "each other, not with published tables.", ""]
    for _, title in SETS[1:]:
        text += ["### " + title, "", scenes_table(reports[title]["report"], "average"),
                 "    " + reports[title]["command"], ""]
    return "\n".join(text).rstrip("\n") + "\n"


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "--verify":
        sys.exit(verify(arguments[1]))
    if len(arguments) == 2 and arguments[0] == "--measure":
        measure(arguments[1])
    elif arguments == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != page():
                sys.exit("docs/accuracy.md is not what docs/make-accuracy.py makes of docs/data/; "
                         "run it")
        return
    elif arguments:
        sys.exit(__doc__)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page())


if __name__ == "__main__":
    main()
