"""What is held about somebody in one visit: what they may read and take with them."""

from datetime import datetime
from typing import Any

from studies.models import Assignment, Enrolment, ResponseEvent, TechnicalFault


def held_about(enrolment: Enrolment) -> dict[str, Any]:
    """Everything stored of a visit, as plain data, in the order in which it came to be.

    Left out is what would tell something of the study itself: a clip is named by its place in the person's
    own order, and which clips came a second time or as a check is not said.
    """
    return {
        "study": enrolment.study.title,
        "visit": enrolment.attempt,
        "random_id": enrolment.public_id,
        "came_by": "Prolific" if enrolment.pool == "prolific" else "a link of the study",
        "agreed_at": _time(enrolment.joined_at),
        "agreed_to_version": enrolment.consent_version,
        "device": enrolment.device,
        "device_check_passed_at": _time(enrolment.device_passed_at),
        "practice_passed_at": _time(enrolment.trained_at),
        "state": enrolment.get_state_display(),
        "ended_as": enrolment.get_path_display(),
        "handed_in_at": _time(enrolment.handed_in_at),
        "submission_returned_at": _time(enrolment.returned_at),
        "tasks": _tasks(enrolment),
        "answers": _answers(enrolment),
        "faults": _faults(enrolment),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None


def _tasks(enrolment: Enrolment) -> list[dict[str, Any]]:
    shown = enrolment.assignments.filter(position__isnull=False).order_by("position")
    return [
        {
            "number": task.position,
            "practice": task.purpose == Assignment.Purpose.PRACTICE,
            "state": task.get_state_display(),
            "opened_at": _time(task.opened_at),
            "closed_at": _time(task.closed_at),
            "active_s": task.active_ms / 1000,
        }
        for task in shown
    ]


def _answers(enrolment: Enrolment) -> list[dict[str, Any]]:
    """Every act there ever was, those that were changed or taken back later included."""
    events = ResponseEvent.objects.filter(enrolment=enrolment).select_related("assignment").order_by("id")
    replaced = set(events.exclude(replaces=None).order_by().values_list("replaces", flat=True))
    return [
        {
            "task": event.assignment.position,
            "what": event.get_action_display(),
            "question": event.question if event.scope == ResponseEvent.Scope.QUESTION else "the whole task",
            "answer": event.payload,
            "answered_at": _time(event.answered_at),
            "received_at": _time(event.received_at),
            "changed_later": event.pk in replaced,
            "played_ms": event.played,
            "active_s": event.active_ms / 1000,
            "stalls": event.stalls,
            "stalled_s": event.stall_ms / 1000,
        }
        for event in events
    ]


def _faults(enrolment: Enrolment) -> list[dict[str, Any]]:
    faults = TechnicalFault.objects.filter(assignment__enrolment=enrolment).order_by("at")
    return [
        {
            "task": fault.assignment.position,
            "file": fault.role,
            "error": fault.code,
            "browser": fault.browser,
            "at": _time(fault.at),
        }
        for fault in faults.select_related("assignment")
    ]
