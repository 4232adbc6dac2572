# gst-stereomatching: tags that describe maps
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts with the meaning of the codes, as the elements write them: see docs/disparity.md."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from .._maps import Camera, Map
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
    return fields


def of_map(result: str, found: Map, settings: Settings, properties: Dict[str, Any],
           camera: Optional[Camera]) -> str:
    """Of the codes of "disparity" or "confidence"."""
    fields: Dict[str, Any] = {"result": result, "reference-view": "left",
                              "algorithm": settings.algorithm}
    if result == "disparity":
        fields.update({
            "disparity-scale": float(found.scale), "min-disparity": int(found.minimum),
            "num-disparities": int(properties["num_disparities"]),
            "filled": bool(properties.get("fill", False)),
            "scale": float(found.scale), "offset": -float(found.minimum) * found.scale + 0.0})
        if found.invalid is not None:
            fields["invalid-value"] = int(found.invalid)
    else:
        fields.update(scale=65535.0, offset=0.0)
    if settings.network:
        fields["weights"] = settings.network
    fields.update(_camera_fields(camera, True))
    return _text("GstStereoDisparityMeta", fields, found.codes.shape)


def of_depth(size: Tuple[int, ...], operation: Dict[str, Any], camera: Camera) -> str:
    fields: Dict[str, Any] = {
        "depth-scale": float(operation.get("depth_scale", 1000)), "invalid-value": 0,
        "range-min": float(operation.get("range_min", 0)),
        "range-max": float(operation.get("range_max", 0)), "reference-view": "left"}
    fields.update(_camera_fields(camera, False))
    return _text("GstStereoDepthMeta", fields, size)
