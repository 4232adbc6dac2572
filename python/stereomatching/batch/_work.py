# gst-stereomatching: work of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a worker does: it reads pairs, matches them and stores the results.

A worker is a thread with an Engine, which it keeps: a matcher with its buffers, and threads that
read the next pairs and store earlier ones. At most DEPTH pairs wait on either side, so that the
memory of a worker does not depend on the number of pairs.
"""

from __future__ import annotations

import collections
import itertools
import json
import os
import re
import sys
import tempfile
import threading
import time
import warnings
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import (Any, Callable, Deque, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple,
                    Union)

import numpy as np

from .. import _library as c
from .._arrays import warn_of_low_samples
from .._maps import Camera, Map
from .._matching import version
from .._rectify import Rectifier
from . import _datasets, _images
from ._inputs import Pair
from ._manifest import Record
from ._outputs import Frame, Result, StoreError, store_frame
from ._settings import Settings
from ._videos import Segment

DEPTH = 2
"""Pairs read ahead, and pairs that wait to be stored."""

# What is the fault of one pair, and no reason to stop
FAILURES = (_images.Unreadable, c.Error, MemoryError)


@dataclass
class Report:
    """What a task gives back."""

    records: List[Record] = field(default_factory=list)
    stop: Optional[str] = None
    """Why the run has to end, if it has to."""


class Views(NamedTuple):
    """A pair that was read."""

    left: np.ndarray
    right: np.ndarray
    camera: Optional[Camera]
    seconds: float


# --------------------------------------------------------------------- engine

class Engine:
    """The matcher of a worker, and its threads."""

    def __init__(self, settings: Settings, worker: int) -> None:
        self.settings = settings
        backend, self._cuda_device = settings.backend(worker)
        try:
            self._use(backend)
        except c.ArgumentError:
            raise
        except c.Error as error:
            self._fall_back(error)
        self._rectifiers: Dict[Tuple[str, ...], Rectifier] = {}
        self._files: List[Any] = []
        self._lock = threading.Lock()
        if settings.calibration:
            # an error of this file is that of all pairs
            self._rectifier(settings.calibration)
        self.readers = ThreadPoolExecutor(DEPTH, "read")
        self.writers = ThreadPoolExecutor(DEPTH, "write")

    def _use(self, backend: str) -> None:
        self.matcher = self.settings.new_matcher(backend, self._cuda_device)
        self.properties = self.matcher.properties

    def _fall_back(self, error: c.Error) -> None:
        warnings.warn("falling back to the CPU: %s" % error, stacklevel=2)
        self._use("cpu")

    def match(self, left: np.ndarray, right: np.ndarray) -> Map:
        """With the CPU from now on if the GPU fails; the map is the same."""
        confidence = "confidence" in self.settings.outputs
        try:
            return self.matcher.match(left, right, confidence=confidence)
        except c.ArgumentError:
            raise
        except c.Error as error:
            if self.matcher.backend == "cpu":
                raise
            self._fall_back(error)
            return self.matcher.match(left, right, confidence=confidence)

    def _rectifier(self, files: Tuple[str, ...]) -> Rectifier:
        with self._lock:
            if files not in self._rectifiers:
                self._rectifiers[files] = self._new_rectifier(files)
            return self._rectifiers[files]

    def _new_rectifier(self, files: Tuple[str, ...]) -> Rectifier:
        settings = self.settings
        settings.require_unchanged(files)
        if not _datasets.is_euroc(files):
            return Rectifier(files, calibration_unit=settings.calibration_unit,
                             alpha=settings.alpha, backend="cpu")
        # read with the first pair, and removed with the engine
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml")  # pylint: disable=consider-using-with
        file.write(_datasets.kalibr_of_euroc(files))
        file.flush()
        self._files.append(file)
        return Rectifier(file.name, alpha=settings.alpha, backend="cpu")

    def prepare(self, left: np.ndarray, right: np.ndarray, camera: Optional[Camera] = None,
                calibration: Tuple[str, ...] = ()) -> Tuple[Any, ...]:
        """Rectifies views; returns them and their camera."""
        files = self.settings.calibration or calibration
        if files:
            for view, name in ((left, "left"), (right, "right")):
                warn_of_low_samples(view, name)
            left, right, camera = self._rectifier(files)(*map(_images.to_8_bits, (left, right)))
        self.settings.require_camera(camera is not None)
        return left, right, self.settings.camera or camera

    def _camera_of(self, pair: Pair, view: np.ndarray) -> Optional[Camera]:
        """The camera of a dataset, unless it is for images of another size."""
        size = view.shape[1::-1]
        if pair.camera_size is None or pair.camera_size == size:
            return pair.camera
        settings = self.settings
        if settings.metric and not settings.camera and not settings.calibration:
            raise c.ArgumentError(
                "the camera is for images of %s pixels, got %dx%d: set camera.focal_length and "
                "camera.baseline" % ("x".join(map(str, pair.camera_size)), *size))
        return None

    def read(self, pair: Pair) -> Views:
        begin = time.perf_counter()
        left, right = (_images.read(one) if isinstance(one, str) else one
                       for one in (pair.left, pair.right))
        views = self.prepare(left, right, self._camera_of(pair, left), pair.calibration)
        return Views(*views, seconds=time.perf_counter() - begin)

    def close(self) -> None:
        self.readers.shutdown()
        self.writers.shutdown()


_local = threading.local()
_threads = itertools.count()


def _worker_number() -> int:
    """Of Dask's worker, if this is one, and of the thread in it."""
    distributed = sys.modules.get("distributed")
    number = next(_threads)
    try:
        name = str(distributed.get_worker().name)  # type: ignore[union-attr]
    except (AttributeError, ValueError):
        return number
    digits = re.findall(r"\d+", name)
    return number + (int(digits[-1]) if digits else zlib.crc32(name.encode()))


