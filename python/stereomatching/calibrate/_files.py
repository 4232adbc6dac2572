# gst-stereomatching: calibration files
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes calibrations as OpenCV's FileStorage does, in YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _library as c
from .._writing import write_file

if TYPE_CHECKING:
    from ._calibration import Calibration


def _matrix(name: str, values: np.ndarray) -> str:
    rows, columns = values.shape
    return "%s: !!opencv-matrix\n   rows: %d\n   cols: %d\n   dt: d\n   data: [ %s ]\n" % (
        name, rows, columns, ", ".join("%.16e" % value for value in values.ravel()))


def text(calibration: "Calibration") -> str:
    """A file that stereorectify reads; lengths are in metres."""
    solution = calibration.solution
    out = "%YAML:1.0\n---\n"
    for line in calibration.report().splitlines():
        out += "# %s\n" % line
    out += "image_width: %d\nimage_height: %d\ndistortion_model: %s\n" % (
        *calibration.size, solution.model.file_model)
    for number, lens in enumerate(solution.lenses, 1):
        out += _matrix("M%d" % number, np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]],
                                                 [0, 0, 1]]))
        out += _matrix("D%d" % number, lens[None, 4:])
    return out + _matrix("R", solution.rotation) + _matrix("T", solution.translation[:, None])


def save(path: str, contents: bytes) -> None:
    try:
        write_file(path, contents)
    except OSError as error:
        raise c.Error("cannot write %s: %s" % (path, error.strerror)) from None
