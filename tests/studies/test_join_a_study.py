"""A study link makes a participant when somebody agrees, and not before."""

import pytest
from django.test import Client
from django.urls import reverse

from studies.models import Enrolment, EnrolmentKey, Participant, Study
from studies.services.study import study_set_state
from studies.tokens import token_hash
from tests import factories
from tests.studies.person import AGREES, Person, open_study, two_moments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(
        two_moments(),
        consent="You may *stop* at any time.\n\n<script>alert(1)</script>",
        content_warning="Loud screams",
        instructions="Watch **everything**.",
    )


def test_looking_at_the_link_stores_nobody(study):
    response = Client().get("/join/laughs/")
    assert response.status_code == 200
    page = response.content.decode()
    assert "You may <em>stop</em> at any time." in page
    assert "Loud screams" in page
    assert "lab@example.org" in page
    assert "<script>alert(1)</script>" not in page
    assert not Participant.objects.exists()
    assert not response.cookies.get("touchstone_1")


def test_agreeing_makes_one_participant_known_by_a_random_id_alone(study):
    browser = Client()
    response = browser.post("/join/laughs/", AGREES, follow=True)
    assert response.redirect_chain == [("/work/laughs/welcome/", 302)]
    enrolment = Enrolment.objects.get()
    assert (enrolment.study, enrolment.consent_version, enrolment.pool) == (study, 1, "lab")
    assert len(enrolment.public_id) == len(enrolment.participant.public_id) == 12
    assert enrolment.public_id != enrolment.participant.public_id


def test_the_welcome_page_shows_the_return_address_the_instructions_and_the_way_on(study):
    browser = Client()
    page = browser.post("/join/laughs/", AGREES, follow=True).content.decode()
    token = browser.cookies[f"touchstone_{study.pk}"].value
    assert f"http://testserver/return/{token}/" in page
    assert "<strong>everything</strong>" in page
    assert 'href="/work/laughs/"' in page


def test_the_personal_address_carries_128_bits_and_is_stored_as_a_hash_only(study):
    tokens = []
    for _ in range(3):
        browser = Client()
        browser.post("/join/laughs/", AGREES)
        cookie = browser.cookies[f"touchstone_{study.pk}"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        tokens.append(cookie.value)
    assert len(set(tokens)) == 3
    assert all(len(token) == 22 for token in tokens)  # 16 bytes in base 64
    assert set(EnrolmentKey.objects.values_list("token_hash", flat=True)) == set(map(token_hash, tokens))
    stored = " ".join(str(row) for row in Enrolment.objects.values_list())
    assert not any(token in stored for token in tokens)


def test_opening_the_link_again_in_the_same_browser_leads_on_and_makes_nobody_new(study):
    person = Person.joins(study)
    for method in (person.client.get, person.client.post):
        assert method("/join/laughs/").url == "/work/laughs/"
    assert Participant.objects.count() == 1


def test_agreeing_twice_by_a_forged_form_from_elsewhere_makes_nobody(study):
    assert Client(enforce_csrf_checks=True).post("/join/laughs/", AGREES).status_code == 403
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("draft", "This study is not open yet."),
        ("paused", "This study takes nobody new at the moment."),
        ("halted", "This study has been stopped."),
        ("closed", "This study is closed."),
    ],
)
def test_a_study_that_is_not_open_says_so_and_takes_nobody(study, state, words):
    Study.objects.update(state=state)
    for method in ("get", "post"):
        response = getattr(Client(), method)("/join/laughs/")
        assert words in response.content.decode()
    assert not Participant.objects.exists()


def test_a_study_that_closes_while_somebody_reads_takes_them_no_more(study):
    browser = Client()
    browser.get("/join/laughs/")
    study_set_state(study=study, state="closed")
    assert "This study is closed." in browser.post("/join/laughs/", AGREES).content.decode()
    assert not Participant.objects.exists()


def test_an_unknown_study_is_not_found(study):
    assert Client().get("/join/other/").status_code == 404


def test_two_studies_in_one_browser_are_two_places(study):
    other = open_study(factories.clip(), slug="screams")
    person = Person.joins(study)
    person.client.post("/join/screams/", AGREES)
    assert person.client.get("/work/laughs/").status_code == 200
    assert person.client.get("/work/screams/").status_code == 200
    assert Enrolment.objects.filter(study=other).count() == 1


def test_the_work_page_names_everything_that_its_script_needs(study):
    person = Person.joins(study)
    page = person.client.get(reverse("studies:work", args=["laughs"])).content.decode()
    for attribute in (
        'data-api="/api/work/laughs/"',
        f'data-key="{person.enrolment.public_id}"',
        'data-leave="/work/laughs/leave/"',
        'data-thanks="/work/laughs/thanks/"',
    ):
        assert attribute in page
    assert "How strong is the reaction?" in page
