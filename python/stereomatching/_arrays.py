# gst-stereomatching: NumPy arrays as images of the library
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Borrows the memory of arrays; copies only what the library can't read in place."""

from __future__ import annotations

import sys
from typing import Any, Tuple

import numpy as np

from . import _library as c

MAX_SIZE = 16384

_COLOR = {("rgb", 3): c.RGB, ("bgr", 3): c.BGR, ("rgb", 4): c.RGBX, ("bgr", 4): c.BGRX}


def _require_view(array: np.ndarray, what: str) -> None:
    if array.dtype.kind != "u" or array.dtype.itemsize > 2:
        raise c.ArgumentError("%s is of %s: it has to be uint8 or uint16" % (what, array.dtype))
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in (1, 3, 4)):
        raise c.ArgumentError("%s has the shape %s: it has to be height x width, or that x 1, 3 or "
                              "4 channels" % (what, array.shape))
    if not (1 <= array.shape[0] <= MAX_SIZE and 1 <= array.shape[1] <= MAX_SIZE):
        raise c.ArgumentError("%s has %d x %d pixels: height and width go from 1 to %d" % (
            what, array.shape[0], array.shape[1], MAX_SIZE))


def _packed_rows(array: np.ndarray) -> bool:
    """Pixels beside each other, and rows in order, with whatever is between them."""
    row = array.dtype.itemsize
    for size, stride in zip(array.shape[:0:-1], array.strides[:0:-1]):
        if size > 1 and stride != row:
            return False
        row *= size
    return array.shape[0] == 1 or array.strides[0] >= row


def image_of(array: Any, what: str, order: str = "rgb") -> Tuple[c.Image, np.ndarray]:
    """The image, and the array whose memory it borrows."""
    array = np.asarray(array)
    _require_view(array, what)
    if order not in ("rgb", "bgr"):
        raise c.ArgumentError("order = %r: it is 'rgb' or 'bgr'" % (order,))
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 3 and array.dtype.itemsize == 2:
        array = (array >> 8).astype(np.uint8)
    if array.dtype.itemsize == 2:
        array = array.astype("<u2", copy=False)
    if array.ndim == 3 and array.shape[2] == 3 and array.strides[2] == -1:
        # a picture of OpenCV's, read backwards
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


def new_codes(height: int, width: int, dtype: np.dtype) -> Tuple[c.Image, np.ndarray]:
    """An image for the library to write."""
    array = np.empty((height, width), dtype)
    return _describe(array, c.GRAY8 if dtype.itemsize == 1 else c.GRAY16_LE), array


def written(array: np.ndarray) -> np.ndarray:
    """Codes of 16 bits have the lower byte first; those of the host come out."""
    if array.dtype.itemsize == 2 and sys.byteorder == "big":
        return array.astype("=u2")
    return array
