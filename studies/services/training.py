"""The practice before the work: items with accepted answers, feedback after each, and a rule for passing.

The first answer to a practice question is the one that counts, as the feedback comes right after it. What is
said in practice stays with the practice: no figure, set or export of ratings ever reads it.
"""

from dataclasses import dataclass
from datetime import datetime

from studies.models import Assignment, Enrolment, Path, StudyUnit

Purpose = Assignment.Purpose


@dataclass(frozen=True, slots=True)
class Tried:
    """How a round of the practice went: items answered as accepted, items in all, items needed to pass."""

    passed: int
    of: int
    needed: int


@dataclass(frozen=True, slots=True)
class Practice:
    """Where somebody is in the practice. `assignment` is None when all tries are used up.

    `item` counts from 1 within the round; `before` is how the round before this one went.
    """

    assignment: Assignment | None
    item: int
    of: int
    round: int
    rounds: int
    needed: int
    before: Tried | None = None


def practice_next(enrolment: Enrolment, now: datetime) -> Practice | None:
    """The practice item whose turn it is; None when the practice is passed, or the study has none.

    The end of the last round decides: passed people go on to the work, others are handed in on the path
    `failed_training`. The caller holds the enrolment's lock.
    """
    if enrolment.trained_at is not None:
        return None
    study = enrolment.study
    units = list(
        StudyUnit.objects.filter(
            study=study, purpose=Purpose.PRACTICE, state=StudyUnit.State.ACTIVE
        ).order_by("order", "key")
    )
    if not units:
        return None
    given = list(enrolment.assignments.filter(purpose=Purpose.PRACTICE).order_by("round", "pk"))
    needed = min(study.training_pass or len(units), len(units))
    current = max((a.round for a in given), default=1)
    tried = [_tried(given, number, len(units), needed) for number in range(1, current + 1)]
    left = _left(given, units, current)
    if not left:
        if tried[-1].passed >= needed:
            enrolment.trained_at = now
            enrolment.save(update_fields=["trained_at"])
            return None
        if current >= study.training_attempts:
            _failed(enrolment, now)
            return Practice(None, 0, len(units), current, study.training_attempts, needed, tried[-1])
        current, left = current + 1, units
    return Practice(
        assignment=_assigned(enrolment, left[0], current),
        item=len(units) - len(left) + 1,
        of=len(units),
        round=current,
        rounds=study.training_attempts,
        needed=needed,
        before=tried[current - 2] if current > 1 else None,
    )


def _tried(given: list[Assignment], number: int, of: int, needed: int) -> Tried:
    return Tried(sum(bool(a.passed) for a in given if a.round == number), of, needed)


def _left(given: list[Assignment], units: list[StudyUnit], number: int) -> list[StudyUnit]:
    """Items of the round that were not done yet; one that can no longer be shown is done."""
    over = (*Assignment.WORK_DONE, Assignment.State.RELEASED)
    done = {a.unit_id for a in given if a.round == number and a.state in over}
    return [unit for unit in units if unit.pk not in done]


def _assigned(enrolment: Enrolment, unit: StudyUnit, number: int) -> Assignment:
    found, _ = Assignment.objects.select_related("unit", "enrolment__study").get_or_create(
        enrolment=enrolment,
        unit=unit,
        purpose=Purpose.PRACTICE,
        round=number,
        defaults={"study_version": enrolment.study.version},
    )
    return found


def _failed(enrolment: Enrolment, now: datetime) -> None:
    enrolment.state = Enrolment.State.HANDED_IN
    enrolment.path = Path.FAILED_TRAINING
    enrolment.handed_in_at = now
    enrolment.save(update_fields=["state", "path", "handed_in_at"])
