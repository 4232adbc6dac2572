# gst-stereomatching: videos of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Divides videos into segments, reads their frames, and records and joins their maps.

A segment begins at a frame of the left video that can be decoded on its own. Its frames are
listed by timestamps, so that every frame belongs to one segment, wherever decoding begins.
Timestamps are relative to the first frame of each video.
"""

from __future__ import annotations

import bisect
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .. import _library as c
from .._checks import number, shown
from .._matching import PathLike
from ._images import Unreadable
from ._inputs import absolute, require_two

SUFFIXES = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".mts", ".ts", ".webm", ".y4m")


def _av() -> Any:
    try:
        import av  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise ImportError("videos need PyAV: pip install av, or apt-get install python3-av") from None
    # what cannot be decoded is in the manifest
    av.logging.set_level(av.logging.FATAL)
    return av


def are_videos(left: str, right: Optional[str]) -> bool:
    return all(path.lower().endswith(SUFFIXES) and os.path.isfile(path)
               for path in (left, right) if path is not None)


# ---------------------------------------------------------------------- index

class Index:
    """The timestamps of a video, from its packets; nothing is decoded."""

    def __init__(self, path: str) -> None:
        av = _av()
        self.path = path
        try:
            with av.open(path) as container:
                if not container.streams.video:
                    raise c.ArgumentError("%s has no video" % path)
                stream = container.streams.video[0]
                self.time_base = Fraction(stream.time_base)
                self.rate = Fraction(stream.average_rate or 25)
                packets = [(packet.pts, packet.is_keyframe, packet.size)
                           for packet in container.demux(stream)]
        except (OSError, av.error.FFmpegError) as error:
            raise c.ArgumentError("cannot read %s: %s" % (path, error.strerror)) from None
        packets = [packet for packet in packets if packet[2]]
        self.frames = sorted(pts for pts, _, _ in packets if pts is not None)
        self.keys = sorted(pts for pts, key, _ in packets if key and pts is not None)
        if not packets:
            raise c.ArgumentError("%s has no frames: expected a complete recording" % path)
        if len(set(self.frames)) != len(packets):
            raise c.ArgumentError("%s has frames without timestamps of their own: put it into a "
                                  "Matroska file first" % path)
        if not self.keys:
            raise c.ArgumentError("%s has no key frame, so no frame can be decoded: expected a "
                                  "video that begins with one" % path)

    def time(self, pts: int) -> Fraction:
        """In seconds since the first frame."""
        return (pts - self.frames[0]) * self.time_base

    def key_before(self, pts: int) -> int:
        """The last frame up to this one that can be decoded on its own."""
        return self.keys[max(bisect.bisect_right(self.keys, pts) - 1, 0)]


def _partners(left: Index, right: Index) -> Iterator[Tuple[int, int]]:
    """Frames of both videos that are at most half a frame duration apart, as in an element."""
    tolerance = 1 / (2 * max(left.rate, right.rate))
    i = j = 0
    while i < len(left.frames) and j < len(right.frames):
        difference = left.time(left.frames[i]) - right.time(right.frames[j])
        if abs(difference) <= tolerance:
            yield left.frames[i], right.frames[j]
        i += difference <= tolerance
        j += difference >= -tolerance


@dataclass(frozen=True)
class Segment:
    """A part of two videos, or of one with both views."""

    name: str
    left: str
    right: str
    """The same file if it has both views."""
    first: int
    """The number of its first pair in the whole."""
    frames: Tuple[Tuple[int, int], ...]
    """Timestamps of the pairs, in the time base of each video."""
    times: Tuple[int, ...]
    """Of the pairs, in milliseconds."""
    keys: Tuple[int, int]
    """Where to begin decoding each video."""
    rate: Fraction
    unpaired: int
    """Frames of both videos in this part that have no partner."""

    def extent(self) -> Dict[str, Any]:
        """Fields of the manifest."""
        return {"first": self.first, "frames": len(self.frames), "unpaired": self.unpaired}

    @property
    def packed(self) -> bool:
        return self.left == self.right


def find_segments(left: PathLike, right: Optional[PathLike], seconds: float) -> List[Segment]:
    """The segments of two videos, or of one with both views, of at least this duration."""
    least = number(seconds, "seconds")
    if not 0 < least < math.inf:
        raise c.ArgumentError("seconds = %s: expected a finite number above 0" % shown(seconds))
    one = other = Index(absolute(left, "left"))
    if right is not None:
        path = absolute(right, "right")
        require_two(one.path, path)
        other = Index(path)
    pairs = list(zip(one.frames, one.frames)) if right is None else list(_partners(one, other))
    if not pairs:
        raise c.ArgumentError("%s and %s have no frames at the same times" % (left, right))
    keys = set(one.keys)
    starts = [0]
    for place, (pts, _) in enumerate(pairs):
        if pts in keys and one.time(pts) - one.time(pairs[starts[-1]][0]) >= Fraction(str(least)):
            starts.append(place)
    lefts, rights = zip(*pairs)
    return [_segment(one, other, place, lefts, rights, start, end)
            for place, (start, end) in enumerate(zip(starts, starts[1:] + [len(pairs)]))]


def _count_unpaired(frames: Sequence[int], paired: Sequence[int], start: int, end: int) -> int:
    """The frames of a view from its pair start on, up to its pair end, that have no partner."""
    first = bisect.bisect_left(frames, paired[start]) if start > 0 else 0
    last = bisect.bisect_left(frames, paired[end]) if end < len(paired) else len(frames)
    return last - first - (end - start)


def _segment(left: Index, right: Index, number: int, lefts: Sequence[int], rights: Sequence[int],
             start: int, end: int) -> Segment:
    return Segment("segments/%05d" % number, left.path, right.path, start,
                   tuple(zip(lefts[start:end], rights[start:end])),
                   tuple(round(left.time(pts) * 1000) for pts in lefts[start:end]),
                   (left.key_before(lefts[start]), right.key_before(rights[start])), left.rate,
                   _count_unpaired(left.frames, lefts, start, end)
                   + _count_unpaired(right.frames, rights, start, end))


# ----------------------------------------------------------------------- read

def _array(frame: Any) -> np.ndarray:
    """RGB, or grey if the video is."""
    name = frame.format.name
    if name.startswith("gray"):
        return frame.to_ndarray(format="gray" if name in ("gray", "gray8") else "gray16le")
    return frame.to_ndarray(format="rgb24")


def _decode(path: str, key: Optional[int], threads: int) -> Iterator[Any]:
    """The frames of a video from a key frame on; packets that are broken are left out."""
    av = _av()
    try:
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.codec_context.thread_count = max(threads, 1)
            if key is not None:
                container.seek(key, stream=stream)
            for packet in container.demux(stream):
                try:
                    frames = packet.decode()
                except av.error.InvalidDataError:
                    continue
                yield from (frame for frame in frames if frame.pts is not None)
    except (OSError, av.error.FFmpegError) as error:
        raise Unreadable("cannot read %s: %s" % (path, error.strerror)) from error


def read_frames(path: str, key: int, wanted: Sequence[int],
                threads: int = 1) -> Iterator[Optional[np.ndarray]]:
    """The frames with these timestamps, in their order; None for one that cannot be decoded."""
    frames = _decode(path, key, threads)
    frame = next(frames, None)
    if frame is None or frame.pts > wanted[0]:
        # a file that cannot be sought in
        frames = _decode(path, None, threads)
        frame = next(frames, None)
    for pts in wanted:
        while frame is not None and frame.pts < pts:
            frame = next(frames, None)
        yield _array(frame) if frame is not None and frame.pts == pts else None
    frames.close()


def split(frame: np.ndarray, layout: str) -> Tuple[np.ndarray, np.ndarray]:
    height, width = frame.shape[:2]
    if layout == "top-bottom":
        return frame[:height // 2], frame[height // 2:height // 2 * 2]
    return frame[:, :width // 2], frame[:, width // 2:width // 2 * 2]


def read_pairs(segment: Segment, layout: str,
               threads: int) -> Iterator[Optional[Tuple[np.ndarray, np.ndarray]]]:
    """The views of each pair; None for a pair that cannot be decoded."""
    lefts, rights = zip(*segment.frames)
    left = read_frames(segment.left, segment.keys[0], lefts, threads)
    if segment.packed:
        for frame in left:
            yield None if frame is None else split(frame, layout)
        return
    for one, other in zip(left, read_frames(segment.right, segment.keys[1], rights, threads)):
        yield None if one is None or other is None else (one, other)


# --------------------------------------------------------------------- record

class _File:
    """A file for PyAV, which does not report all errors of its own."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "wb")  # pylint: disable=consider-using-with
        self.error: Optional[OSError] = None
        self.seek, self.tell = self._file.seek, self._file.tell

    def write(self, data: bytes) -> int:
        try:
            self._file.write(data)
        except OSError as error:
            self.error = self.error or error
        return len(data)

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self.error = self.error or error


