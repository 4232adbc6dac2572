#!/usr/bin/env python3
# gst-stereomatching: manual pages of the tools from their tables of options
# SPDX-License-Identifier: LGPL-2.1-or-later
"""manual.py PROGRAM NAME SUMMARY [VERSION]

Prints a manual page, for groff's man macros. Synopsis and description are the
first two paragraphs of `PROGRAM --help`; the options come from `PROGRAM
--options` (see tools/cli-options.h). PROGRAM may be a script in Python, which prints
no version.
"""

import os
import re
import subprocess
import sys


def escape(text):
    """Escapes a line for groff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def output(program, option):
    """The output of a program; a failure ends this one."""
    words = [sys.executable, "-B", program] if program.endswith(".py") else [program]
    # independent of installed plugins and of the locale
    return subprocess.run(words + [option], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def synopsis(block):
    """Lines "Usage: NAME WORDS", "       NAME WORDS"."""
    lines = []
    for line in block.split("\n"):
        name, words = re.fullmatch(r"(?:Usage:)? *(\S+)(.*)", line).groups()
        lines += [".B " + escape(name), escape(words.strip()), ".br"]
    return lines[:-1]


def options(table):
    """Rows of option, argument, choices and description; headings have no option."""
    lines = []
    for option, argument, choices, description in (row.split("\t") for row in table.splitlines()):
        if not option:
            lines.append(".SS " + escape(description))
            continue
        known = " (%s)" % ", ".join(choices.split()) if choices else ""
        lines += [".TP", ".B " + escape((option + " " + argument).strip()),
                  escape(description + known)]
    return lines


def main():
    program, name, summary, *version = sys.argv[1:]
    version = version or [output(program, "--version").strip()]
    usage, description = output(program, "--help").split("\n\n")[:2]
    print("\n".join(
        ['.TH %s 1 "" "%s"' % (escape(name.upper()), escape(version[0])),
         ".SH NAME", "%s \\- %s" % (escape(name), escape(summary)), ".SH SYNOPSIS"]
        + synopsis(usage) + [".SH DESCRIPTION", ".PP"]
        + [escape(line) for line in description.split("\n")]
        + [".SH OPTIONS"] + options(output(program, "--options"))
        + [".SH EXIT STATUS", "0 on success, 1 if computing or writing failed, 2 if arguments or files",
           "are wrong.", ".SH SEE ALSO", ".BR stereo\\-eval (1),", ".BR stereo\\-bench (1),",
           ".BR stereo\\-view (1),", ".BR stereo\\-tune (1),", ".BR stereo\\-batch (1),",
           ".BR stereo\\-calibrate (1)"]))


if __name__ == "__main__":
    main()
