# gst-stereomatching: the calibration of a stereo camera
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From detected boards to a calibration: outliers, the lens model, and its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import _library as c
from .._checks import path_of
from . import _files
from ._boards import Detection, Detector
from ._cameras import MODELS
from ._evaluate import Validation, cross_validate
from ._solve import Observation, Solution, Views, errors, refine, residuals_by_view, solve

MIN_PAIRS = 5
# In order of preference: a later model has to have rows that are better by this factor
CANDIDATES = ("brown", "fisheye", "rational")
_BETTER = 0.97
# A model whose reprojection errors are larger by this factor is not tried further
_HOPELESS = 2.0
# Outliers: multiple of the median error of pairs, and pixels below which none is an outlier
_OUTLIER, _MIN_OUTLIER = 3.0, 0.3
# The same for corners; a board with more than this share of them is judged as a pair
_WRONG, _MIN_WRONG, _MAX_WRONG = 6.0, 0.5, 0.2
# At most this share of the pairs is removed
_MAX_REMOVED = 0.34
# Reprojection errors, in pixels, and relative uncertainties beyond which something is wrong
_MAX_ERROR, _MAX_UNCERTAIN = 3.0, 0.02
# Plausible baselines, in metres, as in stereorectify
_MIN_BASELINE, _MAX_BASELINE = 0.001, 5.0
# Below this disparity, in pixels, boards are seen from one place
_MIN_DISPARITY = 0.5
# Names in one message
_SHOWN = 8


class Found(NamedTuple):
    """The boards in a pair of views."""

    name: str
    pair: Tuple[Optional[Detection], Optional[Detection]]


def listed(names: Sequence[str]) -> str:
    more = ", and %d more" % (len(names) - _SHOWN) if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _counted(n: int, noun: str) -> str:
    return "%d %s%s" % (n, noun, "" if n == 1 else "s")


@dataclass(frozen=True)
class PairError:
    """Root mean square reprojection errors of a pair, in pixels."""

    name: str
    left: float
    right: float

    @property
    def both(self) -> float:
        return float(np.sqrt((self.left ** 2 + self.right ** 2) / 2))


@dataclass(frozen=True)
class Calibration:
    """The calibration of a stereo camera, and how good it is."""

    board: str
    size: Tuple[int, int]
    """Width and height of a view."""
    solution: Solution
    validation: Validation
    pairs: Tuple[PairError, ...]
    """Pairs that were used."""
    outliers: Tuple[PairError, ...]
    """Pairs that were removed."""
    wrong_corners: int
    """The number of single corners that were removed."""
    tried: Dict[str, float]
    """The mean row difference of each lens model, in pixels."""
    warnings: Tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.solution.model.name

    @property
    def baseline(self) -> Tuple[float, float]:
        """The distance of the cameras and its standard deviation, in metres."""
        return (float(np.linalg.norm(self.solution.translation)), self.validation.deviation(
            [float(np.linalg.norm(one.translation)) for one in self.validation.solutions]))

    def focal_length(self, view: int) -> Tuple[float, float]:
        """Horizontal focal length of a view and its standard deviation, in pixels."""
        return (float(self.solution.lenses[view][0]), self.validation.deviation(
            [one.lenses[view][0] for one in self.validation.solutions]))

    @property
    def reprojection(self) -> Tuple[float, float]:
        """Root mean square reprojection error of both views, in pixels."""
        return tuple(float(np.sqrt(np.mean([getattr(pair, view) ** 2 for pair in self.pairs])))
                     for view in ("left", "right"))  # type: ignore[return-value]

    def report(self) -> str:
        """A page of text."""
        model = self.solution.model
        lines = [
            "board         %s" % self.board,
            "pairs         %d used, %s and %s removed, %dx%d pixels" % (
                len(self.pairs), _counted(len(self.outliers), "outlier"),
                _counted(self.wrong_corners, "single corner"), *self.size),
            "lens model    %s (%s)" % (model.name, " ".join(model.coefficients)),
            "reprojection  %.3f px left, %.3f px right (root mean square)" % self.reprojection,
        ]
        for view, name in enumerate(("left", "right")):
            lines.append("focal length  %.2f +- %.2f px, %s" % (*self.focal_length(view), name))
        lines += [
            "baseline      %.6f +- %.6f m" % self.baseline,
            "rows          %.3f px apart on average, 95 %% within %.3f px (rectified, corners of "
            "boards that were left out)" % (self.validation.mean, self.validation.most),
        ]
        if len(self.tried) > 1:
            lines.append("rows by model " + ", ".join("%s %.3f px" % item for item in self.tried.items()))
        return "\n".join(lines)

    def as_dict(self) -> Dict[str, Any]:
        """For JSON; lengths in metres and pixels."""
        baseline, focal = self.baseline, [self.focal_length(view) for view in range(2)]
        return {
            "board": self.board, "width": self.size[0], "height": self.size[1],
            "model": self.model, "reprojection": self.reprojection,
            "focal_length": [one[0] for one in focal],
            "focal_length_deviation": [one[1] for one in focal],
            "baseline": baseline[0], "baseline_deviation": baseline[1],
            "rows_mean": self.validation.mean, "rows_95": self.validation.most,
            "rows_by_model": self.tried, "warnings": self.warnings,
            "pairs": [vars(pair) for pair in self.pairs],
            "wrong_corners": self.wrong_corners,
            "outliers": [vars(pair) for pair in self.outliers],
        }

    def save(self, path: str) -> None:
        """Writes a file that stereorectify reads."""
        _files.save(path_of(path, "path"), _files.text(self).encode())