# Slices are independent of the number of threads; every frame can be decoded on its own
_FFV1 = {"level": "3", "slices": "4", "slicecrc": "1", "g": "1"}
_TIME_BASE = Fraction(1, 1000)


class _Muxer:
    """A Matroska file, whose bytes depend only on its frames."""

    def __init__(self, path: str) -> None:
        self._file = _File(path)
        self.container = _av().open(self._file, "w", format="matroska",
                                    options={"fflags": "bitexact"})

    def mux(self, packets: Any) -> None:
        self.container.mux(packets)
        self._check()

    def _check(self) -> None:
        if self._file.error:
            raise self._file.error

    def close(self) -> None:
        """Raises an OSError if the file is not complete."""
        try:
            self.container.close()
        finally:
            self._file.close()
        self._check()


class Recorder:
    """A recording as FFV1 in Matroska, with a tag."""

    def __init__(self, path: str, rate: Fraction, size: Tuple[int, ...], kind: str,
                 tag: Optional[str]) -> None:
        self._muxer = _Muxer(path)
        self._kind = kind
        stream = self._muxer.container.add_stream("ffv1", rate=rate)
        stream.width, stream.height = size[1], size[0]
        stream.pix_fmt = "bgr0" if kind == "rgb24" else kind
        stream.options = dict(_FFV1)
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = _TIME_BASE
        if tag:
            # GStreamer reads and writes this name, and a text in quotation marks
            stream.metadata["COMMENTS"] = '"%s"' % tag.replace("\\", "\\\\").replace('"', '\\"')
        self._stream = stream

    def add(self, array: np.ndarray, time: int) -> None:
        """A frame, at a time in milliseconds."""
        frame = _av().VideoFrame.from_ndarray(np.ascontiguousarray(array), format=self._kind)
        if self._kind == "rgb24":
            frame = frame.reformat(format="bgr0")
        frame.pts, frame.time_base = time, _TIME_BASE
        self._muxer.mux(self._stream.encode(frame))

    def close(self) -> None:
        self._muxer.mux(self._stream.encode(None))
        self._muxer.close()

    def abandon(self) -> None:
        try:
            self._muxer.close()
        except Exception:  # pylint: disable=broad-except
            # the file is removed next
            pass


def kind_of(array: np.ndarray) -> str:
    """FFmpeg's name of the format."""
    if array.ndim == 3:
        return "rgb24"
    return "gray" if array.itemsize == 1 else "gray16le"


def join(paths: List[str], path: str) -> None:
    """Copies the packets of recordings into one."""
    muxer = _Muxer(path)
    stream, extradata = None, None
    try:
        for part in paths:
            with _av().open(part) as source:
                given = source.streams.video[0]
                if stream is None:
                    stream = _like(muxer.container, given)
                    extradata = given.codec_context.extradata
                if given.codec_context.extradata != extradata:
                    raise c.Error("%s differs in size or format from the segments before it: its "
                                  "frames cannot be joined" % part)
                for packet in source.demux(given):
                    if packet.dts is not None:
                        packet.stream = stream
                        muxer.mux(packet)
    finally:
        muxer.close()


def _like(container: Any, given: Any) -> Any:
    """A stream of the same codec and with the same tags."""
    add = getattr(container, "add_stream_from_template", None)
    stream = add(given) if add else container.add_stream(template=given)
    for name, value in given.metadata.items():
        if name.upper() == "COMMENTS":
            stream.metadata[name] = value
    return stream
