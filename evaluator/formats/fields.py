"""Taking typed values out of one JSON object, noting every fault instead of stopping at the first."""

import math
from collections.abc import Collection

from evaluator.formats.problems import Findings, shown


def as_number(value: object) -> float | None:
    """A finite JSON number as float, else ``None``. Booleans and digit strings are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_integer(value: object) -> int | None:
    """A JSON number without a fraction as int (2.0 counts as 2), else ``None``."""
    number = as_number(value)
    if number is None or number != math.floor(number):
        return None
    return value if isinstance(value, int) else int(number)


class Fields:
    """One JSON object under examination.

    Each getter returns the value, or ``None`` after noting what was found and what was expected, with the
    file, line and path of the field. A missing optional field gives ``None`` without a note.
    """

    def __init__(
        self,
        value: dict[str, object],
        findings: Findings,
        *,
        file: str,
        line: int | None = None,
        path: str = "",
    ) -> None:
        self.value = value
        self.findings = findings
        self.file = file
        self.line = line
        self.path = path

    def place(self, key: str) -> str:
        """The path of a key of this object, as problems name it."""
        return f"{self.path}.{key}" if self.path else key

    def refuse(self, key: str, *, expected: str, found: str | None = None) -> None:
        """Note a fault of ``key``; what was found is shown from the object unless given."""
        if found is None:
            found = shown(self.value[key]) if key in self.value else "nothing"
        self.findings.problem(self.file, self.line, self.place(key), found=found, expected=expected)

    def known(self, keys: Collection[str]) -> None:
        """Warn of every key that is not among ``keys``."""
        for key in self.value:
            if key not in keys:
                expected = f"one of {', '.join(keys)}"
                self.findings.warning(
                    self.file, self.line, self.place(key), found="an unknown key", expected=expected
                )

    def _absent(self, key: str, *, optional: bool) -> bool:
        return optional and self.value.get(key) is None

    def text(self, key: str, *, optional: bool = False, empty: bool = False) -> str | None:
        """A string; ``empty`` allows the empty one."""
        if self._absent(key, optional=optional):
            return None
        value = self.value.get(key)
        if isinstance(value, str) and (value or empty):
            return value
        self.refuse(key, expected="text" if empty else "text that is not empty")
        return None

    def number(
        self, key: str, *, low: float | None = None, high: float | None = None, optional: bool = False
    ) -> float | None:
        """A finite number within [low, high]."""
        if self._absent(key, optional=optional):
            return None
        number = as_number(self.value.get(key))
        if number is None or not _within(number, low, high):
            self.refuse(key, expected="a number" + _range(low, high))
            return None
        return number

    def integer(
        self, key: str, *, low: int | None = None, high: int | None = None, optional: bool = False
    ) -> int | None:
        """A number without a fraction within [low, high]."""
        if self._absent(key, optional=optional):
            return None
        number = as_integer(self.value.get(key))
        if number is None or not _within(number, low, high):
            self.refuse(key, expected="an integer" + _range(low, high))
            return None
        return number

    def choice(self, key: str, choices: Collection[str]) -> str | None:
        """One of the given strings."""
        value = self.value.get(key)
        if isinstance(value, str) and value in choices:
            return value
        self.refuse(key, expected=" or ".join(shown(choice) for choice in choices))
        return None

    def nested(self, key: str) -> "Fields | None":
        """A nested object, ready to be examined the same way."""
        value = self.value.get(key)
        if isinstance(value, dict):
            return Fields(value, self.findings, file=self.file, line=self.line, path=self.place(key))
        self.refuse(key, expected="an object")
        return None

    def array(self, key: str) -> list[object] | None:
        """An array, its members unexamined."""
        value = self.value.get(key)
        if isinstance(value, list):
            return value
        self.refuse(key, expected="an array")
        return None

    def objects(self, key: str) -> "list[Fields] | None":
        """An array of objects; members that are none are noted and left out."""
        members = self.array(key)
        if members is None:
            return None
        found: list[Fields] = []
        for index, member in enumerate(members):
            path = f"{self.place(key)}[{index}]"
            if isinstance(member, dict):
                found.append(Fields(member, self.findings, file=self.file, line=self.line, path=path))
            else:
                self.findings.problem(self.file, self.line, path, found=shown(member), expected="an object")
        return found


def _within(number: float, low: float | None, high: float | None) -> bool:
    return (low is None or number >= low) and (high is None or number <= high)


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return "" if high is None else f" of at most {high}"
