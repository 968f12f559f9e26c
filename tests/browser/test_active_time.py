"""Active time: the tab is visible, and no gap of more than a minute without input or playback."""

import pytest
from playwright.sync_api import Page

from studies.models import Assignment

pytestmark = pytest.mark.browser

ALONE = """async () => {
  const { ActiveTime } = await import("/static/studies/kept.js");
  window.playing = false;
  window.active = new ActiveTime(() => window.playing);
  setInterval(() => active.tick(), 1000);
}"""
HIDE = """hidden => {
  const value = hidden ? "hidden" : "visible";
  Object.defineProperty(document, "visibilityState", { value, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def counted(page: Page, site) -> Page:
    """A page where active time is counted and time stands still unless a test lets it pass."""
    page.clock.install(time=0)
    page.goto(f"{site.url}/no/such/page/")
    page.clock.pause_at(60_000)
    page.evaluate(ALONE)
    return page


def passes(page: Page, seconds: float) -> Page:
    page.clock.run_for(round(seconds * 1000))
    return page


def active(page: Page) -> float:
    return page.evaluate("() => active.seconds")


def test_a_gap_of_a_minute_counts_and_a_longer_one_is_left_out_whole(counted):
    passes(counted, 60).keyboard.press("a")
    assert active(counted) == pytest.approx(60, abs=1)
    passes(counted, 61).keyboard.press("a")
    assert active(counted) == pytest.approx(60, abs=1)
    passes(counted, 10).mouse.move(50, 50)
    assert active(counted) == pytest.approx(70, abs=1.1)


def test_playing_counts_however_long_it_lasts(counted):
    counted.evaluate("() => { playing = true; }")
    passes(counted, 300)
    assert active(counted) == pytest.approx(300, abs=1.1)
    counted.evaluate("() => { playing = false; }")
    passes(counted, 90)  # nothing more happens
    assert active(counted) == pytest.approx(300, abs=1.1)


def test_a_hidden_tab_does_not_count(counted):
    passes(counted, 20)
    counted.evaluate(HIDE, True)
    passes(counted, 30)
    counted.evaluate(HIDE, False)
    passes(counted, 5).keyboard.press("a")
    assert active(counted) == pytest.approx(25, abs=1.1)


def test_the_number_never_falls(counted):
    seen = []
    for gap in (10, 70, 30, 61, 59, 200, 1):
        passes(counted, gap)
        seen.append(active(counted))
        counted.keyboard.press("a")
        seen.append(active(counted))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(10 + 30 + 59 + 1, abs=4)


def test_heartbeats_and_answers_bring_it_to_the_server(new_rater, make_study):
    rater = new_rater(make_study())
    beats = []
    rater.page.on("request", lambda r: r.url.endswith("/heartbeat") and beats.append(r.post_data_json))
    rater.page.clock.install()
    rater.begin()
    rater.page.clock.run_for(25_000)
    rater.press("ArrowRight")
    rater.page.clock.run_for(12_000)
    rater.until(lambda: beats)
    assert beats[0]["active_s"] == pytest.approx(25, abs=3)
    rater.until(lambda: Assignment.objects.get().active_ms > 20_000)
    rater.press("ArrowLeft", "Space").score(1, 2).saved()
    assert rater.sent[0]["active_s"] >= 36
    assert Assignment.objects.get().active_ms == round(rater.sent[0]["active_s"] * 1000)


def test_waiting_for_the_clip_counts(new_rater, make_study):
    rater = new_rater(make_study())
    held = []
    rater.page.route("**/media/**", lambda route: held.append(route))
    rater.page.clock.install()
    rater.arrive()
    rater.page.clock.run_for(90_000)
    rater.until(lambda: Assignment.objects.get().active_ms > 50_000)
    for route in held:
        route.continue_()
    rater.page.unroute("**/media/**")
