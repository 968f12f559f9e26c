"""A changed mind and an undo are further events: one value is current, and nothing is lost."""

import pytest

from annotation.models import Score
from annotation.services import scores_rebuild
from studies.models import Assignment, ResponseEvent
from tests.studies.person import Person, refusal

pytestmark = pytest.mark.django_db


def current():
    return dict(Score.objects.values_list("moment__moment_id", "score"))


def states(person):
    return list(person.enrolment.assignments.order_by("position").values_list("state", flat=True))


def test_a_changed_mind_leaves_one_current_score_and_both_in_the_history(rater):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=1)
    assert rater.open()["answers"]["laugh"]["value"] == 1  # after a reload
    assert current() == {"laugh": 1}
    assert list(ResponseEvent.objects.values_list("payload", "replaces__payload")) == [(3, None), (1, 3)]


def test_giving_the_same_score_again_is_an_event_of_its_own(rater):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=3)
    assert ResponseEvent.objects.count() == 2
    assert current() == {"laugh": 3}


def test_a_finished_clip_can_still_be_changed_and_stays_finished(rater):
    rater.rate("laugh", 3)
    rater.rate("gasp", 3)
    assert rater.say(question="laugh", value=0).json()["assignment"]["state"] == "finished"
    assert current() == {"laugh": 0, "gasp": 3}


def test_an_answer_that_names_an_old_head_is_refused_with_what_is_stored(rater):
    rater.rate("laugh", 3)
    old = rater.heads["laugh"]
    rater.say(question="laugh", value=1)
    for seen in (old, None):
        error = refusal(rater.say(question="laugh", value=2, replaces=seen))
        assert (error["status"], error["code"]) == (409, "stale")
        assert error["stored"] == {"head": rater.heads["laugh"], "value": 1}
    assert current() == {"laugh": 1}


def test_a_first_answer_that_claims_to_replace_something_is_refused(rater):
    rater.rate("gasp", 3)
    error = refusal(rater.rate("laugh", 2, replaces=rater.heads["gasp"]))
    assert (error["code"], error["stored"]) == ("stale", {"head": None, "value": None})


def test_undo_brings_the_answer_before_back_and_then_none(rater):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=1)
    assert rater.undo("laugh").json()["value"] == 3
    assert current() == {"laugh": 3}
    assert rater.undo("laugh").json()["value"] is None
    assert current() == {}
    assert ResponseEvent.objects.count() == 4
    assert rater.open()["answers"]["laugh"] == {"head": rater.heads["laugh"], "value": None}


def test_undoing_an_answer_given_after_an_undo_goes_back_to_what_stood_then(rater):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=1)
    rater.undo("laugh")
    rater.say(question="laugh", value=0)
    assert rater.undo("laugh").json()["value"] == 3
    assert rater.undo("laugh").json()["value"] is None


def test_there_is_nothing_to_undo_where_nothing_stands(rater):
    assert refusal(rater.undo("laugh"))["code"] == "nothing_to_undo"
    rater.rate("laugh", 3)
    rater.undo("laugh")
    error = refusal(rater.undo("laugh"))
    assert (error["status"], error["code"]) == (409, "nothing_to_undo")
    assert error["stored"] == {"head": rater.heads["laugh"], "value": None}


def test_an_undo_sent_again_undoes_once(rater):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=1)
    seen, event_id = rater.heads["laugh"], "11111111-1111-4111-8111-111111111111"
    first = rater.undo("laugh", event_id=event_id)
    second = rater.undo("laugh", event_id=event_id, replaces=seen)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert current() == {"laugh": 3}


def test_an_undo_needs_no_watching(rater):
    rater.rate("laugh", 3)
    rater.watched = []
    assert rater.undo("laugh").status_code == 201


def test_undo_after_the_last_moment_opens_the_clip_again(rater):
    rater.rate("laugh", 3)
    rater.rate("gasp", 2)
    body = rater.open()
    assert body["state"] == "nothing_left"
    assert body["previous"] == {
        "assignment": Assignment.objects.get().pk,
        "scope": "question",
        "question": "gasp",
        "head": rater.heads["gasp"],
    }
    undone = rater.undo("gasp", assignment=body["previous"]["assignment"], replaces=body["previous"]["head"])
    assert undone.json()["assignment"]["state"] == "open"
    assert undone.json()["progress"]["done"] == 0
    assert rater.open()["answers"]["gasp"]["value"] is None
    assert current() == {"laugh": 3}


def test_undo_reaches_back_into_the_clip_before_and_what_was_open_waits(two_clips):
    rater = Person.joins(two_clips)
    first = rater.rate_all()["assignment"]["id"]
    done = rater.moments
    body = rater.open()
    second = body["assignment"]["id"]
    assert second != first
    assert body["previous"]["question"] == done[-1]
    rater.rate(rater.moments[0], 0)

    rater.undo(done[-1], assignment=first)

    assert states(rater) == ["open", "reserved"]
    body = rater.open()
    assert body["assignment"]["id"] == first
    assert {key: answer["value"] for key, answer in body["answers"].items()} == {done[0]: 2, done[1]: None}
    rater.rate(done[1], 3)
    body = rater.open()
    assert body["assignment"]["id"] == second
    assert [answer["value"] for answer in body["answers"].values()] == [0]
    assert states(rater) == ["finished", "open"]


def test_an_answer_to_the_clip_that_waits_is_taken_without_disturbing_the_open_one(two_clips):
    rater = Person.joins(two_clips)
    first = rater.rate_all()["assignment"]["id"]
    last = rater.moments[-1]
    second = rater.open()["assignment"]["id"]
    waiting = rater.moments
    rater.undo(last, assignment=first)
    for moment in waiting:
        rater.watch(moment)
    for moment in waiting:
        assert rater.say(question=moment, value=1, assignment=second).status_code == 201
    assert states(rater) == ["open", "finished"]


def test_undo_can_be_pressed_all_the_way_back_to_an_empty_study(two_clips):
    rater = Person.joins(two_clips)
    for _ in range(2):
        rater.rate_all()
    for _ in range(4):
        previous = rater.open()
        standing = [k for k, a in previous.get("answers", {}).items() if a["value"] is not None]
        if standing:
            assert rater.undo(standing[-1]).status_code == 201
        else:
            back = previous["previous"]
            assert rater.undo(back["question"], assignment=back["assignment"]).status_code == 201
    body = rater.open()
    assert body["previous"] is None
    assert body["progress"] == {"done": 0, "left": 2}
    assert current() == {}


def test_current_scores_are_rebuilt_from_the_events_alone(rater, study):
    rater.rate("laugh", 3)
    rater.say(question="laugh", value=1)
    rater.rate("gasp", 2)
    rater.undo("gasp")
    before = list(Score.objects.values_list("enrolment", "moment", "assignment", "event", "score"))
    Score.objects.all().delete()
    assert scores_rebuild([study.pk]) == 1
    assert list(Score.objects.values_list("enrolment", "moment", "assignment", "event", "score")) == before
    Score.objects.update(score=0)
    scores_rebuild([study.pk])
    assert current() == {"laugh": 1}
