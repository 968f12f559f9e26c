"""Giving an enrolment its next unit.

First comes the practice, then the work: checks and repeats where their turn is, units already reserved, new
ones. Among the units that still need raters the least-rated tier comes first; inside it the order is the
annotator's own, from a seed. One unit is open per enrolment; the newest tab holds the lease.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from studies.errors import Refused
from studies.kinds import Unit
from studies.models import Assignment, Enrolment, Participant, Place, Study, StudyUnit, TechnicalFault
from studies.queries import room, study_parameters, unit_of, units_wanted, work_done, work_state
from studies.services import extras, training
from studies.services.places import place_keep, places_release, places_renew, seat_keep
from studies.services.taking import units_take

WAITING = (Assignment.State.OPEN, Assignment.State.RESERVED)


@dataclass(frozen=True, slots=True)
class Opened:
    """What `unit_open` found: the state of the work, and the open assignment with its unit, if any.

    `left` counts the units this person can still be given, the open one included; `practice` says where
    somebody is in the practice.
    """

    state: str
    left: int
    assignment: Assignment | None = None
    unit: Unit | None = None
    practice: training.Practice | None = None


def enrolment_locked(enrolment: Enrolment) -> Enrolment:
    """The enrolment as it is now, locked alone until the transaction ends.

    It serialises what one person does, from however many tabs. Read the clock after this call: a reservation
    must not be judged by the time at which somebody began to wait.
    """
    locked = Enrolment.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    return locked.get(pk=enrolment.pk)


@transaction.atomic
def unit_open(*, enrolment: Enrolment, tab: str, now: datetime | None = None) -> Opened:
    """Give the lease to this tab and open the unit to work on: the open one, a reserved one, or the next.

    `state` is that of `work_state`, or `nothing_left`; only `working` has a unit. Opening starts the
    server's clock for the unit once; nothing ever resets it.
    """
    enrolment = enrolment_locked(enrolment)
    now = now or timezone.now()
    enrolment.tab = tab
    enrolment.save(update_fields=["tab"])
    state = work_state(enrolment)
    if state != "working":
        return Opened(state, 0)
    opened = _practice(enrolment, now)
    if opened is not None:
        return opened
    if enrolment.study.mode == Study.Mode.PANEL and not seat_keep(enrolment, now):
        return Opened("nothing_left", 0)
    # A person's visits share what they have seen, so only one of them is given something at a time.
    Participant.objects.select_for_update(no_key=True).get(pk=enrolment.participant_id)
    found = _work(enrolment, now)
    if found is None:
        return Opened("nothing_left", 0)
    return Opened("working", _left(enrolment, now), *found)


def _practice(enrolment: Enrolment, now: datetime) -> Opened | None:
    """What the practice gives; None when it is over, or there is none."""
    while True:
        step = training.practice_next(enrolment, now)
        if step is None:
            return None
        if step.assignment is None:
            return Opened("handed_in", 0)
        opened = _open(step.assignment, now)
        if opened is not None:
            return Opened("working", 0, *opened, practice=step)


def _work(enrolment: Enrolment, now: datetime) -> tuple[Assignment, Unit] | None:
    """The unit on the desk: what was begun, a check or repeat whose turn it is, what is reserved, or new."""
    waiting = list(
        enrolment.assignments.filter(state__in=WAITING)
        .exclude(purpose=Assignment.Purpose.PRACTICE)
        .select_related("unit", "enrolment__study")
        .order_by("pk")
    )
    begun = [a for a in waiting if a.opened_at is not None]
    begun.sort(key=lambda a: (a.state != Assignment.State.OPEN, a.position))
    return (
        _first_of(begun, now)
        or _extra(enrolment, now, at_end=False)
        or _first_of([a for a in waiting if a.opened_at is None], now)
        or _first_of(units_take(enrolment, now), now, fresh=True)
        or _extra(enrolment, now, at_end=True)
    )


def _extra(enrolment: Enrolment, now: datetime, *, at_end: bool) -> tuple[Assignment, Unit] | None:
    """A check or a repeat whose turn has come."""
    while True:
        extra = extras.extra_next(enrolment, at_end=at_end)
        if extra is None:
            return None
        opened = _open(extra, now)
        if opened is not None:
            return opened


def _first_of(
    assignments: list[Assignment], now: datetime, *, fresh: bool = False
) -> tuple[Assignment, Unit] | None:
    """Open the first of these that has its place (`fresh`: just taken) and can be shown; let others go."""
    for assignment in assignments:
        if fresh or _place_kept(assignment, now):
            opened = _open(assignment, now)
            if opened is not None:
                return opened
        else:
            assignment.state = Assignment.State.EXPIRED
            assignment.save(update_fields=["state"])
            places_release(assignment.enrolment, [assignment.unit_id])
    return None


def _place_kept(assignment: Assignment, now: datetime) -> bool:
    """Whether work on it may go on: it needs no place, or has one. One that lapsed needs a unit given out."""
    if not assignment.needs_place:
        return True
    until = reserved_until(assignment.enrolment.study, now)
    if assignment.unit.state != StudyUnit.State.ACTIVE:
        own = Place.objects.filter(unit=assignment.unit_id, enrolment=assignment.enrolment_id)
        return bool(own.filter(until__gt=now).update(until=until))
    return place_keep(assignment, until, now, wait=False).held


def _open(assignment: Assignment, now: datetime) -> tuple[Assignment, Unit] | None:
    """Open an assignment; None, and released, when its unit may no longer be shown."""
    study = assignment.enrolment.study
    unit = unit_of(assignment, study_parameters(study, assignment.study_version))
    if unit is None or assignment.unit.state == StudyUnit.State.WITHDRAWN:
        assignment.state = Assignment.State.RELEASED
        assignment.closed_at = now
        assignment.save(update_fields=["state", "closed_at"])
        if assignment.needs_place:
            places_release(assignment.enrolment, [assignment.unit_id])
        return None
    if assignment.position is None:
        last = assignment.enrolment.assignments.aggregate(last=Max("position"))["last"] or 0
        assignment.position = last + 1
    assignment.state = Assignment.State.OPEN
    assignment.opened_at = assignment.opened_at or now
    assignment.media = {m.role: {"id": m.version_id, "sha256": m.sha256} for m in unit.media}
    assignment.save(update_fields=["state", "position", "opened_at", "media"])
    return assignment, unit


def _left(enrolment: Enrolment, now: datetime) -> int:
    """How many units there still are for this person: at hand, to be taken, and what will be mixed in."""
    at_hand = enrolment.assignments.filter(state__in=WAITING).count()
    most = room(enrolment)
    wanted = len(units_wanted(enrolment, now)) if most != 0 else 0
    to_come = wanted if most is None else min(most, wanted)
    return at_hand + to_come + extras.extras_to_come(enrolment, work_done(enrolment) + at_hand + to_come)


def reserved_until(study: Study, now: datetime) -> datetime:
    """When a reservation made or renewed now lapses."""
    return now + timedelta(minutes=study.reservation_minutes)


@transaction.atomic
def assignment_renew(
    *,
    enrolment: Enrolment,
    assignment_id: int,
    fault: Mapping[str, Any] | None = None,
    active_ms: int = 0,
    now: datetime | None = None,
) -> Assignment:
    """A sign of life from a page: renew what this person holds, however often.

    `fault` is a media error that the page met (role, code, browser), kept for the manager; `active_ms` how
    long the person has been at work on the unit so far.
    """
    enrolment = enrolment_locked(enrolment)
    own = enrolment.assignments.select_related("unit", "enrolment__study").filter(pk=assignment_id)
    found = own.first()
    if found is None:
        raise Refused("not_assigned", "This unit was never given to you.")
    if fault:
        TechnicalFault.objects.create(assignment=found, **fault)
    if active_ms > found.active_ms:
        found.active_ms = active_ms
        found.save(update_fields=["active_ms"])
    now = now or timezone.now()
    if found.state in WAITING and work_state(enrolment) == "working":
        if enrolment.study.mode == Study.Mode.PANEL:
            seat_keep(enrolment, now)
        elif _place_kept(found, now):
            places_renew(enrolment, reserved_until(enrolment.study, now))
    return found
