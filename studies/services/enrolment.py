"""Joining a study and handing the work in."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from studies.errors import Refused
from studies.models import Assignment, Enrolment, Participant, Study
from studies.tokens import token_hash, token_new

CANNOT_JOIN = {
    Study.State.DRAFT: "This study is not open yet.",
    Study.State.PAUSED: "This study takes nobody new at the moment.",
    Study.State.HALTED: "This study has been stopped.",
    Study.State.CLOSED: "This study is closed.",
}


@transaction.atomic
def enrolment_join(
    *, study: Study, pool: str = "lab", simulated: bool = False, now: datetime | None = None
) -> tuple[Enrolment, str]:
    """Enrol a new participant who has agreed to the present consent text.

    Returns the enrolment and the personal token, which is stored nowhere and can only be shown now
    (the browser keeps it in a cookie). A study that is not open refuses.
    """
    study = Study.objects.get(pk=study.pk)
    if study.state != Study.State.OPEN:
        raise Refused("not_open", CANNOT_JOIN[Study.State(study.state)])
    token = token_new()
    enrolment = Enrolment.objects.create(
        study=study,
        participant=Participant.objects.create(),
        token_hash=token_hash(token),
        consent_version=study.version,
        pool=pool,
        simulated=simulated,
        joined_at=now or timezone.now(),
    )
    return enrolment, token


@transaction.atomic
def enrolment_hand_in(*, enrolment: Enrolment) -> Enrolment:
    """Hand the work in: answers can no longer be changed, unfinished units go to others. Idempotent."""
    enrolment = Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    if enrolment.state == Enrolment.State.ACTIVE:
        now = timezone.now()
        enrolment.state = Enrolment.State.HANDED_IN
        enrolment.handed_in_at = now
        enrolment.save(update_fields=["state", "handed_in_at"])
        enrolment.assignments.filter(state__in=[Assignment.State.OPEN, Assignment.State.RESERVED]).update(
            state=Assignment.State.RELEASED, closed_at=now
        )
    return enrolment
