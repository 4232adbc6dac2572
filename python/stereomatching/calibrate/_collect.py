# gst-stereomatching: pairs for a calibration
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds boards in pairs, and chooses those of a video that add something."""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

import numpy as np

from .. import _library as c
from ._boards import Detection, Detector, other_size
from ._calibration import MIN_PAIRS, Found
from ._coverage import Coverage
from ._inputs import Notify, Pictures, Sample

# The least distance of a board from all others in a video, relative to the width of a view
_NEW = 0.03
_MIN_COMMON = 4
# Pictures in which boards of other sizes are searched for
_PROBED = 2


def distance(one: Detection, other: Detection) -> float:
    """The mean distance of equal corners in two pictures, in pixels."""
    _, a, b = np.intersect1d(one.ids, other.ids, return_indices=True)
    if len(a) < _MIN_COMMON:
        return float("inf")
    return float(np.hypot(*(one.pixels[a] - other.pixels[b]).T).mean())


class Collector:
    """The boards of a source."""

    def __init__(self, detector: Detector, coverage: Coverage, notify: Notify,
                 max_motion: float) -> None:
        self.found: List[Found] = []
        self.size: Optional[Tuple[int, int]] = None
        self.coverage = coverage
        self._detector = detector
        self._notify = notify
        self._max_motion = max_motion
        self._one_view = 0
        self._moving = 0
        self._probed: List[np.ndarray] = []
        self._first: Optional[np.ndarray] = None

    @property
    def pairs(self) -> int:
        """The number of pairs with a board in both views."""
        return sum(None not in one.pair for one in self.found)

    def _check_size(self, name: str, pictures: Pictures) -> None:
        for picture, view in zip(pictures, ("left", "right")):
            size = (picture.shape[1], picture.shape[0])
            if self.size is None:
                self.size = size
            if size != self.size:
                raise c.ArgumentError("the %s view of %s has %dx%d pixels, and the first picture "
                                      "%dx%d: expected pictures of one size" % (
                                          view, name, *size, *self.size))

    def _detect(self, pictures: Pictures) -> Tuple[Optional[Detection], Optional[Detection]]:
        left, right = (self._detector.detect(picture) for picture in pictures)
        if left is not None and right is not None:
            return self._detector.in_both(left, right)
        return left, right

    def _is_new(self, left: Detection) -> bool:
        least = _NEW * (self.size or (0, 0))[0]
        return all(distance(left, one.pair[0]) >= least for one in self.found
                   if one.pair[0] is not None)

    def _is_still(self, pair: Tuple[Detection, Detection], following: Pictures) -> bool:
        if not self._max_motion:
            return True
        after = self._detect(following)
        return all(later is not None and distance(one, later) <= self._max_motion
                   for one, later in zip(pair, after))

    def add(self, sample: Sample) -> None:
        self._check_size(sample.name, sample.pictures)
        pair = self._detect(sample.pictures)
        is_video = sample.following is not None
        if len(self._probed) < _PROBED and pair[0] is None:
            self._probed.append(sample.pictures[0])
        if self._first is None and pair[0] is not None:
            self._first = sample.pictures[0]
        if pair[0] is None or pair[1] is None:
            if is_video:
                self._one_view += pair[0] is not pair[1]
            else:
                self.found.append(Found(sample.name, pair))
                self._notify("%s: no board in the %s" % (sample.name, "left view" if pair[1] else (
                    "right view" if pair[0] else "views")))
            return
        if is_video and not self._is_new(pair[0]):
            return
        if is_video and not self._is_still((pair[0], pair[1]), sample.following):
            self._moving += 1
            return
        self.found.append(Found(sample.name, pair))
        self.coverage.add((pair[0], pair[1]), self.size or (0, 0))
        missing = self.coverage.missing()
        self._notify("%s: pair %d, coverage %.0f %% and %.0f %%%s" % (
            sample.name, self.pairs, 100 * self.coverage.share(0), 100 * self.coverage.share(1),
            "; few corners in the " + missing if missing else ""))

    def add_all(self, samples: Iterable[Sample], most: int) -> None:
        """Until the source ends, or this number of pairs is found (0 = no limit)."""
        for sample in samples:
            self.add(sample)
            if most and self.pairs >= most:
                break

    def _other_size(self) -> Optional[Tuple[int, int]]:
        """The size of the board if it has another one."""
        board = self._detector.board
        sizes = [] if self._first is None else [other_size(board, self._first, True)]
        if self.pairs == 0:
            sizes += [other_size(board, picture, False) for picture in self._probed]
        return next((size for size in sizes if size is not None), None)

    def _require_pairs(self) -> None:
        """Of a video that has boards. Raises an error with the reasons why pairs were not taken."""
        reasons = []
        if self._moving:
            reasons.append("it moves by more than %g pixels to the next frame in %d more: hold it "
                           "still, or set --max-motion" % (self._max_motion, self._moving))
        if self._one_view:
            reasons.append("only one view has it in %d more" % self._one_view)
        if reasons and self.pairs < MIN_PAIRS:
            raise c.Error("expected the board in both views of at least %d pairs, got %d; %s" % (
                MIN_PAIRS, self.pairs, "; ".join(reasons)))

    def require(self) -> None:
        """Raises an error if no picture has the board, or only as a part of a larger one."""
        if self.size is None:
            raise c.Error("there are no pairs")
        size = self._other_size()
        if size is not None:
            raise c.Error("the chessboard has %dx%d inner corners: use --size %dx%d" % (size + size))
        self._require_pairs()
        if any(one is not None for each in self.found for one in each.pair):
            return
        hint = ("--size counts the inner corners of a chessboard, one less than its squares"
                if self._detector.board.kind == "chessboard" else "check --size and --dictionary")
        raise c.Error("found no %s in any of the pictures; %s" % (
            self._detector.board.describe(), hint))
