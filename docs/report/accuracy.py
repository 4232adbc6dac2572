# gst-stereomatching: the accuracy page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/accuracy.md and docs/images/accuracy-time.svg, from docs/data/accuracy.json, published.json
and, for the times on GPUs, performance-*.json."""

import glob
import os
import re
import shutil
import tempfile

import sgbm
import svgplot
from common import (DEFAULTS_SINCE, DOCS, IMAGES, PRESETS, REGIONS, datasets, fill, json_of, load,
                    load_all, output_of, paper, papers_label, preset_file, save, table)

PAGE = os.path.join(DOCS, "accuracy.md")
PLOT = os.path.join(IMAGES, "accuracy-time.svg")
# Other programs on the machine make a run slower, never faster.
TIMES = 3
MEASURES = ("bad-0.5", "bad-1", "bad-2", "bad-4", "d1", "mean", "rms", "density")

# Folder of the datasets, title, column head, whether times are published.
SETS = (("middlebury-v2", "Middlebury version 2", "v2", True),
        ("middlebury-2001", "Middlebury 2001", "2001", True),
        ("middlebury-2003-half", "Middlebury 2003, half size", "2003, half", True),
        ("exposure/a", "Exposure A", "exposure A", False),
        ("exposure/b", "Exposure B", "B", False),
        ("exposure/c", "Exposure C", "C", False))


def fastest(program, arguments, times=TIMES):
    """Evaluates several times, and keeps the lowest time of each scene."""
    reports = [json_of(program, arguments) for _ in range(times)]
    for runs in zip(*(report["runs"] for report in reports)):
        for scenes in zip(*(run["scenes"] for run in runs)):
            scenes[0]["time-ms"] = min(scene["time-ms"] for scene in scenes)
        runs[0]["time-ms"] = sum(scene["time-ms"] for scene in runs[0]["scenes"])
    return reports[0]


def registered(program):
    """{algorithm: {property: default}}"""
    found = {}
    for line in output_of(program, ["--list"]).split("\n"):
        head = re.match(r"(\w+): ", line)
        row = re.match(r"  (\S+)\s+(?:\S+ to \S+|[^\s,]+(?:, [^\s,]+)+)\s+(\S+)\s", line)
        if head:
            found[head.group(1)] = defaults = {}
        elif row:
            defaults[row.group(1)] = row.group(2)
    return found


def presets(algorithms):
    """{setup: "algorithm, preset"}, where a setup lists differences from the defaults."""
    found = {}
    for path in sorted(glob.glob(os.path.join(PRESETS, "*.prs"))):
        file = preset_file(os.path.basename(path)[:-len(".prs")])
        name = file["_presets_"]["element-name"].replace("GstStereo", "").lower()
        for preset in file.sections():
            if preset.startswith("_") or name not in algorithms:
                continue
            changes = ["%s=%s" % item for item in file[preset].items()
                       if not item[0].startswith("_")
                       and item[1] != algorithms[name][item[0]]]
            found[" ".join([name] + changes)] = "%s, %s" % (name, preset)
    return found


def peers(program, folder, scenes):
    """Runs of OpenCV's modes on the scenes of a set, evaluated like ours."""
    cv2 = sgbm.opencv()
    runs = []
    for mode in sgbm.MODES if cv2 else ():
        maps = tempfile.mkdtemp()
        times = {}
        for scene in scenes:
            left, right = (cv2.imread(datasets(folder, scene["scene"], side + ".png"))
                           for side in ("left", "right"))
            found, times[scene["scene"]] = sgbm.match(left, right, scene["num-disparities"], mode)
            sgbm.write_pfm(os.path.join(maps, scene["scene"] + ".pfm"), found)
        run, = json_of(program, ["--map", os.path.join(maps, "{scene}.pfm"),
                                 datasets(folder)])["runs"]
        shutil.rmtree(maps)
        run["label"] = mode
        for scene in run["scenes"]:
            scene["time-ms"] = times[scene["scene"]]
        run["time-ms"] = sum(times.values())
        runs.append(run)
    return runs


