# gst-stereomatching: least squares of stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lenses, relative pose and board poses that minimise the reprojection error.

Levenberg and Marquardt's method on all unknowns together. The poses of the boards are eliminated
from each step (Schur complement), so that its time is proportional to the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._cameras import Model, rotations, vector

_MAX_ITERATIONS = 60
_STEP = 1e-6
# Relative decrease of the error that ends the iterations
_CONVERGED = 1e-9
# Focal lengths to begin with, relative to the width
_FOCAL_LENGTHS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.5, 2.5)
# Residuals above this multiple of their median count linearly in a robust solution
_ROBUST = 4.0


class Observation(NamedTuple):
    """The corners of a board in one view."""

    ids: np.ndarray
    """Of the corners, n integers."""
    points: np.ndarray
    """On the board, n x 3, in metres."""
    pixels: np.ndarray
    """n x 2."""


Views = Tuple[Optional[Observation], Optional[Observation]]


@dataclass(frozen=True)
class Solution:
    """Cameras, and the poses of the boards in coordinates of the left camera."""

    model: Model
    lenses: Tuple[np.ndarray, ...]
    relative: np.ndarray
    """Rotation vector and translation from the left to the right camera."""
    poses: np.ndarray
    """Of the boards: n x 6."""

    @property
    def rotation(self) -> np.ndarray:
        return rotations(self.relative[None, :3])[0]

    @property
    def translation(self) -> np.ndarray:
        return self.relative[3:]


class _Problem:
    """The observations of all views as one list, sorted by board."""

    def __init__(self, views: Sequence[Views]) -> None:
        parts = [(one, camera, board) for board, pair in enumerate(views)
                 for camera, one in enumerate(pair) if one is not None]
        self.points = np.concatenate([one.points for one, _, _ in parts])
        self.pixels = np.concatenate([one.pixels for one, _, _ in parts])
        sizes = [len(one.points) for one, _, _ in parts]
        self.board = np.repeat([board for _, _, board in parts], sizes)
        self.of_camera = [np.flatnonzero(np.repeat([camera for _, camera, _ in parts], sizes) == number)
                          for number in range(2)]
        ends = np.searchsorted(self.board, np.arange(len(views) + 1))
        self.of_board = [slice(start, end) for start, end in zip(ends, ends[1:])]

    def place(self, poses: np.ndarray) -> np.ndarray:
        """The points in coordinates of the left camera."""
        turned = np.einsum("nij,nj->ni", rotations(poses[:, :3])[self.board], self.points)
        return turned + poses[self.board, 3:]

    def project(self, solution: Solution, placed: np.ndarray) -> np.ndarray:
        pixels = np.empty_like(self.pixels)
        for camera, lens in enumerate(solution.lenses):
            which = self.of_camera[camera]
            points = placed[which]
            if camera == 1:
                points = points @ solution.rotation.T + solution.translation
            pixels[which] = solution.model.project(lens, points)
        return pixels

    def residuals(self, solution: Solution) -> np.ndarray:
        """n x 2, in pixels; infinite if a point is where the model has no pixel."""
        with np.errstate(all="ignore"):
            found = self.project(solution, self.place(solution.poses)) - self.pixels
        return np.where(np.isfinite(found), found, 1e6)

    def _shared(self, solution: Solution) -> List[Tuple[np.ndarray, Solution, Solution]]:
        """For each shared unknown: observations that depend on it, and solutions before and
        after a step."""
        cases = []
        for camera, lens in enumerate(solution.lenses):
            for index in range(len(lens)):
                step = np.zeros(len(lens))
                step[index] = _STEP * max(1, abs(lens[index]))
                ends = [replace(solution, lenses=tuple(
                    one + sign * step if number == camera else one
                    for number, one in enumerate(solution.lenses))) for sign in (-1, 1)]
                cases.append((self.of_camera[camera], ends[0], ends[1]))
        for step in np.eye(6)[:6 * (len(solution.lenses) - 1)] * _STEP:
            cases.append((self.of_camera[1], replace(solution, relative=solution.relative - step),
                          replace(solution, relative=solution.relative + step)))
        return cases

    def derivatives(self, solution: Solution) -> Tuple[np.ndarray, np.ndarray]:
        """Of the residuals, n x 2, by the shared unknowns and by the pose of the board."""
        placed = self.place(solution.poses)
        cases = self._shared(solution)
        shared = np.zeros((len(self.points), 2, len(cases)))
        for index, (which, before, after) in enumerate(cases):
            width = (_vector(after) - _vector(before)).max()
            change = self.project(after, placed) - self.project(before, placed)
            shared[which, :, index] = change[which] / width
        own = np.empty((len(self.points), 2, 6))
        for index, step in enumerate(np.eye(6) * _STEP):
            ends = [self.project(solution, self.place(solution.poses + sign * step))
                    for sign in (-1, 1)]
            own[:, :, index] = (ends[1] - ends[0]) / (2 * _STEP)
        return shared, own


