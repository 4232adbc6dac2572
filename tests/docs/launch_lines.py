#!/usr/bin/env python3
# gst-stereomatching: runs the pipelines that the documentation prints
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of README.md, docs/ and the SECTION comments in gst/.

They run as printed, in a folder that has left.png, right.png, left.webm and
right.webm, but for two things: sources that never end get `num-buffers`, and
windows (autovideosink) become fakesink. What a filesink names has to be there
afterwards.
"""

import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

ENDLESS = ("stereotestsrc", "videotestsrc")


def lines_of(root):
    """{line: place}; a line may go on after a backslash."""
    found = {}
    paths = [os.path.join(root, "README.md")]
    paths += sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    paths += sorted(glob.glob(os.path.join(root, "gst", "*.c")))
    for path in paths:
        if os.sep + os.path.join("docs", "elements") + os.sep in path:
            continue                    # made from gst/*.c
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"^ \* ", "", text, flags=re.MULTILINE)
        text = re.sub(r" *\\\n *", " ", text)
        for match in re.finditer(r"^gst-launch-1\.0 .*$", text, re.MULTILINE):
            number = text.count("\n", 0, match.start()) + 1
            found.setdefault(match.group(0).strip(),
                             "%s:%d" % (os.path.relpath(path, root), number))
    return found


def shortened(line):
    words = []
    for word in shlex.split(line):
        word = "fakesink" if word == "autovideosink" else word
        words.append(word)
        if word in ENDLESS:
            words.append("num-buffers=3")
    # a property set twice takes the second value
    return ["gst-launch-1.0", "-q"] + words[1:]


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False)


def prepare(folder):
    for view in ("left", "right"):
        source = "stereotestsrc pattern=sphere view=%s num-buffers=%%d ! " \
            "video/x-raw,format=RGB,width=160,height=120" % view
        image = source % 1 + " ! pngenc ! filesink location=%s.png" % view
        video = source % 3 + " ! videoconvert ! vp8enc deadline=1 ! webmmux ! " \
            "filesink location=%s.webm" % view
        for line in (image, video):
            result = run(["gst-launch-1.0", "-q"] + shlex.split(line), folder)
            if result.returncode != 0:
                sys.exit(result.stdout + result.stderr)


def main():
    root = sys.argv[1]
    lines = lines_of(root)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for line, place in lines.items():
            words = shortened(line)
            wanted = [w.split("=", 1)[1] for i, w in enumerate(words)
                      if w.startswith("location=") and "filesink" in words[max(i - 2, 0):i]]
            for name in wanted:
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    os.remove(path)
            result = run(words, folder)
            missing = [n for n in wanted if not os.path.getsize(os.path.join(folder, n))] \
                if result.returncode == 0 else []
            good = result.returncode == 0 and not missing and "ERROR" not in result.stderr
            print("%s %s" % ("ok  " if good else "FAIL", place))
            if not good:
                failed += 1
                print(line, result.stdout, result.stderr, "empty: %s" % missing, sep="\n")
    print("%d tests, %d failed, 0 skipped" % (len(lines), failed))
    sys.exit(1 if failed or not lines else 0)


if __name__ == "__main__":
    main()
