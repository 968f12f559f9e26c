"""Joining a study, and every way of leaving it: handing in, withdrawing, being returned on Prolific."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from studies.errors import Refused
from studies.models import (
    Assignment,
    Enrolment,
    EnrolmentKey,
    Participant,
    Path,
    ResponseEvent,
    Study,
    TechnicalFault,
)
from studies.queries import kind_of, path_at_hand_in, seat_complete
from studies.services.assignment import WAITING, enrolment_locked
from studies.services.places import place_keep, places_release, seat_settle
from studies.tokens import token_hash, token_new

CANNOT_JOIN = {
    Study.State.DRAFT: "This study is not open yet.",
    Study.State.PAUSED: "This study takes nobody new at the moment.",
    Study.State.HALTED: "This study has been stopped.",
    Study.State.CLOSED: "This study is closed.",
}


@transaction.atomic
def enrolment_join(
    *,
    study: Study,
    participant: Participant | None = None,
    pool: str = "lab",
    simulated: bool = False,
    now: datetime | None = None,
) -> tuple[Enrolment, str]:
    """Enrol somebody who has agreed to the present consent text: a new participant, or a known one again.

    Returns the enrolment and its first key, which is stored nowhere and can only be shown now (the browser
    keeps it in a cookie). A study that is not open refuses, as does a visit that goes on already.
    """
    study = Study.objects.get(pk=study.pk)
    if study.state != Study.State.OPEN:
        raise Refused("not_open", CANNOT_JOIN[Study.State(study.state)])
    if participant is None:
        participant = Participant.objects.create()
    participant = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    before = Enrolment.objects.filter(study=study, participant=participant)
    if before.filter(state=Enrolment.State.WITHDRAWN).exists():
        raise Refused("withdrawn", "You have withdrawn from this study.")
    now = now or timezone.now()
    enrolment = Enrolment.objects.create(
        study=study,
        participant=participant,
        attempt=(before.aggregate(last=Max("attempt"))["last"] or 0) + 1,
        consent_version=study.version,
        pool=pool,
        simulated=simulated,
        joined_at=now,
        device_passed_at=now if simulated else None,
        # Who has passed the practice in an earlier visit need not pass it again.
        trained_at=before.exclude(trained_at=None).aggregate(at=Max("trained_at"))["at"],
    )
    return enrolment, key_new(enrolment)


def key_new(enrolment: Enrolment) -> str:
    """One more key to an enrolment, for the browser or device that has shown whose it is."""
    token = token_new()
    EnrolmentKey.objects.create(enrolment=enrolment, token_hash=token_hash(token))
    return token


@transaction.atomic
def enrolment_hand_in(*, enrolment: Enrolment, now: datetime | None = None) -> Enrolment:
    """Hand the work in: answers can no longer be changed, unfinished units go to others. Idempotent.

    The path, and with it the completion code, follows from what was done.
    """
    enrolment = enrolment_locked(enrolment)
    if enrolment.state == Enrolment.State.ACTIVE:
        now = now or timezone.now()
        _end(enrolment, path_at_hand_in(enrolment, now), now)
        _let_go(enrolment, now)
    return enrolment


@transaction.atomic
def enrolment_end(*, enrolment: Enrolment, path: str, now: datetime | None = None) -> Enrolment:
    """End somebody's part on a path that the study decides: the device failed, or they were screened out."""
    enrolment = enrolment_locked(enrolment)
    if enrolment.state == Enrolment.State.ACTIVE:
        now = now or timezone.now()
        _end(enrolment, Path(path), now)
        _let_go(enrolment, now)
    return enrolment


def _end(enrolment: Enrolment, path: Path, now: datetime) -> None:
    enrolment.state = Enrolment.State.HANDED_IN
    enrolment.path = path
    enrolment.handed_in_at = now
    enrolment.save(update_fields=["state", "path", "handed_in_at"])


def _let_go(enrolment: Enrolment, now: datetime) -> None:
    """What is unfinished goes to others; a seat stays with somebody who has done all of it."""
    waiting = enrolment.assignments.filter(state__in=WAITING)
    units = list(waiting.values_list("unit_id", flat=True))
    waiting.update(state=Assignment.State.RELEASED, closed_at=now)
    places_release(enrolment, units)
    if enrolment.study.mode == Study.Mode.PANEL:
        seat_settle(enrolment, keep=seat_complete(enrolment))


@transaction.atomic
def enrolment_withdraw(*, enrolment: Enrolment, erase: bool, now: datetime | None = None) -> Enrolment:
    """Take somebody out at their own wish: out of all figures at once, their places open to others.

    `erase` deletes what they said for good; that they were here, and for how long, stays, so that they can
    be paid.
    """
    enrolment = enrolment_locked(enrolment)
    now = now or timezone.now()
    if enrolment.state != Enrolment.State.WITHDRAWN:
        if enrolment.state == Enrolment.State.ACTIVE:
            enrolment.path = Path.STOPPED_EARLY
            enrolment.handed_in_at = now
        enrolment.state = Enrolment.State.WITHDRAWN
        enrolment.save(update_fields=["state", "path", "handed_in_at"])
        enrolment.assignments.filter(state__in=WAITING).update(state=Assignment.State.RELEASED, closed_at=now)
        places_release(enrolment)
    if erase and enrolment.erased_at is None:
        TechnicalFault.objects.filter(assignment__enrolment=enrolment).delete()
        ResponseEvent.objects.filter(enrolment=enrolment).delete()
        kind_of(enrolment.study).rebuild([enrolment.study_id])
        enrolment.device = {}
        enrolment.erased_at = now
        enrolment.save(update_fields=["device", "erased_at"])
    return enrolment


@transaction.atomic
def enrolment_returned(*, enrolment: Enrolment, returned: bool, now: datetime | None = None) -> Enrolment:
    """Their submission was returned, timed out or rejected on Prolific, or is so no longer.

    What they had not finished goes to others at once. Finished units are kept or dropped as the study says;
    when dropped, their places are open again. Whether it is paid is decided elsewhere.
    """
    enrolment = enrolment_locked(enrolment)
    now = now or timezone.now()
    if returned == (enrolment.returned_at is not None):
        return enrolment
    enrolment.returned_at = now if returned else None
    enrolment.save(update_fields=["returned_at"])
    dropped = enrolment.study.returned == Study.Returned.DROP
    if returned:
        _let_go(enrolment, now)
        if dropped:
            places_release(enrolment)
    elif dropped and enrolment.state != Enrolment.State.WITHDRAWN:
        for assignment in enrolment.assignments.filter(
            state=Assignment.State.FINISHED, purpose=Assignment.Purpose.STUDY
        ).select_related("enrolment__study"):
            if assignment.needs_place:
                kept = place_keep(assignment, None, now, wait=False)
                assignment.surplus = not kept.held and enrolment.study.late == Study.Late.SURPLUS
                assignment.save(update_fields=["surplus"])
    return enrolment
