"""A study of two clips, and somebody who has joined it."""

import pytest

from studies.models import Study
from tests import factories
from tests.studies.person import Person, open_study, two_moments


@pytest.fixture
def study(db: None) -> Study:
    """A study over one clip with the moments `laugh` (1–3 s) and `gasp` (5–7 s)."""
    return open_study(two_moments(clip_id="the-clip"))


@pytest.fixture
def rater(study: Study) -> Person:
    """Somebody with that clip open in front of them."""
    person = Person.joins(study)
    person.open()
    return person


@pytest.fixture
def two_clips(db: None) -> Study:
    """A study over two clips of two moments each."""
    return open_study(factories.clip("clip-a"), factories.clip("clip-b"))
