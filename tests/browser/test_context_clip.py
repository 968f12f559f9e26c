"""Studies that want the whole clip watched once before its first score."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_the_whole_clip_comes_first_and_then_every_moment_is_free(new_rater, make_study):
    rater = new_rater(make_study(parameters={"context": "clip"})).begin()
    rater.press("Space")
    rater.until(lambda: rater.video("video.currentTime > 2"))
    rater.press("2")
    expect(rater.line).to_contain_text("Watch the whole clip once to rate it")
    assert rater.sent == []

    rater.watched(1).standing()
    for number, value in ((1, 2), (2, 0), (3, 3)):
        rater.watched(number).rescore(number, value)
    rater.finished(3)
    assert rater.replies == [201, 201, 201]
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 0, "clip1-m2": 3}
    [(start, end)] = rater.events[0].played["reaction"]
    assert start < 100
    assert end > 5900


def test_a_reload_half_way_does_not_begin_the_clip_anew(new_rater, make_study):
    rater = new_rater(make_study(parameters={"context": "clip"})).begin()
    rater.press("Space")
    rater.until(lambda: rater.video("video.currentTime > 3"))
    rater.press("Space").standing()
    rater.page.reload()
    rater.ready().press("Space")
    rater.watched(1).rescore(1, 1).saved()
    assert rater.scores == {"clip1-m0": 1}
