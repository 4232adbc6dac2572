# gst-stereomatching: disparity maps, and what is made of them
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Map, view(), depth() and points()."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

import numpy as np

from . import _arrays, _devices, _tables
from . import _library as c
from ._properties import Value, require_known, set_one


@dataclass
class Map:
    """The disparity map of a left view. Arrays are height x width."""

    codes: np.ndarray
    """uint16 or uint8, as the library wrote them: (disparity - minimum) * scale, rounded."""
    scale: float = 16
    """Codes for one pixel of disparity."""
    minimum: int = 0
    """The disparity of code 0, in pixels."""
    invalid: Optional[int] = 0
    """The code of a pixel without a disparity; None = all have one."""
    confidence_codes: Optional[np.ndarray] = None
    """uint16: 0 to 65535 for 0 to 1."""
    vertical_codes: Optional[np.ndarray] = None
    """uint16: vertical disparity * scale + 32768."""

    @property
    def valid(self) -> np.ndarray:
        """bool: where there is a disparity."""
        if self.invalid is None:
            return np.ones(self.codes.shape, bool)
        return self.codes != self.invalid

    @property
    def disparity(self) -> np.ndarray:
        """float32, in pixels; NaN where there is none.

        The point at column x of the left view is at x - disparity of the right one.
        """
        pixels = (self.codes / self.scale + self.minimum).astype(np.float32)
        pixels[~self.valid] = np.nan
        return pixels

    @property
    def confidence(self) -> Optional[np.ndarray]:
        """float32: how well a pixel matches, 0 to 1; None if it was not asked for."""
        if self.confidence_codes is None:
            return None
        return (self.confidence_codes / 65535).astype(np.float32)

    @property
    def vertical(self) -> Optional[np.ndarray]:
        """float32, in pixels: how much higher the point is in the right view; NaN = none."""
        if self.vertical_codes is None:
            return None
        pixels = ((self.vertical_codes.astype(np.float64) - c.VERTICAL_OFFSET)
                  / self.scale).astype(np.float32)
        if self.invalid is not None:
            pixels[self.vertical_codes == self.invalid] = np.nan
        return pixels

    @classmethod
    def from_disparity(cls, disparity: Any, scale: Optional[float] = None) -> "Map":
        """A map of disparities from elsewhere.

        :param disparity: height x width, in pixels; what is not finite has none.
        :param scale: codes for a pixel; without one the largest power of two up to 256 that
            leaves room for all.
        """
        pixels = np.asarray(disparity, np.float64)
        if pixels.ndim != 2 or pixels.size == 0:
            raise c.ArgumentError("disparity has the shape %s: it has to be height x width" % (
                pixels.shape,))
        known = np.isfinite(pixels)
        least = int(np.floor(pixels[known].min())) if known.any() else 0
        span = float(pixels[known].max()) - least if known.any() else 0.0
        factor = 256.0 if scale is None else float(scale)
        while scale is None and factor > 1 / 64 and span * factor > 65534:
            factor /= 2
        if not factor > 0 or span * factor > 65534:
            raise c.ArgumentError("disparities %g pixels apart have no codes of 16 bits with a "
                                  "scale of %g" % (span, factor))
        codes = np.full(pixels.shape, 65535, np.uint16)
        codes[known] = np.floor((pixels[known] - least) * factor + 0.5).astype(np.uint16)
        return cls(codes=codes, scale=factor, minimum=least, invalid=65535)


@dataclass(frozen=True)
class Camera:
    """A rectified stereo camera."""

    focal_length: float
    """In pixels."""
    baseline: float
    """Distance of the two cameras, in metres."""
    cx: Optional[float] = None
    """Column of what is straight ahead of the left one; None = the middle."""
    cy: Optional[float] = None
    doffs: float = 0.0
    """cx of the right one less cx of the left one, in pixels."""


class _Operation:
    """One of the library's operations, for one frame."""

    def __init__(self, name: str, backend: str, given: Dict[str, Value],
                 fixed: Dict[str, float]) -> None:
        table = _tables.table(name)
        for key in given:
            require_known(name, {k: v for k, v in table.items() if k not in fixed}, key)
        self._handle = c_void_p()
        why = c.Message()
        c.check(c.lib.stereo_operation_new(
            name.encode(), _devices.device(backend, 0, "auto", -1), ctypes.byref(self._handle),
            ctypes.byref(why)), why.text, name)
        self._fixed, self._given = fixed, given

    def __enter__(self) -> "_Operation":
        try:
            for values in (self._fixed, self._given):
                for key, value in values.items():
                    set_one(c.lib.stereo_operation_set, c.lib.stereo_operation_set_text,
                            self._handle, key, value)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        c.lib.stereo_operation_free(ctypes.byref(self._handle))

    def output_size(self, image: c.Image) -> "tuple[int, int]":
        width, height = c_int(), c_int()
        c.lib.stereo_operation_output_size(self._handle, image.width, image.height,
                                           ctypes.byref(width), ctypes.byref(height))
        return width.value, height.value

    def process(self, inputs: List[Optional[c.Image]], output: c.Image) -> None:
        why = c.Message()
        images = (POINTER(c.Image) * c.MAX_INPUTS)()
        for i, image in enumerate(inputs):
            if image is not None:
                images[i] = ctypes.pointer(image)
        c.check(c.lib.stereo_operation_process(self._handle, images, ctypes.byref(output),
                                               ctypes.byref(why)), why.text, "frame")