def compared(program, title, folder, setups, times, old, wanted):
    """An entry of the data. Known algorithms that are not wanted keep their figures."""
    flags = ["--auc", "--compare"] if folder != "middlebury-v2" or title == SETS[0][1] else [
        "--compare"]
    before = old.get(title, {})
    runs = {run["label"]: run for run in before.get("report", {}).get("runs", [])}
    chosen = [setup for setup in setups
              if not wanted or setup.split()[0] in wanted or setup not in runs]
    report = before.get("report")
    if chosen:
        report = fastest(program, flags + chosen + ["--", datasets(folder)], times)
        runs.update({run["label"]: run for run in report["runs"]})
    report["runs"] = [runs[setup] for setup in setups]
    return {"title": title,
            "command": "stereo-eval --json %s %s -- %s" % (
                " ".join(flags), " ".join('"%s"' % s for s in setups), folder),
            "names": {setup: name for setup, name in setups.items() if name},
            "report": report, "peers": before.get("peers", [])}


def measure(program, wanted):
    """All or the named algorithms on every set, and the setups with published figures. OpenCV names
    its modes."""
    names = registered(program)
    published = {}
    for entry in load("published"):
        if entry["setup"].split()[0] in names:
            published[paper(entry["setup"])] = None
    of_papers = {paper(name): name + ", paper" for name in names if paper(name) != name}
    old = {entry["title"]: entry for entry in load("accuracy")["reports"]}
    reports = []
    for folder, title, _, timed in SETS:
        setups = dict({name: None for name in names}, **of_papers)
        entry = compared(program, title, folder, setups, TIMES if timed else 1, old, wanted)
        if not wanted or "OpenCV" in wanted or not entry["peers"]:
            entry["peers"] = (peers(program, folder, entry["report"]["runs"][0]["scenes"])
                              or entry["peers"])
        reports.append(entry)
    for title, setups in (("published", published), ("presets", presets(names))):
        reports.append(compared(program, title, "middlebury-v2", setups, TIMES, old, wanted))
    save("accuracy", {"reports": reports})


def arguments_of(command, folder_of):
    """The arguments of stereo-eval after --json, with the path of the folder."""
    words = re.findall(r'"([^"]*)"|(\S+)', command)
    words = [quoted or plain for quoted, plain in words][2:]
    return words[:-1] + [folder_of(words[-1])]


def verify(program):
    if not os.path.exists(datasets("middlebury-v2", "teddy", "scene.ini")):
        print("skipped: %s not found; set STEREO_DATASETS" % datasets())
        return 77
    reports = load("accuracy")["reports"]
    here = presets(registered(program))
    if any(entry["title"] == "presets" and entry["names"] != here for entry in reports):
        print("the presets differ from the measured ones")
        return 1
    differ = compared = 0
    for entry in reports:
        found = json_of(program, arguments_of(entry["command"], datasets))
        fresh = {run["label"]: run for run in found["runs"]}
        for run in entry["report"]["runs"]:
            if run["label"] not in fresh:
                print("%s: %s is missing" % (entry["title"], run["label"]))
                differ += 1
                continue
            for old, new in zip(run["scenes"], fresh[run["label"]]["scenes"]):
                for region, values in old["regions"].items():
                    for name in MEASURES:
                        compared += 1
                        if abs(values[name] - new["regions"][region][name]) > 0.005:
                            differ += 1
                            print("%s %s %s %s: %g, expected %g" % (
                                run["label"], old["scene"], region, name,
                                new["regions"][region][name], values[name]))
    print("%d figures compared, %d differ" % (compared, differ))
    if differ:
        print("measure again: docs/report accuracy --measure PROGRAM")
    return 1 if differ or not compared else 0


def triple(scene):
    return " / ".join("%.2f" % scene["regions"][r]["bad-1"] for r in REGIONS)


def defaults(entry):
    """Runs with default properties, and OpenCV's, best first."""
    ours = [run for run in entry["report"]["runs"] if run["label"] not in entry["names"]]
    return sorted(ours + entry["peers"], key=lambda r: r["average"])


