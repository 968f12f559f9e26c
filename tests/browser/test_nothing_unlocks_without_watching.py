"""A score is free when its moment was played: visible, audible, at normal speed. Nothing else frees it."""

import uuid

import pytest
from playwright.sync_api import expect

from studies.playback import CLOCK_SLACK_MS
from tests.browser.rater import Rater

pytestmark = pytest.mark.browser

WHOLE = ((0.0, 12.0),)
"""One moment as long as the clip of twelve seconds."""

HIDDEN = """() => {
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
  Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
UNSEEN = "Object.defineProperty(video, 'playbackRate', { get: () => 1, set() {} })"
FAST = "video.playbackRate = 16"
FAST_UNSEEN = f"{FAST}, {UNSEEN}"
TWICE_UNSEEN = f"video.playbackRate = 2, {UNSEEN}"


def runs_to_the_end(rater: Rater) -> None:
    """Play the clip through from the console, however often the page stops it."""
    rater.until(lambda: rater.video("video.ended || (video.paused && void video.play(), false)"))


def assert_locked(rater: Rater) -> None:
    """Digits save nothing; the line answers in its stead."""
    line = rater.page.locator("#line")
    expect(line).not_to_have_attribute("data-tone", "ready")
    line.evaluate("element => element.classList.remove('nudged')")
    rater.press("0", "1", "2", "3")
    expect(line).to_have_class("line nudged")
    rater.card(2).click(force=True)  # as people do who do not see that it is locked
    expect(rater.page.locator("#scale")).to_have_class("scale locked")
    expect(rater.card(2)).to_have_attribute("aria-disabled", "true")
    expect(rater.moment(1)).to_have_attribute("data-state", "waiting")
    assert rater.sent == []
    assert rater.events == []
    assert rater.scores == {}


@pytest.mark.parametrize(
    "trick",
    [FAST, FAST_UNSEEN, TWICE_UNSEEN],
    ids=["sixteen times", "sixteen times, hidden from the page", "twice, hidden from the page"],
)
def test_a_faster_clip_unlocks_nothing(new_rater, make_study, trick):
    rater = new_rater(make_study(film="twelve", moments=WHOLE)).begin()
    rater.video(trick)
    rater.press("Space")
    runs_to_the_end(rater)
    assert_locked(rater)
    expect(rater.line).to_contain_text("Watch the moment to its end to rate it")


@pytest.mark.parametrize("silence", ["video.muted = true", "video.volume = 0"])
def test_a_silent_player_unlocks_nothing_until_its_sound_is_on(new_rater, make_study, silence):
    rater = new_rater(make_study()).begin()
    rater.video(silence)
    rater.press("Space")
    runs_to_the_end(rater)
    assert_locked(rater)
    expect(rater.line).to_have_text("Sound is off: turn it on to rate")
    rater.page.get_by_role("button", name="Sound").click()
    rater.press("r").score(1, 2).saved()
    assert rater.scores == {"clip1-m0": 2}


def test_a_hidden_tab_unlocks_nothing(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space")
    rater.playing()
    rater.page.evaluate(HIDDEN)
    rater.standing()
    rater.press("r")
    runs_to_the_end(rater)
    assert_locked(rater)


def test_seeking_to_the_end_unlocks_nothing(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space")
    rater.playing()
    rater.video("video.currentTime = video.duration - 0.1")
    runs_to_the_end(rater)
    assert_locked(rater)
    rater.page.locator("#track").click(position={"x": 300, "y": 3})  # the person's own way to seek
    rater.press("Space", "Space")
    assert_locked(rater)


def by_hand(rater: Rater, *, played: list[list[float]]) -> tuple[int, dict]:
    """An answer posted from the console, with the page's own token and lease."""
    body = {
        "event_id": str(uuid.uuid4()),
        "assignment": rater.assignment.pk,
        "tab": type(rater.enrolment).objects.get(pk=rater.enrolment.pk).tab,
        "action": "answer",
        "scope": "question",
        "question": "clip1-m0",
        "value": 3,
        "replaces": None,
        "age_s": 0,
        "played": {"reaction": played},
    }
    status, answer = rater.page.evaluate(
        """async (body) => {
          const { api, csrf } = document.body.dataset;
          const headers = { "Content-Type": "application/json", "X-CSRFToken": csrf };
          const reply = await fetch(`${api}events`, { method: "POST", headers, body: JSON.stringify(body) });
          return [reply.status, await reply.json()];
        }""",
        body,
    )
    return status, answer["error"]


def test_a_score_made_by_hand_without_playback_is_refused_with_the_reason(new_rater, make_study):
    rater = new_rater(make_study(film="twelve", moments=WHOLE)).begin()

    status, error = by_hand(rater, played=[[0, 4]])
    assert (status, error["code"]) == (409, "not_played")
    assert error["message"] == "Watch all of it first, with sound and at normal speed."
    assert error["missing"] == [[4, 11.9]]

    status, error = by_hand(rater, played=[[0, 12]])
    assert (status, error["code"]) == (409, "not_played")
    assert error["message"] == "There has not been enough time to watch this since the clip was opened."
    assert 0 < error["wait_s"] < 12

    assert rater.events == []
    assert rater.scores == {}


def test_a_page_whose_clock_was_tampered_with_waits_for_the_servers(new_rater, make_study):
    rater = new_rater(make_study(film="twelve", moments=WHOLE)).begin()
    rater.page.evaluate(
        "() => { const now = performance.now.bind(performance); performance.now = () => 16 * now(); }"
    )
    rater.video(FAST_UNSEEN)
    rater.press("Space").watched(1).press("2")
    expect(rater.moment(1)).to_have_attribute("data-state", "done")
    rater.finished(1)
    assert rater.replies[-1] == 201
    assert set(rater.replies[:-1]) <= {409}
    [event] = rater.events
    waited_s = (event.received_at - rater.assignment.opened_at).total_seconds()
    assert waited_s >= 12 - CLOCK_SLACK_MS / 1000