# ------------------------------------------------------------------- outliers

def _right_corners(one: Observation, residuals: np.ndarray, most: float) -> Observation:
    """The corners of a board without a few wrong ones."""
    right = residuals <= most
    if right.mean() < 1 - _MAX_WRONG:
        return one
    return Observation(*(values[right] for values in one))


def _without_wrong_corners(solution: Solution, views: Sequence[Views]) -> List[Views]:
    """Corners of markers can be several pixels off, while the rest of the board is right."""
    lengths = residuals_by_view(solution, views)
    most = max(_WRONG * float(np.median(np.concatenate(
        [one for pair in lengths for one in pair]))), _MIN_WRONG)
    return [(_right_corners(pair[0], length[0], most), _right_corners(pair[1], length[1], most))
            for pair, length in zip(views, lengths)]


def _pair_errors(solution: Solution, views: Sequence[Views],
                 names: Sequence[str]) -> List[PairError]:
    return [PairError(name, *map(float, each))
            for name, each in zip(names, errors(solution, views))]


def _without_outliers(solution: Solution, views: Sequence[Views], names: Sequence[str],
                      limit: float) -> Tuple[List[int], Dict[int, PairError]]:
    """The boards to keep, and the errors of the others when they were removed."""
    kept, removed = list(range(len(views))), {}
    while True:
        found = _pair_errors(solution, [views[i] for i in kept], [names[i] for i in kept])
        typical = float(np.median([one.both for one in found]))
        most = limit or max(_OUTLIER * typical, _MIN_OUTLIER)
        worst = int(np.argmax([one.both for one in found]))
        if found[worst].both <= most:
            return kept, removed
        if len(kept) <= MIN_PAIRS or len(removed) + 1 > _MAX_REMOVED * len(views):
            raise c.Error(
                "the pairs contradict each other: after removing %s of %d pairs, %s still "
                "has a reprojection error of %.2f px (limit %.2f px). Check that the board is flat "
                "and rigid, that its size is right, and that both cameras take pictures at the "
                "same time" % (_counted(len(removed), "outlier"), len(views), found[worst].name,
                               found[worst].both, most))
        removed[kept.pop(worst)] = found[worst]
        poses = np.delete(solution.poses, worst, axis=0)
        solution = refine(Solution(solution.model, solution.lenses, solution.relative, poses),
                          [views[i] for i in kept], range(len(kept)))


# ------------------------------------------------------------------ calibrate

def _both(found: Sequence[Found]) -> List[Found]:
    """Pairs with a board in both views."""
    both = [one for one in found if None not in one.pair]
    if len(both) >= MIN_PAIRS:
        return both
    text = "expected the board in both views of at least %d pairs, got %d of %d" % (
        MIN_PAIRS, len(both), len(found))
    for view, name in enumerate(("left", "right")):
        names = [one.name for one in found if one.pair[view] is None]
        if names:
            text += "; not found in the %s view of %s" % (name, listed(names))
    raise c.Error(text)


