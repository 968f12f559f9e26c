"""Z takes back the last thing said, wherever one stands; reports of a problem too."""

import pytest
from playwright.sync_api import expect

from studies.models import Assignment

pytestmark = pytest.mark.browser


def test_z_after_a_score_asks_for_the_moment_again(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2).press("z")
    rater.watched(1).saved()
    expect(rater.moment(1)).to_have_attribute("data-state", "waiting")
    assert rater.scores == {}
    rater.rescore(1, 3).saved()
    assert rater.scores == {"clip1-m0": 3}
    first, undo, second = rater.events
    assert [(e.action, e.payload) for e in rater.events] == [("answer", 2), ("undo", None), ("answer", 3)]
    assert (first.replaces, undo.replaces, second.replaces) == (None, first, undo)
    assert (undo.restores, second.standing) == (None, second)


def test_z_after_a_changed_mind_brings_back_the_first_score(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2).press("ArrowLeft").rescore(1, 0).press("z")
    rater.shows(1, 2).saved()
    assert rater.scores == {"clip1-m0": 2}
    first, second, undo = rater.events
    assert (undo.replaces, undo.restores) == (second, first)


def test_z_after_the_last_moment_returns_to_the_clip(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.rate_clip([2, 1, 3])
    assert rater.assignment.state == Assignment.State.FINISHED
    rater.press("z")
    expect(rater.panel).to_be_hidden()
    rater.watched(3).saved()
    assert rater.assignment.state == Assignment.State.OPEN
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 1}
    rater.rescore(3, 0).finished(3)
    assert rater.assignment.state == Assignment.State.FINISHED
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 1, "clip1-m2": 0}


def test_z_as_the_first_act_in_a_clip_returns_to_the_one_before(new_rater, make_study):
    rater = new_rater(make_study(clips=2)).begin()
    rater.rate_clip([2, 1, 3]).next_clip()
    before, after = rater.enrolment.assignments.order_by("position")
    last = f"{before.unit.key}-m2"
    assert (before.state, after.state) == (Assignment.State.FINISHED, Assignment.State.OPEN)

    rater.press("z")
    expect(rater.moment(1)).to_have_attribute("data-state", "done")
    rater.watched(3)
    before.refresh_from_db()
    after.refresh_from_db()
    assert (before.state, after.state) == (Assignment.State.OPEN, Assignment.State.RESERVED)
    assert last not in rater.scores

    rater.rescore(3, 1).finished(3).next_clip()
    after.refresh_from_db()
    assert after.state == Assignment.State.OPEN
    assert [(e.action, e.payload) for e in rater.events if e.question == last] == [
        ("answer", 3),
        ("undo", None),
        ("answer", 1),
    ]
    rater.rate_clip([0, 0, 0])
    assert len(rater.scores) == 6


REASONS = {
    "It does not play": "does_not_play",
    "There is no sound": "no_sound",
    "It shows the wrong content": "wrong_content",
    "I'd rather not watch this": "rather_not",
}


def test_each_report_of_a_problem_skips_the_clip_and_z_brings_it_back(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2)
    for words in REASONS:
        rater.tab_to(rater.page.get_by_role("button", name="Problem with this clip")).press("Enter")
        expect(rater.page.locator("#problem")).to_be_visible()
        rater.tab_to(rater.page.get_by_role("button", name=words)).press("Enter")
        expect(rater.panel.locator("h2")).to_have_text("Skipped")
        rater.saved()
        assert rater.assignment.state == Assignment.State.SKIPPED
        rater.press("z")
        expect(rater.panel).to_be_hidden()
        rater.saved()
        assert rater.assignment.state == Assignment.State.OPEN
    assert rater.scores == {"clip1-m0": 2}
    reports = rater.events[1:]
    assert [event.payload for event in reports] == [
        payload for reason in REASONS.values() for payload in ({"reason": reason}, None)
    ]
    assert [event.replaces for event in reports] == [None, *reports[:-1]]
    assert {event.scope for event in reports} == {"unit"}


def test_a_report_is_work_done_and_never_a_score(new_rater, make_study):
    rater = new_rater(make_study(clips=2)).begin()
    rater.tab_to(rater.page.get_by_role("button", name="Problem with this clip")).press("Enter")
    rater.tab_to(rater.page.get_by_role("button", name="I'd rather not watch this")).press("Enter")
    expect(rater.panel).to_contain_text("The clip counts as done.")
    rater.next_clip()
    expect(rater.page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "1")
    assert rater.scores == {}
    rater.press("z")  # the first act in the next clip takes the report back
    expect(rater.page.locator("#count")).to_have_text("Clip 1 of 2")
    assert [event.action for event in rater.events] == ["report", "undo"]
    assert rater.assignment.state == Assignment.State.OPEN
