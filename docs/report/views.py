# gst-stereomatching: the tables of the page about virtual views
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of docs/views.md, from docs/data/views.json.

gst-launch-1.0, which must find the plugin, renders the scenes; stereo-eval computes the maps with
default properties; stereo-view renders the views and compares them with the true ones.
"""

import os
import shutil
import subprocess
import tempfile

from common import (DOCS, algorithms, datasets, json_of, load, output_of, patterns, save, table,
                    with_tables)

PAGE = os.path.join(DOCS, "views.md")
SIZE = (640, 480)
DISPARITIES = 64
# Positions of the rendered scenes, with or without the right view; the page has the first one by scene.
RENDERED = ((0.5, True), (0.25, True), (1.5, True), (0.5, False))
# Moving scenes, and their frames; changes are measured from the second one on.
MOVING = ("planes", "sphere", "corridor")
FRAMES = 7
STEPS = 32
V2 = "middlebury-v2"
# name: left, right, number of disparities, true map and its scale, [(position, true view)]
REAL = {
    "cones": (V2 + "/cones/left.png", V2 + "/cones/right.png", 60, V2 + "/cones/disp_left.png", 4,
              [(0.5, "views/cones_im4.png")]),
    "tsukuba 3, 5": (V2 + "/tsukuba/left.png", "views/tsukuba_col5.png", 32,
                     V2 + "/tsukuba/disp_left.png", 8, [(0.5, V2 + "/tsukuba/right.png")]),
    "tsukuba 1, 5": ("views/tsukuba_col1.png", "views/tsukuba_col5.png", 60, None, 0,
                     [(0.25, "views/tsukuba_col2.png"), (0.5, V2 + "/tsukuba/left.png"),
                      (0.75, V2 + "/tsukuba/right.png")]),
    "tsukuba 3, 4": (V2 + "/tsukuba/left.png", V2 + "/tsukuba/right.png", 16,
                     V2 + "/tsukuba/disp_left.png", 16,
                     [(2, "views/tsukuba_col5.png"), (-1, "views/tsukuba_col2.png")]),
}
SINGLE = {name: (folder, disparities, scale) for name, folder, disparities, scale in (
    ("tsukuba", V2, 16, 16), ("venus", V2, 20, 8), ("teddy", V2, 60, 4),
    ("sawtooth", "middlebury-2001", 32, 8), ("barn1", "middlebury-2001", 32, 8),
    ("cones", V2, 60, 4))}


# ------------------------------------------------------------------- measuring

def render(folder, pattern, view, frames, position=0.0):
    """Writes FOLDER/NAME-N.png for the first frames of a scene, with NAME the view."""
    deep = view == "disparity"
    name = view if view != "virtual" else "virtual%g" % position
    subprocess.run(
        ["gst-launch-1.0", "-q", "stereotestsrc", "pattern=" + pattern, "view=" + view,
         "position=%g" % position, "num-disparities=%d" % DISPARITIES, "num-buffers=%d" % frames,
         "!", "video/x-raw,format=%s,width=%d,height=%d" % (("GRAY16_LE" if deep else "RGB",) + SIZE),
         "!", "videoconvert", "!", "video/x-raw,format=%s" % ("GRAY16_BE" if deep else "RGB"), "!",
         "pngenc", "snapshot=false", "!", "multifilesink",
         "location=%s" % os.path.join(folder, name + "-%d.png")], check=True)


def scene(folder, name, left, right, disparities):
    """Writes a scene for stereo-eval, which does not need its size."""
    path = os.path.join(folder, name)
    os.makedirs(path)
    shutil.copy(left, os.path.join(path, "left.png"))
    shutil.copy(right, os.path.join(path, "right.png"))
    with open(os.path.join(path, "scene.ini"), "w", encoding="utf-8") as file:
        file.write("[scene]\nname = %s\nndisp = %d\nmasks = none\n" % (name, disparities))


def compare_view(program, left, map_arguments, position, truth, *more):
    found = json_of(program, [left] + map_arguments + ["--position", "%g" % position, "--true", truth]
                    + list(more))
    return [round(found["psnr"], 3), round(found["ssim"], 5)]


class Maps:
    """The maps of all scenes by name, and the views rendered from them."""

    def __init__(self, programs, folder):
        self.evaluate, self.view = programs
        self.matchers = algorithms(self.evaluate)
        self.folder = folder
        self.scenes = os.path.join(folder, "scenes")
        self.truth = {}

    def file(self, name, path):
        return os.path.join(self.scenes, name, path)

    def of(self, matcher, name):
        """The arguments of stereo-view for a map, None if there is none."""
        if matcher == "truth":
            return self.truth.get(name)
        return [os.path.join(self.folder, matcher, name + ".pfm")]

    def add(self, name, left, right, disparities, truth):
        scene(self.scenes, name, left, right, disparities)
        if truth:
            self.truth[name] = truth

    def match(self):
        for matcher in self.matchers:
            output_of(self.evaluate, [matcher, "--save", os.path.join(self.folder, matcher), self.scenes])

    def compare_view(self, matcher, name, position, truth, right=True, *more):
        words = self.of(matcher, name)
        if words is None:
            return None
        return compare_view(self.view, self.file(name, "left.png"), words, position, truth, *more,
                     *(["--right", self.file(name, "right.png")] if right else []))


def add_rendered(maps, folder):
    for pattern in patterns():
        n = FRAMES if pattern in MOVING else 1
        path = os.path.join(folder, pattern)
        os.makedirs(path)
        for view in ("left", "right", "disparity"):
            render(path, pattern, view, n)
        for position in sorted({p for p, _ in RENDERED}):
            render(path, pattern, "virtual", n if position == 0.5 else 1, position)
        for i in range(n):
            maps.add("%s-%d" % (pattern, i), *(os.path.join(path, "%s-%d.png" % (v, i))
                                               for v in ("left", "right")), DISPARITIES,
                     [os.path.join(path, "disparity-%d.png" % i), "--map-scale", "16"])


def add_real(maps):
    for name, (left, right, disparities, truth, scale, _) in REAL.items():
        maps.add(name, datasets(left), datasets(right), disparities,
                 truth and [datasets(truth), "--map-scale", str(scale)])
    for name, (folder, disparities, scale) in SINGLE.items():
        maps.add(name + " alone", *(datasets(folder, name, v + ".png") for v in ("left", "right")),
                 disparities, [datasets(folder, name, "disp_left.png"), "--map-scale", str(scale)])


def change(maps, matcher, folder):
    """PSNR of the change between frames, mean over frames and scenes."""
    total = []
    for pattern in MOVING:
        for i in range(FRAMES):
            truth = os.path.join(folder, pattern, "virtual0.5-%d.png" % i)
            name = "%s-%d" % (pattern, i)
            made = os.path.join(folder, "made%d.png" % (i % 2))
            words = [maps.file(name, "left.png")] + maps.of(matcher, name) + [
                "--right", maps.file(name, "right.png"), "--true", truth, "--save", made]
            if i > 0:
                words += ["--before", os.path.join(folder, "made%d.png" % ((i - 1) % 2)),
                          "--true-before", os.path.join(folder, pattern, "virtual0.5-%d.png" % (i - 1))]
            found = json_of(maps.view, words)
            if i > 0:
                total.append(found["psnr_of_change"])
    return round(sum(total) / len(total), 3)


def sweep(maps, matcher, name, folder):
    """The lowest and highest PSNR of consecutive views, STEPS to the baseline, and that of a step of a
    thousandth at both ends."""
    made = [os.path.join(folder, "sweep%d.png" % i) for i in range(2)]
    shutil.copy(maps.file(name, "left.png"), made[0])
    steps = []
    for i in range(1, STEPS + 1):
        steps.append(maps.compare_view(matcher, name, i / STEPS, made[(i - 1) % 2], True, "--save",
                                made[i % 2])[0])
    return {"least": min(steps), "most": max(steps),
            "ends": [maps.compare_view(matcher, name, p, maps.file(name, v + ".png"))[0]
                     for p, v in ((0.001, "left"), (0.999, "right"))]}


def measure(evaluate, arguments):
    """With build/tools/stereo-eval; stereo-view is in the same folder."""
    del arguments
    view = os.path.join(os.path.dirname(evaluate), "stereo-view")
    data = {"patterns": patterns(), "rendered": {}, "real": {}, "single": {}, "change": {}, "sweep": {}}
    with tempfile.TemporaryDirectory() as folder:
        maps = Maps((evaluate, view), folder)
        add_rendered(maps, folder)
        add_real(maps)
        maps.match()
        for matcher in ["truth"] + maps.matchers:
            data["rendered"][matcher] = {
                key_of(p, right):
                    [maps.compare_view(matcher, pattern + "-0", p, os.path.join(
                        folder, pattern, "virtual%g-0.png" % p), right) for pattern in patterns()]
                for p, right in RENDERED}
            data["real"][matcher] = {name: [maps.compare_view(matcher, name, p, datasets(truth))
                                            for p, truth in views]
                                     for name, (*_, views) in REAL.items()}
            data["single"][matcher] = [maps.compare_view(matcher, name + " alone", 1, datasets(
                folder_, name, "right.png"), False) for name, (folder_, *_) in SINGLE.items()]
            data["change"][matcher] = change(maps, matcher, folder)
        data["sweep"] = sweep(maps, "bfv", "planes-0", folder)
    save("views", data)


# ---------------------------------------------------------------------- tables

def cell(figures):
    return "%.2f %s" % (figures[0], ("%.4f" % figures[1]).lstrip("0")) if figures else "-"


def mean(many):
    return [sum(f[i] for f in many) / len(many) for i in range(2)] if None not in many else None


def rows_of(found, columns):
    """One row per map, the ground truth first, then the best matcher; columns maps figures to cells."""
    rows = {m: columns(f) for m, f in found.items()}
    order = sorted(rows, key=lambda m: (m != "truth", -(rows[m][-1] or [0])[0]))
    return [[m] + [cell(f) for f in rows[m]] for m in order]


def key_of(position, right):
    return "%g%s" % (position, "" if right else " alone")


def scenes_table(data):
    key = key_of(*RENDERED[0])
    return table(["map"] + data["patterns"] + ["mean"],
                 rows_of(data["rendered"], lambda f: f[key] + [mean(f[key])]))


def positions_table(data):
    heads = ["%g%s" % (p, "" if right else ", left view only") for p, right in RENDERED[1:]]
    return table(["map"] + heads,
                 rows_of(data["rendered"], lambda f: [mean(f[key_of(*view)]) for view in RENDERED[1:]]))


def real_table(found):
    heads = ["%s: %g" % (name, p) for name, (*_, views) in REAL.items() for p, _ in views]
    def columns(f):
        every = [figures for name in REAL for figures in f[name]]
        return every + [mean(every)]
    return table(["map"] + heads + ["mean"], rows_of(found, columns))


def single_table(found):
    return table(["map"] + list(SINGLE) + ["mean"], rows_of(found, lambda f: f + [mean(f)]))


def change_table(found):
    return table(["map", "PSNR of the change, dB"],
                 [[m, "%.2f" % found[m]] for m in sorted(found, key=lambda m: (m != "truth", -found[m]))])


def sweep_table(found):
    return table(["consecutive views, lowest", "highest", "position 0.001, left view", "position 0.999, right view"],
                 [["%.1f" % v for v in [found["least"], found["most"]] + found["ends"]]])


def generate():
    data = load("views")
    return {PAGE: with_tables(PAGE, {
        "rendered 0.5": scenes_table(data), "rendered": positions_table(data),
        "real": real_table(data["real"]), "single": single_table(data["single"]),
        "change": change_table(data["change"]), "sweep": sweep_table(data["sweep"])})}
