#!/usr/bin/env python3
# gst-stereomatching: runs the pipelines of the documentation
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of README.md, docs/ and the SECTION comments in gst/.

They run as printed, with four exceptions: endless test sources get
`num-buffers`, windows become fakesink, cameras become test sources, and elements
that only Jetson has become similar ones. Input
files that no earlier line has written are created: a left or right view of a
texture, both side by side if the name says so, with a tone if the name says
sound, or a calibration, in millimetres if the name says mm. The output of each
filesink must exist afterwards, and each line prints what its page promises
(blocks.py) and no other warning of this plugin. README's lines that read videos
also run with 10-bit and packed formats.
"""

import glob
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

import blocks
import png

ENDLESS = {"stereotestsrc", "videotestsrc"}
WINDOWS = {"autovideosink", "ximagesink", "xvimagesink", "glimagesink", "waylandsink"}
CAMERAS = {"v4l2src", "autovideosrc", "nvarguscamerasrc"}
CAMERA_NUMBER = ("device=", "sensor-id=")
ELSEWHERE = {"nvvidconv": "videoconvert"}  # on Jetson
WIDTH, HEIGHT, SHIFT = 160, 120, 5
FRAMES = 3
TIMEOUT = 60
# Formats of files other than planar 8 bits, and their encoders.
FORMATS = {"I420_10LE": "avenc_ffv1", "I422_10LE": "avenc_ffv1", "Y444_10LE": "avenc_ffv1",
           "YUY2": "identity"}
# Those of the sinks depend on the machine's speed.
WARNING = re.compile(r"^WARNING: from element \S*/Gst(?:Stereo|Disparity).*", re.MULTILINE)


def lines_of(root):
    """{line: (place, promise or None)}; a backslash continues a line."""
    found = {}
    paths = [os.path.join(root, "README.md")]
    paths += sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    paths += sorted(glob.glob(os.path.join(root, "gst", "**", "*.c"), recursive=True))
    for path in paths:
        if os.sep + os.path.join("docs", "elements") + os.sep in path:
            continue                    # generated from gst/*.c
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"^ \* ", "", text, flags=re.MULTILINE)
        for match in re.finditer(r"^[ \t]*(?:\$ )?(gst-launch-1\.0 (?:\\\n|.)*)$", text,
                                 re.MULTILINE):
            number = text.count("\n", 0, match.start()) + 1
            line = re.sub(r"\s*\\\n\s*", " ", match.group(1)).strip()
            found.setdefault(line, ("%s:%d" % (os.path.relpath(path, root), number),
                                    blocks.promise_before(text, match.start())))
    return found


def bounded(line):
    """The arguments of a line."""
    words = []
    camera = False
    for word in shlex.split(line, comments=True)[1:]:
        camera = camera and word != "!"
        if camera and word.startswith(CAMERA_NUMBER):
            continue
        word = ELSEWHERE.get(word, word)
        if word in WINDOWS:
            word = "fakesink"
        if word in CAMERAS:
            camera = True
            word = "videotestsrc"
        words.append(word)
        if word in ENDLESS:
            # the second of two values applies
            words.append("num-buffers=%d" % FRAMES)
        if camera and word == "videotestsrc":
            # the size of the calibrations
            words += ["!", "video/x-raw,width=%d,height=%d" % (WIDTH, HEIGHT)]
    return ["gst-launch-1.0"] + words


def locations(words, element):
    """The location properties of all elements of that name."""
    found = []
    current = None
    for before, word in zip([None] + words, words):
        if before in (None, "-e", "!") or "=" not in word:
            current = word
        if current == element and word.startswith("location="):
            found.append(word.split("=", 1)[1])
    return found


def calibrations(words):
    """The files in calibration properties."""
    found = []
    for word in words:
        if word.startswith("calibration="):
            found += word.split("=", 1)[1].split(":")
    return found


def run(words, folder):
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "timeout after %d s" % TIMEOUT)


def texture(name):
    """Rows of RGB: a surface with a disparity of SHIFT pixels."""
    chance = random.Random(1)
    rows = []
    for _ in range(HEIGHT):
        row = chance.randbytes(3 * (WIDTH + SHIFT))
        left, right = row[:3 * WIDTH], row[3 * SHIFT:]
        if re.search(r"sbs|side|stereo|both", name):
            rows.append(left + right)
        else:
            rows.append(right if "right" in name else left)
    return rows


def write_png(path, rows):
    png.write(path, len(rows[0]) // 3, rows)


def write_calibration(path, baseline):
    """Writes an OpenCV calibration of two aligned cameras."""
    camera = "[160, 0, %g, 0, 160, %g, 0, 0, 1]" % ((WIDTH - 1) / 2, (HEIGHT - 1) / 2)
    with open(path, "w", encoding="utf-8") as file:
        file.write("%%YAML:1.0\nM1: %s\nM2: %s\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                   "T: [-%g, 0, 0]\n" % (camera, camera, baseline))


def provide(name, folder):
    """Creates an input file of a line."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if name.endswith(".yml"):
        write_calibration(path, 60 if "mm" in name else 0.06)
        return
    if name.endswith(".png"):
        write_png(path, texture(name))
        return
    still = "jpegenc" if name.endswith(".jpg") else None
    mux = {".webm": "vp8enc deadline=1 ! webmmux", ".mkv": "vp8enc deadline=1 ! matroskamux",
           ".mp4": "openh264enc ! h264parse ! mp4mux"}.get(os.path.splitext(name)[1])
    if mux is None and still is None:
        return                          # the line reports the missing file
    sound = " audiotestsrc num-buffers=5 ! opusenc ! mux.audio_0" if "sound" in name else ""
    if sound:
        mux += " name=mux"
    picture = path + ".png"
    write_png(picture, texture(name))
    line = "filesrc location=%s ! pngdec ! imagefreeze num-buffers=%d ! " \
        "video/x-raw,framerate=30/1 ! videoconvert ! %s ! filesink location=%s" % (
            shlex.quote(picture), 1 if still else FRAMES, still or mux, shlex.quote(path)) + sound
    result = run(["gst-launch-1.0", "-q"] + shlex.split(line), folder)
    if result.returncode != 0:
        sys.exit("creating %s: %s%s" % (name, result.stdout, result.stderr))


