"""What an act leads to: where its assignment stands afterwards, and what becomes of its place and unit."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from studies.accepting import all_accepted
from studies.history import History
from studies.kinds import Question, Unit
from studies.models import Assignment, Enrolment, ResponseEvent, Study, StudyUnit
from studies.services.assignment import reserved_until
from studies.services.places import place_keep, places_release, places_renew

Action = ResponseEvent.Action
Scope = ResponseEvent.Scope
State = Assignment.State

TECHNICAL = ("does_not_play", "no_sound", "wrong_content")


@dataclass(frozen=True, slots=True)
class Said:
    """One act of an annotator as it arrived. Times in milliseconds, `played` in ms of media time by role."""

    event_id: uuid.UUID
    assignment_id: int
    tab: str
    action: str
    scope: str
    question: str
    value: Any
    replaces: uuid.UUID | None
    age_ms: int = 0
    played: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)
    active_ms: int = 0
    stalls: int = 0
    stall_ms: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that recording one act needs to know."""

    enrolment: Enrolment
    study: Study
    assignment: Assignment
    unit: Unit
    parameters: dict[str, Any]
    history: History
    now: datetime


@dataclass(slots=True)
class Settled:
    """Where an assignment stands after an act; `late` when its place had lapsed before."""

    assignment: Assignment
    before: dict[str, Any]
    late: bool = False

    def write(self) -> None:
        """Store what has changed."""
        now = {name: getattr(self.assignment, name) for name in self.before}
        changed = [name for name in now if now[name] != self.before[name]]
        if changed:
            self.assignment.save(update_fields=changed)


def settle(context: Context, said: Said, question: Question, payload: Any) -> Settled:
    """Bring the assignment's state in line with what is current in it after this act, and its place."""
    assignment, now = context.assignment, context.now
    fields = ("state", "surplus", "closed_at", "passed", "active_ms")
    settled = Settled(assignment, {name: getattr(assignment, name) for name in fields})
    current = _current_after(context, said, question, payload)
    reported = current.get((Scope.UNIT, context.unit.key))
    complete = all(current.get((Scope.QUESTION, q.key)) is not None for q in context.unit.questions)
    was = State(assignment.state)
    if reported:
        assignment.state = State.SKIPPED
    elif complete:
        assignment.state = State.FINISHED
    elif was in Assignment.WORK_DONE:
        # Reopened by an undo: it is the unit on the desk again, and what was there waits.
        context.enrolment.assignments.filter(state=State.OPEN).update(state=State.RESERVED)
        assignment.state = State.OPEN
    _settle_place(context, settled, was)
    if assignment.state in Assignment.WORK_DONE:
        assignment.closed_at = now
    elif assignment.state in (State.OPEN, State.RESERVED):
        assignment.closed_at = None
    if assignment.state == State.FINISHED and assignment.unit.accepts:
        answers = {key: value for (scope, key), value in current.items() if scope == Scope.QUESTION}
        assignment.passed = all_accepted(assignment.unit.accepts, answers)
    elif assignment.state == State.FINISHED and assignment.purpose == Assignment.Purpose.PRACTICE:
        assignment.passed = True
    assignment.active_ms = max(assignment.active_ms, said.active_ms)
    return settled


def _current_after(
    context: Context, said: Said, question: Question, payload: Any
) -> dict[tuple[str, str], Any]:
    """What will be current in the assignment, by (scope, question)."""
    current = {key: head.value for key, head in context.history.heads.items()}
    value = payload
    if said.action == Action.UNDO:
        standing = context.history.heads[said.scope, question.key].event.standing
        restored = before_answer(standing) if standing else None
        value = restored.payload if restored else None
    current[said.scope, question.key] = value
    return current


def _settle_place(context: Context, settled: Settled, was: State) -> None:
    """Keep, take or give back the place, as the assignment's state wants it now.

    A reservation that lapsed, or was lost, makes the act late: it takes a place that is still free, and
    is surplus otherwise.
    """
    assignment, study = context.assignment, context.study
    if not assignment.needs_place:
        if assignment.state in (State.EXPIRED, State.RELEASED):
            settled.late = True
        return
    if assignment.state == State.SKIPPED:
        settled.late = was in (State.EXPIRED, State.RELEASED)
        places_release(context.enrolment, [assignment.unit_id])
        return
    until = None if assignment.state == State.FINISHED else reserved_until(study, context.now)
    dropped = context.enrolment.returned_at is not None and study.returned == Study.Returned.DROP
    if dropped or (was == State.FINISHED and assignment.state == State.FINISHED):
        settled.late = dropped
        return
    portions = study.units_per_participant is not None
    if portions:  # a sign of life keeps the whole portion
        places_renew(context.enrolment, reserved_until(study, context.now), but=assignment.unit_id)
    kept = place_keep(assignment, until, context.now, wait=not portions)
    settled.late = kept.lapsed and was not in Assignment.WORK_DONE
    if kept.lapsed:
        assignment.surplus = not kept.held and study.late == Study.Late.SURPLUS
        # Whoever came in the meantime has written that this one lapsed; it may have been after we read it.
        stored = State(Assignment.objects.values_list("state", flat=True).get(pk=assignment.pk))
        settled.before["state"] = stored
        if not kept.held and assignment.state in (State.OPEN, State.RESERVED):
            assignment.state = stored
    if was in (State.EXPIRED, State.RELEASED) and assignment.state == was and kept.held:
        assignment.state = State.RESERVED


def settle_unit(context: Context) -> None:
    """After enough technical reports the unit leaves the queue until a manager decides."""
    unit = StudyUnit.objects.select_for_update(no_key=True).get(pk=context.assignment.unit_id)
    reports = ResponseEvent.objects.filter(
        assignment__unit=unit,
        assignment__state=State.SKIPPED,
        scope=Scope.UNIT,
        action=Action.REPORT,
        payload__reason__in=TECHNICAL,
    )
    if unit.decided_at:
        reports = reports.filter(received_at__gt=unit.decided_at)
    # Of a chain only the newest counts: one that something replaced has been undone or reworded.
    technical = reports.filter(replaced_by__isnull=True).values("assignment").distinct().count()
    limit = context.study.technical_reports_limit
    if technical >= limit and unit.state == StudyUnit.State.ACTIVE:
        unit.state = StudyUnit.State.REPORTED
    elif technical < limit and unit.state == StudyUnit.State.REPORTED:
        unit.state = StudyUnit.State.ACTIVE
    else:
        return
    unit.save(update_fields=["state"])


def before_answer(answer: ResponseEvent) -> ResponseEvent | None:
    """What was current before an answer was given."""
    return answer.replaces.standing if answer.replaces else None
