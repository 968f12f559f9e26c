"""Submissions that wait for payment, and the whole way of a bonus."""

from collections.abc import Iterable
from typing import Any

from studies.identity import Payment, ProlificSubmission
from studies.models import Study
from studies.prolific import bonus
from studies.prolific.client import Prolific as Api
from tests.services.prolific import Prolific
from tests.studies.arriving import STUDY_ID, Arriving


def waits(
    study: Study, prolific: Prolific, number: int = 1, status: str = "AWAITING REVIEW", **changes: Any
) -> ProlificSubmission:
    """Somebody who agreed and whose submission waits for review; returns its row."""
    person = Arriving(study, number, number).agrees()
    prolific.submits(person.session, person.pid, STUDY_ID, status, **changes)
    row = ProlificSubmission.objects.get(session_id=person.session)
    row.status = status.replace(" ", "_")
    row.save()
    return row


def state(payment: Payment) -> str:
    """How a row of the ledger stands now."""
    return Payment.objects.get(pk=payment.pk).state


def paid(payments: Iterable[Payment], api: Api) -> list[Payment]:
    """Set planned bonuses up and pay them; returns the rows."""
    return [row for batch in bonus.bonuses_set_up(payments, api) for row in bonus.bonuses_pay(batch, api)]
