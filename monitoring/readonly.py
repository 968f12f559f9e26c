"""Dashboards cannot write: inside them every query, of whatever app, goes to the `monitor` database.

That alias refuses to write by itself (`PRAGMA query_only`, or a read-only transaction and role), so a
view that tried to save would fail in the database, not by a rule somebody has to remember.
"""

import contextvars
import functools
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase

ALIAS = "monitor"
_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("monitoring_read_only", default=False)

View = Callable[..., HttpResponseBase]


class ReadOnlyRouter:
    """Sends all queries made inside a read-only view to the `monitor` alias."""

    def db_for_read(self, model: type, **hints: Any) -> str | None:
        """The alias to read from, or None to leave the choice to the default."""
        return ALIAS if _inside.get() else None

    def db_for_write(self, model: type, **hints: Any) -> str | None:
        """Also the read-only alias, so that a write is refused."""
        return ALIAS if _inside.get() else None

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool | None:
        """Both aliases are the same database."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        """Only the default alias is migrated."""
        return False if db == ALIAS else None


def read_only(view: View) -> View:
    """Run a view with all its queries on the read-only alias."""

    @functools.wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        _ = request.user.is_authenticated if hasattr(request, "user") else None  # read before, outside
        token = _inside.set(True)
        try:
            return view(request, *args, **kwargs)
        finally:
            _inside.reset(token)

    wrapped.read_only = True  # type: ignore[attr-defined]
    return wrapped
