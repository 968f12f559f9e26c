"""What an import did, or why it did nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.formats import InputRefused, Problem

MANY = 20
"""Warnings of one sort that are told one by one; more are counted."""


class ImportRefused(InputRefused):
    """The folder was read to its end, every problem was noted, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many things of one kind an import made, changed and found as they were."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0

    @property
    def text(self) -> str:
        """The counts as words."""
        return f"{self.created} new, {self.changed} changed, {self.unchanged} unchanged"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The counts by kind, in a fixed order, and what deserves a look. A dry run wrote nothing."""

    counts: Mapping[str, Counts]
    warnings: tuple[Problem, ...]
    dry_run: bool

    @property
    def nothing_to_do(self) -> bool:
        """Whether the catalogue already was what the folder says."""
        return not any(count.created or count.changed for count in self.counts.values())

    @property
    def text(self) -> str:
        """The report for people, several lines."""
        lines = warning_lines(self.warnings)
        lines += [f"{kind}: {count.text}" for kind, count in self.counts.items()]
        if self.nothing_to_do:
            lines.append("Nothing to do: the catalogue is what the folder says.")
        elif self.dry_run:
            lines.append("Dry run: nothing was written.")
        return "\n".join(lines)


def warning_lines(warnings: tuple[Problem, ...]) -> list[str]:
    """One line a warning, those of one file and field beyond the first few only counted."""
    told: dict[tuple[str, str | None], int] = {}
    lines: list[str] = []
    for warning in warnings:
        sort = (warning.file, warning.field)
        told[sort] = told.get(sort, 0) + 1
        if told[sort] <= MANY:
            lines.append(f"Warning: {warning.text}")
    for (file, field), count in told.items():
        if count > MANY:
            place = file if field is None else f"{file}, {field}"
            lines.append(f"Warning: {place}: {count - MANY} more of this sort")
    return lines
