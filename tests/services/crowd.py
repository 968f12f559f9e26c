"""A part of a crowd: people in one process who come, work, hand in and come back until there is nothing.

Run as `python -m tests.services.crowd STUDY SEED PERSON …`, with the settings of the platform; prints what
went wrong, one line each, and nothing when all went well.
"""

import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import django

T = TypeVar("T")
ROLLED_BACK = 0.2  # share of openings whose transaction fails just before its end
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Failed(Exception):
    """Raised on purpose, so that the transaction around it is rolled back."""


def again(act: Callable[[], T]) -> T:
    """Do it until it is done, as a page does that was told to ask later (SQLite: database is locked)."""
    from django.db import OperationalError

    while True:
        try:
            return act()
        except OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(0.2)


def rolled_back(act: Callable[[], object]) -> None:
    """Do it in a transaction that fails just before its end."""
    from django.db import transaction

    with suppress(Failed), transaction.atomic():
        act()
        raise Failed


def come_and_go(slug: str, person: int, dice: random.Random) -> list[str]:
    """One person's whole way; returns the complaints."""
    from django.db import connection

    from studies.models import Participant, Study
    from studies.queries import units_wanted
    from studies.services.enrolment import enrolment_hand_in, enrolment_join
    from studies.simulation import SimulatedAnnotator

    study = Study.objects.get(slug=slug)
    participant = Participant.objects.get(pk=person)
    while True:
        enrolment, _ = again(partial(enrolment_join, study=study, participant=participant, now=NOON))
        annotator = SimulatedAnnotator(enrolment, NOON)
        done = 0
        while True:
            if dice.random() < ROLLED_BACK:
                again(partial(rolled_back, annotator.open))
            opened = again(annotator.open)
            if opened.unit is None:
                break
            for question in opened.unit.questions:
                again(partial(annotator.say, opened, question, dice.randrange(4)))
            done += 1
            connection.close()  # as at the end of a request: the pool has fewer than there are people
        left = units_wanted(enrolment, annotator.now) if not done else []
        again(partial(enrolment_hand_in, enrolment=enrolment, now=annotator.now))
        if not done:
            told = f"person {person} was told there is nothing, and {len(left)} units lack a rater"
            return [told] if left else []


def crowd(slug: str, seed: int, people: Sequence[int]) -> list[str]:
    """All of them at the same moment, each in a thread of their own."""
    from django.db import connection

    start = threading.Barrier(len(people))

    def live(person: int) -> list[str]:
        try:
            start.wait(60)
            return come_and_go(slug, person, random.Random(f"{seed}:{person}"))
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as threads:
        return [line for lines in threads.map(live, people) for line in lines]


if __name__ == "__main__":
    django.setup()
    print("\n".join(crowd(sys.argv[1], int(sys.argv[2]), [int(person) for person in sys.argv[3:]])))
