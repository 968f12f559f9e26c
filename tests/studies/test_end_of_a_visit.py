"""However a visit ends: the page says so, and people from Prolific get the code of that outcome, then."""

import threading
import time

import pytest
from django.db import transaction
from django.test import Client
from django.utils.http import urlencode

from studies.endings import WORDS
from studies.models import CompletionCode, Enrolment, Path, ResponseEvent, Study
from studies.services.enrolment import enrolment_end, enrolment_hand_in, enrolment_returned
from studies.services.study import study_set_items, study_set_state
from tests import factories
from tests.studies.arriving import Arriving, codes_in, prolific_study, text_of
from tests.studies.person import Person, open_study, two_moments
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(two_moments(), factories.clip())


def hand_in(person):
    return person.post("hand_in", {"tab": person.tab})


def the_end(person):
    return person.client.get("/work/laughs/thanks/")


def settled(person, path):
    """The person's visit, ended on that path by a decision."""
    enrolment_end(enrolment=person.here, path=path)
    return the_end(person)


# --- each path has its page --------------------------------------------------------------------------


def test_every_path_has_words_of_its_own():
    assert set(WORDS) == set(Path)
    assert len({heading for heading, _ in WORDS.values()}) == len(Path)


@pytest.mark.parametrize("path", list(Path))
def test_each_path_shows_its_own_code_as_text_and_in_the_way_back(study, path):
    person = Arriving(study).agrees()
    response = settled(person, path)
    assert codes_in(response) == [path.value]
    code = f"CODE-{path.value.upper()}"
    page = text_of(response)
    assert f'<code id="completion-code">{code}</code>' in page
    assert f'href="https://app.prolific.com/submissions/complete?cc={code}"' in page
    assert WORDS[path][0] in page
    assert "lab@example.org" in page


def test_a_code_is_quoted_in_the_address_and_shown_as_it_is(study):
    CompletionCode.objects.filter(path="completed").update(code="A B&C=é")
    person = Arriving(study).agrees()
    page = text_of(settled(person, "completed"))
    assert f"complete?{urlencode({'cc': 'A B&C=é'}).replace('+', '%20')}" in page
    assert '<code id="completion-code">A B&C=é</code>' in page


@pytest.mark.parametrize("path", list(Path))
def test_without_a_code_nobody_is_at_a_dead_end(study, path):
    CompletionCode.objects.all().delete()
    person = Arriving(study).agrees()
    response = settled(person, path)
    page = text_of(response)
    assert "There is no completion code for this. Please write to" in page
    assert "lab@example.org" in page
    assert "app.prolific.com" not in page


def test_lab_people_see_no_code(study):
    Study.objects.update(shared_link=True)
    person = Person.joins(study)
    enrolment_hand_in(enrolment=person.enrolment)
    response = person.client.get("/work/laughs/thanks/")
    assert codes_in(response) == []
    assert "prolific" not in text_of(response).lower()


# --- the path follows from what happened -------------------------------------------------------------


def test_all_work_done_is_completed(study):
    person = Arriving(study).agrees()
    person.rate_all()
    person.rate_all()
    assert hand_in(person).json() == {"next": "/work/laughs/thanks/"}
    assert codes_in(the_end(person)) == ["completed"]


def test_stopping_early_is_said_before_and_has_its_own_code(study):
    person = Arriving(study).agrees()
    person.rate_all()
    page = person.client.get("/work/laughs/stop/")
    assert "Stop here and hand in?" in text_of(page)
    assert "You have finished 1 task." in text_of(page)
    assert Enrolment.objects.get().state == "active"  # asked, not done
    response = person.client.post("/work/laughs/stop/", follow=True)
    assert response.redirect_chain == [("/work/laughs/thanks/", 302)]
    assert codes_in(response) == ["stopped_early"]
    assert person.client.get("/work/laughs/stop/").url == "/work/laughs/"


def test_handing_in_all_of_it_by_the_form_is_not_called_stopping(study):
    person = Arriving(study).agrees()
    person.rate_all()
    person.rate_all()
    person.open()
    assert "Hand in your work?" in text_of(person.client.get("/work/laughs/stop/"))
    assert codes_in(person.client.post("/work/laughs/stop/", follow=True)) == ["completed"]


def test_an_answer_can_be_an_opt_out_and_the_work_is_completed_all_the_same(study):
    person = Arriving(study).agrees()
    for _ in range(2):
        person.open()
        assert person.report("rather_not", replaces=None).status_code == 201
    hand_in(person)
    assert codes_in(the_end(person)) == ["completed"]


def test_failing_the_practice_leads_to_its_own_end():
    practice = factories.clip("practice", moments=((1.0, 3.0),))
    study = open_study(factories.clip(), factories.clip(), shared_link=True, training_attempts=1)
    study_set_state(study=study, state="paused")
    items = [{"key": practice.clip_id, "accepts": {"practice-m0": [3]}}]
    study_set_items(study=study, purpose="practice", items=items)
    for path in Path:
        CompletionCode.objects.create(study=study, path=path, code=f"CODE-{path.value.upper()}")
    Study.objects.update(prolific=True, shared_link=False)
    study.refresh_from_db()
    study_set_state(study=study, state="open")
    person = Arriving(study).agrees()
    person.open()
    person.rate("practice-m0", 0)
    assert person.post("open", {"tab": person.tab}).json()["state"] == "handed_in"
    assert codes_in(the_end(person)) == ["failed_training"]


