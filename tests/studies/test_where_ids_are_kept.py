"""Prolific ids stand in the private tables alone; addresses and full browser names stand nowhere."""

import logging

import pytest
from django.db import connection
from django.test import Client

from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, prolific_study, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(*(factories.clip() for _ in range(4)), units_per_participant=1)


PRIVATE = {"studies_participantidentity", "studies_prolificsubmission"}
CANARY_AGENT = "CanaryBrowser/99 (of somebody in particular)"
CANARY_ADDRESS = "203.0.113.77"


def tables_with(texts: list[str]) -> set[str]:
    """The tables in which any of these texts stands anywhere, the whole database over."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            stored = " ".join(str(value) for row in cursor.fetchall() for value in row)
            if any(text in stored for text in texts):
                found.add(table)
    return found


def test_no_prolific_id_stands_anywhere_but_in_the_private_tables_nor_in_a_log(
    study, caplog, capfd, monkeypatch
):
    for name in ("", "django", "django.request", "django.security", "studies", "granian"):
        caplog.set_level("DEBUG", logger=name or None)
    monkeypatch.setattr(logging.getLogger("django"), "propagate", True)
    headers = {"HTTP_USER_AGENT": CANARY_AGENT, "REMOTE_ADDR": CANARY_ADDRESS}
    people = [Arriving(study, number, number, at=Client(**headers)) for number in range(1, 6)]
    seen = []
    people[0].agrees().rate_all()
    seen.append(people[0].post("hand_in", {"tab": "tab-1"}))
    seen += [people[0].client.get(f"/work/laughs/{page}") for page in ("", "thanks/", "data/", "data/file/")]
    people[1].declines()
    seen.append(people[1].client.get("/join/laughs/"))
    seen.append(people[2].arrives(PROLIFIC_PID="{{%PROLIFIC_PID%}}"))
    seen.append(people[3].agrees().client.post("/work/laughs/withdraw/", {"answers": "delete"}))
    seen.append(Arriving(study, 4, 1, at=people[4].client).arrives())  # refused
    people[4].agrees().open()
    ids = [value for person in people for value in (person.pid, person.session)]
    assert tables_with([people[0].pid]) == {"studies_participantidentity"}
    assert tables_with([people[0].session, STUDY_ID]) == {"studies_prolificsubmission"}
    assert tables_with(ids) == PRIVATE
    assert tables_with([CANARY_AGENT, CANARY_ADDRESS]) == set()
    assert "Bad Request: /join/laughs/" in caplog.text  # what is written is heard here
    written = " ".join(f"{record.getMessage()} {record.args} {record.exc_text}" for record in caplog.records)
    written += "".join(capfd.readouterr())
    assert not [text for text in [*ids, CANARY_AGENT, CANARY_ADDRESS] if text in written]
    told = " ".join(text_of(response) for response in seen if response.status_code != 400)
    assert not [text for text in ids if text in told]
