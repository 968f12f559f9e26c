"""A request that is not as expected is refused by name, with what was found, and changes nothing."""

import json
import uuid

import pytest

from annotation.models import Score
from studies.models import ResponseEvent
from tests import factories
from tests.studies.person import refusal

pytestmark = pytest.mark.django_db


def stored():
    """The current scores by moment, and how many events there are."""
    return dict(Score.objects.values_list("moment__moment_id", "score")), ResponseEvent.objects.count()


@pytest.mark.parametrize("value", [True, False, "2", "", 4, -1, 1.5, None, [], [2], {}, {"score": 2}, 10**30])
def test_a_value_that_is_no_score_is_refused_and_names_found_and_expected(rater, value):
    error = refusal(rater.rate("laugh", value))
    assert (error["status"], error["code"]) == (400, "invalid")
    [problem] = error["problems"]
    assert problem["field"] == "value"
    assert problem["found"] == repr(value)
    assert "0, 1, 2, 3" in problem["expected"]
    assert stored() == ({}, 0)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused(rater, number):
    rater.watch("laugh")
    body = json.dumps(
        {
            "event_id": str(uuid.uuid4()),
            "assignment": rater.assignment_id,
            "tab": rater.tab,
            "action": "answer",
            "scope": "question",
            "question": "laugh",
            "value": "HERE",
            "replaces": None,
            "played": {"reaction": [[0, 12]]},
        }
    ).replace('"HERE"', number)
    error = refusal(rater.post("events", body))
    assert (error["status"], error["code"]) == (400, "invalid")
    assert error["problems"][0]["found"]
    assert error["problems"][0]["expected"]
    assert stored() == ({}, 0)


def test_two_point_zero_is_two(rater):
    assert rater.rate("laugh", 2.0).json()["value"] == 2
    assert ResponseEvent.objects.get().payload == 2


@pytest.mark.parametrize("missing", ["event_id", "assignment", "tab", "action", "replaces"])
def test_a_request_that_lacks_something_names_it(rater, missing):
    error = refusal(rater.rate("laugh", 2, **{missing: ...}))
    assert (error["status"], error["code"]) == (400, "invalid")
    [problem] = error["problems"]
    assert (problem["field"], problem["found"]) == (missing, "nothing")
    assert stored() == ({}, 0)


def test_everything_that_is_wrong_is_named_at_once(rater):
    error = refusal(
        rater.say(
            question="laugh",
            value=2,
            event_id="no-uuid",
            action="shout",
            age_s=-1,
            active_s=True,
            stalls=-1,
            stall_s="1",
            played={"reaction": [[3, 1]]},
        )
    )
    found = {problem["field"]: problem["found"] for problem in error["problems"]}
    assert found == {
        "event_id": "'no-uuid'",
        "action": "'shout'",
        "age_s": "-1",
        "active_s": "True",
        "stalls": "-1",
        "stall_s": "'1'",
        "played": "{'reaction': [[3, 1]]}",
    }


@pytest.mark.parametrize(
    "played",
    [
        [],
        "all",
        {"reaction": "all"},
        {"reaction": [[1]]},
        {"reaction": [[1, 2, 3]]},
        {"reaction": [["1", 2]]},
        {"reaction": [[True, 2]]},
        {"reaction": [[-1, 2]]},
        {"reaction": [[0, 1]] * 501},
        {role: [] for role in "abcde"},
    ],
)
def test_a_claim_that_is_no_list_of_stretches_is_refused(rater, played):
    error = refusal(rater.say(question="laugh", value=2, played=played))
    assert (error["status"], error["problems"][0]["field"]) == (400, "played")


@pytest.mark.parametrize("number", [10**400, 1e300, 2**63])
def test_absurdly_large_numbers_do_no_harm(rater, number):
    rater.watch("laugh")
    played = {"reaction": [[0, number]]}
    assert (
        rater.say(question="laugh", value=2, played=played, age_s=number, active_s=number).status_code == 201
    )


@pytest.mark.parametrize("body", ["", "{", "[]", '"x"', "null", "7"])
def test_a_body_that_is_no_object_is_refused(rater, body):
    error = refusal(rater.post("events", body))
    assert (error["status"], error["code"]) == (400, "invalid")


def test_a_moment_of_another_clip_is_refused_by_name(rater):
    factories.clip("elsewhere")
    error = refusal(rater.say(question="elsewhere-m0", value=2))
    assert error["status"] == 400
    assert error["problems"] == [{"field": "question", "found": "elsewhere-m0", "expected": "laugh, gasp"}]
