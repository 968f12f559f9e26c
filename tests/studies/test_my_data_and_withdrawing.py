"""Reading what is held about oneself, and withdrawing, with or without the answers."""

import json

import pytest
from django.test import Client

from annotation.models import Score
from exports.answers import ratings_lines
from studies.identity import ProlificSubmission
from studies.models import Assignment, Enrolment, Participant, Place, ResponseEvent
from tests import factories
from tests.studies.arriving import Arriving, codes_in, prolific_study, text_of
from tests.studies.person import Person, open_study, two_moments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(two_moments(clip_id="secret-clip"), factories.clip(), raters_per_unit=1)


@pytest.fixture
def person(study):
    return Person.joins(study)


def my_data(person):
    return json.loads(person.client.get("/work/laughs/data/file/").content)


# --- reading -----------------------------------------------------------------------------------------


def test_the_page_says_when_and_to_what_was_agreed_and_shows_every_answer_ever_given(person):
    names = person.open()
    moment = person.moments[0]
    person.rate(moment, 3)
    person.rate(moment, 1)
    page = text_of(person.client.get("/work/laughs/data/"))
    assert "version 1 of the text" in page
    assert f"<code>{person.enrolment.public_id}</code>" in page
    assert page.count(f"<td>{moment}</td>") == 2
    assert "answer, changed later" in page
    assert "No answers yet" not in page
    assert names["state"] == "working"


def test_the_file_has_all_of_it(person):
    person.open()
    moment = person.moments[0]
    person.rate(moment, 3)
    person.rate(moment, 1)
    person.undo(moment)
    held = my_data(person)
    assert held["agreed_to_version"] == 1
    assert held["random_id"] == person.enrolment.public_id
    assert [(a["what"], a["answer"], a["changed_later"]) for a in held["answers"]] == [
        ("answer", 3, True),
        ("answer", 1, True),
        ("undo", None, False),
    ]
    assert all(a["answered_at"] and a["received_at"] and a["played_ms"] for a in held["answers"][:2])
    assert [task["number"] for task in held["tasks"]] == [1]
    assert held["tasks"][0]["state"] == "open"


def test_the_file_is_for_keeping(person):
    response = person.client.get("/work/laughs/data/file/")
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == 'attachment; filename="my-data-laughs.json"'
    assert "no-store" in response["Cache-Control"]


def test_somebody_without_answers_is_told_so(person):
    assert "No answers yet." in text_of(person.client.get("/work/laughs/data/"))


def test_it_is_shown_to_the_person_alone(person, study):
    person.rate_all()
    for browser in (Client(), Person.joins(open_study(factories.clip(), slug="screams")).client):
        for page in ("data/", "data/file/", "withdraw/"):
            assert browser.get(f"/work/laughs/{page}").status_code == 403
    other = Person(study)
    token = person.client.cookies[f"touchstone_{study.pk}"].value
    other.client.get(f"/return/{token}/")  # the personal address is as good as the browser
    assert my_data(other) == my_data(person)


def test_it_holds_nothing_of_others_and_nothing_that_tells_of_the_study(person, study):
    stranger = Person.joins(study)
    stranger.rate_all([0, 0])
    person.rate_all([3, 3])
    Assignment.objects.filter(pk=person.assignment_id).update(purpose="check", passed=False)
    told = text_of(person.client.get("/work/laughs/data/")) + json.dumps(my_data(person))
    assert [answer["answer"] for answer in my_data(person)["answers"]] == [3, 3]
    for hidden in ("secret-clip", "check", stranger.enrolment.public_id, "passed_check"):
        assert hidden not in told.replace("device_check", "").replace("checks", "")


def test_it_can_be_read_after_handing_in(person):
    person.rate_all()
    person.post("hand_in", {"tab": person.tab})
    page = text_of(person.client.get("/work/laughs/thanks/"))
    assert 'href="/work/laughs/data/"' in page
    assert "handed in: stopped early" in text_of(person.client.get("/work/laughs/data/"))


