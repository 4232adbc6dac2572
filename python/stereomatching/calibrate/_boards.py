# gst-stereomatching: calibration boards
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detects chessboards, ChArUco boards and grids of AprilTags with OpenCV.

OpenCV replaced the functions of its aruco module in 4.7; both interfaces are supported.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import _library as c
from .._checks import number, whole
from ._solve import Observation

KINDS = ("chessboard", "charuco", "aprilgrid")
# Corners that determine the pose of a board with some redundancy
_MIN_CORNERS = 8
# Half of the window around a corner, in distances between corners and in pixels
_WINDOW, _MIN_WINDOW, _MAX_WINDOW = 0.4, 2, 8
# Chessboards are searched for in pictures of at most this size first: the time grows with it
_SEARCH_WIDTH = 1000


class Detection(NamedTuple):
    """Corners of a board in a picture."""

    ids: np.ndarray
    """n integers."""
    pixels: np.ndarray
    """n x 2."""


def import_opencv() -> Any:
    try:
        import cv2  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise ImportError("stereo-calibrate needs OpenCV: apt-get install python3-opencv, or "
                          "pip install opencv-contrib-python-headless") from None
    return cv2


@dataclass(frozen=True)
class Board:
    """A printed board.

    :param kind: ``"chessboard"``, ``"charuco"`` or ``"aprilgrid"``.
    :param columns: inner corners of a chessboard, squares of a ChArUco board, or tags of a grid.
    :param rows: the same from top to bottom.
    :param square: size of a square, or of a tag with its black border, in metres.
    :param marker: size of a marker of a ChArUco board, in metres (0 = three quarters of a square).
    :param spacing: gap between the tags of a grid, relative to their size.
    :param dictionary: OpenCV's name of the markers (None = 5X5_1000 for ChArUco boards,
        APRILTAG_36h11 for grids).
    """

    kind: str
    columns: int
    rows: int
    square: float
    marker: float = 0.0
    spacing: float = 0.3
    dictionary: Optional[str] = None

    def __post_init__(self) -> None:
        least = 1 if self.kind == "aprilgrid" else 3
        if self.kind not in KINDS:
            raise c.ArgumentError("the board '%s': expected %s or %s" % (
                self.kind, ", ".join(KINDS[:-1]), KINDS[-1]))
        for name in ("columns", "rows"):
            # OpenCV does not accept the integers of NumPy
            object.__setattr__(self, name, whole(getattr(self, name), name, least, 100))
        for name in ("square", "marker", "spacing"):
            object.__setattr__(self, name, number(getattr(self, name), name))
        if not 1e-4 <= self.square <= 100:
            raise c.ArgumentError("a square of %g m: expected 0.0001 to 100 metres" % self.square)
        if not 0 <= self.marker < self.square:
            raise c.ArgumentError("a marker of %g m: expected less than a square, %g m" % (
                self.marker, self.square))
        if not 0 < self.spacing <= 2:
            raise c.ArgumentError("a spacing of %g: expected above 0, and at most 2" % self.spacing)

    def describe(self) -> str:
        unit = "inner corners" if self.kind == "chessboard" else (
            "squares" if self.kind == "charuco" else "tags")
        return "%s of %dx%d %s of %g mm" % (
            self.kind, self.columns, self.rows, unit, 1000 * self.square)


def sharpen(picture: np.ndarray, pixels: np.ndarray, reach: float) -> np.ndarray:
    """Corners to fractions of a pixel; nothing else is within this distance of a corner."""
    cv2 = import_opencv()
    half = int(np.clip(reach, _MIN_WINDOW, _MAX_WINDOW))
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 0.001)
    found = cv2.cornerSubPix(picture, np.ascontiguousarray(pixels, np.float32).reshape(-1, 1, 2),
                             (half, half), (-1, -1), criteria)
    return found.reshape(-1, 2).astype(float)


def _nearest(pixels: np.ndarray) -> float:
    """The smallest distance of two corners, without the pairs of the closest tenth."""
    apart = np.hypot(*(pixels[:, None] - pixels[None]).transpose(2, 0, 1))
    return float(np.quantile(np.sort(apart, axis=1)[:, 1], 0.1))


# ----------------------------------------------------------------- chessboard

