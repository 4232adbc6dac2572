# gst-stereomatching: tests of the code network's integers and text
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numpy program against a scalar oracle; the text format. Skipped without numpy."""

import os
import random
import sys
import unittest

import suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train"))

try:
    import numpy as np
    import network
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)


def random_network(seed):
    r = random.Random(seed)
    return network.IntegerNetwork(
        np.array([[r.randint(-10, 10) for _ in range(24)] for _ in range(48)]),
        np.array([r.randint(-300, 300) for _ in range(48)]), 6,
        np.array([[r.randint(-127, 127) for _ in range(48)] for _ in range(24)]),
        np.array([r.randint(-5000, 5000) for _ in range(24)]))


def scalar_code(net, rows, x, y):
    """The bits of one pixel, one operation at a time."""
    height, width = len(rows), len(rows[0])

    def luma(dx, dy):
        return rows[min(max(y + dy, 0), height - 1)][min(max(x + dx, 0), width - 1)]

    d = []
    for q in range(25):
        if q != 12:
            e = max(-4, min(4, luma(q % 5 - 2, q // 5 - 2) - luma(0, 0)))
            d.append(max(-127, min(127, 32 * e)))
    h = []
    for weights, bias in zip(net.first.tolist(), net.first_bias.tolist()):
        s = bias + 32
        for w, v in zip(weights, d):
            s += w * v
            assert -32768 <= s <= 32767
        h.append(max(0, min(127, s // 64)))
    return [bias + sum(w * v for w, v in zip(weights, h)) > 0
            for weights, bias in zip(net.second.tolist(), net.second_bias.tolist())]


class Network(unittest.TestCase):
    def test_codes(self):
        r = random.Random(1)
        rows = [[min(255, max(0, 250 + r.randint(-9, 9))) for _ in range(7)] for _ in range(6)]
        for seed in range(3):
            net = random_network(seed)
            codes = net.codes(np.array(rows, np.uint8))
            self.assertTrue(codes.any() and not codes.all())
            for y in range(6):
                for x in range(7):
                    self.assertEqual(codes[y, x].tolist(), scalar_code(net, rows, x, y))

    def test_text(self):
        net = random_network(4)
        text = network.format_network(net, ["made by a test"])
        self.assertTrue(text.startswith("# made by a test\nlayer 1 1 24 48 6\n"))
        again = network.parse_network(text)
        self.assertEqual(network.format_network(again), text.split("\n", 1)[1])
        self.assertEqual(again.first.tolist(), net.first.tolist())
        self.assertEqual(again.second_bias.tolist(), net.second_bias.tolist())

    def test_bad_text(self):
        text = network.format_network(random_network(5))
        for bad in ("", "layer 1 1 24\n", text.replace("layer 1 1 24 48 6", "layer 3 1 24 48 6"),
                    text.rsplit("\n", 2)[0], text + "layer 1 1 24 24 1\n", text.replace(" ", "x", 60)):
            with self.assertRaises(ValueError):
                network.parse_network(bad)

    def test_ranges(self):
        for change in ((0, 0, 128), (0, 0, -128)):
            net = random_network(6)
            net.first[change[0], change[1]] = change[2]
            with self.assertRaises(ValueError):
                net.check()
        net = random_network(7)
        net.first[3] = 11
        self.assertEqual(net.largest_sum(), 127 * 24 * 11 + abs(int(net.first_bias[3])) + 32)
        with self.assertRaises(ValueError):
            net.check()


if __name__ == "__main__":
    suite.main()
