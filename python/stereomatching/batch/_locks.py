# gst-stereomatching: locks of files
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exclusive use of an open file, until it is closed or its process ends."""

import sys
from typing import Any

if sys.platform == "win32":
    import msvcrt

    # Windows lets no other process read what is locked: a byte that the file does not reach
    _PLACE = 2**31 - 2

    def lock(file: Any) -> None:
        """OSError if another process has it."""
        file.seek(_PLACE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(file: Any) -> None:
        """OSError if another process has it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
