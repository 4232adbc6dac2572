# gst-stereomatching: properties from the parameter tables of the library
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Descriptions of properties, and setting them."""

from __future__ import annotations

import ctypes
import difflib
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple, Union

from . import _library as c
from ._checks import check, encoded, number

Value = Union[bool, int, float, str]


@dataclass(frozen=True)
class Property:
    """One property of an algorithm or an operation."""

    name: str
    """As a keyword argument: ``num_disparities``."""
    kind: type
    """bool, int, float, or str (one of ``values``)."""
    default: Value
    minimum: Optional[float]
    """Smallest value of a number, otherwise None."""
    maximum: Optional[float]
    values: Tuple[str, ...]
    """Values of a str."""
    description: str
    """Description, with the unit."""


def _property(spec: Any, initial: float) -> Property:
    kind = {c.BOOL: bool, c.INT: int, c.UINT: int, c.DOUBLE: float, c.ENUM: str}[spec.type]
    values: Tuple[str, ...] = ()
    if kind is str:
        values = tuple(spec.values[i].nick.decode() for i in range(int(spec.maximum) + 1))
    number = kind in (int, float)
    return Property(
        name=spec.name.decode().replace("-", "_"),
        kind=kind,
        default=values[int(initial)] if values else kind(initial),
        minimum=kind(spec.minimum) if number else None,
        maximum=kind(spec.maximum) if number else None,
        values=values,
        description=spec.blurb.decode())


def _read(get: Callable[[int], Any], initial: Callable[[Any], float]) -> Dict[str, Property]:
    rows = (_property(spec.contents, initial(spec)) for spec in c.all_of(get))
    return {row.name: row for row in rows}


def of_algorithm(algorithm: int) -> Dict[str, Property]:
    return _read(lambda i: c.lib.stereo_algorithm_param(algorithm, i),
                 lambda spec: c.lib.stereo_algorithm_param_initial(algorithm, spec))


def of_operation(name: str) -> Dict[str, Property]:
    return _read(lambda i: c.lib.stereo_operation_param(name.encode(), i),
                 lambda spec: spec.contents.initial)


def require_known(owner: str, table: Dict[str, Property], name: str) -> None:
    if name in table:
        return
    near = difflib.get_close_matches(name, table, n=1)
    hint = "did you mean %s? It" % near[0] if near else "it"
    raise c.ArgumentError("%s has no property '%s'; %s has %s" % (
        owner, name, hint, ", ".join(table)))


def set_one(set_number: Any, set_text: Any, handle: Any, name: str, value: Any) -> None:
    """Sets a property as a number or as text, with the given functions of the library."""
    why = c.Message()
    dashed = name.replace("_", "-").encode()
    if isinstance(value, str):
        status = set_text(handle, dashed, encoded(value, name), ctypes.byref(why))
    else:
        status = set_number(handle, dashed, number(value, name, "a number, a bool or a str"),
                            ctypes.byref(why))
    check(status, why.text, name)
