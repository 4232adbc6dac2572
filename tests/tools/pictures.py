# gst-stereomatching: images for tests, with the standard library only
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes and reads PNG, PGM, PPM and PFM files, and writes JPEG, without the tools' own code.

Images are lists of rows; a row is a list of samples, or of triples for RGB.
"""

import struct
import zlib

import png


def _samples(rows):
    for row in rows:
        yield [s for pixel in row for s in (pixel if isinstance(pixel, tuple) else (pixel,))]


def write_png(path, rows, depth=8):
    png.write(path, len(rows[0]),
              [struct.pack(">%dH" % len(row), *row) if depth == 16 else bytes(row)
               for row in _samples(rows)], depth=depth, color=isinstance(rows[0][0], tuple))


def _paeth(a, b, c):
    p = a + b - c
    distances = (abs(p - a), abs(p - b), abs(p - c))
    return (a, b, c)[distances.index(min(distances))]


def read_png(path):
    """Rows of a grey or RGB file of 8 or 16 bits that is not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    packed = b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    assert interlace == 0 and color in (0, 2)
    channels = 3 if color == 2 else 1
    step = channels * depth // 8
    stride = width * step
    raw = zlib.decompress(packed)
    previous = bytearray(stride)
    rows = []
    for y in range(height):
        method = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = line[i - step] if i >= step else 0
            corner = previous[i - step] if i >= step else 0
            add = (0, left, previous[i], (left + previous[i]) // 2,
                   _paeth(left, previous[i], corner))[method]
            line[i] = (line[i] + add) & 255
        previous = line
        values = struct.unpack(">%dH" % (stride // 2), line) if depth == 16 else list(line)
        if channels == 3:
            values = [tuple(values[3 * x:3 * x + 3]) for x in range(width)]
        rows.append(list(values))
    return rows


def write_pnm(path, rows, maximum=255, plain=False):
    color = isinstance(rows[0][0], tuple)
    kind = (3 if color else 2) + (0 if plain else 3)
    with open(path, "wb") as file:
        file.write(b"P%d\n%d %d\n%d\n" % (kind, len(rows[0]), len(rows), maximum))
        for row in _samples(rows):
            if plain:
                file.write((" ".join(map(str, row)) + "\n").encode())
            else:
                file.write(struct.pack(">%dH" % len(row), *row) if maximum > 255 else bytes(row))


def write_pfm(path, rows, little=True):
    with open(path, "wb") as file:
        file.write(b"Pf\n%d %d\n%s\n" % (len(rows[0]), len(rows), b"-1" if little else b"1"))
        for row in reversed(rows):
            file.write(struct.pack("%s%df" % ("<" if little else ">", len(row)), *row))


def read_pfm(path):
    """Rows of a grey file, little endian."""
    with open(path, "rb") as file:
        assert file.readline() == b"Pf\n"
        width, height = map(int, file.readline().split())
        assert float(file.readline()) < 0
        rows = [list(struct.unpack("<%df" % width, file.read(4 * width))) for _ in range(height)]
        assert file.read() == b""
    return rows[::-1]


def _bits_of_difference(value):
    """The Huffman code of its size in the standard table, then the value."""
    size = abs(value).bit_length()
    code = ("00", "010", "011", "100", "101", "110", "1110", "11110", "111110")[size]
    return code + (format(value if value > 0 else value + (1 << size) - 1, "0%db" % size)
                   if size else "")


def exif_of(orientation, order=">"):
    """The data of a segment of EXIF, whose second tag is the orientation."""
    return b"Exif\0\0" + {">": b"MM", "<": b"II"}[order] + struct.pack(
        order + "HLHHHLLHHLH2x", 42, 8, 2, 0x0100, 4, 1, 16, 0x0112, 3, 1, orientation)


def write_jpeg(path, rows, exif=None):
    """Writes grey samples, (Y, Cb, Cr) or other tuples; each 8x8 block has the colour of its first pixel.

    Baseline (ITU-T T.81) with DC coefficients only, which are exact with quantisation steps of 8.
    """
    def segment(marker, data):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data

    height, width = len(rows), len(rows[0])
    n = len(rows[0][0]) if isinstance(rows[0][0], tuple) else 1
    before, bits = [0] * n, ""
    for y in range(0, height, 8):
        for x in range(0, width, 8):
            pixel = rows[y][x] if n > 1 else (rows[y][x],)
            for i, sample in enumerate(pixel):
                # the only other code is the end of block
                bits += _bits_of_difference(sample - 128 - before[i]) + "0"
                before[i] = sample - 128
    bits += "1" * (-len(bits) % 8)
    scan = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(
        b"\xff", b"\xff\x00")
    components = b"".join(bytes([i + 1, 0x11, 0]) for i in range(n))
    with open(path, "wb") as file:
        file.write(
            b"\xff\xd8" + segment(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
            + (segment(0xe1, exif) if exif is not None else b"")
            + segment(0xdb, b"\0" + b"\x08" * 64)
            + segment(0xc0, struct.pack(">BHHB", 8, height, width, n) + components)
            + segment(0xc4, b"\0" + bytes([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
                      + bytes(range(12)))
            + segment(0xc4, b"\x10" + bytes([1] + 15 * [0]) + b"\0")
            + segment(0xda, bytes([n]) + b"".join(bytes([i + 1, 0]) for i in range(n))
                      + b"\0\x3f\0")
            + scan + b"\xff\xd9")
