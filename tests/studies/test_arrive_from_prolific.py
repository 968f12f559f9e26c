"""Strangers come through the link on Prolific: read strictly, kept nowhere, asked for consent."""

from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from studies.arrival import BadLink, ids_read
from studies.identity import ParticipantIdentity, ProlificSubmission
from studies.models import Enrolment, Study
from studies.services.study import study_set_state
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study, rows, text_of
from tests.studies.person import AGREES, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(*(factories.clip() for _ in range(4)), units_per_participant=1)


# --- the link ----------------------------------------------------------------------------------------


def test_the_ids_leave_the_address_at_once_and_nobody_is_stored_yet(study):
    person = Arriving(study)
    response = person.client.get(person.join_url, person.ids)
    assert (response.status_code, response.url) == (302, "/join/laughs/")
    assert "no-store" in response["Cache-Control"]
    cookie = person.client.cookies[f"touchstone_arrival_{study.pk}"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert 0 < cookie["max-age"] < 86400
    page = person.client.get(response.url)
    assert "I agree and start" in text_of(page)
    assert not any(value in text_of(page) for value in person.ids.values())
    assert rows() == [0, 0, 0, 0, 0]


def test_the_cookie_of_the_ids_travels_encrypted_where_the_site_is_served_so(study, settings):
    settings.SESSION_COOKIE_SECURE = True
    person = Arriving(study)
    person.client.get(person.join_url, person.ids)
    assert person.client.cookies[f"touchstone_arrival_{study.pk}"]["secure"]


def test_a_forged_cookie_is_nobody(study):
    person = Arriving(study)
    person.arrives()
    cookie = f"touchstone_arrival_{study.pk}"
    person.client.cookies[cookie] = "x" + person.client.cookies[cookie].value
    assert "personal link" in text_of(person.client.post(person.join_url, AGREES))
    assert rows() == [0, 0, 0, 0, 0]


PLACEHOLDERS = [
    "{{%PROLIFIC_PID%}}",
    quote("{{%PROLIFIC_PID%}}"),
    quote(quote("{{%PROLIFIC_PID%}}")),
    "{{PROLIFIC_PID}}",
    "%PROLIFIC_PID%",
]


@pytest.mark.parametrize("value", PLACEHOLDERS)
def test_placeholders_that_prolific_left_get_a_page_that_says_how_the_link_should_be(study, value):
    person = Arriving(study)
    response = person.arrives(PROLIFIC_PID=value)
    assert response.status_code == 400
    page = text_of(response)
    assert "This is a preview" in page
    assert "PROLIFIC_PID" in page
    assert "Go back to Prolific and open the study from there" in page
    wanted = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    assert f"http://testserver/join/laughs/?{wanted}" in page
    assert not person.client.cookies
    assert rows() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, "nothing"),
        ("", "nothing"),
        ("5F00000000000000000000AA", "5F00000000000000000000AA"),
        ("5f00000000000000000000a", "5f00000000000000000000a"),
        ("5f00000000000000000000aaa", "5f00000000000000000000aaa"),
        ("5f00000000000000000000aa ", "5f00000000000000000000aa "),
        ("test", "test"),
    ],
)
def test_an_id_that_is_missing_or_of_another_shape_is_named_with_what_was_found(study, name, value, found):
    person = Arriving(study)
    query = person.ids | {name: value}
    response = person.client.get(person.join_url, {k: v for k, v in query.items() if v is not None})
    assert response.status_code == 400
    page = text_of(response)
    assert f"<code>{name}</code>" in page
    assert f"<td>{found}</td>" in page
    assert page.count("<td>") == 2  # this fault alone: found and expected
    assert not person.client.cookies


def test_parameters_in_small_letters_are_pointed_out_and_not_taken_for_a_shared_link(study):
    Study.objects.update(shared_link=True)
    person = Arriving(study)
    response = person.client.get(person.join_url, {name.lower(): v for name, v in person.ids.items()})
    assert response.status_code == 400
    assert "nothing, but a parameter prolific_pid" in text_of(response)


