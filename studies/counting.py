"""Which answers count in figures and sets, and why the others do not. The rules stand only here."""

from dataclasses import dataclass

from django.db.models import Case, CharField, Q, Value, When

from studies.models import Assignment, Enrolment, Study, StudyUnit


@dataclass(frozen=True, slots=True)
class LeavingOut:
    """A reason to leave the answers of an assignment out: its key, and the words for it after a colon."""

    reason: str
    words: str


WITHDRAWN_PERSON = LeavingOut("withdrawn_person", "from people who withdrew")
NOT_STUDY = LeavingOut("not_study", "practice, checks or repeats")
PILOT = LeavingOut("pilot", "from pilot waves")
WITHDRAWN_UNIT = LeavingOut("withdrawn_unit", "units that a manager took out of the study")
SURPLUS = LeavingOut("surplus", "came late, when the place was taken")
SKIPPED = LeavingOut("skipped", "units that the person then reported or skipped")
UNFINISHED = LeavingOut("unfinished", "units left half-way, which the study drops")

REASONS = (WITHDRAWN_PERSON, NOT_STUDY, PILOT, WITHDRAWN_UNIT, SURPLUS, SKIPPED, UNFINISHED)


def why_left_out(at: str = "", *, include_pilot: bool = False) -> Case:
    """An expression: the first reason of `REASONS` that applies to an assignment, or "" when it counts.

    `at` is the lookup path to the assignment, for instance `assignment__`.
    """
    conditions = {
        WITHDRAWN_PERSON: Q(**{f"{at}enrolment__state": Enrolment.State.WITHDRAWN}),
        NOT_STUDY: ~Q(**{f"{at}purpose": Assignment.Purpose.STUDY}),
        PILOT: Q(**{f"{at}unit__wave__pilot": True}),
        WITHDRAWN_UNIT: Q(**{f"{at}unit__state": StudyUnit.State.WITHDRAWN}),
        SURPLUS: Q(**{f"{at}surplus": True, f"{at}enrolment__study__late": Study.Late.SURPLUS}),
        SKIPPED: Q(**{f"{at}state": Assignment.State.SKIPPED}),
        UNFINISHED: Q(**{f"{at}enrolment__study__partial": Study.Partial.DROP})
        & ~Q(**{f"{at}state": Assignment.State.FINISHED}),
    }
    if include_pilot:
        del conditions[PILOT]
    cases = [When(condition, then=Value(why.reason)) for why, condition in conditions.items()]
    return Case(*cases, default=Value(""), output_field=CharField())
