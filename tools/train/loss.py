# gst-stereomatching: loss of the code network
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Terms of the loss, on the cost volume of the matchers, C (B, H, W, D) / 248:

pixel       cross entropy of each pixel's disparity
aggregate   the same on costs aggregated with colour weights, as stereoesaw aggregates them
surface     cross entropy of offsets along the true surface, 5x5 pixels: subpixel accuracy
occluded    probability of foreground disparities at occluded pixels, in the aggregate

Pixels near disparity edges count `edge` times in pixel and aggregate. Aggregation corrects noisy
pixels without help, but not pixels beside an edge that confidently match the foreground.
"""

import dataclasses
import math

import torch
import torch.nn.functional as F

from camera import luma
from model import census

# Costs of the library: 8 per bit, 7 per level of the gradient up to 8 levels.
MAX_COST, BIT_COST, GRADIENT_COST, GRADIENT_LEVELS = 248, 8, 7, 8
# stereoesaw: passes, and its support weights
STEPS, GAMMA_COLOR, GAMMA_DISTANCE = (1, 2, 5, 12), 12.0, 20.0
EDGE_DISTANCE, EDGE_JUMP = 4, 2.5
SURFACE_OFFSETS = 6
OCCLUDED_MARGIN = 2.0


@dataclasses.dataclass
class Weights:
    pixel: float = 0.5
    aggregate: float = 1.0
    surface: float = 0.5
    occluded: float = 0.0
    edge: float = 15.0


def shift_along(x, dim, step):
    """y[i] = x[i + step], 0 outside."""
    y = torch.zeros_like(x)
    n = x.shape[dim] - abs(step)
    if n > 0:
        y.narrow(dim, max(-step, 0), n).copy_(x.narrow(dim, max(step, 0), n))
    return y


def add_shifted(out, x, weight, dim, step):
    """out[i] += weight[i] x[i + step]"""
    n = x.shape[dim] - abs(step)
    if n > 0:
        at, source = max(-step, 0), max(step, 0)
        out.narrow(dim, at, n).addcmul_(x.narrow(dim, source, n), weight.narrow(dim, at, n))


class Aggregate(torch.autograd.Function):
    """Passes of exponential step sizes, horizontal then vertical each. passes: (dimension, step,
    weights of the pixel, of the one at -step, of the one at +step), each (B, H, W, 1). Without
    gradients of the weights."""

    @staticmethod
    def forward(ctx, cost, passes):
        ctx.passes = passes
        for dim, step, center, before, after in passes:
            out = cost * center
            add_shifted(out, cost, before, dim, -step)
            add_shifted(out, cost, after, dim, step)
            cost = out
        return cost

    @staticmethod
    def backward(ctx, gradient):
        for dim, step, center, before, after in reversed(ctx.passes):
            out = gradient * center
            # the pixel at i - step received weight before[i] of i: the transposed pass
            add_shifted(out, gradient, shift_along(after, dim, -step), dim, -step)
            add_shifted(out, gradient, shift_along(before, dim, step), dim, step)
            gradient = out
        return gradient, None


def support_passes(color):
    """The passes of Aggregate for a colour view (B, 3, H, W), largest difference of the channels."""
    passes = []
    ones = torch.ones_like(color[:, :1]).permute(0, 2, 3, 1)
    x = color.permute(0, 2, 3, 1)
    for step in STEPS:
        for dim in (2, 1):
            sides = []
            for signed in (-step, step):
                distance = (shift_along(x, dim, signed) - x).abs().amax(3, keepdim=True)
                weight = torch.exp(-distance / GAMMA_COLOR - step / GAMMA_DISTANCE)
                sides.append(weight * shift_along(ones, dim, signed))
            total = 1 + sides[0] + sides[1]
            passes.append((dim, step, 1 / total, sides[0] / total, sides[1] / total))
    return passes


def correlate(left, right, disparities):
    """Scalar products (B, H, W, D) of features (B, n, H, W) at x and x - d; 0 without a partner."""
    batch, n, height, width = left.shape
    a = left.permute(0, 2, 3, 1).reshape(batch * height, width, n)
    b = F.pad(right, (disparities - 1, 0)).permute(0, 2, 3, 1)
    b = b.reshape(batch * height, width + disparities - 1, n)
    product = torch.bmm(a, b.transpose(1, 2)).contiguous()
    # row x, columns x to x + D - 1 are the disparities D - 1 to 0
    rows = width + disparities - 1
    band = torch.as_strided(product, (batch * height, width, disparities), (width * rows, rows + 1, 1))
    return band.flip(2).reshape(batch, height, width, disparities)


def gradient(image):
    """G of the library: (I (x + 1) - I (x - 1) + 256) >> 1."""
    padded = F.pad(image, (1, 1, 0, 0), mode="replicate")
    return torch.floor((padded[..., 2:] - padded[..., :-2] + 256) / 2)


def gradient_cost(left, right, disparities):
    a = gradient(left)[:, 0, ..., None]
    b = F.pad(gradient(right), (disparities - 1, 0))[:, 0].unfold(2, disparities, 1).flip(3)
    return (a - b).abs().clamp(max=GRADIENT_LEVELS) * GRADIENT_COST / MAX_COST


class Scene:
    """What all networks share on one batch: truth, support weights, gradient costs."""

    def __init__(self, pairs, disparities):
        self.left, self.right = luma(pairs.left)[:, None], luma(pairs.right)[:, None]
        self.disparities = disparities
        device = pairs.left.device
        x = torch.arange(pairs.disparity.shape[2], device=device).view(1, 1, -1)
        d = pairs.disparity
        self.visible = (pairs.visible & (d < disparities - 2) & (d <= x)).float()
        self.occluded = (~pairs.visible & (d < disparities - 2) & (d <= x)).float()
        self.floor = torch.floor(d).long().clamp(0, disparities - 2)
        self.fraction = d - self.floor
        self.truth = d
        self.exists = torch.arange(disparities, device=device) <= x[..., None]
        window = 2 * EDGE_DISTANCE + 1
        high = F.max_pool2d(d[:, None], window, 1, EDGE_DISTANCE)
        low = -F.max_pool2d(-d[:, None], window, 1, EDGE_DISTANCE)
        self.edge = (high - low)[:, 0] > EDGE_JUMP
        self.passes = support_passes(pairs.left)
        self.gradients = gradient_cost(self.left, self.right, disparities)

    def cost(self, network, rounded):
        """C / 248 of a network's codes."""
        codes = network(torch.cat([self.left, self.right]), rounded)
        batch = len(self.left)
        # codes of -1 and 1 and their sums are exact in bfloat16 products with 32-bit sums
        dtype = torch.bfloat16 if codes.is_cuda else codes.dtype
        left, right = codes[:batch].to(dtype), codes[batch:].to(dtype)
        same = correlate(left, right, self.disparities).float()
        bits = codes.shape[1]
        return (bits - same) / 2 * (BIT_COST / MAX_COST) + self.gradients

    def cost_of_census(self):
        return self.cost(lambda image, _: census(image), True)


