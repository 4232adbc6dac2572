# gst-stereomatching: the page about GPUs that were not measured
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/gpus.md, from docs/data/gpus.json and docs/data/code.json.

Nsight Compute counts instructions and memory traffic of the kernels on one GPU, cuobjdump the size of
their machine code for several.
"""

import csv
import os
import re
import statistics
import subprocess

from common import DOCS, algorithms, fill, load, number, save, size_of, table

PAGE = os.path.join(DOCS, "gpus.md")
LARGE, SMALL = [1920, 1080, 128], [450, 375, 64]
METRICS = {"us": "gpu__time_duration.sum", "instructions": "smsp__inst_executed.sum",
           "bytes": "dram__bytes.sum"}
UNITS = {"ns": 1e-3, "us": 1, "ms": 1e3, "inst": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
# Capability, multiprocessors, clock in GHz and memory bandwidth in GB/s, of NVIDIA's data sheets.
MEASURED = "H100"
GPUS = {
    "H100": (90, 132, 1.98, 3352),
    "H200": (90, 132, 1.98, 4800),
    "RTX 3060": (86, 28, 1.777, 360),
    "RTX 3090": (86, 82, 1.695, 936),
    "Jetson AGX Orin": (87, 16, 1.3, 205),
    "RTX 4060": (89, 24, 2.46, 272),
    "RTX 4090": (89, 128, 2.52, 1008),
    "RTX 5090": (120, 170, 2.407, 1792),
}
# Warp instructions of a multiprocessor in a clock.
ISSUE = 4


def base_name(kernel):
    return re.match(r"(?:void )?(?:\(anonymous namespace\)::|<unnamed>::)?(\w+)", kernel).group(1)


def profile(program, matcher, size):
    """The figures of each kernel in a frame."""
    command = ["ncu", "--csv", "--clock-control", "none", "--cache-control", "none", "--metrics",
               ",".join(METRICS.values()), program, "--backend", "cuda", "--size", size_of(size),
               "--seconds", "0.001", "--frames", "2", "--copy-mib", "0", matcher]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    found, launches = {}, {}
    for row in csv.DictReader(lines[first:]):
        name = base_name(row["Kernel Name"])
        launches.setdefault(name, set()).add(row["ID"])
        key = next(k for k, metric in METRICS.items() if metric == row["Metric Name"])
        value = float(row["Metric Value"].replace(",", "")) * UNITS[row["Metric Unit"]]
        found.setdefault(name, {}).setdefault(key, []).append(value)
    # kernels are launched once in a frame or several times
    frames = min(map(len, launches.values()))
    return {name: {key: sum(values) / frames for key, values in figures.items()}
            for name, figures in found.items()}


def measure_kernels(program):
    save("gpus", {"kernels": {size_of(size): {matcher: profile(program, matcher, size)
                                              for matcher in algorithms(program)}
                              for size in (LARGE, SMALL)}})


def measure_code(program, folder):
    """The mean size of the instances of each kernel, by capability."""
    sizes = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith("-cuda.o"):
            continue
        text = subprocess.run([program, "-elf", os.path.join(folder, file)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        capability = None
        for line in text.split("\n"):
            arch = re.match(r"arch = sm_(\d+)", line)
            capability = arch.group(1) if arch else capability
            section = re.match(r"\s*\w+\s+\w+\s+(\w+)\s.*\sPROGBITS\s.*\s\.text\.\w+_cu_[0-9a-f]{8}(\d+)(\w+)",
                               line)
            if section:
                name = section.group(3)[:int(section.group(2))]
                sizes.setdefault(name, {}).setdefault(capability, []).append(int(section.group(1), 16))
    save("code", {"bytes": {name: {c: round(statistics.mean(found)) for c, found in by_chip.items()}
                            for name, by_chip in sizes.items()}})


def measure(program, arguments):
    if arguments:
        measure_code(program, arguments[0])
    else:
        measure_kernels(program)


class Model:
    """The time of a kernel on a GPU: that of its instructions or of its memory traffic, whichever is
    more, divided by the share of the peak that the kernel reaches on the measured GPU with a large
    image; with a small image at least the measured time, which is latency."""

    def __init__(self):
        self.kernels = load("gpus")["kernels"]
        self.code = load("code")["bytes"]

    def factor(self, name, capability):
        """Relative number of instructions. Later architectures have those of 9.0."""
        sizes = self.code.get(name, {}) if capability < 90 else {}
        return sizes[str(capability)] / sizes["90"] if {str(capability), "90"} <= set(sizes) else 1

    def peak_us(self, gpu, name, figures):
        capability, processors, clock, bandwidth = GPUS[gpu]
        return max(figures["instructions"] * self.factor(name, capability)
                   / (processors * ISSUE * clock * 1e3), figures["bytes"] / (bandwidth * 1e3))

    def kernel_us(self, gpu, size, matcher, name):
        figures = self.kernels[size][matcher][name]
        large = self.kernels[size_of(LARGE)][matcher].get(name, figures)
        share = self.peak_us(MEASURED, name, large) / large["us"]
        return max(self.peak_us(gpu, name, figures) / share,
                   0 if size == size_of(LARGE) else figures["us"])

    def frame_ms(self, gpu, size, matcher):
        return sum(self.kernel_us(gpu, size, matcher, name)
                   for name in self.kernels[size][matcher]) / 1e3


TEXT = """<!-- Generated by docs/report from measured data. -->
# Times to expect of other GPUs

Milliseconds of a frame, **computed, not measured**, with default properties, GRAY8 views and everything on
the device.

The instructions and the memory traffic of each kernel were counted on an {measured} ({date}, commit
{commit}). A kernel takes as long as the one or the other takes at the peak of a GPU, divided by the share of
the peak that the kernel reaches on the {measured} with {large}. With small images it takes at least as long
as on the {measured}, where launches and latency count. Architectures before 9.0 have no instructions for
minima of sums and execute others instead: the count is multiplied by the ratio of the sizes of machine code.

The column of the {measured} is the sum of its kernels one by one, without their overlap: the two searches of
pyramid run at the same time, which halves its time with small images. The column of the H200 can be compared
with [measured times](performance.md). A level 2 cache that is smaller than the
{measured}'s, 50 MiB, makes more memory traffic than the model has: times of {small} need little memory and
are the safer ones. Times of laptops are longer by the ratio of the clocks.

## {large}

{large_table}

## {small}

{small_table}

The figures are from these commands. The first one needs a GPU and Nsight Compute, the second one a build
with `-Dcuda-arch=86,87,89,90,110,120`.

    docs/report gpus --measure build/tools/stereo-bench
    docs/report gpus --measure cuobjdump build/cuda
"""


def times(model, size):
    matchers = sorted(model.kernels[size])
    return table([""] + matchers, [[gpu] + [number(model.frame_ms(gpu, size, matcher))
                                            for matcher in matchers] for gpu in GPUS]).rstrip()


def generate():
    data, model = load("gpus"), Model()
    return {PAGE: fill(TEXT.format(
        measured=MEASURED, date=data["date"], commit=data["commit"], large=size_of(LARGE),
        small=size_of(SMALL), large_table=times(model, size_of(LARGE)),
        small_table=times(model, size_of(SMALL))))}
