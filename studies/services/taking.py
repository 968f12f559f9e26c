"""Taking new units of the study for somebody: which, in what order, how many."""

import hashlib
from datetime import datetime, timedelta

from studies.models import Assignment, Enrolment, Study
from studies.queries import kind_of, room, study_parameters, units_wanted
from studies.services.places import place_wait, places_take

_CHUNK = 20


def units_take(enrolment: Enrolment, now: datetime) -> list[Assignment]:
    """Give this person new units: a whole portion where the study gives portions, else one.

    An empty list means that there is none for them, after a second look that waits for others who are just
    taking one.
    """
    most = room(enrolment)
    if most == 0:
        return []
    size = most if most is not None and enrolment.study.units_per_participant else 1
    candidates = _in_own_order(enrolment, units_wanted(enrolment, now))
    if enrolment.study.mode == Study.Mode.PANEL:
        return _given(enrolment, _showable(enrolment, candidates, size))
    until = now + timedelta(minutes=enrolment.study.reservation_minutes)
    taken: list[int] = []
    for start in range(0, len(candidates), _CHUNK):
        shown = _showable(enrolment, candidates[start : start + _CHUNK], _CHUNK)
        taken += places_take(enrolment, shown, size - len(taken), until, now)
        if len(taken) == size:
            break
    if not taken and candidates:
        unit = place_wait(enrolment, _showable(enrolment, candidates, len(candidates)), until, now)
        taken = [] if unit is None else [unit]
    return _given(enrolment, taken)


def _in_own_order(enrolment: Enrolment, wanted: list[tuple[int, str, int]]) -> list[tuple[str, int]]:
    """The least-held tier first; inside a tier an order that only this annotator has."""
    seed = f"{enrolment.study.seed}:{enrolment.public_id}:"

    def order(candidate: tuple[int, str, int]) -> tuple[int, bytes]:
        places_held, key, _ = candidate
        return places_held, hashlib.sha256((seed + key).encode()).digest()

    return [(key, unit) for _, key, unit in sorted(wanted, key=order)]


def _showable(enrolment: Enrolment, candidates: list[tuple[str, int]], most: int) -> list[int]:
    """The first of these units that can be shown: a blocked clip has none."""
    study = enrolment.study
    parameters = study_parameters(study, study.version)
    shown: list[int] = []
    for start in range(0, len(candidates), _CHUNK):
        chunk = candidates[start : start + _CHUNK]
        built = kind_of(study).units([key for key, _ in chunk], parameters)
        shown += [unit for key, unit in chunk if key in built]
        if len(shown) >= most:
            break
    return shown[:most]


def _given(enrolment: Enrolment, units: list[int]) -> list[Assignment]:
    """Assignments of these units, reserved; one that had lapsed before is given again as it was."""
    lapsed = {
        assignment.unit_id: assignment
        for assignment in enrolment.assignments.filter(
            unit__in=units, purpose=Assignment.Purpose.STUDY
        ).select_related("unit", "enrolment__study")
    }
    for assignment in lapsed.values():
        assignment.state = Assignment.State.RESERVED
        assignment.surplus = False  # this time it comes with a place
        assignment.save(update_fields=["state", "surplus"])
    return [
        lapsed.get(unit)
        or Assignment.objects.create(enrolment=enrolment, unit_id=unit, study_version=enrolment.study.version)
        for unit in units
    ]
