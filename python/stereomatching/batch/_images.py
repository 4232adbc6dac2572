# gst-stereomatching: image files of batches
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads views, and encodes results as PNG, PFM, NPY and PLY.

Pillow reads what it knows; PFM, NPY and PLY need only NumPy.
"""

from __future__ import annotations

import io
import math
import os
import re
from typing import Any, Callable, Dict, Optional

import numpy as np

from .._maps import Map
from . import _png

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pfm", ".npy", ".pgm", ".ppm", ".bmp", ".webp")
# Tag of EXIF: what to do with the pixels of a photograph; 1 = nothing
_ORIENTATION = 0x0112


class Unreadable(Exception):
    """A file is missing, or not an image that can be read. The text names it."""


# ----------------------------------------------------------------------- read

def _from_float(values: np.ndarray) -> np.ndarray:
    """Views of 0 to 1 as 16 bits. A minority of brighter values becomes 1, as highlights do, and a
    few negative ones, as of noise and of filters, become 0.
    """
    if not np.isfinite(values).all():
        raise ValueError("has values that are not finite")
    if (2 * np.count_nonzero(values > 1) > values.size
            or 4 * np.count_nonzero(values < -1 / 255) > values.size):
        raise ValueError("has values from %g to %g: expected floating-point values from 0 to 1" % (
            values.min(), values.max()))
    # float16 ends before 65535
    return (np.clip(values, 0, 1) * np.float32(65535) + 0.5).astype(np.uint16)


_PFM_HEADER = re.compile(rb"P([fF])\s+(\d+)\s+(\d+)\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?)(?:\r\n|\s)")


def _read_pfm(path: str) -> np.ndarray:
    with open(path, "rb") as file:
        data = file.read()
    header = _PFM_HEADER.match(data)
    if header is None or float(header[4]) == 0:
        raise ValueError("has an invalid header: expected 'Pf WIDTH HEIGHT SCALE'")
    shape = (int(header[3]), int(header[2])) + ((3,) if header[1] == b"F" else ())
    if len(data) - header.end() < 4 * math.prod(shape):
        raise ValueError("is cut off: expected %d bytes of pixels, got %d" % (
            4 * math.prod(shape), len(data) - header.end()))
    order = "<f4" if float(header[4]) < 0 else ">f4"
    return _from_float(np.frombuffer(data, order, math.prod(shape), header.end())
                       .reshape(shape)[::-1])


def _read_npy(path: str) -> np.ndarray:
    array = np.load(path, allow_pickle=False)
    return _from_float(array) if array.dtype.kind == "f" else array


def _open_pillow(path: str) -> Any:
    """From memory: Pillow closes the descriptor of a compressed TIFF file twice, and another thread
    may have it by then.
    """
    module = _png.pillow()
    with open(path, "rb") as file:
        data = io.BytesIO(file.read())
    try:
        return module.open(data)
    except module.UnidentifiedImageError:
        raise ValueError("cannot identify image file") from None


def _pixels(image: Any) -> np.ndarray:
    if image.mode == "F":
        return _from_float(np.asarray(image))
    if image.mode.startswith("I"):
        values = np.asarray(image)
        if values.size and not 0 <= values.min() <= values.max() <= 65535:
            raise ValueError("has more than 16 bits")
        return values.astype(np.uint16)
    if image.mode not in ("L", "RGB", "RGBA"):
        image = image.convert("L" if image.mode in ("1", "LA") else "RGB")
    return np.asarray(image)


def _orientation(image: Any) -> int:
    """1 to 8. Pillow itself applies that of TIFF files."""
    try:
        found = image.getexif().get(_ORIENTATION)
    except Exception:  # pylint: disable=broad-except
        # damaged by a program that has edited the photograph
        found = None
    return found if image.format != "TIFF" and found in range(1, 9) else 1


def _upright(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """Turns and mirrors pixels as viewers of photographs do."""
    if orientation > 4:
        pixels = pixels.swapaxes(0, 1)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)


def _read_pillow(path: str) -> np.ndarray:
    with _open_pillow(path) as image:
        return _upright(_pixels(image), _orientation(image))


def _read_png(path: str) -> np.ndarray:
    with open(path, "rb") as file:
        pixels = _png.decode(file.read())
    return _read_pillow(path) if pixels is None else pixels


_READERS: Dict[str, Callable[[str], np.ndarray]] = {
    ".pfm": _read_pfm, ".npy": _read_npy, ".png": _read_png}


def read(path: str) -> np.ndarray:
    """A view: uint8 or uint16, height x width, or that x 3 or 4 channels."""
    reader = _READERS.get(os.path.splitext(path)[1].lower(), _read_pillow)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # opening a pipe waits for a writer, and no signal ends that in a thread
            raise ValueError("is not a regular file")
        return reader(path)
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # pylint: disable=broad-except
        # a broken file can raise about everything, SyntaxError among it
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Unreadable("cannot read %s: %s" % (path, why)) from error


def to_8_bits(view: np.ndarray) -> np.ndarray:
    """The high byte of a view of uint16; others are unchanged."""
    return (view >> 8).astype(np.uint8) if view.dtype.newbyteorder("=") == np.uint16 else view


# --------------------------------------------------------------------- encode

def pfm(values: np.ndarray) -> bytes:
    """float32, height x width; infinite = invalid, as in Middlebury's files."""
    rows = np.where(np.isnan(values), np.inf, values).astype("<f4")[::-1]
    return b"Pf\n%d %d\n-1.0\n" % (rows.shape[1], rows.shape[0]) + rows.tobytes()


def npy(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


_VERTEX = np.dtype([("position", "<f4", 3), ("color", "u1", 3)])
_PLY_HEADER = """ply
format binary_little_endian 1.0
element vertex %d
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
end_header
"""


def ply(points: np.ndarray, view: np.ndarray) -> bytes:
    """A point cloud of height x width x 3, NaN = invalid, in the colours of a view of its size."""
    known = np.isfinite(points).all(axis=2)
    view = to_8_bits(view)
    if view.ndim == 2:
        view = view[:, :, np.newaxis]
    vertices = np.empty(int(known.sum()), _VERTEX)
    vertices["position"] = points[known]
    vertices["color"] = view[:, :, :3][known]
    return (_PLY_HEADER % len(vertices)).encode() + vertices.tobytes()


def encode_map(found: Map, values: str, kind: str, comment: Optional[str] = None) -> bytes:
    """`values` is "disparity" or "confidence", `kind` "png" for the codes, or "pfm" or "npy"."""
    if kind == "png":
        return _png.encode(found.codes if values == "disparity" else found.confidence_codes, comment)
    return (pfm if kind == "pfm" else npy)(getattr(found, values))
