"""One family of refusals and one JSON shape for every failure of the API."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response


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


def _problems(detail: Any, path: str = "") -> list[dict[str, str]]:
    if isinstance(detail, dict):
        return [p for key, value in detail.items() for p in _problems(value, f"{path}.{key}".strip("."))]
    if isinstance(detail, list):
        nested = [entry for entry in detail if isinstance(entry, dict | list)]
        if nested:
            return [p for i, entry in enumerate(detail) for p in _problems(entry, f"{path}[{i}]")]
        return [{"field": path, "expected": " ".join(str(entry) for entry in detail)}]
    return [{"field": path, "expected": str(detail)}]


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's handler: every failure becomes `{"error": {"code", "message", …}}`."""
    if isinstance(error, Refused):
        body = {"code": error.code, "message": error.message, **error.facts}
        return Response({"error": body}, status=error.status)
    if isinstance(error, exceptions.ValidationError):
        body = {
            "code": "invalid",
            "message": "The request is not as expected; see problems.",
            "problems": _problems(error.detail),
        }
        return Response({"error": body}, status=error.status_code)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        body = {"code": error.default_code, "message": str(error.detail)}
        return Response({"error": body}, status=error.status_code)
    return None
