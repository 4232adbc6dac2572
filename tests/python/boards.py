# gst-stereomatching: rendered calibration boards
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of a flat board, as two known cameras take them.

Every pixel is the mean of nine rays, each of which is intersected with the plane of the board. No
projection of OpenCV or of stereo-calibrate is used; markers, which are only bits, are OpenCV's.
"""

import numpy as np

SAMPLES = 3                     # per side of a pixel
BACKGROUND, WHITE, BLACK = 110, 225, 30


def rotation(x, y, z):
    """About the axes x, y and z, in this order, in radians."""
    (a, b, c), (d, e, f) = np.cos([x, y, z]), np.sin([x, y, z])
    about_x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    about_y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    about_z = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


class Lens:
    """Focal lengths, principal point and coefficients, and the ray of each sample."""

    def __init__(self, size, focal, centre, k, fisheye=False):
        self.size, self.focal, self.centre, self.k, self.fisheye = size, focal, centre, k, fisheye
        columns, rows = ((np.arange(n * SAMPLES) + 0.5) / SAMPLES - 0.5 for n in size)
        x, y = np.meshgrid((columns - centre[0]) / focal[0], (rows - centre[1]) / focal[1])
        self.rays = self._fisheye_rays(x, y) if fisheye else self._brown_rays(x, y)

    def _fisheye_rays(self, x, y):
        """By a table of angles."""
        angles = np.linspace(0, np.pi / 2, 20001)
        radii = angles * (1 + sum(k * angles ** (2 * i + 2) for i, k in enumerate(self.k)))
        radius = np.hypot(x, y)
        angle = np.interp(radius, radii, angles)
        scale = np.sin(angle) / np.maximum(radius, 1e-9)
        return np.stack([x * scale, y * scale, np.cos(angle)], 2)

    def _brown_rays(self, x0, y0):
        """By fixed-point iteration."""
        k1, k2, p1, p2, k3 = self.k
        x, y = x0, y0
        for _ in range(60):
            r = x ** 2 + y ** 2
            c = 1 + k1 * r + k2 * r ** 2 + k3 * r ** 3
            x, y = ((x0 - 2 * p1 * x * y - p2 * (r + 2 * x ** 2)) / c,
                    (y0 - p1 * (r + 2 * y ** 2) - 2 * p2 * x * y) / c)
        return np.stack([x, y, np.ones_like(x)], 2)

    def take(self, board, turn, place):
        """A board whose points X are at turn X + place, uint8."""
        # the ray t d with turn' (t d - place) in the plane z = 0
        origin = -turn.T @ place
        directions = self.rays @ turn
        with np.errstate(all="ignore"):
            t = -origin[2] / directions[..., 2]
            x, y = (origin[i] + t * directions[..., i] for i in range(2))
        seen = np.isfinite(t) & (t > 0)
        values = np.where(seen, board(np.where(seen, x, 1e3), np.where(seen, y, 1e3)), BACKGROUND)
        width, height = self.size
        return values.reshape(height, SAMPLES, width, SAMPLES).mean(axis=(1, 3))


class Rig:
    """A stereo camera."""

    def __init__(self, lenses, turn, moved):
        self.lenses, self.turn, self.moved = lenses, turn, np.array(moved)

    def pair(self, board, turn, place, chance, noise=1.0):
        """Both views of a board, with noise of this deviation."""
        views = [self.lenses[0].take(board, turn, place),
                 self.lenses[1].take(board, self.turn @ turn, self.turn @ place + self.moved)]
        return [np.clip(view + chance.normal(0, noise, view.shape) + 0.5, 0, 255).astype(np.uint8)
                for view in views]


def rig(size=(480, 360), fisheye=False):
    """A strongly distorted camera of 80 mm, whose right one is turned by a few degrees."""
    lenses = []
    for view in range(2):
        centre = (size[0] / 2 + 4 - 9 * view, size[1] / 2 - 3 + 5 * view)
        if fisheye:
            focal = (0.34 * size[0], 0.34 * size[0] * (1.002 - 0.003 * view))
            k = (0.02 - 0.01 * view, -0.01, 0.004, 0.0)
        else:
            focal = (0.82 * size[0] + 3 * view, 0.825 * size[0])
            k = (-0.28 + 0.02 * view, 0.08, 0.001, -0.0008 + 0.0004 * view, 0.0)
        lenses.append(Lens(size, focal, centre, k, fisheye))
    return Rig(lenses, rotation(0.01, -0.02, 0.015), [-0.08, 0.002, -0.001])


def poses(count, centre, chance, fisheye=False):
    """Rotations and positions of a board with this centre, over the field of view."""
    for number in range(count):
        tilt = np.radians(30) * chance.uniform(-1, 1, 2)
        turn = rotation(*tilt, 0.3 * chance.uniform(-1, 1))
        distance = chance.uniform(0.33, 0.5) * (0.6 if fisheye else 1)
        reach = (0.8, 0.6) if fisheye else (0.22, 0.17)
        at = np.array([reach[0] * (number % 3 - 1), reach[1] * (number // 3 % 3 - 1), 1.0])
        at[0] += 0.08                                   # half of the baseline at half a metre
        yield turn, at / np.linalg.norm(at) * distance - turn @ centre


# --------------------------------------------------------------------- boards

def chessboard(columns, rows, square):
    """Inner corners; the first is at the origin."""
    def value(x, y):
        i, j = np.floor(x / square), np.floor(y / square)
        inside = (i >= -1) & (i < columns) & (j >= -1) & (j < rows)
        paper = (i >= -2) & (i <= columns) & (j >= -2) & (j <= rows)
        return np.where(inside & ((i + j) % 2 == 0), BLACK, np.where(paper, WHITE, BACKGROUND))
    return value, np.array([(columns - 1) / 2 * square, (rows - 1) / 2 * square, 0])


def picture(texture, pixel):
    """An image, 0 to 255, with this size of a pixel, on paper."""
    height, width = texture.shape

    def value(x, y):
        i, j = np.floor(x / pixel).astype(int), np.floor(y / pixel).astype(int)
        inside = (i >= 0) & (i < width) & (j >= 0) & (j < height)
        margin = width // 12
        paper = (i >= -margin) & (i < width + margin) & (j >= -margin) & (j < height + margin)
        bits = texture[np.clip(j, 0, height - 1), np.clip(i, 0, width - 1)] > 127
        return np.where(inside, np.where(bits, WHITE, BLACK), np.where(paper, WHITE, BACKGROUND))
    return value, np.array([width / 2 * pixel, height / 2 * pixel, 0])


def marker(aruco, dictionary, number, pixels, border):
    """The bits of a marker."""
    draw = getattr(aruco, "generateImageMarker", None) or aruco.drawMarker
    return draw(dictionary, number, pixels, borderBits=border)


def charuco(aruco, columns, rows, square, marker_size):
    dictionary = aruco.getPredefinedDictionary(aruco.DICT_5X5_1000)
    scale = 20
    if hasattr(aruco, "ArucoDetector"):
        board = aruco.CharucoBoard((columns, rows), square, marker_size, dictionary)
        texture = board.generateImage((columns * scale * 7, rows * scale * 7))
    else:
        board = aruco.CharucoBoard_create(columns, rows, square, marker_size, dictionary)
        texture = board.draw((columns * scale * 7, rows * scale * 7))
    return picture(texture, square / (scale * 7))


def aprilgrid(aruco, columns, rows, size, spacing):
    """As Kalibr draws it: the first tag is at the lower left, borders have two bits, and small
    squares fill the corners of the gaps."""
    dictionary = aruco.getPredefinedDictionary(aruco.DICT_APRILTAG_36h11)
    side = 100
    gap = round(side * spacing)
    texture = np.full((rows * side + (rows + 1) * gap, columns * side + (columns + 1) * gap), 255,
                      np.uint8)
    for row in range(rows + 1):
        for column in range(columns + 1):
            y, x = row * (side + gap), column * (side + gap)
            texture[y:y + gap, x:x + gap] = 0
            if row < rows and column < columns:
                number = (rows - 1 - row) * columns + column
                texture[y + gap:y + gap + side, x + gap:x + gap + side] = marker(
                    aruco, dictionary, number, side, 2)
    return picture(texture, size / side)
