# gst-stereomatching: properties, as the library's tables have them
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can be set, and setting it."""

from __future__ import annotations

import ctypes
import difflib
import numbers
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple, Union

from . import _library as c

Value = Union[bool, int, float, str]


@dataclass(frozen=True)
class Property:
    """One property of an algorithm or an operation."""

    name: str
    """As a keyword: ``num_disparities``."""
    kind: type
    """bool, int, float, or str for one of ``values``."""
    default: Value
    minimum: Optional[float]
    """The smallest value; None unless it is a number."""
    maximum: Optional[float]
    values: Tuple[str, ...]
    """What a str can be."""
    description: str
    """What it does, with its unit."""


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
    found: Dict[str, Property] = {}
    while True:
        spec = get(len(found))
        if not spec:
            return found
        row = _property(spec.contents, initial(spec))
        found[row.name] = row


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
    """Sets it through stereo_params_set() or stereo_operation_set(), or those of texts."""
    why = c.Message()
    dashed = name.replace("_", "-").encode()
    if isinstance(value, str):
        status = set_text(handle, dashed, value.encode(), ctypes.byref(why))
    elif isinstance(value, (numbers.Real,)) or hasattr(value, "__float__"):
        status = set_number(handle, dashed, float(value), ctypes.byref(why))
    else:
        raise c.ArgumentError("%s = %r: it takes a number, a bool or a str" % (name, value))
    c.check(status, why.text, name)
