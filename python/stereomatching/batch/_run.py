# gst-stereomatching: running a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""run() for files, and match_pairs() for programs that continue with the maps."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _library as c
from .._checks import iterator_of, path_of, shown, whole
from .._maps import Map
from .._matching import PathLike
from .._properties import Value
from . import _datasets, _executors, _inputs, _outputs, _segments, _work
from ._executors import Cluster, Threads
from ._inputs import Pair
from ._manifest import Manifest, Record
from ._settings import Settings
from ._videos import SUFFIXES as VIDEOS
from ._videos import Segment

PAIRS_PER_TASK = 16

# Of each worker: the last ones keep fewer workers waiting than one large task
_MIN_TASKS = 4

Executor = Union[Threads, Cluster]
Item = Union[Pair, Segment]


@dataclass
class Summary:
    """How a run ended."""

    done: int = 0
    """Pairs, or segments of videos, that have results."""
    resumed: int = 0
    """Those among them from earlier runs."""
    failed: List[str] = field(default_factory=list)
    """Names of the pairs that could not be read or matched."""
    unpaired: List[str] = field(default_factory=list)
    stop: Optional[str] = None
    """Why the run ended early; None if it is complete."""
    seconds: float = 0.0
    parts: Dict[str, float] = field(default_factory=dict)
    """Seconds spent to read, match and write, summed over the workers."""

    def add(self, record: Record) -> None:
        if record["status"] != "done":
            self.failed.append(record["name"])
            return
        self.done += 1
        for part, seconds in record["seconds"].items():
            self.parts[part] = self.parts.get(part, 0.0) + seconds


def find_pairs(left: PathLike, right: Optional[PathLike] = None) -> List[Pair]:
    """The pairs of two folders, globs, printf patterns or files; or of a list or a dataset.

    A Pair whose left or right is None has no partner.
    """
    left = _inputs.absolute(left, "left")
    if right is not None:
        pairs = _inputs.pair_up(left, _inputs.absolute(right, "right"))
    elif _inputs.is_list(left):
        pairs = _inputs.from_list(left)
    elif os.path.isdir(left):
        pairs = _datasets.find_pairs(left)
    else:
        raise c.ArgumentError("%s: expected two sources, or a list of pairs (%s), a dataset or a "
                              "video (%s)" % (left, ", ".join(_inputs.LISTS), ", ".join(VIDEOS)))
    if not pairs:
        raise c.ArgumentError("%s: there are no pairs of images" % left)
    _inputs.require_names(pairs)
    return pairs


# ---------------------------------------------------------------------- files

class _Run:
    """The state of run()."""

    def __init__(self, settings: Settings, folder: str, manifest: Manifest, progress: Any,
                 strict: bool, verify: bool) -> None:
        self.settings, self.folder, self.manifest = settings, folder, manifest
        self.progress, self.strict, self.verify = progress, strict, verify
        self.videos = self.joined = False
        self.summary = Summary()

    def is_done(self, pair: Item, joined: bool) -> bool:
        """Whether an earlier run has stored the results of the pair, or joined them."""
        record = self.manifest.get(pair.name)
        if record is None or record["status"] != "done":
            return False
        same = _work.new_record(pair, self.settings)
        return (all(record.get(key) == same[key] for key in same)
                and (joined or self.are_stored(record)))

    def are_stored(self, record: Record) -> bool:
        return all(_outputs.is_stored(self.folder, result, self.verify)
                   for result in record["results"].values())

    def select(self, items: Sequence[Item]) -> List[Item]:
        """What is left to do. Notes the unpaired images."""
        pairs = [item for item in items if item.left is not None and item.right is not None]
        for item in items:
            if item.left is None or item.right is None:
                self.summary.unpaired.append(item.name)
                self.manifest.add(_work.new_record(item, self.settings, status="unpaired"))
        record = self.manifest.get(_segments.JOINED) if self.videos else None
        self.joined = record is not None and self.are_stored(record)
        todo = [pair for pair in pairs if not self.is_done(pair, self.joined)]
        if todo and self.joined:
            self.joined = False
            todo = [pair for pair in pairs if not self.is_done(pair, False)]
        self.summary.resumed = self.summary.done = len(pairs) - len(todo)
        self.progress.start(len(pairs), self.summary.resumed)
        return todo

    def take(self, report: _work.Report) -> None:
        for record in report.records:
            self.manifest.add(record)
            self.summary.add(record)
            self.progress.update()
        self.summary.stop = self.summary.stop or report.stop

    def finish(self, items: Sequence[Item]) -> None:
        """Joins recordings, and puts the manifest into the order of the inputs."""
        names = [item.name for item in items]
        self.summary.failed.sort(key={name: place for place, name in enumerate(names)}.__getitem__)
        # those of workers that died
        _outputs.remove_parts(self.folder)
        if self.videos:
            if not self.joined:
                _segments.join_all(items, self.folder, self.settings, self.manifest)
            names.append(_segments.JOINED)
        self.manifest.finish(names)
        if self.videos:
            _segments.clean(self.folder, self.summary.failed)

    def give_up(self, task: List[Item]) -> None:
        pair, = task
        self.take(_work.Report([_work.new_record(
            pair, self.settings, status="failed", error="workers died with this pair")]))
        if self.strict:
            self.summary.stop = "workers died with %s" % pair.name

    def execute(self, executor: Executor, function: Any, tasks: Iterable[List[Item]],
                alone: bool = False) -> None:
        """Runs the tasks; the pairs of those that workers died with once more, each alone.

        Tasks that waited at a worker are blamed for its death, too.
        """
        suspects: List[List[Item]] = []
        outcomes = executor.run(function, tasks, self.settings, self.folder, self.strict)
        try:
            for task, outcome in outcomes:
                if isinstance(outcome, _executors.WorkerDied):
                    if alone:
                        self.give_up(task)
                    else:
                        suspects += [[pair] for pair in task]
                elif isinstance(outcome, BaseException):
                    raise outcome
                else:
                    self.take(outcome)
                if self.summary.stop:
                    return
        finally:
            outcomes.close()
        for task in suspects:
            if not self.summary.stop:
                self.execute(executor, function, [task], alone=True)


