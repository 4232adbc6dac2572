# gst-stereomatching: quality of a calibration
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows after rectification, cross-validation and uncertainties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence, Tuple

import numpy as np

from ._cameras import rotations, vector
from ._solve import Solution, Views, refine

_FOLDS = 10
# Corners farther from the axis are not compared: a plane magnifies their errors
_MAX_ANGLE = np.radians(75)


def rectifying(rotation: np.ndarray, translation: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Rotations of both cameras by Bouguet's method, as in stereorectify."""
    half = rotations(-vector(rotation)[None] / 2)[0]
    moved = half @ translation
    axis = np.array([np.copysign(1, moved[0]), 0, 0])
    normal = np.cross(moved, axis)
    length = float(np.linalg.norm(normal))
    angle = np.arccos(min(abs(moved[0]) / np.linalg.norm(moved), 1))
    level = rotations((normal * angle / length if length > 0 else normal)[None])[0]
    return level @ half.T, level @ half


def rows(solution: Solution, views: Sequence[Views]) -> List[np.ndarray]:
    """For each board: the row in the left view minus that in the right one, of the corners in both,
    in pixels after rectification at the mean vertical focal length."""
    turns = rectifying(solution.rotation, solution.translation)
    focal = (solution.lenses[0][1] + solution.lenses[1][1]) / 2
    found = []
    for left, right in views:
        if left is None or right is None:
            found.append(np.empty(0))
            continue
        _, one, other = np.intersect1d(left.ids, right.ids, return_indices=True)
        places, near = [], np.ones(len(one), bool)
        for lens, turn, pixels in zip(solution.lenses, turns, (left.pixels[one], right.pixels[other])):
            rays = solution.model.rays(lens, pixels) @ turn.T
            near &= rays[:, 2] > np.cos(_MAX_ANGLE) * np.linalg.norm(rays, axis=1)
            with np.errstate(all="ignore"):
                places.append(focal * rays[:, 1] / rays[:, 2])
        found.append((places[0] - places[1])[near])
    return found


@dataclass(frozen=True)
class Validation:
    """The result of a cross-validation."""

    rows: np.ndarray
    """Row differences of corners that were left out, in pixels."""
    solutions: Tuple[Solution, ...]
    """One for each part that was left out."""

    @property
    def mean(self) -> float:
        """Mean absolute difference, in pixels."""
        return float(np.abs(self.rows).mean()) if self.rows.size else float("inf")

    @property
    def most(self) -> float:
        """95 % of the absolute differences are at most this, in pixels."""
        return float(np.quantile(np.abs(self.rows), 0.95)) if self.rows.size else float("inf")

    def deviation(self, values: Sequence[float]) -> float:
        """The standard deviation of a value by the jackknife, from one for each solution."""
        each = np.asarray(values, float)
        return float(np.sqrt((len(each) - 1) / len(each) * ((each - each.mean()) ** 2).sum()))


def cross_validate(solution: Solution, views: Sequence[Views]) -> Validation:
    """Calibrates without a part of the boards, and compares the rows of that part, for each part."""
    parts = min(_FOLDS, len(views))
    apart, solutions = [], []
    for part in range(parts):
        kept = [board for board in range(len(views)) if board % parts != part]
        found = refine(solution, views, kept)
        solutions.append(found)
        apart += rows(found, [view for board, view in enumerate(views) if board % parts == part])
    return Validation(np.concatenate(apart), tuple(solutions))
