# gst-stereomatching: options of the commands in Python
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Usage, manual page, completion and parser from a table of options.

Needs nothing but Python, so that the manual pages can be made without the library.
"""

import argparse
import sys
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any, Callable, List, NoReturn, Optional, Sequence, Tuple


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


def _format_warning(message: object, *_: Any, **__: Any) -> str:
    return "Warning: %s\n" % message


def format_warnings() -> None:
    """Without a place in the code, which says nothing to users of a command."""
    warnings.formatwarning = _format_warning


class UsageError(Exception):
    """Invalid arguments."""


def places(words: Sequence[str]) -> Tuple[str, Optional[str], str]:
    """LEFT, RIGHT or None, and OUT."""
    if len(words) not in (2, 3):
        raise UsageError("expected LEFT RIGHT OUT, or SOURCE OUT, got %d name%s" % (
            len(words), "" if len(words) == 1 else "s"))
    return words[0], words[1] if len(words) == 3 else None, words[-1]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # argparse begins with "argument" before the name of an option
        raise UsageError(message[len("argument "):] if message.startswith("argument ") else message)


_KINDS = {int: "a whole number", float: "a number"}


def _converter(option: Option) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            value = option.kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError("expected %s, got '%s'" % (
                _KINDS[option.kind], text)) from None
        if option.choices and value not in option.choices:
            raise argparse.ArgumentTypeError("expected one of %s, got '%s'" % (
                ", ".join(option.choices), text))
        return value
    return convert


@dataclass(frozen=True)
class Command:
    name: str
    usage: str
    options: Sequence[Option]

    def help_text(self) -> str:
        lines = [self.usage]
        for option in self.options:
            if not option.name:
                lines.append("\n%s:" % option.description)
                continue
            words = textwrap.wrap(_described(option), 53)
            lines.append("  %-23s %s" % ((option.name + " " + option.argument).strip(), words[0]))
            lines += [" " * 26 + line for line in words[1:]]
        return "\n".join(lines).replace("\n\n\n", "\n\n")

    def option_table(self) -> str:
        return "\n".join("\t".join((option.name, option.argument, " ".join(option.choices),
                                    option.description))
                         for option in self.options if option.name != "--options")

    def parse(self, words: Optional[List[str]]) -> argparse.Namespace:
        """The options; the other arguments are in `words`. None: those of the program."""
        parser = _Parser(add_help=False, allow_abbrev=False, usage=argparse.SUPPRESS)
        for option in self.options:
            if not option.name:
                continue
            if option.kind is bool:
                short = ("-h",) if option.name == "--help" else ()
                parser.add_argument(*short, option.name, action="store_true")
            elif option.kind is list:
                parser.add_argument(option.name, action="append", default=[])
            else:
                parser.add_argument(option.name, type=_converter(option), default=option.initial)
        parser.add_argument("words", nargs="*")
        return parser.parse_intermixed_args(sys.argv[1:] if words is None else words)

    def information(self, options: argparse.Namespace, version: str) -> Optional[str]:
        """The usage, the table of options or the version if one was asked for."""
        if options.help:
            return self.help_text()
        if options.options:
            return self.option_table()
        return "%s %s" % (self.name, version) if options.version else None

    def print_outputs(self) -> None:
        """The outputs that packaging/manual.py asks for."""
        print(self.option_table() if "--options" in sys.argv else self.help_text())
