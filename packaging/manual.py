#!/usr/bin/env python3
# gst-stereomatching: manual pages of the tools, from what they say of themselves
# SPDX-License-Identifier: LGPL-2.1-or-later
"""manual.py PROGRAM NAME SUMMARY

Runs `PROGRAM --help` and `PROGRAM --version` and prints a manual page, for
groff's man macros. The help has, parted by empty lines, "Usage:", paragraphs,
and lists of options, with a heading or without one; an option and what it does
are parted by two blanks, and what goes on stands as far right as it began.
"""

import os
import re
import subprocess
import sys


def escape(text):
    """What groff takes for itself."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def say(program, option):
    """What the program prints; the manual is of a program that works."""
    # a plugin or a library of the build tree is not needed, nor is a locale
    return subprocess.run([program, option], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def synopsis(block):
    """Lines "Usage: NAME WORDS", "       NAME WORDS"."""
    lines = []
    for line in block:
        name, words = re.fullmatch(r"(?:Usage:)? *(\S+)(.*)", line).groups()
        lines += [".B " + escape(name), escape(words.strip()), ".br"]
    return lines[:-1]


def options(block):
    """Lines of options, each with what it does."""
    lines = []
    for line in block:
        option, text = re.fullmatch(r"(?:  (-\S.*?)(?:  +|$))?(.*)", line).groups()
        if option:
            lines += [".TP", ".B " + escape(option)]
        if text.strip():
            lines.append(escape(text.strip()))
    return lines


def page(text, version, name, summary):
    """The lines of the page."""
    blocks = [block.split("\n") for block in text.rstrip("\n").split("\n\n")]
    lines = ['.TH %s 1 "" "%s"' % (escape(name.upper()), escape(version)),
             ".SH NAME", "%s \\- %s" % (escape(name), escape(summary)),
             ".SH SYNOPSIS"] + synopsis(blocks[0]) + [".SH DESCRIPTION"]
    begun = False
    for block in blocks[1:]:
        heading = [] if block[0].startswith(" ") else block[:1]
        listed = any(re.match("  -", line) for line in block)
        if listed and not begun:
            lines.append(".SH OPTIONS")
        begun = begun or listed
        if not listed:
            lines += [".PP"] + [escape(line) for line in block]
        elif heading:
            lines += [".SS " + escape(heading[0])] + options(block[1:])
        else:
            lines += options(block)
    return lines + [
        ".SH EXIT STATUS", "0 when all went well, 1 when something failed, 2 when arguments or files",
        "are wrong.",
        ".SH SEE ALSO", ".BR stereo\\-eval (1),", ".BR stereo\\-bench (1),", ".BR stereo\\-view (1),",
        ".BR stereo\\-tune (1)"]


def main():
    program, name, summary = sys.argv[1:]
    print("\n".join(page(say(program, "--help"), say(program, "--version").strip(), name, summary)))


if __name__ == "__main__":
    main()
