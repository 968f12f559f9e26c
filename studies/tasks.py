"""Work of the studies app that a worker does: one more door to the services of `studies.prolific`."""

import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from celery import Task, shared_task
from django.core.cache import cache
from django.utils import timezone

from studies.models import Payment, Study

logger = logging.getLogger(__name__)

LOCK = "prolific-sync"
LOCK_SECONDS = 15 * 60
TIME_LIMIT = LOCK_SECONDS - 30  # a run is over before its lock lapses
ASK_AGAIN_SECONDS = 60


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether this is the only run; the lock of a run that died lapses."""
    mine = secrets.token_hex(8)
    if not cache.add(LOCK, mine, LOCK_SECONDS):
        yield False
        return
    try:
        yield True
    finally:
        if cache.get(LOCK) == mine:
            cache.delete(LOCK)


@shared_task(time_limit=TIME_LIMIT)
def prolific_sync() -> None:
    """Fetch the submissions of every study that takes people from Prolific. Without a token: nothing."""
    from studies.prolific.client import client_from_settings
    from studies.prolific.sync import submissions_sync

    client = client_from_settings()
    if client is None:
        return
    with _alone() as alone:
        if not alone:
            return
        for study in Study.objects.filter(prolific=True).exclude(state=Study.State.DRAFT):
            result = submissions_sync(study, client, timezone.now())
            if result.fault:
                logger.warning("Prolific, study %s: %s", study.slug, result.fault)


@shared_task
def prolific_bonus(payment_ids: Sequence[int]) -> None:
    """Set planned bonuses up on Prolific and pay each batch, at most once, however often this runs.

    What could not be set up stays planned; a batch without an answer waits for a manager.
    """
    from studies.prolific.answers import NoAnswer, ProlificError
    from studies.prolific.bonus import bonuses_pay, bonuses_set_up
    from studies.prolific.client import client_from_settings

    client = client_from_settings()
    if client is None:
        return
    mine = Payment.objects.filter(pk__in=payment_ids)
    try:
        bonuses_set_up(mine, client)
        # Also those of a run that died between setting up and paying.
        ready = mine.filter(state=Payment.State.PLANNED).exclude(batch="").order_by("batch")
        for batch in ready.values_list("batch", flat=True).distinct():
            bonuses_pay(batch, client)
    except (ProlificError, NoAnswer) as error:
        logger.warning("Bonuses stopped: %s", error)


@shared_task(bind=True, max_retries=20)
def prolific_approve(self: "Task[..., None]", payment_ids: Sequence[int]) -> None:
    """Send planned approvals. What Prolific was asked for is never sent again, however often this runs.

    Where Prolific says "too many requests" the rest waits as long as it says; a token that it does not take
    ends the run, and the rest stays planned.
    """
    from studies.prolific.answers import ProlificError
    from studies.prolific.approve import approval_send
    from studies.prolific.client import client_from_settings

    client = client_from_settings()
    if client is None:
        return
    planned = Payment.objects.filter(pk__in=payment_ids, state=Payment.State.PLANNED)
    for payment in planned.order_by("pk"):
        try:
            approval_send(payment, client)
        except ProlificError as error:
            logger.warning("Approvals stopped: %s", error)
            if error.status in (0, 429):
                raise self.retry(countdown=error.retry_after or ASK_AGAIN_SECONDS, exc=error) from None
            return
