# gst-stereomatching: options of stereo-batch
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

USAGE = """Usage: stereo-batch [OPTION ...] LEFT RIGHT OUT [NAME=VALUE ...]
       stereo-batch [OPTION ...] SOURCE OUT [NAME=VALUE ...]

Matches many pairs, and stores disparity maps, depth, point clouds and views
with a manifest in the folder OUT. LEFT and RIGHT are folders, globs or printf
patterns of images, or two videos; SOURCE is a list of pairs (.csv, .jsonl), a
dataset (KITTI, Middlebury, EuRoC) or a side-by-side video. NAME=VALUE sets a
property of the algorithm, and weights=FILE names its network; view.NAME=VALUE,
depth.NAME=VALUE and points.NAME=VALUE set those of results;
camera.focal_length=PIXELS and camera.baseline=METRES describe the camera. A run
that ended early continues when it is called again.
"""


OPTIONS = (
    Option("", "", "Matching"),
    Option("--algorithm", "NAME", "algorithm", initial="sgm",
           choices=("sgm", "bfv", "bp", "esaw", "esmp", "pyramid", "vcbw")),
    Option("--preset", "NAME", "preset of the algorithm"),
    Option("--calibration", "FILE", "calibration file to rectify the views with; may be repeated",
           kind=list),
    Option("--calibration-unit", "METRES", "length unit of OpenCV calibration files (1)",
           kind=float, initial=1.0),
    Option("--alpha", "A", "free scaling of rectified views: 0 = crop, 1 = keep all pixels (0)",
           kind=float, initial=0.0),
    Option("--layout", "KIND", "frame packing of a video with both views", initial="side-by-side",
           choices=("side-by-side", "top-bottom")),
    Option("", "", "Results"),
    Option("--outputs", "LIST", "comma-separated results: disparity, confidence, depth, color, "
           "points, view (disparity)", initial="disparity"),
    Option("--format", "KIND", "format of disparities and confidences", initial="png",
           choices=("png", "pfm", "npy")),
    Option("--resume", "", "continue an earlier run in OUT (default)", kind=bool),
    Option("--no-resume", "", "do not keep the results of earlier runs", kind=bool),
    Option("--verify", "", "compare checksums of earlier results, besides sizes", kind=bool),
    Option("--strict", "", "stop at the first pair that cannot be read or matched", kind=bool),
    Option("", "", "Workers"),
    Option("--workers", "N", "number of workers: processes with Dask, otherwise threads (one "
           "thread per processor)", kind=int),
    Option("--scheduler", "ADDRESS", "scheduler of a Dask cluster"),
    Option("--device", "LIST", "comma-separated devices, assigned to the workers in turn: auto, "
           "cpu, cuda, cuda:N (auto)", initial="auto"),
    Option("--threads", "N", "CPU threads of each worker's matcher (1)", kind=int, initial=1),
    Option("--pairs-per-task", "N", "maximum number of pairs that a worker takes at a time "
           "(16)", kind=int, initial=16),
    Option("--segment", "SECONDS", "duration of a part of a video that a worker takes at a time "
           "(10)", kind=float, initial=10.0),
    Option("", "", "Output of the program"),
    *_command.COMMON,
)

COMMAND = _command.Command("stereo-batch", USAGE, OPTIONS)

if __name__ == "__main__":
    COMMAND.print_outputs()
