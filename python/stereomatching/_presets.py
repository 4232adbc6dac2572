# gst-stereomatching: presets of the algorithms
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the presets of the elements.

They are in this package or, in the source tree, in gst/presets.
"""

from __future__ import annotations

import configparser
import functools
import os
from typing import Dict

from ._checks import one_of
from ._tables import algorithm_names

_HERE = os.path.dirname(os.path.abspath(__file__))
_FOLDERS = (os.path.join(_HERE, "presets"),
            os.path.join(_HERE, "..", "..", "gst", "presets"))
_COMMENT = "_meta/comment"


@functools.lru_cache(maxsize=None)
def _read(algorithm: str) -> Dict[str, Dict[str, str]]:
    parser = configparser.ConfigParser(delimiters="=", comment_prefixes="#", interpolation=None)
    parser.read([os.path.join(folder, "GstStereo%s.prs" % algorithm.capitalize())
                 for folder in _FOLDERS], encoding="utf-8")
    return {name: dict(parser[name]) for name in parser.sections() if name != "_presets_"}


def presets(algorithm: str = "sgm") -> Dict[str, str]:
    """The presets of an algorithm: their names and descriptions."""
    one_of(algorithm, "algorithm", list(algorithm_names()))
    return {name: values.get(_COMMENT, "") for name, values in _read(algorithm).items()}


def values_of(algorithm: str, preset: str) -> Dict[str, str]:
    """The properties that a preset sets."""
    one_of(preset, "preset", list(presets(algorithm)))
    return {name.replace("-", "_"): value for name, value in _read(algorithm)[preset].items()
            if name != _COMMENT}