def test_a_halted_study_pays_those_inside_with_the_code_for_it(study):
    person = Arriving(study).agrees()
    person.rate_all()
    study_set_state(study=study, state="halted")
    page = text_of(person.client.get("/work/laughs/leave/"))
    assert "The study has been stopped" in page
    assert 'href="/work/laughs/stop/"' in page
    assert codes_in(person.client.post("/work/laughs/stop/", follow=True)) == ["halted"]


def test_nothing_left_for_somebody_has_its_own_code():
    study = prolific_study(factories.clip(), factories.clip(), raters_per_unit=1, units_per_participant=2)
    other = Arriving(study, pid=2, session=2).agrees()
    person = Arriving(study).agrees()
    other.open()  # takes both
    assert person.post("open", {"tab": person.tab}).json()["state"] == "nothing_left"
    hand_in(person)
    assert codes_in(the_end(person)) == ["nothing_left"]


# --- and not before ----------------------------------------------------------------------------------


def test_no_page_or_answer_gives_a_code_away_before_the_end_is_settled(study):
    person = Arriving(study)
    told = [person.arrives()]
    person.agrees()
    told.append(person.post("open", {"tab": person.tab}))
    person.rate_all()
    told += [
        person.client.get(f"/work/laughs/{page}", follow=True)
        for page in ("", "welcome/", "leave/", "stop/", "data/", "data/file/", "withdraw/", "thanks/")
    ]
    told.append(person.post("heartbeat", {"tab": person.tab, "assignment": person.assignment_id}))
    assert [codes_in(response) for response in told] == [[]] * len(told)
    told_by_api = hand_in(person)
    assert codes_in(told_by_api) == []  # the page that follows tells it
    assert codes_in(the_end(person)) == ["stopped_early"]


@pytest.mark.django_db(transaction=True)
def test_nobody_is_sent_back_to_prolific_before_their_last_answer_is_stored():
    """The last save is slow and somebody presses Finish: the hand-in waits for it, and the code for both."""
    study = prolific_study(two_moments())
    person = Arriving(study).agrees()
    person.open()
    person.rate("laugh", 1)
    person.watch("gasp")
    saving, may_go_on = threading.Event(), threading.Event()

    def save_slowly():
        with transaction.atomic():
            assert person.say(question="gasp", value=2).status_code == 201
            saving.set()
            assert may_go_on.wait(20)

    def finish():
        assert saving.wait(20)
        response = Arriving(study, at=person.client).post("hand_in", {"tab": person.tab})
        return response.status_code

    def look():
        assert saving.wait(20)
        browser = Client()
        browser.cookies = person.client.cookies
        time.sleep(0.5)  # the hand-in has gone out meanwhile
        early = browser.get("/work/laughs/thanks/")
        may_go_on.set()
        return early.status_code, codes_in(early)

    _, handed_in, early = at_once([save_slowly, finish, look])
    assert (handed_in, early) == (200, (302, []))
    assert ResponseEvent.objects.count() == 2
    assert codes_in(the_end(person)) == ["completed"]


def test_nothing_can_be_said_after_the_code_was_given(study):
    person = Arriving(study).agrees()
    person.rate_all()
    assert the_end(person).url == "/work/laughs/"  # not handed in: no end page
    hand_in(person)
    assert codes_in(the_end(person)) == ["stopped_early"]
    assert person.say(question=person.moments[0], value=0).status_code == 409


def test_the_stop_page_knows_which_answers_still_wait_in_the_browser(study):
    person = Arriving(study).agrees()
    page = text_of(person.client.get("/work/laughs/stop/"))
    assert f'data-key="{person.here.public_id}"' in page
    assert "studies/unsent.js" in page


def test_a_form_from_elsewhere_hands_nothing_in(study):
    person = Arriving(study).agrees()
    person.client.handler.enforce_csrf_checks = True
    assert person.client.post("/work/laughs/stop/").status_code == 403
    assert person.client.post("/work/laughs/withdraw/", {"answers": "delete"}).status_code == 403
    assert Enrolment.objects.get().state == "active"


# --- returned on Prolific ----------------------------------------------------------------------------


def test_a_returned_submission_gets_a_clear_page_and_no_code(study):
    person = Arriving(study).agrees()
    person.rate_all()
    enrolment_returned(enrolment=person.here, returned=True)
    for page in ("", "leave/", "stop/"):
        response = person.client.get(f"/work/laughs/{page}", follow=True)
        assert "returned or has timed out on Prolific" in text_of(response)
        assert "What you did is stored." in text_of(response)
        assert "lab@example.org" in text_of(response)
        assert codes_in(response) == []
    enrolment_returned(enrolment=person.here, returned=False)
    assert "How strong is the reaction?" in text_of(person.client.get("/work/laughs/"))


# --- what is on every page ---------------------------------------------------------------------------


def test_the_contact_and_the_content_warning_are_on_every_page_of_an_annotator():
    study = prolific_study(factories.clip(), content_warning="Some clips are loud.")
    person = Arriving(study)
    pages = [person.arrives(), person.arrives(PROLIFIC_PID=""), person.arrives(SESSION_ID="{{%SESSION_ID%}}")]
    pages.append(Arriving(study, pid=2, session=2).declines())
    person.agrees()
    names = ("", "welcome/", "leave/", "stop/", "data/", "withdraw/")
    pages += [person.client.get(f"/work/laughs/{name}") for name in names]
    hand_in(person)
    pages.append(the_end(person))
    for number, response in enumerate(pages):
        text = text_of(response)
        assert "Some clips are loud." in text, number
        assert "lab@example.org" in text, number
