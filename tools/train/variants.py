# gst-stereomatching: settings of the networks to train
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Named settings for train.py; tools/train/README.md lists what each gave."""

import dataclasses

from loss import Weights


@dataclasses.dataclass
class Variant:
    """steps: batches; seed: of the initial weights; anchor: weight of the mean squared distance of
    the weights from their start, the census; rounded_from: part of the steps after which the forward
    pass is the integer function."""
    steps: int = 3000
    seed: int = 0
    learning_rate: float = 3e-3
    anchor: float = 0.0
    rounded_from: float = 0.5
    weights: Weights = dataclasses.field(default_factory=Weights)


VARIANTS = {
    "base": Variant(),
    "short": Variant(steps=700),
    "medium": Variant(steps=1500),
    "tiny": Variant(steps=300),
    "short-seed1": Variant(steps=700, seed=1),
    "edge5": Variant(steps=1500, weights=Weights(edge=5)),
    "edge30": Variant(steps=1500, weights=Weights(edge=30)),
    "occluded": Variant(steps=1500, weights=Weights(occluded=0.3)),
    "occluded-more": Variant(steps=1500, weights=Weights(occluded=1.0)),
    "aggregate": Variant(steps=1500, weights=Weights(pixel=0.1, aggregate=1.0)),
    "pixel": Variant(steps=1500, weights=Weights(pixel=1.0, aggregate=0.5)),
    "slow": Variant(steps=1500, learning_rate=1e-3),
    "fast": Variant(steps=1500, learning_rate=8e-3),
    "occluded-short": Variant(steps=700, weights=Weights(occluded=0.3)),
    "medium-seed1": Variant(steps=1500, seed=1),
    "no-surface": Variant(steps=1500, weights=Weights(surface=0.0)),
    "surface": Variant(steps=1500, weights=Weights(surface=1.0)),
    "anchor": Variant(steps=1500, anchor=1.0),
    "anchor-more": Variant(steps=1500, anchor=10.0),
    "anchor-most": Variant(steps=1500, anchor=100.0),
    "anchor-600": Variant(steps=600, anchor=10.0),
    "anchor-300": Variant(steps=300, anchor=10.0),
    "anchor-occluded": Variant(steps=600, anchor=10.0, weights=Weights(occluded=0.3)),
    "anchor-occluded-seed1": Variant(steps=600, seed=1, anchor=10.0, weights=Weights(occluded=0.3)),
    "anchor-occluded-300": Variant(steps=300, anchor=10.0, weights=Weights(occluded=0.3)),
    "anchor-occluded-flat": Variant(steps=600, anchor=10.0, weights=Weights(occluded=0.3, surface=0.1)),
    "anchor30-occluded": Variant(steps=600, anchor=30.0, weights=Weights(occluded=0.3)),
}
