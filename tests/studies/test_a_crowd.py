"""Two hundred strangers within a minute: every item gets exactly its raters, and nobody goes in vain.

On PostgreSQL two hundred people in four processes, on SQLite twenty in two. A fifth of their openings is
rolled back on purpose. They come back until they are told that there is nothing left for them.
"""

import subprocess
import sys
from collections import Counter

import pytest
from django.db import connection
from django.db.models import Count

from studies.models import Assignment, Participant, Place
from tests import factories
from tests.services import platform
from tests.studies.person import open_study

ITEMS, RATERS = 60, 5


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("portion", [1, 3])
def test_a_crowd_fills_exactly_the_places_there_are(portion):
    clips = [factories.clip(f"clip{number:02}", moments=[(1.0, 2.0)]) for number in range(ITEMS)]
    study = open_study(*clips, slug="crowd", raters_per_unit=RATERS, units_per_participant=portion)
    people = Participant.objects.bulk_create(
        Participant() for _ in range(200 if connection.vendor == "postgresql" else 20)
    )
    come(study, [person.pk for person in people], processes=4 if len(people) > 20 else 2)

    finished = Assignment.objects.filter(enrolment__study=study, state="finished", surplus=False)
    assert finished.count() == ITEMS * RATERS
    assert set(Counter(finished.values_list("unit__key", flat=True)).values()) == {RATERS}
    assert Place.objects.filter(study=study, enrolment__isnull=False, until=None).count() == ITEMS * RATERS
    assert not Assignment.objects.exclude(state="finished").exists()
    twice = (
        Assignment.objects.values("enrolment__participant", "unit")
        .annotate(times=Count("pk"))
        .filter(times__gt=1)
    )
    assert not twice.exists()
    visits = finished.values("enrolment").annotate(units=Count("pk")).values_list("units", flat=True)
    assert max(visits) <= portion


def come(study, people, *, processes):
    """The crowd in several processes, each with its share of the people; nobody may complain."""
    shares = [people[number::processes] for number in range(processes)]
    command = [sys.executable, "-m", "tests.services.crowd", study.slug]
    running = [
        subprocess.Popen(
            [*command, str(seed), *map(str, share)],
            cwd=platform.ROOT,
            env=platform.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed, share in enumerate(shares)
    ]
    try:
        said = [process.communicate(timeout=900) for process in running]
    finally:
        for process in running:
            process.kill()
    assert [process.returncode for process in running] == [0] * processes, "\n".join(e for _, e in said)
    assert [out.strip() for out, _ in said] == [""] * processes
