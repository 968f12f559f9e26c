"""Answers as files: the ratings that count, and every event there ever was (design: "Answers out")."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from evaluator.formats import json_line
from studies.counting import NOT_STUDY, SKIPPED, why_left_out
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
    events = ResponseEvent.objects.filter(enrolment__study=study)
    rows = events.annotate(left_out=why_left_out("assignment__")).order_by().values_list(*_COLUMNS)
    chain = _Chain.read(study)
    ordered = sorted(_Event(*row) for row in rows.iterator(chunk_size=_BATCH))
    return (json_line(_event_line(event, _status(event, chain))) for event in ordered)


ANSWER_FILES: Mapping[str, Callable[[Study], Iterator[bytes]]] = {
    "ratings": ratings_lines,
    "events": events_lines,
}


class _Event(NamedTuple):
    """One row, in the order of `_COLUMNS`; rater and key come first, so that rows sort by them."""

    rater: str
    pk: int
    event_id: UUID
    action: str
    scope: str
    question: str
    kind: str
    kind_version: str
    study_version: int
    payload: Any
    replaces: UUID | None
    received_at: datetime
    answered_at: datetime
    played: dict[str, list[list[int]]]
    active_ms: int
    stalls: int
    stall_ms: int
    media_sha256: dict[str, str]
    language: str
    joined_at: datetime
    pool: str
    item: str
    wave: str
    purpose: str
    position: int
    opened_at: datetime | None
    surplus: bool
    left_out: str


_COLUMNS = (
    "enrolment__participant__public_id",
    "pk",
    *("event_id", "action", "scope", "question", "kind", "kind_version", "study_version", "payload"),
    *("replaces__event_id", "received_at", "answered_at", "played", "active_ms", "stalls", "stall_ms"),
    *("media_sha256", "language", "enrolment__joined_at", "enrolment__pool", "assignment__unit__key"),
    *("assignment__unit__wave__name", "assignment__purpose", "assignment__position"),
    *("assignment__opened_at", "assignment__surplus", "left_out"),
)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Of a study's events, by primary key: those that something replaced, those that an undo at the end of
    its chain restores, and those that an undo took back."""

    replaced: frozenset[int]
    restored: frozenset[int]
    undone: frozenset[int]

    @classmethod
    def read(cls, study: Study) -> "_Chain":
        """Three small reads; most studies have few undos."""
        events = ResponseEvent.objects.filter(enrolment__study=study)
        undos = events.filter(action=ResponseEvent.Action.UNDO).select_related("replaces__restores")
        replaced = events.filter(replaces__isnull=False).values_list("replaces_id", flat=True)
        last = events.filter(restores__isnull=False, replaced_by__isnull=True)
        taken_back = (undo.replaces.standing for undo in undos if undo.replaces)
        return cls(
            replaced=frozenset(pk for pk in replaced if pk is not None),
            restored=frozenset(pk for pk in last.values_list("restores_id", flat=True) if pk is not None),
            undone=frozenset(event.pk for event in taken_back if event is not None),
        )


def _status(event: _Event, chain: _Chain) -> str:
    """What became of an event. One that stands may still not count: late, skipped, or left out."""
    undo = event.action == ResponseEvent.Action.UNDO
    if event.pk not in chain.restored and (undo or event.pk in chain.replaced):
        return "undone" if undo or event.pk in chain.undone else "revised"
    if event.action == ResponseEvent.Action.REPORT or event.left_out == SKIPPED.reason:
        return "skipped"
    if event.surplus and event.left_out:
        return "late"
    # That practice, checks and repeats are outside the figures is said by their purpose.
    return "excluded" if event.left_out not in ("", NOT_STUDY.reason) else "current"


def _event_line(event: _Event, status: str) -> dict[str, Any]:
    def since_joining(at: datetime | None) -> float | None:
        return round((at - event.joined_at).total_seconds(), 3) if at else None

    played = {role: [[a / 1000, b / 1000] for a, b in s] for role, s in event.played.items()}
    return {
        "event_id": str(event.event_id),
        "kind": event.kind,
        "kind_version": event.kind_version,
        "study_version": event.study_version,
        "wave": event.wave,
        "rater": event.rater,
        "pool": event.pool,
        "item_id": event.item,
        "moment_id": event.question if event.scope == ResponseEvent.Scope.QUESTION else None,
        "value": event.payload,
        "replaces": str(event.replaces) if event.replaces else None,
        "purpose": event.purpose,
        "status": status,
        "position": event.position,
        "opened_s": since_joining(event.opened_at),
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
