# gst-stereomatching: views for tests in Python
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Views with known disparities."""

import struct


def texture(width, height, shift):
    """A PPM image of a random texture, moved to the left by shift pixels."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            n = ((x + shift) * 2654435761 ^ y * 40503 * 65537) & 0xffffffff
            pixels += struct.pack(">I", n * 2246822519 & 0xffffffff)[:3]
    return b"P6 %d %d 255\n" % (width, height) + bytes(pixels)
