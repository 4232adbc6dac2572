# gst-stereomatching: the tables of properties by name
# SPDX-License-Identifier: LGPL-2.1-or-later
"""properties(), for people and programs."""

from __future__ import annotations

import functools
from typing import Dict

from . import _library as c
from ._properties import Property, of_algorithm, of_operation

OPERATIONS = ("view", "depth", "points")


def algorithm_names() -> Dict[str, str]:
    found: Dict[str, str] = {}
    while True:
        algorithm = c.lib.stereo_algorithm_get(len(found))
        if not algorithm:
            return found
        name = c.lib.stereo_algorithm_name(algorithm).decode()
        found[name] = c.lib.stereo_algorithm_title(algorithm).decode()


def find_algorithm(name: str) -> int:
    algorithm = c.lib.stereo_algorithm_find(str(name).encode())
    if not algorithm:
        raise c.ArgumentError("there is no algorithm '%s': it is one of %s" % (
            name, ", ".join(algorithm_names())))
    return algorithm


@functools.lru_cache(maxsize=None)
def table(name: str) -> Dict[str, Property]:
    if name in OPERATIONS:
        return of_operation(name)
    return of_algorithm(find_algorithm(name))


def properties(name: str) -> Dict[str, Property]:
    """What can be set of an algorithm, or of ``"view"``, ``"depth"`` or ``"points"``.

    By name, in the order of the library. Those of an algorithm are the
    properties of its element, with underscores for dashes.
    """
    return dict(table(name))
