"""Reads for the pay view and for Prolific's exclusion list."""

from collections.abc import Iterable

from django.db.models import Count, Q, Sum

from studies.identity import PROLIFIC, ParticipantIdentity, ProlificSubmission
from studies.models import Assignment, Enrolment, Study
from studies.pay import Visit

Purpose = Assignment.Purpose
_DONE = Q(assignments__state__in=Assignment.WORK_DONE)


def visits_of(study: Study) -> list[Visit]:
    """Every visit of a study in the order of joining. Imported answers have no visit to be paid for."""
    rows = (
        Enrolment.objects.filter(study=study)
        .exclude(pool__startswith="import:")
        .select_related("participant")
        .annotate(
            active=Sum("assignments__active_ms", default=0),
            items=Count("assignments", filter=_DONE & ~Q(assignments__purpose=Purpose.PRACTICE)),
            opt_outs=Count(
                "assignments",
                filter=Q(assignments__state=Assignment.State.SKIPPED)
                & ~Q(assignments__purpose=Purpose.PRACTICE),
            ),
            checks_given=Count(
                "assignments",
                filter=Q(assignments__purpose=Purpose.CHECK, assignments__passed__isnull=False),
            ),
            checks_passed=Count(
                "assignments", filter=Q(assignments__purpose=Purpose.CHECK, assignments__passed=True)
            ),
            repeats=Count("assignments", filter=_DONE & Q(assignments__purpose=Purpose.REPEAT)),
        )
        .order_by("joined_at", "pk")
    )
    submissions = {
        row.enrolment_id: row
        for row in ProlificSubmission.objects.filter(study=study, enrolment__isnull=False).order_by("pk")
    }
    return [_visit(row, submissions.get(row.pk)) for row in rows]


def _visit(row: Enrolment, submission: ProlificSubmission | None) -> Visit:
    counted = {
        name: getattr(row, name) for name in ("items", "opt_outs", "checks_given", "checks_passed", "repeats")
    }
    return Visit(
        key=row.pk,
        participant=row.participant.public_id,
        attempt=row.attempt,
        pool=row.pool,
        path=row.path,
        joined_at=row.joined_at,
        ended_at=row.handed_in_at,
        started_at=submission.started_at if submission else None,
        completed_at=submission.completed_at if submission else None,
        submission=submission.status if submission else "",
        returned=row.returned_at is not None,
        active_ms=row.active,  # type: ignore[attr-defined]  # annotated
        **counted,
    )


def outside_ids(visits: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Prolific's ids of person and submission by visit; only for those who may see identities."""
    enrolments = dict(Enrolment.objects.filter(pk__in=list(visits)).values_list("pk", "participant_id"))
    people = dict(
        ParticipantIdentity.objects.filter(
            source=PROLIFIC, participant__in=set(enrolments.values())
        ).values_list("participant_id", "external_id")
    )
    sessions = dict(
        ProlificSubmission.objects.filter(enrolment__in=enrolments)
        .order_by("pk")
        .values_list("enrolment_id", "session_id")
    )
    return {visit: (people.get(person, ""), sessions.get(visit, "")) for visit, person in enrolments.items()}


def exclusion_ids(study: Study) -> list[str]:
    """Prolific ids of everybody who has taken part in this study or in one that it keeps out, sorted.

    Only for those who may see identities.
    """
    kept_out = Enrolment.objects.filter(Q(study=study) | Q(study__in=study.keeps_out.all()))
    ids = ParticipantIdentity.objects.filter(source=PROLIFIC, participant__in=kept_out.values("participant"))
    return sorted(set(ids.values_list("external_id", flat=True)))
