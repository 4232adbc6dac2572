# gst-stereomatching: lens models of stereo-calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Projection and its inverse for the lens models that stereorectify reads.

A lens is the array fx, fy, cx, cy and the coefficients of its model. The formulas are those of
common/geometry/camera.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, Tuple

import numpy as np

_MAX_ITERATIONS = 50
# of a ray, in normalised image coordinates
_CONVERGED = 1e-12


def _brown(k: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Brown: k1 k2 p1 p2 k3, and k4 k5 k6 of the rational model."""
    x, y = (points[:, :2] / points[:, 2:]).T
    r = x * x + y * y
    scale = 1 + r * (k[0] + r * (k[1] + r * k[4]))
    if len(k) > 5:
        scale = scale / (1 + r * (k[5] + r * (k[6] + r * k[7])))
    return np.stack([x * scale + 2 * k[2] * x * y + k[3] * (r + 2 * x * x),
                     y * scale + k[2] * (r + 2 * y * y) + 2 * k[3] * x * y], 1)


def _unproject_brown(k: np.ndarray, distorted: np.ndarray) -> np.ndarray:
    """By Newton's method on x and y, with differences as derivatives."""
    step = 1e-6
    found = distorted.copy()
    for _ in range(_MAX_ITERATIONS):
        rays = np.column_stack([found, np.ones(len(found))])
        error = distorted - _brown(k, rays)
        along = [(_brown(k, rays + offset) - _brown(k, rays - offset)) / (2 * step)
                 for offset in (np.array([step, 0, 0]), np.array([0, step, 0]))]
        (a, c), (b, d) = along[0].T, along[1].T
        determinant = a * d - b * c
        found = found + np.stack([d * error[:, 0] - b * error[:, 1],
                                  a * error[:, 1] - c * error[:, 0]], 1) / determinant[:, None]
        if not np.abs(error).max(initial=0) > _CONVERGED:
            break
    return np.column_stack([found, np.ones(len(found))])


def _angle(k: np.ndarray, angle: np.ndarray) -> np.ndarray:
    square = angle * angle
    return angle * (1 + square * (k[0] + square * (k[1] + square * (k[2] + square * k[3]))))


def _fisheye(k: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Kannala and Brandt: k1 k2 k3 k4."""
    radius = np.hypot(points[:, 0], points[:, 1])
    distorted = _angle(k, np.arctan2(radius, points[:, 2]))
    return points[:, :2] * (distorted / np.maximum(radius, 1e-12))[:, None]


def _unproject_fisheye(k: np.ndarray, distorted: np.ndarray) -> np.ndarray:
    radius = np.hypot(distorted[:, 0], distorted[:, 1])
    angle = np.minimum(radius, np.pi / 2)
    for _ in range(_MAX_ITERATIONS):
        square = angle * angle
        slope = 1 + square * (3 * k[0] + square * (5 * k[1] + square * (
            7 * k[2] + square * 9 * k[3])))
        change = (radius - _angle(k, angle)) / np.maximum(slope, 0.1)
        angle = np.clip(angle + change, 0, np.pi)
        if not np.abs(change).max(initial=0) > _CONVERGED:
            break
    scale = np.sin(angle) / np.maximum(radius, 1e-12)
    return np.column_stack([distorted * scale[:, None], np.cos(angle)])


@dataclass(frozen=True)
class Model:
    """A lens model."""

    name: str
    coefficients: Tuple[str, ...]
    distort: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """Coefficients, and points in front of the camera: positions at a focal length of 1."""
    undistort: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """The rays of such positions."""
    deviation: Tuple[float, ...]
    """Standard deviation of each coefficient before any picture; keeps those that the pictures
    do not determine near 0."""
    file_model: str
    """The distortion_model of a file."""

    def project(self, lens: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Pixels of points in camera coordinates."""
        return self.distort(lens[4:], points) * lens[:2] + lens[2:4]

    def rays(self, lens: np.ndarray, pixels: np.ndarray) -> np.ndarray:
        """Directions of pixels in camera coordinates, of any length."""
        return self.undistort(lens[4:], (pixels - lens[2:4]) / lens[:2])


MODELS: Dict[str, Model] = {model.name: model for model in (
    Model("brown", ("k1", "k2", "p1", "p2", "k3"), _brown, _unproject_brown,
          (1, 1, 0.1, 0.1, 1), "plumb_bob"),
    Model("rational", ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"), _brown, _unproject_brown,
          (1, 1, 0.1, 0.1, 1, 1, 1, 1), "rational_polynomial"),
    Model("fisheye", ("k1", "k2", "k3", "k4"), _fisheye, _unproject_fisheye,
          (0.5, 0.5, 0.5, 0.5), "fisheye"),
)}


def rotations(vectors: np.ndarray) -> np.ndarray:
    """Rotation matrices, n x 3 x 3, of rotation vectors, n x 3 (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=1)
    axis = vectors / np.maximum(angle, 1e-300)[:, None]
    cross = np.zeros((len(vectors), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    cross -= cross.transpose(0, 2, 1)
    return (np.eye(3) + np.sin(angle)[:, None, None] * cross
            + (1 - np.cos(angle))[:, None, None] * (cross @ cross))


def vector(rotation: np.ndarray) -> np.ndarray:
    """The rotation vector of a matrix, by way of its quaternion."""
    trace = np.trace(rotation)
    symmetric = (rotation + rotation.T) / 2
    # the axis is the eigenvector of 1
    axis = np.linalg.eigh(symmetric)[1][:, -1]
    skew = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                     rotation[1, 0] - rotation[0, 1]]) / 2
    sine = axis @ skew
    return axis * np.arctan2(sine, (trace - 1) / 2)