def provide_video(name, pixels, folder):
    """Creates a video whose decoder outputs this format, whatever its name."""
    path = shlex.quote(os.path.join(folder, name))
    picture = path + ".png"
    write_png(os.path.join(folder, name + ".png"), texture(name))
    for line in (
            "filesrc location=%s ! pngdec ! imagefreeze num-buffers=%d ! "
            "video/x-raw,framerate=30/1 ! videoconvert ! video/x-raw,format=%s ! %s ! "
            "matroskamux ! filesink location=%s" % (picture, FRAMES, pixels, FORMATS[pixels], path),
            "filesrc location=%s ! decodebin ! video/x-raw,format=%s ! fakesink" % (path, pixels)):
        result = run(["gst-launch-1.0", "-q"] + shlex.split(line), folder)
        if result.returncode != 0:
            sys.exit("creating %s in %s: %s%s" % (name, pixels, result.stdout, result.stderr))


def warnings(promise, output):
    """The warnings that a page does not promise, or None."""
    found = [line for line in WARNING.findall(output)
             if not (promise and promise[0] and re.search(promise[1], line))]
    return "\n".join(found) or None


def run_line(words, folder, promise):
    """The problem of a line, or None."""
    written = [os.path.join(folder, name) for name in locations(words, "filesink")]
    for path in written:
        if os.path.exists(path):
            os.remove(path)
    result = run(words, folder)
    missing = [os.path.basename(path) for path in written
               if not os.path.exists(path) or not os.path.getsize(path)]
    if result.returncode == 0 and not missing and "ERROR" not in result.stderr:
        output = result.stdout + result.stderr
        return blocks.broken(promise, output) or warnings(promise, output)
    return "\n".join(["exit status %d" % result.returncode, result.stdout, result.stderr,
                      "not written: %s" % ", ".join(missing) if missing else ""])


def main():
    root = sys.argv[1]
    lines = lines_of(root)
    count = 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, (place, promise) in lines.items():
            words = bounded(line)
            for name in locations(words, "filesrc") + calibrations(words):
                provide(name, folder)
            videos = [name for name in locations(words, "filesrc") if not name.endswith(".png")]
            for pixels in [None] + (list(FORMATS) if videos and place.startswith("README") else []):
                if pixels:
                    place += ", " + pixels
                    for name in videos:
                        provide_video(name, pixels, folder)
                wrong = run_line(words, folder, promise)
                count += 1
                print("%s %s" % ("FAIL" if wrong else "ok  ", place))
                if wrong:
                    failed += 1
                    print(line, wrong, sep="\n")
                place = place.split(",", maxsplit=1)[0]
                if pixels:
                    for name in videos:
                        os.remove(os.path.join(folder, name))
    print("%d tests, %d failed, 0 skipped" % (count, failed))
    sys.exit(1 if failed or not lines else 0)


if __name__ == "__main__":
    main()
