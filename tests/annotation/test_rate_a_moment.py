"""A score is taken when its moment was watched, once, and only from the person it was asked of."""

import json
import uuid

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Score
from studies.models import Assignment, Enrolment, ResponseEvent, Study
from studies.services.enrolment import enrolment_hand_in
from tests import factories
from tests.studies.person import Person, open_study, refusal

pytestmark = pytest.mark.django_db


def stored():
    """The current scores by moment, and how many events there are."""
    return dict(Score.objects.values_list("moment__moment_id", "score")), ResponseEvent.objects.count()


# --- watched first -----------------------------------------------------------------------------------


def test_a_watched_moment_takes_its_score(rater):
    response = rater.rate("laugh", 2)
    assert response.status_code == 201
    body = response.json()
    assert body["value"] == 2
    assert body["head"] == body["event_id"] == rater.heads["laugh"]
    assert body["assignment"] == {"id": rater.assignment_id, "position": 1, "state": "open"}
    assert body["progress"] == {"done": 0, "left": None}
    assert stored() == ({"laugh": 2}, 1)


def test_the_last_score_of_a_clip_finishes_it(rater):
    rater.rate("laugh", 0)
    body = rater.rate("gasp", 3).json()
    assert body["assignment"]["state"] == "finished"
    assert body["progress"]["done"] == 1
    assert rater.open()["state"] == "nothing_left"


def test_a_score_without_playback_is_refused_and_says_what_is_missing(rater):
    rater.time_passes(60)
    error = refusal(rater.say(question="laugh", value=2))
    assert (error["status"], error["code"], error["wait_s"]) == (409, "not_played", 0)
    assert error["missing"] == [[1.1, 2.9]]
    assert stored() == ({}, 0)


def test_a_hand_made_request_without_any_claim_is_refused_too(rater):
    rater.time_passes(60)
    assert refusal(rater.say(question="laugh", value=2, played=...))["code"] == "not_played"
    assert (
        refusal(rater.say(question="laugh", value=2, played={"stimulus": [[0, 12]]}))["code"] == "not_played"
    )
    assert stored() == ({}, 0)


def test_forged_stretches_are_refused_until_the_servers_own_clock_allows_them(rater):
    forged = {"reaction": [[0, 12]]}
    error = refusal(rater.say(question="laugh", value=2, played=forged))
    assert (error["status"], error["code"], error["missing"]) == (409, "not_played", [])
    assert 1.0 < error["wait_s"] <= 1.5  # two seconds of moment, less half a second
    assert stored() == ({}, 0)
    rater.time_passes(error["wait_s"])
    assert rater.say(question="laugh", value=2, played=forged).status_code == 201


def test_the_clock_asks_for_all_moments_answered_so_far_together(rater):
    rater.rate("laugh", 2)  # 2 s have passed
    rater.watched = [[0, 12]]
    error = refusal(rater.say(question="gasp", value=1))
    assert 1.0 < error["wait_s"] <= 1.5  # 4 s are asked for, less half a second
    rater.time_passes(error["wait_s"])
    assert rater.say(question="gasp", value=1).status_code == 201


def test_answers_that_waited_offline_may_all_arrive_in_one_moment(rater):
    rater.watch("laugh")
    rater.watch("gasp")
    for moment in ("laugh", "gasp"):
        assert rater.say(question=moment, value=1, age_s=30).status_code == 201
    event = ResponseEvent.objects.first()
    assert 29.9 < (event.received_at - event.answered_at).total_seconds() < 30.1


def test_neither_a_reload_nor_another_device_resets_what_was_watched(rater):
    rater.rate("laugh", 2)
    rater.watch("gasp")
    rater.tab = "after-a-reload"
    body = rater.open()
    assert body["played"] == {"reaction": [[1.0, 3.0]]}
    rater.watched = [[5.0, 7.0]]  # the new page has seen only this, and claims nothing else
    assert rater.say(question="gasp", value=1).status_code == 201


def test_changing_a_score_asks_for_no_second_watching(rater):
    rater.rate("laugh", 2)
    rater.watched = []
    assert rater.say(question="laugh", value=3).status_code == 201


