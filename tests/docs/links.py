#!/usr/bin/env python3
# gst-stereomatching: whether what the documentation points to is there
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails for every relative link or picture in a Markdown file that leads nowhere, and for every
page of docs/ that is in no menu of the web site (docs/mkdocs.yml)."""

import os
import re
import sys


def main():
    root = sys.argv[1]
    bad = 0
    seen = 0
    with open(os.path.join(root, "docs", "mkdocs.yml"), encoding="utf-8") as file:
        menu = file.read().split()
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build", "out"))]
        for name in names:
            if not name.endswith(".md"):
                continue
            path = os.path.join(folder, name)
            page = os.path.relpath(path, root)
            if page.startswith("docs" + os.sep) and page not in menu:
                print("%s is not in docs/mkdocs.yml" % page)
                bad += 1
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:|#", target):
                    continue
                seen += 1
                if not os.path.exists(os.path.join(folder, target.split("#")[0])):
                    print("%s: there is no %s" % (page, target))
                    bad += 1
    print("%d links" % seen)
    sys.exit(1 if bad or not seen else 0)


if __name__ == "__main__":
    main()
