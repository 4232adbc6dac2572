# gst-stereomatching: integer networks and their text format
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The code network as the library computes it, in numpy, and its weights as text:

    # comments
    layer 1 1 24 48 6
    one row per output: bias, weights
    layer 1 1 48 24 7
    ...

layer: size of the window, dilation, inputs, outputs, and the shift of the sums. The shift of the
last layer does not change the bits.
"""

import dataclasses

import numpy as np

NEIGHBORS, HIDDEN, BITS = 24, 48, 24
CLAMP, GAIN = 4, 32
# 127 * sum |w| + |b| + rounding of the first layer, so that its sums fit 16 bits in any order
MAX_SUM = 32767


@dataclasses.dataclass
class IntegerNetwork:
    """Weights in 8 bits and biases: (HIDDEN, NEIGHBORS), (HIDDEN,), (BITS, HIDDEN), (BITS,)."""
    first: np.ndarray
    first_bias: np.ndarray
    shift: int
    second: np.ndarray
    second_bias: np.ndarray
    second_shift: int = 7

    def largest_sum(self):
        """The largest magnitude that a sum of the first layer can reach, rounding included."""
        weights = np.abs(self.first.astype(int)).sum(1)
        return int((127 * weights + np.abs(self.first_bias.astype(int))).max()) + (1 << self.shift >> 1)

    def check(self):
        """Raises ValueError if a weight or a sum exceeds its integer type."""
        shapes = [w.shape for w in (self.first, self.first_bias, self.second, self.second_bias)]
        if shapes != [(HIDDEN, NEIGHBORS), (HIDDEN,), (BITS, HIDDEN), (BITS,)]:
            raise ValueError("Expected a network of %d, %d and %d values, got %s" % (NEIGHBORS, HIDDEN, BITS, shapes))
        largest = max(np.abs(self.first.astype(int)).max(), np.abs(self.second.astype(int)).max())
        if largest > 127:
            raise ValueError("Expected weights of at most 127, got %d" % largest)
        if self.largest_sum() > MAX_SUM:
            raise ValueError("Expected sums of at most %d, got %d" % (MAX_SUM, self.largest_sum()))

    def codes(self, luma):
        """The bits of an 8-bit image, (H, W, BITS) of bool."""
        height, width = luma.shape
        center = luma.astype(np.int32)
        padded = np.pad(center, 2, mode="edge")
        differences = np.stack([padded[dy:dy + height, dx:dx + width] - center
                                for dy in range(5) for dx in range(5) if (dy, dx) != (2, 2)], -1)
        differences = np.clip(GAIN * np.clip(differences, -CLAMP, CLAMP), -127, 127)
        sums = differences @ self.first.astype(np.int32).T + self.first_bias.astype(np.int32)
        hidden = np.clip((sums + (1 << self.shift >> 1)) >> self.shift, 0, 127)
        return hidden @ self.second.astype(np.int32).T + self.second_bias.astype(np.int32) > 0


def format_network(network, comments=()):
    """The text of a network; comments are lines without '#'."""
    network.check()
    lines = ["# " + line for line in comments]
    for weights, bias, shift in ((network.first, network.first_bias, network.shift),
                                 (network.second, network.second_bias, network.second_shift)):
        lines.append("layer 1 1 %d %d %d" % (weights.shape[1], weights.shape[0], shift))
        lines += [" ".join(str(int(v)) for v in (b, *row)) for b, row in zip(bias, weights)]
    return "\n".join(lines) + "\n"


def parse_network(text):
    """The network of a text; raises ValueError."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    layers = []
    while lines:
        head = lines.pop(0).split()
        if len(head) != 6 or head[:3] != ["layer", "1", "1"]:
            raise ValueError("Expected 'layer 1 1 IN OUT SHIFT', got '%s'" % " ".join(head))
        inputs, outputs, shift = map(int, head[3:])
        rows = [[int(v) for v in line.split()] for line in lines[:outputs]]
        del lines[:outputs]
        if len(rows) != outputs or any(len(row) != inputs + 1 for row in rows):
            raise ValueError("Expected %d rows of %d numbers" % (outputs, inputs + 1))
        layers.append((np.array(rows)[:, 1:], np.array(rows)[:, 0], shift))
    if len(layers) != 2:
        raise ValueError("Expected 2 layers, got %d" % len(layers))
    (first, first_bias, shift), (second, second_bias, second_shift) = layers
    network = IntegerNetwork(first, first_bias, shift, second, second_bias, second_shift)
    network.check()
    return network
