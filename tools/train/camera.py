# gst-stereomatching: what two unequal cameras do to a rendered pair
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blur, gain, gamma, vignetting, low contrast, noise and the rounding of block transforms, with
parameters of their own for each scene and view."""

import math

import torch
import torch.nn.functional as F


def blur(image, sigma):
    """Gaussian blur with one sigma per image, 5 taps."""
    batch, channels, height, width = image.shape
    tap = torch.arange(-2, 3, device=image.device).float()
    kernel = torch.exp(-tap[None] ** 2 / (2 * sigma.view(-1, 1).clamp(min=0.05) ** 2))
    kernel = kernel / kernel.sum(1, keepdim=True)
    x = F.pad(image.transpose(0, 1), (2, 2, 2, 2), mode="replicate")
    x = F.conv2d(x, kernel.view(batch, 1, 1, 5), groups=batch)
    return F.conv2d(x, kernel.view(batch, 1, 5, 1), groups=batch).transpose(0, 1)


def transform_matrix(device):
    k = torch.arange(8, device=device).float()
    matrix = torch.cos((2 * k[None] + 1) * k[:, None] * math.pi / 16) / 2
    matrix[0] = math.sqrt(1 / 8)
    return matrix


def round_blocks(images, step, shift):
    """Rounds the cosine transform of 8x8 blocks, as JPEG and video do; coarser at high frequencies.
    step is per image; the blocks of all begin at shift."""
    batch, channels, height, width = images.shape
    matrix = transform_matrix(images.device)
    k = torch.arange(8, device=images.device).float()
    x = torch.roll(images, shift, (2, 3)).view(batch, channels, height // 8, 8, width // 8, 8) - 128
    c = torch.einsum("ij,bnhjwk,lk->bnhiwl", matrix, x, matrix)
    steps = step.view(-1, 1, 1, 1, 1, 1) * (1 + 0.35 * (k.view(8, 1, 1) + k))
    c = torch.round(c / steps) * steps
    x = torch.einsum("ij,bnhiwl,lk->bnhjwk", matrix, c, matrix) + 128
    return torch.roll(x.reshape(images.shape), (-shift[0], -shift[1]), (2, 3))


def luma(image):
    """Luma of an 8-bit image, as the library computes it (Q16 weights, rounded)."""
    weighted = 19589 * image[:, 0] + 38470 * image[:, 1] + 7471 * image[:, 2]
    return torch.floor((weighted + 32768) / 65536)


class Cameras:
    """Draws parameters for a batch of pairs and applies them."""

    def __init__(self, r, options):
        batch = options.batch
        one = (batch, 1, 1, 1)
        self.r, self.batch, self.height, self.width = r, batch, options.height, options.width
        self.unequal = r.chance(options.unequal, *one).float()
        self.sharpness = r.uniform(batch, low=0.2, high=0.6)
        self.defocus = r.uniform(batch, low=0.3, high=0.9) * r.chance(0.25, batch)
        self.both_blurred = r.chance(0.3, batch)
        self.left_blurred = r.chance(0.5, batch)
        low_contrast = r.chance(options.low_contrast, *one)
        self.contrast = torch.where(low_contrast, r.uniform(*one, low=0.3, high=1), torch.ones(one, device=r.device))
        self.lift = r.uniform(*one, high=150) * (1 - self.contrast)
        self.scale = r.uniform(*one, low=0.6, high=1.15)
        self.tint = 1 + 0.1 * r.normal(batch, 3, 1, 1)
        self.noise = torch.where(r.chance(options.noisy, *one), r.uniform(*one, low=1.0, high=4.5),
                                 r.uniform(*one, low=0.3, high=1.5))
        self.rounded = r.chance(options.coded, batch)
        self.rounding = r.uniform(batch, low=1.0, high=7.0)

    def _expose(self, image, amount):
        """Gain, gamma, channel gains, vignetting and a gradient of brightness, scaled by amount."""
        r, one = self.r, (self.batch, 1, 1, 1)
        y = (torch.arange(self.height, device=r.device) / self.height - 0.5).view(1, 1, -1, 1)
        x = (torch.arange(self.width, device=r.device) / self.width - 0.5).view(1, 1, 1, -1)
        gain = torch.exp(amount * r.uniform(*one, low=-0.55, high=0.55) + 0.04 * r.normal(*one))
        gamma = torch.exp(amount * 0.22 * r.normal(*one))
        channels = 1 + (amount * 0.1 + 0.015) * r.normal(self.batch, 3, 1, 1)
        radius = (x - 0.3 * r.normal(*one)) ** 2 + (y - 0.3 * r.normal(*one)) ** 2
        vignetting = 1 - amount * r.uniform(*one, high=0.5) * radius
        slope = 1 + amount * 0.35 * (r.normal(*one) * x + r.normal(*one) * y)
        image = 255 * (image / 255).clamp(1e-4, 1) ** gamma
        image = image * gain * channels * vignetting * slope.clamp(0.3, 1.7)
        return image * self.contrast + self.lift + amount * 8 * r.normal(*one)

    def _noise(self):
        """Noise of unit variance: white, correlated between pixels, or equal in all channels."""
        r, one = self.r, (self.batch, 1, 1, 1)
        white = r.normal(self.batch, 3, self.height, self.width)
        blurred = F.avg_pool2d(white, 3, 1, 1) * 2
        noise = torch.where(r.chance(0.3, *one), blurred, white)
        return torch.where(r.chance(0.3, *one), noise[:, :1].expand_as(noise), noise)

    def photograph(self, image, view):
        """The 8-bit image of view 0 (left) or 1."""
        r, one = self.r, (self.batch, 1, 1, 1)
        amount = self.unequal if view == 1 else self.unequal * r.chance(0.3, *one)
        blurred = self.both_blurred | (self.left_blurred == (view == 0))
        sigma = torch.sqrt(self.sharpness ** 2 + (self.defocus * blurred) ** 2)
        image = (blur(image, sigma) * self.scale * self.tint).clamp(0, 255)
        image = self._expose(image, amount)
        level = self.noise * torch.exp(0.2 * r.normal(*one))
        image = image + self._noise() * level * torch.sqrt((image.clamp(0, 255) + 20) / 128)
        shift = tuple(int(v) for v in r.integers(8, 2))
        coded = round_blocks(image, self.rounding, shift)
        image = torch.where(self.rounded.view(one), coded, image)
        return image.clamp(0, 255).round()