def test_where_the_whole_clip_is_the_context_all_of_it_is_watched_once(db):
    study = open_study(factories.clip("whole"), parameters={"context": "clip"})
    rater = Person.joins(study)
    assert rater.open()["view"]["context"] == "clip"
    first, second = rater.moments
    error = refusal(rater.rate(first, 1))
    assert error["missing"] == [[0.1, 1.0], [3.0, 11.9]]
    rater.watched = [[0, 12]]
    wait_s = refusal(rater.say(question=first, value=1))["wait_s"]
    assert 5.0 < wait_s <= 9.5  # 12 s, less 2 s, less half; and what a busy machine has lost meanwhile
    rater.time_passes(10)
    for moment in (first, second):
        assert rater.say(question=moment, value=1).status_code == 201


def test_moments_at_the_very_start_and_end_of_a_clip_can_be_rated(db):
    study = open_study(factories.clip("edges", moments=[(0.0, 6.0), (6.0, 12.0)]))
    rater = Person.joins(study)
    rater.rate_all()
    assert rater.assignment.state == "finished"


def test_what_was_watched_besides_and_how_is_kept_with_the_answer(rater):
    rater.watch("laugh")
    rater.watched.append([8.0, 9.5])
    rater.say(question="laugh", value=1, active_s=4.2, stalls=2, stall_s=0.75)
    event = ResponseEvent.objects.get()
    assert event.played == {"reaction": [[1000, 3000], [8000, 9500]]}
    assert (event.active_ms, event.stalls, event.stall_ms) == (4200, 2, 750)
    assert event.media_sha256 == {"reaction": event.assignment.media["reaction"]["sha256"]}
    assert (event.language, event.late) == ("en", False)


# --- sent again --------------------------------------------------------------------------------------


def test_the_same_event_sent_again_gives_the_first_result_again(rater):
    again = {"event_id": str(uuid.uuid4()), "replaces": None}
    first = rater.rate("laugh", 2, **again)
    second = rater.say(question="laugh", value=2, **again)
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == first.json()
    assert stored() == ({"laugh": 2}, 1)


def test_an_old_event_sent_again_does_not_bring_its_value_back(rater):
    old = {"event_id": str(uuid.uuid4()), "replaces": None}
    rater.rate("laugh", 2, **old)
    rater.say(question="laugh", value=0)
    assert rater.say(question="laugh", value=2, **old).json()["value"] == 2  # its own first result
    assert stored() == ({"laugh": 0}, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"value": 1},
        {"question": "gasp"},
        {"action": "undo", "value": None},
        {"action": "report", "scope": "unit", "value": {"reason": "no_sound"}},
        {"scope": "unit"},
        {"assignment": 10**9},
    ],
)
def test_an_id_that_was_used_for_something_else_is_refused_with_what_is_stored(rater, change):
    event_id = str(uuid.uuid4())
    rater.rate("laugh", 2, event_id=event_id)
    said = {"question": "laugh", "value": 2, "event_id": event_id, "replaces": None} | change
    error = refusal(rater.say(**said))
    assert (error["status"], error["code"]) == (409, "reused_id")
    assert error["stored"] == {"head": event_id, "value": 2}
    assert stored() == ({"laugh": 2}, 1)


def test_true_is_no_second_sending_of_one(rater):
    event_id = str(uuid.uuid4())
    rater.rate("laugh", 1, event_id=event_id)
    assert refusal(rater.say(question="laugh", value=True, event_id=event_id))["code"] == "reused_id"


def test_the_id_of_somebody_elses_event_is_refused_and_tells_nothing(rater, study):
    event_id = str(uuid.uuid4())
    rater.rate("laugh", 2, event_id=event_id)
    other = Person.joins(study)
    other.open()
    error = refusal(other.rate("laugh", 2, event_id=event_id))
    assert (error["status"], error["code"], error["stored"]) == (409, "reused_id", None)
    assert stored() == ({"laugh": 2}, 1)


# --- whose unit ----------------------------------------------------------------------------------------


def test_a_unit_given_to_somebody_else_is_refused_and_shows_nothing_of_theirs(rater, study):
    rater.rate("laugh", 3)
    other = Person.joins(study)
    other.open()
    error = refusal(other.rate("laugh", 1, assignment=rater.assignment_id))
    assert (error["status"], error["code"], error["stored"]) == (409, "not_assigned", None)
    assert rater.heads["laugh"] not in json.dumps(error)
    assert stored() == ({"laugh": 3}, 1)


