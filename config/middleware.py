"""The second content security policy: the admin's theme evaluates expressions, nobody else's page may."""

from collections.abc import Callable

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
