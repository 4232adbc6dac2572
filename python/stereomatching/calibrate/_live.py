# gst-stereomatching: live pictures for stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pairs of a live GStreamer pipeline.

Both views end in an appsink that keeps the newest frames, because finding a board takes longer
than a frame. Frames whose timestamps differ by at most half a frame of the faster view form a pair.
"""

from __future__ import annotations

import time
from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

from .. import _library as c
from .._gstreamer import import_gst
from ..batch._videos import split
from ._inputs import Pictures, Sample

# Seconds without a frame that end the stream
_TIMEOUT = 10
_TOLERANCE = 20_000_000         # nanoseconds, for streams without a frame rate
_SINK = ("videoconvert ! video/x-raw,format=GRAY8 ! "
         "appsink name=%s max-buffers=3 drop=true sync=false")


class _Frame:
    """A frame and its time in nanoseconds."""

    def __init__(self, sample: Any) -> None:
        caps = sample.get_caps().get_structure(0)
        width, height = caps.get_value("width"), caps.get_value("height")
        data = sample.get_buffer()
        rows = np.frombuffer(data.extract_dup(0, data.get_size()), np.uint8)
        # rows of raw video have a multiple of four bytes
        self.picture = rows.reshape(height, -1)[:, :width]
        self.time = int(data.pts)
        known, numerator, denominator = caps.get_fraction("framerate")
        self.tolerance = (500_000_000 * denominator // numerator if known and numerator > 0
                          else _TOLERANCE)


class Live:
    """A pipeline of one or two descriptions in gst-launch syntax."""

    def __init__(self, left: str, right: Optional[str], layout: str) -> None:
        self._gst = import_gst("live pictures need")
        self._layout = layout
        names = ["left"] if right is None else ["left", "right"]
        text = " ".join("%s ! %s" % (one, _SINK % name)
                        for one, name in zip((left, right), names))
        try:
            self._pipeline = self._gst.parse_launch(text)
        except Exception as error:  # pylint: disable=broad-except
            # GLib.Error, whose module is not imported
            raise c.ArgumentError("cannot use the pipeline: %s" % getattr(
                error, "message", error)) from None
        self._sinks = [self._pipeline.get_by_name(name) for name in names]

    def _check(self) -> None:
        kinds = self._gst.MessageType
        message = self._pipeline.get_bus().pop_filtered(kinds.ERROR)
        if message is not None:
            raise c.Error("the pipeline failed: %s" % message.parse_error().gerror.message)

    def _pull(self, sink: Any) -> Optional[_Frame]:
        """The next frame; None at the end."""
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end:
            sample = sink.try_pull_sample(self._gst.SECOND // 5)
            self._check()
            if sample is not None:
                return _Frame(sample)
            if sink.is_eos():
                return None
        raise c.Error("no picture from the pipeline in %d seconds" % _TIMEOUT)

    def _pair(self) -> Optional[Tuple[int, Pictures]]:
        frames = [self._pull(sink) for sink in self._sinks]
        while all(frames) and len(frames) == 2:
            difference = frames[0].time - frames[1].time
            if abs(difference) <= min(frame.tolerance for frame in frames):
                break
            late = 0 if difference < 0 else 1
            frames[late] = self._pull(self._sinks[late])
        if not all(frames):
            return None
        views: List[np.ndarray] = [frame.picture for frame in frames]
        if len(views) == 1:
            views = list(split(views[0], self._layout))
        return frames[0].time, (np.ascontiguousarray(views[0]), np.ascontiguousarray(views[1]))

    def samples(self) -> Iterator[Sample]:
        """Consecutive pairs until the end of the stream."""
        self._pipeline.set_state(self._gst.State.PLAYING)
        try:
            last = self._pair()
            while last is not None:
                following = self._pair()
                if following is not None:
                    yield Sample("%.2f s" % (following[0] / 1e9), last[1], following[1])
                last = following
        finally:
            self._pipeline.set_state(self._gst.State.NULL)
