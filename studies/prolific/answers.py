"""What Prolific answers, in our words: submissions, bulk bonuses, and the two ways in which it fails.

Field names of Prolific stand here and nowhere else:
https://docs.prolific.com/api-reference/submissions/submission-object
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

AWAITING_REVIEW, APPROVED = "AWAITING_REVIEW", "APPROVED"
GOING_ON = frozenset({"RESERVED", "ACTIVE", AWAITING_REVIEW})
AWAY = frozenset({"RETURNED", "TIMED_OUT", "REJECTED"})
"""States in which the place of a submission is open again."""
PAID = frozenset({APPROVED, "PARTIALLY_APPROVED"})
TERMINAL = AWAY | PAID | {"SCREENED_OUT"}
NOCODE = "NOCODE"
"""What Prolific has as entered code when somebody submitted without one."""

_AN_ID = re.compile(r"[0-9a-f]{24}")


class ProlificError(Exception):
    """Prolific was asked and did not do it. `status` is that of HTTP; 0: it could not be reached at all.

    Ids of people are taken out of the message.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        self.status = status
        self.message = _AN_ID.sub("…", message)[:300]
        self.retry_after = retry_after
        super().__init__(f"Prolific answered {status}: {self.message}" if status else self.message)

    @property
    def passing(self) -> bool:
        """Whether this says nothing about what was asked: out of reach, a wrong token, too many requests."""
        return self.status in (0, 401, 403, 429)


class NoAnswer(Exception):
    """Prolific was asked and no answer that can be relied on came: whether it was done is unknown."""


@dataclass(frozen=True, slots=True)
class FetchedSubmission:
    """A submission as Prolific has it. `status` is in capitals with underscores, unknown words included."""

    session_id: str
    pid: str
    study_id: str
    status: str
    entered_code: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None

    def __repr__(self) -> str:
        return f"<a submission, {self.status}>"  # ids stay out of logs


@dataclass(frozen=True, slots=True)
class BulkBonus:
    """A bulk bonus that was set up and not paid yet. Amounts are Prolific's, in its smallest unit."""

    id: str
    amount: int | None = None
    total: int | None = None


def status_of(text: object) -> str:
    """A status in capitals with underscores, however Prolific writes it; 30 characters at most."""
    return re.sub(r"[\s_-]+", "_", str(text or "").strip()).upper()[:30]


def submission_of(found: Mapping[str, Any], study_id: str = "") -> FetchedSubmission:
    """A submission from a body of the API. `study_id` is that of the list it stands in, where it names none.

    Raises `ProlificError` for a body without the ids.
    """
    named = found.get("study_id") or found.get("study") or study_id
    study = str(named.get("id", "") if isinstance(named, Mapping) else named)
    session, pid = (str(found.get(name) or "") for name in ("id", "participant_id"))
    if not session or not pid:
        raise ProlificError(200, "a submission came without its id or its participant")
    return FetchedSubmission(
        session_id=session,
        pid=pid,
        study_id=study,
        status=status_of(found.get("status")),
        entered_code=str(found.get("study_code") or found.get("entered_code") or "").strip()[:64],
        started_at=_time(found.get("started_at")),
        completed_at=_time(found.get("completed_at")),
    )


def bulk_bonus_of(found: Mapping[str, Any]) -> BulkBonus:
    """A bulk bonus from a body of the API; `NoAnswer` for one without an id."""
    if not found.get("id"):
        raise NoAnswer("the bulk bonus came without an id")
    amount, total = (found.get(name) for name in ("amount", "total_amount"))
    return BulkBonus(
        id=str(found["id"])[:64],
        amount=amount if isinstance(amount, int) else None,
        total=total if isinstance(total, int) else None,
    )


def _time(text: object) -> datetime | None:
    try:
        found = parse_datetime(str(text or "").strip())
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
