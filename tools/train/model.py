# gst-stereomatching: the code network while it is trained
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The network of network.py with real weights. Gradients pass rounding and the sign unchanged
("straight through"), so that the forward pass can be exactly the integer function."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from network import BITS, CLAMP, GAIN, HIDDEN, MAX_SUM, NEIGHBORS, IntegerNetwork

# Weights are stored divided by 2^shift.
SHIFT, SECOND_SHIFT = 6, 7
# Biases are stored divided by another 16, so that one learning rate suits them.
BIAS_UNIT = 16.0


def round_through(x):
    return x + (torch.round(x) - x).detach()


def census(luma):
    """The 24 census bits as -1 and 1, (B, 24, H, W)."""
    return torch.where(differences(luma) < 0, 1.0, -1.0)


def differences(luma):
    """Differences of the 24 neighbours in raster order to the pixel; borders repeat."""
    height, width = luma.shape[2:]
    padded = F.pad(luma, (2, 2, 2, 2), mode="replicate")
    shifted = [padded[:, :, dy:dy + height, dx:dx + width]
               for dy in range(5) for dx in range(5) if (dy, dx) != (2, 2)]
    return torch.cat(shifted, 1) - luma


class CodeNetwork(nn.Module):
    """Starts as the census plus small random weights: hidden values d and -d of each neighbour, bits
    of their difference."""

    def __init__(self, seed=0):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        one = torch.eye(NEIGHBORS)
        first = torch.randn(HIDDEN, NEIGHBORS, generator=g) * math.sqrt(2 / NEIGHBORS) * 0.045
        second = torch.randn(BITS, HIDDEN, generator=g) * math.sqrt(2 / HIDDEN) * 0.25
        self.first = nn.Parameter(first + 0.8 * torch.cat([-one, one]))
        self.second = nn.Parameter(second + 0.7 * torch.cat([one, -one], 1))
        self.first_bias = nn.Parameter(torch.zeros(HIDDEN))
        self.second_bias = nn.Parameter(torch.zeros(BITS))
        # inverse temperatures of the loss terms
        self.log_scale = nn.Parameter(torch.log(torch.tensor([8.0, 20.0, 20.0])))

    def _integers(self):
        """Weights and biases in units of the integer network, not rounded."""
        first, second = 2.0 ** SHIFT, 2.0 ** SECOND_SHIFT
        return ((self.first * first).clamp(-127, 127), self.first_bias * BIAS_UNIT * first,
                (self.second * second).clamp(-127, 127), self.second_bias * BIAS_UNIT * second)

    @torch.no_grad()
    def project(self):
        """Clamps the first layer and shrinks rows whose sums could exceed 16 bits. The margin is for the
        rounding of 24 weights, of the bias and of the sum."""
        self.first.clamp_(-127 / 2 ** SHIFT, 127 / 2 ** SHIFT)
        limit = MAX_SUM - 127 * NEIGHBORS / 2 - 2 ** SHIFT
        weights, bias, _, _ = self._integers()
        sums = 127 * weights.abs().sum(1) + bias.abs()
        factor = (limit / sums).clamp(max=1)
        self.first *= factor[:, None]
        self.first_bias *= factor

    def forward(self, luma, rounded):
        """Codes of -1 and 1, (B, 24, H, W), of 8-bit luma (B, 1, H, W). With rounded, they are those
        of the integer network."""
        first, first_bias, second, second_bias = self._integers()
        if rounded:
            first, first_bias, second, second_bias = map(round_through, (first, first_bias, second, second_bias))
        x = (GAIN * differences(luma).clamp(-CLAMP, CLAMP)).clamp(-127, 127)
        x = F.conv2d(x, first[..., None, None], first_bias) / 2.0 ** SHIFT
        hidden = x.clamp(0, 127)
        if rounded:
            hidden = hidden + (torch.floor(x + 0.5).clamp(0, 127) - hidden).detach()
        x = F.conv2d(hidden, second[..., None, None], second_bias) / 2.0 ** SECOND_SHIFT
        soft = torch.tanh(x / (x.detach().abs().mean((0, 2, 3), keepdim=True) + 1e-3))
        return soft + (torch.where(x > 0, 1.0, -1.0) - soft).detach()

    @torch.no_grad()
    def quantize(self):
        """The integer network."""
        first, first_bias, second, second_bias = (torch.round(w).int().cpu().numpy() for w in self._integers())
        network = IntegerNetwork(first, first_bias, SHIFT, second, second_bias, SECOND_SHIFT)
        network.check()
        return network
