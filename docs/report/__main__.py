#!/usr/bin/env python3
# gst-stereomatching: makes the pages, tables and plots of docs/ that come from data
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes what is measured in docs/ from docs/data/, and docs/elements/ from the plugin.

    docs/report PAGE                        write it
    docs/report PAGE --check                fail when it is not what would be written
    docs/report PAGE --measure PROGRAM ...  run PROGRAM, write the data and the page

PAGE is one of

    accuracy     docs/accuracy.md; --measure build/tools/stereo-eval [ALGORITHM ...], OpenCV
                 being one; --verify of the same program fails when it finds other errors than the data
    calibration  the plot of docs/calibration.md; --measure tests/accuracy/rectified.py, which needs
                 the plugin and OpenCV for Python
    choosing     the tables of docs/choosing.md, and when measured its pictures; --measure
                 build/tools/stereo-eval [NAME ...], "pictures" being a name, too
    steady       the table of docs/choosing.md for maps over time; --measure gst-launch-1.0 [NAME ...],
                 which has to find the plugin; $STEREOMATCHING_LIBRARY is the library
    moving       the moving picture of README; --measure gst-launch-1.0
    views        the tables of docs/views.md; --measure build/tools/stereo-eval, beside which
                 stereo-view is; gst-launch-1.0 has to find the plugin
    performance  docs/performance.md; --measure build/tools/stereo-bench MACHINE [ARGUMENT ...]
                 writes docs/data/performance-MACHINE.json; arguments go to stereo-bench, such as
                 --backend cuda
    experiments  the plots and tables of docs/algorithms/; --measure build/tools/stereo-eval [NAME ...]
                 for errors of esaw, esmp and bfv, --measure build/tools/stereo-bench pyramid, or
                 bfv MACHINE [ARGUMENT ...] for times
    tune         the pictures of docs/stereo-tune.md; --measure build/tools/tune/stereo-tune, which has
                 to find the plugin, with Chromium and python3-websocket
    elements     docs/elements/ from the plugin: PLUGIN is the next argument

Scenes come from $STEREO_DATASETS or ../shared/datasets; verifying exits with 77 (skipped) without
them. Measure when the machine does nothing else. With Python's OpenCV, its modes of semi-global
matching are measured beside; choosing needs it.
"""

import os
import sys

import accuracy
import calibration
import choosing
import common
import elements
import experiments
import moving
import performance
import steady
import tune
import views

PAGES = {"accuracy": accuracy, "calibration": calibration, "choosing": choosing, "elements": elements,
         "experiments": experiments, "moving": moving, "performance": performance, "steady": steady,
         "tune": tune, "views": views}


def check(name, made):
    stale = [os.path.relpath(path, common.DOCS) for path, text in made.items()
             if common.read(path) != text]
    if stale:
        sys.exit("%s in docs/ not what `docs/report %s` makes; run it" % (", ".join(stale), name))


def write(made):
    for path, text in made.items():
        if text is None:
            os.remove(path)
        elif common.read(path) != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def main():
    name, arguments = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    page = PAGES.get(name)
    if page is None:
        sys.exit(__doc__)
    if name == "elements":
        if not arguments:
            sys.exit(__doc__)
        page.prepare(arguments.pop(0), arguments == ["--check"])
    elif arguments[:1] == ["--measure"] and len(arguments) > 1:
        page.measure(arguments[1], arguments[2:])
        arguments = []
    elif name == "accuracy" and arguments[:1] == ["--verify"] and len(arguments) == 2:
        sys.exit(page.verify(arguments[1]))
    if arguments == ["--check"]:
        check(name, page.made())
    elif arguments:
        sys.exit(__doc__)
    else:
        write(page.made())


if __name__ == "__main__":
    main()
