"""What wraps every request: the admin's looser policy, and streams that hold no database connection."""

from collections.abc import Callable

from django.db import connections
from django.http import HttpRequest, HttpResponse


class AdminPolicyMiddleware:
    """Loosens the policy for /admin/ alone, which only staff can open."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith("/admin/"):
            # What django-csp's own `csp_update` decorator sets on a response.
            response._csp_update = {  # type: ignore[attr-defined]
                "script-src": ["'unsafe-eval'"],
                "style-src": ["'unsafe-inline'"],
            }
        return response


class ReleaseConnectionMiddleware:
    """Gives the database connection back before a streamed answer goes out.

    Django does so at the end of a request, which for a stream is when the reader has read all of it: forty
    viewers who stop reading would otherwise hold forty connections, and empty a process's pool.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.streaming:
            for connection in connections.all(initialized_only=True):
                if not connection.in_atomic_block:  # as in tests, which are one transaction
                    connection.close_if_unusable_or_obsolete()
        return response
