"""Small makers of rows for tests. Each fills in what a test does not care about; counters keep ids apart."""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from annotation.models import Score
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment
from studies.models import (
    Assignment,
    Enrolment,
    Participant,
    Place,
    ResponseEvent,
    Study,
    StudyUnit,
    StudyVersion,
    Wave,
)
from studies.services.places import places_sync

_count = itertools.count(1)
START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def creator(name: str = "Ana", channel: str = "Kanal") -> Creator:
    """The creator persona of that name on that channel, made when it is not there yet."""
    home, _ = Channel.objects.get_or_create(name=channel)
    return Creator.objects.get_or_create(channel=home, name=name)[0]


def clip(
    clip_id: str | None = None,
    *,
    moments: Sequence[tuple[float, float]] = ((1.0, 3.0), (5.0, 7.0)),
    by: Creator | None = None,
    category: str = "comedy",
    source_group: str | None = None,
    duration_s: float = 12.0,
) -> Clip:
    """A clip with its current reaction and moments `<clip_id>-m0`, `-m1`, … given by seconds (no files)."""
    clip_id = clip_id or f"clip{next(_count)}"
    made = Clip.objects.create(
        clip_id=clip_id,
        creator=by or creator(),
        category=category,
        source_group=source_group or f"recording of {clip_id}",
        duration_ms=round(duration_s * 1000),
    )
    media(made)
    for index, (start, end) in enumerate(moments):
        Moment.objects.create(
            moment_id=f"{clip_id}-m{index}",
            clip=made,
            start_ms=round(start * 1000),
            end_ms=round(end * 1000),
        )
    return made


def media(of: Clip, role: str = "reaction", **fields: Any) -> MediaVersion:
    """A media version of a clip; no file lies behind it."""
    digest = hashlib.sha256(f"{of.clip_id}/{role}".encode()).hexdigest()
    values = {
        "sha256": digest,
        "source_sha256": digest,
        "size": 1000,
        "content_type": "video/mp4",
        "duration_ms": of.duration_ms,
        "has_audio": True,
        "width": 320,
        "height": 180,
    }
    return MediaVersion.objects.create(clip=of, role=role, **(values | fields))


def study(
    slug: str | None = None, *, clips: Sequence[Clip] = (), pilot: bool = False, **fields: Any
) -> Study:
    """An open study, its first version and one wave over the clips."""
    values: dict[str, Any] = {
        "title": "A study",
        "kind": "intensity",
        "state": Study.State.OPEN,
        "version": 1,
        "consent": "You agree.",
        "contact": "lab@example.org",
        "device_check": False,
    }
    made = Study.objects.create(slug=slug or f"study{next(_count)}", **(values | fields))
    frozen = {"kind": made.kind, "kind_version": "1", "parameters": made.parameters}
    StudyVersion.objects.create(study=made, number=1, frozen=frozen)
    wave(made, clips=clips, pilot=pilot)
    return made


def wave(of: Study, *, clips: Sequence[Clip] = (), pilot: bool = False) -> Wave:
    """The study's next wave, holding the clips as units."""
    number = of.waves.count() + 1
    made = Wave.objects.create(study=of, number=number, name=f"wave {number}", pilot=pilot)
    StudyUnit.objects.bulk_create(StudyUnit(study=of, wave=made, key=c.clip_id) for c in clips)
    places_sync(of)
    return made


def raters(of: Study, number: int) -> None:
    """From now on the study wants this many raters for each unit; free places beyond that are gone."""
    Study.objects.filter(pk=of.pk).update(raters_per_unit=number)
    of.raters_per_unit = number
    Place.objects.filter(study=of, n__gt=number, enrolment=None).delete()
    places_sync(of)


def participant() -> Participant:
    """A person."""
    return Participant.objects.create()


def enrolment(of: Study, person: Participant | None = None, **fields: Any) -> Enrolment:
    """A person's place in a study."""
    values = {"consent_version": 1}
    return Enrolment.objects.create(study=of, participant=person or participant(), **(values | fields))


def assignment(of: Enrolment, clip_id: str, **fields: Any) -> Assignment:
    """A finished assignment of a clip that the study holds."""
    values = {
        "state": Assignment.State.FINISHED,
        "study_version": 1,
        "position": of.assignments.count() + 1,
        "opened_at": START,
    }
    unit = StudyUnit.objects.get(study=of.study, key=clip_id)
    given = Assignment.objects.create(enrolment=of, unit=unit, **(values | fields))
    if given.needs_place and given.state == Assignment.State.FINISHED and not given.surplus:
        place = Place.objects.filter(unit=unit, enrolment=None).first()
        if place:
            Place.objects.filter(pk=place.pk).update(enrolment=of)
    return given


def score(of: Assignment, moment_id: str, value: int, *, at: datetime = START) -> Score:
    """A current score and the event that it comes from."""
    event = ResponseEvent.objects.create(
        enrolment=of.enrolment,
        assignment=of,
        action=ResponseEvent.Action.ANSWER,
        scope=ResponseEvent.Scope.QUESTION,
        question=moment_id,
        kind="intensity",
        kind_version="1",
        study_version=of.study_version,
        payload=value,
        received_at=at,
        answered_at=at,
    )
    return Score.objects.create(
        enrolment=of.enrolment,
        assignment=of,
        moment=Moment.objects.get(moment_id=moment_id),
        event=event,
        score=value,
    )


def rating_round(
    clip_id: str, scores: Mapping[str, Sequence[int | None]], raters: Sequence[Enrolment]
) -> list[Assignment]:
    """One finished assignment per rater, with column r of `scores` (by moment id) as rater r's scores."""
    made = []
    for index, rater in enumerate(raters):
        given = assignment(rater, clip_id)
        for moment_id, column in scores.items():
            if column[index] is not None:
                score(given, moment_id, column[index])
        made.append(given)
    return made
