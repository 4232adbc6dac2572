#!/usr/bin/env python3
# gst-stereomatching: runs the pipelines that the documentation prints
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of README.md, docs/ and the SECTION comments in gst/.

They run as printed, but for three things: test sources that never end get
`num-buffers`, windows become fakesink, and a camera becomes a test source. A
file that a line reads, and that no line before it has written, is made here: a
left or right view of a texture, or both side by side if its name says so, or
a calibration. What a filesink names has to be there afterwards. README's lines
that read videos run once more for each of the other formats that files have: 10
bits, and packed.
"""

import glob
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

ENDLESS = {"stereotestsrc", "videotestsrc"}
WINDOWS = {"autovideosink", "ximagesink", "xvimagesink", "glimagesink", "waylandsink"}
CAMERAS = {"v4l2src", "autovideosrc"}
WIDTH, HEIGHT, SHIFT = 160, 120, 5
FRAMES = 3
TIMEOUT = 60
# Formats of files beside 8 bits in planes, and their encoders.
FORMATS = {"I420_10LE": "avenc_ffv1", "I422_10LE": "avenc_ffv1", "Y444_10LE": "avenc_ffv1",
           "YUY2": "identity"}


def lines_of(root):
    """{line: place}; a line may go on after a backslash."""
    found = {}
    paths = [os.path.join(root, "README.md")]
    paths += sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    paths += sorted(glob.glob(os.path.join(root, "gst", "**", "*.c"), recursive=True))
    for path in paths:
        if os.sep + os.path.join("docs", "elements") + os.sep in path:
            continue                    # made from gst/*.c
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"^ \* ", "", text, flags=re.MULTILINE)
        for match in re.finditer(r"^[ \t]*(?:\$ )?(gst-launch-1\.0 (?:\\\n|.)*)$", text,
                                 re.MULTILINE):
            number = text.count("\n", 0, match.start()) + 1
            line = re.sub(r"\s*\\\n\s*", " ", match.group(1)).strip()
            found.setdefault(line, "%s:%d" % (os.path.relpath(path, root), number))
    return found


def bounded(line):
    """The words to run."""
    words = []
    camera = False
    for word in shlex.split(line, comments=True)[1:]:
        camera = camera and word != "!"
        if camera and word.startswith("device="):
            continue
        if word in WINDOWS:
            word = "fakesink"
        if word in CAMERAS:
            camera = True
            word = "videotestsrc"
        words.append(word)
        if word in ENDLESS:
            # a property set twice takes the second value
            words.append("num-buffers=%d" % FRAMES)
    return ["gst-launch-1.0", "-q"] + words


def locations(words, element):
    """What the location properties of all elements of that name say."""
    found = []
    current = None
    for before, word in zip([None] + words, words):
        if before in (None, "-q", "-e", "!") or "=" not in word:
            current = word
        if current == element and word.startswith("location="):
            found.append(word.split("=", 1)[1])
    return found


def calibrations(words):
    """The files that calibration properties name."""
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
        return subprocess.CompletedProcess(words, 124, "", "it did not end in %d s" % TIMEOUT)


def texture(name):
    """Rows of RGB: a surface SHIFT pixels further left in the right view."""
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
    """An 8-bit RGB image, as the PNG specification has it: signature, chunks."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data)
                   + chunk(b"IEND", b""))


def write_calibration(path):
    """Two cameras 60 mm apart that need no rectifying, as OpenCV writes it."""
    camera = "[160, 0, %g, 0, 160, %g, 0, 0, 1]" % ((WIDTH - 1) / 2, (HEIGHT - 1) / 2)
    with open(path, "w", encoding="utf-8") as file:
        file.write("%%YAML:1.0\nM1: %s\nM2: %s\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                   "T: [-0.06, 0, 0]\n" % (camera, camera))


def provide(name, folder):
    """Makes a file for a line to read."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if name.endswith(".yml"):
        write_calibration(path)
        return
    if name.endswith(".png"):
        write_png(path, texture(name))
        return
    still = "jpegenc" if name.endswith(".jpg") else None
    mux = {".webm": "vp8enc deadline=1 ! webmmux", ".mkv": "vp8enc deadline=1 ! matroskamux",
           ".mp4": "openh264enc ! h264parse ! mp4mux"}.get(os.path.splitext(name)[1])
    if mux is None and still is None:
        return                          # the line will say that it is missing
    picture = path + ".png"
    write_png(picture, texture(name))
    line = "filesrc location=%s ! pngdec ! imagefreeze num-buffers=%d ! " \
        "video/x-raw,framerate=30/1 ! videoconvert ! %s ! filesink location=%s" % (
            shlex.quote(picture), 1 if still else FRAMES, still or mux, shlex.quote(path))
    result = run(["gst-launch-1.0", "-q"] + shlex.split(line), folder)
    if result.returncode != 0:
        sys.exit("making %s: %s%s" % (name, result.stdout, result.stderr))


def provide_video(name, pixels, folder):
    """Makes a video whose decoder gives this format; what it holds counts, not its name."""
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
            sys.exit("making %s of %s: %s%s" % (name, pixels, result.stdout, result.stderr))


def run_line(words, folder):
    """What is wrong with it, or None."""
    written = [os.path.join(folder, name) for name in locations(words, "filesink")]
    for path in written:
        if os.path.exists(path):
            os.remove(path)
    result = run(words, folder)
    missing = [os.path.basename(path) for path in written
               if not os.path.exists(path) or not os.path.getsize(path)]
    if result.returncode == 0 and not missing and "ERROR" not in result.stderr:
        return None
    return "\n".join(["exit status %d" % result.returncode, result.stdout, result.stderr,
                      "not written: %s" % ", ".join(missing) if missing else ""])


def main():
    root = sys.argv[1]
    lines = lines_of(root)
    count = 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, place in lines.items():
            words = bounded(line)
            for name in locations(words, "filesrc") + calibrations(words):
                provide(name, folder)
            videos = [name for name in locations(words, "filesrc") if not name.endswith(".png")]
            for pixels in [None] + (list(FORMATS) if videos and place.startswith("README") else []):
                if pixels:
                    place += ", " + pixels
                    for name in videos:
                        provide_video(name, pixels, folder)
                wrong = run_line(words, folder)
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
