"""Measured figures with what was promised, as a table for people."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. `most` is the promise, in the same unit; None for a figure to compare with."""

    database: str
    what: str
    value: float
    unit: str
    most: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the promise holds."""
        return self.most is None or self.value <= self.most


def table(figures: Sequence[Figure]) -> str:
    """The figures in aligned columns."""
    rows = [("database", "what", "measured", "promised", "")]
    for figure in figures:
        promised = "" if figure.most is None else f"≤ {figure.most:g} {figure.unit}".rstrip()
        verdict = "" if figure.most is None else ("kept" if figure.kept else "BROKEN")
        measured = f"{figure.value:.4g} {figure.unit}".rstrip()
        rows.append((figure.database, figure.what, measured, promised, verdict))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )
