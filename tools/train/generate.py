# gst-stereomatching: generator of training pairs
# SPDX-License-Identifier: LGPL-2.1-or-later
"""generate.py [--images DIR] [--scenes NAME] [--seed N] FILE

Generates stereo pairs with exact disparities and occlusion, for training. As a program it writes a
sheet of pairs: left view, right view, disparities of visible pixels.
"""

import argparse
import dataclasses

import numpy as np
import torch
import torch.nn.functional as F

import textures
from camera import Cameras
from scene import Random, Scenes


@dataclasses.dataclass
class Options:
    """Size of a batch and the kinds of scenes."""
    batch: int = 8
    width: int = 320
    height: int = 96
    disparities: int = 64
    layers: int = 10
    # subsamples per pixel, which mix at edges
    across: int = 3
    down: int = 2
    # share of photographs among the textures; the pool of drawn ones
    photographs: float = 0.7
    crops_per_photograph: int = 2
    n_photographs: int = 0
    n_drawn: int = 280
    # shares of layers with the background's texture, with its texture and colour, and with its
    # texture continued across the edge; the second includes the third, the first the second
    same_texture: float = 0.12
    same_color: float = 0.06
    continued: float = 0.03
    # standard deviation of colour offsets between layers, in grey levels, per scene
    offset_low: float = 15.0
    offset_high: float = 30.0
    # share of layers that are shaded towards their outline
    shaded: float = 0.2
    # shares of pairs with unequal cameras, little contrast, much noise, block transforms
    unequal: float = 0.55
    low_contrast: float = 0.3
    noisy: float = 0.5
    coded: float = 0.3
    # cameras and rounding; False renders both views without any
    cameras: bool = True


SCENES = {
    "plain": Options(),
    "similar": Options(same_texture=0.3, same_color=0.2, continued=0.1, offset_low=4, shaded=0.4),
    "mild": Options(unequal=0.4, low_contrast=0.2, noisy=0.25, coded=0.15),
    "drawn": Options(photographs=0.0),
    "strong": Options(same_texture=0.06, same_color=0.0, continued=0.0, offset_low=25, offset_high=45),
}


@dataclasses.dataclass
class Pairs:
    """A batch: colour views (B, 3, H, W), 8-bit values; the left view's disparities and whether its
    pixels are visible in the right one, (B, H, W). An occluded pixel's disparity is its surface's."""
    left: torch.Tensor
    right: torch.Tensor
    disparity: torch.Tensor
    visible: torch.Tensor


class Generator:
    """Batches of pairs; the same seed and device give the same ones."""

    def __init__(self, options, images=None, device="cpu", seed=0, workers=1):
        self.options = dataclasses.replace(options)
        photographs = [textures.crop(images, options.crops_per_photograph, seed=1)] if images else []
        self.options.n_photographs = sum(map(len, photographs))
        drawn = textures.draw(options.n_drawn, seed=2, workers=workers)
        pool = np.concatenate(photographs + [drawn])
        self.pool = torch.from_numpy(pool).permute(0, 3, 1, 2).contiguous().to(device)
        self.random = Random(device, seed)

    def _texture(self, p, index, x, y):
        """Colours (B, 3, h, w) of the visible layers' textures, which are mirrored at their ends."""
        batch, layers = p["texture"].shape[:2]
        size = textures.SIZE

        def pick(name):
            return p[name].view(batch, layers).gather(1, index.view(batch, -1)).view(batch, *x.shape[2:])

        xc, yc = x[:, 0] - self.options.width / 2, y[:, 0] - self.options.height / 2
        u = pick("txx") * xc + pick("txy") * yc + pick("tx")
        v = pick("tyx") * xc + pick("tyy") * yc + pick("ty")
        u, v = (1 - (torch.remainder(2 * t / (size - 1), 4) - 2).abs() for t in (u, v))
        depth = 2 * index[:, 0].float() / max(layers - 1, 1) - 1
        stack = self.pool[p["texture"].view(-1)].view(batch, layers, 3, size, size).transpose(1, 2).float()
        position = torch.stack([u, v, depth], -1)[:, None]
        color = F.grid_sample(stack, position, align_corners=True, padding_mode="border")[:, :, 0]
        mean = stack.mean((3, 4))
        flat = index.view(batch, 1, -1).expand(-1, 3, -1)
        mean = mean.gather(2, flat).view(color.shape)
        offset = p["offset"].view(batch, layers, 3).transpose(1, 2).gather(2, flat).view(color.shape)
        return mean + (color - mean) * pick("contrast")[:, None] + offset

    def _render(self, scenes, x, y):
        """The view of positions in the left view per layer, averaged over the subsamples."""
        index, _, inside = scenes.front(x, y)
        at = x.gather(1, index) if x.shape[1] > 1 else x.expand_as(index)
        image = self._texture(scenes.p, index, at, y.expand_as(at))
        shade = scenes.p["shade"].expand(-1, -1, *at.shape[2:]).gather(1, index)
        image = image * (1 + shade * torch.exp(-inside / 0.15))
        return F.avg_pool2d(image.clamp(0, 255), (self.options.down, self.options.across))

    def _truth(self, scenes, device):
        """Disparities, and whether the same layer is in front in the right view."""
        o = self.options
        x = torch.arange(o.width, device=device).float().view(1, 1, 1, -1)
        y = torch.arange(o.height, device=device).float().view(1, 1, -1, 1)
        index, d, _ = scenes.front(x.expand(o.batch, 1, o.height, o.width), y)
        x_right = x - d
        right_index, _, _ = scenes.front(scenes.left_position(x_right, y), y)
        return d[:, 0], ((right_index == index) & (x_right >= 0))[:, 0]

    @torch.no_grad()
    def pairs(self):
        o, r = self.options, self.random
        scenes = Scenes(r, o)
        x = ((torch.arange(o.across * o.width, device=r.device) + 0.5) / o.across - 0.5).view(1, 1, 1, -1)
        y = ((torch.arange(o.down * o.height, device=r.device) + 0.5) / o.down - 0.5).view(1, 1, -1, 1)
        left = self._render(scenes, x.expand(o.batch, 1, y.shape[2], -1), y)
        # half of the pairs are not quite rectified
        shift = (0.22 * r.normal(o.batch, 1, 1, 1)).clamp(-0.5, 0.5) * r.chance(0.5, o.batch, 1, 1, 1)
        shifted = y + shift * o.cameras
        right = self._render(scenes, scenes.left_position(x, shifted), shifted)
        disparity, visible = self._truth(scenes, r.device)
        if o.cameras:
            cameras = Cameras(r, o)
            left, right = cameras.photograph(left, 0), cameras.photograph(right, 1)
        return Pairs(left, right, disparity, visible)


def main():
    import cv2

    parser = argparse.ArgumentParser(description="Write a sheet of generated pairs")
    parser.add_argument("--images", help="folder of photographs (images.py)")
    parser.add_argument("--scenes", choices=sorted(SCENES), default="plain")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("file")
    args = parser.parse_args()
    pairs = Generator(SCENES[args.scenes], args.images, seed=args.seed).pairs()
    shown = (4 * pairs.disparity * pairs.visible)[:, None].expand(-1, 3, -1, -1)
    rows = torch.cat([pairs.left, pairs.right, shown], 3).clamp(0, 255)
    sheet = rows.permute(0, 2, 3, 1).reshape(-1, rows.shape[3], 3).numpy()
    cv2.imwrite(args.file, sheet[..., ::-1].astype(np.uint8))


if __name__ == "__main__":
    main()
