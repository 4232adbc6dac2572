# gst-stereomatching: the flicker table and pictures of the page on choosing a matcher
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of docs/choosing.md, from docs/data/choosing.json, and its pictures.

Flicker is measured on a stereo video, decoded by OpenCV for Python.
"""

import configparser
import glob
import os
import shutil
import tempfile

import sgbm
from common import DOCS, IMAGES, algorithms, datasets, load, output_of, paper, save, table, with_tables

PAGE = os.path.join(DOCS, "choosing.md")
VIDEO = ("video", "kitti_sequence")
LARGE = ("middlebury-2003-half", "cones_half")
# Disparity changes above this count as flicker, in pixels.
CHANGE = 3
# The video frame in the picture.
FRAME = 20
PICTURES = {"street": 480, "cones": 300}


def scene(folder, name, left, right, disparities):
    """Writes a scene for stereo-eval."""
    cv2 = sgbm.opencv()
    path = os.path.join(folder, name)
    os.makedirs(path)
    for side, view in (("left", left), ("right", right)):
        cv2.imwrite(os.path.join(path, side + ".png"), view)
    with open(os.path.join(path, "scene.ini"), "w", encoding="utf-8") as file:
        file.write("[scene]\nname = %s\nwidth = %d\nheight = %d\nndisp = %d\nmasks = none\n"
                   % (name, left.shape[1], left.shape[0], disparities))


def frames():
    """The grey pairs of the video, and the number of disparities."""
    cv2 = sgbm.opencv()
    ini = configparser.ConfigParser()
    ini.read(datasets(*VIDEO, "video.ini"), encoding="utf-8")
    videos = [cv2.VideoCapture(datasets(*VIDEO, ini["video"][side])) for side in ("left", "right")]
    pairs = []
    while True:
        pair = [video.read() for video in videos]
        if not all(good for good, _ in pair):
            return pairs, int(ini["video"]["ndisp"])
        pairs.append([view[:, :, 0] for _, view in pair])


def maps_of(program, name, folder, out):
    """Writes the maps of all scenes in folder: NAME.pfm, and NAME-color.png."""
    cv2 = sgbm.opencv()
    if name not in sgbm.MODES:
        output_of(program, name.split() + ["--save", out, folder])
        return
    found = tempfile.mkdtemp()
    for entry in sorted(os.listdir(folder)):
        ini = configparser.ConfigParser()
        ini.read(os.path.join(folder, entry, "scene.ini"), encoding="utf-8")
        left, right = (cv2.imread(os.path.join(folder, entry, side + ".png"), cv2.IMREAD_UNCHANGED)
                       for side in ("left", "right"))
        disparities, _ = sgbm.match(left, right, int(ini["scene"]["ndisp"]), name, runs=0)
        sgbm.write_pfm(os.path.join(found, entry + ".pfm"), disparities)
    output_of(program, ["--map", os.path.join(found, "{scene}.pfm"), "--save", out, folder])
    shutil.rmtree(found)


def change(maps):
    """Percentage of pixels whose disparity changes in the next frame."""
    import numpy
    changes = [numpy.mean(numpy.abs(b - a) > CHANGE) for a, b in zip(maps, maps[1:])]
    return 100 * float(sum(changes) / len(changes))


def flicker(folder):
    cv2 = sgbm.opencv()
    return change([cv2.imread(os.path.join(folder, name), cv2.IMREAD_UNCHANGED)
                   for name in sorted(os.listdir(folder)) if name.endswith(".pfm")])


def label(image, text):
    cv2 = sgbm.opencv()
    for color, thick in (((0, 0, 0), 3), ((255, 255, 255), 1)):
        cv2.putText(image, text, (8, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, color, thick, cv2.LINE_AA)


def picture(program, scenes, kind, setups, folder):
    """The maps of all matchers for one scene in one image, two or three per row."""
    import numpy
    cv2 = sgbm.opencv()
    width = PICTURES[kind]
    columns = 960 // width
    tiles = []
    for name, setup in setups.items():
        out = os.path.join(folder, "picture")
        maps_of(program, setup, scenes, out)
        path, = glob.glob(os.path.join(out, "*-color.png"))
        image = cv2.imread(path)
        shutil.rmtree(out)
        image = cv2.resize(image, (width, image.shape[0] * width // image.shape[1]),
                           interpolation=cv2.INTER_AREA)
        label(image, name)
        tiles.append(image)
    while len(tiles) % columns:
        tiles.append(numpy.zeros_like(tiles[0]))
    rows = [numpy.hstack(tiles[i:i + columns]) for i in range(0, len(tiles), columns)]
    cv2.imwrite(os.path.join(IMAGES, "choosing-%s.jpg" % kind), numpy.vstack(rows),
                [cv2.IMWRITE_JPEG_QUALITY, 82])


def pictures(program, setups, pairs, disparities, folder):
    grey = pairs[FRAME]
    large = [sgbm.opencv().imread(datasets(*LARGE, side + ".png")) for side in ("left", "right")]
    for kind, views, searched in (("street", grey, disparities), ("cones", large, 128)):
        scenes = os.path.join(folder, kind)
        scene(scenes, "0000", *views, searched)
        picture(program, scenes, kind, setups, folder)


def measure(program, wanted):
    """All matchers, OpenCV's modes and the pictures, or the named ones."""
    if sgbm.opencv() is None:
        raise SystemExit("OpenCV for Python is required (python3-opencv)")
    names = algorithms(program)
    setups = dict({name: name for name in names}, **{mode: mode for mode in sgbm.MODES})
    papers = {name + ", paper": paper(name) for name in names if paper(name) != name}
    try:
        found = load("choosing")["flicker"]
    except FileNotFoundError:
        found = {}
    folder = tempfile.mkdtemp()
    pairs, disparities = frames()
    for i, (left, right) in enumerate(pairs):
        scene(os.path.join(folder, "video"), "%04d" % i, left, right, disparities)
    for name, setup in dict(setups, **papers).items():
        if not wanted or name in wanted:
            out = os.path.join(folder, "maps")
            maps_of(program, setup, os.path.join(folder, "video"), out)
            found[name] = round(flicker(out), 4)
            shutil.rmtree(out)
    if not wanted or "pictures" in wanted:
        pictures(program, setups, pairs, disparities, folder)
    shutil.rmtree(folder)
    save("choosing", {"flicker": found})


def flicker_table(found):
    rows = [[name, "%.1f" % value] for name, value in sorted(found.items(),
                                                             key=lambda item: item[1])]
    return table(["", "pixels that change, %"], rows)


def generate():
    return {PAGE: with_tables(PAGE, {"flicker": flicker_table(load("choosing")["flicker"])})}
