"""Intensity predictions: from a JSONL file to one profile per item, or the reason why there is none.

A missing or unreadable output is never replaced by a score (000 Table 12); it is counted, with its reason.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.formats.fields import Fields, as_number
from evaluator.formats.ip import IpItem
from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import AmbiguousObject, Row, decode_from, read_jsonl

Mode = Literal["joint", "independent"]
MODES: tuple[Mode, ...] = ("joint", "independent")

_LOW, _HIGH = 0, 100
_KEYS = ("item_id", "moment_id", "scores", "output", "run")
_NO_LINE = "no prediction"

# A number with nothing glued to its front that could belong to it, and no letter behind it. Behind it, a
# point or sign counts as glued only when a digit follows: "85." ends a sentence, "1.2.3" and "0-100" are no
# scores.
_SIGNS = r"+\-−±"
_NUMBER = re.compile(rf"(?<![^\W_])(?<![.{_SIGNS}])[0-9]++(?:\.[0-9]++)?+(?![^\W_])(?![.{_SIGNS}]\d)")


class Unparsed(Exception):
    """A model's output gives no usable score; the message says why."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A parsed prediction: one score of 0-100 per moment in the item's order, or ``None`` and the reason."""

    scores: tuple[float, ...] | None
    reason: str | None = None


def joint_scores(text: str, n_moments: int) -> tuple[float, ...]:
    """The scores in a joint output: those of the last JSON object holding all keys m0…m(k-1).

    The object may stand in a code fence, in prose or inside another object; its other keys are ignored.
    Raises :class:`Unparsed` when there is none or one of its values is not a number from 0 to 100.
    """
    keys = [f"m{index}" for index in range(n_moments)]
    start = text.rfind("{")
    while start >= 0:
        try:
            value = decode_from(text, start)
        except ValueError:
            value = None
        if isinstance(value, dict) and all(key in value for key in keys):
            if isinstance(value, AmbiguousObject) and set(keys) & set(value.twice):
                raise Unparsed("a moment is scored twice in one object")
            return tuple(_score(key, value[key]) for key in keys)
        start = text.rfind("{", 0, start)
    raise Unparsed(f"no JSON object with all keys {keys[0]} to {keys[-1]}")


def independent_score(text: str) -> float:
    """The score in an independent output: its first standalone number, from 0 to 100.

    Standalone means that no letter, digit, sign or point is glued to it. Raises :class:`Unparsed` when there
    is no such number or it is out of range.
    """
    match = _NUMBER.search(text)
    if match is None:
        raise Unparsed("no standalone number")
    return _score("output", float(match.group()))


def _score(name: str, value: object) -> float:
    number = as_number(value)
    if number is None or not _LOW <= number <= _HIGH:
        raise Unparsed(f"{name} is {shown(value)}, not a number from {_LOW} to {_HIGH}")
    return number


def profiles_read(
    file: str, data: bytes, mode: Mode, items: Sequence[IpItem], findings: Findings
) -> dict[str, Profile]:
    """One profile per item from a predictions file, keyed by item id in the order of ``items``.

    Faults of single outputs make that item's profile missing. Faults of the file (a line that is no object,
    no item id, two lines for one thing) go to ``findings`` as problems, unknown ids and keys as warnings.
    """
    lines = _lines_by_item(file, read_jsonl(file, data, findings, lenient=True), mode, items, findings)
    return {item.item_id: _profile(item, lines.get(item.item_id, {}), mode) for item in items}


def _lines_by_item(
    file: str, rows: Sequence[Row], mode: Mode, items: Sequence[IpItem], findings: Findings
) -> dict[str, dict[str | None, Row]]:
    """The lines of each item by moment id, ``None`` standing for a line about the whole item."""
    moments = {item.item_id: {moment.moment_id for moment in item.moments} for item in items}
    lines: dict[str, dict[str | None, Row]] = {}
    for row in rows:
        fields = Fields(row.value, findings, file=file, line=row.line)
        fields.known(_KEYS if mode == "independent" else tuple(key for key in _KEYS if key != "moment_id"))
        item_id = fields.text("item_id")
        # Only a line with all of an item's scores may do without naming a moment.
        whole = mode == "joint" or fields.value.get("scores") is not None
        moment_id = None if mode == "joint" else fields.text("moment_id", optional=whole)
        if item_id is None or (moment_id is None and not whole):
            continue
        _warn_unknown(fields, item_id, moment_id, moments)
        own = lines.setdefault(item_id, {})
        earlier = _same_subject(own, moment_id)
        if earlier is None:
            own[moment_id] = row
        else:
            fields.refuse(
                "item_id",
                found=f"{shown(item_id)} again" if moment_id is None else f"{shown(moment_id)} again",
                expected=f"one prediction for each item or moment (the other is on line {earlier.line})",
            )
    return lines


def _same_subject(own: Mapping[str | None, Row], moment_id: str | None) -> Row | None:
    """An earlier line about the same thing. A line about the whole item speaks of every moment."""
    if moment_id is None:
        return next(iter(own.values()), None)
    return own.get(moment_id) or own.get(None)


def _warn_unknown(
    fields: Fields, item_id: str, moment_id: str | None, moments: Mapping[str, set[str]]
) -> None:
    if item_id not in moments:
        _warn(fields, "item_id", item_id, "an item of the set")
        return
    known = moments[item_id]
    if moment_id is not None and moment_id not in known:
        _warn(fields, "moment_id", moment_id, f"a moment of item {shown(item_id)}")
    scores = fields.value.get("scores")
    if isinstance(scores, dict):
        for key in scores:
            if key not in known:
                _warn(fields, "scores", key, f"a moment of item {shown(item_id)}")


def _warn(fields: Fields, key: str, found: str, expected: str) -> None:
    fields.findings.warning(
        fields.file,
        fields.line,
        key,
        found=f"{shown(found)}, which is unknown and ignored",
        expected=expected,
    )


def _profile(item: IpItem, lines: Mapping[str | None, Row], mode: Mode) -> Profile:
    if not lines:
        return Profile(None, _NO_LINE)
    names = [moment.moment_id for moment in item.moments]
    try:
        if None in lines:
            return Profile(_whole(lines[None].value, names))
        return Profile(tuple(_single(lines.get(name), name) for name in names))
    except Unparsed as error:
        return Profile(None, str(error))


def _whole(value: Mapping[str, object], names: Sequence[str]) -> tuple[float, ...]:
    """All scores of an item from one line; ``scores`` goes before ``output``."""
    if value.get("scores") is not None:
        return tuple(_structured(value["scores"], name) for name in names)
    return joint_scores(_output(value), len(names))


def _single(row: Row | None, name: str) -> float:
    """The score of one moment from its own line."""
    if row is None:
        raise Unparsed(f"no prediction for moment {name}")
    if row.value.get("scores") is not None:
        return _structured(row.value["scores"], name)
    try:
        return independent_score(_output(row.value))
    except Unparsed as error:
        raise Unparsed(f"moment {name}: {error}") from None


def _structured(scores: object, name: str) -> float:
    if not isinstance(scores, dict):
        raise Unparsed(f"scores is {shown(scores)}, not an object")
    if isinstance(scores, AmbiguousObject) and name in scores.twice:
        raise Unparsed(f"moment {name} is scored twice")
    if name not in scores:
        raise Unparsed(f"no score for moment {name}")
    return _score(f"moment {name}", scores[name])


def _output(value: Mapping[str, object]) -> str:
    output = value.get("output")
    if not isinstance(output, str):
        raise Unparsed("no scores and no output text")
    return output