def scenes_table(entry, average):
    scenes = [s["scene"] for s in entry["report"]["runs"][0]["scenes"]]
    rows = []
    for run in defaults(entry):
        rows.append([run["label"]] + [triple(s) for s in run["scenes"]]
                    + ["**%.2f**" % run["average"], "%.1f" % run["time-ms"]])
    return table([""] + [s.replace("_", " ").capitalize() for s in scenes]
                 + [average, "time, ms"], rows)


def sets_table(reports):
    """Averages by set, with default properties and with the papers'."""
    rows = []
    for run in defaults(reports[SETS[0][1]]):
        name = run["label"]
        averages = []
        for _, title, _, _ in SETS:
            entry = reports[title]
            averages.append({entry["names"].get(r["label"], r["label"]): r["average"]
                             for r in entry["report"]["runs"] + entry["peers"]})
        rows.append([name] + ["**%.2f**" % a[name] if name in a else "-" for a in averages])
        if name + ", paper" in averages[0]:
            rows.append([name + ", paper"] + ["%.2f" % a[name + ", paper"] for a in averages])
    return table([""] + [head for _, _, head, _ in SETS], rows)


def confidence_table(reports):
    """The area under the curve of bad-1, and its lower bound; region `all`."""
    rows = []
    for run in defaults(reports[SETS[0][1]]):
        row = [run["label"]]
        for _, title, _, _ in SETS:
            runs = [r for r in reports[title]["report"]["runs"] if r["label"] == run["label"]]
            values = [scene["regions"]["all"] for r in runs for scene in r["scenes"]]
            if not values or values[0].get("auc") is None:
                break
            row.append("%.2f / %.2f" % tuple(sum(v[key] for v in values) / len(values)
                                             for key in ("auc", "auc-ideal")))
        else:
            rows.append(row)
    return table([""] + [head for _, _, head, _ in SETS], rows)


def mean(run, name):
    values = [r[name] for s in run["scenes"] for r in s["regions"].values()]
    return sum(values) / len(values)


def measures_table(entry):
    rows = [[run["label"]] + ["%.2f" % mean(run, name) for name in MEASURES]
            for run in defaults(entry)]
    return table([""] + list(MEASURES), rows)


def published_table(report):
    runs = {run["label"]: run for run in report["runs"]}
    rows = []
    for entry in load("published"):
        run = runs.get(paper(entry["setup"]))
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
        rows.append([papers_label(entry["setup"]), what, "%.2f" % ours, "%.2f" % entry["value"], source])
    return table(["", "percent of bad pixels", "here", "published", "by"], rows)


def presets_table(entry):
    rows = []
    for run in entry["report"]["runs"]:
        rows.append([entry["names"][run["label"]]] + [triple(s) for s in run["scenes"]]
                    + ["**%.2f**" % run["average"], "%.1f" % run["time-ms"]])
    scenes = [s["scene"].capitalize() for s in entry["report"]["runs"][0]["scenes"]]
    return table([""] + scenes + ["average of 12", "time, ms"], rows)


def errors(reports):
    """{name: (name, average of 12, ms on the CPU)} of all runs on version 2."""
    found = {}
    for title in (SETS[0][1], "presets"):
        for run in reports[title]["report"]["runs"] + reports[title].get("peers", []):
            name = reports[title]["names"].get(run["label"], run["label"])
            # A preset may equal the defaults.
            if not any(old[0].split()[0] == run["algorithm"] and old[1] == run["average-of-12"]
                       for old in found.values()):
                found[name] = (name, run["average-of-12"], run["time-ms"])
    return found


def on_gpus(setups):
    """{device: {setup: ms}} at the size of Teddy, preferably in colour, with the present defaults."""
    found = {}
    for machine in load_all("performance-*"):
        if machine["date"] < DEFAULTS_SINCE:
            continue
        for report in machine["reports"]:
            devices = {d["backend"]: d["device"] for d in report["report"]["devices"]}
            for result in report["report"]["results"]:
                if (result["backend"] != "cuda" or result["error"] is not None
                        or result["label"] not in setups
                        or (result["width"], result["height"]) != (450, 375)
                        or result["num-disparities"] not in (60, 64)):
                    continue
                rank = (result["format"] != "RGB", result["num-disparities"] != 64)
                times = found.setdefault(devices["cuda"], {})
                times.setdefault(result["label"], []).append((rank, result["device"]["median-ms"]))
    return {device: {setup: min(ranked)[1] for setup, ranked in times.items()}
            for device, times in found.items()}


