"""Recording what an annotator says. Nothing is overwritten: every act is an event in a chain.

A response names the event it replaces (what the page last saw); only the head of the chain can be
replaced. A client-made UUID makes sending twice harmless. The kind writes its typed current answer in
the same transaction, so an acknowledged answer is on disk whole or not at all.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies import playback
from studies.errors import Invalid, Refused
from studies.history import Head, history_of
from studies.kinds import InvalidResponse, Question
from studies.models import Assignment, Enrolment, ResponseEvent
from studies.queries import kind_of, study_parameters, unit_of
from studies.services.assignment import enrolment_locked
from studies.services.settling import Context, Said, before_answer, settle, settle_unit

Action = ResponseEvent.Action
Scope = ResponseEvent.Scope
State = Assignment.State

REPORT_REASONS = {
    "does_not_play": "It does not play",
    "no_sound": "There is no sound",
    "wrong_content": "It shows the wrong content",
    "rather_not": "I'd rather not watch this",
}
_REASONS_EXPECTED = f'{{"reason": one of {", ".join(REPORT_REASONS)}}}'
MAX_WAIT = timedelta(days=7)  # the longest an answer can claim to have waited in a browser


@dataclass(frozen=True, slots=True)
class Recorded:
    """The event that stands for what was said, and whether it is new."""

    event: ResponseEvent
    assignment: Assignment
    created: bool

    @property
    def value(self) -> Any:
        """The value that was current right after this event."""
        return Head(self.event).value


@transaction.atomic
def response_record(*, enrolment: Enrolment, said: Said, now: datetime | None = None) -> Recorded:
    """Record an answer, a report or an undo, and the current answer that follows from it.

    Returns the first result again for a UUID that is known. Refuses, with what is stored: a stale or
    reused event, a unit never given to this person, work handed in, another tab's unit, a moment that
    has not been watched. Raises `Invalid` for a value that the kind does not accept.
    """
    enrolment = enrolment_locked(enrolment)  # serialises everything one person says, from however many tabs
    now = now or timezone.now()
    known = (
        ResponseEvent.objects.select_related("assignment", "restores").filter(event_id=said.event_id).first()
    )
    if known is not None:
        return _known(known, enrolment, said)
    context = _context(enrolment, said, now)
    question = _question(context, said)
    head = context.history.heads.get((said.scope, question.key))
    _may_speak(context, said, head)
    payload = _payload(context, said, question, head)
    if said.action == Action.ANSWER:
        _watched_or_refused(context, said, question)
    settled = settle(context, said, question, payload)
    event = _event(context, said, question, payload, head, late=settled.late)
    _keep_current(context, event, question)
    settled.write()
    if event.scope == Scope.UNIT:
        settle_unit(context)
    return Recorded(event, context.assignment, created=True)


def _stored(head: Head | None) -> dict[str, Any]:
    return head.public() if head else {"head": None, "value": None}


def _known(event: ResponseEvent, enrolment: Enrolment, said: Said) -> Recorded:
    mine = event.enrolment_id == enrolment.pk
    same = (
        mine
        and event.assignment_id == said.assignment_id
        and (event.action, event.scope) == (said.action, said.scope)
        and (said.scope == Scope.UNIT or event.question == said.question)
        and (said.action == Action.UNDO or _alike(event.payload, said.value))
    )
    if not same:
        stored = {"head": str(event.event_id), "value": event.payload} if mine else None
        raise Refused("reused_id", "This event id already stands for something else.", stored=stored)
    return Recorded(event, event.assignment, created=False)


def _alike(stored: Any, said: Any) -> bool:
    """Whether what is said again is what was stored. 2.0 is 2, but `True` is not 1."""
    if isinstance(stored, dict) and isinstance(said, dict):
        return all(key in said and _alike(value, said[key]) for key, value in stored.items())
    return isinstance(stored, bool) == isinstance(said, bool) and bool(stored == said)


def _context(enrolment: Enrolment, said: Said, now: datetime) -> Context:
    assignment = (
        Assignment.objects.select_related("unit", "enrolment__study")
        .filter(pk=said.assignment_id, enrolment=enrolment, opened_at__isnull=False)
        .first()
    )
    if assignment is None:
        raise Refused("not_assigned", "This clip was never given to you.", stored=None)
    parameters = study_parameters(enrolment.study, assignment.study_version)
    unit = unit_of(assignment, parameters, blocked=True)  # late is not lost, whatever happened to the clip
    if unit is None:
        raise Refused("withdrawn", "This clip has been taken out of the study.", stored=None)
    return Context(enrolment, enrolment.study, assignment, unit, parameters, history_of(assignment), now)


def _question(context: Context, said: Said) -> Question:
    """The question spoken of; a report is about the unit as a whole."""
    if said.scope == Scope.UNIT:
        return Question(context.unit.key)
    question = context.unit.question(said.question)
    if question is None:
        asked = ", ".join(q.key for q in context.unit.questions)
        raise Invalid(
            "The unit does not ask this.", [{"field": "question", "found": said.question, "expected": asked}]
        )
    return question


def _may_speak(context: Context, said: Said, head: Head | None) -> None:
    stored = _stored(head)
    if context.enrolment.state != Enrolment.State.ACTIVE:
        raise Refused(
            "handed_in", "Your work has been handed in; answers can no longer change.", stored=stored
        )
    if context.enrolment.tab != said.tab:
        raise Refused("lease", "This study is open in another tab or on another device.", stored=stored)
    if head is not None and context.assignment.purpose == Assignment.Purpose.PRACTICE:
        raise Refused("practice_final", "In practice the first answer counts.", stored=stored)
    if (head.event.event_id if head else None) != said.replaces:
        raise Refused("stale", "This was answered elsewhere in the meantime.", stored=stored)


def _payload(context: Context, said: Said, question: Question, head: Head | None) -> Any:
    if said.action == Action.UNDO:
        if head is None or head.event.standing is None:
            raise Refused("nothing_to_undo", "There is nothing to undo here.", stored=_stored(head))
        return None
    if (said.action == Action.REPORT) != (said.scope == Scope.UNIT):
        raise Invalid(
            "Reports are about a unit, answers about a question.",
            [{"field": "scope", "found": said.scope, "expected": "unit for report, question for answer"}],
        )
    if said.action == Action.REPORT:
        reason = said.value.get("reason") if isinstance(said.value, dict) else None
        if not isinstance(reason, str) or reason not in REPORT_REASONS:
            raise Invalid(
                "Unknown reason.",
                [{"field": "value", "found": repr(said.value), "expected": _REASONS_EXPECTED}],
            )
        return {"reason": reason}
    try:
        return kind_of(context.study).validate(question, said.value, context.parameters)
    except InvalidResponse as error:
        raise Invalid(
            str(error), [{"field": "value", "found": repr(said.value), "expected": str(error)}]
        ) from error


def _watched_or_refused(context: Context, said: Said, question: Question) -> None:
    """Both halves of the proof: what the page says it played, and what the server's clock allows."""
    played = playback.merged_by_role(context.history.played, said.played)
    gaps = {w.role: playback.missing(w, played) for w in question.must_play}
    if any(gaps.values()):
        raise Refused(
            "not_played",
            "Watch all of it first, with sound and at normal speed.",
            wait_s=0,
            missing=[[a / 1000, b / 1000] for stretches in gaps.values() for a, b in stretches],
        )
    answered = context.history.answered | {question.key}
    windows = [w for q in context.unit.questions if q.key in answered for w in q.must_play]
    opened_at = context.assignment.opened_at or context.now
    wait = playback.wait_ms(windows, opened_at, context.now)
    if wait:
        raise Refused(
            "not_played",
            "There has not been enough time to watch this since the clip was opened.",
            wait_s=wait / 1000,
            missing=[],
        )


