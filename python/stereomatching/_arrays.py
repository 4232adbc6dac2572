# gst-stereomatching: NumPy arrays as images of the library
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wraps arrays without a copy if the library can read them in place."""

from __future__ import annotations

import sys
from typing import Any, Tuple

import numpy as np
# loaded here, as an import during a call can deadlock in a child of fork()
from numpy import ma

from . import _library as c
from ._checks import one_of, warn

MAX_SIZE = 16384

_COLOR = {("rgb", 3): c.RGB, ("bgr", 3): c.BGR, ("rgb", 4): c.RGBX, ("bgr", 4): c.BGRX}


def _require_view(given: Any, what: str) -> np.ndarray:
    if ma.is_masked(given):
        raise c.ArgumentError("%s has masked pixels: expected an array without a mask, such as "
                              "%s.filled (0)" % (what, what))
    try:
        array = np.asarray(given)
    except ValueError:
        raise c.ArgumentError("%s is not an array: expected height x width of uint8 or uint16" %
                              what) from None
    if array.dtype.kind != "u" or array.dtype.itemsize > 2:
        raise c.ArgumentError("%s is of %s: it has to be uint8 or uint16" % (what, array.dtype))
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in (1, 3, 4)):
        raise c.ArgumentError("%s has the shape %s: it has to be height x width, or that x 1, 3 or "
                              "4 channels" % (what, array.shape))
    if not (1 <= array.shape[0] <= MAX_SIZE and 1 <= array.shape[1] <= MAX_SIZE):
        raise c.ArgumentError("%s has %d x %d pixels: height and width go from 1 to %d" % (
            what, array.shape[0], array.shape[1], MAX_SIZE))
    return array


def warn_of_low_samples(array: np.ndarray, what: str) -> None:
    """Warns of 16 bits whose high bytes are nearly empty."""
    if array.dtype.itemsize == 2 and 0 < array.max() < 4096:
        warn("%s is uint16 without a value above 4095, and only the high byte is used: shift "
             "samples of 10 or 12 bits left, or pass uint8" % what)


def require_pair(left: Any, right: Any) -> None:
    """Two views of one size and dtype."""
    one, other = _require_view(left, "left"), _require_view(right, "right")
    if one.dtype.itemsize != other.dtype.itemsize:
        raise c.ArgumentError("left is of %s, right of %s: expected one dtype" % (
            one.dtype, other.dtype))
    if one.shape[:2] != other.shape[:2]:
        raise c.ArgumentError("left has %d x %d pixels, right %d x %d: they have to be equal" % (
            one.shape[:2] + other.shape[:2]))
    warn_of_low_samples(one, "left")
    warn_of_low_samples(other, "right")


def _packed_rows(array: np.ndarray) -> bool:
    """Whether pixels are contiguous and rows in order; rows may be padded."""
    row = array.dtype.itemsize
    for size, stride in zip(array.shape[:0:-1], array.strides[:0:-1]):
        if size > 1 and stride != row:
            return False
        row *= size
    return array.shape[0] == 1 or array.strides[0] >= row


def image_of(array: Any, what: str, order: str = "rgb") -> Tuple[c.Image, np.ndarray]:
    """Returns an image and the array that owns its memory."""
    array = _require_view(array, what)
    one_of(order, "order", ("rgb", "bgr"))
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 3 and array.dtype.itemsize == 2:
        array = (array >> 8).astype(np.uint8)
    if array.dtype.itemsize == 2:
        array = array.astype("<u2", copy=False)
    if array.ndim == 3 and array.shape[2] == 3 and array.strides[2] == -1:
        # a channel-reversed view, as of an image of OpenCV
        array = array[:, :, ::-1]
        order = "bgr" if order == "rgb" else "rgb"
    if not _packed_rows(array):
        array = np.ascontiguousarray(array)
    if array.ndim == 3:
        kind = _COLOR[order, array.shape[2]]
    else:
        kind = c.GRAY8 if array.dtype.itemsize == 1 else c.GRAY16_LE
    return _describe(array, kind), array


def _describe(array: np.ndarray, kind: int) -> c.Image:
    height, width = array.shape[:2]
    row = width * array.dtype.itemsize * (array.shape[2] if array.ndim == 3 else 1)
    image = c.Image(format=kind, width=width, height=height)
    image.plane[0] = array.ctypes.data
    image.stride[0] = row if height == 1 else array.strides[0]
    return image


def view_images(left: Any, right: Any, order: str) -> Tuple[Any, ...]:
    """Images of one format, and the arrays whose memory they borrow."""
    given = _require_view(left, "left")
    if given.dtype.itemsize != 1:
        raise c.ArgumentError("left is of %s: views are uint8" % given.dtype)
    image, array = image_of(given, "left", order)
    if right is None:
        return image, array, None, None
    require_pair(left, right)
    other_image, other = image_of(right, "right", order)
    if other.shape != array.shape:
        raise c.ArgumentError("right has the shape %s, left %s: they have to be equal" % (
            other.shape, array.shape))
    if other_image.format != image.format:
        # the channels of one of them are reversed by its strides
        image, array = image_of(np.ascontiguousarray(left), "left", order)
        other_image, other = image_of(np.ascontiguousarray(right), "right", order)
    return image, array, other_image, other


def new_codes(height: int, width: int, dtype: np.dtype) -> Tuple[c.Image, np.ndarray]:
    """Allocates an image for the library to write to."""
    array = np.empty((height, width), dtype)
    return _describe(array, c.GRAY8 if dtype.itemsize == 1 else c.GRAY16_LE), array


def written(array: np.ndarray) -> np.ndarray:
    """Converts 16-bit little-endian codes to host byte order."""
    if array.dtype.itemsize == 2 and sys.byteorder == "big":
        return array.astype("=u2")
    return array
