# gst-stereomatching: pictures for stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pairs of grey pictures from image files, videos and live pipelines."""

from __future__ import annotations

import os
from typing import Callable, Iterator, NamedTuple, Optional, Tuple

import numpy as np

from .. import _library as c
from ..batch import _inputs, _videos
from ..batch._images import Unreadable, read
from ._boards import import_opencv

Pictures = Tuple[np.ndarray, np.ndarray]
Notify = Callable[[str], None]


class Sample(NamedTuple):
    """A pair of pictures."""

    name: str
    pictures: Pictures
    following: Optional[Pictures] = None
    """The pair after it in a video, from which motion is found."""


def grey(array: np.ndarray) -> np.ndarray:
    """uint8, height x width; 16 bits are spread over the range of the picture."""
    if array.dtype != np.uint8:
        low, high = float(array.min()), float(array.max())
        array = ((array - low) * (255 / max(high - low, 1))).astype(np.uint8)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 3:
        cv2 = import_opencv()
        array = cv2.cvtColor(np.ascontiguousarray(array[:, :, :3]), cv2.COLOR_RGB2GRAY)
    return array


def from_images(left: str, right: Optional[str], notify: Notify) -> Iterator[Sample]:
    """The pairs of two folders, globs, printf patterns or files, or those of a list."""
    pairs = _inputs.pair_up(left, right) if right is not None else _inputs.from_list(left)
    for pair in pairs:
        if pair.left is None or pair.right is None:
            notify("%s: no picture of the %s view" % (
                pair.name, "left" if pair.left is None else "right"))
            continue
        try:
            yield Sample(pair.name, (grey(read(pair.left)), grey(read(pair.right))))
        except Unreadable as error:
            raise c.ArgumentError(str(error)) from None


def from_videos(left: str, right: Optional[str], layout: str, interval: float) -> Iterator[Sample]:
    """Two consecutive pairs at every interval, in seconds."""
    number, last = 0, None
    for segment in _videos.find_segments(left, right, 1e9):
        step = max(2, round(segment.rate * interval))
        for time, pair in zip(segment.times, _videos.read_pairs(segment, layout, 2)):
            views = (grey(pair[0]), grey(pair[1])) if pair is not None and number % step < 2 else None
            if views is not None and number % step == 0:
                last = views
            elif views is not None and last is not None:
                yield Sample("%.2f s" % (time / 1000), last, views)
                last = None
            number += 1


def is_video(left: str, right: Optional[str]) -> bool:
    return _videos.are_videos(left, right)


def open_source(left: str, right: Optional[str], layout: str, interval: float,
                notify: Notify) -> Iterator[Sample]:
    """The pairs of files."""
    for path in (left,) if right is None else (left, right):
        if path.lower().endswith(_videos.SUFFIXES) and not os.path.isfile(path):
            raise _inputs.not_a_source(path)
    if is_video(left, right):
        return from_videos(left, right, layout, interval)
    if right is None and not _inputs.is_list(left):
        raise c.ArgumentError("%s: expected LEFT and RIGHT, a list of pairs (.csv, .jsonl), or a "
                              "video with both views" % left)
    return from_images(left, right, notify)
