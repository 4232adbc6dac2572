# gst-stereomatching: checks that names and sentences use the terms of the field
# SPDX-License-Identifier: LGPL-2.1-or-later
"""words.py ROOT

Lists words and turns of phrase that the project does not use, in names, comments, messages and
documentation, each with a replacement. Wrapped lines count as one. codespell, if installed, checks
the spelling of the same files.
"""

import os
import re
import shutil
import subprocess
import sys

# Pattern: what to write instead. Matched without regard to case.
TURNS = {
    r"what follows": "downstream, or name what it is",
    r"\banew\b": "again, restart, reset",
    r"so many (rows|columns|frames|pixels|buffers|bytes)": "the number of ...",
    r"of which (no|some|many|all|\d)": "two sentences",
    r"does instead|do instead of": "use ... instead",
    r"(is|are|was|were|been|being) told": "is reported, is notified",
    r"complain": "post an error, report",
    r"\b(un)?knock": "wakeup, sudden motion",
    r"likeness": "similarity",
    r"clearness": "uniqueness",
    r"cut off at": "truncated at",
    r"what (computes|happened|becomes? of|is left of|comes of)": "a noun",
    r"(gone|goes|going|go) on with": "continue",
    r"no (map|image|frame|buffer) came": "never received",
    r"for whom": "a relative clause with that",
    r"\bit is about\b": "name it",
    r"\bmake[sn]? of (it|them|that|this)\b": "compute from",
    r"out of step": "out of sync, not synchronised",
    r"\b(weighs? nothing|time passes|word of it|own affair|a moment longer|out of nowhere)\b":
        "the plain fact",
    r"for the \w+ to see": "which ... needs",
    r"once more, \w+ by \w+|from (its|the) description alone": "an independent implementation of",
    r"what comes (out|next)\b": "the output, the next ...",
    r"nothing (comes|came|goes) (out|down|through)": "no output, not downloaded",
    r"\bnor (is|has) (it|that)\b": "a new sentence",
    r"\bas who\b|\bwho (asks?|seeks?|said|posts?|wants?)\b|nobody listens": "name the caller",
    r"computed elsewhere": "computed independently",
    r"(is|are) worth (a|one) (warning|message|line)": "causes a warning",
    r"takes? \w+ for (packed|errors|an error|a leak)|taken for granted": "assume",
    r"as (it|streams|they) (should|have to) be": "name the requirement",
    r"comes? to (no|an|its) end": "ends, timeout",
    r"without a word\b": "without a warning",
    r"so this is how|not to be had": "name the consequence",
    r"\b(changes?) its mind": "renegotiates",
    r"held to (the|an|it|them|one)\b": "compared with",
    r"\beach for itself|each by itself|in their turn\b": "separately, in order",
    r"(is|are) no reason to": "does not",
    r"views? disagree": "inconsistent",
    r"where the time goes": "per-stage timings",
    r"of like colour": "of similar colour",
    r"cloud of points": "point cloud",
    r"\bwhoever\b": "name the caller, the thread, the element",
    r"sees? to it that": "ensure, check",
    r"for want of": "without",
    r"\banew\b": "again",
    r"(algorithms?|arithmetic) once more": "an oracle",
    r"nothing (here )?is shared with": "shares no code with",
    r"(image|buffer|frame)s? without (a partner|one)": "unpaired",
    r"\bcan't\b|\bwon't\b|\bdoesn't\b|\bisn't\b|\baren't\b|\bdon't\b|\bhasn't\b|\bdidn't\b":
        "the long form",
}

SUFFIXES = (".c", ".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".bash", ".md", ".build", ".txt", ".prs",
            ".js", ".css", ".html", ".in", ".ini", ".supp")
NAMES = ("README.md", "NEWS", "run", "control", "changelog", "copyright", "readme", "rules")
# Word lists, and fixed texts of other authors.
SKIPPED = ("tests/style/words.py", "tests/style/codespell.txt", "COPYING", "LICENSES/",
           "tests/fuzz/corpus/", "docs/images/")


def files(root):
    """The text files of the project, by their paths in it."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f == ".ci" or not f.startswith(
            (".", "build", "out", "obj-", "__pycache__")) or f == "build.ninja")
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if (name.endswith(SUFFIXES) or name in NAMES) and not path.startswith(SKIPPED):
                yield path


def joined(text):
    """The text with line ends and comment marks as single blanks, and the line of each character."""
    blank = re.compile(r"[ \t]*\n[ \t]*(?:\*(?!/)|//|#)?[ \t]*|\"\s*\n\s*\"")
    out, line_of, position, line = [], [], 0, 1
    for match in blank.finditer(text):
        piece = text[position:match.start()]
        out.append(piece + " ")
        line_of += [line] * (len(piece) + 1)
        line += match.group(0).count("\n")
        position = match.end()
    out.append(text[position:])
    line_of += [line] * (len(text) - position + 1)
    return "".join(out), line_of


def find_turns(root, paths):
    patterns = [(re.compile(p, re.IGNORECASE), instead) for p, instead in TURNS.items()]
    found = 0
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text, line_of = joined(file.read())
        for pattern, instead in patterns:
            for match in pattern.finditer(text):
                print("%s:%d: %s (%s)" % (path, line_of[match.start()], match.group(0), instead))
                found += 1
    return found


def find_misspellings(root, paths):
    if not shutil.which("codespell"):
        print("codespell is not installed")
        return 0
    words = os.path.join(root, "tests", "style", "codespell.txt")
    result = subprocess.run(["codespell", "--ignore-words", words] + paths, cwd=root,
                            stdout=subprocess.PIPE, text=True, check=False)
    print(result.stdout, end="")
    return len(result.stdout.splitlines())


def main(root):
    paths = list(files(root))
    found = find_turns(root, paths) + find_misspellings(root, paths)
    print("%d files" % len(paths))
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