@pytest.mark.parametrize("assignment", [999_999_999, 10**30])
def test_a_unit_that_does_not_exist_is_refused_in_the_same_words(rater, assignment):
    error = refusal(rater.rate("laugh", 1, assignment=assignment))
    assert (error["status"], error["code"], error["stored"]) == (409, "not_assigned", None)


def test_a_unit_that_was_never_opened_takes_no_answer(rater):
    Assignment.objects.update(opened_at=None, state="reserved")
    error = refusal(rater.say(question="laugh", value=1, played={"reaction": [[0, 12]]}))
    assert (error["status"], error["code"]) == (409, "not_assigned")


def test_after_handing_in_nothing_changes_and_what_is_stored_is_shown(rater):
    rater.rate("laugh", 3)
    enrolment_hand_in(enrolment=rater.enrolment)
    error = refusal(rater.say(question="laugh", value=0))
    assert (error["status"], error["code"]) == (409, "handed_in")
    assert error["stored"] == {"head": rater.heads["laugh"], "value": 3}
    assert stored() == ({"laugh": 3}, 1)
    assert rater.open()["state"] == "handed_in"


def test_an_answer_sent_again_after_handing_in_is_still_confirmed(rater):
    said = {"question": "laugh", "value": 3, "event_id": str(uuid.uuid4()), "replaces": None}
    rater.watch("laugh")
    rater.say(**said)
    enrolment_hand_in(enrolment=rater.enrolment)
    assert rater.say(**said).status_code == 200


def test_a_browser_without_the_cookie_is_refused_everywhere(rater, study):
    stranger = Person(study)
    for act in ("open", "events", "heartbeat", "hand_in"):
        error = refusal(stranger.post(act, {"tab": "t"}))
        assert (error["status"], error["code"]) == (403, "not_enrolled")
    error = refusal(Person(Study(slug="no-such-study")).post("open", {"tab": "t"}))
    assert (error["status"], error["code"]) == (403, "not_enrolled")


def test_somebody_who_withdrew_is_refused(rater):
    Enrolment.objects.update(state="withdrawn")
    assert refusal(rater.rate("laugh", 1))["code"] == "not_enrolled"


def test_reading_the_api_tells_nothing(rater):
    for act in ("open", "events", "heartbeat", "hand_in"):
        assert rater.client.get(f"/api/work/laughs/{act}").status_code == 405


def test_a_request_forged_by_another_site_is_refused_and_the_pages_own_is_not(rater):
    person = Person(rater.study, csrf=True)
    person.client.cookies = rater.client.cookies
    error = refusal(person.post("open", {"tab": "t"}))
    assert (error["status"], error["code"]) == (403, "forbidden")
    page = person.client.get("/work/laughs/").content.decode()
    token = page.split('data-csrf="')[1].split('"')[0]
    assert person.post("open", {"tab": "t"}, **{"X-CSRFToken": token}).status_code == 200


def test_the_page_shows_nothing_of_a_unit_but_its_key_times_and_media(rater):
    body = rater.opened
    assert set(body) == {
        "state", "progress", "previous", "practice",
        "assignment", "view", "media", "answers", "report", "played",
    }  # fmt: skip
    assert body["view"] == {
        "duration_s": 12.0,
        "moments": [
            {"key": "laugh", "start_s": 1.0, "end_s": 3.0},
            {"key": "gasp", "start_s": 5.0, "end_s": 7.0},
        ],
        "lead_in_s": 2.0,
        "context": "moment",
    }
    assert set(body["media"]) == {"reaction"}
    assert set(body["media"]["reaction"]) == {"url", "type", "expires_in_s"}


def test_somebody_elses_answers_are_in_nobodys_page(rater, study):
    rater.rate("laugh", 3)
    other = Person.joins(study)
    body = other.open()
    assert (body["answers"], body["report"], body["played"], body["previous"]) == ({}, None, {}, None)


def test_the_database_itself_refuses_a_score_off_the_scale(rater):
    rater.rate("laugh", 3)
    for wrong in (-1, 4):
        with pytest.raises((IntegrityError, ValueError)), transaction.atomic():
            Score.objects.update(score=wrong)
