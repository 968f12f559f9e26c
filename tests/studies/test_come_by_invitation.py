"""A personal invitation makes one person, once, and keeps working for that person on any device."""

import pytest
from django.db import connection
from django.test import Client

from studies.errors import Refused
from studies.models import Enrolment, Invitation, Participant, Study
from studies.services.enrolment import enrolment_hand_in, enrolment_withdraw
from studies.services.invitation import invitation_revoke, invitations_make
from studies.tokens import token_hash
from tests import factories
from tests.studies.arriving import DECLINES, prolific_study, text_of
from tests.studies.person import AGREES, Person, open_study
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(factories.clip(), factories.clip(), shared_link=False)


@pytest.fixture
def link(study):
    [(_, token)] = invitations_make(study=study, number=1)
    return f"/invite/{token}/"


class Invited(Person):
    """Somebody with an invitation, at a browser of their own."""

    def __init__(self, study: Study, link: str) -> None:
        super().__init__(study)
        self.link = link

    def agrees(self) -> "Invited":
        assert self.client.post(self.link, AGREES).url == "/work/laughs/welcome/"
        return self


def test_invitations_are_numbered_on_and_kept_as_hashes_only(study):
    made = invitations_make(study=study, number=3) + invitations_make(study=study, number=2)
    assert [invitation.number for invitation, _ in made] == [1, 2, 3, 4, 5]
    tokens = [token for _, token in made]
    assert len(set(tokens)) == 5
    assert all(len(token) == 22 for token in tokens)  # 128 bits
    assert set(Invitation.objects.values_list("token_hash", flat=True)) == set(map(token_hash, tokens))
    stored = " ".join(str(row) for row in Invitation.objects.values_list())
    assert not any(token in stored for token in tokens)
    assert list(study.log.values_list("what", flat=True)[:2]) == [
        "invitations 4 to 5 made",
        "invitations 1 to 3 made",
    ]


def test_no_invitation_at_all_is_refused(study):
    with pytest.raises(Refused, match="expected 1"):
        invitations_make(study=study, number=0)


def test_looking_at_an_invitation_asks_for_consent_and_stores_nobody(study, link):
    response = Client().get(link)
    assert "I agree and start" in text_of(response)
    assert "no-store" in response["Cache-Control"]
    assert not Participant.objects.exists()


def test_agreeing_makes_one_lab_person_who_can_work(study, link):
    person = Invited(study, link).agrees()
    enrolment = Enrolment.objects.get()
    assert (enrolment.pool, enrolment.study) == ("lab", study)
    assert Invitation.objects.get().enrolment == enrolment
    assert person.open()["state"] == "working"


def test_the_link_leads_the_same_person_on_from_any_device_and_makes_nobody_new(study, link):
    person = Invited(study, link).agrees()
    opened = person.open()
    elsewhere = Invited(study, link)
    assert elsewhere.client.get(link).url == "/work/laughs/"
    assert elsewhere.open()["assignment"]["id"] == opened["assignment"]["id"]
    again = Invited(study, link)
    assert again.client.post(link, AGREES).status_code == 302
    assert again.enrolment == person.enrolment
    assert Participant.objects.count() == 1
    person.client.get(link)
    assert person.enrolment.keys.count() == 3  # one for each browser


def test_after_handing_in_the_link_leads_to_the_end(study, link):
    person = Invited(study, link).agrees()
    enrolment_hand_in(enrolment=person.enrolment)
    assert Client().get(link, follow=True).redirect_chain[-1] == ("/work/laughs/thanks/", 302)


def test_somebody_who_withdrew_cannot_come_back_by_the_link(study, link):
    person = Invited(study, link).agrees()
    enrolment_withdraw(enrolment=person.enrolment, erase=False)
    browser = Client()
    assert "You have withdrawn" in text_of(browser.get(link))
    assert browser.get("/work/laughs/").status_code == 403


def test_declining_stores_nobody_and_leaves_the_link_as_it_was(study, link):
    response = Client().post(link, DECLINES)
    assert "You have not agreed to take part." in text_of(response)
    assert not Participant.objects.exists()
    Invited(study, link).agrees()


def test_two_people_at_one_computer_are_two_people(study):
    links = [f"/invite/{token}/" for _, token in invitations_make(study=study, number=2)]
    first = Invited(study, links[0]).agrees()
    mine = first.enrolment
    second = Invited(study, links[1])
    second.client = first.client
    second.agrees()
    assert second.enrolment != mine
    assert Participant.objects.count() == 2
    assert first.client.get(links[0]).url == "/work/laughs/"
    assert first.enrolment == mine


def test_a_revoked_invitation_lets_nobody_in_but_puts_nobody_out(study, link):
    person = Invited(study, link).agrees()
    invitation_revoke(invitation=Invitation.objects.get())
    response = Client().get(link)
    assert response.status_code == 403
    assert "taken back" in text_of(response)
    assert Client().post(link, AGREES).status_code == 403
    assert person.client.get("/work/laughs/").status_code == 200


@pytest.mark.parametrize("wrong", ["x", "a" * 22])
def test_an_unknown_invitation_says_what_to_do(study, wrong):
    response = Client().get(f"/invite/{wrong}/")
    assert response.status_code == 404
    assert "copied whole" in text_of(response)


@pytest.mark.parametrize("state", ["draft", "paused", "halted", "closed"])
def test_an_invitation_begins_nothing_in_a_study_that_is_not_open_and_goes_on_with_what_has_begun(
    study, link, state
):
    [(_, begun)] = invitations_make(study=study, number=1)
    Invited(study, f"/invite/{begun}/").agrees()
    Study.objects.update(state=state)
    assert "I agree" not in text_of(Client().get(link))
    assert "I agree" not in text_of(Client().post(link, AGREES))
    assert Enrolment.objects.count() == 1
    assert Client().get(f"/invite/{begun}/").url == "/work/laughs/"


def test_a_full_study_says_so_to_the_invited_too(study):
    full = open_study(factories.clip(), slug="screams", raters_per_unit=1)
    Person.joins(full).open()
    [(_, token)] = invitations_make(study=full, number=1)
    assert "The study is full." in text_of(Client().get(f"/invite/{token}/"))


def test_an_invited_person_of_a_study_kept_apart_is_turned_away(study, link):
    other = open_study(factories.clip(), slug="screams")
    study.keeps_out.add(other)
    browser = Person.joins(other).client
    assert "goes before this one" in text_of(browser.get(link))


def test_the_invited_get_no_completion_code_even_where_the_study_has_codes():
    study = prolific_study(factories.clip())
    [(_, token)] = invitations_make(study=study, number=1)
    person = Invited(study, f"/invite/{token}/").agrees()
    enrolment_hand_in(enrolment=person.enrolment)
    page = text_of(person.client.get("/work/laughs/thanks/"))
    assert "CODE-" not in page
    assert "prolific" not in page.lower()


@pytest.mark.django_db(transaction=True)
def test_an_invitation_opened_at_once_in_many_places_makes_one_person():
    study = open_study(factories.clip(), shared_link=False)
    [(_, token)] = invitations_make(study=study, number=1)
    people = [Invited(study, f"/invite/{token}/") for _ in range(6)]
    at_once([lambda one=one: one.client.post(one.link, AGREES) for one in people])
    connection.close()
    assert Participant.objects.count() == Enrolment.objects.count() == 1
    assert {person.enrolment for person in people} == {Enrolment.objects.get()}
