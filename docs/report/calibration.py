# gst-stereomatching: the plot of the calibration page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/images/calibration-rows.svg, from docs/data/calibration.json, the output of
tests/accuracy/rectified.py --rows.
"""

import json
import os
import sys

from common import IMAGES, load, output_of, save
from svgplot import Plot, figure


def measure(program, _):
    save("calibration", {"rows": json.loads(output_of(sys.executable, [program, "--rows"]))})


def generate():
    rows = load("calibration")["rows"]
    plot = Plot("Corners of a chessboard in %d pairs" % rows["pairs"],
                "rows of a corner in both views are apart by, pixels", "corners up to that, %",
                x_log=True, x_range=(0.005, 50), y_range=(0, 100))
    for name, label in (("raw", "as taken"), ("rectified", "rectified")):
        plot.line(label, [(max(apart, 0.005), i) for i, apart in enumerate(rows[name])])
    return {os.path.join(IMAGES, "calibration-rows.svg"):
            figure([plot], "As taken rows are 3 to 23 pixels apart, rectified mostly less than 0.3")}
