"""How people did on attention checks, for managers to look at. Nothing follows from it by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.accepting import rule_words
from studies.history import history_of
from studies.models import Assignment, Enrolment, ResponseEvent, StudyVersion


@dataclass(frozen=True, slots=True)
class CheckTally:
    """How many checks somebody has answered, and how many as accepted."""

    passed: int
    given: int


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """One question of a check: what was said, what is accepted, and whether the whole check was passed.

    `given` is None when the question was not answered; `passed` is None while the check is not finished.
    """

    item: str
    question: str
    given: Any
    accepted: str
    passed: bool | None


def checks_of(enrolment: Enrolment) -> list[Assignment]:
    """The checks that somebody was shown, in their order."""
    shown = enrolment.assignments.filter(purpose=Assignment.Purpose.CHECK, position__isnull=False)
    return list(shown.select_related("unit").order_by("position"))


def check_tally(enrolment: Enrolment) -> CheckTally:
    """Checks passed of those answered; one that was reported counts as neither."""
    done = [a.passed for a in checks_of(enrolment) if a.passed is not None]
    return CheckTally(sum(done), len(done))


def check_answers(enrolment: Enrolment) -> list[CheckAnswer]:
    """Every question of the checks that somebody was shown, with a rule or an answer, in their order."""
    frozen: dict[int, Mapping[str, Any]] = {}
    found = []
    for assignment in checks_of(enrolment):
        heads = history_of(assignment).heads
        said = {
            key: head.value for (scope, key), head in heads.items() if scope == ResponseEvent.Scope.QUESTION
        }
        rules = _rules(assignment, enrolment, frozen)
        for question in sorted(rules.keys() | said.keys()):
            accepted = rule_words(rules.get(question))
            found.append(
                CheckAnswer(assignment.unit.key, question, said.get(question), accepted, assignment.passed)
            )
    return found


def _rules(
    assignment: Assignment, enrolment: Enrolment, frozen: dict[int, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The rules that were in force: those of the version that the check was given under."""
    number = assignment.study_version
    if number not in frozen:
        version = StudyVersion.objects.filter(study=enrolment.study_id, number=number).first()
        items = version.frozen.get("checks", {}).get("items", []) if version else []
        frozen[number] = {item["key"]: item["accepts"] for item in items}
    rules: Mapping[str, Any] = frozen[number].get(assignment.unit.key, assignment.unit.accepts)
    return rules
