# gst-stereomatching: parameters of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a batch computes. Workers receive it with every task; the manifest lists it."""

from __future__ import annotations

import json
import os
import re
import zlib
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Dict, Iterable, List, Optional, Tuple

import numpy as np

from .. import _library as c
from .. import _tables
from .._checks import OPERATIONS, one_of, shown, whole, within
from .._maps import Camera, check_camera, check_operation
from .._matching import Matcher
from .._properties import Value, require_known
from .._rectify import ALPHAS, CALIBRATION_UNITS

OUTPUTS = ("disparity", "confidence", "depth", "color", "points", "view")
MAP_FORMATS = ("png", "pfm", "npy")
LAYOUTS = ("side-by-side", "top-bottom")
_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_METRIC = ("depth", "points")


@dataclass(frozen=True)
class Settings:
    """The parameters of a batch."""

    algorithm: str = "sgm"
    preset: Optional[str] = None
    properties: Dict[str, Value] = field(default_factory=dict)
    """Of the algorithm."""
    weights: Optional[str] = None
    """File with the network of cost="learned", which every worker reads."""
    network: Optional[int] = None
    """The CRC-32 of the network, set by checked(); 0 = the cost has none."""
    operations: Dict[str, Dict[str, Value]] = field(default_factory=dict)
    """Properties of "view", "depth" and "points"."""
    outputs: Tuple[str, ...] = ("disparity",)
    map_format: str = "png"
    camera: Optional[Camera] = None
    """Replaces the camera of a dataset."""
    calibration: Tuple[str, ...] = ()
    checksums: Dict[str, int] = field(default_factory=dict)
    """The CRC-32 of each calibration file, also of a dataset's, set by checked()."""
    calibration_unit: float = 1.0
    alpha: float = 0.0
    layout: str = "side-by-side"
    devices: Tuple[str, ...] = ("auto",)
    threads: int = 1
    """CPU threads of each matcher."""

    def parameters(self) -> Dict[str, Any]:
        """Everything that the bytes of the results depend on, for the manifest."""
        values = asdict(self)
        for name in ("devices", "threads", "checksums"):
            del values[name]
        # equal networks and calibrations may be in different files
        values["weights"] = values.pop("network")
        values["calibration"] = self.checksums_of(self.calibration)
        # as the manifest gives them back
        return json.loads(json.dumps(values, default=_plain))

    def checksums_of(self, calibration: Iterable[str]) -> List[Optional[int]]:
        return [self.checksums.get(path) for path in calibration]

    def require_unchanged(self, calibration: Iterable[str]) -> None:
        """Raises an ArgumentError if a file is not that which checked() has read."""
        for path in calibration:
            if self.checksums.get(path) not in (None, _checksum(path)):
                raise c.ArgumentError("%s has changed since the run began" % path)

    def backend(self, worker: int) -> Tuple[str, int]:
        """The compute backend and the CUDA device of a worker."""
        name, _, index = self.devices[worker % len(self.devices)].partition(":")
        return name, int(index or -1)

    def new_matcher(self, backend: str = "cpu", cuda_device: int = -1) -> Matcher:
        _tables.find_algorithm(self.algorithm)
        for name in self.properties:
            # other arguments of Matcher are no properties
            require_known(self.algorithm, _tables.table(self.algorithm), name)
        try:
            matcher = Matcher(self.algorithm, backend=backend, cuda_device=cuda_device,
                              threads=self.threads, preset=self.preset, weights=self.weights,
                              **self.properties)
        except OSError as error:
            raise c.ArgumentError("%s: %s" % (self.weights, error.strerror)) from None
        if self.network not in (None, matcher.weights_checksum):
            raise c.ArgumentError("%s has another network than when the run began" % (
                self.weights or "the library"))
        return matcher

    @property
    def metric(self) -> bool:
        """Whether results need a camera."""
        return any(name in self.outputs for name in _METRIC)

    def require_camera(self, known: bool) -> None:
        """Raises an ArgumentError if results need a camera and none is known."""
        if self.metric and not known and self.camera is None:
            raise c.ArgumentError("depth and points need a camera: set camera.focal_length and "
                                  "camera.baseline, or a calibration")

    def require_independent_maps(self) -> None:
        """Raises an ArgumentError if maps depend on earlier ones: workers match pairs in any
        order."""
        frames = self.new_matcher().properties["temporal"]
        if frames:
            raise c.ArgumentError("temporal = %d: pairs of images are matched in any order. "
                                  "Expected 0, or videos" % frames)

    def require_recordable(self) -> None:
        """Raises an ArgumentError if results of videos have another format than recordings."""
        if self.map_format != "png":
            raise c.ArgumentError("format = %s: videos are recorded in Matroska. Expected png, or "
                                  "pairs of images" % self.map_format)

    def checked(self, calibrations: Iterable[str] = ()) -> Settings:
        """The same with the network, the checksums of calibration files, tuples instead of single
        texts, and each output once. Raises an ArgumentError now instead of in every worker.

        :param calibrations: files of a dataset.
        """
        one_of(self.map_format, "format", MAP_FORMATS)
        one_of(self.layout, "layout", LAYOUTS)
        whole(self.threads, "threads", 0, 1024)
        within(self.calibration_unit, "calibration_unit", *CALIBRATION_UNITS)
        within(self.alpha, "alpha", *ALPHAS)
        outputs = _texts(self.outputs, "outputs")
        if not outputs:
            raise c.ArgumentError("outputs: expected some of %s" % ", ".join(OUTPUTS))
        for name in outputs:
            one_of(name, "outputs", OUTPUTS)
        devices = _texts(self.devices, "devices")
        for device in devices or ("",):
            if not _DEVICE.fullmatch(device):
                raise c.ArgumentError("device '%s': expected auto, cpu, cuda or cuda:N" % device)
        if self.camera is not None:
            check_camera(self.camera)
        own = _texts(self.calibration, "calibration")
        _require_dict(self.properties, "properties")
        _require_dict(self.operations, "operations")
        for operation, given in self.operations.items():
            one_of(operation, "operation", OPERATIONS)
            _require_dict(given, "operations[%r]" % operation)
            check_operation(operation, given, self.camera)
        matcher = self.new_matcher()
        # it compares properties with each other at its first pair
        pixel = np.zeros((1, 1), np.uint8)
        matcher.match(pixel, pixel, confidence="confidence" in outputs)
        return replace(self, network=matcher.weights_checksum, calibration=own,
                       checksums={path: _checksum(path) for path in (*own, *calibrations)},
                       outputs=tuple(dict.fromkeys(outputs)), devices=devices)


