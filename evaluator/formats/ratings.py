"""Ratings files: who gave which moment which score, as JSONL or CSV.

``{"moment_id","rater","score"}``, the form in which Touchstone exports and imports answers, or with
``item_id`` besides, the form of a gold set's ``ratings.jsonl``.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from evaluator.formats.csvtable import read_csv
from evaluator.formats.fields import Fields
from evaluator.formats.ip import HIGHEST, LOWEST
from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import Row, read_jsonl

_REQUIRED = ("moment_id", "rater", "score")
_OPTIONAL = ("item_id",)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class RatingLine:
    """One rating with the line it stands on; ``item_id`` is ``None`` in files that do not give items."""

    line: int
    item_id: str | None
    moment_id: str
    rater: str
    score: int

    @property
    def moment(self) -> tuple[str, str]:
        """What names the moment: its item, where given, and its id."""
        return (self.item_id or "", self.moment_id)


def ratings_read(file: str, data: bytes, findings: Findings) -> list[RatingLine]:
    """The ratings of a JSONL or CSV file in the order of its lines.

    ``file`` is its name: ``.jsonl``, ``.ndjson`` or ``.json`` is JSONL, ``.csv`` or ``.tsv`` is CSV; under
    any other name a first character ``{`` means JSONL. Ids are text and stay as they stand (``007``,
    ``nan``). Problems: a score that is no integer from 0 to 3, an id that is missing or empty, the same rater
    twice on a moment (naming both lines), ``item_id`` on some lines only, no rating at all. Unknown keys and
    columns are a warning, once each.
    """
    before = len(findings.problems)
    rows = _csv_rows(file, data, findings) if _is_csv(file, data) else read_jsonl(file, data, findings)
    _warn_unknown(file, rows, findings)
    ratings = _ratings(file, rows, findings)
    if not ratings and len(findings.problems) == before:
        findings.problem(file, None, None, found="no rating", expected="at least one")
    return ratings


def _is_csv(file: str, data: bytes) -> bool:
    suffix = PurePath(file).suffix.lower()
    if suffix in (".csv", ".tsv"):
        return True
    if suffix in (".jsonl", ".ndjson", ".json"):
        return False
    return not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def _csv_rows(file: str, data: bytes, findings: Findings) -> list[Row]:
    """CSV rows as the objects a JSONL file would have held. Only a score is ever a number."""
    rows = []
    for row in read_csv(file, data, _REQUIRED, _OPTIONAL, findings):
        value: dict[str, object] = dict(row.cells)
        score = row.cells["score"]
        if _JSON_NUMBER.fullmatch(score):
            value["score"] = json.loads(score)
        rows.append(Row(row.line, value))
    return rows


def _warn_unknown(file: str, rows: Sequence[Row], findings: Findings) -> None:
    """Warn of each unknown key once, at the line where it is first met."""
    known = (*_REQUIRED, *_OPTIONAL)
    met = set(known)
    for row in rows:
        for key in row.value:
            if key not in met:
                met.add(key)
                expected = f"one of {', '.join(known)}"
                findings.warning(file, row.line, key, found="an unknown key", expected=expected)


def _ratings(file: str, rows: Sequence[Row], findings: Findings) -> list[RatingLine]:
    with_items = any("item_id" in row.value for row in rows)
    first: dict[tuple[tuple[str, str], str], int] = {}
    ratings = []
    for row in rows:
        fields = Fields(row.value, findings, file=file, line=row.line)
        item_id = fields.text("item_id") if with_items else None
        moment_id, rater = fields.text("moment_id"), fields.text("rater")
        score = fields.integer("score", low=LOWEST, high=HIGHEST)
        if moment_id is None or rater is None or (with_items and item_id is None):
            continue
        moment = (item_id or "", moment_id)
        line = first.setdefault((moment, rater), row.line)
        if line != row.line:
            found = f"{shown(rater)} again on moment {shown(moment_id)}"
            fields.refuse(
                "rater", found=found, expected=f"each rater once on a moment (the other is on line {line})"
            )
        elif score is not None:
            ratings.append(RatingLine(row.line, item_id, moment_id, rater, score))
    return ratings
