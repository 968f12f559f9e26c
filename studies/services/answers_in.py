"""Answers collected elsewhere, brought into a study as if their people had worked in it.

All or nothing. Each outside person becomes a participant of the pool `import:NAME`, their outside id goes to
the private table, each answer becomes an event, and the kind rebuilds its current answers from the events.
The same answers again change nothing; another value for an answer that is there is refused by name.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies.errors import Refused
from studies.identity import ParticipantIdentity
from studies.kinds import Unit
from studies.models import (
    Assignment,
    Enrolment,
    Participant,
    Place,
    ResponseEvent,
    Study,
    StudyUnit,
    Wave,
)
from studies.queries import kind_of
from studies.services.places import places_sync
from studies.services.study import study_freeze_version

_NAMESPACE = uuid.UUID("8f3c1ad2-5a0e-4a52-9a6b-0c3f7d1e9b64")
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class Given:
    """One answer as it was given elsewhere; `line` is where the file says so."""

    question: str
    rater: str
    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Imported:
    """How many answers and people were new, and how many answers were there already."""

    answers: int
    people: int
    unchanged: int


class AnswersRefused(Exception):
    """Nothing was imported; `faults` lists (line, field, found, expected)."""

    def __init__(self, faults: Sequence[tuple[int, str, str, str]]) -> None:
        super().__init__(f"{len(faults)} answers cannot be imported")
        self.faults = tuple(faults)


@transaction.atomic
def answers_import(
    *, study: Study, name: str, given: Sequence[Given], by: Any = None, now: datetime | None = None
) -> Imported:
    """Bring answers into a study. `name` says where they come from: the pool is `import:<name>`.

    Units that the study lacks are added in a wave of that name. A study that was never opened gets its first
    version, because answers must say under which version they count; it stays a draft.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    now = now or timezone.now()
    units = _units_by_question(study)
    pool = f"import:{name}"
    people = _people(pool, {answer.rater for answer in given})
    known = _known(study, people)
    fresh, faults = [], []
    for answer in given:
        if answer.question not in units:
            faults.append((answer.line, "moment_id", repr(answer.question), "a moment of the catalogue"))
            continue
        stored = known.get((answer.rater, answer.question))
        if stored is None:
            fresh.append(answer)
        elif stored != answer.value:
            expected = f"{stored!r}, which is stored and has to be changed by the rater"
            faults.append((answer.line, "score", repr(answer.value), expected))
    if faults:
        raise AnswersRefused(faults)
    if fresh:
        _write(study, pool, fresh, units, people, by, now)
    return Imported(len(fresh), len({a.rater for a in fresh} - people.keys()), len(given) - len(fresh))


def _units_by_question(study: Study) -> dict[str, Unit]:
    kind = kind_of(study)
    keys = kind.unit_keys()
    units = kind.units(keys, {**kind.defaults(), **study.parameters}, blocked=True)
    return {question.key: unit for unit in units.values() for question in unit.questions}


def _people(pool: str, raters: Iterable[str]) -> dict[str, int]:
    """Participants by outside id, as far as this pool knows them from earlier imports."""
    wanted = sorted(raters)
    found: dict[str, int] = {}
    for start in range(0, len(wanted), 500):
        rows = ParticipantIdentity.objects.filter(source=pool, external_id__in=wanted[start : start + 500])
        found.update(rows.values_list("external_id", "participant_id"))
    return found


def _known(study: Study, people: Mapping[str, int]) -> dict[tuple[str, str], Any]:
    """The current answers that these people have in the study already."""
    outside = {participant: rater for rater, participant in people.items()}
    heads = ResponseEvent.objects.filter(
        enrolment__study=study,
        enrolment__participant__in=list(outside),
        scope=ResponseEvent.Scope.QUESTION,
        replaced_by__isnull=True,
    ).select_related("restores", "enrolment")
    return {
        (outside[head.enrolment.participant_id], head.question): head.standing.payload
        for head in heads.iterator(chunk_size=_BATCH)
        if head.standing is not None
    }


def _write(
    study: Study,
    pool: str,
    fresh: list[Given],
    units: Mapping[str, Unit],
    people: dict[str, int],
    by: Any,
    now: datetime,
) -> None:
    if not study.version:
        study_freeze_version(study, by)
        study.save(update_fields=["version"])
    study_units = _study_units(study, pool, {units[a.question].key for a in fresh})
    enrolments = _enrolments(study, pool, {a.rater for a in fresh}, people, now)
    assignments = _assignments(study, fresh, units, study_units, enrolments, now)
    kind = kind_of(study)
    ResponseEvent.objects.bulk_create(
        (
            ResponseEvent(
                event_id=uuid.uuid5(_NAMESPACE, f"{study.pk}\n{pool}\n{answer.rater}\n{answer.question}"),
                enrolment_id=enrolments[answer.rater],
                assignment=assignments[answer.rater, units[answer.question].key],
                action=ResponseEvent.Action.ANSWER,
                scope=ResponseEvent.Scope.QUESTION,
                question=answer.question,
                kind=kind.name,
                kind_version=kind.version,
                study_version=study.version,
                payload=answer.value,
                received_at=now,
                answered_at=now,
                language=study.language,
            )
            for answer in fresh
        ),
        batch_size=_BATCH,
    )
    _finish(assignments.values(), units)
    kind.rebuild([study.pk])


