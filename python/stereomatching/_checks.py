# gst-stereomatching: arguments and errors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks arguments, and turns the library's failures into exceptions."""

from __future__ import annotations

import functools
import inspect
import operator
import os
import re
import warnings
from typing import Any, FrozenSet, Iterator, Sequence

from . import _library as c

OPERATIONS = ("view", "depth", "points")

# Texts of the library in Python's terms. A view without channels is the only
# image of the module that cannot be an anaglyph.
_TERMS = (
    ("cannot be GRAY8: it has to be RGB", "needs a left view with 3 or 4 channels"),
    ("GRAY8 output", "dtype uint8"),
    ("GRAY16_LE output", "dtype uint16"),
    ("the scale can be at most", "disparity_scale can be at most"),
)


def shown(value: Any) -> str:
    """repr(), shortened to one line; a very long int has none."""
    try:
        text = " ".join(line.strip() for line in repr(value).split("\n"))
    except ValueError:
        text = "a very large %s" % type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."


def encoded(value: str, what: str) -> bytes:
    """The text for the library, in which a NUL would end it."""
    try:
        text = value.encode()
    except (AttributeError, UnicodeEncodeError):
        text = b"\0"
    if b"\0" in text:
        raise c.ArgumentError("%s = %s: expected Unicode text without NUL" % (what, shown(value)))
    return text


def path_of(value: Any, what: str) -> str:
    """The name of a file; an int would be an open file."""
    try:
        path = os.fsdecode(value)
    except TypeError:
        raise c.ArgumentError("%s = %s: expected the name of a file" %
                              (what, shown(value))) from None
    if "\0" in path:
        raise c.ArgumentError("%s = %s: expected the name of a file without NUL" %
                              (what, shown(value)))
    return path


def whole(value: Any, what: str, least: int, most: int, note: str = "") -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise c.ArgumentError("%s = %s: expected a whole number from %d to %d%s" % (
            what, shown(value), least, most, note))
    return number


def number(value: Any, what: str, wanted: str = "a number") -> float:
    try:
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise c.ArgumentError("%s = %s: expected %s" % (what, shown(value), wanted)) from None


def within(value: Any, what: str, least: float, most: float) -> float:
    given = number(value, what)
    if not least <= given <= most:
        raise c.ArgumentError("%s = %s: expected %g to %g" % (what, shown(value), least, most))
    return given


def iterator_of(pairs: Any) -> Iterator[Any]:
    """Their iterator."""
    try:
        return iter(pairs)
    except TypeError:
        raise c.ArgumentError("pairs = %s: expected a list or a generator of pairs" %
                              shown(pairs)) from None


def one_of(value: Any, what: str, names: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in names:
        raise c.ArgumentError("%s = %s: expected one of %s" % (what, shown(value),
                                                               ", ".join(names)))
    return value


def _specs() -> Iterator[Any]:
    for algorithm in c.all_of(c.lib.stereo_algorithm_get):
        yield from c.all_of(functools.partial(c.lib.stereo_algorithm_param, algorithm))
    for name in OPERATIONS:
        yield from c.all_of(functools.partial(c.lib.stereo_operation_param, name.encode()))


@functools.lru_cache(maxsize=None)
def _dashed_names() -> FrozenSet[str]:
    names = (spec.contents.name.decode() for spec in _specs())
    return frozenset(name for name in names if "-" in name)


def _as_keyword(match: "re.Match[str]") -> str:
    word = match.group()
    return word.replace("-", "_") if word in _dashed_names() else word


def in_terms_of_python(text: str) -> str:
    for there, here in _TERMS:
        text = text.replace(there, here)
    return re.sub(r"[a-z0-9]+(-[a-z0-9]+)+", _as_keyword, text)


def warn(text: str) -> None:
    """Warns at the line that called the module."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def check(status: int, text: bytes, what: str) -> None:
    """Raises an exception unless the status is OK."""
    if status == c.OK:
        return
    # a long message may end within a character
    words = text.decode(errors="ignore") or "%s: %s" % (
        what, c.lib.stereo_status_name(status).decode())
    raise (c.ArgumentError if status == c.ERROR_ARGUMENT else c.Error)(in_terms_of_python(words))
