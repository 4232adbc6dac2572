# gst-stereomatching: what the documentation prints to be typed
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of Markdown files, and those that nobody is to run.

A command stands in a fenced block of `sh`, or behind `$ ` in one of `console`,
or in an indented block that begins with the name of a program. A comment
`<!-- not run: WHY -->` in the line before a block, which a reader does not see,
says that the tests can't run what is in it.
"""

import glob
import os
import re

NOT_RUN = re.compile(r"<!-- not run: (.+) -->\n*$")
# What an indented block begins with that is to be typed.
PROGRAMS = r"gst-[a-z]+-1\.0|stereo-(?:eval|bench|view)|build/\S+|python3|meson|ninja|pip|cc|gcc"
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```|(?<=\n\n)((?:(?: {4}.*)?\n)*?(?: {4}.*\n)+)(?=\n|\Z)",
                   re.MULTILINE | re.DOTALL)


def paths(root):
    """README and all of docs/, but for what is made from gst/*.c."""
    made = os.path.join(root, "docs", "elements") + os.sep
    found = [os.path.join(root, "README.md")]
    found += sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    return [path for path in found if not path.startswith(made)]


def typed(kind, text):
    """The lines of a block that are to be typed; lines that go on are one."""
    text = re.sub(r"[ \t]*\\\n[ \t]*", " ", text)
    lines = [line.rstrip() for line in text.split("\n")]
    if kind == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    if kind == "sh":
        return [line for line in lines if line]
    return [line.strip() for line in lines if re.match("    (?:%s)(?: |$)" % PROGRAMS, line)]


def commands(root):
    """[(place, line, why not or None)] of all files."""
    found = []
    for path in paths(root):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in BLOCK.finditer(text):
            reason = NOT_RUN.search(text, 0, match.start())
            place = "%s:%d" % (os.path.relpath(path, root), text.count("\n", 0, match.start()) + 1)
            for line in typed(match.group(1), match.group(2) or match.group(3)):
                found.append((place, line, reason.group(1) if reason else None))
    return found
