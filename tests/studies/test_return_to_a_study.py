"""The personal address brings a person back, on any device, to exactly where they stopped."""

import pytest
from django.test import Client

from studies.models import Assignment, Enrolment, Participant
from studies.services.enrolment import enrolment_hand_in
from tests import factories
from tests.studies.person import Person, open_study, two_moments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(two_moments())


@pytest.fixture
def person(study):
    return Person.joins(study)


def address(person):
    """What the welcome page told the person to keep."""
    token = person.client.cookies[f"touchstone_{person.study.pk}"].value
    return f"/return/{token}/"


def at_another_device(person):
    """The same person elsewhere, who has only the address."""
    other = Person(person.study)
    other.tab = "tab-elsewhere"
    response = other.client.get(address(person))
    assert response.url == "/work/laughs/"
    return other


def test_the_address_signs_another_device_in_as_the_same_person(person):
    other = at_another_device(person)
    assert other.enrolment == person.enrolment
    assert Participant.objects.count() == 1


def test_work_goes_on_in_the_clip_that_was_open_with_what_was_answered(person):
    person.open()
    person.rate("laugh", 3)
    other = at_another_device(person)
    body = other.open()
    assert body["assignment"] == person.opened["assignment"]
    assert body["answers"] == {"laugh": {"head": person.heads["laugh"], "value": 3}}
    assert body["played"] == {"reaction": [[1.0, 3.0]]}
    assert Assignment.objects.count() == 1


def test_the_leave_page_shows_the_same_address_again_and_the_way_on(person):
    page = person.client.get("/work/laughs/leave/").content.decode()
    assert address(person) in page
    assert 'href="/work/laughs/"' in page


def test_a_wrong_address_says_what_to_do_and_signs_nobody_in(person):
    for token in ("x", address(person).split("/")[2][:-1], person.enrolment.keys.get().token_hash):
        browser = Client()
        response = browser.get(f"/return/{token}/")
        assert response.status_code == 404
        assert "copied whole" in response.content.decode()
        assert not browser.cookies


def test_the_address_of_somebody_who_withdrew_is_not_known_any_more(person):
    Enrolment.objects.update(state="withdrawn")
    assert Client().get(address(person)).status_code == 404
    assert person.client.get("/work/laughs/").status_code == 403


def test_a_browser_without_the_cookie_is_told_how_to_come_back(study):
    for page in ("", "welcome/", "leave/", "thanks/"):
        response = Client().get(f"/work/laughs/{page}")
        assert response.status_code == 403
        assert "personal return address" in response.content.decode()
        assert 'href="/join/laughs/"' in response.content.decode()


def test_a_cookie_of_one_study_opens_no_other(person):
    other = open_study(factories.clip(), slug="screams")
    stolen = Client()
    stolen.cookies[f"touchstone_{other.pk}"] = person.client.cookies[f"touchstone_{person.study.pk}"].value
    assert stolen.get("/work/screams/").status_code == 403


def test_after_handing_in_every_way_leads_to_the_thanks_page(person):
    person.open()
    person.rate("laugh", 3)
    enrolment_hand_in(enrolment=person.enrolment)
    assert person.client.get("/work/laughs/").url == "/work/laughs/thanks/"
    other = Client()
    assert other.get(address(person), follow=True).redirect_chain[-1] == ("/work/laughs/thanks/", 302)
    assert "handed in" in other.get("/work/laughs/thanks/").content.decode()


def test_before_handing_in_the_thanks_page_leads_back_to_work(person):
    assert person.client.get("/work/laughs/thanks/").url == "/work/laughs/"


def test_personal_pages_are_kept_by_no_cache(person):
    for page in (address(person), "/work/laughs/", "/work/laughs/welcome/", "/work/laughs/leave/"):
        assert "no-store" in person.client.get(page)["Cache-Control"]


def test_the_personal_address_travels_to_no_other_site(person):
    assert person.client.get("/work/laughs/welcome/")["Referrer-Policy"] == "same-origin"
