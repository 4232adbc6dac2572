#!/usr/bin/env python3
# gst-stereomatching: runs the example programs
# SPDX-License-Identifier: LGPL-2.1-or-later
"""run.py compare-disparity|match-images|depth|depth-cpp|swing PROGRAM

Runs it with valid and invalid arguments on small files, and checks exit status,
messages and output files.
"""

import os
import random
import re
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Failure(text)


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300,
                          check=False)


def refused(status, part, program, *arguments):
    """Fails unless the program ends with status, with one line on stderr that contains part."""
    result = run(program, *arguments)
    text = "%s: status %d, %r" % (arguments, result.returncode, result.stderr)
    require(result.returncode == status, text)
    require(part in result.stderr, text + ", without %r" % part)
    require(len(result.stderr.strip().split("\n")) == 1, text)
    require(result.stdout == "", "%s: prints %r" % (arguments, result.stdout))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ------------------------------------------------------------ compare-disparity

def gray16(rows):
    """Rows padded to four bytes, with non-zero padding."""
    data = b""
    for row in rows:
        line = b"".join(code.to_bytes(2, "little") for code in row)
        data += line + b"\xff" * (-len(line) % 4)
    return data


def compare_wrong_arguments(program):
    for arguments in ((), ("3",), ("3", "2", "a"), ("3", "2", "a", "b", "c"), ("0", "2", "a", "b"),
                      ("3", "-2", "a", "b"), ("x", "2", "a", "b"), ("3x", "2", "a", "b"),
                      ("", "2", "a", "b"), ("16385", "2", "a", "b"),
                      ("99999999999999999999", "2", "a", "b"), ("2000000000", "1", "a", "b")):
        refused(2, "usage: ", program, *arguments)


def compare_missing_files(program):
    write("there", gray16([[1, 2, 3]] * 2))
    refused(2, "missing: No such file", program, "3", "2", "missing", "there")
    refused(2, "missing: No such file", program, "3", "2", "there", "missing")


def compare_nothing(program):
    write("map", gray16([[160, 160, 160]] * 2))
    write("unknown", gray16([[0, 0, 0]] * 2))
    write("short", gray16([[160, 160, 160]] * 2)[:-1])
    write("empty", b"")
    for truth in ("unknown", "short", "empty"):
        refused(1, "nothing to compare in map and " + truth, program, "3", "2", "map", truth)
    refused(1, "nothing to compare", program, "3", "2", "empty", "map")


def compare_numbers(program):
    # off by 0, 1 px, just over 1 px; one not known; 4 px; 0
    truth = gray16([[160, 160, 160], [0, 160, 160]])
    result = gray16([[160, 176, 143], [999, 96, 160]])
    write("truth", truth + truth)
    write("result", result + truth)
    done = run(program, "3", "2", "result", "truth")
    require(done.returncode == 0, done.stderr)
    require("2 frames: 20.00 %" in done.stdout, done.stdout)
    require("mean error is 0.61 pixels" in done.stdout, done.stdout)   # 6.0625 / 10
    done = run(program, "3", "2", "truth", "truth")
    require("2 frames: 0.00 %" in done.stdout and "is 0.00 pixels" in done.stdout, done.stdout)
    # invalid pixels are bad, also where a disparity is small, and have no error
    write("near", gray16([[8, 8, 160], [160, 160, 160]]))
    write("result", gray16([[0, 8, 0], [144, 160, 160]]))
    done = run(program, "3", "2", "result", "near")
    require("1 frames: 33.33 %" in done.stdout and "is 0.25 pixels" in done.stdout, done.stdout)
    write("result", gray16([[0, 0, 0]] * 2))
    done = run(program, "3", "2", "result", "near")
    require("1 frames: 100.00 %" in done.stdout and "is 0.00 pixels" in done.stdout, done.stdout)


# ----------------------------------------------------------------- match-images

WIDTH, HEIGHT, SHIFT = 48, 20, 4


def ppm(width, height, data):
    return b"P6\n%d %d\n255\n" % (width, height) + data


def write_pair():
    """A texture, and the same SHIFT pixels further left."""
    chance = random.Random(1)
    rows = [[chance.randrange(256) for _ in range(3 * (WIDTH + SHIFT))] for _ in range(HEIGHT)]
    write("left.ppm", ppm(WIDTH, HEIGHT, b"".join(bytes(r[:3 * WIDTH]) for r in rows)))
    write("right.ppm", ppm(WIDTH, HEIGHT, b"".join(bytes(r[3 * SHIFT:]) for r in rows)))


