"""Reading a command line kindly: every mistyped name is answered with what there is."""

import argparse
import difflib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn


class WrongUsage(Exception):
    """The command line asks for something that does not exist; the message says what does."""


class Parser(argparse.ArgumentParser):
    """An argument parser that leaves saying goodbye to its caller."""

    def error(self, message: str) -> NoReturn:
        """Raise :class:`WrongUsage` with the message and how the command is used."""
        raise WrongUsage(f"{message}\n{self.format_usage().strip()}")


def parse(
    parser: argparse.ArgumentParser, commands: dict[str, argparse.ArgumentParser], arguments: Sequence[str]
) -> argparse.Namespace:
    """The options of a command line whose first word is one of ``commands``; else :class:`WrongUsage`."""
    first = next((argument for argument in arguments if not argument.startswith("-")), None)
    if first is not None and first not in commands:
        raise WrongUsage(f"no command {first!r}{nearest(first, commands)}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = [flag for action in commands[options.name]._actions for flag in action.option_strings]
        flags = [word for word in unknown if word.startswith("-")] or unknown
        early = [word for word in flags if word in known]
        if early:
            raise WrongUsage(f"{', '.join(early)}: expected after the command {options.name!r}")
        raise WrongUsage("; ".join(f"no argument {word!r}{nearest(word, known)}" for word in flags))
    return options


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint to end a message with: the names most like ``word``, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(sorted(names))}"


def count(text: str) -> int:
    """An option's value that must be a positive integer."""
    return _integer(text, 1)


def seed(text: str) -> int:
    """An option's value that must be an integer from 0."""
    return _integer(text, 0)


def _integer(text: str, low: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < low:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least {low}")
    return int(text)


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """The type of an option whose value must be one of ``names``."""

    def check(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"no field {text!r}{nearest(text, names)}")
        return text

    return check


def check_target(flag: str, path: Path | None) -> None:
    """Refuse a report file that could not be written before any work is done."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise WrongUsage(f"{flag} {path}: expected a file name in a folder that exists")