def _texts(given: Any, what: str) -> Tuple[str, ...]:
    """A single text is a tuple of one."""
    texts = (given,) if isinstance(given, str) else given
    if not isinstance(texts, (tuple, list)) or not all(isinstance(text, str) for text in texts):
        raise c.ArgumentError("%s = %s: expected a text or a tuple of texts" % (what, shown(given)))
    return tuple(texts)


def _require_dict(given: Any, what: str) -> None:
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        raise c.ArgumentError("%s = %s: expected a dict of values by name" % (what, shown(given)))


def _plain(value: Any) -> Any:
    """For JSON, which has no numbers of NumPy."""
    return value.item() if isinstance(value, np.generic) else str(value)


def _float(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise c.ArgumentError("%s = %s: expected a number" % (what, text)) from None


def _checksum(path: str) -> int:
    """The CRC-32 of a file. Raises an ArgumentError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return zlib.crc32(file.read())
    except OSError as error:
        raise c.ArgumentError("%s: %s" % (path, error.strerror)) from None


_CAMERA = tuple(Camera.__dataclass_fields__)


def with_assignments(settings: Settings, words: List[str]) -> Settings:
    """NAME=VALUE sets a property of the algorithm; view.NAME=VALUE that of an operation;
    weights=FILE names a network."""
    groups: Dict[str, Dict[str, Value]] = {}
    for word in words:
        name, value = word.split("=", 1)
        group, dot, name = name.replace("-", "_").rpartition(".")
        if dot:
            one_of(group, "%s: the word before the dot" % word, ("camera",) + OPERATIONS)
        groups.setdefault(group, {})[name] = value
    camera = groups.pop("camera", None)
    if camera is not None:
        for name, value in camera.items():
            one_of(name, "camera.NAME", _CAMERA)
            if name != "projection":
                camera[name] = _float(str(value), "camera.%s" % name)
        if "focal_length" not in camera or "baseline" not in camera:
            raise c.ArgumentError("camera: expected camera.focal_length and camera.baseline")
        settings = replace(settings, camera=Camera(**camera))  # type: ignore[arg-type]
    properties = groups.pop("", {})
    if "weights" in properties:
        path = str(properties.pop("weights"))
        settings = replace(settings, weights=os.path.abspath(path) if path else None)
    return replace(settings, properties=properties, operations=groups)
