"""Practice before the work: accepted answers, feedback, a rule for passing, and nothing of it in the data."""

import pytest

from annotation.models import Score
from studies.accepting import accepted, all_accepted, rule_fault, rule_words
from studies.errors import Refused
from studies.models import Assignment, Enrolment, StudyUnit
from studies.services.enrolment import enrolment_hand_in, enrolment_join
from studies.services.study import study_add_units, study_set_items, study_set_state
from tests import factories
from tests.studies.person import Person, open_study, refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """One real clip behind three practice clips, of which two have to be answered as accepted."""
    for name in ("p1", "p2", "p3"):
        factories.clip(name, moments=[(1.0, 2.0)])
    made = open_study(factories.clip("real", moments=[(1.0, 2.0)]))
    made.training_pass = 2
    made.save()
    study_set_items(
        study=made,
        purpose="practice",
        items=[
            {"key": name, "accepts": {f"{name}-m0": {"from": 2, "to": 3}}, "feedback": f"About {name}."}
            for name in ("p1", "p2", "p3")
        ],
    )
    return made


@pytest.fixture
def person(study):
    return Person.joins(study)


def practises(person, *values):
    """Answer practice clips one after another; returns the feedback given."""
    given = []
    for value in values:
        person.open()
        given.append(person.rate(person.moments[0], value).json()["feedback"])
    return given


def test_practice_comes_first_in_its_order_and_says_where_one_is(person):
    body = person.open()
    assert Assignment.objects.get(pk=body["assignment"]["id"]).unit.key == "p1"
    assert body["practice"] == {"item": 1, "of": 3, "round": 1, "rounds": 2, "needed": 2, "before": None}
    practises(person, 2)
    assert person.open()["practice"]["item"] == 2


def test_each_answer_is_met_with_what_was_expected(person):
    assert practises(person, 2, 0) == [
        {"accepted": True, "expected": "2 to 3", "text": "About p1."},
        {"accepted": False, "expected": "2 to 3", "text": "About p2."},
    ]


def test_what_is_accepted_is_told_only_after_the_answer(person):
    assert "2 to 3" not in str(person.open())
    assert "About p1" not in str(person.open())


def test_enough_accepted_answers_lead_to_the_work(person):
    practises(person, 3, 0, 2)
    body = person.open()
    assert (body["state"], body["practice"]) == ("working", None)
    assert person.assignment.unit.key == "real"
    assert person.enrolment.trained_at is not None
    assert person.rate("real-m0", 1).json()["feedback"] is None


def test_too_few_lead_to_another_round_which_may_be_passed(person):
    practises(person, 0, 0, 2)
    body = person.open()
    assert body["practice"]["round"] == 2
    assert body["practice"]["before"] == {"passed": 1, "of": 3, "needed": 2}
    person.heads.clear()
    practises(person, 2, 2, 0)
    assert person.open()["practice"] is None


def test_whoever_fails_every_round_is_sent_off_on_the_path_for_it(person):
    for _ in range(2):
        person.heads.clear()
        practises(person, 0, 0, 0)
    assert person.open()["state"] == "handed_in"
    enrolment = Enrolment.objects.get()
    assert (enrolment.state, enrolment.path) == ("handed_in", "failed_training")
    assert not Assignment.objects.filter(purpose="study").exists()


def test_the_first_answer_counts(person):
    practises(person, 0)
    again = person.say(question="p1-m0", value=2)
    assert refusal(again)["code"] == "practice_final"
    undo = person.undo("p1-m0")
    assert refusal(undo)["code"] == "practice_final"
    assert not person.assignment.passed


def test_practice_never_enters_the_data(person, study):
    practises(person, 3, 3, 3)
    assert not Score.objects.exists()
    assert person.open()["progress"] == {"done": 0, "left": 1}
    assert {e.assignment.purpose for e in person.enrolment.events.all()} == {"practice"}


def test_who_passed_in_an_earlier_visit_need_not_practise_again(person, study):
    practises(person, 3, 3, 3)
    person.open()
    enrolment_hand_in(enrolment=person.enrolment)
    again, _ = enrolment_join(study=study, participant=Enrolment.objects.get().participant)
    assert again.trained_at is not None


def test_a_clip_is_either_practice_or_work(study):
    with pytest.raises(Refused, match=r"real.*found a study item"):
        study_set_items(study=study, purpose="practice", items=[{"key": "real"}])
    with pytest.raises(Refused, match="practice or check items cannot be study items: p1"):
        study_add_units(study=study, keys=["p1"])
    factories.clip("other")
    assert study_add_units(study=study) == 1  # all clips: but for the practice


def test_everything_wrong_with_the_items_is_said_at_once(study):
    with pytest.raises(Refused) as refused:
        study_set_items(
            study=study,
            purpose="check",
            items=[
                {"key": "nowhere"},
                {"key": "p1", "accepts": {}},
                {"key": "p4", "accepts": {"p4-m9": [1]}},
                {"key": "p5", "accepts": {"p5-m0": {"from": 3, "to": 1}}},
            ],
        )
    told = refused.value.message
    assert "item 1 (nowhere): found no such item" in told
    assert "item 2 (p1): found a practice item" in told
    assert not StudyUnit.objects.filter(purpose="check").exists()


def test_a_practice_that_cannot_be_passed_keeps_the_study_from_opening(study):
    study = study_set_state(study=study, state="closed")
    study.training_pass = 4
    study.save()
    with pytest.raises(Refused, match="its practice needs 4 items right and has 3"):
        study_set_state(study=study, state="open")


def test_setting_practice_in_an_open_study_makes_a_new_version(study):
    assert study.versions.count() == 2
    newest = study.versions.last().frozen["training"]
    assert [item["key"] for item in newest["items"]] == ["p1", "p2", "p3"]


# --- rules of acceptance ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (None, "anything", True),
        ([2, 3], 2, True),
        ([2, 3], 1, False),
        ([1], True, False),
        (["yes"], "yes", True),
        ({"from": 1}, 3, True),
        ({"to": 1}, 3, False),
        ({"from": 1, "to": 2}, True, False),
        ({"from": 1, "to": 2}, "2", False),
        ({"fields": {"cue": [2], "link": {"from": 1}}}, {"cue": 2, "link": 2}, True),
        ({"fields": {"cue": [2]}}, {"cue": 1}, False),
        ({"fields": {"cue": [2]}}, 2, False),
    ],
)
def test_a_rule_accepts_what_it_says(rule, value, expected):
    assert accepted(rule, value) is expected


def test_a_question_that_was_not_answered_was_not_answered_as_accepted():
    assert all_accepted({"a": [1]}, {"a": 1, "b": 7})
    assert not all_accepted({"a": [1], "b": [2]}, {"a": 1})


@pytest.mark.parametrize("rule", [[1], {"from": 1}, {"from": 1, "to": 1}, {"fields": {"x": [1]}}])
def test_a_good_rule_has_no_fault_and_has_words(rule):
    assert rule_fault(rule) == ""
    assert rule_words(rule)


@pytest.mark.parametrize(
    "rule",
    [[], {}, 3, "2", {"from": "1"}, {"from": 2, "to": 1}, {"fields": {}}, {"fields": {"x": 1}}, {"x": 1}],
)
def test_a_bad_rule_is_named(rule):
    assert "expected" in rule_fault(rule)
