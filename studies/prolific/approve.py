"""Approving submissions. The ledger comes first: what may have been asked for is never asked for again.

Approving is all that is done here. No function rejects a submission, and nothing touches answers: whether
somebody is paid and whether their data count are two decisions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from studies.errors import Refused
from studies.identity import Payment, ProlificSubmission
from studies.models import Study, StudyLog
from studies.prolific.answers import APPROVED, AWAITING_REVIEW, PAID, NoAnswer, ProlificError
from studies.prolific.sync import codes_expected, path_of

if TYPE_CHECKING:
    from studies.prolific.client import Prolific

REVIEW_WITHIN = timedelta(days=14)
"""Prolific approves by itself after 21 days; a week before that somebody should have looked."""

ANSWER_WITHIN = timedelta(minutes=2)
"""Longer than any call to Prolific takes: before that nobody can say that a payment did not happen."""


def approvals_wanted(study: Study) -> QuerySet[ProlificSubmission, ProlificSubmission]:
    """Submissions that wait for review and whose approval nobody has asked for yet, oldest first."""
    asked = Payment.objects.filter(what=Payment.What.APPROVE).exclude(state=Payment.State.REFUSED)
    waiting = ProlificSubmission.objects.filter(study=study, status=AWAITING_REVIEW)
    return waiting.exclude(pk__in=asked.values("submission_id")).order_by("completed_at", "pk")


def overdue(study: Study, now: datetime) -> QuerySet[ProlificSubmission, ProlificSubmission]:
    """Submissions that have waited for review for 14 days, oldest first."""
    since = Coalesce("completed_at", "arrived_at")
    waiting = ProlificSubmission.objects.filter(study=study, status=AWAITING_REVIEW).alias(since=since)
    return waiting.filter(since__lte=now - REVIEW_WITHIN).order_by("since", "pk")


@transaction.atomic
def approvals_plan(submissions: Iterable[ProlificSubmission], by: Any) -> list[Payment]:
    """Put approvals into the ledger for those of these submissions that wait for review, once each.

    Returns the new rows. Nothing is sent by this.
    """
    keys = sorted(submission.pk for submission in submissions)
    locked = ProlificSubmission.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
    waiting = [row for row in locked if row.status == AWAITING_REVIEW]
    asked = set(
        Payment.objects.filter(submission__in=waiting, what=Payment.What.APPROVE)
        .exclude(state=Payment.State.REFUSED)
        .values_list("submission_id", flat=True)
    )
    return [
        Payment.objects.create(submission=row, what=Payment.What.APPROVE, by=by)
        for row in waiting
        if row.pk not in asked
    ]


def approval_send(payment: Payment, client: "Prolific") -> Payment:
    """Send a planned approval, at most once; returns the row as it is then.

    A row that is not `planned` stays as it is. The row is `sent`, on disk, before Prolific is asked; if no
    answer comes it stays so, until a sync sees the submission approved or a manager settles it. What
    says nothing about this row (Prolific out of reach, too many requests) leaves it planned and is raised.
    """
    row = _sent(payment)
    if row is None:
        return Payment.objects.get(pk=payment.pk)
    try:
        found = client.approve(row.submission.session_id)
    except NoAnswer as error:
        return _answered(row, Payment.State.SENT, str(error))
    except ProlificError as error:
        if error.passing:
            _answered(row, Payment.State.PLANNED, str(error))
            raise
        if _approved_there(row, client):
            return _answered(row, Payment.State.DONE, "Not needed: it was approved on Prolific already.")
        return _answered(row, Payment.State.REFUSED, str(error))
    if found is not None and found.status == APPROVED:
        waiting = ProlificSubmission.objects.filter(pk=row.submission_id, status=AWAITING_REVIEW)
        waiting.update(status=APPROVED)
    return _answered(row, Payment.State.DONE, "")


def _approved_there(row: Payment, client: "Prolific") -> bool:
    """Whether Prolific refuses because somebody has approved the submission there since the last sync."""
    try:
        return client.submission(row.submission.session_id).status in PAID
    except (ProlificError, NoAnswer):
        return False


@transaction.atomic(durable=True)
def _sent(payment: Payment) -> Payment | None:
    """The row, marked as sent and on disk; None when it is not to be sent."""
    row = Payment.objects.select_for_update(no_key=True, of=("self",)).select_related("submission")
    found = row.get(pk=payment.pk, what=Payment.What.APPROVE)
    if found.state != Payment.State.PLANNED:
        return None
    if found.submission.status != AWAITING_REVIEW:
        approved = found.submission.status in PAID
        found.state = Payment.State.DONE if approved else Payment.State.REFUSED
        found.said = f"Not sent: {found.submission.status.lower().replace('_', ' ')} on Prolific."
        found.save(update_fields=["state", "said"])
        return None
    found.state, found.said, found.sent_at = Payment.State.SENT, "", timezone.now()
    found.save(update_fields=["state", "said", "sent_at"])
    return found


def _answered(row: Payment, state: str, said: str) -> Payment:
    """Keep what came back, unless the row was settled meanwhile."""
    Payment.objects.filter(pk=row.pk, state=Payment.State.SENT).update(state=state, said=said[:300])
    row.refresh_from_db()
    return row


def under_way(payment: Payment, now: datetime) -> bool:
    """Whether a payment was sent so lately that its answer may still come."""
    return payment.sent_at is not None and now - payment.sent_at < ANSWER_WITHIN


@transaction.atomic
def payment_settle(payment: Payment, happened: bool, by: Any) -> Payment:
    """A manager has looked on Prolific and says whether a payment without an answer happened. On record.

    Raises `Refused` (not_sent) for a row of which it is known.
    """
    row = Payment.objects.select_for_update(no_key=True, of=("self",)).select_related("submission")
    found = row.get(pk=payment.pk)
    if found.state != Payment.State.SENT:
        raise Refused("not_sent", "Only a payment that was sent without an answer can be settled by hand.")
    found.state = Payment.State.DONE if happened else Payment.State.REFUSED
    word = "happened" if happened else "did not happen"
    found.said = f"Settled by hand: it {word}."
    found.save(update_fields=["state", "said"])
    what = f"{found.get_what_display().capitalize()} without an answer from Prolific (number {found.pk}): "
    StudyLog.objects.create(study_id=found.submission.study_id, what=f"{what}it {word}.", by=by)
    return found


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """One submission as it stands for payment. `session_id` is for those alone who may see identities.

    `approval` is the newest state of the ledger for it, empty without one; `bonus` the sum of bonuses that
    are done, `bonus_open` of those that are planned or without an answer.
    """

    submission: int
    session_id: str
    status: str
    path: str
    expected_code: str
    entered_code: str
    approval: str
    bonus: Decimal
    bonus_open: Decimal

    @property
    def code_fits(self) -> bool:
        """Whether the code entered on Prolific is the one that this platform showed."""
        return bool(self.expected_code) and self.entered_code == self.expected_code


def payment_lines(study: Study) -> list[PaymentLine]:
    """Every submission of a study as it stands for payment, in the order of arrival."""
    rows = list(
        ProlificSubmission.objects.filter(study=study)
        .select_related("enrolment")
        .order_by("arrived_at", "pk")
    )
    ledger: dict[int, list[Payment]] = {}
    for payment in Payment.objects.filter(submission__study=study).order_by("pk"):
        ledger.setdefault(payment.submission_id, []).append(payment)
    codes = codes_expected(rows)
    return [_line(row, codes.get(row.pk, ""), ledger.get(row.pk, [])) for row in rows]


def _line(row: ProlificSubmission, code: str, ledger: list[Payment]) -> PaymentLine:
    approvals = [payment.state for payment in ledger if payment.what == Payment.What.APPROVE]

    def bonuses(*states: str) -> Decimal:
        amounts = (p.amount for p in ledger if p.what == Payment.What.BONUS and p.state in states)
        return sum((amount or Decimal(0) for amount in amounts), Decimal(0))

    return PaymentLine(
        submission=row.pk,
        session_id=row.session_id,
        status=row.status,
        path=path_of(row),
        expected_code=code,
        entered_code=row.entered_code,
        approval=approvals[-1] if approvals else "",
        bonus=bonuses(Payment.State.DONE),
        bonus_open=bonuses(Payment.State.PLANNED, Payment.State.SENT),
    )
