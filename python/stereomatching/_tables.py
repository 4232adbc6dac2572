# gst-stereomatching: tables of properties
# SPDX-License-Identifier: LGPL-2.1-or-later
"""properties() and the tables behind it."""

from __future__ import annotations

import functools
from typing import Dict

from . import _library as c
from ._checks import OPERATIONS, one_of
from ._properties import Property, of_algorithm, of_operation


def algorithm_names() -> Dict[str, str]:
    """Names and titles."""
    return {c.lib.stereo_algorithm_name(algorithm).decode():
            c.lib.stereo_algorithm_title(algorithm).decode()
            for algorithm in c.all_of(c.lib.stereo_algorithm_get)}


def find_algorithm(name: str) -> int:
    return c.lib.stereo_algorithm_find(one_of(name, "algorithm", list(algorithm_names())).encode())


@functools.lru_cache(maxsize=None)
def table(name: str) -> Dict[str, Property]:
    """The properties of an algorithm or an operation."""
    if name in OPERATIONS:
        return of_operation(name)
    return of_algorithm(find_algorithm(name))


def properties(name: str) -> Dict[str, Property]:
    """Properties of an algorithm, or of ``"view"``, ``"depth"`` or ``"points"``.

    Returned by name, in the order of the library. An algorithm has the properties
    of its element, with underscores instead of dashes.
    """
    return dict(table(one_of(name, "name", list(algorithm_names()) + list(OPERATIONS))))
