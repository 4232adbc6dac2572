# gst-stereomatching: calibration of stereo cameras
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calibrates stereo cameras from pairs of pictures of a board.

    from stereomatching import calibrate

    board = calibrate.Board("chessboard", 9, 6, square=0.025)
    found = calibrate.calibrate(pairs, board)       # pairs: (name, left, right)
    print(found.report())
    found.save("stereo.yml")                        # for stereorectify and Rectifier

The command is stereo-calibrate.
"""

from __future__ import annotations

from typing import Any, Iterable, Tuple

import numpy as np

from .. import _library as c
from .._checks import iterator_of, one_of, shown, within
from ._boards import KINDS, Board, Detector
from ._calibration import CANDIDATES, Calibration, PairError, calibrate_found
from ._collect import Collector
from ._coverage import Coverage
from ._inputs import Sample, grey

__all__ = ["Board", "CANDIDATES", "Calibration", "KINDS", "PairError", "calibrate"]


def _sample(pair: Any, what: str) -> Sample:
    try:
        name, left, right = pair
    except (TypeError, ValueError):
        raise c.ArgumentError("%s: expected a name and two views" % what) from None
    for view in (left, right):
        if not isinstance(view, np.ndarray):
            raise c.ArgumentError("%s has a view that is %s: expected an array" % (
                what, shown(view)))
        if not (view.size and (view.ndim == 2 or view.ndim == 3 and view.shape[2] in (1, 3, 4))):
            raise c.ArgumentError("%s has a view of the shape %s: expected height x width, or that "
                                  "x 1, 3 or 4 channels" % (what, view.shape))
    return Sample(str(name), (grey(left), grey(right)))


def calibrate(pairs: Iterable[Tuple[str, np.ndarray, np.ndarray]], board: Board, *,
              model: str = "auto", max_error: float = 0.0) -> Calibration:
    """The calibration of two cameras.

    :param pairs: names and views: uint8 or uint16, height x width, or that x 1, 3 or 4
        channels (RGB).
    :param model: ``"brown"``, ``"rational"``, ``"fisheye"``, or ``"auto"``: the one with the least
        row differences of corners that were left out.
    :param max_error: pairs with a larger reprojection error are removed, in pixels (0 = three
        times the median).

    stereomatching.Error if there are too few boards, or they contradict each other.
    """
    one_of(model, "model", ("auto",) + CANDIDATES)
    within(max_error, "max_error", 0, float("inf"))
    if not isinstance(board, Board):
        raise c.ArgumentError("board = %s: expected a Board" % shown(board))
    given = iterator_of(pairs)
    detector = Detector(board)
    collector = Collector(detector, Coverage(), lambda text: None, 0.0)
    collector.add_all((_sample(pair, "pairs[%d]" % i) for i, pair in enumerate(given)), 0)
    collector.require()
    return calibrate_found(collector.found, detector, collector.size or (0, 0), model, max_error)
