#!/usr/bin/env python3
# gst-stereomatching: registers, shared memory and occupancy of the matchers' kernels
# SPDX-License-Identifier: LGPL-2.1-or-later
"""occupancy.py PROGRAM FOLDER ...

PROGRAM is `launches`; the folders have reports of ptxas (*-cuda.txt), of builds for one or several
chips. Prints the figures of docs/kernels.md as JSON: for each matcher with default properties and
each kernel, by compute capability, threads of a block, registers of a thread, static and dynamic
shared memory of a block in bytes, bytes of registers that a thread spills, and the percentage of warps
that can be resident. Of several launches of a kernel, that with the lowest percentage is listed.
Kernels without a report are left out.
"""

import json
import sys

import resources

MATCHERS = ("bfv", "bp", "esaw", "esmp", "pyramid", "sgm", "vcbw")
SIZE = "1280x720"


def figures(reports, capability, launches):
    """[threads, registers, static, dynamic, spills, percent] by kernel."""
    found = {}
    for launch in launches:
        usage = reports.get((capability, resources.identity(launch.kernel)))
        if usage is None:
            continue
        percent = round(resources.occupancy(resources.CHIPS[capability], usage, launch))
        name = resources.short_name(launch.kernel)
        values = [launch.threads, usage.registers, usage.shared, launch.shared, usage.spills,
                  percent]
        if name not in found or percent < found[name][-1]:
            found[name] = values
    return found


def main(program, folders):
    reports = {}
    for folder in folders:
        reports.update({(capability, resources.identity(kernel)): usage for (capability, kernel), usage
                        in resources.read_reports(folder).items()})
    capabilities = sorted({capability for capability, _ in reports})
    matchers = {}
    for matcher in MATCHERS:
        kernels = matchers.setdefault(matcher, {})
        for capability in capabilities:
            launches, others = resources.run_launches(program, capability, matcher, SIZE)
            if others:
                # the chip cannot run the defaults
                continue
            for name, values in figures(reports, capability, launches).items():
                kernels.setdefault(name, {})[capability] = values
    print(json.dumps({"size": SIZE, "chips": {c: resources.CHIPS[c].name for c in capabilities},
                      "matchers": matchers}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
