"""What people said the second time they were shown a clip or item, beside what they said the first time.

Reads only. Nothing of this enters a consensus, coverage or alpha: repeats are assignments of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from evaluator.kappa import exact_agreement, weighted_kappa
from studies.counting import why_left_out
from studies.kinds import StudyKind
from studies.models import Assignment, ResponseEvent

_NO_SCALE = "answers of this kind are not one number on a scale"


@dataclass(frozen=True, slots=True)
class RepeatPair:
    """One question answered twice: who, in which visit, which question, the first and the second answer."""

    rater: str
    enrolment: str
    question: str
    first: Any
    second: Any


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far somebody agrees with themselves. `kappa` is None where it is not defined; `note` says why."""

    pairs: int
    same: int
    exact: float | None
    kappa: float | None
    note: str = ""


def repeat_pairs(studies: Sequence[int]) -> list[RepeatPair]:
    """Every question that was answered both in a repeat and in the work it repeats, as both stand now.

    First answers that do not count themselves (see `studies.counting`) make no pair, nor do repeats that were
    reported or skipped. In the order of joining, then of the repeats.
    """
    seconds = _standing(
        ResponseEvent.objects.filter(
            assignment__purpose=Assignment.Purpose.REPEAT,
            assignment__enrolment__study__in=studies,
        ).exclude(assignment__state=Assignment.State.SKIPPED)
    )
    repeated = Assignment.objects.filter(
        purpose=Assignment.Purpose.REPEAT, enrolment=OuterRef("enrolment"), unit=OuterRef("assignment__unit")
    )
    firsts = _standing(
        ResponseEvent.objects.filter(
            Exists(repeated),
            assignment__purpose=Assignment.Purpose.STUDY,
            assignment__enrolment__study__in=studies,
        )
        .annotate(left_out=why_left_out("assignment__"))
        .filter(left_out="")
    )
    said_first = {(e.enrolment_id, e.assignment.unit_id, e.question): _value(e) for e in firsts}
    pairs = []
    for event in seconds:
        key = (event.enrolment_id, event.assignment.unit_id, event.question)
        if key in said_first:
            visit = event.enrolment
            pairs.append(
                RepeatPair(
                    visit.participant.public_id,
                    visit.public_id,
                    event.question,
                    said_first[key],
                    _value(event),
                )
            )
    return pairs


def _standing(events: QuerySet[ResponseEvent, ResponseEvent]) -> Iterable[ResponseEvent]:
    """The heads of the questions' chains that leave an answer standing."""
    heads = (
        events.filter(scope=ResponseEvent.Scope.QUESTION, replaced_by__isnull=True)
        .select_related("restores", "assignment", "enrolment__participant")
        .order_by("enrolment__joined_at", "enrolment_id", "assignment__position", "pk")
    )
    return (event for event in heads if event.standing is not None)


def _value(event: ResponseEvent) -> Any:
    return event.standing.payload if event.standing else None


def repeat_agreement(kind: StudyKind, pairs: Sequence[RepeatPair]) -> Agreement:
    """Exact agreement and weighted kappa over the kind's scale, of pairs of one person."""
    values = [(pair.first, pair.second) for pair in pairs]
    same, exact = sum(first == second for first, second in values), exact_agreement(values)
    if not kind.scale:
        return Agreement(len(values), same, exact, None, _NO_SCALE)
    found = weighted_kappa(values, kind.scale)
    return Agreement(len(values), same, exact, found.value, found.note)


def agreement_by_rater(kind: StudyKind, pairs: Iterable[RepeatPair]) -> dict[str, Agreement]:
    """The agreement of each person with themselves, all their visits together, in the order of joining."""
    by_rater: dict[str, list[RepeatPair]] = {}
    for pair in pairs:
        by_rater.setdefault(pair.rater, []).append(pair)
    return {rater: repeat_agreement(kind, own) for rater, own in by_rater.items()}