def _as_map(given: Any) -> Map:
    return given if isinstance(given, Map) else Map.from_disparity(given)


def _meaning(given: Map) -> Dict[str, float]:
    return {"disparity_scale": given.scale, "min_disparity": given.minimum,
            "invalid_value": -1 if given.invalid is None else given.invalid}


def _metric(given: Map, camera: Camera) -> Dict[str, float]:
    values = _meaning(given)
    values.update(focal_length=camera.focal_length, baseline=camera.baseline, doffs=camera.doffs)
    return values


def _map_image(given: Map) -> Any:
    image, array = _arrays.image_of(given.codes, "codes")
    if array.ndim != 2:
        raise c.ArgumentError("codes have the shape %s: a map is height x width" % (array.shape,))
    return image, array


def view(left: Any, disparity: Union[Map, Any], right: Any = None, *, order: str = "rgb",
         backend: str = "auto", **properties: Value) -> np.ndarray:
    """What a camera at another position of the line through both would see.

    :param left: uint8, height x width, or x 3 or 4 channels.
    :param disparity: its Map, or its disparities in pixels (NaN = none); of the size of the
        view, or that divided by 2 to 8 and rounded up.
    :param right: the right view, if there is one; like the left one.
    :param properties: those of ``properties("view")``: ``position`` (0 = left, 1 = right view),
        ``layout``, ``separation``, ``convergence`` and others.
    :returns: uint8, like left; larger where the layout holds several views.
    """
    given = _as_map(disparity)
    left_image, left_array = _arrays.image_of(left, "left", order)
    if left_array.dtype.itemsize != 1:
        raise c.ArgumentError("left is of %s: views are uint8" % left_array.dtype)
    right_image, right_array = (None, None) if right is None else _arrays.image_of(
        right, "right", order)
    map_image, map_array = _map_image(given)
    with _Operation("view", backend, properties, _meaning(given)) as operation:
        width, height = operation.output_size(left_image)
        shape = (height, width) + left_array.shape[2:]
        # a fourth channel is left alone
        frame = np.full(shape, 255, np.uint8) if shape[2:] == (4,) else np.empty(shape, np.uint8)
        output, _ = _arrays.image_of(frame, "view")
        # that of left, which may have been read backwards
        output.format = left_image.format
        operation.process([left_image, right_image, map_image], output)
    del left_array, right_array, map_array
    swapped = left_image.format == (c.BGR if order == "rgb" else c.RGB)
    return frame[:, :, ::-1] if swapped else frame


def depth(disparity: Union[Map, Any], camera: Camera, *, backend: str = "auto",
          **properties: Value) -> np.ndarray:
    """Distances along the optical axis.

    :param disparity: a Map, or disparities in pixels (NaN = none).
    :param properties: those of ``properties("depth")``: ``depth_scale``, ``range_min`` and
        ``range_max``.
    :returns: uint16, height x width: millimetres, or metres * depth_scale; 0 = unknown.
    """
    given = _as_map(disparity)
    image, array = _map_image(given)
    with _Operation("depth", backend, properties, _metric(given, camera)) as operation:
        output, codes = _arrays.new_codes(image.height, image.width, np.dtype(np.uint16))
        operation.process([image], output)
    del array
    return _arrays.written(codes)


def points(disparity: Union[Map, Any], camera: Camera, *, backend: str = "auto",
           **properties: Value) -> np.ndarray:
    """Points in space, in the axes of the left camera: x right, y down, z forward.

    :param disparity: a Map, or disparities in pixels (NaN = none).
    :param properties: those of ``properties("points")``: ``step``, ``axes``, ``range_min`` and
        ``range_max``.
    :returns: float32, height x width x 3, in metres; NaN where there is no point. With ``step``
        every so many rows and columns.
    """
    given = _as_map(disparity)
    image, array = _map_image(given)
    fixed = _metric(given, camera)
    if camera.cx is not None:
        fixed["cx"] = camera.cx
    if camera.cy is not None:
        fixed["cy"] = camera.cy
    with _Operation("points", backend, properties, fixed) as operation:
        width, height = operation.output_size(image)
        found = np.empty((height, width // 3, 3), np.float32)
        output = c.Image(format=c.RGBX, width=width, height=height)
        output.plane[0] = found.ctypes.data
        output.stride[0] = 4 * width
        operation.process([image], output)
    del array
    return found
