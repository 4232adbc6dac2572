# gst-stereomatching: errors of a build on the visible data sets
# SPDX-License-Identifier: LGPL-2.1-or-later
"""evaluate.py [--datasets DIR] [--json] STEREO_EVAL [SPEC ...]

Runs stereo-eval for each SPEC (a matcher and properties in one argument, "sgm cost=learned") on the
Middlebury sets by which networks are chosen, and prints bad-1 per set, averaged over scenes and
regions, and the mean of the sets.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

SETS = {"v2": "middlebury-v2", "2001": "middlebury-2001", "half": "middlebury-2003-half",
        "A": "exposure/a", "B": "exposure/b", "C": "exposure/c"}
MATCHERS = ["sgm", "esaw", "esmp", "vcbw"]


def evaluate(program, spec, folder, threads):
    """bad-1 in percent."""
    command = [program, *spec.split(), "--json", "--backend", "cpu", "--threads", str(threads), folder]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)["runs"][0]["average"]


def evaluate_all(program, specs, datasets, jobs=1):
    """{spec: {set: bad-1}} with a mean in each."""
    pairs = [(spec, name) for spec in specs for name in SETS]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        values = pool.map(lambda p: evaluate(program, p[0], os.path.join(datasets, SETS[p[1]]), 2), pairs)
        table = {spec: {} for spec in specs}
        for (spec, name), value in zip(pairs, values):
            table[spec][name] = value
    for row in table.values():
        row["mean"] = sum(row.values()) / len(SETS)
    return table


def main():
    parser = argparse.ArgumentParser(description="Evaluate matchers on the visible data sets")
    parser.add_argument("--datasets", default=os.environ.get("STEREO_DATASETS"))
    parser.add_argument("--jobs", type=int, default=1, help="programs at once, of two threads each")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("program", metavar="STEREO_EVAL")
    parser.add_argument("specs", metavar="SPEC", nargs="*", default=MATCHERS)
    args = parser.parse_args()
    if not args.datasets:
        sys.exit("evaluate.py: Set STEREO_DATASETS or --datasets")
    table = evaluate_all(args.program, args.specs, args.datasets, args.jobs)
    if args.json:
        print(json.dumps(table))
        return
    columns = [*SETS, "mean"]
    print("%-24s" % "bad-1, %" + "".join("%8s" % name for name in columns))
    for spec, row in table.items():
        print("%-24s" % spec + "".join("%8.2f" % row[name] for name in columns))


if __name__ == "__main__":
    main()
