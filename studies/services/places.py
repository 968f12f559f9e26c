"""Places: the ratings that a study wants, one row each, and who holds them.

Whoever moves a place locks its row, and nothing else of the study: two hundred people who ask at the same
moment wait for nobody. PostgreSQL skips rows that somebody else is just taking (SKIP LOCKED); on SQLite a
transaction that writes is alone anyway. Rows are locked in the order of their keys wherever somebody waits
for more than one, so that nobody waits in a circle. Every function runs inside the caller's transaction,
which holds the lock of the enrolment it speaks of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from studies.models import Assignment, Enrolment, Place, Study, StudyUnit
from studies.queries import free


@dataclass(frozen=True, slots=True)
class Kept:
    """Whether a place is held now, and whether it had lapsed or been lost before."""

    held: bool
    lapsed: bool


def places_sync(study: Study) -> int:
    """Make the places that are wanted and not there yet; returns how many.

    While a study is a draft, free places beyond what is wanted go; later a target is only ever raised.
    """
    due: set[tuple[int | None, int]]
    if study.mode == Study.Mode.PANEL:
        due = {(None, n) for n in range(1, study.raters_per_unit + 1)}
    else:
        due = {(unit, n) for unit, raters in _raters_wanted(study).items() for n in range(1, raters + 1)}
    there = {(unit, n): pk for pk, unit, n in study.places.values_list("pk", "unit_id", "n")}
    if not study.version:
        beyond = [pk for place, pk in there.items() if place not in due]
        study.places.filter(pk__in=beyond, enrolment=None).delete()
    lacking = sorted(due - there.keys(), key=lambda place: (place[0] or 0, place[1]))
    Place.objects.bulk_create(
        (Place(study=study, unit_id=unit, n=n) for unit, n in lacking), batch_size=2000, ignore_conflicts=True
    )
    return len(lacking)


def _raters_wanted(study: Study) -> dict[int, int]:
    """How many raters each unit of the study is to have."""
    units = StudyUnit.objects.filter(study=study, purpose=StudyUnit.Purpose.STUDY)
    rows = units.values_list("pk", "wave__raters")
    return {unit: raters or study.raters_per_unit for unit, raters in rows}


def places_take(
    enrolment: Enrolment, candidates: Sequence[int], most: int, until: datetime, now: datetime
) -> list[int]:
    """Take a place in up to `most` of these units, in this order; returns the units.

    Places that others are just taking are passed over; before anybody is told that there is nothing, the
    caller has to look again with `place_wait`.
    """
    taken: list[int] = []
    for unit in candidates:
        if len(taken) == most:
            break
        place = _lock(free(now).filter(unit=unit), skip=True)
        if place is not None:
            _give(place, enrolment, until)
            taken.append(unit)
    return taken


def place_wait(enrolment: Enrolment, candidates: Sequence[int], until: datetime, now: datetime) -> int | None:
    """The second look: wait for those who are just taking a place, as one of them may roll back.

    Only for somebody who holds no lock of a place. Returns the unit whose place was got, or None.
    """
    place = _lock(free(now).filter(unit__in=candidates), skip=False)
    if place is None:
        return None
    _give(place, enrolment, until)
    return place.unit_id


def seat_keep(enrolment: Enrolment, now: datetime) -> bool:
    """In a panel: renew this person's seat, or take a free one. False when there is none."""
    until = now + timedelta(hours=enrolment.study.seat_hours)
    seats = Place.objects.filter(study=enrolment.study, unit=None)
    own = _lock(seats.filter(enrolment=enrolment), skip=False)
    unheld = free(now).filter(study=enrolment.study, unit=None)
    place = own or _lock(unheld, skip=True) or _lock(unheld, skip=False)
    if place is None:
        return False
    _give(place, enrolment, until)
    return True


def seat_settle(enrolment: Enrolment, *, keep: bool) -> None:
    """At the end of somebody's part: a seat stays theirs for good, or is free whole for a new person."""
    seat = Place.objects.filter(study=enrolment.study, unit=None, enrolment=enrolment)
    for place in seat.order_by("pk").select_for_update(no_key=True):
        place.enrolment, place.until = (enrolment, None) if keep else (None, None)
        place.save(update_fields=["enrolment", "until"])


def place_keep(assignment: Assignment, until: datetime | None, now: datetime, *, wait: bool) -> Kept:
    """Hold on to the place of an assignment until then (None: for good), or take another of its unit.

    A reservation that lapsed while nobody else came is simply renewed. `wait` for others who are just
    taking the last place, as one of them may roll back; only for somebody who holds no lock of a place.
    """
    unit, enrolment = assignment.unit_id, assignment.enrolment
    own = _lock(Place.objects.filter(unit=unit, enrolment=enrolment), skip=False)
    if own is not None:
        lapsed = own.until is not None and own.until <= now
        if own.until != until:
            _give(own, enrolment, until)
        return Kept(held=True, lapsed=lapsed)
    place = _lock(free(now).filter(unit=unit), skip=not wait)
    if place is not None:
        _give(place, enrolment, until)
    return Kept(held=place is not None, lapsed=True)


def places_renew(enrolment: Enrolment, until: datetime, *, but: int | None = None) -> None:
    """A sign of life: everything this person still holds a reservation of stays theirs.

    `but` names a unit whose place the caller moves right after this.
    """
    reserved = Place.objects.filter(enrolment=enrolment, unit__isnull=False, until__isnull=False)
    held = list(reserved.order_by("pk").select_for_update(no_key=True).values_list("pk", "unit_id"))
    Place.objects.filter(pk__in=[pk for pk, unit in held if unit != but]).update(until=until)


def places_release(enrolment: Enrolment, units: Iterable[int] | None = None) -> int:
    """Give back the places of these units, or all that this person holds, a seat included."""
    held = Place.objects.filter(enrolment=enrolment)
    if units is not None:
        held = held.filter(unit__in=list(units))
    found = list(held.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    return Place.objects.filter(pk__in=found).update(enrolment=None, until=None)


def _give(place: Place, enrolment: Enrolment, until: datetime | None) -> None:
    """Hand a locked place to an enrolment; whoever had let it lapse no longer has the unit."""
    former = place.enrolment_id
    if former is not None and former != enrolment.pk and place.unit_id is not None:
        Assignment.objects.filter(
            enrolment=former,
            unit=place.unit_id,
            purpose=Assignment.Purpose.STUDY,
            state__in=[Assignment.State.OPEN, Assignment.State.RESERVED],
        ).update(state=Assignment.State.EXPIRED)
    place.enrolment, place.until = enrolment, until
    place.save(update_fields=["enrolment", "until"])


def _lock(places: QuerySet[Place, Place], *, skip: bool) -> Place | None:
    """The first of these places, locked, or None. Ordered by its own key: the model's order joins study and
    unit, and PostgreSQL would lock their rows as well, or refuse where there is no unit."""
    return places.order_by("pk").select_for_update(no_key=True, skip_locked=skip).first()