def _vector(solution: Solution) -> np.ndarray:
    """The shared unknowns."""
    pose = [solution.relative] if len(solution.lenses) > 1 else []
    return np.concatenate([*solution.lenses, *pose])


def _moved(solution: Solution, shared: np.ndarray, own: np.ndarray) -> Solution:
    size = len(solution.lenses[0])
    lenses = tuple(lens + shared[size * i:size * (i + 1)] for i, lens in enumerate(solution.lenses))
    relative = solution.relative
    if len(lenses) > 1:
        relative = relative + shared[2 * size:]
    return replace(solution, lenses=lenses, relative=relative, poses=solution.poses + own)


def _prior(solution: Solution, noise: float) -> Tuple[np.ndarray, np.ndarray]:
    """Values of the shared unknowns that should be 0, and their weights in square pixels."""
    each = np.concatenate([np.zeros(4), noise / np.array(solution.model.deviation)])
    weights = np.concatenate([each] * len(solution.lenses)
                             + [np.zeros(6)] * (len(solution.lenses) - 1)) ** 2
    return _vector(solution), weights


class _Normal:
    """The normal equations at a solution."""

    def __init__(self, problem: _Problem, solution: Solution, weights: np.ndarray,
                 noise: float) -> None:
        shared, own = problem.derivatives(solution)
        residuals = problem.residuals(solution)
        values, prior = _prior(solution, noise)
        self.shared = np.diag(prior)
        self.shared_side = -prior * values
        self.own, self.own_side, self.mixed = [], [], []
        for which in problem.of_board:
            root = np.sqrt(weights[which])[:, None]
            a = (shared[which] * root[:, :, None]).reshape(-1, shared.shape[2])
            b = (own[which] * root[:, :, None]).reshape(-1, 6)
            r = (residuals[which] * root).reshape(-1)
            self.shared = self.shared + a.T @ a
            self.shared_side = self.shared_side - a.T @ r
            self.own.append(b.T @ b)
            self.own_side.append(-b.T @ r)
            self.mixed.append(a.T @ b)

    def _reduced(self, damping: float) -> Tuple[np.ndarray, np.ndarray, List[np.ndarray]]:
        """The equations of the shared unknowns alone, and the inverses for the others."""
        left, side = self.shared + damping * np.diag(np.diag(self.shared)), self.shared_side
        inverses = []
        for own, own_side, mixed in zip(self.own, self.own_side, self.mixed):
            inverse = np.linalg.inv(own + damping * np.diag(np.diag(own)) + 1e-12 * np.eye(6))
            left = left - mixed @ inverse @ mixed.T
            side = side - mixed @ inverse @ own_side
            inverses.append(inverse)
        return left, side, inverses

    def step(self, damping: float) -> Tuple[np.ndarray, np.ndarray]:
        left, side, inverses = self._reduced(damping)
        shared = np.linalg.solve(left, side)
        own = [inverse @ (own_side - mixed.T @ shared)
               for inverse, own_side, mixed in zip(inverses, self.own_side, self.mixed)]
        return shared, np.array(own)


def _weights(residuals: np.ndarray, robust: bool) -> np.ndarray:
    """Of each corner: Huber's."""
    length = np.hypot(*residuals.T)
    if not robust:
        return np.ones(len(length))
    return np.minimum(1, _ROBUST * np.median(length) / np.maximum(length, 1e-12))


def _cost(residuals: np.ndarray, weights: np.ndarray, solution: Solution, noise: float) -> float:
    values, prior = _prior(solution, noise)
    return float((weights * (residuals ** 2).sum(axis=1)).sum() + (prior * values ** 2).sum())


def minimize(problem: _Problem, solution: Solution, robust: bool = False,
             max_iterations: int = _MAX_ITERATIONS) -> Solution:
    """The solution of least squares near a given one."""
    damping = 1e-4
    residuals = problem.residuals(solution)
    for _ in range(max_iterations):
        weights = _weights(residuals, robust)
        noise = float(np.sqrt((weights * (residuals ** 2).sum(axis=1)).mean() / 2))
        cost = _cost(residuals, weights, solution, noise)
        normal = _Normal(problem, solution, weights, noise)
        while damping < 1e10:
            try:
                tried = _moved(solution, *normal.step(damping))
            except np.linalg.LinAlgError:
                damping *= 10
                continue
            after = problem.residuals(tried)
            if _cost(after, weights, tried, noise) < cost:
                break
            damping *= 10
        else:
            break
        decrease = cost - _cost(after, weights, tried, noise)
        solution, residuals, damping = tried, after, max(damping / 10, 1e-12)
        if decrease < _CONVERGED * cost:
            break
    return solution


# -------------------------------------------------------------------- begin

