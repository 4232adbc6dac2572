# gst-stereomatching: results of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Computes the requested results of a map, and stores files that are never half-written."""

from __future__ import annotations

import glob
import hashlib
import os
from typing import Any, Dict, Optional, Tuple

import numpy as np

from .._maps import Camera, Map, depth, points, view
from .._writing import PART, discard, replace_file
from . import _color, _images, _png, _tags
from ._settings import Settings

Result = Dict[str, Any]
"""Of a manifest: file, bytes and sha256."""


class StoreError(Exception):
    """A result cannot be written: the disk is full, for example. The run has to stop."""


def store(folder: str, name: str, data: bytes) -> Result:
    """Writes the file `name` in a folder."""
    path = os.path.join(folder, name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise StoreError("cannot write %s: %s" % (path, error.strerror)) from error
    return {"file": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def store_part(folder: str, name: str, part: str) -> Result:
    """Renames a file that was written beside its place."""
    try:
        result = {"file": name, "bytes": os.path.getsize(part), "sha256": _digest(part)}
        os.replace(part, os.path.join(folder, name))
    except OSError as error:
        discard(part)
        raise StoreError("cannot write %s: %s" % (name, error.strerror)) from error
    return result


def remove_parts(folder: str) -> None:
    """Removes what killed processes have left."""
    for path in glob.glob(os.path.join(glob.escape(folder), "**", ".*" + PART), recursive=True):
        discard(path)


def is_stored(folder: str, result: Result, verify: bool) -> bool:
    """Whether a result of the manifest is there, by its size and, optionally, its checksum."""
    path = os.path.join(folder, result["file"])
    try:
        if os.path.getsize(path) != result["bytes"]:
            return False
        return not verify or _digest(path) == result["sha256"]
    except OSError:
        return False


class Frame:
    """A matched pair: what results are computed from."""

    def __init__(self, settings: Settings, found: Map, views: Tuple[np.ndarray, np.ndarray],
                 camera: Optional[Camera], properties: Dict[str, Any]) -> None:
        self.settings, self.found, self.views = settings, found, views
        self.camera, self.properties = camera, properties

    # Operations of one frame take less time on the CPU than a copy to the GPU;
    # the bytes are the same.

    def _operation(self, function: Any, name: str, *arguments: Any) -> np.ndarray:
        return function(*arguments, backend="cpu", **self.settings.operations.get(name, {}))

    def depth(self) -> np.ndarray:
        return self._operation(depth, "depth", self.found, self.camera)

    def points(self) -> np.ndarray:
        return self._operation(points, "points", self.found, self.camera)

    def view(self) -> np.ndarray:
        left, right = map(_images.to_8_bits, self.views)
        return self._operation(view, "view", left, self.found, right)

    def color(self) -> np.ndarray:
        return _color.picture(self.found, int(self.properties["num_disparities"]))

    def ply(self) -> bytes:
        # text from the command line may be 2.0
        step = int(float(self.settings.operations.get("points", {}).get("step", 1)))
        return _images.ply(self.points(), self.views[0][::step, ::step])

    def tag(self, output: str) -> Optional[str]:
        """The meaning of the codes of an output."""
        if output in ("disparity", "confidence"):
            return _tags.of_map(output, self.found, self.settings, self.properties, self.camera)
        if output == "depth":
            assert self.camera is not None
            return _tags.of_depth(self.found, self.settings.operations.get("depth", {}),
                                  self.properties, self.camera)
        return None

    def array(self, output: str) -> np.ndarray:
        """What a recording of an output contains."""
        if output in ("disparity", "confidence"):
            return self.found.codes if output == "disparity" else self.found.confidence_codes
        return getattr(self, output)()

    def encode(self, output: str) -> Tuple[str, bytes]:
        """The suffix and the content of a file."""
        if output == "points":
            return ".ply", self.ply()
        if output in ("disparity", "confidence"):
            kind = self.settings.map_format
            return "." + kind, _images.encode_map(self.found, output, kind, self.tag(output))
        return ".png", _png.encode(getattr(self, output)(), self.tag(output))


def store_frame(frame: Frame, folder: str, name: str) -> Dict[str, Result]:
    """All outputs of a pair, as OUTPUT/NAME.SUFFIX."""
    results = {}
    for output in frame.settings.outputs:
        suffix, data = frame.encode(output)
        results[output] = store(folder, "%s/%s%s" % (output, name, suffix), data)
    return results
