# gst-stereomatching: stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command. Exit status: 0 = a file was written, 1 = no calibration or no output, 2 = invalid
arguments or files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import signal
import sys
from typing import Any, Iterator, List, Optional, Tuple

from .. import _command
from .. import _library as c
from .._matching import version
from .._writing import OutputError, write_output
from . import _inputs, _live, _options
from ._boards import Board, Detector
from ._calibration import MIN_PAIRS, Calibration, calibrate_found
from ._collect import Collector
from ._coverage import Coverage


def _board(options: argparse.Namespace) -> Board:
    match = re.fullmatch(r"(\d{1,3})[xX](\d{1,3})", options.size or "")
    if match is None:
        raise _command.UsageError("--size: expected columns and rows, such as 9x6, got %s" % (
            "nothing" if options.size is None else "'%s'" % options.size))
    if options.square is None:
        raise _command.UsageError("--square: expected the size of a square in metres")
    return Board(options.board, int(match.group(1)), int(match.group(2)), options.square,
                 options.marker, options.spacing, options.dictionary)


def _check(options: argparse.Namespace) -> None:
    if not 0 < options.interval < math.inf:
        raise _command.UsageError("--interval: expected a finite number above 0")
    if options.pairs < MIN_PAIRS:
        raise _command.UsageError("--pairs: expected %d or more, got %d" % (
            MIN_PAIRS, options.pairs))
    for name in ("max_motion", "max_error"):
        if not getattr(options, name) >= 0:
            raise _command.UsageError("--%s: expected 0 or more" % name.replace("_", "-"))


def _check_writable(path: str) -> None:
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path) or not os.access(folder, os.W_OK):
        raise c.ArgumentError("cannot write %s: expected the name of a file in a folder that can be "
                              "written to" % path)


class _Stop:
    """Ctrl-C ends a live recording, and a second one the program."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, *_: Any) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def until(self, samples: Iterator[_inputs.Sample]) -> Iterator[_inputs.Sample]:
        for sample in samples:
            if self.requested:
                break
            yield sample


def _collect(options: argparse.Namespace, collector: Collector, left: str,
             right: Optional[str], notify: _inputs.Notify) -> None:
    if options.live:
        stop = _Stop()
        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)
        samples = stop.until(_live.Live(left, right, options.layout).samples())
    else:
        samples = _inputs.open_source(left, right, options.layout, options.interval, notify)
    limited = options.live or _inputs.is_video(left, right)
    collector.add_all(samples, options.pairs if limited else 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _calibrate(options: argparse.Namespace) -> Tuple[Calibration, str]:
    left, right, out = _command.places(options.words)
    _check(options)
    detector = Detector(_board(options))
    _check_writable(out)
    coverage = Coverage(options.coverage or os.path.splitext(out)[0] + "-coverage.png")

    def notify(text: str) -> None:
        if not options.quiet:
            print(text, file=sys.stderr, flush=True)

    collector = Collector(detector, coverage, notify, options.max_motion)
    _collect(options, collector, left, right, notify)
    collector.require()
    found = calibrate_found(collector.found, detector, collector.size or (0, 0), options.model,
                            options.max_error)
    found.save(out)
    return found, out


def _report(found: Calibration, options: argparse.Namespace) -> None:
    for pair in found.outliers:
        print("Removed %s: reprojection error %.2f px in the left view, %.2f px in the right one" % (
            pair.name, pair.left, pair.right), file=sys.stderr)
    for text in found.warnings:
        print("Warning: %s" % text, file=sys.stderr)
    write_output(json.dumps(found.as_dict()) if options.json else found.report())


def main(words: Optional[List[str]] = None) -> int:
    _command.format_warnings()
    try:
        options = _options.COMMAND.parse(words)
        information = _options.COMMAND.information(options, version())
        if information is not None:
            write_output(information)
            return 0
        found, out = _calibrate(options)
        _report(found, options)
        if not options.json:
            write_output("Wrote %s. Use it with stereorectify calibration=%s" % (out, out))
        return 0
    except _command.UsageError as error:
        print("stereo-calibrate: %s; see stereo-calibrate --help" % error, file=sys.stderr)
        return 2
    except (c.ArgumentError, ImportError) as error:
        print("stereo-calibrate: %s" % error, file=sys.stderr)
        return 2
    except (c.Error, OutputError) as error:
        print("stereo-calibrate: %s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
