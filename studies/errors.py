"""One family of refusals and one JSON shape for every failure of the API."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.settings import api_settings


class Refused(Exception):
    """Something asked for cannot be done. Says what is the case and what to do next.

    `code` is for programs, `message` for people, `facts` for the page (for instance what is stored).
    """

    status: int = status.HTTP_409_CONFLICT

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts = facts


class Invalid(Refused):
    """The request itself is wrong; `problems` lists field, found and expected."""

    status = status.HTTP_400_BAD_REQUEST

    def __init__(self, message: str, problems: list[dict[str, str]]) -> None:
        super().__init__("invalid", message, problems=problems)


class NotEnrolled(Refused):
    """The browser carries no valid personal address for this study."""

    status = status.HTTP_403_FORBIDDEN

    def __init__(self) -> None:
        super().__init__(
            "not_enrolled",
            "This browser is not signed in to the study. Open your personal return address to go on.",
        )


_LONGEST = 100  # characters of what was found that a message repeats
_NOTHING = object()


def _problems(detail: Any, found: Any, path: str = "") -> list[dict[str, str]]:
    """A serializer's complaints, each with its field and what was found there."""
    if isinstance(detail, dict):
        inside = found if isinstance(found, dict) else {}
        return [
            problem
            for key, value in detail.items()
            for problem in (
                _problems(value, found, path)
                if key == api_settings.NON_FIELD_ERRORS_KEY
                else _problems(value, inside.get(key, _NOTHING), f"{path}.{key}".strip("."))
            )
        ]
    sentences = detail if isinstance(detail, list) else [detail]
    shown = "nothing" if found is _NOTHING else repr(found)[:_LONGEST]
    return [{"field": path, "found": shown, "expected": " ".join(map(str, sentences))}]


def _invalid(problems: list[dict[str, str]]) -> Response:
    body = {
        "code": "invalid",
        "message": "The request is not as expected; see problems.",
        "problems": problems,
    }
    return Response({"error": body}, status=status.HTTP_400_BAD_REQUEST)


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's handler: every failure becomes `{"error": {"code", "message", …}}`."""
    if isinstance(error, Refused):
        body = {"code": error.code, "message": error.message, **error.facts}
        return Response({"error": body}, status=error.status)
    if isinstance(error, exceptions.ValidationError):
        return _invalid(_problems(error.detail, context["request"].data))
    if isinstance(error, exceptions.ParseError):
        return _invalid([{"field": "", "found": str(error.detail), "expected": "a JSON object"}])
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        forbidden = isinstance(error, exceptions.PermissionDenied)
        code = "forbidden" if forbidden else error.default_code  # the page keeps what it has to say
        body = {"code": code, "message": str(error.detail)}
        return Response({"error": body}, status=error.status_code)
    return None
