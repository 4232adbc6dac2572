# gst-stereomatching: tests of the training program
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generated truth, gradients, and the rounded model against the integer program. Skipped without
PyTorch."""

import argparse
import contextlib
import dataclasses
import io
import os
import sys
import tempfile
import unittest

import suite

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train")
sys.path.insert(0, TRAIN)

try:
    import numpy as np
    import torch
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

import generate
import loss
import model
import network
import quantize
import train
import variants

torch.set_num_threads(1)
SMALL = generate.Options(batch=2, width=96, height=32, disparities=24, layers=5, n_drawn=7)


def make_pairs(seed=0, **changes):
    return generate.Generator(dataclasses.replace(SMALL, **changes), seed=seed).pairs()


def sample(row, x):
    """Linear interpolation of a row (3, W)."""
    i = int(np.floor(x))
    f = x - i
    return (1 - f) * row[:, i] + f * row[:, min(i + 1, row.shape[1] - 1)]


class Generated(unittest.TestCase):
    def test_warp(self):
        """The right view at x - d is the left view at x, where both see the same surface."""
        pairs = make_pairs(seed=3, cameras=False, shaded=0.0, across=4, down=4)
        left, right = pairs.left.numpy(), pairs.right.numpy()
        d, visible = pairs.disparity.numpy(), pairs.visible.numpy()
        errors, wrong = [], []
        for b in range(2):
            for y in range(2, 30):
                for x in range(2, 94):
                    around = d[b, y - 1:y + 2, x - 2:x + 3]
                    if visible[b, y - 1:y + 2, x - 2:x + 3].all() and np.ptp(around) < 1.5 and x - d[b, y, x] > 1:
                        at = x - d[b, y, x]
                        errors.append(np.abs(sample(right[b, :, y], at) - left[b, :, y, x]).mean())
                        wrong.append(np.abs(sample(right[b, :, y], at - 1.5) - left[b, :, y, x]).mean())
        self.assertGreater(len(errors), 2000)
        self.assertLess(np.mean(errors), 0.35 * np.mean(wrong))
        self.assertLess(np.median(errors), 3)

    def test_occlusion(self):
        """Visible pixels win their right pixel: no other pixel of the row lands there with a larger
        disparity."""
        pairs = make_pairs(seed=5)
        d, visible = pairs.disparity.numpy(), pairs.visible.numpy()
        self.assertTrue(0.6 < visible.mean() < 0.999)
        for b in range(2):
            for y in range(0, 32, 3):
                at = np.arange(96) - d[b, y]
                for x in np.flatnonzero(visible[b, y]):
                    self.assertGreaterEqual(at[x], 0)
                    covering = (np.abs(at - at[x]) < 0.02) & (d[b, y] > d[b, y, x] + 1)
                    self.assertFalse(covering.any())

    def test_seed(self):
        first, second, other = make_pairs(seed=1), make_pairs(seed=1), make_pairs(seed=2)
        self.assertTrue(torch.equal(first.left, second.left))
        self.assertFalse(torch.equal(first.left, other.left))

    def test_eight_bits(self):
        pairs = make_pairs(seed=6)
        for view in (pairs.left, pairs.right):
            self.assertTrue(torch.equal(view, view.round()))
            self.assertTrue(0 <= view.min() and view.max() <= 255)


class Model(unittest.TestCase):
    def make_network(self):
        net = model.CodeNetwork(seed=1)
        with torch.no_grad():
            for p in net.parameters():
                p += 0.05 * torch.randn(p.shape, generator=torch.Generator().manual_seed(2))
        net.project()
        return net

    def test_integers(self):
        """The rounded model has the codes of its exported text, in the integer program."""
        net = self.make_network()
        image = make_pairs(seed=7).left[:1]
        luma = loss.luma(image)
        codes = net(luma[None], rounded=True)[0].permute(1, 2, 0) > 0
        exported = network.parse_network(network.format_network(net.quantize()))
        expected = exported.codes(luma[0].numpy().astype(np.uint8))
        self.assertTrue(np.array_equal(codes.numpy(), expected))
        self.assertFalse(torch.equal(codes, net(luma[None], rounded=False)[0].permute(1, 2, 0) > 0))

    def test_project(self):
        net = self.make_network()
        with torch.no_grad():
            net.first *= 3
            net.first_bias += 1
        with self.assertRaises(ValueError):
            net.quantize()
        net.project()
        self.assertGreater(net.quantize().largest_sum(), 30000)

    def test_census(self):
        """The initial network is close to the census."""
        luma = loss.luma(make_pairs(seed=8).left)[:, None]
        same = (model.CodeNetwork()(luma, rounded=True) == model.census(luma)).float().mean()
        self.assertGreater(same, 0.85)


class Loss(unittest.TestCase):
    def setUp(self):
        self.scene = loss.Scene(make_pairs(seed=16, n_drawn=1, height=16, width=40, disparities=12, batch=1), 12)

    def test_cost(self):
        """Costs of the census, pixel by pixel."""
        cost = self.scene.cost_of_census()[0]
        left, right = (v[0, 0].numpy().astype(int) for v in (self.scene.left, self.scene.right))

        def word(image, x, y):
            def at(i, j):
                return image[min(max(j, 0), 15), min(max(i, 0), 39)]
            bits = [at(x + i, y + j) < image[y, x] for j in range(-2, 3) for i in range(-2, 3) if (i, j) != (0, 0)]
            return np.array(bits), (at(x + 1, y) - at(x - 1, y) + 256) >> 1

        for x, y, d in ((20, 8, 3), (39, 0, 11), (12, 15, 0), (5, 4, 5)):
            (a, g), (b, h) = word(left, x, y), word(right, x - d, y)
            expected = 8 * (a != b).sum() + 7 * min(abs(g - h), 8)
            self.assertAlmostEqual(float(cost[y, x, d]) * 248, expected, places=3)

    def test_aggregate_gradient(self):
        cost = torch.rand(1, 16, 40, 2, dtype=torch.double, requires_grad=True)
        passes = [(dim, step, *(w.double() for w in weights)) for dim, step, *weights in self.scene.passes]
        self.assertTrue(torch.autograd.gradcheck(lambda c: loss.Aggregate.apply(c, passes), cost, fast_mode=True))

    def test_aggregate_mean(self):
        """Weights sum to 1."""
        cost = torch.full((1, 16, 40, 2), 0.37)
        self.assertTrue(torch.allclose(loss.Aggregate.apply(cost, self.scene.passes), cost))

    def test_gradient(self):
        """Gradients of every term against differences."""
        weights = loss.Weights(occluded=0.7)
        generator = torch.Generator().manual_seed(3)
        cost = torch.rand(1, 16, 40, 12, generator=generator, dtype=torch.double)
        direction = torch.randn(cost.shape, generator=generator, dtype=torch.double)
        scale = torch.log(torch.tensor([8.0, 20.0, 20.0], dtype=torch.double))
        self.assertGreater(float(self.scene.occluded.sum()), 10)

        def terms(step):
            moved = (cost + step * direction).requires_grad_(True)
            return moved, loss.compute_terms(self.scene, moved, scale, weights)[0]

        moved, values = terms(0)
        self.assertEqual(set(values), {"pixel", "aggregate", "surface", "occluded"})
        for name, value in values.items():
            slope = float((torch.autograd.grad(value, moved, retain_graph=True)[0] * direction).sum())
            expected = float((terms(1e-5)[1][name] - terms(-1e-5)[1][name]) / 2e-5)
            self.assertAlmostEqual(slope, expected, delta=1e-4 * max(1, abs(expected)), msg=name)
            self.assertNotAlmostEqual(slope, 0, places=5, msg=name)

    def test_occluded(self):
        """The term falls if an occluded pixel's foreground gets expensive."""
        cost = torch.full((1, 16, 40, 12), 0.5)
        front = torch.arange(12) >= self.scene.truth[..., None] + 2
        low = loss.occluded_term(self.scene, cost + 0.4 * front, 20.0)
        self.assertLess(float(low), float(loss.occluded_term(self.scene, cost, 20.0)))


