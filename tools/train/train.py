# gst-stereomatching: trains code networks
# SPDX-License-Identifier: LGPL-2.1-or-later
"""train.py [options] OUT

Trains networks on generated pairs, several at once on the same ones. OUT receives checkpoint.pt, from
which the next call continues, log.txt, and NAME.txt, the weights of each finished network.
"""

import argparse
import dataclasses
import hashlib
import math
import os
import subprocess
import time

import torch

import loss
from generate import SCENES, Generator
from model import CodeNetwork
from network import format_network
from variants import VARIANTS

WARM_UP = 100
LAST_RATE = 2e-5
MAX_GRADIENT = 5.0
# seconds
LOG_INTERVAL = 50
# batches after which --fit measures
FIT_INTERVAL = 150


class Run:
    """A network in training: its variant, optimiser and progress."""

    def __init__(self, name, variant, device, stop=0):
        self.name, self.variant, self.step = name, dataclasses.replace(variant), 0
        # (step, length of the schedule from this step)
        self.schedules = [(0, variant.steps)]
        self.network = CodeNetwork(variant.seed).to(device)
        self.stop = stop or math.inf
        self.start = [p.detach().clone() for p in (self.network.first, self.network.second)]
        self.optimizer = torch.optim.Adam(self.network.parameters(), betas=(0.9, 0.99))
        self.seen = []

    def is_done(self):
        return self.step >= min(self.variant.steps, self.stop)

    def set_steps(self, steps):
        """Another length of the schedule from here on."""
        self.variant.steps = steps
        self.schedules = [(step, n) for step, n in self.schedules if step < self.step] + [(self.step, steps)]

    def _distance(self):
        """Mean squared distance of the weights from the initial ones."""
        now = (self.network.first, self.network.second)
        return sum(((a - b) ** 2).mean() for a, b in zip(now, self.start))

    def train(self, scene, logged):
        """One step."""
        variant, progress = self.variant, self.step / self.variant.steps
        rate = 0.5 + 0.5 * math.cos(math.pi * progress)
        rate = variant.learning_rate * min(1, (self.step + 1) / WARM_UP) * rate + LAST_RATE
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        cost = scene.cost(self.network, progress >= variant.rounded_from)
        terms, aggregate = loss.compute_terms(scene, cost, self.network.log_scale, variant.weights)
        value = loss.total(terms, variant.weights)
        if variant.anchor:
            value = value + variant.anchor * self._distance()
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT)
        self.optimizer.step()
        self.network.project()
        self.step += 1
        if logged:
            self.seen.append([t.item() for t in terms.values()] + loss.bad_pixels(scene, aggregate.detach()))

    def report(self):
        """Means since the last report: terms of the loss, bad pixels at edges and elsewhere."""
        if not self.seen:
            return ""
        means = [sum(column) / len(self.seen) for column in zip(*self.seen)]
        self.seen = []
        return "%s %d: %s" % (self.name, self.step, " ".join("%.3f" % v for v in means))

    def state(self):
        return {"step": self.step, "schedules": self.schedules, "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict()}

    def restore(self, state):
        self.step, self.schedules = state["step"], state["schedules"]
        self.variant.steps = self.schedules[-1][1]
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])


def digest(folder):
    """A checksum of a folder of photographs."""
    total = hashlib.sha256()
    for name in sorted(os.listdir(folder)) if folder else []:
        if name.endswith(".jpg"):
            with open(os.path.join(folder, name), "rb") as file:
                total.update(file.read())
    return total.hexdigest()[:16]


