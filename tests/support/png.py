# gst-stereomatching: PNG files for tests
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes PNG files without the code that the tests are about."""

import struct
import zlib


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write(path, width, rows, *, depth=8, color=True):
    """Grey or RGB; a row has the bytes of its samples, in big-endian order."""
    header = struct.pack(">IIBBBBB", width, len(rows), depth, 2 if color else 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header)
                   + _chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
                   + _chunk(b"IEND", b""))
