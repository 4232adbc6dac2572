# gst-stereomatching: datasets as they are downloaded
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the pairs, cameras and calibrations of KITTI, Middlebury and EuRoC folders."""

from __future__ import annotations

import math
import os
import re
from dataclasses import replace
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _library as c
from .._checks import shown
from .._maps import Camera
from ._inputs import Pair, pair_up

# Colour before grey: folders of the left and of the right camera, and their numbers
_KITTI = (("image_2", "image_3"), ("image_02/data", "image_03/data"),
          ("colored_0", "colored_1"), ("image_0", "image_1"), ("image_00/data", "image_01/data"))
# 2014 and 2021; v2 and 2003; 2005 and 2006
_MIDDLEBURY = (("im0", "im1"), ("im2", "im6"), ("view1", "view5"), ("left", "right"))
_SUFFIXES = (".png", ".ppm", ".pgm")


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _numbers(path: str, text: str) -> List[float]:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise c.ArgumentError("%s: expected numbers, got %s" % (path, shown(text)))
    return numbers


def _size(path: str, text: str) -> Optional[Tuple[int, ...]]:
    """Width and height, if the text has both."""
    numbers = _numbers(path, text)
    return tuple(map(int, numbers)) if len(numbers) == 2 else None


def _focal_length(path: str, value: float) -> float:
    if value <= 0:
        raise c.ArgumentError("%s: expected a focal length above 0, got %g" % (path, value))
    return value


# ---------------------------------------------------------------------- KITTI

def _kitti_projection(path: str, text: str, number: int) -> Optional[np.ndarray]:
    """The 3x4 projection matrix of a camera."""
    match = re.search(r"^P(?:_rect_0)?%d: (.*)$" % number, text, re.MULTILINE)
    values = _numbers(path, match.group(1)) if match else []
    return np.array(values).reshape(3, 4) if len(values) == 12 else None


def _kitti_camera(path: str, left: int) -> Dict[str, Any]:
    """The fields of a pair from a calibration file, whose right camera has the next number."""
    text = _text(path)
    one, other = (_kitti_projection(path, text, number) for number in (left, left + 1))
    if one is None or other is None:
        return {}
    focal_length = _focal_length(path, one[0, 0])
    size = re.search(r"^S_rect_0%d: (.*)$" % left, text, re.MULTILINE)
    # the last column is -focal length * position
    camera = Camera(*map(float, (focal_length, (one[0, 3] - other[0, 3]) / focal_length, one[0, 2],
                                 one[1, 2], other[0, 2] - one[0, 2])))
    return {"camera": camera, "camera_size": _size(path, size.group(1)) if size else None}


def _kitti_calibration(folder: str, name: str) -> Optional[str]:
    """Of a sequence, or of a frame as 000000_10."""
    frame = name.split("_")[0] + ".txt"
    places = ["calib.txt", "calib_cam_to_cam.txt", "../calib_cam_to_cam.txt",
              os.path.join("calib", frame), os.path.join("calib_cam_to_cam", frame)]
    return next((path for path in (os.path.join(folder, place) for place in places)
                 if os.path.isfile(path)), None)


def _kitti(folder: str) -> List[Pair]:
    for left, right in _KITTI:
        if os.path.isdir(os.path.join(folder, left)) and os.path.isdir(os.path.join(folder, right)):
            break
    else:
        return []
    number = int(re.findall(r"\d", left.split("/", maxsplit=1)[0])[-1])
    if left.startswith("colored"):
        number = 2
    cameras: Dict[Optional[str], Dict[str, Any]] = {None: {}}
    pairs = []
    for pair in pair_up(os.path.join(folder, left), os.path.join(folder, right)):
        path = _kitti_calibration(folder, pair.name)
        if path not in cameras:
            cameras[path] = _kitti_camera(path, number)
        pairs.append(replace(pair, **cameras[path]))
    return pairs


# ----------------------------------------------------------------- Middlebury

def _middlebury_camera(folder: str) -> Dict[str, Any]:
    """The fields of a pair from calib.txt, whose baseline is in millimetres."""
    path = os.path.join(folder, "calib.txt")
    try:
        text = _text(path)
    except OSError:
        return {}
    values = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    matrix = _numbers(path, re.sub(r"[][;,]", " ", values.get("cam0", "")))
    lengths = _numbers(path, "%s %s" % (values.get("baseline", ""), values.get("doffs", 0)))
    if len(matrix) != 9 or len(lengths) != 2:
        return {}
    camera = Camera(_focal_length(path, matrix[0]), lengths[0] / 1000, matrix[2], matrix[5],
                    lengths[1])
    disparities = _numbers(path, values.get("ndisp", ""))
    return {"camera": camera, "camera_size": _size(path, "%s %s" % (
        values.get("width", ""), values.get("height", ""))),
            "disparities": int(disparities[0]) if disparities else None}


def _middlebury_scene(folder: str) -> Optional[Tuple[str, str]]:
    for left, right in _MIDDLEBURY:
        for suffix in _SUFFIXES:
            files = (os.path.join(folder, left + suffix), os.path.join(folder, right + suffix))
            if all(os.path.isfile(path) for path in files):
                return files
    return None


def _middlebury(folder: str) -> List[Pair]:
    """A scene, or a folder of scenes."""
    pairs = []
    for place, folders, _ in os.walk(folder):
        folders.sort()
        files = _middlebury_scene(place)
        if files:
            name = (os.path.relpath(place, folder) if place != folder
                    else os.path.basename(os.path.abspath(place)))
            pairs.append(Pair(name.replace(os.sep, "/"), *files, **_middlebury_camera(place)))
    return pairs


# ---------------------------------------------------------------------- EuRoC

def _euroc(folder: str) -> List[Pair]:
    """The folder with cam0 and cam1, or the one above it, mav0."""
    for place in (folder, os.path.join(folder, "mav0")):
        files = [os.path.join(place, camera, "sensor.yaml") for camera in ("cam0", "cam1")]
        if all(os.path.isfile(path) for path in files):
            pairs = pair_up(*(os.path.join(place, camera, "data") for camera in ("cam0", "cam1")))
            return [replace(pair, calibration=tuple(files)) for pair in pairs]
    return []


def is_euroc(calibration: Tuple[str, ...]) -> bool:
    return bool(calibration) and os.path.basename(calibration[0]) == "sensor.yaml"


def _yaml(path: str) -> Any:
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise c.Error("EuRoC's calibration needs PyYAML: pip install pyyaml, or apt-get install "
                      "python3-yaml") from None
    try:
        # the first line may be "%YAML:1.0", which is none
        return yaml.safe_load(re.sub(r"^%.*\n", "", _text(path)))
    except yaml.YAMLError as error:
        raise c.ArgumentError("cannot read %s: %s" % (path, error)) from None


def _sensor(path: str) -> Tuple[np.ndarray, str]:
    """The pose of a camera, from it to the body, and its other keys in Kalibr's format."""
    sensor = _yaml(path)
    try:
        pose = np.array(sensor["T_BS"]["data"], float).reshape(4, 4)
        np.linalg.inv(pose)
        intrinsics, coefficients, resolution = (np.array(sensor[key], float).tolist() for key in (
            "intrinsics", "distortion_coefficients", "resolution"))
    except (KeyError, TypeError, ValueError, np.linalg.LinAlgError):
        raise c.ArgumentError("%s: expected the numbers of T_BS, intrinsics, "
                              "distortion_coefficients and resolution" % path) from None
    model = sensor.get("distortion_model", "radial-tangential")
    return pose, ("  camera_model: pinhole\n  intrinsics: %s\n  distortion_model: %s\n"
                  "  distortion_coeffs: %s\n  resolution: %s\n" % (
                      intrinsics, "radtan" if model == "radial-tangential" else model,
                      coefficients, resolution))


def kalibr_of_euroc(files: Tuple[str, ...]) -> str:
    """The calibration of two sensor.yaml files in Kalibr's format, which stereorectify reads."""
    (left, first), (right, second) = map(_sensor, files)
    # from the left camera over the body to the right one
    rows = (np.linalg.inv(right) @ left).tolist()
    return "cam0:\n%scam1:\n%s  T_cn_cnm1:\n%s" % (
        first, second, "".join("  - %s\n" % row for row in rows))


def find_pairs(folder: str) -> List[Pair]:
    """The pairs of a dataset."""
    for find in (_euroc, _kitti, _middlebury):
        pairs = find(folder)
        if pairs:
            return pairs
    raise c.ArgumentError("%s is not a dataset of KITTI, Middlebury or EuRoC: expected one, or the "
                          "folders of both views" % folder)