def _event(
    context: Context, said: Said, question: Question, payload: Any, head: Head | None, *, late: bool
) -> ResponseEvent:
    kind, assignment = kind_of(context.study), context.assignment
    event = ResponseEvent(
        event_id=said.event_id,
        enrolment=context.enrolment,
        assignment=assignment,
        action=said.action,
        scope=said.scope,
        question=question.key,
        kind=kind.name,
        kind_version=kind.version,
        study_version=assignment.study_version,
        payload=payload,
        replaces=head.event if head else None,
        late=late,
        received_at=context.now,
        answered_at=context.now - min(timedelta(milliseconds=said.age_ms), MAX_WAIT),
        played=said.played,
        active_ms=said.active_ms,
        stalls=said.stalls,
        stall_ms=said.stall_ms,
        media_sha256={role: shown["sha256"] for role, shown in assignment.media.items()},
        language=context.study.language,
    )
    if said.action == Action.UNDO and head and head.event.standing:
        event.restores = before_answer(head.event.standing)
    event.save()
    return event


def _keep_current(context: Context, event: ResponseEvent, question: Question) -> None:
    """The kind's typed current answer; practice, checks and repeats never enter the data."""
    if event.scope != Scope.QUESTION or context.assignment.purpose != Assignment.Purpose.STUDY:
        return
    kind = kind_of(context.study)
    if event.standing is None:
        kind.forget(context.assignment, question)
    else:
        kind.record(context.assignment, question, event.standing)
