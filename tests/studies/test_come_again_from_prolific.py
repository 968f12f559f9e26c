"""Every person from Prolific is one person, and what they did is open to them alone."""

import pytest
from django.utils import timezone

from studies.identity import ParticipantIdentity, ProlificSubmission
from studies.models import Enrolment, Participant, Study
from studies.prolific import signed
from studies.services.enrolment import enrolment_hand_in, enrolment_returned, enrolment_withdraw
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, codes_in, prolific_study, rows, text_of
from tests.studies.person import AGREES
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(*(factories.clip() for _ in range(4)), units_per_participant=1)


# --- coming again ------------------------------------------------------------------------------------


def test_the_same_submission_goes_on_where_it_stopped_on_any_device(study):
    person = Arriving(study).agrees()
    opened = person.open()
    elsewhere = Arriving(study)
    response = elsewhere.arrives()
    assert response.redirect_chain[-1] == ("/work/laughs/", 302)
    assert elsewhere.here == person.here
    assert elsewhere.open()["assignment"]["id"] == opened["assignment"]["id"]
    assert rows() == [1, 1, 1, 1, 2]


def test_reloading_the_link_in_the_same_browser_makes_no_more_keys(study):
    person = Arriving(study).agrees()
    for _ in range(3):
        assert person.arrives().redirect_chain[-1] == ("/work/laughs/", 302)
    assert rows() == [1, 1, 1, 1, 1]


def test_a_submission_that_is_handed_in_leads_to_its_code_again(study):
    person = Arriving(study).agrees()
    person.rate_all()
    enrolment_hand_in(enrolment=person.here)
    again = Arriving(study).arrives()
    assert again.redirect_chain[-1] == ("/work/laughs/thanks/", 302)
    assert codes_in(again) == ["completed"]


def test_a_new_submission_in_the_same_browser_goes_on_with_the_visit(study):
    person = Arriving(study).agrees()
    again = Arriving(study, session=2, at=person.client)
    assert again.arrives().redirect_chain[-1] == ("/work/laughs/", 302)
    assert rows() == [1, 1, 2, 1, 1]
    assert set(ProlificSubmission.objects.values_list("enrolment", flat=True)) == {person.here.pk}


def test_a_new_submission_elsewhere_is_the_same_person_in_a_new_visit_that_sees_nothing_of_the_old(study):
    person = Arriving(study).agrees()
    first = person.rate_all()
    again = Arriving(study, session=2).agrees()
    assert Participant.objects.count() == 1
    assert again.here != person.here
    assert again.here.attempt == 2
    second = again.open()
    assert second["answers"] == {}
    assert second["previous"] is None
    assert second["view"] != first["view"]


def test_nothing_that_a_person_saw_comes_again_in_any_of_their_visits(study):
    shown = []
    for session in range(1, 5):
        visit = Arriving(study, session=session).agrees()
        shown.append(visit.rate_all()["view"]["moments"][0]["key"])
        enrolment_hand_in(enrolment=visit.here)
    assert len(set(shown)) == 4
    last = Arriving(study, session=5).agrees()
    assert last.open()["state"] == "nothing_left"


def test_another_person_in_the_same_browser_is_another_person(study):
    person = Arriving(study).agrees()
    mine = person.here
    other = Arriving(study, pid=2, session=2, at=person.client)
    assert "I agree and start" in text_of(other.arrives())
    other.agrees()
    assert other.here.participant != mine.participant
    assert Enrolment.objects.count() == Participant.objects.count() == 2


def test_ids_are_compared_exactly_and_never_by_what_they_begin_with(study):
    Arriving(study, pid=1).agrees()
    Arriving(study, pid=0x10, session=2).agrees()
    assert Participant.objects.count() == 2


def test_somebody_elses_submission_with_ones_own_id_opens_nothing(study):
    person = Arriving(study, pid=1, session=1).agrees()
    thief = Arriving(study, pid=2, session=1)
    response = thief.arrives()
    assert response.status_code == 403
    assert "do not belong together" in text_of(response)
    assert thief.client.post(thief.join_url, AGREES).status_code == 403
    assert thief.here is None
    assert Participant.objects.get() == person.here.participant


def test_a_submission_of_another_study_opens_nothing_here(study):
    other = prolific_study(factories.clip(), slug="screams")
    Arriving(study).agrees()
    assert "do not belong together" in text_of(Arriving(other).arrives())
    assert Arriving(study).arrives(STUDY_ID=an_id(9)).status_code == 403


def test_a_person_of_one_study_is_the_same_person_in_the_next(study):
    other = prolific_study(factories.clip(), slug="screams")
    Arriving(study).agrees()
    Arriving(other, session=2).agrees()
    assert Participant.objects.count() == 1
    assert Enrolment.objects.count() == 2


def test_a_new_submission_after_a_returned_one_is_a_new_visit_even_in_the_same_browser(study):
    person = Arriving(study).agrees()
    enrolment_returned(enrolment=person.here, returned=True)
    assert "returned or has timed out" in text_of(person.client.get("/work/laughs/"))
    again = Arriving(study, session=2, at=person.client).agrees()
    assert again.here.attempt == 2
    assert again.client.get("/work/laughs/").status_code == 200


