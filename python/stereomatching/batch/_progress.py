# gst-stereomatching: progress of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A progress bar with pairs per second and the time left, on a terminal and with tqdm."""

from __future__ import annotations

import sys
from typing import Any


class Progress:
    """The bar on standard error."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._bar: Any = None

    def start(self, total: int, resumed: int) -> None:
        try:
            from tqdm import tqdm  # pylint: disable=import-outside-toplevel
        except ImportError:
            return
        if sys.stderr.isatty():
            self._bar = tqdm(total=total, initial=resumed, unit=self._unit, dynamic_ncols=True)

    def update(self) -> None:
        if self._bar is not None:
            self._bar.update()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
