# gst-stereomatching: tags that describe maps
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts with the meaning of the codes, as the elements write them: see docs/disparity.md."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from .._maps import Camera, Map
from .._tables import properties as table
from ._settings import Settings

_TYPES = {bool: "boolean", int: "int", float: "double", str: "string"}
_UNSIGNED = ("num-disparities", "invalid-value", "weights")


def _text(name: str, fields: Dict[str, Any], size: Tuple[int, ...]) -> str:
    """A GstStructure as text."""
    words = [name]
    for key, value in dict(fields, format="GRAY16_LE", width=size[1], height=size[0]).items():
        kind = "uint" if key in _UNSIGNED else _TYPES[type(value)]
        shown = repr(value).lower() if isinstance(value, bool) else (
            "%.17g" % value if isinstance(value, float) else str(value))
        words.append("%s=(%s)%s" % (key, kind, shown))
    return ", ".join(words) + ";"


def _camera_fields(camera: Optional[Camera], doffs: bool) -> Dict[str, Any]:
    if camera is None:
        return {}
    fields = {"focal-length": float(camera.focal_length), "baseline": float(camera.baseline)}
    if doffs:
        fields["doffs"] = float(camera.doffs)
    if camera.cx is not None and camera.cy is not None:
        fields.update(cx=float(camera.cx), cy=float(camera.cy))
    if camera.projection != "plane":
        fields["projection"] = camera.projection
    return fields


def is_filled(properties: Dict[str, Any]) -> bool:
    """Whether a matcher fills the invalid pixels of its maps."""
    # pixels below a minimum of the confidence are left invalid
    return bool(properties.get("fill", False) and not properties.get("min_confidence", 0))


def of_map(result: str, found: Map, settings: Settings, properties: Dict[str, Any],
           camera: Optional[Camera]) -> str:
    """Of the codes of "disparity" or "confidence"."""
    fields: Dict[str, Any] = {"result": result, "reference-view": "left",
                              "algorithm": settings.algorithm}
    if result == "disparity":
        fields.update({
            "disparity-scale": float(found.scale), "min-disparity": int(found.minimum),
            "num-disparities": int(properties["num_disparities"]),
            "filled": is_filled(properties),
            "scale": float(found.scale), "offset": -float(found.minimum) * found.scale + 0.0})
        if found.invalid is not None:
            fields["invalid-value"] = int(found.invalid)
    else:
        fields.update(scale=65535.0, offset=0.0)
    if settings.network:
        fields["weights"] = settings.network
    fields.update(_camera_fields(camera, True))
    return _text("GstStereoDisparityMeta", fields, found.codes.shape)


def _depth_range(found: Map, values: Dict[str, Any], num_disparities: int,
                 camera: Camera) -> Tuple[float, float]:
    """Of the operation, from the nearest depth that was searched to the largest code, in metres."""
    largest = found.minimum + num_disparities - 1 + camera.doffs
    nearest = camera.focal_length * camera.baseline / largest if largest > 0 else 0.0
    return (max(float(values["range_min"]), nearest),
            min(float(values["range_max"]), 65535 / float(values["depth_scale"])))


def of_depth(found: Map, operation: Dict[str, Any], properties: Dict[str, Any],
             camera: Camera) -> str:
    values = {name: row.default for name, row in table("depth").items()}
    values.update(operation)
    least, most = _depth_range(found, values, int(properties["num_disparities"]), camera)
    fields: Dict[str, Any] = {
        "depth-scale": float(values["depth_scale"]), "invalid-value": 0, "range-min": least,
        "range-max": most, "reference-view": "left"}
    fields.update(_camera_fields(camera, False))
    return _text("GstStereoDepthMeta", fields, found.codes.shape)
