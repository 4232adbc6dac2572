# gst-stereomatching: files and output that are complete
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writing that never leaves half of a file, and reports an output that is full."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from typing import Union

PART = ".part"


def part_of(path: str) -> str:
    """A name beside a file, which nothing else uses."""
    folder, name = os.path.split(path)
    return os.path.join(folder, ".%s.%s%s" % (name, uuid.uuid4().hex, PART))


def discard(path: str) -> None:
    """Removes a file if it exists."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def replace_file(path: str, data: bytes) -> None:
    """Creates or replaces a file. If this fails, an earlier file stays."""
    part = part_of(path)
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        discard(part)
        raise


def write_file(path: Union[str, "os.PathLike[str]"], data: bytes) -> None:
    """replace_file() for a path given by a user, which an OSError names: follows symbolic links,
    and writes to a device or pipe.
    """
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                file.write(data)
        else:
            replace_file(target, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


class OutputError(Exception):
    """Standard output cannot be written."""


def write_output(text: str) -> None:
    """Prints a text to standard output."""
    try:
        print(text, flush=True)
    except OSError as error:
        # what is still buffered would fail again when the program ends
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputError("cannot write the output: %s" % error.strerror) from None