def match_pair(program):
    write_pair()
    done = run(program, "left.ppm", "right.ppm", "map.pgm", "num-disparities=8", "median=true")
    require(done.returncode == 0, done.stderr)
    require("%dx%d in " % (WIDTH, HEIGHT) in done.stdout, done.stdout)
    data = read("map.pgm")
    head = b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT)
    require(data.startswith(head), repr(data[:20]))
    codes = data[len(head):]
    require(len(codes) == WIDTH * HEIGHT, "%d bytes" % len(codes))
    unit = 255 / 7
    good = sum(abs(codes[y * WIDTH + x] - SHIFT * unit) < unit / 4 for y in range(HEIGHT)
               for x in range(SHIFT, WIDTH))
    require(good > 0.95 * HEIGHT * (WIDTH - SHIFT), "%d of %d are right" % (
        good, HEIGHT * (WIDTH - SHIFT)))


def match_one_pixel(program):
    write("one.ppm", ppm(1, 1, b"abc"))
    done = run(program, "one.ppm", "one.ppm", "one.pgm")
    require(done.returncode == 0, done.stderr)
    require(len(read("one.pgm")) == len(b"P5\n1 1\n255\n") + 1, "size")


def match_comments(program):
    """Of image editors, anywhere in the header."""
    write_pair()
    data = read("left.ppm").replace(b"P6\n", b"P6\n# Made by\n#\n", 1)
    write("left.ppm", data.replace(b"\n255\n", b" # pixels\n255\n", 1))
    done = run(program, "left.ppm", "right.ppm", "commented.pgm", "num-disparities=8",
               "median=true")
    require(done.returncode == 0, done.stderr)
    match_pair(program)
    require(read("commented.pgm") == read("map.pgm"), "another map")


def match_wrong_arguments(program):
    write_pair()
    usage = "LEFT.ppm RIGHT.ppm DISPARITY.pgm"
    for arguments in ((), ("left.ppm",), ("left.ppm", "right.ppm")):
        refused(1, usage, program, *arguments)
    pair = ("left.ppm", "right.ppm", "out.pgm")
    refused(1, "num-disparities: is not of the form", program, *pair, "num-disparities")
    refused(1, "no parameter 'nonsense'", program, *pair, "nonsense=1")
    refused(1, "num-disparities = 0 is out of range: it goes from 1 to 16384", program, *pair,
            "num-disparities=0")
    refused(1, "num-disparities = 'many': it takes a whole number from 1 to 16384", program, *pair,
            "num-disparities=many")
    refused(1, "median = 'maybe': it takes true or false", program, *pair, "median=maybe")
    refused(1, "invalid-value 256 does not fit GRAY8", program, *pair, "invalid-value=256")
    require(not os.path.exists("out.pgm"), "writes a map after an error")


def match_wrong_files(program):
    write_pair()
    right = read("right.ppm")
    write("short.ppm", right[:-1])
    write("ascii.ppm", b"P3\n1 1\n255\n1 2 3\n")
    write("deep.ppm", b"P6\n1 1\n65535\nabcdef")
    write("none.ppm", ppm(0, 1, b""))
    write("negative.ppm", ppm(-3, 1, b"abc"))
    write("huge.ppm", ppm(1000000, 1, b"abc"))
    write("empty.ppm", b"")
    write("small.ppm", ppm(2, 2, b"abcdefghijkl"))
    for name in ("ascii", "deep", "none", "negative", "huge", "empty"):
        for pair in (("left.ppm", name + ".ppm"), (name + ".ppm", "right.ppm")):
            refused(1, name + ".ppm: is not a binary PPM", program, *pair, "out.pgm")
    refused(1, "short.ppm: is too short", program, "left.ppm", "short.ppm", "out.pgm")
    refused(1, "missing.ppm: cannot be opened", program, "missing.ppm", "right.ppm", "out.pgm")
    refused(1, "right image is 2x2", program, "left.ppm", "small.ppm", "out.pgm")
    refused(1, "nowhere/out.pgm: cannot be written", program, "left.ppm", "right.ppm",
            "nowhere/out.pgm")


# ------------------------------------------------------- depth, in C and in C++

# Lines of docs/examples.md.
DOCUMENTED = ["0.000 s: 57.06 pixels, 0.631 m at column 194, row 149",
              "0.033 s: 63.00 pixels, 0.571 m at column 138, row 128"]


def depth_frames(program):
    done = run(program)
    require(done.returncode == 0, done.stderr)
    lines = done.stdout.strip().split("\n")
    require(len(lines) == 5 and lines[:2] == DOCUMENTED, done.stdout)
    for number, line in enumerate(lines):
        match = re.fullmatch(r"(\d\.\d{3}) s: (\d+\.\d\d) pixels, (\d\.\d{3}) m at column (\d+), "
                             r"row (\d+)", line)
        require(match, line)
        time, disparity, depth = map(float, match.groups()[:3])
        require(abs(time - number / 30) < 0.001, line)
        require(20 < disparity < 64, line)
        # focal length in pixels * baseline in metres
        require(abs(depth - 300 * 0.12 / disparity) < 0.001, line)


def depth_sources(program):
    size = " num-buffers=1 ! video/x-raw,width=101,height=77"
    done = run(program, "stereotestsrc" + size, "stereotestsrc view=right" + size)
    require((done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr)


def depth_unknown(program):
    """Of a disparity of 1/16 pixel, which is too far away, and of a map without disparities."""
    size = " num-buffers=1 ! video/x-raw,width=%d,height=%d"
    far = [source + size % (64, 48)
           for source in ("videotestsrc pattern=black", "videotestsrc pattern=white")]
    done = run(program, *far)
    require(done.stdout == "0.000 s: 0.06 pixels, depth unknown at column 0, row 0\n", done.stdout)
    none = [source + size % (2, 2) for source in ("stereotestsrc view=left", "videotestsrc")]
    done = run(program, *none)
    require(done.stdout == "0.000 s: no disparity is known\n", done.stdout)


def depth_wrong_sources(program):
    missing = "filesrc location=missing ! pngdec"
    refused(1, "filesrc0: Resource not found", program, missing, missing)
    refused(1, 'no element "nothing"', program, "nothing", "stereotestsrc")


def depth_without_plugin(program):
    os.environ.update(GST_PLUGIN_PATH_1_0=os.getcwd(), GST_REGISTRY=os.path.abspath("registry"))
    refused(1, "no element", program)


def depth_wrong_arguments(program):
    for arguments in (("stereotestsrc",), ("stereotestsrc",) * 3):
        refused(2, "usage: ", program, *arguments)


DEPTH = (depth_frames, depth_sources, depth_unknown, depth_wrong_sources, depth_wrong_arguments,
         depth_without_plugin)


# ------------------------------------------------------------------------ swing

def swing_video(program):
    done = run(program, "8")
    require(done.returncode == 0, done.stderr)
    require(done.stdout == "", done.stdout)
    data = read("swing.webm")
    require(data.startswith(b"\x1aE\xdf\xa3") and b"webm" in data[:64], repr(data[:64]))
    # the view moves, so a second time with fewer frames is shorter
    done = run(program, "1")
    require(done.returncode == 0, done.stderr)
    require(0 < len(read("swing.webm")) < len(data), "%d bytes" % len(data))


def swing_wrong_arguments(program):
    for arguments in (("0",), ("-1",), ("x",), ("3x",), ("",), ("1", "2"), ("--mouse", "1"),
                      ("99999999999999999999",)):
        refused(2, "usage: ", program, *arguments)


def swing_without_plugin(program):
    os.environ.update(GST_PLUGIN_PATH_1_0=os.getcwd(), GST_REGISTRY=os.path.abspath("registry"))
    refused(1, "no element", program)


TESTS = {
    "compare-disparity": (compare_wrong_arguments, compare_missing_files, compare_nothing,
                          compare_numbers),
    "match-images": (match_pair, match_one_pixel, match_comments, match_wrong_arguments,
                     match_wrong_files),
    "depth": DEPTH,
    "depth-cpp": DEPTH,
    "swing": (swing_video, swing_wrong_arguments, swing_without_plugin),
}


def main():
    tests = TESTS[sys.argv[1]]
    program = os.path.abspath(sys.argv[2])
    failed = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test(program)
                print("ok %s" % test.__name__)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print("FAIL %s: %s" % (test.__name__, failure))
            os.chdir("/")
    print("%d tests, %d failed, 0 skipped" % (len(tests), failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
