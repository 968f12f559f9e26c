"""Fixtures of the tests about studies: Prolific's stand-in, and a client that speaks to it."""

from collections.abc import Iterator

import pytest

from studies.prolific import signed
from studies.prolific.client import Prolific as Api
from tests.services import prolific as stand_in


@pytest.fixture
def prolific(settings) -> Iterator[stand_in.Prolific]:
    """Prolific's stand-in, named in the settings."""
    with stand_in.running() as server:
        settings.PROLIFIC_TOKEN = stand_in.TOKEN
        settings.PROLIFIC_API_URL = f"{server.url}/api/v1/"
        settings.PROLIFIC_JWKS_URL = server.jwks_url
        settings.PROLIFIC_AUDIENCE = ["testserver"]
        signed._keys.cache_clear()
        yield server


@pytest.fixture
def api(prolific, settings) -> Api:
    """The client, with shorter pauses than in production."""
    return Api(token=settings.PROLIFIC_TOKEN, url=settings.PROLIFIC_API_URL, backoff=0.01, timeout=(2, 2))
