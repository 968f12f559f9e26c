"""Strangers come through the link on Prolific: each is one person, and every visit is theirs alone."""

import logging
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from studies.arrival import BadLink, ids_read
from studies.identity import ParticipantIdentity, ProlificSubmission
from studies.models import Enrolment, EnrolmentKey, Participant, Study
from studies.prolific import signed
from studies.services.enrolment import enrolment_hand_in, enrolment_returned, enrolment_withdraw
from studies.services.study import study_set_state
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, codes_in, prolific_study, text_of
from tests.studies.person import AGREES, Person, open_study
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return prolific_study(*(factories.clip() for _ in range(4)), units_per_participant=1)


def rows() -> list[int]:
    tables = (Participant, ParticipantIdentity, ProlificSubmission, Enrolment, EnrolmentKey)
    return [table.objects.count() for table in tables]


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


# --- those who cannot take part ----------------------------------------------------------------------


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


# --- where the ids are -------------------------------------------------------------------------------

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