def test_somebody_who_withdrew_is_told_so_and_finds_the_code_again(study):
    person = Arriving(study).agrees()
    enrolment_withdraw(enrolment=person.here, erase=True)
    same = Arriving(study).arrives()
    assert "You have withdrawn" in text_of(same)
    assert codes_in(same) == ["stopped_early"]
    assert person.here is None
    anew = Arriving(study, session=2)
    assert "You cannot take part again" in text_of(anew.arrives())
    assert Enrolment.objects.count() == 1


def test_in_a_panel_nobody_has_two_visits_at_once():
    study = prolific_study(factories.clip(), mode="panel")
    person = Arriving(study).agrees()
    again = Arriving(study, session=2)
    assert "You have already started this study" in text_of(again.arrives())
    assert again.client.post(again.join_url, AGREES).status_code == 403
    assert Enrolment.objects.get() == person.here
    assert Arriving(study, session=3, at=person.client).arrives().status_code == 200


# --- signed links ------------------------------------------------------------------------------------


@pytest.fixture
def prolific_signs(monkeypatch):
    """Prolific's signature is good for the token `good:PID:SESSION`."""

    def read(token: str) -> signed.SignedIds:
        word, *ids = token.split(":")
        if word != "good":
            raise signed.SignedRefused("bad signature")
        return signed.SignedIds(ids[0], STUDY_ID, ids[1])

    monkeypatch.setattr(signed, "read", read)


def token(person: Arriving) -> str:
    return f"good:{person.pid}:{person.session}"


@pytest.mark.usefixtures("prolific_signs")
class TestSigned:
    def test_a_signed_link_is_enough_by_itself(self, study):
        person = Arriving(study)
        response = person.client.get(person.join_url, {"prolific_token": token(person)}, follow=True)
        assert response.redirect_chain == [("/join/laughs/", 302)]
        person.client.post(person.join_url, AGREES)
        assert ParticipantIdentity.objects.get().external_id == person.pid

    def test_a_link_whose_signature_is_wrong_or_of_other_ids_is_refused(self, study):
        person = Arriving(study)
        for bad in ("bad", f"good:{an_id(2)}:{person.session}", f"good:{person.pid}:{an_id(2, 'c')}", ""):
            response = person.arrives(prolific_token=bad)
            assert response.status_code == 403
            assert "open the study from Prolific again" in text_of(response)
        assert not person.client.cookies

    def test_a_study_that_asks_for_signed_links_takes_no_others(self, study):
        Study.objects.update(prolific_signed=True)
        person = Arriving(study)
        assert person.arrives().status_code == 403
        assert "I agree and start" in text_of(person.arrives(prolific_token=token(person)))

    def test_a_signed_new_submission_goes_on_with_the_visit_on_this_device(self, study):
        person = Arriving(study).agrees()
        again = Arriving(study, session=2)
        response = again.arrives(prolific_token=token(again))
        assert response.redirect_chain[-1] == ("/work/laughs/", 302)
        assert again.here == person.here
        assert rows() == [1, 1, 2, 1, 2]

    def test_a_signed_new_submission_after_handing_in_is_a_new_visit(self, study):
        person = Arriving(study).agrees()
        enrolment_hand_in(enrolment=person.here)
        again = Arriving(study, session=2)
        assert "I agree and start" in text_of(again.arrives(prolific_token=token(again)))


def test_a_new_submission_that_was_fetched_from_prolific_goes_on_with_the_visit(study):
    person = Arriving(study).agrees()
    ProlificSubmission.objects.create(
        participant=person.here.participant,
        study=study,
        session_id=an_id(2, "c"),
        prolific_study_id=STUDY_ID,
        synced_at=timezone.now(),
    )
    again = Arriving(study, session=2)
    assert again.arrives().redirect_chain[-1] == ("/work/laughs/", 302)
    assert again.here == person.here


# --- many at once ------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_same_submission_agreeing_in_many_tabs_at_once_is_one_person_in_one_visit():
    study = prolific_study(factories.clip())
    tabs = [Arriving(study) for _ in range(8)]
    for tab in tabs:
        tab.arrives()
    answers = at_once([lambda tab=tab: tab.client.post(tab.join_url, AGREES) for tab in tabs])
    assert {answer.status_code for answer in answers} == {302}
    assert rows()[:4] == [1, 1, 1, 1]
    assert {tab.here for tab in tabs} == {Enrolment.objects.get()}


@pytest.mark.django_db(transaction=True)
def test_two_who_claim_one_submission_at_once_are_one_who_has_it_and_one_who_is_refused():
    study = prolific_study(factories.clip())
    people = [Arriving(study, pid=number) for number in range(6)]
    for person in people:
        person.arrives()
    answers = at_once([lambda one=one: one.client.post(one.join_url, AGREES) for one in people])
    assert sorted(answer.status_code for answer in answers) == [302] + [403] * 5
    assert rows()[:4] == [1, 1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_new_submissions_of_one_person_at_once_are_visits_of_one_person():
    study = prolific_study(*(factories.clip() for _ in range(3)), units_per_participant=1)
    visits = [Arriving(study, session=number) for number in range(4)]
    for visit in visits:
        visit.arrives()
    at_once([lambda one=one: one.client.post(one.join_url, AGREES) for one in visits])
    assert rows()[:4] == [1, 1, 4, 4]
    assert sorted(Enrolment.objects.values_list("attempt", flat=True)) == [1, 2, 3, 4]
