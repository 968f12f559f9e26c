"""What an annotator's page says to the server. Each view: who is it, what is wanted, one call, one answer."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from rest_framework import permissions, serializers
from rest_framework.authentication import CSRFCheck
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studies import access, queries
from studies.models import Assignment, Enrolment, ResponseEvent
from studies.services import assignment as assignments
from studies.services import enrolment as enrolments
from studies.services import response as responses
from studies.services.assignment import Opened


class IsStaffUser(permissions.BasePermission):
    """The API description is for staff."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        user = getattr(request._request, "user", None)
        return bool(user and user.is_staff)


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


class SecondsField(serializers.FloatField):
    """Seconds on the wire, whole milliseconds inside; finite and not negative."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data) or data < 0:
            raise serializers.ValidationError(f"found {data!r}, expected seconds, 0 or more")
        return min(round(data * 1000), 2**31 - 1)


class PlayedField(serializers.Field[Any, Any, Any, Any]):
    """Watched stretches by role: `{"reaction": [[a, b], …]}` in seconds."""

    MOST = 500

    def to_internal_value(self, data: Any) -> dict[str, list[list[int]]]:
        if not isinstance(data, dict) or len(data) > 4:
            raise serializers.ValidationError("expected an object of roles")
        return {str(role)[:20]: self._stretches(stretches) for role, stretches in data.items()}

    def _stretches(self, data: Any) -> list[list[int]]:
        if not isinstance(data, list) or len(data) > self.MOST:
            raise serializers.ValidationError(f"expected at most {self.MOST} stretches")
        seconds = SecondsField()
        stretches = []
        for pair in data:
            if not isinstance(pair, list) or len(pair) != 2:
                raise serializers.ValidationError(f"found {pair!r}, expected [start, end]")
            start, end = (seconds.to_internal_value(value) for value in pair)
            if end < start:
                raise serializers.ValidationError(f"found {pair!r}, expected start before end")
            stretches.append([start, end])
        return stretches

    def to_representation(self, value: Any) -> Any:
        return value


class TabSerializer(serializers.Serializer[Any]):
    """The browser tab that speaks."""

    tab = serializers.CharField(max_length=64)


class FaultSerializer(serializers.Serializer[Any]):
    """A media error as the browser tells it."""

    role = serializers.CharField(max_length=10)
    code = serializers.CharField(max_length=40)
    browser = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)


class HeartbeatSerializer(TabSerializer):
    """A sign of life, with a media error if there was one."""

    assignment = serializers.IntegerField(min_value=1)
    fault = FaultSerializer(required=False)


class EventSerializer(TabSerializer):
    """One act: an answer, a report or an undo."""

    event_id = serializers.UUIDField()
    assignment = serializers.IntegerField(min_value=1)
    action = serializers.ChoiceField(choices=ResponseEvent.Action.values)
    scope = serializers.ChoiceField(choices=ResponseEvent.Scope.values, default="question")
    question = serializers.CharField(max_length=200, allow_blank=True, default="", trim_whitespace=False)
    value = serializers.JSONField(allow_null=True, default=None)
    replaces = serializers.UUIDField(allow_null=True)
    age_s = SecondsField(default=0)
    played = PlayedField(default=dict)
    active_s = SecondsField(default=0)
    stalls = serializers.IntegerField(min_value=0, max_value=100_000, default=0)
    stall_s = SecondsField(default=0)

    def said(self) -> responses.Said:
        """The act as the service takes it."""
        data = dict(self.validated_data)
        in_ms = {f"{name}_ms": data.pop(f"{name}_s") for name in ("age", "active", "stall")}
        return responses.Said(assignment_id=data.pop("assignment"), **data, **in_ms)


def _seconds(stretches: Sequence[Sequence[int]]) -> list[list[float]]:
    return [[a / 1000, b / 1000] for a, b in stretches]


def _state(assignment: Assignment) -> dict[str, Any]:
    return {"id": assignment.pk, "position": assignment.position, "state": assignment.state}


class OpenView(EnrolmentView):
    """Take the lease and open the unit to work on."""

    def post(self, request: Request, slug: str) -> Response:
        given = TabSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        opened = assignments.unit_open(enrolment=self.enrolment, tab=given.validated_data["tab"])
        body: dict[str, Any] = {
            "state": opened.state,
            "progress": {"done": queries.work_done(self.enrolment), "left": opened.left},
            "previous": _previous(self.enrolment, opened.assignment),
        }
        return Response(body | _unit_body(opened))


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
    heads = queries.heads(assignment)
    report = heads.get((ResponseEvent.Scope.UNIT, unit.key))
    return {
        "assignment": _state(assignment),
        "view": queries.kind_of(study).view(unit, parameters).public(),
        "media": {role: asdict(a) for role, a in access.media_addresses(assignment).items()},
        "answers": {
            q.key: heads["question", q.key].public() for q in unit.questions if ("question", q.key) in heads
        },
        "report": report.public() if report else None,
        "played": {role: _seconds(s) for role, s in queries.played_so_far(assignment).items()},
    }


class EventsView(EnrolmentView):
    """Record one act; sending it again gives the first result again."""

    def post(self, request: Request, slug: str) -> Response:
        given = EventSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        recorded = responses.response_record(enrolment=self.enrolment, said=given.said())
        event = recorded.event
        body = {
            "event_id": str(event.event_id),
            "scope": event.scope,
            "question": event.question if event.scope == ResponseEvent.Scope.QUESTION else "",
            "head": str(event.event_id),
            "value": recorded.value,
            "assignment": _state(recorded.assignment),
            "progress": {"done": queries.work_done(self.enrolment), "left": None},
        }
        return Response(body, status=201 if recorded.created else 200)


class HeartbeatView(EnrolmentView):
    """Renew the reservation and the media addresses; tell whether this tab still holds the lease."""

    def post(self, request: Request, slug: str) -> Response:
        given = HeartbeatSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        data = given.validated_data
        lease = self.enrolment.tab == data["tab"]
        assignment = assignments.assignment_renew(
            enrolment=self.enrolment, assignment_id=data["assignment"], fault=data.get("fault")
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

    def post(self, request: Request, slug: str) -> Response:
        given = TabSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        enrolments.enrolment_hand_in(enrolment=self.enrolment)
        return Response({"next": f"/work/{slug}/thanks/"})
