# gst-stereomatching: options of stereo-batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of options, from which usage, manual page and completion come.

Needs nothing but Python, so that the manual page can be made without the library.
"""

import argparse
import sys
import textwrap
from dataclasses import dataclass
from typing import Any, List, NoReturn, Tuple

USAGE = """Usage: stereo-batch [OPTION ...] LEFT RIGHT OUT [NAME=VALUE ...]
       stereo-batch [OPTION ...] SOURCE OUT [NAME=VALUE ...]

Matches many pairs, and stores disparity maps, depth, point clouds and views
with a manifest in the folder OUT. LEFT and RIGHT are folders, globs or printf
patterns of images, or two videos; SOURCE is a list of pairs (.csv, .jsonl), a
dataset (KITTI, Middlebury, EuRoC) or a side-by-side video. NAME=VALUE sets a
property of the algorithm; view.NAME=VALUE, depth.NAME=VALUE and
points.NAME=VALUE set those of results; camera.focal_length=PIXELS and
camera.baseline=METRES describe the camera. A run that ended early continues
when it is called again.
"""


@dataclass(frozen=True)
class Option:
    name: str
    argument: str
    description: str
    kind: Any = str
    initial: Any = None
    choices: Tuple[str, ...] = ()


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
    Option("--json", "", "print the summary as JSON", kind=bool),
    Option("--help", "", "print the usage", kind=bool),
    Option("--version", "", "print the version", kind=bool),
    Option("--options", "", "print the table of options for completion", kind=bool),
)


def _described(option: Option) -> str:
    if not option.choices:
        return option.description
    names = ["%s (default)" % name if name == option.initial else name for name in option.choices]
    return "%s: %s or %s" % (option.description, ", ".join(names[:-1]), names[-1])


def help_text() -> str:
    lines = [USAGE]
    for option in OPTIONS:
        if not option.name:
            lines.append("\n%s:" % option.description)
            continue
        words = textwrap.wrap(_described(option), 53)
        lines.append(("  %-23s %s" % ((option.name + " " + option.argument).strip(), words[0])))
        lines += [" " * 26 + line for line in words[1:]]
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def option_table() -> str:
    return "\n".join("\t".join((option.name, option.argument, " ".join(option.choices),
                                option.description))
                     for option in OPTIONS if option.name != "--options")


class UsageError(Exception):
    """Invalid arguments."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def parse(words: List[str]) -> argparse.Namespace:
    """The options; the other arguments are in `words`."""
    parser = _Parser(add_help=False, allow_abbrev=False, usage=argparse.SUPPRESS)
    for option in OPTIONS:
        if not option.name:
            continue
        if option.kind is bool:
            parser.add_argument(option.name, action="store_true")
        elif option.kind is list:
            parser.add_argument(option.name, action="append", default=[])
        else:
            parser.add_argument(option.name, type=option.kind, default=option.initial,
                                choices=option.choices or None)
    parser.add_argument("words", nargs="*")
    return parser.parse_intermixed_args(words)


def main() -> int:
    """The outputs that packaging/manual.py asks for."""
    print(option_table() if "--options" in sys.argv else help_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
