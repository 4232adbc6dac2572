# gst-stereomatching: options of the commands in Python
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Usage, manual page, completion and parser from a table of options.

Needs nothing but Python, so that the manual pages can be made without the library.
"""

import argparse
import textwrap
from dataclasses import dataclass
from typing import Any, List, NoReturn, Sequence, Tuple


@dataclass(frozen=True)
class Option:
    """A row of the table; one without a name is a heading."""

    name: str
    argument: str
    description: str
    kind: Any = str
    initial: Any = None
    choices: Tuple[str, ...] = ()


COMMON = (
    Option("--json", "", "print the summary as JSON", kind=bool),
    Option("--help", "", "print the usage", kind=bool),
    Option("--version", "", "print the version", kind=bool),
    Option("--options", "", "print the table of options for completion", kind=bool),
)


def _described(option: Option) -> str:
    if not option.choices:
        return option.description
    names = ["%s (default)" % name if name == option.initial else name for name in option.choices]
    return "%s: %s or %s" % (option.description, ", ".join(names[:-1]), names[-1])


def help_text(usage: str, options: Sequence[Option]) -> str:
    lines = [usage]
    for option in options:
        if not option.name:
            lines.append("\n%s:" % option.description)
            continue
        words = textwrap.wrap(_described(option), 53)
        lines.append(("  %-23s %s" % ((option.name + " " + option.argument).strip(), words[0])))
        lines += [" " * 26 + line for line in words[1:]]
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def option_table(options: Sequence[Option]) -> str:
    return "\n".join("\t".join((option.name, option.argument, " ".join(option.choices),
                                option.description))
                     for option in options if option.name != "--options")


class UsageError(Exception):
    """Invalid arguments."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def parse(options: Sequence[Option], words: List[str]) -> argparse.Namespace:
    """The options; the other arguments are in `words`."""
    parser = _Parser(add_help=False, allow_abbrev=False, usage=argparse.SUPPRESS)
    for option in options:
        if not option.name:
            continue
        if option.kind is bool:
            parser.add_argument(option.name, action="store_true")
        elif option.kind is list:
            parser.add_argument(option.name, action="append", default=[])
        else:
            parser.add_argument(option.name, type=option.kind, default=option.initial,
                                choices=option.choices or None)
    parser.add_argument("words", nargs="*")
    return parser.parse_intermixed_args(words)