def engine_for(settings: Settings) -> Engine:
    """The engine of this thread, which stays until the settings change."""
    key = json.dumps([settings.parameters(), settings.devices, settings.threads])
    if getattr(_local, "key", None) != key:
        if hasattr(_local, "engine"):
            _local.engine.close()
        else:
            _local.number = _worker_number()
        _local.key = None
        _local.engine = Engine(settings, _local.number)
        _local.key = key
    return _local.engine


# ---------------------------------------------------------------------- tasks

def ahead(pool: ThreadPoolExecutor, function: Callable[[Any], Any],
          items: Iterable[Any]) -> Iterator[Tuple[Any, "Future[Any]"]]:
    """Each item with the future of function (item), called for DEPTH items in advance."""
    waiting: Deque[Tuple[Any, "Future[Any]"]] = collections.deque()
    try:
        for item in items:
            waiting.append((item, pool.submit(function, item)))
            if len(waiting) > DEPTH:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        for _, future in waiting:
            future.cancel()


def new_record(pair: Union[Pair, Segment], settings: Settings, **fields: Any) -> Record:
    record = dict({"name": pair.name, "status": "done", "left": pair.left, "right": pair.right,
                   "bytes": sizes_of(pair), "parameters": settings.parameters(),
                   "version": version()}, **pair.extent(), **fields)
    if isinstance(pair, Pair) and pair.calibration:
        record["calibration"] = settings.checksums_of(pair.calibration)
    return record


def sizes_of(pair: Union[Pair, Segment]) -> List[Optional[int]]:
    """The sizes of the files; None if there is none."""
    sizes: List[Optional[int]] = []
    for path in (pair.left, pair.right):
        try:
            sizes.append(os.path.getsize(path) if path else None)
        except (OSError, ValueError):
            # missing, or a name that no file can have
            sizes.append(None)
    return sizes


def _match_and_store(engine: Engine, pair: Pair, views: Views, folder: str) -> "Future[Record]":
    begin = time.perf_counter()
    found = engine.match(views.left, views.right)
    seconds = {"read": views.seconds, "match": time.perf_counter() - begin}
    backend = engine.matcher.backend
    frame = Frame(engine.settings, found, (views.left, views.right), views.camera,
                  engine.properties)

    def write() -> Record:
        begin = time.perf_counter()
        results: Dict[str, Result] = store_frame(frame, folder, pair.name)
        seconds["write"] = time.perf_counter() - begin
        return new_record(pair, engine.settings, backend=backend,
                          density=round(float(found.valid.mean()), 6), results=results,
                          seconds={name: round(value, 6) for name, value in seconds.items()})
    return engine.writers.submit(write)


def run_pairs(pairs: List[Pair], settings: Settings, folder: str, strict: bool) -> Report:
    """A task: matches the pairs, and stores their results in a folder."""
    engine = engine_for(settings)
    report = Report()
    storing: Deque[Tuple[Pair, "Future[Record]"]] = collections.deque()

    def fail(pair: Pair, error: BaseException) -> None:
        text = str(error) or type(error).__name__
        report.records.append(new_record(pair, settings, status="failed", error=text))
        if strict:
            report.stop = "%s: %s" % (pair.name, text)

    def collect(least: int) -> None:
        while len(storing) > least:
            pair, future = storing.popleft()
            try:
                report.records.append(future.result())
            except StoreError as error:
                report.stop = str(error)
            except FAILURES as error:
                fail(pair, error)

    for pair, views in ahead(engine.readers, engine.read, pairs):
        try:
            storing.append((pair, _match_and_store(engine, pair, views.result(), folder)))
        except FAILURES as error:
            fail(pair, error)
        collect(DEPTH)
        if report.stop:
            break
    collect(0)
    return report


def match_maps(pairs: List[Pair], settings: Settings) -> List[Any]:
    """A task: the Map of each pair, or the exception."""
    engine = engine_for(settings)
    maps: List[Any] = []
    for _, views in ahead(engine.readers, engine.read, pairs):
        try:
            maps.append(engine.match(views.result().left, views.result().right))
        except FAILURES as error:
            maps.append(error)
    return maps


def match_one(pair: Pair, settings: Settings) -> Map:
    """A task: the Map of a pair."""
    found, = match_maps([pair], settings)
    if isinstance(found, BaseException):
        raise found
    return found
