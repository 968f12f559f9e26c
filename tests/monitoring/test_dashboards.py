"""Dashboards: who may open them, and whether the figures on them are right."""

import re

import pytest
from django.test import Client

from monitoring.charts import Bar, bars
from monitoring.queries import study_overview
from studies.models import Enrolment, Study, StudyUnit
from studies.services.study import study_set_state
from tests import factories
from tests.studies.person import AGREES, Person, open_study, two_moments

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "monitor"])

PAGES = ["/monitor/", "/monitor/laughs/"]


def page(client, address="/monitor/laughs/"):
    """The text of a page, tags and white space taken out."""
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


# --- who may open them --------------------------------------------------------------------------------


@pytest.mark.parametrize("address", PAGES)
def test_a_stranger_is_sent_to_sign_in_and_back(study, address):
    assert Client().get(address).url == f"/login/?next={address}"


@pytest.mark.parametrize("address", PAGES)
def test_an_account_without_the_permission_is_refused(study, watcher, address):
    assert watcher(allowed=False).get(address).status_code == 403


@pytest.mark.parametrize("address", PAGES)
def test_a_monitor_may_look(study, watcher, address):
    response = watcher().get(address)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("address", PAGES)
def test_looking_is_all_that_these_addresses_take(study, watcher, address, method):
    assert getattr(watcher(), method)(address).status_code == 405


def test_who_takes_part_in_a_study_sees_its_figures_only_when_it_is_closed(watcher):
    study = open_study(two_moments())
    monitor = watcher()
    person = Person(study)
    person.client = monitor
    assert monitor.get("/monitor/laughs/").status_code == 200
    person.client.post("/join/laughs/", AGREES)
    for state in ("open", "paused", "halted"):
        Study.objects.update(state=state)
        assert monitor.get("/monitor/laughs/").status_code == 403
    study_set_state(study=study, state="closed")
    assert monitor.get("/monitor/laughs/").status_code == 200


def test_taking_part_in_one_study_closes_no_other(study, watcher):
    other = open_study(two_moments(), slug="screams")
    monitor = watcher()
    monitor.post("/join/screams/", AGREES)
    assert monitor.get("/monitor/laughs/").status_code == 200
    assert monitor.get(f"/monitor/{other.slug}/").status_code == 403


def test_a_draft_and_an_unknown_study_have_no_dashboard(watcher):
    Study.objects.create(slug="draft", title="Draft", kind="intensity", consent="c", contact="c")
    monitor = watcher()
    assert monitor.get("/monitor/draft/").status_code == 404
    assert monitor.get("/monitor/nowhere/").status_code == 404
    assert "Draft" not in page(monitor, "/monitor/")


# --- the figures --------------------------------------------------------------------------------------


def test_the_list_names_each_study_with_its_people_and_clips(study, watcher):
    text = page(watcher(), "/monitor/")
    assert "Laughs of 2026 Reaction intensity open 3 3" in text


def test_the_list_without_studies_says_what_will_appear(watcher):
    assert "No study has been opened yet." in page(watcher(), "/monitor/")


def test_the_overview_shows_what_was_counted_by_hand(study, watcher):
    text = page(watcher())
    assert "moments with ≥ 2 ratings · 2 of 6" in text
    assert "33 %" in text
    assert "5 ratings that count, on 3 moments" in text
    assert "2 people at work · 1 handed in" in text
    assert "3 clips finished or skipped · 1 wait for a manager after reports" in text
    assert "0 Calm 1 · 20 % 1 Mild 1 · 20 % 2 Clear 0 · 0 % 3 Peak 3 · 60 %" in text
    assert "1 1 · 33 % 2 2 · 67 %" in text  # one moment with one rating, two with two


def test_the_overview_follows_what_happens(study):
    before = study_overview(study)
    assert (before.reached, before.questions, before.units_done, before.reported) == (2, 6, 3, 1)
    rater = factories.enrolment(study)
    given = factories.assignment(rater, "b")
    factories.score(given, "b-m0", 1)
    after = study_overview(study)
    assert (after.reached, after.units_done, after.figures["ratings"]) == (3, 4, 6)
    assert after.figures["distribution"] == {"0": 1, "1": 2, "2": 0, "3": 3}


def test_a_hundred_per_cent_means_all(study):
    overview = study_overview(study)
    almost = {"questions": 1000, "reached": 999}
    assert type(overview)(**{**_fields(overview), **almost}).coverage_percent == 99
    assert type(overview)(**{**_fields(overview), "questions": 0, "reached": 0}).coverage_percent == 0


def _fields(overview):
    return {name: getattr(overview, name) for name in type(overview).__dataclass_fields__}


def test_what_does_not_count_is_in_no_figure(study):
    pilot = factories.clip("pilot")
    factories.wave(study, clips=[pilot], pilot=True)
    rater = factories.enrolment(study)
    factories.score(factories.assignment(rater, "pilot"), "pilot-m0", 2)
    gone = factories.enrolment(study, state="withdrawn")
    factories.score(factories.assignment(gone, "a"), "a-m0", 2)
    StudyUnit.objects.filter(key="b").update(state="withdrawn")
    overview = study_overview(study)
    assert overview.figures["ratings"] == 4
    assert overview.questions == 4
    assert overview.reached == 2


def test_an_opened_study_without_answers_has_a_calm_page(watcher):
    open_study(two_moments())
    text = page(watcher())
    assert "0 %" in text
    assert "0 of 2" in text
    assert "No ratings yet" in text


def test_a_study_whose_clips_were_all_withdrawn_has_a_page(study, watcher):
    StudyUnit.objects.update(state="withdrawn")
    Enrolment.objects.all().delete()
    assert "0 of 0" in page(watcher())


def test_the_page_names_nobody_and_no_answer_of_a_person(study, watcher):
    text = watcher().get("/monitor/laughs/").content.decode()
    for enrolment in Enrolment.objects.select_related("participant"):
        assert enrolment.public_id not in text
        assert enrolment.participant.public_id not in text


def test_bars_fill_the_chart_and_survive_zeros():
    assert bars([("a", 1, "x"), ("b", 4, "y")]) == [
        Bar("a", 1, 20.0, 25.0, "x"),
        Bar("b", 4, 80.0, 100.0, "y"),
    ]
    assert bars([]) == []
    assert bars([("a", 0, "x")]) == [Bar("a", 0, 0.0, 0.0, "x")]