def _begin(models: Sequence[str], views: Sequence[Views], size: Tuple[int, int]) -> Dict[str, Solution]:
    found = {}
    for name in models:
        try:
            found[name] = solve(MODELS[name], views, size)
        except np.linalg.LinAlgError:
            continue
    if not found:
        raise c.Error("the boards determine no camera: hold the board at different distances and "
                      "angles")
    return found


def _check_arrangement(solution: Solution) -> None:
    # disparity of the boards that the distance of the cameras causes
    nearest = np.linalg.norm(solution.poses[:, 3:], axis=1).min()
    if solution.lenses[0][0] * np.linalg.norm(solution.translation) < _MIN_DISPARITY * nearest:
        raise c.Error("both views are from the same place: check that they are of two cameras")
    x, y, _ = solution.rotation.T @ solution.translation
    if abs(y) > abs(x):
        raise c.Error("one camera is above the other: turn the views by 90 degrees before "
                      "calibrating")
    if x > 0:
        raise c.Error("the views are swapped: the right view is from the left camera. Exchange "
                      "LEFT and RIGHT")


def _has_inverse(solution: Solution, size: Tuple[int, int]) -> bool:
    """Whether the lens models have an inverse at the corners of the views."""
    corners = np.array([[x, y] for x in (0, size[0] - 1) for y in (0, size[1] - 1)], float)
    for lens in solution.lenses:
        with np.errstate(all="ignore"):
            rays = solution.model.rays(lens, corners)
            back = solution.model.project(lens, rays)
        if not (np.abs(back - corners) < 0.5).all():
            return False
    return True


def _warnings(calibration: Calibration) -> Tuple[str, ...]:
    texts = []
    value, deviation = max((calibration.focal_length(view) for view in range(2)),
                           key=lambda one: one[1])
    if deviation > _MAX_UNCERTAIN * value:
        texts.append("The focal length is known to %.0f %% only. Add pairs with the board tilted, "
                     "and at other distances." % (100 * deviation / value))
    baseline = calibration.baseline[0]
    if not _MIN_BASELINE <= baseline <= _MAX_BASELINE:
        texts.append("The baseline is %g m. Check that the size of a square is in metres." % baseline)
    if not _has_inverse(calibration.solution, calibration.size):
        texts.append("The lens model has no inverse in a corner of the views. Add pairs with the "
                     "board there, or choose another --model.")
    return tuple(texts)


def calibrate_found(found: Sequence[Found], detector: Detector, size: Tuple[int, int],
                    model: str = "auto", max_error: float = 0.0) -> Calibration:
    """The calibration from boards in views of this size.

    :param model: ``"auto"`` chooses the model with the least row differences.
    :param max_error: pairs with a larger reprojection error are removed, in pixels (0 = three
        times the median).
    """
    both = _both(found)
    views = detector.observations([one.pair for one in both])
    names = [one.name for one in both]
    begun = _begin(CANDIDATES if model == "auto" else (model,), views, size)
    # the model that fits best judges the pairs
    fits = {name: float(np.median(errors(one, views))) for name, one in begun.items()}
    judge = begun[min(fits, key=lambda name: fits[name])]
    _check_arrangement(judge)
    corners = sum(len(one.ids) for pair in views for one in pair)
    views = _without_wrong_corners(judge, views)
    wrong = corners - sum(len(one.ids) for pair in views for one in pair)
    judge = refine(judge, views, range(len(views)))
    kept, removed = _without_outliers(judge, views, names, max_error)
    used = [views[i] for i in kept]
    results = {}
    for name, solution in begun.items():
        if fits[name] > _HOPELESS * min(fits.values()):
            continue
        refined = refine(solution, views, kept)
        results[name] = (refined, cross_validate(refined, used))
    tried = {name: validation.mean for name, (_, validation) in results.items()}
    chosen = next(iter(tried))
    for name in tried:
        if tried[name] < _BETTER * tried[chosen]:
            chosen = name
    solution, validation = results[chosen]
    calibration = Calibration(
        detector.board.describe(), size, solution, validation,
        tuple(_pair_errors(solution, used, [names[i] for i in kept])),
        tuple(removed.values()), wrong, tried)
    if max(calibration.reprojection) > _MAX_ERROR:
        raise c.Error("the reprojection error is %.1f px: check the size of the board, that it is "
                      "flat, and --model" % max(calibration.reprojection))
    return Calibration(**{**vars(calibration), "warnings": _warnings(calibration)})