def time_plot(reports):
    measured = errors(reports)
    axis = "bad pixels, %, average of 12"
    plots = [svgplot.Plot("on the CPU, four scenes", "ms", axis, x_log=True)]
    plots[0].points([(name, ms, error) for name, error, ms in measured.values()])
    for device, times in on_gpus(measured).items():
        plots.append(svgplot.Plot("on %s, 450x375, 60 or 64 disparities"
                                  % device.replace("NVIDIA ", ""), "ms", axis,
                                  x_log=True))
        plots[-1].points([(measured[setup][0], ms, measured[setup][1])
                          for setup, ms in times.items()])
    return svgplot.figure(plots, "Errors of the algorithms on Middlebury version 2 over the time "
                          "that they take")


PAGE_TEXT = """<!-- Generated by docs/report from measured data. -->
# Accuracy

Errors of the algorithms on scenes with ground truth, measured by [stereo-eval](tools/stereo-eval.md).
[Choosing a matcher](choosing.md) has recommendations.

Measured on {date}, on {processor} ({device}). [The data](data/accuracy.json) include the commands;
`python3 docs/report accuracy --verify build/tools/stereo-eval` repeats them and compares the errors.

## Summary

Bad pixels (error above 1) in percent, average over scenes and over the regions nonocc, all and disc, with
default properties and with the preset `paper`, the published method. Exposure A, B and C are the scenes of
v2 with camera differences and noise: A with a darker right view (times 0.75, gamma 1.15), B with vignetting
and other gains in the right view, C with low contrast in both.

{sets}
OpenCV's semi-global block matching is measured in the same run: 3x3 blocks, P1 216, P2 864, consistency
check and speckle filter. The unmatched left border is matched with a replicated border, holes are filled as
in our algorithms, and a 3x3 median follows. Its times are those of the matching alone.

## Middlebury version 2

Bad pixels in percent (nonocc / all / disc) with the official masks, and the benchmark's main measure, the
average of these twelve.

{v2}
Other measures, mean over the twelve: `mean` and `rms` are errors in pixels, the others percentages.

{measures}
## Confidence

Quality of `src_confidence`: the area under the curve of bad pixels when pixels are added from the most to
the least confident (region all, mean of the scenes) / the lower bound, with all good pixels first. An
uninformative confidence would have the percentage of bad pixels itself. [Refinement](refinement.md#confidence)
defines the confidence.

{confidence}
## Presets

[Presets](presets.md) of the elements, on the same scenes.

{presets}
## Error and time

![Bad pixels over run time](images/accuracy-time.svg)

Times on the CPU are those of the tables on this page. Left and low is best.

## Comparison with the papers

{published}
Version 1 of the benchmark had other masks, so its figures are not directly comparable.

## Other scenes

Masks are derived from the ground truth: suitable for
comparing algorithms with each other, not with published tables.

{others}"""


def page(data):
    reports = {entry["title"]: entry for entry in data["reports"]}
    main = reports[SETS[0][1]]
    return fill(PAGE_TEXT.format(
        date=data["date"], processor=data["processor"], device=main["report"]["device"],
        sets=sets_table(reports), v2=scenes_table(main, "average of 12"), measures=measures_table(main),
        confidence=confidence_table(reports), presets=presets_table(reports["presets"]),
        published=published_table(reports["published"]["report"]),
        others="".join("### %s\n\n%s\n" % (title, scenes_table(reports[title], "average"))
                       for _, title, _, timed in SETS[1:] if timed)))


def generate():
    data = load("accuracy")
    return {PAGE: page(data),
            PLOT: time_plot({entry["title"]: entry for entry in data["reports"]})}
