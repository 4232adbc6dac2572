# gst-stereomatching: segments of videos as work of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matches segments of videos, each into recordings of its own, and joins these at the end."""

from __future__ import annotations

import collections
import os
import shutil
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Deque, Dict, List, Optional, Sequence

from .. import _library as c
from .._writing import discard, part_of
from . import _images, _videos, _work
from ._manifest import Manifest, Record
from ._outputs import Frame, Result, StoreError, store, store_part
from ._settings import Settings
from ._videos import Segment

JOINED = "segments/joined"
"""The name of the record of the whole video."""


class _Recording:
    """The recordings of a segment, one for each output; point clouds are files."""

    def __init__(self, folder: str, segment: Segment) -> None:
        self._folder, self._segment = folder, segment
        self._recorders: Dict[str, _videos.Recorder] = {}
        self._parts: Dict[str, str] = {}
        self.results: Dict[str, Result] = {}

    def _name(self, output: str) -> str:
        return "%s/%s.mkv" % (self._segment.name, output)

    def add(self, frame: Frame, number: int) -> None:
        """All outputs of a pair."""
        for output in frame.settings.outputs:
            if output == "points":
                name = "points/%08d" % (self._segment.first + number)
                self.results[name] = store(self._folder, name + ".ply", frame.ply())
                continue
            array = frame.array(output)
            try:
                if output not in self._recorders:
                    self._start(output, frame, array)
                self._recorders[output].add(array, self._segment.times[number])
            except OSError as error:
                raise self._failed(output, error) from error

    def _start(self, output: str, frame: Frame, array: Any) -> None:
        path = os.path.join(self._folder, self._name(output))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self._parts[output] = part_of(path)
        self._recorders[output] = _videos.Recorder(
            self._parts[output], self._segment.rate, array.shape, _videos.kind_of(array),
            frame.tag(output))

    def _failed(self, output: str, error: OSError) -> StoreError:
        return StoreError("cannot write %s: %s" % (
            os.path.join(self._folder, self._name(output)), error.strerror))

    def finish(self) -> None:
        for output, recorder in list(self._recorders.items()):
            try:
                recorder.close()
            except OSError as error:
                raise self._failed(output, error) from error
            self.results[output] = store_part(self._folder, self._name(output),
                                              self._parts[output])
            del self._recorders[output]

    def abandon(self) -> None:
        """Removes what is not finished."""
        for output, recorder in self._recorders.items():
            recorder.abandon()
            discard(self._parts[output])


class _Clock:
    """Adds up run times."""

    def __init__(self) -> None:
        self.seconds = {"read": 0.0, "match": 0.0, "write": 0.0}

    def timed(self, part: str, function: Any, *arguments: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            self.seconds[part] += time.perf_counter() - begin


def _match(engine: _work.Engine, segment: Segment, recording: _Recording,
           clock: _Clock) -> Record:
    """Matches all pairs. One thread reads ahead, and one records behind."""
    settings = engine.settings
    pairs = _videos.read_pairs(segment, settings.layout, settings.threads)
    storing: Deque["Future[Any]"] = collections.deque()
    missing, valid, backend = 0, 0.0, engine.matcher.backend

    def take(_: int) -> Any:
        views = clock.timed("read", next, pairs)
        return None if views is None else engine.prepare(*views)

    # a temporal filter begins with each segment
    engine.matcher.reset()
    with ThreadPoolExecutor(1) as writer, ThreadPoolExecutor(1) as reader:
        for number, future in _work.ahead(reader, take, range(len(segment.frames))):
            if future.result() is None:
                missing += 1
                continue
            left, right, camera = future.result()
            found = clock.timed("match", engine.match, left, right)
            valid += float(found.valid.mean())
            backend = engine.matcher.backend
            frame = Frame(settings, found, (left, right), camera, engine.properties)
            storing.append(writer.submit(clock.timed, "write", recording.add, frame, number))
            while len(storing) > _work.DEPTH:
                storing.popleft().result()
        while storing:
            storing.popleft().result()
    done = len(segment.frames) - missing
    if done == 0:
        raise _images.Unreadable("no frame can be decoded")
    clock.timed("write", recording.finish)
    return _work.new_record(segment, settings, backend=backend, missing=missing,
                            density=round(valid / done, 6), results=recording.results,
                            seconds={name: round(t, 6) for name, t in clock.seconds.items()})


def run_segments(segments: List[Segment], settings: Settings, folder: str,
                 strict: bool) -> _work.Report:
    """A task: matches the segments, and stores their recordings in a folder."""
    engine = _work.engine_for(settings)
    report = _work.Report()
    for segment in segments:
        recording = _Recording(folder, segment)
        problem: Optional[str] = None
        try:
            record = _match(engine, segment, recording, _Clock())
            if record["missing"]:
                problem = "%d frame%s cannot be decoded" % (
                    record["missing"], "" if record["missing"] == 1 else "s")
            report.records.append(record)
        except StoreError as error:
            report.stop = str(error)
        except _work.FAILURES as error:
            problem = str(error) or type(error).__name__
            report.records.append(_work.new_record(segment, settings, status="failed",
                                                   error=problem))
        finally:
            recording.abandon()
        if strict and problem:
            report.stop = "%s: %s" % (segment.name, problem)
        if report.stop:
            break
    return report


# ----------------------------------------------------------------------- join

def join_all(segments: Sequence[Any], folder: str, settings: Settings, manifest: Manifest) -> None:
    """Makes one recording of each output from those of the segments that are done."""
    records = [record for record in (manifest.get(segment.name) for segment in segments)
               if record is not None and record["status"] == "done"]
    results = {}
    for output in settings.outputs:
        paths = [os.path.join(folder, record["results"][output]["file"]) for record in records
                 if output in record["results"]]
        if paths:
            results[output] = _join(paths, folder, output + ".mkv")
    if results:
        record = _work.new_record(segments[0], settings, name=JOINED, results=results)
        record["frames"] = sum(r["frames"] - r["missing"] for r in records)
        record["unpaired"] = sum(r["unpaired"] for r in records)
        manifest.add(record)


def _join(paths: List[str], folder: str, name: str) -> Result:
    part = part_of(os.path.join(folder, name))
    try:
        _videos.join(paths, part)
    except OSError as error:
        discard(part)
        raise StoreError("cannot write %s: %s" % (name, error.strerror)) from error
    except c.Error:
        discard(part)
        raise
    return store_part(folder, name, part)


def clean(folder: str, failed: List[str]) -> None:
    """Removes the recordings of segments, which are joined; not if some have to be joined later."""
    if not failed:
        shutil.rmtree(os.path.join(folder, "segments"), ignore_errors=True)
