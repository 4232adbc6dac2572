# gst-stereomatching: textures of the training scenes
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Square textures of SIZE pixels, RGB, 8 bits: crops of photographs, and drawn ones.

All are made on the host with numpy, so a seed gives the same textures on every machine.
"""

import glob
import multiprocessing
import os

import numpy as np

SIZE = 384


def normalize(z):
    return (z - z.mean()) / (z.std() + 1e-6)


def noise(rng, exponent, stretch=1.0):
    """Noise with an amplitude spectrum of frequency^-exponent; stretch != 1 makes it anisotropic."""
    fy = np.fft.fftfreq(SIZE)[:, None]
    fx = np.fft.fftfreq(SIZE)[None]
    amplitude = 1 / (np.sqrt((fx * stretch) ** 2 + fy ** 2) + 1 / SIZE) ** exponent
    spectrum = np.fft.fft2(rng.standard_normal((SIZE, SIZE))) * amplitude
    return normalize(np.fft.ifft2(spectrum).real)


def grid():
    return np.meshgrid(np.arange(SIZE, dtype=float), np.arange(SIZE, dtype=float))


def draw_spectrum(rng):
    stretch = 1.0 if rng.random() < 0.6 else rng.uniform(0.15, 3)
    return noise(rng, rng.uniform(0.4, 1.9), stretch)


def draw_smooth(rng):
    """A nearly smooth surface with a little grain."""
    return noise(rng, rng.uniform(1.9, 2.4)) + 0.15 * rng.random() * noise(rng, 0.3)


def draw_stripes(rng):
    x, y = grid()
    angle = rng.uniform(0, np.pi)
    u = x * np.cos(angle) + y * np.sin(angle) + rng.uniform(0, 4) * noise(rng, 1.8)
    z = np.sin(2 * np.pi * u / (3 + 20 * rng.random() ** 2))
    if rng.random() < 0.5:
        z = np.sign(z - rng.uniform(-0.6, 0.6))
    return z + 0.15 * rng.random() * noise(rng, 1)


def draw_bricks(rng):
    x, y = grid()
    width, height = rng.uniform(8, 40), rng.uniform(6, 24)
    row = np.floor(y / height)
    u = x + width / 2 * (row % 2) * (rng.random() < 0.7)
    shade = rng.standard_normal((80, 80))[row.astype(int) % 80, np.floor(u / width).astype(int) % 80]
    joint = rng.uniform(1, 3)
    z = np.where((u % width < joint) | (y % height < joint), -1.5, 0.3 + rng.uniform(0, 0.6) * shade)
    return z + 0.3 * rng.random() * noise(rng, 1)


def draw_checks(rng):
    x, y = grid()
    px, py = rng.uniform(6, 36, 2)
    z = np.sign(np.sin(2 * np.pi * x / px) * np.sin(2 * np.pi * y / py))
    return z + 0.3 * rng.random() * noise(rng, 1)


def draw_cells(rng):
    """Voronoi cells: distances to the nearest points, or one grey level per cell."""
    x, y = grid()
    n = int(rng.integers(20, 120))
    points = rng.uniform(-20, SIZE + 20, (n, 2))
    stack = np.stack([np.hypot(x - px, y - py) for px, py in points])
    if rng.random() < 0.5:
        return rng.standard_normal(n)[stack.argmin(0)] + 0.2 * rng.random() * noise(rng, 1)
    nearest = np.partition(stack, 1, axis=0)
    return np.minimum(nearest[1] - nearest[0], rng.uniform(2, 12)) + 0.3 * rng.random() * noise(rng, 1)


def draw_dots(rng):
    z = np.zeros((SIZE, SIZE))
    radius = rng.uniform(0.8, 4)
    x, y = np.meshgrid(np.arange(-5, 6), np.arange(-5, 6))
    spot = np.clip(radius + 0.5 - np.hypot(x, y), 0, 1)
    for _ in range(int(rng.integers(200, 3000))):
        px, py = rng.integers(5, SIZE - 5, 2)
        part = z[py - 5:py + 6, px - 5:px + 6]
        np.maximum(part, spot, out=part)
    return z * 3 + 0.3 * rng.random() * noise(rng, 1)


def draw_rectangles(rng):
    """Overlapping rectangles, as on posters and facades."""
    z = np.zeros((SIZE, SIZE))
    for _ in range(400):
        w, h = (2 + 90 * rng.random(2) ** 2).astype(int)
        x, y = int(rng.uniform(-w, SIZE)), int(rng.uniform(-h, SIZE))
        z[max(y, 0):y + h, max(x, 0):x + w] = rng.uniform(-1, 1)
    return z + 0.05 * noise(rng, 1)


def draw_marks(rng):
    """Lines of short strokes, similar to print."""
    z = np.zeros((SIZE, SIZE))
    height = int(rng.integers(5, 16))
    stroke = max(1, height // 6)
    for y in range(2, SIZE - height, int(height * rng.uniform(1.3, 2))):
        x = int(rng.integers(0, 20))
        while x < SIZE - height:
            for _ in range(3):
                if rng.random() < 0.5:
                    dx = int(rng.integers(0, height // 2))
                    z[y:y + height, x + dx:x + dx + stroke] = 1
                else:
                    dy = int(rng.integers(0, height))
                    z[y + dy:y + dy + stroke, x:x + height // 2] = 1
            x += int(height * (0.75 if rng.random() < 0.85 else 1.6))
    return z * (1 if rng.random() < 0.5 else -1) + 0.1 * rng.random() * noise(rng, 1)


def draw_blobs(rng):
    return np.sign(noise(rng, rng.uniform(1.2, 2.2))) + 0.2 * rng.random() * noise(rng, 1)


def draw_leaves(rng):
    """The dead leaves model: discs and polygons of power-law size that occlude each other, which
    has the statistics of natural images (D. Mumford, B. Gidas: "Stochastic models for generic
    images", 2001)."""
    z = noise(rng, 1.2)
    grain = noise(rng, rng.uniform(0.5, 1.5))
    smallest, contrast = rng.uniform(2, 5), rng.uniform(0, 0.4)
    for _ in range(1200):
        radius = min(smallest * rng.random() ** -0.7, 80.0)
        cx, cy = rng.uniform(0, SIZE, 2)
        x0, x1 = int(max(0, cx - radius)), int(min(SIZE, cx + radius + 1))
        y0, y1 = int(max(0, cy - radius)), int(min(SIZE, cy + radius + 1))
        x = (np.arange(x0, x1) - cx)[None]
        y = (np.arange(y0, y1) - cy)[:, None]
        angle, aspect = rng.uniform(0, np.pi), rng.uniform(0.3, 1)
        u = x * np.cos(angle) + y * np.sin(angle)
        v = (y * np.cos(angle) - x * np.sin(angle)) / aspect
        inside = (np.maximum(abs(u), abs(v)) < 0.7 * radius if rng.random() < 0.3
                  else u * u + v * v < radius * radius)
        part = z[y0:y1, x0:x1]
        part[inside] = (rng.normal() + contrast * grain[y0:y1, x0:x1])[inside]
    return z


DRAWN = (draw_leaves, draw_spectrum, draw_rectangles, draw_cells, draw_leaves, draw_stripes, draw_smooth,
         draw_marks, draw_leaves, draw_blobs, draw_bricks, draw_spectrum, draw_dots, draw_checks)


def add_color(rng, z):
    """A colour image of a field, most of it along one colour direction."""
    z = normalize(z)
    mean = rng.uniform(60, 190, 3)
    direction = rng.uniform(0.3, 1, 3)
    image = mean + rng.uniform(15, 50) * direction * z[..., None]
    if rng.random() < 0.4:
        image += rng.uniform(4, 16) * np.stack([noise(rng, 1.5) for _ in range(3)], -1)
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def draw_one(seed, i):
    rng = np.random.default_rng((seed, i))
    return add_color(rng, DRAWN[i % len(DRAWN)](rng))


def draw(n, seed, workers=1):
    """n drawn textures, (n, SIZE, SIZE, 3), the same for any number of worker processes."""
    jobs = [(seed, i) for i in range(n)]
    if workers == 1:
        return np.stack([draw_one(*job) for job in jobs])
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return np.stack(pool.starmap(draw_one, jobs, chunksize=4))


def crop(folder, per_image, seed):
    """Crops of the photographs in a folder that have any texture."""
    import cv2

    rng = np.random.default_rng(seed)
    crops = []
    for path in sorted(glob.glob(os.path.join(folder, "*.jpg"))):
        image = cv2.imread(path)[..., ::-1]
        for _ in range(per_image):
            height, width = image.shape[:2]
            scale = max(SIZE / min(height, width), rng.uniform(0.6, 1))
            size = [max(SIZE, int(round(side * scale))) for side in (width, height)]
            method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            scaled = cv2.resize(image, size, interpolation=method)
            y = int(rng.integers(0, size[1] - SIZE + 1))
            x = int(rng.integers(0, size[0] - SIZE + 1))
            part = scaled[y:y + SIZE, x:x + SIZE]
            if part.std() >= 8:
                crops.append(part[:, ::-1] if rng.random() < 0.5 else part)
    return np.stack(crops) if crops else np.zeros((0, SIZE, SIZE, 3), np.uint8)
