"""Answers as files: the ratings that count, and every event there ever was (design: "Answers out")."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from evaluator.formats import json_line
from studies.counting import SKIPPED, why_left_out
from studies.models import ResponseEvent, Study
from studies.queries import kind_of

_BATCH = 2000


def ratings_lines(study: Study) -> Iterator[bytes]:
    """The study's counted current answers, one JSON object a line, in a fixed order."""
    return (json_line(line) for line in kind_of(study).ratings([study.pk]))


def events_lines(study: Study) -> Iterator[bytes]:
    """Every event of the study, one JSON object a line: raters by their internal id, each in the order said.

    Times are seconds since that rater joined. `played` and `media_sha256` are those of the one medium that
    the unit shows, or objects by role where it shows several.
    """
    undone = _undone(study)
    events = (
        ResponseEvent.objects.filter(enrolment__study=study)
        .annotate(left_out=why_left_out("assignment__"))
        .select_related(
            "enrolment__participant", "assignment__unit__wave", "replaces", "restores", "assignment"
        )
        .order_by("id")
    )
    replaced = set(
        ResponseEvent.objects.filter(enrolment__study=study, replaces__isnull=False).values_list(
            "replaces_id", flat=True
        )
    )
    restored = set(
        ResponseEvent.objects.filter(
            enrolment__study=study, restores__isnull=False, replaced_by__isnull=True
        ).values_list("restores_id", flat=True)
    )
    ordered = sorted(
        events.iterator(chunk_size=_BATCH), key=lambda e: (e.enrolment.participant.public_id, e.pk)
    )
    for event in ordered:
        standing = event.pk in restored or (event.pk not in replaced and event.action != "undo")
        yield json_line(_event_line(event, _status(event, standing, event.pk in undone)))


ANSWER_FILES: Mapping[str, Callable[[Study], Iterator[bytes]]] = {
    "ratings": ratings_lines,
    "events": events_lines,
}


def _undone(study: Study) -> set[int]:
    """The answers and reports that an undo has taken back."""
    undos = ResponseEvent.objects.filter(
        enrolment__study=study, action=ResponseEvent.Action.UNDO
    ).select_related("replaces__restores")
    taken_back = (undo.replaces.standing for undo in undos.iterator(chunk_size=_BATCH) if undo.replaces)
    return {event.pk for event in taken_back if event is not None}


def _status(event: ResponseEvent, standing: bool, undone: bool) -> str:
    """What became of an event. One that stands may still not count: late, skipped, or left out."""
    if not standing:
        return "undone" if undone or event.action == ResponseEvent.Action.UNDO else "revised"
    left_out = event.left_out  # type: ignore[attr-defined]
    if event.action == ResponseEvent.Action.REPORT or left_out == SKIPPED.reason:
        return "skipped"
    if event.assignment.surplus and left_out:
        return "late"
    return "excluded" if left_out else "current"


def _event_line(event: ResponseEvent, status: str) -> dict[str, Any]:
    enrolment, assignment = event.enrolment, event.assignment

    def since_joining(at: datetime | None) -> float | None:
        return round((at - enrolment.joined_at).total_seconds(), 3) if at else None

    played = {role: [[a / 1000, b / 1000] for a, b in s] for role, s in event.played.items()}
    return {
        "event_id": str(event.event_id),
        "kind": event.kind,
        "kind_version": event.kind_version,
        "study_version": event.study_version,
        "wave": assignment.unit.wave.name,
        "rater": enrolment.participant.public_id,
        "pool": enrolment.pool,
        "item_id": assignment.unit.key,
        "moment_id": event.question if event.scope == ResponseEvent.Scope.QUESTION else None,
        "value": event.payload,
        "replaces": str(event.replaces.event_id) if event.replaces else None,
        "purpose": assignment.purpose,
        "status": status,
        "position": assignment.position,
        "opened_s": since_joining(assignment.opened_at),
        "answered_s": since_joining(event.answered_at),
        "received_s": since_joining(event.received_at),
        "active_s": event.active_ms / 1000,
        "played": _only(played),
        "stalls": event.stalls,
        "stall_s": event.stall_ms / 1000,
        "language": event.language,
        "media_sha256": _only(event.media_sha256),
    }


def _only(by_role: Mapping[str, Any]) -> Any:
    """The value of the one role there is, or all of them by role; None for none."""
    if len(by_role) > 1:
        return dict(by_role)
    return next(iter(by_role.values()), None)
