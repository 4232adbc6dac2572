# gst-stereomatching: options of stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of options, from which usage, manual page and completion come.

packaging/manual.py runs this file without the package, which needs the library.
"""

import os
import sys

if __package__:
    from .. import _command
else:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import _command  # type: ignore[no-redef]

Option = _command.Option

USAGE = """Usage: stereo-calibrate [OPTION ...] --size CxR --square METRES LEFT RIGHT OUT
       stereo-calibrate [OPTION ...] --size CxR --square METRES SOURCE OUT

Calibrates a stereo camera from pairs of pictures of a printed board, and
writes the file OUT (OpenCV's YAML) for stereorectify and Rectifier. LEFT and
RIGHT are folders, globs or printf patterns of images, or two videos; SOURCE is
a list of pairs (.csv, .jsonl) or a video with both views. With --live they are
descriptions of GStreamer sources, in quotes; Ctrl-C ends the recording. The
picture OUT-coverage.png shows where boards have been, and is refreshed with
each pair.
"""

OPTIONS = (
    Option("", "", "Board"),
    Option("--board", "KIND", "kind of board", initial="chessboard",
           choices=("chessboard", "charuco", "aprilgrid")),
    Option("--size", "CxR", "columns and rows: inner corners of a chessboard, squares of a "
           "ChArUco board, tags of a grid"),
    Option("--square", "METRES", "size of a square, or of a tag with its black border",
           kind=float),
    Option("--marker", "METRES", "size of a marker of a ChArUco board (three quarters of a "
           "square)", kind=float, initial=0.0),
    Option("--spacing", "RATIO", "gap between the tags of a grid, relative to their size (0.3)",
           kind=float, initial=0.3),
    Option("--dictionary", "NAME", "OpenCV's name of the markers (5X5_1000; grids: "
           "APRILTAG_36h11)"),
    Option("", "", "Input"),
    Option("--live", "", "LEFT and RIGHT, or SOURCE, are GStreamer sources", kind=bool),
    Option("--layout", "KIND", "frame packing of a video with both views", initial="side-by-side",
           choices=("side-by-side", "top-bottom")),
    Option("--interval", "SECONDS", "time between the pictures of a video that are searched (0.5)",
           kind=float, initial=0.5),
    Option("--pairs", "N", "number of pairs that ends a video or a live recording, at least 5 (50)",
           kind=int, initial=50),
    Option("--max-motion", "PIXELS", "largest motion of the board between two frames of a video "
           "(3; 0 = any, for cameras that expose at the same time)", kind=float, initial=3.0),
    Option("", "", "Calibration"),
    Option("--model", "NAME", "lens model; auto = the one with the least row differences",
           initial="auto", choices=("auto", "brown", "rational", "fisheye")),
    Option("--max-error", "PIXELS", "remove pairs with a larger reprojection error (0 = three "
           "times the median)", kind=float, initial=0.0),
    Option("--coverage", "FILE", "the picture of the coverage, a PNG file (OUT-coverage.png)"),
    Option("", "", "Output of the program"),
    Option("--quiet", "", "do not report each pair", kind=bool),
    *_command.COMMON,
)

COMMAND = _command.Command("stereo-calibrate", USAGE, OPTIONS)

if __name__ == "__main__":
    COMMAND.print_outputs()
