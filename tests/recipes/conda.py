#!/usr/bin/env python3
# gst-stereomatching: renders the recipe for conda-forge
# SPDX-License-Identifier: LGPL-2.1-or-later
"""conda.py RECIPE FILES

Renders the recipe as rattler-build does, and compares its outputs with FILES, a list of what the build
installs below its prefix: each file belongs to exactly one output, and each pattern matches a file.
Prints the arguments of `meson setup`. Exits with 1 and a list of problems otherwise.
"""

import fnmatch
import sys

import rattler_build

# what conda-forge pins
VARIANTS = {"python_min": ["3.10"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"],
            "c_stdlib_version": ["2.17"]}


def matches(path, pattern):
    if pattern.endswith("/**"):
        return path.startswith(pattern[:-2])
    return fnmatch.fnmatchcase(path, pattern)


def problems(outputs, files):
    """outputs: patterns by the name of the output."""
    for path in files:
        owners = [name for name, patterns in outputs.items()
                  if any(matches(path, pattern) for pattern in patterns)]
        if len(owners) != 1:
            yield "%s is in %s" % (path, " and ".join(owners) or "no output")
    for name, patterns in outputs.items():
        for pattern in patterns:
            if not any(matches(path, pattern) for path in files):
                yield "%s: %s matches nothing" % (name, pattern)


def main(recipe, listing):
    with open(listing, encoding="utf-8") as text:
        files = text.read().split("\n")[:-1]
    recipe = rattler_build.Stage0Recipe.from_file(recipe)
    outputs, scripts = {}, set()
    for variant in recipe.render(rattler_build.VariantConfig(VARIANTS)):
        output = variant.recipe.to_dict()
        if output.get("staging_caches"):
            outputs[output["package"]["name"]] = output["build"]["files"]
            scripts.update(output["staging_caches"][0]["build"]["script"])
    found = list(problems(outputs, files))
    if not files or not outputs:
        found.append("there is nothing to compare")
    if found:
        sys.exit("\n".join(found))
    print([script for script in scripts if script.startswith("meson setup ")][0])


if __name__ == "__main__":
    main(*sys.argv[1:])
