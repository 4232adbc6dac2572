# gst-stereomatching: the manifest of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""manifest.jsonl: one line of JSON for each input.

Only the process that runs the batch writes it, a line at a time and after the results of the line
are in their places. A run that is killed leaves complete lines, and possibly the beginning of one
more. At the end, the lines are put into the order of the inputs.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, Optional, Tuple

from .. import _library as c
from .._writing import discard, part_of
from ._locks import lock
from ._outputs import StoreError

NAME = "manifest.jsonl"

Record = Dict[str, Any]


class Manifest:
    """The records of a folder, by name. Only their places in the file are in memory."""

    def __init__(self, folder: str, resume: bool = True) -> None:
        self.path = os.path.join(folder, NAME)
        self._places: Dict[str, Tuple[int, int]] = {}
        try:
            os.makedirs(folder, exist_ok=True)
            # pylint: disable=consider-using-with
            self._file = open(self.path, "a+b", buffering=0)
        except OSError as error:
            raise c.ArgumentError("cannot write %s: %s" % (self.path, error.strerror)) from None
        try:
            lock(self._file)
        except OSError:
            self._file.close()
            raise c.ArgumentError("%s is in use: another run writes to this folder" % (
                self.path)) from None
        if not resume:
            self._file.truncate(0)
        self._end = self._read()

    def _read(self) -> int:
        """Finds the records; returns where they end."""
        self._file.seek(0)
        end = 0
        with open(os.dup(self._file.fileno()), "rb") as file:
            for line in file:
                try:
                    name = json.loads(line)["name"]
                except (ValueError, KeyError, TypeError):
                    name = None
                if not line.endswith(b"\n"):
                    break
                if isinstance(name, str):
                    self._places[name] = (end, len(line))
                end += len(line)
        self._file.truncate(end)
        return end

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def _line(self, name: str) -> bytes:
        start, length = self._places[name]
        self._file.seek(start)
        return self._file.read(length)

    def get(self, name: str) -> Optional[Record]:
        return json.loads(self._line(name)) if name in self._places else None

    def add(self, record: Record) -> None:
        """Appends a record; it replaces an earlier one of its name."""
        line = json.dumps(record).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise OSError(28, "No space left on device")
        except OSError as error:
            self._file.truncate(self._end)
            raise StoreError("cannot write %s: %s" % (self.path, error.strerror)) from error
        self._places[record["name"]] = (self._end, len(line))
        self._end += len(line)

    def finish(self, names: Iterable[str]) -> None:
        """Keeps the records of these names, in their order, once each."""
        part = part_of(self.path)
        try:
            with open(part, "wb") as file:
                for name in names:
                    if name in self._places:
                        file.write(self._line(name))
            if os.name == "nt":
                # Windows replaces no open file; elsewhere the lock lasts until then
                self._file.close()
            os.replace(part, self.path)
        except OSError as error:
            discard(part)
            raise StoreError("cannot write %s: %s" % (self.path, error.strerror)) from error

    def close(self) -> None:
        self._file.close()
