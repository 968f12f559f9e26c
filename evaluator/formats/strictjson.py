"""Reading JSON and JSONL strictly: one encoding, no NaN, no key twice, every fault with its line."""

import json
import math
from collections import Counter
from dataclasses import dataclass

from evaluator.formats.problems import Findings

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_UTF8_MARK = b"\xef\xbb\xbf"
_MAX_DEPTH = 100


class AmbiguousObject(dict[str, object]):
    """A JSON object in which a key stood twice; ``twice`` names the keys."""

    twice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a JSONL file with the line it came from (counted from 1)."""

    line: int
    value: dict[str, object]


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    ambiguous = AmbiguousObject(value)
    times = Counter(key for key, _ in pairs)
    ambiguous.twice = tuple(key for key, count in times.items() if count > 1)
    return ambiguous


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def decode(text: str) -> object:
    """Parse one JSON text. NaN and infinities come back as floats, twice-keyed objects as AmbiguousObject.

    Raises ``ValueError`` with a short reason when the text is not JSON.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def decode_from(text: str, start: int) -> object:
    """Parse the JSON value beginning at ``start``, ignoring what follows; ``ValueError`` if none begins."""
    try:
        return _DECODER.raw_decode(text, start)[0]
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def faults_within(value: object, path: str = "") -> list[tuple[str | None, str, str]]:
    """Faults that JSON parsers let pass, as (path, found, expected): keys twice, NaN, broken Unicode."""
    return _faults(value, path, 0)


def _faults(value: object, path: str, depth: int) -> list[tuple[str | None, str, str]]:
    if depth > _MAX_DEPTH:
        return [(path or None, "nesting deeper than 100 levels", "a flatter object")]
    if isinstance(value, float) and not math.isfinite(value):
        return [(path or None, _nonfinite_name(value), "a finite number")]
    if isinstance(value, str) and not _is_unicode(value):
        return [(path or None, "half of a surrogate pair", "complete Unicode text")]
    found: list[tuple[str | None, str, str]] = []
    if isinstance(value, dict):
        if isinstance(value, AmbiguousObject):
            found += [(_join(path, key), "the key twice", "each key once") for key in value.twice]
        for key, inner in value.items():
            found += _faults(inner, _join(path, key), depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _faults(inner, f"{path}[{index}]", depth + 1)
    return found


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _nonfinite_name(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def text_of(file: str, data: bytes, findings: Findings) -> str | None:
    """The UTF-8 text of a file, a leading byte order mark dropped; other encodings are noted by name."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            findings.problem(file, None, None, found=f"{name} text", expected="UTF-8 text")
            return None
    data = data.removeprefix(_UTF8_MARK)
    zero = data.find(b"\x00")
    if zero >= 0:
        line = data.count(b"\n", 0, zero) + 1
        findings.problem(
            file, line, None, found="a zero byte (UTF-16 text, or no text at all)", expected="UTF-8 text"
        )
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        findings.problem(
            file,
            line,
            None,
            found=f"byte 0x{data[error.start]:02X}, which is not UTF-8 (Windows-1252 or Latin-1 text?)",
            expected="UTF-8 text",
        )
        return None


def read_json(file: str, data: bytes, findings: Findings) -> dict[str, object] | None:
    """The one JSON object a file holds; ``None`` when a fault was noted."""
    text = text_of(file, data, findings)
    if text is None:
        return None
    return _checked_object(file, None, text, findings, lenient=False)


def read_jsonl(file: str, data: bytes, findings: Findings, *, lenient: bool = False) -> list[Row]:
    """The objects of a JSONL file with their lines; faulty lines are noted and left out.

    Empty lines are passed over. ``lenient`` is for model outputs, where a NaN or a key twice inside a value
    must cost that item only: such values are kept for the caller to judge, and only faults of the line itself
    (no JSON, no object, one of its own keys twice) are noted.
    """
    text = text_of(file, data, findings)
    if text is None:
        return []
    rows: list[Row] = []
    # Only "\n" ends a line: U+2028 and its like may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = _checked_object(file, number, line, findings, lenient=lenient)
        if value is not None:
            rows.append(Row(number, value))
    return rows


def _checked_object(
    file: str, line: int | None, text: str, findings: Findings, *, lenient: bool
) -> dict[str, object] | None:
    try:
        value = decode(text)
    except ValueError as error:
        findings.problem(
            file, line, None, found=f"text that is not JSON: {error}", expected="one JSON object"
        )
        return None
    if not isinstance(value, dict):
        findings.problem(file, line, None, found=_kind(value), expected="one JSON object")
        return None
    if lenient:
        twice = value.twice if isinstance(value, AmbiguousObject) else ()
        faults: list[tuple[str | None, str, str]] = [(key, "the key twice", "each key once") for key in twice]
    else:
        faults = faults_within(value)
    for path, found, expected in faults:
        findings.problem(file, line, path, found=found, expected=expected)
    return None if faults else value


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