class _Chessboard:
    """Corners are numbered row by row, from either end of the board."""

    def __init__(self, board: Board) -> None:
        self._size = (board.columns, board.rows)
        self._square = board.square

    def _search(self, picture: np.ndarray) -> Optional[np.ndarray]:
        cv2 = import_opencv()
        flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE
        found, pixels = cv2.findChessboardCorners(picture, self._size, flags=flags)
        if not found:
            # slower; finds boards in blurred pictures and with uneven light
            found, pixels = cv2.findChessboardCornersSB(picture, self._size)
        return pixels.reshape(-1, 2).astype(float) if found else None

    def detect(self, picture: np.ndarray) -> Optional[Detection]:
        cv2 = import_opencv()
        factor = max(1, -(-picture.shape[1] // _SEARCH_WIDTH))
        pixels = None
        if factor > 1:
            small = cv2.resize(picture, None, fx=1 / factor, fy=1 / factor,
                               interpolation=cv2.INTER_AREA)
            pixels = self._search(small)
            if pixels is not None:
                pixels = (pixels + 0.5) * factor - 0.5
                # the window has to contain the true corner
                pixels = sharpen(picture, pixels, 2 * factor)
        if pixels is None:
            pixels = self._search(picture)
        if pixels is None:
            return None
        return Detection(np.arange(len(pixels)), sharpen(picture, pixels, _WINDOW * _nearest(pixels)))

    def same_order(self, left: Detection, right: Detection) -> Detection:
        """The right view with the numbers of the left one: a board that is turned has several."""
        columns, rows = self._size
        grid = np.arange(columns * rows).reshape(rows, columns)
        turns = [grid, grid[::-1, ::-1]]
        if columns == rows:
            turns += [np.rot90(grid), np.rot90(grid, 3)]
        shape = left.pixels - left.pixels.mean(axis=0)
        options = [right.pixels[turn.ravel()] for turn in turns]
        best = min(options, key=lambda pixels: np.abs(pixels - pixels.mean(axis=0) - shape).sum())
        return Detection(right.ids, best)

    def points(self, _: Sequence[Detection]) -> np.ndarray:
        columns, rows = self._size
        y, x = np.mgrid[:rows, :columns]
        return np.stack([x, y, 0 * x], 2).reshape(-1, 3) * self._square


# --------------------------------------------------------------------- markers

class _Markers:
    """Detection of markers, with the interface of this version of OpenCV."""

    def __init__(self, dictionary: str, border_bits: int = 1) -> None:
        aruco = import_opencv().aruco
        name = "DICT_" + dictionary.upper().replace("H", "h").replace("DICT_", "")
        if not hasattr(aruco, name):
            raise c.ArgumentError("the dictionary '%s': expected a name of OpenCV, such as 4X4_50, "
                                  "5X5_1000, 6X6_250 or APRILTAG_36h11" % dictionary)
        self.dictionary = aruco.getPredefinedDictionary(getattr(aruco, name))
        self.modern = hasattr(aruco, "ArucoDetector")
        self.parameters = (aruco.DetectorParameters() if self.modern
                           else aruco.DetectorParameters_create())
        self.parameters.markerBorderBits = border_bits
        self._detector = aruco.ArucoDetector(self.dictionary, self.parameters) if self.modern else None

    def detect(self, picture: np.ndarray) -> Tuple[Sequence[np.ndarray], Optional[np.ndarray]]:
        if self._detector is not None:
            corners, ids, _ = self._detector.detectMarkers(picture)
        else:
            corners, ids, _ = import_opencv().aruco.detectMarkers(
                picture, self.dictionary, parameters=self.parameters)
        return corners, ids


class _Charuco:
    """Corners are numbered by OpenCV."""

    def __init__(self, board: Board) -> None:
        aruco = import_opencv().aruco
        self._markers = _Markers(board.dictionary or "5X5_1000")
        self._board = board
        self._marker = marker = board.marker or 0.75 * board.square
        size = (board.columns, board.rows)
        if not self._markers.modern:
            self._boards = [aruco.CharucoBoard_create(*size, board.square, marker,
                                                      self._markers.dictionary)]
            return
        self._boards = []
        for legacy in (False, True):
            one = aruco.CharucoBoard(size, board.square, marker, self._markers.dictionary)
            one.setLegacyPattern(legacy)
            self._boards.append(one)

    def _corners(self, picture: np.ndarray, board: Any) -> Tuple[Any, Any]:
        aruco = import_opencv().aruco
        if self._markers.modern:
            return aruco.CharucoDetector(board).detectBoard(picture)[:2]
        corners, ids = self._markers.detect(picture)
        if ids is None:
            return None, None
        return aruco.interpolateCornersCharuco(corners, ids, picture, board)[1:]

    def detect(self, picture: np.ndarray) -> Optional[Detection]:
        best = None
        for board in list(self._boards):
            pixels, ids = self._corners(picture, board)
            if ids is None or len(ids) < _MIN_CORNERS or (best and len(ids) <= len(best.ids)):
                continue
            best = Detection(ids.reshape(-1), pixels.reshape(-1, 2).astype(float))
            if len(ids) == (self._board.columns - 1) * (self._board.rows - 1):
                # squares begin with the other colour in boards of older versions
                self._boards = [board]
        if best is None or not _spread(best.pixels):
            return None
        # up to the markers
        gap = (1 - self._marker / self._board.square) / 2
        return Detection(best.ids, sharpen(picture, best.pixels, gap * _nearest(best.pixels)))

    def same_order(self, _: Detection, right: Detection) -> Detection:
        return right

    def points(self, _: Sequence[Detection]) -> np.ndarray:
        y, x = np.mgrid[:self._board.rows - 1, :self._board.columns - 1]
        return np.stack([x, y, 0 * x], 2).reshape(-1, 3) * self._board.square


def _spread(pixels: np.ndarray) -> bool:
    """Whether corners are not on one line."""
    values = np.linalg.svd(pixels - pixels.mean(axis=0), compute_uv=False)
    return bool(values[1] > 0.05 * values[0])


class _Aprilgrid:
    """Corner k of tag t is number 4 t + k. Programs that draw such grids differ in where the first
    tag is, and in the corner that a tag begins with: points() finds that out."""

    def __init__(self, board: Board) -> None:
        name = board.dictionary or "APRILTAG_36h11"
        # Kalibr's tags have a border of two bits, others one
        self._markers = [_Markers(name, bits) for bits in (2, 1)]
        self._board = board

    def detect(self, picture: np.ndarray) -> Optional[Detection]:
        number = self._board.columns * self._board.rows
        best: Optional[Tuple[np.ndarray, np.ndarray]] = None
        for markers in self._markers:
            corners, ids = markers.detect(picture)
            if ids is None:
                continue
            known = np.flatnonzero((ids.reshape(-1) < number) & (np.bincount(
                ids.reshape(-1), minlength=1)[ids.reshape(-1)] == 1))
            if len(known) >= 2 and (best is None or len(known) > len(best[0])):
                best = (ids.reshape(-1)[known],
                        np.array([corners[i].reshape(4, 2) for i in known], float))
        if best is None:
            return None
        ids, tags = best
        side = np.linalg.norm(tags - np.roll(tags, 1, axis=1), axis=2).min()
        # a border has an eighth or a fifth of the tag
        reach = side * min(0.8 * self._board.spacing, 0.12)
        pixels = sharpen(picture, tags.reshape(-1, 2), 2 * reach)
        pixels = sharpen(picture, pixels, reach)
        return Detection((4 * ids[:, None] + np.arange(4)).reshape(-1), pixels)

    def same_order(self, _: Detection, right: Detection) -> Detection:
        return right

    def _layout(self, upwards: bool, first: int) -> np.ndarray:
        """Points of all corners, for tags that are counted upwards or downwards."""
        board = self._board
        row, column = np.divmod(np.arange(board.columns * board.rows), board.columns)
        # clockwise from the upper left corner, as seen
        corners = np.roll(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), first, axis=0)
        if upwards:
            row = board.rows - 1 - row
        origin = np.stack([column, row], 1) * (1 + board.spacing)
        places = (origin[:, None] + corners).reshape(-1, 2) * board.square
        return np.column_stack([places, np.zeros(len(places))])

    def points(self, detections: Sequence[Detection]) -> np.ndarray:
        layouts = [self._layout(*case) for case in itertools.product((True, False), range(4))]
        fits = [np.mean([_misfit(layout[one.ids, :2], one.pixels) for one in detections])
                for layout in layouts]
        return layouts[int(np.argmin(fits))]


def _misfit(points: np.ndarray, pixels: np.ndarray) -> float:
    """The median distance of corners from the homography that fits them, relative to their
    extent."""
    found, _ = import_opencv().findHomography(points, pixels, 0)
    if found is None:
        return 1.0
    image = np.column_stack([points, np.ones(len(points))]) @ found.T
    apart = np.hypot(*(image[:, :2] / image[:, 2:] - pixels).T)
    return float(min(1.0, np.median(apart) / np.ptp(pixels, axis=0).max()))


_DETECTORS: Dict[str, Any] = {"chessboard": _Chessboard, "charuco": _Charuco,
                              "aprilgrid": _Aprilgrid}


class Detector:
    """Finds a board in pairs of views."""

    def __init__(self, board: Board) -> None:
        import_opencv()
        self.board = board
        self._detector = _DETECTORS[board.kind](board)

    def detect(self, picture: np.ndarray) -> Optional[Detection]:
        """The corners in a grey picture, or None."""
        return self._detector.detect(np.ascontiguousarray(picture))

    def in_both(self, left: Detection, right: Detection) -> Tuple[Detection, Detection]:
        return left, self._detector.same_order(left, right)

    def observations(self, detections: List[Tuple[Optional[Detection], Optional[Detection]]]
                     ) -> List[Tuple[Optional[Observation], Optional[Observation]]]:
        """The detections of pairs with their points on the board."""
        points = self._detector.points([one for pair in detections for one in pair
                                        if one is not None])
        return [tuple(None if one is None else Observation(one.ids, points[one.ids], one.pixels)
                      for one in pair) for pair in detections]  # type: ignore[misc]


def other_size(board: Board, picture: np.ndarray, larger: bool) -> Optional[Tuple[int, int]]:
    """The size of a chessboard that is in a picture, near the expected one, or only a larger one:
    OpenCV also finds a part of a board."""
    if board.kind != "chessboard":
        return None
    cv2 = import_opencv()
    # larger sizes come first: the board of a smaller one may have further corners
    steps = ((1, 0), (0, 1), (1, 1)) if larger else sorted(
        itertools.product(range(-2, 3), repeat=2),
        key=lambda step: (min(step) < 0, abs(step[0]) + abs(step[1]), -step[0]))
    for i, j in steps:
        columns, rows = board.columns + i, board.rows + j
        if columns >= 3 and rows >= 3 and cv2.findChessboardCorners(
                picture, (columns, rows), flags=cv2.CALIB_CB_ADAPTIVE_THRESH
                | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK)[0]:
            return columns, rows
    return None
