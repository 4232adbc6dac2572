# gst-stereomatching: coverage of the views in stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture that shows where boards have been."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

from .. import _library as c
from . import _files
from ._boards import Detection, import_opencv

COLUMNS, ROWS = 8, 6
_WIDTH, _GAP, _TITLE = 480, 12, 28
# Colours in OpenCV's order, blue first
_BACKGROUND, _EMPTY, _COVERED = (24, 24, 24), (40, 40, 110), (50, 80, 50)
_DOT, _NEWEST, _TEXT = (200, 200, 120), (80, 255, 255), (230, 230, 230)


class Coverage:
    """Corners of all pairs, in both views."""

    def __init__(self, path: Optional[str] = None) -> None:
        self.path = path
        self.size: Optional[Tuple[int, int]] = None
        self._pixels: List[List[np.ndarray]] = [[], []]

    def add(self, pair: Sequence[Detection], size: Tuple[int, int]) -> None:
        """The boards of a pair of views of this width and height; writes the picture."""
        self.size = size
        for pixels, one in zip(self._pixels, pair):
            pixels.append(one.pixels)
        if self.path is not None:
            self._write(self.path)

    def cells(self, view: int) -> np.ndarray:
        """The number of corners in each part of a view, rows x columns."""
        if self.size is None:
            return np.zeros((ROWS, COLUMNS), int)
        x, y = np.concatenate(self._pixels[view]).T
        return np.histogram2d(y, x, (ROWS, COLUMNS), (
            (-0.5, self.size[1] - 0.5), (-0.5, self.size[0] - 0.5)))[0].astype(int)

    def share(self, view: int) -> float:
        """The share of the parts of a view that have corners, 0 to 1."""
        return float((self.cells(view) > 0).mean())

    def missing(self) -> str:
        """Where the board should be held, or an empty text."""
        empty = [self.cells(view) == 0 for view in range(2)]
        shares = {}
        for view, name in enumerate(("left", "right")):
            for row, upper in enumerate(("upper", "lower")):
                for column, side in enumerate(("left", "right")):
                    part = empty[view][3 * row:3 * row + 3, 4 * column:4 * column + 4]
                    shares["%s %s of the %s view" % (upper, side, name)] = float(part.mean())
        name = max(shares, key=lambda one: shares[one])
        return name if shares[name] > 0.4 else ""

    def picture(self) -> np.ndarray:
        """Both views beside each other, uint8, height x width x 3, blue first."""
        cv2 = import_opencv()
        width, height = self.size or (4, 3)
        scale = _WIDTH / width
        tall = max(1, round(height * scale))
        canvas = np.full((tall + _TITLE, 2 * _WIDTH + _GAP, 3), _BACKGROUND, np.uint8)
        for view, name in enumerate(("left", "right")):
            part = canvas[_TITLE:, view * (_WIDTH + _GAP):][:, :_WIDTH]
            covered = self.cells(view) > 0
            y = np.arange(tall) * ROWS // tall
            x = np.arange(_WIDTH) * COLUMNS // _WIDTH
            part[:] = np.where(covered[np.ix_(y, x)][:, :, None], _COVERED, _EMPTY)
            for number, pixels in enumerate(self._pixels[view]):
                newest = number == len(self._pixels[view]) - 1
                for place in (pixels + 0.5) * scale:
                    at = (int(place[0]), int(place[1]))
                    if 0 <= at[0] < _WIDTH and 0 <= at[1] < tall:
                        cv2.circle(part, at, 2, _NEWEST if newest else _DOT, -1)
            cv2.putText(canvas, "%s: %.0f %%, %d pairs" % (
                name, 100 * self.share(view), len(self._pixels[view])),
                (view * (_WIDTH + _GAP) + 4, _TITLE - 9), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _TEXT, 1,
                cv2.LINE_AA)
        return canvas

    def _write(self, path: str) -> None:
        """A viewer never reads half of the picture."""
        ok, data = import_opencv().imencode(".png", self.picture())
        if not ok:
            raise c.Error("cannot write %s: no PNG encoder" % path)
        _files.save(path, data.tobytes())
