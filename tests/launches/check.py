#!/usr/bin/env python3
# gst-stereomatching: whether kernels fit the chips that they are for
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check.py FOLDER PROGRAM

FOLDER has the reports of ptxas (*-cuda.txt), PROGRAM is `launches`. For each chip: runs every matcher and
operation with random parameters on a simulated device with its limits, and fails if a launch needs
more shared memory or threads than a block can have, if a matcher fails, or refuses parameters that it
need not refuse. For chips that the build has machine code for, also if a block needs more registers than
there are. Fails if a kernel spills more registers than is known, or if matchers do not choose the kernels
for large and for small images.
"""

import sys

import resources

CASES = 400
# Launches reach most kernels: others are for parameters that are rarely drawn.
REACHED = 0.8

# Bytes of registers that a thread may store and load, in any kernel and in those that are known for
# more: with more registers, fewer threads would be resident. Of sgm, the largest are for ranges of
# more than 512 disparities. A third above what CUDA 13.0 gives for 7.5 to 12.0.
SPILLS = 320
KNOWN_SPILLS = {
    "bp steps_kernel": 1800,
    "sgm look_ahead": 1400,
    "sgm match_tiles": 30000,
    "vcbw match_kernel": 4600,
    "vcbw winners_kernel": 600,
}

# Known limits: the matcher refuses parameters with a message. bfv needs 90 KiB in any case, sgm for
# many disparities, bp for wide images.
REFUSED = {
    75: ("refused: bfv, ", "refused: sgm, ", "refused: bp, "),
    86: ("refused: sgm, ",),
    89: ("refused: sgm, ",),
    120: ("refused: sgm, ",),
}

# The matcher, the size of the views, and a kernel that it must launch for them on an H100.
CHOSEN = (
    ("esaw", "1920x1080", "esaw cascade_kernel"),
    ("esaw", "640x480", "esaw cost_kernel"),
)


def spill_problems(reports):
    for (capability, kernel), usage in sorted(reports.items()):
        name = resources.short_name(kernel)
        limit = KNOWN_SPILLS.get(name, SPILLS)
        if usage.spills > limit:
            yield "%s (%s) spills %d bytes for capability %d, at most %d are expected" % (
                name, kernel, usage.spills, capability, limit)


def usage_of(reports, capability, kernel):
    """That of the chip; otherwise static shared memory, which hardly depends on it, and no registers."""
    own = reports.get((capability, kernel))
    if own:
        return own
    others = [usage for (_, name), usage in reports.items() if name == kernel]
    return resources.Usage(1, max((usage.shared for usage in others), default=0), 0)


def launch_problems(capability, launches, reports):
    chip = resources.CHIPS[capability]
    for launch in launches:
        usage = usage_of(reports, capability, launch.kernel)
        if resources.resident_blocks(chip, usage, launch) == 0:
            yield ("%s (%s) does not fit capability %d: %d threads with %d registers, %d + %d bytes of "
                   "shared memory" % (resources.short_name(launch.kernel), launch.kernel,
                                      capability, launch.threads, usage.registers, usage.shared,
                                      launch.shared))


def refusal_problems(capability, lines):
    for line in lines:
        if not line.startswith(REFUSED.get(capability, ())):
            yield "capability %d: %s" % (capability, line)


def choice_problems(program):
    for matcher, size, kernel in CHOSEN:
        launches, _ = resources.run_launches(program, 90, matcher, size)
        if kernel not in {resources.short_name(launch.kernel) for launch in launches}:
            yield "%s does not launch %s for %s" % (matcher, kernel, size)


def reach_problems(launched, reports):
    kernels = {kernel for _, kernel in reports}
    if not kernels:
        yield "there are no reports"
    elif len(launched & kernels) < REACHED * len(kernels):
        yield "only %d of %d kernels are launched" % (len(launched & kernels), len(kernels))


def main(folder, program):
    reports = resources.read_reports(folder)
    found = list(spill_problems(reports))
    launched = set()
    for capability in sorted(resources.CHIPS):
        launches, others = resources.run_launches(program, capability, CASES)
        found += launch_problems(capability, launches, reports)
        found += refusal_problems(capability, others)
        launched.update(launch.kernel for launch in launches)
        print("%d: %d launches, %d sets of parameters refused" % (capability, len(launches), len(others)))
    found += reach_problems(launched, reports)
    found += choice_problems(program)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
