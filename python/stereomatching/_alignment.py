# gst-stereomatching: alignment of two views
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether rows of two views match, and a correction if not."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_void_p
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from . import _library as c
from ._arrays import MAX_SIZE, image_of, require_pair
from ._checks import check, encoded, number, path_of, shown, whole
from ._devices import device
from ._lifetimes import Lifetime, Unique
from ._writing import write_file


class Correction(NamedTuple):
    """A correction of both views, after which points are on the same row of both.

    The centre of the image keeps its disparity. All values 0: no change.
    """

    width: int
    """Of the views, in pixels."""
    height: int
    focal_length: float
    """In pixels, that the values are relative to."""
    pitch: float
    """Rotations of the right view against the left one, in radians, about the axes of a camera: x
    right, y down, z forward."""
    yaw: float
    roll: float
    zoom: float
    """Logarithm of the ratio of focal lengths."""
    common_roll: float
    """Rotations of both views, in radians."""
    common_yaw: float
    focal: float
    """Logarithm of the focal length, relative to focal_length."""
    offset: float
    """Of the principal points in y, in pixels."""
    k1: float
    """Radial distortion of the right view against the left one."""
    common_k1: float

    @classmethod
    def from_text(cls, text: str) -> "Correction":
        """Parses what str() returns, for example a saved state of a matcher."""
        parsed, why = c.Correction(), c.Message()
        check(c.lib.stereo_correction_parse(encoded(text, "text"), ctypes.byref(parsed),
                                            ctypes.byref(why)), why.text, "text")
        return _to_python(parsed)

    def __str__(self) -> str:
        text = ctypes.create_string_buffer(c.CORRECTION_TEXT_SIZE)
        c.lib.stereo_correction_format(ctypes.byref(_to_library(self)), text)
        return text.value.decode()

    @property
    def identity(self) -> bool:
        """Whether all values are 0, so that nothing changes."""
        return not any(self[3:])

    def source(self, view: str, x: float, y: float) -> Tuple[float, float]:
        """The position in the left or right view that pixel (x, y) of the corrected view shows."""
        if view not in ("left", "right"):
            raise c.ArgumentError("view = %s: expected left or right" % shown(view))
        at = ctypes.c_double(), ctypes.c_double()
        c.lib.stereo_correction_source(ctypes.byref(_checked(self)), view == "right",
                                       number(x, "x"), number(y, "y"),
                                       *(ctypes.byref(value) for value in at))
        return at[0].value, at[1].value

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a calibration file of OpenCV, for Rectifier and stereorectify."""
        write_file(path_of(path, "path"), self.calibration().encode("ascii"))

    def calibration(self) -> str:
        """The text of that file."""
        text = ctypes.create_string_buffer(c.CORRECTION_FILE_SIZE)
        c.lib.stereo_correction_format_opencv(ctypes.byref(_checked(self)), text)
        return text.value.decode()


def _to_python(found: c.Correction) -> Correction:
    return Correction(found.width, found.height, found.focal_length, *found.values)


def require_correction(given: Any, what: str) -> None:
    if not isinstance(given, Correction):
        raise c.ArgumentError("%s = %s: expected a Correction" % (what, shown(given)))


def _to_library(correction: Correction) -> c.Correction:
    names = correction._fields
    # 0x0 before the first pair
    size = [whole(value, name, 0, MAX_SIZE) for name, value in zip(names[:2], correction[:2])]
    numbers = [number(value, name) for name, value in zip(names[2:], correction[2:])]
    return c.Correction(0, *size, numbers[0], tuple(numbers[1:]))


def _checked(correction: Correction) -> c.Correction:
    """The library checks values when it parses them."""
    return _to_library(Correction.from_text(str(correction)))


class Alignment(NamedTuple):
    """A measurement. Numbers are NaN if they could not be measured.

    Rows are those of a point in the right view minus those in the left one, over the whole image
    and the measured disparities. A sigma is a standard deviation.
    """

    status: str
    """``"ok"``, ``"off"``, ``"unknown"``, ``"swapped"``, ``"same-view"`` or ``"not-in-step"``."""
    text: str
    """What it means, in sentences."""
    alarm: bool
    """The same status, neither ok nor unknown, of three measurements in a row."""
    matches: int
    """Points found in both views,"""
    fitting: int
    """and how many of them agree with the cameras found."""
    rows_median: float
    """Median of absolute rows, in pixels."""
    rows_95: float
    """Absolute rows that 5 % of the image exceed, in pixels."""
    rows_max: float
    rows_sigma: float
    offset: float
    """How far the right view is lower, in pixels."""
    offset_sigma: float
    roll: float
    """How far the right view is turned clockwise, in degrees."""
    roll_sigma: float
    zoom: float
    """How much larger the right view is: ratio of the focal lengths - 1."""
    zoom_sigma: float
    keystone: float
    """Rotation of the right camera to the right about the vertical axis, in degrees."""
    keystone_sigma: float
    disparity_sigma: float
    """Uncertainty of an offset of all disparities by that rotation, in pixels."""
    contrast: float
    """Ratio of the right view to the left one."""
    brightness: float
    """Difference of the means, in grey levels."""
    sharpness: float
    """Ratio of the right view to the left one."""
    min_disparity: float
    """Of 96 % of the points, in pixels."""
    max_disparity: float
    correction: Correction
    """The correction of the rows; the identity while rows are off by less than 0.25 pixels, or by less
    than can be trusted."""


_NUMBERS = Alignment._fields[5:-1]


class Aligner(Unique):
    """Measures pairs of a video, one after the other.

    :param focal_length: of the views, in pixels, if it is known.
    :param backend: ``"auto"``, ``"cpu"`` or ``"cuda"``.
    :param threads: number of CPU threads (0 = one per processor).
    """

    def __init__(self, *, focal_length: float = 0, backend: str = "auto", threads: int = 0,
                 simd: str = "auto", cuda_device: int = -1) -> None:
        self._device = device(backend, threads, simd, cuda_device)
        self._handle = c_void_p()
        why = c.Message()
        check(c.lib.stereo_alignment_new(ctypes.byref(self._handle), ctypes.byref(why)), why.text,
              "alignment")
        self._lifetime = Lifetime(self, c.lib.stereo_alignment_free, ctypes.pointer(self._handle))
        check(c.lib.stereo_alignment_set_focal_length(
            self._handle, number(focal_length, "focal_length"), ctypes.byref(why)), why.text,
              "focal_length")

    def measure(self, left: Any, right: Any, *, order: str = "rgb", seconds: float = float("nan"),
                applied: Optional[Correction] = None) -> Alignment:
        """Adds a pair.

        :param left: uint8 or uint16, height x width, or x 3 or 4 channels.
        :param right: the right view, of the same size.
        :param seconds: time of the pair; by default 0.1 s after the previous one.
        :param applied: the correction that these views already have.
        """
        require_pair(left, right)
        one, left_array = image_of(left, "left", order)
        other, right_array = image_of(right, "right", order)
        why, report = c.Message(), c.AlignmentReport()
        given: Any = None
        if applied is not None:
            require_correction(applied, "applied")
            given = ctypes.byref(_to_library(applied))
        with self._lifetime.lock():
            check(c.lib.stereo_alignment_measure(
                self._handle, self._device, ctypes.byref(one), ctypes.byref(other), given,
                number(seconds, "seconds"), ctypes.byref(why)), why.text, "align")
            c.lib.stereo_alignment_get_report(self._handle, ctypes.byref(report))
            del left_array, right_array     # in use until here
            return self._report(report)

    def _report(self, report: c.AlignmentReport) -> Alignment:
        values: Dict[str, float] = {name: getattr(report, name) for name in _NUMBERS}
        status = c.lib.stereo_alignment_status_name(report.status).decode()
        return Alignment(status, report.text.decode(), report.alarm, report.n_matches,
                         report.n_fitting, correction=self._correction(), **values)

    @property
    def correction(self) -> Correction:
        """What all pairs so far ask for."""
        with self._lifetime.lock():
            return self._correction()

    def _correction(self) -> Correction:
        found = c.Correction()
        c.lib.stereo_alignment_get_correction(self._handle, ctypes.byref(found))
        return _to_python(found)

    def reset(self) -> None:
        """Forgets all pairs."""
        with self._lifetime.lock():
            c.lib.stereo_alignment_reset(self._handle)


def align(left: Any, right: Any, *, order: str = "rgb", **options: Any) -> Alignment:
    """Measures whether rows of two views match, and a correction.

        found = stereomatching.align(left, right)
        print(found.text)
        rectified = stereomatching.Rectifier(correction=found.correction)(left, right)

    Views and options as for :class:`Aligner`.
    """
    return Aligner(**options).measure(left, right, order=order)
