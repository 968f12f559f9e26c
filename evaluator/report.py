"""Reports: the JSON object every task writes, and the tables and charts made of it for people."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator import __version__
from evaluator.resample import Estimate, Resampling
from evaluator.signature import signature


@dataclass(frozen=True, slots=True)
class Table:
    """Figures for people: a heading (perhaps empty), the columns' names, and rows of text."""

    heading: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """Estimates with their intervals, one above the other; those without a mean are not drawn."""

    heading: str
    axis: str
    points: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """One bar for each (name, value)."""

    heading: str
    axis: str
    bars: tuple[tuple[str, float], ...]


Chart = IntervalChart | BarChart


@dataclass(frozen=True, slots=True)
class Result:
    """A scored run: the report for files, and for people its title, tables and charts."""

    report: Mapping[str, object]
    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]

    @property
    def signature(self) -> str:
        """The line that says how the figures were made."""
        return str(self.report["signature"])

    @property
    def text(self) -> str:
        """Everything for a terminal, the signature last."""
        blocks = [self.title]
        for table in self.tables:
            own = table_text(table.head, table.rows)
            blocks.append(f"{table.heading}\n{own}" if table.heading else own)
        return "\n\n".join([*blocks, self.signature])


def report_head(
    task: str, conventions: Mapping[str, str], label: str, plan: Resampling, group: str | None
) -> dict[str, object]:
    """What every report begins with: its signature and each of the signature's keys again.

    ``conventions`` are the task's own keys; ``label`` names what was scored. ``group`` stands in the
    signature only where groups are resampled.
    """
    settings: dict[str, object] = {**conventions, "ci": "pct95", "n": plan.resamples, "seed": plan.seed}
    if group is not None:
        settings["group"] = group
    settings |= {"set": label, "v": __version__}
    return {"task": task, "signature": signature(task, settings), **settings}


def estimate_value(estimate: Estimate) -> dict[str, object]:
    """An estimate as a report holds it: mean and interval."""
    return {"mean": estimate.mean, "ci": None if estimate.ci is None else list(estimate.ci)}


def estimate_notes(key: str, estimate: Estimate, nothing: str) -> dict[str, str]:
    """Why an estimate is null, keyed by its place in the report; ``nothing`` says why it covers no item."""
    if estimate.mean is None:
        return {f"{key}.mean": nothing, f"{key}.ci": nothing}
    if estimate.ci is None:
        return {f"{key}.ci": "fewer than two units to resample"}
    return {}


def number_text(value: float | None, digits: int = 3) -> str:
    """A figure for people; a dash where undefined."""
    # Adding zero keeps a small negative from reading as -0.000.
    return "–" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def estimate_text(estimate: Estimate) -> str:
    """A mean with its interval for people, such as ``0.176 [0.067, 0.282]``."""
    if estimate.ci is None:
        return number_text(estimate.mean)
    low, high = estimate.ci
    return f"{number_text(estimate.mean)} [{number_text(low)}, {number_text(high)}]"


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table: the first column to the left, the others to the right, columns as wide as needed."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]

    def line_text(line: Sequence[str]) -> str:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        return "  ".join(cells).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line_text(lines[0]), rule, *(line_text(line) for line in lines[1:])])


def report_write(path: Path, data: bytes) -> None:
    """Write a report's file, whole or not at all. Raises ``OSError`` when it cannot be written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files for the owner alone; a report is as readable as any new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