def test_an_id_given_twice_is_refused(study):
    person = Arriving(study)
    response = person.client.get(person.join_url, person.ids | {"PROLIFIC_PID": [person.pid, an_id(2)]})
    assert response.status_code == 400
    assert "2 values" in text_of(response)


@given(st.text(max_size=40))
def test_only_24_lower_case_hexadecimal_digits_are_an_id(value):
    query = {"PROLIFIC_PID": [value], "STUDY_ID": [STUDY_ID], "SESSION_ID": [an_id(1)]}
    valid = len(value) == 24 and set(value) <= set("0123456789abcdef")
    try:
        assert ids_read(query).pid == value
    except BadLink:
        assert not valid
    else:
        assert valid


def test_what_was_found_is_shown_as_text_and_never_as_html(study):
    response = Arriving(study).arrives(PROLIFIC_PID="<script>alert(1)</script>")
    assert b"<script>alert" not in response.content


def test_a_study_named_on_prolific_takes_no_link_of_another(study):
    Study.objects.update(prolific_study_ids=f"{an_id(7)} {an_id(8)}")
    response = Arriving(study).arrives()
    assert response.status_code == 403
    assert "another study on Prolific" in text_of(response)
    Study.objects.update(prolific_study_ids=f"{an_id(7)} {STUDY_ID}")
    assert "I agree and start" in text_of(Arriving(study).arrives())


def test_a_study_that_is_not_set_up_for_prolific_takes_nobody_from_there():
    study = open_study(factories.clip())
    person = Arriving(study)
    assert "not set up for Prolific" in text_of(person.arrives())
    assert not person.client.cookies


# --- joining -----------------------------------------------------------------------------------------


def test_agreeing_makes_one_person_known_by_prolific_in_the_private_tables_alone(study):
    person = Arriving(study).agrees()
    enrolment = Enrolment.objects.get()
    assert (enrolment.pool, enrolment.consent_version, enrolment.attempt) == ("prolific", 1, 1)
    identity = ParticipantIdentity.objects.get()
    assert (identity.participant, identity.source, identity.external_id) == (
        enrolment.participant,
        "prolific",
        person.pid,
    )
    submission = ProlificSubmission.objects.get()
    assert (submission.enrolment, submission.participant, submission.study) == (
        enrolment,
        enrolment.participant,
        study,
    )
    assert (submission.session_id, submission.prolific_study_id) == (person.session, STUDY_ID)
    assert not person.client.cookies[f"touchstone_arrival_{study.pk}"].value  # done its duty


def test_a_person_agrees_to_the_text_that_they_read(study):
    study_set_state(study=study, state="paused")
    person = Arriving(study)
    Study.objects.update(consent="Another text.")
    study_set_state(study=study, state="open")
    assert "Another text." in text_of(person.arrives())
    old = person.client.post(person.join_url, AGREES | {"version": "1"})
    assert "The text was changed while you had it open." in text_of(old)
    assert not Enrolment.objects.exists()
    person.client.post(person.join_url, AGREES | {"version": "2"})
    assert Enrolment.objects.get().consent_version == 2


def test_a_press_of_no_button_is_no_consent(study):
    person = Arriving(study)
    person.arrives()
    assert "I agree and start" in text_of(person.client.post(person.join_url))
    assert rows() == [0, 0, 0, 0, 0]


def test_a_consent_page_left_open_for_a_day_makes_nobody_a_stranger_of_the_shared_link(study):
    Study.objects.update(shared_link=True)
    person = Arriving(study)
    assert 'name="source" value="prolific"' in text_of(person.arrives())
    del person.client.cookies[f"touchstone_arrival_{study.pk}"]
    response = person.client.post(person.join_url, AGREES | {"source": "prolific"})
    assert "open the study from Prolific again" in text_of(response)
    assert rows() == [0, 0, 0, 0, 0]


def test_the_link_without_ids_is_for_nobody_where_there_is_no_shared_link(study):
    response = Client().get("/join/laughs/")
    assert response.status_code == 403
    assert "If you take part through Prolific, open the study there" in text_of(response)
    assert Client().post("/join/laughs/", AGREES).status_code == 403
    assert rows() == [0, 0, 0, 0, 0]
