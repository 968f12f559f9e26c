"""A new wave of a study, and letting a seat of a panel go."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies.errors import Refused
from studies.models import Assignment, Place, Study, StudyLog
from studies.services.assignment import WAITING, enrolment_locked
from studies.services.places import places_release
from studies.services.study import study_add_units

User = Any  # whoever Django's user model is


@transaction.atomic
def wave_add(
    *,
    study: Study,
    name: str,
    keys: Sequence[str] | None = None,
    raters: int | None = None,
    pilot: bool = False,
    issued: bool = True,
    by: User = None,
) -> int:
    """Make a wave of clips or items that the study does not hold yet; all of those when `keys` is None.

    Returns how many it holds. Refuses a name that is taken, unknown keys, and a wave that would be empty.
    """
    if study.waves.filter(name=name).exists():
        raise Refused("wave_name", f"This study has a wave called {name} already; choose another name.")
    added = study_add_units(
        study=study, keys=keys, wave=name, pilot=pilot, raters=raters, issued=issued, by=by
    )
    if not added:
        raise Refused("nothing_new", "Nothing to add: all of them are in the study already.")
    return added


@transaction.atomic
def seat_release(*, seat: Place, by: User = None) -> bool:
    """Take a seat of a panel from whoever holds it: a new person starts it from zero.

    What they said stays stored, outside the panel. False when nobody held it any more. They are not shut
    out: should they come back before the seat is taken, they get it again.
    """
    seat = Place.objects.select_related("enrolment__participant", "study").get(pk=seat.pk, unit=None)
    if seat.enrolment is None:
        return False
    holder = enrolment_locked(seat.enrolment)
    if not Place.objects.filter(pk=seat.pk, enrolment=holder).exists():
        return False
    waiting = holder.assignments.filter(state__in=WAITING, purpose=Assignment.Purpose.STUDY)
    waiting.update(state=Assignment.State.RELEASED, closed_at=timezone.now())
    places_release(holder)
    what = f"seat {seat.n} released; participant {holder.participant.public_id} held it"
    StudyLog.objects.create(study=seat.study, what=what, by=by)
    return True
