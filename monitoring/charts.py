"""Bars as data for server-drawn SVG."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, count, share of all in percent, width against the longest in percent, colour."""

    label: str
    count: int
    percent: float
    width: float
    colour: str


def bars(rows: Sequence[tuple[str, int, str]]) -> list[Bar]:
    """Bars for (label, count, colour) rows. The longest fills the chart; no rows or only zeros are fine."""
    total = sum(count for _, count, _ in rows) or 1
    longest = max((count for _, count, _ in rows), default=0) or 1
    return [
        Bar(label, count, 100 * count / total, 100 * count / longest, colour) for label, count, colour in rows
    ]
