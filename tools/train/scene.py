# gst-stereomatching: layered scenes with exact geometry
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A batch of scenes. A scene has layers in front of each other: a surface of disparities over the
left view (a plane and two sines), an outline in the left view, and a texture. Layer 0 is the
background without an outline. The largest disparity is in front.

Shapes: B scenes, K layers, images of H by W; parameters are (B, K, 1, 1).
"""

import math

import torch

BACKGROUND, RECTANGLE, BLOB, FOLIAGE, BARS, LINE = range(6)
MIN_DISPARITY = 0.2
# Texture parameters of a layer, which camouflage copies from the background.
TEXTURE_FIELDS = ("texture", "txx", "txy", "tyx", "tyy", "tx", "ty", "contrast", "offset")


class Random:
    """Uniform and normal numbers of one generator."""

    def __init__(self, device, seed):
        self.device = device
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    def uniform(self, *shape, low=0.0, high=1.0):
        return low + (high - low) * torch.rand(*shape, generator=self.generator, device=self.device)

    def log_uniform(self, *shape, low, high):
        return torch.exp(self.uniform(*shape, low=math.log(low), high=math.log(high)))

    def normal(self, *shape):
        return torch.randn(*shape, generator=self.generator, device=self.device)

    def integers(self, n, *shape):
        return torch.randint(0, n, shape, generator=self.generator, device=self.device)

    def chance(self, probability, *shape):
        return self.uniform(*shape) < probability


def make_surfaces(p, r, shape, disparities):
    """Planes, two fifths of them nearly frontal, with up to two sines."""
    batch = shape[0]
    shallow = r.uniform(batch, 1, 1, 1, low=10, high=24)
    deep = r.uniform(batch, 1, 1, 1, low=24, high=disparities - 5.0)
    largest = torch.where(r.chance(0.35, batch, 1, 1, 1), shallow, deep)
    base = r.uniform(batch, 1, 1, 1) * 0.5 * largest
    p["center"] = 1 + base + (largest - base) * r.uniform(*shape)
    p["center"][:, :1] = base + 1
    frontal = r.chance(0.4, *shape)
    reduction = torch.clamp(largest / 40, max=1)
    p["slope_x"] = reduction * torch.where(frontal, r.uniform(*shape, low=-0.02, high=0.02),
                                           r.uniform(*shape, low=-0.18, high=0.18))
    p["slope_y"] = reduction * torch.where(frontal, r.uniform(*shape, low=-0.02, high=0.02),
                                           r.uniform(*shape, low=-0.25, high=0.25))
    p["waves"] = []
    for _ in range(2):
        frequency = r.log_uniform(*shape, low=2 * math.pi / 300, high=2 * math.pi / 40)
        angle = r.uniform(*shape, high=2 * math.pi)
        amplitude = r.uniform(*shape, high=0.09) / frequency * r.chance(0.5, *shape)
        p["waves"].append((amplitude, frequency * torch.cos(angle), frequency * torch.sin(angle),
                           r.uniform(*shape, high=2 * math.pi)))


def make_outlines(p, r, shape, width, height):
    p["cx"] = r.uniform(*shape, low=-0.05 * width, high=1.05 * width)
    p["cy"] = r.uniform(*shape, low=-0.05 * height, high=1.05 * height)
    size = r.log_uniform(*shape, low=5.0, high=70.0)
    aspect = torch.exp(r.uniform(*shape, low=-0.8, high=0.8))
    upright = torch.round(r.uniform(*shape) * 4) * math.pi / 2 + 0.1 * r.normal(*shape)
    angle = torch.where(r.chance(0.5, *shape), upright, r.uniform(*shape, high=2 * math.pi))
    p["cos"], p["sin"] = torch.cos(angle), torch.sin(angle)
    pick = torch.bucketize(r.uniform(*shape), torch.tensor([0.3, 0.62, 0.74, 0.85], device=r.device))
    p["kind"] = pick + RECTANGLE
    p["kind"][:, 0] = BACKGROUND
    smallest = torch.where((p["kind"] == FOLIAGE) | (p["kind"] == BARS), 20.0, 0.0)
    smallest = torch.where(p["kind"] == LINE, torch.full_like(smallest, 30.0), smallest)
    p["rx"] = torch.maximum(size * aspect, smallest)
    p["ry"] = torch.maximum(size / aspect, torch.where(p["kind"] == LINE, torch.zeros_like(size), smallest))
    p["bar"] = r.log_uniform(*shape, low=1.2, high=7.0)
    p["period"] = p["bar"] * r.uniform(*shape, low=1.6, high=4.0)
    p["wobbles"] = []
    for _ in range(3):
        frequency = r.log_uniform(*shape, low=2 * math.pi / 90, high=2 * math.pi / 9)
        angle = r.uniform(*shape, high=2 * math.pi)
        p["wobbles"].append((r.uniform(*shape, high=0.4), frequency * torch.cos(angle),
                             frequency * torch.sin(angle), r.uniform(*shape, high=2 * math.pi)))


def make_textures(p, r, shape, options):
    """Texture, its affine map, contrast and offset; then camouflage (options.py)."""
    batch, layers = shape[:2]
    scale = r.log_uniform(*shape, low=0.5, high=1.7)
    other = scale * torch.exp(0.2 * r.normal(*shape))
    turn = torch.where(r.chance(0.7, *shape), 0.15 * r.normal(*shape), r.uniform(*shape, high=2 * math.pi))
    p["txx"], p["txy"] = scale * torch.cos(turn), -other * torch.sin(turn)
    p["tyx"], p["tyy"] = scale * torch.sin(turn), other * torch.cos(turn)
    p["tx"], p["ty"] = r.uniform(*shape, high=1000.0), r.uniform(*shape, high=1000.0)
    photograph = r.chance(options.photographs if options.n_photographs else 0.0, *shape)
    drawn = options.n_photographs + r.integers(options.n_drawn, *shape)
    p["texture"] = torch.where(photograph, r.integers(max(options.n_photographs, 1), *shape), drawn)
    q = r.uniform(*shape)
    weak = r.log_uniform(*shape, low=0.05, high=0.6)
    contrast = torch.where(q < 0.88, weak, r.uniform(*shape, high=0.08))
    p["contrast"] = torch.where(q < 0.62, r.uniform(*shape, low=0.6, high=1.3), contrast)
    spread = r.uniform(batch, 1, 1, 1, low=options.offset_low, high=options.offset_high)
    p["offset"] = spread * r.normal(batch, layers, 3, 1)
    # a layer of the background's texture; of its texture and colour; its continuation
    q = r.uniform(*shape)
    same_texture = q < options.same_texture
    same_color = q < options.same_color
    continued = q < options.continued
    for fields, where in ((("texture",), same_texture), (("texture", "contrast", "offset"), same_color),
                          (TEXTURE_FIELDS, continued)):
        for name in fields:
            p[name] = torch.where(where, p[name][:, :1], p[name])
    p["shade"] = torch.where(r.chance(options.shaded, *shape), r.uniform(*shape, low=-0.5, high=0.3),
                             torch.zeros(shape, device=r.device))


class Scenes:
    """Geometry of a batch: disparities, outlines and visibility at any position."""

    def __init__(self, r, options):
        shape = (options.batch, options.layers, 1, 1)
        self.options = options
        self.p = {}
        make_surfaces(self.p, r, shape, options.disparities)
        make_outlines(self.p, r, shape, options.width, options.height)
        make_textures(self.p, r, shape, options)

    def disparity(self, x, y, derivative=False):
        """Disparities of all layers at positions of the left view, and d/dx."""
        p, o = self.p, self.options
        d = p["center"] + p["slope_x"] * (x - o.width / 2) + p["slope_y"] * (y - o.height / 2)
        slope = p["slope_x"]
        for amplitude, fx, fy, phase in p["waves"]:
            argument = fx * x + fy * y + phase
            d = d + amplitude * torch.sin(argument)
            if derivative:
                slope = slope + amplitude * fx * torch.cos(argument)
        clamped = d.clamp(MIN_DISPARITY, o.disparities - 2.5)
        if derivative:
            return clamped, torch.where(clamped == d, slope, torch.zeros_like(d))
        return clamped

    def left_position(self, x_right, y):
        """x of the left view for x of the right one, per layer: x - d(x) = x_right, by Newton's
        method. Slopes are below 0.4, so the root is unique."""
        x = x_right + self.p["center"]
        for _ in range(5):
            d, slope = self.disparity(x, y, derivative=True)
            x = x - (x - d - x_right) / (1 - slope)
        return x

    def inside(self, x, y):
        """A value per layer, above 0 inside its outline; the background is 1 everywhere."""
        p = self.p
        dx, dy = x - p["cx"], y - p["cy"]
        u, v = dx * p["cos"] + dy * p["sin"], dy * p["cos"] - dx * p["sin"]
        across, along = (u / p["rx"]).abs(), (v / p["ry"]).abs()
        squared = across ** 2 + along ** 2
        wobble = sum(a * torch.sin(fx * x + fy * y + phase) for a, fx, fy, phase in p["wobbles"])
        box = 1 - torch.maximum(across, along)
        foliage = torch.minimum(0.15 - 0.24 * squared + 1.2 * wobble, 2.5 - squared)
        bars = torch.minimum((p["bar"] - torch.remainder(u, p["period"])) / p["bar"], box)
        line = torch.minimum(1 - v.abs() / (p["bar"] / 2), 2.5 - across)
        kind = p["kind"]
        value = torch.ones_like(box)
        for index, shape in ((RECTANGLE, box), (BLOB, 1 - squared + wobble), (FOLIAGE, foliage),
                             (BARS, bars), (LINE, line)):
            value = torch.where(kind == index, shape, value)
        return value

    def front(self, x, y):
        """The visible layer at positions per layer, (B, 1, h, w), its disparity and its inside()."""
        d, inside = self.disparity(x, y), self.inside(x, y)
        nearest = torch.where(inside > 0, d, torch.full_like(d, -1.0))
        index = nearest.argmax(1, keepdim=True)
        return index, torch.gather(d, 1, index), torch.gather(inside.expand_as(d), 1, index)
