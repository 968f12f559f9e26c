"""Which answers count in figures and sets, and why the others do not. The rules stand only here."""

from dataclasses import dataclass

from django.db.models import Case, CharField, Exists, OuterRef, Q, Value, When

from studies.models import Assignment, Enrolment, Place, Study, StudyUnit


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
RETURNED = LeavingOut("returned", "from people whose submission was returned, which the study drops")
LEFT_PANEL = LeavingOut("left_panel", "from people who hold no seat of the panel")
OPEN_SEAT = LeavingOut("open_seat", "from seats of the panel that are not complete")
SKIPPED = LeavingOut("skipped", "units that the person then reported or skipped")
UNFINISHED = LeavingOut("unfinished", "units left half-way, which the study drops")

REASONS = (
    WITHDRAWN_PERSON,
    NOT_STUDY,
    PILOT,
    WITHDRAWN_UNIT,
    RETURNED,
    LEFT_PANEL,
    OPEN_SEAT,
    SURPLUS,
    SKIPPED,
    UNFINISHED,
)


def why_left_out(at: str = "", *, include_pilot: bool = False, complete_seats: bool = False) -> Case:
    """An expression: the first reason of `REASONS` that applies to an assignment, or "" when it counts.

    `at` is the lookup path to the assignment, for instance `assignment__`. `complete_seats`, for sets: of a
    panel only seats whose holder has done every unit. Answers imported into a panel need no seat.
    """
    panel = Q(**{f"{at}enrolment__study__mode": Study.Mode.PANEL}) & ~Q(
        **{f"{at}enrolment__pool__startswith": "import:"}
    )
    enrolment = OuterRef(f"{at}enrolment")
    seat = Place.objects.filter(unit=None, enrolment=enrolment)
    done = Assignment.objects.filter(
        unit=OuterRef("pk"),
        enrolment=OuterRef(OuterRef(f"{at}enrolment")),
        purpose=Assignment.Purpose.STUDY,
        state__in=Assignment.WORK_DONE,
    )
    undone = StudyUnit.objects.filter(
        ~Exists(done),
        study=OuterRef(f"{at}enrolment__study"),
        purpose=StudyUnit.Purpose.STUDY,
        state=StudyUnit.State.ACTIVE,
    )
    conditions = {
        WITHDRAWN_PERSON: Q(**{f"{at}enrolment__state": Enrolment.State.WITHDRAWN}),
        NOT_STUDY: ~Q(**{f"{at}purpose": Assignment.Purpose.STUDY}),
        PILOT: Q(**{f"{at}unit__wave__pilot": True}),
        WITHDRAWN_UNIT: Q(**{f"{at}unit__state": StudyUnit.State.WITHDRAWN}),
        RETURNED: Q(
            **{
                f"{at}enrolment__returned_at__isnull": False,
                f"{at}enrolment__study__returned": Study.Returned.DROP,
            }
        ),
        LEFT_PANEL: panel & ~Exists(seat),
        OPEN_SEAT: panel & Exists(undone),
        SURPLUS: Q(**{f"{at}surplus": True, f"{at}enrolment__study__late": Study.Late.SURPLUS}),
        SKIPPED: Q(**{f"{at}state": Assignment.State.SKIPPED}),
        UNFINISHED: Q(**{f"{at}enrolment__study__partial": Study.Partial.DROP})
        & ~Q(**{f"{at}state": Assignment.State.FINISHED}),
    }
    if include_pilot:
        del conditions[PILOT]
    if not complete_seats:
        del conditions[OPEN_SEAT]
    cases = [When(condition, then=Value(why.reason)) for why, condition in conditions.items()]
    return Case(*cases, default=Value(""), output_field=CharField())