def cross_entropy(scene, cost, scale, weight):
    """Of the true disparity among all with a partner; fractions are shared by their neighbours."""
    log_p = torch.log_softmax(torch.where(scene.exists, -cost * scale, torch.full_like(cost, -1e4)), -1)
    low = log_p.gather(3, scene.floor[..., None])[..., 0]
    high = log_p.gather(3, scene.floor[..., None] + 1)[..., 0]
    values = -((1 - scene.fraction) * low + scene.fraction * high)
    return (values.clamp(max=50) * weight).sum() / weight.sum().clamp(min=1)


def surface_term(scene, cost, scale):
    """Cross entropy of offset 0 among offsets along the true surface, averaged over 5x5 pixels."""
    reach = SURFACE_OFFSETS
    offsets = torch.arange(-reach, reach + 2, device=cost.device)
    index = scene.floor[..., None] + offsets
    column = torch.arange(cost.shape[2], device=cost.device).view(1, 1, -1, 1)
    known = (index >= 0) & (index < scene.disparities) & (index <= column)
    values = cost.gather(3, index.clamp(0, scene.disparities - 1))
    values = torch.where(known, values, torch.full_like(values, 0.5))
    fraction = scene.fraction[..., None]
    values = (1 - fraction) * values[..., :-1] + fraction * values[..., 1:]
    values = (values * scene.visible[..., None]).permute(0, 3, 1, 2)
    share = F.avg_pool2d(scene.visible[:, None], 5, 1, 2).clamp(min=0.04)
    log_p = torch.log_softmax(-F.avg_pool2d(values, 5, 1, 2) / share * scale, 1)
    # a little for the neighbours, which a parabola needs
    term = -(0.9 * log_p[:, reach] + 0.05 * log_p[:, reach - 1] + 0.05 * log_p[:, reach + 1])
    return (term * scene.visible).sum() / scene.visible.sum().clamp(min=1)


def occluded_term(scene, cost, scale):
    """-log of the probability of disparities that are not in front of an occluded pixel's surface."""
    logits = torch.where(scene.exists, -cost * scale, torch.full_like(cost, -1e4))
    disparity = torch.arange(scene.disparities, device=cost.device)
    behind = disparity < scene.truth[..., None] + OCCLUDED_MARGIN
    log_behind = torch.logsumexp(torch.where(behind, logits, torch.full_like(cost, -1e4)), -1)
    term = torch.logsumexp(logits, -1) - log_behind
    return (term.clamp(max=20) * scene.occluded).sum() / scene.occluded.sum().clamp(min=1)


def compute_terms(scene, cost, log_scale, weights):
    """The terms by name, without their weights."""
    scale = torch.exp(log_scale)
    weight = scene.visible * torch.where(scene.edge, weights.edge, 1.0)
    terms = {}
    aggregate = Aggregate.apply(cost, scene.passes)
    terms["pixel"] = cross_entropy(scene, cost, scale[0], weight)
    terms["aggregate"] = cross_entropy(scene, aggregate, scale[1], weight)
    if weights.surface:
        terms["surface"] = surface_term(scene, cost, scale[2])
    if weights.occluded:
        terms["occluded"] = occluded_term(scene, aggregate, scale[1].detach())
    return terms, aggregate


def total(terms, weights):
    return sum(getattr(weights, name) * term for name, term in terms.items())


@torch.no_grad()
def bad_pixels(scene, cost):
    """Shares of visible pixels off by more than 1 in winner-take-all: near edges, elsewhere."""
    winner = torch.where(scene.exists, cost, torch.full_like(cost, math.inf)).argmin(3)
    bad = ((winner - scene.truth).abs() > 1).float() * scene.visible
    shares = []
    for where in (scene.edge, ~scene.edge):
        shares.append(((bad * where).sum() / (scene.visible * where).sum().clamp(min=1)).item())
    return shares
