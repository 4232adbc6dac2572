# gst-stereomatching: the end of objects that belong to a process
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frees what an object has outside of Python."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Callable


class Unique:
    """An object without copies, which would use what the first one to end frees."""

    def __reduce__(self) -> Any:
        name = type(self).__name__
        raise TypeError("cannot copy or pickle %s: make another %s" % (name, name))


def finalize(owner: Any, lock: threading.Lock, function: Callable[..., Any],
             *arguments: Any) -> None:
    """Calls a function when the owner is garbage, or at exit.

    The lock is held during every call of the owner. A daemon thread may be in one
    at exit: the function waits for its end, and the lock is never released, so that
    the thread starts no other one.
    """
    weakref.finalize(owner, _end, lock, os.getpid(), function, arguments)


def _end(lock: threading.Lock, process: int, function: Callable[..., Any], arguments: Any) -> None:
    if os.getpid() != process:
        # A forked child may have inherited a locked lock, and lacks the threads of
        # its parent. What the parent allocated is never freed there.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(arguments))
        return
    lock.acquire()  # pylint: disable=consider-using-with
    function(*arguments)
