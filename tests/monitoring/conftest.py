"""A study with figures worked out by hand, and the people who look at it."""

from collections.abc import Callable

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from studies.models import Study
from tests import factories


@pytest.fixture
def watcher() -> Callable[..., Client]:
    """A signed-in browser: `watcher()` may monitor, `watcher(allowed=False)` may not."""

    def make(*, allowed: bool = True) -> Client:
        user = get_user_model().objects.create_user("monitor" if allowed else "somebody")
        if allowed:
            user.user_permissions.add(Permission.objects.get(codename="monitor_study"))
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def study() -> Study:
    """Three clips of two moments; two of three wanted raters finished clip a, one of them began clip b.

    Scores: a-m0 3 and 1, a-m1 0 and 3, b-m0 3. One person is handed in, one is at work, one skipped clip c.
    """
    clips = [factories.clip(name) for name in "abc"]
    made = factories.study("laughs", clips=clips, title="Laughs of 2026", raters_per_unit=2)
    first = factories.enrolment(made, state="handed_in")
    second, third = (factories.enrolment(made) for _ in range(2))
    factories.rating_round("a", {"a-m0": [3, 1], "a-m1": [0, 3]}, [first, second])
    begun = factories.assignment(second, "b", state="open")
    factories.score(begun, "b-m0", 3)
    skipped = factories.assignment(third, "c", state="skipped")
    factories.score(skipped, "c-m0", 2)  # given before the clip was reported: counts for nothing
    made.units.filter(key="c").update(state="reported")
    return made
