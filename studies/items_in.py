"""Practice items and attention checks as lines of JSON: read with every fault at once, set, written.

A line is `{"key": clip or item, "accepts": {question: rule}, "feedback": "…"}`; rules are those of
`studies.accepting`. All or nothing: a file with a fault changes nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.formats import Fields, Findings, Row, json_line, read_jsonl, shown
from studies.accepting import accepted, rule_fault
from studies.models import Study, StudyUnit
from studies.queries import kind_of
from studies.services.study import items_faults, study_set_items

PURPOSES = (StudyUnit.Purpose.PRACTICE.value, StudyUnit.Purpose.CHECK.value)
_KEYS = ("key", "accepts", "feedback")


def items_lines(study: Study, purpose: str) -> Iterator[bytes]:
    """The items that are set, one JSON object a line, as they can be read again."""
    units = study.units.filter(purpose=purpose, state=StudyUnit.State.ACTIVE).order_by("order", "key")
    for unit in units:
        line = {"key": unit.key, "accepts": unit.accepts}
        yield json_line(line | ({"feedback": unit.feedback} if unit.feedback else {}))


def items_set(
    *, study: Study, purpose: str, file: str, data: bytes, by: Any = None, strict: bool = True
) -> int:
    """Replace the practice items or the checks of a study by those of a file; returns how many there are.

    Raises `InputRefused` with every fault: line, field, what was found and what was expected. With `strict`
    an unknown key is a fault as well. A file without a line takes all items away.
    """
    findings = Findings(strict=strict)
    rows = read_jsonl(file, data, findings)
    items = [_item(file, row, purpose, findings) for row in rows]
    for fault in items_faults(study, purpose, items):
        found = f"{fault.found} ({shown(fault.key)})" if fault.field == "key" else fault.found
        line = rows[fault.number - 1].line
        if fault.key:  # an item without one was noted when it was read
            findings.problem(file, line, fault.field, found=found, expected=fault.expected)
    scale = kind_of(study).scale
    for row, item in zip(rows, items, strict=True):
        for question, rule in item["accepts"].items():
            if scale and not rule_fault(rule) and not any(accepted(rule, value) for value in scale):
                expected = f"a rule that accepts at least one of {', '.join(map(str, scale))}"
                findings.problem(file, row.line, f"accepts.{question}", found=shown(rule), expected=expected)
    findings.raise_if_any()
    return study_set_items(study=study, purpose=purpose, items=items, by=by)


def _item(file: str, row: Row, purpose: str, findings: Findings) -> dict[str, Any]:
    """One line as an item; what could not be read is empty, and noted."""
    fields = Fields(row.value, findings, file=file, line=row.line)
    fields.known(_KEYS)
    accepts: Mapping[str, Any] = {}
    if "accepts" in row.value and (nested := fields.nested("accepts")) is not None:
        accepts = nested.value
    if purpose == StudyUnit.Purpose.CHECK and row.value.get("accepts", {}) == {}:
        fields.refuse("accepts", expected="a rule for at least one question: nobody could fail this check")
    feedback = fields.text("feedback", optional=True, empty=True) or ""
    return {"key": fields.text("key") or "", "accepts": accepts, "feedback": feedback}
