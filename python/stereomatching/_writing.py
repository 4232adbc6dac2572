# gst-stereomatching: files and output that are complete
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writing that never leaves half of a file, and reports an output that is full."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Union


def write_file(path: Union[str, "os.PathLike[str]"], data: bytes) -> None:
    """Creates or replaces a file. If this fails with an OSError, which names the file, an earlier
    file stays.

    A device or pipe is written to, not replaced.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(data)
        return
    part = "%s.%d.tmp" % (target, os.getpid())
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


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
