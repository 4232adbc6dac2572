#!/usr/bin/env python3
# gst-stereomatching: generates the pages, tables and plots of docs/ from data
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the measured parts of docs/ from docs/data/, and docs/elements/ from the plugin.

    docs/report PAGE                        write it
    docs/report PAGE --check                fail if it is not up to date
    docs/report PAGE --measure PROGRAM ...  run PROGRAM, write the data and the page

PAGE is one of

    accuracy     docs/accuracy.md; --measure build/tools/stereo-eval [ALGORITHM ...], which may be
                 OpenCV; --verify with the same program fails if its errors differ from the data
    alignment    the table of docs/alignment.md; --measure tests/accuracy/aligned.py
                 [ALGORITHM ...]; $STEREOMATCHING_LIBRARY names the library
    calibration  the plot of docs/calibration.md; --measure tests/accuracy/rectified.py
    choosing     the flicker table and pictures of docs/choosing.md; --measure
                 build/tools/stereo-eval [NAME ...], which may be "pictures"
    steady       the temporal table of docs/choosing.md; --measure gst-launch-1.0 [NAME ...];
                 $STEREOMATCHING_LIBRARY names the library
    moving       the animation of README; --measure gst-launch-1.0
    drifting     that of a camera that moves; --measure img2webp
    pictures     pictures of README, docs/depth.md and docs/views.md; --measure examples/demo.sh
    views        the tables of docs/views.md; --measure build/tools/stereo-eval, with stereo-view in
                 the same folder
    performance  docs/performance.md; --measure build/tools/stereo-bench MACHINE [ARGUMENT ...]
                 writes docs/data/performance-MACHINE.json; arguments, such as --backend cuda, go to
                 stereo-bench
    gpus         docs/gpus.md; --measure build/tools/stereo-bench runs it in ncu of Nsight Compute;
                 --measure cuobjdump FOLDER reads the objects of a build for several architectures
    threads      docs/threads.md; --measure build/tools/stereo-bench [threads] [sets]
    experiments  plots and tables of docs/algorithms/; --measure build/tools/stereo-eval [NAME ...]
                 for errors of esaw, esmp and bfv; --measure build/tools/stereo-bench pyramid, or
                 bfv MACHINE [ARGUMENT ...] for times
    kernels      the table of docs/kernels.md; --measure tests/launches/occupancy.py
                 build/tests/launches/launches FOLDER ..., with reports of ptxas
    tune         pictures of docs/stereo-tune.md; --measure build/tools/tune/stereo-tune, with
                 Chromium and python3-websocket
    elements     docs/elements/; the next argument is the plugin

Measure on an idle machine. Scenes are in $STEREO_DATASETS or ../shared/datasets; --verify exits with
77 (skipped) without them. All but accuracy, performance, gpus, threads and experiments of bfv and pyramid
need the plugin in $GST_PLUGIN_PATH. With OpenCV for Python, its semi-global matching is measured for
comparison; alignment, calibration, choosing and pictures require it.
"""

import os
import sys

import accuracy
import alignment
import calibration
import choosing
import common
import drifting
import elements
import experiments
import gpus
import kernels
import moving
import performance
import pictures
import steady
import threads
import tune
import views

PAGES = {"accuracy": accuracy, "alignment": alignment, "calibration": calibration,
         "choosing": choosing, "drifting": drifting, "elements": elements,
         "experiments": experiments, "gpus": gpus, "kernels": kernels, "moving": moving,
         "performance": performance, "pictures": pictures, "steady": steady,
         "threads": threads, "tune": tune, "views": views}


def check(name, pages):
    stale = [os.path.relpath(path, common.DOCS) for path, text in pages.items()
             if common.read(path) != text]
    if stale:
        sys.exit("%s in docs/ not up to date; run `docs/report %s`" % (", ".join(stale), name))


def write(pages):
    for path, text in pages.items():
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
        check(name, page.generate())
    elif arguments:
        sys.exit(__doc__)
    else:
        write(page.generate())


if __name__ == "__main__":
    main()