class Program(unittest.TestCase):
    def arguments(self, folder):
        return argparse.Namespace(out=folder, images=None, scenes="plain", seed=0, commit="abc", device="cpu")

    def make_run(self, stop=0):
        return train.Run("short", variants.Variant(steps=4), "cpu", stop)

    def steps(self, run, generator, n):
        for _ in range(n):
            run.train(loss.Scene(generator.pairs(), generator.options.disparities), False)

    def test_schedule(self):
        """A run ends at its stop or its schedule, and the text has all schedules."""
        generator, run = generate.Generator(dataclasses.replace(SMALL, batch=1)), self.make_run(stop=2)
        self.steps(run, generator, 1)
        self.assertFalse(run.is_done())
        self.steps(run, generator, 1)
        self.assertTrue(run.is_done())
        run = self.make_run()
        self.steps(run, generator, 1)
        train.fit_steps([run], 1.0, 1.5, lambda text: self.assertEqual(text, "steps: short 2"))
        self.assertIn("schedule: 4 steps from step 0, 2 steps from step 1",
                      train.describe(run, self.arguments(None), generator))
        self.assertFalse(run.is_done())
        self.steps(run, generator, 1)
        self.assertTrue(run.is_done())

    def test_resume(self):
        """A run in two parts is one run: pairs, weights and optimiser continue from the checkpoint."""
        options = dataclasses.replace(SMALL, batch=1)
        generator, run = generate.Generator(options), self.make_run()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "checkpoint.pt")
            self.steps(run, generator, 2)
            train.save(path, self.arguments(folder), [run], generator)
            self.steps(run, generator, 2)
            again, other = self.make_run(), generate.Generator(options, seed=5)
            train.restore(path, "cpu", [again], other)
            self.assertEqual(again.step, 2)
            self.steps(again, other, 2)
            self.assertTrue(again.is_done())
            for name, value in run.network.state_dict().items():
                self.assertTrue(torch.equal(value, again.network.state_dict()[name]), name)
            # the text is that of the checkpoint
            with open(os.path.join(folder, "short.txt"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("--scenes plain --variants short, 2 steps of 1 pairs\n# schedule: 4 steps from step 0\n# commit: abc\n", text)
            written = io.StringIO()
            with contextlib.redirect_stdout(written):
                quantize.main([path, "short"])
            self.assertEqual([x for x in text.splitlines() if x[0] != "#"],
                             [x for x in written.getvalue().splitlines() if x[0] != "#"])


if __name__ == "__main__":
    suite.main()
