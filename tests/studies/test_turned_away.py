"""Those who cannot take part are told why, and go back with the code of that outcome."""

import pytest

from studies.identity import ProlificSubmission
from studies.models import Enrolment, Participant, Study
from studies.services.enrolment import enrolment_withdraw
from tests import factories
from tests.studies.arriving import Arriving, codes_in, prolific_study, rows, text_of
from tests.studies.person import AGREES, Person, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(*(factories.clip() for _ in range(4)), units_per_participant=1)


def test_declining_leads_to_its_own_code_and_stays_so(study):
    person = Arriving(study)
    response = person.declines()
    assert codes_in(response) == ["no_consent"]
    assert rows() == [1, 1, 1, 0, 0]
    assert ProlificSubmission.objects.get().path == "no_consent"
    assert codes_in(person.client.get(person.join_url)) == ["no_consent"]
    assert codes_in(Arriving(study).arrives()) == ["no_consent"]
    assert "I agree and start" in text_of(Arriving(study, session=2).arrives())


@pytest.mark.parametrize(
    ("state", "words", "codes"),
    [
        ("draft", "not open yet", []),
        ("paused", "takes nobody new", ["study_full"]),
        ("halted", "has been stopped", ["halted"]),
        ("closed", "is closed", ["halted"]),
    ],
)
def test_a_study_that_takes_nobody_says_so_with_a_code_to_go_back_with(study, state, words, codes):
    Study.objects.update(state=state)
    response = Arriving(study).arrives()
    assert words in text_of(response)
    assert codes_in(response) == codes
    assert rows() == [0, 0, 0, 0, 0]


def test_a_study_that_is_full_says_so_before_asking_for_anything(study):
    full = prolific_study(factories.clip(), slug="screams", raters_per_unit=1)
    Arriving(full, pid=1).agrees().open()
    late = Arriving(full, pid=2, session=2)
    response = late.arrives()
    assert "The study is full." in text_of(response)
    assert codes_in(response) == ["study_full"]
    assert Participant.objects.count() == 1


def test_a_study_that_fills_while_somebody_reads_tells_them_and_keeps_with_which_code(study):
    full = prolific_study(factories.clip(), slug="screams", raters_per_unit=1)
    late = Arriving(full, pid=2, session=2)
    late.arrives()
    Arriving(full, pid=1).agrees().open()
    assert codes_in(late.client.post(late.join_url, AGREES)) == ["study_full"]
    submission = ProlificSubmission.objects.get(session_id=late.session)
    assert (submission.path, submission.enrolment) == ("study_full", None)
    enrolment_withdraw(enrolment=Enrolment.objects.get(), erase=False)
    assert late.agrees().here.study == full  # a place is free again
    submission.refresh_from_db()
    assert (submission.path, submission.enrolment) == ("", late.here)


@pytest.mark.parametrize("state", ["active", "handed_in", "withdrawn"])
def test_people_of_a_study_that_is_kept_apart_are_turned_away_with_their_code(study, state):
    other = prolific_study(factories.clip(), slug="screams")
    study.keeps_out.add(other)
    person = Arriving(other).agrees()
    Enrolment.objects.update(state=state)
    response = Arriving(study, session=2).arrives()  # elsewhere, known by the id
    assert codes_in(response) == ["kept_out"]
    assert ProlificSubmission.objects.get(study=study).path == "kept_out"
    unknown = Arriving(study, pid=3, session=3, at=person.client)  # known by the browser
    assert codes_in(unknown.arrives()) == ["kept_out"]
    assert Enrolment.objects.count() == 1


def test_whoever_is_in_the_study_already_is_not_put_out_of_it(study):
    other = prolific_study(factories.clip(), slug="screams")
    person = Arriving(study).agrees()
    Arriving(other, session=2).agrees()
    study.keeps_out.add(other)
    assert person.arrives().redirect_chain[-1] == ("/work/laughs/", 302)


def test_a_lab_person_who_is_kept_out_sees_no_code(study):
    Study.objects.update(shared_link=True)
    other = open_study(factories.clip(), slug="screams")
    study.keeps_out.add(other)
    person = Person.joins(other)
    response = person.client.get("/join/laughs/")
    assert "goes before this one" in text_of(response)
    assert codes_in(response) == []
