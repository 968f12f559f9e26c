"""Invitations are made in bulk, shown once, and taken back one by one."""

import csv
import io

import pytest
from django.test import Client

from studies.models import Invitation
from studies.tokens import token_hash
from tests import factories
from tests.studies.managing import address, manager, words
from tests.studies.person import AGREES, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(factories.clip())


def made(client, study, number):
    response = client.post(address(study, "invitations"), {"number": number})
    return response, list(csv.reader(io.StringIO(response.content.decode())))


def path_of(link):
    return link.removeprefix("http://testserver")


def test_so_many_links_come_as_a_file_and_each_makes_one_participant(study):
    response, [header, *rows] = made(manager(), study, 3)
    assert header == ["number", "link"]
    assert [number for number, _ in rows] == ["1", "2", "3"]
    assert "laughs-invitations-1-to-3.csv" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    for _, link in rows[:2]:
        Client().post(path_of(link), AGREES)
        Client().get(path_of(link))
    assert study.enrolments.count() == 2


def test_the_links_are_shown_once_and_stored_nowhere(study):
    client = manager()
    _, [_, *rows] = made(client, study, 2)
    tokens = [link.rstrip("/").rpartition("/")[2] for _, link in rows]
    assert {token_hash(token) for token in tokens} == set(
        Invitation.objects.values_list("token_hash", flat=True)
    )
    page = client.get(address(study, "invitations")).content.decode()
    assert not [token for token in tokens if token in page or token_hash(token) in page]
    assert "they can only be downloaded now" in page


def test_numbers_go_on_where_they_ended(study):
    client = manager()
    made(client, study, 2)
    _, [_, *rows] = made(client, study, 2)
    assert [number for number, _ in rows] == ["3", "4"]


@pytest.mark.parametrize("number", ["0", "-1", "5001", "many", ""])
def test_another_number_is_refused(study, number):
    response = manager().post(address(study, "invitations"), {"number": number})
    assert response.context["form"].errors["number"]
    assert not Invitation.objects.exists()


def test_the_list_says_which_are_used_and_which_are_revoked(study):
    client = manager()
    assert "None yet." in words(client.get(address(study, "invitations")))
    _, [_, *rows] = made(client, study, 3)
    Client().post(path_of(rows[0][1]), AGREES)
    page = words(client.get(address(study, "invitations_revoke", 2)))
    assert "Nobody has used it yet" in page
    assert not Invitation.objects.filter(revoked_at__isnull=False).exists()
    client.post(address(study, "invitations_revoke", 2))
    page = words(client.get(address(study, "invitations")))
    assert "3 made, 1 used, 1 revoked" in page
    assert study.enrolments.get().participant.public_id in page
    assert study.log.filter(what="invitation 2 revoked", by__username="mia").exists()
    assert study.enrolments.count() == 1
    Client().post(path_of(rows[1][1]), AGREES)
    assert study.enrolments.count() == 1
    assert client.get(address(study, "invitations_revoke", 9)).status_code == 404


def test_a_long_list_comes_in_pages(study):
    client = manager()
    made(client, study, 101)
    assert "Page 1 of 2" in words(client.get(address(study, "invitations")))
    last = words(client.get(address(study, "invitations"), {"p": "2"}))
    assert "101" in last
    assert "Page 2 of 2" in last
