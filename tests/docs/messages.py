#!/usr/bin/env python3
# gst-stereomatching: checks that statistics and messages are documented
# SPDX-License-Identifier: LGPL-2.1-or-later
"""messages.py ROOT

docs/messages.md must have every field of a structure `stereo-...` that an element
in gst/ creates, and exactly the reasons in the code for dropping an image.
"""

import glob
import os
import re
import sys

STRUCTURE = re.compile(r'gst_structure_new \("(stereo-[a-z]+)",(.*?)NULL\)', re.DOTALL)
FIELD = re.compile(r'"([a-z-]+)",\s+G_TYPE_')
REASON = re.compile(r'(?:\b\w*(?:drop|lost|unpaired) \([^;{"]*'
                    r'|"reason",\s+G_TYPE_STRING,\s+)"([^"%\n]+)"')


def main():
    root = sys.argv[1]
    names, reasons = set(), set()
    for path in glob.glob(os.path.join(root, "gst", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, fields in STRUCTURE.findall(text):
            names.update([name] + FIELD.findall(fields))
        reasons.update(REASON.findall(text))
    # an image without pixels, which is not reported
    reasons.discard("no image")
    with open(os.path.join(root, "docs", "messages.md"), encoding="utf-8") as file:
        page = file.read()
    table = page[page.index("| `reason` | |"):]
    documented = set(re.findall(r"^\| `([^`]+)` \|", table[:table.index("\n\n")], re.MULTILINE))
    missing = [name for name in sorted(names) if "`%s`" % name not in page]
    wrong = sorted((documented - {"reason"}) ^ reasons)
    print("%d names, %d reasons" % (len(names), len(reasons)))
    print("\n".join(["docs/messages.md lacks `%s`" % name for name in missing]
                    + ["only in docs/messages.md or only in the code: %s" % text for text in wrong]))
    sys.exit(1 if missing or wrong or not names or not reasons else 0)


if __name__ == "__main__":
    main()
