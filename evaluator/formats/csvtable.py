"""Reading CSV strictly: UTF-8, one separator, a header, every fault with the line its row begins on."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import text_of

SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of a CSV file: the line it begins on (from 1) and its cells by column, as they stand."""

    line: int
    cells: dict[str, str]


def read_csv(
    file: str, data: bytes, required: Sequence[str], optional: Sequence[str], findings: Findings
) -> list[CsvRow]:
    """The rows of a CSV file whose header has the ``required`` columns, and perhaps the ``optional`` ones.

    The separator is a comma, semicolon or tab, whichever the header shows. Cells stay text, quoted line
    breaks and all; empty lines are passed over. Faults are noted: another encoding, a column missing or given
    twice, a row with more or fewer cells than the header, quotes that do not fit. Rows with a fault are left
    out; after a fault of quoting the rest cannot be told apart and is not read. Other columns are a warning
    and are left out.
    """
    text = text_of(file, data, findings)
    if text is None:
        return []
    records = _records(file, text, _separator(text, required), findings)
    if not records:
        if not findings.problems:
            findings.problem(file, None, None, found="an empty file", expected=_columns(required))
        return []
    line, header = records[0]
    if not _header_is_sound(file, line, header, required, findings):
        return []
    known = (*required, *optional)
    for name in header:
        if name not in known:
            expected = f"one of {', '.join(known)}"
            findings.warning(file, line, name or None, found="an unknown column", expected=expected)
    rows = []
    for start, cells in records[1:]:
        if len(cells) == len(header):
            pairs = zip(header, cells, strict=True)
            rows.append(CsvRow(start, {name: cell for name, cell in pairs if name in known}))
            continue
        expected = f"{len(header)} cells, as in the header"
        findings.problem(file, start, None, found=f"{len(cells)} cells", expected=expected)
    return rows


def _separator(text: str, required: Sequence[str]) -> str:
    """The separator under which the header's line holds most of the wanted columns."""
    header = next((line for line in text.splitlines() if line.strip()), "")

    def hits(separator: str) -> int:
        return len({cell.strip('"') for cell in header.split(separator)} & set(required))

    return max(SEPARATORS, key=hits)


def _records(file: str, text: str, separator: str, findings: Findings) -> list[tuple[int, list[str]]]:
    """All records with the line each begins on; lines without a cell are left out."""
    # Line ends must reach the reader as they are, or quoted ones would change.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    records: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for cells in reader:
            if cells:
                records.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        findings.problem(
            file,
            start,
            None,
            found=f"a row that cannot be read ({error})",
            expected="CSV with quotes in pairs",
        )
    return records


def _header_is_sound(
    file: str, line: int, header: Sequence[str], required: Sequence[str], findings: Findings
) -> bool:
    missing = [name for name in required if name not in header]
    for name in missing:
        seen = ", ".join(shown(cell) for cell in header)
        findings.problem(file, line, name, found=f"no such column among {seen}", expected=_columns(required))
    twice = [name for name, times in Counter(header).items() if times > 1]
    for name in twice:
        findings.problem(file, line, name, found="the column twice", expected="each column once")
    return not missing and not twice


def _columns(required: Sequence[str]) -> str:
    return f"a header with the columns {', '.join(required)}"
