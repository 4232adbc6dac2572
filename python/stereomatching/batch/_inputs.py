# gst-stereomatching: the pairs of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds pairs of images: in folders, by globs and printf patterns, and in lists.

The images of two sources are paired by a key: the path within a folder, the text that the
wildcards of a glob match, or the number in a printf pattern.
"""

from __future__ import annotations

import csv
import glob
import json
import os
import re
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from .. import _library as c
from .._checks import path_of, shown
from .._maps import Camera
from ._images import SUFFIXES

LISTS = (".csv", ".jsonl")
_WILDCARDS = re.compile(r"\*\*/|\*|\?|\[[^]]+\]")
_PRINTF = re.compile(r"%(0?)(\d*)d")


@dataclass(frozen=True)
class Pair:
    """The files of two views. One of them is None if it has no partner."""

    name: str
    """Of its results: a relative path without a suffix."""
    left: Optional[str]
    right: Optional[str]
    camera: Optional[Camera] = None
    """The camera, if the images are rectified and it is known."""
    calibration: Tuple[str, ...] = ()
    """Calibration files that rectify the pair."""
    camera_size: Optional[Tuple[int, ...]] = None
    """Width and height of the images that the camera is for; None = any."""
    disparities: Optional[int] = None
    """The number of disparities that a dataset names."""

    def extent(self) -> Dict[str, Any]:
        """Fields of the manifest."""
        return {} if self.camera is None else {"camera": asdict(self.camera)}


def absolute(value: Any, what: str) -> str:
    """The absolute path of a file or folder; an empty one would be the current folder."""
    path = path_of(value, what)
    if not path:
        raise c.ArgumentError("%s = %s: expected the name of a file or folder" % (
            what, shown(value)))
    return os.path.abspath(path)


def require_two(left: str, right: str) -> None:
    """Refuses the same source for both views."""
    if os.path.realpath(left) == os.path.realpath(right):
        raise c.ArgumentError("left and right are both %s: expected one source for each view" %
                              left)


def not_a_source(path: str) -> c.ArgumentError:
    """The error for what is neither a file nor a folder."""
    return c.ArgumentError(("%s is not a regular file: expected a file or a folder"
                            if os.path.exists(path) else "%s does not exist") % path)


def stem(path: str) -> str:
    return os.path.splitext(path)[0].replace(os.sep, "/")


def images_in(folder: str) -> Dict[str, str]:
    """The images of a folder and its subfolders, by their paths without suffixes."""
    found: Dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                path = os.path.join(place, name)
                _add(found, stem(os.path.relpath(path, folder)), path)
    return found


def _add(found: Dict[str, str], key: str, path: str) -> None:
    if key in found:
        raise c.ArgumentError("%s and %s have the same name, '%s': expected one image of each" % (
            found[key], path, key))
    found[key] = path


def _by_pattern(paths: Iterable[str], pattern: str) -> Dict[str, str]:
    """The paths by the groups of a regular expression."""
    found: Dict[str, str] = {}
    for path in sorted(paths):
        match = re.fullmatch(pattern, path)
        if match:
            _add(found, "-".join(filter(None, match.groups())), path)
    return found


def _escaped(text: str, wildcards: "re.Pattern[str]", replace: Any) -> str:
    """A regular expression of a text with wildcards."""
    out, position = "", 0
    for match in wildcards.finditer(text):
        out += re.escape(text[position:match.start()]) + replace(match)
        position = match.end()
    return out + re.escape(text[position:])


def _from_glob(text: str) -> Dict[str, str]:
    groups = {"**/": "(.*/)?", "*": "([^/]*)", "?": "([^/])"}
    pattern = _escaped(text, _WILDCARDS, lambda match: groups.get(
        match.group(), "(%s)" % match.group().replace("[!", "[^")))
    found = _by_pattern(glob.glob(text, recursive=True), pattern)
    return {key.replace("/-", "/"): path for key, path in found.items()}


def _from_printf(text: str) -> Dict[str, str]:
    folder, name = os.path.split(text)
    if _PRINTF.search(folder):
        raise c.ArgumentError("%s: expected the number in the name of the file" % text)
    pattern = re.escape(os.path.join(folder, "")) + _escaped(
        name, _PRINTF, lambda match: r"(\d{%s,})" % (match.group(2) or 1))
    try:
        names = os.listdir(folder or ".")
    except OSError as error:
        raise c.ArgumentError("cannot read %s: %s" % (folder, error.strerror)) from None
    return _by_pattern((os.path.join(folder, one) for one in names), pattern)


def is_list(source: str) -> bool:
    return source.lower().endswith(LISTS)


def _is_printf(source: str) -> bool:
    return _PRINTF.search(source) is not None and not os.path.exists(source)


def find_images(source: str) -> Dict[str, str]:
    """The images of a folder, a glob, a printf pattern or a file, by their keys."""
    if os.path.isdir(source):
        found = images_in(source)
    elif _is_printf(source):
        found = _from_printf(source)
    elif _WILDCARDS.search(source) and not os.path.exists(source):
        found = _from_glob(source)
    elif os.path.isfile(source):
        found = {stem(os.path.basename(source)): source}
    else:
        raise not_a_source(source)
    if not found:
        raise c.ArgumentError("%s: there are no images (%s)" % (source, ", ".join(SUFFIXES)))
    return found


def _by_number(found: Dict[str, str]) -> Dict[str, str]:
    """By the last number of each key, as left_007 and right_007 have in common."""
    numbered: Dict[str, str] = {}
    for key, path in found.items():
        digits = re.findall(r"\d+", key)
        if digits:
            _add(numbered, digits[-1], path)
    return numbered


def _without_zeros(key: str) -> str:
    """The numbers of a key without leading zeros."""
    return re.sub(r"\b0+(?=\d)", "", key)


def _by_numbers_of(lefts: Dict[str, str], rights: Dict[str, str]) -> Dict[str, str]:
    """The right images by the keys of the left ones, which may have other leading zeros."""
    keys = {_without_zeros(key): key for key in lefts}
    found: Dict[str, str] = {}
    for key, path in rights.items():
        _add(found, key if key in lefts else keys.get(_without_zeros(key), key), path)
    return found


def pair_up(left: str, right: str) -> List[Pair]:
    """The pairs of two sources, and the unpaired images."""
    require_two(left, right)
    lefts, rights = find_images(left), find_images(right)
    if os.path.isfile(left) and os.path.isfile(right):
        (key, path), = lefts.items()
        return [Pair(key, path, next(iter(rights.values())))]
    if _is_printf(left) and _is_printf(right):
        rights = _by_numbers_of(lefts, rights)
    if not lefts.keys() & rights.keys():
        lefts = _by_number(lefts)
        rights = _by_numbers_of(lefts, _by_number(rights))
    if not lefts.keys() & rights.keys():
        raise c.ArgumentError("%s and %s have no name or number in common: expected one for the "
                              "two images of a pair, or a list of pairs" % (left, right))
    return [Pair(key, lefts.get(key), rights.get(key))
            for key in sorted(lefts.keys() | rights.keys())]


# ---------------------------------------------------------------------- lists

def _read_list(path: str) -> List[str]:
    """The lines of a list, in UTF-8; names of files may be any bytes."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            return file.readlines()
    except OSError as error:
        raise c.ArgumentError("cannot read %s: %s" % (path, error.strerror)) from None


def _csv_rows(path: str) -> Iterable[Dict[str, Any]]:
    try:
        rows = [row for row in csv.reader(_read_list(path), skipinitialspace=True) if row]
    except csv.Error as error:
        raise c.ArgumentError("%s: %s" % (path, error)) from None
    columns = ["left", "right", "name"]
    if rows and {"left", "right"} <= set(rows[0]):
        columns = rows.pop(0)
    for row in rows:
        yield dict(zip(columns, row))


def _json_rows(path: str) -> Iterable[Dict[str, Any]]:
    for number, line in enumerate(_read_list(path), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise c.ArgumentError("%s:%d: %s" % (path, number, error)) from None


def _require_row(row: Any, place: str) -> None:
    if not isinstance(row, dict) or not row.get("left") or not row.get("right"):
        raise c.ArgumentError("%s has no left or no right: expected both" % place)
    for key in ("left", "right", "name"):
        if not isinstance(row.get(key) or "", str):
            raise c.ArgumentError("%s: %s = %s: expected a text" % (place, key, shown(row[key])))


def from_list(path: str) -> List[Pair]:
    """The pairs of a CSV file or of JSON lines: left, right and, optionally, name.

    Paths are relative to the list.
    """
    folder = os.path.dirname(path)
    rows = _csv_rows(path) if path.lower().endswith(".csv") else _json_rows(path)
    pairs = []
    for number, row in enumerate(rows, 1):
        _require_row(row, "%s: row %d" % (path, number))
        parts = [part for part in stem(row["left"]).split("/") if part not in ("", ".", "..")]
        pairs.append(Pair(row.get("name") or "/".join(parts), os.path.join(folder, row["left"]),
                          os.path.join(folder, row["right"])))
    return pairs


def require_fields(pair: Pair, what: str, views: Tuple[type, ...]) -> None:
    """Raises an ArgumentError unless the fields have their types.

    :param views: those of left and right.
    """
    texts = isinstance(pair.calibration, (tuple, list)) and all(
        isinstance(path, str) for path in pair.calibration)
    for name, good, wanted in (
            ("name", isinstance(pair.name, str), "a text"),
            ("left", isinstance(pair.left, views + (type(None),)), "the name of a file"),
            ("right", isinstance(pair.right, views + (type(None),)), "the name of a file"),
            ("camera", isinstance(pair.camera, (Camera, type(None))), "a Camera, or None"),
            ("calibration", texts, "a tuple of names of files"),
            ("camera_size", isinstance(pair.camera_size, (tuple, type(None))),
             "width and height, or None"),
            ("disparities", isinstance(pair.disparities, (int, type(None))), "a number, or None")):
        if not good:
            raise c.ArgumentError("%s.%s = %s: expected %s" % (
                what, name, shown(getattr(pair, name)), wanted))


def require_names(pairs: Sequence[Any]) -> None:
    """Each pair or segment has its own name, which stays in the folder of the results."""
    seen = set()
    for pair in pairs:
        if pair.name in seen:
            raise c.ArgumentError("two pairs have the name '%s': expected another name for each" %
                                  pair.name)
        if os.path.isabs(pair.name) or ".." in pair.name.split("/") or "\0" in pair.name:
            raise c.ArgumentError("the name '%s' leads out of the folder of results" % pair.name)
        try:
            os.fsencode(pair.name)
        except UnicodeEncodeError as error:
            raise c.ArgumentError("the name %s cannot be that of a file in %s: expected another "
                                  "name, or a locale of UTF-8" % (
                                      ascii(pair.name), error.encoding)) from None
        seen.add(pair.name)
