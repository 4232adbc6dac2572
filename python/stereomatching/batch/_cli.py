# gst-stereomatching: stereo-batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command. Exit status: 0 = complete, 1 = ended early or without output, 2 = invalid
arguments, 3 = complete, but inputs could not be read or matched.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import re
import signal
import sys
from typing import List, Optional

from .. import _command
from .. import _library as c
from .._matching import version
from .._writing import OutputError, write_output
from . import _executors, _options, _run, _tags, _videos
from ._executors import Cluster, Threads
from ._progress import Progress
from ._settings import Settings, with_assignments

_ASSIGNMENT = re.compile(r"[a-z][a-z0-9_.-]*=.*", re.DOTALL)
# Names of failed pairs to print
_SHOWN = 5


def _settings(options: argparse.Namespace, assignments: List[str]) -> Settings:
    settings = Settings(
        algorithm=options.algorithm, preset=options.preset,
        outputs=tuple(filter(None, options.outputs.split(","))), map_format=options.format,
        calibration=tuple(os.path.abspath(path) for path in options.calibration),
        calibration_unit=options.calibration_unit, alpha=options.alpha, layout=options.layout,
        devices=tuple(options.device.split(",")), threads=options.threads)
    return with_assignments(settings, assignments)


def _executor(options: argparse.Namespace) -> "Threads | Cluster":
    if options.scheduler:
        return _executors.connect(options.scheduler)
    workers = options.workers or _executors.processors()
    if workers < 1:
        raise c.ArgumentError("--workers: expected a number above 0, got %d" % workers)
    if options.workers and workers > 1 and _executors.have_dask():
        return _executors.local_cluster(workers)
    return Threads(workers)


def _batch(options: argparse.Namespace) -> _run.Summary:
    assignments = [word for word in options.words if _ASSIGNMENT.fullmatch(word)]
    left, right, folder = _command.places([w for w in options.words if not _ASSIGNMENT.fullmatch(w)])
    settings = _settings(options, assignments).checked()
    if options.pairs_per_task < 1 or not 0 < options.segment < math.inf:
        raise _command.UsageError("--pairs-per-task, --segment: expected a finite number above 0")
    videos = _videos.are_videos(left, right)
    if videos:
        items = _videos.find_segments(left, right, options.segment)
        _report_unpaired(sum(segment.unpaired for segment in items))
    else:
        items = _run.find_pairs(left, right)
        known = [pair.disparities for pair in items if pair.disparities is not None]
        if known:
            _report_range(settings, max(known))
    executor = _executor(options)
    try:
        if isinstance(executor, Cluster) and sys.stderr.isatty():
            print("Dask's dashboard: %s" % executor.dashboard, file=sys.stderr)
        summary = _run.run(items, folder, settings, executor=executor,
                           resume=not options.no_resume, verify=options.verify,
                           strict=options.strict, pairs_per_task=options.pairs_per_task,
                           progress=Progress("segment" if videos else "pair"))
    finally:
        executor.close()
    if summary.done:
        _report_filled(settings)
    return summary


def _report_unpaired(frames: int) -> None:
    if frames:
        print("%d frame%s unpaired" % (frames, "" if frames == 1 else "s"), file=sys.stderr)


def _report_range(settings: Settings, disparities: int) -> None:
    """For the number of disparities of a dataset."""
    values = settings.new_matcher().properties
    least, searched = int(values["min_disparity"]), int(values["num_disparities"])
    if least + searched < disparities:
        print("The dataset has %d disparities, and the matcher searches %d from %d on: set "
              "num-disparities=%d" % (disparities, searched, least, disparities - least),
              file=sys.stderr)


def _report_filled(settings: Settings) -> None:
    if settings.metric and _tags.is_filled(settings.new_matcher().properties):
        print("Results have depths that were not measured: the matcher has filled invalid pixels "
              "from the background. Set fill=false to leave them unknown.", file=sys.stderr)


def _names(what: str, names: List[str]) -> None:
    if names:
        more = ", and %d more" % (len(names) - _SHOWN) if len(names) > _SHOWN else ""
        print("%d %s: %s%s" % (len(names), what, ", ".join(names[:_SHOWN]), more), file=sys.stderr)


def _report(summary: _run.Summary) -> int:
    """Prints what is notable on standard error; returns the exit status."""
    _names("unpaired", summary.unpaired)
    _names("failed, see manifest.jsonl", summary.failed)
    if summary.stop:
        print("Stopped: %s. Run the same command to continue." % summary.stop, file=sys.stderr)
        return 1
    return 3 if summary.failed else 0


def _line(summary: _run.Summary) -> str:
    new = summary.done - summary.resumed
    parts = ", ".join("%s %.1f ms" % (name, 1000 * seconds / max(new, 1))
                      for name, seconds in summary.parts.items())
    return "%d done (%d of them earlier) in %.1f s, %.1f per second%s" % (
        summary.done, summary.resumed, summary.seconds, new / max(summary.seconds, 1e-9),
        "; each: " + parts if parts else "")


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def main(words: Optional[List[str]] = None) -> int:
    _command.format_warnings()
    try:
        options = _options.COMMAND.parse(words)
        information = _options.COMMAND.information(options, version())
        if information is not None:
            write_output(information)
            return 0
        signal.signal(signal.SIGTERM, _interrupted)
        summary = _batch(options)
        write_output(json.dumps(dataclasses.asdict(summary)) if options.json else _line(summary))
        return _report(summary)
    except OutputError as error:
        print("stereo-batch: %s" % error, file=sys.stderr)
        return 1
    except _command.UsageError as error:
        print("stereo-batch: %s; see stereo-batch --help" % error, file=sys.stderr)
        return 2
    except (c.Error, ImportError) as error:
        print("stereo-batch: %s" % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted. Run the same command to continue.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
