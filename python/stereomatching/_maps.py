# gst-stereomatching: disparity maps, and operations on them
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Map, view(), depth() and points()."""

from __future__ import annotations

import ctypes
import warnings
from ctypes import POINTER, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy import ma

from . import _arrays, _devices, _tables
from . import _library as c
from ._checks import check, number, one_of, shown, warn
from ._properties import Value, require_known, set_one


def _same_array(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and np.array_equal(one, other)


@dataclass(eq=False)
class Map:
    """The disparity map of a left view. Arrays are height x width.

    Maps are equal if all their fields are. Do not modify one while it is a key
    of a dictionary or a member of a set.
    """

    codes: np.ndarray
    """uint16 or uint8, as the library writes them: (disparity - minimum) * scale, rounded."""
    scale: float = 16
    """Disparity codes per pixel."""
    minimum: int = 0
    """The disparity of code 0, in pixels."""
    invalid: Optional[int] = 0
    """The code of invalid pixels; None = all pixels are valid."""
    confidence_codes: Optional[np.ndarray] = None
    """uint16: 0 to 65535, which is 1."""
    vertical_codes: Optional[np.ndarray] = None
    """uint16: vertical disparity * vertical_scale + 32768."""
    vertical_scale: Optional[float] = None
    """Codes per pixel of vertical_codes, which have 16 bits also if codes have 8; None = scale."""

    def __post_init__(self) -> None:
        for name in ("codes", "confidence_codes", "vertical_codes"):
            given = getattr(self, name)
            if not isinstance(given, np.ndarray) and (given is not None or name == "codes"):
                raise c.ArgumentError("Map.%s = %s: expected an array" % (name, shown(given)))
        for name in ("scale", "minimum", "invalid", "vertical_scale"):
            given = getattr(self, name)
            if given is not None or name in ("scale", "minimum"):
                number(given, "Map.%s" % name)

    def _numbers(self) -> Tuple[Any, ...]:
        return self.scale, self.minimum, self.invalid, self.vertical_scale

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Map):
            return NotImplemented
        return (self._numbers() == other._numbers()
                and _same_array(self.codes, other.codes)
                and _same_array(self.confidence_codes, other.confidence_codes)
                and _same_array(self.vertical_codes, other.vertical_codes))

    def __hash__(self) -> int:
        codes = np.asarray(self.codes)
        return hash(self._numbers() + (codes.shape, codes.tobytes()))

    @property
    def valid(self) -> np.ndarray:
        """bool: which pixels are valid."""
        if self.invalid is None:
            return np.ones(self.codes.shape, bool)
        return self.codes != self.invalid

    @property
    def disparity(self) -> np.ndarray:
        """float32, in pixels; NaN = invalid.

        Column x of the left view corresponds to column x - disparity of the right view.
        """
        pixels = (self.codes / self.scale + self.minimum).astype(np.float32)
        pixels[~self.valid] = np.nan
        return pixels

    @property
    def confidence(self) -> Optional[np.ndarray]:
        """float32: confidence of a match, 0 to 1; None if it was not requested."""
        if self.confidence_codes is None:
            return None
        return (self.confidence_codes / 65535).astype(np.float32)

    @property
    def vertical(self) -> Optional[np.ndarray]:
        """float32: upward offset of a point in the right view, in pixels; NaN = invalid."""
        if self.vertical_codes is None:
            return None
        scale = self.scale if self.vertical_scale is None else self.vertical_scale
        pixels = ((self.vertical_codes.astype(np.float64) - c.VERTICAL_OFFSET)
                  / scale).astype(np.float32)
        if self.invalid is not None:
            pixels[self.vertical_codes == self.invalid] = np.nan
        return pixels

    @classmethod
    def from_disparity(cls, disparity: Any, scale: Optional[float] = None) -> "Map":
        """Makes a map of disparities from another source.

        :param disparity: height x width, in pixels; pixels that are masked or not finite are
            invalid. Integers of 16 bits are probably codes, such as those of OpenCV, and a warning
            says so.
        :param scale: disparity codes per pixel; the default is the largest power of two up to
            256 at which all disparities fit 16 bits.
        """
        pixels = _pixels(disparity)
        if pixels.ndim != 2 or pixels.size == 0:
            raise c.ArgumentError("disparity has the shape %s: it has to be height x width" % (
                pixels.shape,))
        _warn_of_codes(disparity)
        known = np.isfinite(pixels)
        least = int(np.floor(pixels[known].min())) if known.any() else 0
        if abs(least) > _arrays.MAX_SIZE:
            raise c.ArgumentError("disparity begins at %g pixels: expected %d to %d" % (
                least, -_arrays.MAX_SIZE, _arrays.MAX_SIZE))
        span = float(pixels[known].max()) - least if known.any() else 0.0
        factor = 256.0 if scale is None else number(scale, "scale")
        while scale is None and factor > 1 / 64 and span * factor > 65534:
            factor /= 2
        if not (factor > 0 and span * factor <= 65534):
            raise c.ArgumentError("disparities %g pixels apart have no codes of 16 bits with a "
                                  "scale of %g" % (span, factor))
        codes = np.full(pixels.shape, 65535, np.uint16)
        codes[known] = np.floor((pixels[known] - least) * factor + 0.5).astype(np.uint16)
        return cls(codes=codes, scale=factor, minimum=least, invalid=65535)


def _pixels(disparity: Any) -> np.ndarray:
    try:
        if np.iscomplexobj(disparity):
            raise TypeError
        if isinstance(disparity, ma.MaskedArray):
            return disparity.astype(np.float64).filled(np.nan)
        return np.asarray(disparity, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise c.ArgumentError("disparity is not an array of numbers: expected a Map, or height x "
                              "width in pixels") from None


def _warn_of_codes(disparity: Any) -> None:
    """Warns of codes: OpenCV's matchers, KITTI's files and maps have several per pixel."""
    dtype = getattr(disparity, "dtype", None)
    if dtype in (np.int16, np.uint16):
        warn("disparity has the type %s: expected a Map, or pixels. Divide codes by their number "
             "per pixel (OpenCV: 16, KITTI: 256); for whole pixels use another type" % dtype)


_SURFACES = ("plane", "cylinder")


@dataclass(frozen=True)
class Camera:
    """A rectified stereo camera."""

    focal_length: float
    """In pixels."""
    baseline: float
    """In metres."""
    cx: Optional[float] = None
    """Principal point x of the left camera, in pixels; None = the image centre."""
    cy: Optional[float] = None
    """Principal point y; None = the image centre."""
    doffs: float = 0.0
    """Difference of the principal points, right minus left, in pixels."""
    projection: str = "plane"
    """``"plane"``, or ``"cylinder"`` around the baseline: depth is the distance from the baseline."""

    def __post_init__(self) -> None:
        for name in ("focal_length", "baseline", "cx", "cy", "doffs"):
            given = getattr(self, name)
            if given is not None or name not in ("cx", "cy"):
                # a scalar of NumPy cannot be written to a manifest
                object.__setattr__(self, name, number(given, "camera.%s" % name))
        one_of(self.projection, "camera.projection", _SURFACES)


# Properties of operations that are fields of a Map.
_FIELDS = {"disparity_scale": "Map.scale", "min_disparity": "Map.minimum",
           "invalid_value": "Map.invalid"}


class _Operation:
    """An operation of the library, for one frame."""

    def __init__(self, name: str, backend: str, given: Dict[str, Value],
                 fixed: Dict[str, float]) -> None:
        table = _tables.table(name)
        for key in given:
            require_known(name, {k: v for k, v in table.items() if k not in fixed}, key)
        self._handle = c_void_p()
        why = c.Message()
        check(c.lib.stereo_operation_new(
            name.encode(), _devices.device(backend, 0, "auto", -1), ctypes.byref(self._handle),
            ctypes.byref(why)), why.text, name)
        self._fixed, self._given = fixed, given

    def _set(self, key: str, value: Value) -> None:
        try:
            set_one(c.lib.stereo_operation_set, c.lib.stereo_operation_set_text, self._handle, key,
                    value)
        except c.ArgumentError as error:
            raise c.ArgumentError(str(error).replace(key, _FIELDS.get(key, key), 1)) from None

    def __enter__(self) -> "_Operation":
        try:
            for values in (self._fixed, self._given):
                for key, value in values.items():
                    self._set(key, value)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        c.lib.stereo_operation_free(ctypes.byref(self._handle))

    def output_size(self, image: c.Image) -> "tuple[int, int]":
        width, height = c_int(), c_int()
        why = c.Message()
        check(c.lib.stereo_operation_output_size(
            self._handle, image.width, image.height, ctypes.byref(width), ctypes.byref(height),
            ctypes.byref(why)), why.text, "output size")
        return width.value, height.value

    def process(self, inputs: List[Optional[c.Image]], output: c.Image) -> None:
        why = c.Message()
        images = (POINTER(c.Image) * len(inputs))()
        for i, image in enumerate(inputs):
            if image is not None:
                images[i] = ctypes.pointer(image)
        check(c.lib.stereo_operation_process(
            self._handle, images, len(inputs), ctypes.byref(output), ctypes.byref(why)),
            why.text, "frame")


def check_operation(name: str, given: Dict[str, Value], camera: Optional[Camera]) -> None:
    """Raises an ArgumentError unless the operation takes these properties.

    :param camera: None = each map has another one.
    """
    known = Map(np.ones((1, 1), np.uint16))
    with _Operation(name, "cpu", given, _fixed(name, known, camera or Camera(1, 1, 0, 0))):
        pass


def check_camera(camera: Camera) -> None:
    """Raises an ArgumentError if there are no points with this camera."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points([[1.0]], camera, backend="cpu")