def _study_units(study: Study, pool: str, keys: set[str]) -> dict[str, StudyUnit]:
    held = {unit.key: unit for unit in StudyUnit.objects.filter(study=study)}
    lacking = sorted(keys - held.keys())
    if lacking:
        wave, _ = Wave.objects.get_or_create(
            study=study, name=pool, defaults={"number": study.waves.count() + 1}
        )
        StudyUnit.objects.bulk_create(
            (StudyUnit(study=study, wave=wave, key=key) for key in lacking), batch_size=_BATCH
        )
        places_sync(study)
        held = {unit.key: unit for unit in StudyUnit.objects.filter(study=study)}
    return held


def _enrolments(
    study: Study, pool: str, raters: set[str], people: dict[str, int], now: datetime
) -> dict[str, int]:
    """Each rater's enrolment, made with its participant and identity where it is new."""
    new = sorted(raters - people.keys())
    made = Participant.objects.bulk_create([Participant() for _ in new])
    ParticipantIdentity.objects.bulk_create(
        ParticipantIdentity(participant=person, source=pool, external_id=rater)
        for rater, person in zip(new, made, strict=True)
    )
    everybody = people | {rater: person.pk for rater, person in zip(new, made, strict=True)}
    here = dict(Enrolment.objects.filter(study=study).values_list("participant_id", "pk"))
    lacking = [rater for rater in sorted(raters) if everybody[rater] not in here]
    enrolled = Enrolment.objects.bulk_create(
        Enrolment(
            study=study,
            participant_id=everybody[rater],
            state=Enrolment.State.HANDED_IN,
            pool=pool,
            consent_version=study.version,
            joined_at=now,
            handed_in_at=now,
        )
        for rater in lacking
    )
    here |= {enrolment.participant_id: enrolment.pk for enrolment in enrolled}
    return {rater: here[everybody[rater]] for rater in raters}


def _assignments(
    study: Study,
    fresh: list[Given],
    units: Mapping[str, Unit],
    study_units: Mapping[str, StudyUnit],
    enrolments: Mapping[str, int],
    now: datetime,
) -> dict[tuple[str, str], Assignment]:
    """One assignment per rater and unit, in the order of the units' keys behind those there are."""
    outside = {pk: rater for rater, pk in enrolments.items()}
    held = Assignment.objects.filter(
        enrolment__in=list(outside), purpose=Assignment.Purpose.STUDY
    ).select_related("unit")
    there = {(outside[a.enrolment_id], a.unit.key): a for a in held}
    position = dict.fromkeys(enrolments, 0)
    for (rater, _), assignment in there.items():
        position[rater] = max(position[rater], assignment.position or 0)
    wanted = sorted({(a.rater, units[a.question].key) for a in fresh} - there.keys())
    made = []
    for rater, keys in _by_rater(wanted):
        made += [
            Assignment(
                enrolment_id=enrolments[rater],
                unit=study_units[key],
                study_version=study.version,
                state=Assignment.State.RELEASED,
                position=position[rater] + offset,
                opened_at=now,
                closed_at=now,
            )
            for offset, key in enumerate(keys, 1)
        ]
    Assignment.objects.bulk_create(made, batch_size=_BATCH)
    return there | {(outside[a.enrolment_id], a.unit.key): a for a in made}


def _by_rater(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    for rater, group in groupby(pairs, key=lambda pair: pair[0]):
        yield rater, [key for _, key in group]


def _finish(assignments: Iterable[Assignment], units: Mapping[str, Unit]) -> None:
    """Finished are those whose every question has an answer; the others stay work left half-way."""
    asked = {unit.key: {question.key for question in unit.questions} for unit in units.values()}
    held = {assignment.pk: assignment for assignment in assignments}
    answered: dict[int, set[str]] = {pk: set() for pk in held}
    rows = ResponseEvent.objects.filter(
        enrolment__in={a.enrolment_id for a in held.values()}, scope=ResponseEvent.Scope.QUESTION
    ).values_list("assignment_id", "question")
    for pk, question in rows.iterator(chunk_size=_BATCH):
        if pk in answered:
            answered[pk].add(question)
    whole = [pk for pk, questions in answered.items() if questions >= asked[held[pk].unit.key]]
    for start in range(0, len(whole), _BATCH):
        Assignment.objects.filter(pk__in=whole[start : start + _BATCH]).update(
            state=Assignment.State.FINISHED
        )
    _fill_places([held[pk] for pk in sorted(whole)])


def _fill_places(finished: list[Assignment]) -> None:
    """Each finished unit takes a place of its unit, as long as there are free ones."""
    filled = set(
        Place.objects.filter(enrolment__in={a.enrolment_id for a in finished}).values_list(
            "unit_id", "enrolment_id"
        )
    )
    unheld: dict[int | None, list[Place]] = {}
    places = Place.objects.filter(enrolment=None, unit__in={a.unit_id for a in finished})
    for place in places.order_by("pk").select_for_update(no_key=True):
        unheld.setdefault(place.unit_id, []).append(place)
    taken = []
    for assignment in finished:
        if (assignment.unit_id, assignment.enrolment_id) not in filled and unheld.get(assignment.unit_id):
            place = unheld[assignment.unit_id].pop(0)
            place.enrolment_id = assignment.enrolment_id
            taken.append(place)
    Place.objects.bulk_update(taken, ["enrolment"], batch_size=_BATCH)


def refused_if_no_kind(study: Study, kind: str) -> None:
    """An import of one kind's answers needs a study of that kind."""
    if study.kind != kind:
        raise Refused("kind", f"{study.slug} is a study of kind {study.kind!r}; expected {kind!r}.")
