# gst-stereomatching: PNG files of batches
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes and encodes PNG, with OpenCV if it is installed and with Pillow otherwise.

Both compress with zlib. Pillow returns to Python for each block of a file, where the threads of
many workers wait for each other; OpenCV does not.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any, Optional

import numpy as np

# zlib's fastest level: 3 times as fast as its default, files are 15 % larger
_LEVEL = 1

_SIGNATURE_AND_HEADER = 33  # bytes
_END = b"\0\0\0\0IEND\xaeB`\x82"
# Bit depth and colour type of files that OpenCV and Pillow decode to the same array, and the
# shape of its pixels
_SAME = {b"\x08\0": (), b"\x10\0": (), b"\x08\2": (3,), b"\x08\6": (4,)}


def pillow() -> Any:
    try:
        from PIL import Image  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise ImportError("image files need Pillow: pip install pillow, or apt-get install "
                          "python3-pil") from None
    return Image


def _opencv() -> Any:
    try:
        import cv2  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return cv2


def _other_order(cv2: Any, array: np.ndarray) -> np.ndarray:
    """BGR and BGRA as RGB and RGBA, and the other way round."""
    codes = {3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGBA}
    return array if array.ndim == 2 else cv2.cvtColor(array, codes[array.shape[2]])


def decode(data: bytes) -> Optional[np.ndarray]:
    """Pixels of a complete file; None if Pillow has to read it, or to say what is wrong."""
    cv2, shape = _opencv(), _SAME.get(data[24:26])
    if cv2 is None or shape is None or not data.endswith(_END):
        return None
    try:
        array = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if array is None or array.shape[2:] != shape:
        return None
    return _other_order(cv2, array)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode(array: np.ndarray, comment: Optional[str] = None) -> bytes:
    """uint8 or uint16; the comment is a text chunk."""
    array = np.ascontiguousarray(array)
    cv2 = _opencv()
    if cv2 is not None:
        data = cv2.imencode(".png", _other_order(cv2, array),
                            [cv2.IMWRITE_PNG_COMPRESSION, _LEVEL])[1].tobytes()
    else:
        file = io.BytesIO()
        pillow().fromarray(array).save(file, "PNG", compress_level=_LEVEL)
        data = file.getvalue()
    text = _chunk(b"tEXt", b"Comment\0" + comment.encode("latin-1")) if comment else b""
    return data[:_SIGNATURE_AND_HEADER] + text + data[_SIGNATURE_AND_HEADER:]
