# gst-stereomatching: resources of CUDA kernels, and the limits of chips
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the reports of ptxas and the output of `launches`, and computes occupancy."""

import dataclasses
import glob
import os
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Chip:
    """Limits of a compute capability: CUDA's programming guide, "Technical specifications", and
    cuda_occupancy.h. All have 64 K registers per multiprocessor in four partitions."""
    name: str
    block_shared: int      # bytes per block, for kernels that ask
    shared: int            # bytes per multiprocessor
    threads: int           # per multiprocessor
    blocks: int            # per multiprocessor
    multiprocessors: int   # of the named product
    reserved: int = 1024   # shared memory that the system takes of each block, bytes


KIB = 1024
CHIPS = {
    75: Chip("T4", 64 * KIB, 64 * KIB, 1024, 16, 40, reserved=0),
    80: Chip("A100", 163 * KIB, 164 * KIB, 2048, 32, 108),
    86: Chip("RTX 3090", 99 * KIB, 100 * KIB, 1536, 16, 82),
    87: Chip("Jetson Orin", 163 * KIB, 164 * KIB, 1536, 16, 16),
    89: Chip("RTX 4090", 99 * KIB, 100 * KIB, 1536, 24, 128),
    90: Chip("H100", 227 * KIB, 228 * KIB, 2048, 32, 132),
    100: Chip("B200", 227 * KIB, 228 * KIB, 2048, 32, 148),
    110: Chip("Jetson Thor", 227 * KIB, 228 * KIB, 1536, 24, 20),
    120: Chip("RTX 5090", 99 * KIB, 100 * KIB, 1536, 24, 170),
}
REGISTERS = 65536
PARTITIONS = 4
WARP = 32
# granularity of allocation: registers per warp, bytes of shared memory
REGISTER_UNIT = 256
SHARED_UNIT = 128
MAX_THREADS = 1024


@dataclasses.dataclass(frozen=True)
class Usage:
    """What ptxas reports of a kernel."""
    registers: int
    shared: int    # static, bytes
    spills: int    # bytes stored and loaded


@dataclasses.dataclass(frozen=True)
class Launch:
    kernel: str
    threads: int
    shared: int    # dynamic, bytes


def round_up(value, unit):
    return -(-value // unit) * unit


def parse_report(text):
    """{(capability, mangled name): Usage} of the output of `ptxas -v`."""
    found, current = {}, None
    spills = 0
    for line in text.split("\n"):
        entry = re.search(r"Compiling entry function '(\w+)' for 'sm_(\d+)a?'", line)
        if entry:
            current, spills = (int(entry.group(2)), entry.group(1)), 0
        moved = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if moved:
            spills = int(moved.group(1)) + int(moved.group(2))
        used = re.search(r"Used (\d+) registers", line)
        if used and current:
            shared = re.search(r"(\d+) bytes smem", line)
            found[current] = Usage(int(used.group(1)), int(shared.group(1)) if shared else 0, spills)
            current = None
    return found


def read_reports(folder):
    """Those of all kernels of a build."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-cuda.txt"))):
        with open(path, encoding="utf-8") as text:
            found.update(parse_report(text.read()))
    return found


def parse_launches(text):
    """The launches, and the lines about parameters that failed or were refused."""
    launches, others = [], []
    for line in text.split("\n"):
        fields = re.fullmatch(r"(\w+) (\d+) (\d+)", line)
        if fields:
            launches.append(Launch(fields.group(1), int(fields.group(2)), int(fields.group(3))))
        elif line:
            others.append(line)
    return launches, others


def run_launches(program, capability, *arguments):
    chip = CHIPS[capability]
    done = subprocess.run([program, str(capability), str(chip.block_shared),
                           str(chip.multiprocessors)] + [str(a) for a in arguments],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return parse_launches(done.stdout)


def resident_blocks(chip, usage, launch):
    """Blocks of a launch that a multiprocessor runs at the same time; 0 if it cannot be launched."""
    warps = round_up(launch.threads, WARP) // WARP
    shared = usage.shared + launch.shared
    per_warp = round_up(usage.registers * WARP, REGISTER_UNIT)
    by_registers = REGISTERS // PARTITIONS // per_warp * PARTITIONS // round_up(warps, PARTITIONS)
    if launch.threads > MAX_THREADS or shared > chip.block_shared:
        return 0
    limits = [chip.blocks, chip.threads // WARP // warps, by_registers]
    taken = round_up(shared + chip.reserved, SHARED_UNIT)
    if taken:
        limits.append(chip.shared // taken)
    return min(limits)


def occupancy(chip, usage, launch):
    """Resident warps of all that the multiprocessor can have, in percent."""
    warps = round_up(launch.threads, WARP) // WARP
    return 100 * resident_blocks(chip, usage, launch) * warps * WARP / chip.threads


def identity(kernel):
    """The mangled name without the hashes of its file's path."""
    return re.sub(r"^(_ZN\d+_GLOBAL__N__)[0-9a-f]{8}(_\d+_\w+?_cu_)[0-9a-f]{8}", r"\1\2", kernel)


def short_name(kernel):
    """The first word of the source file, if that is part of the mangled name, and the function."""
    inner = re.match(r"_ZN\d+_GLOBAL__N__[0-9a-f]{8}_\d+_([a-z0-9]+)\w*?_cu_[0-9a-f]{8}(\d+)", kernel)
    found = inner or re.match(r"_Z(\d+)", kernel)
    if not found:
        return kernel
    name = kernel[found.end():found.end() + int(found.group(found.lastindex))]
    return "%s %s" % (inner.group(1), name) if inner else name
