#!/usr/bin/env python3
# gst-stereomatching: options of Meson in a recipe
# SPDX-License-Identifier: LGPL-2.1-or-later
"""options.py OPTIONS ARGUMENT ...

Fails if an argument of `meson setup`, -DNAME=VALUE, is unknown or has an impossible value. OPTIONS is
the output of `meson introspect --buildoptions meson.build`. Arguments without -D are ignored; there
has to be at least one with it.
"""

import json
import sys

FEATURE = ("enabled", "disabled", "auto")


def problems(options, arguments):
    known = {option["name"]: option for option in options}
    for argument in arguments:
        name, _, value = argument[2:].partition("=")
        option = known.get(name)
        if option is None:
            yield "%s: there is no option %s" % (argument, name)
            continue
        choices = {"boolean": ("true", "false"), "feature": FEATURE}.get(option["type"])
        choices = choices or option.get("choices")
        if choices and option["type"] != "array" and value not in choices:
            yield "%s: expected one of %s" % (argument, ", ".join(choices))


def main(file, arguments):
    with open(file, encoding="utf-8") as text:
        options = json.load(text)
    given = [argument for argument in arguments if argument.startswith("-D")]
    found = list(problems(options, given)) if given else ["there are no options"]
    print("\n".join(found or given))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