def _as_map(given: Any) -> Map:
    return given if isinstance(given, Map) else Map.from_disparity(given)


def _fixed(name: str, given: Map, camera: Optional[Camera] = None) -> Dict[str, float]:
    """The properties of an operation that the map and the camera determine."""
    values = {"disparity_scale": given.scale, "min_disparity": given.minimum,
              "invalid_value": -1 if given.invalid is None else given.invalid}
    if name == "view":
        return values
    if not isinstance(camera, Camera):
        raise c.ArgumentError("camera = %s: expected a Camera (focal_length, baseline)" %
                              shown(camera))
    values.update(focal_length=camera.focal_length, baseline=camera.baseline, doffs=camera.doffs)
    if name == "points":
        if camera.cx is not None:
            values["cx"] = camera.cx
        if camera.cy is not None:
            values["cy"] = camera.cy
        values["projection"] = _SURFACES.index(camera.projection)
    return values


def _map_image(given: Map) -> Any:
    image, array = _arrays.image_of(given.codes, "codes")
    if array.ndim != 2:
        raise c.ArgumentError("codes have the shape %s: a map is height x width" % (array.shape,))
    return image, array


def _require_fit(size: Tuple[int, ...], view_size: Tuple[int, ...]) -> None:
    if not any(size == tuple(-(-n // factor) for n in view_size) for factor in range(1, 9)):
        raise c.ArgumentError(
            "disparity has %d x %d pixels, left %d x %d: expected the same size, or that divided "
            "by 2 to 8 and rounded up" % (size + view_size))


def view(left: Any, disparity: Union[Map, Any], right: Any = None, *, order: str = "rgb",
         backend: str = "auto", **properties: Value) -> np.ndarray:
    """Renders the view of a virtual camera on the baseline.

    :param left: uint8, height x width, or x 3 or 4 channels.
    :param disparity: the Map of left, or disparities in pixels (NaN = invalid). Its size is that
        of the view, optionally divided by 2 to 8 and rounded up.
    :param right: the right view, of the type and size of left, or None.
    :param properties: see ``properties("view")``: ``position`` (0 = left, 1 = right view),
        ``layout``, ``separation``, ``convergence`` and others.
    :returns: uint8, of the size of left, or larger if the layout holds several views.
    """
    given = _as_map(disparity)
    left_image, left_array, right_image, right_array = _arrays.view_images(left, right, order)
    map_image, map_array = _map_image(given)
    _require_fit(map_array.shape, left_array.shape[:2])
    with _Operation("view", backend, properties, _fixed("view", given)) as operation:
        width, height = operation.output_size(left_image)
        shape = (height, width) + left_array.shape[2:]
        # the library does not write a fourth channel
        frame = np.full(shape, 255, np.uint8) if shape[2:] == (4,) else np.empty(shape, np.uint8)
        output, _ = _arrays.image_of(frame, "view")
        # the channel order of left may be reversed
        output.format = left_image.format
        operation.process([left_image, right_image, map_image], output)
    del left_array, right_array, map_array
    swapped = left_image.format == (c.BGR if order == "rgb" else c.RGB)
    return frame[:, :, ::-1] if swapped else frame


def _warn_of_empty(known: bool, camera: Camera, what: str) -> None:
    """Warns of a result without a known depth."""
    if not known:
        warn("the %s has no known depth: a disparity of 1 pixel is a depth of %g metres "
             "(focal_length %g pixels, baseline %g metres). Check these two, range_min, range_max "
             "and the map" % (what, camera.focal_length * camera.baseline, camera.focal_length,
                              camera.baseline))


def depth(disparity: Union[Map, Any], camera: Camera, *, backend: str = "auto",
          **properties: Value) -> np.ndarray:
    """Computes depth along the optical axis.

    :param disparity: a Map, or disparities in pixels (NaN = invalid).
    :param properties: see ``properties("depth")``: ``depth_scale``, ``range_min`` and
        ``range_max``.
    :returns: uint16, height x width: depth in millimetres, or in metres * depth_scale;
        0 = invalid.
    """
    given = _as_map(disparity)
    image, array = _map_image(given)
    with _Operation("depth", backend, properties, _fixed("depth", given, camera)) as operation:
        output, codes = _arrays.new_codes(image.height, image.width, np.dtype(np.uint16))
        operation.process([image], output)
    del array
    found = _arrays.written(codes)
    _warn_of_empty(bool(found.any()), camera, "depth map")
    return found


def points(disparity: Union[Map, Any], camera: Camera, *, backend: str = "auto",
           **properties: Value) -> np.ndarray:
    """Computes a point cloud in left camera coordinates: x right, y down, z forward.

    :param disparity: a Map, or disparities in pixels (NaN = invalid).
    :param properties: see ``properties("points")``: ``step``, ``axes``, ``range_min`` and
        ``range_max``.
    :returns: float32, height x width x 3, in metres; NaN = invalid. ``step`` = N uses every
        Nth row and column.
    """
    given = _as_map(disparity)
    image, array = _map_image(given)
    with _Operation("points", backend, properties, _fixed("points", given, camera)) as operation:
        width, height = operation.output_size(image)
        found = np.empty((height, width, 3), np.float32)
        output = c.Image(format=c.XYZ_F32, width=width, height=height)
        output.plane[0] = found.ctypes.data
        output.stride[0] = 12 * width
        operation.process([image], output)
    del array
    _warn_of_empty(not bool(np.isnan(found[:, :, 2]).all()), camera, "point cloud")
    return found