def _checked_items(given: Iterable[Item]) -> List[Item]:
    items = list(iterator_of(given))
    for number, item in enumerate(items):
        if not isinstance(item, (Pair, Segment)):
            raise c.ArgumentError("pairs[%d]: expected a Pair of find_pairs() or a Segment of "
                                  "find_segments(), got %s" % (number, _described(item)))
        if isinstance(item, Pair):
            _inputs.require_fields(item, "pairs[%d]" % number, (str,))
    _inputs.require_names(items)
    return items


def _checked_for(items: List[Item], settings: Settings) -> Settings:
    """The settings, checked for images and videos."""
    if not isinstance(settings, Settings):
        raise c.ArgumentError("settings = %s: expected Settings" % shown(settings))
    pairs = [item for item in items if isinstance(item, Pair)]
    settings = settings.checked(dict.fromkeys(path for pair in pairs for path in pair.calibration))
    if pairs:
        settings.require_independent_maps()
    if len(pairs) < len(items):
        settings.require_recordable()
    settings.require_camera(bool(settings.calibration) or any(
        pair.camera or pair.calibration for pair in pairs))
    return settings


def run(pairs: Iterable[Item], folder: PathLike, settings: Settings, *,
        executor: Optional[Executor] = None, resume: bool = True, verify: bool = False,
        strict: bool = False, pairs_per_task: int = PAIRS_PER_TASK,
        progress: Any = None) -> Summary:
    """Matches the pairs, and stores results and a manifest in a folder.

    :param pairs: of find_pairs(), or the segments of find_segments(); each with a name of its own.
    :param executor: Threads (N), or Cluster (CLIENT); the default is a thread per processor.
    :param resume: whether to keep the results of earlier runs.
    :param verify: whether to compare the checksums of these, besides their sizes.
    :param strict: whether to stop at the first pair that cannot be read or matched.
    :param pairs_per_task: how many pairs a worker takes at a time; fewer if there are few pairs.
    """
    begin = time.monotonic()
    pairs = _checked_items(pairs)
    settings = _checked_for(pairs, settings)
    pairs_per_task = whole(pairs_per_task, "pairs_per_task", 1, sys.maxsize)
    folder = _inputs.absolute(folder, "folder")
    executor = _executor(executor)
    manifest = Manifest(folder, resume)
    state = _Run(settings, folder, manifest, progress or _NoProgress(), strict, verify)
    try:
        _outputs.remove_parts(folder)
        state.videos = bool(pairs) and isinstance(pairs[0], Segment)
        todo = state.select(pairs)
        if state.videos:
            state.execute(executor, _segments.run_segments, _executors.chunks(todo, 1))
        else:
            size = min(pairs_per_task, max(1, len(todo) // (_MIN_TASKS * executor.workers)))
            state.execute(executor, _work.run_pairs, _executors.chunks(todo, size))
        if not state.summary.stop:
            state.finish(pairs)
    except (_outputs.StoreError, _executors.Lost) as error:
        state.summary.stop = str(error)
    finally:
        manifest.close()
        state.progress.close()
    state.summary.seconds = time.monotonic() - begin
    return state.summary


class _NoProgress:
    def start(self, total: int, resumed: int) -> None:
        pass

    def update(self) -> None:
        pass

    def close(self) -> None:
        pass


# ------------------------------------------------------------------- programs

class Matched(NamedTuple):
    """A pair of match_pairs()."""

    pair: Pair
    map: Optional[Map]
    """None if the pair could not be read or matched."""
    error: Optional[Exception]


View = Union[str, "os.PathLike[str]", np.ndarray]


def _as_pairs(pairs: Iterator[Any]) -> Iterator[Pair]:
    for number, pair in enumerate(pairs):
        if isinstance(pair, Pair):
            _inputs.require_fields(pair, "pairs[%d]" % number, (str, np.ndarray))
            if pair.left is not None and pair.right is not None:
                yield pair
        else:
            yield Pair("%06d" % number, *_views(pair, "pairs[%d]" % number))


def _views(pair: Any, what: str) -> Tuple[Any, Any]:
    """The arrays of a tuple, or the absolute paths."""
    try:
        left, right = (view if isinstance(view, np.ndarray) else os.path.abspath(os.fsdecode(view))
                       for view in pair)
    except (TypeError, ValueError):
        raise c.ArgumentError("%s: expected a Pair, or a tuple of two paths or arrays, got %s" % (
            what, _described(pair))) from None
    return left, right


def _described(item: Any) -> str:
    """The types of a tuple, because arrays are long."""
    if isinstance(item, (tuple, list)):
        return "a %s of (%s)" % (type(item).__name__, ", ".join(type(one).__name__ for one in item))
    return shown(item)


def match_pairs(pairs: Iterable[Any], algorithm: str = "sgm", *, executor: Optional[Executor] = None,
                preset: Optional[str] = None, weights: Optional[PathLike] = None,
                device: str = "auto", confidence: bool = False, pairs_per_task: int = 4,
                **properties: Value) -> Iterator[Matched]:
    """Matches pairs, and yields the maps as they come.

    At most a few tasks for each worker are waiting, so any number of pairs is possible.

    :param pairs: of find_pairs(), or tuples of two paths or arrays; may be a generator.
    :param executor: Threads (N), or Cluster (CLIENT); the default is a thread per processor.
    :param weights: file with the network of ``cost="learned"``, which every worker reads.
    :param device: as that of stereo-batch.
    """
    settings = _settings(algorithm, preset, weights, device, confidence, properties)
    pairs_per_task = whole(pairs_per_task, "pairs_per_task", 1, sys.maxsize)
    executor = _executor(executor)
    tasks = _executors.chunks(_as_pairs(iterator_of(pairs)), pairs_per_task)
    for task, outcome in executor.run(_work.match_maps, tasks, settings):
        if isinstance(outcome, Exception):
            if not isinstance(outcome, _executors.WorkerDied):
                raise outcome
            outcome = [outcome] * len(task)
        for pair, found in zip(task, outcome):
            yield (Matched(pair, found, None) if isinstance(found, Map)
                   else Matched(pair, None, found))


def submit_pairs(client: Any, pairs: Iterable[Any], algorithm: str = "sgm", *,
                 preset: Optional[str] = None, weights: Optional[PathLike] = None,
                 device: str = "auto", confidence: bool = False,
                 **properties: Value) -> List[Any]:
    """Submits pairs to a Dask cluster; returns the future of each Map.

    The maps stay with the workers until they are fetched or used by other tasks.
    """
    settings = _settings(algorithm, preset, weights, device, confidence, properties)
    _executors.require_client(client)
    given = list(_as_pairs(iterator_of(pairs)))
    return client.map(_work.match_one, given, settings=settings, pure=False)


def _settings(algorithm: str, preset: Optional[str], weights: Optional[PathLike], device: str,
              confidence: bool, properties: Dict[str, Value]) -> Settings:
    outputs = ("disparity", "confidence") if confidence else ("disparity",)
    settings = Settings(
        algorithm=algorithm, preset=preset, properties=properties,
        weights=None if weights is None else os.path.abspath(path_of(weights, "weights")),
        devices=_devices(device), outputs=outputs).checked()
    settings.require_independent_maps()
    return settings


def _devices(device: Any) -> Tuple[str, ...]:
    if not isinstance(device, str):
        raise c.ArgumentError("device = %s: expected the text of --device of stereo-batch, such as "
                              "\"auto\" or \"cuda:0,cuda:1\"" % shown(device))
    return tuple(device.split(","))


def _executor(given: Any) -> Executor:
    """The given one, or all processors of this machine."""
    executor = Threads(_executors.processors()) if given is None else given
    if not isinstance(executor, (Threads, Cluster)):
        raise c.ArgumentError("executor = %s: expected Threads (N) or Cluster (CLIENT)" %
                              shown(executor))
    return executor
