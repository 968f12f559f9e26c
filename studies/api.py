"""What an annotator's page says to the server. Each view: who is it, what is wanted, one call, one answer."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import CSRFCheck
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studies import access, queries, wire
from studies.accepting import accepted, rule_words
from studies.history import history_of
from studies.models import Assignment, Enrolment, ResponseEvent
from studies.services import assignment as assignments
from studies.services import enrolment as enrolments
from studies.services.assignment import Opened
from studies.services.response import Recorded, response_record


class EnrolmentView(APIView):
    """An endpoint for one browser's enrolment: checks the cross-site token, then the personal cookie."""

    enrolment: Enrolment

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        enforce_csrf(request._request)
        self.enrolment = access.enrolment_required(request._request, kwargs["slug"])


def enforce_csrf(request: HttpRequest) -> None:
    """DRF exempts its views from Django's check; the cookie makes it necessary here."""

    def no_response(_: HttpRequest) -> None:
        return None  # CSRFCheck wants a callable and never uses what it returns

    check = CSRFCheck(no_response)  # type: ignore[arg-type]
    check.process_request(request)
    reason = check.process_view(request, no_response, (), {})  # type: ignore[arg-type]
    if reason:
        raise PermissionDenied(f"The page is out of date: {reason}. Reload it.")


def _seconds(stretches: Sequence[Sequence[int]]) -> list[list[float]]:
    return [[a / 1000, b / 1000] for a, b in stretches]


def _state(assignment: Assignment) -> dict[str, Any]:
    return {"id": assignment.pk, "position": assignment.position, "state": assignment.state}


class OpenView(EnrolmentView):
    """Take the lease and open the unit to work on."""

    @extend_schema(request=wire.TabIn, responses={200: wire.OpenOut, 400: wire.ErrorOut, 403: wire.ErrorOut})
    def post(self, request: Request, slug: str) -> Response:
        given = wire.TabIn(data=request.data)
        given.is_valid(raise_exception=True)
        opened = assignments.unit_open(enrolment=self.enrolment, tab=given.validated_data["tab"])
        body: dict[str, Any] = {
            "state": opened.state,
            "progress": {"done": queries.work_done(self.enrolment), "left": opened.left},
            "previous": _previous(self.enrolment, opened.assignment),
            "practice": _practice(opened),
        }
        return Response(body | _unit_body(opened))


def _practice(opened: Opened) -> dict[str, Any] | None:
    """Where somebody is in the practice; None in the work itself. Checks and repeats look like any unit."""
    if opened.practice is None:
        return None
    practice = opened.practice
    return {
        "item": practice.item,
        "of": practice.of,
        "round": practice.round,
        "rounds": practice.rounds,
        "needed": practice.needed,
        "before": asdict(practice.before) if practice.before else None,
    }


def _previous(enrolment: Enrolment, current: Assignment | None) -> dict[str, Any] | None:
    deed = queries.last_deed(enrolment, before=current)
    if deed is None:
        return None
    event = deed.event
    question = event.question if event.scope == ResponseEvent.Scope.QUESTION else ""
    return {
        "assignment": event.assignment_id,
        "scope": event.scope,
        "question": question,
        "head": str(event.event_id),
    }


def _unit_body(opened: Opened) -> dict[str, Any]:
    assignment, unit = opened.assignment, opened.unit
    if assignment is None or unit is None:
        return {}
    study = assignment.enrolment.study
    parameters = queries.study_parameters(study, assignment.study_version)
    history = history_of(assignment)
    heads = history.heads
    report = heads.get((ResponseEvent.Scope.UNIT, unit.key))
    return {
        "assignment": _state(assignment),
        "view": queries.kind_of(study).view(unit, parameters).public(),
        "media": {role: asdict(a) for role, a in access.media_addresses(assignment).items()},
        "answers": {
            q.key: heads["question", q.key].public() for q in unit.questions if ("question", q.key) in heads
        },
        "report": report.public() if report else None,
        "played": {role: _seconds(s) for role, s in history.played.items()},
    }


class EventsView(EnrolmentView):
    """Record one act; sending it again gives the first result again."""

    @extend_schema(
        request=wire.EventIn,
        responses={
            201: wire.EventOut,
            200: wire.EventOut,
            400: wire.ErrorOut,
            403: wire.ErrorOut,
            409: wire.ErrorOut,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        given = wire.EventIn(data=request.data)
        given.is_valid(raise_exception=True)
        recorded = response_record(enrolment=self.enrolment, said=given.said())
        event = recorded.event
        body = {
            "event_id": str(event.event_id),
            "scope": event.scope,
            "question": event.question if event.scope == ResponseEvent.Scope.QUESTION else "",
            "head": str(event.event_id),
            "value": recorded.value,
            "assignment": _state(recorded.assignment),
            "progress": {"done": queries.work_done(self.enrolment), "left": None},
            "feedback": _feedback(recorded),
        }
        return Response(body, status=201 if recorded.created else 200)


def _feedback(recorded: Recorded) -> dict[str, Any] | None:
    """What is said after a practice answer; None for everything else."""
    event, assignment = recorded.event, recorded.assignment
    practice = assignment.purpose == Assignment.Purpose.PRACTICE
    if not practice or event.action != ResponseEvent.Action.ANSWER:
        return None
    rule = assignment.unit.accepts.get(event.question)
    return {
        "accepted": accepted(rule, event.payload),
        "expected": rule_words(rule),
        "text": assignment.unit.feedback,
    }


class HeartbeatView(EnrolmentView):
    """Renew the reservation and the media addresses; tell whether this tab still holds the lease."""

    @extend_schema(
        request=wire.HeartbeatIn,
        responses={200: wire.HeartbeatOut, 400: wire.ErrorOut, 403: wire.ErrorOut, 409: wire.ErrorOut},
    )
    def post(self, request: Request, slug: str) -> Response:
        given = wire.HeartbeatIn(data=request.data)
        given.is_valid(raise_exception=True)
        data = given.validated_data
        lease = self.enrolment.tab == data["tab"]
        assignment = assignments.assignment_renew(
            enrolment=self.enrolment,
            assignment_id=data["assignment"],
            fault=data.get("fault"),
            active_ms=data["active_s"],
        )
        media = access.media_addresses(assignment) if lease else {}
        return Response(
            {
                "lease": lease,
                "state": queries.work_state(self.enrolment),
                "media": {role: asdict(address) for role, address in media.items()},
            }
        )


class HandInView(EnrolmentView):
    """Hand the work in."""

    @extend_schema(
        request=wire.TabIn, responses={200: wire.HandInOut, 400: wire.ErrorOut, 403: wire.ErrorOut}
    )
    def post(self, request: Request, slug: str) -> Response:
        given = wire.TabIn(data=request.data)
        given.is_valid(raise_exception=True)
        enrolments.enrolment_hand_in(enrolment=self.enrolment)
        return Response({"next": f"/work/{slug}/thanks/"})
