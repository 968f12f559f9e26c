"""Bonuses in bulk. Prolific pays a bulk bonus as often as it is told to, so it is told once.

Three steps, each on disk before the next: the ledger, a bulk bonus set up on Prolific (which pays nothing),
and one call that pays it. Nothing here is repeated by itself.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from studies.errors import Invalid, Refused
from studies.identity import Payment, ProlificSubmission
from studies.models import Study
from studies.prolific.answers import NoAnswer, ProlificError

if TYPE_CHECKING:
    from studies.prolific.client import Prolific

Line = tuple[str, Decimal | str, str]
"""A submission's id on Prolific, the amount in whole currency, and the reason."""

MOST_LINES = 200
"""Prolific takes so many people in one bulk bonus."""
_LARGEST = Decimal(1_000_000)


@transaction.atomic
def bonuses_plan(study: Study, lines: Sequence[Line], by: Any) -> list[Payment]:
    """Put bonuses into the ledger, all or none. Nothing is sent by this.

    Raises `Invalid` with every problem: a submission that this study does not know, an amount that is none,
    no reason, and the same submission and reason twice (unless the first was refused).
    """
    sessions = {session.strip() for session, _, _ in lines}
    rows = ProlificSubmission.objects.select_for_update(no_key=True).filter(study=study)
    known = {row.session_id: row for row in rows.filter(session_id__in=sessions).order_by("pk")}
    paid = set(
        Payment.objects.filter(submission__in=known.values(), what=Payment.What.BONUS)
        .exclude(state=Payment.State.REFUSED)
        .values_list("submission_id", "reason")
    )
    problems: list[dict[str, str]] = []
    planned: list[Payment] = []
    for number, (session, written, reason) in enumerate(lines, start=1):
        row, amount, reason = known.get(session.strip()), _amount(written), reason.strip()
        if row is None:
            problems.append(_problem(number, "submission", "an unknown one", "a submission of this study"))
        if amount is None:
            problems.append(_problem(number, "amount", str(written)[:40], "a number like 1.50, above 0"))
        if not 0 < len(reason) <= 200:
            problems.append(_problem(number, "reason", reason[:40] or "nothing", "1 to 200 characters"))
        if row is None or amount is None:
            continue
        if (row.pk, reason) in paid:
            problems.append(
                _problem(number, "reason", reason[:40], "another reason: this submission has a bonus for it")
            )
        paid.add((row.pk, reason))
        planned.append(Payment(submission=row, what=Payment.What.BONUS, amount=amount, reason=reason, by=by))
    if problems or not planned:
        raise Invalid("The bonuses are not as expected; nothing was planned.", problems)
    for payment in planned:
        payment.save()
    return planned


def _problem(line: int, name: str, found: str, expected: str) -> dict[str, str]:
    return {"field": f"line {line}: {name}", "found": found, "expected": expected}


def _amount(written: Decimal | str) -> Decimal | None:
    try:
        amount = Decimal(str(written).strip())
    except InvalidOperation:
        return None
    if not amount.is_finite() or not 0 < amount < _LARGEST or amount != round(amount, 2):
        return None
    return round(amount, 2)


def bonuses_set_up(payments: Iterable[Payment], client: "Prolific") -> list[str]:
    """Set up planned bonuses as bulk bonuses on Prolific; returns the ids of the batches to pay.

    One batch for each study on Prolific and each 200 lines. Rows with a batch are left alone. A refusal by
    Prolific is kept in the rows; nothing has been paid then. Raises `ProlificError` and `NoAnswer` where
    Prolific could not be asked or did not say: rows stay planned, and setting up again pays nothing twice.
    """
    keys = [payment.pk for payment in payments]
    planned = Payment.objects.filter(
        pk__in=keys, what=Payment.What.BONUS, state=Payment.State.PLANNED, batch=""
    ).select_related("submission")
    studies: dict[str, list[Payment]] = {}
    for row in planned.order_by("pk"):
        studies.setdefault(row.submission.prolific_study_id, []).append(row)
    batches = []
    for study_id, rows in studies.items():
        for start in range(0, len(rows), MOST_LINES):
            batch = _set_up(study_id, rows[start : start + MOST_LINES], client)
            batches += [batch] if batch else []
    return batches


def _set_up(study_id: str, rows: Sequence[Payment], client: "Prolific") -> str:
    # One line a submission: several bonuses of one person are one sum on Prolific.
    sums: dict[str, Decimal] = {}
    for row in rows:
        session = row.submission.session_id
        sums[session] = sums.get(session, Decimal(0)) + (row.amount or Decimal(0))
    mine = Payment.objects.filter(pk__in=[row.pk for row in rows], state=Payment.State.PLANNED, batch="")
    try:
        bulk = client.bonuses_set_up(study_id, list(sums.items()))
    except ProlificError as error:
        if error.passing:
            raise
        mine.update(state=Payment.State.REFUSED, said=str(error)[:300])
        return ""
    with transaction.atomic():
        # Somebody else may have set up some of these meanwhile: then this batch is never paid.
        if len(list(mine.select_for_update(no_key=True))) != len(rows):
            return ""
        mine.update(batch=bulk.id)
    return bulk.id


def bonuses_pay(batch: str, client: "Prolific") -> list[Payment]:
    """Pay a bulk bonus, at most once; returns its rows as they are then.

    The rows are `sent`, on disk, before Prolific is asked. Without an answer they stay so until a manager
    settles each (`approve.payment_settle`); a refusal is kept, and the bonuses may be planned again. Raises
    `Refused` (not_planned) for a batch that was asked for before, and `ProlificError` where this says
    nothing about the batch: the rows are planned as before.
    """
    rows = _pay_once(batch)
    try:
        client.bonuses_pay(batch)
    except NoAnswer as error:
        return _answered(rows, Payment.State.SENT, str(error))
    except ProlificError as error:
        if not error.passing:
            return _answered(rows, Payment.State.REFUSED, str(error))
        _answered(rows, Payment.State.PLANNED, str(error))
        raise
    return _answered(rows, Payment.State.DONE, "")


@transaction.atomic(durable=True)
def _pay_once(batch: str) -> list[int]:
    """The rows of a batch, marked as sent and on disk."""
    rows = list(
        Payment.objects.select_for_update(no_key=True)
        .filter(what=Payment.What.BONUS, batch=batch)
        .exclude(batch="")
        .order_by("pk")
    )
    if not rows or any(row.state != Payment.State.PLANNED for row in rows):
        raise Refused(
            "not_planned",
            "This bulk bonus was asked for already. Look on Prolific what became of it; settle its lines.",
        )
    keys = [row.pk for row in rows]
    Payment.objects.filter(pk__in=keys).update(state=Payment.State.SENT, said="", sent_at=timezone.now())
    return keys


def _answered(keys: Sequence[int], state: str, said: str) -> list[Payment]:
    """Keep what came back in the rows that nobody has settled meanwhile."""
    Payment.objects.filter(pk__in=keys, state=Payment.State.SENT).update(state=state, said=said[:300])
    return list(Payment.objects.filter(pk__in=keys).order_by("pk"))
