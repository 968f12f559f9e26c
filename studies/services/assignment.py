"""Giving an enrolment its next unit.

Among the units that still need raters the least-rated tier comes first; inside it the order is the
annotator's own, from a seed. One unit is open per enrolment; the newest tab holds the lease.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from studies.errors import Refused
from studies.kinds import Unit
from studies.models import Assignment, Enrolment, Study, StudyUnit, TechnicalFault
from studies.queries import kind_of, may_go_on, study_parameters, unit_of, units_wanted, work_state

LAPSING = timedelta(seconds=30)
"""A reservation this close to its end may be judged lapsed by somebody else before we have committed."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What `unit_open` found: the state of the work, and the open assignment with its unit, if any."""

    state: str
    left: int
    assignment: Assignment | None = None
    unit: Unit | None = None


def queue_locked(enrolment: Enrolment) -> Enrolment:
    """The enrolment as it is now, locked behind its study, until the transaction ends.

    The study's row is the queue: whoever takes, keeps or gives back a place is served one after the other,
    and everybody locks in this one order. Read the clock after this call, not before it: a reservation must
    not be judged by the time at which somebody began to wait.
    """
    study = study_locked(enrolment.study_id)
    locked = Enrolment.objects.select_for_update(no_key=True).get(pk=enrolment.pk)
    locked.study = study
    return locked


def study_locked(pk: int) -> Study:
    """The study as it is now, its queue held until the transaction ends."""
    return Study.objects.select_for_update(no_key=True).get(pk=pk)


def enrolment_locked(enrolment: Enrolment) -> Enrolment:
    """The enrolment as it is now, locked alone: for what moves no place, so that nobody else waits."""
    locked = Enrolment.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    return locked.get(pk=enrolment.pk)


@transaction.atomic
def unit_open(*, enrolment: Enrolment, tab: str, now: datetime | None = None) -> Opened:
    """Give the lease to this tab and open the unit to work on: the open one, a reserved one, or the next.

    `state` is `working`, `nothing_left`, `halted`, `closed` or `handed_in`; only `working` has a unit.
    Opening starts the server's clock for the unit once; nothing ever resets it.
    """
    enrolment = queue_locked(enrolment)
    study = enrolment.study
    now = now or timezone.now()
    enrolment.tab = tab
    enrolment.save(update_fields=["tab"])
    state = work_state(enrolment)
    if state != "working":
        return Opened(state, 0)

    wanted = units_wanted(enrolment, now)
    waiting = list(
        enrolment.assignments.filter(
            state__in=[Assignment.State.OPEN, Assignment.State.RESERVED]
        ).select_related("unit", "enrolment__study")
    )
    waiting.sort(key=lambda a: (a.state != Assignment.State.OPEN, a.position))
    for gone, assignment in enumerate(waiting):
        if assignment.reserved_until <= now and not may_go_on(assignment, study, now):
            assignment.state = Assignment.State.EXPIRED
            assignment.save(update_fields=["state"])
            continue
        opened = _open(assignment, now)
        if opened is not None:
            return Opened("working", len(wanted) + len(waiting) - gone, *opened)
    parameters = study_parameters(study, study.version)
    for gone, (key, unit_id) in enumerate(_in_own_order(enrolment, wanted)):
        if kind_of(study).units([key], parameters):  # a blocked clip has no unit to show
            opened = _open(_assigned(enrolment, unit_id, now), now)
            if opened is not None:
                return Opened("working", len(wanted) - gone, *opened)
    return Opened("nothing_left", 0)


def _in_own_order(enrolment: Enrolment, wanted: list[tuple[int, str, int]]) -> list[tuple[str, int]]:
    """The least-held tier first; inside a tier an order that only this annotator has."""
    seed = f"{enrolment.study.seed}:{enrolment.public_id}:"

    def order(candidate: tuple[int, str, int]) -> tuple[int, bytes]:
        held, key, _ = candidate
        return held, hashlib.sha256((seed + key).encode()).digest()

    return [(key, unit_id) for _, key, unit_id in sorted(wanted, key=order)]


def _assigned(enrolment: Enrolment, unit_id: int, now: datetime) -> Assignment:
    """The unit given to this enrolment; one that had lapsed before is given again at its old position."""
    lapsed = enrolment.assignments.filter(unit_id=unit_id, purpose=Assignment.Purpose.STUDY).first()
    if lapsed is not None:
        lapsed.state = Assignment.State.RESERVED
        lapsed.surplus = False  # this time it comes with a place
        lapsed.reserved_until = reserved_until(enrolment.study, now)
        lapsed.save(update_fields=["state", "surplus", "reserved_until"])
        return lapsed
    last = enrolment.assignments.aggregate(last=Max("position"))["last"] or 0
    return Assignment.objects.create(
        enrolment=enrolment,
        unit_id=unit_id,
        study_version=enrolment.study.version,
        position=last + 1,
        reserved_until=reserved_until(enrolment.study, now),
    )


def _open(assignment: Assignment, now: datetime) -> tuple[Assignment, Unit] | None:
    """Open an assignment; None, and released, when its unit may no longer be shown."""
    study = assignment.enrolment.study
    unit = unit_of(assignment, study_parameters(study, assignment.study_version))
    if unit is None or assignment.unit.state == StudyUnit.State.WITHDRAWN:
        assignment.state = Assignment.State.RELEASED
        assignment.closed_at = now
        assignment.save(update_fields=["state", "closed_at"])
        return None
    assignment.state = Assignment.State.OPEN
    assignment.opened_at = assignment.opened_at or now
    assignment.reserved_until = reserved_until(study, now)
    assignment.media = {m.role: {"id": m.version_id, "sha256": m.sha256} for m in unit.media}
    assignment.save(update_fields=["state", "opened_at", "reserved_until", "media"])
    return assignment, unit


def reserved_until(study: Study, now: datetime) -> datetime:
    """When a reservation made or renewed now lapses."""
    return now + timedelta(minutes=study.reservation_minutes)


@transaction.atomic
def assignment_renew(
    *,
    enrolment: Enrolment,
    assignment_id: int,
    fault: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> Assignment:
    """A sign of life from a page: renew the reservation of the unit it shows, however often.

    `fault` is a media error that the page met (role, code, browser), kept for the manager.
    """
    own = enrolment.assignments.select_related("unit", "enrolment__study").filter(pk=assignment_id)
    found = own.first()
    if found is None:
        raise Refused("not_assigned", "This unit was never given to you.")
    if fault:
        TechnicalFault.objects.create(assignment=found, **fault)
    running = own.filter(state__in=[Assignment.State.OPEN, Assignment.State.RESERVED])
    clock = now or timezone.now()
    until = reserved_until(enrolment.study, clock)
    if running.filter(reserved_until__gt=clock + LAPSING).update(reserved_until=until):
        return own.get()
    if found.state in (Assignment.State.OPEN, Assignment.State.RESERVED):
        # It has lapsed or is about to: only a place that is still left brings it back.
        enrolment = queue_locked(enrolment)
        clock = now or timezone.now()
        lapsed = running.first()
        if lapsed and (lapsed.reserved_until > clock or may_go_on(lapsed, enrolment.study, clock)):
            running.update(reserved_until=reserved_until(enrolment.study, clock))
    return own.get()
