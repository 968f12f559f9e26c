"""Settings come from the environment only, read by these strict functions.

Every call declares a setting once (name, default, meaning); the README's table is held against
`DECLARED` by a test, so that it cannot rot.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Declared:
    """One setting: its name, its default as one would write it, and what it means."""

    name: str
    default: str
    meaning: str


DECLARED: dict[str, Declared] = {}


def _read(name: str, default: str, meaning: str, parse: Callable[[str], T], expected: str) -> T:
    DECLARED[name] = Declared(name, default, meaning)
    found = os.environ.get(name, default)
    try:
        return parse(found)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: found {found!r}, expected {expected}") from error


def text(name: str, default: str, meaning: str) -> str:
    """A setting taken as it stands."""
    return _read(name, default, meaning, str, "text")


def boolean(name: str, default: bool, meaning: str) -> bool:
    """A switch, written 1/0, true/false, yes/no or on/off."""

    def parse(found: str) -> bool:
        words = {"1": True, "true": True, "yes": True, "on": True}
        words |= {"0": False, "false": False, "no": False, "off": False, "": False}
        if found.strip().lower() not in words:
            raise ValueError(found)
        return words[found.strip().lower()]

    return _read(name, "1" if default else "0", meaning, parse, "1 or 0")


def integer(name: str, default: int, meaning: str) -> int:
    """A whole number of at least 1."""

    def parse(found: str) -> int:
        number = int(found)
        if number < 1:
            raise ValueError(found)
        return number

    return _read(name, str(default), meaning, parse, "a whole number of at least 1")


def words(name: str, default: str, meaning: str) -> list[str]:
    """A list separated by commas; empty entries are dropped."""
    return _read(name, default, meaning, lambda found: [w.strip() for w in found.split(",") if w.strip()], "")
