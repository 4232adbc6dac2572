# gst-stereomatching: rendered pairs for the tests of the Python module
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pairs of views of squares before a wall, with what is right, and files of them."""

import os

import numpy as np

import png

HEIGHT, WIDTH = 60, 91
WALL, SQUARE = 4, 11
DISPARITIES = 24


def render(channels=3, seed=1):
    """left, right (uint8), and the disparities of left (float)."""
    chance = np.random.default_rng(seed)
    wall = chance.integers(0, 256, (HEIGHT, WIDTH + WALL, channels), np.uint8)
    square = chance.integers(0, 256, (24, 30, channels), np.uint8)
    left, right = wall[:, :WIDTH].copy(), wall[:, WALL:].copy()
    left[20:44, 40:70] = square
    right[20:44, 40 - SQUARE:70 - SQUARE] = square
    truth = np.full((HEIGHT, WIDTH), float(WALL))
    truth[20:44, 40:70] = SQUARE
    if channels == 1:
        left, right = left[:, :, 0], right[:, :, 0]
    return left, right, truth


def write_png(path, array):
    """uint8, grey or RGB."""
    png.write(path, array.shape[1], [row.tobytes() for row in array], color=array.ndim == 3)


def write_ppm(path, array):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % array.shape[1::-1] + array.tobytes())


def read_pgm(path):
    with open(path, "rb") as file:
        assert file.readline() == b"P5\n"
        width, height = map(int, file.readline().split())
        assert file.readline() == b"255\n"
        return np.frombuffer(file.read(), np.uint8).reshape(height, width)


def read_pfm(path):
    """float32; infinite where there is none."""
    with open(path, "rb") as file:
        assert file.readline() == b"Pf\n"
        width, height = map(int, file.readline().split())
        assert float(file.readline()) < 0
        return np.frombuffer(file.read(), "<f4").reshape(height, width)[::-1]


def write_scene(folder, left, right):
    """A folder for stereo-eval."""
    os.makedirs(folder)
    write_png(os.path.join(folder, "left.png"), left)
    write_png(os.path.join(folder, "right.png"), right)
    with open(os.path.join(folder, "scene.ini"), "w", encoding="utf-8") as file:
        file.write("[scene]\nndisp = %d\n" % DISPARITIES)
    return folder
