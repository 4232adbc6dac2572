# gst-stereomatching: pictures of maps
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture that disparitycolor shows of a map with its default properties."""

from __future__ import annotations

import functools
from typing import Optional

import numpy as np

from .._maps import Map

# Turbo (A. Mikhailov, 2019) from far to near, as in common/image/colormap.c
_TURBO = """30123b 3f3e9c 4666dd 458cfd 2fb2f4 1ad4d0 22ebaa 52fa7a 8bff4b b7f735 dbe236 f5c53a
            fea130 f9751d e84b0c ce2d04 a91601 7a0403"""
_COLORS = np.array([list(bytes.fromhex(word)) for word in _TURBO.split()], float)


@functools.lru_cache(maxsize=4)
def _table(scale: float, num_disparities: int, invalid: Optional[int]) -> np.ndarray:
    """The colour of each code, over the searched range."""
    # a single disparity is in the middle of a range of one pixel
    first = 0.5 if num_disparities == 1 else 0.0
    position = first + np.arange(65536) / scale / max(num_disparities - 1, 1)
    at = np.clip(position, 0, 1) * (len(_COLORS) - 1)
    below = np.minimum(at.astype(int), len(_COLORS) - 2)
    step = (at - below)[:, np.newaxis]
    table = (_COLORS[below] + (_COLORS[below + 1] - _COLORS[below]) * step + 0.5).astype(np.uint8)
    if invalid is not None:
        table[invalid] = 0
    return table


def picture(found: Map, num_disparities: int) -> np.ndarray:
    """uint8, height x width x 3; invalid pixels are black."""
    return _table(found.scale, num_disparities, found.invalid)[found.codes]