def find_commit():
    """The last commit of this program: subject and date, which a rebase keeps. "unknown" outside a
    repository."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        done = subprocess.run(["git", "log", "-1", "--format=%s (%as)", "--", here], cwd=here, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip() or "unknown"


def describe(run, args, generator):
    """Provenance of the weights, as comment lines."""
    variant, options = run.variant, generator.options
    w = variant.weights
    return ["A network for cost=learned, trained on generated pairs.",
            "program: tools/train/train.py --scenes %s --variants %s, %d steps of %d pairs"
            % (args.scenes, run.name, run.step, options.batch),
            "schedule: " + ", ".join("%d steps from step %d" % (n, step) for step, n in run.schedules),
            "commit: %s" % args.commit,
            "data: %d crops of photographs (images.txt, sha256 %s), %d drawn textures"
            % (options.n_photographs, digest(args.images) if args.images else "none", options.n_drawn),
            "seeds: weights %d, pairs %d" % (variant.seed, args.seed),
            "loss: pixel %g, aggregate %g, surface %g, occluded %g, edge %g, anchor %g; rate %g; rounded from %g"
            % (w.pixel, w.aggregate, w.surface, w.occluded, w.edge, variant.anchor, variant.learning_rate,
               variant.rounded_from),
            "made with PyTorch %s on %s" % (torch.__version__, device_name(args.device))]


def device_name(device):
    return torch.cuda.get_device_name() if device == "cuda" else "CPU"


def save(path, args, runs, generator):
    state = {"runs": {run.name: run.state() for run in runs},
             "random": generator.random.generator.get_state()}
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)
    for run in runs:
        if run.step:
            with open(os.path.join(args.out, run.name + ".txt"), "w", encoding="utf-8") as file:
                file.write(format_network(run.network.quantize(), describe(run, args, generator)))


def restore(path, device, runs, generator):
    """Continues from a checkpoint; variants that it lacks start new."""
    state = torch.load(path, map_location=device)
    for run in runs:
        if run.name in state["runs"]:
            run.restore(state["runs"][run.name])
    generator.random.generator.set_state(state["random"].cpu())


def fit_steps(runs, step_time, left, log):
    """Shortens schedules, the longest first, that the time left does not suffice for. step_time is
    that of a batch for all of these runs."""
    per_network = step_time / len(runs)

    def need():
        return sum(max(0, run.variant.steps - run.step) for run in runs) * per_network

    before = {run.name: run.variant.steps for run in runs}
    while need() > max(left, 0):
        longest = max(run.variant.steps for run in runs)
        for run in runs:
            if run.variant.steps == longest:
                run.variant.steps -= max(1, longest // 50)
    shortened = [run for run in runs if run.variant.steps != before[run.name]]
    for run in shortened:
        run.set_steps(run.variant.steps)
    if shortened:
        log("steps: " + ", ".join("%s %d" % (run.name, run.variant.steps) for run in shortened))


def train(args, runs, generator, log):
    """Trains until all are done or the time is over; returns whether all are done."""
    start = measured = reported = time.monotonic()
    count = 0
    while time.monotonic() - start < args.seconds:
        pending = [run for run in runs if not run.is_done()]
        if not pending:
            return True
        scene = loss.Scene(generator.pairs(), generator.options.disparities)
        for run in pending:
            run.train(scene, count % 10 == 0)
        count += 1
        now = time.monotonic()
        if args.fit and count % FIT_INTERVAL == 0:
            if count > FIT_INTERVAL:
                fit_steps(pending, (now - measured) / FIT_INTERVAL, 0.97 * args.seconds - (now - start), log)
            measured = now
        if now - reported > LOG_INTERVAL:
            reported = now
            log("%.0f s, %d batches" % (now - start, count))
            for text in filter(None, (run.report() for run in runs)):
                log("  " + text)
            save(os.path.join(args.out, "checkpoint.pt"), args, runs, generator)
    return all(run.is_done() for run in runs)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Train code networks")
    parser.add_argument("out", help="folder for weights and checkpoint")
    parser.add_argument("--images", help="folder of photographs (images.py); without it, only drawn textures")
    parser.add_argument("--seconds", type=float, default=540, help="longest run; call again to continue")
    parser.add_argument("--variants", default="base", help="names separated by commas, or 'all'")
    parser.add_argument("--scenes", choices=sorted(SCENES), default="plain")
    parser.add_argument("--seed", type=int, default=0, help="seed of the pairs")
    parser.add_argument("--batch", type=int, default=8, help="pairs of a batch")
    parser.add_argument("--drawn", type=int, default=280, help="number of drawn textures")
    parser.add_argument("--steps", type=int, help="number of steps of all variants instead of their own")
    parser.add_argument("--stop", type=int, default=0, help="end after this step; the schedule stays")
    parser.add_argument("--fit", action="store_true", help="shorten schedules to end within --seconds")
    parser.add_argument("--workers", type=int, default=1, help="processes that draw textures")
    parser.add_argument("--commit", default=find_commit(), help="commit of this program, for the weights' comments")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main():
    args = parse_arguments()
    os.makedirs(args.out, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    names = sorted(VARIANTS) if args.variants == "all" else args.variants.split(",")
    options = dataclasses.replace(SCENES[args.scenes], batch=args.batch, n_drawn=args.drawn)
    with open(os.path.join(args.out, "log.txt"), "a", encoding="utf-8") as file:
        def log(text):
            print(text, flush=True)
            print(text, file=file, flush=True)

        start = time.monotonic()
        generator = Generator(options, args.images, args.device, args.seed, args.workers)
        log("%d crops, %d drawn textures, %.0f s" % (generator.options.n_photographs, options.n_drawn,
                                                      time.monotonic() - start))
        runs = [Run(name, VARIANTS[name], args.device, args.stop) for name in names]
        for run in runs:
            run.set_steps(args.steps or run.variant.steps)
        checkpoint = os.path.join(args.out, "checkpoint.pt")
        if os.path.exists(checkpoint):
            restore(checkpoint, args.device, runs, generator)
        done = train(args, runs, generator, log)
        save(checkpoint, args, runs, generator)
        log("finished" if done else "not finished: call again to continue")


if __name__ == "__main__":
    main()
