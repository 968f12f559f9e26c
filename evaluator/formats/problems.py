"""What is wrong with an input, said so that its owner can mend it: file, line, field, found, expected."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

_SHOWN_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input file.

    ``line`` counts from 1; ``field`` is a path inside the object such as ``moments[2].end_s``. Either is
    ``None`` where the fault belongs to the file as a whole.
    """

    file: str
    line: int | None
    field: str | None
    found: str
    expected: str

    @property
    def text(self) -> str:
        """The problem as one line of plain text."""
        place = self.file if self.line is None else f"{self.file} line {self.line}"
        if self.field is not None:
            place = f"{place}, {self.field}"
        return f"{place}: found {self.found}; expected {self.expected}"

    def __str__(self) -> str:
        return self.text


class InputRefused(Exception):
    """An input was read to its end, every fault was noted, and nothing was changed or scored.

    ``problems`` come file by file, in the order of lines.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = list(problems)
        files = list(dict.fromkeys(problem.file for problem in found))
        found.sort(key=lambda problem: (files.index(problem.file), problem.line or 0))
        self.problems = tuple(found)
        super().__init__("\n".join(problem.text for problem in self.problems))


@dataclass(slots=True)
class Findings:
    """Collects the problems and warnings of a reading, so that all are told in one go.

    With ``strict`` a warning counts as a problem.
    """

    strict: bool = False
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def problem(self, file: str, line: int | None, field: str | None, *, found: str, expected: str) -> None:
        """Note a fault for which the input will be refused."""
        self.problems.append(Problem(file, line, field, found, expected))

    def warning(self, file: str, line: int | None, field: str | None, *, found: str, expected: str) -> None:
        """Note something that is ignored, or refused when reading strictly."""
        target = self.problems if self.strict else self.warnings
        target.append(Problem(file, line, field, found, expected))

    def raise_if_any(self) -> None:
        """Raise :class:`InputRefused` with everything noted so far, if anything was."""
        if self.problems:
            raise InputRefused(self.problems)


def shown(value: object) -> str:
    """A short, unambiguous rendering of a value that was found (text keeps its quotes)."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        text = repr(value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError):
            text = repr(value)
    # Half a surrogate pair can be read from JSON and written nowhere.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