def _pose(model: Model, lens: np.ndarray, seen: Observation) -> np.ndarray:
    """The pose of a planar board, by its homography to the rays."""
    rays = model.rays(lens, seen.pixels)
    # turned so that the rays surround the axis: a wide lens sees beside it
    forward = _turn_to(rays.mean(axis=0))
    rays = rays @ forward.T
    found = _homography(seen.points[:, :2], rays[:, :2] / np.maximum(rays[:, 2:], 0.05))
    scale = 2 / (np.linalg.norm(found[:, 0]) + np.linalg.norm(found[:, 1]))
    found = found * (scale if found[2, 2] > 0 else -scale)
    u, _, v = np.linalg.svd(np.column_stack([found[:, :2], np.cross(found[:, 0], found[:, 1])]))
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return np.concatenate([vector(forward.T @ rotation), forward.T @ found[:, 2]])


def _turn_to(direction: np.ndarray) -> np.ndarray:
    """A rotation of a direction to the optical axis."""
    z = direction / np.linalg.norm(direction)
    x = np.cross([0, 1, 0], z)
    x = x / max(float(np.linalg.norm(x)), 1e-12)
    return np.stack([x, np.cross(z, x), z])


def _homography(points: np.ndarray, images: np.ndarray) -> np.ndarray:
    """By the direct linear transformation, on normalised coordinates."""
    def normal(values: np.ndarray) -> np.ndarray:
        center, spread = values.mean(axis=0), max(float(values.std()), 1e-12)
        return np.array([[1 / spread, 0, -center[0] / spread],
                         [0, 1 / spread, -center[1] / spread], [0, 0, 1]])

    before, after = normal(points), normal(images)
    p = np.column_stack([points, np.ones(len(points))]) @ before.T
    q = np.column_stack([images, np.ones(len(images))]) @ after.T
    zero = np.zeros_like(p)
    rows = np.concatenate([np.hstack([p, zero, -q[:, :1] * p]), np.hstack([zero, p, -q[:, 1:2] * p])])
    return np.linalg.inv(after) @ np.linalg.svd(rows)[2][-1].reshape(3, 3) @ before


def _single(model: Model, seen: Sequence[Observation], size: Tuple[int, int]) -> Solution:
    """One camera alone, from the best of several focal lengths."""
    problem = _Problem([(one, None) for one in seen])
    best, least = None, np.inf
    for relative in _FOCAL_LENGTHS:
        lens = np.concatenate([[relative * size[0]] * 2, (np.array(size) - 1) / 2,
                               np.zeros(len(model.coefficients))])
        begin = Solution(model, (lens,), np.zeros(6),
                         np.array([_pose(model, lens, one) for one in seen]))
        found = minimize(problem, begin, robust=True, max_iterations=12)
        error = float(np.median(np.hypot(*problem.residuals(found).T)))
        if error < least and found.lenses[0][:2].min() > 0:
            best, least = found, error
    if best is None:
        raise np.linalg.LinAlgError("no focal length")
    return minimize(problem, best, robust=True)


def _relative(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The pose between the cameras, from those of each board in both."""
    one, other = rotations(left[:, :3]), rotations(right[:, :3])
    turns = other @ one.transpose(0, 2, 1)
    u, _, v = np.linalg.svd(np.median(turns, axis=0))
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return np.concatenate([vector(rotation), np.median(
        right[:, 3:] - np.einsum("nij,nj->ni", turns, left[:, 3:]), axis=0)])


def solve(model: Model, views: Sequence[Views], size: Tuple[int, int]) -> Solution:
    """Both cameras, from pairs in which both views have a board; robust against a few wrong ones.

    numpy.linalg.LinAlgError if the boards determine no camera.
    """
    left = _single(model, [pair[0] for pair in views if pair[0] is not None], size)
    right = _single(model, [pair[1] for pair in views if pair[1] is not None], size)
    begin = Solution(model, (left.lenses[0], right.lenses[0]),
                     _relative(left.poses, right.poses), left.poses)
    return minimize(_Problem(views), begin, robust=True)


def refine(solution: Solution, views: Sequence[Views], boards: Sequence[int]) -> Solution:
    """Least squares of some of the boards, from the solution of all."""
    begin = replace(solution, poses=solution.poses[list(boards)])
    return minimize(_Problem([views[board] for board in boards]), begin, max_iterations=20)


def residuals_by_view(solution: Solution, views: Sequence[Views]) -> List[List[np.ndarray]]:
    """Reprojection error of each corner in both views of each board, in pixels."""
    problem = _Problem(views)
    length = np.hypot(*problem.residuals(solution).T)
    return [[length[which][np.isin(np.arange(which.start, which.stop), of_camera)]
             for of_camera in problem.of_camera] for which in problem.of_board]


def errors(solution: Solution, views: Sequence[Views]) -> np.ndarray:
    """Root mean square reprojection error of each board in both views, n x 2, in pixels."""
    return np.array([[np.sqrt(np.mean(length ** 2)) for length in pair]
                     for pair in residuals_by_view(solution, views)])
