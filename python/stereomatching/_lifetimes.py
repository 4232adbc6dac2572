# gst-stereomatching: the end of objects that belong to a process
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frees what an object has outside of Python."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Callable, Optional

from . import _library as c


class Unique:
    """An object without copies, which would use what the first one to end frees."""

    def __reduce__(self) -> Any:
        name = type(self).__name__
        raise TypeError("cannot copy or pickle %s: make another %s" % (name, name))


class Lifetime:
    """Lets one call of an object run at a time, and frees what the object has.

    That happens when the owner is garbage, or at exit, when a daemon thread may be in
    a call: the function waits for its end. The lock is never released again, so that
    the thread starts no other call.
    """

    def __init__(self, owner: Any, function: Callable[..., Any], *arguments: Any) -> None:
        self._lock = threading.Lock()
        self._name = type(owner).__name__
        self._freed_by: Optional[int] = None
        self._interrupted = False
        _all.add(self)
        weakref.finalize(owner, self._end, os.getpid(), function, arguments)

    def lock(self) -> threading.Lock:
        """The lock, to be held during a call of the owner."""
        if self._freed_by == threading.get_ident():
            raise c.Error("cannot use the %s: it was freed, as garbage or at Python's exit" %
                          self._name)
        if self._interrupted:
            raise c.Error("cannot use the %s: a thread of the parent process was using it when this "
                          "process was forked; create another %s" % (self._name, self._name))
        return self._lock

    def mark_interrupted(self) -> None:
        """In a forked child, where no thread ends the call that its parent is in."""
        self._interrupted |= self._lock.locked()

    def _end(self, process: int, function: Callable[..., Any], arguments: Any) -> None:
        if os.getpid() != process:
            # A forked child may have inherited a locked lock, and lacks the threads of
            # its parent. What the parent allocated is never freed there.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(arguments))
            return
        self._lock.acquire()  # pylint: disable=consider-using-with
        self._freed_by = threading.get_ident()
        function(*arguments)


_all: "weakref.WeakSet[Lifetime]" = weakref.WeakSet()


def _after_fork() -> None:
    for lifetime in list(_all):
        lifetime.mark_interrupted()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
