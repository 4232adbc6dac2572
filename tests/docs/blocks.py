# gst-stereomatching: the commands of the documentation
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of Markdown files, and those excluded from the tests.

A command is a line of a fenced block of `sh`, a line after `$ ` in one of
`console`, or an indented block that begins with the name of a program. A comment
`<!-- not run: REASON -->` in the line before a block excludes it from the tests;
`<!-- prints: PATTERN -->` and `<!-- does not print: PATTERN -->` there say what
the page promises of the output of its first command.
"""

import glob
import os
import re

NOT_RUN = re.compile(r"<!-- not run: (.+) -->\n*$")
PROMISE = re.compile(r"<!-- (prints|does not print): (.+) -->\n*(?:```sh\n)?$")
# Programs that begin an indented block of commands.
PROGRAMS = r"gst-[a-z]+-1\.0|stereo-(?:eval|bench|view)|build/\S+|python3|meson|ninja|pip|cc|gcc"
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```|(?<=\n\n)((?:(?: {4}.*)?\n)*?(?: {4}.*\n)+)(?=\n|\Z)",
                   re.MULTILINE | re.DOTALL)


def promise_before(text, position):
    """What the page promises of the command there: (whether it is printed, pattern) or None."""
    found = PROMISE.search(text, 0, position)
    return (found.group(1) == "prints", found.group(2)) if found else None


def broken(promise, output):
    """The problem of an output, or None."""
    if promise is None or bool(re.search(promise[1], output)) == promise[0]:
        return None
    return "%s: %s\n%s" % ("not printed" if promise[0] else "printed", promise[1], output)


def paths(root):
    """README and docs/, except the pages generated from gst/*.c."""
    generated = os.path.join(root, "docs", "elements") + os.sep
    found = [os.path.join(root, "README.md")]
    found += sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    return [path for path in found if not path.startswith(generated)]


def typed(kind, text):
    """The commands of a block; continued lines are joined."""
    text = re.sub(r"[ \t]*\\\n[ \t]*", " ", text)
    lines = [line.rstrip() for line in text.split("\n")]
    if kind == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    if kind == "sh":
        return [line for line in lines if line]
    return [line.strip() for line in lines if re.match("    (?:%s)(?: |$)" % PROGRAMS, line)]


def commands(root):
    """[(place, line, reason not to run it or None, promise or None)] of all files."""
    found = []
    for path in paths(root):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in BLOCK.finditer(text):
            reason = NOT_RUN.search(text, 0, match.start())
            place = "%s:%d" % (os.path.relpath(path, root), text.count("\n", 0, match.start()) + 1)
            promise = promise_before(text, match.start())
            for line in typed(match.group(1), match.group(2) or match.group(3)):
                found.append((place, line, reason.group(1) if reason else None, promise))
                promise = None
    return found
