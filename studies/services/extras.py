"""What is mixed into somebody's work: attention checks, and clips or items shown a second time.

Neither is named as such to the annotator; both count as work. Checks are instructed items whose answers
managers see; nothing is done with them silently. Repeats are separate assignments that enter no figure but
the rater's agreement with themselves.
"""

from studies.models import Assignment, Enrolment, StudyUnit
from studies.queries import work_of
from studies.schedule import checks_due, drawn, repeats_due

Purpose = Assignment.Purpose


def _seed(enrolment: Enrolment) -> str:
    return f"{enrolment.study.seed}:{enrolment.public_id}"


def _given(enrolment: Enrolment, purpose: str) -> list[int]:
    """The units given for a purpose, in whatever state: each of them comes once."""
    return list(enrolment.assignments.filter(purpose=purpose).values_list("unit_id", flat=True))


def extra_next(enrolment: Enrolment, *, at_end: bool) -> Assignment | None:
    """The check or repeat whose turn has come, as a new assignment.

    `at_end`, when there is no other work, the repeats that are still owed come at once, as far as enough
    lies between.
    """
    done = list(work_of(enrolment, Purpose.STUDY).order_by("closed_at", "pk").values_list("unit_id", "state"))
    unit = _check(enrolment, len(done))
    if unit is not None:
        return _assigned(enrolment, unit, Purpose.CHECK)
    unit = _repeat(enrolment, done, at_end=at_end)
    return None if unit is None else _assigned(enrolment, unit, Purpose.REPEAT)


def _check(enrolment: Enrolment, done: int) -> int | None:
    study = enrolment.study
    given = _given(enrolment, Purpose.CHECK)
    if len(given) >= checks_due(_seed(enrolment), study.check_every, done):
        return None
    checks = StudyUnit.objects.filter(
        study=study, purpose=StudyUnit.Purpose.CHECK, state=StudyUnit.State.ACTIVE
    )
    left = list(checks.exclude(pk__in=given).order_by("key").values_list("pk", flat=True))
    return left[drawn(f"{_seed(enrolment)}:which check:{len(given)}", len(left))] if left else None


def _repeat(enrolment: Enrolment, done: list[tuple[int, str]], *, at_end: bool) -> int | None:
    study = enrolment.study
    if not study.repeats:
        return None
    given = _given(enrolment, Purpose.REPEAT)
    due = (
        study.repeats if at_end else repeats_due(_seed(enrolment), study.repeats, study.repeat_gap, len(done))
    )
    if len(given) >= due:
        return None
    far_enough = done[: max(0, len(done) - study.repeat_gap)]
    left = [unit for unit, state in far_enough if state == Assignment.State.FINISHED and unit not in given]
    return left[drawn(f"{_seed(enrolment)}:which repeat:{len(given)}", len(left))] if left else None


def _assigned(enrolment: Enrolment, unit: int, purpose: str) -> Assignment:
    return Assignment.objects.create(
        enrolment=enrolment, unit_id=unit, purpose=purpose, study_version=enrolment.study.version
    )


def extras_to_come(enrolment: Enrolment, total: int) -> int:
    """How many checks and repeats will still be mixed in, so that progress does not give them away.

    `total` is what the person will have done without them; an estimate, as units may run out.
    """
    study = enrolment.study
    if not study.check_every and not study.repeats:
        return 0
    checks = StudyUnit.objects.filter(study=study, purpose=Purpose.CHECK, state="active").count()
    checks_given, repeats_given = (len(_given(enrolment, p)) for p in (Purpose.CHECK, Purpose.REPEAT))
    units = total - checks_given - repeats_given
    checks_wanted = min(checks, checks_due(_seed(enrolment), study.check_every, units))
    repeats_wanted = min(study.repeats, max(0, units - study.repeat_gap))
    return max(0, checks_wanted - checks_given) + max(0, repeats_wanted - repeats_given)
