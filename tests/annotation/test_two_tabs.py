"""Two tabs, two devices, one person: the newest works, the other is told, and nothing is answered twice."""

import copy

import pytest

from annotation.models import Score
from studies.models import Assignment, ResponseEvent
from tests.studies.person import Person, refusal

pytestmark = pytest.mark.django_db


def second_tab(person):
    """The same browser, another tab, which remembers what the first one saw."""
    other = copy.copy(person)
    other.tab, other.heads, other.watched = "tab-2", dict(person.heads), list(person.watched)
    return other


def test_the_newest_tab_holds_the_lease_and_the_older_one_is_told(rater):
    newer = second_tab(rater)
    newer.open()
    error = refusal(rater.rate("laugh", 2))
    assert (error["status"], error["code"]) == (409, "lease")
    assert error["stored"] == {"head": None, "value": None}
    assert not ResponseEvent.objects.exists()
    assert newer.rate("laugh", 1).status_code == 201


def test_both_tabs_have_the_same_clip_open(rater):
    newer = second_tab(rater)
    assert newer.open()["assignment"] == rater.opened["assignment"]
    assert Assignment.objects.count() == 1


def test_the_older_tab_can_take_the_lease_back(rater):
    newer = second_tab(rater)
    newer.open()
    newer.rate("laugh", 1)
    rater.open()
    assert rater.say(question="laugh", value=3).status_code == 201
    assert refusal(newer.rate("gasp", 1))["code"] == "lease"


def test_a_heartbeat_tells_the_older_tab_and_gives_it_no_addresses(rater):
    body = {"tab": rater.tab, "assignment": rater.assignment_id}
    assert rater.post("heartbeat", body).json()["lease"] is True
    assert "reaction" in rater.post("heartbeat", body).json()["media"]
    second_tab(rater).open()
    told = rater.post("heartbeat", body).json()
    assert (told["lease"], told["media"], told["state"]) == (False, {}, "working")


def test_a_stale_tab_answers_nothing_in_a_clip_that_was_finished_elsewhere(two_clips):
    stale = Person.joins(two_clips)
    stale.open()
    moment = stale.moments[0]
    stale.watch(moment)
    newer = second_tab(stale)
    for _ in range(2):
        newer.rate_all([1, 1])
    scores = sorted(Score.objects.values_list("moment__moment_id", "score"))

    error = refusal(stale.say(question=moment, value=3))
    assert (error["status"], error["code"]) == (409, "lease")
    assert error["stored"] == {"head": newer.heads[moment], "value": 1}

    stale.tab = newer.tab  # even a page that claimed the lease would be stopped by what it last saw
    error = refusal(stale.say(question=moment, value=3, replaces=None))
    assert (error["status"], error["code"]) == (409, "stale")
    assert error["stored"] == {"head": newer.heads[moment], "value": 1}
    assert sorted(Score.objects.values_list("moment__moment_id", "score")) == scores


def test_a_heartbeat_for_somebody_elses_unit_is_refused(rater, study):
    other = Person.joins(study)
    other.open()
    error = refusal(other.post("heartbeat", {"tab": other.tab, "assignment": rater.assignment_id}))
    assert (error["status"], error["code"]) == (409, "not_assigned")


def test_a_media_error_is_kept_with_file_error_and_browser(rater):
    fault = {"role": "reaction", "code": "MEDIA_ERR_NETWORK", "browser": "Firefox 140"}
    body = {"tab": rater.tab, "assignment": rater.assignment_id}
    assert rater.post("heartbeat", body | {"fault": fault}).status_code == 200
    kept = rater.assignment.faults.get()
    assert (kept.role, kept.code, kept.browser) == ("reaction", "MEDIA_ERR_NETWORK", "Firefox 140")
    assert not ResponseEvent.objects.exists()  # an error is never an answer