# --- withdrawing -------------------------------------------------------------------------------------


def test_withdrawing_asks_first_and_wants_to_know_about_the_answers(person):
    assert "Withdraw from the study?" in text_of(person.client.get("/work/laughs/withdraw/"))
    for said in ({}, {"answers": "perhaps"}):
        response = person.client.post("/work/laughs/withdraw/", said)
        assert "Please choose what happens to your answers." in text_of(response)
    assert person.enrolment.state == "active"


@pytest.mark.parametrize(
    ("answers", "words", "kept"),
    [("keep", "are used for nothing any more", 2), ("delete", "have been deleted", 0)],
)
def test_withdrawn_answers_leave_every_figure_at_once_and_the_places_are_open_again(
    study, person, answers, words, kept
):
    person.rate_all([3, 3])
    unit = person.assignment.unit
    assert not Place.objects.filter(unit=unit, enrolment=None).exists()
    assert len(list(ratings_lines(study))) == 2
    response = person.client.post("/work/laughs/withdraw/", {"answers": answers})
    assert "You have withdrawn from the study." in text_of(response)
    assert words in text_of(response)
    assert list(ratings_lines(study)) == []
    assert Place.objects.filter(unit=unit, enrolment=None).exists()
    assert ResponseEvent.objects.count() == kept
    enrolment = Enrolment.objects.get()
    assert (enrolment.state, enrolment.path) == ("withdrawn", "stopped_early")
    newcomer = Person.joins(study)
    seen = {newcomer.rate_all()["view"]["moments"][0]["key"] for _ in range(2)}
    assert len(seen) == 2  # what was withdrawn is rated by somebody else


def test_deletion_takes_current_answers_events_and_device_facts_and_leaves_that_somebody_was_here(person):
    Enrolment.objects.update(device={"browser": "Firefox 140"})
    person.rate_all()
    person.client.post("/work/laughs/withdraw/", {"answers": "delete"})
    assert not Score.objects.exists()
    assert not ResponseEvent.objects.exists()
    enrolment = Enrolment.objects.get()
    assert enrolment.device == {}
    assert enrolment.erased_at is not None
    assert enrolment.assignments.filter(state="finished").count() == 1  # for the pay
    assert Participant.objects.count() == 1


def test_access_ends_with_withdrawing(study, person):
    token = person.client.cookies[f"touchstone_{study.pk}"].value
    person.client.post("/work/laughs/withdraw/", {"answers": "keep"})
    assert not person.client.cookies[f"touchstone_{study.pk}"].value
    for page in ("", "data/", "thanks/", "withdraw/"):
        assert person.client.get(f"/work/laughs/{page}").status_code == 403
    assert Client().get(f"/return/{token}/").status_code == 404


@pytest.mark.parametrize("answers", ["keep", "delete"])
def test_people_from_prolific_get_their_code_as_they_withdraw(answers):
    study = prolific_study(two_moments(), factories.clip())
    person = Arriving(study).agrees()
    person.rate_all()
    assert "completion code" in text_of(person.client.get("/work/laughs/withdraw/"))
    response = person.client.post("/work/laughs/withdraw/", {"answers": answers})
    assert codes_in(response) == ["stopped_early"]
    assert "You finished 1 task." in text_of(response)
    assert ProlificSubmission.objects.get().enrolment == Enrolment.objects.get()  # so that it can be paid


def test_withdrawing_after_handing_in_keeps_the_code_of_what_was_done():
    study = prolific_study(two_moments())
    person = Arriving(study).agrees()
    person.rate_all()
    person.post("hand_in", {"tab": person.tab})
    response = person.client.post("/work/laughs/withdraw/", {"answers": "delete"})
    assert codes_in(response) == ["completed"]
    assert not ResponseEvent.objects.exists()
