#!/usr/bin/env python3
# gst-stereomatching: checks the links of the documentation
# SPDX-License-Identifier: LGPL-2.1-or-later
"""links.py ROOT

Fails for relative links and pictures of Markdown files without a target, for
links to missing headings, and for pages of docs/ that are missing from the menu
of the web site (docs/mkdocs.yml).
"""

import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages(root):
    """Paths of all Markdown files."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build", "out"))]
        found += [os.path.join(folder, name) for name in names if name.endswith(".md")]
    return found


def anchors(text):
    """The anchors of headings."""
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
                for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in headings}


def problem_of(path, target):
    """The problem of a link in a file, or None."""
    name, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if not os.path.exists(file):
        return "%s does not exist" % target
    if anchor and file.endswith(".md") and anchor not in anchors(read(file)):
        return "%s has no such heading" % target
    return None


def main():
    root = sys.argv[1]
    menu = read(os.path.join(root, "docs", "mkdocs.yml")).split()
    count = 0
    problems = []
    for path in pages(root):
        page = os.path.relpath(path, root)
        if page.startswith("docs" + os.sep) and page not in menu:
            problems.append("%s is not in docs/mkdocs.yml" % page)
        for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
            if not re.match(r"[a-z]+:", target):
                count += 1
                problem = problem_of(path, target)
                problems += ["%s: %s" % (page, problem)] if problem else []
    print("%d links" % count, *problems, sep="\n")
    sys.exit(1 if problems or not count else 0)


if __name__ == "__main__":
    main()
