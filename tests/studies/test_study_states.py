"""Draft, open, paused, halted, closed; and the versions that opening freezes."""

import itertools

import pytest
from django.contrib.auth import get_user_model

from annotation.models import Score
from studies.errors import Refused
from studies.models import ResponseEvent, Study, StudyUnit
from studies.services.study import study_add_units, study_refreeze, study_set_state
from tests import factories
from tests.studies.person import Person, open_study, two_moments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(two_moments(clip_id="first"), factories.clip("second"), instructions="Watch it all.")


@pytest.fixture
def manager():
    return get_user_model().objects.create_user("manager")


def to(study, state, by=None):
    return study_set_state(study=study, state=state, by=by)


# --- what each state means for the people ------------------------------------------------------------


def test_paused_lets_those_inside_finish(study):
    person = Person.joins(study)
    to(study, "paused")
    person.rate_all()
    assert person.open()["state"] == "working"


def test_halted_stops_everyone_after_the_save_that_is_on_its_way(study):
    person = Person.joins(study)
    person.open()
    person.watch(person.moments[0])
    to(study, "halted")
    assert person.say(question=person.moments[0], value=2).status_code == 201
    assert Score.objects.get().score == 2
    assert person.post("heartbeat", {"tab": person.tab, "assignment": person.assignment_id}).json()[
        "state"
    ] == ("halted")
    stopped = person.open()
    assert stopped["state"] == "halted"
    assert "view" not in stopped
    assert "media" not in stopped


def test_work_done_before_a_halt_can_be_handed_in(study):
    person = Person.joins(study)
    person.rate_all()
    to(study, "halted")
    assert person.post("hand_in", {"tab": person.tab}).json() == {"next": "/work/laughs/thanks/"}
    assert "You finished 1 task." in person.client.get("/work/laughs/thanks/").content.decode()


def test_closed_gives_out_nothing_and_can_be_opened_again(study):
    person = Person.joins(study)
    first = person.open()["assignment"]["id"]
    to(study, "closed")
    assert person.open()["state"] == "closed"
    to(study, "open")
    again = person.open()
    assert (again["state"], again["assignment"]["id"]) == ("working", first)


# --- from one state to another -----------------------------------------------------------------------


ALLOWED = {
    ("draft", "open"),
    ("open", "paused"),
    ("open", "halted"),
    ("open", "closed"),
    ("paused", "open"),
    ("paused", "halted"),
    ("paused", "closed"),
    ("halted", "open"),
    ("halted", "closed"),
    ("closed", "open"),
}


@pytest.mark.parametrize(("before", "after"), list(itertools.permutations(Study.State.values, 2)))
def test_only_these_changes_of_state_are_possible(study, before, after):
    Study.objects.update(state=before)
    if (before, after) in ALLOWED:
        assert to(study, after).state == after
    else:
        with pytest.raises(Refused, match=f"is {before} cannot become {after}"):
            to(study, after)
        study.refresh_from_db()
        assert study.state == before


def test_asking_for_the_state_it_has_changes_nothing(study):
    entries = study.log.count()
    assert to(study, "open").version == 1
    assert study.log.count() == entries


def test_a_study_that_lacks_something_is_not_opened_and_told_everything_at_once():
    study = Study.objects.create(slug="bare", title="Bare", kind="intensity", consent=" ", contact="")
    with pytest.raises(Refused) as refusal:
        to(study, "open")
    for lack in ("no units", "consent text is empty", "no contact"):
        assert lack in refusal.value.message
    study.refresh_from_db()
    assert (study.state, study.version, study.versions.count()) == ("draft", 0, 0)


def test_units_that_the_catalogue_does_not_have_are_refused_by_name(study):
    with pytest.raises(Refused, match="nowhere"):
        study_add_units(study=study, keys=["first", "nowhere"])
    assert study.units.count() == 2


def test_every_decision_is_on_record_with_who_took_it(study, manager):
    factories.clip("third")
    study_add_units(study=study, by=manager)
    study.instructions = "New."
    study.save()
    to(study, "paused", manager)
    to(study, "open", manager)
    entries = list(study.log.filter(by=manager).order_by("id").values_list("what", flat=True))
    assert entries == [
        "added 1 units to wave main",
        "state: paused",
        "version 2 frozen",
        "state: open",
    ]


def test_units_already_in_a_study_are_not_added_again_and_stay_in_their_wave(study):
    factories.clip("third")
    assert study_add_units(study=study, wave="later", pilot=True) == 1
    assert study_add_units(study=study, wave="later") == 0
    assert dict(StudyUnit.objects.values_list("key", "wave__name")) == {
        "first": "main",
        "second": "main",
        "third": "later",
    }


# --- versions ----------------------------------------------------------------------------------------


def test_opening_freezes_what_shapes_answers(study):
    [version] = study.versions.all()
    assert version.number == 1
    assert version.frozen == {
        "kind": "intensity",
        "kind_version": "1",
        "parameters": {"lead_in_s": 2, "context": "moment"},
        "instructions": "Watch it all.",
        "consent": "I agree.",
        "content_warning": "",
        "language": "en",
        "training": {"pass": None, "attempts": 2, "items": []},
        "checks": {"every": 0, "items": []},
        "repeats": {"number": 0, "gap": 10},
    }


def test_reopening_an_unchanged_study_keeps_its_version(study):
    to(study, "closed")
    assert to(study, "open").version == 1
    assert study.versions.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"instructions": "Watch closely."},
        {"consent": "I agree to more."},
        {"content_warning": "Blood"},
        {"language": "de"},
        {"parameters": {"context": "clip"}},
    ],
)
def test_changing_what_shapes_answers_makes_the_next_version(study, change):
    before = study.versions.get().frozen
    Study.objects.update(**change)
    assert study_refreeze(study=study).version == 2
    assert study.versions.get(number=1).frozen == before
    assert study.versions.get(number=2).frozen != before


def test_targets_contact_and_clips_may_change_within_a_version(study):
    Study.objects.update(raters_per_unit=9, contact="someone else", title="Other", reservation_minutes=5)
    factories.clip("third")
    study_add_units(study=study)
    assert study_refreeze(study=study).version == 1


def test_a_draft_has_no_version_to_change():
    draft = Study.objects.create(slug="draft", title="D", kind="intensity", consent="c", contact="c")
    assert study_refreeze(study=draft).version == 0
    assert not draft.versions.exists()


def test_events_carry_the_version_that_the_person_was_working_under(study):
    person = Person.joins(study)
    person.open()
    opened_first = person.opened["view"]
    person.rate(person.moments[0], 1)
    Study.objects.update(parameters={"lead_in_s": 5})
    study_refreeze(study=study)
    assert person.open()["view"] == opened_first  # what was begun is finished as it was begun
    person.rate(person.moments[1], 1)
    assert person.open()["view"]["lead_in_s"] == 5.0
    person.rate(person.moments[0], 1)
    assert list(ResponseEvent.objects.values_list("study_version", flat=True)) == [1, 1, 2]
    assert set(ResponseEvent.objects.values_list("kind", "kind_version")) == {("intensity", "1")}


def test_somebody_who_joins_after_a_change_agrees_to_the_new_text(study):
    assert Person.joins(study).enrolment.consent_version == 1
    Study.objects.update(consent="I agree to more.")
    study_refreeze(study=study)
    assert Person.joins(study).enrolment.consent_version == 2
